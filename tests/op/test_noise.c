// SPDX-License-Identifier: MIT
// Noise: one value a place, whatever the processor, the part of the grid and the distance from 0; no line, no
// direction.
#include "karst/noise.h"

#include "op/noise.h"
#include "support/prop.h"

static karst_noise_def random_def(prop *p) {
    karst_noise_def d = karst_noise_def_default();
    d.kind = (karst_noise_kind)prop_int(p, 0, KARST_NOISE_KIND_COUNT - 1);
    d.wavelength_m = exp(prop_real(p, 0, 9));
    d.octaves = prop_int(p, 1, 12);
    d.lacunarity = prop_real(p, 1.5, 3);
    d.gain = prop_real(p, 0.2, 0.8);
    d.amplitude_m = prop_real(p, 1, 2000);
    d.warp_m = prop_chance(p, 0.4) ? prop_real(p, 1, 300) : 0;
    d.seed = prop_u64(p);
    return d;
}

// ---- bytes -----------------------------------------------------------------------------------------

static void every_vector_width_gives_the_same_bytes(void **state) {
    (void)state;
    enum { N = 300 };
    static double x[N], y[N], z[N];
    static float want[2][N], got[2][N];
    const kst_noise_kernel *all[4];
    int kernels = kst_noise_kernels_all(all);
    assert_string_equal(all[0]->name, "scalar");
    for (prop p = prop_begin("noise_widths", 400); prop_next(&p);) {
        karst_noise_def d = random_def(&p);
        double reach = exp(prop_real(&p, 0, 30)), far_m = prop_chance(&p, 0.5) ? prop_real(&p, -1e9, 1e9) : 0;
        for (int k = 0; k < N; ++k) {
            x[k] = far_m + prop_real(&p, -reach, reach);
            y[k] = prop_real(&p, -reach, reach);
            z[k] = far_m + prop_real(&p, -reach, reach);
        }
        if (prop_chance(&p, 0.2)) x[7] = INFINITY, y[7] = -INFINITY, z[7] = 1e308;
        bool in_space = prop_chance(&p, 0.4);
        int column = prop_int(&p, -2000, 2000), count = prop_int(&p, 1, N);
        double spacing_m = exp(prop_real(&p, -3, 6));
        kst_noise_plan plan, other;
        kst_noise_plan_make(&d, in_space, &plan);
        d.seed ^= 1;
        kst_noise_plan_make(&d, in_space, &other);
        for (int k = 0; k < kernels; ++k) {
            float(*to)[N] = k ? got : want;
            kst_noise_at(&plan, all[k], x, y, z, count, to[0]);
            if (!in_space) kst_noise_row(&plan, all[k], far_m, z[0], spacing_m, column, count, to[1]);
            prop_check(&p, !k || !memcmp(got[0], want[0], (size_t)count * sizeof(float)));
            prop_check(&p, !k || in_space || !memcmp(got[1], want[1], (size_t)count * sizeof(float)));
        }
        for (int k = 0; k < count; ++k) prop_check(&p, isfinite(want[0][k]));
        kst_noise_at(&other, all[0], x, y, z, count, got[0]);  // control: other noise has other bytes
        prop_check(&p, count < 9 || memcmp(got[0], want[0], (size_t)count * sizeof(float)) != 0);
    }
}

enum { SIDE = 200 };

static uint64_t hash_of(karst_noise_kind kind, double warp_m, bool in_space) {
    static float out[SIDE * SIDE];
    static double x[SIDE * SIDE], y[SIDE * SIDE], z[SIDE * SIDE];
    karst_noise_def d = karst_noise_def_default();
    d.kind = kind;
    d.warp_m = warp_m;
    d.seed = 77;
    if (!in_space) {
        karst_status status = karst_noise_fill(&d, (karst_pos){-4e5, 0, 1e6}, 7.5,
                                               (karst_rect){-20, 13, SIDE - 20, SIDE + 13}, out, SIDE);
        assert_int_equal(status, KARST_OK);
    } else {
        for (int k = 0; k < SIDE * SIDE; ++k) {
            x[k] = 30.0 * (k % SIDE);
            y[k] = 5.0 * (k % 37);
            z[k] = 30.0 * (double)(k / SIDE) - 1000;
        }
        assert_int_equal(karst_noise_at(&d, x, y, z, SIDE * SIDE, out), KARST_OK);
    }
    return kst_hash(out, sizeof out, 0);
}

// Any compiler, any processor. These change only together with every world that was filtered by name and seed.
static void the_bytes_of_noise_never_change(void **state) {
    (void)state;
    static const struct {
        karst_noise_kind kind;
        double warp_m;
        bool in_space;
        uint64_t want;
    } golden[] = {
        {KARST_NOISE_GRADIENT, 0, false, 0xda8f2f38f4480b3a}, {KARST_NOISE_FBM, 0, false, 0xcce5088162a8bd21},
        {KARST_NOISE_BILLOW, 0, false, 0xd6f90f48f63fe77e},   {KARST_NOISE_RIDGED, 0, false, 0xadb6243d78c49605},
        {KARST_NOISE_RIDGED, 250, false, 0xcf465f70be3374d8}, {KARST_NOISE_FBM, 0, true, 0x06440b9f7d7b6218},
        {KARST_NOISE_BILLOW, 250, true, 0xb6f43049d96b1ff7},
    };
    for (size_t k = 0; k < sizeof golden / sizeof *golden; ++k) {
        uint64_t got = hash_of(golden[k].kind, golden[k].warp_m, golden[k].in_space);
        if (got != golden[k].want) print_message("case %zu: 0x%016llx\n", k, (unsigned long long)got);
    }
    for (size_t k = 0; k < sizeof golden / sizeof *golden; ++k)
        assert_true(hash_of(golden[k].kind, golden[k].warp_m, golden[k].in_space) == golden[k].want);
}

static void parts_of_a_grid_equal_the_whole(void **state) {
    (void)state;
    static float whole[SIDE * SIDE], part[SIDE * SIDE];
    for (prop p = prop_begin("noise_parts", 60); prop_next(&p);) {
        karst_noise_def d = random_def(&p);
        karst_pos origin = {prop_real(&p, -1e7, 1e7), 0, prop_real(&p, -1e7, 1e7)};
        double spacing_m = prop_real(&p, 0.1, 40);
        int32_t x0 = prop_int(&p, -300, 300), z0 = prop_int(&p, -300, 300);
        karst_rect all = {x0, z0, x0 + SIDE, z0 + SIDE};
        karst_noise_fill(&d, origin, spacing_m, all, whole, SIDE);
        int i = prop_int(&p, 0, SIDE - 2), j = prop_int(&p, 0, SIDE - 2);
        int w = prop_int(&p, 1, SIDE - i), h = prop_int(&p, 1, SIDE - j);
        karst_rect some = {x0 + i, z0 + j, x0 + i + w, z0 + j + h};
        karst_noise_fill(&d, origin, spacing_m, some, part, w);
        for (int row = 0; row < h; ++row)
            prop_check(&p, !memcmp(part + row * w, whole + (j + row) * SIDE + i, (size_t)w * sizeof(float)));
        some.x0 += 1, some.x1 += 1;  // control: a column on, it differs
        karst_noise_fill(&d, origin, spacing_m, some, part, w);
        prop_check(&p, w < 5 || memcmp(part, whole + j * SIDE + i, (size_t)w * sizeof(float)) != 0);
    }
}

static void a_grid_and_single_places_agree(void **state) {
    (void)state;
    static float row[SIDE], at[SIDE];
    static double x[SIDE], z[SIDE];
    for (prop p = prop_begin("noise_places", 100); prop_next(&p);) {
        karst_noise_def d = random_def(&p);
        karst_pos origin = {prop_real(&p, -1e6, 1e6), 0, prop_real(&p, -1e6, 1e6)};
        double spacing_m = prop_real(&p, 0.1, 40);
        for (int i = 0; i < SIDE; ++i) {
            x[i] = origin.x + i * spacing_m;
            z[i] = origin.z + 5 * spacing_m;
        }
        karst_noise_fill(&d, origin, spacing_m, (karst_rect){0, 5, SIDE, 6}, row, SIDE);
        karst_noise_at(&d, x, NULL, z, SIDE, at);
        for (int i = 0; i < SIDE; ++i) prop_near(&p, row[i], at[i], 1e-4 * d.amplitude_m);
        karst_noise_at(&d, x, z, z, SIDE, at);  // control: in space it is other noise
        double off = 0;
        for (int i = 0; i < SIDE; ++i) off = fmax(off, fabs((double)(row[i] - at[i])));
        prop_check(&p, off > 1e-3 * d.amplitude_m);
    }
}

// ---- values ----------------------------------------------------------------------------------------

static void values_stay_within_their_range(void **state) {
    (void)state;
    enum { N = 1 << 16 };
    static double x[N], y[N], z[N];
    static float out[N];
    // What one octave reaches of its bound, in the plane and in space: a bound that nothing comes near helps nobody.
    double most[2] = {0, 0};
    for (int kind = 0; kind < KARST_NOISE_KIND_COUNT; ++kind)
        for (int octaves = 1; octaves <= 8; octaves += 7)
            for (int space = 0; space < 2; ++space)
                for (int turn = 0; turn < test_count(8); ++turn) {
                    for (int k = 0; k < N; ++k) {
                        uint64_t key = (uint64_t)turn * N + (uint64_t)k;
                        x[k] = 1e7 * (kst_random01(1, key) - 0.5);
                        y[k] = 1e4 * (kst_random01(2, key) - 0.5);
                        z[k] = 1e7 * (kst_random01(3, key) - 0.5);
                    }
                    karst_noise_def d = karst_noise_def_default();
                    d.kind = (karst_noise_kind)kind;
                    d.octaves = octaves;
                    d.amplitude_m = 300;
                    karst_noise_at(&d, x, space ? y : NULL, z, N, out);
                    double least = kind >= KARST_NOISE_BILLOW ? 0 : -300;
                    for (int k = 0; k < N; ++k) {
                        assert_true((double)out[k] >= least && out[k] <= 300);
                        if (kind == KARST_NOISE_GRADIENT) most[space] = fmax(most[space], fabs((double)out[k]));
                    }
                }
    assert_true(most[0] > 270 && most[1] > 170);
}

// Change of an octave from one place to another a thousandth of a cell away, the most over many.
static double steepest(const kst_noise_plan *a, const kst_noise_plan *b, bool space) {
    enum { N = 4096, ROUNDS = 16 };
    static double x[N], y[N], z[N];
    static float one[N], two[N];
    const kst_noise_kernel *kernel = kst_noise_kernel_best();
    double most = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = 0; k < N; ++k) {
            uint64_t key = (uint64_t)round * N + (uint64_t)k;
            x[k] = 1000 * kst_random01(7, key);
            y[k] = 1000 * kst_random01(8, key);
            z[k] = 1000 * kst_random01(9, key);
        }
        kst_noise_at(a, kernel, x, y, z, N, one);
        for (int k = 0; k < N; ++k) {
            x[k] += 0.0005;
            y[k] += space ? 0.0005 : 0;
            z[k] -= 0.0005;
        }
        kst_noise_at(b, kernel, x, y, z, N, two);
        for (int k = 0; k < N; ++k) most = fmax(most, fabs((double)(one[k] - two[k])));
    }
    return most;
}

static void noise_has_no_steps(void **state) {
    (void)state;
    karst_noise_def d = karst_noise_def_default();
    d.kind = KARST_NOISE_GRADIENT;
    d.wavelength_m = d.amplitude_m = 1;
    for (int space = 0; space < 2; ++space) {
        kst_noise_plan plan, cut;
        d.seed = 1;
        kst_noise_plan_make(&d, space, &plan);
        double most = steepest(&plan, &plan, space);
        assert_true(most > 0.0005 && most < 0.003);
        d.seed = 2;  // control: a step from one noise to another
        kst_noise_plan_make(&d, space, &cut);
        assert_true(steepest(&plan, &cut, space) > 0.5);
    }
}

// ---- the lattice does not show ---------------------------------------------------------------------

enum { PLACES = 60000 };
static double at_x[PLACES], at_z[PLACES];
static float value[PLACES], beside[PLACES];

// The same octaves on lattices that lie along x and z, corners at 0: what is avoided.
static kst_noise_plan unturned(const kst_noise_plan *plan) {
    kst_noise_plan out = *plan;
    for (int k = 0; k < out.sum.octaves; ++k) {
        kst_noise_octave *o = &out.sum.octave[k];
        double per_m = sqrt(o->m[0] * o->m[0] + o->m[1] * o->m[1]);
        o->m[0] = o->m[3] = per_m;
        o->m[1] = o->m[2] = o->offset[0] = o->offset[1] = 0;
    }
    return out;
}

static double mean_square(const float *a, const float *b) {
    double sum = 0;
    for (int k = 0; k < PLACES; ++k)
        sum += ((double)a[k] - (b ? (double)b[k] : 0)) * ((double)a[k] - (b ? (double)b[k] : 0));
    return sum / PLACES;
}

static karst_noise_def rough_def(karst_noise_kind kind) {
    karst_noise_def d = karst_noise_def_default();
    d.kind = kind;
    d.wavelength_m = 100;
    d.amplitude_m = 1;
    return d;
}

// Most over least mean square of fBm on lines across a direction, told apart by where they lie between lattice lines.
static double lines_seen(const kst_noise_plan *plan, double angle) {
    double low = 1e9, high = 0, c = cos(angle), s = sin(angle);
    for (int phase = 0; phase < 8; ++phase) {
        for (int k = 0; k < PLACES; ++k) {
            double across = 100 * (floor(10000 * kst_random01(21, (uint64_t)k)) + phase / 8.0);
            double along = 1e6 * kst_random01(22, (uint64_t)k);
            at_x[k] = across * c - along * s;
            at_z[k] = across * s + along * c;
        }
        kst_noise_at(plan, kst_noise_kernel_best(), at_x, NULL, at_z, PLACES, value);
        double m = mean_square(value, NULL);
        low = fmin(low, m);
        high = fmax(high, m);
    }
    return high / low;
}

static void no_line_shows_along_axes_and_diagonals(void **state) {
    (void)state;
    karst_noise_def d = rough_def(KARST_NOISE_FBM);
    kst_noise_plan plan, plain;
    kst_noise_plan_make(&d, false, &plan);
    plain = unturned(&plan);
    for (int k = 0; k < 4; ++k) {
        double seen = lines_seen(&plan, 0.25 * 3.14159265358979 * k);
        if (seen > 1.06) fail_msg("direction %d: %.3f", k, seen);
    }
    assert_true(lines_seen(&plain, 0) > 1.3);  // control
}

// Most over least mean square of the change over lag_m, over sixteen directions.
static double directions_seen(const kst_noise_plan *plan, double lag_m) {
    double low = 1e9, high = 0;
    for (int turn = 0; turn < 16; ++turn) {
        double dx = lag_m * cos(3.14159265358979 / 16 * turn), dz = lag_m * sin(3.14159265358979 / 16 * turn);
        for (int k = 0; k < PLACES; ++k) {
            at_x[k] = 1e6 * kst_random01(31, (uint64_t)k);
            at_z[k] = 1e6 * kst_random01(32, (uint64_t)k);
        }
        kst_noise_at(plan, kst_noise_kernel_best(), at_x, NULL, at_z, PLACES, value);
        for (int k = 0; k < PLACES; ++k) at_x[k] += dx, at_z[k] += dz;
        kst_noise_at(plan, kst_noise_kernel_best(), at_x, NULL, at_z, PLACES, beside);
        double m = mean_square(value, beside);
        low = fmin(low, m);
        high = fmax(high, m);
    }
    return high / low;
}

static void no_direction_is_rougher_than_another(void **state) {
    (void)state;
    for (int kind = KARST_NOISE_FBM; kind < KARST_NOISE_KIND_COUNT; ++kind) {
        karst_noise_def d = rough_def((karst_noise_kind)kind);
        kst_noise_plan plan, long_z;
        kst_noise_plan_make(&d, false, &plan);
        for (double lag_m = 3; lag_m < 60; lag_m *= 4) {
            double seen = directions_seen(&plan, lag_m);
            if (seen > 1.06) fail_msg("kind %d, %g m: %.3f", kind, lag_m, seen);
        }
        long_z = plan;  // control: cells a tenth longer along z
        for (int k = 0; k < long_z.sum.octaves; ++k) {
            long_z.sum.octave[k].m[1] /= 1.1;
            long_z.sum.octave[k].m[3] /= 1.1;
        }
        assert_true(directions_seen(&long_z, 3) > 1.1);
    }
}

static void the_origin_is_like_any_other_place(void **state) {
    (void)state;
    enum { SEEDS = 2000 };
    double here = 0, there = 0, plain_here = 0;
    for (int k = 0; k < SEEDS; ++k) {
        karst_noise_def d = rough_def(KARST_NOISE_FBM);
        d.seed = (uint64_t)k;
        kst_noise_plan plan, plain;
        kst_noise_plan_make(&d, false, &plan);
        plain = unturned(&plan);
        const double x[2] = {0, 123456.7}, z[2] = {0, -7654.3};
        float v[2], w[2];
        kst_noise_at(&plan, kst_noise_kernel_best(), x, NULL, z, 2, v);
        kst_noise_at(&plain, kst_noise_kernel_best(), x, NULL, z, 2, w);
        here += (double)(v[0] * v[0]);
        there += (double)(v[1] * v[1]);
        plain_here += (double)(w[0] * w[0]);
    }
    assert_true(here > 0.8 * there && here < 1.25 * there);
    assert_true(plain_here == 0);  // control: corners of all lattices meet at 0, where noise is nothing
}

static void cells_far_apart_are_independent(void **state) {
    (void)state;
    enum { N = 300, LAGS = 12 };
    static float g[N][N];
    karst_noise_def d = rough_def(KARST_NOISE_GRADIENT);
    kst_noise_plan made;
    kst_noise_plan_make(&d, false, &made);
    kst_noise_plan plan = unturned(&made);
    plan.sum.octave[0].offset[0] = plan.sum.octave[0].offset[1] = 0.3;
    for (int j = 0; j < N; ++j) kst_noise_row(&plan, kst_noise_kernel_best(), 0, 100.0 * j, 100, 0, N, g[j]);
    double square = 0, least = 1;
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) square += (double)(g[j][i] * g[j][i]) / (N * N);
    for (int dj = 0; dj <= LAGS; ++dj)
        for (int di = -LAGS; di <= LAGS; ++di) {
            if (dj == 0 && di < 0) continue;
            double sum = 0;
            for (int j = 0; j < N - LAGS; ++j)
                for (int i = LAGS; i < N - LAGS; ++i) sum += (double)(g[j][i] * g[j + dj][i + di]);
            double share = sum / ((double)(N - LAGS) * (N - 2 * LAGS)) / square;
            if (dj < 2 && abs(di) < 2)
                least = fmin(least, share);
            else if (fabs(share) > 0.025)
                fail_msg("%d %d cells apart: %.3f", di, dj, share);
        }
    assert_true(least < -0.05);  // control: neighbours that share corners are seen
}

// ---- far away --------------------------------------------------------------------------------------

// Share of neighbours, 1 m apart, with equal values, and their mean square change.
static double equal_share(double origin_m, bool as_float, double *change) {
    enum { N = 4096 };
    static double x[N], z[N];
    static float out[N];
    karst_noise_def d = karst_noise_def_default();
    d.wavelength_m = 128;
    for (int k = 0; k < N; ++k) {
        x[k] = as_float ? (double)(float)(origin_m + k) : origin_m + k;
        z[k] = origin_m;
    }
    karst_noise_at(&d, x, NULL, z, N, out);
    int equal = 0;
    *change = 0;
    for (int k = 1; k < N; ++k) {
        equal += out[k] == out[k - 1];
        *change += (double)((out[k] - out[k - 1]) * (out[k] - out[k - 1])) / N;
    }
    return equal / (double)N;
}

static void noise_keeps_its_detail_far_from_the_origin(void **state) {
    (void)state;
    double near_change, change;
    equal_share(0, false, &near_change);
    static const double places[] = {1e7, 1e8, -1e8, 3e10, 1e12};
    for (int k = 0; k < 5; ++k) {
        assert_true(equal_share(places[k], false, &change) < 0.002);
        assert_true(change > 0.7 * near_change && change < 1.4 * near_change);
    }
    assert_true(equal_share(1e8, true, &change) > 0.5);  // control: floats lose it
}

static void noise_is_finite_everywhere(void **state) {
    (void)state;
    static const double odd[] = {0,    -0.0,  2e10,   3e10,   -2.5e10,  1e15,      1e18,
                                 1e30, 1e300, -1e300, 1e-310, INFINITY, -INFINITY, NAN};
    enum { N = sizeof odd / sizeof *odd };
    karst_noise_def d = karst_noise_def_default();
    float out[64];
    for (int kind = 0; kind < KARST_NOISE_KIND_COUNT; ++kind)
        for (int k = 0; k < N * N; ++k) {
            d.kind = (karst_noise_kind)kind;
            d.warp_m = k & 1 ? 1e9 : 0;
            karst_noise_at(&d, &odd[k % N], NULL, &odd[k / N], 1, out);
            assert_true(isfinite(out[0]) && fabsf(out[0]) <= 100);
            karst_noise_at(&d, &odd[k % N], &odd[(k + 5) % N], &odd[k / N], 1, out);
            assert_true(isfinite(out[0]) && fabsf(out[0]) <= 100);
            karst_noise_fill(&d, (karst_pos){odd[k % N], 0, odd[k / N]}, k & 2 ? 1e300 : 1, (karst_rect){0, 0, 64, 1},
                             out, 64);
            for (int i = 0; i < 64; ++i) assert_true(isfinite(out[i]) && fabsf(out[i]) <= 100);
        }
}

// ---- parameters ------------------------------------------------------------------------------------

static void numbers_out_of_range_are_named(void **state) {
    (void)state;
    static const struct {
        const char *word;
        size_t at;
        double value;
    } bad[] = {
        {"wavelength", offsetof(karst_noise_def, wavelength_m), 0},
        {"wavelength", offsetof(karst_noise_def, wavelength_m), NAN},
        {"amplitude", offsetof(karst_noise_def, amplitude_m), INFINITY},
        {"lacunarity", offsetof(karst_noise_def, lacunarity), 0.5},
        {"gain", offsetof(karst_noise_def, gain), 1.5},
        {"warp", offsetof(karst_noise_def, warp_m), -1},
    };
    karst_report report;
    karst_noise_def d = karst_noise_def_default();
    assert_int_equal(karst_noise_check(&d, &report), KARST_OK);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        d = karst_noise_def_default();
        memcpy((char *)&d + bad[k].at, &bad[k].value, sizeof(double));
        assert_int_equal(karst_noise_check(&d, &report), KARST_ERROR_ARGUMENT);
        assert_non_null(strstr(report.message, bad[k].word));
        float out = 17;
        const double zero = 0;
        assert_int_equal(karst_noise_at(&d, &zero, NULL, &zero, 1, &out), KARST_ERROR_ARGUMENT);
        assert_int_equal(karst_noise_fill(&d, (karst_pos){0, 0, 0}, 1, (karst_rect){0, 0, 1, 1}, &out, 1),
                         KARST_ERROR_ARGUMENT);
        assert_true(out == 17);
    }
    for (int octaves = 0; octaves <= KARST_NOISE_MAX_OCTAVES + 1; octaves += KARST_NOISE_MAX_OCTAVES + 1) {
        d = karst_noise_def_default();
        d.octaves = octaves;
        assert_int_equal(karst_noise_check(&d, &report), KARST_ERROR_ARGUMENT);
        assert_non_null(strstr(report.message, "octaves"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_width_gives_the_same_bytes),
        cmocka_unit_test(the_bytes_of_noise_never_change),
        cmocka_unit_test(parts_of_a_grid_equal_the_whole),
        cmocka_unit_test(a_grid_and_single_places_agree),
        cmocka_unit_test(values_stay_within_their_range),
        cmocka_unit_test(noise_has_no_steps),
        cmocka_unit_test(no_line_shows_along_axes_and_diagonals),
        cmocka_unit_test(no_direction_is_rougher_than_another),
        cmocka_unit_test(the_origin_is_like_any_other_place),
        cmocka_unit_test(cells_far_apart_are_independent),
        cmocka_unit_test(noise_keeps_its_detail_far_from_the_origin),
        cmocka_unit_test(noise_is_finite_everywhere),
        cmocka_unit_test(numbers_out_of_range_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
