// SPDX-License-Identifier: MIT
// The tree of steps in memory. With the mutex held.
#pragma once
#include "karst/history.h"
#include "project/world.h"

typedef struct kst_tree {
    karst_history_step *steps;  // by id, each after its parent
    int64_t *redo;              // where redo leads from each
    int count;
    int64_t head, root_redo;  // head 0: before the first step
    uint64_t most;            // limit of bytes, 0: none
} kst_tree;

// Read and check all steps. KARST_ERROR_FORMAT when they are no tree. kst_tree_free() it, also a zeroed one.
karst_status kst_tree_read(karst_project *p, kst_tree *out);
void kst_tree_free(kst_tree *tree);
// NULL when there is none, as for 0.
const karst_history_step *kst_tree_find(const kst_tree *tree, int64_t id);

// What a delta is of, for people.
enum { KST_ROW_NAME = 40 };
static inline void kst_history_row_name(int64_t table, int64_t key, char out[KST_ROW_NAME]) {
    static const char *const names[] = {"chunk", "ground", "sheet", "extra"};
    if (table == KST_CHUNKS)
        snprintf(out, KST_ROW_NAME, "chunk (%d, %d)", (int)(key & 0x3FFF), (int)(key >> 14 & 0x3FFF));
    else
        snprintf(out, KST_ROW_NAME, "%s %lld", table > 0 && table < KST_TABLE_COUNT ? names[table] : "row",
                 (long long)key);
}

// ---- check_chain.c -----------------------------------------------------------------------------------

// Whether a row of (step, kind, key, takes, gives, data) is whole; room for a chunk.
karst_status kst_check_delta(karst_project *p, sqlite3_stmt *q, karst_field_chunk *room, bool *good);
// Whether all states follow from one another.
karst_status kst_check_chain(karst_project *p, const kst_tree *tree, const karst_progress *progress,
                             karst_check *check);
