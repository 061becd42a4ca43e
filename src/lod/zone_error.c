// SPDX-License-Identifier: MIT
// The true error of a frame: each finest vertex against the surface that is drawn there.
#include <math.h>

#include "zone_scene.h"

typedef struct point {
    double x, y, z;
} point;

static double length2(double x, double y, double z) {
    return x * x + y * y + z * z;
}

// Eyes relative to the frame's origin [m].
typedef struct judge {
    point eye[KARST_ZONE_VIEWS_MAX];
    int eye_count;
    double slope;  // metres that a pixel is a metre away
    double most2_m, most2_px, metric;
} judge;

static double nearest2(const judge *j, point p) {
    double least = INFINITY;
    for (int v = 0; v < j->eye_count; ++v)
        least = fmin(least, length2(p.x - j->eye[v].x, p.y - j->eye[v].y, p.z - j->eye[v].z));
    return least;
}

static void judge_point(judge *j, point drawn, point true_place) {
    double e2 = length2(drawn.x - true_place.x, drawn.y - true_place.y, drawn.z - true_place.z);
    j->most2_m = fmax(j->most2_m, e2);
    if (e2 > 0) j->most2_px = fmax(j->most2_px, e2 / (nearest2(j, true_place) * j->slope * j->slope));
}

static void judge_size(judge *j, const point p[3]) {
    double ax = p[1].x - p[0].x, ay = p[1].y - p[0].y, az = p[1].z - p[0].z;
    double bx = p[2].x - p[0].x, by = p[2].y - p[0].y, bz = p[2].z - p[0].z;
    double area = 0.5 * sqrt(length2(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx));
    double d2 = fmin(nearest2(j, p[0]), fmin(nearest2(j, p[1]), nearest2(j, p[2])));
    if (area > 0) j->metric = fmax(j->metric, area / d2);
}

// Finest vertices within one triangle, given by its corners on their lattice; it is clockwise there, or a line.
static void judge_triangle(judge *j, const karst_zone_frame *f, const karst_zone_at *at, const karst_fine *fine,
                           int row, const int x[3], const int y[3], const point p[3]) {
    int area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (!area) return;
    int x0 = x[0], x1 = x[0], y0 = y[0], y1 = y[0];
    for (int c = 1; c < 3; ++c) {
        x0 = x[c] < x0 ? x[c] : x0, x1 = x[c] > x1 ? x[c] : x1;
        y0 = y[c] < y0 ? y[c] : y0, y1 = y[c] > y1 ? y[c] : y1;
    }
    for (int t = y0; t <= y1; ++t)
        for (int s = x0; s <= x1; ++s) {
            int a = (x[1] - s) * (y[2] - t) - (x[2] - s) * (y[1] - t);
            int b = (x[2] - s) * (y[0] - t) - (x[0] - s) * (y[2] - t), c = area - a - b;
            if (a > 0 || b > 0 || c > 0) continue;
            double u = (double)a / area, v = (double)b / area, w = (double)c / area, m = (double)f->fine_m;
            const karst_fine *at_fine = &fine[t * row + s];
            point true_place = {m * (at_fine->x + at->offset[0]) - (double)f->fraction.x,
                                m * (at_fine->y + at->offset[1]) - (double)f->fraction.y,
                                m * (at_fine->z + at->offset[2]) - (double)f->fraction.z};
            judge_point(j,
                        (point){u * p[0].x + v * p[1].x + w * p[2].x, u * p[0].y + v * p[1].y + w * p[2].y,
                                u * p[0].z + v * p[1].z + w * p[2].z},
                        true_place);
        }
}

karst_zone_error karst_zone_frame_error(const karst_zone_frame *frame, const karst_zone_scene *scene,
                                        const karst_view *view) {
    enum { TRIANGLES = 2 * KARST_NET_TILES_MAX * KARST_NET_TILES_MAX };  // of a piece by its tile corners
    judge j = {.eye_count = frame->eye_count, .slope = karst_view_error_slope(view, 1)};
    for (int v = 0; v < frame->eye_count; ++v) {
        const karst_zone_eye *eye = &frame->eyes[v];
        double m = (double)frame->fine_m;
        j.eye[v].x =
            m * (double)((int64_t)eye->base[0] - frame->base[0]) + (double)(eye->fraction.x - frame->fraction.x);
        j.eye[v].y =
            m * (double)((int64_t)eye->base[1] - frame->base[1]) + (double)(eye->fraction.y - frame->fraction.y);
        j.eye[v].z =
            m * (double)((int64_t)eye->base[2] - frame->base[2]) + (double)(eye->fraction.z - frame->fraction.z);
    }
    for (int k = 0; k < frame->instance_count; ++k) {
        const karst_zone_instance *at = &frame->instances[k];
        bool whole = at->tile == KARST_ZONE_WHOLE;
        if (at->tile == KARST_ZONE_FINEST) continue;  // exact
        const karst_zone_at *zone = &frame->zones[at->zone];
        const karst_piece *piece = &zone->zone->pieces[at->piece];
        const struct kst_piece_info *info = &scene->slots[at->zone].info[at->piece];
        karst_fine made[KARST_ZONE_VERTICES_MAX];
        const karst_fine *fine = kst_zone_fine_at(scene, at->zone, at->piece);
        int row = (KARST_TILE_CELLS << piece->tiles_log2) + 1, first_s = KARST_TILE_CELLS * piece->tile_s,
            first_t = KARST_TILE_CELLS * piece->tile_t;
        if (!whole && !fine) {
            int tile_i = at->tile % KARST_NET_TILES_MAX, tile_j = at->tile / KARST_NET_TILES_MAX;
            karst_zone_tile(zone->zone, at->piece, tile_i, tile_j, made);
            row = KARST_TILE_CELLS + 1, first_s += KARST_TILE_CELLS * tile_i, first_t += KARST_TILE_CELLS * tile_j;
        } else if (!fine)
            karst_zone_fine(zone->zone, at->piece, made);
        if (!fine) fine = made;
        karst_zone_vertex v[3 * TRIANGLES];
        int count = karst_zone_frame_expand(frame, scene, k, v);
        float scale_s = (float)(KARST_TILE_CELLS << info->scale_log2[0]),
              scale_t = (float)(KARST_TILE_CELLS << info->scale_log2[1]);
        for (int t = 0; t < count; ++t) {
            int x[3], y[3];
            point p[3];
            for (int c = 0; c < 3; ++c) {
                const karst_zone_vertex *u = &v[3 * t + c];
                x[c] = (int)(u->s * scale_s) - first_s, y[c] = (int)(u->t * scale_t) - first_t;
                p[c] = (point){(double)u->position.x, (double)u->position.y, (double)u->position.z};
            }
            if (whole || at->pattern) judge_size(&j, p);
            judge_triangle(&j, frame, zone, fine, row, x, y, p);
        }
    }
    return (karst_zone_error){
        .metric = (float)j.metric, .metres = (float)sqrt(j.most2_m), .pixels = (float)sqrt(j.most2_px)};
}
