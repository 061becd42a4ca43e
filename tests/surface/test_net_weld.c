// SPDX-License-Identifier: MIT
// Welding: a net that was broken at random comes back to the last bit; parts that lie side by side become one ground.
#include <stdlib.h>
#include <string.h>

#include "karst/netweld.h"
#include "scenes/nets.h"
#include "support/prop.h"
#include "surface/net_bytes.h"

enum { SIDE = 16, GRID = 6 };

static const double distance_m = 0.25;

static karst_net *scene(void) {
    karst_report report = {0};
    karst_net *net = NULL;
    if (scene_net(&(scene_net_def){.side = SIDE, .slot = 5, .tiles_log2 = 3, .noise_set = 2}, &report, &net))
        fail_msg("%s", report.message);
    return net;
}

static uint64_t state_of(const karst_net *net) {
    const int32_t counts[3] = {net->corner_count, net->edge_count, net->patch_count};
    uint64_t hash = kst_hash(counts, sizeof counts, net->finished);
    for (int part = 0; part < KST_NET_PARTS; ++part) {
        size_t size = (size_t)counts[part] * kst_net_element_bytes((kst_net_part)part);
        uint8_t *bytes = malloc(size + 1);
        kst_net_put_elements(net, (kst_net_part)part, 0, counts[part], bytes);
        hash = kst_hash(bytes, size, hash);
        free(bytes);
    }
    return hash;
}

// ---- breaking ------------------------------------------------------------------------------------------

// Less than half the distance in all.
static void jitter(prop *p, int32_t at[3]) {
    for (int axis = 0; axis < 3; ++axis) at[axis] += prop_int(p, -17, 17);
}

// Another corner in place of one, for some of the edges that end there.
static void double_corner(prop *p, karst_net *net, int32_t corner, karst_net_corner twin, int32_t edges) {
    int32_t index;
    assert_int_equal(karst_net_add_corner(net, &twin, &index), KARST_OK);
    for (int32_t k = 0; k < edges; ++k)
        for (int end = 0; end < 2; ++end)
            if (net->edges[k].corner[end] == corner && prop_chance(p, 0.5)) net->edges[k].corner[end] = index;
}

// Another edge in place of one, for one patch, and perhaps other corners inside it.
static void double_edge(prop *p, karst_net *net, int32_t edge, int32_t corners) {
    karst_net_edge twin = net->edges[edge];
    bool back = prop_chance(p, 0.5);
    for (int end = 0; end < 2; ++end) {
        twin.corner[end] = net->edges[edge].corner[end ^ back];
        memcpy(twin.handle[end], net->edges[edge].handle[end ^ back], sizeof twin.handle[end]);
        jitter(p, twin.handle[end]);
    }
    int32_t index;
    assert_int_equal(karst_net_add_edge(net, &twin, &index), KARST_OK);
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            karst_net_side *s = &net->patches[k].side[side];
            if (s->edge != edge || !prop_chance(p, 0.5)) continue;
            *s = (karst_net_side){index, back ? (uint8_t)(8 - s->from) : s->from, back ? (uint8_t)(8 - s->to) : s->to};
        }
    for (int32_t k = 0; k < corners; ++k) {
        karst_net_corner c = net->corners[k];
        if (c.edge != edge || !prop_chance(p, 0.5)) continue;
        c.edge = index;
        if (back) c.eighth = (uint8_t)(8 - c.eighth);
        double_corner(p, net, k, c, net->edge_count);
    }
}

static void turn_over(karst_net_patch *p) {
    karst_net_patch q = *p;
    static const int from[4] = {3, 2, 1, 0}, inner[4] = {0, 2, 1, 3};
    for (int k = 0; k < 4; ++k) {
        p->side[k] = q.side[from[k]];
        memcpy(p->inner[k], q.inner[inner[k]], sizeof p->inner[k]);
    }
    p->tiles_log2[0] = q.tiles_log2[1], p->tiles_log2[1] = q.tiles_log2[0];
    for (int j = 0; j < 17; ++j)
        for (int i = 0; i < 17; ++i) {
            if (i < 16 && j < 16) p->slot[16 * j + i] = q.slot[16 * i + j], p->group[16 * j + i] = q.group[16 * i + j];
            p->set[17 * j + i] = q.set[17 * i + j], p->tint[17 * j + i] = q.tint[17 * i + j];
        }
}

// What was done to it, so that a weld should say as much.
static karst_net_welded break_net(prop *p, karst_net *net) {
    int32_t corners = net->corner_count, edges = net->edge_count;
    karst_net_welded done = {0};
    for (int n = prop_int(p, 1, 60); n > 0; --n) {
        int32_t at = prop_int(p, 0, edges - 1);
        double_edge(p, net, at, corners);
    }
    for (int n = prop_int(p, 1, 60); n > 0; --n) {
        int32_t at = prop_int(p, 0, corners - 1);
        karst_net_corner twin = net->corners[at];
        if (twin.edge != KARST_NET_NONE) continue;
        jitter(p, twin.at);
        double_corner(p, net, at, twin, net->edge_count);
    }
    for (int32_t k = 0; k < SIDE * SIDE / 2; ++k)
        if (prop_chance(p, 0.2)) turn_over(&net->patches[k]), ++done.turned;
    done.corners = net->corner_count - corners, done.edges = net->edge_count - edges;
    net->finished = false;
    return done;
}

typedef struct told {
    int count[KARST_REPAIR_REMOVED + 1];
} told;

static void hear(void *context, const karst_net_repair *repair) {
    told *t = context;
    ++t->count[repair->kind];
    assert_true(repair->index >= 0 && fabs(repair->at.x) < 1000);
}

static void a_broken_net_comes_back_to_the_last_bit(void **state) {
    (void)state;
    karst_net *whole = scene();
    uint64_t want = state_of(whole);
    int failed = 0, lost = 0, cases = 0;
    for (prop p = prop_begin("net_weld", 40); prop_next(&p); ++cases) {
        karst_net *net = scene(), *control = scene();
        uint64_t draw = p.draw;
        karst_net_welded did = break_net(&p, net), info = {0};
        p.draw = draw;
        break_net(&p, control);
        told heard = {0};
        karst_report report = {0};
        karst_net_weld_def def = karst_net_weld_def_default();
        def.distance_m = distance_m, def.tell = hear, def.context = &heard, def.report = &report;
        if (karst_net_weld(net, &def, &info)) fail_msg("case %d: %s", p.at, report.message);
        prop_check(&p, state_of(net) == want);
        prop_check(&p, info.corners == did.corners && info.edges == did.edges);
        prop_check(&p, info.turned == did.turned && info.removed == 0);
        prop_check(&p, heard.count[KARST_REPAIR_CORNER] == did.corners && heard.count[KARST_REPAIR_EDGE] == did.edges);
        prop_check(&p, heard.count[KARST_REPAIR_TURNED] == did.turned && !info.bound && !info.painted);
        // Again: nothing to mend.
        prop_check(&p, !karst_net_weld(net, &def, &info) && state_of(net) == want);
        prop_check(&p, info.corners + info.edges + info.turned + info.removed == 0);
        // Control: without a weld it breaks the rules; by a distance of 0 what was moved does not come back.
        def.distance_m = 0, def.tell = NULL;
        failed += karst_net_finish(control, NULL) != KARST_OK;
        lost += karst_net_weld(control, &def, NULL) != KARST_OK || state_of(control) != want;
        karst_net_destroy(net), karst_net_destroy(control);
    }
    assert_true(failed == cases && lost == cases);
    karst_net_destroy(whole);
}

// ---- parts side by side --------------------------------------------------------------------------------

static karst_net *soup(prop *p, double jitter_m, int *turned) {
    karst_pos places[4 * GRID * GRID];
    int32_t quads[GRID * GRID][4];
    *turned = 0;
    for (int k = 0; k < GRID * GRID; ++k) {
        static const int way[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        bool turn = prop_chance(p, 0.3);
        *turned += turn;
        for (int c = 0; c < 4; ++c) {
            double x = 10.0 * (k % GRID + way[c][0]), z = 10.0 * (k / GRID + way[c][1]);
            places[4 * k + c] = (karst_pos){x + prop_real(p, -jitter_m, jitter_m),
                                            3 * sin(0.1 * x) + 2 * cos(0.13 * z) + prop_real(p, -jitter_m, jitter_m),
                                            z + prop_real(p, -jitter_m, jitter_m)};
            quads[k][turn ? (4 - c) & 3 : c] = 4 * k + c;
        }
    }
    karst_net *net;
    karst_report report = {0};
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    karst_net_cage cage = {.places = places,
                           .place_count = 4 * GRID * GRID,
                           .quads = (const int32_t(*)[4])quads,
                           .quad_count = GRID * GRID};
    if (karst_net_from_cage(net, &cage, &report)) fail_msg("%s", report.message);
    return net;
}

static int open_edges(const karst_net *net) {
    int count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) count += net->edges[k].open != 0;
    return count;
}

static void quads_side_by_side_become_one_ground(void **state) {
    (void)state;
    for (prop p = prop_begin("net_soup", 60); prop_next(&p);) {
        int turned;
        karst_net *net = soup(&p, 0.05, &turned);
        karst_report report = {0};
        karst_net_welded info;
        karst_net_weld_def def = karst_net_weld_def_default();
        def.distance_m = 0.3, def.report = &report;
        prop_check(&p, open_edges(net) == 4 * GRID * GRID);  // control: it is in pieces
        if (karst_net_weld(net, &def, &info)) fail_msg("case %d: %s", p.at, report.message);
        prop_check(&p, net->patch_count == GRID * GRID && net->edge_count == 2 * GRID * (GRID + 1));
        prop_check(&p, net->corner_count == (GRID + 1) * (GRID + 1) && open_edges(net) == 4 * GRID);
        prop_check(&p, info.turned == (2 * turned <= GRID * GRID ? turned : GRID * GRID - turned));
        scene_zones zones;
        prop_check(&p, !scene_zones_cut(net, &report, &zones));
        prop_check(&p, !karst_zones_check((const karst_zone *const *)zones.zones, zones.count, NULL, NULL));
        scene_zones_free(&zones);
        karst_net_destroy(net);
    }
}

static void a_patch_that_lost_a_side_or_is_there_twice_goes(void **state) {
    (void)state;
    prop p = prop_begin("net_gone", 1);
    prop_next(&p);
    int turned;
    karst_net *net = soup(&p, 0, &turned);
    karst_net_welded info;
    karst_net_weld_def def = karst_net_weld_def_default();
    int32_t index;
    karst_net_patch twin = net->patches[3];
    for (int k = 0; k < 70; ++k) assert_int_equal(karst_net_add_patch(net, &twin, &index), KARST_OK);
    // A sliver: its far corners 1 mm off.
    karst_net_corner c[4];
    karst_net_edge e[4] = {{.corner = {0, 1}}, {.corner = {1, 2}}, {.corner = {3, 2}}, {.corner = {0, 3}}};
    karst_net_patch sliver = net->patches[0];
    for (int k = 0; k < 4; ++k) {
        c[k] = (karst_net_corner){.at = {(k == 1 || k == 2) * 2560, 25600, k >= 2}, .edge = KARST_NET_NONE};
        assert_int_equal(karst_net_add_corner(net, &c[k], &index), KARST_OK);
    }
    for (int k = 0; k < 4; ++k) {
        for (int end = 0; end < 2; ++end) {
            memcpy(e[k].handle[end], c[e[k].corner[end]].at, sizeof e[k].handle[end]);
            e[k].corner[end] += index - 3;
        }
        int32_t edge;
        assert_int_equal(karst_net_add_edge(net, &e[k], &edge), KARST_OK);
        sliver.side[k] = (karst_net_side){edge, 0, 8};
    }
    assert_int_equal(karst_net_add_patch(net, &sliver, &index), KARST_OK);
    assert_int_equal(karst_net_weld(net, &def, &info), KARST_OK);
    assert_int_equal(info.removed, 71);
    assert_int_equal(net->patch_count, GRID * GRID);
    assert_int_equal(net->corner_count, (GRID + 1) * (GRID + 1));
    karst_net_destroy(net);
}

static void edges_that_run_apart_stay_two(void **state) {
    (void)state;
    // A round pillar of two halves: edges of both join the same corners, and bulge to either side.
    karst_net *net;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    int32_t index;
    for (int k = 0; k < 4; ++k) {
        karst_net_corner c = {.at = {k & 1 ? 2560 : 0, k & 2 ? 2560 : 0, 0}, .edge = KARST_NET_NONE};
        assert_int_equal(karst_net_add_corner(net, &c, &index), KARST_OK);
    }
    for (int half = 0; half < 2; ++half) {
        int out = half ? 3000 : -3000;
        for (int high = 0; high < 2; ++high) {
            karst_net_edge ring = {.corner = {2 * high, 2 * high + 1},
                                   .handle = {{0, high * 2560, out}, {2560, high * 2560, out}}};
            assert_int_equal(karst_net_add_edge(net, &ring, &index), KARST_OK);
        }
    }
    for (int k = 0; k < 2; ++k) {
        karst_net_edge up = {.corner = {k, 2 + k}, .handle = {{2560 * k, 900, 0}, {2560 * k, 1700, 0}}};
        assert_int_equal(karst_net_add_edge(net, &up, &index), KARST_OK);
    }
    for (int half = 0; half < 2; ++half) {
        int out = half ? 3000 : -3000;
        karst_net_patch p = {.side = {{2 * half, 0, 8}, {5, 0, 8}, {2 * half + 1, 0, 8}, {4, 0, 8}},
                             .inner = {{0, 900, out}, {2560, 900, out}, {0, 1700, out}, {2560, 1700, out}},
                             .tiles_log2 = {2, 2}};
        assert_int_equal(karst_net_add_patch(net, &p, &index), KARST_OK);
    }
    karst_net_welded info;
    assert_int_equal(karst_net_weld(net, NULL, &info), KARST_OK);
    assert_true(info.edges == 0 && info.turned == 1 && net->edge_count == 6 && open_edges(net) == 4);
    karst_net_destroy(net);
}

static void strips_are_counted_and_may_not_disagree(void **state) {
    (void)state;
    prop p = prop_begin("net_strips", 1);
    prop_next(&p);
    int turned;
    karst_net *net = soup(&p, 0.05, &turned);
    karst_net_strip strips[2 * GRID * GRID];
    karst_report report = {0};
    karst_net_weld_def def = karst_net_weld_def_default();
    def.distance_m = 0.3, def.report = &report;
    assert_int_equal(karst_net_strips(net, strips, 2 * GRID * GRID), 2 * GRID * GRID);  // each patch is two
    assert_int_equal(karst_net_weld(net, &def, NULL), KARST_OK);
    assert_int_equal(karst_net_strips(net, strips, 2 * GRID), 2 * GRID);
    for (int k = 0; k < 2 * GRID; ++k)
        assert_true(strips[k].patches == GRID && strips[k].tiles[0] == 8 && strips[k].tiles[1] == 8);
    karst_net_destroy(net);
    // One patch with more tiles along s: the whole column would have to follow.
    net = soup(&p, 0.05, &turned);
    net->patches[GRID + 2].tiles_log2[0] = 4;
    assert_int_equal(karst_net_finish(net, NULL), KARST_OK);  // alone it may
    assert_int_equal(karst_net_weld(net, &def, NULL), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "the strip of 6 patches"));
    assert_non_null(strstr(report.message, "8 tiles here and 16 there"));
    karst_net_destroy(net);
    // A strip ends at a bind.
    net = scene();
    int32_t count = karst_net_strips(net, NULL, 0), sum = 0;
    karst_net_strip *all = malloc((size_t)count * sizeof *all);
    assert_int_equal(karst_net_strips(net, all, count), count);
    for (int32_t k = 0; k < count; ++k) {
        sum += all[k].patches;
        assert_true(all[k].tiles[0] == all[k].tiles[1]);
        if (k) assert_true(all[k].patches <= all[k - 1].patches);
    }
    assert_int_equal(sum, 2 * net->patch_count);
    free(all);
    karst_net_destroy(net);
}

static void what_names_nothing_is_told(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        karst_net *net = scene();
        karst_report report = {0};
        karst_net_weld_def def = karst_net_weld_def_default();
        def.report = &report;
        if (k == 0) net->edges[5].corner[1] = net->corner_count;
        if (k == 1) net->patches[9].side[2].edge = -4;
        if (k == 2) net->patches[9].side[2].to = 9;
        if (k == 3) net->corners[7].edge = net->edge_count;
        assert_int_equal(karst_net_weld(net, &def, NULL), KARST_ERROR_FORMAT);
        assert_true(strlen(report.message) > 20 && !net->finished);
        karst_net_destroy(net);
    }
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    int n = 1;
    for (karst_status status = KARST_ERROR_MEMORY; status; n += 3) {
        karst_net *net = scene();
        prop p = prop_begin("net_memory", 1);
        prop_next(&p);
        break_net(&p, net);
        karst_net_weld_def def = karst_net_weld_def_default();
        def.distance_m = distance_m;
        kst_alloc_fail_after((uint64_t)n);
        status = karst_net_weld(net, &def, NULL);
        kst_alloc_fail_after(0);
        assert_true(status == KARST_OK || status == KARST_ERROR_MEMORY);
        karst_net_destroy(net);
    }
    assert_true(n > 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_net_comes_back_to_the_last_bit),
        cmocka_unit_test(quads_side_by_side_become_one_ground),
        cmocka_unit_test(a_patch_that_lost_a_side_or_is_there_twice_goes),
        cmocka_unit_test(edges_that_run_apart_stay_two),
        cmocka_unit_test(strips_are_counted_and_may_not_disagree),
        cmocka_unit_test(what_names_nothing_is_told),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
