// SPDX-License-Identifier: MIT
// The command line: all zones of a net or a pack, and the ground that they make.
#pragma once
#include "karst/jobs.h"
#include "karst/pack.h"
#include "karst/zoneground.h"

typedef struct zone_set {
    karst_noise_bank *bank;
    karst_zone **zones;
    int32_t count;
    karst_zone_ground *ground;  // NULL until zone_set_ground()
    karst_pos origin;
} zone_set;

// Yours to free; {0} on error, with a line in the report.
karst_status zone_set_cut(const karst_net *net, const karst_progress *progress, karst_report *report, zone_set *out);
karst_status zone_set_read(const karst_pack *pack, const karst_progress *progress, karst_report *report, zone_set *out);
// The ground of them all, valid until it is freed.
karst_status zone_set_ground(zone_set *set, karst_report *report, const karst_ground **out);
void zone_set_free(zone_set *set);  // zeroed is allowed
