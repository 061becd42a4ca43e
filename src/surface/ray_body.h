// SPDX-License-Identifier: MIT
// The walk of a ray through a ground: compiled once for each vector width, the same arithmetic in each, so the same
// bits. See ray.h. The file that includes this defines RAY_CAST, the name of the function that it makes.
#include <math.h>

#include "surface/ray.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));

// ---- a ray near some boxes -------------------------------------------------------------------------

// Distances s are metres along the ray's largest axis, from `start`. A box is left out only if the ray misses it by
// more than `pad`: that is more than all that was rounded on the way here.
typedef struct slab {
    float inverse[3];       // of the direction, its largest part 1; never infinite
    float near[3], far[3];  // origin of the ray for the nearer and the farther planes, moved apart by the pad
    int near_plane[3], far_plane[3];
} slab;

static void slab_place(slab *s, const double origin[3], float pad) {
    for (int a = 0; a < 3; ++a) {
        float o = (float)origin[a], p = s->inverse[a] < 0 ? -pad : pad;
        s->near[a] = o + p;
        s->far[a] = o - p;
    }
}

// Which of the children the ray may meet at s in [least, most], and where it enters them.
static inline uint32_t node_test(const kst_node *node, const slab *s, float least, float most, float enter[16]) {
    float scale[3], near[3], far[3];
    for (int a = 0; a < 3; ++a) {
        scale[a] = node->scale[a] * s->inverse[a];
        near[a] = (node->base[a] - s->near[a]) * s->inverse[a];
        far[a] = (node->base[a] - s->far[a]) * s->inverse[a];
    }
#if defined(__AVX512F__)
    __m512 in = _mm512_set1_ps(least), out = _mm512_set1_ps(most);
    for (int a = 0; a < 3; ++a) {
        __m512i n = _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)node->plane[s->near_plane[a]]));
        __m512i f = _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)node->plane[s->far_plane[a]]));
        __m512 k = _mm512_set1_ps(scale[a]);
        in = _mm512_max_ps(in, _mm512_cvtepi32_ps(n) * k + _mm512_set1_ps(near[a]));
        out = _mm512_min_ps(out, _mm512_cvtepi32_ps(f) * k + _mm512_set1_ps(far[a]));
    }
    _mm512_storeu_ps(enter, in);
    return _mm512_cmp_ps_mask(in, out, _CMP_LE_OQ) & node->used;
#elif defined(__AVX2__)
    uint32_t met = 0;
    for (int half = 0; half < 16; half += 8) {
        __m256 in = _mm256_set1_ps(least), out = _mm256_set1_ps(most);
        for (int a = 0; a < 3; ++a) {
            __m256i n = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(node->plane[s->near_plane[a]] + half)));
            __m256i f = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(node->plane[s->far_plane[a]] + half)));
            __m256 k = _mm256_set1_ps(scale[a]);
            in = _mm256_max_ps(in, _mm256_cvtepi32_ps(n) * k + _mm256_set1_ps(near[a]));
            out = _mm256_min_ps(out, _mm256_cvtepi32_ps(f) * k + _mm256_set1_ps(far[a]));
        }
        _mm256_storeu_ps(enter + half, in);
        met |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(in, out, _CMP_LE_OQ)) << half;
    }
    return met & node->used;
#else
    uint32_t met = 0;
    for (int c = 0; c < 16; ++c) {
        float in = least, out = most;
        for (int a = 0; a < 3; ++a) {
            float n = (float)node->plane[s->near_plane[a]][c] * scale[a] + near[a];
            float f = (float)node->plane[s->far_plane[a]][c] * scale[a] + far[a];
            in = in > n ? in : n;
            out = out < f ? out : f;
        }
        enter[c] = in;
        met |= (uint32_t)(in <= out) << c;
    }
    return met & node->used;
#endif
}

// Children are taken nearest first: in the order of the signs of the direction along x (1) and z (2). The bits of the
// mask are turned so that counting up is that order; the child of bit b is b ^ turn_child[turn].
static const int turn_child[4] = {0, 3, 12, 15};

static inline uint32_t turn_mask(uint32_t m, int turn) {
    if (turn & 1) m = (m & 0x1111) << 3 | (m & 0x2222) << 1 | (m & 0x4444) >> 1 | (m & 0x8888) >> 3;
    if (turn & 2) m = (m & 0x000f) << 12 | (m & 0x00f0) << 4 | (m & 0x0f00) >> 4 | (m & 0xf000) >> 12;
    return m & 0xffff;
}

// ---- a ray near some fans --------------------------------------------------------------------------

// The corners of a fan are projected along the ray onto a plane: x' = a . p, y' = b . p. A triangle is left out only
// if the ray's own place, 0, is on the wrong side of an edge by more than `slack`.
typedef struct fan_ray {
    float a[3], b[3];
    f8 ring_a, ring_b;      // the part of x and z at rest in x' and y', from the fan's centre
    f8 ring_x, ring_z;      // the same before projecting
    double origin[3];       // relative to the chunk's corner along x and z, to the ground's origin along y
    float x, z, y, y_rest;  // the same in floats; y in two parts
    float cell, step_y, step_xz;
    float slack;
} fan_ray;

static const f8 ring_column = {-1, 0, 1, 1, 1, 0, -1, -1}, ring_row = {-1, -1, -1, 0, 1, 1, 1, 0};

#if defined(__AVX2__)
// Eight of the nine, in the order of the ring, out of three rows of four: the first two begin at the fan's column, the
// last one before it.
static inline f8 ring_of_rows(__m128 top, __m128 middle, __m128 bottom) {
    __m128 right = _mm_shuffle_ps(middle, middle, 0xaa), left = _mm_shuffle_ps(middle, middle, 0x00);
    __m128 low = _mm_blend_ps(top, right, 8);
    __m128 high = _mm_blend_ps(_mm_shuffle_ps(bottom, bottom, 0x1b), left, 8);
    return (f8)_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

static inline f8 load_ring(const float *p) {
    return ring_of_rows(_mm_loadu_ps(p), _mm_loadu_ps(p + KARST_CHUNK_SIDE),
                        _mm_loadu_ps(p + 2 * KARST_CHUNK_SIDE - 1));
}

// Heights and sideways parts of a row of four baked vertices.
static inline void load_row(const karst_vertex *p, __m128i *y, __m128i *sideways) {
    __m256i row = _mm256_loadu_si256((const __m256i *)p);
    row = _mm256_permutevar8x32_epi32(row, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    *y = _mm256_castsi256_si128(row);
    *sideways = _mm256_extracti128_si256(row, 1);
}

static inline void load_baked_ring(const karst_vertex *p, f8 *y, f8 *x, f8 *z) {
    __m128i h[3], s[3];
    load_row(p, &h[0], &s[0]);
    load_row(p + KARST_CHUNK_SIDE, &h[1], &s[1]);
    load_row(p + 2 * KARST_CHUNK_SIDE - 1, &h[2], &s[2]);
    __m256i r = (__m256i)ring_of_rows(_mm_castsi128_ps(h[0]), _mm_castsi128_ps(h[1]), _mm_castsi128_ps(h[2]));
    *y = (f8)_mm256_cvtepi32_ps(r);
    if (!x) return;
    r = (__m256i)ring_of_rows(_mm_castsi128_ps(s[0]), _mm_castsi128_ps(s[1]), _mm_castsi128_ps(s[2]));
    *x = (f8)_mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(r, 16), 16));
    *z = (f8)_mm256_cvtepi32_ps(_mm256_srai_epi32(r, 16));
}

static inline f8 next(f8 v) {  // lane k + 1
    return (f8)_mm256_permutevar8x32_ps((__m256)v, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0));
}

static inline uint32_t lanes(i8 m) {
    return (uint32_t)_mm256_movemask_ps((__m256)m);
}
#else
static const int16_t ring_at[8] = {0,
                                   1,
                                   2,
                                   2 + KARST_CHUNK_SIDE,
                                   2 + 2 * KARST_CHUNK_SIDE,
                                   1 + 2 * KARST_CHUNK_SIDE,
                                   2 * KARST_CHUNK_SIDE,
                                   KARST_CHUNK_SIDE};

static inline f8 load_ring(const float *p) {
    f8 v;
    for (int k = 0; k < 8; ++k) v[k] = p[ring_at[k]];
    return v;
}

static inline void load_baked_ring(const karst_vertex *p, f8 *y, f8 *x, f8 *z) {
    for (int k = 0; k < 8; ++k) (*y)[k] = (float)p[ring_at[k]].y;
    for (int k = 0; k < 8 && x; ++k) {
        (*x)[k] = p[ring_at[k]].dx;
        (*z)[k] = p[ring_at[k]].dz;
    }
}

static inline f8 next(f8 v) {
    return (f8){v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[0]};
}

static inline uint32_t lanes(i8 m) {
    uint32_t out = 0;
    for (int k = 0; k < 8; ++k) out |= (uint32_t)(m[k] < 0) << k;
    return out;
}
#endif

// The triangles of a fan that the ray may meet. Spokes are computed once for the two triangles they part.
static inline uint32_t fan_test(const kst_chunk_view *view, bool flat, const fan_ray *r, int i, int j) {
    int at = 2 * j * KARST_CHUNK_SIDE + 2 * i, centre = at + KARST_CHUNK_SIDE + 1;
    float cx = (float)(2 * i + 1) * r->cell - r->x, cz = (float)(2 * j + 1) * r->cell - r->z, cy;
    f8 x = {0}, y, z = {0};
    if (view->baked) {
        const karst_vertex c = view->baked[centre];
        load_baked_ring(view->baked + at, &y, flat ? NULL : &x, &z);
        y *= r->step_y;
        cy = (float)c.y * r->step_y;
        if (!flat) {
            x = cx + r->ring_x + x * r->step_xz;
            z = cz + r->ring_z + z * r->step_xz;
            cx += (float)c.dx * r->step_xz;
            cz += (float)c.dz * r->step_xz;
        }
    } else {
        y = load_ring(view->y + at);
        cy = view->y[centre];
        if (!flat) {
            x = cx + r->ring_x + load_ring(view->x + at);
            z = cz + r->ring_z + load_ring(view->z + at);
            cx += view->x[centre];
            cz += view->z[centre];
        }
    }
    y = y - r->y - r->y_rest;
    cy = cy - r->y - r->y_rest;
    float rest_a = cx * r->a[0] + cz * r->a[2], rest_b = cx * r->b[0] + cz * r->b[2];
    float pa = rest_a + cy * r->a[1], pb = rest_b + cy * r->b[1];
    f8 qa = y * r->a[1], qb = y * r->b[1];
    if (flat) {
        qa += r->ring_a + rest_a;
        qb += r->ring_b + rest_b;
    } else {
        qa += x * r->a[0] + z * r->a[2];
        qb += x * r->b[0] + z * r->b[2];
    }
    f8 spoke = pa * qb - pb * qa, rim = qa * next(qb) - qb * next(qa), other = next(spoke);
    i8 one = (spoke >= -r->slack) & (rim >= -r->slack) & (other <= r->slack);
    i8 two = (spoke <= r->slack) & (rim <= r->slack) & (other >= -r->slack);
    return lanes(one | two);
}

// ---- the walk --------------------------------------------------------------------------------------

typedef struct frame {
    float enter[16];
    const kst_node *node;
    uint32_t mask;
    int32_t x, z;
    int level;
} frame;

typedef struct walk {
    kst_field_ground *ground;
    kst_exact_ray exact;
    double origin[3], direction[3];  // relative to the ground's origin; direction with largest part 1
    double inverse[3];               // of the direction, never infinite
    double scale;                    // s = t * scale
    double world;                    // what doubles round by, near the ray [m]
    slab slab;
    fan_ray fan;
    int turn;
    bool any, hit;
    karst_pos corner[3];  // of the triangle hit
    karst_place place;
} walk;

static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

// t_max in s from start, never rounded down.
static inline float most_along(const walk *w, double start) {
    double most = w->exact.t_max * w->scale - start;
    return (float)(most + fabs(most) * 0x1p-22);
}

// The exact test of the triangles of a fan that were not ruled out.
static bool fan_hit(walk *w, const kst_chunk_view *view, int i, int j, uint32_t triangles) {
    bool hit = false;
    for (; triangles; triangles &= triangles - 1) {
        karst_pos corner[3];
        int column, row, triangle;
        double t;
        kst_fan_triangle(view, i, j, __builtin_ctz(triangles), corner, &column, &row, &triangle);
        if (kst_view_hole(view, column, row) || !kst_triangle_cast(&w->exact, corner, &t)) continue;
        if (w->hit && t >= w->exact.t_max) continue;
        hit = w->hit = true;
        w->exact.t_max = t;
        if (w->any) return true;
        memcpy(w->corner, corner, sizeof corner);
        uint32_t chunk_x = (uint32_t)view->column / KARST_CHUNK_CELLS,
                 chunk_z = (uint32_t)view->row / KARST_CHUNK_CELLS;
        w->place = (karst_place){.chunk = chunk_z * (uint32_t)w->ground->chunks_x + chunk_x,
                                 .column = view->column + column,
                                 .row = view->row + row,
                                 .triangle = (uint32_t)triangle};
    }
    return hit;
}

static inline float largest(const double v[3]) {
    return (float)larger(larger(fabs(v[0]), fabs(v[1])), fabs(v[2]));
}

// Place the ray at `start` in the chunk.
static inline void enter_chunk(walk *w, const kst_chunk_view *view, const kst_chunk_tree *tree, double start) {
    double o[3];
    for (int a = 0; a < 3; ++a) o[a] = w->origin[a] + start * w->direction[a] - tree->origin[a];
    float reach = largest(o), world = (float)w->world;
    if (reach < tree->extent) reach = tree->extent;
    slab_place(&w->slab, o, 0x1p-20f * reach + world);
    fan_ray *f = &w->fan;
    f->x = (float)o[0];
    f->z = (float)o[2];
    double y = o[1] + tree->origin[1];
    f->y = (float)y;
    f->y_rest = (float)(y - f->y);
    f->cell = tree->cell_m;
    f->step_y = (float)view->step_y_m;
    f->step_xz = (float)view->step_xz_m;
    f->slack = (0x1p-19f * reach + world + tree->y_error) * 8 * tree->fan_extent;
    f->ring_x = ring_column * f->cell;
    f->ring_z = ring_row * f->cell;
    f->ring_a = f->ring_x * f->a[0] + f->ring_z * f->a[2];
    f->ring_b = f->ring_x * f->b[0] + f->ring_z * f->b[2];
}

static inline void open_node(frame *f, const kst_node *node, int level, int32_t x, int32_t z) {
    f->node = node;
    f->level = level;
    f->x = x;
    f->z = z;
}

static void walk_chunk(walk *w, const kst_chunk_view *view, const kst_chunk_tree *tree, double start) {
    static const int first[3] = {0, 64, 68}, side[3] = {8, 2, 1};
    enter_chunk(w, view, tree, start);
    frame stack[3], *top = stack;
    int turn = w->turn, turned = turn_child[turn];
    float most = most_along(w, start), least = -0x1p-10f * tree->extent;
    open_node(top, tree->node + 68, 2, 0, 0);
    top->mask = turn_mask(node_test(top->node, &w->slab, least, most, top->enter), turn);
    for (;;) {
        if (!top->mask) {
            if (top == stack) return;
            --top;
            continue;
        }
        int child = __builtin_ctz(top->mask) ^ turned;
        top->mask &= top->mask - 1;
        if (top->enter[child] > most) continue;
        int x = 4 * top->x + (child & 3), z = 4 * top->z + (child >> 2);
        if (top->level) {
            int level = top->level - 1;
            ++top;
            open_node(top, tree->node + first[level] + z * side[level] + x, level, x, z);
            top->mask = turn_mask(node_test(top->node, &w->slab, least, most, top->enter), turn);
            continue;
        }
        uint32_t triangles = fan_test(view, tree->flat, &w->fan, x, z);
        if (triangles && fan_hit(w, view, x, z, triangles)) {
            if (w->any) return;
            most = most_along(w, start);
        }
    }
}

static karst_status visit_chunk(walk *w, int32_t x, int32_t z, double start) {
    const kst_chunk_view *view;
    const kst_chunk_tree *tree;
    void *pin;
    karst_status status = w->ground->pin(w->ground, x, z, &view, &tree, &pin);
    if (status) return status;
    walk_chunk(w, view, tree, start);
    w->ground->release(w->ground, pin);
    return KARST_OK;
}

static karst_status walk_ground(walk *w, const kst_top *boxes, double start) {
    double o[3];
    for (int a = 0; a < 3; ++a) o[a] = w->origin[a] + start * w->direction[a];
    float reach = largest(o) > boxes->extent ? largest(o) : boxes->extent;
    slab place = w->slab;
    slab_place(&place, o, 0x1p-20f * reach + (float)w->world);
    frame stack[KST_TOP_LEVELS], *top = stack;
    int turn = w->turn, turned = turn_child[turn];
    float least = 0, most = most_along(w, start);
    int last = boxes->level_count - 1;
    open_node(top, boxes->node + boxes->first[last], last, 0, 0);
    top->mask = turn_mask(node_test(top->node, &place, least, most, top->enter), turn);
    for (;;) {
        if (!top->mask) {
            if (top == stack) return KARST_OK;
            --top;
            continue;
        }
        int child = __builtin_ctz(top->mask) ^ turned;
        top->mask &= top->mask - 1;
        float enter = top->enter[child];
        if (enter > most) continue;
        int32_t x = 4 * top->x + (child & 3), z = 4 * top->z + (child >> 2);
        if (top->level) {
            int level = top->level - 1;
            size_t at = boxes->first[level] + (size_t)z * (size_t)boxes->nx[level] + (size_t)x;
            ++top;
            open_node(top, boxes->node + at, level, x, z);
            top->mask = turn_mask(node_test(top->node, &place, least, most, top->enter), turn);
            continue;
        }
        karst_status status = visit_chunk(w, x, z, start + (double)enter);
        if (status) return status;
        if (w->hit && w->any) return KARST_OK;
        most = most_along(w, start);
    }
}

// Where along the ray the ground's bounds begin, from t_min on [s]; false when they are missed.
static inline bool enter_ground(const walk *w, const karst_box *b, double *start) {
    double min[3] = {b->min.x, b->min.y, b->min.z}, max[3] = {b->max.x, b->max.y, b->max.z};
    double in = w->exact.t_min * w->scale, out = w->exact.t_max * w->scale;
    for (int a = 0; a < 3; ++a) {
        double o = w->exact.origin[a];
        double one = (min[a] - w->world - o) * w->inverse[a], two = (max[a] + w->world - o) * w->inverse[a];
        in = larger(in, smaller(one, two));
        out = smaller(out, larger(one, two));
    }
    *start = in;
    return in <= out + 4 * w->world;
}

static inline double magnitude(karst_pos p) {
    return larger(larger(fabs(p.x), fabs(p.y)), fabs(p.z));
}

static void walk_begin(walk *w, kst_field_ground *ground, const karst_ray *ray, bool any) {
    w->ground = ground;
    w->any = any;
    w->hit = false;
    kst_exact_ray_make(ray, &w->exact);
    const double *o = w->exact.origin, *d = w->exact.direction;
    karst_pos g = ground->shape.origin;
    double base[3] = {g.x, g.y, g.z};
    w->scale = fabs(d[w->exact.kz]);
    double unscale = fabs(w->exact.inverse_z);
    for (int a = 0; a < 3; ++a) {
        w->origin[a] = o[a] - base[a];
        double p = w->direction[a] = d[a] * unscale;
        w->inverse[a] = fabs(p) > 1e-18 ? 1 / p : copysign(1e18, p);
        w->slab.inverse[a] = (float)w->inverse[a];
        w->slab.near_plane[a] = w->inverse[a] < 0 ? a + 3 : a;
        w->slab.far_plane[a] = w->inverse[a] < 0 ? a : a + 3;
        w->fan.a[a] = w->fan.b[a] = 0;
    }
    double size = larger(magnitude(ray->origin), magnitude(g));
    w->world = 0x1p-46 * larger(size, larger(magnitude(ground->all.min), magnitude(ground->all.max)));
    w->turn = (d[0] < 0) | (d[2] < 0) << 1;
    w->fan.a[w->exact.kx] = 1;
    w->fan.a[w->exact.kz] = -(float)w->exact.shear_x;
    w->fan.b[w->exact.ky] = 1;
    w->fan.b[w->exact.kz] = -(float)w->exact.shear_y;
}

karst_status RAY_CAST(kst_field_ground *ground, const karst_ray *ray, bool any, karst_hit *out) {
    walk w;
    double start;
    *out = (karst_hit){.hit = false};
    if (!(ground->all.min.x <= ground->all.max.x)) return KARST_OK;
    walk_begin(&w, ground, ray, any);
    if (!enter_ground(&w, &ground->all, &start)) return KARST_OK;
    const kst_top *boxes;
    karst_status status = kst_top_get(ground, &boxes);
    if (!status) status = walk_ground(&w, boxes, start);
    if (status || !w.hit) return status;
    out->hit = true;
    if (any) return KARST_OK;
    double t = w.exact.t_max;
    out->t = t;
    out->position = (karst_pos){ray->origin.x + t * ray->direction.x, ray->origin.y + t * ray->direction.y,
                                ray->origin.z + t * ray->direction.z};
    out->normal = kst_triangle_normal(w.corner);
    out->place = w.place;
    return KARST_OK;
}
