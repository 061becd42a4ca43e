// SPDX-License-Identifier: MIT
// Where units of an army stand: on the ground, apart, and the same every time.
#include "army_place.h"
#include "karst/bake.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/run.h"

static karst_pack *pack;
static karst_scene *scene;

static int setup(void **state) {
    (void)state;
    karst_field *field;
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    if (scene_rough_field(257, 257, 12, 3, false, false, (karst_pos){0, 0, 0}, &field)) return 1;
    if (karst_bake_field(field, temp_path("a.kpack"), &def, NULL, &report, NULL)) return 1;
    karst_field_destroy(field);
    return karst_pack_open(temp_path("a.kpack"), NULL, &pack) || karst_scene_create(pack, NULL, &scene);
}

static int cleanup(void **state) {
    (void)state;
    karst_scene_destroy(scene);
    karst_pack_close(pack);
    temp_remove();
    return 0;
}

static void muster(army *a, const char *const *what, int whats, int count) {
    karst_report report = {0};
    const army_place place = {
        .ground = karst_scene_ground(scene), .eye = {1500, 90, 1700}, .middle = {1500, 0, 1500}, .water_m = NAN};
    *a = (army){0};
    if (army_read(a, what, whats, &report)) fail_msg("%s", report.message);
    a->units = calloc((size_t)count, sizeof *a->units);
    army_stand(a, &place, count);
}

// World place of a point of a unit's model.
static karst_pos place_of(const karst_gl_instance *u, double x, double y, double z) {
    double ahead_x = sin((double)u->heading_rad), ahead_z = -cos((double)u->heading_rad), up_x = (double)u->up.x;
    double up_y = (double)u->up.y, up_z = (double)u->up.z, along = ahead_x * up_x + ahead_z * up_z,
           s = (double)u->scale;
    double fx = ahead_x - along * up_x, fy = -along * up_y, fz = ahead_z - along * up_z;
    double length = sqrt(fx * fx + fy * fy + fz * fz);
    fx /= length, fy /= length, fz /= length;
    double rx = up_y * fz - up_z * fy, ry = up_z * fx - up_x * fz, rz = up_x * fy - up_y * fx;
    return (karst_pos){u->position.x + s * (x * rx + y * up_x + z * fx),
                       u->position.y + s * (x * ry + y * up_y + z * fy),
                       u->position.z + s * (x * rz + y * up_z + z * fz)};
}

// The farthest that a corner of what meets the ground hangs over it [m].
static double hanging(const army *a, const karst_gl_instance *u) {
    const army_kind *kind = &a->kinds[u->mesh];
    double most = -INFINITY;
    for (int k = 0; k < 4; ++k) {
        karst_pos p =
            place_of(u, (double)kind->foot[k % 2], (double)(kind->base_m - (kind->upright ? kind->reach_m : 0)),
                     (double)kind->foot[2 + k / 2]);
        double y;
        assert_true(karst_scene_height(scene, p.x, p.z, &y));
        most = fmax(most, p.y - y);
    }
    return most;
}

static void a_mixed_lot_stands_on_the_ground_and_apart(void **state) {
    (void)state;
    army a, b;
    int count = test_count(1200), of_each[ARMY_KINDS_MAX] = {0};
    const char *const all[] = {"made:all"};
    muster(&a, all, 1, count);
    assert_int_equal(a.count, count);
    for (int i = 0; i < a.count; ++i) {
        const karst_gl_instance *u = &a.units[i];
        ++of_each[u->mesh];
        double over = hanging(&a, u);
        if (over > 0.15) fail_msg("unit %d of kind %d hangs %.2f m over the ground", i, u->mesh, over);
        karst_gl_instance lifted = *u;  // control
        lifted.position.y += 3;
        assert_true(hanging(&a, &lifted) > 0.15);
        const army_kind *kind = &a.kinds[u->mesh];
        assert_true(kind->upright ? u->up.y == 1 : u->up.y > 0.93f);
        for (int j = 0; j < i; ++j) {
            const karst_gl_instance *o = &a.units[j];
            double far = hypot(u->position.x - o->position.x, u->position.z - o->position.z);
            double both = (double)(u->scale * kind->aside_m + o->scale * a.kinds[o->mesh].aside_m);
            if (far < 0.95 * both) fail_msg("units %d and %d are %.2f m from each other of %.2f", i, j, far, both);
        }
    }
    if (count >= 1000)
        for (int k = 0; k < a.kind_count; ++k) assert_true(of_each[k] > 0);
    muster(&b, all, 1, count);
    assert_memory_equal(a.units, b.units, (size_t)count * sizeof *a.units);
    army_close(&a);
    army_close(&b);
}

static void several_meshes_have_equal_shares(void **state) {
    (void)state;
    army a;
    int of_each[3] = {0};
    const char *const what[] = {"made:jeep", "made:truck", "made:gun"};
    muster(&a, what, 3, 300);
    assert_true(a.kind_count == 3 && a.count == 300);
    for (int i = 0; i < a.count; ++i) ++of_each[a.units[i].mesh];
    for (int k = 0; k < 3; ++k) assert_true(of_each[k] > 60);
    army_close(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mixed_lot_stands_on_the_ground_and_apart),
        cmocka_unit_test(several_meshes_have_equal_shares),
    };
    return cmocka_run_group_tests(tests, setup, cleanup);
}
