// SPDX-License-Identifier: MIT
// Tiles: fixed-size images over the tiles of curved patches, with transitions that follow from what tile corners are
// painted with, and a far texture of few texels a tile. See docs/tile.md.
#pragma once
#include "karst/zone.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KARST_TILE_SIDE = 128,      ///< texels of an image
    KARST_TILE_VARIANTS = 12,   ///< images of a set
    KARST_TILE_MASKS = 48,      ///< transitions
    KARST_TILE_MASK_SIDE = 64,  ///< texels of a transition
    KARST_TILE_LAYERS = 3,      ///< a base and two over it
    KARST_TILE_FAR = 4,         ///< texels of the far texture along a tile
    KARST_TILE_NONE = 0xFFFF,
};

/// Images and transitions. Any two images of a set meet without a seam, however they are turned, whatever their groups.
typedef struct karst_tile_bank {
    uint16_t groups[KARST_NOISE_SETS][KARST_TILE_VARIANTS];  ///< bit g: the image belongs to group g; a
                                                             ///< set has some that are common
    uint8_t image[KARST_NOISE_SETS][KARST_TILE_VARIANTS][KARST_TILE_SIDE][KARST_TILE_SIDE][4];  ///< sRGB; alpha: height
    uint8_t mask[KARST_TILE_MASKS][KARST_TILE_MASK_SIDE]
                [KARST_TILE_MASK_SIDE];  ///< 0 below, 255 the layer; rows along s
    uint8_t far_image[KARST_NOISE_SETS][KARST_TILE_VARIANTS][KARST_TILE_FAR][KARST_TILE_FAR][3];  ///< means, sRGB
    uint8_t far_mask[KARST_TILE_MASKS][KARST_TILE_FAR][KARST_TILE_FAR];
} karst_tile_bank;

/// The bank that Karst makes by code: earth, grass, rock, moss, sand, path; of each six images that are common
/// and two of each of three other groups. The same bytes everywhere. Threads: any. Cost: 0.4 s.
KARST_API void karst_tile_bank_make(karst_tile_bank *out);

/// Groups that a set has images of in that bank, as bits. @param set below KARST_NOISE_SETS
KARST_API int karst_tile_groups_of(int set);

/// What people call a group: common, smooth, cracked ... Lives for ever. @param group 0..KARST_TILE_GROUPS - 1
KARST_API const char *karst_tile_group_name(int group);

/// What lies on a tile, 8 bytes. With m1 and m2 what the transitions of layers 1 and 2 cover (0 where there is no
/// layer), the shares are m2 of layer 2, max(m1 - m2, 0) of layer 1 and 1 - max(m1, m2) of the base. Layers: set |
/// variant << 4 | transition << 8 (of layer 0: none), or KARST_TILE_NONE.
typedef struct karst_tile_element {
    uint16_t turns;  ///< quarter turns of the images of layers 0, 1, 2: bits 0-1, 2-3, 4-5
    uint16_t layer[KARST_TILE_LAYERS];
} karst_tile_element;

static inline int karst_tile_layer_set(uint16_t layer) {
    return layer & 15;
}
static inline int karst_tile_layer_variant(uint16_t layer) {
    return layer >> 4 & 15;
}
static inline int karst_tile_layer_mask(uint16_t layer) {
    return layer >> 8 & 63;
}

/// The transition of a layer that covers some corners of a tile: bit k is corner (0,0), (1,0), (1,1), (0,1). One
/// corner, two that are neighbours, or three. Where its border crosses a side, each of the two sides that it crosses
/// says: 0 nearer to the corner that is not covered, 1 nearer to the one that is; first the side of lower number (t =
/// 0, s = 1, t = 1, s = 0). @return 0..47, or KARST_NET_NONE: these corners have none
KARST_API int karst_tile_mask_of(int corners, int first, int second);

/// The elements of all tiles of a piece, tile (i, j) at j N + i: the lowest set is the base, higher ones lie over it.
/// Images, turns and crossings follow from where the tile lies, so both tiles at a side agree. Each image is one of the
/// tile's group in that set; where the bank has none, one that is common. Threads: any. Cost: 60 ns a tile.
/// @return tiles that need more than three layers (four sets, or two across its corners and a third): what is shown
/// there leaves out the highest
KARST_API int karst_tile_resolve(const karst_tile_bank *bank, const karst_zone *zone, uint32_t piece,
                                 karst_tile_element *out);

/// The far texture of a piece: N * KARST_TILE_FAR texels a side, sRGB, tints of tile corners in it. Rows along s. Its
/// halves and quarters, two texels and one a tile, are its mips. Threads: any. Cost: 1 us a tile.
KARST_API void karst_tile_far(const karst_tile_bank *bank, const karst_zone *zone, uint32_t piece, uint8_t (*out)[3]);

/// Colour of an element at (u, v), 0..1 of a tile, sRGB 0..1: the CPU twin of the shader, without tints. What stands
/// out covers what lies lower: with x = share * (1/4 + height) of a layer, its weight is max(x - 0.7 * the largest x,
/// 0) over the sum of these; texels and layers mix as linear light. Tints then take from the sRGB code. Threads: any.
KARST_API karst_vec3 karst_tile_colour(const karst_tile_bank *bank, const karst_tile_element *element, float u,
                                       float v);

/// How far the four forms of a tile's colour show at a distance [m]: tiles, then 4 x 4, 2 x 2 and 1 x 1 texels. They
/// sum to
/// 1. Tiles end at tile_m, the next two at 200 and 400 m; each goes over in the last fade_m before its end. Threads:
/// any.
KARST_API void karst_tile_bands(float distance_m, float tile_m, float fade_m, float out[4]);

#ifdef __cplusplus
}
#endif
