// SPDX-License-Identifier: MIT
// What each kind of brush does to a vertex of weight 1.
#include "edit/image.h"
#include "karst/noise.h"
#include "karst/stamp.h"

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

static void along_out(const kst_image *image, double amount, int count, double *dx, double *dy, double *dz) {
    karst_pos d = kst_times(image->out, amount);
    for (int i = 0; i < count; ++i) dx[i] = d.x, dy[i] = d.y, dz[i] = d.z;
}

// The same along each vertex's own normal, turned by the pen's tilt.
static void along_vertex(const kst_strip *s, const kst_image *image, const kst_span *span, double *dx, double *dy,
                         double *dz) {
    for (int i = 0; i < span->x1 - span->x0; ++i) {
        if (!(span->weight[i] > 0)) {
            dx[i] = dy[i] = dz[i] = 0;
            continue;
        }
        karst_pos n = kst_unit(kst_vertex_normal(s, span->x0 + i, span->row), image->out);
        n = kst_times(kst_unit(kst_sum(n, image->lean), n), image->amount);
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

// ---- flatten, pinch, restore --------------------------------------------------------------------------

static void onto_plane(const kst_image *image, const kst_span *span, double *dx, double *dy, double *dz) {
    for (int i = 0; i < span->x1 - span->x0; ++i) {
        karst_pos p = kst_difference((karst_pos){span->rx[i], span->ry[i], span->rz[i]}, image->mean);
        double off = -kst_dot(p, image->out) * image->amount;
        dx[i] = image->out.x * off, dy[i] = image->out.y * off, dz[i] = image->out.z * off;
    }
}

static void toward_line(const kst_image *image, const kst_span *span, double *dx, double *dy, double *dz) {
    for (int i = 0; i < span->x1 - span->x0; ++i) {
        karst_pos p = {span->rx[i], span->ry[i], span->rz[i]};
        karst_pos d = kst_times(kst_difference(kst_times(image->out, kst_dot(p, image->out)), p), image->amount);
        dx[i] = d.x, dy[i] = d.y, dz[i] = d.z;
    }
}

static void toward_reference(const kst_strip *s, const kst_image *image, const kst_span *span, double *dx, double *dy,
                             double *dz) {
    size_t from = kst_old_at(s, span->x0, span->row), to = kst_new_at(s, span->x0, span->row);
    for (int i = 0; i < span->x1 - span->x0; ++i, ++from, ++to) {
        dx[i] = ((double)s->ref_x[to] - (double)s->x[from]) * image->amount;
        dy[i] = ((double)s->ref_y[to] - (double)s->y[from]) * image->amount;
        dz[i] = ((double)s->ref_z[to] - (double)s->z[from]) * image->amount;
    }
}

// ---- noise ---------------------------------------------------------------------------------------------

static void by_noise(const kst_brush_run *run, const kst_image *image, const kst_span *span, double *dx, double *dy,
                     double *dz) {
    enum { AT_ONCE = 128 };
    double x[AT_ONCE], y[AT_ONCE], z[AT_ONCE];
    float n[AT_ONCE];
    karst_noise_def noise = karst_noise_def_default();
    noise.kind = KARST_NOISE_GRADIENT;
    noise.wavelength_m = run->def->detail_m;
    noise.amplitude_m = 1;
    noise.seed = run->def->seed;
    karst_pos middle = run->def->middle;
    for (int from = 0, count; from < span->x1 - span->x0; from += count) {
        count = span->x1 - span->x0 - from;
        if (count > AT_ONCE) count = AT_ONCE;
        for (int k = 0; k < count; ++k) {
            int i = from + k;
            karst_pos p = kst_sum(image->centre, (karst_pos){span->rx[i], span->ry[i], span->rz[i]});
            p = kst_image_back(image, (karst_pos){p.x - middle.x, p.y, p.z - middle.z});
            x[k] = p.x + middle.x, y[k] = p.y, z[k] = p.z + middle.z;
        }
        karst_noise_at(&noise, x, y, z, count, n);
        for (int k = 0; k < count; ++k) dx[from + k] *= n[k], dy[from + k] *= n[k], dz[from + k] *= n[k];
    }
}

// ---- stamp ---------------------------------------------------------------------------------------------

// Samples of all channels at (a, b) in -1..1 of the square, linear between pixels' middles; false outside the picture.
static bool stamp_at(const karst_stamp *t, double a, double b, double out[3]) {
    double longer = t->width > t->height ? t->width : t->height;
    double u = (a * longer + t->width) / 2 - 0.5, v = (t->height - b * longer) / 2 - 0.5;
    if (!(u >= -0.5 && u <= t->width - 0.5 && v >= -0.5 && v <= t->height - 0.5)) return false;
    u = fmin(fmax(u, 0), t->width - 1), v = fmin(fmax(v, 0), t->height - 1);
    int i = (int)u, j = (int)v, right = i + 1 < t->width, below = j + 1 < t->height, n = t->channels;
    double wu = u - i, wv = v - j;
    const float *p = t->samples + ((size_t)j * (size_t)t->width + (size_t)i) * (size_t)n;
    const float *q = p + (below ? (size_t)t->width * (size_t)n : 0);
    for (int c = 0; c < n; ++c) {
        double one = (double)p[c] + wu * ((double)p[c + right * n] - (double)p[c]);
        double two = (double)q[c] + wu * ((double)q[c + right * n] - (double)q[c]);
        out[c] = one + wv * (two - one);
    }
    return true;
}

static void by_stamp(const kst_brush_run *run, const kst_image *image, const kst_span *span, double *dx, double *dy,
                     double *dz) {
    const karst_stamp *t = run->def->stamp;
    for (int i = 0; i < span->x1 - span->x0; ++i) {
        karst_pos p = {span->rx[i], span->ry[i], span->rz[i]}, d = {0, 0, 0};
        double value[3] = {0}, a = kst_dot(p, image->right) / image->radius_m,
               b = kst_dot(p, image->up) / image->radius_m;
        if (span->weight[i] > 0 && stamp_at(t, a, b, value)) {
            if (t->channels == 1)
                d = kst_times(image->out, value[0]);
            else
                d = kst_times(kst_sum(kst_times(image->right, value[0]),
                                      kst_sum(kst_times(image->up, value[1]), kst_times(image->out, value[2]))),
                              image->radius_m);
        }
        dx[i] = d.x * image->amount, dy[i] = d.y * image->amount, dz[i] = d.z * image->amount;
    }
}

// ---- all -----------------------------------------------------------------------------------------------

void kst_brush_delta(const kst_strip *s, const kst_brush_run *run, const kst_image *image, const kst_span *span,
                     int worker, double *dx, double *dy, double *dz) {
    const karst_brush_def *def = run->def;
    int count = span->x1 - span->x0;
    switch (def->kind) {
        case KARST_BRUSH_RAISE:
        case KARST_BRUSH_LOWER:
        case KARST_BRUSH_NOISE:
            if (def->along == KARST_ALONG_VERTEX)
                along_vertex(s, image, span, dx, dy, dz);
            else
                along_out(image, image->amount, count, dx, dy, dz);
            if (def->kind == KARST_BRUSH_NOISE) by_noise(run, image, span, dx, dy, dz);
            break;
        case KARST_BRUSH_SMOOTH:
        case KARST_BRUSH_SHARPEN:
            toward_mean(s, image, span, run->half, kst_scratch_row(s, worker, 0),
                        def->kind == KARST_BRUSH_SMOOTH ? 1 : -1, dx, dy, dz);
            break;
        case KARST_BRUSH_FLATTEN:
            onto_plane(image, span, dx, dy, dz);
            break;
        case KARST_BRUSH_PINCH:
            toward_line(image, span, dx, dy, dz);
            break;
        case KARST_BRUSH_GRAB:
        case KARST_BRUSH_PULL: {
            karst_pos d = kst_times(image->motion, image->amount);
            for (int i = 0; i < count; ++i) dx[i] = d.x, dy[i] = d.y, dz[i] = d.z;
            break;
        }
        case KARST_BRUSH_RESTORE:
            toward_reference(s, image, span, dx, dy, dz);
            break;
        default:
            by_stamp(run, image, span, dx, dy, dz);
    }
}
