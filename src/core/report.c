// SPDX-License-Identifier: MIT
// Status names and the one-line report.
#include "core/core.h"

static const char *const names[KARST_STATUS_COUNT] = {
    "ok",   "out of memory", "file error",  "bad format",   "newer version", "too big",
    "busy", "cancelled",     "unsupported", "bad argument", "not here yet",
};

const char *karst_status_text(karst_status status) {
    return (unsigned)status < KARST_STATUS_COUNT ? names[status] : "unknown status";
}

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
const char *karst_version_text(void) {
    return TEXT(KARST_VERSION_MAJOR) "." TEXT(KARST_VERSION_MINOR) "." TEXT(KARST_VERSION_PATCH);
}

karst_status kst_fail(karst_report *report, karst_status status, const char *format, ...) {
    if (!report) return status;
    report->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->message, sizeof report->message, format, arguments);
    va_end(arguments);
    for (char *c = report->message; *c; ++c)  // one line, whatever a file name holds
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    return status;
}
