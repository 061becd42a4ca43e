// SPDX-License-Identifier: MIT
// The viewer: its words, letters and hands; the program without a display; and, where Xvfb and xdotool are, a visit
// with real keys and clicks.
#include <unistd.h>

#include "input.h"
#include "karst/bake.h"
#include "karst/scene.h"
#include "options.h"
#include "page.h"
#include "picture.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/run.h"
#include "visit.h"
#include "words.h"

// ---- words of the command line ---------------------------------------------------------------------

static int parse(options *o, karst_report *report, const char *const *line) {
    int count = 0;
    while (line[count]) ++count;
    return options_parse(count, (char **)(uintptr_t)line, o, report);
}
#define PARSE(...) parse(&o, &report, (const char *const[]){__VA_ARGS__, NULL})

static void options_are_read(void **state) {
    (void)state;
    options o;
    karst_report report = {0};
    assert_int_equal(PARSE("p.kpack"), VIEW_DONE);
    assert_string_equal(o.pack, "p.kpack");
    assert_int_equal(o.width, 1280);
    assert_int_equal(
        PARSE("--size", "800x600", "--eye", "-1,2.5,-3e2", "p", "--look=1,2,3", "--fov-deg", "90", "--walk"),
        VIEW_DONE);
    assert_int_equal(o.width, 800);
    assert_int_equal(o.height, 600);
    assert_true(o.has_eye && o.eye.x == -1 && o.eye.y == 2.5 && o.eye.z == -300);
    assert_true(o.has_look && o.look.z == 3 && o.walk && !o.bare);
    assert_true(fabsf(o.fov_rad - 1.5707963f) < 1e-6f);
    assert_int_equal(PARSE("--seconds", "1.5", "--hour=18", "--lod-error", "0.5", "--threads", "2", "--", "--odd"),
                     VIEW_DONE);
    assert_string_equal(o.pack, "--odd");
    assert_true(o.seconds == 1.5 && o.hour == 18 && o.error_px == 0.5f && o.threads == 2);
    assert_true(isnan(o.water_m));
    assert_int_equal(PARSE("--method", "rings", "--skirt", "250", "--water", "-2.5", "p"), VIEW_DONE);
    assert_true(o.method == KARST_METHOD_RINGS && o.skirt_m == 250 && o.water_m == -2.5f);
    assert_int_equal(o.army_whats, 0);
    assert_int_equal(PARSE("--army", "made:tank", "--count", "12", "--army=x.kmrm", "--army-triangles=9000", "p"),
                     VIEW_DONE);
    assert_true(o.army_whats == 2 && !strcmp(o.army[0], "made:tank") && !strcmp(o.army[1], "x.kmrm"));
    assert_true(o.army_count == 12 && o.army_triangles == 9000);
    assert_true(!o.triangles && !(o.target_ms > 0) && !o.error_told);
    assert_int_equal(PARSE("--triangles", "70000", "--ms", "8.5", "--lod-error=2", "p"), VIEW_DONE);
    assert_true(o.triangles == 70000 && o.target_ms == 8.5f && o.error_told && o.error_px == 2);
    assert_int_equal(PARSE("--nonsense", "--help"), VIEW_DONE);
    assert_true(o.help);
}

static void wrong_options_are_named(void **state) {
    (void)state;
    options o;
    const struct {
        const char *line[5], *names;
    } wrong[] = {
        {{"p", "q"}, "q"},
        {{"p", "--sise", "3x3"}, "--sise"},
        {{"p", "--size"}, "WxH"},
        {{"p", "--size", "800"}, "--size 800"},
        {{"p", "--size", "8x8"}, "64.."},
        {{"p", "--size", "800x600x2"}, "800x600x2"},
        {{"p", "--hour", "nan"}, "nan"},
        {{"p", "--hour", " 1"}, "--hour"},
        {{"p", "--eye", "1,2"}, "X,Y,Z"},
        {{"p", "--eye", "1,2,x"}, "X,Y,Z"},
        {{"p", "--fov-deg", "180"}, "150"},
        {{"p", "--threads", "0"}, "1..256"},
        {{"p", "--walk=yes"}, "--walk"},
        {{"p", "--screenshot="}, "FILE"},
        {{"p", "--skirt", "-1"}, "--skirt -1"},
        {{"p", "--method", "mesh"}, "--method mesh: give one of: " KARST_METHOD_NAMES},
        {{"p", "--count", "0"}, "--count 0"},
        {{"p", "--count", "9"}, "--army made:tank"},
        {{"p", "--triangles", "-5"}, "--triangles -5"},
        {{"p", "--army=made:tank", "--army-triangles=9", "--ms=9"}, "--army-triangles"},
        {{"p", "--ms", "9", "--screenshot", "a.ppm"}, "--seconds"},
        {{"p", "-x"}, "-x"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        karst_report report = {0};
        assert_int_equal(parse(&o, &report, wrong[k].line), VIEW_USAGE);
        if (!strstr(report.message, wrong[k].names)) fail_msg("case %zu: %s", k, report.message);
        assert_null(strchr(report.message, '\n'));
    }
    karst_report report = {0};
    assert_int_equal(PARSE("--walk"), VIEW_USAGE);
    assert_non_null(strstr(report.message, "which pack"));
}

// ---- letters ---------------------------------------------------------------------------------------

static const uint8_t *letter_pixel(const font *f, int letter, int i, int j) {
    return f->pixels + 2 * ((size_t)(letter / FONT_COLUMNS * f->cell_height + j) * (size_t)f->width +
                            (size_t)(letter % FONT_COLUMNS * f->cell_width + i));
}

static void every_letter_is_there_and_is_no_other(void **state) {
    (void)state;
    const int lines[] = {10, 15, 23, 47, 120};
    for (int s = 0; s < 5; ++s) {
        font f = font_make(lines[s]);
        assert_non_null(f.pixels);
        assert_int_equal(f.line, lines[s]);
        for (int a = 1; a < FONT_COUNT; ++a) {
            int strong = 0;
            for (int j = 0; j < f.cell_height; ++j)
                for (int i = 0; i < f.cell_width; ++i) {
                    const uint8_t *pixel = letter_pixel(&f, a, i, j);
                    strong += pixel[0] > 140;
                    assert_true(pixel[1] >= pixel[0] / 2);  // a halo lies under all ink
                    bool edge = !i || !j || i == f.cell_width - 1 || j == f.cell_height - 1;
                    if (edge) assert_int_equal(pixel[0], 0);  // and nothing is cut off
                }
            assert_true(strong > 0);
            for (int b = 1; b < a; ++b) {
                int differ = 0;
                for (int j = 0; j < f.cell_height; ++j)
                    for (int i = 0; i < f.cell_width; ++i)
                        differ += abs(letter_pixel(&f, a, i, j)[0] - letter_pixel(&f, b, i, j)[0]) > 60;
                if (!differ) fail_msg("%c looks like %c at %d", a + FONT_FIRST, b + FONT_FIRST, lines[s]);
            }
        }
        assert_int_equal(letter_pixel(&f, FONT_COUNT, f.cell_width / 2, f.cell_height / 2)[0], 255);
        font_free(&f);
        assert_null(f.pixels);
    }
}

// ---- the page --------------------------------------------------------------------------------------

static void assert_inside(const page *p) {
    for (int k = 0; k < p->count; ++k) {
        const page_quad *q = &p->quads[k];
        const float margin = (float)p->font.margin;  // of a cell round its letter
        assert_true(q->x0 >= -margin && q->y0 >= -margin);
        assert_true(q->x1 <= (float)p->width + margin && q->y1 <= (float)p->height + margin);
        assert_true(q->u1 <= (float)p->font.width && q->v1 <= (float)p->font.height);
    }
}

static words some_words(const karst_frame *frame, const camera *c) {
    static budget half = {.ground.error_px = 0.5f};
    return (words){.frames_per_s = 59.9,
                   .cpu_ms = 12.34,
                   .frame = frame,
                   .camera = c,
                   .under_cursor = {.hit = true, .t = 12345.6, .position = {1234567.89, 1234.56, -1234567.89}},
                   .hour = 23.999f,
                   .budget = &half,
                   .frozen = true,
                   .lapse = true,
                   .device = "A device with quite a long name, as they have (driver 1.2.3)",
                   .figures = true,
                   .help = true,
                   .cross = true,
                   .message = "written: karst-view-0001.png",
                   .frames = 2};
}

static void text_fits_any_window_and_grows_with_it(void **state) {
    (void)state;
    const int sizes[][2] = {{640, 360}, {800, 300}, {400, 800}, {1280, 720}, {1920, 1080}, {3840, 2160}, {5120, 1440}};
    karst_frame frame = {.figures = {123456789, 6, 0.987f, 1000, 999, 10000}};
    camera c = camera_at((karst_pos){-1234567.89, 1234.56, 1234567.89}, (karst_pos){0, 0, 0});
    page p = {0};
    int before = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        words w = some_words(&frame, &c);
        assert_true(words_place(&w, &p, sizes[k][0], sizes[k][1]));
        assert_true(p.count > 500);
        assert_inside(&p);
        if (k >= 3 && k < 6) {
            assert_true(p.font.line > before);
            before = p.font.line;
        }
    }
    assert_true(before >= 40);  // 4K
    words nothing = {.frame = &frame, .camera = &c, .device = ""};
    assert_true(words_place(&nothing, &p, 800, 600));
    assert_int_equal(p.count, 0);
    page_begin(&p, 800, 600, 10, 10);
    float plain = page_text(&p, 10, 10, 0xFFFFFFFF, "abc");
    assert_true(page_text(&p, 10, 10, 0xFFFFFFFF,
                          "\xC3\xA4\xE2\x82\xAC"
                          "c") == plain);  // three characters
    const float wide = page_text(&p, 780, 10, 0xFFFFFFFF, "far over the edge");
    assert_true(wide > 100);
    bool outside = false;  // control: what does not fit is seen
    for (int k = 0; k < p.count; ++k) outside |= p.quads[k].x1 > 800 + (float)p.font.margin;
    assert_true(outside);
    page_free(&p);
}

static void a_graph_keeps_the_last_frames_and_stays_on_its_panel(void **state) {
    (void)state;
    static const float rgb[3] = {1, 0, 0};
    page p = {0};
    graph g = {0};
    for (int frames = 0; frames < 300; ++frames) {
        assert_true(page_begin(&p, 1280, 720, 40, 20));
        graph_place(&g, &p, 10, 20, 100, rgb, "");
        int kept = frames < GRAPH_FRAMES ? frames : GRAPH_FRAMES;
        assert_int_equal(p.count, 1 + kept);  // the panel, then bars from the newest on
        float high = 3 * (float)p.font.line, before = p.quads[0].x1;
        for (int k = 1; k <= kept; ++k) {
            const page_quad *q = &p.quads[k];
            float value = (float)(10 + (frames - k) % 150), share = fminf(value / 100, 1);  // some are over the top
            assert_true(fabsf((q->y1 - q->y0) - high * share) <= 1 && q->x1 < before);
            assert_true(q->x0 >= p.quads[0].x0 && q->y0 >= p.quads[0].y0 && q->y1 <= p.quads[0].y1);
            before = q->x1;
        }
        graph_add(&g, (float)(10 + frames % 150));
    }
    assert_true(graph_most(&g) == 159);
    page_free(&p);
}

static void figures_are_json(void **state) {
    (void)state;
    karst_frame frame = {.figures = {123456789, 6, INFINITY, 1000, 999, 10000}};
    camera c = camera_at((karst_pos){1.5, 2, 3}, (karst_pos){0, 0, 0});
    words w = some_words(&frame, &c);
    w.device = "odd \"name\" \\ \n";
    char text[2048] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    words_json(&w, out);
    fclose(out);
    assert_true(is_one_line(text));
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    assert_true(cJSON_GetObjectItem(json, "triangles")->valuedouble == 123456789);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "max_error_px")));
    assert_true(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "eye"), 0)->valuedouble == 1.5);
    cJSON_Delete(json);
}

// ---- hands -----------------------------------------------------------------------------------------

static action press(input *in, SDL_Keycode sym, SDL_Scancode scancode, int mod, bool repeat) {
    SDL_Event e = {.key = {.type = SDL_KEYDOWN, .repeat = repeat}};
    e.key.keysym.sym = sym;
    e.key.keysym.scancode = scancode;
    e.key.keysym.mod = (Uint16)mod;
    return input_event(in, &e);
}

static void a_picture_that_cannot_be_written_says_why(void **state) {
    (void)state;
    const uint8_t rgb[3] = {1, 2, 3};
    karst_report report = {0};
    assert_int_equal(picture_write("/no/such/folder/a.ppm", 1, 1, rgb, &report), KARST_ERROR_FILE);
    assert_non_null(strstr(report.message, "/no/such/folder"));
    char name[32];
    assert_true(picture_free_name(name));
    assert_true(access(name, F_OK));
}

static void keys_act_and_a_tap_moves(void **state) {
    (void)state;
    input in = {0};
    uint8_t held[SDL_NUM_SCANCODES] = {0};
    assert_int_equal(press(&in, SDLK_g, SDL_SCANCODE_G, 0, false), ACTION_WALK);
    assert_int_equal(press(&in, SDLK_g, SDL_SCANCODE_G, 0, true), ACTION_NONE);  // held down: once
    assert_int_equal(press(&in, SDLK_TAB, SDL_SCANCODE_TAB, KMOD_LALT, false), ACTION_NONE);
    assert_int_equal(press(&in, SDLK_PERIOD, SDL_SCANCODE_PERIOD, 0, true), ACTION_LATER);
    assert_int_equal(press(&in, SDLK_AMPERSAND, SDL_SCANCODE_1, 0, false), ACTION_WIREFRAME);  // French keyboard
    assert_int_equal(press(&in, SDLK_MINUS, SDL_SCANCODE_MINUS, 0, true), ACTION_FEWER);
    assert_int_equal(press(&in, SDLK_EQUALS, SDL_SCANCODE_EQUALS, KMOD_LSHIFT, false), ACTION_MORE);
    assert_int_equal(press(&in, SDLK_ESCAPE, SDL_SCANCODE_ESCAPE, 0, false), ACTION_QUIT);
    SDL_Event quit = {.type = SDL_QUIT};
    assert_int_equal(input_event(&in, &quit), ACTION_QUIT);
    input_wish(&in, held, 0.01);

    assert_int_equal(press(&in, SDLK_z, SDL_SCANCODE_W, 0, false), ACTION_NONE);
    assert_true(input_wish(&in, held, 0.01).forward == 1);  // though it is up again
    assert_true(input_wish(&in, held, 0.01).forward == 0);
    held[SDL_SCANCODE_W] = held[SDL_SCANCODE_DOWN] = held[SDL_SCANCODE_SPACE] = held[SDL_SCANCODE_RSHIFT] = 1;
    camera_wish w = input_wish(&in, held, 0.01);
    assert_true(w.forward == 0 && w.up == 1 && w.hurry && w.right == 0);
}

static void the_head_turns_only_while_a_button_is_held(void **state) {
    (void)state;
    input in = {0};
    uint8_t held[SDL_NUM_SCANCODES] = {0};
    SDL_Event move = {.motion = {.type = SDL_MOUSEMOTION, .x = 40, .y = 50, .xrel = 10, .yrel = 20}};
    SDL_Event button = {.button = {.type = SDL_MOUSEBUTTONDOWN, .button = SDL_BUTTON_RIGHT, .x = 40, .y = 50}};
    input_event(&in, &move);
    assert_int_equal(in.mouse_x, 40);
    assert_true(input_wish(&in, held, 0.01).turn_right_rad == 0);
    input_event(&in, &button);
    assert_true(input_looking(&in));
    input_event(&in, &move);
    input_event(&in, &move);
    camera_wish w = input_wish(&in, held, 0.01);
    assert_true(fabs(w.turn_right_rad - 0.2) < 1e-12 && fabs(w.turn_up_rad + 0.4) < 1e-12);
    SDL_Event away = {.window = {.type = SDL_WINDOWEVENT, .event = SDL_WINDOWEVENT_FOCUS_LOST}};
    input_event(&in, &away);
    assert_false(input_looking(&in));
    SDL_Event wheel = {.wheel = {.type = SDL_MOUSEWHEEL, .preciseY = 2}};
    input_event(&in, &wheel);
    assert_true(input_wish(&in, held, 0.01).faster == 2);
    assert_true(input_wish(&in, held, 0.01).faster == 0);
}

// ---- the program -----------------------------------------------------------------------------------

static const char *pack_path;

// Where a visit without --eye begins, as the first run says.
static karst_pos first_eye;
static double first_yaw_rad;

static int setup(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_rough_field(257, 193, 4, 3, false, false, (karst_pos){5000, 100, -3000}, &field), KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    pack_path = strdup(temp_path("view.kpack"));
    if (karst_bake_field(field, pack_path, &def, NULL, &report, NULL)) fail_msg("bake: %s", report.message);
    karst_field_destroy(field);
    return 0;
}

static int cleanup(void **state) {
    (void)state;
    temp_remove();
    free((void *)(uintptr_t)pack_path);
    return 0;
}

#define run_view(...) run_words((const char *const[]){"karst-view", __VA_ARGS__, NULL})

static void what_cannot_be_is_one_line(void **state) {
    (void)state;
    no_display();
    const char *odd = temp_path("odd.kpack"), *none = temp_path("none.kpack");
    FILE *f = fopen(odd, "w");
    fputs("not a pack", f);
    fclose(f);
    ran r[] = {run_view(none),     run_view(odd),        run_view(pack_path), run_view(pack_path, "--size", "1x1"),
               run_view("--help"), run_view("--version")};
    const int codes[] = {1, 1, 1, 2, 0, 0};
    for (int k = 0; k < 6; ++k) {
        if (r[k].code != codes[k]) fail_msg("case %d: exit %d: %s", k, r[k].code, r[k].err);
        if (codes[k]) {
            if (!is_one_line(r[k].err)) fail_msg("case %d: %s", k, r[k].err);
            assert_int_equal(strncmp(r[k].err, "karst-view: ", 12), 0);
        }
    }
    assert_non_null(strstr(r[0].err, "none.kpack"));
    assert_non_null(strstr(r[2].err, "karst flyover"));  // no display: what to do instead
    assert_non_null(strstr(r[4].out, "--screenshot FILE"));
    assert_true(is_one_line(r[5].out));
    for (int k = 0; k < 6; ++k) ran_free(&r[k]);
}

typedef struct ppm {
    int width, height;
    uint8_t *rgb;
} ppm;

static ppm read_ppm(const char *path) {
    ppm p = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "P6 %d %d 255", &p.width, &p.height), 2);
    fgetc(f);
    size_t bytes = 3 * (size_t)p.width * (size_t)p.height;
    p.rgb = malloc(bytes);
    assert_int_equal(fread(p.rgb, 1, bytes, f), bytes);
    fclose(f);
    return p;
}

// Share of pixels that differ, inside a part of the picture given in shares of its sides.
static double differing(const ppm *a, const ppm *b, double x0, double y0, double x1, double y1) {
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    int count = 0, differ = 0;
    for (int j = (int)(y0 * a->height); j < (int)(y1 * a->height); ++j)
        for (int i = (int)(x0 * a->width); i < (int)(x1 * a->width); ++i) {
            size_t at = 3 * ((size_t)j * (size_t)a->width + (size_t)i);
            ++count;
            differ += memcmp(a->rgb + at, b->rgb + at, 3) != 0;
        }
    return (double)differ / count;
}

static double number(const cJSON *json, const char *name) {
    const cJSON *item = cJSON_GetObjectItem(json, name);
    assert_non_null(item);
    return item->valuedouble;
}

static bool truth(const cJSON *json, const char *name) {
    const cJSON *item = cJSON_GetObjectItem(json, name);
    assert_true(cJSON_IsBool(item));
    return cJSON_IsTrue(item);
}

static karst_pos place(const cJSON *json, const char *name) {
    const cJSON *list = cJSON_GetObjectItem(json, name);
    assert_int_equal(cJSON_GetArraySize(list), 3);
    return (karst_pos){cJSON_GetArrayItem(list, 0)->valuedouble, cJSON_GetArrayItem(list, 1)->valuedouble,
                       cJSON_GetArrayItem(list, 2)->valuedouble};
}

static double ground_below(karst_pos p) {
    karst_pack *pack;
    karst_scene *scene;
    double y = NAN;
    assert_int_equal(karst_pack_open(pack_path, NULL, &pack), KARST_OK);
    assert_int_equal(karst_scene_create(pack, NULL, &scene), KARST_OK);
    assert_true(karst_scene_height(scene, p.x, p.z, &y));
    karst_scene_destroy(scene);
    karst_pack_close(pack);
    return y;
}

static void skip_without_opengl(const ran *r) {
    if (r->code == 1 && (strstr(r->err, "OpenGL") || strstr(r->err, "no display"))) skip();
    if (r->code || r->err[0]) fail_msg("exit %d: %s", r->code, r->err);
}

static void without_a_display_it_writes_the_first_frame(void **state) {
    (void)state;
    no_display();
    const char *bare = temp_path("bare.ppm"), *text = temp_path("text.ppm");
    ran a = run_view(pack_path, "--screenshot", bare, "--bare", "--size", "480x320", "--json");
    skip_without_opengl(&a);
    ran b = run_view(pack_path, "--screenshot", text, "--size", "480x320", "--seconds", "0.2", "--threads", "3");
    assert_int_equal(b.code, 0);
    ppm p = read_ppm(bare), t = read_ppm(text);
    assert_int_equal(p.width, 480);
    assert_int_equal(p.height, 320);
    double top = differing(&p, &t, 0, 0, 0.5, 0.12), right = differing(&p, &t, 0.6, 0.6, 1, 1);
    if (!(top > 0.6) || right > 0) fail_msg("text: %.3f of the top differs, %.3f at the right", top, right);
    free(p.rgb);
    free(t.rgb);
    cJSON *json = cJSON_Parse(a.out);
    assert_non_null(json);
    first_eye = place(json, "eye");
    first_yaw_rad = number(json, "yaw_rad");
    assert_true(number(json, "chunks_awaited") == 0 && number(json, "max_error_px") < 1.001);
    cJSON_Delete(json);
    ran_free(&a);
    ran_free(&b);
}

static void an_army_stands_there_within_its_triangles(void **state) {
    (void)state;
    no_display();
    for (int k = 0; k < 2; ++k) {
        ran r = run_view(pack_path, "--screenshot", temp_path("army.ppm"), "--size", "320x200", "--json", "--army",
                         "made:tank", "--count", "30", "--army-triangles", k ? "1000000" : "9000");
        skip_without_opengl(&r);
        cJSON *json = cJSON_Parse(r.out);
        assert_true(number(json, "army_units") == 30 && number(json, "army_seen") > 0);
        assert_true(number(json, "army_triangles") <= 9000 || k);
        assert_true(k ? number(json, "army_triangles") == 1200 * number(json, "army_seen")
                      : number(json, "army_error_px") > 0);
        cJSON_Delete(json);
        ran_free(&r);
    }
}

static void one_budget_covers_ground_and_army(void **state) {
    (void)state;
    no_display();
    double error[2];
    for (int k = 0; k < 2; ++k) {
        ran r = run_view(pack_path, "--screenshot", temp_path("budget.ppm"), "--size", "320x200", "--json", "--army",
                         "made:tank", "--count", "30", "--triangles", k ? "30000" : "12000");
        skip_without_opengl(&r);
        cJSON *json = cJSON_Parse(r.out);
        double most = number(json, "budget_triangles"), drawn = number(json, "budget_drawn");
        error[k] = number(json, "budget_error_px");
        print_message("of %g triangles %g are drawn, ground %g at %g px, army %g at %g px, after %g frames\n", most,
                      drawn, number(json, "budget_ground"), number(json, "lod_error_px"), number(json, "budget_army"),
                      number(json, "army_error_px"), number(json, "frames"));
        assert_true(most == (k ? 30000 : 12000) && drawn <= most && drawn > 0.7 * most);
        assert_true(number(json, "budget_army") == number(json, "army_triangles"));
        assert_true(number(json, "budget_ground") == number(json, "triangles"));
        cJSON_Delete(json);
        ran_free(&r);
    }
    assert_true(error[1] < error[0]);
}

// A frame of half a millisecond is too much to ask, one of a second is not.
static void a_budget_of_time_follows_what_frames_take(void **state) {
    (void)state;
    no_display();
    double triangles[2], frames[2];
    for (int k = 0; k < 2; ++k) {
        ran r = run_view(pack_path, "--screenshot", temp_path("time.ppm"), "--size", "64x64", "--json", "--seconds",
                         "1.5", "--ms", k ? "1000" : "0.5");
        skip_without_opengl(&r);
        cJSON *json = cJSON_Parse(r.out);
        triangles[k] = number(json, "budget_triangles");
        frames[k] = number(json, "frames");
        print_message("%g frames of %g ms, %g asked for: %g triangles\n", frames[k], number(json, "frame_ms"),
                      number(json, "budget_ms"), triangles[k]);
        assert_true(frames[k] < 10 || number(json, "frame_ms") > 0);
        cJSON_Delete(json);
        ran_free(&r);
    }
    if (frames[0] < 10 || frames[1] < 10) skip();  // too few to tell anything
    assert_true(triangles[0] < 200000 && triangles[1] >= 200000);
}

static void on_foot_it_begins_at_the_height_of_eyes(void **state) {
    (void)state;
    no_display();
    const char *picture = temp_path("foot.ppm");
    ran a =
        run_view(pack_path, "--walk", "--eye", "5300,0,-2700", "--screenshot", picture, "--size", "64x64", "--json");
    skip_without_opengl(&a);
    cJSON *json = cJSON_Parse(a.out);
    assert_non_null(json);
    karst_pos eye = place(json, "eye");
    assert_true(truth(json, "walking"));
    assert_true(eye.x == 5300 && eye.z == -2700);
    assert_true(fabs(eye.y - ground_below(eye) - 1.7) < 1e-4);  // over the ground that queries see
    assert_true(fabs(number(json, "over_ground_m") - 1.7) < 1e-4);
    cJSON_Delete(json);
    ran_free(&a);
}

// ---- a visit ---------------------------------------------------------------------------------------

// At some eye, NULL: a good one. picture: the last frame.
static cJSON *visit_at(const char *eye, const char *const *script, const char *picture) {
    const char *const call[] = {"karst-view",
                                pack_path,
                                "--size",
                                "400x300",
                                "--seconds",
                                "100",
                                "--lod-error",
                                "4",
                                "--bare",
                                "--json",
                                eye ? "--eye" : "--bare",
                                eye ? eye : "--bare",
                                "--screenshot",
                                picture,
                                NULL};
    return visit(call, "view.kpack", "mousemove 320 240", script);
}

static void a_visit_with_keys_and_clicks(void **state) {
    (void)state;
    pid_t server = display_open();
    if (!server) skip();
    const char *moved = temp_path("moved.ppm"), *helped = temp_path("helped.ppm");

    const char *const flight[] = {"key 3 key bracketleft key period key period key t key t key Tab key Tab",
                                  "mousedown 1 mousemove_relative 40 0 sleep 0.2 mouseup 1",
                                  "keydown w sleep 0.3 keyup w", NULL};
    cJSON *b = visit_at(NULL, flight, moved);
    assert_string_equal(cJSON_GetObjectItem(b, "overlay")->valuestring, "level");
    assert_true(!truth(b, "contours") && !truth(b, "lapse") && !truth(b, "walking"));
    assert_true(number(b, "lod_error_px") == 2);
    assert_true(number(b, "hour") >= 9.5 && number(b, "hour") < 10);
    karst_pos to = place(b, "eye");
    assert_true(hypot(to.x - first_eye.x, to.z - first_eye.z) > 0.1);
    assert_true(remainder(number(b, "yaw_rad") - first_yaw_rad, 6.283185307179586) > 0.01);  // to the right
    assert_true(to.y > ground_below(to));

    const char *const foot[] = {"key h key f key g key 3 key 3 key 3 key 3 key i sleep 0.3",
                                "keydown Up sleep 0.3 keyup Up", NULL};
    karst_pos low = {5300, 0, -2700};  // a little higher than eyes are on foot, to be there soon
    char eye[64];
    snprintf(eye, sizeof eye, "%g,%g,%g", low.x, ground_below(low) + 2.5, low.z);
    cJSON *c = visit_at(eye, foot, helped);
    assert_true(truth(c, "walking") && truth(c, "frozen") && truth(c, "help"));
    assert_string_equal(cJSON_GetObjectItem(c, "overlay")->valuestring, "residency");
    karst_pos stood = place(c, "eye");
    assert_true(fabs(stood.y - ground_below(stood) - 1.7) < 0.3);
    assert_true(hypot(stood.x - low.x, stood.z - low.z) > 0.01);

    // Seen: the colours of levels over the lower half, the letters of the help, and in the legend the colour of chunks
    // that are awaited, when none is any more.
    ppm q = read_ppm(moved), h = read_ppm(helped);
    int red = 0, red_control = 0, key = 0, key_control = 0, bright = 0, bright_control = 0;
    for (int k = 0; k < q.width * q.height; ++k) {
        const uint8_t *x = q.rgb + 3 * k, *y = h.rgb + 3 * k;
        bool lower = k >= q.width * q.height / 2;
        red += lower && x[0] - x[1] > 60;
        red_control += lower && y[0] - y[1] > 60;
        key += abs(y[0] - 237) < 2 && abs(y[1] - 80) < 2 && abs(y[2] - 56) < 2;
        key_control += abs(x[0] - 237) < 2 && abs(x[1] - 80) < 2 && abs(x[2] - 56) < 2;
        bright += y[0] > 240 && y[1] > 240 && y[2] > 240;
        bright_control += x[0] > 240 && x[1] > 240 && x[2] > 240;
    }
    if (red < red_control + 5000) fail_msg("%d pixels of strong colour with levels, %d without", red, red_control);
    if (bright < bright_control + 300) fail_msg("%d bright pixels with help, %d without", bright, bright_control);
    if (key < 60 || key_control) fail_msg("%d pixels of the legend's red, %d without a legend", key, key_control);
    free(q.rgb);
    free(h.rgb);
    cJSON_Delete(b);
    cJSON_Delete(c);
    display_close(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_read),
                                       cmocka_unit_test(wrong_options_are_named),
                                       cmocka_unit_test(every_letter_is_there_and_is_no_other),
                                       cmocka_unit_test(text_fits_any_window_and_grows_with_it),
                                       cmocka_unit_test(a_graph_keeps_the_last_frames_and_stays_on_its_panel),
                                       cmocka_unit_test(figures_are_json),
                                       cmocka_unit_test(a_picture_that_cannot_be_written_says_why),
                                       cmocka_unit_test(keys_act_and_a_tap_moves),
                                       cmocka_unit_test(the_head_turns_only_while_a_button_is_held),
                                       cmocka_unit_test(what_cannot_be_is_one_line),
                                       cmocka_unit_test(without_a_display_it_writes_the_first_frame),
                                       cmocka_unit_test(an_army_stands_there_within_its_triangles),
                                       cmocka_unit_test(one_budget_covers_ground_and_army),
                                       cmocka_unit_test(a_budget_of_time_follows_what_frames_take),
                                       cmocka_unit_test(on_foot_it_begins_at_the_height_of_eyes),
                                       cmocka_unit_test(a_visit_with_keys_and_clicks)};
    return cmocka_run_group_tests(tests, setup, cleanup);
}
