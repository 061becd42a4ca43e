// SPDX-License-Identifier: MIT
// Patches as the viewer shows them: zones that come and go, one ground of field and patches, feet in a tunnel; the
// program without a display and with one.
#include <math.h>

#include "answers.h"
#include "camera.h"
#include "karst/bake.h"
#include "patches.h"
#include "scenes/nets.h"
#include "scenes/scenes.h"
#include "visit.h"

static const char *net_pack, *both_pack;
static const karst_pos in_tunnel = {285, 14, 232};

static void bake(const char *path, karst_field *field, const karst_net *net) {
    karst_bake_def def = karst_bake_def_default();
    def.net = net;
    karst_report report = {0};
    if (karst_bake_field(field, path, &def, NULL, &report, NULL)) fail_msg("bake: %s", report.message);
}

static int setup(void **state) {
    (void)state;
    karst_report report = {0};
    karst_net *net;
    karst_field *field;
    assert_int_equal(scene_net_sample(6, &report, &net), KARST_OK);
    assert_int_equal(scene_rough_field(49, 65, 8, 3, false, false, (karst_pos){60, 10, -40}, &field), KARST_OK);
    net_pack = strdup(temp_path("net.kpack"));
    both_pack = strdup(temp_path("both.kpack"));
    bake(net_pack, NULL, net);
    bake(both_pack, field, net);
    karst_field_destroy(field);
    karst_net_destroy(net);
    return 0;
}

static int cleanup(void **state) {
    (void)state;
    temp_remove();
    free((void *)(uintptr_t)net_pack);
    free((void *)(uintptr_t)both_pack);
    return 0;
}

typedef struct land {
    karst_pack *pack;
    karst_scene *scene;
    patches p;
} land;

static void land_open_on(land *l, const char *path, patches_ground shown, karst_jobs *jobs) {
    karst_report report = {0};
    assert_int_equal(karst_pack_open(path, NULL, &l->pack), KARST_OK);
    assert_int_equal(karst_scene_create(l->pack, NULL, &l->scene), KARST_OK);
    if (patches_open(&l->p, l->pack, l->scene, shown, jobs, &report)) fail_msg("%s", report.message);
}
static void land_open(land *l, const char *path, patches_ground shown) {
    land_open_on(l, path, shown, NULL);
}

static void land_close(land *l) {
    patches_close(&l->p);
    karst_scene_destroy(l->scene);
    karst_pack_close(l->pack);
}

static double away(const karst_box *b, karst_pos p) {
    double x = fmax(fmax(b->min.x - p.x, p.x - b->max.x), 0), y = fmax(fmax(b->min.y - p.y, p.y - b->max.y), 0),
           z = fmax(fmax(b->min.z - p.z, p.z - b->max.z), 0);
    return sqrt(x * x + y * y + z * z);
}

// Farthest zone that is here, and nearest that is not.
static void extent(const patches *p, karst_pos eye, double *here_m, double *missing_m) {
    *here_m = 0;
    *missing_m = INFINITY;
    for (int32_t k = 0; k < p->count; ++k) {
        double m = away(&p->zones[k].bounds, eye);
        if (p->zones[k].zone)
            *here_m = fmax(*here_m, m);
        else
            *missing_m = fmin(*missing_m, m);
    }
}

static void zones_come_nearest_first_and_go_when_far(void **state) {
    (void)state;
    land l;
    karst_report report = {0};
    for (int far = 0; far < 2; ++far) {
        land_open(&l, net_pack, PATCHES_BOTH);
        patches *p = &l.p;
        assert_true(p->count == 9 && p->here == 0 && p->no_field);
        p->reach_m = far ? INFINITY : 100;
        double here_m, missing_m;
        int most = 0, gone = 0;
        for (int step = 0; step < 300; ++step) {
            karst_pos eye = {240 + 210 * cos(0.05 * step), 30, 240 + 210 * sin(0.05 * step)};
            int before = p->here;
            assert_int_equal(patches_bring(p, eye, 1, &report), KARST_OK);
            gone += before > p->here;
            most = p->here > most ? p->here : most;
            extent(p, p->from, &here_m, &missing_m);
            if (step < 3) assert_true(here_m <= missing_m);  // all that was never left
            assert_true(here_m <= 1.1 * p->reach_m);
            if (!p->awaited) assert_true(missing_m > p->reach_m || missing_m == INFINITY);
            double y;
            if (step > 20) assert_true(karst_ground_height(p->ground, eye.x, eye.z, &y));  // those below the eye are
        }
        assert_true(far ? most == 9 && !gone : most < 9 && gone > 4);
        karst_pos eye, at;  // something is seen from where one begins
        patches_viewpoint(p, &eye, &at);
        assert_int_equal(patches_bring(p, eye, 99, &report), KARST_OK);
        assert_true(p->here > 0 && eye.y > p->bounds.max.y);
        land_close(&l);
    }
}

// A scheduler whose tasks run when the test says so.
typedef struct later {
    void (*fn[16])(void *context);
    void *context[16];
    int count;
} later;

static void run_now(int count, int grain, karst_range_fn *fn, void *context, void *host) {
    (void)host;
    for (int k = 0; k < count; k += grain) fn(k, k + grain < count ? k + grain : count, 0, context);
}
static void run_later(void (*fn)(void *context), void *context, void *host) {
    later *l = host;
    assert_true(l->count < 16);
    l->fn[l->count] = fn;
    l->context[l->count++] = context;
}

// Nobody waits for what has not come, and what comes is taken in the order in which it was asked for.
static void zones_that_are_not_ready_are_not_waited_for(void **state) {
    (void)state;
    karst_report report = {0};
    later tasks = {.count = 0};
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = 2, def.parallel_for = run_now, def.post = run_later, def.host = &tasks;
    karst_jobs *jobs;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    land l;
    land_open_on(&l, net_pack, PATCHES_BOTH, jobs);
    l.p.beside = true;
    static const int8_t run[9] = {0, 2, 1, 8, 4, 3, 5, 7, 6}, here[9] = {1, 1, 3, 3, 3, 5, 6, 6, 9};
    const karst_pos eye = {40, 30, 40};
    assert_int_equal(patches_bring(&l.p, eye, 99, &report), KARST_OK);
    assert_true(l.p.here == 0 && l.p.awaited == 9 && tasks.count == 9);
    for (int k = 0; k < 9; ++k) {
        tasks.fn[run[k]](tasks.context[run[k]]);
        assert_int_equal(patches_bring(&l.p, eye, 99, &report), KARST_OK);
        assert_true(l.p.here == here[k] && l.p.awaited == 9 - here[k]);
    }
    assert_int_equal(tasks.count, 9);  // none was asked for twice
    land_close(&l);
    karst_jobs_destroy(jobs);
}

// With workers, zones come while the caller does other things: the same ones in the same order, in the same slots; and
// the land may be closed while some are on their way.
static void zones_come_beside_the_caller(void **state) {
    (void)state;
    karst_report report = {0};
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = 3;
    karst_jobs *jobs;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    land all, l;
    land_open(&all, net_pack, PATCHES_BOTH);
    assert_int_equal(patches_bring(&all.p, (karst_pos){40, 30, 40}, 99, &report), KARST_OK);
    for (int close_early = 1; close_early >= 0; --close_early) {
        land_open_on(&l, net_pack, PATCHES_BOTH, jobs);
        l.p.beside = true;
        int calls = 0;
        do {
            assert_int_equal(patches_bring(&l.p, (karst_pos){40, 30, 40}, 1, &report), KARST_OK);
            assert_true(l.p.here <= calls + 1 && l.p.here + l.p.awaited == 9);
            ++calls;
            if (l.p.awaited) usleep(500);
        } while (l.p.awaited && !close_early);
        for (int k = 0; k < 9 && !close_early; ++k)
            assert_true(l.p.zones[k].slot == all.p.zones[k].slot && l.p.zones[k].chunk == all.p.zones[k].chunk);
        for (int k = 0; k < 200 && !close_early; ++k) {
            double x = 2.3 * k, z = 460 - 2.1 * k, want, got;
            bool is = karst_ground_height(all.p.ground, x, z, &want);
            assert_true(karst_ground_height(l.p.ground, x, z, &got) == is && (!is || want == got));
        }
        if (close_early) assert_true(l.p.awaited > 0);
        // Those that are out of reach by the time they are ready are dropped, and few go in one call.
        if (!close_early) {
            l.p.reach_m = 1;
            karst_pos away = {5000, 0, 5000};
            for (int here = 9; here; here = l.p.here) {
                assert_int_equal(patches_bring(&l.p, away, 1, &report), KARST_OK);
                assert_true(l.p.here < here && l.p.here >= here - 2);
            }
        }
        land_close(&l);
    }
    // Whoever waits gets them at once from workers too.
    land_open_on(&l, net_pack, PATCHES_BOTH, jobs);
    assert_int_equal(patches_bring(&l.p, (karst_pos){40, 30, 40}, 99, &report), KARST_OK);
    for (int k = 0; k < 9; ++k) assert_int_equal(l.p.zones[k].slot, all.p.zones[k].slot);
    land_close(&l);
    land_close(&all);
    karst_jobs_destroy(jobs);
}

static void where_few_may_be_here_the_farthest_make_way(void **state) {
    (void)state;
    land l;
    karst_report report = {0};
    land_open(&l, net_pack, PATCHES_BOTH);
    l.p.most = 4;
    int changes = 0;
    for (int step = 0; step < 200; ++step) {
        karst_pos eye = {240 + 230 * cos(0.05 * step), 30, 240 + 230 * sin(0.05 * step)};
        bool was[9];
        for (int k = 0; k < 9; ++k) was[k] = l.p.zones[k].zone;
        assert_int_equal(patches_bring(&l.p, eye, 1, &report), KARST_OK);
        for (int k = 0; k < 9; ++k) changes += was[k] && !l.p.zones[k].zone;
        assert_true(l.p.here <= 4);
        double here_m, missing_m, y;
        extent(&l.p, l.p.from, &here_m, &missing_m);
        if (!l.p.awaited) assert_true(l.p.here == 4 && l.p.left_out > 0 && here_m <= missing_m + 160);
        if (step > 20) assert_true(karst_ground_height(l.p.ground, eye.x, eye.z, &y));
    }
    if (changes < 5 || changes > 40) fail_msg("%d zones made way", changes);
    land_close(&l);
}

static void a_damaged_zone_is_told_once_and_the_others_come(void **state) {
    (void)state;
    const char *path = temp_path("damaged.kpack");
    size_t size;
    uint8_t *bytes = read_bytes(net_pack, &size);
    bytes[size / 2] ^= 4;  // of 44 kB 42 are zones
    write_part(path, bytes, 0, size);
    free(bytes);
    land l;
    karst_report report = {0};
    land_open(&l, path, PATCHES_BOTH);
    int told = 0;
    for (int k = 0; k < 12; ++k) {
        karst_status status = patches_bring(&l.p, (karst_pos){40.0 * k, 30, 40.0 * k}, 1, &report);
        if (status) {
            assert_int_equal(status, KARST_ERROR_FORMAT);
            assert_non_null(strstr(report.message, "zone"));
            ++told;
        }
    }
    assert_true(told == 1 && l.p.here == 8 && l.p.damaged == 1 && l.p.awaited == 0);
    land_close(&l);
}

static bool same(const karst_level *a, const karst_level *b) {
    return a->y == b->y && !memcmp(&a->normal, &b->normal, sizeof a->normal);
}

// Rays and heights of both are those of the two, wherever they lie.
static void both_grounds_are_one(void **state) {
    (void)state;
    land l;
    karst_report report = {0};
    land_open(&l, both_pack, PATCHES_BOTH);
    assert_int_equal(patches_bring(&l.p, (karst_pos){0}, 99, &report), KARST_OK);
    const karst_ground *all = l.p.ground, *field = karst_scene_ground(l.scene),
                       *zones = karst_zone_ground_of(l.p.zone_ground);
    uint32_t fields = karst_ground_chunk_count(field), chunks = karst_ground_chunk_count(all);
    assert_true(!l.p.no_field && chunks == fields + 9);
    int on_field = 0, on_zones = 0, mixed = 0, cut = 0;  // enough of each, or it says nothing
    for (int k = 0; k < 2000; ++k) {
        double a = 0.7 * k, x = 240 + 230 * sin(a), z = 240 + 230 * cos(1.3 * a);
        karst_level want[16], got[16], few[2];
        int n = 0, m = 0, count, count_few;
        assert_int_equal(karst_ground_heights(field, x, z, want, 8, &n), KARST_OK);
        assert_int_equal(karst_ground_heights(zones, x, z, want + n, 8, &m), KARST_OK);
        assert_int_equal(karst_ground_heights(all, x, z, got, 16, &count), KARST_OK);
        assert_int_equal(karst_ground_heights(all, x, z, few, 2, &count_few), KARST_OK);
        assert_true(count == n + m && count_few == count);
        mixed += n && m > 1 && want[0].y < want[n].y && want[0].y > want[n + m - 1].y;
        cut += count > 2;
        for (int i = 0; i < count; ++i) {
            if (i) assert_true(got[i - 1].y >= got[i].y);
            if (i < 2) assert_true(same(&got[i], &few[i]));
            int found = 0;
            for (int j = 0; j < count; ++j) found += same(&got[i], &want[j]);
            assert_true(found > 0);
        }
        karst_ray ray =
            karst_ray_make((karst_pos){x, 200 - k % 190, z}, (karst_pos){cos(3 * a), -0.4 + 0.3 * sin(a), sin(3 * a)});
        karst_hit of_field, of_zones, hit;
        bool blocked;
        assert_int_equal(karst_ground_cast(field, &ray, &of_field), KARST_OK);
        assert_int_equal(karst_ground_cast(zones, &ray, &of_zones), KARST_OK);
        assert_int_equal(karst_ground_cast(all, &ray, &hit), KARST_OK);
        assert_int_equal(karst_ground_blocked(all, &ray, &blocked), KARST_OK);
        assert_true(hit.hit == (of_field.hit || of_zones.hit) && blocked == hit.hit);
        if (!hit.hit) continue;
        assert_true(hit.t == fmin(of_field.hit ? of_field.t : INFINITY, of_zones.hit ? of_zones.t : INFINITY));
        on_field += hit.place.chunk < fields && of_zones.hit;
        on_zones += hit.place.chunk >= fields && hit.place.chunk < chunks && of_field.hit;
    }
    if (on_field < 20 || on_zones < 20 || mixed < 5 || cut < 20)
        fail_msg("of both kinds: %d rays on the field, %d on zones, %d columns", on_field, on_zones, mixed);
    land_close(&l);
}

static void feet_in_a_tunnel_stay_on_its_floor(void **state) {
    (void)state;
    land l;
    karst_report report = {0};
    land_open(&l, net_pack, PATCHES_BOTH);
    l.p.reach_m = 150;
    for (int over = 0; over < 2; ++over) {
        karst_pos begin = in_tunnel;
        begin.y += over ? 60 : 0;
        camera c = camera_at(begin, (karst_pos){begin.x, begin.y, begin.z + 50});
        assert_int_equal(patches_bring(&l.p, c.eye, 99, &report), KARST_OK);
        assert_true(camera_walk(&c, l.p.ground));
        int roofed = 0;
        for (int k = 0; k < 400; ++k) {
            assert_int_equal(patches_bring(&l.p, c.eye, 1, &report), KARST_OK);
            camera_move(&c, l.p.ground, &(camera_wish){.forward = 1}, 0.05);
            double top;
            assert_true(karst_ground_height(l.p.ground, c.eye.x, c.eye.z, &top));
            if (k > 100) assert_true(fabs(c.over_ground_m - CAMERA_EYE_M) < 0.3);
            roofed += top > c.eye.y + 3;
        }
        assert_true(c.eye.z > begin.z + 20);
        if (over ? roofed : roofed < 300) fail_msg("%s: %d steps under a roof", over ? "over it" : "in it", roofed);
    }
    land_close(&l);
}

#define run_view(...) run_words((const char *const[]){"karst-view", __VA_ARGS__, NULL})

static cJSON *figures_of(ran *r) {
    if (r->code == 1 && (strstr(r->err, "OpenGL") || strstr(r->err, "no display"))) skip();
    if (r->code || r->err[0]) fail_msg("exit %d: %s", r->code, r->err);
    cJSON *o = cJSON_Parse(r->out);
    assert_non_null(o);
    ran_free(r);
    return o;
}

static void the_first_frame_has_all_zones_within_reach(void **state) {
    (void)state;
    no_display();
    ran r = run_view(net_pack, "--walk", "--eye", "285,14,232", "--look", "285,14,260", "--zone-reach", "60",
                     "--screenshot", temp_path("tunnel.ppm"), "--size", "64x64", "--json");
    cJSON *o = figures_of(&r);
    double here = number_in(o, "zones_here"), y = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "eye"), 1)->valuedouble;
    assert_true(number_in(o, "zones") == 9 && here > 0 && here < 9 && number_in(o, "zones_awaited") == 0);
    assert_true(number_in(o, "patch_triangles") > 100 && number_in(o, "patch_instances") > 0);
    assert_true(number_in(o, "patch_pieces_refined") > 0 && number_in(o, "triangles") == 0);
    assert_true(number_in(o, "patch_edge_px") == 12 && number_in(o, "patch_threshold") > 0);
    assert_true(fabs(number_in(o, "over_ground_m") - CAMERA_EYE_M) < 1e-4 && y < 20);
    assert_string_equal(cJSON_GetObjectItem(o, "patch_method")->valuestring, "corner");
    cJSON_Delete(o);
    r = run_view(net_pack, "--zone-method", "bisect", "--screenshot", temp_path("bisect.ppm"), "--size", "64x64",
                 "--json");
    o = figures_of(&r);
    assert_string_equal(cJSON_GetObjectItem(o, "patch_method")->valuestring, "bisect");
    assert_true(number_in(o, "patch_triangles") > 100 && number_in(o, "patch_instances") == 0);
    cJSON_Delete(o);
    r = run_view(both_pack, "--ground", "nothing");
    assert_true(r.code == 2 && is_one_line(r.err) && strstr(r.err, PATCHES_GROUND_NAMES));
    ran_free(&r);
    r = run_view(net_pack, "--zone-method", "nothing");
    assert_true(r.code == 2 && is_one_line(r.err) && strstr(r.err, KARST_ZONE_METHOD_NAMES));
    ran_free(&r);
}

// A round over a land without a height map, high over all of it.
static void a_flight_keeps_off_the_patches(void **state) {
    (void)state;
    no_display();
    ran r = run_karst("flyover", net_pack, "-o", temp_path("flight"), "--frames", "2", "--size", "64x40", "--json");
    cJSON *o = figures_of(&r);
    assert_true(number_in(o, "clearance_m") > 10);
    cJSON_Delete(o);
}

static double true_error(const char *edge_px) {
    ran r = run_karst("render", net_pack, "-o", temp_path("a.png"), "--size", "96x54", "--samples", "1", "--edge",
                      edge_px, "--true-error", "--json");
    assert_int_equal(r.code, 0);
    cJSON *o = cJSON_Parse(r.out);
    assert_non_null(o);
    double error = number_in(cJSON_GetObjectItem(o, "patches"), "true_error_px");
    cJSON_Delete(o);
    ran_free(&r);
    return error;
}

static void the_true_error_is_told_and_grows_with_the_triangles(void **state) {
    (void)state;
    double fine = true_error("2"), coarse = true_error("30");
    assert_true(fine > 0 && coarse > 3 * fine);
}

// [ and M are for patches where nothing else is shown, { and N always.
static void keys_change_edges_and_method_of_patches(void **state) {
    (void)state;
    pid_t server = display_open();
    if (!server) skip();
    const char *const words[] = {"karst-view", net_pack,    "--size",        "96x96",  "--seconds",
                                 "100",        "--bare",    "--json",        "--eye",  "425,26,140",
                                 "--look",     "390,34,88", "--zone-method", "bisect", NULL};
    const char *const keys[] = {"key 1 key 3 key shift+bracketleft key bracketright key bracketright key n key m key n",
                                NULL};
    cJSON *o = visit(words, "net.kpack", "mousemove 320 240", keys);
    assert_true(number_in(o, "patch_edge_px") == 24 && number_in(o, "lod_error_px") == 1);
    assert_string_equal(cJSON_GetObjectItem(o, "patch_method")->valuestring, "corner");  // three keys on from bisect
    assert_string_equal(cJSON_GetObjectItem(o, "method")->valuestring, "grid");
    assert_true(number_in(o, "patch_triangles") > 0 && cJSON_IsTrue(cJSON_GetObjectItem(o, "wireframe")));
    assert_string_equal(cJSON_GetObjectItem(o, "overlay")->valuestring, "level");
    cJSON_Delete(o);
    display_close(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_come_nearest_first_and_go_when_far),
        cmocka_unit_test(zones_that_are_not_ready_are_not_waited_for),
        cmocka_unit_test(zones_come_beside_the_caller),
        cmocka_unit_test(where_few_may_be_here_the_farthest_make_way),
        cmocka_unit_test(a_damaged_zone_is_told_once_and_the_others_come),
        cmocka_unit_test(both_grounds_are_one),
        cmocka_unit_test(feet_in_a_tunnel_stay_on_its_floor),
        cmocka_unit_test(the_first_frame_has_all_zones_within_reach),
        cmocka_unit_test(a_flight_keeps_off_the_patches),
        cmocka_unit_test(the_true_error_is_told_and_grows_with_the_triangles),
        cmocka_unit_test(keys_change_edges_and_method_of_patches),
    };
    return cmocka_run_group_tests(tests, setup, cleanup);
}
