// SPDX-License-Identifier: MIT
// Levels of patch corners: rules 1 and 4 of docs/lod.md.
//
// Chunks that share a corner hold the same numbers for it and find the same chunks round it, so each computes the
// same bits and none asks another.
#include <math.h>

#include "lod.h"

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t ilanes __attribute__((vector_size(32)));
enum { LANES = 8, GROUPS = KARST_CORNER_LANES / LANES };

#define SELECT(mask, a, b) ((lanes)(((ilanes)(a) & (mask)) | ((ilanes)(b) & ~(mask))))
#define LESS(a, b) SELECT((a) < (b), a, b)
#define MORE(a, b) SELECT((a) > (b), a, b)

// The vectors stay inside one function each (no calls pass them), so both twins are this code.

// Own level of each corner, and the square of its distance from the nearest eye in units of allowed error: the
// allowed error at the corner [m].
KST_TWINS static void own_levels(const karst_chunk_corners *c, const kst_eye *eyes, int eye_count, float *levels,
                                 float *allowed) {
    for (int g = 0; g < GROUPS; ++g) {
        const size_t at = (size_t)g * LANES;
        lanes min_x, min_y, min_z, max_x, max_y, max_z, e[KARST_PATCH_LEVELS + 1], zero = {0};
        memcpy(&min_x, c->min_x + at, sizeof min_x);
        memcpy(&min_y, c->min_y + at, sizeof min_y);
        memcpy(&min_z, c->min_z + at, sizeof min_z);
        memcpy(&max_x, c->max_x + at, sizeof max_x);
        memcpy(&max_y, c->max_y + at, sizeof max_y);
        memcpy(&max_z, c->max_z + at, sizeof max_z);
        for (int k = 0; k <= KARST_PATCH_LEVELS; ++k) memcpy(&e[k], c->error[k] + at, sizeof e[k]);
        lanes least = zero + INFINITY;
        for (int v = 0; v < eye_count; ++v) {
            lanes x0 = min_x - eyes[v].x, x1 = eyes[v].x - max_x, x = MORE(x0, x1);
            lanes y0 = min_y - eyes[v].y, y1 = eyes[v].y - max_y, y = MORE(y0, y1);
            lanes z0 = min_z - eyes[v].z, z1 = eyes[v].z - max_z, z = MORE(z0, z1);
            x = MORE(x, zero);
            y = MORE(y, zero);
            z = MORE(z, zero);
            lanes d = (x * x + y * y + z * z) * (eyes[v].slope * eyes[v].slope);
            least = LESS(least, d);
        }
        lanes a;
        for (int i = 0; i < LANES; ++i) a[i] = __builtin_sqrtf(least[i]);
        lanes level = zero;
        for (int k = 0; k < KARST_PATCH_LEVELS; ++k) {  // a sum of ramps: monotone, continuous
            lanes rise = e[k + 1] - e[k], tiny = zero + 1e-30f;
            lanes w = (a - e[k]) / MORE(rise, tiny), one = zero + 1.0f;
            w = MORE(w, zero);
            level += LESS(w, one);
        }
        memcpy(levels + at, &level, sizeof level);
        memcpy(allowed + at, &a, sizeof a);
    }
}

// What touches a place beside a leaf: nothing, a leaf of the same level, finer ones, or a coarser one.
typedef struct beside {
    int level;  // -1 nothing; leaf's own level for finer ones too
    bool same;
    float cap;
} beside;

static beside look_beside(const kst_cut *cut, int level, int x, int z) {
    const kst_tree *tree = &cut->tree;
    if (x < 0 || z < 0 || x >= tree->grid_x[level] || z >= tree->grid_z[level]) return (beside){-1, false, INFINITY};
    for (int l = level; l < tree->level_count; ++l, x >>= 1, z >>= 1) {
        const kst_mark *mark = &cut->marks[l][(int64_t)z * tree->grid_x[l] + x];
        if (mark->stamp != cut->stamp) continue;
        if (mark->leaf < 0) return (beside){level, false, INFINITY};  // split: finer ones (only at l == level)
        return (beside){l, l == level, cut->leaves[mark->leaf].cap};
    }
    KARST_ASSERT(!"a cut covers the ground");
    return (beside){-1, false, INFINITY};
}

// The level that corners have which are touched by this leaf and what is beside: exact where levels differ.
typedef struct shared {
    int coarsest;
    bool unequal;
    float cap;
} shared;

static void touch(shared *s, beside b) {
    if (b.level < 0) return;
    if (!b.same) s->unequal = true;
    if (b.level > s->coarsest) s->coarsest = b.level;
    if (b.cap < s->cap) s->cap = b.cap;
}

static float settle(shared s, int level, float own) {
    if (s.unequal) return (float)(s.coarsest - level);
    float cap = s.cap - (float)level;
    return own < cap ? own : cap;
}

void kst_corner_levels(const kst_cut *cut, const kst_leaf *leaf, const karst_chunk_corners *corners,
                       const kst_eye *eyes, int eye_count, float levels[KARST_CORNER_LANES], float *worst) {
    enum { N = KARST_CHUNK_CORNERS };
    float allowed[KARST_CORNER_LANES];
    own_levels(corners, eyes, eye_count, levels, allowed);
    beside round[3][3];
    bool plain = true;  // everything round it is of the same level and nothing pinches
    for (int z = 0; z < 3; ++z)
        for (int x = 0; x < 3; ++x)
            if (x != 1 || z != 1) {
                round[z][x] = look_beside(cut, leaf->level, leaf->x + x - 1, leaf->z + z - 1);
                plain &= round[z][x].level < 0 ||
                         (round[z][x].same && round[z][x].cap >= (float)(leaf->level + KARST_PATCH_LEVELS));
            }
    if (!plain || leaf->cap < (float)(leaf->level + KARST_PATCH_LEVELS)) {
        for (int z = 0; z < N; ++z)
            for (int x = 0; x < N; ++x) {
                shared s = {leaf->level, false, leaf->cap};
                int sx = x == 0 ? 0 : x == N - 1 ? 2 : 1, sz = z == 0 ? 0 : z == N - 1 ? 2 : 1;
                if (sx != 1) touch(&s, round[1][sx]);
                if (sz != 1) touch(&s, round[sz][1]);
                if (sx != 1 && sz != 1) touch(&s, round[sz][sx]);
                levels[z * N + x] = settle(s, leaf->level, levels[z * N + x]);
            }
        for (int i = KARST_CORNER_COUNT; i < KARST_CORNER_LANES; ++i) levels[i] = levels[0];
    }
    float most = 0;
    for (int i = 0; i < KARST_CORNER_COUNT; ++i) {
        int k = (int)levels[i];
        if (k > KARST_PATCH_LEVELS - 1) k = KARST_PATCH_LEVELS - 1;
        float e = corners->error[k][i] + (levels[i] - (float)k) * (corners->error[k + 1][i] - corners->error[k][i]);
        float share = e > 0 ? e / allowed[i] : 0;
        if (share > most) most = share;
    }
    *worst = most;
}
