// SPDX-License-Identifier: MIT
// Settle: a mix of two surfaces that both fall along every path.
//
// Along the trees of a route let F be the lowest surface above the ground that falls everywhere (lakes are filled), and
// C the highest one below it (sills are cut). Any mix s * C + (1 - s) * F falls everywhere too: one pass, nothing to
// repeat, and half the depth of any canal that cutting alone would leave. Compare: J. Lindsay, "Efficient hybrid
// breaching-filling sink removal methods", 2016.
#include "op/settle.h"

// Volumes of a row: of lakes that may be filled, of what may be cut, of lakes that only filling opens.
typedef struct row_sums {
    double lake, cut, forced, change;
    float deepest;
} row_sums;

typedef struct settler {
    kst_level *level;
    const kst_route *route;
    const kst_settling *how;
    float fall_m, cut_share;
    float *full, *low, *depth;  // F, C, and how deep the lake is that a cell lies in
    bool stuck;                 // lakes behind sills that cannot be cut stay: there is too little to fill them with
    row_sums *row;
} settler;

// ---- surfaces --------------------------------------------------------------------------------------

static inline void fill_cell(void *context, int32_t cell) {
    settler *s = context;
    float h = s->level->height_m[cell], full = h;
    if (!kst_route_is_outlet(s->route, cell) && s->level->take[cell] > 0) {
        float least = s->full[kst_route_receiver(s->route, cell)] + s->fall_m;
        full = h < least ? least : h;
    }
    s->full[cell] = full;
}

static inline void cut_cell(void *context, int32_t cell) {
    settler *s = context;
    const kst_route *r = s->route;
    float h = s->level->height_m[cell], low = h, depth = s->full[cell] - h;
    for (unsigned donors = r->from[cell]; donors; donors &= donors - 1) {
        int32_t donor = cell + r->step[__builtin_ctz(donors)];
        float most = s->low[donor] - s->fall_m;
        low = low > most ? most : low;
        if (depth > 0 && s->depth[donor] > depth) depth = s->depth[donor];
    }
    s->low[cell] = s->level->yield[cell] > 0 ? low : h;
    s->depth[cell] = depth > 0 ? depth : 0;
}

static karst_status level_trees(int begin, int end, int worker, void *context) {
    (void)worker;
    settler *s = context;
    for (int k = begin; k < end; ++k) kst_route_walk(s->route, s->route->tree[k], fill_cell, cut_cell, s);
    return KARST_OK;
}

// A lake is as deep everywhere as at its deepest place, which its outlet knows by now.
static inline void spread_cell(void *context, int32_t cell) {
    settler *s = context;
    if (kst_route_is_outlet(s->route, cell)) return;
    int32_t down = kst_route_receiver(s->route, cell);
    if (s->depth[cell] > 0 && s->depth[down] > 0) s->depth[cell] = s->depth[down];
    float least = s->low[down] + s->fall_m;
    if (s->low[cell] < least && s->level->take[cell] > 0) s->low[cell] = least;
}
static inline void nothing(void *context, int32_t cell) {
    (void)context;
    (void)cell;
}

static karst_status spread_trees(int begin, int end, int worker, void *context) {
    (void)worker;
    settler *s = context;
    for (int k = begin; k < end; ++k) kst_route_walk(s->route, s->route->tree[k], spread_cell, nothing, s);
    return KARST_OK;
}

// ---- the mix ---------------------------------------------------------------------------------------

// What filling alone, and what cutting with filling where it must be, would change.
static inline float by_filling(const settler *s, size_t i) {
    return s->depth[i] <= s->how->max_lake_m ? s->full[i] - s->level->height_m[i] : 0;
}
static inline float by_cutting(const settler *s, size_t i) {
    float d = s->low[i] - s->level->height_m[i];
    return d > 0 && (s->stuck || s->depth[i] > s->how->max_lake_m) ? 0 : d;
}

static karst_status sum_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    settler *s = context;
    for (int y = begin; y < end; ++y) {
        size_t i = (size_t)y * (size_t)s->level->width, last = i + (size_t)s->level->width;
        row_sums sum = {0};
        for (; i < last; ++i) {
            double d = (double)by_cutting(s, i);
            sum.lake += (double)by_filling(s, i);
            sum.cut += d < 0 ? -d : 0;
            sum.forced += d > 0 ? d : 0;
        }
        s->row[y] = sum;
    }
    return KARST_OK;
}

static karst_status mix_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    settler *s = context;
    for (int y = begin; y < end; ++y) {
        size_t i = (size_t)y * (size_t)s->level->width, last = i + (size_t)s->level->width;
        row_sums *sum = &s->row[y];
        for (; i < last; ++i) {
            float d = s->cut_share * by_cutting(s, i) + (1 - s->cut_share) * by_filling(s, i);
            if (d == 0) continue;
            float h = s->level->height_m[i], now = h + d;
            s->level->height_m[i] = now;
            if (now < s->level->rock_m[i]) s->level->rock_m[i] = now;
            sum->change += (double)now - (double)h;
            if (-d > sum->deepest) sum->deepest = -d;
        }
    }
    return KARST_OK;
}

// The share of cutting, raised until what is cut and what is at hand suffices for what is filled.
static void choose_share(settler *s) {
    row_sums all = {0};
    for (int y = 0; y < s->level->height; ++y) {
        all.lake += s->row[y].lake;
        all.cut += s->row[y].cut;
        all.forced += s->row[y].forced;
    }
    double share = (double)s->cut_share, there = s->how->budget_m, by_cut = all.forced - all.cut;
    if (share * by_cut + (1 - share) * all.lake <= there) return;
    s->stuck = by_cut > there;
    if (s->stuck) by_cut = -all.cut;
    share = all.lake > by_cut ? (all.lake - there) / (all.lake - by_cut) : 1;
    s->cut_share = share < 1 ? (float)share : 1;
}

static karst_status run(settler *s, const kst_team *team, double *change_m, float *deepest_cut_m) {
    const kst_route *r = s->route;
    int rows = s->level->height;
    for (int32_t k = 0; k < r->trunk_count; ++k) fill_cell(s, r->trunk[k]);
    karst_status status = kst_team_run(team, r->tree_count, KST_ROUTE_GRAIN, level_trees, s);
    if (status) return status;
    for (int32_t k = r->trunk_count; k-- > 0;) cut_cell(s, r->trunk[k]);
    for (int32_t k = 0; k < r->trunk_count; ++k) spread_cell(s, r->trunk[k]);
    status = kst_team_run(team, r->tree_count, KST_ROUTE_GRAIN, spread_trees, s);
    if (!status) status = kst_team_run(team, rows, 16, sum_rows, s);
    if (status) return status;
    choose_share(s);
    status = kst_team_run(team, rows, 16, mix_rows, s);
    if (status) return status;
    *change_m = 0;
    *deepest_cut_m = 0;
    for (int y = 0; y < rows; ++y) {
        *change_m += s->row[y].change;
        if (s->row[y].deepest > *deepest_cut_m) *deepest_cut_m = s->row[y].deepest;
    }
    return KARST_OK;
}

karst_status kst_settle(kst_level *level, kst_route *route, const kst_settling *settling, const kst_team *team,
                        double *change_m, float *deepest_cut_m) {
    const kst_route_way way = {.steepest = true};
    karst_status status = kst_route_find(route, level->height_m, way, team);
    if (status) return status;
    size_t rows = (size_t)level->height, cells = kst_level_cells(level);
    row_sums *row = kst_alloc_array(NULL, rows, sizeof *row);
    if (!row) return KARST_ERROR_MEMORY;
    float *low = (float *)level->load;  // 8 bytes a cell: room for two planes
    settler s = {.level = level,
                 .route = route,
                 .how = settling,
                 .fall_m = settling->min_fall * level->cell_m,
                 .cut_share = settling->cut_share,
                 .full = level->spare_m,
                 .low = low,
                 .depth = low + cells,
                 .row = row};
    status = run(&s, team, change_m, deepest_cut_m);
    kst_free(NULL, row, rows * sizeof *row);
    return status;
}
