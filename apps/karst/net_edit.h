// SPDX-License-Identifier: MIT
// The command line: verbs that change the net of a world, each one undoable step.
#pragma once
#include "app.h"
#include "karst/project.h"
#include "karst/zone.h"

// A world open for one step on its net.
typedef struct net_edit {
    karst_project *project;
    const char *path;
    bool kept;        // net_edit_next() has kept a step
    int64_t head;     // the step before them
    int64_t ground;   // of the net, 0: it has none
    int32_t patches;  // that it has when the step begins
    karst_net *net;   // the world's, finished, if it is read. The step keeps what stands here at its end, NULL: none
    char source[KARST_SOURCE_BYTES];  // what it is made from, when the step replaces it
} net_edit;

// What a step does to the net: puts another one in its place, which need not be there and is read for --add alone;
// takes it away unread; or changes it.
typedef enum net_use { NET_REPLACED, NET_REMOVED, NET_NEEDED } net_use;

// Open the world at path and begin the step `name`. On error the line is in a->report.
karst_status net_edit_begin(args *a, const char *path, const char *name, net_use use, net_edit *out);
// Put a finished net, or none, in place of the world's; it is then the step's. source: what it was made from.
void net_edit_replace(net_edit *e, karst_net *net, const char *source);
// The same, or beside what is there when --add says so; takes the net over. An error drops the step.
karst_status net_edit_put(args *a, net_edit *e, karst_net *net, const char *source);
// Whether --add has a net to add to: what is added has its step.
bool net_edit_adds(const args *a, const net_edit *e);
// Keep what was done so far as a step of its own, and begin another of this name on the same net.
karst_status net_edit_next(args *a, net_edit *e, const char *name);
// Whether a world has a net alone, and no field.
karst_status net_is_alone(args *a, const char *path, bool *alone);
karst_status net_stands_alone(karst_project *project, bool *alone);
// Whether a world has both; false, too, when it cannot be read.
bool net_beside_field(const char *path);
// Keep the step if status is KARST_OK and nobody asked to stop, drop it and those that net_edit_next() kept otherwise;
// close. Tells what net the world then has. The world is whole either way.
karst_status net_edit_end(args *a, net_edit *e, karst_status status);
// The net of the world at path as it is now, finished; yours to destroy.
karst_status net_look(args *a, const char *path, karst_net **out);
// What net a world has, for people and for programs.
void net_tell(args *a, const char *path, const karst_net *net);
