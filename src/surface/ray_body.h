// SPDX-License-Identifier: MIT
// The walk of a ray through a ground: compiled once for each vector width, the same arithmetic in each, so the same
// bits. See ray.h. The file that includes this defines RAY_CAST, the name of the function that it makes.
#include <math.h>

#include "surface/ray_box.h"
#include "surface/ray_fan.h"

typedef struct walk {
    kst_field_ground *ground;
    kst_exact_ray exact;
    kst_lanes origin, direction;  // relative to the ground's origin; direction with largest part 1
    double scale;                 // s = t * scale
    double world;                 // what doubles round by, near the ray [m]
    double start;                 // where the walk through the boxes begins [s]
    spot at;                      // the ray there, relative to the ground's origin
    float pad, most;              // most: t_max from start [s], never rounded down
    slab slab;
    fan_ray fan;
    bool any, hit;
    kst_corners corner[2];  // of the triangle hit, and of the one tried
    int best;               // which of the two was hit
    int32_t column, row;    // of the fan hit, counted over the field
    int triangle;           // of the fan
} walk;

static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double smaller(double a, double b) {
    return a < b ? a : b;
}
static inline double magnitude(kst_lanes p) {
    return larger(larger(fabs(p[0]), fabs(p[1])), fabs(p[2]));
}

static inline float most_along(const walk *w, double start) {
    double most = w->exact.t_max * w->scale - start;
    return (float)(most + fabs(most) * 0x1p-22);
}

// A chunk on the way of a ray.
typedef struct visit {
    walk *w;
    const kst_chunk_view *view;
    const kst_chunk_tree *tree;
    double start;
    spot at;
    float least, most;
} visit;

// The exact test of the triangles of a block that were not ruled out.
static inline bool block_hit(visit *v, int i, int j, uint32_t triangles) {
    walk *w = v->w;
    bool hit = false;
    for (; triangles; triangles &= triangles - 1) {
        int bit = __builtin_ctz(triangles), k = bit & 7;
        int column = KST_BLOCK_CELLS * i + (bit >> 2 & 2), row = KST_BLOCK_CELLS * j + (bit >> 3 & 2);
        if (v->tree->holes && kst_view_hole(v->view, column + kst_fan_right[k], row + kst_fan_below[k])) continue;
        kst_corners *corner = &w->corner[!w->best];
        double t;
        kst_fan_triangle(v->view, v->tree->flat, column, row, k, corner);
        if (!kst_triangle_cast(&w->exact, corner, &t) || (w->hit && t >= w->exact.t_max)) continue;
        hit = w->hit = true;
        w->exact.t_max = t;
        if (w->any) return true;
        w->best = !w->best;
        w->column = v->view->column + column;
        w->row = v->view->row + row;
        w->triangle = k;
    }
    if (!hit) return false;
    w->most = most_along(w, w->start);
    v->most = v->start == w->start ? w->most : most_along(w, v->start);
    return true;
}

// The two levels of a chunk. Each says whether it found a nearer hit.
static inline bool walk_blocks(visit *v, const kst_node *node, int x, int z) {
    float enter[16];
    bool hit = false;
    for (uint32_t met = node_test(node, &v->w->slab, v->at, v->least, v->most, enter); met;) {
        int child = __builtin_ctz(met) ^ v->w->slab.turned;
        met &= met - 1;
        int i = 4 * x + (child & 3), j = 4 * z + (child >> 2);
        uint32_t triangles = block_test(v->view, v->tree->flat, &v->w->fan, i, j);
        if (!triangles || !block_hit(v, i, j, triangles)) continue;
        if (v->w->any) return true;
        hit = true;
        met &= nearer(enter, v->most);
    }
    return hit;
}

static inline bool walk_nodes(visit *v) {
    float enter[16];
    bool hit = false;
    for (uint32_t met = node_test(&v->tree->node[16], &v->w->slab, v->at, v->least, v->most, enter); met;) {
        int child = __builtin_ctz(met) ^ v->w->slab.turned;
        met &= met - 1;
        if (!walk_blocks(v, &v->tree->node[child], child & 3, child >> 2)) continue;
        if (v->w->any) return true;
        hit = true;
        met &= nearer(enter, v->most);
    }
    return hit;
}

// Place the ray where it enters the chunk, for the fans: in the chunk's box, or outside by no more than `loose`.
static inline void place_fans(const visit *v, kst_lanes o, float reach) {
    const kst_chunk_tree *tree = v->tree;
    fan_ray *f = &v->w->fan;
    f->x = (float)o[0];
    f->z = (float)o[2];
    double y = o[1] + tree->origin[1];
    f->y = (float)y;
    f->y_rest = (float)(y - f->y);
    f->cell = tree->cell_m;
    // A corner's x' and y' are off by 16 roundings of reach at most, an edge value by that times its four coordinates,
    // each within fan_extent where the ray meets the triangle.
    f->slack = (0x1p-20f * reach + (float)v->w->world + tree->y_error) * 6 * tree->fan_extent;
    f->column_a = f->cell * f->a[0];
    f->row_a = f->cell * f->a[2];
    f->column_b = f->cell * f->b[0];
    f->row_b = f->cell * f->b[2];
    f->ring_a = ring_column * f->column_a + ring_row * f->row_a;
    f->ring_b = ring_column * f->column_b + ring_row * f->row_b;
    place_centres(f);
    if (v->view->baked) f->step_y = (float)v->view->step_y_m;
    if (tree->flat) return;
    f->step_xz = (float)v->view->step_xz_m;
    f->ring_x = ring_column * f->cell;
    f->ring_z = ring_row * f->cell;
}

static karst_status walk_chunk(walk *w, int32_t x, int32_t z, double enter, float loose, bool *hit) {
    visit v;
    void *pin;
    karst_status status = w->ground->pin(w->ground, x, z, &v.view, &v.tree, &pin);
    if (status) return status;
    const kst_chunk_tree *tree = v.tree;
    kst_lanes o = w->origin + enter * w->direction - *(const kst_lanes *)tree->origin;
    v.w = w;
    v.least = tree->least;
    if (w->pad <= tree->most_pad) {  // the usual case: no need to wait for where the chunk is entered
        v.start = w->start;
        v.most = w->most;
        v.at.near = w->at.near - *(const f4 *)tree->corner;
        v.at.far = w->at.far - *(const f4 *)tree->corner;
    } else {  // a ground so large that floats over all of it are too coarse for the chunk
        v.start = enter;
        v.most = most_along(w, enter);
        v.at = place_spot(&w->slab, o, 0x1p-20f * (tree->extent + loose) + (float)w->world);
    }
    place_fans(&v, o, tree->extent + loose);
    *hit = walk_nodes(&v);
    if (pin) w->ground->release(w->ground, pin);
    return KARST_OK;
}

// The levels over all chunks, from the top down; (x, z) is the node at hand of its level, met what is left of it.
static karst_status walk_ground(walk *w, const kst_top *boxes) {
    float enter[KST_TOP_LEVELS][16];
    uint32_t left[KST_TOP_LEVELS];
    const int top = boxes->level_count - 1, turned = w->slab.turned;
    int level = top;
    int32_t x = 0, z = 0;
    const kst_node *node = boxes->node + boxes->first[level];
    uint32_t met = node_test(node, &w->slab, w->at, 0, w->most, enter[level]);
    for (;;) {
        while (!met) {
            if (level == top) return KARST_OK;
            met = left[++level];
            x >>= 2;
            z >>= 2;
        }
        int bit = __builtin_ctz(met), child = bit ^ turned;
        met &= met - 1;
        int32_t child_x = 4 * x + (child & 3), child_z = 4 * z + (child >> 2);
        if (level) {
            left[level--] = met;
            x = child_x;
            z = child_z;
            node = boxes->node + boxes->first[level] + (size_t)z * (size_t)boxes->nx[level] + (size_t)x;
            met = node_test(node, &w->slab, w->at, 0, w->most, enter[level]);
            continue;
        }
        bool hit = false;
        float loose = 4 * w->pad + node->scale[3];  // a box has eight bits
        karst_status status = walk_chunk(w, child_x, child_z, w->start + (double)enter[0][bit], loose, &hit);
        if (status || (hit && w->any)) return status;
        if (!hit) continue;
        met &= nearer(enter[0], w->most);
        for (int k = 1; k <= top; ++k) left[k] &= nearer(enter[k], w->most);
    }
}

static inline kst_lanes lanes_min(kst_lanes a, kst_lanes b) {
    kst_lane_bits m = a < b;
    return (kst_lanes)(((kst_lane_bits)a & m) | ((kst_lane_bits)b & ~m));
}

// Where the ray enters the bounds of the ground [s]; false when it misses them.
static __attribute__((noinline)) bool enter_ground(const walk *w, const kst_top *boxes, double *start) {
    kst_lanes o = *(const kst_lanes *)w->exact.origin;
    kst_lanes inverse = __builtin_convertvector(w->slab.inverse, kst_lanes);
    kst_lanes one = (*(const kst_lanes *)boxes->min - w->world - o) * inverse;
    kst_lanes two = (*(const kst_lanes *)boxes->max + w->world - o) * inverse;
    kst_lanes low = lanes_min(one, two), high = -lanes_min(-one, -two);
    double in = larger(larger(low[0], low[1]), larger(low[2], w->exact.t_min * w->scale));
    double out = smaller(smaller(high[0], high[1]), smaller(high[2], w->exact.t_max * w->scale));
    *start = in;
    return in <= out + 4 * w->world;
}

// The direction as the boxes and the fans want it; a part too small to matter counts as a very small one.
static inline void aim(walk *w) {
    const i4 sign = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const f4 least = {1e-18f, 1e-18f, 1e-18f, 1e-18f};
    f4 d = __builtin_convertvector(w->direction, f4);
    i4 back = (i4)d & sign, small = (f4)((i4)d & ~sign) < least;
    d = (f4)(((i4)d & ~small) | (((i4)least | back) & small));
    w->slab.inverse = 1 / d;
    w->slab.sign = (f4)(back | 0x3f800000);
    int signs = sign_bits(back);
    w->slab.plane = planes_by_signs[signs];
    w->slab.turned = turned_by_signs[signs];
    w->slab.order = (i16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} ^ w->slab.turned;
    static const f4 unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    *(f4 *)w->fan.a = unit[w->exact.kx] - (float)w->exact.shear_x * unit[w->exact.kz];
    *(f4 *)w->fan.b = unit[w->exact.ky] - (float)w->exact.shear_y * unit[w->exact.kz];
}

// Begin where t does, or when that is far away where the ground's bounds begin. False when the ray misses them.
static inline bool walk_begin(walk *w, const kst_top *boxes, kst_lanes d) {
    kst_lanes o = *(const kst_lanes *)w->exact.origin;
    w->origin = o - *(const kst_lanes *)boxes->origin;
    w->direction = d * fabs(w->exact.inverse_z);
    w->world = 0x1p-46 * larger(magnitude(o), boxes->size);
    aim(w);
    w->start = w->exact.t_min * w->scale;
    kst_lanes at = w->origin + w->start * w->direction;
    double reach = larger(magnitude(at), (double)boxes->extent);
    if (!(reach <= 4 * (double)boxes->extent)) {
        if (!enter_ground(w, boxes, &w->start)) return false;
        at = w->origin + w->start * w->direction;
        reach = larger(magnitude(at), (double)boxes->extent);
    }
    w->pad = 0x1p-20f * (float)reach + (float)w->world;
    w->at = place_spot(&w->slab, at, w->pad);
    w->most = most_along(w, w->start);
    return true;
}

// Comparisons with NaN are false.
static inline bool is_ray(const karst_ray *ray, kst_lanes o, kst_lanes d, double scale) {
    const kst_lane_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    kst_lane_bits good =
        ((kst_lanes)((kst_lane_bits)o & ~sign) < 1e100) & ((kst_lanes)((kst_lane_bits)d & ~sign) < 1e100);
    return !kst_any_of_three(~good) && scale > 1e-100 && fabs(ray->t_min) < 1e200 && ray->t_max >= -INFINITY;
}

static inline void fill_hit(const walk *w, const karst_ray *ray, karst_hit *out) {
    int32_t column = w->column + kst_fan_right[w->triangle], row = w->row + kst_fan_below[w->triangle];
    double t = w->exact.t_max;
    out->hit = true;
    out->t = t;
    out->position = (karst_pos){ray->origin.x + t * ray->direction.x, ray->origin.y + t * ray->direction.y,
                                ray->origin.z + t * ray->direction.z};
    out->normal = kst_triangle_normal(&w->corner[w->best]);
    out->place = (karst_place){.chunk = (uint32_t)row / KARST_CHUNK_CELLS * (uint32_t)w->ground->chunks_x +
                                        (uint32_t)column / KARST_CHUNK_CELLS,
                               .column = column,
                               .row = row,
                               .triangle = kst_fan_number[w->triangle]};
}

karst_status RAY_CAST(kst_field_ground *ground, const karst_ray *ray, bool any, karst_hit *out) {
    const kst_top *boxes = __atomic_load_n(&ground->top, __ATOMIC_ACQUIRE);
    karst_status status = boxes ? KARST_OK : kst_top_get(ground, &boxes);
    if (status) return status;
    walk w;
    w.ground = ground;
    w.any = any;
    w.hit = false;
    w.best = 0;
    kst_lanes d = {ray->direction.x, ray->direction.y, ray->direction.z, 0};
    w.scale = magnitude(d);
    kst_exact_ray_make(ray, &w.exact);
    if (!is_ray(ray, *(const kst_lanes *)w.exact.origin, d, w.scale)) return KARST_ERROR_ARGUMENT;
    if (walk_begin(&w, boxes, d)) status = walk_ground(&w, boxes);
    if (status) return status;
    if (w.hit && !any)
        fill_hit(&w, ray, out);
    else
        *out = (karst_hit){.hit = w.hit};
    return KARST_OK;
}
