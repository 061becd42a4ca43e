// SPDX-License-Identifier: MIT
// Options: one table, from which words are read and the help is printed.
#include "options.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "scenes/made.h"

typedef enum kind { FLAG, REAL, DEGREES, WHOLE, PAIR, TRIPLE, TEXT, ARMY, METHOD, ZONE_METHOD, GROUND } kind;

typedef struct option {
    const char *name, *value, *text;
    kind kind;
    size_t place;        // of the value in struct options
    double least, most;  // of each number
    size_t given;        // of a bool that tells it was there; 0: none
} option;

// `pack` is the first member, so that place 0 is never an option's.
static const option table[] = {
    {"--size", "WxH", "size of the window's inside [pixels] (1280x720)", PAIR, offsetof(options, width), 64, 16384, 0},
    {"--lod-error", "PX", "largest error of the ground's shape [pixels] (1); with a budget the least (0.25)", REAL,
     offsetof(options, error_px), 0.05, 100, offsetof(options, error_told)},
    {"--triangles", "N",
     "budget of ground and army together: the largest error is as small as it allows; of a mesh: the level to begin "
     "with",
     WHOLE, offsetof(options, triangles), 1, BUDGET_TRIANGLES_MAX, 0},
    {"--ms", "MS", "budget of time: so long a frame may take [ms]", REAL, offsetof(options, target_ms), 0.5, 1000, 0},
    {"--method", "NAME", "how detail is chosen, one of: " KARST_METHOD_NAMES " (grid)", METHOD,
     offsetof(options, method), 0, 0, 0},
    {"--zone-method", "NAME", "how detail of patches is chosen, one of: " KARST_ZONE_METHOD_NAMES " (corner)",
     ZONE_METHOD, offsetof(options, zone_method), 0, 0, 0},
    {"--ground", "NAME", "of a pack with both, one of: " PATCHES_GROUND_NAMES " (both)", GROUND,
     offsetof(options, shown), 0, 0, 0},
    {"--edge", "PX", "longest edge of a triangle of patches [pixels] (12)", REAL, offsetof(options, edge_px), 0.5, 1000,
     0},
    {"--zone-reach", "M", "zones of patches are there within this distance [m] (2000)", REAL,
     offsetof(options, zone_reach_m), 1, 1e6, 0},
    {"--skirt", "M", "how far the ground goes on beyond its border, mirrored [m] (0)", REAL, offsetof(options, skirt_m),
     0, 1e7, 0},
    {"--hour", "H", "hour of the day, 0..24, at 45 degrees north in April (9)", REAL, offsetof(options, hour), 0, 24,
     0},
    {"--water", "M", "level of water [world m] (none)", REAL, offsetof(options, water_m), -1e7, 1e7, 0},
    {"--eye", "X,Y,Z", "where to begin [m] (a good place)", TRIPLE, offsetof(options, eye), -1e9, 1e9,
     offsetof(options, has_eye)},
    {"--look", "X,Y,Z", "a point to look at [m]", TRIPLE, offsetof(options, look), -1e9, 1e9,
     offsetof(options, has_look)},
    {"--fov-deg", "F", "vertical field of view [degrees] (60)", DEGREES, offsetof(options, fov_rad), 5, 150, 0},
    {"--walk", NULL, "begin on foot", FLAG, offsetof(options, walk), 0, 0, 0},
    {"--seconds", "S", "close after this long [s] (stays)", REAL, offsetof(options, seconds), 0.001, 1e6, 0},
    {"--screenshot", "FILE", "write the last frame; without --seconds that is the first complete one", TEXT,
     offsetof(options, screenshot), 0, 0, 0},
    {"--bare", NULL, "begin without text on the picture", FLAG, offsetof(options, bare), 0, 0, 0},
    {"--partial", NULL, "the pack is still being downloaded: show what is there, and more as it comes", FLAG,
     offsetof(options, partial), 0, 0, 0},
    {"--army", "FILE",
     "units on the ground, may be given again: a .kmrm or model file, made:all, or made: one of " SCENE_MADE_UNITS,
     ARMY, offsetof(options, army), 0, 0, 0},
    {"--count", "N", "how many of them (200)", WHOLE, offsetof(options, army_count), 1, ARMY_COUNT_MAX,
     offsetof(options, count_told)},
    {"--army-triangles", "N", "that all units together may have (60000)", WHOLE, offsetof(options, army_triangles), 1,
     ARMY_TRIANGLES_MAX, offsetof(options, army_triangles_told)},
    {"--json", NULL, "print the last figures as one JSON object on standard output", FLAG, offsetof(options, json), 0,
     0, 0},
    {"--threads", "N", "threads that work, 1..256 (one a processor)", WHOLE, offsetof(options, threads), 1, 256, 0},
    {"--help", NULL, "print this and stop", FLAG, offsetof(options, help), 0, 0, 0},
    {"--version", NULL, "print the version and stop", FLAG, offsetof(options, version), 0, 0, 0},
};
enum { OPTION_COUNT = sizeof table / sizeof *table };

static int __attribute__((format(printf, 2, 3))) wrong(karst_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->message, sizeof report->message, format, arguments);
    va_end(arguments);
    report->status = KARST_ERROR_ARGUMENT;
    return VIEW_USAGE;
}

// `count` numbers with `between` between them, all of the text.
static bool numbers(const char *text, int count, char between, bool whole, double *out) {
    for (int k = 0; k < count; ++k) {
        if (isspace((unsigned char)*text)) return false;
        char *end;
        out[k] = whole ? (double)strtoll(text, &end, 10) : strtod(text, &end);
        if (end == text || !isfinite(out[k]) || *end != (k + 1 < count ? between : 0)) return false;
        text = end + 1;
    }
    return true;
}

static int read_value(const option *o, const char *value, options *out, karst_report *report) {
    static const char *const wants[] = {[REAL] = "a number",
                                        [DEGREES] = "a number",
                                        [WHOLE] = "a whole number",
                                        [PAIR] = "two whole numbers AxB",
                                        [TRIPLE] = "three numbers X,Y,Z"};
    char *place = (char *)out + o->place;
    if (o->given) *(bool *)((char *)out + o->given) = true;
    if (o->kind == FLAG) *(bool *)place = true;
    if (o->kind == TEXT) *(const char **)place = value;
    if (o->kind == ARMY) {
        if (out->army_whats == ARMY_KINDS_MAX) return wrong(report, "%s: %d times at most", o->name, ARMY_KINDS_MAX);
        out->army[out->army_whats++] = value;
    }
    if (o->kind == FLAG || o->kind == TEXT || o->kind == ARMY) return VIEW_DONE;
    if (o->kind == METHOD) {
        if (karst_method_find(value, (karst_method *)(void *)place)) return VIEW_DONE;
        return wrong(report, "%s %s: give one of: %s", o->name, value, KARST_METHOD_NAMES);
    }
    if (o->kind == ZONE_METHOD) {
        if (karst_zone_method_find(value, (karst_zone_method *)(void *)place)) return VIEW_DONE;
        return wrong(report, "%s %s: give one of: %s", o->name, value, KARST_ZONE_METHOD_NAMES);
    }
    if (o->kind == GROUND) {
        if (patches_ground_find(value, (patches_ground *)(void *)place)) return VIEW_DONE;
        return wrong(report, "%s %s: give one of: " PATCHES_GROUND_NAMES, o->name, value);
    }

    int count = o->kind == PAIR ? 2 : o->kind == TRIPLE ? 3 : 1;
    double v[3];
    bool good = numbers(value, count, o->kind == PAIR ? 'x' : ',', o->kind == PAIR || o->kind == WHOLE, v);
    for (int k = 0; k < count && good; ++k) good = v[k] >= o->least && v[k] <= o->most;
    if (!good)
        return wrong(report, "%s %s: not %s in %g..%g: %s %s", o->name, value, wants[o->kind], o->least, o->most,
                     o->name, o->value);
    if (o->kind == TRIPLE) *(karst_pos *)(void *)place = (karst_pos){v[0], v[1], v[2]};
    if (o->kind == PAIR || o->kind == WHOLE)
        for (int k = 0; k < count; ++k) ((int *)(void *)place)[k] = (int)v[k];
    if (o->kind == DEGREES) *(float *)(void *)place = (float)(v[0] * (3.14159265358979323846 / 180));
    if (o->kind == REAL && o->place == offsetof(options, seconds))
        *(double *)(void *)place = v[0];
    else if (o->kind == REAL)
        *(float *)(void *)place = (float)v[0];
    return VIEW_DONE;
}

int options_parse(int count, char **words, options *out, karst_report *report) {
    *out = (options){.width = 1280,
                     .height = 720,
                     .error_px = 1,
                     .edge_px = PATCHES_EDGE_PX,
                     .zone_reach_m = 2000,
                     .fov_rad = 1.0471976f,
                     .hour = 9,
                     .water_m = NAN,
                     .army_count = ARMY_COUNT,
                     .army_triangles = ARMY_TRIANGLES};
    for (int i = 0; i < count; ++i) {
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) out->help = true;
        if (!strcmp(words[i], "--version")) out->version = true;
    }
    if (out->help || out->version) return VIEW_DONE;
    bool only_words = false;
    for (int i = 0; i < count; ++i) {
        const char *word = words[i];
        if (only_words || word[0] != '-' || !word[1]) {
            if (out->pack) return wrong(report, "one word too many: %s; see karst-view --help", word);
            out->pack = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            only_words = true;
            continue;
        }
        size_t length = strcspn(word, "=");
        const option *o = NULL;
        for (int k = 0; k < OPTION_COUNT && !o; ++k)
            if (strlen(table[k].name) == length && !memcmp(table[k].name, word, length)) o = &table[k];
        if (!o) return wrong(report, "unknown option %.*s; see karst-view --help", (int)length, word);
        const char *value = word[length] ? word + length + 1 : NULL;
        if (!o->value && value) return wrong(report, "%s takes no value", o->name);
        if (o->value && !value && i + 1 < count && strncmp(words[i + 1], "--", 2)) value = words[++i];
        if (o->value && (!value || !*value))
            return wrong(report, "%s needs a value: %s %s", o->name, o->name, o->value);
        int result = read_value(o, value, out, report);
        if (result) return result;
    }
    if (!out->pack) return wrong(report, "which pack or mesh? karst-view PACK [options]; see karst-view --help");
    if ((out->count_told || out->army_triangles_told) && !out->army_whats)
        return wrong(report, "of what army? --army made:all, --army made:tank, or a .kmrm file");
    if (out->army_triangles_told && (out->triangles || out->target_ms > 0))
        return wrong(report, "--army-triangles: the army is in the budget of --triangles and --ms; leave it out");
    if (out->target_ms > 0 && out->screenshot && !(out->seconds > 0))
        return wrong(report, "--ms: one picture has no frame time; give --seconds too, or --triangles");
    return VIEW_DONE;
}

void options_help(void) {
    printf(
        "Usage: karst-view PACK [options]\n"
        "       karst-view MESH [options]\n\n"
        "Fly and walk over a baked ground, field or patches; or see one mesh at any level of detail: a .kmrm file, a "
        "model file (glb, "
        "obj,\n"
        "ply, fbx, ...), or made: one of " SCENE_MADE_NAMES ".\n\nOptions, [unit] and (default):\n");
    for (int k = 0; k < OPTION_COUNT; ++k) {
        const option *o = &table[k];
        char left[32];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("  %-18s  %s\n", left, o->text);
    }
    printf(
        "\nKeys: H shows them all. Mouse: hold a button and move to look, the wheel changes the speed.\n"
        "\nExample:\n  karst-view island.kpack --hour 18.5 --walk\n"
        "  karst-view island.kpack --screenshot first.png   (needs no display)\n"
        "  karst-view tank.kmrm --triangles 300\n"
        "\nExit: 0 done, 1 could not, 2 wrong usage.\n");
}
