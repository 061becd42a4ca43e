// SPDX-License-Identifier: MIT
// Tiles on the screen: colours of the twin, bands that go over, far textures within their budget.
#include <time.h>

#include "zonestage.h"

enum { W = 96, H = 64 };
typedef uint8_t picture[H * W * 3];

// Where colours are judged; each has a group that its sets have images of.
static const struct {
    karst_pos at;
    int group;
} places[4] = {{{321.5, 14, 30.4}, 8}, {{170.3, 14, 80.2}, 4}, {{300.1, 15, 110.6}, 9}, {{60.2, 15, 190.3}, 6}};

// The painted sample.
static ground begin(const char *defines, const karst_gl_zones_def *def) {
    need_context();
    karst_net *net = ground_net(true, 0);
    scene_net_sample_paint(net);
    for (int k = 0; k < 4; ++k) karst_net_paint_group(net, places[k].at, 4, places[k].group);
    return ground_make(net, defines, 1, def);
}

static karst_gl_zones_def plain_def(void) {
    karst_gl_zones_def def = karst_gl_zones_def_default();
    def.tiles = stage_tiles();
    def.shadows = false;
    return def;
}

static void draw(ground *g, const karst_view *view, const karst_zone_budget *budget, karst_zone_frame *frame,
                 picture rgb) {
    karst_zone_scene_update(g->scene, view, 1, budget, frame);
    assert_int_equal(karst_gl_zones_show(g->zones, frame), KARST_OK);
    assert_int_equal(karst_gl_render(g->gl, NULL, view, 0, &g->look, 1, rgb), KARST_OK);
}

// ---- the twin --------------------------------------------------------------------------------------

// Where a ray meets a frame.
typedef struct meeting {
    double distance;
    int instance;
    double s, t;  // in the patch
} meeting;

static void meet(const karst_zone_frame *frame, int instance, const karst_zone_vertex *v, int triangles, karst_vec3 o,
                 karst_vec3 d, meeting *best) {
    for (int k = 0; k < triangles; ++k, v += 3) {  // after Moeller and Trumbore
        const karst_vec3 *a = &v[0].position, *b = &v[1].position, *c = &v[2].position;
        double e[3] = {(double)b->x - a->x, (double)b->y - a->y, (double)b->z - a->z};
        double f[3] = {(double)c->x - a->x, (double)c->y - a->y, (double)c->z - a->z};
        double p[3] = {d.y * f[2] - d.z * f[1], d.z * f[0] - d.x * f[2], d.x * f[1] - d.y * f[0]};
        double det = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
        if (fabs(det) < 1e-12) continue;
        double w[3] = {(double)o.x - a->x, (double)o.y - a->y, (double)o.z - a->z};
        double u = (w[0] * p[0] + w[1] * p[1] + w[2] * p[2]) / det;
        double q[3] = {w[1] * e[2] - w[2] * e[1], w[2] * e[0] - w[0] * e[2], w[0] * e[1] - w[1] * e[0]};
        double m = (d.x * q[0] + d.y * q[1] + d.z * q[2]) / det;
        double distance = (f[0] * q[0] + f[1] * q[1] + f[2] * q[2]) / det;
        if (u < 0 || m < 0 || u + m > 1 || distance <= 0 || distance >= best->distance) continue;
        double r = 1 - u - m;
        *best = (meeting){distance, instance, r * (double)v[0].s + u * (double)v[1].s + m * (double)v[2].s,
                          r * (double)v[0].t + u * (double)v[1].t + m * (double)v[2].t};
    }
    (void)frame;
}

typedef struct tally {
    int pixels, mixed, grouped, strange, most;  // grouped: with an image that is not common
} tally;

// Compare a picture of tile colours with the twin's. turned: a quarter turn more, as a control.
static tally compare(const ground *g, const karst_zone_frame *frame, const karst_view *view,
                     const karst_tile_bank *bank, const picture rgb, bool turned) {
    static karst_zone_vertex twin[3 * KARST_ZONE_TRIANGLES_MAX];
    static meeting met[W * H];
    for (int k = 0; k < W * H; ++k) met[k] = (meeting){.distance = 1e9, .instance = -1};
    for (int i = 0; i < frame->instance_count; ++i) {
        int triangles = karst_zone_frame_expand(frame, g->scene, i, twin);
        for (int k = 0; k < W * H; ++k) {
            karst_pos o, d;
            karst_view_ray(view, k % W + 0.5, k / W + 0.5, &o, &d);
            karst_vec3 from = {(float)(o.x - frame->origin.x), (float)(o.y - frame->origin.y),
                               (float)(o.z - frame->origin.z)};
            meet(frame, i, twin, triangles, from, (karst_vec3){(float)d.x, (float)d.y, (float)d.z}, &met[k]);
        }
    }
    tally sum = {0};
    for (int k = 0; k < W * H; ++k) {
        if (met[k].instance < 0) continue;
        const karst_zone_instance *at = &frame->instances[met[k].instance];
        const karst_zone *zone = frame->zones[at->zone].zone;
        const karst_piece *piece = &zone->pieces[at->piece];
        karst_zone_patch patch = karst_zone_patch_of(zone, piece->patch);
        karst_tile_element elements[KARST_NET_TILES_MAX * KARST_NET_TILES_MAX];
        karst_tile_resolve(bank, zone, at->piece, elements);
        int n = 1 << piece->tiles_log2;
        double x = met[k].s * (1 << patch.tiles_log2[0]) - piece->tile_s;
        double y = met[k].t * (1 << patch.tiles_log2[1]) - piece->tile_t;
        int i = (int)fmin(fmax(x, 0), n - 1), j = (int)fmin(fmax(y, 0), n - 1);
        karst_tile_element e = elements[j * n + i];
        if (turned) e.turns ^= 2;
        karst_vec3 c = karst_tile_colour(bank, &e, (float)(x - i), (float)(y - j));
        const float want[3] = {c.x, c.y, c.z};
        int most = 0;
        for (int b = 0; b < 3; ++b) {
            int off = abs((int)lrintf(want[b] * 255) - rgb[3 * k + b]);
            most = off > most ? off : most;
        }
        ++sum.pixels;
        sum.mixed += e.layer[1] != KARST_TILE_NONE;
        sum.grouped += !(bank->groups[karst_tile_layer_set(e.layer[0])][karst_tile_layer_variant(e.layer[0])] & 1);
        sum.strange += most > 2;
        sum.most = most > sum.most ? most : sum.most;
    }
    return sum;
}

// The tile corner that is nearest on the map.
static double ground_near(const ground *g, double x, double z) {
    double best = 1e9, y = 0;
    for (int k = 0; k < g->cut.count; ++k) {
        const karst_zone *zone = g->cut.zones[k];
        double step = ldexp(1, zone->step_log2) / KARST_NET_FINE;
        for (uint32_t i = 0; i < zone->place_count; ++i) {
            double dx = step * (zone->bias.x + zone->places[i].x) - x,
                   dz = step * (zone->bias.z + zone->places[i].z) - z;
            if (dx * dx + dz * dz >= best) continue;
            best = dx * dx + dz * dz;
            y = step * (zone->bias.y + zone->places[i].y);
        }
    }
    return y;
}

static void colours_are_those_of_the_twin(void **state) {
    (void)state;
    static picture rgb;
    karst_gl_zones_def def = plain_def();
    def.tiles = NULL;  // its own
    ground g = begin("#define KARST_TILE_COLOUR\n", &def);
    karst_zone_budget budget = karst_zone_budget_default();
    tally all = {0}, control = {0};
    for (int k = 0; k < 4; ++k) {
        karst_pos eye = places[k].at;
        eye.y = ground_near(&g, eye.x, eye.z) + 2.2;
        karst_view view =
            karst_view_perspective(eye, (karst_pos){eye.x, 0, eye.z}, (karst_vec3){0, 0, -1}, 0.35f, W, H);
        karst_zone_frame frame;
        draw(&g, &view, &budget, &frame, rgb);
        for (int turned = 0; turned < 2; ++turned) {
            tally t = compare(&g, &frame, &view, stage_tiles(), rgb, turned), *of = turned ? &control : &all;
            of->pixels += t.pixels, of->mixed += t.mixed, of->grouped += t.grouped, of->strange += t.strange;
            of->most = t.most > of->most ? t.most : of->most;
        }
    }
    print_message(
        "%d pixels, %d on transitions, %d of other groups: %d off by more than 2 of 255, %d at most; turned: %d\n",
        all.pixels, all.mixed, all.grouped, all.strange, all.most, control.strange);
    assert_true(all.pixels > 3 * W * H && all.mixed > all.pixels / 10 && all.grouped > all.pixels / 10);
    assert_int_equal(all.strange, 0);
    assert_true(control.strange > all.pixels / 4);
    ground_clear(&g);
}

static void images_meet_at_mips_that_show_rims_whatever_their_group(void **state) {
    (void)state;
    enum { IMAGES = KARST_NOISE_SETS * KARST_TILE_VARIANTS, LEVELS = 3 };
    karst_gl_zones_def def = plain_def();
    ground g = begin("", &def);
    for (int level = 1, side = KARST_TILE_SIDE / 2; level < LEVELS; ++level, side /= 2) {
        size_t texels = (size_t)side * (size_t)side, unlike = 0, inside = 0;
        uint8_t(*texel)[4] = malloc(IMAGES * texels * sizeof *texel);
        assert_non_null(texel);
        glGetTextureImage(g.zones->tiles.images, level, GL_RGBA, GL_UNSIGNED_BYTE, (GLsizei)(IMAGES * texels * 4),
                          texel);
        for (size_t k = 0; k < IMAGES; ++k) {
            const uint8_t(*own)[4] = (const uint8_t(*)[4])texel + k * texels;
            const uint8_t(*first)[4] =
                (const uint8_t(*)[4])texel + k / KARST_TILE_VARIANTS * KARST_TILE_VARIANTS * texels;
            for (int i = 0; i < side * side; ++i) {
                bool rim = i < side || i >= side * (side - 1) || i % side == 0 || i % side == side - 1;
                *(rim ? &unlike : &inside) += memcmp(own[i], first[i], 4) != 0;
            }
        }
        assert_int_equal(unlike, 0);
        assert_true(inside > texels);  // control
        free(texel);
    }
    ground_clear(&g);
}

// ---- bands -----------------------------------------------------------------------------------------

// How much a picture from straight above changes when the eye, 60 m up, rises by a centimetre.
static int change_with(ground *g, float tile_m, float fade_m) {
    static picture a, b;
    karst_gl_zones *was = g->zones;
    karst_gl_zones_def def = plain_def();
    def.tile_m = tile_m, def.fade_m = fade_m;
    assert_int_equal(karst_gl_zones_create(g->gl, g->scene, &def, &g->zones), KARST_OK);
    g->look.zones = g->zones;
    karst_zone_budget budget = karst_zone_budget_default();
    budget.threshold = 1e-8f;  // shape stays
    int most = 0;
    for (int step = 0; step < 8; ++step) {
        karst_pos eye = {322, 70 + step, 40};
        karst_zone_frame frame;
        for (int k = 0; k < 2; ++k, eye.y += 0.01) {
            karst_view view = karst_view_perspective(eye, (karst_pos){322, 0, 40}, (karst_vec3){0, 0, -1}, 0.2f, W, H);
            draw(g, &view, &budget, &frame, k ? b : a);
        }
        for (int k = 0; k < 3 * W * H; ++k) most = abs(a[k] - b[k]) > most ? abs(a[k] - b[k]) : most;
    }
    karst_gl_zones_destroy(g->zones);
    g->zones = g->look.zones = was;
    return most;
}

static void nothing_pops_where_bands_end(void **state) {
    (void)state;
    karst_gl_zones_def def = plain_def();
    ground g = begin("", &def);
    g.look.sky = false;
    int soft = change_with(&g, 60, 10), hard = change_with(&g, 60, 0.01f);
    print_message("a centimetre changes a pixel by %d of 255 at most; where going over takes a centimetre by %d\n",
                  soft, hard);
    assert_true(soft <= 4 && hard > soft + 4);
    ground_clear(&g);
}

// ---- far textures ----------------------------------------------------------------------------------

typedef struct taken {
    uint32_t block;
    int log2;
} taken;

static void blocks_of_far_textures_are_apart_and_keep_what_is_in_them(void **state) {
    (void)state;
    need_context();
    enum { MOST = 600, PAGES = 9 };
    static uint8_t texels[64 * 64][4], back[KST_FAR_PAGE * KST_FAR_PAGE * PAGES][4];
    static taken have[MOST];
    kst_far far = {0};
    assert_int_equal(kst_far_make(&far, (uint64_t)PAGES * KST_FAR_PAGE_BYTES + 1000), KARST_OK);
    int count = 0, refused = 0;
    uint64_t seed = 1;
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (int step = 0; step < 3000; ++step) {
        seed = kst_hash_u64(seed, (uint64_t)step);
        if (count < MOST && seed % 5 < 3) {
            int log2 = 3 + (int)(seed >> 8 & 3);
            uint32_t block = kst_far_take(&far, log2);
            refused += !block;
            if (!block) continue;
            for (int k = 0; k < 1 << (2 * log2); ++k) memcpy(texels[k], &block, 4);
            kst_far_put(&far, block, log2, texels);
            have[count++] = (taken){block, log2};
        } else if (count) {
            int k = (int)(seed >> 33) % count;
            kst_far_give(&far, have[k].block);
            have[k] = have[--count];
        }
    }
    assert_true(refused > 10 && far.page_room == PAGES && far.blocks == count);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glGetTextureImage(far.texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, sizeof back, back);
    int strange = 0;
    for (int k = 0; k < count; ++k) {
        uint32_t at = have[k].block - 1, x = (at & 31) * 8, y = (at >> 5 & 31) * 8, page = at >> 10;
        for (int j = 0; j < 1 << have[k].log2; ++j)
            for (int i = 0; i < 1 << have[k].log2; ++i)
                strange += memcmp(back[(page * KST_FAR_PAGE + y + (uint32_t)j) * KST_FAR_PAGE + x + (uint32_t)i],
                                  &have[k].block, 4) != 0;
    }
    print_message("%d blocks of %d pages, %d refused, %d texels of others\n", count, PAGES, refused, strange);
    assert_int_equal(strange, 0);
    for (int k = 0; k < count; ++k) kst_far_give(&far, have[k].block);
    assert_int_equal(far.blocks, 0);
    for (int k = 0; k < PAGES; ++k) assert_int_equal(far.page[k].log2, 0);
    kst_far_free(&far);
}

static void zones_that_leave_make_room_for_far_textures(void **state) {
    (void)state;
    static picture full, some;
    karst_gl_zones_def def = plain_def();
    ground g = begin("", &def);
    karst_gl_zones *all = g.zones, *none;
    def.far_bytes = 0;
    assert_int_equal(karst_gl_zones_create(g.gl, g.scene, &def, &none), KARST_OK);
    def.far_bytes = 6 * KST_FAR_PAGE_BYTES;
    assert_int_equal(karst_gl_zones_create(g.gl, g.scene, &def, &g.zones), KARST_OK);
    g.look.zones = g.zones;
    int32_t pieces = 0;
    for (int k = 0; k < g.cut.count; ++k) pieces += (int32_t)g.cut.zones[k]->piece_count;
    karst_view view = karst_view_perspective((karst_pos){240, 300, -200}, (karst_pos){240, 0, 200},
                                             (karst_vec3){0, 1, 0}, 0.9f, W, H);
    karst_zone_budget budget = karst_zone_budget_default();
    karst_zone_frame frame;
    karst_zone_scene_update(g.scene, &view, 1, &budget, &frame);
    clock_t before = clock();
    assert_int_equal(karst_gl_zones_show(none, &frame), KARST_OK);
    clock_t between = clock();
    assert_int_equal(karst_gl_zones_show(all, &frame), KARST_OK);
    double without = (double)(between - before) / CLOCKS_PER_SEC, with = (double)(clock() - between) / CLOCKS_PER_SEC;
    karst_gl_zone_figures bare = karst_gl_zones_figures(none), f = karst_gl_zones_figures(all);
    assert_int_equal(bare.far_missing, pieces);
    print_message("far textures: %.0f us a piece, %.0f bytes up, %.2f MB of pages for %d pieces\n",
                  (with - without) / pieces * 1e6, (double)(f.uploaded_bytes - bare.uploaded_bytes) / pieces,
                  (double)f.far_bytes * 1e-6, f.far_pieces);
    karst_gl_zones_destroy(none);
    draw(&g, &view, &budget, &frame, some);
    f = karst_gl_zones_figures(g.zones);
    assert_int_equal(f.far_pieces + f.far_missing, pieces);
    assert_true(f.far_missing > 0 && f.far_bytes <= def.far_bytes);
    // All of them, beside: what is missing is drawn by tiles, which far away look much alike.
    karst_gl_zones *few = g.zones;
    g.zones = g.look.zones = all;
    draw(&g, &view, &budget, &frame, full);
    assert_int_equal(karst_gl_zones_figures(all).far_missing, 0);
    int64_t off = 0;
    for (int k = 0; k < 3 * W * H; ++k) off += abs(full[k] - some[k]);
    print_message("%d of %d pieces have no room; pictures differ by %.2f of 255 in the mean\n", f.far_missing, pieces,
                  (double)off / (3 * W * H));
    assert_true(off < 3 * W * H * 4);
    g.zones = g.look.zones = few;
    int32_t missing = f.far_missing;
    for (int k = 0; k < g.cut.count; ++k) {
        karst_zone_scene_remove(g.scene, (uint16_t)k);
        pieces -= (int32_t)g.cut.zones[k]->piece_count;
        karst_zone_scene_update(g.scene, &view, 1, &budget, &frame);
        assert_int_equal(karst_gl_zones_show(g.zones, &frame), KARST_OK);
        f = karst_gl_zones_figures(g.zones);
        assert_int_equal(f.far_pieces + f.far_missing, pieces);
        assert_true(f.far_missing == 0 || f.far_missing < missing);
        missing = f.far_missing;
    }
    assert_int_equal(f.far_pieces + f.far_missing, 0);
    karst_gl_zones_destroy(all);
    ground_clear(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_those_of_the_twin),
        cmocka_unit_test(images_meet_at_mips_that_show_rims_whatever_their_group),
        cmocka_unit_test(nothing_pops_where_bands_end),
        cmocka_unit_test(blocks_of_far_textures_are_apart_and_keep_what_is_in_them),
        cmocka_unit_test(zones_that_leave_make_room_for_far_textures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
