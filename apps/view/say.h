// SPDX-License-Identifier: MIT
// Say: numbers as words, items of a line, help, and fields of JSON; for both of the viewer's pages.
#pragma once
#include <stdio.h>

#include "page.h"
#include "slider.h"

enum { ITEMS_MAX = 32 };

// Start from zeros; list is for page_items().
typedef struct items {
    char text[ITEMS_MAX][128];
    const char *list[ITEMS_MAX];
    int count;
} items;

// One more item; when there is no room, none.
void __attribute__((format(printf, 2, 3))) say(items *s, const char *format, ...);

// 1234567 as 1 234 567.
const char *grouped(int64_t n, char out[32]);
// A length with the digits that matter.
const char *metres(double m, char out[32]);

typedef struct help_line {
    const char *keys, *text;
} help_line;

// In the middle of the page, so many letters wide; texts begin behind key_columns letters.
void help_place(page *p, const help_line *lines, int count, int key_columns, int columns);

// A field of a JSON object and the comma after it; what is not finite is null.
void put_number(FILE *out, const char *name, double value);
void put_bool(FILE *out, const char *name, bool value);
// Where the mouse finds a slider's track: x of its ends, y of its middle [pixels]; null when it is not there.
void put_slider(FILE *out, const slider *s);
