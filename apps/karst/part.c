// SPDX-License-Identifier: MIT
// The command line: parts of a ground and ranges of numbers.
#include "part.h"

#include <math.h>
#include <stdlib.h>

// Vertices first..last of a line of count, 1 step apart from 0 on, that lie in low..high.
static void vertices_within(double low, double high, int32_t count, int32_t *begin, int32_t *end) {
    double first = ceil(fmax(low, 0)), last = floor(fmin(high, count - 1));
    *begin = first <= last ? (int32_t)first : 0;
    *end = first <= last ? (int32_t)last + 1 : 0;
}

bool arg_area(args *a, const karst_field_shape *shape, int least, karst_rect *out) {
    *out = (karst_rect){0, 0, shape->columns, shape->rows};
    const char *text = arg_text(a, "--area", NULL);
    if (!text) return true;
    double n[4];
    if (!parse_numbers(text, 4, n)) {
        say_usage(a, "%s: --area %s: not four numbers X0,Z0,X1,Z1", a->verb->name, text);
        return false;
    }
    const karst_pos *o = &shape->origin;
    double step = shape->spacing_m;
    vertices_within((fmin(n[0], n[2]) - o->x) / step, (fmax(n[0], n[2]) - o->x) / step, shape->columns, &out->x0,
                    &out->x1);
    vertices_within((fmin(n[1], n[3]) - o->z) / step, (fmax(n[1], n[3]) - o->z) / step, shape->rows, &out->z0,
                    &out->z1);
    if (out->x1 - out->x0 >= least && out->z1 - out->z0 >= least) return true;
    say_usage(a, "%s: --area %s: holds no %d x %d vertices of the ground, which lies in %g,%g,%g,%g", a->verb->name,
              text, least, least, o->x, o->z, o->x + (shape->columns - 1) * step, o->z + (shape->rows - 1) * step);
    return false;
}

// The number that fills begin..end; `otherwise` where that is empty.
static bool read_end(const char *begin, const char *end, double otherwise, double *out) {
    char number[64];
    size_t length = (size_t)(end - begin);
    *out = otherwise;
    if (!length) return true;
    if (length >= sizeof number) return false;
    memcpy(number, begin, length);
    number[length] = 0;
    return parse_real(number, out);
}

static bool read_range(const char *text, double *low, double *high, double *soft) {
    const char *dots = strstr(text, ".."), *tilde = strchr(text, '~'), *end = tilde ? tilde : strchr(text, 0);
    if (!dots || dots > end || (tilde && !soft)) return false;
    if (!read_end(text, dots, -INFINITY, low) || !read_end(dots + 2, end, INFINITY, high) || *low > *high) return false;
    return !tilde || (parse_real(tilde + 1, soft) && *soft >= 0);
}

bool arg_range(args *a, const char *name, double *low, double *high, double *soft, bool *bad) {
    const char *text = arg_text(a, name, NULL);
    double begin, end, edge = soft ? *soft : 0;
    if (!text) return false;
    if (!read_range(text, &begin, &end, soft ? &edge : NULL)) {
        *bad = true;
        say_usage(a, "%s: %s %s: not a range A..B%s with A up to B", a->verb->name, name, text,
                  soft ? " or A..B~SOFT" : "");
        return false;
    }
    *low = begin;
    *high = end;
    if (soft) *soft = edge;
    return true;
}
