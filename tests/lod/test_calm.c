// SPDX-License-Identifier: MIT
// Calm: nothing pops, wherever the eye goes and whatever chunks and patches are drawn.
#include "karst/governor.h"
#include "world.h"

static world displaced, strip;

static int setup(void **state) {
    (void)state;
    displaced = world_make("displaced.kpack", 333, 270, 2, 5, true, true, (karst_pos){1e6, 20, -1e6});
    strip = world_make("strip.kpack", 900, 66, 2, 6, true, false, (karst_pos){-5e5, 0, 7});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    world_free(&displaced);
    world_free(&strip);
    temp_remove();
    return 0;
}

// The drawn surface at every field vertex, relative to the ground's origin.
static karst_pos *surface_of(const world *w, const karst_frame *f, uint8_t *seen) {
    const karst_field_shape s = w->info.lattice.shape;
    size_t count = (size_t)s.columns * (size_t)s.rows;
    int n;
    karst_drawn_vertex *t = scene_expand(f, w->scene, &n);
    karst_vec3 *drawn = malloc(count * sizeof *drawn);
    memset(seen, 0, count);
    scene_drawn_places(t, n, s.columns, s.rows, drawn, seen);
    free(t);
    karst_pos *out = malloc(count * sizeof *out);
    for (size_t k = 0; k < count; ++k)
        out[k] = (karst_pos){f->origin.x - s.origin.x + drawn[k].x, f->origin.y - s.origin.y + drawn[k].y,
                             f->origin.z - s.origin.z + drawn[k].z};
    free(drawn);
    return out;
}

typedef struct walk {
    const world *at;
    karst_method method;
    karst_pos start, heading;  // heading: unit
    float error_px;
} walk;

static walk any_walk(prop *p, const world *w, karst_method method, float error_px) {
    karst_box box = w->info.bounds;
    walk k = {.at = w, .method = method, .error_px = error_px};
    double ground, turn = prop_real(p, 0, 6.2831853), lift = prop_real(p, -0.4, 0.4);
    k.start = (karst_pos){prop_real(p, box.min.x, box.max.x), 0, prop_real(p, box.min.z, box.max.z)};
    bool over = karst_scene_height(w->scene, k.start.x, k.start.z, &ground);
    k.start.y = (over ? ground : box.max.y) + prop_real(p, 2, 120);
    k.heading = (karst_pos){cos(turn) * cos(lift), sin(lift), sin(turn) * cos(lift)};
    return k;
}

static karst_view view_at(const walk *k, double s_m) {
    karst_pos e = {k->start.x + s_m * k->heading.x, k->start.y + s_m * k->heading.y, k->start.z + s_m * k->heading.z};
    karst_pos look = {e.x + k->heading.x, e.y - 0.3, e.z + k->heading.z};
    return karst_view_perspective(e, look, (karst_vec3){0, 1, 0}, 1.0f, 1920, 1080);
}

static karst_frame frame_at(const walk *k, double s_m) {
    karst_view v = view_at(k, s_m);
    karst_budget b = karst_budget_default();
    b.cull = false;
    b.method = k->method;
    b.error_px = k->error_px;
    karst_frame f;
    assert_int_equal(karst_scene_settle(k->at->scene, &v, 1, &b, &f), KARST_OK);
    return f;
}

// The surface drawn at s_m. drop: the control, which rounds every level down, so that vertices jump.
static karst_pos *walked_surface(const walk *k, double s_m, bool drop, uint8_t *seen) {
    karst_frame f = frame_at(k, s_m);
    karst_patch *patches = malloc(sizeof *patches * (size_t)f.patch_count);
    memcpy(patches, f.patches, sizeof *patches * (size_t)f.patch_count);
    for (int q = 0; drop && q < f.patch_count; ++q)
        for (int c = 0; c < 4; ++c) patches[q].corner_level[c] = floorf(patches[q].corner_level[c]);
    f.patches = patches;
    karst_pos *surface = surface_of(k->at, &f, seen);
    free(patches);
    return surface;
}

// Most that the surface moves between two places on the walk, as share of the error asked for.
static double worst_move(const walk *k, const karst_pos *before, const karst_pos *now, double s_m, const uint8_t *seen,
                         int64_t *moved) {
    const karst_field_shape s = k->at->info.lattice.shape;
    karst_view v = view_at(k, s_m);
    double slope = karst_view_error_slope(&v, k->error_px), worst = 0;
    for (size_t i = 0; i < (size_t)s.columns * (size_t)s.rows; ++i) {
        if (!seen[i]) continue;
        double dx = now[i].x - before[i].x, dy = now[i].y - before[i].y, dz = now[i].z - before[i].z;
        double rx = now[i].x + s.origin.x - v.eye.x, ry = now[i].y + s.origin.y - v.eye.y,
               rz = now[i].z + s.origin.z - v.eye.z;
        double share = sqrt(dx * dx + dy * dy + dz * dz) / (sqrt(rx * rx + ry * ry + rz * rz) * slope);
        *moved += share > 1e-5;
        worst = fmax(worst, share);
    }
    return worst;
}

static double take_walk(const walk *k, int steps, double step_m, bool drop, int64_t *moved) {
    const karst_field_shape s = k->at->info.lattice.shape;
    uint8_t *seen = malloc((size_t)s.columns * (size_t)s.rows);
    karst_pos *before = walked_surface(k, 0, drop, seen);
    double worst = 0;
    for (int n = 1; n <= steps; ++n) {
        karst_pos *now = walked_surface(k, step_m * n, drop, seen);
        worst = fmax(worst, worst_move(k, before, now, step_m * n, seen, moved));
        free(before);
        before = now;
    }
    free(before);
    free(seen);
    return worst;
}

// Which patches are drawn, whatever their levels.
static uint64_t patches_at(const walk *k, double s_m) {
    karst_frame f = frame_at(k, s_m);
    uint64_t sum = 0;
    for (int q = 0; q < f.patch_count; ++q) {
        const karst_patch *p = &f.patches[q];
        const karst_frame_chunk *c = &f.chunks[p->chunk_index];
        uint64_t place = (uint64_t)c->level << 56 | (uint64_t)c->column << 28 | (uint64_t)c->row;
        sum += kst_hash_u64(place, (uint64_t)p->patch_z << 8 | p->patch_x);
    }
    return sum;
}

// The first step of 1 cm on a walk of `length_m` at which other patches are drawn, by bisection; false if there is
// none.
static bool find_switch(const walk *k, double length_m, double *from_m) {
    uint64_t first = patches_at(k, 0);
    for (double s = 1; s <= length_m; s += 1) {
        if (patches_at(k, s) == first) continue;
        int low = 0, high = 100;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (patches_at(k, s - 1 + 0.01 * middle) == first)
                low = middle;
            else
                high = middle;
        }
        *from_m = s - 1 + 0.01 * low;
        return true;
    }
    return false;
}

typedef struct calm {
    double walked, switched, control;  // worst moves
    int64_t moved;
    int steps, switches;
} calm;

static const double seen_enough = 0.2;  // of the control, ten times the bound: no more walks of it are needed

static void walk_on(karst_method m, calm *c) {
    int64_t unused = 0;
    int steps = world_frames(30, 100);
    for (prop p = prop_begin("walk", world_frames(2, 5)); prop_next(&p);) {
        walk k = any_walk(&p, &strip, m, prop_chance(&p, 0.5) ? 100 : 30);
        c->walked = fmax(c->walked, take_walk(&k, steps, 0.01, false, &c->moved));
        if (c->control < seen_enough) c->control = fmax(c->control, take_walk(&k, 20, 0.5, true, &unused));
        c->steps += steps;
    }
}

static void walk_over_switches(karst_method m, calm *c) {
    for (prop p = prop_begin("walk_switch", world_frames(6, 20)); prop_next(&p);) {
        const world *w = prop_chance(&p, 0.3) ? &displaced : &strip;
        walk k = any_walk(&p, w, m, (float)exp(prop_real(&p, 3, 6)));
        double from;
        if (!find_switch(&k, 60, &from)) continue;
        ++c->switches;
        k.start.x += from * k.heading.x;
        k.start.y += from * k.heading.y;
        k.start.z += from * k.heading.z;
        double move = take_walk(&k, 1, 0.01, false, &c->moved);
        c->switched = fmax(c->switched, move);
        prop_check(&p, move < 0.02);
    }
}

// A step's bound. grid: between two whole levels the eye moves at least an eighth of the distance at which the coarser
// is allowed (the pinch; levels of their own grow by a quarter or more in error), and meanwhile the surface moves by no
// more than the error allowed there. So a step of 1 cm at distance d moves a vertex by at most 8 * 0.01 / d of the
// allowed error; with morphs metres away that is a fiftieth. rings: between two levels lies at least half the side of a
// patch, and an eye that rises draws the rings together at most 3.8 times as fast. Where other patches are drawn
// nothing else may happen either.
static void nothing_pops(void **state) {
    karst_method m = world_method(state);
    calm c = {0};
    walk_on(m, &c);
    walk_over_switches(m, &c);
    print_message(
        "%s: %d steps of 1 cm, worst move %.5f of the allowed error a step; over %d switches of patches %.5f; control "
        "%.2f\n",
        karst_method_name(m), c.steps, c.walked, c.switches, c.switched, c.control);
    assert_true(c.moved > 0 && (getenv("KARST_TEST_QUICK") || c.switches > 2));
    assert_true(c.walked < 0.02);
    assert_true(c.control > 10 * c.walked || getenv("KARST_TEST_QUICK"));  // the control needs its whole walk
}

// Most that the surface moves in a frame, as share of the error, while that slides from 60 px to 20 by a factor.
static double slide_error(walk k, float factor, int64_t *moved) {
    const karst_field_shape s = k.at->info.lattice.shape;
    uint8_t *seen = malloc((size_t)s.columns * (size_t)s.rows);
    double worst = 0;
    k.error_px = 60;
    karst_pos *before = walked_surface(&k, 0, false, seen);
    while (k.error_px > 20) {
        k.error_px /= factor;
        karst_pos *now = walked_surface(&k, 0, false, seen);
        worst = fmax(worst, worst_move(&k, before, now, 0, seen, moved));
        free(before);
        before = now;
    }
    free(before);
    free(seen);
    return worst;
}

// The governor lets an error go by karst_governed_ground.most_step a frame. A chunk that splits takes all it covers
// through a level while the error goes by an eighth: there a step of a twentieth moves half of the error. The control
// leaps to half the error, as a budget without that limit may.
static void an_error_that_slides_pops_nothing(void **state) {
    karst_method m = world_method(state);
    double slid = 0, leapt = 0;
    int64_t moved = 0;
    for (prop p = prop_begin("slide_error", world_frames(1, 2)); prop_next(&p);) {
        walk k = any_walk(&p, &displaced, m, 60);
        slid = fmax(slid, slide_error(k, karst_governed_ground_default().most_step, &moved));
        leapt = fmax(leapt, slide_error(k, 2, &moved));
    }
    print_message("%s: an error that slides moves %.3f of it a frame, one that leaps %.3f\n", karst_method_name(m),
                  slid, leapt);
    assert_true(moved > 0 && slid < 0.6);
    assert_true(leapt > 1.4 * slid);
}

int main(void) {
    const struct CMUnitTest tests[] = {EVERY_METHOD(nothing_pops), EVERY_METHOD(an_error_that_slides_pops_nothing)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
