// SPDX-License-Identifier: MIT
// What the generator works on: the model cleaned, creased if it should be, and which of its vertices stay.
#include <stdlib.h>

#include "mesh/crease.h"
#include "mrm/order.h"

typedef struct spot {
    karst_vec3 p;
    uint32_t vertex;
} spot;

static int by_x(const void *a, const void *b) {
    const spot *p = a, *q = b;
    if (p->p.x != q->p.x) return p->p.x < q->p.x ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool is_near(karst_vec3 a, karst_vec3 b, double reach) {
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return x * x + y * y + z * z <= reach * reach;
}

// Cleaning moved a vertex by merge_m at most: all that near to one that is to stay do.
static karst_status find_kept(const karst_model *model, const karst_mrm_build_def *def, const karst_model *clean,
                              uint8_t *keep) {
    if (!def->keep_count) return KARST_OK;
    spot *spots = kst_alloc_array(NULL, clean->vertex_count, sizeof *spots);
    if (!spots) return KARST_ERROR_MEMORY;
    for (uint32_t v = 0; v < clean->vertex_count; ++v) spots[v] = (spot){clean->position[v], v};
    qsort(spots, clean->vertex_count, sizeof *spots, by_x);
    for (uint32_t k = 0; k < def->keep_count; ++k) {
        karst_vec3 p = model->position[def->keep[k]];
        uint32_t low = 0, high = clean->vertex_count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if ((double)spots[middle].p.x < (double)p.x - def->merge_m)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < clean->vertex_count && (double)spots[low].p.x <= (double)p.x + def->merge_m; ++low)
            if (is_near(p, spots[low].p, def->merge_m)) keep[spots[low].vertex] = 1;
    }
    kst_free(NULL, spots, (size_t)clean->vertex_count * sizeof *spots);
    return KARST_OK;
}

static karst_status clean(karst_model *model, const karst_mrm_build_def *def, const karst_progress *progress,
                          karst_report *report) {
    karst_model_clean_def c = karst_model_clean_def_default();
    c.merge_m = def->merge_m;
    c.progress = progress;
    c.report = report;
    return karst_model_clean(model, &c, NULL);
}

karst_status kst_prepare(const karst_model *model, const karst_mrm_build_def *def, const karst_progress *progress,
                         karst_report *report, karst_model **out, uint8_t **keep) {
    karst_model *m, *creased;
    karst_status status = karst_model_copy(model, report, &m);
    if (status) return status;
    status = clean(m, def, progress, report);
    if (!status && def->crease_rad > 0) {
        status = kst_model_crease(m, def->crease_rad, progress, report, &creased);
        if (!status) {
            karst_model_destroy(m);
            m = creased;
        }
    }
    if (!status && !m->triangle_count)
        status = kst_fail(report, KARST_ERROR_UNSUPPORTED, "mrm: the model has no triangle with three places");
    if (!status && def->fit_normals && m->normal && def->normal > 0) status = kst_fit_room(&m, report);
    if (!status && !(*keep = kst_alloc_zero(NULL, m->made.vertices))) status = KARST_ERROR_MEMORY;
    if (!status) {
        status = find_kept(model, def, m, *keep);
        if (status) kst_free(NULL, *keep, m->made.vertices);
    }
    if (status == KARST_ERROR_MEMORY) kst_fail(report, status, "mrm: out of memory");
    if (status)
        karst_model_destroy(m);
    else
        *out = m;
    return status;
}
