// SPDX-License-Identifier: MIT
// Lone samples: heights that a file gave where no cell has all its corners, so that no ground shows them. A field keeps
// them like any vertex, but cannot tell them from the neutral heights of missing ones; the list of them does, so that
// an export gives back every sample of an import.
#pragma once
#include "core/core.h"
#include "karst/project.h"

typedef struct kst_lone {
    uint8_t *bytes;  // (row, column), four bytes each, little-endian, in order
    size_t count, room;
    bool full;  // more than the list holds
} kst_lone;

void kst_lone_free(kst_lone *lone);
// Lone vertices of one row; cells above and below it, NULL beyond the field. False when there is no memory.
bool kst_lone_add_row(kst_lone *lone, int32_t row, int32_t width, const uint8_t *missing, const uint8_t *above,
                      const uint8_t *below);
karst_status kst_lone_save(const kst_lone *lone, karst_project *project, int64_t ground);
// From the file, so nothing about it is trusted but that it is a list.
karst_status kst_lone_load(kst_lone *lone, karst_project *project, int64_t ground);
// Whether (row, column) is in the list; cost O(log count).
bool kst_lone_has(const kst_lone *lone, int32_t row, int32_t column);
