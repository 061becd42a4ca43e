// SPDX-License-Identifier: MIT
// Noise: checks a def, makes its plan, cuts places into blocks for the kernels.
#include "op/noise.h"

#include <math.h>

karst_noise_def karst_noise_def_default(void) {
    return (karst_noise_def){
        .kind = KARST_NOISE_FBM,
        .wavelength_m = 1000,
        .amplitude_m = 100,
        .octaves = 8,
        .lacunarity = 2,
        .gain = 0.5,
        .seed = 1,
        .cookie = KST_COOKIE,
    };
}

karst_status karst_noise_check(const karst_noise_def *def, karst_report *report) {
    KARST_ASSERT(def->cookie == KST_COOKIE);
    const struct {
        const char *name;
        double value, least, most;
    } range[] = {
        {"kind", def->kind, 0, KARST_NOISE_KIND_COUNT - 1},
        {"wavelength [m]", def->wavelength_m, 1e-3, 1e9},
        {"amplitude [m]", def->amplitude_m, -1e9, 1e9},
        {"octaves", def->octaves, 1, KARST_NOISE_MAX_OCTAVES},
        {"lacunarity", def->lacunarity, 1, 8},
        {"gain", def->gain, 0, 1},
        {"warp [m]", def->warp_m, 0, 1e9},
    };
    for (size_t k = 0; k < sizeof range / sizeof *range; ++k)
        if (!(range[k].value >= range[k].least && range[k].value <= range[k].most))
            return kst_fail(report, KARST_ERROR_ARGUMENT, "noise: %s %g: not in %g..%g", range[k].name, range[k].value,
                            range[k].least, range[k].most);
    return KARST_OK;
}

// ---- the plan --------------------------------------------------------------------------------------

// Cells smaller than this are no detail of ground, and places would be too coarse for them: octaves end there.
static const double finest_cell_m = 1e-5;

// Sines and cosines that are exact: right triangles 3-4-5 and 5-12-13. Turned by these again and again, no two
// lattices lie alike.
static const double turn_cos = 0.6, turn_sin = 0.8, tilt_cos = 5.0 / 13, tilt_sin = 12.0 / 13;

// m = turn * m, then for space the tilt of the axes y and z.
static void turn_on(double m[9]) {
    double old[9];
    memcpy(old, m, sizeof old);
    for (int c = 0; c < 3; ++c) {
        m[c] = turn_cos * old[c] - turn_sin * old[6 + c];
        m[6 + c] = turn_sin * old[c] + turn_cos * old[6 + c];
    }
}
static void tilt_on(double m[9]) {
    double old[9];
    memcpy(old, m, sizeof old);
    for (int c = 0; c < 3; ++c) {
        m[3 + c] = tilt_cos * old[3 + c] - tilt_sin * old[6 + c];
        m[6 + c] = tilt_sin * old[3 + c] + tilt_cos * old[6 + c];
    }
}

// Octaves of one sum; each is keyed by (seed, lane, its number). The sum stays within amplitude_m.
static void make_sum(const karst_noise_def *def, karst_noise_kind kind, int octaves, double amplitude_m, bool in_space,
                     uint64_t lane, kst_noise_sum *out) {
    double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, per_m = 1 / def->wavelength_m, weight[KARST_NOISE_MAX_OCTAVES],
           total = 0;
    *out = (kst_noise_sum){.kind = kind};
    for (; out->octaves < octaves && (!out->octaves || per_m * finest_cell_m <= 1); ++out->octaves) {
        int k = out->octaves;
        turn_on(m);
        if (in_space) tilt_on(m);
        kst_noise_octave *o = &out->octave[k];
        const int plane[4] = {0, 2, 6, 8};
        for (int c = 0; c < (in_space ? 9 : 4); ++c) o->m[c] = m[in_space ? c : plane[c]] * per_m;
        uint64_t key = (lane * KARST_NOISE_MAX_OCTAVES + (uint64_t)k) * 4;
        o->seed = (uint32_t)kst_random(def->seed, key);
        for (int c = 0; c < 3; ++c) o->offset[c] = kst_random01(def->seed, key + 1 + (uint64_t)c);
        weight[k] = k ? weight[k - 1] * def->gain : 1;
        total += weight[k];
        per_m *= def->lacunarity;
    }
    double unit = kind == KARST_NOISE_RIDGED ? 1 : (double)(in_space ? KST_NOISE_SPACE_UNIT : KST_NOISE_PLANE_UNIT);
    amplitude_m *= 1 - 0x1p-20;  // sums of floats are a little off
    for (int k = 0; k < out->octaves; ++k) out->octave[k].weight = (float)(amplitude_m * weight[k] / total * unit);
}

void kst_noise_plan_make(const karst_noise_def *def, bool in_space, kst_noise_plan *out) {
    *out = (kst_noise_plan){.in_space = in_space, .warped = def->warp_m > 0};
    int octaves = def->kind == KARST_NOISE_GRADIENT ? 1 : def->octaves;
    make_sum(def, def->kind, octaves, def->amplitude_m, in_space, 0, &out->sum);
    for (int axis = 0; axis < 3 && out->warped; ++axis)
        make_sum(def, KARST_NOISE_FBM, KST_NOISE_WARP_OCTAVES, def->warp_m, in_space, 1 + (uint64_t)axis,
                 &out->warp[axis]);
    double finest_m = def->wavelength_m;
    for (int k = 1; k < out->sum.octaves; ++k) finest_m /= def->lacunarity;
    out->limit_m = 0x1p49 * finest_m;
}

// ---- kernels ---------------------------------------------------------------------------------------

int kst_noise_kernels_all(const kst_noise_kernel *out[4]) {
    int count = 0;
    out[count++] = &kst_noise_scalar;
#if defined(__x86_64__)
    out[count++] = &kst_noise_sse2;
    if (__builtin_cpu_supports("avx2")) out[count++] = &kst_noise_avx2;
    if (__builtin_cpu_supports("avx512bw")) out[count++] = &kst_noise_avx512;  // none has this without vl and dq
#endif
    return count;
}

const kst_noise_kernel *kst_noise_kernel_best(void) {
    const kst_noise_kernel *all[4];
    return all[kst_noise_kernels_all(all) - 1];
}

// ---- blocks ----------------------------------------------------------------------------------------

// NaN becomes a limit too.
static double held(double at, double limit) {
    return fmin(fmax(at, -limit), limit);
}

static int whole_lanes(int count) {
    return (count + KST_NOISE_LANES - 1) / KST_NOISE_LANES * KST_NOISE_LANES;
}

static void copy_held(const double *from, int count, double limit, double *to) {
    for (int k = 0; k < count; ++k) to[k] = held(from[k], limit);
    for (int k = count; k < whole_lanes(count); ++k) to[k] = to[count - 1];
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// Shift places of a block by the plan's warp; y NULL: in the plane.
static void shift_places(const kst_noise_plan *plan, const kst_noise_kernel *kernel, double *x, double *y, double *z,
                         int count) {
    float shift[3][KST_NOISE_BLOCK];
    double *place[3] = {x, y, z};
    for (int axis = 0; axis < 3; ++axis)
        if (place[axis]) kernel->at(&plan->warp[axis], x, y, z, count, shift[axis]);
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; place[axis] && k < count; ++k) place[axis][k] += (double)shift[axis][k];
}

void kst_noise_at(const kst_noise_plan *plan, const kst_noise_kernel *kernel, const double *x, const double *y,
                  const double *z, int count, float *out) {
    double place[3][KST_NOISE_BLOCK], *place_y = plan->in_space ? place[1] : NULL;
    float value[KST_NOISE_BLOCK];
    for (int from = 0; from < count; from += KST_NOISE_BLOCK) {
        int n = least(count - from, KST_NOISE_BLOCK), whole = whole_lanes(n);
        copy_held(x + from, n, plan->limit_m, place[0]);
        if (place_y) copy_held(y + from, n, plan->limit_m, place_y);
        copy_held(z + from, n, plan->limit_m, place[2]);
        if (plan->warped) shift_places(plan, kernel, place[0], place_y, place[2], whole);
        kernel->at(&plan->sum, place[0], place_y, place[2], whole, value);
        memcpy(out + from, value, (size_t)n * sizeof *out);
    }
}

static void warped_row(const kst_noise_plan *plan, const kst_noise_kernel *kernel, double x_m, double z_m,
                       double spacing_m, int32_t column, int count, float *out) {
    double x[KST_NOISE_BLOCK], z[KST_NOISE_BLOCK];
    for (int from = 0; from < count; from += KST_NOISE_BLOCK) {
        int n = least(count - from, KST_NOISE_BLOCK);
        for (int k = 0; k < n; ++k) {
            x[k] = x_m + (double)(column + from + k) * spacing_m;
            z[k] = z_m;
        }
        kst_noise_at(plan, kernel, x, NULL, z, n, out + from);
    }
}

void kst_noise_row(const kst_noise_plan *plan, const kst_noise_kernel *kernel, double x_m, double z_m, double spacing_m,
                   int32_t column, int count, float *out) {
    if (plan->warped) {
        warped_row(plan, kernel, x_m, z_m, spacing_m, column, count, out);
        return;
    }
    float value[KST_NOISE_BLOCK + KST_NOISE_LANES];
    for (int from = 0, n; from < count; from += n) {
        // Blocks begin at columns that are multiples of their length, whatever the row begins with.
        int32_t at = column + from;
        int first = at & (KST_NOISE_BLOCK - 1);
        n = least(count - from, KST_NOISE_BLOCK - first);
        double begin_m = held(x_m + (double)(at - first) * spacing_m, plan->limit_m);
        kernel->row(&plan->sum, begin_m, held(z_m, plan->limit_m), spacing_m, first, whole_lanes(n), value);
        memcpy(out + from, value, (size_t)n * sizeof *out);
    }
}

karst_status karst_noise_fill(const karst_noise_def *def, karst_pos origin, double spacing_m, karst_rect rect,
                              float *out, int stride) {
    karst_status status = karst_noise_check(def, NULL);
    if (status) return status;
    kst_noise_plan plan;
    kst_noise_plan_make(def, false, &plan);
    const kst_noise_kernel *kernel = kst_noise_kernel_best();
    for (int32_t j = rect.z0; j < rect.z1; ++j)
        kst_noise_row(&plan, kernel, origin.x, origin.z + (double)j * spacing_m, spacing_m, rect.x0, rect.x1 - rect.x0,
                      out + (size_t)(j - rect.z0) * (size_t)stride);
    return KARST_OK;
}

karst_status karst_noise_at(const karst_noise_def *def, const double *x, const double *y, const double *z, int count,
                            float *out) {
    karst_status status = karst_noise_check(def, NULL);
    if (status) return status;
    kst_noise_plan plan;
    kst_noise_plan_make(def, y != NULL, &plan);
    kst_noise_at(&plan, kst_noise_kernel_best(), x, y, z, count, out);
    return KARST_OK;
}
