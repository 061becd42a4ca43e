// SPDX-License-Identifier: MIT
// Bands: work over a field of any size, some rows at a time, each with the rows round it as they were before.
#pragma once
#include "op/samples.h"

// What lies in memory for a band. Tiles of it are worked on at once.
typedef struct kst_band {
    kst_samples samples;  // the band and its halo, within the field, before any change
    karst_rect rect;      // vertices to be made
    float *beside[2];     // planes more of rect, those that bands.beside read
    float *y, *x, *z;     // of rect, to be filled; x and z when bands.sideways_out
    int stride;           // floats a row of beside, y, x, z
} kst_band;

typedef struct kst_bands {
    karst_field *field;
    karst_rect rect;    // inside the field
    int halo;           // vertices to each side
    bool sideways_in;   // x and z are read; they are NULL in a band without displaced vertices
    bool sideways_out;  // out x and z are there always; else only where the band has x and z
    const char *stage;
    void *context;
    // Planes more of rect: how many, and what reads the k-th.
    int besides;
    karst_status (*beside)(void *context, int k, karst_rect rect, float *out, int stride);
    // Fill tile of the band, which lies in its rect; *changed false: it need not be written. Any thread.
    karst_status (*tile)(void *context, const kst_band *band, karst_rect tile, bool *changed);
    // Take what was filled; x and z NULL when the band has none. From the calling thread.
    karst_status (*write)(void *context, karst_rect rect, const float *y, const float *x, const float *z, int stride);
} kst_bands;

// The field is read once, each row before anything of its halo is written. Share 0..1 of the stage.
// @return KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED and what the functions return, rows done by then stay
karst_status kst_bands_run(const kst_bands *bands, karst_jobs *jobs, const karst_progress *progress);
