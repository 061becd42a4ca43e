// SPDX-License-Identifier: MIT
// Meshes on the ground: what is drawn, where, and that the device has the index arrays that records give.
#include "gl/meshes.h"

#include "karst/mrmbuild.h"
#include "scenes/models.h"
#include "stage.h"

enum { W = 320, H = 200, SIDE = 129 };
static const double middle_m = SIDE - 1;  // 2 m a cell

// Level ground with a ridge of 6 m across, 20 m north of the middle.
static karst_field *ridge(void) {
    static float y[SIDE * SIDE];
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) y[j * SIDE + i] = fmaxf(0, 6 - 3 * fabsf((float)(j - SIDE / 2 + 10)));
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){.columns = SIDE, .rows = SIDE, .spacing_m = 2};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, SIDE, SIDE}, y, NULL, NULL, SIDE), KARST_OK);
    return field;
}

static karst_mrm *tank(bool move) {
    karst_model *model;
    karst_mrm *mrm;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.move = move;
    assert_int_equal(scene_model_tank(&model), KARST_OK);
    assert_int_equal(karst_mrm_build(model, &def, NULL, NULL, &mrm), KARST_OK);
    karst_model_destroy(model);
    return mrm;
}

typedef struct field_of_tanks {
    stage s;
    karst_mrm *mrm;
    karst_gl_meshes *meshes;
    karst_gl_look look;
    karst_view view;
    uint8_t bare[3 * W * H], rgb[3 * W * H];
} field_of_tanks;

// Seen from 14 m south of the middle and 4 m up.
static field_of_tanks *begin(bool move) {
    need_context();
    static field_of_tanks t;
    t = (field_of_tanks){.s = stage_make(ridge(), ""), .mrm = tank(move), .look = karst_gl_look_default()};
    assert_int_equal(karst_gl_meshes_create(t.s.gl, &t.meshes), KARST_OK);
    int id = -1;
    assert_int_equal(karst_gl_meshes_add(t.meshes, t.mrm, &id), KARST_OK);
    assert_int_equal(id, 0);
    t.view = karst_view_perspective((karst_pos){middle_m, 4, middle_m + 14}, (karst_pos){middle_m, 1, middle_m},
                                    (karst_vec3){0, 1, 0}, 0.8f, W, H);
    karst_frame frame;
    draw_still(&t.s, &t.view, NULL, &t.look, &frame, t.bare);
    t.look.meshes = t.meshes;
    return &t;
}

static void end(field_of_tanks *t) {
    karst_gl_meshes_destroy(t->meshes);
    karst_mrm_destroy(t->mrm);
    stage_clear(&t->s);
}

static karst_gl_instance at(double x, double z, float scale, uint32_t vertices) {
    return (karst_gl_instance){
        .vertices = vertices, .position = {x, 0, z}, .heading_rad = 0.6f, .scale = scale, .up = {0, 1, 0}};
}

// Draw these. mask: pixels that changed. @return how many
static int draw(field_of_tanks *t, const karst_gl_instance *list, int count, bool mask[W * H]) {
    assert_int_equal(karst_gl_meshes_show(t->meshes, list, count), KARST_OK);
    karst_frame frame;
    draw_still(&t->s, &t->view, NULL, &t->look, &frame, t->rgb);
    int changed = 0;
    for (int k = 0; k < W * H; ++k) {
        int d = 0;
        for (int c = 0; c < 3; ++c) d += abs(t->rgb[3 * k + c] - t->bare[3 * k + c]);
        changed += mask[k] = d > 6;
    }
    return changed;
}

// Share of the pixels of two pictures that are in both.
static double likeness(const bool *a, const bool *b) {
    int both = 0, any = 0;
    for (int k = 0; k < W * H; ++k) both += a[k] && b[k], any += a[k] || b[k];
    return any ? (double)both / any : 0;
}

static void a_coarse_tank_covers_what_a_fine_one_does(void **state) {
    (void)state;
    static bool fine[W * H], coarse[W * H], small[W * H];
    for (int move = 0; move < 2; ++move) {
        field_of_tanks *t = begin(move);
        karst_gl_instance i = at(middle_m, middle_m, 1, UINT32_MAX);
        int many = draw(t, &i, 1, fine);
        assert_true(karst_gl_meshes_figures(t->meshes).triangles == 1200);
        i.vertices = karst_mrm_level_of_triangles(t->mrm, 300).vertices;
        int few = draw(t, &i, 1, coarse);
        assert_true(karst_gl_meshes_figures(t->meshes).triangles <= 300);
        print_message("%d pixels at 1,200 triangles, %d at 300, %.3f in both\n", many, few, likeness(fine, coarse));
        assert_true(many > 2000 && likeness(fine, coarse) > 0.9);
        i.scale = 0.9f;  // control: a tank of another size is told from it
        draw(t, &i, 1, small);
        assert_true(likeness(fine, small) < 0.9);
        end(t);
    }
}

// Most that a colour of a pixel differs [codes].
static int differs(const uint8_t *a, const uint8_t *b) {
    int most = 0;
    for (int k = 0; k < 3 * W * H; ++k) most = abs(a[k] - b[k]) > most ? abs(a[k] - b[k]) : most;
    return most;
}

static void a_geomorph_begins_and_ends_at_its_levels(void **state) {
    (void)state;
    static bool mask[W * H];
    static uint8_t end_rgb[2][3 * W * H];
    for (int move = 0; move < 2; ++move) {
        field_of_tanks *t = begin(move);
        const uint32_t level[2] = {karst_mrm_level_of_triangles(t->mrm, 200).vertices,
                                   karst_mrm_level_of_triangles(t->mrm, 700).vertices};
        karst_gl_instance i = at(middle_m, middle_m, 1, 0);
        i.shadow = true;
        for (int k = 0; k < 2; ++k) {
            i.vertices = level[k];
            draw(t, &i, 1, mask);
            memcpy(end_rgb[k], t->rgb, sizeof t->rgb);
        }
        i.coarse_vertices = level[0];
        i.share = 1e-6f;  // geometry of the finer level, on the places of the coarser
        draw(t, &i, 1, mask);
        assert_true(karst_gl_meshes_figures(t->meshes).triangles > 600);
        int at_coarse = differs(t->rgb, end_rgb[0]);
        i.share = 1 - 1e-6f;
        draw(t, &i, 1, mask);
        int at_fine = differs(t->rgb, end_rgb[1]);
        i.share = 0.5f;  // control
        draw(t, &i, 1, mask);
        int middle = differs(t->rgb, end_rgb[0]);
        print_message("codes apart at the ends %d, %d; half way %d\n", at_coarse, at_fine, middle);
        assert_true(at_coarse <= 2 && at_fine <= 2 && middle > 30 && differs(end_rgb[0], end_rgb[1]) > 30);
        i.share = 0;
        draw(t, &i, 1, mask);
        assert_true(!differs(t->rgb, end_rgb[0]) && karst_gl_meshes_figures(t->meshes).triangles <= 200);
        end(t);
    }
}

static void nothing_drawn_is_black(void **state) {
    (void)state;
    static bool mask[W * H];
    field_of_tanks *t = begin(false);
    karst_gl_instance i = at(middle_m, middle_m, 1, UINT32_MAX);
    int black[2] = {0, 0};
    for (int night = 0; night < 2; ++night) {
        t->look.exposure_ev = night ? -20 : 0;  // the control
        draw(t, &i, 1, mask);
        for (int k = 0; k < W * H; ++k)
            black[night] += mask[k] && t->rgb[3 * k] < 4 && t->rgb[3 * k + 1] < 4 && t->rgb[3 * k + 2] < 4;
    }
    assert_true(black[0] == 0 && black[1] > 2000);
    end(t);
}

static void two_instances_stand_at_two_places(void **state) {
    (void)state;
    static bool mask[W * H];
    field_of_tanks *t = begin(false);
    karst_gl_instance pair[2] = {at(middle_m - 5, middle_m, 0.7f, UINT32_MAX), at(middle_m + 5, middle_m, 0.7f, 200)};
    for (int count = 0; count <= 2; ++count) {
        draw(t, pair, count, mask);
        int side[2] = {0, 0};
        for (int k = 0; k < W * H; ++k) side[k % W >= W / 2] += mask[k];
        assert_true(count > 0 ? side[0] > 500 : !side[0]);
        assert_true(count > 1 ? side[1] > 500 : !side[1]);
        assert_int_equal(karst_gl_meshes_figures(t->meshes).levels, count);
    }
    end(t);
}

static void a_tank_behind_a_hill_is_hidden(void **state) {
    (void)state;
    static bool mask[W * H];
    field_of_tanks *t = begin(false);
    karst_gl_instance i = at(middle_m, middle_m - 40, 1, UINT32_MAX);
    assert_int_equal(draw(t, &i, 1, mask), 0);
    assert_int_equal(karst_gl_meshes_figures(t->meshes).instances, 1);
    i.position.y = 8;  // control: on a pole it shows
    assert_true(draw(t, &i, 1, mask) > 100);
    i = at(middle_m, middle_m + 40, 1, UINT32_MAX);  // behind the eye it is left out
    assert_int_equal(draw(t, &i, 1, mask), 0);
    assert_int_equal(karst_gl_meshes_figures(t->meshes).instances, 0);
    end(t);
}

// Brightness that ground beside a tank loses, in codes of all its pixels.
static int64_t lost(const field_of_tanks *t, const bool tank_alone[W * H]) {
    int64_t sum = 0;
    for (int k = 0; k < W * H; ++k)
        for (int c = 0; c < 3 && !tank_alone[k]; ++c) sum += t->bare[3 * k + c] - t->rgb[3 * k + c];
    return sum;
}

static void a_shadow_darkens_the_ground_once(void **state) {
    (void)state;
    static bool alone[W * H], mask[W * H];
    field_of_tanks *t = begin(false);
    karst_gl_instance pair[2] = {at(middle_m, middle_m, 1, UINT32_MAX), at(middle_m, middle_m, 1, UINT32_MAX)};
    draw(t, pair, 1, alone);
    assert_int_equal(lost(t, alone), 0);  // without one
    pair[0].shadow = pair[1].shadow = true;
    draw(t, pair, 1, mask);
    int64_t one = lost(t, alone);
    draw(t, pair, 2, mask);  // twice the triangles in the same place
    assert_true(one > 5000 && lost(t, alone) == one);
    pair[1].position.x += 0.5;  // control: another shadow beside it is more
    draw(t, pair, 2, mask);
    assert_true(lost(t, alone) > one + 500);
    t->look.sun_elevation_rad = -0.2f;  // at night there is none
    karst_frame frame;
    t->look.meshes = NULL;
    draw_still(&t->s, &t->view, NULL, &t->look, &frame, t->bare);
    t->look.meshes = t->meshes;
    draw(t, pair, 1, mask);
    assert_true(lost(t, alone) == 0);
    end(t);
}

// Whether index arrays on the device are those of fresh instances.
static bool device_has_the_levels(const karst_gl_meshes *meshes, karst_mrm_instance *fresh) {
    static uint32_t there[3 * 1200];
    for (int r = 0; r < meshes->run_count; ++r) {
        const kst_mesh_level *l = meshes->runs[r].level;
        karst_mrm_set_level(fresh, l->uploaded);
        if (fresh->index_count != l->instance.index_count) return false;
        glGetNamedBufferSubData(l->indices, 0, fresh->index_count * (GLsizeiptr)sizeof *there, there);
        if (memcmp(there, fresh->index, fresh->index_count * sizeof *there) != 0) return false;
    }
    return true;
}

static void the_device_has_what_records_give_through_changed_pieces_alone(void **state) {
    (void)state;
    enum { TANKS = 5 };
    field_of_tanks *t = begin(false);
    void *memory = malloc(karst_mrm_instance_bytes(t->mrm));
    karst_mrm_instance fresh;
    karst_mrm_instance_init(&fresh, t->mrm, memory);
    karst_frame frame;
    karst_gl_instance list[TANKS];
    assert_int_equal(karst_scene_settle(t->s.scene, &t->view, 1, NULL, &frame), KARST_OK);
    for (prop p = prop_begin("levels", 300); prop_next(&p);) {
        for (int k = 0; k < TANKS; ++k) {
            list[k] = at(middle_m + k - 2, middle_m, 0.2f, 600 - (uint32_t)k * 40);
            if (prop_chance(&p, 0.7)) list[k].vertices = (uint32_t)prop_int(&p, 4, 700);
        }
        assert_int_equal(karst_gl_meshes_show(t->meshes, list, TANKS), KARST_OK);
        prop_check(&p, !kst_meshes_choose(t->meshes, &frame, &t->view));
        prop_check(&p, karst_gl_meshes_figures(t->meshes).instances == TANKS);
        prop_check(&p, device_has_the_levels(t->meshes, &fresh));
    }
    assert_int_equal(t->meshes->meshes[0].level_count, TANKS);  // as many as were shown at once, however many were
    // Step by step through all levels: far less goes up than the index array each time.
    uint64_t bytes = 0, all = 0;
    karst_gl_instance one = at(middle_m, middle_m, 1, 0);
    for (uint32_t v = 60; v <= 680; ++v) {
        one.vertices = v;
        assert_int_equal(karst_gl_meshes_show(t->meshes, &one, 1), KARST_OK);
        assert_int_equal(kst_meshes_choose(t->meshes, &frame, &t->view), KARST_OK);
        bytes += karst_gl_meshes_figures(t->meshes).uploaded_bytes;
        all += t->meshes->runs[0].level->instance.index_count * sizeof(uint32_t);
        assert_true(device_has_the_levels(t->meshes, &fresh));
    }
    print_message("%.1f bytes a step, of %.0f\n", (double)bytes / 620, (double)all / 620);
    assert_true(bytes && bytes * 10 < all);
    // Control: an index that is wrong on the device is found.
    const uint32_t wrong = 1u << 30;
    glNamedBufferSubData(t->meshes->runs[0].level->indices, 40, sizeof wrong, &wrong);
    assert_false(device_has_the_levels(t->meshes, &fresh));
    free(memory);
    end(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coarse_tank_covers_what_a_fine_one_does),
        cmocka_unit_test(a_geomorph_begins_and_ends_at_its_levels),
        cmocka_unit_test(nothing_drawn_is_black),
        cmocka_unit_test(two_instances_stand_at_two_places),
        cmocka_unit_test(a_tank_behind_a_hill_is_hidden),
        cmocka_unit_test(a_shadow_darkens_the_ground_once),
        cmocka_unit_test(the_device_has_what_records_give_through_changed_pieces_alone),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
