// SPDX-License-Identifier: MIT
// A world to stream without a disk, and its judge.
#include "scenes/streaming.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES_VISUAL = 44000, BYTES_SIM = 60000 };  // most; what is here takes less

typedef enum book { BOOK_ABSENT, BOOK_LOADING, BOOK_HERE, BOOK_FAILED, BOOK_LATER } book;

typedef struct load {
    kst_stream_chunk chunk;
    int due;  // tick
} load;

typedef struct viewer {
    double x, z, way_x, way_z;  // [level-0 chunks]
} viewer;

struct scene_stream {
    scene_stream_def def;
    kst_stream machine;
    kst_tree tree;
    uint64_t draws, shuffle;
    viewer viewers[SCENE_STREAM_VIEWERS];
    int tick;
    bool mended;
    load *loads;
    int load_count, load_room;
    kst_arrival *arrivals;
    kst_split *splits;
    int split_count;
    kst_sim_want *sims;
    int sim_count;
    // The judge's books.
    uint8_t *books[KST_KINDS][KARST_MAX_LEVEL + 1];
    uint32_t *takes[KST_KINDS][KARST_MAX_LEVEL + 1];   // bytes
    uint8_t *told[KST_KINDS][KARST_MAX_LEVEL + 1];     // failures told
    uint8_t *failing[KST_KINDS][KARST_MAX_LEVEL + 1];  // failed, and not decided whether for its own sake
    int8_t *level, *level_before;                      // shown over each level-0 chunk; -1: none
    uint8_t *times;
    kst_stream_chunk *shown;
    scene_stream_faults faults;
    uint64_t hash;
    double seconds;
};

static double draw(scene_stream *w) {
    return kst_random01(w->def.seed, w->draws++);
}

static size_t count_of(const kst_tree *t, int level) {
    return (size_t)t->grid_x[level] * (size_t)t->grid_z[level];
}
static size_t index_of(const kst_tree *t, int level, int x, int z) {
    return (size_t)z * (size_t)t->grid_x[level] + (size_t)x;
}

// A number in [0, 1) that belongs to a chunk.
static double nature(const scene_stream *w, int what, kst_kind kind, int level, int x, int z) {
    return kst_random01(w->def.seed + (uint64_t)what, (uint64_t)kind << 60 ^ (uint64_t)level << 50 ^
                                                          (uint64_t)(uint32_t)x << 25 ^ (uint64_t)(uint32_t)z);
}

static bool is_root(const scene_stream *w, kst_kind kind, int level) {
    return kind == KST_VISUAL && level + 1 == w->tree.level_count;
}
static bool is_damaged(const scene_stream *w, kst_kind kind, int level, int x, int z) {
    return !w->mended && !is_root(w, kind, level) && nature(w, 1, kind, level, x, z) < w->def.damaged;
}
static bool is_late(const scene_stream *w, kst_kind kind, int level, int x, int z) {
    return !w->mended && !is_root(w, kind, level) && nature(w, 2, kind, level, x, z) < w->def.late;
}

static void leap(scene_stream *w, viewer *v) {
    v->x = draw(w) * w->def.chunks_x;
    v->z = draw(w) * w->def.chunks_z;
    double heading = 6.283 * draw(w), speed = 0.4 * draw(w);
    v->way_x = speed * cos(heading);
    v->way_z = speed * sin(heading);
}

void scene_stream_destroy(scene_stream *w) {
    if (!w) return;
    kst_stream_destroy(&w->machine);
    for (int kind = 0; kind < KST_KINDS; ++kind)
        for (int level = 0; level <= KARST_MAX_LEVEL; ++level) {
            free(w->books[kind][level]);
            free(w->takes[kind][level]);
            free(w->told[kind][level]);
            free(w->failing[kind][level]);
        }
    free(w->level);
    free(w->level_before);
    free(w->times);
    free(w->loads);
    free(w->arrivals);
    free(w->splits);
    free(w->sims);
    free(w->shown);
    free(w);
}

scene_stream *scene_stream_create(const scene_stream_def *def) {
    scene_stream *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->def = *def;
    kst_tree *t = &w->tree;
    size_t nodes = 0;
    for (int level = 0;; ++level) {
        t->grid_x[level] = (def->chunks_x + (1 << level) - 1) >> level;
        t->grid_z[level] = (def->chunks_z + (1 << level) - 1) >> level;
        t->level_count = level + 1;
        nodes += count_of(t, level);
        if (t->grid_x[level] == 1 && t->grid_z[level] == 1) break;
    }
    // As many slots as ever fit, so that bytes are what counts.
    int32_t visuals = (int32_t)(def->memory_bytes * 2 / (BYTES_VISUAL / 2)),
            sims = (int32_t)(def->memory_bytes / (BYTES_SIM / 2));
    kst_stream_def machine = {.tree = *t,
                              .limit = {[KST_VISUAL] = visuals, [KST_SIM] = sims},
                              .chunk_bytes = {[KST_VISUAL] = BYTES_VISUAL, [KST_SIM] = BYTES_SIM}};
    bool ok = !kst_stream_create(&w->machine, &machine);
    for (int kind = 0; kind < KST_KINDS; ++kind)
        for (int level = 0; level < t->level_count; ++level) {
            ok &= (w->books[kind][level] = calloc(count_of(t, level), 1)) != NULL;
            ok &= (w->takes[kind][level] = calloc(count_of(t, level), sizeof(uint32_t))) != NULL;
            ok &= (w->told[kind][level] = calloc(count_of(t, level), 1)) != NULL;
            ok &= (w->failing[kind][level] = calloc(count_of(t, level), 1)) != NULL;
        }
    size_t cells = count_of(t, 0), slots = (size_t)visuals + (size_t)sims;
    ok &= (w->level = malloc(cells)) != NULL && (w->level_before = malloc(cells)) != NULL;
    w->load_room = (int)(4 * slots);
    ok &= (w->times = malloc(cells)) != NULL && (w->loads = malloc(4 * slots * sizeof *w->loads)) != NULL;
    ok &= (w->arrivals = malloc(4 * slots * sizeof *w->arrivals)) != NULL;
    ok &=
        (w->splits = malloc(nodes * sizeof *w->splits)) != NULL && (w->sims = malloc(cells * sizeof *w->sims)) != NULL;
    ok &= (w->shown = malloc((slots + 1) * sizeof *w->shown)) != NULL;
    if (!ok) {
        scene_stream_destroy(w);
        return NULL;
    }
    memset(w->level, -1, cells);
    for (int v = 0; v < SCENE_STREAM_VIEWERS; ++v) leap(w, &w->viewers[v]);
    return w;
}

// ---- what the viewers want ---------------------------------------------------------------------------------------

static double distance_to(const viewer *v, int level, int x, int z) {
    double side = 1 << level, dx = fmax(fmax(x * side - v->x, v->x - (x + 1) * side), 0),
           dz = fmax(fmax(z * side - v->z, v->z - (z + 1) * side), 0);
    return sqrt(dx * dx + dz * dz);
}

static double nearest_viewer(const scene_stream *w, int level, int x, int z) {
    double least = INFINITY;
    for (int v = 0; v < SCENE_STREAM_VIEWERS; ++v) least = fmin(least, distance_to(&w->viewers[v], level, x, z));
    return least;
}

static bool splits(const scene_stream *w, int level, int x, int z) {
    return level > 0 && nearest_viewer(w, level, x, z) < w->def.reach * (1 << level);
}

static void gather_wants(scene_stream *w) {
    const kst_tree *t = &w->tree;
    w->split_count = w->sim_count = 0;
    int first = 0, root = t->level_count - 1;
    if (splits(w, root, 0, 0)) w->splits[w->split_count++] = (kst_split){root, 0, 0, INFINITY};
    while (first < w->split_count) {  // breadth first, so coarse levels come first
        kst_split p = w->splits[first++];
        for (int c = 0; c < 4 && p.level > 1; ++c) {
            int x = 2 * p.x + (c & 1), z = 2 * p.z + (c >> 1), level = p.level - 1;
            if (x >= t->grid_x[level] || z >= t->grid_z[level] || !splits(w, level, x, z)) continue;
            double urgency = (1 << level) / (nearest_viewer(w, level, x, z) + 1e-6);
            w->splits[w->split_count++] = (kst_split){level, x, z, fminf(p.urgency, (float)urgency)};
        }
    }
    for (int z = 0; z < t->grid_z[0]; ++z)
        for (int x = 0; x < t->grid_x[0]; ++x) {
            double d = nearest_viewer(w, 0, x, z);
            if (d < w->def.sim_radius) w->sims[w->sim_count++] = (kst_sim_want){x, z, (float)(1 / (d + 1e-6))};
        }
}

// ---- loads ---------------------------------------------------------------------------------------------------------

static uint32_t takes(const scene_stream *w, const kst_stream_chunk *c) {
    double share = 0.5 + 0.5 * nature(w, 3, c->kind, c->level, c->x, c->z);
    return (uint32_t)(share * (c->kind == KST_SIM ? BYTES_SIM : BYTES_VISUAL));
}

static kst_arrival end_of(scene_stream *w, const kst_stream_chunk *c) {
    kst_arrival a = {c->kind, c->slot, KST_LOAD_DONE, takes(w, c)};
    if (draw(w) < w->def.dropped) a.end = KST_LOAD_DROPPED;
    if (is_late(w, c->kind, c->level, c->x, c->z)) a.end = KST_LOAD_LATER;
    if (is_damaged(w, c->kind, c->level, c->x, c->z)) a.end = KST_LOAD_FAILED;
    return a;
}

static void note_arrival(scene_stream *w, const kst_stream_chunk *c, const kst_arrival *a) {
    size_t at = index_of(&w->tree, c->level, c->x, c->z);
    uint8_t *b = &w->books[c->kind][c->level][at];
    if (a->end == KST_LOAD_FAILED) {  // decide() comes to it
        w->failing[c->kind][c->level][at] = 1;
        return;
    }
    *b = a->end == KST_LOAD_DONE ? BOOK_HERE : a->end == KST_LOAD_LATER ? BOOK_LATER : BOOK_ABSENT;
    w->takes[c->kind][c->level][at] = a->end == KST_LOAD_DONE ? a->bytes : 0;
}

// Is a visual here, and will stay for this tick?
static bool stands(const scene_stream *w, int level, int x, int z) {
    book b = w->books[KST_VISUAL][level][index_of(&w->tree, level, x, z)];
    if (b != BOOK_HERE || level + 1 == w->tree.level_count) return b == BOOK_HERE;
    book parent = w->books[KST_VISUAL][level + 1][index_of(&w->tree, level + 1, x >> 1, z >> 1)];
    return parent == BOOK_LOADING || stands(w, level + 1, x >> 1, z >> 1);
}

// A chunk that failed before its parent arrived may have done so for the parent's sake.
static void decide(scene_stream *w, kst_kind kind, int level) {
    const kst_tree *t = &w->tree;
    for (int z = 0; z < t->grid_z[level]; ++z)
        for (int x = 0; x < t->grid_x[level]; ++x) {
            size_t at = index_of(t, level, x, z);
            if (!w->failing[kind][level][at]) continue;
            bool own = kind == KST_SIM || level + 1 == t->level_count;
            book parent = own ? BOOK_HERE : w->books[kind][level + 1][index_of(t, level + 1, x >> 1, z >> 1)];
            if (parent == BOOK_LOADING) continue;
            bool failed = own || stands(w, level + 1, x >> 1, z >> 1);
            w->books[kind][level][at] = failed ? BOOK_FAILED : BOOK_ABSENT;
            w->takes[kind][level][at] = 0;
            w->failing[kind][level][at] = 0;
        }
}

// Does the machine still wait for a load? In honest worlds always.
static bool is_loading(const scene_stream *w, const kst_stream_chunk *c) {
    const kst_stream_item *i = &w->machine.items[c->slot + (c->kind == KST_SIM ? w->machine.def.limit[KST_VISUAL] : 0)];
    return i->level == c->level && i->x == c->x && i->z == c->z && i->state == KST_LOADING;
}

static int take_due(scene_stream *w) {
    int kept = 0, count = 0;
    for (int level = w->tree.level_count - 1; level >= 0; --level) {
        for (int k = 0; k < w->load_count; ++k) {
            load *l = &w->loads[k];
            if (l->due > w->tick || l->chunk.level != level) continue;
            kst_arrival a = end_of(w, &l->chunk);
            if (w->def.cheat == SCENE_STREAM_HONEST || is_loading(w, &l->chunk)) w->arrivals[count++] = a;
            note_arrival(w, &l->chunk, &a);
        }
        decide(w, KST_VISUAL, level);
        if (!level) decide(w, KST_SIM, 0);
    }
    for (int k = 0; k < w->load_count; ++k)
        if (w->loads[k].due > w->tick) w->loads[kept++] = w->loads[k];
    w->load_count = kept;
    for (int k = count - 1; w->shuffle && k > 0; --k) {
        int other = (int)(kst_random(w->shuffle, (uint64_t)(w->tick * 1000 + k)) % (uint64_t)(k + 1));
        kst_arrival a = w->arrivals[k];
        w->arrivals[k] = w->arrivals[other];
        w->arrivals[other] = a;
    }
    return count;
}

// The cheats: what the machine is told without it being so.
static int add_lies(scene_stream *w, int count) {
    bool early = w->def.cheat == SCENE_STREAM_EARLY, sim_early = w->def.cheat == SCENE_STREAM_SIM_EARLY;
    if (!early && !sim_early) return count;
    for (int k = 0; k < w->load_count; ++k) {
        const kst_stream_chunk *c = &w->loads[k].chunk;
        if (c->kind == KST_VISUAL && !early) continue;
        if (c->kind == KST_SIM && early) continue;
        if (!is_loading(w, c)) continue;
        w->arrivals[count++] = (kst_arrival){c->kind, c->slot, KST_LOAD_DONE, takes(w, c)};
    }
    return count;
}

// ---- the judge
// -------------------------------------------------------------------------------------------------------

static uint8_t *book_of(scene_stream *w, const kst_stream_chunk *c) {
    return &w->books[c->kind][c->level][index_of(&w->tree, c->level, c->x, c->z)];
}

static void note_decisions(scene_stream *w, const kst_stream_out *out) {
    for (int k = 0; k < out->evicted_count; ++k) {
        const kst_stream_chunk *c = &out->evicted[k];
        w->faults.misstated += *book_of(w, c) != BOOK_HERE && w->def.cheat == SCENE_STREAM_HONEST;
        *book_of(w, c) = BOOK_ABSENT;
        w->takes[c->kind][c->level][index_of(&w->tree, c->level, c->x, c->z)] = 0;
    }
    for (int k = 0; k < out->failed_count; ++k) {
        const kst_stream_chunk *c = &out->failed[k];
        ++w->told[c->kind][c->level][index_of(&w->tree, c->level, c->x, c->z)];
    }
    for (int k = 0; k < out->request_count; ++k) {
        const kst_stream_chunk *c = &out->requests[k];
        w->faults.misstated += *book_of(w, c) != BOOK_ABSENT && w->def.cheat == SCENE_STREAM_HONEST;
        *book_of(w, c) = BOOK_LOADING;
        w->takes[c->kind][c->level][index_of(&w->tree, c->level, c->x, c->z)] = w->machine.def.chunk_bytes[c->kind];
        // Only a cheat asks twice: the first load is forgotten.
        for (int n = 0; n < w->load_count && w->def.cheat != SCENE_STREAM_HONEST; ++n)
            if (!memcmp(&w->loads[n].chunk, c, sizeof *c)) w->loads[n--] = w->loads[--w->load_count];
        if (w->load_count == w->load_room) continue;
        int delay = 1 + (int)(draw(w) * w->def.delay_max);
        w->loads[w->load_count++] = (load){*c, w->tick + delay};
    }
}

static bool agrees(book b, kst_stream_state s) {
    switch (b) {
        case BOOK_ABSENT:
            return s == KST_ABSENT || s == KST_WANTED;
        case BOOK_LOADING:
            return s == KST_LOADING;
        case BOOK_HERE:
            return s == KST_READY || s == KST_SHOWN || s == KST_LEAVING;
        case BOOK_FAILED:
            return s == KST_FAILED;
        case BOOK_LATER:
            return s == KST_LATER;
    }
    return false;
}

static void judge_books(scene_stream *w, const kst_stream_out *out) {
    uint64_t bytes = 0;
    bool orphan = false, wrong = false, misreported = false;
    const kst_tree *t = &w->tree;
    for (int kind = 0; kind < KST_KINDS; ++kind)
        for (int level = 0; level < (kind == KST_SIM ? 1 : t->level_count); ++level)
            for (int z = 0; z < t->grid_z[level]; ++z)
                for (int x = 0; x < t->grid_x[level]; ++x) {
                    size_t at = index_of(t, level, x, z);
                    book b = w->books[kind][level][at];
                    bytes += w->takes[kind][level][at];
                    wrong |= !agrees(b, kst_stream_state_of(&w->machine, (kst_kind)kind, level, x, z));
                    misreported |= w->told[kind][level][at] > 1 || (b == BOOK_FAILED && !w->told[kind][level][at]);
                    if ((b != BOOK_HERE && b != BOOK_LOADING) || kind == KST_SIM || level + 1 == t->level_count)
                        continue;
                    book parent = w->books[kind][level + 1][index_of(t, level + 1, x >> 1, z >> 1)];
                    // A load under a chunk that has just failed cannot be called back.
                    orphan |= b == BOOK_HERE && parent != BOOK_HERE && parent != BOOK_LOADING;
                }
    w->faults.over_budget += bytes > w->def.memory_bytes;
    w->faults.orphan += orphan;
    w->faults.misstated += wrong || bytes != out->bytes;
    w->faults.misreported += misreported;
}

// Paint what is shown over the level-0 chunks.
static void paint(scene_stream *w, int shown_count) {
    const kst_tree *t = &w->tree;
    size_t cells = count_of(t, 0);
    int8_t *swap = w->level_before;
    w->level_before = w->level;
    w->level = swap;
    memset(w->times, 0, cells);
    memset(w->level, -1, cells);
    bool absent = false;
    for (int k = 0; k < shown_count; ++k) {
        kst_stream_chunk c = w->shown[k];
        absent |= *book_of(w, &c) != BOOK_HERE;
        int x1 = (c.x + 1) << c.level, z1 = (c.z + 1) << c.level;
        for (int z = c.z << c.level; z < z1 && z < t->grid_z[0]; ++z)
            for (int x = c.x << c.level; x < x1 && x < t->grid_x[0]; ++x) {
                size_t at = index_of(t, 0, x, z);
                ++w->times[at];
                w->level[at] = (int8_t)c.level;
            }
    }
    w->faults.absent += absent;
}

static void judge_picture(scene_stream *w) {
    const kst_tree *t = &w->tree;
    bool root_here = w->books[KST_VISUAL][t->level_count - 1][0] == BOOK_HERE;
    bool uncovered = false, apart = false, early = false;
    for (int z = 0; z < t->grid_z[0]; ++z)
        for (int x = 0; x < t->grid_x[0]; ++x) {
            size_t at = index_of(t, 0, x, z);
            uncovered |= w->times[at] != root_here;
            for (int b = z; b <= z + 1; ++b)
                for (int a = x - 1; a <= x + 1; ++a) {
                    if (a < 0 || a >= t->grid_x[0] || b >= t->grid_z[0]) continue;
                    int apart_by = w->level[at] - w->level[index_of(t, 0, a, b)];
                    apart |= w->def.apart && (apart_by > w->def.apart || apart_by < -w->def.apart);
                }
            // Wanted and not granted for lack of memory does not count: the machine then calls it absent.
            bool waits = w->books[KST_SIM][0][at] == BOOK_LOADING ||
                         kst_stream_state_of(&w->machine, KST_SIM, 0, x, z) == KST_WANTED;
            if (waits && w->level_before[at] >= 0 && w->level[at] < w->level_before[at])
                for (int k = 0; k < w->sim_count && !early; ++k) early = w->sims[k].x == x && w->sims[k].z == z;
        }
    w->faults.uncovered += uncovered;
    w->faults.apart += apart;
    w->faults.early += early;
}

static void judge(scene_stream *w, const kst_stream_out *out) {
    note_decisions(w, out);
    int count = out->shown_count;
    memcpy(w->shown, out->shown, (size_t)count * sizeof *w->shown);
    if (count > 4 && w->tick % 50 == 17) {
        kst_stream_chunk last = w->shown[count - 1];
        if (w->def.cheat == SCENE_STREAM_GAP) --count;
        if (w->def.cheat == SCENE_STREAM_TWICE)
            w->shown[count++] = (kst_stream_chunk){KST_VISUAL, 0, last.level + 1, last.x >> 1, last.z >> 1};
        if (w->def.cheat == SCENE_STREAM_EVICT) *book_of(w, &last) = BOOK_ABSENT;
    }
    bool evicted = false;
    for (int k = 0; k < out->evicted_count; ++k)
        for (int n = 0; n < count; ++n) evicted |= !memcmp(&out->evicted[k], &w->shown[n], sizeof *w->shown);
    w->faults.evicted += evicted;
    judge_books(w, out);
    paint(w, count);
    judge_picture(w);
}

static uint64_t hash_chunks(uint64_t hash, const kst_stream_chunk *chunks, int count) {
    return kst_hash_u64(hash, kst_hash(chunks, (size_t)count * sizeof *chunks, 0));
}

static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

karst_status scene_stream_step(scene_stream *w, bool still, kst_stream_out *out) {
    ++w->tick;
    for (int k = 0; k < SCENE_STREAM_VIEWERS && !still; ++k) {
        viewer *v = &w->viewers[k];
        v->x += v->way_x;
        v->z += v->way_z;
        bool outside = v->x < -2 || v->z < -2 || v->x > w->def.chunks_x + 2 || v->z > w->def.chunks_z + 2;
        if (outside || draw(w) < w->def.leap) leap(w, v);
    }
    gather_wants(w);
    int count = add_lies(w, take_due(w));
    uint64_t memory = w->def.memory_bytes;
    if (w->def.cheat == SCENE_STREAM_GREEDY) memory += memory / 2;
    kst_stream_in in = {.splits = w->splits,
                        .split_count = w->split_count,
                        .sims = w->sims,
                        .sim_count = w->sim_count,
                        .arrivals = w->arrivals,
                        .arrival_count = count,
                        .apart = w->def.apart,
                        .memory_bytes = memory,
                        .sim_bytes = memory / 3,
                        .rate_bytes = w->def.rate_bytes};
    double start = cpu_s();
    karst_status status = kst_stream_tick(&w->machine, &in, out);
    w->seconds += cpu_s() - start;
    if (status) return status;
    w->hash = hash_chunks(w->hash, out->requests, out->request_count);
    w->hash = hash_chunks(w->hash, out->evicted, out->evicted_count);
    w->hash = hash_chunks(w->hash, out->shown, out->shown_count);
    judge(w, out);
    return KARST_OK;
}

kst_stream *scene_stream_machine(scene_stream *w) {
    return &w->machine;
}
const scene_stream_faults *scene_stream_faults_of(const scene_stream *w) {
    return &w->faults;
}
uint64_t scene_stream_hash(const scene_stream *w) {
    return w->hash;
}
void scene_stream_shuffle(scene_stream *w, uint64_t seed) {
    w->shuffle = seed;
}
double scene_stream_seconds(const scene_stream *w) {
    return w->seconds;
}

uint64_t scene_stream_missing(const scene_stream *w) {
    uint64_t bytes = 0;
    const kst_tree *t = &w->tree;
    for (int k = 0; k < w->split_count; ++k)
        for (int c = 0; c < 4; ++c) {
            int level = w->splits[k].level - 1, x = 2 * w->splits[k].x + (c & 1), z = 2 * w->splits[k].z + (c >> 1);
            if (x >= t->grid_x[level] || z >= t->grid_z[level]) continue;
            bytes += w->books[KST_VISUAL][level][index_of(t, level, x, z)] == BOOK_ABSENT ? BYTES_VISUAL : 0;
        }
    for (int k = 0; k < w->sim_count; ++k)
        bytes += w->books[KST_SIM][0][index_of(t, 0, w->sims[k].x, w->sims[k].z)] == BOOK_ABSENT ? BYTES_SIM : 0;
    return bytes;
}

// Level wanted over a level-0 chunk: the finest node that splits from the root on, where no child is missing for good.
static int wanted_level(const scene_stream *w, int x, int z) {
    const kst_tree *t = &w->tree;
    for (int level = t->level_count - 1; level > 0; --level) {
        int nx = x >> level, nz = z >> level;
        if (!splits(w, level, nx, nz)) return level;
        for (int c = 0; c < 4; ++c) {
            int cx = 2 * nx + (c & 1), cz = 2 * nz + (c >> 1);
            if (cx >= t->grid_x[level - 1] || cz >= t->grid_z[level - 1]) continue;
            if (is_damaged(w, KST_VISUAL, level - 1, cx, cz) || is_late(w, KST_VISUAL, level - 1, cx, cz)) return level;
        }
    }
    return 0;
}

bool scene_stream_is_settled(const scene_stream *w, const kst_stream_out *out) {
    if (out->awaited) return false;
    bool all = true;
    for (int z = 0; z < w->tree.grid_z[0]; ++z)
        for (int x = 0; x < w->tree.grid_x[0]; ++x) {
            int shown = w->level[index_of(&w->tree, 0, x, z)], wanted = wanted_level(w, x, z);
            // Beside a chunk that stays coarse its neighbours may have to; so may they where steps of two levels are
            // wanted and one is allowed.
            bool free = w->def.apart != 1 && !out->kept_coarse && !out->kept_later && !out->left_out;
            all &= free ? shown == wanted : shown >= wanted;
        }
    return all;
}

void scene_stream_mend(scene_stream *w) {
    w->mended = true;
    for (int kind = 0; kind < KST_KINDS; ++kind)
        for (int level = 0; level < w->tree.level_count; ++level)
            for (size_t k = 0; k < count_of(&w->tree, level); ++k) {
                uint8_t *b = &w->books[kind][level][k];
                if (*b == BOOK_FAILED || *b == BOOK_LATER) *b = BOOK_ABSENT;
            }
    kst_stream_retry(&w->machine, KST_FAILED);
    kst_stream_retry(&w->machine, KST_LATER);
}
