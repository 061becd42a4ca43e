// SPDX-License-Identifier: MIT
// Nets: what is shared is drawn alike from all sides of it, in whatever zone.
#include <stdlib.h>
#include <string.h>

#include "karst/netfit.h"
#include "scenes/nets.h"
#include "support/prop.h"
#include "surface/net_weld.h"
#include "surface/zone_record.h"

static karst_net *net_of(int side, int slot) {
    karst_report report = {0};
    karst_net *net = NULL;
    if (scene_net(&(scene_net_def){.side = side, .slot = (uint8_t)slot, .tiles_log2 = 3, .noise_set = 2}, &report,
                  &net))
        fail_msg("%s", report.message);
    return net;
}

static void all_borders_meet_whatever_binds_there(void **state) {
    (void)state;
    for (int slot = 0; slot < 16; slot += 15) {
        karst_net *net = net_of(48, slot);
        scene_zones zones;
        assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
        assert_true(zones.count >= 25);
        size_t closed, open;
        assert_int_equal(cracks_of(&zones, &closed, &open), 0);
        assert_true(closed > 300000 && open > 2000);
        // Control: the curves of one zone bent, those that it shares with others among them.
        kst_zone_record *record = zones.zones[7]->record;
        for (uint32_t k = 0; k < record->curve_count; ++k) record->curves[k].c[1].y += 10;
        assert_true(cracks_of(&zones, &closed, &open) > 0);
        scene_zones_free(&zones);
        karst_net_destroy(net);
    }
}

static void tile_corners_are_what_the_finest_level_says(void **state) {
    (void)state;
    karst_net *net = net_of(16, 15);
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v), tile[25];
    for (int k = 0; k < zones.count; ++k)
        for (uint32_t p = 0; p < zones.zones[k]->piece_count; ++p) {
            const karst_zone *zone = zones.zones[k];
            const karst_piece *piece = &zone->pieces[p];
            int n = 1 << piece->tiles_log2, w = 4 * n + 1;
            karst_zone_fine(zone, p, v);
            for (int j = 0; j <= n; ++j)
                for (int i = 0; i <= n; ++i)
                    assert_memory_equal(&v[4 * j * w + 4 * i],
                                        &zone->places[piece->first_place + (uint32_t)(j * (n + 1) + i)], sizeof *v);
            karst_zone_tile(zone, p, n - 1, 0, tile);
            for (int j = 0; j < 5; ++j) assert_memory_equal(&tile[5 * j], &v[j * w + 4 * (n - 1)], 5 * sizeof *v);
            for (int i = 0; i < w * w; ++i) {
                assert_true(v[i].x >= zone->low.x && v[i].x <= zone->high.x);
                assert_true(v[i].y >= zone->low.y && v[i].y <= zone->high.y);
                assert_true(v[i].z >= zone->low.z && v[i].z <= zone->high.z);
            }
            static const int at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
            for (int c = 0; c < 4; ++c) {
                const karst_zone_corner *corner = &zone->corners[piece->corner[c]];
                assert_memory_equal(&corner->at, &v[at[c][1] * 4 * n * w + at[c][0] * 4 * n], sizeof *v);
                for (int i = 0; i < w * w; ++i) {  // within twice the radius
                    double dx = v[i].x - corner->at.x, dy = v[i].y - corner->at.y, dz = v[i].z - corner->at.z;
                    assert_true(sqrt(dx * dx + dy * dy + dz * dz) / 4096 <= 2 * corner->radius_m);
                }
            }
        }
    free(v);
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

static void without_the_rule_of_edges_displaced_ground_is_torn(void **state) {
    (void)state;
    for (int slot = 0; slot < 16; slot += 15) {
        karst_net *net = net_of(16, slot);
        scene_zones zones;
        size_t closed, open, cracks = 0;
        assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
        for (int k = 0; k < zones.count; ++k) karst_zone_tear(zones.zones[k]);
        cracks = cracks_of(&zones, &closed, &open);
        assert_true(slot ? cracks > 30000 : cracks < 20000);  // flat: the steps that parts of edges are rounded to
        scene_zones_free(&zones);
        karst_net_destroy(net);
    }
}

// Vertices at one place, whose pieces' normals there are to agree.
typedef struct shaded {
    int64_t at[3];
    int16_t facing[2];
} shaded;
static int by_place(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(int64_t));
}

static void both_sides_of_an_edge_shade_alike(void **state) {
    (void)state;
    karst_net *net = net_of(16, 15);
    for (int k = 0; k < net->edge_count; k += 7) net->edges[k].crease = true;
    for (int pass = 0; pass < 2; ++pass) {  // the first has creases
        assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
        scene_zones zones;
        assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
        karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v);
        int16_t(*n)[2] = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *n);
        shaded *all = calloc(2000000, sizeof *all);
        size_t count = 0;
        double leaning = 0;
        for (int k = 0; k < zones.count; ++k)
            for (uint32_t p = 0; p < zones.zones[k]->piece_count; ++p) {
                const karst_zone *zone = zones.zones[k];
                int f = KARST_TILE_CELLS << zone->pieces[p].tiles_log2;
                karst_zone_fine(zone, p, v);
                karst_zone_normals(zone, p, true, v, n);
                for (int j = 0, at = 0; j <= f; ++j)
                    for (int i = 0; i <= f; ++i, ++at) {
                        karst_vec3 normal = karst_facing_vector(n[at]);
                        assert_true(fabsf(kst_dot(normal, normal) - 1) < 1e-5f);
                        leaning += normal.y < 0.99f;
                        if (i && j && i < f && j < f) continue;
                        all[count++] = (shaded){{(int64_t)zone->bias.x + v[at].x, (int64_t)zone->bias.y + v[at].y,
                                                 (int64_t)zone->bias.z + v[at].z},
                                                {n[at][0], n[at][1]}};
                    }
                karst_zone_normals(zone, p, false, zone->places + zone->pieces[p].first_place, n);
            }
        qsort(all, count, sizeof *all, by_place);
        int met = 0, unlike = 0;
        for (size_t k = 1; k < count; ++k)
            if (!by_place(&all[k - 1], &all[k]))
                ++met, unlike += memcmp(all[k - 1].facing, all[k].facing, sizeof all->facing) != 0;
        assert_true(met > 10000 && leaning > 100000);
        assert_true(pass == 0 ? unlike > 200 : unlike == 0);  // creases are the control
        for (int k = 0; k < net->edge_count; ++k) net->edges[k].crease = false;
        free(v), free(n), free(all);
        scene_zones_free(&zones);
    }
    karst_net_destroy(net);
}

static void displacement_stays_within_a_metre(void **state) {
    (void)state;
    karst_net *flat = net_of(16, 0), *rough = net_of(16, 15);
    scene_zones a, b;
    assert_int_equal(scene_zones_cut(flat, NULL, &a), KARST_OK);
    assert_int_equal(scene_zones_cut(rough, NULL, &b), KARST_OK);
    assert_int_equal(a.count, b.count);
    double most = 0, sum = 0, count = 0;
    for (int k = 0; k < a.count; ++k)
        for (uint32_t i = 0; i < a.zones[k]->place_count; ++i) {
            karst_fine p = a.zones[k]->places[i], q = b.zones[k]->places[i];
            double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, d2 = (dx * dx + dy * dy + dz * dz) / 4096 / 4096;
            if (sqrt(d2) > most) most = sqrt(d2);
            sum += d2, ++count;
        }
    assert_true(most > 0.6 && most <= 1.001);
    assert_true(sqrt(sum / count) > 0.2);
    scene_zones_free(&a), scene_zones_free(&b);
    karst_net_destroy(flat), karst_net_destroy(rough);
}

// One flat patch of 160 m by hand, its size in the classes of tiles, and its zone.
static void a_net_can_be_made_by_hand(void **state) {
    (void)state;
    karst_net *net;
    assert_int_equal(karst_net_create((karst_pos){1000, 5, 0}, -8, NULL, &net), KARST_OK);
    int32_t m = 256, size = 32 * m, index;
    for (int k = 0; k < 4; ++k) {
        karst_net_corner corner = {.at = {-size * (k == 0 || k == 3), 0, size * (k >= 2)}, .edge = KARST_NET_NONE};
        assert_int_equal(karst_net_add_corner(net, &corner, &index), KARST_OK);
        assert_int_equal(index, k);
    }
    static const int ends[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
    karst_net_patch patch = {.tiles_log2 = {4, 4}};
    for (int k = 0; k < 4; ++k) {
        karst_net_edge edge = {.corner = {ends[k][0], ends[k][1]}};
        for (int axis = 0; axis < 3; ++axis) {
            int32_t a = net->corners[ends[k][0]].at[axis], b = net->corners[ends[k][1]].at[axis];
            edge.handle[0][axis] = a + (b - a) / 3, edge.handle[1][axis] = a + (b - a) * 2 / 3;
        }
        assert_int_equal(karst_net_add_edge(net, &edge, &patch.side[k].edge), KARST_OK);
        patch.side[k].to = 8;
    }
    for (int k = 0; k < 4; ++k) {
        patch.inner[k][0] = -size + size * (1 + k % 2) / 3;
        patch.inner[k][2] = size * (1 + k / 2) / 3;
    }
    assert_int_equal(karst_net_add_patch(net, &patch, &index), KARST_OK);
    assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
    assert_true(fabsf(karst_tile_size_m(net->patches[0].size) - 2) < 1e-6f);
    assert_int_equal(net->edges[0].open, 0xFF);
    karst_noise_bank *bank = malloc(sizeof *bank);
    karst_noise_bank_make(bank);
    int32_t cells[2][2];
    assert_int_equal(karst_net_zones(net, cells, 2), 1);
    assert_true(cells[0][0] == -1 && cells[0][1] == 0);
    karst_zone *zone;
    assert_int_equal(karst_net_cut(net, -1, 0, bank, NULL, &zone), KARST_OK);
    karst_fine v[65 * 65];
    karst_zone_fine(zone, 0, v);
    for (int j = 0; j < 65; ++j)
        for (int i = 0; i < 65; ++i) {
            int64_t x = (int64_t)zone->bias.x + v[65 * j + i].x, z = (int64_t)zone->bias.z + v[65 * j + i].z;
            assert_true(llabs(x - (-32 * 4096 + i * 2048)) <= 16 && llabs(z - j * 2048) <= 16);
            assert_int_equal(zone->bias.y + v[65 * j + i].y, 0);
        }
    karst_zone_destroy(zone);
    free(bank);
    karst_net_destroy(net);
}

// The same surface is cut from a cage.
static void a_flat_cage_is_flat(void **state) {
    (void)state;
    karst_pos places[4] = {{0, 3, 0}, {16, 3, 0}, {16, 3, 16}, {0, 3, 16}};
    int32_t quad[1][4] = {{0, 1, 2, 3}};
    karst_net *net;
    karst_net_cage cage = {.places = places, .place_count = 4, .quads = (const int32_t(*)[4])quad, .quad_count = 1};
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    assert_int_equal(karst_net_from_cage(net, &cage, NULL), KARST_OK);
    assert_true(net->corner_count == 4 && net->edge_count == 4 && net->patch_count == 1);
    assert_int_equal(net->patches[0].inner[3][1], 3 * 256);
    assert_true(kst_facing_unpack(net->corners[2].facing).y > 0.9999f);
    karst_net_destroy(net);
    karst_report report;
    quad[0][2] = 9;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    assert_int_equal(karst_net_from_cage(net, &cage, &report), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "quad 0 names place 9"));
    karst_net_destroy(net);
}

static void the_sample_land_is_closed_but_for_its_rim(void **state) {
    (void)state;
    karst_report report = {0};
    karst_net *net;
    if (scene_net_sample(15, &report, &net)) fail_msg("%s", report.message);
    int open = 0;
    for (int k = 0; k < net->edge_count; ++k) open += net->edges[k].open != 0;
    assert_int_equal(open, 4 * 30);
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    size_t closed;
    size_t rim;
    assert_int_equal(cracks_of(&zones, &closed, &rim), 0);
    assert_int_equal(rim, 4 * 30 * 32);
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

static void what_breaks_a_rule_is_named(void **state) {
    (void)state;
    karst_report report;
    static const char *words[] = {"corner",  "ends at corner", "displacement map", "2, 4, 8 or 16", "patch",
                                  "eighths", "should meet",    "tiles along",      "turn one"};
    for (int fault = 0; fault < 9; ++fault) {
        karst_net *net = net_of(16, 3);
        karst_net_edge *e = &net->edges[30];
        karst_net_patch *p = &net->patches[20];
        if (fault == 0) net->corners[3].at[1] = INT32_MAX;
        if (fault == 1) e->corner[1] = 1 << 20;
        if (fault == 2) e->noise = 255;
        if (fault == 3) p->tiles_log2[1] = 0;
        if (fault == 4) p->side[2].edge = -5;
        if (fault == 5) p->side[2].to = 3;
        if (fault == 6) net->patches[0].side[1] = net->patches[3].side[1];
        if (fault == 7) p->tiles_log2[0] = p->tiles_log2[1] = 4;
        if (fault == 8) {
            karst_net_patch twin = net->patches[20];
            int32_t index;
            assert_int_equal(karst_net_add_patch(net, &twin, &index), KARST_OK);
        }
        report.message[0] = 0;
        assert_int_not_equal(karst_net_finish(net, &report), KARST_OK);
        if (!strstr(report.message, words[fault])) fail_msg("fault %d: %s", fault, report.message);
        assert_null(strchr(report.message, '\n'));
        karst_net_destroy(net);
    }
}

static void a_net_finishes_the_same_way_twice(void **state) {
    (void)state;
    karst_net *net = net_of(16, 9);
    int32_t corners = net->corner_count;
    karst_net_corner *before = malloc((size_t)corners * sizeof *before);
    memcpy(before, net->corners, (size_t)corners * sizeof *before);
    assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
    assert_int_equal(net->corner_count, corners);
    for (int32_t k = 0; k < corners; ++k) {
        assert_memory_equal(before[k].at, net->corners[k].at, sizeof before[k].at);
        assert_memory_equal(before[k].facing, net->corners[k].facing, sizeof before[k].facing);
        assert_int_equal(before[k].radius, net->corners[k].radius);
    }
    free(before);
    karst_net_destroy(net);
}

// Hills with a rough square, fitted: small patches beside large ones, edges that end inside others.
static karst_net *fitted(void) {
    enum { SIDE = 257 };
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){SIDE, SIDE, 1, {0, 0, 0}};
    karst_field *field;
    karst_net *net;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    for (int j = 0; j < SIDE; ++j) {
        float row[SIDE];
        for (int i = 0; i < SIDE; ++i)
            row[i] = (float)(20 * sin(i * 0.021) * cos(j * 0.017) +
                             (i > 100 && j > 75 && j < 200 ? 3 * sin(i * 0.21 + j * 0.13) : 0));
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, SIDE, j + 1}, row, NULL, NULL, SIDE), KARST_OK);
    }
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    assert_int_equal(karst_net_from_field(net, field, NULL, NULL), KARST_OK);
    karst_field_destroy(field);
    return net;
}

static void how_corners_are_numbered_does_not_matter(void **state) {
    (void)state;
    karst_net *net = fitted(), *back;
    int32_t last = net->corner_count - 1, nested = 0, index;
    assert_int_equal(karst_net_create(net->origin, net->step_log2, NULL, &back), KARST_OK);
    for (int32_t k = last; k >= 0; --k) {
        karst_net_corner corner = net->corners[k];
        if (corner.edge != KARST_NET_NONE) memset(corner.at, 0, sizeof corner.at);  // for finish to find
        assert_int_equal(karst_net_add_corner(back, &corner, &index), KARST_OK);
    }
    for (int32_t k = 0; k < net->edge_count; ++k) {
        karst_net_edge edge = net->edges[k];
        for (int end = 0; end < 2; ++end) {
            nested += edge.spans > 1 && net->corners[edge.corner[end]].edge != KARST_NET_NONE;
            edge.corner[end] = last - edge.corner[end];
        }
        assert_int_equal(karst_net_add_edge(back, &edge, &index), KARST_OK);
    }
    assert_true(nested > 0);
    for (int32_t k = 0; k < net->patch_count; ++k)
        assert_int_equal(karst_net_add_patch(back, &net->patches[k], &index), KARST_OK);
    assert_int_equal(karst_net_finish(back, NULL), KARST_OK);
    assert_int_equal(back->corner_count, net->corner_count);
    for (int32_t k = 0; k <= last; ++k) {
        assert_memory_equal(back->corners[last - k].at, net->corners[k].at, sizeof net->corners[k].at);
        assert_int_equal(back->corners[last - k].radius, net->corners[k].radius);
    }
    karst_net_destroy(net), karst_net_destroy(back);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    for (uint64_t n = 1;; ++n) {
        kst_alloc_fail_after(n);
        karst_net *net = NULL;
        karst_zone *zone = NULL;
        karst_noise_bank *bank = calloc(1, sizeof *bank);
        karst_status status = scene_net(&(scene_net_def){.side = 16, .slot = 0, .tiles_log2 = 3}, NULL, &net);
        if (!status) status = karst_net_cut(net, 0, 0, bank, NULL, &zone);
        kst_alloc_fail_after(0);
        karst_zone_destroy(zone);
        if (net) karst_net_destroy(net);
        free(bank);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
}

// Patches of a net and of its zones, counted by what they are made of.
static void a_patch_of_a_zone_is_what_its_author_said(void **state) {
    (void)state;
    karst_net *net;
    scene_zones zones;
    assert_int_equal(scene_net_sample(15, NULL, &net), KARST_OK);
    for (int32_t k = 0; k < net->patch_count; ++k) net->patches[k].noise_turn = (uint8_t)(k & 3);
    assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    int count[KARST_NOISE_SETS][4][5][5] = {0}, sets = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        sets |= 1 << p->noise_set;
        ++count[p->noise_set][p->noise_turn][p->tiles_log2[0]][p->tiles_log2[1]];
    }
    for (int k = 0; k < zones.count; ++k)
        for (uint32_t i = 0; i < zones.zones[k]->patch_count; ++i) {
            karst_zone_patch p = karst_zone_patch_of(zones.zones[k], i);
            --count[p.noise_set][p.noise_turn][p.tiles_log2[0]][p.tiles_log2[1]];
        }
    const int *flat = &count[0][0][0][0];
    for (size_t k = 0; k < sizeof count / sizeof *flat; ++k) assert_int_equal(flat[k], 0);
    assert_true(sets & (sets - 1));
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

// Two zones to the byte, but for the number of their cell along x.
static void zones_are_alike(const karst_zone *a, const karst_zone *b) {
    enum { CELL_X = 8, AFTER = 12 };
    size_t size = karst_zone_write(a, NULL, 0), other = karst_zone_write(b, NULL, 0);
    uint8_t *bytes = malloc(size + other);
    karst_zone_write(a, bytes, size), karst_zone_write(b, bytes + size, other);
    assert_int_equal(size, other);
    assert_memory_equal(bytes, bytes + size, CELL_X);
    assert_memory_equal(bytes + AFTER, bytes + size + AFTER, size - AFTER);
    free(bytes);
}

// A net, and the same again 12 zones further on: each part keeps its zones to the byte.
static void two_nets_become_one(void **state) {
    (void)state;
    karst_net *first = net_of(12, 15), *moved = net_of(12, 15), *net = NULL;
    karst_report report = {0};
    const int32_t zones_on = 12, far = zones_on * KARST_ZONE_SIDE_M << -first->step_log2;
    for (int32_t k = 0; k < moved->corner_count; ++k) moved->corners[k].at[0] += far;
    for (int32_t k = 0; k < moved->edge_count; ++k)
        moved->edges[k].handle[0][0] += far, moved->edges[k].handle[1][0] += far;
    for (int32_t k = 0; k < moved->patch_count; ++k)
        for (int i = 0; i < 4; ++i) moved->patches[k].inner[i][0] += far;
    assert_int_equal(karst_net_create(first->origin, first->step_log2, NULL, &net), KARST_OK);
    assert_int_equal(karst_net_append(net, moved, &report), KARST_OK);
    assert_int_equal(karst_net_append(net, first, &report), KARST_OK);
    assert_false(net->finished);
    assert_int_equal(karst_net_finish(net, &report), KARST_OK);
    assert_int_equal(net->patch_count, 2 * first->patch_count);
    assert_int_equal(net->corner_count, 2 * first->corner_count);
    scene_zones alone, both;
    assert_int_equal(scene_zones_cut(first, NULL, &alone), KARST_OK);
    assert_int_equal(scene_zones_cut(net, NULL, &both), KARST_OK);
    assert_int_equal(both.count, 2 * alone.count);
    int found = 0;
    for (int32_t k = 0; k < both.count; ++k)
        for (int32_t i = 0; i < alone.count; ++i) {
            const karst_zone *a = alone.zones[i], *b = both.zones[k];
            if (a->zone_z != b->zone_z || (a->zone_x != b->zone_x && a->zone_x != b->zone_x - zones_on)) continue;
            zones_are_alike(a, b);
            ++found;
        }
    assert_int_equal(found, both.count);
    // Another origin or step: nothing is added.
    moved->origin.x += 1;
    assert_int_equal(karst_net_append(net, moved, &report), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(report.message, "1/256 m from"));
    assert_int_equal(net->patch_count, 2 * first->patch_count);
    scene_zones_free(&alone), scene_zones_free(&both);
    karst_net_destroy(first), karst_net_destroy(moved), karst_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_nets_become_one),
        cmocka_unit_test(all_borders_meet_whatever_binds_there),
        cmocka_unit_test(tile_corners_are_what_the_finest_level_says),
        cmocka_unit_test(without_the_rule_of_edges_displaced_ground_is_torn),
        cmocka_unit_test(both_sides_of_an_edge_shade_alike),
        cmocka_unit_test(displacement_stays_within_a_metre),
        cmocka_unit_test(a_net_can_be_made_by_hand),
        cmocka_unit_test(a_flat_cage_is_flat),
        cmocka_unit_test(the_sample_land_is_closed_but_for_its_rim),
        cmocka_unit_test(what_breaks_a_rule_is_named),
        cmocka_unit_test(a_net_finishes_the_same_way_twice),
        cmocka_unit_test(how_corners_are_numbered_does_not_matter),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(a_patch_of_a_zone_is_what_its_author_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
