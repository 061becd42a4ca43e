// SPDX-License-Identifier: MIT
// Geomorphs: ways of vertices between levels, and what goes along them.
//
// After: H. Hoppe, "Progressive Meshes", 1996, section 3.1: a geomorph between any two meshes of the sequence. We
// differ: its speed is bounded by the farthest way of a vertex, so that no frame shows a jump.
#include "karst/geomorph.h"

#include <math.h>

#include "mesh/mrm.h"

struct karst_geomorph {
    const karst_allocator *allocator;
    const karst_mrm *mrm;
    const karst_mrm_level *level;
    int level_count;
    uint32_t vertices;
    uint32_t *parent;    // of a vertex; itself: none
    uint32_t *ancestor;  // of a vertex from the coarse level on: the vertex that it is there
    float *travel;       // of (coarse, fine) at fine (fine - 1) / 2 + coarse [m]; < 0: not known yet
    // Of meshes that move vertices: both levels, and the first wedge of each vertex.
    karst_mrm_instance coarse, fine;
    void *memory;
    uint32_t *first;
};

static size_t pairs_of(const karst_geomorph *g) {
    return (size_t)g->level_count * (size_t)(g->level_count - 1) / 2;
}

void karst_geomorph_destroy(karst_geomorph *g) {
    if (!g) return;
    const karst_allocator *a = g->allocator;
    kst_free(a, g->parent, (size_t)g->vertices * sizeof *g->parent);
    kst_free(a, g->ancestor, (size_t)g->vertices * sizeof *g->ancestor);
    kst_free(a, g->travel, pairs_of(g) * sizeof *g->travel);
    kst_free(a, g->first, (size_t)g->vertices * sizeof *g->first);
    kst_free(a, g->memory, 2 * karst_mrm_instance_bytes(g->mrm));
    kst_free(a, g, sizeof *g);
}

static karst_status fill_parents(karst_geomorph *g) {
    const karst_model *model = karst_mrm_model(g->mrm);
    uint32_t *of_wedge = kst_alloc_array(g->allocator, model->wedge_count, sizeof *of_wedge);
    if (!of_wedge) return KARST_ERROR_MEMORY;
    karst_mrm_parents(g->mrm, of_wedge);
    for (uint32_t w = model->wedge_count; w-- > 0;) {
        g->parent[model->vertex[w]] = model->vertex[of_wedge[w]];
        if (g->first) g->first[model->vertex[w]] = w;
    }
    kst_free(g->allocator, of_wedge, model->wedge_count * sizeof *of_wedge);
    return KARST_OK;
}

karst_status karst_geomorph_create(const karst_mrm *mrm, const karst_allocator *allocator, karst_geomorph **out) {
    karst_mrm_info info = karst_mrm_describe(mrm);
    karst_geomorph *g = kst_alloc_zero(allocator, sizeof *g);
    if (!g) return KARST_ERROR_MEMORY;
    *g = (karst_geomorph){.allocator = allocator, .mrm = mrm, .vertices = info.vertices};
    g->level = karst_mrm_curve(mrm, &g->level_count);
    g->parent = kst_alloc_array(allocator, info.vertices, sizeof *g->parent);
    g->ancestor = kst_alloc_array(allocator, info.vertices, sizeof *g->ancestor);
    bool room = g->parent && g->ancestor;
    if (pairs_of(g)) room &= (g->travel = kst_alloc_array(allocator, pairs_of(g), sizeof *g->travel)) != NULL;
    if (info.moves) {
        size_t bytes = karst_mrm_instance_bytes(mrm);
        g->first = kst_alloc_array(allocator, info.vertices, sizeof *g->first);
        g->memory = kst_alloc(allocator, 2 * bytes);
        room &= g->first && g->memory;
        if (g->memory) {
            karst_mrm_instance_init(&g->coarse, mrm, g->memory);
            karst_mrm_instance_init(&g->fine, mrm, (char *)g->memory + bytes);
        }
    }
    karst_status status = room ? fill_parents(g) : KARST_ERROR_MEMORY;
    if (status) {
        karst_geomorph_destroy(g);
        return status;
    }
    for (size_t k = 0; k < pairs_of(g); ++k) g->travel[k] = -1;
    *out = g;
    return KARST_OK;
}

static float apart2(karst_vec3 a, karst_vec3 b) {
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

// Parents come before their children.
static float find_travel(karst_geomorph *g, uint32_t coarse, uint32_t fine) {
    const karst_vec3 *position = karst_mrm_model(g->mrm)->position;
    float far2 = 0;
    for (uint32_t v = coarse; v < fine; ++v) {
        uint32_t to = g->parent[v];
        g->ancestor[v] = to >= coarse && to != v ? g->ancestor[to] : to;
        if (!g->first) far2 = fmaxf(far2, apart2(position[v], position[g->ancestor[v]]));
    }
    if (!g->first) return sqrtf(far2);
    karst_mrm_set_level(&g->coarse, coarse);
    karst_mrm_set_level(&g->fine, fine);
    for (uint32_t v = 0; v < fine; ++v) {
        uint32_t to = v < coarse ? v : g->ancestor[v];
        far2 = fmaxf(far2, apart2(g->fine.place[g->first[v]], g->coarse.place[g->first[to]]));
    }
    return sqrtf(far2);
}

float karst_geomorph_travel(karst_geomorph *g, int32_t coarse, int32_t fine) {
    int32_t low = coarse < fine ? coarse : fine, high = coarse < fine ? fine : coarse;
    KARST_ASSERT(low >= 0 && high < g->level_count);
    if (low == high) return 0;
    float *known = &g->travel[(size_t)high * (size_t)(high - 1) / 2 + (size_t)low];
    if (*known < 0) *known = find_travel(g, g->level[low].vertices, g->level[high].vertices);
    return *known;
}

// Where it goes on its way: to the end that the wanted level is beyond, or the one that it reaches sooner.
static bool goes_up(const karst_morph *m, int32_t level) {
    if (level >= m->fine) return true;
    return level > m->coarse && m->share >= 0.5f;
}

bool karst_geomorph_follow(karst_geomorph *g, karst_morph *m, int32_t level, float most_m, float most_share) {
    if (m->coarse == m->fine) {
        if (level == m->fine) return false;
        *m = level > m->fine ? (karst_morph){m->fine, level, 0} : (karst_morph){level, m->fine, 1};
    }
    float travel = karst_geomorph_travel(g, m->coarse, m->fine);
    float step = most_share * travel > most_m ? most_m / travel : most_share;
    if (goes_up(m, level)) {
        m->share += step;
        if (m->share >= 1) *m = (karst_morph){m->fine, m->fine, 1};
    } else {
        m->share -= step;
        if (m->share <= 0) *m = (karst_morph){m->coarse, m->coarse, 1};
    }
    return m->fine != level || m->coarse != level;
}
