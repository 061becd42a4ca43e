// SPDX-License-Identifier: MIT
// Models out: which writer a name asks for.
#include <strings.h>

#include "geo/model_write.h"

typedef karst_status writer(const karst_model *, const char *, const karst_progress *, karst_report *);

static writer *writer_of(const char *path) {
    static const struct {
        const char *ending;
        writer *write;
    } known[] = {{".glb", kst_model_write_glb}, {".obj", kst_model_write_obj}, {".ply", kst_model_write_ply}};
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        if (length > 4 && !strcasecmp(path + length - 4, known[k].ending)) return known[k].write;
    return NULL;
}

karst_status karst_geo_export_model(const karst_model *model, const char *path, const karst_progress *progress,
                                    karst_report *report, karst_export_info *info) {
    writer *write = writer_of(path);
    if (!write) return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: a model is written as .glb, .obj or .ply", path);
    karst_report inner = {0};
    karst_status status = karst_model_check(model, &inner);
    if (status) return kst_fail(report, status, "%s: %s", path, inner.message);
    if (!model->triangle_count)
        return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: the model has no triangle: nothing to write", path);
    status = write(model, path, progress, report);
    if (!status && info)
        *info = (karst_export_info){.vertices = model->wedge_count, .triangles = model->triangle_count};
    return status;
}
