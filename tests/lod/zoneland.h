// SPDX-License-Identifier: MIT
// A small land of all binds, its zones in a scene.
#pragma once
#include "scenes/zoneweld.h"
#include "support/prop.h"

typedef struct land {
    karst_net *net;
    scene_zones zones;
    karst_zone_scene *scene;
    uint16_t slot[64];
    bool there[64];
} land;

// 16 x 16 patches and what stands on them, 8 x 8 tiles each, of one displacement map; no zone is in the scene yet.
static inline land land_make(int map) {
    karst_report report = {0};
    land l = {0};
    if (scene_net(&(scene_net_def){.side = 16, .slot = (uint8_t)map, .tiles_log2 = 3, .noise_set = 2}, &report, &l.net))
        fail_msg("%s", report.message);
    assert_int_equal(scene_zones_cut(l.net, &report, &l.zones), KARST_OK);
    assert_true(l.zones.count <= 64);
    assert_int_equal(karst_zone_scene_create(NULL, &l.scene), KARST_OK);
    return l;
}
static inline void land_put(land *l, int k) {
    karst_report report = {0};
    if (karst_zone_scene_add(l->scene, l->zones.zones[k], &report, &l->slot[k])) fail_msg("%s", report.message);
    l->there[k] = true;
}
static inline void land_put_all(land *l) {
    for (int k = 0; k < l->zones.count; ++k) land_put(l, k);
}
static inline void land_take(land *l, int k) {
    karst_zone_scene_remove(l->scene, l->slot[k]);
    l->there[k] = false;
}
static inline void land_free(land *l) {
    karst_zone_scene_destroy(l->scene);
    scene_zones_free(&l->zones);
    karst_net_destroy(l->net);
}
static inline karst_view view_at(karst_pos eye) {
    return karst_view_perspective(eye, (karst_pos){eye.x + 1, eye.y - 0.3, eye.z + 0.5}, (karst_vec3){0, 1, 0}, 1.05f,
                                  1280, 720);
}
static inline karst_zone_frame frame_of(land *l, karst_pos eye, const karst_zone_budget *budget) {
    karst_view view = view_at(eye);
    karst_zone_frame frame;
    karst_zone_scene_update(l->scene, &view, 1, budget, &frame);
    return frame;
}
