// SPDX-License-Identifier: MIT
// Eight floats at once, for rows of samples. The same bits in any width: sums run in a fixed order.
#pragma once
#include <stdint.h>
#include <string.h>

// Before a function that takes or gives vectors: a twin for AVX2 must not call it, since it would be compiled for less.
#define KST_LANES_FN static inline __attribute__((always_inline))

enum { KST_LANES = 8 };
typedef float kst_lanes __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t kst_lane_bits __attribute__((vector_size(32), may_alias));  // all ones where a comparison holds

KST_LANES_FN kst_lanes kst_lanes_all(float a) {
    return (kst_lanes){a, a, a, a, a, a, a, a};
}
KST_LANES_FN kst_lanes kst_lanes_pick(kst_lane_bits condition, kst_lanes a, kst_lanes b) {
    return (kst_lanes)(((kst_lane_bits)a & condition) | ((kst_lane_bits)b & ~condition));
}
KST_LANES_FN kst_lanes kst_lanes_where(kst_lane_bits condition, kst_lanes a) {  // a, or 0
    return (kst_lanes)((kst_lane_bits)a & condition);
}
KST_LANES_FN float kst_lanes_sum(kst_lanes s) {
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

// The first `count` floats of eight, 0 in the other lanes; and the way back.
KST_LANES_FN kst_lanes kst_lanes_load(const float *from, int count) {
    if (count >= KST_LANES) return *(const kst_lanes *)from;
    kst_lanes v = {0};
    for (int k = 0; k < count; ++k) v[k] = from[k];
    return v;
}
KST_LANES_FN void kst_lanes_store(float *to, kst_lanes v, int count) {
    if (count >= KST_LANES)
        *(kst_lanes *)to = v;
    else
        for (int k = 0; k < count; ++k) to[k] = v[k];
}

// Sums of lanes without loss.
typedef double kst_sums __attribute__((vector_size(32), may_alias));
KST_LANES_FN void kst_sums_add(kst_sums *s, kst_lanes v) {
    *s += (kst_sums){v[0], v[1], v[2], v[3]};
    *s += (kst_sums){v[4], v[5], v[6], v[7]};
}
KST_LANES_FN double kst_sums_total(kst_sums s) {
    return (s[0] + s[2]) + (s[1] + s[3]);
}
