// SPDX-License-Identifier: MIT
// Look maps as one step of the graph, with all workers. Its result is the maps as the pack holds them: their heads,
// then their encoded samples one after the other.
#include "light/maps.h"
#include "bake/run.h"
#include "bake/sheet.h"

enum { EASE_ROWS = 16 };  // read between two looks at what is resident

typedef struct head {
    karst_map map[KST_LOOK_MAPS];  // samples NULL
    uint64_t size[KST_LOOK_MAPS];
} head;

typedef struct work {
    const kst_sheet *sheet;
    int32_t map_side;
    kst_graph *graph;
} work;

static karst_status maps_key(void *context, int step, uint64_t *out) {
    (void)step;
    const work *w = context;
    const kst_sheet *s = w->sheet;
    const karst_lattice *l = &s->lattice;
    double steps[] = {l->step_y_m, l->step_xz_m, l->shape.spacing_m};
    uint64_t numbers[] = {w->graph->version, (uint64_t)w->map_side, (uint64_t)s->columns, (uint64_t)s->rows};
    uint64_t hash = kst_hash(steps, sizeof steps, kst_hash(numbers, sizeof numbers, 0));
    hash = kst_hash(s->row_hash, (size_t)s->rows * 8, hash);
    hash = kst_hash(s->hole[0], (size_t)s->chunks_x[0] * (size_t)s->chunks_z[0] * KARST_CHUNK_CELLS * 8, hash);
    size_t patches = (size_t)kst_patch_count(s->columns) * (size_t)kst_patch_count(s->rows);
    *out = s->replaced ? kst_hash(s->replaced, patches, hash) : hash;
    return KARST_OK;
}

static void give_row(void *context, int row, float *y, float *x, float *z, uint8_t *holes) {
    const kst_sheet *s = context;
    size_t columns = (size_t)s->columns, at = kst_sheet_index(s, 0, row);
    for (size_t i = 0; i < columns; ++i) y[i] = (float)(s->y[at + i] * s->lattice.step_y_m);
    for (size_t i = 0; i < columns && s->displaced; ++i) {
        x[i] = (float)(s->dx[at + i] * s->lattice.step_xz_m);
        z[i] = (float)(s->dz[at + i] * s->lattice.step_xz_m);
    }
    for (int32_t i = 0; i + 1 < s->columns && row + 1 < s->rows; ++i) holes[i] = kst_sheet_lets_light(s, i, row);
    if (row % EASE_ROWS == 0) kst_scratch_ease(s->scratch);
}

typedef struct band {
    const karst_map *map;
    int index;
    kst_bytes out;
    size_t room;
} band;

static karst_status encode_bands(int begin, int end, int worker, void *context) {
    (void)worker;
    for (band *b = (band *)context + begin; b < (band *)context + end; ++b) {
        b->room = kst_map_band_bound(b->map);
        b->out.at = kst_alloc(NULL, b->room);
        if (b->out.at) b->out.size = kst_map_encode_band(b->map, b->index, b->out.at, b->room);
        if (!b->out.size) return KARST_ERROR_MEMORY;
    }
    return KARST_OK;
}

static karst_status join_bands(const karst_map *map, const band *bands, int count, kst_bytes *out) {
    head h;
    memset(&h, 0, sizeof h);
    size_t size = sizeof h;
    for (int m = 0; m < KST_LOOK_MAPS; ++m) {
        h.map[m] = map[m];
        h.map[m].samples = NULL;
    }
    for (int i = 0; i < count; ++i) {
        h.size[bands[i].map - map] += bands[i].out.size;
        size += bands[i].out.size;
    }
    *out = kst_bytes_make(size);
    uint8_t *at = out->at;
    if (!at) return KARST_ERROR_MEMORY;
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    for (int i = 0; i < count; at += bands[i++].out.size) memcpy(at, bands[i].out.at, bands[i].out.size);
    return KARST_OK;
}

static karst_status encode_maps(const kst_graph *graph, const karst_map *map, kst_bytes *out) {
    int count = 0, at = 0;
    for (int m = 0; m < KST_LOOK_MAPS; ++m) count += kst_map_bands(&map[m]);
    band *bands = kst_alloc_zero(NULL, (size_t)count * sizeof *bands);
    if (!bands) return KARST_ERROR_MEMORY;
    for (int m = 0; m < KST_LOOK_MAPS; ++m)
        for (int i = 0; i < kst_map_bands(&map[m]); ++i, ++at) bands[at].map = &map[m], bands[at].index = i;
    karst_status status = kst_jobs_run(graph->jobs, count, 1, encode_bands, bands, graph->progress, "maps", 0.8, 1);
    if (!status) status = join_bands(map, bands, count, out);
    for (int i = 0; i < count; ++i) kst_free(NULL, bands[i].out.at, bands[i].room);
    kst_free(NULL, bands, (size_t)count * sizeof *bands);
    return status;
}

static karst_status maps_run(void *context, int step, kst_bytes *out) {
    (void)step;
    const work *w = context;
    const kst_graph *g = w->graph;
    kst_look *look = NULL;
    karst_map map[KST_LOOK_MAPS];
    karst_status status = kst_look_create(&w->sheet->lattice.shape, w->map_side, &look);
    if (!status)
        status = kst_look_read(look, w->sheet->displaced, give_row, (void *)(uintptr_t)w->sheet, g->jobs, g->progress);
    if (!status) status = kst_look_build(look, g->jobs, g->progress, map);
    if (!status) status = encode_maps(g, map, out);
    kst_look_destroy(look);
    return status;
}

static bool maps_is_whole(void *context, int step, const kst_bytes *bytes) {
    (void)context;
    (void)step;
    head h;
    if (bytes->size < sizeof h) return false;
    memcpy(&h, bytes->at, sizeof h);
    uint64_t left = bytes->size - sizeof h;
    for (int m = 0; m < KST_LOOK_MAPS; ++m) {
        if (h.size[m] > left) return false;
        left -= h.size[m];
    }
    return left == 0;
}

karst_status kst_maps_build(const kst_sheet *sheet, int32_t map_side, kst_graph *graph, kst_bytes *out,
                            karst_report *report) {
    work w = {sheet, map_side, graph};
    kst_stage stage = {"maps", 1, &w, maps_key, maps_run, maps_is_whole};
    return kst_graph_stage(graph, &stage, out, report);
}

void kst_maps_contents(const kst_bytes *maps, kst_pack_contents *out) {
    head h;
    memcpy(&h, maps->at, sizeof h);
    const uint8_t *encoded = maps->at + sizeof h;
    out->map_count = KST_LOOK_MAPS;
    for (int m = 0; m < KST_LOOK_MAPS; ++m) {
        out->maps[m] = h.map[m];
        out->map_bytes[m] = encoded;
        out->map_sizes[m] = (size_t)h.size[m];
        encoded += h.size[m];
    }
}
