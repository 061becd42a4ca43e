// SPDX-License-Identifier: MIT
// Cut: the chunks of all levels out of the sheet. A coarser chunk takes a subset of the same integers.
#include <math.h>

#include "bake/sheet.h"

static int32_t column_of(const kst_sheet *s, int level, int32_t x, int i) {
    int64_t column = ((int64_t)x * KARST_CHUNK_CELLS + i) << level;
    return column < s->columns ? (int32_t)column : s->columns - 1;
}
static int32_t row_of(const kst_sheet *s, int level, int32_t z, int j) {
    int64_t row = ((int64_t)z * KARST_CHUNK_CELLS + j) << level;
    return row < s->rows ? (int32_t)row : s->rows - 1;
}

// Every second vertex of a chunk out of the sheet's half lattice; zeros when there is none.
static void cut_half(const kst_sheet *s, const uint8_t *from, int level, int32_t x, int32_t z,
                     uint8_t out[KARST_HALF_VERTICES]) {
    memset(out, 0, KARST_HALF_VERTICES);
    if (!from) return;
    int32_t across = kst_half_count(s->columns), down = kst_half_count(s->rows);
    for (int j = 0; j < KARST_HALF_SIDE; ++j) {
        int64_t row = ((int64_t)z * KARST_CHUNK_CELLS + 2 * j) << level >> 1;
        const uint8_t *line = from + (size_t)(row < down ? row : down - 1) * (size_t)across;
        for (int i = 0; i < KARST_HALF_SIDE; ++i) {
            int64_t column = ((int64_t)x * KARST_CHUNK_CELLS + 2 * i) << level >> 1;
            out[j * KARST_HALF_SIDE + i] = line[column < across ? column : across - 1];
        }
    }
}

void kst_sheet_chunk(const kst_sheet *s, const kst_tables *tables, int level, int32_t x, int32_t z, karst_chunk *out) {
    for (int j = 0; j < KARST_CHUNK_SIDE; ++j) {
        size_t row = kst_sheet_index(s, 0, row_of(s, level, z, j));
        for (int i = 0; i < KARST_CHUNK_SIDE; ++i) {
            size_t at = row + (size_t)column_of(s, level, x, i);
            int k = j * KARST_CHUNK_SIDE + i;
            out->vertex[k] = (karst_vertex){s->y[at], s->displaced ? s->dx[at] : 0, s->displaced ? s->dz[at] : 0};
            out->normal[k] = s->normal[at];
        }
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j)
        out->hole[j] =
            s->hole[level][((size_t)z * KARST_CHUNK_CELLS + (size_t)j) * (size_t)s->chunks_x[level] + (size_t)x];
    cut_half(s, s->occlusion, level, x, z, out->occlusion);
    cut_half(s, s->transparency, level, x, z, out->transparency);
    kst_tables_corners(s, tables, level, x, z, &out->corners);
}

kst_steps_box kst_sheet_ground_bounds(const kst_sheet *s, int32_t x, int32_t z) {
    kst_steps_box box = KST_STEPS_BOX_EMPTY;
    const uint64_t *hole = s->hole[0] + (size_t)z * KARST_CHUNK_CELLS * (size_t)s->chunks_x[0] + (size_t)x;
    for (int j = 0; j < KARST_CHUNK_SIDE; ++j) {
        uint64_t ground = 0;  // cells of the rows above and below these vertices
        if (j > 0) ground |= ~hole[(size_t)(j - 1) * (size_t)s->chunks_x[0]];
        if (j < KARST_CHUNK_CELLS) ground |= ~hole[(size_t)j * (size_t)s->chunks_x[0]];
        for (int i = 0; ground && i < KARST_CHUNK_SIDE; ++i) {
            bool touches = (i < 64 && (ground >> i & 1)) || (i > 0 && (ground >> (i - 1) & 1));
            if (!touches) continue;
            int32_t column = x * KARST_CHUNK_CELLS + i, row = z * KARST_CHUNK_CELLS + j;
            size_t at = kst_sheet_index(s, column, row);
            int32_t vx = column * s->lattice.cell_steps + (s->displaced ? s->dx[at] : 0);
            int32_t vz = row * s->lattice.cell_steps + (s->displaced ? s->dz[at] : 0);
            kst_steps_box_add(&box, &(kst_steps_box){{vx, s->y[at], vz}, {vx, s->y[at], vz}});
        }
    }
    return box;
}

static bool any_ground(const kst_sheet *s, int level, int32_t x, int32_t z) {
    // Holes of a coarse level are "a hole anywhere below"; ground is looked for in level 0.
    int64_t span = (int64_t)1 << level;
    for (int64_t j = (int64_t)z * span * 64; j < (int64_t)(z + 1) * span * 64 && j < (int64_t)s->chunks_z[0] * 64; ++j)
        for (int64_t w = x * span; w < (x + 1) * span && w < s->chunks_x[0]; ++w)
            if (~s->hole[0][(size_t)j * (size_t)s->chunks_x[0] + (size_t)w]) return true;
    return false;
}

kst_steps_box kst_sheet_chunk_bounds(const kst_sheet *s, const kst_tables *t, int level, int32_t x, int32_t z) {
    kst_steps_box box = KST_STEPS_BOX_EMPTY;
    if (!any_ground(s, level, x, z)) return box;
    float coarse = 0;
    for (int j = 0; j < KARST_CHUNK_PATCHES; ++j)
        for (int i = 0; i < KARST_CHUNK_PATCHES; ++i) {
            int32_t px = x * KARST_CHUNK_PATCHES + i, pz = z * KARST_CHUNK_PATCHES + j;
            if (px >= t->patches_x[level] || pz >= t->patches_z[level]) continue;
            size_t at = (size_t)pz * (size_t)t->patches_x[level] + (size_t)px;
            kst_steps_box_add(&box, &t->bounds[level][at]);
            coarse = fmaxf(coarse, t->error[level][KARST_PATCH_LEVELS][at]);
        }
    // Triangles that reach beyond the field hang on vertices stepped on from its edge; what they show inside it is at
    // most their error away. Heights stay between those of the chunk's vertices.
    bool beyond = ((int64_t)(x + 1) * KARST_CHUNK_CELLS) << level > s->columns - 1 ||
                  ((int64_t)(z + 1) * KARST_CHUNK_CELLS) << level > s->rows - 1;
    if (s->displaced && beyond) {
        int32_t more = (int32_t)fmin(ceil(coarse / s->lattice.step_xz_m), 1 << 29);
        for (int a = 0; a < 3; a += 2) box.min[a] -= more, box.max[a] += more;
    }
    return box;
}
