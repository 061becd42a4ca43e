// SPDX-License-Identifier: MIT
// Methods: from eyes to patches with corner levels, one file each. The scene keeps what is resident, places the frame
// and sorts it into batches; it does not know how a method chooses, nor a method how a chunk came here.
#pragma once
#include "found.h"
#include "rings.h"
#include "skirt.h"
#include "slots.h"

typedef struct kst_tess kst_tess;

typedef struct kst_method {
    // What there is.
    const karst_pack *pack;
    karst_jobs *jobs;
    kst_slots slots;
    kst_cut cut;  // the tree, and where methods that walk it have cut it
    kst_rings rings;
    kst_skirt skirt;
    // What is asked. Eyes and frusta are those of the views, in their order.
    const kst_eye *eyes;
    const kst_frustum *frusta;  // NULL: nothing is left out for not being seen
    int eye_count;
    bool full;  // the reference triangles everywhere
    // What is chosen.
    kst_found found;
    int32_t awaited;  // chunks that it wants and that are not here
    int32_t nodes_visited;
    kst_leaf *wanted;  // working list
    int32_t wanted_room;
    kst_tess *tess;  // what method tess keeps, from its first frame on
} kst_method;

// Choose. A chunk that cannot be had is an error and whatever was found does not count; one that is merely not here
// yet is counted in `awaited`, and what is chosen covers the ground without it.
typedef karst_status kst_method_fn(kst_method *m);
kst_method_fn kst_method_grid, kst_method_tess, kst_method_rings;

void kst_tess_free(kst_method *m);

// For methods that cut the tree; context is the kst_method. A chunk may split when its children are here.
kst_ready_fn kst_method_ready;
// The table of a leaf.
kst_corners_fn kst_method_corners;
// Where a leaf's patches come from and which views see it; false when none does and it has no image in the skirt.
bool kst_method_sees(const kst_method *m, const kst_leaf *leaf, kst_source *source, kst_seen *seen);
// Give out those patches of a leaf that are seen, and keep it for the skirt.
void kst_method_give(kst_method *m, const kst_source *source, kst_seen seen, const float levels[KARST_CORNER_LANES],
                     float share);

// Room for so many in m->wanted; nothing of it is kept.
karst_status kst_method_want_room(kst_method *m, int32_t count);

// The chunk of a node that is here.
static inline const karst_chunk *kst_method_chunk(const kst_method *m, int slot) {
    return m->slots.slot[slot].chunk;
}
