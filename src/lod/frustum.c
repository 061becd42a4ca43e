// SPDX-License-Identifier: MIT
// Culling: boxes against the planes of a view.
#include "lod.h"

kst_frustum kst_frustum_of(const karst_view *v, karst_pos origin) {
    const karst_vec3 n[5] = {
        {-v->back.x * v->tan_x + v->right.x, -v->back.y * v->tan_x + v->right.y, -v->back.z * v->tan_x + v->right.z},
        {-v->back.x * v->tan_x - v->right.x, -v->back.y * v->tan_x - v->right.y, -v->back.z * v->tan_x - v->right.z},
        {-v->back.x * v->tan_y + v->up.x, -v->back.y * v->tan_y + v->up.y, -v->back.z * v->tan_y + v->up.z},
        {-v->back.x * v->tan_y - v->up.x, -v->back.y * v->tan_y - v->up.y, -v->back.z * v->tan_y - v->up.z},
        {-v->back.x, -v->back.y, -v->back.z},
    };
    kst_frustum f;
    for (int k = 0; k < 5; ++k) {
        f.plane[k][0] = n[k].x;
        f.plane[k][1] = n[k].y;
        f.plane[k][2] = n[k].z;
        f.plane[k][3] =
            -(float)(n[k].x * (v->eye.x - origin.x) + n[k].y * (v->eye.y - origin.y) + n[k].z * (v->eye.z - origin.z));
    }
    return f;
}

int kst_box_in(const kst_frustum *f, const float min[3], const float max[3]) {
    int result = 2;
    for (int k = 0; k < 5; ++k) {
        const float *p = f->plane[k];
        float a0 = p[0] * min[0], a1 = p[0] * max[0], b0 = p[1] * min[1], b1 = p[1] * max[1], c0 = p[2] * min[2],
              c1 = p[2] * max[2];
        float far = p[3] + (a0 > a1 ? a0 : a1) + (b0 > b1 ? b0 : b1) + (c0 > c1 ? c0 : c1);
        if (far < 0) return 0;
        float near = p[3] + (a0 < a1 ? a0 : a1) + (b0 < b1 ? b0 : b1) + (c0 < c1 ? c0 : c1);
        if (near < 0) result = 1;
    }
    return result;
}

void kst_chunk_box(const karst_chunk_corners *c, float min[3], float max[3]) {
    enum { N = KARST_CHUNK_CORNERS };
    const int corner[4] = {N + 1, N + 3, 3 * N + 1, 3 * N + 3};  // each has four patches round it: all sixteen
    min[0] = c->min_x[corner[0]], min[1] = c->min_y[corner[0]], min[2] = c->min_z[corner[0]];
    max[0] = c->max_x[corner[0]], max[1] = c->max_y[corner[0]], max[2] = c->max_z[corner[0]];
    for (int k = 1; k < 4; ++k) {
        const int i = corner[k];
        const float low[3] = {c->min_x[i], c->min_y[i], c->min_z[i]}, high[3] = {c->max_x[i], c->max_y[i], c->max_z[i]};
        for (int a = 0; a < 3; ++a) {
            min[a] = min[a] < low[a] ? min[a] : low[a];
            max[a] = max[a] > high[a] ? max[a] : high[a];
        }
    }
}
