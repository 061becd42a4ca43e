// SPDX-License-Identifier: MIT
// Files: mapped reading, and writing beside the target and renaming.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"

// Map a file for `size` bytes (0: as many as it has) and leave it open in *fd.
static karst_status open_and_map(const char *path, size_t size, karst_report *report, kst_map *out, int *fd) {
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not hang us
    if (*fd < 0) return kst_fail(report, KARST_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    struct stat st;
    karst_status status = KARST_OK;
    kst_map map = {0};
    if (fstat(*fd, &st))
        status = kst_fail(report, KARST_ERROR_FILE, "%s: cannot stat: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        status = kst_fail(report, KARST_ERROR_FILE, "%s: not a regular file", path);
    else if (size || st.st_size > 0) {
        map.size = size ? size : (size_t)st.st_size;
        void *p = mmap(NULL, map.size, PROT_READ, MAP_SHARED, *fd, 0);
        if (p == MAP_FAILED)
            status = kst_fail(report, KARST_ERROR_FILE, "%s: cannot map: %s", path, strerror(errno));
        else
            map.bytes = p;
    }
    if (status)
        close(*fd);
    else
        *out = map;
    return status;
}

karst_status kst_file_map(const char *path, karst_report *report, kst_map *out) {
    int fd;
    karst_status status = open_and_map(path, 0, report, out, &fd);
    if (!status) close(fd);
    return status;
}

// Pages beyond the end of a file fault when touched, and come to life as it grows: no map is ever taken away from a
// reader. So it is on Linux; elsewhere what is past the end at mapping may stay dead.
karst_status kst_file_map_growing(const char *path, size_t size, karst_report *report, kst_map *out, int *fd) {
    KARST_ASSERT(size > 0);
    return open_and_map(path, size, report, out, fd);
}

uint64_t kst_file_size(int fd) {
    struct stat st;
    return fstat(fd, &st) || st.st_size < 0 ? 0 : (uint64_t)st.st_size;
}

void kst_file_close(int fd) {
    close(fd);
}

void kst_file_unmap(kst_map *map) {
    if (map->bytes) munmap((void *)(uintptr_t)map->bytes, map->size);
    *map = (kst_map){0};
}

void kst_file_release(const kst_map *map, uint64_t from, uint64_t to) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    from = (from + page - 1) / page * page;
    to = to < map->size ? to / page * page : (map->size + page - 1) / page * page;
    if (map->bytes && from < to) madvise((void *)(uintptr_t)(map->bytes + from), (size_t)(to - from), MADV_DONTNEED);
}

// ---- writing ---------------------------------------------------------------------------------------

static void forget(kst_writer *writer) {
    free(writer->path);
    free(writer->temporary);
    *writer = (kst_writer){.status = KARST_ERROR_FILE};
}

static void note(kst_writer *writer, bool ok) {
    if (ok || writer->status) return;
    writer->status = KARST_ERROR_FILE;
    writer->reason = errno;
}

static char *folder_of(const char *path) {
    char *copy = strdup(path);
    char *folder = copy ? strdup(dirname(copy)) : NULL;
    free(copy);
    return folder;
}

static karst_status open_beside(kst_writer *writer, const char *folder, karst_report *report) {
    struct stat st;  // renaming over a device or a folder would destroy it or fail late
    if (!stat(writer->path, &st) && !S_ISREG(st.st_mode))
        return kst_fail(report, KARST_ERROR_FILE, "%s: is there and is not a regular file", writer->path);
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0) {  // not every file system has unnamed files
        fd = open(writer->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        writer->named = fd >= 0;
    }
    writer->file = fd < 0 ? NULL : fdopen(fd, "w+b");
    if (writer->file) return KARST_OK;
    kst_fail(report, KARST_ERROR_FILE, "%s: cannot write there: %s", writer->path, strerror(errno));
    if (fd >= 0) close(fd);
    return KARST_ERROR_FILE;
}

karst_status kst_writer_open(kst_writer *writer, const char *path, karst_report *report) {
    *writer = (kst_writer){.path = strdup(path)};
    char *folder = folder_of(path);
    karst_status status;
    if (asprintf(&writer->temporary, "%s.tmp%ld", path, (long)getpid()) < 0) writer->temporary = NULL;
    if (!writer->path || !folder || !writer->temporary)
        status = kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    else
        status = open_beside(writer, folder, report);
    free(folder);
    if (status) kst_writer_abandon(writer);
    return status;
}

void kst_writer_put(kst_writer *writer, const void *bytes, size_t size) {
    if (writer->status || !size) return;
    note(writer, fwrite(bytes, 1, size, writer->file) == size);
    writer->offset += size;
}

void kst_writer_at(kst_writer *writer, uint64_t offset, const void *bytes, size_t size) {
    if (writer->status || !size) return;
    note(writer, !fseeko(writer->file, (off_t)offset, SEEK_SET) && fwrite(bytes, 1, size, writer->file) == size &&
                     !fseeko(writer->file, 0, SEEK_END));
}

// Give the whole file its name beside the target, then the target's.
static bool name_and_rename(kst_writer *writer) {
    if (!writer->named) {
        char self[64];
        snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(writer->file));
        unlink(writer->temporary);  // of a program with our number that was killed just here
        if (linkat(AT_FDCWD, self, AT_FDCWD, writer->temporary, AT_SYMLINK_FOLLOW)) return false;
        writer->named = true;
    }
    return !rename(writer->temporary, writer->path);
}

// The new name is on disk only when its folder is. Not every file system can, and the file is whole anyway.
static void sync_folder(const char *path) {
    char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    free(folder);
}

karst_status kst_writer_commit(kst_writer *writer, karst_report *report) {
    if (!writer->status) note(writer, !fflush(writer->file) && !fsync(fileno(writer->file)));
    if (!writer->status) note(writer, name_and_rename(writer));
    karst_status status = writer->status;
    if (status) {
        kst_fail(report, status, "%s: cannot write: %s", writer->path ? writer->path : "file",
                 strerror(writer->reason));
        kst_writer_abandon(writer);
        return status;
    }
    sync_folder(writer->path);
    fclose(writer->file);
    forget(writer);
    return KARST_OK;
}

void kst_writer_abandon(kst_writer *writer) {
    if (writer->file) fclose(writer->file);
    if (writer->named) unlink(writer->temporary);
    forget(writer);
}
