// SPDX-License-Identifier: MIT
// The tables of a world, and the way forward from older ones. docs/project.md tells them column by column.
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "project/world.h"

// reach is how far a chunk's vertices were ever displaced sideways; undo brings back only what was stored once, so it
// holds at every step of the history and no step keeps it.
// columns to step_m of a ground are a field's, and NULL in the row of a net.
// chunk_hash covers what hashes and hole counts need, so neither touches the page of a single sample.
const char kst_world_schema_sql[] =
    "CREATE TABLE ground(id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT NOT NULL,"
    " columns INTEGER, rows INTEGER, spacing_m REAL, origin_x REAL, origin_y REAL, origin_z REAL, step_m REAL,"
    " source TEXT NOT NULL);"
    "CREATE TABLE chunk(place INTEGER PRIMARY KEY, hash INTEGER NOT NULL, holes INTEGER NOT NULL,"
    " data BLOB NOT NULL);"
    "CREATE INDEX chunk_hash ON chunk(place, hash, holes);"
    "CREATE TABLE reach(place INTEGER PRIMARY KEY, farthest REAL NOT NULL);"
    "CREATE TABLE sheet(id INTEGER PRIMARY KEY AUTOINCREMENT, ground INTEGER NOT NULL, kind TEXT NOT NULL,"
    " name TEXT NOT NULL, shown INTEGER NOT NULL, strength REAL NOT NULL, rank INTEGER NOT NULL,"
    " mask INTEGER NOT NULL);"
    "CREATE INDEX sheet_ground ON sheet(ground);"
    "CREATE TABLE extra(id INTEGER PRIMARY KEY AUTOINCREMENT, ground INTEGER NOT NULL, name TEXT NOT NULL,"
    " hash INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE(ground, name));"
    "CREATE TABLE step(id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER NOT NULL, name TEXT NOT NULL,"
    " time INTEGER NOT NULL, bytes INTEGER NOT NULL, samples INTEGER NOT NULL, redo INTEGER NOT NULL);"
    "CREATE TABLE delta(id INTEGER PRIMARY KEY, step INTEGER NOT NULL, kind INTEGER NOT NULL, key INTEGER NOT NULL,"
    " takes INTEGER, gives INTEGER, holes INTEGER NOT NULL, samples INTEGER NOT NULL, data BLOB);"
    "CREATE UNIQUE INDEX delta_of ON delta(step, kind, key);"
    "CREATE TABLE history(head INTEGER NOT NULL, redo INTEGER NOT NULL, most INTEGER NOT NULL);"
    "INSERT INTO history VALUES(0, 0, 0);"
    "CREATE TABLE cache(age INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL UNIQUE, size INTEGER NOT NULL,"
    " hash INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE INDEX cache_size ON cache(age, size);";

karst_status kst_world_identify(sqlite3 *db, const char *path, int64_t *schema, karst_report *report) {
    int64_t id, programs;
    karst_status status = kst_sql_int(db, "PRAGMA application_id", path, report, &id);
    if (!status && id != KST_WORLD_APPLICATION)
        status = kst_fail(report, KARST_ERROR_FORMAT, "%s: not a Karst world (application id %08x, expected %08x)",
                          path, (unsigned)id, (unsigned)KST_WORLD_APPLICATION);
    if (!status) status = kst_sql_int(db, "PRAGMA user_version", path, report, schema);
    // Karst makes none; one in the file would be somebody's program running on our statements.
    if (!status)
        status = kst_sql_int(db, "SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')", path, report,
                             &programs);
    if (!status && programs)
        status = kst_fail(report, KARST_ERROR_FORMAT, "%s: holds triggers or views, which no Karst world does", path);
    return status;
}

// Copy the whole database to `copy`, beside and renamed.
static karst_status copy_to(sqlite3 *db, const char *path, const char *copy, karst_report *report) {
    char *beside = NULL;
    if (asprintf(&beside, "%s.tmp%ld", copy, (long)getpid()) < 0)
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    unlink(beside);
    sqlite3 *to = NULL;
    int code = sqlite3_open_v2(beside, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(to, "main", db, "main");
        if (backup) sqlite3_backup_step(backup, -1);
        code = backup ? sqlite3_backup_finish(backup) : sqlite3_errcode(to);
    }
    karst_status status = kst_sql_fail(to, code, path, "cannot write a copy before migrating", report);
    sqlite3_close(to);
    if (!status && rename(beside, copy))
        status = kst_fail(report, KARST_ERROR_FILE, "%s: cannot write a copy to %s before migrating", path, copy);
    if (status) unlink(beside);
    free(beside);
    return status;
}

static const kst_migration *step_from(const kst_migration *steps, int count, int64_t from) {
    for (int i = 0; i < count; ++i)
        if (steps[i].from == from) return &steps[i];
    return NULL;
}

karst_status kst_world_migrate(sqlite3 *db, const char *path, const kst_migration *steps, int count, int target,
                               karst_report *report) {
    int64_t version;
    karst_status status = kst_sql_int(db, "PRAGMA user_version", path, report, &version);
    if (status || version == target) return status;
    for (int64_t v = version; v < target; ++v)
        if (!step_from(steps, count, v))
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "%s: schema %lld, which no released Karst wrote: make the world anew", path,
                            (long long)version);
    char *copy = NULL;
    if (asprintf(&copy, "%s.schema-%lld", path, (long long)version) < 0)
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    status = copy_to(db, path, copy, report);
    free(copy);
    if (!status) status = kst_sql_run(db, "BEGIN IMMEDIATE", path, "cannot migrate", report);
    if (status) return status;
    for (int64_t v = version; v < target && !status; ++v)
        status = kst_sql_run(db, step_from(steps, count, v)->sql, path, "cannot migrate", report);
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", target);
    if (!status) status = kst_sql_run(db, sql, path, "cannot migrate", report);
    if (!status) status = kst_sql_run(db, "COMMIT", path, "cannot migrate", report);
    if (status) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
