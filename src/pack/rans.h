// SPDX-License-Identifier: MIT
// Entropy coding of small integers whose likely size is known beforehand: thirty-two interleaved rANS states.
//
// After: J. Duda, "Asymmetric numeral systems", 2013; F. Giesen, "Interleaved entropy coders", 2014. Number i belongs
// to state i % 32, so two vectors of sixteen are decoded side by side (one alone would wait for its own look-ups), and
// every number says which of 32 tables it is coded by.
//
// A number is a token and, from 32 on, raw bits: 0..31 stand for themselves; above, four tokens an octave, and the
// bits below the top three stand in a string of bits of their own. The last token is followed by all 32 bits; it codes
// what a table has no place for.
#pragma once
#include "core/core.h"

enum {
    KST_RANS_BITS = 11,  // a table's frequencies sum to 2^11
    KST_RANS_LANES = 32,
    KST_RANS_LOAD = 2 * KST_RANS_LANES,  // bytes that travel in the starting states
    KST_RANS_TABLES = 32,
    KST_RANS_NOTHING = 31,  // the table of what is known beforehand: 0, and not a bit is spent
    KST_RANS_DIRECT = 32,   // numbers that are their own tokens
    KST_RANS_ESCAPE = KST_RANS_DIRECT + 4 * (32 - 5),
    KST_RANS_TOKENS = KST_RANS_ESCAPE + 1,
    KST_RANS_ROW = 64,   // numbers that are decoded between two looks at how far reading went
    KST_RANS_PAD = 192,  // bytes beyond its end that a decoder may look at
};

typedef struct kst_rans_counts {
    uint32_t of[KST_RANS_TABLES][KST_RANS_TOKENS];
} kst_rans_counts;

typedef struct kst_rans_model {
    uint16_t frequency[KST_RANS_TABLES][KST_RANS_TOKENS];
} kst_rans_model;

// For decoding: by table and the low bits of a state, frequency << 19 | place in the token's range << 8 | token.
typedef struct kst_rans_slots {
    _Alignas(64) uint32_t slot[KST_RANS_TABLES << KST_RANS_BITS];
} kst_rans_slots;

// For encoding.
typedef struct kst_rans_codes {
    struct {
        uint64_t reciprocal;  // 2^43 / frequency, rounded up: x / frequency is exact for 32 bits of x
        uint16_t frequency, start;
    } of[KST_RANS_TABLES][KST_RANS_TOKENS];
} kst_rans_codes;

// Numbers to code, a multiple of 32 of them, and the table of each.
typedef struct kst_rans_run {
    const uint32_t *number;
    const uint16_t *table;
    int count;
    const kst_rans_codes *codes;
} kst_rans_run;

static inline uint32_t kst_zigzag(uint32_t v) {
    return v << 1 ^ (uint32_t)((int32_t)v >> 31);
}
static inline uint32_t kst_unzigzag(uint32_t v) {
    return v >> 1 ^ (0u - (v & 1));
}

static inline int kst_rans_token(uint32_t number) {
    if (number < KST_RANS_DIRECT) return (int)number;
    int octave = 31 - __builtin_clz(number);
    return KST_RANS_DIRECT + (octave - 5) * 4 + (int)(number >> (octave - 2) & 3);
}
// Raw bits behind a token.
static inline int kst_rans_raw_bits(int token) {
    return token < KST_RANS_DIRECT ? 0 : token == KST_RANS_ESCAPE ? 32 : 3 + ((token - KST_RANS_DIRECT) >> 2);
}

void kst_rans_count(kst_rans_counts *counts, const uint32_t *number, const uint16_t *table, int count);

// Frequencies from counts. open: the counts are of a part only, so every table gets a place for what it has not met.
void kst_rans_model_make(const kst_rans_counts *counts, bool open, kst_rans_model *out);
// As bytes; the size, 0 when room is too small. 16 KB is always enough.
size_t kst_rans_model_write(const kst_rans_model *model, uint8_t *out, size_t room);
// From untrusted bytes: every table comes out whole, or false.
bool kst_rans_model_read(kst_reader *r, kst_rans_model *out);
void kst_rans_slots_make(const kst_rans_model *model, kst_rans_slots *out);
void kst_rans_codes_make(const kst_rans_model *model, kst_rans_codes *out);

// Code all runs, one after the other, into a stream; its size, 0 when room is too small. load: bytes that travel in the
// starting states for nothing.
//
//     words (1 to 5 bytes, 7 bits each, low first) | 32 states, u32 | words, u16 | raw bits, low first
size_t kst_rans_encode(const kst_rans_run *runs, int run_count, const uint8_t load[KST_RANS_LOAD], uint8_t *out,
                       size_t room);

// A stream that is read.
typedef struct kst_unrans {
    uint32_t state[KST_RANS_LANES];
    const uint8_t *word, *word_end;  // next of the words
    const uint8_t *bits;             // raw bits
    uint64_t bit, bit_end;           // next of them
} kst_unrans;

// Begin with untrusted bytes, behind which KST_RANS_PAD more may be looked at (whatever is there). False when they
// are no stream.
bool kst_unrans_begin(kst_unrans *u, const uint8_t *bytes, size_t size);
// Was all read, not a bit less or more? Then gives the load.
bool kst_unrans_end(const kst_unrans *u, uint8_t load[KST_RANS_LOAD]);
// Decode a row of 64 numbers, table by table; reading never goes beyond the pad. False: it went past the end.
bool kst_unrans_row(kst_unrans *u, const kst_rans_slots *slots, const uint16_t table[KST_RANS_ROW],
                    uint32_t number[KST_RANS_ROW]);

static inline uint32_t kst_unrans_bits(kst_unrans *u, int count) {  // 1..32
    const uint8_t *p = u->bits + (u->bit < u->bit_end ? u->bit >> 3 : u->bit_end >> 3);
    uint64_t v =
        (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32;
    v >>= u->bit & 7;
    u->bit += (uint64_t)count;
    return (uint32_t)v & (uint32_t)((UINT64_C(1) << count) - 1);
}
// The number that begins with a token of 32 or more.
static inline uint32_t kst_unrans_large(kst_unrans *u, uint32_t token) {
    int bits = kst_rans_raw_bits((int)token);
    uint32_t low = kst_unrans_bits(u, bits);
    return bits == 32 ? low : (4 | (token & 3)) << bits | low;
}
