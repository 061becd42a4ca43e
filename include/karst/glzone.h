// SPDX-License-Identifier: MIT
// Ground of curved patches on the screen: the frames of a scene of zones. See docs/gl.md, Zones.
#pragma once
#include "karst/gl.h"
#include "karst/tile.h"
#include "karst/zonescene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parameters. Start from karst_gl_zones_def_default().
typedef struct karst_gl_zones_def {
    uint64_t fine_bytes;  ///< vertices of refined pieces that stay on the device though no frame has them any more;
                          ///< default 64 MB. What a frame needs is there in any case.
    uint64_t far_bytes;   ///< of far textures, in pages of 350 KB; default 64 MB, about 12,000 pieces of 8 x 8 tiles. A
                          ///< piece that finds no room is drawn by tiles at any distance, until zones have left
    int32_t far_a_show;   ///< far textures that one show makes at most, 30 us each; other pieces wait for the next,
                          ///< drawn by tiles; default INT32_MAX: none waits
    const karst_tile_bank *tiles;  ///< images, read while it is made; NULL: those that Karst makes
    float tile_m, fade_m;          ///< as of karst_tile_bands(); default 100 and 10
    float anisotropy;              ///< of images, as far as the device can: 1 none; default 8
    bool reserve;     ///< memory for far_bytes, fine_bytes, as much for zones and a million vertices is made
                      ///< at once, so that few shows wait for it to grow; default false
    bool shadows;     ///< the sun's shadows and the darkness of caves; default true
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_gl_zones_def;

/// 64 MB each, Karst's own tiles up to 100 m, with shadows.
KARST_API karst_gl_zones_def karst_gl_zones_def_default(void);

/// Make what draws the frames of one scene: give it as karst_gl_look.zones.
/// Threads: this and every call with it as those of the renderer. Cost: compiles shaders.
/// @param scene must outlive it @param def NULL: the default
/// @param out yours until karst_gl_zones_destroy(), which comes before that of the renderer; untouched on error
/// @return KARST_ERROR_UNSUPPORTED (the driver refused), KARST_ERROR_MEMORY
KARST_API karst_status karst_gl_zones_create(karst_gl *gl, const karst_zone_scene *scene, const karst_gl_zones_def *def,
                                             karst_gl_zones **out);
/// Free it and its GL objects; its context must be current. NULL is allowed.
KARST_API void karst_gl_zones_destroy(karst_gl_zones *zones);

/// What is drawn from now on. Copied: vertices are morphed on the device now, and the frame is not needed again. Zones
/// go up when a frame first has them, vertices of a piece when it is first refined. Of a frame of method bisect what is
/// dirty goes up, little from frame to frame; its mesh is read during the call alone.
/// @return KARST_ERROR_MEMORY, KARST_ERROR_LIMIT (more than the device holds); nothing is drawn then.
/// Cost: O(instances), or O(pieces) of method bisect; 60 ns a vertex that goes up.
KARST_API karst_status karst_gl_zones_show(karst_gl_zones *zones, const karst_zone_frame *frame);

/// What the last karst_gl_zones_show() brought up, and what is drawn of it.
typedef struct karst_gl_zone_figures {
    int64_t triangles, vertices;  ///< of the patterns; of method bisect those in use
    int32_t instances, draws;
    int32_t zones;            ///< on the device
    int32_t fine_pieces;      ///< refined pieces on the device
    uint64_t fine_bytes;      ///< of their vertices
    int32_t far_pieces;       ///< with a far texture on the device
    int32_t far_missing;      ///< without one, for want of room or until another show
    uint64_t far_bytes;       ///< of its pages
    uint64_t tile_bytes;      ///< of images and transitions
    uint64_t device_bytes;    ///< of all buffers, textures and shadow maps
    uint64_t uploaded_bytes;  ///< by that call
} karst_gl_zone_figures;

/// Zeros before there is one. Cost: O(1).
KARST_API karst_gl_zone_figures karst_gl_zones_figures(const karst_gl_zones *zones);

#ifdef __cplusplus
}
#endif
