// SPDX-License-Identifier: MIT
// Seeded property tests: for (prop p = prop_begin("name", 2000); prop_next(&p);) { ... prop_check(&p, ...); }
// A failure prints the case to replay: KARST_PROP_CASE=N runs that case alone; KARST_PROP_FROM=N counts from case N, so
// that a long run can be shared out.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

typedef struct prop {
    const char *name;
    uint64_t seed, draw;
    int at, count;
} prop;

// Sanitizers are slow: with KARST_TEST_QUICK=N an Nth of count, at least 1; else count.
int test_count(int count);
prop prop_begin(const char *name, int count);  // test_count(count) cases
bool prop_next(prop *p);
uint64_t prop_u64(prop *p);                // any
int prop_int(prop *p, int low, int high);  // closed range
double prop_real(prop *p, double low, double high);
bool prop_chance(prop *p, double share);
void prop_fail(prop *p, const char *file, int line, const char *text);

#define prop_check(p, condition)                                          \
    do {                                                                  \
        if (!(condition)) prop_fail((p), __FILE__, __LINE__, #condition); \
    } while (0)
#define prop_near(p, a, b, tolerance) prop_check(p, fabs((double)(a) - (double)(b)) <= (double)(tolerance))

// Keep the folders of this program in memory where the system has a place for that: hundreds of worlds, each
// synced to disk, would take minutes. Call first in main.
void temp_in_memory(void);
// A fresh folder for one test, removed by temp_remove; static storage.
const char *temp_folder(void);
const char *temp_path(const char *name);  // inside it; static storage of eight turns
void temp_remove(void);
int temp_teardown(void **state);  // temp_remove as a group's teardown
// KARST_TEST_DATA/name, or NULL when the variable or the file is missing (the test then calls skip()).
const char *data_path(const char *name);

// Whether two files hold the same bytes.
bool same_bytes(const char *a, const char *b);
// The bytes of a file, yours to free().
uint8_t *read_bytes(const char *path, size_t *size);
// Put bytes [from, to) where they belong in a file, made when there is none; the rest of it stays.
void write_part(const char *path, const uint8_t *bytes, size_t from, size_t to);
