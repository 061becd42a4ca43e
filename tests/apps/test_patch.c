// SPDX-License-Identifier: MIT
// The sub-commands of karst patch, run as people run them: one step each, undone as one.
#include <signal.h>
#include <sys/wait.h>

#include "apps/answers.h"

static void good(ran r) {
    if (r.code) print_message("%s", r.err);
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

static cJSON *answer_of(ran r) {
    if (r.code) print_message("%s", r.err);
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out));
    cJSON *o = cJSON_Parse(r.out);
    assert_non_null(o);
    ran_free(&r);
    return o;
}

static double answer_number(ran r, const char *name) {
    cJSON *o = answer_of(r);
    double v = number_in(o, name);
    cJSON_Delete(o);
    return v;
}

static void spill(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_true(f && fputs(text, f) >= 0 && !fclose(f));
}

static karst_net *net_in(const char *world) {
    karst_project *project;
    assert_int_equal(karst_project_open(world, KARST_PROJECT_READ, NULL, &project), KARST_OK);
    karst_net *net = net_of(project);
    karst_project_close(project);
    assert_non_null(net);
    return net;
}

// A copy of the sample land, made once.
static const char *make_land(const char *name) {
    static char first[512];
    const char *world = temp_path(name);
    if (!first[0]) {
        snprintf(first, sizeof first, "%s", temp_path("first.karst"));
        good(run_karst("new", first, "--net", "sample", "--quiet"));
    }
    size_t size;
    uint8_t *bytes = read_bytes(first, &size);
    write_part(world, bytes, 0, size);
    free(bytes);
    return world;
}

static void each_edit_is_one_step_that_undo_takes_back(void **state) {
    (void)state;
    const char *world = make_land("steps.karst"), *dabs = temp_path("dabs.csv");
    spill(dabs, "# x,y,z,radius\n110,0,80,20\n300,12,400,15\n");
    const char *const calls[][7] = {
        {"tile", "--set", "path", "--at", "300,12,400", "--radius", "30"},
        {"tile", "--tint", "8090a0", NULL},
        {"tile", "--set", "grass", "--group", "flowers", "--dabs", dabs},
        {"tile", "--set", "moss", "--dabs", dabs, NULL},
        {"noise", "--slot", "2", NULL},
        {"noise", "--slot", "9", "--set", "sand", "--dabs", dabs},
        {"sample", "--slot", "4", NULL},
    };
    uint64_t before = world_hash(world);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) {
        const char *const *w = calls[k];
        const char *words[12] = {"karst", "patch", world, "--json"};
        for (int i = 0; i < 7 && w[i]; ++i) words[4 + i] = w[i];
        cJSON *o = answer_of(run_words(words));
        assert_true(number_in(o, "patches") > 1000);
        if (k < 6) assert_true(number_in(o, "changed") > 10);
        cJSON_Delete(o);
        assert_true(world_hash(world) != before);
        good(run_karst("undo", world, "--quiet"));
        assert_true(world_hash(world) == before);
    }
}

static void a_sample_land_is_whole_ground(void **state) {
    (void)state;
    const char *world = make_land("whole.karst");
    cJSON *o = answer_of(run_karst("patch", world, "check", "--json"));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "ok")));
    assert_true(number_in(o, "zones") == 9 && number_in(o, "open_edges") == 120);
    cJSON_Delete(o);
}

static void paint_and_noise_reach_what_they_say(void **state) {
    (void)state;
    const char *world = make_land("reach.karst");
    good(run_karst("patch", world, "tile", "--set", "sand", "--tint", "00ff80", "--quiet"));
    good(run_karst("patch", world, "noise", "--slot", "0", "--at", "300,12,400", "--radius", "60", "--quiet"));
    karst_net *net = net_in(world);
    int flat = 0, rough = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        for (int j = 0; j < 1 << p->tiles_log2[1]; ++j)
            for (int i = 0; i < 1 << p->tiles_log2[0]; ++i) {
                assert_int_equal(p->set[17 * j + i], KARST_TILE_SAND);
                assert_int_equal(p->tint[17 * j + i], 31 << 11 | 0 << 5 | 15);
                if (p->slot[16 * j + i])
                    ++rough;
                else
                    ++flat;
            }
    }
    assert_true(flat > 1000 && rough > 10000);
    karst_net_destroy(net);
}

// Tiles of each group within a radius of a place on the map, and beyond it.
static void count_groups(const char *world, double x, double z, double radius, int in[], int out[]) {
    karst_net *net = net_in(world);
    memset(in, 0, KARST_TILE_GROUPS * sizeof *in), memset(out, 0, KARST_TILE_GROUPS * sizeof *out);
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        const karst_net_corner *c = &net->corners[net->edges[p->side[0].edge].corner[0]];
        double dx = ldexp(c->at[0], net->step_log2) + net->origin.x - x;
        double dz = ldexp(c->at[2], net->step_log2) + net->origin.z - z;
        for (int j = 0; j < 1 << p->tiles_log2[1]; ++j)
            for (int i = 0; i < 1 << p->tiles_log2[0]; ++i)
                ++(dx * dx + dz * dz < radius * radius ? in : out)[p->group[16 * j + i]];
    }
    karst_net_destroy(net);
}

static void groups_are_painted_and_stay_until_another_is(void **state) {
    (void)state;
    const char *world = make_land("groups.karst");
    int in[KARST_TILE_GROUPS], out[KARST_TILE_GROUPS];
    cJSON *o = answer_of(
        run_karst("patch", world, "tile", "--group", "flowers", "--at", "300,12,400", "--radius", "60", "--json"));
    double grouped = number_in(o, "grouped");
    assert_true(number_in(o, "changed") == 0 && grouped > 500);  // no corner gets another set
    cJSON_Delete(o);
    count_groups(world, 300, 400, 90, in, out);
    assert_true(in[4] == (int)grouped && out[4] == 0 && out[0] > 10000);
    // A tint leaves them, a set without a group is plain.
    good(run_karst("patch", world, "tile", "--tint", "8090a0", "--quiet"));
    count_groups(world, 300, 400, 90, in, out);
    assert_int_equal(in[4], (int)grouped);
    good(run_karst("patch", world, "tile", "--set", "rock", "--at", "300,12,400", "--radius", "40", "--quiet"));
    count_groups(world, 300, 400, 90, in, out);
    assert_true(in[4] > 100 && in[4] < (int)grouped);
    // Lines of dabs have groups of their own; the others go by --group, or have to.
    const char *dabs = temp_path("groups.csv");
    spill(dabs, "300,12,400,20\n100,12,400,20, lichen\n100,46,300,20,dry \n");
    o = answer_of(run_karst("patch", world, "tile", "--group", "wet", "--dabs", dabs, "--json"));
    grouped = number_in(o, "grouped");
    assert_true(number_in(o, "idle") == 0);
    cJSON_Delete(o);
    count_groups(world, 300, 400, 1e6, in, out);
    assert_true(in[10] > 50 && in[3] > 50 && in[5] > 50 && in[10] + in[3] + in[5] == (int)grouped);
    ran r = run_karst("patch", world, "tile", "--dabs", dabs);
    assert_true(r.code == 1 && strstr(r.err, "dab 1 names no group"));
    ran_free(&r);
    spill(dabs, "100,12,400,20,snow\n");
    r = run_karst("patch", world, "tile", "--dabs", dabs);
    assert_true(r.code == 1 && is_one_line(r.err) && strstr(r.err, "then at most a group"));
    ran_free(&r);
    spill(dabs, "100,12,400,20,dry\n");
    r = run_karst("patch", world, "noise", "--slot", "3", "--dabs", dabs);
    assert_int_equal(r.code, 1);
    ran_free(&r);
    good(run_karst("patch", world, "tile", "--dabs", dabs, "--quiet"));
    // What has no images of a group is told; a name that is none is answered with the list.
    r = run_karst("patch", world, "tile", "--set", "sand", "--group", "lichen");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "sand has no images of lichen"));
    ran_free(&r);
    r = run_karst("patch", world, "tile", "--set", "sand", "--group", "snow");
    assert_non_null(strstr(r.err, "common, smooth, cracked, lichen, flowers"));
    ran_free(&r);
}

static void nonsense_is_one_line_and_changes_nothing(void **state) {
    (void)state;
    const char *world = make_land("nonsense.karst"), *dabs = temp_path("bad.csv");
    spill(dabs, "1,2,3,4\n1,2,3,-4\n");
    uint64_t before = world_hash(world);
    const char *const usage[][6] = {{"fly"},
                                    {"sample", "--slot", "16"},
                                    {"sample", "more"},
                                    {"sample", "--area", "0,0,1,1"},
                                    {"tile"},
                                    {"tile", "--set", "snow"},
                                    {"tile", "--set", "sand", "--group", "snow"},
                                    {"noise", "--slot", "3", "--group", "dry"},
                                    {"tile", "--tint", "12345"},
                                    {"tile", "--tint", "12345g"},
                                    {"tile", "--set", "sand", "--at", "0,0,0"},
                                    {"tile", "--set", "sand", "--radius", "3"},
                                    {"tile", "--set", "sand", "--slot", "3"},
                                    {"noise"},
                                    {"noise", "--slot", "3", "--radius", "0"},
                                    {"fit", "--tile-cells", "3"},
                                    {"fit", "--steps", "100"}};
    for (size_t k = 0; k < sizeof usage / sizeof *usage; ++k) {
        const char *const *w = usage[k];
        ran r = run_karst("patch", world, w[0], w[1], w[2], w[3], w[4], w[5]);
        if (r.code != 2) print_message("%zu: %s", k, r.err);
        assert_int_equal(r.code, 2);
        assert_true(is_one_line(r.err));
        ran_free(&r);
    }
    const char *const wrong[][5] = {{"tile", "--set", "sand", "--dabs", "none.csv"},
                                    {"tile", "--set", "sand", "--dabs", dabs},
                                    {"fit"}};  // there is no field
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        const char *const *w = wrong[k];
        ran r = run_karst("patch", world, w[0], w[1], w[2], w[3], w[4]);
        assert_int_equal(r.code, 1);
        assert_true(is_one_line(r.err));
        ran_free(&r);
    }
    assert_true(world_hash(world) == before);
    const char *flat = temp_path("flat.karst");
    good(run_karst("new", flat, "--size", "9x9", "--quiet"));
    ran r = run_karst("patch", flat, "check");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "no net"));
    ran_free(&r);
}

static void a_fit_tells_its_price(void **state) {
    (void)state;
    const char *world = temp_path("fit.karst");
    good(run_karst("new", world, "--size", "65x65", "--spacing", "2", "--quiet"));
    good(run_karst("filter", world, "noise", "--wavelength", "200", "--height", "20", "--octaves", "1", "--quiet"));
    cJSON *o = answer_of(run_karst("patch", world, "fit", "--area", "0,0,64,128", "--set", "rock", "--json"));
    assert_true(number_in(o, "patches") >= 8 && number_in(o, "worst_m") <= 0.1 && number_in(o, "seconds") >= 0);
    assert_true(number_in(o, "bytes") > 200 && number_in(o, "field_bytes") > 500);
    cJSON_Delete(o);
    double fine = answer_number(run_karst("patch", world, "fit", "--tolerance", "0.002", "--json"), "patches");
    double coarse = answer_number(run_karst("patch", world, "fit", "--tolerance", "1", "--json"), "patches");
    assert_true(fine > coarse);
}

static void a_fit_takes_the_place_of_the_field(void **state) {
    (void)state;
    char world[512], pack[512], odd[512];  // longer than a name of temp_path() stays
    snprintf(world, sizeof world, "%s", temp_path("replace.karst"));
    snprintf(pack, sizeof pack, "%s", temp_path("replace.kpack"));
    snprintf(odd, sizeof odd, "%s", temp_path("odd.karst"));
    good(run_karst("new", world, "--size", "85x70", "--spacing", "2", "--origin", "100,5,-40", "--quiet"));
    good(run_karst("filter", world, "noise", "--wavelength", "60", "--height", "6", "--octaves", "2", "--quiet"));
    cJSON *o =
        answer_of(run_karst("patch", world, "fit", "--area", "130,-39,240,72", "--replace", "--slot", "9", "--json"));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "replace")));
    const cJSON *rect = cJSON_GetObjectItem(o, "rect");
    static const int want[4] = {16, 16, 65, 49};  // of vertices 15 to 70 and 1 to 56
    for (int k = 0; k < 4; ++k) assert_int_equal(cJSON_GetArrayItem(rect, k)->valueint, want[k]);
    cJSON_Delete(o);
    assert_true(answer_number(run_karst("patch", world, "check", "--json"), "replaced") == 3 * 2);
    // Noise and strokes leave the border as it is.
    good(run_karst("patch", world, "noise", "--slot", "15", "--quiet"));
    good(run_karst("sculpt", world, "--net", "--brush", "raise radius=12 strength=3", "--at", "132 -8; 200 -8",
                   "--quiet"));
    assert_true(answer_number(run_karst("patch", world, "check", "--json"), "replaced") == 3 * 2);
    // A field that has left the border is told before a bake would.
    for (int k = 0; k < 2; ++k) {
        if (k)
            good(run_karst("resize", world, "--area", "132,-38,260,90", "--quiet"));
        else
            good(run_karst("filter", world, "noise", "--height", "20", "--quiet"));
        ran check = run_karst("patch", world, "check");
        if (check.code != 1 || !strstr(check.err, k ? "another origin" : "fit again") || !is_one_line(check.err))
            fail_msg("%s", check.err);
        ran_free(&check);
        if (!k) {  // the net goes along, what was sculpted too
            cJSON *moved = answer_of(run_karst("patch", world, "follow", "--json"));
            assert_true(number_in(moved, "edges_moved") > 0 && number_in(moved, "moved_m") > 1);
            cJSON_Delete(moved);
            assert_true(answer_number(run_karst("patch", world, "check", "--json"), "replaced") == 3 * 2);
            good(run_karst("undo", world, "--quiet"));
        }
        good(run_karst("undo", world, "--quiet"));
    }
    assert_true(answer_number(run_karst("patch", world, "fit", "--json"), "patches") > 1);
    assert_true(answer_number(run_karst("patch", world, "check", "--json"), "replaced") == 0);  // control
    // Two beside each other become one; a mesh that is imported comes beside them.
    good(run_karst("patch", world, "fit", "--area", "130,-39,200,72", "--replace", "--quiet"));
    ran again = run_karst("patch", world, "fit", "--area", "164,-39,240,72", "--replace", "--add");
    if (again.code != 1 || !strstr(again.err, "already") || !is_one_line(again.err)) fail_msg("%s", again.err);
    ran_free(&again);
    good(run_karst("patch", world, "fit", "--area", "196,-39,240,72", "--replace", "--add", "--tolerance", "0.02",
                   "--quiet"));
    ran r = run_karst("bake", world, "-o", pack);
    if (r.code != 1 || !strstr(r.err, "karst patch weld") || !is_one_line(r.err)) fail_msg("%s", r.err);
    ran_free(&r);
    good(run_karst("patch", world, "weld", "--quiet"));
    assert_true(answer_number(run_karst("patch", world, "check", "--json"), "replaced") == 3 * 2);
    good(run_karst("bake", world, "-o", pack, "--quiet"));
    good(run_karst("check", pack, "--quiet"));
    // A field alone is told of where a net is, too.
    r = run_karst("export", world, temp_path("alone.obj"));
    if (r.code || !strstr(r.err, "--net") || !is_one_line(r.err)) fail_msg("%s", r.err);
    ran_free(&r);
    r = run_karst("export", world, temp_path("alone.obj"), "--net", "--level", "2");
    assert_true(!r.code && !strstr(r.err, "--net"));  // control
    ran_free(&r);
    // Both in one mesh, by tile corners: as many vertices as the field has, since they share those of the seam.
    cJSON *both = answer_of(run_karst("export", pack, temp_path("both.obj"), "--level", "2", "--json"));
    assert_true(number_in(both, "vertices") == 85 * 70 && number_in(both, "triangles") == 2 * 84 * 69);
    cJSON_Delete(both);
    assert_true(answer_number(run_karst("export", pack, temp_path("net.obj"), "--net", "--level", "2", "--json"),
                              "vertices") < 85 * 70);
    r = run_karst("export", pack, temp_path("both.obj"), "--level", "3");
    if (r.code != 2 || !is_one_line(r.err)) fail_msg("%s", r.err);
    ran_free(&r);
    double patches = answer_number(run_karst("patch", world, "check", "--json"), "patches");
    FILE *f = fopen(temp_path("slab.obj"), "w");
    fputs("v 0 50 0\nv 0 50 16\nv 16 50 16\nv 16 50 0\nf 1 2 3 4\n", f);
    fclose(f);
    good(run_karst("patch", world, "import", temp_path("slab.obj"), "--add", "--quiet"));
    assert_true(answer_number(run_karst("patch", world, "check", "--json"), "patches") == patches + 1);
    r = run_karst("patch", world, "fit", "--add", "--steps", "64");
    if (r.code != 1 || !strstr(r.err, "1/256 m") || !is_one_line(r.err)) fail_msg("%s", r.err);
    ran_free(&r);
    // Steep ground of few samples: the remedy that is told is one.
    const char *steep = temp_path("steep.karst");
    good(run_karst("new", steep, "--size", "65x65", "--spacing", "30", "--quiet"));
    good(run_karst("filter", steep, "noise", "--height", "450", "--octaves", "1", "--wavelength", "800", "--quiet"));
    r = run_karst("patch", steep, "fit", "--replace");
    if (r.code != 1 || !strstr(r.err, "too steep") || !strstr(r.err, "to 15 m") || !is_one_line(r.err))
        fail_msg("%s", r.err);
    ran_free(&r);
    good(run_karst("resize", steep, "--spacing", "15", "--quiet"));
    r = run_karst("patch", steep, "fit", "--replace");
    if (r.code != 1 || !strstr(r.err, "try --steps 128") || !is_one_line(r.err)) fail_msg("%s", r.err);
    ran_free(&r);
    good(run_karst("patch", steep, "fit", "--replace", "--steps", "128", "--quiet"));
    // What cannot be is one line, and what to do.
    good(run_karst("new", odd, "--size", "65x65", "--spacing", "0.3", "--quiet"));
    r = run_karst("patch", odd, "fit", "--replace");
    assert_int_equal(r.code, 1);
    if (!strstr(r.err, "resample it to 0.3125 m") || !is_one_line(r.err)) fail_msg("%s", r.err);
    ran_free(&r);
    r = run_karst("patch", world, "fit", "--replace", "--area", "130,-30,160,60");
    assert_int_equal(r.code, 2);
    ran_free(&r);
    r = run_karst("patch", world, "fit", "--replace", "--tile-cells", "2");
    assert_int_equal(r.code, 2);
    ran_free(&r);
    r = run_karst("patch", world, "check", "--replace");
    assert_int_equal(r.code, 2);
    ran_free(&r);
}

static const char *keep_cage(const char *world, const karst_net_cage *cage) {
    karst_net *net;
    karst_project *project;
    int64_t id;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    assert_int_equal(karst_net_from_cage(net, cage, NULL), KARST_OK);
    assert_int_equal(karst_project_create(world, NULL, &project), KARST_OK);
    assert_int_equal(karst_project_begin(project, "cage"), KARST_OK);
    assert_int_equal(karst_project_add_net(project, "parts", net, &id), KARST_OK);
    assert_int_equal(karst_project_commit(project), KARST_OK);
    karst_project_close(project);
    karst_net_destroy(net);
    return world;
}

// Two squares of quads a few millimetres apart, the second one upside down, kept in a world.
static const char *make_halves(const char *name, double gap_m) {
    const char *world = temp_path(name);
    karst_pos places[2 * 12];
    int32_t quads[2 * 6][4];
    for (int half = 0; half < 2; ++half) {
        for (int k = 0; k < 12; ++k)
            places[12 * half + k] = (karst_pos){10.0 * (k % 4) + half * (30 + gap_m), k % 3, 10.0 * (k / 4)};
        for (int k = 0; k < 12; k += 4) places[12 * half + k + 3 * !half].y = 5;
        for (int k = 0; k < 6; ++k) {
            int32_t a = 12 * half + k / 3 * 4 + k % 3;
            const int32_t v[4] = {a, half ? a + 4 : a + 1, a + 5, half ? a + 1 : a + 4};
            memcpy(quads[6 * half + k], v, sizeof v);
        }
    }
    karst_net_cage cage = {.places = places, .place_count = 24, .quads = (const int32_t(*)[4])quads, .quad_count = 12};
    return keep_cage(world, &cage);
}

// A square of 16 m and two of 8 m beside it, of other ground, corners of their own.
static const char *make_steps(const char *name) {
    karst_pos places[12];
    int32_t quads[3][4];
    uint8_t tiles[3][2];
    const uint8_t set[3] = {KARST_TILE_GRASS, KARST_TILE_SAND, KARST_TILE_SAND};
    for (int k = 0; k < 12; ++k) {
        double side = k < 4 ? 16 : 8, x = k < 4 ? 0 : 8.0 * (k / 4 - 1), z = k < 4 ? -16 : 0.005;
        places[k] = (karst_pos){x + (k % 4 == 1 || k % 4 == 2 ? side : 0), 0, z + (k % 4 >= 2 ? side : 0)};
        quads[k / 4][k % 4] = k;
        tiles[k / 4][0] = tiles[k / 4][1] = k < 4 ? 4 : 3;
    }
    karst_net_cage cage = {.places = places,
                           .place_count = 12,
                           .quads = (const int32_t(*)[4])quads,
                           .quad_count = 3,
                           .tiles_log2 = (const uint8_t(*)[2])tiles,
                           .noise_set = set};
    return keep_cage(temp_path(name), &cage);
}

static void a_weld_tells_each_repair(void **state) {
    (void)state;
    const char *world = make_halves("halves.karst", 0.02);
    assert_true(answer_number(run_karst("patch", world, "check", "--json"), "open_edges") == 20);
    uint64_t before = world_hash(world);
    cJSON *o = answer_of(run_karst("patch", world, "weld", "--distance", "0.05", "--json"));
    assert_true(number_in(o, "open_edges_before") == 20 && number_in(o, "open_edges") == 16);
    assert_true(number_in(o, "merged_corners") == 3 && number_in(o, "merged_edges") == 2);
    assert_true(number_in(o, "turned") == 6 && number_in(o, "removed") == 0);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "repairs")), 11);
    cJSON_Delete(o);
    good(run_karst("undo", world, "--quiet"));
    assert_true(world_hash(world) == before);
    // Control: nearer than the gap nothing meets; patches that hang together face alike already.
    o = answer_of(run_karst("patch", world, "weld", "--distance", "0.01", "--json"));
    assert_true(number_in(o, "open_edges") == 20 && number_in(o, "turned") == 0);
    cJSON_Delete(o);
}

static void a_weld_binds_small_patches_to_large_ones(void **state) {
    (void)state;
    const char *world = make_steps("parts.karst");
    cJSON *o = answer_of(run_karst("patch", world, "weld", "--json"));
    assert_true(number_in(o, "bound_edges") == 2 && number_in(o, "open_edges_before") == 12);
    assert_true(number_in(o, "merged_corners") == 4 && number_in(o, "merged_edges") == 1);
    assert_true(number_in(o, "open_edges") == 7 && number_in(o, "painted") == 18);  // grass lies over sand
    const cJSON *row;
    int bound = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(o, "repairs")) bound +=
        cJSON_GetArraySize(cJSON_GetObjectItem(row, "eighths")) == 2;
    assert_int_equal(bound, 2);
    cJSON_Delete(o);
    good(run_karst("patch", world, "check", "--quiet"));
    // Control: at no distance they stay apart.
    good(run_karst("undo", world, "--quiet"));
    assert_true(answer_number(run_karst("patch", world, "weld", "--distance", "0", "--json"), "bound_edges") == 0);
}

static void a_mesh_of_quads_becomes_patches(void **state) {
    (void)state;
    const char *world = make_land("import.karst"), *mesh = temp_path("cube.obj"), *bad = temp_path("tri.obj");
    spill(mesh,
          "v 0 0 0\nv 12 0 0\nv 12 12 0\nv 0 12 0\nv 0 0 12\nv 12 0 12\nv 12 12 12\nv 0 12 12\n"
          "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 1 4 8 5\n");  // the last one inside out
    spill(bad, "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    uint64_t before = world_hash(world);
    cJSON *o = answer_of(run_karst("patch", world, "import", mesh, "--crease", "40", "--tiles", "4", "--slot", "6",
                                   "--set", "moss", "--json"));
    assert_true(number_in(o, "patches") == 6 && number_in(o, "turned") == 1 && number_in(o, "creases") == 12);
    cJSON_Delete(o);
    assert_true(answer_number(run_karst("patch", world, "check", "--json"), "open_edges") == 0);
    karst_net *net = net_in(world);
    assert_true(net->patches[2].slot[5] == 6 && net->patches[2].set[3] == KARST_TILE_MOSS);
    assert_true(net->patches[5].tiles_log2[0] == 2);
    karst_net_destroy(net);
    // A mesh in triangles, as GLB has it: here patches by their tile corners.
    const char *glb = temp_path("cut.glb"), *again = temp_path("again.karst");
    good(run_karst("export", world, glb, "--net", "--level", "2", "--quiet"));
    good(run_karst("new", again, "--size", "3x3", "--quiet"));
    assert_true(answer_number(run_karst("patch", again, "import", glb, "--json"), "quads") == 6 * 4 * 4);
    good(run_karst("undo", world, "--quiet"));
    assert_true(world_hash(world) == before);
    ran r = run_karst("patch", world, "import", bad);
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "tri.obj:4: a face of 3 corners"));
    ran_free(&r);
    const char *const usage[][3] = {{"--tiles", "5"}, {"--up", "x"}, {"--crease", "200"}, {"--tolerance", "1"}};
    for (size_t k = 0; k < 4; ++k) {
        r = run_karst("patch", world, "import", mesh, usage[k][0], usage[k][1]);
        assert_int_equal(r.code, 2);
        ran_free(&r);
    }
    r = run_karst("patch", world, "import");
    assert_int_equal(r.code, 2);
    ran_free(&r);
    assert_true(world_hash(world) == before);
}

// Vertices of an OBJ file, every n-th.
static int vertices_of(const char *path, int n, double (*out)[3], int room) {
    FILE *f = fopen(path, "rb");
    char line[256];
    int count = 0, at = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f) && count < room)
        if (sscanf(line, "v %lf %lf %lf", &out[count][0], &out[count][1], &out[count][2]) == 3) count += at++ % n == 0;
    fclose(f);
    return count;
}

static void a_net_is_exported_and_its_pack_is_asked(void **state) {
    (void)state;
    enum { SOME = 200 };
    static double v[SOME + 1][3];
    const char *world = temp_path("asked.karst"), *coarse = temp_path("coarse.obj"), *rays = temp_path("rays.csv");
    good(run_karst("new", world, "--size", "45x45", "--spacing", "16", "--origin", "-100,-100,-100", "--quiet"));
    ran r = run_karst("export", world, temp_path("none.obj"), "--net");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "no net"));
    ran_free(&r);
    good(run_karst("patch", world, "sample", "--quiet"));
    good(run_karst("bake", world, "-o", temp_path("asked.kpack"), "--quiet"));
    const char *pack = temp_path("asked.kpack");
    // Of 1034 patches of 8 x 8 tiles each tile is 2 triangles at level 2, half a tile's side at level 1.
    assert_true(answer_number(run_karst("export", world, coarse, "--net", "--level", "3", "--json"), "triangles") ==
                1034 * 4 * 4 * 2);
    assert_true(answer_number(run_karst("export", pack, temp_path("fine.ply"), "--net", "--level", "2", "--json"),
                              "triangles") == 1034 * 8 * 8 * 2);
    assert_true(answer_number(run_karst("export", world, temp_path("field.obj"), "--json"), "triangles") ==
                44 * 44 * 2);  // without a word it is the field
    int count = vertices_of(coarse, 60, v, SOME);
    assert_true(count > 100);
    FILE *f = fopen(rays, "wb");
    assert_non_null(f);
    for (int k = 0; k < count; ++k) fprintf(f, "%.7f,%.7f,%.7f,0,-1,0\n", v[k][0], v[k][1] + 0.25, v[k][2]);
    fclose(f);
    cJSON *o = answer_of(run_karst("query", "ray", pack, "--rays", rays, "--json"));
    const cJSON *hits = cJSON_GetObjectItem(o, "hits"), *hit;
    int near = 0;
    assert_int_equal(cJSON_GetArraySize(hits), count);
    cJSON_ArrayForEach(hit, hits) {
        assert_true(cJSON_IsObject(hit));  // the field is below everything
        near += fabs(number_in(hit, "t") - 0.25) < 1e-3;
    }
    assert_true(near > count * 9 / 10);  // not where the ground is steep or hangs over
    cJSON_Delete(o);
    o = answer_of(run_karst("query", "height", pack, "240", "200", "--all", "--json"));
    const cJSON *all = cJSON_GetObjectItem(o, "heights");
    int heights = cJSON_GetArraySize(all);
    assert_true(heights >= 2 && cJSON_GetArrayItem(all, heights - 1)->valuedouble == -100);
    for (int k = 1; k < heights; ++k)
        assert_true(cJSON_GetArrayItem(all, k - 1)->valuedouble >= cJSON_GetArrayItem(all, k)->valuedouble);
    assert_true(number_in(o, "height") == cJSON_GetArrayItem(all, 0)->valuedouble);
    cJSON_Delete(o);
    const char *const usage[][4] = {{"--net", "--level", "4"}, {"--level", "1"}, {"--net", "--method", "rqt"}};
    for (size_t k = 0; k < 3; ++k) {
        r = run_karst("export", world, coarse, usage[k][0], usage[k][1], usage[k][2]);
        assert_int_equal(r.code, 2);
        ran_free(&r);
    }
}

static void a_fit_that_is_stopped_changes_nothing(void **state) {
    (void)state;
    const char *world = temp_path("stopped.karst");
    good(run_karst("new", world, "--size", "513x513", "--quiet"));
    good(run_karst("filter", world, "noise", "--wavelength", "60", "--height", "9", "--quiet"));
    uint64_t before = world_hash(world);
    int end = end_karst(0.15, SIGINT, "patch", world, "fit", "--tolerance", "0.001", "--quiet");
    assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 1);
    assert_true(world_hash(world) == before);
}

static void a_split_cuts_what_it_is_told_to(void **state) {
    (void)state;
    const char *world = make_land("split.karst"), *dabs = temp_path("split.csv");
    uint64_t before = world_hash(world);
    cJSON *o = answer_of(run_karst("patch", world, "split", "--at", "300,12,400", "--radius", "16", "--json"));
    double patches = number_in(o, "patches");
    assert_true(number_in(o, "cut") > 3 && patches >= 1034 + 3 * 4 && number_in(o, "held") == 0);
    assert_true(number_in(o, "cut_edges") > 3);
    cJSON_Delete(o);
    assert_true(answer_number(run_karst("patch", world, "check", "--json"), "open_edges") == 120);
    good(run_karst("undo", world, "--quiet"));
    assert_true(world_hash(world) == before);
    spill(dabs, "300,12,400,16\n110,-20,80,20\n");
    double both = answer_number(run_karst("patch", world, "split", "--dabs", dabs, "--json"), "patches");
    assert_true(both > patches);
    good(run_karst("undo", world, "--quiet"));
    // Patches of 2 tiles are told, and so is a place where there is nothing.
    o = answer_of(run_karst("patch", world, "split", "--to", "3", "--at", "300,12,400", "--radius", "16", "--json"));
    assert_true(number_in(o, "held") > 10);
    cJSON_Delete(o);
    ran r = run_karst("patch", world, "split", "--at", "300,900,400", "--radius", "16");
    assert_true(r.code == 0 && strstr(r.out, "0 patches and 0 edges cut") && strstr(r.out, "--to M"));
    ran_free(&r);
    r = run_karst("patch", "--help");
    assert_true(r.code == 0 && strstr(r.out, "split --at") && strstr(r.out, "--to M"));
    ran_free(&r);
    good(run_karst("undo", world, "--quiet"));  // what changed nothing is no step
    assert_true(world_hash(world) == before);
    const char *const wrong[][5] = {{"split"},
                                    {"split", "--at", "300,12,400"},
                                    {"split", "--to", "0"},
                                    {"split", "--to", "4", "--slot", "3"},
                                    {"split", "--dabs", "none.csv"},
                                    {"tile", "--set", "sand", "--to", "4"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        r = run_karst("patch", world, wrong[k][0], wrong[k][1] ? wrong[k][1] : "--quiet",
                      wrong[k][2] ? wrong[k][2] : "--quiet", wrong[k][3] ? wrong[k][3] : "--quiet",
                      wrong[k][4] ? wrong[k][4] : "--quiet");
        assert_true(r.code == (k == 4 ? 1 : 2) && is_one_line(r.err));
        ran_free(&r);
    }
    assert_true(world_hash(world) == before);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_edit_is_one_step_that_undo_takes_back),
        cmocka_unit_test(a_sample_land_is_whole_ground),
        cmocka_unit_test(paint_and_noise_reach_what_they_say),
        cmocka_unit_test(groups_are_painted_and_stay_until_another_is),
        cmocka_unit_test(nonsense_is_one_line_and_changes_nothing),
        cmocka_unit_test(a_fit_tells_its_price),
        cmocka_unit_test(a_fit_takes_the_place_of_the_field),
        cmocka_unit_test(a_fit_that_is_stopped_changes_nothing),
        cmocka_unit_test(a_split_cuts_what_it_is_told_to),
        cmocka_unit_test(a_weld_tells_each_repair),
        cmocka_unit_test(a_weld_binds_small_patches_to_large_ones),
        cmocka_unit_test(a_mesh_of_quads_becomes_patches),
        cmocka_unit_test(a_net_is_exported_and_its_pack_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
