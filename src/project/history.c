// SPDX-License-Identifier: MIT
// History: what a step keeps of all that it changes, in the same transaction.
//
// A delta belongs to a step and one row of a table. It takes the row from one state to another, known by their hashes
// (NULL: there is no row). While its step is done it leads back, once that is undone it leads forward: moving over a
// step turns its deltas, see travel.c. A delta holds the whole row that it gives, or, of a chunk, a difference
// (delta.c) when that is smaller.
#include <time.h>

#include "project/world.h"

static karst_status no_memory(karst_project *p) {
    return kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
}

// ---- deltas of rows ----------------------------------------------------------------------------------

// Hash of a row in a statement's values; NULL when there is no row.
static int bind_hash(sqlite3_stmt *s, int at, bool there, uint64_t hash) {
    return there ? sqlite3_bind_int64(s, at, (int64_t)hash) : sqlite3_bind_null(s, at);
}

karst_status kst_history_keep_row(karst_project *p, kst_table table, int64_t id) {
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, "SELECT 1 FROM delta WHERE step=?1 AND kind=?2 AND key=?3", "iii", p->step,
                               (int64_t)table, id);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = kst_world_sql_fail(p, code, "cannot keep a row");
    sqlite3_finalize(s);
    if (status || code == SQLITE_ROW) return status;
    kst_row row = {0};
    status = kst_row_read(p, table, id, &row);
    if (status) return status;
    s = NULL;
    code = kst_sql_prepare(p->db, &s,
                           "INSERT INTO delta(step, kind, key, holes, samples, gives, data)"
                           " VALUES(?1, ?2, ?3, 0, 0, ?4, ?5)",
                           "iii", p->step, (int64_t)table, id);
    if (code == SQLITE_OK) code = bind_hash(s, 4, row.bytes, row.hash);
    if (code == SQLITE_OK && row.bytes) code = sqlite3_bind_blob64(s, 5, row.bytes, row.size, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    status = kst_world_sql_fail(p, code, "cannot keep a row");
    sqlite3_finalize(s);
    kst_row_free(&row);
    return status;
}

karst_status kst_history_added(karst_project *p, kst_table table, int64_t id) {
    return kst_world_do(p, "cannot keep a row",
                        "INSERT INTO delta(step, kind, key, holes, samples) VALUES(?1, ?2, ?3, 0, 0)", "iii", p->step,
                        (int64_t)table, id);
}

// At the end of a step its rows are what they will be: note their hashes, drop the deltas of those that are as before.
static karst_status finish_rows(karst_project *p) {
    sqlite3_stmt *s = NULL;
    int code =
        kst_sql_prepare(p->db, &s, "SELECT id, kind, key, gives FROM delta WHERE step=?1 AND kind>0", "i", p->step);
    karst_status status = KARST_OK;
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        int64_t delta = sqlite3_column_int64(s, 0);
        bool was = sqlite3_column_type(s, 3) != SQLITE_NULL;
        kst_row row = {0};
        status = kst_row_read(p, (kst_table)sqlite3_column_int(s, 1), sqlite3_column_int64(s, 2), &row);
        if (status) break;
        if (was == (row.bytes != NULL) && (!was || row.hash == (uint64_t)sqlite3_column_int64(s, 3)))
            status = kst_world_do(p, "cannot finish the step", "DELETE FROM delta WHERE id=?1", "i", delta);
        else if (row.bytes)
            status = kst_world_do(p, "cannot finish the step", "UPDATE delta SET takes=?2 WHERE id=?1", "ii", delta,
                                  (int64_t)row.hash);
        kst_row_free(&row);
    }
    if (!status) status = kst_world_sql_fail(p, code, "cannot finish the step");
    sqlite3_finalize(s);
    return status;
}

// ---- deltas of chunks --------------------------------------------------------------------------------

static int put_delta(karst_project *p, int64_t place, const kst_stored *takes, const kst_stored *gives,
                     const uint8_t *bytes, size_t size, int64_t samples) {
    sqlite3_stmt *s = p->keep;
    sqlite3_bind_int64(s, 1, p->step);
    sqlite3_bind_int64(s, 2, place);
    bind_hash(s, 3, takes->bytes, takes->hash);
    bind_hash(s, 4, gives->bytes, gives->hash);
    sqlite3_bind_int64(s, 5, gives->holes);
    sqlite3_bind_int64(s, 6, samples);
    int code = bytes ? sqlite3_bind_blob64(s, 7, bytes, size, SQLITE_STATIC) : sqlite3_bind_null(s, 7);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return code;
}

// Own vertices that differ; NULL is flat ground.
static int64_t count_changed(const karst_field_chunk *a, const karst_field_chunk *b, int columns, int rows) {
    static const float zero[KARST_CHUNK_VERTICES];
    const float *from[3] = {a ? a->y : zero, a ? a->x : zero, a ? a->z : zero};
    const float *to[3] = {b ? b->y : zero, b ? b->x : zero, b ? b->z : zero};
    int64_t count = 0;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) {
            int k = j * KARST_CHUNK_SIDE + i;
            count +=
                memcmp(&from[0][k], &to[0][k], sizeof(float)) != 0 || from[1][k] != to[1][k] || from[2][k] != to[2][k];
        }
    return count;
}

// Scratch of one chunk that changes.
typedef struct room {
    karst_field_chunk before;
    size_t bound;
    uint8_t bytes[];
} room;

// The chunk as it was before this step: what is stored, or, when it changed in this step already, what its delta makes
// of that. *before points into r, or is `old`. *in_room: r->before holds its samples.
static karst_status state_before(karst_project *p, int64_t place, const kst_stored *old, room *r, kst_stored *before,
                                 bool *in_room) {
    *before = *old;
    *in_room = old->bytes && !kst_world_chunk_decode(old->bytes, old->size, old->hash, &r->before);
    sqlite3_bind_int64(p->find, 1, p->step);
    sqlite3_bind_int64(p->find, 2, place);
    int code = sqlite3_step(p->find);
    karst_status status = kst_world_sql_fail(p, code, "cannot keep a chunk");
    if (code == SQLITE_ROW) {
        const uint8_t *data = sqlite3_column_blob(p->find, 1);
        size_t size = (size_t)sqlite3_column_bytes(p->find, 1);
        *before = (kst_stored){.holes = sqlite3_column_int64(p->find, 2)};
        if (sqlite3_column_type(p->find, 0) == SQLITE_NULL) {
            *in_room = false;
        } else if (size && size <= r->bound && data[0] == KST_DELTA_FORM) {
            status = *in_room ? kst_delta_apply(data, size,
                                                kst_delta_ends(old->hash, (uint64_t)sqlite3_column_int64(p->find, 0)),
                                                &r->before)
                              : KARST_ERROR_FORMAT;
            before->size = status ? 0 : kst_world_chunk_encode(&r->before, r->bytes, r->bound, &before->hash);
            if (!status && !before->size) status = KARST_ERROR_MEMORY;
            before->bytes = r->bytes;
        } else if (size && size <= r->bound) {
            memcpy(r->bytes, data, size);
            *before = (kst_stored){r->bytes, size, (uint64_t)sqlite3_column_int64(p->find, 0), before->holes};
            *in_room = !kst_world_chunk_decode(before->bytes, size, before->hash, &r->before);
        }
        if (status) kst_fail(&p->report, status, "%s: cannot keep a chunk: %s", p->path, karst_status_text(status));
    }
    sqlite3_reset(p->find);
    return status;
}

static karst_status keep_change(karst_project *p, int64_t place, const kst_stored *before, const kst_stored *now,
                                const karst_field_chunk *was, const karst_field_chunk *chunk, int columns, int rows) {
    size_t bound = kst_delta_bound(), size = 0;
    uint8_t *bytes = NULL;
    // Samples that cannot be read count as changed.
    int64_t samples = before->bytes && !was ? (int64_t)columns * rows : count_changed(was, chunk, columns, rows);
    if (was && chunk) {
        bytes = kst_alloc(NULL, bound);
        size = bytes ? kst_delta_encode(was, chunk, kst_delta_ends(now->hash, before->hash), bytes, bound) : 0;
        if (!size) {
            kst_free(NULL, bytes, bound);
            return no_memory(p);
        }
    }
    bool whole = !size || size >= before->size;
    int code = put_delta(p, place, now, before, whole ? before->bytes : bytes, whole ? before->size : size, samples);
    kst_free(NULL, bytes, bound);
    return kst_world_sql_fail(p, code, "cannot keep a chunk");
}

karst_status kst_history_keep_chunk(karst_project *p, int64_t place, const kst_stored *old, const kst_stored *now,
                                    const karst_field_chunk *chunk, int columns, int rows) {
    size_t bound = kst_world_chunk_bound();
    room *r = kst_alloc(NULL, sizeof *r + bound);
    if (!r) return no_memory(p);
    r->bound = bound;
    kst_stored before;
    bool in_room = false;
    karst_status status = state_before(p, place, old, r, &before, &in_room);
    bool same = !before.bytes == !now->bytes && (!now->bytes || before.hash == now->hash);
    if (!status && same) {
        sqlite3_bind_int64(p->forget, 1, p->step);
        sqlite3_bind_int64(p->forget, 2, place);
        status = kst_world_sql_fail(p, sqlite3_step(p->forget), "cannot keep a chunk");
        sqlite3_reset(p->forget);
    } else if (!status) {
        status = keep_change(p, place, &before, now, in_room ? &r->before : NULL, chunk, columns, rows);
    }
    kst_free(NULL, r, sizeof *r + bound);
    return status;
}

// Chunks of an owner that changed in this step already, one after the other.
static karst_status keep_changed(karst_project *p, int64_t first, int64_t end) {
    static const char sql[] =
        "SELECT chunk.place FROM delta JOIN chunk ON chunk.place=delta.key"
        " WHERE step=?1 AND kind=0 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT 1";
    for (int64_t from = first;;) {
        sqlite3_stmt *s = NULL;
        int code = kst_sql_prepare(p->db, &s, sql, "iii", p->step, from, end);
        if (code == SQLITE_OK) code = sqlite3_step(s);
        int64_t place = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
        karst_status status = kst_world_sql_fail(p, code, "cannot keep the chunks");
        sqlite3_finalize(s);
        if (status || code != SQLITE_ROW) return status;
        kst_stored old, none = {0};
        status = kst_stored_read(p, place, &old);
        if (!status) status = kst_history_keep_chunk(p, place, &old, &none, NULL, KARST_CHUNK_SIDE, KARST_CHUNK_SIDE);
        kst_stored_done(p);
        if (!status) status = kst_stored_write(p, place, &none);
        if (status) return status;
        from = place + 1;
    }
}

karst_status kst_history_keep_chunks(karst_project *p, int64_t owner) {
    int64_t first = kst_world_place(owner, 0, 0), end = kst_world_place(owner + 1, 0, 0);
    karst_status status = keep_changed(p, first, end);
    if (status) return status;
    return kst_world_do(p, "cannot keep the chunks",
                        "INSERT INTO delta(step, kind, key, takes, gives, holes, samples, data)"
                        " SELECT ?1, 0, place, NULL, hash, holes, 4096, data FROM chunk"
                        " WHERE place >= ?2 AND place < ?3",
                        "iii", p->step, first, end);
}

// ---- steps -------------------------------------------------------------------------------------------

karst_status kst_history_begin(karst_project *p, const char *name) {
    karst_status status = kst_world_do(p, "cannot begin a step",
                                       "INSERT INTO step(parent, name, time, bytes, samples, redo)"
                                       " VALUES((SELECT head FROM history), ?1, 0, 0, 0, 0)",
                                       "t", name);
    p->step = status ? 0 : sqlite3_last_insert_rowid(p->db);
    return status;
}

karst_status kst_history_weigh(karst_project *p, int64_t step) {
    return kst_world_do(p, "cannot finish the step",
                        "UPDATE step SET (bytes, samples) ="
                        " (SELECT count(*) * 48 + coalesce(sum(length(data)), 0), coalesce(sum(samples), 0)"
                        " FROM delta WHERE step=?1) WHERE id=?1",
                        "i", step);
}

karst_status kst_history_commit(karst_project *p) {
    karst_status status = finish_rows(p);
    int64_t any = 0;
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT EXISTS(SELECT 1 FROM delta WHERE step=%lld)", (long long)p->step);
    if (!status) status = kst_sql_int(p->db, sql, p->path, &p->report, &any);
    if (status) return status;
    if (!any) return kst_world_do(p, "cannot finish the step", "DELETE FROM step WHERE id=?1", "i", p->step);
    status = kst_world_do(p, "cannot finish the step", "UPDATE step SET time=?2 WHERE id=?1", "ii", p->step,
                          (int64_t)time(NULL));
    if (!status) status = kst_history_weigh(p, p->step);
    if (!status) status = kst_history_arrive(p, p->step);
    return status ? status : kst_history_trim(p);
}
