// SPDX-License-Identifier: MIT
// Noise: hills without an author, a pure function of the place. See docs/noise.md.
#pragma once
#include "karst/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How octaves become one number.
typedef enum karst_noise_kind {
    KARST_NOISE_GRADIENT,  ///< the first octave alone: smooth hills and hollows, -1..1
    KARST_NOISE_FBM,       ///< octaves added: rolling land, -1..1
    KARST_NOISE_BILLOW,    ///< magnitudes of octaves added: round hills between sharp valleys, 0..1
    KARST_NOISE_RIDGED,    ///< sharp crests; finer ones stand on coarser ones only, valleys stay smooth, 0..1
    KARST_NOISE_KIND_COUNT
} karst_noise_kind;

enum { KARST_NOISE_MAX_OCTAVES = 16 };

/// Parameters of noise. Start from karst_noise_def_default().
typedef struct karst_noise_def {
    karst_noise_kind kind;
    double wavelength_m;  ///< side of the first octave's cells [m], 1e-3..1e9; a hill and a hollow take about two
    double amplitude_m;   ///< what 1 stands for [m], -1e9..1e9; no value is larger, most are below a third of it
    int32_t octaves;      ///< 1..KARST_NOISE_MAX_OCTAVES
    double lacunarity;    ///< cells of an octave to those of the next, 1..8
    double gain;          ///< height of an octave to that of the one before, 0..1
    double warp_m;        ///< how far places are shifted by three octaves of other noise [m], 0 (none)..1e9
    uint64_t seed;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_noise_def;

/// Eight octaves of fBm, each half as long and half as high as the one before; 1,000 m, 100 m high, no warp, seed 1.
KARST_API karst_noise_def karst_noise_def_default(void);

/// Whether every number of def is in its range, with a line in report (NULL allowed) that names the one that is not.
/// @return KARST_ERROR_ARGUMENT
KARST_API karst_status karst_noise_check(const karst_noise_def *def, karst_report *report);

/// Noise [m] at the places origin + (i * spacing_m, j * spacing_m) of the plane, for columns and rows of rect,
/// `stride` floats a row. A sample depends on its place alone: parts of a grid equal the whole, bit for bit, at every
/// vector width. Detail is kept out to 5e14 finest cells from 0; beyond, values are constant. Magnitudes stay within
/// amplitude_m. @return KARST_ERROR_ARGUMENT (def out of range), and nothing is written
/// Threads: any. Cost: 2 ns to 6 ns a sample for eight octaves, no allocation.
KARST_API karst_status karst_noise_fill(const karst_noise_def *def, karst_pos origin, double spacing_m, karst_rect rect,
                                        float *out, int stride);

/// Noise [m] at count places, each array with one number a place. y NULL: in the plane, bit for bit as
/// karst_noise_fill(). Else in space, so that overhanging ground is not streaked: other values, same ranges, twice to
/// three times the cost. @return as karst_noise_fill(). Threads: any.
KARST_API karst_status karst_noise_at(const karst_noise_def *def, const double *x, const double *y, const double *z,
                                      int count, float *out);

#ifdef __cplusplus
}
#endif
