// SPDX-License-Identifier: MIT
// Seams: where a net takes the place of a field both have the same vertices, however the net is cut into zones.
#include <math.h>

#include "karst/netfit.h"
#include "karst/netweld.h"
#include "karst/zoneground.h"
#include "support/prop.h"
#include "surface/net_weld.h"
#include "surface/zone_record.h"

enum { SIDE = 114, CELLS = 16, FINE_M = 4096 };
static const double spacing_m = 3;

// Ground moved in all three ways, rough in parts, and its vertices in fine steps.
typedef struct ground {
    karst_field *field;
    int32_t fine[SIDE * SIDE][3];
} ground;

static ground *ground_of(void) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){SIDE, SIDE, spacing_m, {500, 20, -300}};
    ground *g = calloc(1, sizeof *g);
    assert_int_equal(karst_field_create(&def, &g->field), KARST_OK);
    float y[SIDE], x[SIDE], z[SIDE];
    for (int j = 0; j < SIDE; ++j) {
        for (int i = 0; i < SIDE; ++i) {  // what was rounded to fine steps is exact as a float
            double rough = i > 50 && j < 60 ? 0.4 * sin(i * 2.9 + j * j) : 0;
            y[i] = (float)(14 * sin(i * 0.07) * cos(j * 0.05) + rough);
            x[i] = (float)(2 * sin(j * 0.09) + 0.5 * rough), z[i] = (float)(cos(i * 0.05 + j * 0.2));
            x[i] = roundf(x[i] * FINE_M) / FINE_M, y[i] = roundf(y[i] * FINE_M) / FINE_M;
            z[i] = roundf(z[i] * FINE_M) / FINE_M;
            const double at[3] = {i * spacing_m + (double)x[i], (double)y[i], j * spacing_m + (double)z[i]};
            for (int axis = 0; axis < 3; ++axis) g->fine[j * SIDE + i][axis] = (int32_t)floor(at[axis] * FINE_M + 0.5);
        }
        assert_int_equal(karst_field_write(g->field, (karst_rect){0, j, SIDE, j + 1}, y, x, z, SIDE), KARST_OK);
    }
    return g;
}

static void ground_free(ground *g) {
    karst_field_destroy(g->field);
    free(g);
}

static bool vertex_of(void *context, int32_t column, int32_t row, int32_t fine[3]) {
    const ground *g = context;
    if (column < 0 || row < 0 || column >= SIDE || row >= SIDE) return false;
    memcpy(fine, g->fine[row * SIDE + column], sizeof *g->fine);
    return true;
}

static karst_net *fit_within(const ground *g, karst_rect rect, int slot, double tolerance_m, karst_net_fitted *info) {
    karst_net_fit_def def = karst_net_fit_def_default();
    karst_report report = {0};
    karst_net *net;
    def.replace = true, def.rect = rect, def.tolerance_m = tolerance_m, def.slot = (uint8_t)slot, def.noise_set = 2,
    def.report = &report;
    assert_int_equal(karst_net_create(karst_field_shape_of(g->field).origin, -8, NULL, &net), KARST_OK);
    if (karst_net_from_field(net, g->field, &def, info)) fail_msg("%s", report.message);
    return net;
}

static karst_net *fit(const ground *g, karst_rect rect, int slot, karst_net_fitted *info) {
    return fit_within(g, rect, slot, 0.1, info);
}

static void pin(karst_net *net, ground *g) {
    karst_report report = {0};
    if (karst_net_pin(net, vertex_of, g, &report)) fail_msg("%s", report.message);
}

// Of all sides on seams: every vertex is the pin that the rule says, and the span tells where it lies on the field.
// @return cells along seams
static int check_sides(const scene_zones *zones, const ground *on) {
    int cells = 0;
    karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v);
    int16_t(*n)[2] = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *n);
    for (int k = 0; k < zones->count; ++k)
        for (uint32_t p = 0; p < zones->zones[k]->piece_count; ++p) {
            const karst_zone *zone = zones->zones[k];
            const karst_piece *piece = &zone->pieces[p];
            int f = KARST_TILE_CELLS << piece->tiles_log2, w = f + 1;
            karst_zone_fine(zone, p, v);
            karst_zone_normals(zone, p, true, v, n);
            for (int side = 0; side < 4; ++side)
                for (int i = 0; i < 1 << piece->spans_log2[side]; ++i) {
                    const karst_zone_span *span = &zone->spans[piece->first_span[side] + (uint32_t)i];
                    if (!span->seam) continue;
                    assert_true(span->open);
                    const kst_edge_data *e = &zone->record->data.edges[span->edge];
                    int per = f >> piece->spans_log2[side], along = 4 * e->tiles, way = span->seam == 1 ? 0 : 1;
                    cells += per / 4;
                    for (int r = 0; r <= per; ++r) {
                        int cell = span->from * along / 8 + (span->from < span->to ? r : -r), g = i * per + r;
                        int step = (cell + 2) >> 2, vertex[2] = {e->column, e->row};
                        vertex[way] += e->seam < 3 ? step : -step;
                        assert_int_equal(way, (e->seam - 1) & 1);
                        assert_true(vertex[!way] % CELLS == 0 && vertex[way] - (way ? span->row : span->column) >= 0 &&
                                    vertex[way] - (way ? span->row : span->column) <= CELLS);
                        assert_int_equal(vertex[!way], way ? span->column : span->row);
                        int at = side == 0 ? g : side == 1 ? g * w + f : side == 2 ? f * w + g : g * w;
                        const int32_t *want = on->fine[vertex[1] * SIDE + vertex[0]];
                        assert_int_equal(zone->bias.x + v[at].x, want[0]);
                        assert_int_equal(zone->bias.y + v[at].y, want[1]);
                        assert_int_equal(zone->bias.z + v[at].z, want[2]);
                        // What lies in one place shades alike.
                        int other = at + (side & 1 ? w : 1) * (r < per ? 1 : -1);
                        if (!memcmp(&v[at], &v[other], sizeof *v)) assert_memory_equal(n[at], n[other], sizeof *n);
                    }
                }
        }
    free(v), free(n);
    return cells;
}

static const karst_rect regions[] = {{20, 35, 100, 113}, {47, 0, 82, 40}, {0, 0, SIDE, SIDE}};

static void tile_corners_on_a_seam_are_vertices_of_the_field(void **state) {
    (void)state;
    ground *g = ground_of();
    for (size_t k = 0; k < sizeof regions / sizeof *regions; ++k) {
        karst_net_fitted info;
        karst_net *net = fit(g, regions[k], k == 1 ? 15 : 0, &info);
        karst_rect r = info.rect;
        assert_true(r.x0 % CELLS == 0 && r.z0 % CELLS == 0 && r.x1 % CELLS == 1 && r.z1 % CELLS == 1);
        assert_true(r.x0 >= regions[k].x0 && r.x1 <= regions[k].x1 && r.x0 < regions[k].x0 + CELLS);
        int round = 2 * (r.x1 - r.x0 - 1 + r.z1 - r.z0 - 1);
        for (int pinned = 0; pinned < 2; ++pinned) {
            scene_zones zones;
            if (pinned) pin(net, g);
            assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
            assert_true(zones.count > 1);
            assert_int_equal(check_sides(&zones, g), pinned ? round : 0);
            scene_zones_free(&zones);
        }
        karst_net_destroy(net);
    }
    ground_free(g);
}

// ---- no crack -------------------------------------------------------------------------------------------------

typedef struct halves {
    half *all;
    size_t count, room;
} halves;

static void add_triangle(halves *h, karst_fine bias, karst_fine a, karst_fine b, karst_fine c) {
    const karst_fine v[4] = {a, b, c, a};
    if (h->count + 3 > h->room) h->all = realloc(h->all, (h->room = 2 * h->room + 4096) * sizeof *h->all);
    for (int k = 0; k < 3; ++k)
        if (memcmp(&v[k], &v[k + 1], sizeof *v) != 0) put_half(&h->all[h->count++], bias, v[k], v[k + 1], false);
}

static void add_zones(halves *h, const scene_zones *zones) {
    for (int k = 0; k < zones->count; ++k)
        for (uint32_t p = 0; p < zones->zones[k]->piece_count; ++p) {
            const karst_zone *zone = zones->zones[k];
            int n = 1 << zone->pieces[p].tiles_log2;
            for (int t = 0; t < n * n; ++t) {
                karst_fine v[25];
                karst_zone_tile(zone, p, t % n, t / n, v);
                for (int c = 0; c < 16; ++c) {
                    int i = c % 4, j = c / 4;
                    karst_fine q[4] = {v[5 * j + i], v[5 * j + i + 1], v[5 * j + i + 5], v[5 * j + i + 6]};
                    bool rising = karst_tile_diagonal(i, j);
                    add_triangle(h, zone->bias, q[0], q[1], rising ? q[3] : q[2]);
                    add_triangle(h, zone->bias, rising ? q[0] : q[1], q[3], q[2]);
                }
            }
        }
}

static void add_field(halves *h, const ground *g, const uint8_t *patches, int across) {
    for (int c = 0; c < (SIDE - 1) * (SIDE - 1); ++c) {
        int i = c % (SIDE - 1), j = c / (SIDE - 1);
        if (patches[j / CELLS * across + i / CELLS]) continue;
        karst_fine q[4];
        for (int k = 0; k < 4; ++k) memcpy(&q[k], g->fine[(j + k / 2) * SIDE + i + k % 2], sizeof *q);
        bool rising = ((i + j) & 1) == 0;
        add_triangle(h, (karst_fine){0, 0, 0}, q[0], q[1], rising ? q[3] : q[2]);
        add_triangle(h, (karst_fine){0, 0, 0}, rising ? q[0] : q[1], q[3], q[2]);
    }
}

static int open_edges(halves *h) {
    int open = 0;
    qsort(h->all, h->count, sizeof *h->all, by_ends);
    for (size_t k = 0, next; k < h->count; k = next) {
        int sum = 0;
        for (next = k; next < h->count && !by_ends(&h->all[k], &h->all[next]); ++next) sum += h->all[next].way;
        open += sum != 0;
    }
    return open;
}

static void net_and_field_weld_without_a_crack(void **state) {
    (void)state;
    ground *g = ground_of();
    for (int slot = 0; slot < 16; slot += 15) {
        karst_net *net = fit(g, (karst_rect){30, 30, 82, 70}, slot, NULL);
        for (int pinned = 1; pinned >= 0; --pinned) {  // those without pins are the control
            enum { ACROSS = (SIDE - 1 + CELLS - 1) / CELLS };
            uint8_t patches[ACROSS * ACROSS];
            halves h = {0};
            scene_zones zones;
            if (pinned)
                pin(net, g);
            else
                assert_int_equal(karst_net_finish(net, NULL), KARST_OK);  // which drops them
            assert_int_equal(karst_net_replaced(net, SIDE, SIDE, patches, NULL), KARST_OK);
            assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
            assert_true(zones.count >= 2);
            add_zones(&h, &zones), add_field(&h, g, patches, ACROSS);
            int open = open_edges(&h), outline = 4 * (SIDE - 1);
            if (pinned)
                assert_int_equal(open, outline);
            else
                assert_true(open > outline + 5 * 2 * (48 + 32) - 50);
            free(h.all);
            scene_zones_free(&zones);
        }
        karst_net_destroy(net);
    }
    ground_free(g);
}

// Rays aimed at seams, their vertices and what lies between, meet the net or the field: not what is behind them.
static void no_ray_slips_through_a_seam(void **state) {
    (void)state;
    ground *g = ground_of();
    karst_net_fitted info;
    karst_net *net = fit(g, (karst_rect){30, 30, 82, 70}, 9, &info);
    karst_rect r = {info.rect.x0, info.rect.z0, info.rect.x1 - 1, info.rect.z1 - 1};  // its last vertices
    uint8_t hole[64];
    memset(hole, 1, sizeof hole);
    for (int32_t j = r.z0; j < r.z1; ++j)
        assert_int_equal(karst_field_write_holes(g->field, (karst_rect){r.x0, j, r.x1, j + 1}, hole, r.x1 - r.x0), 0);
    const karst_pos o = karst_field_shape_of(g->field).origin;
    for (int pinned = 1; pinned >= 0; --pinned) {  // those without pins are the control
        scene_zones zones;
        karst_zone_ground *all;
        int through = 0;
        if (pinned)
            pin(net, g);
        else
            assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
        assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
        assert_int_equal(karst_zone_ground_create(net->origin, NULL, &all), KARST_OK);
        for (int k = 0; k < zones.count; ++k) {
            uint32_t chunk;
            assert_int_equal(karst_zone_ground_add(all, (const karst_zone *const *)&zones.zones[k], 1, &chunk),
                             KARST_OK);
        }
        for (prop p = prop_begin("seam_rays", 4000); prop_next(&p);) {
            bool down = prop_int(&p, 0, 1), far = prop_int(&p, 0, 1);
            int k = prop_int(&p, 0, (down ? r.z1 - r.z0 : r.x1 - r.x0) - 1);
            int32_t a[2] = {down ? (far ? r.x1 : r.x0) : r.x0 + k, down ? r.z0 + k : (far ? r.z1 : r.z0)};
            int32_t b[2] = {a[0] + !down, a[1] + down};
            const int32_t *v = g->fine[a[1] * SIDE + a[0]], *w = g->fine[b[1] * SIDE + b[0]];
            double t = prop_int(&p, 0, 2) ? prop_int(&p, 0, 1024) / 1024.0 : 0, at[3];
            for (int axis = 0; axis < 3; ++axis) at[axis] = (v[axis] + (w[axis] - v[axis]) * t) / FINE_M;
            karst_pos to = {o.x + at[0], o.y + at[1], o.z + at[2]};
            karst_pos way = {prop_real(&p, -0.6, 0.6), -1, prop_real(&p, -0.6, 0.6)};
            karst_ray ray = karst_ray_make((karst_pos){to.x - 60 * way.x, to.y + 60, to.z - 60 * way.z}, way);
            karst_hit one, other;
            prop_check(&p, !karst_ground_cast(karst_field_ground(g->field), &ray, &one));
            prop_check(&p, !karst_ground_cast(karst_zone_ground_of(all), &ray, &other));
            bool met = (one.hit && one.t < 60 + 1e-9) || (other.hit && other.t < 60 + 1e-9);
            prop_check(&p, met || !pinned);
            through += !met;
        }
        assert_true(pinned || through > 20);
        karst_zone_ground_destroy(all);
        scene_zones_free(&zones);
    }
    karst_net_destroy(net), ground_free(g);
}

// ---- bytes ----------------------------------------------------------------------------------------------------

static karst_zone *again(const karst_zone *zone, const karst_noise_bank *bank) {
    size_t size = karst_zone_write(zone, NULL, 0);
    uint8_t *bytes = malloc(size), *other = malloc(size);
    karst_report report = {0};
    karst_zone *back;
    assert_int_equal(karst_zone_write(zone, bytes, size), size);
    if (karst_zone_read(bytes, size, bank, NULL, &report, &back)) fail_msg("%s", report.message);
    assert_int_equal(karst_zone_write(back, other, size), size);
    assert_memory_equal(bytes, other, size);
    free(bytes), free(other);
    return back;
}

static void seams_come_back_from_bytes(void **state) {
    (void)state;
    ground *g = ground_of();
    karst_net *net = fit(g, regions[0], 15, NULL);
    pin(net, g);
    scene_zones zones, back = {0};
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    back.zones = calloc((size_t)zones.count, sizeof *back.zones), back.count = zones.count;
    for (int k = 0; k < zones.count; ++k) {
        const karst_zone *a = zones.zones[k], *b = back.zones[k] = again(a, zones.bank);
        assert_memory_equal(a->places, b->places, a->place_count * sizeof *a->places);
        assert_memory_equal(a->spans, b->spans, a->span_count * sizeof *a->spans);
        for (uint32_t c = 0; c < a->corner_count; ++c) assert_memory_equal(&a->corners[c], &b->corners[c], 16);
    }
    karst_report report = {0};
    const karst_zone *const *all = (const karst_zone *const *)back.zones;
    if (karst_zones_check(all, back.count, NULL, &report)) fail_msg("%s", report.message);
    assert_true(check_sides(&back, g) > 200);
    // What one zone alone has otherwise is told.
    static const char *words[] = {"its seam", "the pins of its ends"};
    for (int what = 0; what < 2; ++what) {
        int found = 0;
        for (int k = 0; k < back.count; ++k) {
            karst_zone *other = again(back.zones[k], zones.bank), *kept = back.zones[k];
            kst_zone_data *d = &other->record->data;
            for (uint32_t e = 0; e < d->edge_count && what == 0; ++e) d->edges[e].seam ^= 1;
            for (uint32_t c = 0; c < d->corner_count && what == 1; ++c) d->corners[c].pin[1] += d->corners[c].pinned;
            back.zones[k] = other;
            karst_status status = karst_zones_check(all, back.count, NULL, &report);
            if (status) assert_non_null(strstr(report.message, words[what])), ++found;
            back.zones[k] = kept;
            karst_zone_destroy(other);
        }
        assert_true(found > 1);
    }
    for (int k = 0; k < back.count; ++k) karst_zone_destroy(back.zones[k]);
    free(back.zones);
    scene_zones_free(&zones);
    karst_net_destroy(net), ground_free(g);
}

// ---- faults ---------------------------------------------------------------------------------------------------

typedef struct fault {
    const char *word;
    void (*make)(kst_zone_data *d, kst_edge_data *seam);
} fault;

static void way_five(kst_zone_data *d, kst_edge_data *e) {
    (void)d, e->seam = 5;
}
static void not_open(kst_zone_data *d, kst_edge_data *e) {
    (void)d, e->open = 0;
}
static void with_noise(kst_zone_data *d, kst_edge_data *e) {
    (void)d, e->noise = 9;
}
static void across_a_border(kst_zone_data *d, kst_edge_data *e) {
    (void)d, *(e->seam & 1 ? &e->column : &e->row) += 1;
}
static void beside_a_border(kst_zone_data *d, kst_edge_data *e) {
    (void)d, *(e->seam & 1 ? &e->row : &e->column) += 8;
}
static void below_zero(kst_zone_data *d, kst_edge_data *e) {
    (void)d, e->row = -16;
}
static void far_pin(kst_zone_data *d, kst_edge_data *e) {
    d->pins[e->pin + 1][1] += 3 * FINE_M;
}
static void far_corner(kst_zone_data *d, kst_edge_data *e) {
    d->corners[e->corner[0]].pin[2] -= 3 * FINE_M;
}
static void other_pin(kst_zone_data *d, kst_edge_data *e) {
    d->pins[e->pin + e->tiles][0] += 1;
}
static void no_pin(kst_zone_data *d, kst_edge_data *e) {
    d->corners[e->corner[1]].pinned = false;
}
static void lifted(kst_zone_data *d, kst_edge_data *e) {
    d->corners[e->corner[0]].noise = 3;
}
static void elsewhere(kst_zone_data *d, kst_edge_data *e) {
    (void)d, *(e->seam & 1 ? &e->column : &e->row) += 16;
}
static void lost_pins(kst_zone_data *d, kst_edge_data *e) {
    (void)d, e->pin += 1;
}
static void more_pins(kst_zone_data *d, kst_edge_data *e) {
    (void)e, d->pin_count += 1;
}

static void what_breaks_a_rule_of_seams_is_named(void **state) {
    (void)state;
    static const fault faults[] = {
        {"way 5", way_five},
        {"not open all along", not_open},
        {"seams are flat", with_noise},
        {"multiples of their tiles", across_a_border},
        {"lie at multiples of 16", beside_a_border},
        {"from vertex", below_zero},
        {"1 m is the most", far_pin},
        {"1 m is the most", far_corner},
        {"another pin or none", other_pin},
        {"another pin or none", no_pin},
        {"a displacement of its own", lifted},
        {"give both the same", elsewhere},
        {"names its pins", lost_pins},
        {"whose seams need", more_pins},
    };
    ground *g = ground_of();
    karst_net *net = fit(g, regions[0], 0, NULL);
    pin(net, g);
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    const karst_zone *most = zones.zones[0];
    for (int k = 1; k < zones.count; ++k)
        if (zones.zones[k]->record->data.pin_count > most->record->data.pin_count) most = zones.zones[k];
    for (size_t k = 0; k < sizeof faults / sizeof *faults; ++k) {
        karst_zone *zone = again(most, zones.bank);
        kst_zone_data *d = &zone->record->data, broken = *d;
        kst_edge_data *seam = NULL;
        for (uint32_t e = 0; e < d->edge_count; ++e)
            if (d->edges[e].seam && d->edges[e].tiles > 2) seam = &d->edges[e];
        assert_non_null(seam);
        karst_report report = {0};
        assert_int_equal(kst_zone_data_check(d, NULL, NULL), KARST_OK);  // control
        faults[k].make(&broken, seam);
        assert_int_equal(kst_zone_data_check(&broken, NULL, &report), KARST_ERROR_FORMAT);
        if (!strstr(report.message, faults[k].word) || strchr(report.message, '\n'))
            fail_msg("fault %zu, %s: %s", k, faults[k].word, report.message);
        karst_zone_destroy(zone);
    }
    scene_zones_free(&zones);
    karst_net_destroy(net), ground_free(g);
}

static void every_flipped_byte_of_seams_is_an_error_or_a_zone(void **state) {
    (void)state;
    ground *g = ground_of();
    karst_net *net = fit(g, (karst_rect){32, 32, 49, 65}, 0, NULL);
    pin(net, g);
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    size_t size = karst_zone_write(zones.zones[0], NULL, 0);
    uint8_t *bytes = malloc(size), *other = malloc(size);
    assert_true(zones.zones[0]->record->data.pin_count > 30);
    karst_zone_write(zones.zones[0], bytes, size);
    int bad = 0, good = 0;
    for (prop p = prop_begin("flip_seams", 3000); prop_next(&p);) {
        size_t at = (size_t)prop_int(&p, 0, (int)size - 1), less = (size_t)prop_int(&p, 0, 3) ? 0 : at;
        memcpy(other, bytes, size);
        other[at] ^= (uint8_t)prop_int(&p, 1, 255);
        uint8_t *copy = malloc(size - less);  // of its own, so that a sanitizer sees one read too many
        memcpy(copy, other, size - less);
        karst_report report = {0};
        karst_zone *zone;
        if (karst_zone_read(copy, size - less, zones.bank, NULL, &report, &zone)) {
            prop_check(&p, report.message[0] && !strchr(report.message, '\n'));
            ++bad;
        } else {
            prop_check(&p, karst_zone_write(zone, copy, size) == size && !memcmp(copy, other, size));
            karst_zone_destroy(zone);
            ++good;
        }
        free(copy);
    }
    assert_true(bad > 10 && good > 10);
    free(bytes), free(other);
    scene_zones_free(&zones);
    karst_net_destroy(net), ground_free(g);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    ground *g = ground_of();
    karst_net *net = fit(g, (karst_rect){32, 32, 49, 65}, 0, NULL);
    karst_noise_bank *bank = malloc(sizeof *bank);
    karst_noise_bank_make(bank);
    uint8_t patches[8 * 8];
    for (uint64_t n = 1;; ++n) {
        karst_zone *zone = NULL, *back = NULL;
        int32_t cell[1][2];
        assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
        assert_true(karst_net_zones(net, cell, 1) > 0);
        kst_alloc_fail_after(n);
        karst_status status = karst_net_pin(net, vertex_of, g, NULL);
        if (!status) status = karst_net_replaced(net, SIDE, SIDE, patches, NULL);
        if (!status) status = karst_net_cut(net, cell[0][0], cell[0][1], bank, NULL, &zone);
        static uint8_t bytes[1 << 16];
        size_t size = zone ? karst_zone_write(zone, bytes, sizeof bytes) : 0;
        if (!status) status = karst_zone_read(bytes, size, bank, NULL, NULL, &back);
        kst_alloc_fail_after(0);
        karst_zone_destroy(zone), karst_zone_destroy(back);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    free(bank);
    karst_net_destroy(net), ground_free(g);
}

// The same of a net.
static void what_a_net_may_not_have_as_a_seam_is_named(void **state) {
    (void)state;
    static const char *words[] = {"way 9",
                                  "not open all along",
                                  "seams are flat",
                                  "displacement of its own",
                                  "lie at multiples",
                                  "give both the same"};
    ground *g = ground_of();
    for (int k = 0; k < 6; ++k) {
        karst_net *net = fit(g, regions[1], 0, NULL);
        karst_report report = {0};
        int32_t seam = 0, inner = 0;
        while (!net->edges[seam].seam) ++seam;
        while (net->edges[inner].open) ++inner;
        karst_net_edge *e = &net->edges[seam];
        if (k == 0) e->seam = 9;
        if (k == 1) net->edges[inner].seam = 1, net->edges[inner].column = net->edges[inner].row = 0;
        if (k == 2) e->noise = 5;
        if (k == 3) net->corners[e->corner[1]].noise = -2;
        if (k == 4) *(e->seam & 1 ? &e->row : &e->column) += 2;
        if (k == 5) *(e->seam & 1 ? &e->row : &e->column) += 16;
        assert_int_equal(karst_net_finish(net, &report), KARST_ERROR_FORMAT);
        if (!strstr(report.message, words[k]) || strchr(report.message, '\n'))
            fail_msg("%s: %s", words[k], report.message);
        karst_net_destroy(net);
    }
    // A pin that is not near, and a vertex that is not there.
    karst_net *net = fit(g, regions[1], 0, NULL);
    karst_report report = {0};
    pin(net, g);
    assert_true(net->pin_count > 0);
    g->fine[0 * SIDE + 50][1] += 2 * FINE_M;  // on the rim of the region
    assert_int_equal(karst_net_pin(net, vertex_of, g, &report), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "vertex 50, 0"));
    assert_int_equal(net->pin_count, 0);
    for (int k = 0; k < net->edge_count; ++k) assert_int_equal(net->edges[k].pin, KARST_NET_NONE);
    karst_net_destroy(net), ground_free(g);
}

// ---- a field that moved -----------------------------------------------------------------------------------------

static void a_net_follows_the_field_along_its_seams(void **state) {
    (void)state;
    enum { ACROSS = (SIDE - 1 + CELLS - 1) / CELLS };
    ground *g = ground_of();
    for (int slot = 0; slot < 16; slot += 15) {
        karst_net *net = fit(g, (karst_rect){30, 30, 82, 98}, slot, NULL);
        karst_report report = {0};
        karst_net_followed info;
        int32_t corners = net->corner_count, edges = net->edge_count, kept = 0;
        karst_net_corner *was = malloc((size_t)corners * sizeof *was);
        karst_net_edge *were = malloc((size_t)edges * sizeof *were);
        memcpy(was, net->corners, (size_t)corners * sizeof *was);
        memcpy(were, net->edges, (size_t)edges * sizeof *were);
        // A field that did not move: every bit stays.
        assert_int_equal(karst_net_follow(net, vertex_of, g, &report, &info), KARST_OK);
        assert_true(info.edges == 0 && info.moved_m == 0);
        for (int32_t k = 0; k < corners; ++k) assert_memory_equal(was[k].at, net->corners[k].at, sizeof was[k].at);
        for (int32_t k = 0; k < edges; ++k)
            assert_memory_equal(were[k].handle, net->edges[k].handle, sizeof were[k].handle);
        for (int k = 0; k < SIDE * SIDE; ++k)  // all three ways, some metres
            for (int axis = 0; axis < 3; ++axis)
                g->fine[k][axis] +=
                    (int32_t)(FINE_M * (axis == 1 ? 6 : 2) * sin(0.06 * (k % SIDE) + 0.05 * (k / SIDE) + axis));
        assert_int_equal(karst_net_pin(net, vertex_of, g, &report), KARST_ERROR_FORMAT);  // control
        assert_non_null(strstr(report.message, "karst patch follow"));
        if (karst_net_follow(net, vertex_of, g, &report, &info)) fail_msg("%s", report.message);
        assert_true(info.edges > 10 && info.moved_m > 3 && info.moved_m < 7);
        assert_true(net->finished && net->corner_count == corners && net->edge_count == edges);
        for (int32_t k = 0; k < corners; ++k) kept += !memcmp(was[k].at, net->corners[k].at, sizeof was[k].at);
        assert_true(kept > corners / 4);  // farther in
        pin(net, g);
        uint8_t patches[ACROSS * ACROSS];
        halves h = {0};
        scene_zones zones;
        assert_int_equal(karst_net_replaced(net, SIDE, SIDE, patches, NULL), KARST_OK);
        assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
        assert_true(check_sides(&zones, g) > 100);
        add_zones(&h, &zones), add_field(&h, g, patches, ACROSS);
        assert_int_equal(open_edges(&h), 4 * (SIDE - 1));
        free(h.all), scene_zones_free(&zones);
        // A vertex that is not there: nothing changes.
        memcpy(was, net->corners, (size_t)corners * sizeof *was);
        for (int32_t k = 0; k < edges; ++k)
            if (net->edges[k].seam) net->edges[k].column += 16 * SIDE;
        assert_int_equal(karst_net_follow(net, vertex_of, g, &report, &info), KARST_ERROR_FORMAT);
        assert_memory_equal(was, net->corners, (size_t)corners * sizeof *was);
        free(was), free(were);
        karst_net_destroy(net);
        ground_free(g);
        g = ground_of();
    }
    ground_free(g);
}

// One of large patches, one of small ones beside it: small seams become parts of large ones, however far they are from
// their curves, and between the two there is no seam any more.
static void fits_side_by_side_weld_into_one(void **state) {
    (void)state;
    const karst_rect left = {32, 16, 65, 65}, right = {64, 16, 97, 65};
    ground *g = ground_of();
    karst_net *net = fit_within(g, left, 0, 0.9, NULL), *other = fit_within(g, right, 0, 0.03, NULL);
    karst_report report = {0};
    uint8_t found[8 * 8];
    assert_int_equal(karst_net_append(net, other, &report), KARST_OK);
    assert_int_equal(karst_net_finish(net, &report), KARST_OK);
    int patches = net->patch_count;
    assert_int_equal(karst_net_replaced(net, SIDE, SIDE, found, &report), KARST_ERROR_FORMAT);  // control
    assert_non_null(strstr(report.message, "there twice"));
    karst_net_welded info;
    karst_net_weld_def weld = karst_net_weld_def_default();
    weld.report = &report;
    if (karst_net_weld(net, &weld, &info)) fail_msg("%s", report.message);
    assert_true(info.bound > 4);
    assert_int_equal(net->patch_count, patches);
    for (int k = 0; k < net->edge_count; ++k) {
        const karst_net_edge *e = &net->edges[k];
        assert_int_equal(e->open, e->seam ? 0xFF : 0);
        assert_false(e->seam && !(e->seam & 1) && e->column == 64);
    }
    if (karst_net_replaced(net, SIDE, SIDE, found, &report)) fail_msg("%s", report.message);
    for (int k = 0; k < 8 * 8; ++k) assert_int_equal(found[k], k % 8 >= 2 && k % 8 < 6 && k / 8 >= 1 && k / 8 < 4);
    karst_net_destroy(other), karst_net_destroy(net), ground_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_corners_on_a_seam_are_vertices_of_the_field),
        cmocka_unit_test(net_and_field_weld_without_a_crack),
        cmocka_unit_test(no_ray_slips_through_a_seam),
        cmocka_unit_test(fits_side_by_side_weld_into_one),
        cmocka_unit_test(a_net_follows_the_field_along_its_seams),
        cmocka_unit_test(seams_come_back_from_bytes),
        cmocka_unit_test(what_breaks_a_rule_of_seams_is_named),
        cmocka_unit_test(every_flipped_byte_of_seams_is_an_error_or_a_zone),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(what_a_net_may_not_have_as_a_seam_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
