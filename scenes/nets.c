// SPDX-License-Identifier: MIT
// A net with every kind of bind in it.
#include "nets.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"

enum { PLACES = 20000, QUADS = 12000 };

typedef struct cage {
    karst_pos places[PLACES];
    int32_t quads[QUADS][4];
    uint8_t tiles[QUADS][2], split[QUADS], slot[QUADS], set[QUADS];
    int32_t place_count, quad_count;
    const scene_net_def *def;
} cage;

double scene_net_hill(double x, double z) {
    return 40 * sin(x * 0.008) * cos(z * 0.007) + 12 * sin(x * 0.031 + 1) * sin(z * 0.027) +
           3 * sin(x * 0.11) * cos(z * 0.13);
}

static int32_t place(cage *c, double x, double y, double z) {
    c->places[c->place_count] = (karst_pos){x, y, z};
    return c->place_count++;
}

static void quad(cage *c, int32_t v00, int32_t v10, int32_t v11, int32_t v01, int tiles_s, int tiles_t, int split) {
    int32_t k = c->quad_count++;
    c->quads[k][0] = v00, c->quads[k][1] = v10, c->quads[k][2] = v11, c->quads[k][3] = v01;
    c->tiles[k][0] = (uint8_t)tiles_s, c->tiles[k][1] = (uint8_t)tiles_t;
    c->split[k] = (uint8_t)split, c->slot[k] = c->def->slot, c->set[k] = c->def->noise_set;
}

// Walls on the ring of a cell that is left out; skip: the face that a bridge begins at, or -1.
static void pillar(cage *c, const int32_t ring[4], int skip, int32_t top[3][4]) {
    int n = c->def->tiles_log2;
    memcpy(top[0], ring, 4 * sizeof *ring);
    for (int l = 1; l <= 2; ++l) {
        for (int k = 0; k < 4; ++k) {
            karst_pos p = c->places[top[l - 1][k]];
            double level = l == 1 ? c->places[ring[0]].y + 14 : c->places[top[1][0]].y + 12;
            top[l][k] = place(c, p.x, level + 0.7 * k, p.z);
        }
        for (int k = 0; k < 4; ++k) {
            int d = (k + 1) & 3;
            if (l == 2 && k == skip) continue;
            quad(c, top[l - 1][k], top[l - 1][d], top[l][d], top[l][k], n, n, 0);
        }
    }
    quad(c, top[2][0], top[2][1], top[2][2], top[2][3], n, n, 0);
}

static void arch(cage *c, const int32_t from[4], const int32_t to[4]) {
    int32_t a[3][4], b[3][4];
    int n = c->def->tiles_log2;
    pillar(c, from, 1, a);
    pillar(c, to, 3, b);
    int32_t begin[4] = {a[1][1], a[1][2], a[2][2], a[2][1]}, end[4] = {b[1][0], b[1][3], b[2][3], b[2][0]}, last[4];
    memcpy(last, begin, sizeof last);
    for (int k = 1; k <= 5; ++k) {
        int32_t next[4];
        for (int i = 0; i < 4; ++i) {
            double u = k / 5.0;
            karst_pos p = c->places[begin[i]], q = c->places[end[i]];
            next[i] = k == 5 ? end[i]
                             : place(c, p.x + (q.x - p.x) * u, p.y + (q.y - p.y) * u + 10 * sin(3.14159265 * u),
                                     p.z + (q.z - p.z) * u);
        }
        for (int i = 0; i < 4; ++i) {
            int d = (i + 1) & 3;
            quad(c, last[i], last[d], next[d], next[i], n, n, 0);
        }
        memcpy(last, next, sizeof last);
    }
}

// m quads round one corner.
static void fan(cage *c, double x, double z, int m, int tiles_log2, int split_one) {
    double y = scene_net_hill(x, z) + 30;
    int32_t middle = place(c, x, y, z), ring[12];
    for (int k = 0; k < 2 * m; ++k) {
        double turn = 3.14159265358979 * k / m, radius = k & 1 ? 22 : 16;
        ring[k] = place(c, x + radius * cos(turn), y - 3 + 2 * sin(3 * turn), z + radius * sin(turn));
    }
    for (int k = 0; k < m; ++k)
        quad(c, middle, ring[2 * k], ring[2 * k + 1], ring[(2 * k + 2) % (2 * m)], tiles_log2, tiles_log2,
             split_one && k == 1 ? 1 : 0);
}

static void tunnel(cage *c, double x, double z) {
    int32_t last[8];
    double y = scene_net_hill(x + 40, z) - 12;
    int n = c->def->tiles_log2;
    for (int l = 0; l <= 6; ++l) {
        int32_t ring[8];
        for (int k = 0; k < 8; ++k) {
            double turn = 3.14159265358979 * k / 4;
            ring[k] = place(c, x + 16 * l, y + 9 * sin(turn) + l, z + 9 * cos(turn) + 5 * sin(l));
        }
        for (int k = 0; k < 8 && l; ++k) {
            int d = (k + 1) & 7;
            quad(c, last[k], last[d], ring[d], ring[k], n, n, 0);
        }
        memcpy(last, ring, sizeof last);
    }
}

static void build(cage *c) {
    int side = c->def->side, n = c->def->tiles_log2;
    int32_t first = 0;
    for (int j = 0; j <= side; ++j)
        for (int i = 0; i <= side; ++i) place(c, i * 16.0, scene_net_hill(i * 16.0, j * 16.0), j * 16.0);
#define AT(i, j) (first + (j) * (side + 1) + (i))
    int pi = side / 3, pj = side / 2, gap = 6;
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            if (j == pj && (i == pi || i == pi + gap)) continue;
            int split = 0, s = n, t = n;
            if ((i & 15) == 5 && ((j & 7) == 2 || (j & 7) == 3)) split = 1;
            if (((i & 15) == 6 && (j & 7) == 3) || ((i & 15) == 10 && (j & 7) == 4)) split = 2;
            quad(c, AT(i, j), AT(i + 1, j), AT(i + 1, j + 1), AT(i, j + 1), s, t, split);
        }
    const int32_t a[4] = {AT(pi, pj), AT(pi + 1, pj), AT(pi + 1, pj + 1), AT(pi, pj + 1)};
    const int32_t b[4] = {AT(pi + gap, pj), AT(pi + gap + 1, pj), AT(pi + gap + 1, pj + 1), AT(pi + gap, pj + 1)};
    arch(c, a, b);
    fan(c, side * 2.5, side * 11.0, 3, n, 1);
    fan(c, side * 5.5, side * 11.0, 5, n, 1);
    fan(c, side * 8.5, side * 11.0, 6, n < 4 ? n + 1 : n, 1);
    tunnel(c, side * 9.4, side * 3.1);
    // A strip of rectangles of its own, above: 4 to 1 and 8 to 1 in tiles, with 4 and 8 pieces along patches beside it.
    double y = 70;
    int32_t low[5], high[5], far[5];
    for (int k = 0; k < 5; ++k) {
        low[k] = place(c, 40 + 16.0 * k, y + 2 * sin(k), 40);
        high[k] = place(c, 40 + 16.0 * k, y + 2 * cos(k), 48);
        far[k] = place(c, 40 + 16.0 * k, y + 3 * sin(k), 64);
    }
    for (int k = 0; k < 4; ++k) {
        quad(c, low[k], low[k + 1], high[k + 1], high[k], k == 3 ? 4 : 3, 1, 0);
        quad(c, high[k], high[k + 1], far[k + 1], far[k], k == 3 ? 4 : 3, 4, 0);
    }
#undef AT
}

karst_status scene_net(const scene_net_def *def, karst_report *report, karst_net **out) {
    cage *c = calloc(1, sizeof *c);
    if (!c) return KARST_ERROR_MEMORY;
    c->def = def;
    build(c);
    karst_net *net = NULL;
    karst_status status = karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net);
    karst_net_cage cage_def = {.places = c->places,
                               .place_count = c->place_count,
                               .quads = (const int32_t(*)[4])c->quads,
                               .quad_count = c->quad_count,
                               .tiles_log2 = (const uint8_t(*)[2])c->tiles,
                               .split_log2 = c->split,
                               .slot = c->slot,
                               .noise_set = c->set};
    if (!status) status = karst_net_from_cage(net, &cage_def, report);
    free(c);
    if (status)
        karst_net_destroy(net);
    else
        *out = net;
    return status;
}

karst_status scene_zones_cut(const karst_net *net, karst_report *report, scene_zones *out) {
    int32_t cells[4096][2], count = karst_net_zones(net, cells, 4096);
    *out = (scene_zones){.bank = malloc(sizeof *out->bank), .zones = calloc((size_t)count + 1, sizeof *out->zones)};
    if (!out->bank || !out->zones || count > 4096) {
        scene_zones_free(out);
        return KARST_ERROR_MEMORY;
    }
    karst_noise_bank_make(out->bank);
    for (int32_t k = 0; k < count; ++k) {
        karst_status status = karst_net_cut(net, cells[k][0], cells[k][1], out->bank, report, &out->zones[k]);
        if (status) {
            scene_zones_free(out);
            return status;
        }
        ++out->count;
    }
    return KARST_OK;
}

void scene_zones_free(scene_zones *zones) {
    for (int k = 0; k < zones->count; ++k) karst_zone_destroy(zones->zones[k]);
    free(zones->zones);
    free(zones->bank);
    *zones = (scene_zones){0};
}
