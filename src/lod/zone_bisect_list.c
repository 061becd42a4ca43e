// SPDX-License-Identifier: MIT
// Whose turn it is: rolling lists of faces that may have to split and of points that may have to go.
//
// A face splits when the eye enters a ball round its middle p. Each unit vector u has a plane that touches the ball,
// and before eye.u passes it the eye is not inside. So a face may wait in the sector whose plane is furthest ahead,
// under that plane's own coordinate, and a sector looks at the buckets that eye.u has passed: nothing is ever shifted,
// going back costs nothing.
//
// Near its ball a plane that is a few degrees aside gains nothing. There the coordinate leans: eye.u + k way, with the
// way that the eye has gone. The distance shrinks by the move along the direction of p, which is at most the move along
// u and 2 sin(angle / 2) times the way: so it is not used up before the leaning coordinate has grown by as much.
//
// Else, and for points, which wait for an eye to leave a ball, what counts is the way alone: an odometer.
//
// A bucket is done when its beginning is reached: early, never late. What lies too far ahead for the ring of buckets is
// spread over its last part and looked at again then. What is due within a bucket is looked at in each move.
#include <math.h>

#include "zone_bisect.h"

static const double bucket_m = 0.03125, least_gain_m = 0.1, rounding_m = 1e-6;
static const double lean = 0.3, lean_cosine = 0.955;  // 2 sin(angle / 2) of 17.25 degrees, and a little more than cos

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

// The coordinates of the eye after it has gone on.
static void place_eye(kst_bisect *b, double way_m) {
    double way = b->now[KST_ODOMETER] += way_m;
    for (int s = 0; s < b->sectors; ++s) {
        b->now[s] = b->along[s][0] * b->eye[0][0] + b->along[s][1] * b->eye[0][2];
        b->now[KST_LEANING + s] = b->now[s] + lean * way;
    }
    for (int c = 0; c <= KST_ODOMETER; ++c) b->cursor[c] = (int64_t)floor(b->now[c] / bucket_m);
}

void kst_bisect_lists_clear(kst_bisect *b) {
    memset(b->face_head, 0xFF, KST_FACE_HEADS * sizeof *b->face_head);
    memset(b->knot_head, 0xFF, KST_KNOT_HEADS * sizeof *b->knot_head);
    memset(b->now, 0, sizeof b->now);
    for (int s = 0; s < b->sectors; ++s) {
        double turn = 6.283185307179586 * s / b->sectors;
        b->along[s][0] = cos(turn), b->along[s][1] = sin(turn);
    }
    place_eye(b, 0);
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
static int64_t bucket_of(const kst_bisect *b, int coordinate, double ahead, uint32_t number) {
    const double ring = (KST_BUCKETS - 2) * bucket_m - 2 * KST_JUMP_M;
    if (ahead > ring) ahead = ring * (0.7 + 0.3 * (double)(number * 2654435761u >> 16) / 65536);
    return (int64_t)floor((b->now[coordinate] + ahead) / bucket_m);
}

void kst_bisect_put(kst_bisect *b, uint32_t f) {
    const karst_zone_triangle *t = &b->triangles[f];
    kst_middle m = kst_bisect_middle(b, f);
    if (m.class < -KST_ZONE_BELOW) return;
    uint32_t beyond = kst_bisect_twin(b, f);
    if (beyond != KST_NONE && b->faces[beyond].chain.prev != KST_NONE) return;  // waits for both
    const karst_zone *zone = b->slots[t->zone].zone;
    karst_fine p = karst_zone_place(zone, t->piece, m.i, m.j);
    const int32_t at[3] = {p.x + zone->bias.x, p.y + zone->bias.y, p.z + zone->bias.z};
    double d2 = kst_bisect_distance2(b, at);
    if (m.corner || kst_bisect_wanted(b, m.size, m.class, d2)) {
        put_face(b, KST_FACE_WORK, f);
        return;
    }
    double radius = b->outer[m.size][m.class + KST_ZONE_BELOW] + rounding_m, best = -INFINITY, d = sqrt(d2);
    double x = at[0] * b->fine_m - b->eye[0][0], z = at[2] * b->fine_m - b->eye[0][2];
    int sector = 0;
    for (int s = 0; s < b->sectors; ++s) {
        double along = x * b->along[s][0] + z * b->along[s][1];
        if (along > best) best = along, sector = s;
    }
    double ahead = best - radius;
    int coordinate = sector;
    if (best > lean_cosine * d && ahead * (1 + lean) < d - radius)
        coordinate = KST_LEANING + sector, ahead = d - radius;
    if (ahead <= least_gain_m) coordinate = KST_ODOMETER, ahead = d > radius ? d - radius : 0;
    int64_t bucket = bucket_of(b, coordinate, ahead, f);
    bool now = bucket <= b->cursor[coordinate];
    put_face(b, now ? KST_FACE_HOT : (uint32_t)(coordinate * KST_BUCKETS + (bucket & (KST_BUCKETS - 1))), f);
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
    int64_t bucket = bucket_of(b, KST_ODOMETER, ahead > 0 ? ahead : 0, k);
    put_knot(b, bucket <= b->cursor[KST_ODOMETER] ? KST_KNOT_HOT : (uint32_t)(bucket & (KST_BUCKETS - 1)), k);
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
    int64_t from[KST_ODOMETER + 1];
    memcpy(from, b->cursor, sizeof from);
    place_eye(b, sqrt(way2));
    all_hot(b);
    for (int c = 0; c <= KST_ODOMETER; ++c)
        for (int64_t k = from[c] + 1; k <= b->cursor[c]; ++k) {
            face_turn(b, (uint32_t)(c * KST_BUCKETS + (k & (KST_BUCKETS - 1))));
            if (c == KST_ODOMETER) knot_turn(b, (uint32_t)(k & (KST_BUCKETS - 1)));
        }
}
