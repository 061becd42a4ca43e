// SPDX-License-Identifier: MIT
// Level: the ground of an erosion at one cell size, in a frame, and its way to the next finer one.
//
// The frame is KST_FRAME cells wide and goes on with the ground, turned round each point of the rim (2 * rim - inside),
// so that slopes and rivers run on through the rim, which is ordinary ground. Only its outermost ring is special: water
// leaves there, and its heights stay.
#pragma once
#include "op/team.h"

enum { KST_FRAME = 32 };

typedef struct kst_level {
    int inner_width, inner_height;  // cells of the ground
    int width, height;              // with the frame
    float cell_m;
    float *start_m;  // the ground as given
    float *yield;    // 0..1 how much of a lowering it lets happen: mask * give, give from hardness
    float *take;     // 0..1 how much of a raising: the mask
    // While at work:
    float *height_m;
    float *rock_m;   // the lowest it ever was: what lies on it is sediment
    float *spare_m;  // two more arrays
    double *load;
} kst_level;

static inline size_t kst_level_cells(const kst_level *l) {
    return (size_t)l->width * (size_t)l->height;
}
// The ground's own cell (0, 0).
static inline size_t kst_level_inner(const kst_level *l) {
    return (size_t)KST_FRAME * (size_t)l->width + KST_FRAME;
}

// start_m, yield and take; not cleared.
karst_status kst_level_create(int inner_width, int inner_height, float cell_m, kst_level *out);
// The arrays for work: heights and rock as at the start.
karst_status kst_level_open(kst_level *level, const kst_team *team);
void kst_level_free(kst_level *level);

// Fill the frame round the inner cells of start_m (kept within low_m..high_m), yield and take.
void kst_level_frame(kst_level *level, float low_m, float high_m);
// The outermost ring neither yields nor takes from now on. After kst_level_up(), which moves it with the ground: a ring
// left at its first height would dam up the rivers behind it.
void kst_level_fix_ring(kst_level *level);
// Inner cells of the next coarser level (half the cells, rounded up): means of 2 x 2. fine has its frame.
karst_status kst_level_down(const kst_level *fine, kst_level *coarse, const kst_team *team);
// Hand the change so far, not the heights, to the next finer level, which is open: all detail of its ground stays. What
// masked or hard cells refuse stays out. Both are open.
karst_status kst_level_up(const kst_level *coarse, kst_level *fine, const kst_team *team);

// Sum of heights [m on one cell], rows in order.
karst_status kst_level_volume(const kst_level *level, const float *height_m, const kst_team *team, double *out);
