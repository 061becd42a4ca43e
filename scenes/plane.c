// SPDX-License-Identifier: MIT
// A fighter on its tail wheel, 9 m long, 10.4 m wide. Made level, about the propeller's axis, and then tilted.
#include "made.h"
#include "shapes.h"

enum { ROUND = 14, FOIL = 10, SECTIONS_MAX = 10 };

// Ellipses along z: z, half width, half height, y of the middle.
static void hull(mold *m, const float (*section)[4], int count) {
    karst_vec3 points[ROUND * SECTIONS_MAX];
    for (int i = 0; i < ROUND * count; ++i) {
        const float *s = section[i / ROUND];
        double turns = (double)(i % ROUND) / ROUND;
        points[i] = (karst_vec3){s[1] * mold_cos(turns), s[3] + s[2] * mold_sin(turns), s[0]};
    }
    mold_loft(m, points, count, ROUND, true, true);
}

// Profiles along x: x, z of the leading edge, z of the trailing edge, y.
static void wing(mold *m, const float (*section)[4], int count) {
    static const float foil[FOIL][2] = {{0, 0},           {0.04f, 0.022f}, {0.16f, 0.050f}, {0.38f, 0.058f},
                                        {0.70f, 0.032f},  {1, 0.003f},     {1, -0.003f},    {0.62f, -0.020f},
                                        {0.25f, -0.034f}, {0.04f, -0.018f}};
    karst_vec3 points[FOIL * SECTIONS_MAX];
    for (int i = 0; i < FOIL * count; ++i) {
        const float *s = section[i / FOIL], *f = foil[FOIL - 1 - i % FOIL], chord = s[1] - s[2];
        points[i] = (karst_vec3){s[0], s[3] + chord * f[1], s[1] - chord * f[0]};
    }
    mold_loft(m, points, count, FOIL, true, true);
}

static void side(mold *m) {
    static const float main_wing[5][4] = {{0.1f, 1.15f, -1.35f, -0.38f},
                                          {1.5f, 1.05f, -1.25f, -0.28f},
                                          {3.6f, 0.80f, -0.95f, -0.05f},
                                          {4.8f, 0.50f, -0.62f, 0.08f},
                                          {5.2f, 0.14f, -0.36f, 0.12f}};
    static const float tail[3][4] = {
        {0.03f, -3.95f, -5.05f, 0.34f}, {1.35f, -4.25f, -5.0f, 0.36f}, {1.75f, -4.55f, -4.92f, 0.36f}};
    shape_paint(m, OLIVE);
    wing(m, main_wing, 5);
    shape_paint(m, OLIVE);
    wing(m, tail, 3);
    shape_paint(m, STEEL);  // leg and guns
    shape_bar(m, (karst_vec3){1.42f, -0.32f, 0.55f}, (karst_vec3){1.24f, -1.50f, 0.95f}, 0.065f, 0.05f, 8);
    for (int k = 0; k < 2; ++k) {
        float x = 2.1f + 0.28f * (float)k;
        shape_bar(m, (karst_vec3){x, -0.20f, 0.6f}, (karst_vec3){x, -0.20f, 1.35f}, 0.03f, 0.025f, 6);
    }
    shape_paint(m, GREY);
    shape_bevel_box(m, (karst_vec3){1.34f, -1.36f, 0.62f}, (karst_vec3){1.38f, -0.50f, 1.02f}, 0.01f);  // its door
    shape_paint(m, STEEL);
    shape_wheel(m, (karst_vec3){1.20f, -1.50f, 0.95f}, 0.38f, 0.20f);
    for (int k = 0; k < 3; ++k) {  // exhausts
        float z = 1.75f + 0.28f * (float)k;
        shape_bar(m, (karst_vec3){0.46f, 0.24f, z + 0.1f}, (karst_vec3){0.62f, 0.22f, z - 0.12f}, 0.05f, 0.045f, 6);
    }
}

karst_status scene_model_plane(karst_model **out) {
    static const float body[9][4] = {
        {-5.25f, 0.04f, 0.08f, 0.32f}, {-4.6f, 0.13f, 0.26f, 0.26f}, {-3.0f, 0.29f, 0.46f, 0.14f},
        {-1.2f, 0.43f, 0.66f, 0.04f},  {0.2f, 0.49f, 0.74f, -0.02f}, {1.5f, 0.51f, 0.68f, -0.02f},
        {2.4f, 0.52f, 0.60f, 0},       {3.15f, 0.47f, 0.50f, 0},     {3.42f, 0.33f, 0.34f, 0}};
    static const float canopy[6][4] = {{-1.5f, 0.05f, 0.07f, 0.60f}, {-0.95f, 0.22f, 0.30f, 0.60f},
                                       {-0.2f, 0.28f, 0.39f, 0.60f}, {0.35f, 0.27f, 0.35f, 0.60f},
                                       {0.75f, 0.22f, 0.22f, 0.60f}, {1.0f, 0.12f, 0.05f, 0.60f}};
    static const float fin[6][3] = {{-3.55f, 0.42f, 0.05f}, {-4.45f, 1.42f, 0.045f}, {-4.75f, 1.56f, 0.035f},
                                    {-5.15f, 1.50f, 0.02f}, {-5.45f, 0.85f, 0.02f},  {-5.30f, 0.14f, 0.02f}};
    static const float band[2][4] = {{-3.25f, 0.279f, 0.452f, 0.157f}, {-2.85f, 0.312f, 0.482f, 0.133f}};
    static const float spinner[4][2] = {{0.32f, 3.40f}, {0.28f, 3.62f}, {0.16f, 3.86f}, {0, 3.98f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    mold_put(&m, 0, -0.0368, (karst_vec3){0, 1.62f, 0});
    shape_paint(&m, OLIVE);
    hull(&m, body, 9);
    shape_paint(&m, WHITE);
    hull(&m, band, 2);
    shape_paint(&m, GLASS);
    hull(&m, canopy, 6);
    shape_paint(&m, OLIVE);
    shape_body(&m, fin, 6);
    shape_paint(&m, RED);
    shape_lathe(&m, 2, (karst_vec3){0, 0, 0}, 14, spinner, 4);
    shape_paint(&m, STEEL);
    for (int k = 0; k < 3; ++k) {
        double turns = (double)k / 3 + 0.25;
        karst_vec3 tip = {1.42f * mold_cos(turns), 1.42f * mold_sin(turns), 3.60f};
        shape_beam(&m, (karst_vec3){0, 0, 3.56f}, tip, (karst_vec3){0, 0, 1}, 0.19f, 0.035f);
    }
    shape_bar(&m, (karst_vec3){0, 0.05f, -4.55f}, (karst_vec3){0, -0.39f, -4.7f}, 0.05f, 0.04f, 6);
    shape_paint(&m, STEEL);
    shape_wheel(&m, (karst_vec3){0, -0.39f, -4.7f}, 0.16f, 0.10f);
    shape_both(&m, side);
    return shape_end(&m, 0.7, out);
}
