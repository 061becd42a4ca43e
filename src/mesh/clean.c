// SPDX-License-Identifier: MIT
// Cleaning: everything is decided in arrays beside the model, then moved at once, so that an error leaves it alone.
#include "mesh/weld.h"

karst_model_clean_def karst_model_clean_def_default(void) {
    return (karst_model_clean_def){.cookie = KST_COOKIE};
}

static const uint32_t nowhere = UINT32_MAX;

typedef struct work {
    uint32_t *vertex, *wedge;  // which one it joins, later its new number or nowhere
    uint32_t (*corner)[3];     // vertices of a triangle, joined
    uint8_t *fate;             // of a triangle
} work;

static void work_free(work *w, const karst_model *m) {
    kst_free(NULL, w->vertex, ((size_t)m->made.vertices + 1) * sizeof *w->vertex);
    kst_free(NULL, w->wedge, ((size_t)m->made.wedges + 1) * sizeof *w->wedge);
    kst_free(NULL, w->corner, ((size_t)m->made.triangles + 1) * sizeof *w->corner);
    kst_free(NULL, w->fate, (size_t)m->made.triangles + 1);
}

static bool work_create(work *w, const karst_model *m) {
    w->vertex = kst_alloc(NULL, ((size_t)m->made.vertices + 1) * sizeof *w->vertex);
    w->wedge = kst_alloc(NULL, ((size_t)m->made.wedges + 1) * sizeof *w->wedge);
    w->corner = kst_alloc(NULL, ((size_t)m->made.triangles + 1) * sizeof *w->corner);
    w->fate = kst_alloc(NULL, (size_t)m->made.triangles + 1);
    return w->vertex && w->wedge && w->corner && w->fate;
}

static karst_status decide(const karst_model *m, const karst_model_clean_def *def, work *w, karst_model_cleaned *info) {
    karst_status status = kst_weld_vertices(m, def->merge_m, def->progress, w->vertex, &info->largest_move_m);
    if (!status) status = kst_progress_step(def->progress, "clean", 0);
    if (!status) status = kst_weld_wedges(m, w->vertex, def->progress, w->wedge);
    if (!status) status = kst_progress_step(def->progress, "clean", 0.4);
    if (status) return status;
    for (uint32_t t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) w->corner[t][k] = w->vertex[m->vertex[m->triangle[t][k]]];
    status = kst_judge_triangles(m, (const uint32_t(*)[3])w->corner, w->fate);
    return status ? status : kst_progress_step(def->progress, "clean", 0.8);
}

static bool is_dropped(uint8_t fate, const karst_model_clean_def *def) {
    return fate == KST_COLLAPSED || fate == KST_DUPLICATE || (fate == KST_FLAT && def->drop_flat) ||
           (fate == KST_TWIN && def->drop_twins);
}

// Triangles that stay, in order, still by the old numbers of their wedges.
static void move_triangles(karst_model *m, const karst_model_clean_def *def, const work *w, karst_model_cleaned *info) {
    uint32_t kept = 0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        info->collapsed += w->fate[t] == KST_COLLAPSED;
        info->duplicates += w->fate[t] == KST_DUPLICATE;
        info->flat += w->fate[t] == KST_FLAT;
        info->twins += w->fate[t] == KST_TWIN;
        if (is_dropped(w->fate[t], def)) continue;
        for (int k = 0; k < 3; ++k) m->triangle[kept][k] = w->wedge[m->triangle[t][k]];
        if (m->paint) m->paint[kept] = m->paint[t];
        ++kept;
    }
    m->triangle_count = kept;
}

// Wedges that a triangle names, in order; the rest were joined or are of no use.
static void move_wedges(karst_model *m, const work *w, karst_model_cleaned *info) {
    for (uint32_t i = 0; i < m->wedge_count; ++i) {
        bool joined = w->wedge[i] != i;
        info->merged_wedges += joined;
        info->unused_wedges += !joined;  // those in use are taken off below
        w->wedge[i] = nowhere;
    }
    for (uint32_t t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) w->wedge[m->triangle[t][k]] = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->wedge_count; ++i) {
        if (w->wedge[i] == nowhere) continue;
        uint32_t vertex = w->vertex[m->vertex[i]];
        kst_move_wedge(m, kept, i);
        m->vertex[kept] = vertex;
        w->wedge[i] = kept++;
    }
    info->unused_wedges -= kept;
    m->wedge_count = kept;
    for (uint32_t t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) m->triangle[t][k] = w->wedge[m->triangle[t][k]];
}

static void move_vertices(karst_model *m, const work *w, karst_model_cleaned *info) {
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        bool joined = w->vertex[v] != v;
        info->merged_vertices += joined;
        info->unused_vertices += !joined;
        w->vertex[v] = nowhere;
    }
    for (uint32_t i = 0; i < m->wedge_count; ++i) w->vertex[m->vertex[i]] = 0;
    uint32_t kept = 0;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        if (w->vertex[v] == nowhere) continue;
        m->position[kept] = m->position[v];
        if (m->skin) m->skin[kept] = m->skin[v];
        w->vertex[v] = kept++;
    }
    info->unused_vertices -= kept;
    m->vertex_count = kept;
    for (uint32_t i = 0; i < m->wedge_count; ++i) m->vertex[i] = w->vertex[m->vertex[i]];
}

karst_status karst_model_clean(karst_model *model, const karst_model_clean_def *def, karst_model_cleaned *info) {
    karst_model_clean_def otherwise = karst_model_clean_def_default();
    if (!def) def = &otherwise;
    KARST_ASSERT(def->cookie == KST_COOKIE);
    karst_status status = karst_model_check(model, def->report);
    if (status) return status;
    if (!(def->merge_m == 0 || (def->merge_m >= 1e-30 && def->merge_m <= 1e9)))
        return kst_fail(def->report, KARST_ERROR_ARGUMENT, "model: merge distance %g m: 0, or 1e-30 to 1e9",
                        def->merge_m);
    karst_model_cleaned found = {0};
    work w = {0};
    status = work_create(&w, model) ? decide(model, def, &w, &found) : KARST_ERROR_MEMORY;
    if (!status) {
        move_triangles(model, def, &w, &found);
        move_wedges(model, &w, &found);
        move_vertices(model, &w, &found);
        if (info) *info = found;
    } else {
        kst_fail(def->report, status, "model: %s while cleaning it", karst_status_text(status));
    }
    work_free(&w, model);
    return status;
}
