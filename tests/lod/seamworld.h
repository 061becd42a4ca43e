// SPDX-License-Identifier: MIT
// A field, a net in place of some of its patches, and both scenes of it.
#pragma once
#include "karst/bake.h"
#include "karst/netfit.h"
#include "karst/seam.h"
#include "scenes/drawn.h"
#include "scenes/nets.h"
#include "support/prop.h"

enum { SEAM_PATCHES = 21, SEAM_COLUMNS = SEAM_PATCHES * KARST_PATCH_CELLS - 5, SEAM_ROWS = 300 };
enum { SEAM_ACROSS = SEAM_PATCHES, SEAM_DOWN = (SEAM_ROWS - 1 + KARST_PATCH_CELLS - 1) / KARST_PATCH_CELLS };
static const karst_pos seam_origin = {5e5 + 0.1, -20.7, 3e5};

typedef struct seam_world {
    double spacing_m;
    karst_field *field;
    karst_net *net;
    karst_noise_bank *bank;
    karst_zone *zones[64];
    int zone_count;
    uint8_t patches[SEAM_ACROSS * SEAM_DOWN];  // 1: the net is there
    karst_pack *pack;
    karst_pack_info info;
    const karst_pack_seam *seams;
    int32_t seam_count;
    karst_scene *scene;
    karst_zone_scene *net_scene;
    karst_seam *seam;
    uint16_t slot[64];
    bool there[64];
    int32_t off;  // fine steps that pins are off along y: the control
} seam_world;

// Whether a vertex of the field has a patch of it and one of the net round it.
static inline bool seam_is_on(const seam_world *w, int column, int row) {
    int sum = 0, count = 0;
    for (int k = 0; k < 4; ++k) {
        int x = column - (k & 1), z = row - (k >> 1);
        if (x < 0 || z < 0 || x >= SEAM_COLUMNS - 1 || z >= SEAM_ROWS - 1) continue;
        sum += w->patches[z / KARST_PATCH_CELLS * SEAM_ACROSS + x / KARST_PATCH_CELLS], ++count;
    }
    return sum > 0 && sum < count;
}

static inline karst_field *seam_field(double spacing_m, bool displaced) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){SEAM_COLUMNS, SEAM_ROWS, spacing_m, seam_origin};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    float y[SEAM_COLUMNS], x[SEAM_COLUMNS], z[SEAM_COLUMNS];
    for (int j = 0; j < SEAM_ROWS; ++j) {
        for (int i = 0; i < SEAM_COLUMNS; ++i) {
            double rough = i > 130 && j < 190 ? 0.8 * (kst_random01(3, (uint64_t)(j * 4096 + i)) - 0.5) : 0;
            y[i] = (float)(24 * sin(i * 0.05) * cos(j * 0.04) + 3 * sin(i * 0.31 + j * 0.2) + rough);
            x[i] = displaced ? (float)(2 * sin(j * 0.09) + rough) : 0;
            z[i] = displaced ? (float)cos(i * 0.05 + j * 0.2) : 0;
        }
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, SEAM_COLUMNS, j + 1}, y, x, z, SEAM_COLUMNS),
                         KARST_OK);
    }
    return field;
}

// ---- pins ------------------------------------------------------------------------------------------

// Where a vertex of the baked field lies [fine steps of the net].
static inline bool seam_vertex(void *context, int32_t column, int32_t row, int32_t fine[3]) {
    const seam_world *w = context;
    static karst_chunk chunk;
    static const karst_pack *of;
    static int32_t at_x, at_z;
    const karst_lattice *l = &w->info.lattice;
    if (column < 0 || row < 0 || column >= SEAM_COLUMNS || row >= SEAM_ROWS) return false;
    int32_t cx = column / KARST_CHUNK_CELLS, cz = row / KARST_CHUNK_CELLS;
    if (of != w->pack || at_x != cx || at_z != cz) {
        assert_int_equal(karst_pack_read_chunk(w->pack, 0, cx, cz, &chunk), KARST_OK);
        of = w->pack, at_x = cx, at_z = cz;
    }
    const karst_vertex *v = &chunk.vertex[row % KARST_CHUNK_CELLS * KARST_CHUNK_SIDE + column % KARST_CHUNK_CELLS];
    double fine_m = ldexp(1.0 / KARST_NET_FINE, w->net->step_log2);
    double x = (column * l->cell_steps + v->dx) * l->step_xz_m / fine_m, y = v->y * l->step_y_m / fine_m,
           z = (row * l->cell_steps + v->dz) * l->step_xz_m / fine_m;
    assert_true(x == floor(x) && y == floor(y) && z == floor(z));
    fine[0] = (int32_t)x, fine[1] = (int32_t)y + w->off, fine[2] = (int32_t)z;
    return true;
}

// ---- all of it -------------------------------------------------------------------------------------

static inline void seam_put(seam_world *w, int k) {
    karst_report report = {0};
    if (karst_zone_scene_add(w->net_scene, w->zones[k], &report, &w->slot[k])) fail_msg("%s", report.message);
    w->there[k] = true;
}

static inline void seam_take(seam_world *w, int k) {
    karst_zone_scene_remove(w->net_scene, w->slot[k]);
    w->there[k] = false;
}

// The zones of the pack, or of the net with pins that are off.
static inline void seam_zones(seam_world *w) {
    karst_report report = {0};
    w->zone_count = karst_pack_zone_count(w->pack);
    assert_in_range(w->zone_count, 2, 64);
    w->bank = malloc(sizeof *w->bank);
    karst_noise_bank_make(w->bank);
    if (w->off && karst_net_pin(w->net, seam_vertex, w, &report)) fail_msg("%s", report.message);
    for (int k = 0; k < w->zone_count; ++k) {
        karst_pack_zone z = karst_pack_zone_info(w->pack, k);
        karst_status status = w->off ? karst_net_cut(w->net, z.zone_x, z.zone_z, w->bank, &report, &w->zones[k])
                                     : karst_pack_zone_read(w->pack, k, w->bank, &report, &w->zones[k]);
        if (status) fail_msg("%s", report.message);
    }
}

typedef struct seam_def {
    double spacing_m;
    karst_rect rect;  // of the field, which the net takes the place of
    bool displaced;
    uint8_t slot;  // of the net's displacement
    int32_t off;   // as in seam_world
} seam_def;

static inline seam_world *seam_make(const char *name, const seam_def *def) {
    seam_world *w = calloc(1, sizeof *w);
    karst_report report = {0};
    w->spacing_m = def->spacing_m, w->off = def->off;
    w->field = seam_field(def->spacing_m, def->displaced);
    assert_int_equal(karst_net_create(seam_origin, -8, NULL, &w->net), KARST_OK);
    karst_net_fit_def fit = karst_net_fit_def_default();
    fit.replace = true, fit.rect = def->rect, fit.slot = def->slot, fit.noise_set = 2, fit.report = &report;
    fit.tolerance_m = 0.3;
    if (karst_net_from_field(w->net, w->field, &fit, NULL)) fail_msg("%s", report.message);
    assert_int_equal(karst_net_replaced(w->net, SEAM_COLUMNS, SEAM_ROWS, w->patches, &report), KARST_OK);
    karst_bake_def bake = karst_bake_def_default();
    bake.net = w->net, bake.map_side = 32;
    const char *path = temp_path(name);
    if (karst_bake_field(w->field, path, &bake, NULL, &report, NULL)) fail_msg("%s", report.message);
    assert_int_equal(karst_pack_open(path, NULL, &w->pack), KARST_OK);
    w->info = karst_pack_info_of(w->pack);
    w->seams = karst_pack_seams(w->pack), w->seam_count = karst_pack_seam_count(w->pack);
    assert_true(w->seam_count > 0);
    seam_zones(w);
    assert_int_equal(karst_scene_create(w->pack, NULL, &w->scene), KARST_OK);
    karst_zone_scene_def zones = karst_zone_scene_def_default();
    zones.origin = karst_pack_net_origin(w->pack);
    assert_int_equal(karst_zone_scene_create(&zones, &w->net_scene), KARST_OK);
    if (karst_seam_create(w->pack, NULL, &report, &w->seam)) fail_msg("%s", report.message);
    for (int k = 0; k < w->zone_count; ++k) seam_put(w, k);
    return w;
}

static inline void seam_free(seam_world *w) {
    karst_seam_destroy(w->seam);
    karst_zone_scene_destroy(w->net_scene);
    karst_scene_destroy(w->scene);
    for (int k = 0; k < w->zone_count; ++k) karst_zone_destroy(w->zones[k]);
    free(w->bank);
    karst_pack_close(w->pack);
    karst_net_destroy(w->net);
    karst_field_destroy(w->field);
    free(w);
}
