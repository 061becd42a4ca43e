// SPDX-License-Identifier: MIT
// Passes over a plane, once for each vector width; PLANE_KERNELS names the set.
#include "pack/plane_lanes.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define T int16_t
#define V(name) JOIN(n_, name)
#include "pack/plane_rows.h"
#undef T
#undef V
#define T int32_t
#define V(name) JOIN(w_, name)
#include "pack/plane_rows.h"
#undef T
#undef V

// Middles of an edge from its own coarse vertices; always 32 bits, so that both nodes that share it find the same.
static void edge_middles(const kst_plane_weights *weights, const int32_t *edge, int32_t *prediction, uint16_t *table) {
    const uint16_t *activity = weights->activity[0];
    w_lanes weight = w_set(weights->weight[0][0]);
    for (int j = 0; j < KST_NODE_CELLS; j += w_count) {
        w_lanes u0 = w_load(edge + j), u1 = w_load(edge + j + 1), du = w_sub(u1, u0);
        w_lanes o0 = w_sub(w_load(edge + j - 1), u0), o1 = w_sub(w_load(edge + j + 2), u1), o = w_add(o0, o1);
        w_lanes p = w_add(w_shl(du, 3), w_weigh(o, 3, weight));
        w_settle(u0, p, w_change(du), w_change(o), w_more(w_change(o0), w_change(o1)), activity, prediction + j,
                 table + j);
    }
}

static inline void leave_known(const kst_plane *p, int row, uint16_t *table) {
    if (!p->known || !p->known[row]) return;
    uint64_t known = p->known[row];
    for (int j = 0; j < KST_RANS_ROW; ++j)
        if (known >> j & 1) table[j] = KST_RANS_NOTHING;
}

// ---- reading -------------------------------------------------------------------------------------

// The states in registers.
typedef struct states {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    __m512i x[2];
#elif defined(__AVX2__)
    __m256i x[4];
#else
    uint32_t x[KST_RANS_LANES];
#endif
    const uint8_t *word;
} states;

static inline void take_states(states *s, const kst_unrans *u) {
    memcpy(&s->x, u->state, sizeof u->state);
    s->word = u->word;
}
static inline void put_states(const states *s, kst_unrans *u) {
    memcpy(u->state, &s->x, sizeof u->state);
    u->word = s->word;
}

enum { LOW = (1 << KST_RANS_BITS) - 1 };

#if defined(__AVX512BW__) && defined(__AVX512VL__)

static inline void read_tokens(states *s, const uint32_t *slot, const uint16_t *table, uint16_t *token) {
    const __m512i low = _mm512_set1_epi32(LOW), least = _mm512_set1_epi32(0x10000);
    __m512i x[2] = {s->x[0], s->x[1]};
    const uint8_t *word = s->word;
    for (int i = 0; i < KST_RANS_ROW; i += 32)
        for (int k = 0; k < 2; ++k) {
            __m512i c = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(table + i + 16 * k)));
            // (x & low) | c << bits
            __m512i at = _mm512_ternarylogic_epi32(x[k], low, _mm512_slli_epi32(c, KST_RANS_BITS), 0xea);
            __m512i e = _mm512_i32gather_epi32(at, (const void *)slot, 4);
            __m512i y = _mm512_mullo_epi32(_mm512_srli_epi32(e, 19), _mm512_srli_epi32(x[k], KST_RANS_BITS));
            y = _mm512_add_epi32(y, _mm512_and_si512(_mm512_srli_epi32(e, 8), low));
            __mmask16 small = _mm512_cmplt_epu32_mask(y, least);
            __m512i words = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)word));
            x[k] = _mm512_mask_or_epi32(y, small, _mm512_slli_epi32(y, 16), _mm512_maskz_expand_epi32(small, words));
            word += 2 * __builtin_popcount(small);
            __m512i t = _mm512_and_si512(e, _mm512_set1_epi32(255));
            _mm256_storeu_si256((__m256i *)(void *)(token + i + 16 * k), _mm512_cvtepi32_epi16(t));
        }
    s->x[0] = x[0];
    s->x[1] = x[1];
    s->word = word;
}

#elif defined(__AVX2__)

// Where lane l finds its word when the lanes of a mask take one each: 3 bits a lane.
static inline __m256i word_places(int mask) {
    uint64_t spread = _pdep_u64((uint64_t)mask, UINT64_C(0x0101010101010101)) * 255;
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)_pdep_u64(UINT64_C(0x0706050403020100), spread)));
}

static inline void read_tokens(states *s, const uint32_t *slot, const uint16_t *table, uint16_t *token) {
    const __m256i low = _mm256_set1_epi32(LOW), zero = _mm256_setzero_si256();
    __m256i x[4] = {s->x[0], s->x[1], s->x[2], s->x[3]}, t[4];
    const uint8_t *word = s->word;
    for (int i = 0; i < KST_RANS_ROW; i += 32) {
        for (int k = 0; k < 4; ++k) {
            __m256i words = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)word));
            __m256i c = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(table + i + 8 * k)));
            __m256i at = _mm256_or_si256(_mm256_and_si256(x[k], low), _mm256_slli_epi32(c, KST_RANS_BITS));
            __m256i e = _mm256_i32gather_epi32((const int *)(const void *)slot, at, 4);
            __m256i y = _mm256_mullo_epi32(_mm256_srli_epi32(e, 19), _mm256_srli_epi32(x[k], KST_RANS_BITS));
            y = _mm256_add_epi32(y, _mm256_and_si256(_mm256_srli_epi32(e, 8), low));
            __m256i small = _mm256_cmpeq_epi32(_mm256_srli_epi32(y, 16), zero);
            int mask = _mm256_movemask_ps(_mm256_castsi256_ps(small));
            words = _mm256_permutevar8x32_epi32(words, word_places(mask));
            x[k] = _mm256_blendv_epi8(y, _mm256_or_si256(_mm256_slli_epi32(y, 16), words), small);
            word += 2 * __builtin_popcount((unsigned)mask);
            t[k] = _mm256_and_si256(e, _mm256_set1_epi32(255));
        }
        for (int k = 0; k < 4; k += 2) {
            __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(t[k], t[k + 1]), 0xd8);
            _mm256_storeu_si256((__m256i *)(void *)(token + i + 8 * k), both);
        }
    }
    for (int k = 0; k < 4; ++k) s->x[k] = x[k];
    s->word = word;
}

#else

static inline void read_tokens(states *s, const uint32_t *slot, const uint16_t *table, uint16_t *token) {
    const uint8_t *word = s->word;
    for (int i = 0; i < KST_RANS_ROW; ++i) {
        uint32_t x = s->x[i % KST_RANS_LANES], e = slot[(uint32_t)table[i] << KST_RANS_BITS | (x & LOW)];
        x = (e >> 19) * (x >> KST_RANS_BITS) + (e >> 8 & LOW);
        uint32_t more = x << 16 | word[0] | (uint32_t)word[1] << 8;
        bool small = x < 0x10000;
        word += small ? 2 : 0;
        s->x[i % KST_RANS_LANES] = small ? more : x;
        token[i] = (uint16_t)(e & 255);
    }
    s->word = word;
}

#endif

// Raw bits of the tokens that have some, in order.
static __attribute__((noinline)) void large_numbers(kst_unrans *u, const uint16_t *token, uint32_t *number) {
    for (int j = 0; j < KST_RANS_ROW; ++j)
        number[j] = token[j] < KST_RANS_DIRECT ? token[j] : kst_unrans_large(u, token[j]);
}

static inline bool any_large(const uint16_t *token) {
    n_lanes most = n_set(0);
    for (int j = 0; j < KST_RANS_ROW; j += n_count) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        most = _mm512_max_epi16(most, n_load(token + j));
    }
    return _mm512_cmpgt_epi16_mask(most, n_set(KST_RANS_DIRECT - 1)) != 0;
#elif defined(__AVX2__)
        most = _mm256_max_epi16(most, n_load(token + j));
    }
    return _mm256_movemask_epi8(_mm256_cmpgt_epi16(most, n_set(KST_RANS_DIRECT - 1))) != 0;
#else
        most = most > (int16_t)token[j] ? most : (int16_t)token[j];
    }
    return most >= KST_RANS_DIRECT;
#endif
}

typedef struct reading {
    states s;
    kst_unrans *u;
    const uint32_t *slot;
    bool bad;
} reading;

static inline void n_read_row(reading *r, const int16_t *prediction, const uint16_t *table, int32_t unit,
                              int16_t *value) {
    _Alignas(64) uint16_t token[KST_RANS_ROW];
    read_tokens(&r->s, r->slot, table, token);
    if (any_large(token)) {
        uint32_t number[KST_RANS_ROW];
        large_numbers(r->u, token, number);
        for (int j = 0; j < KST_RANS_ROW; ++j) token[j] = (uint16_t)number[j];
    }
    n_lanes u = n_set(unit);
    for (int j = 0; j < KST_RANS_ROW; j += n_count)
        n_store(value + j, n_add(n_load(prediction + j), n_mul(n_unzigzag(n_load(token + j)), u)));
    r->bad |= r->s.word > r->u->word_end || r->u->bit > r->u->bit_end;
}

static inline void w_read_row(reading *r, const int32_t *prediction, const uint16_t *table, int32_t unit,
                              int32_t *value) {
    _Alignas(64) uint16_t token[KST_RANS_ROW];
    uint32_t number[KST_RANS_ROW];
    read_tokens(&r->s, r->slot, table, token);
    if (any_large(token))
        large_numbers(r->u, token, number);
    else
        for (int j = 0; j < KST_RANS_ROW; ++j) number[j] = token[j];
    for (int j = 0; j < KST_RANS_ROW; ++j)
        value[j] = (int32_t)((uint32_t)prediction[j] + kst_unzigzag(number[j]) * (uint32_t)unit);
    r->bad |= r->s.word > r->u->word_end || r->u->bit > r->u->bit_end;
}

// ---- writing -------------------------------------------------------------------------------------

// Nearest multiple of unit, which is odd, so there are no ties.
static inline void w_write_row(const int32_t *target, const int32_t *prediction, const uint16_t *table, int32_t unit,
                               uint32_t *number, int32_t *value) {
    double share = 1.0 / unit;
    for (int j = 0; j < KST_RANS_ROW; ++j) {
        int32_t off = table[j] == KST_RANS_NOTHING ? 0 : (int32_t)((uint32_t)target[j] - (uint32_t)prediction[j]);
        double q = (double)off * share;
        int32_t residual = unit == 1 ? off : (int32_t)(q + (q < 0 ? -0.5 : 0.5));
        number[j] = kst_zigzag((uint32_t)residual);
        value[j] = (int32_t)((uint32_t)prediction[j] + (uint32_t)residual * (uint32_t)unit);
    }
}

static inline void n_write_row(const int32_t *target, int32_t base, const int16_t *prediction, const uint16_t *table,
                               int32_t unit, uint32_t *number, int16_t *value) {
    float share = 1.0f / (float)unit;
    for (int j = 0; j < KST_RANS_ROW; ++j) {
        int32_t off = (int16_t)(uint16_t)((uint32_t)target[j] - (uint32_t)base - (uint32_t)prediction[j]);
        off = table[j] == KST_RANS_NOTHING ? 0 : off;
        float q = (float)off * share;
        int32_t residual = (int32_t)(q + (q < 0 ? -0.5f : 0.5f)), left = off - residual * unit;
        residual += (left > unit / 2) - (left < -(unit / 2));  // a float may round over the middle
        number[j] = (uint16_t)kst_zigzag((uint32_t)residual);
        value[j] = (int16_t)(prediction[j] + residual * unit);
    }
}

// ---- passes --------------------------------------------------------------------------------------
//
// Where reading is NULL, numbers are made and written instead.

typedef struct passing {
    kst_plane *p;
    reading *reading;
    const kst_plane_target *target;
    kst_plane_numbers *out;
} passing;

static inline __attribute__((always_inline)) void edge_pass(const passing *q) {
    kst_plane *p = q->p;
    for (int e = 0; e < KST_EDGE_ROWS; ++e) {
        int32_t prediction[KST_NODE_CELLS];
        uint16_t own[KST_RANS_ROW], *table = q->reading ? own : q->out->table + e * KST_RANS_ROW;
        edge_middles(&p->weights, p->edge[e] + KST_PLANE_LEFT, prediction, table);
        leave_known(p, e, table);
        if (q->reading)
            w_read_row(q->reading, prediction, table, p->weights.unit, p->middle[e]);
        else
            w_write_row(q->target->middle[e], prediction, table, p->weights.unit, q->out->number + e * KST_RANS_ROW,
                        p->middle[e]);
    }
}

#define T int16_t
#define V(name) JOIN(n_, name)
#define GRID(p) (p)->n
#define BASE(p) (p)->base
#define WRITE_ROW(q, target, prediction, table, row, value)                                                           \
    n_write_row(target, (q)->p->base, prediction, table, (q)->p->weights.unit, (q)->out->number + (row)*KST_RANS_ROW, \
                value)
#include "pack/plane_passes.h"
#undef T
#undef V
#undef GRID
#undef BASE
#undef WRITE_ROW
#define T int32_t
#define V(name) JOIN(w_, name)
#define GRID(p) (p)->w
#define BASE(p) 0
#define WRITE_ROW(q, target, prediction, table, row, value) \
    w_write_row(target, prediction, table, (q)->p->weights.unit, (q)->out->number + (row)*KST_RANS_ROW, value)
#include "pack/plane_passes.h"

static bool decode_plane(kst_plane *p, kst_unrans *u, const kst_rans_slots *slots) {
    reading r = {.u = u, .slot = slots->slot, .bad = false};
    passing q = {p, &r, NULL, NULL};
    take_states(&r.s, u);
    edge_pass(&q);
    if (p->wide) {
        w_place_edges(p);
        w_centre_pass(&q), w_along_pass(&q), w_down_pass(&q);
    } else {
        n_place_edges(p);
        n_centre_pass(&q), n_along_pass(&q), n_down_pass(&q);
    }
    put_states(&r.s, u);
    return !r.bad;
}

static void encode_plane(kst_plane *p, const kst_plane_target *target, int pass, kst_plane_numbers *out) {
    passing q = {p, NULL, target, out};
    if (pass == 0) {
        edge_pass(&q);
        p->wide ? w_place_edges(p) : n_place_edges(p);
    } else if (pass == 1) {
        p->wide ? w_centre_pass(&q) : n_centre_pass(&q);
    } else if (pass == 2) {
        p->wide ? w_along_pass(&q) : n_along_pass(&q);
    } else {
        p->wide ? w_down_pass(&q) : n_down_pass(&q);
    }
}

const kst_plane_kernels PLANE_KERNELS = {PLANE_NAME, decode_plane, encode_plane};
