// SPDX-License-Identifier: MIT
// A small land of patches. Rows of the cage run along x; the ridge is rows that climb a cliff, go over and down again.
// Caves, the tunnel, the arch and the root are tubes drawn out of a quad that is left out.
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "nets.h"

enum { SIDE = 30, PLACES = 4000, QUADS = 4000 };
enum { EARTH, GRASS, ROCK, MOSS, SAND, PATH };
enum { FOOT = 12, LEDGE, TOP, BACK_TOP = 21, BACK_LEDGE, BACK_FOOT };  // rows of the ridge

typedef struct land {
    karst_pos places[PLACES];
    int32_t quads[QUADS][4];
    uint8_t tiles[QUADS][2], slot[QUADS], set[QUADS];
    int32_t place_count, quad_count;
    int slot_most;
} land;

typedef struct ring {
    int32_t v[4];
} ring;

static int32_t place(land *l, double x, double y, double z) {
    l->places[l->place_count] = (karst_pos){x, y, z};
    return l->place_count++;
}
static void quad(land *l, int32_t a, int32_t b, int32_t c, int32_t d, int set, int roughness) {
    int32_t k = l->quad_count++;
    const int32_t v[4] = {a, b, c, d};
    for (int i = 0; i < 4; ++i) l->quads[k][i] = v[i];
    l->tiles[k][0] = l->tiles[k][1] = 3;
    l->set[k] = (uint8_t)set, l->slot[k] = (uint8_t)(roughness * l->slot_most / 15);
}

static int32_t at(int i, int row) {
    return row * (SIDE + 1) + i;
}

// Bumps of one size that do not repeat.
static double bump(double x, double z) {
    return sin(x * 0.021 + 1.3 * sin(z * 0.013)) * cos(z * 0.017 + 0.7) + 0.4 * sin(x * 0.053 - z * 0.047);
}

// The basin and the plain round it.
static double plain(double x, double z) {
    double dx = (x - 110) / 80, dz = (z - 80) / 48, r2 = dx * dx + dz * dz;
    return 14 + 3.5 * bump(x, z) - 17 * exp(-1.6 * r2 * r2);
}

static karst_pos vertex(int i, int row) {
    double x = 16.0 * i, bend = 9 * sin(i * 0.42) + 5 * sin(i * 1.13 + 1), z = 16.0 * row;
    double rise = 34 + 5 * sin(i * 0.5 + 2) + 3 * sin(i * 1.7);
    double front = 16.0 * FOOT + bend, back = 16.0 * (BACK_FOOT - 2) + 7 * sin(i * 0.33 + 2);
    double low_front = plain(x, front), low_back = plain(x, back);
    if (row < FOOT) {
        double u = (double)row / FOOT;  // the plain gathers toward the cliff's line
        z = u * front;
        return (karst_pos){x, plain(x, z), z};
    }
    if (row == FOOT) return (karst_pos){x, low_front, front};
    if (row == LEDGE) return (karst_pos){x + 2 * sin(i * 2.1), low_front + 13 + sin(i), front - 1.5 + 2 * sin(i * 1.9)};
    if (row == TOP) return (karst_pos){x, low_front + rise, front + 3 - 6 * (0.5 + 0.5 * sin(i * 0.8))};  // overhangs
    if (row < BACK_TOP) {
        double u = (double)(row - TOP) / (BACK_TOP - TOP), z0 = front + 3, z1 = back - 4;
        z = z0 + u * (z1 - z0);
        double y = (low_front + rise) * (1 - u) + (low_back + rise - 4) * u;
        return (karst_pos){x, y + 7 * sin(3.14159265 * u) + 2 * bump(2 * x, 2 * z), z};
    }
    if (row == BACK_TOP) return (karst_pos){x, low_back + rise - 4, back - 4};
    if (row == BACK_LEDGE) return (karst_pos){x - 2 * sin(i * 1.7), low_back + 14, back + 1.5};
    if (row == BACK_FOOT) return (karst_pos){x, low_back, back + 3};
    double u = (double)(row - BACK_FOOT) / (SIDE - BACK_FOOT);
    z = back + 3 + u * (16.0 * SIDE - back - 3);
    return (karst_pos){x, plain(x, z) + 10 * u * u, z};
}

typedef struct gap {
    int i, row;
} gap;
static const gap gaps[] = {
    {7, FOOT},                  // cave
    {17, FOOT},                 // tunnel, front
    {17, BACK_LEDGE},           // tunnel, back
    {22, 5},          {26, 5},  // arch
    {2, 4},           {11, 6},  // root
};
static bool is_gap(int i, int row) {
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; ++k)
        if (gaps[k].i == i && gaps[k].row == row) return true;
    return false;
}

static void ground(land *l) {
    for (int row = 0; row <= SIDE; ++row)
        for (int i = 0; i <= SIDE; ++i) {
            karst_pos p = vertex(i, row);
            place(l, p.x, p.y, p.z);
        }
    for (int row = 0; row < SIDE; ++row)
        for (int i = 0; i < SIDE; ++i) {
            if (is_gap(i, row)) continue;
            bool wall = (row >= FOOT && row < TOP) || (row >= BACK_TOP && row < BACK_FOOT);
            double x = 16 * i + 8, z = 16 * row + 8, dx = (x - 110) / 60, dz = (z - 76) / 36;
            bool bed = dx * dx + dz * dz < 1;
            int set = wall ? ROCK : bed ? SAND : (row == FOOT - 1 || row == BACK_FOOT) ? EARTH : GRASS;
            quad(l, at(i, row), at(i + 1, row), at(i + 1, row + 1), at(i, row + 1), set, wall ? 15 : bed ? 9 : 7);
        }
}

// The ring of the quad that is left out at (i, row).
static ring gap_ring(int i, int row) {
    return (ring){{at(i, row), at(i + 1, row), at(i + 1, row + 1), at(i, row + 1)}};
}

static void walls(land *l, ring from, ring to, int set, int roughness) {
    for (int k = 0; k < 4; ++k) {
        int d = (k + 1) & 3;
        quad(l, from.v[k], from.v[d], to.v[d], to.v[k], set, roughness);
    }
}

// A square ring round a point: corners in the order (-, -), (+, -), (+, +), (-, +) of the two axes.
static ring make_ring(land *l, karst_pos centre, karst_pos a, karst_pos b, double wide, double high) {
    static const int way[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    ring r;
    for (int k = 0; k < 4; ++k) {
        double u = way[k][0] * wide / 2, v = way[k][1] * high / 2;
        r.v[k] = place(l, centre.x + a.x * u + b.x * v, centre.y + a.y * u + b.y * v, centre.z + a.z * u + b.z * v);
    }
    return r;
}

// Into the rock: a throat, a hall, an end.
static void cave(land *l, int i) {
    karst_pos p = l->places[at(i, FOOT)], x = {1, 0, 0}, y = {0, 1, 0};
    double floor = p.y + 1;
    static const double halls[4][5] = {// along z, aside, width, height, floor
                                       {10, 0, 11, 9, 0},
                                       {24, 1, 24, 15, -2},
                                       {44, 6, 30, 19, -3},
                                       {60, 10, 18, 12, -1}};
    ring last = gap_ring(i, FOOT);
    for (int k = 0; k < 4; ++k) {
        const double *h = halls[k];
        karst_pos c = {p.x + 8 + h[1], floor + h[4] + h[3] / 2, p.z + h[0]};
        ring next = make_ring(l, c, x, y, h[2], h[3]);
        walls(l, last, next, k < 2 ? ROCK : MOSS, 11);
        last = next;
    }
    quad(l, last.v[0], last.v[1], last.v[2], last.v[3], ROCK, 11);
}

static void tunnel(land *l, int i) {
    ring last = gap_ring(i, FOOT), back = gap_ring(i, BACK_LEDGE);
    ring end = {{back.v[3], back.v[2], back.v[1], back.v[0]}};
    karst_pos p = l->places[last.v[0]], q = l->places[end.v[0]], x = {1, 0, 0}, y = {0, 1, 0};
    int n = 9;
    for (int k = 1; k < n; ++k) {
        double u = (double)k / n;
        karst_pos c = {p.x + 8 + (q.x - p.x) * u + 7 * sin(3.14159265 * u), p.y + (q.y - p.y) * u + 6,
                       p.z + (q.z - p.z) * u};
        ring next = make_ring(l, c, x, y, 12 + 2 * sin(7 * u), 11 + sin(9 * u));
        walls(l, last, next, ROCK, 10);
        last = next;
    }
    walls(l, last, end, ROCK, 10);
}

// A tube out of the ground at one gap and back into it at another, over height_m. Thick at the ends, thin between.
static void limb(land *l, int i0, int row0, int i1, int row1, double height_m, double thin_m, double sway_m, int n,
                 int set) {
    ring last = gap_ring(i0, row0), back = gap_ring(i1, row1);
    ring end = {{back.v[1], back.v[0], back.v[3], back.v[2]}};
    karst_pos p = {0, 0, 0}, q = {0, 0, 0}, z = {0, 0, 1};
    for (int k = 0; k < 4; ++k) {
        karst_pos a = l->places[last.v[k]], b = l->places[end.v[k]];
        p.x += a.x / 4, p.y += a.y / 4, p.z += a.z / 4, q.x += b.x / 4, q.y += b.y / 4, q.z += b.z / 4;
    }
    for (int k = 1; k < n; ++k) {
        double u = (double)k / n, turn = 3.14159265358979 * u, slope = cos(turn), rise = sin(turn);
        double lift = height_m * pow(rise, 0.8);
        karst_pos c = {p.x + (q.x - p.x) * (0.5 - 0.5 * cos(turn)), p.y + (q.y - p.y) * u + lift,
                       p.z + (q.z - p.z) * u + sway_m * sin(2 * turn)};
        double thick = thin_m + (13 - thin_m) * pow(fabs(slope), 3);
        karst_pos across = {slope > 0 ? fabs(slope) : -fabs(slope), -rise, 0};  // turns with the way
        ring next = make_ring(l, c, across, z, thick, thick * (1 + 0.15 * sin(9 * u)));
        walls(l, last, next, set, 12);
        last = next;
    }
    walls(l, last, end, set, 12);
}

karst_status scene_net_sample(uint8_t slot, karst_report *report, karst_net **out) {
    land *l = calloc(1, sizeof *l);
    if (!l) return KARST_ERROR_MEMORY;
    l->slot_most = slot;
    ground(l);
    cave(l, 7);
    tunnel(l, 17);
    limb(l, 22, 5, 26, 5, 34, 8, 3, 8, ROCK);
    limb(l, 2, 4, 11, 6, 17, 4.5, 8, 14, EARTH);
    karst_net *net = NULL;
    karst_status status = karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net);
    karst_net_cage cage = {.places = l->places,
                           .place_count = l->place_count,
                           .quads = (const int32_t(*)[4])l->quads,
                           .quad_count = l->quad_count,
                           .tiles_log2 = (const uint8_t(*)[2])l->tiles,
                           .slot = l->slot,
                           .noise_set = l->set};
    if (!status) status = karst_net_from_cage(net, &cage, report);
    free(l);
    if (status)
        karst_net_destroy(net);
    else
        *out = net;
    return status;
}
