// SPDX-License-Identifier: MIT
// Noise, inside: the plan that a def becomes, and the kernels that follow it.
#pragma once
#include "core/core.h"
#include "karst/noise.h"

enum {
    KST_NOISE_WARP_OCTAVES = 3,
    KST_NOISE_BLOCK = 128,  // most places a kernel is given
    KST_NOISE_LANES = 16,   // a kernel takes a multiple of these
};

// Gradients come out 2^60 long, 6 % more between the axes. At the middle of a cell all corners together reach sqrt(2) /
// 2 of that, in space sqrt(3) / 2. These bring an octave to within -1..1.
#define KST_NOISE_PLANE_UNIT (1.33333f * 0x1p-60f)
#define KST_NOISE_SPACE_UNIT (1.08865f * 0x1p-60f)

// Lattices are turned, each by an angle of its own; its corners are hashed with its own seed.
typedef struct kst_noise_octave {
    double m[9];       // from metres to cells, rows for x, y, z; in the plane m[0..3], rows and columns for x, z
    double offset[3];  // in cells, so that no octave has a corner at 0; in the plane x, z
    uint32_t seed;
    float weight;  // of what a kernel makes of an octave [m]
} kst_noise_octave;

typedef struct kst_noise_sum {
    karst_noise_kind kind;
    int octaves;
    kst_noise_octave octave[KARST_NOISE_MAX_OCTAVES];
} kst_noise_sum;

typedef struct kst_noise_plan {
    bool in_space, warped;
    double limit_m;  // places are taken to be within this of 0
    kst_noise_sum sum;
    kst_noise_sum warp[3];  // along x, y, z
} kst_noise_plan;

// def must be in range.
void kst_noise_plan_make(const karst_noise_def *def, bool in_space, kst_noise_plan *out);

typedef struct kst_noise_kernel {
    const char *name;
    // Places in a row of the plane: (x_m + (first + i) * spacing_m, z_m), i < count, first + i < KST_NOISE_BLOCK.
    void (*row)(const kst_noise_sum *sum, double x_m, double z_m, double spacing_m, int first, int count, float *out);
    // Places anywhere; y NULL: in the plane. Both: count is at most KST_NOISE_BLOCK, a multiple of KST_NOISE_LANES.
    void (*at)(const kst_noise_sum *sum, const double *x, const double *y, const double *z, int count, float *out);
} kst_noise_kernel;
extern const kst_noise_kernel kst_noise_scalar, kst_noise_sse2, kst_noise_avx2, kst_noise_avx512;

// Those that this processor runs, narrowest first; returns how many.
int kst_noise_kernels_all(const kst_noise_kernel *out[4]);
const kst_noise_kernel *kst_noise_kernel_best(void);

// karst_noise_at() with a plan at hand and any kernel.
void kst_noise_at(const kst_noise_plan *plan, const kst_noise_kernel *kernel, const double *x, const double *y,
                  const double *z, int count, float *out);
// One row of karst_noise_fill(): places (x_m + (column + i) * spacing_m, z_m).
void kst_noise_row(const kst_noise_plan *plan, const kst_noise_kernel *kernel, double x_m, double z_m, double spacing_m,
                   int32_t column, int count, float *out);
