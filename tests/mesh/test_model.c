// SPDX-License-Identifier: MIT
// Models: made, copied, measured; bad ones are refused with one line.
#include "karst/model.h"
#include "support/prop.h"

// One quad of two triangles, all attributes there.
static karst_model *quad(void) {
    karst_model_size size = {.vertices = 4,
                             .wedges = 4,
                             .triangles = 2,
                             .materials = 1,
                             .joints = 1,
                             .uv_sets = 2,
                             .normals = true,
                             .colours = true};
    karst_model *m;
    assert_int_equal(karst_model_create(&size, NULL, NULL, &m), KARST_OK);
    for (uint32_t v = 0; v < 4; ++v) {
        m->position[v] = (karst_vec3){(float)(v & 1), 0, (float)(v >> 1)};
        m->skin[v] = (karst_model_skin){.weight = {UINT16_MAX}};
        m->vertex[v] = v;
        m->normal[v] = (karst_vec3){0, 1, 0};
    }
    static const uint32_t triangle[2][3] = {{0, 2, 1}, {1, 2, 3}};
    memcpy(m->triangle, triangle, sizeof triangle);
    m->joint[0].parent = -1;
    m->origin = (karst_pos){1e6, 0, -1e6};
    return m;
}

static void a_model_has_the_arrays_it_asked_for(void **state) {
    (void)state;
    karst_model *m = quad();
    assert_int_equal(karst_model_check(m, NULL), KARST_OK);
    assert_true(m->uv[1] && !m->uv[2] && m->colour && m->paint && m->skin);
    assert_true(karst_model_bytes(m) == 4 * (12 + 16 + 4 + 12 + 8 + 8 + 4) + 2 * (12 + 2) + 80 + 116);
    karst_box b = karst_model_bounds(m);
    assert_true(b.min.x == 1e6 && b.max.x == 1e6 + 1 && b.max.y == 0 && b.min.z == -1e6 && b.max.z == -1e6 + 1);
    karst_model_destroy(m);
    karst_model_destroy(NULL);
    assert_int_equal(karst_model_create(&(karst_model_size){0}, NULL, NULL, &m), KARST_OK);
    assert_true(!m->position && !m->skin && !m->normal && !m->uv[0] && !m->triangle && !m->paint);
    assert_int_equal(karst_model_check(m, NULL), KARST_OK);
    b = karst_model_bounds(m);
    assert_true(b.min.x > b.max.x);
    karst_model_destroy(m);
}

static void a_copy_is_equal_and_its_own(void **state) {
    (void)state;
    karst_model *m = quad(), *c;
    m->triangle_count = 1;  // counts may be lowered
    assert_int_equal(karst_model_copy(m, NULL, &c), KARST_OK);
    assert_true(c->triangle_count == 1 && c->made.triangles == 1 && c->origin.x == 1e6);
    assert_memory_equal(c->position, m->position, 4 * sizeof *m->position);
    assert_memory_equal(c->triangle, m->triangle, sizeof *m->triangle);
    c->position[0].x = 7;
    assert_true(m->position[0].x == 0);
    karst_model_destroy(c);
    karst_model_destroy(m);
}

static void models_over_a_limit_are_refused(void **state) {
    (void)state;
    karst_report report = {0};
    karst_model *m = NULL;
    assert_int_equal(karst_model_create(&(karst_model_size){.triangles = UINT32_MAX}, NULL, &report, &m),
                     KARST_ERROR_LIMIT);
    assert_non_null(strstr(report.message, "triangles"));
    assert_int_equal(karst_model_create(&(karst_model_size){.uv_sets = 5}, NULL, &report, &m), KARST_ERROR_LIMIT);
    assert_null(m);
}

// Each fault alone is seen, and named.
static void check_names_the_first_fault(void **state) {
    (void)state;
    for (int fault = 0; fault < 14; ++fault) {
        karst_model *m = quad();
        const char *word = NULL;
        switch (fault) {
            case 0:
                m->position[2].y = NAN, word = "vertex 2";
                break;
            case 1:
                m->position[3].x = INFINITY, word = "vertex 3";
                break;
            case 2:
                m->position[1].z = -2e18f, word = "vertex 1";
                break;
            case 3:
                m->triangle[1][2] = 4, word = "triangle 1 names wedge 4";
                break;
            case 4:
                m->vertex[3] = 4, word = "wedge 3 is of vertex 4";
                break;
            case 5:
                m->normal[1].x = NAN, word = "normal of wedge 1";
                break;
            case 6:
                m->uv[1][2][0] = -INFINITY, word = "texture coordinates 1 of wedge 2";
                break;
            case 7:
                m->paint[1] = 1, word = "material 1 of 1";
                break;
            case 8:
                m->skin[2].joint[3] = 1, word = "joint 1 of 1";
                break;
            case 9:
                m->skin[2].weight[0] = 5, word = "add up to 5";
                break;
            case 10:
                m->joint[0].parent = 0, word = "joint 0";
                break;
            case 11:
                m->material[0].colour[3] = NAN, word = "material 0";
                break;
            case 12:
                memset(m->material[0].name, 'a', sizeof m->material[0].name), word = "material 0";
                break;
            case 13:
                m->origin.y = NAN, word = "origin";
                break;
        }
        karst_report report = {0};
        assert_int_equal(karst_model_check(m, &report), KARST_ERROR_FORMAT);
        assert_non_null(strstr(report.message, word));
        karst_model_destroy(m);
    }
}

static void failed_allocations_leave_nothing(void **state) {
    (void)state;
    karst_model *m = quad();
    for (uint64_t n = 1;; ++n) {
        karst_model *c = NULL;
        kst_alloc_fail_after(n);
        karst_status status = karst_model_copy(m, NULL, &c);
        kst_alloc_fail_after(0);
        karst_model_destroy(c);
        if (!status) {
            assert_true(n > 5);
            break;
        }
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_null(c);
    }
    karst_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_has_the_arrays_it_asked_for), cmocka_unit_test(a_copy_is_equal_and_its_own),
        cmocka_unit_test(models_over_a_limit_are_refused),     cmocka_unit_test(check_names_the_first_fault),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
