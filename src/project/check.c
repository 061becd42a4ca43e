// SPDX-License-Identifier: MIT
// Check: proves a world from its file. What is found wrong is counted and told; the check itself goes on.
#include <stdlib.h>

#include "project/history_tree.h"

enum { FILE_ROWS, GROUNDS, CHUNKS, BORDERS, EXTRAS, DELTAS, HISTORY, NET, ROW_COUNT };  // NET: when there is one

typedef struct survey {
    karst_project *p;
    karst_check *rows;
    const karst_progress *progress;
    uint64_t done, all;  // rows of the tables that are read through
} survey;

static void __attribute__((format(printf, 4, 5))) judge(survey *s, int row, bool good, const char *format, ...) {
    karst_check *c = &s->rows[row];
    ++c->tried;
    if (good || c->failed++) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->first, sizeof c->first, format, arguments);
    va_end(arguments);
}

static karst_status tick(survey *s) {
    if (++s->done & 15) return KARST_OK;
    karst_status status = kst_progress_step(s->progress, "check", (double)s->done / (double)(s->all + 1));
    return status ? kst_fail(&s->p->report, status, "%s: stopped", s->p->path) : KARST_OK;
}

// A line for what kst_fail() wrote of the world, without its name in front.
static const char *line_of(const survey *s) {
    const char *line = s->p->report.message;
    size_t n = strlen(s->p->path);
    return !strncmp(line, s->p->path, n) && !strncmp(line + n, ": ", 2) ? line + n + 2 : line;
}

// ---- the file ----------------------------------------------------------------------------------------

static int keep_on(void *context) {
    survey *s = context;
    return kst_progress_step(s->progress, "file", 0) != KARST_OK;
}

static karst_status check_file(survey *s) {
    sqlite3_stmt *q = NULL;
    sqlite3_progress_handler(s->p->db, 20000, keep_on, s);
    int code = kst_sql_prepare(s->p->db, &q, "PRAGMA integrity_check", "");
    while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(q)) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(q, 0);
        const char *said = line && !strncmp(line, "***", 3) && strchr(line, '\n') ? strchr(line, '\n') + 1 : line;
        judge(s, FILE_ROWS, line && !strcmp(line, "ok"), "%.*s", said ? (int)strcspn(said, "\n") : 0, said ? said : "");
    }
    sqlite3_finalize(q);
    sqlite3_progress_handler(s->p->db, 0, NULL, NULL);
    if (code == SQLITE_INTERRUPT) return kst_fail(&s->p->report, KARST_ERROR_CANCELLED, "%s: stopped", s->p->path);
    karst_status status = kst_world_sql_fail(s->p, code, "cannot read");
    if (status == KARST_ERROR_FORMAT) judge(s, FILE_ROWS, false, "%s", line_of(s));
    return status == KARST_ERROR_FORMAT ? KARST_OK : status;
}

// A failure that is of the world, and so told, or one that ends the check.
static karst_status told(karst_status status) {
    return status == KARST_ERROR_MEMORY || status == KARST_ERROR_FILE ? status : KARST_OK;
}

// ---- grounds, sheets, extras -------------------------------------------------------------------------

// What is there of a kind that is sound; id 0: nothing.
typedef karst_project_ground grounds[KARST_PROJECT_KINDS];

static karst_status check_sheets(survey *s, const karst_project_ground *g) {
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = kst_world_list_sheets(s->p, g->id, &sheets, &count);
    judge(s, GROUNDS, status != KARST_ERROR_FORMAT, "%s", line_of(s));
    for (int i = 0; i < count && !status; ++i) {
        const karst_sheet *mask = NULL;
        for (int k = 0; k < count; ++k)
            if (sheets[k].id == sheets[i].mask && sheets[k].kind == KARST_SHEET_MASK) mask = &sheets[k];
        judge(s, GROUNDS, !sheets[i].mask || mask, "the mask of %s is not there", sheets[i].name);
    }
    kst_world_free_sheets(sheets, count);
    return status == KARST_ERROR_FORMAT ? KARST_OK : status;
}

// What comes out of a world keeps every rule of a net.
static karst_status check_net(survey *s, int64_t ground) {
    karst_net *net = NULL;
    karst_status status = kst_world_get_net(s->p, ground, NULL, &net);
    judge(s, NET, !status || told(status), "%s", line_of(s));
    karst_net_destroy(net);
    return told(status);
}

static karst_status check_ground(survey *s, int64_t id, grounds found) {
    karst_project_kind kind;
    karst_project_ground g = {0};
    karst_status status = kst_world_kind_of(s->p, id, &kind);
    bool net = !status && kind == KARST_PROJECT_PATCH;
    if (!status) status = kst_world_find_ground(s->p, id, kind, &g);
    judge(s, GROUNDS, !status || told(status), "%s", line_of(s));
    if (!status) {
        judge(s, GROUNDS, !found[kind].id, "ground %lld is one more %s, and a world holds one", (long long)id,
              karst_project_kind_name(kind));
        if (!found[kind].id) found[kind] = g;
        if (kind == KARST_PROJECT_FIELD) status = check_sheets(s, &g);
    }
    status = told(status);
    return status || !net ? status : check_net(s, id);
}

static karst_status check_grounds(survey *s, grounds found) {
    sqlite3_stmt *q = NULL;
    karst_status status = KARST_OK;
    int code = kst_sql_prepare(s->p->db, &q, "SELECT id FROM ground ORDER BY id", "");
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(q)) == SQLITE_ROW)
        status = check_ground(s, sqlite3_column_int64(q, 0), found);
    if (!status) status = kst_world_sql_fail(s->p, code, "cannot list the grounds");
    sqlite3_finalize(q);
    return status;
}

// Elements of a net belong to one, and to no other place in it than it has.
static void check_element(survey *s, int64_t ground, const char *kind, const char *name, const grounds found) {
    const karst_project_ground *net = &found[KARST_PROJECT_PATCH];
    bool of_net = !strcmp(kind, karst_project_kind_name(KARST_PROJECT_PATCH));
    judge(s, EXTRAS, of_net, "the extra %s belongs to ground %lld, which is no net", name, (long long)ground);
    if (of_net && ground == net->id)
        judge(s, EXTRAS, kst_world_net_has(&net->net, name),
              "the extra %s is none of a net of %d corners, %d edges, %d patches, as its head tells", name,
              net->net.corner_count, net->net.edge_count, net->net.patch_count);
}

static karst_status check_extras(survey *s, const grounds found) {
    sqlite3_stmt *q = NULL;
    int code = kst_sql_prepare(s->p->db, &q,
                               "SELECT extra.ground, extra.name, extra.hash, extra.data, ground.kind FROM extra"
                               " LEFT JOIN ground ON ground.id = extra.ground",
                               "");
    while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(q)) == SQLITE_ROW) {
        char name[KARST_NAME_BYTES];
        kst_world_copy_text(name, sizeof name, q, 1);
        const void *bytes = sqlite3_column_blob(q, 3);
        size_t size = (size_t)sqlite3_column_bytes(q, 3);
        judge(s, EXTRAS, size && kst_hash(bytes, size, 0) == (uint64_t)sqlite3_column_int64(q, 2),
              "the extra %s is damaged", name);
        int64_t ground = sqlite3_column_int64(q, 0);
        const char *kind = (const char *)sqlite3_column_text(q, 4);
        judge(s, EXTRAS, kind, "the extra %s belongs to ground %lld, which is not there", name, (long long)ground);
        if (kind && kst_world_is_of_net(name)) check_element(s, ground, kind, name, found);
    }
    karst_status status = kst_world_sql_fail(s->p, code, "cannot read the extras");
    sqlite3_finalize(q);
    return status;
}

// ---- chunks ------------------------------------------------------------------------------------------

// A chunk that is read, and one beside it.
typedef struct pair {
    karst_field_chunk here, beside;
} pair;

static bool borders_meet(const karst_field_chunk *a, const karst_field_chunk *b, bool along_x) {
    bool same = true;
    for (int k = 0; k < KARST_CHUNK_SIDE && same; ++k) {
        int at = along_x ? k * KARST_CHUNK_SIDE + KARST_CHUNK_CELLS : KARST_CHUNK_CELLS * KARST_CHUNK_SIDE + k;
        int to = along_x ? k * KARST_CHUNK_SIDE : k;
        same = !memcmp(&a->y[at], &b->y[to], 4) && !memcmp(&a->x[at], &b->x[to], 4) && !memcmp(&a->z[at], &b->z[to], 4);
    }
    for (int k = 0; k < KARST_HALF_SIDE && same; ++k)
        same = a->transparency[along_x ? k * KARST_HALF_SIDE + 32 : 32 * KARST_HALF_SIDE + k] ==
               b->transparency[along_x ? k * KARST_HALF_SIDE : k];
    return same;
}

// Read a chunk that may not be there, which is flat then. A damaged one is told where it is itself.
static karst_status read_beside(survey *s, int64_t place, karst_field_chunk *out, bool *there, bool *good) {
    kst_stored row;
    karst_status status = kst_stored_read(s->p, place, &row);
    *there = row.bytes != NULL;
    memset(out, 0, sizeof *out);
    *good = !status && (!row.bytes || !kst_world_chunk_decode(row.bytes, row.size, row.hash, out));
    kst_stored_done(s->p);
    return status;
}

// The chunk at (x, z) against its neighbours: those after it, and those before it that are not stored.
static karst_status check_borders(survey *s, pair *c, int64_t owner, int32_t x, int32_t z, int32_t across,
                                  int32_t down) {
    static const int step[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    karst_status status = KARST_OK;
    for (int k = 0; k < 4 && !status; ++k) {
        int32_t nx = x + step[k][0], nz = z + step[k][1];
        if (nx < 0 || nz < 0 || nx >= across || nz >= down) continue;
        bool there, good;
        status = read_beside(s, kst_world_place(owner, nx, nz), &c->beside, &there, &good);
        if (status || !good || (k >= 2 && there)) continue;
        bool meet = k < 2 ? borders_meet(&c->here, &c->beside, k == 0) : borders_meet(&c->beside, &c->here, k == 2);
        judge(s, BORDERS, meet, "chunk (%d, %d) does not meet chunk (%d, %d)", x, z, nx, nz);
    }
    return status;
}

static bool owner_is_known(const survey *s, int64_t owner, const karst_project_ground *g) {
    if (g->id && owner == kst_world_ground_owner(g->id)) return true;
    karst_sheet sheet;
    int64_t id = owner - kst_world_sheet_owner(0);
    return id > 0 && !kst_world_find_sheet(s->p, id, &sheet) && sheet.ground == g->id;
}

static karst_status check_chunk(survey *s, sqlite3_stmt *q, pair *c, const karst_project_ground *g, int64_t *last,
                                bool *known) {
    int64_t place = sqlite3_column_int64(q, 0), owner = place >> 28;
    int32_t x = (int32_t)(place & 0x3FFF), z = (int32_t)(place >> 14 & 0x3FFF);
    int32_t across = (g->shape.columns - 2) / KARST_CHUNK_CELLS + 1, down = (g->shape.rows - 2) / KARST_CHUNK_CELLS + 1;
    if (owner != *last) *known = owner_is_known(s, owner, g);
    *last = owner;
    judge(s, CHUNKS, *known && x < across && z < down, "chunk (%d, %d) belongs to no ground and no sheet", x, z);
    karst_status status = kst_world_chunk_decode(sqlite3_column_blob(q, 3), (size_t)sqlite3_column_bytes(q, 3),
                                                 (uint64_t)sqlite3_column_int64(q, 1), &c->here);
    if (status == KARST_ERROR_MEMORY) return kst_fail(&s->p->report, status, "%s: out of memory", s->p->path);
    judge(s, CHUNKS, !status, "chunk (%d, %d) is damaged", x, z);
    if (status || !*known || x >= across || z >= down) return KARST_OK;
    judge(s, CHUNKS, kst_world_holes_inside(&g->shape, x, z, &c->here) == sqlite3_column_int64(q, 2),
          "chunk (%d, %d) has another number of holes than is told", x, z);
    return check_borders(s, c, owner, x, z, across, down);
}

static karst_status check_chunks(survey *s, const karst_project_ground *g) {
    pair *c = kst_alloc(NULL, sizeof *c);
    if (!c) return kst_fail(&s->p->report, KARST_ERROR_MEMORY, "%s: out of memory", s->p->path);
    sqlite3_stmt *q = NULL;
    int64_t last = -1;
    bool known = false;
    karst_status status = KARST_OK;
    int code = kst_sql_prepare(s->p->db, &q, "SELECT place, hash, holes, data FROM chunk ORDER BY place", "");
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(q)) == SQLITE_ROW) {
        status = check_chunk(s, q, c, g, &last, &known);
        if (!status) status = tick(s);
    }
    if (!status) status = kst_world_sql_fail(s->p, code, "cannot read the chunks");
    sqlite3_finalize(q);
    kst_free(NULL, c, sizeof *c);
    return status;
}

// ---- the whole ---------------------------------------------------------------------------------------

static karst_status check_deltas(survey *s, const kst_tree *tree) {
    karst_field_chunk *room = kst_alloc(NULL, sizeof *room);
    if (!room) return kst_fail(&s->p->report, KARST_ERROR_MEMORY, "%s: out of memory", s->p->path);
    sqlite3_stmt *q = NULL;
    karst_status status = KARST_OK;
    int code = kst_sql_prepare(s->p->db, &q, "SELECT step, kind, key, takes, gives, data FROM delta", "");
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(q)) == SQLITE_ROW) {
        bool good = false;
        int64_t step = sqlite3_column_int64(q, 0);
        const karst_history_step *of = kst_tree_find(tree, step);
        judge(s, DELTAS, of, "something is kept of step %lld, which is not there", (long long)step);
        status = kst_check_delta(s->p, q, room, &good);
        judge(s, DELTAS, good, "step %lld (%s): what it kept is damaged", (long long)step, of ? of->name : "");
        if (!status) status = tick(s);
    }
    if (!status) status = kst_world_sql_fail(s->p, code, "cannot read the history");
    sqlite3_finalize(q);
    kst_free(NULL, room, sizeof *room);
    return status;
}

static karst_status check_all(survey *s) {
    grounds found = {{0}};
    kst_tree tree = {0};
    karst_status status = check_file(s);
    if (status || s->rows[FILE_ROWS].failed) return status;  // nothing in it can be trusted to be read
    status = check_grounds(s, found);
    if (!status) status = check_chunks(s, &found[KARST_PROJECT_FIELD]);
    if (!status) status = check_extras(s, found);
    if (status) return status;
    status = kst_tree_read(s->p, &tree);
    judge(s, HISTORY, status != KARST_ERROR_FORMAT, "%s", line_of(s));
    if (status) return status == KARST_ERROR_FORMAT ? KARST_OK : status;
    status = check_deltas(s, &tree);
    if (!status) status = kst_check_chain(s->p, &tree, s->progress, &s->rows[HISTORY]);
    kst_tree_free(&tree);
    return status;
}

karst_status karst_project_check(karst_project *project, const karst_progress *progress, karst_check *checks,
                                 int *check_count) {
    static const char *const names[ROW_COUNT] = {"file",   "grounds", "chunks",  "borders",
                                                 "extras", "deltas",  "history", "net"};
    survey s = {project, checks, progress, 0, 0};
    for (int i = 0; i < ROW_COUNT; ++i) checks[i] = (karst_check){.name = names[i]};
    pthread_mutex_lock(&project->mutex);
    int64_t all = 0;
    karst_status status = kst_sql_int(project->db, "SELECT (SELECT count(*) FROM chunk) + (SELECT count(*) FROM delta)",
                                      project->path, &project->report, &all);
    s.all = (uint64_t)all;
    if (!status || status == KARST_ERROR_FORMAT) status = check_all(&s);
    pthread_mutex_unlock(&project->mutex);
    if (!status) *check_count = checks[NET].tried ? ROW_COUNT : NET;
    return status;
}
