// SPDX-License-Identifier: MIT
// What a weld costs: a floor of squares with corners and edges of their own, every fourth one in four small ones that
// bind to halves of those beside it. Sixteen times as many show whether it stays n log n.
#include "patch_weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "karst/netweld.h"

enum { SIDE = 160 };

typedef struct floor_cage {
    karst_pos *places;
    int32_t (*quads)[4];
    uint8_t (*tiles)[2];
    int32_t count;
} floor_cage;

static void square(floor_cage *f, double x, double z, double side_m, int tiles_log2) {
    int32_t k = f->count++;
    for (int c = 0; c < 4; ++c) {
        f->places[4 * k + c] =
            (karst_pos){x + (c == 1 || c == 2 ? side_m : 0), 0.01 * ((k + c) % 3), z + (c >= 2 ? side_m : 0)};
        f->quads[k][c] = 4 * k + c;
    }
    f->tiles[k][0] = f->tiles[k][1] = (uint8_t)tiles_log2;
}

static karst_status make(int side, karst_report *report, karst_net **out) {
    size_t room = 4 * (size_t)side * (size_t)side;
    floor_cage f = {malloc(4 * room * sizeof *f.places), malloc(room * sizeof *f.quads), malloc(room * sizeof *f.tiles),
                    0};
    karst_status status = f.places && f.quads && f.tiles ? KARST_OK : KARST_ERROR_MEMORY;
    for (int j = 0; j < side && !status; ++j)
        for (int i = 0; i < side; ++i) {
            bool split = (i + j) % 4 == 0;
            for (int k = 0; k < (split ? 4 : 1); ++k)
                square(&f, 16.0 * i + 8 * (k & 1), 16.0 * j + 8 * (k >> 1), split ? 8 : 16, split ? 2 : 3);
        }
    if (!status) status = karst_net_create((karst_pos){0, 0, 0}, -8, NULL, out);
    if (!status) {
        karst_net_cage cage = {.places = f.places,
                               .place_count = 4 * f.count,
                               .quads = (const int32_t(*)[4])f.quads,
                               .quad_count = f.count,
                               .tiles_log2 = (const uint8_t(*)[2])f.tiles};
        status = karst_net_from_cage(*out, &cage, report);
        if (status) karst_net_destroy(*out);
    }
    free(f.places), free(f.quads), free(f.tiles);
    return status;
}

static karst_status measure(bench *b, int side, const char *what) {
    double seconds[16];
    int runs = bench_runs(b);
    karst_net_welded info = {0};
    karst_net_weld_def def = karst_net_weld_def_default();
    def.distance_m = 0.05, def.report = b->report;
    int32_t patches = 0;
    uint64_t hash = 0;
    for (int run = 0; run < runs; ++run) {
        karst_net *net;
        karst_status status = make(side, b->report, &net);
        if (status) return status;
        double start = bench_cpu_s();
        status = karst_net_weld(net, &def, &info);
        seconds[run] = bench_cpu_s() - start;
        patches = net->patch_count;
        hash = kst_hash(net->inside, (size_t)net->inside_count * sizeof *net->inside, (uint64_t)net->edge_count);
        karst_net_destroy(net);
        if (status) return status;
    }
    bench_add_note(b,
                   &(bench_row){.what = what,
                                .unit = "us/patch",
                                .value = 1e6 * bench_median(seconds, runs) / patches,
                                .peer_value = NAN,
                                .runs = runs,
                                .hash = hash},
                   "%d patches apart; %d corners and %d edges merged, %d bound", patches, info.corners, info.edges,
                   info.bound);
    return KARST_OK;
}

karst_status bench_patch_weld(bench *b) {
    int side = b->quick ? 8 : SIDE;
    karst_status status = measure(b, side / 4, "weld_us");
    return status ? status : measure(b, side, "weld_us_16_times");
}
