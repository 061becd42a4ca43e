// SPDX-License-Identifier: MIT
// Points of a finished net that move: what follows is what finishing the whole net says.
#include "karst/netmove.h"

#include "support/net.h"
#include "surface/net_weld.h"

static void shift(prop *p, int32_t at[3], int most) {
    for (int axis = 0; axis < 3; ++axis) at[axis] += prop_int(p, -most, most);
}

static int32_t name_all(const karst_net_list *list, int32_t k, int32_t *out) {
    int32_t count = 0;
    for (int32_t i = list->first[k]; i < list->first[k + 1]; ++i) out[count++] = list->of[i] / 4;
    return count;
}

// Move one point of any kind; the patches that it belongs to.
static int32_t move_one(prop *p, karst_net *net, const karst_net_links *l, int32_t *out) {
    int32_t count = 0;
    int most = prop_int(p, 1, 600), kind = prop_int(p, 0, 2);
    if (kind == 0) {
        int32_t k = prop_int(p, 0, net->corner_count - 1);
        if (net->corners[k].edge != KARST_NET_NONE) return 0;
        shift(p, net->corners[k].at, most);
        for (int32_t i = l->edges_of_corner.first[k]; i < l->edges_of_corner.first[k + 1]; ++i)
            count += name_all(&l->patches_of_edge, l->edges_of_corner.of[i] / 2, out + count);
    } else if (kind == 1) {
        int32_t k = prop_int(p, 0, net->edge_count - 1);
        shift(p, net->edges[k].handle[prop_int(p, 0, 1)], most);
        count = name_all(&l->patches_of_edge, k, out);
    } else {
        out[count++] = prop_int(p, 0, net->patch_count - 1);
        shift(p, net->patches[out[0]].inner[prop_int(p, 0, 3)], most);
    }
    return count;
}

static void what_follows_is_what_finishing_says(void **state) {
    (void)state;
    karst_net *net = net_of(48);
    karst_net_links links;
    assert_int_equal(karst_net_links_make(net, &links), KARST_OK);
    int32_t *moved = malloc(100000 * sizeof *moved), unlike = 0, cases = 0;
    for (prop p = prop_begin("net_moved", 40); prop_next(&p);) {
        int32_t count = 0;
        for (int k = prop_int(&p, 1, 30); k > 0; --k) count += move_one(&p, net, &links, moved + count);
        karst_net *whole = net_copy(net);
        prop_check(&p, whole);
        ++cases, unlike += !net_same(net, whole);  // the control: before the call it is not
        prop_check(&p, !karst_net_moved(net, &links, moved, count, NULL));
        prop_check(&p, net->finished && net_same(net, whole));
        karst_net_destroy(whole);
    }
    assert_true(unlike * 10 > cases * 9);
    free(moved);
    karst_net_links_free(&links);
    karst_net_destroy(net);
}

static void a_patch_too_large_is_told_and_can_be_taken_back(void **state) {
    (void)state;
    karst_net *net = net_of(16), *before = net_copy(net);
    karst_net_links links;
    karst_report report = {0};
    assert_int_equal(karst_net_links_make(net, &links), KARST_OK);
    int32_t patch = 100, was = net->patches[patch].inner[2][1];
    net->patches[patch].inner[2][1] += 400 * 256;
    assert_int_equal(karst_net_moved(net, &links, &patch, 1, &report), KARST_ERROR_LIMIT);
    assert_false(net->finished);
    assert_non_null(strstr(report.message, "patch 100 at"));
    net->patches[patch].inner[2][1] = was;
    assert_int_equal(karst_net_moved(net, &links, &patch, 1, &report), KARST_OK);
    assert_true(net->finished && net_same(net, before));
    karst_net_links_free(&links);
    karst_net_destroy(net), karst_net_destroy(before);
}

static void corners_inside_lie_on_their_edges(void **state) {
    (void)state;
    karst_net *net = net_of(16);
    int inside = 0, off = 0;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        const karst_net_corner *c = &net->corners[k];
        if (c->edge == KARST_NET_NONE) continue;
        int32_t at[3], e[4][3];
        karst_net_inside_at(net, k, at);
        karst_net_edge_at(net, c->edge, e);
        assert_memory_equal(at, c->at, sizeof at);
        double t = c->eighth / 8.0, u = 1 - t;
        for (int axis = 0; axis < 3; ++axis) {
            double on = u * u * u * e[0][axis] + 3 * u * u * t * e[1][axis] + 3 * u * t * t * e[2][axis] +
                        t * t * t * e[3][axis];
            assert_true(fabs(on - at[axis]) <= 0.51);
            off += fabs(e[0][axis] + t * (e[3][axis] - e[0][axis]) - at[axis]) > 1;  // the control: not on the chord
        }
        ++inside;
    }
    assert_true(inside > 50 && off > 50);
    karst_net_destroy(net);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    karst_net *net = net_of(16);
    for (uint64_t n = 1;; ++n) {
        karst_net_links links;
        kst_alloc_fail_after(n);
        karst_status status = karst_net_links_make(net, &links);
        kst_alloc_fail_after(0);
        if (!status) {
            karst_net_links_free(&links);
            break;
        }
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    karst_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_is_what_finishing_says),
        cmocka_unit_test(a_patch_too_large_is_told_and_can_be_taken_back),
        cmocka_unit_test(corners_inside_lie_on_their_edges),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
