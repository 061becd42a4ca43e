// SPDX-License-Identifier: MIT
// Multi-resolution meshes in files.
#include <stdlib.h>

#include "mesh/mrm.h"

karst_status karst_mrm_decode(const void *bytes, size_t size, bool partial, const karst_allocator *allocator,
                              karst_report *report, karst_mrm **out) {
    kst_mrm_list list;
    karst_status status = kst_mrm_decode(bytes, size, partial, allocator, report, &list);
    if (status) return status;
    status = kst_mrm_assemble(&list, allocator, NULL, report, out);
    kst_mrm_list_free(&list, allocator);
    return status;
}

// The report's line with the file's name before it.
static void name_file(karst_report *report, const char *path) {
    if (!report) return;
    char line[KARST_REPORT_BYTES];
    memcpy(line, report->message, sizeof line);
    kst_fail(report, report->status, "%s: %s", path, line);
}

karst_status karst_mrm_open(const char *path, const karst_allocator *allocator, karst_report *report, karst_mrm **out) {
    kst_map map;
    karst_status status = kst_file_map(path, report, &map);
    if (status) return status;
    status = karst_mrm_decode(map.bytes, map.size, false, allocator, report, out);
    kst_file_unmap(&map);
    if (status) name_file(report, path);
    return status;
}

karst_status karst_mrm_write(const karst_mrm *mrm, const char *path, karst_report *report) {
    kst_mrm_list list;
    uint8_t *bytes = NULL;
    size_t size = 0;
    karst_status status = kst_mrm_unravel(mrm, report, &list);
    if (status) return status;
    status = kst_mrm_encode(&list, report, &bytes, &size);
    kst_mrm_list_release(&list);
    if (status) return status;
    kst_writer w;
    status = kst_writer_open(&w, path, report);
    if (!status) {
        kst_writer_put(&w, bytes, size);
        status = kst_writer_commit(&w, report);
    }
    kst_free(NULL, bytes, size);
    return status;
}
