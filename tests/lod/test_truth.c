// SPDX-License-Identifier: MIT
// The promise in pixels, and calm: no sample is drawn further from its place than told, and nothing pops.
#include "world.h"

static world displaced, tall;

static int setup(void **state) {
    (void)state;
    displaced = world_make("displaced.kpack", 333, 270, 2, 5, true, true, (karst_pos){1e6, 20, -1e6});
    tall = world_make("tall.kpack", 513, 513, 4, 9, false, false, (karst_pos){0, 0, 0});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    world_free(&displaced);
    world_free(&tall);
    temp_remove();
    return 0;
}

typedef struct truth {
    double worst_px;
    int64_t samples, over, unseen;
} truth;

// lie: the promise is told this many times smaller than what was asked of the scene, as a control.
static void measure(const world *w, prop *p, float error_px, float lie, truth *out) {
    const karst_field_shape s = w->info.lattice.shape;
    const double qy = w->info.lattice.step_y_m, q = w->info.lattice.step_xz_m;
    size_t count = (size_t)s.columns * (size_t)s.rows;
    karst_view v = world_view(p, w);
    karst_budget b = karst_budget_default();
    b.cull = false;
    b.error_px = error_px * lie;
    karst_frame f;
    prop_check(p, !karst_scene_settle(w->scene, &v, 1, &b, &f));
    double reported = (double)f.figures.worst_error_px / lie;
    prop_check(p, reported <= error_px * 1.00001);
    int n;
    karst_drawn_vertex *t = world_expand(w, &f, &n);
    karst_vec3 *drawn = malloc(count * sizeof *drawn);
    uint8_t *seen = calloc(count, 1);
    world_rasterise(t, n, s.columns, s.rows, drawn, seen);
    float *y = malloc(3 * count * sizeof *y), *x = y + count, *z = x + count;
    prop_check(p, !karst_field_read(w->field, (karst_rect){0, 0, s.columns, s.rows}, y, x, z, s.columns));
    for (size_t k = 0; k < count; ++k) {
        if (!seen[k]) {
            ++out->unseen;
            continue;
        }
        int i = (int)(k % (size_t)s.columns), j = (int)(k / (size_t)s.columns);
        karst_pos place = {s.origin.x + i * s.spacing_m + q * round(x[k] / q), s.origin.y + qy * round(y[k] / qy),
                           s.origin.z + j * s.spacing_m + q * round(z[k] / q)};
        karst_pos at = {f.origin.x + drawn[k].x, f.origin.y + drawn[k].y, f.origin.z + drawn[k].z};
        double ax, ay, bx, by, d1, d2;
        if (!karst_view_project(&v, place, &ax, &ay, &d1) || !karst_view_project(&v, at, &bx, &by, &d2)) continue;
        if (ax < 0 || ay < 0 || ax > v.width || ay > v.height) continue;
        double px = hypot(ax - bx, ay - by);
        ++out->samples;
        out->over += px > reported + 0.01;  // float rounding of the drawn place
        if (px > out->worst_px) out->worst_px = px;
    }
    free(t);
    free(drawn);
    free(seen);
    free(y);
}

static void no_sample_is_further_off_than_told(void **state) {
    (void)state;
    truth h = {0}, d = {0}, control = {0};
    for (prop p = prop_begin("truth", world_frames(8, 200)); prop_next(&p);) measure(&tall, &p, 1, 1, &h);
    for (prop p = prop_begin("truth_displaced", world_frames(8, 100)); prop_next(&p);)
        measure(&displaced, &p, 4, 1, &d);
    for (prop p = prop_begin("truth", world_frames(8, 20)); prop_next(&p);) measure(&tall, &p, 1, 8, &control);
    print_message(
        "truth: heights, 1 px asked: worst %.3f px, %lld samples, %lld over; displaced, 4 px asked: worst "
        "%.3f px, %lld samples, %lld over; control: %lld over\n",
        h.worst_px, (long long)h.samples, (long long)h.over, d.worst_px, (long long)d.samples, (long long)d.over,
        (long long)control.over);
    assert_true(h.samples > 100000 && d.samples > 10000);
    assert_int_equal(h.unseen, 0);
    assert_int_equal(h.over + d.over, 0);
    assert_true(control.over > 0);
}

// The drawn surface at every field vertex, relative to the ground's origin.
static karst_pos *surface_of(const world *w, const karst_frame *f, uint8_t *seen) {
    const karst_field_shape s = w->info.lattice.shape;
    size_t count = (size_t)s.columns * (size_t)s.rows;
    int n;
    karst_drawn_vertex *t = world_expand(w, f, &n);
    karst_vec3 *drawn = malloc(count * sizeof *drawn);
    memset(seen, 0, count);
    world_rasterise(t, n, s.columns, s.rows, drawn, seen);
    free(t);
    karst_pos *out = malloc(count * sizeof *out);
    for (size_t k = 0; k < count; ++k)
        out[k] = (karst_pos){f->origin.x - s.origin.x + drawn[k].x, f->origin.y - s.origin.y + drawn[k].y,
                             f->origin.z - s.origin.z + drawn[k].z};
    free(drawn);
    return out;
}

typedef struct walk {
    double worst_px, moved;
    int level_changes;  // steps at which the set of chunks changed
} walk;

// A walk of 1 cm steps: how far the drawn surface moves in one, in pixels, at worst. drop: the control, which rounds
// every level down, so that vertices jump.
static void take_walk(const world *w, int number, int steps, float error_px, bool drop, walk *out) {
    const karst_field_shape s = w->info.lattice.shape;
    size_t count = (size_t)s.columns * (size_t)s.rows;
    uint8_t *seen = malloc(count);
    karst_pos *before = NULL;
    int chunks = -1;
    prop p = prop_begin("walk", number + 1);
    p.at = number;
    karst_box box = w->info.bounds;
    karst_pos eye = {prop_real(&p, box.min.x, box.max.x), 0, prop_real(&p, box.min.z, box.max.z)};
    double ground, heading = prop_real(&p, 0, 6.28), lift = prop_real(&p, -0.5, 0.5);
    eye.y = (karst_scene_height(w->scene, eye.x, eye.z, &ground) ? ground : box.max.y) + prop_real(&p, 2, 120);
    for (int k = 0; k < steps; ++k) {
        karst_pos look = {eye.x + cos(heading), eye.y - 0.3, eye.z + sin(heading)};
        karst_view v = karst_view_perspective(eye, look, (karst_vec3){0, 1, 0}, 1.0f, 1920, 1080);
        karst_budget b = karst_budget_default();
        b.cull = false;
        b.error_px = error_px;
        karst_frame f;
        assert_int_equal(karst_scene_settle(w->scene, &v, 1, &b, &f), KARST_OK);
        karst_patch *patches = malloc(sizeof *patches * (size_t)f.patch_count);
        memcpy(patches, f.patches, sizeof *patches * (size_t)f.patch_count);
        for (int q = 0; drop && q < f.patch_count; ++q)
            for (int c = 0; c < 4; ++c) patches[q].corner_level[c] = floorf(patches[q].corner_level[c]);
        f.patches = patches;
        karst_pos *now = surface_of(w, &f, seen);
        free(patches);
        out->level_changes += chunks >= 0 && chunks != f.chunk_count;
        chunks = f.chunk_count;
        double slope = karst_view_error_slope(&v, 1);
        for (size_t i = 0; before && i < count; ++i) {
            if (!seen[i]) continue;
            double dx = now[i].x - before[i].x, dy = now[i].y - before[i].y, dz = now[i].z - before[i].z;
            double rx = now[i].x + s.origin.x - eye.x, ry = now[i].y + s.origin.y - eye.y,
                   rz = now[i].z + s.origin.z - eye.z;
            double px = sqrt(dx * dx + dy * dy + dz * dz) / (sqrt(rx * rx + ry * ry + rz * rz) * slope);
            out->moved += px > 0.001;
            if (px > out->worst_px) out->worst_px = px;
        }
        free(before);
        before = now;
        eye.x += 0.01 * cos(heading) * cos(lift);
        eye.z += 0.01 * sin(heading) * cos(lift);
        eye.y += 0.01 * sin(lift);
    }
    free(before);
    free(seen);
}

// A step's bound: between two whole levels the eye moves at least a fifth of the distance at which the coarser is
// allowed (levels grow by a quarter or more in error; the pinch frees a level in an eighth), and the surface by no more
// than the error allowed there. With the nearest morphs metres away, a centimetre is a small share of a pixel.
static void nothing_pops(void **state) {
    (void)state;
    walk calm = {0}, control = {0};
    int walks = world_frames(1, 4), steps = world_frames(30, 250);
    for (int k = 0; k < walks; ++k) {
        take_walk(&tall, k, steps, k & 1 ? 1 : 4, false, &calm);
        take_walk(&displaced, 100 + k, steps, k & 1 ? 2 : 8, false, &calm);
    }
    for (int k = 0; k < walks; ++k) take_walk(&tall, k, steps, k & 1 ? 1 : 4, true, &control);
    print_message("pops: %d steps of 1 cm, %d with other chunks: worst move %.4f px a step; control %.2f px\n",
                  2 * walks * steps, calm.level_changes, calm.worst_px, control.worst_px);
    assert_true(calm.moved > 0);
    assert_true(calm.worst_px < 0.25);
    assert_true(control.worst_px > 4 * calm.worst_px);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_sample_is_further_off_than_told),
                                       cmocka_unit_test(nothing_pops)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
