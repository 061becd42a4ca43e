// SPDX-License-Identifier: MIT
// Samples of a field chunk to bytes and back.
//
//   byte 0   1, the form            byte 1   bit 0: sideways displacement, bit 1: holes,
//                                                 bit 2: transparency
//   then one zstd frame of:  y (x, z if displaced) each as four byte planes of 65 x 65, then 64 x u64 if holes, then
//   33 x 33 bytes if transparent
//
// A plane holds byte k of the differences between the bit patterns of neighbours in a row (the first of a row:
// of a column). Heights that are alike have bit patterns that are alike, so the upper planes are nearly empty.
#include <math.h>

#include "project/world.h"

enum {
    FORM = 1,
    FLAG_DISPLACED = 1,
    FLAG_HOLES = 2,
    FLAG_TRANSPARENCY = 4,
    SIDE = KARST_CHUNK_SIDE,
    COUNT = KARST_CHUNK_VERTICES,
    LEVEL = 3
};

static void put_plane(const float *values, uint8_t *out) {
    uint32_t bits[COUNT];
    memcpy(bits, values, sizeof bits);
    for (int k = COUNT - 1; k > 0; --k) {
        uint32_t before = k % SIDE ? bits[k - 1] : bits[k - SIDE];
        uint32_t d = bits[k] - before;
        for (int b = 0; b < 4; ++b) out[b * COUNT + k] = (uint8_t)(d >> (8 * b));
    }
    for (int b = 0; b < 4; ++b) out[b * COUNT] = (uint8_t)(bits[0] >> (8 * b));
}

static bool get_plane(const uint8_t *in, float *values) {
    uint32_t bits[COUNT];
    uint32_t bad = 0;
    for (int k = 0; k < COUNT; ++k) {
        uint32_t d = (uint32_t)in[k] | (uint32_t)in[COUNT + k] << 8 | (uint32_t)in[2 * COUNT + k] << 16 |
                     (uint32_t)in[3 * COUNT + k] << 24;
        bits[k] = k == 0 ? d : d + (k % SIDE ? bits[k - 1] : bits[k - SIDE]);
        bad |= (bits[k] & 0x7F800000u) == 0x7F800000u;  // NaN or infinity
    }
    memcpy(values, bits, sizeof bits);
    return !bad;
}

size_t kst_world_chunk_bound(void) {
    return 2 + kst_compress_bound(KST_CHUNK_BYTES_MAX);
}

size_t kst_world_chunk_encode(const karst_field_chunk *chunk, uint8_t *out, size_t room, uint64_t *hash) {
    uint8_t *raw = kst_alloc(NULL, KST_CHUNK_BYTES_MAX);
    if (!raw || room < 2) {
        kst_free(NULL, raw, KST_CHUNK_BYTES_MAX);
        return 0;
    }
    uint64_t any = 0;
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) any |= chunk->hole[j];
    unsigned fades = 0;
    for (int k = 0; k < KARST_HALF_VERTICES; ++k) fades |= chunk->transparency[k];
    uint8_t flags =
        (uint8_t)((chunk->displaced ? FLAG_DISPLACED : 0) | (any ? FLAG_HOLES : 0) | (fades ? FLAG_TRANSPARENCY : 0));
    kst_out o = {raw};
    put_plane(chunk->y, o.at);
    o.at += 4 * COUNT;
    if (chunk->displaced) {
        put_plane(chunk->x, o.at);
        put_plane(chunk->z, o.at + 4 * COUNT);
        o.at += 8 * COUNT;
    }
    for (int j = 0; any && j < KARST_CHUNK_CELLS; ++j) kst_put_uint(&o, chunk->hole[j], 8);
    if (fades) {
        memcpy(o.at, chunk->transparency, KARST_HALF_VERTICES);
        o.at += KARST_HALF_VERTICES;
    }
    size_t size = (size_t)(o.at - raw);
    *hash = kst_hash(raw, size, flags);
    out[0] = FORM;
    out[1] = flags;
    size_t packed = kst_compress(raw, size, out + 2, room - 2, LEVEL);
    kst_free(NULL, raw, KST_CHUNK_BYTES_MAX);
    return packed ? packed + 2 : 0;
}

karst_status kst_world_chunk_decode(const uint8_t *bytes, size_t size, uint64_t hash, karst_field_chunk *out) {
    if (size < 2 || bytes[0] != FORM || bytes[1] > (FLAG_DISPLACED | FLAG_HOLES | FLAG_TRANSPARENCY))
        return KARST_ERROR_FORMAT;
    uint8_t flags = bytes[1];
    bool displaced = flags & FLAG_DISPLACED, holes = flags & FLAG_HOLES;
    size_t raw_size = (displaced ? 12 : 4) * (size_t)COUNT + (holes ? 8 * (size_t)KARST_CHUNK_CELLS : 0) +
                      (flags & FLAG_TRANSPARENCY ? KARST_HALF_VERTICES : 0);
    uint8_t *raw = kst_alloc(NULL, KST_CHUNK_BYTES_MAX);
    if (!raw) return KARST_ERROR_MEMORY;
    bool good = kst_decompress(bytes + 2, size - 2, raw, raw_size) && kst_hash(raw, raw_size, flags) == hash;
    if (good) {
        kst_reader r = {raw, raw + raw_size, false};
        out->displaced = displaced;
        good = get_plane(kst_read_bytes(&r, 4 * COUNT), out->y);
        if (displaced) {
            good &= get_plane(kst_read_bytes(&r, 4 * COUNT), out->x);
            good &= get_plane(kst_read_bytes(&r, 4 * COUNT), out->z);
        } else {
            memset(out->x, 0, sizeof out->x);
            memset(out->z, 0, sizeof out->z);
        }
        uint64_t any = 0;
        for (int j = 0; j < KARST_CHUNK_CELLS; ++j) any |= out->hole[j] = holes ? kst_read_u64(&r) : 0;
        memset(out->transparency, 0, sizeof out->transparency);
        if (flags & FLAG_TRANSPARENCY)
            memcpy(out->transparency, kst_read_bytes(&r, KARST_HALF_VERTICES), KARST_HALF_VERTICES);
        unsigned fades = 0;
        for (int k = 0; k < KARST_HALF_VERTICES; ++k) fades |= out->transparency[k];
        good &= (fades != 0) == ((flags & FLAG_TRANSPARENCY) != 0);
        good &= holes == (any != 0);  // one ground, one form: else its hash would depend on who wrote it
    }
    kst_free(NULL, raw, KST_CHUNK_BYTES_MAX);
    return good ? KARST_OK : KARST_ERROR_FORMAT;
}
