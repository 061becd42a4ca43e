// SPDX-License-Identifier: MIT
// What a frame draws, seen from the field.
#include "scenes/drawn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

karst_drawn_vertex *scene_expand(const karst_frame *frame, const karst_scene *scene, int *count) {
    size_t room = frame->patch_count > 0 ? (size_t)frame->patch_count : 1;
    karst_drawn_vertex *out = malloc(sizeof *out * 3 * KARST_PATCH_MAX_TRIANGLES * room);
    int n = 0;
    for (int k = 0; out && k < frame->patch_count; ++k) n += karst_frame_expand(frame, scene, k, out + 3 * n);
    *count = n;
    return out;
}

// Not by fmin() and fmax(), which are calls, and this is where tests of level of detail spend their time.
static double min3(double a, double b, double c) {
    double least = a < b ? a : b;
    return least < c ? least : c;
}
static double max3(double a, double b, double c) {
    double most = a > b ? a : b;
    return most > c ? most : c;
}

void scene_drawn_places(const karst_drawn_vertex *triangles, int count, int columns, int rows, karst_vec3 *at,
                        uint8_t *seen) {
    for (int k = 0; k < count; ++k) {
        const karst_drawn_vertex *v = triangles + 3 * k;
        double x0 = v[0].column, z0 = v[0].row, ax = v[1].column - x0, az = v[1].row - z0, bx = v[2].column - x0,
               bz = v[2].row - z0, share = 1 / (ax * bz - bx * az);
        int low_x = (int)min3(x0, v[1].column, v[2].column), high_x = (int)max3(x0, v[1].column, v[2].column);
        int low_z = (int)min3(z0, v[1].row, v[2].row), high_z = (int)max3(z0, v[1].row, v[2].row);
        for (int z = low_z; z <= high_z && z < rows; ++z)
            for (int x = low_x; x <= high_x && x < columns; ++x) {
                double p = ((x - x0) * bz - bx * (z - z0)) * share, q = (ax * (z - z0) - (x - x0) * az) * share;
                double r = 1 - p - q;
                if (p < 0 || q < 0 || r < -1e-12) continue;
                at[(size_t)z * (size_t)columns + (size_t)x] =
                    (karst_vec3){(float)(r * v[0].position.x + p * v[1].position.x + q * v[2].position.x),
                                 (float)(r * v[0].position.y + p * v[1].position.y + q * v[2].position.y),
                                 (float)(r * v[0].position.z + p * v[1].position.z + q * v[2].position.z)};
                seen[(size_t)z * (size_t)columns + (size_t)x] = 1;
            }
    }
}

karst_status scene_measure_truth(karst_scene *scene, karst_field *field, const karst_lattice *lattice,
                                 const karst_view *view, const karst_budget *budget, double tell, scene_truth *truth) {
    const karst_field_shape s = lattice->shape;
    const double step_y = lattice->step_y_m, step = lattice->step_xz_m;
    size_t count = (size_t)s.columns * (size_t)s.rows;
    karst_budget all = *budget;
    all.cull = false;
    karst_frame frame;
    karst_status status = karst_scene_settle(scene, view, 1, &all, &frame);
    if (status) return status;
    int n;
    karst_drawn_vertex *triangles = scene_expand(&frame, scene, &n);
    karst_vec3 *at = malloc(count * sizeof *at);
    uint8_t *seen = calloc(count, 1);
    float *y = malloc(3 * count * sizeof *y), *x = y + count, *z = x + count;
    status = triangles && at && seen && y ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = karst_field_read(field, (karst_rect){0, 0, s.columns, s.rows}, y, x, z, s.columns);
    if (!status) scene_drawn_places(triangles, n, s.columns, s.rows, at, seen);
    double reported = (double)frame.figures.worst_error_px;
    truth->reported_px = fmax(truth->reported_px, reported);
    for (size_t k = 0; k < count && !status; ++k) {
        if (!seen[k]) {
            ++truth->unseen;
            continue;
        }
        int i = (int)(k % (size_t)s.columns), j = (int)(k / (size_t)s.columns);
        karst_pos own = {s.origin.x + i * s.spacing_m + step * round(x[k] / step),
                         s.origin.y + step_y * round(y[k] / step_y),
                         s.origin.z + j * s.spacing_m + step * round(z[k] / step)};
        karst_pos drawn = {frame.origin.x + at[k].x, frame.origin.y + at[k].y, frame.origin.z + at[k].z};
        double ax, ay, bx, by, d1, d2;
        if (!karst_view_project(view, own, &ax, &ay, &d1) || !karst_view_project(view, drawn, &bx, &by, &d2)) continue;
        if (ax < 0 || ay < 0 || ax > view->width || ay > view->height) continue;
        double px = hypot(ax - bx, ay - by);
        ++truth->samples;
        truth->over += px > reported * tell + 0.01;  // 0.01: float rounding of the drawn place
        truth->worst_px = fmax(truth->worst_px, px);
    }
    free(triangles);
    free(at);
    free(seen);
    free(y);
    return status;
}
