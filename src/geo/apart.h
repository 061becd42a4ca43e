// SPDX-License-Identifier: MIT
// Work on hostile bytes in a process of its own: a crash, a loop or a flood of memory there ends that process alone.
#pragma once
#include "core/core.h"

typedef struct kst_apart_limits {
    uint64_t memory_bytes;  // beyond what the caller has mapped already
    double seconds;
} kst_apart_limits;

// Runs fn(context, file) in a copy of this process, silent and without the caller's other threads. fn writes its answer
// into the file; *answer is that file, mapped, to end with kst_apart_free(). What it holds was written by a process
// that hostile bytes may have taken over: check it like a file.
// KARST_ERROR_FORMAT with a line when the process crashed, KARST_ERROR_LIMIT when it took too long,
// KARST_ERROR_CANCELLED when progress said stop; `name` begins the line.
typedef void kst_apart_fn(void *context, int file);
karst_status kst_apart_run(kst_apart_fn *fn, void *context, const kst_apart_limits *limits, const char *name,
                           const karst_progress *progress, karst_report *report, kst_map *answer);
void kst_apart_free(kst_map *answer);

// Write all of it; false when the file cannot take it.
bool kst_apart_write(int file, const void *bytes, size_t size);
