// SPDX-License-Identifier: MIT
// Decoded records, kept for a while: the four chunks of one are a family. A chunk needs the families of its ancestors,
// so who walks about reads one record for four chunks. A lock is held to look and to put, never while anything is
// decoded; two threads that miss the same record both decode it, and the second's is let go.
#include <pthread.h>

#include "pack/pack.h"

// Of 186 KB each: four where the exact ground may take little, one more for every 8 MiB that it may take.
enum { PLACES = 32, PLACES_LEAST = 4, BYTES_A_PLACE = 8 << 20 };

struct kst_family {
    size_t record;
    int pins;       // who looks at it
    bool kept;      // it has a place
    uint64_t used;  // when it was last asked for
    karst_chunk chunk[4];
};

struct kst_family_shelf {
    pthread_mutex_t lock;
    uint64_t now;
    int places;
    kst_family *place[PLACES];
};

karst_status kst_family_shelf_create(const karst_pack_def *def, kst_family_shelf **out) {
    const karst_allocator *allocator = def->allocator;
    kst_family_shelf *s = kst_alloc_zero(allocator, sizeof *s);
    if (!s) return KARST_ERROR_MEMORY;
    if (pthread_mutex_init(&s->lock, NULL)) {
        kst_free(allocator, s, sizeof *s);
        return KARST_ERROR_MEMORY;
    }
    uint64_t more = def->ground_bytes / BYTES_A_PLACE;
    s->places = more < PLACES - PLACES_LEAST ? PLACES_LEAST + (int)more : PLACES;
    *out = s;
    return KARST_OK;
}

void kst_family_shelf_destroy(kst_family_shelf *s, const karst_allocator *allocator) {
    if (!s) return;
    for (int i = 0; i < PLACES; ++i) kst_free(allocator, s->place[i], sizeof *s->place[i]);
    pthread_mutex_destroy(&s->lock);
    kst_free(allocator, s, sizeof *s);
}

// All of these with the lock held.
static kst_family *find(kst_family_shelf *s, size_t record) {
    for (int i = 0; i < s->places; ++i)
        if (s->place[i] && s->place[i]->record == record) {
            ++s->place[i]->pins;
            s->place[i]->used = ++s->now;
            return s->place[i];
        }
    return NULL;
}

// A free place, or the one that nobody looks at and was asked for longest ago; NULL when all are looked at.
static kst_family **oldest(kst_family_shelf *s) {
    kst_family **best = NULL;
    for (int i = 0; i < s->places; ++i) {
        if (!s->place[i]) return &s->place[i];
        if (!s->place[i]->pins && (!best || s->place[i]->used < (*best)->used)) best = &s->place[i];
    }
    return best;
}

// Memory for one that is to be decoded: of the oldest, when all places are taken.
static kst_family *take_memory(const karst_pack *pack) {
    kst_family_shelf *s = pack->shelf;
    kst_family *memory = NULL;
    pthread_mutex_lock(&s->lock);
    kst_family **place = oldest(s);
    if (place && *place) {
        memory = *place;
        *place = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    return memory ? memory : kst_alloc(pack->def.allocator, sizeof *memory);
}

static kst_family *put(const karst_pack *pack, kst_family *mine) {
    kst_family_shelf *s = pack->shelf;
    pthread_mutex_lock(&s->lock);
    kst_family *there = find(s, mine->record), *gone = there ? mine : NULL;
    kst_family **place = there ? NULL : oldest(s);
    if (place) {
        gone = *place;
        *place = mine;
        mine->kept = true;
    }
    mine->used = ++s->now;
    pthread_mutex_unlock(&s->lock);
    kst_free(pack->def.allocator, gone, sizeof *gone);
    return there ? there : mine;
}

void kst_family_drop(const karst_pack *pack, kst_family *f) {
    if (!f) return;
    pthread_mutex_lock(&pack->shelf->lock);
    bool last = --f->pins == 0 && !f->kept;
    pthread_mutex_unlock(&pack->shelf->lock);
    if (last) kst_free(pack->def.allocator, f, sizeof *f);
}

karst_status kst_family_get(const karst_pack *pack, size_t record, kst_family **out) {
    const kst_directory *d = &pack->directory;
    pthread_mutex_lock(&pack->shelf->lock);
    *out = find(pack->shelf, record);
    pthread_mutex_unlock(&pack->shelf->lock);
    if (*out) return KARST_OK;
    kst_family *parents = NULL;
    const karst_chunk *parent = NULL;
    kst_record_place p = {0};
    karst_status status = KARST_OK;
    if (record) {
        p = kst_pack_place_of(d, record);
        status = kst_family_get(pack, kst_pack_record_of(d, p.level + 1, p.x, p.z), &parents);
        if (status) return status;
        parent = &parents->chunk[kst_pack_child_of(d, p.level + 1, p.x, p.z)];
    }
    kst_family *f = take_memory(pack);
    status = f ? kst_pack_decode_record(pack, record, p, parent, f->chunk) : KARST_ERROR_MEMORY;
    kst_family_drop(pack, parents);
    if (status) {
        kst_free(pack->def.allocator, f, sizeof *f);
        return status;
    }
    f->record = record;
    f->pins = 1;
    f->kept = false;
    *out = put(pack, f);
    return KARST_OK;
}

const karst_chunk *kst_family_chunk(const kst_family *f, int child) {
    return &f->chunk[child];
}
