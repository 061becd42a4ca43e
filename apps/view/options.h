// SPDX-License-Identifier: MIT
// Options: the words of the command line.
#pragma once
#include "army.h"
#include "karst/scene.h"
#include "patches.h"

// Exit codes: 0 done, 1 could not, 2 wrong usage.
enum { VIEW_DONE = 0, VIEW_COULD_NOT = 1, VIEW_USAGE = 2 };

typedef struct options {
    const char *pack;  // or a mesh
    int width, height;
    float error_px, skirt_m, fov_rad, hour;
    float water_m;  // NAN: none
    karst_method method;
    patches_ground shown;
    float edge_px, zone_reach_m;  // of patches
    karst_zone_method zone_method;
    bool has_eye, has_look;
    karst_pos eye, look;
    double seconds;  // 0: until it is closed
    const char *screenshot;
    bool walk, bare, json, partial;
    int threads;  // 0: one a processor
    const char *army[ARMY_KINDS_MAX];
    int army_whats;  // of those
    int army_count, army_triangles;
    bool count_told, army_triangles_told, error_told;  // these were given
    int triangles;                                     // of one budget, 0: none; of a mesh alone, 0: all
    float target_ms;                                   // of one budget; 0: none
    bool help, version;                                // asked for; nothing else is checked then
} options;

// Fill out from the words after the program's name. VIEW_DONE, or VIEW_USAGE with one line in *report.
int options_parse(int count, char **words, options *out, karst_report *report);

// The whole help text, on standard output.
void options_help(void);
