// SPDX-License-Identifier: MIT
// The mold: shapes as loose triangles, joined and given normals at the end. Inner header of scenes/.
#pragma once
#include "karst/model.h"

typedef struct mold {
    karst_model *model;
    uint16_t paint, joint;  // of what comes next
    float chart[4];         // where in the texture: u, v, width, height
    bool mirrored;          // x is negated, and the way round with it
    uint32_t room;          // triangles
} mold;

// Room for this many triangles; materials and joints are for the caller to fill.
karst_status mold_begin(mold *m, uint32_t triangles, uint32_t materials, uint32_t joints);

// Corners counter-clockwise seen from outside; uv of the chart, 0..1.
void mold_triangle(mold *m, const karst_vec3 p[3], const float uv[3][2]);
void mold_quad(mold *m, const karst_vec3 p[4], const float uv[4][2]);

// Skin between rings of n points each: ring r + 1 lies ahead of ring r, points run counter-clockwise seen from
// ahead. Caps close the first and the last ring as fans.
void mold_loft(mold *m, const karst_vec3 *points, int rings, int n, bool cap_first, bool cap_last);

// Join equal vertices, make normals of the crease angle. The mold is empty afterwards, also on error.
karst_status mold_end(mold *m, double crease_rad, karst_model **out);
