// SPDX-License-Identifier: MIT
// Frequencies, their bytes, and coding; reading by vectors is in plane_body.h, too.
#include "pack/rans.h"

#include <math.h>

enum { WHOLE = 1 << KST_RANS_BITS };

// ---- frequencies ---------------------------------------------------------------------------------

void kst_rans_count(kst_rans_counts *counts, const uint32_t *number, const uint16_t *table, int count) {
    for (int i = 0; i < count; ++i) ++counts->of[table[i]][kst_rans_token(number[i])];
}

// What it costs to give a token one more or one less.
static double regret(uint32_t count, int frequency, int change) {
    return (double)count * (log2((double)frequency) - log2((double)(frequency + change)));
}

static void fit_frequencies(const uint32_t *count, uint16_t *out) {
    uint64_t total = 0;
    int sum = 0;
    for (int t = 0; t < KST_RANS_TOKENS; ++t) total += count[t];
    for (int t = 0; t < KST_RANS_TOKENS; ++t) {
        uint64_t share = ((uint64_t)count[t] * WHOLE + total / 2) / total;
        out[t] = (uint16_t)(count[t] && !share ? 1 : share);
        sum += out[t];
    }
    while (sum != WHOLE) {
        int change = sum < WHOLE ? 1 : -1, best = -1;
        double least = INFINITY;
        for (int t = 0; t < KST_RANS_TOKENS; ++t) {
            if (!out[t] || (change < 0 && out[t] < 2)) continue;
            double r = regret(count[t], out[t], change);
            if (r < least) least = r, best = t;
        }
        out[best] = (uint16_t)(out[best] + change);
        sum += change;
    }
}

void kst_rans_model_make(const kst_rans_counts *counts, bool open, kst_rans_model *out) {
    memset(out, 0, sizeof *out);
    for (int c = 0; c < KST_RANS_NOTHING; ++c) {
        uint32_t count[KST_RANS_TOKENS];
        memcpy(count, counts->of[c], sizeof count);
        if (open) count[KST_RANS_ESCAPE] += 1;
        bool any = false;
        for (int t = 0; t < KST_RANS_ESCAPE; ++t) any |= count[t] > 0;
        if (any) {
            fit_frequencies(count, out->frequency[c]);
        } else if (c) {
            memcpy(out->frequency[c], out->frequency[c - 1], sizeof out->frequency[c]);
        } else {
            out->frequency[c][KST_RANS_ESCAPE] = WHOLE;
        }
    }
    out->frequency[KST_RANS_NOTHING][0] = WHOLE;
}

// ---- frequencies as bytes ------------------------------------------------------------------------
//
// For each table but the last a bit: 0, as the one before (the first: nothing but escapes). Otherwise the frequencies
// of the escape, of token 0, of token 1 ... until they sum to 2^11, each written as f + 1 by Elias: as many zeros as it
// has bits less one, then its bits, high first.

typedef struct bit_out {
    uint8_t *at;
    size_t room, bit;
} bit_out;

static void put_bit(bit_out *o, uint32_t bit) {
    if (o->bit / 8 < o->room) {
        if (o->bit % 8 == 0) o->at[o->bit / 8] = 0;
        o->at[o->bit / 8] |= (uint8_t)(bit << (o->bit % 8));
    }
    ++o->bit;
}

static void put_frequency(bit_out *o, uint32_t frequency) {
    uint32_t v = frequency + 1;
    int bits = 31 - __builtin_clz(v);
    for (int i = 0; i < bits; ++i) put_bit(o, 0);
    for (int i = bits; i >= 0; --i) put_bit(o, v >> i & 1);
}

size_t kst_rans_model_write(const kst_rans_model *model, uint8_t *out, size_t room) {
    bit_out o = {out, room, 0};
    uint16_t before[KST_RANS_TOKENS] = {0};
    before[KST_RANS_ESCAPE] = WHOLE;
    for (int c = 0; c < KST_RANS_NOTHING; ++c) {
        const uint16_t *f = model->frequency[c];
        bool fresh = memcmp(f, before, sizeof before) != 0;
        put_bit(&o, fresh);
        if (!fresh) continue;
        put_frequency(&o, f[KST_RANS_ESCAPE]);
        for (int t = 0, sum = f[KST_RANS_ESCAPE]; sum < WHOLE; sum += f[t++]) put_frequency(&o, f[t]);
        memcpy(before, f, sizeof before);
    }
    size_t size = (o.bit + 7) / 8;
    return size <= room ? size : 0;
}

typedef struct bit_in {
    kst_reader *r;
    uint32_t byte;
    int left;
} bit_in;

static uint32_t get_bit(bit_in *in) {
    if (!in->left) {
        in->byte = kst_read_u8(in->r);
        in->left = 8;
    }
    uint32_t bit = in->byte & 1;
    in->byte >>= 1;
    --in->left;
    return bit;
}

static uint32_t get_frequency(bit_in *in) {
    int bits = 0;
    while (bits <= KST_RANS_BITS && !get_bit(in)) ++bits;
    uint32_t v = 1;
    for (int i = 0; i < bits; ++i) v = v << 1 | get_bit(in);
    return v - 1;
}

bool kst_rans_model_read(kst_reader *r, kst_rans_model *out) {
    bit_in in = {r, 0, 0};
    memset(out, 0, sizeof *out);
    uint16_t before[KST_RANS_TOKENS] = {0};
    before[KST_RANS_ESCAPE] = WHOLE;
    for (int c = 0; c < KST_RANS_NOTHING; ++c) {
        if (get_bit(&in)) {
            memset(before, 0, sizeof before);
            uint32_t sum = get_frequency(&in);
            before[KST_RANS_ESCAPE] = (uint16_t)sum;
            for (int t = 0; t < KST_RANS_ESCAPE && sum < WHOLE; ++t) {
                uint32_t f = get_frequency(&in);
                before[t] = (uint16_t)f;
                sum += f;
            }
            if (sum != WHOLE || r->bad) return false;
        }
        memcpy(out->frequency[c], before, sizeof before);
    }
    out->frequency[KST_RANS_NOTHING][0] = WHOLE;
    return !r->bad && !in.byte;  // what is left of the last byte is zeros
}

// ---- tables for coding ---------------------------------------------------------------------------

void kst_rans_slots_make(const kst_rans_model *model, kst_rans_slots *out) {
    for (int c = 0; c < KST_RANS_TABLES; ++c) {
        uint32_t *at = out->slot + (c << KST_RANS_BITS);
        if (c && c < KST_RANS_NOTHING &&
            !memcmp(model->frequency[c], model->frequency[c - 1], sizeof *model->frequency)) {
            memcpy(at, at - WHOLE, WHOLE * sizeof *at);
            continue;
        }
        for (uint32_t t = 0; t < KST_RANS_TOKENS; ++t) {
            uint32_t f = model->frequency[c][t];
            for (uint32_t k = 0; k < f; ++k) *at++ = f << 19 | k << 8 | t;
        }
    }
}

void kst_rans_codes_make(const kst_rans_model *model, kst_rans_codes *out) {
    for (int c = 0; c < KST_RANS_TABLES; ++c) {
        uint32_t start = 0;
        for (int t = 0; t < KST_RANS_TOKENS; ++t) {
            uint32_t f = model->frequency[c][t];
            out->of[c][t].frequency = (uint16_t)f;
            out->of[c][t].start = (uint16_t)start;
            out->of[c][t].reciprocal = f ? ((UINT64_C(1) << 43) + f - 1) / f : 0;
            start += f;
        }
    }
}

// ---- coding --------------------------------------------------------------------------------------

static bool put_raw_bits(const kst_rans_run *runs, int run_count, uint8_t **at, const uint8_t *end) {
    uint64_t pending = 0;
    int bits = 0;
    for (int r = 0; r < run_count; ++r)
        for (int i = 0; i < runs[r].count; ++i) {
            uint32_t number = runs[r].number[i];
            int token = kst_rans_token(number);
            bool escape = !runs[r].codes->of[runs[r].table[i]][token].frequency;
            if (token < KST_RANS_DIRECT && !escape) continue;
            int count = kst_rans_raw_bits(escape ? KST_RANS_ESCAPE : token);
            pending |= (number & ((UINT64_C(1) << count) - 1)) << bits;
            for (bits += count; bits >= 8; bits -= 8, pending >>= 8) {
                if (*at == end) return false;
                *(*at)++ = (uint8_t)pending;
            }
        }
    if (bits && *at == end) return false;
    if (bits) *(*at)++ = (uint8_t)pending;
    return true;
}

size_t kst_rans_encode(const kst_rans_run *runs, int run_count, const uint8_t load[KST_RANS_LOAD], uint8_t *out,
                       size_t room) {
    // Words come out last first: they are written downward from the end of the room, then moved.
    uint32_t state[KST_RANS_LANES];
    for (int l = 0; l < KST_RANS_LANES; ++l) state[l] = 0x10000u | load[2 * l] | (uint32_t)load[2 * l + 1] << 8;
    uint8_t *low = out + room;
    for (int r = run_count - 1; r >= 0; --r) {
        const kst_rans_run *run = &runs[r];
        KARST_ASSERT(run->count % KST_RANS_LANES == 0);
        for (int i = run->count - 1; i >= 0; --i) {
            uint32_t *x = &state[i % KST_RANS_LANES];
            int token = kst_rans_token(run->number[i]);
            if (!run->codes->of[run->table[i]][token].frequency) token = KST_RANS_ESCAPE;
            uint64_t reciprocal = run->codes->of[run->table[i]][token].reciprocal;
            uint32_t f = run->codes->of[run->table[i]][token].frequency;
            KARST_ASSERT(f);
            if (f == WHOLE) continue;
            if (*x >= f << (32 - KST_RANS_BITS)) {
                if (low - out < 2) return 0;
                *--low = (uint8_t)(*x >> 8);
                *--low = (uint8_t)*x;
                *x >>= 16;
            }
            uint32_t q = (uint32_t)((unsigned __int128)*x * reciprocal >> 43);
            *x = (q << KST_RANS_BITS) + (*x - q * f) + run->codes->of[run->table[i]][token].start;
        }
    }
    size_t words = (size_t)(out + room - low) / 2;
    uint8_t *at = out;
    if (low - out < 5 + 4 * KST_RANS_LANES) return 0;
    for (size_t v = words; at == out || v; v >>= 7) *at++ = (uint8_t)((v & 127) | (v > 127 ? 128 : 0));
    kst_out states = {at};
    for (int l = 0; l < KST_RANS_LANES; ++l) kst_put_uint(&states, state[l], 4);
    memmove(states.at, low, words * 2);
    at = states.at + words * 2;
    return put_raw_bits(runs, run_count, &at, out + room) ? (size_t)(at - out) : 0;
}

// ---- reading -------------------------------------------------------------------------------------

bool kst_unrans_begin(kst_unrans *u, const uint8_t *bytes, size_t size) {
    kst_reader r = {bytes, bytes + size, false};
    uint64_t words = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        uint8_t byte = kst_read_u8(&r);
        words |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) break;
        if (shift == 28) return false;
    }
    for (int l = 0; l < KST_RANS_LANES; ++l) u->state[l] = kst_read_u32(&r);
    if (r.bad || words > (uint64_t)(r.end - r.at) / 2) return false;
    u->word = r.at;
    u->word_end = u->bits = r.at + 2 * words;
    u->bit = 0;
    u->bit_end = 8 * (uint64_t)(r.end - u->bits);
    return true;
}

bool kst_unrans_end(const kst_unrans *u, uint8_t load[KST_RANS_LOAD]) {
    uint32_t over = 0;
    for (int l = 0; l < KST_RANS_LANES; ++l) {
        over |= u->state[l] >> 16 ^ 1;
        load[2 * l] = (uint8_t)u->state[l];
        load[2 * l + 1] = (uint8_t)(u->state[l] >> 8);
    }
    return !over && u->word == u->word_end && (u->bit + 7) / 8 == u->bit_end / 8;
}

bool kst_unrans_row(kst_unrans *u, const kst_rans_slots *slots, const uint16_t table[KST_RANS_ROW],
                    uint32_t number[KST_RANS_ROW]) {
    for (int i = 0; i < KST_RANS_ROW; ++i) {
        uint32_t *x = &u->state[i % KST_RANS_LANES];
        uint32_t e = slots->slot[(uint32_t)table[i] << KST_RANS_BITS | (*x & (WHOLE - 1))];
        *x = (e >> 19) * (*x >> KST_RANS_BITS) + (e >> 8 & (WHOLE - 1));
        if (*x < 0x10000) {
            *x = *x << 16 | u->word[0] | (uint32_t)u->word[1] << 8;
            u->word += 2;
        }
        number[i] = e & 255;
    }
    for (int i = 0; i < KST_RANS_ROW; ++i)
        if (number[i] >= KST_RANS_DIRECT) number[i] = kst_unrans_large(u, number[i]);
    return u->word <= u->word_end && u->bit <= u->bit_end;
}
