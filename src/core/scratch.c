// SPDX-License-Identifier: MIT
// Scratch: memory for arrays over whole fields, within a budget.
//
//     memory, 3/4 of the budget          file without a name, mapped
//     | array | array | array |          | array       | array   | results ... |
//                                          pages of which at most 1/4 of the budget is resident
//
// What no longer fits into memory lies in a file that has no name from the start, so nothing of it stays behind however
// the program ends. Its room is reserved before it is mapped: a full disk is a status, not a signal. Its pages may be
// let go of at any moment, by any thread, under the hands of the others: they hold the same bytes when they come back.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/core.h"

enum { SEGMENT = 16 << 20, PAGE = 4096, EASES_UNSEEN = 64 };

// An array in the file.
typedef struct region {
    struct region *next;
    uint8_t *at;
    size_t size;
    off_t place;
} region;

struct kst_scratch {
    char *path;  // what the file lies beside; NULL: all in memory
    int fd, status_fd;
    uint64_t memory_most, resident_most;
    uint64_t resident_base;  // of the program's other files
    pthread_mutex_t lock;    // guards all below
    uint64_t memory;         // in use
    off_t end;               // of the file
    region *regions;
    uint8_t *free_at;  // rest of the segment that results go to
    size_t free_size;
    unsigned eases;
    karst_status status;  // of the last allocation that failed
    int reason;
    uint64_t wanted;
};

// Resident pages of files, ours and others', as the system counts them; 0 when it does not tell.
static uint64_t resident_bytes(const kst_scratch *s) {
    char text[128];
    ssize_t n = s->status_fd < 0 ? -1 : pread(s->status_fd, text, sizeof text - 1, 0);
    if (n <= 0) return 0;
    text[n] = 0;
    unsigned long long all, resident, shared;
    if (sscanf(text, "%llu %llu %llu", &all, &resident, &shared) != 3) return 0;
    return shared * (uint64_t)sysconf(_SC_PAGESIZE);
}

karst_status kst_scratch_create(const char *beside, uint64_t budget_bytes, kst_scratch **out) {
    kst_scratch *s = kst_alloc_zero(NULL, sizeof *s);
    if (!s) return KARST_ERROR_MEMORY;
    s->fd = s->status_fd = -1;
    pthread_mutex_init(&s->lock, NULL);
    s->memory_most = beside ? budget_bytes - budget_bytes / 4 : UINT64_MAX;
    s->resident_most = budget_bytes / 4;
    if (beside && !(s->path = strdup(beside))) {
        kst_scratch_destroy(s);
        return KARST_ERROR_MEMORY;
    }
    *out = s;
    return KARST_OK;
}

void kst_scratch_destroy(kst_scratch *s) {
    if (!s) return;
    for (region *r = s->regions, *next; r; r = next) {
        next = r->next;
        munmap(r->at, r->size);
        kst_free(NULL, r, sizeof *r);
    }
    if (s->fd >= 0) close(s->fd);
    if (s->status_fd >= 0) close(s->status_fd);
    pthread_mutex_destroy(&s->lock);
    free(s->path);
    kst_free(NULL, s, sizeof *s);
}

// ---- the file --------------------------------------------------------------------------------------

static bool open_file(kst_scratch *s) {
    if (s->fd >= 0) return true;
    char *copy = strdup(s->path), *name = NULL;
    const char *folder = copy ? dirname(copy) : NULL;
    if (folder) s->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (folder && s->fd < 0 && asprintf(&name, "%s.scratch%ld", s->path, (long)getpid()) >= 0) {
        s->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);  // not every file system has unnamed files
        if (s->fd >= 0) unlink(name);
        free(name);
    }
    int reason = errno;
    free(copy);
    errno = reason;
    if (s->fd < 0) return false;
    s->status_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    s->resident_base = resident_bytes(s);
    return true;
}

static void *note_failure(kst_scratch *s, karst_status status, int reason, uint64_t wanted) {
    s->status = status;
    s->reason = reason;
    s->wanted = wanted;
    return NULL;
}

// Reserve room at the end of the file; 0 or errno. What the disk cannot hold is not tried: others would find it full.
static int reserve(const kst_scratch *s, size_t size) {
    struct statvfs disk;
    if (!fstatvfs(s->fd, &disk) && size / disk.f_frsize >= disk.f_bavail) return ENOSPC;
    int reason;
    do reason = posix_fallocate(s->fd, s->end, (off_t)size);
    while (reason == EINTR);
    return reason;
}

// Room in the file, reserved and mapped. The caller holds the lock.
static void *map_more(kst_scratch *s, size_t bytes) {
    size_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    region *r = size < bytes ? NULL : kst_alloc(NULL, sizeof *r);
    if (!r) return note_failure(s, KARST_ERROR_MEMORY, 0, bytes);
    int reason = open_file(s) ? reserve(s, size) : errno;
    void *at = MAP_FAILED;
    if (!reason) {
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, s->end);
        if (at == MAP_FAILED) reason = errno;
    }
    if (at == MAP_FAILED) {
        kst_free(NULL, r, sizeof *r);
        return note_failure(s, KARST_ERROR_FILE, reason, (uint64_t)s->end + size);
    }
    madvise(at, size, MADV_NOHUGEPAGE);  // a page that is touched brings its neighbours, but not 2 MB of them
    *r = (region){s->regions, at, size, s->end};
    s->regions = r;
    s->end += (off_t)size;
    return at;
}

// ---- arrays ----------------------------------------------------------------------------------------

void *kst_scratch_alloc(kst_scratch *s, size_t count, size_t bytes_each) {
    size_t bytes;
    if (!s) return kst_alloc_array(NULL, count, bytes_each);
    bool there = kst_size_mul(count, bytes_each, &bytes);
    pthread_mutex_lock(&s->lock);
    void *memory = NULL;
    if (!there) {
        note_failure(s, KARST_ERROR_MEMORY, 0, 0);
    } else if (bytes > s->memory_most - s->memory) {
        memory = map_more(s, bytes);
    } else {
        memory = kst_alloc(NULL, bytes);
        if (memory)
            s->memory += bytes;
        else
            note_failure(s, KARST_ERROR_MEMORY, 0, bytes);
    }
    pthread_mutex_unlock(&s->lock);
    return memory;
}

void kst_scratch_free(kst_scratch *s, void *memory, size_t count, size_t bytes_each) {
    size_t bytes = count * bytes_each;
    if (!memory) return;
    if (s) pthread_mutex_lock(&s->lock);
    region **at = s ? &s->regions : NULL;
    while (at && *at && (*at)->at != memory) at = &(*at)->next;
    region *r = at ? *at : NULL;
    if (r) {
        munmap(r->at, r->size);
        // Gives its room back where the file system can; else that comes with the end of the file.
        (void)!fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, r->place, (off_t)r->size);
        *at = r->next;
        kst_free(NULL, r, sizeof *r);
    } else {
        kst_free(NULL, memory, bytes);
        if (s) s->memory -= bytes;
    }
    if (s) pthread_mutex_unlock(&s->lock);
}

karst_status kst_scratch_keep(kst_scratch *s, void **bytes, size_t size, bool *kept) {
    *kept = false;
    if (!s) return KARST_OK;
    pthread_mutex_lock(&s->lock);
    uint8_t *to = NULL;
    if (size <= s->memory_most - s->memory) {
        s->memory += size;
    } else {
        if (s->free_size < size) {
            size_t segment = size > SEGMENT ? size : SEGMENT;
            s->free_at = map_more(s, segment);
            s->free_size = s->free_at ? segment : 0;
        }
        to = s->free_at;
        *kept = true;
    }
    karst_status status = *kept && !to ? s->status : KARST_OK;
    if (to) {
        size_t step = (size + 63) / 64 * 64 < s->free_size ? (size + 63) / 64 * 64 : s->free_size;
        s->free_at += step;
        s->free_size -= step;
    }
    pthread_mutex_unlock(&s->lock);
    if (to) {
        memcpy(to, *bytes, size);
        kst_free(NULL, *bytes, size);
        *bytes = to;
    }
    *kept = to != NULL;
    return status;
}

// ---- residency -------------------------------------------------------------------------------------

static void let_go(const kst_scratch *s) {
    for (const region *r = s->regions; r; r = r->next) madvise(r->at, r->size, MADV_DONTNEED);
}

void kst_scratch_ease(kst_scratch *s) {
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    if (s->regions) {
        uint64_t resident = resident_bytes(s);
        if (resident ? resident > s->resident_base + s->resident_most : ++s->eases % EASES_UNSEEN == 0) let_go(s);
    }
    pthread_mutex_unlock(&s->lock);
}

uint64_t kst_scratch_file_bytes(kst_scratch *s) {
    return s ? (uint64_t)s->end : 0;
}

karst_status kst_scratch_fail(const kst_scratch *s, karst_report *report) {
    if (!s || s->status != KARST_ERROR_FILE) return KARST_ERROR_MEMORY;
    return kst_fail(report, KARST_ERROR_FILE,
                    "%s: needs a scratch file of %.1f GB or more beside it while it is made: %s: make room, write to "
                    "another disk or allow more memory",
                    s->path, (double)s->wanted * 1e-9, strerror(s->reason));
}
