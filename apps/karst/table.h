// SPDX-License-Identifier: MIT
// Numbers in and out: lines of a file, digits for people.
#pragma once
#include "app.h"
#include "karst/surface.h"

enum { QUERY_NUMBERS_MAX = 6 };

// Rows of `width` numbers, one a line.
typedef struct table {
    double *number;
    size_t rows, width;
} table;

// Read a file ("-": standard input) of lines with `width` numbers between commas; lines that begin with # are left out.
// Says what is wrong as FILE:LINE.
bool table_read(args *a, const char *path, size_t width, table *out);

// Words that may end a line: numbered from 0.
typedef struct table_words {
    const char *what;  // a word of what
    const char *(*name)(int k);
    int count;
} table_words;
// Lines of `width` numbers, after which a word may follow: rows have one number more, the word's or -1.
bool table_read_words(args *a, const char *path, size_t width, const table_words *words, table *out);
void table_free(table *t);

enum { NUMBER_BYTES = 32 };

// Digits that give the number back.
const char *number_text(double v, char out[NUMBER_BYTES]);
// The double of fewest digits that rounds to this float: 0.01f is 0.01, not 0.00999999977648258.
double float_number(float v);
