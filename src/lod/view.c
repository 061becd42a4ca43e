// SPDX-License-Identifier: MIT
// View: lens, error slope, projection.
#include "karst/view.h"

#include <math.h>

#include "core/core.h"

static karst_vec3 cross(karst_vec3 a, karst_vec3 b) {
    return (karst_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static karst_vec3 unit(double x, double y, double z) {
    double l = sqrt(x * x + y * y + z * z);
    return (karst_vec3){(float)(x / l), (float)(y / l), (float)(z / l)};
}

karst_view karst_view_perspective(karst_pos eye, karst_pos look, karst_vec3 up, float fov_rad, int width, int height) {
    KARST_ASSERT(fov_rad > 0 && fov_rad < 3.14159f && width > 0 && height > 0);
    double bx = eye.x - look.x, by = eye.y - look.y, bz = eye.z - look.z;
    if (bx * bx + by * by + bz * bz == 0) bz = 1;  // looking at oneself: north
    karst_vec3 back = unit(bx, by, bz);
    karst_vec3 r = cross(up, back);
    if (r.x * r.x + r.y * r.y + r.z * r.z < 1e-12f)  // looking along up: any right will do
        r = cross(fabsf(back.x) < 0.9f ? (karst_vec3){1, 0, 0} : (karst_vec3){0, 0, 1}, back);
    karst_view view = {.eye = eye, .back = back, .right = unit(r.x, r.y, r.z), .width = width, .height = height};
    view.up = cross(view.back, view.right);
    view.tan_y = tanf(0.5f * fov_rad);
    view.tan_x = view.tan_y * (float)width / (float)height;
    return view;
}

double karst_view_error_slope(const karst_view *view, float pixels) {
    double tx = view->tan_x, ty = view->tan_y;
    return pixels * 2 * ty / (view->height * (1 + tx * tx + ty * ty));
}

bool karst_view_project(const karst_view *view, karst_pos point, double *x, double *y, double *depth) {
    double dx = point.x - view->eye.x, dy = point.y - view->eye.y, dz = point.z - view->eye.z;
    double r = dx * view->right.x + dy * view->right.y + dz * view->right.z;
    double u = dx * view->up.x + dy * view->up.y + dz * view->up.z;
    double f = -(dx * view->back.x + dy * view->back.y + dz * view->back.z);
    if (!(f > 0)) return false;
    *x = (1 + r / (f * view->tan_x)) * 0.5 * view->width;
    *y = (1 - u / (f * view->tan_y)) * 0.5 * view->height;
    *depth = f;
    return true;
}

void karst_view_matrix(const karst_view *view, karst_pos origin, float near_m, float out[16]) {
    float ex = (float)(origin.x - view->eye.x), ey = (float)(origin.y - view->eye.y),
          ez = (float)(origin.z - view->eye.z);
    const karst_vec3 axes[3] = {view->right, view->up, view->back};
    float row[3][4];
    for (int i = 0; i < 3; ++i) {
        row[i][0] = axes[i].x;
        row[i][1] = axes[i].y;
        row[i][2] = axes[i].z;
        row[i][3] = axes[i].x * ex + axes[i].y * ey + axes[i].z * ez;
    }
    for (int c = 0; c < 4; ++c) {  // column-major; clip z = near, w = distance in front
        out[c * 4 + 0] = row[0][c] / view->tan_x;
        out[c * 4 + 1] = row[1][c] / view->tan_y;
        out[c * 4 + 2] = c == 3 ? near_m : 0;
        out[c * 4 + 3] = -row[2][c];
    }
}

void karst_view_ray(const karst_view *view, double x, double y, karst_pos *origin, karst_pos *direction) {
    double r = (2 * x / view->width - 1) * view->tan_x, u = (1 - 2 * y / view->height) * view->tan_y;
    double dx = r * view->right.x + u * view->up.x - view->back.x;
    double dy = r * view->right.y + u * view->up.y - view->back.y;
    double dz = r * view->right.z + u * view->up.z - view->back.z;
    double l = sqrt(dx * dx + dy * dy + dz * dz);
    *origin = view->eye;
    *direction = (karst_pos){dx / l, dy / l, dz / l};
}
