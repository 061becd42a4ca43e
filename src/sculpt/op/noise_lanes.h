// SPDX-License-Identifier: MIT
// Vectors for noise. The same names mean the same bits whatever the width: f_ are floats, u_ are 32 bits, q_ twice as
// wide ones, w_ doubles, each LANES of them. The file that includes this may define NOISE_SCALAR: one lane.
#pragma once
#include <math.h>

#include "op/noise.h"

#if !defined(NOISE_SCALAR)
#include <immintrin.h>
#endif

// Adding this leaves the nearest whole number in the low bits, for magnitudes up to 2^51.
static const double to_whole = 0x1.8p52;

#if defined(NOISE_SCALAR)

enum { LANES = 1 };
typedef float f_lanes;
typedef uint32_t u_lanes;
typedef struct q_lanes {
    uint64_t at;
} q_lanes;
typedef struct w_lanes {
    double at;
} w_lanes;

static inline f_lanes f_of_signed(u_lanes u) {
    return (float)(int32_t)u;
}
static inline f_lanes f_abs(f_lanes a) {
    return fabsf(a);
}
static inline f_lanes f_root(f_lanes a) {
    return sqrtf(a);
}
static inline void f_store(float *p, f_lanes a) {
    *p = a;
}
static inline q_lanes q_ramp(uint64_t from, uint64_t step) {
    (void)step;
    return (q_lanes){from};
}
static inline q_lanes q_add(q_lanes a, uint64_t b) {
    return (q_lanes){a.at + b};
}
static inline u_lanes q_high(q_lanes a) {
    return (uint32_t)(a.at >> 32);
}
static inline u_lanes q_low(q_lanes a) {
    return (uint32_t)a.at;
}
static inline w_lanes w_load(const double *p) {
    return (w_lanes){*p};
}
static inline w_lanes w_add(w_lanes a, w_lanes b) {
    return (w_lanes){a.at + b.at};
}
static inline w_lanes w_add_all(w_lanes a, double b) {
    return (w_lanes){a.at + b};
}
static inline w_lanes w_sub(w_lanes a, w_lanes b) {
    return (w_lanes){a.at - b.at};
}
static inline w_lanes w_mul_all(w_lanes a, double b) {
    return (w_lanes){a.at * b};
}
static inline u_lanes w_low_bits(w_lanes a) {
    uint64_t bits;
    memcpy(&bits, &a.at, sizeof bits);
    return (uint32_t)bits;
}
static inline f_lanes f_narrow(w_lanes a) {
    return (float)a.at;
}

#else

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX2__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

typedef float f_lanes __attribute__((vector_size(4 * LANES)));
typedef uint32_t u_lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t i_lanes __attribute__((vector_size(4 * LANES)));
typedef uint64_t half_q __attribute__((vector_size(4 * LANES)));
typedef double half_w __attribute__((vector_size(4 * LANES)));
typedef struct q_lanes {
    half_q low, high;
} q_lanes;
typedef struct w_lanes {
    half_w low, high;
} w_lanes;

static inline f_lanes f_of_signed(u_lanes u) {
    return __builtin_convertvector((i_lanes)u, f_lanes);
}
static inline f_lanes f_abs(f_lanes a) {
    return (f_lanes)((u_lanes)a & 0x7fffffffu);
}
static inline void f_store(float *p, f_lanes a) {
    memcpy(p, &a, sizeof a);
}

#if defined(__AVX512F__)
static inline f_lanes f_root(f_lanes a) {
    return _mm512_sqrt_ps(a);
}
static inline f_lanes f_narrow(w_lanes a) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a.low)), _mm512_cvtpd_ps(a.high), 1);
}
static inline u_lanes even_bits(half_q low, half_q high) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return (u_lanes)_mm512_permutex2var_epi32((__m512i)low, even, (__m512i)high);
}
static inline u_lanes odd_bits(half_q low, half_q high) {
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return (u_lanes)_mm512_permutex2var_epi32((__m512i)low, odd, (__m512i)high);
}
#elif defined(__AVX2__)
static inline f_lanes f_root(f_lanes a) {
    return _mm256_sqrt_ps(a);
}
static inline f_lanes f_narrow(w_lanes a) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a.low)), _mm256_cvtpd_ps(a.high), 1);
}
// A shuffle swaps the middle two pairs: q_ramp() has swapped them before.
static inline u_lanes even_bits(half_q low, half_q high) {
    return (u_lanes)_mm256_shuffle_ps((__m256)low, (__m256)high, 0x88);
}
static inline u_lanes odd_bits(half_q low, half_q high) {
    return (u_lanes)_mm256_shuffle_ps((__m256)low, (__m256)high, 0xdd);
}
static inline int place_of(int lane) {
    return lane >= 2 && lane < 6 ? lane ^ 6 : lane;
}
static inline u_lanes w_low_bits(w_lanes a) {
    return (u_lanes)_mm256_permute4x64_epi64((__m256i)even_bits((half_q)a.low, (half_q)a.high), 0xd8);
}
#else
static inline f_lanes f_root(f_lanes a) {
    return _mm_sqrt_ps(a);
}
static inline f_lanes f_narrow(w_lanes a) {
    return _mm_movelh_ps(_mm_cvtpd_ps(a.low), _mm_cvtpd_ps(a.high));
}
static inline u_lanes even_bits(half_q low, half_q high) {
    return (u_lanes)_mm_shuffle_ps((__m128)low, (__m128)high, 0x88);
}
static inline u_lanes odd_bits(half_q low, half_q high) {
    return (u_lanes)_mm_shuffle_ps((__m128)low, (__m128)high, 0xdd);
}
#endif

#if !defined(__AVX2__) || defined(__AVX512F__)
static inline int place_of(int lane) {
    return lane;
}
static inline u_lanes w_low_bits(w_lanes a) {
    return even_bits((half_q)a.low, (half_q)a.high);
}
#endif

// from, from + step, from + 2 step ...
static inline q_lanes q_ramp(uint64_t from, uint64_t step) {
    uint64_t at[LANES];
    for (int k = 0; k < LANES; ++k) at[place_of(k)] = from + (uint64_t)k * step;
    q_lanes out;
    memcpy(&out, at, sizeof out);
    return out;
}
static inline q_lanes q_add(q_lanes a, uint64_t b) {
    return (q_lanes){a.low + b, a.high + b};
}
static inline u_lanes q_high(q_lanes a) {
    return odd_bits(a.low, a.high);
}
static inline u_lanes q_low(q_lanes a) {
    return even_bits(a.low, a.high);
}
static inline w_lanes w_load(const double *p) {
    w_lanes out;
    memcpy(&out.low, p, sizeof out.low);
    memcpy(&out.high, p + LANES / 2, sizeof out.high);
    return out;
}
static inline w_lanes w_add(w_lanes a, w_lanes b) {
    return (w_lanes){a.low + b.low, a.high + b.high};
}
static inline w_lanes w_add_all(w_lanes a, double b) {
    return (w_lanes){a.low + b, a.high + b};
}
static inline w_lanes w_sub(w_lanes a, w_lanes b) {
    return (w_lanes){a.low - b.low, a.high - b.high};
}
static inline w_lanes w_mul_all(w_lanes a, double b) {
    return (w_lanes){a.low * b, a.high * b};
}
#endif
