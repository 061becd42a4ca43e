// SPDX-License-Identifier: MIT
// The walk of a ray through a ground of zones: compiled once for each vector width, the same arithmetic in each, so the
// same bits. The file that includes this defines ZONE_CAST, the name of the function that it makes.
//
// Boxes and fans rule out in floats, near the zone; the exact test decides. See ray.h.
#include "surface/ray_beam.h"
#include "surface/ray_ring.h"
#include "surface/zone_ground.h"

typedef struct walk {
    karst_zone_ground *ground;
    kst_tile_bank *bank;  // NULL: none was free
    beam beam;
    _Alignas(16) float a[4], b[4];  // the plane along the ray
    bool any, hit;
    kst_corners corner[2];  // of the triangle hit, and of the one tried
    int best;               // which of the two was hit
    const kst_zone_slot *slot;
    uint32_t item;  // of the zone's tree
    int fan, k;     // of the tile
    kst_tile own;   // made here when there is no bank
} walk;

// ---- down a tree of boxes, nearest first -----------------------------------------------------------

typedef struct climb {
    const kst_box_tree *tree;
    const slab *slab;
    spot at;
    float least;
    int level;
    uint32_t node, left[KST_BOX_LEVELS];
    float enter[KST_BOX_LEVELS][16];
} climb;

static inline void climb_begin(climb *c, const kst_box_tree *tree, const slab *s, spot at, float least, float most) {
    c->tree = tree;
    c->slab = s;
    c->at = at;
    c->least = least;
    c->level = tree->level_count - 1;
    c->node = 0;
    c->left[c->level] = node_test(&tree->node[tree->node_count - 1], s, at, least, most, c->enter[c->level]);
}

// The next item entered by `most`: its place in the order, and where it is entered.
static inline bool climb_next(climb *c, float most, uint32_t *place, float *enter) {
    for (;;) {
        const float *at = c->enter[c->level];
        uint32_t left = c->left[c->level];
        int nearest = 0;
        float least = INFINITY;
        for (; left; left &= left - 1) {
            int k = __builtin_ctz(left);
            if (at[k] < least) least = at[k], nearest = k;
        }
        if (!c->left[c->level] || !(least <= most)) {
            if (c->level == c->tree->level_count - 1) return false;
            ++c->level;
            c->node /= 16;
            continue;
        }
        c->left[c->level] &= ~(1u << nearest);
        uint32_t child = 16 * c->node + (uint32_t)nearest;
        if (!c->level) {
            *place = child;
            *enter = least;
            return true;
        }
        c->node = child;
        --c->level;
        c->left[c->level] = node_test(&c->tree->node[c->tree->first[c->level] + child], c->slab, c->at, c->least, most,
                                      c->enter[c->level]);
    }
}

// ---- one zone --------------------------------------------------------------------------------------

// The ray near a zone: in its box, or outside by no more than `reach` tells.
typedef struct near_ray {
    float x, y, z;  // from the zone's origin [m]
    float blur;     // most that a corner's place on the plane is off [m]
} near_ray;

// The triangles of a tile that the ray may meet: bit 8 f + k is triangle k of fan f.
static inline uint32_t tile_test(const walk *w, const near_ray *r, const kst_tile *tile) {
    const float slack = r->blur * 6 * tile->fan_extent;
    uint32_t met = 0;
#if defined(__AVX512F__)
    for (int f = 0; f < 4; f += 2) {
        f16 x = (f16)_mm512_load_ps(tile->ring[0][f]) - r->x, y = (f16)_mm512_load_ps(tile->ring[1][f]) - r->y;
        f16 z = (f16)_mm512_load_ps(tile->ring[2][f]) - r->z;
        f16 c[3];
        for (int a = 0; a < 3; ++a)
            c[a] =
                (f16)_mm512_insertf32x8(_mm512_set1_ps(tile->centre[a][f]), _mm256_set1_ps(tile->centre[a][f + 1]), 1);
        c[0] -= r->x, c[1] -= r->y, c[2] -= r->z;
        f16 qa = x * w->a[0] + y * w->a[1] + z * w->a[2], qb = x * w->b[0] + y * w->b[1] + z * w->b[2];
        f16 pa = c[0] * w->a[0] + c[1] * w->a[1] + c[2] * w->a[2];
        f16 pb = c[0] * w->b[0] + c[1] * w->b[1] + c[2] * w->b[2];
        met |= rings_may_meet(pa, pb, qa, qb, slack) << 8 * f;
    }
#else
    for (int f = 0; f < 4; ++f) {
        f8 x = *(const f8 *)tile->ring[0][f] - r->x, y = *(const f8 *)tile->ring[1][f] - r->y;
        f8 z = *(const f8 *)tile->ring[2][f] - r->z;
        float cx = tile->centre[0][f] - r->x, cy = tile->centre[1][f] - r->y, cz = tile->centre[2][f] - r->z;
        f8 qa = x * w->a[0] + y * w->a[1] + z * w->a[2], qb = x * w->b[0] + y * w->b[1] + z * w->b[2];
        float pa = cx * w->a[0] + cy * w->a[1] + cz * w->a[2], pb = cx * w->b[0] + cy * w->b[1] + cz * w->b[2];
        met |= ring_may_meet(pa, pb, qa, qb, slack) << 8 * f;
    }
#endif
    return met;
}

// The exact test of those that were not ruled out. Says whether it found a nearer hit.
static inline bool tile_hit(walk *w, const kst_zone_slot *slot, const kst_tile *tile, uint32_t item,
                            uint32_t triangles) {
    bool hit = false;
    for (; triangles; triangles &= triangles - 1) {
        int bit = __builtin_ctz(triangles);
        kst_corners *corner = &w->corner[!w->best];
        double t;
        kst_tile_triangle(w->ground, slot, tile, bit >> 3, bit & 7, corner);
        if (!kst_triangle_cast(&w->beam.exact, corner, &t) || (w->hit && t >= w->beam.exact.t_max)) continue;
        hit = w->hit = true;
        w->beam.exact.t_max = t;
        if (w->any) return true;
        w->best = !w->best;
        w->slot = slot;
        w->item = item;
        w->fan = bit >> 3;
        w->k = bit & 7;
    }
    return hit;
}

static void walk_zone(walk *w, const kst_zone_slot *slot, double enter, float loose) {
    beam *b = &w->beam;
    kst_lanes o = b->origin + enter * b->direction - *(const kst_lanes *)slot->origin;
    float reach = slot->extent + loose, pad = 0x1p-20f * reach + (float)b->world;
    // A corner's x' and y' are off by 16 roundings of reach at most, an edge value by that times its four coordinates,
    // each within fan_extent where the ray meets the triangle.
    near_ray near = {(float)o[0], (float)o[1], (float)o[2], pad};
    float least = -0x1p-10f * slot->extent - loose, most = most_along(b, enter), at;
    uint32_t place;
    climb c;
    climb_begin(&c, &slot->tree, &b->slab, place_spot(&b->slab, o, pad), least, most);
    while (climb_next(&c, most, &place, &at)) {
        const kst_tile *tile = kst_tile_get(w->bank, slot, place, &w->own);
        uint32_t triangles = tile_test(w, &near, tile);
        if (!triangles || !tile_hit(w, slot, tile, slot->tree.item[place], triangles)) continue;
        if (w->any) return;
        most = most_along(b, enter);
    }
}

// ---- all zones -------------------------------------------------------------------------------------

static void walk_ground(walk *w) {
    const karst_zone_ground *ground = w->ground;
    beam *b = &w->beam;
    climb c;
    uint32_t place;
    float at;
    climb_begin(&c, &ground->top, &b->slab, b->at, 0, b->most);
    while (climb_next(&c, b->most, &place, &at)) {
        float loose = 4 * b->pad + ground->top.node[place / 16].scale[3];  // a box has eight bits
        walk_zone(w, &ground->slot[ground->top.item[place]], b->start + (double)at, loose);
        if (!w->hit) continue;
        if (w->any) return;
        b->most = most_along(b, b->start);
    }
}

karst_status ZONE_CAST(karst_zone_ground *ground, const karst_ray *ray, bool any, karst_hit *out) {
    walk w;
    kst_lanes direction;
    if (!beam_make(&w.beam, ray, &direction)) return KARST_ERROR_ARGUMENT;
    w.ground = ground;
    w.any = any;
    w.hit = false;
    w.best = 0;
    *out = (karst_hit){0};
    if (!ground->top.level_count || !beam_begin(&w.beam, &ground->reach, direction)) return KARST_OK;
    beam_plane(&w.beam.exact, w.a, w.b);
    w.beam.slab.turned = 0;  // children of a node lie anywhere
    w.beam.slab.order = (i16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    int bank = kst_bank_take(ground);
    w.bank = bank < 0 ? NULL : ground->bank[bank];
    walk_ground(&w);
    kst_bank_give(ground, bank);
    out->hit = w.hit;
    if (!w.hit || any) return KARST_OK;
    out->t = w.beam.exact.t_max;
    out->position = along_ray(ray, out->t);
    out->normal = kst_triangle_normal(&w.corner[w.best]);
    out->place = kst_tile_place(ground, w.slot, w.item, w.fan, w.k);
    return KARST_OK;
}
