// SPDX-License-Identifier: MIT
// The command line: help, made from the verbs' own tables.
#include "frame.h"

enum { HELP_COLUMNS = 96 };

// Text from column `indent` on, broken at spaces and line ends.
static void print_wrapped(const char *text, int indent) {
    int column = indent;
    for (bool first = true; *text; first = false) {
        int length = (int)strcspn(text, " \n");
        bool fits = column + 1 + length <= HELP_COLUMNS;
        if (!first && fits) putchar(' '), ++column;
        if (!first && !fits) printf("\n%*s", indent, ""), column = indent;
        printf("%.*s", length, text);
        column += length;
        text += length;
        if (*text == '\n') column = HELP_COLUMNS;
        if (*text) ++text;
    }
    putchar('\n');
}

static int option_width(const option *o) {
    return (int)strlen(o->name) + (o->value ? 1 + (int)strlen(o->value) : 0);
}

static int widest(const option *o, int width) {
    for (; o && o->name; ++o)
        if (option_width(o) > width) width = option_width(o);
    return width;
}

static void print_options(const option *o, int width) {
    for (; o && o->name; ++o) {
        printf("  %s%s%s%*s", o->name, o->value ? " " : "", o->value ? o->value : "", width - option_width(o) + 2, "");
        print_wrapped(o->text, width + 4);
    }
}

void help_verb(const verb *v) {
    printf("Usage: karst %s %s\n\n", v->name, v->usage);
    print_wrapped(v->summary, 0);
    printf("\nOptions, [unit] and (default):\n");
    int width = widest(common_options, widest(v->options, 0));
    print_options(v->options, width);
    print_options(common_options, width);
    printf("\nExample:\n  ");
    for (const char *c = v->example; *c; ++c) {
        putchar(*c);
        if (*c == '\n') printf("  ");
    }
    printf("\n\nExit: 0 done, 1 could not, 2 wrong usage.\n");
}

void help_program(const verb *const *verbs) {
    printf(
        "Usage: karst VERB WORLD|PACK|FILE [options]\n\n"
        "Terrain: elevation data becomes a world, a world becomes a pack, a pack becomes pictures and answers.\n\n"
        "Verbs:\n");
    int width = 0;
    for (int i = 0; verbs[i]; ++i)
        if ((int)strlen(verbs[i]->name) > width) width = (int)strlen(verbs[i]->name);
    for (int i = 0; verbs[i]; ++i) {
        printf("  %-*s  ", width, verbs[i]->name);
        print_wrapped(verbs[i]->summary, width + 4);
    }
    printf("\nkarst VERB --help says all about a verb; karst --version prints the version.\n");
}
