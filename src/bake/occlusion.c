// SPDX-License-Identifier: MIT
// Occlusion: the share of the sky that ground hides from every second vertex, a byte each.
//
// Looked at on the half lattice itself, so the near reaches of a vertex are two cells away. What is nothing but hole
// hides nothing. A band of lines is put in metres with all that its samples can see round it. Where
// ground near by faces down, vertices send rays into the sky instead: a walk over the lattice misses parts of a roof.
#include <math.h>
#include <stdlib.h>

#include "bake/sheet.h"
#include "light/sky.h"

enum { BAND = 64, REACH = KST_SKY_REACH, RAYS = 64, TILE = 16 };

static const float nowhere_m = -1e9f;  // the height of a hole

typedef struct work {
    const kst_sheet *s;
    const karst_ground *ground;
    kst_sky sky;
    uint8_t *tile;  // of 16 x 16 vertices each: 1 when its vertices send rays; NULL: none do
    int32_t tiles_x, tiles_z;
    karst_pos ray[RAYS];  // to all sides of the sky, as many as its light weighs
} work;

static bool faces_down(uint16_t normal) {
    int x = (normal & 255) - 128, z = (normal >> 8) - 128;
    return abs(x) + abs(z) > 127;
}

// Tiles with ground that faces down, and those round them that it may stand over or beside.
static karst_status choose_tiles(work *w) {
    const kst_sheet *s = w->s;
    w->tiles_x = (s->columns + TILE - 1) / TILE;
    w->tiles_z = (s->rows + TILE - 1) / TILE;
    size_t count = (size_t)w->tiles_x * (size_t)w->tiles_z;
    uint8_t *down = kst_alloc_zero(NULL, count);
    w->tile = kst_alloc_zero(NULL, count);
    int32_t reach = 0;
    for (int32_t row = 0; row < s->rows && down && w->tile; ++row) {
        if (row % 64 == 0) kst_scratch_ease(s->scratch);
        for (int32_t column = 0; column < s->columns; ++column) {
            size_t at = kst_sheet_index(s, column, row);
            if (!faces_down(s->normal[at])) continue;
            down[(size_t)(row / TILE) * (size_t)w->tiles_x + (size_t)(column / TILE)] = 1;
            reach = kst_max32(reach, kst_max32(abs(s->dx[at]), abs(s->dz[at])));
        }
    }
    int32_t round = reach / s->lattice.cell_steps / TILE + 1;
    for (int32_t z = 0; z < w->tiles_z && down && w->tile; ++z)
        for (int32_t x = 0; x < w->tiles_x; ++x) {
            if (!down[(size_t)z * (size_t)w->tiles_x + (size_t)x]) continue;
            int32_t x1 = kst_min32(x + round, w->tiles_x - 1), z1 = kst_min32(z + round, w->tiles_z - 1);
            for (int32_t j = kst_max32(z - round, 0); j <= z1; ++j)
                for (int32_t i = kst_max32(x - round, 0); i <= x1; ++i)
                    w->tile[(size_t)j * (size_t)w->tiles_x + (size_t)i] = 1;
        }
    karst_status status = down && w->tile ? KARST_OK : KARST_ERROR_MEMORY;
    kst_free(NULL, down, count);
    return status;
}

static bool sends_rays(const work *w, int32_t column, int32_t row) {
    return w->tile && w->tile[(size_t)(row / TILE) * (size_t)w->tiles_x + (size_t)(column / TILE)];
}

static void make_rays(work *w) {
    for (int k = 0; k < RAYS; ++k) {
        double sine = sqrt((k + 0.5) / RAYS), turn = k * 2.39996322972865332, flat = sqrt(1 - sine * sine);
        w->ray[k] = (karst_pos){flat * cos(turn), sine, flat * sin(turn)};
    }
}

// The share of rays that meet nothing on their way from a vertex. Those into the ground under it do not start.
static karst_status cast_rays(const work *w, int32_t column, int32_t row, float *share) {
    const karst_lattice *l = &w->s->lattice;
    size_t at = kst_sheet_index(w->s, column, row);
    karst_pos o = l->shape.origin;
    o.x += ((double)column * l->cell_steps + w->s->dx[at]) * l->step_xz_m;
    o.y += w->s->y[at] * l->step_y_m;
    o.z += ((double)row * l->cell_steps + w->s->dz[at]) * l->step_xz_m;
    karst_vec3 n = karst_normal_decode(w->s->normal[at]);
    // Off the ground by more than the lattice has moved it.
    double off = 2 * (double)l->bound_m + 0.02 * l->shape.spacing_m;
    o = (karst_pos){o.x + off * (double)n.x, o.y + off * (double)n.y, o.z + off * (double)n.z};
    int open = 0;
    for (int k = 0; k < RAYS; ++k) {
        const karst_pos *d = &w->ray[k];
        if (d->x * (double)n.x + d->y * (double)n.y + d->z * (double)n.z <= 0) continue;
        bool blocked;
        karst_ray ray = karst_ray_make(o, *d);
        karst_status status = karst_ground_blocked(w->ground, &ray, &blocked);
        if (status) return status;
        open += !blocked;
    }
    *share = (float)open / RAYS;
    return KARST_OK;
}

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
        if (!kst_sheet_lets_light(s, i, j)) return true;
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

typedef struct desk {  // what one range works with
    window in;
    float *scratch, *share;
} desk;

static bool open_desk(const kst_sheet *s, kst_arena *arena, desk *d) {
    size_t across = (size_t)kst_half_count(s->columns), stride = across + 2 * REACH;
    size_t plane = stride * (BAND + 2 * REACH), first = REACH * stride + REACH;
    float *planes = kst_arena_alloc(arena, plane * (s->displaced ? 3 : 1) * sizeof(float));
    *d = (desk){.in = {.across = (int32_t)across, .stride = (ptrdiff_t)stride},
                .scratch = kst_arena_alloc(arena, 2 * across * sizeof(float)),
                .share = kst_arena_alloc(arena, across * sizeof(float))};
    if (!planes || !d->scratch || !d->share) return false;
    d->in.y = planes + first;
    if (s->displaced) {
        d->in.x = planes + plane + first;
        d->in.z = planes + 2 * plane + first;
    }
    return true;
}

static karst_status look_line(const work *w, const desk *d, int32_t line, ptrdiff_t at) {
    const kst_sheet *s = w->s;
    bool moved = d->in.x != NULL;
    kst_sky_rows row = {d->in.y + at, moved ? d->in.x + at : NULL, moved ? d->in.z + at : NULL, d->in.stride};
    kst_sky_look(&w->sky, &row, d->in.across, d->scratch, d->share);
    karst_status status = KARST_OK;
    int32_t vertex_row = kst_min32(2 * line, s->rows - 1);
    for (int32_t i = 0; moved && i < d->in.across && !status; ++i) {
        int32_t column = kst_min32(2 * i, s->columns - 1);
        if (row.y[i] > nowhere_m && sends_rays(w, column, vertex_row))
            status = cast_rays(w, column, vertex_row, &d->share[i]);
    }
    uint8_t *out = s->occlusion + (size_t)line * (size_t)d->in.across;
    for (int32_t i = 0; i < d->in.across; ++i) out[i] = (uint8_t)lrintf(255 * (1 - d->share[i]));
    return status;
}

static karst_status look_bands(int begin, int end, int worker, void *context) {
    (void)worker;
    const work *w = context;
    kst_arena arena = {0};
    desk d;
    karst_status status = open_desk(w->s, &arena, &d) ? KARST_OK : KARST_ERROR_MEMORY;
    for (int band = begin; band < end && !status; ++band) {
        int32_t first = band * BAND, last = kst_min32(first + BAND, kst_half_count(w->s->rows));
        for (int32_t line = first - REACH; line < last + REACH; ++line)
            fill_line(w->s, &d.in, line, (line - first) * d.in.stride);
        for (int32_t line = first; line < last && !status; ++line)
            status = look_line(w, &d, line, (line - first) * d.in.stride);
        kst_scratch_ease(w->s->scratch);
    }
    kst_arena_free(&arena);
    return status;
}

karst_status kst_sheet_occlusion(kst_sheet *s, karst_field *field, karst_jobs *jobs, const karst_progress *progress,
                                 karst_report *report) {
    int32_t across = kst_half_count(s->columns), down = kst_half_count(s->rows);
    s->occlusion = kst_scratch_alloc(s->scratch, (size_t)across * (size_t)down, 1);
    work w = {.s = s, .ground = karst_field_ground(field)};
    kst_sky_make(&w.sky, (float)(2 * s->lattice.shape.spacing_m));
    make_rays(&w);
    karst_status status = s->occlusion ? KARST_OK : kst_scratch_fail(s->scratch, report);
    if (!status && s->displaced) status = choose_tiles(&w);
    if (!status) status = kst_jobs_run(jobs, (down + BAND - 1) / BAND, 1, look_bands, &w, progress, "occlusion", 0, 1);
    kst_free(NULL, w.tile, (size_t)w.tiles_x * (size_t)w.tiles_z);
    return status;
}
