// SPDX-License-Identifier: MIT
#include "edit/walk.h"

// Old and new samples of a strip take about this much; a dab of usual size is one strip.
static const size_t strip_bytes = (size_t)8 << 20;
// Below this many vertices a strip is not worth waking workers.
static const size_t worth_workers = 1 << 15;

void kst_work_free(kst_work *work) {
    kst_free(NULL, work->memory, work->bytes);
    *work = (kst_work){0};
}

static karst_status need(kst_work *work, size_t bytes) {
    if (work->bytes >= bytes) return KARST_OK;
    kst_work_free(work);
    work->memory = kst_alloc(NULL, bytes);
    if (!work->memory) return KARST_ERROR_MEMORY;
    work->bytes = bytes;
    return KARST_OK;
}

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}
static int32_t most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static void add_rect(karst_rect *all, karst_rect r) {
    if (all->x0 == all->x1)
        *all = r;
    else
        *all = (karst_rect){least(all->x0, r.x0), least(all->z0, r.z0), most(all->x1, r.x1), most(all->z1, r.z1)};
}

// ---- memory of a strip -----------------------------------------------------------------------------

typedef struct layout {
    size_t rows, old, fresh, scratch_width, workers, bytes;  // rows a strip; samples of a plane
} layout;

static void lay_out(const kst_walk *w, layout *out) {
    size_t width = (size_t)(w->rect.x1 - w->rect.x0), height = (size_t)(w->rect.z1 - w->rect.z0);
    size_t halo = (size_t)w->halo, wide = width + 2 * halo;
    size_t rows = strip_bytes / (10 * sizeof(float) * wide);
    out->rows = rows < 1 ? 1 : rows > height ? height : rows;
    out->old = (out->rows + 2 * halo) * wide;
    out->fresh = out->rows * width;
    size_t span = width < KST_SPAN ? width : KST_SPAN;
    out->scratch_width = (span + 2 * halo + 7) / 8 * 8;
    out->workers = (size_t)karst_jobs_worker_count(w->jobs);
    size_t doubles = out->rows * KST_STRIP_SUMS + out->workers * KST_SCRATCH_ROWS * out->scratch_width;
    size_t floats = 3 * out->old + 7 * out->fresh;
    out->bytes = doubles * sizeof(double) + floats * sizeof(float);
}

static void cut_up(const kst_walk *w, const layout *l, kst_strip *s, float *old[3], float *ref[3], float **mask) {
    double *d = w->work->memory;
    s->sums = d;
    d += l->rows * KST_STRIP_SUMS;
    s->scratch = d;
    s->scratch_width = l->scratch_width;
    d += l->workers * KST_SCRATCH_ROWS * l->scratch_width;
    float *f = (float *)d;
    for (int k = 0; k < 3; ++k, f += l->old) old[k] = f;
    s->y = old[0], s->x = old[1], s->z = old[2];
    s->new_y = f, s->new_x = f + l->fresh, s->new_z = f + 2 * l->fresh;
    *mask = f + 3 * l->fresh;
    for (int k = 0; k < 3; ++k) ref[k] = f + (4 + (size_t)k) * l->fresh;
}

// ---- reading ---------------------------------------------------------------------------------------

// Rows of the strip with its halo; those that the strip before held are kept as they were then.
static karst_status read_old(const kst_walk *w, kst_strip *s, float *old[3], karst_rect before) {
    size_t stride = (size_t)s->stride;
    int32_t from = s->held.z0;
    if (before.z1 > from) {
        size_t skip = (size_t)(from - before.z0) * stride, count = (size_t)(before.z1 - from) * stride;
        for (int k = 0; k < 3; ++k) memmove(old[k], old[k] + skip, count * sizeof(float));
        from = before.z1;
    }
    if (from >= s->held.z1) return KARST_OK;
    size_t at = (size_t)(from - s->held.z0) * stride;
    return karst_field_read(w->canvas->shown, (karst_rect){s->held.x0, from, s->held.x1, s->held.z1}, old[0] + at,
                            old[1] + at, old[2] + at, s->stride);
}

// ---- painting: values of a field of their own ---------------------------------------------------------

static karst_status write_painted(const kst_walk *w, const kst_strip *s, karst_rect part, karst_touched *touched) {
    for (int32_t row = part.z0; row < part.z1; ++row) {
        size_t at = kst_new_at(s, part.x0, row);
        int first = part.x1 - part.x0, last = -1, samples = 0;
        for (int i = 0; i < part.x1 - part.x0; ++i) {
            if (!memcmp(&s->new_y[at + (size_t)i], &s->ref_y[at + (size_t)i], sizeof(float))) continue;
            if (first > i) first = i;
            last = i;
            ++samples;
        }
        if (last < 0) continue;
        karst_rect r = {part.x0 + first, row, part.x0 + last + 1, row + 1};
        karst_status status = karst_field_write(w->paint, r, s->new_y + at + first, NULL, NULL, s->width);
        if (status) return status;
        touched->samples += (uint64_t)samples;
        add_rect(&touched->rect, r);
    }
    return KARST_OK;
}

// What restore goes toward: another field, or what is shown without the layer that is edited.
static karst_status read_reference(const kst_walk *w, const kst_strip *s, float *ref[3]) {
    if (w->paint) return karst_field_read(w->paint, s->rect, ref[0], NULL, NULL, s->width);
    bool base = w->toward == KARST_TOWARD_BASE;
    karst_field *from = base ? w->canvas->target : w->reference;
    if (!from || (base && from == w->canvas->shown)) return KARST_ERROR_ARGUMENT;
    karst_status status = karst_field_read(from, s->rect, ref[0], ref[1], ref[2], s->width);
    if (status || !base) return status;
    const float *const old[3] = {s->y, s->x, s->z};
    for (int32_t row = s->rect.z0; row < s->rect.z1; ++row)
        for (int k = 0; k < 3; ++k) {
            float *line = ref[k] + kst_new_at(s, s->rect.x0, row);
            const float *shown = old[k] + kst_old_at(s, s->rect.x0, row);
            for (int i = 0; i < s->width; ++i) line[i] = shown[i] - line[i];
        }
    return KARST_OK;
}

// ---- writing ---------------------------------------------------------------------------------------

// What of a block changed: the smallest rect, how many vertices, and whether any moved sideways.
typedef struct change {
    karst_rect rect;
    uint64_t samples;
    bool sideways;
} change;

static change find_change(const kst_strip *s, karst_rect part) {
    change c = {.rect = {INT32_MAX, INT32_MAX, 0, 0}};
    for (int32_t row = part.z0; row < part.z1; ++row) {
        size_t a = kst_old_at(s, part.x0, row), b = kst_new_at(s, part.x0, row);
        int count = part.x1 - part.x0, first = count, last = -1, samples = 0;
        unsigned sideways = 0;
        for (int i = 0; i < count; ++i, ++a, ++b) {
            uint32_t o[3], n[3];
            memcpy(&o[0], &s->y[a], 4), memcpy(&o[1], &s->x[a], 4), memcpy(&o[2], &s->z[a], 4);
            memcpy(&n[0], &s->new_y[b], 4), memcpy(&n[1], &s->new_x[b], 4), memcpy(&n[2], &s->new_z[b], 4);
            uint32_t aside = (o[1] ^ n[1]) | (o[2] ^ n[2]);
            if (!(aside | (o[0] ^ n[0]))) continue;
            if (first > i) first = i;
            last = i;
            ++samples;
            sideways |= aside != 0;
        }
        if (last < 0) continue;
        c.samples += (uint64_t)samples;
        c.sideways |= sideways != 0;
        c.rect = (karst_rect){least(c.rect.x0, part.x0 + first), least(c.rect.z0, row),
                              most(c.rect.x1, part.x0 + last + 1), row + 1};
    }
    return c;
}

// Chunk by chunk, so that one in which nothing changed is not touched.
static karst_status write_new(const kst_walk *w, const kst_strip *s, karst_touched *touched) {
    enum { SIDE = KARST_CHUNK_CELLS };
    for (int32_t bz = s->rect.z0 / SIDE; bz <= (s->rect.z1 - 1) / SIDE; ++bz)
        for (int32_t bx = s->rect.x0 / SIDE; bx <= (s->rect.x1 - 1) / SIDE; ++bx) {
            karst_rect part = {most(s->rect.x0, bx * SIDE), most(s->rect.z0, bz * SIDE),
                               least(s->rect.x1, (bx + 1) * SIDE), least(s->rect.z1, (bz + 1) * SIDE)};
            if (w->paint) {
                karst_status status = write_painted(w, s, part, touched);
                if (status) return status;
                continue;
            }
            change c = find_change(s, part);
            if (!c.samples) continue;
            size_t at = kst_new_at(s, c.rect.x0, c.rect.z0);
            karst_status status =
                karst_canvas_write(w->canvas, c.rect, s->new_y + at, c.sideways ? s->new_x + at : NULL,
                                   c.sideways ? s->new_z + at : NULL, s->width);
            if (status) return status;
            touched->samples += c.samples;
            add_rect(&touched->rect, c.rect);
        }
    return KARST_OK;
}

// ---- the walk --------------------------------------------------------------------------------------

typedef struct rows {
    const kst_walk *walk;
    const kst_strip *strip;
} rows;

static void do_rows(int begin, int end, int worker, void *context) {
    const rows *r = context;
    const kst_strip *s = r->strip;
    for (int k = begin; k < end; ++k) {
        int32_t row = s->rect.z0 + k;
        if (r->walk->looks) {
            memset(s->sums + (size_t)k * KST_STRIP_SUMS, 0, KST_STRIP_SUMS * sizeof(double));
        } else {
            size_t from = kst_old_at(s, s->rect.x0, row), to = kst_new_at(s, s->rect.x0, row);
            size_t bytes = (size_t)s->width * sizeof(float);
            memcpy(s->new_y + to, r->walk->paint ? s->ref_y + to : s->y + from, bytes);
            memcpy(s->new_x + to, s->x + from, bytes);
            memcpy(s->new_z + to, s->z + from, bytes);
        }
        for (int32_t x = s->rect.x0; x < s->rect.x1; x += KST_SPAN)
            r->walk->row(s, row, x, least(s->rect.x1, x + KST_SPAN), worker, r->walk->context);
    }
}

static karst_status one_strip(const kst_walk *w, kst_strip *s, float *old[3], float *ref[3], float *mask,
                              karst_rect before, double *sums, karst_touched *touched) {
    karst_status status = read_old(w, s, old, before);
    if (!status && !w->looks && w->canvas->mask) status = karst_canvas_read_mask(w->canvas, s->rect, mask, s->width);
    if (!status && (w->restores || w->paint)) status = read_reference(w, s, ref);
    if (status) return status;
    int count = s->rect.z1 - s->rect.z0;
    size_t vertices = (size_t)count * (size_t)s->width;
    rows r = {w, s};
    karst_jobs_for(vertices < worth_workers ? NULL : w->jobs, count, 1 + 4096 / s->width, do_rows, &r);
    for (int k = 0; sums && k < count; ++k)
        for (int q = 0; q < KST_STRIP_SUMS; ++q) sums[q] += s->sums[(size_t)k * KST_STRIP_SUMS + (size_t)q];
    return w->looks ? KARST_OK : write_new(w, s, touched);
}

karst_status kst_walk_run(const kst_walk *w, double *sums, karst_touched *touched) {
    if (w->rect.x0 >= w->rect.x1 || w->rect.z0 >= w->rect.z1) return KARST_OK;
    layout l;
    lay_out(w, &l);
    karst_status status = need(w->work, l.bytes);
    if (status) return status;
    kst_strip s = {.shape = karst_field_shape_of(w->canvas->shown)};
    float *old[3], *ref[3], *mask;
    cut_up(w, &l, &s, old, ref, &mask);
    if (w->canvas->mask && !w->looks) s.mask = mask;
    if (w->restores || w->paint) s.ref_y = ref[0], s.ref_x = ref[1], s.ref_z = ref[2];
    s.width = w->rect.x1 - w->rect.x0;
    karst_rect before = {0, 0, 0, 0};
    for (int32_t z = w->rect.z0; z < w->rect.z1 && !status; z = s.rect.z1) {
        double share = (double)(z - w->rect.z0) / (double)(w->rect.z1 - w->rect.z0);
        status = kst_progress_step(w->progress, "sculpt", share);
        if (status) return status;
        s.rect = (karst_rect){w->rect.x0, z, w->rect.x1, least(w->rect.z1, z + (int32_t)l.rows)};
        s.held = (karst_rect){most(0, s.rect.x0 - w->halo), most(0, s.rect.z0 - w->halo),
                              least(s.shape.columns, s.rect.x1 + w->halo), least(s.shape.rows, s.rect.z1 + w->halo)};
        s.stride = s.held.x1 - s.held.x0;
        status = one_strip(w, &s, old, ref, mask, before, sums, touched);
        before = s.held;
    }
    return status;
}
