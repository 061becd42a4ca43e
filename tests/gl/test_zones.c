// SPDX-License-Identifier: MIT
// Zones on the screen: the device morphs as the twin does, closed ground lets no background through, and slots come
// and go.
#include "zonestage.h"

enum { W = 240, H = 136 };

// paint: a sphere of sand of 12 m there.
static ground begin_painted(bool sample, uint8_t slot, const char *defines, const karst_pos *paint,
                            const karst_tile_bank *tiles) {
    need_context();
    karst_net *net = ground_net(sample, slot);
    if (paint) karst_net_paint(net, *paint, 12, KARST_TILE_SAND, -1);
    karst_gl_zones_def zones = karst_gl_zones_def_default();
    zones.shadows = !*defines;
    zones.tiles = tiles;
    return ground_make(net, defines, 4, &zones);
}

static ground begin(bool sample, uint8_t slot, const char *defines) {
    return begin_painted(sample, slot, defines, NULL, stage_tiles());
}

static karst_view view_of(karst_pos eye, karst_pos at, float fov_rad) {
    return karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, fov_rad, W, H);
}

static void show(ground *g, const karst_view *view, const karst_zone_budget *budget, karst_zone_frame *frame) {
    karst_zone_scene_update(g->scene, view, 1, budget, frame);
    assert_int_equal(karst_gl_zones_show(g->zones, frame), KARST_OK);
}

// ---- the twin --------------------------------------------------------------------------------------

typedef union row {
    uint32_t u[4];
    float f[4];
} row;

static row *read_vertices(const ground *g) {
    size_t bytes = 2 * sizeof(row) * (size_t)g->zones->figures.vertices;
    row *rows = malloc(bytes);
    assert_non_null(rows);
    glGetNamedBufferSubData(g->zones->buffer[KST_ZONES_VERTICES], 0, (GLsizeiptr)bytes, rows);
    return rows;
}

static bool same(const void *a, const void *b) {
    return !memcmp(a, b, sizeof(karst_vec3));
}

// Triangles of the device that the twin does not have to the bit, of one instance. at: its first vertex.
static int64_t strange_triangles(const karst_zone_frame *frame, const ground *g, int instance, const row *at) {
    static uint16_t index[3 * KARST_ZONE_TRIANGLES_MAX];
    static karst_zone_vertex twin[3 * KARST_ZONE_TRIANGLES_MAX];
    const karst_zone_instance *i = &frame->instances[instance];
    int count = karst_zone_indices(i->cells_log2, i->pattern, index);
    int triangles = karst_zone_frame_expand(frame, g->scene, instance, twin), t = 0;
    int64_t strange = 0;
    for (int k = 0; k < count; k += 3) {
        const row *v[3] = {at + 2 * index[k], at + 2 * index[k + 1], at + 2 * index[k + 2]};
        if (same(v[0], v[1]) || same(v[1], v[2]) || same(v[2], v[0])) continue;
        const karst_zone_vertex *w = twin + 3 * t;
        // The twin leaves out what has a corner twice; places may meet by chance as well.
        while (t < triangles && (same(&w[0], &w[1]) || same(&w[1], &w[2]) || same(&w[2], &w[0]))) w += 3, ++t;
        ++t;
        bool good = t <= triangles;
        for (int c = 0; c < 3 && good; ++c) {
            float s = (float)(v[c][1].u[0] & 0xFFFF) / 65535, u = (float)(v[c][1].u[0] >> 16) / 65535;
            good = same(v[c], &w[c].position) && fabsf(s - w[c].s) < 1e-4f && fabsf(u - w[c].t) < 1e-4f;
        }
        strange += !good;
    }
    return strange + (triangles > t ? triangles - t : 0);
}

static int64_t strange_of_frame(const karst_zone_frame *frame, const ground *g, int64_t *triangles) {
    row *rows = read_vertices(g), *at = rows;
    int64_t strange = 0;
    for (int k = 0; k < frame->instance_count; ++k) {
        strange += strange_triangles(frame, g, k, at);
        int side = (1 << frame->instances[k].cells_log2) + 1;
        at += 2 * side * side;
    }
    *triangles += frame->figures.triangles;
    free(rows);
    return strange;
}

static karst_pos random_eye(prop *p) {
    double x = prop_real(p, 20, 236), z = prop_real(p, 20, 236);
    return (karst_pos){x, scene_net_hill(x, z) + prop_real(p, -20, 40), z};
}

static void the_device_morphs_as_the_twin_does_to_the_bit(void **state) {
    (void)state;
    ground g = begin(false, 11, "");
    karst_zone_budget budget = karst_zone_budget_default();
    budget.cull = false;
    int64_t triangles = 0, control = 0, whole = 0, tiles = 0, finest = 0;
    for (prop p = prop_begin("zone twin", 6); prop_next(&p);) {
        karst_pos eye = random_eye(&p);
        karst_view view = view_of(eye, (karst_pos){eye.x + 10, eye.y - 3, eye.z}, 0.9f);
        budget.threshold = (float)exp2(-prop_real(&p, 6, 14));
        budget.tile_m = (float)prop_real(&p, 0, 50);
        budget.tile_fade_m = (float)prop_real(&p, 1, 40);
        karst_zone_frame frame;
        show(&g, &view, &budget, &frame);
        prop_check(&p, strange_of_frame(&frame, &g, &triangles) == 0);
        for (int k = 0; k < frame.batch_count; ++k) {
            const karst_zone_batch *b = &frame.batches[k];
            *(b->finest ? &finest : b->tiles ? &tiles : &whole) += b->count;
        }
        if (p.at) continue;
        // Control: the levels of an eye 2 m further are others.
        float saved = frame.eyes[0].fraction.x;
        frame.eyes[0].fraction.x += 2;
        int64_t unused = 0;
        control = strange_of_frame(&frame, &g, &unused);
        frame.eyes[0].fraction.x = saved;
    }
    print_message("%lld triangles, to the bit: pieces %lld, tiles %lld, finest %lld; control: %lld others\n",
                  (long long)triangles, (long long)whole, (long long)tiles, (long long)finest, (long long)control);
    assert_true(whole > 0 && tiles > 0 && control > 0);
    ground_clear(&g);
}

// ---- the same picture ------------------------------------------------------------------------------

typedef uint8_t picture[H * W * 3];

static void draw(ground *g, const karst_view *view, picture rgb) {
    assert_int_equal(karst_gl_render(g->gl, NULL, view, 0, &g->look, 1, rgb), KARST_OK);
}

static int largest_difference(const uint8_t *a, const uint8_t *b) {
    int most = 0;
    for (int k = 0; k < 3 * W * H; ++k) most = abs(a[k] - b[k]) > most ? abs(a[k] - b[k]) : most;
    return most;
}

// Put the twin's triangles, or those of places that are not morphed, where the device has its own, as a list of
// corners. What the twin does not have (normals, materials) is the device's.
static void put_twin(ground *g, const karst_zone_frame *frame, bool morphed) {
    static uint16_t index[3 * KARST_ZONE_TRIANGLES_MAX], corner[65535];
    static karst_zone_vertex twin[3 * KARST_ZONE_TRIANGLES_MAX];
    static karst_vec3 places[KARST_ZONE_VERTICES_MAX];
    karst_gl_zones *z = g->zones;
    row *rows = read_vertices(g), *at = rows;
    row *out = malloc(6 * sizeof *out * (size_t)frame->figures.triangles);
    assert_non_null(out);
    int32_t n = 0;
    for (int k = 0; k < frame->instance_count; ++k) {
        const karst_zone_instance *i = &frame->instances[k];
        int count = karst_zone_indices(i->cells_log2, i->pattern, index), side = (1 << i->cells_log2) + 1;
        int triangles = karst_zone_frame_expand(frame, g->scene, k, twin);
        karst_zone_frame_places(frame, k, places);
        const karst_zone_vertex *w = twin;
        for (int t = 0; t < count && w < twin + 3 * triangles; t += 3) {
            const row *v[3] = {at + 2 * index[t], at + 2 * index[t + 1], at + 2 * index[t + 2]};
            if (same(v[0], v[1]) || same(v[1], v[2]) || same(v[2], v[0])) continue;
            for (int c = 0; c < 3; ++c, ++w, ++n) {
                memcpy(out + 2 * n, v[c], 2 * sizeof *out);
                memcpy(out + 2 * n, morphed ? &w->position : &places[index[t + c]], sizeof w->position);
            }
        }
        at += 2 * side * side;
    }
    free(rows);
    for (int k = 0; k < 65535; ++k) corner[k] = (uint16_t)k;
    glCreateBuffers(1, &z->indices);
    glNamedBufferStorage(z->indices, sizeof corner, corner, 0);
    glVertexArrayElementBuffer(z->array, z->indices);
    glNamedBufferData(z->buffer[KST_ZONES_VERTICES], 2 * n * (GLsizeiptr)sizeof *out, out, GL_STREAM_DRAW);
    free(out);
    // Lists of all corners and of those that are left.
    z->run_count = 0;
    z->run_room = z->run_room > (size_t)(n / 65535 + 1) ? z->run_room : (size_t)(n / 65535 + 1);
    z->runs = realloc(z->runs, z->run_room * sizeof *z->runs);
    assert_non_null(z->runs);
    z->list_first[0] = z->list_first[1] = 0;
    z->list_count[0] = 65535, z->list_count[1] = n % 65535;
    for (int32_t first = 0; first < n; first += 65535)
        z->runs[z->run_count++] = (kst_zone_run){first, 0, 1, 0, n - first < 65535};
}

// The device's picture, and one of the twin's triangles through the same shading.
static void the_picture_is_that_of_the_twins_triangles(void **state) {
    (void)state;
    static picture own, twin;
    static const karst_pos eye[3] = {{372, 18, 40}, {121, 20, 170}, {300, 60, 120}},
                           at[3] = {{392, 30, 88}, {121, 22, 200}, {250, 30, 220}};
    int most = 0, control = 0;
    ground g = begin(true, 15, "");
    const karst_gl_zones lists = *g.zones;  // put_twin() has its own
    for (int k = 0; k < 6; ++k) {
        bool morphed = k & 1;
        karst_view view = view_of(eye[k / 2], at[k / 2], 0.9f);
        karst_zone_budget budget = karst_zone_budget_default();
        budget.threshold = 2e-3f, budget.tile_m = 20, budget.tile_fade_m = 30;
        karst_zone_frame frame;
        show(&g, &view, &budget, &frame);
        draw(&g, &view, own);
        put_twin(&g, &frame, morphed);
        draw(&g, &view, twin);
        int *of = morphed ? &most : &control, here = largest_difference(own, twin);
        *of = here > *of ? here : *of;
        glDeleteBuffers(1, &g.zones->indices);
        g.zones->indices = lists.indices;
        glVertexArrayElementBuffer(g.zones->array, lists.indices);
        memcpy(g.zones->list_first, lists.list_first, sizeof lists.list_first);
        memcpy(g.zones->list_count, lists.list_count, sizeof lists.list_count);
        g.zones->vertex_bytes = 0;
    }
    ground_clear(&g);
    print_message("device and twin differ by %d of 255 at most; without morphs by %d\n", most, control);
    assert_true(most <= 2);
    assert_true(control > 2);
}

// ---- tiles -----------------------------------------------------------------------------------------

// Pixels of a picture from above that are more red than green, within 9 m of a painted place and beyond 15 m.
static void count_red(bool painted, const karst_tile_bank *tiles, int *near, int *far) {
    static picture rgb;
    const karst_pos place = {300, 14, 60};
    ground g = begin_painted(true, 0, "", painted ? &place : NULL, tiles);
    karst_view view = karst_view_perspective((karst_pos){place.x, 60, place.z}, (karst_pos){place.x, 0, place.z},
                                             (karst_vec3){0, 0, -1}, 0.9f, W, H);
    karst_zone_budget budget = karst_zone_budget_default();
    karst_zone_frame frame;
    show(&g, &view, &budget, &frame);
    draw(&g, &view, rgb);
    *near = *far = 0;
    for (int k = 0; k < W * H; ++k) {
        double per = 46 * (double)view.tan_y * 2 / H, away = per * hypot(k % W - W / 2 + 0.5, k / W - H / 2 + 0.5);
        bool red = rgb[3 * k] > 2 * rgb[3 * k + 1];
        *near += away < 9 && !red;
        *far += away > 15 && red;
    }
    ground_clear(&g);
}

static void paint_is_where_it_was_put(void **state) {
    (void)state;
    enum { TEXELS = KARST_TILE_VARIANTS * KARST_TILE_SIDE * KARST_TILE_SIDE };
    karst_tile_bank *bank = malloc(sizeof *bank);
    assert_non_null(bank);
    karst_tile_bank_make(bank);
    for (int set = 0; set < KARST_NOISE_SETS; ++set)
        for (int k = 0; k < TEXELS; ++k) {
            uint8_t(*texel)[4] = (uint8_t(*)[4])bank->image + (size_t)set * TEXELS + k;
            bool sand = set == KARST_TILE_SAND;
            (*texel)[0] = sand ? 200 : 30, (*texel)[1] = sand ? 30 : 200, (*texel)[2] = 30;
        }
    int near, far;
    count_red(true, bank, &near, &far);
    print_message("painted: %d other pixels inside, %d red ones outside", near, far);
    assert_int_equal(near + far, 0);
    count_red(false, bank, &near, &far);
    print_message("; not painted: %d others inside\n", near);
    assert_true(near > 100);
    free(bank);
}

// Pixels that are another colour when ground is cut finely: of a smooth meadow, or of a cliff.
static int pixels_of_edges(bool cliff) {
    static picture few, many;
    ground g = begin(true, cliff ? 15 : 0, "");
    karst_view view = cliff ? view_of((karst_pos){121, 20, 170}, (karst_pos){121, 18, 200}, 0.9f)
                            : view_of((karst_pos){300, 21, 80}, (karst_pos){302, 18, 84}, 0.9f);
    karst_zone_budget budget = karst_zone_budget_default();
    karst_zone_frame frame;
    budget.threshold = 1;
    show(&g, &view, &budget, &frame);
    draw(&g, &view, few);
    int64_t triangles = frame.figures.triangles;
    budget.threshold = 1e-5f;
    show(&g, &view, &budget, &frame);
    assert_true(frame.figures.triangles > 8 * triangles);
    draw(&g, &view, many);
    ground_clear(&g);
    int count = 0;
    for (int k = H / 2 * W; k < W * H; ++k) count += abs(few[3 * k + 1] - many[3 * k + 1]) > 12;
    return count;
}

static void the_edges_of_triangles_do_not_show(void **state) {
    (void)state;
    int smooth = pixels_of_edges(false), rough = pixels_of_edges(true);
    print_message("of %d pixels %d are others when cut finely; of a cliff %d\n", W * H / 2, smooth, rough);
    assert_true(smooth < 8);
    assert_true(rough > 40);
}

// ---- light -----------------------------------------------------------------------------------------

static double light_of(const uint8_t *p) {
    return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
}

// Pixels of which shadows leave less than half of their code; and how much they leave of all.
static int darkened(ground *g, karst_gl_zones *plain, const karst_view *view, double *left) {
    static picture lit, bare;
    karst_zone_budget budget = karst_zone_budget_default();
    karst_zone_frame frame;
    show(g, view, &budget, &frame);
    assert_int_equal(karst_gl_zones_show(plain, &frame), KARST_OK);
    draw(g, view, lit);
    g->look.zones = plain;
    draw(g, view, bare);
    g->look.zones = g->zones;
    int count = 0;
    double sum[2] = {0};
    for (int k = 0; k < W * H; ++k) {
        double a = light_of(lit + 3 * k), b = light_of(bare + 3 * k);
        count += a < 0.5 * b;
        sum[0] += a, sum[1] += b;
    }
    *left = sum[0] / sum[1];
    return count;
}

static void the_arch_casts_a_shadow_and_the_cave_is_dark(void **state) {
    (void)state;
    ground g = begin(true, 15, "");
    karst_gl_zones *plain;
    karst_gl_zones_def def = karst_gl_zones_def_default();
    def.tiles = stage_tiles();
    def.shadows = false;
    assert_int_equal(karst_gl_zones_create(g.gl, g.scene, &def, &plain), KARST_OK);
    karst_gl_look_sun(&g.look, 9.5f, 0.785f, 105);
    karst_view arch = view_of((karst_pos){392, 90, 20}, (karst_pos){392, 14, 88}, 0.9f);
    karst_view cave = view_of((karst_pos){126, 23, 234}, (karst_pos){127, 12, 240}, 0.9f);
    karst_view meadow = view_of((karst_pos){250, 50, 50}, (karst_pos){250, 14, 80}, 0.6f);
    double left[3];
    int shadow = darkened(&g, plain, &arch, &left[0]);
    darkened(&g, plain, &cave, &left[1]);
    int open = darkened(&g, plain, &meadow, &left[2]);
    print_message(
        "shadows round an arch: %d of %d pixels; light that they leave on the floor of a cave %.2f, on a meadow %.2f\n",
        shadow, W * H, left[1], left[2]);
    assert_in_range(shadow, W * H / 100, W * H / 3);
    assert_int_equal(open, 0);
    assert_true(left[1] < 0.5 && left[2] > 0.98);
    karst_gl_zones_destroy(plain);
    ground_clear(&g);
}

// ---- what is on the device -------------------------------------------------------------------------

static void what_is_not_needed_gives_way_and_comes_again(void **state) {
    (void)state;
    static picture fresh, again;
    ground g = begin(true, 15, "");
    karst_gl_zones *frugal;
    karst_gl_zones_def def = karst_gl_zones_def_default();
    def.tiles = stage_tiles();
    def.fine_bytes = 1 << 20;
    assert_int_equal(karst_gl_zones_create(g.gl, g.scene, &def, &frugal), KARST_OK);
    assert_int_equal(karst_gl_zones_figures(frugal).triangles, 0);
    karst_zone_budget budget = karst_zone_budget_default();
    budget.threshold = 2e-4f;
    uint64_t held = 0;
    for (int k = 0; k < 4; ++k) {
        karst_view view = view_of((karst_pos){60 + 100 * k, 40, 100}, (karst_pos){90 + 100 * k, 20, 160}, 0.9f);
        karst_zone_frame frame;
        show(&g, &view, &budget, &frame);
        draw(&g, &view, fresh);
        assert_int_equal(karst_gl_zones_show(frugal, &frame), KARST_OK);
        karst_gl_zone_figures f = karst_gl_zones_figures(frugal);
        assert_int_equal(f.triangles, frame.figures.triangles);
        assert_int_equal(f.zones, g.cut.count);
        assert_int_equal(f.fine_bytes, (uint64_t)f.fine_pieces * 33 * 33 * 16);
        held = f.fine_bytes > held ? f.fine_bytes : held;
        g.look.zones = frugal;
        draw(&g, &view, again);
        g.look.zones = g.zones;
        assert_int_equal(largest_difference(fresh, again), 0);
        uint64_t uploaded = f.uploaded_bytes;
        assert_int_equal(karst_gl_zones_show(frugal, &frame), KARST_OK);  // again: nothing but the frame goes up
        uint64_t once_more = karst_gl_zones_figures(frugal).uploaded_bytes;
        assert_true(k ? once_more <= uploaded : once_more < uploaded / 4);
    }
    karst_gl_zone_figures all = karst_gl_zones_figures(g.zones);
    print_message("refined: %.1f MB held of a budget of 1, %.1f without\n", (double)held * 1e-6,
                  (double)all.fine_bytes * 1e-6);
    assert_true(held < all.fine_bytes);
    // A zone leaves, and another stands in its slot.
    karst_view view = view_of((karst_pos){200, 60, -40}, (karst_pos){220, 0, 160}, 0.9f);
    karst_zone_frame frame;
    show(&g, &view, &budget, &frame);
    draw(&g, &view, fresh);
    karst_zone_scene_remove(g.scene, 0);
    show(&g, &view, &budget, &frame);
    assert_int_equal(karst_gl_zones_figures(g.zones).zones, g.cut.count - 1);
    draw(&g, &view, again);
    assert_true(largest_difference(fresh, again) > 2);
    uint16_t slot;
    assert_int_equal(karst_zone_scene_add(g.scene, g.cut.zones[0], NULL, &slot), KARST_OK);
    show(&g, &view, &budget, &frame);
    draw(&g, &view, again);
    assert_int_equal(largest_difference(fresh, again), 0);
    karst_gl_zones_destroy(frugal);
    ground_clear(&g);
}

// ---- closed ground ---------------------------------------------------------------------------------

static int cameras(int few) {
    const char *asked = getenv("KARST_TEST_CAMERAS");
    return asked ? atoi(asked) : few;
}

static double between(double a, double b, double u) {
    return a + (b - a) * u;
}

// In the hall of the cave, looking in: with 75 degrees between its middle and the farthest corner a ray never turns to
// the mouth. The way through it is that of scenes/nets_sample.c.
static karst_view in_the_cave(prop *p, const karst_net *net) {
    (void)net;
    double u = prop_real(p, 0, 1), turn = prop_real(p, -0.5, 0.5), rise = prop_real(p, -0.5, 0.5);
    karst_pos eye = {between(121, 128, u) + prop_real(p, -3, 3), 20 + prop_real(p, -2, 4), 0};
    eye.z = between(222, 242, u);
    karst_pos at = {eye.x + sin(turn) * cos(rise), eye.y + sin(rise), eye.z + cos(turn) * cos(rise)};
    return view_of(eye, at, 0.9f);
}

// Under the arch, looking down on level ground inside the border.
static karst_view under_the_arch(prop *p, const karst_net *net) {
    (void)net;
    karst_pos eye = {prop_real(p, 378, 406), prop_real(p, 20, 40), prop_real(p, 80, 100)};
    double turn = prop_real(p, 0, 6.2831853), down = prop_real(p, 1.0, 1.5);
    karst_pos at = {eye.x + sin(turn) * cos(down), eye.y - sin(down), eye.z + cos(turn) * cos(down)};
    return view_of(eye, at, 0.6f);
}

// In the stone of its crown, looking up: its feet, through which a ray might leave, lie lower.
static karst_view in_the_arch(prop *p, const karst_net *net) {
    (void)net;
    double turn = prop_real(p, 0, 6.2831853), up = prop_real(p, 1.0, 1.5);
    karst_pos eye = {392 + prop_real(p, -2, 2), 0, 88 + prop_real(p, -1.5, 1.5)};
    eye.y = 48;
    karst_pos at = {eye.x + sin(turn) * cos(up), eye.y + sin(up), eye.z + cos(turn) * cos(up)};
    return view_of(eye, at, 0.6f);
}

typedef karst_view camera_of(prop *p, const karst_net *net);
static camera_of *const kinds[] = {in_the_cave, under_the_arch, in_the_arch};
static const char *const kind_name[] = {"in the cave", "under the arch", "in its stone"};
enum { KINDS = 3 };

typedef struct leak {
    long pixels;
    int frames, cameras;
} leak;

static void red_pixels(ground *g, int count, leak out[KINDS]) {
    static uint8_t rgb[3 * W * H];
    karst_gl_look look = look_on_red();
    look.zones = g->zones;
    for (prop p = prop_begin("zones on red", count); prop_next(&p);) {
        int kind = p.at % KINDS;
        karst_view view = kinds[kind](&p, g->net);
        karst_zone_budget budget = karst_zone_budget_default();
        budget.threshold = (float)exp2(-prop_real(&p, 5, 13));
        budget.tile_m = (float)prop_real(&p, 0, 20);
        budget.tile_fade_m = (float)prop_real(&p, 1, 20);
        karst_zone_frame frame;
        show(g, &view, &budget, &frame);
        assert_int_equal(karst_gl_render(g->gl, NULL, &view, 0, &look, 1, rgb), KARST_OK);
        long here = 0;
        for (int k = 0; k < W * H; ++k) here += is_red(rgb + 3 * k);
        out[kind].pixels += here;
        out[kind].frames += here > 0;
        ++out[kind].cameras;
        if (here && getenv("KARST_TEST_SHOW")) print_message("case %d, %s: %ld red\n", p.at, kind_name[kind], here);
    }
}

static void no_red_shows_in_the_cave_and_under_the_arch(void **state) {
    (void)state;
    ground g = begin(true, 15, "#define KARST_PLAIN\n");
    leak red[KINDS] = {0};
    red_pixels(&g, cameras(12), red);
    for (int k = 0; k < KINDS; ++k) {
        print_message("%s: %ld red pixels in %d of %d frames\n", kind_name[k], red[k].pixels, red[k].frames,
                      red[k].cameras);
        assert_int_equal(red[k].pixels, 0);
    }
    ground_clear(&g);
}

// Control: a lattice that takes the level of its inside on its sides must leak.
static void sides_without_their_own_level_show_red(void **state) {
    (void)state;
    ground g = begin(true, 15, "#define KARST_PLAIN\n#define KARST_PATCH_OWNS_EDGE\n");
    leak red[KINDS] = {0};
    red_pixels(&g, 12, red);
    int frames = 0;
    for (int k = 0; k < KINDS; ++k) {
        print_message("control, %s: %ld red pixels in %d of %d frames\n", kind_name[k], red[k].pixels, red[k].frames,
                      red[k].cameras);
        frames += red[k].frames;
    }
    assert_true(frames > 0);
    ground_clear(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_morphs_as_the_twin_does_to_the_bit),
        cmocka_unit_test(the_picture_is_that_of_the_twins_triangles),
        cmocka_unit_test(paint_is_where_it_was_put),
        cmocka_unit_test(the_edges_of_triangles_do_not_show),
        cmocka_unit_test(the_arch_casts_a_shadow_and_the_cave_is_dark),
        cmocka_unit_test(what_is_not_needed_gives_way_and_comes_again),
        cmocka_unit_test(no_red_shows_in_the_cave_and_under_the_arch),
        cmocka_unit_test(sides_without_their_own_level_show_red),
    };
    if (getenv("KARST_TEST_FILTER")) cmocka_set_test_filter(getenv("KARST_TEST_FILTER"));
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
