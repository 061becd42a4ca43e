// SPDX-License-Identifier: MIT
// SQLite with Karst's errors, opened so that a hostile file stays data.
#include <ctype.h>
#include <stdlib.h>

#include "project/world.h"

static karst_status status_of(int code) {
    switch (code & 0xff) {
        case SQLITE_OK:
        case SQLITE_DONE:
        case SQLITE_ROW:
            return KARST_OK;
        case SQLITE_NOMEM:
            return KARST_ERROR_MEMORY;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return KARST_ERROR_BUSY;
        case SQLITE_TOOBIG:
            return KARST_ERROR_LIMIT;
        case SQLITE_ERROR:  // a table or column that should be there is not
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_MISMATCH:
        case SQLITE_CONSTRAINT:
        case SQLITE_SCHEMA:
            return KARST_ERROR_FORMAT;
        default:
            return KARST_ERROR_FILE;
    }
}

karst_status kst_sql_fail(sqlite3 *db, int code, const char *world, const char *what, karst_report *report) {
    karst_status status = status_of(code);
    if (!status) return KARST_OK;
    if ((code & 0xff) == SQLITE_NOTADB)
        return kst_fail(report, status, "%s: not a Karst world (not an SQLite file)", world);
    return kst_fail(report, status, "%s: %s: %s", world, what, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
}

karst_status kst_sql_run(sqlite3 *db, const char *sql, const char *world, const char *what, karst_report *report) {
    return kst_sql_fail(db, sqlite3_exec(db, sql, NULL, NULL, NULL), world, what, report);
}

karst_status kst_sql_int(sqlite3 *db, const char *sql, const char *world, karst_report *report, int64_t *out) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *out = sqlite3_column_int64(statement, 0);
    karst_status status = code == SQLITE_DONE ? kst_fail(report, KARST_ERROR_FORMAT, "%s: an answer is missing", world)
                                              : kst_sql_fail(db, code, world, "cannot read", report);
    sqlite3_finalize(statement);
    return status;
}

// "file:" name of a path, everything but plain characters escaped.
static char *uri_of(const char *path, const char *query) {
    char *uri = malloc(3 * strlen(path) + strlen(query) + 6), *at = uri;
    if (!uri) return NULL;
    at += sprintf(at, "file:");
    for (const unsigned char *c = (const unsigned char *)path; *c; ++c)
        at += sprintf(at, isalnum(*c) || strchr("/._-", *c) ? "%c" : "%%%02X", *c);
    strcpy(at, query);
    return uri;
}

karst_status kst_sql_open(const char *path, bool create, bool immutable, karst_report *report, sqlite3 **out) {
    char *uri = uri_of(path, immutable ? "?immutable=1" : "");
    if (!uri) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    int flags = immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(uri, &db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX, NULL);
    free(uri);
    karst_status status = kst_sql_fail(db, code, path, "cannot open", report);
    if (!status) {
        sqlite3_busy_timeout(db, KST_WORLD_BUSY_MS);
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
        // Temporary tables in memory: nothing of a world is left in another folder.
        status = kst_sql_run(db, "PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON; PRAGMA synchronous=NORMAL", path,
                             "cannot open", report);
    }
    if (status)
        sqlite3_close(db);
    else
        *out = db;
    return status;
}

// Kinds of values after `kinds`: i int64_t, r double, t text, b bytes and size_t (size 0: empty, not NULL).
static int bind_all(sqlite3_stmt *s, const char *kinds, va_list values) {
    int code = SQLITE_OK;
    for (int at = 1; *kinds && code == SQLITE_OK; ++at, ++kinds) {
        if (*kinds == 'i') code = sqlite3_bind_int64(s, at, va_arg(values, int64_t));
        if (*kinds == 'r') code = sqlite3_bind_double(s, at, va_arg(values, double));
        if (*kinds == 't') code = sqlite3_bind_text(s, at, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
        if (*kinds == 'b') {
            const void *bytes = va_arg(values, const void *);
            size_t size = va_arg(values, size_t);
            code = size ? sqlite3_bind_blob64(s, at, bytes, size, SQLITE_STATIC) : sqlite3_bind_zeroblob(s, at, 0);
        }
    }
    return code;
}

int kst_sql_prepare(sqlite3 *db, sqlite3_stmt **out, const char *sql, const char *kinds, ...) {
    va_list values;
    va_start(values, kinds);
    int code = sqlite3_prepare_v2(db, sql, -1, out, NULL);
    if (code == SQLITE_OK) code = bind_all(*out, kinds, values);
    va_end(values);
    return code;
}

karst_status kst_world_sql_fail(karst_project *p, int code, const char *what) {
    return kst_sql_fail(p->db, code, p->path, what, &p->report);
}

karst_status kst_world_do(karst_project *p, const char *what, const char *sql, const char *kinds, ...) {
    sqlite3_stmt *s = NULL;
    va_list values;
    va_start(values, kinds);
    int code = sqlite3_prepare_v2(p->db, sql, -1, &s, NULL);
    if (code == SQLITE_OK) code = bind_all(s, kinds, values);
    va_end(values);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = kst_world_sql_fail(p, code, what);
    sqlite3_finalize(s);
    return status;
}
