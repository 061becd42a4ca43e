// SPDX-License-Identifier: MIT
// A zone as bytes, and bytes as a zone. docs/patch.md tells the layout.
//
// Points that others foretell are stored as what they differ by, mostly a byte or two a coordinate: a handle from the
// third of its chord, an inner point from the parallelogram of its corner. Differences wrap at 16 bits, so any bytes
// give some point; kst_zone_data_check() judges what came out.
//
// Pins are more than 16 bits from the bias: they differ by up to 32 from what foretells them, a corner's from its
// place, a seam's from the line between its ends.
//
// Each zone has one encoding: what is read and written again is the same bytes.
#include "surface/zone_record.h"

enum {
    VERSION = 3,
    HEAD_BYTES = 28,
    CORNER_BYTES = 12,
    EDGE_BYTES = 8 + 6,        // at least
    PATCH_BYTES = 2 + 8 + 12,  // at least, its tiles and paint aside
    PIN_BYTES = 2 + 3,         // of a pinned corner, at least
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

// Pin k of a seam, from those of its ends.
static void foretell_pin(const kst_zone_data *data, const kst_edge_data *edge, int k, int32_t out[3]) {
    const int32_t *a = data->corners[edge->corner[0]].pin, *b = data->corners[edge->corner[1]].pin;
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = (int32_t)(a[axis] + ((int64_t)b[axis] - a[axis]) * k / edge->tiles);
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

// 7 bits a byte, low first, the top bit says that more follow.
static void put_bits(sink *s, uint32_t bits) {
    for (; bits > 127; bits >>= 7) put(s, (bits & 127) | 128, 1);
    put(s, bits, 1);
}

// What a coordinate differs by.
static void put_change(sink *s, int16_t value, int32_t foretold) {
    int16_t change = (int16_t)(uint16_t)((uint32_t)value - (uint32_t)foretold);
    put_bits(s, (uint16_t)((uint16_t)change << 1 ^ (change < 0 ? 0xFFFF : 0)));
}
static void put_point(sink *s, const int16_t at[3], const int32_t foretold[3]) {
    for (int axis = 0; axis < 3; ++axis) put_change(s, at[axis], foretold[axis]);
}

static void put_pin(sink *s, const int32_t pin[3], const int32_t foretold[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t change = (uint32_t)pin[axis] - (uint32_t)foretold[axis];
        put_bits(s, change << 1 ^ (change >> 31 ? UINT32_MAX : 0));
    }
}

// Which corners have pins, and where; their number is in the head.
static uint32_t pinned_corners(const kst_zone_data *data) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < data->corner_count; ++k) count += data->corners[k].pinned;
    return count;
}
static void put_pinned(sink *s, const kst_zone_data *data) {
    for (uint32_t k = 0; k < data->corner_count; ++k) {
        const kst_corner_data *c = &data->corners[k];
        if (!c->pinned) continue;
        put(s, k, 2);
        put_pin(s, c->pin,
                (const int32_t[3]){c->at[0] * KARST_NET_FINE, c->at[1] * KARST_NET_FINE, c->at[2] * KARST_NET_FINE});
    }
}
static void put_seam(sink *s, const kst_zone_data *data, const kst_edge_data *e) {
    put(s, (uint32_t)e->column, 4), put(s, (uint32_t)e->row, 4);
    for (int k = 1; k < e->tiles; ++k) {
        int32_t foretold[3];
        foretell_pin(data, e, k, foretold);
        put_pin(s, data->pins[e->pin + (uint32_t)k], foretold);
    }
}

static uint32_t edge_bits(const kst_edge_data *e) {
    uint32_t open = e->open == 0 ? OPEN_NOT : e->open == 0xFF ? OPEN_ALL : OPEN_SOME;
    return e->size[0] | (uint32_t)e->size[1] << 6 | (uint32_t)e->spans_log2 << 12 |
           (uint32_t)(__builtin_ctz(e->tiles) - 1) << 14 | (uint32_t)e->crease << 17 | open << 18 |
           (uint32_t)e->seam << 20;
}

static uint32_t patch_bits(const kst_patch_data *p) {
    bool parts = false;
    for (int k = 0; k < 4; ++k) parts |= p->side[k].from != 0 || p->side[k].to != 8;
    return p->size | (uint32_t)(p->tiles_log2[0] - 1) << 6 | (uint32_t)(p->tiles_log2[1] - 1) << 8 |
           (uint32_t)p->noise_turn << 10 | (uint32_t)p->noise_set << 12 | (uint32_t)parts << 15;
}

// What is painted, where it is not all of the noise set, plain and common: sets two a byte, a row beginning anew, then
// tints, then groups of tiles, two a byte.
static void put_paint(sink *s, const kst_patch_data *p) {
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
    bool sets = false, tints = false, groups = false;
    for (int j = 0; j <= down; ++j)
        for (int i = 0; i <= across; ++i) sets |= p->set[17 * j + i] != p->noise_set, tints |= p->tint[17 * j + i] != 0;
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i) groups |= p->group[KARST_NET_TILES_MAX * j + i] != 0;
    put(s, (uint32_t)sets | (uint32_t)tints << 1 | (uint32_t)groups << 2, 1);
    for (int j = 0; j <= down && sets; ++j)
        for (int i = 0; i <= across; i += 2)
            put(s, p->set[17 * j + i] | (i < across ? (uint32_t)p->set[17 * j + i + 1] << 4 : 0), 1);
    for (int j = 0; j <= down && tints; ++j)
        for (int i = 0; i <= across; ++i) put(s, p->tint[17 * j + i], 2);
    for (int j = 0; j < down && groups; ++j)
        for (int i = 0; i < across; i += 2) {
            const uint8_t *group = &p->group[KARST_NET_TILES_MAX * j + i];
            put(s, group[0] | (uint32_t)group[1] << 4, 1);
        }
}

size_t karst_zone_write(const karst_zone *zone, void *out, size_t room) {
    const kst_zone_data *data = &zone->record->data;
    sink s = {out, out ? (uint8_t *)out + room : NULL, 0};
    for (int k = 0; k < 4; ++k) put(&s, magic[k], 1);
    put(&s, VERSION, 1), put(&s, (uint32_t)data->step_log2, 1), put(&s, data->reach, 1), put(&s, 0, 1);
    put(&s, (uint32_t)data->zone_x, 4), put(&s, (uint32_t)data->zone_z, 4);
    put(&s, (uint32_t)(data->bias[1] / (1 << -data->step_log2)), 4);  // x and z follow from the cell
    put(&s, data->corner_count, 2), put(&s, data->edge_count, 2), put(&s, data->patch_count, 2);
    put(&s, pinned_corners(data), 2);
    for (uint32_t k = 0; k < data->corner_count; ++k) {
        const kst_corner_data *c = &data->corners[k];
        for (int axis = 0; axis < 3; ++axis) put(&s, (uint16_t)c->at[axis], 2);
        put(&s, (uint16_t)c->facing[0], 2), put(&s, (uint16_t)c->facing[1], 2);
        put(&s, c->radius, 1), put(&s, (uint8_t)c->noise, 1);
    }
    put_pinned(&s, data);
    for (uint32_t k = 0; k < data->edge_count; ++k) {
        const kst_edge_data *e = &data->edges[k];
        uint32_t bits = edge_bits(e);
        int32_t foretold[2][3];
        put(&s, e->corner[0], 2), put(&s, e->corner[1], 2), put(&s, bits, 3), put(&s, e->noise, 1);
        if ((bits >> 18 & 3) == OPEN_SOME) put(&s, e->open, 1);
        for (int i = 0; i < (1 << e->spans_log2) - 1; ++i) put(&s, data->inside[e->inside + (uint32_t)i], 2);
        foretell_handles(data, e, foretold);
        for (int i = 0; i < 2; ++i) put_point(&s, e->handle[i], foretold[i]);
        if (e->seam) put_seam(&s, data, e);
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

// What the head tells of the rest, beside the counts of zone data.
typedef struct head {
    int version;
    uint32_t pinned;  // corners
} head;

// Bits beyond `most`, 16 or 32, and a last byte that says nothing, are no encoding.
static uint32_t read_bits(kst_reader *r, int most) {
    uint32_t bits = 0, byte = 128;
    for (int shift = 0; byte & 128 && !r->bad; shift += 7) {
        byte = kst_read_u8(r);
        if ((shift + 7 > most && byte >> (most - shift)) || (shift && !byte)) r->bad = true;
        bits |= (byte & 127) << shift;
    }
    return bits;
}
static int16_t read_change(kst_reader *r, int32_t foretold) {
    uint32_t bits = read_bits(r, 16), change = bits >> 1 ^ (0 - (bits & 1));
    return (int16_t)(uint16_t)((uint32_t)foretold + change);
}
static void read_point(kst_reader *r, const int32_t foretold[3], int16_t out[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = read_change(r, foretold[axis]);
}

static void read_pin(kst_reader *r, const int32_t foretold[3], int32_t out[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t bits = read_bits(r, 32);
        out[axis] = (int32_t)((uint32_t)foretold[axis] + (bits >> 1 ^ (0 - (bits & 1))));
    }
}

static karst_status read_head(kst_reader *r, kst_zone_data *data, head *h, karst_report *report) {
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
    h->version = version;
    data->step_log2 = (int8_t)kst_read_u8(r);
    data->reach = kst_read_u8(r);
    int zero = kst_read_u8(r);
    data->zone_x = kst_read_i32(r), data->zone_z = kst_read_i32(r);
    int32_t metres = kst_read_i32(r);
    data->corner_count = kst_read_u16(r), data->edge_count = kst_read_u16(r), data->patch_count = kst_read_u16(r);
    h->pinned = kst_read_u16(r);
    if (version < 3) zero |= (int)h->pinned, h->pinned = 0;
    if (zero)
        return kst_fail(report, KARST_ERROR_FORMAT, "zone %d, %d: bytes that should be zero are not; get it anew",
                        data->zone_x, data->zone_z);
    karst_status status = kst_zone_bias(data, metres, report);
    if (status) return status;
    size_t least = (size_t)data->corner_count * CORNER_BYTES + (size_t)data->edge_count * EDGE_BYTES +
                   (size_t)data->patch_count * PATCH_BYTES + (size_t)h->pinned * PIN_BYTES;
    if (least > size - HEAD_BYTES)
        return kst_fail(
            report, KARST_ERROR_FORMAT,
            "zone %d, %d: %u corners, %u edges and %u patches take %zu bytes or more, %zu are there; get it "
            "anew",
            data->zone_x, data->zone_z, data->corner_count, data->edge_count, data->patch_count, least,
            size - HEAD_BYTES);
    return KARST_OK;
}

static void read_corners(kst_reader *r, kst_zone_data *data, uint32_t pinned) {
    for (uint32_t k = 0; k < data->corner_count; ++k) {
        kst_corner_data *c = &data->corners[k];
        *c = (kst_corner_data){0};
        for (int axis = 0; axis < 3; ++axis) c->at[axis] = (int16_t)kst_read_u16(r);
        c->facing[0] = (int16_t)kst_read_u16(r), c->facing[1] = (int16_t)kst_read_u16(r);
        c->radius = kst_read_u8(r), c->noise = (int8_t)kst_read_u8(r);
    }
    for (uint32_t k = 0, next = 0; k < pinned && !r->bad; ++k) {  // in rising order
        uint32_t index = kst_read_u16(r);
        if (index < next || index >= data->corner_count) r->bad = true;
        if (r->bad) return;
        kst_corner_data *c = &data->corners[index];
        const int32_t at[3] = {c->at[0] * KARST_NET_FINE, c->at[1] * KARST_NET_FINE, c->at[2] * KARST_NET_FINE};
        read_pin(r, at, c->pin);
        c->pinned = true, next = index + 1;
    }
}

// A seam without tiles, or whose ends are not there or have no pins, is none that is written.
static void read_seam(kst_reader *r, kst_zone_data *data, kst_edge_data *e) {
    e->column = kst_read_i32(r), e->row = kst_read_i32(r);
    for (int end = 0; end < 2; ++end)
        if (e->corner[end] >= data->corner_count || !data->corners[e->corner[end]].pinned) r->bad = true;
    if (!e->tiles) r->bad = true;
    if (r->bad) return;
    e->pin = data->pin_count, data->pin_count += e->tiles + 1u;
    for (int k = 0; k <= e->tiles && !r->bad; ++k) {
        int32_t *pin = data->pins[e->pin + (uint32_t)k], foretold[3];
        foretell_pin(data, e, k, foretold);
        if (k > 0 && k < e->tiles)
            read_pin(r, foretold, pin);
        else
            memcpy(pin, foretold, sizeof foretold);
    }
}

// `inside` has room for seven a edge, the pins of data for all that fit into the bytes.
static void read_edges(kst_reader *r, kst_zone_data *data, bool seams, uint16_t *inside) {
    for (uint32_t k = 0; k < data->edge_count && !r->bad; ++k) {
        kst_edge_data *e = &data->edges[k];
        int32_t foretold[2][3];
        e->corner[0] = kst_read_u16(r), e->corner[1] = kst_read_u16(r);
        uint32_t bits = (uint32_t)kst_read_uint(r, 3), open = bits >> 18 & 3;
        *e = (kst_edge_data){.corner = {e->corner[0], e->corner[1]}, .seam = (uint8_t)(bits >> 20)};
        e->size[0] = bits & 63, e->size[1] = bits >> 6 & 63;
        e->spans_log2 = bits >> 12 & 3, e->tiles = (uint8_t)(2u << (bits >> 14 & 7)), e->crease = bits >> 17 & 1;
        e->noise = kst_read_u8(r);
        e->open = open == OPEN_SOME ? kst_read_u8(r) : open == OPEN_ALL ? 0xFF : 0;
        if (e->seam > (seams ? 7 : 0) || open > OPEN_SOME || (open == OPEN_SOME && (e->open == 0 || e->open == 0xFF)))
            r->bad = true;
        e->inside = data->inside_count;
        for (int i = 0; i < (1 << e->spans_log2) - 1; ++i) inside[data->inside_count++] = kst_read_u16(r);
        foretell_handles(data, e, foretold);
        for (int i = 0; i < 2; ++i) read_point(r, foretold[i], e->handle[i]);
        if (e->seam) read_seam(r, data, e);
    }
}

// Paint that says nothing is no encoding; version 1 has none, version 2 no groups.
static void read_paint(kst_reader *r, int version, kst_patch_data *p) {
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
    uint32_t what = version > 1 ? kst_read_u8(r) : 0;
    bool sets = false, tints = false, groups = false;
    if (what > (version > 2 ? 7 : 3)) r->bad = true;
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
    for (int j = 0; j < down && what & 4; ++j)
        for (int i = 0; i < across; i += 2) {
            uint8_t *group = &p->group[KARST_NET_TILES_MAX * j + i], pair = kst_read_u8(r);
            group[0] = pair & 15, group[1] = pair >> 4, groups |= pair != 0;
        }
    if (what != ((uint32_t)sets | (uint32_t)tints << 1 | (uint32_t)groups << 2)) r->bad = true;
}

static void read_patches(kst_reader *r, kst_zone_data *data, int version) {
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
    for (uint32_t k = 0; k < data->patch_count && !r->bad; ++k) read_paint(r, version, &data->patches[k]);
}

// What was read into more room than it needs, in room of its own.
static void *shrink(const karst_allocator *allocator, const void *from, size_t count, size_t size) {
    void *out = kst_alloc_array(allocator, count + 1, size);
    if (out && count) memcpy(out, from, count * size);
    return out;
}

static karst_status read_arrays(kst_reader *r, kst_zone_data *data, const head *h, const karst_allocator *allocator,
                                karst_report *report) {
    // A seam takes three bytes a pin, and its corners have pins; the last one read may find too few.
    size_t inside_room = 7 * (size_t)data->edge_count + 1;
    size_t pin_room = h->pinned ? (size_t)(r->end - r->at) / 3 + 2 + UINT8_MAX : 1;
    uint16_t *inside = kst_alloc_array(allocator, inside_room, sizeof *inside);
    int32_t(*pins)[3] = kst_alloc_array(allocator, pin_room, sizeof *pins);
    data->corners = kst_alloc_array(allocator, data->corner_count + 1, sizeof *data->corners);
    data->edges = kst_alloc_array(allocator, data->edge_count + 1, sizeof *data->edges);
    data->patches = kst_alloc_array(allocator, data->patch_count + 1, sizeof *data->patches);
    karst_status status = KARST_ERROR_MEMORY;
    if (inside && pins && data->corners && data->edges && data->patches) {
        memset(data->patches, 0, (data->patch_count + 1) * sizeof *data->patches);
        data->pins = pins;
        read_corners(r, data, h->pinned);
        read_edges(r, data, h->version > 2, inside);
        read_patches(r, data, h->version);
        data->inside = shrink(allocator, inside, data->inside_count, sizeof *inside);
        data->pins = shrink(allocator, pins, data->pin_count, sizeof *pins);
        if (data->inside && data->pins) status = KARST_OK;
    }
    kst_free(allocator, inside, inside_room * sizeof *inside);
    kst_free(allocator, pins, pin_room * sizeof *pins);
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
    head h = {0};
    karst_status status = read_head(&r, &data, &h, report);
    if (!status) status = read_arrays(&r, &data, &h, allocator, report);
    if (!status) status = kst_zone_data_check(&data, allocator, report);
    if (!status) return kst_zone_build(&data, bank, allocator, report, out);
    kst_zone_data_free(&data, allocator);
    return status;
}
