// Where the net takes the place of a field, its look goes over to the field's own toward the seam: the two grounds meet
// in one colour and one light, as they do in one line of vertices.
uniform bool u_beside;  // the pack has seams

const float BESIDE_M = 24.0;  // how far that reaches, or the width of a patch of the field

// 1 on the seam, 0 away from it, and where the ground is not that of the field any more.
float beside_share(vec3 at, vec3 n) {
    vec2 uv = map_uv(at.xz), cell = uv * vec2(u_lattice.yz), block = floor(cell / 16.0);
    float cell_m = 1.0 / (u_place.z * float(u_lattice.y)), least = 16.0;  // [cells]
    for (int k = 0; k < 9; ++k) {
        vec2 other = block + vec2(k % 3 - 1, k / 3 - 1);
        if (is_hole(ivec2(other) * 16 + 8)) continue;
        vec2 past = max(max(other * 16.0 - cell, cell - other * 16.0 - 16.0), 0.0);
        least = min(least, length(past));
    }
    float share = 1.0 - smoothstep(0.0, min(16.0, BESIDE_M / cell_m), least);
    if (share <= 0.0) return 0.0;
    float off = abs(at.y - map_height(uv));
    return share * (1.0 - smoothstep(1.5 + cell_m, 4.0 + 3.0 * cell_m, off)) * smoothstep(-0.2, 0.1, n.y);
}

// The field's surface at a place, as ground.frag.glsl has it. n: of the vertices, becomes that it is lit with. foot:
// metres a pixel covers.
Surface beside_surface(vec3 at, float foot, inout vec3 n, out float open) {
    vec2 uv = map_uv(at.xz);
    float lod = log2(max(foot / u_land.y, 1.0));
    vec4 relief = textureLod(u_relief_map, uv, lod);
    float to_vertex = (u_lattice.w & KARST_MAP_NORMALS) != 0 ? 0.0 : 1.0 - smoothstep(0.35, 1.0, foot / u_land.y);
    to_vertex = max(to_vertex, 1.0 - smoothstep(0.15, 0.35, n.y));
    n = normalize(mix(map_normal_lod(uv, lod), n, to_vertex));
    open = relief.x;
    return surface_at(at, n, relief, foot);
}
