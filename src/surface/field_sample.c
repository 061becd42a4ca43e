// SPDX-License-Identifier: MIT
// The surface of a field at (u, v), with a normal as smooth as the eye expects.
#include <math.h>

#include "surface/pages.h"

// The vertices round one cell, cut off at the borders of the field.
typedef struct patch {
    karst_rect rect;
    double spacing;
    float y[16], x[16], z[16];
} patch;

static karst_pos vertex(const patch *p, int32_t i, int32_t j) {  // relative to the ground's origin
    int k = (j - p->rect.z0) * 4 + i - p->rect.x0;
    return (karst_pos){i * p->spacing + (double)p->x[k], (double)p->y[k], j * p->spacing + (double)p->z[k]};
}

// Corners of a cell's triangles, counter-clockwise from above, as in kst_cell_triangle.
static void cell_triangle(int32_t i, int32_t j, int triangle, int32_t column[3], int32_t row[3]) {
    static const int8_t corners[2][2][3] = {{{0, 3, 1}, {0, 2, 3}}, {{0, 2, 1}, {1, 2, 3}}};
    for (int k = 0; k < 3; ++k) {
        int c = corners[(i + j) & 1][triangle][k];
        column[k] = i + (c & 1);
        row[k] = j + (c >> 1);
    }
}

// Sum of the normals of the triangles round a vertex, each as long as its area.
static void add_normal(const patch *p, int32_t i, int32_t j, double weight, double sum[3]) {
    double n[3] = {0, 0, 0};
    for (int cell = 0; cell < 8; ++cell) {
        int32_t ci = i - 1 + (cell & 1), cj = j - 1 + (cell >> 1 & 1), column[3], row[3];
        if (ci < p->rect.x0 || cj < p->rect.z0 || ci + 1 >= p->rect.x1 || cj + 1 >= p->rect.z1) continue;
        cell_triangle(ci, cj, cell >> 2, column, row);
        bool touches = false;
        for (int k = 0; k < 3; ++k) touches |= column[k] == i && row[k] == j;
        if (!touches) continue;
        karst_pos a = vertex(p, column[0], row[0]), b = vertex(p, column[1], row[1]), c = vertex(p, column[2], row[2]);
        double ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
        n[0] += uy * vz - uz * vy;
        n[1] += uz * vx - ux * vz;
        n[2] += ux * vy - uy * vx;
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < 3; ++a) sum[a] += weight * (length > 0 ? n[a] / length : a == 1);
}

static int32_t clamp(int32_t value, int32_t least, int32_t most) {
    return value < least ? least : value > most ? most : value;
}

karst_status karst_field_sample(karst_field *field, double u, double v, karst_pos *position, karst_vec3 *normal) {
    const karst_field_shape *s = &field->shape;
    if (!(u >= 0 && u <= s->columns - 1 && v >= 0 && v <= s->rows - 1)) return KARST_ERROR_ARGUMENT;
    int32_t i = clamp((int32_t)u, 0, s->columns - 2), j = clamp((int32_t)v, 0, s->rows - 2);
    patch p = {.rect = {clamp(i - 1, 0, i), clamp(j - 1, 0, j), clamp(i + 3, 0, s->columns), clamp(j + 3, 0, s->rows)},
               .spacing = s->spacing_m};
    karst_status status = karst_field_read(field, p.rect, p.y, p.x, p.z, 4);
    if (status) return status;
    double a = u - i, b = v - j, weight[3];
    bool odd = (i + j) & 1;
    int triangle = odd ? a + b > 1 : b > a;
    if (odd) {
        weight[0] = triangle ? 1 - b : 1 - a - b;
        weight[1] = triangle ? 1 - a : b;
        weight[2] = triangle ? a + b - 1 : a;
    } else {
        weight[0] = triangle ? 1 - b : 1 - a;
        weight[1] = triangle ? b - a : b;
        weight[2] = triangle ? a : a - b;
    }
    int32_t column[3], row[3];
    cell_triangle(i, j, triangle, column, row);
    double n[3] = {0, 0, 0};
    karst_pos at = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        karst_pos c = vertex(&p, column[k], row[k]);
        at.x += weight[k] * c.x;
        at.y += weight[k] * c.y;
        at.z += weight[k] * c.z;
        add_normal(&p, column[k], row[k], weight[k], n);
    }
    *position = (karst_pos){s->origin.x + at.x, s->origin.y + at.y, s->origin.z + at.z};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    *normal = length > 0 ? (karst_vec3){(float)(n[0] / length), (float)(n[1] / length), (float)(n[2] / length)}
                         : (karst_vec3){0, 1, 0};
    return KARST_OK;
}
