// SPDX-License-Identifier: MIT
// The grounds of a world: their rows, their hashes, and the field paged from the file.
#include <math.h>
#include <stdlib.h>

#include "project/world.h"

// ---- rows --------------------------------------------------------------------------------------------

static karst_status need_step(karst_project *p) {
    return p->in_step
               ? KARST_OK
               : kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: changed outside a step: begin one first", p->path);
}

static karst_status sql_fail(karst_project *p, int code, const char *what) {
    return kst_sql_fail(p->db, code, p->path, what, &p->report);
}

static bool shape_is_sound(const karst_field_shape *s) {
    return s->columns >= 2 && s->rows >= 2 && s->columns <= KARST_FIELD_MAX_SIDE && s->rows <= KARST_FIELD_MAX_SIDE &&
           isfinite(s->spacing_m) && s->spacing_m > 0 && isfinite(s->origin.x) && isfinite(s->origin.y) &&
           isfinite(s->origin.z);
}

static void copy_text(char *out, size_t room, sqlite3_stmt *s, int column) {
    const unsigned char *text = sqlite3_column_text(s, column);
    size_t n = text ? strlen((const char *)text) : 0;
    if (n >= room) {
        n = room - 1;
        while (n && (text[n] & 0xC0) == 0x80) --n;  // not inside a UTF-8 letter
    }
    if (n) memcpy(out, text, n);
    out[n] = 0;
}

// Hash of a shape and of all chunks of a ground, and how many of its cells are holes.
static karst_status digest(karst_project *p, const karst_project_ground *g, uint64_t *hash, uint64_t *holes) {
    uint64_t shape[6] = {(uint64_t)g->shape.columns, (uint64_t)g->shape.rows};
    memcpy(&shape[2], &g->shape.spacing_m, 8);
    memcpy(&shape[3], &g->shape.origin, 24);
    uint64_t h = kst_hash(shape, sizeof shape, KST_WORLD_SCHEMA);
    h = kst_hash_u64(h, kst_hash(g->kind, strlen(g->kind), 0));
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(p->db,
                                  "SELECT place, hash, holes FROM chunk INDEXED BY chunk_hash WHERE place >= ?1 AND"
                                  " place < ?2 ORDER BY place",
                                  -1, &s, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(s, 1, kst_world_place(g->id, 0, 0));
    if (code == SQLITE_OK) code = sqlite3_bind_int64(s, 2, kst_world_place(g->id + 1, 0, 0));
    *holes = 0;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code != SQLITE_ROW) break;
        uint64_t row[2] = {(uint64_t)(sqlite3_column_int64(s, 0) - kst_world_place(g->id, 0, 0)),
                           (uint64_t)sqlite3_column_int64(s, 1)};
        h = kst_hash(row, sizeof row, h);
        *holes += (uint64_t)sqlite3_column_int64(s, 2);
    }
    karst_status status = sql_fail(p, code, "cannot read the chunks");
    sqlite3_finalize(s);
    *hash = h;
    return status;
}

static karst_status read_ground(karst_project *p, sqlite3_stmt *s, karst_project_ground *g) {
    *g = (karst_project_ground){.id = sqlite3_column_int64(s, 0)};
    copy_text(g->kind, sizeof g->kind, s, 1);
    copy_text(g->name, sizeof g->name, s, 2);
    int64_t columns = sqlite3_column_int64(s, 3), rows = sqlite3_column_int64(s, 4);
    g->shape =
        (karst_field_shape){columns > INT32_MAX ? 0 : (int32_t)columns,
                            rows > INT32_MAX ? 0 : (int32_t)rows,
                            sqlite3_column_double(s, 5),
                            {sqlite3_column_double(s, 6), sqlite3_column_double(s, 7), sqlite3_column_double(s, 8)}};
    g->step_m = sqlite3_column_double(s, 9);
    copy_text(g->source, sizeof g->source, s, 10);
    if (g->id < 1 || g->id >= (int64_t)1 << 34 || !shape_is_sound(&g->shape) || strcmp(g->kind, "field") != 0)
        return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: ground %lld has a kind or size that no Karst wrote",
                        p->path, (long long)g->id);
    uint64_t holes;
    karst_status status = digest(p, g, &g->hash, &holes);
    g->hole_share = (double)holes / ((double)(columns - 1) * (double)(rows - 1));
    return status;
}

static karst_status list(karst_project *p, karst_project_ground *out, int capacity, int *count) {
    sqlite3_stmt *s = NULL;
    int n = 0,
        code = sqlite3_prepare_v2(p->db,
                                  "SELECT id, kind, name, columns, rows, spacing_m, origin_x, origin_y, origin_z,"
                                  " step_m, source FROM ground ORDER BY id",
                                  -1, &s, NULL);
    karst_status status = KARST_OK;
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        if (n < capacity) status = read_ground(p, s, &out[n]);
        ++n;
    }
    if (!status) status = sql_fail(p, code, "cannot list the grounds");
    sqlite3_finalize(s);
    if (!status) *count = n;
    return status;
}

karst_status karst_project_grounds(karst_project *project, karst_project_ground *out, int capacity, int *count) {
    pthread_mutex_lock(&project->mutex);
    karst_status status = list(project, out, capacity, count);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status karst_project_hash(karst_project *project, uint64_t *out) {
    karst_project_ground g;
    int count = 0;
    karst_status status = karst_project_grounds(project, &g, 1, &count);
    if (!status) *out = kst_hash_u64((uint64_t)count, count ? g.hash : 0);
    return status;
}

karst_status karst_project_add_field(karst_project *project, const char *name, const karst_field_shape *shape,
                                     int64_t *id) {
    karst_status status = need_step(project);
    int64_t count = 0;
    if (!status && !shape_is_sound(shape))
        status = kst_fail(&project->report, KARST_ERROR_ARGUMENT,
                          "%s: a field of %d x %d vertices at %g m: sides are 2..%d, spacing above 0", project->path,
                          shape->columns, shape->rows, shape->spacing_m, KARST_FIELD_MAX_SIDE);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_sql_int(project->db, "SELECT count(*) FROM ground", project->path, &project->report, &count);
    if (!status && count)
        status = kst_fail(&project->report, KARST_ERROR_LIMIT,
                          "%s: has a ground already, and a world holds one: replace it", project->path);
    if (!status) {
        sqlite3_stmt *s = NULL;
        int code = sqlite3_prepare_v2(project->db,
                                      "INSERT INTO ground(kind, name, columns, rows, spacing_m, origin_x, origin_y,"
                                      " origin_z, step_m, source) VALUES('field', ?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, '')",
                                      -1, &s, NULL);
        if (code == SQLITE_OK) code = sqlite3_bind_text(s, 1, name ? name : "ground", -1, SQLITE_TRANSIENT);
        if (code == SQLITE_OK) {
            sqlite3_bind_int(s, 2, shape->columns);
            sqlite3_bind_int(s, 3, shape->rows);
            sqlite3_bind_double(s, 4, shape->spacing_m);
            sqlite3_bind_double(s, 5, shape->origin.x);
            sqlite3_bind_double(s, 6, shape->origin.y);
            sqlite3_bind_double(s, 7, shape->origin.z);
            code = sqlite3_step(s);
        }
        status = sql_fail(project, code, "cannot add a ground");
        sqlite3_finalize(s);
        if (!status) *id = sqlite3_last_insert_rowid(project->db);
    }
    pthread_mutex_unlock(&project->mutex);
    return status;
}

// Run one statement with up to two 64-bit integers, a text and a real: ?1 ?2 ?3 ?4.
static karst_status change(karst_project *p, const char *sql, int64_t a, int64_t b, const char *text, double real,
                           const char *what) {
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(p->db, sql, -1, &s, NULL);
    int places = code == SQLITE_OK ? sqlite3_bind_parameter_count(s) : 0;
    if (places >= 1) code = sqlite3_bind_int64(s, 1, a);
    if (places >= 2) code = sqlite3_bind_int64(s, 2, b);
    if (places >= 3) code = sqlite3_bind_text(s, 3, text, -1, SQLITE_TRANSIENT);
    if (places >= 4) sqlite3_bind_double(s, 4, real);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = sql_fail(p, code, what);
    sqlite3_finalize(s);
    return status;
}

static karst_status missing(karst_project *p, int64_t ground) {
    return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: has no ground %lld", p->path, (long long)ground);
}

karst_status karst_project_remove_ground(karst_project *project, int64_t ground) {
    karst_status status = need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = change(project, "DELETE FROM ground WHERE id=?1", ground, 0, NULL, 0, "cannot remove the ground");
    if (!status && sqlite3_changes(project->db) != 1) status = missing(project, ground);
    if (!status)
        status = change(project, "DELETE FROM chunk WHERE place >= ?1 AND place < ?2", kst_world_place(ground, 0, 0),
                        kst_world_place(ground + 1, 0, 0), NULL, 0, "cannot remove the ground");
    if (!status)
        status = change(project, "DELETE FROM extra WHERE ground=?1", ground, 0, NULL, 0, "cannot remove the ground");
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status karst_project_set_source(karst_project *project, int64_t ground, const char *source, double step_m) {
    karst_status status = need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = change(project, "UPDATE ground SET source=?3, step_m=?4 WHERE id=?1 AND ?2=0", ground, 0, source, step_m,
                    "cannot note the source");
    if (!status && sqlite3_changes(project->db) != 1) status = missing(project, ground);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

// ---- extras ------------------------------------------------------------------------------------------

karst_status karst_project_set_extra(karst_project *project, int64_t ground, const char *name, const void *bytes,
                                     size_t size) {
    karst_status status = need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(project->db,
                                  size ? "INSERT OR REPLACE INTO extra(ground, name, hash, data) VALUES(?1, ?2, ?3, ?4)"
                                       : "DELETE FROM extra WHERE ground=?1 AND name=?2",
                                  -1, &s, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(s, 1, ground);
    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 2, name, -1, SQLITE_TRANSIENT);
    if (code == SQLITE_OK && size) code = sqlite3_bind_int64(s, 3, (int64_t)kst_hash(bytes, size, 0));
    if (code == SQLITE_OK && size) code = sqlite3_bind_blob64(s, 4, bytes, size, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    status = sql_fail(project, code, "cannot keep an extra");
    sqlite3_finalize(s);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

static karst_status read_extra(karst_project *p, sqlite3_stmt *s, const char *name, void **out, size_t *size) {
    const void *bytes = sqlite3_column_blob(s, 0);
    size_t n = (size_t)sqlite3_column_bytes(s, 0);
    if (!n || kst_hash(bytes, n, 0) != (uint64_t)sqlite3_column_int64(s, 1))
        return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: the extra %s is damaged: restore the file from a copy",
                        p->path, name);
    *out = malloc(n);
    if (!*out) return kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    memcpy(*out, bytes, n);
    *size = n;
    return KARST_OK;
}

karst_status karst_project_get_extra(karst_project *project, int64_t ground, const char *name, void **out,
                                     size_t *size) {
    pthread_mutex_lock(&project->mutex);
    sqlite3_stmt *s = NULL;
    int code =
        sqlite3_prepare_v2(project->db, "SELECT data, hash FROM extra WHERE ground=?1 AND name=?2", -1, &s, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(s, 1, ground);
    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 2, name, -1, SQLITE_TRANSIENT);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = sql_fail(project, code, "cannot read an extra");
    void *found = NULL;
    size_t found_size = 0;
    if (code == SQLITE_ROW) status = read_extra(project, s, name, &found, &found_size);
    sqlite3_finalize(s);
    pthread_mutex_unlock(&project->mutex);
    if (!status) {
        *out = found;
        *size = found_size;
    }
    return status;
}

// ---- the field, chunk by chunk -----------------------------------------------------------------------

struct kst_world_store {
    karst_field_store table;
    karst_project *project;
    int64_t ground;
    int32_t columns, rows;
    kst_world_store *next;
};

static karst_status damaged(karst_project *p, int32_t x, int32_t z) {
    return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: chunk (%d, %d) is damaged: restore the file from a copy",
                    p->path, x, z);
}

static karst_status load_chunk(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    kst_world_store *store = context;
    karst_project *p = store->project;
    pthread_mutex_lock(&p->mutex);
    sqlite3_bind_int64(p->load, 1, kst_world_place(store->ground, x, z));
    int code = sqlite3_step(p->load);
    karst_status status = sql_fail(p, code, "cannot read a chunk");
    *found = code == SQLITE_ROW;
    if (*found) {
        const uint8_t *bytes = sqlite3_column_blob(p->load, 0);
        size_t size = (size_t)sqlite3_column_bytes(p->load, 0);
        status = kst_world_chunk_decode(bytes, size, (uint64_t)sqlite3_column_int64(p->load, 1), out);
        if (status == KARST_ERROR_MEMORY)
            kst_fail(&p->report, status, "%s: out of memory", p->path);
        else if (status)
            damaged(p, x, z);
    }
    sqlite3_reset(p->load);
    pthread_mutex_unlock(&p->mutex);
    return status;
}

// Hole cells of a chunk that lie inside the field.
static int64_t holes_inside(const kst_world_store *store, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    int64_t across = store->columns - 1 - (int64_t)x * KARST_CHUNK_CELLS,
            down = store->rows - 1 - (int64_t)z * KARST_CHUNK_CELLS;
    uint64_t mask = across >= 64 ? UINT64_MAX : ((uint64_t)1 << across) - 1;
    int64_t count = 0;
    for (int j = 0; j < KARST_CHUNK_CELLS && j < down; ++j) count += __builtin_popcountll(chunk->hole[j] & mask);
    return count;
}

static bool is_flat(const karst_field_chunk *chunk) {
    static const float zero[KARST_CHUNK_VERTICES];
    return !chunk->displaced && !memcmp(chunk->y, zero, sizeof zero) &&
           !memcmp(chunk->transparency, zero, sizeof chunk->transparency);
}

static karst_status put_chunk(kst_world_store *store, int64_t place, int64_t holes, const karst_field_chunk *chunk) {
    karst_project *p = store->project;
    size_t room = kst_world_chunk_bound();
    uint8_t *bytes = kst_alloc(NULL, room);
    uint64_t hash = 0;
    size_t size = bytes ? kst_world_chunk_encode(chunk, bytes, room, &hash) : 0;
    karst_status status;
    if (!size) {
        status = kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    } else {
        sqlite3_bind_int64(p->save, 1, place);
        sqlite3_bind_int64(p->save, 2, (int64_t)hash);
        sqlite3_bind_int64(p->save, 3, holes);
        sqlite3_bind_blob(p->save, 4, bytes, (int)size, SQLITE_STATIC);
        status = sql_fail(p, sqlite3_step(p->save), "cannot write a chunk");
        sqlite3_reset(p->save);
        sqlite3_clear_bindings(p->save);
    }
    kst_free(NULL, bytes, room);
    return status;
}

static karst_status save_chunk(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    kst_world_store *store = context;
    karst_project *p = store->project;
    karst_status status = need_step(p);
    if (status) return status;
    int64_t place = kst_world_place(store->ground, x, z), holes = holes_inside(store, x, z, chunk);
    pthread_mutex_lock(&p->mutex);
    if (holes || !is_flat(chunk)) {
        status = put_chunk(store, place, holes, chunk);
    } else {  // like one never stored: the same ground has the same hash, whatever its past
        sqlite3_bind_int64(p->drop, 1, place);
        status = sql_fail(p, sqlite3_step(p->drop), "cannot write a chunk");
        sqlite3_reset(p->drop);
    }
    pthread_mutex_unlock(&p->mutex);
    return status;
}

void kst_world_free_stores(karst_project *project) {
    while (project->stores) {
        kst_world_store *next = project->stores->next;
        kst_free(NULL, project->stores, sizeof *project->stores);
        project->stores = next;
    }
}

karst_status karst_project_field(karst_project *project, int64_t ground, size_t cache_bytes, karst_field **out) {
    karst_project_ground g;
    int count = 0;
    karst_status status = karst_project_grounds(project, &g, 1, &count);
    if (status) return status;
    if (!count || g.id != ground) return missing(project, ground);
    kst_world_store *store = kst_alloc_zero(NULL, sizeof *store);
    if (!store) return kst_fail(&project->report, KARST_ERROR_MEMORY, "%s: out of memory", project->path);
    *store = (kst_world_store){{load_chunk, save_chunk, store}, project, ground, g.shape.columns, g.shape.rows, NULL};
    karst_field_def def = karst_field_def_default();
    def.shape = g.shape;
    def.store = &store->table;
    if (cache_bytes) def.cache_bytes = cache_bytes;
    status = karst_field_create(&def, out);
    if (status) {
        kst_free(NULL, store, sizeof *store);
        return kst_fail(&project->report, status, "%s: cannot open the field: %s", project->path,
                        karst_status_text(status));
    }
    store->next = project->stores;
    project->stores = store;
    return KARST_OK;
}
