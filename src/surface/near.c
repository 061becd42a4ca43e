// SPDX-License-Identifier: MIT
// Near: what the kinds share.
#include "surface/near.h"

#include <math.h>

#include "core/core.h"

static bool is_box(const karst_box *b) {
    return b->min.x <= b->max.x && b->min.y <= b->max.y && b->min.z <= b->max.z;
}

static bool boxes_touch(const karst_box *a, const karst_box *b) {
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

bool kst_near_begin(kst_near *near, karst_box box, karst_box all, karst_pos origin, double extent,
                    karst_triangle_fn *fn, void *context) {
    if (!is_box(&box) || !is_box(&all) || !boxes_touch(&box, &all)) return false;
    near->fn = fn;
    near->context = context;
    near->box = box = (karst_box){{fmax(box.min.x, all.min.x), fmax(box.min.y, all.min.y), fmax(box.min.z, all.min.z)},
                                  {fmin(box.max.x, all.max.x), fmin(box.max.y, all.max.y), fmin(box.max.z, all.max.z)}};
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    const double o[3] = {origin.x, origin.y, origin.z};
    for (int a = 0; a < 3; ++a) {
        double pad = 0x1p-46 * (fabs(low[a]) + fabs(high[a]) + fabs(o[a]) + extent);
        near->low[a] = low[a] - o[a] - pad;
        near->high[a] = high[a] - o[a] + pad;
    }
    return true;
}

static inline double least(double a, double b, double c) {
    double m = a < b ? a : b;
    return m < c ? m : c;
}
static inline double most(double a, double b, double c) {
    double m = a > b ? a : b;
    return m > c ? m : c;
}

static inline bool touches(const karst_box *box, const karst_pos c[3]) {
    return least(c[0].x, c[1].x, c[2].x) <= box->max.x && most(c[0].x, c[1].x, c[2].x) >= box->min.x &&
           least(c[0].y, c[1].y, c[2].y) <= box->max.y && most(c[0].y, c[1].y, c[2].y) >= box->min.y &&
           least(c[0].z, c[1].z, c[2].z) <= box->max.z && most(c[0].z, c[1].z, c[2].z) >= box->min.z;
}

bool kst_near_hand(const kst_near *near, const karst_triangle *triangles, int count) {
    enum { AT_ONCE = 64 };
    karst_triangle some[AT_ONCE];
    int n = 0;
    for (int k = 0; k < count; ++k)
        if (touches(&near->box, triangles[k].corner)) some[n++] = triangles[k];
    return !n || near->fn(near->context, some, n);
}

static bool hand_on(void *context, const karst_triangle *triangles, int count) {
    bool more = true;
    for (int k = 0; k < count && more; k += 64)
        more = kst_near_hand(context, triangles + k, count - k < 64 ? count - k : 64);
    return more;
}

karst_status kst_near_by_chunks(const karst_ground *ground, karst_box box, karst_triangle_fn *fn, void *context) {
    kst_near near;
    if (!kst_near_begin(&near, box, karst_ground_bounds(ground), (karst_pos){0, 0, 0}, 0, fn, context)) return KARST_OK;
    uint32_t count = karst_ground_chunk_count(ground);
    karst_status status = KARST_OK;
    for (uint32_t k = 0; k < count && !status; ++k) {
        karst_box chunk = karst_ground_chunk_bounds(ground, k);
        if (is_box(&chunk) && boxes_touch(&chunk, &near.box))
            status = karst_ground_triangles(ground, k, hand_on, &near);
    }
    return status;
}
