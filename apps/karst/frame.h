// SPDX-License-Identifier: MIT
// The command line: what its own files share beside app.h.
#pragma once
#include "app.h"

// Options of every verb.
extern const option common_options[];

// Fill a from the words after the verb; EXIT_DONE or, with one line said, EXIT_USAGE.
int args_parse(args *a, int count, char **words);

// Remove a progress bar from the terminal before anything else is written there.
void bar_clear(void);

void help_program(const verb *const *verbs);
void help_verb(const verb *v);

// The word of the list that was probably meant, or NULL.
typedef struct nearest {
    const char *word;
    int distance;
} nearest;
void nearest_try(nearest *best, const char *typed, const char *word);
