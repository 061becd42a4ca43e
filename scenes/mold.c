// SPDX-License-Identifier: MIT
// The mold: loose triangles, each corner a vertex and a wedge of its own, until mold_end() joins them.
#include "mold.h"

#include <math.h>

#include "core/core.h"

enum { POINTS_MAX = 1024 };  // of a lathe

float mold_cos(double turns) {
    return (float)(rint(cos(turns * 6.283185307179586) * 0x1p20) * 0x1p-20);
}
float mold_sin(double turns) {
    return mold_cos(turns - 0.25);
}

karst_status mold_begin(mold *m, uint32_t triangles, uint32_t materials, uint32_t joints) {
    karst_model_size size = {
        .vertices = 3 * triangles,
        .wedges = 3 * triangles,
        .triangles = triangles,
        .materials = materials,
        .joints = joints,
        .uv_sets = 1,
    };
    *m = (mold){.chart = {0, 0, 1, 1}, .room = triangles};
    karst_status status = karst_model_create(&size, NULL, NULL, &m->model);
    if (!status) m->model->vertex_count = m->model->wedge_count = m->model->triangle_count = 0;
    return status;
}

void mold_put(mold *m, int axis, double turns, karst_vec3 at) {
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    memset(m->place, 0, sizeof m->place);
    m->place[axis][axis] = 1;
    m->place[a][a] = m->place[b][b] = mold_cos(turns);
    m->place[b][a] = mold_sin(turns);
    m->place[a][b] = -m->place[b][a];
    m->place[0][3] = at.x;
    m->place[1][3] = at.y;
    m->place[2][3] = at.z;
    m->placed = true;
}

void mold_stay(mold *m) {
    m->placed = false;
}

static karst_vec3 placed(const mold *m, karst_vec3 p) {
    if (!m->placed) return p;
    float out[3];
    for (int r = 0; r < 3; ++r)
        out[r] = m->place[r][0] * p.x + m->place[r][1] * p.y + m->place[r][2] * p.z + m->place[r][3];
    return (karst_vec3){out[0], out[1], out[2]};
}

void mold_triangle(mold *m, const karst_vec3 p[3], const float uv[3][2]) {
    karst_model *to = m->model;
    KARST_ASSERT(to->triangle_count < m->room);
    for (int i = 0; i < 3; ++i) {
        int k = m->mirrored ? 2 - i : i;
        uint32_t w = to->wedge_count++;
        karst_vec3 at = placed(m, p[k]);
        to->position[w] = (karst_vec3){m->mirrored ? -at.x : at.x, at.y, at.z};
        if (to->skin) to->skin[w] = (karst_model_skin){.joint = {m->joint}, .weight = {UINT16_MAX}};
        to->vertex[w] = w;
        for (int c = 0; c < 2; ++c) to->uv[0][w][c] = m->chart[c] + m->chart[c + 2] * uv[k][c];
        to->triangle[to->triangle_count][i] = w;
    }
    if (to->paint) to->paint[to->triangle_count] = m->paint;
    ++to->triangle_count;
    to->vertex_count = to->wedge_count;
}

void mold_quad(mold *m, const karst_vec3 p[4], const float uv[4][2]) {
    for (int half = 0; half < 2; ++half) {
        const int k[3] = {0, 1 + half, 2 + half};
        karst_vec3 q[3];
        float t[3][2];
        for (int i = 0; i < 3; ++i) {
            q[i] = p[k[i]];
            memcpy(t[i], uv[k[i]], sizeof t[i]);
        }
        mold_triangle(m, q, (const float(*)[2])t);
    }
}

// A fan over a ring; its chart is the ring seen along its axis, in the lower half of the whole chart.
static void cap(mold *m, const karst_vec3 *ring, int n, bool last) {
    karst_vec3 low = ring[0], high = ring[0];
    for (int i = 1; i < n; ++i) {
        low = (karst_vec3){ring[i].x < low.x ? ring[i].x : low.x, ring[i].y < low.y ? ring[i].y : low.y,
                           ring[i].z < low.z ? ring[i].z : low.z};
        high = (karst_vec3){ring[i].x > high.x ? ring[i].x : high.x, ring[i].y > high.y ? ring[i].y : high.y,
                            ring[i].z > high.z ? ring[i].z : high.z};
    }
    float size[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    int thin = size[0] <= size[1] && size[0] <= size[2] ? 0 : size[1] <= size[2] ? 1 : 2;
    int a = thin == 0 ? 2 : 0, b = thin == 1 ? 2 : 1;
    for (int i = 1; i + 1 < n; ++i) {
        const int k[3] = {0, last ? i : i + 1, last ? i + 1 : i};
        karst_vec3 p[3];
        float uv[3][2];
        for (int c = 0; c < 3; ++c) {
            p[c] = ring[k[c]];
            float from[3] = {p[c].x - low.x, p[c].y - low.y, p[c].z - low.z};
            uv[c][0] = (last ? 0.5f : 0) + 0.5f * from[a] / size[a];
            uv[c][1] = 0.5f + 0.5f * from[b] / size[b];
        }
        mold_triangle(m, p, (const float(*)[2])uv);
    }
}

void mold_loft(mold *m, const karst_vec3 *points, int rings, int n, bool cap_first, bool cap_last) {
    for (int r = 0; r + 1 < rings; ++r)
        for (int i = 0; i < n; ++i) {
            const karst_vec3 *a = points + r * n, *b = a + n;
            int j = (i + 1) % n;
            float u0 = (float)i / (float)n, u1 = (float)(i + 1) / (float)n;
            float v0 = 0.5f * (float)r / (float)(rings - 1), v1 = 0.5f * (float)(r + 1) / (float)(rings - 1);
            mold_quad(m, (const karst_vec3[4]){a[i], a[j], b[j], b[i]},
                      (const float[4][2]){{u0, v0}, {u1, v0}, {u1, v1}, {u0, v1}});
        }
    if (cap_first) cap(m, points, n, false);
    if (cap_last) cap(m, points + (rings - 1) * n, n, true);
}

void mold_lathe(mold *m, int axis, karst_vec3 at, int sides, const float (*profile)[2], int rings, bool cap_first,
                bool cap_last) {
    karst_vec3 points[POINTS_MAX];
    KARST_ASSERT(rings * sides <= POINTS_MAX);
    for (int i = 0; i < rings * sides; ++i) {
        double turns = (i % sides + 0.5) / sides;
        float r = profile[i / sides][0], p[3];
        p[axis] = profile[i / sides][1];
        p[(axis + 1) % 3] = r * mold_cos(turns);
        p[(axis + 2) % 3] = r * mold_sin(turns);
        points[i] = (karst_vec3){at.x + p[0], at.y + p[1], at.z + p[2]};
    }
    mold_loft(m, points, rings, sides, cap_first, cap_last);
}

// Two poles and two rings of five, from the golden ratio.
void mold_icosahedron(int face, karst_vec3 out[3]) {
    const double golden = (1 + sqrt(5)) / 2, scale = 1 / sqrt(1 + golden * golden);
    const float s = (float)scale, g = (float)(golden * scale);
    const karst_vec3 p[12] = {{-s, g, 0},  {s, g, 0},  {-s, -g, 0}, {s, -g, 0}, {0, -s, g},  {0, s, g},
                              {0, -s, -g}, {0, s, -g}, {g, 0, -s},  {g, 0, s},  {-g, 0, -s}, {-g, 0, s}};
    static const int corner[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                      {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                      {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                      {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (int i = 0; i < 3; ++i) out[i] = p[corner[face][i]];
}

karst_status mold_end(mold *m, double crease_rad, karst_model **out) {
    karst_status status = karst_model_clean(m->model, NULL, NULL);
    if (!status) status = karst_model_crease(m->model, crease_rad, NULL, out);
    karst_model_destroy(m->model);
    *m = (mold){0};
    return status;
}
