// SPDX-License-Identifier: MIT
// Worlds built by code, shared by tests, benchmarks and samples.
#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"

static double lattice(int64_t x, int64_t z, uint64_t seed) {
    return 2 * kst_random01(seed, (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)z) - 1;
}

static double smooth(double x, double z, uint64_t seed) {
    double fx = floor(x), fz = floor(z), u = x - fx, v = z - fz;
    int64_t i = (int64_t)fx, j = (int64_t)fz;
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    double a = lattice(i, j, seed), b = lattice(i + 1, j, seed);
    double c = lattice(i, j + 1, seed), d = lattice(i + 1, j + 1, seed);
    return (a + (b - a) * u) * (1 - v) + (c + (d - c) * u) * v;
}

static double fractal(double x, double z, uint64_t seed, int octaves, double gain) {
    double sum = 0, amplitude = 1;
    for (int o = 0; o < octaves; ++o, x *= 2, z *= 2, amplitude *= gain)
        sum += amplitude * smooth(x, z, seed + (uint64_t)o);
    return sum;
}

float scene_height(double x, double z, uint64_t seed) {
    double rough = 0.3 + 0.7 * (0.5 + 0.5 * smooth(x / 90, z / 90, seed + 77));
    return (float)(90 * rough * rough * fractal(x / 70, z / 70, seed + 11, 8, 0.55));
}

void scene_rough_row(int row, int columns, double spacing_m, uint64_t seed, float *y, float *x, float *z,
                     uint8_t *holes) {
    for (int i = 0; i < columns; ++i) {
        y[i] = (float)spacing_m * 0.5f * scene_height(i, row, seed);
        if (x) x[i] = (float)(4.5 * spacing_m * fractal(i / 24.0, row / 24.0, seed + 31, 4, 0.4));
        if (z) z[i] = (float)(4.5 * spacing_m * fractal(i / 24.0, row / 24.0, seed + 51, 4, 0.4));
        if (holes) holes[i] = smooth(i / 9.0, row / 9.0, seed + 99) > 0.72;
    }
}

karst_status scene_rough_field(int columns, int rows, double spacing_m, uint64_t seed, bool displaced, bool holes,
                               karst_pos origin, karst_field **out) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){columns, rows, spacing_m, origin};
    karst_field *field;
    karst_status status = karst_field_create(&def, &field);
    if (status) return status;
    float *line = malloc(sizeof(float) * 3 * (size_t)columns);
    uint8_t *flags = malloc((size_t)columns);
    if (!line || !flags) status = KARST_ERROR_MEMORY;
    float *y = line, *x = displaced ? line + columns : NULL, *z = displaced ? line + 2 * columns : NULL;
    for (int j = 0; j < rows && !status; ++j) {
        scene_rough_row(j, columns, spacing_m, seed, y, x, z, holes ? flags : NULL);
        status = karst_field_write(field, (karst_rect){0, j, columns, j + 1}, y, x, z, columns);
        if (!status && holes && j < rows - 1)
            status = karst_field_write_holes(field, (karst_rect){0, j, columns - 1, j + 1}, flags, columns - 1);
    }
    free(line);
    free(flags);
    if (status)
        karst_field_destroy(field);
    else
        *out = field;
    return status;
}

// Where a plateau begins: above 0.
static double edge_of(double x, double z, uint64_t seed) {
    return fractal(x / 60, z / 60, seed + 7, 3, 0.4);
}

karst_status scene_overhang_field(int columns, int rows, double spacing_m, uint64_t seed, karst_field **out) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){columns, rows, spacing_m, {0, 0, 0}};
    karst_field *field;
    karst_status status = karst_field_create(&def, &field);
    if (status) return status;
    float *line = malloc(sizeof(float) * 3 * (size_t)columns);
    if (!line) status = KARST_ERROR_MEMORY;
    for (int j = 0; j < rows && !status; ++j) {
        float *y = line, *x = line + columns, *z = line + 2 * columns;
        for (int i = 0; i < columns; ++i) {
            double at = edge_of(i, j, seed), gx = edge_of(i + 0.5, j, seed) - edge_of(i - 0.5, j, seed);
            double gz = edge_of(i, j + 0.5, seed) - edge_of(i, j - 0.5, seed), g = sqrt(gx * gx + gz * gz) + 1e-9;
            double across = at / g / 4;  // in four cells, from the edge
            double t = across < -1 ? 0 : across > 1 ? 1 : 0.5 + 0.5 * across, top = t * t * (3 - 2 * t);
            double out_cells = top * (across > 1 ? exp(1 - across) : 1) * 9 * (g > 0.004);  // none on flat tops
            y[i] = (float)(spacing_m * (20 * top + 0.06 * (double)scene_height(i, j, seed)));
            x[i] = (float)(-spacing_m * out_cells * gx / g);
            z[i] = (float)(-spacing_m * out_cells * gz / g);
        }
        status = karst_field_write(field, (karst_rect){0, j, columns, j + 1}, y, x, z, columns);
    }
    free(line);
    if (status)
        karst_field_destroy(field);
    else
        *out = field;
    return status;
}

// The mushroom's profile: at so many vertices from its middle, the surface stands this far from its axis and this high
// [spacings]. A cubic B-spline.
static void mushroom_profile(double vertices, double *out, double *up) {
    static const double at[] = {-5, 0, 5, 10, 13, 15, 17, 20, 26, 32, 36, 40, 44};  // vertices
    static const double corner[][2] = {{-5, 40}, {0, 40}, {5, 39}, {12, 36}, {14, 31}, {9, 24}, {6, 10},
                                       {8, 0.6}, {18, 0}, {30, 0}, {36, 0},  {40, 0},  {44, 0}};
    int k = 1;
    while (k < 10 && at[k + 1] <= vertices) ++k;
    *out = vertices;
    *up = 0;
    if (vertices >= at[11]) return;
    double t = (vertices - at[k]) / (at[k + 1] - at[k]);
    double w[4] = {(1 - t) * (1 - t) * (1 - t) / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
                   (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6, t * t * t / 6};
    *out = 0;
    for (int n = 0; n < 4; ++n) *out += w[n] * corner[k - 1 + n][0], *up += w[n] * corner[k - 1 + n][1];
}

karst_status scene_mushroom_field(int side, double spacing_m, karst_field **out) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){side, side, spacing_m, {0, 0, 0}};
    karst_field *field;
    karst_status status = karst_field_create(&def, &field);
    if (status) return status;
    float *line = malloc(sizeof(float) * 3 * (size_t)side);
    if (!line) status = KARST_ERROR_MEMORY;
    for (int j = 0; j < side && !status; ++j) {
        float *y = line, *x = line + side, *z = line + 2 * side;
        for (int i = 0; i < side; ++i) {
            double dx = i - side / 2, dz = j - side / 2, r = sqrt(dx * dx + dz * dz), far, up;
            mushroom_profile(r, &far, &up);
            double grown = r > 0 ? far / r - 1 : 0;
            x[i] = (float)(spacing_m * dx * grown);
            y[i] = (float)(spacing_m * up);
            z[i] = (float)(spacing_m * dz * grown);
        }
        status = karst_field_write(field, (karst_rect){0, j, side, j + 1}, y, x, z, side);
    }
    free(line);
    if (status)
        karst_field_destroy(field);
    else
        *out = field;
    return status;
}
