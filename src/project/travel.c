// SPDX-License-Identifier: MIT
// Travel: moving the world along the tree of its steps, and what is kept of that tree.
//
// To move over a step, turn each of its deltas: the row must be in the state that the delta takes, goes to the state
// that it gives, and the delta becomes the one that leads back. The way from one step to another goes up, undoing, to
// the last step that both came after, and down from there, redoing.
#include <stdlib.h>

#include "project/history_tree.h"

// ---- one delta ---------------------------------------------------------------------------------------

// A delta as it is read; data is the statement's.
typedef struct delta {
    int64_t id, key, holes;
    kst_table table;
    bool takes_any, gives_any;
    uint64_t takes, gives;
    const uint8_t *data;
    size_t size;
} delta;

// A move over one step.
typedef struct move {
    karst_project *p;
    const karst_history_step *step;
    const char *verb;  // "undone", "redone"
    sqlite3_stmt *read, *turn;
} move;

static karst_status no_memory(karst_project *p) {
    return kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
}

static karst_status damaged(const move *m, const delta *d, karst_status status) {
    if (status == KARST_ERROR_MEMORY) return no_memory(m->p);
    char row[KST_ROW_NAME];
    kst_history_row_name(d->table, d->key, row);
    return kst_fail(&m->p->report, KARST_ERROR_FORMAT,
                    "%s: step %lld (%s) cannot be %s: what it kept of %s is damaged; the world stays as it is",
                    m->p->path, (long long)m->step->id, m->step->name, m->verb, row);
}

// The delta now leads from `takes` back: it gives what was there before the move.
static karst_status write_turned(const move *m, const delta *d, bool there, uint64_t hash, int64_t holes,
                                 const uint8_t *bytes, size_t size) {
    sqlite3_stmt *s = m->turn;
    sqlite3_bind_int64(s, 1, d->id);
    d->gives_any ? sqlite3_bind_int64(s, 2, (int64_t)d->gives) : sqlite3_bind_null(s, 2);
    there ? sqlite3_bind_int64(s, 3, (int64_t)hash) : sqlite3_bind_null(s, 3);
    sqlite3_bind_int64(s, 4, holes);
    int code = bytes ? sqlite3_bind_blob64(s, 5, bytes, size, SQLITE_STATIC) : sqlite3_bind_null(s, 5);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return kst_world_sql_fail(m->p, code, "cannot move over the step");
}

static bool is_difference(const delta *d) {
    return d->size && d->data[0] == KST_DELTA_FORM;
}

// Scratch of a chunk that a difference changes.
typedef struct room {
    karst_field_chunk chunk, was;
    uint8_t bytes[];
} room;

// The way back is the shorter of a difference and the whole chunk, as ever.
static karst_status write_way_back(const move *m, const delta *d, const kst_stored *now, const room *r) {
    size_t bound = kst_delta_bound();
    uint8_t *bytes = kst_alloc(NULL, bound);
    size_t size = bytes ? kst_delta_encode(&r->was, &r->chunk, kst_delta_ends(d->gives, now->hash), bytes, bound) : 0;
    bool whole = size >= now->size;
    karst_status status =
        size ? write_turned(m, d, true, now->hash, now->holes, whole ? now->bytes : bytes, whole ? now->size : size)
             : no_memory(m->p);
    kst_free(NULL, bytes, bound);
    return status;
}

static karst_status turn_difference(const move *m, const delta *d, const kst_stored *now, room *r, size_t bound) {
    karst_status status = kst_world_chunk_decode(now->bytes, now->size, now->hash, &r->was);
    r->chunk = r->was;
    if (!status) status = kst_delta_apply(d->data, d->size, kst_delta_ends(d->takes, d->gives), &r->chunk);
    kst_stored next = {.bytes = r->bytes, .holes = d->holes};
    if (!status) next.size = kst_world_chunk_encode(&r->chunk, r->bytes, bound, &next.hash);
    if (!status && !next.size) status = KARST_ERROR_MEMORY;
    if (!status && next.hash != d->gives) status = KARST_ERROR_FORMAT;
    if (status) return damaged(m, d, status);
    status = write_way_back(m, d, now, r);
    kst_stored_done(m->p);
    return status ? status : kst_stored_write(m->p, d->key, &next);
}

static karst_status turn_whole(const move *m, const delta *d, const kst_stored *now, room *r) {
    karst_status status = KARST_OK;
    if (d->gives_any) status = kst_world_chunk_decode(d->data, d->size, d->gives, &r->chunk);
    if (d->gives_any != (d->size > 0)) status = KARST_ERROR_FORMAT;
    if (status) return damaged(m, d, status);
    kst_stored next = {d->gives_any ? d->data : NULL, d->size, d->gives, d->holes};
    status = write_turned(m, d, now->bytes, now->hash, now->holes, now->bytes, now->size);
    kst_stored_done(m->p);
    return status ? status : kst_stored_write(m->p, d->key, &next);
}

static karst_status turn_chunk(const move *m, const delta *d) {
    size_t bound = kst_world_chunk_bound();
    room *r = kst_alloc(NULL, sizeof *r + bound);
    if (!r) return no_memory(m->p);
    kst_stored now;
    karst_status status = kst_stored_read(m->p, d->key, &now);
    if (!status && (d->takes_any != (now.bytes != NULL) || (now.bytes && now.hash != d->takes)))
        status = damaged(m, d, KARST_ERROR_FORMAT);
    bool difference = is_difference(d) && d->takes_any && d->gives_any;
    if (!status) status = difference ? turn_difference(m, d, &now, r, bound) : turn_whole(m, d, &now, r);
    kst_stored_done(m->p);
    kst_free(NULL, r, sizeof *r + bound);
    return status;
}

static karst_status turn_row(const move *m, const delta *d) {
    kst_row now = {0};
    karst_status status = kst_row_read(m->p, d->table, d->key, &now);
    if (status) return status;
    bool sound = d->takes_any == (now.bytes != NULL) && (!now.bytes || now.hash == d->takes) &&
                 d->gives_any == (d->size > 0) &&
                 (!d->size || kst_hash(d->data, d->size, (uint64_t)d->table) == d->gives);
    if (sound) status = kst_row_write(m->p, d->table, d->key, d->size ? d->data : NULL, d->size);
    if (!sound || status == KARST_ERROR_FORMAT) status = damaged(m, d, KARST_ERROR_FORMAT);
    if (!status) status = write_turned(m, d, now.bytes, now.hash, 0, now.bytes, now.size);
    kst_row_free(&now);
    return status;
}

static karst_status turn_delta(const move *m, int64_t id) {
    sqlite3_stmt *s = m->read;
    sqlite3_bind_int64(s, 1, id);
    int code = sqlite3_step(s);
    karst_status status = kst_world_sql_fail(m->p, code, "cannot read what a step kept");
    if (code == SQLITE_ROW) {
        delta d = {.id = id,
                   .table = (kst_table)sqlite3_column_int(s, 0),
                   .key = sqlite3_column_int64(s, 1),
                   .takes_any = sqlite3_column_type(s, 2) != SQLITE_NULL,
                   .takes = (uint64_t)sqlite3_column_int64(s, 2),
                   .gives_any = sqlite3_column_type(s, 3) != SQLITE_NULL,
                   .gives = (uint64_t)sqlite3_column_int64(s, 3),
                   .holes = sqlite3_column_int64(s, 4),
                   .data = sqlite3_column_blob(s, 5),
                   .size = (size_t)sqlite3_column_bytes(s, 5)};
        if (d.table < 0 || d.table >= KST_TABLE_COUNT)
            status = damaged(m, &d, KARST_ERROR_FORMAT);
        else
            status = d.table == KST_CHUNKS ? turn_chunk(m, &d) : turn_row(m, &d);
    }
    sqlite3_reset(s);
    return status;
}

// ---- one step ----------------------------------------------------------------------------------------

// Ids of a step's deltas; rows that go come before rows that come, which may take their names.
static karst_status list_deltas(karst_project *p, int64_t step, int64_t **out, size_t *count) {
    int64_t most = 0;
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM delta WHERE step=%lld", (long long)step);
    karst_status status = kst_sql_int(p->db, sql, p->path, &p->report, &most);
    int64_t *ids = status ? NULL : kst_alloc_array(NULL, (size_t)most + 1, sizeof *ids);
    if (!status && !ids) status = no_memory(p);
    if (status) return status;
    sqlite3_stmt *s = NULL;
    size_t n = 0;
    int code = kst_sql_prepare(p->db, &s, "SELECT id FROM delta WHERE step=?1 ORDER BY gives IS NOT NULL, kind, key",
                               "i", step);
    while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW && n < (size_t)most)
        ids[n++] = sqlite3_column_int64(s, 0);
    status = kst_world_sql_fail(p, code, "cannot read what a step kept");
    sqlite3_finalize(s);
    *out = ids;
    *count = n;
    return status;
}

// Share of the way that is behind, for the progress.
typedef struct way {
    const karst_progress *progress;
    int64_t done, all;
} way;

static karst_status move_over(karst_project *p, const karst_history_step *step, bool undo, way *w) {
    move m = {p, step, undo ? "undone" : "redone", NULL, NULL};
    int64_t *ids = NULL;
    size_t count = 0;
    karst_status status = list_deltas(p, step->id, &ids, &count);
    int code = SQLITE_OK;
    if (!status)
        code =
            kst_sql_prepare(p->db, &m.read, "SELECT kind, key, takes, gives, holes, data FROM delta WHERE id=?1", "");
    if (!status && code == SQLITE_OK)
        code =
            kst_sql_prepare(p->db, &m.turn, "UPDATE delta SET takes=?2, gives=?3, holes=?4, data=?5 WHERE id=?1", "");
    if (!status) status = kst_world_sql_fail(p, code, "cannot move over the step");
    for (size_t k = 0; k < count && !status; ++k) {
        status = turn_delta(&m, ids[k]);
        if (!status && (++w->done & 15) == 0) {
            status = kst_progress_step(w->progress, undo ? "undo" : "redo", (double)w->done / (double)w->all);
            if (status) kst_fail(&p->report, status, "%s: stopped, the world stays as it was", p->path);
        }
    }
    sqlite3_finalize(m.read);
    sqlite3_finalize(m.turn);
    free(ids);
    if (!status) status = kst_history_weigh(p, step->id);
    if (!status && undo) status = kst_history_arrive(p, step->id);  // where redo leads
    if (!status)
        status = undo ? kst_world_do(p, "cannot move over the step", "UPDATE history SET head=?1", "i", step->parent)
                      : kst_history_arrive(p, step->id);
    return status;
}

// ---- the way -----------------------------------------------------------------------------------------

static karst_status count_way(karst_project *p, const int64_t *steps, int count, int64_t *all) {
    *all = 1;
    karst_status status = KARST_OK;
    for (int k = 0; k < count && !status; ++k) {
        int64_t n = 0;
        char sql[80];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM delta WHERE step=%lld", (long long)steps[k]);
        status = kst_sql_int(p->db, sql, p->path, &p->report, &n);
        *all += n;
    }
    return status;
}

// Steps to undo, from the head up, then steps to redo, down to the target. Room for all steps.
static void find_way(const kst_tree *t, int64_t target, int64_t *steps, int *undo, int *all) {
    int down = 0;
    const karst_history_step *s = kst_tree_find(t, target);
    for (; s && !s->done; s = kst_tree_find(t, s->parent)) ++down;
    int64_t meet = s ? s->id : 0;
    *undo = 0;
    for (s = kst_tree_find(t, t->head); s && s->id != meet; s = kst_tree_find(t, s->parent)) steps[(*undo)++] = s->id;
    *all = *undo + down;
    s = kst_tree_find(t, target);
    for (int k = *all; k-- > *undo; s = kst_tree_find(t, s->parent)) steps[k] = s->id;
}

static karst_status go(karst_project *p, const kst_tree *t, int64_t target, const karst_progress *progress) {
    int64_t *steps = kst_alloc_array(NULL, (size_t)t->count + 1, sizeof *steps);
    if (!steps) return no_memory(p);
    int undo, all;
    find_way(t, target, steps, &undo, &all);
    way w = {progress, 0, 1};
    karst_status status = count_way(p, steps, all, &w.all);
    for (int k = 0; k < all && !status; ++k) status = move_over(p, kst_tree_find(t, steps[k]), k < undo, &w);
    kst_free(NULL, steps, ((size_t)t->count + 1) * sizeof *steps);
    return status;
}

typedef enum aim { UNDO, REDO, GO } aim;

static karst_status choose(karst_project *p, const kst_tree *t, aim how, int64_t *target, karst_history_step *told) {
    if (how == GO && *target && !kst_tree_find(t, *target))
        return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: has no step %lld: karst log lists them", p->path,
                        (long long)*target);
    if (how == GO) return KARST_OK;
    const karst_history_step *over = kst_tree_find(t, t->head);
    if (how == REDO) {
        over = NULL;
        for (int i = 0; i < t->count; ++i)
            if (t->steps[i].next && t->steps[i].parent == t->head) over = &t->steps[i];
    }
    if (!over)
        return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: nothing to %s", p->path, how == UNDO ? "undo" : "redo");
    *target = how == UNDO ? over->parent : over->id;
    if (told) *told = *over;
    return KARST_OK;
}

static karst_status travel(karst_project *p, aim how, int64_t target, const karst_progress *progress,
                           karst_history_step *out) {
    karst_status status = kst_world_alone(p);
    if (status) return status;
    karst_history_step told = {0};
    kst_tree tree = {0};
    pthread_mutex_lock(&p->mutex);
    status = kst_sql_run(p->db, "PRAGMA synchronous=FULL; BEGIN IMMEDIATE", p->path, "cannot begin", &p->report);
    if (!status) {
        status = kst_tree_read(p, &tree);
        if (!status) status = choose(p, &tree, how, &target, &told);
        if (!status) status = go(p, &tree, target, progress);
        if (!status) status = kst_sql_run(p->db, "COMMIT", p->path, "cannot finish", &p->report);
        if (status) sqlite3_exec(p->db, "ROLLBACK", NULL, NULL, NULL);
        p->moves += !status;
    }
    sqlite3_exec(p->db, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
    pthread_mutex_unlock(&p->mutex);
    kst_tree_free(&tree);
    if (!status && out) *out = told;
    return status;
}

karst_status karst_project_undo(karst_project *project, const karst_progress *progress, karst_history_step *out) {
    return travel(project, UNDO, 0, progress, out);
}

karst_status karst_project_redo(karst_project *project, const karst_progress *progress, karst_history_step *out) {
    return travel(project, REDO, 0, progress, out);
}

karst_status karst_project_go(karst_project *project, int64_t step, const karst_progress *progress) {
    return travel(project, GO, step, progress, NULL);
}
