// SPDX-License-Identifier: MIT
// Models: their arrays, made, copied, checked and measured.
#include <math.h>

#include "core/core.h"
#include "karst/model.h"

// Coordinates beyond this have squares that floats cannot hold.
static const float farthest_m = 1e18f;

// ---- arrays ------------------------------------------------------------------------------------------

// Where in a model the pointer to an array lies, how many elements of how many bytes the array has.
typedef struct array {
    size_t place, count, bytes;
} array;

enum { ARRAY_COUNT = 9 + KARST_MODEL_UV_SETS };

static void list_arrays(const karst_model_size *s, array out[ARRAY_COUNT]) {
#define ARRAY(name, count) ((array){offsetof(karst_model, name), (count), sizeof *((karst_model *)0)->name})
    int n = 0;
    out[n++] = ARRAY(position, s->vertices);
    out[n++] = ARRAY(skin, s->joints ? s->vertices : 0);
    out[n++] = ARRAY(vertex, s->wedges);
    out[n++] = ARRAY(normal, s->normals ? s->wedges : 0);
    for (int k = 0; k < KARST_MODEL_UV_SETS; ++k) {
        out[n] = ARRAY(uv[0], k < s->uv_sets ? s->wedges : 0);
        out[n++].place += (size_t)k * sizeof(void *);
    }
    out[n++] = ARRAY(colour, s->colours ? s->wedges : 0);
    out[n++] = ARRAY(triangle, s->triangles);
    out[n++] = ARRAY(paint, s->materials ? s->triangles : 0);
    out[n++] = ARRAY(material, s->materials);
    out[n++] = ARRAY(joint, s->joints);
    KARST_ASSERT(n == ARRAY_COUNT);
#undef ARRAY
}

static void *get(const karst_model *m, const array *a) {
    void *memory;
    memcpy(&memory, (const char *)m + a->place, sizeof memory);
    return memory;
}
static void put(karst_model *m, const array *a, void *memory) {
    memcpy((char *)m + a->place, &memory, sizeof memory);
}

// As its counts stand now.
static karst_model_size size_of(const karst_model *m) {
    return (karst_model_size){
        .vertices = m->vertex_count,
        .wedges = m->wedge_count,
        .triangles = m->triangle_count,
        .materials = m->material_count,
        .joints = m->joint_count,
        .uv_sets = m->uv_sets,
        .normals = m->normal != NULL,
        .colours = m->colour != NULL,
    };
}

static karst_status check_size(const karst_model_size *s, karst_report *report) {
    const struct {
        const char *what;
        uint64_t count, most;
    } limits[] = {
        {"triangles", s->triangles, KARST_MODEL_MAX_TRIANGLES},
        {"wedges", s->wedges, 3 * (uint64_t)KARST_MODEL_MAX_TRIANGLES},
        {"vertices", s->vertices, 3 * (uint64_t)KARST_MODEL_MAX_TRIANGLES},
        {"materials", s->materials, KARST_MODEL_MAX_MATERIALS},
        {"joints", s->joints, KARST_MODEL_MAX_JOINTS},
        {"texture coordinate sets", (uint64_t)(s->uv_sets < 0 ? 0 : s->uv_sets), KARST_MODEL_UV_SETS},
    };
    for (size_t k = 0; k < sizeof limits / sizeof *limits; ++k)
        if (limits[k].count > limits[k].most)
            return kst_fail(report, KARST_ERROR_LIMIT, "model: %llu %s, a model has up to %llu: split it",
                            (unsigned long long)limits[k].count, limits[k].what, (unsigned long long)limits[k].most);
    return KARST_OK;
}

karst_status karst_model_create(const karst_model_size *size, const karst_allocator *allocator, karst_report *report,
                                karst_model **out) {
    KARST_ASSERT(size->uv_sets >= 0);
    karst_status status = check_size(size, report);
    if (status) return status;
    karst_model *m = kst_alloc_zero(allocator, sizeof *m);
    if (!m) return kst_fail(report, KARST_ERROR_MEMORY, "model: out of memory");
    m->allocator = allocator;
    m->made = *size;
    m->vertex_count = size->vertices;
    m->wedge_count = size->wedges;
    m->triangle_count = size->triangles;
    m->material_count = size->materials;
    m->joint_count = size->joints;
    m->uv_sets = size->uv_sets;
    array arrays[ARRAY_COUNT];
    list_arrays(size, arrays);
    for (int k = 0; k < ARRAY_COUNT; ++k) {
        if (!arrays[k].count) continue;
        put(m, &arrays[k], kst_alloc_zero(allocator, arrays[k].count * arrays[k].bytes));  // no overflow: limits
        if (!get(m, &arrays[k])) {
            karst_model_destroy(m);
            return kst_fail(report, KARST_ERROR_MEMORY, "model: out of memory for %zu elements of %zu bytes",
                            arrays[k].count, arrays[k].bytes);
        }
    }
    *out = m;
    return KARST_OK;
}

void karst_model_destroy(karst_model *model) {
    if (!model) return;
    array arrays[ARRAY_COUNT];
    list_arrays(&model->made, arrays);
    for (int k = 0; k < ARRAY_COUNT; ++k)
        kst_free(model->allocator, get(model, &arrays[k]), arrays[k].count * arrays[k].bytes);
    kst_free(model->allocator, model, sizeof *model);
}

karst_status karst_model_copy(const karst_model *model, karst_report *report, karst_model **out) {
    karst_model *m;
    karst_model_size size = size_of(model);
    karst_status status = karst_model_create(&size, model->allocator, report, &m);
    if (status) return status;
    m->origin = model->origin;
    array arrays[ARRAY_COUNT];
    list_arrays(&size, arrays);
    for (int k = 0; k < ARRAY_COUNT; ++k)
        if (arrays[k].count) memcpy(get(m, &arrays[k]), get(model, &arrays[k]), arrays[k].count * arrays[k].bytes);
    *out = m;
    return KARST_OK;
}

uint64_t karst_model_bytes(const karst_model *model) {
    karst_model_size size = size_of(model);
    array arrays[ARRAY_COUNT];
    list_arrays(&size, arrays);
    uint64_t bytes = 0;
    for (int k = 0; k < ARRAY_COUNT; ++k) bytes += (uint64_t)arrays[k].count * arrays[k].bytes;
    return bytes;
}

// ---- check -------------------------------------------------------------------------------------------

static karst_status check_vertices(const karst_model *m, karst_report *report) {
    if (!isfinite(m->origin.x) || !isfinite(m->origin.y) || !isfinite(m->origin.z))
        return kst_fail(report, KARST_ERROR_FORMAT, "model: its origin is not a finite place");
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        karst_vec3 p = m->position[v];
        if (!(fabsf(p.x) <= farthest_m && fabsf(p.y) <= farthest_m && fabsf(p.z) <= farthest_m))
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "model: vertex %u at (%g, %g, %g): coordinates must be finite and within 1e18", v,
                            (double)p.x, (double)p.y, (double)p.z);
        if (!m->skin) continue;
        const karst_model_skin *s = &m->skin[v];
        uint32_t sum = 0;
        for (int k = 0; k < 4; ++k) {
            sum += s->weight[k];
            if (s->joint[k] >= m->joint_count)
                return kst_fail(report, KARST_ERROR_FORMAT, "model: vertex %u hangs on joint %u of %u", v, s->joint[k],
                                m->joint_count);
        }
        if (sum != UINT16_MAX)
            return kst_fail(report, KARST_ERROR_FORMAT, "model: the weights of vertex %u add up to %u, not 65535", v,
                            sum);
    }
    return KARST_OK;
}

static karst_status check_wedges(const karst_model *m, karst_report *report) {
    for (uint32_t w = 0; w < m->wedge_count; ++w) {
        if (m->vertex[w] >= m->vertex_count)
            return kst_fail(report, KARST_ERROR_FORMAT, "model: wedge %u is of vertex %u of %u", w, m->vertex[w],
                            m->vertex_count);
        if (m->normal && !(isfinite(m->normal[w].x) && isfinite(m->normal[w].y) && isfinite(m->normal[w].z)))
            return kst_fail(report, KARST_ERROR_FORMAT, "model: the normal of wedge %u is not finite", w);
        for (int k = 0; k < m->uv_sets; ++k)
            if (!isfinite(m->uv[k][w][0]) || !isfinite(m->uv[k][w][1]))
                return kst_fail(report, KARST_ERROR_FORMAT, "model: texture coordinates %d of wedge %u are not finite",
                                k, w);
    }
    return KARST_OK;
}

static karst_status check_triangles(const karst_model *m, karst_report *report) {
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k)
            if (m->triangle[t][k] >= m->wedge_count)
                return kst_fail(report, KARST_ERROR_FORMAT, "model: triangle %u names wedge %u of %u", t,
                                m->triangle[t][k], m->wedge_count);
        if (m->paint && m->paint[t] >= m->material_count)
            return kst_fail(report, KARST_ERROR_FORMAT, "model: triangle %u is of material %u of %u", t, m->paint[t],
                            m->material_count);
    }
    return KARST_OK;
}

static karst_status check_rest(const karst_model *m, karst_report *report) {
    for (uint32_t k = 0; k < m->material_count; ++k) {
        const karst_model_material *a = &m->material[k];
        bool good = memchr(a->name, 0, sizeof a->name);
        for (int c = 0; c < 4; ++c) good = good && a->colour[c] >= 0 && a->colour[c] <= 1;
        if (!good)
            return kst_fail(report, KARST_ERROR_FORMAT, "model: material %u: a name that ends and colours of 0..1", k);
    }
    for (uint32_t k = 0; k < m->joint_count; ++k) {
        const karst_model_joint *j = &m->joint[k];
        bool good = memchr(j->name, 0, sizeof j->name) && j->parent >= -1 && j->parent < (int32_t)k;
        for (int c = 0; c < 12; ++c) good = good && isfinite(j->bind[c / 4][c % 4]);
        if (!good)
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "model: joint %u: a name that ends, a parent before it and a finite matrix", k);
    }
    return KARST_OK;
}

karst_status karst_model_check(const karst_model *model, karst_report *report) {
    karst_model_size size = size_of(model);
    karst_status status = check_size(&size, report);
    if (!status) status = check_vertices(model, report);
    if (!status) status = check_wedges(model, report);
    if (!status) status = check_triangles(model, report);
    if (!status) status = check_rest(model, report);
    return status;
}

// ---- bounds ------------------------------------------------------------------------------------------

karst_box karst_model_bounds(const karst_model *model) {
    karst_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t t = 0; t < model->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            karst_vec3 p = model->position[model->vertex[model->triangle[t][k]]];
            low = (karst_vec3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
            high = (karst_vec3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
        }
    karst_pos o = model->origin;
    return (karst_box){{o.x + (double)low.x, o.y + (double)low.y, o.z + (double)low.z},
                       {o.x + (double)high.x, o.y + (double)high.y, o.z + (double)high.z}};
}
