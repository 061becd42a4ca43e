// SPDX-License-Identifier: MIT
// Exhibit: the page of one multi-resolution mesh. Lit at the left, its triangles at the right, a slider from the
// coarsest level to full detail below, which plays.
#pragma once
#include <stdio.h>

#include "graph.h"
#include "hud.h"
#include "options.h"
#include "orbit.h"
#include "slider.h"
#include "stage.h"
#include "window.h"

typedef enum exhibit_layout { EXHIBIT_BESIDE, EXHIBIT_LIT, EXHIBIT_BOTH, EXHIBIT_LAYOUTS } exhibit_layout;

typedef struct exhibit {
    const options *options;
    karst_mrm *mrm;
    karst_mrm_info info;
    window window;
    stage *stage;
    hud *hud;
    page page;
    karst_report report;

    orbit start, orbit;
    exhibit_layout layout;
    double share;    // of the slider: 0 the least level, 1 full detail
    int playing;     // -1 to the least level, 1 to full detail, 0 not
    double waits_s;  // at the end of the way, while playing
    double moving;   // 1 while the level moves, falling to 0: how much of it is on its way
    slider slider;
    unsigned buttons;  // of the mouse, held on the picture
    bool help, figures, picture_wanted;
    char message[KARST_REPORT_BYTES];
    double message_until_s;

    int width, height;            // of the picture
    karst_mrm_level level;        // of the last frame
    uint32_t records;             // that the last frame went through
    graph triangles, error;       // of the last frames
    double frames_per_s, cpu_ms;  // smoothed
    double now_s;
    int frames, still;
    bool done;  // the picture that the options ask for is written
} exhibit;

// Read or build the mesh, then open the window. On failure x->report says why; exhibit_close() in any case.
karst_status exhibit_open(exhibit *x, const options *o);
void exhibit_close(exhibit *x);

// Take an event in; false when it asks to leave.
bool exhibit_event(exhibit *x, const SDL_Event *event);

// Move by dt_s, draw, show. last: no frame follows. On failure x->report says why.
karst_status exhibit_frame(exhibit *x, double dt_s, bool last);

// Nothing moves until something happens.
bool exhibit_resting(const exhibit *x);

// The last figures as one JSON object on one line.
void exhibit_json(const exhibit *x, FILE *out);
