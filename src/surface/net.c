// SPDX-License-Identifier: MIT
// The arrays of a net, and cutting a zone out of a finished one.
#include "surface/net.h"

struct kst_net_room {
    int32_t corners, edges, patches, inside;
};

karst_status karst_net_create(karst_pos origin, int step_log2, const karst_allocator *allocator, karst_net **out) {
    KARST_ASSERT(step_log2 >= -12 && step_log2 <= -4);
    karst_net *net = kst_alloc_zero(allocator, sizeof *net);
    struct kst_net_room *room = kst_alloc_zero(allocator, sizeof *room);
    if (!net || !room) {
        kst_free(allocator, net, sizeof *net);
        kst_free(allocator, room, sizeof *room);
        return KARST_ERROR_MEMORY;
    }
    *net = (karst_net){.origin = origin, .step_log2 = step_log2, .allocator = allocator, .room = room};
    *out = net;
    return KARST_OK;
}

void karst_net_destroy(karst_net *net) {
    if (!net) return;
    const karst_allocator *a = net->allocator;
    kst_free(a, net->corners, (size_t)net->room->corners * sizeof *net->corners);
    kst_free(a, net->edges, (size_t)net->room->edges * sizeof *net->edges);
    kst_free(a, net->patches, (size_t)net->room->patches * sizeof *net->patches);
    kst_free(a, net->inside, (size_t)net->room->inside * sizeof *net->inside);
    kst_free(a, net->room, sizeof *net->room);
    kst_free(a, net, sizeof *net);
}

// Room for one more element of `size` bytes in *array, which has `count` of *room.
static karst_status grow(karst_net *net, void **array, int32_t *room, int32_t count, size_t size) {
    net->finished = false;
    if (count < *room) return KARST_OK;
    if (count >= KARST_NET_MAX) return KARST_ERROR_LIMIT;
    int32_t more = *room ? *room * 2 : 64;
    void *bigger = kst_alloc_array(net->allocator, (size_t)more, size);
    if (!bigger) return KARST_ERROR_MEMORY;
    if (count) memcpy(bigger, *array, (size_t)count * size);
    kst_free(net->allocator, *array, (size_t)*room * size);
    *array = bigger, *room = more;
    return KARST_OK;
}

karst_status karst_net_add_corner(karst_net *net, const karst_net_corner *corner, int32_t *index) {
    void *array = net->corners;
    karst_status status = grow(net, &array, &net->room->corners, net->corner_count, sizeof *corner);
    net->corners = array;
    if (status) return status;
    net->corners[ *index = net->corner_count++] = *corner;
    return KARST_OK;
}
karst_status karst_net_add_edge(karst_net *net, const karst_net_edge *edge, int32_t *index) {
    void *array = net->edges;
    karst_status status = grow(net, &array, &net->room->edges, net->edge_count, sizeof *edge);
    net->edges = array;
    if (status) return status;
    net->edges[ *index = net->edge_count++] = *edge;
    return KARST_OK;
}
karst_status karst_net_add_patch(karst_net *net, const karst_net_patch *patch, int32_t *index) {
    void *array = net->patches;
    karst_status status = grow(net, &array, &net->room->patches, net->patch_count, sizeof *patch);
    net->patches = array;
    if (status) return status;
    net->patches[ *index = net->patch_count++] = *patch;
    return KARST_OK;
}

karst_status kst_net_inside(karst_net *net, int32_t count) {
    if (count > net->room->inside) {
        int32_t *bigger = kst_alloc_array(net->allocator, (size_t)count, sizeof *bigger);
        if (!bigger) return KARST_ERROR_MEMORY;
        kst_free(net->allocator, net->inside, (size_t)net->room->inside * sizeof *net->inside);
        net->inside = bigger, net->room->inside = count;
    }
    net->inside_count = count;
    for (int32_t k = 0; k < count; ++k) net->inside[k] = KARST_NET_NONE;
    return KARST_OK;
}

void kst_net_edge_points(const karst_net *net, int32_t index, int32_t out[4][3]) {
    const karst_net_edge *edge = &net->edges[index];
    memcpy(out[0], net->corners[edge->corner[0]].at, sizeof *out);
    memcpy(out[1], edge->handle, 2 * sizeof *out);
    memcpy(out[3], net->corners[edge->corner[1]].at, sizeof *out);
}
void kst_net_patch_points(const karst_net *net, int32_t index, int32_t out[16][3]) {
    const karst_net_patch *patch = &net->patches[index];
    int32_t side[4][4][3];
    for (int k = 0; k < 4; ++k) {
        int32_t edge[4][3];
        kst_net_edge_points(net, patch->side[k].edge, edge);
        kst_side_points((const int32_t(*)[3])edge, patch->side[k].from, patch->side[k].to, side[k]);
    }
    kst_patch_points((const int32_t(*)[4][3])side, patch->inner, out);
}
void kst_points_local(const int32_t points[16][3], karst_vec3 out[16]) {
    for (int k = 0; k < 16; ++k)
        out[k] = (karst_vec3){(float)(points[k][0] - points[0][0]), (float)(points[k][1] - points[0][1]),
                              (float)(points[k][2] - points[0][2])};
}

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

static int by_zone(const void *a, const void *b) {
    const int32_t *x = a, *y = b;
    if (x[1] != y[1]) return x[1] < y[1] ? -1 : 1;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

int32_t karst_net_zones(const karst_net *net, int32_t (*out)[2], int32_t capacity) {
    KARST_ASSERT(net->finished);
    int32_t(*all)[2] = kst_alloc_array(net->allocator, (size_t)net->patch_count + 1, sizeof *all);
    if (!all) return 0;
    for (int32_t k = 0; k < net->patch_count; ++k) zone_of(net, k, all[k]);
    qsort(all, (size_t)net->patch_count, sizeof *all, by_zone);
    int32_t count = 0;
    for (int32_t k = 0; k < net->patch_count; ++k)
        if (!k || by_zone(all[k - 1], all[k])) {
            if (count < capacity) memcpy(out[count], all[k], sizeof *all);
            ++count;
        }
    kst_free(net->allocator, all, ((size_t)net->patch_count + 1) * sizeof *all);
    return count;
}

// ---- a zone -----------------------------------------------------------------------------------------------

typedef struct cutting {
    const karst_net *net;
    int32_t *corner, *edge;  // number in the zone, or KARST_NET_NONE
    kst_zone_data data;
    karst_report *report;
    karst_status status;
} cutting;

static void take_corner(cutting *c, int32_t index);

// An edge brings its corners and those inside it; a corner inside another edge brings that.
static void take_edge(cutting *c, int32_t index) {
    if (c->edge[index] != KARST_NET_NONE) return;
    const karst_net_edge *edge = &c->net->edges[index];
    c->edge[index] = (int32_t)c->data.edge_count++;
    c->data.inside_count += (uint32_t)edge->spans - 1;
    for (int k = 0; k < 2; ++k) take_corner(c, edge->corner[k]);
    for (int k = 0; k < edge->spans - 1; ++k) take_corner(c, c->net->inside[edge->inside + k]);
}
static void take_corner(cutting *c, int32_t index) {
    if (c->corner[index] != KARST_NET_NONE) return;
    c->corner[index] = (int32_t)c->data.corner_count++;
    if (c->net->corners[index].edge != KARST_NET_NONE) take_edge(c, c->net->corners[index].edge);
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

static void fill_corner(cutting *c, int32_t index) {
    const karst_net_corner *from = &c->net->corners[index];
    kst_corner_data *to = &c->data.corners[c->corner[index]];
    *to = (kst_corner_data){.facing = {from->facing[0], from->facing[1]}, .radius = from->radius, .noise = from->noise};
    near(c, from->at, to->at, "corner", index);
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
        for (int i = 0; i < 1 << from->tiles_log2[0]; ++i)
            to->slot[KARST_NET_TILES_MAX * j + i] = from->slot[KARST_NET_TILES_MAX * j + i];
    for (int j = 0; j <= 1 << from->tiles_log2[1]; ++j)
        for (int i = 0, at = 17 * j; i <= 1 << from->tiles_log2[0]; ++i, ++at)
            to->set[at] = from->set[at], to->tint[at] = from->tint[at];
}

// The middle of the cell, and of the heights of its patches' points in whole metres.
static void choose_bias(cutting *c, const int32_t *mine, int32_t count) {
    int32_t steps = 1 << -c->net->step_log2, low = INT32_MAX, high = INT32_MIN;
    for (int32_t k = 0; k < count; ++k) {
        int32_t points[16][3];
        kst_net_patch_points(c->net, mine[k], points);
        for (int i = 0; i < 16; ++i) {
            if (points[i][1] < low) low = points[i][1];
            if (points[i][1] > high) high = points[i][1];
        }
    }
    c->data.bias[0] = (int32_t)((int64_t)(2 * (int64_t)c->data.zone_x + 1) * (KARST_ZONE_SIDE_M / 2) * steps);
    c->data.bias[1] = (int32_t)(((int64_t)low + high) / 2 / steps * steps);
    c->data.bias[2] = (int32_t)((int64_t)(2 * (int64_t)c->data.zone_z + 1) * (KARST_ZONE_SIDE_M / 2) * steps);
}

static karst_status cut(cutting *c, const int32_t *mine, int32_t count) {
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
    if (!c->data.corners || !c->data.edges || !c->data.patches || !c->data.inside) return KARST_ERROR_MEMORY;
    choose_bias(c, mine, count);
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (c->corner[k] != KARST_NET_NONE) fill_corner(c, k);
    for (int32_t k = 0; k < net->edge_count; ++k)
        if (c->edge[k] != KARST_NET_NONE) fill_edge(c, k);
    for (int32_t k = 0; k < count; ++k) fill_patch(c, mine[k], &c->data.patches[k]);
    return c->status;
}

// Numbers in the zone rise with those in the net, so that the bytes do not depend on how it was walked.
static void renumber(int32_t *map, int32_t count) {
    int32_t next = 0;
    for (int32_t k = 0; k < count; ++k)
        if (map[k] != KARST_NET_NONE) map[k] = next++;
}

static void fill_inside(cutting *c) {
    uint32_t next = 0;
    for (int32_t k = 0; k < c->net->edge_count; ++k) {
        if (c->edge[k] == KARST_NET_NONE) continue;
        const karst_net_edge *from = &c->net->edges[k];
        c->data.edges[c->edge[k]].inside = next;
        for (int i = 0; i < from->spans - 1; ++i)
            c->data.inside[next++] = (uint16_t)c->corner[c->net->inside[from->inside + i]];
    }
}

karst_status karst_net_cut(const karst_net *net, int32_t zone_x, int32_t zone_z, const karst_noise_bank *bank,
                           karst_report *report, karst_zone **out) {
    KARST_ASSERT(net->finished);
    const karst_allocator *a = net->allocator;
    cutting c = {.net = net, .report = report};
    c.data = (kst_zone_data){.zone_x = zone_x, .zone_z = zone_z, .step_log2 = net->step_log2, .reach = net->reach};
    size_t corners = (size_t)net->corner_count + 1, edges = (size_t)net->edge_count + 1;
    size_t patches = (size_t)net->patch_count + 1;
    int32_t *mine = kst_alloc_array(a, patches, sizeof *mine), count = 0;
    c.corner = kst_alloc_array(a, corners, sizeof *c.corner);
    c.edge = kst_alloc_array(a, edges, sizeof *c.edge);
    karst_status status = KARST_ERROR_MEMORY;
    if (mine && c.corner && c.edge) {
        for (size_t k = 0; k < corners; ++k) c.corner[k] = KARST_NET_NONE;
        for (size_t k = 0; k < edges; ++k) c.edge[k] = KARST_NET_NONE;
        for (int32_t k = 0; k < net->patch_count; ++k) {
            int32_t cell[2];
            zone_of(net, k, cell);
            if (cell[0] == zone_x && cell[1] == zone_z) mine[count++] = k;
        }
        for (int32_t k = 0; k < count; ++k)
            for (int side = 0; side < 4; ++side) take_edge(&c, net->patches[mine[k]].side[side].edge);
        renumber(c.corner, net->corner_count);
        renumber(c.edge, net->edge_count);
        status = cut(&c, mine, count);
    }
    if (!status) {
        fill_inside(&c);
        status = kst_zone_build(&c.data, bank, a, report, out);
    } else {
        kst_zone_data_free(&c.data, a);
    }
    kst_free(a, mine, patches * sizeof *mine);
    kst_free(a, c.corner, corners * sizeof *c.corner);
    kst_free(a, c.edge, edges * sizeof *c.edge);
    return status;
}
