// SPDX-License-Identifier: MIT
// Bake a field in memory: nothing is kept between bakes.
#include "bake/run.h"

karst_bake_def karst_bake_def_default(void) {
    return (karst_bake_def){
        .error_m = 0.01f, .map_side = 2048, .memory_bytes = (uint64_t)1 << 30, .cookie = KST_COOKIE};
}

karst_status karst_bake_field(karst_field *field, const char *path, const karst_bake_def *def,
                              const karst_progress *progress, karst_report *report, karst_bake_info *info) {
    karst_bake_def d;
    karst_status status = kst_bake_check(def, report, &d);
    kst_graph graph = {.jobs = d.jobs, .progress = progress};
    if (status) return status;
    KARST_ASSERT(field || d.net);
    return kst_bake_run(field, path, &d, &graph, report, info);
}
