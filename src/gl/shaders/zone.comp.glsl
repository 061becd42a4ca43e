// Vertices of an instance of zones, morphed: the twin of karst_zone_frame_expand() in src/lod/zone_shape.c; a change
// here is a change there. A group an instance: places, then from coarse to fine each vertex from ones that are done,
// then what borders snap to. See docs/patch.md, Levels.
layout(local_size_x = 64) in;

layout(std430, binding = 1) readonly buffer Instances { uvec4 instances[]; };  // row of piece, tile and form, zone, out
layout(std430, binding = 3) readonly buffer Levels { float levels[]; };
layout(std430, binding = 4) readonly buffer Tables { uint tables[]; };  // 1,280 first bytes, then the bytes
layout(std430, binding = 5) writeonly buffer Vertices { uvec4 vertices[]; };

const uint WHOLE = 0xFFFFu, FINEST = 0xFFFEu;
const int TABLE_WORDS = 5 * 2 * 4 * 4 * 8;

shared vec3 q[17 * 17];
shared vec3 normal[17 * 17];
shared float span_level[32];  // 8 a side
shared float corner_level[4];
shared int s_first[32];       // of the bytes of a span's dependence
shared float inside;

Piece piece;
int log2n, cells, row, pattern;
uint tile;
bool is_odd;

int spans_log2(int side) { return tile == WHOLE ? int(piece.spans_log2 >> uint(2 * side) & 3u) : 0; }

// Levels of the spans, by thread 8 side + span.
void level_whole(int thread, ivec4 zone) {
    int side = thread >> 3, k = thread & 7;
    if (thread >= 32 || k >= 1 << spans_log2(side)) return;
    uvec4 span = pool[piece.spans[side] + uint(k)];
    float most = float(2 * (log2n - spans_log2(side)));
    span_level[thread] = min(min(levels[zone.w + int(span.x)], levels[zone.w + int(span.y)]), most);
}

void level_tile(int thread, ivec4 zone) {
    const ivec4 from = ivec4(0, 1, 3, 0), to = ivec4(1, 2, 2, 3);
    int n = 1 << piece.tiles_log2, i = int(tile & 15u), j = int(tile >> 4u);
    ivec4 border = ivec4(j == 0, i == n - 1, j == n - 1, i == 0);
    ivec4 corner = j * (n + 1) + i + ivec4(0, 1, n + 2, n + 1);
    if (thread >= 4) return;
    ivec3 a = zone.xyz + ivec3(pool[piece.places + uint(corner[from[thread]])].xyz);
    ivec3 b = zone.xyz + ivec3(pool[piece.places + uint(corner[to[thread]])].xyz);
    int size = piece.size;
    if (border[thread] != 0) {
        int at = ((thread & 1) != 0 ? j : i) >> (piece.tiles_log2 - int(piece.spans_log2 >> uint(2 * thread) & 3u));
        size = int(pool[piece.spans[thread] + uint(at)].z);
    }
    span_level[8 * thread] = min(tile_level(size, distance2(a)), tile_level(size, distance2(b)));
    corner_level[thread] = tile_level(piece.size, distance2(zone.xyz + ivec3(pool[piece.places + uint(corner[thread])].xyz)));
}

float weight(float level, int k) { return clamp(level - float(k), 0.0, 1.0); }

int byte_at(int at) { return int(tables[TABLE_WORDS + (at >> 2)] >> uint(8 * (at & 3)) & 255u); }

int side_of(ivec2 v) { return v.y == 0 ? 0 : v.x == cells ? 1 : v.y == cells ? 2 : v.x == 0 ? 3 : -1; }

float weight_of(ivec2 v, int at, int k_own) {
    int side = side_of(v);
    if (side >= 0) {
        int per = cells >> spans_log2(side), along = (side & 1) != 0 ? v.y : v.x;
        return along % per != 0 ? weight(span_level[8 * side + along / per], k_own) : 0.0;
    }
    float w = weight(inside, k_own);
    for (int s = 0; s < 4; ++s)
        for (int k = 0; k < 1 << spans_log2(s); ++k) {
            float level = span_level[8 * s + k];
            if (level > inside) w = max(w, weight(level, byte_at(s_first[8 * s + k] + at)));
        }
    return w;
}

void move(ivec2 v, int n, bool is_side) {
    int s = 1 << n, at = v.y * row + v.x;
    ivec2 d = is_side ? (v.x >> n & 1) != 0 ? ivec2(s, 0) : ivec2(0, s) : ivec2(s, s);
    if (!is_side) {
        int odd = n == log2n - 1 ? int(is_odd) : ((v.x - s) / (2 * s) + (v.y - s) / (2 * s)) & 1;
        if (odd != 0) d.x = -s;
    }
    float w = weight_of(v, at, 2 * n + (is_side ? 0 : 1));
    if (w <= 0.0) return;
    int a = (v.y - d.y) * row + v.x - d.x, b = (v.y + d.y) * row + v.x + d.x;
    vec3 p = q[at];
    KARST_PRECISE vec3 m = 0.5 * (q[a] + q[b]);
    KARST_PRECISE vec3 moved = p + w * (m - p);
    q[at] = w >= 1.0 ? m : moved;
    normal[at] = normalize(mix(normal[at], normal[a] + normal[b], w));
}

int snapped(ivec2 v) {
    int at = v.y * row + v.x, side = side_of(v);
    if (side < 0) return at;
    int per = cells >> spans_log2(side), along = (side & 1) != 0 ? v.y : v.x, r = along % per;
    if (r == 0) return at;
    int t = 1 << int((span_level[8 * side + along / per] + 1.0) * 0.5);
    int to = along - r + ((r + t / 2) & ~(t - 1));
    return (side & 1) != 0 ? to * row + v.x : v.y * row + to;
}

void put(uint at, vec3 place, vec3 n, vec2 in_patch, float level, uint row_of_piece) {
    uvec2 st = uvec2(in_patch * 65535.0 + 0.5);
    vertices[2u * at] = uvec4(floatBitsToUint(place), facing_word(n));
    vertices[2u * at + 1u] = uvec4(st.x | st.y << 16u, 0u, row_of_piece, floatBitsToUint(level));
}

void main() {
    int thread = int(gl_LocalInvocationID.x), index = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    if (index >= n_counts.z) return;
    uvec4 instance = instances[index];
    piece = piece_at(instance.x);
    tile = instance.y & 0xFFFFu;
    pattern = int(instance.y >> 16u & 255u);
    log2n = int(instance.y >> 24u);
    cells = 1 << log2n;
    row = cells + 1;
    ivec4 zone = n_zone[instance.z];
    int count = row * row, n_tiles = 1 << piece.tiles_log2;
    ivec2 first = ivec2(tile & 15u, tile >> 4u);  // tile of the piece
    if (tile >= FINEST) first = ivec2(0);
    vec2 scale = vec2(1 << piece.scale_s, 1 << piece.scale_t), tile_at = vec2(piece.tile_s, piece.tile_t) + vec2(first);
    float cell = tile == WHOLE ? 1.0 : 0.25;
    if (tile == FINEST) {
        for (int at = thread; at < count; at += 64) {
            uvec4 v = pool[piece.fine + uint(at)];
            vec2 along = vec2(at % row, at / row);
            put(instance.w + uint(at), drawn_at(ivec3(v.xyz) + zone.xyz), facing_vector(v.w),
                (tile_at + along * cell) / scale, 0.0, instance.x);
        }
        return;
    }
    is_odd = tile != WHOLE && ((first.x + first.y) & 1) != 0;
    if (tile == WHOLE)
        level_whole(thread, zone);
    else
        level_tile(thread, zone);
    if (thread < 32)
        s_first[thread] = int(tables[(((log2n * 2 + int(is_odd)) * 4 + (thread >> 3)) * 4 + spans_log2(thread >> 3)) * 8 +
                                     (thread & 7)]);
    barrier();
    if (thread == 0) {
        inside = tile == WHOLE ? float(2 * log2n) : min(min(corner_level[0], corner_level[1]), min(corner_level[2], corner_level[3]));
        for (int side = 0; side < 4 && tile == WHOLE; ++side)
            for (int k = 0; k < 1 << spans_log2(side); ++k) inside = min(inside, span_level[8 * side + k]);
    }
#ifdef KARST_PATCH_OWNS_EDGE  // the control of the crack test
    barrier();
    if (thread < 32) span_level[thread] = inside;
#endif
    int finest = min(pattern >> 1, log2n), stride = (1 << finest) - 1;  // what the pattern leaves out is not touched
    for (int at = thread; at < count; at += 64) {
        ivec2 v = ivec2(at % row, at / row);
        if (((v.x | v.y) & stride) != 0) continue;
        uvec4 p;
        if (tile == WHOLE) {
            p = pool[piece.places + uint(at)];
        } else {
            ivec2 fine = first * 4 + v;
            p = pool[piece.fine + uint(fine.y * (4 * n_tiles + 1) + fine.x)];
        }
        q[at] = drawn_at(ivec3(p.xyz) + zone.xyz);
        normal[at] = facing_vector(p.w);
        if (tile != WHOLE && (v.x & 3) == 0 && (v.y & 3) == 0) {
            // From the finest normals to those of whole pieces.
            ivec2 c = first + (v >> 2);
            vec3 coarse = facing_vector(pool[piece.places + uint(c.y * (n_tiles + 1) + c.x)].w);
            float level = corner_level[v.y == 0 ? v.x >> 2 : 3 - (v.x >> 2)];
            normal[at] = normalize(mix(normal[at], coarse, level * 0.25));
        }
    }
    barrier();
    for (int n = log2n - 1; n >= finest; --n)
        for (int pass = 0; pass < 2; ++pass) {  // middles of squares, then of their sides
            if (pass == 0 || n != finest || (pattern & 1) == 0)
                for (int at = thread; at < count; at += 64) {
                    ivec2 v = ivec2(at % row, at / row);
                    ivec2 odd = v >> n & 1;
                    if (((v.x | v.y) & ((1 << n) - 1)) == 0 && odd.x + odd.y == 2 - pass) move(v, n, pass == 1);
                }
            barrier();
        }
    for (int at = thread; at < count; at += 64) {
        ivec2 v = ivec2(at % row, at / row);
        if (((v.x | v.y) & stride) != 0) continue;
        int to = snapped(v);
        vec2 along = vec2(to % row, to / row);
        put(instance.w + uint(at), q[to], normal[to], (tile_at + along * cell) / scale,
            tile == WHOLE ? 4.0 + inside : inside, instance.x);
    }
}
