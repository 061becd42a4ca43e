// SPDX-License-Identifier: MIT
// Records: chunks to numbers and back.
//
//     flags u8: 1 y wide, 2 holes, 4 occlusion, 8 transparency, 16 all normals coded, 32 corners raw, 64 moved sideways
//     flags u8: 1 dx wide, 2 dz wide
//     raw corners only: size u16, zstd frame
//     stream of numbers
#include "pack/record_parts.h"
#include "surface/grid_normals.h"

enum {
    Y_WIDE = 1,
    HOLES = 2,
    OCCLUSION = 4,
    TRANSPARENCY = 8,
    ALL_NORMALS = 16,
    RAW_CORNERS = 32,
    MOVED = 64,
    SIDE = KST_FINE_SIDE,
    LAST = KST_FINE_SIDE - 1,
    CHUNK = KARST_CHUNK_SIDE,
    RUNS = 1 + KST_RECORD_PLANES + 1 + 2 + 1,
    NUMBERS = KST_HOLE_NUMBERS + KST_RECORD_PLANES * KST_PLANE_NUMBERS + KST_NORMAL_NUMBERS + 2 * KST_LIGHT_NUMBERS +
              KST_CORNER_NUMBERS,
    STREAM_MOST = NUMBERS * 6 + 5 + 4 * KST_RANS_LANES,
    RAW_MOST = 4 * 4 * KST_CORNER_FLOATS,
};

// Numbers of all parts; used by who writes.
typedef struct writing {
    kst_plane_target target;
    kst_plane_numbers plane[KST_RECORD_PLANES];
    uint32_t hole[KST_HOLE_NUMBERS], light[2][KST_LIGHT_NUMBERS], corner[KST_CORNER_NUMBERS],
        normal[KST_NORMAL_NUMBERS];
    uint16_t hole_table[KST_HOLE_NUMBERS], light_table[2][KST_LIGHT_NUMBERS], corner_table[KST_CORNER_NUMBERS];
    int32_t wanted[KST_FINE_VERTICES];
    uint16_t wanted_normal[KST_FINE_VERTICES];
    unsigned flags, wide;
    int normal_count;
} writing;

struct kst_record_coder {
    const karst_allocator *allocator;
    writing *w;  // NULL: reads only
    kst_plane plane;
    uint64_t known[KST_PLANE_ROWS];
    int32_t coarse[KST_NODE_SIDE * KST_NODE_SIDE];
    int32_t y[KST_FINE_VERTICES], fine[KST_FINE_VERTICES];
    int16_t d[2][KST_FINE_VERTICES];
    uint16_t normal[KST_FINE_VERTICES];  // estimates, then what is
    uint16_t normal_table[KST_NORMAL_NUMBERS];
    kst_hole_grid holes, beyond;
    uint8_t light[KST_LIGHT_SIDE * KST_LIGHT_SIDE];
    uint32_t number[KST_NORMAL_NUMBERS];
    uint16_t table[KST_LIGHT_NUMBERS];
    kst_arena arena;
    kst_record_parts parts;
    uint8_t raw[RAW_MOST];
    uint8_t *stream;  // a copy of what is read, so that a decoder may look beyond its end
    size_t stream_room;
};

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
    kst_normal_grid grid = {.columns = SIDE, .rows = 1};
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

// ---- what both ways share ------------------------------------------------------------------------

typedef struct extent {  // of a record in the field: the first fine vertex at or beyond the last, and more
    int fx, fz;
    bool beyond, left, top, right, bottom;  // the node's own side is also the field's
} extent;

static extent extent_of(kst_record_coder *c, const kst_record_tables *t, kst_record_place p) {
    const karst_field_shape *s = &t->lattice.shape;
    int64_t stride = (int64_t)1 << p.level;
    int64_t fx = ((s->columns - 1 + stride - 1) >> p.level) - (int64_t)p.x * LAST;
    int64_t fz = ((s->rows - 1 + stride - 1) >> p.level) - (int64_t)p.z * LAST;
    extent e = {.fx = (int)(fx < SIDE ? fx : SIDE), .fz = (int)(fz < SIDE ? fz : SIDE)};
    e.left = p.x == 0, e.top = p.z == 0, e.right = fx <= LAST, e.bottom = fz <= LAST;
    e.beyond = kst_plane_known_beyond(e.fx, e.fz, c->known);
    return e;
}

static int32_t component(const karst_vertex *v, int plane) {
    return plane == 0 ? v->y : plane == 1 ? v->dx : v->dz;
}

// The node's own values of a plane, and the plane made ready for them.
static void begin_plane(kst_record_coder *c, const kst_record_tables *t, kst_record_place p, const karst_chunk *parent,
                        int plane, bool beyond) {
    for (int k = 0; k < CHUNK * CHUNK; ++k) {
        int32_t v = component(&parent->vertex[k], plane);
        c->coarse[k] = plane ? v : (int32_t)((uint32_t)v - (uint32_t)t->y_low) >> t->y_shift;
    }
    c->plane.weights = t->weights[plane][p.level];
    c->plane.known = beyond ? c->known : NULL;
    c->plane.base = kst_plane_base(c->coarse, CHUNK);
}

// Values of a plane once its numbers are there; those of the node are its own, bit for bit.
static void end_plane(kst_record_coder *c, const kst_record_tables *t, const extent *e, const karst_chunk *parent,
                      int plane) {
    if (e->beyond) kst_plane_step_on(&c->plane, e->fx, e->fz);
    kst_plane_weave(&c->plane, c->fine, SIDE);
    if (plane) {
        for (int k = 0; k < KST_FINE_VERTICES; ++k) c->d[plane - 1][k] = (int16_t)(uint32_t)c->fine[k];
    } else {
        for (int k = 0; k < KST_FINE_VERTICES; ++k)
            c->y[k] = (int32_t)(((uint32_t)c->fine[k] << t->y_shift) + (uint32_t)t->y_low);
        for (int j = 0; j < CHUNK; ++j)
            for (int i = 0; i < CHUNK; ++i) c->y[2 * j * SIDE + 2 * i] = parent->vertex[j * CHUNK + i].y;
    }
}

// Normals as the vertices of this level alone would have them. At level 0 they are right inside the record.
static karst_status estimate_normals(kst_record_coder *c, const kst_record_tables *t, kst_record_place p,
                                     const extent *e, bool moved) {
    kst_normal_grid grid = {.columns = e->fx < LAST ? e->fx + 1 : SIDE,
                            .rows = e->fz < LAST ? e->fz + 1 : SIDE,
                            .stride = SIDE,
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

// Is the normal of a vertex that the node has not coded? i, j: its place in the record.
static inline bool normal_is_coded(const extent *e, bool all, int i, int j) {
    if (!(i & 1) && !(j & 1)) return false;
    if (e->beyond && kst_plane_is_copy(i, j, e->fx, e->fz)) return false;
    return all || (i == 0 && !e->left) || (j == 0 && !e->top) || (i == LAST && !e->right) || (j == LAST && !e->bottom);
}

// Places of the normals that are coded, in rows; tables for the two numbers of each. Returns how many numbers there are
// of one kind, filled up to whole rows.
static int normal_tables(kst_record_coder *c, kst_record_place p, const extent *e, bool all) {
    int count = 0, level = KST_FORM_NORMALS + p.level;
    uint16_t table = (uint16_t)(level < KST_FORM_NORMALS_LAST ? level : KST_FORM_NORMALS_LAST);
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) count += normal_is_coded(e, all, i, j);
    int whole = (count + KST_RANS_ROW - 1) / KST_RANS_ROW * KST_RANS_ROW;
    for (int k = 0; k < 2 * whole; ++k) c->normal_table[k] = k % whole < count ? table : KST_RANS_NOTHING;
    return whole;
}

static uint32_t byte_number(unsigned value, unsigned guess) {
    return kst_zigzag((uint32_t)(int32_t)(int8_t)(uint8_t)(value - guess)) & 0xff;
}
static unsigned byte_from(uint32_t number, unsigned guess) {
    return (guess + kst_unzigzag(number)) & 0xff;
}

static void place_own_normals(kst_record_coder *c, const karst_chunk *parent) {
    for (int j = 0; j < CHUNK; ++j)
        for (int i = 0; i < CHUNK; ++i) c->normal[2 * j * SIDE + 2 * i] = parent->normal[j * CHUNK + i];
}

// ---- writing -------------------------------------------------------------------------------------

// A value of all children at every fine vertex; false where two that share one differ, or the node's own does. What
// children that are not there would have repeats what is.
#define GATHER(out, type, expression)                                                             \
    do {                                                                                          \
        for (int child = 0; child < 4; ++child) {                                                 \
            const karst_chunk *from = children[child];                                            \
            if (!from) continue;                                                                  \
            int i0 = (child & 1) * KARST_CHUNK_CELLS, j0 = (child >> 1) * KARST_CHUNK_CELLS;      \
            for (int j = 0; j < CHUNK; ++j)                                                       \
                for (int i = 0; i < CHUNK; ++i) {                                                 \
                    int k = j * CHUNK + i, at = (j0 + j) * SIDE + i0 + i;                         \
                    type v = (type)(expression);                                                  \
                    bool seen = (i == 0 && (child & 1)) || (j == 0 && (child >> 1));              \
                    if (seen && (out)[at] != v) return false;                                     \
                    (out)[at] = v;                                                                \
                }                                                                                 \
        }                                                                                         \
        for (int j = 0; j < SIDE && !children[1]; ++j)                                            \
            for (int i = CHUNK; i < SIDE; ++i) (out)[j * SIDE + i] = (out)[j * SIDE + CHUNK - 1]; \
        for (int j = CHUNK; j < SIDE && !children[2]; ++j)                                        \
            for (int i = 0; i < SIDE; ++i) (out)[j * SIDE + i] = (out)[(CHUNK - 1) * SIDE + i];   \
    } while (0)

static bool gather_plane(kst_record_coder *c, int plane, const karst_chunk *const children[4]) {
    GATHER(c->w->wanted, int32_t, component(&from->vertex[k], plane));
    return true;
}
static bool gather_normals(kst_record_coder *c, const karst_chunk *const children[4]) {
    GATHER(c->w->wanted_normal, uint16_t, from->normal[k]);
    return true;
}

// Target of a plane, from what was gathered. False when a height is no multiple of the step.
static bool set_target(kst_record_coder *c, const kst_record_tables *t, int plane) {
    uint32_t odd = 0, mask = plane ? 0 : (1u << t->y_shift) - 1;
    for (int k = 0; k < KST_FINE_VERTICES; ++k) {
        uint32_t v = (uint32_t)c->w->wanted[k] - (plane ? 0 : (uint32_t)t->y_low);
        odd |= v & mask;
        c->fine[k] = plane ? (int32_t)v : (int32_t)v >> t->y_shift;
    }
    kst_plane_sort(c->fine, SIDE, &c->w->target);
    return !odd;
}

static bool write_plane(kst_record_coder *c, const kst_record_tables *t, kst_record_place p, const extent *e,
                        const karst_chunk *parent, const karst_chunk *const children[4], int plane) {
    writing *w = c->w;
    if (!gather_plane(c, plane, children) || !set_target(c, t, plane)) return false;
    begin_plane(c, t, p, parent, plane, e->beyond);
    c->plane.wide = !kst_plane_is_narrow(c->coarse, CHUNK, &w->target);
    if (c->plane.wide && plane) w->wide |= 1u << (plane - 1);
    if (c->plane.wide && !plane) w->flags |= Y_WIDE;
    kst_plane_load(&c->plane, c->coarse, CHUNK);
    const kst_plane_kernels *kernels = kst_plane_kernels_best();
    for (int pass = 0; pass < KST_PASSES; ++pass) kernels->encode(&c->plane, &w->target, pass, &w->plane[plane]);
    end_plane(c, t, e, parent, plane);
    for (int k = 0; k < KST_FINE_VERTICES; ++k)
        if ((plane ? c->d[plane - 1][k] : c->y[k]) != w->wanted[k]) return false;
    return true;
}

static bool any_moved(const karst_chunk *parent, const karst_chunk *const children[4]) {
    int32_t moved = 0;
    for (int child = -1; child < 4; ++child) {
        const karst_chunk *from = child < 0 ? parent : children[child];
        for (int k = 0; from && k < CHUNK * CHUNK; ++k) moved |= from->vertex[k].dx | from->vertex[k].dz;
    }
    return moved != 0;
}

static bool write_holes(kst_record_coder *c, const kst_record_tables *t, kst_record_place p, const karst_chunk *parent,
                        const karst_chunk *const children[4]) {
    writing *w = c->w;
    kst_holes_beyond(t, p, c->beyond);
    kst_hole_grid wanted;
    uint64_t any = 0;
    for (int j = 0; j < LAST; ++j)
        for (int s = 0; s < 2; ++s) {
            const karst_chunk *from = children[j / KARST_CHUNK_CELLS * 2 + s];
            wanted[j][s] = from ? from->hole[j % KARST_CHUNK_CELLS] : ~UINT64_C(0);
            any |= wanted[j][s] ^ c->beyond[j][s];
        }
    if (any) w->flags |= HOLES;
    for (int j = 0; j < KARST_CHUNK_CELLS && any; ++j) {
        uint16_t *table = w->hole_table + j * KARST_CHUNK_CELLS;
        uint32_t *number = w->hole + j * KARST_CHUNK_CELLS;
        kst_hole_tables(parent, c->beyond, c->holes, j, table);
        kst_hole_numbers(wanted, j, table, number);
        kst_holes_from(number, table, c->beyond, j, c->holes);
    }
    return !any || !memcmp(wanted, c->holes, sizeof wanted);
}

static bool write_normals(kst_record_coder *c, const kst_record_tables *t, kst_record_place p, const extent *e,
                          const karst_chunk *parent, const karst_chunk *const children[4]) {
    writing *w = c->w;
    if (!gather_normals(c, children) || estimate_normals(c, t, p, e, w->flags & MOVED)) return false;
    bool all = p.level > 0;
    place_own_normals(c, parent);
    for (int j = 0; j < SIDE && !all; ++j)
        for (int i = 0; i < SIDE; ++i) {
            bool given = (!(i & 1) && !(j & 1)) || (e->beyond && kst_plane_is_copy(i, j, e->fx, e->fz));
            if (!given && !normal_is_coded(e, false, i, j))
                all |= c->normal[j * SIDE + i] != w->wanted_normal[j * SIDE + i];
        }
    if (all && !p.level) w->flags |= ALL_NORMALS;
    int count = normal_tables(c, p, e, all), k = 0;
    memset(w->normal, 0, sizeof w->normal);
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            if (!normal_is_coded(e, all, i, j)) continue;
            unsigned guess = c->normal[j * SIDE + i], is = w->wanted_normal[j * SIDE + i];
            w->normal[k] = byte_number(is & 0xff, guess & 0xff);
            w->normal[count + k++] = byte_number(is >> 8, guess >> 8);
            c->normal[j * SIDE + i] = (uint16_t)is;
        }
    w->normal_count = 2 * count;
    if (e->beyond) kst_step_on16(c->normal, e->fx, e->fz);
    return !memcmp(c->normal, w->wanted_normal, sizeof c->normal);
}

static const uint8_t *light_of(const karst_chunk *chunk, int kind) {
    return kind ? chunk->transparency : chunk->occlusion;
}

static bool write_light(kst_record_coder *c, const karst_chunk *parent, const karst_chunk *const children[4],
                        int kind) {
    enum { H = KARST_HALF_SIDE, S = KST_LIGHT_SIDE };
    writing *w = c->w;
    uint8_t wanted[S * S] = {0};
    unsigned any = 0;
    for (int k = 0; k < H * H; ++k) any |= light_of(parent, kind)[k];
    for (int child = 0; child < 4; ++child) {
        if (!children[child]) continue;
        for (int k = 0; k < H * H; ++k) {
            int i = k % H, j = k / H, at = (j + (child >> 1) * (H - 1)) * S + i + (child & 1) * (H - 1);
            bool seen = (i == 0 && (child & 1)) || (j == 0 && (child >> 1));
            uint8_t v = light_of(children[child], kind)[k];
            if (seen && wanted[at] != v) return false;
            wanted[at] = v;
            any |= v;
        }
    }
    if (!any) return true;
    w->flags |= kind ? TRANSPARENCY : OCCLUSION;
    kst_light_tables(light_of(parent, kind), c->light, w->light_table[kind]);
    memset(w->light[kind], 0, sizeof w->light[kind]);
    for (int k = 0; k < S * S; ++k) {
        bool there = children[(k % S >= H) + 2 * (k / S >= H)] != NULL;
        bool given = w->light_table[kind][k] == KST_RANS_NOTHING;
        if (given && there && c->light[k] != wanted[k]) return false;
        if (!given && there) w->light[kind][k] = byte_number(wanted[k], c->light[k]);
    }
    return true;
}

// All numbers of a record. False when the chunks do not agree.
static bool make_numbers(kst_record_coder *c, const kst_record_tables *t, kst_record_place p, const karst_chunk *parent,
                         const karst_chunk *const children[4]) {
    writing *w = c->w;
    w->flags = w->wide = 0;
    for (int child = 0; child < 4; ++child)
        if (!children[child] == kst_record_has(t, p, child)) return false;
    extent e = extent_of(c, t, p);
    bool moved = any_moved(parent, children);
    if (moved && !t->displaced) return false;
    if (moved) w->flags |= MOVED;
    if (!write_holes(c, t, p, parent, children)) return false;
    for (int plane = 0; plane < (moved ? KST_RECORD_PLANES : 1); ++plane)
        if (!write_plane(c, t, p, &e, parent, children, plane)) return false;
    if (!write_normals(c, t, p, &e, parent, children)) return false;
    for (int kind = 0; kind < 2; ++kind)
        if (!write_light(c, parent, children, kind)) return false;
    kst_corner_tables(t, p, w->corner_table);
    if (!kst_corner_numbers(t, p, children, w->corner)) w->flags |= RAW_CORNERS;
    return true;
}

// The runs of a record in the order of the stream; which model each is coded by.
static int list_runs(const writing *w, kst_rans_run *runs, kst_record_model *model) {
    int count = 0;
    if (w->flags & HOLES) {
        model[count] = KST_MODEL_COVER;
        runs[count++] = (kst_rans_run){w->hole, w->hole_table, KST_HOLE_NUMBERS, NULL};
    }
    for (int plane = 0; plane < (w->flags & MOVED ? KST_RECORD_PLANES : 1); ++plane) {
        model[count] = plane ? KST_MODEL_SIDEWAYS : KST_MODEL_Y;
        runs[count++] = (kst_rans_run){w->plane[plane].number, w->plane[plane].table, KST_PLANE_NUMBERS, NULL};
    }
    model[count] = KST_MODEL_FORM;
    runs[count++] = (kst_rans_run){w->normal, NULL, w->normal_count, NULL};
    for (int kind = 0; kind < 2; ++kind)
        if (w->flags & (kind ? TRANSPARENCY : OCCLUSION)) {
            model[count] = KST_MODEL_COVER;
            runs[count++] = (kst_rans_run){w->light[kind], w->light_table[kind], KST_LIGHT_NUMBERS, NULL};
        }
    if (!(w->flags & RAW_CORNERS)) {
        model[count] = KST_MODEL_FORM;
        runs[count++] = (kst_rans_run){w->corner, w->corner_table, KST_CORNER_NUMBERS, NULL};
    }
    return count;
}

size_t kst_record_encode_bound(void) {
    return KST_RECORD_HEAD + 2 + kst_compress_bound(RAW_MOST) + STREAM_MOST;
}

size_t kst_record_encode(kst_record_coder *c, const kst_record_tables *t, const kst_record_codes *codes,
                         kst_record_place p, const karst_chunk *parent, const karst_chunk *const children[4],
                         uint8_t *out, size_t room) {
    static const uint8_t load[KST_RANS_LOAD];
    writing *w = c->w;
    KARST_ASSERT(w && p.level >= 0 && p.level < t->level_count - 1);
    if (!make_numbers(c, t, p, parent, children) || room < KST_RECORD_HEAD + 2) return 0;
    kst_out o = {out};
    kst_put_uint(&o, w->flags, 1);
    kst_put_uint(&o, w->wide, 1);
    if (w->flags & RAW_CORNERS) {
        kst_corners_put_raw(t, p, children, c->raw);
        size_t size = kst_compress(c->raw, kst_corners_raw_bytes(t, p), o.at + 2, room - KST_RECORD_HEAD - 2, 3);
        if (!size) return 0;
        kst_put_uint(&o, size, 2);
        o.at += size;
    }
    kst_rans_run runs[RUNS];
    kst_record_model model[RUNS];
    int count = list_runs(w, runs, model);
    for (int r = 0; r < count; ++r) {
        runs[r].codes = &codes->of[model[r]];
        if (!runs[r].table) runs[r].table = c->normal_table;
    }
    size_t head = (size_t)(o.at - out), size = kst_rans_encode(runs, count, load, o.at, room - head);
    return size ? head + size : 0;
}

// ---- reading -------------------------------------------------------------------------------------

typedef struct reading {
    kst_record_coder *c;
    const kst_record_tables *t;
    const kst_record_slots *slots;
    kst_record_place p;
    const karst_chunk *parent;
    extent e;
    unsigned flags, wide;
    kst_unrans u;
    const uint8_t *word;  // where the part began, and its bit
    uint64_t bit;
} reading;

static void count_part(reading *r, double *bits) {
    *bits += 8.0 * (double)(r->u.word - r->word) + (double)(r->u.bit - r->bit);
    r->word = r->u.word;
    r->bit = r->u.bit;
}

static bool read_holes(reading *r) {
    kst_record_coder *c = r->c;
    kst_holes_beyond(r->t, r->p, c->beyond);
    memcpy(c->holes, c->beyond, sizeof c->holes);
    for (int j = 0; j < KARST_CHUNK_CELLS && r->flags & HOLES; ++j) {
        uint16_t table[KARST_CHUNK_CELLS];
        uint32_t number[KARST_CHUNK_CELLS];
        kst_hole_tables(r->parent, c->beyond, c->holes, j, table);
        if (!kst_unrans_row(&r->u, &r->slots->of[KST_MODEL_COVER], table, number)) return false;
        kst_holes_from(number, table, c->beyond, j, c->holes);
    }
    return true;
}

static bool read_plane(reading *r, int plane) {
    kst_record_coder *c = r->c;
    begin_plane(c, r->t, r->p, r->parent, plane, r->e.beyond);
    c->plane.wide = plane ? r->wide >> (plane - 1) & 1 : r->flags & Y_WIDE;
    kst_plane_load(&c->plane, c->coarse, CHUNK);
    const kst_rans_slots *slots = &r->slots->of[plane ? KST_MODEL_SIDEWAYS : KST_MODEL_Y];
    if (!kst_plane_kernels_best()->decode(&c->plane, &r->u, slots)) return false;
    end_plane(c, r->t, &r->e, r->parent, plane);
    return true;
}

static karst_status read_normals(reading *r) {
    kst_record_coder *c = r->c;
    karst_status status = estimate_normals(c, r->t, r->p, &r->e, r->flags & MOVED);
    if (status) return status;
    bool all = r->p.level > 0 || r->flags & ALL_NORMALS;
    place_own_normals(c, r->parent);
    int count = normal_tables(c, r->p, &r->e, all), k = 0;
    if (!kst_unrans_rows(&r->u, &r->slots->of[KST_MODEL_FORM], c->normal_table, c->number, 2 * count))
        return KARST_ERROR_FORMAT;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            if (!normal_is_coded(&r->e, all, i, j)) continue;
            unsigned guess = c->normal[j * SIDE + i];
            c->normal[j * SIDE + i] =
                (uint16_t)(byte_from(c->number[k], guess & 0xff) | byte_from(c->number[count + k], guess >> 8) << 8);
            ++k;
        }
    if (r->e.beyond) kst_step_on16(c->normal, r->e.fx, r->e.fz);
    return KARST_OK;
}

static bool read_light(reading *r, int kind, karst_chunk children[4]) {
    enum { H = KARST_HALF_SIDE, S = KST_LIGHT_SIDE };
    kst_record_coder *c = r->c;
    if (!(r->flags & (kind ? TRANSPARENCY : OCCLUSION))) return true;
    kst_light_tables(light_of(r->parent, kind), c->light, c->table);
    if (!kst_unrans_rows(&r->u, &r->slots->of[KST_MODEL_COVER], c->table, c->number, KST_LIGHT_NUMBERS)) return false;
    for (int k = 0; k < S * S; ++k) c->light[k] = (uint8_t)byte_from(c->number[k], c->light[k]);
    for (int child = 0; child < 4; ++child) {
        if (!kst_record_has(r->t, r->p, child)) continue;
        uint8_t *to = kind ? children[child].transparency : children[child].occlusion;
        const uint8_t *from = c->light + (child >> 1) * (H - 1) * S + (child & 1) * (H - 1);
        for (int j = 0; j < H; ++j) memcpy(to + j * H, from + j * S, H);
    }
    return true;
}

static void place_child(const kst_record_coder *c, int child, bool moved, karst_chunk *out) {
    memset(out, 0, sizeof *out);  // the struct's own padding too, so that equal chunks compare equal as bytes
    int i0 = (child & 1) * KARST_CHUNK_CELLS, j0 = (child >> 1) * KARST_CHUNK_CELLS;
    for (int j = 0; j < CHUNK; ++j) {
        int from = (j0 + j) * SIDE + i0;
        karst_vertex *to = out->vertex + j * CHUNK;
        for (int i = 0; i < CHUNK; ++i)
            to[i] = (karst_vertex){c->y[from + i], moved ? c->d[0][from + i] : 0, moved ? c->d[1][from + i] : 0};
        memcpy(out->normal + j * CHUNK, c->normal + from, CHUNK * sizeof *out->normal);
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) out->hole[j] = c->holes[j0 + j][child & 1];
}

static bool read_corners(reading *r, const uint8_t *raw, size_t raw_size, karst_chunk children[4]) {
    kst_record_coder *c = r->c;
    if (r->flags & RAW_CORNERS)
        return kst_decompress(raw, raw_size, c->raw, kst_corners_raw_bytes(r->t, r->p)) &&
               kst_corners_read_raw(r->t, r->p, c->raw, children);
    kst_corner_tables(r->t, r->p, c->table);
    return kst_unrans_rows(&r->u, &r->slots->of[KST_MODEL_FORM], c->table, c->number, KST_CORNER_NUMBERS) &&
           kst_corners_from(r->t, r->p, c->number, children);
}

karst_status kst_record_decode(kst_record_coder *c, const kst_record_tables *t, const kst_record_slots *slots,
                               kst_record_place p, const karst_chunk *parent, const uint8_t *bytes, size_t size,
                               karst_chunk children[4]) {
    KARST_ASSERT(p.level >= 0 && p.level < t->level_count - 1);
    kst_reader in = {bytes, bytes + size, false};
    reading r = {.c = c, .t = t, .slots = slots, .p = p, .parent = parent};
    r.flags = kst_read_u8(&in), r.wide = kst_read_u8(&in);
    size_t raw_size = r.flags & RAW_CORNERS ? kst_read_u16(&in) : 0;
    const uint8_t *raw = kst_read_bytes(&in, raw_size);
    bool moved = r.flags & MOVED;
    if (in.bad || r.flags > 127 || r.wide > 3 || (moved && !t->displaced) || (!moved && r.wide))
        return KARST_ERROR_FORMAT;
    size_t left = (size_t)(in.end - in.at);
    if (left > STREAM_MOST) return KARST_ERROR_FORMAT;
    if (c->stream_room < left + KST_RANS_PAD) {
        kst_free(c->allocator, c->stream, c->stream_room);
        c->stream_room = left + left / 2 + 4096;
        c->stream = kst_alloc(c->allocator, c->stream_room);
        if (!c->stream) {
            c->stream_room = 0;
            return KARST_ERROR_MEMORY;
        }
    }
    memcpy(c->stream, in.at, left);
    memset(c->stream + left, 0, KST_RANS_PAD);
    if (!kst_unrans_begin(&r.u, c->stream, left)) return KARST_ERROR_FORMAT;
    r.word = r.u.word;
    c->parts = (kst_record_parts){0};
    r.e = extent_of(c, t, p);
    if (!read_holes(&r)) return KARST_ERROR_FORMAT;
    count_part(&r, &c->parts.holes);
    if (!read_plane(&r, 0)) return KARST_ERROR_FORMAT;
    count_part(&r, &c->parts.heights);
    for (int plane = 1; plane < KST_RECORD_PLANES && moved; ++plane)
        if (!read_plane(&r, plane)) return KARST_ERROR_FORMAT;
    count_part(&r, &c->parts.sideways);
    karst_status status = read_normals(&r);
    if (status) return status;
    count_part(&r, &c->parts.normals);
    for (int child = 0; child < 4; ++child)
        if (kst_record_has(t, p, child)) place_child(c, child, moved, &children[child]);
    if (!read_light(&r, 0, children) || !read_light(&r, 1, children)) return KARST_ERROR_FORMAT;
    count_part(&r, &c->parts.light);
    if (!read_corners(&r, raw, raw_size, children)) return KARST_ERROR_FORMAT;
    count_part(&r, &c->parts.corners);
    c->parts.corners += 8.0 * (double)raw_size;
    uint8_t load[KST_RANS_LOAD], any = 0;
    if (!kst_unrans_end(&r.u, load)) return KARST_ERROR_FORMAT;
    for (int k = 0; k < KST_RANS_LOAD; ++k) any |= load[k];
    return any ? KARST_ERROR_FORMAT : KARST_OK;
}

kst_record_parts kst_record_parts_of(const kst_record_coder *c) {
    return c->parts;
}

// ---- learning ------------------------------------------------------------------------------------

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
        extent e = extent_of(c, l->t, p);
        if (!gather_plane(c, plane, f->there) || !set_target(c, l->t, plane)) return KARST_ERROR_ARGUMENT;
        begin_plane(c, l->t, p, &f->parent, plane, e.beyond);
        memcpy(s->known[k], c->known, sizeof s->known[k]);
        s->target[k] = c->w->target;
        s->plane[k].wide = !kst_plane_is_narrow(c->coarse, CHUNK, &c->w->target);
        s->plane[k].base = c->plane.base;
        s->plane[k].known = e.beyond ? s->known[k] : NULL;
        kst_plane_load(&s->plane[k], c->coarse, CHUNK);
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
        if (!make_numbers(c, l->t, p, &f->parent, f->there)) return KARST_ERROR_ARGUMENT;
        kst_rans_run runs[RUNS];
        kst_record_model model[RUNS];
        int run_count = list_runs(c->w, runs, model);
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
