// SPDX-License-Identifier: MIT
// Welding: which vertices, wedges and triangles of a model are the same.
#pragma once
#include "core/core.h"
#include "karst/model.h"

// into[v]: the vertex that v joins, into[v] <= v, itself when it stays. With merge_m > 0 the nearest of those that
// stayed before it and stand within merge_m, the earlier of two as near. *largest_m is the longest way to it.
karst_status kst_weld_vertices(const karst_model *model, double merge_m, const karst_progress *progress, uint32_t *into,
                               double *largest_m);

// into[w]: the first wedge that has the same vertex (by vertex_of, NULL: as it is) and the same attributes as w.
karst_status kst_weld_wedges(const karst_model *model, const uint32_t *vertex_of, const karst_progress *progress,
                             uint32_t *into);

// Copy a wedge and its attributes to an earlier place of the same model.
void kst_move_wedge(karst_model *model, uint32_t to, uint32_t from);

// A triangle as it was judged.
typedef enum kst_fate { KST_GOOD, KST_COLLAPSED, KST_DUPLICATE, KST_FLAT, KST_TWIN } kst_fate;

// Judge the triangles in order; corner[t] are vertices. Flat ones and twins are so beside being good.
karst_status kst_judge_triangles(const karst_model *model, const uint32_t (*corner)[3], uint8_t *fate);

// Twice the area of a triangle as a vector, in doubles.
void kst_triangle_normal(const karst_vec3 *position, const uint32_t v[3], double out[3]);
