// SPDX-License-Identifier: MIT
// Meshes out: the reference triangles of a ground, welded, and their writers.
#pragma once
#include "geo/geo.h"

typedef struct kst_mesh {
    double (*position)[3];  // world [m]
    uint32_t (*triangle)[3];
    size_t vertex_count, vertex_room, triangle_count, triangle_room;
    uint32_t *slot;  // open hash table of vertex + 1 by position; slot_count is a power of two
    size_t slot_count;
    double min[3], max[3];
} kst_mesh;

// All triangles of all chunks in order; vertices that are equal bit for bit are one.
karst_status kst_mesh_build(kst_mesh *mesh, const karst_ground *ground, const char *path,
                            const karst_progress *progress, karst_report *report);
void kst_mesh_free(kst_mesh *mesh);

karst_status kst_mesh_write_obj(const kst_mesh *mesh, const char *path, const karst_progress *progress,
                                karst_report *report);
karst_status kst_mesh_write_ply(const kst_mesh *mesh, const char *path, const karst_progress *progress,
                                karst_report *report);
// *grain_m: how far a float may be off at this extent.
karst_status kst_mesh_write_glb(const kst_mesh *mesh, const char *path, const karst_progress *progress,
                                karst_report *report, double *grain_m);

// Decimal text of v to 7 places (0.1 um), no zeros behind the last; returns its length, < 40.
int kst_put_decimal(char *out, double v);

// Little-endian words.
void kst_put_words(kst_writer *writer, const uint32_t *words, size_t count);
