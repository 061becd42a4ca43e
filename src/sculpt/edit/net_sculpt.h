// SPDX-License-Identifier: MIT
// What the files of net sculpting share. Places and ways are in steps of the net.
#pragma once
#include "edit/image.h"
#include "karst/netsculpt.h"
#include "karst/zone.h"

typedef struct kst_box {
    int32_t low[3], high[3];
} kst_box;

// A control point, and what it is beside its whole steps.
typedef struct kst_point {
    int32_t *at;
    float *rest;
} kst_point;

// A point before a change.
typedef struct kst_was {
    kst_point point;
    int32_t at[3];
    float rest[3];
} kst_was;

// Old points of the patches and edges that a dab touches.
typedef struct kst_old_patch {
    int32_t patch, points[16][3];
} kst_old_patch;
typedef struct kst_old_edge {
    int32_t edge, points[4][3];
} kst_old_edge;

// A corner with its star near a dab: points [first, first + count) of the dab's, the corner first.
typedef struct kst_star {
    int32_t corner, first, count;
    double map[3][3];  // of the way from the corner, added to it
} kst_star;

// Rows of doubles of all points of a dab.
enum {
    KST_RX,
    KST_RY,
    KST_RZ,
    KST_WEIGHT,
    KST_DX,
    KST_DY,
    KST_DZ,
    KST_SUM,
    KST_MOST,
    KST_SX,
    KST_SY,
    KST_SZ,
    KST_PX,
    KST_PY,
    KST_PZ,  // place
    KST_TX,
    KST_TY,
    KST_TZ,  // the way to where smooth and restore lead
    KST_POINT_ROWS
};

struct karst_net_sculptor {
    karst_net *net;
    const karst_net *begin;
    karst_net_links links;
    double step_m;
    size_t corner_room, edge_room, patch_room;  // of the arrays that have the net's size
    kst_box *stars;                             // of corners
    kst_box *patches;                           // of all 16 points
    uint8_t *depth;  // 0: a free corner; else 1 and the most of those that its edge and the patch beyond it hang on
    int depth_most;
    uint8_t *held;                                                     // of corners: on a seam, so its star stays
    float (*corner_rest)[3], (*edge_rest)[2][3], (*patch_rest)[4][3];  // -1/2 to 1/2
    // The last dab.
    kst_star *star;
    kst_point *point;
    double *rows;
    kst_was *was;
    kst_old_patch *old_patch;
    kst_old_edge *old_edge;
    int32_t *moved;  // its patches, in the order of old_patch
    size_t star_count, star_room, point_count, point_room, row_room, was_count, was_room;
    size_t old_patch_count, old_patch_room, old_edge_count, old_edge_room, moved_room;
    int32_t *done;  // corners inside edges that have moved
    size_t done_count, done_room;
    uint8_t *is_done;
    int32_t *star_of, *patch_of, *edge_of;  // their places in the lists above, or -1
    // Since karst_net_sculptor_changed().
    int32_t *changed, changed_count;
    uint8_t *is_changed;
};

static inline double *kst_row(const karst_net_sculptor *s, int k) {
    return s->rows + (size_t)k * s->row_room;
}

// A corner's star: how many points it has, the corner first, then handles, then inner points; and the k-th.
int kst_star_size(const karst_net_sculptor *s, int32_t corner);
kst_point kst_star_point(const karst_net_sculptor *s, int32_t corner, int k);
// A patch's corner 0..3.
int32_t kst_patch_corner(const karst_net *net, int32_t patch, int which);
// Make room for `count` of *array; `size` bytes each.
karst_status kst_net_room(void **array, size_t *room, size_t count, size_t size);

// Boxes of the patches that a dab touched, and of their corners' stars.
void kst_net_boxes(karst_net_sculptor *s);

// net_star.c: move the stars of a dab, each by a map or (each) every point of its own; then what hangs on edges.
// @return KARST_ERROR_MEMORY
karst_status kst_stars_move(karst_net_sculptor *s, bool each);
void kst_stars_depths(karst_net_sculptor *s);
// net_dab.c: one dab; on error the net is as before. kst_net_undo(): as before the last dab.
karst_status kst_net_dab(karst_net_sculptor *s, const karst_brush_def *def, const karst_dab *dab, karst_report *report,
                         karst_touched *out);
karst_status kst_net_undo(karst_net_sculptor *s);
// net_hit.c: first place of the net before displacement along a ray.
bool kst_net_cast(const karst_net_sculptor *s, const karst_ray *ray, karst_pos *at);
bool kst_net_top(const karst_net_sculptor *s, double x, double z, double *y);
