// SPDX-License-Identifier: MIT
// Patches from a field lie within the tolerance of it, and hold together.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "karst/netfit.h"
#include "karst/zone.h"
#include "scenes/nets.h"
#include "support/prop.h"

enum { SIDE = 130 };

// Ground with smooth and rough parts; an overhang too if asked.
static karst_field *field_of(bool overhang, double spacing_m) {
    karst_field_def def = karst_field_def_default();
    def.shape.columns = def.shape.rows = SIDE;
    def.shape.spacing_m = spacing_m;
    def.shape.origin = (karst_pos){500, 20, -300};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    float y[SIDE], x[SIDE], z[SIDE];
    for (int j = 0; j < SIDE; ++j) {
        for (int i = 0; i < SIDE; ++i) {
            double rough = i > 60 && j > 60 ? 0.6 * sin(i * 1.9) * cos(j * 2.3) : 0;
            y[i] = (float)(9 * sin(i * 0.05) * cos(j * 0.04) + rough);
            x[i] = overhang ? (float)(3 * exp(-0.01 * ((i - 30) * (i - 30) + (j - 30) * (j - 30)))) : 0;
            z[i] = 0;
        }
        karst_rect row = {0, j, SIDE, j + 1};
        assert_int_equal(karst_field_write(field, row, y, overhang ? x : NULL, overhang ? z : NULL, SIDE), KARST_OK);
    }
    return field;
}

static karst_net *fit(karst_field *field, karst_net_fit_def *def, karst_net_fitted *info) {
    karst_net *net;
    karst_report report = {0};
    def->report = &report;
    assert_int_equal(karst_net_create(karst_field_shape_of(field).origin, -8, NULL, &net), KARST_OK);
    if (karst_net_from_field(net, field, def, info)) fail_msg("%s", report.message);
    def->report = NULL;
    return net;
}

// Largest distance of a fine vertex over a field vertex from it: vertices are found by their parameters alone.
static double farthest(const karst_net *net, karst_field *field, const karst_net_fitted *info, int tile_cells,
                       int *met) {
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    karst_field_shape shape = karst_field_shape_of(field);
    karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v);
    float *y = malloc(3 * SIDE * SIDE * sizeof *y), *x = y + SIDE * SIDE, *z = x + SIDE * SIDE;
    uint8_t *seen = calloc(SIDE * SIDE, 1);
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, SIDE, SIDE}, y, x, z, SIDE), KARST_OK);
    double worst = 0;
    int per = KARST_TILE_CELLS / tile_cells;  // fine vertices from one field vertex to the next
    for (int k = 0; k < zones.count; ++k)
        for (uint32_t p = 0; p < zones.zones[k]->piece_count; ++p) {
            const karst_zone *zone = zones.zones[k];
            int f = KARST_TILE_CELLS << zone->pieces[p].tiles_log2, w = f + 1;
            karst_zone_fine(zone, p, v);
            // The vertex of the field nearest to the middle tells which part of it this is.
            double best = 1e30;
            int at = 0;
            int middle = f / 2 * w + f / 2;
            double m[3] = {(zone->bias.x + v[middle].x) / 4096.0, (zone->bias.y + v[middle].y) / 4096.0,
                           (zone->bias.z + v[middle].z) / 4096.0};
            for (int i = 0; i < SIDE * SIDE; ++i) {
                double dx = i % SIDE * shape.spacing_m + (double)x[i] - m[0], dy = (double)y[i] - m[1];
                double dz = i / SIDE * shape.spacing_m + (double)z[i] - m[2], d = dx * dx + dy * dy + dz * dz;
                if (d < best) best = d, at = i;
            }
            int c0 = at % SIDE - f / 2 / per, r0 = at / SIDE - f / 2 / per;
            for (int j = 0; j <= f; j += per)
                for (int i = 0; i <= f; i += per) {
                    int n = (r0 + j / per) * SIDE + c0 + i / per;
                    assert_true(n >= 0 && n < SIDE * SIDE);
                    double dx = (zone->bias.x + v[j * w + i].x) / 4096.0 - n % SIDE * shape.spacing_m - (double)x[n];
                    double dy = (zone->bias.y + v[j * w + i].y) / 4096.0 - (double)y[n];
                    double dz = (zone->bias.z + v[j * w + i].z) / 4096.0 - n / SIDE * shape.spacing_m - (double)z[n];
                    double d = sqrt(dx * dx + dy * dy + dz * dz);
                    if (d > worst) worst = d;
                    seen[n] = 1;
                }
        }
    *met = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) *met += seen[i];
    (void)info;
    free(v), free(y), free(seen);
    scene_zones_free(&zones);
    return worst;
}

static void a_fit_lies_within_the_tolerance(void **state) {
    (void)state;
    for (int overhang = 0; overhang < 2; ++overhang)
        for (int tolerance = 0; tolerance < 2; ++tolerance) {
            karst_field *field = field_of(overhang, 1);
            karst_net_fit_def def = karst_net_fit_def_default();
            def.tolerance_m = tolerance ? 0.02 : 0.2;
            karst_net_fitted info;
            karst_net *net = fit(field, &def, &info);
            assert_int_equal(info.over, 0);
            assert_true(info.worst_m <= def.tolerance_m && info.mean_m < info.worst_m);
            int met;
            double found = farthest(net, field, &info, 1, &met);
            assert_true(found <= info.worst_m + 0.002 && found > 0.5 * info.worst_m);  // T corners are rounded
            assert_int_equal(met, 129 * 129);
            if (!tolerance) assert_true(info.of_tiles[4] > 10 && info.of_tiles[1] > 100);
            karst_net_destroy(net);
            karst_field_destroy(field);
        }
}

static void what_cannot_fit_is_told(void **state) {
    (void)state;
    karst_field *field = field_of(false, 2);
    karst_net_fit_def def = karst_net_fit_def_default();
    def.tile_cells = 4, def.tolerance_m = 0.05;
    def.rect = (karst_rect){50, 50, 130, 121};
    karst_net_fitted info;
    karst_net *net = fit(field, &def, &info);
    assert_true(info.over > 50 && info.worst_m > def.tolerance_m);
    assert_true(info.rect.x0 == 50 && info.rect.x1 == 50 + 9 * 8 + 1 && info.rect.z1 == 50 + 8 * 8 + 1);
    int met;
    double found = farthest(net, field, &info, 4, &met);
    assert_true(fabs(found - info.worst_m) < 0.003);
    assert_int_equal(met, 73 * 65);
    karst_net_destroy(net);
    karst_field_destroy(field);
}

static void holes_are_left_out(void **state) {
    (void)state;
    karst_field *field = field_of(false, 1);
    uint8_t hole = 1;
    assert_int_equal(karst_field_write_holes(field, (karst_rect){40, 41, 41, 42}, &hole, 1), KARST_OK);
    karst_net_fit_def def = karst_net_fit_def_default();
    karst_net_fitted info;
    karst_net *net = fit(field, &def, &info);
    assert_int_equal(info.left_out, 1);
    int open = 0;
    for (int k = 0; k < net->edge_count; ++k) open += __builtin_popcount(net->edges[k].open) * net->edges[k].tiles;
    assert_int_equal(open, 8 * (4 * 128 + 8));
    karst_net_destroy(net);
    karst_field_destroy(field);
}

static void what_cannot_be_is_one_line(void **state) {
    (void)state;
    karst_field *field = field_of(false, 1);
    for (int k = 0; k < 5; ++k) {
        karst_net_fit_def def = karst_net_fit_def_default();
        karst_report report = {0};
        def.report = &report;
        if (k == 0) def.tolerance_m = 0;
        if (k == 1) def.tile_cells = 3;
        if (k == 2) def.rect = (karst_rect){0, 0, 131, 100};
        if (k == 3) def.rect = (karst_rect){0, 0, 2, 100};
        if (k == 4) def.slot = 16;
        karst_net *net;
        assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
        assert_int_equal(karst_net_from_field(net, field, &def, NULL), KARST_ERROR_ARGUMENT);
        assert_true(strlen(report.message) > 10 && !strchr(report.message, '\n'));
        karst_net_destroy(net);
    }
    karst_field_destroy(field);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_lies_within_the_tolerance),
        cmocka_unit_test(what_cannot_fit_is_told),
        cmocka_unit_test(holes_are_left_out),
        cmocka_unit_test(what_cannot_be_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
