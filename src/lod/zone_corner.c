// SPDX-License-Identifier: MIT
// Method corner: levels owned by corners. See docs/patch.md, Levels.
//
// A corner's level is a function of its place, its radius and the eyes alone, and zones that share it agree on the
// first two. All else is the less of some corners' levels, so nobody asks a neighbour.
//
// A level is a sum of ramps in 1 / d^2, one for each class: 0 nearer than its inner radius, 1 beyond its outer one.
// They follow each other, so a level is continuous and never falls with distance.
#include <math.h>

#include "seam.h"
#include "zone_scene.h"

typedef float lanes __attribute__((vector_size(4 * KST_ZONE_LANES)));
typedef int32_t ilanes __attribute__((vector_size(4 * KST_ZONE_LANES)));
enum { LANES = KST_ZONE_LANES };

#define SELECT(mask, a, b) ((lanes)(((ilanes)(a) & (mask)) | ((ilanes)(b) & ~(mask))))
#define LESS(a, b) SELECT((a) < (b), a, b)
#define MORE(a, b) SELECT((a) > (b), a, b)
// As karst_zone_tile_level() takes it, operation by operation.
#define RECIPROCAL(y, a)                       \
    do {                                       \
        y = (lanes)(0x7EF311C7 - (ilanes)(a)); \
        y = y * (2.0f - (a)*y);                \
        y = y * (2.0f - (a)*y);                \
        y = y * (2.0f - (a)*y);                \
    } while (0)
#define RAMP(sum, ramp, y)                             \
    do {                                               \
        lanes w_ = ((ramp).from - (y)) * (ramp).scale; \
        w_ = MORE(w_, zero);                           \
        sum += LESS(w_, one);                          \
    } while (0)

static karst_zone_ramp ramp_of(double inner_m, double outer_m) {
    double in = 1 / (inner_m * inner_m), out = 1 / (outer_m * outer_m);
    return (karst_zone_ramp){(float)in, (float)(1 / (in - out))};
}

double kst_zone_tile_reach(int size, float threshold) {
    return karst_tile_size_m(size - 1) / sqrt((double)threshold);
}

void kst_zone_ramps_above(karst_zone_ramp out[KST_ZONE_ABOVE], int size, float threshold, double near_m,
                          float tile_fade_m) {
    double per = 1 / sqrt((double)threshold), fade = (double)tile_fade_m / KST_ZONE_ABOVE, inner = near_m;
    for (int k = 0; k < KST_ZONE_ABOVE; ++k) {
        double outer = fmax(karst_tile_size_m(size + k) * per, near_m + fade * (k + 1));
        out[k] = ramp_of(inner, outer);
        inner = outer;
    }
}

// A triangle of class k has the area h^2 2^k, h the side of a tile: half a class more is half a size more.
void kst_zone_ramps_make(karst_zone_scene *scene) {
    double per = 1 / sqrt((double)scene->threshold);
    for (int c = 0; c < KARST_NET_SIZES; ++c) {
        double inner = karst_tile_size_m(c - KST_ZONE_BELOW - 1) * per;
        for (int k = 0; k < KST_ZONE_BELOW; ++k) {
            double outer = karst_tile_size_m(c - KST_ZONE_BELOW + k) * per;
            scene->below[c][k] = ramp_of(inner, outer);
            inner = outer;
        }
        // A tile may be refined only where every span round it is at tile level, without asking. Any of its corners is
        // then nearer than `inner`, and a corner of its piece at most twice that corner's radius further, of which the
        // radius is taken off. The last factor is for rounding.
        double near = (inner + (double)scene->reach_m) * (1 + 0x1p-18);
        if (near < (double)scene->tile_m) near = (double)scene->tile_m;
        scene->near[c] = (float)near;
        kst_zone_ramps_above(scene->above[c], c, scene->threshold, near, scene->tile_fade_m);
    }
    // One at any distance, since 1 / d^2 is never above 2e12.
    for (int k = 0; k < KST_ZONE_BELOW; ++k) scene->below[KARST_ZONE_SEAM_CLASS][k] = (karst_zone_ramp){4e12f, 1};
}

// Vector of (places - eye) along one axis [m].
#define AWAY(axis, places, at, v) \
    (__builtin_convertvector((places) + offset[v][axis], lanes) * fine_m - fraction[v][axis])

// Squares of the distances of places [0, count), a multiple of eight, to the nearest eye.
KST_TWINS static void distances(const int32_t *const place[3], size_t first, uint32_t count, const int32_t (*offset)[3],
                                const float (*fraction)[3], int eye_count, float fine_m, float *d2) {
    for (uint32_t k = 0; k < count; k += LANES) {
        ilanes x, y, z;
        memcpy(&x, place[0] + first + k, sizeof x);
        memcpy(&y, place[1] + first + k, sizeof y);
        memcpy(&z, place[2] + first + k, sizeof z);
        lanes least = {0};
        least += INFINITY;
        for (int v = 0; v < eye_count; ++v) {
            lanes dx = AWAY(0, x, k, v), dy = AWAY(1, y, k, v), dz = AWAY(2, z, k, v);
            lanes d = dx * dx + dy * dy + dz * dz;
            least = LESS(least, d);
        }
        memcpy(d2 + k, &least, sizeof least);
    }
}

KST_TWINS static void less_radius(const float *radius, size_t count, float *d2) {
    for (size_t k = 0; k < count; k += LANES) {
        lanes d, r, zero = {0};
        memcpy(&d, d2 + k, sizeof d);
        memcpy(&r, radius + k, sizeof r);
        for (int i = 0; i < LANES; ++i) d[i] = __builtin_sqrtf(d[i]);
        d -= r;
        d = MORE(d, zero);
        d *= d;
        memcpy(d2 + k, &d, sizeof d);
    }
}

// Levels of distances by one class: ramps [0, ramp_count).
KST_TWINS static void levels_of(const float *d2, uint32_t count, const karst_zone_ramp *ramps, int ramp_count,
                                float *levels) {
    for (uint32_t k = 0; k < count; k += LANES) {
        lanes zero = {0}, one = zero + 1.0f, tiny = zero + 1e-12f, a, y, sum = zero;
        memcpy(&a, d2 + k, sizeof a);
        a = MORE(a, tiny);
        RECIPROCAL(y, a);
        for (int r = 0; r < ramp_count; ++r) RAMP(sum, ramps[r], y);
        memcpy(levels + k, &sum, sizeof sum);
    }
}

static void fractions_of(const karst_zone_scene *scene, float out[KARST_ZONE_VIEWS_MAX][3]) {
    for (int v = 0; v < scene->eye_count; ++v) {
        karst_vec3 f = scene->eyes[v].fraction;
        out[v][0] = f.x, out[v][1] = f.y, out[v][2] = f.z;
    }
}

// Edges of the field on seams: what the field has there, or without a seam the least of the edge's spans.
static void level_edges(const karst_zone_scene *scene, kst_zone_slot *slot, float *levels) {
    for (uint32_t k = 0; k < slot->edge_count; ++k) {
        kst_zone_edge *e = &slot->edge[k];
        float level = INFINITY;
        for (int end = 0; end < 2 && scene->seam; ++end) {
            int32_t column = e->column + (end && e->way == 1 ? KARST_PATCH_CELLS : 0),
                    row = e->row + (end && e->way == 2 ? KARST_PATCH_CELLS : 0);
            e->at[end] = kst_seam_find(scene->seam, column, row, e->at[end]);
            if (e->at[end] < 0) continue;
            float own = kst_seam_level_at(scene->seam, e->at[end]);
            if (own >= 0) level = kst_less(level, own);
        }
        bool alone = level > KST_ZONE_ABOVE;
        for (uint32_t s = e->first; s < e->end && alone; ++s)
            level = kst_less(level, kst_less(levels[slot->edge_pair[s][0]], levels[slot->edge_pair[s][1]]));
        levels[slot->edge_level + k] = level;
    }
}

void kst_zone_corner_levels(karst_zone_scene *scene, kst_zone_slot *slot) {
    float fraction[KARST_ZONE_VIEWS_MAX][3];
    fractions_of(scene, fraction);
    distances((const int32_t *const *)slot->corner, 0, (uint32_t)slot->corner_room, slot->offset, fraction,
              scene->eye_count, scene->fine_m, slot->d2);
    less_radius(slot->radius, slot->corner_room, slot->d2);
    float *levels = scene->levels + slot->first_level;
    for (int c = 0; c < KARST_NET_SIZES; ++c) {
        uint32_t first = slot->class_first[c], count = slot->class_first[c + 1] - first;
        if (!count) continue;
        for (uint32_t k = first; k < first + count; ++k) levels[k] = slot->d2[slot->level_corner[k]];
        levels_of(levels + first, count, scene->above[c], KST_ZONE_ABOVE, levels + first);
    }
    level_edges(scene, slot, levels);
}

// A piece at tile level: each tile as its corners say.
static void select_tiles(const karst_zone_scene *scene, kst_zone_slot *slot, kst_zone_range *range, uint32_t index,
                         const float (*fraction)[3]) {
    enum { PLACES = (KARST_NET_TILES_MAX + 1) * (KARST_NET_TILES_MAX + 1) + LANES };
    const karst_piece *piece = &slot->zone->pieces[index];
    int n = 1 << piece->tiles_log2;
    uint32_t places = (uint32_t)((n + 1) * (n + 1)), room = kst_up(places);
    float x[PLACES];
    distances((const int32_t *const *)slot->place, slot->first_place[index], room, slot->offset, fraction,
              scene->eye_count, scene->fine_m, x);
    levels_of(x, room, scene->below[piece->size], KST_ZONE_BELOW, x);
    float least = x[0], most = x[0];
    for (uint32_t k = 1; k < places; ++k) least = kst_less(least, x[k]), most = kst_more(most, x[k]);
    if (least >= KST_ZONE_BELOW || (most <= 0 && slot->info[index].plain)) {
        bool whole = least >= KST_ZONE_BELOW;
        slot->kind[index] = whole ? KST_PIECE_WHOLE : KST_PIECE_FINEST;
        slot->whole[index] = 0;
        ++range->count[whole ? kst_zone_key_whole(piece->tiles_log2, 0) : KST_KEY_FINEST + piece->tiles_log2];
        range->refined += !whole;
        return;
    }
    slot->kind[index] = KST_PIECE_TILES;
    ++range->refined;
    uint8_t *pattern = slot->patterns + slot->first_tile[index];
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            // The inside is as fine as its finest side, which is never finer than what its own class asks for.
            const float *a = x + j * (n + 1) + i, *b = a + n + 1;
            int p = (int)kst_less(kst_less(a[0], a[1]), kst_less(b[0], b[1]));
            p += p == KST_ZONE_BELOW && ((i + j) & 1);
            *pattern++ = (uint8_t)p;
            ++range->count[KST_KEY_TILES + p];
        }
}

void kst_zone_corner_select(karst_zone_scene *scene, kst_zone_range *range) {
    kst_zone_slot *slot = &scene->slots[range->slot];
    const karst_zone *zone = slot->zone;
    const float *levels = scene->levels + slot->first_level;
    float fraction[KARST_ZONE_VIEWS_MAX][3];
    fractions_of(scene, fraction);
    memset(range->count, 0, sizeof range->count);
    range->pieces = range->refined = 0;
    for (uint32_t k = range->first; k < range->end; ++k) {
        const karst_piece *piece = &zone->pieces[k];
        if (!kst_zone_sees(scene, slot, &slot->info[k])) {
            slot->kind[k] = KST_PIECE_UNSEEN;
            continue;
        }
        ++range->pieces;
        float least = slot->info[k].top, most = 0;
        for (int side = 0; side < 4; ++side) {
            const uint32_t(*span)[2] = (const uint32_t(*)[2])slot->span_level + piece->first_span[side];
            for (int s = 0; s < 1 << piece->spans_log2[side]; ++s) {
                float x = kst_less(levels[span[s][0]], levels[span[s][1]]);
                least = kst_less(least, x);
                most = kst_more(most, x);
            }
        }
        if (most <= 0) {
            select_tiles(scene, slot, range, k, (const float(*)[3])fraction);
            continue;
        }
        slot->kind[k] = KST_PIECE_WHOLE;
        slot->whole[k] = (uint8_t)least;
        ++range->count[kst_zone_key_whole(piece->tiles_log2, (int)least)];
    }
}

// Instances of a range to where its counts say.
void kst_zone_corner_place(karst_zone_scene *scene, kst_zone_range *range) {
    const kst_zone_slot *slot = &scene->slots[range->slot];
    karst_zone_instance *out = scene->instances;
    for (uint32_t k = range->first; k < range->end; ++k) {
        int log2n = slot->zone->pieces[k].tiles_log2, n = 1 << log2n;
        karst_zone_instance at = {.zone = range->slot, .piece = (uint16_t)k};
        if (slot->kind[k] == KST_PIECE_WHOLE) {
            at.tile = KARST_ZONE_WHOLE, at.pattern = slot->whole[k], at.cells_log2 = (uint8_t)log2n;
            out[range->count[kst_zone_key_whole(log2n, at.pattern)]++] = at;
        } else if (slot->kind[k] == KST_PIECE_FINEST) {
            at.tile = KARST_ZONE_FINEST, at.cells_log2 = (uint8_t)(log2n + 2);
            out[range->count[KST_KEY_FINEST + log2n]++] = at;
        } else if (slot->kind[k] == KST_PIECE_TILES) {
            const uint8_t *pattern = slot->patterns + slot->first_tile[k];
            at.cells_log2 = 2;
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) {
                    at.pattern = *pattern++;
                    at.tile = (uint16_t)(KARST_NET_TILES_MAX * j + i);
                    out[range->count[KST_KEY_TILES + at.pattern]++] = at;
                }
        }
    }
}
