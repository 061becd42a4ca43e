// SPDX-License-Identifier: MIT
// Welding small patches to parts of large ones: nets whose patches were taken apart at random are closed again.
#include <stdlib.h>
#include <string.h>

#include "karst/netfit.h"
#include "karst/netweld.h"
#include "scenes/nets.h"
#include "support/prop.h"
#include "surface/net_weld.h"

static const double distance_m = 0.25;
enum { DISTANCE = 64 };  // [steps]

// ---- nets with binds -------------------------------------------------------------------------------------

// Patches through a part of smooth ground with rough spots: those of 16 tiles beside those of 8, 4 and 2.
static karst_net *fitted(int side, double rough_m, double tolerance_m, karst_rect rect) {
    karst_field_def def = karst_field_def_default();
    def.shape.columns = def.shape.rows = side;
    karst_field *field;
    karst_net *net;
    karst_report report = {0};
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    float *y = malloc((size_t)side * sizeof *y);
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            bool spot = (i - 34) * (i - 34) + (j - 30) * (j - 30) < 60 || (i > 48 && j > 44);
            y[i] = (float)(5 * sin(i * 0.05) * cos(j * 0.04) + (spot ? rough_m * sin(i * 1.9) * cos(j * 2.3) : 0));
        }
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, side, j + 1}, y, NULL, NULL, side), KARST_OK);
    }
    free(y);
    karst_net_fit_def fit = karst_net_fit_def_default();
    fit.report = &report, fit.tolerance_m = tolerance_m, fit.rect = rect;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    if (karst_net_from_field(net, field, &fit, NULL)) fail_msg("%s", report.message);
    karst_field_destroy(field);
    return net;
}

static karst_net *scene(int which) {
    karst_report report = {0};
    karst_net *net = NULL;
    karst_status status = KARST_OK;
    if (which == 0)
        status = scene_net(&(scene_net_def){.side = 16, .slot = 5, .tiles_log2 = 3, .noise_set = 2}, &report, &net);
    else if (which == 1)
        status = scene_net_sample(9, &report, &net);
    else
        net = fitted(65, which == 2 ? 0.6 : 0.25, 0.2, (karst_rect){0});
    if (status) fail_msg("%s", report.message);
    return net;
}
enum { SCENES = 4 };

// ---- taking apart ----------------------------------------------------------------------------------------

static void moved(prop *p, int32_t at[3]) {
    for (int axis = 0; axis < 3; ++axis) at[axis] += prop_int(p, -17, 17);  // less than half the distance in all
}

// What patches that stay need of a net, in another one; the rest is left out.
typedef struct kept {
    int32_t *corner, *edge;
} kept;

static void keep_edge(const karst_net *from, kept *k, int32_t edge) {
    if (k->edge[edge] != KARST_NET_NONE) return;
    k->edge[edge] = 0;
    for (int end = 0; end < 2; ++end) {
        int32_t c = from->edges[edge].corner[end];
        k->corner[c] = 0;
        if (from->corners[c].edge != KARST_NET_NONE) keep_edge(from, k, from->corners[c].edge);
    }
}

static void copy_kept(const karst_net *from, const uint8_t *apart, karst_net *to, kept *k) {
    for (int32_t i = 0; i < from->corner_count; ++i) k->corner[i] = KARST_NET_NONE;
    for (int32_t i = 0; i < from->edge_count; ++i) k->edge[i] = KARST_NET_NONE;
    for (int32_t i = 0; i < from->patch_count; ++i)
        for (int side = 0; side < 4 && !apart[i]; ++side) keep_edge(from, k, from->patches[i].side[side].edge);
    for (int32_t i = 0; i < from->corner_count; ++i)
        if (k->corner[i] != KARST_NET_NONE) karst_net_add_corner(to, &from->corners[i], &k->corner[i]);
    for (int32_t i = 0; i < from->edge_count; ++i) {
        if (k->edge[i] == KARST_NET_NONE) continue;
        karst_net_edge e = from->edges[i];
        for (int end = 0; end < 2; ++end) e.corner[end] = k->corner[e.corner[end]];
        karst_net_add_edge(to, &e, &k->edge[i]);
    }
    for (int32_t i = 0; i < from->corner_count; ++i)
        if (k->corner[i] != KARST_NET_NONE && from->corners[i].edge != KARST_NET_NONE)
            to->corners[k->corner[i]].edge = k->edge[from->corners[i].edge];
}

// A patch with corners and whole edges of its own, from the parts of curves that it has, a little moved.
static karst_net_patch alone(prop *p, const karst_net *from, int32_t patch, karst_net *to) {
    static const int corner_at[4] = {0, 3, 15, 12},
                     way[4][4] = {{0, 1, 2, 3}, {3, 7, 11, 15}, {12, 13, 14, 15}, {0, 4, 8, 12}};
    static const int ends[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
    int32_t points[16][3], corner[4];
    karst_net_patch out = from->patches[patch];
    karst_net_patch_at(from, patch, points);
    for (int k = 0; k < 4; ++k) {
        const karst_net_side *s = &out.side[k < 2 ? 0 : 2];
        int eighth = k == 1 || k == 2 ? s->to : s->from;
        karst_net_corner c = {.edge = KARST_NET_NONE};
        if (eighth % 8 == 0) c.noise = from->corners[from->edges[s->edge].corner[eighth / 8]].noise;
        memcpy(c.at, points[corner_at[k]], sizeof c.at);
        moved(p, c.at);
        karst_net_add_corner(to, &c, &corner[k]);
    }
    for (int k = 0; k < 4; ++k) {
        const karst_net_edge *was = &from->edges[out.side[k].edge];
        bool back = prop_chance(p, 0.5);
        karst_net_edge e = {.noise = was->noise, .crease = was->crease};
        for (int end = 0; end < 2; ++end) {
            e.corner[end] = corner[ends[k][end ^ back]];
            memcpy(e.handle[end], points[way[k][1 + (end ^ back)]], sizeof e.handle[end]);
            moved(p, e.handle[end]);
        }
        int32_t index;
        karst_net_add_edge(to, &e, &index);
        out.side[k] = (karst_net_side){index, back ? 8 : 0, back ? 0 : 8};
    }
    return out;
}

static karst_net *take_apart(prop *p, const karst_net *from, double share) {
    karst_net *to;
    assert_int_equal(karst_net_create(from->origin, from->step_log2, NULL, &to), KARST_OK);
    kept k = {calloc((size_t)from->corner_count, sizeof *k.corner), calloc((size_t)from->edge_count, sizeof *k.edge)};
    uint8_t *apart = calloc((size_t)from->patch_count, 1);
    karst_net_patch *patches = calloc((size_t)from->patch_count, sizeof *patches);
    bool small = prop_chance(p, 0.5);  // those alone that take part of an edge
    for (int32_t i = 0; i < from->patch_count; ++i) {
        bool part = false;
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *s = &from->patches[i].side[side];
            part |= s->from + s->to != 8 || s->from % 8;
        }
        apart[i] = prop_chance(p, share) && (part || !small);
    }
    bool first = prop_chance(p, 0.5);  // which have the lower numbers
    if (first) copy_kept(from, apart, to, &k);
    for (int32_t i = 0; i < from->patch_count; ++i)
        if (apart[i]) patches[i] = alone(p, from, i, to);
    if (!first) copy_kept(from, apart, to, &k);
    int32_t index;
    for (int32_t i = 0; i < from->patch_count; ++i) {
        if (!apart[i]) {
            patches[i] = from->patches[i];
            for (int side = 0; side < 4; ++side) patches[i].side[side].edge = k.edge[from->patches[i].side[side].edge];
        }
        karst_net_add_patch(to, &patches[i], &index);
    }
    free(k.corner), free(k.edge), free(apart), free(patches);
    return to;
}

// ---- back together ---------------------------------------------------------------------------------------

typedef struct seen {
    size_t cracks, closed, open;
} seen;

static seen look(const karst_net *net) {
    seen s;
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    s.cracks = cracks_of(&zones, &s.closed, &s.open);
    scene_zones_free(&zones);
    return s;
}

// The farthest that a side's control point lies from where it was [steps].
static double farthest(const karst_net *a, const karst_net *b) {
    double most = 0;
    for (int32_t k = 0; k < a->patch_count; ++k) {
        int32_t x[16][3], y[16][3];
        karst_net_patch_at(a, k, x), karst_net_patch_at(b, k, y);
        for (int i = 0; i < 16; ++i) {
            double d2 = 0;
            for (int axis = 0; axis < 3; ++axis) d2 += (double)(x[i][axis] - y[i][axis]) * (x[i][axis] - y[i][axis]);
            most = fmax(most, sqrt(d2));
        }
    }
    return most;
}

typedef struct told {
    int32_t count[KARST_REPAIR_REMOVED + 1], parts[9];
} told;

static void hear(void *context, const karst_net_repair *r) {
    told *t = context;
    ++t->count[r->kind];
    if (r->kind == KARST_REPAIR_BOUND) ++t->parts[abs(r->to - r->from)];
}

static void small_patches_bind_to_parts_of_large_ones(void **state) {
    (void)state;
    told all = {0};
    for (int which = 0; which < SCENES; ++which) {
        karst_net *whole = scene(which);
        seen want = look(whole);
        assert_true(want.cracks == 0 && want.open > 0);
        for (prop p = prop_begin("net_bind", which == 1 ? 2 : 6); prop_next(&p);) {
            karst_report report = {0};
            told heard = {0};
            karst_net_welded info;
            karst_net_weld_def def = karst_net_weld_def_default();
            def.distance_m = distance_m, def.report = &report, def.tell = hear, def.context = &heard;
            karst_net *net = take_apart(&p, whole, prop_real(&p, 0.05, 1));
            // Control: apart it is open where it was not; what is not near enough stays so.
            if (karst_net_finish(net, &report)) fail_msg("scene %d, case %d: %s", which, p.at, report.message);
            if (p.at == 0) {
                karst_net *control = net_copy(net);
                prop_check(&p, look(control).open > want.open);
                def.distance_m = 0, def.tell = NULL;
                prop_check(&p, !karst_net_weld(control, &def, NULL) && look(control).open > want.open);
                karst_net_destroy(control);
                def.distance_m = distance_m, def.tell = hear;
            }
            if (karst_net_weld(net, &def, &info)) fail_msg("scene %d, case %d: %s", which, p.at, report.message);
            seen got = look(net);
            prop_check(&p, got.cracks == 0 && got.closed == want.closed && got.open == want.open);
            prop_check(&p, net->patch_count == whole->patch_count && farthest(net, whole) <= DISTANCE);
            prop_check(&p, info.removed == 0 && info.turned == 0);
            prop_check(&p, info.bound == heard.count[KARST_REPAIR_BOUND]);
            prop_check(&p, info.edges == heard.count[KARST_REPAIR_EDGE]);
            // Again: nothing to mend.
            prop_check(&p, !karst_net_weld(net, &def, &info));
            prop_check(&p, info.corners + info.edges + info.bound + info.turned + info.painted == 0);
            for (int k = 1; k < 9; ++k) all.parts[k] += heard.parts[k];
            karst_net_destroy(net);
        }
        karst_net_destroy(whole);
    }
    assert_true(all.parts[4] > 20 && all.parts[2] > 10 && all.parts[1] > 0);
}

static void two_fits_side_by_side_become_one_ground(void **state) {
    (void)state;
    told all = {0};
    int apart = 0;
    for (prop p = prop_begin("net_fits", 8); prop_next(&p);) {
        double rough_m = prop_real(&p, 0.1, 0.9), tolerance_m = prop_real(&p, 0.02, 0.2);
        karst_net *whole = fitted(65, rough_m, 1, (karst_rect){0});
        karst_net *net = fitted(65, rough_m, 0.2, (karst_rect){0, 0, 33, 65});
        karst_net *other = fitted(65, rough_m, tolerance_m, (karst_rect){32, 0, 65, 65});
        karst_report report = {0};
        karst_net_weld_def def = karst_net_weld_def_default();
        def.distance_m = 0.4, def.report = &report, def.tell = hear, def.context = &all;  // both tolerances
        assert_int_equal(karst_net_append(net, other, &report), KARST_OK);
        assert_int_equal(karst_net_finish(net, &report), KARST_OK);
        size_t outline = look(whole).open;
        apart += look(net).open > outline;  // control: open along the line between them, where they are not alike
        if (karst_net_weld(net, &def, NULL)) fail_msg("case %d: %s", p.at, report.message);
        seen got = look(net);
        prop_check(&p, got.cracks == 0 && got.open == outline);
        karst_net_destroy(net), karst_net_destroy(other), karst_net_destroy(whole);
    }
    assert_true(apart > 0 && all.parts[4] + all.parts[2] + all.parts[1] > 0);
}

// ---- squares that lie side by side -----------------------------------------------------------------------

// A flat square of 1 << tiles_log2 tiles with corners and edges of its own.
typedef struct square {
    double x, z, side;
    int tiles_log2, set, slot;
} square;

static karst_net *squares(prop *p, const square *list, int count, double jitter_m) {
    karst_pos places[4 * 16];
    int32_t quads[16][4];
    uint8_t tiles[16][2], set[16], slot[16];
    for (int k = 0; k < count; ++k) {
        const square *q = &list[k];
        for (int c = 0; c < 4; ++c) {
            double jitter[3];
            for (int axis = 0; axis < 3; ++axis) jitter[axis] = prop_real(p, -jitter_m, jitter_m);
            places[4 * k + c] = (karst_pos){q->x + (c == 1 || c == 2 ? q->side : 0) + jitter[0], jitter[1],
                                            q->z + (c >= 2 ? q->side : 0) + jitter[2]};
            quads[k][c] = 4 * k + c;
        }
        tiles[k][0] = tiles[k][1] = (uint8_t)q->tiles_log2, set[k] = (uint8_t)q->set, slot[k] = (uint8_t)q->slot;
    }
    karst_net *net;
    karst_report report = {0};
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    karst_net_cage cage = {.places = places,
                           .place_count = 4 * count,
                           .quads = (const int32_t(*)[4])quads,
                           .quad_count = count,
                           .tiles_log2 = (const uint8_t(*)[2])tiles,
                           .noise_set = set,
                           .slot = slot};
    if (karst_net_from_cage(net, &cage, &report)) fail_msg("%s", report.message);
    return net;
}

static int open_eighths(const karst_net *net) {
    int count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) count += __builtin_popcount(net->edges[k].open);
    return count;
}

static void chains_and_halves_with_one_neighbour_bind_too(void **state) {
    (void)state;
    // A small square beside a middle one, both on a large one: the small one takes a half of the middle one's side and
    // a quarter of the large one's, whose last quarter stays open.
    const square list[3] = {{0, -16, 16, 4, 0, 0}, {0, 0, 8, 3, 0, 0}, {8, 0, 4, 2, 0, 0}};
    for (prop p = prop_begin("net_chain", 40); prop_next(&p);) {
        square turn[3];
        int first = prop_int(&p, 0, 2), step = prop_int(&p, 1, 2);
        for (int k = 0; k < 3; ++k) turn[k] = list[(first + k * step) % 3];
        karst_net *net = squares(&p, turn, 3, 0.05);
        karst_net_welded info;
        karst_report report = {0};
        karst_net_weld_def def = karst_net_weld_def_default();
        def.distance_m = 0.3, def.report = &report;
        prop_check(&p, open_eighths(net) == 8 * 12);  // control
        if (karst_net_weld(net, &def, &info)) fail_msg("case %d: %s", p.at, report.message);
        prop_check(&p, info.bound == 3 && info.removed == 0 && net->edge_count == 9);
        // Of the large one 3 sides and a quarter, of the middle one 2 and a half, of the small one 2.
        prop_check(&p, open_eighths(net) == 8 * 3 + 2 + 8 * 2 + 4 + 8 * 2);
        prop_check(&p, look(net).cracks == 0);
        karst_net_destroy(net);
    }
}

static void tiles_that_do_not_agree_are_told_as_a_strip(void **state) {
    (void)state;
    prop p = prop_begin("net_bind_tiles", 1);
    prop_next(&p);
    static const struct {
        int large, small, side;
        const char *line;
    } bad[3] = {
        {3, 3, 8,
         "the strip of 1 patches at 5.3, 0.0, -10.7 has 8 tiles along all of an edge, that of 2 at 2.7, 0.0, 2.7 "
         "8 along a half of it; give all of the first strip 16"},
        {4, 4, 8, "16 along a half of it; give all of the other strip 8"},
        {1, 4, 8, "patches have 2 to 16: cut the larger ones"},
    };
    for (int k = 0; k < 3; ++k) {
        const square list[3] = {
            {0, -16, 16, bad[k].large, 0, 0}, {0, 0, 8, bad[k].small, 0, 0}, {0, 8, 8, bad[k].small, 0, 0}};
        karst_net *net = squares(&p, list, 3, 0);
        karst_report report = {0};
        karst_net_weld_def def = karst_net_weld_def_default();
        def.report = &report;
        assert_int_equal(karst_net_weld(net, &def, NULL), KARST_ERROR_FORMAT);
        if (!strstr(report.message, bad[k].line)) fail_msg("%s", report.message);
        karst_net_destroy(net);
    }
}

static void what_does_not_run_alike_stays_apart(void **state) {
    (void)state;
    prop p = prop_begin("net_bind_bent", 1);
    prop_next(&p);
    const square list[2] = {{0, -16, 16, 4, 0, 0}, {0, 0, 8, 3, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        karst_net *net = squares(&p, list, 2, 0);
        karst_net_welded info;
        // The near side of the small square bulges by more than a quarter of its chord; or begins off the middle.
        karst_net_edge *near = &net->edges[net->patches[1].side[0].edge];
        for (int end = 0; end < 2 && k == 1; ++end) near->handle[end][1] += 1000;
        if (k == 2) net->corners[near->corner[1]].at[0] += 40;
        assert_int_equal(karst_net_weld(net, NULL, &info), KARST_OK);
        assert_int_equal(info.bound, k == 0);  // control: it would have been
        assert_int_equal(open_eighths(net), k == 0 ? 8 * 6 + 4 : 8 * 8);
        karst_net_destroy(net);
    }
}

static void seams_stay_as_they_are(void **state) {
    (void)state;
    prop p = prop_begin("net_bind_seam", 1);
    prop_next(&p);
    const square list[2] = {{0, 0, 8, 3, 0, 0}, {0, -16, 16, 4, 0, 0}};
    karst_net *net = squares(&p, list, 2, 0);
    int32_t edge = net->patches[1].side[2].edge;
    net->edges[edge].seam = net->edges[edge].corner[0] < net->edges[edge].corner[1] ? 3 : 1;
    net->edges[edge].column = net->edges[edge].seam == 3 ? 16 : 0;
    net->corners[net->edges[net->patches[0].side[0].edge].corner[0]].at[1] += 2;
    karst_net_edge was = net->edges[edge];
    int32_t at[2][3];
    for (int end = 0; end < 2; ++end) memcpy(at[end], net->corners[was.corner[end]].at, sizeof at[end]);
    karst_net_welded info;
    karst_report report = {0};
    karst_net_weld_def def = karst_net_weld_def_default();
    def.report = &report;
    if (karst_net_weld(net, &def, &info)) fail_msg("%s", report.message);
    // The corner of the small square, though of lower number, came to that of the seam.
    assert_true(info.bound == 0 && info.edges == 0 && info.corners == 1);
    const karst_net_edge *now = &net->edges[net->patches[1].side[2].edge];
    assert_true(now->seam == was.seam && now->column == was.column && now->row == was.row);
    for (int end = 0; end < 2; ++end) assert_memory_equal(net->corners[now->corner[end]].at, at[end], sizeof at[end]);
    karst_net_destroy(net);
}

// ---- of one mind -----------------------------------------------------------------------------------------

// A tile corner on a side of a patch.
typedef struct mark {
    double at[3];
    int set, tint;
} mark;

static int marks_of(const karst_net *net, mark *out) {
    int count = 0;
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            const karst_net_patch *p = &net->patches[k];
            const karst_net_side *s = &p->side[side];
            int tiles = 1 << p->tiles_log2[side & 1], n = 1 << p->tiles_log2[!(side & 1)];
            int32_t c[4][3];
            karst_net_edge_at(net, s->edge, c);
            for (int i = 0; i <= tiles; ++i) {
                double t = (s->from + (s->to - s->from) * (double)i / tiles) / 8, u = 1 - t;
                int at = side == 0 ? i : side == 1 ? 17 * i + n : side == 2 ? 17 * n + i : 17 * i;
                for (int axis = 0; axis < 3; ++axis)
                    out[count].at[axis] = u * u * u * c[0][axis] + 3 * u * u * t * c[1][axis] +
                                          3 * u * t * t * c[2][axis] + t * t * t * c[3][axis];
                out[count].set = p->set[at], out[count++].tint = p->tint[at];
            }
        }
    return count;
}

// Pairs of tile corners in one place that say different things of it.
static int differ(const karst_net *net, double within) {
    mark *all = malloc((size_t)net->patch_count * 4 * 17 * sizeof *all);
    int count = marks_of(net, all), pairs = 0;
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < a; ++b) {
            double far = 0;
            for (int axis = 0; axis < 3; ++axis) far = fmax(far, fabs(all[a].at[axis] - all[b].at[axis]));
            pairs += far <= within && (all[a].set != all[b].set || all[a].tint != all[b].tint);
        }
    free(all);
    return pairs;
}

static void paint_is_of_one_mind_along_new_seams(void **state) {
    (void)state;
    // A large square, two middle ones beside it, one of these beside two small ones, a small one at the corner of
    // three.
    const square list[6] = {{0, -16, 16, 4, 0, 0}, {0, 0, 8, 3, 1, 0}, {8, 0, 8, 3, 2, 0},
                            {0, 8, 4, 2, 3, 0},    {4, 8, 4, 2, 4, 0}, {8, 8, 4, 2, 5, 0}};
    for (prop p = prop_begin("net_mind", 30); prop_next(&p);) {
        karst_net *net = squares(&p, list, 6, 0.04);
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int i = 0; i < KARST_TILE_CORNERS; ++i) {
                net->patches[k].tint[i] = (uint16_t)prop_u64(&p);
                if (prop_chance(&p, 0.5)) net->patches[k].set[i] = (uint8_t)prop_int(&p, 0, KARST_NOISE_SETS - 1);
            }
        uint8_t inside = net->patches[0].set[17 * 5 + 5];
        karst_net_welded info;
        karst_report report = {0};
        karst_net_weld_def def = karst_net_weld_def_default();
        def.distance_m = 0.25, def.report = &report;
        prop_check(&p, differ(net, 40) > 60);  // control
        if (karst_net_weld(net, &def, &info)) fail_msg("case %d: %s", p.at, report.message);
        prop_check(&p, info.bound == 5 && info.painted > 30 && info.painted < 6 * 4 * 17);
        prop_check(&p, differ(net, 2) == 0 && net->patches[0].set[17 * 5 + 5] == inside);
        prop_check(&p, !karst_net_weld(net, &def, &info) && info.painted == 0);
        karst_net_destroy(net);
    }
    // The higher rank, and the mean of tints.
    prop p = prop_begin("net_mind_rule", 1);
    prop_next(&p);
    for (int same = 0; same < 2; ++same) {
        const square two[2] = {{0, 0, 8, 3, KARST_TILE_SAND, 0},
                               {8, 0, 8, 3, same ? KARST_TILE_SAND : KARST_TILE_MOSS, 0}};
        karst_net *net = squares(&p, two, 2, 0);
        for (int i = 0; i < KARST_TILE_CORNERS; ++i)
            net->patches[0].tint[i] = 4 << 11 | 10 << 5 | 1, net->patches[1].tint[i] = 7 << 11 | 20 << 5 | 3;
        karst_net_welded info;
        assert_int_equal(karst_net_weld(net, NULL, &info), KARST_OK);
        assert_int_equal(info.painted, 18);
        for (int j = 0; j <= 8; ++j) {
            assert_int_equal(net->patches[0].set[17 * j + 8], two[1].set);
            assert_int_equal(net->patches[0].tint[17 * j + 8], 6 << 11 | 15 << 5 | 2);
            assert_int_equal(net->patches[0].set[17 * j + 7], KARST_TILE_SAND);
        }
        karst_net_destroy(net);
    }
}

static void joined_edges_take_the_calmest_map(void **state) {
    (void)state;
    prop p = prop_begin("net_bind_maps", 1);
    prop_next(&p);
    int8_t noise[2] = {0, 0};
    for (int rough = 0; rough < 3; ++rough) {  // which square is rough: the first, the second, neither
        const square list[2] = {{0, -16, 16, 4, 0, rough == 0 ? 15 : 2}, {0, 0, 8, 3, 0, rough == 1 ? 15 : 2}};
        karst_net *net = squares(&p, list, 2, 0);
        int32_t corner = net->edges[net->patches[0].side[2].edge].corner[0];
        assert_int_equal(karst_net_weld(net, NULL, NULL), KARST_OK);
        const karst_net_edge *e = &net->edges[net->patches[0].side[2].edge];
        assert_true(net->patches[1].side[0].edge == net->patches[0].side[2].edge && e->noise == 2);
        int end = e->corner[1] == corner;
        if (rough < 2) noise[rough] = net->corners[e->corner[end]].noise;
        assert_true(abs(net->corners[e->corner[0]].noise) <= 40 && abs(net->corners[e->corner[1]].noise) <= 40);
        karst_net_destroy(net);
    }
    assert_int_equal(noise[0], noise[1]);
}

// ---- anything --------------------------------------------------------------------------------------------

// Elements that name each other at random.
static karst_net *rubble(prop *p) {
    karst_net *net;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    int corners = prop_int(p, 2, 30), edges = prop_int(p, 1, 40), patches = prop_int(p, 1, 20);
    int wide = 1 << prop_int(p, 2, 12);
    int32_t index;
    double wild = prop_chance(p, 0.5) ? 0 : 0.3;
    for (int k = 0; k < corners; ++k) {
        karst_net_corner c = {.edge = KARST_NET_NONE};
        for (int axis = 0; axis < 3; ++axis) c.at[axis] = prop_int(p, 0, 4) * wide + prop_int(p, -2, 2);
        if (prop_chance(p, wild)) c.edge = prop_int(p, 0, edges - 1), c.eighth = (uint8_t)prop_int(p, 1, 7);
        if (prop_chance(p, 0.01)) c.at[0] = INT32_MAX - prop_int(p, 0, 1);
        karst_net_add_corner(net, &c, &index);
    }
    for (int k = 0; k < edges; ++k) {
        karst_net_edge e = {.noise = (uint8_t)prop_int(p, 0, prop_chance(p, 0.02) ? 255 : 40)};
        for (int end = 0; end < 2; ++end) e.corner[end] = prop_int(p, 0, corners - 1);
        for (int end = 0; end < 2; ++end)
            for (int axis = 0; axis < 3; ++axis) {
                const int32_t *a = net->corners[e.corner[end]].at, *b = net->corners[e.corner[!end]].at;
                e.handle[end][axis] = a[axis] + (int32_t)(((int64_t)b[axis] - a[axis]) / 3);
            }
        if (prop_chance(p, 0.05)) e.seam = (uint8_t)prop_int(p, 1, 5), e.column = 16 * prop_int(p, 0, 9);
        if (prop_chance(p, 0.01)) e.row = INT32_MAX - prop_int(p, 0, 1);
        karst_net_add_edge(net, &e, &index);
    }
    for (int k = 0; k < patches; ++k) {
        karst_net_patch q = {.tiles_log2 = {(uint8_t)prop_int(p, 1, 4), (uint8_t)prop_int(p, 1, 4)}};
        for (int side = 0; side < 4; ++side) {
            int whole = !prop_chance(p, wild), from = whole ? 8 * prop_int(p, 0, 1) : prop_int(p, 0, 8);
            int to = whole ? 8 - from : prop_int(p, 0, 8);
            q.side[side] =
                (karst_net_side){prop_int(p, 0, edges - 1), (uint8_t)from, (uint8_t)(to == from ? from ^ 1 : to)};
        }
        if (prop_chance(p, 0.02)) q.set[3] = 200;
        if (prop_chance(p, 0.02)) q.tiles_log2[1] = 77;
        karst_net_add_patch(net, &q, &index);
    }
    return net;
}

// Squares side by side of which some things were overwritten.
static karst_net *spoiled(prop *p) {
    const square list[6] = {{0, -16, 16, 4, 0, 2}, {0, 0, 8, 3, 1, 0}, {8, 0, 8, 3, 2, 9},
                            {0, 8, 4, 2, 3, 0},    {4, 8, 4, 2, 4, 3}, {8, 8, 4, 2, 5, 0}};
    karst_net *net = squares(p, list, 6, 0.04);
    for (int n = prop_int(p, 1, 12); n > 0; --n) {
        karst_net_corner *c = &net->corners[prop_int(p, 0, net->corner_count - 1)];
        karst_net_edge *e = &net->edges[prop_int(p, 0, net->edge_count - 1)];
        karst_net_side *s = &net->patches[prop_int(p, 0, 5)].side[prop_int(p, 0, 3)];
        switch (prop_int(p, 0, 6)) {
            case 0:
                c->at[prop_int(p, 0, 2)] += prop_int(p, -3000, 3000);
                break;
            case 1:
                c->edge = prop_int(p, 0, net->edge_count - 1), c->eighth = (uint8_t)prop_int(p, 1, 7);
                break;
            case 2:
                e->corner[prop_int(p, 0, 1)] = prop_int(p, 0, net->corner_count - 1);
                break;
            case 3:
                e->handle[prop_int(p, 0, 1)][prop_int(p, 0, 2)] += prop_int(p, -3000, 3000);
                break;
            case 4:
                s->edge = prop_int(p, 0, net->edge_count - 1);
                break;
            case 5:
                s->from = (uint8_t)prop_int(p, 0, 8), s->to = s->from ? 0 : (uint8_t)prop_int(p, 1, 8);
                break;
            default:
                memcpy(c->at, net->corners[prop_int(p, 0, net->corner_count - 1)].at, sizeof c->at);
        }
    }
    return net;
}

static void anything_is_welded_or_told(void **state) {
    (void)state;
    int done = 0, refused = 0;
    for (prop p = prop_begin("net_any", 240); prop_next(&p);) {
        karst_net *net = p.at % 2 ? spoiled(&p) : rubble(&p);
        static const double distances[5] = {0, 0.01, 0.2, 5, 1000};
        karst_report report = {0};
        karst_net_weld_def def = karst_net_weld_def_default();
        def.distance_m = distances[prop_int(&p, 0, 4)], def.report = &report;
        karst_status status = karst_net_weld(net, &def, NULL);
        prop_check(&p, status == KARST_OK || status == KARST_ERROR_FORMAT || status == KARST_ERROR_LIMIT);
        prop_check(&p, status == KARST_OK ? net->finished : strlen(report.message) > 20 && !net->finished);
        prop_check(&p, status || !karst_net_weld(net, &def, NULL));
        ++*(status ? &refused : &done);
        karst_net_destroy(net);
    }
    assert_true(done > 0 && refused > 0);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    const square list[3] = {{0, -16, 16, 4, 0, 9}, {0, 0, 8, 3, 1, 2}, {8, 0, 4, 2, 2, 5}};
    int n = 1;
    for (karst_status status = KARST_ERROR_MEMORY; status; ++n) {
        prop p = prop_begin("net_bind_memory", 1);
        prop_next(&p);
        karst_net *net = squares(&p, list, 3, 0);
        kst_alloc_fail_after((uint64_t)n);
        status = karst_net_weld(net, NULL, NULL);
        kst_alloc_fail_after(0);
        assert_true((status == KARST_OK || status == KARST_ERROR_MEMORY) && net->finished == !status);
        karst_net_destroy(net);
    }
    assert_true(n > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_patches_bind_to_parts_of_large_ones),
        cmocka_unit_test(two_fits_side_by_side_become_one_ground),
        cmocka_unit_test(chains_and_halves_with_one_neighbour_bind_too),
        cmocka_unit_test(tiles_that_do_not_agree_are_told_as_a_strip),
        cmocka_unit_test(what_does_not_run_alike_stays_apart),
        cmocka_unit_test(seams_stay_as_they_are),
        cmocka_unit_test(paint_is_of_one_mind_along_new_seams),
        cmocka_unit_test(joined_edges_take_the_calmest_map),
        cmocka_unit_test(anything_is_welded_or_told),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
