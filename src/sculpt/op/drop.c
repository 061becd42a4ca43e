// SPDX-License-Identifier: MIT
// Drops that run over a block of ground.
//
// After: H. T. Beyer, "Implementation of a method for hydraulic erosion", 2015; and C. McAnlis's talk on the terrain of
// Halo Wars (GDC 2009), where drops limited to a mask leave a map of what they wore.
// We differ: slopes are heights over cells, so no unit enters; ground is taken round the drop's true place; every
// change is weighed by the mask, and what is refused stays in the load; a drop raises no ground above where it came
// from; what it holds at its end settles level, as in a puddle; rounding is booked too.
#include "op/drop.h"

#include <math.h>

#include "op/lanes.h"

// Above this a drop is fast enough; it keeps a cliff from making a drill of it.
static const float speed_max = 8;
// The brush is (1 - r / reach)^2, of this reach [cells]. Its transform is nowhere negative (R. Askey, "Radial
// characteristic functions", 1973). That of a plain cone is, at about three cells: then each drop digs the hollows of
// such waves deeper instead of filling them, and slopes grow ripples.
static const double brush_reach = 3.6;
// Its weight in the middle: 6 / (pi reach^2).
static const float peak = 0.1474f;
// Slopes whose square is less than this are level: they point nowhere.
static const float level_slope2 = 1e-14f;

void kst_drop_brush_make(kst_drop_brush *brush) {
    for (int k = 0; k < KST_DROP_PLACES * KST_DROP_PLACES; ++k) {
        double u = (k % KST_DROP_PLACES + 0.5) / KST_DROP_PLACES, v = (k / KST_DROP_PLACES + 0.5) / KST_DROP_PLACES;
        double w[KST_DROP_ROWS][KST_DROP_BOX], sum = 0;
        for (int j = 0; j < KST_DROP_ROWS; ++j)
            for (int i = 0; i < KST_DROP_BOX; ++i) {
                double x = i - KST_DROP_BEFORE - u, y = j - KST_DROP_BEFORE + (v > 0.5) - v,
                       d = 1 - sqrt(x * x + y * y) / brush_reach;
                w[j][i] = d > 0 ? d * d : 0;
                sum += w[j][i];
            }
        for (int j = 0; j < KST_DROP_ROWS; ++j)
            for (int i = 0; i < KST_DROP_BOX; ++i) {
                brush->weight[k][j][i] = (float)(w[j][i] / sum);
                brush->foot[k][j][i] = w[j][i] > 0;
            }
    }
}

static inline int place_of(float u, float v) {
    return (int)(v * KST_DROP_PLACES) * KST_DROP_PLACES + (int)(u * KST_DROP_PLACES);
}
// From a drop's cell back to the first of its box, whose rows begin one later in the lower half of the cell.
static inline size_t box_before(const kst_drop_block *b, int place) {
    size_t rows = place < KST_DROP_PLACES * KST_DROP_PLACES / 2 ? KST_DROP_BEFORE : KST_DROP_BEFORE - 1;
    return rows * (size_t)b->stride + KST_DROP_BEFORE;
}

// Add `amount` round the drop, or take it where it is less than nothing; at is the upper left cell of its box, shares
// what the ground takes, or gives. Returns what was added.
KST_LANES_FN float move(const kst_drop_block *b, const float *shares, size_t at, float amount,
                        const float (*weights)[KST_DROP_BOX], const bool metric) {
    kst_lanes s = {0};
#pragma GCC unroll 8
    for (int j = 0; j < KST_DROP_ROWS; ++j, at += (size_t)b->stride) {
        kst_lanes *h = (kst_lanes *)(b->height_m + at), before = *h;
        kst_lanes after = before + *(const kst_lanes *)weights[j] * *(const kst_lanes *)(shares + at) * amount;
        *h = after;
        kst_lanes moved = after - before;  // what the rounded heights really did
        *(kst_lanes *)(b->laid_m + at) += kst_lanes_where(moved > 0, moved);
        if (metric) moved *= *(const kst_lanes *)(b->area + at);
        s += moved;
    }
    return kst_lanes_sum(s);
}

// Lay the load down as it settles in still water: the lowest ground under the foot first, all to one level. A cell
// whose mask lets half through rises half of the way. Returns what was laid down.
KST_LANES_FN float settle(const kst_drop_block *b, size_t at, float load, const float (*foot)[KST_DROP_BOX],
                          float zero_m, const bool metric) {
    kst_lanes low[KST_DROP_ROWS], open[KST_DROP_ROWS], wide[KST_DROP_ROWS], wides = {0}, lows = {0};
    kst_lanes top = kst_lanes_all(-INFINITY), feet = {0};
    for (int j = 0; j < KST_DROP_ROWS; ++j) {
        size_t row = at + (size_t)j * (size_t)b->stride;
        low[j] = *(const kst_lanes *)(b->height_m + row) - zero_m;  // small numbers: sums stay exact enough
        open[j] = *(const kst_lanes *)(b->takes + row) * *(const kst_lanes *)foot[j];
        wide[j] = metric ? *(const kst_lanes *)(b->area + row) : kst_lanes_all(1);
        if (metric) open[j] *= wide[j];  // takes are over the area
        kst_lanes volume = open[j] * wide[j];
        wides += volume;
        lows += volume * low[j];
        top = kst_lanes_pick((open[j] > 0) & (low[j] > top), low[j], top);
        feet += *(const kst_lanes *)foot[j] * wide[j];
    }
    float all = kst_lanes_sum(wides);
    if (!(all > 0)) return 0;
    // The level is where the sum of what lies below it is the load: from above, by Newton's method, which gets there in
    // a few steps since the sum is convex.
    float level = (load + kst_lanes_sum(lows)) / all;
    for (int k = 0; k < 8; ++k) {
        kst_lanes below = {0}, belows = {0};
        for (int j = 0; j < KST_DROP_ROWS; ++j) {
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
    for (int i = 0; i < KST_LANES; ++i) highest = top[i] > highest ? top[i] : highest;
    float most = highest + load / kst_lanes_sum(feet);
    if (level > most) level = most;
    kst_lanes s = {0};
    for (int j = 0; j < KST_DROP_ROWS; ++j) {
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

// What may be laid down round a place at z so that it rises by half of what the drop fell to it at most: then what lies
// upstream stays upstream.
KST_LANES_FN kst_lanes room_under(kst_lanes above, kst_lanes z, kst_lanes area) {
    return kst_lanes_where(above > z, (above - z) * area * (0.5f / peak));
}

// A share over one cell, for a way of s <= 1 cells: what is left falls as 1 / (1 + s / length).
static inline float share_over(float share, float s) {
    return s * share / (1 - share + s * share);
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

// Eight drops that take their steps together, one a lane: first all look where they go, then each in turn moves ground.
typedef struct flock {
    kst_lanes x, y, u, v;       // [cells], and within the cell
    kst_lanes dx, dy;           // direction
    kst_lanes speed, water;     // 1 at first
    kst_lanes load;             // [m on one cell]
    kst_lanes z, above;         // height here, and where it came from
    kst_lanes a, b, c, d;       // heights of the cell's corners: (0, 0), (1, 0), (0, 1), (1, 1)
    int at[KST_LANES];          // first corner in the block
    int steps_left[KST_LANES];  // 0: there is no drop
} flock;

KST_LANES_FN void look(const kst_drop_block *b, const int at[KST_LANES], kst_lanes *p, kst_lanes *q, kst_lanes *r,
                       kst_lanes *s) {
    for (int k = 0; k < KST_LANES; ++k) {
        const float *h = b->height_m + at[k];
        (*p)[k] = h[0];
        (*q)[k] = h[1];
        (*r)[k] = h[b->stride];
        (*s)[k] = h[b->stride + 1];
    }
}
KST_LANES_FN kst_lanes between(kst_lanes a, kst_lanes b, kst_lanes c, kst_lanes d, kst_lanes u, kst_lanes v) {
    return a + u * (b - a) + v * (c - a) + u * v * ((a - b) + (d - c));
}

// What does not change from step to step.
typedef struct rates {
    float per_cell, step, per_way, erode, deposit, turn, dries, capacity, least_slope, gravity;
    int steps;
    bool closed;
} rates;

static rates rates_of(const kst_drop_rain *rain) {
    const karst_droplets_def *def = rain->def;
    rates r = {
        .per_cell = 1 / rain->cell_m, .closed = def->closed, .least_slope = def->least_slope, .gravity = def->gravity};
    float step = def->step_m > 0 ? def->step_m * r.per_cell : 1;
    float reach = def->reach_m > 0 ? def->reach_m * r.per_cell : 30;
    r.step = step < 1 ? step : 1;
    r.steps = reach / r.step > 1 ? (int)(reach / r.step + 0.5f) : 1;
    r.per_way = r.per_cell / r.step;
    // The same way in smaller steps does the same.
    r.erode = share_over(def->erode, r.step);
    r.deposit = share_over(def->deposit, r.step);
    r.turn = share_over(1 - def->inertia, r.step);
    r.dries = 1 / (float)r.steps;
    r.capacity = def->capacity * rain->cell_m;
    return r;
}

// How fast the ground steepens where the drops are, and how long a cell is there.
KST_LANES_FN void slopes(const kst_drop_block *b, const flock *f, const rates *r, kst_lanes slope[2], kst_lanes run[2],
                         const bool metric) {
    slope[0] = ((f->b - f->a) * (1 - f->v) + (f->d - f->c) * f->v) * r->per_cell;
    slope[1] = ((f->c - f->a) * (1 - f->u) + (f->d - f->b) * f->u) * r->per_cell;
    kst_lanes over = kst_lanes_all(1), down = over;
    for (int k = 0; metric && k < KST_LANES; ++k) {
        const float *i = b->run_i + f->at[k], *j = b->run_j + f->at[k];
        over[k] = i[0] + f->v[k] * (i[b->stride] - i[0]);
        down[k] = j[0] + f->u[k] * (j[1] - j[0]);
    }
    run[0] = over;
    run[1] = down;
    if (metric) {
        slope[0] /= run[0];
        slope[1] /= run[1];
    }
}

// All take a step; ends receives which do not: they end where they are.
KST_LANES_FN void step(const kst_drop_block *b, const kst_drop_rain *rain, const rates *r, flock *f,
                       bool ends[KST_LANES], const bool metric) {
    // Where to.
    kst_lanes slope[2], run[2], way = kst_lanes_all(r->step);
    slopes(b, f, r, slope, run, metric);
    kst_lanes dx = f->dx * (1 - r->turn) - slope[0] * r->turn, dy = f->dy * (1 - r->turn) - slope[1] * r->turn;
    kst_lanes length = dx * dx + dy * dy;
    kst_lane_bits goes = length > level_slope2;
    length = kst_lanes_pick(goes, length, kst_lanes_all(1));
    for (int k = 0; k < KST_LANES; ++k) length[k] = sqrtf(length[k]);
    dx /= length;
    dy /= length;
    kst_lanes mx = dx * way, my = dy * way;
    if (metric) {  // at most one cell either way, so that nothing is leapt over
        mx /= run[0];
        my /= run[1];
        kst_lanes ax = kst_lanes_pick(mx < 0, -mx, mx), ay = kst_lanes_pick(my < 0, -my, my);
        kst_lanes most = kst_lanes_pick(ax > ay, ax, ay);
        most = kst_lanes_pick(most > 1, most, kst_lanes_all(1));
        mx /= most;
        my /= most;
        way /= most;
    }
    kst_lanes x = f->x + mx, y = f->y + my;
    kst_lane_bits i = __builtin_convertvector(x, kst_lane_bits), j = __builtin_convertvector(y, kst_lane_bits);
    goes &= (i >= rain->first[0]) & (j >= rain->first[1]) & (i <= rain->last[0]) & (j <= rain->last[1]);
    kst_lanes u = x - __builtin_convertvector(i, kst_lanes), v = y - __builtin_convertvector(j, kst_lanes);
    kst_lane_bits cell = j * b->stride + i;
    int at[KST_LANES];
    for (int k = 0; k < KST_LANES; ++k) {
        ends[k] = !goes[k] || !f->steps_left[k] || (r->closed && !is_open(b, (size_t)cell[k]));
        at[k] = ends[k] ? f->at[k] : cell[k];
    }
    // What that does to the ground.
    kst_lanes a, c, d, e;
    look(b, at, &a, &c, &d, &e);
    kst_lanes z = between(a, c, d, e, u, v), fall = f->z - z, area = kst_lanes_all(1);
    for (int k = 0; metric && k < KST_LANES; ++k) area[k] = b->area[f->at[k]];
    kst_lanes down_slope = metric ? fall * r->per_cell / way : fall * r->per_way;
    kst_lanes holds = kst_lanes_pick(down_slope > r->least_slope, down_slope, kst_lanes_all(r->least_slope));
    holds *= f->speed * f->water * r->capacity;
    // Uphill a drop fills the hollow behind it; else it lays down what is too much, or takes up what it still can.
    kst_lane_bits climbs = fall < 0, lays = climbs | (f->load > holds);
    kst_lanes room = room_under(kst_lanes_pick(climbs & (z < f->above), z, f->above), f->z, area);
    kst_lanes down = kst_lanes_pick(climbs, -fall, (f->load - holds) * r->deposit);
    down = kst_lanes_pick(climbs & (f->load < down), f->load, down);
    down = kst_lanes_pick(down < room, down, room);
    down = kst_lanes_where(down > 0, down);  // a load may be less than nothing by its rounding
    kst_lanes up = (holds - f->load) * r->erode;
    up = kst_lanes_pick(up < fall, up, fall);
    kst_lanes amount = kst_lanes_pick(lays, down, -up);
    kst_lanes places = f->v * KST_DROP_PLACES, columns = f->u * KST_DROP_PLACES;
    kst_lane_bits place = __builtin_convertvector(places, kst_lane_bits) * KST_DROP_PLACES +
                          __builtin_convertvector(columns, kst_lane_bits);
    for (int k = 0; k < KST_LANES; ++k) {
        if (ends[k]) continue;
        const float *shares = lays[k] ? b->takes : b->gives;
        size_t box = (size_t)f->at[k] - box_before(b, place[k]);
        f->load[k] -= move(b, shares, box, amount[k], rain->brush->weight[place[k]], metric);
    }
    // And there they are.
    kst_lanes speed = f->speed * f->speed + fall * (r->per_cell * r->gravity);
    speed = kst_lanes_where(speed > 0, speed);
    for (int k = 0; k < KST_LANES; ++k) speed[k] = sqrtf(speed[k]);
    f->speed = kst_lanes_pick(speed < speed_max, speed, kst_lanes_all(speed_max));
    f->water -= r->dries;
    kst_lane_bits stays;
    for (int k = 0; k < KST_LANES; ++k) stays[k] = -(int)ends[k];
    f->above = kst_lanes_pick(stays, f->above, f->z);
    f->x = kst_lanes_pick(stays, f->x, x);
    f->y = kst_lanes_pick(stays, f->y, y);
    f->u = kst_lanes_pick(stays, f->u, u);
    f->v = kst_lanes_pick(stays, f->v, v);
    f->dx = dx;
    f->dy = dy;
    memcpy(f->at, at, sizeof at);
    look(b, at, &f->a, &f->b, &f->c, &f->d);  // again: the ground has moved
    f->z = between(f->a, f->b, f->c, f->d, f->u, f->v);
}

// Lay down what drop k holds at its end. @return what is left
KST_LANES_FN float end(const kst_drop_block *b, kst_drop_rain *rain, const flock *f, int k, const bool metric) {
    float load = f->load[k];
    if (!(load > 0)) return load;
    int place = place_of(f->u[k], f->v[k]);
    size_t at = (size_t)f->at[k] - box_before(b, place);
    kst_lanes area = kst_lanes_all(metric ? b->area[f->at[k]] : 1);
    float room = room_under(f->above, f->z, area)[k], amount = load < room ? load : room;
    float came = move(b, b->takes, at, amount, rain->brush->weight[place], metric);
    if (came < 0.999f * load) came += settle(b, at, load - came, rain->brush->foot[place], f->z[k], metric);
    if (came > 0) return load - came;
    rain->unplaced_m += (double)load;  // masked ground: it is gone
    return 0;
}

KST_LANES_FN void begin(const kst_drop_block *b, const rates *r, flock *f, int k, float x, float y, float load) {
    const float *h = b->height_m + (size_t)(int)y * (size_t)b->stride + (size_t)(int)x;
    f->at[k] = (int)(h - b->height_m);
    f->x[k] = x;
    f->y[k] = y;
    f->u[k] = x - (float)(int)x;
    f->v[k] = y - (float)(int)y;
    f->dx[k] = f->dy[k] = 0;
    f->speed[k] = f->water[k] = 1;
    f->load[k] = load;
    f->a[k] = h[0];
    f->b[k] = h[1];
    f->c[k] = h[b->stride];
    f->d[k] = h[b->stride + 1];
    f->z[k] = f->above[k] = between(f->a, f->b, f->c, f->d, f->u, f->v)[k];
    f->steps_left[k] = r->steps;
}

KST_LANES_FN void run_drops(const kst_drop_block *b, kst_drop_rain *rain, const bool metric) {
    const rates r = rates_of(rain);
    flock f;
    memset(&f, 0, sizeof f);
    float rest = 0, x = 0, y = 0;  // rest: what the last drop could not place; the next one has it
    bool ends[KST_LANES] = {true, true, true, true, true, true, true, true};
    for (int next = 0;;) {
        bool running = false;
        for (int k = 0; k < KST_LANES; ++k) {
            if (!ends[k]) {
                ++rain->steps;
                --f.steps_left[k];
            }
            if (!ends[k] && f.steps_left[k]) {
                running = true;
                continue;
            }
            if (f.load[k] != 0) rest += end(b, rain, &f, k, metric);  // and the next one falls
            f.load[k] = 0;
            f.steps_left[k] = 0;
            while (next < rain->count && !fall_at(b, rain, (uint64_t)next, &x, &y)) ++next;
            if (next == rain->count) continue;
            ++next;
            begin(b, &r, &f, k, x, y, rest);
            rest = 0;
            running = true;
        }
        if (!running) break;
        step(b, rain, &r, &f, ends, metric);
    }
    // A soft mask may have refused a little of the last ones: it settles where the next ones would fall.
    for (int k = 0; r.closed && rest > 1e-6f * rain->cell_m && k < 4096; ++k) {
        if (!fall_at(b, rain, (uint64_t)rain->count + (uint64_t)k, &x, &y)) continue;
        size_t at = (size_t)(int)y * (size_t)b->stride + (size_t)(int)x;
        int place = place_of(x - (float)(int)x, y - (float)(int)y);
        rest -= settle(b, at - box_before(b, place), rest, rain->brush->foot[place], b->height_m[at], metric);
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
