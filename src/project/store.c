// SPDX-License-Identifier: MIT
// The chunks of one owner, a ground or a sheet, as the store of a paged field.
#include "project/world.h"

static karst_status damaged(karst_project *p, int32_t x, int32_t z) {
    return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: chunk (%d, %d) is damaged: restore the file from a copy",
                    p->path, x, z);
}

karst_status kst_world_load_chunk(karst_project *p, int64_t owner, int32_t x, int32_t z, karst_field_chunk *out,
                                  bool *found) {
    pthread_mutex_lock(&p->mutex);
    sqlite3_bind_int64(p->load, 1, kst_world_place(owner, x, z));
    int code = sqlite3_step(p->load);
    karst_status status = kst_world_sql_fail(p, code, "cannot read a chunk");
    *found = code == SQLITE_ROW;
    if (*found) {
        const uint8_t *bytes = sqlite3_column_blob(p->load, 0);
        size_t size = (size_t)sqlite3_column_bytes(p->load, 0);
        status = kst_world_chunk_decode(bytes, size, (uint64_t)sqlite3_column_int64(p->load, 1), out);
        if (status == KARST_ERROR_MEMORY)
            kst_fail(&p->report, status, "%s: out of memory", p->path);
        else if (status)
            damaged(p, x, z);
    }
    sqlite3_reset(p->load);
    pthread_mutex_unlock(&p->mutex);
    return status;
}

static karst_status load_chunk(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    kst_world_store *store = context;
    return kst_world_load_chunk(store->project, store->owner, x, z, out, found);
}

// Hole cells of a chunk that lie inside the field.
static int64_t holes_inside(const karst_field_shape *shape, int32_t x, int32_t z, const karst_field_chunk *chunk) {
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

static karst_status put_chunk(karst_project *p, int64_t place, int64_t holes, const karst_field_chunk *chunk) {
    size_t room = kst_world_chunk_bound();
    uint8_t *bytes = kst_alloc(NULL, room);
    uint64_t hash = 0;
    size_t size = bytes ? kst_world_chunk_encode(chunk, bytes, room, &hash) : 0;
    karst_status status;
    if (!size) {
        status = kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    } else {
        sqlite3_bind_int64(p->save, 1, place);
        sqlite3_bind_int64(p->save, 2, (int64_t)hash);
        sqlite3_bind_int64(p->save, 3, holes);
        sqlite3_bind_blob(p->save, 4, bytes, (int)size, SQLITE_STATIC);
        status = kst_world_sql_fail(p, sqlite3_step(p->save), "cannot write a chunk");
        sqlite3_reset(p->save);
        sqlite3_clear_bindings(p->save);
    }
    kst_free(NULL, bytes, room);
    return status;
}

static karst_status save_chunk(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    kst_world_store *store = context;
    karst_project *p = store->project;
    karst_status status = kst_world_need_step(p);
    if (status) return status;
    int64_t place = kst_world_place(store->owner, x, z), holes = holes_inside(&store->shape, x, z, chunk);
    pthread_mutex_lock(&p->mutex);
    if (holes || !is_flat(chunk)) {
        status = put_chunk(p, place, holes, chunk);
    } else {  // like one never stored: the same ground has the same hash, whatever its past
        sqlite3_bind_int64(p->drop, 1, place);
        status = kst_world_sql_fail(p, sqlite3_step(p->drop), "cannot write a chunk");
        sqlite3_reset(p->drop);
    }
    pthread_mutex_unlock(&p->mutex);
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
    *store = (kst_world_store){{load_chunk, save_chunk, store}, p, owner, *shape, NULL};
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
