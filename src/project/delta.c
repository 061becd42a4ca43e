// SPDX-License-Identifier: MIT
// Deltas: what leads from one state of a chunk to another, small where little or smoothly changed.
//
//   byte 0   2, the form (1 is a whole chunk, see chunks.c)
//   byte 1   what changed: 1 y, 2 x and z, 4 holes, 8 transparency; 16: the state given is displaced
//   4 bytes  checksum of all behind it, seeded with byte 1 and the hashes of both states
//   5 bytes for each of y, x and z that changed: the rectangle of changed vertices x0, z0, x1, z1, and the order
//   one zstd frame: for each of these four byte planes; then 64 words of changed holes, 33 x 33 changed bytes of
//            transparency
//
// The state taken is known to whoever applies a delta. So a vertex is told as what is wrong with a guess: its change is
// guessed from the changes of the vertices before it and above it, as if those went on as a polynomial of `order` terms
// along both axes, and added to what the vertex was. A smooth brush over the roughest ground is guessed to a few units
// in the last place. What is wrong is counted in such units, so adding it gives every bit back.
//
// After: P. Lindstrom, M. Isenburg, "Fast and Efficient Compression of Floating-Point Data", 2006: numbers as ordered
// integers, residuals of a Lorenzo guess. We differ: the guess is of the change, of the best of four orders, and the
// residuals are left to zstd.
#include <float.h>
#include <math.h>

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
    ORDERS = 4,
    BEFORE = ORDERS - 1,  // changes that a guess may look back on
    LEVEL = 1
};

// What is wrong with the guesses of one component, over the rectangle of all that changed.
typedef struct plane {
    int x0, z0, x1, z1, order;
    uint32_t wrong[COUNT];
} plane;

static int plane_count(const plane *p) {
    return (p->x1 - p->x0) * (p->z1 - p->z0);
}

// ---- guesses -----------------------------------------------------------------------------------------

// Bit patterns of floats as integers in the order of the numbers, and back.
static uint32_t rank_of(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u >> 31 ? ~u : u | 0x80000000u;
}
static float of_rank(uint32_t rank) {
    uint32_t u = rank >> 31 ? rank & 0x7FFFFFFFu : ~rank;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

// A polynomial of n terms goes on as the sum of these times the last values, the nearest first.
static const double goes_on[ORDERS][BEFORE] = {{0, 0, 0}, {1, 0, 0}, {2, -1, 0}, {3, -3, 1}};

static double go_on(const double *c, double last, double before, double first) {
    return c[0] * last + c[1] * before + c[2] * first;
}

// Changes of a rectangle row by row, below rows of zeros for the guesses of the first; and of one row what the rows
// above do not tell, after as many zeros.
typedef struct changes {
    double of[(SIDE + BEFORE) * SIDE], above[SIDE], rest[SIDE + BEFORE];
} changes;

// Of each vertex in a row: how the changes above it go on.
static void guess_above(changes *c, int width, int row, const double *terms) {
    const double *up = c->of + (size_t)(row + BEFORE - 1) * (size_t)width;
    for (int i = 0; i < width; ++i) c->above[i] = go_on(terms, up[i], up[i - width], up[i - 2 * width]);
}

// The number guessed for a vertex that was `was`.
static float guess(double was, double above, const double *rest, const double *terms) {
    double number = was + (above + go_on(terms, rest[-1], rest[-2], rest[-3]));
    const double most = (double)FLT_MAX;
    return (float)(number > most ? most : number < -most ? -most : number);
}

// What is wrong with the guesses of one order. gives and takes: rows of `SIDE` floats at the rectangle's corner.
static void find_wrong(const float *gives, const float *takes, int width, int height, int order, changes *c,
                       uint32_t *wrong) {
    const double *terms = goes_on[order];
    double *rest = c->rest + BEFORE;
    for (int j = 0; j < height; ++j) {
        const double *now = c->of + (size_t)(j + BEFORE) * (size_t)width;
        guess_above(c, width, j, terms);
        for (int i = 0; i < width; ++i) rest[i] = now[i] - c->above[i];
        for (int i = 0; i < width; ++i) {
            float guessed = guess((double)takes[j * SIDE + i], c->above[i], rest + i, terms);
            wrong[j * width + i] = rank_of(gives[j * SIDE + i]) - rank_of(guessed);
        }
    }
}

// The other way: make what is given of what is taken. False when a number comes out that is not finite.
static bool put_right(float *values, int width, int height, int order, changes *c, const uint32_t *wrong) {
    const double *terms = goes_on[order];
    double *rest = c->rest + BEFORE;
    for (int j = 0; j < height; ++j) {
        double *now = c->of + (size_t)(j + BEFORE) * (size_t)width;
        guess_above(c, width, j, terms);
        for (int i = 0; i < width; ++i) {
            float was = values[j * SIDE + i];
            float given = of_rank(rank_of(guess((double)was, c->above[i], rest + i, terms)) + wrong[j * width + i]);
            if (!isfinite(given)) return false;
            now[i] = (double)given - (double)was;
            rest[i] = now[i] - c->above[i];
            values[j * SIDE + i] = given;
        }
    }
    return true;
}

static uint32_t fold(uint32_t d) {  // small numbers of either sign to small ones
    return d << 1 ^ (uint32_t)((int32_t)d >> 31);
}
static uint32_t unfold(uint32_t f) {
    return f >> 1 ^ (0u - (f & 1));
}

static uint64_t bits_of(const uint32_t *wrong, int count) {
    uint64_t bits = 0;
    for (int k = 0; k < count; ++k) bits += 32 - (uint64_t)__builtin_clz(fold(wrong[k]) | 1);
    return bits;
}

// Scratch of one encoding or decoding.
typedef struct room {
    plane plane[3];  // of y, x, z
    changes changes;
    uint32_t wrong[COUNT];
    uint8_t raw[KST_CHUNK_BYTES_MAX];
} room;

// The order that costs least, and what is wrong with its guesses, into p.
static void choose_order(const float *gives, const float *takes, room *r, plane *p) {
    int width = p->x1 - p->x0, height = p->z1 - p->z0, count = width * height;
    uint64_t least = UINT64_MAX;
    for (int order = 0; order < ORDERS; ++order) {
        find_wrong(gives, takes, width, height, order, &r->changes, r->wrong);
        uint64_t bits = bits_of(r->wrong, count);
        if (bits >= least) break;  // more terms are worse still
        least = bits;
        p->order = order;
        memcpy(p->wrong, r->wrong, (size_t)count * sizeof *p->wrong);
    }
}

// ---- encoding ----------------------------------------------------------------------------------------

static bool same_bits(float a, float b) {
    return rank_of(a) == rank_of(b);
}

static bool make_plane(const float *gives, const float *takes, room *r, plane *p) {
    p->x0 = p->z0 = SIDE;
    p->x1 = p->z1 = p->order = 0;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            if (same_bits(gives[j * SIDE + i], takes[j * SIDE + i])) continue;
            if (i < p->x0) p->x0 = i;
            if (i >= p->x1) p->x1 = i + 1;
            if (j < p->z0) p->z0 = j;
            p->z1 = j + 1;
        }
    if (!p->z1) p->x0 = p->z0 = 0;  // an empty rectangle
    if (!p->z1) return false;
    int width = p->x1 - p->x0, corner = p->z0 * SIDE + p->x0;
    memset(r->changes.of, 0, (size_t)(BEFORE * width) * sizeof *r->changes.of);
    memset(r->changes.rest, 0, sizeof r->changes.rest);
    for (int j = 0; j < p->z1 - p->z0; ++j)
        for (int i = 0; i < width; ++i) {
            int k = corner + j * SIDE + i;
            r->changes.of[(j + BEFORE) * width + i] = (double)gives[k] - (double)takes[k];
        }
    choose_order(gives + corner, takes + corner, r, p);
    return true;
}

static void put_plane(const plane *p, kst_out *head, kst_out *raw) {
    int count = plane_count(p);
    const int numbers[5] = {p->x0, p->z0, p->x1, p->z1, p->order};
    for (int k = 0; k < 5; ++k) kst_put_uint(head, (uint64_t)numbers[k], 1);
    for (int k = 0; k < count; ++k) {
        uint32_t f = fold(p->wrong[k]);
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

void kst_delta_seal(uint8_t *bytes, size_t size, uint64_t ends) {
    if (size <= HEAD) return;
    kst_out o = {bytes + 2};
    kst_put_uint(&o, checksum(bytes, size, ends), 4);
}

size_t kst_delta_encode(const karst_field_chunk *gives, const karst_field_chunk *takes, uint64_t ends, uint8_t *out,
                        size_t size) {
    room *r = kst_alloc(NULL, sizeof *r);
    if (!r || size < HEAD + 3 * 5) {
        kst_free(NULL, r, sizeof *r);
        return 0;
    }
    uint8_t flags = gives->displaced ? GIVES_DISPLACED : 0;
    kst_out head = {out + HEAD}, raw = {r->raw};
    const float *planes[3][2] = {{gives->y, takes->y}, {gives->x, takes->x}, {gives->z, takes->z}};
    bool sideways = (gives->displaced || takes->displaced) && (memcmp(gives->x, takes->x, sizeof gives->x) != 0 ||
                                                               memcmp(gives->z, takes->z, sizeof gives->z) != 0);
    for (int k = 0; k < (sideways ? 3 : 1); ++k) {
        bool any = make_plane(planes[k][0], planes[k][1], r, &r->plane[k]);
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
    kst_delta_seal(out, all, ends);
    kst_free(NULL, r, sizeof *r);
    return all;
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

// False when a number comes out that is not finite.
static bool apply_plane(const uint8_t *raw, room *r, plane *p, float *values) {
    int width = p->x1 - p->x0, count = plane_count(p);
    for (int k = 0; k < count; ++k)
        p->wrong[k] = unfold((uint32_t)raw[k] | (uint32_t)raw[count + k] << 8 | (uint32_t)raw[2 * count + k] << 16 |
                             (uint32_t)raw[3 * count + k] << 24);
    memset(r->changes.of, 0, (size_t)(BEFORE * width) * sizeof *r->changes.of);
    memset(r->changes.rest, 0, sizeof r->changes.rest);
    return put_right(values + p->z0 * SIDE + p->x0, width, p->z1 - p->z0, p->order, &r->changes, p->wrong);
}

// Check a delta and unpack it into r: its rectangles, and all bytes behind them.
static bool unpack(const uint8_t *bytes, size_t size, uint64_t ends, room *r) {
    if (size <= HEAD || bytes[0] != KST_DELTA_FORM || bytes[1] & 0xE0) return false;
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
        good &= apply_plane(at, r, &r->plane[k], planes[k]);
        at += 4 * plane_count(&r->plane[k]);
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
