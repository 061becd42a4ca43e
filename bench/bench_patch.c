// SPDX-License-Identifier: MIT
// bench patch: ground of curved patches. Each part is a file of its own.
#include "bench.h"
#include "patch_bisect.h"
#include "patch_bytes.h"
#include "patch_fit.h"
#include "patch_levels.h"
#include "patch_rays.h"
#include "patch_seam.h"
#include "patch_weld.h"

karst_status bench_patch(bench *b) {
    karst_status status = bench_patch_bytes(b);
    if (!status) status = bench_patch_fit(b);
    if (!status) status = bench_patch_weld(b);
    if (!status) status = bench_patch_levels(b);
    if (!status) status = bench_patch_bisect(b);
    if (!status) status = bench_patch_seam(b);
    return status ? status : bench_patch_rays(b);
}
