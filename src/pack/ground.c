// SPDX-License-Identifier: MIT
// The exact ground of a pack: level-0 chunks decoded as queries touch them and kept within a budget.
//
// One atomic word a chunk: the address of a finished block that never changes again, and how many pin it. Readers take
// no lock and never wait: a pin is one addition, and what it adds to an empty word only tells the loader that somebody
// looked. A block may go when its word is exactly its address and no pin. When two decode the same chunk at once, the
// second to publish frees its copy; one for which there is no room is its query's own. Only what queries need is kept:
// vertices, hole words and the tree over them. A pack whose whole ground fits the budget counts no pins.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "pack/pack.h"
#include "surface/chunk_view.h"

// Address << 14 | pins: addresses are multiples of 64 below 2^50.
typedef _Atomic uint64_t word;
enum { ADDRESS_SHIFT = 14, PIN_BITS = 20 };

// Followed by its tree.
typedef struct resident {
    kst_chunk_view view;
    _Atomic uint8_t used;   // since the hand passed last
    _Atomic int32_t holds;  // who asked that it stay
    word *home;             // where it is published; NULL: it is its query's own
    struct resident *next;
    uint64_t hole[KARST_CHUNK_CELLS];
    karst_vertex vertex[KARST_CHUNK_VERTICES];
} resident;

struct kst_pack_ground {
    kst_field_ground field;  // first: a karst_ground points here
    const karst_pack *pack;
    word *words;
    size_t word_count;
    bool bounded;                 // there is more ground than budget
    uint64_t budget;              // bytes kept beside what is held
    _Atomic uint64_t kept, held;  // bytes
    _Atomic(resident *) fresh;    // published since the last sweep
    pthread_mutex_t sweep;        // who has it may move the hand; queries only try
    resident *first, *last;       // all others that are published, the next for the hand first
    size_t listed;
};

static resident *resident_of(uint64_t w) {
    return (resident *)(uintptr_t)(w >> ADDRESS_SHIFT & ~UINT64_C(63));
}
static uint64_t word_of(const resident *r) {
    uint64_t address = (uint64_t)(uintptr_t)r;
    KARST_ASSERT(!(address & 63) && !(address >> 50));
    return address << ADDRESS_SHIFT;
}

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
    const kst_directory *d = &g->pack->directory;
    resident *r = kst_alloc(allocator, resident_bytes());
    kst_family *family = NULL;
    karst_status status = r ? kst_family_get(g->pack, kst_pack_record_of(d, 0, x, z), &family) : KARST_ERROR_MEMORY;
    if (!status) {
        const karst_chunk *chunk = kst_family_chunk(family, kst_pack_child_of(d, 0, x, z));
        const karst_lattice *lattice = &d->lattice;
        atomic_init(&r->used, 1);
        atomic_init(&r->holds, 0);
        r->home = NULL;
        r->next = NULL;
        memcpy(r->vertex, chunk->vertex, sizeof r->vertex);
        memcpy(r->hole, chunk->hole, sizeof r->hole);
        kst_family_drop(g->pack, family);
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
    return status;
}

// ---- the budget: second chances in the order of arrival -----------------------------------------------------------

static void append(kst_pack_ground *g, resident *r) {
    r->next = NULL;
    *(g->first ? &g->last->next : &g->first) = r;
    g->last = r;
    ++g->listed;
}

static void list_fresh(kst_pack_ground *g) {
    resident *fresh = atomic_exchange_explicit(&g->fresh, NULL, memory_order_acquire), *back = NULL;
    while (fresh) {  // pushed last, listed last
        resident *next = fresh->next;
        fresh->next = back;
        back = fresh;
        fresh = next;
    }
    while (back) {
        resident *next = back->next;
        append(g, back);
        back = next;
    }
}

// Evict until the budget is kept or nothing more can go. The caller has the sweep.
static void evict(kst_pack_ground *g) {
    list_fresh(g);
    for (size_t turns = 2 * g->listed; turns && atomic_load_explicit(&g->kept, memory_order_relaxed) > g->budget;
         --turns) {
        resident *r = g->first;
        g->first = r->next;
        --g->listed;
        uint64_t alone = word_of(r);
        if (atomic_exchange_explicit(&r->used, 0, memory_order_relaxed) ||
            !atomic_compare_exchange_strong_explicit(r->home, &alone, 0, memory_order_acq_rel, memory_order_relaxed)) {
            append(g, r);
            continue;
        }
        kst_free(g->pack->def.allocator, r, resident_bytes());
        atomic_fetch_sub_explicit(&g->kept, resident_bytes(), memory_order_relaxed);
    }
}

// Take room for one block out of the budget; false when there is none.
static bool take_room(kst_pack_ground *g) {
    uint64_t bytes = resident_bytes();
    uint64_t kept = atomic_fetch_add_explicit(&g->kept, bytes, memory_order_relaxed) + bytes;
    if (!g->bounded || kept <= g->budget) return true;
    if (!pthread_mutex_trylock(&g->sweep)) {
        evict(g);
        pthread_mutex_unlock(&g->sweep);
        if (atomic_load_explicit(&g->kept, memory_order_relaxed) <= g->budget) return true;
    }
    atomic_fetch_sub_explicit(&g->kept, bytes, memory_order_relaxed);
    return false;
}

// ---- pins --------------------------------------------------------------------------------------------------------

// Decode a chunk whose empty word is pinned by the caller, and publish it with that pin. Without room, and unless it
// must stay, the block is the caller's own and the pin is taken back.
static __attribute__((noinline)) karst_status decode(kst_pack_ground *g, int32_t x, int32_t z, bool must_stay,
                                                     resident **out) {
    word *home = &g->words[(size_t)z * (size_t)g->field.chunks_x + (size_t)x];
    uint64_t pin_bit = g->bounded ? 1 : 0, bytes = resident_bytes();
    resident *mine;
    karst_status status = load(g, x, z, &mine);
    if (status) {
        atomic_fetch_sub_explicit(home, pin_bit, memory_order_relaxed);
        return status;
    }
    *out = mine;
    bool kept = take_room(g);
    if (!kept && !must_stay) {
        atomic_fetch_sub_explicit(home, pin_bit, memory_order_relaxed);
        return KARST_OK;
    }
    if (!kept) atomic_fetch_add_explicit(&g->kept, bytes, memory_order_relaxed);  // until it is counted as held
    mine->home = home;
    uint64_t seen = atomic_load_explicit(home, memory_order_acquire);
    do {
        if (seen >> PIN_BITS) {  // somebody was first
            atomic_fetch_sub_explicit(&g->kept, bytes, memory_order_relaxed);
            kst_free(g->pack->def.allocator, mine, bytes);
            *out = resident_of(seen);
            return KARST_OK;
        }
    } while (!atomic_compare_exchange_weak_explicit(home, &seen, seen | word_of(mine), memory_order_acq_rel,
                                                    memory_order_acquire));
    if (!g->bounded) return KARST_OK;
    mine->next = atomic_load_explicit(&g->fresh, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&g->fresh, &mine->next, mine, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    return KARST_OK;
}

static karst_status pin(kst_field_ground *ground, int32_t x, int32_t z, const kst_chunk_view **view,
                        const kst_chunk_tree **tree, void **pinned) {
    kst_pack_ground *g = (kst_pack_ground *)ground;
    word *home = &g->words[(size_t)z * (size_t)ground->chunks_x + (size_t)x];
    uint64_t w = g->bounded ? atomic_fetch_add_explicit(home, 1, memory_order_acq_rel)
                            : atomic_load_explicit(home, memory_order_acquire);
    resident *r = resident_of(w);
    if (!r) {
        karst_status status = decode(g, x, z, false, &r);
        if (status) return status;
    } else if (g->bounded && !atomic_load_explicit(&r->used, memory_order_relaxed)) {
        atomic_store_explicit(&r->used, 1, memory_order_relaxed);
    }
    *view = &r->view;
    if (tree) *tree = tree_of(r);
    *pinned = g->bounded ? r : NULL;
    return KARST_OK;
}

static void release(kst_field_ground *ground, void *pinned) {
    kst_pack_ground *g = (kst_pack_ground *)ground;
    resident *r = pinned;
    if (r->home)
        atomic_fetch_sub_explicit(r->home, 1, memory_order_release);
    else
        kst_free(g->pack->def.allocator, r, resident_bytes());
}

karst_status kst_pack_ground_hold(kst_pack_ground *g, int32_t x, int32_t z) {
    word *home = &g->words[(size_t)z * (size_t)g->field.chunks_x + (size_t)x];
    uint64_t w = g->bounded ? atomic_fetch_add_explicit(home, 1, memory_order_acq_rel)
                            : atomic_load_explicit(home, memory_order_acquire);
    resident *r = resident_of(w);
    karst_status status = r ? KARST_OK : decode(g, x, z, true, &r);
    if (status || atomic_fetch_add_explicit(&r->holds, 1, memory_order_acq_rel)) return status;
    atomic_fetch_add_explicit(&g->held, resident_bytes(), memory_order_relaxed);
    atomic_fetch_sub_explicit(&g->kept, resident_bytes(), memory_order_relaxed);
    return KARST_OK;
}

void kst_pack_ground_drop(kst_pack_ground *g, int32_t x, int32_t z) {
    word *home = &g->words[(size_t)z * (size_t)g->field.chunks_x + (size_t)x];
    resident *r = resident_of(atomic_load_explicit(home, memory_order_acquire));
    KARST_ASSERT(r && atomic_load(&r->holds) > 0);
    if (atomic_fetch_sub_explicit(&r->holds, 1, memory_order_acq_rel) == 1) {
        atomic_fetch_add_explicit(&g->kept, resident_bytes(), memory_order_relaxed);
        atomic_fetch_sub_explicit(&g->held, resident_bytes(), memory_order_relaxed);
    }
    if (!g->bounded) return;
    atomic_fetch_sub_explicit(home, 1, memory_order_release);
    if (atomic_load_explicit(&g->kept, memory_order_relaxed) <= g->budget) return;
    pthread_mutex_lock(&g->sweep);
    evict(g);
    pthread_mutex_unlock(&g->sweep);
}

static bool bounds(kst_field_ground *ground, int32_t x, int32_t z, float out[6]) {
    return karst_pack_chunk_bounds(((kst_pack_ground *)ground)->pack, 0, x, z, out);
}

static size_t memory(const kst_field_ground *ground) {
    const kst_pack_ground *g = (const kst_pack_ground *)ground;
    return sizeof *g + g->word_count * sizeof *g->words + atomic_load_explicit(&g->kept, memory_order_relaxed) +
           atomic_load_explicit(&g->held, memory_order_relaxed);
}

karst_status kst_pack_ground_create(karst_pack *pack, kst_pack_ground **out) {
    const kst_directory *d = &pack->directory;
    kst_pack_ground *g = kst_alloc_zero(pack->def.allocator, sizeof *g);
    if (!g) return KARST_ERROR_MEMORY;
    g->pack = pack;
    g->word_count = (size_t)d->chunks_x[0] * (size_t)d->chunks_z[0];
    g->budget = pack->def.ground_bytes;
    g->bounded = g->budget / resident_bytes() < g->word_count;
    g->words = kst_alloc_array(pack->def.allocator, g->word_count, sizeof *g->words);
    if (!g->words) {
        kst_free(pack->def.allocator, g, sizeof *g);
        return KARST_ERROR_MEMORY;
    }
    for (size_t i = 0; i < g->word_count; ++i) atomic_init(&g->words[i], 0);
    pthread_mutex_init(&g->sweep, NULL);
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
    for (size_t i = 0; i < g->word_count; ++i)
        kst_free(allocator, resident_of(atomic_load_explicit(&g->words[i], memory_order_relaxed)), resident_bytes());
    kst_free(allocator, g->words, g->word_count * sizeof *g->words);
    pthread_mutex_destroy(&g->sweep);
    kst_free(allocator, g, sizeof *g);
}

const karst_ground *kst_pack_ground_of(const kst_pack_ground *g) {
    return &g->field.base;
}

size_t kst_pack_ground_chunk_bytes(void) {
    return resident_bytes();
}
