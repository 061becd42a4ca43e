// SPDX-License-Identifier: MIT
// The slow twin of rays: every reference triangle of a ground, each of them tried, in long double.
#pragma once
#include "karst/surface.h"

typedef struct soup {
    karst_triangle *triangle;
    double (*ball)[4];  // round each 32 triangles that follow each other: x, y, z, radius
    int count, room;
} soup;

// All triangles of a ground; soup_free(). soup_take is a karst_triangle_fn that adds to one.
soup soup_of(const karst_ground *ground);
bool soup_take(void *soup, const karst_triangle *triangles, int count);
void soup_free(soup *s);

// Where the line meets the triangle's plane, and how far inside the triangle as the least weight; negative is outside.
// False when it is parallel or *at is not in the ray's range.
bool soup_meets(const karst_triangle *t, const karst_ray *ray, long double *at, long double *margin);

// Nearest hit of all triangles. sure: a hit at least `clear` inside one; perhaps: at least a touch within clear
// outside.
typedef struct soup_verdict {
    bool sure, perhaps;
    long double sure_t, perhaps_t;
} soup_verdict;
soup_verdict soup_cast(const soup *s, const karst_ray *ray, long double clear);

// A ray may pass an edge or a vertex that it is aimed at by rounding, where that is an outline as seen from it. It
// slipped through if eight rays round it all meet the ground there.
bool soup_closed_round(const soup *s, const karst_ray *ray, double radius);

// Triangles 32 k to 32 k + 31 are near the ray's line; never false when one of them meets it.
bool soup_near(const soup *s, int k, const karst_ray *ray);

karst_hit soup_hit(const karst_ground *ground, karst_ray ray);  // karst_ground_cast(), which must not fail
bool soup_blocked(const karst_ground *ground, karst_ray ray);   // karst_ground_blocked(), the same
karst_ray soup_down(double x, double z);                        // from y 1e5 m
