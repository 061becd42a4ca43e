// SPDX-License-Identifier: MIT
// Cracks: whatever method chooses, wherever the eyes are and whatever is missing, the triangles of a frame join: welded
// by exact position, every edge but the outline's meets its opposite.
//
// KARST_TEST_FRAMES=1000000 KARST_TEST_FILTER='every_edge*' lod.test_cracks: a million frames, an hour or so of one
// core for each method; KARST_PROP_FROM shares it out.
#include "weld.h"
#include "world.h"

enum { ROUGH, STRIP, SMALL, WORLDS };
static world worlds[WORLDS];
static karst_scene *tight[WORLDS];  // with too few slots

static int setup(void **state) {
    (void)state;
    worlds[ROUGH] = world_make("rough.kpack", 205, 150, 2, 5, true, true, (karst_pos){1e6, 20, -1e6});
    worlds[STRIP] = world_make("strip.kpack", 1100, 34, 2, 6, true, false, (karst_pos){-5e5, 0, 7});
    worlds[SMALL] = world_make("small.kpack", 90, 18, 3, 7, true, true, (karst_pos){1e5, -3, 1e4});
    karst_scene_def def = karst_scene_def_default();
    def.slot_count = 16;
    for (int k = 0; k < WORLDS; ++k) assert_int_equal(karst_scene_create(worlds[k].pack, &def, &tight[k]), KARST_OK);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (int k = 0; k < WORLDS; ++k) {
        karst_scene_destroy(tight[k]);
        world_free(&worlds[k]);
    }
    temp_remove();
    return 0;
}

// Levels drawn on either side of each border between patches.
enum { PLACES_X = 80, PLACES_Z = 16, LEVELS = 12 };
typedef struct tally {
    int64_t frames, edges, open, folded, awaited;
    int64_t pair[LEVELS][LEVELS];
} tally;

static void count_pairs(const karst_frame *f, tally *t) {
    int8_t at[PLACES_Z][PLACES_X];
    memset(at, -1, sizeof at);
    for (int k = 0; k < f->patch_count; ++k) {
        const karst_patch *p = &f->patches[k];
        const karst_frame_chunk *c = &f->chunks[p->chunk_index];
        const float *l = p->corner_level;
        int level = c->level + (int)fminf(fminf(l[0], l[1]), fminf(l[2], l[3])), side = 1 << c->level;
        int x0 = c->column / KARST_PATCH_CELLS + p->patch_x * side, z0 = c->row / KARST_PATCH_CELLS + p->patch_z * side;
        for (int z = z0; z < z0 + side && z < PLACES_Z; ++z)
            for (int x = x0; x < x0 + side && x < PLACES_X; ++x) at[z][x] = (int8_t)level;
    }
    for (int z = 0; z < PLACES_Z; ++z)
        for (int x = 0; x < PLACES_X; ++x)
            for (int way = 0; way < 2; ++way) {
                int x1 = x + !way, z1 = z + way;
                if (x1 == PLACES_X || z1 == PLACES_Z || at[z][x] < 0 || at[z1][x1] < 0) continue;
                int a = at[z][x], b = at[z1][x1];
                ++t->pair[a < b ? a : b][a < b ? b : a];
            }
}

// A frame of up to three eyes, at times with most chunks still missing.
static karst_frame any_frame(prop *p, karst_method method, const world **at, karst_scene **scene) {
    int which = prop_chance(p, 0.97) ? SMALL : prop_int(p, ROUGH, STRIP);
    bool short_of = which != SMALL && prop_chance(p, 0.4);
    *at = &worlds[which];
    *scene = short_of ? tight[which] : worlds[which].scene;
    karst_view v[3] = {world_view(p, *at), world_view(p, *at), world_view(p, *at)};
    int views = prop_chance(p, 0.8) ? 1 : prop_int(p, 2, 3);
    karst_budget b = world_budget(method);
    b.cull = false;
    b.error_px = (float)exp(prop_real(p, 3, 9));
    b.load_limit = prop_int(p, 1, 6);
    karst_frame f;
    karst_status status =
        short_of ? karst_scene_update(*scene, v, views, &b, &f) : karst_scene_settle(*scene, v, views, &b, &f);
    prop_check(p, !status);
    return f;
}

// The triangles of all patches that reach into the field.
static karst_drawn_vertex *expand_inside(const karst_frame *f, const karst_scene *scene, karst_field_shape shape,
                                         int *count) {
    karst_drawn_vertex *out = malloc(sizeof *out * 3 * KARST_PATCH_MAX_TRIANGLES * (size_t)(f->patch_count + 1));
    *count = 0;
    for (int k = 0; k < f->patch_count; ++k) {
        const karst_frame_chunk *c = &f->chunks[f->patches[k].chunk_index];
        int side = KARST_PATCH_CELLS << c->level;
        if (c->column + f->patches[k].patch_x * side >= shape.columns - 1 ||
            c->row + f->patches[k].patch_z * side >= shape.rows - 1)
            continue;
        *count += karst_frame_expand(f, scene, k, out + 3 * *count);
    }
    return out;
}

static void check_closed(prop *p, karst_method method, weld *w, tally *t) {
    const world *at;
    karst_scene *scene;
    karst_frame f = any_frame(p, method, &at, &scene);
    int n;
    karst_drawn_vertex *drawn = expand_inside(&f, scene, at->info.lattice.shape, &n);
    weld_result r = weld_check(w, drawn, n, at->info.lattice.shape);
    free(drawn);
    ++t->frames;
    t->edges += r.edges;
    t->open += r.open;
    t->folded += r.folded;
    t->awaited += f.figures.chunks_awaited > 0;
    count_pairs(&f, t);
    prop_check(p, f.method == method);
    prop_check(p, r.open == 0);
}

static void every_edge_meets_its_opposite(void **state) {
    karst_method method = world_method(state);
    weld w = weld_create();
    tally t = {0};
    for (prop p = prop_begin("cracks", world_frames(300, 3000)); prop_next(&p);) check_closed(&p, method, &w, &t);
    print_message("%s: %lld frames (%lld with chunks missing), %lld edges, %lld open, %lld folded; levels that met:",
                  karst_method_name(method), (long long)t.frames, (long long)t.awaited, (long long)t.edges,
                  (long long)t.open, (long long)t.folded);
    for (int a = 0; a < LEVELS; ++a)
        for (int b = a; b < LEVELS; ++b)
            if (t.pair[a][b]) print_message(" %d-%d", a, b);
    print_message("\n");
    for (int a = 0; a < worlds[STRIP].info.level_count - 1 && world_many(); ++a) assert_true(t.pair[a][a + 1] > 0);
    assert_true(t.edges > 0 && (t.awaited > 0 || !world_many()));
    weld_destroy(&w);
}

// Control: let each patch own the levels of its edges, and thousands are open.
static void a_patch_owning_its_edges_leaves_them_open(void **state) {
    karst_method method = world_method(state);
    weld w = weld_create();
    int64_t open = 0;
    for (prop p = prop_begin("cracks", 200); prop_next(&p);) {
        const world *at;
        karst_scene *scene;
        karst_frame f = any_frame(&p, method, &at, &scene);
        size_t bytes = sizeof(karst_patch) * (size_t)f.patch_count;
        karst_patch *patches = malloc(bytes);
        memcpy(patches, f.patches, bytes);
        for (int k = 0; k < f.patch_count; ++k) {
            float *l = patches[k].corner_level, least = fminf(fminf(l[0], l[1]), fminf(l[2], l[3]));
            l[0] = l[1] = l[2] = l[3] = least;
        }
        f.patches = patches;
        int n;
        karst_drawn_vertex *drawn = expand_inside(&f, scene, at->info.lattice.shape, &n);
        open += weld_check(&w, drawn, n, at->info.lattice.shape).open;
        free(drawn);
        free(patches);
    }
    print_message("control, %s: %lld open\n", karst_method_name(method), (long long)open);
    assert_true(open > (world_many() ? 1000 : 0));
    weld_destroy(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        EVERY_METHOD(every_edge_meets_its_opposite),
        EVERY_METHOD(a_patch_owning_its_edges_leaves_them_open),
    };
    if (getenv("KARST_TEST_FILTER")) cmocka_set_test_filter(getenv("KARST_TEST_FILTER"));
    return cmocka_run_group_tests(tests, setup, teardown);
}
