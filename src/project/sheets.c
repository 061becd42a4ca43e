// SPDX-License-Identifier: MIT
// Sheets: the rows of layers and masks. Their samples are chunks of their own owner, see store.c.
#include <math.h>

#include "project/world.h"

// ---- reading -----------------------------------------------------------------------------------------

static karst_status bad_row(karst_project *p, int64_t id) {
    return kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: sheet %lld has values that no Karst wrote", p->path,
                    (long long)id);
}

static const char sheet_columns[] = "id, ground, kind, name, shown, strength, rank, mask FROM sheet ";

static karst_status read_sheet(karst_project *p, sqlite3_stmt *s, karst_sheet *out) {
    char kind[16];
    kst_world_copy_text(kind, sizeof kind, s, 2);
    double strength = sqlite3_column_double(s, 5);
    *out = (karst_sheet){.id = sqlite3_column_int64(s, 0),
                         .ground = sqlite3_column_int64(s, 1),
                         .kind = strcmp(kind, "mask") ? KARST_SHEET_LAYER : KARST_SHEET_MASK,
                         .on = sqlite3_column_int(s, 4) != 0,
                         .strength = (float)strength,
                         .order = sqlite3_column_int(s, 6),
                         .mask = sqlite3_column_int64(s, 7)};
    kst_world_copy_text(out->name, sizeof out->name, s, 3);
    bool known = !strcmp(kind, "mask") || !strcmp(kind, "layer");
    if (!known || out->id < 1 || out->id >= (int64_t)1 << 34 || !isfinite(out->strength) || out->mask < 0 ||
        out->mask >= (int64_t)1 << 34)
        return bad_row(p, out->id);
    uint64_t chunks, holes;
    return kst_world_digest(p, kst_world_sheet_owner(out->id), &out->hash, &chunks, &holes);
}

static karst_status list(karst_project *p, int64_t ground, karst_sheet *out, int capacity, int *count) {
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT %sWHERE ground=?1 ORDER BY kind, CASE kind WHEN 'mask' THEN name END, rank, id",
             sheet_columns);
    sqlite3_stmt *s = NULL;
    int n = 0, code = kst_sql_prepare(p->db, &s, sql, "i", ground);
    karst_status status = KARST_OK;
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        if (n < capacity) status = read_sheet(p, s, &out[n]);
        ++n;
    }
    if (!status) status = kst_world_sql_fail(p, code, "cannot list the sheets");
    sqlite3_finalize(s);
    if (!status) *count = n;
    return status;
}

karst_status kst_world_list_sheets(karst_project *p, int64_t ground, karst_sheet **out, int *count) {
    int n = 0;
    karst_status status = list(p, ground, NULL, 0, &n);
    if (status) return status;
    karst_sheet *sheets = n ? kst_alloc_array(NULL, (size_t)n, sizeof *sheets) : NULL;
    if (n && !sheets) return kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    int again = 0;
    status = list(p, ground, sheets, n, &again);
    if (status) {
        kst_world_free_sheets(sheets, n);
        return status;
    }
    *out = sheets;
    *count = n;
    return KARST_OK;
}

void kst_world_free_sheets(karst_sheet *sheets, int count) {
    kst_free(NULL, sheets, (size_t)count * sizeof *sheets);
}

karst_status kst_world_find_sheet(karst_project *p, int64_t id, karst_sheet *out) {
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT %sWHERE id=?1", sheet_columns);
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, sql, "i", id);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    karst_status status = code == SQLITE_ROW    ? read_sheet(p, s, out)
                          : code == SQLITE_DONE ? kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: has no sheet %lld",
                                                           p->path, (long long)id)
                                                : kst_world_sql_fail(p, code, "cannot read a sheet");
    sqlite3_finalize(s);
    return status;
}

karst_status kst_world_digest_layers(karst_project *p, int64_t ground, uint64_t *hash) {
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = kst_world_list_sheets(p, ground, &sheets, &count);
    uint64_t h = *hash;
    for (int i = 0; i < count && !status; ++i) {
        const karst_sheet *layer = &sheets[i];
        if (!kst_layer_shows(layer) || !layer->hash) continue;
        karst_sheet mask = {0};
        if (layer->mask) status = kst_world_find_sheet(p, layer->mask, &mask);
        if (layer->mask && !mask.hash) continue;  // 0 everywhere
        uint32_t strength;
        memcpy(&strength, &layer->strength, sizeof strength);
        uint64_t row[3] = {layer->hash, mask.hash, strength};
        h = kst_hash(row, sizeof row, h);
    }
    kst_world_free_sheets(sheets, count);
    if (!status) *hash = h;
    return status;
}

karst_status karst_project_sheets(karst_project *project, int64_t ground, karst_sheet *out, int capacity, int *count) {
    pthread_mutex_lock(&project->mutex);
    karst_status status = list(project, ground, out, capacity, count);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

// ---- by name -----------------------------------------------------------------------------------------

static const char *const kind_names[] = {"layer", "mask"};

static const karst_sheet *by_name(const karst_sheet *sheets, int count, karst_sheet_kind kind, const char *name) {
    for (int i = 0; i < count; ++i)
        if (sheets[i].kind == kind && !strcmp(sheets[i].name, name)) return &sheets[i];
    return NULL;
}

static karst_status no_such_name(karst_project *p, const karst_sheet *sheets, int count, karst_sheet_kind kind,
                                 const char *name) {
    char names[300] = {0};
    size_t length = 0;
    for (int i = 0; i < count; ++i) {
        if (sheets[i].kind != kind) continue;
        int more = snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", sheets[i].name);
        if (length + (size_t)more >= sizeof names - 5) {
            memcpy(names + length, ", ...", length ? 6 : 0);
            break;
        }
        length += (size_t)more;
    }
    if (!names[0])
        return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: has no %s %s, and no other", p->path, kind_names[kind],
                        name);
    return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: has no %s %s; there are: %s", p->path, kind_names[kind],
                    name, names);
}

karst_status karst_project_find_sheet(karst_project *project, int64_t ground, karst_sheet_kind kind, const char *name,
                                      karst_sheet *out) {
    pthread_mutex_lock(&project->mutex);
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = kst_world_list_sheets(project, ground, &sheets, &count);
    const karst_sheet *found = status ? NULL : by_name(sheets, count, kind, name);
    if (found)
        *out = *found;
    else if (!status)
        status = no_such_name(project, sheets, count, kind, name);
    kst_world_free_sheets(sheets, count);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

// ---- changing ----------------------------------------------------------------------------------------

// A name that people can type and read back, and that no other sheet of the kind has.
static karst_status check_name(karst_project *p, const karst_sheet *sheets, int count, karst_sheet_kind kind,
                               const char *name, int64_t own) {
    bool plain = name[0] && strlen(name) < KARST_NAME_BYTES && name[0] != ' ' && name[0] != '-';
    for (const char *c = name; *c; ++c) plain &= (unsigned char)*c >= 0x20 && *c != 0x7f;
    if (!plain)
        return kst_fail(&p->report, KARST_ERROR_ARGUMENT,
                        "%s: a %s needs a name of 1..%d bytes that does not begin with a space or -", p->path,
                        kind_names[kind], KARST_NAME_BYTES - 1);
    const karst_sheet *taken = by_name(sheets, count, kind, name);
    if (taken && taken->id != own)
        return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: has a %s %s already", p->path, kind_names[kind], name);
    return KARST_OK;
}

static karst_status add(karst_project *p, int64_t ground, karst_sheet_kind kind, const char *name, int64_t *id) {
    karst_project_ground g;
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = kst_world_find_ground(p, ground, KARST_PROJECT_FIELD, &g);
    if (!status) status = kst_world_list_sheets(p, ground, &sheets, &count);
    if (!status) status = check_name(p, sheets, count, kind, name, 0);
    int64_t top = 0;
    for (int i = 0; i < count; ++i)
        if (sheets[i].kind == KARST_SHEET_LAYER && sheets[i].order > top) top = sheets[i].order;
    if (!status)
        status = kst_world_do(p, "cannot add a sheet",
                              "INSERT INTO sheet(ground, kind, name, shown, strength, rank, mask)"
                              " VALUES(?1, ?2, ?3, 1, 1, ?4, 0)",
                              "itti", ground, kind_names[kind], name,
                              kind == KARST_SHEET_LAYER && top < INT32_MAX ? top + 1 : 0);
    if (!status) {
        *id = sqlite3_last_insert_rowid(p->db);
        status = kst_history_added(p, KST_SHEETS, *id);
    }
    kst_world_free_sheets(sheets, count);
    return status;
}

karst_status karst_project_add_sheet(karst_project *project, int64_t ground, karst_sheet_kind kind, const char *name,
                                     int64_t *id) {
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = add(project, ground, kind, name, id);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

static karst_status check_mask(karst_project *p, const karst_sheet *old, const karst_sheet *sheet) {
    if (!sheet->mask) return KARST_OK;
    karst_sheet mask;
    karst_status status = kst_world_find_sheet(p, sheet->mask, &mask);
    if (!status && (mask.kind != KARST_SHEET_MASK || mask.ground != old->ground))
        status = kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: sheet %lld is no mask of this ground", p->path,
                          (long long)sheet->mask);
    if (!status && old->kind == KARST_SHEET_MASK)
        status = kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: a mask has no mask itself", p->path);
    return status;
}

static karst_status set(karst_project *p, const karst_sheet *sheet) {
    karst_sheet old, *sheets = NULL;
    int count = 0;
    if (!isfinite(sheet->strength))
        return kst_fail(&p->report, KARST_ERROR_ARGUMENT, "%s: the strength of a layer is a finite number", p->path);
    karst_status status = kst_world_find_sheet(p, sheet->id, &old);
    if (!status) status = kst_world_list_sheets(p, old.ground, &sheets, &count);
    if (!status) status = check_name(p, sheets, count, old.kind, sheet->name, old.id);
    if (!status) status = check_mask(p, &old, sheet);
    if (!status) status = kst_history_keep_row(p, KST_SHEETS, old.id);
    if (!status)
        status = kst_world_do(p, "cannot change a sheet",
                              "UPDATE sheet SET name=?2, shown=?3, strength=?4, rank=?5, mask=?6 WHERE id=?1", "itirii",
                              old.id, sheet->name, (int64_t)sheet->on, (double)sheet->strength, (int64_t)sheet->order,
                              sheet->mask);
    kst_world_free_sheets(sheets, count);
    return status;
}

karst_status karst_project_set_sheet(karst_project *project, const karst_sheet *sheet) {
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = set(project, sheet);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

static karst_status drop(karst_project *p, int64_t id) {
    karst_status status = kst_world_drop_chunks(p, kst_world_sheet_owner(id));
    if (!status) status = kst_history_keep_row(p, KST_SHEETS, id);
    if (!status) status = kst_world_do(p, "cannot remove the sheet", "DELETE FROM sheet WHERE id=?1", "i", id);
    return status;
}

static karst_status check_unused(karst_project *p, const karst_sheet *sheet) {
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = kst_world_list_sheets(p, sheet->ground, &sheets, &count);
    for (int i = 0; i < count && !status; ++i)
        if (sheet->kind == KARST_SHEET_MASK && sheets[i].mask == sheet->id)
            status = kst_fail(&p->report, KARST_ERROR_ARGUMENT,
                              "%s: the mask %s limits the layer %s: take it from there first", p->path, sheet->name,
                              sheets[i].name);
    kst_world_free_sheets(sheets, count);
    return status;
}

karst_status karst_project_remove_sheet(karst_project *project, int64_t id) {
    karst_sheet sheet;
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_find_sheet(project, id, &sheet);
    if (!status) status = check_unused(project, &sheet);
    if (!status) status = drop(project, id);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status kst_world_remove_sheets(karst_project *p, int64_t ground) {
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = kst_world_list_sheets(p, ground, &sheets, &count);
    for (int i = 0; i < count && !status; ++i) status = drop(p, sheets[i].id);
    kst_world_free_sheets(sheets, count);
    return status;
}

karst_status karst_project_sheet_field(karst_project *project, int64_t id, size_t cache_bytes, karst_field **out) {
    karst_sheet sheet;
    karst_project_ground g;
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_world_find_sheet(project, id, &sheet);
    if (!status) status = kst_world_find_ground(project, sheet.ground, KARST_PROJECT_FIELD, &g);
    pthread_mutex_unlock(&project->mutex);
    if (!status) status = kst_world_open_owner(project, kst_world_sheet_owner(id), &g.shape, cache_bytes, out);
    return status;
}
