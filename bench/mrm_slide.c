// SPDX-License-Identifier: MIT
// Time to slide multi-resolution meshes.
#include "mrm_slide.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mrm.h"
#include "mrm_peers.h"

// The bare loop: the slots of all records in the order in which an instance writes them, in one list of words: a value,
// how many, their places. It knows neither levels nor triangles nor ranges.
typedef struct bare {
    uint32_t *down, *up;
    size_t words;
    uint32_t *index;  // as long as the arrays of an instance
} bare;

typedef struct sliding {
    karst_mrm_instance at;
    bare bare;
} sliding;

static void slide_down(void *context) {
    sliding *s = context;
    karst_mrm_set_level(&s->at, 0);
}
static void slide_up(void *context) {
    sliding *s = context;
    karst_mrm_set_level(&s->at, UINT32_MAX);
}

static void write_bare(const uint32_t *word, size_t words, uint32_t *index) {
    const uint32_t *end = word + words;
    while (word < end) {
        uint32_t value = word[0], count = word[1];
        word += 2;
        for (uint32_t k = 0; k < count; ++k) index[word[k]] = value;
        word += count;
    }
}
static void bare_down(void *context) {
    sliding *s = context;
    write_bare(s->bare.down, s->bare.words, s->bare.index);
}
static void bare_up(void *context) {
    sliding *s = context;
    write_bare(s->bare.up, s->bare.words, s->bare.index);
}

// One record into the list; returns how many words.
static size_t put_record(const karst_mrm *m, uint32_t wedge, size_t item, size_t offset, uint32_t value,
                         uint32_t *word) {
    const kst_mrm_wedge *r = &m->record[wedge - m->base_wedges];
    uint32_t count = 0, slot = r->first;
    word[0] = value;
    if (slot != KST_NONE) {
        word[2 + count++] = (uint32_t)offset + slot;
        for (uint32_t k = 0; k < kst_mrm_items(r); ++k) {
            slot += m->item[item + k];
            if (m->item[item + k] != KST_MRM_STEP) word[2 + count++] = (uint32_t)offset + slot;
        }
    }
    word[1] = count;
    return 2 + count;
}

static karst_status make_bare(const karst_mrm *m, bare *out) {
    uint32_t wedges = m->model->wedge_count, w = wedges;
    size_t room = 3 * (size_t)(wedges - m->base_wedges) + m->item_count + 1, item = 0;
    *out = (bare){malloc(room * 4), malloc(room * 4), 0, malloc(karst_mrm_instance_bytes(m))};
    if (!out->down || !out->up || !out->index) return KARST_ERROR_MEMORY;
    size_t back = room;
    for (int k = 0; k < m->range_count; ++k)
        for (; w > m->base_wedges && m->model->vertex[w - 1] >= m->range[k].bottom; --w) {
            const kst_mrm_wedge *r = &m->record[w - 1 - m->base_wedges];
            size_t words = put_record(m, w - 1, item, 3 * m->range[k].index, r->parent, out->down + out->words);
            back -= words;
            put_record(m, w - 1, item, 3 * m->range[k].index, w - 1, out->up + back);
            out->words += words;
            item += kst_mrm_items(r);
        }
    memmove(out->up, out->up + back, out->words * 4);
    return KARST_OK;
}

// Both must leave the same arrays behind.
static karst_status same_as_bare(bench *b, sliding *s, size_t bytes) {
    memcpy(s->bare.index, s->at.arrays, bytes);
    for (int up = 0; up < 2; ++up) {
        up ? slide_up(s) : slide_down(s);
        up ? bare_up(s) : bare_down(s);
        if (memcmp(s->bare.index, s->at.arrays, bytes))
            return kst_fail(b->report, KARST_ERROR_FORMAT, "bench mrm: the bare loop writes other indices");
    }
    return KARST_OK;
}

// Down and up, we and the bare loop in turn.
static void measure_slides(bench *b, sliding *s, double records) {
    enum { WAYS = 4, SLIDES = 41 };
    static bench_fn *const way[WAYS] = {slide_down, bare_down, slide_up, bare_up};
    double seconds[WAYS][SLIDES], per_s[WAYS];
    int slides = b->quick ? 3 : SLIDES;
    for (int k = 0; k < slides; ++k)
        for (int w = 0; w < WAYS; ++w) {
            double start = bench_cpu_s();
            way[w](s);
            seconds[w][k] = bench_cpu_s() - start;
        }
    for (int w = 0; w < WAYS; ++w) per_s[w] = records / bench_median(seconds[w], slides);
    bool slow_down = per_s[0] < per_s[2];
    bench_row row = {.what = "slide",
                     .unit = "records/s",
                     .value = slow_down ? per_s[0] : per_s[2],
                     .runs = slides,
                     .peer = "OpenMesh 9",
                     .peer_value = mrm_openmesh_slide};
    bench_add_note(b, &row, "the slower way; down %.3g, up %.3g; OpenMesh as measured in 2026", per_s[0], per_s[2]);
    slow_down = per_s[0] / per_s[1] < per_s[2] / per_s[3];
    row.what = "slide_bare", row.value = slow_down ? per_s[0] : per_s[2];
    row.peer = "bare loop", row.peer_value = slow_down ? per_s[1] : per_s[3];
    bench_add_note(b, &row, "beside a loop that writes the same slots from a flat list, %s; down %.3g, up %.3g",
                   slow_down ? "down" : "up", per_s[1], per_s[3]);
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

// A walk through all levels in steps of a hundredth, there and back, again and again; of each step the median.
static karst_status measure_steps(bench *b, karst_mrm_instance *at, const karst_mrm_info *info) {
    enum { STEPS = 100, WALKS = 201 };
    int walks = b->quick ? 5 : WALKS;
    double(*us)[WALKS] = calloc(2 * STEPS, sizeof *us), typical[2 * STEPS], sum = 0;
    if (!us) return KARST_ERROR_MEMORY;
    for (int k = 0; k < walks; ++k)
        for (int s = 0; s < 2 * STEPS; ++s) {
            int to = s < STEPS ? STEPS - 1 - s : s - STEPS + 1;
            uint32_t vertices = (uint32_t)((uint64_t)info->vertices * (uint32_t)to / STEPS);
            double start = bench_wall_s();
            karst_mrm_set_level(at, vertices);
            us[s][k] = (bench_wall_s() - start) * 1e6;
        }
    for (int s = 0; s < 2 * STEPS; ++s) sum += typical[s] = bench_median(us[s], walks);
    qsort(typical, 2 * STEPS, sizeof *typical, by_value);
    bench_row row = {.what = "step_1_percent", .unit = "us", .value = typical[2 * STEPS - 1], .runs = walks};
    bench_add_note(b, &row,
                   "the worst of %d steps down and up through all levels, %u vertices each; mean %.3g, 95 %% %.3g",
                   2 * STEPS, info->vertices / STEPS, sum / (2 * STEPS), typical[2 * STEPS * 95 / 100]);
    free(us);
    return KARST_OK;
}

// ---- jumps ---------------------------------------------------------------------------------------------

enum { PLACES = 256, JUMPS = 5000 };

typedef struct jumper {
    const karst_mrm *mrm;
    const uint64_t *hash;  // of level `place`
    uint64_t seed;
    int jumps, apart;
    bool failed;
} jumper;

static uint32_t level_at(const karst_mrm *mrm, uint64_t place) {
    return mrm->base_vertices + (uint32_t)((mrm->model->vertex_count - mrm->base_vertices) * place / (PLACES - 1));
}

static uint64_t hash_level(const karst_mrm_instance *at) {
    uint64_t h = kst_hash(at->index, at->index_count * sizeof *at->index, at->wedges);
    return at->place ? kst_hash(at->place, at->wedges * sizeof *at->place, h) : h;
}

static void *jump(void *context) {
    jumper *j = context;
    karst_mrm_instance at;
    void *memory = malloc(karst_mrm_instance_bytes(j->mrm));
    j->failed = !memory;
    if (!memory) return NULL;
    karst_mrm_instance_init(&at, j->mrm, memory);
    for (int k = 0; k < j->jumps; ++k) {
        uint64_t place = kst_random(j->seed, (uint64_t)k) % PLACES;
        karst_mrm_set_level(&at, level_at(j->mrm, place));
        j->apart += hash_level(&at) != j->hash[place];
    }
    free(memory);
    return NULL;
}

// Two threads jump among levels of one mesh; what they find is what one slide down left there.
karst_status mrm_jumps_measure(bench *b, const karst_mrm *mrm, const char *what) {
    uint64_t hash[PLACES];
    void *memory = malloc(karst_mrm_instance_bytes(mrm));
    if (!memory) return KARST_ERROR_MEMORY;
    karst_mrm_instance at;
    karst_mrm_instance_init(&at, mrm, memory);
    for (uint64_t place = PLACES; place-- > 0;) {
        karst_mrm_set_level(&at, level_at(mrm, place));
        hash[place] = hash_level(&at);
    }
    free(memory);
    int jumps = b->quick ? 20 : JUMPS, started = 0, apart = 0;
    jumper j[2] = {{mrm, hash, 1, jumps, 0, false}, {mrm, hash, 2, jumps, 0, false}};
    pthread_t thread[2];
    while (started < 2 && !pthread_create(&thread[started], NULL, jump, &j[started])) ++started;
    bool failed = started < 2;
    for (int k = 0; k < started; ++k) {
        pthread_join(thread[k], NULL);
        apart += j[k].apart;
        failed |= j[k].failed;
    }
    if (failed) return KARST_ERROR_MEMORY;
    bench_row row = {.what = what, .unit = "jumps", .value = apart, .runs = 2 * jumps, .hash = hash[PLACES / 2]};
    bench_add_note(b, &row,
                   "of %d by two threads over one mesh of %u vertices that end in other bits than one slide down",
                   2 * jumps, mrm->model->vertex_count);
    return KARST_OK;
}

karst_status mrm_slide_measure(bench *b, const karst_mrm *mrm) {
    karst_mrm_info info = karst_mrm_describe(mrm);
    size_t bytes = karst_mrm_instance_bytes(mrm);
    void *memory = malloc(bytes);
    if (!memory) return KARST_ERROR_MEMORY;
    sliding s = {0};
    karst_mrm_instance_init(&s.at, mrm, memory);
    karst_status status = make_bare(mrm, &s.bare);
    if (!status) status = same_as_bare(b, &s, bytes);
    if (!status) {
        measure_slides(b, &s, info.vertices - info.least_vertices);
        status = measure_steps(b, &s.at, &info);
    }
    free(s.bare.down), free(s.bare.up), free(s.bare.index);
    free(memory);
    return status;
}
