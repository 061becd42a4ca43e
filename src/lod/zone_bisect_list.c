// SPDX-License-Identifier: MIT
// Whose turn it is: rolling lists of faces that may have to split and of points that may have to go.
//
// A face splits when the eye enters a ball round its middle. Each unit vector u has a plane that touches the ball, and
// before eye.u passes it the eye is not inside. So a face waits in the sector whose plane is furthest ahead, under that
// plane's own coordinate, and a sector looks at the buckets that eye.u has passed: nothing is ever shifted, going back
// costs nothing. Where all planes are near, and for points, which wait for an eye to leave a ball, what counts is the
// way that the eye has gone at most: an odometer.
//
// A bucket is done when its beginning is reached: early, never late. What lies too far ahead for the ring of buckets is
// spread over its last part and looked at again then. What is due within a bucket is looked at in each move.
#include <math.h>

#include "zone_bisect.h"

static const double bucket_m = 0.0625, least_gain_m = 0.1, rounding_m = 1e-6;

static void chain_put(kst_chain *first, size_t stride, uint32_t *head, uint32_t h, uint32_t k) {
#define CHAIN(k) ((kst_chain *)(void *)((char *)first + (k)*stride))
    uint32_t next = head[h];
    *CHAIN(k) = (kst_chain){next, KST_HEAD | h};
    if (next != KST_NONE) CHAIN(next)->prev = k;
    head[h] = k;
}

static void chain_take(kst_chain *first, size_t stride, uint32_t *head, uint32_t k) {
    kst_chain *c = CHAIN(k);
    if (c->prev == KST_NONE) return;
    if (c->prev & KST_HEAD)
        head[c->prev & ~KST_HEAD] = c->next;
    else
        CHAIN(c->prev)->next = c->next;
    if (c->next != KST_NONE) CHAIN(c->next)->prev = c->prev;
    *c = (kst_chain){KST_NONE, KST_NONE};
#undef CHAIN
}

static void put_face(kst_bisect *b, uint32_t h, uint32_t f) {
    chain_put(&b->faces->chain, sizeof *b->faces, b->face_head, h, f);
}
static void put_knot(kst_bisect *b, uint32_t h, uint32_t k) {
    chain_put(&b->knots->chain, sizeof *b->knots, b->knot_head, h, k);
}
void kst_bisect_take(kst_bisect *b, uint32_t f) {
    chain_take(&b->faces->chain, sizeof *b->faces, b->face_head, f);
}
void kst_bisect_take_knot(kst_bisect *b, uint32_t k) {
    chain_take(&b->knots->chain, sizeof *b->knots, b->knot_head, k);
}
void kst_bisect_hold(kst_bisect *b, uint32_t f) {
    put_face(b, KST_FACE_HOT, f);
}

static void place_sectors(kst_bisect *b) {
    for (int s = 0; s < b->sectors; ++s) {
        b->eye_along[s] = b->along[s][0] * b->eye[0][0] + b->along[s][1] * b->eye[0][2];
        b->cursor[s] = (int64_t)floor(b->eye_along[s] / bucket_m);
    }
}

void kst_bisect_lists_clear(kst_bisect *b) {
    memset(b->face_head, 0xFF, KST_FACE_HEADS * sizeof *b->face_head);
    memset(b->knot_head, 0xFF, KST_KNOT_HEADS * sizeof *b->knot_head);
    b->odometer = 0;
    b->odometer_cursor = 0;
    for (int s = 0; s < b->sectors; ++s) {
        double turn = 6.283185307179586 * s / b->sectors;
        b->along[s][0] = cos(turn), b->along[s][1] = sin(turn);
    }
    place_sectors(b);
}

double kst_bisect_distance2(const kst_bisect *b, const int32_t at[3]) {
    double least = INFINITY;
    for (int v = 0; v < b->eye_count; ++v) {
        double x = at[0] * b->fine_m - b->eye[v][0], y = at[1] * b->fine_m - b->eye[v][1],
               z = at[2] * b->fine_m - b->eye[v][2], d2 = x * x + y * y + z * z;
        if (d2 < least) least = d2;
    }
    return least;
}

// Bucket of what is due `ahead` metres from `now`; too far: somewhere in the ring's last part. The ring ends before the
// buckets that a move passes: one that is looked at again does not come back into the same pass.
static int64_t bucket_of(double now, double ahead, uint32_t number) {
    const double ring = (KST_BUCKETS - 2) * bucket_m - KST_JUMP_M;
    if (ahead > ring) ahead = ring * (0.7 + 0.3 * (double)(number * 2654435761u >> 16) / 65536);
    return (int64_t)floor((now + ahead) / bucket_m);
}

void kst_bisect_put(kst_bisect *b, uint32_t f) {
    const karst_zone_triangle *t = &b->triangles[f];
    kst_middle m = kst_bisect_middle(b, f);
    if (m.class < -KST_ZONE_BELOW) return;
    const karst_zone *zone = b->slots[t->zone].zone;
    karst_fine p = karst_zone_place(zone, t->piece, m.i, m.j);
    const int32_t at[3] = {p.x + zone->bias.x, p.y + zone->bias.y, p.z + zone->bias.z};
    double d2 = kst_bisect_distance2(b, at);
    if (m.corner || kst_bisect_wanted(b, m.size, m.class, d2)) {
        put_face(b, KST_FACE_WORK, f);
        return;
    }
    double radius = b->outer[m.size][m.class + KST_ZONE_BELOW] + rounding_m, best = -INFINITY;
    double x = at[0] * b->fine_m - b->eye[0][0], z = at[2] * b->fine_m - b->eye[0][2];
    int sector = 0;
    for (int s = 0; s < b->sectors; ++s) {
        double ahead = x * b->along[s][0] + z * b->along[s][1];
        if (ahead > best) best = ahead, sector = s;
    }
    if (best - radius > least_gain_m) {
        int64_t bucket = bucket_of(b->eye_along[sector], best - radius, f);
        put_face(b, (uint32_t)(sector * KST_BUCKETS + (bucket & (KST_BUCKETS - 1))), f);
        return;
    }
    double ahead = sqrt(d2) - radius;
    int64_t bucket = bucket_of(b->odometer, ahead > 0 ? ahead : 0, f);
    bool now = bucket <= b->odometer_cursor;
    put_face(b, now ? KST_FACE_HOT : (uint32_t)(KST_SECTORS_MAX * KST_BUCKETS + (bucket & (KST_BUCKETS - 1))), f);
}

// Into the list of merges.
static void wait_to_go(kst_bisect *b, uint32_t k) {
    double d2 = kst_bisect_distance2(b, b->points[k].at);
    int size = b->knots[k].size, class = b->knots[k].class;
    if (!kst_bisect_wanted(b, size, class, d2)) {
        put_knot(b, KST_KNOT_WORK, k);
        return;
    }
    double ahead = b->outer[size][class + KST_ZONE_BELOW] - rounding_m - sqrt(d2);
    int64_t bucket = bucket_of(b->odometer, ahead > 0 ? ahead : 0, k);
    put_knot(b, bucket <= b->odometer_cursor ? KST_KNOT_HOT : (uint32_t)(bucket & (KST_BUCKETS - 1)), k);
}

void kst_bisect_refresh(kst_bisect *b, uint32_t k) {
    uint32_t fan[4];
    kst_bisect_take_knot(b, k);
    if (kst_bisect_fan(b, k, fan)) wait_to_go(b, k);
}

// Looks at all of a bucket that was passed; none goes back into one that was, see bucket_of().
static void face_turn(kst_bisect *b, uint32_t h) {
    for (uint32_t f; (f = b->face_head[h]) != KST_NONE; ++b->split_tests) {
        uint32_t next = b->faces[f].chain.next;
        if (next != KST_NONE) __builtin_prefetch(&b->triangles[next]), __builtin_prefetch(&b->faces[next]);
        kst_bisect_take(b, f);
        kst_bisect_put(b, f);
    }
}
static void knot_turn(kst_bisect *b, uint32_t h) {
    for (uint32_t k; (k = b->knot_head[h]) != KST_NONE; ++b->merge_tests) {
        uint32_t next = b->knots[k].chain.next;
        if (next != KST_NONE) __builtin_prefetch(&b->points[next]), __builtin_prefetch(&b->knots[next]);
        kst_bisect_take_knot(b, k);
        wait_to_go(b, k);
    }
}

// The list of each move goes over to that of those whose turn it is, which is empty.
static void all_hot(kst_bisect *b) {
    uint32_t f = b->face_head[KST_FACE_HOT], k = b->knot_head[KST_KNOT_HOT];
    if (f != KST_NONE) b->faces[f].chain.prev = KST_HEAD | KST_FACE_DUE;
    if (k != KST_NONE) b->knots[k].chain.prev = KST_HEAD | KST_KNOT_DUE;
    b->face_head[KST_FACE_DUE] = f, b->knot_head[KST_KNOT_DUE] = k;
    b->face_head[KST_FACE_HOT] = b->knot_head[KST_KNOT_HOT] = KST_NONE;
    face_turn(b, KST_FACE_DUE);
    knot_turn(b, KST_KNOT_DUE);
}

void kst_bisect_move(kst_bisect *b, const double (*eye)[3]) {
    double way2 = 0;
    for (int v = 0; v < b->eye_count; ++v) {
        double x = eye[v][0] - b->eye[v][0], y = eye[v][1] - b->eye[v][1], z = eye[v][2] - b->eye[v][2];
        way2 = fmax(way2, x * x + y * y + z * z);
    }
    if (way2 <= 0) return;
    memcpy(b->eye, eye, (size_t)b->eye_count * sizeof *b->eye);
    b->odometer += sqrt(way2);
    int64_t from = b->odometer_cursor, sector_from[KST_SECTORS_MAX];
    memcpy(sector_from, b->cursor, sizeof sector_from);
    b->odometer_cursor = (int64_t)floor(b->odometer / bucket_m);
    place_sectors(b);
    all_hot(b);
    for (int64_t k = from + 1; k <= b->odometer_cursor; ++k) {
        face_turn(b, (uint32_t)(KST_SECTORS_MAX * KST_BUCKETS + (k & (KST_BUCKETS - 1))));
        knot_turn(b, (uint32_t)(k & (KST_BUCKETS - 1)));
    }
    for (int s = 0; s < b->sectors; ++s)
        for (int64_t k = sector_from[s] + 1; k <= b->cursor[s]; ++k)
            face_turn(b, (uint32_t)(s * KST_BUCKETS + (k & (KST_BUCKETS - 1))));
}
