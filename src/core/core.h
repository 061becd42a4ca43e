// SPDX-License-Identifier: MIT
// Core: what every room needs. One header for the room; the parts are files of their own.
#pragma once
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "karst/base.h"
#include "karst/jobs.h"

// A rule that the caller could have checked. On in debug and in test builds (NDEBUG turns it off).
#ifdef NDEBUG
#define KARST_ASSERT(condition) ((void)(0 && (condition)))
#else
#define KARST_ASSERT(condition) assert(condition)
#endif

// Before a function with vector loops: it is compiled for AVX2 too, and the processor chooses at start. Both give the
// same bits, since nothing is contracted. Sanitizers come up too late for that choice, and clang will not let a twin
// call a plain helper that takes vectors.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define KST_TWINS __attribute__((target_clones("avx2", "default")))
#else
#define KST_TWINS
#endif

// Defs carry this so that one that was only zeroed is caught.
#define KST_COOKIE 0x4B415253u

// ---- report.c ------------------------------------------------------------------------------------

// Write one line into report (NULL allowed) and give the status back: return kst_fail(report, KARST_ERROR_FILE, ...).
karst_status kst_fail(karst_report *report, karst_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// ---- alloc.c -------------------------------------------------------------------------------------

// a * b and a + b into *out; false on overflow. Sizes from files and callers go through these.
static inline bool kst_size_mul(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool kst_size_add(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

// 64-byte aligned memory from the allocator (NULL: malloc). kst_alloc_zero clears. NULL when there is none.
void *kst_alloc(const karst_allocator *allocator, size_t bytes);
void *kst_alloc_zero(const karst_allocator *allocator, size_t bytes);
void *kst_alloc_array(const karst_allocator *allocator, size_t count, size_t bytes);  // overflow checked
void kst_free(const karst_allocator *allocator, void *memory, size_t bytes);

// Fault injection for tests: the n-th allocation from now fails (1: the next), 0 turns it off. Default
// allocator only. Returns how many allocations were made since the last call.
uint64_t kst_alloc_fail_after(uint64_t n);

// Bump memory for one pass; freed or reset at once. Zero-initialise to use the default allocator.
typedef struct kst_arena {
    const karst_allocator *allocator;
    struct kst_arena_block *block;
} kst_arena;
void *kst_arena_alloc(kst_arena *arena, size_t bytes);  // 64-byte aligned, NULL when there is none
void kst_arena_reset(kst_arena *arena);                 // keeps the memory
void kst_arena_free(kst_arena *arena);

// ---- jobs.c, progress.c --------------------------------------------------------------------------

// kst_jobs_run: like karst_jobs_for, but the work may fail or be cancelled. fn returns a status; the
// status of the lowest failing range is returned and later ranges may be left out. The progress callback
// is called from the calling thread with the share of ranges done (scaled into [from, to]).
typedef karst_status kst_range_fn(int begin, int end, int worker, void *context);
karst_status kst_jobs_run(karst_jobs *jobs, int count, int grain, kst_range_fn *fn, void *context,
                          const karst_progress *progress, const char *stage, double from, double to);

// Work to run once beside the caller's, embedded in what it works on; it stays untouched until fn is called.
typedef struct kst_task {
    void (*fn)(struct kst_task *task);
    struct kst_task *next;
} kst_task;
// Hand a task over; tasks begin in order. False when nobody would run it: no jobs, a lone worker, or a host that takes
// no tasks. karst_jobs_destroy() runs what is left.
bool kst_jobs_post(karst_jobs *jobs, kst_task *task);

// Report from serial work; KARST_ERROR_CANCELLED when asked to stop.
karst_status kst_progress_step(const karst_progress *progress, const char *stage, double share);

// ---- hash.c (XXH3) -------------------------------------------------------------------------------

uint64_t kst_hash(const void *bytes, size_t size, uint64_t seed);
static inline uint64_t kst_hash_u64(uint64_t a, uint64_t b) {  // combine, order matters
    uint64_t v[2] = {a, b};
    return kst_hash(v, sizeof v, 0);
}

// ---- compress.c (zstd) ---------------------------------------------------------------------------

size_t kst_compress_bound(size_t size);
// Compress into room bytes; 0 when it does not fit or fails. The bytes depend only on the input and level.
size_t kst_compress(const void *bytes, size_t size, void *out, size_t room, int level);
// Decompress exactly size bytes; false when the input is damaged or of another size.
bool kst_decompress(const void *bytes, size_t packed, void *out, size_t size);

// ---- file.c --------------------------------------------------------------------------------------

// A file mapped for reading. Empty files map to NULL, 0.
typedef struct kst_map {
    const uint8_t *bytes;
    size_t size;
} kst_map;
karst_status kst_file_map(const char *path, karst_report *report, kst_map *out);
void kst_file_unmap(kst_map *map);
// The same of a file that may still grow: mapped for `size` bytes. Only those within kst_file_size(*fd) are there.
karst_status kst_file_map_growing(const char *path, size_t size, karst_report *report, kst_map *out, int *fd);
uint64_t kst_file_size(int fd);  // 0 when it cannot be told
void kst_file_close(int fd);

// Write beside and rename: the target is the old file or the whole new one. Close with commit or abandon. Where
// the file system can, the new file has no name until it is whole, so that a killed program leaves nothing behind.
typedef struct kst_writer {
    FILE *file;
    char *path, *temporary;
    bool named;  // the file has the name `temporary` already
    uint64_t offset;
    karst_status status;  // sticky: after a failure all writes are ignored
    int reason;           // errno of that failure
} kst_writer;
karst_status kst_writer_open(kst_writer *writer, const char *path, karst_report *report);
void kst_writer_put(kst_writer *writer, const void *bytes, size_t size);
void kst_writer_at(kst_writer *writer, uint64_t offset, const void *bytes, size_t size);  // overwrite earlier bytes
karst_status kst_writer_commit(kst_writer *writer, karst_report *report);                 // flush, sync, rename
void kst_writer_abandon(kst_writer *writer);                                              // remove; safe after commit

// Let go of the pages of [from, to) of the map, for walks over files larger than memory should hold: a page that is
// touched again comes back. Any thread, while others read.
void kst_file_release(const kst_map *map, uint64_t from, uint64_t to);

// ---- scratch.c -----------------------------------------------------------------------------------

// Memory for arrays over whole fields, about budget_bytes of it resident; the rest lies in a file without a name in the
// folder of `beside`, mapped. NULL `beside`: all in memory. A NULL scratch is malloc.
typedef struct kst_scratch kst_scratch;
karst_status kst_scratch_create(const char *beside, uint64_t budget_bytes, kst_scratch **out);
void kst_scratch_destroy(kst_scratch *scratch);  // and what lies in the file; arrays in memory are freed one by one
// 64-byte aligned, overflow checked, not cleared; NULL: kst_scratch_fail says why. Any thread.
void *kst_scratch_alloc(kst_scratch *scratch, size_t count, size_t bytes_each);
void kst_scratch_free(kst_scratch *scratch, void *memory, size_t count, size_t bytes_each);
// Results that come in any number: when memory is full, *bytes (from kst_alloc) moves to the file, where it stays until
// the scratch ends, and *kept is true. Any thread.
karst_status kst_scratch_keep(kst_scratch *scratch, void **bytes, size_t size, bool *kept);
// Lets go of pages when more of the file is resident than should be; they come back when touched. Long work calls it
// every few megabytes that it touches. Any thread, while others use the arrays. Cost: about 2 us.
void kst_scratch_ease(kst_scratch *scratch);
uint64_t kst_scratch_file_bytes(kst_scratch *scratch);  // how large the file is: 0 when all fits into memory
// Why the last allocation failed: KARST_ERROR_MEMORY without a line, or KARST_ERROR_FILE with one.
karst_status kst_scratch_fail(const kst_scratch *scratch, karst_report *report);

// ---- bytes.h: versioned little-endian reading ----------------------------------------------------

// A cursor over untrusted bytes. Reading past the end sets `bad` and gives zeros; check once at the end.
typedef struct kst_reader {
    const uint8_t *at, *end;
    bool bad;
} kst_reader;
static inline const uint8_t *kst_read_bytes(kst_reader *r, size_t size) {
    if (r->bad || (size_t)(r->end - r->at) < size) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *p = r->at;
    r->at += size;
    return p;
}
static inline uint64_t kst_read_uint(kst_reader *r, int bytes) {
    const uint8_t *p = kst_read_bytes(r, (size_t)bytes);
    uint64_t v = 0;
    for (int i = 0; p && i < bytes; ++i) v |= (uint64_t)p[i] << (8 * i);
    return v;
}
static inline uint8_t kst_read_u8(kst_reader *r) {
    return (uint8_t)kst_read_uint(r, 1);
}
static inline uint16_t kst_read_u16(kst_reader *r) {
    return (uint16_t)kst_read_uint(r, 2);
}
static inline uint32_t kst_read_u32(kst_reader *r) {
    return (uint32_t)kst_read_uint(r, 4);
}
static inline uint64_t kst_read_u64(kst_reader *r) {
    return kst_read_uint(r, 8);
}
static inline int32_t kst_read_i32(kst_reader *r) {
    return (int32_t)kst_read_uint(r, 4);
}
static inline float kst_read_f32(kst_reader *r) {
    uint32_t u = kst_read_u32(r);
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline double kst_read_f64(kst_reader *r) {
    uint64_t u = kst_read_u64(r);
    double d;
    memcpy(&d, &u, 8);
    return d;
}

// The same for writing into memory that the caller sized.
typedef struct kst_out {
    uint8_t *at;
} kst_out;
static inline void kst_put_uint(kst_out *o, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) *o->at++ = (uint8_t)(v >> (8 * i));
}
static inline void kst_put_f32(kst_out *o, float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    kst_put_uint(o, u, 4);
}
static inline void kst_put_f64(kst_out *o, double d) {
    uint64_t u;
    memcpy(&u, &d, 8);
    kst_put_uint(o, u, 8);
}

// ---- rng.h: random numbers from (seed, position), never from a stream ----------------------------

static inline uint64_t kst_mix64(uint64_t x) {  // splitmix64 finaliser (Steele, Lea, Flood 2014)
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}
static inline uint64_t kst_random(uint64_t seed, uint64_t index) {
    return kst_mix64(seed ^ kst_mix64(index));
}
static inline double kst_random01(uint64_t seed, uint64_t index) {
    return (double)(kst_random(seed, index) >> 11) * 0x1p-53;
}
