// SPDX-License-Identifier: MIT
// Stroke files: what is read is in range, what is refused is told.
#include <stdlib.h>

#include "core/core.h"
#include "karst/stroke.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    karst_recordings all;
    karst_report report;
    karst_status status = karst_recordings_parse((const char *)bytes, size, "fuzz", &report, &all);
    if (status) {
        if (!report.message[0]) abort();
        return 0;
    }
    for (size_t k = 0; k < all.count; ++k)
        if (karst_brush_check(&all.strokes[k].brush, NULL)) abort();
    karst_recordings_free(&all);
    return 0;
}
