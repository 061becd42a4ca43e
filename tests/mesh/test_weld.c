// SPDX-License-Identifier: MIT
// Cleaning, creases and facts of models, against slow answers and shapes whose right answer is known.
#include <math.h>

#include "karst/model.h"
#include "mesh/adjacency.h"
#include "scenes/models.h"
#include "support/prop.h"

#define MADE(call) assert_int_equal((call), KARST_OK)

static karst_model_facts facts_of(const karst_model *m) {
    karst_model_facts f;
    assert_int_equal(karst_model_look(m, NULL, &f), KARST_OK);
    return f;
}

// Triangles over few places, so that every kind of fault is there: equal and near vertices, duplicates, twins, flat and
// collapsed ones, fans.
static karst_model *random_soup(prop *p, float jitter) {
    int vertices = prop_int(p, 1, 60), triangles = prop_int(p, 0, 80);
    bool normals = prop_chance(p, 0.5), skin = prop_chance(p, 0.3);
    karst_model_size size = {
        .vertices = (uint32_t)vertices,
        .wedges = (uint32_t)(vertices + prop_int(p, 0, 60)),
        .triangles = (uint32_t)triangles,
        .joints = skin ? 2 : 0,
        .uv_sets = prop_int(p, 0, 2),
        .materials = 1,
        .normals = normals,
        .colours = prop_chance(p, 0.3),
    };
    karst_model *m;
    MADE(karst_model_create(&size, NULL, NULL, &m));
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        float *at = &m->position[v].x;
        for (int k = 0; k < 3; ++k) at[k] = (float)prop_int(p, -1, 1) + jitter * (float)prop_int(p, -3, 3);
        if (skin) m->skin[v] = (karst_model_skin){{(uint16_t)prop_int(p, 0, 1)}, {UINT16_MAX}};
    }
    for (uint32_t w = 0; w < m->wedge_count; ++w) {
        m->vertex[w] = (uint32_t)prop_int(p, 0, vertices - 1);
        if (normals) m->normal[w] = prop_chance(p, 0.5) ? (karst_vec3){0, 1, 0} : (karst_vec3){-0.0f, 1, 0};
        for (int k = 0; k < size.uv_sets; ++k) m->uv[k][w][1] = (float)prop_int(p, 0, 1);
        if (m->colour) m->colour[w][2] = (uint8_t)prop_int(p, 0, 1);
    }
    for (uint32_t t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) m->triangle[t][k] = (uint32_t)prop_int(p, 0, (int)m->wedge_count - 1);
    for (uint32_t k = 0; k < size.joints; ++k) m->joint[k].parent = -1;
    return m;
}

static double apart(const karst_model *m, uint32_t a, uint32_t b) {
    karst_vec3 p = m->position[a], q = m->position[b];
    double x = (double)p.x - (double)q.x, y = (double)p.y - (double)q.y, z = (double)p.z - (double)q.z;
    return sqrt(x * x + y * y + z * z);
}

static bool may_join(const karst_model *m, uint32_t a, uint32_t b, double merge_m) {
    return apart(m, a, b) <= merge_m && (!m->skin || m->skin[a].joint[0] == m->skin[b].joint[0]);
}

// The slow answer: every vertex asks all that stayed before it.
static void slow_weld(const karst_model *m, double merge_m, uint32_t *into) {
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        into[v] = v;
        for (uint32_t u = 0; u < v; ++u)
            if (into[u] == u && may_join(m, u, v, merge_m) && (into[v] == v || apart(m, u, v) < apart(m, into[v], v)))
                into[v] = u;
    }
}

static bool same_corner(const karst_model *a, uint32_t w, const karst_model *b, uint32_t x) {
    bool same = !a->normal || (a->normal[w].x == b->normal[x].x && a->normal[w].y == b->normal[x].y);
    for (int k = 0; k < a->uv_sets; ++k) same = same && a->uv[k][w][1] == b->uv[k][x][1];
    return same && (!a->colour || a->colour[w][2] == b->colour[x][2]);
}

static bool is_collapsed(const uint32_t v[3]) {
    return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
}

static bool same_turned(const uint32_t a[3], const uint32_t b[3]) {
    for (int k = 0; k < 3; ++k)
        if (a[0] == b[k] && a[1] == b[(k + 1) % 3] && a[2] == b[(k + 2) % 3]) return true;
    return false;
}

static void cleaning_does_what_a_slow_one_does(void **state) {
    (void)state;
    for (prop p = prop_begin("clean", 3000); prop_next(&p);) {
        double merge_m = prop_chance(&p, 0.3) ? 0 : prop_real(&p, 0.01, 1.2);
        karst_model *m = random_soup(&p, prop_chance(&p, 0.5) ? 0.01f : 0.15f), *before;
        MADE(karst_model_copy(m, NULL, &before));
        karst_model_clean_def def = karst_model_clean_def_default();
        karst_model_cleaned info;
        def.merge_m = merge_m;
        MADE(karst_model_clean(m, &def, &info));
        MADE(karst_model_check(m, NULL));
        uint32_t into[64], (*want)[3] = malloc(81 * sizeof *want), kept = 0, merged = 0;
        slow_weld(before, merge_m, into);
        for (uint32_t v = 0; v < before->vertex_count; ++v) merged += into[v] != v;
        prop_check(&p, info.merged_vertices == merged && info.largest_move_m <= merge_m);
        for (uint32_t t = 0; t < before->triangle_count; ++t) {
            uint32_t v[3];
            for (int k = 0; k < 3; ++k) v[k] = into[before->vertex[before->triangle[t][k]]];
            bool dropped = is_collapsed(v);
            for (uint32_t u = 0; u < kept; ++u) dropped = dropped || same_turned(v, want[u]);
            if (dropped) continue;
            prop_check(&p, kept < m->triangle_count);
            memcpy(want[kept], v, sizeof v);
            for (int k = 0; k < 3; ++k) {
                uint32_t w = m->triangle[kept][k];
                karst_vec3 a = m->position[m->vertex[w]], b = before->position[v[k]];
                prop_check(&p, a.x == b.x && a.y == b.y && a.z == b.z);
                prop_check(&p, same_corner(m, w, before, before->triangle[t][k]));
            }
            ++kept;
        }
        prop_check(&p, kept == m->triangle_count);
        prop_check(&p, kept + info.collapsed + info.duplicates == before->triangle_count);
        prop_check(&p, info.merged_vertices + info.unused_vertices + m->vertex_count == before->vertex_count);
        prop_check(&p, info.merged_wedges + info.unused_wedges + m->wedge_count == before->wedge_count);
        for (uint32_t a = 0; a < m->wedge_count; ++a)  // none is there twice
            for (uint32_t b = 0; b < a; ++b) prop_check(&p, m->vertex[a] != m->vertex[b] || !same_corner(m, a, m, b));
        free(want);
        karst_model_destroy(before);
        karst_model_destroy(m);
    }
}

static void cleaning_twice_changes_nothing(void **state) {
    (void)state;
    for (prop p = prop_begin("clean_twice", 1000); prop_next(&p);) {
        karst_model *m = random_soup(&p, 0.15f), *before;
        karst_model_clean_def def = karst_model_clean_def_default();
        def.merge_m = prop_chance(&p, 0.3) ? 0 : prop_real(&p, 0.01, 1.2);
        def.drop_flat = prop_chance(&p, 0.5);
        def.drop_twins = prop_chance(&p, 0.5);
        MADE(karst_model_clean(m, &def, NULL));
        MADE(karst_model_copy(m, NULL, &before));
        karst_model_cleaned info;
        MADE(karst_model_clean(m, &def, &info));
        prop_check(&p, m->vertex_count == before->vertex_count && m->wedge_count == before->wedge_count);
        prop_check(&p, m->triangle_count == before->triangle_count);
        prop_check(&p, !m->triangle_count || !memcmp(m->triangle, before->triangle, m->triangle_count * 12));
        prop_check(&p, !(def.drop_flat && info.flat) && !(def.drop_twins && info.twins) && !info.merged_vertices);
        karst_model_facts f = facts_of(m);
        prop_check(&p, f.twins == info.twins && f.flat == info.flat && !f.collapsed && !f.duplicates);
        karst_model_destroy(before);
        karst_model_destroy(m);
    }
}

static void vertices_far_from_the_middle_join_too(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        static const float far[4] = {1e6f, 1e12f, 1e17f, 0};
        static const double merge[4] = {1, 1e-9, 1e-30, 1e9};
        karst_model *m;
        MADE(scene_model_loose_quads(2, &m));
        for (uint32_t v = 0; v < 8; ++v) m->position[v].x += far[k];
        for (uint32_t v = 4; v < 8; ++v) m->position[v].y -= 1;  // onto the first
        karst_model_clean_def def = karst_model_clean_def_default();
        def.merge_m = merge[k];
        karst_model_cleaned info;
        MADE(karst_model_clean(m, &def, &info));
        if (k == 0) assert_int_equal(info.merged_vertices, 6);  // the far corner of both is over a metre off
        if (k == 1 || k == 2) assert_true(info.merged_vertices >= 4 && info.largest_move_m == 0);
        if (k == 3) assert_true(info.merged_vertices == 7 && m->triangle_count == 0);
        karst_model_destroy(m);
    }
}

static void scenes_are_what_they_say(void **state) {
    (void)state;
    karst_model *m;
    MADE(scene_model_grid(16, 0.5f, &m));
    karst_model_facts f = facts_of(m);
    assert_true(m->triangle_count == 512 && f.border_edges == 64 && f.parts == 1 && !f.closed && f.area_m2 == 64);
    karst_model_destroy(m);
    MADE(scene_model_holed_grid(16, 6, 10, 1, &m));
    f = facts_of(m);
    assert_true(m->triangle_count == 480 && f.border_edges == 80 && f.area_m2 == 240 && f.used_vertices == 280);
    karst_model_destroy(m);
    MADE(scene_model_facets(3, &m));
    f = facts_of(m);
    assert_true(m->triangle_count == 1280 && f.closed && f.parts == 1 && m->wedge_count == 3840);
    assert_true(f.seam_edges == f.edges && f.used_vertices - f.edges + m->triangle_count == 2);
    karst_model_destroy(m);
    MADE(scene_model_cube(6, &m));
    f = facts_of(m);
    assert_true(m->triangle_count == 432 && f.closed && m->wedge_count == 6 * 49 && f.seam_edges == 72);
    assert_true(fabs(f.area_m2 - 24) < 1e-5);
    karst_model_destroy(m);
}

static void the_tank_has_1200_triangles_in_five_materials(void **state) {
    (void)state;
    karst_model *m, *again;
    MADE(scene_model_tank(&m));
    MADE(karst_model_check(m, NULL));
    karst_model_facts f = facts_of(m);
    assert_true(m->triangle_count == 1200 && m->material_count == 5 && m->joint_count == 3 && f.parts == 23);
    assert_true(!f.fan_edges && !f.opposed_edges && !f.flat && !f.twins && f.seam_edges > 300);
    karst_box b = karst_model_bounds(m);
    assert_true(fabs(b.min.x + b.max.x) < 1e-6 && b.max.z - b.min.z > 7.9 && b.max.z - b.min.z < 8.2);
    uint32_t painted[5] = {0}, moved[3] = {0};
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        ++painted[m->paint[t]];
        for (int k = 0; k < 3; ++k) ++moved[m->skin[m->vertex[m->triangle[t][k]]].joint[0]];
    }
    for (int k = 0; k < 5; ++k) assert_true(painted[k] > 0);
    for (int k = 0; k < 3; ++k) assert_true(moved[k] > 0);
    MADE(scene_model_tank(&again));
    assert_memory_equal(m->position, again->position, m->vertex_count * sizeof *m->position);
    karst_model_destroy(again);
    karst_model_destroy(m);
}

static void tiles_share_the_vertices_of_their_side(void **state) {
    (void)state;
    karst_model *a, *b;
    MADE(scene_model_tile(8, 0, 2, 7, &a));
    MADE(scene_model_tile(8, 1, 2, 7, &b));
    int shared = 0;
    for (uint32_t v = 0; v < a->vertex_count; ++v)
        for (uint32_t u = 0; u < b->vertex_count; ++u)
            shared += a->origin.x + (double)a->position[v].x == b->origin.x + (double)b->position[u].x &&
                      a->position[v].y == b->position[u].y &&
                      a->origin.z + (double)a->position[v].z == b->origin.z + (double)b->position[u].z;
    assert_int_equal(shared, 9);
    karst_model_destroy(a);
    karst_model_destroy(b);
}

// ---- creases ---------------------------------------------------------------------------------------------

static void a_crease_angle_decides_which_edges_are_hard(void **state) {
    (void)state;
    karst_model *cube, *m;
    MADE(scene_model_cube(3, &cube));
    MADE(karst_model_crease(cube, 1.6, NULL, &m));  // over a right angle: round
    for (uint32_t w = 0; w < m->wedge_count; ++w)   // the seams of the texture stay, and shade smooth
        for (uint32_t x = 0; x < w; ++x)
            if (m->vertex[w] == m->vertex[x]) assert_memory_equal(&m->normal[w], &m->normal[x], sizeof *m->normal);
    for (uint32_t w = 0; w < m->wedge_count; ++w) {
        karst_vec3 p = m->position[m->vertex[w]];
        bool corner = fabsf(p.x) == 1 && fabsf(p.y) == 1 && fabsf(p.z) == 1;
        if (corner)
            for (int k = 0; k < 3; ++k) assert_true(fabsf((&m->normal[w].x)[k] - (&p.x)[k] * 0.57735027f) < 1e-6f);
    }
    karst_model_destroy(m);
    MADE(karst_model_crease(cube, 1.5, NULL, &m));  // under it: hard
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        karst_vec3 n = m->normal[m->triangle[t][0]];
        assert_true(fabsf(n.x) + fabsf(n.y) + fabsf(n.z) == 1);
        for (int k = 1; k < 3; ++k) assert_memory_equal(&n, &m->normal[m->triangle[t][k]], sizeof n);
    }
    assert_int_equal(m->wedge_count, 6 * 16);
    karst_model_destroy(m);
    karst_model_destroy(cube);
}

static void a_sphere_gets_the_normals_of_a_sphere(void **state) {
    (void)state;
    karst_model *facets, *m;
    MADE(scene_model_facets(3, &facets));
    float worst[2] = {0, 0};
    for (int smooth = 0; smooth < 2; ++smooth) {
        MADE(karst_model_crease(facets, smooth ? 3.1416 : 0, NULL, &m));
        for (uint32_t w = 0; w < m->wedge_count; ++w) {
            karst_vec3 p = m->position[m->vertex[w]], n = m->normal[w];
            worst[smooth] = fmaxf(worst[smooth], sqrtf((p.x - n.x) * (p.x - n.x) + (p.y - n.y) * (p.y - n.y) +
                                                       (p.z - n.z) * (p.z - n.z)));
        }
        karst_model_destroy(m);
    }
    assert_true(worst[1] < 1e-6f &&
                worst[0] > 0.05f);  // Max's weights are exact on a sphere; flat ones are the control
    karst_model_destroy(facets);
}

static void any_soup_gets_unit_normals_and_keeps_its_triangles(void **state) {
    (void)state;
    for (prop p = prop_begin("crease", 1000); prop_next(&p);) {
        karst_model *m = random_soup(&p, 0.1f), *c;
        MADE(karst_model_crease(m, prop_real(&p, 0, 3.1415), NULL, &c));
        MADE(karst_model_check(c, NULL));
        prop_check(&p, c->triangle_count == m->triangle_count && c->wedge_count <= 3 * m->triangle_count);
        for (uint32_t w = 0; w < c->wedge_count; ++w) {
            karst_vec3 n = c->normal[w];
            prop_near(&p, n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-6);
        }
        for (uint32_t t = 0; t < m->triangle_count; ++t)
            for (int k = 0; k < 3; ++k) prop_check(&p, c->vertex[c->triangle[t][k]] == m->vertex[m->triangle[t][k]]);
        karst_model_destroy(c);
        karst_model_destroy(m);
    }
}

// The bytes that gcc and clang, -O0 to -O3, with and without AVX2, all gave.
static void every_compiler_gives_the_same_bytes(void **state) {
    (void)state;
    karst_model *m, *c;
    MADE(scene_model_tank(&m));
    karst_model_clean_def def = karst_model_clean_def_default();
    def.merge_m = 0.03;
    MADE(karst_model_clean(m, &def, NULL));
    MADE(karst_model_crease(m, 0.9, NULL, &c));
    uint64_t hash = kst_hash(c->position, c->vertex_count * sizeof *c->position, 0);
    hash = kst_hash(c->normal, c->wedge_count * sizeof *c->normal, hash);
    hash = kst_hash(c->triangle, c->triangle_count * sizeof *c->triangle, hash);
    assert_true(hash == 0xd53cc0621849aa3cu);
    karst_model_destroy(c);
    karst_model_destroy(m);
}

// ---- adjacency -------------------------------------------------------------------------------------------

static void adjacency_lists_every_corner_and_side_once(void **state) {
    (void)state;
    for (prop p = prop_begin("adjacency", 500); prop_next(&p);) {
        uint32_t vertices = (uint32_t)prop_int(&p, 1, 20), triangles = (uint32_t)prop_int(&p, 0, 60);
        uint32_t(*triangle)[3] = malloc((triangles + 1) * sizeof *triangle);
        for (uint32_t t = 0; t < 3 * triangles; ++t)
            triangle[t / 3][t % 3] = (uint32_t)prop_int(&p, 0, (int)vertices - 1);
        kst_stars s;
        kst_edges e;
        MADE(kst_stars_create(vertices, (const uint32_t(*)[3])triangle, triangles, &s));
        MADE(kst_edges_create(vertices, (const uint32_t(*)[3])triangle, triangles, &e));
        prop_check(&p, s.first[0] == 0 && s.first[vertices] == 3 * triangles);
        for (uint32_t v = 0; v < vertices; ++v)
            for (uint32_t i = s.first[v]; i < s.first[v + 1]; ++i) {
                prop_check(&p, triangle[s.corner[i] / 3][s.corner[i] % 3] == v);
                prop_check(&p, i == s.first[v] || s.corner[i - 1] < s.corner[i]);
            }
        uint32_t proper = 0;
        for (uint32_t c = 0; c < 3 * triangles; ++c) proper += triangle[c / 3][c % 3] != triangle[c / 3][(c + 1) % 3];
        prop_check(&p, e.side_count == proper && e.first[e.edge_count] == proper);
        for (uint32_t i = 0; i < e.edge_count; ++i) {
            prop_check(&p, e.end[i][0] < e.end[i][1] && e.first[i] < e.first[i + 1]);
            if (i) {
                bool rises =
                    e.end[i - 1][0] < e.end[i][0] || (e.end[i - 1][0] == e.end[i][0] && e.end[i - 1][1] < e.end[i][1]);
                prop_check(&p, rises);
            }
            for (uint32_t k = e.first[i]; k < e.first[i + 1]; ++k) {
                uint32_t a = triangle[e.side[k] / 3][e.side[k] % 3];
                uint32_t b = triangle[e.side[k] / 3][kst_next_corner(e.side[k]) % 3];
                prop_check(&p, (a == e.end[i][0] && b == e.end[i][1]) || (b == e.end[i][0] && a == e.end[i][1]));
                prop_check(&p, k == e.first[i] || e.side[k - 1] < e.side[k]);
            }
        }
        kst_stars_free(&s);
        kst_edges_free(&e);
        free(triangle);
    }
}

// ---- bad input -------------------------------------------------------------------------------------------

static void bad_models_are_refused_and_left_alone(void **state) {
    (void)state;
    karst_model *m, *out = NULL;
    MADE(scene_model_cube(2, &m));
    for (int fault = 0; fault < 4; ++fault) {
        karst_report report = {0};
        float x = m->position[3].x;
        uint32_t w = m->triangle[5][1];
        if (fault == 0) m->position[3].x = NAN;
        if (fault == 1) m->position[3].x = -INFINITY;
        if (fault == 2) m->triangle[5][1] = m->wedge_count;
        if (fault == 3) m->triangle[5][1] = UINT32_MAX;
        karst_model_clean_def def = karst_model_clean_def_default();
        karst_model_facts f;
        def.report = &report;
        assert_int_equal(karst_model_clean(m, &def, NULL), KARST_ERROR_FORMAT);
        assert_non_null(strstr(report.message, fault < 2 ? "vertex 3" : "triangle 5"));
        assert_int_equal(karst_model_crease(m, 1, &report, &out), KARST_ERROR_FORMAT);
        assert_int_equal(karst_model_look(m, &report, &f), KARST_ERROR_FORMAT);
        m->position[3].x = x;
        m->triangle[5][1] = w;
    }
    karst_report report = {0};
    karst_model_clean_def def = karst_model_clean_def_default();
    def.report = &report;
    def.merge_m = NAN;
    assert_int_equal(karst_model_clean(m, &def, NULL), KARST_ERROR_ARGUMENT);
    def.merge_m = -1;
    assert_int_equal(karst_model_clean(m, &def, NULL), KARST_ERROR_ARGUMENT);
    assert_null(out);
    karst_model_destroy(m);
}

static void empty_and_tiny_models_are_fine(void **state) {
    (void)state;
    for (uint32_t triangles = 0; triangles < 2; ++triangles) {
        karst_model *m, *c;
        karst_model_size size = {.vertices = 3 * triangles, .wedges = 3 * triangles, .triangles = triangles};
        MADE(karst_model_create(&size, NULL, NULL, &m));
        for (uint32_t v = 0; v < 3 * triangles; ++v) {
            m->position[v] = (karst_vec3){(float)(v == 1), 0, (float)(v == 2)};
            m->vertex[v] = m->triangle[0][v] = v;
        }
        MADE(karst_model_crease(m, 1, NULL, &c));
        MADE(karst_model_clean(m, NULL, NULL));
        karst_model_facts f = facts_of(c);
        assert_true(f.parts == triangles && f.border_edges == 3 * triangles && m->triangle_count == triangles);
        assert_true(!triangles || c->normal[0].y == -1);
        karst_model_destroy(c);
        karst_model_destroy(m);
    }
}

static void many_loose_quads_at_one_place_take_no_time(void **state) {
    (void)state;
    karst_model *m, *c;
    const uint32_t quads = (uint32_t)test_count(200000);
    MADE(scene_model_loose_quads((int)quads, &m));
    for (uint32_t v = 0; v < m->vertex_count; ++v) m->position[v].y = 0;
    MADE(karst_model_crease(m, 1, NULL, &c));
    karst_model_destroy(c);
    karst_model_clean_def def = karst_model_clean_def_default();
    karst_model_cleaned info;
    def.merge_m = 1e-3;
    MADE(karst_model_clean(m, &def, &info));
    assert_true(m->triangle_count == 2 && m->vertex_count == 4 && info.duplicates == 2 * (quads - 1));
    karst_model_destroy(m);
}

static bool stop(void *context, const char *stage, double share) {
    (void)stage, (void)share;
    return --*(int *)context >= 0;
}

static void failing_or_stopped_cleaning_leaves_the_model(void **state) {
    (void)state;
    karst_model *m, *before;
    MADE(scene_model_tank(&m));
    MADE(karst_model_copy(m, NULL, &before));
    karst_model_clean_def def = karst_model_clean_def_default();
    def.merge_m = 0.05;
    for (int stopped = 0; stopped < 2; ++stopped) {
        karst_status status;
        int n = 0, left;
        do {
            karst_progress progress = {stop, &left};
            left = n++;
            def.progress = stopped ? &progress : NULL;
            kst_alloc_fail_after(stopped ? 0 : (uint64_t)n);
            status = karst_model_clean(m, &def, NULL);
            kst_alloc_fail_after(0);
            if (status) {
                assert_int_equal(status, stopped ? KARST_ERROR_CANCELLED : KARST_ERROR_MEMORY);
                assert_int_equal(m->vertex_count, before->vertex_count);
                assert_memory_equal(m->triangle, before->triangle, m->triangle_count * sizeof *m->triangle);
            }
        } while (status);
        assert_true(n > 3 && m->vertex_count < before->vertex_count);
        karst_model_destroy(m);
        MADE(karst_model_copy(before, NULL, &m));
    }
    karst_model_destroy(m);
    karst_model_destroy(before);
}

static void failed_allocations_leave_nothing(void **state) {
    (void)state;
    karst_model *m;
    MADE(scene_model_tank(&m));
    for (int looks = 0; looks < 2; ++looks) {
        karst_status status;
        uint64_t n = 0;
        do {
            karst_model *c = NULL;
            karst_model_facts f;
            kst_alloc_fail_after(++n);
            status = looks ? karst_model_look(m, NULL, &f) : karst_model_crease(m, 1, NULL, &c);
            kst_alloc_fail_after(0);
            assert_true((status == KARST_OK) == (c || looks) || status == KARST_ERROR_MEMORY);
            karst_model_destroy(c);
        } while (status);
        assert_true(n > 6);
    }
    karst_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleaning_does_what_a_slow_one_does),
        cmocka_unit_test(cleaning_twice_changes_nothing),
        cmocka_unit_test(vertices_far_from_the_middle_join_too),
        cmocka_unit_test(scenes_are_what_they_say),
        cmocka_unit_test(the_tank_has_1200_triangles_in_five_materials),
        cmocka_unit_test(tiles_share_the_vertices_of_their_side),
        cmocka_unit_test(a_crease_angle_decides_which_edges_are_hard),
        cmocka_unit_test(a_sphere_gets_the_normals_of_a_sphere),
        cmocka_unit_test(any_soup_gets_unit_normals_and_keeps_its_triangles),
        cmocka_unit_test(every_compiler_gives_the_same_bytes),
        cmocka_unit_test(adjacency_lists_every_corner_and_side_once),
        cmocka_unit_test(bad_models_are_refused_and_left_alone),
        cmocka_unit_test(empty_and_tiny_models_are_fine),
        cmocka_unit_test(many_loose_quads_at_one_place_take_no_time),
        cmocka_unit_test(failing_or_stopped_cleaning_leaves_the_model),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
