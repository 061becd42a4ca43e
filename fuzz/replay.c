// SPDX-License-Identifier: MIT
// Replays a folder of inputs through a fuzz target, each also cut at every length and with bytes changed; a quarter of
// that when KARST_TEST_QUICK is set.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MOST_CUTS = 200, MOST_CHANGES = 500 };

static void feed(const uint8_t *bytes, size_t size) {  // a copy of its own, so that a sanitizer sees an over-read
    uint8_t *copy = malloc(size + !size);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void replay(uint8_t *bytes, size_t size) {
    feed(bytes, size);
    size_t share = getenv("KARST_TEST_QUICK") ? 4 : 1;
    for (size_t cut = 0; cut < size; cut += 1 + share * size / MOST_CUTS) feed(bytes, cut);
    uint32_t random = 12345;
    for (size_t at = 0; at < size; at += 1 + share * size / MOST_CHANGES) {
        uint8_t kept = bytes[at];
        random = random * 1664525u + 1013904223u;
        bytes[at] ^= (uint8_t)(random >> 24 | 1);
        feed(bytes, size);
        bytes[at] = kept;
    }
}

int main(int argc, char **argv) {
    int count = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        if (e->d_name[0] == '.') continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], e->d_name);
        FILE *file = fopen(path, "rb");
        static uint8_t bytes[1 << 22];
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        if (file) fclose(file);
        replay(bytes, size);
        ++count;
    }
    if (folder) closedir(folder);
    printf("%d inputs\n", count);
    return count ? 0 : 1;  // a corpus that is not there tests nothing
}
