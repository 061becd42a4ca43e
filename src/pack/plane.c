// SPDX-License-Identifier: MIT
// What is around the passes: values in and out, weights as bytes, which kernels run.
#include "pack/plane.h"

const int kst_pass_terms[KST_PASSES] = {1, 2, 3, 4};

// ---- weights -------------------------------------------------------------------------------------

void kst_plane_weights_put(const kst_plane_weights *weights, kst_out *o) {
    kst_put_uint(o, (uint32_t)weights->unit, 4);
    for (int pass = 0; pass < KST_PASSES; ++pass) {
        for (int t = 0; t < kst_pass_terms[pass]; ++t) kst_put_uint(o, (uint16_t)weights->weight[pass][t], 2);
        for (int k = 0; k < 3; ++k) kst_put_uint(o, weights->activity[pass][k], 2);
    }
}

bool kst_plane_weights_read(kst_reader *r, kst_plane_weights *out) {
    memset(out, 0, sizeof *out);
    out->unit = kst_read_i32(r);
    for (int pass = 0; pass < KST_PASSES; ++pass) {
        for (int t = 0; t < kst_pass_terms[pass]; ++t) out->weight[pass][t] = (int16_t)kst_read_u16(r);
        for (int k = 0; k < 3; ++k) out->activity[pass][k] = kst_read_u16(r);
    }
    return !r->bad && out->unit >= 1 && out->unit % 2 == 1;
}

// ---- values in -----------------------------------------------------------------------------------

// Least and most of count values.
KST_TWINS static void find_range(const int32_t *v, size_t count, int32_t *least, int32_t *most) {
    int32_t low = *least, high = *most;
    for (size_t k = 0; k < count; ++k) {
        low = v[k] < low ? v[k] : low;
        high = v[k] > high ? v[k] : high;
    }
    *least = low;
    *most = high;
}

static void coarse_range(const int32_t *coarse, size_t stride, int32_t *least, int32_t *most) {
    *least = INT32_MAX;
    *most = INT32_MIN;
    for (size_t i = 0; i < KST_NODE_SIDE; ++i) find_range(coarse + i * stride, KST_NODE_SIDE, least, most);
}

int32_t kst_plane_base(const int32_t *coarse, size_t stride) {
    int32_t low, high;
    coarse_range(coarse, stride, &low, &high);
    return (int32_t)(((int64_t)low + high) >> 1);
}

// Most that neighbours along a row differ by, and the row from the next; the values' range is small.
KST_TWINS static int32_t steepest(const int32_t *row, const int32_t *next) {
    int32_t most = 0;
    for (int j = 0; j < KST_NODE_CELLS; ++j) {
        int32_t across = row[j + 1] - row[j], down = next[j] - row[j];
        across = across < 0 ? -across : across;
        down = down < 0 ? -down : down;
        most = across > most ? across : most;
        most = down > most ? down : most;
    }
    return most;
}

bool kst_plane_is_narrow(const int32_t *coarse, size_t stride, const kst_plane_target *target) {
    enum { STEEP = 4000 };  // eight times that fits 16 bits
    int32_t low, high;
    coarse_range(coarse, stride, &low, &high);
    int64_t base = ((int64_t)low + high) >> 1;
    find_range(&target->middle[0][0], sizeof *target / sizeof(int32_t), &low, &high);
    if (base - low > KST_NARROW_MOST || high - base > KST_NARROW_MOST) return false;
    for (size_t i = 0; i < KST_NODE_SIDE; ++i) {
        const int32_t *row = coarse + i * stride;
        if (steepest(row, i < KST_NODE_CELLS ? row + stride : row) > STEEP) return false;
    }
    return true;
}

static void beyond_edges(kst_plane *p) {
    for (int e = 0; e < KST_EDGE_ROWS; ++e) {
        int32_t *edge = p->edge[e] + KST_PLANE_LEFT;
        edge[-1] = (int32_t)(2u * (uint32_t)edge[0] - (uint32_t)edge[1]);
        edge[KST_NODE_CELLS + 1] = (int32_t)(2u * (uint32_t)edge[KST_NODE_CELLS] - (uint32_t)edge[KST_NODE_CELLS - 1]);
    }
}

#define FILL_COARSE(T, grid, value)                                                                           \
    do {                                                                                                      \
        for (int i = 0; i < KST_NODE_SIDE; ++i) {                                                             \
            T *row = (grid)[i + 1] + KST_PLANE_LEFT;                                                          \
            for (int j = 0; j < KST_NODE_SIDE; ++j) row[j] = (T)(value);                                      \
            row[-1] = (T)(2u * (uint32_t)row[0] - (uint32_t)row[1]);                                          \
            row[KST_NODE_SIDE] = (T)(2u * (uint32_t)row[KST_NODE_CELLS] - (uint32_t)row[KST_NODE_CELLS - 1]); \
        }                                                                                                     \
        for (int j = KST_PLANE_LEFT - 1; j <= KST_PLANE_LEFT + KST_NODE_SIDE; ++j) {                          \
            (grid)[0][j] = (T)(2u * (uint32_t)(grid)[1][j] - (uint32_t)(grid)[2][j]);                         \
            (grid)[KST_NODE_SIDE + 1][j] =                                                                    \
                (T)(2u * (uint32_t)(grid)[KST_NODE_SIDE][j] - (uint32_t)(grid)[KST_NODE_CELLS][j]);           \
        }                                                                                                     \
    } while (0)

#define LOAD_EDGES(p, coarse, stride)                                                           \
    do {                                                                                        \
        for (int j = 0; j < KST_NODE_SIDE; ++j) {                                               \
            (p)->edge[0][KST_PLANE_LEFT + j] = (coarse)[j];                                     \
            (p)->edge[1][KST_PLANE_LEFT + j] = (coarse)[KST_NODE_CELLS * (stride) + (size_t)j]; \
            (p)->edge[2][KST_PLANE_LEFT + j] = (coarse)[(size_t)j * (stride)];                  \
            (p)->edge[3][KST_PLANE_LEFT + j] = (coarse)[(size_t)j * (stride) + KST_NODE_CELLS]; \
        }                                                                                       \
        beyond_edges(p);                                                                        \
    } while (0)

KST_TWINS void kst_plane_load(kst_plane *p, const int32_t *coarse, size_t stride) {
    LOAD_EDGES(p, coarse, stride);
    if (p->wide)
        FILL_COARSE(int32_t, p->w.coarse, coarse[(size_t)i * stride + (size_t)j]);
    else
        FILL_COARSE(int16_t, p->n.coarse, (uint32_t)coarse[(size_t)i * stride + (size_t)j] - (uint32_t)p->base);
}

KST_TWINS void kst_plane_load16(kst_plane *p, const int16_t *coarse, size_t stride) {
    LOAD_EDGES(p, coarse, stride);
    if (p->wide)
        FILL_COARSE(int32_t, p->w.coarse, coarse[(size_t)i * stride + (size_t)j]);
    else
        FILL_COARSE(int16_t, p->n.coarse, coarse[(size_t)i * stride + (size_t)j] - p->base);
}

// ---- values out ----------------------------------------------------------------------------------

#define WEAVE(O, grids, base)                                                                                 \
    do {                                                                                                      \
        for (int i = 0; i < KST_NODE_SIDE; ++i) {                                                             \
            O *out = fine + (size_t)(2 * i) * stride;                                                         \
            for (int j = 0; j < KST_NODE_CELLS; ++j) {                                                        \
                out[2 * j] = (O)((uint32_t)(grids).coarse[i + 1][KST_PLANE_LEFT + j] + (uint32_t)(base));     \
                out[2 * j + 1] = (O)((uint32_t)(grids).along[i][KST_PLANE_LEFT + j] + (uint32_t)(base));      \
            }                                                                                                 \
            out[KST_FINE_SIDE - 1] =                                                                          \
                (O)((uint32_t)(grids).coarse[i + 1][KST_PLANE_LEFT + KST_NODE_CELLS] + (uint32_t)(base));     \
            if (i == KST_NODE_CELLS) break;                                                                   \
            out += stride;                                                                                    \
            for (int j = 0; j < KST_NODE_CELLS; ++j) {                                                        \
                out[2 * j] = (O)((uint32_t)(grids).down[i][KST_PLANE_LEFT + j] + (uint32_t)(base));           \
                out[2 * j + 1] = (O)((uint32_t)(grids).centre[i + 1][KST_PLANE_LEFT + j] + (uint32_t)(base)); \
            }                                                                                                 \
            out[KST_FINE_SIDE - 1] =                                                                          \
                (O)((uint32_t)(grids).down[i][KST_PLANE_LEFT + KST_NODE_CELLS] + (uint32_t)(base));           \
        }                                                                                                     \
    } while (0)

KST_TWINS void kst_plane_weave(const kst_plane *p, int32_t *fine, size_t stride) {
    if (p->wide)
        WEAVE(int32_t, p->w, 0);
    else
        WEAVE(int32_t, p->n, p->base);
}

KST_TWINS void kst_plane_weave16(const kst_plane *p, int16_t *fine, size_t stride) {
    if (p->wide)
        WEAVE(int16_t, p->w, 0);
    else
        WEAVE(int16_t, p->n, p->base);
}

void kst_plane_sort(const int32_t *fine, size_t stride, kst_plane_target *out) {
    const int32_t *last = fine + (KST_FINE_SIDE - 1) * stride;
    for (int k = 0; k < KST_NODE_CELLS; ++k) {
        out->middle[0][k] = fine[2 * k + 1];
        out->middle[1][k] = last[2 * k + 1];
        out->middle[2][k] = fine[(size_t)(2 * k + 1) * stride];
        out->middle[3][k] = fine[(size_t)(2 * k + 1) * stride + KST_FINE_SIDE - 1];
    }
    for (int i = 0; i < KST_NODE_CELLS; ++i) {
        const int32_t *even = fine + (size_t)(2 * i) * stride, *odd = even + stride;
        for (int j = 0; j < KST_NODE_CELLS; ++j) {
            out->along[i][j] = even[2 * j + 1];
            out->down[i][j] = odd[2 * j];
            out->centre[i][j] = odd[2 * j + 1];
        }
    }
}

// ---- kernels -------------------------------------------------------------------------------------

int kst_plane_kernels_all(const kst_plane_kernels *out[4]) {
    int count = 0;
    out[count++] = &kst_plane_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) out[count++] = &kst_plane_avx2;
    if (__builtin_cpu_supports("avx512bw")) out[count++] = &kst_plane_avx512;  // none has this without vl and dq
#endif
    return count;
}

const kst_plane_kernels *kst_plane_kernels_best(void) {
    const kst_plane_kernels *all[4];
    return all[kst_plane_kernels_all(all) - 1];
}
