// SPDX-License-Identifier: MIT
// Relaxation on a canvas: a rectangle is read whole, relaxed, and what moved is written.
#include "karst/relax.h"

#include <math.h>

#include "op/relax.h"

karst_relax_def karst_relax_def_default(void) {
    return (karst_relax_def){.above = 1.5, .sweeps = 16, .cookie = KST_COOKIE};
}

karst_status karst_relax_check(const karst_relax_def *def, karst_report *report) {
    KARST_ASSERT(def->cookie == KST_COOKIE);
    if (!(def->distance_m >= 0 && def->distance_m <= 1e6))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "relax: distance %g m: must be 0 (half the spacing) to 1000000",
                        def->distance_m);
    if (!(def->above >= 1.05 && def->above <= 100))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "relax: above %g: must be 1.05 to 100", def->above);
    if (def->sweeps < 1 || def->sweeps > 10000)
        return kst_fail(report, KARST_ERROR_ARGUMENT, "relax: sweeps %d: must be 1 to 10000", def->sweeps);
    return KARST_OK;
}

// A rectangle of a canvas. All arrays have a value a vertex; that of a cell stands at its first corner.
typedef struct part {
    kst_relax_ground ground;
    karst_rect rect;
    float *mask;    // 0 at the corners of holes
    uint8_t *hole;  // cells; the last column and row are none
} part;

static karst_status give_mask(void *context, karst_rect rect, float *mask) {
    const part *p = context;
    int32_t columns = p->ground.columns, width = rect.x1 - rect.x0;
    for (int32_t j = rect.z0; j < rect.z1; ++j)
        memcpy(mask + (size_t)(j - rect.z0) * (size_t)width, p->mask + (size_t)j * (size_t)columns + (size_t)rect.x0,
               (size_t)width * sizeof *mask);
    return KARST_OK;
}

static void pin_holes(part *p) {
    int32_t columns = p->ground.columns, rows = p->ground.rows;
    for (int32_t j = 0; j + 1 < rows; ++j)
        for (int32_t i = 0; i + 1 < columns; ++i) {
            size_t at = (size_t)j * (size_t)columns + (size_t)i;
            if (!p->hole[at]) continue;
            float *corner = p->mask + at;
            corner[0] = corner[1] = corner[columns] = corner[columns + 1] = 0;
        }
}

static size_t part_size(const part *p) {
    return (size_t)p->ground.columns * (size_t)p->ground.rows;
}

static void part_free(part *p) {
    size_t count = part_size(p);
    kst_free(NULL, p->ground.y, count * sizeof(float));
    kst_free(NULL, p->ground.x, count * sizeof(float));
    kst_free(NULL, p->ground.z, count * sizeof(float));
    kst_free(NULL, p->mask, count * sizeof(float));
    kst_free(NULL, p->hole, count);
}

static karst_status part_read(const karst_canvas *canvas, karst_rect rect, part *p) {
    karst_field_shape shape = karst_field_shape_of(canvas->shown);
    *p = (part){.rect = rect,
                .ground = {.columns = rect.x1 - rect.x0,
                           .rows = rect.z1 - rect.z0,
                           .column = rect.x0,
                           .row = rect.z0,
                           .cell_m = shape.spacing_m,
                           .mask = give_mask,
                           .context = p,
                           .border_left = rect.x0 == 0,
                           .border_top = rect.z0 == 0,
                           .border_right = rect.x1 == shape.columns,
                           .border_bottom = rect.z1 == shape.rows}};
    kst_relax_ground *g = &p->ground;
    size_t count = part_size(p);
    g->y = kst_alloc_array(NULL, count, sizeof(float));
    g->x = kst_alloc_array(NULL, count, sizeof(float));
    g->z = kst_alloc_array(NULL, count, sizeof(float));
    p->mask = kst_alloc_array(NULL, count, sizeof(float));
    p->hole = kst_alloc_zero(NULL, count);
    if (!g->y || !g->x || !g->z || !p->mask || !p->hole) return KARST_ERROR_MEMORY;
    karst_rect cells = {rect.x0, rect.z0, rect.x1 - 1, rect.z1 - 1};
    karst_status status = karst_field_read(canvas->shown, rect, g->y, g->x, g->z, g->columns);
    if (!status) status = karst_canvas_read_mask(canvas, rect, p->mask, g->columns);
    if (!status) status = karst_field_read_holes(canvas->shown, cells, p->hole, g->columns);
    if (!status) pin_holes(p);
    return status;
}

// Worst and mean stretch of the edges with ground on one side at least.
static void measure(const part *p, double *worst, double *mean) {
    const kst_relax_ground *g = &p->ground;
    double most2 = 0, sum = 0;
    int64_t count = 0;
    for (int32_t j = 0; j < g->rows; ++j)
        for (int32_t i = 0; i < g->columns; ++i) {
            const uint8_t *hole = p->hole + (size_t)j * (size_t)g->columns + (size_t)i;
            bool left = i > 0, right = i + 1 < g->columns, up = j > 0, down = j + 1 < g->rows;
            double length2[2];
            kst_relax_edges(g, i, j, &length2[0], &length2[1]);
            if (right && !((down && !hole[0]) || (up && !hole[-g->columns]))) length2[0] = -1;
            if (down && !((right && !hole[0]) || (left && !hole[-1]))) length2[1] = -1;
            for (int k = 0; k < 2; ++k) {
                if (length2[k] < 0) continue;
                most2 = fmax(most2, length2[k]);
                sum += sqrt(length2[k]);
                ++count;
            }
        }
    *worst = sqrt(most2);
    *mean = count ? sum / (double)count : 0;
}

static karst_status write_changed(const karst_canvas *canvas, const part *p, karst_rect changed) {
    enum { ROWS = KARST_CHUNK_CELLS };
    const kst_relax_ground *g = &p->ground;
    karst_status status = KARST_OK;
    for (int32_t z = changed.z0; z < changed.z1 && !status; z += ROWS) {
        int32_t end = z + ROWS < changed.z1 ? z + ROWS : changed.z1;
        size_t at = (size_t)z * (size_t)g->columns + (size_t)changed.x0;
        karst_rect band = {p->rect.x0 + changed.x0, p->rect.z0 + z, p->rect.x0 + changed.x1, p->rect.z0 + end};
        status = karst_canvas_write(canvas, band, g->y + at, g->x + at, g->z + at, g->columns);
    }
    return status;
}

karst_status karst_relax_apply(const karst_canvas *canvas, karst_rect rect, const karst_relax_def *def,
                               karst_jobs *jobs, const karst_progress *progress, karst_relax_info *info) {
    karst_relax_def d = def ? *def : karst_relax_def_default();
    karst_field_shape shape = karst_field_shape_of(canvas->shown);
    karst_status status = karst_relax_check(&d, NULL);
    bool inside = rect.x0 >= 0 && rect.z0 >= 0 && rect.x1 <= shape.columns && rect.z1 <= shape.rows;
    if (!status && (!inside || rect.x1 - rect.x0 < 2 || rect.z1 - rect.z0 < 2)) status = KARST_ERROR_ARGUMENT;
    if (status) return status;
    part p;
    karst_relax_info done = {0};
    kst_relax_result result;
    status = part_read(canvas, rect, &p);
    if (!status) {
        measure(&p, &done.worst_before, &done.mean_before);
        double distance_m = d.distance_m > 0 ? d.distance_m : 0.5 * shape.spacing_m;
        status = kst_relax(&p.ground, distance_m, d.above, d.sweeps, NULL, jobs, progress, &result);
    }
    if (!status) {
        measure(&p, &done.worst_after, &done.mean_after);
        done.moved = result.moved;
        done.largest_m = result.largest_m;
        done.sweeps = result.sweeps;
        status = write_changed(canvas, &p, result.changed);
    }
    part_free(&p);
    if (!status && info) *info = done;
    return status;
}
