// SPDX-License-Identifier: MIT
// Masks: what a vertex answers, as a share of 0..1.
#include "op/mask.h"

#include <math.h>

karst_mask_def karst_mask_def_default(karst_mask_kind kind) {
    karst_mask_def d = {
        .kind = kind,
        .low = -INFINITY,
        .high = INFINITY,
        .direction = {0, 0, -1},
        .radius_m = 50,
        .noise = karst_noise_def_default(),
        .cookie = KST_COOKIE,
    };
    d.noise.wavelength_m = 200;
    if (kind == KARST_MASK_SLOPE) d.low = 30, d.high = 90, d.soft = 5;
    if (kind == KARST_MASK_FACING) d.low = 0, d.high = 45, d.soft = 15;
    if (kind == KARST_MASK_RELIEF) d.low = 0.5, d.soft = 0.5;
    if (kind == KARST_MASK_NOISE) d.low = 0, d.soft = 0.1;
    if (kind == KARST_MASK_FROM) d.low = 1, d.soft = 1;
    return d;
}

karst_status karst_mask_check(const karst_mask_def *d, double spacing_m, karst_report *report) {
    KARST_ASSERT(d->cookie == KST_COOKIE);
    const karst_pos *v = &d->direction;
    if ((int)d->kind < 0 || d->kind >= KARST_MASK_KIND_COUNT)
        return kst_fail(report, KARST_ERROR_ARGUMENT, "mask: kind %d: there is none", (int)d->kind);
    if (!(d->low <= d->high))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "mask: %g..%g: begins above its end", d->low, d->high);
    if (!(d->soft >= 0 && d->soft <= 1e9))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "mask: soft %g: not in 0..1e9", d->soft);
    if (d->kind == KARST_MASK_FACING &&
        !(v->x * v->x + v->y * v->y + v->z * v->z > 1e-30 && v->x * v->x + v->y * v->y + v->z * v->z < 1e30))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "mask: direction %g,%g,%g: points nowhere", v->x, v->y, v->z);
    int taps = kst_blur_taps(d->radius_m, spacing_m);
    if (d->kind == KARST_MASK_RELIEF && !(d->radius_m > spacing_m && taps <= KST_BLUR_TAPS))
        return kst_fail(report, KARST_ERROR_ARGUMENT,
                        "mask: radius %g m: must be above the spacing of the ground, %g m, and at most 1024 times that",
                        d->radius_m, spacing_m);
    if (d->kind == KARST_MASK_FROM && !d->from)
        return kst_fail(report, KARST_ERROR_ARGUMENT, "mask: from no other mask");
    return d->kind == KARST_MASK_NOISE ? karst_noise_check(&d->noise, report) : KARST_OK;
}

// ---- the plan --------------------------------------------------------------------------------------

void kst_mask_plan_make(const karst_mask_def *def, double spacing_m, kst_mask_plan *out) {
    *out = (kst_mask_plan){.def = *def, .kernel = kst_noise_kernel_best()};
    if (def->kind == KARST_MASK_RELIEF) kst_blur_make(def->radius_m, spacing_m, &out->blur);
    if (def->kind != KARST_MASK_NOISE) return;
    out->def.noise.amplitude_m = 1;
    kst_noise_plan_make(&out->def.noise, false, &out->noise);
}

static bool asks_normal(const karst_mask_def *d) {
    return d->kind == KARST_MASK_SLOPE || d->kind == KARST_MASK_FACING;
}

int kst_mask_halo(const kst_mask_plan *plan) {
    if (plan->def.kind == KARST_MASK_RELIEF) return plan->blur.taps;
    return asks_normal(&plan->def);
}

bool kst_mask_reads_sideways(const karst_mask_def *def) {
    return asks_normal(def) || def->kind == KARST_MASK_NOISE;
}

// ---- answers ---------------------------------------------------------------------------------------

static float share_of(const karst_mask_def *d, double answer) {
    double off = answer < d->low ? d->low - answer : answer > d->high ? answer - d->high : 0;
    double share = off == 0 ? 1 : off < d->soft ? 1 - off / d->soft : 0;
    return (float)(d->invert ? 1 - share : share);
}

static double angle_to(karst_vec3 n, karst_pos v) {
    double x = (double)n.x, y = (double)n.y, z = (double)n.z;
    double cx = y * v.z - z * v.y, cy = z * v.x - x * v.z, cz = x * v.y - y * v.x;
    return kst_angle_deg(x * v.x + y * v.y + z * v.z, sqrt(cx * cx + cy * cy + cz * cz));
}

enum { ROW = KST_NOISE_BLOCK };

static void answer_row(const kst_mask_plan *p, const kst_samples *s, int32_t i, int32_t j, int count, double *answer) {
    const karst_pos up = {0, 1, 0};
    size_t index = kst_samples_index(s, i, j);
    switch (p->def.kind) {
        case KARST_MASK_SLOPE:
            for (int k = 0; k < count; ++k) answer[k] = angle_to(kst_samples_normal(s, i + k, j), up);
            break;
        case KARST_MASK_FACING:
            for (int k = 0; k < count; ++k) answer[k] = angle_to(kst_samples_normal(s, i + k, j), p->def.direction);
            break;
        case KARST_MASK_HEIGHT:
            for (int k = 0; k < count; ++k) answer[k] = kst_samples_height(s, index + (size_t)k);
            break;
        default: {
            float noise[ROW];
            kst_samples_noise(s, &p->noise, p->kernel, i, j, count, noise);
            for (int k = 0; k < count; ++k) answer[k] = (double)noise[k];
        }
    }
}

static void lower(const kst_mask_plan *p, const double *answer, int count, float *out) {
    for (int k = 0; k < count; ++k) {
        float share = share_of(&p->def, answer[k]);
        if (share < out[k]) out[k] = share;
    }
}

// Relief: height over the blurred height.
static karst_status relief_tile(const kst_mask_plan *p, const kst_samples *s, karst_rect tile, float *out, int stride) {
    int width = tile.x1 - tile.x0;
    size_t count = (size_t)width * (size_t)(tile.z1 - tile.z0);
    float *mean = kst_alloc_array(NULL, count, sizeof *mean);
    karst_status status = mean ? kst_blur_tile(&p->blur, s, s->y, tile, mean, width) : KARST_ERROR_MEMORY;
    for (int32_t j = tile.z0; j < tile.z1 && !status; ++j)
        for (int i = 0; i < width; ++i) {
            size_t row = (size_t)(j - tile.z0);
            double answer =
                (double)s->y[kst_samples_index(s, tile.x0 + i, j)] - (double)mean[row * (size_t)width + (size_t)i];
            lower(p, &answer, 1, out + row * (size_t)stride + i);
        }
    kst_free(NULL, mean, count * sizeof *mean);
    return status;
}

karst_status kst_mask_tile(const kst_mask_plan *plan, const kst_samples *s, karst_rect tile, const float *from,
                           float *out, int stride) {
    if (plan->def.kind == KARST_MASK_RELIEF) return relief_tile(plan, s, tile, out, stride);
    double answer[ROW];
    for (int32_t j = tile.z0; j < tile.z1; ++j)
        for (int32_t i = tile.x0; i < tile.x1; i += ROW) {
            int count = tile.x1 - i < ROW ? tile.x1 - i : ROW;
            size_t at = (size_t)(j - tile.z0) * (size_t)stride + (size_t)(i - tile.x0);
            if (plan->def.kind == KARST_MASK_FROM)
                for (int k = 0; k < count; ++k) answer[k] = (double)from[at + (size_t)k];
            else
                answer_row(plan, s, i, j, count, answer);
            lower(plan, answer, count, out + at);
        }
    return KARST_OK;
}

// ---- values ----------------------------------------------------------------------------------------

float kst_mask_meet(karst_mask_mode mode, float a, float b) {
    switch (mode) {
        case KARST_MASK_ADD:
            return a > b ? a : b;
        case KARST_MASK_SUBTRACT:
            return a < 1 - b ? a : 1 - b;
        case KARST_MASK_INTERSECT:
            return a < b ? a : b;
        default:
            return b;
    }
}

// ---- growing ---------------------------------------------------------------------------------------

KST_TWINS static void keep_larger(const float *a, int count, float *out) {
    for (int i = 0; i < count; ++i) out[i] = out[i] > a[i] ? out[i] : a[i];
}
KST_TWINS static void larger_of(const float *a, const float *b, int count, float *out) {
    for (int i = 0; i < count; ++i) out[i] = a[i] > b[i] ? a[i] : b[i];
}

static const float nothing = -2;  // below all values, and those with their signs turned
enum { DOUBLINGS = 11 };          // 2^10 is the widest window

// A row of samples whose windows are asked: largest[k][i] is over 2^k samples from i on; `wide` long, the tile's
// columns begin at `reach`.
typedef struct windows {
    float *largest[DOUBLINGS];
    int reach, wide, doublings;
    float sign;  // -1: the smallest is asked, which is the largest of values with their signs turned
} windows;

static void fill_windows(const windows *w, const kst_samples *s, const float *row, int32_t x0) {
    for (int i = 0; i < w->wide; ++i) {
        int32_t column = x0 - w->reach + i;
        w->largest[0][i] = column >= 0 && column < s->shape.columns ? w->sign * row[column - s->rect.x0] : nothing;
    }
    for (int k = 1; k < w->doublings; ++k) {
        int half = 1 << (k - 1), count = w->wide - 2 * half + 1;
        larger_of(w->largest[k - 1], w->largest[k - 1] + half, count, w->largest[k]);
    }
}

// Raise out by the largest within `half` of each column.
static void raise(const windows *w, int half, int width, float *out) {
    int k = 0, length = 2 * half + 1;
    while (2 << k <= length) ++k;
    const float *first = w->largest[k] + (w->reach - half);
    keep_larger(first, width, out);
    keep_larger(first + (length - (1 << k)), width, out);
}

karst_status kst_mask_extreme(double radius, bool smallest, const kst_samples *s, const float *plane, karst_rect tile,
                              float *out, int stride) {
    int width = tile.x1 - tile.x0, reach = (int)radius;
    windows w = {.reach = reach, .wide = width + 2 * reach, .doublings = 1, .sign = smallest ? -1 : 1};
    while (1 << w.doublings <= 2 * reach + 1) ++w.doublings;
    KARST_ASSERT(w.doublings <= DOUBLINGS);
    size_t count = (size_t)w.wide * (size_t)w.doublings;
    float *memory = kst_alloc_array(NULL, count, sizeof *memory);
    if (!memory) return KARST_ERROR_MEMORY;
    for (int k = 0; k < w.doublings; ++k) w.largest[k] = memory + (size_t)k * (size_t)w.wide;
    for (int32_t j = tile.z0; j < tile.z1; ++j)
        for (int i = 0; i < width; ++i) out[(size_t)(j - tile.z0) * (size_t)stride + (size_t)i] = nothing;
    int32_t top = tile.z0 - reach > 0 ? tile.z0 - reach : 0;
    int32_t end = tile.z1 + reach < s->shape.rows ? tile.z1 + reach : s->shape.rows;
    for (int32_t from = top; from < end; ++from) {
        fill_windows(&w, s, plane + (size_t)(from - s->rect.z0) * (size_t)s->stride, tile.x0);
        for (int32_t j = tile.z0; j < tile.z1; ++j) {
            double across = radius * radius - (double)(from - j) * (from - j);
            if (across >= 0) raise(&w, (int)sqrt(across), width, out + (size_t)(j - tile.z0) * (size_t)stride);
        }
    }
    for (int32_t j = tile.z0; smallest && j < tile.z1; ++j)
        for (int i = 0; i < width; ++i) {
            float *v = out + (size_t)(j - tile.z0) * (size_t)stride + (size_t)i;
            *v = 0 - *v;  // never -0
        }
    kst_free(NULL, memory, count * sizeof *memory);
    return KARST_OK;
}
