// SPDX-License-Identifier: MIT
// What the files of a net share.
#pragma once
#include <stdlib.h>

#include "surface/zone_record.h"

void kst_net_edge_points(const karst_net *net, int32_t edge, int32_t out[4][3]);
void kst_net_patch_points(const karst_net *net, int32_t patch, int32_t out[16][3]);
// From the first, as floats.
void kst_points_local(const int32_t points[16][3], karst_vec3 out[16]);
// World place of a point along an axis, for messages.
static inline double kst_net_world(const karst_net *net, const int32_t at[3], int axis) {
    double origin[3] = {net->origin.x, net->origin.y, net->origin.z};
    return origin[axis] + ldexp(at[axis], net->step_log2);
}
// seam.c: the rules of seams, of a net that is finished but for them.
karst_status kst_net_check_seams(const karst_net *net, karst_report *report);
// Room for `count` pins; 0: none, and no edge names any.
karst_status kst_net_pins(karst_net *net, int32_t count);
// Room for `count` corners inside edges, all KARST_NET_NONE.
karst_status kst_net_inside(karst_net *net, int32_t count);
// Corners onto their edges, until those whose edges end at others do not move any more: however they are numbered.
// @return whether they came to rest
bool kst_net_place_inside(karst_net *net);
// The corner at eighth 0..8 of a side's edge.
static inline int32_t kst_net_corner_of(const karst_net *net, const karst_net_side *side, int eighth) {
    const karst_net_edge *e = &net->edges[side->edge];
    return eighth == 0 ? e->corner[0] : eighth == 8 ? e->corner[1] : net->inside[e->inside + eighth * e->spans / 8 - 1];
}
// The class of a patch's tiles, into it, and its radius [1/4 m]. @return KARST_ERROR_LIMIT: out of range, or too large
karst_status kst_net_size_patch(karst_net *net, int32_t patch, const karst_vec3 c[16], uint8_t *radius,
                                karst_report *report);
// The unit normal of a patch at its corner 0..3.
karst_vec3 kst_patch_corner_normal(const karst_vec3 c[16], int corner);
// The tile corners of a side of a patch: `tiles` steps of 17 j + i from the first, as the side runs.
static inline void kst_side_walk(const karst_net_patch *p, int side, int *first, int *step, int *tiles) {
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
    *tiles = side & 1 ? down : across;
    *step = side & 1 ? 17 : 1;
    *first = side == 1 ? across : side == 2 ? 17 * down : 0;
}
// The calmer one of two maps; the first may be KARST_NET_NONE.
static inline int kst_calmer(int a, int b) {
    return a == KARST_NET_NONE || (b & 15) < (a & 15) ? b : a;
}
// Own displacement of a corner by the calmest map round it.
static inline int8_t kst_corner_noise(const karst_noise_bank *bank, int map, int32_t corner) {
    float h = kst_bank_height(bank, map, (float)(corner % 31) * 1.37f, (float)(corner % 29) * 1.11f);
    return (int8_t)floorf(h * 127 + 0.5f);
}
// Tile corners of all patches by their noise sets; where patches meet, that of the highest rank. Of a finished net.
karst_status kst_net_share_sets(karst_net *net);

// net_fit.c: inner points of a cubic from p[0] to p[3] through places at equal parameters, of which at[1] to at[n - 1]
// count, drawn a little toward where `toward` has them [steps].
void kst_curve_fit(const double (*at)[3], int32_t n, const double (*toward)[3], int32_t (*p)[3]);

// net_cut.c: all zones of a finished net, which may not change meanwhile. Each then costs what it holds. One thread.
typedef struct kst_cutter kst_cutter;
karst_status kst_cutter_create(const karst_net *net, kst_cutter **out);
void kst_cutter_destroy(kst_cutter *cutter);
int32_t kst_cutter_zones(const kst_cutter *cutter);
// As karst_net_cut(); by z, then x.
karst_status kst_cutter_cut(kst_cutter *cutter, int32_t index, const karst_noise_bank *bank, karst_report *report,
                            karst_zone **out);

// net_turn.c: which patches to turn over so that neighbours run opposite ways, those that are gone left out. Room for a
// byte a patch.
karst_status kst_net_turns(const karst_net *net, const uint8_t *gone, uint8_t *out);
void kst_patch_turn_over(karst_net_patch *patch);
uint8_t kst_side_bits(const karst_net_side *side);  // the eighths that it takes
