// SPDX-License-Identifier: MIT
// Zones of a net on the screen, without a pack.
#pragma once
#include "gl/zones.h"
#include "scenes/nets.h"
#include "stage.h"

typedef struct ground {
    karst_net *net;
    scene_zones cut;
    karst_zone_scene *scene;
    karst_gl *gl;
    karst_gl_zones *zones;
    karst_gl_look look;
} ground;

// Of a finished net, which it takes over. defines: for the shaders. samples: of a pixel.
static inline ground ground_make(karst_net *net, const char *defines, int samples, const karst_gl_zones_def *def) {
    ground g = {.net = net, .look = karst_gl_look_default()};
    karst_report report = {0};
    karst_status status = scene_zones_cut(g.net, &report, &g.cut);
    if (!status) status = karst_zone_scene_create(NULL, &g.scene);
    for (int k = 0; k < g.cut.count && !status; ++k) {
        uint16_t at;
        status = karst_zone_scene_add(g.scene, g.cut.zones[k], &report, &at);
    }
    karst_gl_def gl = karst_gl_def_default();
    gl.report = &report;
    gl.samples = samples;
    if (!status) status = kst_gl_create_with(NULL, &gl, defines, &g.gl);
    if (!status) status = karst_gl_zones_create(g.gl, g.scene, def, &g.zones);
    if (status) fail_msg("%s", report.message);
    g.look.zones = g.zones;
    return g;
}

// The sample land, or a hill of all kinds of binds.
static inline karst_net *ground_net(bool sample, uint8_t slot) {
    karst_report report = {0};
    karst_net *net = NULL;
    const scene_net_def def = {.side = 16, .slot = slot, .tiles_log2 = 3, .noise_set = 2};
    karst_status status = sample ? scene_net_sample(slot, &report, &net) : scene_net(&def, &report, &net);
    if (status) fail_msg("%s", report.message);
    return net;
}

static inline void ground_clear(ground *g) {
    karst_gl_zones_destroy(g->zones);
    karst_gl_destroy(g->gl);
    karst_zone_scene_destroy(g->scene);
    scene_zones_free(&g->cut);
    karst_net_destroy(g->net);
}
