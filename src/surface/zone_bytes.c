// SPDX-License-Identifier: MIT
// A zone as bytes, and bytes as a zone. docs/patch.md tells the layout.
//
// Points that others foretell are stored as what they differ by, mostly a byte or two a coordinate: a handle from the
// third of its chord, an inner point from the parallelogram of its corner. Differences wrap at 16 bits, so any bytes
// give some point; kst_zone_data_check() judges what came out.
//
// Each zone has one encoding: what is read and written again is the same bytes.
#include "surface/zone_record.h"

enum {
    VERSION = 2,
    HEAD_BYTES = 28,
    CORNER_BYTES = 12,
    EDGE_BYTES = 8 + 6,        // at least
    PATCH_BYTES = 2 + 8 + 12,  // at least, its tiles and paint aside
    OPEN_NOT = 0,
    OPEN_ALL = 1,
    OPEN_SOME = 2,
};

static const uint8_t magic[4] = {'K', 'Z', 'O', 'N'};

// ---- points that others foretell ------------------------------------------------------------------------------

// Of an edge that names corners that are not there, nothing is foretold.
static void foretell_handles(const kst_zone_data *data, const kst_edge_data *edge, int32_t out[2][3]) {
    memset(out, 0, 2 * sizeof *out);
    if (edge->corner[0] >= data->corner_count || edge->corner[1] >= data->corner_count) return;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t a = data->corners[edge->corner[0]].at[axis], b = data->corners[edge->corner[1]].at[axis];
        out[0][axis] = a + (b - a) / 3, out[1][axis] = b + (a - b) / 3;
    }
}

static void foretell_inner(const kst_zone_data *data, const kst_patch_data *patch, int32_t out[4][3]) {
    int32_t side[4][4][3];
    memset(out, 0, 4 * sizeof *out);
    for (int k = 0; k < 4; ++k) {
        int32_t edge[4][3];
        uint16_t index = patch->side[k].edge;
        if (index >= data->edge_count || data->edges[index].corner[0] >= data->corner_count ||
            data->edges[index].corner[1] >= data->corner_count)
            return;
        kst_edge_points(data, &data->edges[index], edge);
        kst_side_points((const int32_t(*)[3])edge, patch->side[k].from, patch->side[k].to, side[k]);
    }
    for (int k = 0; k < 4; ++k) {  // (1,1), (2,1), (1,2), (2,2)
        int i = k & 1 ? 2 : 1, j = k & 2 ? 2 : 1, across = k & 2 ? 2 : 0, down = k & 1 ? 1 : 3;
        for (int axis = 0; axis < 3; ++axis)
            out[k][axis] = side[across][i][axis] + side[down][j][axis] - side[across][k & 1 ? 3 : 0][axis];
    }
}

// ---- writing --------------------------------------------------------------------------------------------------

typedef struct sink {
    uint8_t *at, *end;
    size_t size;  // of all that was put, whether or not there was room
} sink;

static void put(sink *s, uint32_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) {
        if (s->at < s->end) *s->at++ = (uint8_t)(value >> (8 * k));
        ++s->size;
    }
}

// What a coordinate differs by: 7 bits a byte, low first, the top bit says that more follow.
static void put_change(sink *s, int16_t value, int32_t foretold) {
    int16_t change = (int16_t)(uint16_t)((uint32_t)value - (uint32_t)foretold);
    uint32_t bits = (uint16_t)((uint16_t)change << 1 ^ (change < 0 ? 0xFFFF : 0));
    for (; bits > 127; bits >>= 7) put(s, (bits & 127) | 128, 1);
    put(s, bits, 1);
}
static void put_point(sink *s, const int16_t at[3], const int32_t foretold[3]) {
    for (int axis = 0; axis < 3; ++axis) put_change(s, at[axis], foretold[axis]);
}

static uint32_t edge_bits(const kst_edge_data *e) {
    uint32_t open = e->open == 0 ? OPEN_NOT : e->open == 0xFF ? OPEN_ALL : OPEN_SOME;
    return e->size[0] | (uint32_t)e->size[1] << 6 | (uint32_t)e->spans_log2 << 12 |
           (uint32_t)(__builtin_ctz(e->tiles) - 1) << 14 | (uint32_t)e->crease << 17 | open << 18;
}

static uint32_t patch_bits(const kst_patch_data *p) {
    bool parts = false;
    for (int k = 0; k < 4; ++k) parts |= p->side[k].from != 0 || p->side[k].to != 8;
    return p->size | (uint32_t)(p->tiles_log2[0] - 1) << 6 | (uint32_t)(p->tiles_log2[1] - 1) << 8 |
           (uint32_t)p->noise_turn << 10 | (uint32_t)p->noise_set << 12 | (uint32_t)parts << 15;
}

// What is painted, where it is not all of the noise set and plain: sets two a byte, a row beginning anew, then tints.
static void put_paint(sink *s, const kst_patch_data *p) {
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
    bool sets = false, tints = false;
    for (int j = 0; j <= down; ++j)
        for (int i = 0; i <= across; ++i) sets |= p->set[17 * j + i] != p->noise_set, tints |= p->tint[17 * j + i] != 0;
    put(s, (uint32_t)sets | (uint32_t)tints << 1, 1);
    for (int j = 0; j <= down && sets; ++j)
        for (int i = 0; i <= across; i += 2)
            put(s, p->set[17 * j + i] | (i < across ? (uint32_t)p->set[17 * j + i + 1] << 4 : 0), 1);
    for (int j = 0; j <= down && tints; ++j)
        for (int i = 0; i <= across; ++i) put(s, p->tint[17 * j + i], 2);
}

size_t karst_zone_write(const karst_zone *zone, void *out, size_t room) {
    const kst_zone_data *data = &zone->record->data;
    sink s = {out, out ? (uint8_t *)out + room : NULL, 0};
    for (int k = 0; k < 4; ++k) put(&s, magic[k], 1);
    put(&s, VERSION, 1), put(&s, (uint32_t)data->step_log2, 1), put(&s, data->reach, 1), put(&s, 0, 1);
    put(&s, (uint32_t)data->zone_x, 4), put(&s, (uint32_t)data->zone_z, 4);
    put(&s, (uint32_t)(data->bias[1] / (1 << -data->step_log2)), 4);  // x and z follow from the cell
    put(&s, data->corner_count, 2), put(&s, data->edge_count, 2), put(&s, data->patch_count, 2), put(&s, 0, 2);
    for (uint32_t k = 0; k < data->corner_count; ++k) {
        const kst_corner_data *c = &data->corners[k];
        for (int axis = 0; axis < 3; ++axis) put(&s, (uint16_t)c->at[axis], 2);
        put(&s, (uint16_t)c->facing[0], 2), put(&s, (uint16_t)c->facing[1], 2);
        put(&s, c->radius, 1), put(&s, (uint8_t)c->noise, 1);
    }
    for (uint32_t k = 0; k < data->edge_count; ++k) {
        const kst_edge_data *e = &data->edges[k];
        uint32_t bits = edge_bits(e);
        int32_t foretold[2][3];
        put(&s, e->corner[0], 2), put(&s, e->corner[1], 2), put(&s, bits, 3), put(&s, e->noise, 1);
        if (bits >> 18 == OPEN_SOME) put(&s, e->open, 1);
        for (int i = 0; i < (1 << e->spans_log2) - 1; ++i) put(&s, data->inside[e->inside + (uint32_t)i], 2);
        foretell_handles(data, e, foretold);
        for (int i = 0; i < 2; ++i) put_point(&s, e->handle[i], foretold[i]);
    }
    for (uint32_t k = 0; k < data->patch_count; ++k) {
        const kst_patch_data *p = &data->patches[k];
        uint32_t bits = patch_bits(p);
        int32_t foretold[4][3];
        put(&s, bits, 2);
        for (int i = 0; i < 4; ++i) put(&s, p->side[i].edge, 2);
        for (int i = 0; i < 4 && bits >> 15; ++i) put(&s, p->side[i].from | (uint32_t)p->side[i].to << 4, 1);
        foretell_inner(data, p, foretold);
        for (int i = 0; i < 4; ++i) put_point(&s, p->inner[i], foretold[i]);
    }
    // Tiles last: two a byte, the even one low.
    for (uint32_t k = 0; k < data->patch_count; ++k) {
        const kst_patch_data *p = &data->patches[k];
        for (int j = 0; j < 1 << p->tiles_log2[1]; ++j)
            for (int i = 0; i < 1 << p->tiles_log2[0]; i += 2) {
                const uint8_t *slot = &p->slot[KARST_NET_TILES_MAX * j + i];
                put(&s, slot[0] | (uint32_t)slot[1] << 4, 1);
            }
    }
    for (uint32_t k = 0; k < data->patch_count; ++k) put_paint(&s, &data->patches[k]);
    return s.size;
}

// ---- reading --------------------------------------------------------------------------------------------------

// Bits beyond 16, and a last byte that says nothing, are no encoding.
static int16_t read_change(kst_reader *r, int32_t foretold) {
    uint32_t bits = 0, byte = 128;
    for (int shift = 0; byte & 128 && !r->bad; shift += 7) {
        byte = kst_read_u8(r);
        if ((shift == 14 && byte > 3) || (shift && !byte)) r->bad = true;
        bits |= (byte & 127) << shift;
    }
    uint32_t change = bits >> 1 ^ (0 - (bits & 1));
    return (int16_t)(uint16_t)((uint32_t)foretold + change);
}
static void read_point(kst_reader *r, const int32_t foretold[3], int16_t out[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = read_change(r, foretold[axis]);
}

static karst_status read_head(kst_reader *r, kst_zone_data *data, bool *painted, karst_report *report) {
    size_t size = (size_t)(r->end - r->at);
    if (size < HEAD_BYTES)
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "a zone has %d bytes before its corners, these are %zu; get it anew", HEAD_BYTES, size);
    if (memcmp(kst_read_bytes(r, 4), magic, 4))
        return kst_fail(report, KARST_ERROR_FORMAT, "these bytes do not begin as a zone does, with KZON; get it anew");
    int version = kst_read_u8(r);
    if (version < 1 || version > VERSION)
        return kst_fail(report, KARST_ERROR_VERSION, "a zone of version %d, this Karst reads 1 to %d; bake it again",
                        version, VERSION);
    *painted = version > 1;
    data->step_log2 = (int8_t)kst_read_u8(r);
    data->reach = kst_read_u8(r);
    int zero = kst_read_u8(r);
    data->zone_x = kst_read_i32(r), data->zone_z = kst_read_i32(r);
    int32_t metres = kst_read_i32(r);
    data->corner_count = kst_read_u16(r), data->edge_count = kst_read_u16(r), data->patch_count = kst_read_u16(r);
    zero |= kst_read_u16(r);
    if (zero)
        return kst_fail(report, KARST_ERROR_FORMAT, "zone %d, %d: bytes that should be zero are not; get it anew",
                        data->zone_x, data->zone_z);
    karst_status status = kst_zone_bias(data, metres, report);
    if (status) return status;
    size_t least = (size_t)data->corner_count * CORNER_BYTES + (size_t)data->edge_count * EDGE_BYTES +
                   (size_t)data->patch_count * PATCH_BYTES;
    if (least > size - HEAD_BYTES)
        return kst_fail(
            report, KARST_ERROR_FORMAT,
            "zone %d, %d: %u corners, %u edges and %u patches take %zu bytes or more, %zu are there; get it "
            "anew",
            data->zone_x, data->zone_z, data->corner_count, data->edge_count, data->patch_count, least,
            size - HEAD_BYTES);
    return KARST_OK;
}

static void read_corners(kst_reader *r, kst_zone_data *data) {
    for (uint32_t k = 0; k < data->corner_count; ++k) {
        kst_corner_data *c = &data->corners[k];
        for (int axis = 0; axis < 3; ++axis) c->at[axis] = (int16_t)kst_read_u16(r);
        c->facing[0] = (int16_t)kst_read_u16(r), c->facing[1] = (int16_t)kst_read_u16(r);
        c->radius = kst_read_u8(r), c->noise = (int8_t)kst_read_u8(r);
    }
}

// `inside` has room for seven a edge.
static void read_edges(kst_reader *r, kst_zone_data *data, uint16_t *inside) {
    for (uint32_t k = 0; k < data->edge_count && !r->bad; ++k) {
        kst_edge_data *e = &data->edges[k];
        int32_t foretold[2][3];
        e->corner[0] = kst_read_u16(r), e->corner[1] = kst_read_u16(r);
        uint32_t bits = (uint32_t)kst_read_uint(r, 3), open = bits >> 18;
        e->size[0] = bits & 63, e->size[1] = bits >> 6 & 63;
        e->spans_log2 = bits >> 12 & 3, e->tiles = (uint8_t)(2u << (bits >> 14 & 7)), e->crease = bits >> 17 & 1;
        e->noise = kst_read_u8(r);
        e->open = open == OPEN_SOME ? kst_read_u8(r) : open == OPEN_ALL ? 0xFF : 0;
        if (open > OPEN_SOME || (open == OPEN_SOME && (e->open == 0 || e->open == 0xFF))) r->bad = true;
        e->inside = data->inside_count;
        for (int i = 0; i < (1 << e->spans_log2) - 1; ++i) inside[data->inside_count++] = kst_read_u16(r);
        foretell_handles(data, e, foretold);
        for (int i = 0; i < 2; ++i) read_point(r, foretold[i], e->handle[i]);
    }
}

// Paint that says nothing is no encoding; version 1 has none.
static void read_paint(kst_reader *r, bool painted, kst_patch_data *p) {
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
    uint32_t what = painted ? kst_read_u8(r) : 0;
    bool sets = false, tints = false;
    if (what > 3) r->bad = true;
    for (int j = 0; j <= down; ++j)
        for (int i = 0; i <= across; i += 2) {
            uint8_t *set = &p->set[17 * j + i], pair = what & 1 ? kst_read_u8(r) : p->noise_set * 17;
            set[0] = pair & 15;
            if (i < across)
                set[1] = pair >> 4;
            else if (what & 1 && pair >> 4)
                r->bad = true;
            sets |= set[0] != p->noise_set || (i < across && set[1] != p->noise_set);
        }
    for (int j = 0; j <= down && what & 2; ++j)
        for (int i = 0; i <= across; ++i) tints |= (p->tint[17 * j + i] = kst_read_u16(r)) != 0;
    if (sets != (what & 1) || tints != (what >> 1)) r->bad = true;
}

static void read_patches(kst_reader *r, kst_zone_data *data, bool painted) {
    for (uint32_t k = 0; k < data->patch_count && !r->bad; ++k) {
        kst_patch_data *p = &data->patches[k];
        int32_t foretold[4][3];
        uint32_t bits = kst_read_u16(r);
        bool parts = bits >> 15, whole = true;
        p->size = bits & 63;
        p->tiles_log2[0] = (bits >> 6 & 3) + 1, p->tiles_log2[1] = (bits >> 8 & 3) + 1;
        p->noise_turn = bits >> 10 & 3, p->noise_set = bits >> 12 & 7;
        for (int i = 0; i < 4; ++i) p->side[i].edge = kst_read_u16(r), p->side[i].from = 0, p->side[i].to = 8;
        for (int i = 0; i < 4 && parts; ++i) {
            uint8_t part = kst_read_u8(r);
            p->side[i].from = part & 15, p->side[i].to = part >> 4;
            whole &= part == 8 << 4;
        }
        if (parts && whole) r->bad = true;
        foretell_inner(data, p, foretold);
        for (int i = 0; i < 4; ++i) read_point(r, foretold[i], p->inner[i]);
    }
    for (uint32_t k = 0; k < data->patch_count && !r->bad; ++k) {
        kst_patch_data *p = &data->patches[k];
        for (int j = 0; j < 1 << p->tiles_log2[1]; ++j)
            for (int i = 0; i < 1 << p->tiles_log2[0]; i += 2) {
                uint8_t *slot = &p->slot[KARST_NET_TILES_MAX * j + i], pair = kst_read_u8(r);
                slot[0] = pair & 15, slot[1] = pair >> 4;
            }
    }
    for (uint32_t k = 0; k < data->patch_count && !r->bad; ++k) read_paint(r, painted, &data->patches[k]);
}

static karst_status read_arrays(kst_reader *r, kst_zone_data *data, bool painted, const karst_allocator *allocator,
                                karst_report *report) {
    size_t inside_room = 7 * (size_t)data->edge_count + 1;
    uint16_t *inside = kst_alloc_array(allocator, inside_room, sizeof *inside);
    data->corners = kst_alloc_array(allocator, data->corner_count + 1, sizeof *data->corners);
    data->edges = kst_alloc_array(allocator, data->edge_count + 1, sizeof *data->edges);
    data->patches = kst_alloc_array(allocator, data->patch_count + 1, sizeof *data->patches);
    karst_status status = KARST_ERROR_MEMORY;
    if (inside && data->corners && data->edges && data->patches) {
        memset(data->patches, 0, (data->patch_count + 1) * sizeof *data->patches);
        read_corners(r, data);
        read_edges(r, data, inside);
        read_patches(r, data, painted);
        data->inside = kst_alloc_array(allocator, data->inside_count + 1, sizeof *data->inside);
        if (data->inside) {
            memcpy(data->inside, inside, data->inside_count * sizeof *inside);
            status = KARST_OK;
        }
    }
    kst_free(allocator, inside, inside_room * sizeof *inside);
    if (!status && (r->bad || r->at != r->end))
        status =
            kst_fail(report, KARST_ERROR_FORMAT, "zone %d, %d: its bytes %s; get it anew", data->zone_x, data->zone_z,
                     r->bad ? "end too early or hold what is never written" : "go on after its paint");
    return status;
}

karst_status karst_zone_read(const void *bytes, size_t size, const karst_noise_bank *bank,
                             const karst_allocator *allocator, karst_report *report, karst_zone **out) {
    kst_reader r = {bytes, (const uint8_t *)bytes + size, false};
    kst_zone_data data = {0};
    bool painted = false;
    karst_status status = read_head(&r, &data, &painted, report);
    if (!status) status = read_arrays(&r, &data, painted, allocator, report);
    if (!status) status = kst_zone_data_check(&data, allocator, report);
    if (!status) return kst_zone_build(&data, bank, allocator, report, out);
    kst_zone_data_free(&data, allocator);
    return status;
}
