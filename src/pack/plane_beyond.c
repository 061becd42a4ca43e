// SPDX-License-Identifier: MIT
// Nodes that reach beyond the field. Level L's vertex i is the field's vertex min(i 2^L, columns - 1), so with f the
// first i at or beyond the last column, all i > f are copies of f; and where f is odd, f itself is one of f + 1 in the
// rows of the coarser level, which has that column's value already. Copies are not coded: they keep their prediction
// while passes run, and are set when all have.
#include "pack/plane.h"

bool kst_plane_is_copy(int i, int j, int fx, int fz) {
    if (i > fx || j > fz) return true;
    if (i == fx && (i & 1) && !(j & 1)) return true;  // of (i + 1, j)
    if (j == fz && (j & 1) && !(i & 1)) return true;  // of (i, j + 1)
    return i == fx && j == fz && (i & 1) && (j & 1);  // of (i + 1, j + 1)
}

void kst_plane_mark(uint64_t *known, int i, int j) {
    int column = i / 2, row = j / 2;
    if (i & 1) {
        int at = j & 1 ? KST_ROW_CENTRE + row : row == 0 ? 0 : row == KST_NODE_CELLS ? 1 : KST_ROW_ALONG + row - 1;
        known[at] |= UINT64_C(1) << column;
    } else if (j & 1) {
        if (column == 0 || column == KST_NODE_CELLS)
            known[column ? 3 : 2] |= UINT64_C(1) << row;
        else
            known[KST_ROW_DOWN + row] |= UINT64_C(1) << column;
    }
}

bool kst_plane_known_beyond(int fx, int fz, uint64_t *known) {
    memset(known, 0, KST_PLANE_ROWS * sizeof *known);
    if (fx >= KST_FINE_SIDE - 1 && fz >= KST_FINE_SIDE - 1) return false;
    for (int j = 0; j < KST_FINE_SIDE; ++j)
        for (int i = j < fz ? fx : 0; i < KST_FINE_SIDE; ++i)
            if (kst_plane_is_copy(i, j, fx, fz)) kst_plane_mark(known, i, j);
    return true;
}

static int32_t get(const kst_plane *p, int i, int j) {
    int row = j / 2, column = KST_PLANE_LEFT + i / 2;
    if (p->wide)
        return j & 1   ? i & 1 ? p->w.centre[row + 1][column] : p->w.down[row][column]
                 : i & 1 ? p->w.along[row][column]
                       : p->w.coarse[row + 1][column];
    return j & 1   ? i & 1 ? p->n.centre[row + 1][column] : p->n.down[row][column]
             : i & 1 ? p->n.along[row][column]
                   : p->n.coarse[row + 1][column];
}

static void set(kst_plane *p, int i, int j, int32_t v) {
    int row = j / 2, column = KST_PLANE_LEFT + i / 2;
    if (p->wide) {
        int32_t *to = j & 1   ? i & 1 ? &p->w.centre[row + 1][column] : &p->w.down[row][column]
                        : i & 1 ? &p->w.along[row][column]
                              : &p->w.coarse[row + 1][column];
        *to = v;
    } else {
        int16_t *to = j & 1   ? i & 1 ? &p->n.centre[row + 1][column] : &p->n.down[row][column]
                        : i & 1 ? &p->n.along[row][column]
                              : &p->n.coarse[row + 1][column];
        *to = (int16_t)v;
    }
}

void kst_plane_step_on(kst_plane *p, int fx, int fz) {
    enum { LAST = KST_FINE_SIDE - 1 };
    bool right = fx < LAST, below = fz < LAST;
    // What the coarser level has, then the last column to the right, then the last row down.
    for (int i = 0; below && (fz & 1) && i <= LAST; i += 2) set(p, i, fz, get(p, i, fz + 1));
    if (right && below && (fx & 1) && (fz & 1)) set(p, fx, fz, get(p, fx + 1, fz + 1));
    for (int j = 0; right && j <= LAST; ++j) {
        if ((fx & 1) && !(j & 1)) set(p, fx, j, get(p, fx + 1, j));
        int32_t v = get(p, fx, j);
        for (int i = fx + 1; i <= LAST; ++i) set(p, i, j, v);
    }
    for (int i = 0; below && i <= LAST; ++i) {
        int32_t v = get(p, i, fz);
        for (int j = fz + 1; j <= LAST; ++j) set(p, i, j, v);
    }
}

void kst_step_on16(uint16_t *fine, int fx, int fz) {
    enum { LAST = KST_FINE_SIDE - 1 };
    bool right = fx < LAST, below = fz < LAST;
    uint16_t *last = fine + fz * KST_FINE_SIDE;
    for (int i = 0; below && (fz & 1) && i <= LAST; i += 2) last[i] = last[i + KST_FINE_SIDE];
    if (right && below && (fx & 1) && (fz & 1)) last[fx] = last[fx + 1 + KST_FINE_SIDE];
    for (int j = 0; right && j <= LAST; ++j) {
        uint16_t *row = fine + j * KST_FINE_SIDE;
        if ((fx & 1) && !(j & 1)) row[fx] = row[fx + 1];
        for (int i = fx + 1; i <= LAST; ++i) row[i] = row[fx];
    }
    for (int j = fz + 1; below && j <= LAST; ++j) memcpy(fine + j * KST_FINE_SIDE, last, KST_FINE_SIDE * sizeof *fine);
}
