// SPDX-License-Identifier: MIT
// Picture: names and formats.
#include "picture.h"

#include <unistd.h>

#include "core/core.h"
#ifdef KARST_WITH_AUTHOR
#include "karst/geo.h"
static const char extension[] = "png";
#else
static const char extension[] = "ppm";
#endif

static karst_status write_ppm(const char *path, int width, int height, const uint8_t *rgb, karst_report *report) {
    kst_writer writer;
    karst_status status = kst_writer_open(&writer, path, report);
    if (status) return status;
    char head[64];
    int length = snprintf(head, sizeof head, "P6\n%d %d\n255\n", width, height);
    kst_writer_put(&writer, head, (size_t)length);
    kst_writer_put(&writer, rgb, 3 * (size_t)width * (size_t)height);
    return kst_writer_commit(&writer, report);
}

karst_status picture_write(const char *path, int width, int height, const uint8_t *rgb, karst_report *report) {
    const char *dot = strrchr(path, '.');
    bool ppm = dot && !strcmp(dot, ".ppm");
#ifdef KARST_WITH_AUTHOR
    if (!ppm) return karst_geo_write_png(path, width, height, rgb, report);
#else
    if (!ppm)
        return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: this build writes pictures as PPM only; name it .ppm",
                        path);
#endif
    return write_ppm(path, width, height, rgb, report);
}

bool picture_free_name(char name[32]) {
    for (int k = 1; k < 10000; ++k) {
        snprintf(name, 32, "karst-view-%04d.%s", k, extension);
        if (access(name, F_OK)) return true;
    }
    return false;
}
