// SPDX-License-Identifier: MIT
// Fuzz: npy and npz as Python writes them, opened and read to the last row.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "geo/geo.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void read_all(kst_source *source) {
    if (source->width > 4096) return;  // a wide array over few bytes is refused before, or is only slow here
    double *samples = malloc(sizeof(double) * (size_t)source->width);
    uint8_t *missing = calloc((size_t)source->width, 1);
    for (int row = 0; samples && missing && row < source->height && row < 4096; ++row)
        if (source->read(source, row, 1, samples, missing, NULL)) break;
    free(samples);
    free(missing);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < 4 || (memcmp(bytes, "\x93NUM", 4) && memcmp(bytes, "PK\x03\x04", 4))) return 0;  // GDAL's, not ours
    int fd = memfd_create("fuzz", 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    karst_import_def def = karst_import_def_default();
    karst_import_info info = {0};
    karst_report report = {0};
    kst_source source = {0};
    if (!kst_source_open(&source, path, &def, &info, &report)) {
        read_all(&source);
        kst_source_close(&source);
    }
    close(fd);
    return 0;
}
