// SPDX-License-Identifier: MIT
// Strokes on the net of a world are steps like any other: undone and done again to the bit.
#include "karst/history.h"
#include "karst/netsculpt.h"
#include "project/worlds.h"
#include "scenes/nets.h"

static void fine(karst_project *p, karst_status status) {
    if (status) fail_msg("%s", karst_project_message(p));
}

// All points, and what follows from them.
static uint64_t points_of(const karst_net *net) {
    uint64_t hash = 1;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        hash = kst_hash(net->corners[k].at, sizeof net->corners[k].at, hash);
        hash = kst_hash(net->corners[k].facing, sizeof net->corners[k].facing, hash);
        hash = kst_hash(&net->corners[k].radius, 1, hash);
    }
    for (int32_t k = 0; k < net->edge_count; ++k)
        hash = kst_hash(net->edges[k].handle, sizeof net->edges[k].handle, hash);
    for (int32_t k = 0; k < net->patch_count; ++k)
        hash = kst_hash(net->patches[k].inner, sizeof net->patches[k].inner, hash);
    return hash;
}

static uint64_t kept_points(karst_project *p) {
    karst_net *net = NULL;
    fine(p, take_net(p, &net));
    uint64_t hash = points_of(net);
    karst_net_destroy(net);
    return hash;
}

static karst_status draw(prop *p, karst_net *net, karst_net_sculptor *s) {
    static const karst_brush_kind kinds[] = {KARST_BRUSH_RAISE,   KARST_BRUSH_LOWER, KARST_BRUSH_SMOOTH,
                                             KARST_BRUSH_FLATTEN, KARST_BRUSH_GRAB,  KARST_BRUSH_NOISE};
    const int32_t *at = net->corners[prop_int(p, 0, net->corner_count - 1)].at;
    double step = ldexp(1, net->step_log2);
    karst_brush_def d = karst_brush_def_default();
    d.kind = kinds[prop_int(p, 0, 5)];
    d.radius_m = prop_real(p, 10, 40), d.strength = prop_real(p, 0.1, 0.5), d.detail_m = 10;
    karst_stroke *stroke;
    assert_int_equal(karst_net_stroke_create(s, &d, NULL, NULL, &stroke), KARST_OK);
    karst_stroke_point q = karst_stroke_point_at(0, 0);
    q.kind = KARST_POINT_SPACE;
    q.position = (karst_pos){net->origin.x + at[0] * step, net->origin.y + at[1] * step, net->origin.z + at[2] * step};
    karst_status status = KARST_OK;
    for (int k = 0; k < 4 && !status; ++k, q.position.x += 3, q.position.y += 1) status = karst_stroke_add(stroke, &q);
    if (!status) status = karst_stroke_end(stroke, NULL);
    karst_stroke_destroy(stroke);
    return status;
}

static void strokes_are_undone_and_done_again_to_the_bit(void **unused) {
    (void)unused;
    enum { STROKES = 200 };
    static uint64_t want[STROKES + 1];
    karst_report report = {0};
    karst_net *net = NULL;
    karst_net_sculptor *s;
    if (scene_net(&(scene_net_def){.side = 16, .slot = 0, .tiles_log2 = 3}, &report, &net))
        fail_msg("%s", report.message);
    karst_project *p = create(world_path());
    fine(p, karst_project_begin(p, "net"));
    fine(p, put_net(p, net));
    fine(p, karst_project_commit(p));
    assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
    prop all = prop_begin("net_strokes", 1);
    assert_true(prop_next(&all));
    int strokes = test_count(STROKES), count = 0;
    want[0] = points_of(net);
    while (count < strokes) {
        assert_int_equal(draw(&all, net, s), KARST_OK);
        if (points_of(net) == want[count]) continue;  // it met nothing: no step
        fine(p, karst_project_begin(p, "stroke"));
        fine(p, put_net(p, net));
        fine(p, karst_project_commit(p));
        want[++count] = points_of(net);
    }
    assert_true(kept_points(p) == want[count]);
    for (int k = count; k > 0; --k) {
        fine(p, karst_project_undo(p, NULL, NULL));
        assert_true(kept_points(p) == want[k - 1]);
        assert_true(want[k] != want[k - 1]);  // the control
    }
    for (int k = 0; k < count; ++k) {
        fine(p, karst_project_redo(p, NULL, NULL));
        assert_true(kept_points(p) == want[k + 1]);
    }
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net);
    karst_project_close(p);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strokes_are_undone_and_done_again_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
