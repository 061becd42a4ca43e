// SPDX-License-Identifier: MIT
// The mold: shapes as loose triangles, joined and given normals at the end. Inner header of scenes/.
#pragma once
#include "karst/model.h"

typedef struct mold {
    karst_model *model;
    uint16_t paint, joint;  // of what comes next
    float chart[4];         // where in the texture: u, v, width, height
    bool mirrored;          // x is negated, and the way round with it
    bool placed;            // points go through `place` first
    float place[3][4];      // a rotation and a shift
    int charts;             // taken by shape_paint()
    uint32_t room;          // triangles
} mold;

// Cosine and sine of turns of a circle, rounded so that every C library gives the same.
float mold_cos(double turns);
float mold_sin(double turns);

// Room for this many triangles; materials and joints are for the caller to fill.
karst_status mold_begin(mold *m, uint32_t triangles, uint32_t materials, uint32_t joints);

// Points of what comes next turn about axis 0 x, 1 y, 2 z and move to `at`; mold_stay() ends that.
void mold_put(mold *m, int axis, double turns, karst_vec3 at);
void mold_stay(mold *m);

// Corners counter-clockwise seen from outside; uv of the chart, 0..1.
void mold_triangle(mold *m, const karst_vec3 p[3], const float uv[3][2]);
void mold_quad(mold *m, const karst_vec3 p[4], const float uv[4][2]);

// Skin between rings of n points each: ring r + 1 lies ahead of ring r, points run counter-clockwise seen from
// ahead. Caps close the first and the last ring as fans.
void mold_loft(mold *m, const karst_vec3 *points, int rings, int n, bool cap_first, bool cap_last);

// A body of revolution: rings (radius, way along the axis) about axis 0 x, 1 y, 2 z through `at`. The way rises where
// the outside is, and falls on the inside.
void mold_lathe(mold *m, int axis, karst_vec3 at, int sides, const float (*profile)[2], int rings, bool cap_first,
                bool cap_last);

// Corners of face 0..19 of an icosahedron of radius 1.
void mold_icosahedron(int face, karst_vec3 out[3]);

// Join equal vertices, make normals of the crease angle. The mold is empty afterwards, also on error.
karst_status mold_end(mold *m, double crease_rad, karst_model **out);
