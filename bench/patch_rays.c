// SPDX-License-Identifier: MIT
// Rays and heights on the finest triangles of a square kilometre of patches.
#include "patch_rays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "karst/sweep.h"
#include "karst/zoneground.h"
#include "scenes/nets.h"

typedef struct patch_rays {
    scene_zones zones;
    const karst_ground *ground;
    karst_ray *ray;
    double *answer;
    int count;
    double side_m;
    size_t triangles;
} patch_rays;

static double at(uint64_t kind, int k, int draw) {
    return kst_random01(kind, (uint64_t)k * 8 + (uint64_t)draw);
}

// A picture of 16:10 in the order of its lines, from above a hill into the valley.
static void camera_rays(patch_rays *r) {
    int width = (int)sqrt(r->count * 1.6), height = r->count / width;
    karst_pos eye = {0.2 * r->side_m, 0, 0.2 * r->side_m};
    (void)karst_ground_height(r->ground, eye.x, eye.z, &eye.y);
    eye.y += 20;
    double fx = 0.66, fy = -0.2, fz = 0.66, l = sqrt(fx * fx + fy * fy + fz * fz);
    fx /= l, fy /= l, fz /= l;
    double rx = -fz, rz = fx, rl = sqrt(rx * rx + rz * rz);  // right = forward x up
    rx /= rl, rz /= rl;
    double ux = -rz * fy, uy = rz * fx - rx * fz, uz = rx * fy;
    for (int k = 0; k < r->count; ++k) {
        double x = (2 * (k % width + 0.5) / width - 1) * 0.9, y = (1 - 2 * (k / width + 0.5) / height) * 0.56;
        r->ray[k] = karst_ray_make(eye, (karst_pos){fx + x * rx + y * ux, fy + y * uy, fz + x * rz + y * uz});
    }
}

static void down_rays(patch_rays *r) {
    for (int k = 0; k < r->count; ++k)
        r->ray[k] =
            karst_ray_make((karst_pos){r->side_m * at(1, k, 0), 500, r->side_m * at(1, k, 1)}, (karst_pos){0, -1, 0});
}

// From the ground, any direction upward.
static void sky_rays(patch_rays *r) {
    for (int k = 0; k < r->count; ++k) {
        double turn = 6.283185307 * at(2, k, 2), y = at(2, k, 3), flat = sqrt(1 - y * y);
        karst_pos p = {r->side_m * at(2, k, 0), 0, r->side_m * at(2, k, 1)};
        (void)karst_ground_height(r->ground, p.x, p.z, &p.y);
        p.y += 0.5;
        r->ray[k] = karst_ray_make(p, (karst_pos){flat * cos(turn), y, flat * sin(turn)});
    }
}

static void cast_all(void *context) {
    patch_rays *r = context;
    for (int k = 0; k < r->count; ++k) {
        karst_hit hit;
        r->answer[k] = !karst_ground_cast(r->ground, &r->ray[k], &hit) && hit.hit ? hit.t : -INFINITY;
    }
}

// A hundred walkers in turn, a step of 0.5 m each: all layers of ground where they are.
static void walk_all(void *context) {
    patch_rays *r = context;
    enum { WALKERS = 100 };
    for (int k = 0; k < r->count; ++k) {
        int walker = k % WALKERS;
        double turn = 6.283185307 * at(3, walker, 2), step = 0.5 * (k / WALKERS % 800);
        double x = r->side_m * (0.4 + 0.2 * at(3, walker, 0)) + step * cos(turn);
        double z = r->side_m * (0.4 + 0.2 * at(3, walker, 1)) + step * sin(turn);
        karst_level level[8];
        int count = 0;
        r->answer[k] = !karst_ground_heights(r->ground, x, z, level, 8, &count) && count
                           ? level[count > 8 ? 7 : count - 1].y
                           : -INFINITY;
    }
}

// A hundred walkers in turn, a sphere of 0.5 m that goes 0.5 m along the ground and a little down into it.
static void sweep_all(void *context) {
    patch_rays *r = context;
    enum { WALKERS = 100 };
    for (int k = 0; k < r->count / 10; ++k) {
        int walker = k % WALKERS;
        double turn = 6.283185307 * at(3, walker, 2), step = 0.5 * (k / WALKERS % 800), y = 0;
        double x = r->side_m * (0.4 + 0.2 * at(3, walker, 0)) + step * cos(turn);
        double z = r->side_m * (0.4 + 0.2 * at(3, walker, 1)) + step * sin(turn);
        karst_sweep s;
        (void)karst_ground_height(r->ground, x, z, &y);
        karst_pos from = {x, y + 0.8, z}, to = {x + 0.5 * cos(turn), y + 0.4, z + 0.5 * sin(turn)};
        r->answer[k] = !karst_ground_sweep(r->ground, from, to, 0.5, &s) && s.hit ? s.t : -INFINITY;
    }
}

static void measure_some(bench *b, patch_rays *r, int count, const char *what, bench_fn *fn, const char *note) {
    double ours_s, none;
    bench_compare(b, fn, NULL, r, &ours_s, &none);
    int hits = 0;
    for (int k = 0; k < count; ++k) hits += r->answer[k] > -INFINITY;
    bench_row row = {.what = what,
                     .unit = "1/s",
                     .value = count / ours_s,
                     .runs = bench_runs(b),
                     .hash = kst_hash(r->answer, (size_t)count * sizeof *r->answer, 0)};
    bench_add_note(b, &row, "%s; %d of %d met ground", note, hits, count);
}

static void measure(bench *b, patch_rays *r, const char *what, bench_fn *fn, const char *note) {
    measure_some(b, r, r->count, what, fn, note);
}

static bool count_some(void *context, const karst_triangle *triangles, int count) {
    (void)triangles;
    *(size_t *)context += (size_t)count;
    return true;
}

static karst_status measure_all(bench *b, patch_rays *r, karst_zone_ground *zones) {
    double start = bench_cpu_s();
    karst_status status =
        karst_zone_ground_add(zones, (const karst_zone *const *)r->zones.zones, (uint32_t)r->zones.count, NULL);
    double build_s = bench_cpu_s() - start;
    r->ground = karst_zone_ground_of(zones);
    for (uint32_t k = 0; !status && k < karst_ground_chunk_count(r->ground); ++k)
        status = karst_ground_triangles(r->ground, k, count_some, &r->triangles);
    if (status) return status;
    size_t bytes = karst_ground_memory(r->ground);
    camera_rays(r);
    measure(b, r, "rays_per_s", cast_all, "a picture in the order of its lines, one core");
    size_t kept = karst_ground_memory(r->ground) - bytes;
    down_rays(r);
    measure(b, r, "rays_per_s_down", cast_all, "straight down at random places");
    sky_rays(r);
    measure(b, r, "rays_per_s_sky", cast_all, "from random places into the sky");
    measure(b, r, "heights_per_s", walk_all, "all layers, a hundred walkers in turn, steps of 0.5 m");
    measure_some(b, r, r->count / 10, "sweeps_per_s", sweep_all,
                 "a sphere of 0.5 m that goes 0.5 m, a hundred walkers in turn, one height each told in");
    bench_row row = {
        .what = "ray_tree_bytes", .unit = "B/triangle", .value = (double)bytes / (double)r->triangles, .runs = 1};
    bench_add_note(b, &row, "%zu triangles, %.1f MB, and %.1f MB of evaluated tiles for each thread", r->triangles,
                   (double)bytes * 1e-6, (double)kept * 1e-6);
    row = (bench_row){.what = "ray_tree_ms", .unit = "ms/zone", .value = build_s * 1e3 / r->zones.count, .runs = 1};
    bench_add_note(b, &row, "boxes of %d zones made from their finest vertices", r->zones.count);
    return KARST_OK;
}

karst_status bench_patch_rays(bench *b) {
    patch_rays r = {.count = b->quick ? 2000 : 200000};
    scene_net_def def = {.side = b->quick ? 16 : 64, .slot = 9, .tiles_log2 = 3, .noise_set = 2};
    r.side_m = 16.0 * def.side;
    karst_net *net = NULL;
    karst_zone_ground *zones = NULL;
    r.ray = malloc((size_t)r.count * sizeof *r.ray);
    r.answer = malloc((size_t)r.count * sizeof *r.answer);
    karst_status status = r.ray && r.answer ? scene_net(&def, b->report, &net) : KARST_ERROR_MEMORY;
    if (!status) status = scene_zones_cut(net, b->report, &r.zones);
    if (!status) status = karst_zone_ground_create(net->origin, NULL, &zones);
    if (!status) status = measure_all(b, &r, zones);
    if (status)
        kst_fail(b->report, status, "bench patch: the ground could not be made (%s)", karst_status_text(status));
    karst_zone_ground_destroy(zones);
    if (r.zones.zones) scene_zones_free(&r.zones);
    karst_net_destroy(net);
    free(r.ray);
    free(r.answer);
    return status;
}
