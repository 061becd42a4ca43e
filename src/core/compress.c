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

// One frame only, of exactly this size: ZSTD_decompress would accept several.
static bool is_one_frame(const void *bytes, size_t packed) {
    return ZSTD_findFrameCompressedSize(bytes, packed) == packed;
}

bool kst_decompress(const void *bytes, size_t packed, void *out, size_t size) {
    if (!is_one_frame(bytes, packed)) return false;
    size_t n = ZSTD_decompress(out, size, bytes, packed);
    return !ZSTD_isError(n) && n == size;
}

// A kst_unpacker is a ZSTD_DCtx by another name.
kst_unpacker *kst_unpacker_create(void) {
    return (kst_unpacker *)ZSTD_createDCtx();
}

void kst_unpacker_destroy(kst_unpacker *unpacker) {
    ZSTD_freeDCtx((ZSTD_DCtx *)unpacker);
}

bool kst_unpacker_decompress(kst_unpacker *unpacker, const void *bytes, size_t packed, void *out, size_t size) {
    if (!is_one_frame(bytes, packed)) return false;
    size_t n = ZSTD_decompressDCtx((ZSTD_DCtx *)unpacker, out, size, bytes, packed);
    return !ZSTD_isError(n) && n == size;
}
