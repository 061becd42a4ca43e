// SPDX-License-Identifier: MIT
// The command line: worlds that appear whole or not at all.
#define _GNU_SOURCE
#include "world.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

// Length of base, ".new" and a process number at the start of name; 0 when it begins otherwise.
static size_t passing_length(const char *name, const char *base, long *pid) {
    size_t n = strlen(base);
    if (strncmp(name, base, n) != 0 || strncmp(name + n, ".new", 4) != 0) return 0;
    char *end;
    *pid = strtol(name + n + 4, &end, 10);
    return *pid > 0 ? (size_t)(end - name) : 0;
}

// Remove what killed processes left of worlds on their way to this path. One that is still on its way is alive,
// and, should that be on another machine, holds its lock.
static void sweep(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    DIR *d = folder ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        long pid;
        size_t length = passing_length(e->d_name, base, &pid);
        if (!length || (pid != getpid() && (!kill((pid_t)pid, 0) || errno != ESRCH))) continue;
        char *name = NULL, *stem = NULL;
        if (asprintf(&name, "%s%s", folder, e->d_name) < 0) name = NULL;
        if (asprintf(&stem, "%s%.*s", folder, (int)length, e->d_name) < 0) stem = NULL;
        karst_project *left = NULL;
        if (name && stem && karst_project_open(stem, KARST_PROJECT_WRITE, NULL, &left) != KARST_ERROR_BUSY) {
            karst_project_close(left);
            unlink(name);
        }
        free(name);
        free(stem);
    }
    if (d) closedir(d);
    free(folder);
}

karst_status world_create(world *w, const char *path, karst_report *report) {
    *w = (world){.path = path};
    if (!access(path, F_OK)) return kst_fail(report, KARST_ERROR_FILE, "%s: exists already", path);
    if (asprintf(&w->passing, "%s.new%ld", path, (long)getpid()) < 0) {
        w->passing = NULL;
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    }
    sweep(path);
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
