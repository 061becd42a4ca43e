// SPDX-License-Identifier: MIT
// Drops that run over a block of ground.
//
// After: H. T. Beyer, "Implementation of a method for hydraulic erosion", 2015; and C. Foster's talk on the terrain of
// Halo Wars (GDC 2009), where drops limited to a mask leave a map of what they wore.
// We differ: slopes are heights over cells, so no unit enters; ground is taken round the drop's true place; every
// change is weighed by the mask, and what is refused stays in the load; a drop raises no ground above where it came
// from; what it holds at its end settles level, as in a puddle; rounding is booked too.
#include "op/drop.h"

#include <math.h>

#include "op/lanes.h"

// Above this a drop is fast enough; it keeps a cliff from making a drill of it.
static const float speed_max = 8;
// Slopes whose square is less than this are level: they point nowhere.
static const float level_slope2 = 1e-14f;

void kst_drop_brush_make(kst_drop_brush *brush) {
    for (int k = 0; k < KST_DROP_PLACES * KST_DROP_PLACES; ++k) {
        double u = (k % KST_DROP_PLACES + 0.5) / KST_DROP_PLACES, v = (k / KST_DROP_PLACES + 0.5) / KST_DROP_PLACES;
        double weight[KST_DROP_BOX][KST_DROP_BOX], sum = 0;
        for (int j = 0; j < KST_DROP_BOX; ++j)
            for (int i = 0; i < KST_DROP_BOX; ++i) {
                double x = i - KST_DROP_BEFORE - u, y = j - KST_DROP_BEFORE - v, d = 3.2 - sqrt(x * x + y * y);
                weight[j][i] = d > 0 ? d : 0;
                sum += weight[j][i];
            }
        for (int j = 0; j < KST_DROP_BOX; ++j)
            for (int i = 0; i < KST_DROP_BOX; ++i) {
                brush->cone[k][j][i] = (float)(weight[j][i] / sum);
                brush->foot[k][j][i] = weight[j][i] > 0;
            }
    }
}

static inline int place_of(float u, float v) {
    return (int)(v * KST_DROP_PLACES) * KST_DROP_PLACES + (int)(u * KST_DROP_PLACES);
}

// Take `amount` round the drop; at is the upper left cell of its box. Returns what the ground gave.
static inline __attribute__((always_inline)) float take(const kst_drop_block *b, size_t at, float amount,
                                                        const float (*cone)[KST_DROP_BOX], const bool metric) {
    kst_lanes s = {0};
    for (int j = 0; j < KST_DROP_BOX; ++j, at += (size_t)b->stride) {
        kst_lanes *h = (kst_lanes *)(b->height_m + at), before = *h;
        kst_lanes after = before - *(const kst_lanes *)cone[j] * *(const kst_lanes *)(b->gives + at) * amount;
        *h = after;
        kst_lanes moved = before - after;  // what the rounded heights really gave
        if (metric) moved *= *(const kst_lanes *)(b->area + at);
        s += moved;
    }
    return kst_lanes_sum(s);
}

// Lay the load down as it settles in still water: the lowest ground under the foot first, all to one level. A cell
// whose mask lets half through rises half of the way. Returns what was laid down.
static inline __attribute__((always_inline)) float settle(const kst_drop_block *b, size_t at, float load,
                                                          const float (*foot)[KST_DROP_BOX], float zero_m,
                                                          const bool metric) {
    kst_lanes low[KST_DROP_BOX], open[KST_DROP_BOX], wide[KST_DROP_BOX], opens = {0}, wides = {0}, lows = {0};
    kst_lanes top = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY},
              feet = {0};
    for (int j = 0; j < KST_DROP_BOX; ++j) {
        size_t row = at + (size_t)j * (size_t)b->stride;
        low[j] = *(const kst_lanes *)(b->height_m + row) - zero_m;  // small numbers: sums stay exact enough
        open[j] = *(const kst_lanes *)(b->takes + row) * *(const kst_lanes *)foot[j];
        wide[j] = metric ? *(const kst_lanes *)(b->area + row) : (kst_lanes){1, 1, 1, 1, 1, 1, 1, 1};
        if (metric) open[j] *= wide[j];  // takes are over the area
        kst_lanes volume = open[j] * wide[j];
        opens += open[j];
        wides += volume;
        lows += volume * low[j];
        kst_lane_bits is = open[j] > 0;
        kst_lane_bits higher = is & (low[j] > top);
        top = (kst_lanes)(((kst_lane_bits)low[j] & higher) | ((kst_lane_bits)top & ~higher));
        feet += *(const kst_lanes *)foot[j] * wide[j];
    }
    float all = kst_lanes_sum(wides);
    if (!(all > 0)) return 0;
    // The level is where the sum of what lies below it is the load: from above, by Newton's method, which gets there in
    // a few steps since the sum is convex.
    float level = (load + kst_lanes_sum(lows)) / all;
    for (int k = 0; k < 8; ++k) {
        kst_lanes below = {0}, belows = {0};
        for (int j = 0; j < KST_DROP_BOX; ++j) {
            kst_lanes volume = kst_lanes_where(low[j] < level, open[j] * wide[j]);
            below += volume;
            belows += volume * low[j];
        }
        float some = kst_lanes_sum(below), next = some > 0 ? (load + kst_lanes_sum(belows)) / some : level;
        if (!(next < level)) break;
        level = next;
    }
    // Where the mask lets little through, little comes down: no pillar where everything round it is masked.
    float highest = -INFINITY;
    for (int i = 0; i < 8; ++i) highest = top[i] > highest ? top[i] : highest;
    float most = highest + load / kst_lanes_sum(feet);
    if (level > most) level = most;
    kst_lanes s = {0};
    for (int j = 0; j < KST_DROP_BOX; ++j) {
        size_t row = at + (size_t)j * (size_t)b->stride;
        kst_lanes *h = (kst_lanes *)(b->height_m + row), before = *h;
        kst_lanes after = before + kst_lanes_where(low[j] < level, (level - low[j]) * open[j]);
        kst_lanes moved = after - before;
        *h = after;
        *(kst_lanes *)(b->laid_m + row) += moved;
        if (metric) moved *= wide[j];
        s += moved;
    }
    return kst_lanes_sum(s);
}

// Raise one corner by its share of amount, not above `most`. Returns what came down, over the area.
static inline __attribute__((always_inline)) float raise(const kst_drop_block *b, size_t at, float amount, float most,
                                                         const bool metric) {
    float before = b->height_m[at], after = before + amount * b->takes[at];
    after = after < most ? after : most;
    after = after > before ? after : before;
    float moved = after - before;
    b->height_m[at] = after;
    b->laid_m[at] += moved;
    return metric ? moved * b->area[at] : moved;
}

// A share over one cell, for a way of s <= 1 cells: what is left falls as 1 / (1 + s / length).
static inline float share_over(float share, float s) {
    return s * share / (1 - share + s * share);
}

// The corners of a drop's cell and its height between them.
typedef struct corners {
    float a, b, c, d;  // (0, 0), (1, 0), (0, 1), (1, 1)
} corners;
static inline corners corners_at(const float *h, size_t at, size_t stride) {
    return (corners){h[at], h[at + 1], h[at + stride], h[at + stride + 1]};
}
static inline float between(corners q, float u, float v) {
    return q.a + u * (q.b - q.a) + v * (q.c - q.a) + u * v * ((q.a - q.b) + (q.d - q.c));
}

// Whether a corner of the cell takes anything.
static inline bool is_open(const kst_drop_block *b, size_t at) {
    const float *a = b->takes + at, *c = a + b->stride;
    return a[0] > 0 || a[1] > 0 || c[0] > 0 || c[1] > 0;
}

// Where drop k falls; false: not onto ground.
static inline bool fall_at(const kst_drop_block *b, const kst_drop_rain *rain, uint64_t k, float *x, float *y) {
    uint64_t random = kst_random(rain->key, k);
    const float scale = rain->side * 0x1p-32f;
    *x = rain->x0 + (float)(uint32_t)(random >> 32) * scale;
    *y = rain->y0 + (float)(uint32_t)random * scale;
    int i = (int)*x, j = (int)*y;
    if (i < rain->first[0] || j < rain->first[1] || i > rain->last[0] || j > rain->last[1]) return false;
    return !rain->def->closed || is_open(b, (size_t)j * (size_t)b->stride + (size_t)i);
}

static inline __attribute__((always_inline)) void run_drops(const kst_drop_block *b, kst_drop_rain *rain,
                                                            const bool metric) {
    const karst_droplets_def def = *rain->def;
    const size_t stride = (size_t)b->stride, box = KST_DROP_BEFORE * (stride + 1);
    const float cell_m = rain->cell_m, per_cell = 1 / cell_m;
    float step = def.step_m > 0 ? def.step_m * per_cell : 1, reach = def.reach_m > 0 ? def.reach_m * per_cell : 30;
    step = step < 1 ? step : 1;
    const int steps_max = (int)(reach / step + 0.5f) > 1 ? (int)(reach / step + 0.5f) : 1;
    // The same way in smaller steps does the same.
    const float erode = share_over(def.erode, step), deposit = share_over(def.deposit, step);
    const float turn = share_over(1 - def.inertia, step), keep = 1 - share_over(def.evaporate, step);
    const float per_way = per_cell / step, capacity = def.capacity * cell_m;
    float rest = 0;  // what the last drop could not place; the next one has it
    for (int k = 0; k < rain->count; ++k) {
        float x, y;
        if (!fall_at(b, rain, (uint64_t)k, &x, &y)) continue;
        size_t at = (size_t)(int)y * stride + (size_t)(int)x;
        float u = x - (float)(int)x, v = y - (float)(int)y, dx = 0, dy = 0, speed = 1, water = 1, load = rest;
        corners q = corners_at(b->height_m, at, stride);
        float z = between(q, u, v), above = z;  // above: where the drop came from
        rest = 0;
        int t = 0;
        for (; t < steps_max; ++t) {
            float gx = ((q.b - q.a) * (1 - v) + (q.d - q.c) * v) * per_cell;
            float gy = ((q.c - q.a) * (1 - u) + (q.d - q.b) * u) * per_cell, run_i = 1, run_j = 1;
            if (metric) {
                run_i = b->run_i[at] + v * (b->run_i[at + stride] - b->run_i[at]);
                run_j = b->run_j[at] + u * (b->run_j[at + 1] - b->run_j[at]);
                gx /= run_i;
                gy /= run_j;
            }
            dx = dx * (1 - turn) - gx * turn;
            dy = dy * (1 - turn) - gy * turn;
            float length2 = dx * dx + dy * dy;
            if (!(length2 > level_slope2)) break;
            float unit = 1 / sqrtf(length2), way = step;
            dx *= unit;
            dy *= unit;
            float mx = dx * step, my = dy * step;
            if (metric) {  // at most one cell either way, so that nothing is leapt over
                mx /= run_i;
                my /= run_j;
                float ax = fabsf(mx), ay = fabsf(my), most = ax > ay ? ax : ay;
                if (most > 1) {
                    mx /= most;
                    my /= most;
                    way /= most;
                }
            }
            float x2 = x + mx, y2 = y + my;
            int i2 = (int)x2, j2 = (int)y2;
            if (x2 < 0 || y2 < 0 || i2 < rain->first[0] || j2 < rain->first[1] || i2 > rain->last[0] ||
                j2 > rain->last[1])
                break;
            size_t at2 = (size_t)j2 * stride + (size_t)i2;
            if (def.closed && !is_open(b, at2)) break;
            float u2 = x2 - (float)i2, v2 = y2 - (float)j2;
            float z2 = between(corners_at(b->height_m, at2, stride), u2, v2), fall = z - z2;
            float slope = fall * (metric ? per_cell / way : per_way),
                  holds = slope > def.least_slope ? slope : def.least_slope;
            holds *= speed * water * capacity;
            if (fall < 0 || load > holds) {
                float amount = fall < 0 ? (load < -fall ? load : -fall) : (load - holds) * deposit;
                float most = fall < 0 && z2 < above ? z2 : above;
                float came = raise(b, at, amount * ((1 - u) * (1 - v)), most, metric);
                came += raise(b, at + 1, amount * (u * (1 - v)), most, metric);
                came += raise(b, at + stride, amount * ((1 - u) * v), most, metric);
                came += raise(b, at + stride + 1, amount * (u * v), most, metric);
                load -= came;
            } else {
                float amount = (holds - load) * erode;
                amount = amount < fall ? amount : fall;
                load += take(b, at - box, amount, rain->brush->cone[place_of(u, v)], metric);
            }
            float speed2 = speed * speed + fall * per_cell * def.gravity;
            speed = speed2 > 0 ? sqrtf(speed2) : 0;
            speed = speed < speed_max ? speed : speed_max;
            water *= keep;
            above = z;
            x = x2, y = y2, u = u2, v = v2, at = at2;
            q = corners_at(b->height_m, at, stride);  // again: the brush may have lowered them
            z = between(q, u, v);
        }
        rain->steps += (uint64_t)t;
        if (load > 0) {
            float came = settle(b, at - box, load, rain->brush->foot[place_of(u, v)], z, metric);
            load -= came;
            if (came == 0) {  // masked ground: it is gone
                rain->unplaced_m += (double)load;
                load = 0;
            }
        }
        rest = load;
    }
    // A soft mask may have refused a little of the last ones: it settles where the next ones would fall.
    for (int k = 0; def.closed && rest > 1e-6f * cell_m && k < 4096; ++k) {
        float x, y;
        if (!fall_at(b, rain, (uint64_t)rain->count + (uint64_t)k, &x, &y)) continue;
        size_t at = (size_t)(int)y * stride + (size_t)(int)x;
        int place = place_of(x - (float)(int)x, y - (float)(int)y);
        rest -= settle(b, at - box, rest, rain->brush->foot[place], b->height_m[at], metric);
    }
    rain->unplaced_m += (double)rest;
}

KST_TWINS static void run_regular(const kst_drop_block *block, kst_drop_rain *rain) {
    run_drops(block, rain, false);
}
KST_TWINS static void run_metric(const kst_drop_block *block, kst_drop_rain *rain) {
    run_drops(block, rain, true);
}

void kst_drop_run(const kst_drop_block *block, kst_drop_rain *rain) {
    if (block->area)
        run_metric(block, rain);
    else
        run_regular(block, rain);
}
