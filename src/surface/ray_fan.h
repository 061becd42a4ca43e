// SPDX-License-Identifier: MIT
// A ray near some fans: which of the 32 triangles of a block it may meet. Part of ray_body.h.
#pragma once
#include "surface/ray_ring.h"

// The corners of a fan are projected along the ray onto a plane: x' = a . p, y' = b . p. A triangle is left out only
// if the ray's own place, 0, is on the wrong side of an edge by more than `slack`.
typedef struct fan_ray {
    _Alignas(16) float a[4], b[4];
    f8 ring_a, ring_b;                       // the part of x and z at rest in x' and y', from the fan's centre
    f8 ring_x, ring_z;                       // the same before projecting
    float column_a, row_a, column_b, row_b;  // a cell along x and z, projected
#if defined(__AVX512F__)
    f16 centre_a[2], centre_b[2];  // the centres of the upper and the lower two fans of a block, from its low corner
#endif
    float x, z, y, y_rest;  // origin from the chunk's corner along x and z, from the ground's along y, in two parts
    float cell, step_y, step_xz;
    float slack;
} fan_ray;

static const f8 ring_column = {-1, 0, 1, 1, 1, 0, -1, -1}, ring_row = {-1, -1, -1, 0, 1, 1, 1, 0};

#if defined(__AVX512F__)
// Two fans side by side: lanes 0..7 are the ring of the left one, 8..15 of the right. Out of three rows of five
// vertices.
enum { ROW_FLOATS = 0x1f, ROW_VERTICES = 0x3ff };

static inline f16 load_rings(const float *p, f16 *centre) {
    __m512 upper = _mm512_castps256_ps512(_mm256_maskz_loadu_ps(ROW_FLOATS, p));
    upper = _mm512_insertf32x8(upper, _mm256_maskz_loadu_ps(ROW_FLOATS, p + KARST_CHUNK_SIDE), 1);
    __m512 lower = _mm512_castps256_ps512(_mm256_maskz_loadu_ps(ROW_FLOATS, p + 2 * KARST_CHUNK_SIDE));
    const __m512i ring = _mm512_setr_epi32(0, 1, 2, 10, 18, 17, 16, 8, 2, 3, 4, 12, 20, 19, 18, 10);
    const __m512i middle = _mm512_setr_epi32(9, 9, 9, 9, 9, 9, 9, 9, 11, 11, 11, 11, 11, 11, 11, 11);
    *centre = (f16)_mm512_permutexvar_ps(middle, upper);
    return (f16)_mm512_permutex2var_ps(upper, ring, lower);
}

static inline void load_rows(const karst_vertex *p, __m512i row[3]) {
    for (int k = 0; k < 3; ++k) row[k] = _mm512_maskz_loadu_epi32(ROW_VERTICES, p + k * KARST_CHUNK_SIDE);
}

// One of the two integers of baked vertices: 0 the height, 1 the sideways parts.
static inline __m512i baked_rings(const __m512i row[3], int part, __m512i *centre) {
    const __m512i ring = _mm512_setr_epi32(0, 2, 4, 0, 20, 18, 16, 0, 4, 6, 8, 0, 24, 22, 20, 0);
    const __m512i sides = _mm512_setr_epi32(0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 4);
    const __m512i middle = _mm512_setr_epi32(2, 2, 2, 2, 2, 2, 2, 2, 6, 6, 6, 6, 6, 6, 6, 6);
    __m512i shift = _mm512_set1_epi32(part);
    __m512i r = _mm512_permutex2var_epi32(row[0], _mm512_add_epi32(ring, shift), row[2]);
    *centre = _mm512_permutexvar_epi32(_mm512_add_epi32(middle, shift), row[1]);
    return _mm512_mask_permutexvar_epi32(r, 0x8888, _mm512_add_epi32(sides, shift), row[1]);
}

static inline f16 low_half(__m512i v) {
    return (f16)_mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(v, 16), 16));
}
static inline f16 high_half(__m512i v) {
    return (f16)_mm512_cvtepi32_ps(_mm512_srai_epi32(v, 16));
}

static inline f16 both(const f8 *v) {
    return (f16)_mm512_broadcast_f32x8(*(const __m256 *)v);
}

static const f16 columns = {1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3};

static inline void place_centres(fan_ray *r) {
    f16 a = columns * r->column_a, b = columns * r->column_b;
    r->centre_a[0] = a + r->row_a;
    r->centre_b[0] = b + r->row_b;
    r->centre_a[1] = a + 3 * r->row_a;
    r->centre_b[1] = b + 3 * r->row_b;
}

// The triangles of two fans side by side that the ray may meet; the low corner of the left one is vertex (i, j). In a
// flat chunk the low corner of its block at rest is projected to base_a, base_b.
static inline __attribute__((always_inline)) uint32_t fans_test(const kst_chunk_view *view, bool flat, const fan_ray *r,
                                                                int i, int j, float base_a, float base_b, int lower) {
    int at = j * KARST_CHUNK_SIDE + i;
    f16 y, cy, pa, pb, qa, qb;
    if (flat) {
        if (view->baked) {
            __m512i rows[3], centre;
            load_rows(view->baked + at, rows);
            y = (f16)_mm512_cvtepi32_ps(baked_rings(rows, 0, &centre)) * r->step_y;
            cy = (f16)_mm512_cvtepi32_ps(centre) * r->step_y;
        } else {
            y = load_rings(view->y + at, &cy);
        }
        y = y - r->y - r->y_rest;
        cy = cy - r->y - r->y_rest;
        f16 rest_a = base_a + r->centre_a[lower], rest_b = base_b + r->centre_b[lower];
        pa = rest_a + cy * r->a[1];
        pb = rest_b + cy * r->b[1];
        qa = y * r->a[1] + (both(&r->ring_a) + rest_a);
        qb = y * r->b[1] + (both(&r->ring_b) + rest_b);
    } else {
        f16 cx = (columns + (float)i) * r->cell - r->x, cz = (f16){0} + (((float)j + 1) * r->cell - r->z);
        f16 x = cx + both(&r->ring_x), z = cz + both(&r->ring_z);
        if (view->baked) {
            __m512i rows[3], centre;
            load_rows(view->baked + at, rows);
            y = (f16)_mm512_cvtepi32_ps(baked_rings(rows, 0, &centre)) * r->step_y;
            cy = (f16)_mm512_cvtepi32_ps(centre) * r->step_y;
            __m512i sideways = baked_rings(rows, 1, &centre);
            x += low_half(sideways) * r->step_xz;
            z += high_half(sideways) * r->step_xz;
            cx += low_half(centre) * r->step_xz;
            cz += high_half(centre) * r->step_xz;
        } else {
            f16 dx, dz;
            y = load_rings(view->y + at, &cy);
            x += load_rings(view->x + at, &dx);
            z += load_rings(view->z + at, &dz);
            cx += dx;
            cz += dz;
        }
        y = y - r->y - r->y_rest;
        cy = cy - r->y - r->y_rest;
        pa = cx * r->a[0] + cy * r->a[1] + cz * r->a[2];
        pb = cx * r->b[0] + cy * r->b[1] + cz * r->b[2];
        qa = x * r->a[0] + y * r->a[1] + z * r->a[2];
        qb = x * r->b[0] + y * r->b[1] + z * r->b[2];
    }
    return rings_may_meet(pa, pb, qa, qb, r->slack);
}

// The triangles of block (i, j) that the ray may meet: bit 8 f + k is triangle k of fan f.
static inline uint32_t block_test(const kst_chunk_view *view, bool flat, const fan_ray *r, int i, int j) {
    i *= KST_BLOCK_CELLS;
    j *= KST_BLOCK_CELLS;
    float x = (float)i * r->cell - r->x, z = (float)j * r->cell - r->z;
    float base_a = x * r->a[0] + z * r->a[2], base_b = x * r->b[0] + z * r->b[2];
    return fans_test(view, flat, r, i, j, base_a, base_b, 0) | fans_test(view, flat, r, i, j + 2, base_a, base_b, 1)
                                                                   << 16;
}
#else
#if defined(__AVX2__)
// Eight of the nine, in the order of the ring, out of three rows of four: the first two begin at the fan's column, the
// last one before it.
static inline f8 ring_of_rows(__m128 top, __m128 middle, __m128 bottom) {
    __m128 right = _mm_shuffle_ps(middle, middle, 0xaa), left = _mm_shuffle_ps(middle, middle, 0x00);
    __m128 low = _mm_blend_ps(top, right, 8);
    __m128 high = _mm_blend_ps(_mm_shuffle_ps(bottom, bottom, 0x1b), left, 8);
    return (f8)_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

static inline f8 load_ring(const float *p) {
    return ring_of_rows(_mm_loadu_ps(p), _mm_loadu_ps(p + KARST_CHUNK_SIDE),
                        _mm_loadu_ps(p + 2 * KARST_CHUNK_SIDE - 1));
}

// Heights and sideways parts of a row of four baked vertices.
static inline void load_row(const karst_vertex *p, __m128i *y, __m128i *sideways) {
    __m256i row = _mm256_loadu_si256((const __m256i *)p);
    row = _mm256_permutevar8x32_epi32(row, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    *y = _mm256_castsi256_si128(row);
    *sideways = _mm256_extracti128_si256(row, 1);
}

static inline void load_baked_ring(const karst_vertex *p, f8 *y, f8 *x, f8 *z) {
    __m128i h[3], s[3];
    load_row(p, &h[0], &s[0]);
    load_row(p + KARST_CHUNK_SIDE, &h[1], &s[1]);
    load_row(p + 2 * KARST_CHUNK_SIDE - 1, &h[2], &s[2]);
    __m256i r = (__m256i)ring_of_rows(_mm_castsi128_ps(h[0]), _mm_castsi128_ps(h[1]), _mm_castsi128_ps(h[2]));
    *y = (f8)_mm256_cvtepi32_ps(r);
    if (!x) return;
    r = (__m256i)ring_of_rows(_mm_castsi128_ps(s[0]), _mm_castsi128_ps(s[1]), _mm_castsi128_ps(s[2]));
    *x = (f8)_mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(r, 16), 16));
    *z = (f8)_mm256_cvtepi32_ps(_mm256_srai_epi32(r, 16));
}

#else
static const int16_t ring_at[8] = {0,
                                   1,
                                   2,
                                   2 + KARST_CHUNK_SIDE,
                                   2 + 2 * KARST_CHUNK_SIDE,
                                   1 + 2 * KARST_CHUNK_SIDE,
                                   2 * KARST_CHUNK_SIDE,
                                   KARST_CHUNK_SIDE};

static inline f8 load_ring(const float *p) {
    f8 v;
    for (int k = 0; k < 8; ++k) v[k] = p[ring_at[k]];
    return v;
}

static inline void load_baked_ring(const karst_vertex *p, f8 *y, f8 *x, f8 *z) {
    for (int k = 0; k < 8; ++k) (*y)[k] = (float)p[ring_at[k]].y;
    for (int k = 0; k < 8 && x; ++k) {
        (*x)[k] = p[ring_at[k]].dx;
        (*z)[k] = p[ring_at[k]].dz;
    }
}

#endif

static inline void place_centres(fan_ray *r) {
    (void)r;
}

// The triangles of a fan that the ray may meet; its low corner is vertex (i, j). Spokes are computed once for the two
// triangles they part. In a flat chunk the low corner of its block at rest is projected to base_a, base_b, and the
// fan's centre is `column` and `row` cells from it.
static inline __attribute__((always_inline)) uint32_t fan_test(const kst_chunk_view *view, bool flat, const fan_ray *r,
                                                               int i, int j, float base_a, float base_b, float column,
                                                               float row) {
    int at = j * KARST_CHUNK_SIDE + i, centre = at + KARST_CHUNK_SIDE + 1;
    f8 y, qa, qb;
    float cy, pa, pb;
    if (flat) {
        if (view->baked) {
            load_baked_ring(view->baked + at, &y, NULL, NULL);
            y *= r->step_y;
            cy = (float)view->baked[centre].y * r->step_y;
        } else {
            y = load_ring(view->y + at);
            cy = view->y[centre];
        }
        y = y - r->y - r->y_rest;
        cy = cy - r->y - r->y_rest;
        float rest_a = base_a + (column * r->column_a + row * r->row_a);
        float rest_b = base_b + (column * r->column_b + row * r->row_b);
        pa = rest_a + cy * r->a[1];
        pb = rest_b + cy * r->b[1];
        qa = y * r->a[1] + (r->ring_a + rest_a);
        qb = y * r->b[1] + (r->ring_b + rest_b);
    } else {
        float cx = ((float)i + 1) * r->cell - r->x, cz = ((float)j + 1) * r->cell - r->z;
        f8 x = cx + r->ring_x, z = cz + r->ring_z;
        if (view->baked) {
            const karst_vertex c = view->baked[centre];
            f8 dx, dz;
            load_baked_ring(view->baked + at, &y, &dx, &dz);
            y *= r->step_y;
            cy = (float)c.y * r->step_y;
            x += dx * r->step_xz;
            z += dz * r->step_xz;
            cx += (float)c.dx * r->step_xz;
            cz += (float)c.dz * r->step_xz;
        } else {
            y = load_ring(view->y + at);
            cy = view->y[centre];
            x += load_ring(view->x + at);
            z += load_ring(view->z + at);
            cx += view->x[centre];
            cz += view->z[centre];
        }
        y = y - r->y - r->y_rest;
        cy = cy - r->y - r->y_rest;
        pa = cx * r->a[0] + cy * r->a[1] + cz * r->a[2];
        pb = cx * r->b[0] + cy * r->b[1] + cz * r->b[2];
        qa = x * r->a[0] + y * r->a[1] + z * r->a[2];
        qb = x * r->b[0] + y * r->b[1] + z * r->b[2];
    }
    return ring_may_meet(pa, pb, qa, qb, r->slack);
}

// The triangles of block (i, j) that the ray may meet: bit 8 f + k is triangle k of fan f.
static inline uint32_t block_test(const kst_chunk_view *view, bool flat, const fan_ray *r, int i, int j) {
    i *= KST_BLOCK_CELLS;
    j *= KST_BLOCK_CELLS;
    float x = (float)i * r->cell - r->x, z = (float)j * r->cell - r->z;
    float base_a = x * r->a[0] + z * r->a[2], base_b = x * r->b[0] + z * r->b[2];
    uint32_t met = 0;
    for (int f = 0; f < 4; ++f) {
        int right = 2 * (f & 1), below = f & 2;
        met |= fan_test(view, flat, r, i + right, j + below, base_a, base_b, (float)right + 1, (float)below + 1)
               << 8 * f;
    }
    return met;
}
#endif
