// SPDX-License-Identifier: MIT
// Rays and heights on exact ground, beside Embree on the same triangles.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/core.h"
#include "karst/field.h"
#include "karst/surface.h"
#include "karst/view.h"
#include "scenes/scenes.h"
#ifdef KARST_WITH_EMBREE
#include <embree3/rtcore.h>
#endif

static const char *const peer_name = "Embree 3 robust, one ray a call";

enum { KINDS = 5 };
static const char *const kind_name[KINDS] = {"camera", "sky", "sight", "down", "edges"};

typedef struct rays_bench {
    int side, count;  // vertices along a side; rays of a kind
    float *height;
    karst_field *field;
    const karst_ground *ground;
    karst_ray *ray;  // of the kind at hand
    bool any;
    double *spot;          // x, z of the places whose height is asked
    float *ours, *theirs;  // t, INFINITY without a hit
    double sum;
#ifdef KARST_WITH_EMBREE
    RTCDevice device;
    RTCScene scene;
    float *vertex;
    unsigned *index;
#endif
    size_t embree_bytes;
} rays_bench;

static const double spacing_m = 30;

// ---- the ground ------------------------------------------------------------------------------------

static karst_status make_ground(rays_bench *r, bool *real) {
    size_t count = (size_t)r->side * (size_t)r->side;
    r->height = malloc(count * sizeof *r->height);
    if (!r->height) return KARST_ERROR_MEMORY;
    *real = bench_heights(r->side, r->height);
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){r->side, r->side, spacing_m, {0, 0, 0}};
    karst_status status = karst_field_create(&def, &r->field);
    if (!status)
        status = karst_field_write(r->field, (karst_rect){0, 0, r->side, r->side}, r->height, NULL, NULL, r->side);
    if (!status) r->ground = karst_field_ground(r->field);
    return status;
}

// ---- the rays --------------------------------------------------------------------------------------

static double at(uint64_t kind, int k, int draw) {
    return kst_random01(kind, (uint64_t)k * 8 + (uint64_t)draw);
}

static karst_pos above(const rays_bench *r, double u, double v, double up_m) {
    double size = (r->side - 1) * spacing_m, y = 0;
    karst_pos p = {u * size, 0, v * size};
    (void)karst_ground_height(r->ground, p.x, p.z, &y);
    p.y = y + up_m;
    return p;
}

static void camera_rays(rays_bench *r) {
    double size = (r->side - 1) * spacing_m;
    int width = (int)sqrt(r->count * 1.6), height = r->count / width;
    karst_pos eye = above(r, 0.12, 0.15, 400), look = {0.6 * size, eye.y - 0.25 * size, 0.6 * size};
    double fx = look.x - eye.x, fy = look.y - eye.y, fz = look.z - eye.z, l = sqrt(fx * fx + fy * fy + fz * fz);
    fx /= l, fy /= l, fz /= l;
    double rx = -fz, rz = fx, rl = sqrt(rx * rx + rz * rz);  // right = forward x up
    rx /= rl, rz /= rl;
    double ux = -rz * fy, uy = rz * fx - rx * fz, uz = rx * fy;
    for (int k = 0; k < r->count; ++k) {
        double x = (2 * (k % width + 0.5) / width - 1) * 0.9, y = (1 - 2 * (k / width + 0.5) / height) * 0.56;
        karst_pos d = {fx + x * rx + y * ux, fy + y * uy, fz + x * rz + y * uz};
        r->ray[k] = karst_ray_make(eye, d);
    }
}

static void sky_rays(rays_bench *r) {
    for (int k = 0; k < r->count; ++k) {
        double turn = 6.283185307 * at(2, k, 2), y = at(2, k, 3), flat = sqrt(1 - y * y);
        r->ray[k] =
            karst_ray_make(above(r, at(2, k, 0), at(2, k, 1), 0.5), (karst_pos){flat * cos(turn), y, flat * sin(turn)});
    }
}

static void sight_rays(rays_bench *r) {
    for (int k = 0; k < r->count; ++k) {
        karst_pos a = above(r, at(3, k, 0), at(3, k, 1), 20), b = above(r, at(3, k, 2), at(3, k, 3), 20);
        r->ray[k] = karst_ray_make(a, (karst_pos){b.x - a.x, b.y - a.y, b.z - a.z});
        r->ray[k].t_max = 1;
    }
}

static void down_rays(rays_bench *r) {
    double size = (r->side - 1) * spacing_m;
    for (int k = 0; k < r->count; ++k)
        r->ray[k] = karst_ray_make((karst_pos){size * at(4, k, 0), 5000, size * at(4, k, 1)}, (karst_pos){0, -1, 0});
}

// Straight down onto vertices, middles of edges and other places on edges, none on the outline.
static void edge_rays(rays_bench *r) {
    for (int k = 0; k < r->count; ++k) {
        int i = 1 + (int)(at(5, k, 0) * (r->side - 2)), j = 1 + (int)(at(5, k, 1) * (r->side - 2));
        static const int8_t way[3][2] = {{1, 0}, {0, 1}, {1, 1}};
        int w = (int)(at(5, k, 2) * 3);
        if ((i + j) & 1 && w == 2) w = 0;
        if (i == r->side - 2 || j == r->side - 2) w = 0, i = 1;
        double share = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.5 : at(5, k, 3);
        r->ray[k] =
            karst_ray_make((karst_pos){(i + share * way[w][0]) * spacing_m, 5000, (j + share * way[w][1]) * spacing_m},
                           (karst_pos){0, -1, 0});
    }
}

static void (*const make_rays[KINDS])(rays_bench *) = {camera_rays, sky_rays, sight_rays, down_rays, edge_rays};

// ---- ours ------------------------------------------------------------------------------------------

static void cast_ours(void *context) {
    rays_bench *r = context;
    for (int k = 0; k < r->count; ++k) {
        if (r->any) {
            bool blocked = false;
            karst_ground_blocked(r->ground, &r->ray[k], &blocked);
            r->ours[k] = blocked ? 0 : INFINITY;
        } else {
            karst_hit hit;
            karst_ground_cast(r->ground, &r->ray[k], &hit);
            r->ours[k] = hit.hit ? (float)hit.t : INFINITY;
        }
    }
}

static void find_heights(void *context) {
    rays_bench *r = context;
    double sum = 0;
    for (int k = 0; k < r->count; ++k) {
        double y = 0;
        karst_ground_height(r->ground, r->spot[2 * k], r->spot[2 * k + 1], &y);
        sum += y;
    }
    r->sum = sum;
}

// ---- Embree ----------------------------------------------------------------------------------------

#ifdef KARST_WITH_EMBREE
static bool count_memory(void *context, ssize_t bytes, bool post) {
    (void)post;
    rays_bench *r = context;
    r->embree_bytes += (size_t)bytes;
    return true;
}

static karst_status make_peer(rays_bench *r) {
    size_t cells = (size_t)(r->side - 1) * (size_t)(r->side - 1), vertices = (size_t)r->side * (size_t)r->side;
    r->vertex = malloc((3 * vertices + 4) * sizeof *r->vertex);
    r->index = malloc(6 * cells * sizeof *r->index);
    if (!r->vertex || !r->index) return KARST_ERROR_MEMORY;
    for (size_t k = 0; k < vertices; ++k) {
        r->vertex[3 * k] = (float)((double)(k % (size_t)r->side) * spacing_m);
        r->vertex[3 * k + 1] = r->height[k];
        r->vertex[3 * k + 2] = (float)((double)(k / (size_t)r->side) * spacing_m);
    }
    unsigned *to = r->index;
    for (int j = 0; j < r->side - 1; ++j)
        for (int i = 0; i < r->side - 1; ++i, to += 6) {
            unsigned a = (unsigned)(j * r->side + i), b = a + 1, c = a + (unsigned)r->side, d = c + 1;
            const unsigned even[6] = {a, d, b, a, c, d}, odd[6] = {a, c, b, b, c, d};
            memcpy(to, (i + j) & 1 ? odd : even, sizeof even);
        }
    r->device = rtcNewDevice("threads=1");
    if (!r->device) return KARST_ERROR_UNSUPPORTED;
    rtcSetDeviceMemoryMonitorFunction(r->device, count_memory, r);
    r->scene = rtcNewScene(r->device);
    rtcSetSceneFlags(r->scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry g = rtcNewGeometry(r->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, r->vertex, 0, 12, vertices);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, r->index, 0, 12, 2 * cells);
    rtcCommitGeometry(g);
    rtcAttachGeometry(r->scene, g);
    rtcReleaseGeometry(g);
    rtcCommitScene(r->scene);
    return KARST_OK;
}

static struct RTCRay peer_ray(const karst_ray *k) {
    return (struct RTCRay){.org_x = (float)k->origin.x,
                           .org_y = (float)k->origin.y,
                           .org_z = (float)k->origin.z,
                           .dir_x = (float)k->direction.x,
                           .dir_y = (float)k->direction.y,
                           .dir_z = (float)k->direction.z,
                           .tnear = (float)k->t_min,
                           .tfar = (float)k->t_max,
                           .mask = ~0u};
}

static void cast_peer(void *context) {
    rays_bench *r = context;
    struct RTCIntersectContext c;
    rtcInitIntersectContext(&c);
    for (int k = 0; k < r->count; ++k) {
        if (r->any) {
            struct RTCRay ray = peer_ray(&r->ray[k]);
            rtcOccluded1(r->scene, &c, &ray);
            r->theirs[k] = ray.tfar < 0 ? 0 : INFINITY;
        } else {
            struct RTCRayHit h = {.ray = peer_ray(&r->ray[k])};
            h.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(r->scene, &c, &h);
            r->theirs[k] = h.hit.geomID != RTC_INVALID_GEOMETRY_ID ? h.ray.tfar : INFINITY;
        }
    }
}

static void free_peer(rays_bench *r) {
    if (r->scene) rtcReleaseScene(r->scene);
    if (r->device) rtcReleaseDevice(r->device);
    free(r->vertex);
    free(r->index);
}
static bench_fn *const peer_fn = cast_peer;
#else
static karst_status make_peer(rays_bench *r) {
    (void)r;
    return KARST_OK;
}
static void free_peer(rays_bench *r) {
    (void)r;
}
static bench_fn *const peer_fn = NULL;
#endif

// ---- rows ------------------------------------------------------------------------------------------

static void measure_kind(bench *b, rays_bench *r, int kind, bench_row *worst) {
    make_rays[kind](r);
    r->any = kind == 2;
    double ours_s, peer_s;
    bench_compare(b, cast_ours, peer_fn, r, &ours_s, &peer_s);
    int hits = 0, ours_only = 0, peer_only = 0;
    for (int k = 0; k < r->count; ++k) {
        bool mine = r->ours[k] < INFINITY, theirs = peer_fn ? r->theirs[k] < INFINITY : mine;
        hits += mine;
        ours_only += mine && !theirs;
        peer_only += theirs && !mine;
    }
    char what[64];
    snprintf(what, sizeof what, "rays_per_s_%s", kind_name[kind]);
    bench_row row = {.what = what,
                     .unit = "1/s",
                     .value = r->count / ours_s,
                     .peer = peer_name,
                     .peer_value = r->count / peer_s,
                     .runs = bench_runs(b),
                     .hash = kst_hash(r->ours, (size_t)r->count * sizeof *r->ours, 0)};
    if (peer_fn)
        bench_add_note(b, &row, "%d of %d rays hit, %d only ours, %d only the peer's", hits, r->count, ours_only,
                       peer_only);
    else
        bench_add_note(b, &row, "%d of %d rays hit; Embree is not installed", hits, r->count);
    double ratio = row.value / row.peer_value, least = worst->value / worst->peer_value;
    if (worst->what && !(peer_fn ? ratio < least : row.value < worst->value)) return;
    *worst = row;
    worst->what = "rays_per_s";
    worst->note = kind_name[kind];
}

static void measure_places(bench *b, rays_bench *r, const char *what, const char *note) {
    double ours_s, peer_s;
    bench_compare(b, find_heights, NULL, r, &ours_s, &peer_s);
    bench_add(b, &(bench_row){.what = what,
                              .unit = "1/s",
                              .value = r->count / ours_s,
                              .runs = bench_runs(b),
                              .hash = kst_hash(&r->sum, sizeof r->sum, 0),
                              .note = note});
}

// Things that stand on the ground ask for heights near where they asked before. Places at random show the memory.
static void measure_heights(bench *b, rays_bench *r) {
    enum { WALKERS = 100 };
    double size = (r->side - 1) * spacing_m;
    for (int k = 0; k < r->count; ++k) {
        int walker = k % WALKERS, step = k / WALKERS;
        double turn = 6.283185307 * at(7, walker, 2);
        r->spot[2 * k] = size * (0.2 + 0.6 * at(7, walker, 0)) + step * cos(turn);
        r->spot[2 * k + 1] = size * (0.2 + 0.6 * at(7, walker, 1)) + step * sin(turn);
    }
    measure_places(b, r, "heights_per_s", "a hundred walkers in turn, a step of 1 m each");
    for (int k = 0; k < 2 * r->count; ++k) r->spot[k] = size * at(6, k, 0);
    measure_places(b, r, "heights_per_s_random", "places at random over the whole ground");
}

karst_status bench_rays(bench *b) {
    rays_bench r = {.side = b->quick ? 129 : 1025, .count = b->quick ? 2000 : 400000};
    r.ray = malloc((size_t)r.count * sizeof *r.ray);
    r.spot = malloc(2 * (size_t)r.count * sizeof *r.spot);
    r.ours = malloc((size_t)r.count * sizeof *r.ours);
    r.theirs = malloc((size_t)r.count * sizeof *r.theirs);
    bool real = false;
    karst_status status = r.ray && r.spot && r.ours && r.theirs ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = make_ground(&r, &real);
    if (!status) status = make_peer(&r);
    if (status) {
        kst_fail(b->report, status, "bench rays: the ground could not be made (%s)", karst_status_text(status));
    } else {
        measure_heights(b, &r);
        bench_row worst = {.what = NULL};
        for (int kind = 0; kind < KINDS; ++kind) measure_kind(b, &r, kind, &worst);
        bench_row all = worst;
        bench_add_note(b, &all, "the worst of five kinds: %s", worst.note);
        bench_add(b, &(bench_row){.what = "memory",
                                  .unit = "bytes",
                                  .value = (double)karst_ground_memory(r.ground),
                                  .peer = "Embree 3 robust, its tree alone",
                                  .peer_value = peer_fn ? (double)r.embree_bytes : NAN,
                                  .runs = 1,
                                  .note = real ? "vertices and tree; 1025 x 1025 samples of real ground"
                                               : "vertices and tree; made ground"});
    }
    free_peer(&r);
    karst_field_destroy(r.field);
    free(r.height);
    free(r.ray);
    free(r.spot);
    free(r.ours);
    free(r.theirs);
    return status;
}
