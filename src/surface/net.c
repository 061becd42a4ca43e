// SPDX-License-Identifier: MIT
// The arrays of a net.
#include "surface/net.h"

struct kst_net_room {
    int32_t corners, edges, patches, inside, pins;
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
    kst_free(a, net->pins, (size_t)net->room->pins * sizeof *net->pins);
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
    net->edges[net->edge_count] = *edge;
    net->edges[net->edge_count].pin = KARST_NET_NONE;
    *index = net->edge_count++;
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

karst_status kst_net_pins(karst_net *net, int32_t count) {
    for (int32_t k = 0; k < net->edge_count; ++k) net->edges[k].pin = KARST_NET_NONE;
    net->pin_count = 0;
    if (count > net->room->pins) {
        int32_t(*bigger)[3] = kst_alloc_array(net->allocator, (size_t)count, sizeof *bigger);
        if (!bigger) return KARST_ERROR_MEMORY;
        kst_free(net->allocator, net->pins, (size_t)net->room->pins * sizeof *net->pins);
        net->pins = bigger, net->room->pins = count;
    }
    net->pin_count = count;
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
