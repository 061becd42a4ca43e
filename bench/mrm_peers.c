// SPDX-License-Identifier: MIT
// Peers of bench mrm: tables of what was measured once, and meshoptimizer where it is installed.
#include "mrm_peers.h"

#include <stdlib.h>
#include <string.h>
#ifdef KARST_WITH_MESHOPT
#include <meshoptimizer.h>
#endif

const double mrm_share[MRM_SHARES] = {0.5, 0.25, 0.1, 0.02, 0.005};

const double mrm_vtk[MRM_SCANS][MRM_SHARES] = {
    {0.0112, 0.0249, 0.0588, 0.213, 0.639},
    {0.0001, 0.00167, 0.0117, 0.0416, 0.154},
    {0.00568, 0.0157, 0.0437, 0.217, 0.91},
};
const double mrm_openmesh[MRM_SCANS][MRM_SHARES] = {
    {0.0176, 0.0393, 0.0872, 0.301, 0.994},
    {0.0001, 0.00212, 0.0147, 0.0673, 0.393},
    {0.00885, 0.0261, 0.0735, 0.357, 1.22},
};
const double mrm_vtk_props[MRM_PROPS][2] = {{0.0758, 0.215}, {0.0493, 0.182}};
const double mrm_uv_bad_props[MRM_PROPS][2] = {{0.55, 1.6}, {2.7, 9.5}};
const double mrm_shade_hand = 6.7, mrm_shade_hand_rms = 0.473;
const double mrm_openmesh_slide = 1.49e6;

#ifdef KARST_WITH_MESHOPT
bool mrm_meshopt_is_here(void) {
    return true;
}

void mrm_meshopt_indices(const karst_model *m, uint32_t triangles, uint32_t *index) {
    meshopt_simplify(index, m->triangle[0], 3 * (size_t)m->triangle_count, (const float *)m->position, m->vertex_count,
                     sizeof *m->position, 3 * (size_t)triangles, 1e9f, 0, NULL);
}

bool mrm_meshopt_simplify(const karst_model *m, uint32_t triangles, karst_model **out) {
    uint32_t *index = malloc(12 * (size_t)m->triangle_count);
    karst_model_size size = {.vertices = m->vertex_count, .wedges = m->vertex_count, .triangles = m->triangle_count};
    karst_model *made;
    if (!index || karst_model_create(&size, NULL, NULL, &made)) {
        free(index);
        return false;
    }
    size_t count = meshopt_simplify(index, m->triangle[0], 3 * (size_t)m->triangle_count, (const float *)m->position,
                                    m->vertex_count, sizeof *m->position, 3 * (size_t)triangles, 1e9f, 0, NULL);
    memcpy(made->position, m->position, m->vertex_count * sizeof *m->position);
    for (uint32_t v = 0; v < m->vertex_count; ++v) made->vertex[v] = v;
    memcpy(made->triangle, index, 4 * count);
    made->triangle_count = (uint32_t)(count / 3);
    free(index);
    *out = made;
    return true;
}

void mrm_meshopt_cache(uint32_t *index, size_t count, uint32_t vertices) {
    meshopt_optimizeVertexCache(index, index, count, vertices);
}
#else
bool mrm_meshopt_is_here(void) {
    return false;
}
void mrm_meshopt_indices(const karst_model *m, uint32_t triangles, uint32_t *index) {
    (void)m, (void)triangles, (void)index;
}
bool mrm_meshopt_simplify(const karst_model *m, uint32_t triangles, karst_model **out) {
    (void)m, (void)triangles, (void)out;
    return false;
}
void mrm_meshopt_cache(uint32_t *index, size_t count, uint32_t vertices) {
    (void)index, (void)count, (void)vertices;
}
#endif
