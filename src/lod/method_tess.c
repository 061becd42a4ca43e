// SPDX-License-Identifier: MIT
// Method tess: patches for hardware that cuts them. Levels as method grid has them, from the projected error of each
// corner's surroundings, then lowered until corners that share an edge differ by one level at most: where a coarse
// patch meets a fine one the triangles halve once and none is a sliver. See docs/lod.md.
//
// All that is drawn is the least solution of level(a) <= level(b) + 1 over the edges of patches, below the own levels:
// it exists, it is unique, and it is as continuous in the eye as they are. The order in which edges are looked at
// changes nothing. Leaves are first levelled alone, shared out on the jobs; then those that fell tell their neighbours.
#include <math.h>

#include "method.h"

enum { N = KARST_CHUNK_CORNERS, BORDER = 4 * (N - 1) };

// The border of a leaf, side after side: z-, x+, z+, x-; corner 0 of a side is the last of the one before.
static const uint8_t border[BORDER] = {0, 1, 2, 3, 4, 9, 14, 19, 24, 23, 22, 21, 20, 15, 10, 5};
static const uint8_t inward[4][2] = {{6, 8}, {8, 18}, {18, 16}, {16, 6}};  // inside corners 1 and 3 of a side

typedef struct part {
    const karst_chunk_corners *corners;
    float levels[KARST_CORNER_LANES];  // absolute
    float share;                       // of the allowed error
    uint8_t coarser;  // bit s: a coarser leaf is across side s, so corners 1 and 3 there are middles of its edges
    bool lowered;     // since its share was computed
    bool waiting;     // in the list of leaves that have something to tell
} part;

struct kst_tess {
    kst_cut cut;
    karst_node *wide[KARST_MAX_LEVEL + 1];
    part *parts;
    int32_t *waiting;
    int32_t room;
};

// ---- wider nodes: neighbours that differ by one level at most ------------------------------------------------------

// A node whose own extent does not hold that of every finer one it touches could stay whole beside one that splits.
// Errors grow by a quarter a level, as those of the tree do, so that levels let go of each other before the next
// splits.
static void widen(karst_node *n, const karst_node *finer) {
    for (int a = 0; a < 3; ++a) {
        n->reach_min[a] = kst_less(n->reach_min[a], finer->reach_min[a]);
        n->reach_max[a] = kst_more(n->reach_max[a], finer->reach_max[a]);
    }
    n->error = kst_more(n->error, 1.25f * finer->error);
}

static karst_status make_wide(kst_tess *t, const karst_allocator *a) {
    const kst_tree *tree = &t->cut.tree;
    for (int level = 2; level < tree->level_count; ++level) {  // level 0 never splits, so level 1 has nothing to hold
        int32_t gx = tree->grid_x[level], gz = tree->grid_z[level];
        karst_node *wide = t->wide[level] = kst_alloc_array(a, (size_t)gx * (size_t)gz, sizeof *wide);
        if (!wide) return KARST_ERROR_MEMORY;
        const karst_node *finer = t->cut.split[level - 1];
        int32_t fx = tree->grid_x[level - 1], fz = tree->grid_z[level - 1];
        for (int32_t z = 0; z < gz; ++z)
            for (int32_t x = 0; x < gx; ++x) {
                karst_node n = tree->nodes[level][(int64_t)z * gx + x];
                for (int32_t j = 2 * z - 1; j <= 2 * z + 2; ++j)
                    for (int32_t i = 2 * x - 1; i <= 2 * x + 2; ++i)
                        if (i >= 0 && j >= 0 && i < fx && j < fz) widen(&n, &finer[(int64_t)j * fx + i]);
                wide[(int64_t)z * gx + x] = n;
            }
        t->cut.split[level] = wide;
    }
    return KARST_OK;
}

// ---- memory --------------------------------------------------------------------------------------------------------

static void free_parts(kst_tess *t, const karst_allocator *a) {
    kst_free(a, t->parts, (size_t)t->room * sizeof *t->parts);
    kst_free(a, t->waiting, (size_t)t->room * sizeof *t->waiting);
    t->parts = NULL;
    t->waiting = NULL;
    t->room = 0;
}

static karst_status reserve_parts(kst_tess *t, const karst_allocator *a, int32_t count) {
    if (count <= t->room) return KARST_OK;
    int32_t room = count > 2 * t->room ? count : 2 * t->room;
    free_parts(t, a);
    t->room = room;
    t->parts = kst_alloc_array(a, (size_t)room, sizeof *t->parts);
    t->waiting = kst_alloc_array(a, (size_t)room, sizeof *t->waiting);
    if (t->parts && t->waiting) return KARST_OK;
    free_parts(t, a);
    return KARST_ERROR_MEMORY;
}

void kst_tess_free(kst_method *m) {
    kst_tess *t = m->tess;
    if (!t) return;
    const karst_allocator *a = m->slots.allocator;
    free_parts(t, a);
    for (int level = 0; level < t->cut.tree.level_count; ++level)
        kst_free(a, t->wide[level],
                 (size_t)t->cut.tree.grid_x[level] * (size_t)t->cut.tree.grid_z[level] * sizeof(karst_node));
    kst_cut_destroy(&t->cut);
    kst_free(a, t, sizeof *t);
    m->tess = NULL;
}

static karst_status create(kst_method *m) {
    const karst_allocator *a = m->slots.allocator;
    kst_tess *t = kst_alloc_zero(a, sizeof *t);
    if (!t) return KARST_ERROR_MEMORY;
    karst_status status = kst_cut_create(&t->cut, &m->cut.tree, a);
    if (status) {
        kst_free(a, t, sizeof *t);
        return status;
    }
    t->cut.apart = 1;
    m->tess = t;
    status = make_wide(t, a);
    if (status) kst_tess_free(m);
    return status;
}

// ---- lowering ------------------------------------------------------------------------------------------------------

static bool lower(float *level, float beside) {
    bool less = beside + 1 < *level;
    if (less) *level = beside + 1;
    return less;
}

// The least solution inside one leaf.
static void relax(const part *p, float *v) {
    for (int s = 0; s < 4; ++s)
        if (p->coarser >> s & 1) v[border[4 * s + 1]] = v[border[4 * s + 3]] = INFINITY;
    for (bool again = true; again;) {
        again = false;
        for (int i = 1; i < N * N; ++i) {  // two passes are all that a plain grid needs
            if (i % N) lower(&v[i], v[i - 1]);
            if (i >= N) lower(&v[i], v[i - N]);
        }
        for (int i = N * N - 2; i >= 0; --i) {
            if (i % N < N - 1) lower(&v[i], v[i + 1]);
            if (i < N * (N - 1)) lower(&v[i], v[i + N]);
        }
        // The middle of a coarser leaf's edge is no corner of its own: what would hold it holds both ends.
        for (int s = 0; s < 4; ++s) {
            if (!(p->coarser >> s & 1)) continue;
            for (int half = 0; half < 2; ++half) {
                float *a = &v[border[4 * s + 2 * half]], *b = &v[border[(4 * s + 2 * half + 2) % BORDER]],
                      *g = &v[inward[s][half]];
                again |= lower(a, *b) | lower(b, *a) | lower(a, *g) | lower(b, *g) | lower(g, kst_less(*a, *b));
            }
        }
    }
    for (int s = 0; s < 4; ++s)
        for (int half = 0; half < 2 && p->coarser >> s & 1; ++half)
            v[border[4 * s + 2 * half + 1]] =
                kst_less(v[border[4 * s + 2 * half]], v[border[(4 * s + 2 * half + 2) % BORDER]]);
}

// ---- from leaf to leaf ----------------------------------------------------------------------------------------------

// A leaf alone: own levels, and the least solution inside it.
static void level_leaves(int begin, int end, int worker, void *context) {
    (void)worker;
    static const int8_t across[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    kst_method *m = context;
    kst_tess *t = m->tess;
    for (int k = begin; k < end; ++k) {
        const kst_leaf *leaf = &t->cut.leaves[k];
        part *p = &t->parts[k];
        p->corners = kst_method_corners(m, leaf);
        p->coarser = 0;
        for (int s = 0; s < 4; ++s) {
            const kst_leaf *n = kst_cut_leaf(&t->cut, leaf->level, leaf->x + across[s][0], leaf->z + across[s][1]);
            p->coarser |= (uint8_t)((n && n->level > leaf->level) << s);
        }
        float *v = p->levels, before[N * N];
        kst_corner_levels(&t->cut, leaf, p->corners, m->eyes, m->eye_count, kst_method_corners, m, v, &p->share);
        for (int i = 0; i < KARST_CORNER_LANES; ++i) v[i] += (float)leaf->level;  // exact: they were so before
        memcpy(before, v, sizeof before);
        relax(p, v);
        p->lowered = p->waiting = memcmp(before, v, sizeof before) != 0;
    }
}

// Lower corner (x, z) of the patch grid of `level` in another leaf. False when it is not lower than there, or in the
// middle of an edge of that leaf, whose ends hold it.
static bool lower_in(const kst_leaf *leaf, part *p, int level, int32_t x, int32_t z, float value) {
    for (; level > leaf->level; --level) x *= 2, z *= 2;
    for (; level < leaf->level; ++level) {
        if ((x | z) & 1) return false;
        x >>= 1;
        z >>= 1;
    }
    float *v = &p->levels[(z - leaf->z * KARST_CHUNK_PATCHES) * N + x - leaf->x * KARST_CHUNK_PATCHES];
    bool less = value < *v;
    if (less) *v = value;
    return less;
}

// Tell the leaves round one what its border is at. Those that fall join the list.
static int tell(kst_tess *t, int k, int count) {
    const kst_leaf *leaf = &t->cut.leaves[k];
    const part *p = &t->parts[k];
    int32_t fallen[BORDER * 3], fallen_count = 0;
    for (int b = 0; b < BORDER; ++b) {
        int32_t x = leaf->x * KARST_CHUNK_PATCHES + border[b] % N, z = leaf->z * KARST_CHUNK_PATCHES + border[b] / N;
        for (int q = 0; q < 4; ++q) {
            const kst_leaf *other = kst_cut_quadrant(&t->cut, leaf->level, x, z, q & 1, q >> 1);
            if (!other || other == leaf) continue;
            int32_t o = (int32_t)(other - t->cut.leaves);
            if (lower_in(other, &t->parts[o], leaf->level, x, z, p->levels[border[b]])) fallen[fallen_count++] = o;
        }
    }
    for (int i = 0; i < fallen_count; ++i) {
        part *f = &t->parts[fallen[i]];
        if (i && fallen[i] == fallen[i - 1]) continue;  // done
        relax(f, f->levels);
        f->lowered = true;
        if (!f->waiting) t->waiting[count++] = fallen[i];
        f->waiting = true;
    }
    return count;
}

// ---- the method ----------------------------------------------------------------------------------------------------

static void choose_levels(kst_method *m) {
    kst_tess *t = m->tess;
    int leaves = t->cut.leaf_count, count = 0;
    karst_jobs_for(m->jobs, leaves, 64, level_leaves, m);
    for (int k = 0; k < leaves; ++k)
        if (t->parts[k].waiting) t->waiting[count++] = k;
    while (count) {  // levels only fall, and by no more than an edge asks for
        int k = t->waiting[--count];
        t->parts[k].waiting = false;
        count = tell(t, k, count);
    }
}

karst_status kst_method_tess(kst_method *m) {
    karst_status status = m->tess ? KARST_OK : create(m);
    if (status) return status;
    kst_tess *t = m->tess;
    status = kst_method_cut(m, &t->cut);
    if (status || m->wishing) return status;
    const int count = t->cut.leaf_count;
    status = kst_found_reserve(&m->found, count);
    if (!status && !m->full) status = reserve_parts(t, m->slots.allocator, count);
    if (status) return status;
    if (!m->full) choose_levels(m);
    for (int k = 0; k < count; ++k) {
        const kst_leaf *leaf = &t->cut.leaves[k];
        float levels[KARST_CORNER_LANES] = {0}, share = 0;
        kst_source source;
        kst_seen seen;
        if (!kst_method_sees(m, leaf, &source, &seen)) continue;
        if (m->full) {
            const karst_chunk_corners *corners = &kst_method_chunk(m, source.slot)->corners;
            kst_method_full_levels(m, &t->cut, leaf, corners, levels, &share);
        } else {
            const part *p = &t->parts[k];
            for (int i = 0; i < N * N; ++i) levels[i] = p->levels[i] - (float)leaf->level;
            for (int i = N * N; i < KARST_CORNER_LANES; ++i) levels[i] = levels[0];
            share = p->lowered ? kst_worst_share(p->corners, m->eyes, m->eye_count, levels) : p->share;
        }
        kst_method_give(m, &source, seen, levels, share);
    }
    return KARST_OK;
}
