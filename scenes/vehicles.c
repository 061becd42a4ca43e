// SPDX-License-Identifier: MIT
// Vehicles and guns, in metres: bodies are outlines seen from the right, their front at +z.
#include "made.h"
#include "shapes.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

// A lamp that looks ahead.
static void lamp(mold *m, karst_vec3 at, float r) {
    const float shell[4][2] = {{0.45f * r, -1.1f * r}, {0.9f * r, -0.5f * r}, {r, 0.2f * r}, {r, 0.35f * r}};
    const float front[2][2] = {{0.85f * r, 0.3f * r}, {0.7f * r, 0.45f * r}};
    shape_paint(m, OLIVE);
    shape_lathe(m, 2, at, 10, shell, 4);
    shape_paint(m, WHITE);
    shape_lathe(m, 2, at, 10, front, 2);
}

// ---- truck: three axles and a covered bed, 6.7 m -----------------------------------------------------------

static void truck_side(mold *m) {
    static const float fender[][2] = {{3.06f, 0.98f}, {3.00f, 1.16f}, {2.82f, 1.27f}, {1.86f, 1.27f},
                                      {1.42f, 0.92f}, {0.50f, 0.84f}, {0.50f, 0.78f}, {1.48f, 0.82f},
                                      {1.92f, 1.18f}, {2.76f, 1.18f}, {2.92f, 1.08f}, {2.98f, 0.96f}};
    shape_paint(m, OLIVE);
    shape_extrude(m, 0, 0.62f, 1.10f, fender, COUNT(fender));
    shape_paint(m, OLIVE);
    shape_wheel(m, (karst_vec3){0.93f, 0.5f, 2.30f}, 0.5f, 0.27f);
    for (int axle = 0; axle < 2; ++axle) {
        shape_paint(m, OLIVE);
        shape_wheel(m, (karst_vec3){0.86f, 0.5f, axle ? -2.35f : -1.22f}, 0.5f, 0.50f);
    }
    lamp(m, (karst_vec3){0.84f, 1.38f, 2.78f}, 0.12f);
    shape_paint(m, STEEL);  // frame, tank, step
    shape_box(m, (karst_vec3){0.36f, 0.60f, -3.15f}, (karst_vec3){0.46f, 0.80f, 3.0f});
    shape_bevel_box(m, (karst_vec3){0.60f, 0.42f, -0.45f}, (karst_vec3){1.0f, 0.80f, 0.35f}, 0.06f);
    shape_box(m, (karst_vec3){0.80f, 0.46f, 0.55f}, (karst_vec3){1.08f, 0.50f, 1.30f});
    shape_paint(m, WOOD);  // boards of the bed
    for (int k = 0; k < 3; ++k)
        shape_box(m, (karst_vec3){1.06f, 1.12f + 0.17f * (float)k, -3.22f},
                  (karst_vec3){1.11f, 1.26f + 0.17f * (float)k, 0.20f});
    shape_paint(m, STEEL);
    for (int k = 0; k < 4; ++k) {
        float z = 0.08f - 1.06f * (float)k;
        shape_box(m, (karst_vec3){1.10f, 1.0f, z - 0.04f}, (karst_vec3){1.14f, 1.62f, z + 0.04f});
    }
    shape_paint(m, STEEL);  // mirror
    shape_bar(m, (karst_vec3){0.98f, 1.62f, 1.62f}, (karst_vec3){1.22f, 1.86f, 1.72f}, 0.012f, 0.012f, 4);
    shape_box(m, (karst_vec3){1.13f, 1.80f, 1.70f}, (karst_vec3){1.29f, 2.02f, 1.73f});
}

karst_status scene_model_truck(karst_model **out) {
    static const float hood[][3] = {{3.02f, 0.92f, 0.50f},
                                    {3.05f, 1.40f, 0.48f},
                                    {2.96f, 1.58f, 0.40f},
                                    {1.72f, 1.74f, 0.60f},
                                    {1.72f, 0.86f, 0.66f}};
    static const float cab[][3] = {{1.80f, 0.86f, 0.90f}, {1.82f, 1.56f, 0.98f}, {1.62f, 2.24f, 0.91f},
                                   {1.48f, 2.34f, 0.82f}, {0.58f, 2.34f, 0.82f}, {0.42f, 2.24f, 0.91f},
                                   {0.38f, 1.56f, 0.98f}, {0.38f, 0.86f, 0.90f}};
    static const float screen[][3] = {
        {1.835f, 1.62f, 0.84f}, {1.675f, 2.17f, 0.80f}, {1.55f, 2.17f, 0.80f}, {1.70f, 1.62f, 0.84f}};
    static const float doors[][3] = {
        {1.52f, 1.62f, 0.985f}, {1.40f, 2.14f, 0.935f}, {0.78f, 2.14f, 0.935f}, {0.74f, 1.62f, 0.985f}};
    static const float cover[][2] = {{1.09f, 1.58f},  {1.09f, 2.30f},  {0.86f, 2.66f},  {0.45f, 2.82f},
                                     {-0.45f, 2.82f}, {-0.86f, 2.66f}, {-1.09f, 2.30f}, {-1.09f, 1.58f}};
    static const float hoop[][2] = {{1.10f, 1.58f},   {1.105f, 2.31f}, {0.87f, 2.68f},   {0.455f, 2.84f},
                                    {-0.455f, 2.84f}, {-0.87f, 2.68f}, {-1.105f, 2.31f}, {-1.10f, 1.58f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, OLIVE);
    shape_body(&m, hood, COUNT(hood));
    shape_paint(&m, OLIVE);
    shape_body(&m, cab, COUNT(cab));
    shape_paint(&m, GLASS);
    shape_body(&m, screen, COUNT(screen));
    shape_paint(&m, GLASS);
    shape_body(&m, doors, COUNT(doors));
    shape_paint(&m, OLIVE);  // the post between two panes
    shape_box(&m, (karst_vec3){-0.03f, 1.60f, 1.66f}, (karst_vec3){0.03f, 1.64f, 1.86f});
    shape_paint(&m, STEEL);
    for (int k = 0; k < 7; ++k)  // grille
        shape_box(&m, (karst_vec3){-0.39f + 0.12f * (float)k, 0.96f, 3.0f},
                  (karst_vec3){-0.33f + 0.12f * (float)k, 1.38f, 3.09f});
    shape_bevel_box(&m, (karst_vec3){-1.08f, 0.58f, 3.14f}, (karst_vec3){1.08f, 0.80f, 3.26f}, 0.03f);
    shape_paint(&m, STEEL);  // axles
    const float axle[3] = {2.30f, -1.22f, -2.35f};
    for (int k = 0; k < 3; ++k)
        shape_bar(&m, (karst_vec3){-0.9f, 0.5f, axle[k]}, (karst_vec3){0.9f, 0.5f, axle[k]}, 0.09f, 0.09f, 6);
    shape_paint(&m, WOOD);
    shape_box(&m, (karst_vec3){-1.12f, 0.96f, -3.25f}, (karst_vec3){1.12f, 1.08f, 0.24f});
    shape_box(&m, (karst_vec3){-1.04f, 1.08f, -3.25f}, (karst_vec3){1.04f, 1.60f, -3.19f});
    shape_box(&m, (karst_vec3){-1.06f, 1.08f, 0.16f}, (karst_vec3){1.06f, 1.60f, 0.22f});
    shape_paint(&m, CANVAS);
    shape_extrude(&m, 2, -3.16f, 0.14f, cover, COUNT(cover));
    for (int k = 0; k < 4; ++k) {
        float z = 0.04f - 1.04f * (float)k;
        shape_paint(&m, CANVAS);
        shape_extrude(&m, 2, z - 0.04f, z + 0.04f, hoop, COUNT(hoop));
    }
    shape_both(&m, truck_side);
    return shape_end(&m, 0.6, out);
}

// ---- jeep: open, 3.4 m ----------------------------------------------------------------------------------

static void jeep_side(mold *m) {
    static const float side[][2] = {{0.62f, 0.50f},  {0.62f, 1.04f},  {0.42f, 1.04f},  {0.30f, 0.74f},
                                    {-0.30f, 0.72f}, {-0.48f, 0.98f}, {-1.55f, 0.98f}, {-1.55f, 0.60f},
                                    {-1.42f, 0.60f}, {-1.32f, 0.78f}, {-0.78f, 0.78f}, {-0.62f, 0.48f}};
    static const float fender[][2] = {{1.50f, 0.74f}, {1.44f, 0.86f}, {0.76f, 0.86f}, {0.56f, 0.50f},
                                      {0.60f, 0.46f}, {0.80f, 0.80f}, {1.42f, 0.80f}, {1.47f, 0.70f}};
    shape_paint(m, OLIVE);
    shape_extrude(m, 0, 0.67f, 0.72f, side, COUNT(side));
    shape_paint(m, OLIVE);
    shape_extrude(m, 0, 0.42f, 0.78f, fender, COUNT(fender));
    for (int k = 0; k < 2; ++k) {
        shape_paint(m, OLIVE);
        shape_wheel(m, (karst_vec3){0.64f, 0.36f, k ? -1.02f : 1.06f}, 0.36f, 0.17f);
    }
    lamp(m, (karst_vec3){0.34f, 0.80f, 1.50f}, 0.09f);
    shape_paint(m, CANVAS);  // seat
    shape_bevel_box(m, (karst_vec3){0.10f, 0.62f, -0.42f}, (karst_vec3){0.56f, 0.80f, 0.06f}, 0.04f);
    mold_put(m, 0, -0.03, (karst_vec3){0, 0.78f, -0.44f});
    shape_bevel_box(m, (karst_vec3){0.10f, 0, -0.05f}, (karst_vec3){0.56f, 0.46f, 0.05f}, 0.03f);
    mold_stay(m);
    shape_paint(m, STEEL);  // bumper's end, jerrycan rack
    shape_box(m, (karst_vec3){0.30f, 0.42f, 1.40f}, (karst_vec3){0.38f, 0.52f, 1.68f});
}

karst_status scene_model_jeep(karst_model **out) {
    static const float hood[][3] = {{1.47f, 0.52f, 0.44f},
                                    {1.50f, 0.94f, 0.42f},
                                    {1.42f, 1.00f, 0.40f},
                                    {0.60f, 1.08f, 0.58f},
                                    {0.60f, 0.50f, 0.62f}};
    static const float cowl[][3] = {
        {0.66f, 0.50f, 0.67f}, {0.66f, 1.07f, 0.67f}, {0.48f, 1.09f, 0.67f}, {0.48f, 0.50f, 0.67f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, OLIVE);
    shape_body(&m, hood, COUNT(hood));
    shape_paint(&m, OLIVE);
    shape_body(&m, cowl, COUNT(cowl));
    shape_paint(&m, OLIVE);  // floor, back, the rear seat's wells
    shape_box(&m, (karst_vec3){-0.68f, 0.46f, -1.50f}, (karst_vec3){0.68f, 0.52f, 0.60f});
    shape_box(&m, (karst_vec3){-0.69f, 0.50f, -1.56f}, (karst_vec3){0.69f, 0.98f, -1.50f});
    shape_paint(&m, CANVAS);
    shape_bevel_box(&m, (karst_vec3){-0.44f, 0.66f, -1.24f}, (karst_vec3){0.44f, 0.80f, -0.82f}, 0.04f);
    mold_put(&m, 0, -0.03, (karst_vec3){0, 0.78f, -1.26f});
    shape_bevel_box(&m, (karst_vec3){-0.44f, 0, -0.05f}, (karst_vec3){0.44f, 0.40f, 0.05f}, 0.03f);
    mold_put(&m, 0, -0.03, (karst_vec3){0, 1.06f, 0.56f});  // windscreen, leaning back
    shape_paint(&m, OLIVE);
    for (int k = 0; k < 3; ++k) {
        float x = -0.64f + 0.62f * (float)k;
        shape_box(&m, (karst_vec3){x, 0, -0.025f}, (karst_vec3){x + 0.05f, 0.50f, 0.025f});
    }
    shape_box(&m, (karst_vec3){-0.66f, 0, -0.03f}, (karst_vec3){0.67f, 0.07f, 0.03f});
    shape_box(&m, (karst_vec3){-0.66f, 0.46f, -0.03f}, (karst_vec3){0.67f, 0.52f, 0.03f});
    shape_paint(&m, GLASS);
    shape_box(&m, (karst_vec3){-0.62f, 0.05f, -0.008f}, (karst_vec3){0.62f, 0.48f, 0.008f});
    mold_put(&m, 0, 0.1, (karst_vec3){-0.33f, 1.02f, 0.26f});  // steering wheel
    shape_paint(&m, STEEL);
    shape_ring(&m, 2, (karst_vec3){0, 0, 0}, 0.19f, 0.018f, 14);
    shape_bar(&m, (karst_vec3){-0.18f, 0, 0}, (karst_vec3){0.18f, 0, 0}, 0.012f, 0.012f, 4);
    shape_bar(&m, (karst_vec3){0, 0, 0}, (karst_vec3){0, 0, 0.4f}, 0.02f, 0.02f, 6);
    mold_put(&m, 1, 0.25, (karst_vec3){-0.20f, 0.86f, -1.65f});  // spare wheel, its face to the rear
    shape_paint(&m, OLIVE);
    shape_wheel(&m, (karst_vec3){0, 0, 0}, 0.36f, 0.17f);
    mold_stay(&m);
    shape_paint(&m, KHAKI);  // jerrycan
    shape_bevel_box(&m, (karst_vec3){0.26f, 0.58f, -1.74f}, (karst_vec3){0.60f, 1.05f, -1.57f}, 0.03f);
    shape_paint(&m, STEEL);
    shape_box(&m, (karst_vec3){-0.72f, 0.42f, 1.66f}, (karst_vec3){0.72f, 0.53f, 1.72f});
    for (int k = 0; k < 8; ++k)  // grille
        shape_box(&m, (karst_vec3){-0.245f + 0.065f * (float)k, 0.60f, 1.46f},
                  (karst_vec3){-0.215f + 0.065f * (float)k, 0.92f, 1.52f});
    for (int k = 0; k < 2; ++k)
        shape_bar(&m, (karst_vec3){-0.6f, 0.36f, k ? -1.02f : 1.06f}, (karst_vec3){0.6f, 0.36f, k ? -1.02f : 1.06f},
                  0.06f, 0.06f, 6);
    shape_both(&m, jeep_side);
    return shape_end(&m, 0.6, out);
}

// ---- half-track: wheels before, tracks behind, 6.2 m ----------------------------------------------------

static void halftrack_side(mold *m) {
    static const float fender[][2] = {{2.98f, 0.90f}, {2.92f, 1.08f}, {2.74f, 1.18f}, {1.90f, 1.18f},
                                      {1.30f, 0.70f}, {0.30f, 0.70f}, {0.30f, 0.64f}, {1.36f, 0.62f},
                                      {1.94f, 1.10f}, {2.70f, 1.10f}, {2.84f, 1.02f}, {2.90f, 0.88f}};
    static const float belt[][2] = {{-0.10f, 0.30f}, {0.06f, 0.52f},  {0.02f, 0.74f},  {-0.20f, 0.90f},
                                    {-1.2f, 0.94f},  {-2.35f, 0.90f}, {-2.60f, 0.74f}, {-2.62f, 0.50f},
                                    {-2.40f, 0.26f}, {-1.95f, 0.0f},  {-0.62f, 0.0f}};
    static const float wall[][2] = {{1.16f, 0.95f}, {1.16f, 2.04f}, {0.30f, 2.16f}, {-2.95f, 2.10f}, {-3.02f, 0.95f}};
    shape_paint(m, KHAKI);
    shape_extrude(m, 0, 0.60f, 1.02f, fender, COUNT(fender));
    shape_paint(m, KHAKI);
    shape_wheel(m, (karst_vec3){0.84f, 0.46f, 2.24f}, 0.46f, 0.27f);
    lamp(m, (karst_vec3){0.80f, 1.28f, 2.70f}, 0.11f);
    shape_paint(m, RUBBER);
    shape_extrude(m, 0, 0.66f, 0.98f, belt, COUNT(belt));
    static const float wheel[6][3] = {{-0.14f, 0.58f, 0.24f}, {-2.40f, 0.58f, 0.24f}, {-0.66f, 0.26f, 0.20f},
                                      {-1.08f, 0.26f, 0.20f}, {-1.50f, 0.26f, 0.20f}, {-1.92f, 0.26f, 0.20f}};
    for (int k = 0; k < 6; ++k) {
        const float r = wheel[k][2], disc[3][2] = {{r, 0.97f}, {r, 1.02f}, {0.6f * r, 0.99f}};
        shape_paint(m, STEEL);
        shape_lathe(m, 0, (karst_vec3){0, wheel[k][1], wheel[k][0]}, 12, disc, 3);
    }
    shape_paint(m, KHAKI);
    shape_extrude(m, 0, 0.95f, 0.99f, wall, COUNT(wall));
    shape_paint(m, STEEL);
    shape_box(m, (karst_vec3){0.985f, 1.68f, 0.40f}, (karst_vec3){1.0f, 1.80f, 0.95f});  // slit of the door
    shape_paint(m, KHAKI);
    shape_bevel_box(m, (karst_vec3){0.99f, 1.20f, -2.80f}, (karst_vec3){1.14f, 1.56f, -1.30f}, 0.03f);  // stowage
    shape_bevel_box(m, (karst_vec3){0.99f, 1.20f, -1.10f}, (karst_vec3){1.12f, 1.50f, -0.20f}, 0.03f);
    shape_paint(m, CANVAS);  // bench
    shape_bevel_box(m, (karst_vec3){0.52f, 1.10f, -2.80f}, (karst_vec3){0.93f, 1.34f, -0.10f}, 0.05f);
}

karst_status scene_model_halftrack(karst_model **out) {
    static const float hood[][3] = {{2.92f, 0.78f, 0.46f},
                                    {2.96f, 1.30f, 0.46f},
                                    {2.84f, 1.48f, 0.42f},
                                    {1.10f, 1.66f, 0.66f},
                                    {1.10f, 0.78f, 0.66f}};
    static const float front[][3] = {{1.18f, 0.95f, 0.97f}, {1.20f, 1.62f, 0.97f}, {1.10f, 2.06f, 0.95f},
                                     {1.05f, 2.06f, 0.95f}, {1.14f, 1.62f, 0.97f}, {1.12f, 0.95f, 0.97f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, KHAKI);
    shape_body(&m, hood, COUNT(hood));
    shape_paint(&m, KHAKI);
    shape_body(&m, front, COUNT(front));
    shape_paint(&m, STEEL);  // slits of the front, louvres
    for (int k = 0; k < 2; ++k)
        shape_box(&m, (karst_vec3){k ? 0.18f : -0.72f, 1.78f, 1.12f}, (karst_vec3){k ? 0.72f : -0.18f, 1.90f, 1.19f});
    for (int k = 0; k < 5; ++k)
        shape_box(&m, (karst_vec3){-0.40f, 0.88f + 0.09f * (float)k, 2.90f},
                  (karst_vec3){0.40f, 0.93f + 0.09f * (float)k, 3.0f});
    shape_paint(&m, KHAKI);
    shape_box(&m, (karst_vec3){-0.97f, 0.92f, -3.0f}, (karst_vec3){0.97f, 1.0f, 1.16f});
    shape_box(&m, (karst_vec3){-0.97f, 0.95f, -3.02f}, (karst_vec3){0.97f, 2.10f, -2.97f});
    shape_paint(&m, STEEL);
    shape_box(&m, (karst_vec3){-0.60f, 0.56f, -2.6f}, (karst_vec3){0.60f, 0.93f, 2.7f});
    shape_lathe(&m, 0, (karst_vec3){0, 0.62f, 3.16f}, 12, (const float[2][2]){{0.16f, -0.55f}, {0.16f, 0.55f}}, 2);
    shape_box(&m, (karst_vec3){-0.62f, 0.54f, 2.6f}, (karst_vec3){-0.54f, 0.70f, 3.2f});
    shape_box(&m, (karst_vec3){0.54f, 0.54f, 2.6f}, (karst_vec3){0.62f, 0.70f, 3.2f});
    shape_paint(&m, STEEL);  // the gun on its ring
    shape_ring(&m, 1, (karst_vec3){0, 2.22f, 0.25f}, 0.56f, 0.045f, 20);
    for (int k = 0; k < 4; ++k)
        shape_bar(&m, (karst_vec3){k % 2 ? 0.40f : -0.40f, 2.0f, k / 2 ? 0.65f : -0.15f},
                  (karst_vec3){k % 2 ? 0.40f : -0.40f, 2.22f, k / 2 ? 0.65f : -0.15f}, 0.03f, 0.03f, 6);
    shape_bar(&m, (karst_vec3){0, 2.22f, 0.78f}, (karst_vec3){0, 2.46f, 0.78f}, 0.04f, 0.03f, 6);
    shape_bevel_box(&m, (karst_vec3){-0.06f, 2.44f, 0.35f}, (karst_vec3){0.06f, 2.60f, 1.0f}, 0.015f);
    shape_bar(&m, (karst_vec3){0, 2.53f, 1.0f}, (karst_vec3){0, 2.53f, 1.95f}, 0.035f, 0.03f, 8);
    shape_paint(&m, OLIVE);
    shape_bevel_box(&m, (karst_vec3){0.06f, 2.40f, 0.45f}, (karst_vec3){0.20f, 2.62f, 0.75f}, 0.01f);
    shape_both(&m, halftrack_side);
    return shape_end(&m, 0.6, out);
}

// ---- gun: towed, its trails spread, 5.4 m over all -----------------------------------------------------

static void gun_side(mold *m) {
    static const float plate[][2] = {{0.10f, 0.42f}, {0.92f, 0.46f}, {1.02f, 0.66f}, {0.90f, 1.34f},
                                     {0.62f, 1.46f}, {0.40f, 1.40f}, {0.30f, 1.16f}, {0.10f, 1.16f}};
    mold_put(m, 0, -0.05, (karst_vec3){0, 0, 0.46f});  // shield, leaning back
    shape_paint(m, GREY);
    shape_extrude(m, 2, -0.02f, 0.02f, plate, COUNT(plate));
    mold_stay(m);
    shape_paint(m, GREY);
    shape_wheel(m, (karst_vec3){0.92f, 0.48f, 0}, 0.48f, 0.22f);
    shape_paint(m, GREY);  // trail and spade
    shape_beam(m, (karst_vec3){0.22f, 0.52f, -0.05f}, (karst_vec3){0.98f, 0.16f, -2.75f}, (karst_vec3){0, 1, 0}, 0.13f,
               0.17f);
    shape_beam(m, (karst_vec3){0.96f, 0.34f, -2.70f}, (karst_vec3){1.04f, -0.22f, -2.95f}, (karst_vec3){0, 0, 1}, 0.34f,
               0.05f);
    shape_paint(m, STEEL);
    shape_bar(m, (karst_vec3){0.80f, 0.36f, -2.2f}, (karst_vec3){0.96f, 0.52f, -2.3f}, 0.025f, 0.025f, 6);
}

karst_status scene_model_gun(karst_model **out) {
    static const float barrel[][2] = {{0.10f, -0.30f}, {0.13f, -0.10f}, {0.13f, 0.50f},  {0.085f, 0.62f},
                                      {0.062f, 2.45f}, {0.062f, 2.50f}, {0.10f, 2.54f},  {0.11f, 2.62f},
                                      {0.065f, 2.66f}, {0.065f, 2.70f}, {0.115f, 2.74f}, {0.11f, 2.86f},
                                      {0.05f, 2.88f},  {0.045f, 2.60f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, STEEL);
    shape_bar(&m, (karst_vec3){-0.9f, 0.48f, 0}, (karst_vec3){0.9f, 0.48f, 0}, 0.07f, 0.07f, 8);
    shape_paint(&m, GREY);  // the carriage
    shape_bevel_box(&m, (karst_vec3){-0.34f, 0.40f, -0.28f}, (karst_vec3){0.34f, 0.62f, 0.30f}, 0.05f);
    for (int k = 0; k < 2; ++k)
        shape_box(&m, (karst_vec3){k ? 0.17f : -0.23f, 0.58f, -0.22f}, (karst_vec3){k ? 0.23f : -0.17f, 1.02f, 0.24f});
    mold_put(&m, 0, -0.015, (karst_vec3){0, 0.96f, 0.05f});
    shape_paint(&m, GREY);
    shape_lathe(&m, 2, (karst_vec3){0, 0, 0}, 14, barrel, COUNT(barrel));
    shape_bevel_box(&m, (karst_vec3){-0.15f, -0.17f, -0.62f}, (karst_vec3){0.15f, 0.17f, -0.22f}, 0.04f);  // breech
    shape_paint(&m, GREY);                                                                                 // recoil
    shape_bevel_box(&m, (karst_vec3){-0.13f, -0.27f, -0.50f}, (karst_vec3){0.13f, -0.10f, 1.25f}, 0.04f);
    shape_paint(&m, STEEL);
    shape_bar(&m, (karst_vec3){-0.18f, 0.0f, -0.2f}, (karst_vec3){-0.34f, 0.12f, -0.2f}, 0.03f, 0.05f, 8);  // sight
    mold_stay(&m);
    shape_both(&m, gun_side);
    return shape_end(&m, 0.6, out);
}
