// SPDX-License-Identifier: MIT
// OpenEXR pictures as stamps.
#include "geo/exr.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    karst_stamp *stamp;
    if (!kst_exr_parse(bytes, size, "fuzz", NULL, &stamp)) karst_stamp_destroy(stamp);
    return 0;
}
