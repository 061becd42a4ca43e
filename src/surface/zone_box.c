// SPDX-License-Identifier: MIT
// Boxes of pieces, without their vertices.
#include "surface/zone_record.h"

// The part of a patch lies in the hull of its points. A vertex inside is moved by a mean of its own displacement and
// its border's, each a metre at most and a little (-128 of 127); a border's curve is the patch's own but for the
// rounding of parts and of vertices.
static const float lift_m = 1.01f, rounding_steps = 3;

void karst_zone_box(const karst_zone *zone, uint32_t index, karst_fine *low, karst_fine *high) {
    KARST_ASSERT(index < zone->piece_count);
    const kst_zone_record *record = zone->record;
    const karst_piece *piece = &zone->pieces[index];
    const kst_patch_data *data = &record->data.patches[piece->patch];
    const kst_patch_at *patch = &record->patches[piece->patch];
    float n = (float)(1 << piece->tiles_log2), s = 1.0f / (float)(1 << data->tiles_log2[0]),
          t = 1.0f / (float)(1 << data->tiles_log2[1]);
    karst_vec3 c[16];
    kst_patch_part(patch->c, (float)piece->tile_s * s, ((float)piece->tile_s + n) * s, (float)piece->tile_t * t,
                   ((float)piece->tile_t + n) * t, c);
    karst_vec3 least = c[0], most = c[0];
    for (int k = 1; k < 16; ++k) {
        if (c[k].x < least.x) least.x = c[k].x;
        if (c[k].y < least.y) least.y = c[k].y;
        if (c[k].z < least.z) least.z = c[k].z;
        if (c[k].x > most.x) most.x = c[k].x;
        if (c[k].y > most.y) most.y = c[k].y;
        if (c[k].z > most.z) most.z = c[k].z;
    }
    const float margin = lift_m * record->steps_per_m + rounding_steps, fine = KARST_NET_FINE;
    *low = (karst_fine){patch->anchor.x + (int32_t)floorf((least.x - margin) * fine),
                        patch->anchor.y + (int32_t)floorf((least.y - margin) * fine),
                        patch->anchor.z + (int32_t)floorf((least.z - margin) * fine)};
    *high = (karst_fine){patch->anchor.x + (int32_t)ceilf((most.x + margin) * fine),
                         patch->anchor.y + (int32_t)ceilf((most.y + margin) * fine),
                         patch->anchor.z + (int32_t)ceilf((most.z + margin) * fine)};
}
