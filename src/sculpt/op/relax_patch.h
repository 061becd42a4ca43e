// SPDX-License-Identifier: MIT
// Relax: one tile with what lies round it, and the moves of its vertices. Lengths in cells.
#pragma once
#include "op/relax.h"

enum {
    PATCH_REACH = 6,  // vertices that one chain moves
    PATCH_HALO = PATCH_REACH + 2,
    PATCH_SIDE = KST_RELAX_TILE + 2 * PATCH_HALO,
};

typedef struct vec {
    double x, y, z;
} vec;

// A vertex: where on the old surface it lies, in columns and rows of the ground, and where that is.
typedef struct spot {
    double u, v;
    vec p;
} spot;

enum { FREE_U = 1, FREE_V = 2 };

typedef struct patch {
    const kst_relax_ground *ground;
    double cells_per_m;
    double distance2;  // most that the surfaces may be apart, squared
    double price;      // of each squared cell beyond it; INFINITY: forbidden
    int32_t i0, j0, width, height;
    spot at[PATCH_SIDE * PATCH_SIDE];
    float limit2[PATCH_SIDE * PATCH_SIDE];  // squared stretch above which a vertex moves
    uint8_t freedom[PATCH_SIDE * PATCH_SIDE];
    uint8_t asleep[PATCH_SIDE * PATCH_SIDE];  // tried in vain, and nothing near it moved since
    uint8_t mark[PATCH_SIDE * PATCH_SIDE];    // moves just now
} patch;

// ---- vectors ---------------------------------------------------------------------------------------

static inline vec vec_sub(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec vec_add_times(vec a, vec b, double t) {
    return (vec){a.x + b.x * t, a.y + b.y * t, a.z + b.z * t};
}
static inline double vec_dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec vec_cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// ---- relax_gap.c: the old surface, and how far a new one is from it --------------------------------

// The old surface at (u, v), inside the ground. du, dv: its directions there, NULL: not wanted.
vec patch_surface(const patch *p, double u, double v, vec *du, vec *dv);

// How far apart the surfaces are in some place.
typedef struct surface_gap {
    double beyond;  // sum of what is beyond distance2, over the corners of the pieces
    double worst2;  // the largest, squared
    double u, v;    // where it is
    bool folded;    // a triangle is turned over in the plane of (u, v)
} surface_gap;

// Of what hangs on the marked vertices, all in [i0, i1] x [j0, j1] of the patch. Stops at the first fold, or when more
// than `enough` is beyond; below 0 looks for folds only.
surface_gap patch_gap(const patch *p, int32_t i0, int32_t j0, int32_t i1, int32_t j1, double enough);

// ---- relax_patch.c: moves --------------------------------------------------------------------------

// Move what may be moved of the tile's own vertices, [rect) of the ground, once. @return how many moved
int patch_sweep(patch *p, karst_rect tile, bool backward);
