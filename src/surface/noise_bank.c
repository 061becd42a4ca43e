// SPDX-License-Identifier: MIT
// Displacement maps made by code: sums of periodic value noise, rougher from slot to slot, of a character for each set.
#include <math.h>
#include <stdlib.h>

#include "surface/zone_record.h"

enum { SIDE = 32 };

// Periodic value noise with `cells` lattice cells a side, -1..1. Only + - * and floor: the same bits everywhere.
static float value(uint64_t seed, float x, float y, int cells) {
    int i = (int)floorf(x), j = (int)floorf(y);
    float u = x - (float)i, v = y - (float)j, corner[2][2];
    for (int b = 0; b < 2; ++b)
        for (int a = 0; a < 2; ++a) {
            uint64_t key[2] = {seed, (uint64_t)((j + b) % cells) << 32 | (uint64_t)((i + a) % cells)};
            corner[b][a] = (float)(kst_hash(key, sizeof key, 7) >> 40) * 0x1p-23f - 1;
        }
    u = u * u * (3 - 2 * u), v = v * v * (3 - 2 * v);
    float low = corner[0][0] + (corner[0][1] - corner[0][0]) * u,
          high = corner[1][0] + (corner[1][1] - corner[1][0]) * u;
    return low + (high - low) * v;
}

// What makes a set: cells of its largest feature, share of each next octave, and how much of it is ridges.
static const struct character {
    int cells;
    float gain, ridge, strength;
} characters[KARST_NOISE_SETS] = {
    {4, 0.45f, 0.0f, 0.55f},  // earth
    {4, 0.35f, 0.0f, 0.40f},  // grass
    {4, 0.60f, 0.7f, 1.00f},  // rock
    {8, 0.40f, 0.0f, 0.45f},  // moss
    {8, 0.30f, 0.9f, 0.25f},  // sand
    {4, 0.30f, 0.0f, 0.20f},  // path
};

void karst_noise_bank_make(karst_noise_bank *out) {
    for (int set = 0; set < KARST_NOISE_SETS; ++set)
        for (int slot = 0; slot < KARST_NOISE_SLOTS; ++slot) {
            const struct character *c = &characters[set];
            float strength = c->strength * (float)slot / (KARST_NOISE_SLOTS - 1);
            for (int y = 0; y < SIDE; ++y)
                for (int x = 0; x < SIDE; ++x) {
                    float sum = 0, share = 1, all = 0;
                    for (int octave = 0, cells = c->cells; cells <= SIDE / 2; cells *= 2, ++octave, share *= c->gain) {
                        float scale = (float)cells / SIDE;
                        float n = value((uint64_t)(set * 4096 + slot * 16 + octave), (float)x * scale, (float)y * scale,
                                        cells);
                        float ridge = 1 - 2 * fabsf(n);
                        sum += share * (n + (ridge - n) * c->ridge), all += share;
                    }
                    float h = 127 * strength * 1.6f * sum / all;
                    out->map[set][slot][y][x] = (int8_t)(h > 127 ? 127 : h < -127 ? -127 : floorf(h + 0.5f));
                }
        }
}

// Meyer et al. 2010, "On floating-point normal vectors": the octahedron, folded along its equator.
void kst_facing_pack(karst_vec3 n, int16_t out[2]) {
    float l = 1 / (fabsf(n.x) + fabsf(n.y) + fabsf(n.z)), a = n.x * l, b = n.z * l;
    if (n.y < 0) {
        float fold = (1 - fabsf(b)) * (a < 0 ? -1.0f : 1.0f);
        b = (1 - fabsf(a)) * (b < 0 ? -1.0f : 1.0f), a = fold;
    }
    out[0] = (int16_t)floorf(a * 32767 + 0.5f), out[1] = (int16_t)floorf(b * 32767 + 0.5f);
}
karst_vec3 kst_facing_unpack(const int16_t in[2]) {
    float a = (float)in[0] / 32767, b = (float)in[1] / 32767, y = 1 - fabsf(a) - fabsf(b);
    if (y < 0) {
        float fold = (1 - fabsf(b)) * (a < 0 ? -1.0f : 1.0f);
        b = (1 - fabsf(a)) * (b < 0 ? -1.0f : 1.0f), a = fold;
    }
    return kst_unit((karst_vec3){a, y, b});
}
