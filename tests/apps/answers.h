// SPDX-License-Identifier: MIT
// What programs answer, and what worlds they leave.
#pragma once
#include <cjson/cJSON.h>

#include "karst/project.h"
#include "support/prop.h"
#include "support/run.h"

// A number that must be there.
static inline double number_in(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItem(object, name);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

// The world's net, finished; NULL: it has none.
static inline karst_net *net_of(karst_project *project) {
    karst_project_ground g;
    karst_net *net = NULL;
    assert_int_equal(karst_project_find_ground(project, KARST_PROJECT_PATCH, &g), KARST_OK);
    if (g.id) assert_int_equal(karst_project_get_net(project, g.id, NULL, &net), KARST_OK);
    return net;
}

// Opened for editing, so that a lock which somebody left shows too.
static inline uint64_t world_hash(const char *world) {
    karst_project *project;
    karst_report report;
    uint64_t hash;
    if (karst_project_open(world, KARST_PROJECT_WRITE, &report, &project)) fail_msg("%s", report.message);
    assert_int_equal(karst_project_hash(project, &hash), KARST_OK);
    karst_project_close(project);
    return hash;
}
