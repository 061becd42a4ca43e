// SPDX-License-Identifier: MIT
// Tests: worlds made from a seed, and what is asked of them.
#pragma once
#include <sqlite3.h>

#include "karst/project.h"
#include "scenes/scenes.h"
#include "support/prop.h"

static inline const char *world_path(void) {
    static int turn;
    char name[32];
    snprintf(name, sizeof name, "w%d.karst", turn++);
    return temp_path(name);
}

static inline karst_project *create(const char *path) {
    karst_report report;
    karst_project *p = NULL;
    if (karst_project_create(path, &report, &p)) fail_msg("%s", report.message);
    return p;
}

static inline karst_project *open_as(const char *path, karst_project_mode mode) {
    karst_report report;
    karst_project *p = NULL;
    if (karst_project_open(path, mode, &report, &p)) fail_msg("%s", report.message);
    return p;
}

static inline int64_t add(karst_project *p, int columns, int rows) {
    karst_field_shape shape = {columns, rows, 2, {10, 20, 30}};
    int64_t id = 0;
    assert_int_equal(karst_project_add_field(p, "test", &shape, &id), KARST_OK);
    return id;
}

// Opacity that differs from place to place, or all solid.
static inline karst_status fade(karst_field *field, bool solid) {
    karst_field_shape shape = karst_field_shape_of(field);
    int across = (shape.columns + 1) / 2, down = (shape.rows + 1) / 2;
    uint8_t *opacity = malloc((size_t)across * (size_t)down);
    for (int k = 0; k < across * down; ++k) opacity[k] = solid ? 255 : (uint8_t)(k * 7 | 1);
    karst_status status = karst_field_write_opacity(field, (karst_rect){0, 0, across, down}, opacity, across);
    free(opacity);
    return status;
}

// A small net, finished: side x side patches of two tiles each way, of any heights.
static inline karst_net *grid_net(int side, uint64_t seed) {
    int count = (side + 1) * (side + 1);
    karst_net *net = NULL;
    karst_pos *places = malloc((size_t)count * sizeof *places);
    int32_t(*quads)[4] = malloc((size_t)(side * side) * sizeof *quads);
    uint8_t(*tiles)[2] = malloc((size_t)(side * side) * sizeof *tiles);
    for (int k = 0; k < count; ++k)
        places[k] =
            (karst_pos){16 * (k % (side + 1)), (double)(kst_random(seed, (uint64_t)k) & 7), 16 * (k / (side + 1))};
    for (int k = 0; k < side * side; ++k) {
        int32_t a = k / side * (side + 1) + k % side;
        const int32_t quad[4] = {a, a + 1, a + side + 2, a + side + 1};
        memcpy(quads[k], quad, sizeof quad);
        tiles[k][0] = tiles[k][1] = 1;
    }
    karst_net_cage cage = {.places = places,
                           .place_count = count,
                           .quads = (const int32_t(*)[4])quads,
                           .quad_count = side * side,
                           .tiles_log2 = (const uint8_t(*)[2])tiles};
    karst_report report = {0};
    if (karst_net_create((karst_pos){3, 5, 7}, -8, NULL, &net) || karst_net_from_cage(net, &cage, &report))
        fail_msg("%s", report.message);
    free(places), free(quads), free(tiles);
    return net;
}

// A net becomes the world's, inside a step, whether it had one or not; NULL: it has none.
static inline karst_status put_net(karst_project *p, const karst_net *net) {
    karst_project_ground g;
    karst_status status = karst_project_find_ground(p, KARST_PROJECT_PATCH, &g);
    if (status || (!net && !g.id)) return status;
    if (!net) return karst_project_remove_ground(p, g.id);
    return g.id ? karst_project_set_net(p, g.id, net) : karst_project_add_net(p, "rock", net, &g.id);
}

// The world's net; *out as it is when it has none.
static inline karst_status take_net(karst_project *p, karst_net **out) {
    karst_project_ground g;
    karst_status status = karst_project_find_ground(p, KARST_PROJECT_PATCH, &g);
    return status || !g.id ? status : karst_project_get_net(p, g.id, NULL, out);
}

// Samples from a seed into the whole field of a world, inside a step; holes and sideways too.
static inline karst_status pour(karst_project *p, int64_t id, uint64_t seed, bool displaced) {
    karst_field *from = NULL, *to = NULL;
    karst_project_ground g;
    karst_status status = karst_project_find_ground(p, KARST_PROJECT_FIELD, &g);
    if (!status) status = karst_project_field(p, id, 1 << 20, &to);
    if (status) return status;
    int c = g.shape.columns, r = g.shape.rows;
    size_t n = (size_t)c * (size_t)r;
    float *y = malloc(3 * n * sizeof *y), *x = y + n, *z = x + n;
    uint8_t *holes = calloc(n, 1);
    karst_rect all = {0, 0, c, r}, cells = {0, 0, c - 1, r - 1};
    status = scene_rough_field(c, r, 1, seed, displaced, true, (karst_pos){0, 0, 0}, &from);
    if (!status) status = karst_field_read(from, all, y, x, z, c);
    if (!status) status = karst_field_read_holes(from, cells, holes, c - 1);
    if (!status) status = karst_field_write(to, all, y, displaced ? x : NULL, displaced ? z : NULL, c);
    if (!status) status = karst_field_write_holes(to, cells, holes, c - 1);
    if (!status) status = fade(to, seed % 2 == 0);
    if (!status) status = karst_field_flush(to);
    free(y);
    free(holes);
    karst_field_destroy(from);
    karst_field_destroy(to);
    return status;
}

static inline uint64_t hash_of(karst_project *p) {
    uint64_t hash = 0;
    if (karst_project_hash(p, &hash)) fail_msg("%s", karst_project_message(p));
    return hash;
}

// A closed world of one field with the samples of a seed.
static inline const char *poured(int columns, int rows, uint64_t seed) {
    static char path[512];
    snprintf(path, sizeof path, "%s", world_path());
    karst_project *p = create(path);
    assert_int_equal(karst_project_begin(p, "make"), KARST_OK);
    assert_int_equal(pour(p, add(p, columns, rows), seed, false), KARST_OK);
    assert_int_equal(karst_project_commit(p), KARST_OK);
    karst_project_close(p);
    return path;
}

static inline void run_sql(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    if (code) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

// ---- faults ------------------------------------------------------------------------------------------

// The n-th allocation of SQLite from now fails, 0: none does.
static long sqlite_countdown;
static sqlite3_mem_methods sqlite_plain;

static inline void *sqlite_faulty_malloc(int n) {
    return sqlite_countdown && !--sqlite_countdown ? NULL : sqlite_plain.xMalloc(n);
}
static inline void *sqlite_faulty_realloc(void *p, int n) {
    return sqlite_countdown && !--sqlite_countdown ? NULL : sqlite_plain.xRealloc(p, n);
}

// Call before SQLite is used.
static inline void sqlite_may_fail(void) {
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_plain);
    sqlite3_mem_methods faulty = sqlite_plain;
    faulty.xMalloc = sqlite_faulty_malloc;
    faulty.xRealloc = sqlite_faulty_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &faulty);
}
