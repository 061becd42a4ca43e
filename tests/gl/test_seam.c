// SPDX-License-Identifier: MIT
// A net in place of a part of a field, on red: a red pixel along the seam would be a crack.
#include "bake/seam.h"
#include "karst/glzone.h"
#include "karst/seam.h"
#include "karst/zoneground.h"
#include "stage.h"

enum { W = 320, H = 180 };

// A pack with both, and all that draws it.
typedef struct land {
    stage stage;
    seam_def def;
    karst_noise_bank *bank;
    karst_zone **zones;
    int32_t count;
    karst_zone_scene *scene;
    karst_zone_ground *ground;
    karst_gl_zones *drawn;
    karst_seam *seam;
    karst_gl_look look;
} land;

static land land_make(bool displaced, const char *defines) {
    land l = {.def = seam_def_default(), .look = look_on_red()};
    l.def.displaced = displaced;
    karst_report report = {0};
    karst_field *field = seam_field(&l.def);
    karst_net *net = seam_net(field, &l.def);
    const char *path = temp_path("seam.kpack");
    assert_int_equal(karst_jobs_create(NULL, &l.stage.jobs), KARST_OK);
    if (seam_bake(field, net, path, 0.01f, l.stage.jobs, &report, NULL)) fail_msg("%s", report.message);
    karst_net_destroy(net);
    karst_field_destroy(field);
    karst_pack *pack = NULL;
    karst_status status = karst_pack_open(path, NULL, &pack);
    l.stage.pack = pack;
    karst_scene_def scene = karst_scene_def_default();
    scene.jobs = l.stage.jobs;
    if (!status) status = karst_scene_create(pack, &scene, &l.stage.scene);
    karst_gl_def gl = karst_gl_def_default();
    gl.report = &report;
    gl.jobs = l.stage.jobs;
    if (!status) status = kst_gl_create_with(pack, &gl, defines, &l.stage.gl);
    karst_zone_scene_def zones = karst_zone_scene_def_default();
    zones.origin = karst_pack_net_origin(pack);
    if (!status) status = karst_zone_scene_create(&zones, &l.scene);
    if (!status) status = karst_zone_ground_create(zones.origin, NULL, &l.ground);
    l.bank = malloc(sizeof *l.bank);
    karst_noise_bank_make(l.bank);
    l.count = karst_pack_zone_count(pack);
    l.zones = calloc((size_t)l.count, sizeof *l.zones);
    for (int32_t k = 0; k < l.count && !status; ++k) {
        uint16_t slot;
        status = karst_pack_zone_read(pack, k, l.bank, &report, &l.zones[k]);
        if (!status) status = karst_zone_scene_add(l.scene, l.zones[k], &report, &slot);
    }
    if (!status) status = karst_zone_ground_add(l.ground, (const karst_zone *const *)l.zones, (uint32_t)l.count, NULL);
    karst_gl_zones_def drawn = karst_gl_zones_def_default();
    drawn.shadows = false;
    if (!status) status = karst_gl_zones_create(l.stage.gl, l.scene, &drawn, &l.drawn);
    if (!status) status = karst_seam_create(pack, NULL, &report, &l.seam);
    if (status) fail_msg("%s", report.message);
    assert_non_null(l.seam);
    l.look.zones = l.drawn;
    return l;
}

static void land_clear(land *l) {
    karst_seam_destroy(l->seam);
    karst_gl_zones_destroy(l->drawn);
    karst_zone_ground_destroy(l->ground);
    karst_zone_scene_destroy(l->scene);
    for (int32_t k = 0; k < l->count; ++k) karst_zone_destroy(l->zones[k]);
    free(l->zones);
    free(l->bank);
    stage_clear(&l->stage);
}

// The highest ground of both at a place.
static bool height_of(const land *l, double x, double z, double *y) {
    double other;
    bool field = karst_scene_height(l->stage.scene, x, z, y),
         net = karst_ground_height(karst_zone_ground_of(l->ground), x, z, &other);
    if (net && (!field || other > *y)) *y = other;
    return field || net;
}

static bool is_clear(const land *l, karst_pos eye) {
    for (int k = 0; k < 8; ++k) {
        double y;
        if (!height_of(l, eye.x + cos(k * 0.785), eye.z + sin(k * 0.785), &y) || y > eye.y - 0.5) return false;
    }
    return true;
}

// Whether the rays of all pixels come down inside the field.
static bool looks_inside(const land *l, const karst_view *view) {
    karst_box b = karst_ground_bounds(karst_scene_ground(l->stage.scene));
    for (int k = 0; k < 4; ++k) {
        karst_pos o, d;
        karst_view_ray(view, k & 1 ? W : 0, k & 2 ? H : 0, &o, &d);
        double t = (b.min.y - 2 - o.y) / d.y, x = o.x + d.x * t, z = o.z + d.z * t;
        if (!(d.y < 0 && x > b.min.x && x < b.max.x && z > b.min.z && z < b.max.z)) return false;
    }
    return true;
}

// From near to far over some place of the seam, looking at it.
static karst_view camera_at_the_seam(prop *p, const land *l) {
    const karst_rect *r = &l->def.rect;
    const karst_field_shape shape = karst_pack_info_of(l->stage.pack).lattice.shape;
    for (;;) {
        double along = prop_real(p, 0, 1), column, row;
        bool down = prop_int(p, 0, 1) != 0, far = prop_int(p, 0, 1) != 0;
        column = down ? (far ? r->x1 - 1 : r->x0) : r->x0 + along * (r->x1 - 1 - r->x0);
        row = down ? r->z0 + along * (r->z1 - 1 - r->z0) : (far ? r->z1 - 1 : r->z0);
        karst_pos at = {shape.origin.x + column * shape.spacing_m, 0, shape.origin.z + row * shape.spacing_m};
        if (!height_of(l, at.x, at.z, &at.y)) continue;
        double turn = prop_real(p, 0, 6.2831853), down_rad = prop_real(p, 0.6, 1.5), away = exp2(prop_real(p, 0, 7));
        karst_pos eye = {at.x - cos(turn) * cos(down_rad) * away, at.y + sin(down_rad) * away,
                         at.z - sin(turn) * cos(down_rad) * away};
        karst_view view = karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
        if (looks_inside(l, &view) && is_clear(l, eye)) return view;
    }
}

typedef struct leak {
    long pixels;
    int frames, first;
} leak;

// parted: each chooses its levels alone.
static leak red_pixels(land *l, int count, bool parted) {
    static uint8_t rgb[3 * W * H];
    leak sum = {0};
    for (prop p = prop_begin("a seam on red", count); prop_next(&p);) {
        karst_view view = camera_at_the_seam(&p, l);
        karst_budget field = karst_budget_default();
        karst_zone_budget net = karst_zone_budget_default();
        field.error_px = (float)exp2(prop_real(&p, -1, 7));
        net.threshold = (float)exp2(-prop_real(&p, 4, 16));
        net.tile_m = (float)prop_real(&p, 0, 60);
        karst_seam_update(l->seam, &view, 1, &field, &net);
        if (!parted) field.seam = net.seam = l->seam;
        karst_frame frame;
        karst_zone_frame zones;
        assert_int_equal(karst_scene_settle(l->stage.scene, &view, 1, &field, &frame), KARST_OK);
        karst_zone_scene_update(l->scene, &view, 1, &net, &zones);
        assert_int_equal(karst_gl_zones_show(l->drawn, &zones), KARST_OK);
        assert_int_equal(karst_gl_render(l->stage.gl, &frame, &view, 0, &l->look, 1, rgb), KARST_OK);
        long here = 0;
        for (int k = 0; k < W * H; ++k) here += is_red(rgb + 3 * k);
        sum.pixels += here;
        if (here && !sum.frames++) sum.first = p.at;
    }
    return sum;
}

// KARST_TEST_CAMERAS asks for any number.
static int cameras(int few) {
    const char *asked = getenv("KARST_TEST_CAMERAS");
    return asked ? atoi(asked) : few;
}

static void no_red_shows_along_a_seam(void **state) {
    (void)state;
    need_context();
    for (int displaced = 0; displaced < 2; ++displaced) {
        land l = land_make(displaced, "#define KARST_PLAIN\n");
        int count = cameras(20);
        leak red = red_pixels(&l, count, false);
        print_message("%s: %ld red pixels in %d of %d frames", displaced ? "displaced" : "heights", red.pixels,
                      red.frames, test_count(count));
        print_message(red.frames ? ", first in case %d\n" : "\n", red.first);
        assert_int_equal(red.pixels, 0);
        land_clear(&l);
    }
}

// Control: levels that are not handed over.
static void levels_chosen_apart_show_red(void **state) {
    (void)state;
    need_context();
    land l = land_make(false, "#define KARST_PLAIN\n");
    leak red = red_pixels(&l, 30, true);
    print_message("control: %ld red pixels in %d of %d frames\n", red.pixels, red.frames, test_count(30));
    assert_true(red.frames > 0);
    land_clear(&l);
}

static int cleanup(void **state) {
    (void)state;
    temp_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_red_shows_along_a_seam),
        cmocka_unit_test(levels_chosen_apart_show_red),
    };
    return cmocka_run_group_tests(tests, NULL, cleanup);
}
