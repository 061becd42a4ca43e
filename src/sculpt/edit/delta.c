// SPDX-License-Identifier: MIT
// What each kind of brush does to a vertex of weight 1 of a grid: what needs its neighbours is here, the rest in
// push.c.
#include "edit/image.h"

karst_pos kst_vertex_normal(const kst_strip *s, int32_t column, int32_t row) {
    int32_t left = column > s->held.x0 ? column - 1 : column, right = column + 1 < s->held.x1 ? column + 1 : column;
    int32_t above = row > s->held.z0 ? row - 1 : row, below = row + 1 < s->held.z1 ? row + 1 : row;
    size_t a = kst_old_at(s, left, row), b = kst_old_at(s, right, row);
    size_t c = kst_old_at(s, column, above), d = kst_old_at(s, column, below);
    double spacing = s->shape.spacing_m;
    karst_pos across = {(right - left) * spacing + ((double)s->x[b] - (double)s->x[a]),
                        (double)s->y[b] - (double)s->y[a], (double)s->z[b] - (double)s->z[a]};
    karst_pos along = {(double)s->x[d] - (double)s->x[c], (double)s->y[d] - (double)s->y[c],
                       (below - above) * spacing + ((double)s->z[d] - (double)s->z[c])};
    return kst_cross(along, across);
}

// Normals of the vertices that weigh anything.
static void put_normals(const kst_strip *s, const kst_span *span, double *dx, double *dy, double *dz) {
    for (int i = 0; i < span->x1 - span->x0; ++i) {
        karst_pos n = {0, 0, 0};
        if (span->weight[i] > 0) n = kst_vertex_normal(s, span->x0 + i, span->row);
        dx[i] = n.x, dy[i] = n.y, dz[i] = n.z;
    }
}

// ---- smooth: displacement toward its mean in a window of vertices -------------------------------------

// Of one plane. The window is cut off at the border of the ground, where the mean is of what is left; so the border
// does not shrink. Sums run over rows, then columns: the same order wherever the strips are cut.
KST_TWINS static void mean_of(const kst_strip *s, const float *plane, const kst_span *span, int half, double *columns,
                              double *out) {
    int32_t first = span->x0 - half, wide = span->x1 - span->x0 + 2 * half;  // columns outside the ground are 0
    int32_t x0 = first > 0 ? first : 0, x1 = span->x1 + half, z0 = span->row - half, z1 = span->row + half + 1;
    if (x1 > s->shape.columns) x1 = s->shape.columns;
    if (z0 < 0) z0 = 0;
    if (z1 > s->shape.rows) z1 = s->shape.rows;
    int count = span->x1 - span->x0;
    for (int i = 0; i < wide; ++i) columns[i] = 0;
    for (int32_t row = z0; row < z1; ++row) {
        const float *line = plane + kst_old_at(s, x0, row);
        double *to = columns + (x0 - first);
        for (int i = 0; i < x1 - x0; ++i) to[i] += (double)line[i];
    }
    for (int i = 0; i < count; ++i) out[i] = 0;
    for (int k = 0; k <= 2 * half; ++k)
        for (int i = 0; i < count; ++i) out[i] += columns[i + k];
    for (int i = 0; i < count; ++i) {
        int32_t a = span->x0 + i - half, b = span->x0 + i + half + 1;
        a = a < x0 ? x0 : a;
        b = b > x1 ? x1 : b;
        out[i] /= (double)(b - a) * (double)(z1 - z0);
    }
}

static void toward_mean(const kst_strip *s, const kst_image *image, const kst_span *span, int half, double *columns,
                        double sign, double *dx, double *dy, double *dz) {
    const float *const plane[3] = {s->x, s->y, s->z};
    double *const out[3] = {dx, dy, dz};
    size_t at = kst_old_at(s, span->x0, span->row);
    for (int k = 0; k < 3; ++k) {
        mean_of(s, plane[k], span, half, columns, out[k]);
        for (int i = 0; i < span->x1 - span->x0; ++i)
            out[k][i] = (out[k][i] - (double)plane[k][at + (size_t)i]) * (sign * image->amount);
    }
}

// ---- restore -------------------------------------------------------------------------------------------

static void toward_reference(const kst_strip *s, const kst_image *image, const kst_span *span, double *dx, double *dy,
                             double *dz) {
    size_t from = kst_old_at(s, span->x0, span->row), to = kst_new_at(s, span->x0, span->row);
    for (int i = 0; i < span->x1 - span->x0; ++i, ++from, ++to) {
        dx[i] = ((double)s->ref_x[to] - (double)s->x[from]) * image->amount;
        dy[i] = ((double)s->ref_y[to] - (double)s->y[from]) * image->amount;
        dz[i] = ((double)s->ref_z[to] - (double)s->z[from]) * image->amount;
    }
}

// ---- all -----------------------------------------------------------------------------------------------

void kst_brush_delta(const kst_strip *s, const kst_brush_run *run, const kst_image *image, const kst_span *span,
                     int worker, double *dx, double *dy, double *dz) {
    switch (run->def->kind) {
        case KARST_BRUSH_SMOOTH:
        case KARST_BRUSH_SHARPEN:
            toward_mean(s, image, span, run->half, kst_scratch_row(s, worker, 0),
                        run->def->kind == KARST_BRUSH_SMOOTH ? 1 : -1, dx, dy, dz);
            break;
        case KARST_BRUSH_RESTORE:
            toward_reference(s, image, span, dx, dy, dz);
            break;
        default:
            if (run->def->along == KARST_ALONG_VERTEX) put_normals(s, span, dx, dy, dz);
            kst_brush_push(run, image, span, dx, dy, dz);
    }
}
