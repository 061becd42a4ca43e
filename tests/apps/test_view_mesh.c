// SPDX-License-Identifier: MIT
// The page of one mesh: its slider, its eye, and a visit with real keys and clicks; the slider of an army's budget.

#include "answers.h"
#include "karst/bake.h"
#include "mesh_read.h"
#include "orbit.h"
#include "scenes/scenes.h"
#include "slider.h"
#include "visit.h"

// ---- the slider --------------------------------------------------------------------------------------

static SDL_Event button(bool down, int x, int y) {
    return (SDL_Event){
        .button = {.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP, .button = SDL_BUTTON_LEFT, .x = x, .y = y}};
}

static void a_slider_follows_the_mouse_from_a_press_on_it(void **state) {
    (void)state;
    page p = {0};
    slider s = {0};
    assert_true(page_begin(&p, 800, 600, 40, 20));
    slider_place(&s, &p, 20, 500, 700, 0.25f, "text");
    int middle = (int)(0.5f * (s.top + s.bottom));
    for (int scale = 1; scale <= 2; ++scale) {  // pixels a window unit
        double share = 0.25;
        SDL_Event above = button(true, 300 / scale, (int)s.top / scale - 3),
                  move = {.motion = {.type = SDL_MOUSEMOTION}};
        move.motion.x = 500 / scale;
        assert_false(slider_event(&s, &above, scale, &share));
        assert_false(slider_event(&s, &move, scale, &share));
        assert_true(share == 0.25);  // control: not held
        SDL_Event press = button(true, (int)(s.x + 0.5f * s.width) / scale, middle / scale);
        assert_true(slider_event(&s, &press, scale, &share));
        assert_true(fabs(share - 0.5) < 0.005 && s.held);
        assert_true(slider_event(&s, &move, scale, &share));
        assert_true(fabs(share - (500 + 0.5 * scale - (double)s.x) / (double)s.width) < 0.003);
        move.motion.x = 5000;
        assert_true(slider_event(&s, &move, scale, &share) && share == 1);
        move.motion.x = -20;
        assert_true(slider_event(&s, &move, scale, &share) && share == 0);
        SDL_Event release = button(false, 0, 0);
        assert_true(slider_event(&s, &release, scale, &share) && !s.held && share == 0);
        assert_false(slider_event(&s, &move, scale, &share));
    }
    slider_hide(&s);
    SDL_Event press = button(true, 300, middle);
    double share = 0;
    assert_false(slider_event(&s, &press, 1, &share));
    page_free(&p);
}

// ---- the eye -----------------------------------------------------------------------------------------

static void project(const orbit *o, float aspect, karst_vec3 p, float out[3]) {
    float m[16], w;
    orbit_clip(o, aspect, m);
    w = m[3] * p.x + m[7] * p.y + m[11] * p.z + m[15];
    for (int r = 0; r < 3; ++r) out[r] = (m[r] * p.x + m[4 + r] * p.y + m[8 + r] * p.z + m[12 + r]) / w;
}

static void the_eye_holds_what_it_looks_at(void **state) {
    (void)state;
    for (prop q = prop_begin("orbit", 300); prop_next(&q);) {
        karst_vec3 place[8];
        for (int k = 0; k < 8; ++k)
            place[k] =
                (karst_vec3){(float)prop_real(&q, -3, 5), (float)prop_real(&q, 0, 9), (float)prop_real(&q, -2, 2)};
        orbit o = orbit_round((karst_vec3){1, 4, 0}, 6);
        float aspect = (float)prop_real(&q, 0.4, 2.5), fill = 0.8f;
        orbit_turn(&o, (float)prop_real(&q, -9, 9), (float)prop_real(&q, -4, 4));
        orbit_hold(&o, place, 8, aspect, fill);
        float most = 0, at[3];
        for (int k = 0; k < 8; ++k) {
            project(&o, aspect, place[k], at);
            most = fmaxf(most, fmaxf(fabsf(at[0]), fabsf(at[1])));
            prop_check(&q, at[2] > -1 && at[2] < 1);
        }
        prop_near(&q, most, fill, 2e-4f);
        // A shift of some pixels moves the target by as many.
        karst_vec3 was = o.target;
        orbit_shift(&o, 30, -20, 500);
        project(&o, aspect, was, at);
        prop_near(&q, at[0] * 250 * aspect, 30, 0.1f);
        prop_near(&q, at[1] * 250, 20, 0.1f);
        orbit near = o;
        orbit_zoom(&near, 2);
        prop_check(&q, near.distance_m < o.distance_m && orbit_pixels_per_m(&near, 500) > orbit_pixels_per_m(&o, 500));
    }
}

// ---- the program -------------------------------------------------------------------------------------

static void what_is_a_mesh_is_told_from_a_pack(void **state) {
    (void)state;
    assert_true(mesh_is("made:tank") && mesh_is("a/b.GLB") && mesh_is("x.obj") && mesh_is("no/such.kmrm"));
    assert_false(mesh_is("island.kpack") || mesh_is("made") || mesh_is("/") || mesh_is("no/such"));
    ran r[] = {run_words((const char *const[]){"karst-view", "made:hause", NULL}),
               run_words((const char *const[]){"karst-view", "no/such.kmrm", NULL}),
               run_words((const char *const[]){"karst-view", "no/such.glb", NULL})};
    const char *word[] = {"windmill", "no/such.kmrm", "no/such.glb"};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(r[k].code, 1);
        assert_true(is_one_line(r[k].err) && strstr(r[k].err, word[k]));
        ran_free(&r[k]);
    }
}

static cJSON *shot(const char *what, const char *triangles, const char *picture) {
    ran r = run_words((const char *const[]){"karst-view", what, "--triangles", triangles, "--screenshot",
                                            temp_path(picture), "--size", "400x300", "--json", NULL});
    if (r.code == 1 && (strstr(r.err, "OpenGL") || strstr(r.err, "no display"))) skip();
    if (r.code || r.err[0]) fail_msg("exit %d: %s", r.code, r.err);
    cJSON *json = cJSON_Parse(r.out);
    assert_non_null(json);
    ran_free(&r);
    return json;
}

// Bright pixels of the dark half, between the words.
static int line_pixels(const char *picture) {
    static uint8_t rgb[3 * 400 * 300];
    FILE *f = fopen(temp_path(picture), "rb");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "P6 400 300 255%*c"), 0);
    assert_int_equal(fread(rgb, 1, sizeof rgb, f), sizeof rgb);
    fclose(f);
    int count = 0;
    for (int j = 90; j < 250; ++j)
        for (int i = 205; i < 400; ++i) count += rgb[3 * (400 * j + i)] > 90;
    return count;
}

static void a_picture_has_the_level_that_was_asked_for(void **state) {
    (void)state;
    no_display();
    cJSON *fine = shot("made:tank", "1200", "fine.ppm"), *few = shot("made:tank", "150", "few.ppm");
    assert_true(number_in(fine, "triangles") == 1200 && number_in(fine, "error_m") == 0);
    assert_true(number_in(few, "triangles") <= 150 && number_in(few, "triangles") > 100);
    assert_true(number_in(few, "error_px") > 1 && number_in(few, "vertices") < number_in(fine, "vertices"));
    double px = number_in(few, "error_m") * number_in(few, "pixels_per_m");
    assert_true(fabs(px - number_in(few, "error_px")) < 1e-3 * px);
    int many = line_pixels("fine.ppm"), less = line_pixels("few.ppm");
    if (many < 1.3 * less || less < 100) fail_msg("%d pixels of lines at 1,200 triangles, %d at 150", many, less);
    cJSON_Delete(fine);
    cJSON_Delete(few);
}

// ---- a visit -----------------------------------------------------------------------------------------

static double of_slider(const cJSON *json, int k) {
    return cJSON_GetArrayItem(cJSON_GetObjectItem(json, "slider"), k)->valuedouble;
}

// Press the slider at one share and drag it to another.
static const char *drag(const cJSON *json, double from, double to) {
    static char orders[256];
    double x = of_slider(json, 0), width = of_slider(json, 1) - x, y = of_slider(json, 2);
    snprintf(orders, sizeof orders,
             "mousemove %.0f %.0f sleep 0.1 mousedown 1 sleep 0.2 mousemove %.0f %.0f sleep 0.2 mouseup 1",
             x + from * width, y, x + to * width, y);
    return orders;
}

static void a_visit_plays_drags_turns_and_comes_nearer(void **state) {
    (void)state;
    pid_t server = display_open();
    if (!server) skip();
    const char *const words[] = {"karst-view", "made:tank", "--size", "400x300", "--seconds", "100", "--json", NULL};
    const char *const play[] = {"key space sleep 1 key space sleep 0.5", NULL};
    cJSON *a = visit(words, "made:tank", "windowmove 0 0", play);
    assert_true(number_in(a, "share") < 0.99 && number_in(a, "triangles") < 1200);  // it had begun at full detail
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(a, "playing")) && number_in(a, "records") == 0);
    const char *const hands[] = {drag(a, 0.9, 0.5),
                                 "mousemove 150 160 mousedown 1 mousemove_relative 60 30 sleep 0.2 mouseup 1",
                                 "click 4 click 4 sleep 0.2 key Right key Right key w sleep 0.3", NULL};
    cJSON *b = visit(words, "made:tank", "windowmove 0 0", hands);
    if (fabs(number_in(b, "share") - 0.52) > 0.01) fail_msg("dragged to %.3f, wanted 0.52", number_in(b, "share"));
    assert_true(number_in(b, "error_px") > 0 && number_in(b, "layout") == 1);
    assert_true(number_in(b, "yaw_rad") < number_in(a, "yaw_rad") - 0.1);  // the thing followed the hand
    assert_true(number_in(b, "pitch_rad") > number_in(a, "pitch_rad") + 0.05);
    assert_true(number_in(b, "distance_m") < 0.9 * number_in(a, "distance_m"));
    cJSON_Delete(a);
    cJSON_Delete(b);
    display_close(server);
}

static void an_armys_budget_is_dragged(void **state) {
    (void)state;
    pid_t server = display_open();
    if (!server) skip();
    karst_field *field;
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    assert_int_equal(scene_rough_field(129, 129, 12, 3, false, false, (karst_pos){0, 0, 0}, &field), KARST_OK);
    const char *pack = temp_path("army.kpack");
    if (karst_bake_field(field, pack, &def, NULL, &report, NULL)) fail_msg("%s", report.message);
    karst_field_destroy(field);
#define WORDS                                                                                                          \
    "karst-view", pack, "--size", "500x420", "--json", "--army", "made:jeep", "--army", "made:truck", "--count", "60", \
        "--lod-error", "8"
    const char *const words[] = {WORDS, "--seconds", "100", NULL};
    ran r = run_words((const char *const[]){WORDS, "--screenshot", temp_path("army.ppm"), NULL});
    if (r.code) fail_msg("exit %d: %s", r.code, r.err);
    cJSON *a = cJSON_Parse(r.out);
    assert_non_null(a);
    ran_free(&r);
    assert_true(number_in(a, "army_triangles_most") == 60000);
    const char *const hands[] = {drag(a, 0.6, 0.3), NULL};
    cJSON *b = visit(words, "army.kpack", "windowmove 0 0", hands);
    double full = 60 * 2756, wanted = 1000 * pow(full / 1000, 0.3);  // jeeps and trucks have 2,684 and 2,828
    double is = number_in(b, "army_triangles_most");
    if (fabs(log(is / wanted)) > 0.1) fail_msg("dragged to %.0f triangles, wanted about %.0f", is, wanted);
    assert_true(number_in(b, "yaw_rad") == number_in(a, "yaw_rad"));
    cJSON_Delete(a);
    cJSON_Delete(b);
    display_close(server);
}

static int cleanup(void **state) {
    (void)state;
    temp_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_slider_follows_the_mouse_from_a_press_on_it),
                                       cmocka_unit_test(the_eye_holds_what_it_looks_at),
                                       cmocka_unit_test(what_is_a_mesh_is_told_from_a_pack),
                                       cmocka_unit_test(a_picture_has_the_level_that_was_asked_for),
                                       cmocka_unit_test(a_visit_plays_drags_turns_and_comes_nearer),
                                       cmocka_unit_test(an_armys_budget_is_dragged)};
    return cmocka_run_group_tests(tests, NULL, cleanup);
}
