// SPDX-License-Identifier: MIT
// The canvas: bits that did not change stay, in the ground that is shown and in the sheet that is edited.
#include "karst/canvas.h"

#include <math.h>

#include "core/core.h"

karst_status karst_canvas_read_mask(const karst_canvas *canvas, karst_rect rect, float *mask, int stride) {
    int width = rect.x1 - rect.x0, height = rect.z1 - rect.z0;
    karst_status status = KARST_OK;
    if (canvas->mask) status = karst_field_read(canvas->mask, rect, mask, NULL, NULL, stride);
    if (status) return status;
    for (int j = 0; j < height; ++j) {
        float *row = mask + (size_t)j * (size_t)stride;
        for (int i = 0; i < width; ++i) row[i] = canvas->mask ? fminf(fmaxf(row[i], 0), 1) : 1;
    }
    return KARST_OK;
}

// One component of a target that is a layer: what it holds, plus the difference between wanted and shown where there
// is one. Without a wanted value nothing changes.
static float follow(float held, float shown, float wanted) {
    return memcmp(&shown, &wanted, sizeof shown) ? held + (wanted - shown) : held;
}

// The same three arrays of a rect: y, x, z, each width * height.
typedef struct planes {
    float *y, *x, *z;
} planes;

static planes planes_at(float *memory, size_t count) {
    return (planes){memory, memory + count, memory + 2 * count};
}

static karst_status write_layer(const karst_canvas *c, karst_rect rect, const float *y, const float *x, const float *z,
                                int stride) {
    int width = rect.x1 - rect.x0, height = rect.z1 - rect.z0;
    size_t count = (size_t)width * (size_t)height;
    float *memory = kst_alloc_array(NULL, count, 6 * sizeof *memory);
    if (!memory) return KARST_ERROR_MEMORY;
    planes shown = planes_at(memory, count), held = planes_at(memory + 3 * count, count);
    karst_status status = karst_field_read(c->shown, rect, shown.y, shown.x, shown.z, width);
    if (!status) status = karst_field_read(c->target, rect, held.y, held.x, held.z, width);
    for (int j = 0; j < height && !status; ++j)
        for (int i = 0; i < width; ++i) {
            size_t k = (size_t)j * (size_t)width + (size_t)i, from = (size_t)j * (size_t)stride + (size_t)i;
            held.y[k] = follow(held.y[k], shown.y[k], y[from]);
            if (!x) continue;
            held.x[k] = follow(held.x[k], shown.x[k], x[from]);
            held.z[k] = follow(held.z[k], shown.z[k], z[from]);
        }
    if (!status) status = karst_field_write(c->target, rect, held.y, x ? held.x : NULL, x ? held.z : NULL, width);
    if (!status && c->changed) status = c->changed(c->context, rect);
    kst_free(NULL, memory, count * 6 * sizeof *memory);
    return status;
}

karst_status karst_canvas_write(const karst_canvas *canvas, karst_rect rect, const float *y, const float *x,
                                const float *z, int stride) {
    KARST_ASSERT(!x == !z);
    if (canvas->target == canvas->shown) return karst_field_write(canvas->target, rect, y, x, z, stride);
    return write_layer(canvas, rect, y, x, z, stride);
}
