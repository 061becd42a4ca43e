// SPDX-License-Identifier: MIT
// Cutting zones out of a finished net. What all of a net's zones need is worked out once, so that a zone costs what it
// holds; a zone by itself looks at all of the net.
#include "surface/net.h"

// The cell that holds the middle of a patch.
static void zone_of(const karst_net *net, int32_t index, int32_t out[2]) {
    int32_t points[16][3], steps = KARST_ZONE_SIDE_M << -net->step_log2;
    karst_vec3 local[16];
    kst_net_patch_points(net, index, points);
    kst_points_local((const int32_t(*)[3])points, local);
    karst_vec3 middle = kst_patch_point(local, 0.5f, 0.5f, NULL);
    double x = points[0][0] + (double)middle.x, z = points[0][2] + (double)middle.z;
    out[0] = (int32_t)floor(x / steps), out[1] = (int32_t)floor(z / steps);
}

typedef struct patch_in {
    int32_t cell[2], patch;
} patch_in;

// By z, then x, then as in the net.
static int by_zone(const void *a, const void *b) {
    const patch_in *x = a, *y = b;
    if (x->cell[1] != y->cell[1]) return x->cell[1] < y->cell[1] ? -1 : 1;
    if (x->cell[0] != y->cell[0]) return x->cell[0] < y->cell[0] ? -1 : 1;
    return (x->patch > y->patch) - (x->patch < y->patch);
}
static bool same_zone(const patch_in *a, const patch_in *b) {
    return a->cell[0] == b->cell[0] && a->cell[1] == b->cell[1];
}

struct kst_cutter {
    const karst_net *net;
    patch_in *patches;  // those of the zones, sorted
    int32_t patch_count, zone_count;
    int32_t *first;            // of each zone among them, and the end
    int32_t *corner, *edge;    // number in the zone, or KARST_NET_NONE
    int32_t *corners, *edges;  // those that the zone has
    int32_t *pin;              // of corners, its pin in the net, or KARST_NET_NONE; NULL: the net has none
};

// The patches of one cell, NULL: of all, sorted.
static void list_patches(const karst_net *net, const int32_t *cell, patch_in *out, int32_t *count) {
    *count = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        patch_in *p = &out[*count];
        zone_of(net, k, p->cell);
        p->patch = k;
        *count += !cell || (p->cell[0] == cell[0] && p->cell[1] == cell[1]);
    }
    qsort(out, (size_t)*count, sizeof *out, by_zone);
}

int32_t karst_net_zones(const karst_net *net, int32_t (*out)[2], int32_t capacity) {
    KARST_ASSERT(net->finished);
    size_t room = (size_t)net->patch_count + 1;
    patch_in *all = kst_alloc_array(net->allocator, room, sizeof *all);
    if (!all) return 0;
    int32_t patches, count = 0;
    list_patches(net, NULL, all, &patches);
    for (int32_t k = 0; k < patches; ++k)
        if (!k || !same_zone(&all[k - 1], &all[k])) {
            if (count < capacity) memcpy(out[count], all[k].cell, sizeof *out);
            ++count;
        }
    kst_free(net->allocator, all, room * sizeof *all);
    return count;
}

void kst_cutter_destroy(kst_cutter *c) {
    if (!c) return;
    const karst_net *net = c->net;
    const karst_allocator *a = net->allocator;
    size_t corners = (size_t)net->corner_count + 1, edges = (size_t)net->edge_count + 1;
    size_t patches = (size_t)net->patch_count + 1;
    kst_free(a, c->patches, patches * sizeof *c->patches);
    kst_free(a, c->first, (patches + 1) * sizeof *c->first);
    kst_free(a, c->corner, corners * sizeof *c->corner);
    kst_free(a, c->corners, corners * sizeof *c->corners);
    kst_free(a, c->edge, edges * sizeof *c->edge);
    kst_free(a, c->edges, edges * sizeof *c->edges);
    kst_free(a, c->pin, corners * sizeof *c->pin);
    kst_free(a, c, sizeof *c);
}

static karst_status create(const karst_net *net, const int32_t *cell, kst_cutter **out) {
    KARST_ASSERT(net->finished);
    const karst_allocator *a = net->allocator;
    size_t corners = (size_t)net->corner_count + 1, edges = (size_t)net->edge_count + 1;
    size_t patches = (size_t)net->patch_count + 1;
    kst_cutter *c = kst_alloc_zero(a, sizeof *c);
    if (!c) return KARST_ERROR_MEMORY;
    c->net = net;
    c->patches = kst_alloc_array(a, patches, sizeof *c->patches);
    c->first = kst_alloc_array(a, patches + 1, sizeof *c->first);
    c->corner = kst_alloc_array(a, corners, sizeof *c->corner);
    c->corners = kst_alloc_array(a, corners, sizeof *c->corners);
    c->edge = kst_alloc_array(a, edges, sizeof *c->edge);
    c->edges = kst_alloc_array(a, edges, sizeof *c->edges);
    if (net->pin_count) c->pin = kst_alloc_array(a, corners, sizeof *c->pin);
    bool pins = c->pin || !net->pin_count;
    if (!c->patches || !c->first || !c->corner || !c->corners || !c->edge || !c->edges || !pins) {
        kst_cutter_destroy(c);
        return KARST_ERROR_MEMORY;
    }
    for (size_t k = 0; k < corners; ++k) c->corner[k] = KARST_NET_NONE;
    for (size_t k = 0; k < edges; ++k) c->edge[k] = KARST_NET_NONE;
    for (size_t k = 0; k < corners && c->pin; ++k) c->pin[k] = KARST_NET_NONE;
    for (int32_t k = 0; k < net->edge_count && c->pin; ++k)
        for (int end = 0; end < 2 && net->edges[k].pin != KARST_NET_NONE; ++end)
            c->pin[net->edges[k].corner[end]] = net->edges[k].pin + end * net->edges[k].tiles;
    list_patches(net, cell, c->patches, &c->patch_count);
    for (int32_t k = 0; k < c->patch_count; ++k)
        if (!k || !same_zone(&c->patches[k - 1], &c->patches[k])) c->first[c->zone_count++] = k;
    c->first[c->zone_count] = c->patch_count;
    *out = c;
    return KARST_OK;
}

karst_status kst_cutter_create(const karst_net *net, kst_cutter **out) {
    return create(net, NULL, out);
}
int32_t kst_cutter_zones(const kst_cutter *c) {
    return c->zone_count;
}

// ---- a zone -----------------------------------------------------------------------------------------------

typedef struct cutting {
    kst_cutter *cutter;
    const karst_net *net;
    int32_t *corner, *edge;
    kst_zone_data data;
    karst_report *report;
    karst_status status;
} cutting;

static void take_edge(cutting *c, int32_t index) {
    if (c->edge[index] != KARST_NET_NONE) return;
    c->edge[index] = 0;
    c->cutter->edges[c->data.edge_count++] = index;
    c->data.inside_count += (uint32_t)c->net->edges[index].spans - 1;
    if (c->net->edges[index].pin != KARST_NET_NONE) c->data.pin_count += (uint32_t)c->net->edges[index].tiles + 1;
}
static void take_corner(cutting *c, int32_t index) {
    if (c->corner[index] != KARST_NET_NONE) return;
    c->corner[index] = 0;
    c->cutter->corners[c->data.corner_count++] = index;
    if (c->net->corners[index].edge != KARST_NET_NONE) take_edge(c, c->net->corners[index].edge);
}

static int by_number(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Numbers in the zone rise with those in the net, so that the bytes do not depend on how it was walked.
static void number(int32_t *list, uint32_t count, int32_t *map) {
    qsort(list, count, sizeof *list, by_number);
    for (uint32_t k = 0; k < count; ++k) map[list[k]] = (int32_t)k;
}

// The edges of the patches. An edge brings its corners and those inside it; a corner inside another edge brings that.
static void take_all(cutting *c, const patch_in *mine, int32_t count) {
    for (int32_t k = 0; k < count; ++k)
        for (int side = 0; side < 4; ++side) take_edge(c, c->net->patches[mine[k].patch].side[side].edge);
    for (uint32_t k = 0; k < c->data.edge_count; ++k) {  // which grows as it goes
        const karst_net_edge *edge = &c->net->edges[c->cutter->edges[k]];
        for (int end = 0; end < 2; ++end) take_corner(c, edge->corner[end]);
        for (int i = 0; i < edge->spans - 1; ++i) take_corner(c, c->net->inside[edge->inside + i]);
    }
    number(c->cutter->corners, c->data.corner_count, c->corner);
    number(c->cutter->edges, c->data.edge_count, c->edge);
}

static void let_go(cutting *c) {
    for (uint32_t k = 0; k < c->data.corner_count; ++k) c->corner[c->cutter->corners[k]] = KARST_NET_NONE;
    for (uint32_t k = 0; k < c->data.edge_count; ++k) c->edge[c->cutter->edges[k]] = KARST_NET_NONE;
}

// A point as 16 bits from the bias.
static void near(cutting *c, const int32_t at[3], int16_t out[3], const char *what, int32_t index) {
    for (int axis = 0; axis < 3; ++axis) {
        int64_t d = (int64_t)at[axis] - c->data.bias[axis];
        if ((d < -32768 || d > 32767) && !c->status)
            c->status =
                kst_fail(c->report, KARST_ERROR_LIMIT,
                         "zone %d, %d: %s %d lies %.0f m from the middle, beyond the %.0f m of this step; give the "
                         "net a larger step (it has 1/%d m) or move it",
                         c->data.zone_x, c->data.zone_z, what, index, fabs(ldexp((double)d, c->net->step_log2)),
                         ldexp(32768, c->net->step_log2), 1 << -c->net->step_log2);
        out[axis] = (int16_t)d;
    }
}

// A pin lies within a metre of a point that is near.
static void pin_from_bias(const cutting *c, int32_t pin, int32_t out[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = c->net->pins[pin][axis] - c->data.bias[axis] * KARST_NET_FINE;
}

static void fill_corner(cutting *c, int32_t index) {
    const karst_net_corner *from = &c->net->corners[index];
    kst_corner_data *to = &c->data.corners[c->corner[index]];
    *to = (kst_corner_data){.facing = {from->facing[0], from->facing[1]}, .radius = from->radius, .noise = from->noise};
    near(c, from->at, to->at, "corner", index);
    to->pinned = c->cutter->pin && c->cutter->pin[index] != KARST_NET_NONE;
    if (to->pinned) pin_from_bias(c, c->cutter->pin[index], to->pin);
}

static void fill_edge(cutting *c, int32_t index) {
    const karst_net_edge *from = &c->net->edges[index];
    kst_edge_data *to = &c->data.edges[c->edge[index]];
    *to = (kst_edge_data){.noise = from->noise,
                          .spans_log2 = (uint8_t)__builtin_ctz(from->spans),
                          .tiles = from->tiles,
                          .size = {from->size[0], from->size[1]},
                          .open = from->open,
                          .crease = from->crease};
    for (int k = 0; k < 2; ++k) {
        to->corner[k] = (uint16_t)c->corner[from->corner[k]];
        near(c, from->handle[k], to->handle[k], "a handle of edge", index);
    }
}

static void fill_patch(cutting *c, int32_t index, kst_patch_data *to) {
    const karst_net_patch *from = &c->net->patches[index];
    *to = (kst_patch_data){.tiles_log2 = {from->tiles_log2[0], from->tiles_log2[1]},
                           .noise_set = from->noise_set,
                           .noise_turn = from->noise_turn,
                           .size = from->size};
    for (int k = 0; k < 4; ++k) {
        to->side[k].edge = (uint16_t)c->edge[from->side[k].edge];
        to->side[k].from = from->side[k].from, to->side[k].to = from->side[k].to;
        near(c, from->inner[k], to->inner[k], "an inner point of patch", index);
    }
    for (int j = 0; j < 1 << from->tiles_log2[1]; ++j)
        for (int i = 0, at = KARST_NET_TILES_MAX * j; i < 1 << from->tiles_log2[0]; ++i, ++at)
            to->slot[at] = from->slot[at], to->group[at] = from->group[at];
    for (int j = 0; j <= 1 << from->tiles_log2[1]; ++j)
        for (int i = 0, at = 17 * j; i <= 1 << from->tiles_log2[0]; ++i, ++at)
            to->set[at] = from->set[at], to->tint[at] = from->tint[at];
}

// The middle of the cell, and of the heights of its patches' points in whole metres.
static void choose_bias(cutting *c, const patch_in *mine, int32_t count) {
    int32_t steps = 1 << -c->net->step_log2, low = INT32_MAX, high = INT32_MIN;
    for (int32_t k = 0; k < count; ++k) {
        int32_t points[16][3];
        kst_net_patch_points(c->net, mine[k].patch, points);
        for (int i = 0; i < 16; ++i) {
            if (points[i][1] < low) low = points[i][1];
            if (points[i][1] > high) high = points[i][1];
        }
    }
    c->data.bias[0] = (int32_t)((int64_t)(2 * (int64_t)c->data.zone_x + 1) * (KARST_ZONE_SIDE_M / 2) * steps);
    c->data.bias[1] = (int32_t)(((int64_t)low + high) / 2 / steps * steps);
    c->data.bias[2] = (int32_t)((int64_t)(2 * (int64_t)c->data.zone_z + 1) * (KARST_ZONE_SIDE_M / 2) * steps);
}

static void fill_inside(cutting *c) {
    uint32_t next = 0, pin = 0;
    for (uint32_t k = 0; k < c->data.edge_count; ++k) {
        const karst_net_edge *from = &c->net->edges[c->cutter->edges[k]];
        c->data.edges[k].inside = next;
        for (int i = 0; i < from->spans - 1; ++i)
            c->data.inside[next++] = (uint16_t)c->corner[c->net->inside[from->inside + i]];
        if (from->pin == KARST_NET_NONE) continue;
        kst_edge_data *to = &c->data.edges[k];
        to->seam = from->seam, to->column = from->column, to->row = from->row, to->pin = pin;
        for (int i = 0; i <= from->tiles; ++i) pin_from_bias(c, from->pin + i, c->data.pins[pin++]);
    }
}

static karst_status fill(cutting *c, const patch_in *mine, int32_t count) {
    const karst_net *net = c->net;
    const karst_allocator *a = net->allocator;
    c->data.patch_count = (uint32_t)count;
    if (c->data.corner_count > UINT16_MAX || c->data.edge_count > UINT16_MAX || c->data.patch_count > UINT16_MAX)
        return kst_fail(c->report, KARST_ERROR_LIMIT,
                        "zone %d, %d: %u corners and %u edges, a zone holds 65535 of each; use larger patches there",
                        c->data.zone_x, c->data.zone_z, c->data.corner_count, c->data.edge_count);
    c->data.corners = kst_alloc_array(a, c->data.corner_count + 1, sizeof *c->data.corners);
    c->data.edges = kst_alloc_array(a, c->data.edge_count + 1, sizeof *c->data.edges);
    c->data.patches = kst_alloc_array(a, c->data.patch_count + 1, sizeof *c->data.patches);
    c->data.inside = kst_alloc_array(a, c->data.inside_count + 1, sizeof *c->data.inside);
    c->data.pins = kst_alloc_array(a, c->data.pin_count + 1, sizeof *c->data.pins);
    if (!c->data.corners || !c->data.edges || !c->data.patches || !c->data.inside || !c->data.pins)
        return KARST_ERROR_MEMORY;
    choose_bias(c, mine, count);
    for (uint32_t k = 0; k < c->data.corner_count; ++k) fill_corner(c, c->cutter->corners[k]);
    for (uint32_t k = 0; k < c->data.edge_count; ++k) fill_edge(c, c->cutter->edges[k]);
    fill_inside(c);
    for (int32_t k = 0; k < count; ++k) fill_patch(c, mine[k].patch, &c->data.patches[k]);
    return c->status;
}

static karst_status cut(kst_cutter *cutter, const int32_t cell[2], const patch_in *mine, int32_t count,
                        const karst_noise_bank *bank, karst_report *report, karst_zone **out) {
    const karst_net *net = cutter->net;
    cutting c = {.cutter = cutter, .net = net, .corner = cutter->corner, .edge = cutter->edge, .report = report};
    c.data = (kst_zone_data){.zone_x = cell[0], .zone_z = cell[1], .step_log2 = net->step_log2, .reach = net->reach};
    take_all(&c, mine, count);
    karst_status status = fill(&c, mine, count);
    let_go(&c);
    if (!status) return kst_zone_build(&c.data, bank, net->allocator, report, out);
    kst_zone_data_free(&c.data, net->allocator);
    return status;
}

karst_status kst_cutter_cut(kst_cutter *c, int32_t index, const karst_noise_bank *bank, karst_report *report,
                            karst_zone **out) {
    KARST_ASSERT(index >= 0 && index < c->zone_count);
    const patch_in *mine = c->patches + c->first[index];
    return cut(c, mine->cell, mine, c->first[index + 1] - c->first[index], bank, report, out);
}

karst_status karst_net_cut(const karst_net *net, int32_t zone_x, int32_t zone_z, const karst_noise_bank *bank,
                           karst_report *report, karst_zone **out) {
    const int32_t cell[2] = {zone_x, zone_z};
    kst_cutter *c;
    karst_status status = create(net, cell, &c);
    if (status) return status;
    status = cut(c, cell, c->patches, c->patch_count, bank, report, out);
    kst_cutter_destroy(c);
    return status;
}
