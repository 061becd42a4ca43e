// SPDX-License-Identifier: MIT
// Skirt: the ground's patches near its outline, drawn once more beyond it as in a mirror. See docs/lod.md.
//
// A method gives its chunks near the outline to kst_skirt_keep(), seen or not, with the levels it drew them at; then
// kst_skirt_draw() adds their images. Corners on the outline keep their level, so images join the ground and each
// other; all others go to the coarsest that the chunks which touch there allow.
#pragma once
#include "found.h"

// A corner of the patch grid [patches of level 0].
typedef struct kst_place {
    int32_t x, z;
} kst_place;

typedef struct kst_skirt_corner {
    uint32_t stamp;
    kst_place place, end[2];  // end: of the edge inside which it lies
    float ground, level;      // absolute: what the ground has, what the skirt has
    int16_t finest;           // level of the finest patch that has it as a corner
    bool kept, done;
    int32_t edge;  // length of that edge [patches of level 0]; 0: it lies inside none
} kst_skirt_corner;

typedef struct kst_skirt_chunk {
    kst_source source;
    uint16_t drawn;  // bit 4 pz + px
    float levels[KARST_CORNER_LANES];
} kst_skirt_chunk;

typedef struct kst_skirt {
    const karst_allocator *allocator;
    karst_field_shape shape;
    double beside_m, width_m;  // width_m: how far it reaches; 0: there is none
    kst_skirt_chunk *chunks;
    int32_t chunk_count, chunk_room;
    kst_skirt_corner *corners;  // hashed by place
    uint32_t corner_room, stamp;
    bool short_of_memory;
} kst_skirt;

kst_skirt kst_skirt_make(const karst_field_shape *shape, double beside_m, const karst_allocator *allocator);
void kst_skirt_free(kst_skirt *skirt);
// Begin a frame with a skirt of this width; never wider than the ground.
void kst_skirt_begin(kst_skirt *skirt, double width_m);
// Whether a chunk has an image.
bool kst_skirt_wants(const kst_skirt *skirt, int level, int32_t x, int32_t z);
void kst_skirt_keep(kst_skirt *skirt, const kst_source *source, uint16_t drawn, const float levels[KARST_CORNER_LANES]);

// The corner table of a source.
typedef const karst_chunk_corners *kst_skirt_corners_fn(void *context, const kst_source *source);
// Add all images that are seen to `found`. frusta NULL: all.
karst_status kst_skirt_draw(kst_skirt *skirt, const kst_frustum *frusta, int count, kst_skirt_corners_fn *corners,
                            void *context, kst_found *found);
