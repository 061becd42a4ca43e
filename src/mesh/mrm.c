// SPDX-License-Identifier: MIT
// Multi-resolution meshes: what they are, which levels they have, and their end.
#include <math.h>

#include "mesh/mrm.h"

void kst_mrm_list_release(kst_mrm_list *l) {
    karst_model_destroy(l->model);
    kst_free(NULL, l->parent, (size_t)l->wedges * 4);
    kst_free(NULL, l->slot_end, (size_t)l->wedges * 4);
    kst_free(NULL, l->slot, l->slot_room * 4);
    kst_free(NULL, l->triangle_end, (size_t)l->vertices * 4);
    kst_free(NULL, l->move, (size_t)(l->vertices - l->base_vertices) * sizeof *l->move);
    *l = (kst_mrm_list){0};
}

void kst_mrm_list_free(kst_mrm_list *l, const karst_allocator *allocator) {
    kst_free(allocator, l->gap, l->gap_count * sizeof *l->gap);
    kst_free(allocator, l->curve, KST_MRM_CURVE * sizeof *l->curve);
    kst_mrm_list_release(l);
}

void karst_mrm_destroy(karst_mrm *m) {
    if (!m) return;
    const karst_allocator *a = m->allocator;
    uint32_t records = m->model ? m->model->wedge_count - m->base_wedges : 0;
    kst_free(a, m->record, (size_t)records * sizeof *m->record);
    kst_free(a, m->mark, m->mark_count * sizeof *m->mark);
    kst_free(a, m->item, (m->item_count + KST_MRM_FEW) * sizeof *m->item);
    kst_free(a, m->move, m->model ? (size_t)(m->model->vertex_count - m->base_vertices) * sizeof *m->move : 0);
    kst_free(a, m->range, (size_t)m->range_count * sizeof *m->range);
    kst_free(a, m->place16, m->place16_count * sizeof *m->place16);
    kst_free(a, m->place32, m->place32_count * sizeof *m->place32);
    kst_free(a, m->material, m->section_count * sizeof *m->material);
    kst_free(a, m->section, (size_t)m->range_count * ((size_t)m->section_count + 1) * sizeof *m->section);
    kst_free(a, m->gap, m->gap_count * sizeof *m->gap);
    kst_free(a, m->curve, KST_MRM_CURVE * sizeof *m->curve);
    karst_model_destroy(m->model);
    kst_free(a, m, sizeof *m);
}

karst_mrm_info karst_mrm_describe(const karst_mrm *m) {
    size_t records = m->model->wedge_count - m->base_wedges;
    return (karst_mrm_info){
        .vertices = m->model->vertex_count,
        .wedges = m->model->wedge_count,
        .triangles = m->model->triangle_count,
        .least_vertices = m->base_vertices,
        .least_wedges = m->base_wedges,
        .least_triangles = m->base_triangles,
        .ranges = (uint32_t)m->range_count,
        .moves = m->move != NULL,
        .is_least_right = m->is_least_right,
        .record_bytes = records * sizeof *m->record + m->item_count * sizeof *m->item +
                        m->mark_count * sizeof *m->mark +
                        (m->move ? (m->model->vertex_count - m->base_vertices) * sizeof *m->move : 0) +
                        m->gap_count * sizeof *m->gap,
        .sorting_bytes = m->place16_count * 2 + m->place32_count * 4 +
                         (size_t)m->range_count * (sizeof *m->range + ((size_t)m->section_count + 1) * 4),
    };
}

const karst_model *karst_mrm_model(const karst_mrm *m) {
    return m->model;
}

const karst_mrm_level *karst_mrm_curve(const karst_mrm *m, int *count) {
    *count = m->curve_count;
    return m->curve;
}

// ---- levels --------------------------------------------------------------------------------------------

// The next coarser count that is a level.
static uint32_t snap(const karst_mrm *m, uint32_t vertices) {
    uint32_t low = 0, high = m->gap_count;
    while (low < high) {  // the first gap that ends above
        uint32_t middle = low + (high - low) / 2;
        if (m->gap[middle].high <= vertices)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->gap_count && m->gap[low].low < vertices ? m->gap[low].low : vertices;
}

static const kst_mrm_wedge *record_of(const karst_mrm *m, uint32_t wedge) {
    return &m->record[wedge - m->base_wedges];
}

// One vertex finer.
static void add_vertex(const karst_mrm *m, karst_mrm_level *at) {
    const kst_mrm_wedge *r = record_of(m, at->wedges++);
    at->triangles += r->faces & KST_MRM_FACES;
    ++at->vertices;
    while (at->wedges < m->model->wedge_count && !(record_of(m, at->wedges)->faces & KST_MRM_FIRST)) ++at->wedges;
}

static karst_mrm_level at_mark(const karst_mrm *m, size_t mark) {
    return (karst_mrm_level){m->base_vertices + (uint32_t)mark * KST_MRM_MARK, m->mark[mark].wedges,
                             m->mark[mark].triangles, 0};
}

// The error between two levels of the curve is that of the coarser.
static float error_at(const karst_mrm *m, uint32_t vertices) {
    int low = 0, high = m->curve_count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (m->curve[middle].vertices <= vertices)
            low = middle;
        else
            high = middle - 1;
    }
    return m->curve[low].error_m;
}

uint32_t kst_mrm_snap(const karst_mrm *m, uint32_t vertices) {
    if (vertices <= m->base_vertices) return m->base_vertices;
    return vertices >= m->model->vertex_count ? m->model->vertex_count : snap(m, vertices);
}

karst_mrm_level karst_mrm_level_of_vertices(const karst_mrm *m, uint32_t vertices) {
    vertices = kst_mrm_snap(m, vertices);
    karst_mrm_level at = at_mark(m, (vertices - m->base_vertices) / KST_MRM_MARK);
    while (at.vertices < vertices) add_vertex(m, &at);
    at.error_m = error_at(m, vertices);
    return at;
}

karst_mrm_level karst_mrm_level_of_triangles(const karst_mrm *m, uint32_t triangles) {
    size_t low = 0, high = m->mark_count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (m->mark[middle].triangles <= triangles)
            low = middle;
        else
            high = middle - 1;
    }
    karst_mrm_level at = at_mark(m, low);
    while (at.vertices < m->model->vertex_count) {
        karst_mrm_level next = at;
        add_vertex(m, &next);
        if (next.triangles > triangles) break;
        at = next;
    }
    return karst_mrm_level_of_vertices(m, at.vertices);
}

karst_mrm_level karst_mrm_level_of_error(const karst_mrm *m, float error_m) {
    int low = 0, high = m->curve_count - 1;
    while (low < high) {  // the first that errs no more
        int middle = low + (high - low) / 2;
        if (m->curve[middle].error_m <= error_m)
            high = middle;
        else
            low = middle + 1;
    }
    return m->curve[low];
}

void karst_mrm_parents(const karst_mrm *m, uint32_t *out) {
    uint32_t count = m->model->wedge_count;
    const uint32_t *vertex = m->model->vertex;
    for (uint32_t w = 0, end; w < count; w = end) {
        uint32_t other = KST_NONE;
        for (end = w; end < count && vertex[end] == vertex[w]; ++end) {
            out[end] = end < m->base_wedges ? end : record_of(m, end)->parent;
            if (out[end] != end && other == KST_NONE) other = out[end];
        }
        for (uint32_t k = w; k < end && other != KST_NONE; ++k)
            if (out[k] == k) out[k] = other;
    }
}

uint32_t karst_mrm_morphs(const karst_mrm *m, double level, uint32_t window, karst_mrm_morph *out, uint32_t most) {
    uint32_t count = 0, top = m->model->vertex_count;
    double shown = ceil(level < 0 ? 0 : level);
    if (shown < (double)top) top = (uint32_t)shown;
    double from = floor(level - window);
    uint32_t first = from < (double)m->base_vertices ? m->base_vertices : (uint32_t)from;
    if (!window || first >= top) return 0;
    karst_mrm_level at = at_mark(m, (first - m->base_vertices) / KST_MRM_MARK);
    while (at.vertices < first) add_vertex(m, &at);
    for (uint32_t w = at.wedges; w < m->model->wedge_count && m->model->vertex[w] < top; ++w) {
        double weight = (level - m->model->vertex[w]) / window;
        if (count < most)
            out[count] = (karst_mrm_morph){w, record_of(m, w)->parent,
                                           (float)(weight < 0   ? 0
                                                   : weight > 1 ? 1
                                                                : weight)};
        ++count;
    }
    return count;
}
