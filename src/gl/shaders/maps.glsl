// Look maps over the whole ground, and what light falls where. Beyond the border they repeat, mirrored.
uniform sampler2D u_normal_map;   // mean normal x and z
uniform sampler2D u_relief_map;   // sky visibility, curvature wide and near, drainage
uniform sampler2D u_height_map;
uniform sampler2D u_horizon_map;  // tangent of the horizon toward the sun

vec2 map_uv(vec2 p) { return (p + u_place.xy) * u_place.zw; }

vec3 map_normal_lod(vec2 uv, float lod) {
    vec2 n = (textureLod(u_normal_map, uv, lod).xy * 255.0 - 128.0) / 127.0;
    n *= 1.0 - 2.0 * mod(floor(uv), 2.0);  // a mirrored copy faces the other way
    return normalize(vec3(n.x, sqrt(max(1.0 - dot(n, n), 0.0)), n.y));
}

// Height of the ground relative to the frame's origin.
float map_height(vec2 uv) { return u_height.z + u_height.x + u_height.y * textureLod(u_height_map, uv, 0.0).x; }

float map_sunlit(vec2 uv) { return smoothstep(-u_land.w, u_land.w, u_sun.w - textureLod(u_horizon_map, uv, 0.0).x); }
