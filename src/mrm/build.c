// SPDX-License-Identifier: MIT
// karst_mrm_build: prepare, order, number, assemble.
#include "mrm/list.h"

karst_mrm_build_def karst_mrm_build_def_default(void) {
    return (karst_mrm_build_def){.boundary = 1, .texture = 1, .normal = 1, .cookie = KST_COOKIE};
}

static karst_status check(const karst_model *model, const karst_mrm_build_def *def, karst_report *report) {
    KARST_ASSERT(def->cookie == KST_COOKIE);
    if (!(def->merge_m >= 0 && def->merge_m <= 1e9))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "mrm: a merge distance of %g m: use 0 to 1e9", def->merge_m);
    if (!(def->crease_rad >= 0 && def->crease_rad <= 3.1416))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "mrm: a crease angle of %g: use 0 to pi", def->crease_rad);
    if (!(def->boundary > 0 && def->boundary <= 1e6f) || !(def->texture >= 0 && def->texture <= 1e3f) ||
        !(def->normal >= 0 && def->normal <= 1e3f))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "mrm: weights of %g, %g, %g: use 0 to 1000, boundary over 0",
                        (double)def->boundary, (double)def->texture, (double)def->normal);
    for (uint32_t k = 0; k < def->keep_count; ++k)
        if (def->keep[k] >= model->vertex_count)
            return kst_fail(report, KARST_ERROR_ARGUMENT, "mrm: vertex %u to keep: the model has %u", def->keep[k],
                            model->vertex_count);
    return karst_model_check(model, report);
}

static karst_status order(kst_order *o, const karst_progress *progress, karst_report *report, karst_mrm **out) {
    kst_mrm_list list;
    karst_mrm *mrm;
    karst_status status = kst_order_begin(o, progress, report);
    if (!status) status = kst_order_run(o, progress, report);
    kst_order_forget(o);
    if (!status) status = kst_order_list(o, progress, report, &list);
    kst_order_end(o);
    if (status) return status;
    status = kst_mrm_assemble(&list, NULL, progress, report, &mrm);
    kst_mrm_list_free(&list, NULL);
    if (status) return status;
    status = kst_mrm_measure(mrm, o->nearby, progress, report);
    if (status)
        karst_mrm_destroy(mrm);
    else
        *out = mrm;
    return status;
}

karst_status karst_mrm_build(const karst_model *model, const karst_mrm_build_def *def, const karst_progress *progress,
                             karst_report *report, karst_mrm **out) {
    karst_mrm_build_def standard = karst_mrm_build_def_default();
    if (!def) def = &standard;
    karst_status status = check(model, def, report);
    if (status) return status;
    kst_order o = {.def = def};
    status = kst_prepare(model, def, progress, report, &o.source, &o.keep);
    if (status) return status;
    uint32_t kept = o.source->made.vertices;
    status = order(&o, progress, report, out);
    kst_nearby_destroy(o.nearby);
    kst_free(NULL, o.keep, kept);
    karst_model_destroy(o.source);
    return status;
}
