// SPDX-License-Identifier: MIT
// A ray near some boxes: which of the sixteen children of a node it may meet. Part of ray_body.h.
#pragma once
#if defined(__SSE__)
#include <immintrin.h>
#endif

#include "surface/ray.h"

typedef float f4 __attribute__((vector_size(16), may_alias));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef int32_t i16 __attribute__((vector_size(64)));
typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));

// Distances s are metres along the ray's largest axis, from `start`. A box is left out only if the ray misses it by
// more than a pad: that is more than all that was rounded on the way here.
typedef struct slab {
    f4 inverse;            // of the direction, its largest part 1; never infinite
    f4 sign;               // of inverse
    i16 order;             // lane k is k ^ turned
    int turned;            // see below
    const int64_t *plane;  // where in a node the nearer planes of x, y, z are, and the farther [bytes]
} slab;

// By the signs of the direction, bit a for axis a.
static const int64_t planes_by_signs[8][6] = {{0, 16, 32, 48, 64, 80}, {48, 16, 32, 0, 64, 80}, {0, 64, 32, 48, 16, 80},
                                              {48, 64, 32, 0, 16, 80}, {0, 16, 80, 48, 64, 32}, {48, 16, 80, 0, 64, 32},
                                              {0, 64, 80, 48, 16, 32}, {48, 64, 80, 0, 16, 32}};

// Children are taken nearest first, in the order of the signs of the direction along x and z: bit k of a mask stands
// for child k ^ turned, and counting up is that order.
static const uint8_t turned_by_signs[8] = {0, 3, 0, 3, 12, 15, 12, 15};

// Origin of the ray for the nearer and the farther planes, moved apart by the pad.
typedef struct spot {
    f4 near, far;
} spot;

static inline spot place_spot(const slab *s, kst_lanes origin, float pad) {
    f4 o = __builtin_convertvector(origin, f4), p = pad * s->sign;
    return (spot){o + p, o - p};
}

static inline int sign_bits(i4 m) {  // of the first three lanes
#if defined(__SSE__)
    return _mm_movemask_ps((__m128)m) & 7;
#else
    return (m[0] < 0) | (m[1] < 0) << 1 | (m[2] < 0) << 2;
#endif
}

static inline uint32_t turn_mask(uint32_t m, int turned) {
    if (turned & 1) m = (m & 0x1111) << 3 | (m & 0x2222) << 1 | (m & 0x4444) >> 1 | (m & 0x8888) >> 3;
    if (turned & 4) m = (m & 0x000f) << 12 | (m & 0x00f0) << 4 | (m & 0x0f00) >> 4 | (m & 0xf000) >> 12;
    return m & 0xffff;
}

// Which of the children the ray may meet at s in [least, most], and where it enters them.
static inline uint32_t node_test(const kst_node *node, const slab *s, spot at, float least, float most,
                                 float enter[16]) {
    f4 base = *(const f4 *)node->base, scale = *(const f4 *)node->scale * s->inverse;
    f4 near = (base - at.near) * s->inverse, far = (base - at.far) * s->inverse;
    uint32_t met = 0;
#if defined(__AVX512F__)
    // Through memory, so that the multiplications and additions below spread the values themselves.
    _Alignas(16) float spread[12];
    *(f4 *)spread = scale;
    *(f4 *)(spread + 4) = near;
    *(f4 *)(spread + 8) = far;
    __asm__("" : "+m"(spread));
    __m512 in[3], out[3];
    for (int a = 0; a < 3; ++a) {
        __m128i n = *(const __m128i *)((const char *)node + s->plane[a]);
        __m128i f = *(const __m128i *)((const char *)node + s->plane[a + 3]);
        __m512 nears = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(n)), fars = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(f));
        in[a] = nears * _mm512_set1_ps(spread[a]) + _mm512_set1_ps(spread[4 + a]);
        out[a] = fars * _mm512_set1_ps(spread[a]) + _mm512_set1_ps(spread[8 + a]);
    }
    __m512 enters = _mm512_max_ps(_mm512_max_ps(in[0], in[1]), _mm512_max_ps(in[2], _mm512_set1_ps(least)));
    __m512 leaves = _mm512_min_ps(_mm512_min_ps(out[0], out[1]), _mm512_min_ps(out[2], _mm512_set1_ps(most)));
    enters = _mm512_permutexvar_ps((__m512i)s->order, enters);
    leaves = _mm512_permutexvar_ps((__m512i)s->order, leaves);
    _mm512_storeu_ps(enter, enters);
    met = _mm512_cmp_ps_mask(enters, leaves, _CMP_LE_OQ);
#elif defined(__AVX2__)
    __m256 in[2] = {_mm256_set1_ps(least), _mm256_set1_ps(least)},
           out[2] = {_mm256_set1_ps(most), _mm256_set1_ps(most)};
    for (int a = 0; a < 3; ++a) {
        const char *n = (const char *)node + s->plane[a], *f = (const char *)node + s->plane[a + 3];
        __m256 k = _mm256_set1_ps(scale[a]), from = _mm256_set1_ps(near[a]), to = _mm256_set1_ps(far[a]);
        for (int half = 0; half < 2; ++half) {
            __m256i nears = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(n + 8 * half)));
            __m256i fars = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(f + 8 * half)));
            in[half] = _mm256_max_ps(in[half], _mm256_cvtepi32_ps(nears) * k + from);
            out[half] = _mm256_min_ps(out[half], _mm256_cvtepi32_ps(fars) * k + to);
        }
    }
    // Bit 3 of the order swaps the halves, the rest turns each.
    __m256i order = _mm256_and_si256(*(const __m256i *)&s->order, _mm256_set1_epi32(7));
    int swap = s->turned >> 3;
    for (int half = 0; half < 2; ++half) {
        __m256 enters = _mm256_permutevar8x32_ps(in[half ^ swap], order);
        __m256 leaves = _mm256_permutevar8x32_ps(out[half ^ swap], order);
        _mm256_storeu_ps(enter + 8 * half, enters);
        met |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(enters, leaves, _CMP_LE_OQ)) << 8 * half;
    }
#else
    const uint8_t *bytes = node->plane[0];
    for (int c = 0; c < 16; ++c) {
        float in = least, out = most;
        for (int a = 0; a < 3; ++a) {
            float n = (float)bytes[s->plane[a] + (c ^ s->turned)] * scale[a] + near[a];
            float f = (float)bytes[s->plane[a + 3] + (c ^ s->turned)] * scale[a] + far[a];
            in = in > n ? in : n;
            out = out < f ? out : f;
        }
        enter[c] = in;
        met |= (uint32_t)(in <= out) << c;
    }
#endif
    return node->used == 0xffff ? met : met & turn_mask(node->used, s->turned);
}

// Those that are entered by `most`.
static inline uint32_t nearer(const float enter[16], float most) {
    uint32_t met = 0;
#if defined(__AVX512F__)
    met = _mm512_cmp_ps_mask(_mm512_loadu_ps(enter), _mm512_set1_ps(most), _CMP_LE_OQ);
#elif defined(__AVX2__)
    for (int half = 0; half < 16; half += 8)
        met |=
            (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(enter + half), _mm256_set1_ps(most), _CMP_LE_OQ))
            << half;
#else
    for (int c = 0; c < 16; ++c) met |= (uint32_t)(enter[c] <= most) << c;
#endif
    return met;
}
