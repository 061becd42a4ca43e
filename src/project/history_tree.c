// SPDX-License-Identifier: MIT
// The tree of steps: reading and checking it, its list for people, and what goes when it may not grow.
#include "project/history_tree.h"

#include <stdlib.h>

static karst_status broken(karst_project *p, int64_t id) {
    return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: the history is damaged at step %lld", p->path, (long long)id);
}

// ---- reading -----------------------------------------------------------------------------------------

static karst_status read_history(karst_project *p, kst_tree *t) {
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, "SELECT head, redo, most FROM history", "");
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = code == SQLITE_DONE ? broken(p, 0) : kst_world_sql_fail(p, code, "cannot read the history");
    if (code == SQLITE_ROW) {
        t->head = sqlite3_column_int64(s, 0);
        t->root_redo = sqlite3_column_int64(s, 1);
        t->most = (uint64_t)sqlite3_column_int64(s, 2);
    }
    sqlite3_finalize(s);
    return status;
}

static bool read_step(sqlite3_stmt *s, const kst_tree *t, karst_history_step *out) {
    *out = (karst_history_step){.id = sqlite3_column_int64(s, 0),
                                .parent = sqlite3_column_int64(s, 1),
                                .time_s = sqlite3_column_int64(s, 3),
                                .bytes = (uint64_t)sqlite3_column_int64(s, 4),
                                .samples = (uint64_t)sqlite3_column_int64(s, 5)};
    kst_world_copy_text(out->name, sizeof out->name, s, 2);
    int64_t before = t->count ? t->steps[t->count - 1].id : 0;
    return out->id > before && (!out->parent || kst_tree_find(t, out->parent));
}

static karst_status read_steps(karst_project *p, int64_t open, kst_tree *t) {
    int64_t most = 0;
    karst_status status = kst_sql_int(p->db, "SELECT count(*) FROM step", p->path, &p->report, &most);
    if (status || !most) return status;
    if (most > INT32_MAX) return broken(p, 0);
    t->steps = kst_alloc_array(NULL, (size_t)most, sizeof *t->steps);
    t->redo = kst_alloc_array(NULL, (size_t)most, sizeof *t->redo);
    if (!t->steps || !t->redo) return kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(
        p->db, &s, "SELECT id, parent, name, time, bytes, samples, redo FROM step WHERE id<>?1 ORDER BY id", "i", open);
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW &&
           t->count < most) {
        if (!read_step(s, t, &t->steps[t->count])) status = broken(p, sqlite3_column_int64(s, 0));
        t->redo[t->count++] = sqlite3_column_int64(s, 6);
    }
    if (!status) status = kst_world_sql_fail(p, code, "cannot read the history");
    sqlite3_finalize(s);
    return status;
}

// Where redo leads from a step: where it was left last, else to the newest.
static karst_history_step *after(const kst_tree *t, int64_t id, int64_t redo) {
    const karst_history_step *wanted = kst_tree_find(t, redo);
    if (wanted && wanted->parent == id) return &t->steps[wanted - t->steps];
    for (int i = t->count; i-- > 0;)
        if (t->steps[i].parent == id) return &t->steps[i];
    return NULL;
}

// Which steps are done, and which ones redo would do, one after the other.
static void mark(kst_tree *t) {
    const karst_history_step *head = kst_tree_find(t, t->head);
    for (const karst_history_step *s = head; s; s = kst_tree_find(t, s->parent)) t->steps[s - t->steps].done = true;
    if (head) t->steps[head - t->steps].current = true;
    int64_t redo = head ? t->redo[head - t->steps] : t->root_redo;
    for (karst_history_step *s = after(t, t->head, redo); s; s = after(t, s->id, t->redo[s - t->steps])) s->next = true;
}

karst_status kst_tree_read(karst_project *p, kst_tree *out) {
    *out = (kst_tree){0};
    karst_status status = read_history(p, out);
    if (!status) status = read_steps(p, p->step, out);
    if (!status && out->head && !kst_tree_find(out, out->head)) status = broken(p, out->head);
    if (!status) mark(out);
    if (status) kst_tree_free(out);
    return status;
}

void kst_tree_free(kst_tree *tree) {
    free(tree->steps);
    free(tree->redo);
    *tree = (kst_tree){0};
}

const karst_history_step *kst_tree_find(const kst_tree *tree, int64_t id) {
    int low = 0, high = tree->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (tree->steps[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tree->count && tree->steps[low].id == id ? &tree->steps[low] : NULL;
}

karst_status karst_project_log(karst_project *project, karst_history_step *out, int capacity, int *count) {
    kst_tree tree;
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_tree_read(project, &tree);
    pthread_mutex_unlock(&project->mutex);
    if (status) return status;
    int n = tree.count < capacity ? tree.count : capacity;
    if (n) memcpy(out, tree.steps, (size_t)n * sizeof *out);
    *count = tree.count;
    kst_tree_free(&tree);
    return KARST_OK;
}

// ---- writing -----------------------------------------------------------------------------------------

karst_status kst_history_arrive(karst_project *p, int64_t step) {
    karst_status status = kst_world_do(
        p, "cannot note the step", "UPDATE step SET redo=?1 WHERE id=(SELECT parent FROM step WHERE id=?1)", "i", step);
    if (!status)
        status = kst_world_do(p, "cannot note the step",
                              "UPDATE history SET head=?1, redo=CASE (SELECT parent FROM step WHERE id=?1) WHEN 0"
                              " THEN ?1 ELSE redo END",
                              "i", step);
    return status;
}

static karst_status forget_step(karst_project *p, int64_t step) {
    karst_status status = kst_world_do(p, "cannot trim the history", "DELETE FROM delta WHERE step=?1", "i", step);
    if (!status) status = kst_world_do(p, "cannot trim the history", "DELETE FROM step WHERE id=?1", "i", step);
    return status;
}

// Forget the oldest step and what it alone led to; gone[i] marks them. The world stands where it stood.
static karst_status forget_oldest(karst_project *p, const kst_tree *t, int oldest, bool *gone, uint64_t *bytes) {
    bool done = t->steps[oldest].done;
    karst_status status = KARST_OK;
    for (int i = oldest; i < t->count && !status; ++i) {
        const karst_history_step *s = &t->steps[i], *parent = kst_tree_find(t, s->parent);
        bool lost = i == oldest;
        // Done: what began before it cannot be reached any more. Undone: nor can what came after it.
        if (done)
            lost |= !s->done && (!parent || (gone[parent - t->steps] && parent->id != t->steps[oldest].id));
        else
            lost |= parent && gone[parent - t->steps];
        if (gone[i] || !lost) continue;
        gone[i] = true;
        *bytes -= s->bytes < *bytes ? s->bytes : *bytes;
        status = forget_step(p, s->id);
    }
    if (status || !done) return status;
    int64_t id = t->steps[oldest].id;
    status = kst_world_do(p, "cannot trim the history", "UPDATE step SET parent=0 WHERE parent=?1", "i", id);
    if (!status)
        status = kst_world_do(p, "cannot trim the history",
                              "UPDATE history SET redo=?2, head=CASE head WHEN ?1 THEN 0 ELSE head END", "ii", id,
                              t->redo[oldest]);
    return status;
}

karst_status kst_history_trim(karst_project *p) {
    int64_t most = 0, all = 0;
    karst_status status = kst_sql_int(p->db, "SELECT most FROM history", p->path, &p->report, &most);
    if (!status && most > 0)
        status = kst_sql_int(p->db, "SELECT coalesce(sum(bytes), 0) FROM step", p->path, &p->report, &all);
    if (status || most <= 0) return status;
    uint64_t bytes = (uint64_t)all;
    while (bytes > (uint64_t)most && !status) {  // after each the tree is another
        kst_tree tree;
        int64_t open = p->step;
        p->step = 0;
        status = kst_tree_read(p, &tree);
        p->step = open;
        if (status) break;
        bool *gone = kst_alloc_zero(NULL, (size_t)tree.count + 1);
        if (!gone) status = kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
        if (gone && tree.count) status = forget_oldest(p, &tree, 0, gone, &bytes);
        if (!tree.count) bytes = 0;
        kst_free(NULL, gone, (size_t)tree.count + 1);
        kst_tree_free(&tree);
    }
    return status;
}

karst_status kst_world_alone(karst_project *p) {
    p->report = (karst_report){0};
    if (p->mode != KARST_PROJECT_WRITE)
        return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: opened for reading: open it for editing", p->path);
    if (p->in_step)
        return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: a step is open: finish or drop it first", p->path);
    return KARST_OK;
}

karst_status karst_project_set_history_limit(karst_project *project, uint64_t bytes) {
    karst_status status = kst_world_alone(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_sql_run(project->db, "BEGIN IMMEDIATE", project->path, "cannot set the limit", &project->report);
    if (!status) {
        status = kst_world_do(project, "cannot set the limit", "UPDATE history SET most=?1", "i",
                              (int64_t)(bytes > INT64_MAX ? INT64_MAX : bytes));
        if (!status) status = kst_history_trim(project);
        if (!status)
            status = kst_sql_run(project->db, "COMMIT", project->path, "cannot set the limit", &project->report);
        if (status) sqlite3_exec(project->db, "ROLLBACK", NULL, NULL, NULL);
        // The file gives back what is free now; when it cannot, it uses that again.
        if (!status) sqlite3_exec(project->db, "PRAGMA incremental_vacuum", NULL, NULL, NULL);
    }
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status karst_project_history_limit(karst_project *project, uint64_t *bytes) {
    int64_t most = 0;
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_sql_int(project->db, "SELECT most FROM history", project->path, &project->report, &most);
    pthread_mutex_unlock(&project->mutex);
    if (!status) *bytes = most > 0 ? (uint64_t)most : 0;
    return status;
}
