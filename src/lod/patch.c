// SPDX-License-Identifier: MIT
// The shape of a patch, and the CPU twin of the vertex shader (src/gl/shaders). Line by line alike; a change here is a
// change there. See docs/lod.md.
#include <math.h>
#include <pthread.h>

#include "lod.h"
#include "scene.h"

enum { CELLS = KARST_PATCH_CELLS, SIDE = CELLS + 1, TOP = KARST_PATCH_LEVELS, NONE = 99 };

// Lattices: stride 1, 2, 4, 8, and 16 with its two diagonals. 6 * (512 + 128 + 32 + 8 + 2 + 2) / ... indices.
enum { INDEX_TOTAL = 3 * (512 + 128 + 32 + 8 + 2 + 2) };
static uint16_t indices[INDEX_TOTAL];
static const int index_first[KARST_LATTICE_COUNT + 1] = {0, 1536, 1920, 2016, 2040, 2046, 2052};
static uint8_t depend[4][SIDE][SIDE];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_indices(void) {
    uint16_t *out = indices;
    for (int lattice = 0; lattice < KARST_LATTICE_COUNT; ++lattice) {
        int step = lattice < TOP ? 1 << lattice : CELLS;
        for (int j = 0; j < CELLS; j += step)
            for (int i = 0; i < CELLS; i += step) {
                bool odd = lattice < TOP ? ((i + j) / step) & 1 : lattice == TOP + 1;
                int a = j * SIDE + i, b = a + step, c = a + step * SIDE, d = c + step;
                // Counter-clockwise from above (Y up, x right, z toward the viewer).
                int even_order[6] = {a, c, d, a, d, b}, odd_order[6] = {a, c, b, b, c, d};
                for (int k = 0; k < 6; ++k) *out++ = (uint16_t)(odd ? odd_order[k] : even_order[k]);
            }
    }
}

// The two ends of the edge that vertex (i, j) of level n halves, and for an inner vertex the two others it depends on.
// parity: of the patch, decides the diagonal of the cell that is the whole patch.
typedef struct parents {
    int ai, aj, bi, bj, ci, cj, di, dj;
} parents;

static parents parents_of(int i, int j, int n, int parity) {
    int s = 1 << n;
    bool oi = (i >> n) & 1, oj = (j >> n) & 1;
    if (oi && oj) {  // centre of a coarser cell: halves its diagonal
        int odd = n == TOP - 1 ? parity : ((i >> (n + 1)) + (j >> (n + 1))) & 1;
        int d = odd ? -s : s;
        return (parents){i - d, j - s, i + d, j + s, i + d, j - s, i - d, j + s};
    }
    int di = oi ? s : 0, dj = oi ? 0 : s;
    return (parents){i - di, j - dj, i + di, j + dj, i - dj, j - di, i + dj, j + di};
}

static bool on_edge(int e, int i, int j) {
    return e == 0 ? j == 0 : e == 1 ? i == CELLS : e == 2 ? j == CELLS : i == 0;
}

static void make_depend(void) {
    memset(depend, NONE, sizeof depend);
    for (int e = 0; e < 4; ++e)
        for (int n = TOP; n >= 0; --n)
            for (int pass = 0; pass < 2; ++pass)  // centres, then halved edges, which depend on centres
                for (int j = 0; j < SIDE; ++j)
                    for (int i = 0; i < SIDE; ++i) {
                        if (kst_vanish_level(i, j) != n) continue;
                        if (on_edge(e, i, j)) {
                            depend[e][j][i] = (uint8_t)n;
                            continue;
                        }
                        bool border = i == 0 || j == 0 || i == CELLS || j == CELLS;
                        bool centre = n < TOP && (i >> n & 1) && (j >> n & 1);
                        if (n == TOP || border || centre != (pass == 0)) continue;
                        parents p = parents_of(i, j, n, 0);
                        uint8_t c = depend[e][p.cj][p.ci], d = depend[e][p.dj][p.di];
                        depend[e][j][i] = c < d ? c : d;
                    }
}

static void make_tables(void) {
    make_indices();
    make_depend();
}

const uint16_t *karst_patch_indices(int lattice, int *count) {
    KARST_ASSERT(lattice >= 0 && lattice < KARST_LATTICE_COUNT);
    pthread_once(&once, make_tables);
    *count = index_first[lattice + 1] - index_first[lattice];
    return indices + index_first[lattice];
}

const uint8_t *karst_patch_depend(void) {
    pthread_once(&once, make_tables);
    return &depend[0][0][0];
}

int kst_patch_lattice(const float l[4], int parity) {
    int stride = (int)kst_less(kst_less(l[0], l[1]), kst_less(l[2], l[3]));
    return stride < TOP ? stride : TOP + parity;
}

// ---- the twin ------------------------------------------------------------------------------------

typedef struct shape {
    const karst_frame *frame;
    const karst_frame_chunk *place;
    const karst_vertex *vertices;  // of the chunk
    int first_i, first_j;          // of the patch in the chunk
    int parity;
    float edge[4], inner;  // levels: z-, x+, z+, x-
    float w[SIDE][SIDE];
    karst_vec3 at[SIDE][SIDE];
} shape;

static float weight(float level, int n) {
    float w = level - (float)n;
    return w < 0 ? 0 : w > 1 ? 1 : w;
}

// Where the chunk's vertex lies, relative to the camera: integers are added exactly, then one rounding each.
static karst_vec3 place_of(const shape *s, int i, int j) {
    const karst_lattice *lattice = &s->frame->lattice;
    karst_vertex v = s->vertices[(s->first_j + j) * KARST_CHUNK_SIDE + s->first_i + i];
    int stride = lattice->cell_steps << s->place->level;
    int stride_x = s->place->mirror_x ? -stride : stride, stride_z = s->place->mirror_z ? -stride : stride;
    int x = s->place->offset[0] + (s->first_i + i) * stride_x + v.dx;
    int y = s->place->offset[1] + v.y;
    int z = s->place->offset[2] + (s->first_j + j) * stride_z + v.dz;
    float step_xz = (float)lattice->step_xz_m, step_y = (float)lattice->step_y_m;
    return (karst_vec3){(float)x * step_xz - s->frame->fraction.x, (float)y * step_y - s->frame->fraction.y,
                        (float)z * step_xz - s->frame->fraction.z};
}

static float weight_of(const shape *s, int i, int j, int n) {
    if (j == 0) return weight(s->edge[0], n);
    if (i == CELLS) return weight(s->edge[1], n);
    if (j == CELLS) return weight(s->edge[2], n);
    if (i == 0) return weight(s->edge[3], n);
    float w = weight(s->inner, n);
    for (int e = 0; e < 4; ++e) {
        float we = weight(s->edge[e], depend[e][j][i]);
        if (we > w) w = we;
    }
    return w;
}

// At the end the middle itself: as toward_middle() in zone_shape.c has it, bit for bit.
static float toward(float p, float a, float b, float w) {
    float m = 0.5f * (a + b);
    return w >= 1 ? m : p + w * (m - p);
}

// lattice: of the patch; it has no vertices that vanish below its stride.
static void draw_vertices(shape *s, int lattice) {
    for (int n = TOP; n >= (lattice < TOP ? lattice : TOP); --n)  // parents first
        for (int j = 0; j < SIDE; j += 1 << n)
            for (int i = 0; i < SIDE; i += 1 << n) {
                if (kst_vanish_level(i, j) != n) continue;
                karst_vec3 p = place_of(s, i, j);
                float w = n == TOP ? 0 : weight_of(s, i, j, n);
                if (w > 0) {
                    parents q = parents_of(i, j, n, s->parity);
                    karst_vec3 a = s->at[q.aj][q.ai], b = s->at[q.bj][q.bi];
                    p = (karst_vec3){toward(p.x, a.x, b.x, w), toward(p.y, a.y, b.y, w), toward(p.z, a.z, b.z, w)};
                }
                s->at[j][i] = p;
                s->w[j][i] = w;
            }
}

static int snap(int i, float level) {
    int t = 1 << (int)level;
    return (i + t / 2) & ~(t - 1);
}

static karst_drawn_vertex drawn(const shape *s, int i, int j) {
    int level = s->place->level;
    return (karst_drawn_vertex){s->at[j][i], (float)(s->place->column + ((s->first_i + i) << level)),
                                (float)(s->place->row + ((s->first_j + j) << level))};
}

int karst_frame_expand(const karst_frame *frame, const karst_scene *scene, int patch, karst_drawn_vertex *out) {
    pthread_once(&once, make_tables);
    const karst_patch *p = &frame->patches[patch];
    shape s = {.frame = frame,
               .place = &frame->chunks[p->chunk_index],
               .vertices = kst_scene_chunk(scene, p->slot)->vertex,
               .first_i = p->patch_x * CELLS,
               .first_j = p->patch_z * CELLS};
    const float *l = p->corner_level;
    s.edge[0] = kst_less(l[0], l[1]);
    s.edge[1] = kst_less(l[1], l[2]);
    s.edge[2] = kst_less(l[2], l[3]);
    s.edge[3] = kst_less(l[3], l[0]);
    s.inner = kst_less(s.edge[0], s.edge[2]);
    s.parity = ((s.place->column >> s.place->level) / CELLS + (s.place->row >> s.place->level) / CELLS + p->patch_x +
                p->patch_z) &
               1;
    int count, triangles = 0, lattice = kst_patch_lattice(l, s.parity);
    draw_vertices(&s, lattice);
    const uint16_t *index = karst_patch_indices(lattice, &count);
    for (int k = 0; k < count; k += 3) {
        int i[3], j[3];
        for (int c = 0; c < 3; ++c) {
            i[c] = index[k + c] % SIDE;
            j[c] = index[k + c] / SIDE;
            int x = i[c], z = j[c];
            if (z == 0) i[c] = snap(x, s.edge[0]);
            if (z == CELLS) i[c] = snap(x, s.edge[2]);
            if (x == CELLS) j[c] = snap(z, s.edge[1]);
            if (x == 0) j[c] = snap(z, s.edge[3]);
        }
        int area = (i[1] - i[0]) * (j[2] - j[0]) - (i[2] - i[0]) * (j[1] - j[0]);
        if (area == 0) continue;                               // collapsed by a snap
        bool turned = s.place->mirror_x != s.place->mirror_z;  // counter-clockwise from above all the same
        for (int c = 0; c < 3; ++c) out[3 * triangles + (turned ? 2 - c : c)] = drawn(&s, i[c], j[c]);
        ++triangles;
    }
    return triangles;
}
