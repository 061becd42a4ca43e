// SPDX-License-Identifier: MIT
// Displacement maps: calm beside folds and along borders, elsewhere as told, and the ground stays closed.
#include "scenes/nets.h"
#include "support/prop.h"

enum { SIDE = 16 };

static karst_net *net_of(void) {
    karst_report report = {0};
    karst_net *net = NULL;
    if (scene_net(&(scene_net_def){.side = SIDE, .slot = 3, .tiles_log2 = 3, .noise_set = 2}, &report, &net))
        fail_msg("%s", report.message);
    return net;
}

static int slot_at(const karst_net_patch *p, int i, int j) {
    return p->slot[KARST_NET_TILES_MAX * j + i];
}

static int least_along(const karst_net_patch *p, int side) {
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1], least = 99;
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i) {
            bool on = side == 0 ? j == 0 : side == 1 ? i == across - 1 : side == 2 ? j == down - 1 : i == 0;
            if (on && slot_at(p, i, j) < least) least = slot_at(p, i, j);
        }
    return least;
}

static void tiles_beside_a_fold_are_half_as_rough(void **state) {
    (void)state;
    karst_net *net = net_of();
    for (int32_t k = 0; k < net->edge_count; k += 5) net->edges[k].crease = true;
    assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
    int32_t changed = karst_net_displace(net, (karst_pos){0, 0, 0}, INFINITY, 14, 4), tiles = 0, folded = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
        assert_int_equal(p->noise_set, 4);
        for (int j = 0; j < down; ++j)
            for (int i = 0; i < across; ++i) {
                bool fold = (j == 0 && net->edges[p->side[0].edge].crease) ||
                            (i == across - 1 && net->edges[p->side[1].edge].crease) ||
                            (j == down - 1 && net->edges[p->side[2].edge].crease) ||
                            (i == 0 && net->edges[p->side[3].edge].crease);
                assert_int_equal(slot_at(p, i, j), fold ? 7 : 14);
                ++tiles, folded += fold;
            }
    }
    assert_true(changed == tiles && folded > 500);
    for (int32_t k = 0; k < net->edge_count; ++k)
        if (net->edges[k].tiles) assert_true(net->edges[k].noise >= 16 * 4 + 7);
    karst_net_destroy(net);
}

static void a_dab_changes_what_it_reaches_and_borders_follow(void **state) {
    (void)state;
    int reached = 0;
    for (prop p = prop_begin("net_dab", 12); prop_next(&p);) {
        karst_net *net = net_of(), *before = net_of();
        double x = prop_real(&p, 0, 16 * SIDE), z = prop_real(&p, 0, 16 * SIDE), radius = prop_real(&p, 5, 60);
        int slot = prop_int(&p, 0, 15);
        int32_t changed =
                    karst_net_displace(net, (karst_pos){x, scene_net_hill(x, z), z}, radius, slot, KARST_NET_NONE),
                found = 0;
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int i = 0; i < KARST_NET_TILES_MAX * KARST_NET_TILES_MAX; ++i) {
                bool other = net->patches[k].slot[i] != before->patches[k].slot[i];
                if (other) prop_check(&p, net->patches[k].slot[i] == slot);
                found += other;
            }
        prop_check(&p, found == changed);
        reached += changed > 0;
        // An edge of a patch that changed has the calmest map along it.
        for (int32_t e = 0; e < net->edge_count; ++e) {
            int least = 99;
            bool near = false;
            for (int32_t k = 0; k < net->patch_count; ++k)
                for (int side = 0; side < 4; ++side)
                    if (net->patches[k].side[side].edge == e) {
                        int here = least_along(&net->patches[k], side);
                        least = here < least ? here : least;
                        near |=
                            memcmp(net->patches[k].slot, before->patches[k].slot, sizeof before->patches[k].slot) != 0;
                    }
            if (near)
                prop_check(&p, (net->edges[e].noise & 15) == least);
            else
                prop_check(&p, net->edges[e].noise == before->edges[e].noise);
        }
        // The same again changes nothing; it is finished still, and zones fit together.
        prop_check(&p,
                   karst_net_displace(net, (karst_pos){x, scene_net_hill(x, z), z}, radius, slot, KARST_NET_NONE) == 0);
        if (p.at < 3) {
            scene_zones zones;
            prop_check(&p, net->finished && !scene_zones_cut(net, NULL, &zones));
            prop_check(&p, !karst_zones_check((const karst_zone *const *)zones.zones, zones.count, NULL, NULL));
            scene_zones_free(&zones);
        }
        karst_net_destroy(net), karst_net_destroy(before);
    }
    assert_true(reached > 0);
}

static void without_memory_nothing_changes(void **state) {
    (void)state;
    karst_net *net = net_of();
    uint64_t slots = kst_hash(net->patches, (size_t)net->patch_count * sizeof *net->patches, 0);
    for (uint64_t n = 1; n <= 4; ++n) {
        kst_alloc_fail_after(n);
        assert_int_equal(karst_net_displace(net, (karst_pos){0, 0, 0}, INFINITY, 9, 1), KARST_NET_NONE);
        kst_alloc_fail_after(0);
        assert_true(slots == kst_hash(net->patches, (size_t)net->patch_count * sizeof *net->patches, 0));
    }
    karst_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_beside_a_fold_are_half_as_rough),
        cmocka_unit_test(a_dab_changes_what_it_reaches_and_borders_follow),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
