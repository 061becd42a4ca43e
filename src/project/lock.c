// SPDX-License-Identifier: MIT
// The writer's lock: flock on a file beside the world.
//
// A side file, since closing any descriptor of the world itself would drop SQLite's own locks on it. The holder
// removes the file as it lets go; so whoever gets the lock looks whether the name still means the same file.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "project/world.h"

static long holder(int fd) {
    char text[32] = {0};
    return pread(fd, text, sizeof text - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

static bool still_named(int fd, const char *path) {
    struct stat held, named;
    return !fstat(fd, &held) && !stat(path, &named) && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

static karst_status fail(int fd, char *path, karst_report *report, karst_status status, const char *world) {
    if (status == KARST_ERROR_BUSY) {
        long pid = holder(fd);
        kst_fail(report, status,
                 pid > 0 ? "%s is being edited by another process (pid %ld): close it there first"
                         : "%s is being edited by another process: close it there first",
                 world, pid);
    } else if (status == KARST_ERROR_MEMORY) {
        kst_fail(report, status, "%s: out of memory", world);
    } else {
        kst_fail(report, status, "%s: cannot lock it for editing: %s", world, strerror(errno));
    }
    if (fd >= 0) close(fd);
    free(path);
    return status;
}

karst_status kst_world_lock_take(kst_world_lock *lock, const char *world, karst_report *report) {
    char *real = realpath(world, NULL), *path = NULL;  // one lock for a file, whatever link leads to it
    if (asprintf(&path, "%s-lock", real ? real : world) < 0) path = NULL;
    free(real);
    if (!path) return fail(-1, NULL, report, KARST_ERROR_MEMORY, world);
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) return fail(-1, path, report, KARST_ERROR_FILE, world);
        if (flock(fd, LOCK_EX | LOCK_NB))
            return fail(fd, path, report, errno == EWOULDBLOCK ? KARST_ERROR_BUSY : KARST_ERROR_FILE, world);
        if (!still_named(fd, path)) {  // its last holder removed it between our open and our lock
            close(fd);
            continue;
        }
        char text[32];
        int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
        if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)length, 0) != length)
            return fail(fd, path, report, KARST_ERROR_FILE, world);
        *lock = (kst_world_lock){fd, path};
        return KARST_OK;
    }
}

void kst_world_lock_drop(kst_world_lock *lock) {
    if (lock->fd >= 0) {
        unlink(lock->path);
        close(lock->fd);
    }
    free(lock->path);
    *lock = (kst_world_lock){.fd = -1};
}
