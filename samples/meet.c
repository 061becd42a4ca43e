// SPDX-License-Identifier: MIT
// A field and a net in place of a part of it, as one ground: two scenes, one seam. All triangles of a frame, and at how
// many places the two meet to the last bit.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karst/karst.h"

static int by_bits(const void *a, const void *b) {
    return memcmp(a, b, sizeof(karst_vec3));
}

// All zones, here and never removed; a game brings those that are near.
static int add_zones(const karst_pack *pack, const karst_noise_bank *bank, karst_zone_scene *net, karst_zone **zones) {
    for (int32_t k = 0; k < karst_pack_zone_count(pack); ++k) {
        uint16_t slot;
        if (karst_pack_zone_read(pack, k, bank, NULL, &zones[k]) || karst_zone_scene_add(net, zones[k], NULL, &slot))
            return 1;
    }
    return 0;
}

static int64_t meet(const karst_frame *frame, const karst_scene *field, const karst_zone_frame *zones,
                    const karst_zone_scene *net) {
    static karst_zone_vertex of_net[3 * KARST_ZONE_TRIANGLES_MAX];
    static karst_drawn_vertex of_field[3 * KARST_PATCH_MAX_TRIANGLES];
    size_t count = 0, room = 3 * (size_t)KARST_ZONE_TRIANGLES_MAX * (size_t)(zones->instance_count + 1);
    karst_vec3 *places = malloc(room * sizeof *places);
    if (!places) return -1;
    for (int k = 0; k < zones->instance_count; ++k) {
        int n = 3 * karst_zone_frame_expand(zones, net, k, of_net);
        for (int i = 0; i < n; ++i) places[count++] = of_net[i].position;
    }
    qsort(places, count, sizeof *places, by_bits);
    int64_t shared = 0;
    for (int k = 0; k < frame->patch_count; ++k) {
        int n = 3 * karst_frame_expand(frame, field, k, of_field);
        for (int i = 0; i < n; ++i)
            shared += bsearch(&of_field[i].position, places, count, sizeof *places, by_bits) != NULL;
    }
    free(places);
    return shared;
}

int main(int argc, char **argv) {
    karst_pack *pack;
    if (argc != 2 || karst_pack_open(argv[1], NULL, &pack)) {
        fprintf(stderr, "usage: meet PACK, of a world with karst patch fit --replace\n");
        return 2;
    }
    static karst_noise_bank bank;
    karst_noise_bank_make(&bank);
    karst_zone_scene_def def = karst_zone_scene_def_default();
    def.origin = karst_pack_net_origin(pack);
    karst_scene *field;
    karst_zone_scene *net;
    karst_seam *seam;
    karst_zone **zones = calloc((size_t)karst_pack_zone_count(pack) + 1, sizeof(karst_zone *));
    if (!zones || karst_scene_create(pack, NULL, &field) || karst_zone_scene_create(&def, &net) ||
        karst_seam_create(pack, NULL, NULL, &seam) || add_zones(pack, &bank, net, zones)) {
        fprintf(stderr, "%s: cannot be read; karst check tells why\n", argv[1]);
        return 1;
    }

    // A frame. Without a seam (NULL: nothing to meet) the two scenes are updated all the same.
    karst_box box = karst_pack_info_of(pack).bounds;
    karst_pos middle = {(box.min.x + box.max.x) / 2, box.min.y, (box.min.z + box.max.z) / 2};
    karst_pos eye = {middle.x, box.max.y + 200, box.min.z};
    karst_view view = karst_view_perspective(eye, middle, (karst_vec3){0, 1, 0}, 1.0f, 1280, 720);
    karst_budget of_field = karst_budget_default();
    karst_zone_budget of_net = karst_zone_budget_default();
    if (seam) karst_seam_update(seam, &view, 1, &of_field, &of_net);
    of_field.seam = of_net.seam = seam;
    karst_frame frame;
    karst_zone_frame zone_frame;
    if (karst_scene_settle(field, &view, 1, &of_field, &frame)) return 1;
    karst_zone_scene_update(net, &view, 1, &of_net, &zone_frame);  // both frames have one origin: one matrix draws both
    printf("field %lld triangles, net %lld, %lld corners in common\n", (long long)frame.figures.triangles,
           (long long)zone_frame.figures.triangles, (long long)meet(&frame, field, &zone_frame, net));

    karst_scene_destroy(field);
    karst_zone_scene_destroy(net);
    karst_seam_destroy(seam);
    for (int32_t k = 0; k < karst_pack_zone_count(pack); ++k) karst_zone_destroy(zones[k]);
    free(zones);
    karst_pack_close(pack);
    return 0;
}
