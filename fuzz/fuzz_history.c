// SPDX-License-Identifier: MIT
// What a step keeps in a world file. The first byte says of what: even, a difference of a chunk; odd, a row of a table.
#include <stdlib.h>

#include "project/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// What a difference makes of a chunk is told as one again.
static void difference(uint8_t *bytes, size_t size) {
    static karst_field_chunk chunk, was, again;
    for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) was.y[k] = 300 + 0.25f * (float)(k % KARST_CHUNK_SIDE);
    chunk = was;
    kst_delta_seal(bytes, size, 0);
    if (kst_delta_apply(bytes, size, 0, &chunk)) return;
    chunk.displaced = true;
    size_t bound = kst_delta_bound();
    uint8_t *out = malloc(bound);
    size_t told = out ? kst_delta_encode(&chunk, &was, 0, out, bound) : 0;
    again = was;
    if (!told || kst_delta_apply(out, told, 0, &again) || memcmp(&again, &chunk, sizeof again) != 0) abort();
    free(out);
}

// A row that comes back is read as a stranger's.
static void row(kst_table table, const uint8_t *bytes, size_t size) {
    static karst_project *p;
    if (!p) {
        p = calloc(1, sizeof *p);
        if (!p) abort();
        p->path = "fuzz";
        pthread_mutex_init(&p->mutex, NULL);
        if (sqlite3_open(":memory:", &p->db) || sqlite3_exec(p->db, kst_world_schema_sql, NULL, NULL, NULL)) abort();
    }
    if (sqlite3_exec(p->db, "BEGIN", NULL, NULL, NULL)) abort();
    kst_reader r = {bytes, bytes + size, false};
    kst_read_u8(&r);
    if (!kst_row_write(p, table, (int64_t)kst_read_u64(&r), bytes, size)) {
        karst_project_ground g[KARST_PROJECT_KINDS];
        karst_sheet s;
        int count;
        (void)karst_project_grounds(p, g, KARST_PROJECT_KINDS, &count);
        (void)karst_project_sheets(p, 1, &s, 1, &count);
    }
    if (sqlite3_exec(p->db, "ROLLBACK", NULL, NULL, NULL)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < 8) return 0;
    if (bytes[0] % 2) {
        row((kst_table)(1 + bytes[0] / 2 % 3), bytes + 1, size - 1);
        return 0;
    }
    uint8_t *copy = malloc(size - 1);
    if (!copy) return 0;
    memcpy(copy, bytes + 1, size - 1);
    difference(copy, size - 1);
    free(copy);
    return 0;
}
