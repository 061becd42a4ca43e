// SPDX-License-Identifier: MIT
// Check of the levels, from the finest up. A pass over a level needs the results of the level below and, through a
// small cache, the chunks above. What is found of a patch (its bounds and, for each stride 2^m, how far the surface
// of that stride is from the reference surface in it) is exact at level 0 and handed up as a maximum over 2 x 2.
//
// With P_m the surface of stride 2^m at equal (u, v), P_m - P_0 is linear on every reference triangle, so it is
// longest at a reference vertex. The half level, which a morph may hold between two, counts with the coarser one.
// Rest places cancel, so only displacements are interpolated. Vertices that touch holes alone are nobody's.
#include <math.h>
#include <stdlib.h>

#include "pack/check.h"

enum {
    PATCHES = KARST_CHUNK_PATCHES * KARST_CHUNK_PATCHES,
    CELLS = KARST_CHUNK_CELLS,
    SIDE = KARST_CHUNK_SIDE,
    STRIDES_MOST = KST_PACK_LEVELS_MAX + KARST_PATCH_LEVELS,
    EDGES = 4,  // x-, x+, z-, z+
    PARTS = 4,  // what is compared of an edge: vertices, normals, corners, shade
};

// A stated error may be less than the true one by what two roads of rounding differ.
static const double rounding = 1 + 0x1p-20;

typedef struct result {
    float error[PATCHES][STRIDES_MOST];  // of stride 2^m; below the level's own they no longer matter
    double box[PATCHES][6];              // of vertices that touch ground; min > max: none
    uint64_t hole[CELLS];
    uint64_t edge[EDGES][PARTS];
    bool there;  // read and looked into
} result;

// The results of one level, in the order of `chosen`, the sorted numbers of its chunks that are looked into.
typedef struct layer {
    size_t *chosen, count, room;
    struct turn *turns;  // of each, when it is its turn
    result *results;
} layer;

// Chunks are read in the order of their records, which hold four: by rows each record would be decoded twice.
typedef struct turn {
    uint64_t key;
    size_t at;  // in chosen
} turn;

// The last chunk of each level that a worker read.
typedef struct shelf {
    karst_chunk *chunk[KST_PACK_LEVELS_MAX];
    size_t index[KST_PACK_LEVELS_MAX];
    bool there[KST_PACK_LEVELS_MAX];
} shelf;

typedef struct walk {
    kst_checking *c;
    const kst_directory *d;
    int level, strides;
    bool displaced;
    layer *now, *below;
    shelf *shelves;
} walk;

static int compare_index(const void *key, const void *at) {
    size_t a = *(const size_t *)key, b = *(const size_t *)at;
    return (a > b) - (a < b);
}

static int compare_turn(const void *a, const void *b) {
    const turn *p = a, *q = b;
    return (p->key > q->key) - (p->key < q->key);
}

static void order_turns(layer *l, size_t across) {
    for (size_t i = 0; i < l->count; ++i) {
        uint64_t x = l->chosen[i] % across, z = l->chosen[i] / across;
        l->turns[i] = (turn){(z >> 1) << 32 | (x >> 1) << 2 | (z & 1) << 1 | (x & 1), i};
    }
    qsort(l->turns, l->count, sizeof *l->turns, compare_turn);
}

static const result *find(const layer *l, const kst_directory *d, int level, int32_t x, int32_t z) {
    if (!l || x < 0 || z < 0 || x >= d->chunks_x[level] || z >= d->chunks_z[level]) return NULL;
    size_t index = (size_t)z * (size_t)d->chunks_x[level] + (size_t)x;
    const size_t *at = bsearch(&index, l->chosen, l->count, sizeof index, compare_index);
    const result *r = at ? &l->results[at - l->chosen] : NULL;
    return r && r->there ? r : NULL;
}

// A chunk by way of the shelf; *out NULL when it cannot be read, which is for the checksums to tell.
static karst_status fetch(const walk *w, shelf *s, int level, int32_t x, int32_t z, const karst_chunk **out) {
    size_t index = (size_t)z * (size_t)w->d->chunks_x[level] + (size_t)x;
    if (!s->chunk[level]) {
        s->chunk[level] = kst_alloc(NULL, sizeof(karst_chunk));
        if (!s->chunk[level]) return KARST_ERROR_MEMORY;
        s->index[level] = SIZE_MAX;
    }
    if (s->index[level] != index) {
        karst_status status = karst_pack_read_chunk(w->c->pack, level, x, z, s->chunk[level]);
        if (status == KARST_ERROR_MEMORY) return status;
        s->index[level] = index;
        s->there[level] = status == KARST_OK;
    }
    *out = s->there[level] ? s->chunk[level] : NULL;
    return KARST_OK;
}

// ---- patches of level 0: bounds and distances --------------------------------------------------------

static void empty_box(double box[6]) {
    for (int a = 0; a < 3; ++a) box[a] = INFINITY, box[a + 3] = -INFINITY;
}
static void add_box(double box[6], const double other[6]) {
    for (int a = 0; a < 3; ++a) {
        box[a] = fmin(box[a], other[a]);
        box[a + 3] = fmax(box[a + 3], other[a + 3]);
    }
}

// Bit i of touch[j]: vertex (i, j) of the patch touches a cell of it that is ground.
static void touching(const karst_chunk *chunk, int px, int pz, uint32_t touch[KARST_PATCH_CELLS + 1]) {
    uint32_t above = 0;
    for (int j = 0; j <= KARST_PATCH_CELLS; ++j) {
        uint32_t here = 0;
        if (j < KARST_PATCH_CELLS)
            here = (uint32_t)(~chunk->hole[pz * KARST_PATCH_CELLS + j] >> (px * KARST_PATCH_CELLS)) & 0xffff;
        touch[j] = (above | here) | (above | here) << 1;
        above = here;
    }
}

static void bound_patch(const walk *w, const karst_chunk *chunk, int32_t x, int32_t z, int px, int pz,
                        const uint32_t *touch, double box[6]) {
    const karst_lattice *l = &w->d->lattice;
    empty_box(box);
    for (int j = 0; j <= KARST_PATCH_CELLS; ++j)
        for (int i = 0; i <= KARST_PATCH_CELLS; ++i) {
            if (!(touch[j] >> i & 1)) continue;
            int ci = px * KARST_PATCH_CELLS + i, cj = pz * KARST_PATCH_CELLS + j;
            karst_vertex v = chunk->vertex[cj * SIDE + ci];
            double at[3] = {((double)(x * CELLS + ci) * l->cell_steps + v.dx) * l->step_xz_m, v.y * l->step_y_m,
                            ((double)(z * CELLS + cj) * l->cell_steps + v.dz) * l->step_xz_m};
            add_box(box, (const double[6]){at[0], at[1], at[2], at[0], at[1], at[2]});
        }
}

typedef struct offset {  // of a vertex from rest [m]
    double x, y, z;
} offset;

static offset offset_of(const walk *w, const karst_chunk *chunk, int i, int j) {
    karst_vertex v = chunk->vertex[j * SIDE + i];
    const karst_lattice *l = &w->d->lattice;
    return (offset){v.dx * l->step_xz_m, v.y * l->step_y_m, v.dz * l->step_xz_m};
}

// Where (fx, fz) of a coarse cell with corners p[row][column] is on its two triangles.
static double on_cell(double p00, double p10, double p01, double p11, bool even, double fx, double fz) {
    if (even) return fx >= fz ? p00 + fx * (p10 - p00) + fz * (p11 - p10) : p00 + fz * (p01 - p00) + fx * (p11 - p01);
    return fx + fz <= 1 ? p00 + fx * (p10 - p00) + fz * (p01 - p00)
                        : p11 + (1 - fx) * (p01 - p11) + (1 - fz) * (p10 - p11);
}

// The same on the half level that a morph may hold: the cell keeps its centre and loses the middles of its edges.
static double on_half_cell(double p00, double p10, double p01, double p11, double centre, double fx, double fz) {
    double u = fx - 0.5, v = fz - 0.5, a = p00, b = p10, out = -v, along = u;  // upper triangle
    if (fabs(u) >= fabs(v)) {
        a = u > 0 ? p10 : p00;
        b = u > 0 ? p11 : p01;
        out = fabs(u);
        along = v;
    } else if (v > 0) {
        a = p01;
        b = p11;
        out = v;
    }
    return centre + 2 * out * ((a + b) / 2 - centre) + along * (b - a);
}

// A coarse cell: its corners 00, 10, 01, 11, its centre, and where the patch lies from it [cells].
typedef struct coarse_cell {
    offset corner[4], centre;
    bool even;  // the diagonal is 00-11
    int64_t column, row;
    double per;  // 1 / stride
} coarse_cell;

static double distance2(const coarse_cell *c, offset v, double fx, double fz, bool displaced, bool half) {
    const offset *p = c->corner;
    double dy = (half ? on_half_cell(p[0].y, p[1].y, p[2].y, p[3].y, c->centre.y, fx, fz)
                      : on_cell(p[0].y, p[1].y, p[2].y, p[3].y, c->even, fx, fz)) -
                v.y;
    if (!displaced) return dy * dy;
    double dx = (half ? on_half_cell(p[0].x, p[1].x, p[2].x, p[3].x, c->centre.x, fx, fz)
                      : on_cell(p[0].x, p[1].x, p[2].x, p[3].x, c->even, fx, fz)) -
                v.x;
    double dz = (half ? on_half_cell(p[0].z, p[1].z, p[2].z, p[3].z, c->centre.z, fx, fz)
                      : on_cell(p[0].z, p[1].z, p[2].z, p[3].z, c->even, fx, fz)) -
                v.z;
    return dx * dx + dy * dy + dz * dz;
}

// Largest squared distance among the vertices of a square of the patch, from (i0, j0) on, that lies in one coarse cell.
static double cell_distance2(const walk *w, const karst_chunk *chunk, const coarse_cell *c, int px, int pz, int i0,
                             int j0, int side, const uint32_t *touch) {
    double most = 0;
    for (int j = j0; j <= j0 + side; ++j)
        for (int i = i0; i <= i0 + side; ++i) {
            if (!(touch[j] >> i & 1)) continue;
            offset v = offset_of(w, chunk, px * KARST_PATCH_CELLS + i, pz * KARST_PATCH_CELLS + j);
            double fx = (double)(c->column + i) * c->per, fz = (double)(c->row + j) * c->per;
            most = fmax(most, distance2(c, v, fx, fz, w->displaced, false));
            most = fmax(most, distance2(c, v, fx, fz, w->displaced, true));
        }
    return most;
}

// The chunks over one chunk of level 0 that hold the vertices of strides 2^m and 2^(m - 1). Beyond the last level,
// every 2^k-th vertex of that one's is taken.
typedef struct over {
    int level;
    const karst_chunk *chunk;
} over;

static offset vertex_at(const walk *w, const over *o, int32_t x, int32_t z, int64_t column, int64_t row) {
    int i = (int)((column >> o->level) - (int64_t)(x >> o->level) * CELLS);
    int j = (int)((row >> o->level) - (int64_t)(z >> o->level) * CELLS);
    return offset_of(w, o->chunk, i, j);
}

// How far the surface of stride 2^m, and the half level below it, is from the reference in one patch.
static float patch_distance(const walk *w, const karst_chunk *chunk, const over *coarse, const over *finer, int m,
                            int32_t x, int32_t z, int px, int pz, const uint32_t *touch) {
    int64_t left = (int64_t)x * CELLS + px * KARST_PATCH_CELLS, top = (int64_t)z * CELLS + pz * KARST_PATCH_CELLS;
    int64_t stride = (int64_t)1 << m;
    int side = m < 4 ? 1 << m : KARST_PATCH_CELLS;  // of what one coarse cell has of the patch
    double most = 0;
    for (int j = 0; j < KARST_PATCH_CELLS; j += side)
        for (int i = 0; i < KARST_PATCH_CELLS; i += side) {
            int64_t column = (left + i) >> m << m, row = (top + j) >> m << m;
            coarse_cell c = {{vertex_at(w, coarse, x, z, column, row), vertex_at(w, coarse, x, z, column + stride, row),
                              vertex_at(w, coarse, x, z, column, row + stride),
                              vertex_at(w, coarse, x, z, column + stride, row + stride)},
                             vertex_at(w, finer, x, z, column + stride / 2, row + stride / 2),
                             !(((column >> m) + (row >> m)) & 1),
                             left - column,
                             top - row,
                             1.0 / (double)stride};
            most = fmax(most, cell_distance2(w, chunk, &c, px, pz, i, j, side, touch));
        }
    return (float)sqrt(most);
}

static karst_status measure_patches(const walk *w, shelf *s, const karst_chunk *chunk, int32_t x, int32_t z,
                                    result *out) {
    uint32_t touch[PATCHES][KARST_PATCH_CELLS + 1];
    for (int p = 0; p < PATCHES; ++p) {
        touching(chunk, p % KARST_CHUNK_PATCHES, p / KARST_CHUNK_PATCHES, touch[p]);
        bound_patch(w, chunk, x, z, p % KARST_CHUNK_PATCHES, p / KARST_CHUNK_PATCHES, touch[p], out->box[p]);
    }
    over finer = {0, chunk};
    for (int m = 1; m < w->strides; ++m) {
        over coarse = {m < w->d->level_count ? m : w->d->level_count - 1, chunk};
        karst_status status = KARST_OK;
        if (coarse.level) status = fetch(w, s, coarse.level, x >> coarse.level, z >> coarse.level, &coarse.chunk);
        if (status) return status;
        for (int p = 0; coarse.chunk && finer.chunk && p < PATCHES; ++p)
            out->error[p][m] = patch_distance(w, chunk, &coarse, &finer, m, x, z, p % KARST_CHUNK_PATCHES,
                                              p / KARST_CHUNK_PATCHES, touch[p]);
        finer = coarse;
    }
    return KARST_OK;
}

// A coarser chunk's patch is 2 x 2 of the children's.
static void gather_patches(const walk *w, int32_t x, int32_t z, result *out) {
    for (int p = 0; p < PATCHES; ++p) empty_box(out->box[p]);
    for (int child = 0; child < 4; ++child) {
        const result *r = find(w->below, w->d, w->level - 1, 2 * x + (child & 1), 2 * z + (child >> 1));
        for (int p = 0; r && p < PATCHES; ++p) {
            int px = (child & 1) * 2 + p % KARST_CHUNK_PATCHES / 2, pz = (child >> 1) * 2 + p / KARST_CHUNK_PATCHES / 2;
            int to = pz * KARST_CHUNK_PATCHES + px;
            add_box(out->box[to], r->box[p]);
            for (int m = 0; m < w->strides; ++m) out->error[to][m] = fmaxf(out->error[to][m], r->error[p][m]);
        }
    }
}

// ---- what a chunk states -----------------------------------------------------------------------------

static bool holds(const float low[3], const float high[3], const double box[6]) {
    for (int a = 0; a < 3; ++a)
        if (!(low[a] <= box[a] && box[a + 3] <= high[a])) return false;
    return true;
}

static void check_corners(const walk *w, kst_tally *tally, const karst_chunk *chunk, const result *r, int32_t x,
                          int32_t z, uint64_t key) {
    const karst_chunk_corners *k = &chunk->corners;
    for (int p = 0; p < PATCHES; ++p)
        for (int corner = 0; corner < 4; ++corner) {
            int px = p % KARST_CHUNK_PATCHES, pz = p / KARST_CHUNK_PATCHES;
            int c = (pz + (corner >> 1)) * KARST_CHUNK_CORNERS + px + (corner & 1);
            const float low[3] = {k->min_x[c], k->min_y[c], k->min_z[c]};
            const float high[3] = {k->max_x[c], k->max_y[c], k->max_z[c]};
            bool empty = r->box[p][0] > r->box[p][3];
            if (!kst_check_try(&tally[KST_CHECK_BOUNDS], empty || holds(low, high, r->box[p])))
                kst_check_fail(&tally[KST_CHECK_BOUNDS], key,
                               "level %d chunk (%d, %d): box of corner (%d, %d) leaves out part of patch (%d, %d)",
                               w->level, x, z, c % KARST_CHUNK_CORNERS, c / KARST_CHUNK_CORNERS, px, pz);
            for (int e = 0; e <= KARST_PATCH_LEVELS; ++e) {
                double is = r->error[p][w->level + e];
                if (!kst_check_try(&tally[KST_CHECK_ERRORS], k->error[e][c] * rounding >= is))
                    kst_check_fail(&tally[KST_CHECK_ERRORS], key,
                                   "level %d chunk (%d, %d): corner (%d, %d) says %.9g m of level %d, true is %.9g m",
                                   w->level, x, z, c % KARST_CHUNK_CORNERS, c / KARST_CHUNK_CORNERS,
                                   (double)k->error[e][c], w->level + e, is);
            }
        }
    for (int c = 0; c < KARST_CORNER_COUNT; ++c) {
        bool grows = true;
        for (int e = 1; e <= KARST_PATCH_LEVELS; ++e) grows &= k->error[e][c] >= 1.25f * k->error[e - 1][c];
        if (!kst_check_try(&tally[KST_CHECK_ERRORS], grows))
            kst_check_fail(&tally[KST_CHECK_ERRORS], key,
                           "level %d chunk (%d, %d): errors of corner (%d, %d) do not grow by a quarter a level",
                           w->level, x, z, c % KARST_CHUNK_CORNERS, c / KARST_CHUNK_CORNERS);
    }
}

static bool box_in_box(const float low[3], const float high[3], const float in_low[3], const float in_high[3]) {
    for (int a = 0; a < 3; ++a)
        if (!(low[a] <= in_low[a] && in_high[a] <= high[a])) return false;
    return true;
}

// Bounds and node of a chunk against itself and against the nodes below.
static void check_node(const walk *w, kst_tally *tally, const karst_chunk *chunk, const result *r, int32_t x, int32_t z,
                       uint64_t key) {
    size_t number = w->d->first[w->level] + (size_t)z * (size_t)w->d->chunks_x[w->level] + (size_t)x;
    const karst_node *node = &w->d->nodes[number];
    const float *bounds = w->d->chunk_bounds[number];
    double all[6];
    empty_box(all);
    for (int p = 0; p < PATCHES; ++p) add_box(all, r->box[p]);
    bool empty = all[0] > all[3];
    if (!kst_check_try(&tally[KST_CHECK_BOUNDS], empty || holds(bounds, bounds + 3, all)))
        kst_check_fail(&tally[KST_CHECK_BOUNDS], key, "level %d chunk (%d, %d): its bounds leave out a vertex",
                       w->level, x, z);
    float most = 0;
    for (int c = 0; c < KARST_CORNER_COUNT; ++c) most = fmaxf(most, chunk->corners.error[0][c]);
    if (!kst_check_try(&tally[KST_CHECK_ERRORS], node->error >= most))
        kst_check_fail(&tally[KST_CHECK_ERRORS], key,
                       "level %d chunk (%d, %d): node says %.9g m, a corner in it %.9g m", w->level, x, z,
                       (double)node->error, (double)most);
    for (int child = 0; w->level > 0 && child < 4; ++child) {
        int32_t cx = 2 * x + (child & 1), cz = 2 * z + (child >> 1);
        if (cx >= w->d->chunks_x[w->level - 1] || cz >= w->d->chunks_z[w->level - 1]) continue;
        const karst_node *below =
            &w->d->nodes[w->d->first[w->level - 1] + (size_t)cz * (size_t)w->d->chunks_x[w->level - 1] + (size_t)cx];
        bool none = below->reach_min[0] > below->reach_max[0];
        if (!kst_check_try(&tally[KST_CHECK_BOUNDS],
                           none || box_in_box(node->reach_min, node->reach_max, below->reach_min, below->reach_max)))
            kst_check_fail(&tally[KST_CHECK_BOUNDS], key,
                           "level %d chunk (%d, %d): reach leaves out that of (%d, %d) below", w->level, x, z, cx, cz);
        if (!kst_check_try(&tally[KST_CHECK_ERRORS], node->error >= below->error))
            kst_check_fail(&tally[KST_CHECK_ERRORS], key,
                           "level %d chunk (%d, %d): node says %.9g m, that of (%d, %d) below %.9g m", w->level, x, z,
                           (double)node->error, cx, cz, (double)below->error);
    }
}

// ---- holes and coverage by their bits ------------------------------------------------------------------

// The bits that a chunk should have at the least (and, when all below is known, exactly).
static bool expected_holes(const walk *w, int32_t x, int32_t z, uint64_t want[CELLS]) {
    bool known = true;
    for (int child = 0; child < 4; ++child) {
        int32_t cx = 2 * x + (child & 1), cz = 2 * z + (child >> 1);
        bool outside = cx >= w->d->chunks_x[w->level - 1] || cz >= w->d->chunks_z[w->level - 1];
        const result *r = find(w->below, w->d, w->level - 1, cx, cz);
        known &= r || outside;
        for (int j = 0; j < CELLS / 2; ++j) {
            uint64_t pairs = outside ? UINT64_MAX : r ? r->hole[2 * j] | r->hole[2 * j + 1] : 0, half = 0;
            pairs |= pairs >> 1;
            for (int i = 0; i < CELLS / 2; ++i) half |= (pairs >> (2 * i) & 1) << i;
            int row = (child >> 1) * CELLS / 2 + j;
            want[row] = (child & 1 ? want[row] : 0) | half << (child & 1 ? CELLS / 2 : 0);
        }
    }
    return known;
}

static void check_hole_bits(const walk *w, kst_tally *tally, const karst_chunk *chunk, int32_t x, int32_t z,
                            uint64_t key) {
    uint64_t want[CELLS];
    bool known = expected_holes(w, x, z, want), right = true;
    for (int j = 0; j < CELLS; ++j) right &= known ? chunk->hole[j] == want[j] : (chunk->hole[j] & want[j]) == want[j];
    if (!kst_check_try(&tally[KST_CHECK_HOLES], right))
        kst_check_fail(&tally[KST_CHECK_HOLES], key,
                       "level %d chunk (%d, %d): hole bits are not those of the level below", w->level, x, z);
}

// Cells beyond the field are holes, so that nothing there is drawn or met.
static void check_outside(const walk *w, kst_tally *tally, const karst_chunk *chunk, int32_t x, int32_t z,
                          uint64_t key) {
    int64_t columns = ((int64_t)w->d->lattice.shape.columns - 1) >> w->level;  // whole cells inside
    int64_t rows = ((int64_t)w->d->lattice.shape.rows - 1) >> w->level;
    bool good = true;
    for (int j = 0; j < CELLS; ++j)
        for (int i = 0; i < CELLS; ++i)
            if ((int64_t)x * CELLS + i >= columns || (int64_t)z * CELLS + j >= rows) good &= chunk->hole[j] >> i & 1;
    if (!kst_check_try(&tally[KST_CHECK_COVERAGE], good))
        kst_check_fail(&tally[KST_CHECK_COVERAGE], key, "level %d chunk (%d, %d): a cell beyond the field is no hole",
                       w->level, x, z);
}

// ---- borders -------------------------------------------------------------------------------------------

// Vertices beyond the field repeat the first one that is not inside.
static void check_padding(const walk *w, kst_tally *tally, const karst_chunk *chunk, int32_t x, int32_t z,
                          uint64_t key) {
    int64_t stride = (int64_t)1 << w->level;
    int64_t last_i = ((int64_t)w->d->lattice.shape.columns - 1 + stride - 1) / stride - (int64_t)x * CELLS;
    int64_t last_j = ((int64_t)w->d->lattice.shape.rows - 1 + stride - 1) / stride - (int64_t)z * CELLS;
    if (last_i >= CELLS && last_j >= CELLS) return;
    bool good = true;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            int from = (int)((j < last_j ? j : last_j) * SIDE + (i < last_i ? i : last_i));
            good &= !memcmp(&chunk->vertex[j * SIDE + i], &chunk->vertex[from], sizeof(karst_vertex));
        }
    if (!kst_check_try(&tally[KST_CHECK_BORDERS], good))
        kst_check_fail(&tally[KST_CHECK_BORDERS], key,
                       "level %d chunk (%d, %d): a vertex beyond the field is not the last one stepped on", w->level, x,
                       z);
}

static void hash_edges(const karst_chunk *chunk, result *out) {
    static const int first[EDGES][2] = {{0, 0}, {1, 0}, {0, 0}, {0, 1}};  // in sides, then along the other axis
    for (int e = 0; e < EDGES; ++e) {
        karst_vertex vertex[SIDE];
        uint16_t normal[SIDE];
        float corner[KARST_CHUNK_CORNERS][6 + KARST_PATCH_LEVELS + 1];
        uint8_t shade[KARST_HALF_SIDE][2];
        for (int t = 0; t < KARST_HALF_SIDE; ++t) {
            int i = e < 2 ? first[e][0] * CELLS / 2 : t, j = e < 2 ? t : first[e][1] * CELLS / 2;
            shade[t][0] = chunk->occlusion[j * KARST_HALF_SIDE + i];
            shade[t][1] = chunk->transparency[j * KARST_HALF_SIDE + i];
        }
        for (int t = 0; t < SIDE; ++t) {
            int i = e < 2 ? first[e][0] * CELLS : t, j = e < 2 ? t : first[e][1] * CELLS;
            vertex[t] = chunk->vertex[j * SIDE + i];
            normal[t] = chunk->normal[j * SIDE + i];
        }
        for (int t = 0; t < KARST_CHUNK_CORNERS; ++t) {
            int i = e < 2 ? first[e][0] * KARST_CHUNK_PATCHES : t, j = e < 2 ? t : first[e][1] * KARST_CHUNK_PATCHES;
            const karst_chunk_corners *k = &chunk->corners;
            int c = j * KARST_CHUNK_CORNERS + i;
            const float box[6] = {k->min_x[c], k->min_y[c], k->min_z[c], k->max_x[c], k->max_y[c], k->max_z[c]};
            memcpy(corner[t], box, sizeof box);
            for (int level = 0; level <= KARST_PATCH_LEVELS; ++level) corner[t][6 + level] = k->error[level][c];
        }
        out->edge[e][0] = kst_hash(vertex, sizeof vertex, 0);
        out->edge[e][1] = kst_hash(normal, sizeof normal, 0);
        out->edge[e][2] = kst_hash(corner, sizeof corner, 0);
        out->edge[e][3] = kst_hash(shade, sizeof shade, 0);
    }
}

static void check_parent(const walk *w, kst_tally *tally, const karst_chunk *chunk, const karst_chunk *parent,
                         int32_t x, int32_t z, uint64_t key) {
    enum { HALF = KARST_HALF_SIDE };
    int i0 = (x & 1) * CELLS / 2, j0 = (z & 1) * CELLS / 2, bad = -1;
    for (int j = 0; j <= CELLS / 2; ++j)
        for (int i = 0; i <= CELLS / 2; ++i) {
            int here = 2 * j * SIDE + 2 * i, there = (j0 + j) * SIDE + i0 + i;
            bool same = !memcmp(&chunk->vertex[here], &parent->vertex[there], sizeof(karst_vertex)) &&
                        chunk->normal[here] == parent->normal[there];
            if (i % 2 == 0 && j % 2 == 0) {
                int half = j * HALF + i, half_there = (j0 + j) / 2 * HALF + (i0 + i) / 2;
                same &= chunk->occlusion[half] == parent->occlusion[half_there] &&
                        chunk->transparency[half] == parent->transparency[half_there];
            }
            if (!same && bad < 0) bad = here;
        }
    if (!kst_check_try(&tally[KST_CHECK_BORDERS], bad < 0))
        kst_check_fail(&tally[KST_CHECK_BORDERS], key,
                       "level %d chunk (%d, %d): vertex (%d, %d) differs from its parent's", w->level, x, z, bad % SIDE,
                       bad / SIDE);
}

// ---- passes --------------------------------------------------------------------------------------------

static karst_status look_into(const walk *w, shelf *s, kst_tally *tally, size_t index, result *out) {
    const kst_directory *d = w->d;
    int32_t x = (int32_t)(index % (size_t)d->chunks_x[w->level]), z = (int32_t)(index / (size_t)d->chunks_x[w->level]);
    uint64_t key = kst_check_key(w->level, KST_PASS_LOOK, index);
    memset(out, 0, sizeof *out);
    const karst_chunk *chunk, *parent = NULL;
    karst_status status = fetch(w, s, w->level, x, z, &chunk);
    if (status || !chunk) return status;
    if (w->level + 1 < d->level_count) status = fetch(w, s, w->level + 1, x / 2, z / 2, &parent);
    if (status) return status;
    memcpy(out->hole, chunk->hole, sizeof out->hole);
    hash_edges(chunk, out);
    if (w->level)
        gather_patches(w, x, z, out);
    else
        status = measure_patches(w, s, chunk, x, z, out);
    if (status) return status;
    out->there = true;
    check_corners(w, tally, chunk, out, x, z, key);
    check_node(w, tally, chunk, out, x, z, key);
    if (w->level) check_hole_bits(w, tally, chunk, x, z, key);
    check_outside(w, tally, chunk, x, z, key);
    check_padding(w, tally, chunk, x, z, key);
    if (parent) check_parent(w, tally, chunk, parent, x, z, key);
    return KARST_OK;
}

static karst_status look_range(int begin, int end, int worker, void *context) {
    walk *w = context;
    karst_status status = KARST_OK;
    for (int i = begin; i < end && !status; ++i) {
        size_t at = w->now->turns[i].at;
        status = look_into(w, &w->shelves[worker], w->c->tally[worker], w->now->chosen[at], &w->now->results[at]);
    }
    kst_check_ease(w->c);
    return status;
}

// What needs the neighbours of the same level: edges, and reach and error of a node over two rings of patches.
static void check_edges(const walk *w, kst_tally *tally, const result *r, int32_t x, int32_t z, uint64_t key) {
    static const char *const part_names[PARTS] = {"vertices", "normals", "corners", "occlusion or opacity"};
    for (int side = 0; side < 2; ++side) {
        int32_t nx = x + (side == 0), nz = z + (side == 1);
        const result *other = find(w->now, w->d, w->level, nx, nz);
        for (int part = 0; other && part < PARTS; ++part)
            if (!kst_check_try(&tally[KST_CHECK_BORDERS], r->edge[2 * side + 1][part] == other->edge[2 * side][part]))
                kst_check_fail(&tally[KST_CHECK_BORDERS], key,
                               "level %d chunks (%d, %d) and (%d, %d): %s of their edge differ", w->level, x, z, nx, nz,
                               part_names[part]);
    }
}

static void check_rings(const walk *w, kst_tally *tally, int32_t x, int32_t z, uint64_t key) {
    const karst_node *node =
        &w->d->nodes[w->d->first[w->level] + (size_t)z * (size_t)w->d->chunks_x[w->level] + (size_t)x];
    for (int pz = -2; pz < KARST_CHUNK_PATCHES + 2; ++pz)
        for (int px = -2; px < KARST_CHUNK_PATCHES + 2; ++px) {
            int qx = px + KARST_CHUNK_PATCHES, qz = pz + KARST_CHUNK_PATCHES;  // from the chunk before
            const result *r =
                find(w->now, w->d, w->level, x + qx / KARST_CHUNK_PATCHES - 1, z + qz / KARST_CHUNK_PATCHES - 1);
            if (!r) continue;
            int p = qz % KARST_CHUNK_PATCHES * KARST_CHUNK_PATCHES + qx % KARST_CHUNK_PATCHES;
            bool empty = r->box[p][0] > r->box[p][3];
            if (!kst_check_try(&tally[KST_CHECK_BOUNDS], empty || holds(node->reach_min, node->reach_max, r->box[p])))
                kst_check_fail(&tally[KST_CHECK_BOUNDS], key,
                               "level %d chunk (%d, %d): reach leaves out patch (%d, %d) round it", w->level, x, z, px,
                               pz);
            if (!kst_check_try(&tally[KST_CHECK_ERRORS], node->error * rounding >= (double)r->error[p][w->level]))
                kst_check_fail(&tally[KST_CHECK_ERRORS], key,
                               "level %d chunk (%d, %d): node says %.9g m, patch (%d, %d) round it is %.9g m off",
                               w->level, x, z, (double)node->error, px, pz, (double)r->error[p][w->level]);
        }
}

static karst_status join_range(int begin, int end, int worker, void *context) {
    walk *w = context;
    for (int i = begin; i < end; ++i) {
        size_t index = w->now->chosen[i], across = (size_t)w->d->chunks_x[w->level];
        int32_t x = (int32_t)(index % across), z = (int32_t)(index / across);
        if (!w->now->results[i].there) continue;
        uint64_t key = kst_check_key(w->level, KST_PASS_JOIN, index);
        check_edges(w, w->c->tally[worker], &w->now->results[i], x, z, key);
        check_rings(w, w->c->tally[worker], x, z, key);
    }
    return KARST_OK;
}

// The grid of a level covers the field, and would not without its last column or row.
static void check_grid(const walk *w) {
    const kst_directory *d = w->d;
    int64_t side = (int64_t)CELLS << w->level;
    const int64_t cells[2] = {(int64_t)d->lattice.shape.columns - 1, (int64_t)d->lattice.shape.rows - 1};
    const int64_t chunks[2] = {d->chunks_x[w->level], d->chunks_z[w->level]};
    for (int axis = 0; axis < 2; ++axis)
        if (!kst_check_try(&w->c->tally[0][KST_CHECK_COVERAGE],
                           chunks[axis] * side >= cells[axis] && (chunks[axis] - 1) * side < cells[axis]))
            kst_check_fail(&w->c->tally[0][KST_CHECK_COVERAGE], kst_check_key(w->level, KST_PASS_SUM, 0),
                           "level %d: %lld chunks along %c do not fit the field", w->level, (long long)chunks[axis],
                           axis ? 'z' : 'x');
}

// The holes of level 0 number what the directory says.
static void check_hole_count(const walk *w) {
    const kst_directory *d = w->d;
    if (w->now->count != (size_t)d->chunks_x[0] * (size_t)d->chunks_z[0]) return;
    uint64_t inside = 0, cells = (uint64_t)(d->lattice.shape.columns - 1) * (uint64_t)(d->lattice.shape.rows - 1);
    for (size_t i = 0; i < w->now->count; ++i) {
        if (!w->now->results[i].there) return;
        for (int j = 0; j < CELLS; ++j) inside += (uint64_t)(CELLS - __builtin_popcountll(w->now->results[i].hole[j]));
    }
    kst_tally *tally = &w->c->tally[0][KST_CHECK_COVERAGE];
    if (!kst_check_try(tally, inside + d->hole_count == cells))
        kst_check_fail(tally, kst_check_key(0, KST_PASS_SUM, 0),
                       "%llu cells of ground and %llu holes do not make %llu cells", (unsigned long long)inside,
                       (unsigned long long)d->hole_count, (unsigned long long)cells);
}

// Parents of the chunks of the layer below, or for level 0 the chunks chosen by the caller.
static karst_status open_layer(const walk *w, layer *out) {
    const size_t *from = w->level ? w->below->chosen : w->c->chosen;
    size_t count = w->level ? w->below->count : w->c->chosen_count;
    *out = (layer){.room = count};
    out->chosen = kst_alloc_array(NULL, out->room, sizeof *out->chosen);
    if (!out->chosen) return KARST_ERROR_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        size_t across = w->level ? (size_t)w->d->chunks_x[w->level - 1] : 1;
        out->chosen[i] =
            w->level ? from[i] / across / 2 * (size_t)w->d->chunks_x[w->level] + from[i] % across / 2 : from[i];
    }
    qsort(out->chosen, count, sizeof *out->chosen, compare_index);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (!kept || out->chosen[kept - 1] != out->chosen[i]) out->chosen[kept++] = out->chosen[i];
    out->count = kept;
    out->results = kst_alloc_array(NULL, kept, sizeof *out->results);
    out->turns = kst_alloc_array(NULL, kept, sizeof *out->turns);
    if (!out->results || !out->turns) return KARST_ERROR_MEMORY;
    order_turns(out, (size_t)w->d->chunks_x[w->level]);
    return KARST_OK;
}

static void close_layer(layer *l) {
    kst_free(NULL, l->chosen, l->room * sizeof *l->chosen);
    kst_free(NULL, l->results, l->count * sizeof *l->results);
    kst_free(NULL, l->turns, l->count * sizeof *l->turns);
    *l = (layer){0};
}

static karst_status check_level(walk *w) {
    const int levels = w->d->level_count;
    // The lower half of the levels is nearly all of the work.
    double from = w->level ? 1 - pow(0.25, w->level) : 0, to = w->level + 1 < levels ? 1 - pow(0.25, w->level + 1) : 1;
    karst_status status = open_layer(w, w->now);
    if (!status)
        status = kst_jobs_run(w->c->jobs, (int)w->now->count, 16, look_range, w, w->c->progress, "levels", from, to);
    if (!status) status = kst_jobs_run(w->c->jobs, (int)w->now->count, 16, join_range, w, NULL, "levels", to, to);
    if (status) return status;
    check_grid(w);
    if (!w->level) check_hole_count(w);
    return KARST_OK;
}

karst_status kst_check_levels(kst_checking *c) {
    const kst_directory *d = &c->pack->directory;
    int workers = karst_jobs_worker_count(c->jobs);
    layer layers[2] = {0};
    walk w = {.c = c, .d = d, .strides = d->level_count + KARST_PATCH_LEVELS};
    w.displaced = d->reach_x_steps || d->reach_z_steps;
    w.shelves = kst_alloc_zero(NULL, (size_t)workers * sizeof *w.shelves);
    karst_status status = w.shelves ? KARST_OK : KARST_ERROR_MEMORY;
    for (w.level = 0; w.level < d->level_count && !status; ++w.level) {
        w.now = &layers[w.level & 1];
        w.below = w.level ? &layers[~w.level & 1] : NULL;
        close_layer(w.now);
        status = check_level(&w);
    }
    close_layer(&layers[0]);
    close_layer(&layers[1]);
    for (int i = 0; w.shelves && i < workers; ++i)
        for (int level = 0; level < KST_PACK_LEVELS_MAX; ++level)
            kst_free(NULL, w.shelves[i].chunk[level], sizeof(karst_chunk));
    kst_free(NULL, w.shelves, (size_t)workers * sizeof *w.shelves);
    return status;
}
