// SPDX-License-Identifier: MIT
// Checksums and keys: XXH3, 64 bits, after the specification by Y. Collet. Files depend on its values for ever.
//
// Our own, so that library karst needs no package but zstd; tests compare it with libxxhash.
#include "core/core.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files and hashes are read in place as little-endian"
#endif

enum { STRIPE = 64, LANES = 8, SECRET = 192, CONSUME = 8, STRIPES_A_BLOCK = (SECRET - STRIPE) / CONSUME };

static const uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                      p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u, mx1 = 0x165667919E3779F9u,
                      mx2 = 0x9FB21C651E98DF25u;
static const uint32_t q1 = 0x9E3779B1u, q2 = 0x85EBCA77u, q3 = 0xC2B2AE3Du;

// The specification's default secret.
static const uint8_t secret[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,  //
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,  //
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,  //
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,  //
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,  //
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,  //
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,  //
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,  //
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,  //
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,  //
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,  //
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,  //
};

static inline uint64_t get64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}
static inline uint64_t get32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
static inline uint64_t rotate(uint64_t v, int by) {
    return v << by | v >> (64 - by);
}
static inline uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
static inline uint64_t avalanche(uint64_t h) {
    h = (h ^ h >> 37) * mx1;
    return h ^ h >> 32;
}
static inline uint64_t avalanche_short(uint64_t h) {
    h = (h ^ h >> 33) * p2;
    h = (h ^ h >> 29) * p3;
    return h ^ h >> 32;
}

static uint64_t hash_to_16(const uint8_t *in, size_t size, uint64_t seed) {
    if (size > 8) {
        uint64_t low = get64(in) ^ ((get64(secret + 24) ^ get64(secret + 32)) + seed);
        uint64_t high = get64(in + size - 8) ^ ((get64(secret + 40) ^ get64(secret + 48)) - seed);
        return avalanche(size + __builtin_bswap64(low) + high + fold(low, high));
    }
    if (size >= 4) {
        seed ^= (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;
        uint64_t key = (get64(secret + 8) ^ get64(secret + 16)) - seed;
        uint64_t h = (get32(in + size - 4) + (get32(in) << 32)) ^ key;
        h = (h ^ rotate(h, 49) ^ rotate(h, 24)) * mx2;
        h = (h ^ ((h >> 35) + size)) * mx2;
        return h ^ h >> 28;
    }
    if (size) {
        uint64_t all = (uint64_t)in[0] << 16 | (uint64_t)in[size >> 1] << 24 | in[size - 1] | (uint64_t)size << 8;
        return avalanche_short(all ^ ((get32(secret) ^ get32(secret + 4)) + seed));
    }
    return avalanche_short(seed ^ get64(secret + 56) ^ get64(secret + 64));
}

static inline uint64_t mix16(const uint8_t *in, const uint8_t *key, uint64_t seed) {
    return fold(get64(in) ^ (get64(key) + seed), get64(in + 8) ^ (get64(key + 8) - seed));
}

static uint64_t hash_to_240(const uint8_t *in, size_t size, uint64_t seed) {
    uint64_t sum = size * p1;
    if (size <= 128) {  // pairs from both ends toward the middle
        for (size_t i = 0; i <= (size - 1) / 32; ++i)
            sum +=
                mix16(in + 16 * i, secret + 32 * i, seed) + mix16(in + size - 16 * (i + 1), secret + 32 * i + 16, seed);
        return avalanche(sum);
    }
    size_t rounds = size / 16;
    for (size_t i = 0; i < 8; ++i) sum += mix16(in + 16 * i, secret + 16 * i, seed);
    sum = avalanche(sum);
    for (size_t i = 8; i < rounds; ++i) sum += mix16(in + 16 * i, secret + 16 * (i - 8) + 3, seed);
    return avalanche(sum + mix16(in + size - 16, secret + 136 - 17, seed));
}

static inline void accumulate(uint64_t lane[LANES], const uint8_t *in, const uint8_t *key) {
    uint64_t mixed[LANES], value[LANES];
    for (int i = 0; i < LANES; ++i) {
        value[i] = get64(in + 8 * i);
        mixed[i] = value[i] ^ get64(key + 8 * i);
    }
    for (int i = 0; i < LANES; ++i) lane[i] += value[i ^ 1] + (mixed[i] & UINT32_MAX) * (mixed[i] >> 32);
}

static uint64_t hash_long(const uint8_t *in, size_t size, uint64_t seed) {
    uint8_t key[SECRET];
    for (int i = 0; i < SECRET; i += 16) {
        uint64_t low = get64(secret + i) + seed, high = get64(secret + i + 8) - seed;
        memcpy(key + i, &low, 8);
        memcpy(key + i + 8, &high, 8);
    }
    uint64_t lane[LANES] = {q3, p1, p2, p3, p4, q2, p5, q1};
    size_t stripes = (size - 1) / STRIPE;
    for (size_t s = 0; s < stripes; ++s) {
        size_t turn = s % STRIPES_A_BLOCK;
        accumulate(lane, in + s * STRIPE, key + turn * CONSUME);
        if (turn == STRIPES_A_BLOCK - 1)
            for (int i = 0; i < LANES; ++i)
                lane[i] = (lane[i] ^ lane[i] >> 47 ^ get64(key + SECRET - STRIPE + 8 * i)) * q1;
    }
    accumulate(lane, in + size - STRIPE, key + SECRET - STRIPE - 7);
    uint64_t sum = size * p1;
    for (int i = 0; i < LANES; i += 2)
        sum += fold(lane[i] ^ get64(key + 11 + 8 * i), lane[i + 1] ^ get64(key + 11 + 8 * i + 8));
    return avalanche(sum);
}

uint64_t kst_hash(const void *bytes, size_t size, uint64_t seed) {
    if (size <= 16) return hash_to_16(bytes, size, seed);
    return size <= 240 ? hash_to_240(bytes, size, seed) : hash_long(bytes, size, seed);
}
