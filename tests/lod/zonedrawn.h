// SPDX-License-Identifier: MIT
// Where the points of the finest lattice of each piece of a land are drawn.
#pragma once
#include "zoneland.h"

typedef struct zone_drawn {
    size_t first[64];     // of the pieces of a zone
    uint32_t *piece[64];  // of the points of a piece, from that
    size_t count;
    karst_pos *at[2];
} zone_drawn;

static inline zone_drawn zone_drawn_make(const land *l) {
    zone_drawn d = {0};
    for (int z = 0; z < l->zones.count; ++z) {
        const karst_zone *zone = l->zones.zones[z];
        d.first[z] = d.count;
        d.piece[z] = malloc((zone->piece_count + 1) * sizeof **d.piece);
        uint32_t count = 0;
        for (uint32_t p = 0; p < zone->piece_count; ++p) {
            uint32_t side = (4u << zone->pieces[p].tiles_log2) + 1;
            d.piece[z][p] = count;
            count += side * side;
        }
        d.count += count;
    }
    for (int k = 0; k < 2; ++k) d.at[k] = calloc(d.count, sizeof **d.at);
    return d;
}
static inline void zone_drawn_free(const land *l, zone_drawn *d) {
    for (int z = 0; z < l->zones.count; ++z) free(d->piece[z]);
    free(d->at[0]);
    free(d->at[1]);
}

// Points inside one triangle of the lattice, closed.
static inline void put_triangle(karst_pos *out, int row, const int x[3], const int y[3], const karst_pos p[3]) {
    int x0 = x[0], x1 = x[0], y0 = y[0], y1 = y[0];
    for (int c = 1; c < 3; ++c) {
        x0 = x[c] < x0 ? x[c] : x0, x1 = x[c] > x1 ? x[c] : x1;
        y0 = y[c] < y0 ? y[c] : y0, y1 = y[c] > y1 ? y[c] : y1;
    }
    int area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (!area) return;
    for (int j = y0; j <= y1; ++j)
        for (int i = x0; i <= x1; ++i) {
            int a = (x[1] - i) * (y[2] - j) - (x[2] - i) * (y[1] - j);
            int b = (x[2] - i) * (y[0] - j) - (x[0] - i) * (y[2] - j), c = area - a - b;
            if (a > 0 || b > 0 || c > 0) continue;  // clockwise: all are negative or 0
            double u = (double)a / area, v = (double)b / area, w = (double)c / area;
            out[j * row + i] = (karst_pos){u * p[0].x + v * p[1].x + w * p[2].x, u * p[0].y + v * p[1].y + w * p[2].y,
                                           u * p[0].z + v * p[1].z + w * p[2].z};
        }
}

// Triangles of one piece.
static inline void draw_triangles(const land *l, const karst_zone_frame *f, zone_drawn *d, int into, uint16_t slot,
                                  uint32_t index, const karst_zone_vertex *v, int count) {
    int z = 0;
    while (l->slot[z] != slot) ++z;
    const karst_zone *zone = l->zones.zones[z];
    const karst_piece *piece = &zone->pieces[index];
    int row = (4 << piece->tiles_log2) + 1, tiles[2];
    zone_patch_tiles(zone, index, tiles);
    for (int t = 0; t < count; ++t) {
        int x[3], y[3];
        karst_pos p[3];
        for (int c = 0; c < 3; ++c) {
            const karst_zone_vertex *u = &v[3 * t + c];
            x[c] = (int)(u->s * (float)(4 * tiles[0])) - 4 * piece->tile_s;
            y[c] = (int)(u->t * (float)(4 * tiles[1])) - 4 * piece->tile_t;
            p[c] = (karst_pos){f->origin.x + (double)u->position.x, f->origin.y + (double)u->position.y,
                               f->origin.z + (double)u->position.z};
        }
        put_triangle(d->at[into] + d->first[z] + d->piece[z][index], row, x, y, p);
    }
}

static inline void zone_draw(const land *l, const karst_zone_frame *f, zone_drawn *d, int into) {
    static karst_zone_vertex v[3 * KARST_ZONE_TRIANGLES_MAX];
    for (int k = 0; k < f->instance_count; ++k) {
        const karst_zone_instance *at = &f->instances[k];
        draw_triangles(l, f, d, into, at->zone, at->piece, v, karst_zone_frame_expand(f, l->scene, k, v));
    }
    for (uint32_t k = 0; k < f->mesh.triangle_count; ++k) {
        const karst_zone_triangle *at = &f->mesh.triangles[k];
        if (karst_zone_frame_triangle(f, l->scene, k, v)) draw_triangles(l, f, d, into, at->zone, at->piece, v, 1);
    }
}

static inline double zone_largest_move(const zone_drawn *d) {
    double most = 0;
    for (size_t k = 0; k < d->count; ++k) {
        double x = d->at[0][k].x - d->at[1][k].x, y = d->at[0][k].y - d->at[1][k].y, z = d->at[0][k].z - d->at[1][k].z;
        most = fmax(most, x * x + y * y + z * z);
    }
    return sqrt(most);
}
