// SPDX-License-Identifier: MIT
// karst_normal_encode() eight at a time: the same operations in the same order on each vector, choices as masks.
// tests/surface/test_normals.c compares the bits.
#include "surface/normals.h"

#include <math.h>

#include "core/core.h"

enum { N = KST_NORMALS_BLOCK, LANES = 8, VECTORS = N / LANES };

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t int_lanes __attribute__((vector_size(32)));

typedef union line {
    float at[N];
    lanes v[VECTORS];
} line;

typedef struct block {
    line x, y, z;                      // unit
    line most;                         // cosine to the best code so far
    line length, tx, ty, tz;           // of the code that is tried
    int_lanes i[VECTORS], j[VECTORS];  // code by rounding alone
    union {
        int32_t at[N];
        int_lanes v[VECTORS];
    } best;
} block;

#define INLINE static inline __attribute__((always_inline))

INLINE lanes choose(int_lanes mask, lanes yes, lanes no) {
    return (lanes)(((int_lanes)yes & mask) | ((int_lanes)no & ~mask));
}
INLINE lanes magnitude(lanes v) {
    return (lanes)((int_lanes)v & INT32_MAX);
}
INLINE lanes with_sign(lanes v, lanes sign) {
    return (lanes)(((int_lanes)v & INT32_MAX) | ((int_lanes)sign & INT32_MIN));
}
INLINE lanes to_float(int_lanes v) {
    return __builtin_convertvector(v, lanes);
}
INLINE int_lanes round_down(lanes v) {  // of small values
    int_lanes t = __builtin_convertvector(v, int_lanes);
    return t + (to_float(t) > v);  // true is -1
}

KST_TWINS static void square_roots(float *v) {
    for (int k = 0; k < N; ++k) v[k] = sqrtf(v[k]);
}

KST_TWINS static void measure(block *b) {
    for (int k = 0; k < VECTORS; ++k)
        b->length.v[k] = b->x.v[k] * b->x.v[k] + b->y.v[k] * b->y.v[k] + b->z.v[k] * b->z.v[k];
}

KST_TWINS static void begin(block *b) {
    const lanes zero = {0}, one = zero + 1.0f;
    for (int k = 0; k < VECTORS; ++k) {
        int_lanes some = b->length.v[k] > zero;
        lanes length = choose(some, b->length.v[k], one);
        lanes x = choose(some, b->x.v[k] / length, zero), y = choose(some, b->y.v[k] / length, one);
        lanes z = choose(some, b->z.v[k] / length, zero);
        lanes sum = magnitude(x) + magnitude(y) + magnitude(z), u = x / sum, v = z / sum;
        int_lanes under = y < zero;
        lanes folded_u = with_sign(one - magnitude(v), u), folded_v = with_sign(one - magnitude(u), v);
        u = choose(under, folded_u, u);
        v = choose(under, folded_v, v);
        b->x.v[k] = x, b->y.v[k] = y, b->z.v[k] = z;
        b->i[k] = round_down(u * 127.0f + 128.5f);
        b->j[k] = round_down(v * 127.0f + 128.5f);
        b->most.v[k] = zero - INFINITY;
        b->best.v[k] = (int_lanes){0};
    }
}

KST_TWINS static void decode_neighbour(block *b, int32_t di, int32_t dj) {
    const lanes zero = {0};
    for (int k = 0; k < VECTORS; ++k) {
        lanes x = to_float(b->i[k] + di - 128) * (1.0f / 127.0f), z = to_float(b->j[k] + dj - 128) * (1.0f / 127.0f);
        lanes y = 1.0f - magnitude(x) - magnitude(z), amount = choose(y < zero, -y, zero);
        x = choose(x >= zero, x - amount, x + amount);
        z = choose(z >= zero, z - amount, z + amount);
        b->tx.v[k] = x, b->ty.v[k] = y, b->tz.v[k] = z;
        b->length.v[k] = x * x + y * y + z * z;
    }
}

KST_TWINS static void keep_nearer(block *b, int32_t di, int32_t dj) {
    for (int k = 0; k < VECTORS; ++k) {
        int_lanes i = b->i[k] + di, j = b->j[k] + dj;
        lanes length = b->length.v[k];
        lanes cosine =
            b->tx.v[k] / length * b->x.v[k] + b->ty.v[k] / length * b->y.v[k] + b->tz.v[k] / length * b->z.v[k];
        int_lanes better = (cosine > b->most.v[k]) & (i >= 1) & (i <= 255) & (j >= 1) & (j <= 255);
        b->most.v[k] = choose(better, cosine, b->most.v[k]);
        b->best.v[k] = (better & (i | j << 8)) | (~better & b->best.v[k]);
    }
}

void kst_normals_encode(const float *x, const float *y, const float *z, int count, uint16_t *out) {
    block b;
    for (int first = 0; first < count; first += N) {
        int n = count - first < N ? count - first : N;
        for (int k = 0; k < N; ++k) {
            int from = first + (k < n ? k : 0);
            b.x.at[k] = x[from], b.y.at[k] = y[from], b.z.at[k] = z[from];
        }
        measure(&b);
        square_roots(b.length.at);
        begin(&b);
        for (int32_t dj = -1; dj <= 1; ++dj)
            for (int32_t di = -1; di <= 1; ++di) {
                decode_neighbour(&b, di, dj);
                square_roots(b.length.at);
                keep_nearer(&b, di, dj);
            }
        for (int k = 0; k < n; ++k) out[first + k] = (uint16_t)b.best.at[k];
    }
}
