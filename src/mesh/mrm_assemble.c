// SPDX-License-Identifier: MIT
// A list becomes a mesh: ranges, their layouts, records in slots of them. And back.
#include <stdlib.h>

#include "mesh/mrm.h"

// A range ends where this share of its triangles is left: smaller shares need less memory, larger ones waste fewer
// indices on triangles that are gone.
static const double range_share = 1 / 1.8;
enum { LAST_RANGE = 96, SOME = 4096 };  // triangles: so few are one range; vertices: progress is told

typedef struct assembling {
    const kst_mrm_list *list;
    karst_mrm *m;
    const karst_progress *progress;
    karst_report *report;
    uint32_t (*corner)[3];            // as of the level reached
    uint32_t *order, *sorted, *spot;  // cache order, by material too, and where a triangle is
    uint32_t *earlier;                // the same of the range before
    uint32_t *by_material;            // first place of a material, one more at the end
    size_t item_room;
} assembling;

static uint32_t triangles_at(const kst_mrm_list *l, uint32_t vertices) {
    return vertices ? l->triangle_end[vertices - 1] : 0;
}

static uint32_t wedges_at(const kst_mrm_list *l, uint32_t vertices) {  // first wedge of vertex number `vertices`
    uint32_t low = 0, high = l->model->wedge_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->model->vertex[middle] < vertices)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- ranges --------------------------------------------------------------------------------------------

static uint32_t bottom_of(const kst_mrm_list *l, uint32_t top) {
    uint32_t triangles = triangles_at(l, top), low = l->base_vertices, high = top;
    if (triangles <= LAST_RANGE) return low;
    uint32_t most = (uint32_t)((double)triangles * range_share);
    while (low < high) {  // the finest level with at most `most`
        uint32_t middle = low + (high - low + 1) / 2;
        if (triangles_at(l, middle) <= most)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static karst_status make_ranges(assembling *a) {
    const kst_mrm_list *l = a->list;
    karst_mrm *m = a->m;
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        uint32_t top = l->model->vertex_count, bottom;
        for (count = 0;; ++count, top = bottom) {
            bottom = bottom_of(l, top);
            bool last = bottom == l->base_vertices;
            if (pass) {
                kst_mrm_range *r = &m->range[count];
                *r = (kst_mrm_range){.top = top,
                                     .bottom = bottom,
                                     .triangles = triangles_at(l, top),
                                     .kept = last ? 0 : triangles_at(l, bottom),
                                     .wedges = wedges_at(l, top),
                                     .index = m->place16_count + m->place32_count};
                r->wide = r->triangles > 0x10000;
                size_t *total = r->wide ? &m->place32_count : &m->place16_count;
                r->place = *total;
                *total += r->triangles;
            }
            if (last) break;
        }
        if (pass) break;
        m->range = kst_alloc_zero(m->allocator, (size_t)(count + 1) * sizeof *m->range);
        if (!m->range) return KARST_ERROR_MEMORY;
        m->range_count = count + 1;
    }
    m->place16 = m->place16_count ? kst_alloc_array(m->allocator, m->place16_count, 2) : NULL;
    m->place32 = m->place32_count ? kst_alloc_array(m->allocator, m->place32_count, 4) : NULL;
    return (m->place16_count && !m->place16) || (m->place32_count && !m->place32) ? KARST_ERROR_MEMORY : KARST_OK;
}

static karst_status make_sections(assembling *a) {
    karst_mrm *m = a->m;
    const karst_model *model = a->list->model;
    uint32_t materials = model->paint ? model->material_count : 1;
    memset(a->by_material, 0, ((size_t)materials + 1) * 4);
    if (!model->paint) a->by_material[0] = 1;
    for (uint32_t t = 0; model->paint && t < model->triangle_count; ++t) a->by_material[model->paint[t]] = 1;
    for (uint32_t k = 0; k < materials; ++k) m->section_count += a->by_material[k];
    m->material = kst_alloc_array(m->allocator, m->section_count, sizeof *m->material);
    m->section = kst_alloc_zero(m->allocator, (size_t)m->range_count * ((size_t)m->section_count + 1) * 4);
    if (!m->material || !m->section) return KARST_ERROR_MEMORY;
    uint32_t s = 0;
    for (uint32_t k = 0; k < materials; ++k)
        if (a->by_material[k]) m->material[s++] = (uint16_t)k;
    return KARST_OK;
}

// Cache order, then by material: sorted[] and spot[] of the triangles that stand now.
static karst_status lay_out(assembling *a, int range) {
    karst_mrm *m = a->m;
    const karst_model *model = a->list->model;
    const kst_mrm_range *r = &m->range[range];
    uint32_t *section = m->section + (size_t)range * ((size_t)m->section_count + 1), materials = model->material_count;
    karst_status status = kst_cache_order((const uint32_t(*)[3])a->corner, r->triangles, wedges_at(a->list, r->top),
                                          a->progress, a->order);
    if (status) return status;
    if (!model->paint) {
        memcpy(a->sorted, a->order, r->triangles * sizeof *a->sorted);
        section[1] = r->triangles;
    } else {
        memset(a->by_material, 0, ((size_t)materials + 1) * 4);
        for (uint32_t i = 0; i < r->triangles; ++i) ++a->by_material[model->paint[i] + 1];
        for (uint32_t k = 0; k < materials; ++k) a->by_material[k + 1] += a->by_material[k];
        for (uint32_t s = 0; s < m->section_count; ++s) section[s] = a->by_material[m->material[s]];
        section[m->section_count] = r->triangles;
        for (uint32_t i = 0; i < r->triangles; ++i)
            a->sorted[a->by_material[model->paint[a->order[i]]]++] = a->order[i];
    }
    for (uint32_t i = 0; i < r->triangles; ++i) a->spot[a->sorted[i]] = i;
    return KARST_OK;
}

static void set_place(karst_mrm *m, const kst_mrm_range *r, uint32_t q, uint32_t value) {
    if (r->wide)
        m->place32[r->place + q] = value;
    else
        m->place16[r->place + q] = (uint16_t)value;
}

// ---- records -------------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

static void sort_slots(uint32_t *slot, size_t count) {
    if (count > 64) {
        qsort(slot, count, sizeof *slot, ascending);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        uint32_t x = slot[i];
        size_t at = i;
        for (; at > 0 && slot[at - 1] > x; --at) slot[at] = slot[at - 1];
        slot[at] = x;
    }
}

static bool item_room(assembling *a, size_t more) {
    karst_mrm *m = a->m;
    if (m->item_count + more <= a->item_room) return true;
    size_t room = 2 * (m->item_count + more);
    uint16_t *item = kst_alloc_array(m->allocator, room, sizeof *item);
    if (!item) return false;
    if (m->item_count) memcpy(item, m->item, m->item_count * sizeof *item);
    kst_free(m->allocator, m->item, a->item_room * sizeof *item);
    m->item = item;
    a->item_room = room;
    return true;
}

// The record of wedge w, in slots of the layout; and what it does, done.
static karst_status pack_record(assembling *a, uint32_t w) {
    const kst_mrm_list *l = a->list;
    karst_mrm *m = a->m;
    kst_mrm_wedge *r = &m->record[w - m->base_wedges];
    uint32_t from = w ? l->slot_end[w - 1] : 0, count = l->slot_end[w] - from;
    uint32_t *slot = a->order;  // free until the next layout; as long as any list of slots
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t s = l->slot[from + i];
        a->corner[s / 3][s % 3] = l->parent[w];
        slot[i] = 3 * a->spot[s / 3] + s % 3;
    }
    sort_slots(slot, count);
    r->parent = l->parent[w];
    r->first = count ? slot[0] : KST_NONE;
    size_t before = m->item_count;
    for (uint32_t i = 1; i < count; ++i) {
        uint32_t step = slot[i] - slot[i - 1], far = step / KST_MRM_STEP;
        if (!item_room(a, (size_t)far + 1)) return KARST_ERROR_MEMORY;
        for (uint32_t k = 0; k < far; ++k) m->item[m->item_count++] = KST_MRM_STEP;
        m->item[m->item_count++] = (uint16_t)(step % KST_MRM_STEP);
    }
    size_t items = m->item_count - before;
    if (items > KST_MRM_ITEMS)
        return kst_fail(a->report, KARST_ERROR_LIMIT, "mrm: wedge %u changes too many triangles", w);
    r->items = (uint16_t)(items | (items >= count && count ? KST_MRM_FAR : 0));
    return KARST_OK;
}

static karst_status pack_vertex(assembling *a, uint32_t v, uint32_t *wedges) {
    const kst_mrm_list *l = a->list;
    uint32_t faces = triangles_at(l, v + 1) - triangles_at(l, v);
    if (faces > KST_MRM_FACES)
        return kst_fail(a->report, KARST_ERROR_LIMIT, "mrm: %u triangles vanish with vertex %u", faces, v);
    while (*wedges > l->base_wedges && l->model->vertex[*wedges - 1] == v) {
        karst_status status = pack_record(a, --*wedges);
        if (status) return status;
    }
    a->m->record[*wedges - l->base_wedges].faces = (uint16_t)(KST_MRM_FIRST | faces);
    return KARST_OK;
}

// ---- all of it -----------------------------------------------------------------------------------------

static karst_status pack_ranges(assembling *a) {
    const kst_mrm_list *l = a->list;
    karst_mrm *m = a->m;
    uint32_t vertices = l->model->vertex_count, wedges = l->model->wedge_count;
    for (int k = 0; k < m->range_count; ++k) {
        const kst_mrm_range *r = &m->range[k];
        karst_status status = lay_out(a, k);
        if (status) return status;
        const kst_mrm_range *finer = k ? r - 1 : r;
        for (uint32_t q = 0; k && q < finer->triangles; ++q)
            set_place(m, finer, q, a->earlier[q < finer->kept ? a->sorted[q] : q]);
        for (; vertices > r->bottom && !status; --vertices) {
            status = pack_vertex(a, vertices - 1, &wedges);
            if (vertices % SOME == 0 && !status)
                status = kst_progress_step(a->progress, "sort", 1 - (double)vertices / l->vertices);
        }
        if (status) return status;
        uint32_t *t = a->earlier;
        a->earlier = a->spot;
        a->spot = t;
    }
    const kst_mrm_range *last = &m->range[m->range_count - 1];
    for (uint32_t q = 0; q < last->triangles; ++q) set_place(m, last, q, a->earlier[q]);
    return KARST_OK;
}

// Triangles of the model into the finest layout, whose order follows from the tables.
static void follow_places(const karst_mrm *m, uint32_t *number, uint32_t *spare, int range) {
    for (int k = m->range_count - 1; k >= range; --k) {
        const kst_mrm_range *r = &m->range[k];
        memcpy(spare, number, (size_t)r->kept * 4);
        for (uint32_t q = 0; q < r->triangles; ++q) {
            uint32_t at = r->wide ? m->place32[r->place + q] : m->place16[r->place + q];
            number[at] = q < r->kept ? spare[q] : q;
        }
    }
}

static void permute(karst_model *model, const uint32_t *number, uint32_t *spare, bool back) {
    uint32_t(*triangle)[3] = (uint32_t(*)[3])spare;
    for (uint32_t t = 0; t < model->triangle_count; ++t)
        memcpy(triangle[back ? number[t] : t], model->triangle[back ? t : number[t]], sizeof *triangle);
    memcpy(model->triangle, triangle, model->triangle_count * sizeof *triangle);
    uint16_t *paint = (uint16_t *)spare;
    if (!model->paint) return;
    for (uint32_t t = 0; t < model->triangle_count; ++t)
        paint[back ? number[t] : t] = model->paint[back ? t : number[t]];
    memcpy(model->paint, paint, model->triangle_count * sizeof *paint);
}

static karst_status make_marks(karst_mrm *m) {
    uint32_t w = m->base_wedges, triangles = m->base_triangles;
    m->mark_count = (m->model->vertex_count - m->base_vertices) / KST_MRM_MARK + 1;
    m->mark = kst_alloc_array(m->allocator, m->mark_count, sizeof *m->mark);
    if (!m->mark) return KARST_ERROR_MEMORY;
    for (uint32_t v = m->base_vertices;; ++v) {
        if ((v - m->base_vertices) % KST_MRM_MARK == 0)
            m->mark[(v - m->base_vertices) / KST_MRM_MARK] = (kst_mrm_mark){w, triangles};
        if (v == m->model->vertex_count) return KARST_OK;
        triangles += m->record[w++ - m->base_wedges].faces & KST_MRM_FACES;
        while (w < m->model->wedge_count && !(m->record[w - m->base_wedges].faces & KST_MRM_FIRST)) ++w;
    }
}

static karst_status fit_items(karst_mrm *m, size_t room) {
    uint16_t *item = kst_alloc_zero(m->allocator, (m->item_count + KST_MRM_FEW) * sizeof *item);
    if (item && m->item_count) memcpy(item, m->item, m->item_count * sizeof *item);
    kst_free(m->allocator, m->item, room * sizeof *item);
    m->item = item;
    return item ? KARST_OK : KARST_ERROR_MEMORY;
}

// Codes of the list become changes, and back. `to` has room for them.
static karst_status change_moves(uint16_t *to, const uint16_t *from, const uint32_t *parent, const karst_model *model,
                                 uint32_t base_vertices, bool back) {
    uint16_t *code = kst_alloc_array(NULL, model->vertex_count, sizeof *code);
    if (!code) return KARST_ERROR_MEMORY;
    memcpy(to, from, (model->vertex_count - base_vertices) * sizeof *to);
    kst_mrm_moves_change(to, parent, model, base_vertices, code, back);
    kst_free(NULL, code, model->vertex_count * sizeof *code);
    return KARST_OK;
}

static karst_status make_moves(assembling *a) {
    const kst_mrm_list *l = a->list;
    karst_mrm *m = a->m;
    if (!l->move) return KARST_OK;
    m->move_unit = l->move_unit;
    m->move = kst_alloc_array(m->allocator, l->vertices - l->base_vertices, sizeof *m->move);
    if (!m->move) return KARST_ERROR_MEMORY;
    return change_moves(m->move, l->move, l->parent, l->model, l->base_vertices, false);
}

static void take(karst_mrm *m, kst_mrm_list *l) {
    m->model = l->model, m->gap = l->gap, m->curve = l->curve;
    m->gap_count = l->gap_count, m->curve_count = l->curve_count;
    l->model = NULL, l->gap = NULL, l->curve = NULL;
    l->gap_count = 0, l->curve_count = 0;
}

karst_status kst_mrm_assemble(kst_mrm_list *list, const karst_allocator *allocator, const karst_progress *progress,
                              karst_report *report, karst_mrm **out) {
    karst_model *model = list->model;
    size_t triangles = model->triangle_count, slots = list->slot_end[model->wedge_count - 1];
    size_t longest = slots > triangles ? slots : triangles;
    assembling a = {.list = list, .progress = progress, .report = report};
    karst_mrm *m = a.m = kst_alloc_zero(allocator, sizeof *m);
    if (!m) return kst_fail(report, KARST_ERROR_MEMORY, "mrm: out of memory");
    *m = (karst_mrm){.allocator = allocator,
                     .model = model,
                     .base_vertices = list->base_vertices,
                     .base_wedges = list->base_wedges,
                     .base_triangles = list->base_triangles,
                     .is_least_right = list->is_least_right};
    uint32_t records = model->wedge_count - m->base_wedges;
    a.corner = kst_alloc_array(NULL, triangles, sizeof *a.corner);
    a.order = kst_alloc_array(NULL, longest, 4);
    a.sorted = kst_alloc_array(NULL, triangles, 4);
    a.spot = kst_alloc_array(NULL, triangles, 4);
    a.earlier = kst_alloc_array(NULL, triangles, 4);
    a.by_material = kst_alloc_zero(NULL, ((size_t)model->material_count + 2) * 4);
    m->record = records ? kst_alloc_zero(allocator, (size_t)records * sizeof *m->record) : NULL;
    bool room = a.corner && a.order && a.sorted && a.spot && a.earlier && a.by_material && (m->record || !records);
    karst_status status = room ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = make_ranges(&a);
    if (!status) status = make_sections(&a);
    if (!status) status = make_moves(&a);
    if (!status) {
        memcpy(a.corner, model->triangle, triangles * sizeof *a.corner);
        status = pack_ranges(&a);
    }
    if (!status) status = make_marks(m);
    if (!status) status = fit_items(m, a.item_room);
    if (!status) {
        follow_places(m, a.spot, a.earlier, 0);
        permute(model, a.spot, (uint32_t *)a.corner, false);
        take(m, list);
    } else {
        if (m->item && a.item_room) kst_free(allocator, m->item, a.item_room * sizeof *m->item);
        kst_free(allocator, m->move, m->move ? (model->vertex_count - m->base_vertices) * sizeof *m->move : 0);
        m->item = NULL, m->item_count = 0, m->model = NULL, m->move = NULL;
        karst_mrm_destroy(m);
        if (status == KARST_ERROR_MEMORY) kst_fail(report, status, "mrm: out of memory");
        if (status == KARST_ERROR_CANCELLED) kst_fail(report, status, "mrm: stopped");
    }
    kst_free(NULL, a.corner, triangles * sizeof *a.corner);
    kst_free(NULL, a.order, longest * 4);
    kst_free(NULL, a.sorted, triangles * 4);
    kst_free(NULL, a.spot, triangles * 4);
    kst_free(NULL, a.earlier, triangles * 4);
    kst_free(NULL, a.by_material, ((size_t)model->material_count + 2) * 4);
    if (!status) *out = m;
    return status;
}

// ---- and back ------------------------------------------------------------------------------------------

// Slots of a record as they stand in its layout; returns how many.
static uint32_t read_slots(const karst_mrm *m, const kst_mrm_wedge *r, size_t item, uint32_t *out) {
    if (r->first == KST_NONE) return 0;
    uint32_t count = 0, slot = r->first;
    out[count++] = slot;
    for (uint32_t i = 0; i < kst_mrm_items(r); ++i) {
        slot += m->item[item + i];
        if (m->item[item + i] != KST_MRM_STEP) out[count++] = slot;
    }
    return count;
}

static size_t count_slots(const karst_mrm *m) {
    size_t count = m->item_count;
    for (size_t i = 0; i < m->item_count; ++i) count -= m->item[i] == KST_MRM_STEP;
    for (uint32_t w = m->base_wedges; w < m->model->wedge_count; ++w)
        count += m->record[w - m->base_wedges].first != KST_NONE;
    return count;
}

static void fill_list(const karst_mrm *m, kst_mrm_list *l, uint32_t *number, uint32_t *spare) {
    uint32_t w = m->base_wedges, v = m->base_vertices, triangles = m->base_triangles;
    size_t slots = 0, item = m->item_count;
    for (uint32_t k = 0; k < w; ++k) l->parent[k] = k, l->slot_end[k] = 0;
    for (uint32_t k = 0; k < v; ++k) l->triangle_end[k] = triangles;
    for (int range = m->range_count - 1; range >= 0; --range) {
        follow_places(m, number, spare, range);
        for (; w < m->model->wedge_count && m->model->vertex[w] < m->range[range].top; ++w) {
            const kst_mrm_wedge *r = &m->record[w - m->base_wedges];
            item -= kst_mrm_items(r);
            uint32_t *slot = l->slot + slots, count = read_slots(m, r, item, slot);
            for (uint32_t i = 0; i < count; ++i) slot[i] = 3 * number[slot[i] / 3] + slot[i] % 3;
            slots += count;
            l->parent[w] = r->parent;
            l->slot_end[w] = (uint32_t)slots;
            triangles += r->faces & KST_MRM_FACES;
            if (r->faces & KST_MRM_FIRST) l->triangle_end[v++] = triangles;
        }
    }
    permute(l->model, number, spare, true);
}

karst_status kst_mrm_unravel(const karst_mrm *m, karst_report *report, kst_mrm_list *out) {
    size_t triangles = m->model->triangle_count, wedges = m->model->wedge_count;
    kst_mrm_list l = {.base_vertices = m->base_vertices,
                      .base_wedges = m->base_wedges,
                      .base_triangles = m->base_triangles,
                      .is_least_right = m->is_least_right,
                      .move_unit = m->move_unit,
                      .gap = m->gap,
                      .gap_count = m->gap_count,
                      .curve = m->curve,
                      .curve_count = m->curve_count};
    uint32_t *number = kst_alloc_array(NULL, triangles, 4), *spare = kst_alloc_array(NULL, triangles, 12);
    karst_status status = karst_model_copy(m->model, report, &l.model);
    l.parent = kst_alloc_array(NULL, wedges, 4);
    l.slot_end = kst_alloc_array(NULL, wedges, 4);
    l.vertices = m->model->vertex_count, l.wedges = m->model->wedge_count, l.slot_room = count_slots(m) + 1;
    l.slot = kst_alloc_array(NULL, l.slot_room, 4);
    l.triangle_end = kst_alloc_array(NULL, m->model->vertex_count, 4);
    if (!status && (!number || !spare || !l.parent || !l.slot_end || !l.slot || !l.triangle_end))
        status = kst_fail(report, KARST_ERROR_MEMORY, "mrm: out of memory");
    if (m->move) l.move = kst_alloc_array(NULL, l.vertices - l.base_vertices, sizeof *l.move);
    if (!status && m->move && !l.move) status = kst_fail(report, KARST_ERROR_MEMORY, "mrm: out of memory");
    if (!status) fill_list(m, &l, number, spare);
    if (!status && m->move) status = change_moves(l.move, m->move, l.parent, l.model, l.base_vertices, true);
    kst_free(NULL, number, triangles * 4);
    kst_free(NULL, spare, triangles * 12);
    if (status)
        kst_mrm_list_release(&l);
    else
        *out = l;
    return status;
}
