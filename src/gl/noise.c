// SPDX-License-Identifier: MIT
// Noise: tiles that repeat without a seam, with their exact gradients.
#include "gl/noise.h"

#include <math.h>

#include "core/core.h"

enum { SIDE = KST_NOISE_SIDE, OCTAVES = 6, FIRST = 4, CELLS = 14 };
static const float gain = 0.56f;

static void gradient_at(int x, int z, int period, int octave, float g[2]) {
    x &= period - 1;
    z &= period - 1;
    float turn = 6.2831853f * (float)kst_random01(0x6E6F6973u + (uint64_t)octave, (uint64_t)(z * period + x));
    g[0] = cosf(turn);
    g[1] = sinf(turn);
}

// Gradient noise (K. Perlin, "Improving Noise", 2002) and its derivative along x and z, in cells.
static void octave_at(float x, float z, int period, int octave, float out[3]) {
    int i = (int)floorf(x), j = (int)floorf(z);
    float u = x - (float)i, v = z - (float)j;
    float su = u * u * u * (u * (u * 6 - 15) + 10), sv = v * v * v * (v * (v * 6 - 15) + 10);
    float du = 30 * u * u * (u * (u - 2) + 1), dv = 30 * v * v * (v * (v - 2) + 1);
    float g[4][2], n[4];
    for (int k = 0; k < 4; ++k) {
        gradient_at(i + (k & 1), j + (k >> 1), period, octave, g[k]);
        n[k] = g[k][0] * (u - (float)(k & 1)) + g[k][1] * (v - (float)(k >> 1));
    }
    float top = n[0] + su * (n[1] - n[0]), bottom = n[2] + su * (n[3] - n[2]);
    out[0] = top + sv * (bottom - top);
    float weight[4] = {(1 - su) * (1 - sv), su * (1 - sv), (1 - su) * sv, su * sv};
    out[1] = du * ((1 - sv) * (n[1] - n[0]) + sv * (n[3] - n[2]));
    out[2] = dv * (bottom - top);
    for (int k = 0; k < 4; ++k) {
        out[1] += weight[k] * g[k][0];
        out[2] += weight[k] * g[k][1];
    }
}

static void wave_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    float *out = context;
    for (int j = begin; j < end; ++j)
        for (int i = 0; i < SIDE; ++i) {
            float sum[3] = {0}, amplitude = 1.1f;
            int period = FIRST;
            for (int o = 0; o < OCTAVES; ++o, period *= 2, amplitude *= gain) {
                float n[3], f = (float)period / SIDE;
                octave_at(((float)i + 0.5f) * f, ((float)j + 0.5f) * f, period, o, n);
                sum[0] += amplitude * n[0];
                sum[1] += amplitude * n[1] * (float)period;
                sum[2] += amplitude * n[2] * (float)period;
            }
            float *t = out + 4 * ((size_t)j * SIDE + (size_t)i);
            t[0] = 0.5f + 0.5f * sum[0];
            t[1] = 0.5f * sum[1];
            t[2] = 0.5f * sum[2];
            t[3] = 1;
        }
}

void kst_noise_waves(karst_jobs *jobs, float *out) {
    karst_jobs_for(jobs, SIDE, 16, wave_rows, out);
}

static void cell_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    float *out = context;
    for (int j = begin; j < end; ++j)
        for (int i = 0; i < SIDE; ++i) {
            float x = ((float)i + 0.5f) * CELLS / SIDE, z = ((float)j + 0.5f) * CELLS / SIDE;
            int ci = (int)x, cj = (int)z;
            float best = 9, dx = 0, dz = 0, number = 0;
            for (int b = cj - 1; b <= cj + 1; ++b)
                for (int a = ci - 1; a <= ci + 1; ++a) {
                    uint64_t cell = (uint64_t)((b + CELLS) % CELLS * CELLS + (a + CELLS) % CELLS);
                    float px = (float)a + 0.15f + 0.7f * (float)kst_random01(0x63656C6Cu, 4 * cell);
                    float pz = (float)b + 0.15f + 0.7f * (float)kst_random01(0x63656C6Cu, 4 * cell + 1);
                    float size = 0.75f + 0.5f * (float)kst_random01(0x63656C6Cu, 4 * cell + 3);
                    float ex = (x - px) / size, ez = (z - pz) / size, d = ex * ex + ez * ez;
                    if (d >= best) continue;
                    best = d;
                    dx = ex / size;
                    dz = ez / size;
                    number = (float)kst_random01(0x63656C6Cu, 4 * cell + 2);
                }
            // A dome 1 - d^2 / 0.6, cut off at the ground.
            float *t = out + 4 * ((size_t)j * SIDE + (size_t)i), height = 1 - best / 0.6f;
            t[0] = height > 0 ? height : 0;
            t[1] = height > 0 ? -2 * dx / 0.6f * CELLS : 0;
            t[2] = height > 0 ? -2 * dz / 0.6f * CELLS : 0;
            t[3] = number;
        }
}

void kst_noise_cells(karst_jobs *jobs, float *out) {
    karst_jobs_for(jobs, SIDE, 16, cell_rows, out);
}
