// SPDX-License-Identifier: MIT
// Rivers: stream power along the trees of a route, and creep across the slopes between.
//
// After: J. Braun and S. Willett, "A very efficient O(n), implicit and parallel method to solve the stream power
// equation", 2013 (m = 0.5, n = 1); deposition on the way after P. Davy and D. Lague, "Fluvial erosion/transport
// equation of landscape evolution models revisited", 2009, in the explicit form. Cutting and laying down are one walk
// of each tree: down the donors' side a cell is cut once its receiver is, on the way back it keeps its share of what
// came.
#include "op/rivers.h"

#include <math.h>

#include "op/lanes.h"

typedef struct cutting {
    kst_level *level;
    const kst_route *route;
    const kst_rivers_step *step;
} cutting;

static inline void cut_cell(void *context, int32_t cell) {
    const cutting *c = context;
    float *h = c->level->height_m;
    double taken = 0;
    if (!kst_route_is_outlet(c->route, cell)) {
        unsigned way = c->route->to[cell];
        float high = h[cell], low = h[cell + c->route->step[way]];
        if (high > low) {
            // sqrt(area) / distance, both in cells
            float reach = sqrtf((float)c->route->area[cell]) * (way & 1 ? 0.70710678f : 1);
            float f = c->step->cut * c->level->yield[cell] * reach;
            float cut = (high + f * low) / (1 + f);
            h[cell] = cut;
            taken = (double)high - (double)cut;
        }
    }
    c->level->load[cell] = taken;
}

static inline void lay_cell(void *context, int32_t cell) {
    const cutting *c = context;
    const kst_route *r = c->route;
    double *load = c->level->load, come = load[cell];
    for (unsigned donors = r->from[cell]; donors; donors &= donors - 1)
        come += load[cell + r->step[__builtin_ctz(donors)]];
    if (come > 0 && !kst_route_is_outlet(r, cell)) {
        float *h = c->level->height_m, passing = (float)come;
        float room = h[kst_route_receiver(r, cell)] + c->step->min_fall_m - h[cell];  // of a lake
        float laid = c->step->fan * passing / (float)r->area[cell];
        if (room > 0 && laid < room) laid = passing < room ? passing : room;
        if (laid > passing) laid = passing;
        float before = h[cell], after = before + laid * c->level->take[cell];
        h[cell] = after;
        come -= (double)after - (double)before;
    }
    load[cell] = come;
}

static karst_status cut_trees(int begin, int end, int worker, void *context) {
    (void)worker;
    cutting *c = context;
    for (int k = begin; k < end; ++k) kst_route_walk(c->route, c->route->tree[k], cut_cell, lay_cell, c);
    return KARST_OK;
}

// ---- creep: from all eight neighbours at once; what flows between two cells is equal and opposite ------------

typedef struct creeping {
    const kst_level *level;
    const kst_route *route;
    const kst_rivers_step *step;
    double *row_m;  // carried off from each row
} creeping;

// Eight cells side by side, in a macro: gcc and clang differ in how they hand vectors to functions.
typedef uint32_t words __attribute__((vector_size(32), aligned(4), may_alias));
#define AT(p) (*(const kst_lanes *)(p))
#define PICK(condition, a, b) (((kst_lane_bits)(a) & (condition)) | ((kst_lane_bits)(b) & ~(condition)))
#define ABOVE_0(v) ((kst_lanes)((kst_lane_bits)(v) & ((v) > 0)))

// One neighbour n: what it gives less what it gets. Ground creeps with the fall between the two, and slides where that
// is steeper than what stays. The upper cell must yield, the lower must take.
#define FLOW(n, steep, slide, creep)                                                        \
    {                                                                                       \
        kst_lanes rise = AT(h + (n)) - own, come = ABOVE_0(rise), go = ABOVE_0(-rise);      \
        kst_lanes come_steep = come - (steep), go_steep = go - (steep);                     \
        come = ((slide)*ABOVE_0(come_steep) + (creep)*come) * (AT(yield + (n)) * own_take); \
        go = ((slide)*ABOVE_0(go_steep) + (creep)*go) * (own_yield * AT(take + (n)));       \
        sum += come - go;                                                                   \
    }

// Columns 1 .. width - 2 of a row; the last few are done twice when they do not fill the lanes. Rivers carry off their
// share of what slopes bring them. @return what they carried off [m on one cell]
KST_TWINS static double creep_row(const creeping *c, size_t at) {
    const kst_level *l = c->level;
    const float slide = 0.08f, corner_slide = slide * 0.70710678f;
    const float steep = c->step->talus * l->cell_m, corner_steep = steep * 1.41421356f;
    const float creep = c->step->creep * (2 / 3.f), corner_creep = c->step->creep * (1 / 6.f);
    const float half = c->step->half_cells;
    ptrdiff_t w = l->width, last = w - 1 - KST_LANES;
    kst_sums carried = {0};
    for (ptrdiff_t next = 1, x; next < w - 1; next = x + KST_LANES) {
        x = next < last ? next : last;
        size_t i = at + (size_t)x;
        const float *h = l->height_m + i, *yield = l->yield + i, *take = l->take + i;
        kst_lanes own = AT(h), own_yield = AT(yield), own_take = AT(take), sum = own - own;
        FLOW(-1, steep, slide, creep)
        FLOW(1, steep, slide, creep)
        FLOW(-w, steep, slide, creep)
        FLOW(w, steep, slide, creep)
        FLOW(-w - 1, corner_steep, corner_slide, corner_creep)
        FLOW(w + 1, corner_steep, corner_slide, corner_creep)
        FLOW(-w + 1, corner_steep, corner_slide, corner_creep)
        FLOW(w - 1, corner_steep, corner_slide, corner_creep)
        kst_lanes area = __builtin_convertvector(*(const words *)(c->route->area + i), kst_lanes);
        kst_lanes all = own + sum, risen = own + ABOVE_0(sum) * (half / (half + area));
        kst_lanes now = (kst_lanes)PICK(sum > 0, risen, all), rock_was = AT(l->rock_m + i), off = all - now;
        *(kst_lanes *)(l->spare_m + i) = now;
        *(kst_lanes *)(l->rock_m + i) = (kst_lanes)PICK(now < rock_was, now, rock_was);
        for (ptrdiff_t k = x; k < next; ++k) off[k - x] = 0;  // done before
        kst_sums_add(&carried, off);
    }
    return kst_sums_total(carried);
}

static karst_status creep_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const creeping *c = context;
    const kst_level *l = c->level;
    for (int y = begin; y < end; ++y) {
        size_t at = (size_t)y * (size_t)l->width, last = at + (size_t)l->width - 1;
        const float *h = l->height_m + at;
        c->row_m[y] = 0;
        if (!y || y == l->height - 1) {
            memcpy(l->spare_m + at, h, (size_t)l->width * sizeof *h);
            continue;
        }
        c->row_m[y] = creep_row(c, at);
        l->spare_m[at] = l->height_m[at];
        l->spare_m[last] = l->height_m[last];
    }
    return KARST_OK;
}

karst_status kst_rivers_cut(kst_level *level, const kst_route *route, const kst_rivers_step *step, const kst_team *team,
                            double *carried_m) {
    cutting cut = {level, route, step};
    for (int32_t k = 0; k < route->trunk_count; ++k) cut_cell(&cut, route->trunk[k]);
    karst_status status = kst_team_run(team, route->tree_count, KST_ROUTE_GRAIN, cut_trees, &cut);
    if (status) return status;
    for (int32_t k = route->trunk_count; k-- > 0;) lay_cell(&cut, route->trunk[k]);
    int last = level->width - 1;
    for (int x = 0; x <= last; ++x)
        *carried_m += level->load[x] + level->load[(size_t)(level->height - 1) * (size_t)level->width + (size_t)x];
    for (int y = 1; y < level->height - 1; ++y) {
        const double *row = level->load + (size_t)y * (size_t)level->width;
        *carried_m += row[0] + row[last];
    }
    creeping creep = {level, route, step, kst_alloc_array(NULL, (size_t)level->height, sizeof(double))};
    if (!creep.row_m) return KARST_ERROR_MEMORY;
    status = kst_team_run(team, level->height, 16, creep_rows, &creep);
    for (int y = 0; y < level->height && !status; ++y) *carried_m += creep.row_m[y];
    kst_free(NULL, creep.row_m, (size_t)level->height * sizeof(double));
    if (status) return status;
    float *h = level->height_m;
    level->height_m = level->spare_m;
    level->spare_m = h;
    return KARST_OK;
}
