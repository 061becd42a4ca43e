// SPDX-License-Identifier: MIT
// bench patch: ground of curved patches. Each part is a file of its own.
#include "bench.h"
#include "patch_bytes.h"

karst_status bench_patch(bench *b) {
    return bench_patch_bytes(b);
}
