// SPDX-License-Identifier: MIT
// Strokes leave ground alone where a net takes the place of a field.
#include <math.h>

#include "edit/net_strokes.h"
#include "karst/netfit.h"
#include "surface/net_weld.h"

// A net in place of a field, of patches of many sizes.
static karst_net *net_in_place(void) {
    karst_field_def fd = karst_field_def_default();
    fd.shape = (karst_field_shape){65, 65, 2, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&fd, &field), KARST_OK);
    for (int32_t j = 0; j < 65; ++j) {
        float y[65];
        for (int32_t i = 0; i < 65; ++i)
            y[i] = (float)(6 * sin(i * 0.2) * cos(j * 0.15) + (i > 40 ? 0.5 * sin(i * 2.0 + j) : 0));
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, 65, j + 1}, y, NULL, NULL, 65), KARST_OK);
    }
    karst_net_fit_def def = karst_net_fit_def_default();
    def.replace = true, def.rect = (karst_rect){16, 16, 65, 65};
    karst_net *net;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    assert_int_equal(karst_net_from_field(net, field, &def, NULL), KARST_OK);
    karst_field_destroy(field);
    return net;
}

// Flat quads, one of them in four patches, whose border has corners inside edges. Open edges are seams.
static karst_net *net_with_inside(void) {
    karst_pos places[16];
    int32_t quads[9][4];
    uint8_t tiles[9][2], split[9] = {1, 0, 0, 0, 1};
    for (int k = 0; k < 16; ++k) places[k] = (karst_pos){16.0 * (k % 4), 0, 16.0 * (k / 4)};
    for (int k = 0; k < 9; ++k) {
        int32_t a = k / 3 * 4 + k % 3;
        memcpy(quads[k], (const int32_t[]){a, a + 1, a + 5, a + 4}, sizeof *quads);
        tiles[k][0] = tiles[k][1] = 4;
    }
    karst_net_cage cage = {.places = places, .place_count = 16, .quads = (const int32_t(*)[4])quads, .quad_count = 9};
    cage.tiles_log2 = (const uint8_t(*)[2])tiles, cage.split_log2 = split;
    karst_net *net;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    assert_int_equal(karst_net_from_cage(net, &cage, NULL), KARST_OK);
    for (int32_t k = 0; k < net->edge_count; ++k) {
        karst_net_edge *e = &net->edges[k];
        if (!e->open) continue;
        const int32_t *a = net->corners[e->corner[0]].at, *b = net->corners[e->corner[1]].at;
        e->seam = b[0] > a[0] ? 1 : b[2] > a[2] ? 2 : b[0] < a[0] ? 3 : 4;
        e->column = a[0] / 256, e->row = a[2] / 256;
    }
    karst_report report = {0};
    if (karst_net_finish(net, &report)) fail_msg("%s", report.message);
    return net;
}

// Points of the star of a corner that are elsewhere in s.
static int moved_of(const karst_net_sculptor *s, const karst_net *was, int32_t corner) {
    karst_net_sculptor then = *s;
    int moved = 0;
    then.net = (karst_net *)was;
    for (int i = 0; i < kst_star_size(s, corner); ++i)
        moved += memcmp(kst_star_point(s, corner, i).at, kst_star_point(&then, corner, i).at, 12) != 0;
    return moved;
}

static void strokes_hold_the_stars_of_seams(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        karst_net *net = kind ? net_with_inside() : net_in_place();
        for (int pass = 0; pass < 2; ++pass) {  // the second, without seams, is the control
            int held = 0, free = 0, inside = 0, insides = 0;
            karst_net *now = net_copy(net);
            for (int32_t k = 0; k < now->edge_count && pass; ++k) now->edges[k].seam = 0;
            karst_net_sculptor *s;
            assert_int_equal(karst_net_sculptor_create(now, NULL, &s), KARST_OK);
            for (prop p = prop_begin("net_seams", 60); prop_next(&p);) {
                karst_brush_def d = any_brush(&p, 20);
                karst_touched touched;
                karst_status status = draw(s, &d, any_point(&p, now), 3, 10, &touched);
                prop_check(&p, !status || status == KARST_ERROR_LIMIT);
            }
            for (int32_t k = 0; k < net->edge_count; ++k) {
                const karst_net_edge *e = &net->edges[k];
                for (int end = 0; end < 2; ++end) *(e->seam ? &held : &free) += moved_of(s, net, e->corner[end]);
                for (int i = 0; i < e->spans - 1 && e->seam; ++i)
                    inside += moved_of(s, net, net->inside[e->inside + i]), ++insides;
            }
            assert_true(pass ? held > 20 : held == 0);
            assert_true(pass && kind ? inside > 0 : inside == 0);
            assert_true(free > 20 && (insides > 0) == kind);
            karst_net_sculptor_destroy(s);
            karst_net_destroy(now);
        }
        karst_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strokes_hold_the_stars_of_seams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
