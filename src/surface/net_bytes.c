// SPDX-License-Identifier: MIT
// Elements of a net as bytes, little-endian, without gaps:
//
//   corner  i32 x, y, z; i32 edge, -1: none; u8 eighth; i8 displacement; u8 kept; i16 x 2 normal
//   edge    i32 x 2 corners; i32 x 6 handles; u8 displacement map; u8 fold; u8 seam; i32 x 2 its column and row
//   patch   4 times i32 edge, u8 from, u8 to; i32 x 12 inner points; u8 x 2 log2 of tiles; u8 noise set; u8 turns;
//           128 bytes of displacement maps, two a byte, the first one low; u8 x 289 tile sets; u16 x 289 tints;
//           128 bytes of tile groups, as the maps
//   head    u8 version 3; i8 log2 of the step; f64 x 3 origin; i32 x 3 corners, edges, patches
#include "surface/net_bytes.h"

#include <math.h>

enum {
    VERSION = 3,
    CORNER_BYTES = 23,
    EDGE_BYTES = 43,
    PATCH_BYTES = 332 + 3 * KARST_TILE_CORNERS,
    SLOTS = KARST_NET_TILES_MAX * KARST_NET_TILES_MAX
};

kst_net_head kst_net_head_of(const karst_net *net) {
    return (kst_net_head){net->origin, net->step_log2, {net->corner_count, net->edge_count, net->patch_count}};
}

void kst_net_head_put(const kst_net_head *head, uint8_t out[KST_NET_HEAD_BYTES]) {
    kst_out o = {out};
    kst_put_uint(&o, VERSION, 1);
    kst_put_uint(&o, (uint8_t)(int8_t)head->step_log2, 1);
    kst_put_f64(&o, head->origin.x), kst_put_f64(&o, head->origin.y), kst_put_f64(&o, head->origin.z);
    for (int part = 0; part < KST_NET_PARTS; ++part) kst_put_uint(&o, (uint32_t)head->count[part], 4);
    KARST_ASSERT(o.at == out + KST_NET_HEAD_BYTES);
}

karst_status kst_net_head_read(const uint8_t *bytes, size_t size, karst_report *report, kst_net_head *out) {
    kst_reader r = {bytes, bytes + size, false};
    kst_net_head head;
    int version = kst_read_u8(&r);
    head.step_log2 = (int8_t)kst_read_u8(&r);
    head.origin.x = kst_read_f64(&r), head.origin.y = kst_read_f64(&r), head.origin.z = kst_read_f64(&r);
    for (int part = 0; part < KST_NET_PARTS; ++part) head.count[part] = kst_read_i32(&r);
    if (r.bad || r.at != r.end)
        return kst_fail(report, KARST_ERROR_FORMAT, "the head of the net has %zu bytes and should have %d", size,
                        KST_NET_HEAD_BYTES);
    if (version != VERSION)
        return kst_fail(report, KARST_ERROR_VERSION, "a net of version %d, this Karst reads %d", version, VERSION);
    if (head.step_log2 < -12 || head.step_log2 > -4)
        return kst_fail(report, KARST_ERROR_FORMAT, "the net's step is 2^%d m; steps are 2^-12 to 2^-4",
                        head.step_log2);
    double far = fmax(fmax(fabs(head.origin.x), fabs(head.origin.y)), fabs(head.origin.z));
    if (!(far <= 1e12) || isnan(head.origin.x) || isnan(head.origin.y) || isnan(head.origin.z))
        return kst_fail(report, KARST_ERROR_FORMAT, "the net's origin lies more than 1e12 m off");
    for (int part = 0; part < KST_NET_PARTS; ++part)
        if (head.count[part] < 0 || head.count[part] > KARST_NET_MAX)
            return kst_fail(report, KARST_ERROR_FORMAT, "the net tells of %d elements; 0 to 2^24 are possible",
                            head.count[part]);
    *out = head;
    return KARST_OK;
}

size_t kst_net_element_bytes(kst_net_part part) {
    return part == KST_NET_CORNERS ? CORNER_BYTES : part == KST_NET_EDGES ? EDGE_BYTES : PATCH_BYTES;
}

static void put_ints(kst_out *o, const int32_t *values, int count) {
    for (int k = 0; k < count; ++k) kst_put_uint(o, (uint32_t)values[k], 4);
}
static void read_ints(kst_reader *r, int32_t *values, int count) {
    for (int k = 0; k < count; ++k) values[k] = kst_read_i32(r);
}

static void put_corner(kst_out *o, const karst_net_corner *c) {
    put_ints(o, c->at, 3);
    put_ints(o, &c->edge, 1);
    kst_put_uint(o, c->eighth, 1);
    kst_put_uint(o, (uint8_t)c->noise, 1);
    kst_put_uint(o, c->kept, 1);
    for (int k = 0; k < 2; ++k) kst_put_uint(o, (uint16_t)c->facing[k], 2);
}
static karst_net_corner read_corner(kst_reader *r) {
    karst_net_corner c = {0};
    read_ints(r, c.at, 3);
    read_ints(r, &c.edge, 1);
    c.eighth = kst_read_u8(r);
    c.noise = (int8_t)kst_read_u8(r);
    c.kept = kst_read_u8(r) != 0;
    for (int k = 0; k < 2; ++k) c.facing[k] = (int16_t)kst_read_u16(r);
    return c;
}

static void put_edge(kst_out *o, const karst_net_edge *e) {
    put_ints(o, e->corner, 2);
    put_ints(o, &e->handle[0][0], 6);
    kst_put_uint(o, e->noise, 1);
    kst_put_uint(o, e->crease, 1);
    kst_put_uint(o, e->seam, 1);
    put_ints(o, &e->column, 1), put_ints(o, &e->row, 1);
}
static karst_net_edge read_edge(kst_reader *r) {
    karst_net_edge e = {0};
    read_ints(r, e.corner, 2);
    read_ints(r, &e.handle[0][0], 6);
    e.noise = kst_read_u8(r);
    e.crease = kst_read_u8(r) != 0;
    e.seam = kst_read_u8(r);
    read_ints(r, &e.column, 1), read_ints(r, &e.row, 1);
    return e;
}

static void put_patch(kst_out *o, const karst_net_patch *p) {
    for (int k = 0; k < 4; ++k) {
        put_ints(o, &p->side[k].edge, 1);
        kst_put_uint(o, p->side[k].from, 1);
        kst_put_uint(o, p->side[k].to, 1);
    }
    put_ints(o, &p->inner[0][0], 12);
    kst_put_uint(o, p->tiles_log2[0], 1);
    kst_put_uint(o, p->tiles_log2[1], 1);
    kst_put_uint(o, p->noise_set, 1);
    kst_put_uint(o, p->noise_turn, 1);
    for (int k = 0; k < SLOTS; k += 2) kst_put_uint(o, (uint64_t)(p->slot[k] | p->slot[k + 1] << 4), 1);
    for (int k = 0; k < KARST_TILE_CORNERS; ++k) kst_put_uint(o, p->set[k], 1);
    for (int k = 0; k < KARST_TILE_CORNERS; ++k) kst_put_uint(o, p->tint[k], 2);
    for (int k = 0; k < SLOTS; k += 2) kst_put_uint(o, (uint64_t)(p->group[k] | p->group[k + 1] << 4), 1);
}
static karst_net_patch read_patch(kst_reader *r) {
    karst_net_patch p = {0};
    for (int k = 0; k < 4; ++k) {
        read_ints(r, &p.side[k].edge, 1);
        p.side[k].from = kst_read_u8(r);
        p.side[k].to = kst_read_u8(r);
    }
    read_ints(r, &p.inner[0][0], 12);
    p.tiles_log2[0] = kst_read_u8(r);
    p.tiles_log2[1] = kst_read_u8(r);
    p.noise_set = kst_read_u8(r);
    p.noise_turn = kst_read_u8(r);
    for (int k = 0; k < SLOTS; k += 2) {
        uint8_t pair = kst_read_u8(r);
        p.slot[k] = pair & 15, p.slot[k + 1] = pair >> 4;
    }
    for (int k = 0; k < KARST_TILE_CORNERS; ++k) p.set[k] = kst_read_u8(r);
    for (int k = 0; k < KARST_TILE_CORNERS; ++k) p.tint[k] = kst_read_u16(r);
    for (int k = 0; k < SLOTS; k += 2) {
        uint8_t pair = kst_read_u8(r);
        p.group[k] = pair & 15, p.group[k + 1] = pair >> 4;
    }
    return p;
}

void kst_net_put_elements(const karst_net *net, kst_net_part part, int32_t first, int32_t count, uint8_t *out) {
    kst_out o = {out};
    for (int32_t k = first; k < first + count; ++k) {
        if (part == KST_NET_CORNERS) put_corner(&o, &net->corners[k]);
        if (part == KST_NET_EDGES) put_edge(&o, &net->edges[k]);
        if (part == KST_NET_PATCHES) put_patch(&o, &net->patches[k]);
    }
    KARST_ASSERT(o.at == out + (size_t)count * kst_net_element_bytes(part));
}

karst_status kst_net_add_elements(karst_net *net, kst_net_part part, int32_t count, const uint8_t *bytes) {
    kst_reader r = {bytes, bytes + (size_t)count * kst_net_element_bytes(part), false};
    karst_status status = KARST_OK;
    for (int32_t k = 0, index; k < count && !status; ++k) {
        if (part == KST_NET_CORNERS) {
            karst_net_corner corner = read_corner(&r);
            status = karst_net_add_corner(net, &corner, &index);
        } else if (part == KST_NET_EDGES) {
            karst_net_edge edge = read_edge(&r);
            status = karst_net_add_edge(net, &edge, &index);
        } else {
            karst_net_patch patch = read_patch(&r);
            status = karst_net_add_patch(net, &patch, &index);
        }
    }
    return status;
}
