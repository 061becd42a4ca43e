// SPDX-License-Identifier: MIT
// Seams: where a net takes the place of patches of the field. What bake lists of their corners and check proves.
#pragma once
#include "core/core.h"
#include "karst/pack.h"

// Does a corner of patches (16 column, 16 row) lie on a seam? Patches beyond the field are not the net's.
// patches: of each patch of level 0, `wide` a row: 1 where the net is in the field's place.
bool kst_seams_is_corner(const uint8_t *patches, int32_t wide, int32_t rows, int32_t column, int32_t row);

// All corners on seams by row, then column, nothing known of them yet. @param out kst_alloc'ed, NULL when there is none
karst_status kst_seams_list(const uint8_t *patches, int32_t wide, int32_t rows, karst_pack_seam **out, int32_t *count);

// Take in what a zone has at seams. @return false: it has one at a corner that is not in the list
bool kst_seams_take(const karst_zone *zone, karst_pack_seam *seams, int32_t count);
