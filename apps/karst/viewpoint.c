// SPDX-License-Identifier: MIT
// Viewpoint: some hundreds of views are tried on the coarse height map, a few rays each, and the best one is taken:
// a third of sky, near, middle and far ground, relief in sight, and the sun from the side.
#include "viewpoint.h"

#include <math.h>

enum { PLACES = 9, HEADINGS = 12, RAYS_X = 16, RAYS_Y = 9 };
static const double pi = 3.14159265358979;

typedef struct land {
    karst_map map;
    karst_field_shape shape;
    double low, relief, extent;
} land;

// Height of the map at a world position; false outside.
static bool height_at(const land *l, double x, double z, double *y) {
    const karst_map *m = &l->map;
    double u = (x - l->shape.origin.x) / (l->shape.spacing_m * (l->shape.columns - 1)) * m->width;
    double v = (z - l->shape.origin.z) / (l->shape.spacing_m * (l->shape.rows - 1)) * m->height;
    if (!(u >= 0 && v >= 0 && u < m->width && v < m->height)) return false;
    *y = l->shape.origin.y + m->offset + m->scale * ((const uint16_t *)m->samples)[(int)v * m->width + (int)u];
    return true;
}

// Distance to the ground along a ray, 0 when it meets none.
static double distance_of(const land *l, karst_pos from, const double d[3]) {
    double step = fmax(l->extent / 800, 1e-3), t = step;
    for (int k = 0; k < 90; ++k, t += step, step *= 1.04) {
        double y;
        if (!height_at(l, from.x + d[0] * t, from.z + d[2] * t, &y)) return 0;
        if (y > from.y + d[1] * t) return t;
    }
    return 0;
}

static double score_of(const land *l, karst_pos eye, double heading, double pitch, double tan_y, double aspect,
                       double sun_azimuth) {
    double sky = 0, near = 0, sum = 0, sum2 = 0, low = 1e30, high = -1e30;
    int hits = 0;
    for (int j = 0; j < RAYS_Y; ++j)
        for (int i = 0; i < RAYS_X; ++i) {
            double x = (2 * (i + 0.5) / RAYS_X - 1) * tan_y * aspect, y = (1 - 2 * (j + 0.5) / RAYS_Y) * tan_y;
            double forward = cos(pitch) - y * sin(pitch), up = sin(pitch) + y * cos(pitch);
            double d[3] = {sin(heading) * forward + cos(heading) * x, up, -cos(heading) * forward + sin(heading) * x};
            double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            for (int k = 0; k < 3; ++k) d[k] /= length;
            double t = distance_of(l, eye, d);
            if (t <= 0) {
                sky += 1.0 / (RAYS_X * RAYS_Y);
                continue;
            }
            double depth = log2(t), y_hit = eye.y + d[1] * t;
            near += t < 0.4 * l->relief ? 1.0 / (RAYS_X * RAYS_Y) : 0;
            sum += depth;
            sum2 += depth * depth;
            low = fmin(low, y_hit);
            high = fmax(high, y_hit);
            ++hits;
        }
    if (hits < 20) return -10;
    double mean = sum / hits, spread = sqrt(fmax(sum2 / hits - mean * mean, 0));
    double side = fabs(sin(heading - sun_azimuth)), into = cos(heading - sun_azimuth);
    return 1.2 * (high - low) / l->relief + 0.5 * fmin(spread, 2) - 2.5 * fabs(sky - 0.30) - 1.5 * near + 0.4 * side -
           0.5 * fmax(into, 0);
}

void viewpoint_find(karst_pack *pack, const karst_gl_look *look, float fov_rad, double aspect, karst_pos *eye,
                    karst_pos *at) {
    karst_pack_info info = karst_pack_info_of(pack);
    land l = {.shape = info.lattice.shape};
    const karst_field_shape *s = &l.shape;
    double across = s->spacing_m * (s->columns - 1), down = s->spacing_m * (s->rows - 1);
    l.low = info.min_y_m;
    l.relief = fmax(info.max_y_m - info.min_y_m, 1e-3 * fmax(across, down));
    l.extent = fmax(across, down);
    karst_pos middle = {s->origin.x + 0.5 * across, info.max_y_m, s->origin.z + 0.5 * down};
    *eye = (karst_pos){middle.x, info.max_y_m + 0.35 * l.extent, s->origin.z + down + 0.2 * l.extent};
    *at = (karst_pos){middle.x, info.min_y_m, middle.z};
    if (karst_pack_map(pack, "height", &l.map) || l.map.sample_bytes != 2 || l.map.channels != 1) return;
    double best = -9, pitch = -7 * pi / 180;
    for (int j = 0; j < PLACES; ++j)
        for (int i = 0; i < PLACES; ++i) {
            karst_pos place = {s->origin.x + across * (0.12 + 0.76 * i / (PLACES - 1)), 0,
                               s->origin.z + down * (0.12 + 0.76 * j / (PLACES - 1))};
            if (!height_at(&l, place.x, place.z, &place.y)) continue;
            place.y += 0.16 * l.relief + 0.007 * l.extent + 2;
            for (int h = 0; h < HEADINGS; ++h) {
                double heading = 2 * pi * h / HEADINGS;
                double score = score_of(&l, place, heading, pitch, tan(0.5 * fov_rad), aspect, look->sun_azimuth_rad);
                if (score <= best) continue;
                best = score;
                *eye = place;
                *at = (karst_pos){place.x + 1000 * sin(heading), place.y + 1000 * tan(pitch),
                                  place.z - 1000 * cos(heading)};
            }
        }
}
