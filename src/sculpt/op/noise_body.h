// SPDX-License-Identifier: MIT
// Noise for one vector width: the same arithmetic in each, so the same bits. The file that includes this defines
// NOISE_KERNEL, the kernel that it makes, and NOISE_NAME.
//
// After: K. Perlin, "Improving Noise", 2002 (gradients at the corners of a lattice, quintic fade);
// F. K. Musgrave in "Texturing & Modeling: A Procedural Approach", 1994 (ridged multifractal). We differ: directions of
// gradients are continuous, from two parabolas in place of sine and cosine, and each octave's lattice is turned.
//
// A place in a lattice is a cell, modulo 2^32, and a float -0.5..0.5 from the cell's middle along each axis.
#include "op/noise_lanes.h"

static const uint32_t prime_x = 0x9E3779B1u, prime_y = 0x85EBCA77u, prime_z = 0xC2B2AE3Du, prime_h = 0x27D4EB2Fu;
static const float half_turn = 0x1p31f;

// ---- one octave ------------------------------------------------------------------------------------

static inline f_lanes fade(f_lanes middle) {
    f_lanes square = middle * middle;
    return middle * (square * (square * 6 - 5) + 1.875f) + 0.5f;
}
static inline f_lanes mix(f_lanes a, f_lanes b, f_lanes t) {
    return a + t * (b - a);
}

static inline u_lanes scramble(u_lanes h) {
    return (h ^ (h >> 15)) * prime_h;
}

// (x, z) along a direction: 2^31 of h are a half turn. Sine and cosine are parabolas 2^60 high, which makes directions
// 6 % longer between the axes.
static inline f_lanes along(u_lanes h, f_lanes x, f_lanes z) {
    f_lanes turn = f_of_signed(h), magnitude = f_abs(turn), before = half_turn * 0.5f - magnitude;
    return x * (before * (half_turn - f_abs(before))) + z * (turn * (half_turn - magnitude));
}

// In units of KST_NOISE_PLANE_UNIT.
static inline f_lanes cell_in_plane(u_lanes i, u_lanes k, f_lanes x, f_lanes z, uint32_t seed) {
    u_lanes i0 = i * prime_x, i1 = i0 + prime_x, k0 = k * prime_z + seed, k1 = k0 + prime_z;
    f_lanes x0 = x + 0.5f, x1 = x - 0.5f, z0 = z + 0.5f, z1 = z - 0.5f, across = fade(x);
    f_lanes near = mix(along(scramble(i0 ^ k0), x0, z0), along(scramble(i1 ^ k0), x1, z0), across);
    f_lanes far = mix(along(scramble(i0 ^ k1), x0, z1), along(scramble(i1 ^ k1), x1, z1), across);
    return mix(near, far, fade(z));
}

// A direction on the sphere: the upper half of the hash turns it round the axis y, the lower half says how far along.
static inline f_lanes corner_in_space(u_lanes h, f_lanes x, f_lanes y, f_lanes z) {
    h = scramble(h);
    f_lanes up = f_of_signed(h) * 0x1p-31f, out = f_root(1 - up * up);
    return out * along(scramble(h), x, z) + y * (up * 0x1p60f);
}

static inline f_lanes floor_in_space(u_lanes i0, u_lanes k0, u_lanes level, f_lanes x, f_lanes y, f_lanes z,
                                     f_lanes across, f_lanes down) {
    u_lanes i1 = i0 + prime_x, k1 = k0 + prime_z;
    f_lanes x0 = x + 0.5f, x1 = x - 0.5f, z0 = z + 0.5f, z1 = z - 0.5f;
    f_lanes near =
        mix(corner_in_space(i0 ^ k0 ^ level, x0, y, z0), corner_in_space(i1 ^ k0 ^ level, x1, y, z0), across);
    f_lanes far = mix(corner_in_space(i0 ^ k1 ^ level, x0, y, z1), corner_in_space(i1 ^ k1 ^ level, x1, y, z1), across);
    return mix(near, far, down);
}

// In units of KST_NOISE_SPACE_UNIT.
static inline f_lanes cell_in_space(u_lanes i, u_lanes j, u_lanes k, f_lanes x, f_lanes y, f_lanes z, uint32_t seed) {
    u_lanes i0 = i * prime_x, j0 = j * prime_y, k0 = k * prime_z + seed;
    f_lanes across = fade(x), down = fade(z);
    f_lanes below = floor_in_space(i0, k0, j0, x, y + 0.5f, z, across, down);
    f_lanes above = floor_in_space(i0, k0, j0 + prime_y, x, y - 0.5f, z, across, down);
    return mix(below, above, fade(y));
}

// ---- sums ------------------------------------------------------------------------------------------

// Ridges: how much of an octave the one before lets through.
typedef struct shares {
    float share[KST_NOISE_BLOCK];
} shares;

static inline void add_octave(const kst_noise_sum *sum, int octave, float unit, const float *raw, int count, shares *s,
                              float *out) {
    float weight = sum->octave[octave].weight;
    if (sum->kind == KARST_NOISE_RIDGED) {
        for (int i = 0; i < count; ++i) {
            float crest = 1 - fabsf(raw[i]) * unit, n = crest * crest * s->share[i], twice = n * 2;
            s->share[i] = twice < 1 ? twice : 1;
            out[i] += n * weight;
        }
    } else if (sum->kind == KARST_NOISE_BILLOW) {
        for (int i = 0; i < count; ++i) out[i] += fabsf(raw[i]) * weight;
    } else {
        for (int i = 0; i < count; ++i) out[i] += raw[i] * weight;
    }
}

static inline void begin_sum(int count, shares *s, float *out) {
    for (int i = 0; i < count; ++i) {
        s->share[i] = 1;
        out[i] = 0;
    }
}

// 32 bits of cell and 32 of the place in it. Beyond 2^50 cells all is one place.
static uint64_t fixed_point(double cells) {
    cells = fmin(fmax(cells, -0x1p50), 0x1p50);
    double whole = floor(cells);
    return ((uint64_t)(int64_t)whole << 32) + (uint64_t)((cells - whole) * 0x1p32);
}

static inline f_lanes from_middle(u_lanes fraction) {
    return f_of_signed(fraction ^ 0x80000000u) * 0x1p-32f;
}

static void run_row(const kst_noise_sum *sum, double x_m, double z_m, double spacing_m, int first, int count,
                    float *out) {
    float raw[KST_NOISE_BLOCK];
    shares s;
    begin_sum(count, &s, out);
    for (int octave = 0; octave < sum->octaves; ++octave) {
        const kst_noise_octave *o = &sum->octave[octave];
        uint64_t step_u = fixed_point(o->m[0] * spacing_m), step_v = fixed_point(o->m[2] * spacing_m);
        uint64_t u0 = fixed_point(o->m[0] * x_m + o->m[1] * z_m + o->offset[0]) + (uint64_t)first * step_u;
        uint64_t v0 = fixed_point(o->m[2] * x_m + o->m[3] * z_m + o->offset[1]) + (uint64_t)first * step_v;
        q_lanes u = q_ramp(u0, step_u), v = q_ramp(v0, step_v);
        for (int i = 0; i < count; i += LANES) {
            f_store(raw + i,
                    cell_in_plane(q_high(u), q_high(v), from_middle(q_low(u)), from_middle(q_low(v)), o->seed));
            u = q_add(u, LANES * step_u);
            v = q_add(v, LANES * step_v);
        }
        add_octave(sum, octave, KST_NOISE_PLANE_UNIT, raw, count, &s, out);
    }
}

// The same from doubles.
static inline f_lanes split(w_lanes cells, u_lanes *cell) {
    w_lanes middle = w_add_all(cells, -0.5), t = w_add_all(middle, to_whole);
    *cell = w_low_bits(t);
    return f_narrow(w_sub(middle, w_add_all(t, -to_whole)));
}

static inline f_lanes octave_in_plane(const kst_noise_octave *o, w_lanes x, w_lanes z) {
    u_lanes cell[2];
    f_lanes middle[2];
    for (int c = 0; c < 2; ++c) {
        const double *m = o->m + 2 * c;
        w_lanes turned = w_add(w_mul_all(x, m[0]), w_mul_all(z, m[1]));
        middle[c] = split(w_add_all(turned, o->offset[c]), &cell[c]);
    }
    return cell_in_plane(cell[0], cell[1], middle[0], middle[1], o->seed);
}

static inline f_lanes octave_in_space(const kst_noise_octave *o, w_lanes x, w_lanes y, w_lanes z) {
    u_lanes cell[3];
    f_lanes middle[3];
    for (int c = 0; c < 3; ++c) {
        const double *m = o->m + 3 * c;
        w_lanes turned = w_add(w_add(w_mul_all(x, m[0]), w_mul_all(y, m[1])), w_mul_all(z, m[2]));
        middle[c] = split(w_add_all(turned, o->offset[c]), &cell[c]);
    }
    return cell_in_space(cell[0], cell[1], cell[2], middle[0], middle[1], middle[2], o->seed);
}

static void run_at(const kst_noise_sum *sum, const double *x, const double *y, const double *z, int count, float *out) {
    float raw[KST_NOISE_BLOCK];
    shares s;
    begin_sum(count, &s, out);
    for (int octave = 0; octave < sum->octaves; ++octave) {
        const kst_noise_octave *o = &sum->octave[octave];
        for (int i = 0; !y && i < count; i += LANES) f_store(raw + i, octave_in_plane(o, w_load(x + i), w_load(z + i)));
        for (int i = 0; y && i < count; i += LANES)
            f_store(raw + i, octave_in_space(o, w_load(x + i), w_load(y + i), w_load(z + i)));
        add_octave(sum, octave, y ? KST_NOISE_SPACE_UNIT : KST_NOISE_PLANE_UNIT, raw, count, &s, out);
    }
}

const kst_noise_kernel NOISE_KERNEL = {NOISE_NAME, run_row, run_at};
