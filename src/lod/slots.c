// SPDX-License-Identifier: MIT
// Slots: decoded chunks under a budget of bytes.
#include "slots.h"

#include <math.h>

enum {
    SIM_SHARE = 4,    // simulation data takes at most this part of the memory
    SIM_CHUNKS = 16,  // and reaches at most so many chunks from an eye
};
static const double ns_per_byte_first = 2;  // before anything was measured

static size_t grid_count(const kst_tree *tree, int level) {
    return (size_t)tree->grid_x[level] * (size_t)tree->grid_z[level];
}

karst_status kst_slots_create(kst_slots *s, karst_pack *pack, const kst_tree *tree, int count, uint64_t memory_bytes,
                              karst_jobs *jobs, const karst_allocator *allocator) {
    *s = (kst_slots){.pack = pack,
                     .allocator = allocator,
                     .tree = *tree,
                     .count = count,
                     .memory_bytes = memory_bytes,
                     .ns_per_byte = ns_per_byte_first};
    size_t sim_bytes = karst_pack_hold_bytes(pack);
    s->sim_bytes = memory_bytes / SIM_SHARE;
    s->file_bytes = karst_pack_info_of(pack).file_bytes;
    s->present_bytes = karst_pack_refresh(pack);
    kst_stream_def def = {
        .tree = *tree,
        .limit = {[KST_VISUAL] = count, [KST_SIM] = (int32_t)fmin(1e6, (double)(s->sim_bytes / sim_bytes))},
        .chunk_bytes = {[KST_VISUAL] = kst_slots_chunk_bytes(), [KST_SIM] = (uint32_t)sim_bytes},
        .allocator = allocator};
    s->item_count = def.limit[KST_VISUAL] + def.limit[KST_SIM];
    size_t items = (size_t)s->item_count;
    karst_status status = kst_stream_create(&s->stream, &def);
    if (!status) status = kst_loader_create(&s->loader, pack, jobs, def.limit, allocator);
    s->slot = kst_alloc_zero(allocator, (size_t)count * sizeof *s->slot);
    s->arrivals = kst_alloc_array(allocator, items, sizeof *s->arrivals);
    s->damaged = kst_alloc_array(allocator, items, sizeof *s->damaged);
    if (!s->slot || !s->arrivals || !s->damaged) status = KARST_ERROR_MEMORY;
    for (int level = 0; level < tree->level_count && !status; ++level) {
        s->wished[level] = kst_alloc_zero(allocator, grid_count(tree, level) * sizeof(uint32_t));
        if (!s->wished[level]) status = KARST_ERROR_MEMORY;
    }
    for (int k = 0; k < count && !status; ++k) s->slot[k].level = -1;
    if (status) kst_slots_destroy(s);
    return status;
}

void kst_slots_destroy(kst_slots *s) {
    const karst_allocator *a = s->allocator;
    size_t items = (size_t)s->item_count;
    if (s->loader.count) {
        kst_loader_wait(&s->loader);
        for (const kst_load *load = kst_loader_take(&s->loader); load; load = load->next)
            if (load->chunk.kind == KST_SIM && !load->status) karst_pack_drop(s->pack, load->chunk.x, load->chunk.z);
    }
    for (int32_t k = s->count; s->stream.items && k < s->stream.item_count; ++k) {
        const kst_stream_item *i = &s->stream.items[k];
        if (i->level >= 0 && i->state != KST_LOADING) karst_pack_drop(s->pack, i->x, i->z);
    }
    for (int k = 0; s->slot && k < s->count; ++k) kst_free(a, s->slot[k].chunk, sizeof(karst_chunk));
    kst_free(a, s->slot, (size_t)s->count * sizeof *s->slot);
    kst_free(a, s->arrivals, items * sizeof *s->arrivals);
    kst_free(a, s->damaged, items * sizeof *s->damaged);
    kst_free(a, s->splits, (size_t)s->split_room * sizeof *s->splits);
    kst_free(a, s->sims, (size_t)s->sim_room * sizeof *s->sims);
    for (int level = 0; level < s->tree.level_count; ++level)
        kst_free(a, s->wished[level], grid_count(&s->tree, level) * sizeof(uint32_t));
    kst_loader_destroy(&s->loader);
    kst_stream_destroy(&s->stream);
    *s = (kst_slots){0};
}

// ---- wishes ----------------------------------------------------------------------------------------

void kst_slots_begin(kst_slots *s) {
    s->split_count = s->sim_count = s->chunk_count = 0;
    if (++s->update) return;
    s->update = 1;  // wrapped: old marks would look new
    for (int level = 0; level < s->tree.level_count; ++level)
        memset(s->wished[level], 0, grid_count(&s->tree, level) * sizeof(uint32_t));
}

// Whether a node was not wished before in this update.
static bool is_new(kst_slots *s, int level, int32_t x, int32_t z) {
    uint32_t *mark = &s->wished[level][(int64_t)z * s->tree.grid_x[level] + x];
    bool fresh = *mark != s->update;
    *mark = s->update;
    return fresh;
}

// Make room in a list for one more.
static karst_status grow(const karst_allocator *a, void **list, int32_t *room, int32_t count, size_t bytes) {
    if (count < *room) return KARST_OK;
    int32_t fresh_room = *room ? 2 * *room : 256;
    void *fresh = kst_alloc_array(a, (size_t)fresh_room, bytes);
    if (!fresh) return KARST_ERROR_MEMORY;
    if (count) memcpy(fresh, *list, (size_t)count * bytes);
    kst_free(a, *list, (size_t)*room * bytes);
    *list = fresh;
    *room = fresh_room;
    return KARST_OK;
}

bool kst_slots_have_room(const kst_slots *s) {
    return (uint64_t)s->chunk_count * kst_slots_chunk_bytes() <= s->memory_bytes && s->chunk_count <= 2 * s->count;
}

karst_status kst_slots_wish(kst_slots *s, const kst_leaf *node, float urgency) {
    if (!is_new(s, node->level, node->x, node->z)) return KARST_OK;
    void *list = s->splits;
    karst_status status = grow(s->allocator, &list, &s->split_room, s->split_count, sizeof *s->splits);
    s->splits = list;
    if (status) return status;
    s->splits[s->split_count++] = (kst_split){node->level, node->x, node->z, urgency};
    int wide = 1 + (2 * node->x + 1 < s->tree.grid_x[node->level - 1]),
        deep = 1 + (2 * node->z + 1 < s->tree.grid_z[node->level - 1]);
    s->chunk_count += wide * deep;
    return KARST_OK;
}

static double squared_to(const float box[6], const kst_eye *e) {
    const float at[3] = {e->x, e->y, e->z};
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        double d = fmax(fmax((double)box[a] - (double)at[a], (double)at[a] - (double)box[a + 3]), 0);
        sum += d * d;
    }
    return sum;
}

karst_status kst_slots_wish_sims(kst_slots *s, const kst_eye *eyes, int eye_count, double radius_m) {
    const karst_field_shape shape = karst_pack_info_of(s->pack).lattice.shape;
    double side = shape.spacing_m * KARST_CHUNK_CELLS;
    for (int v = 0; v < eye_count && radius_m > 0; ++v) {
        double at_x = (double)eyes[v].x / side, at_z = (double)eyes[v].z / side,
               reach = fmin(radius_m / side, SIM_CHUNKS);
        int32_t x0 = (int32_t)fmax(0, floor(at_x - reach)),
                x1 = (int32_t)fmin(s->tree.grid_x[0] - 1, floor(at_x + reach));
        int32_t z0 = (int32_t)fmax(0, floor(at_z - reach)),
                z1 = (int32_t)fmin(s->tree.grid_z[0] - 1, floor(at_z + reach));
        for (int32_t z = z0; z <= z1; ++z)
            for (int32_t x = x0; x <= x1; ++x) {
                float box[6];
                if (!karst_pack_chunk_bounds(s->pack, 0, x, z, box)) continue;
                double squared = INFINITY;
                for (int e = 0; e < eye_count; ++e) squared = fmin(squared, squared_to(box, &eyes[e]));
                if (squared > radius_m * radius_m || !is_new(s, 0, x, z)) continue;
                void *list = s->sims;
                karst_status status = grow(s->allocator, &list, &s->sim_room, s->sim_count, sizeof *s->sims);
                s->sims = list;
                if (status) return status;
                s->sims[s->sim_count++] = (kst_sim_want){x, z, (float)(1 / (squared + 1e-9))};
            }
    }
    return KARST_OK;
}

// ---- loads -----------------------------------------------------------------------------------------

// Chunks that came, told to the machine; the slots know them from now on. *lack: some found no memory.
static int32_t take_loads(kst_slots *s, bool *lack) {
    int32_t count = 0;
    double ns = 0, bytes = 0;
    for (const kst_load *load = kst_loader_take(&s->loader); load; load = load->next) {
        const kst_stream_chunk *c = &load->chunk;
        uint32_t takes = s->stream.def.chunk_bytes[c->kind];
        kst_load_end end = load->status == KARST_OK              ? KST_LOAD_DONE
                           : load->status == KARST_ERROR_PENDING ? KST_LOAD_LATER
                           : load->status == KARST_ERROR_MEMORY  ? KST_LOAD_DROPPED
                                                                 : KST_LOAD_FAILED;
        *lack |= end == KST_LOAD_DROPPED;
        ns += (double)load->took_ns;
        bytes += end == KST_LOAD_DONE ? takes : 0;
        s->arrivals[count++] = (kst_arrival){c->kind, c->slot, end, takes};
        if (c->kind == KST_SIM || end != KST_LOAD_DONE) continue;
        kst_slot *slot = &s->slot[c->slot];
        slot->level = c->level;
        slot->x = c->x;
        slot->z = c->z;
        slot->untold = true;
    }
    if (bytes > 0) s->ns_per_byte += (ns / bytes - s->ns_per_byte) * 0.25;
    return count;
}

static void evict(kst_slots *s) {
    for (int32_t k = 0; k < s->out.evicted_count; ++k) {
        const kst_stream_chunk *c = &s->out.evicted[k];
        if (c->kind == KST_SIM)
            karst_pack_drop(s->pack, c->x, c->z);
        else
            s->slot[c->slot].level = -1, s->slot[c->slot].untold = false;
    }
}

// A chunk that is damaged for queries and for the picture is told once.
static bool is_told(const kst_slots *s, const kst_stream_chunk *c) {
    if (c->level) return false;
    if (c->kind == KST_SIM) return kst_stream_state_of(&s->stream, KST_VISUAL, 0, c->x, c->z) == KST_FAILED;
    if (kst_stream_state_of(&s->stream, KST_SIM, 0, c->x, c->z) != KST_FAILED) return false;
    for (int32_t k = 0; k < s->out.failed_count; ++k) {
        const kst_stream_chunk *f = &s->out.failed[k];
        if (f->kind == KST_SIM && f->x == c->x && f->z == c->z) return false;
    }
    return true;
}

static void note_damage(kst_slots *s) {
    for (int32_t k = 0; k < s->out.failed_count; ++k)
        if (!is_told(s, &s->out.failed[k]) && s->damaged_count < s->item_count)
            s->damaged[s->damaged_count++] = s->out.failed[k];
}

// Whether some are to be picked up in this update.
static bool start_loads(kst_slots *s, bool beside) {
    bool ended = false;
    for (int32_t k = 0; k < s->out.request_count; ++k) {
        const kst_stream_chunk *c = &s->out.requests[k];
        kst_slot *slot = c->kind == KST_VISUAL ? &s->slot[c->slot] : NULL;
        if (slot && !slot->chunk) slot->chunk = kst_alloc(s->allocator, sizeof(karst_chunk));
        if (slot && !slot->chunk) {
            kst_loader_end(&s->loader, c, KARST_ERROR_MEMORY);
            ended = true;
        } else {
            kst_loader_add(&s->loader, c, slot ? slot->chunk : NULL);
        }
    }
    return kst_loader_start(&s->loader, beside) || ended;
}

// Slots keep their memory for the next chunk as far as the budget goes.
static void free_spare(kst_slots *s) {
    uint64_t spare = 0;
    for (int k = 0; k < s->count; ++k)
        if (s->slot[k].chunk && s->stream.items[k].level < 0) spare += kst_slots_chunk_bytes();
    for (int k = s->count - 1; k >= 0 && s->stream.bytes + spare > s->memory_bytes; --k) {
        if (!s->slot[k].chunk || s->stream.items[k].level >= 0) continue;
        kst_free(s->allocator, s->slot[k].chunk, sizeof(karst_chunk));
        s->slot[k].chunk = NULL;
        spare -= kst_slots_chunk_bytes();
    }
}

static uint64_t rate_of(const kst_slots *s, const kst_slots_rate *rate) {
    double timed = rate->ms > 0 ? (double)rate->ms * 1e6 / s->ns_per_byte : INFINITY;
    uint64_t least = kst_slots_chunk_bytes(), bytes = timed < (double)rate->bytes ? (uint64_t)timed : rate->bytes;
    return bytes > least ? bytes : least;
}

static karst_status root_problem(kst_slots *s) {
    switch (kst_stream_state_of(&s->stream, KST_VISUAL, s->tree.level_count - 1, 0, 0)) {
        case KST_FAILED:
            kst_slots_retry(s);  // nothing can be shown: the next update tries again
            return KARST_ERROR_FORMAT;
        case KST_LATER:
            return KARST_ERROR_PENDING;
        case KST_READY:
        case KST_SHOWN:
            return KARST_OK;
        default:
            return KARST_ERROR_MEMORY;
    }
}

karst_status kst_slots_update(kst_slots *s, const kst_slots_rate *rate) {
    const int root = s->tree.level_count - 1;
    if (s->present_bytes < s->file_bytes) {
        uint64_t now = karst_pack_refresh(s->pack);
        if (now > s->present_bytes) kst_stream_retry(&s->stream, KST_LATER);
        s->present_bytes = now;
    }
    karst_status status = kst_stream_reserve(&s->stream, s->split_count, s->sim_count);
    if (status) return status;
    if (rate->wait) kst_loader_wait(&s->loader);
    bool lack = false;
    kst_stream_in in = {.splits = s->splits,
                        .split_count = s->split_count,
                        .sims = s->sims,
                        .sim_count = s->sim_count,
                        .arrivals = s->arrivals,
                        .apart = rate->apart,
                        .memory_bytes = s->memory_bytes,
                        .sim_bytes = s->sim_bytes,
                        .rate_bytes = rate_of(s, rate)};
    for (bool again = true; again; in.rate_bytes = 0) {
        in.arrival_count = take_loads(s, &lack);
        status = kst_stream_tick(&s->stream, &in, &s->out);
        KARST_ASSERT(!status);  // there is room for its lists
        evict(s);
        note_damage(s);
        if (lack) in.rate_bytes = 0;  // what was dropped is not asked for again now
        again = s->out.request_count > 0 && !lack;
        bool came = start_loads(s, !rate->wait);
        // Without a root there is nothing to show: it alone is waited for.
        if (kst_stream_state_of(&s->stream, KST_VISUAL, root, 0, 0) == KST_LOADING) {
            kst_loader_wait(&s->loader);
            came = true;
        }
        again = again && came;
    }
    free_spare(s);
    s->all_open = s->out.open_count == s->split_count;
    status = root_problem(s);
    return !status && lack ? KARST_ERROR_MEMORY : status;
}

void kst_slots_retry(kst_slots *s) {
    kst_stream_retry(&s->stream, KST_FAILED);
}
