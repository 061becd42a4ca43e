// SPDX-License-Identifier: MIT
// A field with a net in place of a part of it, for tests of where the two meet.
#pragma once
#include "karst/bake.h"
#include "karst/netfit.h"
#include "support/prop.h"

typedef struct seam_def {
    int columns, rows;
    double spacing_m;
    karst_pos origin;
    bool displaced;
    karst_rect rect;  // what the net takes the place of: whole patches of it
    double tolerance_m;
    uint8_t slot;
} seam_def;

// Hills of some metres, whose sides are no whole number of patches; the net in the middle, in two zones.
static inline seam_def seam_def_default(void) {
    return (seam_def){.columns = 231,
                      .rows = 133,
                      .spacing_m = 1,
                      .origin = {1234.7, 20.3, -98765.4321},
                      .rect = {112, 16, 193, 97},
                      .tolerance_m = 0.3,
                      .slot = 9};
}

static inline karst_field *seam_field(const seam_def *def) {
    karst_field_def fd = karst_field_def_default();
    fd.shape = (karst_field_shape){def->columns, def->rows, def->spacing_m, def->origin};
    karst_field *field;
    assert_int_equal(karst_field_create(&fd, &field), KARST_OK);
    size_t n = (size_t)def->columns;
    float *y = malloc(3 * n * sizeof *y), *x = y + n, *z = x + n;
    for (int j = 0; j < def->rows; ++j) {
        for (int i = 0; i < def->columns; ++i) {
            double u = i * def->spacing_m, v = j * def->spacing_m;
            y[i] = (float)(5 * sin(0.05 * u + 0.02 * v) + 3 * cos(0.07 * v - 0.01 * u));
            x[i] = (float)(0.3 * sin(0.11 * v));
            z[i] = (float)(0.25 * cos(0.09 * u));
        }
        karst_rect row = {0, j, def->columns, j + 1};
        assert_int_equal(
            karst_field_write(field, row, y, def->displaced ? x : NULL, def->displaced ? z : NULL, def->columns),
            KARST_OK);
    }
    free(y);
    return field;
}

static inline karst_net *seam_net(karst_field *field, const seam_def *def) {
    karst_report report = {0};
    karst_net *net;
    assert_int_equal(karst_net_create(karst_field_shape_of(field).origin, -8, NULL, &net), KARST_OK);
    karst_net_fit_def fit = karst_net_fit_def_default();
    fit.rect = def->rect, fit.tolerance_m = def->tolerance_m, fit.slot = def->slot, fit.noise_set = 2;
    fit.replace = true, fit.report = &report;
    karst_net_fitted found;
    if (karst_net_from_field(net, field, &fit, &found)) fail_msg("%s", report.message);
    return net;
}

static inline karst_status seam_bake(karst_field *field, const karst_net *net, const char *path, float error_m,
                                     karst_jobs *jobs, karst_report *report, karst_bake_info *info) {
    karst_bake_def def = karst_bake_def_default();
    def.net = net, def.map_side = 32, def.error_m = error_m, def.jobs = jobs;
    return karst_bake_field(field, path, &def, NULL, report, info);
}
