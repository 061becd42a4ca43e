// SPDX-License-Identifier: MIT
// Records: bytes to numbers, and numbers to chunks.
#include "pack/record_coder.h"

typedef struct reading {
    kst_record_coder *c;
    const kst_record_tables *t;
    const kst_record_slots *slots;
    kst_record_place p;
    const karst_chunk *parent;
    kst_record_extent e;
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
    for (int j = 0; j < KARST_CHUNK_CELLS && r->flags & KST_RECORD_HOLES; ++j) {
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
    kst_record_begin_plane(c, r->t, r->p, r->parent, plane, r->e.beyond);
    c->plane.wide = plane ? r->wide >> (plane - 1) & 1 : r->flags & KST_RECORD_Y_WIDE;
    kst_plane_load(&c->plane, c->coarse, KST_RECORD_CHUNK);
    const kst_rans_slots *slots = &r->slots->of[plane ? KST_MODEL_SIDEWAYS : KST_MODEL_Y];
    if (!kst_plane_kernels_best()->decode(&c->plane, &r->u, slots)) return false;
    kst_record_end_plane(c, r->t, &r->e, r->parent, plane);
    return true;
}

static karst_status read_normals(reading *r) {
    kst_record_coder *c = r->c;
    karst_status status = kst_record_estimate_normals(c, r->t, r->p, &r->e, r->flags & KST_RECORD_MOVED);
    if (status) return status;
    bool all = r->p.level > 0 || r->flags & KST_RECORD_ALL_NORMALS;
    kst_record_place_own_normals(c, r->parent);
    int count = kst_record_normal_tables(c, r->p, &r->e, all), k = 0;
    if (!kst_unrans_rows(&r->u, &r->slots->of[KST_MODEL_FORM], c->normal_table, c->number, 2 * count))
        return KARST_ERROR_FORMAT;
    for (int j = 0; j < KST_RECORD_SIDE; ++j)
        for (int i = 0; i < KST_RECORD_SIDE; ++i) {
            if (!kst_record_normal_is_coded(&r->e, all, i, j)) continue;
            unsigned guess = c->normal[j * KST_RECORD_SIDE + i];
            c->normal[j * KST_RECORD_SIDE + i] = (uint16_t)(kst_byte_from(c->number[k], guess & 0xff) |
                                                            kst_byte_from(c->number[count + k], guess >> 8) << 8);
            ++k;
        }
    if (r->e.beyond) kst_step_on16(c->normal, r->e.fx, r->e.fz);
    return KARST_OK;
}

static bool read_light(reading *r, int kind, karst_chunk children[4]) {
    enum { H = KARST_HALF_SIDE, S = KST_LIGHT_SIDE };
    kst_record_coder *c = r->c;
    if (!(r->flags & (kind ? KST_RECORD_TRANSPARENCY : KST_RECORD_OCCLUSION))) return true;
    kst_light_tables(kst_light_of(r->parent, kind), c->light, c->table);
    if (!kst_unrans_rows(&r->u, &r->slots->of[KST_MODEL_COVER], c->table, c->number, KST_LIGHT_NUMBERS)) return false;
    for (int k = 0; k < S * S; ++k) c->light[k] = (uint8_t)kst_byte_from(c->number[k], c->light[k]);
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
    for (int j = 0; j < KST_RECORD_CHUNK; ++j) {
        int from = (j0 + j) * KST_RECORD_SIDE + i0;
        karst_vertex *to = out->vertex + j * KST_RECORD_CHUNK;
        for (int i = 0; i < KST_RECORD_CHUNK; ++i)
            to[i] = (karst_vertex){c->y[from + i], moved ? c->d[0][from + i] : 0, moved ? c->d[1][from + i] : 0};
        memcpy(out->normal + j * KST_RECORD_CHUNK, c->normal + from, KST_RECORD_CHUNK * sizeof *out->normal);
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) out->hole[j] = c->holes[j0 + j][child & 1];
}

static bool read_corners(reading *r, const uint8_t *raw, size_t raw_size, karst_chunk children[4]) {
    kst_record_coder *c = r->c;
    if (r->flags & KST_RECORD_RAW_CORNERS)
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
    size_t raw_size = r.flags & KST_RECORD_RAW_CORNERS ? kst_read_u16(&in) : 0;
    const uint8_t *raw = kst_read_bytes(&in, raw_size);
    bool moved = r.flags & KST_RECORD_MOVED;
    if (in.bad || r.flags > 127 || r.wide > 3 || (moved && !t->displaced) || (!moved && r.wide))
        return KARST_ERROR_FORMAT;
    size_t left = (size_t)(in.end - in.at);
    if (left > KST_RECORD_STREAM_MOST) return KARST_ERROR_FORMAT;
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
    r.e = kst_record_extent_of(c, t, p);
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
