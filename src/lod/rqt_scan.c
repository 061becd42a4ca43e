// SPDX-License-Identifier: MIT
// The samples under a triangle, against its plane. In doubles: heights that are whole numbers, and ties, are exact.
#include <math.h>

#include "lod/rqt_rows.h"

typedef double four __attribute__((vector_size(32)));
typedef int64_t four_bits __attribute__((vector_size(32)));
typedef float four_floats __attribute__((vector_size(16)));

static const four steps = {0, 1, 2, 3};

// Bits of the largest |y - (f + g k)|, k < n, a lane each; bits of positive doubles are in the order of the doubles.
static inline four_bits row_off(const float *y, int32_t n, double f, double g, four_bits most) {
    const four_bits no_sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    for (int32_t k = 0; k < n; k += 4) {
        four_floats raw;
        memcpy(&raw, y + k, sizeof raw);
        four at = steps + (double)k;
        four_bits off = (four_bits)(__builtin_convertvector(raw, four) - (f + g * at)) & no_sign & (at < (double)n);
        four_bits more = off > most;
        most = (off & more) | (most & ~more);
    }
    return most;
}

static inline double largest_of(four_bits most) {
    four all = (four)most;
    double a = all[0] > all[1] ? all[0] : all[1], b = all[2] > all[3] ? all[2] : all[3];
    return a > b ? a : b;
}

// The largest distance of a height in the closed triangle from the plane, or one that is more than enough.
KST_TWINS static double heights_off(const kst_rqt *r, const kst_node place[3], const kst_plane *plane, double enough) {
    kst_rows rows = kst_rows_of(place);
    four_bits most = {0};
    for (int32_t j = rows.top; j <= rows.bottom; ++j) {
        int32_t first, last;
        kst_rows_span(&rows, j, &first, &last);
        const float *y = r->y + kst_place_at(r, (kst_node){first, j});
        most = row_off(y, last - first + 1, kst_plane_at(plane, first, j), plane->gx, most);
        if (largest_of(most) > enough) break;
    }
    return largest_of(most);
}

static double distance_at(const kst_rqt *r, const kst_plane plane[3], int32_t i, int32_t j) {
    size_t at = kst_place_at(r, (kst_node){i, j});
    double y = (double)r->y[at] - kst_plane_at(&plane[0], i, j);
    if (!r->x) return fabs(y);
    double x = (double)r->x[at] - kst_plane_at(&plane[1], i, j), z = (double)r->z[at] - kst_plane_at(&plane[2], i, j);
    return sqrt(x * x + y * y + z * z);
}

static double largest_distance(const kst_rqt *r, const kst_node place[3], const kst_plane plane[3], double enough) {
    kst_rows rows = kst_rows_of(place);
    double worst = 0;
    for (int32_t j = rows.top; j <= rows.bottom && worst <= enough; ++j) {
        int32_t first, last;
        kst_rows_span(&rows, j, &first, &last);
        for (int32_t i = first; i <= last; ++i) {
            double d = distance_at(r, plane, i, j);
            if (d > worst) worst = d;
        }
    }
    return worst;
}

bool kst_rqt_exceeds(const kst_rqt *r, const kst_node place[3]) {
    size_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = kst_place_at(r, place[k]);
    kst_plane plane[3] = {kst_plane_of(place, (double)r->y[at[0]], (double)r->y[at[1]], (double)r->y[at[2]])};
    if (r->x) {
        plane[1] = kst_plane_of(place, (double)r->x[at[0]], (double)r->x[at[1]], (double)r->x[at[2]]);
        plane[2] = kst_plane_of(place, (double)r->z[at[0]], (double)r->z[at[1]], (double)r->z[at[2]]);
    }
    int32_t i = (place[1].i + place[2].i) / 2, j = (place[1].j + place[2].j) / 2;  // where it would be split
    bool on_line = !((place[1].i + place[2].i) & 1) && !((place[1].j + place[2].j) & 1);
    if (on_line && distance_at(r, plane, i, j) > r->error) return true;
    if (r->x) return largest_distance(r, place, plane, r->error) > r->error;
    return heights_off(r, place, plane, r->error) > r->error;
}

double kst_rqt_off(const kst_rqt *r, const kst_node place[3], const float height[3]) {
    kst_plane plane = kst_plane_of(place, (double)height[0], (double)height[1], (double)height[2]);
    return heights_off(r, place, &plane, INFINITY);
}

double kst_rqt_distance(const kst_rqt *r, const kst_node place[3], const float corner[3][3]) {
    kst_plane plane[3];
    for (int k = 0; k < 3; ++k)
        plane[k] = kst_plane_of(place, (double)corner[0][k], (double)corner[1][k], (double)corner[2][k]);
    return largest_distance(r, place, plane, INFINITY);
}

int kst_rqt_holes(const kst_rqt *r, const kst_node place[3]) {
    kst_rows rows = kst_rows_of(place);
    uint32_t holes = 0, cells = 0;
    for (int32_t j = rows.top; j < rows.bottom; ++j) {  // cells of row j that the open triangle meets
        const kst_side *other = j < rows.turn ? &rows.upper : &rows.lower;
        const kst_side *left = rows.turns_left ? other : &rows.whole, *right = rows.turns_left ? &rows.whole : other;
        int32_t l0 = kst_side_floor(left, j), l1 = kst_side_floor(left, j + 1);
        int32_t r0 = kst_side_ceil(right, j), r1 = kst_side_ceil(right, j + 1);
        size_t first = kst_place_at(r, (kst_node){l0 < l1 ? l0 : l1, j});
        size_t last = kst_place_at(r, (kst_node){r0 > r1 ? r0 : r1, j}), row = (size_t)r->columns;
        const uint32_t *sum = r->hole_sum;
        holes += sum[last + row] - sum[first + row] - sum[last] + sum[first];
        cells += (uint32_t)(last - first);
    }
    return holes == 0 ? 0 : holes == cells ? 2 : 1;
}
