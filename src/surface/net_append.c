// SPDX-License-Identifier: MIT
// Two nets become one.
#include "surface/net.h"

karst_status karst_net_append(karst_net *net, const karst_net *other, karst_report *report) {
    KARST_ASSERT(net != other);
    const karst_pos *a = &net->origin, *b = &other->origin;
    if (net->step_log2 != other->step_log2 || a->x != b->x || a->y != b->y || a->z != b->z)
        return kst_fail(
            report, KARST_ERROR_ARGUMENT,
            "the net that is there counts steps of 1/%d m from %.10g, %.10g, %.10g, the other one of 1/%d m "
            "from %.10g, %.10g, %.10g; make it with the same",
            1 << -net->step_log2, a->x, a->y, a->z, 1 << -other->step_log2, b->x, b->y, b->z);
    int32_t corners = net->corner_count, edges = net->edge_count, unused;
    karst_status status = KARST_OK;
    for (int32_t k = 0; k < other->corner_count && !status; ++k) {
        karst_net_corner corner = other->corners[k];
        if (corner.edge != KARST_NET_NONE) corner.edge += edges;
        status = karst_net_add_corner(net, &corner, &unused);
    }
    for (int32_t k = 0; k < other->edge_count && !status; ++k) {
        karst_net_edge edge = other->edges[k];
        edge.corner[0] += corners, edge.corner[1] += corners;
        status = karst_net_add_edge(net, &edge, &unused);
    }
    for (int32_t k = 0; k < other->patch_count && !status; ++k) {
        karst_net_patch patch = other->patches[k];
        for (int side = 0; side < 4; ++side) patch.side[side].edge += edges;
        status = karst_net_add_patch(net, &patch, &unused);
    }
    return status;
}
