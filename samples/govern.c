// SPDX-License-Identifier: MIT
// One budget of triangles over ground and things on it: a round over the land, whose frames differ in their error and
// hardly in what they cost. How the budget is divided is in docs/governor.md.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "karst/karst.h"

enum { THINGS = 100, LEVELS = 6, FRAMES = 400, SETTLED = 60 };

static karst_view view_of(const karst_scene *scene, karst_box box, int frame) {
    double turn = 6.2831853 * frame / FRAMES, x = (box.min.x + box.max.x) / 2, z = (box.min.z + box.max.z) / 2;
    double size = fmin(box.max.x - box.min.x, box.max.z - box.min.z), y = box.min.y;
    karst_pos eye = {x + 0.35 * size * cos(turn), 0, z + 0.35 * size * sin(turn)};
    if (karst_scene_height(scene, eye.x, eye.z, &y))
        eye.y = y + 0.02 * size * (2 + sin(3 * turn));
    else
        eye.y = box.max.y + 0.02 * size;
    return karst_view_perspective(eye, (karst_pos){x, eye.y - 0.1 * size, z}, (karst_vec3){0, 1, 0}, 1, 1280, 720);
}

int main(int argc, char **argv) {
    int64_t most = argc == 3 ? atoll(argv[2]) : 0;
    if (most <= 0) {
        fprintf(stderr, "usage: govern PACK TRIANGLES\n");
        return 2;
    }
    karst_report report = {0};
    karst_pack_def def = karst_pack_def_default();
    def.report = &report;
    karst_pack *pack;
    if (karst_pack_open(argv[1], &def, &pack)) {
        fprintf(stderr, "%s\n", report.message);
        return 1;
    }
    karst_scene *scene;
    karst_governor *governor;
    if (karst_scene_create(pack, NULL, &scene) || karst_governor_create(NULL, &governor)) return 1;

    // A ball of a metre as 20, 80, 320 ... triangles; a mesh of your own brings its curve: karst_mrm_curve().
    karst_mrm_level ball[LEVELS];
    for (int k = 0; k < LEVELS; ++k)
        ball[k] = (karst_mrm_level){.triangles = 20u << 2 * k, .error_m = 0.2f / (float)(1 << 2 * k)};
    karst_box box = karst_pack_info_of(pack).bounds;
    karst_pos place[THINGS];
    karst_drawable thing[THINGS];
    for (int i = 0; i < THINGS; ++i) {
        double turn = 2.4 * i, far = 0.4 * sqrt((i + 0.5) / THINGS);  // a sunflower
        place[i] = (karst_pos){box.min.x + (0.5 + far * cos(turn)) * (box.max.x - box.min.x), box.max.y,
                               box.min.z + (0.5 + far * sin(turn)) * (box.max.z - box.min.z)};
        karst_scene_height(scene, place[i].x, place[i].z, &place[i].y);
        thing[i] = (karst_drawable){.levels = ball, .level_count = LEVELS, .weight = 1, .level = KARST_DRAWABLE_NEW};
    }

    karst_governed_ground ground = karst_governed_ground_default();
    ground.most_px = 200;  // of a tight budget
    int64_t least_drawn = INT64_MAX, most_drawn = 0;
    float least_px = INFINITY, most_px = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        karst_view view = view_of(scene, box, frame);
        double slope = karst_view_error_slope(&view, 1), x, y, depth;
        for (int i = 0; i < THINGS; ++i)  // what is behind the eye has no error
            thing[i].pixels_per_m =
                karst_view_project(&view, place[i], &x, &y, &depth) && depth > 1 ? (float)(1 / (slope * depth)) : 0;
        karst_governor_input input = {.most_triangles = most, .ground = &ground};  // and .target_ms, .frame_ms
        karst_governor_figures figures;
        karst_governor_update(governor, &input, thing, THINGS, &figures);

        karst_budget budget = karst_budget_default();
        budget.error_px = ground.error_px;
        budget.wait = true;
        karst_frame drawn;
        if (karst_scene_update(scene, &view, 1, &budget, &drawn)) return 1;
        karst_governed_ground_tell(&ground, &drawn);

        if (frame < SETTLED) continue;
        int64_t sum = drawn.figures.triangles;
        for (int i = 0; i < THINGS; ++i) sum += ball[thing[i].level].triangles;
        least_drawn = sum < least_drawn ? sum : least_drawn;
        most_drawn = sum > most_drawn ? sum : most_drawn;
        least_px = fminf(least_px, figures.worst_error_px);
        most_px = fmaxf(most_px, figures.worst_error_px);
    }
    printf("%lld to %lld triangles a frame of %lld, at most %.2f to %.2f pixels off\n", (long long)least_drawn,
           (long long)most_drawn, (long long)most, (double)least_px, (double)most_px);

    karst_governor_destroy(governor);
    karst_scene_destroy(scene);
    karst_pack_close(pack);
    return 0;
}
