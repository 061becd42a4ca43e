// SPDX-License-Identifier: MIT
// The grounds of a world: their rows, their hashes, and the bytes that go with them.
#include <math.h>
#include <stdlib.h>

#include "project/world.h"

// ---- rows --------------------------------------------------------------------------------------------

karst_status kst_world_need_step(karst_project *p) {
    return p->in_step
               ? KARST_OK
               : kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: changed outside a step: begin one first", p->path);
}

static bool shape_is_sound(const karst_field_shape *s) {
    return s->columns >= 2 && s->rows >= 2 && s->columns <= KARST_FIELD_MAX_SIDE && s->rows <= KARST_FIELD_MAX_SIDE &&
           isfinite(s->spacing_m) && s->spacing_m > 0 && isfinite(s->origin.x) && isfinite(s->origin.y) &&
           isfinite(s->origin.z);
}

void kst_world_copy_text(char *out, size_t room, sqlite3_stmt *s, int column) {
    const unsigned char *text = sqlite3_column_text(s, column);
    size_t n = text ? strlen((const char *)text) : 0;
    if (n >= room) {
        n = room - 1;
        while (n && (text[n] & 0xC0) == 0x80) --n;  // not inside a UTF-8 letter
    }
    for (size_t k = 0; k < n; ++k) out[k] = (char)(text[k] < 0x20 || text[k] == 0x7f ? '?' : text[k]);
    out[n] = 0;
}

karst_status kst_world_digest(karst_project *p, int64_t owner, uint64_t *hash, uint64_t *chunks, uint64_t *holes) {
    sqlite3_stmt *s = NULL;
    int64_t first = kst_world_place(owner, 0, 0);
    int code = kst_sql_prepare(p->db, &s,
                               "SELECT place, hash, holes FROM chunk INDEXED BY chunk_hash WHERE place >= ?1 AND"
                               " place < ?2 ORDER BY place",
                               "ii", first, kst_world_place(owner + 1, 0, 0));
    uint64_t h = *hash, n = 0, open = 0;
    while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        uint64_t row[2] = {(uint64_t)(sqlite3_column_int64(s, 0) - first), (uint64_t)sqlite3_column_int64(s, 1)};
        h = kst_hash(row, sizeof row, h);
        open += (uint64_t)sqlite3_column_int64(s, 2);
        ++n;
    }
    karst_status status = kst_world_sql_fail(p, code, "cannot read the chunks");
    sqlite3_finalize(s);
    *hash = h;
    *chunks = n;
    *holes = open;
    return status;
}

// Hash of what a ground looks like: its shape, its own chunks, and the layers above them.
static karst_status digest(karst_project *p, karst_project_ground *g, uint64_t *holes) {
    uint64_t shape[6] = {(uint64_t)g->shape.columns, (uint64_t)g->shape.rows}, chunks;
    memcpy(&shape[2], &g->shape.spacing_m, 8);
    memcpy(&shape[3], &g->shape.origin, 24);
    g->hash = kst_hash(shape, sizeof shape, KST_WORLD_SCHEMA);
    g->hash = kst_hash_u64(g->hash, kst_hash(g->kind, strlen(g->kind), 0));
    karst_status status = kst_world_digest(p, kst_world_ground_owner(g->id), &g->hash, &chunks, holes);
    return status ? status : kst_world_digest_layers(p, g->id, &g->hash);
}

static karst_status read_ground(karst_project *p, sqlite3_stmt *s, karst_project_ground *g) {
    *g = (karst_project_ground){.id = sqlite3_column_int64(s, 0)};
    kst_world_copy_text(g->kind, sizeof g->kind, s, 1);
    kst_world_copy_text(g->name, sizeof g->name, s, 2);
    int64_t columns = sqlite3_column_int64(s, 3), rows = sqlite3_column_int64(s, 4);
    g->shape =
        (karst_field_shape){columns > INT32_MAX ? 0 : (int32_t)columns,
                            rows > INT32_MAX ? 0 : (int32_t)rows,
                            sqlite3_column_double(s, 5),
                            {sqlite3_column_double(s, 6), sqlite3_column_double(s, 7), sqlite3_column_double(s, 8)}};
    g->step_m = sqlite3_column_double(s, 9);
    kst_world_copy_text(g->source, sizeof g->source, s, 10);
    if (g->id < 1 || g->id >= (int64_t)1 << 34 || !shape_is_sound(&g->shape) || strcmp(g->kind, "field") != 0)
        return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: ground %lld has a kind or size that no Karst wrote",
                        p->path, (long long)g->id);
    uint64_t holes;
    karst_status status = digest(p, g, &holes);
    g->hole_share = (double)holes / ((double)(columns - 1) * (double)(rows - 1));
    return status;
}

karst_status kst_world_list_grounds(karst_project *p, karst_project_ground *out, int capacity, int *count) {
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
    if (!status) status = kst_world_sql_fail(p, code, "cannot list the grounds");
    sqlite3_finalize(s);
    if (!status) *count = n;
    return status;
}

karst_status karst_project_grounds(karst_project *project, karst_project_ground *out, int capacity, int *count) {
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_world_list_grounds(project, out, capacity, count);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status karst_project_hash(karst_project *project, uint64_t *out) {
    karst_project_ground g;
    int count = 0;
    karst_status status = karst_project_grounds(project, &g, 1, &count);
    if (status) return status;
    uint64_t hash = kst_hash_u64((uint64_t)count, count ? g.hash : 0);
    pthread_mutex_lock(&project->mutex);
    status = kst_world_digest_net(project, &hash);
    pthread_mutex_unlock(&project->mutex);
    if (!status) *out = hash;
    return status;
}

karst_status kst_world_check_shape(karst_project *p, const karst_field_shape *shape) {
    if (shape_is_sound(shape)) return KARST_OK;
    return kst_fail(&p->report, KARST_ERROR_ARGUMENT,
                    "%s: a field of %d x %d vertices at %g m: sides are 2..%d, spacing above 0", p->path,
                    shape->columns, shape->rows, shape->spacing_m, KARST_FIELD_MAX_SIDE);
}

karst_status karst_project_add_field(karst_project *project, const char *name, const karst_field_shape *shape,
                                     int64_t *id) {
    karst_status status = kst_world_need_step(project);
    int64_t count = 0;
    if (!status) status = kst_world_check_shape(project, shape);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_sql_int(project->db, "SELECT count(*) FROM ground", project->path, &project->report, &count);
    if (!status && count)
        status = kst_fail(&project->report, KARST_ERROR_LIMIT,
                          "%s: has a ground already, and a world holds one: replace it", project->path);
    if (!status) {
        status = kst_world_do(project, "cannot add a ground",
                              "INSERT INTO ground(kind, name, columns, rows, spacing_m, origin_x, origin_y, origin_z,"
                              " step_m, source) VALUES('field', ?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, '')",
                              "tiirrrr", name ? name : "ground", (int64_t)shape->columns, (int64_t)shape->rows,
                              shape->spacing_m, shape->origin.x, shape->origin.y, shape->origin.z);
        if (!status) {
            *id = sqlite3_last_insert_rowid(project->db);
            status = kst_history_added(project, KST_GROUNDS, *id);
        }
    }
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status kst_world_find_ground(karst_project *p, int64_t id, karst_project_ground *out) {
    int count = 0;
    karst_status status = kst_world_list_grounds(p, out, 1, &count);
    if (!status && (!count || out->id != id))
        status = kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: has no ground %lld", p->path, (long long)id);
    return status;
}

karst_status kst_world_drop_chunks(karst_project *p, int64_t owner) {
    karst_status status = kst_history_keep_chunks(p, owner);
    if (status) return status;
    return kst_world_do(p, "cannot remove the chunks", "DELETE FROM chunk WHERE place >= ?1 AND place < ?2", "ii",
                        kst_world_place(owner, 0, 0), kst_world_place(owner + 1, 0, 0));
}

karst_status kst_world_drop_extras(karst_project *p, int64_t ground, const char *name) {
    for (;;) {
        sqlite3_stmt *s = NULL;
        int code = kst_sql_prepare(p->db, &s, "SELECT id FROM extra WHERE ground=?1 AND (?3 OR name=?2)", "iti", ground,
                                   name ? name : "", (int64_t)!name);
        if (code == SQLITE_OK) code = sqlite3_step(s);
        int64_t id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
        karst_status status = kst_world_sql_fail(p, code, "cannot find an extra");
        sqlite3_finalize(s);
        if (status || code != SQLITE_ROW) return status;
        status = kst_history_keep_row(p, KST_EXTRAS, id);
        if (!status) status = kst_world_do(p, "cannot remove an extra", "DELETE FROM extra WHERE id=?1", "i", id);
        if (status) return status;
    }
}

karst_status kst_world_set_shape(karst_project *p, int64_t ground, const karst_field_shape *shape) {
    karst_status status = kst_world_drop_extras(p, ground, NULL);
    if (!status) status = kst_history_keep_row(p, KST_GROUNDS, ground);
    if (status) return status;
    return kst_world_do(p, "cannot resize the ground",
                        "UPDATE ground SET columns=?2, rows=?3, spacing_m=?4, origin_x=?5, origin_y=?6, origin_z=?7,"
                        " step_m=0 WHERE id=?1",
                        "iiirrrr", ground, (int64_t)shape->columns, (int64_t)shape->rows, shape->spacing_m,
                        shape->origin.x, shape->origin.y, shape->origin.z);
}

static karst_status remove_ground(karst_project *p, int64_t ground) {
    karst_project_ground g;
    karst_status status = kst_world_find_ground(p, ground, &g);
    if (!status) status = kst_world_remove_sheets(p, ground);
    if (!status) status = kst_world_drop_chunks(p, kst_world_ground_owner(ground));
    if (!status) status = kst_world_drop_extras(p, ground, NULL);
    if (!status) status = kst_history_keep_row(p, KST_GROUNDS, ground);
    if (!status) status = kst_world_do(p, "cannot remove the ground", "DELETE FROM ground WHERE id=?1", "i", ground);
    return status;
}

karst_status karst_project_remove_ground(karst_project *project, int64_t ground) {
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = remove_ground(project, ground);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status karst_project_set_source(karst_project *project, int64_t ground, const char *source, double step_m) {
    karst_project_ground g;
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_find_ground(project, ground, &g);
    if (!status) status = kst_history_keep_row(project, KST_GROUNDS, ground);
    if (!status)
        status = kst_world_do(project, "cannot note the source", "UPDATE ground SET source=?2, step_m=?3 WHERE id=?1",
                              "itr", ground, source, step_m);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

// ---- extras ------------------------------------------------------------------------------------------

karst_status kst_world_put_extra(karst_project *p, int64_t ground, const char *name, const void *bytes, size_t size) {
    karst_status status = kst_world_drop_extras(p, ground, name);
    if (!status)
        status = kst_world_do(p, "cannot keep an extra",
                              "INSERT INTO extra(ground, name, hash, data) VALUES(?1, ?2, ?3, ?4)", "itib", ground,
                              name, (int64_t)kst_hash(bytes, size, 0), bytes, size);
    if (!status) status = kst_history_added(p, KST_EXTRAS, sqlite3_last_insert_rowid(p->db));
    return status;
}

karst_status karst_project_set_extra(karst_project *project, int64_t ground, const char *name, const void *bytes,
                                     size_t size) {
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status =
        size ? kst_world_put_extra(project, ground, name, bytes, size) : kst_world_drop_extras(project, ground, name);
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

karst_status kst_world_get_extra(karst_project *p, int64_t ground, const char *name, void **out, size_t *size) {
    sqlite3_stmt *s = NULL;
    int code =
        kst_sql_prepare(p->db, &s, "SELECT data, hash FROM extra WHERE ground=?1 AND name=?2", "it", ground, name);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = kst_world_sql_fail(p, code, "cannot read an extra");
    void *found = NULL;
    size_t found_size = 0;
    if (code == SQLITE_ROW) status = read_extra(p, s, name, &found, &found_size);
    sqlite3_finalize(s);
    if (!status) {
        *out = found;
        *size = found_size;
    }
    return status;
}

karst_status karst_project_get_extra(karst_project *project, int64_t ground, const char *name, void **out,
                                     size_t *size) {
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_world_get_extra(project, ground, name, out, size);
    pthread_mutex_unlock(&project->mutex);
    return status;
}
