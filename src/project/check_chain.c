// SPDX-License-Identifier: MIT
// Check of a history without moving along it: what each delta holds is whole, and the states of every row follow from
// one another, from the first step that is kept to the world as it stands.
//
// Of one row, a step that changed it leads from `before` to `after`. Before must be the state after the nearest step
// above that changed the row too, or, where there is none, the one state that all began with; and the row as it stands
// is the state after the nearest such step at the head or above.
#include <stdlib.h>

#include "project/history_tree.h"

// ---- one delta ---------------------------------------------------------------------------------------

// Columns: step, kind, key, takes, gives, data.
karst_status kst_check_delta(karst_project *p, sqlite3_stmt *q, karst_field_chunk *room, bool *good) {
    int64_t kind = sqlite3_column_int64(q, 1);
    bool takes = sqlite3_column_type(q, 3) != SQLITE_NULL, gives = sqlite3_column_type(q, 4) != SQLITE_NULL;
    uint64_t hash = (uint64_t)sqlite3_column_int64(q, 4);
    const uint8_t *data = sqlite3_column_blob(q, 5);
    size_t size = (size_t)sqlite3_column_bytes(q, 5);
    karst_status status = KARST_OK;
    if (kind < 0 || kind >= KST_TABLE_COUNT || (!gives && !takes) || gives != (size > 0)) {
        *good = false;
    } else if (!gives) {
        *good = true;
    } else if (kind != KST_CHUNKS) {
        *good = kst_hash(data, size, (uint64_t)kind) == hash;
    } else {
        status = data[0] != KST_DELTA_FORM ? kst_world_chunk_decode(data, size, hash, room)
                 : takes ? kst_delta_check(data, size, kst_delta_ends((uint64_t)sqlite3_column_int64(q, 3), hash))
                         : KARST_ERROR_FORMAT;
        *good = !status;
    }
    if (status == KARST_ERROR_MEMORY) return kst_fail(&p->report, status, "%s: out of memory", p->path);
    return KARST_OK;
}

// ---- the chain ---------------------------------------------------------------------------------------

typedef struct row_state {
    bool there;
    uint64_t hash;
} row_state;

typedef struct link {
    int step;  // index in the tree
    row_state before, after;
} link;

typedef struct chain {
    karst_project *p;
    const kst_tree *tree;
    karst_check *check;
    int *enter, *size;  // of the subtree below each step, in an order that goes down before it goes on
    int64_t kind, key;  // of the row looked at
    link *links;
    int count, room;
} chain;

static bool same(row_state a, row_state b) {
    return a.there == b.there && (!a.there || a.hash == b.hash);
}

static void judge(chain *c, bool good, int step) {
    ++c->check->tried;
    if (good || c->check->failed++) return;
    char row[KST_ROW_NAME], where[72] = "the world";
    kst_history_row_name(c->kind, c->key, row);
    if (step >= 0) {
        const karst_history_step *of = &c->tree->steps[step];
        snprintf(where, sizeof where, "step %lld (%.40s)", (long long)of->id, of->name);
    }
    snprintf(c->check->first, sizeof c->check->first, "%s of %s does not follow from the step before", row, where);
}

static bool number_steps(chain *c) {
    int n = c->tree->count;
    int *next = kst_alloc_array(NULL, (size_t)n + 1, sizeof *next);
    c->enter = kst_alloc_array(NULL, (size_t)n + 1, sizeof *c->enter);
    c->size = kst_alloc_array(NULL, (size_t)n + 1, sizeof *c->size);
    bool good = next && c->enter && c->size;
    for (int i = 0; i < n && good; ++i) c->size[i] = 1;
    for (int i = n; i-- > 0 && good;) {
        const karst_history_step *parent = kst_tree_find(c->tree, c->tree->steps[i].parent);
        if (parent) c->size[parent - c->tree->steps] += c->size[i];
    }
    for (int i = 0, root = 0; i < n && good; ++i) {
        const karst_history_step *parent = kst_tree_find(c->tree, c->tree->steps[i].parent);
        int *at = parent ? &next[parent - c->tree->steps] : &root;
        c->enter[i] = *at;
        *at += c->size[i];
        next[i] = c->enter[i] + 1;
    }
    free(next);
    return good;
}

static bool is_above(const chain *c, int step, int other) {
    return c->enter[step] <= c->enter[other] && c->enter[other] < c->enter[step] + c->size[step];
}

static karst_status state_now(chain *c, row_state *out) {
    if (c->kind == KST_CHUNKS) {
        kst_stored row;
        karst_status status = kst_stored_read(c->p, c->key, &row);
        *out = (row_state){row.bytes != NULL, row.hash};
        kst_stored_done(c->p);
        return status;
    }
    kst_row row = {0};
    karst_status status = kst_row_read(c->p, (kst_table)c->kind, c->key, &row);
    *out = (row_state){row.bytes != NULL, row.hash};
    kst_row_free(&row);
    return status;
}

// All links of one row, by step, are there.
static karst_status check_row(chain *c) {
    const row_state *first = NULL, *now = NULL;
    for (int i = 0; i < c->count; ++i) {
        const link *l = &c->links[i];
        const row_state *expected = NULL;
        for (int k = i; k-- > 0 && !expected;)
            if (is_above(c, c->links[k].step, l->step)) expected = &c->links[k].after;
        if (!expected && !first) first = &l->before;
        if (!expected) expected = first;
        judge(c, same(*expected, l->before), l->step);
        if (c->tree->steps[l->step].done) now = &l->after;
    }
    if (!now) now = first;
    row_state stands;
    karst_status status = now ? state_now(c, &stands) : KARST_OK;
    if (now && !status) judge(c, same(*now, stands), -1);
    c->count = 0;
    return status;
}

static karst_status add_link(chain *c, sqlite3_stmt *q) {
    const karst_history_step *step = kst_tree_find(c->tree, sqlite3_column_int64(q, 2));
    if (!step) return KARST_OK;  // told by the check of deltas
    if (c->count == c->room) {
        int room = c->room ? 2 * c->room : 64;
        link *links = kst_alloc_array(NULL, (size_t)room, sizeof *links);
        if (!links) return kst_fail(&c->p->report, KARST_ERROR_MEMORY, "%s: out of memory", c->p->path);
        if (c->count) memcpy(links, c->links, (size_t)c->count * sizeof *links);
        free(c->links);
        c->links = links;
        c->room = room;
    }
    row_state takes = {sqlite3_column_type(q, 3) != SQLITE_NULL, (uint64_t)sqlite3_column_int64(q, 3)};
    row_state gives = {sqlite3_column_type(q, 4) != SQLITE_NULL, (uint64_t)sqlite3_column_int64(q, 4)};
    link *l = &c->links[c->count++];
    *l = (link){(int)(step - c->tree->steps), step->done ? gives : takes, step->done ? takes : gives};
    return KARST_OK;
}

karst_status kst_check_chain(karst_project *p, const kst_tree *tree, const karst_progress *progress,
                             karst_check *check) {
    chain c = {.p = p, .tree = tree, .check = check};
    karst_status status =
        number_steps(&c) ? KARST_OK : kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    sqlite3_stmt *q = NULL;
    int code = SQLITE_OK;
    if (!status)
        code = kst_sql_prepare(p->db, &q,
                               "SELECT kind, key, step, takes, gives FROM delta WHERE kind BETWEEN 0 AND ?1"
                               " ORDER BY kind, key, step",
                               "i", (int64_t)KST_TABLE_COUNT - 1);
    for (int turn = 0;
         !status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(q)) == SQLITE_ROW;) {
        int64_t kind = sqlite3_column_int64(q, 0), key = sqlite3_column_int64(q, 1);
        if (kind != c.kind || key != c.key) status = check_row(&c);
        c.kind = kind;
        c.key = key;
        if (!status) status = add_link(&c, q);
        if (!status && (++turn & 255) == 0) {
            status = kst_progress_step(progress, "history", 0.5);
            if (status) kst_fail(&p->report, status, "%s: stopped", p->path);
        }
    }
    if (!status) status = kst_world_sql_fail(p, code, "cannot read the history");
    if (!status) status = check_row(&c);
    sqlite3_finalize(q);
    free(c.enter);
    free(c.size);
    free(c.links);
    return status;
}
