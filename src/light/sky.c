// SPDX-License-Identifier: MIT
// Sky: the share of an overcast sky that each sample of a grid sees.
//
// Light from elevation e in one azimuth weighs sin 2e; above a horizon of elevation t that leaves cos^2 t. Where ground
// leans over the sample the horizon of one azimuth passes the zenith and hides some of the opposite one: with the
// cotangent c of the angle, negative beyond the zenith, an azimuth hides G(c) = 1 / (1 + c^2), or 2 less that where c
// is negative, and two opposite ones leave max(0, 2 - G(c) - G(d)).
#include "light/sky.h"

#include <float.h>
#include <math.h>

void kst_sky_make(kst_sky *sky, float cell_m) {
    double radii[KST_SKY_STEPS_MAX];
    int count = 0;
    for (double at = 1; at < KST_SKY_REACH && count < KST_SKY_STEPS_MAX; at = 1.22 * at + 0.6) radii[count++] = at;
    sky->cell_m = cell_m;
    sky->step_count = count;
    for (int a = 0; a < KST_SKY_AZIMUTHS; ++a) {
        double turn = 2 * 3.14159265358979323846 * (a + 0.5) / KST_SKY_AZIMUTHS;
        for (int k = 0; k < count; ++k) {
            int dx = (int)lrint(radii[k] * cos(turn)), dz = (int)lrint(radii[k] * sin(turn));
            sky->step[a][k] = (kst_sky_step){dx, dz, (float)(1 / (hypot(dx, dz) * cell_m))};
        }
    }
}

// ---- at rest: tangents -----------------------------------------------------------------------------

// best = max(best, (there - here) * per_m)
KST_TWINS static void raise_horizon(float *best, const float *here, const float *there, float per_m, int count) {
    for (int i = 0; i < count; ++i) {
        float t = (there[i] - here[i]) * per_m;
        best[i] = t > best[i] ? t : best[i];
    }
}

KST_TWINS static void add_visible(float *sum, const float *best, int count) {
    for (int i = 0; i < count; ++i) sum[i] += 1 / (1 + best[i] * best[i]);
}

static void look_over_heights(const kst_sky *sky, const kst_sky_rows *row, int count, float *best, float *sum) {
    for (int a = 0; a < KST_SKY_AZIMUTHS; ++a) {
        memset(best, 0, (size_t)count * sizeof *best);
        for (int k = 0; k < sky->step_count; ++k) {
            kst_sky_step s = sky->step[a][k];
            raise_horizon(best, row->y, row->y + s.dz * row->stride + s.dx, s.per_m, count);
        }
        add_visible(sum, best, count);
    }
}

// ---- displaced: cotangents -------------------------------------------------------------------------

// best = min(best, cotangent of where `there` is seen along (cx, cz)), from `rest` metres away at rest
KST_TWINS static void lean_horizon(float *best, const kst_sky_rows *row, ptrdiff_t step, float rest, float cx, float cz,
                                   int count) {
    const float *y = row->y, *x = row->x, *z = row->z;
    for (int i = 0; i < count; ++i) {
        float up = y[i + step] - y[i], along = rest + (x[i + step] - x[i]) * cx + (z[i + step] - z[i]) * cz;
        float c = up > 0 ? along / up : FLT_MAX;
        best[i] = c < best[i] ? c : best[i];
    }
}

static inline float hidden(float c) {
    float g = 1 / (1 + c * c);  // FLT_MAX gives 0
    return c < 0 ? 2 - g : g;
}

KST_TWINS static void add_between(float *sum, const float *one, const float *other, int count) {
    for (int i = 0; i < count; ++i) {
        float left = 2 - hidden(one[i]) - hidden(other[i]);
        sum[i] += left > 0 ? left : 0;
    }
}

static void look_over_places(const kst_sky *sky, const kst_sky_rows *row, int count, float *scratch, float *sum) {
    enum { HALF = KST_SKY_AZIMUTHS / 2 };
    for (int a = 0; a < HALF; ++a) {
        for (int side = 0; side < 2; ++side) {
            float *best = scratch + side * count;
            for (int i = 0; i < count; ++i) best[i] = FLT_MAX;
            for (int k = 0; k < sky->step_count; ++k) {
                kst_sky_step s = sky->step[a + side * HALF][k];
                float per = s.per_m * sky->cell_m, cx = (float)s.dx * per, cz = (float)s.dz * per;
                lean_horizon(best, row, s.dz * row->stride + s.dx, 1 / s.per_m, cx, cz, count);
            }
        }
        add_between(sum, scratch, scratch + count, count);
    }
}

void kst_sky_look(const kst_sky *sky, const kst_sky_rows *row, int count, float *scratch, float *share) {
    memset(share, 0, (size_t)count * sizeof *share);
    if (row->x)
        look_over_places(sky, row, count, scratch, share);
    else
        look_over_heights(sky, row, count, scratch, share);
    for (int i = 0; i < count; ++i) share[i] /= KST_SKY_AZIMUTHS;
}
