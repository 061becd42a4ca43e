// SPDX-License-Identifier: MIT
// Flight: a circle round the most rugged part of the land, or a smooth path through given places.
//
// Heights along it come in two passes that cannot undercut the ground: the largest within a window, then the mean over
// a window of the same width, which is at least the ground since every one of its terms is.
#include "flight.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979;
enum {
    SAMPLES = 4096,  // along the circle
    PROBES = 64,     // along a side of a land without a map
};

typedef struct land {
    karst_map map;
    karst_field_shape shape;
    double across, down, relief;
} land;

static double map_height(const land *l, double x, double z) {
    const karst_map *m = &l->map;
    double u = (x - l->shape.origin.x) / l->across * m->width, v = (z - l->shape.origin.z) / l->down * m->height;
    int i = u < 0 ? 0 : u >= m->width ? m->width - 1 : (int)u, j = v < 0 ? 0 : v >= m->height ? m->height - 1 : (int)v;
    return l->shape.origin.y + m->offset + m->scale * ((const uint16_t *)m->samples)[j * m->width + i];
}

// Middle of a circle of this radius, inside the land, over which heights vary most.
static karst_pos rugged_place(const land *l, double radius) {
    karst_pos best = {l->shape.origin.x + 0.5 * l->across, 0, l->shape.origin.z + 0.5 * l->down};
    double most = -1;
    enum { PLACES = 15, SPOKES = 24 };
    for (int j = 0; j < PLACES; ++j)
        for (int i = 0; i < PLACES; ++i) {
            double x = l->shape.origin.x + fmin(1.25 * radius, 0.5 * l->across) +
                       fmax(l->across - 2.5 * radius, 0) * i / (PLACES - 1);
            double z = l->shape.origin.z + fmin(1.25 * radius, 0.5 * l->down) +
                       fmax(l->down - 2.5 * radius, 0) * j / (PLACES - 1);
            double sum = 0, sum2 = 0;
            for (int s = 0; s < SPOKES; ++s)
                for (int r = 1; r <= 3; ++r) {
                    double y = map_height(l, x + radius * r / 2.4 * cos(2 * pi * s / SPOKES),
                                          z + radius * r / 2.4 * sin(2 * pi * s / SPOKES));
                    sum += y;
                    sum2 += y * y;
                }
            double variance = sum2 / (3 * SPOKES) - sum * sum / (9.0 * SPOKES * SPOKES);
            if (variance <= most) continue;
            most = variance;
            best = (karst_pos){x, 0, z};
        }
    return best;
}

// From a place straight up or down to the nearest ground; `otherwise` where there is none.
static double clearance_at(const karst_ground *ground, karst_pos eye, double otherwise) {
    enum { MOST = 16 };
    karst_level level[MOST];
    int count = 0;
    if (karst_ground_heights(ground, eye.x, eye.z, level, MOST, &count)) count = 0;
    double least = count ? INFINITY : otherwise;
    for (int k = 0; k < count && k < MOST; ++k) least = fmin(least, fabs(eye.y - level[k].y));
    return least;
}

// One number on the cubic through four keys a stretch apart (Catmull-Rom), between the middle two.
static double between(const double *key, int keys, int stretch, double t, int number) {
    double p[4];
    for (int k = 0; k < 4; ++k) {
        int at = stretch + k - 1;
        at = at < 0 ? 0 : at > keys - 1 ? keys - 1 : at;
        p[k] = key[6 * at + number];
    }
    return p[1] +
           0.5 * t *
               (p[2] - p[0] + t * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] + t * (3 * (p[1] - p[2]) + p[3] - p[0])));
}

void flight_through(const karst_ground *ground, const double *key, int keys, int count, flight_frame *out) {
    for (int k = 0; k < count; ++k) {
        double at = count > 1 ? (double)k * (keys - 1) / (count - 1) : 0, v[6];
        int stretch = at < keys - 2 ? (int)at : keys - 2;
        for (int n = 0; n < 6; ++n) v[n] = between(key, keys, stretch, at - stretch, n);
        out[k] = (flight_frame){.eye = {v[0], v[1], v[2]}, .at = {v[3], v[4], v[5]}};
        out[k].clearance_m = clearance_at(ground, out[k].eye, INFINITY);
    }
}

// What the maps of a pack tell of its field.
static land land_of_pack(karst_pack *pack) {
    karst_pack_info info = karst_pack_info_of(pack);
    land l = {.shape = info.lattice.shape, .relief = (double)info.max_y_m - (double)info.min_y_m};
    l.across = l.shape.spacing_m * (l.shape.columns - 1);
    l.down = l.shape.spacing_m * (l.shape.rows - 1);
    static const uint16_t plain;
    if (karst_pack_map(pack, "height", &l.map) || l.map.sample_bytes != 2 || l.map.channels != 1)
        l.map =
            (karst_map){.width = 1, .height = 1, .offset = info.max_y_m - (float)l.shape.origin.y, .samples = &plain};
    return l;
}

// The same of a ground without maps: its highest layer in the middle of each of 64 x 64 squares.
static land land_of_ground(const karst_ground *ground, uint16_t samples[PROBES * PROBES]) {
    karst_box b = karst_ground_bounds(ground);
    land l = {.shape.origin = b.min, .relief = b.max.y - b.min.y};
    l.across = b.max.x - b.min.x;
    l.down = b.max.z - b.min.z;
    l.map = (karst_map){.width = PROBES, .height = PROBES, .scale = (float)(l.relief / 65535), .samples = samples};
    for (int j = 0; j < PROBES; ++j)
        for (int i = 0; i < PROBES; ++i) {
            double y, x = b.min.x + l.across * (i + 0.5) / PROBES, z = b.min.z + l.down * (j + 0.5) / PROBES;
            bool there = karst_ground_height(ground, x, z, &y) && l.relief > 0;
            samples[j * PROBES + i] = there ? (uint16_t)fmin((y - b.min.y) / l.relief * 65535, 65535) : 0;
        }
    return l;
}

bool flight_plan(karst_pack *pack, const karst_ground *ground, int count, flight_frame *out) {
    double *ground_y = malloc(3 * SAMPLES * sizeof *ground_y + PROBES * PROBES * sizeof(uint16_t));
    if (!ground_y) return false;
    double *raised = ground_y + SAMPLES, *y = raised + SAMPLES;
    land l = pack ? land_of_pack(pack) : land_of_ground(ground, (uint16_t *)(y + SAMPLES));
    double relief = fmax(l.relief, 0.01 * fmin(l.across, l.down));
    double radius = fmin(0.36 * fmin(l.across, l.down), count * 0.10 * relief / (2 * pi) + 2 * relief);
    double clearance = 0.30 * relief;
    karst_pos middle = rugged_place(&l, radius);
    // The highest ground at and near each sample.
    for (int k = 0; k < SAMPLES; ++k) {
        double turn = 2 * pi * k / SAMPLES, top = -1e300, exact;
        for (int side = -1; side <= 1; ++side) {
            double r = radius + side * fmax(l.shape.spacing_m, 0.01 * radius);
            double x = middle.x + r * cos(turn), z = middle.z + r * sin(turn);
            top = fmax(top, map_height(&l, x, z));
            if (karst_ground_height(ground, x, z, &exact)) top = fmax(top, exact);
        }
        ground_y[k] = top;
    }
    enum { WINDOW = SAMPLES / 24 };
    for (int k = 0; k < SAMPLES; ++k) {
        raised[k] = ground_y[k];
        for (int d = -WINDOW; d <= WINDOW; ++d) raised[k] = fmax(raised[k], ground_y[(k + d + SAMPLES) % SAMPLES]);
    }
    for (int k = 0; k < SAMPLES; ++k) {
        double sum = 0;
        for (int d = -WINDOW; d <= WINDOW; ++d) sum += raised[(k + d + SAMPLES) % SAMPLES];
        y[k] = sum / (2 * WINDOW + 1) + clearance;
    }
    for (int k = 0; k < count; ++k) {
        double at = (double)k * SAMPLES / count, turn = 2 * pi * k / count;
        int before = (int)at % SAMPLES, after = (before + 1) % SAMPLES;
        double height = y[before] + (at - floor(at)) * (y[after] - y[before]);
        flight_frame f = {.eye = {middle.x + radius * cos(turn), height, middle.z + radius * sin(turn)}};
        // Ahead, and turned a third of the way toward the middle.
        double ahead_x = -sin(turn), ahead_z = cos(turn), in_x = -cos(turn), in_z = -sin(turn);
        double x = 0.75 * ahead_x + 0.66 * in_x, z = 0.75 * ahead_z + 0.66 * in_z;
        f.at = (karst_pos){f.eye.x + 1000 * x, f.eye.y - 150, f.eye.z + 1000 * z};
        f.clearance_m = clearance_at(ground, f.eye, clearance);
        out[k] = f;
    }
    free(ground_y);
    return true;
}
