// SPDX-License-Identifier: MIT
// Occlusion in a pack against many rays, on heights and under overhangs; equal where chunks meet.
#include "karst/bake.h"
#include "karst/pack.h"
#include "scenes/scenes.h"
#include "support/prop.h"

enum { SIDE = 193 };

static karst_pack *bake(karst_field *field, int workers) {
    karst_jobs_def jobs_def = karst_jobs_def_default();
    jobs_def.worker_count = workers;
    karst_bake_def def = karst_bake_def_default();
    assert_int_equal(karst_jobs_create(&jobs_def, &def.jobs), KARST_OK);
    karst_report report = {0};
    karst_bake_info info;
    const char *path = temp_path(workers == 1 ? "one.kpack" : "many.kpack");
    if (karst_bake_field(field, path, &def, NULL, &report, &info)) fail_msg("%s", report.message);
    karst_jobs_destroy(def.jobs);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    return pack;
}

// What a thousand rays say of a vertex.
static double ray_occlusion(const karst_ground *ground, karst_pos at, karst_vec3 n, prop *p) {
    enum { RAYS = 1000 };
    karst_pos from = {at.x + 0.05 * (double)n.x, at.y + 0.05 * (double)n.y, at.z + 0.05 * (double)n.z};
    int hidden = 0;
    for (int k = 0; k < RAYS; ++k) {
        double sine = sqrt(prop_real(p, 0, 1)), turn = prop_real(p, 0, 6.283185307), flat = sqrt(1 - sine * sine);
        karst_ray ray = karst_ray_make(from, (karst_pos){flat * cos(turn), sine, flat * sin(turn)});
        bool blocked =
            ray.direction.x * (double)n.x + ray.direction.y * (double)n.y + ray.direction.z * (double)n.z <= 0;
        if (!blocked) assert_int_equal(karst_ground_blocked(ground, &ray, &blocked), KARST_OK);
        hidden += blocked;
    }
    return (double)hidden / RAYS;
}

typedef struct spread {
    double mean, worst;
    int dark;
} spread;

static spread compare(karst_pack *pack, const char *name, int count) {
    karst_pack_info info = karst_pack_info_of(pack);
    const karst_ground *ground = karst_pack_ground(pack);
    karst_chunk *c = malloc(sizeof *c);
    spread s = {0};
    int tried = 0;
    for (prop p = prop_begin(name, count); prop_next(&p); ++tried) {
        int x = prop_int(&p, 0, SIDE / 64 - 1), z = prop_int(&p, 0, SIDE / 64 - 1);
        int i = 2 * prop_int(&p, 0, 32), j = 2 * prop_int(&p, 0, 32);
        assert_int_equal(karst_pack_read_chunk(pack, 0, x, z, c), KARST_OK);
        const karst_vertex *v = &c->vertex[j * KARST_CHUNK_SIDE + i];
        const karst_lattice *l = &info.lattice;
        karst_pos at = {l->shape.origin.x + ((x * 64 + i) * (double)l->cell_steps + v->dx) * l->step_xz_m,
                        l->shape.origin.y + v->y * l->step_y_m,
                        l->shape.origin.z + ((z * 64 + j) * (double)l->cell_steps + v->dz) * l->step_xz_m};
        karst_vec3 n = karst_normal_decode(c->normal[j * KARST_CHUNK_SIDE + i]);
        double want = ray_occlusion(ground, at, n, &p), is = c->occlusion[j / 2 * KARST_HALF_SIDE + i / 2] / 255.0;
        s.mean += fabs(want - is);
        s.worst = fmax(s.worst, fabs(want - is));
        s.dark += want > 0.6;
    }
    s.mean /= tried;
    print_message("%s: %.3f off in the mean, %.3f at worst, %d of %d dark\n", name, s.mean, s.worst, s.dark, tried);
    free(c);
    return s;
}

static void occlusion_is_what_rays_say(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_overhang_field(SIDE, SIDE, 2, 5, &field), KARST_OK);
    karst_pack *pack = bake(field, 1);
    spread s = compare(pack, "overhang", 600);
    assert_true(s.mean < 0.04 && s.worst < 0.3 && s.dark > test_count(600) / 40);
    karst_pack_close(pack);
    karst_field_destroy(field);
    assert_int_equal(scene_rough_field(SIDE, SIDE, 2, 5, false, false, (karst_pos){0, 0, 0}, &field), KARST_OK);
    pack = bake(field, 1);
    s = compare(pack, "heights", 300);
    assert_true(s.mean < 0.1 && s.worst < 0.4);
    karst_pack_close(pack);
    karst_field_destroy(field);
}

static void bytes_do_not_depend_on_workers(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_overhang_field(130, 70, 2, 9, &field), KARST_OK);  // an even number of columns
    karst_pack_close(bake(field, 1));
    karst_pack_close(bake(field, 3));
    assert_true(same_bytes(temp_path("one.kpack"), temp_path("many.kpack")));
    karst_field_destroy(field);
}

static void shared_vertices_are_equal_and_levels_nest(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_overhang_field(200, 150, 2, 9, &field), KARST_OK);
    karst_pack *pack = bake(field, 1);
    karst_chunk *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    assert_int_equal(karst_pack_read_chunk(pack, 0, 0, 0, a), KARST_OK);
    assert_int_equal(karst_pack_read_chunk(pack, 0, 1, 0, b), KARST_OK);
    for (int j = 0; j < KARST_HALF_SIDE; ++j)
        assert_int_equal(a->occlusion[j * KARST_HALF_SIDE + 32], b->occlusion[j * KARST_HALF_SIDE]);
    assert_int_equal(karst_pack_read_chunk(pack, 1, 0, 0, b), KARST_OK);
    for (int j = 0; j < KARST_HALF_SIDE; j += 2)
        for (int i = 0; i < KARST_HALF_SIDE; i += 2)
            assert_int_equal(a->occlusion[j * KARST_HALF_SIDE + i], b->occlusion[j / 2 * KARST_HALF_SIDE + i / 2]);
    free(a);
    free(b);
    karst_pack_close(pack);
    karst_field_destroy(field);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(occlusion_is_what_rays_say, temp_teardown),
        cmocka_unit_test_teardown(bytes_do_not_depend_on_workers, temp_teardown),
        cmocka_unit_test_teardown(shared_vertices_are_equal_and_levels_nest, temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
