// SPDX-License-Identifier: MIT
// The walk of a ray through a ground: compiled once for each vector width, the same arithmetic in each, so the same
// bits. See ray.h. The file that includes this defines RAY_CAST, the name of the function that it makes.
#include "surface/ray_beam.h"
#include "surface/ray_fan.h"

typedef struct walk {
    kst_field_ground *ground;
    beam beam;
    fan_ray fan;
    bool any, hit;
    kst_corners corner[2];  // of the triangle hit, and of the one tried
    int best;               // which of the two was hit
    int32_t column, row;    // of the fan hit, counted over the field
    int triangle;           // of the fan
} walk;

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
        if (!kst_triangle_cast(&w->beam.exact, corner, &t) || (w->hit && t >= w->beam.exact.t_max)) continue;
        hit = w->hit = true;
        w->beam.exact.t_max = t;
        if (w->any) return true;
        w->best = !w->best;
        w->column = v->view->column + column;
        w->row = v->view->row + row;
        w->triangle = k;
    }
    if (!hit) return false;
    w->beam.most = most_along(&w->beam, w->beam.start);
    v->most = v->start == w->beam.start ? w->beam.most : most_along(&w->beam, v->start);
    return true;
}

// The two levels of a chunk. Each says whether it found a nearer hit.
static inline bool walk_blocks(visit *v, const kst_node *node, int x, int z) {
    float enter[16];
    bool hit = false;
    for (uint32_t met = node_test(node, &v->w->beam.slab, v->at, v->least, v->most, enter); met;) {
        int child = __builtin_ctz(met) ^ v->w->beam.slab.turned;
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
    for (uint32_t met = node_test(&v->tree->node[16], &v->w->beam.slab, v->at, v->least, v->most, enter); met;) {
        int child = __builtin_ctz(met) ^ v->w->beam.slab.turned;
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
    f->slack = (0x1p-20f * reach + (float)v->w->beam.world + tree->y_error) * 6 * tree->fan_extent;
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
    kst_lanes o = w->beam.origin + enter * w->beam.direction - *(const kst_lanes *)tree->origin;
    v.w = w;
    v.least = tree->least;
    if (w->beam.pad <= tree->most_pad) {  // the usual case: no need to wait for where the chunk is entered
        v.start = w->beam.start;
        v.most = w->beam.most;
        v.at.near = w->beam.at.near - *(const f4 *)tree->corner;
        v.at.far = w->beam.at.far - *(const f4 *)tree->corner;
    } else {  // a ground so large that floats over all of it are too coarse for the chunk
        v.start = enter;
        v.most = most_along(&w->beam, enter);
        v.at = place_spot(&w->beam.slab, o, 0x1p-20f * (tree->extent + loose) + (float)w->beam.world);
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
    const int top = boxes->level_count - 1, turned = w->beam.slab.turned;
    int level = top;
    int32_t x = 0, z = 0;
    const kst_node *node = boxes->node + boxes->first[level];
    uint32_t met = node_test(node, &w->beam.slab, w->beam.at, 0, w->beam.most, enter[level]);
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
            met = node_test(node, &w->beam.slab, w->beam.at, 0, w->beam.most, enter[level]);
            continue;
        }
        bool hit = false;
        float loose = 4 * w->beam.pad + node->scale[3];  // a box has eight bits
        karst_status status = walk_chunk(w, child_x, child_z, w->beam.start + (double)enter[0][bit], loose, &hit);
        if (status || (hit && w->any)) return status;
        if (!hit) continue;
        met &= nearer(enter[0], w->beam.most);
        for (int k = 1; k <= top; ++k) left[k] &= nearer(enter[k], w->beam.most);
    }
}

static inline void fill_hit(const walk *w, const karst_ray *ray, karst_hit *out) {
    int32_t column = w->column + kst_fan_right[w->triangle], row = w->row + kst_fan_below[w->triangle];
    double t = w->beam.exact.t_max;
    out->hit = true;
    out->t = t;
    out->position = along_ray(ray, t);
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
    kst_lanes d;
    w.ground = ground;
    w.any = any;
    w.hit = false;
    w.best = 0;
    if (!beam_make(&w.beam, ray, &d)) return KARST_ERROR_ARGUMENT;
    beam_plane(&w.beam.exact, w.fan.a, w.fan.b);
    if (beam_begin(&w.beam, &boxes->reach, d)) status = walk_ground(&w, boxes);
    if (status) return status;
    if (w.hit && !any)
        fill_hit(&w, ray, out);
    else
        *out = (karst_hit){.hit = w.hit};
    return KARST_OK;
}
