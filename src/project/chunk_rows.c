// SPDX-License-Identifier: MIT
// Rows of the chunk table, as they are.
#include "project/world.h"

karst_status kst_stored_read(karst_project *p, int64_t place, kst_stored *out) {
    sqlite3_reset(p->load);
    sqlite3_bind_int64(p->load, 1, place);
    int code = sqlite3_step(p->load);
    *out = (kst_stored){0};
    if (code == SQLITE_ROW) {
        // A row without a byte is one that is damaged, not one that is missing.
        static const uint8_t nothing;
        const void *bytes = sqlite3_column_blob(p->load, 0);
        *out = (kst_stored){bytes ? bytes : &nothing, (size_t)sqlite3_column_bytes(p->load, 0),
                            (uint64_t)sqlite3_column_int64(p->load, 1), sqlite3_column_int64(p->load, 2)};
    }
    return kst_world_sql_fail(p, code, "cannot read a chunk");
}

void kst_stored_done(karst_project *p) {
    sqlite3_reset(p->load);
}

karst_status kst_stored_write(karst_project *p, int64_t place, const kst_stored *row) {
    sqlite3_stmt *s = row->bytes ? p->save : p->drop;
    int code = sqlite3_bind_int64(s, 1, place);
    if (row->bytes && code == SQLITE_OK) {
        sqlite3_bind_int64(s, 2, (int64_t)row->hash);
        sqlite3_bind_int64(s, 3, row->holes);
        code = sqlite3_bind_blob64(s, 4, row->bytes, row->size, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = kst_world_sql_fail(p, code, "cannot write a chunk");
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

karst_status karst_project_field_bytes(karst_project *project, int64_t ground, karst_rect rect, double *bytes) {
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_world_need_kind(project, ground, KARST_PROJECT_FIELD);
    double sum = 0;
    for (int32_t z = rect.z0 / KARST_CHUNK_CELLS; z * KARST_CHUNK_CELLS < rect.z1 - 1 && !status; ++z)
        for (int32_t x = rect.x0 / KARST_CHUNK_CELLS; x * KARST_CHUNK_CELLS < rect.x1 - 1 && !status; ++x) {
            kst_stored row;
            status = kst_stored_read(project, kst_world_place(ground, x, z), &row);
            sum += (double)row.size;
            kst_stored_done(project);
        }
    pthread_mutex_unlock(&project->mutex);
    if (!status) *bytes = sum;
    return status;
}
