// SPDX-License-Identifier: MIT
// Filters: from a tile of vertices and those round it to what becomes of it. Each kind fills the new values of a row;
// then the mask mixes them with the old ones.
#include "op/filter.h"

#include <math.h>

karst_filter_def karst_filter_def_default(karst_filter_kind kind) {
    karst_filter_def d = {
        .kind = kind,
        .amount = 1,
        .noise = karst_noise_def_default(),
        .step_m = 20,
        .sharpness = 0.8,
        .radius_m = 10,
        .low_m = -1e6,
        .high_m = 1e6,
        .to_low_m = -1e6,
        .to_high_m = 1e6,
        .bend = 0.5,
        .cookie = KST_COOKIE,
    };
    d.noise.amplitude_m = kind == KARST_FILTER_TERRACE ? 0 : 10;
    d.noise.wavelength_m = 200;
    return d;
}

_Static_assert((int)KARST_FILTER_MAX_TAPS == (int)KST_BLUR_TAPS, "told in public");

// ---- ranges ----------------------------------------------------------------------------------------

typedef struct range {
    const char *name;
    double value, least, most;
} range;

static karst_status check_ranges(const range *r, int count, karst_report *report) {
    for (int k = 0; k < count; ++k)
        if (!(r[k].value >= r[k].least && r[k].value <= r[k].most))
            return kst_fail(report, KARST_ERROR_ARGUMENT, "filter: %s %g: not in %g..%g", r[k].name, r[k].value,
                            r[k].least, r[k].most);
    return KARST_OK;
}

static karst_status check_radius(const karst_filter_def *d, double spacing_m, karst_report *report) {
    if (d->radius_m > spacing_m && kst_blur_taps(d->radius_m, spacing_m) <= KARST_FILTER_MAX_TAPS) return KARST_OK;
    return kst_fail(report, KARST_ERROR_ARGUMENT,
                    "filter: radius %g m: must be above the spacing of the ground, %g m, and at most %d times that",
                    d->radius_m, spacing_m, KARST_FILTER_MAX_TAPS);
}

karst_status karst_filter_check(const karst_filter_def *d, double spacing_m, karst_report *report) {
    KARST_ASSERT(d->cookie == KST_COOKIE);
    const range all[] = {{"kind", d->kind, 0, KARST_FILTER_KIND_COUNT - 1}, {"amount", d->amount, 0, 10}};
    const range terrace[] = {
        {"step [m]", d->step_m, 1e-3, 1e6}, {"offset [m]", d->offset_m, -1e6, 1e6}, {"sharpness", d->sharpness, 0, 1}};
    const range heights[] = {{"low [m]", d->low_m, -1e6, d->high_m}, {"high [m]", d->high_m, d->low_m, 1e6}};
    const range remap[] = {{"low [m]", d->low_m, -1e6, nextafter(d->high_m, -INFINITY)},
                           {"high [m]", d->high_m, -1e6, 1e6},
                           {"to low [m]", d->to_low_m, -1e6, 1e6},
                           {"to high [m]", d->to_high_m, -1e6, 1e6},
                           {"bend", d->bend, 0.001, 0.999}};
    karst_status status = check_ranges(all, 2, report);
    if (status) return status;
    switch (d->kind) {
        case KARST_FILTER_NOISE:
            return karst_noise_check(&d->noise, report);
        case KARST_FILTER_TERRACE:
            status = check_ranges(terrace, 3, report);
            return status ? status : karst_noise_check(&d->noise, report);
        case KARST_FILTER_BLUR:
        case KARST_FILTER_SHARPEN:
            return check_radius(d, spacing_m, report);
        case KARST_FILTER_CLAMP:
            return check_ranges(heights, 2, report);
        default:
            return check_ranges(remap, 5, report);
    }
}

// ---- the plan --------------------------------------------------------------------------------------

static bool blurs(const karst_filter_def *d) {
    return d->kind == KARST_FILTER_BLUR || d->kind == KARST_FILTER_SHARPEN;
}

static bool wanders(const karst_filter_def *d) {
    return d->kind == KARST_FILTER_TERRACE && d->noise.amplitude_m != 0;
}

void kst_filter_plan_make(const karst_filter_def *def, double spacing_m, kst_filter_plan *out) {
    *out = (kst_filter_plan){.def = *def, .kernel = kst_noise_kernel_best()};
    if (blurs(def)) kst_blur_make(def->radius_m, spacing_m, &out->blur);
    if (def->kind == KARST_FILTER_NOISE || wanders(def))
        kst_noise_plan_make(&def->noise, def->kind == KARST_FILTER_NOISE && def->along_normal, &out->noise);
}

int kst_filter_halo(const kst_filter_plan *plan) {
    if (blurs(&plan->def)) return plan->blur.taps;
    return kst_filter_writes_sideways(&plan->def);
}

bool kst_filter_reads_sideways(const karst_filter_def *def) {
    return blurs(def) || def->kind == KARST_FILTER_NOISE || wanders(def);
}

bool kst_filter_writes_sideways(const karst_filter_def *def) {
    return def->kind == KARST_FILTER_NOISE && def->along_normal;
}

// ---- rows ------------------------------------------------------------------------------------------

enum { ROW = KST_NOISE_BLOCK };  // vertices of a row at a time

typedef struct row {
    const kst_samples *s;
    int32_t i, j;  // its first vertex
    int count;     // at most ROW
    size_t index;  // of the first in s
} row;

static void noise_row(const kst_filter_plan *p, const row *r, float *out) {
    kst_samples_noise(r->s, &p->noise, p->kernel, r->i, r->j, r->count, out);
}

static void noise_upward(const kst_filter_plan *p, const row *r, float *y) {
    noise_row(p, r, y);
    for (int k = 0; k < r->count; ++k) y[k] += r->s->y[r->index + (size_t)k];
}

static void noise_along_normal(const kst_filter_plan *p, const row *r, float *y, float *x, float *z) {
    float n[ROW];
    noise_row(p, r, n);
    for (int k = 0; k < r->count; ++k) {
        size_t at = r->index + (size_t)k;
        karst_vec3 v = kst_samples_normal(r->s, r->i + k, r->j);
        float by = n[k] / sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
        y[k] = r->s->y[at] + by * v.y;
        x[k] = (r->s->x ? r->s->x[at] : 0) + by * v.x;
        z[k] = (r->s->z ? r->s->z[at] : 0) + by * v.z;
    }
}

// Where between two levels, 0..1, ground goes that is at f. The riser is 1 - sharpness of a step wide.
static inline double step_of(double f, double sharpness) {
    double width = 1 - sharpness, t = (f - 0.5) / (width > 1e-9 ? width : 1e-9) + 0.5;
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

KST_TWINS static void terrace(const karst_filter_def *d, double base_m, const float *from, const float *wander,
                              int count, float *y) {
    double up = base_m - d->offset_m, per_step = 1 / d->step_m;
    for (int k = 0; k < count; ++k) {
        double u = ((double)from[k] + up + (double)wander[k]) * per_step, f = u - floor(u);
        y[k] = (float)((double)from[k] + (step_of(f, d->sharpness) - f) * d->step_m);
    }
}

KST_TWINS static void clamp_heights(double low, double high, const float *from, int count, float *y) {
    for (int k = 0; k < count; ++k) {
        double h = (double)from[k];
        y[k] = h < low ? (float)low : h > high ? (float)high : from[k];
    }
}

// Within the range the bias curve of C. Schlick, "Fast Alternatives to Perlin's Bias and Gain Functions", 1994; beyond
// it straight on.
KST_TWINS static void remap(const karst_filter_def *d, double base_m, const float *from, int count, float *y) {
    double per_m = 1 / (d->high_m - d->low_m), rise = d->to_high_m - d->to_low_m, curve = 1 / d->bend - 2;
    for (int k = 0; k < count; ++k) {
        double t = ((double)from[k] + base_m - d->low_m) * per_m;
        if (t > 0 && t < 1) t = t / (curve * (1 - t) + 1);
        y[k] = (float)(d->to_low_m + t * rise - base_m);
    }
}

static void heights_row(const kst_filter_plan *p, const row *r, float *y) {
    const karst_filter_def *d = &p->def;
    const float *from = r->s->y + r->index;
    double base_m = r->s->shape.origin.y;
    float wander[ROW] = {0};
    if (wanders(d)) noise_row(p, r, wander);
    if (d->kind == KARST_FILTER_TERRACE)
        terrace(d, base_m, from, wander, r->count, y);
    else if (d->kind == KARST_FILTER_CLAMP)
        clamp_heights(d->low_m - base_m, d->high_m - base_m, from, r->count, y);
    else
        remap(d, base_m, from, r->count, y);
}

// ---- the mask --------------------------------------------------------------------------------------

// out from new values to old ones, where less than all of the change is let through. A share of 0 keeps every bit.
static void mix_row(const float *old, const float *mask, float amount, int count, float *out) {
    for (int k = 0; k < count; ++k) {
        float share = mask ? mask[k] * amount : amount, was = old ? old[k] : 0;
        if (share == 0)
            out[k] = was;
        else if (share != 1)
            out[k] = was + share * (out[k] - was);
    }
}

static bool lets_through(const float *mask, int stride, int width, int height) {
    for (int j = 0; mask && j < height; ++j)
        for (int i = 0; i < width; ++i)
            if (mask[(size_t)j * (size_t)stride + (size_t)i] > 0) return true;
    return !mask;
}

// ---- a tile ----------------------------------------------------------------------------------------

typedef struct tile {
    const kst_filter_plan *plan;
    const kst_samples *s;
    const float *mask;
    karst_rect rect;
    const kst_planes *out;
} tile;

static void copy_old(const tile *t) {
    size_t width = (size_t)(t->rect.x1 - t->rect.x0), bytes = width * sizeof(float);
    for (int32_t j = t->rect.z0; j < t->rect.z1; ++j) {
        size_t to = (size_t)(j - t->rect.z0) * (size_t)t->out->stride, at = kst_samples_index(t->s, t->rect.x0, j);
        memcpy(t->out->y + to, t->s->y + at, bytes);
        if (!t->out->x) continue;
        memset(t->out->x + to, 0, bytes);
        memset(t->out->z + to, 0, bytes);
        if (t->s->x) memcpy(t->out->x + to, t->s->x + at, bytes);
        if (t->s->z) memcpy(t->out->z + to, t->s->z + at, bytes);
    }
}

// A plane of out, already blurred, into its blurred or sharpened form.
static void finish_blurred(const tile *t, const float *old, float *out) {
    int width = t->rect.x1 - t->rect.x0;
    bool sharpen = t->plan->def.kind == KARST_FILTER_SHARPEN;
    for (int32_t j = t->rect.z0; j < t->rect.z1; ++j) {
        size_t to = (size_t)(j - t->rect.z0) * (size_t)t->out->stride;
        const float *was = old + kst_samples_index(t->s, t->rect.x0, j);
        for (int i = 0; sharpen && i < width; ++i) out[to + (size_t)i] = was[i] + (was[i] - out[to + (size_t)i]);
        mix_row(was, t->mask ? t->mask + to : NULL, (float)t->plan->def.amount, width, out + to);
    }
}

static karst_status blur_tile(const tile *t) {
    const float *from[3] = {t->s->y, t->s->x, t->s->z};
    float *to[3] = {t->out->y, t->out->x, t->out->z};
    for (int k = 0; k < 3; ++k) {
        if (!from[k] || !to[k]) continue;
        karst_status status = kst_blur_tile(&t->plan->blur, t->s, from[k], t->rect, to[k], t->out->stride);
        if (status) return status;
        finish_blurred(t, from[k], to[k]);
    }
    return KARST_OK;
}

static void fill_row(const tile *t, const row *r) {
    size_t to = (size_t)(r->j - t->rect.z0) * (size_t)t->out->stride + (size_t)(r->i - t->rect.x0);
    const float *mask = t->mask ? t->mask + to : NULL;
    float amount = (float)t->plan->def.amount, *y = t->out->y + to;
    if (kst_filter_writes_sideways(&t->plan->def)) {
        float *x = t->out->x + to, *z = t->out->z + to;
        noise_along_normal(t->plan, r, y, x, z);
        mix_row(r->s->x ? r->s->x + r->index : NULL, mask, amount, r->count, x);
        mix_row(r->s->z ? r->s->z + r->index : NULL, mask, amount, r->count, z);
    } else if (t->plan->def.kind == KARST_FILTER_NOISE) {
        noise_upward(t->plan, r, y);
    } else {
        heights_row(t->plan, r, y);
    }
    mix_row(r->s->y + r->index, mask, amount, r->count, y);
}

karst_status kst_filter_tile(const kst_filter_plan *plan, const kst_samples *s, const float *mask, karst_rect rect,
                             const kst_planes *out, bool *changed) {
    const tile t = {plan, s, mask, rect, out};
    *changed = lets_through(mask, out->stride, rect.x1 - rect.x0, rect.z1 - rect.z0) && plan->def.amount > 0;
    copy_old(&t);
    if (!*changed) return KARST_OK;
    if (blurs(&plan->def)) return blur_tile(&t);
    for (int32_t j = rect.z0; j < rect.z1; ++j)
        for (int32_t i = rect.x0; i < rect.x1; i += ROW) {
            row r = {s, i, j, rect.x1 - i < ROW ? rect.x1 - i : ROW, kst_samples_index(s, i, j)};
            fill_row(&t, &r);
        }
    return KARST_OK;
}
