// SPDX-License-Identifier: MIT
// The exact ground of a pack: level-0 chunks decoded as queries touch them, kept until the pack closes.
//
// One atomic pointer a chunk: null, or a finished block that never changes again. Readers take no lock; when two
// decode the same chunk at once, the second to publish frees its copy. Only what queries need is kept: vertices,
// hole words and the tree over them.
#include <math.h>
#include <stdatomic.h>

#include "pack/pack.h"
#include "surface/chunk_view.h"

// Followed by its tree.
typedef struct resident {
    kst_chunk_view view;
    uint64_t hole[KARST_CHUNK_CELLS];
    karst_vertex vertex[KARST_CHUNK_VERTICES];
} resident;

typedef _Atomic(resident *) slot;

struct kst_pack_ground {
    kst_field_ground field;  // first: a karst_ground points here
    const karst_pack *pack;
    slot *slots;
    size_t slot_count;
    _Atomic size_t bytes;
};

static size_t tree_place(void) {
    return (sizeof(resident) + 63) & ~(size_t)63;
}
static size_t resident_bytes(void) {
    return tree_place() + kst_tree_bytes();
}
static kst_chunk_tree *tree_of(resident *r) {
    return (kst_chunk_tree *)((uint8_t *)r + tree_place());
}

static karst_status load(const kst_pack_ground *g, int32_t x, int32_t z, resident **out) {
    const karst_allocator *allocator = g->pack->def.allocator;
    karst_chunk *chunk = kst_alloc(allocator, sizeof *chunk);
    resident *r = chunk ? kst_alloc(allocator, resident_bytes()) : NULL;
    karst_status status = r ? karst_pack_read_chunk(g->pack, 0, x, z, chunk) : KARST_ERROR_MEMORY;
    if (!status) {
        const karst_lattice *lattice = &g->pack->directory.lattice;
        memcpy(r->vertex, chunk->vertex, sizeof r->vertex);
        memcpy(r->hole, chunk->hole, sizeof r->hole);
        r->view = (kst_chunk_view){.shape = lattice->shape,
                                   .column = x * KARST_CHUNK_CELLS,
                                   .row = z * KARST_CHUNK_CELLS,
                                   .baked = r->vertex,
                                   .cell_steps = lattice->cell_steps,
                                   .step_y_m = lattice->step_y_m,
                                   .step_xz_m = lattice->step_xz_m,
                                   .hole = r->hole};
        kst_tree_build(tree_of(r), &r->view);
        *out = r;
    } else {
        kst_free(allocator, r, resident_bytes());
    }
    kst_free(allocator, chunk, sizeof *chunk);
    return status;
}

static karst_status pin(kst_field_ground *ground, int32_t x, int32_t z, const kst_chunk_view **view,
                        const kst_chunk_tree **tree, void **pinned) {
    kst_pack_ground *g = (kst_pack_ground *)ground;
    slot *s = &g->slots[(size_t)z * (size_t)ground->chunks_x + (size_t)x];
    resident *r = atomic_load_explicit(s, memory_order_acquire);
    if (!r) {
        resident *mine, *theirs = NULL;
        karst_status status = load(g, x, z, &mine);
        if (status) return status;
        if (atomic_compare_exchange_strong_explicit(s, &theirs, mine, memory_order_acq_rel, memory_order_acquire)) {
            atomic_fetch_add_explicit(&g->bytes, resident_bytes(), memory_order_relaxed);
            r = mine;
        } else {
            kst_free(g->pack->def.allocator, mine, resident_bytes());
            r = theirs;
        }
    }
    *view = &r->view;
    if (tree) *tree = tree_of(r);
    *pinned = NULL;
    return KARST_OK;
}

static void release(kst_field_ground *ground, void *pinned) {  // kept until the pack closes
    (void)ground;
    (void)pinned;
}

static bool bounds(kst_field_ground *ground, int32_t x, int32_t z, float out[6]) {
    return karst_pack_chunk_bounds(((kst_pack_ground *)ground)->pack, 0, x, z, out);
}

static size_t memory(const kst_field_ground *ground) {
    const kst_pack_ground *g = (const kst_pack_ground *)ground;
    return sizeof *g + g->slot_count * sizeof *g->slots + atomic_load_explicit(&g->bytes, memory_order_relaxed);
}

karst_status kst_pack_ground_create(karst_pack *pack, kst_pack_ground **out) {
    const kst_directory *d = &pack->directory;
    kst_pack_ground *g = kst_alloc_zero(pack->def.allocator, sizeof *g);
    if (!g) return KARST_ERROR_MEMORY;
    g->pack = pack;
    g->slot_count = (size_t)d->chunks_x[0] * (size_t)d->chunks_z[0];
    g->slots = kst_alloc_array(pack->def.allocator, g->slot_count, sizeof *g->slots);
    if (!g->slots) {
        kst_free(pack->def.allocator, g, sizeof *g);
        return KARST_ERROR_MEMORY;
    }
    for (size_t i = 0; i < g->slot_count; ++i) atomic_init(&g->slots[i], NULL);
    g->field = (kst_field_ground){.base = {&kst_field_ground_table},
                                  .shape = d->lattice.shape,
                                  .chunks_x = d->chunks_x[0],
                                  .chunks_z = d->chunks_z[0],
                                  .displaced = d->reach_x_steps || d->reach_z_steps,
                                  .reach_m = fmax(d->reach_x_steps, d->reach_z_steps) * d->lattice.step_xz_m,
                                  .pin = pin,
                                  .release = release,
                                  .bounds = bounds,
                                  .memory = memory,
                                  .all = d->bounds,
                                  .allocator = pack->def.allocator};
    *out = g;
    return KARST_OK;
}

void kst_pack_ground_destroy(kst_pack_ground *g, const karst_allocator *allocator) {
    if (!g) return;
    kst_field_ground_clear(&g->field);
    for (size_t i = 0; i < g->slot_count; ++i)
        kst_free(allocator, atomic_load_explicit(&g->slots[i], memory_order_relaxed), resident_bytes());
    kst_free(allocator, g->slots, g->slot_count * sizeof *g->slots);
    kst_free(allocator, g, sizeof *g);
}

const karst_ground *kst_pack_ground_of(const kst_pack_ground *g) {
    return &g->field.base;
}
