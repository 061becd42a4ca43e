// SPDX-License-Identifier: MIT
// Levels of patch corners: rules 1, 3 and 4 of docs/lod.md.
//
// The level of a corner is a function of the place alone: whoever asks finds the same leaves round it, reads the same
// numbers and computes the same bits. So chunks never ask each other.
#include <math.h>

#include "lod.h"

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t ilanes __attribute__((vector_size(32)));
enum { LANES = 8, GROUPS = KARST_CORNER_LANES / LANES };

#define SELECT(mask, a, b) ((lanes)(((ilanes)(a) & (mask)) | ((ilanes)(b) & ~(mask))))
#define LESS(a, b) SELECT((a) < (b), a, b)
#define MORE(a, b) SELECT((a) > (b), a, b)

static inline float less(float a, float b) {
    return a < b ? a : b;
}
static inline float more(float a, float b) {
    return a > b ? a : b;
}

// Own levels of all corners of a chunk, relative to it, and the error allowed at each [m].
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

// The same for corner i alone, operation by operation.
static float own_level(const karst_chunk_corners *c, int i, const kst_eye *eyes, int eye_count) {
    float least = INFINITY;
    for (int v = 0; v < eye_count; ++v) {
        float x = more(more(c->min_x[i] - eyes[v].x, eyes[v].x - c->max_x[i]), 0);
        float y = more(more(c->min_y[i] - eyes[v].y, eyes[v].y - c->max_y[i]), 0);
        float z = more(more(c->min_z[i] - eyes[v].z, eyes[v].z - c->max_z[i]), 0);
        least = less(least, (x * x + y * y + z * z) * (eyes[v].slope * eyes[v].slope));
    }
    float a = __builtin_sqrtf(least), level = 0;
    for (int k = 0; k < KARST_PATCH_LEVELS; ++k) {
        float w = (a - c->error[k][i]) / more(c->error[k + 1][i] - c->error[k][i], 1e-30f);
        level += less(more(w, 0), 1);
    }
    return level;
}

// ---- what touches a place --------------------------------------------------------------------------

const kst_leaf *kst_cut_leaf(const kst_cut *cut, int level, int32_t x, int32_t z) {
    const kst_tree *tree = &cut->tree;
    if (x < 0 || z < 0 || x >= tree->grid_x[level] || z >= tree->grid_z[level]) return NULL;
    for (int l = level; l < tree->level_count; ++l, x >>= 1, z >>= 1) {
        const kst_mark *mark = &cut->marks[l][(int64_t)z * tree->grid_x[l] + x];
        if (mark->stamp == cut->stamp) return mark->leaf < 0 ? NULL : &cut->leaves[mark->leaf];
    }
    return NULL;
}

// The leaf that holds the quadrant (right, down) round corner (x, z) of the patch grid of a level; NULL outside.
static const kst_leaf *leaf_of_quadrant(const kst_cut *cut, int level, int32_t x, int32_t z, int right, int down) {
    const kst_tree *tree = &cut->tree;
    // The chunk of this level that holds the quadrant, then up to where the cut has been, then down to its leaf.
    for (int l = level;;) {
        int32_t cx = (right ? x : x - 1) >> 2, cz = (down ? z : z - 1) >> 2;
        if (cx < 0 || cz < 0 || cx >= tree->grid_x[l] || cz >= tree->grid_z[l]) return NULL;
        const kst_mark *mark = &cut->marks[l][(int64_t)cz * tree->grid_x[l] + cx];
        if (mark->stamp != cut->stamp) {  // inside a coarser leaf
            const kst_leaf *leaf = kst_cut_leaf(cut, l, cx, cz);
            KARST_ASSERT(leaf);
            return leaf;
        }
        if (mark->leaf >= 0) return &cut->leaves[mark->leaf];
        --l;
        x *= 2;
        z *= 2;
    }
}

typedef struct ask {
    const kst_cut *cut;
    const kst_eye *eyes;
    int eye_count;
    kst_corners_fn *corners;
    void *context;
} ask;

static float settle(float own, float cap, float floor, int coarsest, int finest) {
    float level = less(own, more(floor, cap));
    level = less(level, (float)(finest + KARST_PATCH_LEVELS));
    return more(level, (float)coarsest);
}

// Level of corner (x, z) of the patch grid of `level`, absolute: a function of the place.
static float corner_level(const ask *a, int level, int32_t x, int32_t z) {
    const kst_leaf *top = NULL;
    float cap = INFINITY, floor = -INFINITY;
    int finest = KARST_MAX_LEVEL;
    for (int q = 0; q < 4; ++q) {
        const kst_leaf *leaf = leaf_of_quadrant(a->cut, level, x, z, q & 1, q >> 1);
        if (!leaf) continue;
        if (!top || leaf->level > top->level) top = leaf;
        if (leaf->level < finest) finest = leaf->level;
        cap = less(cap, leaf->cap);
        floor = more(floor, leaf->floor);
    }
    KARST_ASSERT(top);
    // A place inside an edge of the coarsest has the level of that edge.
    int up = top->level - level;
    if (up > 0) {
        int32_t size = 1 << up, part = size - 1;
        if (x & part)
            return less(corner_level(a, top->level, x >> up, z >> up),
                        corner_level(a, top->level, (x >> up) + 1, z >> up));
        if (z & part)
            return less(corner_level(a, top->level, x >> up, z >> up),
                        corner_level(a, top->level, x >> up, (z >> up) + 1));
        x >>= up;
        z >>= up;
    }
    KARST_ASSERT(up >= 0);
    int i = (z - top->z * KARST_CHUNK_PATCHES) * KARST_CHUNK_CORNERS + x - top->x * KARST_CHUNK_PATCHES;
    float own = (float)top->level + own_level(a->corners(a->context, top), i, a->eyes, a->eye_count);
    return settle(own, cap, floor, top->level, finest);
}

void kst_corner_levels(const kst_cut *cut, const kst_leaf *leaf, const karst_chunk_corners *corners,
                       const kst_eye *eyes, int eye_count, kst_corners_fn *others, void *context,
                       float levels[KARST_CORNER_LANES], float *worst) {
    enum { N = KARST_CHUNK_CORNERS };
    const ask a = {cut, eyes, eye_count, others, context};
    const float base = (float)leaf->level;
    float allowed[KARST_CORNER_LANES];
    own_levels(corners, eyes, eye_count, levels, allowed);
    for (int i = 0; i < KARST_CORNER_LANES; ++i) levels[i] += base;  // absolute: rounded as everyone rounds it
    // Alike: every neighbour is a leaf of the same level, or none is there; then the tables at hand say all.
    const kst_leaf *round[3][3];
    bool alike = true, free = leaf->cap >= base + KARST_PATCH_LEVELS;
    for (int z = 0; z < 3; ++z)
        for (int x = 0; x < 3; ++x) {
            int32_t nx = leaf->x + x - 1, nz = leaf->z + z - 1;
            const kst_leaf *n = round[z][x] = kst_cut_leaf(cut, leaf->level, nx, nz);
            bool inside =
                nx >= 0 && nz >= 0 && nx < cut->tree.grid_x[leaf->level] && nz < cut->tree.grid_z[leaf->level];
            alike &= !inside || (n && n->level == leaf->level);
            free &= !n || n->cap >= base + KARST_PATCH_LEVELS;
        }
    for (int z = 0; z < N && !(alike && free); ++z)
        for (int x = 0; x < N; ++x) {
            float *level = &levels[z * N + x];
            int sx = x == 0 ? 0 : x == N - 1 ? 2 : 1, sz = z == 0 ? 0 : z == N - 1 ? 2 : 1;
            if (!alike && (sx != 1 || sz != 1)) {
                *level =
                    corner_level(&a, leaf->level, leaf->x * KARST_CHUNK_PATCHES + x, leaf->z * KARST_CHUNK_PATCHES + z);
                continue;
            }
            float cap = leaf->cap, floor = leaf->floor;
            const kst_leaf *touching[3] = {round[1][sx], round[sz][1], round[sz][sx]};
            for (int k = 0; k < 3; ++k) {
                if (!touching[k]) continue;
                cap = less(cap, touching[k]->cap);
                floor = more(floor, touching[k]->floor);
            }
            *level = settle(*level, cap, floor, leaf->level, leaf->level);
        }
    for (int i = 0; i < KARST_CORNER_LANES; ++i) levels[i] = (i < KARST_CORNER_COUNT ? levels[i] : levels[0]) - base;
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
