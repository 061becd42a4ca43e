// SPDX-License-Identifier: MIT
// The zones of a net, for the pack.
#include "bake/run.h"
#include "pack/seams.h"

karst_status kst_net_zones_make(const karst_net *net, kst_bake_seams *seams, karst_report *report, kst_net_zones *out) {
    if (seams->net) net = seams->net;
    *out = (kst_net_zones){.net = net, .seams = seams, .report = report};
    if (!net) return KARST_OK;
    out->bank = kst_alloc(NULL, sizeof *out->bank);
    karst_status status = out->bank ? kst_cutter_create(net, &out->cutter) : KARST_ERROR_MEMORY;
    if (status) return kst_fail(report, status, "out of memory for the zones");
    karst_noise_bank_make(out->bank);
    return KARST_OK;
}

static karst_status cut(void *context, int32_t index, karst_zone **out) {
    const kst_net_zones *z = context;
    karst_zone *zone;
    karst_status status = kst_cutter_cut(z->cutter, index, z->bank, z->report, &zone);
    if (status) return status;
    if (!kst_seams_take(zone, z->seams->corners, z->seams->corner_count)) {
        karst_zone_destroy(zone);
        return kst_fail(z->report, KARST_ERROR_FORMAT, "zone %d, %d: has a seam that bounds nothing", zone->zone_x,
                        zone->zone_z);
    }
    *out = zone;
    return KARST_OK;
}

void kst_net_zones_contents(kst_net_zones *zones, kst_pack_contents *out) {
    if (!zones->cutter) return;
    out->zone_count = kst_cutter_zones(zones->cutter);
    out->net_origin = zones->net->origin;
    out->net_step_log2 = zones->net->step_log2;
    out->zone = cut;
    out->zone_context = zones;
    out->seams = zones->seams->corners;
    out->seam_count = zones->seams->corner_count;
}

karst_status kst_hole_field(const karst_net *net, karst_field **out) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){2, 2, KARST_ZONE_SIDE_M, net->origin};
    karst_field *field;
    karst_status status = karst_field_create(&def, &field);
    if (status) return status;
    const uint8_t hole = 1;
    status = karst_field_write_holes(field, (karst_rect){0, 0, 1, 1}, &hole, 1);
    if (status)
        karst_field_destroy(field);
    else
        *out = field;
    return status;
}

void kst_net_zones_free(kst_net_zones *zones) {
    kst_cutter_destroy(zones->cutter);
    kst_free(NULL, zones->bank, sizeof *zones->bank);
    *zones = (kst_net_zones){0};
}
