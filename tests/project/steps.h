// SPDX-License-Identifier: MIT
// Tests: random steps of all kinds, and the whole state of a world after them.
#pragma once
#include "karst/history.h"
#include "karst/sheet.h"
#include "project/worlds.h"

static inline void begin(karst_project *p) {
    if (karst_project_begin(p, "step")) fail_msg("%s", karst_project_message(p));
}

static inline void commit(karst_project *p) {
    if (karst_project_commit(p)) fail_msg("%s", karst_project_message(p));
}

#define good(p, call)                                       \
    do {                                                    \
        if (call) fail_msg("%s", karst_project_message(p)); \
    } while (0)

// Hash of every row of all that a step can change, stored bytes included, past the library.
static inline uint64_t state_of(const char *path) {
    static const char *const tables[] = {"SELECT * FROM ground ORDER BY id", "SELECT * FROM sheet ORDER BY id",
                                         "SELECT * FROM extra ORDER BY id", "SELECT * FROM chunk ORDER BY place"};
    sqlite3 *db;
    uint64_t hash = 0;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t) {
        sqlite3_stmt *s;
        assert_int_equal(sqlite3_prepare_v2(db, tables[t], -1, &s, NULL), SQLITE_OK);
        while (sqlite3_step(s) == SQLITE_ROW)
            for (int k = 0; k < sqlite3_column_count(s); ++k) {
                int type = sqlite3_column_type(s, k);
                const void *bytes = sqlite3_column_blob(s, k);
                hash = kst_hash(bytes, (size_t)sqlite3_column_bytes(s, k), kst_hash_u64(hash, (uint64_t)type));
            }
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
    return hash;
}

// ---- random steps ------------------------------------------------------------------------------------

static inline int64_t ground_of(karst_project *w, karst_project_ground *g) {
    good(w, karst_project_find_ground(w, KARST_PROJECT_FIELD, g));
    return g->id;
}

// A smooth dab into base or a layer, with some holes and some opacity.
static inline void stroke(prop *p, karst_project *w, const karst_project_ground *g, int64_t layer) {
    karst_project_canvas *canvas;
    good(w, karst_project_canvas_open(w, g->id, layer, 0, prop_chance(p, 0.3) ? 1 << 18 : 0, &canvas));
    const karst_canvas *c = karst_project_canvas_get(canvas);
    double radius = prop_real(p, 1, 40), x = prop_real(p, 0, g->shape.columns), z = prop_real(p, 0, g->shape.rows);
    karst_rect r = {(int)fmax(0, x - radius), (int)fmax(0, z - radius), (int)fmin(g->shape.columns, x + radius + 1),
                    (int)fmin(g->shape.rows, z + radius + 1)};
    int width = r.x1 - r.x0, count = width * (r.z1 - r.z0);
    if (count > 0) {
        float *y = malloc(3 * (size_t)count * sizeof *y), *dx = y + count, *dz = dx + count;
        bool sideways = prop_chance(p, 0.3);
        double height = prop_real(p, -20, 20);
        good(w, karst_field_read(c->shown, r, y, dx, dz, width));
        for (int k = 0; k < count; ++k) {
            double u = (r.x0 + k % width - x) / radius, v = (r.z0 + k / width - z) / radius;
            double share = fmax(0, 1 - u * u - v * v);
            y[k] += (float)(height * share * share);
            if (sideways) dx[k] += (float)share;
        }
        good(w, karst_canvas_write(c, r, y, sideways ? dx : NULL, sideways ? dz : NULL, width));
        if (!layer && prop_chance(p, 0.2)) {
            uint8_t hole = prop_chance(p, 0.5);
            karst_rect cell = {r.x0, r.z0, r.x0 + 1, r.z0 + 1};
            if (r.x0 < g->shape.columns - 1 && r.z0 < g->shape.rows - 1)
                good(w, karst_field_write_holes(c->target, cell, &hole, 1));
            uint8_t opacity = (uint8_t)prop_u64(p);
            karst_rect half = {r.x0 / 2, r.z0 / 2, r.x0 / 2 + 1, r.z0 / 2 + 1};
            good(w, karst_field_write_opacity(c->target, half, &opacity, 1));
        }
        free(y);
    }
    good(w, karst_project_canvas_flush(canvas));
    if (prop_chance(p, 0.1)) good(w, karst_project_canvas_flush(canvas));  // nothing new
    karst_project_canvas_close(canvas);
}

static inline void change_sheets(prop *p, karst_project *w, const karst_project_ground *g) {
    karst_sheet all[64];
    int count = 0;
    int64_t id = 0;
    good(w, karst_project_sheets(w, g->id, all, 64, &count));
    if (count < 2 || (count < 6 && prop_chance(p, 0.4))) {
        char name[32];
        snprintf(name, sizeof name, "n%llx", (unsigned long long)prop_u64(p));
        karst_sheet_kind kind = prop_chance(p, 0.5) ? KARST_SHEET_LAYER : KARST_SHEET_MASK;
        good(w, karst_project_add_sheet(w, g->id, kind, name, &id));
        return;
    }
    karst_sheet *s = &all[prop_int(p, 0, count - 1)];
    if (prop_chance(p, 0.3)) {
        karst_status status = karst_project_remove_sheet(w, s->id);
        assert_true(!status || s->kind == KARST_SHEET_MASK);  // it may limit a layer
        return;
    }
    s->on = prop_chance(p, 0.8);
    s->strength = (float)prop_real(p, -1, 2);
    for (int k = 0; k < count; ++k)
        if (s->kind == KARST_SHEET_LAYER && all[k].kind == KARST_SHEET_MASK) s->mask = all[k].id;
    good(w, karst_project_set_sheet(w, s));
}

// A net comes, changes, becomes another one, or goes. Some take two blocks of patches.
static inline void change_net(prop *p, karst_project *w) {
    karst_net *net = NULL;
    good(w, take_net(w, &net));
    if (net && prop_chance(p, 0.6)) {
        karst_net_patch *patch = &net->patches[prop_int(p, 0, net->patch_count - 1)];
        patch->slot[prop_int(p, 0, 3)] ^= 1;
    } else {
        bool goes = net && prop_chance(p, 0.3);
        karst_net_destroy(net);
        net = NULL;
        if (!goes) net = grid_net(prop_chance(p, 0.1) ? 23 : 3, prop_u64(p));
    }
    if (net) assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
    good(w, put_net(w, net));
    karst_net_destroy(net);
}

// Something that a step may do.
static inline void change(prop *p, karst_project *w) {
    karst_project_ground g;
    int64_t id = ground_of(w, &g);
    if (!id || prop_chance(p, 0.02)) {  // another ground in its place
        if (id) good(w, karst_project_remove_ground(w, id));
        good(w, pour(w, add(w, prop_int(p, 20, 140), prop_int(p, 20, 140)), prop_u64(p), prop_chance(p, 0.3)));
        return;
    }
    int what = prop_int(p, 0, 10);
    if (what == 0) {
        char text[8];
        memset(text, prop_int(p, 'a', 'z'), sizeof text);
        good(w, karst_project_set_extra(w, id, prop_chance(p, 0.5) ? "a" : "b", text, (size_t)prop_int(p, 0, 8)));
    } else if (what == 1) {
        good(w, karst_project_set_source(w, id, "somewhere", prop_real(p, 0, 1)));
    } else if (what <= 3) {
        change_sheets(p, w, &g);
    } else if (what == 4) {
        change_net(p, w);
    } else {
        karst_sheet all[64];
        int count = 0;
        int64_t layer = 0;
        good(w, karst_project_sheets(w, id, all, 64, &count));
        for (int k = 0; k < count; ++k)
            if (all[k].kind == KARST_SHEET_LAYER && all[k].on && all[k].strength != 0 && prop_chance(p, 0.5))
                layer = all[k].id;
        stroke(p, w, &g, layer);
    }
}

// A step of one change or several.
static inline void random_step(prop *p, karst_project *w) {
    begin(w);
    do change(p, w);
    while (prop_chance(p, 0.25));
    commit(w);
}

static inline int64_t head_of(karst_project *w) {
    static karst_history_step steps[2000];
    int count = 0;
    good(w, karst_project_log(w, steps, 2000, &count));
    for (int i = 0; i < count && i < 2000; ++i)
        if (steps[i].current) return steps[i].id;
    return 0;
}
