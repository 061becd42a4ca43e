// SPDX-License-Identifier: MIT
// The grounds of a world: their rows, their hashes, and the bytes that go with them.
#include <math.h>
#include <stdlib.h>

#include "project/world.h"

static const char *const kind_names[KARST_PROJECT_KINDS] = {"field", "patch"};
static const char *const kind_words[KARST_PROJECT_KINDS] = {"field", "net of patches"};

const char *karst_project_kind_name(karst_project_kind kind) {
    KARST_ASSERT(kind >= 0 && kind < KARST_PROJECT_KINDS);
    return kind_names[kind];
}

// ---- rows --------------------------------------------------------------------------------------------

karst_status kst_world_need_step(karst_project *p) {
    return p->in_step
               ? KARST_OK
               : kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: changed outside a step: begin one first", p->path);
}

static bool shape_is_sound(const karst_field_shape *s) {
    return s->columns >= 2 && s->rows >= 2 && s->columns <= KARST_FIELD_MAX_SIDE && s->rows <= KARST_FIELD_MAX_SIDE &&
           isfinite(s->spacing_m) && s->spacing_m > 0 && isfinite(s->origin.x) && isfinite(s->origin.y) &&
           isfinite(s->origin.z);
}

void kst_world_copy_text(char *out, size_t room, sqlite3_stmt *s, int column) {
    const unsigned char *text = sqlite3_column_text(s, column);
    size_t n = text ? strlen((const char *)text) : 0;
    if (n >= room) {
        n = room - 1;
        while (n && (text[n] & 0xC0) == 0x80) --n;  // not inside a UTF-8 letter
    }
    for (size_t k = 0; k < n; ++k) out[k] = (char)(text[k] < 0x20 || text[k] == 0x7f ? '?' : text[k]);
    out[n] = 0;
}

karst_status kst_world_digest(karst_project *p, int64_t owner, uint64_t *hash, uint64_t *chunks, uint64_t *holes) {
    sqlite3_stmt *s = NULL;
    int64_t first = kst_world_place(owner, 0, 0);
    int code = kst_sql_prepare(p->db, &s,
                               "SELECT place, hash, holes FROM chunk INDEXED BY chunk_hash WHERE place >= ?1 AND"
                               " place < ?2 ORDER BY place",
                               "ii", first, kst_world_place(owner + 1, 0, 0));
    uint64_t h = *hash, n = 0, open = 0;
    while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        uint64_t row[2] = {(uint64_t)(sqlite3_column_int64(s, 0) - first), (uint64_t)sqlite3_column_int64(s, 1)};
        h = kst_hash(row, sizeof row, h);
        open += (uint64_t)sqlite3_column_int64(s, 2);
        ++n;
    }
    karst_status status = kst_world_sql_fail(p, code, "cannot read the chunks");
    sqlite3_finalize(s);
    *hash = h;
    *chunks = n;
    *holes = open;
    return status;
}

// Hash of what a field looks like: its shape, its own chunks, and the layers above them.
static karst_status digest_field(karst_project *p, karst_project_ground *g, uint64_t *holes) {
    uint64_t shape[6] = {(uint64_t)g->shape.columns, (uint64_t)g->shape.rows}, chunks;
    memcpy(&shape[2], &g->shape.spacing_m, 8);
    memcpy(&shape[3], &g->shape.origin, 24);
    g->hash = kst_hash_u64(g->hash, kst_hash(shape, sizeof shape, 0));
    karst_status status = kst_world_digest(p, kst_world_ground_owner(g->id), &g->hash, &chunks, holes);
    return status ? status : kst_world_digest_layers(p, g->id, &g->hash);
}

static karst_status bad_ground(karst_project *p, int64_t id) {
    return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: ground %lld has a kind or size that no Karst wrote", p->path,
                    (long long)id);
}

// Columns of a ground as they are read, and those of a field alone.
enum { ID, KIND, NAME, SOURCE, COLUMNS, ROWS, SPACING, ORIGIN, STEP = ORIGIN + 3, COLUMN_COUNT };
#define SELECT_GROUND \
    "SELECT id, kind, name, source, columns, rows, spacing_m, origin_x, origin_y, origin_z, step_m FROM ground "

static karst_status read_field(karst_project *p, sqlite3_stmt *s, karst_project_ground *g) {
    int64_t columns = sqlite3_column_int64(s, COLUMNS), rows = sqlite3_column_int64(s, ROWS);
    g->shape = (karst_field_shape){
        columns > INT32_MAX ? 0 : (int32_t)columns,
        rows > INT32_MAX ? 0 : (int32_t)rows,
        sqlite3_column_double(s, SPACING),
        {sqlite3_column_double(s, ORIGIN), sqlite3_column_double(s, ORIGIN + 1), sqlite3_column_double(s, ORIGIN + 2)}};
    g->step_m = sqlite3_column_double(s, STEP);
    if (!shape_is_sound(&g->shape)) return bad_ground(p, g->id);
    uint64_t holes;
    karst_status status = digest_field(p, g, &holes);
    g->hole_share = (double)holes / ((double)(columns - 1) * (double)(rows - 1));
    return status;
}

static karst_status read_net(karst_project *p, sqlite3_stmt *s, karst_project_ground *g) {
    for (int k = COLUMNS; k < COLUMN_COUNT; ++k)
        if (sqlite3_column_type(s, k) != SQLITE_NULL) return bad_ground(p, g->id);
    karst_status status = kst_world_net_size(p, g->id, &g->net);
    return status ? status : kst_world_digest_net(p, g->id, &g->hash);
}

static karst_status read_kind(karst_project *p, sqlite3_stmt *s, int64_t id, karst_project_kind *out) {
    char kind[16];
    kst_world_copy_text(kind, sizeof kind, s, KIND);
    for (int k = 0; k < KARST_PROJECT_KINDS; ++k)
        if (!strcmp(kind, kind_names[k])) {
            *out = (karst_project_kind)k;
            return id < 1 || id >= (int64_t)1 << 34 ? bad_ground(p, id) : KARST_OK;
        }
    return bad_ground(p, id);
}

static karst_status read_ground(karst_project *p, sqlite3_stmt *s, karst_project_ground *g) {
    *g = (karst_project_ground){.id = sqlite3_column_int64(s, ID)};
    karst_status status = read_kind(p, s, g->id, &g->kind);
    if (status) return status;
    kst_world_copy_text(g->name, sizeof g->name, s, NAME);
    kst_world_copy_text(g->source, sizeof g->source, s, SOURCE);
    const char *kind = kind_names[g->kind];
    g->hash = kst_hash(kind, strlen(kind), KST_WORLD_SCHEMA);
    return g->kind == KARST_PROJECT_FIELD ? read_field(p, s, g) : read_net(p, s, g);
}

// ---- finding -----------------------------------------------------------------------------------------

// List grounds and, where it is asked for, put the hashes of all of them on top of *hash.
static karst_status list(karst_project *p, karst_project_ground *out, int capacity, int *count, uint64_t *hash) {
    sqlite3_stmt *s = NULL;
    karst_project_ground g;
    int n = 0, code = kst_sql_prepare(p->db, &s, SELECT_GROUND "ORDER BY kind, id", "");
    karst_status status = KARST_OK;
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        if (n < capacity || hash) status = read_ground(p, s, &g);
        if (n < capacity && !status) out[n] = g;
        if (hash && !status) *hash = kst_hash_u64(*hash, g.hash);
        ++n;
    }
    if (!status) status = kst_world_sql_fail(p, code, "cannot list the grounds");
    sqlite3_finalize(s);
    if (!status) *count = n;
    return status;
}

karst_status karst_project_grounds(karst_project *project, karst_project_ground *out, int capacity, int *count) {
    pthread_mutex_lock(&project->mutex);
    karst_status status = list(project, out, capacity, count, NULL);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status karst_project_hash(karst_project *project, uint64_t *out) {
    int count = 0;
    uint64_t hash = 0;
    pthread_mutex_lock(&project->mutex);
    karst_status status = list(project, NULL, 0, &count, &hash);
    pthread_mutex_unlock(&project->mutex);
    if (!status) *out = kst_hash_u64((uint64_t)count, hash);
    return status;
}

karst_status karst_project_find_ground(karst_project *project, karst_project_kind kind, karst_project_ground *out) {
    sqlite3_stmt *s = NULL;
    karst_project_ground g = {0};
    pthread_mutex_lock(&project->mutex);
    int code =
        kst_sql_prepare(project->db, &s, SELECT_GROUND "WHERE kind=?1 ORDER BY id LIMIT 1", "t", kind_names[kind]);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = code == SQLITE_ROW ? read_ground(project, s, &g)
                                             : kst_world_sql_fail(project, code, "cannot look for a ground");
    sqlite3_finalize(s);
    pthread_mutex_unlock(&project->mutex);
    if (!status) *out = g;
    return status;
}

static karst_status no_such_ground(karst_project *p, int64_t id) {
    return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: has no ground %lld", p->path, (long long)id);
}

karst_status kst_world_kind_of(karst_project *p, int64_t id, karst_project_kind *out) {
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, SELECT_GROUND "WHERE id=?1", "i", id);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = code == SQLITE_ROW    ? read_kind(p, s, id, out)
                          : code == SQLITE_DONE ? no_such_ground(p, id)
                                                : kst_world_sql_fail(p, code, "cannot look for a ground");
    sqlite3_finalize(s);
    return status;
}

karst_status kst_world_need_kind(karst_project *p, int64_t id, karst_project_kind kind) {
    karst_project_kind is;
    karst_status status = kst_world_kind_of(p, id, &is);
    if (!status && is != kind)
        status = kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: ground %lld is a %s, and a %s is asked for", p->path,
                          (long long)id, kind_words[is], kind_words[kind]);
    return status;
}

karst_status kst_world_find_ground(karst_project *p, int64_t id, karst_project_kind kind, karst_project_ground *out) {
    karst_status status = kst_world_need_kind(p, id, kind);
    if (status) return status;
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, SELECT_GROUND "WHERE id=?1", "i", id);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    status = code == SQLITE_ROW    ? read_ground(p, s, out)
             : code == SQLITE_DONE ? no_such_ground(p, id)
                                   : kst_world_sql_fail(p, code, "cannot read a ground");
    sqlite3_finalize(s);
    return status;
}

// ---- changing ----------------------------------------------------------------------------------------

karst_status kst_world_check_shape(karst_project *p, const karst_field_shape *shape) {
    if (shape_is_sound(shape)) return KARST_OK;
    return kst_fail(&p->report, KARST_ERROR_ARGUMENT,
                    "%s: a field of %d x %d vertices at %g m: sides are 2..%d, spacing above 0", p->path,
                    shape->columns, shape->rows, shape->spacing_m, KARST_FIELD_MAX_SIDE);
}

static karst_status put_shape(karst_project *p, int64_t ground, const karst_field_shape *shape) {
    return kst_world_do(p, "cannot set the size of the ground",
                        "UPDATE ground SET columns=?2, rows=?3, spacing_m=?4, origin_x=?5, origin_y=?6, origin_z=?7,"
                        " step_m=0 WHERE id=?1",
                        "iiirrrr", ground, (int64_t)shape->columns, (int64_t)shape->rows, shape->spacing_m,
                        shape->origin.x, shape->origin.y, shape->origin.z);
}

karst_status kst_world_add_ground(karst_project *p, karst_project_kind kind, const char *name,
                                  const karst_field_shape *shape, int64_t *id) {
    char sql[80];
    int64_t count = 0;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM ground WHERE kind='%s'", kind_names[kind]);
    karst_status status = kst_sql_int(p->db, sql, p->path, &p->report, &count);
    if (!status && count)
        status = kst_fail(&p->report, KARST_ERROR_LIMIT, "%s: has a %s already, and a world holds one: replace it",
                          p->path, kind_words[kind]);
    if (!status)
        status = kst_world_do(p, "cannot add a ground", "INSERT INTO ground(kind, name, source) VALUES(?1, ?2, '')",
                              "tt", kind_names[kind], name);
    if (status) return status;
    int64_t added = sqlite3_last_insert_rowid(p->db);
    if (shape) status = put_shape(p, added, shape);
    if (!status) status = kst_history_added(p, KST_GROUNDS, added);
    if (!status) *id = added;
    return status;
}

karst_status karst_project_add_field(karst_project *project, const char *name, const karst_field_shape *shape,
                                     int64_t *id) {
    karst_status status = kst_world_need_step(project);
    if (!status) status = kst_world_check_shape(project, shape);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_add_ground(project, KARST_PROJECT_FIELD, name ? name : "ground", shape, id);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status kst_world_drop_chunks(karst_project *p, int64_t owner) {
    karst_status status = kst_history_keep_chunks(p, owner);
    if (status) return status;
    return kst_world_do(p, "cannot remove the chunks", "DELETE FROM chunk WHERE place >= ?1 AND place < ?2", "ii",
                        kst_world_place(owner, 0, 0), kst_world_place(owner + 1, 0, 0));
}

karst_status kst_world_drop_extra(karst_project *p, int64_t id) {
    karst_status status = kst_history_keep_row(p, KST_EXTRAS, id);
    return status ? status : kst_world_do(p, "cannot remove an extra", "DELETE FROM extra WHERE id=?1", "i", id);
}

karst_status kst_world_drop_extras(karst_project *p, int64_t ground, const char *name) {
    for (;;) {
        sqlite3_stmt *s = NULL;
        int code = kst_sql_prepare(p->db, &s, "SELECT id FROM extra WHERE ground=?1 AND (?3 OR name=?2)", "iti", ground,
                                   name ? name : "", (int64_t)!name);
        if (code == SQLITE_OK) code = sqlite3_step(s);
        int64_t id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
        karst_status status = kst_world_sql_fail(p, code, "cannot find an extra");
        sqlite3_finalize(s);
        if (!status && code == SQLITE_ROW) status = kst_world_drop_extra(p, id);
        if (status || code != SQLITE_ROW) return status;
    }
}

karst_status kst_world_set_shape(karst_project *p, int64_t ground, const karst_field_shape *shape) {
    karst_status status = kst_world_drop_extras(p, ground, NULL);
    if (!status) status = kst_history_keep_row(p, KST_GROUNDS, ground);
    return status ? status : put_shape(p, ground, shape);
}

static karst_status remove_ground(karst_project *p, int64_t ground) {
    karst_project_kind kind;
    karst_status status = kst_world_kind_of(p, ground, &kind);
    if (!status) status = kst_world_remove_sheets(p, ground);
    if (!status) status = kst_world_drop_chunks(p, kst_world_ground_owner(ground));
    if (!status) status = kst_world_drop_extras(p, ground, NULL);
    if (!status) status = kst_history_keep_row(p, KST_GROUNDS, ground);
    if (!status) status = kst_world_do(p, "cannot remove the ground", "DELETE FROM ground WHERE id=?1", "i", ground);
    return status;
}

karst_status karst_project_remove_ground(karst_project *project, int64_t ground) {
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = remove_ground(project, ground);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status karst_project_set_source(karst_project *project, int64_t ground, const char *source, double step_m) {
    karst_project_kind kind;
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_kind_of(project, ground, &kind);
    if (!status) status = kst_history_keep_row(project, KST_GROUNDS, ground);
    if (!status)
        status = kst_world_do(project, "cannot note the source",
                              "UPDATE ground SET source=?2, step_m=CASE ?4 WHEN 0 THEN NULL ELSE ?3 END WHERE id=?1",
                              "itri", ground, source, step_m, (int64_t)(kind == KARST_PROJECT_FIELD));
    pthread_mutex_unlock(&project->mutex);
    return status;
}

// ---- extras ------------------------------------------------------------------------------------------

karst_status kst_world_put_extra(karst_project *p, int64_t ground, const char *name, const void *bytes, size_t size) {
    karst_status status = kst_world_drop_extras(p, ground, name);
    if (!status)
        status = kst_world_do(p, "cannot keep an extra",
                              "INSERT INTO extra(ground, name, hash, data) VALUES(?1, ?2, ?3, ?4)", "itib", ground,
                              name, (int64_t)kst_hash(bytes, size, 0), bytes, size);
    if (!status) status = kst_history_added(p, KST_EXTRAS, sqlite3_last_insert_rowid(p->db));
    return status;
}

karst_status karst_project_set_extra(karst_project *project, int64_t ground, const char *name, const void *bytes,
                                     size_t size) {
    karst_project_kind kind;
    karst_status status = kst_world_need_step(project);
    if (!status && kst_world_is_of_net(name))
        status = kst_fail(&project->report, KARST_ERROR_ARGUMENT,
                          "%s: an extra named %s is part of a net: give it another name", project->path, name);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_kind_of(project, ground, &kind);
    if (!status && size)
        status = kst_world_put_extra(project, ground, name, bytes, size);
    else if (!status)
        status = kst_world_drop_extras(project, ground, name);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

static karst_status read_extra(karst_project *p, sqlite3_stmt *s, const char *name, void **out, size_t *size) {
    const void *bytes = sqlite3_column_blob(s, 0);
    size_t n = (size_t)sqlite3_column_bytes(s, 0);
    if (!n || kst_hash(bytes, n, 0) != (uint64_t)sqlite3_column_int64(s, 1))
        return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: the extra %s is damaged: restore the file from a copy",
                        p->path, name);
    *out = malloc(n);
    if (!*out) return kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    memcpy(*out, bytes, n);
    *size = n;
    return KARST_OK;
}

karst_status kst_world_get_extra(karst_project *p, int64_t ground, const char *name, void **out, size_t *size) {
    sqlite3_stmt *s = NULL;
    int code =
        kst_sql_prepare(p->db, &s, "SELECT data, hash FROM extra WHERE ground=?1 AND name=?2", "it", ground, name);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = kst_world_sql_fail(p, code, "cannot read an extra");
    void *found = NULL;
    size_t found_size = 0;
    if (code == SQLITE_ROW) status = read_extra(p, s, name, &found, &found_size);
    sqlite3_finalize(s);
    if (!status) {
        *out = found;
        *size = found_size;
    }
    return status;
}

karst_status karst_project_get_extra(karst_project *project, int64_t ground, const char *name, void **out,
                                     size_t *size) {
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_world_get_extra(project, ground, name, out, size);
    pthread_mutex_unlock(&project->mutex);
    return status;
}
