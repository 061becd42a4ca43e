// SPDX-License-Identifier: MIT
// Project, inner header: the open world file and the helpers that its parts share. Only this room sees SQLite.
#pragma once
#include <pthread.h>
#include <sqlite3.h>

#include "core/core.h"
#include "karst/project.h"
#include "karst/sheet.h"

enum {
    KST_WORLD_APPLICATION = 0x4B727374,  // "Krst", in the SQLite header at byte 68
    KST_WORLD_SCHEMA = 2,                // user_version that this code reads and writes
    KST_WORLD_BUSY_MS = 5000,            // longest wait for another process's short transaction
};

// ---- lock.c: who may edit --------------------------------------------------------------------------

// An exclusive lock on PATH-lock that the kernel drops when the process ends, however it ends.
typedef struct kst_world_lock {
    int fd;      // -1: not held
    char *path;  // of the lock file
} kst_world_lock;

karst_status kst_world_lock_take(kst_world_lock *lock, const char *world, karst_report *report);
void kst_world_lock_drop(kst_world_lock *lock);

// ---- sql.c: SQLite with Karst's errors --------------------------------------------------------------

// Status of a SQLite result code, and the line "world: what: SQLite's words" in report.
karst_status kst_sql_fail(sqlite3 *db, int code, const char *world, const char *what, karst_report *report);
// Run statements that return no rows.
karst_status kst_sql_run(sqlite3 *db, const char *sql, const char *world, const char *what, karst_report *report);
// First column of the first row; otherwise when there is no row.
karst_status kst_sql_int(sqlite3 *db, const char *sql, const char *world, karst_report *report, int64_t *out);
// Prepare a statement and bind values by kind: i int64_t, r double, t text, b bytes and size_t. A SQLite code.
int kst_sql_prepare(sqlite3 *db, sqlite3_stmt **out, const char *sql, const char *kinds, ...);
// The same for a statement without rows, run at once; `what` begins the line of a failure.
karst_status kst_world_do(karst_project *p, const char *what, const char *sql, const char *kinds, ...);
karst_status kst_world_sql_fail(karst_project *p, int code, const char *what);
// Open with what a file from a stranger calls for. No file is made unless create.
karst_status kst_sql_open(const char *path, bool create, bool immutable, karst_report *report, sqlite3 **out);

// ---- schema.c: tables, and the way forward from older ones -------------------------------------------

// One step from user_version `from` to `from + 1`.
typedef struct kst_migration {
    int from;
    const char *sql;
} kst_migration;

extern const char kst_world_schema_sql[];

// Bring db from its user_version to target by the steps given, in one transaction, after writing a copy
// beside the world (PATH.schema-N). KARST_ERROR_FORMAT when no step leads on.
karst_status kst_world_migrate(sqlite3 *db, const char *path, const kst_migration *steps, int count, int target,
                               karst_report *report);
// application_id, user_version, no triggers and no views. *schema receives user_version.
karst_status kst_world_identify(sqlite3 *db, const char *path, int64_t *schema, karst_report *report);

// ---- chunks.c: samples of a field chunk to bytes and back --------------------------------------------

enum { KST_CHUNK_BYTES_MAX = 2 + 3 * 4 * KARST_CHUNK_VERTICES + 8 * KARST_CHUNK_CELLS + KARST_HALF_VERTICES };

size_t kst_world_chunk_bound(void);
// Bytes for the file and the hash of the contents, which does not depend on the compressor. 0: no memory or room.
size_t kst_world_chunk_encode(const karst_field_chunk *chunk, uint8_t *out, size_t room, uint64_t *hash);
// From untrusted bytes. KARST_ERROR_FORMAT when damaged, not of this hash, or holding a number that is not finite.
karst_status kst_world_chunk_decode(const uint8_t *bytes, size_t size, uint64_t hash, karst_field_chunk *out);

// ---- delta.c: from one state of a chunk to another ---------------------------------------------------

enum { KST_DELTA_FORM = 2 };  // first byte; that of a whole chunk is another

// Hashes of the two states that a delta joins: its checksum covers them.
static inline uint64_t kst_delta_ends(uint64_t takes, uint64_t gives) {
    return kst_hash_u64(takes, gives);
}
size_t kst_delta_bound(void);
// Bytes that make `gives` of `takes`. 0: no memory or room.
size_t kst_delta_encode(const karst_field_chunk *gives, const karst_field_chunk *takes, uint64_t ends, uint8_t *out,
                        size_t room);
// From untrusted bytes. KARST_ERROR_FORMAT when damaged or of other ends; the chunk is then of no use.
karst_status kst_delta_apply(const uint8_t *bytes, size_t size, uint64_t ends, karst_field_chunk *chunk);
karst_status kst_delta_check(const uint8_t *bytes, size_t size, uint64_t ends);
// Put the checksum where it belongs.
void kst_delta_seal(uint8_t *bytes, size_t size, uint64_t ends);

// ---- project.c ---------------------------------------------------------------------------------------

typedef struct kst_world_store kst_world_store;

struct karst_project {
    sqlite3 *db;
    sqlite3 *cache_db;  // db when writing; a connection of its own beside a reader's snapshot
    char *path;         // as it was given, for messages
    karst_project_mode mode;
    kst_world_lock lock;
    pthread_mutex_t mutex;  // one statement at a time: fields load from workers while the owner uses the cache
    bool in_step;
    karst_report report;
    int64_t step;                        // id of the open step
    uint64_t moves;                      // along the history: fields opened before the last one are stale
    sqlite3_stmt *load, *save, *drop;    // chunks
    sqlite3_stmt *find, *keep, *forget;  // deltas of chunks
    kst_world_store *stores;             // of the fields opened from here; freed on close
    struct kst_stack *stacks;
    uint64_t cache_limit, cache_bytes;
    bool cache_counted, cache_closed;
};

// Who owns chunks: a ground, or a sheet above one. Ids are below 2^34, so an owner is below 2^35.
static inline int64_t kst_world_ground_owner(int64_t ground) {
    return ground;
}
static inline int64_t kst_world_sheet_owner(int64_t sheet) {
    return (int64_t)1 << 34 | sheet;
}
// Key of a chunk: owner, row, column; 14 bits each way hold KARST_FIELD_MAX_SIDE / 64 chunks.
static inline int64_t kst_world_place(int64_t owner, int32_t x, int32_t z) {
    return owner << 28 | (int64_t)z << 14 | x;
}

// ---- grounds.c; with the mutex held ------------------------------------------------------------------

karst_status kst_world_need_step(karst_project *p);
// Text of a column, cut to room and without what would steer a terminal.
void kst_world_copy_text(char *out, size_t room, sqlite3_stmt *s, int column);
// The ground of an id, which must be of the kind.
karst_status kst_world_find_ground(karst_project *p, int64_t id, karst_project_kind kind, karst_project_ground *out);
// The kind of a ground, KARST_ERROR_ARGUMENT when it is not there, without reading what it is made of. Where a certain
// kind is asked for, another one is such an error too.
karst_status kst_world_kind_of(karst_project *p, int64_t id, karst_project_kind *out);
karst_status kst_world_need_kind(karst_project *p, int64_t id, karst_project_kind kind);
// Add the row of a ground; of a net, shape is NULL. KARST_ERROR_LIMIT when there is one of its kind.
karst_status kst_world_add_ground(karst_project *p, karst_project_kind kind, const char *name,
                                  const karst_field_shape *shape, int64_t *id);
// Hash of all chunks of an owner, on top of *hash; how many there are, and how many of their cells are holes.
karst_status kst_world_digest(karst_project *p, int64_t owner, uint64_t *hash, uint64_t *chunks, uint64_t *holes);
karst_status kst_world_drop_chunks(karst_project *p, int64_t owner);
karst_status kst_world_check_shape(karst_project *p, const karst_field_shape *shape);  // without the mutex too
// The row of a ground only; its extras go, and so does its vertical step.
karst_status kst_world_set_shape(karst_project *p, int64_t ground, const karst_field_shape *shape);

// Inside a step: an extra of a ground in place of the one of its name. Remove one, or the one of a name, NULL: all, of
// a ground.
karst_status kst_world_put_extra(karst_project *p, int64_t ground, const char *name, const void *bytes, size_t size);
karst_status kst_world_drop_extra(karst_project *p, int64_t id);
karst_status kst_world_drop_extras(karst_project *p, int64_t ground, const char *name);
// As karst_project_get_extra().
karst_status kst_world_get_extra(karst_project *p, int64_t ground, const char *name, void **out, size_t *size);

// ---- net.c; with the mutex held ------------------------------------------------------------------------

karst_status kst_world_get_net(karst_project *p, int64_t ground, const karst_allocator *allocator, karst_net **out);
// How large the net of a ground is, as its head tells.
karst_status kst_world_net_size(karst_project *p, int64_t ground, karst_project_net *out);
// Hash of the net of a ground on top of *hash.
karst_status kst_world_digest_net(karst_project *p, int64_t ground, uint64_t *hash);
// Extras of such names are what nets are made of; a net of this size is made of those of these names.
bool kst_world_is_of_net(const char *name);
bool kst_world_net_has(const karst_project_net *net, const char *name);

// ---- rows.c: rows of the small tables as bytes; with the mutex held ----------------------------------

// What a delta is of. Rows of the tables behind KST_CHUNKS are found by their id.
typedef enum kst_table { KST_CHUNKS, KST_GROUNDS, KST_SHEETS, KST_EXTRAS, KST_TABLE_COUNT } kst_table;

// A row of such a table, or that there is none (bytes NULL). kst_row_free() it.
typedef struct kst_row {
    uint8_t *bytes;
    size_t size;
    uint64_t hash;
} kst_row;
karst_status kst_row_read(karst_project *p, kst_table table, int64_t id, kst_row *out);
// Put a row in place of the one that is there, from untrusted bytes. KARST_ERROR_FORMAT when they are no such row.
karst_status kst_row_write(karst_project *p, kst_table table, int64_t id, const uint8_t *bytes, size_t size);
void kst_row_free(kst_row *row);

// ---- chunk_rows.c: rows of the chunk table; with the mutex held ---------------------------------------

// A chunk as its row holds it, or that there is none (bytes NULL). The bytes are the reader's until the next read.
typedef struct kst_stored {
    const uint8_t *bytes;
    size_t size;
    uint64_t hash;
    int64_t holes;
} kst_stored;
karst_status kst_stored_read(karst_project *p, int64_t place, kst_stored *out);
void kst_stored_done(karst_project *p);  // ends the use of what was read
karst_status kst_stored_write(karst_project *p, int64_t place, const kst_stored *row);

// ---- history.c: what steps keep; with the mutex held -------------------------------------------------

karst_status kst_history_begin(karst_project *p, const char *name);
karst_status kst_history_commit(karst_project *p);
// Before the first change of a row in a step: keep it. Later calls change nothing.
karst_status kst_history_keep_row(karst_project *p, kst_table table, int64_t id);
// A row was added in this step: there was none before.
karst_status kst_history_added(karst_project *p, kst_table table, int64_t id);
// Before a chunk changes from `old` to `now`; chunk: the samples of now, NULL when now is none. Of its vertices
// columns * rows are its own, the others its neighbours'.
karst_status kst_history_keep_chunk(karst_project *p, int64_t place, const kst_stored *old, const kst_stored *now,
                                    const karst_field_chunk *chunk, int columns, int rows);
// Before all chunks of an owner go.
karst_status kst_history_keep_chunks(karst_project *p, int64_t owner);

// The world is open for editing and no step is: for what is a transaction of its own.
karst_status kst_world_alone(karst_project *p);
// Count the bytes and samples of a step anew.
karst_status kst_history_weigh(karst_project *p, int64_t step);
// A step is the head now, and where redo leads from its parent.
karst_status kst_history_arrive(karst_project *p, int64_t step);
// Forget the oldest steps until the limit is kept.
karst_status kst_history_trim(karst_project *p);

// ---- sheets.c; with the mutex held -------------------------------------------------------------------

// All sheets of a ground in order; kst_world_free_sheets() them.
karst_status kst_world_list_sheets(karst_project *p, int64_t ground, karst_sheet **out, int *count);
void kst_world_free_sheets(karst_sheet *sheets, int count);
karst_status kst_world_find_sheet(karst_project *p, int64_t id, karst_sheet *out);
karst_status kst_world_remove_sheets(karst_project *p, int64_t ground);
// Hash of the layers that show, on top of *hash, which stays as it is when there are none.
karst_status kst_world_digest_layers(karst_project *p, int64_t ground, uint64_t *hash);
static inline bool kst_layer_shows(const karst_sheet *s) {
    return s->kind == KARST_SHEET_LAYER && s->on && s->strength != 0;
}

// ---- store.c: chunks of one owner, from the file and back --------------------------------------------

struct kst_world_store {
    karst_field_store table;
    karst_project *project;
    int64_t owner;
    karst_field_shape shape;
    uint64_t moves;  // of the project when it was opened
    kst_world_store *next;
};

// Read a chunk; *found false and *out untouched when it was never stored. Takes the mutex.
karst_status kst_world_load_chunk(karst_project *p, int64_t owner, int32_t x, int32_t z, karst_field_chunk *out,
                                  bool *found);
// Raise most_m[z * chunks_x + x] by share times what reach knows of an owner's chunks. Takes the mutex.
karst_status kst_world_add_reach(karst_project *p, int64_t owner, const karst_field_shape *shape, float share,
                                 float *most_m);
// Hole cells of a chunk that lie inside the field.
int64_t kst_world_holes_inside(const karst_field_shape *shape, int32_t x, int32_t z, const karst_field_chunk *chunk);
// A field that was opened before a move along the history holds chunks of another state, and must not mix them: moves
// is the count of the project when it was opened.
karst_status kst_world_need_fresh(karst_project *p, uint64_t moves);
// A field of the chunks of one owner; the store lives until the project closes.
karst_status kst_world_open_owner(karst_project *p, int64_t owner, const karst_field_shape *shape, size_t cache_bytes,
                                  karst_field **out);
// A field over any store.
karst_status kst_world_open_store(karst_project *p, const karst_field_store *store, const karst_field_shape *shape,
                                  size_t cache_bytes, karst_field **out);
void kst_world_free_stores(karst_project *project);

// ---- stack.c: base and layers together ---------------------------------------------------------------

typedef struct kst_stack kst_stack;

// sum += strength * mask * delta, mask limited to 0..1, NULL: 1 everywhere; what is not finite stops at the largest.
void kst_stack_add(float *sum, const float *delta, const float *mask, float strength, size_t count);
void kst_world_free_stacks(karst_project *project);
