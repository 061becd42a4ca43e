// SPDX-License-Identifier: MIT
// How far levels are from the source: the curve of error against triangles, measured.
#include "mrm/list.h"
#include "mrm/nearby.h"

enum { LEVELS = 8, PLACES = 1024 };

// The farthest of up to PLACES places of `from` from the other model: vertices, or the middles of triangles. [m]
static float farthest(const karst_model *from, bool middles, const kst_nearby *to) {
    uint32_t count = middles ? from->triangle_count : from->vertex_count, hint = 0;
    float most = 0;
    for (uint32_t i = 0; i < PLACES && i < count; ++i) {
        uint32_t k = count <= PLACES ? i : (uint32_t)((uint64_t)i * count / PLACES);
        karst_vec3 p = {0, 0, 0};
        for (int j = 0; j < 3 && middles; ++j) {
            const karst_vec3 q = from->position[from->vertex[from->triangle[k][j]]];
            p.x += q.x / 3, p.y += q.y / 3, p.z += q.z / 3;
        }
        kst_nearest_hit hit = kst_nearby_find(to, middles ? p : from->position[k], hint);
        hint = hit.triangle;
        most = hit.square > most ? hit.square : most;
    }
    return sqrtf(most);
}

static karst_status measure(const karst_mrm *mrm, uint32_t vertices, const kst_nearby *source,
                            const karst_progress *progress, float *out) {
    karst_model *level;
    kst_nearby *tree;
    karst_status status = karst_mrm_extract(mrm, vertices, NULL, &level);
    if (status) return status;
    status = level->triangle_count ? kst_nearby_create(level, progress, &tree) : KARST_ERROR_UNSUPPORTED;
    if (!status) {
        *out = fmaxf(farthest(mrm->model, false, tree), farthest(level, true, source));
        kst_nearby_destroy(tree);
    }
    karst_model_destroy(level);
    return status == KARST_ERROR_UNSUPPORTED ? KARST_OK : status;
}

// Measured at some levels of the curve; in between, no smaller than at the finer one and no larger than at the coarser:
// straight in the count of the curve's steps, which grow by the same factor. It never falls towards the coarse end.
karst_status kst_mrm_measure(karst_mrm *mrm, const kst_nearby *source, const karst_progress *progress,
                             karst_report *report) {
    int last = mrm->curve_count - 1, before = last;
    karst_status status = KARST_OK;
    float error = 0;
    mrm->curve[last].error_m = 0;
    for (int k = 1; k <= LEVELS && before > 0 && !status; ++k) {
        int at = last - (int)((int64_t)last * k / LEVELS);
        if (at == before) continue;
        float now = mrm->curve[at].error_m;
        status = kst_progress_step(progress, "measure", (double)k / LEVELS);
        if (!status) status = measure(mrm, mrm->curve[at].vertices, source, progress, &now);
        now = fmaxf(now, error);
        for (int i = before - 1; i >= at && !status; --i)
            mrm->curve[i].error_m = fminf(now, error + (now - error) * (float)(before - i) / (float)(before - at));
        if (!status) mrm->curve[at].error_m = error = now;
        before = at;
    }
    return status ? kst_fail(report, status, "mrm: %s", karst_status_text(status)) : KARST_OK;
}
