// SPDX-License-Identifier: MIT
// Models made by code: closed, faces outwards, of the size of what they are called, the same every time.
#include "scenes/made.h"

#include "support/prop.h"

// Six times the volume that the faces enclose.
static double volume6(const karst_model *m) {
    double sum = 0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        karst_vec3 p[3];
        for (int k = 0; k < 3; ++k) p[k] = m->position[m->vertex[m->triangle[t][k]]];
        sum += (double)p[0].x * ((double)p[1].y * (double)p[2].z - (double)p[1].z * (double)p[2].y) +
               (double)p[0].y * ((double)p[1].z * (double)p[2].x - (double)p[1].x * (double)p[2].z) +
               (double)p[0].z * ((double)p[1].x * (double)p[2].y - (double)p[1].y * (double)p[2].x);
    }
    return sum;
}

// Corners whose normal looks behind its own face.
static int against_face(const karst_model *m) {
    int count = 0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        karst_vec3 p[3];
        for (int k = 0; k < 3; ++k) p[k] = m->position[m->vertex[m->triangle[t][k]]];
        karst_vec3 a = {p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z};
        karst_vec3 b = {p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z};
        karst_vec3 face = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
        for (int k = 0; k < 3; ++k) {
            karst_vec3 n = m->normal[m->triangle[t][k]];
            count += face.x * n.x + face.y * n.y + face.z * n.z < 0;
        }
    }
    return count;
}

static void each_is_closed_and_faces_outwards(void **state) {
    (void)state;
    int count, units = 0;
    const scene_made *all = scene_made_all(&count);
    for (int k = 0; k < count; ++k) {
        if (!all[k].share) continue;
        ++units;
        karst_model *m;
        karst_model_facts f;
        assert_int_equal(all[k].make(&m), KARST_OK);
        assert_int_equal(karst_model_look(m, NULL, &f), KARST_OK);
        bool open = f.border_edges && strcmp(all[k].name, "tank");  // a few of its parts have no backs
        if (open || f.opposed_edges || f.flat || f.collapsed || !(volume6(m) > 0) || against_face(m))
            fail_msg("%s: %u border edges, %u opposed, %u flat, %d corners against their face", all[k].name,
                     f.border_edges, f.opposed_edges, f.flat, against_face(m));
        assert_true(m->normal && m->uv_sets == 1 && m->material_count > 0);
        bool *used = calloc(m->material_count, sizeof *used);
        for (uint32_t t = 0; t < m->triangle_count; ++t) used[m->paint[t]] = true;
        for (uint32_t i = 0; i < m->material_count; ++i) assert_true(used[i]);
        free(used);
        for (uint32_t w = 0; w < m->wedge_count; ++w)
            for (int c = 0; c < 2; ++c) assert_true(m->uv[0][w][c] >= -1e-4f && m->uv[0][w][c] <= 1.0001f);
        // Control: one triangle turned, or all of them, is seen.
        uint32_t *t = m->triangle[7], swap = t[0];
        t[0] = t[1];
        t[1] = swap;
        assert_int_equal(karst_model_look(m, NULL, &f), KARST_OK);
        assert_true(f.opposed_edges > 0 && against_face(m) > 0);
        karst_model_destroy(m);
    }
    assert_true(units >= 12);
}

static void each_has_the_size_of_what_it_is(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double wide, high, deep;  // over the ground [m], within a tenth
    } size[] = {{"tank", 3.6, 3.1, 8.2},      {"truck", 2.6, 2.84, 6.5}, {"jeep", 1.56, 1.59, 3.46},
                {"halftrack", 2.3, 2.6, 6.3}, {"gun", 2.2, 1.4, 5.8},    {"plane", 10.4, 3.8, 9.2},
                {"house", 9.5, 7.05, 7.9},    {"tower", 7.2, 18, 8.2},   {"windmill", 14.2, 16.7, 9.8},
                {"statue", 3.4, 7.4, 3.4},    {"rock", 4.6, 1.8, 2.7},   {"pine", 5.1, 11.2, 5.2},
                {"oak", 7.6, 8.8, 7.3}};
    for (size_t k = 0; k < sizeof size / sizeof *size; ++k) {
        const scene_made *made = scene_made_find(size[k].name);
        assert_non_null(made);
        karst_model *m, *again;
        assert_int_equal(made->make(&m), KARST_OK);
        assert_int_equal(made->make(&again), KARST_OK);
        karst_box b = karst_model_bounds(m);
        double x = b.max.x - b.min.x, y = b.max.y, z = b.max.z - b.min.z;
        if (fabs(x / size[k].wide - 1) > 0.1 || fabs(y / size[k].high - 1) > 0.1 || fabs(z / size[k].deep - 1) > 0.1)
            fail_msg("%s: %.2f wide, %.2f high, %.2f deep", size[k].name, x, y, z);
        assert_true(made->upright == (b.min.y < -0.9) || !strcmp(made->name, "rock"));  // plumb: reaches into a slope
        assert_int_equal(m->vertex_count, again->vertex_count);
        assert_memory_equal(m->position, again->position, m->vertex_count * sizeof *m->position);
        assert_memory_equal(m->triangle, again->triangle, m->triangle_count * sizeof *m->triangle);
        karst_model_destroy(m);
        karst_model_destroy(again);
    }
    assert_null(scene_made_find("hause"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_closed_and_faces_outwards),
        cmocka_unit_test(each_has_the_size_of_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
