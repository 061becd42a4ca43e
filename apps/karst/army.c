// SPDX-License-Identifier: MIT
// Army: places from numbers of a seed, levels from the governor.
#include "army.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/core.h"
#ifdef KARST_WITH_AUTHOR
#include "karst/mrmbuild.h"
#include "scenes/models.h"
#endif

static const double pi = 3.14159265358979323846;
static const uint64_t seed = 1;
static const float gentle = 0.94f;  // cosine of the steepest slope that is stood on, 20 degrees
static const double apart = 1.5;    // units, in their diameters

// ---- the mesh --------------------------------------------------------------------------------------

static karst_status read_mesh(const char *what, karst_report *report, karst_mrm **out) {
    if (strncmp(what, "made:", 5)) return karst_mrm_open(what, NULL, report, out);
    if (strcmp(what, "made:tank"))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "--army %s: give a .kmrm file or made:tank", what);
#ifdef KARST_WITH_AUTHOR
    karst_model *model;
    karst_status status = scene_model_tank(&model);
    if (status) return kst_fail(report, status, "no memory for a tank");
    status = karst_mrm_build(model, NULL, NULL, report, out);
    karst_model_destroy(model);
    return status;
#else
    return kst_fail(report, KARST_ERROR_UNSUPPORTED, "--army made:tank: this build makes none; give a .kmrm file");
#endif
}

static void measure(army *a) {
    const karst_model *m = karst_mrm_model(a->mrm);
    karst_box b = karst_model_bounds(m);
    double x = b.max.x - b.min.x, y = b.max.y - b.min.y, z = b.max.z - b.min.z;
    a->centre =
        (karst_vec3){(float)(0.5 * (b.min.x + b.max.x) - m->origin.x), (float)(0.5 * (b.min.y + b.max.y) - m->origin.y),
                     (float)(0.5 * (b.min.z + b.max.z) - m->origin.z)};
    a->radius_m = (float)fmax(0.5 * sqrt(x * x + y * y + z * z), 1e-3);
}

// ---- places ----------------------------------------------------------------------------------------

// Stand a unit at (x, z): false where there is no ground below all of it, where that is steep, or under water.
static bool stand(const army *a, const karst_scene *scene, double x, double z, float water_m, karst_gl_instance *out) {
    double r = 0.4 * (double)a->radius_m, h[4];
    if (!karst_scene_height(scene, x - r, z, &h[0]) || !karst_scene_height(scene, x + r, z, &h[1]) ||
        !karst_scene_height(scene, x, z - r, &h[2]) || !karst_scene_height(scene, x, z + r, &h[3]))
        return false;
    double dx = (h[0] - h[1]) / (2 * r), dz = (h[2] - h[3]) / (2 * r), length = sqrt(dx * dx + 1 + dz * dz);
    *out = (karst_gl_instance){.position = {x, 0.25 * (h[0] + h[1] + h[2] + h[3]), z},
                               .scale = 1,
                               .shadow = true,
                               .up = {(float)(dx / length), (float)(1 / length), (float)(dz / length)}};
    double twist = fabs(h[0] + h[1] - h[2] - h[3]);  // a hollow or a hump is no place
    return out->up.y > gentle && twist < 0.3 * r && !(fmin(fmin(h[0], h[1]), fmin(h[2], h[3])) < (double)water_m + 0.3);
}

// Squares of a grid in rings round the middle, each with one place in it, until there are enough.
static void place_all(army *a, const karst_scene *scene, karst_pos middle, double heading, float water_m, int count) {
    double step = 2 * apart * (double)a->radius_m;
    int rings = (int)(4 * sqrt((double)count)) + 40;
    for (int ring = 0; ring <= rings; ++ring)
        for (int j = -ring; j <= ring; ++j)
            for (int i = -ring; i <= ring; i += abs(j) == ring || !ring ? 1 : 2 * ring) {
                if (a->count == count) return;
                uint64_t place = 3 * ((uint64_t)(uint32_t)i << 32 | (uint32_t)j);
                double x = middle.x + step * (i + 0.4 * (kst_random01(seed, place) - 0.5));
                double z = middle.z + step * (j + 0.4 * (kst_random01(seed, place + 1) - 0.5));
                karst_gl_instance *unit = &a->units[a->count];
                if (!stand(a, scene, x, z, water_m, unit)) continue;
                unit->heading_rad = (float)(heading + 0.7 * (kst_random01(seed, place + 2) - 0.5));
                ++a->count;
            }
}

karst_pos army_middle(const karst_scene *scene, const karst_view *view, karst_pos otherwise, bool near) {
    karst_pos origin, direction;
    karst_view_ray(view, 0.5 * view->width, 0.5 * view->height, &origin, &direction);
    karst_hit hit = karst_scene_cast(scene, karst_ray_make(origin, direction));
    karst_pos at = hit.hit ? hit.position : otherwise, eye = view->eye;
    double ground, far = hypot(at.x - eye.x, at.z - eye.z);
    if (!near || !karst_scene_height(scene, eye.x, eye.z, &ground)) return at;
    double most = fmax(3 * (eye.y - ground), 150);
    double share = far > most ? most / far : 1;
    return (karst_pos){eye.x + share * (at.x - eye.x), at.y, eye.z + share * (at.z - eye.z)};
}

// ---- open and close --------------------------------------------------------------------------------

karst_status army_open(army *a, const char *what, int count, karst_gl *gl, const karst_scene *scene, karst_pos eye,
                       karst_pos middle, float water_m, karst_report *report) {
    *a = (army){0};
    karst_status status = read_mesh(what, report, &a->mrm);
    if (status) return status;
    measure(a);
    int id;
    karst_governor_def def = karst_governor_def_default();
    def.most_drawables = count;
    a->units = calloc((size_t)count, sizeof *a->units);
    a->drawables = calloc((size_t)count, sizeof *a->drawables);
    a->seen = calloc((size_t)count, sizeof *a->seen);
    a->whose = calloc((size_t)count, sizeof *a->whose);
    status = a->units && a->drawables && a->seen && a->whose ? karst_governor_create(&def, &a->governor)
                                                             : KARST_ERROR_MEMORY;
    if (!status) status = karst_gl_meshes_create(gl, &a->meshes);
    if (!status) status = karst_gl_meshes_add(a->meshes, a->mrm, &id);
    if (status) return kst_fail(report, status, "%s: cannot be drawn: %s", what, karst_status_text(status));
    double heading = atan2(eye.x - middle.x, middle.z - eye.z) + 0.25 * pi;
    place_all(a, scene, middle, heading, water_m, count);
    if (!a->count)
        return kst_fail(report, KARST_ERROR_ARGUMENT,
                        "--army: no ground round %.0f, %.0f is level enough to stand on; look at another place",
                        middle.x, middle.z);
    for (int k = 0; k < a->count; ++k) {
        karst_drawable *d = &a->drawables[k];
        *d = (karst_drawable){.weight = 1, .level = KARST_DRAWABLE_NEW};
        int levels;
        d->levels = karst_mrm_curve(a->mrm, &levels);
        d->level_count = levels;
    }
    return KARST_OK;
}

void army_close(army *a) {
    karst_gl_meshes_destroy(a->meshes);
    karst_governor_destroy(a->governor);
    karst_mrm_destroy(a->mrm);
    free(a->units);
    free(a->drawables);
    free(a->seen);
    free(a->whose);
    *a = (army){0};
}

// ---- levels ----------------------------------------------------------------------------------------

// Pixels that an error of a metre takes at the nearest place of a unit; 0 when it is not seen.
static float pixels_of(const army *a, const karst_gl_instance *unit, const karst_view *view, double slope) {
    karst_vec3 u = unit->up;  // the centre is about over the place
    double over = (double)a->centre.y;
    double x = unit->position.x + over * (double)u.x - view->eye.x;
    double y = unit->position.y + over * (double)u.y - view->eye.y;
    double z = unit->position.z + over * (double)u.z - view->eye.z, r = (double)a->radius_m;
    double depth = -(x * (double)view->back.x + y * (double)view->back.y + z * (double)view->back.z);
    double right = fabs(x * (double)view->right.x + y * (double)view->right.y + z * (double)view->right.z);
    double up = fabs(x * (double)view->up.x + y * (double)view->up.y + z * (double)view->up.z);
    double tan_x = (double)view->tan_x, tan_y = (double)view->tan_y;
    if (depth < -r || right > tan_x * depth + r * sqrt(1 + tan_x * tan_x) ||
        up > tan_y * depth + r * sqrt(1 + tan_y * tan_y))
        return 0;
    return (float)(1 / (slope * fmax(sqrt(x * x + y * y + z * z) - r, 0.1)));
}

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// What is out of view is no part of the budget, and waits at the coarsest level.
karst_status army_choose(army *a, const karst_view *view, int64_t most_triangles) {
    double begin = cpu_ms(), slope = karst_view_error_slope(view, 1);
    int seen = 0;
    for (int k = 0; k < a->count; ++k) {
        karst_drawable *d = &a->drawables[k];
        d->pixels_per_m = pixels_of(a, &a->units[k], view, slope);
        a->units[k].vertices = d->levels[0].vertices;
        if (d->pixels_per_m > 0) {
            a->seen[seen] = *d;
            a->whose[seen++] = k;
        } else {
            d->level = KARST_DRAWABLE_NEW;
        }
    }
    const karst_governor_input input = {.most_triangles = most_triangles};
    karst_governor_update(a->governor, &input, a->seen, seen, &a->figures);
    for (int k = 0; k < seen; ++k) {
        const karst_drawable *d = &a->seen[k];
        a->drawables[a->whose[k]].level = d->level;
        a->units[a->whose[k]].vertices = d->levels[d->level].vertices;
    }
    karst_status status = karst_gl_meshes_show(a->meshes, a->units, a->count);
    a->choose_ms = cpu_ms() - begin;
    return status;
}
