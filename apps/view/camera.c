// SPDX-License-Identifier: MIT
// Camera: smooth motion that the ground bounds.
//
// Velocity follows the wish as 1 - exp(-t / tau) and the path is that curve's exact integral, so the way does not
// depend on the frame rate. What the ground says is asked every few decimetres of the way.
#include "camera.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

enum { LEVELS_MAX = 16, STEPS_MAX = 64 };

static const double fly_tau_s = 0.15, walk_tau_s = 0.08;
static const double pitch_max_rad = 1.55;  // short of straight up, where yaw would lose its meaning
static const double hurry_times = 5;

// Flying keeps this far off the ground; half of it is the hard limit, between them the eye is lifted gently.
static const double fly_clear_m = 1.2;

static const double walk_m_s = 2.5;
static const double knee_m = 0.6;                            // a step up that feet manage at once
static const double foot_step_m = 0.2;                       // the ground is felt this often
static const double easy_slope = 0.8, steepest_slope = 1.8;  // rise over run: from no hindrance to no way up
static const double eye_tau_s = 0.05, fall_tau_s = 0.15;
static const double eye_play_m = 0.25;  // how far the eye may lag behind the feet, up and down

// ---- the ground, column by column ------------------------------------------------------------------

// Open air at (x, z): from floor up to ceiling. Levels are sorted from the top; a face that looks down is the
// ceiling of the air below it.
typedef struct air {
    double floor, ceiling;
    karst_vec3 normal;  // of the floor
} air;

// All open columns of air at (x, z) that have a floor, from the top down.
static int airs_at(const karst_ground *ground, double x, double z, air out[LEVELS_MAX]) {
    karst_level levels[LEVELS_MAX];
    int count = 0, found = 0;
    if (karst_ground_heights(ground, x, z, levels, LEVELS_MAX, &count)) return 0;
    if (count > LEVELS_MAX) count = LEVELS_MAX;
    double ceiling = INFINITY;
    for (int k = 0; k < count; ++k) {
        if (levels[k].normal.y >= 0) {
            out[found++] = (air){levels[k].y, ceiling, levels[k].normal};
            ceiling = levels[k].y;  // rock below, or a thin sheet: the next face tells
        } else {
            ceiling = levels[k].y;
        }
    }
    return found;
}

// The air that holds y, or the nearest one above it, or the topmost one; NULL without ground.
static const air *air_for(const air *airs, int count, double y) {
    const air *best = NULL;
    for (int k = 0; k < count; ++k)
        if (!best || best->floor > y) best = y < airs[k].ceiling || !best ? &airs[k] : best;
    return best;
}

static double box_distance(karst_box b, karst_pos p) {
    double dx = fmax(fmax(b.min.x - p.x, p.x - b.max.x), 0), dy = fmax(fmax(b.min.y - p.y, p.y - b.max.y), 0),
           dz = fmax(fmax(b.min.z - p.z, p.z - b.max.z), 0);
    return sqrt(dx * dx + dy * dy + dz * dz);
}

static double diagonal(karst_box b) {
    double x = b.max.x - b.min.x, y = b.max.y - b.min.y, z = b.max.z - b.min.z;
    return sqrt(x * x + y * y + z * z);
}

static double clamp(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

static double clearance(karst_box b) {
    return fmin(fly_clear_m, 0.01 * diagonal(b));
}

// ---- flying ----------------------------------------------------------------------------------------

// Speed grows with what there is to cross: the height over the ground, or the way back to it.
static double fly_speed(const camera *c, karst_box b) {
    double distance = box_distance(b, c->eye);
    double height = isnan(c->over_ground_m) ? fmax(distance, c->eye.y - b.min.y) : c->over_ground_m;
    double slowest = clamp(0.005 * diagonal(b), 0.05, 4);
    return c->fly_gain * (slowest + 0.8 * fmax(height, 0));
}

// One stretch of the way that the ground may bend. Where ground rises steeply in the way, the eye climbs instead.
static void fly_step(camera *c, const karst_ground *ground, karst_pos step, double clear, double dt_s) {
    double length = sqrt(step.x * step.x + step.y * step.y + step.z * step.z);
    if (length == 0) return;
    karst_pos to = {c->eye.x + step.x, c->eye.y + step.y, c->eye.z + step.z};
    air airs[LEVELS_MAX];
    const air *in = air_for(airs, airs_at(ground, to.x, to.z, airs), to.y);
    if (!in) {  // over a hole or outside: nothing to stay above but the whole
        to.y = fmax(to.y, fmin(c->eye.y, karst_ground_bounds(ground).min.y + clear));
        c->eye = to;
        return;
    }
    double low = in->floor + 0.5 * clear, soft = in->floor + clear, high = in->ceiling - 0.5 * clear;
    bool wall = low - c->eye.y > 3 * length || high < low;
    if (!wall) {
        if (to.y > high) to.y = high;
        if (to.y < soft) to.y = fmax(low, to.y + (soft - to.y) * (1 - exp(-dt_s / 0.1)));
        c->eye = to;
        return;
    }
    in = air_for(airs, airs_at(ground, c->eye.x, c->eye.z, airs), c->eye.y);
    if (!in || c->eye.y + length < in->ceiling - 0.5 * clear) c->eye.y += length;
}

static void fly(camera *c, const karst_ground *ground, karst_pos way, double dt_s) {
    karst_box b = karst_ground_bounds(ground);
    double clear = clearance(b), top = b.max.y + clear;
    double length = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    if (fmin(c->eye.y, c->eye.y + way.y) > top) {
        c->eye = (karst_pos){c->eye.x + way.x, c->eye.y + way.y, c->eye.z + way.z};
    } else {
        int steps = (int)clamp(ceil(length / (0.5 * clear)), 1, STEPS_MAX);
        for (int k = 0; k < steps; ++k)
            fly_step(c, ground, (karst_pos){way.x / steps, way.y / steps, way.z / steps}, clear, dt_s / steps);
    }
    double far = 20 * diagonal(b);  // nobody is lost in the void
    c->eye.x = clamp(c->eye.x, b.min.x - far, b.max.x + far);
    c->eye.y = clamp(c->eye.y, b.min.y - far, b.max.y + far);
    c->eye.z = clamp(c->eye.z, b.min.z - far, b.max.z + far);
}

// ---- on foot ---------------------------------------------------------------------------------------

// The floor that feet at height y would stand on at (x, z); false at a rim and before a wall.
static bool foothold(const karst_ground *ground, double x, double z, double y, air *out) {
    air airs[LEVELS_MAX];
    int count = airs_at(ground, x, z, airs);
    for (int k = 0; k < count; ++k)
        if (airs[k].floor <= y + knee_m && airs[k].ceiling - airs[k].floor > CAMERA_EYE_M) {
            *out = airs[k];
            return true;
        }
    return false;
}

// Ways round what blocks the straight one: a little to either side, then more, so that feet slide along a rim.
static bool foot_step(camera *c, const karst_ground *ground, double dx, double dz, double *feet_y) {
    static const double turns[] = {0, 0.35, -0.35, 0.7, -0.7, 1.05, -1.05, 1.35, -1.35};
    for (int k = 0; k < (int)(sizeof turns / sizeof *turns); ++k) {
        double co = cos(turns[k]), si = sin(turns[k]);
        double x = c->eye.x + (dx * co - dz * si) * co, z = c->eye.z + (dx * si + dz * co) * co;
        air stand;
        if (!foothold(ground, x, z, *feet_y, &stand)) continue;
        c->eye.x = x;
        c->eye.z = z;
        *feet_y = stand.floor;
        return true;
    }
    return false;
}

static double way_up(double slope) {
    double t = clamp((steepest_slope - slope) / (steepest_slope - easy_slope), 0, 1);
    return t * t * (3 - 2 * t);
}

static void walk(camera *c, const karst_ground *ground, double dx, double dz, double dt_s) {
    air stand;
    double feet_y = c->eye.y - CAMERA_EYE_M + eye_play_m;
    if (!foothold(ground, c->eye.x, c->eye.z, feet_y, &stand)) return;  // the ground under the feet is gone: wait
    bool standing = feet_y - stand.floor < 2.1 * eye_play_m;
    feet_y = stand.floor;

    // Uphill costs: none of it up to an easy slope, all of it where it is too steep. Across and down are free.
    double ny = fmax(stand.normal.y, 0.05), follow = 1 - exp(-dt_s / 0.15);
    c->lean_x += (-stand.normal.x / ny - c->lean_x) * follow;
    c->lean_z += (-stand.normal.z / ny - c->lean_z) * follow;
    double slope = hypot(c->lean_x, c->lean_z);
    if (slope > 1e-6) {
        double up = (dx * c->lean_x + dz * c->lean_z) / slope;
        if (up > 0) {
            double lose = up * (1 - way_up(slope)) / slope;
            dx -= lose * c->lean_x;
            dz -= lose * c->lean_z;
        }
        double length = hypot(dx, dz);
        if (length > 0) {  // speed counts along the ground
            double rise = (dx * c->lean_x + dz * c->lean_z) / length, share = 1 / sqrt(1 + rise * rise);
            dx *= share;
            dz *= share;
        }
    }
    double length = hypot(dx, dz);
    int steps = (int)ceil(length / foot_step_m);
    for (int k = 0; k < steps && k < STEPS_MAX; ++k) {
        double before = feet_y;
        if (!foot_step(c, ground, dx / steps, dz / steps, &feet_y)) {
            c->velocity = (karst_pos){0};
            break;
        }
        if (before - feet_y > knee_m) standing = false;  // stepped off an edge
    }

    double eye_y = feet_y + CAMERA_EYE_M;
    c->eye.y += (eye_y - c->eye.y) * (1 - exp(-dt_s / (standing ? eye_tau_s : fall_tau_s)));
    if (c->eye.y < eye_y - eye_play_m) c->eye.y = eye_y - eye_play_m;
    if (standing && c->eye.y > eye_y + eye_play_m) c->eye.y = eye_y + eye_play_m;
    if (fabs(eye_y - c->eye.y) < 1e-4) c->eye.y = eye_y;
}

bool camera_walk(camera *c, const karst_ground *ground) {
    karst_box b = karst_ground_bounds(ground);
    double x = clamp(c->eye.x, b.min.x, b.max.x), z = clamp(c->eye.z, b.min.z, b.max.z), reach = diagonal(b);
    air airs[LEVELS_MAX];
    int count = airs_at(ground, x, z, airs);
    for (double r = 1e-4 * reach; !count && r < reach; r *= 1.2)  // rings that grow, until one meets ground
        for (int k = 0; k < 24 && !count; ++k) {
            double px = x + r * cos(k * pi / 12), pz = z + r * sin(k * pi / 12);
            if (px < b.min.x || px > b.max.x || pz < b.min.z || pz > b.max.z) continue;
            count = airs_at(ground, px, pz, airs);
            if (count) {
                x = px;
                z = pz;
            }
        }
    const air *in = air_for(airs, count, c->eye.y);
    if (!in) return false;
    c->eye.x = x;
    c->eye.z = z;
    c->eye.y = fmax(c->eye.y, in->floor + CAMERA_EYE_M);  // glides down from here
    c->over_ground_m = c->eye.y - in->floor;
    c->velocity = (karst_pos){0};
    c->speed_m_s = 0;
    c->lean_x = c->lean_z = 0;
    c->walking = true;
    return true;
}

void camera_fly(camera *c) {
    c->walking = false;
    c->speed_m_s = 0;  // begins at what the height asks for
}

// ---- both ------------------------------------------------------------------------------------------

static karst_pos ahead(const camera *c) {
    double flat = cos(c->pitch_rad);
    return (karst_pos){sin(c->yaw_rad) * flat, sin(c->pitch_rad), -cos(c->yaw_rad) * flat};
}

camera camera_at(karst_pos eye, karst_pos look) {
    camera c = {.eye = eye, .fly_gain = 1, .walk_gain = 1, .over_ground_m = NAN};
    double x = look.x - eye.x, y = look.y - eye.y, z = look.z - eye.z, flat = hypot(x, z);
    if (flat > 0) c.yaw_rad = atan2(x, -z);
    if (flat > 0 || y != 0) c.pitch_rad = clamp(atan2(y, flat), -pitch_max_rad, pitch_max_rad);
    return c;
}

static void measure(camera *c, const karst_ground *ground) {
    air airs[LEVELS_MAX];
    const air *in = air_for(airs, airs_at(ground, c->eye.x, c->eye.z, airs), c->eye.y);
    c->over_ground_m = in ? c->eye.y - in->floor : NAN;
}

void camera_surface(camera *c, const karst_ground *ground) {
    air airs[LEVELS_MAX];
    const air *in = air_for(airs, airs_at(ground, c->eye.x, c->eye.z, airs), c->eye.y);
    if (in) c->eye.y = fmax(c->eye.y, in->floor + clearance(karst_ground_bounds(ground)));
    measure(c, ground);
}

void camera_move(camera *c, const karst_ground *ground, const camera_wish *wish, double dt_s) {
    c->yaw_rad = remainder(c->yaw_rad + wish->turn_right_rad, 2 * pi);
    c->pitch_rad = clamp(c->pitch_rad + wish->turn_up_rad, -pitch_max_rad, pitch_max_rad);
    double *gain = c->walking ? &c->walk_gain : &c->fly_gain;
    *gain = clamp(*gain * pow(1.25, wish->faster), 0.02, 50);

    karst_pos front = ahead(c), aim;
    if (c->walking) {
        aim = (karst_pos){sin(c->yaw_rad) * wish->forward + cos(c->yaw_rad) * wish->right, 0,
                          -cos(c->yaw_rad) * wish->forward + sin(c->yaw_rad) * wish->right};
    } else {
        aim = (karst_pos){front.x * wish->forward + cos(c->yaw_rad) * wish->right, front.y * wish->forward + wish->up,
                          front.z * wish->forward + sin(c->yaw_rad) * wish->right};
    }
    double length = sqrt(aim.x * aim.x + aim.y * aim.y + aim.z * aim.z);
    double wanted = c->walking ? walk_m_s * c->walk_gain : fly_speed(c, karst_ground_bounds(ground));
    if (wish->hurry) wanted *= hurry_times;
    // The speed itself changes by ratio, so that a cliff under the eye is no kick.
    c->speed_m_s = c->speed_m_s > 0 ? c->speed_m_s * pow(wanted / c->speed_m_s, 1 - exp(-dt_s / 0.25)) : wanted;
    double speed = c->speed_m_s / fmax(length, 1);
    aim = (karst_pos){aim.x * speed, aim.y * speed, aim.z * speed};

    double tau = c->walking ? walk_tau_s : fly_tau_s, keep = exp(-dt_s / tau), late = tau * (1 - keep);
    karst_pos v = c->velocity;
    karst_pos way = {aim.x * dt_s + (v.x - aim.x) * late, aim.y * dt_s + (v.y - aim.y) * late,
                     aim.z * dt_s + (v.z - aim.z) * late};
    c->velocity = (karst_pos){aim.x + (v.x - aim.x) * keep, aim.y + (v.y - aim.y) * keep, aim.z + (v.z - aim.z) * keep};
    if (length == 0 && fabs(c->velocity.x) + fabs(c->velocity.y) + fabs(c->velocity.z) < 1e-4 * c->speed_m_s)
        c->velocity = way = (karst_pos){0};  // at rest, exactly
    if (c->walking)
        walk(c, ground, way.x, way.z, dt_s);
    else
        fly(c, ground, way, dt_s);
    measure(c, ground);
}

karst_view camera_view(const camera *c, float fov_rad, int width, int height) {
    karst_pos front = ahead(c);
    karst_pos look = {c->eye.x + 1e3 * front.x, c->eye.y + 1e3 * front.y, c->eye.z + 1e3 * front.z};
    return karst_view_perspective(c->eye, look, (karst_vec3){0, 1, 0}, fov_rad, width, height);
}
