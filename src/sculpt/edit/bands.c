// SPDX-License-Identifier: MIT
// Bands: a window of old rows slides down the field.
//
//     rows of the field    ─────────────────────────────────────────────►
//     window               [ halo | band to be made | halo ]
//     next                          [ halo | band   | halo ]
//
// What is written lies above the next band, and the window keeps the halo of old rows that it needs from there: every
// row is read once, as it was.
#include "edit/bands.h"

enum { BAND_ROWS = KARST_CHUNK_CELLS, TILE_COLUMNS = 256 };

typedef struct window {
    const kst_bands *b;
    karst_field_shape shape;
    karst_rect held;  // what the planes hold
    int width, rows_most, band_rows;
    float *plane[3];  // old y, x, z
    float *memory;
    size_t floats;
    kst_band band;
    bool *changed;  // a tile
    int tiles;
} window;

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}
static int32_t most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static karst_status window_make(const kst_bands *b, window *w) {
    *w = (window){.b = b, .shape = karst_field_shape_of(b->field)};
    w->held = (karst_rect){most(0, b->rect.x0 - b->halo), 0, least(w->shape.columns, b->rect.x1 + b->halo), 0};
    w->width = w->held.x1 - w->held.x0;
    w->band_rows = (most(BAND_ROWS, 2 * b->halo) + BAND_ROWS - 1) / BAND_ROWS * BAND_ROWS;
    w->rows_most = w->band_rows + 2 * b->halo;
    int columns = b->rect.x1 - b->rect.x0, in = b->sideways_in ? 3 : 1;
    w->tiles = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    size_t old, out;
    if (!kst_size_mul((size_t)w->width, (size_t)w->rows_most, &old) ||
        !kst_size_mul((size_t)columns, (size_t)w->band_rows, &out))
        return KARST_ERROR_MEMORY;
    w->floats = old * (size_t)in + out * 5;
    w->memory = kst_alloc_array(NULL, w->floats, sizeof *w->memory);
    w->changed = kst_alloc_array(NULL, (size_t)w->tiles, sizeof *w->changed);
    if (!w->memory || !w->changed) return KARST_ERROR_MEMORY;
    for (int k = 0; k < in; ++k) w->plane[k] = w->memory + old * (size_t)k;
    float *rest = w->memory + old * (size_t)in;
    w->band = (kst_band){
        .beside = {rest, rest + out}, .y = rest + 2 * out, .x = rest + 3 * out, .z = rest + 4 * out, .stride = columns};
    return KARST_OK;
}

static void window_free(window *w) {
    kst_free(NULL, w->memory, w->floats * sizeof *w->memory);
    kst_free(NULL, w->changed, (size_t)w->tiles * sizeof *w->changed);
}

// Let the window hold rows [z0, z1), which begin in or right after what it holds.
static karst_status slide(window *w, int32_t z0, int32_t z1) {
    size_t row = (size_t)w->width, kept = w->held.z1 > z0 ? (size_t)(w->held.z1 - z0) * row : 0;
    for (int k = 0; k < 3 && kept; ++k)
        if (w->plane[k]) memmove(w->plane[k], w->plane[k] + (size_t)(z0 - w->held.z0) * row, kept * sizeof(float));
    karst_rect fresh = {w->held.x0, kept ? w->held.z1 : z0, w->held.x1, z1};
    w->held.z0 = z0;
    w->held.z1 = z1;
    if (fresh.z0 >= fresh.z1) return KARST_OK;
    size_t at = (size_t)(fresh.z0 - z0) * row;
    return karst_field_read(w->b->field, fresh, w->plane[0] + at, w->plane[1] ? w->plane[1] + at : NULL,
                            w->plane[2] ? w->plane[2] + at : NULL, w->width);
}

// Whether any vertex of the window is displaced.
static bool displaced(const window *w) {
    size_t count = (size_t)w->width * (size_t)(w->held.z1 - w->held.z0);
    for (size_t k = 0; w->plane[1] && k < count; ++k)
        if (w->plane[1][k] != 0 || w->plane[2][k] != 0) return true;
    return false;
}

static karst_status load_band(window *w, int32_t z0, int32_t z1) {
    const kst_bands *b = w->b;
    karst_status status = slide(w, most(0, z0 - b->halo), least(w->shape.rows, z1 + b->halo));
    if (status) return status;
    bool sideways = displaced(w);
    w->band.rect = (karst_rect){b->rect.x0, z0, b->rect.x1, z1};
    w->band.samples = (kst_samples){.shape = w->shape,
                                    .rect = w->held,
                                    .y = w->plane[0],
                                    .x = sideways ? w->plane[1] : NULL,
                                    .z = sideways ? w->plane[2] : NULL,
                                    .stride = w->width};
    for (int k = 0; k < b->besides && !status; ++k)
        status = b->beside(b->context, k, w->band.rect, w->band.beside[k], w->band.stride);
    return status;
}

static karst_rect tile_rect(const karst_rect *band, int tile) {
    int32_t x0 = band->x0 + tile * TILE_COLUMNS;
    return (karst_rect){x0, band->z0, least(x0 + TILE_COLUMNS, band->x1), band->z1};
}

static karst_status run_tiles(int begin, int end, int worker, void *context) {
    window *w = context;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        w->changed[k] = true;
        karst_status status = w->b->tile(w->b->context, &w->band, tile_rect(&w->band.rect, k), &w->changed[k]);
        if (status) return status;
    }
    return KARST_OK;
}

// Write from the first changed tile to the last.
static karst_status write_band(const window *w) {
    int first = 0, last = w->tiles - 1;
    while (first < w->tiles && !w->changed[first]) ++first;
    while (last >= first && !w->changed[last]) --last;
    if (first > last) return KARST_OK;
    karst_rect rect = w->band.rect;
    rect.x0 = tile_rect(&w->band.rect, first).x0;
    rect.x1 = tile_rect(&w->band.rect, last).x1;
    size_t at = (size_t)(rect.x0 - w->band.rect.x0);
    bool sideways = w->band.samples.x || w->b->sideways_out;
    return w->b->write(w->b->context, rect, w->band.y + at, sideways ? w->band.x + at : NULL,
                       sideways ? w->band.z + at : NULL, w->band.stride);
}

static karst_status run_bands(window *w, karst_jobs *jobs, const karst_progress *progress) {
    const kst_bands *b = w->b;
    double rows = b->rect.z1 - b->rect.z0;
    karst_status status = KARST_OK;
    for (int32_t z0 = b->rect.z0, z1; z0 < b->rect.z1 && !status; z0 = z1) {
        z1 = least((z0 / w->band_rows + 1) * w->band_rows, b->rect.z1);
        double from = (z0 - b->rect.z0) / rows, to = (z1 - b->rect.z0) / rows;
        status = kst_progress_step(progress, b->stage, from);
        if (!status) status = load_band(w, z0, z1);
        if (!status) status = kst_jobs_run(jobs, w->tiles, 1, run_tiles, w, progress, b->stage, from, to);
        if (!status) status = write_band(w);
    }
    return status;
}

karst_status kst_bands_run(const kst_bands *bands, karst_jobs *jobs, const karst_progress *progress) {
    if (bands->rect.x0 >= bands->rect.x1 || bands->rect.z0 >= bands->rect.z1) return KARST_OK;
    window w;
    karst_status status = window_make(bands, &w);
    if (!status) status = run_bands(&w, jobs, progress);
    window_free(&w);
    return status;
}
