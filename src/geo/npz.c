// SPDX-License-Identifier: MIT
// npz: a zip of npy arrays, stored or deflated. GDAL's virtual files unpack it.
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "geo/gdal_calls.h"
#include "geo/geo.h"

enum { HEADER_BYTES = 4096 };  // of an array, read to learn what it is

static char *inside(const char *path, const char *member) {
    char *name = NULL;
    if (asprintf(&name, "/vsizip/{%s%s}/%s", path[0] == '/' ? "" : "./", path, member) < 0) return NULL;
    return name;
}

// What the zip says a member unpacks to, if its packed bytes can be so much: deflate makes at most 1032 of one.
static bool plausible_size(const char *name, const char *path, size_t *out) {
    VSIStatBufL member;
    struct stat file;
    if (kst_gdal.VSIStatL(name, &member) || stat(path, &file) || member.st_size < 0) return false;
    *out = (size_t)member.st_size;
    return *out / 1100 <= (size_t)file.st_size;
}

static bool read_whole(const char *name, uint8_t *out, size_t size) {
    VSILFILE *f = kst_gdal.VSIFOpenL(name, "rb");
    size_t got = f ? kst_gdal.VSIFReadL(out, 1, size, f) : 0;
    if (f) kst_gdal.VSIFCloseL(f);
    return got == size;
}

// Whether a member is a two-dimensional array.
static bool is_plane(const char *name) {
    uint8_t bytes[HEADER_BYTES];
    VSILFILE *f = kst_gdal.VSIFOpenL(name, "rb");
    size_t size = f ? kst_gdal.VSIFReadL(bytes, 1, sizeof bytes, f) : 0;
    if (f) kst_gdal.VSIFCloseL(f);
    kst_npy npy;
    return !kst_npy_parse(bytes, size, "", &npy, NULL) && npy.dimensions == 2 && npy.shape[0] > 1 && npy.shape[1] > 1;
}

// Name of the member to take, to free; NULL with a list of what there is.
static char *choose(const char *path, const char *wanted, char *list, size_t room) {
    char *root = inside(path, ""), *found = NULL;
    char **members = root ? kst_gdal.VSIReadDirRecursive(root) : NULL;
    for (int i = 0; members && members[i] && !found; ++i) {
        size_t n = strlen(members[i]);
        bool array = n > 4 && !strcmp(members[i] + n - 4, ".npy");
        if (!array) continue;
        size_t at = strlen(list);
        snprintf(list + at, room - at, "%s%.*s", at ? ", " : "", (int)n - 4, members[i]);
        char *name = inside(path, members[i]);
        bool take = name && (wanted ? strlen(wanted) == n - 4 && !memcmp(members[i], wanted, n - 4) : is_plane(name));
        if (take)
            found = name;
        else
            free(name);
    }
    kst_gdal.CSLDestroy(members);
    free(root);
    return found;
}

static karst_status load(const char *path, const char *name, uint8_t **out, size_t *out_size, karst_report *report) {
    size_t size;
    if (!plausible_size(name, path, &size))
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: damaged: an array claims more bytes than the file can hold",
                        path);
    uint8_t *bytes = kst_alloc(NULL, size);
    if (!bytes) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory: an array of %zu bytes", path, size);
    if (!read_whole(name, bytes, size)) {
        kst_free(NULL, bytes, size);
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: damaged: an array does not unpack", path);
    }
    *out = bytes;
    *out_size = size;
    return KARST_OK;
}

karst_status kst_npz_load(const char *path, const char *member, uint8_t **out, size_t *out_size, karst_report *report) {
    karst_status status = kst_gdal_need(report);
    if (status) return status;
    kst_gdal_words words;
    kst_gdal_begin(&words);
    char list[256] = {0};
    char *name = choose(path, member, list, sizeof list);
    if (name)
        status = load(path, name, out, out_size, report);
    else if (!list[0])
        status = kst_fail(report, KARST_ERROR_FORMAT, "%s: not an npz with arrays in it", path);
    else
        status = kst_fail(report, KARST_ERROR_ARGUMENT, "%s: no %s%s: it holds %s: pass --member NAME", path,
                          member ? "array of the name " : "two-dimensional array", member ? member : "", list);
    free(name);
    kst_gdal_end();
    return status;
}
