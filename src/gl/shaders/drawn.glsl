// Where a vertex of a patch is drawn: the twin of karst_frame_expand() in src/lod/patch.c, line by line alike; a
// change here is a change there. See docs/lod.md. GLSL ES 3.00 has no recursion, so the places of a vertex's parents
// come from five functions, each calling the next: a parent vanishes at a higher level than its child.

uniform highp usampler2DArray u_words;     // chunks in their resident form, karst/resident.h: rows of 256 words
uniform highp isampler2D u_chunks;         // two texels a row: (offset, level), (column, row, slot, row of words)
                                           // + 256 beside the level: mirrored along x, + 512: along z
                                           // + 65536 beside the slot: finer chunks are awaited
uniform highp usampler2D u_depend;         // 17 x 17 of the lowest levels depended on at the edges z-, x+, z+, x-

// The patch at work.
int g_row;       // of its chunk in u_chunks
ivec4 g_chunk;   // offset, level
ivec2 g_mirror;  // -1 along an axis in the skirt, else 1
ivec2 g_first;   // its vertex (0, 0) in the chunk
int g_words;     // its chunk's first word
int g_parity;
vec4 g_corner;   // levels of the corners
vec4 g_edge;     // levels of the edges z-, x+, z+, x-
float g_inner;
uint g_form;     // the first word of its form
int g_tables;    // words of a form before its normals
const uint DISPLACED = 1u << 16, OCCLUSION = 1u << 17, TRANSPARENCY = 1u << 18;

uint word(int at) {
    int a = g_words + at;
    return texelFetch(u_words, ivec3(a & 255, (a >> 8) & 1023, a >> 18), 0).x;
}

uint bits_at(int bit, int count) {
    if (count == 0) return 0u;
    int at = bit >> 5, shift = bit & 31;
    uint v = word(at) >> shift;
    if (shift + count > 32) v |= word(at + 1) << (32 - shift);
    return count == 32 ? v : v & ((1u << count) - 1u);
}

void begin_form() {
    g_form = word(0);
    g_tables = (g_form & DISPLACED) != 0u ? 163 : 82;
}

// A vertex in its block of the form.
struct Block {
    ivec2 at;     // from its vertex (0, 0)
    int corner;   // that one in the tables
    uvec2 head;
    int vertices, record;  // of its own; bits of one
    int data;     // its first bit
    int bit;      // of the vertex
};

int width(uvec2 head, int shift, uint mask) { return int((head.x >> shift) & mask); }

Block block_of(ivec2 v) {
    Block b;
    ivec2 at = g_first + v, block = min(at >> 3, 7), size = 8 + max(block - 6, 0);
    b.at = at - (block << 3);
    b.corner = block.y * 9 + block.x;
    int head = g_tables + 81 + 2 * (block.y * 8 + block.x);
    b.head = uvec2(word(head), word(head + 1));
    b.vertices = size.x * size.y;
    b.record = width(b.head, 0, 63u) + width(b.head, 6, 31u) + width(b.head, 11, 31u) + width(b.head, 16, 15u) +
               width(b.head, 20, 15u);
    b.data = 32 * int(b.head.y & 0x3FFFu);
    b.bit = b.data + (b.at.y * size.x + b.at.x) * b.record;
    return b;
}

uvec4 corners(int table, int corner) {
    int c = table + corner;
    return uvec4(word(c), word(c + 1), word(c + 9), word(c + 10));
}

// The bilinear surface through the corners c of a block plus the code at a bit less its base; all of it wraps.
uint component(uvec4 c, ivec2 at, int bit, int bits, int base) {
    ivec2 rest = 8 - at;
    uint sum = uint(at.x * rest.y) * (c.y - c.x) + uint(rest.x * at.y) * (c.z - c.x) + uint(at.x * at.y) * (c.w - c.x);
    uint less = bits < 3 ? uint(base >> (3 - bits)) : uint(base) << (bits - 3);
    return c.x + uint(int(sum + 32u) >> 6) + bits_at(bit, bits) - less;
}

int base(uvec2 head, int shift) { return int((head.y >> shift) & 7u); }

// (y, dz << 16 | dx) of a vertex of the patch, as karst_resident_read() has them.
ivec2 stored(ivec2 v) {
    Block b = block_of(v);
    int y = width(b.head, 0, 63u), x = width(b.head, 6, 31u);
    ivec2 s = ivec2(int(component(corners(1, b.corner), b.at, b.bit, y, base(b.head, 15))), 0);
    if ((g_form & DISPLACED) != 0u) {
        uvec4 c = corners(82, b.corner);
        uint dx = component(uvec4(ivec4(c << 16) >> 16), b.at, b.bit + y, x, base(b.head, 18));
        uint dz = component(uvec4(ivec4(c) >> 16), b.at, b.bit + y + x, width(b.head, 11, 31u), base(b.head, 21));
        s.y = int(dz << 16 | (dx & 0xFFFFu));
    }
    return s;
}

// Relative to the frame's origin: integers are added exactly, then one rounding each.
vec3 place_of(ivec2 v) {
    ivec2 s = stored(v);
    ivec2 stride = g_mirror * (u_lattice.x << g_chunk.w);
    ivec3 at = g_chunk.xyz + ivec3((g_first.x + v.x) * stride.x + ((s.y << 16) >> 16), s.x,
                                   (g_first.y + v.y) * stride.y + (s.y >> 16));
    KARST_PRECISE vec3 p = vec3(at) * vec3(u_eye.w, u_fraction.w, u_eye.w) - u_fraction.xyz;
    return p;
}

int vanish_level(ivec2 v) {
    int m = v.x | v.y;
    return (m & 1) != 0 ? 0 : (m & 2) != 0 ? 1 : (m & 4) != 0 ? 2 : (m & 8) != 0 ? 3 : 4;
}

float weight(float level, int n) { return clamp(level - float(n), 0.0, 1.0); }

float weight_of(ivec2 v, int n) {
    if (v.y == 0) return weight(g_edge.x, n);
    if (v.x == 16) return weight(g_edge.y, n);
    if (v.y == 16) return weight(g_edge.z, n);
    if (v.x == 0) return weight(g_edge.w, n);
    vec4 e = clamp(g_edge - vec4(texelFetch(u_depend, v, 0)), 0.0, 1.0);
    return max(weight(g_inner, n), max(max(e.x, e.y), max(e.z, e.w)));
}

// The two ends of the edge that vertex v of level n halves are v - d and v + d.
ivec2 half_edge(ivec2 v, int n) {
    int s = 1 << n;
    bool oi = ((v.x >> n) & 1) != 0, oj = ((v.y >> n) & 1) != 0;
    if (oi && oj) {
        int odd = n == 3 ? g_parity : ((v.x >> (n + 1)) + (v.y >> (n + 1))) & 1;
        return ivec2(odd != 0 ? -s : s, s);
    }
    return oi ? ivec2(s, 0) : ivec2(0, s);
}

vec3 toward(vec3 p, vec3 a, vec3 b, float w) {
    KARST_PRECISE vec3 m = 0.5 * (a + b);
    KARST_PRECISE vec3 q = p + w * (m - p);
    return w >= 1.0 ? m : q;
}

#define KARST_DRAWN(NAME, PARENT)                                   \
    vec3 NAME(ivec2 v) {                                            \
        vec3 p = place_of(v);                                       \
        int n = vanish_level(v);                                    \
        float w = n == 4 ? 0.0 : weight_of(v, n);                   \
        if (w > 0.0) {                                              \
            ivec2 d = half_edge(v, n);                              \
            p = toward(p, PARENT(v - d), PARENT(v + d), w);         \
        }                                                           \
        return p;                                                   \
    }
#ifdef KARST_SHALLOW
// For patches none of whose edges is more than one level above the stride: the parents of what moves stand still.
KARST_DRAWN(drawn_0, place_of)
#else
KARST_DRAWN(drawn_3, place_of)
KARST_DRAWN(drawn_2, drawn_3)
KARST_DRAWN(drawn_1, drawn_2)
KARST_DRAWN(drawn_0, drawn_1)
#endif

int snap(int i, float level) {
    int t = 1 << int(level);
    return (i + t / 2) & ~(t - 1);
}

// What karst_patch says: its place in the chunk, row of the chunk, levels of the corners.
void begin_patch(ivec2 place, int row, vec4 corner) {
    g_row = row;
    g_chunk = texelFetch(u_chunks, ivec2(0, row), 0);
    g_mirror = 1 - ((ivec2(g_chunk.w) >> ivec2(7, 8)) & 2);
    g_chunk.w &= 255;
    g_first = place * 16;
    g_words = texelFetch(u_chunks, ivec2(1, row), 0).w * 256;
    begin_form();
    g_corner = corner;
    g_edge = min(corner.xyzw, corner.yzwx);
    g_inner = min(g_edge.x, g_edge.z);
    g_parity = (place.x + place.y) & 1;  // a chunk is four patches wide, so its own parity is even
#ifdef KARST_PATCH_OWNS_EDGE
    g_edge = vec4(g_inner);  // the control of the crack test: this must leak
#endif
}

// A vertex of the inner lattice, moved along its edge to where the edge has one.
ivec2 on_edges(ivec2 v) {
    ivec2 s = v;
    if (v.y == 0) s.x = snap(v.x, g_edge.x);
    if (v.y == 16) s.x = snap(v.x, g_edge.z);
    if (v.x == 16) s.y = snap(v.y, g_edge.y);
    if (v.x == 0) s.y = snap(v.y, g_edge.w);
    return s;
}

vec3 stored_normal(ivec2 v) {
    Block b = block_of(v);
    uvec4 c = corners(g_tables, b.corner);
    int x = width(b.head, 16, 15u), z = width(b.head, 20, 15u), bit = b.bit + b.record - x - z;
    uvec2 code = uvec2(component(c & 255u, b.at, bit, x, base(b.head, 24)),
                       component((c >> 8) & 255u, b.at, bit + x, z, base(b.head, 27))) & 255u;
    vec2 o = max((vec2(code) - 128.0) / 127.0, -1.0);
    float y = 1.0 - abs(o.x) - abs(o.y);
    vec2 folded = o - vec2(o.x >= 0.0 ? -y : y, o.y >= 0.0 ? -y : y);
    return normalize(vec3(y < 0.0 ? folded.x : o.x, y, y < 0.0 ? folded.y : o.y));
}

// Goes over to its parents' normals as the vertex goes over to their middle.
vec3 normal_of(ivec2 v) {
    vec3 normal = stored_normal(v);
    int n = vanish_level(v);
    float w = n == 4 ? 0.0 : weight_of(v, n);
    if (w > 0.0) {
        ivec2 d = half_edge(v, n);
        normal = mix(normal, normalize(stored_normal(v - d) + stored_normal(v + d)), w);
    }
    return normal * vec3(g_mirror.x, 1, g_mirror.y);
}

// The mean of the four even vertices round one, which coincide where it is even. first: bit of the first even vertex
float even_at(Block b, uvec4 c, int first, int bits, int stride) {
    uint sum = 0u;
    for (int k = 0; k < 4; ++k) {
        ivec2 e = (b.at + ivec2(k & 1, k >> 1)) >> 1;
        sum += component(c, 2 * e, first + (e.y * 5 + e.x) * stride, bits, 4) & 255u;
    }
    return float(int(sum)) * (1.0 / 1020.0);
}

// Occlusion and opacity, as karst_resident_read() has them.
vec2 stored_shade(ivec2 v) {
    if ((g_form & (OCCLUSION | TRANSPARENCY)) == 0u) return vec2(0.0, 1.0);
    Block b = block_of(v);
    uvec4 c = corners(g_tables, b.corner);
    int o = width(b.head, 24, 15u), t = width(b.head, 28, 15u), first = b.data + b.vertices * b.record;
    vec2 shade = vec2(0.0, 1.0);
    if ((g_form & OCCLUSION) != 0u) shade.x = even_at(b, (c >> 16) & 255u, first, o, o + t);
    if ((g_form & TRANSPARENCY) != 0u) shade.y = 1.0 - even_at(b, c >> 24, first + o, t, o + t);
    return shade;
}

// Goes over as the normal does.
vec2 shade_of(ivec2 v) {
    vec2 shade = stored_shade(v);
    int n = vanish_level(v);
    float w = n == 4 ? 0.0 : weight_of(v, n);
    if (w > 0.0 && (g_form & (OCCLUSION | TRANSPARENCY)) != 0u) {
        ivec2 d = half_edge(v, n);
        shade = mix(shade, 0.5 * (stored_shade(v - d) + stored_shade(v + d)), w);
    }
    return shade;
}
