// SPDX-License-Identifier: MIT
// Import: rows of samples become a field, strip by strip, in one step of the world.
//
//   file row ──► sample ──► missing? ──► height ──► neutral height where missing ──► field, strips of 64 rows
//
// A cell is a hole when any of its corners is missing. The missing corners still are vertices, of a coarser level
// even drawn ones, so they get heights that keep the surface calm: on the line between the valid ends of their
// gap in the row, level beyond the last; a row without any takes the row before it.
#include <math.h>
#include <stdlib.h>

#include "geo/lone.h"
#include "geo/survey.h"

karst_import_def karst_import_def_default(void) {
    return (karst_import_def){.scale = 1, .cookie = KST_COOKIE};
}

typedef struct intake {
    const karst_import_def *def;
    karst_jobs *jobs;
    const karst_progress *progress;
    karst_report *report;
    karst_import_info *info;
    kst_source source;
    karst_field *field;
    double scale, offset;  // of file and caller together
    double steps[KST_STEP_COUNT];
    kst_survey survey;
    bool flip, mirror;
    int32_t width, height, strip;  // strip: rows at a time
    int32_t void_rows;             // so many rows at the top had no valid sample: written when one is found
    double *samples;
    float *heights;    // strip rows, and the last row of the strip before
    uint8_t *missing;  // one row more: row 0 is the last of the strip before
    uint8_t *holes;    // cells of a strip, after a row of them: the last of the strip before
    kst_lone lone;
    kst_survey *row_survey;  // one a row
} intake;

// ---- one row -----------------------------------------------------------------------------------------

static bool is_no_data(const kst_source *s, double sample, bool has, double no_data) {
    if (!has) return false;
    bool real = s->kind == KST_KIND_F16 || s->kind == KST_KIND_F32 || s->kind == KST_KIND_F64;
    return sample == no_data || (real && (float)sample == (float)no_data);  // tags keep fewer digits than samples
}

static void reverse_row(double *samples, uint8_t *missing, int32_t width) {
    for (int32_t a = 0, b = width - 1; a < b; ++a, --b) {
        double s = samples[a];
        uint8_t m = missing[a];
        samples[a] = samples[b];
        missing[a] = missing[b];
        samples[b] = s;
        missing[b] = m;
    }
}

static void make_heights(const intake *m, const double *samples, float *heights, uint8_t *missing, kst_survey *survey) {
    const kst_source *s = &m->source;
    for (int32_t i = 0; i < m->width; ++i) {
        double sample = samples[i];
        float height = (float)(sample * m->scale + m->offset);
        bool not_finite = !isfinite(height);
        bool marked = missing[i] || is_no_data(s, sample, s->has_no_data, s->no_data) ||
                      is_no_data(s, sample, m->def->has_no_data, m->def->no_data);
        survey->not_finite += not_finite && !marked && !(s->has_no_data && isnan(s->no_data) && isnan(sample));
        missing[i] = marked || not_finite;
        heights[i] = missing[i] ? 0 : height;
    }
}

// Neutral heights in the gaps of a row with at least one valid sample.
static void fill_gaps(float *heights, const uint8_t *missing, int32_t width) {
    int32_t last = -1;  // valid
    for (int32_t i = 0; i <= width; ++i) {
        if (i < width && missing[i]) continue;
        for (int32_t k = last + 1; k < i; ++k) {
            if (last < 0)
                heights[k] = heights[i];
            else if (i == width)
                heights[k] = heights[last];
            else
                heights[k] = (float)(heights[last] + ((double)heights[i] - heights[last]) * (k - last) / (i - last));
        }
        last = i;
    }
}

static void work_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    intake *m = context;
    size_t width = (size_t)m->width;
    for (int row = begin; row < end; ++row) {
        double *samples = m->samples + (size_t)row * width;
        float *heights = m->heights + (size_t)(row + 1) * width;
        uint8_t *missing = m->missing + (size_t)(row + 1) * width;
        kst_survey *survey = &m->row_survey[row];
        *survey = kst_survey_begin();
        if (m->mirror) reverse_row(samples, missing, m->width);
        make_heights(m, samples, heights, missing, survey);
        kst_survey_row(survey, samples, heights, missing, m->width, m->source.kind, m->steps);
        if (survey->valid) fill_gaps(heights, missing, m->width);
    }
}

// ---- one strip ---------------------------------------------------------------------------------------

// Rows [row, row + rows) of the field, north first, into samples and missing.
static karst_status read_strip(intake *m, int32_t row, int32_t rows) {
    size_t width = (size_t)m->width;
    uint8_t *missing = m->missing + width;
    memset(missing, 0, (size_t)rows * width);
    int32_t first = m->flip ? m->height - row - rows : row;
    karst_status status = m->source.read(&m->source, first, rows, m->samples, missing, m->report);
    for (int32_t a = 0, b = rows - 1; !status && m->flip && a < b; ++a, --b)
        for (size_t i = 0; i < width; ++i) {
            size_t p = (size_t)a * width + i, q = (size_t)b * width + i;
            double s = m->samples[p];
            uint8_t f = missing[p];
            m->samples[p] = m->samples[q];
            missing[p] = missing[q];
            m->samples[q] = s;
            missing[q] = f;
        }
    return status;
}

static karst_status field_failed(intake *m, karst_project *project, karst_status status) {
    const char *why = karst_project_message(project);
    return kst_fail(m->report, status, "%s", why[0] ? why : karst_status_text(status));
}

// Rows above the first valid one get its heights.
static karst_status fill_top(intake *m, int32_t below, const float *heights) {
    karst_status status = KARST_OK;
    for (int32_t row = 0; row < below && !status; ++row)
        status = karst_field_write(m->field, (karst_rect){0, row, m->width, row + 1}, heights, NULL, NULL, m->width);
    return status;
}

static karst_status write_heights(intake *m, int32_t row, int32_t rows) {
    size_t width = (size_t)m->width;
    karst_status status = KARST_OK;
    int32_t written_from = row;
    for (int32_t r = 0; r < rows && !status; ++r) {
        float *heights = m->heights + (size_t)(r + 1) * width;
        if (m->row_survey[r].valid) {
            if (m->void_rows == row + r) {
                status = fill_top(m, row + r, heights);
                written_from = row + r;
            }
            continue;
        }
        if (m->void_rows == row + r)
            ++m->void_rows;
        else
            memcpy(heights, heights - width, width * sizeof *heights);
    }
    int32_t end = row + rows;
    if (m->void_rows > written_from) written_from = m->void_rows;
    if (!status && written_from < end)
        status = karst_field_write(m->field, (karst_rect){0, written_from, m->width, end},
                                   m->heights + (size_t)(written_from - row + 1) * width, NULL, NULL, m->width);
    memcpy(m->heights, m->heights + (size_t)rows * width, width * sizeof *m->heights);
    return status;
}

// Cells between rows row - 1 .. row + rows - 1, and the lone samples of the rows that have all their cells now.
static karst_status write_holes(intake *m, int32_t row, int32_t rows) {
    size_t width = (size_t)m->width, across = width - 1;
    uint64_t found = 0;
    karst_status status = KARST_OK;
    for (int32_t r = 0; r < rows && !status; ++r) {
        const uint8_t *above = m->missing + (size_t)r * width, *below = above + width;
        uint8_t *before = m->holes + (size_t)r * across, *holes = before + across;
        if (row + r == 0) continue;  // no cells above the first row
        for (size_t i = 0; i < across; ++i) {
            holes[i] = above[i] | above[i + 1] | below[i] | below[i + 1];
            found += holes[i];
        }
        bool good = kst_lone_add_row(&m->lone, row + r - 1, m->width, above, row + r > 1 ? before : NULL, holes);
        if (good && row + r == m->height - 1) good = kst_lone_add_row(&m->lone, row + r, m->width, below, holes, NULL);
        if (!good) status = KARST_ERROR_MEMORY;
    }
    int32_t first = row == 0 ? 1 : 0;
    karst_rect cells = {0, row - 1 + first, m->width - 1, row + rows - 1};
    if (found && !status)
        status = karst_field_write_holes(m->field, cells, m->holes + (size_t)(first + 1) * across, m->width - 1);
    m->info->holes += found;
    memcpy(m->missing, m->missing + (size_t)rows * width, width);
    memcpy(m->holes, m->holes + (size_t)rows * across, across);
    return status;
}

static karst_status import_strip(intake *m, karst_project *project, int32_t row, int32_t rows) {
    karst_status status = kst_progress_step(m->progress, "import", (double)row / m->height);
    if (status) return kst_fail(m->report, status, "%s: stopped", m->source.path);
    status = read_strip(m, row, rows);
    if (status) return status;
    karst_jobs_for(m->jobs, rows, 8, work_rows, m);
    for (int32_t r = 0; r < rows; ++r) kst_survey_merge(&m->survey, &m->row_survey[r]);
    status = write_heights(m, row, rows);
    if (!status) status = write_holes(m, row, rows);
    return status ? field_failed(m, project, status) : KARST_OK;
}

// ---- the whole ---------------------------------------------------------------------------------------

static void choose_spacing(intake *m) {
    karst_import_info *info = m->info;
    double x = m->source.spacing_x_m, z = m->source.spacing_z_m;
    info->file_spacing_x_m = x;
    info->file_spacing_z_m = z;
    info->spacing_m = m->def->spacing_m > 0 ? m->def->spacing_m : x > 0 ? sqrt(x * z) : 1;
    if (m->def->spacing_m > 0) return;
    if (!(x > 0))
        kst_note(info, "the file does not say how far apart its samples are: 1 m is taken: pass --spacing");
    else if (fabs(x - z) > 1e-3 * info->spacing_m)
        kst_note(
            info,
            "samples are %.6g m apart along x and %.6g m along z; a field has one spacing: %.6g m keeps every area, "
            "lengths along x are %+.1f %%, along z %+.1f %%",
            x, z, info->spacing_m, 100 * (info->spacing_m / x - 1), 100 * (info->spacing_m / z - 1));
}

static karst_status check_size(intake *m) {
    if (m->source.width >= 2 && m->source.height >= 2) return KARST_OK;
    return kst_fail(m->report, KARST_ERROR_UNSUPPORTED, "%s: %d x %d samples: a ground needs at least 2 x 2",
                    m->source.path, m->source.width, m->source.height);
}

static void free_buffers(intake *m) {
    size_t n = (size_t)m->width * (size_t)m->strip, one = (size_t)m->width;
    kst_free(NULL, m->samples, n * sizeof *m->samples);
    kst_free(NULL, m->heights, (n + one) * sizeof *m->heights);
    kst_free(NULL, m->missing, n + one);
    kst_free(NULL, m->holes, n + one);
    kst_lone_free(&m->lone);
    kst_free(NULL, m->row_survey, (size_t)m->strip * sizeof *m->row_survey);
}

static karst_status make_buffers(intake *m) {
    int64_t most = ((int64_t)4 << 20) / m->width;  // samples: 32 MiB of doubles
    m->strip = most >= KST_ROWS_A_STRIP ? KST_ROWS_A_STRIP : most < 1 ? 1 : (int32_t)most;
    size_t n = (size_t)m->width * (size_t)m->strip, one = (size_t)m->width;
    m->samples = kst_alloc(NULL, n * sizeof *m->samples);
    m->heights = kst_alloc_zero(NULL, (n + one) * sizeof *m->heights);
    m->missing = kst_alloc_zero(NULL, n + one);
    m->holes = kst_alloc_zero(NULL, n + one);
    m->row_survey = kst_alloc(NULL, (size_t)m->strip * sizeof *m->row_survey);
    if (m->samples && m->heights && m->missing && m->holes && m->row_survey) return KARST_OK;
    return kst_fail(m->report, KARST_ERROR_MEMORY, "%s: out of memory", m->source.path);
}

static bool is_short(const intake *m) {
    return m->source.kind == KST_KIND_U16 || m->source.kind == KST_KIND_I16;
}

static void tell_what_was_found(intake *m) {
    karst_import_info *info = m->info;
    const kst_survey *s = &m->survey;
    info->columns = m->width;
    info->rows = m->height;
    info->min_m = s->valid ? s->min : 0;
    info->max_m = s->valid ? s->max : 0;
    info->no_data_samples = s->missing;
    info->step_m = kst_survey_step(s, m->steps);
    snprintf(info->row_order, sizeof info->row_order, m->flip ? "south first, flipped" : "north first");
    if (m->lone.full) kst_note(info, "too many samples have no ground on any side: exports leave some of them out");
    if (m->mirror) kst_note(info, "columns ran from east to west: mirrored");
    if (!s->valid) kst_note(info, "no sample is valid: the ground is one hole");
    if (s->not_finite)
        kst_note(info, "NaN, infinite or beyond a float, and not declared as no data: %llu of the samples; made holes",
                 (unsigned long long)s->not_finite);
    if (s->suspects)
        kst_note(
            info,
            "%g, a usual mark of no data: %llu of the samples, but the file does not declare it: pass --no-data %g if "
            "it is one",
            s->suspect, (unsigned long long)s->suspects, s->suspect);
    if (!kst_survey_looks_swapped(s)) return;
    const char *cure = m->source.turn ? "pass --swap-bytes" : "was it written so?";
    if (!strcmp(info->format, "RAW"))
        cure = m->def->order == KARST_ORDER_BIG ? "pass --order little" : "pass --order big";
    kst_note(
        info,
        "with their bytes the other way round the samples would be far smoother; if this ground looks like noise: %s",
        cure);
}

// A file that says how its samples are stored and gives noise, where the other byte order gives ground, was written
// wrong: its noise is nobody's ground. RAW says nothing, so there it is a warning.
static karst_status refuse_noise(const intake *m) {
    if (m->def->keep_bytes || !is_short(m) || !strcmp(m->info->format, "RAW")) return KARST_OK;
    if (!kst_survey_is_misread(&m->survey)) return KARST_OK;
    return kst_fail(
        m->report, KARST_ERROR_FORMAT,
        "%s: its samples are noise, and ground with their bytes the other way round: pass %s (or --keep-bytes "
        "to take them as they are)",
        m->source.path, m->def->swap_bytes ? "no --swap-bytes" : "--swap-bytes");
}

static karst_status pour(intake *m, karst_project *project, int64_t *ground) {
    karst_field_shape shape = {m->width, m->height, m->info->spacing_m, m->def->origin};
    karst_status status = karst_project_add_field(project, m->def->name, &shape, ground);
    // Three rows of chunks of heights, and some: strips pass once, and what is left at the end is soon written.
    size_t row_chunks = (size_t)(m->width / KARST_CHUNK_CELLS + 1);
    size_t cache_bytes = ((size_t)8 << 20) + 3 * row_chunks * (KARST_CHUNK_VERTICES * sizeof(float) + 2048);
    if (!status) status = karst_project_field(project, *ground, cache_bytes, &m->field);
    if (status) return field_failed(m, project, status);
    for (int32_t row = 0; row < m->height && !status; row += m->strip)
        status = import_strip(m, project, row, m->height - row < m->strip ? m->height - row : m->strip);
    if (!status) status = refuse_noise(m);
    if (status) return status;
    status = karst_field_flush(m->field);
    if (status) return field_failed(m, project, status);
    tell_what_was_found(m);
    status = kst_lone_save(&m->lone, project, *ground);
    if (status) return field_failed(m, project, status);
    const char *slash = strrchr(m->source.path, '/');
    status = karst_project_set_source(project, *ground, slash ? slash + 1 : m->source.path, m->info->step_m);
    return status ? field_failed(m, project, status) : KARST_OK;
}

// The world's field must go first, and only when asked; its other grounds stay.
static karst_status make_place(intake *m, karst_project *project) {
    karst_project_ground old;
    karst_status status = karst_project_find_ground(project, KARST_PROJECT_FIELD, &old);
    if (status) return field_failed(m, project, status);
    if (!old.id) return KARST_OK;
    if (!m->def->replace)
        return kst_fail(m->report, KARST_ERROR_ARGUMENT,
                        "the world has a field already (%s): pass --replace to replace it",
                        old.source[0] ? old.source : old.name);
    status = karst_project_remove_ground(project, old.id);
    return status ? field_failed(m, project, status) : KARST_OK;
}

karst_status karst_geo_import(karst_project *project, const char *path, const karst_import_def *def, karst_jobs *jobs,
                              const karst_progress *progress, karst_report *report, karst_import_info *info,
                              int64_t *ground) {
    karst_import_def standard = karst_import_def_default();
    if (!def) def = &standard;
    KARST_ASSERT(def->cookie == KST_COOKIE);
    karst_import_info found = {0};
    intake m = {
        .def = def, .jobs = jobs, .progress = progress, .report = report, .info = &found, .survey = kst_survey_begin()};
    if (!isfinite(def->scale) || !isfinite(def->offset) || def->scale == 0 || !isfinite(def->spacing_m))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "%s: scale, offset and spacing are finite, and scale is not 0",
                        path);
    int64_t id = 0;
    karst_status status = kst_source_open(&m.source, path, def, &found, report);
    if (status) return status;
    status = check_size(&m);
    if (!status) {
        m.width = m.source.width;
        m.height = m.source.height;
        m.scale = m.source.scale * def->scale;
        m.offset = m.source.offset * def->scale + def->offset;
        m.flip = m.source.south_first != def->flip_rows;
        m.mirror = m.source.east_first;
        kst_survey_steps(&m.source, def->scale, m.steps);
        choose_spacing(&m);
        status = make_buffers(&m);
    }
    if (!status) {
        status = karst_project_begin(project, "import");
        if (status) status = field_failed(&m, project, status);
        if (!status) status = make_place(&m, project);
        if (!status) status = pour(&m, project, &id);
        karst_field_destroy(m.field);
        if (!status) {
            status = karst_project_commit(project);
            if (status) field_failed(&m, project, status);
        } else {
            karst_project_rollback(project);
        }
    }
    if (m.strip) free_buffers(&m);
    kst_source_close(&m.source);
    if (status) return status;
    if (info) *info = found;
    if (ground) *ground = id;
    return KARST_OK;
}
