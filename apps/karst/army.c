// SPDX-License-Identifier: MIT
// Army: meshes read or made, levels from the governor.
#include "army.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "army_place.h"
#include "core/core.h"
#include "mesh_read.h"
#ifdef KARST_WITH_AUTHOR
#include "scenes/made.h"
#endif

// ---- kinds -----------------------------------------------------------------------------------------

static const float most_px = 0.75f;      // that a vertex may move in a frame for a change of level,
static const float most_share = 0.125f;  // and how much of the way shading may go

static void measure(army_kind *kind, bool is_made) {
    const karst_model *m = karst_mrm_model(kind->mrm);
    karst_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    double aside = 1e-3;
    for (uint32_t k = 0; k < m->vertex_count; ++k) {
        karst_vec3 p = m->position[k];
        low = (karst_vec3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
        high = (karst_vec3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
        aside = fmax(aside, hypot((double)p.x, (double)p.z));
    }
    kind->centre = (karst_vec3){0.5f * (low.x + high.x), 0.5f * (low.y + high.y), 0.5f * (low.z + high.z)};
    kind->radius_m = fmaxf(0.5f * hypotf(hypotf(high.x - low.x, high.y - low.y), high.z - low.z), 1e-3f);
    kind->aside_m = (float)aside;
    kind->base_m = is_made ? 0 : low.y;  // made models have the ground at 0
    kind->reach_m = fmaxf(kind->base_m - low.y, 0);
    // What is near the ground, which may be much less than all of it.
    float below = kind->base_m + fminf(fmaxf(0.1f * (high.y - kind->base_m), 0.05f), 0.3f);
    float foot[4] = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (uint32_t k = 0; k < m->vertex_count; ++k) {
        karst_vec3 p = m->position[k];
        if (p.y > below) continue;
        foot[0] = fminf(foot[0], p.x), foot[1] = fmaxf(foot[1], p.x);
        foot[2] = fminf(foot[2], p.z), foot[3] = fmaxf(foot[3], p.z);
    }
    for (int c = 0; c < 4; c += 2) {  // at least a step wide, or a slope would be a matter of millimetres
        float middle = foot[c] <= foot[c + 1] ? 0.5f * (foot[c] + foot[c + 1]) : 0;
        float half = fmaxf(foot[c] <= foot[c + 1] ? 0.5f * (foot[c + 1] - foot[c]) : 0, 0.1f * kind->aside_m);
        kind->foot[c] = middle - half;
        kind->foot[c + 1] = middle + half;
    }
}

static army_kind *add_kind(army *a, karst_mrm *mrm, bool is_made) {
    army_kind *kind = &a->kinds[a->kind_count++];
    *kind = (army_kind){.mrm = mrm, .share = 1};
    kind->levels = karst_mrm_curve(mrm, &kind->level_count);
    measure(kind, is_made);
    return kind;
}

#ifdef KARST_WITH_AUTHOR
static karst_status make_kind(army *a, const scene_made *made, bool mixed, karst_report *report) {
    if (a->kind_count == ARMY_KINDS_MAX)
        return kst_fail(report, KARST_ERROR_LIMIT, "--army: %d meshes at most", ARMY_KINDS_MAX);
    char what[32];
    karst_mrm *mrm;
    snprintf(what, sizeof what, "made:%s", made->name);
    karst_status status = mesh_read(what, NULL, report, &mrm);
    if (status) return status;
    army_kind *kind = add_kind(a, mrm, true);
    kind->upright = made->upright;
    kind->vary = made->vary;
    kind->turns = made->upright || made->vary > 0;
    kind->share = mixed ? made->share : 1;
    return KARST_OK;
}

static karst_status make_kinds(army *a, const char *name, karst_report *report) {
    int count;
    const scene_made *all = scene_made_all(&count), *one = scene_made_find(name);
    if (one) return make_kind(a, one, false, report);
    if (strcmp(name, "all"))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "--army made:%s: give a mesh file, made:all or made: one of %s",
                        name, SCENE_MADE_UNITS);
    karst_status status = KARST_OK;
    for (int k = 0; k < count && !status; ++k)
        if (all[k].share) status = make_kind(a, &all[k], true, report);
    return status;
}
#else
static karst_status make_kinds(army *a, const char *name, karst_report *report) {
    (void)a;
    return kst_fail(report, KARST_ERROR_UNSUPPORTED, "--army made:%s: this build makes none; give a .kmrm file", name);
}
#endif

static karst_status read_kinds(army *a, const char *what, karst_report *report) {
    if (!strncmp(what, "made:", 5)) return make_kinds(a, what + 5, report);
    if (a->kind_count == ARMY_KINDS_MAX)
        return kst_fail(report, KARST_ERROR_LIMIT, "--army %s: %d meshes at most", what, ARMY_KINDS_MAX);
    karst_mrm *mrm;
    karst_status status = mesh_read(what, NULL, report, &mrm);
    if (!status) add_kind(a, mrm, false);
    return status;
}

karst_pos army_middle(const karst_ground *ground, const karst_view *view, karst_pos otherwise, bool near) {
    karst_pos origin, direction;
    karst_view_ray(view, 0.5 * view->width, 0.5 * view->height, &origin, &direction);
    karst_ray ray = karst_ray_make(origin, direction);
    karst_hit hit = {0};
    if (karst_ground_cast(ground, &ray, &hit)) hit.hit = false;
    karst_pos at = hit.hit ? hit.position : otherwise, eye = view->eye;
    double below, far = hypot(at.x - eye.x, at.z - eye.z);
    if (!near || !karst_ground_height(ground, eye.x, eye.z, &below)) return at;
    double most = fmax(3 * (eye.y - below), 150);
    double share = far > most ? most / far : 1;
    return (karst_pos){eye.x + share * (at.x - eye.x), at.y, eye.z + share * (at.z - eye.z)};
}

// ---- open and close --------------------------------------------------------------------------------

karst_governor_def army_governor_def(int count) {
    karst_governor_def def = karst_governor_def_default();
    def.most_drawables = count;
    def.start_triangles = 200000;
    def.least_triangles = 20000;
    return def;
}

karst_status army_read(army *a, const char *const *what, int what_count, karst_report *report) {
    karst_status status = KARST_OK;
    for (int k = 0; k < what_count && !status; ++k) status = read_kinds(a, what[k], report);
    return status;
}

static karst_status make_room(army *a, int count) {
    size_t n = (size_t)count;
    karst_governor_def def = army_governor_def(count);
    a->units = calloc(n, sizeof *a->units);
    a->drawables = calloc(n, sizeof *a->drawables);
    a->morphs = calloc(n, sizeof *a->morphs);
    a->seen = calloc(n, sizeof *a->seen);
    a->whose = calloc(n, sizeof *a->whose);
    if (!a->units || !a->drawables || !a->morphs || !a->seen || !a->whose) return KARST_ERROR_MEMORY;
    return karst_governor_create(&def, &a->governor);
}

karst_status army_open(army *a, const char *const *what, int what_count, int count, karst_gl *gl,
                       const army_place *place, karst_report *report) {
    *a = (army){0};
    karst_status status = army_read(a, what, what_count, report);
    if (status) return status;
    int id;
    status = make_room(a, count);
    for (int k = 0; k < a->kind_count && !status; ++k)
        status = karst_geomorph_create(a->kinds[k].mrm, NULL, &a->kinds[k].geomorph);
    if (!status) status = karst_gl_meshes_create(gl, &a->meshes);
    for (int k = 0; k < a->kind_count && !status; ++k) status = karst_gl_meshes_add(a->meshes, a->kinds[k].mrm, &id);
    if (status) return kst_fail(report, status, "--army %s: cannot be drawn: %s", what[0], karst_status_text(status));
    army_stand(a, place, count);
    if (!a->count)
        return kst_fail(report, KARST_ERROR_ARGUMENT,
                        "--army: no ground round %.0f, %.0f is level enough to stand on; look at another place",
                        place->middle.x, place->middle.z);
    for (int k = 0; k < a->count; ++k) {
        const army_kind *kind = &a->kinds[a->units[k].mesh];
        a->drawables[k] = (karst_drawable){
            .weight = 1, .level = KARST_DRAWABLE_NEW, .levels = kind->levels, .level_count = kind->level_count};
    }
    return KARST_OK;
}

void army_close(army *a) {
    karst_gl_meshes_destroy(a->meshes);
    karst_governor_destroy(a->governor);
    for (int k = 0; k < a->kind_count; ++k) {
        karst_geomorph_destroy(a->kinds[k].geomorph);
        karst_mrm_destroy(a->kinds[k].mrm);
    }
    free(a->units);
    free(a->drawables);
    free(a->morphs);
    free(a->seen);
    free(a->whose);
    *a = (army){0};
}

// ---- levels ----------------------------------------------------------------------------------------

// Pixels that an error of a metre takes at the nearest place of a unit; 0 when it is not seen.
static float pixels_of(const army *a, const karst_gl_instance *unit, const karst_view *view, double slope) {
    const army_kind *kind = &a->kinds[unit->mesh];
    karst_vec3 u = unit->up;  // the centre is about over the place
    double scale = (double)unit->scale, over = scale * (double)kind->centre.y, r = scale * (double)kind->radius_m;
    double x = unit->position.x + over * (double)u.x - view->eye.x;
    double y = unit->position.y + over * (double)u.y - view->eye.y;
    double z = unit->position.z + over * (double)u.z - view->eye.z;
    double depth = -(x * (double)view->back.x + y * (double)view->back.y + z * (double)view->back.z);
    double right = fabs(x * (double)view->right.x + y * (double)view->right.y + z * (double)view->right.z);
    double up = fabs(x * (double)view->up.x + y * (double)view->up.y + z * (double)view->up.z);
    double tan_x = (double)view->tan_x, tan_y = (double)view->tan_y;
    if (depth < -r || right > tan_x * depth + r * sqrt(1 + tan_x * tan_x) ||
        up > tan_y * depth + r * sqrt(1 + tan_y * tan_y))
        return 0;
    return (float)(scale / (slope * fmax(sqrt(x * x + y * y + z * z) - r, 0.1)));
}

// One frame's step of a unit toward its level.
static void follow(army *a, int k, const karst_drawable *d, bool is_new) {
    karst_morph *m = &a->morphs[k];
    if (is_new) *m = (karst_morph){d->level, d->level, 1};
    a->moving +=
        karst_geomorph_follow(a->kinds[a->units[k].mesh].geomorph, m, d->level, most_px / d->pixels_per_m, most_share);
    a->units[k].vertices = d->levels[m->fine].vertices;
    a->units[k].coarse_vertices = m->coarse < m->fine ? d->levels[m->coarse].vertices : 0;
    a->units[k].share = m->share;
}

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void sum_up(army *a, int seen) {
    a->triangles = 0;
    a->error_px = 0;
    for (int k = 0; k < seen; ++k) {
        const karst_mrm_level *level = &a->seen[k].levels[a->seen[k].level];
        a->triangles += level->triangles;
        a->error_px = fmaxf(a->error_px, level->error_m * a->seen[k].pixels_per_m);
    }
}

// What is out of view is no part of the budget, and waits at the coarsest level.
karst_status army_choose(army *a, const karst_view *view, const karst_governor_input *input) {
    double begin = cpu_ms(), slope = karst_view_error_slope(view, 1);
    int seen = 0;
    a->moving = 0;
    for (int k = 0; k < a->count; ++k) {
        karst_drawable *d = &a->drawables[k];
        d->pixels_per_m = pixels_of(a, &a->units[k], view, slope);
        a->units[k].vertices = d->levels[0].vertices;
        a->units[k].coarse_vertices = 0;
        if (d->pixels_per_m > 0) {
            a->seen[seen] = *d;
            a->whose[seen++] = k;
        } else {
            d->level = KARST_DRAWABLE_NEW;
        }
    }
    karst_governor_update(a->governor, input, a->seen, seen, &a->figures);
    for (int k = 0; k < seen; ++k) {
        int unit = a->whose[k];
        follow(a, unit, &a->seen[k], a->at_once || a->drawables[unit].level == KARST_DRAWABLE_NEW);
        a->drawables[unit].level = a->seen[k].level;
    }
    karst_status status = karst_gl_meshes_show(a->meshes, a->units, a->count);
    sum_up(a, seen);
    a->choose_ms = cpu_ms() - begin;
    return status;
}
