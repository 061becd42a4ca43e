// SPDX-License-Identifier: MIT
// Large multi-resolution meshes.
#include "mrm_scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// A line of /proc/self/status in bytes, NAN where there is none.
static double status_bytes(const char *name) {
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = NAN;
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name))) sscanf(line + strlen(name), ": %lf", &kilobytes);
    if (f) fclose(f);
    return 1024 * kilobytes;
}

// From here on VmHWM is the peak since now. False where the system cannot.
static bool forget_peak(void) {
#ifdef __GLIBC__
    malloc_trim(0);  // else memory that was freed before would be used again unseen
#endif
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f) return false;
    bool done = fputs("5", f) >= 0;
    return !fclose(f) && done;
}

static bool look(void *context, const char *stage, double share) {
    mrm_stop_gap *g = context;
    (void)share;
    double now = bench_cpu_s();
    if (now - g->last_s > g->most_s) g->most_s = now - g->last_s, g->before = stage;
    g->last_s = now;
    return true;
}

karst_status mrm_build_timed(bench *b, const karst_model *model, double *seconds, double *bytes, mrm_stop_gap *gap) {
    karst_progress progress = {look, gap};
    karst_mrm *made;
    bool told = forget_peak();
    double before = status_bytes("VmRSS"), start = bench_cpu_s();
    if (gap) *gap = (mrm_stop_gap){start, 0, ""};
    karst_status status = karst_mrm_build(model, NULL, gap ? &progress : NULL, b->report, &made);
    if (status) return status;
    *seconds = bench_cpu_s() - start;
    *bytes = told ? status_bytes("VmHWM") - before : NAN;
    karst_mrm_destroy(made);
    return KARST_OK;
}

karst_status mrm_kind_measure(bench *b, const karst_model *of, const karst_mrm *mrm, mrm_kind *worst) {
    karst_model_facts source, facts;
    karst_model *level;
    karst_status status = karst_model_look(of, b->report, &source);
    for (int s = 0; s < (b->quick ? 10 : 100) && !status; ++s) {
        double share = pow(0.955, s * (b->quick ? 10 : 1));
        uint32_t triangles = (uint32_t)(share * of->triangle_count);
        karst_mrm_level at = karst_mrm_level_of_triangles(mrm, triangles);
        status = karst_mrm_extract(mrm, at.vertices, b->report, &level);
        if (status) break;
        status = karst_model_look(level, b->report, &facts);
        karst_model_destroy(level);
        worst->borders = fmax(worst->borders, (double)facts.border_edges - source.border_edges);
        worst->twins = fmax(worst->twins, (double)facts.twins + facts.duplicates - source.twins - source.duplicates);
        worst->fans = fmax(worst->fans, (double)facts.fan_edges - source.fan_edges);
    }
    return status;
}
