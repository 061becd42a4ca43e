// Sun and sky on ground of patches, which may have more ground above it: depth maps toward the sun, near and far, and
// straight up. What casts is the pieces by their tile corners, so what receives is taken half a metre off its surface.
uniform highp sampler2DArrayShadow u_zone_depth;
uniform mat4 u_zone_light[3];  // map coordinates from the frame's origin; layers: sun near, sun far, sky
uniform bool u_zone_lit;       // there are maps

float zone_seen(int layer, vec3 at) {
    vec3 p = (u_zone_light[layer] * vec4(at, 1.0)).xyz;
    return texture(u_zone_depth, vec4(p.xy, float(layer), p.z));
}

bool zone_in(int layer, vec3 at) {
    vec3 p = abs((u_zone_light[layer] * vec4(at, 1.0)).xyz - 0.5);
    return max(p.x, p.y) < 0.49;
}

float zone_turn() { return 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))); }

vec2 zone_tap(int k, int count, float turn) {
    float a = turn + 2.39996 * float(k);
    return vec2(cos(a), sin(a)) * sqrt((float(k) + 0.5) / float(count));
}

// Share of the sun's disc that is seen.
float zone_sunlit(vec3 at, vec3 n) {
    float lit = map_sunlit(map_uv(at.xz)) * smoothstep(-0.004, 0.004, u_sun.y);
    if (!u_zone_lit || lit <= 0.0) return lit;
    vec3 p = at + n * 0.45 + u_sun.xyz * 0.1;
    int layer = zone_in(0, p) ? 0 : 1;
    if (layer == 1) {  // its texels are 0.6 m: ground that leans would hide itself
        p = at + n * 1.1 + u_sun.xyz * 0.5;
        if (!zone_in(1, p)) return lit;
    }
    vec3 across = normalize(cross(u_sun.xyz, vec3(0.0, 1.0, 0.0) + 1e-4)), along = cross(u_sun.xyz, across);
    float radius = layer == 0 ? 0.16 : 0.8, sum = 0.0, turn = zone_turn();
    for (int k = 0; k < 6; ++k) {
        vec2 t = zone_tap(k, 6, turn) * radius;
        sum += zone_seen(layer, p + across * t.x + along * t.y);
    }
    return lit * sum / 6.0;
}

// How much of the sky is seen, x: round about, y: far and wide. A place round about hides the sky when the ground
// there is higher than a line that rises toward it.
vec2 zone_sky(vec3 at, vec3 n) {
    float map = textureLod(u_relief_map, map_uv(at.xz), 0.0).x;
    // A wall is asked about the half of the sky that it faces.
    vec3 p = at + n * 0.5 + vec3(n.x, 0.0, n.z) * 4.5 * smoothstep(-0.6, 0.2, n.y);
    if (!u_zone_lit || !zone_in(2, p)) return vec2(map, 1.0);
    float turn = zone_turn();
    vec2 sum = vec2(0.0);
    for (int k = 0; k < 10; ++k) {
        vec2 a = zone_tap(k, 10, turn) * 7.0, b = zone_tap(k, 10, turn + 1.0) * 32.0;
        sum.x += zone_seen(2, p + vec3(a.x, 0.3 + 0.75 * length(a), a.y));
        sum.y += zone_seen(2, p + vec3(b.x, 0.5 + 0.35 * length(b), b.y));
    }
    return vec2(map * sum.x, sum.y) / 10.0;
}
