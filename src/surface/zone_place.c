// SPDX-License-Identifier: MIT
// Where the vertices of patches lie. A vertex on a side is a function of its edge and that edge's two ends alone, so
// both sides of it, in whichever zones, make the same one. Inside, the displacement of a patch goes over to its
// border's within half a tile. A seam has pins in place of all this, at its tile corners; the other edges that end at
// one go over to it within half a tile.
#include "surface/zone_record.h"

static karst_fine fine_of(karst_fine anchor, karst_vec3 local) {
    const float k = KARST_NET_FINE;
    return (karst_fine){anchor.x + kst_floor(local.x * k + 0.5f), anchor.y + kst_floor(local.y * k + 0.5f),
                        anchor.z + kst_floor(local.z * k + 0.5f)};
}

// Between the normals of the ends, square to the curve.
karst_vec3 kst_curve_normal(const kst_curve_at *curve, float t) {
    karst_vec3 n = kst_add(kst_scale(curve->normal[0], 1 - t), kst_scale(curve->normal[1], t));
    karst_vec3 along = kst_curve_slope(curve->c, t);
    float length2 = kst_dot(along, along);
    if (length2 > 0) n = kst_sub(n, kst_scale(along, kst_dot(n, along) / length2));
    return kst_unit(n);
}

// A row of the edge's own map, that runs to the heights of its ends in the last half tile.
float kst_curve_height(const kst_zone_record *record, const kst_curve_at *curve, float t) {
    float tiles = curve->tiles, h = kst_bank_height(record->bank, curve->noise, 4 * tiles * t, (float)curve->noise * 7);
    if (curve->crease) h *= 0.5f;
    float to_end = tiles * (t < 0.5f ? t : 1 - t) * 2, end = curve->height[t < 0.5f ? 0 : 1];
    return to_end < 1 ? end + (h - end) * to_end : h;
}

// Before rounding, from the anchor [steps].
static karst_vec3 curve_local(const kst_zone_record *record, const kst_curve_at *curve, float t) {
    float lift = kst_curve_height(record, curve, t) * record->steps_per_m;
    float to_end = (float)curve->tiles * (t < 0.5f ? t : 1 - t) * 2;
    karst_vec3 at = kst_add(kst_curve(curve->c, t), kst_scale(kst_curve_normal(curve, t), lift));
    return to_end < 1 ? kst_add(at, kst_scale(curve->off[t < 0.5f ? 0 : 1], 1 - to_end)) : at;
}

static karst_fine pin_at(const kst_curve_at *curve, int k) {
    return (karst_fine){curve->pins[k][0], curve->pins[k][1], curve->pins[k][2]};
}

karst_fine kst_curve_place(const kst_zone_record *record, const kst_curve_at *curve, float t) {
    if (curve->pins) return pin_at(curve, (int)(t * (float)curve->tiles));
    return fine_of(curve->anchor, curve_local(record, curve, t));
}

// Vertex g of `cells` on a side.
static karst_fine side_place(const karst_zone *zone, const karst_piece *piece, int side, int g, int cells) {
    const kst_zone_record *record = zone->record;
    g = kst_side_snap(zone, piece, side, g, cells);
    int per = cells >> piece->spans_log2[side], k = g / per, r = g % per;
    const karst_zone_span *span = &zone->spans[piece->first_span[side] + (uint32_t)(k - (g == cells))];
    if (g == cells) return zone->corners[span->corner[1]].at;
    if (r == 0) return zone->corners[span->corner[0]].at;
    float t = (float)(span->from * per + (span->to - span->from) * r) / (float)(8 * per);  // dyadic: exact
    return kst_curve_place(record, &record->curves[span->edge], t);
}

// Displacement [m] by the patch's own maps at (x, y) [tiles of the patch]; unlike maps blend over a quarter tile.
static float tile_height(const kst_zone_record *record, const kst_patch_data *patch, float x, float y) {
    int across = 1 << patch->tiles_log2[0], down = 1 << patch->tiles_log2[1];
    int i = (int)x, j = (int)y;
    if (i >= across) i = across - 1;
    if (j >= down) j = down - 1;
    float fx = x - (float)i, fy = y - (float)j;
    int oi = fx < 0.25f && i > 0 ? -1 : fx > 0.75f && i < across - 1 ? 1 : 0;
    int oj = fy < 0.25f && j > 0 ? -1 : fy > 0.75f && j < down - 1 ? 1 : 0;
    float bx = oi ? 0.5f - 2 * (fx < 0.5f ? fx : 1 - fx) : 0, by = oj ? 0.5f - 2 * (fy < 0.5f ? fy : 1 - fy) : 0;
    float px = 4 * x, py = 4 * y;
    for (int turn = 0; turn < patch->noise_turn; ++turn) {
        float old = px;
        px = py, py = 128 - old;
    }
    float sum = 0;
    for (int b = 0; b < (oj ? 2 : 1); ++b)
        for (int a = 0; a < (oi ? 2 : 1); ++a) {
            int slot = patch->slot[KARST_NET_TILES_MAX * (j + b * oj) + i + a * oi] + 16 * patch->noise_set;
            sum += kst_bank_height(record->bank, slot, px, py) * (a ? bx : 1 - bx) * (b ? by : 1 - by);
        }
    return sum;
}

static karst_vec3 local_of(karst_fine at, karst_fine anchor) {
    const float k = 1.0f / KARST_NET_FINE;
    return (karst_vec3){(float)(at.x - anchor.x) * k, (float)(at.y - anchor.y) * k, (float)(at.z - anchor.z) * k};
}

// From the curve of a seam to its pin k.
static karst_vec3 pin_off(const kst_curve_at *curve, int k) {
    return kst_sub(local_of(pin_at(curve, k), curve->anchor), kst_curve(curve->c, (float)k / (float)curve->tiles));
}

// Where a side lies at vertex g, from an anchor [steps]: a seam on the line of its pins, between tile corners too.
static karst_vec3 side_local(const karst_zone *zone, const karst_piece *piece, int side, int g, int cells,
                             karst_fine anchor) {
    int per = cells >> piece->spans_log2[side], k = g / per, r = g % per;
    const karst_zone_span *span = &zone->spans[piece->first_span[side] + (uint32_t)(k - (g == cells))];
    const kst_curve_at *curve = &zone->record->curves[span->edge];
    if (!curve->pins) return local_of(side_place(zone, piece, side, g, cells), anchor);
    float t = (float)(span->from * per + (span->to - span->from) * (g == cells ? per : r)) / (float)(8 * per);
    float x = t * (float)curve->tiles, beyond = x - floorf(x);
    karst_vec3 off = pin_off(curve, (int)x);
    if (beyond > 0) off = kst_add(kst_scale(off, 1 - beyond), kst_scale(pin_off(curve, (int)x + 1), beyond));
    return kst_add(local_of(curve->anchor, anchor), kst_add(kst_curve(curve->c, t), off));
}

// What the vertices inside a piece in one row have in common.
typedef struct inner_row {
    const karst_zone *zone;
    const karst_piece *piece;
    const kst_patch_data *data;
    const kst_patch_at *patch;
    int j, cells;
    float scale_s, y;        // tiles to s; y in the piece [tiles]
    kst_patch_line own;      // at the row
    kst_patch_line side[3];  // at sides 0 and 2, when the row is near them
} inner_row;

static void begin_row(const karst_zone *zone, const karst_piece *piece, int j, int cells, inner_row *row) {
    row->zone = zone, row->piece = piece, row->j = j, row->cells = cells;
    row->data = &zone->record->data.patches[piece->patch];
    row->patch = &zone->record->patches[piece->patch];
    int n = 1 << piece->tiles_log2;
    float scale = 1.0f / (float)(1 << row->data->tiles_log2[1]);
    row->scale_s = 1.0f / (float)(1 << row->data->tiles_log2[0]);
    row->y = (float)(j * n) / (float)cells;
    kst_patch_line_at(row->patch->c, ((float)piece->tile_t + row->y) * scale, true, &row->own);
    if (row->y < 0.5f) kst_patch_line_at(row->patch->c, (float)piece->tile_t * scale, false, &row->side[0]);
    if ((float)n - row->y < 0.5f)
        kst_patch_line_at(row->patch->c, (float)(piece->tile_t + n) * scale, false, &row->side[2]);
}

static karst_fine inner_place(const inner_row *row, int i) {
    const kst_zone_record *record = row->zone->record;
    const karst_piece *piece = row->piece;
    const kst_patch_at *patch = row->patch;
    int n = 1 << piece->tiles_log2;
    float x = (float)(i * n) / (float)row->cells, y = row->y;
    float s = ((float)piece->tile_s + x) * row->scale_s;
    karst_vec3 normal, at = kst_patch_line_point(&row->own, s, &normal);
    float own = tile_height(record, row->data, (float)piece->tile_s + x, (float)piece->tile_t + y);
    karst_vec3 lift = kst_scale(normal, own * record->steps_per_m), sum = {0, 0, 0};
    float to_side[4] = {y, (float)n - x, (float)n - y, x}, weight = 0, keep = 1;
    for (int side = 0; side < 4 && !record->torn; ++side) {
        float k = 1 - 2 * to_side[side];
        if (k <= 0) continue;
        karst_vec3 on = side_local(row->zone, piece, side, side & 1 ? row->j : i, row->cells, patch->anchor);
        int far = side == 1 ? n : 0;
        karst_vec3 border = side & 1
                                ? kst_patch_line_point(&row->own, (float)(piece->tile_s + far) * row->scale_s, NULL)
                                : kst_patch_line_point(&row->side[side], s, NULL);
        k *= k;
        sum = kst_add(sum, kst_scale(kst_sub(on, border), k));
        weight += k, keep *= 1 - k;
    }
    if (weight > 0) lift = kst_add(kst_scale(lift, keep), kst_scale(sum, (1 - keep) / weight));
    return fine_of(patch->anchor, kst_add(at, lift));
}

void kst_piece_places(const karst_zone *zone, const karst_piece *piece, int cells, int i0, int j0, int i1, int j1,
                      karst_fine *out) {
    bool torn = zone->record->torn;
    for (int j = j0; j <= j1; ++j) {
        inner_row row;
        bool inside = torn || (j > 0 && j < cells);
        if (inside) begin_row(zone, piece, j, cells, &row);
        for (int i = i0; i <= i1; ++i)
            *out++ = torn         ? inner_place(&row, i)
                     : j == 0     ? side_place(zone, piece, 0, i, cells)
                     : i == cells ? side_place(zone, piece, 1, j, cells)
                     : j == cells ? side_place(zone, piece, 2, i, cells)
                     : i == 0     ? side_place(zone, piece, 3, j, cells)
                                  : inner_place(&row, i);
    }
}

void karst_zone_tear(karst_zone *zone) {
    zone->record->torn = true;
    for (uint32_t k = 0; k < zone->piece_count; ++k) {
        int n = 1 << zone->pieces[k].tiles_log2;
        kst_piece_places(zone, &zone->pieces[k], n, 0, 0, n, n,
                         (karst_fine *)zone->places + zone->pieces[k].first_place);
    }
}

void karst_zone_fine(const karst_zone *zone, uint32_t piece, karst_fine *out) {
    KARST_ASSERT(piece < zone->piece_count);
    const karst_piece *p = &zone->pieces[piece];
    int cells = KARST_TILE_CELLS << p->tiles_log2;
    kst_piece_places(zone, p, cells, 0, 0, cells, cells, out);
}

void karst_zone_tile(const karst_zone *zone, uint32_t piece, int i, int j, karst_fine out[25]) {
    KARST_ASSERT(piece < zone->piece_count);
    const karst_piece *p = &zone->pieces[piece];
    int cells = KARST_TILE_CELLS << p->tiles_log2, x = KARST_TILE_CELLS * i, y = KARST_TILE_CELLS * j;
    kst_piece_places(zone, p, cells, x, y, x + KARST_TILE_CELLS, y + KARST_TILE_CELLS, out);
}

karst_fine karst_zone_place(const karst_zone *zone, uint32_t piece, int i, int j) {
    const karst_piece *p = &zone->pieces[piece];
    int n = 1 << p->tiles_log2;
    KARST_ASSERT(piece < zone->piece_count && i >= 0 && j >= 0 && i <= KARST_TILE_CELLS * n &&
                 j <= KARST_TILE_CELLS * n);
    if (i % KARST_TILE_CELLS == 0 && j % KARST_TILE_CELLS == 0)
        return zone->places[p->first_place + (uint32_t)(j / KARST_TILE_CELLS * (n + 1) + i / KARST_TILE_CELLS)];
    karst_fine out;
    kst_piece_places(zone, p, KARST_TILE_CELLS << p->tiles_log2, i, j, i, j, &out);
    return out;
}

float karst_tile_size_m(int size) {
    return ldexpf(size & 1 ? 1.41421356f : 1, (size - (size & 1) - 24) / 2);
}
