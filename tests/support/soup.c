// SPDX-License-Identifier: MIT
// Every triangle of a ground.
#include "support/soup.h"

#include "support/prop.h"

typedef struct v3 {
    long double x, y, z;
} v3;
static v3 sub(karst_pos a, karst_pos b) {
    return (v3){(long double)a.x - b.x, (long double)a.y - b.y, (long double)a.z - b.z};
}
static v3 cross(v3 a, v3 b) {
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static long double dot(v3 a, v3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// ---- triangles -------------------------------------------------------------------------------------

bool soup_take(void *context, const karst_triangle *triangles, int count) {
    soup *s = context;
    if (s->count + count > s->room) {
        s->room = 2 * (s->count + count);
        s->triangle = realloc(s->triangle, sizeof *s->triangle * (size_t)s->room);
    }
    memcpy(s->triangle + s->count, triangles, sizeof *triangles * (size_t)count);
    s->count += count;
    return true;
}

static void make_ball(const soup *s, int k, double ball[4]) {
    karst_pos low = s->triangle[32 * k].corner[0], high = low;
    for (int i = 32 * k; i < 32 * k + 32 && i < s->count; ++i)
        for (int c = 0; c < 3; ++c) {
            karst_pos p = s->triangle[i].corner[c];
            low = (karst_pos){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
            high = (karst_pos){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
        }
    v3 half = sub(high, low);
    ball[0] = 0.5 * (low.x + high.x), ball[1] = 0.5 * (low.y + high.y), ball[2] = 0.5 * (low.z + high.z);
    ball[3] = 0.51 * sqrt((double)dot(half, half));
}

soup soup_of(const karst_ground *ground) {
    soup s = {0};
    for (uint32_t c = 0; c < karst_ground_chunk_count(ground); ++c)
        assert_int_equal(karst_ground_triangles(ground, c, soup_take, &s), KARST_OK);
    int balls = (s.count + 31) / 32;
    s.ball = malloc((size_t)(balls + 1) * sizeof *s.ball);
    for (int k = 0; k < balls; ++k) make_ball(&s, k, s.ball[k]);
    return s;
}

void soup_free(soup *s) {
    free(s->triangle);
    free(s->ball);
    *s = (soup){0};
}

// ---- the slow twin ---------------------------------------------------------------------------------

bool soup_near(const soup *s, int k, const karst_ray *ray) {
    if (!s->ball) return true;
    const double *b = s->ball[k];
    v3 d = {ray->direction.x, ray->direction.y, ray->direction.z}, to = sub((karst_pos){b[0], b[1], b[2]}, ray->origin);
    v3 off = cross(d, to);
    long double length = dot(d, d), reach = b[3] + 1e-9L * sqrtl(dot(to, to));
    return dot(off, off) <= 1.001L * reach * reach * length;
}

// Signed volumes in long double (after Moeller and Trumbore in spirit: no shear, no rounding to share with the code
// under test).
bool soup_meets(const karst_triangle *t, const karst_ray *ray, long double *at, long double *margin) {
    v3 d = {ray->direction.x, ray->direction.y, ray->direction.z};
    v3 a = sub(t->corner[0], ray->origin), b = sub(t->corner[1], ray->origin), c = sub(t->corner[2], ray->origin);
    long double u = dot(d, cross(c, b)), v = dot(d, cross(a, c)), w = dot(d, cross(b, a)), sum = u + v + w;
    if (sum == 0) return false;
    u /= sum, v /= sum, w /= sum;
    v3 n = cross(sub(t->corner[1], t->corner[0]), sub(t->corner[2], t->corner[0]));
    *at = dot(a, n) / dot(d, n);
    *margin = u < v ? (u < w ? u : w) : (v < w ? v : w);
    return *at >= ray->t_min && *at <= ray->t_max;
}

soup_verdict soup_cast(const soup *s, const karst_ray *ray, long double clear) {
    soup_verdict v = {0};
    for (int k = 0; k < s->count; ++k) {
        long double t, margin;
        if (k % 32 == 0 && !soup_near(s, k / 32, ray)) {
            k += 31;
            continue;
        }
        if (!soup_meets(&s->triangle[k], ray, &t, &margin) || margin < -clear) continue;
        if (!v.perhaps || t < v.perhaps_t) v.perhaps_t = t;
        v.perhaps = true;
        if (margin < clear) continue;
        if (!v.sure || t < v.sure_t) v.sure_t = t;
        v.sure = true;
    }
    return v;
}

bool soup_closed_round(const soup *s, const karst_ray *ray, double radius) {
    v3 d = {ray->direction.x, ray->direction.y, ray->direction.z};
    v3 e = cross(d, fabsl(d.x) < fabsl(d.y) ? (v3){1, 0, 0} : (v3){0, 1, 0}), f = cross(d, e);
    double le = radius / sqrt((double)dot(e, e)), lf = radius / sqrt((double)dot(f, f));
    for (int k = 0; k < 8; ++k) {
        double p = cos(k * 0.785398) * le, q = sin(k * 0.785398) * lf;
        karst_ray r = *ray;
        r.origin.x += p * (double)e.x + q * (double)f.x;
        r.origin.y += p * (double)e.y + q * (double)f.y;
        r.origin.z += p * (double)e.z + q * (double)f.z;
        soup_verdict v = soup_cast(s, &r, 1e-9L);
        if (!v.sure || v.sure_t > 1 + 2e-5L) return false;
    }
    return true;
}

// ---- the ground's own answers ----------------------------------------------------------------------

karst_hit soup_hit(const karst_ground *ground, karst_ray ray) {
    karst_hit hit;
    assert_int_equal(karst_ground_cast(ground, &ray, &hit), KARST_OK);
    return hit;
}

bool soup_blocked(const karst_ground *ground, karst_ray ray) {
    bool out = false;
    assert_int_equal(karst_ground_blocked(ground, &ray, &out), KARST_OK);
    return out;
}

karst_ray soup_down(double x, double z) {
    return (karst_ray){.origin = {x, 1e5, z}, .direction = {0, -1, 0}, .t_min = 0, .t_max = INFINITY};
}
