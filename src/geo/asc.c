// SPDX-License-Identifier: MIT
// The numbers of an Arc/Info text grid.
//
// GDAL tells its size and place; but its reader takes a first row that begins with "nan" for a line of the header,
// and drops it. So the numbers are read here: words between white space, decimal commas as good as points.
#include <ctype.h>
#include <strings.h>

#include "geo/gdal_calls.h"
#include "geo/geo.h"

enum { WORD_BYTES = 64 };

typedef struct words {
    const char *at, *end;
} words;

// The next word, cut to size; false at the end.
static bool next(words *w, char out[WORD_BYTES]) {
    while (w->at < w->end && isspace((unsigned char)*w->at)) ++w->at;
    if (w->at == w->end) return false;
    int n = 0;
    for (; w->at < w->end && !isspace((unsigned char)*w->at); ++w->at)
        if (n < WORD_BYTES - 1) out[n++] = *w->at == ',' ? '.' : *w->at;
    out[n] = 0;
    return true;
}

static bool is_key(const char *word) {
    static const char *const keys[] = {"ncols",     "nrows",    "xllcorner", "xllcenter", "yllcorner",
                                       "yllcenter", "cellsize", "dx",        "dy",        "nodata_value"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
        if (!strcasecmp(word, keys[k])) return true;
    return false;
}

// Position of the first number: behind the last key and its value.
static words skip_header(words w) {
    char word[WORD_BYTES];
    for (words ahead = w; next(&ahead, word) && is_key(word); w = ahead)
        if (!next(&ahead, word)) break;
    return w;
}

karst_status kst_asc_load(const char *path, int32_t width, int32_t height, kst_grid *grid, karst_report *report) {
    kst_map map;
    karst_status status = kst_gdal_need(report);
    if (!status) status = kst_file_map(path, report, &map);
    if (status) return status;
    size_t count = (size_t)width * (size_t)height, bytes = 0;
    uint8_t *memory = NULL;
    if (!map.size || count > map.size / 2 + 1)  // a digit and a space each
        status = kst_fail(report, KARST_ERROR_FORMAT, "%s: found %zu bytes, too few for %d x %d numbers", path,
                          map.size, width, height);
    else if (!kst_size_mul(count, 8, &bytes) || !(memory = kst_alloc(NULL, bytes)))
        status = kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    const char *text = map.size ? (const char *)map.bytes : "";
    words w = skip_header((words){text, text + map.size});
    kst_out out = {memory};
    char word[WORD_BYTES];
    for (size_t k = 0; k < count && !status; ++k) {
        char *end;
        if (!next(&w, word))
            status = kst_fail(report, KARST_ERROR_FORMAT, "%s: found %zu numbers, expected %zu (%d x %d)", path, k,
                              count, width, height);
        else if (kst_put_f64(&out, kst_gdal.CPLStrtod(word, &end)), *end || end == word)
            status = kst_fail(report, KARST_ERROR_FORMAT, "%s: row %zu, column %zu: %s is no number", path,
                              k / (size_t)width, k % (size_t)width, word);
    }
    if (!status && next(&w, word))
        status = kst_fail(report, KARST_ERROR_FORMAT, "%s: found more than the expected %zu numbers (%d x %d)", path,
                          count, width, height);
    kst_file_unmap(&map);
    if (status) {
        kst_free(NULL, memory, bytes);
        return status;
    }
    *grid = (kst_grid){
        .bytes = memory, .row_stride = 8 * (int64_t)width, .column_stride = 8, .memory = memory, .memory_size = bytes};
    return KARST_OK;
}
