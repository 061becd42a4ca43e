// SPDX-License-Identifier: MIT
// The walk of a ray through a ground: compiled once for each vector width, the same arithmetic in each, so the same
// bits. See ray.h. The file that includes this defines RAY_CAST, the name of the function that it makes.
#include <math.h>

#include "surface/ray.h"
#if defined(__SSE__)
#include <immintrin.h>
#endif

typedef float f4 __attribute__((vector_size(16), may_alias));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef int32_t i16 __attribute__((vector_size(64)));
typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));

// ---- a ray near some boxes -------------------------------------------------------------------------

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

// ---- a ray near some fans --------------------------------------------------------------------------

// The corners of a fan are projected along the ray onto a plane: x' = a . p, y' = b . p. A triangle is left out only
// if the ray's own place, 0, is on the wrong side of an edge by more than `slack`.
typedef struct fan_ray {
    _Alignas(16) float a[4], b[4];
    f8 ring_a, ring_b;      // the part of x and z at rest in x' and y', from the fan's centre
    f8 ring_x, ring_z;      // the same before projecting
    float x, z, y, y_rest;  // origin from the chunk's corner along x and z, from the ground's along y, in two parts
    float cell, step_y, step_xz;
    float slack;
} fan_ray;

static const f8 ring_column = {-1, 0, 1, 1, 1, 0, -1, -1}, ring_row = {-1, -1, -1, 0, 1, 1, 1, 0};

#if defined(__AVX512F__)
// Two fans side by side: lanes 0..7 are the ring of the left one, 8..15 of the right. Out of three rows of five
// vertices; the third row stands for the fourth operand of the permutation.
typedef float f16 __attribute__((vector_size(64)));
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

static inline f16 next(f16 v) {  // lane k + 1, round each ring
    return (f16)_mm512_permutexvar_ps(_mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8),
                                      (__m512)v);
}

static inline f16 both(const f8 *v) {
    return (f16)_mm512_broadcast_f32x8(*(const __m256 *)v);
}

// The triangles of two fans that the ray may meet; the left one is fan (i, j).
static inline uint32_t fans_test(const kst_chunk_view *view, bool flat, const fan_ray *r, int i, int j) {
    static const f16 columns = {1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3};
    int at = 2 * j * KARST_CHUNK_SIDE + 2 * i;
    f16 cx = (columns + (float)(2 * i)) * r->cell - r->x, cy, x = {0}, y, z = {0};
    f16 cz = (f16){0} + ((float)(2 * j + 1) * r->cell - r->z);
    if (view->baked) {
        __m512i row[3], centre;
        for (int k = 0; k < 3; ++k)
            row[k] = _mm512_maskz_loadu_epi32(ROW_VERTICES, view->baked + at + k * KARST_CHUNK_SIDE);
        y = (f16)_mm512_cvtepi32_ps(baked_rings(row, 0, &centre)) * r->step_y;
        cy = (f16)_mm512_cvtepi32_ps(centre) * r->step_y;
        if (!flat) {
            __m512i sideways = baked_rings(row, 1, &centre);
            x = cx + both(&r->ring_x) + low_half(sideways) * r->step_xz;
            z = cz + both(&r->ring_z) + high_half(sideways) * r->step_xz;
            cx += low_half(centre) * r->step_xz;
            cz += high_half(centre) * r->step_xz;
        }
    } else {
        y = load_rings(view->y + at, &cy);
        if (!flat) {
            f16 dx, dz;
            x = cx + both(&r->ring_x) + load_rings(view->x + at, &dx);
            z = cz + both(&r->ring_z) + load_rings(view->z + at, &dz);
            cx += dx;
            cz += dz;
        }
    }
    y = y - r->y - r->y_rest;
    cy = cy - r->y - r->y_rest;
    f16 rest_a = cx * r->a[0] + cz * r->a[2], rest_b = cx * r->b[0] + cz * r->b[2];
    f16 pa = rest_a + cy * r->a[1], pb = rest_b + cy * r->b[1], qa = y * r->a[1], qb = y * r->b[1];
    if (flat) {
        qa += both(&r->ring_a) + rest_a;
        qb += both(&r->ring_b) + rest_b;
    } else {
        qa += x * r->a[0] + z * r->a[2];
        qb += x * r->b[0] + z * r->b[2];
    }
    __m512 spoke = (__m512)(pa * qb - pb * qa), rim = (__m512)(qa * next(qb) - qb * next(qa));
    __m512 other = (__m512)next((f16)spoke), slack = _mm512_set1_ps(r->slack), back = _mm512_set1_ps(-r->slack);
    uint32_t one = _mm512_cmp_ps_mask(spoke, back, _CMP_GE_OQ) & _mm512_cmp_ps_mask(rim, back, _CMP_GE_OQ) &
                   _mm512_cmp_ps_mask(other, slack, _CMP_LE_OQ);
    uint32_t two = _mm512_cmp_ps_mask(spoke, slack, _CMP_LE_OQ) & _mm512_cmp_ps_mask(rim, slack, _CMP_LE_OQ) &
                   _mm512_cmp_ps_mask(other, back, _CMP_GE_OQ);
    return one | two;
}

// The triangles of block (i, j) that the ray may meet: bit 8 f + k is triangle k of fan f.
static inline uint32_t block_test(const kst_chunk_view *view, bool flat, const fan_ray *r, int i, int j) {
    return fans_test(view, flat, r, 2 * i, 2 * j) | fans_test(view, flat, r, 2 * i, 2 * j + 1) << 16;
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

static inline f8 next(f8 v) {  // lane k + 1
    return (f8)_mm256_permutevar8x32_ps((__m256)v, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}

static inline uint32_t lanes(i8 m) {
    return (uint32_t)_mm256_movemask_ps((__m256)m);
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

static inline f8 next(f8 v) {
    return (f8){v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[0]};
}

static inline uint32_t lanes(i8 m) {
    uint32_t out = 0;
    for (int k = 0; k < 8; ++k) out |= (uint32_t)(m[k] < 0) << k;
    return out;
}
#endif

// The triangles of a fan that the ray may meet. Spokes are computed once for the two triangles they part.
static inline uint32_t fan_test(const kst_chunk_view *view, bool flat, const fan_ray *r, int i, int j) {
    int at = 2 * j * KARST_CHUNK_SIDE + 2 * i, centre = at + KARST_CHUNK_SIDE + 1;
    float cx = (float)(2 * i + 1) * r->cell - r->x, cz = (float)(2 * j + 1) * r->cell - r->z, cy;
    f8 x = {0}, y, z = {0};
    if (view->baked) {
        const karst_vertex c = view->baked[centre];
        load_baked_ring(view->baked + at, &y, flat ? NULL : &x, &z);
        y *= r->step_y;
        cy = (float)c.y * r->step_y;
        if (!flat) {
            x = cx + r->ring_x + x * r->step_xz;
            z = cz + r->ring_z + z * r->step_xz;
            cx += (float)c.dx * r->step_xz;
            cz += (float)c.dz * r->step_xz;
        }
    } else {
        y = load_ring(view->y + at);
        cy = view->y[centre];
        if (!flat) {
            x = cx + r->ring_x + load_ring(view->x + at);
            z = cz + r->ring_z + load_ring(view->z + at);
            cx += view->x[centre];
            cz += view->z[centre];
        }
    }
    y = y - r->y - r->y_rest;
    cy = cy - r->y - r->y_rest;
    float rest_a = cx * r->a[0] + cz * r->a[2], rest_b = cx * r->b[0] + cz * r->b[2];
    float pa = rest_a + cy * r->a[1], pb = rest_b + cy * r->b[1];
    f8 qa = y * r->a[1], qb = y * r->b[1];
    if (flat) {
        qa += r->ring_a + rest_a;
        qb += r->ring_b + rest_b;
    } else {
        qa += x * r->a[0] + z * r->a[2];
        qb += x * r->b[0] + z * r->b[2];
    }
    f8 spoke = pa * qb - pb * qa, rim = qa * next(qb) - qb * next(qa), other = next(spoke);
    i8 one = (spoke >= -r->slack) & (rim >= -r->slack) & (other <= r->slack);
    i8 two = (spoke <= r->slack) & (rim <= r->slack) & (other >= -r->slack);
    return lanes(one | two);
}

// The triangles of block (i, j) that the ray may meet: bit 8 f + k is triangle k of fan f.
static inline uint32_t block_test(const kst_chunk_view *view, bool flat, const fan_ray *r, int i, int j) {
    uint32_t met = 0;
    for (int f = 0; f < 4; ++f) met |= fan_test(view, flat, r, 2 * i + (f & 1), 2 * j + (f >> 1)) << 8 * f;
    return met;
}
#endif

// ---- the walk --------------------------------------------------------------------------------------

typedef struct walk {
    kst_field_ground *ground;
    kst_exact_ray exact;
    kst_lanes origin, direction;  // relative to the ground's origin; direction with largest part 1
    double scale;                 // s = t * scale
    double world;                 // what doubles round by, near the ray [m]
    double start;                 // where the walk through the boxes begins [s]
    spot at;                      // the ray there, relative to the ground's origin
    float pad, most;              // most: t_max from start [s], never rounded down
    slab slab;
    fan_ray fan;
    bool any, hit;
    kst_corners corner[2];  // of the triangle hit, and of the one tried
    int best;               // which of the two was hit
    int32_t column, row;    // of the fan hit, counted over the field
    int triangle;           // of the fan
} walk;

static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double smaller(double a, double b) {
    return a < b ? a : b;
}
static inline double magnitude(kst_lanes p) {
    return larger(larger(fabs(p[0]), fabs(p[1])), fabs(p[2]));
}

static inline float most_along(const walk *w, double start) {
    double most = w->exact.t_max * w->scale - start;
    return (float)(most + fabs(most) * 0x1p-22);
}

// A chunk on the way of a ray.
typedef struct visit {
    walk *w;
    const kst_chunk_view *view;
    const kst_chunk_tree *tree;
    double start;
    spot at;
    float least, most;
} visit;

// The exact test of the triangles of a block that were not ruled out.
static inline bool block_hit(visit *v, int i, int j, uint32_t triangles) {
    walk *w = v->w;
    bool hit = false;
    for (; triangles; triangles &= triangles - 1) {
        int bit = __builtin_ctz(triangles), k = bit & 7;
        int column = KST_BLOCK_CELLS * i + (bit >> 2 & 2), row = KST_BLOCK_CELLS * j + (bit >> 3 & 2);
        if (v->tree->holes && kst_view_hole(v->view, column + kst_fan_right[k], row + kst_fan_below[k])) continue;
        kst_corners *corner = &w->corner[!w->best];
        double t;
        kst_fan_triangle(v->view, column, row, k, corner);
        if (!kst_triangle_cast(&w->exact, corner, &t) || (w->hit && t >= w->exact.t_max)) continue;
        hit = w->hit = true;
        w->exact.t_max = t;
        if (w->any) return true;
        w->best = !w->best;
        w->column = v->view->column + column;
        w->row = v->view->row + row;
        w->triangle = k;
    }
    if (!hit) return false;
    w->most = most_along(w, w->start);
    v->most = v->start == w->start ? w->most : most_along(w, v->start);
    return true;
}

// The two levels of a chunk. Each says whether it found a nearer hit.
static inline bool walk_blocks(visit *v, const kst_node *node, int x, int z) {
    float enter[16];
    bool hit = false;
    for (uint32_t met = node_test(node, &v->w->slab, v->at, v->least, v->most, enter); met;) {
        int child = __builtin_ctz(met) ^ v->w->slab.turned;
        met &= met - 1;
        int i = 4 * x + (child & 3), j = 4 * z + (child >> 2);
        uint32_t triangles = block_test(v->view, v->tree->flat, &v->w->fan, i, j);
        if (!triangles || !block_hit(v, i, j, triangles)) continue;
        if (v->w->any) return true;
        hit = true;
        met &= nearer(enter, v->most);
    }
    return hit;
}

static inline bool walk_nodes(visit *v) {
    float enter[16];
    bool hit = false;
    for (uint32_t met = node_test(&v->tree->node[16], &v->w->slab, v->at, v->least, v->most, enter); met;) {
        int child = __builtin_ctz(met) ^ v->w->slab.turned;
        met &= met - 1;
        if (!walk_blocks(v, &v->tree->node[child], child & 3, child >> 2)) continue;
        if (v->w->any) return true;
        hit = true;
        met &= nearer(enter, v->most);
    }
    return hit;
}

// Place the ray where it enters the chunk, for the fans: in the chunk's box, or outside by no more than `loose`.
static inline void place_fans(const visit *v, kst_lanes o, float reach) {
    const kst_chunk_tree *tree = v->tree;
    fan_ray *f = &v->w->fan;
    f->x = (float)o[0];
    f->z = (float)o[2];
    double y = o[1] + tree->origin[1];
    f->y = (float)y;
    f->y_rest = (float)(y - f->y);
    f->cell = tree->cell_m;
    // A corner's x' and y' are off by 16 roundings of reach at most, an edge value by that times its four coordinates,
    // each within fan_extent where the ray meets the triangle.
    f->slack = (0x1p-20f * reach + (float)v->w->world + tree->y_error) * 6 * tree->fan_extent;
    f->ring_a = ring_column * (f->cell * f->a[0]) + ring_row * (f->cell * f->a[2]);
    f->ring_b = ring_column * (f->cell * f->b[0]) + ring_row * (f->cell * f->b[2]);
    if (v->view->baked) f->step_y = (float)v->view->step_y_m;
    if (tree->flat) return;
    f->step_xz = (float)v->view->step_xz_m;
    f->ring_x = ring_column * f->cell;
    f->ring_z = ring_row * f->cell;
}

static karst_status walk_chunk(walk *w, int32_t x, int32_t z, double enter, float loose, bool *hit) {
    visit v;
    void *pin;
    karst_status status = w->ground->pin(w->ground, x, z, &v.view, &v.tree, &pin);
    if (status) return status;
    const kst_chunk_tree *tree = v.tree;
    kst_lanes o = w->origin + enter * w->direction - *(const kst_lanes *)tree->origin;
    v.w = w;
    v.least = tree->least;
    if (w->pad <= tree->most_pad) {  // the usual case: no need to wait for where the chunk is entered
        v.start = w->start;
        v.most = w->most;
        v.at.near = w->at.near - *(const f4 *)tree->corner;
        v.at.far = w->at.far - *(const f4 *)tree->corner;
    } else {  // a ground so large that floats over all of it are too coarse for the chunk
        v.start = enter;
        v.most = most_along(w, enter);
        v.at = place_spot(&w->slab, o, 0x1p-20f * (tree->extent + loose) + (float)w->world);
    }
    place_fans(&v, o, tree->extent + loose);
    *hit = walk_nodes(&v);
    w->ground->release(w->ground, pin);
    return KARST_OK;
}

// The levels over all chunks, from the top down; (x, z) is the node at hand of its level, met what is left of it.
static karst_status walk_ground(walk *w, const kst_top *boxes) {
    float enter[KST_TOP_LEVELS][16];
    uint32_t left[KST_TOP_LEVELS];
    const int top = boxes->level_count - 1, turned = w->slab.turned;
    int level = top;
    int32_t x = 0, z = 0;
    const kst_node *node = boxes->node + boxes->first[level];
    uint32_t met = node_test(node, &w->slab, w->at, 0, w->most, enter[level]);
    for (;;) {
        while (!met) {
            if (level == top) return KARST_OK;
            met = left[++level];
            x >>= 2;
            z >>= 2;
        }
        int bit = __builtin_ctz(met), child = bit ^ turned;
        met &= met - 1;
        int32_t child_x = 4 * x + (child & 3), child_z = 4 * z + (child >> 2);
        if (level) {
            left[level--] = met;
            x = child_x;
            z = child_z;
            node = boxes->node + boxes->first[level] + (size_t)z * (size_t)boxes->nx[level] + (size_t)x;
            met = node_test(node, &w->slab, w->at, 0, w->most, enter[level]);
            continue;
        }
        bool hit = false;
        float loose = 4 * w->pad + node->scale[3];  // a box has eight bits
        karst_status status = walk_chunk(w, child_x, child_z, w->start + (double)enter[0][bit], loose, &hit);
        if (status || (hit && w->any)) return status;
        if (!hit) continue;
        met &= nearer(enter[0], w->most);
        for (int k = 1; k <= top; ++k) left[k] &= nearer(enter[k], w->most);
    }
}

static inline kst_lanes lanes_min(kst_lanes a, kst_lanes b) {
    kst_lane_bits m = a < b;
    return (kst_lanes)(((kst_lane_bits)a & m) | ((kst_lane_bits)b & ~m));
}

// Where the ray enters the bounds of the ground [s]; false when it misses them.
static __attribute__((noinline)) bool enter_ground(const walk *w, const kst_top *boxes, double *start) {
    kst_lanes o = *(const kst_lanes *)w->exact.origin;
    kst_lanes inverse = __builtin_convertvector(w->slab.inverse, kst_lanes);
    kst_lanes one = (*(const kst_lanes *)boxes->min - w->world - o) * inverse;
    kst_lanes two = (*(const kst_lanes *)boxes->max + w->world - o) * inverse;
    kst_lanes low = lanes_min(one, two), high = -lanes_min(-one, -two);
    double in = larger(larger(low[0], low[1]), larger(low[2], w->exact.t_min * w->scale));
    double out = smaller(smaller(high[0], high[1]), smaller(high[2], w->exact.t_max * w->scale));
    *start = in;
    return in <= out + 4 * w->world;
}

// The direction as the boxes and the fans want it; a part too small to matter counts as a very small one.
static inline void aim(walk *w) {
    const i4 sign = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const f4 least = {1e-18f, 1e-18f, 1e-18f, 1e-18f};
    f4 d = __builtin_convertvector(w->direction, f4);
    i4 back = (i4)d & sign, small = (f4)((i4)d & ~sign) < least;
    d = (f4)(((i4)d & ~small) | (((i4)least | back) & small));
    w->slab.inverse = 1 / d;
    w->slab.sign = (f4)(back | 0x3f800000);
    int signs = sign_bits(back);
    w->slab.plane = planes_by_signs[signs];
    w->slab.turned = turned_by_signs[signs];
    w->slab.order = (i16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} ^ w->slab.turned;
    static const f4 unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    *(f4 *)w->fan.a = unit[w->exact.kx] - (float)w->exact.shear_x * unit[w->exact.kz];
    *(f4 *)w->fan.b = unit[w->exact.ky] - (float)w->exact.shear_y * unit[w->exact.kz];
}

// Begin where t does, or when that is far away where the ground's bounds begin. False when the ray misses them.
static inline bool walk_begin(walk *w, const kst_top *boxes, kst_lanes d) {
    kst_lanes o = *(const kst_lanes *)w->exact.origin;
    w->origin = o - *(const kst_lanes *)boxes->origin;
    w->direction = d * fabs(w->exact.inverse_z);
    w->world = 0x1p-46 * larger(magnitude(o), boxes->size);
    aim(w);
    w->start = w->exact.t_min * w->scale;
    kst_lanes at = w->origin + w->start * w->direction;
    double reach = larger(magnitude(at), (double)boxes->extent);
    if (!(reach <= 4 * (double)boxes->extent)) {
        if (!enter_ground(w, boxes, &w->start)) return false;
        at = w->origin + w->start * w->direction;
        reach = larger(magnitude(at), (double)boxes->extent);
    }
    w->pad = 0x1p-20f * (float)reach + (float)w->world;
    w->at = place_spot(&w->slab, at, w->pad);
    w->most = most_along(w, w->start);
    return true;
}

// Comparisons with NaN are false.
static inline bool is_ray(const karst_ray *ray, kst_lanes o, kst_lanes d, double scale) {
    const kst_lane_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    kst_lane_bits good =
        ((kst_lanes)((kst_lane_bits)o & ~sign) < 1e100) & ((kst_lanes)((kst_lane_bits)d & ~sign) < 1e100);
    return !kst_any_of_three(~good) && scale > 1e-100 && fabs(ray->t_min) < 1e200 && ray->t_max >= -INFINITY;
}

static inline void fill_hit(const walk *w, const karst_ray *ray, karst_hit *out) {
    int32_t column = w->column + kst_fan_right[w->triangle], row = w->row + kst_fan_below[w->triangle];
    double t = w->exact.t_max;
    out->hit = true;
    out->t = t;
    out->position = (karst_pos){ray->origin.x + t * ray->direction.x, ray->origin.y + t * ray->direction.y,
                                ray->origin.z + t * ray->direction.z};
    out->normal = kst_triangle_normal(&w->corner[w->best]);
    out->place = (karst_place){.chunk = (uint32_t)row / KARST_CHUNK_CELLS * (uint32_t)w->ground->chunks_x +
                                        (uint32_t)column / KARST_CHUNK_CELLS,
                               .column = column,
                               .row = row,
                               .triangle = kst_fan_number[w->triangle]};
}

karst_status RAY_CAST(kst_field_ground *ground, const karst_ray *ray, bool any, karst_hit *out) {
    const kst_top *boxes = __atomic_load_n(&ground->top, __ATOMIC_ACQUIRE);
    karst_status status = boxes ? KARST_OK : kst_top_get(ground, &boxes);
    if (status) return status;
    walk w;
    w.ground = ground;
    w.any = any;
    w.hit = false;
    w.best = 0;
    kst_lanes d = {ray->direction.x, ray->direction.y, ray->direction.z, 0};
    w.scale = magnitude(d);
    kst_exact_ray_make(ray, &w.exact);
    if (!is_ray(ray, *(const kst_lanes *)w.exact.origin, d, w.scale)) return KARST_ERROR_ARGUMENT;
    if (walk_begin(&w, boxes, d)) status = walk_ground(&w, boxes);
    if (status) return status;
    if (w.hit && !any)
        fill_hit(&w, ray, out);
    else
        *out = (karst_hit){.hit = w.hit};
    return KARST_OK;
}
