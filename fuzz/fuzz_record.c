// SPDX-License-Identifier: MIT
// Planes from hostile bytes without a checksum before them: tables, weights, then a stream of numbers. All vector
// widths must agree on whether it is one, and on every value.
#include <stdlib.h>

#include "pack/plane.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { WIDE = 1, KNOWN = 2 };

typedef struct workplace {
    kst_rans_model model;
    kst_rans_slots slots;
    kst_plane plane;
    kst_plane_weights weights;
    uint64_t known[KST_PLANE_ROWS];
    int32_t coarse[KST_NODE_SIDE * KST_NODE_SIDE], fine[KST_FINE_SIDE * KST_FINE_SIDE];
    uint8_t *stream;
    size_t size;
} workplace;

static bool decode(workplace *w, const kst_plane_kernels *kernels, uint64_t *hash) {
    kst_unrans u;
    uint8_t load[KST_RANS_LOAD];
    w->plane.weights = w->weights;
    kst_plane_load(&w->plane, w->coarse, KST_NODE_SIDE);
    if (!kst_unrans_begin(&u, w->stream, w->size) || !kernels->decode(&w->plane, &u, &w->slots)) return false;
    kst_plane_step_on(&w->plane, 97, 33);
    kst_plane_weave(&w->plane, w->fine, KST_FINE_SIDE);
    *hash = kst_hash(w->fine, sizeof w->fine, kst_unrans_end(&u, load));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static workplace *w;
    if (!w) w = kst_alloc_zero(NULL, sizeof *w);
    if (!w) abort();
    kst_reader r = {bytes, bytes + size, false};
    uint8_t flags = kst_read_u8(&r), shift = kst_read_u8(&r) & 31;
    if (r.bad || !kst_plane_weights_read(&r, &w->weights) || !kst_rans_model_read(&r, &w->model)) return 0;
    kst_rans_slots_make(&w->model, &w->slots);
    for (int k = 0; k < KST_NODE_SIDE * KST_NODE_SIDE; ++k)
        w->coarse[k] = (int32_t)(uint32_t)((uint64_t)(k % 65 * 7 - k / 65 * 3) << shift);
    w->plane.wide = flags & WIDE;
    w->plane.base = kst_plane_base(w->coarse, KST_NODE_SIDE);
    w->plane.known = flags & KNOWN && kst_plane_known_beyond(97, 33, w->known) ? w->known : NULL;
    w->size = (size_t)(r.end - r.at);
    w->stream = malloc(w->size + KST_RANS_PAD);
    if (!w->stream) abort();
    memcpy(w->stream, r.at, w->size);
    memset(w->stream + w->size, 0xa5, KST_RANS_PAD);
    const kst_plane_kernels *all[4];
    int count = kst_plane_kernels_all(all);
    uint64_t hash = 0, other = 0;
    bool good = decode(w, all[0], &hash);
    for (int k = 1; k < count; ++k)
        if (decode(w, all[k], &other) != good || (good && other != hash)) abort();
    free(w->stream);
    return 0;
}
