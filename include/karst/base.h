// SPDX-License-Identifier: MIT
// Base: status, report, allocator, vectors, boxes. Everything else includes this. See docs/core.md.
//
// Units are metres, seconds, radians. Axes are right-handed with Y up; columns of a grid grow along +X,
// rows along +Z. World positions are double at every public boundary.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define KARST_API
#else
#define KARST_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define KARST_VERSION_MAJOR 0
#define KARST_VERSION_MINOR 1
#define KARST_VERSION_PATCH 0

/// What a call that may fail returns. Outputs are untouched unless it is KARST_OK.
typedef enum karst_status {
    KARST_OK = 0,
    KARST_ERROR_MEMORY,       ///< the allocator said no
    KARST_ERROR_FILE,         ///< a file could not be opened, read, written or renamed
    KARST_ERROR_FORMAT,       ///< the bytes are not what they claim to be
    KARST_ERROR_VERSION,      ///< made by a newer Karst
    KARST_ERROR_LIMIT,        ///< larger than a stated limit
    KARST_ERROR_BUSY,         ///< another process holds the lock
    KARST_ERROR_CANCELLED,    ///< the progress callback asked to stop
    KARST_ERROR_UNSUPPORTED,  ///< well formed, but not something Karst can use
    KARST_ERROR_ARGUMENT,     ///< a value from outside (command line, file) is out of range
    KARST_ERROR_PENDING,      ///< not there yet: the file is still growing; ask again later
    KARST_STATUS_COUNT
} karst_status;

/// Short lower-case name of a status ("out of memory"), static storage, never NULL. Threads: any.
KARST_API const char *karst_status_text(karst_status status);

/// Version of the library in use, "major.minor.patch", static storage. Threads: any.
KARST_API const char *karst_version_text(void);

enum { KARST_REPORT_BYTES = 512 };

/// One line for people: which file, which place in it, what is wrong, how to mend it. The caller owns
/// it and passes it to calls that may fail; it is written only on failure and always terminated.
typedef struct karst_report {
    karst_status status;
    char message[KARST_REPORT_BYTES];
} karst_report;

/// Where memory comes from. A NULL allocator means malloc and free. Both functions may be called from
/// any thread at once. `free` gets back the size that was asked for.
typedef struct karst_allocator {
    void *(*alloc)(size_t bytes, void *context);  ///< 64-byte aligned or NULL
    void (*free)(void *memory, size_t bytes, void *context);
    void *context;
} karst_allocator;

/// A world position or direction [m].
typedef struct karst_pos {
    double x, y, z;
} karst_pos;

/// A direction, normal or position relative to something near [m].
typedef struct karst_vec3 {
    float x, y, z;
} karst_vec3;

/// Axis-aligned box [m]. Empty when min > max on any axis.
typedef struct karst_box {
    karst_pos min, max;
} karst_box;

/// Half-open rectangle of columns [x0, x1) and rows [z0, z1).
typedef struct karst_rect {
    int32_t x0, z0, x1, z1;
} karst_rect;

#ifdef __cplusplus
}
#endif
