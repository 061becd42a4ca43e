// SPDX-License-Identifier: MIT
// Shapes that the made models are put together from, each closed, over the mold. Inner header of scenes/.
#pragma once
#include "mold.h"

// What things are painted with; a model keeps those it uses.
typedef enum shape_colour {
    OLIVE,
    KHAKI,
    GREY,
    STEEL,
    RUBBER,
    GLASS,
    CANVAS,
    WOOD,
    TIMBER,
    PLASTER,
    STONE,
    GRANITE,
    TILES,
    SLATE,
    BARK,
    NEEDLES,
    LEAVES,
    BRONZE,
    WHITE,
    RED,
    COLOURS,
} shape_colour;

// Begin a model of these colours, and end it with edges hard where faces meet at more than crease_rad.
karst_status shape_begin(mold *m);
karst_status shape_end(mold *m, double crease_rad, karst_model **out);

// What comes next has this colour and a chart of its own in the texture.
void shape_paint(mold *m, shape_colour colour);

// The right side (x > 0), then the same on the left.
void shape_both(mold *m, void (*side)(mold *m));

void shape_box(mold *m, karst_vec3 low, karst_vec3 high);
// Upright edges cut, top and bottom bevelled.
void shape_bevel_box(mold *m, karst_vec3 low, karst_vec3 high, float bevel);

// An outline of n <= 32 points (u, v), counter-clockwise with u right and v up, drawn out along an axis: x of (z, y),
// y of (x, z), z of (x, y). It may be hollow anywhere.
void shape_extrude(mold *m, int axis, float from, float to, const float (*outline)[2], int n);

// The same of (z, y) to both sides of x = 0, each point as far as its own half width.
void shape_body(mold *m, const float (*outline)[3], int n);

// A body of revolution: rings (radius, way along the axis), the way rising on the outside, about axis 0 x, 1 y, 2 z
// through `at`. A first and a last radius that are not 0 are closed flat.
void shape_lathe(mold *m, int axis, karst_vec3 at, int sides, const float (*profile)[2], int rings);

// A round bar between two points.
void shape_bar(mold *m, karst_vec3 from, karst_vec3 to, float radius_from, float radius_to, int sides);
// A square one, `wide` across and `thick` in the other direction, nearly that of `up`.
void shape_beam(mold *m, karst_vec3 from, karst_vec3 to, karst_vec3 up, float wide, float thick);

// Tyre and hub, the hub's face towards +x.
void shape_wheel(mold *m, karst_vec3 at, float radius, float width);

// A ring of a round rod about axis `axis`.
void shape_ring(mold *m, int axis, karst_vec3 at, float radius, float rod, int sides);

// A ball of 20 x 4^depth triangles, half axes `size`: `cut` 0..1 of it is cut away by planes of a seed, edges rounded,
// and each place moves by up to `bump` of the radius.
void shape_crag(mold *m, karst_vec3 at, karst_vec3 size, int depth, float cut, float bump, uint64_t seed);
