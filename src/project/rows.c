// SPDX-License-Identifier: MIT
// Rows of the small tables as bytes and back, column by column:
//
//   1 byte of kind: 1 integer (8 bytes), 2 real (8 bytes), 3 text, 4 bytes (both 4 bytes of length, then they), 5 null
#include "project/world.h"

enum { INTEGER = 1, REAL, TEXT, BYTES, NONE };

static const char *const table_names[KST_TABLE_COUNT] = {"chunk", "ground", "sheet", "extra"};

static size_t column_bytes(sqlite3_stmt *s, int column) {
    int type = sqlite3_column_type(s, column);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) return 9;
    return type == SQLITE_NULL ? 1 : 5 + (size_t)sqlite3_column_bytes(s, column);
}

static void put_column(kst_out *o, sqlite3_stmt *s, int column) {
    int type = sqlite3_column_type(s, column);
    if (type == SQLITE_INTEGER) {
        kst_put_uint(o, INTEGER, 1);
        kst_put_uint(o, (uint64_t)sqlite3_column_int64(s, column), 8);
    } else if (type == SQLITE_FLOAT) {
        kst_put_uint(o, REAL, 1);
        kst_put_f64(o, sqlite3_column_double(s, column));
    } else if (type == SQLITE_NULL) {
        kst_put_uint(o, NONE, 1);
    } else {
        const void *bytes = sqlite3_column_blob(s, column);
        size_t size = (size_t)sqlite3_column_bytes(s, column);
        kst_put_uint(o, type == SQLITE_TEXT ? TEXT : BYTES, 1);
        kst_put_uint(o, size, 4);
        if (size) memcpy(o->at, bytes, size);
        o->at += size;
    }
}

karst_status kst_row_read(karst_project *p, kst_table table, int64_t id, kst_row *out) {
    char sql[64];
    snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE id=?1", table_names[table]);
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, sql, "i", id);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = kst_world_sql_fail(p, code, "cannot read a row");
    kst_row row = {0};
    if (code == SQLITE_ROW) {
        for (int k = 0; k < sqlite3_column_count(s); ++k) row.size += column_bytes(s, k);
        row.bytes = kst_alloc(NULL, row.size);
        if (row.bytes) {
            kst_out o = {row.bytes};
            for (int k = 0; k < sqlite3_column_count(s); ++k) put_column(&o, s, k);
            row.hash = kst_hash(row.bytes, row.size, (uint64_t)table);
        } else {
            status = kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
        }
    }
    sqlite3_finalize(s);
    if (!status) *out = row;
    return status;
}

void kst_row_free(kst_row *row) {
    if (row->bytes) kst_free(NULL, row->bytes, row->size);
    *row = (kst_row){0};
}

// Bind the next column from bytes; false when they are none.
static bool bind_column(kst_reader *r, sqlite3_stmt *s, int at, int *code) {
    uint8_t kind = kst_read_u8(r);
    if (kind == INTEGER) {
        *code = sqlite3_bind_int64(s, at, (int64_t)kst_read_u64(r));
    } else if (kind == REAL) {
        *code = sqlite3_bind_double(s, at, kst_read_f64(r));
    } else if (kind == NONE) {
        *code = sqlite3_bind_null(s, at);
    } else if (kind == TEXT || kind == BYTES) {
        uint32_t size = kst_read_u32(r);
        const uint8_t *bytes = kst_read_bytes(r, size);
        if (!bytes) return false;
        *code = kind == TEXT ? sqlite3_bind_text64(s, at, (const char *)bytes, size, SQLITE_STATIC, SQLITE_UTF8)
                             : sqlite3_bind_blob64(s, at, bytes, size, SQLITE_STATIC);
    } else {
        return false;
    }
    return !r->bad;
}

static karst_status insert(karst_project *p, kst_table table, int64_t id, const uint8_t *bytes, size_t size) {
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT * FROM %s", table_names[table]);
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, sql, "");
    int columns = sqlite3_column_count(s);
    sqlite3_finalize(s);
    s = NULL;
    int length = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(", table_names[table]);
    for (int k = 0; k < columns; ++k)
        length += snprintf(sql + length, sizeof sql - (size_t)length, k + 1 < columns ? "?," : "?)");
    if (code == SQLITE_OK) code = kst_sql_prepare(p->db, &s, sql, "");
    kst_reader r = {bytes, bytes + size, false}, first = r;
    bool good = kst_read_u8(&first) == INTEGER && (int64_t)kst_read_u64(&first) == id;
    for (int k = 1; k <= columns && good && code == SQLITE_OK; ++k) good = bind_column(&r, s, k, &code);
    good = good && r.at == r.end;
    if (good && code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = good ? kst_world_sql_fail(p, code, "cannot bring a row back") : KARST_ERROR_FORMAT;
    sqlite3_finalize(s);
    return status;
}

karst_status kst_row_write(karst_project *p, kst_table table, int64_t id, const uint8_t *bytes, size_t size) {
    char sql[64];
    snprintf(sql, sizeof sql, "DELETE FROM %s WHERE id=?1", table_names[table]);
    karst_status status = kst_world_do(p, "cannot bring a row back", sql, "i", id);
    return status || !bytes ? status : insert(p, table, id, bytes, size);
}
