// SPDX-License-Identifier: MIT
// The chunks of one owner, a ground or a sheet, as the store of a paged field.
#include <float.h>
#include <math.h>

#include "project/world.h"

static karst_status damaged(karst_project *p, int32_t x, int32_t z) {
    return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: chunk (%d, %d) is damaged: restore the file from a copy",
                    p->path, x, z);
}

karst_status kst_world_load_chunk(karst_project *p, int64_t owner, int32_t x, int32_t z, karst_field_chunk *out,
                                  bool *found) {
    pthread_mutex_lock(&p->mutex);
    kst_stored row;
    karst_status status = kst_stored_read(p, kst_world_place(owner, x, z), &row);
    *found = row.bytes != NULL;
    if (!status && row.bytes) {
        status = kst_world_chunk_decode(row.bytes, row.size, row.hash, out);
        if (status == KARST_ERROR_MEMORY)
            kst_fail(&p->report, status, "%s: out of memory", p->path);
        else if (status)
            damaged(p, x, z);
    }
    kst_stored_done(p);
    pthread_mutex_unlock(&p->mutex);
    return status;
}

karst_status kst_world_need_fresh(karst_project *p, uint64_t moves) {
    if (moves == p->moves) return KARST_OK;
    return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: the field was opened before an undo or redo: open it again",
                    p->path);
}

static karst_status load_chunk(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    kst_world_store *store = context;
    karst_status status = kst_world_need_fresh(store->project, store->moves);
    return status ? status : kst_world_load_chunk(store->project, store->owner, x, z, out, found);
}

int64_t kst_world_holes_inside(const karst_field_shape *shape, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    int64_t across = shape->columns - 1 - (int64_t)x * KARST_CHUNK_CELLS,
            down = shape->rows - 1 - (int64_t)z * KARST_CHUNK_CELLS;
    uint64_t mask = across >= 64 ? UINT64_MAX : ((uint64_t)1 << across) - 1;
    int64_t count = 0;
    for (int j = 0; j < KARST_CHUNK_CELLS && j < down; ++j) count += __builtin_popcountll(chunk->hole[j] & mask);
    return count;
}

static bool is_flat(const karst_field_chunk *chunk) {
    static const float zero[KARST_CHUNK_VERTICES];
    return !chunk->displaced && !memcmp(chunk->y, zero, sizeof zero) &&
           !memcmp(chunk->transparency, zero, sizeof chunk->transparency);
}

// How many vertices along one side a chunk has to itself: the last one has its far border too.
static int own_vertices(int32_t vertices, int32_t chunk) {
    int64_t left = (int64_t)vertices - (int64_t)chunk * KARST_CHUNK_CELLS;
    return left <= KARST_CHUNK_SIDE ? (int)left : KARST_CHUNK_CELLS;
}

// ---- how far vertices were ever displaced ------------------------------------------------------------

static karst_status note_reach(karst_project *p, int64_t place, const karst_field_chunk *chunk) {
    if (!chunk->displaced) return KARST_OK;
    float most = 0;
    for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) most = fmaxf(most, fmaxf(fabsf(chunk->x[k]), fabsf(chunk->z[k])));
    return kst_world_do(p, "cannot note how far a chunk reaches",
                        "INSERT INTO reach VALUES(?1, ?2) ON CONFLICT(place) DO UPDATE SET"
                        " farthest = max(farthest, excluded.farthest)",
                        "ir", place, (double)most);
}

karst_status kst_world_add_reach(karst_project *p, int64_t owner, const karst_field_shape *shape, float share,
                                 float *most_m) {
    int64_t chunks_x = (shape->columns - 2) / KARST_CHUNK_CELLS + 1,
            chunks_z = (shape->rows - 2) / KARST_CHUNK_CELLS + 1;
    int64_t first = kst_world_place(owner, 0, 0);
    pthread_mutex_lock(&p->mutex);
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, "SELECT place, farthest FROM reach WHERE place >= ?1 AND place < ?2", "ii",
                               first, kst_world_place(owner + 1, 0, 0));
    while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        int64_t place = sqlite3_column_int64(s, 0) - first, x = place & 0x3fff, z = place >> 14;
        double far = sqlite3_column_double(s, 1);
        if (x < chunks_x && z < chunks_z && far > 0 && far <= FLT_MAX) most_m[z * chunks_x + x] += share * (float)far;
    }
    karst_status status = kst_world_sql_fail(p, code, "cannot read how far chunks reach");
    sqlite3_finalize(s);
    pthread_mutex_unlock(&p->mutex);
    return status;
}

static karst_status farthest(void *context, float *most_m) {
    const kst_world_store *store = context;
    return kst_world_add_reach(store->project, store->owner, &store->shape, 1, most_m);
}

// ---- saving ------------------------------------------------------------------------------------------

// Put a chunk in place of the one that is there, which goes to the history; one that is the same changes nothing.
static karst_status replace(kst_world_store *store, int32_t x, int32_t z, const kst_stored *now,
                            const karst_field_chunk *chunk) {
    karst_project *p = store->project;
    int64_t place = kst_world_place(store->owner, x, z);
    kst_stored old;
    karst_status status = kst_stored_read(p, place, &old);
    bool same = !old.bytes == !now->bytes && (!now->bytes || old.hash == now->hash);
    if (!status && !same)
        status = kst_history_keep_chunk(p, place, &old, now, now->bytes ? chunk : NULL,
                                        own_vertices(store->shape.columns, x), own_vertices(store->shape.rows, z));
    kst_stored_done(p);
    if (status || same) return status;
    status = note_reach(p, place, chunk);
    return status ? status : kst_stored_write(p, place, now);
}

static karst_status save_chunk(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    kst_world_store *store = context;
    karst_project *p = store->project;
    karst_status status = kst_world_need_step(p);
    if (!status) status = kst_world_need_fresh(store->project, store->moves);
    if (status) return status;
    size_t room = kst_world_chunk_bound();
    uint8_t *bytes = NULL;
    kst_stored now = {.holes = kst_world_holes_inside(&store->shape, x, z, chunk)};
    if (now.holes || !is_flat(chunk)) {  // else it is like one never stored: the same ground has the same hash
        bytes = kst_alloc(NULL, room);
        now.size = bytes ? kst_world_chunk_encode(chunk, bytes, room, &now.hash) : 0;
        now.bytes = bytes;
        if (!now.size) status = KARST_ERROR_MEMORY;
    }
    pthread_mutex_lock(&p->mutex);
    status = status ? kst_fail(&p->report, status, "%s: out of memory", p->path) : replace(store, x, z, &now, chunk);
    pthread_mutex_unlock(&p->mutex);
    if (bytes) kst_free(NULL, bytes, room);
    return status;
}

karst_status kst_world_open_store(karst_project *p, const karst_field_store *store, const karst_field_shape *shape,
                                  size_t cache_bytes, karst_field **out) {
    karst_field_def def = karst_field_def_default();
    def.shape = *shape;
    def.store = store;
    if (cache_bytes) def.cache_bytes = cache_bytes;
    karst_status status = karst_field_create(&def, out);
    if (status) kst_fail(&p->report, status, "%s: cannot open the field: %s", p->path, karst_status_text(status));
    return status;
}

karst_status kst_world_open_owner(karst_project *p, int64_t owner, const karst_field_shape *shape, size_t cache_bytes,
                                  karst_field **out) {
    kst_world_store *store = kst_alloc_zero(NULL, sizeof *store);
    if (!store) return kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    *store = (kst_world_store){{load_chunk, save_chunk, store, farthest}, p, owner, *shape, p->moves, NULL};
    karst_status status = kst_world_open_store(p, &store->table, shape, cache_bytes, out);
    if (status) {
        kst_free(NULL, store, sizeof *store);
        return status;
    }
    store->next = p->stores;
    p->stores = store;
    return KARST_OK;
}

void kst_world_free_stores(karst_project *project) {
    while (project->stores) {
        kst_world_store *next = project->stores->next;
        kst_free(NULL, project->stores, sizeof *project->stores);
        project->stores = next;
    }
}
