// SPDX-License-Identifier: MIT
// A net to test with.
#pragma once
#include "scenes/nets.h"
#include "support/prop.h"

// The square of patches of all bind kinds, rough, on rock. Yours.
static inline karst_net *net_of(int side) {
    karst_report report = {0};
    karst_net *net = NULL;
    if (scene_net(&(scene_net_def){.side = side, .slot = 9, .tiles_log2 = 3, .noise_set = 2}, &report, &net))
        fail_msg("%s", report.message);
    return net;
}
