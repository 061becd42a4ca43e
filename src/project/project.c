// SPDX-License-Identifier: MIT
// The world file: made, opened, closed; steps.
//
// A writer holds the lock beside the file for as long as it is open, so nobody else begins a step. A reader
// holds one read transaction for as long as it is open: it sees the world of the moment it opened, whole.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "project/world.h"

static const uint64_t cache_limit_default = (uint64_t)512 << 20;

static karst_status memory_fail(karst_report *report, const char *path) {
    return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
}

// ---- opening -----------------------------------------------------------------------------------------

static karst_status prepare(karst_project *p, const char *sql, sqlite3_stmt **out, karst_report *report) {
    return kst_sql_fail(p->db, sqlite3_prepare_v3(p->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL), p->path,
                        "not a whole world", report);
}

static karst_status prepare_all(karst_project *p, karst_report *report) {
    karst_status status = prepare(p, "SELECT data, hash, holes FROM chunk WHERE place=?1", &p->load, report);
    if (!status)
        status = prepare(p, "INSERT OR REPLACE INTO chunk(place, hash, holes, data) VALUES(?1, ?2, ?3, ?4)", &p->save,
                         report);
    if (!status) status = prepare(p, "DELETE FROM chunk WHERE place=?1", &p->drop, report);
    if (!status)
        status =
            prepare(p, "SELECT gives, data, holes FROM delta WHERE step=?1 AND kind=0 AND key=?2", &p->find, report);
    if (!status)
        status = prepare(p,
                         "INSERT OR REPLACE INTO delta(step, kind, key, takes, gives, holes, samples, data)"
                         " VALUES(?1, 0, ?2, ?3, ?4, ?5, ?6, ?7)",
                         &p->keep, report);
    if (!status) status = prepare(p, "DELETE FROM delta WHERE step=?1 AND kind=0 AND key=?2", &p->forget, report);
    return status;
}

// The file must be there, and be a file, before SQLite sees its name.
static karst_status look_at(const char *path, karst_report *report) {
    struct stat st;
    if (stat(path, &st)) return kst_fail(report, KARST_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return kst_fail(report, KARST_ERROR_FILE, "%s: not a regular file", path);
    return KARST_OK;
}

// Open and identify. A world on a disk that cannot be written has no place for SQLite's shared memory: when
// nobody can be writing it either, it is read as the bytes it is.
static karst_status open_db(karst_project *p, karst_report *report, int64_t *schema) {
    karst_status status = kst_sql_open(p->path, false, false, report, &p->db);
    if (!status) status = kst_world_identify(p->db, p->path, schema, report);
    if (status != KARST_ERROR_FILE || p->mode == KARST_PROJECT_WRITE) return status;
    sqlite3_close(p->db);
    p->db = NULL;
    char *wal = NULL;
    if (asprintf(&wal, "%s-wal", p->path) < 0) return memory_fail(report, p->path);
    bool alone = access(wal, F_OK) != 0;
    free(wal);
    if (!alone) return status;
    status = kst_sql_open(p->path, false, true, report, &p->db);
    if (!status) status = kst_world_identify(p->db, p->path, schema, report);
    return status;
}

static karst_status come_forward(karst_project *p, int64_t schema, karst_report *report) {
    if (schema > KST_WORLD_SCHEMA)
        return kst_fail(report, KARST_ERROR_VERSION, "%s: made by a newer Karst (schema %lld, this one reads up to %d)",
                        p->path, (long long)schema, KST_WORLD_SCHEMA);
    if (schema == KST_WORLD_SCHEMA) return KARST_OK;
    kst_world_lock lock = {.fd = -1};
    karst_status status = KARST_OK;
    if (p->mode == KARST_PROJECT_READ) status = kst_world_lock_take(&lock, p->path, report);
    if (!status) status = kst_world_migrate(p->db, p->path, NULL, 0, KST_WORLD_SCHEMA, report);
    kst_world_lock_drop(&lock);
    return status;
}

static karst_status begin_reading(karst_project *p, karst_report *report) {
    int64_t ignored;
    karst_status status = kst_sql_run(p->db, "BEGIN", p->path, "cannot read", report);
    if (!status) status = kst_sql_int(p->db, "SELECT count(*) FROM ground", p->path, report, &ignored);
    return status;
}

karst_status karst_project_open(const char *path, karst_project_mode mode, karst_report *report, karst_project **out) {
    karst_status status = look_at(path, report);
    if (status) return status;
    karst_project *p = kst_alloc_zero(NULL, sizeof *p);
    if (!p) return memory_fail(report, path);
    p->mode = mode;
    p->lock.fd = -1;
    p->cache_limit = cache_limit_default;
    pthread_mutex_init(&p->mutex, NULL);
    int64_t schema = 0;
    p->path = strdup(path);
    if (!p->path) status = memory_fail(report, path);
    if (!status && mode == KARST_PROJECT_WRITE) status = kst_world_lock_take(&p->lock, path, report);
    if (!status) status = open_db(p, report, &schema);
    if (!status) status = come_forward(p, schema, report);
    if (!status && mode == KARST_PROJECT_WRITE)
        status = kst_sql_run(p->db, "PRAGMA journal_mode=WAL", path, "cannot open for editing", report);
    if (!status) status = prepare_all(p, report);
    if (!status && mode == KARST_PROJECT_READ) status = begin_reading(p, report);
    if (status)
        karst_project_close(p);
    else
        *out = p;
    return status;
}

void karst_project_close(karst_project *project) {
    if (!project) return;
    sqlite3_finalize(project->load);
    sqlite3_finalize(project->save);
    sqlite3_finalize(project->drop);
    sqlite3_finalize(project->find);
    sqlite3_finalize(project->keep);
    sqlite3_finalize(project->forget);
    if (project->cache_db != project->db) sqlite3_close(project->cache_db);
    sqlite3_close(project->db);  // an open step is rolled back; the last one out folds the log into the file
    kst_world_lock_drop(&project->lock);
    kst_world_free_stores(project);
    kst_world_free_stacks(project);
    pthread_mutex_destroy(&project->mutex);
    free(project->path);
    kst_free(NULL, project, sizeof *project);
}

const char *karst_project_message(const karst_project *project) {
    return project->report.message;
}

// ---- making ------------------------------------------------------------------------------------------

static void unlink_with(const char *path, const char *suffix) {
    char *name = NULL;
    if (asprintf(&name, "%s%s", path, suffix) >= 0) unlink(name);
    free(name);
}

static karst_status sync_file(const char *path, karst_report *report) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && !fsync(fd);
    if (fd >= 0) close(fd);
    return good ? KARST_OK : kst_fail(report, KARST_ERROR_FILE, "%s: cannot write: %s", path, strerror(errno));
}

// Give a closed world its name, which must be free. A log that a removed world left under that name is no part
// of this one, and SQLite would take it for its own.
static karst_status give_name(const char *from, const char *to, karst_report *report) {
    karst_status status = sync_file(from, report);
    if (status) return status;
    if (access(to, F_OK)) {
        unlink_with(to, "-wal");
        unlink_with(to, "-shm");
    }
    if (!link(from, to)) {  // unlike rename, refuses a name that was taken meanwhile
        unlink(from);
        return KARST_OK;
    }
    if (errno == EEXIST || !access(to, F_OK)) return kst_fail(report, KARST_ERROR_FILE, "%s: exists already", to);
    if (rename(from, to))  // a file system without links
        return kst_fail(report, KARST_ERROR_FILE, "%s: cannot make it: %s", to, strerror(errno));
    return KARST_OK;
}

karst_status karst_project_create(const char *path, karst_report *report, karst_project **out) {
    if (!access(path, F_OK)) return kst_fail(report, KARST_ERROR_FILE, "%s: exists already", path);
    char *beside = NULL;
    if (asprintf(&beside, "%s.tmp%ld", path, (long)getpid()) < 0) return memory_fail(report, path);
    unlink(beside);
    unlink_with(beside, "-wal");
    unlink_with(beside, "-shm");
    sqlite3 *db = NULL;
    karst_status status = kst_sql_open(beside, true, false, report, &db);
    if (!status)
        status = kst_sql_run(db, "PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL", path,
                             "cannot make it", report);
    char sql[128];
    snprintf(sql, sizeof sql, "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT", KST_WORLD_APPLICATION,
             KST_WORLD_SCHEMA);
    if (!status) status = kst_sql_run(db, "BEGIN", path, "cannot make it", report);
    if (!status) status = kst_sql_run(db, kst_world_schema_sql, path, "cannot make it", report);
    if (!status) status = kst_sql_run(db, sql, path, "cannot make it", report);
    sqlite3_close(db);
    if (!status) status = give_name(beside, path, report);
    if (status) {
        unlink(beside);
        unlink_with(beside, "-wal");
        unlink_with(beside, "-shm");
    }
    free(beside);
    return status ? status : karst_project_open(path, KARST_PROJECT_WRITE, report, out);
}

karst_status karst_project_publish(karst_project *project, const char *path, karst_report *report) {
    KARST_ASSERT(project->mode == KARST_PROJECT_WRITE && !project->in_step);
    char *from = strdup(project->path);
    // Nothing may stay in the log: it goes by the old name.
    karst_status status =
        from ? kst_sql_run(project->db, "PRAGMA wal_checkpoint(TRUNCATE)", project->path, "cannot finish it", report)
             : memory_fail(report, path);
    karst_project_close(project);
    if (!status) status = give_name(from, path, report);
    if (status && from) karst_project_discard_file(from);
    free(from);
    return status;
}

void karst_project_discard_file(const char *path) {
    unlink(path);
    unlink_with(path, "-wal");
    unlink_with(path, "-shm");
    unlink_with(path, "-lock");
}

// ---- steps -------------------------------------------------------------------------------------------

karst_status karst_project_begin(karst_project *project, const char *step) {
    KARST_ASSERT(!project->in_step);
    project->report = (karst_report){0};
    if (project->mode != KARST_PROJECT_WRITE)
        return kst_fail(&project->report, KARST_ERROR_ARGUMENT, "%s: opened for reading: open it for editing",
                        project->path);
    pthread_mutex_lock(&project->mutex);
    // FULL: a finished step outlives a power cut. The cache, outside steps, need not.
    karst_status status = kst_sql_run(project->db, "PRAGMA synchronous=FULL; BEGIN IMMEDIATE", project->path,
                                      "cannot begin a step", &project->report);
    if (!status) {
        status = kst_history_begin(project, step);
        if (status) sqlite3_exec(project->db, "ROLLBACK", NULL, NULL, NULL);
    }
    project->in_step = !status;
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status karst_project_commit(karst_project *project) {
    KARST_ASSERT(project->in_step);
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_history_commit(project);
    if (!status) status = kst_sql_run(project->db, "COMMIT", project->path, "cannot finish the step", &project->report);
    if (status) sqlite3_exec(project->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(project->db, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
    project->in_step = false;
    project->step = 0;
    pthread_mutex_unlock(&project->mutex);
    return status;
}

void karst_project_rollback(karst_project *project) {
    if (!project->in_step) return;
    pthread_mutex_lock(&project->mutex);
    sqlite3_exec(project->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(project->db, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
    project->in_step = false;
    project->step = 0;
    project->cache_counted = false;
    pthread_mutex_unlock(&project->mutex);
}
