// SPDX-License-Identifier: MIT
// Noise: tiles that repeat without a seam, with their exact gradients.
#include "gl/noise.h"

#include <math.h>

#include "core/core.h"

enum { SIDE = KST_NOISE_SIDE, OCTAVES = 6, FIRST = 4, LAST = FIRST << (OCTAVES - 1), CELLS = 14 };
static const float gain = 0.56f;

// Directions at the corners of a row of an octave's cells.
typedef struct corners {
    int period, row;  // row: of cells, -1 before the first
    float direction[2][LAST][2];
} corners;

static void fill_corners(corners *c, int octave, int row) {
    if (c->row == row) return;
    c->row = row;
    for (int side = 0; side < 2; ++side)
        for (int x = 0; x < c->period; ++x) {
            uint64_t place = (uint64_t)(((row + side) & (c->period - 1)) * c->period + x);
            float turn = 6.2831853f * (float)kst_random01(0x6E6F6973u + (uint64_t)octave, place);
            c->direction[side][x][0] = cosf(turn);
            c->direction[side][x][1] = sinf(turn);
        }
}

// Gradient noise (K. Perlin, "Improving Noise", 2002) and its derivative along x and z, in cells, which are not
// negative.
static void octave_at(float x, float z, const corners *c, float out[3]) {
    int i = (int)x, j = (int)z;
    float u = x - (float)i, v = z - (float)j;
    float su = u * u * u * (u * (u * 6 - 15) + 10), sv = v * v * v * (v * (v * 6 - 15) + 10);
    float du = 30 * u * u * (u * (u - 2) + 1), dv = 30 * v * v * (v * (v - 2) + 1);
    const float *g[4];
    float n[4];
    for (int k = 0; k < 4; ++k) {
        g[k] = c->direction[k >> 1][(i + (k & 1)) & (c->period - 1)];
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
    corners of[OCTAVES];
    for (int o = 0; o < OCTAVES; ++o) of[o].period = FIRST << o, of[o].row = -1;
    for (int j = begin; j < end; ++j) {
        for (int o = 0; o < OCTAVES; ++o) fill_corners(&of[o], o, j * of[o].period / SIDE);
        for (int i = 0; i < SIDE; ++i) {
            float sum[3] = {0}, amplitude = 1.1f;
            for (int o = 0; o < OCTAVES; ++o, amplitude *= gain) {
                float n[3], period = (float)of[o].period, f = period / SIDE;
                octave_at(((float)i + 0.5f) * f, ((float)j + 0.5f) * f, &of[o], n);
                sum[0] += amplitude * n[0];
                sum[1] += amplitude * n[1] * period;
                sum[2] += amplitude * n[2] * period;
            }
            float *t = out + 4 * ((size_t)j * SIDE + (size_t)i);
            t[0] = 0.5f + 0.5f * sum[0];
            t[1] = 0.5f * sum[1];
            t[2] = 0.5f * sum[2];
            t[3] = 1;
        }
    }
}

void kst_noise_waves(karst_jobs *jobs, float *out) {
    karst_jobs_for(jobs, SIDE, 16, wave_rows, out);
}

static void cell_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    float *out = context, random[CELLS * CELLS][4];
    for (int k = 0; k < 4 * CELLS * CELLS; ++k) random[k / 4][k % 4] = (float)kst_random01(0x63656C6Cu, (uint64_t)k);
    for (int j = begin; j < end; ++j)
        for (int i = 0; i < SIDE; ++i) {
            float x = ((float)i + 0.5f) * CELLS / SIDE, z = ((float)j + 0.5f) * CELLS / SIDE;
            int ci = (int)x, cj = (int)z;
            float best = 9, dx = 0, dz = 0, number = 0;
            for (int b = cj - 1; b <= cj + 1; ++b)
                for (int a = ci - 1; a <= ci + 1; ++a) {
                    const float *r = random[(b + CELLS) % CELLS * CELLS + (a + CELLS) % CELLS];
                    float px = (float)a + 0.15f + 0.7f * r[0];
                    float pz = (float)b + 0.15f + 0.7f * r[1];
                    float size = 0.75f + 0.5f * r[3];
                    float ex = (x - px) / size, ez = (z - pz) / size, d = ex * ex + ez * ez;
                    if (d >= best) continue;
                    best = d;
                    dx = ex / size;
                    dz = ez / size;
                    number = r[2];
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
