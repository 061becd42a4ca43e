// SPDX-License-Identifier: MIT
// Lattices of right-triangle bisection: the edge that each vertex halves, on which spans it depends, index lists.
//
// A lattice of 2^L cells begins as one square, halved by a diagonal. A vertex of class 2n+1 is the middle of a square
// of 2^(n+1) cells, where it halves the diagonal; one of class 2n the middle of such a square's side.
#include "zone_scene.h"

typedef struct parents {
    int end[2][2];   // of the edge that is halved
    int apex[2][2];  // of the triangles on both sides of it
} parents;

// Of vertex (i, j) with n = ctz(i | j) < L. odd: the whole square has the other diagonal.
static parents parents_of(int log2n, int i, int j, int odd) {
    int n = __builtin_ctz((unsigned)(i | j | 1 << log2n)), s = 1 << n;
    bool oi = i >> n & 1, oj = j >> n & 1;
    if (oi && oj) {
        int a = (i - s) / (2 * s) + (j - s) / (2 * s);
        if (n == log2n - 1) a = odd;
        int d = a & 1 ? -s : s;
        return (parents){{{i - d, j - s}, {i + d, j + s}}, {{i + d, j - s}, {i - d, j + s}}};
    }
    int di = oi ? s : 0, dj = oi ? 0 : s;
    return (parents){{{i - di, j - dj}, {i + di, j + dj}}, {{i - dj, j - di}, {i + dj, j + di}}};
}

static bool on_side(int side, int i, int j, int n) {
    return side == 0 ? j == 0 : side == 1 ? i == n : side == 2 ? j == n : i == 0;
}

static void make_relation(kst_zone_relation *out, int log2n, int odd) {
    int n = 1 << log2n;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
            kst_zone_relation *r = &out[j * (n + 1) + i];
            int level = __builtin_ctz((unsigned)(i | j | n));
            *r = (kst_zone_relation){.class = KST_NEVER};
            if (level == log2n) continue;
            parents p = parents_of(log2n, i, j, odd);
            for (int e = 0; e < 2; ++e) r->end[e][0] = (uint8_t)p.end[e][0], r->end[e][1] = (uint8_t)p.end[e][1];
            r->class = (uint8_t)(2 * level + ((i >> level & 1) && (j >> level & 1)));
        }
}

// A vertex inside depends on what the apexes of its two triangles do; coarse ones first, middles before sides.
static void make_depend(uint8_t *out, int log2n, int odd, int side, int spans_log2, int span) {
    int n = 1 << log2n, per = n >> spans_log2;
    memset(out, KST_NEVER, (size_t)(n + 1) * (size_t)(n + 1));
    for (int level = log2n; level >= 0; --level)
        for (int pass = 0; pass < 2; ++pass)
            for (int j = 0; j <= n; ++j)
                for (int i = 0; i <= n; ++i) {
                    if (__builtin_ctz((unsigned)(i | j | n)) != level) continue;
                    uint8_t *d = &out[j * (n + 1) + i];
                    if (on_side(side, i, j, n)) {
                        int at = side & 1 ? j : i;
                        if (at > span * per && at < (span + 1) * per) *d = (uint8_t)(2 * level);
                        continue;
                    }
                    if (level == log2n || i == 0 || j == 0 || i == n || j == n) continue;
                    bool middle = (i >> level & 1) && (j >> level & 1);
                    if (middle != (pass == 0)) continue;
                    parents p = parents_of(log2n, i, j, odd);
                    uint8_t a = out[p.apex[0][1] * (n + 1) + p.apex[0][0]];
                    uint8_t b = out[p.apex[1][1] * (n + 1) + p.apex[1][0]];
                    *d = a < b ? a : b;
                }
}

void kst_zone_tables_make(kst_zone_tables *t) {
    uint32_t used = 0;
    for (int l = 1; l <= 4; ++l)
        for (int odd = 0; odd < (l == 2 ? 2 : 1); ++odd) {
            make_relation(t->relation[l][odd], l, odd);
            for (int side = 0; side < 4; ++side)
                for (int spans_log2 = 0; spans_log2 < (odd ? 1 : l); ++spans_log2)
                    for (int span = 0; span < 1 << spans_log2; ++span) {
                        t->depend_first[l][odd][side][spans_log2][span] = used;
                        make_depend(t->depend + used, l, odd, side, spans_log2, span);
                        used += (uint32_t)(((1 << l) + 1) * ((1 << l) + 1));
                        KARST_ASSERT(used <= sizeof t->depend);
                    }
        }
}

const uint8_t *karst_zone_scene_depend(const karst_zone_scene *scene, int cells_log2, bool odd, int side,
                                       int spans_log2, int span) {
    KARST_ASSERT(cells_log2 >= 1 && cells_log2 <= 4 && (!odd || cells_log2 == 2) && side >= 0 && side < 4);
    KARST_ASSERT(spans_log2 >= 0 && spans_log2 < (odd ? 1 : cells_log2) && span >= 0 && span < 1 << spans_log2);
    return kst_zone_depend(&scene->tables, cells_log2, odd, side, spans_log2, span);
}

int karst_zone_indices(int cells_log2, int pattern, uint16_t *out) {
    KARST_ASSERT(cells_log2 >= 1 && cells_log2 <= 6 && pattern >= 0 && pattern <= 2 * cells_log2 + 1);
    int n = 1 << cells_log2, row = n + 1, count = 0;
    bool lone = pattern >= 2 * cells_log2, fan = !lone && (pattern & 1);
    int cell = lone ? n : 1 << ((pattern + 1) >> 1);
#define TRIANGLE(a, b, c) \
    (out[count] = (uint16_t)(a), out[count + 1] = (uint16_t)(b), out[count + 2] = (uint16_t)(c), count += 3)
    for (int j = 0; j < n; j += cell)
        for (int i = 0; i < n; i += cell) {
            int c[4] = {j * row + i, j * row + i + cell, (j + cell) * row + i + cell, (j + cell) * row + i};
            bool turned = lone ? pattern & 1 : (i / cell + j / cell) & 1;
            if (fan) {
                int m = (j + cell / 2) * row + i + cell / 2;
                for (int k = 0; k < 4; ++k) TRIANGLE(c[(k + 1) & 3], c[k], m);
            } else if (turned) {
                TRIANGLE(c[0], c[3], c[1]);
                TRIANGLE(c[1], c[3], c[2]);
            } else {
                TRIANGLE(c[0], c[2], c[1]);
                TRIANGLE(c[0], c[3], c[2]);
            }
        }
#undef TRIANGLE
    return count;
}
