// SPDX-License-Identifier: MIT
// Buildings and a statue, in metres. They reach into the ground, so that they may stand on a slope; doors look to +z.
#include "made.h"
#include "shapes.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

// A window in a wall that looks along +z, its middle at 0.
static void window(mold *m, float width, float height, bool shutters) {
    float w = 0.5f * width, h = 0.5f * height;
    shape_paint(m, GLASS);
    shape_box(m, (karst_vec3){-w, -h, -0.1f}, (karst_vec3){w, h, 0.015f});
    shape_paint(m, WHITE);
    for (int k = -1; k <= 1; ++k) {
        float bar = k ? 0.05f : 0.025f;
        shape_box(m, (karst_vec3){(float)k * w - bar, -h - 0.05f, -0.1f},
                  (karst_vec3){(float)k * w + bar, h + 0.05f, 0.05f});
        shape_box(m, (karst_vec3){-w, (float)k * h - bar, -0.1f}, (karst_vec3){w, (float)k * h + bar, 0.045f});
    }
    shape_paint(m, STONE);
    shape_box(m, (karst_vec3){-w - 0.15f, -h - 0.17f, -0.1f}, (karst_vec3){w + 0.15f, -h - 0.05f, 0.14f});
    if (!shutters) return;
    shape_paint(m, WOOD);
    for (int k = 0; k < 2; ++k) {
        float x = k ? w + 0.07f : -w - 0.07f - w;
        shape_box(m, (karst_vec3){x, -h - 0.02f, -0.02f}, (karst_vec3){x + w, h + 0.02f, 0.06f});
    }
}

// A door of boards in a frame of stone, its sill at 0.
static void door(mold *m, float width, float height) {
    float w = 0.5f * width;
    shape_paint(m, TIMBER);
    shape_box(m, (karst_vec3){-w, 0, -0.2f}, (karst_vec3){w, height, 0.03f});
    shape_paint(m, WOOD);
    for (int k = 0; k < 4; ++k) {
        float x = -w + width * (float)k / 4;
        shape_box(m, (karst_vec3){x + 0.02f, 0.05f, -0.2f}, (karst_vec3){x + width / 4 - 0.02f, height - 0.05f, 0.06f});
    }
    shape_paint(m, STONE);
    for (int k = 0; k < 2; ++k) {
        float x = k ? w : -w - 0.18f;
        shape_box(m, (karst_vec3){x, 0, -0.2f}, (karst_vec3){x + 0.18f, height, 0.1f});
    }
    shape_box(m, (karst_vec3){-w - 0.24f, height, -0.2f}, (karst_vec3){w + 0.24f, height + 0.24f, 0.12f});
}

// ---- house: one storey under a steep roof, 8.4 x 6.2 m -----------------------------------------------------

// Seven courses of tiles on each side, each lying on the one below it.
static void roof(mold *m) {
    enum { COURSES = 7, POINTS = 4 * COURSES + 3 };
    float outline[POINTS][2] = {{3.62f, 2.50f}};
    for (int k = 0; k < 2 * COURSES; ++k) {
        float share = (float)((k + 1) / 2) / COURSES, lift = k % 2 ? 0.03f : 0.10f;
        outline[1 + k][0] = 3.70f * (1 - share) + 0.03f;
        outline[1 + k][1] = 2.56f + 3.18f * share + lift;
    }
    for (int k = 0; k < 2 * COURSES + 1; ++k) {
        outline[POINTS - 2 - k][0] = -outline[k][0];
        outline[POINTS - 2 - k][1] = outline[k][1];
    }
    outline[POINTS - 1][0] = 0;
    outline[POINTS - 1][1] = 5.60f;
    shape_extrude(m, 0, -4.7f, 4.7f, (const float(*)[2])outline, POINTS);
}

karst_status scene_model_house(karst_model **out) {
    static const float gable[][2] = {{3.1f, 0.2f}, {3.1f, 3.0f}, {0, 5.6f}, {-3.1f, 3.0f}, {-3.1f, 0.2f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, STONE);
    shape_bevel_box(&m, (karst_vec3){-4.32f, -1.6f, -3.22f}, (karst_vec3){4.32f, 0.42f, 3.22f}, 0.08f);
    shape_paint(&m, PLASTER);
    shape_extrude(&m, 0, -4.2f, 4.2f, gable, COUNT(gable));
    shape_paint(&m, TILES);
    roof(&m);
    shape_paint(&m, TILES);
    shape_bar(&m, (karst_vec3){-4.74f, 5.80f, 0}, (karst_vec3){4.74f, 5.80f, 0}, 0.15f, 0.15f, 8);
    shape_paint(&m, TIMBER);  // boards along the gables, beams under the eaves
    for (int k = 0; k < 4; ++k) {
        float x = k / 2 ? 4.70f : -4.70f, z = k % 2 ? 3.70f : -3.70f;
        shape_beam(&m, (karst_vec3){x, 2.53f, z}, (karst_vec3){x, 5.72f, 0}, (karst_vec3){0, 1, 0}, 0.09f, 0.26f);
    }
    for (int k = 0; k < 9; ++k) {
        float x = -4.4f + 1.1f * (float)k;
        for (int side = -1; side <= 1; side += 2)
            shape_beam(&m, (karst_vec3){x, 2.50f, 3.58f * (float)side}, (karst_vec3){x, 2.98f, 3.02f * (float)side},
                       (karst_vec3){0, 1, 0}, 0.09f, 0.12f);
    }
    shape_paint(&m, STONE);
    shape_bevel_box(&m, (karst_vec3){2.1f, 3.2f, -1.55f}, (karst_vec3){2.95f, 6.6f, -0.75f}, 0.02f);
    shape_bevel_box(&m, (karst_vec3){2.0f, 6.45f, -1.65f}, (karst_vec3){3.05f, 6.68f, -0.65f}, 0.04f);
    shape_paint(&m, TILES);
    for (int k = 0; k < 2; ++k) {
        const float pot[3][2] = {{0.15f, 6.6f}, {0.12f, 7.0f}, {0.15f, 7.05f}};
        shape_lathe(&m, 1, (karst_vec3){k ? 2.32f : 2.73f, 0, -1.15f}, 10, pot, 3);
    }
    mold_put(&m, 1, 0, (karst_vec3){-0.6f, 0.42f, 3.1f});
    door(&m, 1.05f, 2.05f);
    mold_stay(&m);
    shape_paint(&m, STONE);
    for (int k = 0; k < 3; ++k)
        shape_box(&m, (karst_vec3){-1.35f, -1.2f, 3.1f},
                  (karst_vec3){0.15f, 0.40f - 0.18f * (float)k, 3.55f + 0.32f * (float)k});
    static const struct {
        double turns;
        karst_vec3 at;
        float width, height;
    } windows[] = {{0, {-2.85f, 1.75f, 3.1f}, 0.9f, 1.2f},  {0, {1.25f, 1.75f, 3.1f}, 0.9f, 1.2f},
                   {0, {3.1f, 1.75f, 3.1f}, 0.7f, 1.2f},    {0.5, {-2.6f, 1.75f, -3.1f}, 0.9f, 1.2f},
                   {0.5, {0, 1.75f, -3.1f}, 0.9f, 1.2f},    {0.5, {2.6f, 1.75f, -3.1f}, 0.9f, 1.2f},
                   {0.25, {4.2f, 1.75f, 1.2f}, 0.9f, 1.2f}, {0.25, {4.2f, 4.0f, 0}, 0.7f, 0.9f},
                   {0.75, {-4.2f, 1.75f, 0}, 1.1f, 1.2f},   {0.75, {-4.2f, 4.0f, 0}, 0.7f, 0.9f}};
    for (int k = 0; k < COUNT(windows); ++k) {
        mold_put(&m, 1, windows[k].turns, windows[k].at);
        window(&m, windows[k].width, windows[k].height, true);
    }
    return shape_end(&m, 0.5, out);
}

// ---- tower: round, of stone, 15 m over the ground ------------------------------------------------------------

karst_status scene_model_tower(karst_model **out) {
    static const float wall[][2] = {{3.7f, -2.0f}, {3.55f, 0.5f},  {3.02f, 1.5f},   {2.75f, 8.9f},   {2.85f, 9.0f},
                                    {2.85f, 9.2f}, {3.22f, 9.75f}, {3.22f, 10.95f}, {2.88f, 10.95f}, {2.88f, 10.2f}};
    static const float course[][2] = {{2.8f, 5.2f}, {3.0f, 5.28f}, {3.0f, 5.44f}, {2.8f, 5.52f}};
    static const float drum[][2] = {{1.62f, 10.0f}, {1.62f, 12.7f}};
    static const float roof[][2] = {{1.5f, 12.62f}, {2.08f, 12.50f}, {2.10f, 12.58f}, {1.2f, 13.9f}, {0, 16.1f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, STONE);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 24, wall, COUNT(wall));
    shape_paint(&m, GRANITE);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 24, course, COUNT(course));
    shape_paint(&m, STONE);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 16, drum, COUNT(drum));
    shape_paint(&m, SLATE);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 16, roof, COUNT(roof));
    for (int k = 0; k < 12; ++k) {
        mold_put(&m, 1, k / 12.0, (karst_vec3){0, 0, 0});
        shape_paint(&m, STONE);  // merlon
        shape_bevel_box(&m, (karst_vec3){-0.47f, 10.9f, 2.86f}, (karst_vec3){0.47f, 11.75f, 3.20f}, 0.03f);
    }
    for (int k = 0; k < 24; ++k) {
        mold_put(&m, 1, (k + 0.5) / 24.0, (karst_vec3){0, 0, 0});
        shape_paint(&m, GRANITE);  // corbel
        shape_beam(&m, (karst_vec3){0, 9.05f, 2.7f}, (karst_vec3){0, 9.62f, 3.2f}, (karst_vec3){0, 1, 0}, 0.2f, 0.25f);
    }
    static const struct {
        double turns;
        float y, out;
    } slits[] = {{0.05, 4.2f, 2.93f}, {0.3, 3.4f, 2.96f},  {0.42, 7.2f, 2.82f},
                 {0.62, 4.2f, 2.93f}, {0.78, 7.2f, 2.82f}, {0.95, 7.4f, 2.81f}};
    for (int k = 0; k < COUNT(slits); ++k) {
        mold_put(&m, 1, slits[k].turns, (karst_vec3){0, slits[k].y, slits[k].out});
        shape_paint(&m, STEEL);
        shape_box(&m, (karst_vec3){-0.11f, -0.6f, -0.4f}, (karst_vec3){0.11f, 0.6f, 0.0f});
        shape_paint(&m, GRANITE);
        shape_box(&m, (karst_vec3){-0.26f, -0.68f, -0.4f}, (karst_vec3){-0.11f, 0.68f, 0.05f});
        shape_box(&m, (karst_vec3){0.11f, -0.68f, -0.4f}, (karst_vec3){0.26f, 0.68f, 0.05f});
        shape_box(&m, (karst_vec3){-0.30f, 0.6f, -0.4f}, (karst_vec3){0.30f, 0.82f, 0.07f});
    }
    for (int k = 0; k < 4; ++k) {
        mold_put(&m, 1, k / 4.0 + 0.125, (karst_vec3){0, 11.6f, 1.60f});
        window(&m, 0.5f, 0.8f, false);
    }
    mold_put(&m, 1, 0, (karst_vec3){0, 0.45f, 3.42f});
    door(&m, 1.2f, 2.3f);
    shape_paint(&m, STONE);
    for (int k = 0; k < 3; ++k)
        shape_box(&m, (karst_vec3){-1.1f, -1.4f, -0.4f},
                  (karst_vec3){1.1f, -0.02f - 0.17f * (float)k, 0.5f + 0.33f * (float)k});
    mold_stay(&m);
    static const float flag[][2] = {{0.04f, 17.0f}, {1.1f, 16.9f}, {0.8f, 17.3f}, {1.15f, 17.75f}, {0.04f, 17.8f}};
    shape_paint(&m, TIMBER);
    shape_bar(&m, (karst_vec3){0, 15.6f, 0}, (karst_vec3){0, 18.0f, 0}, 0.05f, 0.035f, 6);
    shape_paint(&m, RED);
    shape_extrude(&m, 2, -0.02f, 0.02f, flag, COUNT(flag));
    return shape_end(&m, 0.5, out);
}

// ---- windmill: a smock mill, its hub at 9.6 m -----------------------------------------------------------------

static void sail(mold *m) {
    shape_paint(m, TIMBER);
    shape_beam(m, (karst_vec3){0, -0.4f, 0}, (karst_vec3){0, 7.2f, 0}, (karst_vec3){0, 0, 1}, 0.22f, 0.2f);
    shape_paint(m, WOOD);
    for (int k = 0; k < 13; ++k) {
        float y = 1.3f + 0.47f * (float)k;
        shape_box(m, (karst_vec3){-0.35f, y - 0.035f, 0.06f}, (karst_vec3){1.62f, y + 0.035f, 0.12f});
    }
    for (int k = 0; k < 3; ++k) {
        float x = -0.35f + 0.98f * (float)k;
        shape_box(m, (karst_vec3){x - 0.04f, 1.2f, 0.05f}, (karst_vec3){x + 0.04f, 7.0f, 0.14f});
    }
    shape_paint(m, CANVAS);
    shape_box(m, (karst_vec3){0.1f, 1.25f, 0.13f}, (karst_vec3){1.6f, 5.6f, 0.17f});
}

karst_status scene_model_windmill(karst_model **out) {
    static const float base[][2] = {{3.75f, -1.8f}, {3.65f, 0.2f}, {3.45f, 1.7f}};
    static const float smock[][2] = {{3.25f, 1.6f}, {3.2f, 1.75f}, {1.95f, 8.4f}};
    static const float deck[][2] = {{2.4f, 2.95f}, {4.25f, 2.95f}, {4.25f, 3.12f}, {2.4f, 3.12f}};
    static const float cap[][2] = {{1.9f, 8.3f},   {2.3f, 8.35f},  {2.32f, 8.6f}, {2.1f, 9.4f},
                                   {1.55f, 10.2f}, {0.8f, 10.75f}, {0, 10.95f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, STONE);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 16, base, COUNT(base));
    shape_paint(&m, WHITE);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 8, smock, COUNT(smock));
    shape_paint(&m, WOOD);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 16, deck, COUNT(deck));
    for (int k = 0; k < 16; ++k) {
        mold_put(&m, 1, k / 16.0, (karst_vec3){0, 0, 0});
        shape_paint(&m, TIMBER);
        shape_box(&m, (karst_vec3){-0.05f, 3.1f, 4.05f}, (karst_vec3){0.05f, 4.1f, 4.15f});
        mold_put(&m, 1, (k + 0.5) / 16.0, (karst_vec3){0, 0, 0});
        shape_box(&m, (karst_vec3){-0.84f, 4.04f, 3.97f}, (karst_vec3){0.84f, 4.12f, 4.07f});
        shape_box(&m, (karst_vec3){-0.84f, 3.54f, 3.98f}, (karst_vec3){0.84f, 3.60f, 4.04f});
        if (k % 2) continue;
        shape_beam(&m, (karst_vec3){0, 1.75f, 2.9f}, (karst_vec3){0, 2.95f, 3.95f}, (karst_vec3){0, 1, 0}, 0.13f,
                   0.13f);
    }
    mold_stay(&m);
    shape_paint(&m, TIMBER);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 16, cap, COUNT(cap));
    shape_bar(&m, (karst_vec3){0, 9.35f, -1.9f}, (karst_vec3){0, 9.62f, 3.5f}, 0.24f, 0.22f, 10);
    for (int k = 0; k < 2; ++k) {  // the tail pole and what holds it
        float x = k ? 0.9f : -0.9f;
        shape_beam(&m, (karst_vec3){x, 8.8f, -1.8f}, (karst_vec3){0.12f * x, 4.3f, -5.0f}, (karst_vec3){0, 1, 0}, 0.14f,
                   0.16f);
    }
    shape_beam(&m, (karst_vec3){0, 9.0f, -1.9f}, (karst_vec3){0, 3.4f, -5.6f}, (karst_vec3){0, 1, 0}, 0.2f, 0.22f);
    for (int k = 0; k < 4; ++k) {
        mold_put(&m, 2, k / 4.0 + 0.06, (karst_vec3){0, 9.6f, 3.15f});
        sail(&m);
    }
    static const struct {
        double turns;
        float y, out;
    } windows[] = {{0.25, 5.0f, 2.43f}, {0.75, 5.0f, 2.43f}, {0, 6.7f, 2.12f}, {0.5, 6.7f, 2.12f}, {0.25, 7.4f, 2.0f}};
    for (int k = 0; k < COUNT(windows); ++k) {
        mold_put(&m, 1, windows[k].turns, (karst_vec3){0, windows[k].y, windows[k].out});
        window(&m, 0.55f, 0.75f, false);
    }
    mold_put(&m, 1, 0, (karst_vec3){0, 0.2f, 3.48f});
    door(&m, 1.15f, 1.75f);
    shape_paint(&m, STONE);
    shape_box(&m, (karst_vec3){-0.9f, -1.4f, -0.4f}, (karst_vec3){0.9f, -0.01f, 0.6f});
    mold_stay(&m);
    return shape_end(&m, 0.5, out);
}

// ---- statue: a figure with sword and shield on a pedestal, 7.4 m ---------------------------------------------

// Rings about y: y, half width, half depth, z of the middle, depth of the folds.
static void robe(mold *m, const float (*section)[5], int count) {
    enum { ROUND = 28, SECTIONS_MAX = 12 };
    karst_vec3 points[ROUND * SECTIONS_MAX];
    for (int i = 0; i < ROUND * count; ++i) {
        const float *s = section[i / ROUND];
        double turns = (double)(i % ROUND) / ROUND;
        float fold = 1 + s[4] * mold_cos(7 * turns + 0.3 * (double)s[0]);
        points[i] = (karst_vec3){s[1] * fold * mold_cos(turns), s[0], s[3] - s[2] * fold * mold_sin(turns)};
    }
    mold_loft(m, points, count, ROUND, true, true);
}

static void limb(mold *m, const karst_vec3 p[3], const float r[3]) {
    shape_bar(m, p[0], p[1], r[0], r[1], 10);
    shape_bar(m, p[1], p[2], r[1], r[2], 10);
    for (int k = 0; k < 3; ++k) shape_crag(m, p[k], (karst_vec3){1.06f * r[k], 1.06f * r[k], 1.06f * r[k]}, 1, 0, 0, 1);
}

karst_status scene_model_statue(karst_model **out) {
    static const float figure[][5] = {
        {2.78f, 0.54f, 0.50f, 0, 0.13f},    {2.95f, 0.52f, 0.48f, 0, 0.15f},  {3.5f, 0.44f, 0.40f, 0.02f, 0.15f},
        {4.1f, 0.37f, 0.31f, 0.02f, 0.09f}, {4.42f, 0.33f, 0.25f, 0, 0.03f},  {4.85f, 0.42f, 0.29f, 0.01f, 0.015f},
        {5.12f, 0.45f, 0.26f, -0.02f, 0},   {5.30f, 0.36f, 0.20f, -0.03f, 0}, {5.40f, 0.17f, 0.15f, -0.02f, 0},
        {5.46f, 0.11f, 0.11f, 0, 0},        {5.60f, 0.10f, 0.11f, 0.01f, 0}};
    static const karst_vec3 right[3] = {{0.40f, 5.14f, -0.01f}, {0.74f, 5.36f, 0.12f}, {0.80f, 5.92f, 0.26f}};
    static const karst_vec3 left[3] = {{-0.40f, 5.14f, -0.01f}, {-0.58f, 4.62f, 0.02f}, {-0.42f, 4.30f, 0.36f}};
    static const float thick[3] = {0.14f, 0.105f, 0.075f};
    static const float shield[][2] = {{0.58f, -0.06f}, {0.60f, -0.02f}, {0.54f, 0.03f}, {0.50f, 0.03f},
                                      {0.30f, 0.09f},  {0.13f, 0.11f},  {0.11f, 0.17f}, {0, 0.20f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    static const float block[][3] = {
        {1.75f, -1.4f, 0.22f}, {1.40f, 0.1f, 0.50f}, {1.12f, 0.4f, 0.82f}, {0.86f, 0.7f, 2.40f}, {1.02f, 2.32f, 2.58f}};
    for (int k = 0; k < COUNT(block); ++k) {
        float w = block[k][0];
        shape_paint(&m, k == 3 ? STONE : GRANITE);
        shape_bevel_box(&m, (karst_vec3){-w, block[k][1], -w}, (karst_vec3){w, block[k][2], w}, 0.06f);
    }
    shape_paint(&m, BRONZE);
    shape_bevel_box(&m, (karst_vec3){-0.42f, 1.15f, 0.8f}, (karst_vec3){0.42f, 1.85f, 0.89f}, 0.02f);  // a plate
    shape_paint(&m, BRONZE);
    shape_bevel_box(&m, (karst_vec3){-0.68f, 2.54f, -0.68f}, (karst_vec3){0.68f, 2.80f, 0.68f}, 0.06f);
    robe(&m, figure, COUNT(figure));
    shape_paint(&m, BRONZE);
    shape_crag(&m, (karst_vec3){0, 5.73f, 0.02f}, (karst_vec3){0.155f, 0.205f, 0.18f}, 2, 0, 0, 1);
    shape_ring(&m, 1, (karst_vec3){0, 5.80f, 0.0f}, 0.165f, 0.032f, 18);  // wreath
    shape_crag(&m, (karst_vec3){0, 5.71f, -0.14f}, (karst_vec3){0.12f, 0.14f, 0.12f}, 1, 0, 0, 1);
    shape_paint(&m, BRONZE);
    limb(&m, right, thick);
    limb(&m, left, thick);
    shape_paint(&m, BRONZE);  // sword
    shape_bar(&m, (karst_vec3){0.80f, 5.78f, 0.23f}, (karst_vec3){0.80f, 6.10f, 0.29f}, 0.03f, 0.03f, 8);
    shape_beam(&m, (karst_vec3){0.62f, 6.10f, 0.29f}, (karst_vec3){0.98f, 6.10f, 0.29f}, (karst_vec3){0, 1, 0}, 0.06f,
               0.06f);
    shape_beam(&m, (karst_vec3){0.80f, 6.10f, 0.29f}, (karst_vec3){0.80f, 7.35f, 0.52f}, (karst_vec3){0, 0, 1}, 0.12f,
               0.03f);
    mold_put(&m, 1, -0.02, (karst_vec3){-0.40f, 4.28f, 0.42f});
    shape_paint(&m, BRONZE);
    shape_lathe(&m, 2, (karst_vec3){0, 0, 0}, 24, shield, COUNT(shield));
    mold_stay(&m);
    return shape_end(&m, 0.7, out);
}
