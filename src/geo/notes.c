// SPDX-License-Identifier: MIT
// Small things that the readers share: warnings, names of kinds, extensions, whole steps.
#include <math.h>
#include <strings.h>

#include "geo/geo.h"

int kst_kind_bytes(kst_kind kind) {
    static const int bytes[KST_KIND_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return bytes[kind];
}

const char *kst_kind_text(kst_kind kind) {
    static const char *const text[KST_KIND_COUNT] = {"u8",  "i8",  "u16", "i16", "u32", "i32",
                                                     "u64", "i64", "f16", "f32", "f64"};
    return text[kind];
}

void kst_note(karst_import_info *info, const char *format, ...) {
    if (info->warning_count == KARST_WARNINGS_MAX) return;
    char *line = info->warnings[info->warning_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, KARST_WARNING_BYTES, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; ++c)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
}

bool kst_has_extension(const char *path, const char *extension) {
    size_t n = strlen(path), m = strlen(extension);
    return n >= m && !strcasecmp(path + n - m, extension);
}

bool kst_is_whole(float height, double step) {
    double nearest = round((double)height / step) * step;
    double grain = fabs((double)nextafterf(height, INFINITY) - (double)height);
    // A float that stands for n * step is the nearest one, or one beside it where somebody computed in floats.
    // With steps as small as that grain every float would pass.
    return step >= 16 * grain && fabs((double)height - nearest) <= grain;
}
