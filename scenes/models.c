// SPDX-License-Identifier: MIT
// Models of plain shape, whose right answer is known.
#include "models.h"

#include <math.h>

#include "core/core.h"
#include "mold.h"
#include "scenes.h"

// ---- grids: one vertex and one wedge a grid point ----------------------------------------------------

static karst_status grid_create(int cells, uint32_t triangles, karst_model **out) {
    uint32_t points = (uint32_t)(cells + 1) * (uint32_t)(cells + 1);
    karst_model_size size = {
        .vertices = points, .wedges = points, .triangles = triangles, .uv_sets = 1, .normals = true};
    karst_status status = karst_model_create(&size, NULL, NULL, out);
    if (status) return status;
    karst_model *m = *out;
    for (uint32_t v = 0; v < points; ++v) {
        uint32_t column = v % (uint32_t)(cells + 1), row = v / (uint32_t)(cells + 1);
        m->position[v] = (karst_vec3){(float)column, 0, (float)row};
        m->vertex[v] = v;
        m->normal[v] = (karst_vec3){0, 1, 0};
        m->uv[0][v][0] = (float)column / (float)cells;
        m->uv[0][v][1] = (float)row / (float)cells;
    }
    return KARST_OK;
}

// Two triangles of a cell, by the diagonal rule.
static void put_cell(karst_model *m, uint32_t *t, int cells, int column, int row) {
    uint32_t a = (uint32_t)(row * (cells + 1) + column), b = a + 1, c = a + (uint32_t)cells + 1, d = c + 1;
    const uint32_t even[2][3] = {{a, c, d}, {a, d, b}}, odd[2][3] = {{a, c, b}, {b, c, d}};
    memcpy(m->triangle[*t], (column + row) % 2 ? odd : even, sizeof even);
    *t += 2;
}

karst_status scene_model_holed_grid(int cells, int from, int to, float spacing_m, karst_model **out) {
    uint32_t t = 0, hole = (uint32_t)(to - from) * (uint32_t)(to - from);
    karst_status status = grid_create(cells, 2 * ((uint32_t)cells * (uint32_t)cells - hole), out);
    if (status) return status;
    karst_model *m = *out;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->position[v].x *= spacing_m;
        m->position[v].z *= spacing_m;
    }
    for (int row = 0; row < cells; ++row)
        for (int column = 0; column < cells; ++column)
            if (!(row >= from && row < to && column >= from && column < to)) put_cell(m, &t, cells, column, row);
    return karst_model_clean(m, NULL, NULL);  // points inside the hole go
}

karst_status scene_model_grid(int cells, float spacing_m, karst_model **out) {
    return scene_model_holed_grid(cells, 0, 0, spacing_m, out);
}

karst_status scene_model_tile(int cells, int column, int row, uint64_t seed, karst_model **out) {
    karst_status status = scene_model_grid(cells, 1, out);
    if (status) return status;
    karst_model *m = *out, *smooth;
    m->origin = (karst_pos){(double)column * cells, 0, (double)row * cells};
    for (uint32_t v = 0; v < m->vertex_count; ++v)
        m->position[v].y =
            scene_height(m->origin.x + (double)m->position[v].x, m->origin.z + (double)m->position[v].z, seed);
    status = karst_model_crease(m, 3, NULL, &smooth);
    karst_model_destroy(m);
    if (!status) *out = smooth;
    return status;
}

// ---- solids ------------------------------------------------------------------------------------------

static karst_vec3 middle(karst_vec3 a, karst_vec3 b) {  // of the arc
    double x = (double)a.x + (double)b.x, y = (double)a.y + (double)b.y, z = (double)a.z + (double)b.z;
    double length = sqrt(x * x + y * y + z * z);
    return (karst_vec3){(float)(x / length), (float)(y / length), (float)(z / length)};
}

static void facet(mold *m, karst_vec3 a, karst_vec3 b, karst_vec3 c, int depth) {
    if (!depth) {
        mold_triangle(m, (const karst_vec3[3]){a, b, c}, (const float[3][2]){{0, 0}, {1, 0}, {0, 1}});
        return;
    }
    karst_vec3 ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    facet(m, a, ab, ca, depth - 1);
    facet(m, b, bc, ab, depth - 1);
    facet(m, c, ca, bc, depth - 1);
    facet(m, ab, bc, ca, depth - 1);
}

karst_status scene_model_facets(int depth, karst_model **out) {
    mold m;
    karst_status status = mold_begin(&m, 20u << (2 * depth), 0, 0);
    if (status) return status;
    for (int k = 0; k < 20; ++k) {
        karst_vec3 p[3];
        mold_icosahedron(k, p);
        facet(&m, p[0], p[1], p[2], depth);
    }
    return mold_end(&m, 0, out);
}

karst_status scene_model_cube(int cells, karst_model **out) {
    mold m;
    karst_status status = mold_begin(&m, 12u * (uint32_t)cells * (uint32_t)cells, 0, 0);
    if (status) return status;
    for (int side = 0; side < 6; ++side) {
        int axis = side / 2, sign = side % 2 ? 1 : -1;
        m.chart[0] = (float)(side % 3) / 3;
        m.chart[1] = (float)(side / 3) / 2;
        m.chart[2] = 1.0f / 3;
        m.chart[3] = 1.0f / 2;
        for (int i = 0; i < cells * cells; ++i) {
            karst_vec3 p[4];
            float uv[4][2];
            for (int k = 0; k < 4; ++k) {
                int a = i % cells + (k == 1 || k == 2), b = i / cells + k / 2;
                float at[3];
                at[axis] = (float)sign;
                at[(axis + 1) % 3] = -1 + 2 * (float)a / (float)cells;
                at[(axis + 2) % 3] = -1 + 2 * (float)b / (float)cells;
                int turned = sign > 0 ? k : 3 - k;
                p[turned] = (karst_vec3){at[0], at[1], at[2]};
                uv[turned][0] = (float)a / (float)cells;
                uv[turned][1] = (float)b / (float)cells;
            }
            mold_quad(&m, p, (const float(*)[2])uv);
        }
    }
    return mold_end(&m, 0.5, out);
}

karst_status scene_model_loose_quads(int count, karst_model **out) {
    karst_model_size size = {
        .vertices = 4 * (uint32_t)count, .wedges = 4 * (uint32_t)count, .triangles = 2 * (uint32_t)count};
    karst_status status = karst_model_create(&size, NULL, NULL, out);
    if (status) return status;
    karst_model *m = *out;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->position[v] = (karst_vec3){(float)(v & 1), (float)(v / 4), (float)(v / 2 & 1)};
        m->vertex[v] = v;
    }
    for (uint32_t q = 0; q < (uint32_t)count; ++q) {
        const uint32_t two[2][3] = {{4 * q, 4 * q + 2, 4 * q + 1}, {4 * q + 1, 4 * q + 2, 4 * q + 3}};
        memcpy(m->triangle[2 * q], two, sizeof two);
    }
    return KARST_OK;
}
