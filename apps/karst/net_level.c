// SPDX-License-Identifier: MIT
// The command line: zones at a coarser level than the finest, as a ground.
#include "net_level.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"

static const net_level *level_of(const karst_ground *ground) {
    return (const net_level *)ground;
}

static karst_pos place_of(const net_level *n, const karst_zone *zone, karst_fine v) {
    double m = ldexp(1.0 / KARST_NET_FINE, zone->step_log2);
    return (karst_pos){n->set->origin.x + (zone->bias.x * m + v.x * m), n->set->origin.y + (zone->bias.y * m + v.y * m),
                       n->set->origin.z + (zone->bias.z * m + v.z * m)};
}

static uint32_t level_chunks(const karst_ground *ground) {
    return (uint32_t)level_of(ground)->set->count;
}

static karst_box level_chunk_bounds(const karst_ground *ground, uint32_t chunk) {
    const karst_zone *zone = level_of(ground)->set->zones[chunk];
    return (karst_box){place_of(level_of(ground), zone, zone->low), place_of(level_of(ground), zone, zone->high)};
}

static karst_box level_bounds(const karst_ground *ground) {
    karst_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t k = 0; k < level_chunks(ground); ++k) {
        karst_box b = level_chunk_bounds(ground, k);
        all.min = (karst_pos){fmin(all.min.x, b.min.x), fmin(all.min.y, b.min.y), fmin(all.min.z, b.min.z)};
        all.max = (karst_pos){fmax(all.max.x, b.max.x), fmax(all.max.y, b.max.y), fmax(all.max.z, b.max.z)};
    }
    return all;
}

static bool same(karst_fine a, karst_fine b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The two triangles of cell (i, j); false: fn said stop.
static bool put_cell(const net_level *n, const karst_zone *zone, const karst_fine *v, int width, int i, int j,
                     karst_triangle_fn *fn, void *context) {
    int step = 1 << n->level, at = j * step * width + i * step;
    const int a = at, b = at + step, c = at + step * width + step, d = at + step * width;
    const int way[2][6] = {{a, d, b, b, d, c}, {a, c, b, a, d, c}};
    const int *k = way[karst_tile_diagonal(i, j)];
    for (int t = 0; t < 6; t += 3) {
        if (same(v[k[t]], v[k[t + 1]]) || same(v[k[t + 1]], v[k[t + 2]]) || same(v[k[t + 2]], v[k[t]])) continue;
        karst_triangle one = {
            {place_of(n, zone, v[k[t]]), place_of(n, zone, v[k[t + 1]]), place_of(n, zone, v[k[t + 2]])}, {0}};
        if (!fn(context, &one, 1)) return false;
    }
    return true;
}

static karst_status level_triangles(const karst_ground *ground, uint32_t chunk, karst_triangle_fn *fn, void *context) {
    const net_level *n = level_of(ground);
    const karst_zone *zone = n->set->zones[chunk];
    karst_fine *v = malloc((size_t)KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v);
    if (!v) return KARST_ERROR_MEMORY;
    bool go_on = true;
    for (uint32_t p = 0; p < zone->piece_count && go_on; ++p) {
        int cells = KARST_TILE_CELLS << zone->pieces[p].tiles_log2;
        karst_zone_fine(zone, p, v);
        for (int j = 0; j < cells >> n->level && go_on; ++j)
            for (int i = 0; i < cells >> n->level && go_on; ++i)
                go_on = put_cell(n, zone, v, cells + 1, i, j, fn, context);
    }
    free(v);
    return go_on ? KARST_OK : KARST_ERROR_CANCELLED;
}

const karst_ground *net_level_make(net_level *n, const zone_set *set, int level) {
    static const karst_ground_table table = {.kind = "patch",
                                             .bounds = level_bounds,
                                             .chunk_count = level_chunks,
                                             .chunk_bounds = level_chunk_bounds,
                                             .chunk_triangles = level_triangles};
    *n = (net_level){{&table}, set, level};
    return &n->base;
}
