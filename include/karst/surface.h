// SPDX-License-Identifier: MIT
// Ground: the questions that every kind of ground answers. See docs/surface.md.
//
// A ground is its reference triangles: the finest triangles of each chunk, a pure function of its data.
// Rays, heights, exports and the picture at full detail are these triangles.
#pragma once
#include "karst/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A ray. Points on it are origin + t * direction; direction need not be of unit length, t counts in it. A ray that
/// is none (not finite, a zero direction, a t that is no number) is answered with KARST_ERROR_ARGUMENT.
typedef struct karst_ray {
    karst_pos origin;     ///< world [m]
    karst_pos direction;  ///< any length but zero, finite
    double t_min, t_max;  ///< closed range of t to look in; t_max may be INFINITY
} karst_ray;

/// A ray from origin along direction, t in [0, infinity). Threads: any.
KARST_API karst_ray karst_ray_make(karst_pos origin, karst_pos direction);

/// Where on a ground something is, in the terms of its kind: for a field the chunk and the cell
/// (column, row counted over the whole field) and which of its two triangles.
typedef struct karst_place {
    uint32_t chunk;
    int32_t column, row;
    uint32_t triangle;
} karst_place;

/// What a ray met. When hit is false the rest is zero.
typedef struct karst_hit {
    bool hit;
    double t;
    karst_pos position;
    karst_vec3 normal;  ///< unit, of the triangle, on the side that faces up in the ground's own sense
    karst_place place;
} karst_hit;

/// One answer of "all ground at (x, z)".
typedef struct karst_level {
    double y;           ///< world height [m]
    karst_vec3 normal;  ///< unit, of the triangle
    karst_place place;
} karst_level;

/// One reference triangle, counter-clockwise seen from its upper side.
typedef struct karst_triangle {
    karst_pos corner[3];
    karst_place place;
} karst_triangle;

/// Receives triangles; return false to stop.
typedef bool karst_triangle_fn(void *context, const karst_triangle *triangles, int count);

typedef struct karst_ground karst_ground;

/// One kind of ground: the table that every kind fills in. All functions may be called from many
/// threads at once. A chunk is the unit of baking, streaming and dirtiness.
typedef struct karst_ground_table {
    const char *kind;  ///< "field", "patch", "tile", "block"
    karst_box (*bounds)(const karst_ground *ground);
    uint32_t (*chunk_count)(const karst_ground *ground);
    karst_box (*chunk_bounds)(const karst_ground *ground, uint32_t chunk);
    karst_status (*chunk_triangles)(const karst_ground *ground, uint32_t chunk, karst_triangle_fn *fn, void *context);
    karst_status (*heights)(const karst_ground *ground, double x, double z, karst_level *out, int capacity, int *count);
    bool (*height)(const karst_ground *ground, double x, double z, double *y);  ///< NULL: the first of heights
    /// Refuses a ray that is none with KARST_ERROR_ARGUMENT. any: out->hit alone is of interest.
    karst_status (*cast)(const karst_ground *ground, const karst_ray *ray, bool any, karst_hit *out);
    size_t (*memory)(const karst_ground *ground);
    /// As karst_ground_near(). NULL: chunk by chunk.
    karst_status (*near_box)(const karst_ground *ground, karst_box box, karst_triangle_fn *fn, void *context);
} karst_ground_table;

/// Every ground begins with this; kinds add their own data behind it.
struct karst_ground {
    const karst_ground_table *table;
};

/// Smallest box known to hold every reference triangle, world [m]. Threads: any. Cost: O(1).
KARST_API karst_box karst_ground_bounds(const karst_ground *ground);

/// Number of chunks; they are numbered from 0. Threads: any. Cost: O(1).
KARST_API uint32_t karst_ground_chunk_count(const karst_ground *ground);

/// Smallest box known to hold the reference triangles of one chunk, world [m]; empty when it has none. Threads: any.
KARST_API karst_box karst_ground_chunk_bounds(const karst_ground *ground, uint32_t chunk);

/// Hand every reference triangle of a chunk to fn, holes left out, in a fixed order. Threads: any.
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT, KARST_ERROR_MEMORY when the chunk cannot be had;
/// KARST_ERROR_CANCELLED when fn said stop
KARST_API karst_status karst_ground_triangles(const karst_ground *ground, uint32_t chunk, karst_triangle_fn *fn,
                                              void *context);

/// All the ground at (x, z), sorted from the top down; a point on a shared edge is one answer.
/// @param capacity room in out; *count may be larger: the number there is
/// @return as karst_ground_triangles(); no ground there is KARST_OK with *count 0
/// Threads: any. Cost: O(log chunks + answers), no allocation once the chunk is resident.
KARST_API karst_status karst_ground_heights(const karst_ground *ground, double x, double z, karst_level *out,
                                            int capacity, int *count);

/// The highest ground at world (x, z): true and *y [m], or false when there is none (hole, outside). Threads: any.
KARST_API bool karst_ground_height(const karst_ground *ground, double x, double z, double *y);

/// Nearest hit of a ray, from either side, watertight on vertices, edges, diagonals and borders. Nothing met is
/// KARST_OK with out->hit false. Threads: any. Cost: O(log chunks) boxes and a few triangles.
/// @return as karst_ground_triangles()
KARST_API karst_status karst_ground_cast(const karst_ground *ground, const karst_ray *ray, karst_hit *out);

/// Whether anything is hit at all (line of sight); cheaper than the nearest. Threads: any.
/// @return as karst_ground_triangles()
KARST_API karst_status karst_ground_blocked(const karst_ground *ground, const karst_ray *ray, bool *out);

/// Hand every reference triangle whose own bounds touch a box (world [m], closed, may be infinite) to fn, each once, in
/// a fixed order, a few at a time. So none that the box touches is missed, and some that it only nearly touches come
/// too. An empty box, or one that is no number, touches nothing. Threads: any; fn may ask the ground. Cost: O(log
/// chunks + answers), no allocation but what the first query of a chunk makes.
/// @return as karst_ground_triangles()
KARST_API karst_status karst_ground_near(const karst_ground *ground, karst_box box, karst_triangle_fn *fn,
                                         void *context);

/// Bytes of memory that the ground holds now for queries, its chunks' samples included. Threads: any.
KARST_API size_t karst_ground_memory(const karst_ground *ground);

#ifdef __cplusplus
}
#endif
