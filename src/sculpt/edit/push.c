// SPDX-License-Identifier: MIT
// What brushes do to a vertex of weight 1 by its place and its normal alone: the same for the vertices of a field and
// the control points of a net. And how images that overlap share a vertex.
#include "edit/image.h"
#include "karst/noise.h"
#include "karst/stamp.h"

static void along_out(const kst_image *image, double amount, int count, double *dx, double *dy, double *dz) {
    karst_pos d = kst_times(image->out, amount);
    for (int i = 0; i < count; ++i) dx[i] = d.x, dy[i] = d.y, dz[i] = d.z;
}

// The same along each vertex's own normal, which dx, dy, dz hold, turned by the pen's tilt.
static void along_vertex(const kst_image *image, const kst_span *span, double *dx, double *dy, double *dz) {
    for (int i = 0; i < span->x1 - span->x0; ++i) {
        if (!(span->weight[i] > 0)) {
            dx[i] = dy[i] = dz[i] = 0;
            continue;
        }
        karst_pos n = kst_unit((karst_pos){dx[i], dy[i], dz[i]}, image->out);
        n = kst_times(kst_unit(kst_sum(n, image->lean), n), image->amount);
        dx[i] = n.x, dy[i] = n.y, dz[i] = n.z;
    }
}

// ---- flatten and pinch -----------------------------------------------------------------------------------

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

void kst_brush_push(const kst_brush_run *run, const kst_image *image, const kst_span *span, double *dx, double *dy,
                    double *dz) {
    const karst_brush_def *def = run->def;
    int count = span->x1 - span->x0;
    switch (def->kind) {
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
        case KARST_BRUSH_STAMP:
            by_stamp(run, image, span, dx, dy, dz);
            break;
        default:
            if (def->along == KARST_ALONG_VERTEX)
                along_vertex(image, span, dx, dy, dz);
            else
                along_out(image, image->amount, count, dx, dy, dz);
            if (def->kind == KARST_BRUSH_NOISE) by_noise(run, image, span, dx, dy, dz);
    }
}

// ---- images that overlap -----------------------------------------------------------------------------------

KST_TWINS void kst_mix_add(const kst_mix *mix, int count, const double *weight, const double *dx, const double *dy,
                           const double *dz) {
    double *sum = mix->sum, *most = mix->most, *x = mix->x, *y = mix->y, *z = mix->z;
    for (int i = 0; i < count; ++i) {
        sum[i] += weight[i];
        most[i] = weight[i] > most[i] ? weight[i] : most[i];
        x[i] += weight[i] * dx[i], y[i] += weight[i] * dy[i], z[i] += weight[i] * dz[i];
    }
}

void kst_mix_shares(const kst_mix *mix, int count) {
    for (int i = 0; i < count; ++i) mix->sum[i] = mix->sum[i] > 0 ? mix->most[i] / mix->sum[i] : 0;
}
