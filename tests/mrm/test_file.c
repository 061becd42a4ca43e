// SPDX-License-Identifier: MIT
// .kmrm files: what is written is read, the coarse first part is enough, damage is one line.
#include "mesh/mrm.h"
#include "mrm_check.h"

static karst_mrm *tank(bool move) {
    karst_model *m;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.move = move;
    return built_with(MAKE(scene_model_tank(&m)), &def);
}

static bool same_info(const karst_mrm_info *a, const karst_mrm_info *b) {
    return a->vertices == b->vertices && a->wedges == b->wedges && a->triangles == b->triangles &&
           a->least_vertices == b->least_vertices && a->least_wedges == b->least_wedges &&
           a->least_triangles == b->least_triangles && a->ranges == b->ranges && a->moves == b->moves &&
           a->is_least_right == b->is_least_right && a->record_bytes == b->record_bytes &&
           a->sorting_bytes == b->sorting_bytes;
}

static bool same_model(const karst_model *a, const karst_model *b) {
    bool same = a->vertex_count == b->vertex_count && a->wedge_count == b->wedge_count &&
                a->triangle_count == b->triangle_count && a->material_count == b->material_count &&
                a->joint_count == b->joint_count && a->uv_sets == b->uv_sets && !a->normal == !b->normal &&
                !a->colour == !b->colour && !memcmp(&a->origin, &b->origin, sizeof a->origin);
#define SAME(array, count) (!a->array || !memcmp(a->array, b->array, (size_t)(count) * sizeof *a->array))
    return same && SAME(position, a->vertex_count) && SAME(skin, a->vertex_count) && SAME(vertex, a->wedge_count) &&
           SAME(normal, a->wedge_count) && SAME(uv[0], a->wedge_count) && SAME(colour, a->wedge_count) &&
           SAME(triangle, a->triangle_count) && SAME(paint, a->triangle_count) && SAME(material, a->material_count) &&
           SAME(joint, a->joint_count);
#undef SAME
}

static void check_same(const karst_mrm *a, const karst_mrm *b, uint32_t most) {
    for (uint32_t v = karst_mrm_describe(a).least_vertices; v <= most; v += 1 + v / 9) {
        karst_model *p = level_of(a, v), *q = level_of(b, v);
        if (!same_model(p, q)) fail_msg("level %u differs", v);
        karst_model_destroy(p);
        karst_model_destroy(q);
    }
}

static void a_file_gives_back_every_level(void **state) {
    (void)state;
    karst_mrm_build_def fitted = karst_mrm_build_def_default();
    fitted.fit_normals = fitted.move = true;
    for (int k = 0; k < 5; ++k) {
        karst_model *m;
        karst_mrm *mrm = k < 2    ? tank(k)
                         : k == 2 ? built(MAKE(scene_model_tile(33, 2, 1, 5, &m)))
                         : k == 3 ? built(MAKE(scene_model_cube(6, &m)))
                                  : built_with(MAKE(scene_model_tank(&m)), &fitted);
        karst_mrm *read = NULL;
        karst_report report = {0};
        must(karst_mrm_write(mrm, temp_path("a.kmrm"), &report));
        must(karst_mrm_open(temp_path("a.kmrm"), NULL, &report, &read));
        karst_mrm_info a = karst_mrm_describe(mrm), b = karst_mrm_describe(read);
        assert_true(same_info(&a, &b));
        assert_true(same_model(karst_mrm_model(mrm), karst_mrm_model(read)));
        check_same(mrm, read, a.vertices);
        int n, o;
        const karst_mrm_level *curve = karst_mrm_curve(mrm, &n), *other = karst_mrm_curve(read, &o);
        assert_int_equal(n, o);
        assert_memory_equal(curve, other, (size_t)n * sizeof *curve);
        must(karst_mrm_write(read, temp_path("b.kmrm"), &report));
        assert_true(same_bytes(temp_path("a.kmrm"), temp_path("b.kmrm")));
        karst_mrm_destroy(read);
        karst_mrm_destroy(mrm);
    }
}

// Triangles between any vertices, as many as will: folds, fans, twins, loose ends.
static karst_model *soup(prop *p) {
    karst_model *m;
    uint32_t vertices = (uint32_t)prop_int(p, 3, 40);
    karst_model_size size = {.vertices = vertices,
                             .wedges = 2 * vertices,
                             .triangles = (uint32_t)prop_int(p, 1, 120),
                             .materials = 3,
                             .uv_sets = 1,
                             .normals = prop_chance(p, 0.5)};
    must(karst_model_create(&size, NULL, NULL, &m));
    for (uint32_t w = 0; w < m->wedge_count && m->normal; ++w) ((float *)&m->normal[w])[w % 3] = w % 2 ? 1 : -1;
    for (uint32_t v = 0; v < vertices; ++v)
        m->position[v] = (karst_vec3){(float)prop_int(p, -4, 4), (float)prop_real(p, -4, 4), (float)prop_int(p, -4, 4)};
    for (uint32_t w = 0; w < m->wedge_count; ++w) {
        m->vertex[w] = w / 2;
        m->uv[0][w][0] = (float)prop_int(p, 0, 3), m->uv[0][w][1] = (float)prop_int(p, 0, 3);
    }
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) m->triangle[t][k] = (uint32_t)prop_int(p, 0, (int)m->wedge_count - 1);
        m->paint[t] = (uint16_t)prop_int(p, 0, 2);
    }
    return m;
}

static void any_soup_is_ordered_written_and_read(void **state) {
    (void)state;
    int built = 0;
    for (prop p = prop_begin("soup", 400); prop_next(&p);) {
        karst_model *m = soup(&p);
        karst_mrm_build_def def = karst_mrm_build_def_default();
        def.move = prop_chance(&p, 0.3);
        def.past_right = prop_chance(&p, 0.5);
        def.fit_normals = prop_chance(&p, 0.5);
        karst_mrm *mrm = NULL, *read = NULL;
        karst_status status = karst_mrm_build(m, &def, NULL, NULL, &mrm);
        prop_check(&p, !status || status == KARST_ERROR_UNSUPPORTED);
        if (!status) {
            must(karst_mrm_write(mrm, temp_path("s.kmrm"), NULL));
            karst_report report = {0};
            if (karst_mrm_open(temp_path("s.kmrm"), NULL, &report, &read))
                prop_fail(&p, __FILE__, __LINE__, report.message);
            check_same(mrm, read, karst_mrm_describe(mrm).vertices);
            karst_mrm_destroy(read);
            ++built;
        }
        karst_mrm_destroy(mrm);
        karst_model_destroy(m);
    }
    assert_true(built > test_count(400) / 2);
}

// A control: another mesh gives other bytes and levels.
static void other_meshes_give_other_bytes(void **state) {
    (void)state;
    karst_mrm *a = tank(false), *b = tank(true);
    must(karst_mrm_write(a, temp_path("a.kmrm"), NULL));
    must(karst_mrm_write(b, temp_path("b.kmrm"), NULL));
    assert_false(same_bytes(temp_path("a.kmrm"), temp_path("b.kmrm")));
    karst_mrm_destroy(a);
    karst_mrm_destroy(b);
}

static void the_first_part_of_a_file_is_a_mesh(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm *mrm = built(MAKE(scene_model_tile(64, 0, 0, 5, &m)));
    must(karst_mrm_write(mrm, temp_path("a.kmrm"), NULL));
    size_t size;
    uint8_t *bytes = read_bytes(temp_path("a.kmrm"), &size);
    uint32_t finest = karst_mrm_describe(mrm).vertices, last = finest + 1, steps = 0;
    for (size_t cut = size; cut > 0; cut -= cut / 7 + 1) {
        karst_mrm *part = NULL;
        karst_report report = {0};
        karst_status status = karst_mrm_decode(bytes, cut, true, NULL, &report, &part);
        if (cut < size) assert_int_equal(karst_mrm_decode(bytes, cut, false, NULL, NULL, &part), KARST_ERROR_FORMAT);
        if (status) {
            assert_true(status == KARST_ERROR_FORMAT && report.message[0] && cut < size / 8);
            continue;
        }
        uint32_t vertices = karst_mrm_describe(part).vertices;
        assert_true(vertices <= last);
        steps += vertices < last;
        last = vertices;
        for (uint32_t v = karst_mrm_describe(part).least_vertices; v <= vertices; v += 1 + v / 3) {
            karst_model *p = level_of(mrm, v), *q = level_of(part, v);
            assert_true(p->vertex_count == q->vertex_count && p->triangle_count == q->triangle_count);
            assert_memory_equal(p->position, q->position, p->vertex_count * sizeof *p->position);
            karst_model_destroy(p);
            karst_model_destroy(q);
        }
        karst_mrm_destroy(part);
    }
    assert_true(steps >= 4);
    free(bytes);
    karst_mrm_destroy(mrm);
}

static void damage_is_one_line(void **state) {
    (void)state;
    karst_mrm *mrm = tank(true);
    must(karst_mrm_write(mrm, temp_path("a.kmrm"), NULL));
    size_t size;
    uint8_t *bytes = read_bytes(temp_path("a.kmrm"), &size);
    for (size_t at = 0; at < size; at += 1 + at / 20) {
        karst_mrm *read = NULL;
        karst_report report = {0};
        bytes[at] ^= 0x10;
        karst_status status = karst_mrm_decode(bytes, size, false, NULL, &report, &read);
        assert_true((status == KARST_ERROR_FORMAT || status == KARST_ERROR_VERSION) && report.message[0] && !read);
        bytes[at] ^= 0x10;
    }
    free(bytes);
    karst_report report = {0};
    karst_mrm *none = NULL;
    assert_int_equal(karst_mrm_open(temp_path("none.kmrm"), NULL, &report, &none), KARST_ERROR_FILE);
    write_part(temp_path("text.kmrm"), (const uint8_t *)"a text, not a mesh, and long enough to be one", 0, 40);
    assert_int_equal(karst_mrm_open(temp_path("text.kmrm"), NULL, &report, &none), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "text.kmrm"));
    assert_int_equal(karst_mrm_write(mrm, temp_path("no/such/folder.kmrm"), &report), KARST_ERROR_FILE);
    karst_mrm_destroy(mrm);
    karst_mrm_destroy(NULL);
}

static void no_allocation_that_fails_leaks_or_crashes(void **state) {
    (void)state;
    karst_mrm *mrm = tank(true);
    must(karst_mrm_write(mrm, temp_path("a.kmrm"), NULL));
    bool failed = true;
    int n = 0;
    for (n = 1; failed && n < 300; ++n) {
        karst_mrm *read = NULL;
        kst_alloc_fail_after((uint64_t)n);
        karst_status status = karst_mrm_open(temp_path("a.kmrm"), NULL, NULL, &read);
        if (!status) status = karst_mrm_write(read, temp_path("b.kmrm"), NULL);
        karst_model *level = NULL;
        if (!status) status = karst_mrm_extract(read, 100, NULL, &level);
        kst_alloc_fail_after(0);
        failed = status != KARST_OK;
        if (failed) assert_int_equal(status, KARST_ERROR_MEMORY);
        karst_model_destroy(level);
        karst_mrm_destroy(read);
    }
    assert_true(!failed && n > 50);
    karst_mrm_destroy(mrm);
}

// ---- an allocator of the caller's ----------------------------------------------------------------------

typedef struct counted {
    size_t live, most;
} counted;

static void *counted_alloc(size_t bytes, void *context) {
    counted *c = context;
    c->live += bytes;
    c->most = c->live > c->most ? c->live : c->most;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void counted_free(void *memory, size_t bytes, void *context) {
    if (memory) ((counted *)context)->live -= bytes;
    free(memory);
}

static void what_a_mesh_keeps_comes_from_its_allocator(void **state) {
    (void)state;
    karst_mrm *mrm = tank(true), *read;
    must(karst_mrm_write(mrm, temp_path("a.kmrm"), NULL));
    counted c = {0};
    karst_allocator allocator = {counted_alloc, counted_free, &c};
    must(karst_mrm_open(temp_path("a.kmrm"), &allocator, NULL, &read));
    karst_mrm_info info = karst_mrm_describe(read);
    assert_true(c.live > karst_model_bytes(karst_mrm_model(read)) + info.record_bytes + info.sorting_bytes);
    karst_mrm_destroy(read);
    assert_true(c.live == 0);
    karst_mrm_destroy(mrm);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gives_back_every_level),
        cmocka_unit_test(any_soup_is_ordered_written_and_read),
        cmocka_unit_test(other_meshes_give_other_bytes),
        cmocka_unit_test(the_first_part_of_a_file_is_a_mesh),
        cmocka_unit_test(damage_is_one_line),
        cmocka_unit_test(no_allocation_that_fails_leaks_or_crashes),
        cmocka_unit_test(what_a_mesh_keeps_comes_from_its_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
