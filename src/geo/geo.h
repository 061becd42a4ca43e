// SPDX-License-Identifier: MIT
// Geo, inner header: a file as rows of samples, and the helpers that the readers share. Only this room sees GDAL.
#pragma once
#include "core/core.h"
#include "karst/geo.h"

// Kinds of sample that a file can hold, beyond those that RAW offers.
typedef enum kst_kind {
    KST_KIND_U8,
    KST_KIND_I8,
    KST_KIND_U16,
    KST_KIND_I16,
    KST_KIND_U32,
    KST_KIND_I32,
    KST_KIND_U64,
    KST_KIND_I64,
    KST_KIND_F16,
    KST_KIND_F32,
    KST_KIND_F64,
    KST_KIND_COUNT
} kst_kind;

int kst_kind_bytes(kst_kind kind);
const char *kst_kind_text(kst_kind kind);

// An open file. Rows are counted as the file stores them.
typedef struct kst_source kst_source;
struct kst_source {
    int32_t width, height;
    kst_kind kind;
    double scale, offset;  // height = sample * scale + offset, from the file
    bool has_no_data;
    double no_data;
    double spacing_x_m, spacing_z_m;  // 0: the file does not say
    bool south_first, east_first;
    bool *turn;  // flip it to read the bytes of each sample the other way round; NULL: not here
    // Samples of rows [row, row + rows) as numbers of the file; missing: 1 where a mask says so (cleared before).
    karst_status (*read)(kst_source *source, int32_t row, int32_t rows, double *samples, uint8_t *missing,
                         karst_report *report);
    void (*close)(kst_source *source);
    const char *path;
    void *data;
};

// Open by what the name and the first bytes say. Writes format, type, byte order and warnings of info.
karst_status kst_source_open(kst_source *source, const char *path, const karst_import_def *def, karst_import_info *info,
                             karst_report *report);
void kst_source_close(kst_source *source);

// ---- grid.c: samples that lie in memory as the file stores them -----------------------------------------

typedef struct kst_grid {
    const uint8_t *bytes;
    int64_t row_stride, column_stride;  // [bytes]
    bool big;                           // byte order
    kst_map map;                        // what bytes point into: one of these
    uint8_t *memory;
    size_t memory_size;
} kst_grid;

// Make source read from grid, which it then owns (also on failure).
karst_status kst_source_from_grid(kst_source *source, const kst_grid *grid, karst_report *report);

// ---- the readers ----------------------------------------------------------------------------------------

karst_status kst_raw_open(kst_source *source, const karst_import_def *def, karst_import_info *info,
                          karst_report *report);
// SRTM tiles whose name GDAL does not know.
karst_status kst_hgt_open(kst_source *source, karst_import_info *info, karst_report *report);
karst_status kst_npy_open(kst_source *source, const karst_import_def *def, karst_import_info *info,
                          karst_report *report);
karst_status kst_npz_open(kst_source *source, const karst_import_def *def, karst_import_info *info,
                          karst_report *report);
// The array of an npz, the whole npy file, to free with kst_free.
karst_status kst_npz_load(const char *path, const char *member, uint8_t **out, size_t *out_size, karst_report *report);
// The numbers of an Arc/Info text grid of known size, as f64 in grid's memory.
karst_status kst_asc_load(const char *path, int32_t width, int32_t height, kst_grid *grid, karst_report *report);
karst_status kst_raster_open(kst_source *source, const karst_import_def *def, karst_import_info *info,
                             karst_report *report);

// The header of an npy array in bytes; *data is where its samples begin.
typedef struct kst_npy {
    kst_kind kind;
    bool big, fortran;
    int dimensions;
    int64_t shape[4];
    size_t data;
} kst_npy;
karst_status kst_npy_parse(const uint8_t *bytes, size_t size, const char *path, kst_npy *out, karst_report *report);

// ---- notes.c, step.c ------------------------------------------------------------------------------------

// Add a warning to info; those beyond the room are dropped.
void kst_note(karst_import_info *info, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool kst_has_extension(const char *path, const char *extension);  // with the dot, any case

// Whether a height is a whole number of steps, to the precision of a float.
bool kst_is_whole(float height, double step);

// ---- gdal.c ---------------------------------------------------------------------------------------------

// GDAL's words on the calls between begin and end, kept off the screen.
typedef struct kst_gdal_words {
    char failure[256], warning[256];
} kst_gdal_words;
void kst_gdal_begin(kst_gdal_words *words);
void kst_gdal_end(void);
// Drivers that read a local file and nothing else; static, ends with NULL.
const char *const *kst_gdal_drivers(void);

// ---- limits ---------------------------------------------------------------------------------------------

enum { KST_ROWS_A_STRIP = 64 };  // a row of chunks
static const int64_t kst_samples_max = (int64_t)1 << 31;
