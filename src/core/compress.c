// SPDX-License-Identifier: MIT
// Compression: zstd frames.
#include <zstd.h>

#include "core/core.h"

size_t kst_compress_bound(size_t size) {
    return ZSTD_compressBound(size);
}

size_t kst_compress(const void *bytes, size_t size, void *out, size_t room, int level) {
    size_t n = ZSTD_compress(out, room, bytes, size, level);
    return ZSTD_isError(n) ? 0 : n;
}

bool kst_decompress(const void *bytes, size_t packed, void *out, size_t size) {
    // One frame only, of exactly this size: ZSTD_decompress would accept several.
    if (ZSTD_findFrameCompressedSize(bytes, packed) != packed) return false;
    size_t n = ZSTD_decompress(out, size, bytes, packed);
    return !ZSTD_isError(n) && n == size;
}
