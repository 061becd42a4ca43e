// SPDX-License-Identifier: MIT
// Army's places: one in each square of a grid, in rings round the middle, each for a kind that a number chooses.
//
// Places do not know which others are taken. One gives way to any that is too near and is for a larger kind, whether
// that can stand or not; so what is chosen at a place depends on the seed alone.
#include "army_place.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"

static const double pi = 3.14159265358979323846;
static const uint64_t seed = 1;
static const float gentle = 0.94f;  // cosine of the steepest slope that is stood on, 20 degrees
static const double apart = 1.5;    // of places, in diameters of what takes up the mean area
static const double clear = 1.1;    // of two units, in what they take up

typedef struct lot {
    const army *army;
    const army_place *place;
    double step, heading;
    int shares, reach;  // of all kinds; squares that a unit may disturb
} lot;

// A place before anybody asked the ground.
typedef struct spot {
    const army_kind *kind;
    uint64_t number;  // of the square; of its random numbers
    double x, z, aside_m;
    float scale;
} spot;

static double random_of(const spot *s, int what) {
    return kst_random01(seed, s->number + (uint64_t)what);
}

static spot spot_of(const lot *l, int i, int j) {
    spot s = {.number = 8 * ((uint64_t)(uint32_t)i << 32 | (uint32_t)j)};
    s.x = l->place->middle.x + l->step * (i + 0.4 * (random_of(&s, 0) - 0.5));
    s.z = l->place->middle.z + l->step * (j + 0.4 * (random_of(&s, 1) - 0.5));
    double share = random_of(&s, 2) * l->shares;
    s.kind = l->army->kinds;
    for (const army_kind *last = s.kind + l->army->kind_count - 1; s.kind < last && share >= s.kind->share; ++s.kind)
        share -= s.kind->share;
    s.scale = 1 + s.kind->vary * (float)(2 * random_of(&s, 3) - 1);
    s.aside_m = (double)(s.scale * s.kind->aside_m);
    return s;
}

static bool gives_way(const lot *l, int i, int j, const spot *s) {
    for (int b = j - l->reach; b <= j + l->reach; ++b)
        for (int a = i - l->reach; a <= i + l->reach; ++a) {
            if (a == i && b == j) continue;
            spot o = spot_of(l, a, b);
            bool first = o.aside_m != s->aside_m ? o.aside_m > s->aside_m : o.number > s->number;
            if (first && hypot(o.x - s->x, o.z - s->z) < clear * (o.aside_m + s->aside_m)) return true;
        }
    return false;
}

enum { FEET = 9 };  // where the ground is felt: corners, sides and middle of what meets it

// Stand on a spot: false where there is no ground below all of it, where that is steep or uneven, or under water.
static bool stand(const lot *l, const spot *s, karst_gl_instance *out) {
    const army_kind *kind = s->kind;
    double scale = (double)s->scale,
           heading = kind->turns ? 2 * pi * random_of(s, 4) : l->heading + 0.7 * (random_of(s, 4) - 0.5);
    double ahead_x = sin(heading), ahead_z = -cos(heading), x[FEET], z[FEET], h[FEET];
    double low = INFINITY, mean = 0;
    for (int k = 0; k < FEET; ++k) {
        double u = 0.5 * (k % 3), v = 0.5 * (k / 3);
        double side = scale * ((1 - u) * (double)kind->foot[0] + u * (double)kind->foot[1]);
        double front = scale * ((1 - v) * (double)kind->foot[2] + v * (double)kind->foot[3]);
        x[k] = front * ahead_x + side * ahead_z;  // the model's +x is to the left of its front
        z[k] = front * ahead_z - side * ahead_x;
        if (!karst_ground_height(l->place->ground, s->x + x[k], s->z + z[k], &h[k])) return false;
        low = fmin(low, h[k]);
        mean += h[k] / FEET;
    }
    if (low < (double)l->place->water_m + 0.3) return false;
    // The plane through the corners that fits best, by its slopes along side and front.
    double wide = scale * (double)(kind->foot[1] - kind->foot[0]),
           deep = scale * (double)(kind->foot[3] - kind->foot[2]);
    double along_side = 0.5 * (h[2] + h[8] - h[0] - h[6]) / wide,
           along_front = 0.5 * (h[6] + h[8] - h[0] - h[2]) / deep;
    double dx = along_front * ahead_x + along_side * ahead_z, dz = along_front * ahead_z - along_side * ahead_x;
    double length = sqrt(dx * dx + 1 + dz * dz), sink = INFINITY, rise = -INFINITY, size = fmax(wide, deep);
    for (int k = 0; k < FEET; ++k) {
        double over = h[k] - (kind->upright ? 0 : dx * x[k] + dz * z[k]);
        sink = fmin(sink, over);
        rise = fmax(rise, over);
    }
    // Nothing hangs in the air: what leans lies as low as its lowest foot asks, what is plumb by as much as it reaches.
    double reach = 0.85 * scale * (double)kind->reach_m, y = kind->upright ? fmin(mean, low + reach) : sink;
    if (1 / length < (double)gentle || rise - y > fmax(0.08 * size, reach)) return false;
    *out = (karst_gl_instance){.mesh = (int)(kind - l->army->kinds),
                               .position = {s->x, y, s->z},
                               .heading_rad = (float)heading,
                               .scale = s->scale,
                               .up = {0, 1, 0},
                               .ground = {(float)(-dx / length), (float)(1 / length), (float)(-dz / length)},
                               .shadow = true};
    if (!kind->upright) out->up = out->ground;
    double base = scale * (double)kind->base_m;
    out->position.x -= base * (double)out->up.x;
    out->position.y -= base * (double)out->up.y;
    out->position.z -= base * (double)out->up.z;
    return true;
}

void army_stand(army *a, const army_place *place, int most) {
    lot l = {.army = a, .place = place};
    double squares = 0, largest = 0;
    for (int k = 0; k < a->kind_count; ++k) {
        const army_kind *kind = &a->kinds[k];
        l.shares += kind->share;
        squares += kind->share * (double)kind->aside_m * (double)kind->aside_m;
        largest = fmax(largest, (double)((1 + kind->vary) * kind->aside_m));
    }
    l.step = 2 * apart * sqrt(squares / l.shares);
    // Places are within 0.2 steps of the middles of their squares.
    l.reach = (int)fmin(ceil(2 * clear * largest / l.step + 0.4), 16);
    l.heading = atan2(place->eye.x - place->middle.x, place->middle.z - place->eye.z) + 0.25 * pi;
    int rings = (int)(4 * sqrt((double)most)) + 40;
    for (int ring = 0; ring <= rings; ++ring)
        for (int j = -ring; j <= ring; ++j)
            for (int i = -ring; i <= ring; i += abs(j) == ring || !ring ? 1 : 2 * ring) {
                if (a->count == most) return;
                spot s = spot_of(&l, i, j);
                if (a->kind_count > 1 && gives_way(&l, i, j, &s)) continue;
                a->count += stand(&l, &s, &a->units[a->count]);
            }
}
