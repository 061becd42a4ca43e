// SPDX-License-Identifier: MIT
// Streaming: the state machine.
//
// Invariants after each tick, once the root is here:
//   - the chunks shown cover the ground exactly once, all of them are here, and neighbours are within so many levels as
//     was asked;
//   - what is here or loading never takes more than the memory it may, and nothing shown is evicted;
//   - the parent of all that is here or loading is so too (a chunk is decoded from its ancestors, and a picture gets
//     coarser at once);
//   - a picture gets finer only where no simulation data is wanted and still to come.
//
// Memory goes to the most urgent: wants are taken in order of urgency as far as memory reaches, and what is here but
// beyond that may be evicted, the longest unwanted first. So the same wants always end in the same chunks, and no two
// chunks evict one another in turn. The order of arrivals within a tick has no effect.
#include "stream.h"

// In place of an item number. Below the last: none.
enum { NOT_HERE = -1, WISHED = -2, DAMAGED = -3, NOT_YET = -4 };

typedef struct kst_stream_wish {
    kst_kind kind;
    int32_t level, x, z;
} wish;

typedef kst_stream_item item;

enum { BUCKETS = 512 };  // of urgency: half an octave each

static int32_t *where_of(const kst_stream *s, kst_kind kind, int level, int32_t x, int32_t z) {
    int32_t *map = kind == KST_SIM ? s->sim_where : s->where[level];
    return &map[(int64_t)z * s->def.tree.grid_x[level] + x];
}

static int32_t *where_of_item(const kst_stream *s, int32_t at) {
    const item *i = &s->items[at];
    return where_of(s, at < s->def.limit[KST_VISUAL] ? KST_VISUAL : KST_SIM, i->level, i->x, i->z);
}

static kst_kind kind_of(const kst_stream *s, int32_t at) {
    return at < s->def.limit[KST_VISUAL] ? KST_VISUAL : KST_SIM;
}

// The item after one, of those that were ever used; begin with -1, and end at item_count.
static inline int32_t next_item(const kst_stream *s, int32_t at) {
    const int32_t *limit = s->def.limit;
    if (++at == s->used[KST_VISUAL]) at = limit[KST_VISUAL];
    return at == limit[KST_VISUAL] + s->used[KST_SIM] ? s->item_count : at;
}

static kst_stream_chunk chunk_of(const kst_stream *s, int32_t at) {
    const item *i = &s->items[at];
    kst_kind kind = kind_of(s, at);
    return (kst_stream_chunk){kind, kind == KST_SIM ? at - s->def.limit[KST_VISUAL] : at, i->level, i->x, i->z};
}

static bool is_here(const item *i) {
    return i->state == KST_READY || i->state == KST_SHOWN || i->state == KST_LEAVING;
}

// The item of the parent of a visual, or what there is in place of one; the root's is NOT_HERE.
static int32_t parent_of(const kst_stream *s, int level, int32_t x, int32_t z) {
    return level + 1 < s->def.tree.level_count ? *where_of(s, KST_VISUAL, level + 1, x >> 1, z >> 1) : NOT_HERE;
}

// The children of a node: up to four, fewer at the far sides of the ground.
typedef struct brood {
    int32_t *where[4];
    int32_t x[4], z[4];
    int count;
} brood;

static brood children_of(const kst_stream *s, int level, int32_t x, int32_t z) {
    brood b;
    b.count = 0;
    const kst_tree *tree = &s->def.tree;
    for (int c = 0; c < 4; ++c) {
        int32_t cx = 2 * x + (c & 1), cz = 2 * z + (c >> 1);
        if (cx >= tree->grid_x[level - 1] || cz >= tree->grid_z[level - 1]) continue;
        b.x[b.count] = cx;
        b.z[b.count] = cz;
        b.where[b.count++] = where_of(s, KST_VISUAL, level - 1, cx, cz);
    }
    return b;
}

// ---- life ------------------------------------------------------------------------------------------

static size_t grid_count(const kst_tree *tree, int level) {
    return (size_t)tree->grid_x[level] * (size_t)tree->grid_z[level];
}

karst_status kst_stream_create(kst_stream *s, const kst_stream_def *def) {
    const karst_allocator *a = def->allocator;
    *s = (kst_stream){.def = *def, .oldest = -1, .newest = -1, .tick = 1};
    s->item_count = def->limit[KST_VISUAL] + def->limit[KST_SIM];
    size_t count = (size_t)s->item_count;
    s->items = kst_alloc_zero(a, count * sizeof *s->items);
    s->wishes = kst_alloc_array(a, count, sizeof *s->wishes);
    s->turns = kst_alloc_array(a, count, sizeof *s->turns);
    s->requests = kst_alloc_array(a, count, sizeof *s->requests);
    s->evicted = kst_alloc_array(a, count, sizeof *s->evicted);
    s->shown = kst_alloc_array(a, count, sizeof *s->shown);
    s->failed = kst_alloc_array(a, count, sizeof *s->failed);
    bool ok = s->items && s->wishes && s->turns && s->requests && s->evicted && s->shown && s->failed;
    for (int kind = 0; kind < KST_KINDS && ok; ++kind) {
        int32_t first = kind == KST_VISUAL ? 0 : def->limit[KST_VISUAL];
        s->vacant[kind] = kst_alloc_array(a, (size_t)def->limit[kind] + 1, sizeof(int32_t));
        ok = s->vacant[kind] != NULL;
        for (int32_t k = 0; k < def->limit[kind] && ok; ++k)
            s->vacant[kind][s->vacant_count[kind]++] = first + def->limit[kind] - 1 - k;
    }
    for (int level = 0; level < def->tree.level_count && ok; ++level) {
        size_t nodes = grid_count(&def->tree, level);
        s->where[level] = kst_alloc_array(a, nodes, sizeof(int32_t));
        ok = s->where[level] != NULL;
        for (size_t k = 0; k < nodes && ok; ++k) s->where[level][k] = NOT_HERE;
    }
    if (ok) s->sim_where = kst_alloc_array(a, grid_count(&def->tree, 0), sizeof(int32_t));
    if (!s->sim_where) {
        kst_stream_destroy(s);
        return KARST_ERROR_MEMORY;
    }
    for (size_t k = 0; k < grid_count(&def->tree, 0); ++k) s->sim_where[k] = NOT_HERE;
    for (int32_t k = 0; k < s->item_count; ++k) s->items[k].level = -1;
    return KARST_OK;
}

void kst_stream_destroy(kst_stream *s) {
    const karst_allocator *a = s->def.allocator;
    size_t count = (size_t)s->item_count;
    kst_free(a, s->items, count * sizeof *s->items);
    kst_free(a, s->wishes, count * sizeof *s->wishes);
    kst_free(a, s->turns, count * sizeof *s->turns);
    kst_free(a, s->requests, count * sizeof *s->requests);
    kst_free(a, s->evicted, count * sizeof *s->evicted);
    kst_free(a, s->shown, count * sizeof *s->shown);
    kst_free(a, s->failed, count * sizeof *s->failed);
    kst_free(a, s->order, (size_t)s->order_room * sizeof *s->order);
    for (int kind = 0; kind < KST_KINDS; ++kind)
        kst_free(a, s->vacant[kind], ((size_t)s->def.limit[kind] + 1) * sizeof(int32_t));
    for (int level = 0; level < s->def.tree.level_count; ++level)
        kst_free(a, s->where[level], grid_count(&s->def.tree, level) * sizeof(int32_t));
    if (s->sim_where) kst_free(a, s->sim_where, grid_count(&s->def.tree, 0) * sizeof(int32_t));
    *s = (kst_stream){0};
}

// ---- items -----------------------------------------------------------------------------------------

static void stop_leaving(kst_stream *s, int32_t at) {
    item *i = &s->items[at];
    *(i->older < 0 ? &s->oldest : &s->items[i->older].newer) = i->newer;
    *(i->newer < 0 ? &s->newest : &s->items[i->newer].older) = i->older;
}

static void start_leaving(kst_stream *s, int32_t at) {
    item *i = &s->items[at];
    i->state = KST_LEAVING;
    i->older = s->newest;
    i->newer = -1;
    *(s->newest < 0 ? &s->oldest : &s->items[s->newest].newer) = at;
    s->newest = at;
}

// Give an item to a chunk that will be loaded.
static int32_t occupy(kst_stream *s, const wish *w) {
    int32_t at = s->vacant[w->kind][--s->vacant_count[w->kind]];
    int32_t number = w->kind == KST_SIM ? at - s->def.limit[KST_VISUAL] : at;
    if (number >= s->used[w->kind]) s->used[w->kind] = number + 1;
    uint32_t bytes = s->def.chunk_bytes[w->kind];
    s->items[at] = (item){
        .level = w->level, .x = w->x, .z = w->z, .bytes = bytes, .kept = s->tick, .state = KST_LOADING, .opened = 0};
    s->bytes += bytes;
    *where_of(s, w->kind, w->level, w->x, w->z) = at;
    if (w->kind == KST_VISUAL) {
        int32_t parent = parent_of(s, w->level, w->x, w->z);
        if (parent >= 0) ++s->items[parent].dependants;
        if (w->level > 0) {  // some may be on their way since an earlier life of this one
            brood b = children_of(s, w->level, w->x, w->z);
            for (int c = 0; c < b.count; ++c) s->items[at].dependants += *b.where[c] >= 0;
        }
    }
    return at;
}

// Take an item from its chunk, for which `left` stays in its place.
static void vacate(kst_stream *s, int32_t at, int32_t left) {
    item *i = &s->items[at];
    kst_kind kind = kind_of(s, at);
    if (kind == KST_VISUAL) {
        int32_t parent = parent_of(s, i->level, i->x, i->z);
        if (parent >= 0) --s->items[parent].dependants;
    }
    if (i->state == KST_LEAVING) stop_leaving(s, at);
    *where_of_item(s, at) = left;
    s->bytes -= i->bytes;
    i->level = -1;
    i->state = KST_ABSENT;
    s->vacant[kind][s->vacant_count[kind]++] = at;
}

// What was loaded under a chunk that then failed has no use. What is still loading there is dropped when it arrives.
static void evict_below(kst_stream *s, int level, int32_t x, int32_t z, kst_stream_out *out) {
    if (level == 0) return;
    brood b = children_of(s, level, x, z);
    for (int c = 0; c < b.count; ++c) {
        int32_t at = *b.where[c];
        if (at < 0 || !is_here(&s->items[at])) continue;
        evict_below(s, level - 1, b.x[c], b.z[c], out);
        s->evicted[out->evicted_count++] = chunk_of(s, at);
        vacate(s, at, NOT_HERE);
    }
}

// ---- a tick, part by part --------------------------------------------------------------------------

static void end_load(kst_stream *s, int32_t at, kst_stream_out *out) {
    item *i = &s->items[at];
    kst_kind kind = kind_of(s, at);
    i->arrived = false;
    kst_load_end end = i->end;
    bool is_root = i->level + 1 == s->def.tree.level_count;
    int32_t parent = kind == KST_SIM || is_root ? at : parent_of(s, i->level, i->x, i->z);
    if (parent < 0 && end == KST_LOAD_DONE) {
        s->evicted[out->evicted_count++] = chunk_of(s, at);
        end = KST_LOAD_DROPPED;
    }
    // What is decoded from its ancestors may have failed for their sake: that is known when the parent has arrived.
    if (end == KST_LOAD_FAILED && parent != at) {
        if (parent < 0) end = KST_LOAD_DROPPED;
        if (parent >= 0 && !is_here(&s->items[parent])) {
            i->arrived = true;
            ++s->undecided;
            return;
        }
    }
    if (end == KST_LOAD_DONE) {
        KARST_ASSERT(i->end_bytes <= i->bytes);
        s->bytes -= i->bytes - i->end_bytes;
        i->bytes = i->end_bytes;
        i->state = KST_READY;
        return;
    }
    if (end == KST_LOAD_FAILED) {
        kst_stream_chunk chunk = chunk_of(s, at);
        chunk.slot = -1;
        s->failed[out->failed_count++] = chunk;
    }
    int32_t level = i->level, x = i->x, z = i->z;
    vacate(s, at, end == KST_LOAD_FAILED ? DAMAGED : end == KST_LOAD_LATER ? NOT_YET : NOT_HERE);
    if (kind == KST_VISUAL) evict_below(s, level, x, z, out);
}

// Shell's sort with Knuth's gaps; the library's may allocate.
static void sort_turns(uint64_t *turns, int32_t count) {
    int32_t gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (int32_t k = gap; k < count; ++k) {
            uint64_t one = turns[k];
            int32_t to = k;
            for (; to >= gap && turns[to - gap] > one; to -= gap) turns[to] = turns[to - gap];
            turns[to] = one;
        }
}

static uint64_t turn_of(const kst_stream *s, int32_t at) {  // parents first, then by place
    return (uint64_t)(KARST_MAX_LEVEL - s->items[at].level) << 32 | (uint64_t)at;
}

static void take_arrivals(kst_stream *s, const kst_stream_in *in, kst_stream_out *out) {
    int32_t count = 0;
    for (int32_t at = next_item(s, -1); at < s->item_count && s->undecided; at = next_item(s, at))
        if (s->items[at].level >= 0 && s->items[at].arrived) {
            s->turns[count++] = turn_of(s, at);
            --s->undecided;
        }
    for (int32_t k = 0; k < in->arrival_count; ++k) {
        const kst_arrival *a = &in->arrivals[k];
        int32_t at = a->slot + (a->kind == KST_SIM ? s->def.limit[KST_VISUAL] : 0);
        item *i = &s->items[at];
        KARST_ASSERT(i->level >= 0 && i->state == KST_LOADING && !i->arrived);
        i->arrived = true;
        i->end = a->end;
        i->end_bytes = a->bytes;
        s->turns[count++] = turn_of(s, at);
    }
    sort_turns(s->turns, count);
    for (int32_t k = 0; k < count; ++k) end_load(s, (int32_t)(uint32_t)s->turns[k], out);
}

// Wishes of the last tick that were not granted.
static void forget_wishes(kst_stream *s) {
    for (int32_t k = 0; k < s->wish_count; ++k) {
        const wish *w = &s->wishes[k];
        int32_t *where = where_of(s, w->kind, w->level, w->x, w->z);
        if (*where == WISHED) *where = NOT_HERE;
    }
    s->wish_count = 0;
}

static void want(kst_stream *s, kst_kind kind, int level, int32_t x, int32_t z) {
    int32_t *where = where_of(s, kind, level, x, z);
    if (*where >= 0) s->items[*where].kept = s->tick;
    if (*where != NOT_HERE) return;
    *where = WISHED;
    s->wishes[s->wish_count++] = (wish){kind, level, x, z};
}

static bool is_wanted(const kst_stream *s, int32_t where) {
    return where == WISHED || (where >= 0 && s->items[where].kept == s->tick);
}

static uint64_t bytes_of(const kst_stream *s, kst_kind kind, int32_t where) {
    return where >= 0 ? s->items[where].bytes : s->def.chunk_bytes[kind];
}

// Put 0 .. count - 1 in order of falling urgency; equal ones stay as they are.
static void sort_by_urgency(const float *urgency, size_t stride, int32_t count, int32_t *order) {
    int32_t first[BUCKETS] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        const char *at = (const char *)urgency;
        for (int32_t k = 0; k < count; ++k, at += stride) {
            uint32_t bits;
            memcpy(&bits, at, sizeof bits);
            KARST_ASSERT(!(bits >> 31));
            uint32_t bucket = BUCKETS - 1 - (bits >> 22);
            if (pass)
                order[first[bucket]++] = k;
            else
                ++first[bucket];
        }
        for (int32_t b = 0, sum = 0; b < BUCKETS && !pass; ++b) {
            int32_t here = first[b];
            first[b] = sum;
            sum += here;
        }
    }
}

// Simulation data, as far as its share of the memory goes. Returns what it takes.
static uint64_t want_sims(kst_stream *s, const kst_stream_in *in) {
    uint64_t taken = 0;
    int32_t count = 0;
    if (in->sim_count) sort_by_urgency(&in->sims->urgency, sizeof *in->sims, in->sim_count, s->order);
    for (int32_t k = 0; k < in->sim_count; ++k) {
        const kst_sim_want *w = &in->sims[s->order[k]];
        int32_t where = *where_of(s, KST_SIM, 0, w->x, w->z);
        if (where == DAMAGED || where == NOT_YET) continue;
        uint64_t bytes = bytes_of(s, KST_SIM, where);
        if (taken + bytes > in->sim_bytes || ++count > s->def.limit[KST_SIM]) break;
        taken += bytes;
        want(s, KST_SIM, 0, w->x, w->z);
    }
    return taken;
}

// Visuals, a split's children together, as far as the memory goes.
static void want_visuals(kst_stream *s, const kst_stream_in *in, uint64_t taken, kst_stream_out *out) {
    int32_t count = 1;  // the root
    if (in->split_count) sort_by_urgency(&in->splits->urgency, sizeof *in->splits, in->split_count, s->order);
    for (int32_t k = 0; k < in->split_count; ++k) {
        const kst_split *p = &in->splits[s->order[k]];
        KARST_ASSERT(p->level > 0 && p->level < s->def.tree.level_count);
        if (!is_wanted(s, *where_of(s, KST_VISUAL, p->level, p->x, p->z))) continue;  // an ancestor is kept coarse
        brood b = children_of(s, p->level, p->x, p->z);
        uint64_t bytes = 0;
        bool damaged = false, later = false;
        for (int c = 0; c < b.count; ++c) {
            bytes += bytes_of(s, KST_VISUAL, *b.where[c]);
            damaged |= *b.where[c] == DAMAGED;
            later |= *b.where[c] == NOT_YET;
        }
        out->kept_coarse += damaged;
        out->kept_later += later && !damaged;
        if (damaged || later) continue;
        if (taken + bytes > in->memory_bytes || count + b.count > s->def.limit[KST_VISUAL]) {
            out->left_out = in->split_count - k;
            return;
        }
        taken += bytes;
        count += b.count;
        for (int c = 0; c < b.count; ++c) want(s, KST_VISUAL, p->level - 1, b.x[c], b.z[c]);
    }
}

static void part_from_unwanted(kst_stream *s) {
    for (int32_t at = next_item(s, -1); at < s->item_count; at = next_item(s, at)) {
        item *i = &s->items[at];
        if (i->level < 0 || !is_here(i)) continue;
        bool kept = i->kept == s->tick;
        if (i->state == KST_LEAVING && kept) stop_leaving(s, at);
        if (kept)
            i->state = KST_READY;
        else if (i->state != KST_LEAVING)
            start_leaving(s, at);
    }
}

// Evict the chunk that is unwanted for longest and that nothing here needs; of one kind when `kind` says so.
static bool evict_one(kst_stream *s, kst_kind kind, kst_stream_out *out) {
    for (int32_t at = s->oldest; at >= 0; at = s->items[at].newer) {
        if (s->items[at].dependants || (kind != KST_KINDS && kind_of(s, at) != kind)) continue;
        s->evicted[out->evicted_count++] = chunk_of(s, at);
        vacate(s, at, NOT_HERE);
        return true;
    }
    return false;
}

static bool make_room(kst_stream *s, kst_kind kind, uint64_t bytes, uint64_t memory_bytes, kst_stream_out *out) {
    while (!s->vacant_count[kind])
        if (!evict_one(s, kind, out)) return false;
    while (s->bytes + bytes > memory_bytes)
        if (!evict_one(s, KST_KINDS, out)) return false;
    return true;
}

// Ask for what is wished, in order, as far as rate and room go.
static void request(kst_stream *s, const kst_stream_in *in, kst_stream_out *out) {
    while (s->bytes > in->memory_bytes && evict_one(s, KST_KINDS, out)) {  // there may be less than before
    }
    // What was left over is less than a chunk while anything was wished; idle ticks do not pile up.
    uint64_t left = s->def.chunk_bytes[KST_VISUAL];
    if (left < s->def.chunk_bytes[KST_SIM]) left = s->def.chunk_bytes[KST_SIM];
    if (left > s->credit) left = s->credit;
    s->credit = in->rate_bytes > UINT64_MAX - left ? UINT64_MAX : in->rate_bytes + left;
    for (int32_t k = 0; k < s->wish_count; ++k) {
        const wish *w = &s->wishes[k];
        uint32_t bytes = s->def.chunk_bytes[w->kind];
        if (bytes > s->credit || !make_room(s, w->kind, bytes, in->memory_bytes, out)) return;
        s->credit -= bytes;
        int32_t at = occupy(s, w);
        s->requests[out->request_count++] = chunk_of(s, at);
    }
}

// Is simulation data under a node still to come?
static bool waits_for_sim(const kst_stream *s, const kst_stream_in *in, int level, int32_t x, int32_t z) {
    for (int32_t k = 0; k < in->sim_count; ++k) {
        const kst_sim_want *w = &in->sims[k];
        if (w->x >> level != x || w->z >> level != z) continue;
        int32_t where = *where_of(s, KST_SIM, 0, w->x, w->z);
        if (where == WISHED || (where >= 0 && s->items[where].state == KST_LOADING)) return true;
    }
    return false;
}

// Is a chunk that touches a node shown so many levels up that the node's children would be too far from it? Coarser
// levels are decided by now.
static bool touches_much_coarser(const kst_stream *s, int level, int32_t x, int32_t z, int apart) {
    const kst_tree *tree = &s->def.tree;
    if (!apart || level + apart >= tree->level_count) return false;
    for (int32_t b = z - 1; b <= z + 1; ++b)
        for (int32_t a = x - 1; a <= x + 1; ++a) {
            if (a < 0 || b < 0 || a >= tree->grid_x[level] || b >= tree->grid_z[level]) continue;
            if (!kst_stream_is_open(s, level + apart, a >> apart, b >> apart)) return true;
        }
    return false;
}

static void show(kst_stream *s, int32_t at, kst_stream_out *out) {
    s->items[at].state = KST_SHOWN;
    s->shown[out->shown_count++] = chunk_of(s, at);
}

static void choose_shown(kst_stream *s, const kst_stream_in *in, bool sims_wait, kst_stream_out *out) {
    int32_t root = *where_of(s, KST_VISUAL, s->def.tree.level_count - 1, 0, 0), open_count = 0;
    if (root < 0 || !is_here(&s->items[root])) return;
    int32_t *open = s->order;  // no longer needed for urgency
    for (int32_t k = 0; k < in->split_count; ++k) {
        const kst_split *p = &in->splits[k];
        int32_t at = *where_of(s, KST_VISUAL, p->level, p->x, p->z), parent = parent_of(s, p->level, p->x, p->z);
        KARST_ASSERT(!k || p->level <= in->splits[k - 1].level);
        if (at < 0 || !is_here(&s->items[at])) continue;
        if (at != root && s->items[parent].opened != s->tick) continue;
        brood b = children_of(s, p->level, p->x, p->z);
        bool ready = true;
        for (int c = 0; c < b.count && ready; ++c) ready = *b.where[c] >= 0 && s->items[*b.where[c]].state == KST_READY;
        bool finer = s->items[at].opened + 1 != s->tick;
        if (!ready || (finer && sims_wait && waits_for_sim(s, in, p->level, p->x, p->z))) continue;
        if (touches_much_coarser(s, p->level, p->x, p->z, in->apart)) continue;
        s->items[at].opened = s->tick;
        open[open_count++] = k;
    }
    out->open_count = open_count;
    if (s->items[root].opened != s->tick) show(s, root, out);
    for (int32_t k = 0; k < open_count; ++k) {
        const kst_split *p = &in->splits[open[k]];
        brood b = children_of(s, p->level, p->x, p->z);
        for (int c = 0; c < b.count; ++c)
            if (s->items[*b.where[c]].opened != s->tick) show(s, *b.where[c], out);
    }
}

static void next_tick(kst_stream *s) {
    if (++s->tick) return;
    s->tick = 2;  // wrapped: old marks would look new
    for (int32_t at = 0; at < s->item_count; ++at) s->items[at].kept = s->items[at].opened = 0;
}

karst_status kst_stream_reserve(kst_stream *s, int32_t splits, int32_t sims) {
    int32_t need = splits > sims ? splits : sims;
    if (need <= s->order_room) return KARST_OK;
    int32_t room = s->order_room ? s->order_room : 256;
    while (room < need) room *= 2;
    int32_t *fresh = kst_alloc_array(s->def.allocator, (size_t)room, sizeof *fresh);
    if (!fresh) return KARST_ERROR_MEMORY;
    kst_free(s->def.allocator, s->order, (size_t)s->order_room * sizeof *fresh);
    s->order = fresh;
    s->order_room = room;
    return KARST_OK;
}

karst_status kst_stream_tick(kst_stream *s, const kst_stream_in *in, kst_stream_out *out) {
    karst_status status = kst_stream_reserve(s, in->split_count, in->sim_count);
    if (status) return status;
    *out = (kst_stream_out){.requests = s->requests, .evicted = s->evicted, .shown = s->shown, .failed = s->failed};
    next_tick(s);
    take_arrivals(s, in, out);
    forget_wishes(s);
    want(s, KST_VISUAL, s->def.tree.level_count - 1, 0, 0);
    uint64_t taken = bytes_of(s, KST_VISUAL, *where_of(s, KST_VISUAL, s->def.tree.level_count - 1, 0, 0));
    KARST_ASSERT(taken <= in->memory_bytes && in->sim_bytes <= in->memory_bytes - taken);
    taken += want_sims(s, in);
    want_visuals(s, in, taken, out);
    part_from_unwanted(s);
    request(s, in, out);
    bool sims_wait = false;
    for (int32_t k = next_item(s, -1); k < s->item_count; k = next_item(s, k)) {
        const item *i = &s->items[k];
        if (i->level < 0 || i->state != KST_LOADING) continue;
        out->awaited += i->kept == s->tick;
        sims_wait |= kind_of(s, k) == KST_SIM;
    }
    for (int32_t k = out->request_count; k < s->wish_count; ++k) {
        ++out->awaited;
        sims_wait |= s->wishes[k].kind == KST_SIM;
    }
    choose_shown(s, in, sims_wait, out);
    out->bytes = s->bytes;
    return KARST_OK;
}

void kst_stream_retry(kst_stream *s, kst_stream_state state) {
    KARST_ASSERT(state == KST_FAILED || state == KST_LATER);
    int32_t from = state == KST_FAILED ? DAMAGED : NOT_YET;
    for (int level = 0; level < s->def.tree.level_count; ++level)
        for (size_t k = 0; k < grid_count(&s->def.tree, level); ++k)
            if (s->where[level][k] == from) s->where[level][k] = NOT_HERE;
    for (size_t k = 0; k < grid_count(&s->def.tree, 0); ++k)
        if (s->sim_where[k] == from) s->sim_where[k] = NOT_HERE;
}

kst_stream_state kst_stream_state_of(const kst_stream *s, kst_kind kind, int level, int32_t x, int32_t z) {
    int32_t where = *where_of(s, kind, level, x, z);
    if (where >= 0) return s->items[where].state;
    return where == WISHED ? KST_WANTED : where == DAMAGED ? KST_FAILED : where == NOT_YET ? KST_LATER : KST_ABSENT;
}
