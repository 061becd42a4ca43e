// SPDX-License-Identifier: MIT
// A canvas of a base and a layer, shown as their sum.
#pragma once
#include "karst/canvas.h"
#include "support/prop.h"

typedef struct stack {
    karst_field *base, *layer, *shown;
} stack;

static inline karst_status add_up(void *context, karst_rect rect) {
    stack *s = context;
    int width = rect.x1 - rect.x0, count = width * (rect.z1 - rect.z0);
    float *a = malloc(sizeof *a * (size_t)count), *b = malloc(sizeof *b * (size_t)count);
    karst_status status = karst_field_read(s->base, rect, a, NULL, NULL, width);
    if (!status) status = karst_field_read(s->layer, rect, b, NULL, NULL, width);
    for (int k = 0; k < count; ++k) a[k] += b[k];
    if (!status) status = karst_field_write(s->shown, rect, a, NULL, NULL, width);
    free(a);
    free(b);
    return status;
}
