// SPDX-License-Identifier: MIT
// Beds: every cell of a river lowers the ground round it to its own height and a bank.
//
// The middle of a bed runs through the mean of nine cells of the river, so that it bends smoothly. The ground becomes
// the least of what all its rivers ask for, so their order does not matter. Width goes with the root of the drained
// area: L. Leopold and T. Maddock, "The hydraulic geometry of stream channels", 1953.
#include "op/beds.h"

#include <math.h>

enum { STEPS = 4, RADIUS_MAX = 12, ROWS = 32 };  // cells; ROWS: of one job
static const float least_width = 0.3f;           // cells: narrower streams are left to the slopes
static const float bank_width = 2.5f;            // cells: how far beyond the bed its banks are cut back
static const float hollow = 0.04f;               // a bed's depth / its width

typedef struct carving {
    kst_level *level;
    const kst_route *route;
    const kst_beds *beds;
    const float *start;  // heights before
    double *row_m;       // taken from each row
} carving;

// The donor that brings the most water, or -1.
static int32_t main_donor(const kst_route *r, int32_t cell) {
    int32_t best = -1;
    for (unsigned donors = r->from[cell]; donors; donors &= donors - 1) {
        int32_t donor = cell + r->step[__builtin_ctz(donors)];
        if (best < 0 || r->area[donor] > r->area[best]) best = donor;
    }
    return best;
}

// Mean place of the cells up to STEPS up and down the river.
static void find_middle(const kst_route *r, int32_t cell, float *x, float *y) {
    int sum_x = cell % r->width, sum_y = cell / r->width, count = 1;
    int32_t up = cell, down = cell;
    for (int k = 0; k < STEPS; ++k) {
        up = main_donor(r, up);
        if (up < 0 || kst_route_is_outlet(r, down)) break;  // as many on both sides
        down = kst_route_receiver(r, down);
        sum_x += up % r->width + down % r->width;
        sum_y += up / r->width + down / r->width;
        count += 2;
    }
    *x = (float)sum_x / (float)count;
    *y = (float)sum_y / (float)count;
}

// Rows [y0, y1) of what one cell of a river carves.
static void carve_round(const carving *c, int32_t cell, int y0, int y1) {
    kst_level *l = c->level;
    float half = 0.5f * c->beds->width * sqrtf((float)c->route->area[cell]), reach = half + bank_width, x, y;
    find_middle(c->route, cell, &x, &y);
    if (reach > RADIUS_MAX - STEPS) reach = RADIUS_MAX - STEPS;
    float bottom = c->start[cell];
    int first_x = (int)(x - reach) + 1, last_x = (int)(x + reach);
    int first_y = (int)(y - reach) + 1, last_y = (int)(y + reach);
    first_x = first_x < 1 ? 1 : first_x;
    last_x = last_x > l->width - 2 ? l->width - 2 : last_x;
    first_y = first_y < y0 ? y0 : first_y;
    last_y = last_y >= y1 ? y1 - 1 : last_y;
    for (int j = first_y; j <= last_y; ++j)
        for (int i = first_x; i <= last_x; ++i) {
            float dx = (float)i - x, dy = (float)j - y, d = sqrtf(dx * dx + dy * dy);
            if (d >= reach) continue;
            float in = d < half ? d / half : 1, out = d > half ? d - half : 0;
            float rise = hollow * half * in * in + c->beds->bank * out * (out / bank_width);
            size_t at = (size_t)j * (size_t)l->width + (size_t)i;
            float over = c->start[at] - (bottom + rise * l->cell_m);
            if (over <= 0) continue;
            float lower = c->start[at] - over * l->yield[at];
            if (lower < l->height_m[at]) l->height_m[at] = lower;
        }
}

static karst_status carve_bands(int begin, int end, int worker, void *context) {
    (void)worker;
    const carving *c = context;
    kst_level *l = c->level;
    float least = least_width / c->beds->width, least_area = least * least;
    for (int band = begin; band < end; ++band) {
        int y0 = band * ROWS, y1 = y0 + ROWS < l->height ? y0 + ROWS : l->height;
        int from = y0 - RADIUS_MAX < 1 ? 1 : y0 - RADIUS_MAX;
        int to = y1 + RADIUS_MAX > l->height - 1 ? l->height - 1 : y1 + RADIUS_MAX;
        for (int y = from; y < to; ++y)
            for (int32_t cell = y * l->width + 1; cell < (y + 1) * l->width - 1; ++cell)
                if ((float)c->route->area[cell] >= least_area) carve_round(c, cell, y0, y1);
        for (int y = y0; y < y1; ++y) {
            size_t at = (size_t)y * (size_t)l->width, last = at + (size_t)l->width;
            double taken = 0;
            for (; at < last; ++at) {
                taken += (double)c->start[at] - (double)l->height_m[at];
                if (l->height_m[at] < l->rock_m[at]) l->rock_m[at] = l->height_m[at];
            }
            c->row_m[y] = taken;
        }
    }
    return KARST_OK;
}

karst_status kst_beds_carve(kst_level *level, const kst_route *route, const kst_beds *beds, const kst_team *team,
                            double *carried_m) {
    if (beds->width <= 0) return KARST_OK;
    size_t rows = (size_t)level->height;
    carving c = {level, route, beds, level->spare_m, kst_alloc_array(NULL, rows, sizeof(double))};
    if (!c.row_m) return KARST_ERROR_MEMORY;
    memcpy(level->spare_m, level->height_m, kst_level_cells(level) * sizeof *level->spare_m);
    karst_status status = kst_team_run(team, (level->height + ROWS - 1) / ROWS, 1, carve_bands, &c);
    for (size_t y = 0; y < rows && !status; ++y) *carried_m += c.row_m[y];
    kst_free(NULL, c.row_m, rows * sizeof(double));
    return status;
}
