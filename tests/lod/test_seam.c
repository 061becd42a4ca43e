// SPDX-License-Identifier: MIT
// A net in place of a part of a field: what both scenes draw meets without a crack, and nothing pops.
#include "seamworld.h"
#include "weld.h"
#include "zonedrawn.h"

static seam_world *smooth, *moved;  // heights alone; displaced, with a net that is displaced too

static int setup(void **state) {
    (void)state;
    smooth = seam_make("smooth.kpack", &(seam_def){2, {60, 60, 200, 220}, false, 0, 0});
    moved = seam_make("moved.kpack", &(seam_def){3, {95, 16, 230, 200}, true, 12, 0});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    seam_free(smooth);
    seam_free(moved);
    temp_remove();
    return 0;
}

// ---- a frame of both -------------------------------------------------------------------------------

typedef struct look {
    karst_view views[3];
    int view_count;
    karst_budget field;
    karst_zone_budget net;
} look;

typedef struct both {
    karst_frame field;
    karst_zone_frame net;
} both;

// A corner of a seam, anywhere on it, in the middle of the net or out in the field; near, or up to 20 km away.
static karst_pos any_eye(prop *p, const seam_world *w) {
    const karst_pack_seam *s = &w->seams[prop_int(p, 0, w->seam_count - 1)];
    double column = s->column, row = s->row, y;
    int kind = prop_int(p, 0, 3);
    if (kind == 1) column += prop_real(p, -16, 16), row += prop_real(p, -16, 16);
    if (kind == 2) column = prop_real(p, 0, SEAM_COLUMNS), row = prop_real(p, 0, SEAM_ROWS);
    karst_pos eye = {seam_origin.x + column * w->spacing_m, 0, seam_origin.z + row * w->spacing_m};
    eye.y = karst_scene_height(w->scene, eye.x, eye.z, &y) ? y : seam_origin.y;
    double away = exp(prop_real(p, -1, 10)), turn = prop_real(p, 0, 6.2831853), lift = prop_real(p, 0, 1.5);
    if (kind == 3) eye.x += away * cos(turn) * cos(lift), eye.z += away * sin(turn) * cos(lift);
    eye.y += kind == 3 ? away * sin(lift) : prop_chance(p, 0.1) ? 0 : exp(prop_real(p, -2, 6));
    return eye;
}

static look any_look(prop *p, const seam_world *w) {
    look l = {.field = karst_budget_default(), .net = karst_zone_budget_default()};
    l.view_count = prop_chance(p, 0.2) ? prop_int(p, 2, 3) : 1;
    for (int v = 0; v < l.view_count; ++v) {
        karst_pos eye = any_eye(p, w), to = {eye.x + prop_real(p, -1, 1), eye.y - 0.4, eye.z + prop_real(p, -1, 1)};
        l.views[v] = karst_view_perspective(eye, to, (karst_vec3){0, 1, 0}, (float)prop_real(p, 0.3, 1.6), 1920, 1080);
    }
    l.field.cull = l.net.cull = false;
    l.field.method = (karst_method)prop_int(p, 0, KARST_METHOD_COUNT - 1);
    l.field.error_px = (float)exp(prop_real(p, -1, 4));
    l.field.full_detail = prop_chance(p, 0.1);
    l.net.method = (karst_zone_method)prop_int(p, 0, KARST_ZONE_METHOD_COUNT - 1);
    l.net.threshold = (float)exp2(-prop_real(p, 5, 16));
    l.net.tile_m = (float)prop_real(p, 0, 60);
    l.net.tile_fade_m = (float)exp(prop_real(p, 0, 5));
    return l;
}

// forget: budgets that the seam is not handed to: 1 the field's, 2 the net's.
static both see(const seam_world *w, const look *l, int forget) {
    both b;
    karst_budget field = l->field;
    karst_zone_budget net = l->net;
    karst_seam_update(w->seam, l->views, l->view_count, &field, &net);
    field.seam = forget & 1 ? NULL : w->seam;
    net.seam = forget & 2 ? NULL : w->seam;
    assert_int_equal(karst_scene_settle(w->scene, l->views, l->view_count, &field, &b.field), KARST_OK);
    karst_zone_scene_update(w->net_scene, l->views, l->view_count, &net, &b.net);
    if (!forget) assert_memory_equal(&b.field.origin, &b.net.origin, sizeof b.field.origin);
    return b;
}

// ---- welded ----------------------------------------------------------------------------------------

typedef struct mesh {
    karst_drawn_vertex *v;
    int field, net;  // triangles: the field's come first
} mesh;

// All triangles of both; those of the net lie inside the outline.
static mesh expand(const seam_world *w, const both *b) {
    static karst_zone_vertex v[3 * KARST_ZONE_TRIANGLES_MAX];
    mesh m = {0};
    m.v = scene_expand(&b->field, w->scene, &m.field);
    size_t count = 3 * (size_t)m.field, room = count;
    for (int k = 0; k < b->net.instance_count; ++k) {
        int n = karst_zone_frame_expand(&b->net, w->net_scene, k, v);
        if (count + 3 * (size_t)n > room) m.v = realloc(m.v, (room = 2 * room + 3 * (size_t)n) * sizeof *m.v);
        for (int c = 0; c < 3 * n; ++c) m.v[count++] = (karst_drawn_vertex){v[c].position, 1, 1};
        m.net += n;
    }
    return m;
}

// Edges that one side alone has: all but the field's outline; or with zones away those along the seam.
static int64_t open_edges(const seam_world *w, weld *all, const both *b, bool whole) {
    mesh m = expand(w, b);
    weld_result r = weld_check(all, m.v, m.field + m.net, w->info.lattice.shape);
    if (!whole) {
        uint8_t *on = calloc(WELD_VERTICES, 1);
        for (int k = 0; k < 3 * m.field; ++k)
            if (seam_is_on(w, (int)m.v[k].column, (int)m.v[k].row))
                on[weld_find(all, &m.v[k], SEAM_COLUMNS, SEAM_ROWS)] = 1;
        r.open = 0;
        for (int64_t k = 0; k < r.edges; ++k) {
            const weld_edge *e = &all->edge[all->used[k]];
            r.open += e->sum && on[e->a] && on[e->b];
        }
        free(on);
    }
    free(m.v);
    return r.open;
}

static bool has_seam(const karst_zone *zone) {
    for (uint32_t k = 0; k < zone->span_count; ++k)
        if (zone->spans[k].seam) return true;
    return false;
}

typedef struct census {
    int frames, coarse, mixed, tiles, far, away, views, torn[3];
    double most_m;
} census;

static void take_census(const seam_world *w, const look *l, const both *b, census *c) {
    float least = 99, most = 0;
    for (int32_t k = 0; k < w->seam_count; ++k) {
        float level = karst_seam_level(w->seam, w->seams[k].column, w->seams[k].row);
        least = fminf(least, level), most = fmaxf(most, level);
    }
    ++c->frames;
    c->coarse += least > 0, c->mixed += least == 0 && most > 2, c->views += l->view_count > 1;
    c->tiles += b->net.figures.refined > 0;
    for (int k = 0; k < 3 * 64 && k < b->field.patch_count; ++k) {
        const karst_frame_chunk *at = &b->field.chunks[b->field.patches[k].chunk_index];
        double m = at->offset[0] * w->info.lattice.step_xz_m;
        c->most_m = fmax(c->most_m, fabs(m));
    }
}

static void a_field_and_its_net_are_closed_from_anywhere(void **state) {
    (void)state;
    weld all = weld_create();
    census c = {0};
    for (prop p = prop_begin("seam_closed", 60); prop_next(&p);) {
        seam_world *w = prop_chance(&p, 0.5) ? smooth : moved;
        for (int k = 0; k < w->zone_count; ++k) {  // zones away from the seam come and go
            if (has_seam(w->zones[k])) continue;
            bool want = prop_chance(&p, 0.8);
            if (want && !w->there[k]) seam_put(w, k);
            if (!want && w->there[k]) seam_take(w, k);
        }
        bool whole = true;
        for (int k = 0; k < w->zone_count; ++k) whole &= w->there[k];
        c.away += !whole;
        look l = any_look(&p, w);
        both b = see(w, &l, 0);
        prop_check(&p, b.field.method == KARST_METHOD_GRID && b.net.method == KARST_ZONE_METHOD_CORNER);
        int64_t open = open_edges(w, &all, &b, whole);
        if (open) print_message("case %d: %lld open, whole %d\n", p.at, (long long)open, whole);
        prop_check(&p, open == 0);
        take_census(w, &l, &b, &c);
        if (p.at % 6) continue;
        for (int forget = 1; forget <= 3; ++forget) {  // controls: the seam is not told to one or both
            both torn = see(w, &l, forget);
            c.torn[forget - 1] += open_edges(w, &all, &torn, whole) > 0;
        }
    }
    print_message(
        "%d frames: %d with all of the seam coarser, %d with some, %d with tiles, %d with zones away, %d of "
        "several views, up to %.0f m away; without the seam's levels in the field %d, the net %d, both %d torn\n",
        c.frames, c.coarse, c.mixed, c.tiles, c.away, c.views, c.most_m, c.torn[0], c.torn[1], c.torn[2]);
    weld_destroy(&all);
}

// A world whose pins are off by one fine step, 0.24 mm.
static void pins_that_are_off_tear(void **state) {
    (void)state;
    seam_world *off = seam_make("off.kpack", &(seam_def){2, {60, 60, 200, 220}, false, 0, 1});
    weld all = weld_create();
    int torn = 0, frames = 0;
    for (prop p = prop_begin("seam_off", 8); prop_next(&p); ++frames) {
        look l = any_look(&p, off);
        both b = see(off, &l, 0);
        torn += open_edges(off, &all, &b, true) > 0;
    }
    assert_int_equal(torn, frames);
    weld_destroy(&all);
    seam_free(off);
}

// ---- levels ----------------------------------------------------------------------------------------

// Whether a piece is drawn by tiles.
static bool is_refined(const karst_zone_frame *f, uint16_t slot, uint32_t piece) {
    for (int k = 0; k < f->instance_count; ++k) {
        const karst_zone_instance *at = &f->instances[k];
        if (at->zone == slot && at->piece == piece && at->tile != KARST_ZONE_WHOLE) return true;
    }
    return false;
}

// Those of the spans of a frame on seams; how many.
static int check_spans(prop *p, const seam_world *w, const karst_zone_frame *f) {
    int count = 0;
    for (int n = 0; n < w->zone_count; ++n)
        for (uint32_t k = 0; k < w->zones[n]->piece_count && w->there[n]; ++k) {
            const karst_zone *zone = w->zones[n];
            const karst_piece *piece = &zone->pieces[k];
            const karst_zone_at *at = &f->zones[w->slot[n]];
            for (int side = 0; side < 4; ++side)
                for (int s = 0; s < 1 << piece->spans_log2[side]; ++s) {
                    uint32_t index = piece->first_span[side] + (uint32_t)s;
                    const karst_zone_span *span = &zone->spans[index];
                    if (!span->seam) continue;
                    int x = span->seam == 1 ? KARST_PATCH_CELLS : 0, z = KARST_PATCH_CELLS - x;
                    float level = fminf(karst_seam_level(w->seam, span->column, span->row),
                                        karst_seam_level(w->seam, span->column + x, span->row + z));
                    const float *levels = f->levels + at->first_level;
                    const uint32_t *pair = at->span_level[index];
                    prop_check(p, levels[pair[0]] == level && levels[pair[1]] == level);
                    prop_check(p, level <= 2 * (float)(piece->tiles_log2 - piece->spans_log2[side]));
                    if (count++ % 16 == 0) prop_check(p, level == 0 || !is_refined(f, w->slot[n], k));
                }
        }
    return count;
}

static void a_corner_has_one_level_for_all_views(void **state) {
    (void)state;
    int spans = 0;
    for (prop p = prop_begin("seam_levels", 24); prop_next(&p);) {
        seam_world *w = prop_chance(&p, 0.5) ? smooth : moved;
        look l = any_look(&p, w);
        l.view_count = 3;
        for (int v = 1; v < 3; ++v) {
            look other = any_look(&p, w);
            l.views[v] = other.views[0];
        }
        float *least = malloc((size_t)w->seam_count * sizeof *least);
        for (int v = 0; v < 3; ++v) {
            karst_seam_update(w->seam, &l.views[v], 1, &l.field, &l.net);
            for (int32_t k = 0; k < w->seam_count; ++k) {
                float level = karst_seam_level(w->seam, w->seams[k].column, w->seams[k].row);
                least[k] = v ? fminf(least[k], level) : level;
            }
        }
        both b = see(w, &l, 0);
        for (int32_t k = 0; k < w->seam_count; ++k) {
            const karst_pack_seam *s = &w->seams[k];
            float level = karst_seam_level(w->seam, s->column, s->row);
            prop_check(&p, level == least[k] && level == floorf(level * 1024) / 1024);
            prop_check(&p, level >= 0 && level <= 2 * s->most_log2 && (!l.field.full_detail || level == 0));
        }
        free(least);
        prop_check(&p, karst_seam_level(w->seam, 1, 1) < 0 && karst_seam_level(w->seam, -16, 1 << 20) < 0);
        spans += check_spans(&p, w, &b.net);
        for (int k = 0; k < b.field.patch_count; ++k) {  // none of the net's
            const karst_patch *patch = &b.field.patches[k];
            const karst_frame_chunk *c = &b.field.chunks[patch->chunk_index];
            int x = c->column / KARST_PATCH_CELLS + patch->patch_x, z = c->row / KARST_PATCH_CELLS + patch->patch_z;
            bool inside = x < SEAM_ACROSS && z < SEAM_DOWN;
            prop_check(&p, c->level || !inside || !w->patches[z * SEAM_ACROSS + x]);
        }
    }
    assert_true(spans > test_count(500));
}

// ---- walks -----------------------------------------------------------------------------------------

// Where the drawn field is at its vertices, from its origin.
static void field_places(const seam_world *w, const karst_frame *f, karst_pos *out, uint8_t *seen) {
    size_t count = (size_t)SEAM_COLUMNS * SEAM_ROWS;
    karst_vec3 *at = malloc(count * sizeof *at);
    int n;
    karst_drawn_vertex *t = scene_expand(f, w->scene, &n);
    memset(seen, 0, count);
    scene_drawn_places(t, n, SEAM_COLUMNS, SEAM_ROWS, at, seen);
    for (size_t k = 0; k < count; ++k)
        out[k] =
            (karst_pos){f->origin.x + (double)at[k].x, f->origin.y + (double)at[k].y, f->origin.z + (double)at[k].z};
    free(t);
    free(at);
}

// Largest move between two frames: as share of the field's error allowed there, as test_calm.c has it, and of the
// net [m].
typedef struct moves {
    double field, seam, net;  // seam: of the field's vertices on it
    int64_t moved;
} moves;

static void compare(const seam_world *w, const look *l, const karst_pos *before, const karst_pos *now,
                    const uint8_t *seen, moves *m) {
    const karst_pos eye = l->views[0].eye;
    double slope = karst_view_error_slope(&l->views[0], l->field.error_px);
    for (int k = 0; k < SEAM_COLUMNS * SEAM_ROWS; ++k) {
        if (!seen[k]) continue;
        double x = now[k].x - before[k].x, y = now[k].y - before[k].y, z = now[k].z - before[k].z;
        double u = now[k].x - eye.x, v = now[k].y - eye.y, t = now[k].z - eye.z;
        double share = sqrt(x * x + y * y + z * z) / (sqrt(u * u + v * v + t * t) * slope);
        m->field = fmax(m->field, share);
        if (share < 1e-5 || !seam_is_on(w, k % SEAM_COLUMNS, k / SEAM_COLUMNS)) continue;
        m->seam = fmax(m->seam, share);
        ++m->moved;
    }
}

// drop, the control: all levels of both are rounded down.
static void walk_on(seam_world *w, const look *from, double step_m, int steps, bool drop, moves *m) {
    size_t count = (size_t)SEAM_COLUMNS * SEAM_ROWS;
    karst_pos *at[2] = {malloc(count * sizeof **at), malloc(count * sizeof **at)};
    uint8_t *seen = malloc(count);
    land l = {.net = w->net, .zones = {w->bank, w->zones, w->zone_count}, .scene = w->net_scene};
    memcpy(l.slot, w->slot, sizeof l.slot);
    zone_drawn d = zone_drawn_make(&l);
    look at_now = *from;
    for (int k = 0; k <= steps; ++k) {
        at_now.views[0].eye.x = from->views[0].eye.x + k * step_m * 0.8;
        at_now.views[0].eye.z = from->views[0].eye.z + k * step_m * 0.6;
        both b = see(w, &at_now, 0);
        karst_patch *patches = malloc(sizeof *patches * ((size_t)b.field.patch_count + 1));
        float *levels = malloc((b.net.level_count + 1) * sizeof *levels);
        for (int q = 0; q < b.field.patch_count; ++q) {
            patches[q] = b.field.patches[q];
            for (int c = 0; c < 4 && drop; ++c) patches[q].corner_level[c] = floorf(patches[q].corner_level[c]);
        }
        for (uint32_t q = 0; q < b.net.level_count; ++q) levels[q] = drop ? floorf(b.net.levels[q]) : b.net.levels[q];
        b.field.patches = patches, b.net.levels = levels;
        field_places(w, &b.field, at[k & 1], seen);
        zone_draw(&l, &b.net, &d, k & 1);
        if (k) compare(w, &at_now, at[!(k & 1)], at[k & 1], seen, m), m->net = fmax(m->net, zone_largest_move(&d));
        free(patches);
        free(levels);
    }
    zone_drawn_free(&l, &d);
    free(at[0]), free(at[1]), free(seen);
}

// Of one eye near a seam.
static look any_walk(prop *p, seam_world *w) {
    for (int k = 0; k < w->zone_count; ++k)
        if (!w->there[k]) seam_put(w, k);
    look l = any_look(p, w);
    const karst_pack_seam *s = &w->seams[prop_int(p, 0, w->seam_count - 1)];
    l.view_count = 1;
    l.views[0].eye = (karst_pos){seam_origin.x + s->column * w->spacing_m + prop_real(p, -300, 300),
                                 seam_origin.y + (double)s->max[1] + prop_real(p, 5, 200),
                                 seam_origin.z + s->row * w->spacing_m + prop_real(p, -300, 300)};
    l.field.error_px = prop_chance(p, 0.5) ? 100 : 30;
    l.field.full_detail = false;
    l.net.threshold = (float)exp2(-prop_real(p, 6, 11));
    l.net.tile_m = 20;
    return l;
}

static void nothing_pops_on_a_walk_over_a_seam(void **state) {
    (void)state;
    moves m = {0}, drop = {0};
    for (prop p = prop_begin("seam_walk", 6); prop_next(&p);) {
        seam_world *w = p.at & 1 ? smooth : moved;
        look l = any_walk(&p, w);
        walk_on(w, &l, 0.01, 8, false, &m);
    }
    for (prop p = prop_begin("seam_drop", 32); prop_next(&p) && drop.seam <= 50 * m.seam;) {
        seam_world *w = p.at & 1 ? smooth : moved;
        look l = any_walk(&p, w);
        walk_on(w, &l, 0.5, 4, true, &drop);
    }
    print_message(
        "steps of 1 cm: the field moves %.5f of the allowed error, on seams %.5f (%lld vertices), the net %.2f "
        "mm; control, of 50 cm: %.3f\n",
        m.field, m.seam, (long long)m.moved, 1e3 * m.net, drop.seam);
    assert_true(m.field < 0.02 && m.net <= 0.01);
    // Fifty steps at once, and more.
    assert_true((m.moved > 0 && drop.seam > 50 * m.seam) || getenv("KARST_TEST_QUICK"));
}

// ---- what is told ----------------------------------------------------------------------------------

static void the_error_told_is_kept_along_seams(void **state) {
    (void)state;
    scene_truth truth = {0};
    for (prop p = prop_begin("seam_truth", 16); prop_next(&p);) {
        seam_world *w = p.at & 1 ? smooth : moved;
        look l = any_look(&p, w);
        l.field.full_detail = false;
        const karst_pack_seam *s = &w->seams[prop_int(&p, 0, w->seam_count - 1)];
        karst_pos to = {seam_origin.x + s->column * w->spacing_m, seam_origin.y + (double)s->max[1],
                        seam_origin.z + s->row * w->spacing_m};
        l.views[0] = karst_view_perspective(any_eye(&p, w), to, (karst_vec3){0, 1, 0}, 1, 1920, 1080);
        karst_seam_update(w->seam, l.views, 1, &l.field, &l.net);
        l.field.seam = w->seam;
        scene_truth one = {0};
        karst_status status = scene_measure_truth(w->scene, w->field, &w->info.lattice, l.views, &l.field, 1, &one);
        prop_check(&p, !status && one.reported_px <= (double)l.field.error_px);
        prop_check(&p, one.over == 0);
        truth.samples += one.samples;
        truth.worst_px = fmax(truth.worst_px, one.worst_px / (double)l.field.error_px);
    }
    print_message("%lld samples, the worst %.3f of what was asked\n", (long long)truth.samples, truth.worst_px);
    assert_true(truth.samples > test_count(2000));
}

// A game that loads little at a time has all chunks along seams in its first frame.
static void the_first_frame_is_closed(void **state) {
    (void)state;
    weld all = weld_create();
    int torn = 0, closed = 0, tight = 0;
    for (prop p = prop_begin("seam_first", 8); prop_next(&p);) {
        seam_world *w = p.at & 1 ? smooth : moved;
        for (int k = 0; k < w->zone_count; ++k)
            if (!w->there[k]) seam_put(w, k);
        look l = any_look(&p, w);
        l.field.load_limit = 1;
        karst_scene *kept = w->scene;
        for (int forget = 0; forget < 3; ++forget) {  // 1: the control; 2: too little memory
            karst_scene_def def = karst_scene_def_default();
            if (forget == 2) def.memory_bytes = 16 * sizeof(karst_chunk);
            prop_check(&p, !karst_scene_create(w->pack, &def, &w->scene));
            both b;
            karst_budget field = l.field;
            karst_zone_budget net = l.net;
            karst_seam_update(w->seam, l.views, l.view_count, &field, &net);
            field.seam = forget == 1 ? NULL : w->seam, net.seam = w->seam;
            prop_check(&p, !karst_scene_update(w->scene, l.views, l.view_count, &field, &b.field));
            karst_zone_scene_update(w->net_scene, l.views, l.view_count, &net, &b.net);
            bool open = open_edges(w, &all, &b, true) > 0;
            if (forget == 0) prop_check(&p, !open);
            closed += forget == 0;
            if (forget == 1) torn += open;
            if (forget == 2) {
                prop_check(&p, isfinite(b.field.figures.worst_error_px));
                prop_check(&p, !open || b.field.figures.kept_for_memory > 0);
                tight += open;
            }
            karst_scene_destroy(w->scene);
        }
        w->scene = kept;
    }
    print_message("%d first frames closed; not waited for, %d torn; with memory for 16 chunks %d, and told\n", closed,
                  torn, tight);
    assert_true(torn > 0 && tight > 0);
    weld_destroy(&all);
}

static uint64_t hash_of(const both *b) {
    const karst_frame *f = &b->field;
    const karst_zone_frame *z = &b->net;
    uint64_t h = kst_hash(f->patches, sizeof *f->patches * (size_t)f->patch_count, 1);
    h = kst_hash_u64(h, kst_hash(z->instances, sizeof *z->instances * (size_t)z->instance_count, 3));
    for (int k = 0; k < z->zone_room; ++k)
        for (uint32_t s = 0; z->zones[k].zone && s < z->zones[k].zone->span_count; ++s)
            for (int e = 0; e < 2; ++e) {
                uint32_t bits;
                memcpy(&bits, &z->levels[z->zones[k].first_level + z->zones[k].span_level[s][e]], sizeof bits);
                h = kst_hash_u64(h, bits);
            }
    return h;
}

static void frames_are_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    enum { FRAMES = 12 };
    uint64_t want[FRAMES] = {0};
    seam_world *w = moved;
    const seam_world kept = *w;
    for (int workers = 0; workers < 4; workers += 1 + workers) {
        karst_scene_def def = karst_scene_def_default();
        karst_zone_scene_def net = karst_zone_scene_def_default();
        karst_jobs_def jobs = karst_jobs_def_default();
        jobs.worker_count = workers ? workers : 1;
        if (workers) assert_int_equal(karst_jobs_create(&jobs, &def.jobs), KARST_OK);
        net.jobs = def.jobs, net.origin = karst_pack_net_origin(w->pack);
        assert_int_equal(karst_scene_create(w->pack, &def, &w->scene), KARST_OK);
        assert_int_equal(karst_zone_scene_create(&net, &w->net_scene), KARST_OK);
        for (int k = 0; k < w->zone_count; ++k) seam_put(w, k);
        for (prop p = prop_begin("seam_threads", FRAMES); prop_next(&p);) {
            look l = any_look(&p, smooth);  // of `smooth`, whose scene stays
            l.field.load_limit = prop_int(&p, 1, 20), l.field.wait = true;
            both b;
            karst_seam_update(w->seam, l.views, l.view_count, &l.field, &l.net);
            l.field.seam = l.net.seam = w->seam;
            prop_check(&p, !karst_scene_update(w->scene, l.views, l.view_count, &l.field, &b.field));
            karst_zone_scene_update(w->net_scene, l.views, l.view_count, &l.net, &b.net);
            if (!workers) want[p.at] = hash_of(&b);
            prop_check(&p, hash_of(&b) == want[p.at]);
        }
        karst_zone_scene_destroy(w->net_scene);
        karst_scene_destroy(w->scene);
        karst_jobs_destroy(def.jobs);
    }
    *w = kept;
}

static void failing_memory_makes_no_seam(void **state) {
    (void)state;
    for (uint64_t n = 1;; ++n) {
        karst_seam *s = NULL;
        kst_alloc_fail_after(n);
        karst_status status = karst_seam_create(smooth->pack, NULL, NULL, &s);
        kst_alloc_fail_after(0);
        assert_int_equal(status == KARST_OK, s != NULL);
        karst_seam_destroy(s);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_and_its_net_are_closed_from_anywhere),
        cmocka_unit_test(pins_that_are_off_tear),
        cmocka_unit_test(a_corner_has_one_level_for_all_views),
        cmocka_unit_test(nothing_pops_on_a_walk_over_a_seam),
        cmocka_unit_test(the_error_told_is_kept_along_seams),
        cmocka_unit_test(the_first_frame_is_closed),
        cmocka_unit_test(frames_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(failing_memory_makes_no_seam),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
