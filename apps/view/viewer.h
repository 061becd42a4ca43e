// SPDX-License-Identifier: MIT
// Viewer: a pack, a window and a camera between them; one call a frame.
#pragma once
#include "budget.h"
#include "hud.h"
#include "input.h"
#include "karst/gl.h"
#include "options.h"
#include "patches.h"
#include "window.h"
#include "words.h"

typedef struct viewer {
    const options *options;
    karst_jobs *jobs;
    karst_pack *pack;
    karst_scene *scene;
    patches patches;             // of the pack, or none
    const karst_ground *ground;  // of field and patches
    window window;
    karst_gl *gl;
    hud *hud;
    page page;
    karst_report report;

    camera start, camera;
    input input;
    float hour, contour_m;
    unsigned overlays;                                // karst_gl_overlay
    army army;                                        // of no units without --army
    budget budget;                                    // of ground and army
    float frame_ms;                                   // that was told last
    slider slider;                                    // of the budget
    graph time_graph;                                 // of frames
    graph triangle_graph, ground_graph, error_graph;  // of the army, or of one budget and the ground's part of it
    karst_gl_key keys[KARST_GL_KEYS_MAX];             // legend of the last frame
    int key_count;
    karst_method method;
    bool lapse, frozen, help, figures;
    karst_view frozen_view;  // from which detail is chosen while frozen
    bool picture_wanted;
    bool grabbed;  // the mouse, while it turns the head
    char message[256];
    double message_until_s;

    karst_view view;  // of the last frame
    karst_frame frame;
    karst_hit under_cursor;
    karst_pos cast_eye, cast_way;  // what it was cast for
    int32_t cast_zones;
    words words;  // of the last frame
    int frames;
    double now_s;                 // since the first frame
    double frames_per_s, cpu_ms;  // smoothed
    int awaited, stalled;         // chunks awaited, and frames since one came
    int still;                    // frames since anything changed
    bool done;                    // the picture that the options ask for is written
} viewer;

// Open the pack, then the window. On failure v->report says why; viewer_close() in any case.
karst_status viewer_open(viewer *v, const options *o);
void viewer_close(viewer *v);

// Take an event in; false when it asks to leave.
bool viewer_event(viewer *v, const SDL_Event *event);

// Move by dt_s, draw, show. last: no frame follows, so this is the one to write if the options ask for a picture.
// On failure v->report says why.
karst_status viewer_frame(viewer *v, double dt_s, bool last);

// Nothing has moved for a while and nothing is awaited: the picture may stay as it is until something happens.
bool viewer_resting(const viewer *v);
