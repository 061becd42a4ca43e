// SPDX-License-Identifier: MIT
// Welding by hash tables of open addressing; who comes first, stays.
//
// Near vertices are found in a grid of cells twice merge_m wide: whatever is within merge_m of a point lies in the cell
// of the point or in one of the seven on its side. Those that stay are farther than merge_m apart, so cells hold few.
#include "mesh/weld.h"

#include <math.h>

enum { SOME = 1 << 16 };  // between looks at progress

// ---- the table: index + 1 of what is in it, 0 free ------------------------------------------------------

typedef struct table {
    uint32_t *slot;
    size_t mask;
} table;

static bool table_create(table *t, size_t count) {
    size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    t->mask = slots - 1;
    t->slot = kst_alloc_zero(NULL, slots * sizeof *t->slot);
    return t->slot;
}

static void table_free(table *t) {
    kst_free(NULL, t->slot, (t->mask + 1) * sizeof *t->slot);
}

// Bits of a number, those of -0 as those of 0.
static uint32_t bits_of(float v) {
    uint32_t bits;
    v += 0.0f;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t mix(uint64_t hash, uint64_t more) {
    return kst_mix64(hash ^ more) + hash;
}

static uint64_t hash_skin(const karst_model *m, uint32_t v) {
    if (!m->skin) return 0;
    uint64_t word[2];
    memcpy(word, &m->skin[v], sizeof word);
    return mix(kst_mix64(word[0]), word[1]);
}

static bool same_skin(const karst_model *m, uint32_t a, uint32_t b) {
    return !m->skin || !memcmp(&m->skin[a], &m->skin[b], sizeof *m->skin);
}

// ---- vertices --------------------------------------------------------------------------------------------

static karst_status weld_equal(const karst_model *m, const karst_progress *progress, uint32_t *into) {
    table t;
    if (!table_create(&t, m->vertex_count)) return KARST_ERROR_MEMORY;
    karst_status status = KARST_OK;
    for (uint32_t v = 0; v < m->vertex_count && !status; ++v) {
        karst_vec3 p = m->position[v];
        uint64_t hash = mix(mix(mix(hash_skin(m, v), bits_of(p.x)), bits_of(p.y)), bits_of(p.z));
        size_t at = hash & t.mask;
        for (; t.slot[at]; at = (at + 1) & t.mask) {
            uint32_t u = t.slot[at] - 1;
            karst_vec3 q = m->position[u];
            if (p.x == q.x && p.y == q.y && p.z == q.z && same_skin(m, u, v)) break;
        }
        if (!t.slot[at]) t.slot[at] = v + 1;
        into[v] = t.slot[at] - 1;
        if (v % SOME == 0) status = kst_progress_step(progress, "weld", (double)v / m->vertex_count);
    }
    table_free(&t);
    return status;
}

// The cell of a coordinate, and the neighbour on its side.
typedef struct place {
    double cell[2];
    int count;
} place;

static place place_of(float x, double merge_m) {
    double q = (double)x / (2 * merge_m), cell = floor(q);
    double beside = cell + (q - cell < 0.5 ? -1 : 1);
    return (place){{cell, beside}, beside == cell ? 1 : 2};  // equal where cells are finer than doubles
}

typedef struct grid {
    const karst_model *model;
    table table;     // first of a chain a cell and skin
    uint32_t *next;  // index + 1 of the next in the chain
    double merge_m;
} grid;

static uint64_t hash_cell(double x, double y, double z, uint64_t skin) {
    double cell[3] = {x + 0.0, y + 0.0, z + 0.0};
    uint64_t word[3];
    memcpy(word, cell, sizeof word);
    return mix(mix(mix(skin, word[0]), word[1]), word[2]);
}

static bool in_cell(const grid *g, uint32_t u, double x, double y, double z) {
    karst_vec3 p = g->model->position[u];
    double width = 2 * g->merge_m;
    return floor((double)p.x / width) == x && floor((double)p.y / width) == y && floor((double)p.z / width) == z;
}

// The slot of a cell: its chain, or where one would begin.
static uint32_t *slot_of(const grid *g, uint32_t v, double x, double y, double z) {
    size_t at = hash_cell(x, y, z, hash_skin(g->model, v)) & g->table.mask;
    while (g->table.slot[at]) {
        uint32_t u = g->table.slot[at] - 1;
        if (in_cell(g, u, x, y, z) && same_skin(g->model, u, v)) break;
        at = (at + 1) & g->table.mask;
    }
    return &g->table.slot[at];
}

static double distance2(karst_vec3 a, karst_vec3 b) {
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return x * x + y * y + z * z;
}

// The nearest of those that stayed; v itself when none is within reach.
static uint32_t nearest(const grid *g, uint32_t v, double *best) {
    karst_vec3 p = g->model->position[v];
    place x = place_of(p.x, g->merge_m), y = place_of(p.y, g->merge_m), z = place_of(p.z, g->merge_m);
    uint32_t found = v;
    *best = g->merge_m * g->merge_m;
    for (int i = 0; i < x.count * y.count * z.count; ++i) {
        double cx = x.cell[i % x.count], cy = y.cell[i / x.count % y.count], cz = z.cell[i / x.count / y.count];
        for (uint32_t u = *slot_of(g, v, cx, cy, cz); u; u = g->next[u - 1]) {
            double d = distance2(p, g->model->position[u - 1]);
            if (d < *best || (d == *best && u - 1 < found)) {
                *best = d;
                found = u - 1;
            }
        }
    }
    return found;
}

static karst_status weld_near(grid *g, const karst_progress *progress, uint32_t *into, double *largest_m) {
    const karst_model *m = g->model;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        double best;
        into[v] = nearest(g, v, &best);
        if (into[v] == v) {
            karst_vec3 p = m->position[v];
            double width = 2 * g->merge_m;
            uint32_t *slot =
                slot_of(g, v, floor((double)p.x / width), floor((double)p.y / width), floor((double)p.z / width));
            g->next[v] = *slot;
            *slot = v + 1;
        } else {
            *largest_m = fmax(*largest_m, sqrt(best));
        }
        if (v % SOME) continue;
        karst_status status = kst_progress_step(progress, "weld", (double)v / m->vertex_count);
        if (status) return status;
    }
    return KARST_OK;
}

karst_status kst_weld_vertices(const karst_model *model, double merge_m, const karst_progress *progress, uint32_t *into,
                               double *largest_m) {
    *largest_m = 0;
    if (!(merge_m > 0)) return weld_equal(model, progress, into);
    grid g = {.model = model, .merge_m = merge_m};
    g.next = kst_alloc_array(NULL, (size_t)model->vertex_count + 1, sizeof *g.next);
    karst_status status = g.next && table_create(&g.table, model->vertex_count) ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        status = weld_near(&g, progress, into, largest_m);
        table_free(&g.table);
    }
    kst_free(NULL, g.next, ((size_t)model->vertex_count + 1) * sizeof *g.next);
    return status;
}

// ---- wedges ----------------------------------------------------------------------------------------------

static uint64_t hash_wedge(const karst_model *m, uint32_t vertex, uint32_t w) {
    uint64_t hash = kst_mix64(vertex);
    if (m->normal)
        hash = mix(mix(mix(hash, bits_of(m->normal[w].x)), bits_of(m->normal[w].y)), bits_of(m->normal[w].z));
    for (int k = 0; k < m->uv_sets; ++k) hash = mix(mix(hash, bits_of(m->uv[k][w][0])), bits_of(m->uv[k][w][1]));
    if (m->colour) {
        uint32_t colour;
        memcpy(&colour, m->colour[w], sizeof colour);
        hash = mix(hash, colour);
    }
    return hash;
}

static bool same_attributes(const karst_model *m, uint32_t a, uint32_t b) {
    if (m->normal) {
        karst_vec3 p = m->normal[a], q = m->normal[b];
        if (!(p.x == q.x && p.y == q.y && p.z == q.z)) return false;
    }
    for (int k = 0; k < m->uv_sets; ++k)
        if (m->uv[k][a][0] != m->uv[k][b][0] || m->uv[k][a][1] != m->uv[k][b][1]) return false;
    return !m->colour || !memcmp(m->colour[a], m->colour[b], 4);
}

karst_status kst_weld_wedges(const karst_model *model, const uint32_t *vertex_of, const karst_progress *progress,
                             uint32_t *into) {
    table t;
    if (!table_create(&t, model->wedge_count)) return KARST_ERROR_MEMORY;
    karst_status status = KARST_OK;
    for (uint32_t w = 0; w < model->wedge_count && !status; ++w) {
        uint32_t vertex = vertex_of ? vertex_of[model->vertex[w]] : model->vertex[w];
        size_t at = hash_wedge(model, vertex, w) & t.mask;
        for (; t.slot[at]; at = (at + 1) & t.mask) {
            uint32_t u = t.slot[at] - 1;
            uint32_t other = vertex_of ? vertex_of[model->vertex[u]] : model->vertex[u];
            if (vertex == other && same_attributes(model, u, w)) break;
        }
        if (!t.slot[at]) t.slot[at] = w + 1;
        into[w] = t.slot[at] - 1;
        if (w % SOME == 0) status = kst_progress_step(progress, "weld", (double)w / model->wedge_count);
    }
    table_free(&t);
    return status;
}

void kst_move_wedge(karst_model *model, uint32_t to, uint32_t from) {
    model->vertex[to] = model->vertex[from];
    if (model->normal) model->normal[to] = model->normal[from];
    for (int k = 0; k < model->uv_sets; ++k) memmove(model->uv[k][to], model->uv[k][from], sizeof *model->uv[k]);
    if (model->colour) memmove(model->colour[to], model->colour[from], sizeof *model->colour);
}

// ---- triangles -------------------------------------------------------------------------------------------

void kst_triangle_normal(const karst_vec3 *position, const uint32_t v[3], double out[3]) {
    karst_vec3 o = position[v[0]], p = position[v[1]], q = position[v[2]];
    double ax = (double)p.x - (double)o.x, ay = (double)p.y - (double)o.y, az = (double)p.z - (double)o.z;
    double bx = (double)q.x - (double)o.x, by = (double)q.y - (double)o.y, bz = (double)q.z - (double)o.z;
    out[0] = ay * bz - az * by;
    out[1] = az * bx - ax * bz;
    out[2] = ax * by - ay * bx;
}

// Its vertices turned until the least is first. Twins differ in the order of the other two.
static void turn(const uint32_t v[3], uint32_t out[3]) {
    int first = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
    for (int k = 0; k < 3; ++k) out[k] = v[(first + k) % 3];
}

static bool is_flat(const karst_vec3 *position, const uint32_t v[3]) {
    double n[3];
    kst_triangle_normal(position, v, n);
    return n[0] == 0 && n[1] == 0 && n[2] == 0;
}

karst_status kst_judge_triangles(const karst_model *model, const uint32_t (*corner)[3], uint8_t *fate) {
    table t;
    if (!table_create(&t, model->triangle_count)) return KARST_ERROR_MEMORY;
    for (uint32_t k = 0; k < model->triangle_count; ++k) {
        uint32_t v[3], low, high;
        turn(corner[k], v);
        fate[k] = v[0] == v[1] || v[0] == v[2] || v[1] == v[2] ? KST_COLLAPSED : KST_GOOD;
        if (fate[k]) continue;
        low = v[1] < v[2] ? v[1] : v[2];
        high = v[1] < v[2] ? v[2] : v[1];
        size_t at = mix(mix(kst_mix64(v[0]), low), high) & t.mask;
        for (; t.slot[at] && fate[k] != KST_DUPLICATE; at = (at + 1) & t.mask) {
            uint32_t u[3];
            turn(corner[t.slot[at] - 1], u);
            if (u[0] == v[0] && u[1] == v[1] && u[2] == v[2]) fate[k] = KST_DUPLICATE;
            if (u[0] == v[0] && u[1] == v[2] && u[2] == v[1]) fate[k] = KST_TWIN;
        }
        if (fate[k] == KST_DUPLICATE) continue;
        t.slot[at] = k + 1;
        if (!fate[k] && is_flat(model->position, v)) fate[k] = KST_FLAT;
    }
    table_free(&t);
    return KARST_OK;
}
