// SPDX-License-Identifier: MIT
// The command line: words into options and numbers, and the one line that says why not.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "frame.h"

const option common_options[] = {
    {"--json", NULL, "print one JSON object on standard output and nothing else there"},
    {"--quiet", NULL, "print no text for people, and no progress"},
    {"--threads", "N", "threads that work, 1..256 (one a processor)"},
    {"--help", NULL, "print this and stop"},
    {0},
};

// ---- saying why not --------------------------------------------------------------------------------

static void __attribute__((format(printf, 2, 0)))
print_line(char line[KARST_REPORT_BYTES], const char *format, va_list arguments) {
    vsnprintf(line, KARST_REPORT_BYTES, format, arguments);
    for (char *c = line; *c; ++c)  // one line, whatever a file name holds
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    bar_clear();
    fprintf(stderr, "karst: %s\n", line);
}

static void __attribute__((format(printf, 3, 0)))
say_line(args *a, const char *kind, const char *format, va_list arguments) {
    char line[KARST_REPORT_BYTES];
    print_line(line, format, arguments);
    if (a->error_kind) return;
    snprintf(a->error, sizeof a->error, "%s", line);
    a->error_kind = kind;
}

static void __attribute__((format(printf, 3, 4))) say_as(args *a, const char *kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_line(a, kind, format, arguments);
    va_end(arguments);
}

int could_not(args *a, karst_status status) {
    bool told = a->report.message[0] && status != KARST_ERROR_CANCELLED;
    say_as(a, karst_status_text(status), "%s", told ? a->report.message : karst_status_text(status));
    return EXIT_COULD_NOT;
}

int say_error(args *a, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_line(a, "could not", format, arguments);
    va_end(arguments);
    return EXIT_COULD_NOT;
}

int say_usage(args *a, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_line(a, "wrong usage", format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

void say_note(args *a, const char *format, ...) {
    if (a->quiet) return;
    char line[KARST_REPORT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    print_line(line, format, arguments);
    va_end(arguments);
}

void say(const args *a, const char *format, ...) {
    if (a->json || a->quiet) return;
    bar_clear();
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

// ---- words -----------------------------------------------------------------------------------------

// Edits between two short words (Levenshtein), so that a slip of the finger gets a useful answer.
static int edit_distance(const char *a, const char *b) {
    int row[32];
    int columns = (int)strlen(b);
    if (strlen(a) > 31 || columns > 31) return 32;
    for (int j = 0; j <= columns; ++j) row[j] = j;
    for (int i = 1; a[i - 1]; ++i) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= columns; ++j) {
            int change = corner + (a[i - 1] != b[j - 1]);
            int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = change < step ? change : step;
        }
    }
    return row[columns];
}

void nearest_try(nearest *best, const char *typed, const char *word) {
    int distance = edit_distance(typed, word);
    if (distance > 2 || 2 * distance > (int)strlen(word) + 1) return;
    if (!best->word || distance < best->distance) *best = (nearest){word, distance};
}

static bool is_number(const char *word) {
    return word[0] == '-' && (isdigit((unsigned char)word[1]) || word[1] == '.');
}
static bool is_option(const char *word) {
    return word[0] == '-' && word[1] && !is_number(word);
}

// Length of the name in "--name=value" or "--name".
static size_t name_length(const char *word) {
    return strcspn(word, "=");
}

static const option *find_in(const option *table, const char *word) {
    size_t length = name_length(word);
    for (; table && table->name; ++table)
        if (strlen(table->name) == length && !memcmp(table->name, word, length)) return table;
    return NULL;
}

static int unknown(args *a, const char *word) {
    nearest best = {0};
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)name_length(word), word);
    for (const option *o = a->verb->options; o && o->name; ++o) nearest_try(&best, name, o->name);
    for (const option *o = common_options; o->name; ++o) nearest_try(&best, name, o->name);
    return say_usage(a, "%s: unknown option %s%s%s; see karst %s --help", a->verb->name, name,
                     best.word ? ", did you mean " : "", best.word ? best.word : "", a->verb->name);
}

static int add_option(args *a, const char *name, const char *value) {
    if (a->given_count == ARGS_MAX) return say_usage(a, "%s: more than %d options", a->verb->name, ARGS_MAX);
    a->given[a->given_count].name = name;
    a->given[a->given_count++].value = value;
    return EXIT_DONE;
}

static int add_positional(args *a, const char *word) {
    if (a->positional_count == a->verb->most || a->positional_count == ARGS_MAX)
        return say_usage(a, "%s: one word too many: %s; see karst %s --help", a->verb->name, word, a->verb->name);
    a->positional[a->positional_count++] = word;
    return EXIT_DONE;
}

int args_parse(args *a, int count, char **words) {
    for (int i = 0; i < count && strcmp(words[i], "--"); ++i)  // known before anything can go wrong
        if (!strcmp(words[i], "--json")) a->json = true;
    bool only_words = false;
    for (int i = 0; i < count; ++i) {
        const char *word = words[i];
        int wrong = EXIT_DONE;
        if (only_words || !is_option(word)) {
            wrong = add_positional(a, word);
        } else if (!strcmp(word, "--")) {
            only_words = true;
        } else {
            const option *o = find_in(a->verb->options, word);
            if (!o) o = find_in(common_options, word);
            if (!o) return unknown(a, word);
            const char *value = word[name_length(word)] ? word + name_length(word) + 1 : NULL;
            if (!o->value && value) return say_usage(a, "%s: %s takes no value", a->verb->name, o->name);
            if (o->value && !value && i + 1 < count && !is_option(words[i + 1])) value = words[++i];
            if (o->value && !value)
                return say_usage(a, "%s: %s needs a value: %s %s", a->verb->name, o->name, o->name, o->value);
            wrong = add_option(a, o->name, value);
        }
        if (wrong) return wrong;
    }
    a->quiet = arg_flag(a, "--quiet");
    bool bad = false;
    a->threads = (int)arg_int(a, "--threads", 0, 1, 256, &bad);
    if (bad) return EXIT_USAGE;
    if (a->positional_count < a->verb->least)
        return say_usage(a, "too few words: karst %s %s; see karst %s --help", a->verb->name, a->verb->usage,
                         a->verb->name);
    return EXIT_DONE;
}

// ---- values ----------------------------------------------------------------------------------------

static int find_given(const args *a, const char *name) {
    for (int i = a->given_count; i-- > 0;)
        if (!strcmp(a->given[i].name, name)) return i;
    return -1;
}

bool arg_flag(const args *a, const char *name) {
    return find_given(a, name) >= 0;
}

const char *arg_text(const args *a, const char *name, const char *otherwise) {
    int i = find_given(a, name);
    return i < 0 ? otherwise : a->given[i].value;
}

int arg_texts(const args *a, const char *name, const char **out, int most) {
    int count = 0;
    for (int i = 0; i < a->given_count; ++i) {
        if (strcmp(a->given[i].name, name)) continue;
        if (count < most) out[count] = a->given[i].value;
        ++count;
    }
    return count;
}

// A finite number at the front of text; *end is left behind it.
static bool scan_real(const char *text, const char **end, double *out) {
    if (isspace((unsigned char)*text)) return false;
    char *stop;
    *out = strtod(text, &stop);
    *end = stop;
    return stop != text && isfinite(*out);
}

static bool scan_int(const char *text, const char **end, int64_t *out) {
    if (isspace((unsigned char)*text)) return false;
    char *stop;
    long long value = strtoll(text, &stop, 10);  // saturates, and no range reaches that far
    *out = value;
    *end = stop;
    return stop != text;
}

bool parse_real(const char *text, double *out) {
    double value;
    const char *end;
    if (!scan_real(text, &end, &value) || *end) return false;
    *out = value;
    return true;
}

bool parse_numbers(const char *text, int count, double *out) {
    double value[8];
    KARST_ASSERT(count <= 8);
    for (int i = 0; i < count; ++i) {
        const char *end;
        if (!scan_real(text, &end, &value[i]) || *end != (i + 1 < count ? ',' : 0)) return false;
        text = end + 1;
    }
    memcpy(out, value, (size_t)count * sizeof *value);
    return true;
}

bool parse_triple(const char *text, double out[3]) {
    return parse_numbers(text, 3, out);
}

double arg_real(args *a, const char *name, double otherwise, double least, double most, bool *bad) {
    const char *text = arg_text(a, name, NULL);
    if (!text) return otherwise;
    double value;
    if (parse_real(text, &value) && value >= least && value <= most) return value;
    *bad = true;
    say_usage(a, "%s: %s %s: not a number in %g..%g", a->verb->name, name, text, least, most);
    return otherwise;
}

int64_t arg_int(args *a, const char *name, int64_t otherwise, int64_t least, int64_t most, bool *bad) {
    const char *text = arg_text(a, name, NULL), *end;
    if (!text) return otherwise;
    int64_t value;
    if (scan_int(text, &end, &value) && !*end && value >= least && value <= most) return value;
    *bad = true;
    say_usage(a, "%s: %s %s: not a whole number in %lld..%lld", a->verb->name, name, text, (long long)least,
              (long long)most);
    return otherwise;
}

bool arg_pair(args *a, const char *name, int least, int most, int *first, int *second, bool *bad) {
    const char *text = arg_text(a, name, NULL), *end;
    if (!text) return false;
    int64_t one, two;
    if (scan_int(text, &end, &one) && *end == 'x' && scan_int(end + 1, &end, &two) && !*end && one >= least &&
        one <= most && two >= least && two <= most) {
        *first = (int)one;
        *second = (int)two;
        return true;
    }
    *bad = true;
    say_usage(a, "%s: %s %s: not two whole numbers AxB, each in %d..%d", a->verb->name, name, text, least, most);
    return false;
}

bool arg_triple(args *a, const char *name, double out[3], bool *bad) {
    const char *text = arg_text(a, name, NULL);
    if (!text) return false;
    if (parse_triple(text, out)) return true;
    *bad = true;
    say_usage(a, "%s: %s %s: not three numbers X,Y,Z", a->verb->name, name, text);
    return false;
}
