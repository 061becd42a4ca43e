// SPDX-License-Identifier: MIT
// The generator's arrays, made from the joined model and freed.
#include "mesh/mrm.h"
#include "mrm/order.h"

// Length that one unit of a texture place, and of a normal, counts for where the diagonal is 1.
static const float texture_length = 0.45f, normal_length = 0.005f;

void kst_place_of(const kst_order *o, karst_vec3 position, float out[3]) {
    const double p[3] = {(double)position.x, (double)position.y, (double)position.z};
    for (int k = 0; k < 3; ++k) out[k] = (float)((p[k] - o->middle[k]) / o->diagonal);
}

static void scale_places(kst_order *o) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    for (uint32_t v = 0; v < o->vertex_count; ++v) {
        const double p[3] = {(double)o->source->position[v].x, (double)o->source->position[v].y,
                             (double)o->source->position[v].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = p[k] < low[k] ? p[k] : low[k];
            high[k] = p[k] > high[k] ? p[k] : high[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        o->middle[k] = (low[k] + high[k]) / 2;
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    o->diagonal = sqrt(square);
    o->move_unit = kst_mrm_move_unit(o->diagonal);
    for (uint32_t v = 0; v < o->vertex_count; ++v) kst_place_of(o, o->source->position[v], o->at[v].place);
}

static void scale_attributes(kst_order *o) {
    const karst_model *m = o->source;
    for (uint32_t w = 0; w < o->wedge_count; ++w) {
        float *a = o->attribute[w];
        for (int k = 0; k < 2 && m->uv_sets; ++k) a[k] = m->uv[0][w][k] * texture_length * o->def->texture;
        if (!m->normal) continue;
        float length = o->normal_length;
        a[2] = m->normal[w].x * length, a[3] = m->normal[w].y * length, a[4] = m->normal[w].z * length;
    }
}

static void list_faces(kst_order *o) {
    for (uint32_t f = 0; f < o->face_count; ++f)
        for (int k = 0; k < 3; ++k) ++o->at[o->face[f][k]].listed;
    for (uint32_t v = 0; v < o->vertex_count; ++v) {
        o->pool[o->pool_count] = v, o->pool[o->pool_count + 1] = o->at[v].listed;
        o->at[v].list = (uint32_t)o->pool_count + KST_LIST_HEAD;
        o->pool_count += KST_LIST_HEAD + o->at[v].listed;
        o->at[v].listed = 0;
    }
    for (uint32_t f = 0; f < o->face_count; ++f)
        for (int k = 0; k < 3; ++k) {
            uint32_t v = o->face[f][k];
            o->pool[o->at[v].list + o->at[v].listed++] = f;
        }
}

static void find_normals(kst_order *o) {
    for (uint32_t f = 0; f < o->face_count; ++f) {
        const uint32_t *v = o->face[f];
        float e[3], g[3], n[3];
        kst_sub(o->at[v[1]].place, o->at[v[0]].place, e);
        kst_sub(o->at[v[2]].place, o->at[v[0]].place, g);
        kst_cross(e, g, n);
        for (int k = 0; k < 3; ++k)
            for (int c = 0; c < 3; ++c) o->normal[v[k]][c] += n[c];
    }
    for (uint32_t v = 0; v < o->vertex_count; ++v) {
        float length = sqrtf(kst_dot(o->normal[v], o->normal[v]));
        for (int c = 0; c < 3; ++c) o->normal[v][c] = length > 0 ? o->normal[v][c] / length : 0;
    }
}

// A vertex is on a border when it has a neighbour that shares one face with it.
static void find_borders(kst_order *o) {
    for (uint32_t v = 0; v < o->vertex_count; ++v) {
        const uint32_t *list = o->pool + o->at[v].list;
        for (uint32_t j = 0; j < o->at[v].listed; ++j)
            for (int k = 0; k < 3; ++k) o->at[o->face[list[j]][k]].mark2 = 0;  // as a count of faces
        for (uint32_t j = 0; j < o->at[v].listed; ++j)
            for (int k = 0; k < 3; ++k) ++o->at[o->face[list[j]][k]].mark2;
        for (uint32_t j = 0; j < o->at[v].listed; ++j)
            for (int k = 0; k < 3; ++k)
                if (o->face[list[j]][k] != v && o->at[o->face[list[j]][k]].mark2 == 1) o->at[v].border = 1;
    }
    for (uint32_t v = 0; v < o->vertex_count; ++v) o->at[v].mark2 = 0;
}

// Every array once, those that the list is made from apart: what it is, how many elements.
#define WORK(X)                                     \
    X(at, o->vertex_room)                           \
    X(normal, o->vertex_room)                       \
    X(attribute, o->attributes ? o->wedge_room : 0) \
    X(origin, o->wedge_room)                        \
    X(face, o->face_count)                          \
    X(corner, o->face_count)                        \
    X(refusals, o->vertex_room)                     \
    X(bends, o->vertex_room)                        \
    X(refused, o->vertex_room)                      \
    X(pool, o->pool_room)                           \
    X(sample.place, o->sample.count)                \
    X(sample.normal, o->sample.count)               \
    X(sample.weight, o->sample.count)               \
    X(sample.off, o->sample.count)                  \
    X(sample.next, o->sample.count)                 \
    X(sample.border, o->sample.count)               \
    X(sample_of, o->face_count)                     \
    X(part, o->vertex_room)                         \
    X(part_live, o->vertex_room)                    \
    X(key, o->vertex_room)                          \
    X(target, o->vertex_room)                       \
    X(heap, o->vertex_room)                         \
    X(heap_key, o->vertex_room)                     \
    X(heap_at, o->vertex_room)                      \
    X(star, 1)
#define RESULTS(X)            \
    X(died, o->face_count)    \
    X(leave, o->vertex_room)  \
    X(change, o->change_room) \
    X(heir, o->wedge_room)    \
    X(move, o->move_room)

// In pieces of some hundredths of a second for a million triangles.
static karst_status fill(kst_order *o, const karst_progress *progress) {
    const karst_model *m = o->source;
    memset(o->heir, 0xff, o->wedge_room * sizeof *o->heir);
    for (uint32_t w = 0; w < o->wedge_count; ++w) o->origin[w] = w;
    scale_places(o);
    if (o->attributes) scale_attributes(o);
    for (uint32_t f = 0; f < o->face_count; ++f) {
        memcpy(o->corner[f], m->triangle[f], sizeof *o->corner);
        for (int k = 0; k < 3; ++k) o->face[f][k] = m->vertex[m->triangle[f][k]];
        o->died[f] = KST_NONE;
    }
    karst_status status = kst_progress_step(progress, "prepare", 0.2);
    if (status) return status;
    list_faces(o);
    status = kst_progress_step(progress, "prepare", 0.4);
    if (status) return status;
    find_normals(o);
    find_borders(o);
    if (o->def->keep_borders)
        for (uint32_t v = 0; v < o->vertex_count; ++v) o->keep[v] |= o->at[v].border;
    status = kst_progress_step(progress, "prepare", 0.6);
    if (status) return status;
    kst_samples_begin(o);
    status = kst_progress_step(progress, "prepare", 0.8);
    if (status) return status;
    kst_parts_begin(o);
    return kst_progress_step(progress, "prepare", 1);
}

karst_status kst_order_begin(kst_order *o, const karst_progress *progress, karst_report *report) {
    const karst_model *m = o->source;
    o->vertex_count = m->vertex_count;
    o->wedge_count = m->wedge_count;
    o->face_count = o->live = m->triangle_count;
    o->live_vertices = o->vertex_count;
    o->attributes = m->uv_sets > 0 || m->normal;
    o->vertex_room = m->made.vertices;
    o->wedge_room = m->made.wedges;
    o->source_wedges = o->wedge_count;
    o->normal_length = m->normal ? normal_length * o->def->normal : 0;
    o->sample.count = o->wedge_count + (o->def->move ? o->face_count : 0);
    size_t listed = 3 * (size_t)o->face_count + KST_LIST_HEAD * (size_t)o->vertex_room;
    o->pool_room = listed + listed / 4 + 1024;
    o->change_room = 6 * (size_t)o->vertex_count + 64;
    o->move_room = o->def->move ? o->vertex_count : 0;
    // Found on scans and game models: fewer samples and ways cost shape, more cost time.
    o->keep_samples = o->attributes || o->def->move ? 8 : 3;
    o->ways = o->attributes ? 6 : 2;
    o->plane_share = o->attributes ? 0.4f : 0.3f;
    o->uv_cap = 0.003f * kst_square(o->def->texture);
    o->uv_share = 1;
    o->samples_below = o->normal_length > normal_length ? 1 : 0.3f;  // planes know nothing of normals
    o->eager_below = o->attributes || o->def->move ? 0.25f : 0.15f;
    // First, while little else is there: making it takes more than it keeps.
    karst_status status = kst_nearby_create(m, progress, &o->nearby);
    if (status) return kst_fail(report, status, "mrm: %s", karst_status_text(status));
#define MAKE(name, count)                                                        \
    if ((count) && !(o->name = kst_alloc_zero(NULL, (count) * sizeof *o->name))) \
        return kst_fail(report, KARST_ERROR_MEMORY, "mrm: out of memory");
    WORK(MAKE)
    RESULTS(MAKE)
#undef MAKE
    status = fill(o, progress);
    return status ? kst_fail(report, status, "mrm: %s", karst_status_text(status)) : KARST_OK;
}

#define FREE(name, count)                               \
    kst_free(NULL, o->name, (count) * sizeof *o->name); \
    o->name = NULL;
void kst_order_forget(kst_order *o) {
    WORK(FREE)
}

void kst_order_end(kst_order *o) {
    WORK(FREE)
    RESULTS(FREE)
}
#undef FREE
