// SPDX-License-Identifier: MIT
// A chunk by itself as bytes, for the root of a pack: each component predicted from its left, upper and upper-left
// neighbour (the parallelogram), the residuals zigzagged and split into byte planes, then zstd.
//
//     head, 8 bytes: flags (1 displaced, 2 holes, 4 occlusion, 8 transparency), level, most |dx| u16, most |dz| u16, 0
//     u16 zstd frame of: y 4 planes | displaced: dx 2, dz 2 | normal x 1, z 1 | holes: 64 words | occlusion 1 |
//                    transparency 1 | corners 4
//
// All arithmetic wraps, so any chunk comes back bit for bit.
#include "pack/format.h"
#include "pack/record_parts.h"

enum {
    HEAD_BYTES = 8,
    FLAG_DISPLACED = 1,
    FLAG_HOLES = 2,
    FLAG_OCCLUSION = 4,
    FLAG_TRANSPARENCY = 8,
    SIDE = KARST_CHUNK_SIDE,
    COUNT = KARST_CHUNK_VERTICES,
    HOLE_BYTES = KARST_CHUNK_CELLS * 8,
    HALF = KARST_HALF_VERTICES,
    RAW_MOST = COUNT * (4 + 2 + 2 + 2) + HOLE_BYTES + 2 * HALF + KST_CORNER_FLOATS * 4,
    ZSTD_LEVEL = 3,  // 7 takes half as long again for three thousandths less
};

typedef struct scratch {
    uint32_t value[COUNT];
    uint8_t raw[RAW_MOST];
} scratch;

// What can be known of a chunk without unpacking it.
typedef struct chunk_head {
    bool displaced, holes, occlusion, transparency;
    int level;
    uint16_t reach_x_steps, reach_z_steps;
} chunk_head;

static size_t raw_bytes(const chunk_head *h) {
    return COUNT * 6 + (h->displaced ? COUNT * 4 : 0) + (h->holes ? HOLE_BYTES : 0) + (h->occlusion ? HALF : 0) +
           (h->transparency ? HALF : 0) + KST_CORNER_FLOATS * 4;
}

// Residuals of side x side values, `bytes` wide, as planes, low byte first.
static uint8_t *put_planes(uint8_t *out, const uint32_t *value, int side, int bytes) {
    int unused = 32 - 8 * bytes, count = side * side;
    for (int k = 0; k < count; ++k) {
        int i = k % side, j = k / side;
        uint32_t left = i ? value[k - 1] : 0, up = j ? value[k - side] : 0, corner = i && j ? value[k - side - 1] : 0;
        uint32_t residual = (value[k] - (left + up - corner)) << unused;
        uint32_t code = kst_zigzag((uint32_t)((int32_t)residual >> unused));
        for (int b = 0; b < bytes; ++b) out[b * count + k] = (uint8_t)(code >> (8 * b));
    }
    return out + bytes * count;
}

// The reverse: with d = value - up, d is the running sum of the residuals of its row.
static const uint8_t *read_planes(const uint8_t *in, uint32_t *value, int side, int bytes) {
    int count = side * side;
    for (int k = 0; k < count; ++k) value[k] = in[k];
    for (int b = 1; b < bytes; ++b)
        for (int k = 0; k < count; ++k) value[k] |= (uint32_t)in[b * count + k] << (8 * b);
    for (int k = 0; k < count; ++k) value[k] = kst_unzigzag(value[k]);
    for (int j = 0; j < side; ++j) {
        uint32_t *row = value + j * side;
        for (int i = 1; i < side; ++i) row[i] += row[i - 1];
        if (j)
            for (int i = 0; i < side; ++i) row[i] += row[i - side];
    }
    return in + bytes * count;
}

static uint8_t *put_half(uint8_t *out, uint32_t *value, const uint8_t half[HALF]) {
    for (int k = 0; k < HALF; ++k) value[k] = half[k];
    return put_planes(out, value, KARST_HALF_SIDE, 1);
}

static const uint8_t *read_half(const uint8_t *in, uint32_t *value, uint8_t half[HALF]) {
    in = read_planes(in, value, KARST_HALF_SIDE, 1);
    for (int k = 0; k < HALF; ++k) half[k] = (uint8_t)value[k];
    return in;
}

static uint8_t *put_corners(uint8_t *out, const karst_chunk_corners *corners) {
    for (int row = 0, k = 0; row < KST_CORNER_ROWS; ++row) {
        uint32_t before = 0;
        for (int c = 0; c < KARST_CORNER_COUNT; ++c, ++k) {
            uint32_t bits;
            memcpy(&bits, &kst_corner_row_of(corners, row)[c], 4);
            uint32_t code = kst_zigzag(bits - before);
            before = bits;
            for (int b = 0; b < 4; ++b) out[b * KST_CORNER_FLOATS + k] = (uint8_t)(code >> (8 * b));
        }
    }
    return out + 4 * KST_CORNER_FLOATS;
}

static bool read_corners(const uint8_t *in, karst_chunk_corners *corners) {
    for (int row = 0, k = 0; row < KST_CORNER_ROWS; ++row) {
        uint32_t bits = 0;
        for (int c = 0; c < KARST_CORNER_COUNT; ++c, ++k) {
            uint32_t code = 0;
            for (int b = 0; b < 4; ++b) code |= (uint32_t)in[b * KST_CORNER_FLOATS + k] << (8 * b);
            bits += kst_unzigzag(code);
            memcpy(&kst_corner_row(corners, row)[c], &bits, 4);
        }
    }
    return kst_corners_finish(corners);
}

static bool lanes_repeat(const karst_chunk_corners *corners) {
    for (int row = 0; row < KST_CORNER_ROWS; ++row)
        for (int c = KARST_CORNER_COUNT; c < KARST_CORNER_LANES; ++c)
            if (memcmp(&kst_corner_row_of(corners, row)[c], kst_corner_row_of(corners, row), 4)) return false;
    return true;
}

static chunk_head head_of(const karst_chunk *chunk, int level) {
    int reach_x = 0, reach_z = 0;
    for (int k = 0; k < COUNT; ++k) {
        int x = chunk->vertex[k].dx < 0 ? -chunk->vertex[k].dx : chunk->vertex[k].dx;
        int z = chunk->vertex[k].dz < 0 ? -chunk->vertex[k].dz : chunk->vertex[k].dz;
        reach_x = x > reach_x ? x : reach_x;
        reach_z = z > reach_z ? z : reach_z;
    }
    uint64_t holes = 0;
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) holes |= chunk->hole[j];
    unsigned occlusion = 0, transparency = 0;
    for (int k = 0; k < HALF; ++k) {
        occlusion |= chunk->occlusion[k];
        transparency |= chunk->transparency[k];
    }
    return (chunk_head){.displaced = reach_x || reach_z,
                        .holes = holes != 0,
                        .occlusion = occlusion != 0,
                        .transparency = transparency != 0,
                        .level = level,
                        .reach_x_steps = (uint16_t)reach_x,
                        .reach_z_steps = (uint16_t)reach_z};
}

static bool read_head(const uint8_t *bytes, size_t size, chunk_head *out) {
    kst_reader r = {bytes, bytes + size, false};
    uint8_t flags = kst_read_u8(&r), level = kst_read_u8(&r);
    uint16_t reach_x = kst_read_u16(&r), reach_z = kst_read_u16(&r), spare = kst_read_u16(&r);
    if (r.bad || flags >= 2 * FLAG_TRANSPARENCY || level > KARST_MAX_LEVEL || spare) return false;
    *out = (chunk_head){.displaced = flags & FLAG_DISPLACED,
                        .holes = flags & FLAG_HOLES,
                        .occlusion = flags & FLAG_OCCLUSION,
                        .transparency = flags & FLAG_TRANSPARENCY,
                        .level = level,
                        .reach_x_steps = reach_x,
                        .reach_z_steps = reach_z};
    return out->displaced == (reach_x || reach_z);
}

size_t kst_pack_encode_bound(void) {
    return HEAD_BYTES + kst_compress_bound(RAW_MOST);
}

size_t kst_pack_encode_chunk(const karst_chunk *chunk, int level, uint8_t *out, size_t room) {
    KARST_ASSERT(level >= 0 && level <= KARST_MAX_LEVEL);
    KARST_ASSERT(lanes_repeat(&chunk->corners));
    if (room < HEAD_BYTES) return 0;
    scratch *s = kst_alloc(NULL, sizeof *s);
    if (!s) return 0;
    chunk_head head = head_of(chunk, level);
    kst_out o = {out};
    kst_put_uint(&o,
                 (head.displaced ? FLAG_DISPLACED : 0u) | (head.holes ? FLAG_HOLES : 0u) |
                     (head.occlusion ? FLAG_OCCLUSION : 0u) | (head.transparency ? FLAG_TRANSPARENCY : 0u),
                 1);
    kst_put_uint(&o, (uint64_t)level, 1);
    kst_put_uint(&o, head.reach_x_steps, 2);
    kst_put_uint(&o, head.reach_z_steps, 2);
    kst_put_uint(&o, 0, 2);

    uint8_t *at = s->raw;
    for (int k = 0; k < COUNT; ++k) s->value[k] = (uint32_t)chunk->vertex[k].y;
    at = put_planes(at, s->value, SIDE, 4);
    if (head.displaced) {
        for (int k = 0; k < COUNT; ++k) s->value[k] = (uint32_t)chunk->vertex[k].dx;
        at = put_planes(at, s->value, SIDE, 2);
        for (int k = 0; k < COUNT; ++k) s->value[k] = (uint32_t)chunk->vertex[k].dz;
        at = put_planes(at, s->value, SIDE, 2);
    }
    for (int k = 0; k < COUNT; ++k) s->value[k] = chunk->normal[k] & 0xff;
    at = put_planes(at, s->value, SIDE, 1);
    for (int k = 0; k < COUNT; ++k) s->value[k] = chunk->normal[k] >> 8;
    at = put_planes(at, s->value, SIDE, 1);
    if (head.holes) {
        kst_out words = {at};
        for (int j = 0; j < KARST_CHUNK_CELLS; ++j) kst_put_uint(&words, chunk->hole[j], 8);
        at = words.at;
    }
    if (head.occlusion) at = put_half(at, s->value, chunk->occlusion);
    if (head.transparency) at = put_half(at, s->value, chunk->transparency);
    at = put_corners(at, &chunk->corners);
    size_t raw = (size_t)(at - s->raw);
    KARST_ASSERT(raw == raw_bytes(&head));
    size_t packed = kst_compress(s->raw, raw, o.at, room - HEAD_BYTES, ZSTD_LEVEL);
    kst_free(NULL, s, sizeof *s);
    return packed ? HEAD_BYTES + packed : 0;
}

static bool unpack(scratch *s, const chunk_head *head, karst_chunk *out) {
    memset(out, 0, sizeof *out);  // the struct's own padding too, so that equal chunks compare equal as bytes
    const uint8_t *at = read_planes(s->raw, s->value, SIDE, 4);
    for (int k = 0; k < COUNT; ++k) out->vertex[k] = (karst_vertex){(int32_t)s->value[k], 0, 0};
    if (head->displaced) {
        at = read_planes(at, s->value, SIDE, 2);
        for (int k = 0; k < COUNT; ++k) out->vertex[k].dx = (int16_t)(uint16_t)s->value[k];
        at = read_planes(at, s->value, SIDE, 2);
        for (int k = 0; k < COUNT; ++k) out->vertex[k].dz = (int16_t)(uint16_t)s->value[k];
    }
    at = read_planes(at, s->value, SIDE, 1);
    for (int k = 0; k < COUNT; ++k) out->normal[k] = (uint16_t)(s->value[k] & 0xff);
    at = read_planes(at, s->value, SIDE, 1);
    for (int k = 0; k < COUNT; ++k) out->normal[k] |= (uint16_t)((s->value[k] & 0xff) << 8);
    kst_reader r = {at, at + HOLE_BYTES, false};
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) out->hole[j] = head->holes ? kst_read_u64(&r) : 0;
    at += head->holes ? HOLE_BYTES : 0;
    if (head->occlusion) at = read_half(at, s->value, out->occlusion);
    if (head->transparency) at = read_half(at, s->value, out->transparency);
    if (!read_corners(at, &out->corners)) return false;
    // One chunk has one encoding: the head says what is there, no more and no less.
    chunk_head is = head_of(out, head->level);
    return is.displaced == head->displaced && is.holes == head->holes && is.occlusion == head->occlusion &&
           is.transparency == head->transparency && is.reach_x_steps == head->reach_x_steps &&
           is.reach_z_steps == head->reach_z_steps;
}

karst_status kst_pack_decode_chunk(const uint8_t *bytes, size_t size, int level, const karst_allocator *allocator,
                                   karst_chunk *out) {
    chunk_head head;
    if (!read_head(bytes, size, &head) || head.level != level) return KARST_ERROR_FORMAT;
    scratch *s = kst_alloc(allocator, sizeof *s);
    if (!s) return KARST_ERROR_MEMORY;
    bool good =
        kst_decompress(bytes + HEAD_BYTES, size - HEAD_BYTES, s->raw, raw_bytes(&head)) && unpack(s, &head, out);
    kst_free(allocator, s, sizeof *s);
    return good ? KARST_OK : KARST_ERROR_FORMAT;
}
