// SPDX-License-Identifier: MIT
// Shapes: rings for mold_loft(), and outlines cut into triangles.
#include "shapes.h"

#include <math.h>

#include "core/core.h"

enum { ROOM = 8192, OUTLINE_MAX = 32 };

static const karst_model_material colours[COLOURS] = {
    [OLIVE] = {"olive", {0.125f, 0.135f, 0.068f, 1}},   [KHAKI] = {"khaki", {0.29f, 0.25f, 0.15f, 1}},
    [GREY] = {"grey", {0.21f, 0.23f, 0.245f, 1}},       [STEEL] = {"steel", {0.085f, 0.085f, 0.09f, 1}},
    [RUBBER] = {"rubber", {0.028f, 0.027f, 0.025f, 1}}, [GLASS] = {"glass", {0.03f, 0.06f, 0.08f, 1}},
    [CANVAS] = {"canvas", {0.33f, 0.295f, 0.20f, 1}},   [WOOD] = {"wood", {0.23f, 0.145f, 0.08f, 1}},
    [TIMBER] = {"timber", {0.085f, 0.055f, 0.035f, 1}}, [PLASTER] = {"plaster", {0.62f, 0.57f, 0.46f, 1}},
    [STONE] = {"stone", {0.33f, 0.305f, 0.26f, 1}},     [GRANITE] = {"granite", {0.25f, 0.24f, 0.225f, 1}},
    [TILES] = {"tiles", {0.25f, 0.085f, 0.05f, 1}},     [SLATE] = {"slate", {0.085f, 0.10f, 0.12f, 1}},
    [BARK] = {"bark", {0.12f, 0.085f, 0.058f, 1}},      [NEEDLES] = {"needles", {0.030f, 0.060f, 0.030f, 1}},
    [LEAVES] = {"leaves", {0.062f, 0.098f, 0.026f, 1}}, [BRONZE] = {"bronze", {0.13f, 0.25f, 0.19f, 1}},
    [WHITE] = {"white", {0.66f, 0.65f, 0.60f, 1}},      [RED] = {"red", {0.38f, 0.035f, 0.022f, 1}},
};

karst_status shape_begin(mold *m) {
    karst_status status = mold_begin(m, ROOM, COLOURS, 0);
    if (!status) memcpy(m->model->material, colours, sizeof colours);
    return status;
}

karst_status shape_end(mold *m, double crease_rad, karst_model **out) {
    karst_model *of = m->model;
    uint16_t number[COLOURS], used = 0;
    bool seen[COLOURS] = {false};
    for (uint32_t t = 0; t < of->triangle_count; ++t) seen[of->paint[t]] = true;
    for (int k = 0; k < COLOURS; ++k) {
        number[k] = used;
        if (seen[k]) of->material[used++] = colours[k];
    }
    for (uint32_t t = 0; t < of->triangle_count; ++t) of->paint[t] = number[of->paint[t]];
    of->material_count = used;
    return mold_end(m, crease_rad, out);
}

void shape_paint(mold *m, shape_colour colour) {
    m->paint = (uint16_t)colour;
    m->chart[0] = (float)(m->charts % 8) / 8;
    m->chart[1] = (float)(m->charts / 8 % 8) / 8;
    m->chart[2] = m->chart[3] = 0.1225f;
    ++m->charts;
}

void shape_both(mold *m, void (*side)(mold *m)) {
    int charts = m->charts;
    side(m);
    m->mirrored = true;
    m->charts = charts;
    side(m);
    m->mirrored = false;
}

// ---- boxes -------------------------------------------------------------------------------------------

void shape_box(mold *m, karst_vec3 low, karst_vec3 high) {
    const float outline[4][2] = {{high.z, low.y}, {high.z, high.y}, {low.z, high.y}, {low.z, low.y}};
    shape_extrude(m, 0, low.x, high.x, outline, 4);
}

void shape_bevel_box(mold *m, karst_vec3 low, karst_vec3 high, float bevel) {
    karst_vec3 points[32];
    for (int r = 0; r < 4; ++r) {
        float in = r == 0 || r == 3 ? bevel : 0, y = r == 0 ? low.y : r == 1 ? low.y + bevel : high.y;
        if (r == 2) y = high.y - bevel;
        float x0 = low.x + in, x1 = high.x - in, z0 = low.z + in, z1 = high.z - in;
        const float outline[8][2] = {{x0 + bevel, z0}, {x1 - bevel, z0}, {x1, z0 + bevel}, {x1, z1 - bevel},
                                     {x1 - bevel, z1}, {x0 + bevel, z1}, {x0, z1 - bevel}, {x0, z0 + bevel}};
        for (int i = 0; i < 8; ++i) points[8 * r + 7 - i] = (karst_vec3){outline[i][0], y, outline[i][1]};
    }
    mold_loft(m, points, 4, 8, true, true);
}

// ---- outlines ------------------------------------------------------------------------------------------

static float turn(const float a[2], const float b[2], const float c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Ears off an outline that is counter-clockwise (Meisters 1975). @return triangles: n - 2, fewer where it crosses
// itself
static int cut_ears(const float (*p)[2], int n, int (*out)[3]) {
    int left[OUTLINE_MAX], count = 0;
    KARST_ASSERT(n >= 3 && n <= OUTLINE_MAX);
    for (int i = 0; i < n; ++i) left[i] = i;
    for (int tries = 0; n > 2 && tries < n; ++tries) {
        int at = tries % n, a = left[(at + n - 1) % n], b = left[at], c = left[(at + 1) % n];
        bool ear = turn(p[a], p[b], p[c]) > 0;
        for (int i = 0; i < n && ear; ++i) {
            int k = left[i];
            if (k == a || k == b || k == c) continue;
            ear = !(turn(p[a], p[b], p[k]) >= 0 && turn(p[b], p[c], p[k]) >= 0 && turn(p[c], p[a], p[k]) >= 0);
        }
        if (!ear) continue;
        memcpy(out[count++], (const int[3]){a, b, c}, sizeof *out);
        --n;
        for (int i = at; i < n; ++i) left[i] = left[i + 1];
        tries = -1;
    }
    return count;
}

// Two rings of the same outline and what closes them. flip: the outline runs clockwise seen from ahead.
static void slab(mold *m, const karst_vec3 *near, const karst_vec3 *far, const float (*outline)[2], int n, bool flip) {
    int ears[OUTLINE_MAX][3], count = cut_ears(outline, n, ears);
    float low[2] = {outline[0][0], outline[0][1]}, high[2] = {low[0], low[1]};
    for (int i = 0; i < n; ++i)
        for (int c = 0; c < 2; ++c) {
            low[c] = fminf(low[c], outline[i][c]);
            high[c] = fmaxf(high[c], outline[i][c]);
        }
    for (int i = 0; i < n; ++i) {
        int j = (i + 1) % n, a = flip ? j : i, b = flip ? i : j;
        float u0 = (float)i / (float)n, u1 = (float)(i + 1) / (float)n;
        mold_quad(m, (const karst_vec3[4]){near[a], near[b], far[b], far[a]},
                  (const float[4][2]){{u0, 0}, {u1, 0}, {u1, 0.5f}, {u0, 0.5f}});
    }
    for (int k = 0; k < 2 * count; ++k) {
        bool last = k % 2;
        karst_vec3 p[3];
        float uv[3][2];
        for (int c = 0; c < 3; ++c) {
            int i = ears[k / 2][last == flip ? 2 - c : c];
            p[c] = last ? far[i] : near[i];
            uv[c][0] = (last ? 0.5f : 0) + 0.5f * (outline[i][0] - low[0]) / (high[0] - low[0]);
            uv[c][1] = 0.5f + 0.5f * (outline[i][1] - low[1]) / (high[1] - low[1]);
        }
        mold_triangle(m, p, (const float(*)[2])uv);
    }
}

void shape_extrude(mold *m, int axis, float from, float to, const float (*outline)[2], int n) {
    karst_vec3 near[OUTLINE_MAX], far[OUTLINE_MAX];
    for (int i = 0; i < n; ++i) {
        float u = outline[i][0], v = outline[i][1];
        for (int end = 0; end < 2; ++end) {
            float w = end ? to : from;
            (end ? far : near)[i] = axis == 0   ? (karst_vec3){w, v, u}
                                    : axis == 1 ? (karst_vec3){u, w, v}
                                                : (karst_vec3){u, v, w};
        }
    }
    slab(m, near, far, outline, n, axis != 2);
}

void shape_body(mold *m, const float (*outline)[3], int n) {
    karst_vec3 near[OUTLINE_MAX], far[OUTLINE_MAX];
    float flat[OUTLINE_MAX][2];
    for (int i = 0; i < n; ++i) {
        const float *o = outline[i];
        near[i] = (karst_vec3){-o[2], o[1], o[0]};
        far[i] = (karst_vec3){o[2], o[1], o[0]};
        flat[i][0] = o[0];
        flat[i][1] = o[1];
    }
    slab(m, near, far, (const float(*)[2])flat, n, true);
}

// ---- round things ----------------------------------------------------------------------------------------

void shape_lathe(mold *m, int axis, karst_vec3 at, int sides, const float (*profile)[2], int rings) {
    mold_lathe(m, axis, at, sides, profile, rings, profile[0][0] > 0, profile[rings - 1][0] > 0);
}

static karst_vec3 cross(karst_vec3 a, karst_vec3 b) {
    return (karst_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static karst_vec3 unit(karst_vec3 a) {
    float length = sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
    return (karst_vec3){a.x / length, a.y / length, a.z / length};
}
static karst_vec3 along(karst_vec3 p, karst_vec3 a, float s, karst_vec3 b, float t) {
    return (karst_vec3){p.x + s * a.x + t * b.x, p.y + s * a.y + t * b.y, p.z + s * a.z + t * b.z};
}

void shape_bar(mold *m, karst_vec3 from, karst_vec3 to, float radius_from, float radius_to, int sides) {
    karst_vec3 points[2 * OUTLINE_MAX], way = unit((karst_vec3){to.x - from.x, to.y - from.y, to.z - from.z});
    karst_vec3 aside = fabsf(way.y) < 0.9f ? (karst_vec3){0, 1, 0} : (karst_vec3){1, 0, 0};
    karst_vec3 a = unit(cross(aside, way)), b = cross(way, a);
    KARST_ASSERT(sides <= OUTLINE_MAX);
    for (int i = 0; i < 2 * sides; ++i) {
        double turns = (i % sides + 0.5) / sides;
        float r = i < sides ? radius_from : radius_to;
        points[i] = along(i < sides ? from : to, a, r * mold_cos(turns), b, r * mold_sin(turns));
    }
    mold_loft(m, points, 2, sides, true, true);
}

void shape_beam(mold *m, karst_vec3 from, karst_vec3 to, karst_vec3 up, float wide, float thick) {
    karst_vec3 way = unit((karst_vec3){to.x - from.x, to.y - from.y, to.z - from.z}), points[8];
    karst_vec3 a = unit(cross(up, way)), b = cross(way, a);
    for (int i = 0; i < 8; ++i) {
        float s = i % 4 == 0 || i % 4 == 3 ? 0.5f : -0.5f, t = i % 4 < 2 ? 0.5f : -0.5f;
        points[i] = along(i < 4 ? from : to, a, s * wide, b, t * thick);
    }
    mold_loft(m, points, 2, 4, true, true);
}

void shape_wheel(mold *m, karst_vec3 at, float radius, float width) {
    const float r = radius, w = 0.5f * width;
    const float tyre[6][2] = {{0.5f * r, -0.8f * w}, {0.86f * r, -w}, {r, -0.62f * w},
                              {r, 0.62f * w},        {0.86f * r, w},  {0.62f * r, 0.82f * w}};
    const float hub[4][2] = {{0.62f * r, 0.5f * w}, {0.58f * r, 0.86f * w}, {0.26f * r, 0.55f * w}, {0.18f * r, w}};
    shape_colour colour = (shape_colour)m->paint;
    shape_paint(m, RUBBER);
    shape_lathe(m, 0, at, 16, tyre, 6);
    shape_paint(m, colour);
    shape_lathe(m, 0, at, 12, hub, 4);
}

void shape_ring(mold *m, int axis, karst_vec3 at, float radius, float rod, int sides) {
    float profile[7][2];
    for (int i = 0; i < 7; ++i) {
        profile[i][0] = radius + rod * mold_cos((double)(i % 6) / 6 + 0.5);
        profile[i][1] = rod * -mold_sin((double)(i % 6) / 6);
    }
    mold_lathe(m, axis, at, sides, (const float(*)[2])profile, 7, false, false);
}

// ---- crags -----------------------------------------------------------------------------------------------

enum { CUTS = 14 };

typedef struct crag {
    karst_vec3 at, size, cut[CUTS];
    float near[CUTS];  // distance of each plane from the middle of the unit ball
    float bump;
    uint64_t seed;
} crag;

// The ball and the planes meet softly: 1 / r is the 16-norm of theirs.
static karst_vec3 crag_point(const crag *c, karst_vec3 d) {
    float sum = 1;
    for (int k = 0; k < CUTS; ++k) {
        float x = (d.x * c->cut[k].x + d.y * c->cut[k].y + d.z * c->cut[k].z) / c->near[k];
        if (x <= 0) continue;
        for (int i = 0; i < 4; ++i) x *= x;
        sum += x;
    }
    float r = 1 / sqrtf(sqrtf(sqrtf(sqrtf(sum))));
    uint64_t place = kst_hash(&d, sizeof d, c->seed);
    r *= 1 + c->bump * (2 * (float)kst_random01(c->seed, place) - 1);
    return (karst_vec3){c->at.x + r * d.x * c->size.x, c->at.y + r * d.y * c->size.y, c->at.z + r * d.z * c->size.z};
}

static void crag_face(mold *m, const crag *c, const karst_vec3 p[3], int depth) {
    if (!depth) {
        float uv[3][2];
        for (int i = 0; i < 3; ++i) {
            uv[i][0] = 0.5f + 0.25f * (p[i].x + p[i].z);
            uv[i][1] = 0.5f - 0.5f * p[i].y;
        }
        mold_triangle(m, (const karst_vec3[3]){crag_point(c, p[0]), crag_point(c, p[1]), crag_point(c, p[2])},
                      (const float(*)[2])uv);
        return;
    }
    karst_vec3 half[3];
    for (int i = 0; i < 3; ++i) half[i] = unit(along(p[i], p[(i + 1) % 3], 1, p[i], 0));
    for (int i = 0; i < 3; ++i) crag_face(m, c, (const karst_vec3[3]){p[i], half[i], half[(i + 2) % 3]}, depth - 1);
    crag_face(m, c, half, depth - 1);
}

void shape_crag(mold *m, karst_vec3 at, karst_vec3 size, int depth, float cut, float bump, uint64_t seed) {
    crag c = {.at = at, .size = size, .bump = bump, .seed = seed};
    for (int k = 0; k < CUTS; ++k) {
        uint64_t n = 4 * (uint64_t)k;
        karst_vec3 way = {(float)kst_random01(seed, n) - 0.5f, (float)kst_random01(seed, n + 1) - 0.4f,
                          (float)kst_random01(seed, n + 2) - 0.5f};
        c.cut[k] = unit(along(way, way, 0, (karst_vec3){0, 0.001f, 0}, 1));
        c.near[k] = 1 - cut * (0.35f + 0.65f * (float)kst_random01(seed, n + 3));
    }
    for (int k = 0; k < 20; ++k) {
        karst_vec3 p[3];
        mold_icosahedron(k, p);
        crag_face(m, &c, p, depth);
    }
}
