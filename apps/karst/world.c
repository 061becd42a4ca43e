// SPDX-License-Identifier: MIT
// The command line: worlds that appear whole or not at all.
#define _GNU_SOURCE
#include "world.h"

#include <stdlib.h>
#include <unistd.h>

karst_status world_create(world *w, const char *path, karst_report *report) {
    *w = (world){.path = path};
    if (!access(path, F_OK)) return kst_fail(report, KARST_ERROR_FILE, "%s: exists already", path);
    if (asprintf(&w->passing, "%s.new%ld", path, (long)getpid()) < 0) {
        w->passing = NULL;
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    }
    karst_project_discard_file(w->passing);  // of a process of the same number that was killed
    return karst_project_create(w->passing, report, &w->project);
}

karst_status world_open_or_create(world *w, const char *path, karst_report *report) {
    if (access(path, F_OK)) return world_create(w, path, report);
    *w = (world){.path = path};
    return karst_project_open(path, KARST_PROJECT_WRITE, report, &w->project);
}

karst_status world_finish(world *w, karst_status status, karst_report *report) {
    if (w->project && w->passing && !status) {
        status = karst_project_publish(w->project, w->path, report);
    } else {
        karst_project_close(w->project);
        if (w->passing) karst_project_discard_file(w->passing);
    }
    free(w->passing);
    *w = (world){0};
    return status;
}
