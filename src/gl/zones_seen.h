// SPDX-License-Identifier: MIT
// What a view sees of a bisected mesh: an index list that the device makes of pieces' bits.
#pragma once
#include <epoxy/gl.h>

#include "core/core.h"
#include "karst/gl.h"
#include "karst/zonescene.h"

enum { KST_SEEN_WORDS, KST_SEEN_COUNTS, KST_SEEN_LIST, KST_SEEN_COMMAND, KST_SEEN_BUFFERS };

typedef struct kst_zones_seen {
    GLuint program, array, buffer[KST_SEEN_BUFFERS];
    GLint count_at, groups_at, put_at;
    size_t list_room;        // triangles
    uint32_t *words, *next;  // that the list was made of, and those of the next
    size_t word_room, next_room, word_count;
    bool culled;  // the list is to be drawn, else all triangles are
    bool stale;   // triangles are others than those that it was made of
} kst_zones_seen;

karst_status kst_zones_seen_make(kst_zones_seen *seen, const char *defines, karst_report *report);
void kst_zones_seen_free(kst_zones_seen *seen);
// Once the frame's triangles are there. Without memory all of them are drawn.
void kst_zones_seen_list(karst_gl_zones *zones, const karst_zone_frame *frame);
// Under the program in use.
void kst_zones_seen_draw(const kst_zones_seen *seen);
