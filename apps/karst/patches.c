// SPDX-License-Identifier: MIT
// Patches: ground of patches as the verbs draw it.
#include "patches.h"

#include <math.h>
#include <stdlib.h>

static void grow_box(karst_box *box, const karst_box *by) {
    box->min = (karst_pos){fmin(box->min.x, by->min.x), fmin(box->min.y, by->min.y), fmin(box->min.z, by->min.z)};
    box->max = (karst_pos){fmax(box->max.x, by->max.x), fmax(box->max.y, by->max.y), fmax(box->max.z, by->max.z)};
}

static karst_status read_pack(patches *p, args *a, const karst_pack *pack) {
    int32_t count = karst_pack_zone_count(pack);
    p->bank = malloc(sizeof *p->bank);
    p->zones = calloc((size_t)count + 1, sizeof *p->zones);
    if (!p->bank || !p->zones) return KARST_ERROR_MEMORY;
    karst_noise_bank_make(p->bank);
    for (; p->count < count; ++p->count) {
        karst_status status = karst_pack_zone_read(pack, p->count, p->bank, &a->report, &p->zones[p->count]);
        if (status) return status;
        karst_box box = karst_pack_zone_info(pack, p->count).bounds;
        if (p->count)
            grow_box(&p->bounds, &box);
        else
            p->bounds = box;
    }
    return KARST_OK;
}

static karst_status make_scene(patches *p, args *a, karst_pos origin) {
    karst_zone_scene_def def = karst_zone_scene_def_default();
    def.origin = origin;
    def.jobs = a->jobs;
    karst_status status = karst_zone_scene_create(&def, &p->scene);
    for (int32_t k = 0; k < p->count && !status; ++k) {
        uint16_t slot;
        status = karst_zone_scene_add(p->scene, p->zones[k], &a->report, &slot);
    }
    return status;
}

int patches_open(patches *p, args *a, const karst_pack *pack) {
    *p = (patches){.budget = karst_zone_budget_default()};
    if (!karst_pack_zone_count(pack)) return EXIT_DONE;
    karst_status status = read_pack(p, a, pack);
    if (!status) status = make_scene(p, a, karst_pack_net_origin(pack));
    if (!status) return EXIT_DONE;
    patches_close(p);
    return could_not(a, status);
}

void patches_close(patches *p) {
    karst_gl_zones_destroy(p->drawn);
    karst_zone_scene_destroy(p->scene);
    for (int32_t k = 0; k < p->count; ++k) karst_zone_destroy(p->zones[k]);
    free(p->zones);
    free(p->bank);
    *p = (patches){0};
}

karst_status patches_show(patches *p, karst_gl *gl, const karst_view *view) {
    karst_status status = p->drawn ? KARST_OK : karst_gl_zones_create(gl, p->scene, NULL, &p->drawn);
    if (status) return status;
    karst_zone_scene_update(p->scene, view, 1, &p->budget, &p->frame);
    return karst_gl_zones_show(p->drawn, &p->frame);
}

void patches_viewpoint(const patches *p, karst_pos *eye, karst_pos *at) {
    const karst_pos *l = &p->bounds.min, *h = &p->bounds.max;
    double wide = fmax(h->x - l->x, h->z - l->z);
    *at = (karst_pos){0.5 * (l->x + h->x), l->y, 0.5 * (l->z + h->z)};
    *eye = (karst_pos){l->x + 0.3 * (h->x - l->x), h->y + 0.3 * wide, l->z - 0.35 * (h->z - l->z)};
}

void patches_tell(args *a, const patches *p) {
    karst_gl_zone_figures f = karst_gl_zones_figures(p->drawn);
    say(a, "patches: %d zones, %d pieces seen, %d of them refined, %lld triangles in %d draws, %.1f MB on the device\n",
        p->count, p->frame.figures.pieces, p->frame.figures.refined, (long long)f.triangles, f.draws,
        (double)f.device_bytes * 1e-6);
    cJSON *o = cJSON_AddObjectToObject(a->out, "patches");
    cJSON_AddNumberToObject(o, "zones", p->count);
    cJSON_AddNumberToObject(o, "pieces", p->frame.figures.pieces);
    cJSON_AddNumberToObject(o, "refined", p->frame.figures.refined);
    cJSON_AddNumberToObject(o, "triangles", (double)f.triangles);
    cJSON_AddNumberToObject(o, "vertices", (double)f.vertices);
    cJSON_AddNumberToObject(o, "instances", f.instances);
    cJSON_AddNumberToObject(o, "draws", f.draws);
    cJSON_AddNumberToObject(o, "fine_pieces", f.fine_pieces);
    cJSON_AddNumberToObject(o, "fine_bytes", (double)f.fine_bytes);
    cJSON_AddNumberToObject(o, "device_bytes", (double)f.device_bytes);
    cJSON_AddNumberToObject(o, "uploaded_bytes", (double)f.uploaded_bytes);
}
