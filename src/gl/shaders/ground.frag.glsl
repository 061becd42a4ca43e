// Ground: holes, material, light, air.
in vec3 v_at;
in vec2 v_cell;
#ifdef KARST_VERTEX_NORMALS
in vec3 v_normal;
#endif
#if defined(KARST_VERTEX_NORMALS) || defined(KARST_HOLES)
in vec2 v_shade;
#endif
flat in ivec2 v_first;
flat in ivec3 v_patch;
flat in vec3 v_mirror;
out vec4 o_colour;

#ifdef KARST_HOLES
// Screen door: of each 4 x 4 pixels as many are left out as the ground is transparent, none of solid ground.
bool is_left_out(float opacity) {
    ivec2 p = ivec2(gl_FragCoord.xy);
    int a = p.x ^ p.y, order = (a & 1) << 3 | (p.y & 1) << 2 | (a & 2) | (p.y & 2) >> 1;
    return opacity < (float(order) + 0.5) / 16.0;
}

bool is_absent() {
    // A patch draws its own cells alone: at its border rounding must not read those beyond.
    ivec2 cell = v_first + clamp(ivec2(floor(v_cell)), v_patch.xy, v_patch.xy + v_patch.z);
    // Ground and its image in the skirt meet on the outline, where rounding must not leave a pixel to neither.
    cell -= ivec2(equal(cell, u_lattice.yz)) * ivec2(lessThan(fract(v_cell), vec2(v_mirror.z)));
    return is_hole(max(cell, 0)) || is_left_out(v_shade.y);
}
#endif

// Mean normal of the map over so many of its samples, powers of two.
vec3 map_normal(vec2 uv, float lod) {
    vec2 n = (textureLod(u_normal_map, uv, lod).xy * 255.0 - 128.0) / 127.0;
    return normalize(vec3(n.x, sqrt(max(1.0 - dot(n, n), 0.0)), n.y)) * vec3(v_mirror.x, 1, v_mirror.y);
}

float contour_line(float height, float every, float width) {
    float h = height / every, d = max(fwidth(h), 1e-6);
    float line = 1.0 - smoothstep(0.5 * width, 0.5 * width + 1.0, abs(fract(h + 0.5) - 0.5) / d);
    return line * (1.0 - smoothstep(0.2, 0.5, d));  // closer than the pixels: gone
}

void main() {
#ifdef KARST_PLAIN  // tests of shape alone
    o_colour = vec4(0.0, 1.0, 0.0, 1.0);
#ifdef KARST_HOLES
    if (is_absent()) discard;
#endif
    return;
#endif
    int bits = u_lattice.w;
#ifdef KARST_HOLES
    if (is_absent()) discard;
#endif
    vec2 uv = (vec2(v_first) + v_cell) / vec2(u_lattice.yz);
    vec3 to_eye = u_eye.xyz - v_at;
    float dist = length(to_eye);
    if ((bits & KARST_WIRE) != 0) {
        vec3 line = u_wire.rgb / PI * (u_sunlight.rgb * max(u_sun.y, 0.0) + air_ambient(vec3(0.0, 1.0, 0.0)));
        if ((bits & KARST_SKY) != 0)
            line = air_between(line, -to_eye / dist, air_height(u_eye.y), air_height(v_at.y), dist);
        o_colour = vec4((bits & KARST_FLAT) != 0 ? tone_srgb(u_wire.rgb) : tone_map(line), 1.0);
        return;
    }
    // How much ground a pixel covers, from the map's normal and not from the triangle's: it must not change with the level.
    float facing = dist * u_up.w * 2.0 * u_viewport.w;
    vec3 wide = map_normal(uv, log2(max(facing / u_land.y, 1.0)));
    float foot = facing / sqrt(clamp(dot(wide, to_eye) / dist, 0.02, 1.0)), lod = log2(max(foot / u_land.y, 1.0));
    vec3 n = map_normal(uv, lod);
#ifdef KARST_VERTEX_NORMALS
    // The map shades alike at every level of detail; the vertices know more where the map is coarser than they are,
    // or where the ground overhangs.
    vec3 vertex_normal = normalize(v_normal);
    float to_vertex = (bits & KARST_MAP_NORMALS) != 0 ? 0.0 : 1.0 - smoothstep(0.35, 1.0, foot / u_land.y);
    to_vertex = max(to_vertex, 1.0 - smoothstep(0.15, 0.35, vertex_normal.y));
    n = normalize(mix(n, vertex_normal, to_vertex));
#endif

    if ((bits & KARST_FLAT) != 0) {
        float shade = 0.55 + 0.45 * dot(n, normalize(vec3(0.4, 0.7, -0.6)));
        o_colour = vec4(tone_srgb(vec3(shade)), 1.0);
        return;
    }
    vec4 relief = textureLod(u_relief_map, uv, lod);
    float open = relief.x;
#ifdef KARST_VERTEX_NORMALS
    open = mix(open, min(open, 1.0 - v_shade.x), to_vertex);
#endif
    Surface s = surface_at(v_at, n, relief, foot);
#ifdef KARST_CAST
    float visible = zone_sunlit(v_at, n) * cloud_shadow(v_at);
#else
    float visible = map_sunlit(uv) * cloud_shadow(v_at);
#endif
#ifdef KARST_OVERLAY
    s.albedo = mix(s.albedo, overlay_colour(bits, dist) * 0.5, 0.7);
#endif
    if ((bits & KARST_CONTOUR) != 0) {
        float every = u_ambient_sun.w, h = v_at.y + u_back.w;
        float line = max(0.55 * contour_line(h, every, 1.0), 0.85 * contour_line(h, every * 5.0, 1.6));
        // Dark on bright ground, bright on dark.
        vec3 ink = mix(vec3(0.55, 0.40, 0.22), vec3(0.045, 0.020, 0.010), smoothstep(0.06, 0.12, tone_light(s.albedo)));
        s.albedo = mix(s.albedo, ink, line);
        s.micro = mix(s.micro, 1.0, line);
    }
    vec3 c = light_on(s, n, visible, open);
    if ((bits & KARST_SKY) != 0) {
        c = air_between(c, -to_eye / dist, air_height(u_eye.y), air_height(v_at.y), dist);
    }
    o_colour = vec4(tone_map(c), 1.0);
}
