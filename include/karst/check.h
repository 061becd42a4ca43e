// SPDX-License-Identifier: MIT
// Check: what proving a file tells, property by property. See docs/pack.md and docs/project.md.
#pragma once
#include "karst/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One property that a check tries.
typedef struct karst_check {
    const char *name;  ///< static, e.g. "borders"
    uint64_t tried, failed;
    char first[160];  ///< what failed first, empty if nothing
} karst_check;

enum { KARST_CHECK_MAX = 16 };

#ifdef __cplusplus
}
#endif
