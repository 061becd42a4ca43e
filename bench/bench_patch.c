// SPDX-License-Identifier: MIT
// bench patch: ground of curved patches. Each part is a file of its own.
#include "bench.h"
#include "patch_bytes.h"
#include "patch_levels.h"

karst_status bench_patch(bench *b) {
    karst_status status = bench_patch_bytes(b);
    return status ? status : bench_patch_levels(b);
}
