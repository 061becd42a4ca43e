// What the device has of zones: see ../zones.h, which fills it. A row is 16 bytes.
layout(std430, binding = 0) readonly buffer Pool { uvec4 pool[]; };

// A piece, three rows: (first row of its places, of its fine vertices, form, place in the patch),
// (first row of the spans of its sides), (first row of its tiles).
struct Piece {
    uint places, fine;
    int tiles_log2, size, scale_s, scale_t, tile_s, tile_t;  // scale: log2 of the tiles of the patch
    uint spans_log2;                                         // two bits a side
    uvec4 spans;
};

Piece piece_at(uint row) {
    uvec4 a = pool[row];
    Piece p;
    p.places = a.x;
    p.fine = a.y;
    p.tiles_log2 = int(a.z & 7u);
    p.size = int(a.z >> 8u & 255u);
    p.spans_log2 = a.z >> 16u & 255u;
    p.scale_s = int(a.w & 15u);
    p.scale_t = int(a.w >> 4u & 15u);
    p.tile_s = int(a.w >> 8u & 255u);
    p.tile_t = int(a.w >> 16u & 255u);
    p.spans = pool[row + 1u];
    return p;
}

// A unit vector from its octahedral form, in a word.
vec3 facing_vector(uint word) {
    vec2 a = vec2(ivec2(int(word << 16u) >> 16, int(word) >> 16)) / 32767.0;
    float y = 1.0 - abs(a.x) - abs(a.y);
    if (y < 0.0) a = (1.0 - abs(a.yx)) * vec2(a.x < 0.0 ? -1.0 : 1.0, a.y < 0.0 ? -1.0 : 1.0);
    return normalize(vec3(a.x, y, a.y));
}

uint facing_word(vec3 n) {
    vec2 a = n.xz / (abs(n.x) + abs(n.y) + abs(n.z));
    if (n.y < 0.0) a = (1.0 - abs(a.yx)) * vec2(a.x < 0.0 ? -1.0 : 1.0, a.y < 0.0 ? -1.0 : 1.0);
    ivec2 i = ivec2(round(clamp(a, -1.0, 1.0) * 32767.0));
    return (uint(i.x) & 0xFFFFu) | uint(i.y) << 16u;
}
