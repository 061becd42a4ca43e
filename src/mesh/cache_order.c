// SPDX-License-Identifier: MIT
// Triangles in an order that suits a vertex cache, in linear time.
//
// After: P. Sander, D. Nehab, J. Barczak, "Fast Triangle Reordering for Vertex Locality and Reduced Overdraw", 2007:
// emit all triangles round a vertex, go on with the neighbour that is deepest in the cache and will still be there when
// its triangles are done, else with the last one seen that has triangles left, else with the next in number.
#include "mesh/mrm.h"

enum {
    CACHE = 18,      // found best for a cache of 16: the last ones may just be missed
    SOME = 1 << 16,  // triangles: progress is told
};

typedef struct fanning {
    const uint32_t (*index)[3];
    uint32_t *start, *around;  // triangles of a vertex
    uint32_t *live;            // of them not yet emitted
    uint32_t *seen_at;         // when it entered the cache
    uint32_t *dead_end;        // stack of vertices seen
    uint8_t *done;
    uint32_t vertices, triangles, dead_ends, next, now;
} fanning;

static bool begin(fanning *f) {
    size_t corners = 3 * (size_t)f->triangles;
    f->start = kst_alloc_zero(NULL, ((size_t)f->vertices + 1) * 4);
    f->around = kst_alloc_array(NULL, corners, 4);
    f->live = kst_alloc_zero(NULL, (size_t)f->vertices * 4);
    f->seen_at = kst_alloc_zero(NULL, (size_t)f->vertices * 4);
    f->dead_end = kst_alloc_array(NULL, corners, 4);
    f->done = kst_alloc_zero(NULL, f->triangles);
    if (!f->start || !f->around || !f->live || !f->seen_at || !f->dead_end || !f->done) return false;
    for (uint32_t t = 0; t < f->triangles; ++t)
        for (int k = 0; k < 3; ++k) ++f->live[f->index[t][k]];
    for (uint32_t v = 0; v < f->vertices; ++v) f->start[v + 1] = f->start[v] + f->live[v];
    memset(f->live, 0, (size_t)f->vertices * 4);
    for (uint32_t t = 0; t < f->triangles; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t v = f->index[t][k];
            f->around[f->start[v] + f->live[v]++] = t;
        }
    f->now = CACHE + 1;
    return true;
}

static void end(fanning *f) {
    size_t corners = 3 * (size_t)f->triangles;
    kst_free(NULL, f->start, ((size_t)f->vertices + 1) * 4);
    kst_free(NULL, f->around, corners * 4);
    kst_free(NULL, f->live, (size_t)f->vertices * 4);
    kst_free(NULL, f->seen_at, (size_t)f->vertices * 4);
    kst_free(NULL, f->dead_end, corners * 4);
    kst_free(NULL, f->done, f->triangles);
}

static uint32_t skip_dead_end(fanning *f) {
    while (f->dead_ends) {
        uint32_t v = f->dead_end[--f->dead_ends];
        if (f->live[v]) return v;
    }
    for (; f->next < f->vertices; ++f->next)
        if (f->live[f->next]) return f->next;
    return KST_NONE;
}

// Of the vertices just emitted, dead_end[from ..].
static uint32_t next_vertex(fanning *f, uint32_t from) {
    uint32_t best = KST_NONE;
    int64_t most = -1;
    for (uint32_t i = from; i < f->dead_ends; ++i) {
        uint32_t v = f->dead_end[i];
        if (!f->live[v]) continue;
        int64_t rank = 0, age = (int64_t)f->now - f->seen_at[v];
        if (age + 2 * (int64_t)f->live[v] <= CACHE) rank = age;
        if (rank > most) most = rank, best = v;
    }
    return best == KST_NONE ? skip_dead_end(f) : best;
}

karst_status kst_cache_order(const uint32_t (*index)[3], uint32_t triangles, uint32_t vertices,
                             const karst_progress *progress, uint32_t *order) {
    fanning f = {.index = index, .vertices = vertices, .triangles = triangles};
    karst_status status = begin(&f) ? KARST_OK : KARST_ERROR_MEMORY;
    uint32_t count = 0, told = 0;
    if (!status && triangles >= SOME) status = kst_progress_step(progress, "sort", 0);
    for (uint32_t v = status ? KST_NONE : skip_dead_end(&f); v != KST_NONE && !status;) {
        uint32_t from = f.dead_ends;
        for (uint32_t i = f.start[v]; i < f.start[v + 1]; ++i) {
            uint32_t t = f.around[i];
            if (f.done[t]) continue;
            f.done[t] = 1;
            order[count++] = t;
            for (int k = 0; k < 3; ++k) {
                uint32_t u = index[t][k];
                f.dead_end[f.dead_ends++] = u;
                --f.live[u];
                if (f.now - f.seen_at[u] > CACHE) f.seen_at[u] = f.now++;
            }
        }
        v = next_vertex(&f, from);
        if (count - told < SOME) continue;
        told = count;
        status = kst_progress_step(progress, "sort", (double)count / triangles);
    }
    end(&f);
    return status;
}

uint64_t kst_cache_misses(const uint32_t *index, size_t count, uint32_t vertices, int size) {
    uint64_t *entered = kst_alloc_zero(NULL, (size_t)vertices * sizeof *entered), misses = 0;
    for (size_t i = 0; i < count && entered; ++i) {  // counted by entries: the last `size` of them are in
        uint64_t *at = &entered[index[i]];
        if (*at && misses - *at < (uint64_t)size) continue;
        *at = ++misses;
    }
    kst_free(NULL, entered, (size_t)vertices * sizeof *entered);
    return misses;
}
