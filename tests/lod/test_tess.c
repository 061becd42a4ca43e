// SPDX-License-Identifier: MIT
// Method tess: corners that share an edge differ by one level at most, so no triangle is a sliver.
#include "world.h"

static world displaced, tall;

static int setup(void **state) {
    (void)state;
    displaced = world_make("displaced.kpack", 500, 470, 2, 6, true, false, (karst_pos){-5e5, 0, 7});
    tall = world_make("tall.kpack", 1025, 1025, 4, 9, false, false, (karst_pos){0, 0, 0});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    world_free(&displaced);
    world_free(&tall);
    temp_remove();
    return 0;
}

typedef struct shapes {
    double worst_step, worst_aspect;  // levels between corners of an edge; longest side over its height
    int64_t triangles, slivers;       // slivers: worse than half of a square
    int chunk_step;                   // most levels between chunks that touch
    int64_t unequal;                  // pairs of chunks of different levels that touch
} shapes;

static void measure_steps(const karst_frame *f, shapes *s) {
    for (int k = 0; k < f->patch_count; ++k)
        for (int c = 0; c < 4; ++c) {
            const float *l = f->patches[k].corner_level;
            s->worst_step = fmax(s->worst_step, fabs((double)l[c] - (double)l[(c + 1) % 4]));
        }
}

static bool touch(const karst_frame_chunk *a, const karst_frame_chunk *b) {
    int aw = KARST_CHUNK_CELLS << a->level, bw = KARST_CHUNK_CELLS << b->level;
    return a->column <= b->column + bw && b->column <= a->column + aw && a->row <= b->row + bw && b->row <= a->row + aw;
}

static void measure_chunks(const karst_frame *f, shapes *s) {
    for (int a = 0; a < f->chunk_count; ++a)
        for (int b = 0; b < a; ++b) {
            int step = abs(f->chunks[a].level - f->chunks[b].level);
            if (!step || !touch(&f->chunks[a], &f->chunks[b])) continue;
            ++s->unequal;
            if (step > s->chunk_step) s->chunk_step = step;
        }
}

// On the lattice, where an undisturbed triangle is half of a square: longest side over height 2.
static void measure_aspects(const world *w, const karst_frame *f, shapes *s) {
    int count;
    karst_drawn_vertex *t = scene_expand(f, w->scene, &count);
    for (int k = 0; k < count; ++k) {
        const karst_drawn_vertex *v = t + 3 * k;
        double longest = 0;
        for (int c = 0; c < 3; ++c) {
            double x = (double)v[c].column - v[(c + 1) % 3].column, z = (double)v[c].row - v[(c + 1) % 3].row;
            longest = fmax(longest, x * x + z * z);
        }
        double twice = ((double)v[1].column - v[0].column) * ((double)v[2].row - v[0].row) -
                       ((double)v[2].column - v[0].column) * ((double)v[1].row - v[0].row);
        double aspect = longest / fabs(twice);
        s->worst_aspect = fmax(s->worst_aspect, aspect);
        s->slivers += aspect > 2.001;
    }
    s->triangles += count;
    free(t);
}

static shapes measure(const world *w, const char *name, karst_method method, int load_limit) {
    shapes s = {0};
    for (prop p = prop_begin(name, world_frames(8, 24)); prop_next(&p);) {
        karst_view v = world_view(&p, w);
        karst_budget b = karst_budget_default();
        b.method = method;
        b.cull = false;
        b.error_px = (float)exp(prop_real(&p, 1, 6));
        b.load_limit = load_limit;
        karst_frame f;
        assert_int_equal(karst_scene_update(w->scene, &v, 1, &b, &f), KARST_OK);
        prop_check(&p, f.method == method && f.figures.worst_error_px <= b.error_px * (load_limit > 64 ? 1 : INFINITY));
        if (method == KARST_METHOD_TESS) prop_check(&p, f.figures.draws == 1);
        measure_steps(&f, &s);
        measure_chunks(&f, &s);
        measure_aspects(w, &f, &s);
    }
    print_message(
        "%s, %s: corners differ by %.3f levels at most, longest side over height %.3f; %lld of %lld triangles "
        "worse than half a square; chunks by %d levels, %lld unequal pairs\n",
        name, karst_method_name(method), s.worst_step, s.worst_aspect, (long long)s.slivers, (long long)s.triangles,
        s.chunk_step, (long long)s.unequal);
    return s;
}

static void no_step_is_more_than_a_level_and_no_triangle_a_sliver(void **state) {
    (void)state;
    const world *worlds[2] = {&tall, &displaced};
    for (int k = 0; k < 2; ++k) {
        const char *name = k ? "displaced" : "heights";
        shapes tess = measure(worlds[k], name, KARST_METHOD_TESS, INT32_MAX);
        assert_true(tess.worst_step <= 1 + 1e-5);
        assert_int_equal(tess.slivers, 0);
        assert_true(tess.chunk_step <= 1);
        shapes grid = measure(worlds[k], name, KARST_METHOD_GRID, INT32_MAX);  // control
        if (getenv("KARST_TEST_QUICK")) continue;                              // too few cameras to meet everything
        assert_true(tess.unequal > 100);
        assert_true(grid.worst_step > 1.5 && grid.slivers > 100 && grid.worst_aspect > 3.9);
    }
}

// With chunks that have not come yet the same holds.
static void a_tight_budget_keeps_the_steps(void **state) {
    (void)state;
    karst_scene_def def = karst_scene_def_default();
    def.slot_count = 40;
    world w = tall;
    assert_int_equal(karst_scene_create(tall.pack, &def, &w.scene), KARST_OK);
    shapes tess = measure(&w, "tight", KARST_METHOD_TESS, 9);
    karst_scene_destroy(w.scene);
    assert_true(tess.worst_step <= 1 + 1e-5 && tess.slivers == 0 && tess.chunk_step <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_is_more_than_a_level_and_no_triangle_a_sliver),
        cmocka_unit_test(a_tight_budget_keeps_the_steps),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
