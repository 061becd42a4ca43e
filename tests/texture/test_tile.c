// SPDX-License-Identifier: MIT
// Tiles: images meet however they are turned, transitions meet at every side, and near and far agree.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "karst/tile.h"
#include "scenes/nets.h"
#include "support/prop.h"

static karst_tile_bank *bank;

static float seam(const karst_tile_element *a, const karst_tile_element *b, bool turn_b) {
    float worst = 0;
    for (int k = 0; k <= 64; ++k) {  // the side s = 1 of a against s = 0 of b, or t = 0 of it
        float at = (float)k / 64;
        karst_vec3 p = karst_tile_colour(bank, a, 1, at);
        karst_vec3 q = turn_b ? karst_tile_colour(bank, b, at, 0) : karst_tile_colour(bank, b, 0, at);
        float d = fmaxf(fabsf(p.x - q.x), fmaxf(fabsf(p.y - q.y), fabsf(p.z - q.z)));
        if (d > worst) worst = d;
    }
    return worst;
}

static void images_of_a_set_meet_however_they_are_turned(void **state) {
    (void)state;
    for (int set = 0; set < KARST_NOISE_SETS; ++set)
        for (int k = 0; k < 6 * KARST_TILE_VARIANTS; ++k) {  // of any two groups
            int one = k % KARST_TILE_VARIANTS, other = (k * 7 + k / KARST_TILE_VARIANTS) % KARST_TILE_VARIANTS;
            karst_tile_element a = {(uint16_t)(k / 3 & 3),
                                    {(uint16_t)(set | one << 4), KARST_TILE_NONE, KARST_TILE_NONE}};
            karst_tile_element b = {(uint16_t)(k / 5 & 3),
                                    {(uint16_t)(set | other << 4), KARST_TILE_NONE, KARST_TILE_NONE}};
            assert_true(seam(&a, &b, k & 1) < 0.02f);
        }
    // Control: another set does not meet.
    karst_tile_element a = {0, {KARST_TILE_GRASS, KARST_TILE_NONE, KARST_TILE_NONE}};
    karst_tile_element b = {0, {KARST_TILE_SAND, KARST_TILE_NONE, KARST_TILE_NONE}};
    assert_true(seam(&a, &b, false) > 0.2f);
}

static void images_of_a_set_differ_inside(void **state) {
    (void)state;
    for (int set = 0; set < KARST_NOISE_SETS; ++set)
        for (int k = 1; k < KARST_TILE_VARIANTS; ++k) {
            double sum = 0;
            for (int i = 0; i < KARST_TILE_SIDE * KARST_TILE_SIDE; ++i)
                sum += abs((&bank->image[set][k][0][0][0])[4 * i] - (&bank->image[set][0][0][0][0])[4 * i]);
            assert_true(sum / (KARST_TILE_SIDE * KARST_TILE_SIDE) > 3);
        }
}

static void every_group_has_a_name_and_images(void **state) {
    (void)state;
    int all = 0;
    for (int set = 0; set < KARST_NOISE_SETS; ++set) {
        int groups = 0, common = 0;
        for (int k = 0; k < KARST_TILE_VARIANTS; ++k) {
            groups |= bank->groups[set][k], common += bank->groups[set][k] & 1;
            assert_true(bank->groups[set][k] != 0 && bank->groups[set][k] < 1 << KARST_TILE_GROUPS);
        }
        assert_true(common > 4 && groups != 1);
        assert_int_equal(karst_tile_groups_of(set), groups);
        all |= groups;
    }
    assert_int_equal(all, (1 << KARST_TILE_GROUPS) - 1);
    for (int a = 0; a < KARST_TILE_GROUPS; ++a)
        for (int b = 0; b < a; ++b) assert_true(strcmp(karst_tile_group_name(a), karst_tile_group_name(b)) != 0);
}

static void there_are_forty_eight_transitions(void **state) {
    (void)state;
    uint8_t seen[KARST_TILE_MASKS] = {0};
    for (int corners = 0; corners < 16; ++corners)
        for (int k = 0; k < 4; ++k) {
            int mask = karst_tile_mask_of(corners, k & 1, k >> 1);
            bool none = corners == 0 || corners == 15 || corners == 5 || corners == 10;
            assert_true(none == (mask == KARST_NET_NONE));
            if (!none) assert_int_equal(seen[mask]++, 0);
            if (none) continue;
            static const int at[4][2] = {{0, 0}, {63, 0}, {63, 63}, {0, 63}};
            for (int c = 0; c < 4; ++c)
                assert_int_equal(bank->mask[mask][at[c][1]][at[c][0]], corners >> c & 1 ? 255 : 0);
        }
    for (int k = 0; k < KARST_TILE_MASKS; ++k) assert_int_equal(seen[k], 1);
}

// A net whose tile corners are painted in blots.
static void painted(scene_zones *zones, uint64_t seed, karst_net **net) {
    assert_int_equal(scene_net_sample(6, NULL, net), KARST_OK);
    for (int k = 0; k < 120; ++k) {
        karst_pos at = {(double)(kst_hash_u64(seed, (uint64_t)k) % 480), 14,
                        (double)(kst_hash_u64(seed + 1, (uint64_t)k) % 200)};
        assert_true(
            karst_net_paint(*net, at, 9, (int)(kst_hash_u64(seed + 2, (uint64_t)k) % 2) + 4, k % 3 ? -1 : 0x39E7) >= 0);
        assert_true(karst_net_paint_group(*net, at, 14, k % KARST_TILE_GROUPS) >= 0);
    }
    assert_int_equal(scene_zones_cut(*net, NULL, zones), KARST_OK);
}

// Layers of all tiles whose image is not one that a group asks for; off: by the group of the tile that many further.
static int not_of_the_group(const scene_zones *zones, int off, int *layers, bool seen[][KARST_TILE_VARIANTS]) {
    karst_tile_element elements[256];
    int wrong = 0;
    *layers = 0;
    for (int z = 0; z < zones->count; ++z)
        for (uint32_t p = 0; p < zones->zones[z]->piece_count; ++p) {
            const karst_piece *piece = &zones->zones[z]->pieces[p];
            const uint8_t *groups = karst_zone_paint(zones->zones[z], piece->patch).group;
            int n = 1 << piece->tiles_log2;
            karst_tile_resolve(bank, zones->zones[z], p, elements);
            for (int t = 0; t < n * n; ++t) {
                int from = (t + off) % (n * n);
                int group = groups[16 * (piece->tile_t + from / n) + piece->tile_s + from % n];
                for (int l = 0; l < KARST_TILE_LAYERS && elements[t].layer[l] != KARST_TILE_NONE; ++l) {
                    int set = karst_tile_layer_set(elements[t].layer[l]), asked = group;
                    int variant = karst_tile_layer_variant(elements[t].layer[l]), there = 0;
                    for (int k = 0; k < KARST_TILE_VARIANTS; ++k) there |= bank->groups[set][k];
                    if (!(there >> group & 1)) asked = 0;
                    wrong += !(bank->groups[set][variant] >> asked & 1);
                    seen[set][variant] = true;
                    ++*layers;
                }
            }
        }
    return wrong;
}

static void images_are_of_the_group_that_was_painted(void **state) {
    (void)state;
    karst_net *net;
    scene_zones zones;
    bool seen[KARST_NOISE_SETS][KARST_TILE_VARIANTS] = {{0}};
    int layers;
    painted(&zones, 5, &net);
    assert_int_equal(not_of_the_group(&zones, 0, &layers, seen), 0);
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k) assert_true(seen[KARST_TILE_SAND][k] && seen[KARST_TILE_PATH][k]);
    assert_true(not_of_the_group(&zones, 1, &layers, seen) > layers / 500);  // control: as the next tile has it
    // A bank of one's own says which images are of what: here each is of all groups, there one of none but its own.
    uint16_t kept[KARST_NOISE_SETS][KARST_TILE_VARIANTS];
    memcpy(kept, bank->groups, sizeof kept);
    for (int set = 0; set < KARST_NOISE_SETS; ++set)
        for (int k = 0; k < KARST_TILE_VARIANTS; ++k) bank->groups[set][k] = k == 2 ? 1 << 4 : (uint16_t) ~(1 << 4);
    memset(seen, 0, sizeof seen);
    assert_int_equal(not_of_the_group(&zones, 0, &layers, seen), 0);
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k) assert_true(seen[KARST_TILE_GRASS][k]);
    memcpy(bank->groups, kept, sizeof kept);
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

typedef struct side {
    int64_t a[3], b[3];
    karst_vec3 colour[9];  // along it, from the lower end
} side;
static int by_ends(const void *x, const void *y) {
    return memcmp(x, y, 6 * sizeof(int64_t));
}

static size_t sides_of(const scene_zones *zones, side **out, int *over, bool shifted) {
    static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, ends[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
    side *all = calloc(600000, sizeof *all);
    size_t count = 0;
    karst_tile_element elements[256];
    *over = 0;
    for (int z = 0; z < zones->count; ++z) {
        const karst_zone *zone = zones->zones[z];
        for (uint32_t p = 0; p < zone->piece_count; ++p) {
            const karst_piece *piece = &zone->pieces[p];
            int n = 1 << piece->tiles_log2;
            *over += karst_tile_resolve(bank, zone, p, elements);
            for (int t = 0; t < n * n; ++t)
                for (int k = 0; k < 4; ++k) {
                    side *s = &all[count++];
                    int64_t v[2][3];
                    for (int e = 0; e < 2; ++e) {
                        const int *c = corner[ends[k][e]];
                        karst_fine at =
                            zone->places[piece->first_place + (uint32_t)((t / n + c[1]) * (n + 1) + t % n + c[0])];
                        v[e][0] = (int64_t)zone->bias.x + at.x, v[e][1] = (int64_t)zone->bias.y + at.y;
                        v[e][2] = (int64_t)zone->bias.z + at.z;
                    }
                    bool swap = memcmp(v[0], v[1], sizeof v[0]) > 0;
                    memcpy(s->a, v[swap], sizeof s->a), memcpy(s->b, v[!swap], sizeof s->b);
                    for (int i = 0; i < 9; ++i) {
                        float at = (float)(swap ? 8 - i : i) / 8,
                              x = k == 1   ? 1
                                  : k == 3 ? 0
                                           : at,
                              y = k == 0   ? 0
                                  : k == 2 ? 1
                                           : at;
                        s->colour[i] =
                            karst_tile_colour(bank, &elements[shifted && k == 1 ? (t + 1) % (n * n) : t], x, y);
                    }
                }
        }
    }
    qsort(all, count, sizeof *all, by_ends);
    *out = all;
    return count;
}

static int unlike(const side *all, size_t count, int *met) {
    int bad = 0;
    *met = 0;
    for (size_t k = 1; k < count; ++k) {
        if (by_ends(&all[k - 1], &all[k])) continue;
        ++*met;
        float worst = 0;
        for (int i = 0; i < 9; ++i) {
            karst_vec3 p = all[k - 1].colour[i], q = all[k].colour[i];
            worst = fmaxf(worst, fmaxf(fabsf(p.x - q.x), fmaxf(fabsf(p.y - q.y), fabsf(p.z - q.z))));
        }
        bad += worst > 0.03f;
    }
    return bad;
}

static void transitions_meet_at_every_side_of_every_tile(void **state) {
    (void)state;
    karst_net *net;
    scene_zones zones;
    side *all;
    int over, met;
    painted(&zones, 5, &net);
    size_t count = sides_of(&zones, &all, &over, false);
    int bad = unlike(all, count, &met);
    assert_true(met > 100000);
    assert_true(bad <= 4 * over);  // only where a tile needs more layers than it has
    assert_true(over < (int)count / 4 / 500);
    free(all);
    count = sides_of(&zones, &all, &over, true);  // control: the next tile's element at side 1
    assert_true(unlike(all, count, &met) > 1000);
    free(all);
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

static void far_texels_are_what_lies_near_on_average(void **state) {
    (void)state;
    karst_net *net;
    scene_zones zones;
    painted(&zones, 9, &net);
    uint8_t(*far_texels)[3] = malloc(64 * 64 * sizeof *far_texels);
    karst_tile_element elements[256];
    double error = 0, tinted = 0;
    int count = 0;
    for (int z = 0; z < zones.count; z += 2)
        for (uint32_t p = 0; p < zones.zones[z]->piece_count; p += 9) {
            const karst_zone *zone = zones.zones[z];
            int n = 1 << zone->pieces[p].tiles_log2;
            const uint16_t *tints = karst_zone_paint(zone, zone->pieces[p].patch).tint;
            karst_tile_resolve(bank, zone, p, elements);
            karst_tile_far(bank, zone, p, far_texels);
            for (int t = 0; t < n * n; t += 5) {
                double near_sum = 0, far_sum = 0;
                for (int k = 0; k < 256; ++k) {
                    double c = (double)karst_tile_colour(bank, &elements[t], ((float)(k & 15) + 0.5f) / 16,
                                                         ((float)(k >> 4) + 0.5f) / 16)
                                   .y;
                    near_sum += c * c;
                }
                for (int k = 0; k < 16; ++k) {
                    double c = far_texels[(t / n * 4 + k / 4) * n * 4 + t % n * 4 + k % 4][1] / 255.0;
                    far_sum += c * c;
                }
                const uint16_t *tint = tints + 17 * (t / n) + t % n;
                double d = sqrt(near_sum / 256) - sqrt(far_sum / 16);
                if (!tint[0] && !tint[1] && !tint[17] && !tint[18])
                    error += fabs(d), ++count;
                else
                    tinted = d > tinted ? d : tinted;
            }
        }
    assert_true(count > 500 && error / count < 0.015);
    assert_true(tinted > 0.05);  // a tint takes from the colour
    free(far_texels);
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

static void bands_go_over_one_into_the_next(void **state) {
    (void)state;
    float last[4];
    karst_tile_bands(0, 50, 10, last);
    assert_true(last[0] == 1 && last[1] == 0);
    for (int k = 1; k <= 5000; ++k) {
        float now[4], sum = 0;
        karst_tile_bands((float)k * 0.1f, 50, 10, now);
        for (int i = 0; i < 4; ++i) {
            assert_true(fabsf(now[i] - last[i]) <= 0.011f);
            sum += now[i];
        }
        assert_true(fabsf(sum - 1) < 1e-6f);
        memcpy(last, now, sizeof last);
        if (k == 1000) assert_true(now[1] == 1);
        if (k == 3000) assert_true(now[2] == 1);
    }
    assert_true(last[3] == 1);
}

static void the_bank_is_the_same_everywhere(void **state) {
    (void)state;
    uint64_t hash = kst_hash(bank, sizeof *bank, 0);
    if (hash != 0xef3f5dc9589782eaull) fail_msg("the bank hashes to %016llx", (unsigned long long)hash);
}

int main(void) {
    bank = malloc(sizeof *bank);
    karst_tile_bank_make(bank);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_of_a_set_meet_however_they_are_turned),
        cmocka_unit_test(images_of_a_set_differ_inside),
        cmocka_unit_test(every_group_has_a_name_and_images),
        cmocka_unit_test(there_are_forty_eight_transitions),
        cmocka_unit_test(images_are_of_the_group_that_was_painted),
        cmocka_unit_test(transitions_meet_at_every_side_of_every_tile),
        cmocka_unit_test(far_texels_are_what_lies_near_on_average),
        cmocka_unit_test(bands_go_over_one_into_the_next),
        cmocka_unit_test(the_bank_is_the_same_everywhere),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(bank);
    return failed;
}
