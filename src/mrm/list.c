// SPDX-License-Identifier: MIT
// The order becomes a list: everything renumbered so that what leaves first comes last.
#include "mrm/list.h"

typedef struct numbering {
    const kst_order *o;
    uint32_t *vertex, *wedge, *face;   // old to new
    uint32_t *old_face, *first_wedge;  // new to old; of a new vertex, one more at the end
    uint32_t *count;
    uint32_t *corner;  // wedge of each
} numbering;

static void number_vertices(numbering *n) {
    const kst_order *o = n->o;
    uint32_t base = 0;
    memset(n->vertex, 0xff, o->vertex_count * sizeof *n->vertex);
    for (uint32_t i = 0; i < o->leave_count; ++i) n->vertex[o->leave[i].vertex] = o->vertex_count - 1 - i;
    for (uint32_t v = 0; v < o->vertex_count; ++v)
        if (n->vertex[v] == KST_NONE) n->vertex[v] = base++;
}

static void number_wedges(numbering *n) {
    const kst_order *o = n->o;
    memset(n->first_wedge, 0, ((size_t)o->vertex_count + 1) * 4);
    for (uint32_t w = 0; w < o->wedge_count; ++w) ++n->first_wedge[n->vertex[o->source->vertex[w]] + 1];
    for (uint32_t v = 0; v < o->vertex_count; ++v) n->first_wedge[v + 1] += n->first_wedge[v];
    memcpy(n->count, n->first_wedge, (size_t)o->vertex_count * 4);
    for (uint32_t w = 0; w < o->wedge_count; ++w) n->wedge[w] = n->count[n->vertex[o->source->vertex[w]]]++;
}

// By the leave they died in, the last first; those that live before all.
static void number_faces(numbering *n, uint32_t *triangle_end) {
    const kst_order *o = n->o;
    uint32_t base = o->vertex_count - o->leave_count, *at = n->count;
    memset(triangle_end, 0, o->vertex_count * sizeof *triangle_end);
    for (uint32_t i = 0; i < o->leave_count; ++i) triangle_end[o->vertex_count - 1 - i] = o->leave[i].faces;
    for (uint32_t v = 0, sum = o->live; v < o->vertex_count; ++v) {
        at[v] = sum;
        if (v < base) triangle_end[v] = 0;
        sum += triangle_end[v];
        triangle_end[v] = sum;
    }
    uint32_t alive = 0;
    for (uint32_t f = 0; f < o->face_count; ++f) {
        uint32_t v = o->died[f] == KST_NONE ? 0 : o->vertex_count - 1 - o->died[f];
        n->face[f] = o->died[f] == KST_NONE ? alive++ : at[v]++;
        n->old_face[n->face[f]] = f;
    }
}

static void fill_model(const numbering *n, karst_model *out) {
    const kst_order *o = n->o;
    const karst_model *m = o->source;
    out->origin = m->origin;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        out->position[n->vertex[v]] = m->position[v];
        if (m->skin) out->skin[n->vertex[v]] = m->skin[v];
    }
    for (uint32_t w = 0; w < m->wedge_count; ++w) {
        uint32_t to = n->wedge[w];
        out->vertex[to] = n->vertex[m->vertex[w]];
        if (m->normal) out->normal[to] = m->normal[w];
        for (int k = 0; k < m->uv_sets; ++k) memcpy(out->uv[k][to], m->uv[k][w], sizeof *out->uv[k]);
        if (m->colour) memcpy(out->colour[to], m->colour[w], 4);
    }
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) out->triangle[t][k] = n->wedge[m->triangle[n->old_face[t]][k]];
        if (m->paint) out->paint[t] = m->paint[n->old_face[t]];
    }
    if (m->material_count) memcpy(out->material, m->material, m->material_count * sizeof *m->material);
    if (m->joint_count) memcpy(out->joint, m->joint, m->joint_count * sizeof *m->joint);
}

// The changes once more, from the source on: each corner has a wedge, and gets its heir. Tells the wedge before.
typedef void tell_change(const numbering *n, uint32_t wedge, uint32_t corner, kst_mrm_list *l);
static void each_change(const numbering *n, kst_mrm_list *l, tell_change *tell) {
    const kst_order *o = n->o;
    memcpy(n->corner, o->source->triangle, o->face_count * sizeof *o->source->triangle);
    for (size_t i = 0; i < o->change_count; ++i) {
        uint32_t corner = o->change[i], w = n->corner[corner];
        tell(n, n->wedge[w], corner, l);
        n->corner[corner] = o->heir[w];
    }
}

static void count_slot(const numbering *n, uint32_t wedge, uint32_t corner, kst_mrm_list *l) {
    (void)n, (void)corner;
    ++l->slot_end[wedge];
}

static void put_slot(const numbering *n, uint32_t wedge, uint32_t corner, kst_mrm_list *l) {
    l->slot[l->slot_end[wedge]++] = 3 * n->face[corner / 3] + corner % 3;
}

static void fill_slots(const numbering *n, kst_mrm_list *l) {
    const kst_order *o = n->o;
    memset(l->slot_end, 0, l->wedges * sizeof *l->slot_end);
    for (uint32_t w = 0; w < l->wedges; ++w) l->parent[n->wedge[w]] = n->wedge[o->heir[w] == KST_NONE ? w : o->heir[w]];
    each_change(n, l, count_slot);
    uint32_t sum = 0;
    for (uint32_t w = 0; w < l->wedges; ++w) {  // where each begins; filling moves it to the end
        uint32_t count = l->slot_end[w];
        l->slot_end[w] = sum;
        sum += count;
    }
    each_change(n, l, put_slot);
}

static void fill_moves(const kst_order *o, kst_mrm_list *l) {
    for (uint32_t i = 0; i < o->leave_count; ++i) l->move[i] = KST_MRM_STAYS;
    for (uint32_t i = 0; i < o->move_count; ++i) l->move[o->leave_count - 1 - o->move[i].leave] = o->move[i].code;
}

enum { CURVE_STEPS = KST_MRM_CURVE - 6 };

static void fill_gaps(const kst_order *o, kst_mrm_list *l) {
    uint32_t count = 0;
    for (uint32_t i = o->leave_count; i-- > 0;) {
        if (!o->leave[i].inside) continue;
        uint32_t last = i;
        while (i > 0 && o->leave[i - 1].inside) --i;
        l->gap[count++] = (kst_mrm_gap){o->vertex_count - 2 - last, o->vertex_count - i};
    }
    l->gap_count = count;
}

static uint32_t count_gaps(const kst_order *o) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->leave_count; ++i)
        count += o->leave[i].inside && (i + 1 == o->leave_count || !o->leave[i + 1].inside);
    return count;
}

// x^n by products, so that it has the same bits everywhere.
static double power(double x, int n) {
    double p = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) p *= x;
    return p;
}

// Levels whose triangles grow by the same factor each time.
static void fill_curve(const kst_order *o, kst_mrm_list *l) {
    double least = l->base_triangles > 0 ? l->base_triangles : 1, factor = (double)o->face_count / least;
    double step = 1, high = 1 + factor;  // step^STEPS = factor
    for (int k = 0; k < 64; ++k) {
        double middle = step + (high - step) / 2;
        if (power(middle, CURVE_STEPS) <= factor)
            step = middle;
        else
            high = middle;
    }
    double next = 0;
    for (uint32_t v = l->base_vertices; v <= o->vertex_count; ++v) {
        uint32_t i = o->vertex_count - v;  // leaves done at this level
        uint32_t triangles = v ? l->triangle_end[v - 1] : l->base_triangles;
        bool end = v == l->base_vertices || v == o->vertex_count;
        if ((i && o->leave[i - 1].inside) || (!end && (triangles < next || l->curve_count > KST_MRM_CURVE - 2)))
            continue;
        float off = i ? o->leave[i - 1].off : 0;
        l->curve[l->curve_count++] =
            (karst_mrm_level){v, l->base_wedges, triangles, (float)((double)off * o->diagonal)};
        next = triangles * step;
    }
}

static karst_status fill(numbering *n, kst_mrm_list *l, const karst_progress *progress) {
    const kst_order *o = n->o;
    karst_status status = kst_progress_step(progress, "number", 0);
    if (status) return status;
    number_vertices(n);
    number_wedges(n);
    number_faces(n, l->triangle_end);
    l->base_wedges = n->first_wedge[l->base_vertices];
    status = kst_progress_step(progress, "number", 0.3);
    if (status) return status;
    fill_model(n, l->model);
    status = kst_progress_step(progress, "number", 0.6);
    if (status) return status;
    fill_slots(n, l);
    if (o->move_count) fill_moves(o, l);
    fill_gaps(o, l);
    fill_curve(o, l);
    for (int k = 0; k < l->curve_count; ++k) l->curve[k].wedges = n->first_wedge[l->curve[k].vertices];
    return kst_progress_step(progress, "number", 1);
}

karst_status kst_order_list(const kst_order *o, const karst_progress *progress, karst_report *report,
                            kst_mrm_list *out) {
    const karst_model *m = o->source;
    kst_mrm_list l = {.vertices = o->vertex_count,
                      .wedges = o->wedge_count,
                      .slot_room = o->change_count + 1,
                      .base_vertices = o->vertex_count - o->leave_count,
                      .base_triangles = o->live,
                      .is_least_right = o->is_least_right,
                      .move_unit = o->move_unit,
                      .gap_count = count_gaps(o)};
    karst_model_size size = {.vertices = m->vertex_count,
                             .wedges = m->wedge_count,
                             .triangles = m->triangle_count,
                             .materials = m->material_count,
                             .joints = m->joint_count,
                             .uv_sets = m->uv_sets,
                             .normals = m->normal != NULL,
                             .colours = m->colour != NULL};
    numbering n = {.o = o};
    size_t longest = o->vertex_count + (size_t)1;
    karst_status status = karst_model_create(&size, NULL, report, &l.model);
    if (status) return status;
    n.vertex = kst_alloc_array(NULL, o->vertex_count, 4);
    n.wedge = kst_alloc_array(NULL, o->wedge_count, 4);
    n.face = kst_alloc_array(NULL, o->face_count, 4);
    n.old_face = kst_alloc_array(NULL, o->face_count, 4);
    n.first_wedge = kst_alloc_array(NULL, longest, 4);
    n.count = kst_alloc_array(NULL, longest, 4);
    n.corner = kst_alloc_array(NULL, o->face_count, 12);
    l.parent = kst_alloc_array(NULL, l.wedges, 4);
    l.slot_end = kst_alloc_array(NULL, l.wedges, 4);
    l.slot = kst_alloc_array(NULL, l.slot_room, 4);
    l.triangle_end = kst_alloc_array(NULL, l.vertices, 4);
    l.move = o->move_count ? kst_alloc_array(NULL, o->leave_count, sizeof *l.move) : NULL;
    l.gap = l.gap_count ? kst_alloc_zero(NULL, l.gap_count * sizeof *l.gap) : NULL;
    l.curve = kst_alloc_zero(NULL, KST_MRM_CURVE * sizeof *l.curve);
    if (n.vertex && n.wedge && n.face && n.old_face && n.first_wedge && n.count && n.corner && l.parent && l.slot_end &&
        l.slot && l.triangle_end && (l.move || !o->move_count) && (l.gap || !l.gap_count) && l.curve)
        status = fill(&n, &l, progress);
    else
        status = KARST_ERROR_MEMORY;
    kst_free(NULL, n.vertex, (size_t)o->vertex_count * 4);
    kst_free(NULL, n.wedge, (size_t)o->wedge_count * 4);
    kst_free(NULL, n.face, (size_t)o->face_count * 4);
    kst_free(NULL, n.old_face, (size_t)o->face_count * 4);
    kst_free(NULL, n.first_wedge, longest * 4);
    kst_free(NULL, n.count, longest * 4);
    kst_free(NULL, n.corner, (size_t)o->face_count * 12);
    if (status)
        kst_mrm_list_free(&l, NULL);
    else
        *out = l;
    return status ? kst_fail(report, status, "mrm: %s", karst_status_text(status)) : KARST_OK;
}
