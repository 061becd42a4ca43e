// SPDX-License-Identifier: MIT
// Filters on arrays: what each kind promises, parts equal the whole, and a mask of 0 keeps every bit.
#include "op/filter.h"

#include "support/prop.h"

enum { W = 61, H = 47, COUNT = W * H };

typedef struct ground {
    float y[COUNT], x[COUNT], z[COUNT], mask[COUNT];
    kst_samples s;
} ground;

static void make_ground(prop *p, bool displaced, ground *g) {
    uint64_t seed = prop_u64(p);
    double base = prop_real(p, -50, 50);
    for (int k = 0; k < COUNT; ++k) {
        uint64_t key = (uint64_t)k * 4;
        double wave = 40 * sin((double)(k % W) / 7 + base) + 25 * cos((double)k / W / 5);
        g->y[k] = (float)(base + wave + 6 * kst_random01(seed, key));
        g->x[k] = (float)(3 * kst_random01(seed, key + 1) - 1.5);
        g->z[k] = (float)(3 * kst_random01(seed, key + 2) - 1.5);
        double m = 1.5 * kst_random01(seed, key + 3) - 0.25;
        g->mask[k] = (float)(m < 0 ? 0 : m > 1 ? 1 : m);
    }
    g->s = (kst_samples){.shape = {W, H, prop_real(p, 0.5, 4), {prop_real(p, -1e6, 1e6), prop_real(p, -9, 900), 7}},
                         .rect = {0, 0, W, H},
                         .y = g->y,
                         .x = displaced ? g->x : NULL,
                         .z = displaced ? g->z : NULL,
                         .stride = W};
}

static karst_filter_def random_def(prop *p, const ground *g) {
    karst_filter_def d = karst_filter_def_default((karst_filter_kind)prop_int(p, 0, KARST_FILTER_KIND_COUNT - 1));
    d.noise.wavelength_m = prop_real(p, 5, 80);
    d.noise.seed = prop_u64(p);
    d.along_normal = prop_chance(p, 0.5);
    if (d.kind == KARST_FILTER_TERRACE && prop_chance(p, 0.5)) d.noise.amplitude_m = 5;
    d.step_m = prop_real(p, 2, 30);
    d.offset_m = prop_real(p, -100, 100);
    d.sharpness = prop_chance(p, 0.2) ? 1 : prop_real(p, 0.05, 1);
    d.radius_m = g->s.shape.spacing_m * exp(prop_real(p, 0.1, 4.5));
    d.low_m = g->s.shape.origin.y + prop_real(p, -40, 0);
    d.high_m = g->s.shape.origin.y + prop_real(p, 1, 60);
    d.to_low_m = prop_real(p, -100, 100);
    d.to_high_m = prop_real(p, -100, 100);
    d.bend = prop_real(p, 0.1, 0.9);
    return d;
}

typedef struct result {
    float y[COUNT], x[COUNT], z[COUNT];
} result;

// Filter rect of the ground, seen through samples that reach just as far as the halo.
static void run_filter(const karst_filter_def *d, const ground *g, const float *mask, karst_rect rect, result *out) {
    static kst_filter_plan plan;
    assert_int_equal(karst_filter_check(d, g->s.shape.spacing_m, NULL), KARST_OK);
    kst_filter_plan_make(d, g->s.shape.spacing_m, &plan);
    int halo = kst_filter_halo(&plan);
    karst_rect r = {rect.x0 > halo ? rect.x0 - halo : 0, rect.z0 > halo ? rect.z0 - halo : 0,
                    rect.x1 + halo < W ? rect.x1 + halo : W, rect.z1 + halo < H ? rect.z1 + halo : H};
    size_t width = (size_t)(r.x1 - r.x0), count = width * (size_t)(r.z1 - r.z0);
    float *part = malloc(3 * count * sizeof *part);  // of just that size, so that a step beyond it is found
    const float *from[3] = {g->y, g->x, g->z};
    for (int k = 0; k < 3; ++k)
        for (int32_t j = r.z0; j < r.z1; ++j)
            memcpy(part + (size_t)k * count + (size_t)(j - r.z0) * width, from[k] + j * W + r.x0, width * sizeof *part);
    kst_samples s = g->s;
    s.rect = r;
    s.stride = (int)width;
    s.y = part;
    s.x = g->s.x ? part + count : NULL;
    s.z = g->s.z ? part + 2 * count : NULL;
    int at = rect.z0 * W + rect.x0;
    bool sideways = g->s.x || kst_filter_writes_sideways(d), changed;
    kst_planes planes = {out->y + at, sideways ? out->x + at : NULL, sideways ? out->z + at : NULL, W};
    assert_int_equal(kst_filter_tile(&plan, &s, mask ? mask + at : NULL, rect, &planes, &changed), KARST_OK);
    free(part);
}

static const karst_rect all = {0, 0, W, H};

static bool same_rect(const float *a, const float *b, karst_rect r) {
    for (int32_t j = r.z0; j < r.z1; ++j)
        if (memcmp(a + j * W + r.x0, b + j * W + r.x0, (size_t)(r.x1 - r.x0) * sizeof *a)) return false;
    return true;
}

static void parts_equal_the_whole(void **state) {
    (void)state;
    static ground g;
    static result whole, part;
    for (prop p = prop_begin("filter_parts", 300); prop_next(&p);) {
        bool displaced = prop_chance(&p, 0.5);
        make_ground(&p, displaced, &g);
        karst_filter_def d = random_def(&p, &g);
        const float *mask = prop_chance(&p, 0.5) ? g.mask : NULL;
        run_filter(&d, &g, mask, all, &whole);
        int x0 = prop_int(&p, 0, W - 2), z0 = prop_int(&p, 0, H - 2);
        karst_rect some = {x0, z0, prop_int(&p, x0 + 1, W), prop_int(&p, z0 + 1, H)};
        run_filter(&d, &g, mask, some, &part);
        prop_check(&p, same_rect(whole.y, part.y, some));
        if (!displaced && !kst_filter_writes_sideways(&d)) continue;
        prop_check(&p, same_rect(whole.x, part.x, some) && same_rect(whole.z, part.z, some));
    }
}

// Control of the above: a blur that takes a part for the whole ground, mirrored at its border, is another one.
static void a_part_mirrored_at_its_own_border_differs(void **state) {
    (void)state;
    static ground g;
    static result whole, part;
    prop p = prop_begin("filter_control", 1);
    prop_next(&p);
    make_ground(&p, false, &g);
    karst_filter_def d = karst_filter_def_default(KARST_FILTER_BLUR);
    d.radius_m = 5 * g.s.shape.spacing_m;
    run_filter(&d, &g, NULL, all, &whole);
    static kst_filter_plan plan;
    kst_filter_plan_make(&d, g.s.shape.spacing_m, &plan);
    kst_samples s = g.s;
    s.shape.rows = 20;
    s.rect = (karst_rect){0, 0, W, 20};
    kst_planes planes = {part.y, NULL, NULL, W};
    bool changed;
    kst_filter_tile(&plan, &s, NULL, s.rect, &planes, &changed);
    assert_false(same_rect(whole.y, part.y, s.rect));
    assert_true(same_rect(whole.y, part.y, (karst_rect){0, 0, W, 10}));  // away from it, it is the same
}

static void a_mask_of_nothing_keeps_every_bit_and_of_all_hinders_none(void **state) {
    (void)state;
    static ground g;
    static result free_run, masked;
    int moved = 0;
    for (prop p = prop_begin("filter_mask", 200); prop_next(&p);) {
        bool displaced = prop_chance(&p, 0.5);
        make_ground(&p, displaced, &g);
        karst_filter_def d = random_def(&p, &g);
        run_filter(&d, &g, NULL, all, &free_run);
        run_filter(&d, &g, g.mask, all, &masked);
        for (int k = 0; k < COUNT; ++k) {
            float lo = fminf(g.y[k], free_run.y[k]), hi = fmaxf(g.y[k], free_run.y[k]);
            if (g.mask[k] == 0) prop_check(&p, !memcmp(&masked.y[k], &g.y[k], 4));
            if (g.mask[k] == 1) prop_check(&p, !memcmp(&masked.y[k], &free_run.y[k], 4));
            prop_check(&p, masked.y[k] >= lo - 1e-3f && masked.y[k] <= hi + 1e-3f);
            moved += g.mask[k] == 0 && free_run.y[k] != g.y[k];
            if (!displaced) continue;
            if (g.mask[k] == 0) prop_check(&p, !memcmp(&masked.x[k], &g.x[k], 4));
        }
    }
    assert_true(moved > 1000);  // control: without the mask those vertices change
}

// ---- blur ------------------------------------------------------------------------------------------

static double slow_blur(const ground *g, double radius_m, int i, int j) {
    double sum = 0, total = 0, spacing_m = g->s.shape.spacing_m;
    int reach = (int)(radius_m / spacing_m) + 1;
    for (int dj = -reach; dj <= reach; ++dj)
        for (int di = -reach; di <= reach; ++di) {
            double a = di * spacing_m / radius_m, b = dj * spacing_m / radius_m;
            if (fabs(a) >= 1 || fabs(b) >= 1) continue;
            int x = i + di, z = j + dj;
            while (x < 0 || x >= W) x = x < 0 ? -x : 2 * (W - 1) - x;
            while (z < 0 || z >= H) z = z < 0 ? -z : 2 * (H - 1) - z;
            double weight = pow(1 - a * a, 4) * pow(1 - b * b, 4);
            sum += weight * (double)g->y[z * W + x];
            total += weight;
        }
    return sum / total;
}

static void blur_is_the_weighted_mean_with_mirrored_borders(void **state) {
    (void)state;
    static ground g;
    static result out;
    for (prop p = prop_begin("filter_blur", 24); prop_next(&p);) {
        make_ground(&p, false, &g);
        karst_filter_def d = karst_filter_def_default(KARST_FILTER_BLUR);
        d.radius_m = g.s.shape.spacing_m * exp(prop_real(&p, 0.1, 4.8));  // beyond the ground's size too
        run_filter(&d, &g, NULL, all, &out);
        double off = 0;
        for (int k = 0; k < 40; ++k) {
            int i = k < 4 ? k % 2 * (W - 1) : prop_int(&p, 0, W - 1),
                j = k < 4 ? k / 2 * (H - 1) : prop_int(&p, 0, H - 1);
            prop_near(&p, out.y[j * W + i], slow_blur(&g, d.radius_m, i, j), 2e-4);
            off = fmax(off, fabs((double)out.y[j * W + i] - slow_blur(&g, d.radius_m * 1.5, i, j)));
        }
        prop_check(&p, off > 0.01);  // control: another radius is another mean
    }
}

static void blur_keeps_level_ground_and_sharpen_undoes_none_of_it(void **state) {
    (void)state;
    static ground g;
    static result out;
    for (prop p = prop_begin("filter_level", 40); prop_next(&p);) {
        make_ground(&p, true, &g);
        float level = (float)prop_real(&p, -9000, 9000);
        for (int k = 0; k < COUNT; ++k) g.y[k] = level, g.x[k] = 0.3f, g.z[k] = -0.1f;
        for (int kind = KARST_FILTER_BLUR; kind <= KARST_FILTER_SHARPEN; ++kind) {
            karst_filter_def d = karst_filter_def_default((karst_filter_kind)kind);
            d.radius_m = g.s.shape.spacing_m * prop_real(&p, 1.1, 30);
            d.amount = prop_real(&p, 0.1, 5);
            run_filter(&d, &g, NULL, all, &out);
            prop_check(&p, !memcmp(out.y, g.y, sizeof g.y) && !memcmp(out.x, g.x, sizeof g.x));
            prop_check(&p, !memcmp(out.z, g.z, sizeof g.z));
        }
    }
}

static double roughness(const float *y) {
    double sum = 0;
    for (int j = 0; j < H; ++j)
        for (int i = 1; i < W; ++i) sum += pow((double)y[j * W + i] - (double)y[j * W + i - 1], 2);
    return sum;
}

static void blur_smooths_and_sharpen_roughens(void **state) {
    (void)state;
    static ground g;
    static result out;
    for (prop p = prop_begin("filter_rough", 40); prop_next(&p);) {
        make_ground(&p, false, &g);
        karst_filter_def d = karst_filter_def_default(KARST_FILTER_BLUR);
        d.radius_m = g.s.shape.spacing_m * prop_real(&p, 2, 9);
        run_filter(&d, &g, NULL, all, &out);
        prop_check(&p, roughness(out.y) < 0.8 * roughness(g.y));
        d.kind = KARST_FILTER_SHARPEN;
        run_filter(&d, &g, NULL, all, &out);
        prop_check(&p, roughness(out.y) > 1.2 * roughness(g.y));
    }
}

// ---- heights ---------------------------------------------------------------------------------------

static double slow_terrace(const karst_filter_def *d, double h) {
    double level = floor((h - d->offset_m) / d->step_m), f = (h - d->offset_m) / d->step_m - level;
    double width = 1 - d->sharpness, low = 0.5 - width / 2, high = 0.5 + width / 2;
    double at = f < low ? 0 : f > high ? 1 : width > 0 ? (f - low) / width : f >= 0.5;
    return d->offset_m + (level + at) * d->step_m;
}

static void terraces_have_level_treads_at_their_levels(void **state) {
    (void)state;
    static ground g;
    static result out;
    for (prop p = prop_begin("filter_terrace", 100); prop_next(&p);) {
        make_ground(&p, false, &g);
        karst_filter_def d = karst_filter_def_default(KARST_FILTER_TERRACE);
        d.step_m = prop_real(&p, 2, 30);
        d.offset_m = prop_real(&p, -100, 100);
        d.sharpness = prop_chance(&p, 0.2) ? 1 : prop_real(&p, 0, 1);
        run_filter(&d, &g, NULL, all, &out);
        double base = g.s.shape.origin.y;
        for (int k = 0; k < COUNT; ++k) {
            double want = slow_terrace(&d, base + (double)g.y[k]);
            if (d.sharpness == 1 &&
                fabs(fmod(fabs(base + (double)g.y[k] - d.offset_m), d.step_m) / d.step_m - 0.5) < 1e-6)
                continue;  // on a riser without width either side will do
            prop_near(&p, base + (double)out.y[k], want, 1e-3);
        }
        d.sharpness = 0;  // control: no terrace at all
        run_filter(&d, &g, NULL, all, &out);
        prop_check(&p, !memcmp(out.y, g.y, sizeof g.y));
    }
}

static void clamp_bounds_heights_and_keeps_the_rest(void **state) {
    (void)state;
    static ground g, again;
    static result out, twice;
    for (prop p = prop_begin("filter_clamp", 60); prop_next(&p);) {
        make_ground(&p, false, &g);
        karst_filter_def d = random_def(&p, &g);
        d.kind = KARST_FILTER_CLAMP;
        run_filter(&d, &g, NULL, all, &out);
        int kept = 0;
        for (int k = 0; k < COUNT; ++k) {
            double h = g.s.shape.origin.y + (double)out.y[k], was = g.s.shape.origin.y + (double)g.y[k];
            prop_check(&p, h >= d.low_m - 1e-3 && h <= d.high_m + 1e-3);
            if (was >= d.low_m && was <= d.high_m) prop_check(&p, !memcmp(&out.y[k], &g.y[k], 4));
            kept += was >= d.low_m && was <= d.high_m;
        }
        prop_check(&p, kept < COUNT);
        again = g;
        again.s.y = again.y;
        memcpy(again.y, out.y, sizeof out.y);
        run_filter(&d, &again, NULL, all, &twice);
        prop_check(&p, !memcmp(twice.y, out.y, sizeof out.y));
    }
}

static void remap_takes_ends_to_ends_and_keeps_order(void **state) {
    (void)state;
    static ground g;
    static result out;
    for (prop p = prop_begin("filter_remap", 60); prop_next(&p);) {
        make_ground(&p, false, &g);
        karst_filter_def d = random_def(&p, &g);
        d.kind = KARST_FILTER_REMAP;
        d.to_high_m = d.to_low_m + prop_real(&p, 1, 300);
        g.s.shape.origin.y = 0;
        g.y[0] = (float)(d.low_m = -20);
        g.y[1] = (float)(d.high_m = 32);
        g.y[2] = 6;  // the middle
        run_filter(&d, &g, NULL, all, &out);
        prop_near(&p, out.y[0], d.to_low_m, 1e-3);
        prop_near(&p, out.y[1], d.to_high_m, 1e-3);
        prop_near(&p, (double)out.y[2], d.to_low_m + d.bend * (d.to_high_m - d.to_low_m), 1e-2);
        for (int k = 1; k < COUNT; ++k)
            prop_check(&p, g.y[k] == g.y[k - 1] || (g.y[k] > g.y[k - 1]) == (out.y[k] > out.y[k - 1]) ||
                               out.y[k] == out.y[k - 1]);
    }
}

// ---- noise -----------------------------------------------------------------------------------------

static void noise_moves_vertices_along_their_normals(void **state) {
    (void)state;
    static ground g;
    static result out;
    for (prop p = prop_begin("filter_normal", 60); prop_next(&p);) {
        bool displaced = prop_chance(&p, 0.5);
        make_ground(&p, displaced, &g);
        karst_filter_def d = karst_filter_def_default(KARST_FILTER_NOISE);
        d.along_normal = true;
        d.noise.wavelength_m = 30;
        run_filter(&d, &g, NULL, all, &out);
        double most = 0;
        for (int j = 0; j < H; ++j)
            for (int i = 0; i < W; ++i) {
                int k = j * W + i;
                karst_vec3 n = kst_samples_normal(&g.s, i, j);
                double length = sqrt((double)(n.x * n.x + n.y * n.y + n.z * n.z));
                double dy = (double)out.y[k] - (double)g.y[k];
                double dx = (double)out.x[k] - (displaced ? (double)g.x[k] : 0);
                double dz = (double)out.z[k] - (displaced ? (double)g.z[k] : 0);
                double moved = sqrt(dx * dx + dy * dy + dz * dz);
                double along = (dx * (double)n.x + dy * (double)n.y + dz * (double)n.z) / length;
                prop_check(&p, moved <= 10.001);
                prop_near(&p, moved, fabs(along), 1e-3);
                most = fmax(most, sqrt(dx * dx + dz * dz));
            }
        prop_check(&p, most > 0.1);  // control: sideways too
        d.along_normal = false;
        run_filter(&d, &g, NULL, all, &out);
        if (displaced) prop_check(&p, !memcmp(out.x, g.x, sizeof g.x) && !memcmp(out.z, g.z, sizeof g.z));
    }
}

// The angle of slopes and of cliffs that lean over, against the C library's.
static void angles_are_those_of_the_c_library(void **state) {
    (void)state;
    double most = 0;
    for (int k = 0; k <= 3600; ++k) {
        double a = k * 3.14159265358979324 / 3600, r = exp(k % 40 - 20);
        most = fmax(most, fabs(kst_angle_deg(r * cos(a), fabs(r * sin(a))) - k * 0.05));
    }
    assert_true(most < 3e-6);
    assert_true(kst_angle_deg(0, 0) == 0 && kst_angle_deg(1, 0) == 0 && kst_angle_deg(-1, 0) == 180);
    assert_true(kst_angle_deg(0, 3) == 90);
}

static void the_bytes_of_filters_never_change(void **state) {
    (void)state;
    static ground g;
    static result out;
    static const uint64_t want[KARST_FILTER_KIND_COUNT] = {0xcd20ebe737d82049, 0x921a4d8ad80ed851, 0xc22367b1aa343c35,
                                                           0x2ea4fff8bb7dd7d0, 0x20507e3be5427fcd, 0x61ee6f7b5c269dcc};
    uint64_t got[KARST_FILTER_KIND_COUNT];
    for (int k = 0; k < COUNT; ++k) {
        g.y[k] = (float)(60 * kst_random01(3, (uint64_t)k));
        g.x[k] = (float)kst_random01(4, (uint64_t)k);
        g.z[k] = (float)kst_random01(5, (uint64_t)k);
    }
    g.s = (kst_samples){.shape = {W, H, 2, {1e5, 100, 7}}, .rect = all, .y = g.y, .x = g.x, .z = g.z, .stride = W};
    for (int kind = 0; kind < KARST_FILTER_KIND_COUNT; ++kind) {
        karst_filter_def d = karst_filter_def_default((karst_filter_kind)kind);
        d.along_normal = true;
        d.low_m = 110;
        d.high_m = 150;
        d.bend = 0.3;
        run_filter(&d, &g, NULL, all, &out);
        got[kind] = kst_hash(&out, sizeof out, 0);
        if (got[kind] != want[kind]) print_message("kind %d: 0x%016llx\n", kind, (unsigned long long)got[kind]);
    }
    assert_memory_equal(got, want, sizeof want);
}

static void numbers_out_of_range_are_named(void **state) {
    (void)state;
    static const struct {
        karst_filter_kind kind;
        size_t at;
        double value;
        const char *word;
    } bad[] = {
        {KARST_FILTER_BLUR, offsetof(karst_filter_def, amount), -1, "amount"},
        {KARST_FILTER_BLUR, offsetof(karst_filter_def, radius_m), 1, "spacing"},
        {KARST_FILTER_SHARPEN, offsetof(karst_filter_def, radius_m), 1e7, "radius"},
        {KARST_FILTER_SHARPEN, offsetof(karst_filter_def, radius_m), NAN, "radius"},
        {KARST_FILTER_TERRACE, offsetof(karst_filter_def, step_m), 0, "step"},
        {KARST_FILTER_TERRACE, offsetof(karst_filter_def, sharpness), 1.1, "sharpness"},
        {KARST_FILTER_CLAMP, offsetof(karst_filter_def, low_m), 1e6 + 1, "low"},
        {KARST_FILTER_REMAP, offsetof(karst_filter_def, bend), 0, "bend"},
        {KARST_FILTER_REMAP, offsetof(karst_filter_def, low_m), 1e6, "low"},
        {KARST_FILTER_NOISE, offsetof(karst_filter_def, noise) + offsetof(karst_noise_def, gain), 2, "gain"},
    };
    karst_report report;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        karst_filter_def d = karst_filter_def_default(bad[k].kind);
        assert_int_equal(karst_filter_check(&d, 2, &report), KARST_OK);
        memcpy((char *)&d + bad[k].at, &bad[k].value, sizeof(double));
        assert_int_equal(karst_filter_check(&d, 2, &report), KARST_ERROR_ARGUMENT);
        assert_non_null(strstr(report.message, bad[k].word));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_equal_the_whole),
        cmocka_unit_test(a_part_mirrored_at_its_own_border_differs),
        cmocka_unit_test(a_mask_of_nothing_keeps_every_bit_and_of_all_hinders_none),
        cmocka_unit_test(blur_is_the_weighted_mean_with_mirrored_borders),
        cmocka_unit_test(blur_keeps_level_ground_and_sharpen_undoes_none_of_it),
        cmocka_unit_test(blur_smooths_and_sharpen_roughens),
        cmocka_unit_test(terraces_have_level_treads_at_their_levels),
        cmocka_unit_test(clamp_bounds_heights_and_keeps_the_rest),
        cmocka_unit_test(remap_takes_ends_to_ends_and_keeps_order),
        cmocka_unit_test(noise_moves_vertices_along_their_normals),
        cmocka_unit_test(angles_are_those_of_the_c_library),
        cmocka_unit_test(the_bytes_of_filters_never_change),
        cmocka_unit_test(numbers_out_of_range_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
