// SPDX-License-Identifier: MIT
// Chunks (and, behind a byte of 128 or more, maps) from hostile bytes without a checksum before them. What decodes must
// encode and decode to the same.
#include <stdlib.h>

#include "pack/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void try_chunk(const uint8_t *bytes, size_t size, int level) {
    size_t room = kst_pack_encode_bound();
    karst_chunk *chunk = malloc(sizeof *chunk), *again = malloc(sizeof *again);
    uint8_t *encoded = malloc(room);
    if (!chunk || !again || !encoded) abort();
    if (!kst_pack_decode_chunk(bytes, size, level, NULL, chunk)) {
        size_t n = kst_pack_encode_chunk(chunk, level, encoded, room);
        if (!n || kst_pack_decode_chunk(encoded, n, level, NULL, again) || memcmp(chunk, again, sizeof *chunk)) abort();
    }
    free(encoded);
    free(again);
    free(chunk);
}

static void try_map(const uint8_t *bytes, size_t size) {
    if (size < 4) return;
    karst_map map = {
        "fuzz", 1 + bytes[0], 1 + bytes[1] + 2 * (bytes[2] & 0x7f), 1 + (bytes[3] & 3), 1 + (bytes[3] >> 7), 1,
        0,      NULL};
    size_t raw;
    if (!kst_map_bytes(&map, &raw)) abort();
    void *samples = malloc(raw);
    if (!samples) abort();
    (void)kst_map_decode(bytes + 4, size - 4, &map, samples);
    free(samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < 2) return 0;
    if (bytes[0] & 0x80)  // no chunk begins so
        try_map(bytes + 1, size - 1);
    else
        try_chunk(bytes, size, bytes[1] <= KARST_MAX_LEVEL ? bytes[1] : 0);
    return 0;
}
