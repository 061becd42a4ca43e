// SPDX-License-Identifier: MIT
// Seams of any outline: what they enclose, and zones that hold a corner of a seam and no part of it.
#include <math.h>

#include "karst/netweld.h"
#include "support/prop.h"
#include "surface/net_weld.h"
#include "surface/zone_record.h"

enum { N = 6, CELLS = 16, SIDE = N * CELLS + 1, STEPS = 5 * 256, FINE = 16 * STEPS, FINE_M = 4096 };

// Flat patches of 80 m, a patch of the field each, where `in` says so; some are cut in four. All open edges are seams.
static karst_net *net_of(const uint8_t *in, prop *p) {
    karst_pos places[(N + 1) * (N + 1)];
    int32_t quads[N * N][4];
    uint8_t tiles[N * N][2], split[N * N];
    karst_net_cage cage = {.places = places, .place_count = (N + 1) * (N + 1), .quads = (const int32_t(*)[4])quads};
    for (int k = 0; k < (N + 1) * (N + 1); ++k) places[k] = (karst_pos){80.0 * (k % (N + 1)), 7, 80.0 * (k / (N + 1))};
    for (int k = 0; k < N * N; ++k) {
        if (!in[k]) continue;
        int32_t a = k / N * (N + 1) + k % N, q = cage.quad_count++;
        memcpy(quads[q], (const int32_t[]){a, a + 1, a + N + 2, a + N + 1}, sizeof *quads);
        tiles[q][0] = tiles[q][1] = 4;
        split[q] = p ? (uint8_t)prop_int(p, 0, 1) : 0;
    }
    cage.tiles_log2 = (const uint8_t(*)[2])tiles, cage.split_log2 = split;
    karst_report report = {0};
    karst_net *net;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    if (karst_net_from_cage(net, &cage, &report)) fail_msg("%s", report.message);
    for (int32_t k = 0; k < net->edge_count; ++k) {
        karst_net_edge *e = &net->edges[k];
        if (!e->open) continue;
        const int32_t *a = net->corners[e->corner[0]].at, *b = net->corners[e->corner[1]].at;
        e->seam = b[0] > a[0] ? 1 : b[2] > a[2] ? 2 : b[0] < a[0] ? 3 : 4;
        e->column = a[0] / STEPS, e->row = a[2] / STEPS;
    }
    if (karst_net_finish(net, &report)) fail_msg("%s", report.message);
    return net;
}

static void some(prop *p, uint8_t in[N * N]) {
    int wanted = prop_int(p, 20, 95);
    for (int k = 0; k < N * N; ++k) in[k] = prop_int(p, 0, 99) < wanted;
    in[prop_int(p, 0, N * N - 1)] = 1;
}

// Patches of the field that cannot be reached from outside without crossing a seam an odd number of times: walked from
// patch to patch, by the edges themselves.
static void flood(const karst_net *net, uint8_t out[N * N]) {
    bool wall[N + 1][N + 1][2] = {0};
    int queue[N * N + 4 * N], count = 0;
    uint8_t seen[N * N] = {0};
    for (int32_t k = 0; k < net->edge_count; ++k) {
        const karst_net_edge *e = &net->edges[k];
        int along = e->seam & 1 ? e->column : e->row, low = e->seam < 3 ? along : along - e->tiles;
        if (e->seam)
            wall[(e->seam & 1 ? e->row : low) / CELLS][(e->seam & 1 ? low : e->column) / CELLS][!(e->seam & 1)] = true;
    }
    static const int way[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int k = 0; k < 4 * N; ++k) {  // in from the border
        int i = k < 2 * N ? k % N : (k / N - 2) * (N - 1), j = k < 2 * N ? k / N * (N - 1) : k % N;
        int side = k / N;  // z low, z high, x low, x high
        bool blocked = side == 0   ? wall[0][i][0]
                       : side == 1 ? wall[N][i][0]
                       : side == 2 ? wall[j][0][1]
                                   : wall[j][N][1];
        if (seen[j * N + i]) continue;
        seen[j * N + i] = 1, out[j * N + i] = blocked, queue[count++] = j * N + i;
        for (int at = count - 1; at < count; ++at)
            for (int w = 0; w < 4; ++w) {
                int x = queue[at] % N, z = queue[at] / N, u = x + way[w][0], v = z + way[w][1];
                if (u < 0 || v < 0 || u >= N || v >= N || seen[v * N + u]) continue;
                bool crossed = w & 1 ? wall[z > v ? z : v][x][0] : wall[z][x > u ? x : u][1];
                seen[v * N + u] = 1, out[v * N + u] = out[z * N + x] ^ crossed;
                queue[count++] = v * N + u;
            }
    }
}

static void seams_enclose_what_the_net_covers(void **state) {
    (void)state;
    for (prop p = prop_begin("rings", 120); prop_next(&p);) {
        uint8_t in[N * N], found[N * N], walked[N * N];
        some(&p, in);
        karst_net *net = net_of(in, &p);
        prop_check(&p, karst_net_replaced(net, SIDE, SIDE, found, NULL) == KARST_OK);
        flood(net, walked);
        prop_check(&p, !memcmp(found, in, sizeof in) && !memcmp(walked, in, sizeof in));
        // A field that goes on, and ends inside a patch.
        uint8_t more[(N + 2) * (N + 1)];
        prop_check(&p, karst_net_replaced(net, SIDE + 20, SIDE + 3, more, NULL) == KARST_OK);
        for (int k = 0; k < (N + 2) * (N + 1); ++k) {
            int i = k % (N + 2), j = k / (N + 2);
            prop_check(&p, more[k] == (i < N && j < N && in[j * N + i]));
        }
        // Controls: a part of one ring is missing; the field is smaller; patches are turned over.
        karst_report report = {0};
        int32_t seam = prop_int(&p, 0, net->edge_count - 1);
        while (!net->edges[seam].seam) seam = (seam + 1) % net->edge_count;
        karst_net_edge kept = net->edges[seam];
        net->edges[seam].seam = 0;
        prop_check(&p, karst_net_replaced(net, SIDE, SIDE, found, &report) == KARST_ERROR_FORMAT);
        prop_check(&p, strstr(report.message, "closed rings") || strstr(report.message, "whole sides"));
        net->edges[seam] = kept;
        prop_check(&p, karst_net_replaced(net, CELLS, CELLS, found, &report) == KARST_ERROR_FORMAT);
        prop_check(&p, strstr(report.message, "outside") != NULL);
        karst_net *turned = net_copy(net);
        for (int32_t k = 0; k < net->patch_count; ++k) {
            karst_net_patch over = net->patches[k], *t = &turned->patches[k];
            t->side[0] = over.side[3], t->side[3] = over.side[0], t->side[1] = over.side[2], t->side[2] = over.side[1];
            for (int axis = 0; axis < 3; ++axis)
                t->inner[1][axis] = over.inner[2][axis], t->inner[2][axis] = over.inner[1][axis];
        }
        prop_check(&p, karst_net_finish(turned, &report) == KARST_OK);
        prop_check(&p, karst_net_replaced(turned, SIDE, SIDE, found, &report) == KARST_ERROR_FORMAT);
        prop_check(&p, strstr(report.message, "lower side") != NULL);
        karst_net_destroy(turned);
        karst_net_destroy(net);
    }
}

static void turn_edge(karst_net_edge *e) {
    int32_t end[2];
    kst_seam_vertex(e->seam, e->column, e->row, e->tiles, end);
    e->seam = (uint8_t)((e->seam + 1) % 4 + 1), e->column = end[0], e->row = end[1];
    for (int axis = 0; axis < 3; ++axis) {
        int32_t passing = e->handle[0][axis];
        e->handle[0][axis] = e->handle[1][axis], e->handle[1][axis] = passing;
    }
    int32_t passing = e->corner[0];
    e->corner[0] = e->corner[1], e->corner[1] = passing;
}

// All elements of a net again, a little higher, its edges turned round if asked.
static void double_up(karst_net *net, bool turn) {
    int32_t corners = net->corner_count, edges = net->edge_count, patches = net->patch_count, index;
    for (int32_t k = 0; k < corners; ++k) {
        karst_net_corner c = net->corners[k];
        c.at[1] += 100;
        if (c.edge != KARST_NET_NONE) c.edge += edges;
        if (turn) c.eighth = (uint8_t)(8 - c.eighth);
        assert_int_equal(karst_net_add_corner(net, &c, &index), KARST_OK);
    }
    for (int32_t k = 0; k < edges; ++k) {
        karst_net_edge e = net->edges[k];
        for (int end = 0; end < 2; ++end) e.corner[end] += corners, e.handle[end][1] += 100;
        bool seam = e.seam != 0;
        if (turn) turn_edge(&e);
        if (!seam) e.seam = 0;
        assert_int_equal(karst_net_add_edge(net, &e, &index), KARST_OK);
    }
    for (int32_t k = 0; k < patches; ++k) {
        karst_net_patch p = net->patches[k];
        for (int side = 0; side < 4; ++side) {
            karst_net_side *s = &p.side[side];
            s->edge += edges, p.inner[side][1] += 100;
            if (turn) s->from = (uint8_t)(8 - s->from), s->to = (uint8_t)(8 - s->to);
        }
        assert_int_equal(karst_net_add_patch(net, &p, &index), KARST_OK);
    }
}

static void a_net_that_is_there_twice_is_told_and_a_weld_keeps_its_seams(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; ++turn) {
        uint8_t in[N * N] = {1, 1, 0}, found[N * N];
        prop p = prop_begin("twice", 1);
        karst_net *net = net_of(in, turn && prop_next(&p) ? &p : NULL);
        int32_t edges = net->edge_count, patches = net->patch_count;
        karst_report report = {0};
        double_up(net, turn);
        if (karst_net_finish(net, &report)) fail_msg("%s", report.message);
        assert_int_equal(karst_net_replaced(net, SIDE, SIDE, found, &report), KARST_ERROR_FORMAT);
        assert_non_null(strstr(report.message, "there twice"));
        // A weld makes one net of the two; where the second alone has seams, they are taken over.
        for (int32_t k = 0; k < edges && turn; ++k) net->edges[k].seam = 0;
        karst_net_weld_def weld = karst_net_weld_def_default();
        weld.distance_m = 1, weld.report = &report;
        if (karst_net_weld(net, &weld, NULL)) fail_msg("%s", report.message);
        assert_int_equal(net->patch_count, patches);
        assert_int_equal(karst_net_replaced(net, SIDE, SIDE, found, NULL), KARST_OK);
        assert_memory_equal(found, in, sizeof in);
        for (int32_t k = 0; k < net->edge_count; ++k) net->edges[k].seam = 0;  // none: nothing is replaced
        assert_int_equal(karst_net_replaced(net, SIDE, SIDE, found, NULL), KARST_OK);
        memset(in, 0, sizeof in);
        assert_memory_equal(found, in, sizeof in);
        karst_net_destroy(net);
    }
}

static void nets_side_by_side_become_one_without_a_seam_between(void **state) {
    (void)state;
    uint8_t left[N * N] = {1}, right[N * N] = {0, 1}, both[N * N] = {1, 1}, found[N * N];
    karst_net *net = net_of(left, NULL), *other = net_of(right, NULL);
    int32_t corners = net->corner_count, edges = net->edge_count, index;
    for (int32_t k = 0; k < other->corner_count; ++k)
        assert_int_equal(karst_net_add_corner(net, &other->corners[k], &index), KARST_OK);
    for (int32_t k = 0; k < other->edge_count; ++k) {
        karst_net_edge e = other->edges[k];
        e.corner[0] += corners, e.corner[1] += corners;
        assert_int_equal(karst_net_add_edge(net, &e, &index), KARST_OK);
    }
    karst_net_patch p = other->patches[0];
    for (int side = 0; side < 4; ++side) p.side[side].edge += edges;
    assert_int_equal(karst_net_add_patch(net, &p, &index), KARST_OK);
    karst_report report = {0};
    if (karst_net_weld(net, NULL, NULL)) fail_msg("no weld");
    int seams = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) seams += net->edges[k].seam != 0;
    assert_int_equal(net->edge_count, 7);
    assert_int_equal(seams, 6);
    if (karst_net_replaced(net, SIDE, SIDE, found, &report)) fail_msg("%s", report.message);
    assert_memory_equal(found, both, sizeof both);
    karst_net_destroy(net), karst_net_destroy(other);
}

// ---- pins anywhere within a metre ---------------------------------------------------------------------------------

static bool near_vertex(void *context, int32_t column, int32_t row, int32_t fine[3]) {
    const int32_t at[2] = {column, row};
    uint64_t h = kst_hash(at, sizeof at, *(uint64_t *)context);
    for (int axis = 0; axis < 3; ++axis) fine[axis] = (int32_t)(h >> (21 * axis) & 4095) - 2048;  // 0.87 m at most
    fine[0] += column * FINE, fine[1] += 7 * FINE_M, fine[2] += row * FINE;
    return column >= 0 && row >= 0 && column < SIDE && row < SIDE;
}

// Finest edges of piece borders that no other piece has; those of no length are none.
static int open_edges(const scene_zones *zones) {
    half *all;
    size_t count = borders(zones, &all);
    int open = 0;
    for (size_t k = 0, next; k < count; k = next) {
        int sum = 0;
        for (next = k; next < count && !by_ends(&all[k], &all[next]); ++next) sum += all[next].way;
        open += sum != 0 && memcmp(all[k].a, all[k].b, sizeof all[k].a) != 0;
    }
    free(all);
    return open;
}

static void check_bounds(prop *p, const karst_zone *zone, karst_fine *v) {
    for (uint32_t k = 0; k < zone->piece_count; ++k) {
        const karst_piece *piece = &zone->pieces[k];
        int w = (KARST_TILE_CELLS << piece->tiles_log2) + 1;
        karst_fine low, high;
        karst_zone_fine(zone, k, v), karst_zone_box(zone, k, &low, &high);
        bool in = true;
        for (int i = 0; i < w * w; ++i) {
            in &= v[i].x >= low.x && v[i].y >= low.y && v[i].z >= low.z;
            in &= v[i].x <= high.x && v[i].y <= high.y && v[i].z <= high.z;
            in &= v[i].x >= zone->low.x && v[i].y >= zone->low.y && v[i].z >= zone->low.z;
            in &= v[i].x <= zone->high.x && v[i].y <= zone->high.y && v[i].z <= zone->high.z;
            for (int c = 0; c < 4; ++c) {
                const karst_zone_corner *corner = &zone->corners[piece->corner[c]];
                double dx = v[i].x - corner->at.x, dy = v[i].y - corner->at.y, dz = v[i].z - corner->at.z;
                in &= sqrt(dx * dx + dy * dy + dz * dz) / FINE_M <= 2 * (double)corner->radius_m;
            }
        }
        prop_check(p, in);
    }
}

// The zone without the pins of corners that end no seam of its own; NULL: it has none.
static karst_zone *without_lone_pins(const karst_zone *zone, const karst_noise_bank *bank) {
    kst_zone_data *d = &zone->record->data;
    uint8_t *lone = malloc(d->corner_count + 1);
    bool any = false;
    for (uint32_t c = 0; c < d->corner_count; ++c) lone[c] = d->corners[c].pinned;
    for (uint32_t e = 0; e < d->edge_count; ++e)
        for (int end = 0; end < 2 && d->edges[e].seam; ++end) lone[d->edges[e].corner[end]] = 0;
    for (uint32_t c = 0; c < d->corner_count; ++c) any |= lone[c], d->corners[c].pinned ^= lone[c];
    size_t size = karst_zone_write(zone, NULL, 0);
    uint8_t *bytes = malloc(size);
    karst_zone *out = NULL;
    karst_zone_write(zone, bytes, size);
    if (any) assert_int_equal(karst_zone_read(bytes, size, bank, NULL, NULL, &out), KARST_OK);
    for (uint32_t c = 0; c < d->corner_count; ++c) d->corners[c].pinned ^= lone[c];
    free(bytes), free(lone);
    return out;
}

static void zones_are_closed_to_the_pins_and_keep_their_bounds(void **state) {
    (void)state;
    karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v);
    int lone_zones = 0, inside = 0;
    for (prop p = prop_begin("pins", 12); prop_next(&p);) {
        uint8_t in[N * N];
        uint64_t seed = (uint64_t)prop_int(&p, 0, 1 << 30);
        some(&p, in);
        karst_net *net = net_of(in, &p);
        karst_report report = {0};
        // Rough ground inside; seams stay flat, and so do the corners on them.
        assert_true(karst_net_displace(net, (karst_pos){0, 0, 0}, INFINITY, 15, KARST_TILE_ROCK) > 0);
        int cells = 0, rough = 0;
        for (int32_t k = 0; k < net->edge_count; ++k) {
            const karst_net_edge *e = &net->edges[k];
            rough += e->noise & 15;
            if (!e->seam) continue;
            prop_check(&p, !(e->noise & 15) && !net->corners[e->corner[0]].noise && !net->corners[e->corner[1]].noise);
            cells += e->tiles, inside += e->spans > 1;
        }
        prop_check(&p, rough > 0 || net->patch_count < 4);
        if (karst_net_finish(net, &report) || karst_net_pin(net, near_vertex, &seed, &report))
            fail_msg("%s", report.message);
        scene_zones zones;
        assert_int_equal(scene_zones_cut(net, &report, &zones), KARST_OK);
        prop_check(&p, open_edges(&zones) == cells);
        for (int k = 0; k < zones.count; ++k) check_bounds(&p, zones.zones[k], v);
        for (int k = 0; k < zones.count; ++k) {  // control
            karst_zone *kept = zones.zones[k], *other = without_lone_pins(kept, zones.bank);
            if (!other) continue;
            zones.zones[k] = other;
            lone_zones += open_edges(&zones) > cells;
            prop_check(&p, karst_zones_check((const karst_zone *const *)zones.zones, zones.count, NULL, &report) != 0);
            zones.zones[k] = kept;
            karst_zone_destroy(other);
        }
        if (karst_zones_check((const karst_zone *const *)zones.zones, zones.count, NULL, &report))
            fail_msg("%s", report.message);
        scene_zones_free(&zones);
        karst_net_destroy(net);
    }
    if (test_count(8) == 8) assert_true(lone_zones > 3 && inside > 3);
    free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seams_enclose_what_the_net_covers),
        cmocka_unit_test(a_net_that_is_there_twice_is_told_and_a_weld_keeps_its_seams),
        cmocka_unit_test(nets_side_by_side_become_one_without_a_seam_between),
        cmocka_unit_test(zones_are_closed_to_the_pins_and_keep_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
