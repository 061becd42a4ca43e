// SPDX-License-Identifier: MIT
// Erode: arrays in and out of the finest level, row by row on all threads.
#include "op/erode_ground.h"

#include <math.h>

enum { ROWS = 16 };

typedef struct range {
    float low, high;
    bool bad;
} range;

typedef struct moving {
    const karst_erosion_ground *ground;
    kst_level *level;
    range *range;          // a row each
    kst_ground_sums *sum;  // likewise
} moving;

static size_t inner_row(const kst_level *l, int y) {
    return kst_level_inner(l) + (size_t)y * (size_t)l->width;
}

static bool all_finite(const float *a, int count) {
    float zero = 0;
    for (int x = 0; x < count; ++x) zero += a[x] - a[x];
    return zero == 0;
}

static karst_status range_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const moving *m = context;
    const karst_erosion_ground *g = m->ground;
    for (int y = begin; y < end; ++y) {
        size_t at = (size_t)y * (size_t)g->width;
        const float *h = g->height_m + at;
        range r = {h[0], h[0], !all_finite(h, g->width)};
        for (int x = 0; x < g->width; ++x) {
            r.low = h[x] < r.low ? h[x] : r.low;
            r.high = h[x] > r.high ? h[x] : r.high;
        }
        if (g->mask) r.bad |= !all_finite(g->mask + at, g->width);
        if (g->hardness) r.bad |= !all_finite(g->hardness + at, g->width);
        if (g->aside_x_m) r.bad |= !all_finite(g->aside_x_m + at, g->width) || !all_finite(g->aside_z_m + at, g->width);
        m->range[y] = r;
    }
    return KARST_OK;
}

karst_status kst_ground_range(const karst_erosion_ground *ground, const kst_team *team, float *low_m, float *high_m) {
    moving m = {.ground = ground, .range = kst_alloc_array(NULL, (size_t)ground->height, sizeof(range))};
    if (!m.range) return KARST_ERROR_MEMORY;
    karst_status status = kst_team_run(team, ground->height, ROWS, range_rows, &m);
    range all = m.range[0];
    for (int y = 1; y < ground->height && !status; ++y) {
        all.low = fminf(all.low, m.range[y].low);
        all.high = fmaxf(all.high, m.range[y].high);
        all.bad |= m.range[y].bad;
    }
    kst_free(NULL, m.range, (size_t)ground->height * sizeof(range));
    if (status) return status;
    *low_m = all.low;
    *high_m = all.high;
    return all.bad ? KARST_ERROR_ARGUMENT : KARST_OK;
}

static float in_0_1(float v) {
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static karst_status fill_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const moving *m = context;
    const karst_erosion_ground *g = m->ground;
    for (int y = begin; y < end; ++y) {
        size_t from = (size_t)y * (size_t)g->width, to = inner_row(m->level, y);
        for (int x = 0; x < g->width; ++x, ++from, ++to) {
            float soft = g->hardness ? 1 - in_0_1(g->hardness[from]) : 1;
            m->level->start_m[to] = g->height_m[from];
            m->level->take[to] = g->mask ? in_0_1(g->mask[from]) : 1;
            m->level->yield[to] = m->level->take[to] * soft;
        }
    }
    return KARST_OK;
}

karst_status kst_ground_in(const karst_erosion_ground *ground, kst_level *finest, const kst_team *team) {
    moving m = {.ground = ground, .level = finest};
    return kst_team_run(team, ground->height, ROWS, fill_rows, &m);
}

static karst_status sum_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const moving *m = context;
    const kst_level *l = m->level;
    for (int y = begin; y < end; ++y) {
        kst_ground_sums s = {0};
        size_t at = (size_t)y * (size_t)l->width;
        bool inner = y >= KST_FRAME && y < KST_FRAME + l->inner_height;
        for (int x = 0; x < l->width; ++x, ++at) {
            s.moved_m += fabs((double)l->height_m[at] - (double)l->start_m[at]);
            if (!inner || x < KST_FRAME || x >= KST_FRAME + l->inner_width) continue;
            float wear = l->start_m[at] - l->rock_m[at];
            s.worn_m += (double)wear;
            s.laid_m += (double)l->height_m[at] - (double)l->rock_m[at];
            s.deepest_m = wear > s.deepest_m ? wear : s.deepest_m;
        }
        m->sum[y] = s;
    }
    return KARST_OK;
}

karst_status kst_ground_sum(const kst_level *finest, const kst_team *team, kst_ground_sums *out) {
    size_t rows = (size_t)finest->height;
    moving m = {.level = (kst_level *)finest, .sum = kst_alloc_array(NULL, rows, sizeof *m.sum)};
    if (!m.sum) return KARST_ERROR_MEMORY;
    karst_status status = kst_team_run(team, finest->height, ROWS, sum_rows, &m);
    kst_ground_sums all = {0};
    for (size_t y = 0; y < rows && !status; ++y) {
        all.moved_m += m.sum[y].moved_m;
        all.worn_m += m.sum[y].worn_m;
        all.laid_m += m.sum[y].laid_m;
        all.deepest_m = fmaxf(all.deepest_m, m.sum[y].deepest_m);
    }
    kst_free(NULL, m.sum, rows * sizeof *m.sum);
    if (!status) *out = all;
    return status;
}

static void out_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const moving *m = context;
    const karst_erosion_ground *g = m->ground;
    const kst_level *l = m->level;
    for (int y = begin; y < end; ++y) {
        size_t to = (size_t)y * (size_t)g->width, from = inner_row(l, y);
        for (int x = 0; x < g->width; ++x, ++from, ++to) {
            g->height_m[to] = l->height_m[from];
            if (g->wear_m) g->wear_m[to] = l->start_m[from] - l->rock_m[from];
            if (g->deposit_m) g->deposit_m[to] = l->height_m[from] - l->rock_m[from];
        }
    }
}

void kst_ground_out(const karst_erosion_ground *ground, const kst_level *finest, karst_jobs *jobs) {
    moving m = {.ground = ground, .level = (kst_level *)finest};
    karst_jobs_for(jobs, ground->height, ROWS, out_rows, &m);
}

static karst_status rock_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_level *l = ((moving *)context)->level;
    size_t w = (size_t)l->width;
    for (size_t i = (size_t)begin * w; i < (size_t)end * w; ++i)
        l->rock_m[i] = l->height_m[i] < l->rock_m[i] ? l->height_m[i] : l->rock_m[i];
    return KARST_OK;
}

karst_status kst_level_keep_rock(kst_level *level, const kst_team *team) {
    moving m = {.level = level};
    return kst_team_run(team, level->height, ROWS, rock_rows, &m);
}

static karst_status hardness_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_level *l = ((moving *)context)->level;
    size_t w = (size_t)l->width;
    for (size_t i = (size_t)begin * w; i < (size_t)end * w; ++i)
        l->spare_m[i] = l->take[i] > 0 ? 1 - l->yield[i] / l->take[i] : 1;
    return KARST_OK;
}

karst_status kst_level_hardness(kst_level *level, const kst_team *team) {
    moving m = {.level = level};
    return kst_team_run(team, level->height, ROWS, hardness_rows, &m);
}
