// SPDX-License-Identifier: MIT
// Results of bake steps by the checksum of their inputs, kept in the world file up to a number of bytes.
//
// A cache is safe to lose, so nothing here makes a bake fail but memory and a broken file: a value that is
// damaged is as good as not there, and one that cannot be kept now (a reader beside an editor's step) is not.
#include <stdlib.h>

#include "project/world.h"

// The connection for the cache: a reader's own snapshot neither sees nor allows new values.
static sqlite3 *cache_of(karst_project *p) {
    if (!p->cache_db && !p->cache_closed) {
        karst_report ignored;
        if (p->mode == KARST_PROJECT_WRITE) {
            p->cache_db = p->db;
        } else if (kst_sql_open(p->path, false, false, &ignored, &p->cache_db) ||
                   sqlite3_db_readonly(p->cache_db, "main")) {
            sqlite3_close(p->cache_db);
            p->cache_db = NULL;
            p->cache_closed = true;
        } else {
            sqlite3_busy_timeout(p->cache_db, 20);
        }
    }
    return p->cache_db;
}

void karst_project_set_cache_limit(karst_project *project, uint64_t bytes) {
    project->cache_limit = bytes;
}

uint64_t karst_project_cache_limit(const karst_project *project) {
    return project->cache_limit;
}

// Drop the oldest until `size` more fit.
static karst_status make_room(karst_project *p, sqlite3 *db, uint64_t size) {
    karst_report *report = &p->report;
    karst_status status = KARST_OK;
    if (!p->cache_counted) {
        int64_t bytes = 0;
        status =
            kst_sql_int(db, "SELECT coalesce(sum(size), 0) FROM cache INDEXED BY cache_size", p->path, report, &bytes);
        p->cache_bytes = (uint64_t)bytes;
        p->cache_counted = !status;
    }
    while (!status && p->cache_bytes && p->cache_bytes + size > p->cache_limit) {
        int64_t oldest = 0;
        status =
            kst_sql_int(db, "SELECT coalesce((SELECT size FROM cache INDEXED BY cache_size ORDER BY age LIMIT 1), -1)",
                        p->path, report, &oldest);
        if (!status && oldest < 0) p->cache_bytes = 0;  // another process emptied it
        if (!status && oldest >= 0) {
            status = kst_sql_run(db, "DELETE FROM cache WHERE age=(SELECT min(age) FROM cache)", p->path,
                                 "cannot trim the cache", report);
            p->cache_bytes -= (uint64_t)oldest < p->cache_bytes ? (uint64_t)oldest : p->cache_bytes;
        }
    }
    return status;
}

static karst_status insert(karst_project *p, sqlite3 *db, uint64_t key, const void *bytes, size_t size) {
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO cache(key, size, hash, data) VALUES(?1, ?2, ?3, ?4)", -1,
                                  &s, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, (int64_t)key);
        sqlite3_bind_int64(s, 2, (int64_t)size);
        sqlite3_bind_int64(s, 3, (int64_t)kst_hash(bytes, size, key));
        code = size ? sqlite3_bind_blob64(s, 4, bytes, size, SQLITE_STATIC) : sqlite3_bind_zeroblob(s, 4, 0);
    }
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = kst_sql_fail(db, code, p->path, "cannot write the cache", &p->report);
    sqlite3_finalize(s);
    if (!status) p->cache_bytes += size;
    return status;
}

karst_status karst_project_cache_put(karst_project *project, uint64_t key, const void *bytes, size_t size) {
    pthread_mutex_lock(&project->mutex);
    sqlite3 *db = cache_of(project);
    karst_status status = KARST_OK;
    // 1e9: SQLite's own limit on one value.
    if (db && size <= project->cache_limit && size < 1000000000u) {
        bool own = !project->in_step;  // inside a step the value comes and goes with it
        if (own) status = kst_sql_run(db, "BEGIN IMMEDIATE", project->path, "cannot write the cache", &project->report);
        if (!status) {
            status = make_room(project, db, size);
            if (!status) status = insert(project, db, key, bytes, size);
            if (!status && own)
                status = kst_sql_run(db, "COMMIT", project->path, "cannot write the cache", &project->report);
            if (status) {
                if (own) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
                project->cache_counted = false;
            }
        }
    }
    pthread_mutex_unlock(&project->mutex);
    return project->mode == KARST_PROJECT_READ && status != KARST_ERROR_MEMORY ? KARST_OK : status;
}

karst_status karst_project_cache_get(karst_project *project, uint64_t key, void **out, size_t *size) {
    pthread_mutex_lock(&project->mutex);
    sqlite3 *db = cache_of(project);
    sqlite3_stmt *s = NULL;
    karst_status status = KARST_OK;
    void *found = NULL;
    size_t found_size = 0;
    if (!db) db = project->db;
    int code = sqlite3_prepare_v2(db, "SELECT data, hash FROM cache WHERE key=?1", -1, &s, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(s, 1, (int64_t)key);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(s, 0);
        size_t n = (size_t)sqlite3_column_bytes(s, 0);
        if (kst_hash(bytes, n, key) == (uint64_t)sqlite3_column_int64(s, 1)) {
            found = malloc(n ? n : 1);
            if (!found) {
                status = kst_fail(&project->report, KARST_ERROR_MEMORY, "%s: out of memory", project->path);
            } else {
                if (n) memcpy(found, bytes, n);
                found_size = n;
            }
        }
    } else {
        status = kst_sql_fail(db, code, project->path, "cannot read the cache", &project->report);
    }
    sqlite3_finalize(s);
    pthread_mutex_unlock(&project->mutex);
    if (!status) {
        *out = found;
        *size = found_size;
    }
    return status;
}
