// SPDX-License-Identifier: MIT
// The command line: all zones of a net or a pack, and the ground that they make.
#include "zone_set.h"

#include <stdlib.h>

#include "core/core.h"
#include "surface/net.h"

static karst_status begin(zone_set *set, int32_t count, karst_pos origin) {
    *set = (zone_set){.bank = malloc(sizeof *set->bank), .zones = calloc((size_t)count + 1, sizeof *set->zones)};
    set->origin = origin;
    if (!set->bank || !set->zones) return KARST_ERROR_MEMORY;
    karst_noise_bank_make(set->bank);
    return KARST_OK;
}

static karst_status end(zone_set *set, karst_status status, karst_report *report) {
    if (status && report && !report->message[0]) kst_fail(report, status, "%s", karst_status_text(status));
    if (status) zone_set_free(set);
    return status;
}

karst_status zone_set_cut(const karst_net *net, const karst_progress *progress, karst_report *report, zone_set *out) {
    kst_cutter *cutter = NULL;
    karst_status status = kst_cutter_create(net, &cutter);
    *out = (zone_set){0};
    if (status) return end(out, status, report);
    int32_t count = kst_cutter_zones(cutter);
    status = begin(out, count, net->origin);
    for (int32_t k = 0; k < count && !status; ++k) {
        status = kst_progress_step(progress, "zones", (double)k / count);
        if (!status) status = kst_cutter_cut(cutter, k, out->bank, report, &out->zones[k]);
        if (!status) ++out->count;
    }
    kst_cutter_destroy(cutter);
    return end(out, status, report);
}

karst_status zone_set_read(const karst_pack *pack, const karst_progress *progress, karst_report *report,
                           zone_set *out) {
    int32_t count = karst_pack_zone_count(pack);
    karst_status status = begin(out, count, karst_pack_net_origin(pack));
    for (int32_t k = 0; k < count && !status; ++k) {
        status = kst_progress_step(progress, "zones", (double)k / count);
        if (!status) status = karst_pack_zone_read(pack, k, out->bank, report, &out->zones[k]);
        if (!status) ++out->count;
    }
    return end(out, status, report);
}

karst_status zone_set_ground(zone_set *set, karst_report *report, const karst_ground **out) {
    karst_status status = KARST_OK;
    if (!set->ground) {
        status = karst_zone_ground_create(set->origin, NULL, &set->ground);
        if (!status)
            status =
                karst_zone_ground_add(set->ground, (const karst_zone *const *)set->zones, (uint32_t)set->count, NULL);
    }
    if (!status) *out = karst_zone_ground_of(set->ground);
    return end(set, status, report);
}

void zone_set_free(zone_set *set) {
    karst_zone_ground_destroy(set->ground);
    for (int32_t k = 0; k < set->count; ++k) karst_zone_destroy(set->zones[k]);
    free(set->zones);
    free(set->bank);
    *set = (zone_set){0};
}
