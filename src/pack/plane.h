// SPDX-License-Identifier: MIT
// A plane: one integer at every vertex of a node, refined from 65 x 65 to 129 x 129 by what a record holds.
//
//     o   known: the node's own 65 x 65 vertices            o-e-o-h-o        passes, each from what is known by then:
//     e   middles on the node's outer edge                  |   |   |        e  from the coarse vertices of that edge
//     alone c   centres of the coarse cells                       e c v c v        c  from the coarse vertices h
//     middles of horizontal edges inside                |   |   |        h  from those and the centres v   middles of
//     vertical edges inside                  o-h-o-h-o        v  from all of these
//
// A middle on the outer edge is predicted from that edge alone, so the two nodes that share it predict the same value,
// find the same residual and decode the same vertex, though neither knows the other. Beyond the node, a line goes
// straight on: 2 x[0] - x[1].
//
// Residuals are quantised where they arise (r = nearest (x - prediction) / unit, decoded x = prediction + unit r), so
// what a decoder has is within (unit - 1) / 2 of x on every level, and a unit of 1 loses nothing.
//
// No number depends on another of its own pass, so a pass goes row by row through vectors, and the entropy coder knows
// beforehand which table every number is coded by: the table of its activity, how large a residual is to be expected
// from how much the ground changes round it.
#pragma once
#include "pack/rans.h"

enum {
    KST_NODE_CELLS = 64,
    KST_NODE_SIDE = 65,
    KST_FINE_SIDE = 129,
    KST_PLANE_STRIDE = 80,  // of a row in working memory; column j is at 8 + j
    KST_PLANE_LEFT = 8,
    KST_PASSES = 4,      // e, c, h, v
    KST_PASS_TERMS = 4,  // weights of a prediction, at most
    KST_EDGE_ROWS = 4,   // top, bottom, left, right
    KST_ROW_CENTRE = KST_EDGE_ROWS,
    KST_ROW_ALONG = KST_ROW_CENTRE + KST_NODE_CELLS,    // h, rows 1..63
    KST_ROW_DOWN = KST_ROW_ALONG + KST_NODE_CELLS - 1,  // v, rows 0..63; column 0 is on the edge and known
    KST_PLANE_ROWS = KST_ROW_DOWN + KST_NODE_CELLS,
    KST_PLANE_NUMBERS = KST_PLANE_ROWS * KST_RANS_ROW,
    KST_NARROW_MOST = 30000,  // what 16 bits hold with room for the quantising
};

extern const int kst_pass_terms[KST_PASSES];

// What is fitted to the ground, one of them for each level.
typedef struct kst_plane_weights {
    int16_t weight[KST_PASSES][KST_PASS_TERMS];  // 2^-15
    uint16_t activity[KST_PASSES][3];            // 2^-18 units of residual a step of change; the third 2^-18, too
    int32_t unit;                                // odd
} kst_plane_weights;
enum { KST_WEIGHTS_BYTES = 4 + 2 * (1 + 2 + 3 + 4) + 2 * 3 * KST_PASSES };
void kst_plane_weights_put(const kst_plane_weights *weights, kst_out *o);
bool kst_plane_weights_read(kst_reader *r, kst_plane_weights *out);

// Values by pass. along: rows 0 and 64 are edges; down: columns 0 and 64 are. All with one more all round than the
// passes write, where a line goes on beyond the node.
#define KST_PLANE_GRIDS(T)                                                   \
    struct {                                                                 \
        T coarse[KST_NODE_SIDE + 2][KST_PLANE_STRIDE];  /* row i at i + 1 */ \
        T centre[KST_NODE_CELLS + 2][KST_PLANE_STRIDE]; /* row i at i + 1 */ \
        T along[KST_NODE_SIDE][KST_PLANE_STRIDE];                            \
        T down[KST_NODE_CELLS][KST_PLANE_STRIDE];                            \
    }

// Working memory of one plane of one record, and what is to be done with it.
typedef struct kst_plane {
    kst_plane_weights weights;
    bool wide;              // 32 bits, else 16
    int32_t base;           // narrow: what was taken off all values
    const uint64_t *known;  // NULL, or for each row bits of what is known to be as predicted
    _Alignas(64) int32_t edge[KST_EDGE_ROWS][KST_PLANE_STRIDE];
    int32_t middle[KST_EDGE_ROWS][KST_NODE_CELLS];  // of the edges
    _Alignas(64) union {
        KST_PLANE_GRIDS(int16_t) n;
        KST_PLANE_GRIDS(int32_t) w;
    };
} kst_plane;

// What an encoder wants the plane to be, by pass; a copy of the fine grid, sorted.
typedef struct kst_plane_target {
    int32_t middle[KST_EDGE_ROWS][KST_NODE_CELLS];
    int32_t centre[KST_NODE_CELLS][KST_NODE_CELLS], along[KST_NODE_CELLS][KST_NODE_CELLS],
        down[KST_NODE_CELLS][KST_NODE_CELLS];
} kst_plane_target;

typedef struct kst_plane_numbers {
    uint32_t number[KST_PLANE_NUMBERS];
    uint16_t table[KST_PLANE_NUMBERS];
} kst_plane_numbers;

// ---- plane.c ---------------------------------------------------------------------------------------

// Take the node's vertices, stride values a row; choose nothing, check nothing: wide and base are set before.
void kst_plane_load(kst_plane *p, const int32_t *coarse, size_t stride);
void kst_plane_load16(kst_plane *p, const int16_t *coarse, size_t stride);
// Can a record be narrow (16 bits a value, twice as fast)? coarse as decoded.
bool kst_plane_is_narrow(const int32_t *coarse, size_t stride, const kst_plane_target *target);
int32_t kst_plane_base(const int32_t *coarse, size_t stride);  // of a narrow record: both sides know it
// Give the fine grid, 129 x 129.
void kst_plane_weave(const kst_plane *p, int32_t *fine, size_t stride);
void kst_plane_weave16(const kst_plane *p, int16_t *fine, size_t stride);
void kst_plane_sort(const int32_t *fine, size_t stride, kst_plane_target *out);

// Set the bit of fine vertex (i, j) in known; coarse vertices have none.
void kst_plane_mark(uint64_t *known, int i, int j);
// Of a node that reaches beyond the field: the first fine column and row at or beyond the field's last, from the node's
// first; more than 128 when they are not in it. Vertices beyond repeat the last, so they are known once it is; those
// are the bits set in known, KST_PLANE_ROWS words. False when there are none.
bool kst_plane_known_beyond(int last_column, int last_row, uint64_t *known);
// Is fine vertex (i, j), which the coarser level has not, such a copy?
bool kst_plane_is_copy(int i, int j, int last_column, int last_row);
// Repeat the last column and row; of a plane, of 129 x 129 values of 16 bits.
void kst_step_on16(uint16_t *fine, int last_column, int last_row);
void kst_plane_step_on(kst_plane *p, int last_column, int last_row);

// One set of kernels a vector width; all give the same bits.
typedef struct kst_plane_kernels {
    const char *name;
    // Read the numbers of a record's plane and make its values. False when the stream ends before.
    bool (*decode)(kst_plane *p, kst_unrans *u, const kst_rans_slots *slots);
    // One pass over the plane: numbers and tables of its rows, and its values as a decoder will have them.
    void (*encode)(kst_plane *p, const kst_plane_target *target, int pass, kst_plane_numbers *out);
} kst_plane_kernels;

extern const kst_plane_kernels kst_plane_plain;
#if defined(__x86_64__)
extern const kst_plane_kernels kst_plane_avx2, kst_plane_avx512;
#endif
const kst_plane_kernels *kst_plane_kernels_best(void);       // for this processor
int kst_plane_kernels_all(const kst_plane_kernels *out[4]);  // that this processor has

// ---- plane_fit.c -----------------------------------------------------------------------------------

// Fit weights to a few records of one level, coarse values loaded; leaves their values as decoded.
karst_status kst_plane_fit(kst_plane *const *planes, const kst_plane_target *const *targets, int count, int32_t unit,
                           kst_plane_weights *out);
