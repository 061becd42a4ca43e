// SPDX-License-Identifier: MIT
// Flow: how many samples drain through each sample of a height grid.
//
// The grid is flooded from its rim in order of height, so that every basin spills at its lowest pass (priority
// flood: R. Barnes, C. Lehman, D. Mulla, "Priority-flood: an optimal depression-filling and watershed-labeling
// algorithm", 2014). Heights are cut into 65,536 steps, which makes the queue an array of lists and the whole linear.
// Then water runs back along the order of flooding, to all lower neighbours by slope^1.5 (multiple flow
// direction), or from the floor of a basin to the neighbour that flooded it.
#include "light/flow.h"

#include <math.h>
#include <stdlib.h>

enum { KEYS = 65536, NONE = 8 };

static const int8_t step_x[8] = {1, 0, -1, 0, 1, -1, -1, 1}, step_z[8] = {0, 1, 0, -1, 1, 1, -1, -1};

typedef struct flood {
    int width, height;
    uint16_t *key;    // height, raised to the pass that a basin spills over
    uint8_t *parent;  // direction of the neighbour that flooded it, NONE on the rim; 255: not reached yet
    int32_t *order;   // samples in the order they were flooded
    int32_t *next;    // of the lists
    int32_t first[KEYS], last[KEYS];
} flood;

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

static void run_flood(flood *f) {
    int w = f->width, h = f->height, count = 0;
    for (int k = 0; k < KEYS; ++k) f->first[k] = -1;
    for (int j = 0; j < h; ++j)
        for (int i = 0; i < w; ++i)
            if (i == 0 || j == 0 || i == w - 1 || j == h - 1) push(f, j * w + i, f->key[j * w + i], NONE);
    for (int key = 0; key < KEYS; ++key)
        while (f->first[key] >= 0) {
            int32_t at = f->first[key];
            f->first[key] = f->next[at];
            f->order[count++] = at;
            int i = at % w, j = at / w;
            for (int d = 0; d < 8; ++d) {
                int x = i + step_x[d], z = j + step_z[d];
                if (x < 0 || z < 0 || x >= w || z >= h) continue;
                int32_t there = z * w + x;
                if (f->parent[there] != 255) continue;
                push(f, there, f->key[there] > key ? f->key[there] : key, d < 4 ? (d + 2) % 4 : 4 + (d - 2) % 4);
            }
        }
}

static void run_water(const flood *f, float *flow) {
    int w = f->width, h = f->height;
    int32_t count = w * h;
    for (int32_t k = 0; k < count; ++k) flow[k] = 1;
    for (int32_t n = count - 1; n >= 0; --n) {
        int32_t at = f->order[n];
        int i = at % w, j = at / w;
        float share[8], total = 0;
        for (int d = 0; d < 8; ++d) {
            int x = i + step_x[d], z = j + step_z[d];
            share[d] = 0;
            if (x < 0 || z < 0 || x >= w || z >= h) continue;
            float fall = (float)(f->key[at] - f->key[z * w + x]);
            if (fall <= 0) continue;
            if (d >= 4) fall *= 0.70710678f;
            total += share[d] = fall * sqrtf(fall);
        }
        if (total > 0) {
            for (int d = 0; d < 8; ++d)
                if (share[d] > 0) flow[at + step_z[d] * w + step_x[d]] += flow[at] * share[d] / total;
        } else if (f->parent[at] != NONE) {
            flow[at + step_z[f->parent[at]] * w + step_x[f->parent[at]]] += flow[at];
        }
    }
}

karst_status kst_flow_build(const float *level, int width, int height, float *flow) {
    size_t samples = (size_t)width * (size_t)height;
    flood *f = malloc(sizeof *f);
    if (!f) return KARST_ERROR_MEMORY;
    f->width = width;
    f->height = height;
    f->key = malloc(samples * sizeof *f->key);
    f->parent = malloc(samples);
    f->order = malloc(samples * sizeof *f->order);
    f->next = malloc(samples * sizeof *f->next);
    bool ok = f->key && f->parent && f->order && f->next;
    if (ok) {
        float low = level[0], high = level[0];
        for (size_t k = 1; k < samples; ++k) {
            low = level[k] < low ? level[k] : low;
            high = level[k] > high ? level[k] : high;
        }
        float scale = high > low ? (KEYS - 1) / (high - low) : 0;
        for (size_t k = 0; k < samples; ++k) f->key[k] = (uint16_t)((level[k] - low) * scale);
        memset(f->parent, 255, samples);
        run_flood(f);
        run_water(f, flow);
    }
    free(f->key);
    free(f->parent);
    free(f->order);
    free(f->next);
    free(f);
    return ok ? KARST_OK : KARST_ERROR_MEMORY;
}
