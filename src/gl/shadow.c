// SPDX-License-Identifier: MIT
// Shadow: march toward the sun from every sample, in growing steps, and keep the steepest rise.
//
// Each step is a whole number of samples along the larger axis and a fraction along the other, the same for a whole
// row, so rows are compared with rows. Beyond the map there is nothing to cast a shadow.
#include "gl/shadow.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"

typedef struct sweep {
    const float *level;  // [m]
    int width, height;
    float cell_m, range_m;
    double dx, dz;  // toward the sun, larger one +-1
    float *out;
} sweep;

// best = max(best, ((1 - f) a + f b - here) * per_m)
KST_TWINS static void raise(float *best, const float *here, const float *a, const float *b, float f, float per_m,
                            int count) {
    for (int i = 0; i < count; ++i) {
        float t = (a[i] + f * (b[i] - a[i]) - here[i]) * per_m;
        best[i] = t > best[i] ? t : best[i];
    }
}

static void sweep_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const sweep *s = context;
    bool across = fabs(s->dx) >= fabs(s->dz);
    double stride_m = s->cell_m * hypot(s->dx, s->dz);
    for (int j = begin; j < end; ++j) {
        float *best = s->out + (size_t)j * (size_t)s->width;
        const float *here = s->level + (size_t)j * (size_t)s->width;
        memset(best, 0, (size_t)s->width * sizeof *best);
        for (int k = 1; k < s->width + s->height; k = k + 1 + k / 24) {
            double x = k * s->dx, z = k * s->dz;
            int x0 = (int)floor(x + 1e-9), z0 = (int)floor(z + 1e-9);
            float f = (float)(across ? z - z0 : x - x0);
            int x1 = x0 + (across ? 0 : f > 0.001f), z1 = z0 + (across ? f > 0.001f : 0);
            if (j + z0 < 0 || j + z0 >= s->height || j + z1 < 0 || j + z1 >= s->height) break;
            int from = x0 < 0 ? -x0 : 0, to = s->width - (x1 > 0 ? x1 : 0);
            float per_m = (float)(1 / (k * stride_m));
            if (to <= from || s->range_m * per_m < 0.002f) break;
            raise(best + from, here + from, s->level + (size_t)(j + z0) * (size_t)s->width + from + x0,
                  s->level + (size_t)(j + z1) * (size_t)s->width + from + x1, f, per_m, to - from);
        }
    }
}

karst_status kst_shadow_sweep(karst_jobs *jobs, const karst_map *height, float cell_m, float azimuth_rad, float *out) {
    size_t samples = (size_t)height->width * (size_t)height->height;
    float *level = kst_alloc_array(NULL, samples, sizeof *level);
    if (!level) return KARST_ERROR_MEMORY;
    const uint16_t *code = height->samples;
    float low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < samples; ++k) {
        level[k] = height->offset + height->scale * code[k];
        low = level[k] < low ? level[k] : low;
        high = level[k] > high ? level[k] : high;
    }
    double dx = sin(azimuth_rad), dz = -cos(azimuth_rad), larger = fmax(fabs(dx), fabs(dz));
    sweep s = {level, height->width, height->height, cell_m, high - low, dx / larger, dz / larger, out};
    karst_jobs_for(jobs, height->height, 8, sweep_rows, &s);
    kst_free(NULL, level, samples * sizeof *level);
    return KARST_OK;
}
