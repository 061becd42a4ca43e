// SPDX-License-Identifier: MIT
// karst render and karst flyover: figures, files, and what is said of bad input. Skipped where there is no OpenGL.
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/answers.h"
#include "karst/bake.h"
#include "karst/scene.h"
#include "scenes/scenes.h"

static char pack_path[512];
static bool has_gl;

static int bake(void **state) {
    (void)state;
    snprintf(pack_path, sizeof pack_path, "%s", temp_path("render.kpack"));
    karst_field *field;
    if (scene_rough_field(257, 257, 20, 3, false, false, (karst_pos){0, 0, 0}, &field)) return 1;
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    karst_bake_info info;
    if (karst_bake_field(field, pack_path, &def, NULL, &report, &info)) return 1;
    karst_field_destroy(field);
    ran r = run_karst("render", pack_path, "-o", temp_path("first.png"), "--size", "16x16");
    has_gl = !strstr(r.err, "OpenGL");
    if (!has_gl) print_message("skipped: %s", r.err);
    ran_free(&r);
    return 0;
}

// Width and height that a PNG file says it has.
static void png_size(const char *path, unsigned *width, unsigned *height) {
    unsigned char head[24] = {0};
    FILE *in = fopen(path, "rb");
    assert_true(in && fread(head, 1, sizeof head, in) == sizeof head);
    fclose(in);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
    *width = (unsigned)head[16] << 24 | head[17] << 16 | head[18] << 8 | head[19];
    *height = (unsigned)head[20] << 24 | head[21] << 16 | head[22] << 8 | head[23];
}

static size_t slurp(const char *path, char *out, size_t room) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t n = fread(out, 1, room, in);
    fclose(in);
    return n;
}

static void render_prints_its_figures(void **state) {
    (void)state;
    if (!has_gl) skip();
    ran r = run_karst("render", pack_path, "-o", temp_path("a.png"), "--eye", "500,400,500", "--look", "2500,0,2500",
                      "--size", "200x100", "--fov-deg", "60", "--samples", "1", "--json");
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out));
    cJSON *o = cJSON_Parse(r.out);
    assert_true(number_in(o, "triangles") > 100 && number_in(o, "draws") >= 1 && number_in(o, "draws") <= 6);
    assert_true(number_in(o, "max_error_px") <= 1.00001 && number_in(o, "cpu_ms") > 0);
    double fine = number_in(o, "triangles");
    cJSON_Delete(o);
    unsigned w, h;
    png_size(temp_path("a.png"), &w, &h);
    assert_true(w == 200 && h == 100);
    ran_free(&r);
    r = run_karst("render", pack_path, "-o", temp_path("b.png"), "--eye", "500,400,500", "--look", "2500,0,2500",
                  "--size", "200x100", "--fov-deg", "60", "--samples", "1", "--json", "--lod-error", "20", "--method",
                  "rings", "--wireframe", "--overlay", "level", "--contours", "20", "--water", "5", "--hour", "18",
                  "--background", "00ff00");
    assert_int_equal(r.code, 0);
    o = cJSON_Parse(r.out);
    assert_true(number_in(o, "triangles") < fine);
    assert_string_equal(cJSON_GetObjectItem(o, "method")->valuestring, "rings");
    cJSON_Delete(o);
    ran_free(&r);
}

static cJSON *render_army(const char *picture, const char *triangles) {
    ran r = run_karst("render", pack_path, "-o", temp_path(picture), "--eye", "2500,9,2540", "--look", "2500,0,2500",
                      "--stand", "--size", "200x100", "--samples", "1", "--json", "--army", "made:tank", "--count",
                      "20", "--army-triangles", triangles);
    if (r.code) fail_msg("%s", r.err);
    cJSON *o = cJSON_Parse(r.out);
    ran_free(&r);
    return o;
}

static void an_army_keeps_to_its_triangles(void **state) {
    (void)state;
    if (!has_gl) skip();
    static char bare[200000], with[200000];
    cJSON *full = render_army("full.png", "1000000"), *few = render_army("few.png", "2000");
    const cJSON *a = cJSON_GetObjectItem(full, "army"), *b = cJSON_GetObjectItem(few, "army");
    assert_true(number_in(a, "units") == 20 && number_in(a, "seen") > 2);
    assert_true(number_in(a, "triangles") == 1200 * number_in(a, "seen") && number_in(a, "max_error_px") == 0);
    assert_true(number_in(b, "seen") == number_in(a, "seen") && number_in(b, "triangles") <= 2000);
    assert_true(number_in(b, "max_error_px") > 0 && number_in(b, "levels") <= number_in(b, "seen"));
    // Control: without them the picture is another.
    ran r = run_karst("render", pack_path, "-o", temp_path("bare.png"), "--eye", "2500,9,2540", "--look", "2500,0,2500",
                      "--stand", "--size", "200x100", "--samples", "1");
    ran_free(&r);
    size_t n = slurp(temp_path("bare.png"), bare, sizeof bare), m = slurp(temp_path("full.png"), with, sizeof with);
    assert_true(n != m || memcmp(bare, with, n) != 0);
    cJSON_Delete(full);
    cJSON_Delete(few);
}

// The picture of one budget; its `budget` is checked against what was drawn.
static cJSON *render_budget(const char *picture, const char *triangles) {
    ran r = run_karst("render", pack_path, "-o", temp_path(picture), "--eye", "2500,9,2540", "--look", "2500,0,2500",
                      "--stand", "--size", "200x100", "--samples", "1", "--json", "--army", "made:tank", "--count",
                      "20", "--triangles", triangles);
    if (r.code) fail_msg("%s", r.err);
    cJSON *o = cJSON_Parse(r.out), *b = cJSON_GetObjectItem(o, "budget");
    assert_true(number_in(b, "ground") == number_in(o, "triangles"));
    assert_true(number_in(b, "army") == number_in(cJSON_GetObjectItem(o, "army"), "triangles"));
    assert_true(number_in(b, "drawn") == number_in(b, "ground") + number_in(b, "army"));
    assert_true(number_in(b, "triangles") == atof(triangles));
    ran_free(&r);
    return o;
}

static void one_budget_covers_ground_and_army(void **state) {
    (void)state;
    if (!has_gl) skip();
    static char first[200000], second[200000];
    cJSON *few = render_budget("few.png", "3500"), *many = render_budget("many.png", "5000");
    const cJSON *a = cJSON_GetObjectItem(few, "budget"), *b = cJSON_GetObjectItem(many, "budget");
    print_message("3500: %g px ground, %g px army, %g drawn; 5000: %g, %g, %g\n", number_in(a, "ground_error_px"),
                  number_in(a, "army_error_px"), number_in(a, "drawn"), number_in(b, "ground_error_px"),
                  number_in(b, "army_error_px"), number_in(b, "drawn"));
    assert_true(number_in(a, "drawn") <= 3500 && number_in(a, "drawn") > 2400);
    assert_true(number_in(b, "drawn") <= 5000 && number_in(b, "drawn") > 3500);
    assert_true(number_in(b, "max_error_px") < number_in(a, "max_error_px"));
    cJSON_Delete(few);
    cJSON_Delete(many);
    few = render_budget("again.png", "3500");  // the same command, the same bytes
    size_t n = slurp(temp_path("few.png"), first, sizeof first),
           m = slurp(temp_path("again.png"), second, sizeof second);
    assert_true(n == m && !memcmp(first, second, n));
    cJSON_Delete(few);
}

// A world with patches in place of a part of its field, baked.
static void make_place(const char *world, const char *pack) {
    ran made[] = {run_karst("new", world, "--size", "257x257", "--spacing", "2", "--quiet"),
                  run_karst("filter", world, "noise", "--height", "60", "--wavelength", "150", "--quiet"),
                  run_karst("patch", world, "fit", "--area", "190,190,300,300", "--replace", "--quiet"),
                  run_karst("bake", world, "-o", pack, "--map-side", "32", "--quiet")};
    for (size_t k = 0; k < sizeof made / sizeof *made; ++k) {
        if (made[k].code) fail_msg("%s", made[k].err);
        ran_free(&made[k]);
    }
}

static void a_budget_keeps_where_patches_meet_the_field(void **state) {
    (void)state;
    if (!has_gl) skip();
    char world[512], pack[512];
    snprintf(world, sizeof world, "%s", temp_path("place.karst"));
    snprintf(pack, sizeof pack, "%s", temp_path("place.kpack"));
    make_place(world, pack);
    // The seam's level follows the error that the budget finds, and methods that cannot be are told, not taken.
    static const char *const grounds[] = {"both", "field"};
    for (int k = 0; k < 2; ++k) {
        ran r =
            run_karst("render", pack, "-o", temp_path("place.png"), "--size", "160x90", "--samples", "1", "--json",
                      "--method", "rings", "--zone-method", "bisect", "--triangles", "9000", "--ground", grounds[k]);
        if (r.code) fail_msg("%s", r.err);
        bool told = strstr(r.err, "grid is taken, not rings") && strstr(r.err, "corner is taken, not bisect");
        cJSON *o = cJSON_Parse(r.out);
        const cJSON *b = cJSON_GetObjectItem(o, "budget");
        const char *method = cJSON_GetStringValue(cJSON_GetObjectItem(o, "method"));
        print_message("%s: %s, %g drawn, %g beside, error %g px\n", grounds[k], method, number_in(b, "drawn"),
                      number_in(b, "patches_beside"), number_in(b, "max_error_px"));
        assert_true(told == !k && !strcmp(method, k ? "rings" : "grid"));
        assert_true((number_in(b, "patches_beside") > 0) == !k);
        if (!k) assert_true(number_in(b, "drawn") <= 9000 && number_in(b, "drawn") > 5000);
        assert_true(number_in(b, "ground") == number_in(o, "triangles"));
        assert_null(strstr(r.err, "not in the file"));  // control
        cJSON_Delete(o);
        ran_free(&r);
    }
    // Zones come last: where one is not here yet there is nothing, and that is told.
    struct stat st;
    assert_true(!stat(pack, &st) && !truncate(pack, st.st_size - 100));
    ran r = run_karst("render", pack, "-o", temp_path("place.png"), "--size", "16x9", "--partial", "--quiet");
    assert_true(!r.code);
    ran_free(&r);
    r = run_karst("render", pack, "-o", temp_path("place.png"), "--size", "16x9", "--partial", "--json");
    if (r.code || !strstr(r.err, "1 of 1 zones of patches are not in the file yet")) fail_msg("%s", r.err);
    ran_free(&r);
}

static void an_unknown_method_is_refused_in_one_line(void **state) {
    (void)state;
    ran r = run_karst("render", pack_path, "-o", temp_path("a.png"), "--method", "mesh");
    assert_int_equal(r.code, 2);
    assert_true(is_one_line(r.err));
    assert_non_null(strstr(r.err, "--method mesh: give one of: " KARST_METHOD_NAMES));
    ran_free(&r);
}

static void the_same_command_gives_the_same_file(void **state) {
    (void)state;
    if (!has_gl) skip();
    static char a[200000], b[200000];
    for (int k = 0; k < 2; ++k) {  // no view given: it is found, and found again
        ran r = run_karst("render", pack_path, "-o", temp_path(k ? "b.png" : "a.png"), "--size", "160x90", "--samples",
                          "1", "--threads", k ? "1" : "3");
        assert_int_equal(r.code, 0);
        ran_free(&r);
    }
    size_t n = slurp(temp_path("a.png"), a, sizeof a), m = slurp(temp_path("b.png"), b, sizeof b);
    assert_true(n == m && n > 1000);
    assert_memory_equal(a, b, n);
}

static void an_eye_under_the_ground_is_told(void **state) {
    (void)state;
    if (!has_gl) skip();
    ran r = run_karst("render", pack_path, "-o", temp_path("a.png"), "--eye", "2000,-3000,2000", "--look",
                      "2500,0,2500", "--size", "32x32", "--samples", "1");
    assert_int_equal(r.code, 0);  // drawn as asked
    assert_non_null(strstr(r.err, "under the ground"));
    ran_free(&r);
    r = run_karst("render", pack_path, "-o", temp_path("a.png"), "--eye", "2000,2,2000", "--look", "2500,2,2500",
                  "--stand", "--size", "32x32", "--samples", "1");
    assert_int_equal(r.code, 0);
    assert_true(!*r.err);
    ran_free(&r);
}

static void bad_input_is_named(void **state) {
    (void)state;
    const struct {
        const char *words[8];
        int code;
        const char *says;
    } cases[] = {
        {{"render", pack_path}, 2, "-o"},
        {{"render", pack_path, "-o", "a.png", "--eye", "1,2,3"}, 2, "--look"},
        {{"render", pack_path, "-o", "a.png", "--eye", "1,2"}, 2, "--eye"},
        {{"render", pack_path, "-o", "a.png", "--samples", "3"}, 2, "--samples"},
        {{"render", pack_path, "-o", "a.png", "--background", "reddish"}, 2, "--background"},
        {{"render", pack_path, "-o", "a.png", "--size", "0x9"}, 2, "--size"},
        {{"render", "nothing.kpack", "-o", "a.png"}, 1, "nothing.kpack"},
        {{"render", pack_path, "-o", "no/such/folder/a.png", "--size", "8x8"}, 1, "no/such/folder"},
        {{"render", pack_path, "-o", "a.png", "--army", "made:hause"}, 1, "house, tower"},
        {{"render", pack_path, "-o", "a.png", "--army", "no.kmrm"}, 1, "no.kmrm"},
        {{"render", pack_path, "-o", "a.png", "--count", "9"}, 2, "--army"},
        {{"render", pack_path, "-o", "a.png", "--triangles", "0"}, 2, "--triangles"},
        {{"render", pack_path, "-o", "a.png", "--triangles", "9", "--full-detail"}, 2, "--full-detail"},
        {{"flyover", pack_path}, 2, "-o"},
        {{"flyover", pack_path, "-o", "f", "--frames", "0"}, 2, "--frames"},
        {{"flyover", pack_path, "-o", "f", "--path", "no.path"}, 1, "no.path"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const char *const *w = cases[k].words;
        if (!has_gl && cases[k].code == 1) continue;
        ran r = run_karst(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
        if (r.code != cases[k].code || !strstr(r.err, cases[k].says) || !is_one_line(r.err))
            fail_msg("case %zu: code %d, said: %s", k, r.code, r.err);
        ran_free(&r);
    }
}

static void remove_folder(const char *folder) {
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    if (d) closedir(d);
    rmdir(folder);
}

static void flyover_stays_above_the_ground(void **state) {
    (void)state;
    if (!has_gl) skip();
    char folder[600], path[700];
    snprintf(folder, sizeof folder, "%s", temp_path("flight"));
    ran r =
        run_karst("flyover", pack_path, "-o", folder, "--frames", "12", "--size", "64x36", "--samples", "1", "--json");
    assert_int_equal(r.code, 0);
    cJSON *o = cJSON_Parse(r.out);
    assert_true(number_in(o, "frames") == 12 && number_in(o, "clearance_m") > 5);
    const cJSON *video = cJSON_GetObjectItem(o, "video");
    struct stat s;
    if (video) assert_true(!stat(video->valuestring, &s) && s.st_size > 500);
    cJSON_Delete(o);
    for (int k = 0; k < 12; ++k) {
        unsigned w, h;
        snprintf(path, sizeof path, "%s/frame_%05d.png", folder, k);
        png_size(path, &w, &h);
        assert_true(w == 64 && h == 36);
    }
    remove_folder(folder);
    ran_free(&r);
}

// The ends of a path are the pictures of its first and last place.
static void flyover_follows_a_path(void **state) {
    (void)state;
    if (!has_gl) skip();
    static const char *const eyes[] = {"2000,900,2000", "2600,700,2300"}, *const looks[] = {"2500,200,2500",
                                                                                            "2000,100,2600"};
    char folder[600], first[700], last[700];
    snprintf(folder, sizeof folder, "%s", temp_path("path_flight"));
    snprintf(first, sizeof first, "%s/frame_00000.png", folder);
    snprintf(last, sizeof last, "%s/frame_00002.png", folder);
    const char *keys = temp_path("keys.txt");
    FILE *f = fopen(keys, "w");
    assert_non_null(f);
    fprintf(f, "# eye, look\n%s,%s\n%s,%s\n", eyes[0], looks[0], eyes[1], looks[1]);
    fclose(f);
    ran r = run_karst("flyover", pack_path, "-o", folder, "--path", keys, "--frames", "3", "--size", "64x36",
                      "--samples", "1");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    for (int k = 0; k < 2; ++k) {
        const char *alone = temp_path("alone.png");
        r = run_karst("render", pack_path, "-o", alone, "--eye", eyes[k], "--look", looks[k], "--size", "64x36",
                      "--samples", "1");
        assert_int_equal(r.code, 0);
        ran_free(&r);
        assert_true(same_bytes(alone, k ? last : first));
        assert_false(same_bytes(alone, k ? first : last));  // the control
    }
    remove_folder(folder);
}

// Everything but a few fine chunks of a pack is left as it is; a bit of those is flipped.
static void copy_pack(const char *to, size_t size_wanted, const size_t *flip, int flip_count) {
    static char bytes[1 << 23];
    size_t size = slurp(pack_path, bytes, sizeof bytes);
    for (int k = 0; k < flip_count; ++k) bytes[flip[k]] ^= 16;
    FILE *out = fopen(to, "wb");
    assert_non_null(out);
    if (size_wanted < size) size = size_wanted;
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

static size_t pack_size(void) {
    struct stat st;
    assert_int_equal(stat(pack_path, &st), 0);
    return (size_t)st.st_size;
}

// The picture is drawn with the chunk's parent, and one line says where it is, and how to mend it.
static void a_damaged_chunk_is_drawn_coarser_and_named(void **state) {
    (void)state;
    if (!has_gl) skip();
    const char *path = temp_path("damaged.kpack"), *picture = temp_path("damaged.png");
    size_t near_end = pack_size() - 300;  // in the last record: four siblings of level 0
    copy_pack(path, SIZE_MAX, &near_end, 1);
    ran r = run_karst("render", path, "-o", picture, "--size", "64x36", "--samples", "1", "--full-detail", "--json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "damaged.kpack"));
    assert_non_null(strstr(r.err, "level 0, x 2, z 2 is damaged, as 3 more are"));
    assert_non_null(strstr(r.err, "karst check"));
    const char *line = strchr(r.err, '\n');
    assert_true(line && !line[1]);  // one line
    cJSON *object = cJSON_Parse(r.out);
    assert_true(number_in(object, "chunks_damaged") == 4);
    cJSON_Delete(object);
    ran_free(&r);
    unsigned width, height;
    png_size(picture, &width, &height);
    assert_true(width == 64 && height == 36);
    r = run_karst("render", pack_path, "-o", picture, "--size", "64x36", "--samples", "1", "--full-detail",
                  "--json");  // the control
    assert_int_equal(r.code, 0);
    assert_null(strstr(r.err, "damaged"));
    object = cJSON_Parse(r.out);
    assert_true(number_in(object, "chunks_damaged") == 0);
    cJSON_Delete(object);
    ran_free(&r);
}

// What is there of a download is drawn, with a line on what is not; without --partial it is an error, and with less
// than the coarsest chunk too.
static void a_download_is_drawn_as_far_as_it_goes(void **state) {
    (void)state;
    if (!has_gl) skip();
    const char *path = temp_path("download.kpack"), *picture = temp_path("download.png");
    copy_pack(path, pack_size() - 20000, NULL, 0);
    ran r = run_karst("render", path, "-o", picture, "--size", "64x36", "--samples", "1", "--full-detail", "--partial",
                      "--json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "bytes are there"));
    cJSON *object = cJSON_Parse(r.out);
    assert_true(number_in(object, "kept_pending") >= 1 && number_in(object, "chunks_damaged") == 0);
    cJSON_Delete(object);
    ran_free(&r);
    r = run_karst("render", path, "-o", picture, "--size", "64x36");
    assert_int_equal(r.code, 1);
    ran_free(&r);
    copy_pack(path, 200, NULL, 0);
    r = run_karst("render", path, "-o", picture, "--size", "64x36", "--partial");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "download.kpack"));
    ran_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_chunk_is_drawn_coarser_and_named),
        cmocka_unit_test(a_download_is_drawn_as_far_as_it_goes),
        cmocka_unit_test(render_prints_its_figures),
        cmocka_unit_test(an_army_keeps_to_its_triangles),
        cmocka_unit_test(one_budget_covers_ground_and_army),
        cmocka_unit_test(a_budget_keeps_where_patches_meet_the_field),
        cmocka_unit_test(an_unknown_method_is_refused_in_one_line),
        cmocka_unit_test(the_same_command_gives_the_same_file),
        cmocka_unit_test(an_eye_under_the_ground_is_told),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(flyover_stays_above_the_ground),
        cmocka_unit_test(flyover_follows_a_path),
    };
    return cmocka_run_group_tests(tests, bake, temp_teardown);
}
