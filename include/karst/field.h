// SPDX-License-Identifier: MIT
// Field: vector-field ground. A grid of vertices, each with a three-dimensional displacement from its
// rest place on the plane. See docs/field.md.
//
// Vertex (column i, row j) lies at origin + (i * spacing + dx, dy, j * spacing + dz). A height map uses
// dy only. Cell (i, j) has the corners (i, j) .. (i+1, j+1); its two triangles share the diagonal that
// joins the corners whose i + j is even. A hole is one bit a cell.
//
// A chunk is 64 x 64 cells with 65 x 65 vertices; border vertices are stored in both neighbours and are
// equal bit for bit. The last chunk of a row or column may be only partly inside; what is outside is hole.
#pragma once
#include "karst/base.h"
#include "karst/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KARST_CHUNK_CELLS = 64,
    KARST_CHUNK_SIDE = KARST_CHUNK_CELLS + 1,
    KARST_CHUNK_VERTICES = KARST_CHUNK_SIDE * KARST_CHUNK_SIDE,
    KARST_HALF_SIDE = KARST_CHUNK_CELLS / 2 + 1,  ///< every second vertex along a chunk: 33
    KARST_HALF_VERTICES = KARST_HALF_SIDE * KARST_HALF_SIDE,
    KARST_FIELD_MAX_SIDE = 1 << 20,  ///< vertices along one side
};

/// Size and place of a field.
typedef struct karst_field_shape {
    int32_t columns, rows;  ///< vertices, 2..KARST_FIELD_MAX_SIDE
    double spacing_m;       ///< between neighbouring vertices at rest, > 0
    karst_pos origin;       ///< world position of vertex (0, 0) at rest
} karst_field_shape;

/// The samples of one chunk, author's precision. Row-major, 65 vertices a row.
typedef struct karst_field_chunk {
    float y[KARST_CHUNK_VERTICES];     ///< dy [m]
    float x[KARST_CHUNK_VERTICES];     ///< dx [m]; meaningful only if displaced
    float z[KARST_CHUNK_VERTICES];     ///< dz [m]; meaningful only if displaced
    uint64_t hole[KARST_CHUNK_CELLS];  ///< bit i of word j: cell (i, j) is a hole
    /// 255 - opacity of vertices (2i, 2j), 33 a row: zero is solid ground.
    uint8_t transparency[KARST_HALF_VERTICES];
    bool displaced;  ///< any dx or dz in this chunk is not zero
} karst_field_chunk;

/// Where a paged field keeps its chunks when they are not in memory. All calls come from one thread at a time.
typedef struct karst_field_store {
    /// Fill *out; a chunk never stored is flat ground at y 0 without holes: set *found false for it.
    karst_status (*load)(void *context, int32_t chunk_x, int32_t chunk_z, karst_field_chunk *out, bool *found);
    /// Keep a changed chunk.
    karst_status (*save)(void *context, int32_t chunk_x, int32_t chunk_z, const karst_field_chunk *chunk);
    void *context;
    /// Raise most_m[chunk_z * chunks_x + chunk_x] to the largest |dx| or |dz| that each chunk may hold [m], or more; so
    /// what may be at a place is known without loading it all. NULL: every chunk is loaded once for that.
    karst_status (*farthest)(void *context, float *most_m);
} karst_field_store;

/// Parameters of a field. Start from karst_field_def_default().
typedef struct karst_field_def {
    karst_field_shape shape;
    const karst_field_store *store;  ///< NULL: all in memory
    size_t cache_bytes;              ///< most memory for chunks when there is a store; default 256 MiB
    const karst_allocator *allocator;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_field_def;

typedef struct karst_field karst_field;

/// A 1025 x 1025 field at 1 m, origin 0, in memory.
KARST_API karst_field_def karst_field_def_default(void);

/// Make a field. @param def NULL: the default @param out yours until karst_field_destroy(); untouched on error
/// Threads: one field is used from one thread at a time, but for queries through its ground. Cost: O(chunks) pointers;
/// no chunk is touched, so a 16,385 x 16,385 field opens at once.
/// @return KARST_ERROR_MEMORY, KARST_ERROR_ARGUMENT (shape out of range)
KARST_API karst_status karst_field_create(const karst_field_def *def, karst_field **out);

/// Free a field; changes not flushed are lost. NULL is allowed.
KARST_API void karst_field_destroy(karst_field *field);

/// Size and place, as given at creation. Cost: O(1).
KARST_API karst_field_shape karst_field_shape_of(const karst_field *field);

/// Chunks along x and z. Cost: O(1).
KARST_API void karst_field_chunk_grid(const karst_field *field, int32_t *chunks_x, int32_t *chunks_z);

/// Read vertices [rect), inside the field, into caller's arrays of `stride` floats a row: displacement [m]; x and z
/// may be NULL. Cost: O(vertices), and loading the chunks they lie in.
/// @return KARST_ERROR_FILE and so on from the store, KARST_ERROR_MEMORY
KARST_API karst_status karst_field_read(karst_field *field, karst_rect rect, float *y, float *x, float *z, int stride);

/// Write vertices [rect). x and z both NULL leaves the sideways displacement as it is. Border copies in
/// all chunks are kept equal. NaN and infinity are refused. Threads: one writer, and no query meanwhile.
/// @return KARST_ERROR_ARGUMENT (not finite), KARST_ERROR_MEMORY, and what the store returns
KARST_API karst_status karst_field_write(karst_field *field, karst_rect rect, const float *y, const float *x,
                                         const float *z, int stride);

/// Read the hole flags of cells [rect), inside the field: one byte a cell, 0 or 1, `stride` bytes a row.
/// @return KARST_ERROR_MEMORY, and what the store returns
KARST_API karst_status karst_field_read_holes(karst_field *field, karst_rect rect, uint8_t *holes, int stride);
/// Write the hole flags of cells [rect): not 0 is a hole. Otherwise as karst_field_read_holes(); one writer.
KARST_API karst_status karst_field_write_holes(karst_field *field, karst_rect rect, const uint8_t *holes, int stride);

/// Read the opacity of every second vertex, 0 gone .. 255 solid, which all ground is at first: sample (i, j) is that of
/// vertex (2i, 2j), so there are (columns + 1) / 2 by (rows + 1) / 2; between them it is linear. A picture leaves out
/// as many pixels as ground is transparent; heights and rays meet it as if it were solid. rect: samples; `stride` bytes
/// a row. @return KARST_ERROR_ARGUMENT (outside), KARST_ERROR_MEMORY, and what the store returns
KARST_API karst_status karst_field_read_opacity(karst_field *field, karst_rect rect, uint8_t *opacity, int stride);
/// Write the opacity of samples [rect). Otherwise as karst_field_read_opacity(); one writer.
KARST_API karst_status karst_field_write_opacity(karst_field *field, karst_rect rect, const uint8_t *opacity,
                                                 int stride);

/// Copy one chunk as it is stored, padding included (outside the field: stepped on from the last sample, hole).
/// @return KARST_ERROR_MEMORY, and what the store returns
KARST_API karst_status karst_field_read_chunk(karst_field *field, int32_t chunk_x, int32_t chunk_z,
                                              karst_field_chunk *out);

/// Give every changed chunk to the store. Without a store nothing happens. @return what the store returns
KARST_API karst_status karst_field_flush(karst_field *field);

/// Position and smooth normal of the surface at grid coordinates (u, v) in cells, 0..columns-1, 0..rows-1:
/// on the reference triangle; the normal is interpolated from the vertices', each the sum of the normals of the
/// triangles round it. Holes are ignored. @return KARST_ERROR_ARGUMENT outside, and as karst_field_read()
KARST_API karst_status karst_field_sample(karst_field *field, double u, double v, karst_pos *position,
                                          karst_vec3 *normal);

/// The smallest rect of vertices known to hold all whose position has x and z inside the box (its y is not asked):
/// vertices may be displaced sideways, and each chunk's farthest displacement ever written is kept, never the chunk.
/// Empty where there are none. Threads: as reads. Cost: O(chunks within reach of the box), after a first call that
/// looks at all chunks that lie in memory, and asks the store for the others (karst_field_store.farthest).
/// @return as karst_field_read()
KARST_API karst_status karst_field_find(karst_field *field, karst_box box, karst_rect *out);

/// The highest ground at world (x, z), to a rounding as the field's ground answers it, but only chunks within reach of
/// the place are looked at. @param found false: no ground there (hole, outside), and *y is untouched Threads: as reads.
/// Cost: as karst_field_find(), and the cells there. @return as karst_field_read()
KARST_API karst_status karst_field_top(karst_field *field, double x, double z, double *y, bool *found);

/// The field as a ground, valid until the field is destroyed. Queries see the samples of the moment;
/// do not write during a query.
KARST_API const karst_ground *karst_field_ground(karst_field *field);

#ifdef __cplusplus
}
#endif
