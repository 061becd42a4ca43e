// SPDX-License-Identifier: MIT
// Meshes to a proved error: triangles, error and time on a real mountain.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/core.h"
#include "karst/mesh.h"
#include "scenes/scenes.h"

enum { SIDE = 1025, QUICK_SIDE = 129 };

typedef struct mesh_bench {
    int side;
    bool real;
    float *height;
    karst_field *field;
    double error_m;
    bool refit;
    karst_mesh *mesh;  // the last one made
    karst_status status;
} mesh_bench;

// Metres as little-endian 16-bit samples; false when they are not there.
static bool read_heights(mesh_bench *m) {
    const char *path = bench_data("whitemtns_1025.r16");
    FILE *f = path && m->side == SIDE ? fopen(path, "rb") : NULL;
    if (!f) return false;
    size_t count = (size_t)m->side * (size_t)m->side, got = 0;
    uint8_t two[2];
    while (got < count && fread(two, 2, 1, f) == 1) m->height[got++] = (float)(two[0] | two[1] << 8);
    fclose(f);
    return got == count;
}

static karst_status make_ground(mesh_bench *m) {
    karst_rect all = {0, 0, m->side, m->side};
    m->height = malloc((size_t)m->side * (size_t)m->side * sizeof *m->height);
    if (!m->height) return KARST_ERROR_MEMORY;
    m->real = read_heights(m);
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){m->side, m->side, 78, {0, 0, 0}};
    karst_status status = KARST_OK;
    if (m->real)
        status = karst_field_create(&def, &m->field);
    else
        status = scene_rough_field(m->side, m->side, 78, 7, false, false, (karst_pos){0, 0, 0}, &m->field);
    if (status) return status;
    return m->real ? karst_field_write(m->field, all, m->height, NULL, NULL, m->side)
                   : karst_field_read(m->field, all, m->height, NULL, NULL, m->side);
}

static void make_mesh(void *context) {
    mesh_bench *m = context;
    karst_mesh_def def = karst_mesh_def_default();
    def.error_m = m->error_m;
    def.refit = m->refit;
    karst_mesh_destroy(m->mesh);
    m->mesh = NULL;
    m->status = karst_mesh_build(m->field, &def, &m->mesh);
}

static long long cross(karst_mesh_place a, karst_mesh_place b, int column, int row) {
    return (long long)(a.column - column) * (b.row - row) - (long long)(b.column - column) * (a.row - row);
}

// The largest distance of any sample from the triangles that hold it, found without anything that made them: every
// sample in the box of a triangle whose three areas are not negative. NAN when a sample is in none, or the triangles'
// areas are not that of the ground.
static double true_error(const mesh_bench *m) {
    uint8_t *held = calloc((size_t)m->side, (size_t)m->side);
    long long area = 0;
    double worst = 0;
    for (uint32_t t = 0; t < m->mesh->triangle_count && held; ++t) {
        const uint32_t *v = m->mesh->triangle[t];
        karst_mesh_place p[3] = {m->mesh->place[v[0]], m->mesh->place[v[1]], m->mesh->place[v[2]]};
        double y[3] = {m->mesh->position[v[0]].y, m->mesh->position[v[1]].y, m->mesh->position[v[2]].y};
        int low[2] = {m->side, m->side}, high[2] = {0, 0};
        for (int k = 0; k < 3; ++k) {
            low[0] = p[k].column < low[0] ? p[k].column : low[0],
            high[0] = p[k].column > high[0] ? p[k].column : high[0];
            low[1] = p[k].row < low[1] ? p[k].row : low[1], high[1] = p[k].row > high[1] ? p[k].row : high[1];
        }
        long long whole = -cross(p[1], p[2], p[0].column, p[0].row);  // counter-clockwise from above: rows come nearer
        area += whole;
        for (int row = low[1]; row <= high[1]; ++row)
            for (int column = low[0]; column <= high[0]; ++column) {
                long long a = -cross(p[1], p[2], column, row), b = -cross(p[2], p[0], column, row);
                long long c = whole - a - b;
                if (a < 0 || b < 0 || c < 0) continue;
                size_t at = (size_t)row * (size_t)m->side + (size_t)column;
                double off = ((double)a * y[0] + (double)b * y[1] + (double)c * y[2]) / (double)whole;
                worst = fmax(worst, fabs(off - (double)m->height[at]));
                held[at] = 1;
            }
    }
    bool whole =
        held && area == 2LL * (m->side - 1) * (m->side - 1) && !memchr(held, 0, (size_t)m->side * (size_t)m->side);
    free(held);
    return whole ? worst : NAN;
}

static uint64_t hash_of(const karst_mesh *mesh) {
    uint64_t positions = kst_hash(mesh->position, mesh->vertex_count * sizeof *mesh->position, 0);
    return kst_hash_u64(positions, kst_hash(mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle, 0));
}

static karst_status measure(bench *b, mesh_bench *m, const char *tail, double error_m, bool refit, const char *known) {
    char what[64];
    double seconds, none;
    m->error_m = error_m;
    m->refit = refit;
    bench_compare(b, make_mesh, NULL, m, &seconds, &none);
    if (m->status) return m->status;
    const char *kind = refit ? "rqt" : "rqt_fast",
               *from = m->real ? "" : "ground made by code, KARST_TEST_DATA not set";
    bench_row row = {.what = what, .runs = bench_runs(b), .hash = hash_of(m->mesh)};
    snprintf(what, sizeof what, "%s_triangles_%s", kind, tail);
    row.unit = "", row.value = m->mesh->triangle_count;
    bench_add_note(b, &row, "%s%s", from, m->real ? known : "");
    snprintf(what, sizeof what, "%s_true_error_%s", kind, tail);
    row.unit = "m", row.value = true_error(m);
    bench_add_note(b, &row, "asked %g; told %.9g; every sample, found apart", error_m, m->mesh->error_m);
    snprintf(what, sizeof what, "%s_seconds_%s", kind, tail);
    row.unit = "s", row.value = seconds;
    bench_add_note(b, &row, "CPU, proof included");
    return KARST_OK;
}

// ---- borders -------------------------------------------------------------------------------------------

typedef struct edge {
    float y[2];
    int from, to;  // rows
} edge;

// Edges of a mesh on a column, from the lower row to the higher.
static size_t edges_on(const karst_mesh *mesh, int column, edge *out) {
    size_t count = 0;
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; ++k) {
        uint32_t a = mesh->triangle[k / 3][k % 3], b = mesh->triangle[k / 3][(k + 1) % 3];
        if (mesh->place[a].column != column || mesh->place[b].column != column) continue;
        if (mesh->place[a].row > mesh->place[b].row) {
            uint32_t t = a;
            a = b, b = t;
        }
        if (out)
            out[count] = (edge){
                {(float)mesh->position[a].y, (float)mesh->position[b].y}, mesh->place[a].row, mesh->place[b].row};
        ++count;
    }
    return count;
}

// Edges on the shared column of two halves made apart that the other half does not have.
static karst_status measure_borders(bench *b, mesh_bench *m) {
    int cut = m->side * 3 / 7, open = 0;
    karst_mesh *half[2] = {NULL, NULL};
    karst_status status = KARST_OK;
    for (int k = 0; k < 2 && !status; ++k) {
        karst_mesh_def def = karst_mesh_def_default();
        def.error_m = 36.5;
        def.border = KARST_MESH_BORDER_SHARED;
        def.part = (karst_rect){k ? cut : 0, 0, k ? m->side : cut + 1, m->side};
        status = karst_mesh_build(m->field, &def, &half[k]);
    }
    if (!status) {
        edge *edges[2];
        size_t count[2];
        for (int k = 0; k < 2; ++k) {
            edges[k] = malloc((edges_on(half[k], cut, NULL) + 1) * sizeof(edge));
            count[k] = edges[k] ? edges_on(half[k], cut, edges[k]) : 0;
        }
        for (int k = 0; k < 2; ++k)
            for (size_t i = 0; i < count[k]; ++i) {
                bool met = false;
                for (size_t j = 0; j < count[!k] && !met; ++j) met = !memcmp(&edges[k][i], &edges[!k][j], sizeof(edge));
                open += !met;
            }
        bench_row row = {.what = "rqt_shared_triangles_W_36m", .unit = "", .runs = 1};
        row.value = (double)half[0]->triangle_count + half[1]->triangle_count;
        bench_add_note(b, &row, "two halves made apart, cut at column %d", cut);
        row.what = "rqt_shared_open_edges_W_36m", row.value = open;
        bench_add_note(b, &row, "of %zu on the cut", count[0] + count[1]);
        free(edges[0]);
        free(edges[1]);
    }
    karst_mesh_destroy(half[0]);
    karst_mesh_destroy(half[1]);
    return status;
}

karst_status bench_mesh(bench *b) {
    mesh_bench m = {.side = b->quick ? QUICK_SIDE : SIDE};
    karst_status status = make_ground(&m);
    if (!status)
        status = measure(b, &m, "W_36m", 36.5, true,
                         "published at this error, not run here: restricted (martini) 120804, free (hmm) 32474");
    if (!status)
        status = measure(b, &m, "W_9m", 9.25, true,
                         "published at this error, not run here: restricted (martini) 641504, free (hmm) 192808");
    if (!status) status = measure(b, &m, "W_36m", 36.5, false, "every vertex on the ground");
    if (!status) status = measure_borders(b, &m);
    karst_mesh_destroy(m.mesh);
    karst_field_destroy(m.field);
    free(m.height);
    return status;
}
