// SPDX-License-Identifier: MIT
// Method bisect on the device: triangles as they are, points, and where these are drawn.
#pragma once
#include <epoxy/gl.h>

#include "core/core.h"
#include "karst/gl.h"
#include "karst/zonescene.h"

enum { KST_BISECT_TRIANGLES, KST_BISECT_POINTS, KST_BISECT_DRAWN, KST_BISECT_BUFFERS };

typedef struct kst_zones_bisect {
    GLuint program, buffer[KST_BISECT_BUFFERS];
    GLint base_at, count_at, depth_at;
    size_t room[2];      // triangles and points that the buffers hold
    uint64_t round;      // of the mesh that is there; 0: none
    bool counted;        // fine_of names pieces
    bool all;            // of this frame everything goes up
    uint32_t triangles;  // drawn, with free ones; 0: another method, or none
    uint32_t *fine_of;   // by triangle: slot and piece whose finest normals it needs, or none
    uint8_t *depth;      // by point: edges to corners of pieces, at most
    uint32_t (*rows)[8];
    size_t fine_room, depth_room, row_room;
    int deepest;
    void *numbers;  // of the frame that is morphed
    size_t number_room, number_bytes;
} kst_zones_bisect;

karst_status kst_zones_bisect_make(karst_gl_zones *zones, const char *defines, karst_report *report);
void kst_zones_bisect_free(kst_zones_bisect *bisect);
// What is there is of no use any more: the next frame brings everything.
void kst_zones_bisect_forget(karst_gl_zones *zones);
// Before zones leave: what changes needs no piece any more.
void kst_zones_bisect_begin(karst_gl_zones *zones, const karst_zone_frame *frame);
// Dirty triangles and points go up. @return KARST_ERROR_MEMORY, KARST_ERROR_LIMIT
karst_status kst_zones_bisect_put(karst_gl_zones *zones, const karst_zone_frame *frame);
// Once all pieces are there: points move, unless they stand where this frame has them. @return KARST_ERROR_MEMORY
karst_status kst_zones_bisect_morph(karst_gl_zones *zones, const karst_zone_frame *frame);
// Its buffers to their places.
void kst_zones_bisect_bind(const kst_zones_bisect *bisect);
uint64_t kst_zones_bisect_bytes(const kst_zones_bisect *bisect);
