// SPDX-License-Identifier: MIT
// Eight triangles round a centre, projected along a ray: which of them it may meet. Part of ray_body.h and
// zone_ray_body.h.
//
// The ray is at 0. A triangle is left out only if that is on the wrong side of an edge by more than `slack`. Spokes are
// computed once for the two triangles they part.
#pragma once
#include "surface/ray_box.h"

#if defined(__AVX512F__)
typedef float f16 __attribute__((vector_size(64)));

static inline f16 next(f16 v) {  // lane k + 1, round each ring
    return (f16)_mm512_permutexvar_ps(_mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8),
                                      (__m512)v);
}

// Two rings side by side, (qa, qb), round the centres (pa, pb): bit 8 f + k is triangle (centre, k, k + 1) of ring f.
static inline uint32_t rings_may_meet(f16 pa, f16 pb, f16 qa, f16 qb, float slack) {
    f16 spoke = pa * qb - pb * qa, rim = qa * next(qb) - qb * next(qa), other = -next(spoke);
    __m512 least = _mm512_min_ps(_mm512_min_ps((__m512)spoke, (__m512)rim), (__m512)other);
    __m512 most = _mm512_max_ps(_mm512_max_ps((__m512)spoke, (__m512)rim), (__m512)other);
    return _mm512_cmp_ps_mask(least, _mm512_set1_ps(-slack), _CMP_GE_OQ) |
           _mm512_cmp_ps_mask(most, _mm512_set1_ps(slack), _CMP_LE_OQ);
}
#else
#if defined(__AVX2__)
static inline f8 next(f8 v) {  // lane k + 1
    return (f8)_mm256_permutevar8x32_ps((__m256)v, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}

static inline uint32_t lanes(i8 m) {
    return (uint32_t)_mm256_movemask_ps((__m256)m);
}
#else
static inline f8 next(f8 v) {
    return (f8){v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[0]};
}

static inline uint32_t lanes(i8 m) {
    uint32_t out = 0;
    for (int k = 0; k < 8; ++k) out |= (uint32_t)(m[k] < 0) << k;
    return out;
}
#endif

// A ring (qa, qb) round the centre (pa, pb): bit k is triangle (centre, k, k + 1).
static inline uint32_t ring_may_meet(float pa, float pb, f8 qa, f8 qb, float slack) {
    f8 spoke = pa * qb - pb * qa, rim = qa * next(qb) - qb * next(qa), other = next(spoke);
    i8 one = (spoke >= -slack) & (rim >= -slack) & (other <= slack);
    i8 two = (spoke <= slack) & (rim <= slack) & (other >= -slack);
    return lanes(one | two);
}
#endif
