// SPDX-License-Identifier: MIT
// Weld of drawn patches.
#include "zoneweld.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"

enum { VERTICES = 1 << 21, EDGES = 1 << 22 };

typedef struct vertex {
    uint32_t stamp;
    karst_vec3 at;
} vertex;

typedef struct edge {
    uint32_t stamp, a, b;
    int16_t sum, uses;
    bool open;
} edge;

struct zone_weld {
    const scene_zones *zones;
    int32_t **partner;  // by zone and span: the zone on its other side; -1 itself, -2 nothing
    vertex *vertices;
    edge *edges;
    uint32_t *used;
    uint32_t stamp, used_count;
    uint32_t vertex_mask, edge_mask;  // of the part of both tables that this frame uses
    karst_zone_vertex *triangles;
};

// What tells a span from all others: its ends.
typedef struct span_key {
    int64_t low[3], high[3];
    int32_t zone, span;
} span_key;

static void place_of(const karst_zone *zone, uint32_t corner, int64_t out[3]) {
    karst_fine at = zone->corners[corner].at;
    out[0] = (int64_t)zone->bias.x + at.x, out[1] = (int64_t)zone->bias.y + at.y, out[2] = (int64_t)zone->bias.z + at.z;
}

static int by_place(const void *x, const void *y) {
    const span_key *a = x, *b = y;
    int order = memcmp(a->low, b->low, sizeof a->low + sizeof a->high);
    return order ? order : a->zone != b->zone ? (a->zone > b->zone) - (a->zone < b->zone) : a->span - b->span;
}

static bool find_partners(zone_weld *w) {
    size_t count = 0, at = 0;
    for (int z = 0; z < w->zones->count; ++z) count += w->zones->zones[z]->span_count;
    span_key *keys = calloc(count + 1, sizeof *keys);
    if (!keys) return false;
    for (int z = 0; z < w->zones->count; ++z) {
        const karst_zone *zone = w->zones->zones[z];
        for (uint32_t s = 0; s < zone->span_count; ++s, ++at) {
            int64_t p[3], q[3];
            place_of(zone, zone->spans[s].corner[0], p);
            place_of(zone, zone->spans[s].corner[1], q);
            bool swap = memcmp(p, q, sizeof p) > 0;
            memcpy(keys[at].low, swap ? q : p, sizeof p);
            memcpy(keys[at].high, swap ? p : q, sizeof p);
            keys[at].zone = z, keys[at].span = (int32_t)s;
        }
    }
    qsort(keys, count, sizeof *keys, by_place);
    for (size_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && !memcmp(keys[k].low, keys[next].low, 6 * sizeof(int64_t));) ++next;
        for (size_t i = k; i < next; ++i) {
            int32_t other = next == k + 1 ? -2 : keys[i == k ? k + 1 : k].zone;
            w->partner[keys[i].zone][keys[i].span] = other == keys[i].zone ? -1 : other;
        }
    }
    free(keys);
    return true;
}

zone_weld *zone_weld_create(const scene_zones *zones) {
    zone_weld *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->zones = zones;
    w->partner = calloc((size_t)zones->count + 1, sizeof *w->partner);
    w->vertices = calloc(VERTICES, sizeof *w->vertices);
    w->edges = calloc(EDGES, sizeof *w->edges);
    w->used = malloc(EDGES * sizeof *w->used);
    w->triangles = malloc(3 * KARST_ZONE_TRIANGLES_MAX * sizeof *w->triangles);
    bool got = w->partner && w->vertices && w->edges && w->used && w->triangles;
    for (int z = 0; got && z < zones->count; ++z)
        got = (w->partner[z] = calloc(zones->zones[z]->span_count + 1, sizeof **w->partner)) != NULL;
    if (!got || !find_partners(w)) {
        zone_weld_destroy(w);
        return NULL;
    }
    return w;
}

void zone_weld_destroy(zone_weld *w) {
    if (!w) return;
    for (int z = 0; w->partner && z < w->zones->count; ++z) free(w->partner[z]);
    free(w->partner);
    free(w->vertices);
    free(w->edges);
    free(w->used);
    free(w->triangles);
    free(w);
}

static uint32_t vertex_of(zone_weld *w, karst_vec3 at) {
    at.x += 0.0f, at.y += 0.0f, at.z += 0.0f;  // -0 is 0
    uint32_t u[3];
    memcpy(u, &at, sizeof u);
    uint32_t h = u[0] * 0x9E3779B1u ^ u[1] * 0x85EBCA77u ^ u[2] * 0xC2B2AE3Du;
    h ^= h >> 15, h *= 0x2C1B3C6Du, h ^= h >> 13;
    for (h &= w->vertex_mask; w->vertices[h].stamp == w->stamp; h = (h + 1) & w->vertex_mask)
        if (!memcmp(&w->vertices[h].at, &at, sizeof at)) return h;
    w->vertices[h] = (vertex){w->stamp, at};
    return h;
}

static edge *edge_of(zone_weld *w, uint32_t a, uint32_t b) {
    uint32_t h = (uint32_t)((((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15u) >> 42) & w->edge_mask;
    for (;; h = (h + 1) & w->edge_mask) {
        edge *e = &w->edges[h];
        if (e->stamp != w->stamp) {
            *e = (edge){.stamp = w->stamp, .a = a, .b = b};
            w->used[w->used_count++] = h;
            return e;
        }
        if (e->a == a && e->b == b) return e;
    }
}

// Whether an edge of a triangle lies on a side of its patch beyond which nothing is drawn.
static bool is_open(const zone_weld *w, int z, const karst_piece *piece, const int tiles[2], const karst_zone_vertex *a,
                    const karst_zone_vertex *b, const bool *there) {
    int side = a->t == 0 && b->t == 0   ? 0
               : a->s == 1 && b->s == 1 ? 1
               : a->t == 1 && b->t == 1 ? 2
               : a->s == 0 && b->s == 0 ? 3
                                        : -1;
    if (side < 0) return false;
    float mid = side & 1 ? 0.5f * (a->t + b->t) * (float)tiles[1] - piece->tile_t
                         : 0.5f * (a->s + b->s) * (float)tiles[0] - piece->tile_s;
    int per = (1 << piece->tiles_log2) >> piece->spans_log2[side];
    uint32_t span = piece->first_span[side] + (uint32_t)((int)mid / per);
    int32_t other = w->partner[z][span];
    return w->zones->zones[z]->spans[span].open || (other >= 0 && !there[other]);
}

// Tiles of a piece's patch along s and t, from its pieces, which follow each other.
void zone_patch_tiles(const karst_zone *zone, uint32_t index, int tiles[2]) {
    uint32_t k = index, patch = zone->pieces[index].patch;
    while (k > 0 && zone->pieces[k - 1].patch == patch) --k;
    tiles[0] = tiles[1] = 0;
    for (; k < zone->piece_count && zone->pieces[k].patch == patch; ++k) {
        int n = 1 << zone->pieces[k].tiles_log2, s = zone->pieces[k].tile_s + n, t = zone->pieces[k].tile_t + n;
        if (s > tiles[0]) tiles[0] = s;
        if (t > tiles[1]) tiles[1] = t;
    }
}

// The first `count` triangles of w->triangles, all of one piece.
static void add_triangles(zone_weld *w, const karst_zone_frame *frame, uint16_t slot, uint32_t piece, int count,
                          const bool *there, zone_weld_result *r) {
    const karst_zone *zone = frame->zones[slot].zone;
    int z = 0, tiles[2];
    while (w->zones->zones[z] != zone) ++z;
    zone_patch_tiles(zone, piece, tiles);
    for (int t = 0; t < count; ++t) {
        const karst_zone_vertex *v = &w->triangles[3 * t];
        uint32_t id[3];
        for (int c = 0; c < 3; ++c) id[c] = vertex_of(w, v[c].position);
        if (id[0] == id[1] || id[1] == id[2] || id[2] == id[0]) continue;
        ++r->triangles;
        for (int c = 0; c < 3; ++c) {
            uint32_t a = id[c], b = id[(c + 1) % 3];
            edge *e = edge_of(w, a < b ? a : b, a < b ? b : a);
            e->sum = (int16_t)(e->sum + (a < b ? 1 : -1));
            ++e->uses;
            e->open |= is_open(w, z, &zone->pieces[piece], tiles, &v[c], &v[(c + 1) % 3], there);
        }
    }
}

zone_weld_result zone_weld_frame(zone_weld *w, const karst_zone_frame *frame, const karst_zone_scene *scene,
                                 const bool *there) {
    zone_weld_result r = {0};
    ++w->stamp;
    w->used_count = 0;
    w->edge_mask = 1023;
    while (w->edge_mask < EDGES - 1 && w->edge_mask < 4 * frame->figures.triangles) w->edge_mask = 2 * w->edge_mask + 1;
    w->vertex_mask = w->edge_mask >> 1;
    for (int k = 0; k < frame->instance_count; ++k) {
        const karst_zone_instance *at = &frame->instances[k];
        add_triangles(w, frame, at->zone, at->piece, karst_zone_frame_expand(frame, scene, k, w->triangles), there, &r);
    }
    for (uint32_t k = 0; k < frame->mesh.triangle_count; ++k) {
        const karst_zone_triangle *t = &frame->mesh.triangles[k];
        if (karst_zone_frame_triangle(frame, scene, k, w->triangles))
            add_triangles(w, frame, t->zone, t->piece, 1, there, &r);
    }
    r.edges = w->used_count;
    for (uint32_t k = 0; k < w->used_count; ++k) {
        const edge *e = &w->edges[w->used[k]];
        r.cracks += e->sum && !e->open;
        r.outline += e->sum && e->open;
        r.over += !e->sum && e->uses > 2;
    }
    return r;
}

karst_pos zone_weld_eye(const karst_net *net, uint64_t seed, uint64_t index) {
#define R(k) kst_random01(seed, 8 * index + (k))
    double step = 1, side = 0;
    for (int k = net->step_log2; k < 0; ++k) step *= 0.5;
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (net->corners[k].at[0] * step > side) side = net->corners[k].at[0] * step;
    int kind = (int)(8 * R(0));
    double x = side * R(1), z = side * R(2);
    karst_pos eye = {x, scene_net_hill(x, z) + 1.7, z};
    const karst_net_corner *corner = &net->corners[(int32_t)(R(3) * net->corner_count)];
    if (kind <= 1) {  // at a corner or beside it
        eye = (karst_pos){net->origin.x + corner->at[0] * step, net->origin.y + corner->at[1] * step,
                          net->origin.z + corner->at[2] * step};
        eye.y += kind ? 3 * R(4) : 0;
        eye.x += kind ? 2 * R(5) : 0;
    }
    if (kind == 2) eye.y += 300 * R(4);
    if (kind == 3) eye.y -= 10 * R(4);  // under the hills: the tunnel's height
#undef R
    return eye;
}
