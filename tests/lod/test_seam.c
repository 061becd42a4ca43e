// SPDX-License-Identifier: MIT
// A net in place of a part of a field: what both scenes draw meets without a crack, and nothing pops.
#include "seamworld.h"
#include "weld.h"

static seam_world *smooth, *moved;  // heights alone; displaced, with a net that is displaced too

static int setup(void **state) {
    (void)state;
    smooth = seam_make((karst_rect){60, 60, 200, 220}, false, 0, 0);
    moved = seam_make((karst_rect){95, 16, 230, 200}, true, 12, 0);
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
    karst_pos eye = {seam_origin.x + column * seam_spacing_m, 0, seam_origin.z + row * seam_spacing_m};
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
    for (prop p = prop_begin("seam_closed", 80); prop_next(&p);) {
        seam_world *w = prop_chance(&p, 0.5) ? smooth : moved;
        for (int k = 0; k < w->zones.count; ++k) {  // zones away from the seam come and go
            if (has_seam(w->zones.zones[k])) continue;
            bool want = prop_chance(&p, 0.8);
            if (want && !w->there[k]) seam_put(w, k);
            if (!want && w->there[k]) seam_take(w, k);
        }
        bool whole = true;
        for (int k = 0; k < w->zones.count; ++k) whole &= w->there[k];
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_and_its_net_are_closed_from_anywhere),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
