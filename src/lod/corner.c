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
        float x = kst_more(kst_more(c->min_x[i] - eyes[v].x, eyes[v].x - c->max_x[i]), 0);
        float y = kst_more(kst_more(c->min_y[i] - eyes[v].y, eyes[v].y - c->max_y[i]), 0);
        float z = kst_more(kst_more(c->min_z[i] - eyes[v].z, eyes[v].z - c->max_z[i]), 0);
        least = kst_less(least, (x * x + y * y + z * z) * (eyes[v].slope * eyes[v].slope));
    }
    float a = __builtin_sqrtf(least), level = 0;
    for (int k = 0; k < KARST_PATCH_LEVELS; ++k) {
        float w = (a - c->error[k][i]) / kst_more(c->error[k + 1][i] - c->error[k][i], 1e-30f);
        level += kst_less(kst_more(w, 0), 1);
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

const kst_leaf *kst_cut_quadrant(const kst_cut *cut, int level, int32_t x, int32_t z, int right, int down) {
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
    float level = kst_less(own, kst_more(floor, cap));
    level = kst_less(level, (float)(finest + KARST_PATCH_LEVELS));
    return kst_more(level, (float)coarsest);
}

// Level of corner (x, z) of the patch grid of `level`, absolute: a function of the place.
static float corner_level(const ask *a, int level, int32_t x, int32_t z) {
    const kst_leaf *top = NULL;
    float cap = INFINITY, floor = -INFINITY;
    int finest = KARST_MAX_LEVEL;
    for (int q = 0; q < 4; ++q) {
        const kst_leaf *leaf = kst_cut_quadrant(a->cut, level, x, z, q & 1, q >> 1);
        if (!leaf) continue;
        if (!top || leaf->level > top->level) top = leaf;
        if (leaf->level < finest) finest = leaf->level;
        cap = kst_less(cap, leaf->cap);
        floor = kst_more(floor, leaf->floor);
    }
    KARST_ASSERT(top);
    // A place inside an edge of the coarsest has the level of that edge.
    int up = top->level - level;
    if (up > 0) {
        int32_t size = 1 << up, part = size - 1;
        if (x & part)
            return kst_less(corner_level(a, top->level, x >> up, z >> up),
                            corner_level(a, top->level, (x >> up) + 1, z >> up));
        if (z & part)
            return kst_less(corner_level(a, top->level, x >> up, z >> up),
                            corner_level(a, top->level, x >> up, (z >> up) + 1));
        x >>= up;
        z >>= up;
    }
    KARST_ASSERT(up >= 0);
    int i = (z - top->z * KARST_CHUNK_PATCHES) * KARST_CHUNK_CORNERS + x - top->x * KARST_CHUNK_PATCHES;
    float own = (float)top->level + own_level(a->corners(a->context, top), i, a->eyes, a->eye_count);
    return settle(own, cap, floor, top->level, finest);
}

// ---- a whole leaf ----------------------------------------------------------------------------------

enum { N = KARST_CHUNK_CORNERS };

// A side of a leaf: where its corners lie in the table, and which chunk is across.
typedef struct side {
    int first, step;  // index of its corner 0 and the way to the next
    int dx, dz;       // the neighbour
} side;
static const side sides[4] = {{0, 1, 0, -1}, {N - 1, N, 1, 0}, {N * (N - 1), 1, 0, 1}, {0, N, -1, 0}};

typedef struct around {
    const ask *ask;
    const kst_leaf *leaf;
    const kst_leaf *round[3][3];
    bool there[3][3];  // inside the ground; with a NULL round: split
    float *levels;     // own ones, absolute; becomes the result
} around;

static void settle_at(const around *r, int i, float cap, float floor) {
    int level = r->leaf->level;
    r->levels[i] = settle(r->levels[i], cap, floor, level, level);
}

// The corner of the chunk at (sx, sz), each 0 or 2.
static void chunk_corner(const around *r, int sx, int sz) {
    const kst_leaf *leaf = r->leaf;
    int i = (sz ? N - 1 : 0) * N + (sx ? N - 1 : 0);
    const int at[3][2] = {{1, sx}, {sz, 1}, {sz, sx}};
    float cap = leaf->cap, floor = leaf->floor;
    for (int k = 0; k < 3; ++k) {
        const kst_leaf *n = r->round[at[k][0]][at[k][1]];
        if (!r->there[at[k][0]][at[k][1]]) continue;
        if (!n || n->level != leaf->level) {
            int32_t x = leaf->x * KARST_CHUNK_PATCHES + (sx ? N - 1 : 0),
                    z = leaf->z * KARST_CHUNK_PATCHES + (sz ? N - 1 : 0);
            r->levels[i] = corner_level(r->ask, leaf->level, x, z);
            return;
        }
        cap = kst_less(cap, n->cap);
        floor = kst_more(floor, n->floor);
    }
    settle_at(r, i, cap, floor);
}

// The three corners inside a side; those of the chunk are done. What corner_level says, with fewer look-ups.
static void side_corners(const around *r, const side *s) {
    const kst_leaf *leaf = r->leaf, *n = r->round[s->dz + 1][s->dx + 1];
    float *v = r->levels;
    const int i1 = s->first + s->step, i2 = i1 + s->step, i3 = i2 + s->step, i4 = i3 + s->step;
    if (!r->there[s->dz + 1][s->dx + 1] || (n && n->level == leaf->level)) {
        float cap = n ? kst_less(leaf->cap, n->cap) : leaf->cap,
              floor = n ? kst_more(leaf->floor, n->floor) : leaf->floor;
        settle_at(r, i1, cap, floor);
        settle_at(r, i2, cap, floor);
        settle_at(r, i3, cap, floor);
    } else if (n) {  // coarser: one or two edges of its own
        if (n->level == leaf->level + 1) {
            int32_t x = leaf->x * KARST_CHUNK_PATCHES + i2 % N, z = leaf->z * KARST_CHUNK_PATCHES + i2 / N;
            v[i2] = corner_level(r->ask, leaf->level, x, z);
        } else
            v[i2] = kst_less(v[s->first], v[i4]);
        v[i1] = kst_less(v[s->first], v[i2]);
        v[i3] = kst_less(v[i2], v[i4]);
    } else {  // finer: a leaf across each patch
        const kst_leaf *across[KARST_CHUNK_PATCHES];
        for (int k = 0; k < KARST_CHUNK_PATCHES; ++k) {
            int i = s->first + k * s->step;
            int32_t x = leaf->x * KARST_CHUNK_PATCHES + i % N, z = leaf->z * KARST_CHUNK_PATCHES + i / N;
            across[k] = kst_cut_quadrant(r->ask->cut, leaf->level, x, z, s->dx ? s->dx > 0 : 1, s->dz ? s->dz > 0 : 1);
        }
        const int index[3] = {i1, i2, i3};
        for (int k = 0; k < 3; ++k) {
            float cap = leaf->cap, floor = leaf->floor;
            int finest = leaf->level;
            for (int q = k; q < k + 2; ++q) {
                if (!across[q]) continue;  // its parent reaches beyond the ground
                cap = kst_less(cap, across[q]->cap);
                floor = kst_more(floor, across[q]->floor);
                if (across[q]->level < finest) finest = across[q]->level;
            }
            v[index[k]] = settle(v[index[k]], cap, floor, leaf->level, finest);
        }
    }
}

// The largest error at these levels, as share of the allowed.
KST_TWINS static float worst_share(const karst_chunk_corners *c, const float *levels, const float *allowed) {
    lanes most = {0}, zero = {0}, one = zero + 1.0f;
    for (int g = 0; g < GROUPS; ++g) {
        const size_t at = (size_t)g * LANES;
        lanes level, a, e, next, share;
        memcpy(&level, levels + at, sizeof level);
        memcpy(&a, allowed + at, sizeof a);
        memcpy(&e, c->error[0] + at, sizeof e);
        share = e;
        for (int k = 0; k < KARST_PATCH_LEVELS; ++k) {
            memcpy(&next, c->error[k + 1] + at, sizeof next);
            lanes w = level - (float)k;
            w = MORE(w, zero);
            w = LESS(w, one);
            share += w * (next - e);
            e = next;
        }
        share = SELECT(share > zero, share / a, zero);
        most = MORE(most, share);
    }
    float result = 0;
    for (int i = 0; i < LANES; ++i) result = kst_more(result, most[i]);
    return result;
}

void kst_corner_own(const karst_chunk_corners *corners, const kst_eye *eyes, int eye_count,
                    float levels[KARST_CORNER_LANES], float allowed[KARST_CORNER_LANES]) {
    own_levels(corners, eyes, eye_count, levels, allowed);
}

void kst_corner_allowed(const karst_chunk_corners *corners, const kst_eye *eyes, int eye_count,
                        float allowed[KARST_CORNER_LANES]) {
    float levels[KARST_CORNER_LANES];
    own_levels(corners, eyes, eye_count, levels, allowed);
}

float kst_worst_share_of(const karst_chunk_corners *corners, const float levels[KARST_CORNER_LANES],
                         const float allowed[KARST_CORNER_LANES]) {
    return worst_share(corners, levels, allowed);
}

void kst_corner_levels(const kst_cut *cut, const kst_leaf *leaf, const karst_chunk_corners *corners,
                       const kst_eye *eyes, int eye_count, kst_corners_fn *others, void *context,
                       float levels[KARST_CORNER_LANES], float *worst) {
    const ask a = {cut, eyes, eye_count, others, context};
    const float base = (float)leaf->level;
    float allowed[KARST_CORNER_LANES];
    own_levels(corners, eyes, eye_count, levels, allowed);
    for (int i = 0; i < KARST_CORNER_LANES; ++i) levels[i] += base;  // absolute: rounded as everyone rounds it
    around r = {.ask = &a, .leaf = leaf, .levels = levels};
    bool plain = leaf->cap >= base + KARST_PATCH_LEVELS;  // nothing holds or disturbs any corner
    for (int z = 0; z < 3; ++z)
        for (int x = 0; x < 3; ++x) {
            int32_t nx = leaf->x + x - 1, nz = leaf->z + z - 1;
            r.there[z][x] =
                nx >= 0 && nz >= 0 && nx < cut->tree.grid_x[leaf->level] && nz < cut->tree.grid_z[leaf->level];
            const kst_leaf *n = r.round[z][x] = kst_cut_leaf(cut, leaf->level, nx, nz);
            plain &= !r.there[z][x] ||
                     (n && n->level == leaf->level && n->cap >= base + KARST_PATCH_LEVELS && n->floor <= base);
        }
    if (!plain) {
        for (int z = 1; z < N - 1; ++z)
            for (int x = 1; x < N - 1; ++x) settle_at(&r, z * N + x, leaf->cap, leaf->floor);
        for (int k = 0; k < 4; ++k) chunk_corner(&r, k & 1 ? 2 : 0, k & 2);
        for (int k = 0; k < 4; ++k) side_corners(&r, &sides[k]);
    }
    for (int i = 0; i < KARST_CORNER_LANES; ++i) levels[i] = (i < KARST_CORNER_COUNT ? levels[i] : levels[0]) - base;
    *worst = worst_share(corners, levels, allowed);
}

float kst_worst_share(const karst_chunk_corners *corners, const kst_eye *eyes, int eye_count,
                      const float levels[KARST_CORNER_LANES]) {
    float own[KARST_CORNER_LANES], allowed[KARST_CORNER_LANES];
    own_levels(corners, eyes, eye_count, own, allowed);
    return worst_share(corners, levels, allowed);
}
