// SPDX-License-Identifier: MIT
// The numbers of a text grid; the first two bytes say how many there should be.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "geo/geo.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < 2) return 0;
    char path[64];
    snprintf(path, sizeof path, "%s/karst-fuzz-%ld", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes + 2, 1, size - 2, f) != size - 2) abort();
    fclose(f);
    kst_grid grid;
    if (!kst_asc_load(path, bytes[0] % 8 + 1, bytes[1] % 8 + 1, &grid, NULL))
        kst_free(NULL, grid.memory, grid.memory_size);
    unlink(path);
    return 0;
}
