// SPDX-License-Identifier: MIT
// A square net in place of a part of a field of hills: frames of both scenes on a walk over it, with the seam and
// without, and the seam's own part of them.
#include "patch_seam.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "karst/bake.h"
#include "karst/netfit.h"
#include "karst/seam.h"
#include "scenes/nets.h"

enum { SIDE = 1025, QUICK_SIDE = 257 };

typedef struct run {
    karst_field *field;
    karst_net *net;
    karst_pack *pack;
    karst_noise_bank *bank;
    karst_zone **zones;
    int32_t zone_count;
    karst_scene *scene;
    karst_zone_scene *net_scene;
    karst_seam *seam;
    karst_view *views;
    int frames;
    bool seamed;
    int64_t triangles;
    uint64_t hash;
} run;

static karst_status make_field(int side, karst_field **out) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){side, side, 2, {0, 0, 0}};
    float *row = malloc((size_t)side * sizeof *row);
    karst_status status = row ? karst_field_create(&def, out) : KARST_ERROR_MEMORY;
    for (int j = 0; j < side && !status; ++j) {
        for (int i = 0; i < side; ++i)
            row[i] = (float)(scene_net_hill(2 * i, 2 * j) + 0.2 * kst_random01(5, (uint64_t)(j * SIDE + i)));
        status = karst_field_write(*out, (karst_rect){0, j, side, j + 1}, row, NULL, NULL, side);
    }
    free(row);
    return status;
}

static karst_status make_pack(bench *b, run *r, int side) {
    char path[] = "/tmp/karst-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return kst_fail(b->report, KARST_ERROR_FILE, "%s: cannot make it", path);
    close(fd);
    karst_status status = make_field(side, &r->field);
    if (!status) status = karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &r->net);
    karst_net_fit_def fit = karst_net_fit_def_default();
    fit.replace = true, fit.rect = (karst_rect){side / 4, side / 4, 3 * side / 4, 3 * side / 4};
    fit.tolerance_m = 0.3, fit.report = b->report;
    if (!status) status = karst_net_from_field(r->net, r->field, &fit, NULL);
    karst_bake_def bake = karst_bake_def_default();
    bake.net = r->net, bake.map_side = 64, bake.jobs = b->jobs;
    if (!status) status = karst_bake_field(r->field, path, &bake, NULL, b->report, NULL);
    if (!status) status = karst_pack_open(path, NULL, &r->pack);
    unlink(path);
    return status;
}

static karst_status make_scenes(bench *b, run *r) {
    karst_status status = karst_scene_create(r->pack, NULL, &r->scene);
    karst_zone_scene_def def = karst_zone_scene_def_default();
    def.origin = karst_pack_net_origin(r->pack);
    if (!status) status = karst_zone_scene_create(&def, &r->net_scene);
    if (!status) status = karst_seam_create(r->pack, NULL, b->report, &r->seam);
    r->bank = malloc(sizeof *r->bank);
    r->zones = calloc((size_t)karst_pack_zone_count(r->pack), sizeof *r->zones);
    if (!r->bank || !r->zones) return KARST_ERROR_MEMORY;
    karst_noise_bank_make(r->bank);
    for (; r->zone_count < karst_pack_zone_count(r->pack) && !status; r->zone_count += !status) {
        karst_zone **zone = &r->zones[r->zone_count];
        uint16_t slot;
        status = karst_pack_zone_read(r->pack, r->zone_count, r->bank, b->report, zone);
        if (!status) status = karst_zone_scene_add(r->net_scene, *zone, b->report, &slot);
    }
    return status;
}

// Low, from one side of the net to the other.
static karst_status make_views(run *r, int side) {
    r->views = malloc((size_t)r->frames * sizeof *r->views);
    for (int k = 0; k < r->frames && r->views; ++k) {
        double x = 2.0 * side * (0.2 + 0.6 * k / r->frames), z = 2.0 * side * 0.45;
        karst_pos eye = {x, scene_net_hill(x, z) + 12, z}, to = {x + 10, eye.y - 2, z + 3};
        r->views[k] = karst_view_perspective(eye, to, (karst_vec3){0, 1, 0}, 1.0471976f, 1920, 1080);
    }
    return r->views ? KARST_OK : KARST_ERROR_MEMORY;
}

static void update_seam(run *r, const karst_view *view) {
    karst_seam_update(r->seam, view, 1, NULL, NULL);
}

static void all_seams(void *context) {
    run *r = context;
    for (int k = 0; k < r->frames; ++k) update_seam(r, &r->views[k]);
}

static void all_frames(void *context) {
    run *r = context;
    r->triangles = 0, r->hash = 0;
    for (int k = 0; k < r->frames; ++k) {
        karst_budget field = karst_budget_default();
        karst_zone_budget net = karst_zone_budget_default();
        karst_frame f;
        karst_zone_frame z;
        if (r->seamed) {
            update_seam(r, &r->views[k]);
            field.seam = net.seam = r->seam;
        }
        if (karst_scene_settle(r->scene, &r->views[k], 1, &field, &f)) return;
        karst_zone_scene_update(r->net_scene, &r->views[k], 1, &net, &z);
        r->triangles += f.figures.triangles + z.figures.triangles;
        r->hash = kst_hash_u64(r->hash, kst_hash(f.patches, (size_t)f.patch_count * sizeof *f.patches, 1));
        r->hash = kst_hash_u64(r->hash, kst_hash(z.instances, (size_t)z.instance_count * sizeof *z.instances, 2));
    }
}

static void measure(bench *b, run *r) {
    double seam_s, frame_s[2], unused;
    int32_t corners = karst_pack_seam_count(r->pack);
    bench_compare(b, all_seams, NULL, r, &seam_s, &unused);
    bench_add_note(b,
                   &(bench_row){.what = "seam_ns_corner",
                                .unit = "ns CPU",
                                .value = 1e9 * seam_s / r->frames / corners,
                                .peer_value = NAN,
                                .runs = bench_runs(b)},
                   "of %d", corners);
    int64_t triangles[2];
    uint64_t hash = 0;
    for (int k = 0; k < 2; ++k) {
        r->seamed = k == 1;
        bench_compare(b, all_frames, NULL, r, &frame_s[k], &unused);
        triangles[k] = r->triangles, hash = r->hash;
    }
    bench_add_note(b,
                   &(bench_row){.what = "seam_frame_us",
                                .unit = "us CPU",
                                .value = 1e6 * frame_s[1] / r->frames,
                                .peer_value = NAN,
                                .runs = bench_runs(b),
                                .hash = hash},
                   "without the seam %.0f; %lld triangles a frame, without %lld", 1e6 * frame_s[0] / r->frames,
                   (long long)(triangles[1] / r->frames), (long long)(triangles[0] / r->frames));
}

karst_status bench_patch_seam(bench *b) {
    run r = {.frames = b->quick ? 5 : 100};
    int side = b->quick ? QUICK_SIDE : SIDE;
    karst_status status = make_pack(b, &r, side);
    if (!status) status = make_scenes(b, &r);
    if (!status) status = make_views(&r, side);
    if (!status) measure(b, &r);
    karst_seam_destroy(r.seam);
    karst_zone_scene_destroy(r.net_scene);
    karst_scene_destroy(r.scene);
    for (int32_t k = 0; k < r.zone_count; ++k) karst_zone_destroy(r.zones[k]);
    karst_pack_close(r.pack);
    karst_net_destroy(r.net);
    karst_field_destroy(r.field);
    free(r.bank), free(r.zones), free(r.views);
    return status;
}
