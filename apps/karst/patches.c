// SPDX-License-Identifier: MIT
// Patches: ground of patches as programs draw it.
#include "patches.h"

#include <math.h>
#include <stdlib.h>

static void grow_box(karst_box *box, const karst_box *by) {
    box->min = (karst_pos){fmin(box->min.x, by->min.x), fmin(box->min.y, by->min.y), fmin(box->min.z, by->min.z)};
    box->max = (karst_pos){fmax(box->max.x, by->max.x), fmax(box->max.y, by->max.y), fmax(box->max.z, by->max.z)};
}

static karst_status read_pack(patches *p, const karst_pack *pack, karst_report *report) {
    int32_t count = karst_pack_zone_count(pack);
    p->bank = malloc(sizeof *p->bank);
    p->zones = calloc((size_t)count + 1, sizeof *p->zones);
    if (!p->bank || !p->zones) return KARST_ERROR_MEMORY;
    karst_noise_bank_make(p->bank);
    for (; p->count < count; ++p->count) {
        karst_status status = karst_pack_zone_read(pack, p->count, p->bank, report, &p->zones[p->count]);
        if (status) return status;
        karst_box box = karst_pack_zone_info(pack, p->count).bounds;
        if (p->count)
            grow_box(&p->bounds, &box);
        else
            p->bounds = box;
    }
    return KARST_OK;
}

static karst_status make_scene(patches *p, karst_jobs *jobs, karst_report *report) {
    karst_zone_scene_def def = karst_zone_scene_def_default();
    def.origin = p->origin;
    def.jobs = jobs;
    karst_status status = karst_zone_scene_create(&def, &p->scene);
    for (int32_t k = 0; k < p->count && !status; ++k) {
        uint16_t slot;
        status = karst_zone_scene_add(p->scene, p->zones[k], report, &slot);
    }
    return status;
}

karst_status patches_open(patches *p, const karst_pack *pack, karst_jobs *jobs, karst_report *report) {
    *p = (patches){.budget = karst_zone_budget_default()};
    if (!karst_pack_zone_count(pack)) return KARST_OK;
    karst_status status = read_pack(p, pack, report);
    p->origin = karst_pack_net_origin(pack);
    if (!status) status = make_scene(p, jobs, report);
    if (status) patches_close(p);
    return status;
}

void patches_close(patches *p) {
    karst_gl_zones_destroy(p->drawn);
    karst_zone_ground_destroy(p->ground);
    karst_zone_scene_destroy(p->scene);
    for (int32_t k = 0; k < p->count; ++k) karst_zone_destroy(p->zones[k]);
    free(p->zones);
    free(p->bank);
    *p = (patches){0};
}

karst_status patches_show(patches *p, karst_gl *gl, const karst_view *view, float edge_px) {
    karst_status status = p->drawn ? KARST_OK : karst_gl_zones_create(gl, p->scene, NULL, &p->drawn);
    if (status) return status;
    p->budget.threshold = karst_zone_threshold(view, edge_px);
    karst_zone_scene_update(p->scene, view, 1, &p->budget, &p->frame);
    return karst_gl_zones_show(p->drawn, &p->frame);
}

karst_status patches_ground(patches *p, const karst_ground **out) {
    karst_status status = KARST_OK;
    if (!p->ground) {
        status = karst_zone_ground_create(p->origin, NULL, &p->ground);
        if (!status)
            status = karst_zone_ground_add(p->ground, (const karst_zone *const *)p->zones, (uint32_t)p->count, NULL);
    }
    if (!status) *out = karst_zone_ground_of(p->ground);
    return status;
}

void patches_viewpoint(const patches *p, karst_pos *eye, karst_pos *at) {
    const karst_pos *l = &p->bounds.min, *h = &p->bounds.max;
    double wide = fmax(h->x - l->x, h->z - l->z);
    *at = (karst_pos){0.5 * (l->x + h->x), l->y, 0.5 * (l->z + h->z)};
    *eye = (karst_pos){l->x + 0.3 * (h->x - l->x), h->y + 0.3 * wide, l->z - 0.35 * (h->z - l->z)};
}

bool patches_alone(const patches *p, const karst_pack *pack) {
    karst_pack_info info = karst_pack_info_of(pack);
    const karst_field_shape *shape = &info.lattice.shape;
    return p->count && info.hole_count >= (uint64_t)(shape->columns - 1) * (uint64_t)(shape->rows - 1);
}
