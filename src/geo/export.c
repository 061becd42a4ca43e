// SPDX-License-Identifier: MIT
// Export: the field of a world as a raster or a mesh, any ground as a mesh.
//
// A raster holds vertices and Karst's holes are cells: a vertex with ground on no side is no data, unless a file gave
// it (lone.h). What was imported comes back sample by sample.
#include <math.h>
#include <stdlib.h>

#include "geo/lone.h"
#include "geo/mesh.h"
#include "geo/survey.h"
#include "geo/write_gdal.h"

typedef enum kst_format { TIF, PNG, R16, R32, OBJ, PLY, GLB, FORMAT_COUNT } kst_format;

static bool format_of(const char *path, kst_format *out) {
    static const char *const extensions[] = {".tif", ".png", ".r16", ".r32", ".obj", ".ply", ".glb"};
    if (kst_has_extension(path, ".tiff")) return *out = TIF, true;
    for (int k = 0; k < FORMAT_COUNT; ++k)
        if (kst_has_extension(path, extensions[k])) return *out = (kst_format)k, true;
    return false;
}

static karst_status unknown(const char *path, const char *known, karst_report *report) {
    return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: the extension names the format: %s", path, known);
}

static void note(karst_export_info *info, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(karst_export_info *info, const char *format, ...) {
    if (info->warning_count == KARST_WARNINGS_MAX) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(info->warnings[info->warning_count++], KARST_WARNING_BYTES, format, arguments);
    va_end(arguments);
}

// ---- rows --------------------------------------------------------------------------------------------

typedef struct export {
    karst_project *project;
    karst_project_ground ground;
    karst_field *field;
    const char *path;
    const karst_progress *progress;
    karst_report *report;
    karst_export_info *info;
    float *heights, *sideways;  // strips
    uint8_t *holes;
    kst_lone lone;
    float min, max;  // of the vertices with ground
    bool any, missing, displaced;
    bool not_whole[KST_STEP_COUNT];
}
export;

static karst_status field_failed(const export *e, karst_status status) {
    const char *why = karst_project_message(e->project);
    return kst_fail(e->report, status, "%s", why[0] ? why : karst_status_text(status));
}

// Heights of rows [row, row + rows), NaN where no cell round a vertex is ground, but for lone samples.
static karst_status read_rows(void *context, int32_t row, int32_t rows, float *heights) {
    export *e = context;
    int32_t w = e->ground.shape.columns, h = e->ground.shape.rows, across = w - 1;
    int32_t first = row > 0 ? row - 1 : 0, last = row + rows < h ? row + rows : h - 1;  // rows of cells
    karst_status status = karst_field_read(e->field, (karst_rect){0, row, w, row + rows}, heights, e->sideways,
                                           e->sideways + (size_t)w * (size_t)rows, w);
    if (!status) status = karst_field_read_holes(e->field, (karst_rect){0, first, across, last}, e->holes, across);
    if (status) return field_failed(e, status);
    size_t n = 2 * (size_t)w * (size_t)rows;
    for (size_t i = 0; i < n && !e->displaced; ++i) e->displaced = e->sideways[i] != 0;
    for (int32_t j = row; j < row + rows; ++j) {
        const uint8_t *above = j > 0 ? e->holes + (size_t)(j - 1 - first) * (size_t)across : NULL;
        const uint8_t *below = j < h - 1 ? e->holes + (size_t)(j - first) * (size_t)across : NULL;
        float *line = heights + (size_t)(j - row) * (size_t)w;
        for (int32_t i = 0; i < w; ++i) {
            bool there = (above && i > 0 && !above[i - 1]) || (above && i < across && !above[i]) ||
                         (below && i > 0 && !below[i - 1]) || (below && i < across && !below[i]);
            if (!there && !kst_lone_has(&e->lone, j, i)) line[i] = NAN;
        }
    }
    return KARST_OK;
}

static karst_status make_buffers(export *e) {
    size_t n = (size_t)e->ground.shape.columns * KST_ROWS_A_STRIP;
    e->heights = kst_alloc(NULL, n * sizeof(float));
    e->sideways = kst_alloc(NULL, 2 * n * sizeof(float));
    e->holes = kst_alloc(NULL, n + (size_t)e->ground.shape.columns);
    return e->heights && e->sideways && e->holes
               ? KARST_OK
               : kst_fail(e->report, KARST_ERROR_MEMORY, "%s: out of memory", e->path);
}

static void free_buffers(export *e) {
    size_t n = (size_t)e->ground.shape.columns * KST_ROWS_A_STRIP;
    kst_free(NULL, e->heights, n * sizeof(float));
    kst_free(NULL, e->sideways, 2 * n * sizeof(float));
    kst_free(NULL, e->holes, n + (size_t)e->ground.shape.columns);
}

// Rows in strips of 64 to fn, which sees count samples from index `at` on.
typedef void strip_fn(export *e, size_t at, size_t count, const float *heights, void *context);
static karst_status for_strips(export *e, double from, double to, strip_fn *fn, void *context) {
    int32_t w = e->ground.shape.columns, h = e->ground.shape.rows;
    karst_status status = KARST_OK;
    for (int32_t row = 0; row < h && !status; row += KST_ROWS_A_STRIP) {
        int32_t rows = h - row < KST_ROWS_A_STRIP ? h - row : KST_ROWS_A_STRIP;
        status = kst_progress_step(e->progress, "export", from + (to - from) * row / h);
        if (status) return kst_fail(e->report, status, "%s: stopped", e->path);
        status = read_rows(e, row, rows, e->heights);
        if (!status) fn(e, (size_t)row * (size_t)w, (size_t)rows * (size_t)w, e->heights, context);
    }
    return status;
}

// ---- sixteen bits ------------------------------------------------------------------------------------

enum { PNG_MEMORY = 256 << 20 };
static const double decimal_steps[KST_STEP_COUNT - 1] = {1, 0.1, 0.01, 0.001};

static void look(export *e, size_t at, size_t count, const float *heights, void *context) {
    (void)at;
    (void)context;
    for (size_t i = 0; i < count; ++i) {
        float y = heights[i];
        if (isnan(y)) {
            e->missing = true;
            continue;
        }
        e->min = !e->any || y < e->min ? y : e->min;
        e->max = !e->any || y > e->max ? y : e->max;
        e->any = true;
        for (int k = 0; k < KST_STEP_COUNT - 1; ++k)
            if (!e->not_whole[k] && !kst_is_whole(y, decimal_steps[k])) e->not_whole[k] = true;
    }
}

// Scale and offset of the samples: whole steps from 0 on where they fit, then whole steps from the lowest height,
// then the source's own steps, and at last as fine as the room allows.
static void choose_coding(export *e) {
    karst_export_info *info = e->info;
    double top = e->missing ? 65534 : 65535, range = (double)e->max - (double)e->min;
    info->has_no_data = e->missing;
    info->no_data = 65535;
    for (int k = 0; k < KST_STEP_COUNT - 1; ++k) {
        double step = decimal_steps[k];
        if (e->not_whole[k] || range / step > top) continue;
        info->scale = step;
        info->offset = e->min >= 0 && e->max / step <= top ? 0 : round(e->min / step) * step;
        return;
    }
    info->offset = (double)e->min;
    double step = e->ground.step_m;
    info->scale = step > 0 && range / step <= top + 0.5 ? step : range > 0 ? range / top : 1;
}

typedef struct coder {
    uint16_t *samples;  // all of them, in
    kst_scratch *scratch;
    kst_writer *writer;  // or a file
    uint8_t *bytes;
} coder;

// While GDAL reads the samples, its progress is the moment to let go of what it read.
typedef struct easer {
    const karst_progress *progress;
    kst_scratch *scratch;
} easer;

static bool ease(void *context, const char *stage, double share) {
    const easer *s = context;
    kst_scratch_ease(s->scratch);
    return !kst_progress_step(s->progress, stage, share);
}

static void encode(export *e, size_t at, size_t count, const float *heights, void *context) {
    coder *c = context;
    karst_export_info *info = e->info;
    kst_out o = {c->bytes};
    for (size_t i = 0; i < count; ++i) {
        uint16_t sample = 65535;
        if (!isnan(heights[i])) {
            double n = round(((double)heights[i] - info->offset) / info->scale);
            sample = n < 0 ? 0 : n > 65535 ? 65535 : (uint16_t)n;
            double error = fabs((double)(float)(sample * info->scale + info->offset) - (double)heights[i]);
            if (error > info->largest_error_m) info->largest_error_m = error;
        }
        if (c->samples)
            c->samples[at + i] = sample;
        else
            kst_put_uint(&o, sample, 2);
    }
    if (c->writer) kst_writer_put(c->writer, c->bytes, 2 * count);
    kst_scratch_ease(c->scratch);
}

static karst_status finish_writer(export *e, kst_writer *w, karst_status status) {
    if (!status) return kst_writer_commit(w, e->report);
    kst_writer_abandon(w);
    return status;
}

static karst_status write_16(export *e, bool png) {
    size_t w = (size_t)e->ground.shape.columns, h = (size_t)e->ground.shape.rows;
    karst_status status = for_strips(e, 0, 0.4, look, NULL);
    if (status) return status;
    choose_coding(e);
    // GDAL takes the samples of a PNG all at once: those of a large one wait beside it.
    kst_scratch *scratch = NULL;
    status = png ? kst_scratch_create(e->path, PNG_MEMORY, &scratch) : KARST_OK;
    size_t room = png ? w * h : w * KST_ROWS_A_STRIP;
    void *memory = status ? NULL : kst_scratch_alloc(scratch, room, 2);
    if (!memory) {
        status = kst_scratch_fail(scratch, e->report);
        kst_scratch_destroy(scratch);
        return status == KARST_ERROR_FILE ? status : kst_fail(e->report, status, "%s: out of memory", e->path);
    }
    if (png) {
        coder c = {.samples = memory, .scratch = scratch};
        karst_progress easing = {ease, &(easer){e->progress, scratch}};
        status = for_strips(e, 0.4, 0.8, encode, &c);
        if (!status) status = kst_write_png(e->path, (int)w, (int)h, 1, KST_KIND_U16, memory, &easing, 0.8, e->report);
    } else {
        kst_writer writer;
        coder c = {.writer = &writer, .bytes = memory};
        status = kst_writer_open(&writer, e->path, e->report);
        if (!status) status = finish_writer(e, &writer, for_strips(e, 0.4, 1, encode, &c));
    }
    kst_scratch_free(scratch, memory, room, 2);
    kst_scratch_destroy(scratch);
    if (e->info->largest_error_m > 0)
        note(e->info,
             "heights are no whole steps that 16 bits can count: rounded to %.6g m, at most %.3g m off; .r32 and "
             ".tif are exact",
             e->info->scale, e->info->largest_error_m);
    return status;
}

// ---- floats ------------------------------------------------------------------------------------------

static void put_floats(export *e, size_t at, size_t count, const float *heights, void *context) {
    (void)at;
    coder *c = context;
    kst_out o = {c->bytes};
    for (size_t i = 0; i < count; ++i) {
        kst_put_f32(&o, heights[i]);
        e->missing |= isnan(heights[i]);
    }
    kst_writer_put(c->writer, c->bytes, 4 * count);
}

static karst_status write_r32(export *e) {
    size_t room = (size_t)e->ground.shape.columns * KST_ROWS_A_STRIP * 4;
    kst_writer writer;
    coder c = {.writer = &writer, .bytes = kst_alloc(NULL, room)};
    if (!c.bytes) return kst_fail(e->report, KARST_ERROR_MEMORY, "%s: out of memory", e->path);
    karst_status status = kst_writer_open(&writer, e->path, e->report);
    if (!status) status = finish_writer(e, &writer, for_strips(e, 0, 1, put_floats, &c));
    kst_free(NULL, c.bytes, room);
    return status;
}

static karst_status tiff_rows(void *context, int32_t row, int32_t rows, float *heights) {
    export *e = context;
    karst_status status = read_rows(e, row, rows, heights);
    size_t n = (size_t)rows * (size_t)e->ground.shape.columns;
    for (size_t i = 0; i < n && !status && !e->missing; ++i) e->missing = isnan(heights[i]);
    return status;
}

static karst_status write_raster(export *e, kst_format format) {
    karst_export_info *info = e->info;
    karst_status status = make_buffers(e);
    if (!status && (status = kst_lone_load(&e->lone, e->project, e->ground.id))) field_failed(e, status);
    info->columns = e->ground.shape.columns;
    info->rows = e->ground.shape.rows;
    info->scale = 1;
    info->no_data = NAN;
    if (!status) {
        if (format == TIF)
            status = kst_write_tiff(e->path, &e->ground.shape, tiff_rows, e, e->progress, e->report);
        else if (format == R32)
            status = write_r32(e);
        else
            status = write_16(e, format == PNG);
    }
    info->has_no_data = e->missing;
    if (e->displaced)
        note(info,
             "vertices are displaced sideways, which a raster cannot hold: their heights stand at their places at "
             "rest");
    free_buffers(e);
    kst_lone_free(&e->lone);
    return status;
}

// ---- public ------------------------------------------------------------------------------------------

static karst_status write_mesh(const kst_mesh *mesh, kst_format format, const char *path,
                               const karst_progress *progress, karst_report *report, karst_export_info *info) {
    karst_export_info told = {.vertices = mesh->vertex_count, .triangles = mesh->triangle_count, .scale = 1};
    karst_status status = KARST_OK;
    if (format == OBJ) status = kst_mesh_write_obj(mesh, path, progress, report);
    if (format == PLY) status = kst_mesh_write_ply(mesh, path, progress, report);
    if (format == GLB) {
        status = kst_mesh_write_glb(mesh, path, progress, report, &told.largest_error_m);
        if (told.largest_error_m > 1e-4)
            note(&told, "the floats of .glb are up to %.2g m off at this extent: .obj and .ply are not",
                 told.largest_error_m);
    }
    if (!status && info) *info = told;
    return status;
}

karst_status karst_geo_export_ground(const karst_ground *ground, const char *path, const karst_progress *progress,
                                     karst_report *report, karst_export_info *info) {
    kst_format format;
    if (!format_of(path, &format) || format < OBJ) return unknown(path, ".obj, .ply or .glb", report);
    kst_mesh mesh;
    karst_status status = kst_mesh_build(&mesh, ground, path, progress, report);
    if (status) return status;
    status = write_mesh(&mesh, format, path, progress, report, info);
    kst_mesh_free(&mesh);
    return status;
}

karst_status karst_geo_export_mesh(const karst_mesh *mesh, const char *path, const karst_progress *progress,
                                   karst_report *report, karst_export_info *info) {
    kst_format format;
    if (!format_of(path, &format) || format < OBJ) return unknown(path, ".obj, .ply or .glb", report);
    if (!mesh->triangle_count)
        return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: the ground has no triangle: it is one hole", path);
    kst_mesh view = {.position = (double(*)[3])mesh->position,  // x, y, z; the writers only read
                     .triangle = mesh->triangle,
                     .vertex_count = mesh->vertex_count,
                     .triangle_count = mesh->triangle_count,
                     .min = {INFINITY, INFINITY, INFINITY},
                     .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t v = 0; v < view.vertex_count; ++v)
        for (int k = 0; k < 3; ++k) {
            view.min[k] = fmin(view.min[k], view.position[v][k]);
            view.max[k] = fmax(view.max[k], view.position[v][k]);
        }
    return write_mesh(&view, format, path, progress, report, info);
}

double karst_geo_mesh_rounding(const char *path, const karst_box *bounds) {
    kst_format format;
    if (!format_of(path, &format) || format < OBJ) return 0;
    double reach =
        fmax(fmax(bounds->max.x - bounds->min.x, bounds->max.y - bounds->min.y), bounds->max.z - bounds->min.z);
    // Half a unit of the last place along each axis; floats count from the middle, which is a whole number.
    return sqrt(3) * (format == GLB ? (reach / 2 + 1) * 0x1p-24 : 0.5e-7);
}

static karst_status find_field(karst_project *project, int64_t id, karst_project_ground *out, const char *path,
                               karst_report *report) {
    karst_status status = karst_project_find_ground(project, KARST_PROJECT_FIELD, out);
    if (status) return kst_fail(report, status, "%s", karst_project_message(project));
    if (out->id != id)
        return kst_fail(report, KARST_ERROR_ARGUMENT, "%s: the world has no field %lld", path, (long long)id);
    return KARST_OK;
}

karst_status karst_geo_export(karst_project *project, int64_t ground, const char *path, const karst_progress *progress,
                              karst_report *report, karst_export_info *info) {
    kst_format format;
    karst_export_info told = {0};
    export e = {.project = project, .path = path, .progress = progress, .report = report, .info = &told};
    if (!format_of(path, &format)) return unknown(path, ".tif, .png, .r16, .r32, .obj, .ply or .glb", report);
    karst_status status = find_field(project, ground, &e.ground, path, report);
    if (status) return status;
    status = karst_project_field(project, ground, 0, &e.field);
    if (status) return field_failed(&e, status);
    if (format >= OBJ)
        status = karst_geo_export_ground(karst_field_ground(e.field), path, progress, report, &told);
    else
        status = write_raster(&e, format);
    karst_field_destroy(e.field);
    if (!status && info) *info = told;
    return status;
}
