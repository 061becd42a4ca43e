// SPDX-License-Identifier: MIT
// npy, npz and RAW: what begins like one of the first two is read as it, all else as RAW of what its first bytes say.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "geo/geo.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *write_file(const uint8_t *bytes, size_t size) {
    static char path[64];
    snprintf(path, sizeof path, "%s/karst-fuzz-%ld", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size) abort();
    fclose(f);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    karst_import_def def = karst_import_def_default();
    bool array = size >= 4 && (!memcmp(bytes, "\x93NUM", 4) || !memcmp(bytes, "PK\x03\x04", 4));
    if (!array && size >= 6) {
        def.type = (karst_sample_type)(bytes[0] % 6 + 1);
        def.order = (karst_byte_order)(bytes[1] & 1);
        def.header_bytes = bytes[2];
        def.width = bytes[3];
        def.height = bytes[4];
    }
    const char *path = write_file(bytes, size);
    karst_import_info info = {0};
    karst_report report;
    kst_source source = {.path = path, .scale = 1};
    karst_status status = array && bytes[0] == 'P' ? kst_npz_open(&source, &def, &info, &report)
                          : array                  ? kst_npy_open(&source, &def, &info, &report)
                                                   : kst_raw_open(&source, &def, &info, &report);
    if (!status) {
        double *row = malloc((size_t)source.width * sizeof *row + 1);
        uint8_t *missing = calloc((size_t)source.width + 1, 1);
        for (int32_t r = 0; r < source.height && row && missing; ++r) source.read(&source, r, 1, row, missing, &report);
        free(row);
        free(missing);
    }
    kst_source_close(&source);
    unlink(path);
    return 0;
}
