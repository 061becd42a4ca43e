// SPDX-License-Identifier: MIT
// Records: the weights and frequencies that all records of a pack share, from a spread of them.
#include "pack/record_coder.h"

enum { SAMPLE = 16 };

typedef struct learning {
    kst_record_tables *t;
    kst_chunk_fn *fn;
    void *context;
    kst_rans_counts (*counts)[KST_MODELS];  // of each level
} learning;

typedef struct family {
    karst_chunk parent, child[4];
    const karst_chunk *there[4];
} family;

static int node_count(const kst_record_tables *t, int level, int32_t *across) {
    int64_t span = (int64_t)KARST_CHUNK_CELLS << (level + 1);
    *across = (int32_t)((t->lattice.shape.columns - 1 + span - 1) / span);
    return (int)(*across * ((t->lattice.shape.rows - 1 + span - 1) / span));
}

// The k-th of `count` records of a level that are looked at, one from each stretch of the level.
static kst_record_place sample_place(const kst_record_tables *t, int level, int k, int count) {
    int32_t across;
    int64_t all = node_count(t, level, &across), from = all * k / count, to = all * (k + 1) / count;
    int64_t node = from + (int64_t)(kst_random((uint64_t)level, (uint64_t)k) % (uint64_t)(to - from));
    return (kst_record_place){level, (int32_t)(node % across), (int32_t)(node / across)};
}

static karst_status get_family(const learning *l, kst_record_place p, family *f) {
    karst_status status = l->fn(l->context, p.level + 1, p.x, p.z, &f->parent);
    for (int child = 0; child < 4 && !status; ++child) {
        f->there[child] = kst_record_has(l->t, p, child) ? &f->child[child] : NULL;
        if (f->there[child])
            status = l->fn(l->context, p.level, 2 * p.x + (child & 1), 2 * p.z + (child >> 1), &f->child[child]);
    }
    return status;
}

typedef struct fitting {
    kst_plane plane[SAMPLE];
    kst_plane_target target[SAMPLE];
    uint64_t known[SAMPLE][KST_PLANE_ROWS];
} fitting;

static karst_status fit_plane(const learning *l, int level, int plane, int count, fitting *s, family *f,
                              kst_record_coder *c) {
    kst_plane *planes[SAMPLE];
    const kst_plane_target *targets[SAMPLE];
    for (int k = 0; k < count; ++k) {
        kst_record_place p = sample_place(l->t, level, k, count);
        karst_status status = get_family(l, p, f);
        if (status) return status;
        kst_record_extent e = kst_record_extent_of(c, l->t, p);
        if (!kst_record_gather_plane(c, plane, f->there) || !kst_record_set_target(c, l->t, plane))
            return KARST_ERROR_ARGUMENT;
        kst_record_begin_plane(c, l->t, p, &f->parent, plane, e.beyond);
        memcpy(s->known[k], c->known, sizeof s->known[k]);
        s->target[k] = c->w->target;
        s->plane[k].wide = !kst_plane_is_narrow(c->coarse, KST_RECORD_CHUNK, &c->w->target);
        s->plane[k].base = c->plane.base;
        s->plane[k].known = e.beyond ? s->known[k] : NULL;
        kst_plane_load(&s->plane[k], c->coarse, KST_RECORD_CHUNK);
        planes[k] = &s->plane[k];
        targets[k] = &s->target[k];
    }
    return kst_plane_fit(planes, targets, count, 1, &l->t->weights[plane][level]);
}

static karst_status count_level(const learning *l, int level, int count, int64_t all, family *f, kst_record_coder *c) {
    for (int k = 0; k < count; ++k) {
        kst_record_place p = sample_place(l->t, level, k, count);
        karst_status status = get_family(l, p, f);
        if (status) return status;
        if (!kst_record_make_numbers(c, l->t, p, &f->parent, f->there)) return KARST_ERROR_ARGUMENT;
        kst_rans_run runs[KST_RECORD_RUNS];
        kst_record_model model[KST_RECORD_RUNS];
        int run_count = kst_record_list_runs(c->w, runs, model);
        for (int r = 0; r < run_count; ++r)
            kst_rans_count(&l->counts[level][model[r]], runs[r].number, runs[r].table ? runs[r].table : c->normal_table,
                           runs[r].count);
    }
    // A level counts as often as it has records.
    uint32_t *counts = &l->counts[level][0].of[0][0];
    uint64_t weight = (uint64_t)(all + count - 1) / (uint64_t)count;
    for (size_t k = 0; k < sizeof *l->counts / (sizeof *counts); ++k) {
        uint64_t v = counts[k] * weight;
        counts[k] = v < UINT32_MAX / 32 ? (uint32_t)v : UINT32_MAX / 32;
    }
    return KARST_OK;
}

static karst_status learn_levels(int begin, int end, int worker, void *context) {
    (void)worker;
    learning *l = context;
    kst_record_coder *c = kst_record_coder_create(NULL, true);
    fitting *s = kst_alloc_zero(NULL, sizeof *s);
    family *f = kst_alloc(NULL, sizeof *f);
    karst_status status = c && s && f ? KARST_OK : KARST_ERROR_MEMORY;
    for (int level = begin; level < end && !status; ++level) {
        int32_t across;
        int all = node_count(l->t, level, &across), count = all < SAMPLE ? all : SAMPLE;
        for (int plane = 0; plane < (l->t->displaced ? KST_RECORD_PLANES : 1) && !status; ++plane)
            status = fit_plane(l, level, plane, count, s, f, c);
        if (!status) status = count_level(l, level, count, all, f, c);
    }
    kst_record_coder_destroy(c);
    kst_free(NULL, s, sizeof *s);
    kst_free(NULL, f, sizeof *f);
    return status;
}

karst_status kst_record_tables_learn(kst_record_tables *t, kst_chunk_fn *fn, void *context, karst_jobs *jobs,
                                     const karst_progress *progress) {
    int levels = t->level_count - 1;
    learning l = {t, fn, context, NULL};
    for (int m = 0; m < KST_MODELS; ++m) {
        static const kst_rans_counts none;
        kst_rans_model_make(&none, true, &t->model[m]);
    }
    if (levels < 1) return KARST_OK;
    size_t bytes = (size_t)levels * sizeof *l.counts;
    l.counts = kst_alloc_zero(NULL, bytes);
    karst_status status =
        l.counts ? kst_jobs_run(jobs, levels, 1, learn_levels, &l, progress, "learn", 0, 1) : KARST_ERROR_MEMORY;
    for (int level = 1; level < levels && !status; ++level)
        for (size_t k = 0; k < sizeof *l.counts / (sizeof(uint32_t)); ++k)
            (&l.counts[0][0].of[0][0])[k] += (&l.counts[level][0].of[0][0])[k];
    for (int m = 0; m < KST_MODELS && !status; ++m) kst_rans_model_make(&l.counts[0][m], true, &t->model[m]);
    kst_free(NULL, l.counts, bytes);
    return status;
}
