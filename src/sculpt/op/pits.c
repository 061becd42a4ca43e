// SPDX-License-Identifier: MIT
// Pits: the hollows of a ground, found along the routes that lead them out.
//
// A route leaves a hollow over its lowest pass, so the level to which water would stand is the highest place between a
// cell and the edge on its route.
#include "karst/erode.h"
#include "op/route.h"

typedef struct flood {
    const kst_route *route;
    const float *h;
    float *level;  // of standing water
} flood;

static inline void flood_cell(void *context, int32_t cell) {
    flood *f = context;
    float h = f->h[cell];
    if (!kst_route_is_outlet(f->route, cell)) {
        float below = f->level[kst_route_receiver(f->route, cell)];
        h = h > below ? h : below;
    }
    f->level[cell] = h;
}
static inline void nothing(void *context, int32_t cell) {
    (void)context;
    (void)cell;
}

static karst_status flood_trees(int begin, int end, int worker, void *context) {
    (void)worker;
    flood *f = context;
    for (int k = begin; k < end; ++k) kst_route_walk(f->route, f->route->tree[k], flood_cell, nothing, f);
    return KARST_OK;
}

static void measure(const flood *f, karst_pits *out) {
    size_t cells = (size_t)f->route->width * (size_t)f->route->height, filled = 0;
    double volume = 0, deepest = 0;
    float low = f->h[0], high = f->h[0];
    for (size_t i = 0; i < cells; ++i) {
        double depth = (double)f->level[i] - (double)f->h[i];
        filled += depth > 0;
        volume += depth;
        deepest = depth > deepest ? depth : deepest;
        low = f->h[i] < low ? f->h[i] : low;
        high = f->h[i] > high ? f->h[i] : high;
    }
    out->count = f->route->pit_count;
    out->share = (double)filled / (double)cells;
    out->fill_share = high > low ? volume / (((double)high - (double)low) * (double)cells) : 0;
    out->deepest_m = deepest;
}

karst_status karst_pits_find(int width, int height, const float *height_m, karst_jobs *jobs,
                             const karst_progress *progress, karst_pits *out) {
    KARST_ASSERT(width >= 2 && height >= 2 && height_m && out);
    if (width < 3 || height < 3) {
        *out = (karst_pits){0};
        return KARST_OK;
    }
    const kst_team team = {.jobs = jobs, .progress = progress, .stage = "pits"};
    size_t cells = (size_t)width * (size_t)height;
    kst_route route;
    karst_status status = kst_route_create(width, height, &route);
    if (status) return status;
    flood f = {&route, height_m, kst_alloc_array(NULL, cells, sizeof(float))};
    if (!f.level) status = KARST_ERROR_MEMORY;
    if (!status) status = kst_route_find(&route, height_m, (kst_route_way){.steepest = true}, &team);
    for (int32_t k = 0; k < route.trunk_count && !status; ++k) flood_cell(&f, route.trunk[k]);
    if (!status) status = kst_team_run(&team, route.tree_count, KST_ROUTE_GRAIN, flood_trees, &f);
    if (!status) measure(&f, out);
    kst_free(NULL, f.level, cells * sizeof(float));
    kst_route_free(&route);
    return status;
}
