// SPDX-License-Identifier: MIT
// The tank: lofts over a few outlines, in metres. The left side mirrors the right one and shares its texture.
#include <math.h>

#include "core/core.h"
#include "models.h"
#include "shapes.h"

enum { ARMOUR, TEAM, METAL, TYRE, SIGHT, PAINTS };
enum { HULL, TURRET, GUN, JOINTS };
enum { TRIANGLES = 1200 };

// One of 8 x 8 charts.
static void use_chart(mold *m, int chart) {
    m->chart[0] = (float)(chart % 8) / 8;
    m->chart[1] = (float)(chart / 8) / 8;
    m->chart[2] = m->chart[3] = 0.1225f;
}

static void part(mold *m, int joint, int paint, int chart) {
    m->joint = (uint16_t)joint;
    m->paint = (uint16_t)paint;
    use_chart(m, chart);
}

// ---- hull --------------------------------------------------------------------------------------------

// Sections along z: half width and height at the belly, below and above the sponson, and at the deck.
static void hull(mold *m) {
    static const struct {
        float z, w[4], y[4];
    } section[] = {
        {-3.05f, {0.80f, 0.95f, 1.00f, 0.85f}, {0.72f, 0.85f, 1.30f, 1.38f}},
        {-2.85f, {0.95f, 1.08f, 1.12f, 0.98f}, {0.50f, 0.68f, 1.40f, 1.52f}},
        {-0.60f, {0.95f, 1.08f, 1.12f, 0.98f}, {0.42f, 0.62f, 1.40f, 1.52f}},
        {1.35f, {0.95f, 1.08f, 1.12f, 0.96f}, {0.42f, 0.62f, 1.36f, 1.46f}},
        {2.75f, {0.90f, 1.05f, 1.08f, 0.92f}, {0.62f, 0.76f, 0.98f, 1.03f}},
        {3.05f, {0.85f, 0.98f, 1.00f, 0.86f}, {0.76f, 0.80f, 0.92f, 0.95f}},
    };
    enum { SECTIONS = sizeof section / sizeof *section };
    karst_vec3 points[8 * SECTIONS];
    for (int s = 0; s < SECTIONS; ++s)
        for (int i = 0; i < 8; ++i) {  // down the left side, up the right one
            int k = i < 4 ? 3 - i : i - 4;
            points[8 * s + i] = (karst_vec3){i < 4 ? -section[s].w[k] : section[s].w[k], section[s].y[k], section[s].z};
        }
    part(m, HULL, ARMOUR, 0);
    mold_loft(m, points, SECTIONS, 8, true, true);
}

// ---- running gear, the right side (x > 0) -------------------------------------------------------------

// The belt, (z, y): the front up, the top back, the rear down.
static const float belt[16][2] = {{2.00f, 0.00f},  {2.75f, 0.34f},  {3.02f, 0.56f},  {3.08f, 0.80f},
                                  {2.95f, 1.02f},  {2.70f, 1.12f},  {1.40f, 1.16f},  {0.00f, 1.14f},
                                  {-1.40f, 1.16f}, {-2.70f, 1.14f}, {-2.98f, 1.04f}, {-3.12f, 0.80f},
                                  {-3.04f, 0.52f}, {-2.75f, 0.30f}, {-2.05f, 0.00f}, {0.00f, -0.02f}};

// Belt point i moved inwards.
static karst_vec3 belt_at(int i, float x, float in) {
    const float *a = belt[(i + 15) % 16], *p = belt[i], *b = belt[(i + 1) % 16];
    float z = b[0] - a[0], y = b[1] - a[1], length = sqrtf(z * z + y * y);
    return (karst_vec3){x, p[1] + in * z / length, p[0] - in * y / length};
}

static void track(mold *m) {
    static const float ring[4][2] = {{1.10f, 0}, {1.74f, 0}, {1.74f, 0.11f}, {1.46f, 0.13f}};
    karst_vec3 points[64];
    for (int r = 0; r < 4; ++r)
        for (int i = 0; i < 16; ++i) points[16 * r + 15 - i] = belt_at(i, ring[r][0], ring[r][1]);
    part(m, HULL, TYRE, 1);
    mold_loft(m, points, 4, 16, true, true);
}

static void wheel(mold *m, float z, float y, float radius) {
    const float profile[3][2] = {{radius, 1.46f}, {radius, 1.70f}, {0.55f * radius, 1.60f}};
    part(m, HULL, METAL, 2);
    mold_lathe(m, 0, (karst_vec3){0, y, z}, 8, profile, 3, false, true);
}

static void side(mold *m) {
    track(m);
    for (int k = -1; k <= 1; ++k) wheel(m, 1.35f * (float)k, 0.60f, 0.47f);
    wheel(m, 2.62f, 0.74f, 0.29f);
    wheel(m, -2.66f, 0.74f, 0.29f);
    part(m, HULL, TEAM, 3);
    shape_bevel_box(m, (karst_vec3){1.02f, 1.20f, -3.10f}, (karst_vec3){1.80f, 1.40f, 2.62f}, 0.05f);
}

// ---- turret and gun ------------------------------------------------------------------------------------

static void turret(mold *m) {
    // Outline (x, z), counter-clockwise seen from above; rings: height, scale, shift along z.
    static const float outline[10][2] = {{0.42f, 1.25f},  {0.95f, 0.70f},   {1.10f, -0.20f},  {0.98f, -1.15f},
                                         {0.60f, -1.45f}, {-0.60f, -1.45f}, {-0.98f, -1.15f}, {-1.10f, -0.20f},
                                         {-0.95f, 0.70f}, {-0.42f, 1.25f}};
    static const float ring[4][3] = {
        {1.44f, 0.88f, 0.02f}, {1.66f, 1.00f, 0}, {2.02f, 0.84f, -0.10f}, {2.10f, 0.74f, -0.12f}};
    karst_vec3 points[40];
    for (int i = 0; i < 40; ++i) {
        const float *p = outline[i % 10], *r = ring[i / 10];
        points[i] = (karst_vec3){r[1] * p[0], r[0], r[1] * p[1] + r[2] - 0.15f};
    }
    part(m, TURRET, ARMOUR, 4);
    mold_loft(m, points, 4, 10, true, true);

    static const float hatch[3][2] = {{0.34f, 2.05f}, {0.34f, 2.19f}, {0.27f, 2.24f}};
    part(m, TURRET, TEAM, 5);
    mold_lathe(m, 1, (karst_vec3){0.38f, 0, -0.55f}, 8, hatch, 3, false, true);
    part(m, TURRET, SIGHT, 6);  // the sight
    static const float x[2] = {-0.62f, -0.30f}, y[2] = {2.04f, 2.26f}, z[2] = {-0.10f, 0.22f};
    const karst_vec3 box[8] = {{x[0], y[0], z[1]}, {x[1], y[0], z[1]}, {x[1], y[0], z[0]}, {x[0], y[0], z[0]},
                               {x[0], y[1], z[1]}, {x[1], y[1], z[1]}, {x[1], y[1], z[0]}, {x[0], y[1], z[0]}};
    mold_loft(m, box, 2, 4, true, true);
    static const float mast[2][2] = {{0.025f, 2.04f}, {0.004f, 3.05f}};
    part(m, TURRET, METAL, 7);
    mold_lathe(m, 1, (karst_vec3){-0.55f, 0, -1.05f}, 3, mast, 2, true, true);
}

static void gun(mold *m) {
    static const float ring[3][3] = {{0.85f, 0.46f, 0.26f}, {1.30f, 0.38f, 0.23f}, {1.42f, 0.26f, 0.17f}};
    karst_vec3 points[24];
    for (int i = 0; i < 24; ++i) {
        const float *r = ring[i / 8], w = r[1], h = r[2];
        const float at[8][2] = {{-0.6f * w, h}, {0.6f * w, h},   {w, 0.5f * h},   {w, -0.5f * h},
                                {0.6f * w, -h}, {-0.6f * w, -h}, {-w, -0.5f * h}, {-w, 0.5f * h}};
        points[8 * (i / 8) + 7 - i % 8] = (karst_vec3){at[i % 8][0], 1.74f + at[i % 8][1], r[0]};
    }
    part(m, GUN, ARMOUR, 8);
    mold_loft(m, points, 3, 8, true, true);

    static const float barrel[10][2] = {{0.14f, 1.30f},  {0.14f, 1.95f}, {0.175f, 2.02f}, {0.175f, 2.70f},
                                        {0.115f, 2.80f}, {0.10f, 4.30f}, {0.145f, 4.34f}, {0.145f, 4.76f},
                                        {0.08f, 4.80f},  {0.07f, 4.50f}};
    part(m, GUN, METAL, 9);
    mold_lathe(m, 2, (karst_vec3){0, 1.74f, 0}, 8, barrel, 10, false, true);
}

// ---- the whole ---------------------------------------------------------------------------------------

static void name_things(karst_model *m) {
    static const karst_model_material paint[PAINTS] = {
        [ARMOUR] = {"armour", {0.19f, 0.20f, 0.13f, 1}}, [TEAM] = {"team", {0.27f, 0.03f, 0.02f, 1}},
        [METAL] = {"steel", {0.10f, 0.10f, 0.11f, 1}},   [TYRE] = {"rubber", {0.035f, 0.033f, 0.03f, 1}},
        [SIGHT] = {"glass", {0.03f, 0.09f, 0.12f, 1}},
    };
    // Where each joint turns; the rest pose has no rotation, so that its matrix only shifts.
    static const struct {
        const char *name;
        int parent;
        float at[3];
    } joint[JOINTS] = {
        {"hull", -1, {0, 0, 0}}, {"turret", HULL, {0, 1.44f, -0.15f}}, {"gun", TURRET, {0, 1.74f, 0.85f}}};
    memcpy(m->material, paint, sizeof paint);
    for (int k = 0; k < JOINTS; ++k) {
        snprintf(m->joint[k].name, sizeof m->joint[k].name, "%s", joint[k].name);
        m->joint[k].parent = joint[k].parent;
        for (int r = 0; r < 3; ++r) {
            m->joint[k].bind[r][r] = 1;
            m->joint[k].bind[r][3] = -joint[k].at[r];
        }
    }
}

karst_status scene_model_tank(karst_model **out) {
    static const float exhaust[2][2] = {{0.12f, -3.36f}, {0.10f, -2.98f}};
    mold m;
    karst_status status = mold_begin(&m, TRIANGLES, PAINTS, JOINTS);
    if (status) return status;
    name_things(m.model);
    hull(&m);
    for (int k = 0; k < 2; ++k) {
        m.mirrored = k;
        side(&m);
        part(&m, HULL, METAL, 10);
        mold_lathe(&m, 2, (karst_vec3){0.55f, 1.16f, 0}, 6, exhaust, 2, true, false);
    }
    m.mirrored = false;
    turret(&m);
    gun(&m);
    return mold_end(&m, 0.5, out);
}
