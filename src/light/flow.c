// SPDX-License-Identifier: MIT
// Flow: how many samples drain through each sample of a height grid.
//
// The grid is flooded from its rim in order of height, so that every basin spills at its lowest pass (priority
// flood: R. Barnes, C. Lehman, D. Mulla, "Priority-flood: an optimal depression-filling and watershed-labeling
// algorithm", 2014). Heights are cut into 65,536 steps, which makes the queue an array of lists and the whole linear.
// Then water runs back along the order of flooding, to all lower neighbours by slope^1.5 (multiple flow
// direction), or from the floor of a basin to the neighbour that flooded it.
//
// The arrays have a frame of one sample that counts as flooded and as higher than all, so no step asks for the rim.
#include "light/flow.h"

#include <math.h>

enum { KEYS = 65536, RIM = 8, DRY = 255, ASK_EVERY = 1 << 15 };

typedef struct flood {
    int width, height;  // frame included
    size_t samples;
    int32_t step[8];  // to the neighbours: four along the axes, then four diagonal; d and its opposite differ by 2
    uint16_t *key;    // height, raised to the pass that a basin spills over
    uint8_t *parent;  // direction of the neighbour that flooded it, RIM, or DRY: not reached yet
    int32_t *order;   // samples in the order they were flooded
    int32_t *next;    // of the lists
    float *flow;
    int32_t *first, *last;  // KEYS each
    kst_flow_ask *ask;
    void *context;
} flood;

static bool goes_on(const flood *f, int32_t count) {
    return count % ASK_EVERY || !f->ask || f->ask(f->context);
}

static void push(flood *f, int32_t at, int key, int parent) {
    f->parent[at] = (uint8_t)parent;
    f->key[at] = (uint16_t)key;
    f->next[at] = -1;
    if (f->first[key] < 0)
        f->first[key] = at;
    else
        f->next[f->last[key]] = at;
    f->last[key] = at;
}

static karst_status run_flood(flood *f) {
    int w = f->width, h = f->height;
    int32_t count = 0;
    for (int k = 0; k < KEYS; ++k) f->first[k] = -1;
    for (int j = 1; j < h - 1; ++j)
        for (int i = 1; i < w - 1; ++i)
            if (i == 1 || j == 1 || i == w - 2 || j == h - 2) push(f, j * w + i, f->key[j * w + i], RIM);
    for (int key = 0; key < KEYS; ++key)
        while (f->first[key] >= 0) {
            int32_t at = f->first[key];
            f->first[key] = f->next[at];
            f->order[count++] = at;
            if (!goes_on(f, count)) return KARST_ERROR_CANCELLED;
            for (int d = 0; d < 8; ++d) {
                int32_t there = at + f->step[d];
                if (f->parent[there] != DRY) continue;
                push(f, there, f->key[there] > key ? f->key[there] : key, d ^ 2);
            }
        }
    return KARST_OK;
}

static karst_status run_water(flood *f) {
    float *flow = f->flow;
    int32_t count = (f->width - 2) * (f->height - 2);
    for (size_t k = 0; k < f->samples; ++k) flow[k] = 1;
    for (int32_t n = count - 1; n >= 0; --n) {
        if (!goes_on(f, n)) return KARST_ERROR_CANCELLED;
        int32_t at = f->order[n];
        float share[8], total = 0;
        for (int d = 0; d < 8; ++d) {
            int drop = f->key[at] - f->key[at + f->step[d]];
            float fall = drop > 0 ? (float)drop : 0;
            if (d >= 4) fall *= 0.70710678f;
            total += share[d] = fall * sqrtf(fall);
        }
        if (total > 0) {
            for (int d = 0; d < 8; ++d)
                if (share[d] > 0) flow[at + f->step[d]] += flow[at] * share[d] / total;
        } else if (f->parent[at] != RIM) {
            flow[at + f->step[f->parent[at]]] += flow[at];
        }
    }
    return KARST_OK;
}

static void set_keys(flood *f, const float *level) {
    int w = f->width - 2, h = f->height - 2;
    size_t inside = (size_t)w * (size_t)h;
    float low = level[0], high = level[0];
    for (size_t k = 1; k < inside; ++k) {
        low = level[k] < low ? level[k] : low;
        high = level[k] > high ? level[k] : high;
    }
    float scale = high > low ? (KEYS - 1) / (high - low) : 0;
    memset(f->key, 255, f->samples * sizeof *f->key);
    memset(f->parent, RIM, f->samples);
    for (int j = 0; j < h; ++j, level += w) {
        size_t row = (size_t)(j + 1) * (size_t)f->width + 1;
        for (int i = 0; i < w; ++i) f->key[row + (size_t)i] = (uint16_t)((level[i] - low) * scale);
        memset(f->parent + row, DRY, (size_t)w);
    }
}

karst_status kst_flow_build(const float *level, int width, int height, float *flow, kst_flow_ask *ask, void *context) {
    int32_t w = width + 2;
    flood f = {.width = w,
               .height = height + 2,
               .samples = (size_t)w * (size_t)(height + 2),
               .ask = ask,
               .context = context,
               .step = {1, w, -1, -w, 1 + w, w - 1, -1 - w, 1 - w}};
    f.key = kst_alloc_array(NULL, f.samples, sizeof *f.key);
    f.parent = kst_alloc(NULL, f.samples);
    f.order = kst_alloc_array(NULL, f.samples, sizeof *f.order);
    f.next = kst_alloc_array(NULL, f.samples, sizeof *f.next);
    f.flow = kst_alloc_array(NULL, f.samples, sizeof *f.flow);
    f.first = kst_alloc_array(NULL, KEYS, sizeof *f.first);
    f.last = kst_alloc_array(NULL, KEYS, sizeof *f.last);
    bool there = f.key && f.parent && f.order && f.next && f.flow && f.first && f.last;
    karst_status status = there ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        set_keys(&f, level);
        status = run_flood(&f);
    }
    if (!status) status = run_water(&f);
    for (int j = 0; j < height && !status; ++j)
        memcpy(flow + (size_t)j * (size_t)width, f.flow + (size_t)(j + 1) * (size_t)w + 1,
               (size_t)width * sizeof *flow);
    kst_free(NULL, f.key, f.samples * sizeof *f.key);
    kst_free(NULL, f.parent, f.samples);
    kst_free(NULL, f.order, f.samples * sizeof *f.order);
    kst_free(NULL, f.next, f.samples * sizeof *f.next);
    kst_free(NULL, f.flow, f.samples * sizeof *f.flow);
    kst_free(NULL, f.first, KEYS * sizeof *f.first);
    kst_free(NULL, f.last, KEYS * sizeof *f.last);
    return status;
}
