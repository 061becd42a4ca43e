// SPDX-License-Identifier: MIT
// Budget: from options to the governor.
#include "budget.h"

static const float finest_px = 0.25f, coarsest_px = 64;
enum { SETTLE_ROUNDS = 64 };

karst_status budget_open(budget *b, int64_t triangles, float target_ms, float error_px, int64_t army_triangles) {
    *b = (budget){.is_one = triangles > 0 || target_ms > 0,
                  .triangles = triangles > 0 ? triangles : BUDGET_TRIANGLES_MAX,
                  .target_ms = target_ms,
                  .army_triangles = army_triangles,
                  .ground = karst_governed_ground_default()};
    if (!b->is_one) {
        b->ground.error_px = error_px;
        return KARST_OK;
    }
    b->ground.least_px = error_px > 0 ? error_px : finest_px;
    b->ground.most_px = error_px > coarsest_px ? error_px : coarsest_px;
    karst_governor_def def = army_governor_def(0);
    return karst_governor_create(&def, &b->alone);
}

void budget_close(budget *b) {
    karst_governor_destroy(b->alone);
    *b = (budget){0};
}

karst_status budget_divide(budget *b, army *a, const karst_view *view, float frame_ms) {
    karst_governor_input input = {.most_triangles = b->army_triangles};
    if (b->is_one)
        input = (karst_governor_input){
            .most_triangles = b->triangles, .target_ms = b->target_ms, .frame_ms = frame_ms, .ground = &b->ground};
    float before = b->ground.error_px;
    karst_status status = KARST_OK;
    if (a->count) {
        status = army_choose(a, view, &input);
        b->figures = a->figures;
    } else if (b->is_one) {
        karst_governor_update(b->alone, &input, NULL, 0, &b->figures);
    }
    b->is_still = !a->moving && (!b->is_one || (b->ground.error_px == before && !b->figures.changed));
    return status;
}

void budget_tell(budget *b, const karst_frame *frame) {
    karst_governed_ground_tell(&b->ground, frame);
}

karst_status budget_settle(budget *b, army *a, patches *p, karst_scene *scene, const karst_view *view,
                           const karst_budget *how) {
    karst_status status = KARST_OK;
    float most_step = b->ground.most_step;
    b->ground.most_step = 0;  // nobody sees it slide
    a->at_once = true;
    for (int k = 0; k < (b->is_one ? SETTLE_ROUNDS : 1) && !status; ++k) {
        status = budget_divide(b, a, view, 0);
        if (status || (k && b->is_still) || !b->is_one) break;
        karst_budget asked = *how;
        asked.error_px = b->ground.error_px;
        patches_aim(p, view, &asked);  // seams follow the error
        karst_frame frame;
        status = karst_scene_settle(scene, view, 1, &asked, &frame);
        if (!status) budget_tell(b, &frame);
    }
    b->ground.most_step = most_step;
    a->at_once = false;
    return status;
}
