// SPDX-License-Identifier: MIT
// Stamps: their memory, the order of their channels, and how one is taken from the ground.
#include "karst/stamp.h"

#include "edit/vec.h"

enum { SAMPLES_MAX = 1 << 28 };

karst_status karst_stamp_create(int width, int height, int channels, karst_stamp **out) {
    size_t count = 0;
    if (width < 1 || height < 1 || (channels != 1 && channels != 3) ||
        !kst_size_mul((size_t)width, (size_t)height, &count) || !kst_size_mul(count, (size_t)channels, &count) ||
        count > SAMPLES_MAX)
        return KARST_ERROR_ARGUMENT;
    karst_stamp *s = kst_alloc_zero(NULL, sizeof *s);
    if (s) s->samples = kst_alloc_zero(NULL, count * sizeof(float));
    if (!s || !s->samples) {
        kst_free(NULL, s, sizeof *s);
        return KARST_ERROR_MEMORY;
    }
    s->width = width, s->height = height, s->channels = channels;
    *out = s;
    return KARST_OK;
}

static size_t samples_of(const karst_stamp *s) {
    return (size_t)s->width * (size_t)s->height * (size_t)s->channels;
}

void karst_stamp_destroy(karst_stamp *stamp) {
    if (!stamp) return;
    kst_free(NULL, stamp->samples, samples_of(stamp) * sizeof(float));
    kst_free(NULL, stamp, sizeof *stamp);
}

karst_status karst_stamp_axes(karst_stamp *stamp, const char *axes) {
    int channel[3], seen = 0;
    float sign[3];
    for (int k = 0; k < 3; ++k) {
        sign[k] = *axes == '-' ? -1 : 1;
        if (*axes == '-') ++axes;
        channel[k] = *axes == 'r' ? 0 : *axes == 'g' ? 1 : *axes == 'b' ? 2 : -1;
        if (channel[k] < 0) return KARST_ERROR_ARGUMENT;
        seen |= 1 << channel[k];
        ++axes;
    }
    if (*axes || seen != 7) return KARST_ERROR_ARGUMENT;
    if (stamp->channels != 3) return KARST_OK;
    for (size_t i = 0; i < samples_of(stamp); i += 3) {
        float *v = stamp->samples + i, given[3] = {v[0], v[1], v[2]};
        for (int k = 0; k < 3; ++k) v[k] = sign[k] * given[channel[k]];
    }
    return KARST_OK;
}

// ---- taken from the ground -----------------------------------------------------------------------------

enum { PLANES = 4 };  // y, x, z, mask

// The square of pixels round a centre, and the vertices that they lie between.
typedef struct square {
    int side;            // pixels, odd: the middle one is on the centre
    double u, v, step;   // grid coordinates of the middle pixel, and from one pixel to the next [cells]
    double half_m;       // half side
    karst_rect rect;     // vertices, inside the field
    const float *plane;  // PLANES of them
} square;

static bool find_square(const karst_field_shape *f, karst_pos centre, double radius_m, square *out) {
    double radius = radius_m / f->spacing_m;
    out->u = (centre.x - f->origin.x) / f->spacing_m;
    out->v = (centre.z - f->origin.z) / f->spacing_m;
    if (!(radius >= 2 && radius <= 8000 && fabs(out->u) <= 2e6 && fabs(out->v) <= 2e6)) return false;
    out->side = (int)ceil(2 * radius - 1e-9) | 1;
    out->step = 2 * radius / out->side;
    out->half_m = radius_m;
    karst_rect r = {(int32_t)floor(out->u - radius), (int32_t)floor(out->v - radius),
                    (int32_t)floor(out->u + radius) + 2, (int32_t)floor(out->v + radius) + 2};
    if (r.x0 < 0) r.x0 = 0;
    if (r.z0 < 0) r.z0 = 0;
    if (r.x1 > f->columns) r.x1 = f->columns;
    if (r.z1 > f->rows) r.z1 = f->rows;
    out->rect = r;
    return r.x0 < r.x1 && r.z0 < r.z1;
}

// What the vertices hold at pixel (i, j), linear between them; false outside the ground.
static bool sample(const square *q, int i, int j, double out[PLANES]) {
    double u = q->u + (i - q->side / 2) * q->step - q->rect.x0, v = q->v + (j - q->side / 2) * q->step - q->rect.z0;
    int width = q->rect.x1 - q->rect.x0, height = q->rect.z1 - q->rect.z0;
    if (!(u >= 0 && v >= 0 && u <= width - 1 && v <= height - 1)) return false;
    int a = (int)u, b = (int)v, right = a + 1 < width, below = b + 1 < height ? width : 0;
    double wu = u - a, wv = v - b;
    for (int k = 0; k < PLANES; ++k) {
        const float *p = q->plane + ((size_t)k * (size_t)height + (size_t)b) * (size_t)width + (size_t)a;
        double one = (double)p[0] + wu * ((double)p[right] - (double)p[0]);
        double two = (double)p[below] + wu * ((double)p[below + right] - (double)p[below]);
        out[k] = one + wv * (two - one);
    }
    return true;
}

// Distance of a pixel from the middle, in half sides.
static double share_of(const square *q, int i, int j) {
    double x = i - q->side / 2, z = j - q->side / 2;
    return sqrt(x * x + z * z) * 2 / q->side;
}

static double weight_of(double share, double soft) {
    if (share >= 1) return 0;
    double t = soft > 0 ? (1 - share) / soft : 1;
    return t >= 1 ? 1 : t * t * (3 - 2 * t);
}

// Mean height of the pixels next to the circle; of all there are when none is on the ground.
static double rim_height(const square *q) {
    double sum[2] = {0, 0}, count[2] = {0, 0}, value[PLANES];
    for (int j = 0; j < q->side; ++j)
        for (int i = 0; i < q->side; ++i) {
            if (!sample(q, i, j, value)) continue;
            bool rim = fabs(share_of(q, i, j) - 1) <= 3.0 / q->side;
            sum[rim] += value[0];
            ++count[rim];
        }
    return count[1] > 0 ? sum[1] / count[1] : count[0] > 0 ? sum[0] / count[0] : 0;
}

static void fill(const square *q, karst_stamp *stamp, double soft) {
    double rim = rim_height(q), value[PLANES];
    float *to = stamp->samples;
    for (int j = 0; j < q->side; ++j)
        for (int i = 0; i < q->side; ++i, to += stamp->channels) {
            if (!sample(q, i, j, value)) continue;
            double weight = weight_of(share_of(q, i, j), soft) * value[3], y = weight * (value[0] - rim);
            if (stamp->channels == 1) {
                to[0] = (float)y;
                continue;
            }
            to[0] = (float)(weight * value[1] / q->half_m);
            to[1] = (float)(-weight * value[2] / q->half_m);  // up the picture is -z
            to[2] = (float)(y / q->half_m);
        }
}

karst_status karst_stamp_take(const karst_canvas *canvas, karst_pos centre, double radius_m, double soft, int channels,
                              karst_stamp **out) {
    karst_field_shape shape = karst_field_shape_of(canvas->shown);
    square q;
    if (!find_square(&shape, centre, radius_m, &q) || !(soft >= 0 && soft <= 1)) return KARST_ERROR_ARGUMENT;
    int width = q.rect.x1 - q.rect.x0;
    size_t count = (size_t)width * (size_t)(q.rect.z1 - q.rect.z0);
    karst_stamp *stamp = NULL;
    karst_status status = karst_stamp_create(q.side, q.side, channels, &stamp);
    if (status) return status;
    float *plane = kst_alloc_array(NULL, count, PLANES * sizeof *plane);
    q.plane = plane;
    if (!plane) status = KARST_ERROR_MEMORY;
    if (!status) status = karst_field_read(canvas->shown, q.rect, plane, plane + count, plane + 2 * count, width);
    if (!status) status = karst_canvas_read_mask(canvas, q.rect, plane + 3 * count, width);
    if (!status) fill(&q, stamp, soft);
    kst_free(NULL, plane, count * PLANES * sizeof *plane);
    if (status)
        karst_stamp_destroy(stamp);
    else
        *out = stamp;
    return status;
}
