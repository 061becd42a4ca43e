// SPDX-License-Identifier: MIT
// Figures of land: what its slopes face, how rough its rim is, how slope and length go with drained area.
#include "land_stats.h"

#include <math.h>
#include <stdlib.h>

#include "op/route.h"

enum { BINS = 64, FIRST_BIN = 16, STEPS = 8, RIM = 4 };  // a bin is half an octave of area: from 256 cells on

// Least squares: the rise of y over x.
static double fit(const double *x, const double *y, int n, double *r2) {
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (int k = 0; k < n; ++k) mx += x[k] / n, my += y[k] / n;
    for (int k = 0; k < n; ++k) {
        xx += (x[k] - mx) * (x[k] - mx);
        yy += (y[k] - my) * (y[k] - my);
        xy += (x[k] - mx) * (y[k] - my);
    }
    *r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : NAN;
    return xx > 0 ? xy / xx : NAN;
}

// ---- neighbourhoods ----------------------------------------------------------------------------------

static bool is_spike(const float *h, int width, double relief) {
    float low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 9; ++k) {
        float v = h[(k / 3 - 1) * width + k % 3 - 1];
        if (k != 4) low = fminf(low, v), high = fmaxf(high, v);
    }
    double off = *h > high ? (double)*h - (double)high : (double)low - (double)*h;
    return off > 4 * ((double)high - (double)low) && off > 1e-5 * relief;
}

static bool near_multiple(double degrees, double of) {
    double off = fmod(degrees + 360, of);
    return off < 2.5 || off > of - 2.5;
}

static void look_around(int width, int height, const float *h, double relief, land_stats *out) {
    double all = 0, by45 = 0, by90 = 0, rough[2] = {0, 0}, count[2] = {0, 0};
    int spikes = 0;
    for (int y = 1; y < height - 1; ++y)
        for (int x = 1; x < width - 1; ++x) {
            const float *c = h + (size_t)y * (size_t)width + (size_t)x, *n = c - width, *s = c + width;
            double gx =
                ((double)n[1] + 2 * (double)c[1] + (double)s[1] - (double)n[-1] - 2 * (double)c[-1] - (double)s[-1]) /
                8;
            double gy =
                ((double)s[-1] + 2 * (double)s[0] + (double)s[1] - (double)n[-1] - 2 * (double)n[0] - (double)n[1]) / 8;
            double steep = hypot(gx, gy), degrees = atan2(gy, gx) * 57.29577951308232;
            if (steep > 1e-7 * relief) {
                all += steep;
                by45 += near_multiple(degrees, 45) ? steep : 0;
                by90 += near_multiple(degrees, 90) ? steep : 0;
            }
            bool rim = x < RIM || y < RIM || x >= width - RIM || y >= height - RIM;
            rough[rim] += fabs((double)n[0] + (double)s[0] + (double)c[-1] + (double)c[1] - 4 * (double)*c);
            count[rim] += 1;
            spikes += is_spike(c, width, relief);
        }
    out->grid45 = by45 / all * (360 / 40.0);
    out->grid90 = by90 / all * (360 / 20.0);
    out->edge_rough = rough[1] / count[1] / (rough[0] / count[0]);
    out->spikes_pm = 1e6 * spikes / (count[0] + count[1]);
}

// ---- rivers ----------------------------------------------------------------------------------------

typedef struct lengths {
    const kst_route *route;
    float *longest;  // way upstream of a cell, in cells
} lengths;

static double way_length(int way) {
    return way & 1 ? 1.4142135623730951 : 1;
}
static inline void nothing(void *context, int32_t cell) {
    (void)context;
    (void)cell;
}
static inline void measure_cell(void *context, int32_t cell) {
    lengths *l = context;
    double longest = 0;
    for (unsigned donors = l->route->from[cell]; donors; donors &= donors - 1) {
        int way = __builtin_ctz(donors);
        longest = fmax(longest, (double)l->longest[cell + l->route->step[way]] + way_length(way));
    }
    l->longest[cell] = (float)longest;
}

static void follow_rivers(const kst_route *r, const float *h, const float *longest, land_stats *out) {
    double slope[BINS] = {0}, length[BINS] = {0}, area[BINS] = {0}, slopes[BINS] = {0}, lengths_seen[BINS] = {0};
    int32_t cells = r->width * r->height;
    for (int32_t i = 0; i < cells; ++i) {
        if (r->area[i] < 256) continue;
        int bin = (int)(2 * log2((double)r->area[i])), step = 0;
        length[bin] += log((double)longest[i]);
        area[bin] += log((double)r->area[i]);
        lengths_seen[bin] += 1;
        int32_t end = i;
        double way = 0;
        for (; step < STEPS && !kst_route_is_outlet(r, end); ++step) {
            way += way_length(r->to[end]);
            end = kst_route_receiver(r, end);
        }
        if (step < STEPS) continue;
        slope[bin] += ((double)h[i] - (double)h[end]) / way;
        slopes[bin] += 1;
    }
    double x[BINS] = {0}, y[BINS] = {0}, unused;
    int count = 0, last = (int)(2 * log2(cells / 64.0));
    for (int b = FIRST_BIN; b < last; ++b)
        if (slopes[b] >= 20 && slope[b] > 0) {
            x[count] = (b + 0.5) / 2 * log(2);
            y[count++] = log(slope[b] / slopes[b]);
        }
    out->theta = -fit(x, y, count, &out->theta_r2);
    count = 0;
    for (int b = FIRST_BIN; b < last + 6 && b < BINS; ++b)
        if (lengths_seen[b] >= 10) {
            x[count] = area[b] / lengths_seen[b];
            y[count++] = length[b] / lengths_seen[b];
        }
    out->hack = fit(x, y, count, &unused);
}

bool land_stats_of(int width, int height, const float *h, land_stats *out) {
    const kst_team alone = {.stage = "stats"};
    kst_route r;
    if (kst_route_create(width, height, &r)) return false;
    lengths l = {&r, malloc(sizeof(float) * (size_t)width * (size_t)height)};
    bool good = l.longest && !kst_route_find(&r, h, (kst_route_way){.steepest = true}, &alone);
    if (good) {
        float low = h[0], high = h[0];
        for (size_t i = 0; i < (size_t)width * (size_t)height; ++i) low = fminf(low, h[i]), high = fmaxf(high, h[i]);
        look_around(width, height, h, (double)high - (double)low, out);
        for (int32_t k = 0; k < r.tree_count; ++k) kst_route_walk(&r, r.tree[k], nothing, measure_cell, &l);
        for (int32_t k = r.trunk_count; k-- > 0;) measure_cell(&l, r.trunk[k]);
        follow_rivers(&r, h, l.longest, out);
    }
    free(l.longest);
    kst_route_free(&r);
    return good;
}
