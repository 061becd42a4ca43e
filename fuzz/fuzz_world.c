// SPDX-License-Identifier: MIT
// A chunk of samples in a world file: the first eight bytes are the hash that the file gives for it.
#include <stdlib.h>

#include "project/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static karst_field_chunk chunk;
    kst_reader r = {bytes, bytes + size, false};
    uint64_t hash = kst_read_u64(&r);
    if (kst_world_chunk_decode(r.at, (size_t)(r.end - r.at), hash, &chunk)) return 0;
    size_t room = kst_world_chunk_bound();  // what decodes comes back
    uint8_t *out = malloc(room);
    uint64_t again = 0;
    if (!out || !kst_world_chunk_encode(&chunk, out, room, &again) || again != hash) abort();
    free(out);
    return 0;
}
