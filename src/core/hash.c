// SPDX-License-Identifier: MIT
// Checksums and keys: XXH3, 64 bits, inlined from its header so that nothing more is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/core.h"

uint64_t kst_hash(const void *bytes, size_t size, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes ? bytes : "", size, seed);
}
