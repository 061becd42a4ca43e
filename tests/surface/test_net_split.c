// SPDX-License-Identifier: MIT
// Splitting: the ground stays closed and where it was, and each tile keeps what it had, whatever is cut beside what.
#include <math.h>

#include "karst/netfit.h"
#include "karst/netsplit.h"
#include "support/prop.h"
#include "surface/net.h"
#include "surface/net_weld.h"
#include "surface/zone_record.h"

enum { SIDE = 97 };

// ---- nets ------------------------------------------------------------------------------------------------

// Hills with a rough spot, fitted: patches of 16 tiles beside those of 8, 4 and 2. replace: seams round it.
static karst_net *fitted(bool replace, int slot) {
    karst_field_def def = karst_field_def_default();
    def.shape.columns = def.shape.rows = SIDE;
    karst_field *field;
    karst_net *net;
    karst_report report = {0};
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    for (int j = 0; j < SIDE; ++j) {
        float y[SIDE];
        for (int i = 0; i < SIDE; ++i) {
            bool spot = (i - 34) * (i - 34) + (j - 30) * (j - 30) < 60 || (i > 78 && j > 64);
            y[i] = (float)(5 * sin(i * 0.05) * cos(j * 0.04) + (spot ? 0.5 * sin(i * 1.9) * cos(j * 2.3) : 0));
        }
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, SIDE, j + 1}, y, NULL, NULL, SIDE), KARST_OK);
    }
    karst_net_fit_def fit = karst_net_fit_def_default();
    fit.report = &report, fit.tolerance_m = 0.2, fit.replace = replace, fit.slot = (uint8_t)slot, fit.noise_set = 2;
    if (replace) fit.rect = (karst_rect){16, 16, 81, 81};
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    if (karst_net_from_field(net, field, &fit, NULL)) fail_msg("%s", report.message);
    karst_field_destroy(field);
    return net;
}

enum { BINDS, LAND, FIT, SEAMS, SCENES };
static karst_net *scene(int which, int slot) {
    karst_report report = {0};
    karst_net *net = NULL;
    karst_status status = KARST_OK;
    if (which == BINDS)
        status = scene_net(&(scene_net_def){.side = 16, .slot = (uint8_t)slot, .tiles_log2 = 3, .noise_set = 2},
                           &report, &net);
    else if (which == LAND)
        status = scene_net_sample((uint8_t)slot, &report, &net);
    else
        net = fitted(which == SEAMS, slot);
    if (status) fail_msg("%s", report.message);
    return net;
}

// Places on the ground: somewhere on a patch.
static int draw_places(prop *p, const karst_net *net, karst_net_split_place *out) {
    int count = prop_int(p, 1, 3);
    for (int k = 0; k < count; ++k) {
        int32_t points[16][3];
        karst_net_patch_at(net, prop_int(p, 0, net->patch_count - 1), points);
        const int32_t *at = points[prop_int(p, 0, 15)];
        double m = ldexp(1, net->step_log2);
        out[k] =
            (karst_net_split_place){{net->origin.x + at[0] * m, net->origin.y + at[1] * m, net->origin.z + at[2] * m},
                                    prop_real(p, 0, 20),
                                    exp2(prop_real(p, 0, 4))};
    }
    return count;
}

static karst_net_split_info split(karst_net *net, const karst_net_split_place *places, int count) {
    karst_report report = {0};
    karst_net_split_info info;
    karst_net_split_def def = karst_net_split_def_default();
    def.places = places, def.place_count = count, def.report = &report;
    if (karst_net_split(net, &def, &info)) fail_msg("%s", report.message);
    return info;
}

// ---- what stays ------------------------------------------------------------------------------------------

// Tile corners with numbers for tints, so that each can be found again.
typedef struct mark {
    double at[3];  // [steps]
    uint8_t slot, group, set, tile;
} mark;
typedef struct marks {
    mark *of;
    int count;
} marks;

// Where tile corner (i, j) lies before displacement.
static void place_of(const karst_net *net, int32_t patch, int i, int j, double out[3]) {
    const karst_net_patch *p = &net->patches[patch];
    int32_t points[16][3];
    karst_net_patch_at(net, patch, points);
    double u[2] = {(double)i / (1 << p->tiles_log2[0]), (double)j / (1 << p->tiles_log2[1])}, b[2][4];
    for (int k = 0; k < 2; ++k) {
        double v = 1 - u[k];
        b[k][0] = v * v * v, b[k][1] = 3 * u[k] * v * v, b[k][2] = 3 * u[k] * u[k] * v, b[k][3] = u[k] * u[k] * u[k];
    }
    for (int axis = 0; axis < 3; ++axis) out[axis] = 0;
    for (int k = 0; k < 16; ++k)
        for (int axis = 0; axis < 3; ++axis) out[axis] += b[0][k & 3] * b[1][k >> 2] * points[k][axis];
}

static marks mark_all(prop *p, karst_net *net) {
    marks m = {calloc(UINT16_MAX + 1, sizeof *m.of), 0};
    for (int32_t k = 0; k < net->patch_count; ++k) {
        karst_net_patch *patch = &net->patches[k];
        int across = 1 << patch->tiles_log2[0], down = 1 << patch->tiles_log2[1];
        for (int j = 0; j <= down; ++j)
            for (int i = 0; i <= across; ++i) {
                if (m.count > UINT16_MAX) break;
                mark *now = &m.of[m.count];
                now->tile = i < across && j < down;
                if (now->tile) {
                    now->slot = patch->slot[16 * j + i];
                    now->group = patch->group[16 * j + i] = (uint8_t)prop_int(p, 0, KARST_TILE_GROUPS - 1);
                }
                now->set = patch->set[17 * j + i] = (uint8_t)prop_int(p, 0, KARST_NOISE_SETS - 1);
                place_of(net, k, i, j, now->at);
                patch->tint[17 * j + i] = (uint16_t)m.count++;
            }
    }
    assert_true(m.count <= UINT16_MAX);
    return m;
}

// The furthest that a tile corner lies from where the one of its number did [steps]. *unlike: paint or tiles that are
// not what they were; *lost: numbers that nobody has.
static double compare(const karst_net *net, const marks *m, int *unlike, int *lost) {
    uint8_t *seen = calloc((size_t)m->count, 1);
    double most = 0;
    *unlike = *lost = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *patch = &net->patches[k];
        int across = 1 << patch->tiles_log2[0], down = 1 << patch->tiles_log2[1];
        for (int j = 0; j <= down; ++j)
            for (int i = 0; i <= across; ++i) {
                const mark *was = &m->of[patch->tint[17 * j + i]];
                double at[3];
                place_of(net, k, i, j, at);
                for (int axis = 0; axis < 3; ++axis) most = fmax(most, fabs(at[axis] - was->at[axis]));
                bool tile = i < across && j < down;
                *unlike += patch->set[17 * j + i] != was->set;
                if (tile)
                    *unlike +=
                        !was->tile || patch->slot[16 * j + i] != was->slot || patch->group[16 * j + i] != was->group;
                seen[patch->tint[17 * j + i]] = 1;
            }
    }
    for (int k = 0; k < m->count; ++k) *lost += !seen[k];
    free(seen);
    return most;
}

static size_t cracks(const karst_net *net, size_t *open) {
    scene_zones zones;
    karst_report report = {0};
    size_t closed;
    if (scene_zones_cut(net, &report, &zones)) fail_msg("%s", report.message);
    size_t count = cracks_of(&zones, &closed, open);
    assert_int_equal(karst_zones_check((const karst_zone *const *)zones.zones, zones.count, NULL, NULL), KARST_OK);
    scene_zones_free(&zones);
    return count;
}

// ---- displacement ----------------------------------------------------------------------------------------

typedef struct drawn {
    karst_fine at;
    bool there, side;  // side: of a patch, in this net or one before it
    int tiles;         // of its patch, at first
} drawn;

// Where the tile corners of a marked net are drawn, by number; side and tiles add up.
static void draw_all(const karst_net *net, drawn *out, bool first) {
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    for (int z = 0; z < zones.count; ++z)
        for (uint32_t k = 0; k < zones.zones[z]->piece_count; ++k) {
            const karst_zone *zone = zones.zones[z];
            const karst_piece *piece = &zone->pieces[k];
            const kst_patch_data *patch = &zone->record->data.patches[piece->patch];
            int n = 1 << piece->tiles_log2, across = 1 << patch->tiles_log2[0], down = 1 << patch->tiles_log2[1];
            for (int j = 0; j <= n; ++j)
                for (int i = 0; i <= n; ++i) {
                    int x = piece->tile_s + i, y = piece->tile_t + j;
                    drawn *d = &out[patch->tint[17 * y + x]];
                    karst_fine at = zone->places[piece->first_place + (uint32_t)(j * (n + 1) + i)];
                    d->at = (karst_fine){zone->bias.x + at.x, zone->bias.y + at.y, zone->bias.z + at.z};
                    d->there = true;
                    d->side |= x == 0 || y == 0 || x == across || y == down;
                    if (first) d->tiles = across < down ? across : down;
                }
        }
    scene_zones_free(&zones);
}

static double apart_m(karst_fine a, karst_fine b) {
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z) / 4096;
}

// Patches of 16 tiles keep their displacement but along new edges; where they are cut the middle stays.
static void displaced_ground_stays_but_along_new_edges(void **state) {
    (void)state;
    prop p = prop_begin("net_split_drawn", 1);
    prop_next(&p);
    karst_net *net = scene(FIT, 12);
    marks m = mark_all(&p, net);
    drawn *before = calloc((size_t)m.count, sizeof *before), *after = calloc((size_t)m.count, sizeof *after);
    draw_all(net, before, true);
    karst_net_split_place all = {{0, 0, 0}, INFINITY, 9};
    assert_true(split(net, &all, 1).cut > 10);
    memcpy(after, before, (size_t)m.count * sizeof *after);
    draw_all(net, after, false);
    int inside = 0, along = 0;
    double most = 0, most_along = 0;
    for (int k = 0; k < m.count; ++k) {
        double d = apart_m(before[k].at, after[k].at);
        assert_true(after[k].there);
        if (!after[k].side && before[k].tiles == 16)
            ++inside, most = fmax(most, d);
        else if (after[k].side && before[k].tiles == 16)
            ++along, most_along = fmax(most_along, d);
    }
    print_message("%d inside, %.4f m at most; %d on sides, %.4f m\n", inside, most, along, most_along);
    assert_true(inside > 1000 && most <= 4.0 / 256);
    assert_true(along > 500 && most_along > 0.1 && most_along < 2);  // control: these do move
    free(before), free(after), free(m.of);
    karst_net_destroy(net);
    // Those of 8 tiles show another quarter of their maps in each part.
    net = scene(BINDS, 12);
    all.side_m = 15;
    int turns[4] = {0}, patches = net->patch_count;
    for (int32_t k = 0; k < net->patch_count; ++k) assert_int_equal(net->patches[k].noise_turn, 0);
    assert_true(split(net, &all, 1).cut > 100);
    for (int32_t k = 0; k < net->patch_count; ++k) ++turns[net->patches[k].noise_turn];
    for (int turn = 1; turn < 4; ++turn) assert_true(turns[turn] > (net->patch_count - patches) / 4);
    karst_net_destroy(net);
}

// Fine edges along the outline of a net.
static int64_t outline(const karst_net *net) {
    int64_t sum = 0;
    for (int32_t k = 0; k < net->edge_count; ++k)
        sum += net->edges[k].tiles * __builtin_popcount(net->edges[k].open) / 2;
    return sum;
}

static void whatever_is_cut_the_ground_stays(void **state) {
    (void)state;
    int cut = 0, bound = 0;
    double most = 0;
    for (prop p = prop_begin("net_split", 14); prop_next(&p);) {
        int which = prop_int(&p, 0, SCENES - 1);
        karst_net *net = scene(which == LAND ? BINDS : which, 9);
        marks m = mark_all(&p, net);
        int64_t rim = outline(net);
        for (int turn = 0; turn < 3; ++turn) {
            karst_net_split_place places[3];
            int count = draw_places(&p, net, places), unlike, lost;
            int32_t patches = net->patch_count;
            karst_net_split_info info = split(net, places, count);
            cut += info.cut;
            prop_check(&p, net->finished && (net->patch_count > patches) == (info.cut > 0));
            prop_check(&p, outline(net) == rim);
            double moved = compare(net, &m, &unlike, &lost);
            most = fmax(most, moved);
            prop_check(&p, moved <= 4 && !unlike && !lost);
        }
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int side = 0; side < 4; ++side)
                bound += net->patches[k].side[side].from + net->patches[k].side[side].to != 8;
        if (p.at % 3 == 0) {
            size_t open;
            prop_check(&p, cracks(net, &open) == 0 && open == (size_t)rim);
        }
        // Controls: a curve elsewhere by a metre, a tile of another group.
        int unlike, lost;
        net->edges[net->patches[0].side[1].edge].handle[0][1] += 256 * 3;
        net->patches[0].group[0] = (uint8_t)((net->patches[0].group[0] + 1) % KARST_TILE_GROUPS);
        prop_check(&p, compare(net, &m, &unlike, &lost) > 100 && unlike == 1);
        free(m.of);
        karst_net_destroy(net);
    }
    print_message("%d patches cut, %d sides on parts, at most %.2f steps off\n", cut, bound, most);
    assert_true(cut > test_count(300) && bound > test_count(300));
}

// ---- what is cut -----------------------------------------------------------------------------------------

// The longer side along an axis [m], by 64 chords.
static double side_m(const karst_net *net, int32_t patch, int axis) {
    int32_t c[16][3];
    double most = 0;
    karst_net_patch_at(net, patch, c);
    for (int far = 0; far < 2; ++far) {
        double sum = 0, last[3] = {0};
        for (int k = 0; k <= 64; ++k) {
            double t = k / 64.0, u = 1 - t, b[4] = {u * u * u, 3 * t * u * u, 3 * t * t * u, t * t * t}, d2 = 0;
            for (int i = 0; i < 3; ++i) {
                double at = 0;
                for (int n = 0; n < 4; ++n) at += b[n] * c[axis ? 4 * n + 3 * far : n + 12 * far][i];
                d2 += k ? (at - last[i]) * (at - last[i]) : 0, last[i] = at;
            }
            sum += sqrt(d2);
        }
        most = fmax(most, sum);
    }
    return ldexp(most, net->step_log2);
}

// How far a place is from the nearest tile corner of a patch and from the box of its points [m].
static void distances(const karst_net *net, int32_t patch, const karst_net_split_place *place, double *corner,
                      double *box) {
    const karst_net_patch *p = &net->patches[patch];
    int32_t c[16][3];
    double at[3] = {place->at.x - net->origin.x, place->at.y - net->origin.y, place->at.z - net->origin.z}, d2 = 0;
    *corner = INFINITY;
    for (int j = 0; j <= 1 << p->tiles_log2[1]; ++j)
        for (int i = 0; i <= 1 << p->tiles_log2[0]; ++i) {
            double here[3], sum = 0;
            place_of(net, patch, i, j, here);
            for (int axis = 0; axis < 3; ++axis) {
                double d = ldexp(here[axis], net->step_log2) - at[axis];
                sum += d * d;
            }
            *corner = fmin(*corner, sqrt(sum));
        }
    karst_net_patch_at(net, patch, c);
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 16; ++k) {
            double here = ldexp(c[k][axis], net->step_log2);
            low = fmin(low, here), high = fmax(high, here);
        }
        double d = fmax(0, fmax(low - at[axis], at[axis] - high));
        d2 += d * d;
    }
    *box = sqrt(d2);
}

static void patches_there_are_as_small_as_wanted_and_others_stay(void **state) {
    (void)state;
    int reached = 0, stayed = 0, held = 0, longer = 0;
    for (prop p = prop_begin("net_split_sides", 10); prop_next(&p);) {
        int which = prop_int(&p, 0, SCENES - 1);
        karst_net *net = scene(which, 0), *before = scene(which, 0);
        karst_net_split_place places[3], turned[3];
        int count = draw_places(&p, net, places);
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int axis = 0; axis < 2; ++axis) longer += side_m(net, k, axis) > places[0].side_m;
        karst_net_split_info info = split(net, places, count);
        held += info.held;
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int i = 0; i < count; ++i) {
                double corner, box;
                distances(net, k, &places[i], &corner, &box);
                for (int axis = 0; axis < 2 && corner < places[i].radius_m - 0.01; ++axis, ++reached)
                    prop_check(
                        &p, net->patches[k].tiles_log2[axis] == 1 || side_m(net, k, axis) <= places[i].side_m * 1.01);
            }
        for (int32_t k = 0; k < before->patch_count; ++k) {
            bool near = false;
            for (int i = 0; i < count; ++i) {
                double corner, box;
                distances(before, k, &places[i], &corner, &box);
                near |= box < places[i].radius_m + 0.01;
            }
            const karst_net_patch *a = &before->patches[k], *b = &net->patches[k];
            if (near) continue;
            ++stayed;
            prop_check(&p, !memcmp(a->inner, b->inner, sizeof a->inner) && a->tiles_log2[0] == b->tiles_log2[0]);
        }
        // The same again changes nothing, and nor does another order.
        int32_t patches = net->patch_count;
        prop_check(&p, split(net, places, count).cut == 0 && net->patch_count == patches);
        for (int i = 0; i < count; ++i) turned[i] = places[count - 1 - i];
        prop_check(&p, split(before, turned, count).cut == info.cut && net_same(net, before));
        karst_net_destroy(net), karst_net_destroy(before);
    }
    assert_true(reached > test_count(300) && stayed > test_count(1000) && held > test_count(10));
    assert_true(longer > test_count(500));  // control
}

static int32_t straight(karst_net *net, int32_t a, int32_t b) {
    karst_net_edge e = {.corner = {a, b}};
    int32_t index;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t from = net->corners[a].at[axis], to = net->corners[b].at[axis];
        e.handle[0][axis] = from + (to - from) / 3, e.handle[1][axis] = from + (to - from) * 2 / 3;
    }
    assert_int_equal(karst_net_add_edge(net, &e, &index), KARST_OK);
    return index;
}

// Patches on both sides of one edge of 128 m: eight on one side, `beyond` on the other, which make 32 tiles of it.
static karst_net *in_parts(int beyond) {
    karst_net *net;
    karst_report report = {0};
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    int32_t corner[3][9], edge[3][8], index;
    for (int row = 0; row < 3; ++row)
        for (int k = 0; k < 9; ++k) {
            karst_net_corner c = {.at = {4096 * k, 0, 4096 * (row - 1)}, .edge = KARST_NET_NONE};
            assert_int_equal(karst_net_add_corner(net, &c, &corner[row][k]), KARST_OK);
        }
    edge[1][0] = straight(net, corner[1][0], corner[1][8]);
    for (int k = 1; k < 8; ++k)
        net->corners[corner[1][k]].edge = edge[1][0], net->corners[corner[1][k]].eighth = (uint8_t)k;
    for (int row = 0; row < 2; ++row) {
        int count = row ? beyond : 8, per = 8 / count;
        int32_t up = straight(net, corner[row][0], corner[row + 1][0]);
        for (int k = 0; k < count; ++k) {
            int from = k * per, to = from + per;
            int32_t outer = straight(net, corner[2 * row][from], corner[2 * row][to]);
            int32_t next = straight(net, corner[row][to], corner[row + 1][to]);
            karst_net_side part = {edge[1][0], (uint8_t)from, (uint8_t)to}, whole = {outer, 0, 8};
            karst_net_patch p = {.side = {row ? part : whole, {next, 0, 8}, row ? whole : part, {up, 0, 8}},
                                 .tiles_log2 = {count == 8 ? 2 : 4, 2}};
            for (int i = 0; i < 4; ++i) {
                p.inner[i][0] = 4096 * from + 4096 * per * (1 + i % 2) / 3;
                p.inner[i][2] = 4096 * (row - 1) + 4096 * (1 + i / 2) / 3;
            }
            assert_int_equal(karst_net_add_patch(net, &p, &index), KARST_OK);
            up = next;
        }
    }
    if (karst_net_finish(net, &report)) fail_msg("%s", report.message);
    return net;
}

static void a_patch_on_an_eighth_can_be_cut(void **state) {
    (void)state;
    for (int beyond = 2; beyond <= 8; beyond *= 4) {
        karst_net *net = in_parts(beyond);
        karst_net_split_place one = {{8, 0, -8}, 1, 12}, all = {{0, 0, 0}, INFINITY, 12};
        int whole = 0;
        size_t open;
        assert_int_equal(split(net, &one, 1).cut, 1);
        assert_int_equal(net->patch_count, 8 + beyond + 3);
        assert_true(net->edges[0].tiles < 32 && cracks(net, &open) == 0);
        assert_true(split(net, &all, 1).held == 0);
        for (int32_t k = 0; k < net->patch_count; ++k) assert_true(side_m(net, k, 0) <= 12 && side_m(net, k, 1) <= 12);
        for (int32_t k = 0; k < net->edge_count; ++k) whole += net->edges[k].spans == 1;
        assert_true(whole == net->edge_count && cracks(net, &open) == 0);
        karst_net_destroy(net);
    }
}

static void what_stands_in_place_of_a_field_still_does(void **state) {
    (void)state;
    enum { ACROSS = 6 };
    int halves = 0;
    for (prop p = prop_begin("net_split_seams", 8); prop_next(&p);) {
        karst_net *net = scene(SEAMS, 9);
        uint8_t before[ACROSS * ACROSS], after[ACROSS * ACROSS];
        assert_int_equal(karst_net_replaced(net, SIDE, SIDE, before, NULL), KARST_OK);
        assert_int_equal(before[ACROSS + 1], 1);
        for (int turn = 0; turn < 2; ++turn) {
            karst_net_split_place places[3];
            int count = draw_places(&p, net, places);
            split(net, places, count);
            prop_check(&p, !karst_net_replaced(net, SIDE, SIDE, after, NULL));
            prop_check(&p, !memcmp(before, after, sizeof before));
        }
        for (int32_t k = 0; k < net->edge_count; ++k) halves += net->edges[k].seam && net->edges[k].tiles < 8;
        // Control: a seam that begins where its other half does.
        int32_t edge = 0;
        while (edge < net->edge_count && !net->edges[edge].seam) ++edge;
        net->edges[edge].column += net->edges[edge].tiles;
        prop_check(&p, karst_net_finish(net, NULL) || karst_net_replaced(net, SIDE, SIDE, after, NULL));
        karst_net_destroy(net);
    }
    assert_true(halves > 30);
}

// Tiles along folds, and normals that the author set.
static void count_kept(const karst_net *net, int *folds, int *kept, int64_t *normals) {
    *folds = *kept = 0, *normals = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) *folds += net->edges[k].crease ? net->edges[k].tiles : 0;
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (net->corners[k].kept)
            ++*kept, *normals += (int64_t)(k + 1) * net->corners[k].facing[0] + net->corners[k].facing[1];
}

static void folds_and_normals_of_authors_stay(void **state) {
    (void)state;
    for (prop p = prop_begin("net_split_folds", 4); prop_next(&p);) {
        karst_net *net = scene(BINDS, 9);
        for (int32_t k = 0; k < net->edge_count; k += 3) net->edges[k].crease = true;
        for (int32_t k = 0; k < net->corner_count; k += 5) {
            karst_net_corner *c = &net->corners[k];
            if (c->edge == KARST_NET_NONE) c->kept = true, c->facing[0] = (int16_t)prop_int(&p, 0, 9000);
        }
        assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
        int folds[2], kept[2];
        int64_t normals[2];
        count_kept(net, &folds[0], &kept[0], &normals[0]);
        karst_net_split_place all = {{0, 0, 0}, INFINITY, prop_real(&p, 3, 9)};
        split(net, &all, 1);
        count_kept(net, &folds[1], &kept[1], &normals[1]);
        prop_check(&p, folds[0] > 100 && kept[0] > 30);
        prop_check(&p, folds[1] == folds[0] && kept[1] == kept[0] && normals[1] == normals[0]);
        size_t open;
        prop_check(&p, cracks(net, &open) == 0);
        karst_net_destroy(net);
    }
}

static void a_neighbour_that_is_not_bound_leaves_a_crack(void **state) {
    (void)state;
    karst_net *net = scene(FIT, 9);
    karst_net_split_place one = {{40, 5, 70}, 5, 2};
    one.at.y = 5 * sin(40 * 0.05) * cos(70 * 0.04);
    assert_true(split(net, &one, 1).cut > 4);
    scene_zones zones;
    size_t closed, open;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    assert_int_equal(cracks_of(&zones, &closed, &open), 0);
    // Small patches take the wrong parts of one edge: each other's.
    int swapped = 0;
    for (int k = 0; k < zones.count; ++k)
        for (uint32_t p = 0; p < zones.zones[k]->piece_count; ++p) {
            const karst_piece *piece = &zones.zones[k]->pieces[p];
            for (int side = 0; side < 4; ++side) {
                karst_zone_span *span = (karst_zone_span *)&zones.zones[k]->spans[piece->first_span[side]];
                if (piece->spans_log2[side] || span->from + span->to == 8) continue;
                span->from = (uint8_t)(span->from ^ 1), ++swapped;
            }
        }
    assert_true(swapped > 4);
    assert_true(cracks_of(&zones, &closed, &open) > 10);
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

static uint64_t hash_of(const karst_net *net) {
    uint64_t h = kst_hash(net->corners, (size_t)net->corner_count * sizeof *net->corners, 1);
    h = kst_hash_u64(h, kst_hash(net->edges, (size_t)net->edge_count * sizeof *net->edges, 2));
    return kst_hash_u64(h, kst_hash(net->patches, (size_t)net->patch_count * sizeof *net->patches, 3));
}

static bool stop_at_once(void *context, const char *stage, double share) {
    (void)stage;
    return share < *(const double *)context;
}

static void what_ends_early_leaves_the_net_as_it_was(void **state) {
    (void)state;
    karst_net *net = scene(FIT, 3);
    uint64_t before = hash_of(net);
    karst_net_split_place place = {{48, 0, 48}, 30, 4};
    karst_net_split_def def = karst_net_split_def_default();
    def.places = &place, def.place_count = 1;
    uint64_t n = 1;
    for (karst_status status = KARST_ERROR_MEMORY; status; ++n) {
        kst_alloc_fail_after(n);
        status = karst_net_split(net, &def, NULL);
        kst_alloc_fail_after(0);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_true(net->finished && hash_of(net) == before);
    }
    assert_true(n > 30 && hash_of(net) != before);
    karst_net_destroy(net);
    net = scene(FIT, 3);
    def.place_count = 0;
    assert_int_equal(karst_net_split(net, &def, NULL), KARST_OK);
    assert_true(hash_of(net) == before);
    double most = 0.4;
    karst_progress progress = {.step = stop_at_once, .context = &most};
    def.place_count = 1, def.progress = &progress;
    assert_int_equal(karst_net_split(net, &def, NULL), KARST_ERROR_CANCELLED);
    assert_true(net->finished && hash_of(net) == before);
    karst_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_cut_the_ground_stays),
        cmocka_unit_test(displaced_ground_stays_but_along_new_edges),
        cmocka_unit_test(patches_there_are_as_small_as_wanted_and_others_stay),
        cmocka_unit_test(a_patch_on_an_eighth_can_be_cut),
        cmocka_unit_test(what_stands_in_place_of_a_field_still_does),
        cmocka_unit_test(folds_and_normals_of_authors_stay),
        cmocka_unit_test(a_neighbour_that_is_not_bound_leaves_a_crack),
        cmocka_unit_test(what_ends_early_leaves_the_net_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
