// SPDX-License-Identifier: MIT
// Vectors for the rows of a plane: n_ are 16 bits a lane, w_ are 32. The same names mean the same bits whatever the
// width: everything wraps, and what is clamped is clamped to the same.
#pragma once
#include "pack/plane.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum {
    NARROW_CHANGE = 4095,        // most change that activity looks at
    WIDE_CHANGE = 1 << 26,       // most that one difference counts as
    WIDE_SUM = (1 << 25) - 1,    // most that a sum of them counts as
    CLASS_BASE = (127 + 2) * 2,  // half octaves of 4 as a float's upper bits count them
    CLASS_LAST = KST_RANS_NOTHING - 1,
};

#if defined(__AVX512BW__) && defined(__AVX512VL__)

typedef __m512i n_lanes, w_lanes;
enum { n_count = 32, w_count = 16 };
#define n_unzigzag(z) \
    _mm512_xor_si512(_mm512_srli_epi16(z, 1), n_sub(_mm512_setzero_si512(), _mm512_and_si512(z, n_set(1))))
#define n_load(p) _mm512_loadu_si512((const void *)(p))
#define n_store(p, v) _mm512_storeu_si512((void *)(p), v)
#define n_set(x) _mm512_set1_epi16((int16_t)(x))
#define n_add _mm512_add_epi16
#define n_sub _mm512_sub_epi16
#define n_mul _mm512_mullo_epi16
#define n_shl _mm512_slli_epi16
#define n_sar _mm512_srai_epi16
#define n_change _mm512_abs_epi16
#define n_more _mm512_adds_epu16
#define n_weigh(d, k, w) _mm512_mulhrs_epi16(_mm512_slli_epi16(d, k), w)
static inline n_lanes n_expect(n_lanes change, n_lanes weight) {
    return _mm512_mulhi_epu16(_mm512_slli_epi16(_mm512_min_epu16(change, n_set(NARROW_CHANGE)), 4), weight);
}
static inline __m512i class_of(__m512i a) {
    __m512i bits = _mm512_castps_si512(_mm512_cvtepi32_ps(_mm512_add_epi32(a, _mm512_set1_epi32(4))));
    bits = _mm512_sub_epi32(_mm512_srli_epi32(bits, 22), _mm512_set1_epi32(CLASS_BASE));
    return _mm512_min_epi32(bits, _mm512_set1_epi32(CLASS_LAST));
}
static inline void n_store_class(uint16_t *out, n_lanes activity) {
    __m512i low = class_of(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(activity)));
    __m512i high = class_of(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(activity, 1)));
    _mm256_storeu_si256((__m256i *)out, _mm512_cvtepi32_epi16(low));
    _mm256_storeu_si256((__m256i *)(out + 16), _mm512_cvtepi32_epi16(high));
}
#define w_load n_load
#define w_store n_store
#define w_set(x) _mm512_set1_epi32((int32_t)(x))
#define w_add _mm512_add_epi32
#define w_sub _mm512_sub_epi32
#define w_mul _mm512_mullo_epi32
#define w_and _mm512_and_si512
#define w_shl _mm512_slli_epi32
#define w_sar _mm512_srai_epi32
#define w_shr _mm512_srli_epi32
#define w_min_unsigned _mm512_min_epu32
#define w_abs _mm512_abs_epi32
static inline void w_store_class(uint16_t *out, w_lanes activity) {
    _mm256_storeu_si256((__m256i *)out, _mm512_cvtepi32_epi16(class_of(activity)));
}

#elif defined(__AVX2__)

typedef __m256i n_lanes, w_lanes;
enum { n_count = 16, w_count = 8 };
#define n_unzigzag(z) \
    _mm256_xor_si256(_mm256_srli_epi16(z, 1), n_sub(_mm256_setzero_si256(), _mm256_and_si256(z, n_set(1))))
#define n_load(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define n_store(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define n_set(x) _mm256_set1_epi16((int16_t)(x))
#define n_add _mm256_add_epi16
#define n_sub _mm256_sub_epi16
#define n_mul _mm256_mullo_epi16
#define n_shl _mm256_slli_epi16
#define n_sar _mm256_srai_epi16
#define n_change _mm256_abs_epi16
#define n_more _mm256_adds_epu16
#define n_weigh(d, k, w) _mm256_mulhrs_epi16(_mm256_slli_epi16(d, k), w)
static inline n_lanes n_expect(n_lanes change, n_lanes weight) {
    return _mm256_mulhi_epu16(_mm256_slli_epi16(_mm256_min_epu16(change, n_set(NARROW_CHANGE)), 4), weight);
}
static inline __m256i class_of(__m256i a) {
    __m256i bits = _mm256_castps_si256(_mm256_cvtepi32_ps(_mm256_add_epi32(a, _mm256_set1_epi32(4))));
    bits = _mm256_sub_epi32(_mm256_srli_epi32(bits, 22), _mm256_set1_epi32(CLASS_BASE));
    return _mm256_min_epi32(bits, _mm256_set1_epi32(CLASS_LAST));
}
static inline void n_store_class(uint16_t *out, n_lanes activity) {
    __m256i low = class_of(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(activity)));
    __m256i high = class_of(_mm256_cvtepu16_epi32(_mm256_extracti128_si256(activity, 1)));
    n_store(out, _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8));
}
#define w_load n_load
#define w_store n_store
#define w_set(x) _mm256_set1_epi32((int32_t)(x))
#define w_add _mm256_add_epi32
#define w_sub _mm256_sub_epi32
#define w_mul _mm256_mullo_epi32
#define w_and _mm256_and_si256
#define w_shl _mm256_slli_epi32
#define w_sar _mm256_srai_epi32
#define w_shr _mm256_srli_epi32
#define w_min_unsigned _mm256_min_epu32
#define w_abs _mm256_abs_epi32
static inline void w_store_class(uint16_t *out, w_lanes activity) {
    __m256i c = _mm256_permute4x64_epi64(_mm256_packus_epi32(class_of(activity), _mm256_setzero_si256()), 0xd8);
    _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(c));
}

#else  // one lane

typedef int16_t n_lanes;
typedef int32_t w_lanes;
enum { n_count = 1, w_count = 1 };
#define n_unzigzag(z) ((int16_t)((uint16_t)(z) >> 1 ^ -((z)&1)))
static inline int32_t unsigned_min(int32_t a, int32_t b) {
    return (uint32_t)a < (uint32_t)b ? a : b;
}
#define n_load(p) (*(const int16_t *)(p))
#define n_store(p, v) (*(int16_t *)(p) = (v))
#define n_set(x) ((int16_t)(x))
#define n_add(a, b) ((int16_t)((a) + (b)))
#define n_sub(a, b) ((int16_t)((a) - (b)))
#define n_mul(a, b) ((int16_t)((a) * (b)))
#define n_shl(a, k) ((int16_t)((uint32_t)(a) << (k)))
#define n_sar(a, k) ((int16_t)((a) >> (k)))
static inline n_lanes n_change(n_lanes a) {
    return (int16_t)(a < 0 ? -a : a);
}
static inline n_lanes n_more(n_lanes a, n_lanes b) {
    uint32_t sum = (uint32_t)(uint16_t)a + (uint16_t)b;
    return (int16_t)(sum < 65535 ? sum : 65535);
}
static inline n_lanes n_weigh(n_lanes d, int k, n_lanes w) {
    return (int16_t)((n_shl(d, k) * w + (1 << 14)) >> 15);
}
static inline n_lanes n_expect(n_lanes change, n_lanes weight) {
    uint32_t c = (uint16_t)change < NARROW_CHANGE ? (uint16_t)change : NARROW_CHANGE;
    return (int16_t)(c * 16 * (uint16_t)weight >> 16);
}
static inline uint16_t class_of(int32_t activity) {
    float f = (float)(activity + 4);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    int32_t c = (int32_t)(bits >> 22) - CLASS_BASE;
    return (uint16_t)(c < CLASS_LAST ? c : CLASS_LAST);
}
#define n_store_class(out, activity) (*(out) = class_of((uint16_t)(activity)))
#define w_load(p) (*(const int32_t *)(p))
#define w_store(p, v) (*(int32_t *)(p) = (v))
#define w_set(x) ((int32_t)(x))
#define w_add(a, b) ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#define w_sub(a, b) ((int32_t)((uint32_t)(a) - (uint32_t)(b)))
#define w_mul(a, b) ((int32_t)((uint32_t)(a) * (uint32_t)(b)))
#define w_and(a, b) ((a) & (b))
#define w_shl(a, k) ((int32_t)((uint32_t)(a) << (k)))
#define w_sar(a, k) ((a) >> (k))
#define w_shr(a, k) ((int32_t)((uint32_t)(a) >> (k)))
#define w_min_unsigned unsigned_min
#define w_abs(a) ((a) < 0 ? w_sub(0, a) : (a))
#define w_store_class(out, activity) (*(out) = class_of(activity))

#endif

#define w_more w_add  // changes are clamped so that their sums fit
static inline w_lanes w_change(w_lanes a) {
    return w_min_unsigned(w_abs(a), w_set(WIDE_CHANGE));
}
// d 2^k w / 2^15, to the nearest; the upper part loses its last three bits.
static inline w_lanes w_weigh_shifted(w_lanes d, w_lanes w) {
    w_lanes high = w_sar(w_mul(w_sar(d, 12), w), 3), low = w_mul(w_and(d, w_set(4095)), w);
    return w_add(high, w_sar(w_add(low, w_set(1 << 14)), 15));
}
#define w_weigh(d, k, w) w_weigh_shifted(w_shl(d, k), w)
static inline w_lanes w_expect(w_lanes change, w_lanes weight) {
    w_lanes c = w_min_unsigned(change, w_set(WIDE_SUM));
    return w_add(w_mul(w_shr(c, 12), weight), w_shr(w_mul(w_and(c, w_set(4095)), weight), 12));
}
