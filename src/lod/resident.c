// SPDX-License-Identifier: MIT
// Resident form: a chunk in as few bits a vertex as its ground takes. The layout is told in karst/resident.h; the
// reading half is the CPU twin of stored(), stored_normal() and stored_shade() in src/gl/shaders/drawn.glsl: a change
// here is one there.
#include "karst/resident.h"

#include "core/core.h"

enum {
    SIDE = KARST_CHUNK_SIDE,
    COUNT = KARST_CHUNK_VERTICES,
    PITCH = KARST_RESIDENT_PITCH,
    BLOCKS = KARST_CHUNK_CELLS / PITCH,  // along a side
    TABLE_SIDE = BLOCKS + 1,
    TABLE = TABLE_SIDE * TABLE_SIDE,
    DISPLACED = KARST_RESIDENT_DISPLACED,
    EVEN = PITCH / 2 + 1,  // even vertices along a block, both its borders
    BLOCK_VERTICES = (PITCH + 1) * (PITCH + 1),
    HOLE_BITS = PITCH * PITCH,
    MOST_BITS = COUNT * (32 + 16 + 16 + 8 + 8) + BLOCKS * BLOCKS * (EVEN * EVEN * 16 + HOLE_BITS + 31),
    HEAD = 1 + 3 * TABLE + 2 * BLOCKS * BLOCKS,
};
_Static_assert(HEAD + MOST_BITS / 32 <= KARST_RESIDENT_WORDS_MAX, "what the header says holds what the layout takes");
_Static_assert(KARST_RESIDENT_WORDS_MAX < 1 << 14, "blocks name the words of their data in 14 bits");

// Components in the order of a record, then those of even vertices.
enum { Y, DX, DZ, NX, NZ, OCCLUSION, TRANSPARENCY, COMPONENTS, RECORD = OCCLUSION };
static const int bits_of[COMPONENTS] = {32, 16, 16, 8, 8, 8, 8};
static const int width_place[COMPONENTS] = {0, 6, 11, 16, 20, 24, 28},
                 width_mask[COMPONENTS] = {63, 31, 31, 15, 15, 15, 15};
static const int base_place[RECORD] = {15, 18, 21, 24, 27};

static int shade_table(uint32_t first) {  // first word of normals and shade
    return 1 + (first & DISPLACED ? 2 : 1) * TABLE;
}

// A component of a whole vertex, with its sign where it has one.
static uint32_t corner_value(const uint32_t *words, int c, int corner) {
    if (c == Y) return words[1 + corner];
    if (c == DX) return (uint32_t)(int32_t)(int16_t)(words[1 + TABLE + corner] & 0xFFFF);
    if (c == DZ) return (uint32_t)(int32_t)(int16_t)(words[1 + TABLE + corner] >> 16);
    return words[shade_table(words[0]) + corner] >> (8 * (c - NX)) & 0xFF;
}

// A component at the corners of a block: at (0, 0), and how much more at the others.
typedef struct corners {
    uint32_t at, x, z, both;
} corners;

static corners corners_of(const uint32_t *words, int c, int corner) {
    uint32_t at = corner_value(words, c, corner);
    return (corners){at, corner_value(words, c, corner + 1) - at, corner_value(words, c, corner + TABLE_SIDE) - at,
                     corner_value(words, c, corner + TABLE_SIDE + 1) - at};
}

// The bilinear surface through them, in arithmetic that wraps.
static uint32_t surface_at(const corners *c, int f, int g) {
    uint32_t sum =
        (uint32_t)(f * (PITCH - g)) * c->x + (uint32_t)((PITCH - f) * g) * c->z + (uint32_t)(f * g) * c->both;
    return c->at + (uint32_t)((int32_t)(sum + PITCH * PITCH / 2) >> 6);
}

// What is taken from a code: eighths of the width's span.
static uint32_t base_value(int base, int width) {
    return width < 3 ? (uint32_t)base >> (3 - width) : (uint32_t)base << (width - 3);
}

// ---- blocks ----------------------------------------------------------------------------------------

typedef struct block {
    int corner;        // of the table
    int across, down;  // vertices of its own
    int width[COMPONENTS];
    int base[COMPONENTS];
    int record, even;  // bits of a vertex, and of an even one
    bool holes;
    int data;  // first word
} block;

static int block_words(const block *b) {
    int bits = b->across * b->down * b->record + (b->even ? EVEN * EVEN * b->even : 0) + (b->holes ? HOLE_BITS : 0);
    return (bits + 31) / 32;
}

static void place_block(block *b, int number) {
    int x = number % BLOCKS, z = number / BLOCKS;
    b->corner = z * TABLE_SIDE + x;
    b->across = x == BLOCKS - 1 ? PITCH + 1 : PITCH;
    b->down = z == BLOCKS - 1 ? PITCH + 1 : PITCH;
    b->record = b->even = 0;
    for (int c = 0; c < RECORD; ++c) b->record += b->width[c];
    for (int c = RECORD; c < COMPONENTS; ++c) b->even += b->width[c];
}

static block read_block(const uint32_t *words, int number) {
    const uint32_t *head = words + shade_table(words[0]) + TABLE + 2 * number;
    block b = {.data = (int)(head[1] & 0x3FFF), .holes = head[1] >> 14 & 1};
    for (int c = 0; c < COMPONENTS; ++c) {
        b.width[c] = (int)(head[0] >> width_place[c]) & width_mask[c];
        b.base[c] = c < RECORD ? (int)(head[1] >> base_place[c] & 7) : 4;
    }
    place_block(&b, number);
    return b;
}

// ---- pack ------------------------------------------------------------------------------------------

// The least width and a base in which residuals of [low, high] have codes.
static void fit(int32_t low, int32_t high, int most, int *width, int *base, bool centred) {
    uint32_t range = (uint32_t)high - (uint32_t)low;
    for (*width = range ? 32 - __builtin_clz(range) : 0; *width < most; ++*width)
        for (*base = centred ? 4 : 0; *base < (centred ? 5 : 8); ++*base) {
            int64_t from = -(int64_t)base_value(*base, *width);
            if (low >= from && high < from + (INT64_C(1) << *width)) return;
        }
    *base = 4;  // of all bits: two's complement
}

typedef struct writer {
    uint32_t *at;
    uint64_t held;
    int bits;
} writer;

static void put(writer *w, uint32_t code, int width) {
    w->held |= (uint64_t)code << w->bits;
    w->bits += width;
    if (w->bits < 32) return;
    *w->at++ = (uint32_t)w->held;
    w->held >>= 32;
    w->bits -= 32;
}

// count records of the components [from, to) that have a width.
static void put_records(writer *w, int32_t code[COMPONENTS][BLOCK_VERTICES], const int width[COMPONENTS], int from,
                        int to, int count) {
    int used[COMPONENTS], n = 0;
    for (int c = from; c < to; ++c)
        if (width[c]) used[n++] = c;
    for (int k = 0; n && k < count; ++k)
        for (int u = 0; u < n; ++u) put(w, (uint32_t)code[used[u]][k], width[used[u]]);
}

static void flush(writer *w) {
    if (w->bits) *w->at++ = (uint32_t)w->held;
    w->held = 0;
    w->bits = 0;
}

// What a component of a block holds, row by row: of its own vertices, or of its even ones.
static void gather(const karst_chunk *chunk, const block *b, int number, int c, uint32_t out[BLOCK_VERTICES]) {
    int i0 = number % BLOCKS * PITCH, j0 = number / BLOCKS * PITCH, n = 0;
    const uint8_t *half = c == OCCLUSION ? chunk->occlusion : chunk->transparency;
    for (int g = 0; c >= RECORD && g < EVEN; ++g)
        for (int f = 0; f < EVEN; ++f) out[n++] = half[(j0 / 2 + g) * KARST_HALF_SIDE + i0 / 2 + f];
    for (int g = 0; c < RECORD && g < b->down; ++g) {
        const karst_vertex *v = chunk->vertex + (j0 + g) * SIDE + i0;
        const uint16_t *normal = chunk->normal + (j0 + g) * SIDE + i0;
        for (int f = 0; f < b->across; ++f, ++n)
            out[n] = c == Y    ? (uint32_t)v[f].y
                     : c == DX ? (uint32_t)(int32_t)v[f].dx
                     : c == DZ ? (uint32_t)(int32_t)v[f].dz
                     : c == NX ? normal[f] & 0xFFu
                               : normal[f] >> 8;
    }
}

// The same less the surface, as numbers of so many bits.
static int residuals(const karst_chunk *chunk, const uint32_t *words, const block *b, int number, int c,
                     int32_t out[BLOCK_VERTICES]) {
    uint32_t value[BLOCK_VERTICES];
    gather(chunk, b, number, c, value);
    int across = c < RECORD ? b->across : EVEN, down = c < RECORD ? b->down : EVEN, step = c < RECORD ? 1 : 2;
    corners k = corners_of(words, c, b->corner);
    for (int g = 0; g < down; ++g)
        for (int f = 0; f < across; ++f)
            out[g * across + f] = (int32_t)(value[g * across + f] - surface_at(&k, f * step, g * step));
    int count = across * down;
    if (bits_of[c] == 16)
        for (int n = 0; n < count; ++n) out[n] = (int16_t)out[n];
    if (bits_of[c] == 8)
        for (int n = 0; n < count; ++n) out[n] = (int8_t)out[n];
    return count;
}

static uint64_t block_holes(const karst_chunk *chunk, int number) {
    uint64_t holes = 0;
    for (int j = 0; j < PITCH; ++j)
        holes |= (chunk->hole[number / BLOCKS * PITCH + j] >> (number % BLOCKS * PITCH) & 0xFF) << (PITCH * j);
    return holes;
}

// Its two words of head go to `head`. @return words of data
static int put_block(const karst_chunk *chunk, const uint32_t *words, int number, int data, uint32_t *head,
                     uint32_t *out) {
    int32_t residual[COMPONENTS][BLOCK_VERTICES];
    uint64_t holes = block_holes(chunk, number);
    block b = {.holes = holes != 0, .data = data};
    place_block(&b, number);
    head[0] = 0;
    head[1] = (uint32_t)data | (uint32_t)b.holes << 14;
    for (int c = 0; c < COMPONENTS; ++c) {
        if ((c == DX || c == DZ) && !(words[0] & DISPLACED)) continue;
        int count = residuals(chunk, words, &b, number, c, residual[c]);
        int32_t low = residual[c][0], high = low;
        for (int k = 1; k < count; ++k) {
            low = residual[c][k] < low ? residual[c][k] : low;
            high = residual[c][k] > high ? residual[c][k] : high;
        }
        fit(low, high, bits_of[c], &b.width[c], &b.base[c], c >= RECORD);
        head[0] |= (uint32_t)b.width[c] << width_place[c];
        if (c < RECORD) head[1] |= (uint32_t)b.base[c] << base_place[c];
        for (int k = 0; k < count; ++k)
            residual[c][k] = (int32_t)((uint32_t)residual[c][k] + base_value(b.base[c], b.width[c]));
    }
    place_block(&b, number);
    writer w = {out, 0, 0};
    put_records(&w, residual, b.width, 0, RECORD, b.across * b.down);
    put_records(&w, residual, b.width, RECORD, COMPONENTS, EVEN * EVEN);
    for (int k = 0; k < 2 && b.holes; ++k) put(&w, (uint32_t)(holes >> (32 * k)), 32);
    flush(&w);
    return block_words(&b);
}

static uint32_t flags_of(const karst_chunk *chunk) {
    int moved = 0, occlusion = 0, transparency = 0;
    uint64_t holes = 0;
    for (int k = 0; k < COUNT; ++k) moved |= chunk->vertex[k].dx | chunk->vertex[k].dz;
    for (int k = 0; k < KARST_HALF_VERTICES; ++k) {
        occlusion |= chunk->occlusion[k];
        transparency |= chunk->transparency[k];
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) holes |= chunk->hole[j];
    return (moved ? (uint32_t)KARST_RESIDENT_DISPLACED : 0) | (occlusion ? (uint32_t)KARST_RESIDENT_OCCLUSION : 0) |
           (transparency ? (uint32_t)KARST_RESIDENT_TRANSPARENCY : 0) | (holes ? (uint32_t)KARST_RESIDENT_HOLES : 0);
}

int32_t karst_resident_pack(const karst_chunk *chunk, uint32_t *words) {
    words[0] = flags_of(chunk);
    uint32_t *shade = words + shade_table(words[0]), *head = shade + TABLE;
    for (int k = 0; k < TABLE; ++k) {
        int at = k / TABLE_SIDE * PITCH * SIDE + k % TABLE_SIDE * PITCH;
        int half = k / TABLE_SIDE * PITCH / 2 * KARST_HALF_SIDE + k % TABLE_SIDE * PITCH / 2;
        karst_vertex v = chunk->vertex[at];
        words[1 + k] = (uint32_t)v.y;
        if (words[0] & DISPLACED) words[1 + TABLE + k] = (uint16_t)v.dx | (uint32_t)(uint16_t)v.dz << 16;
        shade[k] =
            chunk->normal[at] | (uint32_t)chunk->occlusion[half] << 16 | (uint32_t)chunk->transparency[half] << 24;
    }
    int data = (int)(head - words) + 2 * BLOCKS * BLOCKS;
    for (int k = 0; k < BLOCKS * BLOCKS; ++k) data += put_block(chunk, words, k, data, head + 2 * k, words + data);
    words[0] |= (uint32_t)data;
    return data;
}

// ---- read ------------------------------------------------------------------------------------------

int32_t karst_resident_words(uint32_t first) {
    return (int32_t)(first & 0xFFFF);
}

bool karst_resident_check(const uint32_t *words, int32_t count) {
    if (count < 1 || karst_resident_words(words[0]) != count || words[0] >> 20) return false;
    int data = shade_table(words[0]) + TABLE + 2 * BLOCKS * BLOCKS;
    if (count < data || count > KARST_RESIDENT_WORDS_MAX) return false;
    for (int k = 0; k < BLOCKS * BLOCKS; ++k) {
        block b = read_block(words, k);
        for (int c = 0; c < COMPONENTS; ++c)
            if (b.width[c] > bits_of[c]) return false;
        if (!(words[0] & DISPLACED) && (b.width[DX] || b.width[DZ])) return false;
        if (b.data < data || b.data + block_words(&b) > count) return false;
    }
    return true;
}

static uint32_t bits_at(const uint32_t *words, int bit, int count) {
    if (!count) return 0;
    const uint32_t *at = words + bit / 32;
    int shift = bit % 32;
    uint32_t v = at[0] >> shift;
    if (shift + count > 32) v |= at[1] << (32 - shift);
    return count == 32 ? v : v & ((1u << count) - 1);
}

static int block_number(int i, int j) {
    int x = i / PITCH < BLOCKS ? i / PITCH : BLOCKS - 1, z = j / PITCH < BLOCKS ? j / PITCH : BLOCKS - 1;
    return z * BLOCKS + x;
}

// Component c at (f, g) of the block, its code at `bit`.
static uint32_t value_at(const uint32_t *words, const block *b, int c, int f, int g, int bit) {
    corners k = corners_of(words, c, b->corner);
    return surface_at(&k, f, g) + bits_at(words, bit, b->width[c]) - base_value(b->base[c], b->width[c]);
}

// The mean of the four even vertices round (f, g), which coincide where it is even.
static float even_at(const uint32_t *words, const block *b, int c, int f, int g) {
    int first = 32 * b->data + b->across * b->down * b->record + (c == TRANSPARENCY ? b->width[OCCLUSION] : 0);
    uint32_t sum = 0;
    for (int k = 0; k < 4; ++k) {
        int x = (f + k % 2) / 2, z = (g + k / 2) / 2;
        sum += value_at(words, b, c, 2 * x, 2 * z, first + (z * EVEN + x) * b->even) & 0xFF;
    }
    return (float)(int)sum * (1.0f / 1020);
}

karst_resident_vertex karst_resident_read(const uint32_t *words, int i, int j) {
    KARST_ASSERT(i >= 0 && i < SIDE && j >= 0 && j < SIDE);
    int number = block_number(i, j), f = i - number % BLOCKS * PITCH, g = j - number / BLOCKS * PITCH;
    block b = read_block(words, number);
    int bit = 32 * b.data + (g * b.across + f) * b.record;
    karst_resident_vertex v = {0};
    v.vertex.y = (int32_t)value_at(words, &b, Y, f, g, bit);
    bit += b.width[Y];
    if (words[0] & DISPLACED) {
        v.vertex.dx = (int16_t)(uint16_t)value_at(words, &b, DX, f, g, bit);
        bit += b.width[DX];
        v.vertex.dz = (int16_t)(uint16_t)value_at(words, &b, DZ, f, g, bit);
        bit += b.width[DZ];
    }
    uint32_t nx = value_at(words, &b, NX, f, g, bit) & 0xFF;
    uint32_t nz = value_at(words, &b, NZ, f, g, bit + b.width[NX]) & 0xFF;
    v.normal = (uint16_t)(nx | nz << 8);
    v.occlusion = words[0] & KARST_RESIDENT_OCCLUSION ? even_at(words, &b, OCCLUSION, f, g) : 0;
    v.opacity = words[0] & KARST_RESIDENT_TRANSPARENCY ? 1 - even_at(words, &b, TRANSPARENCY, f, g) : 1;
    return v;
}

bool karst_resident_hole(const uint32_t *words, int i, int j) {
    KARST_ASSERT(i >= 0 && i < KARST_CHUNK_CELLS && j >= 0 && j < KARST_CHUNK_CELLS);
    block b = read_block(words, block_number(i, j));
    if (!b.holes) return false;
    int bit = 32 * b.data + b.across * b.down * b.record + EVEN * EVEN * b.even;
    return bits_at(words, bit + j % PITCH * PITCH + i % PITCH, 1);
}
