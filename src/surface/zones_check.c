// SPDX-License-Identifier: MIT
// Do zones agree? Edges of all zones are sorted by their points in the net; those of one place must say the same, and
// together have a patch on both sides.
#include <stdlib.h>

#include "surface/zone_record.h"

typedef struct shared {
    int32_t point[4][3];  // from the net's origin [steps]
    int32_t zone, edge;
    int32_t patch;    // one on it, or -1
    uint8_t used[2];  // eighths that a patch of the zone has on either side
} shared;

static int by_points(const void *a, const void *b) {
    const shared *x = a, *y = b;
    int way = memcmp(x->point, y->point, sizeof x->point);
    if (way) return way;
    if (x->zone != y->zone) return x->zone < y->zone ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

static const kst_zone_data *data_of(const karst_zone *zone) {
    return &zone->record->data;
}

static void far_point(const kst_zone_data *data, const int16_t at[3], int32_t out[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = data->bias[axis] + at[axis];
}

static void gather(const kst_zone_data *data, int32_t zone, shared *out) {
    for (uint32_t k = 0; k < data->edge_count; ++k) {
        const kst_edge_data *e = &data->edges[k];
        out[k] = (shared){.zone = zone, .edge = (int32_t)k, .patch = -1};
        far_point(data, data->corners[e->corner[0]].at, out[k].point[0]);
        far_point(data, e->handle[0], out[k].point[1]);
        far_point(data, e->handle[1], out[k].point[2]);
        far_point(data, data->corners[e->corner[1]].at, out[k].point[3]);
    }
    for (uint32_t k = 0; k < data->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            int from = data->patches[k].side[side].from, to = data->patches[k].side[side].to;
            int low = from < to ? from : to, length = from < to ? to - from : from - to;
            shared *s = &out[data->patches[k].side[side].edge];
            s->used[(from > to) != (side >= 2)] |= (uint8_t)(((1 << length) - 1) << low);
            s->patch = (int32_t)k;
        }
}

static bool same_pin(const kst_zone_data *a, const int32_t p[3], const kst_zone_data *b, const int32_t q[3]) {
    for (int axis = 0; axis < 3; ++axis)
        if (p[axis] - q[axis] != (b->bias[axis] - a->bias[axis]) * KARST_NET_FINE) return false;
    return true;
}

// Of edges on one curve: NULL, or what is unlike about their seams.
static const char *seam_difference(const karst_zone *a, const kst_edge_data *e, const karst_zone *b,
                                   const kst_edge_data *f) {
    const kst_zone_data *x = data_of(a), *y = data_of(b);
    if (e->seam != f->seam || e->column != f->column || e->row != f->row) return "its seam";
    for (int k = 0; k <= e->tiles && e->seam; ++k)
        if (!same_pin(x, x->pins[e->pin + (uint32_t)k], y, y->pins[f->pin + (uint32_t)k])) return "its pins";
    for (int end = 0; end < 2; ++end) {
        const kst_corner_data *p = &x->corners[e->corner[end]], *q = &y->corners[f->corner[end]];
        if (p->pinned != q->pinned || (p->pinned && !same_pin(x, p->pin, y, q->pin))) return "the pins of its ends";
    }
    return NULL;
}

// What two zones do not agree on about an edge, or NULL. Its curve, with the normals and displacement of its ends,
// makes every vertex on it.
static const char *difference(const karst_zone *a, const shared *x, const karst_zone *b, const shared *y) {
    const kst_edge_data *e = &data_of(a)->edges[x->edge], *f = &data_of(b)->edges[y->edge];
    const kst_curve_at *c = &a->record->curves[x->edge], *d = &b->record->curves[y->edge];
    if (memcmp(c->c, d->c, sizeof c->c)) return "its points";
    if (memcmp(c->normal, d->normal, sizeof c->normal)) return "the normals of its ends";
    if (memcmp(c->height, d->height, sizeof c->height)) return "the displacement of its ends";
    if (c->noise != d->noise || c->crease != d->crease) return "its displacement";
    if (e->spans_log2 != f->spans_log2 || e->tiles != f->tiles) return "its parts and tiles";
    if (e->size[0] != f->size[0] || e->size[1] != f->size[1]) return "the sizes of the tiles on it";
    if (e->open != f->open) return "whether it is open";
    for (int eighth = 0; eighth <= 8; eighth += 8 >> e->spans_log2) {
        uint16_t p = kst_edge_corner(data_of(a), e, eighth), q = kst_edge_corner(data_of(b), f, eighth);
        if (data_of(a)->corners[p].radius != data_of(b)->corners[q].radius) return "the radius of a corner on it";
    }
    return seam_difference(a, e, b, f);
}

#define PLACE_FORMAT "%.1f, %.1f, %.1f m"
#define PLACE(s, step) ldexp((s)->point[0][0], step), ldexp((s)->point[0][1], step), ldexp((s)->point[0][2], step)

// The cell across the edge from the patch on it: the patch's middle, mirrored in the edge's.
static void cell_beyond(const karst_zone *zone, const shared *s, int32_t out[2]) {
    const kst_zone_data *data = data_of(zone);
    const kst_patch_at *patch = &zone->record->patches[s->patch];
    karst_vec3 middle = kst_patch_point(patch->c, 0.5f, 0.5f, NULL);
    double side = ldexp(KARST_ZONE_SIDE_M, -data->step_log2), half[2] = {(double)middle.x, (double)middle.z};
    int32_t anchor[2] = {patch->anchor.x / KARST_NET_FINE, patch->anchor.z / KARST_NET_FINE};
    for (int k = 0; k < 2; ++k) {
        double own = (double)data->bias[2 * k] + anchor[k] + half[k];
        out[k] = (int32_t)floor(((double)s->point[0][2 * k] + s->point[3][2 * k] - own) / side);
    }
}

// Records [first, last) of one edge.
static karst_status check_edge(const karst_zone *const *zones, const shared *first, const shared *last,
                               karst_report *report) {
    const karst_zone *a = zones[first->zone];
    int step = data_of(a)->step_log2;
    for (const shared *s = first + 1; s < last; ++s)
        if (s->zone == s[-1].zone) return KARST_OK;
    uint8_t used[2] = {0, 0}, open = data_of(a)->edges[first->edge].open;
    const shared *drawn = NULL;
    for (const shared *s = first; s < last; ++s) {
        const karst_zone *b = zones[s->zone];
        const char *what = s == first ? NULL : difference(a, first, b, s);
        if (what)
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "zones %d, %d and %d, %d do not agree on the edge at " PLACE_FORMAT
                            ": %s; cut both from one net",
                            a->zone_x, a->zone_z, b->zone_x, b->zone_z, PLACE(first, step), what);
        if (s->used[0] & used[0] || s->used[1] & used[1])
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "zone %d, %d has a patch on the edge at " PLACE_FORMAT
                            " where another zone has one already; cut all zones from one net",
                            b->zone_x, b->zone_z, PLACE(first, step));
        used[0] |= s->used[0], used[1] |= s->used[1];
        if (!drawn && s->used[0] != s->used[1]) drawn = s;
    }
    uint8_t lone = used[0] ^ used[1];
    if (used[0] & used[1] & open)
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "the edge at " PLACE_FORMAT
                        " of zone %d, %d is said to be open and has zones on both sides; cut "
                        "all from one net",
                        PLACE(first, step), a->zone_x, a->zone_z);
    if (!(lone & ~open)) return KARST_OK;
    int32_t cell[2];
    cell_beyond(zones[drawn->zone], drawn, cell);
    return kst_fail(report, KARST_ERROR_FORMAT,
                    "zone %d, %d binds at " PLACE_FORMAT
                    " to a zone that is missing, by its place %d, %d; add it, or cut all zones from one net",
                    zones[drawn->zone]->zone_x, zones[drawn->zone]->zone_z, PLACE(first, step), cell[0], cell[1]);
}

static karst_status check_heads(const karst_zone *const *zones, int32_t count, karst_report *report) {
    for (int32_t k = 1; k < count; ++k) {
        if (zones[k]->step_log2 != zones[0]->step_log2 || data_of(zones[k])->reach != data_of(zones[0])->reach)
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "zone %d, %d has another step or reach than zone %d, %d; cut both from one net",
                            zones[k]->zone_x, zones[k]->zone_z, zones[0]->zone_x, zones[0]->zone_z);
    }
    return KARST_OK;
}

karst_status karst_zones_check(const karst_zone *const *zones, int32_t count, const karst_allocator *allocator,
                               karst_report *report) {
    size_t total = 0;
    for (int32_t k = 0; k < count; ++k) total += data_of(zones[k])->edge_count;
    karst_status status = check_heads(zones, count, report);
    if (status) return status;
    shared *all = kst_alloc_array(allocator, total + 1, sizeof *all);
    if (!all) return KARST_ERROR_MEMORY;
    size_t at = 0;
    for (int32_t k = 0; k < count; ++k) {
        gather(data_of(zones[k]), k, all + at);
        at += data_of(zones[k])->edge_count;
    }
    qsort(all, total, sizeof *all, by_points);
    for (size_t k = 0, next; k < total && !status; k = next) {
        for (next = k + 1; next < total && !memcmp(all[k].point, all[next].point, sizeof all->point);) ++next;
        status = check_edge(zones, all + k, all + next, report);
    }
    kst_free(allocator, all, (total + 1) * sizeof *all);
    return status;
}
