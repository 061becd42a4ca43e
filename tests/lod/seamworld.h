// SPDX-License-Identifier: MIT
// A field, a net in place of some of its patches, and both scenes of it.
#pragma once
#include "karst/bake.h"
#include "karst/netfit.h"
#include "karst/seam.h"
#include "pack/format.h"
#include "pack/writer.h"
#include "scenes/drawn.h"
#include "scenes/nets.h"
#include "support/prop.h"

enum { SEAM_PATCHES = 21, SEAM_COLUMNS = SEAM_PATCHES * KARST_PATCH_CELLS - 5, SEAM_ROWS = 300 };
enum { SEAM_ACROSS = SEAM_PATCHES, SEAM_DOWN = (SEAM_ROWS - 1 + KARST_PATCH_CELLS - 1) / KARST_PATCH_CELLS };
static const double seam_spacing_m = 2;
static const karst_pos seam_origin = {5e5 + 0.1, -20.7, 3e5};

typedef struct seam_world {
    karst_field *field;
    karst_net *net;
    scene_zones zones;
    uint8_t patches[SEAM_ACROSS * SEAM_DOWN];  // 1: the net is there
    karst_pack *pack, *plain;                  // plain: without zones and seams
    karst_pack_info info;
    karst_pack_seam *seams;
    int32_t seam_count;
    kst_pack_contents contents;
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

static inline karst_field *seam_field(bool displaced) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){SEAM_COLUMNS, SEAM_ROWS, seam_spacing_m, seam_origin};
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
    if (of != w->plain || at_x != cx || at_z != cz) {
        assert_int_equal(karst_pack_read_chunk(w->plain, 0, cx, cz, &chunk), KARST_OK);
        of = w->plain, at_x = cx, at_z = cz;
    }
    const karst_vertex *v = &chunk.vertex[row % KARST_CHUNK_CELLS * KARST_CHUNK_SIDE + column % KARST_CHUNK_CELLS];
    double fine_m = ldexp(1.0 / KARST_NET_FINE, w->net->step_log2);
    double x = (column * l->cell_steps + v->dx) * l->step_xz_m / fine_m, y = v->y * l->step_y_m / fine_m,
           z = (row * l->cell_steps + v->dz) * l->step_xz_m / fine_m;
    assert_true(x == floor(x) && y == floor(y) && z == floor(z));
    fine[0] = (int32_t)x, fine[1] = (int32_t)y + w->off, fine[2] = (int32_t)z;
    return true;
}

// ---- the pack --------------------------------------------------------------------------------------

static inline karst_status seam_give_zone(void *context, int32_t index, karst_zone **out) {
    const seam_world *w = context;
    const karst_zone *z = w->zones.zones[index];
    return karst_net_cut(w->net, z->zone_x, z->zone_z, w->zones.bank, NULL, out);
}

// A corner of the field that a span touches.
static inline void seam_add(seam_world *w, int32_t column, int32_t row, int log2, const karst_zone *zone, uint32_t k) {
    double fine_m = ldexp(1.0 / KARST_NET_FINE, zone->step_log2);
    karst_fine low, high;
    karst_zone_box(zone, k, &low, &high);
    const float min[3] = {(float)((low.x + zone->bias.x - 1) * fine_m), (float)((low.y + zone->bias.y - 1) * fine_m),
                          (float)((low.z + zone->bias.z - 1) * fine_m)};
    const float max[3] = {(float)((high.x + zone->bias.x + 1) * fine_m), (float)((high.y + zone->bias.y + 1) * fine_m),
                          (float)((high.z + zone->bias.z + 1) * fine_m)};
    int32_t at = 0;
    while (at < w->seam_count && (w->seams[at].row < row || (w->seams[at].row == row && w->seams[at].column < column)))
        ++at;
    karst_pack_seam *s = &w->seams[at];
    if (at == w->seam_count || s->row != row || s->column != column) {
        memmove(s + 1, s, (size_t)(w->seam_count - at) * sizeof *s);
        *s = (karst_pack_seam){column, row, 4, 0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        ++w->seam_count;
    }
    if (log2 < s->most_log2) s->most_log2 = (uint8_t)log2;
    if (zone->pieces[k].size > s->size) s->size = zone->pieces[k].size;
    for (int axis = 0; axis < 3; ++axis) {
        s->min[axis] = fminf(s->min[axis], min[axis]);
        s->max[axis] = fmaxf(s->max[axis], max[axis]);
    }
}

static inline void seam_list(seam_world *w) {
    w->seams = calloc(2 * SEAM_ACROSS * SEAM_DOWN, sizeof *w->seams);
    for (int n = 0; n < w->zones.count; ++n)
        for (uint32_t k = 0; k < w->zones.zones[n]->piece_count; ++k) {
            const karst_zone *zone = w->zones.zones[n];
            const karst_piece *piece = &zone->pieces[k];
            for (int side = 0; side < 4; ++side)
                for (int s = 0; s < 1 << piece->spans_log2[side]; ++s) {
                    const karst_zone_span *span = &zone->spans[piece->first_span[side] + (uint32_t)s];
                    if (!span->seam) continue;
                    int log2 = piece->tiles_log2 - piece->spans_log2[side], x = span->seam == 1 ? 16 : 0;
                    seam_add(w, span->column, span->row, log2, zone, k);
                    seam_add(w, span->column + x, span->row + 16 - x, log2, zone, k);
                }
        }
}

// Whether patches [x0, x1] x [z0, z1] of a level touch a seam.
static inline bool seam_touches(const seam_world *w, int level, int x0, int z0, int x1, int z1) {
    int side = KARST_PATCH_CELLS << level;
    for (int32_t k = 0; k < w->seam_count; ++k) {
        const karst_pack_seam *s = &w->seams[k];
        if (s->column >= x0 * side && s->column <= (x1 + 1) * side && s->row >= z0 * side && s->row <= (z1 + 1) * side)
            return true;
    }
    return false;
}

static inline karst_status seam_chunk(void *context, int level, int32_t x, int32_t z, karst_chunk *out) {
    const seam_world *w = context;
    karst_status status = karst_pack_read_chunk(w->plain, level, x, z, out);
    for (int c = 0; c < KARST_CORNER_LANES && !status && level; ++c) {
        int i = c < KARST_CORNER_COUNT ? c : 0, px = x * 4 + i % 5, pz = z * 4 + i / 5;
        if (!seam_touches(w, level, px - 1, pz - 1, px, pz)) continue;
        for (int k = 0; k <= KARST_PATCH_LEVELS; ++k) out->corners.error[k][c] = KARST_SEAM_ERROR_M;
    }
    return status;
}

static inline void seam_write(seam_world *w, const char *path) {
    kst_pack_contents *c = &w->contents;
    const karst_pack_info *info = &w->info;
    *c = (kst_pack_contents){.lattice = info->lattice,
                             .level_count = info->level_count,
                             .hole_count = info->hole_count,
                             .min_y_m = info->min_y_m,
                             .max_y_m = info->max_y_m,
                             .bounds = info->bounds,
                             .zone_count = w->zones.count,
                             .net_origin = seam_origin,
                             .net_step_log2 = w->net->step_log2,
                             .zone = seam_give_zone,
                             .zone_context = w,
                             .seams = w->seams,
                             .seam_count = w->seam_count};
    for (int level = 0; level < info->level_count; ++level) {
        int32_t gx, gz;
        karst_pack_chunk_grid(w->plain, level, &gx, &gz);
        karst_node *nodes = calloc((size_t)gx * (size_t)gz, sizeof *nodes);
        float(*bounds)[6] = calloc((size_t)gx * (size_t)gz, sizeof *bounds);
        for (int32_t k = 0; k < gx * gz; ++k) {
            int32_t x = k % gx, z = k / gx;
            nodes[k] = karst_pack_nodes(w->plain, level)[k];
            if (level && seam_touches(w, level, 4 * x - 2, 4 * z - 2, 4 * x + 5, 4 * z + 5))
                nodes[k].error = KARST_SEAM_ERROR_M;
            if (!karst_pack_chunk_bounds(w->plain, level, x, z, bounds[k])) bounds[k][0] = 1, bounds[k][3] = 0;
        }
        c->nodes[level] = nodes;
        c->chunk_bounds[level] = (const float(*)[6])bounds;
    }
    karst_report report = {0};
    if (kst_pack_write_chunks(path, c, seam_chunk, w, NULL, &report, NULL, NULL)) fail_msg("%s", report.message);
    for (int level = 0; level < info->level_count; ++level) {
        free((void *)c->nodes[level]);
        free((void *)c->chunk_bounds[level]);
    }
}

// ---- all of it -------------------------------------------------------------------------------------

static inline void seam_put(seam_world *w, int k) {
    karst_report report = {0};
    if (karst_zone_scene_add(w->net_scene, w->zones.zones[k], &report, &w->slot[k])) fail_msg("%s", report.message);
    w->there[k] = true;
}

static inline void seam_take(seam_world *w, int k) {
    karst_zone_scene_remove(w->net_scene, w->slot[k]);
    w->there[k] = false;
}

// rect: of the field, which the net takes the place of. slot: of its displacement. off: as in seam_world.
static inline seam_world *seam_make(karst_rect rect, bool displaced, int slot, int32_t off) {
    seam_world *w = calloc(1, sizeof *w);
    karst_report report = {0};
    w->field = seam_field(displaced);
    w->off = off;
    assert_int_equal(karst_net_create(seam_origin, -8, NULL, &w->net), KARST_OK);
    karst_net_fit_def fit = karst_net_fit_def_default();
    fit.replace = true, fit.rect = rect, fit.slot = (uint8_t)slot, fit.noise_set = 2, fit.report = &report;
    fit.tolerance_m = 0.3;
    if (karst_net_from_field(w->net, w->field, &fit, NULL)) fail_msg("%s", report.message);
    assert_int_equal(karst_net_replaced(w->net, SEAM_COLUMNS, SEAM_ROWS, w->patches, &report), KARST_OK);
    const uint8_t hole = 1;
    for (int z = 0; z < SEAM_ROWS - 1; ++z)
        for (int x = 0; x < SEAM_COLUMNS - 1; ++x)
            if (w->patches[z / KARST_PATCH_CELLS * SEAM_ACROSS + x / KARST_PATCH_CELLS])
                karst_field_write_holes(w->field, (karst_rect){x, z, x + 1, z + 1}, &hole, 1);
    karst_bake_def bake = karst_bake_def_default();
    bake.error_m = (float)(seam_spacing_m / 128 * sqrt(3) / 2 * 1.00001);  // 128 steps a cell
    char path[2][64];
    snprintf(path[0], sizeof path[0], "seam-plain-%p.kpack", (void *)w);
    snprintf(path[1], sizeof path[1], "seam-%p.kpack", (void *)w);
    if (karst_bake_field(w->field, temp_path(path[0]), &bake, NULL, &report, NULL)) fail_msg("%s", report.message);
    assert_int_equal(karst_pack_open(temp_path(path[0]), NULL, &w->plain), KARST_OK);
    w->info = karst_pack_info_of(w->plain);
    if (karst_net_pin(w->net, seam_vertex, w, &report)) fail_msg("%s", report.message);
    assert_int_equal(scene_zones_cut(w->net, &report, &w->zones), KARST_OK);
    assert_true(w->zones.count <= 64);
    seam_list(w);
    seam_write(w, temp_path(path[1]));
    assert_int_equal(karst_pack_open(temp_path(path[1]), NULL, &w->pack), KARST_OK);
    w->info = karst_pack_info_of(w->pack);
    assert_int_equal(karst_scene_create(w->pack, NULL, &w->scene), KARST_OK);
    karst_zone_scene_def def = karst_zone_scene_def_default();
    def.origin = karst_pack_net_origin(w->pack);
    assert_int_equal(karst_zone_scene_create(&def, &w->net_scene), KARST_OK);
    if (karst_seam_create(w->pack, NULL, &report, &w->seam)) fail_msg("%s", report.message);
    for (int k = 0; k < w->zones.count; ++k) seam_put(w, k);
    return w;
}

static inline void seam_free(seam_world *w) {
    karst_seam_destroy(w->seam);
    karst_zone_scene_destroy(w->net_scene);
    karst_scene_destroy(w->scene);
    karst_pack_close(w->pack);
    karst_pack_close(w->plain);
    scene_zones_free(&w->zones);
    karst_net_destroy(w->net);
    karst_field_destroy(w->field);
    free(w->seams);
    free(w);
}
