// SPDX-License-Identifier: MIT
// Instances: sliding along the records.
//
// Down a vertex: each slot of its wedges gets the parent's number; up: the wedge's. The same items serve both ways, so
// what is at a level is the same however it was reached.
//
// An instance has an index array for each range. Those finer than its own stand at the bottom of their range, those
// coarser at the top, where two ranges meet; so going to the next range changes nothing but which array is shown.
#include "mesh/mrm.h"

static size_t index_count(const karst_mrm *m) {  // of all ranges
    const kst_mrm_range *last = &m->range[m->range_count - 1];
    return 3 * (last->index + last->triangles);
}

size_t karst_mrm_instance_bytes(const karst_mrm *m) {
    return index_count(m) * sizeof(uint32_t) + (m->move ? (size_t)m->model->wedge_count * sizeof(karst_vec3) +
                                                              (size_t)m->model->vertex_count * sizeof(uint16_t)
                                                        : 0);
}

static void enter_range(karst_mrm_instance *i, int range) {
    const kst_mrm_range *r = &i->mrm->range[range];
    i->range = range;
    i->index = i->arrays + 3 * r->index;
    i->index_count = 3 * r->triangles;
    i->index_wedges = r->wedges;
}

// ---- records -------------------------------------------------------------------------------------------

// Most wedges have few slots, in numbers that no processor foresees: so many are written always, the last again.
static inline void write_slots(uint32_t *index, const kst_mrm_wedge *r, const uint16_t *item, uint32_t value) {
    uint32_t slot = r->first, items = kst_mrm_items(r);
    if (slot == KST_NONE) return;
    index[slot] = value;
    if (r->items & KST_MRM_FAR) {
        for (uint32_t k = 0; k < items; ++k) {
            slot += item[k];
            if (item[k] != KST_MRM_STEP) index[slot] = value;
        }
        return;
    }
    for (uint32_t k = 0; k < KST_MRM_FEW; ++k) {
        uint32_t step = item[k];
        slot += k < items ? step : 0;
        index[slot] = value;
    }
    for (uint32_t k = KST_MRM_FEW; k < items; ++k) {
        slot += item[k];
        index[slot] = value;
    }
}

static void slide_down(karst_mrm_instance *i, uint32_t to) {
    const kst_mrm_wedge *record = i->mrm->record;
    const uint16_t *item = i->mrm->item + i->item;
    uint32_t base = i->mrm->base_wedges, wedge = i->wedges, vertices = i->vertices, triangles = i->triangles;
    while (vertices > to) {
        const kst_mrm_wedge *r = &record[--wedge - base];
        write_slots(i->index, r, item, r->parent);
        item += kst_mrm_items(r);
        triangles -= r->faces & KST_MRM_FACES;
        vertices -= r->faces >> 15;
    }
    i->item = (size_t)(item - i->mrm->item);
    i->wedges = wedge, i->vertices = vertices, i->triangles = triangles;
}

static void slide_up(karst_mrm_instance *i, uint32_t to) {
    const kst_mrm_wedge *record = i->mrm->record;
    const uint16_t *item = i->mrm->item + i->item;
    uint32_t base = i->mrm->base_wedges, wedge = i->wedges, vertices = i->vertices, triangles = i->triangles;
    uint32_t end = i->mrm->model->wedge_count;
    while (wedge < end) {
        const kst_mrm_wedge *r = &record[wedge - base];
        uint32_t first = r->faces >> 15;
        if (vertices + first > to) break;
        vertices += first;
        triangles += r->faces & KST_MRM_FACES;
        item -= kst_mrm_items(r);
        write_slots(i->index, r, item, wedge++);
    }
    i->item = (size_t)(item - i->mrm->item);
    i->wedges = wedge, i->vertices = vertices, i->triangles = triangles;
}

// ---- ranges --------------------------------------------------------------------------------------------

static inline void copy_triangle(uint32_t *to, const uint32_t *from) {
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
}

// The array of the next range, from this one at its bottom.
static void sort_next(karst_mrm_instance *i) {
    const karst_mrm *m = i->mrm;
    const kst_mrm_range *r = &m->range[i->range];
    const uint32_t *from = i->index;
    uint32_t *to = i->arrays + 3 * r[1].index;
    if (r->wide) {
        const uint32_t *place = m->place32 + r->place;
        for (uint32_t q = 0; q < r->kept; ++q) copy_triangle(to + 3 * (size_t)q, from + 3 * (size_t)place[q]);
    } else {
        const uint16_t *place = m->place16 + r->place;
        for (uint32_t q = 0; q < r->kept; ++q) copy_triangle(to + 3 * (size_t)q, from + 3 * (size_t)place[q]);
    }
}

// A range holds its top level, not its bottom; the last holds both.
static void slide(karst_mrm_instance *i, uint32_t vertices) {
    const karst_mrm *m = i->mrm;
    while (vertices < i->vertices) {
        const kst_mrm_range *r = &m->range[i->range];
        bool last = i->range + 1 == m->range_count;
        slide_down(i, vertices > r->bottom ? vertices : r->bottom);
        if (i->vertices == r->bottom && !last) enter_range(i, i->range + 1);
    }
    while (vertices > i->vertices) {
        const kst_mrm_range *r = &m->range[i->range];
        if (i->vertices == r->top)
            enter_range(i, i->range - 1);
        else
            slide_up(i, vertices < r->top ? vertices : r->top);
    }
}

void karst_mrm_instance_init(karst_mrm_instance *i, const karst_mrm *m, void *memory) {
    const karst_model *model = m->model;
    *i = (karst_mrm_instance){.mrm = m,
                              .vertices = model->vertex_count,
                              .wedges = model->wedge_count,
                              .triangles = model->triangle_count,
                              .arrays = memory};
    enter_range(i, 0);
    memcpy(i->index, model->triangle, i->index_count * sizeof *i->index);
    for (int k = 0; k + 1 < m->range_count; ++k) {
        slide_down(i, m->range[k].bottom);
        sort_next(i);
        enter_range(i, k + 1);
    }
    slide(i, model->vertex_count);
    if (!m->move) return;
    i->place = (karst_vec3 *)(i->arrays + index_count(m));
    i->codes = (uint16_t *)(i->place + model->wedge_count);
    memset(i->codes, 0, model->vertex_count * sizeof *i->codes);
    for (uint32_t w = 0; w < model->wedge_count; ++w) i->place[w] = model->position[model->vertex[w]];
}

void karst_mrm_set_level(karst_mrm_instance *i, uint32_t vertices) {
    const karst_mrm *m = i->mrm;
    uint32_t before = i->wedges;
    slide(i, kst_mrm_snap(m, vertices));
    if (m->move && before < i->wedges) kst_mrm_move_between(i, before, i->wedges);
    if (m->move && before > i->wedges) kst_mrm_move_between(i, i->wedges, before);
}

// ---- what changed --------------------------------------------------------------------------------------

enum { BLOCKS = 1024 };

typedef struct touched {
    uint64_t block[BLOCKS / 64];
    int shift;
} touched;

static void touch(touched *t, uint32_t slot) {
    t->block[slot >> t->shift >> 6] |= (uint64_t)1 << (slot >> t->shift & 63);
}

static void touch_record(touched *t, const kst_mrm_wedge *r, const uint16_t *item) {
    uint32_t slot = r->first;
    if (slot == KST_NONE) return;
    touch(t, slot);
    for (uint32_t k = 0; k < kst_mrm_items(r); ++k) {
        slot += item[k];
        if (item[k] != KST_MRM_STEP) touch(t, slot);
    }
}

// Mark what the records between the instance's level and `vertices`, in the same range, write.
static void touch_between(touched *t, const karst_mrm_instance *i, uint32_t vertices) {
    const karst_mrm *m = i->mrm;
    const uint16_t *item = m->item + i->item;
    uint32_t at = i->vertices, wedge = i->wedges;
    while (at > vertices) {
        const kst_mrm_wedge *r = &m->record[--wedge - m->base_wedges];
        touch_record(t, r, item);
        item += kst_mrm_items(r);
        at -= r->faces >> 15;
    }
    for (; wedge < m->model->wedge_count; ++wedge) {
        const kst_mrm_wedge *r = &m->record[wedge - m->base_wedges];
        if (at + (r->faces >> 15) > vertices) break;
        at += r->faces >> 15;
        item -= kst_mrm_items(r);
        touch_record(t, r, item);
    }
}

uint32_t karst_mrm_changes(const karst_mrm_instance *i, uint32_t earlier, karst_mrm_change *out, uint32_t most) {
    const karst_mrm *m = i->mrm;
    const kst_mrm_range *r = &m->range[i->range];
    earlier = kst_mrm_snap(m, earlier);
    if (earlier == i->vertices) return 0;
    bool last = i->range + 1 == m->range_count, same = earlier <= r->top && (last || earlier > r->bottom);
    if (!same) {
        if (most) out[0] = (karst_mrm_change){0, i->index_count};
        return 1;
    }
    touched t = {0};
    while ((uint32_t)BLOCKS << t.shift < i->index_count) ++t.shift;
    touch_between(&t, i, earlier);
    uint32_t count = 0;
    for (uint32_t b = 0; b < BLOCKS; ++b) {
        if (!(t.block[b / 64] >> (b % 64) & 1)) continue;
        uint32_t first = b << t.shift;
        while (b + 1 < BLOCKS && t.block[(b + 1) / 64] >> ((b + 1) % 64) & 1) ++b;
        uint32_t end = (b + 1) << t.shift;
        if (count < most) out[count] = (karst_mrm_change){first, (end < i->index_count ? end : i->index_count) - first};
        ++count;
    }
    return count;
}

// ---- what is shown -------------------------------------------------------------------------------------

uint32_t karst_mrm_sections(const karst_mrm_instance *i, karst_mrm_section *out, uint32_t most) {
    const karst_mrm *m = i->mrm;
    const uint32_t *section = m->section + (size_t)i->range * ((size_t)m->section_count + 1);
    uint32_t count = 0;
    for (uint32_t s = 0; s < m->section_count; ++s) {
        if (section[s] == section[s + 1]) continue;
        if (count < most)
            out[count] = (karst_mrm_section){m->material[s], 3 * section[s], 3 * (section[s + 1] - section[s])};
        ++count;
    }
    return count;
}

static bool has_area(const karst_model *model, const uint32_t *w) {
    uint32_t a = model->vertex[w[0]], b = model->vertex[w[1]], c = model->vertex[w[2]];
    return a != b && b != c && c != a;
}

static void fill_extract(const karst_mrm_instance *i, karst_model *out) {
    const karst_model *model = i->mrm->model;
    uint32_t t = 0;
    out->origin = model->origin;
    memcpy(out->position, model->position, i->vertices * sizeof *out->position);
    if (out->skin) memcpy(out->skin, model->skin, i->vertices * sizeof *out->skin);
    for (uint32_t w = 0; w < i->wedges && i->place; ++w) out->position[model->vertex[w]] = i->place[w];
    memcpy(out->vertex, model->vertex, i->wedges * sizeof *out->vertex);
    if (out->normal) memcpy(out->normal, model->normal, i->wedges * sizeof *out->normal);
    for (int k = 0; k < out->uv_sets; ++k) memcpy(out->uv[k], model->uv[k], i->wedges * sizeof *out->uv[k]);
    if (out->colour) memcpy(out->colour, model->colour, i->wedges * sizeof *out->colour);
    if (out->material) memcpy(out->material, model->material, out->material_count * sizeof *out->material);
    if (out->joint) memcpy(out->joint, model->joint, out->joint_count * sizeof *out->joint);
    const karst_mrm *m = i->mrm;
    const uint32_t *section = m->section + (size_t)i->range * ((size_t)m->section_count + 1);
    for (uint32_t s = 0; s < m->section_count; ++s)
        for (uint32_t k = section[s]; k < section[s + 1]; ++k) {
            const uint32_t *w = i->index + 3 * (size_t)k;
            if (!has_area(model, w)) continue;
            memcpy(out->triangle[t], w, sizeof *out->triangle);
            if (out->paint) out->paint[t] = m->material[s];
            ++t;
        }
    KARST_ASSERT(t == i->triangles);
}

karst_status karst_mrm_extract(const karst_mrm *m, uint32_t vertices, karst_report *report, karst_model **out) {
    const karst_model *model = m->model;
    size_t bytes = karst_mrm_instance_bytes(m);
    void *memory = kst_alloc(NULL, bytes);
    if (!memory) return kst_fail(report, KARST_ERROR_MEMORY, "mrm: out of memory");
    karst_mrm_instance i;
    karst_mrm_instance_init(&i, m, memory);
    karst_mrm_set_level(&i, vertices);
    karst_model_size size = {.vertices = i.vertices,
                             .wedges = i.wedges,
                             .triangles = i.triangles,
                             .materials = model->material_count,
                             .joints = model->joint_count,
                             .uv_sets = model->uv_sets,
                             .normals = model->normal != NULL,
                             .colours = model->colour != NULL};
    karst_model *made;
    karst_status status = karst_model_create(&size, NULL, report, &made);
    if (!status) {
        fill_extract(&i, made);
        *out = made;
    }
    kst_free(NULL, memory, bytes);
    return status;
}
