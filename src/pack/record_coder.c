// SPDX-License-Identifier: MIT
// Records: working memory, and the steps that writing and reading take alike.
#include "pack/record_coder.h"
#include "surface/grid_normals.h"

kst_record_coder *kst_record_coder_create(const karst_allocator *allocator, bool writes) {
    kst_record_coder *c = kst_alloc(allocator, sizeof *c);
    if (!c) return NULL;
    memset(&c->plane, 0, sizeof c->plane);
    c->allocator = allocator;
    c->stream = NULL;
    c->stream_room = 0;
    c->arena = (kst_arena){.allocator = allocator};
    c->w = writes ? kst_alloc(allocator, sizeof *c->w) : NULL;
    // What normals need is there from now on, so that nothing can fail for want of it later.
    kst_normal_grid grid = {.columns = KST_RECORD_SIDE, .rows = 1};
    if ((writes && !c->w) || kst_grid_normals(&grid, 0, 0, &c->arena)) {
        kst_record_coder_destroy(c);
        return NULL;
    }
    return c;
}

void kst_record_coder_destroy(kst_record_coder *c) {
    if (!c) return;
    kst_arena_free(&c->arena);
    kst_free(c->allocator, c->stream, c->stream_room);
    kst_free(c->allocator, c->w, sizeof *c->w);
    kst_free(c->allocator, c, sizeof *c);
}

void kst_record_slots_make(const kst_record_tables *tables, kst_record_slots *out) {
    for (int m = 0; m < KST_MODELS; ++m) kst_rans_slots_make(&tables->model[m], &out->of[m]);
}
void kst_record_codes_make(const kst_record_tables *tables, kst_record_codes *out) {
    for (int m = 0; m < KST_MODELS; ++m) kst_rans_codes_make(&tables->model[m], &out->of[m]);
}

bool kst_unrans_rows(kst_unrans *u, const kst_rans_slots *slots, const uint16_t *table, uint32_t *number, int count) {
    for (int k = 0; k < count; k += KST_RANS_ROW)
        if (!kst_unrans_row(u, slots, table + k, number + k)) return false;
    return true;
}

kst_record_extent kst_record_extent_of(kst_record_coder *c, const kst_record_tables *t, kst_record_place p) {
    const karst_field_shape *s = &t->lattice.shape;
    int64_t stride = (int64_t)1 << p.level;
    int64_t fx = ((s->columns - 1 + stride - 1) >> p.level) - (int64_t)p.x * KST_RECORD_LAST;
    int64_t fz = ((s->rows - 1 + stride - 1) >> p.level) - (int64_t)p.z * KST_RECORD_LAST;
    kst_record_extent e = {.fx = (int)(fx < KST_RECORD_SIDE ? fx : KST_RECORD_SIDE),
                           .fz = (int)(fz < KST_RECORD_SIDE ? fz : KST_RECORD_SIDE)};
    e.left = p.x == 0, e.top = p.z == 0, e.right = fx <= KST_RECORD_LAST, e.bottom = fz <= KST_RECORD_LAST;
    e.beyond = kst_plane_known_beyond(e.fx, e.fz, c->known);
    return e;
}

// The node's own values of a plane, and the plane made ready for them.
void kst_record_begin_plane(kst_record_coder *c, const kst_record_tables *t, kst_record_place p,
                            const karst_chunk *parent, int plane, bool beyond) {
    for (int k = 0; k < KST_RECORD_CHUNK * KST_RECORD_CHUNK; ++k) {
        int32_t v = kst_record_component(&parent->vertex[k], plane);
        c->coarse[k] = plane ? v : (int32_t)((uint32_t)v - (uint32_t)t->y_low) >> t->y_shift;
    }
    c->plane.weights = t->weights[plane][p.level];
    c->plane.known = beyond ? c->known : NULL;
    c->plane.base = kst_plane_base(c->coarse, KST_RECORD_CHUNK);
}

// Values of a plane once its numbers are there; those of the node are its own, bit for bit.
void kst_record_end_plane(kst_record_coder *c, const kst_record_tables *t, const kst_record_extent *e,
                          const karst_chunk *parent, int plane) {
    if (e->beyond) kst_plane_step_on(&c->plane, e->fx, e->fz);
    kst_plane_weave(&c->plane, c->fine, KST_RECORD_SIDE);
    if (plane) {
        for (int k = 0; k < KST_FINE_VERTICES; ++k) c->d[plane - 1][k] = (int16_t)(uint32_t)c->fine[k];
    } else {
        for (int k = 0; k < KST_FINE_VERTICES; ++k)
            c->y[k] = (int32_t)(((uint32_t)c->fine[k] << t->y_shift) + (uint32_t)t->y_low);
        for (int j = 0; j < KST_RECORD_CHUNK; ++j)
            for (int i = 0; i < KST_RECORD_CHUNK; ++i)
                c->y[2 * j * KST_RECORD_SIDE + 2 * i] = parent->vertex[j * KST_RECORD_CHUNK + i].y;
    }
}

// Normals as the vertices of this level alone would have them. At level 0 they are right inside the record.
karst_status kst_record_estimate_normals(kst_record_coder *c, const kst_record_tables *t, kst_record_place p,
                                         const kst_record_extent *e, bool moved) {
    kst_normal_grid grid = {.columns = e->fx < KST_RECORD_LAST ? e->fx + 1 : KST_RECORD_SIDE,
                            .rows = e->fz < KST_RECORD_LAST ? e->fz + 1 : KST_RECORD_SIDE,
                            .stride = KST_RECORD_SIDE,
                            .y = c->y,
                            .dx = moved ? c->d[0] : NULL,
                            .dz = moved ? c->d[1] : NULL,
                            .step_y_m = (float)t->lattice.step_y_m,
                            .step_xz_m = (float)t->lattice.step_xz_m,
                            .spacing_m = t->lattice.shape.spacing_m * (double)(1 << p.level),
                            .normal = c->normal};
    kst_arena_reset(&c->arena);
    return kst_grid_normals(&grid, 0, grid.rows, &c->arena);
}

// Places of the normals that are coded, in rows; tables for the two numbers of each. Returns how many numbers there are
// of one kind, filled up to whole rows.
int kst_record_normal_tables(kst_record_coder *c, kst_record_place p, const kst_record_extent *e, bool all) {
    int count = 0, level = KST_FORM_NORMALS + p.level;
    uint16_t table = (uint16_t)(level < KST_FORM_NORMALS_LAST ? level : KST_FORM_NORMALS_LAST);
    for (int j = 0; j < KST_RECORD_SIDE; ++j)
        for (int i = 0; i < KST_RECORD_SIDE; ++i) count += kst_record_normal_is_coded(e, all, i, j);
    int whole = (count + KST_RANS_ROW - 1) / KST_RANS_ROW * KST_RANS_ROW;
    for (int k = 0; k < 2 * whole; ++k) c->normal_table[k] = k % whole < count ? table : KST_RANS_NOTHING;
    return whole;
}

void kst_record_place_own_normals(kst_record_coder *c, const karst_chunk *parent) {
    for (int j = 0; j < KST_RECORD_CHUNK; ++j)
        for (int i = 0; i < KST_RECORD_CHUNK; ++i)
            c->normal[2 * j * KST_RECORD_SIDE + 2 * i] = parent->normal[j * KST_RECORD_CHUNK + i];
}
