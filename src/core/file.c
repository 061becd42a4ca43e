// SPDX-License-Identifier: MIT
// Files: mapped reading, and writing beside the target and renaming.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"

karst_status kst_file_map(const char *path, karst_report *report, kst_map *out) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return kst_fail(report, KARST_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    struct stat st;
    karst_status status = KARST_OK;
    kst_map map = {0};
    if (fstat(fd, &st))
        status = kst_fail(report, KARST_ERROR_FILE, "%s: cannot stat: %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        status = kst_fail(report, KARST_ERROR_FILE, "%s: not a regular file", path);
    else if (st.st_size > 0) {
        map.size = (size_t)st.st_size;
        void *p = mmap(NULL, map.size, PROT_READ, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED)
            status = kst_fail(report, KARST_ERROR_FILE, "%s: cannot map: %s", path, strerror(errno));
        else
            map.bytes = p;
    }
    close(fd);
    if (!status) *out = map;
    return status;
}

void kst_file_unmap(kst_map *map) {
    if (map->bytes) munmap((void *)(uintptr_t)map->bytes, map->size);
    *map = (kst_map){0};
}

static void forget(kst_writer *writer) {
    free(writer->path);
    free(writer->temporary);
    *writer = (kst_writer){.status = KARST_ERROR_FILE};
}

karst_status kst_writer_open(kst_writer *writer, const char *path, karst_report *report) {
    *writer = (kst_writer){0};
    writer->path = strdup(path);
    if (!writer->path || asprintf(&writer->temporary, "%s.tmp%ld", path, (long)getpid()) < 0) {
        writer->temporary = NULL;
        forget(writer);
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    }
    writer->file = fopen(writer->temporary, "w+b");
    if (!writer->file) {
        karst_status status =
            kst_fail(report, KARST_ERROR_FILE, "%s: cannot write beside it: %s", path, strerror(errno));
        forget(writer);
        return status;
    }
    return KARST_OK;
}

void kst_writer_put(kst_writer *writer, const void *bytes, size_t size) {
    if (writer->status || !size) return;
    if (fwrite(bytes, 1, size, writer->file) != size) writer->status = KARST_ERROR_FILE;
    writer->offset += size;
}

void kst_writer_at(kst_writer *writer, uint64_t offset, const void *bytes, size_t size) {
    if (writer->status) return;
    bool ok = !fseeko(writer->file, (off_t)offset, SEEK_SET) && fwrite(bytes, 1, size, writer->file) == size &&
              !fseeko(writer->file, 0, SEEK_END);
    if (!ok) writer->status = KARST_ERROR_FILE;
}

karst_status kst_writer_commit(kst_writer *writer, karst_report *report) {
    karst_status status = writer->status;
    if (!status && (fflush(writer->file) || fsync(fileno(writer->file)))) status = KARST_ERROR_FILE;
    if (status) {
        kst_fail(report, status, "%s: cannot write: %s", writer->path ? writer->path : "file", strerror(errno));
        kst_writer_abandon(writer);
        return status;
    }
    fclose(writer->file);
    writer->file = NULL;
    if (rename(writer->temporary, writer->path)) {
        status = kst_fail(report, KARST_ERROR_FILE, "%s: cannot rename over it: %s", writer->path, strerror(errno));
        kst_writer_abandon(writer);
        return status;
    }
    forget(writer);
    return KARST_OK;
}

void kst_writer_abandon(kst_writer *writer) {
    if (writer->file) fclose(writer->file);
    if (writer->temporary) unlink(writer->temporary);
    forget(writer);
}
