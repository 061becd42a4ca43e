// SPDX-License-Identifier: MIT
// Level: frames, means, and the change handed from coarse to fine.
#include "op/level.h"

// ---- memory ----------------------------------------------------------------------------------------

static void *new_plane(const kst_level *l, size_t each) {
    return kst_alloc_array(NULL, kst_level_cells(l), each);
}
static void free_plane(const kst_level *l, void *plane, size_t each) {
    kst_free(NULL, plane, kst_level_cells(l) * each);
}

karst_status kst_level_create(int inner_width, int inner_height, float cell_m, kst_level *out) {
    kst_level l = {.inner_width = inner_width,
                   .inner_height = inner_height,
                   .width = inner_width + 2 * KST_FRAME,
                   .height = inner_height + 2 * KST_FRAME,
                   .cell_m = cell_m};
    l.start_m = new_plane(&l, sizeof(float));
    l.yield = new_plane(&l, sizeof(float));
    l.take = new_plane(&l, sizeof(float));
    *out = l;
    if (l.start_m && l.yield && l.take) return KARST_OK;
    kst_level_free(out);
    return KARST_ERROR_MEMORY;
}

static karst_status open_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_level *l = context;
    size_t at = (size_t)begin * (size_t)l->width, bytes = (size_t)(end - begin) * (size_t)l->width * sizeof(float);
    memcpy(l->height_m + at, l->start_m + at, bytes);
    memcpy(l->rock_m + at, l->start_m + at, bytes);
    return KARST_OK;
}

static void close_work(kst_level *level) {
    free_plane(level, level->height_m, sizeof(float));
    free_plane(level, level->rock_m, sizeof(float));
    free_plane(level, level->spare_m, sizeof(float));
    free_plane(level, level->load, sizeof(double));
    level->height_m = level->rock_m = level->spare_m = NULL;
    level->load = NULL;
}

karst_status kst_level_open(kst_level *level, const kst_team *team) {
    level->height_m = new_plane(level, sizeof(float));
    level->rock_m = new_plane(level, sizeof(float));
    level->spare_m = new_plane(level, sizeof(float));
    level->load = new_plane(level, sizeof(double));
    if (!level->height_m || !level->rock_m || !level->spare_m || !level->load) {
        close_work(level);
        return KARST_ERROR_MEMORY;
    }
    return kst_team_run(team, level->height, 16, open_rows, level);
}

void kst_level_free(kst_level *level) {
    close_work(level);
    free_plane(level, level->start_m, sizeof(float));
    free_plane(level, level->yield, sizeof(float));
    free_plane(level, level->take, sizeof(float));
    *level = (kst_level){0};
}

// ---- frame -----------------------------------------------------------------------------------------

// One value beyond the rim, from the range of the ground, so that nothing drains to below its lowest place.
typedef struct beyond_def {
    bool turned;  // round the rim; else mirrored at it
    float low, high;
} beyond_def;
static inline float beyond(float rim, float inside, const beyond_def *d) {
    float v = d->turned ? 2 * rim - inside : inside;
    return v < d->low ? d->low : v > d->high ? d->high : v;
}

static void fill_frame(const kst_level *l, float *plane, const beyond_def *d) {
    ptrdiff_t width = l->width, n = l->inner_width, m = l->inner_height;
    for (ptrdiff_t y = KST_FRAME; y < KST_FRAME + m; ++y) {
        float *row = plane + y * width + KST_FRAME;
        for (ptrdiff_t k = 1; k <= KST_FRAME; ++k) {
            row[-k] = beyond(row[0], row[k], d);
            row[n - 1 + k] = beyond(row[n - 1], row[n - 1 - k], d);
        }
    }
    for (ptrdiff_t k = 1; k <= KST_FRAME; ++k) {
        float *top = plane + KST_FRAME * width, *bottom = top + (m - 1) * width;
        for (ptrdiff_t x = 0; x < width; ++x) {
            top[x - k * width] = beyond(top[x], top[x + k * width], d);
            bottom[x + k * width] = beyond(bottom[x], bottom[x - k * width], d);
        }
    }
}

void kst_level_frame(kst_level *level, float low_m, float high_m) {
    fill_frame(level, level->start_m, &(beyond_def){true, low_m, high_m});
    fill_frame(level, level->yield, &(beyond_def){false, 0, 1});
    fill_frame(level, level->take, &(beyond_def){false, 0, 1});
}

void kst_level_fix_ring(kst_level *level) {
    for (int y = 0; y < level->height; ++y) {
        size_t row = (size_t)y * (size_t)level->width;
        bool rim = !y || y == level->height - 1;
        for (int x = 0; x < level->width; x += rim ? 1 : level->width - 1)
            level->yield[row + (size_t)x] = level->take[row + (size_t)x] = 0;
    }
}

// ---- coarser ---------------------------------------------------------------------------------------

typedef struct halving {
    const kst_level *fine;
    kst_level *coarse;
} halving;

static void mean_row(const halving *a, const float *fine, float *coarse, int y) {
    size_t w = (size_t)a->fine->width;
    const float *from = fine + kst_level_inner(a->fine) + 2 * (size_t)y * w;
    float *to = coarse + kst_level_inner(a->coarse) + (size_t)y * (size_t)a->coarse->width;
    for (int x = 0; x < a->coarse->inner_width; ++x, from += 2)
        to[x] = 0.25f * ((from[0] + from[1]) + (from[w] + from[w + 1]));
}

static karst_status mean_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const halving *a = context;
    for (int y = begin; y < end; ++y) {
        mean_row(a, a->fine->start_m, a->coarse->start_m, y);
        mean_row(a, a->fine->yield, a->coarse->yield, y);
        mean_row(a, a->fine->take, a->coarse->take, y);
    }
    return KARST_OK;
}

karst_status kst_level_down(const kst_level *fine, kst_level *coarse, const kst_team *team) {
    KARST_ASSERT(coarse->inner_width == (fine->inner_width + 1) / 2);
    KARST_ASSERT(coarse->inner_height == (fine->inner_height + 1) / 2);
    halving a = {fine, coarse};
    return kst_team_run(team, coarse->inner_height, 16, mean_rows, &a);
}

// ---- finer: Catmull-Rom at a quarter of a cell to both sides ---------------------------------------------

// A fine row at a time: four coarse rows are mixed, then four columns.
typedef struct raising {
    const kst_level *coarse;
    kst_level *fine;
    float *mixed;  // a row of the coarse level for each worker
    float *row;    // five rows of the fine level for each worker
} raising;

static const float weight[4] = {-0.0703125f, 0.8671875f, 0.2265625f, -0.0234375f};

static inline int coarse_cell(int fine) {  // that holds a fine cell; both with their frames
    return ((fine - KST_FRAME) >> 1) + KST_FRAME;
}

// Row y of the fine level from differences a - b of the coarse one (b NULL: a itself).
static void raise_row(const raising *r, const float *a, const float *b, int y, float *mixed, float *out) {
    ptrdiff_t w = r->coarse->width, toward = (y & 1) ? w : -w, at = coarse_cell(y) * w;
    for (ptrdiff_t x = 0; x < w; ++x) {
        const float *p = a + at + x, *q = b ? b + at + x : NULL;
        float v0 = p[-toward], v1 = p[0], v2 = p[toward], v3 = p[2 * toward];
        if (q) v0 -= q[-toward], v1 -= q[0], v2 -= q[toward], v3 -= q[2 * toward];
        mixed[x] = (weight[0] * v0 + weight[1] * v1) + (weight[2] * v2 + weight[3] * v3);
    }
    for (int x = 0; x < r->fine->width; ++x) {
        const float *p = mixed + coarse_cell(x);
        int s = (x & 1) ? 1 : -1;
        out[x] = (weight[0] * p[-s] + weight[1] * p[0]) + (weight[2] * p[s] + weight[3] * p[2 * s]);
    }
}

// How much of a change reaches a cell: no more than its own share against that of the coarse ground round it.
static inline float share_of(float own, float coarse) {
    float share = own / (coarse > 1e-3f ? coarse : 1e-3f);
    return share < 1 ? share : 1;
}

static karst_status raise_rows(int begin, int end, int worker, void *context) {
    raising *r = context;
    const kst_level *c = r->coarse;
    kst_level *f = r->fine;
    float *mixed = r->mixed + (size_t)worker * (size_t)c->width, *row = r->row + 4 * (size_t)worker * (size_t)f->width;
    float *change = row, *rock = row + f->width, *yield = rock + f->width, *take = yield + f->width;
    for (int y = begin; y < end; ++y) {
        raise_row(r, c->height_m, c->start_m, y, mixed, change);
        raise_row(r, c->rock_m, c->start_m, y, mixed, rock);
        raise_row(r, c->yield, NULL, y, mixed, yield);
        raise_row(r, c->take, NULL, y, mixed, take);
        size_t at = (size_t)y * (size_t)f->width;
        for (int x = 0; x < f->width; ++x, ++at) {
            float lower = share_of(f->yield[at], yield[x]), raised = share_of(f->take[at], take[x]);
            float down = rock[x] < 0 ? rock[x] * lower : 0;
            float up = change[x] - rock[x] > 0 ? (change[x] - rock[x]) * raised : 0;
            f->rock_m[at] = down < 0 ? f->start_m[at] + down : f->start_m[at];
            f->height_m[at] = up > 0 ? f->rock_m[at] + up : f->rock_m[at];
        }
    }
    return KARST_OK;
}

karst_status kst_level_up(const kst_level *coarse, kst_level *fine, const kst_team *team) {
    size_t workers = (size_t)karst_jobs_worker_count(team->jobs);
    size_t mixed = workers * (size_t)coarse->width, row = 4 * workers * (size_t)fine->width;
    raising r = {coarse, fine, kst_alloc_array(NULL, mixed, sizeof(float)), kst_alloc_array(NULL, row, sizeof(float))};
    karst_status status = KARST_ERROR_MEMORY;
    if (r.mixed && r.row) status = kst_team_run(team, fine->height, 16, raise_rows, &r);
    kst_free(NULL, r.mixed, mixed * sizeof(float));
    kst_free(NULL, r.row, row * sizeof(float));
    return status;
}

// ---- volume ----------------------------------------------------------------------------------------

typedef struct summing {
    const kst_level *level;
    const float *height_m;
    double *row_m;
} summing;

static karst_status sum_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    summing *s = context;
    for (int y = begin; y < end; ++y) {
        const float *h = s->height_m + (size_t)y * (size_t)s->level->width;
        double lane[8] = {0};
        int x = 0;
        for (; x + 8 <= s->level->width; x += 8)
            for (int k = 0; k < 8; ++k) lane[k] += (double)h[x + k];
        for (; x < s->level->width; ++x) lane[0] += (double)h[x];
        s->row_m[y] = ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
    }
    return KARST_OK;
}

karst_status kst_level_volume(const kst_level *level, const float *height_m, const kst_team *team, double *out) {
    summing s = {level, height_m, kst_alloc_array(NULL, (size_t)level->height, sizeof(double))};
    if (!s.row_m) return KARST_ERROR_MEMORY;
    karst_status status = kst_team_run(team, level->height, 16, sum_rows, &s);
    double sum = 0;
    for (int y = 0; y < level->height && !status; ++y) sum += s.row_m[y];
    kst_free(NULL, s.row_m, (size_t)level->height * sizeof(double));
    if (!status) *out = sum;
    return status;
}
