// A corner of a triangle of method bisect: its point where zone_bisect.comp.glsl put it, the rest from its piece.
layout(std430, binding = 1) readonly buffer Triangles { uint triangles[]; };  // karst_zone_triangle, six words each
layout(std430, binding = 5) readonly buffer Vertices { uvec4 vertices[]; };     // of method bisect a row a point

struct Corner {
    uvec4 drawn;  // of its point
    uint row;     // of the piece
    vec3 normal;
    vec2 st;
    float level;
};

// Of a finest vertex of a piece, before it moves; at tile corners between that of the finest cells and that of tiles.
vec3 facing_at(Piece piece, ivec2 v, float level) {
    int n = 1 << piece.tiles_log2;
    v = clamp(v, 0, 4 * n);
    bool has_fine = piece.fine != 0u, is_tile = ((v.x | v.y) & 3) == 0;
    vec3 fine = has_fine ? facing_vector(pool[piece.fine + uint(v.y * (4 * n + 1) + v.x)].w) : vec3(0.0);
    if (!is_tile) return fine;
    vec3 coarse = facing_vector(pool[piece.places + uint((v.y >> 2) * (n + 1) + (v.x >> 2))].w);
    return has_fine ? normalize(mix(fine, coarse, level * 0.25)) : coarse;
}

// Half the edge that vertex v halves.
ivec2 half_edge(ivec2 v) {
    int n = findLSB(v.x | v.y), s = 1 << n;
    ivec2 odd = v >> n & 1;
    if (odd.x + odd.y == 1) return odd * s;
    ivec2 square = v >> (n + 1);
    return ivec2(((square.x + square.y) & 1) != 0 ? -s : s, s);
}

Corner corner_of(int index) {
    uint at = 6u * (uint(index) / 3u), c = uint(index) % 3u;
    Corner k;
    k.drawn = vertices[triangles[at + c]];
    k.row = 0u, k.normal = vec3(0.0, 1.0, 0.0), k.st = vec2(0.0), k.level = 0.0;
    if (triangles[at] == triangles[at + 1u]) return k;  // a free one: no area
#ifdef KARST_PATCH_OWNS_EDGE  // the control of the crack test: of each fourth triangle corners are another place
    if ((at / 6u & 3u) == 0u) k.drawn.x = floatBitsToUint(uintBitsToFloat(k.drawn.x) + 0.3);
#endif
    uint place = triangles[at + 3u], words = triangles[at + 4u + (c >> 1u)] >> (16u * (c & 1u));
    ivec2 v = ivec2(words & 255u, words >> 8u & 255u);
    k.row = uint(n_zone[place & 0xFFFFu].w) + 3u * (place >> 16u);
    Piece piece = piece_at(k.row);
    k.st = (vec2(piece.tile_s, piece.tile_t) + vec2(v) * 0.25) / vec2(1 << piece.scale_s, 1 << piece.scale_t);
    k.level = float(2 * piece.tiles_log2 + 4) - float(triangles[at + 5u] >> 16u & 255u);
    vec2 moved = unpackHalf2x16(k.drawn.w);  // weight, distance
    float level = tile_level(piece.size, moved.y * moved.y);
    k.normal = facing_at(piece, v, level);
    if (moved.x > 0.0) {
        ivec2 d = half_edge(v);
        vec3 ends = facing_at(piece, v - d, level) + facing_at(piece, v + d, level);
        k.normal = normalize(mix(k.normal, ends, moved.x));
    }
    return k;
}
