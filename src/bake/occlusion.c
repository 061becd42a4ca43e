// SPDX-License-Identifier: MIT
// Occlusion: the share of the sky that ground hides from every second vertex, a byte each.
//
// Looked at on the half lattice itself, so the near reaches of a vertex are two cells away. What is nothing but hole
// hides nothing. A band of lines is put in metres with all that its samples can see round it.
#include <math.h>

#include "bake/sheet.h"
#include "light/sky.h"

enum { BAND = 64, REACH = KST_SKY_REACH };

static const float nowhere_m = -1e9f;  // the height of a hole

typedef struct work {
    const kst_sheet *s;
    kst_sky sky;
} work;

// Samples of the half lattice of lines [first - REACH, end + REACH), each with REACH more on both sides.
typedef struct window {
    float *y, *x, *z;  // of sample 0 of line first; x and z NULL when nothing is displaced
    int32_t across;
    ptrdiff_t stride;
} window;

static bool is_ground(const kst_sheet *s, int32_t column, int32_t row) {
    for (int k = 0; k < 4; ++k) {
        int32_t i = column - (k & 1), j = row - (k >> 1);
        if (i < 0 || j < 0 || i >= s->columns - 1 || j >= s->rows - 1) continue;
        if (!(s->hole[0][(size_t)j * (size_t)s->chunks_x[0] + (size_t)(i / 64)] >> (i % 64) & 1)) return true;
    }
    return false;
}

// Line `line` of the half lattice, which may lie beyond the field, to `to` samples from the window's first.
static void fill_line(const kst_sheet *s, const window *w, int32_t line, ptrdiff_t to) {
    int32_t row = kst_min32(kst_max32(2 * line, 0), s->rows - 1);
    for (int32_t i = 0; i < w->across; ++i) {
        int32_t column = kst_min32(2 * i, s->columns - 1);
        size_t at = kst_sheet_index(s, column, row);
        w->y[to + i] = is_ground(s, column, row) ? (float)(s->y[at] * s->lattice.step_y_m) : nowhere_m;
        if (!w->x) continue;
        w->x[to + i] = (float)(s->dx[at] * s->lattice.step_xz_m);
        w->z[to + i] = (float)(s->dz[at] * s->lattice.step_xz_m);
    }
    float *planes[3] = {w->y, w->x, w->z};
    for (int a = 0; a < (w->x ? 3 : 1); ++a)
        for (int k = 1; k <= REACH; ++k) {
            planes[a][to - k] = planes[a][to];
            planes[a][to + w->across - 1 + k] = planes[a][to + w->across - 1];
        }
}

static karst_status look_bands(int begin, int end, int worker, void *context) {
    (void)worker;
    const work *w = context;
    const kst_sheet *s = w->s;
    int32_t across = kst_half_count(s->columns), down = kst_half_count(s->rows);
    window in = {.across = across, .stride = across + 2 * REACH};
    size_t plane = (size_t)in.stride * (BAND + 2 * REACH), count = plane * (s->displaced ? 3 : 1);
    float *memory = kst_alloc_array(NULL, count + 3 * (size_t)across, sizeof *memory);
    if (!memory) return KARST_ERROR_MEMORY;
    float *scratch = memory + count, *share = scratch + 2 * across;
    in.y = memory + REACH * in.stride + REACH;
    if (s->displaced) {
        in.x = in.y + plane;
        in.z = in.x + plane;
    }
    for (int band = begin; band < end; ++band) {
        int32_t first = band * BAND, last = kst_min32(first + BAND, down);
        for (int32_t line = first - REACH; line < last + REACH; ++line)
            fill_line(s, &in, line, (line - first) * in.stride);
        for (int32_t line = first; line < last; ++line) {
            ptrdiff_t at = (line - first) * in.stride;
            kst_sky_rows row = {in.y + at, in.x ? in.x + at : NULL, in.z ? in.z + at : NULL, in.stride};
            kst_sky_look(&w->sky, &row, across, scratch, share);
            uint8_t *out = s->occlusion + (size_t)line * (size_t)across;
            for (int32_t i = 0; i < across; ++i) out[i] = (uint8_t)lrintf(255 * (1 - share[i]));
        }
    }
    kst_free(NULL, memory, (count + 3 * (size_t)across) * sizeof *memory);
    return KARST_OK;
}

karst_status kst_sheet_occlusion(kst_sheet *s, karst_jobs *jobs, const karst_progress *progress) {
    int32_t across = kst_half_count(s->columns), down = kst_half_count(s->rows);
    s->occlusion = kst_alloc(NULL, (size_t)across * (size_t)down);
    if (!s->occlusion) return KARST_ERROR_MEMORY;
    work w = {.s = s};
    kst_sky_make(&w.sky, (float)(2 * s->lattice.shape.spacing_m));
    return kst_jobs_run(jobs, (down + BAND - 1) / BAND, 1, look_bands, &w, progress, "occlusion", 0, 1);
}
