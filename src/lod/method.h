// SPDX-License-Identifier: MIT
// Methods: from eyes to patches with corner levels, one file each. The scene keeps what is resident, places the frame
// and sorts it into batches; it does not know how a method chooses, nor a method how a chunk came here.
#pragma once
#include "found.h"
#include "rings.h"
#include "seam.h"
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
    const karst_seam *seam;  // NULL: no level comes from one
    bool full;               // the reference triangles everywhere
    bool wishing;            // only wish: as if everything were here
    bool seam_alone;         // wish for chunks along seams alone
    // What is chosen.
    kst_found found;
    bool all_wished;  // wishes did not end for lack of memory
    int apart;        // levels by which neighbours may differ, for those who decide what is shown; 0: any
    int32_t nodes_visited;
    kst_tess *tess;  // what method tess keeps, from its first frame on
} kst_method;

// Choose, twice an update. First, wishing, walk as if all chunks were here, give every split to kst_method_ready(), and
// find nothing: that is what will be loaded. Then choose with what is here: only nodes that kst_method_ready() lets
// split have children that may be drawn. On an error whatever was found does not count.
typedef karst_status kst_method_fn(kst_method *m);
kst_method_fn kst_method_grid, kst_method_tess, kst_method_rings;

void kst_tess_free(kst_method *m);

// Wishing: note that nodes should split, and let them. Else let those that may. context is the kst_method.
kst_ready_fn kst_method_ready;
// Cut the tree through kst_method_ready(); the cut of the wishes stays when all of them are granted.
karst_status kst_method_cut(kst_method *m, kst_cut *cut);
// The table of a leaf.
kst_corners_fn kst_method_corners;
// Levels of a leaf's corners in full detail: 0 but beside what is coarser since something is not here.
void kst_method_full_levels(kst_method *m, const kst_cut *cut, const kst_leaf *leaf, const karst_chunk_corners *corners,
                            float levels[KARST_CORNER_LANES], float *share);
// Where a leaf's patches come from and which views see it; false when none does and it has no image in the skirt.
bool kst_method_sees(const kst_method *m, const kst_leaf *leaf, kst_source *source, kst_seen *seen);
// Give out those patches of a leaf that are seen, and keep it for the skirt.
void kst_method_give(kst_method *m, const kst_source *source, kst_seen seen, const float levels[KARST_CORNER_LANES],
                     float share);

// The chunk of a node that is here.
static inline const karst_chunk *kst_method_chunk(const kst_method *m, int slot) {
    return m->slots.slot[slot].chunk;
}
