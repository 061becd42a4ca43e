// SPDX-License-Identifier: MIT
// Deltas: what leads from one state of a chunk to another, small where little or smoothly changed.
//
//   byte 0   2, the form (1 is a whole chunk, see chunks.c)
//   byte 1   what changed: 1 y, 2 x and z, 4 holes, 8 transparency; 16 and 32: the state given, the state taken is
//            displaced; 64: turned, differences are taken away
//   4 bytes  checksum of all behind it, seeded with byte 1 and the hashes of both states
//   5 bytes for each of y, x and z that changed: the rectangle of changed vertices x0, z0, x1, z1, and the order
//   one zstd frame: for each of these four byte planes; then 64 words of changed holes, 33 x 33 changed bytes of
//            transparency
//
// A difference is that of two bit patterns, as numbers, so adding it gives every bit back and taking it away undoes
// that: the same bytes serve undo and redo. Where a smooth brush passed over rough ground the ground drops out, and
// differences of differences along both axes (`order` times, the best is taken) leave small numbers.
#include "project/world.h"

enum {
    SIDE = KARST_CHUNK_SIDE,
    COUNT = KARST_CHUNK_VERTICES,
    HEAD = 6,
    CHANGED_Y = 1,
    CHANGED_SIDEWAYS = 2,
    CHANGED_HOLES = 4,
    CHANGED_TRANSPARENCY = 8,
    GIVES_DISPLACED = 16,
    TAKES_DISPLACED = 32,
    TURNED = 64,
    ORDERS = 4,
    LEVEL = 1
};

// Differences of one component over the rectangle that holds all that are not zero.
typedef struct plane {
    int x0, z0, x1, z1, order;
    uint32_t d[COUNT];
} plane;

static int plane_count(const plane *p) {
    return (p->x1 - p->x0) * (p->z1 - p->z0);
}

// ---- differences of differences ----------------------------------------------------------------------

static void differ(uint32_t *d, int width, int height) {
    for (int j = 0; j < height; ++j)
        for (int i = width - 1; i > 0; --i) d[j * width + i] -= d[j * width + i - 1];
    for (int k = width * height - 1; k >= width; --k) d[k] -= d[k - width];
}

static void sum_up(uint32_t *d, int width, int height) {
    for (int k = width; k < width * height; ++k) d[k] += d[k - width];
    for (int j = 0; j < height; ++j)
        for (int i = 1; i < width; ++i) d[j * width + i] += d[j * width + i - 1];
}

static uint32_t fold(uint32_t d) {  // small numbers of either sign to small ones
    return d << 1 ^ (uint32_t)((int32_t)d >> 31);
}
static uint32_t unfold(uint32_t f) {
    return f >> 1 ^ (0u - (f & 1));
}

static uint64_t bits_of(const uint32_t *d, int count) {
    uint64_t bits = 0;
    for (int k = 0; k < count; ++k) bits += 32 - (uint64_t)__builtin_clz(fold(d[k]) | 1);
    return bits;
}

// Leave in p->d the differences of the order that costs least.
static void choose_order(plane *p) {
    int width = p->x1 - p->x0, height = p->z1 - p->z0, count = width * height;
    uint32_t next[COUNT];
    memcpy(next, p->d, (size_t)count * sizeof *next);
    uint64_t least = bits_of(p->d, count);
    for (int order = 1; order < ORDERS; ++order) {
        differ(next, width, height);
        uint64_t bits = bits_of(next, count);
        if (bits >= least) continue;
        least = bits;
        p->order = order;
        memcpy(p->d, next, (size_t)count * sizeof *next);
    }
}

// ---- encoding ----------------------------------------------------------------------------------------

static uint32_t pattern(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static bool make_plane(const float *gives, const float *takes, plane *p) {
    *p = (plane){.x0 = SIDE, .z0 = SIDE};
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            if (pattern(gives[j * SIDE + i]) == pattern(takes[j * SIDE + i])) continue;
            if (i < p->x0) p->x0 = i;
            if (i >= p->x1) p->x1 = i + 1;
            if (j < p->z0) p->z0 = j;
            p->z1 = j + 1;
        }
    if (!p->z1) p->x0 = p->z0 = 0;  // an empty rectangle
    if (!p->z1) return false;
    uint32_t *at = p->d;
    for (int j = p->z0; j < p->z1; ++j)
        for (int i = p->x0; i < p->x1; ++i) *at++ = pattern(gives[j * SIDE + i]) - pattern(takes[j * SIDE + i]);
    choose_order(p);
    return true;
}

static void put_plane(const plane *p, kst_out *head, kst_out *raw) {
    int count = plane_count(p);
    const int numbers[5] = {p->x0, p->z0, p->x1, p->z1, p->order};
    for (int k = 0; k < 5; ++k) kst_put_uint(head, (uint64_t)numbers[k], 1);
    for (int k = 0; k < count; ++k) {
        uint32_t f = fold(p->d[k]);
        for (int b = 0; b < 4; ++b) raw->at[b * count + k] = (uint8_t)(f >> (8 * b));
    }
    raw->at += 4 * count;
}

size_t kst_delta_bound(void) {
    return HEAD + 3 * 5 + kst_compress_bound(KST_CHUNK_BYTES_MAX);
}

static uint32_t checksum(const uint8_t *bytes, size_t size, uint64_t ends) {
    return (uint32_t)kst_hash(bytes + HEAD, size - HEAD, ends + bytes[1]);
}

static void put_checksum(uint8_t *bytes, size_t size, uint64_t ends) {
    kst_out o = {bytes + 2};
    kst_put_uint(&o, checksum(bytes, size, ends), 4);
}

// Scratch of one encoding or decoding.
typedef struct room {
    plane plane[3];  // of y, x, z
    uint8_t raw[KST_CHUNK_BYTES_MAX];
} room;

size_t kst_delta_encode(const karst_field_chunk *gives, const karst_field_chunk *takes, uint64_t ends, uint8_t *out,
                        size_t size) {
    room *r = kst_alloc(NULL, sizeof *r);
    if (!r || size < HEAD + 3 * 5) {
        kst_free(NULL, r, sizeof *r);
        return 0;
    }
    uint8_t flags = (uint8_t)((gives->displaced ? GIVES_DISPLACED : 0) | (takes->displaced ? TAKES_DISPLACED : 0));
    kst_out head = {out + HEAD}, raw = {r->raw};
    const float *planes[3][2] = {{gives->y, takes->y}, {gives->x, takes->x}, {gives->z, takes->z}};
    bool sideways = (gives->displaced || takes->displaced) && (memcmp(gives->x, takes->x, sizeof gives->x) != 0 ||
                                                               memcmp(gives->z, takes->z, sizeof gives->z) != 0);
    for (int k = 0; k < (sideways ? 3 : 1); ++k) {
        bool any = make_plane(planes[k][0], planes[k][1], &r->plane[k]);
        if (!any && k == 0) continue;
        flags |= k ? CHANGED_SIDEWAYS : CHANGED_Y;
        put_plane(&r->plane[k], &head, &raw);
    }
    if (memcmp(gives->hole, takes->hole, sizeof gives->hole)) {
        flags |= CHANGED_HOLES;
        for (int j = 0; j < KARST_CHUNK_CELLS; ++j) kst_put_uint(&raw, gives->hole[j] ^ takes->hole[j], 8);
    }
    if (memcmp(gives->transparency, takes->transparency, sizeof gives->transparency)) {
        flags |= CHANGED_TRANSPARENCY;
        for (int k = 0; k < KARST_HALF_VERTICES; ++k) *raw.at++ = gives->transparency[k] ^ takes->transparency[k];
    }
    out[0] = KST_DELTA_FORM;
    out[1] = flags;
    size_t packed = kst_compress(r->raw, (size_t)(raw.at - r->raw), head.at, size - (size_t)(head.at - out), LEVEL);
    size_t all = packed ? (size_t)(head.at - out) + packed : 0;
    if (all) put_checksum(out, all, ends);
    kst_free(NULL, r, sizeof *r);
    return all;
}

void kst_delta_turn(uint8_t *bytes, size_t size, uint64_t ends) {
    KARST_ASSERT(size > HEAD);
    uint8_t flags = bytes[1], kept = flags & (CHANGED_Y | CHANGED_SIDEWAYS | CHANGED_HOLES | CHANGED_TRANSPARENCY);
    bytes[1] = (uint8_t)(kept | (flags & GIVES_DISPLACED ? TAKES_DISPLACED : 0) |
                         (flags & TAKES_DISPLACED ? GIVES_DISPLACED : 0) | (~flags & TURNED));
    put_checksum(bytes, size, ends);
}

// ---- decoding ----------------------------------------------------------------------------------------

static bool read_rectangle(kst_reader *head, plane *p) {
    p->x0 = kst_read_u8(head);
    p->z0 = kst_read_u8(head);
    p->x1 = kst_read_u8(head);
    p->z1 = kst_read_u8(head);
    p->order = kst_read_u8(head);
    return !head->bad && p->x0 <= p->x1 && p->x1 <= SIDE && p->z0 <= p->z1 && p->z1 <= SIDE && p->order < ORDERS;
}

static void read_plane(const uint8_t *raw, plane *p) {
    int count = plane_count(p);
    for (int k = 0; k < count; ++k)
        p->d[k] = unfold((uint32_t)raw[k] | (uint32_t)raw[count + k] << 8 | (uint32_t)raw[2 * count + k] << 16 |
                         (uint32_t)raw[3 * count + k] << 24);
    for (int k = 0; k < p->order; ++k) sum_up(p->d, p->x1 - p->x0, p->z1 - p->z0);
}

// False when a number comes out that is not finite.
static bool add_plane(const plane *p, bool turned, float *values) {
    const uint32_t *d = p->d;
    bool finite = true;
    for (int j = p->z0; j < p->z1; ++j)
        for (int i = p->x0; i < p->x1; ++i, ++d) {
            uint32_t u = pattern(values[j * SIDE + i]) + (turned ? 0u - *d : *d);
            memcpy(&values[j * SIDE + i], &u, sizeof u);
            finite &= (u & 0x7F800000u) != 0x7F800000u;
        }
    return finite;
}

// Check a delta and unpack it into r: its rectangles, and all bytes behind them.
static bool unpack(const uint8_t *bytes, size_t size, uint64_t ends, room *r) {
    if (size <= HEAD || bytes[0] != KST_DELTA_FORM || bytes[1] & 0x80) return false;
    kst_reader sum = {bytes + 2, bytes + HEAD, false}, head = {bytes + HEAD, bytes + size, false};
    if (kst_read_u32(&sum) != checksum(bytes, size, ends)) return false;
    uint8_t flags = bytes[1];
    size_t raw = (flags & CHANGED_HOLES ? 8 * (size_t)KARST_CHUNK_CELLS : 0) +
                 (flags & CHANGED_TRANSPARENCY ? KARST_HALF_VERTICES : 0);
    for (int k = 0; k < 3; ++k) {
        plane *p = &r->plane[k];
        p->x0 = p->x1 = p->z0 = p->z1 = p->order = 0;
        if (!(flags & (k ? CHANGED_SIDEWAYS : CHANGED_Y))) continue;
        if (!read_rectangle(&head, p)) return false;
        raw += 4 * (size_t)plane_count(p);
    }
    return kst_decompress(head.at, (size_t)(head.end - head.at), r->raw, raw);
}

static bool apply(room *r, uint8_t flags, karst_field_chunk *chunk) {
    const uint8_t *at = r->raw;
    bool good = true;
    float *planes[3] = {chunk->y, chunk->x, chunk->z};
    for (int k = 0; k < 3; ++k) {
        read_plane(at, &r->plane[k]);
        at += 4 * plane_count(&r->plane[k]);
        good &= add_plane(&r->plane[k], flags & TURNED, planes[k]);
    }
    kst_reader rest = {at, r->raw + sizeof r->raw, false};
    for (int j = 0; flags & CHANGED_HOLES && j < KARST_CHUNK_CELLS; ++j) chunk->hole[j] ^= kst_read_u64(&rest);
    for (int k = 0; flags & CHANGED_TRANSPARENCY && k < KARST_HALF_VERTICES; ++k)
        chunk->transparency[k] ^= kst_read_u8(&rest);
    chunk->displaced = flags & GIVES_DISPLACED;
    return good;
}

karst_status kst_delta_apply(const uint8_t *bytes, size_t size, uint64_t ends, karst_field_chunk *chunk) {
    room *r = kst_alloc(NULL, sizeof *r);
    if (!r) return KARST_ERROR_MEMORY;
    bool good = unpack(bytes, size, ends, r) && apply(r, bytes[1], chunk);
    kst_free(NULL, r, sizeof *r);
    return good ? KARST_OK : KARST_ERROR_FORMAT;
}

karst_status kst_delta_check(const uint8_t *bytes, size_t size, uint64_t ends) {
    room *r = kst_alloc(NULL, sizeof *r);
    if (!r) return KARST_ERROR_MEMORY;
    bool good = unpack(bytes, size, ends, r);
    kst_free(NULL, r, sizeof *r);
    return good ? KARST_OK : KARST_ERROR_FORMAT;
}
