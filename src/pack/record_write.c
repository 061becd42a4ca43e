// SPDX-License-Identifier: MIT
// Records: chunks to numbers, and numbers to bytes. What was written is compared with what a reader will have.
#include "pack/record_coder.h"

// A value of all children at every fine vertex; false where two that share one differ, or the node's own does. What
// children that are not there would have repeats what is.
#define GATHER(out, type, expression)                                                                 \
    do {                                                                                              \
        for (int child = 0; child < 4; ++child) {                                                     \
            const karst_chunk *from = children[child];                                                \
            if (!from) continue;                                                                      \
            int i0 = (child & 1) * KARST_CHUNK_CELLS, j0 = (child >> 1) * KARST_CHUNK_CELLS;          \
            for (int j = 0; j < KST_RECORD_CHUNK; ++j)                                                \
                for (int i = 0; i < KST_RECORD_CHUNK; ++i) {                                          \
                    int k = j * KST_RECORD_CHUNK + i, at = (j0 + j) * KST_RECORD_SIDE + i0 + i;       \
                    type v = (type)(expression);                                                      \
                    bool seen = (i == 0 && (child & 1)) || (j == 0 && (child >> 1));                  \
                    if (seen && (out)[at] != v) return false;                                         \
                    (out)[at] = v;                                                                    \
                }                                                                                     \
        }                                                                                             \
        for (int j = 0; j < KST_RECORD_SIDE && !children[1]; ++j)                                     \
            for (int i = KST_RECORD_CHUNK; i < KST_RECORD_SIDE; ++i)                                  \
                (out)[j * KST_RECORD_SIDE + i] = (out)[j * KST_RECORD_SIDE + KST_RECORD_CHUNK - 1];   \
        for (int j = KST_RECORD_CHUNK; j < KST_RECORD_SIDE && !children[2]; ++j)                      \
            for (int i = 0; i < KST_RECORD_SIDE; ++i)                                                 \
                (out)[j * KST_RECORD_SIDE + i] = (out)[(KST_RECORD_CHUNK - 1) * KST_RECORD_SIDE + i]; \
    } while (0)

bool kst_record_gather_plane(kst_record_coder *c, int plane, const karst_chunk *const children[4]) {
    GATHER(c->w->wanted, int32_t, kst_record_component(&from->vertex[k], plane));
    return true;
}
static bool gather_normals(kst_record_coder *c, const karst_chunk *const children[4]) {
    GATHER(c->w->wanted_normal, uint16_t, from->normal[k]);
    return true;
}

// Target of a plane, from what was gathered. False when a height is no multiple of the step.
bool kst_record_set_target(kst_record_coder *c, const kst_record_tables *t, int plane) {
    uint32_t odd = 0, mask = plane ? 0 : (1u << t->y_shift) - 1;
    for (int k = 0; k < KST_FINE_VERTICES; ++k) {
        uint32_t v = (uint32_t)c->w->wanted[k] - (plane ? 0 : (uint32_t)t->y_low);
        odd |= v & mask;
        c->fine[k] = plane ? (int32_t)v : (int32_t)v >> t->y_shift;
    }
    kst_plane_sort(c->fine, KST_RECORD_SIDE, &c->w->target);
    return !odd;
}

static bool write_plane(kst_record_coder *c, const kst_record_tables *t, kst_record_place p, const kst_record_extent *e,
                        const karst_chunk *parent, const karst_chunk *const children[4], int plane) {
    kst_record_writing *w = c->w;
    if (!kst_record_gather_plane(c, plane, children) || !kst_record_set_target(c, t, plane)) return false;
    kst_record_begin_plane(c, t, p, parent, plane, e->beyond);
    c->plane.wide = !kst_plane_is_narrow(c->coarse, KST_RECORD_CHUNK, &w->target);
    if (c->plane.wide && plane) w->wide |= 1u << (plane - 1);
    if (c->plane.wide && !plane) w->flags |= KST_RECORD_Y_WIDE;
    kst_plane_load(&c->plane, c->coarse, KST_RECORD_CHUNK);
    const kst_plane_kernels *kernels = kst_plane_kernels_best();
    for (int pass = 0; pass < KST_PASSES; ++pass) kernels->encode(&c->plane, &w->target, pass, &w->plane[plane]);
    kst_record_end_plane(c, t, e, parent, plane);
    for (int k = 0; k < KST_FINE_VERTICES; ++k)
        if ((plane ? c->d[plane - 1][k] : c->y[k]) != w->wanted[k]) return false;
    return true;
}

static bool any_moved(const karst_chunk *parent, const karst_chunk *const children[4]) {
    int32_t moved = 0;
    for (int child = -1; child < 4; ++child) {
        const karst_chunk *from = child < 0 ? parent : children[child];
        for (int k = 0; from && k < KST_RECORD_CHUNK * KST_RECORD_CHUNK; ++k)
            moved |= from->vertex[k].dx | from->vertex[k].dz;
    }
    return moved != 0;
}

static bool write_holes(kst_record_coder *c, const kst_record_tables *t, kst_record_place p, const karst_chunk *parent,
                        const karst_chunk *const children[4]) {
    kst_record_writing *w = c->w;
    kst_holes_beyond(t, p, c->beyond);
    kst_hole_grid wanted;
    uint64_t any = 0;
    for (int j = 0; j < KST_RECORD_LAST; ++j)
        for (int s = 0; s < 2; ++s) {
            const karst_chunk *from = children[j / KARST_CHUNK_CELLS * 2 + s];
            wanted[j][s] = from ? from->hole[j % KARST_CHUNK_CELLS] : ~UINT64_C(0);
            any |= wanted[j][s] ^ c->beyond[j][s];
        }
    if (any) w->flags |= KST_RECORD_HOLES;
    for (int j = 0; j < KARST_CHUNK_CELLS && any; ++j) {
        uint16_t *table = w->hole_table + j * KARST_CHUNK_CELLS;
        uint32_t *number = w->hole + j * KARST_CHUNK_CELLS;
        kst_hole_tables(parent, c->beyond, c->holes, j, table);
        kst_hole_numbers(wanted, j, table, number);
        kst_holes_from(number, table, c->beyond, j, c->holes);
    }
    return !any || !memcmp(wanted, c->holes, sizeof wanted);
}

static bool write_normals(kst_record_coder *c, const kst_record_tables *t, kst_record_place p,
                          const kst_record_extent *e, const karst_chunk *parent, const karst_chunk *const children[4]) {
    kst_record_writing *w = c->w;
    if (!gather_normals(c, children) || kst_record_estimate_normals(c, t, p, e, w->flags & KST_RECORD_MOVED))
        return false;
    bool all = p.level > 0;
    kst_record_place_own_normals(c, parent);
    for (int j = 0; j < KST_RECORD_SIDE && !all; ++j)
        for (int i = 0; i < KST_RECORD_SIDE; ++i) {
            bool given = (!(i & 1) && !(j & 1)) || (e->beyond && kst_plane_is_copy(i, j, e->fx, e->fz));
            if (!given && !kst_record_normal_is_coded(e, false, i, j))
                all |= c->normal[j * KST_RECORD_SIDE + i] != w->wanted_normal[j * KST_RECORD_SIDE + i];
        }
    if (all && !p.level) w->flags |= KST_RECORD_ALL_NORMALS;
    int count = kst_record_normal_tables(c, p, e, all), k = 0;
    memset(w->normal, 0, sizeof w->normal);
    for (int j = 0; j < KST_RECORD_SIDE; ++j)
        for (int i = 0; i < KST_RECORD_SIDE; ++i) {
            if (!kst_record_normal_is_coded(e, all, i, j)) continue;
            unsigned guess = c->normal[j * KST_RECORD_SIDE + i], is = w->wanted_normal[j * KST_RECORD_SIDE + i];
            w->normal[k] = kst_byte_number(is & 0xff, guess & 0xff);
            w->normal[count + k++] = kst_byte_number(is >> 8, guess >> 8);
            c->normal[j * KST_RECORD_SIDE + i] = (uint16_t)is;
        }
    w->normal_count = 2 * count;
    if (e->beyond) kst_step_on16(c->normal, e->fx, e->fz);
    return !memcmp(c->normal, w->wanted_normal, sizeof c->normal);
}

static bool write_light(kst_record_coder *c, const karst_chunk *parent, const karst_chunk *const children[4],
                        int kind) {
    enum { H = KARST_HALF_SIDE, S = KST_LIGHT_SIDE };
    kst_record_writing *w = c->w;
    uint8_t wanted[S * S] = {0};
    unsigned any = 0;
    for (int k = 0; k < H * H; ++k) any |= kst_light_of(parent, kind)[k];
    for (int child = 0; child < 4; ++child) {
        if (!children[child]) continue;
        for (int k = 0; k < H * H; ++k) {
            int i = k % H, j = k / H, at = (j + (child >> 1) * (H - 1)) * S + i + (child & 1) * (H - 1);
            bool seen = (i == 0 && (child & 1)) || (j == 0 && (child >> 1));
            uint8_t v = kst_light_of(children[child], kind)[k];
            if (seen && wanted[at] != v) return false;
            wanted[at] = v;
            any |= v;
        }
    }
    if (!any) return true;
    w->flags |= kind ? KST_RECORD_TRANSPARENCY : KST_RECORD_OCCLUSION;
    kst_light_tables(kst_light_of(parent, kind), c->light, w->light_table[kind]);
    memset(w->light[kind], 0, sizeof w->light[kind]);
    for (int k = 0; k < S * S; ++k) {
        bool there = children[(k % S >= H) + 2 * (k / S >= H)] != NULL;
        bool given = w->light_table[kind][k] == KST_RANS_NOTHING;
        if (given && there && c->light[k] != wanted[k]) return false;
        if (!given && there) w->light[kind][k] = kst_byte_number(wanted[k], c->light[k]);
    }
    return true;
}

// All numbers of a record. False when the chunks do not agree.
bool kst_record_make_numbers(kst_record_coder *c, const kst_record_tables *t, kst_record_place p,
                             const karst_chunk *parent, const karst_chunk *const children[4]) {
    kst_record_writing *w = c->w;
    w->flags = w->wide = 0;
    for (int child = 0; child < 4; ++child)
        if (!children[child] == kst_record_has(t, p, child)) return false;
    kst_record_extent e = kst_record_extent_of(c, t, p);
    bool moved = any_moved(parent, children);
    if (moved && !t->displaced) return false;
    if (moved) w->flags |= KST_RECORD_MOVED;
    if (!write_holes(c, t, p, parent, children)) return false;
    for (int plane = 0; plane < (moved ? KST_RECORD_PLANES : 1); ++plane)
        if (!write_plane(c, t, p, &e, parent, children, plane)) return false;
    if (!write_normals(c, t, p, &e, parent, children)) return false;
    for (int kind = 0; kind < 2; ++kind)
        if (!write_light(c, parent, children, kind)) return false;
    kst_corner_tables(t, p, w->corner_table);
    if (!kst_corner_numbers(t, p, children, w->corner)) w->flags |= KST_RECORD_RAW_CORNERS;
    return true;
}

// The runs of a record in the order of the stream; which model each is coded by.
int kst_record_list_runs(const kst_record_writing *w, kst_rans_run *runs, kst_record_model *model) {
    int count = 0;
    if (w->flags & KST_RECORD_HOLES) {
        model[count] = KST_MODEL_COVER;
        runs[count++] = (kst_rans_run){w->hole, w->hole_table, KST_HOLE_NUMBERS, NULL};
    }
    for (int plane = 0; plane < (w->flags & KST_RECORD_MOVED ? KST_RECORD_PLANES : 1); ++plane) {
        model[count] = plane ? KST_MODEL_SIDEWAYS : KST_MODEL_Y;
        runs[count++] = (kst_rans_run){w->plane[plane].number, w->plane[plane].table, KST_PLANE_NUMBERS, NULL};
    }
    model[count] = KST_MODEL_FORM;
    runs[count++] = (kst_rans_run){w->normal, NULL, w->normal_count, NULL};
    for (int kind = 0; kind < 2; ++kind)
        if (w->flags & (kind ? KST_RECORD_TRANSPARENCY : KST_RECORD_OCCLUSION)) {
            model[count] = KST_MODEL_COVER;
            runs[count++] = (kst_rans_run){w->light[kind], w->light_table[kind], KST_LIGHT_NUMBERS, NULL};
        }
    if (!(w->flags & KST_RECORD_RAW_CORNERS)) {
        model[count] = KST_MODEL_FORM;
        runs[count++] = (kst_rans_run){w->corner, w->corner_table, KST_CORNER_NUMBERS, NULL};
    }
    return count;
}

size_t kst_record_encode_bound(void) {
    return KST_RECORD_HEAD + 2 + kst_compress_bound(KST_RECORD_RAW_MOST) + KST_RECORD_STREAM_MOST;
}

size_t kst_record_encode(kst_record_coder *c, const kst_record_tables *t, const kst_record_codes *codes,
                         kst_record_place p, const karst_chunk *parent, const karst_chunk *const children[4],
                         uint8_t *out, size_t room) {
    static const uint8_t load[KST_RANS_LOAD];
    kst_record_writing *w = c->w;
    KARST_ASSERT(w && p.level >= 0 && p.level < t->level_count - 1);
    if (!kst_record_make_numbers(c, t, p, parent, children) || room < KST_RECORD_HEAD + 2) return 0;
    kst_out o = {out};
    kst_put_uint(&o, w->flags, 1);
    kst_put_uint(&o, w->wide, 1);
    if (w->flags & KST_RECORD_RAW_CORNERS) {
        kst_corners_put_raw(t, p, children, c->raw);
        size_t size = kst_compress(c->raw, kst_corners_raw_bytes(t, p), o.at + 2, room - KST_RECORD_HEAD - 2, 3);
        if (!size) return 0;
        kst_put_uint(&o, size, 2);
        o.at += size;
    }
    kst_rans_run runs[KST_RECORD_RUNS];
    kst_record_model model[KST_RECORD_RUNS];
    int count = kst_record_list_runs(w, runs, model);
    for (int r = 0; r < count; ++r) {
        runs[r].codes = &codes->of[model[r]];
        if (!runs[r].table) runs[r].table = c->normal_table;
    }
    size_t head = (size_t)(o.at - out), size = kst_rans_encode(runs, count, load, o.at, room - head);
    return size ? head + size : 0;
}
