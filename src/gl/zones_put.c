// SPDX-License-Identifier: MIT
// Zones on the device: pieces, spans, tile corners and tiles of each, and the finest vertices of pieces that were
// refined.
//
// Invariant: the rows of a slot are those of the zone whose stay is noted; a piece's second word says where its finest
// vertices are while fine[piece].rows is a run.
#include <stdlib.h>

#include "gl/zones.h"

typedef uint32_t row[4];

static uint32_t word_of(const int16_t facing[2]) {
    return (uint32_t)(uint16_t)facing[0] | (uint32_t)(uint16_t)facing[1] << 16;
}

// ---- zones -----------------------------------------------------------------------------------------

static uint32_t places_of(const karst_piece *piece) {
    uint32_t n = 1u << piece->tiles_log2;
    return (n + 1) * (n + 1);
}

static void put_piece(const karst_zone *zone, const karst_piece *piece, uint32_t first_span, uint32_t first_place,
                      uint32_t first_tile, row out[KST_PIECE_ROWS]) {
    karst_zone_patch patch = karst_zone_patch_of(zone, piece->patch);
    uint32_t spans_log2 = 0;
    for (int side = 0; side < 4; ++side) {
        spans_log2 |= (uint32_t)piece->spans_log2[side] << (2 * side);
        out[1][side] = first_span + piece->first_span[side];
        out[2][side] = 0;
    }
    out[0][0] = first_place;
    out[2][0] = first_tile;
    out[0][1] = 0;
    out[0][2] = piece->tiles_log2 | (uint32_t)piece->size << 8 | spans_log2 << 16;
    out[0][3] = patch.tiles_log2[0] | (uint32_t)patch.tiles_log2[1] << 4 | (uint32_t)piece->tile_s << 8 |
                (uint32_t)piece->tile_t << 16;
}

// Tile corners with the normals of whole pieces.
static void put_places(const karst_zone *zone, uint32_t index, row *out) {
    int16_t facing[(KARST_NET_TILES_MAX + 1) * (KARST_NET_TILES_MAX + 1)][2];
    const karst_piece *piece = &zone->pieces[index];
    const karst_fine *places = zone->places + piece->first_place;
    karst_zone_normals(zone, index, false, places, facing);
    for (uint32_t k = 0; k < places_of(piece); ++k) {
        memcpy(out[k], &places[k], sizeof places[k]);
        out[k][3] = word_of(facing[k]);
    }
}

// A row a tile: its element, tints of its corners.
static void put_tiles(const karst_gl_zones *z, const karst_zone *zone, uint32_t index, row *out) {
    const karst_piece *piece = &zone->pieces[index];
    karst_tile_element elements[KARST_NET_TILES_MAX * KARST_NET_TILES_MAX];
    const uint16_t *tints = karst_zone_paint(zone, piece->patch).tint;
    karst_tile_resolve(z->tiles.bank, zone, index, elements);
    int n = 1 << piece->tiles_log2;
    for (int k = 0; k < n * n; ++k) {
        memcpy(out[k], &elements[k], sizeof elements[k]);
        const uint16_t *tint = tints + 17 * (piece->tile_t + k / n) + piece->tile_s + k % n;
        out[k][2] = tint[0] | (uint32_t)tint[1] << 16;
        out[k][3] = tint[17] | (uint32_t)tint[18] << 16;
    }
}

static void drop_fine(karst_gl_zones *z, kst_fine_rows *fine) {
    if (!fine->rows.count) return;
    z->fine_bytes -= (uint64_t)fine->rows.count * sizeof(row);
    --z->fine_pieces;
    kst_pool_give(&z->pool, &fine->rows);
}

// Far textures: where there is no room for that of a piece it is missing until blocks were given back.
static void put_far(karst_gl_zones *z, const karst_zone *zone, uint32_t index, kst_fine_rows *fine) {
    static const uint8_t relief[KARST_NOISE_SETS] = {89, 70, 191, 140, 45, 51};  // SET_RELIEF of zone_material.glsl
    uint8_t colours[KST_FAR_SIDE_MAX * KST_FAR_SIDE_MAX][3], texels[KST_FAR_SIDE_MAX * KST_FAR_SIDE_MAX][4];
    const karst_piece *piece = &zone->pieces[index];
    int log2 = piece->tiles_log2 + 2, side = 1 << log2;
    fine->far = kst_far_take(&z->tiles.far, log2);
    if (!fine->far) return;
    --z->far_missing;
    --z->far_left;
    const uint8_t *sets = karst_zone_paint(zone, piece->patch).set;
    karst_tile_far(z->tiles.bank, zone, index, colours);
    for (int k = 0; k < side * side; ++k) {
        int x = k % side, y = k / side;  // between the tile's corners
        const uint8_t *set = sets + 17 * (piece->tile_t + y / 4) + piece->tile_s + x / 4;
        int u = 2 * (x & 3) + 1, v = 2 * (y & 3) + 1;
        int sum = (8 - v) * ((8 - u) * relief[set[0]] + u * relief[set[1]]) +
                  v * ((8 - u) * relief[set[17]] + u * relief[set[18]]);
        memcpy(texels[k], colours[k], 3);
        texels[k][3] = (uint8_t)(sum / 64);
    }
    kst_far_put(&z->tiles.far, fine->far, log2, texels);
    z->figures.uploaded_bytes += ((uint64_t)side * (uint64_t)side * 16 - 4) / 3;
}

// Pieces that wait, or had no room once there may be some, as many as a show takes.
static void bring_far(karst_gl_zones *z) {
    if (!z->far_missing || (!z->far_waits && z->far_gives == z->tiles.far.gives)) return;
    z->far_gives = z->tiles.far.gives;
    z->far_waits = false;
    for (int32_t s = 0; s < z->stay_room; ++s)
        for (uint32_t k = 0; k < z->stays[s].piece_count; ++k) {
            kst_fine_rows *fine = &z->stays[s].fine[k];
            if (fine->far) continue;
            if (!z->far_left) {
                z->far_waits = true;
                return;
            }
            put_far(z, z->stays[s].zone, k, fine);
            if (!fine->far) continue;
            kst_pool_write(&z->pool, ((uint64_t)kst_piece_row(&z->stays[s], k) + 2) * 16 + 4, &fine->far,
                           sizeof fine->far);
        }
}

static void drop_zone(karst_gl_zones *z, kst_zone_stay *stay) {
    if (!stay->stay) return;
    for (uint32_t k = 0; k < stay->piece_count; ++k) {
        drop_fine(z, &stay->fine[k]);
        z->far_missing -= !stay->fine[k].far;
        kst_far_give(&z->tiles.far, stay->fine[k].far);
    }
    kst_pool_give(&z->pool, &stay->rows);
    free(stay->fine);
    *stay = (kst_zone_stay){0};
    --z->figures.zones;
    ++z->change;
}

static karst_status put_zone(karst_gl_zones *z, const karst_zone_at *at, kst_zone_stay *stay) {
    const karst_zone *zone = at->zone;
    uint32_t pieces = zone->piece_count, places = 0, tiles = 0;
    for (uint32_t k = 0; k < pieces; ++k) {
        places += places_of(&zone->pieces[k]);
        tiles += 1u << (2 * zone->pieces[k].tiles_log2);
    }
    uint32_t count = KST_PIECE_ROWS * pieces + zone->span_count + places + tiles;
    row *rows = malloc(((size_t)count + 1) * sizeof *rows);
    kst_fine_rows *fine = calloc((size_t)pieces + 1, sizeof *fine);
    kst_rows run = {0};
    karst_status status = rows && fine ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = kst_pool_take(&z->pool, count, &run);
    if (!status) {
        uint32_t spans = KST_PIECE_ROWS * pieces, place = spans + zone->span_count, tile = place + places;
        for (uint32_t k = 0; k < zone->span_count; ++k) {
            rows[spans + k][0] = at->span_level[k][0];
            rows[spans + k][1] = at->span_level[k][1];
            rows[spans + k][2] = (uint32_t)karst_zone_side_class(&zone->spans[k]);
            rows[spans + k][3] = 0;
        }
        z->far_missing += (int32_t)pieces;
        z->far_waits |= z->far_left < (int32_t)pieces;
        for (uint32_t k = 0; k < pieces; ++k) {
            put_piece(zone, &zone->pieces[k], run.first + spans, run.first + place, run.first + tile,
                      rows + (size_t)KST_PIECE_ROWS * k);
            put_places(zone, k, rows + place);
            put_tiles(z, zone, k, rows + tile);
            if (z->far_left) put_far(z, zone, k, &fine[k]);
            rows[(size_t)KST_PIECE_ROWS * k + 2][1] = fine[k].far;
            place += places_of(&zone->pieces[k]);
            tile += 1u << (2 * zone->pieces[k].tiles_log2);
        }
        kst_pool_put(&z->pool, run.first, count, rows);
        z->figures.uploaded_bytes += (uint64_t)count * sizeof *rows;
        ++z->figures.zones;
        ++z->change;
        *stay = (kst_zone_stay){zone, at->stay, pieces, run, fine};
        fine = NULL;
    }
    free(rows);
    free(fine);
    return status;
}

// ---- refined pieces --------------------------------------------------------------------------------

static karst_status put_fine(karst_gl_zones *z, kst_zone_stay *stay, uint32_t piece, row *rows) {
    static const uint32_t most = KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX;
    kst_fine_rows *fine = &stay->fine[piece];
    uint32_t side = (KARST_TILE_CELLS << stay->zone->pieces[piece].tiles_log2) + 1u, count = side * side;
    karst_fine *places = (karst_fine *)(rows + most);
    int16_t(*facing)[2] = (int16_t(*)[2])(places + most);
    karst_status status = kst_pool_take(&z->pool, count, &fine->rows);
    if (status) return status;
    karst_zone_fine(stay->zone, piece, places);
    karst_zone_normals(stay->zone, piece, true, places, facing);
    for (uint32_t k = 0; k < count; ++k) {
        memcpy(rows[k], &places[k], sizeof places[k]);
        rows[k][3] = word_of(facing[k]);
    }
    kst_pool_put(&z->pool, fine->rows.first, count, rows);
    kst_pool_write(&z->pool, (uint64_t)kst_piece_row(stay, piece) * 16 + 4, &fine->rows.first, sizeof(uint32_t));
    z->fine_bytes += (uint64_t)count * sizeof *rows;
    ++z->fine_pieces;
    z->figures.uploaded_bytes += (uint64_t)count * sizeof *rows + sizeof(uint32_t);
    return KARST_OK;
}

typedef struct old_piece {
    uint32_t used, row;
    kst_fine_rows *fine;
} old_piece;

static int by_use(const void *a, const void *b) {
    uint32_t x = ((const old_piece *)a)->used, y = ((const old_piece *)b)->used;
    return (x > y) - (x < y);
}

// Those that were not used for longest go, until `more` bytes fit into the budget or all that is left is in use.
static karst_status make_room(karst_gl_zones *z, uint64_t more) {
    if (z->fine_bytes + more <= z->def.fine_bytes) return KARST_OK;
    old_piece *old = malloc(((size_t)z->fine_pieces + 1) * sizeof *old);
    if (!old) return KARST_ERROR_MEMORY;
    size_t count = 0;
    for (int32_t s = 0; s < z->stay_room; ++s)
        for (uint32_t k = 0; k < z->stays[s].piece_count; ++k) {
            kst_fine_rows *fine = &z->stays[s].fine[k];
            if (fine->rows.count && fine->used != z->shows)
                old[count++] = (old_piece){fine->used, kst_piece_row(&z->stays[s], k), fine};
        }
    qsort(old, count, sizeof *old, by_use);
    for (size_t k = 0; k < count && z->fine_bytes + more > z->def.fine_bytes; ++k) {
        const uint32_t none = 0;
        drop_fine(z, old[k].fine);
        kst_pool_write(&z->pool, (uint64_t)old[k].row * 16 + 4, &none, sizeof none);
    }
    free(old);
    return KARST_OK;
}

// A piece is refined in this frame. @return bytes that have to go up for it
static uint64_t use_fine(karst_gl_zones *z, uint32_t slot, uint32_t piece) {
    kst_fine_rows *fine = &z->stays[slot].fine[piece];
    if (fine->used == z->shows) return 0;
    fine->used = z->shows;
    uint64_t side = ((uint64_t)KARST_TILE_CELLS << z->stays[slot].zone->pieces[piece].tiles_log2) + 1;
    return fine->rows.count ? 0 : side * side * sizeof(row);
}

karst_status kst_zones_bring_fine(karst_gl_zones *z, const karst_zone_frame *frame) {
    uint64_t more = 0;
    for (int32_t k = 0; k < frame->instance_count; ++k) {
        const karst_zone_instance *at = &frame->instances[k];
        if (at->tile != KARST_ZONE_WHOLE) more += use_fine(z, at->zone, at->piece);
    }
    for (int32_t s = 0; s < z->stay_room && z->bisect.counted; ++s)
        for (uint32_t k = 0; k < z->stays[s].piece_count; ++k)
            if (z->stays[s].fine[k].triangles) more += use_fine(z, (uint32_t)s, k);
    karst_status status = make_room(z, more);
    if (status || !more) return status;
    enum { MOST = KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX };
    row *room = malloc(MOST * (sizeof *room + sizeof(karst_fine) + 2 * sizeof(int16_t)));
    if (!room) return KARST_ERROR_MEMORY;
    for (int32_t s = 0; s < z->stay_room; ++s)
        for (uint32_t k = 0; k < z->stays[s].piece_count && !status; ++k) {
            const kst_fine_rows *fine = &z->stays[s].fine[k];
            if (fine->used == z->shows && !fine->rows.count) status = put_fine(z, &z->stays[s], k, room);
        }
    free(room);
    return status;
}

karst_status kst_zones_bring(karst_gl_zones *z, const karst_zone_frame *frame) {
    if (frame->zone_room > z->stay_room) {
        kst_zone_stay *stays = realloc(z->stays, (size_t)frame->zone_room * sizeof *stays);
        if (!stays) return KARST_ERROR_MEMORY;
        memset(stays + z->stay_room, 0, (size_t)(frame->zone_room - z->stay_room) * sizeof *stays);
        z->stays = stays;
        z->stay_room = frame->zone_room;
    }
    ++z->shows;
    z->far_left = z->def.far_a_show;
    for (int32_t k = 0; k < z->stay_room; ++k)
        if (k >= frame->zone_room || !frame->zones[k].zone || frame->zones[k].stay != z->stays[k].stay)
            drop_zone(z, &z->stays[k]);
    for (int32_t k = 0; k < frame->zone_room; ++k) {
        if (!frame->zones[k].zone || z->stays[k].stay) continue;
        karst_status status = put_zone(z, &frame->zones[k], &z->stays[k]);
        if (status) return status;
    }
    bring_far(z);
    return KARST_OK;
}

void kst_zones_forget(karst_gl_zones *z) {
    for (int32_t k = 0; k < z->stay_room; ++k) drop_zone(z, &z->stays[k]);
    free(z->stays);
    z->stays = NULL;
    z->stay_room = 0;
}
