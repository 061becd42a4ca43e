// SPDX-License-Identifier: MIT
// Resident form: a chunk in as few bits a vertex as its own ranges take. The layout is told in karst/resident.h; the
// reading half is the CPU twin of stored() and stored_normal() in src/gl/shaders/drawn.glsl, a change here is one
// there.
#include "karst/resident.h"

#include "core/core.h"

enum {
    SIDE = KARST_CHUNK_SIDE,
    COUNT = KARST_CHUNK_VERTICES,
    PITCH = KARST_RESIDENT_PITCH,
    TABLE_SIDE = KARST_RESIDENT_SIDE,
    TABLE = TABLE_SIDE * TABLE_SIDE,
    HEAD = 4,
    HALF = KARST_HALF_VERTICES,
    HALF_WORDS = (HALF + 3) / 4,
    HOLE_WORDS = 2 * KARST_CHUNK_CELLS,
    DISPLACED = 1,
    OCCLUSION = 2,
    TRANSPARENCY = 4,
    HOLES = 8,
    MOST_BITS = 32 + 16 + 16 + 8 + 8,
};
_Static_assert(KARST_RESIDENT_WORDS_MAX ==
                   HEAD + 2 * TABLE + (COUNT * MOST_BITS + 31) / 32 + 2 * HALF_WORDS + HOLE_WORDS,
               "what the header says is what the layout takes");

// The first word, and where the parts lie.
typedef struct layout {
    int y, dx, dz, nx, nz;  // bits
    int record;             // their sum
    int flags;
    int vertices, occlusion, transparency, holes, end;  // first words
} layout;

static layout layout_of(uint32_t first) {
    layout l = {.y = (int)(first & 63),
                .dx = (int)(first >> 6 & 31),
                .dz = (int)(first >> 11 & 31),
                .nx = (int)(first >> 16 & 15),
                .nz = (int)(first >> 20 & 15),
                .flags = (int)(first >> 24)};
    l.record = l.y + l.dx + l.dz + l.nx + l.nz;
    l.vertices = HEAD + (l.flags & DISPLACED ? 2 : 1) * TABLE;
    l.occlusion = l.vertices + (COUNT * l.record + 31) / 32;
    l.transparency = l.occlusion + (l.flags & OCCLUSION ? HALF_WORDS : 0);
    l.holes = l.transparency + (l.flags & TRANSPARENCY ? HALF_WORDS : 0);
    l.end = l.holes + (l.flags & HOLES ? HOLE_WORDS : 0);
    return l;
}

static bool is_layout(const layout *l) {
    return l->y <= 32 && l->dx <= 16 && l->dz <= 16 && l->nx <= 8 && l->nz <= 8 &&
           l->flags <= (DISPLACED | OCCLUSION | TRANSPARENCY | HOLES) && (l->flags & DISPLACED || !(l->dx | l->dz));
}

int32_t karst_resident_words(uint32_t first) {
    layout l = layout_of(first);
    return is_layout(&l) ? l.end : 0;
}

// ---- prediction: bilinear between four corners, in arithmetic that wraps ---------------------------

// Where a vertex lies in the table: its corner (0, 0) and the weights of the four.
typedef struct spot {
    int corner;
    uint32_t w[4];
} spot;

static spot spot_of(int i, int j) {
    int a = i / PITCH < TABLE_SIDE - 2 ? i / PITCH : TABLE_SIDE - 2;
    int b = j / PITCH < TABLE_SIDE - 2 ? j / PITCH : TABLE_SIDE - 2;
    uint32_t f = (uint32_t)(i - a * PITCH), g = (uint32_t)(j - b * PITCH);
    return (spot){b * TABLE_SIDE + a, {(PITCH - f) * (PITCH - g), f * (PITCH - g), (PITCH - f) * g, f * g}};
}

static uint32_t blend(const spot *s, uint32_t c00, uint32_t c10, uint32_t c01, uint32_t c11) {
    uint32_t sum = s->w[0] * c00 + s->w[1] * c10 + s->w[2] * c01 + s->w[3] * c11 + PITCH * PITCH / 2;
    return (uint32_t)((int32_t)sum >> 6);
}

// The corners of a spot in a table of words as they are (y), or of their low or high halves with their sign.
static uint32_t blend_words(const spot *s, const uint32_t *table) {
    const uint32_t *c = table + s->corner;
    return blend(s, c[0], c[1], c[TABLE_SIDE], c[TABLE_SIDE + 1]);
}
static uint32_t low(uint32_t word) {
    return (uint32_t)(int32_t)(int16_t)(word & 0xFFFF);
}
static uint32_t high(uint32_t word) {
    return (uint32_t)(int32_t)(int16_t)(word >> 16);
}
static uint32_t blend_low(const spot *s, const uint32_t *table) {
    const uint32_t *c = table + s->corner;
    return blend(s, low(c[0]), low(c[1]), low(c[TABLE_SIDE]), low(c[TABLE_SIDE + 1]));
}
static uint32_t blend_high(const spot *s, const uint32_t *table) {
    const uint32_t *c = table + s->corner;
    return blend(s, high(c[0]), high(c[1]), high(c[TABLE_SIDE]), high(c[TABLE_SIDE + 1]));
}

// ---- pack ------------------------------------------------------------------------------------------

static uint32_t sideways(karst_vertex v) {
    return (uint32_t)(uint16_t)v.dx | (uint32_t)(uint16_t)v.dz << 16;
}

// Residuals of one component; after spread() codes from 0 on.
typedef struct component {
    int32_t value[COUNT];
    int32_t least;
    int bits;
} component;

static void spread(component *c) {
    int32_t least = c->value[0], most = least;
    for (int k = 1; k < COUNT; ++k) {
        least = c->value[k] < least ? c->value[k] : least;
        most = c->value[k] > most ? c->value[k] : most;
    }
    for (int k = 0; k < COUNT; ++k) c->value[k] = (int32_t)((uint32_t)c->value[k] - (uint32_t)least);
    uint32_t range = (uint32_t)most - (uint32_t)least;
    c->least = least;
    c->bits = range ? 32 - __builtin_clz(range) : 0;
}

static void put_records(const component *c, int count, uint32_t *out) {
    uint64_t held = 0;
    int bits = 0;
    for (int k = 0; k < COUNT; ++k)
        for (int a = 0; a < count; ++a) {
            held |= (uint64_t)(uint32_t)c[a].value[k] << bits;
            bits += c[a].bits;
            if (bits < 32) continue;
            *out++ = (uint32_t)held;
            held >>= 32;
            bits -= 32;
        }
    if (bits) *out = (uint32_t)held;
}

static int any_flags(const karst_chunk *chunk) {
    int moved = 0, occlusion = 0, transparency = 0;
    uint64_t holes = 0;
    for (int k = 0; k < COUNT; ++k) moved |= chunk->vertex[k].dx | chunk->vertex[k].dz;
    for (int k = 0; k < HALF; ++k) {
        occlusion |= chunk->occlusion[k];
        transparency |= chunk->transparency[k];
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) holes |= chunk->hole[j];
    return (moved ? DISPLACED : 0) | (occlusion ? OCCLUSION : 0) | (transparency ? TRANSPARENCY : 0) |
           (holes ? HOLES : 0);
}

static void put_half(const uint8_t half[HALF], uint32_t *out) {
    for (int k = 0; k < HALF_WORDS; ++k) out[k] = 0;
    for (int k = 0; k < HALF; ++k) out[k / 4] |= (uint32_t)half[k] << (8 * (k % 4));
}

int32_t karst_resident_pack(const karst_chunk *chunk, uint32_t *words) {
    int flags = any_flags(chunk);
    uint32_t *table = words + HEAD, *moved = table + TABLE;
    for (int b = 0; b < TABLE_SIDE; ++b)
        for (int a = 0; a < TABLE_SIDE; ++a) {
            karst_vertex v = chunk->vertex[b * PITCH * SIDE + a * PITCH];
            table[b * TABLE_SIDE + a] = (uint32_t)v.y;
            if (flags & DISPLACED) moved[b * TABLE_SIDE + a] = sideways(v);
        }
    component c[5];  // y, dx, dz, nx, nz
    for (int k = 0; k < COUNT; ++k) {
        spot s = spot_of(k % SIDE, k / SIDE);
        karst_vertex v = chunk->vertex[k];
        c[0].value[k] = (int32_t)((uint32_t)v.y - blend_words(&s, table));
        c[1].value[k] = flags & DISPLACED ? (int16_t)(uint16_t)((uint32_t)v.dx - blend_low(&s, moved)) : 0;
        c[2].value[k] = flags & DISPLACED ? (int16_t)(uint16_t)((uint32_t)v.dz - blend_high(&s, moved)) : 0;
        c[3].value[k] = chunk->normal[k] & 0xFF;
        c[4].value[k] = chunk->normal[k] >> 8;
    }
    for (int a = 0; a < 5; ++a) spread(&c[a]);
    words[0] = (uint32_t)c[0].bits | (uint32_t)c[1].bits << 6 | (uint32_t)c[2].bits << 11 | (uint32_t)c[3].bits << 16 |
               (uint32_t)c[4].bits << 20 | (uint32_t)flags << 24;
    words[1] = (uint32_t)c[0].least;
    words[2] = ((uint32_t)c[1].least & 0xFFFF) | (uint32_t)c[2].least << 16;
    words[3] = (uint32_t)c[3].least | (uint32_t)c[4].least << 8;
    layout l = layout_of(words[0]);
    put_records(c, 5, words + l.vertices);
    if (flags & OCCLUSION) put_half(chunk->occlusion, words + l.occlusion);
    if (flags & TRANSPARENCY) put_half(chunk->transparency, words + l.transparency);
    for (int k = 0; k < HOLE_WORDS && flags & HOLES; ++k)
        words[l.holes + k] = (uint32_t)(chunk->hole[k / 2] >> (32 * (k % 2)));
    return l.end;
}

// ---- read ------------------------------------------------------------------------------------------

static uint32_t bits_at(const uint32_t *words, int bit, int count) {
    if (!count) return 0;
    const uint32_t *at = words + bit / 32;
    int shift = bit % 32;
    uint32_t v = at[0] >> shift;
    if (shift + count > 32) v |= at[1] << (32 - shift);
    return count == 32 ? v : v & ((1u << count) - 1);
}

// The mean of the four even vertices round (i, j), which coincide where it is even.
static float half_at(const uint32_t *words, int i, int j) {
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
        int at = (j + k / 2) / 2 * KARST_HALF_SIDE + (i + k % 2) / 2;
        sum += (int)(words[at / 4] >> (8 * (at % 4)) & 255);
    }
    return (float)sum * (1.0f / 1020);
}

karst_resident_vertex karst_resident_read(const uint32_t *words, int i, int j) {
    layout l = layout_of(words[0]);
    KARST_ASSERT(is_layout(&l) && i >= 0 && i < SIDE && j >= 0 && j < SIDE);
    const uint32_t *table = words + HEAD, *moved = table + TABLE;
    spot s = spot_of(i, j);
    int bit = 32 * l.vertices + (j * SIDE + i) * l.record;
    karst_resident_vertex v = {0};
    v.vertex.y = (int32_t)(blend_words(&s, table) + words[1] + bits_at(words, bit, l.y));
    bit += l.y;
    if (l.flags & DISPLACED) {
        v.vertex.dx = (int16_t)(uint16_t)(blend_low(&s, moved) + words[2] + bits_at(words, bit, l.dx));
        bit += l.dx;
        v.vertex.dz = (int16_t)(uint16_t)(blend_high(&s, moved) + (words[2] >> 16) + bits_at(words, bit, l.dz));
        bit += l.dz;
    }
    uint32_t nx = (words[3] + bits_at(words, bit, l.nx)) & 0xFF;
    uint32_t nz = ((words[3] >> 8) + bits_at(words, bit + l.nx, l.nz)) & 0xFF;
    v.normal = (uint16_t)(nx | nz << 8);
    v.occlusion = l.flags & OCCLUSION ? half_at(words + l.occlusion, i, j) : 0;
    v.opacity = l.flags & TRANSPARENCY ? 1 - half_at(words + l.transparency, i, j) : 1;
    return v;
}

bool karst_resident_hole(const uint32_t *words, int i, int j) {
    layout l = layout_of(words[0]);
    KARST_ASSERT(is_layout(&l) && i >= 0 && i < KARST_CHUNK_CELLS && j >= 0 && j < KARST_CHUNK_CELLS);
    return l.flags & HOLES && words[l.holes + 2 * j + i / 32] >> (i % 32) & 1;
}
