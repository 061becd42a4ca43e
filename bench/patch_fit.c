// SPDX-License-Identifier: MIT
// What a net costs that was fitted to a field, beside the field baked to the same tolerance: on 512 x 512 real cells,
// whose every sample is a turn of the ground, and on smooth hills made by code. Two tiles of the real samples, 30 m
// apart, would make patches of up to 170 m, so theirs is a model of one third.
#include "patch_fit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "karst/bake.h"
#include "karst/netfit.h"
#include "karst/pack.h"
#include "scenes/nets.h"

enum { SIDE = 513, REAL_SIDE = 1025 };

typedef struct fit_case {
    const char *name;
    bool real;
    double spacing_m, tolerance_m;
} fit_case;

static karst_status make_field(const fit_case *c, int side, bool *real, karst_field **out) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){side, side, c->spacing_m, {0, 0, 0}};
    float *all = malloc((size_t)REAL_SIDE * REAL_SIDE * sizeof *all);
    karst_status status = all ? karst_field_create(&def, out) : KARST_ERROR_MEMORY;
    if (status) {
        free(all);
        return status;
    }
    *real = c->real && bench_heights(REAL_SIDE, all);
    for (size_t k = 0; k < (size_t)REAL_SIDE * REAL_SIDE && c->real; ++k) all[k] *= (float)(c->spacing_m / 30);
    for (int j = 0; j < side && !c->real; ++j)
        for (int i = 0; i < side; ++i)
            all[j * REAL_SIDE + i] = (float)scene_net_hill(i * c->spacing_m, j * c->spacing_m);
    status = karst_field_write(*out, (karst_rect){0, 0, side, side}, all, NULL, NULL, REAL_SIDE);
    free(all);
    if (status) karst_field_destroy(*out);
    return status;
}

// Bytes of the zones and of the field's chunks in a pack of both.
static karst_status packed(bench *b, const fit_case *c, karst_field *field, const karst_net *net,
                           karst_pack_parts *out) {
    char path[] = "/tmp/karst-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return kst_fail(b->report, KARST_ERROR_FILE, "%s: cannot make it", path);
    close(fd);
    karst_bake_def def = karst_bake_def_default();
    karst_bake_info info;
    karst_pack *pack;
    def.error_m = (float)c->tolerance_m, def.map_side = 64, def.net = net, def.jobs = b->jobs;
    karst_status status = karst_bake_field(field, path, &def, NULL, b->report, &info);
    if (!status) status = karst_pack_open(path, NULL, &pack);
    if (!status) {
        status = karst_pack_parts_of(pack, out);
        karst_pack_close(pack);
    }
    unlink(path);
    return status;
}

static void add(bench *b, const fit_case *c, const char *what, const char *unit, double value, const char *peer,
                double peer_value, const char *note) {
    char name[64];
    snprintf(name, sizeof name, "fit_%s_%s", what, c->name);
    bench_add(b, &(bench_row){.what = name,
                              .unit = unit,
                              .value = value,
                              .peer = peer,
                              .peer_value = peer_value,
                              .note = note,
                              .runs = 1});
}

static karst_status measure(bench *b, const fit_case *c) {
    karst_field *field = NULL;
    karst_net *net = NULL;
    karst_net_fit_def def = karst_net_fit_def_default();
    karst_net_fitted info = {0};
    karst_pack_parts parts = {0};
    int side = b->quick ? 65 : SIDE;
    bool real;
    def.tolerance_m = c->tolerance_m, def.report = b->report;
    karst_status status = make_field(c, side, &real, &field);
    if (status) return status;
    status = karst_net_create((karst_pos){0, 0, 0}, c->real ? -6 : -8, NULL, &net);  // mountains are tall
    double start = bench_cpu_s();
    if (!status) status = karst_net_from_field(net, field, &def, &info);
    double seconds = bench_cpu_s() - start;
    if (!status) status = packed(b, c, field, net, &parts);
    if (!status) {
        char note[160];
        snprintf(note, sizeof note, "%s%d x %d vertices %g m apart within %g m; of 2, 4, 8, 16 tiles: %d, %d, %d, %d",
                 c->real && !real ? "made by code: " : "", side, side, c->spacing_m, c->tolerance_m, info.of_tiles[1],
                 info.of_tiles[2], info.of_tiles[3], info.of_tiles[4]);
        double heights = parts.heights + parts.holes + parts.root;
        add(b, c, "patches", "", info.patches, NULL, NAN, note);
        add(b, c, "bytes", "B", parts.zones, "field's chunks", heights, "zones of the net in a pack");
        add(b, c, "field_bytes", "B", heights, NULL, NAN, "heights of all levels, baked to the same error, in a pack");
        add(b, c, "seconds", "s", seconds, NULL, NAN, NULL);
        add(b, c, "worst_m", "m", info.worst_m, NULL, NAN, info.over ? "some stay over the tolerance" : NULL);
    }
    karst_net_destroy(net);
    karst_field_destroy(field);
    return status;
}

karst_status bench_patch_fit(bench *b) {
    static const fit_case cases[] = {
        {"real_10cm", true, 10, 0.1}, {"real_1m", true, 10, 1}, {"hills_10cm", false, 1, 0.1}};
    karst_status status = KARST_OK;
    for (size_t k = 0; k < sizeof cases / sizeof *cases && !status; ++k) status = measure(b, &cases[k]);
    return status;
}
