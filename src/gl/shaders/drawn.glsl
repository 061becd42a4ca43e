// Where a vertex of a patch is drawn: the twin of karst_frame_expand() in src/lod/patch.c, line by line alike; a
// change here is a change there. See docs/lod.md. GLSL ES 3.00 has no recursion, so the places of a vertex's parents
// come from five functions, each calling the next: a parent vanishes at a higher level than its child.

uniform highp usampler2DArray u_words;     // chunks in their resident form, karst/resident.h: rows of 256 words
uniform highp isampler2D u_chunks;         // two texels a row: (offset, level), (column, row, slot, row of words)
uniform highp usampler2D u_depend;         // 17 x 17 of the lowest levels depended on at the edges z-, x+, z+, x-

// The patch at work.
int g_row;       // of its chunk in u_chunks
ivec4 g_chunk;   // offset, level
ivec2 g_first;   // its vertex (0, 0) in the chunk
int g_words;     // its chunk's first word
int g_parity;
vec4 g_corner;   // levels of the corners
vec4 g_edge;     // levels of the edges z-, x+, z+, x-
float g_inner;
uvec4 g_form;    // the first words of the form
int g_bits, g_records;  // bits a vertex; the word where the vertices begin
const uint DISPLACED = 1u << 24, OCCLUSION = 1u << 25, TRANSPARENCY = 1u << 26;

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

int width(int shift, uint mask) { return int((g_form.x >> shift) & mask); }

void begin_form() {
    g_form = uvec4(word(0), word(1), word(2), word(3));
    g_bits = width(0, 63u) + width(6, 31u) + width(11, 31u) + width(16, 15u) + width(20, 15u);
    g_records = (g_form.x & DISPLACED) != 0u ? 166 : 85;
}

int first_bit(ivec2 at) { return 32 * g_records + (at.y * 65 + at.x) * g_bits; }

// The bilinear surface through the corners of the form's table; sums wrap.
uint blend(uvec4 w, uvec4 c) {
    uvec4 s = w * c;
    return uint(int(s.x + s.y + s.z + s.w + 32u) >> 6);
}

// (y, dz << 16 | dx) of a vertex of the patch, as karst_resident_read() has them.
ivec2 stored(ivec2 v) {
    ivec2 at = g_first + v, cell = min(at >> 3, 7), f = at - (cell << 3), g = 8 - f;
    uvec4 w = uvec4(g.x * g.y, f.x * g.y, g.x * f.y, f.x * f.y);
    int corner = 4 + cell.y * 9 + cell.x, bit = first_bit(at), y = width(0, 63u);
    uvec4 c = uvec4(word(corner), word(corner + 1), word(corner + 9), word(corner + 10));
    ivec2 s = ivec2(int(blend(w, c) + g_form.y + bits_at(bit, y)), 0);
    if ((g_form.x & DISPLACED) != 0u) {
        corner += 81;
        c = uvec4(word(corner), word(corner + 1), word(corner + 9), word(corner + 10));
        int x = width(6, 31u);
        uint dx = blend(w, uvec4(ivec4(c << 16) >> 16)) + g_form.z + bits_at(bit + y, x);
        uint dz = blend(w, uvec4(ivec4(c) >> 16)) + (g_form.z >> 16) + bits_at(bit + y + x, width(11, 31u));
        s.y = int(dz << 16 | (dx & 0xFFFFu));
    }
    return s;
}

// Relative to the frame's origin: integers are added exactly, then one rounding each.
vec3 place_of(ivec2 v) {
    ivec2 s = stored(v);
    int stride = u_lattice.x << g_chunk.w;
    ivec3 at = g_chunk.xyz + ivec3((g_first.x + v.x) * stride + ((s.y << 16) >> 16), s.x,
                                   (g_first.y + v.y) * stride + (s.y >> 16));
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
    KARST_PRECISE vec3 q = p + w * (0.5 * (a + b) - p);
    return q;
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
    int x = width(16, 15u), bit = first_bit(g_first + v) + width(0, 63u) + width(6, 31u) + width(11, 31u);
    uvec2 code = uvec2(g_form.w + bits_at(bit, x), (g_form.w >> 8) + bits_at(bit + x, width(20, 15u))) & 255u;
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
    return normal;
}

// The mean of a byte of the four even vertices round one, which coincide where it is even. first: word of the bytes
float half_at(ivec2 v, int first) {
    ivec2 at = g_first + v;
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
        ivec2 h = (at + ivec2(k & 1, k >> 1)) >> 1;
        int b = h.y * 33 + h.x;
        sum += int((word(first + (b >> 2)) >> (8 * (b & 3))) & 255u);
    }
    return float(sum) * (1.0 / 1020.0);
}

// Occlusion and opacity, as karst_resident_read() has them.
vec2 stored_shade(ivec2 v) {
    int occlusion = g_records + ((4225 * g_bits + 31) >> 5), transparency = occlusion;
    vec2 shade = vec2(0.0, 1.0);
    if ((g_form.x & OCCLUSION) != 0u) {
        shade.x = half_at(v, occlusion);
        transparency += 273;
    }
    if ((g_form.x & TRANSPARENCY) != 0u) shade.y = 1.0 - half_at(v, transparency);
    return shade;
}

// Goes over as the normal does.
vec2 shade_of(ivec2 v) {
    vec2 shade = stored_shade(v);
    int n = vanish_level(v);
    float w = n == 4 ? 0.0 : weight_of(v, n);
    if (w > 0.0 && (g_form.x & (OCCLUSION | TRANSPARENCY)) != 0u) {
        ivec2 d = half_edge(v, n);
        shade = mix(shade, 0.5 * (stored_shade(v - d) + stored_shade(v + d)), w);
    }
    return shade;
}
