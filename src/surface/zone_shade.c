// SPDX-License-Identifier: MIT
// Normals of drawn vertices. On a side they are functions of its edge, as places are.
#include "surface/zone_record.h"

static karst_vec3 between(karst_fine a, karst_fine b) {
    return (karst_vec3){(float)(b.x - a.x), (float)(b.y - a.y), (float)(b.z - a.z)};
}

// Across the lattice from both neighbours, or the one that is there.
static karst_vec3 inner_normal(const karst_fine *v, int i, int j, int cells) {
    int w = cells + 1, at = j * w + i;
    karst_vec3 along_s = between(v[at - (i > 0)], v[at + (i < cells)]);
    karst_vec3 along_t = between(v[at - (j > 0) * w], v[at + (j < cells) * w]);
    return kst_unit(kst_cross(along_t, along_s));
}

// At corners theirs, between them that of the edge, square to the line through the drawn vertices beside it, on a seam
// the tile corners. False on a crease, which each side shades by itself.
static bool side_normal(const karst_zone *zone, const karst_piece *piece, int side, int g, int cells,
                        const karst_fine *v, int at, int16_t out[2]) {
    int stride = side & 1 ? cells + 1 : 1, snapped = kst_side_snap(zone, piece, side, g, cells);
    at += (snapped - g) * stride, g = snapped;
    int per = cells >> piece->spans_log2[side], k = g / per, r = g % per;
    const karst_zone_span *span = &zone->spans[piece->first_span[side] + (uint32_t)(k - (g == cells))];
    const kst_curve_at *curve = &zone->record->curves[span->edge];
    if (curve->crease) return false;
    if (curve->pins) stride *= cells >> piece->tiles_log2;
    if (r == 0) {
        memcpy(out, zone->record->data.corners[span->corner[g == cells]].facing, 2 * sizeof *out);
        return true;
    }
    float t = (float)(span->from * per + (span->to - span->from) * r) / (float)(8 * per);
    karst_vec3 normal = kst_curve_normal(curve, t), along = between(v[at - stride], v[at + stride]);
    float length2 = kst_dot(along, along);
    if (length2 > 0) normal = kst_sub(normal, kst_scale(along, kst_dot(normal, along) / length2));
    kst_facing_pack(kst_unit(normal), out);
    return true;
}

void karst_zone_normals(const karst_zone *zone, uint32_t index, bool fine, const karst_fine *places,
                        int16_t (*out)[2]) {
    KARST_ASSERT(index < zone->piece_count);
    const karst_piece *piece = &zone->pieces[index];
    int cells = (fine ? KARST_TILE_CELLS : 1) << piece->tiles_log2;
    for (int j = 0, at = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i, ++at) {
            int side = j == 0 ? 0 : i == cells ? 1 : j == cells ? 2 : i == 0 ? 3 : -1;
            if (side < 0 || !side_normal(zone, piece, side, side & 1 ? j : i, cells, places, at, out[at]))
                kst_facing_pack(inner_normal(places, i, j, cells), out[at]);
        }
}

karst_zone_patch karst_zone_patch_of(const karst_zone *zone, uint32_t patch) {
    KARST_ASSERT(patch < zone->patch_count);
    const kst_patch_data *p = &zone->record->data.patches[patch];
    return (karst_zone_patch){p->noise_set, p->noise_turn, {p->tiles_log2[0], p->tiles_log2[1]}};
}

karst_vec3 karst_facing_vector(const int16_t facing[2]) {
    return kst_facing_unpack(facing);
}

karst_zone_painted karst_zone_paint(const karst_zone *zone, uint32_t patch) {
    KARST_ASSERT(patch < zone->patch_count);
    const kst_patch_data *p = &zone->record->data.patches[patch];
    return (karst_zone_painted){p->set, p->group, p->tint};
}
