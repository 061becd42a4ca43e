// SPDX-License-Identifier: MIT
// Rings: radii from the ground's errors, and the walk over the chunks that hold them.
//
// The promise: with d(c) no more than the distance from the eye to anything whose patch corner is at Chebyshev
// distance c, the error drawn there is at most slope * d(c). A level begins where d is its error / slope; between two
// levels the error, which is linear in the level, runs linearly in d. So it holds in between as well.
#include "rings.h"

#include <math.h>

// Distance from across (horizontal, any sign) and below (vertical, >= 0): the largest of four planes under the cone
// sqrt(across^2 + below^2), at most 2.4 % under it until 75 degrees. It grows with `across` everywhere, so radii shrink
// to nothing steadily as an eye rises, and faster than that by no more than tan 75 degrees.
static const double plane[4][2] = {{1, 0},
                                   {0.90630778703664996, 0.42261826174069944},
                                   {0.64278760968653933, 0.76604444311897804},
                                   {0.25881904510252076, 0.96592582628906829}};

static double distance(double across, double below) {
    double d = across;
    for (int k = 1; k < 4; ++k) d = fmax(d, across * plane[k][0] + below * plane[k][1]);
    return d;
}

// Where distance() is d.
static double across_of(double d, double below) {
    double a = d;
    for (int k = 1; k < 4; ++k) a = fmin(a, (d - below * plane[k][1]) / plane[k][0]);
    return a;
}

// Side of a patch [m].
static double side_of(const kst_ring_ground *g, int level) {
    return g->spacing_m * (double)((int64_t)KARST_PATCH_CELLS << level);
}

// What is drawn of a patch is this much nearer than its corners at most: the error and the bounds of a corner are those
// of all patches round it. And a share of the ground's size that no rounding of places in it exceeds.
static double nearer_of(const kst_ring_ground *g, int level) {
    return side_of(g, level) + g->beside_m + 0x1p-20 * side_of(g, g->level_count + 1);
}

// Least width of the ramp from a level to the next, so that it is calm.
static double ramp_of(const kst_ring_ground *g, int level) {
    return 0.5 * side_of(g, level);
}

// From the radius at which a level begins to the end of its plateau: the border lies within one patch, and rounding.
static double plateau_of(const kst_ring_ground *g, int level) {
    return level ? side_of(g, level) + 0x1p-40 * side_of(g, g->level_count + 1) : 0;
}

// Above every ground [m].
static const double never = 1e15;

// Give a level its radius. The coarsest has no end: there is nothing to go over to.
static void begin_level(const kst_ring_ground *g, kst_ring_eye *e, int level, double split) {
    e->split[level] = split;
    e->hold[level] = level == g->level_count - 1 ? never : split + plateau_of(g, level);
}

kst_ring_ground kst_ring_ground_of(const kst_tree *tree, const karst_field_shape *shape, double beside_m) {
    kst_ring_ground g = {.level_count = tree->level_count,
                         .columns = shape->columns,
                         .rows = shape->rows,
                         .spacing_m = shape->spacing_m,
                         .beside_m = beside_m};
    const karst_node *root = tree->nodes[tree->level_count - 1];
    g.low_m = (double)root->reach_min[1];
    g.high_m = (double)root->reach_max[1];
    for (int level = 0; level < tree->level_count; ++level) {
        int64_t count = (int64_t)tree->grid_x[level] * tree->grid_z[level];
        for (int64_t k = 0; k < count; ++k) g.error[level] = fmax(g.error[level], (double)tree->nodes[level][k].error);
        if (level) g.error[level] = fmax(g.error[level], g.error[level - 1]);
    }
    return g;
}

kst_ring_eye kst_ring_eye_of(const kst_ring_ground *g, const kst_eye *eye, bool full) {
    kst_ring_eye e = {.x = (double)eye->x, .z = (double)eye->z, .slope = (double)eye->slope};
    e.below_m = fmax(fmax(g->low_m - (double)eye->y, (double)eye->y - g->high_m), 0);
    double least = -never;
    for (int level = 0; level < g->level_count; ++level) {
        double wanted = nearer_of(g, level) + across_of(g->error[level] / e.slope, e.below_m);
        begin_level(g, &e, level, full ? never * (level + 1) : fmax(wanted, least));
        least = e.hold[level] + ramp_of(g, level);
    }
    e.split[g->level_count] = never * (g->level_count + 1);
    return e;
}

void kst_ring_limit(const kst_ring_ground *g, kst_ring_eye *e, int level, double most_m) {
    for (; level >= 0 && e->split[level] > most_m; --level) {
        begin_level(g, e, level, most_m);
        if (level) most_m -= ramp_of(g, level - 1) + plateau_of(g, level - 1);
    }
}

// Between the end of a plateau and the next radius. Exactly 0 and 1 at and beyond these: every step is monotone.
static double rise(const kst_ring_ground *g, const kst_ring_eye *e, int level, double c) {
    double near = nearer_of(g, level), from = distance(e->hold[level] - near, e->below_m);
    double w = (distance(c - near, e->below_m) - from) / (distance(e->split[level + 1] - near, e->below_m) - from);
    return w < 0 ? 0 : w > 1 ? 1 : w;
}

double kst_ring_level(const kst_ring_ground *g, const kst_ring_eye *e, int level, double x_m, double z_m) {
    return rise(g, e, level, fmax(fabs(x_m - e->x), fabs(z_m - e->z)));
}

// ---- the walk --------------------------------------------------------------------------------------

kst_rings kst_rings_make(const kst_tree *tree, const karst_field_shape *shape, double beside_m,
                         const karst_allocator *allocator) {
    return (kst_rings){.tree = tree, .allocator = allocator, .ground = kst_ring_ground_of(tree, shape, beside_m)};
}

void kst_rings_free(kst_rings *r) {
    for (int k = 0; k < 2; ++k) kst_free(r->allocator, r->front[k], (size_t)r->room[k] * sizeof(kst_leaf));
    kst_free(r->allocator, r->here, (size_t)r->here_room);
    *r = (kst_rings){0};
}

// Distance along one axis from an eye to [low, high].
static double away(double low, double high, double eye) {
    return fmax(fmax(low - eye, eye - high), 0);
}

// How far the patches of a chunk are from an eye, along each axis, and its corners.
typedef struct spans {
    double x[KARST_CHUNK_PATCHES], z[KARST_CHUNK_PATCHES];
    double corner_x[KARST_CHUNK_CORNERS], corner_z[KARST_CHUNK_CORNERS];
} spans;

static void measure_axis(double spacing_m, int level, int32_t chunk, double eye, double *to_patch, double *to_corner) {
    double at[KARST_CHUNK_CORNERS];
    for (int k = 0; k < KARST_CHUNK_CORNERS; ++k) {
        int64_t cells = ((int64_t)chunk * KARST_CHUNK_PATCHES + k) * ((int64_t)KARST_PATCH_CELLS << level);
        at[k] = (double)cells * spacing_m;  // of the place alone, whoever asks
        to_corner[k] = fabs(at[k] - eye);
    }
    for (int k = 0; k < KARST_CHUNK_PATCHES; ++k) to_patch[k] = away(at[k], at[k + 1], eye);
}

static void measure(const kst_rings *r, const kst_leaf *chunk, const kst_ring_eye *eyes, int eye_count, spans *out) {
    for (int v = 0; v < eye_count; ++v) {
        measure_axis(r->ground.spacing_m, chunk->level, chunk->x, eyes[v].x, out[v].x, out[v].corner_x);
        measure_axis(r->ground.spacing_m, chunk->level, chunk->z, eyes[v].z, out[v].z, out[v].corner_z);
    }
}

// Distance from an eye to quarter (qx, qz) of a chunk: a patch of the next level and a chunk of the one below.
static double to_quarter(const spans *s, int qx, int qz) {
    return fmax(fmin(s->x[2 * qx], s->x[2 * qx + 1]), fmin(s->z[2 * qz], s->z[2 * qz + 1]));
}

static bool quarter_within(const spans *s, const kst_ring_eye *eyes, int eye_count, int level, int qx, int qz) {
    bool any = false;
    for (int v = 0; v < eye_count; ++v) any |= to_quarter(&s[v], qx, qz) < eyes[v].split[level];
    return any;
}

static karst_status reserve(kst_rings *r, int list, int32_t count) {
    if (count <= r->room[list]) return KARST_OK;
    int32_t room = count + count / 2 + 64;
    kst_leaf *fresh = kst_alloc_array(r->allocator, (size_t)room, sizeof *fresh);
    if (!fresh) return KARST_ERROR_MEMORY;
    kst_free(r->allocator, r->front[list], (size_t)r->room[list] * sizeof *fresh);
    r->front[list] = fresh;
    r->room[list] = room;
    return KARST_OK;
}

// The chunks one level below `front` that hold a patch: those where a patch of `front` is split.
static karst_status list_finer(kst_rings *r, int list, int32_t count, const kst_ring_eye *eyes, int eye_count,
                               int32_t *out_count) {
    karst_status status = reserve(r, !list, 4 * count);
    if (status) return status;
    const kst_leaf *front = r->front[list];
    kst_leaf *finer = r->front[!list];
    int32_t found = 0;
    for (int32_t k = 0; k < count; ++k) {
        spans s[KARST_VIEWS_MAX];
        measure(r, &front[k], eyes, eye_count, s);
        for (int q = 0; q < 4; ++q) {
            int level = front[k].level - 1, x = 2 * front[k].x + (q & 1), z = 2 * front[k].z + (q >> 1);
            if (x >= r->tree->grid_x[level] || z >= r->tree->grid_z[level]) continue;
            if (!quarter_within(s, eyes, eye_count, level + 1, q & 1, q >> 1)) continue;
            finer[found++] = (kst_leaf){.level = level, .x = x, .z = z, .seen = front[k].seen, .whole = front[k].whole};
        }
    }
    *out_count = found;
    return KARST_OK;
}

static double to_chunk(const kst_rings *r, const kst_leaf *c, const kst_ring_eye *e) {
    double side = r->ground.spacing_m * (double)((int64_t)KARST_CHUNK_CELLS << c->level);
    return fmax(away(c->x * side, (c->x + 1) * side, e->x), away(c->z * side, (c->z + 1) * side, e->z));
}

// Ask for a list of chunks; then keep the rings out of what is not here, and drop what they no longer hold.
static karst_status ask_for(kst_rings *r, kst_leaf *list, int32_t *count, kst_ring_eye *eyes, int eye_count,
                            kst_ring_want_fn *want, void *context) {
    if (*count > r->here_room) {
        kst_free(r->allocator, r->here, (size_t)r->here_room);
        r->here_room = 0;
        r->here = kst_alloc(r->allocator, (size_t)*count);
        if (!r->here) return KARST_ERROR_MEMORY;
        r->here_room = *count;
    }
    karst_status status = want(context, list, *count, r->here);
    if (status) return status;
    bool short_of = false;
    for (int32_t k = 0; k < *count; ++k) {
        short_of |= !r->here[k];
        for (int v = 0; v < eye_count && !r->here[k]; ++v)
            kst_ring_limit(&r->ground, &eyes[v], list[k].level + 1, to_chunk(r, &list[k], &eyes[v]));
    }
    if (!short_of) return KARST_OK;
    int32_t kept = 0;
    for (int32_t k = 0; k < *count; ++k) {
        bool within = false;
        for (int v = 0; v < eye_count; ++v)
            within |= to_chunk(r, &list[k], &eyes[v]) < eyes[v].split[list[k].level + 1];
        if (within) list[kept++] = list[k];
    }
    *count = kept;
    return KARST_OK;
}

// What a chunk draws: patches that their parent's split left and that are not split themselves. wished: the eyes with
// the radii they would have were everything here.
static bool fill_chunk(const kst_rings *r, const kst_leaf *chunk, const kst_ring_eye *eyes, const kst_ring_eye *wished,
                       int eye_count, kst_ring_chunk *out) {
    enum { N = KARST_CHUNK_PATCHES, C = KARST_CHUNK_CORNERS };
    const int level = chunk->level;
    spans s[KARST_VIEWS_MAX];
    measure(r, chunk, eyes, eye_count, s);
    out->drawn = 0;
    out->awaited = false;
    for (int pz = 0; pz < N; ++pz)
        for (int px = 0; px < N; ++px) {
            int64_t column = ((int64_t)chunk->x * N + px) * (KARST_PATCH_CELLS << level),
                    row = ((int64_t)chunk->z * N + pz) * (KARST_PATCH_CELLS << level);
            if (column >= r->ground.columns - 1 || row >= r->ground.rows - 1) continue;
            bool there =
                level == r->tree->level_count - 1 || quarter_within(s, eyes, eye_count, level + 1, px >> 1, pz >> 1);
            bool split = false, wish = false;
            for (int v = 0; v < eye_count && level; ++v) {
                split |= fmax(s[v].x[px], s[v].z[pz]) < eyes[v].split[level];
                wish |= fmax(s[v].x[px], s[v].z[pz]) < wished[v].split[level];
            }
            out->awaited |= there && !split && wish;
            out->drawn |= (uint16_t)((there && !split) << (pz * N + px));
        }
    if (!out->drawn) return false;
    out->level = level;
    out->x = chunk->x;
    out->z = chunk->z;
    out->seen = chunk->seen;
    out->whole = chunk->whole;
    for (int i = 0; i < C * C; ++i) {
        double least = 1;
        for (int v = 0; v < eye_count; ++v)
            least = fmin(least, rise(&r->ground, &eyes[v], level, fmax(s[v].corner_x[i % C], s[v].corner_z[i / C])));
        out->levels[i] = (float)(level + least) - (float)level;  // rounded as an absolute one, as all methods' are
    }
    for (int i = C * C; i < KARST_CORNER_LANES; ++i) out->levels[i] = out->levels[0];
    return true;
}

karst_status kst_rings_walk(kst_rings *r, const kst_eye *eyes, const kst_frustum *frusta, int eye_count, bool full,
                            kst_ring_want_fn *want, kst_ring_take_fn *take, void *context) {
    kst_ring_eye rings[KARST_VIEWS_MAX], wished[KARST_VIEWS_MAX];
    for (int v = 0; v < eye_count; ++v) wished[v] = rings[v] = kst_ring_eye_of(&r->ground, &eyes[v], full);
    karst_status status = reserve(r, 0, 1);
    if (status) return status;
    uint16_t all = (uint16_t)((1u << eye_count) - 1);
    r->front[0][0] = (kst_leaf){.level = r->tree->level_count - 1, .seen = all, .whole = frusta ? 0 : all};
    int32_t count = 1, finer = 0;
    r->nodes_visited = 0;
    for (int level = r->tree->level_count - 1, list = 0; level >= 0 && count; --level, list = !list, count = finer) {
        kst_leaf *front = r->front[list];
        r->nodes_visited += count;
        for (int32_t k = 0; k < count; ++k) {
            if (front[k].seen == front[k].whole) continue;
            int64_t index = (int64_t)front[k].z * r->tree->grid_x[level] + front[k].x;
            kst_look(&r->tree->nodes[level][index], frusta, eye_count, &front[k]);
        }
        finer = 0;
        if (level) status = list_finer(r, list, count, rings, eye_count, &finer);
        if (!status && finer && want) status = ask_for(r, r->front[!list], &finer, rings, eye_count, want, context);
        for (int32_t k = 0; k < count && !status; ++k) {
            kst_ring_chunk chunk;
            if (fill_chunk(r, &front[k], rings, wished, eye_count, &chunk)) status = take(context, &chunk);
        }
        if (status) return status;
    }
    return KARST_OK;
}
