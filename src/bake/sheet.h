// SPDX-License-Identifier: MIT
// Sheet: a whole field on the lattice of its pack, and what is measured on it. See docs/bake.md.
//
// Everything later reads the same integers: normals, errors, bounds and the chunks of all levels, so whatever two
// chunks share is equal bit for bit because it is computed once, or from the same numbers in the same order.
#pragma once
#include "core/core.h"
#include "karst/chunk.h"
#include "karst/field.h"

enum { KST_LEVELS = KARST_MAX_LEVEL + 1 };

// Arrays over the whole field come from the scratch, so they may lie in a file: any rectangle at any stride may be read
// at any time by plain indexing, and who has read some megabytes calls kst_scratch_ease(sheet->scratch).
//
// A field of columns x rows vertices. Level L is chunks_x[L] x chunks_z[L] chunks of 64 x 64 cells of stride 2^L.
typedef struct kst_sheet {
    kst_scratch *scratch;  // not the sheet's; NULL: all in memory
    karst_lattice lattice;
    int32_t columns, rows;
    int level_count;  // the last level is one chunk
    int32_t chunks_x[KST_LEVELS], chunks_z[KST_LEVELS];
    bool displaced;
    int32_t *y;        // [lattice steps], row-major
    int16_t *dx, *dz;  // NULL unless displaced
    uint16_t *normal;  // smooth, encoded; filled by kst_sheet_normals
    // Of every second vertex, kst_half_count(columns) a row, from kst_scratch_alloc; NULL: all 0.
    uint8_t *occlusion, *transparency;
    uint64_t *hole[KST_LEVELS];  // chunks_x[L] words a row, 64 * chunks_z[L] rows; outside the field is hole
    uint64_t *row_hash;          // of each row's vertices as quantised
    uint64_t source_hash;        // of the author's samples and the shape
    uint64_t hole_count;         // inside the field
    const uint8_t *replaced;  // of each patch of level 0: 1 where a net takes its place; not the sheet's; NULL: nowhere
    double largest_error_m;   // measured at every vertex against the author's
} kst_sheet;

// What may be done to the author's samples before they are quantised, when some are displaced: of the shape and holes
// of the sheet, row by row.
typedef struct kst_sheet_change {
    karst_status (*run)(void *context, const kst_sheet *sheet, float *y, float *x, float *z, karst_report *report);
    void *context;
} kst_sheet_change;

// Where a net takes the place of the field: those patches are cut out.
typedef struct kst_sheet_seam {
    const uint8_t *patches;  // of each patch of level 0, row by row: 1 where it does; lives longer than the sheet
    double fine_m;           // the lattice is made of whole multiples of this
} kst_sheet_seam;

// Read a field and put it on the lattice that error_m allows. change and seam may be NULL. scratch: lives longer than
// the sheet; may be NULL. Fails with KARST_ERROR_LIMIT when a vertex does not fit, and says which one.
karst_status kst_sheet_build(karst_field *field, double error_m, const kst_sheet_change *change,
                             const kst_sheet_seam *seam, kst_scratch *scratch, karst_jobs *jobs,
                             const karst_progress *progress, karst_report *report, kst_sheet *out);
void kst_sheet_free(kst_sheet *sheet);  // an empty one too

// The lattice for a shape: undisplaced, a height is at most half a step off; displaced, a vertex is at most half a
// step off along each of three axes. fine_m: steps sideways are whole multiples of this, as the spacing is; 0: of
// nothing.
karst_lattice kst_lattice_make(const karst_field_shape *shape, bool displaced, double error_m, double fine_m);

// seam.c: make the patches that the net takes the place of holes. There must be ground along them.
karst_status kst_sheet_cut_out(kst_sheet *sheet, const uint8_t *patches, karst_report *report);

// Take in the author's opacity of vertex rows [row, end), all from 0 on.
karst_status kst_sheet_opacity(karst_field *field, kst_sheet *sheet, int32_t row, int32_t end, karst_report *report);
uint64_t kst_sheet_opacity_hash(const kst_sheet *sheet, uint64_t hash);  // hash itself where all is solid

// Smooth normals of all vertices.
karst_status kst_sheet_normals(kst_sheet *sheet, karst_jobs *jobs, const karst_progress *progress);

// Occlusion of every second vertex, after the normals. field: the author's, for rays where it overhangs.
karst_status kst_sheet_occlusion(kst_sheet *sheet, karst_field *field, karst_jobs *jobs, const karst_progress *progress,
                                 karst_report *report);

static inline int32_t kst_min32(int32_t a, int32_t b) {
    return a < b ? a : b;
}
static inline int32_t kst_max32(int32_t a, int32_t b) {
    return a > b ? a : b;
}
// Every second of so many vertices; when their number is even, one more, stepped on from the last.
static inline int32_t kst_half_count(int32_t vertices) {
    return vertices / 2 + 1;
}
static inline size_t kst_sheet_index(const kst_sheet *s, int32_t column, int32_t row) {
    return (size_t)row * (size_t)s->columns + (size_t)column;
}
// Patches of level 0 along so many vertices.
static inline int32_t kst_patch_count(int32_t vertices) {
    return (vertices - 1 + KARST_PATCH_CELLS - 1) / KARST_PATCH_CELLS;
}
static inline bool kst_sheet_is_hole(const kst_sheet *s, int32_t column, int32_t row) {
    return s->hole[0][(size_t)row * (size_t)s->chunks_x[0] + (size_t)(column / 64)] >> (column % 64) & 1;
}
// What light sees: where a net takes the place of the field, that is as good as the net, which follows it.
static inline bool kst_sheet_lets_light(const kst_sheet *s, int32_t column, int32_t row) {
    if (!kst_sheet_is_hole(s, column, row)) return false;
    if (!s->replaced) return true;
    size_t across = (size_t)kst_patch_count(s->columns);
    return !s->replaced[(size_t)(row / KARST_PATCH_CELLS) * across + (size_t)(column / KARST_PATCH_CELLS)];
}

// ---- table.c: errors and bounds of patches ---------------------------------------------------------

// Bounds in lattice steps relative to the ground's origin; empty when min > max.
typedef struct kst_steps_box {
    int32_t min[3], max[3];
} kst_steps_box;
#define KST_STEPS_BOX_EMPTY ((kst_steps_box){{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}})
void kst_steps_box_add(kst_steps_box *box, const kst_steps_box *other);
// To metres, rounded outward: min xyz, max xyz.
void kst_steps_box_metres(const kst_steps_box *box, const karst_lattice *lattice, float out[6]);

// Of each patch of each level: its bounds, and the largest distance D_k between the surfaces of stride 2^k and the
// reference surface at its vertices, border included, for k = L .. L + 4; rounded up, growing with k.
typedef struct kst_tables {
    int32_t patches_x[KST_LEVELS], patches_z[KST_LEVELS];
    kst_steps_box *bounds[KST_LEVELS];
    float *error[KST_LEVELS][KARST_PATCH_LEVELS + 1];
    // From level 1 on: 1 where the closed square of a patch touches a seam. Nothing coarser than level 0 is drawn
    // there, so corners and nodes get an error that nobody allows, by stride. NULL: there is no seam.
    uint8_t *seam[KST_LEVELS];
    float seam_error[KST_LEVELS + KARST_PATCH_LEVELS];
} kst_tables;

// One row of chunks of level 0: its own part of the tables, as bytes that can be kept.
size_t kst_table_row_bytes(const kst_sheet *sheet);
uint64_t kst_table_row_key(const kst_sheet *sheet, int32_t chunk_z);
karst_status kst_table_row_build(const kst_sheet *sheet, int32_t chunk_z, uint8_t *out);

// Put the rows together, level by level.
karst_status kst_tables_build(const kst_sheet *sheet, const uint8_t *const *rows, kst_tables *out);
void kst_tables_free(kst_tables *tables);

void kst_tables_corners(const kst_sheet *sheet, const kst_tables *tables, int level, int32_t x, int32_t z,
                        karst_chunk_corners *out);
karst_node kst_tables_node(const kst_sheet *sheet, const kst_tables *tables, int level, int32_t x, int32_t z);

// ---- cut.c: chunks -----------------------------------------------------------------------------------

void kst_sheet_chunk(const kst_sheet *sheet, const kst_tables *tables, int level, int32_t x, int32_t z,
                     karst_chunk *out);

// Bounds of everything that may be drawn of a chunk at its level or a coarser one; coarse triangles hang on vertices
// inside holes too. Empty when the chunk is all hole.
kst_steps_box kst_sheet_chunk_bounds(const kst_sheet *sheet, const kst_tables *tables, int level, int32_t x, int32_t z);

// Bounds of a level-0 chunk's reference triangles. Empty when it is all hole.
kst_steps_box kst_sheet_ground_bounds(const kst_sheet *sheet, int32_t x, int32_t z);
