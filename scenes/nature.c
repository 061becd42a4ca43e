// SPDX-License-Identifier: MIT
// A boulder and two trees, in metres, from numbers of a seed.
#include "core/core.h"
#include "made.h"
#include "shapes.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

karst_status scene_model_rock(karst_model **out) {
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, GRANITE);
    shape_crag(&m, (karst_vec3){0, 0.55f, 0}, (karst_vec3){2.1f, 1.75f, 1.7f}, 3, 0.55f, 0.015f, 11);
    shape_paint(&m, GRANITE);
    shape_crag(&m, (karst_vec3){1.75f, 0.1f, 0.9f}, (karst_vec3){0.95f, 0.8f, 0.85f}, 2, 0.5f, 0.02f, 12);
    shape_paint(&m, STONE);
    shape_crag(&m, (karst_vec3){-1.5f, 0.05f, 1.2f}, (karst_vec3){0.7f, 0.55f, 0.6f}, 2, 0.5f, 0.02f, 17);
    return shape_end(&m, 0.7, out);
}

// ---- pine: tiers of boughs, 11 m -----------------------------------------------------------------------------

enum { BOUGHS = 18 };

static void tier(mold *m, int number, float y, float radius, float height) {
    karst_vec3 points[3 * BOUGHS];
    for (int i = 0; i < 3 * BOUGHS; ++i) {
        int ring = i / BOUGHS, k = i % BOUGHS;
        uint64_t at = (uint64_t)(number * BOUGHS + k) * 2;
        float wild = (float)kst_random01(5, at), droop = (float)kst_random01(5, at + 1);
        float out = k % 2 ? 0.62f + 0.1f * wild : 0.9f + 0.2f * wild;
        float r = ring == 0 ? 0.12f * radius : ring == 1 ? radius * out : 0.03f;
        double turns = (k + 0.37 * number) / BOUGHS;
        float rise = ring == 0 ? 0.22f * height : ring == 1 ? (k % 2 ? 0.10f : -0.10f * droop) * height : height;
        points[i] = (karst_vec3){r * mold_cos(turns), y + rise, -r * mold_sin(turns)};
    }
    mold_loft(m, points, 3, BOUGHS, true, true);
}

karst_status scene_model_pine(karst_model **out) {
    static const float trunk[][2] = {{0.55f, -1.0f}, {0.36f, 0.05f}, {0.25f, 0.7f}, {0.20f, 3.0f}, {0.05f, 10.3f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, BARK);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 10, trunk, COUNT(trunk));
    for (int k = 0; k < 9; ++k) {
        float share = (float)k / 8;
        shape_paint(&m, NEEDLES);
        tier(&m, k, 1.5f + 1.02f * (float)k - 0.25f * share, 2.55f - 2.1f * share, 2.1f - 0.5f * share);
    }
    return shape_end(&m, 0.4, out);
}

// ---- oak: a wide crown of many balls, 9 m ---------------------------------------------------------------------

karst_status scene_model_oak(karst_model **out) {
    static const float trunk[][2] = {{0.95f, -1.0f}, {0.62f, 0.0f}, {0.45f, 0.6f},
                                     {0.40f, 2.0f},  {0.46f, 2.9f}, {0.3f, 3.4f}};
    static const struct {
        karst_vec3 at;
        float size;
    } ball[] = {{{0, 6.6f, 0}, 2.2f},          {{1.9f, 5.4f, 0.5f}, 1.75f},  {{-1.8f, 5.3f, 0.7f}, 1.8f},
                {{0.4f, 5.2f, 1.9f}, 1.7f},    {{-0.3f, 5.1f, -1.9f}, 1.8f}, {{1.4f, 6.9f, -1.0f}, 1.5f},
                {{-1.3f, 7.0f, -0.6f}, 1.5f},  {{0.4f, 7.6f, 0.8f}, 1.45f},  {{2.6f, 4.7f, -0.9f}, 1.2f},
                {{-2.5f, 4.6f, -0.7f}, 1.25f}, {{1.5f, 4.6f, 1.9f}, 1.1f}};
    mold m;
    karst_status status = shape_begin(&m);
    if (status) return status;
    shape_paint(&m, BARK);
    shape_lathe(&m, 1, (karst_vec3){0, 0, 0}, 10, trunk, COUNT(trunk));
    for (int k = 1; k < 5; ++k)
        shape_bar(&m, (karst_vec3){0.1f * ball[k].at.x, 2.6f, 0.1f * ball[k].at.z}, ball[k].at, 0.24f, 0.1f, 7);
    for (int k = 0; k < COUNT(ball); ++k) {
        float s = ball[k].size;
        shape_paint(&m, LEAVES);
        shape_crag(&m, ball[k].at, (karst_vec3){1.06f * s, 0.84f * s, 1.06f * s}, 2, 0.2f, 0.07f, 100 + (uint64_t)k);
    }
    return shape_end(&m, 0.9, out);
}
