// SPDX-License-Identifier: MIT
// Erode: the metric of ground whose samples were pushed aside, in the frame of the finest level.
#include "op/erode_ground.h"
#include "op/metric.h"

static void spread(const kst_level *l, const float *inner, float *framed) {
    for (size_t k = 0; k < kst_level_cells(l); ++k) framed[k] = 1;
    for (int j = 0; j < l->inner_height; ++j)
        memcpy(framed + kst_level_inner(l) + (size_t)j * (size_t)l->width, inner + (size_t)j * (size_t)l->inner_width,
               (size_t)l->inner_width * sizeof *inner);
}

static int64_t keep_folds(kst_level *l, const float *mask) {
    int64_t folded = 0;
    for (int j = 0; j < l->inner_height; ++j)
        for (int i = 0; i < l->inner_width; ++i) {
            size_t to = kst_level_inner(l) + (size_t)j * (size_t)l->width + (size_t)i;
            float m = mask[(size_t)j * (size_t)l->inner_width + (size_t)i];
            l->take[to] *= m;
            l->yield[to] *= m;
            folded += m == 0;
        }
    return folded;
}

karst_status kst_ground_metric(const karst_erosion_ground *g, kst_level *finest, float **memory, kst_metric *out,
                               int64_t *folded) {
    size_t inner = (size_t)g->width * (size_t)g->height, framed = kst_level_cells(finest);
    float *room = kst_alloc_array(NULL, inner, 6 * sizeof *room);
    *memory = kst_alloc_array(NULL, framed, 3 * sizeof **memory);
    if (!room || !*memory) {
        kst_free(NULL, room, inner * 6 * sizeof *room);
        return KARST_ERROR_MEMORY;
    }
    float *x = room, *z = room + inner, *run_i = room + 2 * inner, *run_j = room + 3 * inner, *area = room + 4 * inner,
          *mask = room + 5 * inner;
    for (int j = 0; j < g->height; ++j)
        for (int i = 0; i < g->width; ++i) {
            size_t k = (size_t)j * (size_t)g->width + (size_t)i;
            x[k] = (float)i * g->cell_m + g->aside_x_m[k];
            z[k] = (float)j * g->cell_m + g->aside_z_m[k];
        }
    kst_metric_measure(&(kst_warp){g->width, g->height, g->cell_m, x, g->height_m, z, NULL}, run_i, run_j, area, mask);
    spread(finest, run_i, *memory);
    spread(finest, run_j, *memory + framed);
    spread(finest, area, *memory + 2 * framed);
    *folded = keep_folds(finest, mask);
    *out = (kst_metric){*memory, *memory + framed, *memory + 2 * framed};
    kst_free(NULL, room, inner * 6 * sizeof *room);
    return KARST_OK;
}
