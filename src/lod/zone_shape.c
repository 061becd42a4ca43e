// SPDX-License-Identifier: MIT
// The shape of an instance: levels, morphed vertices, triangles. What the shaders do, in C.
//
// A vertex of class k moves to the middle of the edge that it halves: Q = P + w ((Q_a + Q_b) / 2 - P). On a span w
// comes from the span's level alone; inside it is at least what the vertices that it depends on have. A vertex on a
// side then snaps to the span's own stride.
#include "zone_scene.h"

enum { SPANS = 32 };

// A lattice on the way.
typedef struct lattice {
    const karst_zone_instance *at;
    const kst_zone_slot *slot;
    const karst_piece *piece;
    int log2n, n, row;
    int spans_log2[4];
    float inside, span[4][8];  // levels
    bool odd;                  // a tile with the other diagonal
} lattice;

static float weight(float level, int class) {
    float w = level - (float)class;
    return w < 0 ? 0 : w > 1 ? 1 : w;
}

// Square of the distance of a tile corner to the nearest eye, operation by operation as the vectors take it.
static float distance2(const karst_zone_frame *frame, const karst_zone *zone, const karst_fine *at) {
    float least = __builtin_inff();
    for (int v = 0; v < frame->eye_count; ++v) {
        const karst_zone_eye *eye = &frame->eyes[v];
        float x = (float)(at->x + (zone->bias.x - eye->base[0])) * frame->fine_m - eye->fraction.x;
        float y = (float)(at->y + (zone->bias.y - eye->base[1])) * frame->fine_m - eye->fraction.y;
        float z = (float)(at->z + (zone->bias.z - eye->base[2])) * frame->fine_m - eye->fraction.z;
        least = kst_less(least, x * x + y * y + z * z);
    }
    return least;
}

static void tile_levels(const karst_zone_frame *frame, const karst_zone *zone, lattice *l) {
    static const uint8_t ends[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
    int n = 1 << l->piece->tiles_log2, i = l->at->tile % KARST_NET_TILES_MAX, j = l->at->tile / KARST_NET_TILES_MAX;
    const karst_fine *p = &zone->places[l->piece->first_place + (uint32_t)(j * (n + 1) + i)];
    const float d2[4] = {distance2(frame, zone, p), distance2(frame, zone, p + 1), distance2(frame, zone, p + n + 2),
                         distance2(frame, zone, p + n + 1)};
    const bool border[4] = {j == 0, i == n - 1, j == n - 1, i == 0};
    l->odd = (i + j) & 1;
    l->inside = KST_ZONE_BELOW;
    for (int c = 0; c < 4; ++c)
        l->inside = kst_less(l->inside, karst_zone_tile_level(frame->ramps[l->piece->size], d2[c]));
    for (int side = 0; side < 4; ++side) {
        int size = l->piece->size;
        if (border[side]) {
            int at = (side & 1 ? j : i) >> (l->piece->tiles_log2 - l->piece->spans_log2[side]);
            size = karst_zone_side_class(&zone->spans[l->piece->first_span[side] + (uint32_t)at]);
        }
        l->span[side][0] = kst_less(karst_zone_tile_level(frame->ramps[size], d2[ends[side][0]]),
                                    karst_zone_tile_level(frame->ramps[size], d2[ends[side][1]]));
    }
}

static void whole_levels(const karst_zone_frame *frame, const karst_zone_at *at, lattice *l) {
    l->inside = (float)(2 * l->log2n);
    for (int side = 0; side < 4; ++side) {
        l->spans_log2[side] = l->piece->spans_log2[side];
        float most = (float)(2 * (l->log2n - l->spans_log2[side]));
        for (int k = 0; k < 1 << l->spans_log2[side]; ++k) {
            const uint32_t *pair = at->span_level[l->piece->first_span[side] + (uint32_t)k];
            const float *levels = frame->levels + at->first_level;
            l->span[side][k] = kst_less(kst_less(levels[pair[0]], levels[pair[1]]), most);
            l->inside = kst_less(l->inside, l->span[side][k]);
        }
    }
}

static lattice lattice_of(const karst_zone_frame *frame, int instance) {
    KARST_ASSERT(instance >= 0 && instance < frame->instance_count);
    lattice l = {.at = &frame->instances[instance]};
    const karst_zone_at *at = &frame->zones[l.at->zone];
    l.piece = &at->zone->pieces[l.at->piece];
    l.log2n = l.at->cells_log2;
    l.n = 1 << l.log2n;
    l.row = l.n + 1;
    if (l.at->tile == KARST_ZONE_WHOLE)
        whole_levels(frame, at, &l);
    else if (l.at->tile != KARST_ZONE_FINEST)
        tile_levels(frame, at->zone, &l);
    return l;
}

int karst_zone_frame_levels(const karst_zone_frame *frame, int instance, float *inside, float spans[SPANS]) {
    lattice l = lattice_of(frame, instance);
    int count = 0;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < 1 << l.spans_log2[side]; ++k) spans[count++] = l.span[side][k];
    *inside = l.inside;
    return count;
}

// From the cache where it has them.
static void places_of(const karst_zone_frame *frame, const karst_zone_scene *scene, int instance, karst_vec3 *out) {
    const karst_zone_instance *at = &frame->instances[instance];
    const karst_zone_at *zone = &frame->zones[at->zone];
    const karst_piece *piece = &zone->zone->pieces[at->piece];
    int n = 1 << at->cells_log2, stride = n + 1;
    karst_fine made[KARST_ZONE_VERTICES_MAX];
    const karst_fine *from = made, *cached = scene ? kst_zone_fine_at(scene, at->zone, at->piece) : NULL;
    int i = at->tile % KARST_NET_TILES_MAX, j = at->tile / KARST_NET_TILES_MAX;
    if (at->tile == KARST_ZONE_WHOLE)
        from = zone->zone->places + piece->first_place;
    else if (at->tile == KARST_ZONE_FINEST)
        from = cached ? cached : (karst_zone_fine(zone->zone, at->piece, made), made);
    else if (cached) {
        stride = (KARST_TILE_CELLS << piece->tiles_log2) + 1;
        from = cached + KARST_TILE_CELLS * (j * stride + i);
    } else
        karst_zone_tile(zone->zone, at->piece, i, j, made);
    for (int y = 0; y <= n; ++y)
        for (int x = 0; x <= n; ++x) {
            const karst_fine *p = &from[y * stride + x];
            *out++ = kst_zone_drawn(frame, p->x + zone->offset[0], p->y + zone->offset[1], p->z + zone->offset[2]);
        }
}

void karst_zone_frame_places(const karst_zone_frame *frame, int instance, karst_vec3 *out) {
    places_of(frame, NULL, instance, out);
}

// Which side a border vertex that is no corner of the lattice lies on, -1: inside.
static int side_of(int n, int i, int j) {
    return j == 0 ? 0 : i == n ? 1 : j == n ? 2 : i == 0 ? 3 : -1;
}

static karst_vec3 toward_middle(karst_vec3 p, karst_vec3 a, karst_vec3 b, float w) {
    if (w <= 0) return p;
    karst_vec3 m = {0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
    if (w >= 1) return m;
    return (karst_vec3){p.x + w * (m.x - p.x), p.y + w * (m.y - p.y), p.z + w * (m.z - p.z)};
}

// Coarse to fine, each vertex from ones that are done; those that the pattern leaves out are not touched.
static void morph(const karst_zone_scene *scene, const lattice *l, karst_vec3 *q) {
    int finest = l->at->pattern >> 1;
    bool half = l->at->pattern & 1;
    const kst_zone_relation *relation = scene->tables.relation[l->log2n][l->odd];
    const uint8_t *depend[SPANS];
    float level[SPANS];
    int count = 0;
    for (int side = 0; side < 4; ++side)
        for (int k = 0; k < 1 << l->spans_log2[side]; ++k)
            if (l->span[side][k] > l->inside) {
                depend[count] = kst_zone_depend(&scene->tables, l->log2n, l->odd, side, l->spans_log2[side], k);
                level[count++] = l->span[side][k];
            }
    for (int n = l->log2n - 1; n >= finest; --n)
        for (int pass = 0; pass < (n == finest && half ? 1 : 2); ++pass) {  // middles of squares, then of their sides
            int s = 1 << n;
            for (int j = pass ? 0 : s; j <= l->n; j += pass ? s : 2 * s)
                for (int i = pass && (j >> n & 1) ? 0 : s; i <= l->n; i += 2 * s) {
                    int at = j * l->row + i, side = side_of(l->n, i, j);
                    const kst_zone_relation *r = &relation[at];
                    float w;
                    if (side >= 0) {
                        int per = l->n >> l->spans_log2[side], along = side & 1 ? j : i;
                        w = along % per ? weight(l->span[side][along / per], r->class) : 0;
                    } else {
                        w = weight(l->inside, r->class);
                        for (int k = 0; k < count && w < 1; ++k) w = kst_more(w, weight(level[k], depend[k][at]));
                    }
                    q[at] = toward_middle(q[at], q[r->end[0][1] * l->row + r->end[0][0]],
                                          q[r->end[1][1] * l->row + r->end[1][0]], w);
                }
        }
}

// Border vertices go along their side to the span's stride; corners of pieces stay.
static int snapped(const lattice *l, int at) {
    int i = at % l->row, j = at / l->row, side = side_of(l->n, i, j);
    if (side < 0) return at;
    int per = l->n >> l->spans_log2[side], along = side & 1 ? j : i;
    if (along % per == 0) return at;
    int t = 1 << (int)((l->span[side][along / per] + 1) * 0.5f);
    int to = along - along % per + ((along % per + t / 2) & ~(t - 1));
    return side & 1 ? to * l->row + i : j * l->row + to;
}

int karst_zone_frame_expand(const karst_zone_frame *frame, const karst_zone_scene *scene, int instance,
                            karst_zone_vertex *out) {
    karst_vec3 q[KARST_ZONE_VERTICES_MAX];
    uint16_t index[3 * KARST_ZONE_TRIANGLES_MAX];
    lattice l = lattice_of(frame, instance);
    bool finest = l.at->tile == KARST_ZONE_FINEST, whole = l.at->tile == KARST_ZONE_WHOLE;
    places_of(frame, scene, instance, q);
    if (!finest) morph(scene, &l, q);
    int count = karst_zone_indices(l.log2n, l.at->pattern, index), triangles = 0;
    // Parameters: tiles from the patch's first, by vertex.
    const struct kst_piece_info *info = &scene->slots[l.at->zone].info[l.at->piece];
    float cell = whole ? 1 : 1.0f / KARST_TILE_CELLS, first_s = l.piece->tile_s, first_t = l.piece->tile_t;
    if (!whole && !finest)
        first_s += l.at->tile % KARST_NET_TILES_MAX, first_t += (float)(l.at->tile / KARST_NET_TILES_MAX);
    float scale_s = 1.0f / (float)(1 << info->scale_log2[0]), scale_t = 1.0f / (float)(1 << info->scale_log2[1]);
    for (int k = 0; k < count; k += 3) {
        int v[3];
        for (int c = 0; c < 3; ++c) v[c] = finest ? index[k + c] : snapped(&l, index[k + c]);
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        for (int c = 0; c < 3; ++c)
            *out++ = (karst_zone_vertex){q[v[c]], (first_s + (float)(v[c] % l.row) * cell) * scale_s,
                                         (first_t + (float)(v[c] / l.row) * cell) * scale_t};
        ++triangles;
    }
    return triangles;
}
