// SPDX-License-Identifier: MIT
// bench select: the cut of a 65,537^2 world against a plain distance quadtree, and the promise in pixels.
//
// The synthetic world has the pyramid of a real one (64-cell chunks at 1 m, eleven levels, 1.4 million nodes) with
// errors that grow with the stride as ground does and vary from node to node; its chunks themselves are not needed to
// choose.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "karst/bake.h"
#include "lod/lod.h"
#include "scenes/drawn.h"
#include "scenes/scenes.h"

enum { SIDE_CHUNKS = 1024, LEVELS = 11, CAMERAS = 512 };

static const float ground_m = 600;  // relief of the synthetic world

typedef struct pyramid {
    kst_tree tree;
    karst_node *nodes[LEVELS];
} pyramid;

static float patch_height(int level, int x, int z, float share) {
    return ground_m * (float)kst_random01(7, (uint64_t)level << 48 ^ (uint64_t)x << 24 ^ (uint64_t)z) * share;
}

// error_m: at stride 2. Parents hold their children and two patch rings, as a bake makes them.
static bool make_pyramid(pyramid *p, float error_m) {
    p->tree.level_count = LEVELS;
    for (int l = 0; l < LEVELS; ++l) {
        int n = SIDE_CHUNKS >> l;
        float size = (float)(KARST_CHUNK_CELLS << l), ring = 0.5f * size, all = (float)SIDE_CHUNKS * KARST_CHUNK_CELLS;
        p->tree.grid_x[l] = p->tree.grid_z[l] = n;
        p->tree.nodes[l] = p->nodes[l] = malloc(sizeof(karst_node) * (size_t)n * (size_t)n);
        if (!p->nodes[l]) return false;
        for (int z = 0; z < n; ++z)
            for (int x = 0; x < n; ++x) {
                karst_node *node = &p->nodes[l][z * n + x];
                float low = patch_height(l, x, z, 0.5f), high = low + 20 + patch_height(l, x, z, 0.2f);
                float scale = (float)kst_random01(11, (uint64_t)l << 48 ^ (uint64_t)x << 24 ^ (uint64_t)z);
                node->error = l ? error_m * powf(2, 1.5f * (float)(l - 1)) * (0.5f + scale) : 0;
                node->reach_min[0] = fmaxf((float)x * size - ring, 0);
                node->reach_max[0] = fminf((float)x * size + size + ring, all);
                node->reach_min[2] = fmaxf((float)z * size - ring, 0);
                node->reach_max[2] = fminf((float)z * size + size + ring, all);
                for (int c = 0; c < 4 && l; ++c) {
                    const karst_node *child = &p->nodes[l - 1][(2 * z + (c >> 1)) * 2 * n + 2 * x + (c & 1)];
                    low = fminf(low, child->reach_min[1]);
                    high = fmaxf(high, child->reach_max[1]);
                    node->error = fmaxf(node->error, child->error * 1.25f);
                }
                node->reach_min[1] = low;
                node->reach_max[1] = high;
            }
    }
    return true;
}

static void free_pyramid(pyramid *p) {
    for (int l = 0; l < LEVELS; ++l) free(p->nodes[l]);
}

// ---- the plain tree: distance to the box against 2.5 widths, doubling a level, frustum on the way down ----

typedef struct plain_node {
    float low, high;
} plain_node;

typedef struct plain {
    plain_node *nodes[LEVELS];
    int32_t *chosen, chosen_count;
    int64_t visited;
} plain;

static void plain_select(plain *t, const kst_frustum *f, const float eye[3], int level, int x, int z) {
    ++t->visited;
    const plain_node *n = &t->nodes[level][z * (SIDE_CHUNKS >> level) + x];
    float size = (float)(KARST_CHUNK_CELLS << level);
    float min[3] = {(float)x * size, n->low, (float)z * size}, max[3] = {min[0] + size, n->high, min[2] + size};
    if (!kst_box_in(f, min, max)) return;
    float d = 0;
    for (int a = 0; a < 3; ++a) {
        float e = min[a] - eye[a] > eye[a] - max[a] ? min[a] - eye[a] : eye[a] - max[a];
        d += e > 0 ? e * e : 0;
    }
    if (level && d < 2.5f * 2.5f * size * size * 0.25f) {
        for (int c = 0; c < 4; ++c) plain_select(t, f, eye, level - 1, 2 * x + (c & 1), 2 * z + (c >> 1));
        return;
    }
    t->chosen[t->chosen_count++] = level << 24 | x << 12 | z;
}

// ---- ours ------------------------------------------------------------------------------------

// Flights of 64 frames, 5 m each: what is near stays near, as in a game.
static karst_view camera(int k, const pyramid *p) {
    uint64_t flight = (uint64_t)k / 64;
    double side = (double)SIDE_CHUNKS * KARST_CHUNK_CELLS, along = 5 * (k % 64);
    double heading = 6.2831853 * kst_random01(24, flight), u = kst_random01(23, flight);
    karst_pos eye = {1000 + (side - 2000) * kst_random01(21, flight) + along * cos(heading), 0,
                     1000 + (side - 2000) * kst_random01(22, flight) + along * sin(heading)};
    int x = (int)(eye.x / KARST_CHUNK_CELLS), z = (int)(eye.z / KARST_CHUNK_CELLS);
    eye.y = p->nodes[0][z * SIDE_CHUNKS + x].reach_max[1] + 2 + 500 * u * u;
    karst_pos look = {eye.x + cos(heading), eye.y - 0.15, eye.z + sin(heading)};
    return karst_view_perspective(eye, look, (karst_vec3){0, 1, 0}, 1.0471976f, 1920, 1080);
}

typedef struct ours {
    kst_cut cut;
    const pyramid *pyramid;
    karst_chunk_corners **tables[LEVELS];  // of the chunks that were chosen once
    float error_m;
    int64_t visited, chosen, over;
    double sum;  // so that nothing is optimised away
    uint64_t hash;
} ours;

// The corner table of a chunk, made when it is first asked for: before the clock runs.
static const karst_chunk_corners *corners_of(void *context, const kst_leaf *leaf) {
    ours *o = context;
    int n = SIDE_CHUNKS >> leaf->level, index = leaf->z * n + leaf->x;
    karst_chunk_corners *c = o->tables[leaf->level][index];
    if (c) return c;
    c = o->tables[leaf->level][index] = malloc(sizeof *c);
    if (!c) abort();
    const karst_node *node = &o->pyramid->nodes[leaf->level][index];
    float patch = (float)(KARST_PATCH_CELLS << leaf->level);
    for (int i = 0; i < KARST_CORNER_LANES; ++i) {
        int k = i < KARST_CORNER_COUNT ? i : 0;
        int32_t x = leaf->x * KARST_CHUNK_PATCHES + k % KARST_CHUNK_CORNERS,
                z = leaf->z * KARST_CHUNK_PATCHES + k / KARST_CHUNK_CORNERS;
        c->min_x[i] = ((float)x - 1) * patch;
        c->max_x[i] = ((float)x + 1) * patch;
        c->min_y[i] = node->reach_min[1];
        c->max_y[i] = node->reach_max[1];
        c->min_z[i] = ((float)z - 1) * patch;
        c->max_z[i] = ((float)z + 1) * patch;
        float e = leaf->level ? node->error : 0, next = node->error > 0 ? node->error * 2.5f : o->error_m;
        for (int l = 0; l <= KARST_PATCH_LEVELS; ++l, e = next, next *= 2.5f) c->error[l][i] = e;
    }
    return c;
}

// Choose the chunks of a view; with levels, also the levels of their corners, which the plain tree has not.
static void our_select(ours *o, const karst_view *v, const kst_frustum *f, bool levels) {
    kst_eye eye = {(float)v->eye.x, (float)v->eye.y, (float)v->eye.z, (float)karst_view_error_slope(v, 1)};
    kst_cut_make(&o->cut, &eye, f, 1, false, NULL, NULL);
    o->visited += o->cut.nodes_visited;
    for (int k = 0; k < o->cut.leaf_count; ++k) {
        const kst_leaf *leaf = &o->cut.leaves[k];
        if (!leaf->seen) continue;
        const karst_chunk_corners *c = corners_of(o, leaf);
        float min[3], max[3];
        if (!leaf->whole) {
            kst_chunk_box(c, min, max);
            if (!kst_box_in(f, min, max)) continue;
        }
        ++o->chosen;
        if (!levels) continue;
        float level[KARST_CORNER_LANES], worst;
        kst_corner_levels(&o->cut, leaf, c, &eye, 1, corners_of, o, level, &worst);
        o->sum += level[12];
    }
}

// Chosen chunks whose own error at their distance is over the pixel: none.
static void count_over(ours *o, const karst_view *v) {
    kst_eye eye = {(float)v->eye.x, (float)v->eye.y, (float)v->eye.z, (float)karst_view_error_slope(v, 1)};
    for (int k = 0; k < o->cut.leaf_count; ++k) {
        const kst_leaf *leaf = &o->cut.leaves[k];
        const karst_node *n = &o->pyramid->nodes[leaf->level][leaf->z * (SIDE_CHUNKS >> leaf->level) + leaf->x];
        double d = 0;
        const float at[3] = {eye.x, eye.y, eye.z};
        for (int a = 0; a < 3; ++a) {
            double e = fmax(fmax((double)n->reach_min[a] - at[a], (double)at[a] - n->reach_max[a]), 0);
            d += e * e;
        }
        o->over += n->error > sqrt(d) * eye.slope * 1.0001;
        o->hash = kst_hash_u64(o->hash, (uint64_t)leaf->level << 48 | (uint64_t)leaf->x << 24 | (uint64_t)leaf->z);
    }
}

typedef struct race {
    pyramid pyramid;
    ours ours;
    plain plain;
    karst_view views[CAMERAS];
    kst_frustum lenses[CAMERAS];
    int cameras;
    int64_t plain_chosen;
} race;

static void run_ours(void *context) {
    race *r = context;
    r->ours.visited = r->ours.chosen = 0;
    for (int k = 0; k < r->cameras; ++k) our_select(&r->ours, &r->views[k], &r->lenses[k], false);
}

static void run_levels(void *context) {
    race *r = context;
    for (int k = 0; k < r->cameras; ++k) our_select(&r->ours, &r->views[k], &r->lenses[k], true);
}

static void run_plain(void *context) {
    race *r = context;
    r->plain.visited = r->plain_chosen = 0;
    for (int k = 0; k < r->cameras; ++k) {
        const float eye[3] = {(float)r->views[k].eye.x, (float)r->views[k].eye.y, (float)r->views[k].eye.z};
        r->plain.chosen_count = 0;
        plain_select(&r->plain, &r->lenses[k], eye, LEVELS - 1, 0, 0);
        r->plain_chosen += r->plain.chosen_count;
    }
}

static bool make_race(race *r, float error_m) {
    r->ours.pyramid = &r->pyramid;
    r->ours.error_m = error_m;
    for (int l = 0; l < LEVELS; ++l) {
        r->ours.tables[l] =
            calloc((size_t)(SIDE_CHUNKS >> l) * (size_t)(SIDE_CHUNKS >> l), sizeof(karst_chunk_corners *));
        if (!r->ours.tables[l]) return false;
    }
    r->plain.chosen = malloc(sizeof *r->plain.chosen * 100000);
    if (!r->plain.chosen || !make_pyramid(&r->pyramid, error_m)) return false;
    if (kst_cut_create(&r->ours.cut, &r->pyramid.tree, NULL)) return false;
    for (int l = 0; l < LEVELS; ++l) {
        int count = (SIDE_CHUNKS >> l) * (SIDE_CHUNKS >> l);
        r->plain.nodes[l] = malloc(sizeof(plain_node) * (size_t)count);
        if (!r->plain.nodes[l]) return false;
        for (int k = 0; k < count; ++k)
            r->plain.nodes[l][k] =
                (plain_node){r->pyramid.nodes[l][k].reach_min[1], r->pyramid.nodes[l][k].reach_max[1]};
    }
    for (int k = 0; k < CAMERAS; ++k) {
        r->views[k] = camera(k, &r->pyramid);
        r->lenses[k] = kst_frustum_of(&r->views[k], (karst_pos){0, 0, 0});
    }
    return true;
}

static void free_race(race *r) {
    kst_cut_destroy(&r->ours.cut);
    free_pyramid(&r->pyramid);
    for (int l = 0; l < LEVELS; ++l) {
        free(r->plain.nodes[l]);
        int count = (SIDE_CHUNKS >> l) * (SIDE_CHUNKS >> l);
        for (int k = 0; r->ours.tables[l] && k < count; ++k) free(r->ours.tables[l][k]);
        free(r->ours.tables[l]);
    }
    free(r->plain.chosen);
}

// The cut of ground whose stride of 2 is off by error_m, against the plain tree.
static karst_status cut_rows(bench *b, const char *what, float error_m, bool timed) {
    race *r = calloc(1, sizeof *r);
    if (!r || !make_race(r, error_m)) {
        if (r) free_race(r);
        free(r);
        return KARST_ERROR_MEMORY;
    }
    r->cameras = b->quick ? 32 : CAMERAS;
    double ours_s, plain_s;
    bench_compare(b, run_ours, run_plain, r, &ours_s, &plain_s);
    int64_t visited = r->ours.visited, chosen = r->ours.chosen;
    double levels_s, again_s;
    bench_compare(b, run_levels, run_ours, r, &levels_s, &again_s);
    for (int k = 0; k < r->cameras; ++k) {
        our_select(&r->ours, &r->views[k], &r->lenses[k], false);
        count_over(&r->ours, &r->views[k]);
    }
    const char *peer = "plain distance quadtree, 2.5 widths";
    double views = r->cameras;
    char name[64];
    uint64_t hash = r->ours.hash;
    if (timed) {
        bench_add_note(b,
                       &(bench_row){.what = "ns_per_node_65537",
                                    .unit = "ns CPU a visited node, frustum on",
                                    .value = ours_s * 1e9 / (double)visited,
                                    .peer = peer,
                                    .peer_value = plain_s * 1e9 / (double)r->plain.visited,
                                    .runs = bench_runs(b),
                                    .hash = hash},
                       "%s ground; flights of 64 frames, 5 m each", what);
        bench_add(b, &(bench_row){.what = "us_per_view_65537",
                                  .unit = "us CPU a view",
                                  .value = ours_s * 1e6 / views,
                                  .peer = peer,
                                  .peer_value = plain_s * 1e6 / views,
                                  .runs = bench_runs(b),
                                  .hash = hash,
                                  .note = "the plain tree makes no promise"});
        bench_add_note(b,
                       &(bench_row){.what = "ns_per_chunk_levels",
                                    .unit = "ns CPU a chosen chunk, its 25 corners",
                                    .value = (levels_s - again_s) * 1e9 / (double)chosen,
                                    .runs = bench_runs(b)},
                       "sum %.0f", r->ours.sum);
    }
    snprintf(name, sizeof name, "chunks_%s", what);
    bench_add_note(b,
                   &(bench_row){.what = name,
                                .unit = "chunks chosen a view at 1 px, frustum on",
                                .value = (double)chosen / views,
                                .peer = peer,
                                .peer_value = (double)r->plain_chosen / views,
                                .runs = 1,
                                .hash = hash},
                   "stride 2 is off by about %g m", (double)error_m);
    snprintf(name, sizeof name, "nodes_%s", what);
    bench_add(b, &(bench_row){.what = name,
                              .unit = "nodes visited a view",
                              .value = (double)visited / views,
                              .peer = peer,
                              .peer_value = (double)r->plain.visited / views,
                              .runs = 1,
                              .hash = hash});
    snprintf(name, sizeof name, "over_%s", what);
    bench_add(
        b,
        &(bench_row){
            .what = name, .unit = "chosen chunks over 1 px", .value = (double)r->ours.over, .runs = 1, .hash = hash});
    free_race(r);
    free(r);
    return KARST_OK;
}

// ---- the promise, measured on a baked world: every sample projected ---------------------------------

static karst_status truth_row(bench *b) {
    char path[] = "/tmp/karst-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return kst_fail(b->report, KARST_ERROR_FILE, "%s: cannot make a temporary file", path);
    close(fd);
    karst_field *field = NULL;
    karst_pack *pack = NULL;
    karst_scene *scene = NULL;
    karst_bake_def def = karst_bake_def_default();
    def.jobs = b->jobs;
    scene_truth truth = {0};
    karst_status status = scene_rough_field(513, 513, 4, 9, false, false, (karst_pos){0, 0, 0}, &field);
    if (!status) status = karst_bake_field(field, path, &def, NULL, b->report, NULL);
    if (!status) status = karst_pack_open(path, NULL, &pack);
    if (!status) status = karst_scene_create(pack, NULL, &scene);
    int cameras = b->quick ? 4 : 200;
    const karst_budget one = karst_budget_default();
    for (int k = 0; k < cameras && !status; ++k) {
        karst_pack_info info = karst_pack_info_of(pack);
        karst_box box = info.bounds;
        double u[6];
        for (int c = 0; c < 6; ++c) u[c] = kst_random01(41, (uint64_t)(k * 6 + c));
        karst_pos eye = {box.min.x + u[0] * (box.max.x - box.min.x),
                         box.min.y + u[1] * (box.max.y - box.min.y) + 800 * u[2] * u[2],
                         box.min.z + u[3] * (box.max.z - box.min.z)};
        karst_pos look = {box.min.x + u[4] * (box.max.x - box.min.x), 0.5 * (box.min.y + box.max.y),
                          box.min.z + u[5] * (box.max.z - box.min.z)};
        karst_view v = karst_view_perspective(eye, look, (karst_vec3){0, 1, 0}, 1.0471976f, 1920, 1080);
        status = scene_measure_truth(scene, field, &info.lattice, &v, &one, 1, &truth);
    }
    if (!status)
        bench_add_note(b,
                       &(bench_row){.what = "worst_error_px",
                                    .unit = "px at --lod-error 1, anywhere on screen",
                                    .value = truth.worst_px,
                                    .runs = 1},
                       "%d cameras, %lld samples, %lld over what their frame told", cameras, (long long)truth.samples,
                       (long long)truth.over);
    karst_scene_destroy(scene);
    karst_pack_close(pack);
    karst_field_destroy(field);
    unlink(path);
    return status;
}

karst_status bench_select(bench *b) {
    karst_status status = cut_rows(b, "smooth", 0.004f, false);
    if (!status) status = cut_rows(b, "rough", 0.064f, true);
    if (!status) status = truth_row(b);
    return status;
}
