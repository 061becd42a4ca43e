// SPDX-License-Identifier: MIT
// Quads of a mesh in text: read as they are, turned to face alike, and what is wrong is named by its line.
#include <math.h>

#include "geo/quads.h"
#include "karst/model.h"
#include "karst/net.h"
#include "support/prop.h"

static karst_status parse(const char *text, const karst_quads_def *def, karst_report *report, karst_quads **out) {
    return kst_quads_parse((const uint8_t *)text, strlen(text), "mesh.obj", def, report, out);
}

static void a_face_becomes_a_quad_that_looks_the_same_way(void **state) {
    (void)state;
    karst_quads *q;
    karst_report report = {0};
    // Counter-clockwise seen from above, in each way of writing.
    const char *text =
        "# a square\r\nmtllib x.mtl\no square\nv 0 1 0\nv 0 1 10 1.0\nv 10 1 10 0.5 0.5 0.5\n\tv 10 1 0\nvt 0 0\nvn 0 "
        "1 0\n"
        "usemtl grass\ns off\ng a\nf 1 2/1 3//1 4/1/1\nf -4 -3 -2 -1\n";
    if (parse(text, NULL, &report, &q)) fail_msg("%s", report.message);
    assert_int_equal(q->place_count, 4);
    assert_int_equal(q->quad_count, 2);
    const int32_t want[4] = {0, 3, 2, 1};
    assert_memory_equal(q->quads[0], want, sizeof want);
    karst_quads_destroy(q);
    karst_quads_def def = karst_quads_def_default();
    def.unit_m = 0.5, def.up = KARST_MODEL_UP_Z;
    assert_int_equal(parse("v 2 4 6\nv 2 4 8\nv 1 1 1\nv 0 0 0\nf 1 2 3 4", &def, NULL, &q), KARST_OK);
    assert_true(q->places[0].x == 1 && q->places[0].y == 3 && q->places[0].z == -2);
    karst_quads_destroy(q);
}

static void what_is_wrong_is_named_by_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
        int line;
    } bad[] = {
        {"v 0 0\n", "three numbers", 1},
        {"v 0 0 nan\n", "three numbers", 1},
        {"v 0 0 1e300\n", "three numbers", 1},
        {"v 0 0 x\n", "three numbers", 1},
        {"v 0 0 0\nf 1 2 3 4\n", "not there", 2},
        {"v 0 0 0\nf 0 1 1 1\n", "not there", 2},
        {"v 0 0 0\nf -2 1 1 1\n", "not there", 2},
        {"v 0 0 0\nf 99999999999999999999 1 1 1\n", "not there", 2},
        {"v 0 0 0\nf a\n", "not there", 2},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", "3 corners", 4},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3 1 2\n", "5 corners", 4},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3 1\n", "twice", 4},
        {"\n\ncurv 1 2\n", "neither", 3},
        {"f 1 2 \\\n3 4\n", "next line", 1},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        karst_report report = {0};
        karst_quads *q = NULL;
        char place[32];
        snprintf(place, sizeof place, "mesh.obj:%d: ", bad[k].line);
        if (parse(bad[k].text, NULL, &report, &q) != KARST_ERROR_FORMAT) fail_msg("%zu: read", k);
        if (strncmp(report.message, place, strlen(place)) != 0 || !strstr(report.message, bad[k].says))
            fail_msg("%zu: %s", k, report.message);
        assert_null(q);
    }
    karst_quads *q = NULL;
    assert_int_equal(parse("v 0 0 0\n", NULL, NULL, &q), KARST_ERROR_UNSUPPORTED);
    assert_int_equal(parse("", NULL, NULL, &q), KARST_ERROR_UNSUPPORTED);
    assert_int_equal(kst_quads_parse((const uint8_t *)"v 0\0 0 0\n", 9, "x", NULL, NULL, &q), KARST_ERROR_FORMAT);
    assert_int_equal(karst_geo_read_quads("/nowhere/x.obj", NULL, NULL, &q), KARST_ERROR_FILE);
    char line[1100];
    memset(line, ' ', sizeof line), line[sizeof line - 1] = 0;
    assert_int_equal(parse(line, NULL, NULL, &q), KARST_ERROR_FORMAT);
}

static size_t put_grid(prop *p, char *text, size_t room, int side, double share, int *turned) {
    size_t n = 0;
    for (int k = 0; k < (side + 1) * (side + 1); ++k)
        n += (size_t)snprintf(text + n, room - n, "v %d %.6f %d\n", 8 * (k % (side + 1)), prop_real(p, 0, 3),
                              8 * (k / (side + 1)));
    *turned = 0;
    for (int k = 0; k < side * side; ++k) {
        int a = k / side * (side + 1) + k % side + 1, v[4] = {a, a + side + 1, a + side + 2, a + 1};
        bool turn = prop_chance(p, share);
        int from = prop_int(p, 0, 3);
        *turned += turn;
        n += (size_t)snprintf(text + n, room - n, "f");
        for (int i = 0; i < 4; ++i)
            n += (size_t)snprintf(text + n, room - n, " %d", v[(turn ? 8 - i - from : i + from) & 3]);
        n += (size_t)snprintf(text + n, room - n, "\n");
    }
    return n;
}

static void quads_that_meet_face_alike(void **state) {
    (void)state;
    static char text[64000];
    int refused = 0;
    for (prop p = prop_begin("quads_turn", 100); prop_next(&p);) {
        int side = prop_int(&p, 1, 9), turned;
        size_t size = put_grid(&p, text, sizeof text, side, 0.3, &turned);
        karst_quads *q;
        karst_report report = {0};
        if (kst_quads_parse((const uint8_t *)text, size, "grid", NULL, &report, &q)) fail_msg("%s", report.message);
        int all = side * side;
        prop_check(&p, q->turned == (2 * turned <= all ? turned : all - turned) || 2 * turned == all);
        karst_net *net;
        assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
        karst_net_cage cage = {.places = q->places,
                               .place_count = q->place_count,
                               .quads = (const int32_t(*)[4])q->quads,
                               .quad_count = q->quad_count};
        prop_check(&p, !karst_net_from_cage(net, &cage, &report));
        if (2 * turned < all) prop_check(&p, karst_facing_vector(net->corners[0].facing).y > 0.3f);
        karst_net_destroy(net);
        // Control: one that was turned back breaks a rule.
        if (side > 1) {
            assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
            int32_t *v = q->quads[0], passing = v[1];
            v[1] = v[3], v[3] = passing;
            refused += karst_net_from_cage(net, &cage, &report) != KARST_OK;
            prop_check(&p, refused > 0);
            karst_net_destroy(net);
        }
        karst_quads_destroy(q);
    }
}

// A grid of quads, each cut along either of its diagonals, in `order` of triangles; vertices of triangles apart.
static karst_model *cut_grid(prop *p, int side, const int *order, int count) {
    karst_model *m;
    const karst_model_size size = {.vertices = (uint32_t)(6 * side * side),
                                   .wedges = (uint32_t)(6 * side * side),
                                   .triangles = (uint32_t)(2 * side * side)};
    assert_int_equal(karst_model_create(&size, NULL, NULL, &m), KARST_OK);
    float height[17 * 17];
    for (int k = 0; k < (side + 1) * (side + 1); ++k) height[k] = (float)prop_real(p, 0, 3);
    static const int corner[2][2][3][2] = {{{{0, 0}, {0, 1}, {1, 1}}, {{0, 0}, {1, 1}, {1, 0}}},
                                           {{{0, 0}, {0, 1}, {1, 0}}, {{1, 0}, {0, 1}, {1, 1}}}};
    uint32_t at = 0;
    for (int k = 0; k < count; ++k, ++at) {
        int cell = order[k] / 2, i = cell % side, j = cell / side, way = (i * 7 + j * 3) % 2, first = prop_int(p, 0, 2);
        for (int c = 0; c < 3; ++c) {
            const int *v = corner[way][order[k] % 2][(c + first) % 3];
            uint32_t w = 3 * at + (uint32_t)c;
            m->position[w] = (karst_vec3){(float)(8 * (i + v[0])), height[(j + v[1]) * (side + 1) + i + v[0]],
                                          (float)(8 * (j + v[1]))};
            m->vertex[w] = m->triangle[at][c] = w;
        }
    }
    m->triangle_count = at;
    return m;
}

// Quads of a grid: each has its cell to itself, its upper side up.
static void check_cells(prop *p, const karst_quads *q, int side) {
    uint8_t seen[16 * 16] = {0};
    prop_check(p, q->quad_count == side * side && q->turned == 0);
    for (int32_t k = 0; k < q->quad_count; ++k) {
        double x = 0, z = 0, area = 0;
        for (int c = 0; c < 4; ++c) {
            const karst_pos *a = &q->places[q->quads[k][c]], *b = &q->places[q->quads[k][(c + 1) % 4]];
            x += a->x / 4, z += a->z / 4, area += a->z * b->x - a->x * b->z;
        }
        int cell = (int)(z / 8) * side + (int)(x / 8);
        prop_check(p, cell >= 0 && cell < side * side && !seen[cell]++);
        prop_check(p, fabs(fabs(area) - 128) < 1e-6);
    }
}

static void triangles_become_the_quads_that_they_were(void **state) {
    (void)state;
    for (prop p = prop_begin("quads_model", 100); prop_next(&p);) {
        int side = prop_int(&p, 1, 15), count = 2 * side * side, order[2 * 15 * 15];
        bool shuffled = p.at % 2;
        for (int k = 0; k < count; ++k) order[k] = k;
        for (int k = count - 1; k > 0 && shuffled; --k) {
            int other = prop_int(&p, 0, k), passing = order[k];
            order[k] = order[other], order[other] = passing;
        }
        karst_model *m = cut_grid(&p, side, order, count);
        karst_quads *q = NULL;
        karst_report report = {0};
        if (kst_quads_of_model(m, "mesh.glb", &report, &q)) fail_msg("%s", report.message);
        prop_check(&p, q->place_count == (side + 1) * (side + 1));
        check_cells(&p, q, side);
        karst_quads_destroy(q);
        // Control: without one of them.
        --m->triangle_count;
        q = NULL;
        prop_check(&p, kst_quads_of_model(m, "mesh.glb", &report, &q) == KARST_ERROR_FORMAT && !q);
        prop_check(&p, strstr(report.message, "have no other to make a quad with") != NULL);
        karst_model_destroy(m);
    }
}

static void any_triangles_are_quads_or_an_error(void **state) {
    (void)state;
    for (prop p = prop_begin("quads_any", 300); prop_next(&p);) {
        karst_model *m;
        const karst_model_size size = {.vertices = 12, .wedges = 12, .triangles = (uint32_t)prop_int(&p, 1, 30)};
        assert_int_equal(karst_model_create(&size, NULL, NULL, &m), KARST_OK);
        for (int k = 0; k < 12; ++k) {
            m->position[k] =
                (karst_vec3){(float)prop_int(&p, 0, 2), (float)prop_int(&p, 0, 1), (float)prop_int(&p, 0, 2)};
            m->vertex[k] = (uint32_t)k;
        }
        for (uint32_t k = 0; k < size.triangles; ++k)
            for (int c = 0; c < 3; ++c) m->triangle[k][c] = (uint32_t)prop_int(&p, 0, 11);
        karst_quads *q = NULL;
        karst_report report = {0};
        karst_status status = kst_quads_of_model(m, "any", &report, &q);
        prop_check(&p, status ? report.message[0] && !q : q->quad_count > 0);
        for (int32_t k = 0; q && k < q->quad_count; ++k)
            for (int c = 0; c < 4; ++c) prop_check(&p, q->quads[k][c] >= 0 && q->quads[k][c] < q->place_count);
        karst_quads_destroy(q);
        karst_model_destroy(m);
    }
}

static bool stop(void *context, const char *stage, double share) {
    (void)context, (void)stage, (void)share;
    return false;
}

static void it_stops_when_asked_and_runs_out_of_memory_cleanly(void **state) {
    (void)state;
    static char text[64000];
    prop p = prop_begin("quads_memory", 1);
    prop_next(&p);
    int turned;
    size_t size = put_grid(&p, text, sizeof text, 20, 0.3, &turned);
    karst_quads *q = NULL;
    karst_quads_def def = karst_quads_def_default();
    const karst_progress progress = {stop, NULL};
    def.progress = &progress;
    assert_int_equal(kst_quads_parse((const uint8_t *)text, size, "grid", &def, NULL, &q), KARST_ERROR_CANCELLED);
    karst_status status = KARST_ERROR_MEMORY;
    for (uint64_t n = 1; status; ++n) {
        kst_alloc_fail_after(n);
        status = kst_quads_parse((const uint8_t *)text, size, "grid", NULL, NULL, &q);
        kst_alloc_fail_after(0);
        assert_true(status == KARST_OK || (status == KARST_ERROR_MEMORY && n < 20));
    }
    karst_quads_destroy(q);
    const int order[] = {0, 3, 1, 2, 5, 7, 6, 4};
    karst_model *m = cut_grid(&p, 2, order, 8);
    status = KARST_ERROR_MEMORY;
    for (uint64_t n = 1; status; ++n) {
        q = NULL;
        kst_alloc_fail_after(n);
        status = kst_quads_of_model(m, "grid", NULL, &q);
        kst_alloc_fail_after(0);
        assert_true(status == KARST_OK || (status == KARST_ERROR_MEMORY && n < 20 && !q));
    }
    karst_quads_destroy(q);
    karst_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_face_becomes_a_quad_that_looks_the_same_way),
        cmocka_unit_test(what_is_wrong_is_named_by_its_line),
        cmocka_unit_test(quads_that_meet_face_alike),
        cmocka_unit_test(triangles_become_the_quads_that_they_were),
        cmocka_unit_test(any_triangles_are_quads_or_an_error),
        cmocka_unit_test(it_stops_when_asked_and_runs_out_of_memory_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
