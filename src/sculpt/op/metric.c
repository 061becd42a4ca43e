// SPDX-License-Identifier: MIT
// The metric of displaced ground: lengths and areas across the pull of gravity.
#include "op/metric.h"

// A cell of less than this share of its level area is not ground that water runs over [flat cells].
static const float least_area = 0.1f;
static const float least_run = 0.1f;

static inline karst_vec3 minus(const kst_warp *w, size_t a, size_t b) {
    return (karst_vec3){w->x[a] - w->x[b], w->y[a] - w->y[b], w->z[a] - w->z[b]};
}
static inline float dot(karst_vec3 a, karst_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The mean up of samples a and b, not of length 1 where they differ: where they differ much there is no level.
static karst_vec3 up_between(const kst_warp *w, size_t a, size_t b) {
    if (!w->up) return (karst_vec3){0, 1, 0};
    karst_vec3 u = w->up[a], v = w->up[b], m = {u.x + v.x, u.y + v.y, u.z + v.z};
    float length = __builtin_sqrtf(dot(m, m));
    return length > 0 ? (karst_vec3){m.x / length, m.y / length, m.z / length} : u;
}

static float run_between(const kst_warp *w, size_t a, size_t b) {
    karst_vec3 d = minus(w, b, a), up = up_between(w, a, b);
    float rise = dot(d, up);
    karst_vec3 level = {d.x - rise * up.x, d.y - rise * up.y, d.z - rise * up.z};
    float run = __builtin_sqrtf(dot(level, level)) / w->cell_m;
    return run > least_run ? run : least_run;
}

// Level area of the cell that begins at sample a, less than nothing where it is turned over [flat cells]. Half the
// cross product of the diagonals; rows grow along +z, columns along +x, so that z cross x is up.
static float cell_area(const kst_warp *w, size_t a) {
    size_t b = a + 1, c = a + (size_t)w->width, d = c + 1;
    karst_vec3 p = minus(w, c, b), q = minus(w, d, a), up = up_between(w, a, d);
    karst_vec3 cross = {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
    return 0.5f * dot(cross, up) / (w->cell_m * w->cell_m);
}

void kst_metric_measure(const kst_warp *w, float *run_i, float *run_j, float *area, float *mask) {
    KARST_ASSERT(w->width >= 2 && w->height >= 2 && w->cell_m > 0);
    const size_t width = (size_t)w->width, height = (size_t)w->height;
    for (size_t i = 0; i < width * height; ++i) {
        area[i] = 0;
        mask[i] = 1;
    }
    for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x) {
            size_t i = y * width + x;
            run_i[i] = x + 1 < width ? run_between(w, i, i + 1) : run_i[i - 1];
            run_j[i] = y + 1 < height ? run_between(w, i, i + width) : run_j[i - width];
            if (x + 1 == width || y + 1 == height) continue;
            float cell = cell_area(w, i);
            const size_t corner[4] = {i, i + 1, i + width, i + width + 1};
            for (int k = 0; k < 4; ++k) {
                if (!(cell >= least_area)) mask[corner[k]] = 0;
                area[corner[k]] += 0.25f * (cell > least_area ? cell : least_area);
            }
        }
    // Samples of the rim have part of the cells of others, and stand for as much ground each.
    for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x)
            area[y * width + x] *= (x == 0 || x + 1 == width ? 2.0f : 1.0f) * (y == 0 || y + 1 == height ? 2.0f : 1.0f);
}
