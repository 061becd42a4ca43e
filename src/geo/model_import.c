// SPDX-License-Identifier: MIT
// Models in: the reader's answer is checked as a file would be, then cleaned.
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "geo/apart.h"
#include "geo/scene.h"

karst_model_import_def karst_model_import_def_default(void) {
    return (karst_model_import_def){
        .crease_rad = -1,
        .most_triangles = KARST_MODEL_MAX_TRIANGLES,
        .most_bytes = (uint64_t)4 << 30,
        .memory_bytes = (uint64_t)8 << 30,
        .most_seconds = 60,
        .cookie = KST_COOKIE,
    };
}

// Where a mesh without normals stands beside one that has some, and the author asked for none.
static const double some_crease_rad = 1;

static karst_status check_def(const char *path, const karst_model_import_def *d, karst_report *report) {
    bool good = d->unit_m == 0 || (d->unit_m >= 1e-9 && d->unit_m <= 1e9);
    if (!good)
        return kst_fail(report, KARST_ERROR_ARGUMENT, "%s: a unit of %g m: 0 (as the file says), or 1e-9 to 1e9", path,
                        d->unit_m);
    if (!(d->crease_rad <= 3.1416))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "%s: a crease angle of %g: up to pi, or below 0", path,
                        d->crease_rad);
    if (!(d->merge_m == 0 || (d->merge_m >= 1e-30 && d->merge_m <= 1e9)))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "%s: a merge distance of %g m: 0, or 1e-30 to 1e9", path,
                        d->merge_m);
    bool limits = d->most_triangles >= 1 && d->most_triangles <= KARST_MODEL_MAX_TRIANGLES && d->most_bytes >= 1 &&
                  d->memory_bytes >= 1 && d->most_seconds > 0 && d->most_seconds <= 1e6;
    return limits ? KARST_OK : kst_fail(report, KARST_ERROR_ARGUMENT, "%s: a limit of reading is out of range", path);
}

static karst_status check_file(const char *path, const karst_model_import_def *def, karst_report *report) {
    struct stat s;
    if (stat(path, &s)) return kst_fail(report, KARST_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode)) return kst_fail(report, KARST_ERROR_FILE, "%s: not a file", path);
    if (s.st_size == 0) return kst_fail(report, KARST_ERROR_FORMAT, "%s: empty: nothing was written into it", path);
    if ((uint64_t)s.st_size > def->most_bytes)
        return kst_fail(report, KARST_ERROR_LIMIT, "%s: %lld bytes, over the limit of %llu: allow more", path,
                        (long long)s.st_size, (unsigned long long)def->most_bytes);
    return KARST_OK;
}

// ---- the answer -----------------------------------------------------------------------------------------

static bool read_array(void *reader, void *array, size_t bytes) {
    const uint8_t *from = kst_read_bytes(reader, bytes);
    if (from) memcpy(array, from, bytes);
    return from;
}

static karst_status take_answer(const char *path, const kst_map *answer, const karst_model_import_def *def,
                                karst_report *report, kst_scene_head *head, karst_model **out) {
    kst_reader r = {answer->bytes, answer->bytes + answer->size, false};
    const uint8_t *bytes = kst_read_bytes(&r, sizeof *head);
    if (bytes) memcpy(head, bytes, sizeof *head);
    bool sound = bytes && head->whole == KST_COOKIE && head->status >= 0 && head->status < KARST_STATUS_COUNT &&
                 memchr(head->message, 0, sizeof head->message) && head->size.uv_sets >= 0 &&
                 head->info.warning_count >= 0 && head->info.warning_count <= KARST_WARNINGS_MAX;
    if (!sound) return kst_fail(report, KARST_ERROR_FORMAT, "%s: its reader gave no answer: it is damaged", path);
    for (int k = 0; k < KARST_WARNINGS_MAX; ++k) head->info.warnings[k][KARST_WARNING_BYTES - 1] = 0;
    if (head->status) return kst_fail(report, (karst_status)head->status, "%s: %s", path, head->message);
    karst_report inner = {0};
    karst_model *m;
    karst_status status = karst_model_create(&head->size, def->allocator, &inner, &m);
    if (!status) {
        m->origin = head->origin;
        if (!kst_scene_arrays(m, read_array, &r)) {
            status = KARST_ERROR_FORMAT;
            kst_fail(&inner, status, "its reader gave half an answer: it is damaged");
        } else {
            status = karst_model_check(m, &inner);
        }
        if (!status)
            *out = m;
        else
            karst_model_destroy(m);
    }
    return status ? kst_fail(report, status, "%s: %s", path, inner.message) : KARST_OK;
}

// ---- cleaning -------------------------------------------------------------------------------------------

static karst_status finish(const char *path, const karst_model_import_def *def, const karst_progress *progress,
                           karst_report *report, kst_scene_head *head, karst_model **model) {
    if (def->raw) return KARST_OK;
    karst_report inner = {0};
    karst_model_clean_def clean = karst_model_clean_def_default();
    clean.merge_m = def->merge_m;
    clean.progress = progress;
    clean.report = &inner;
    karst_status status = karst_model_clean(*model, &clean, &head->info.cleaned);
    bool some = (*model)->normal && head->without_normals;
    if (!status && (def->crease_rad >= 0 || some)) {
        karst_model *creased;
        status = karst_model_crease(*model, def->crease_rad >= 0 ? def->crease_rad : some_crease_rad, &inner, &creased);
        if (!status) {
            karst_model_destroy(*model);
            *model = creased;
            head->info.made_normals = true;
        }
        if (some && def->crease_rad < 0 && head->info.warning_count < KARST_WARNINGS_MAX)
            snprintf(head->info.warnings[head->info.warning_count++], KARST_WARNING_BYTES,
                     "%u of its meshes have no normals: all were made anew, with a crease of %g", head->without_normals,
                     some_crease_rad);
    }
    if (!status && !(*model)->triangle_count)
        status = kst_fail(&inner, KARST_ERROR_UNSUPPORTED, "every triangle has two corners at one place");
    return status ? kst_fail(report, status, "%s: %s", path, inner.message) : KARST_OK;
}

karst_status karst_geo_import_model(const char *path, const karst_model_import_def *def, const karst_progress *progress,
                                    karst_report *report, karst_model_import_info *info, karst_model **out) {
    karst_model_import_def otherwise = karst_model_import_def_default();
    if (!def) def = &otherwise;
    KARST_ASSERT(def->cookie == KST_COOKIE);
    karst_status status = check_def(path, def, report);
    if (!status) status = check_file(path, def, report);
    if (status) return status;
    kst_scene_job job = {path, def};
    kst_apart_limits limits = {def->memory_bytes, def->most_seconds};
    kst_map answer = {0};
    status = kst_apart_run(kst_scene_read, &job, &limits, path, progress, report, &answer);
    if (status) return status;
    karst_model *model = NULL;
    kst_scene_head *head = kst_alloc(NULL, sizeof *head);
    status = head ? take_answer(path, &answer, def, report, head, &model)
                  : kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    kst_apart_free(&answer);
    if (!status) status = finish(path, def, progress, report, head, &model);
    if (!status) {
        if (info) *info = head->info;
        *out = model;
    } else {
        karst_model_destroy(model);
    }
    kst_free(NULL, head, sizeof *head);
    return status;
}
