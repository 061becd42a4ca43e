// SPDX-License-Identifier: MIT
// A field answers the questions of a ground: the author's and the baked one alike.
#include <math.h>

#include "surface/near.h"
#include "surface/pile.h"
#include "surface/ray.h"

static kst_field_ground *of(const karst_ground *ground) {
    return (kst_field_ground *)(uintptr_t)ground;
}

static karst_status begin(kst_field_ground *g) {
    return g->begin ? g->begin(g) : KARST_OK;
}

static const karst_box no_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static karst_box field_bounds(const karst_ground *ground) {
    kst_field_ground *g = of(ground);
    return begin(g) ? no_box : g->all;
}

static uint32_t field_chunk_count(const karst_ground *ground) {
    const kst_field_ground *g = of(ground);
    return (uint32_t)g->chunks_x * (uint32_t)g->chunks_z;
}

static karst_box field_chunk_bounds(const karst_ground *ground, uint32_t chunk) {
    kst_field_ground *g = of(ground);
    float b[6];
    int32_t x = (int32_t)(chunk % (uint32_t)g->chunks_x), z = (int32_t)(chunk / (uint32_t)g->chunks_x);
    if (begin(g) || !g->bounds(g, x, z, b)) return no_box;
    karst_pos o = g->shape.origin;
    karst_box box = {{o.x + b[0], o.y + b[1], o.z + b[2]}, {o.x + b[3], o.y + b[4], o.z + b[5]}};
    double *v[6] = {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y, &box.max.z};
    for (int k = 0; k < 6; ++k) *v[k] = nextafter(*v[k], k < 3 ? -INFINITY : INFINITY);  // the sums were rounded
    return box;
}

static size_t field_memory(const karst_ground *ground) {
    const kst_field_ground *g = of(ground);
    const kst_top *top = __atomic_load_n(&g->top, __ATOMIC_ACQUIRE);
    return g->memory(g) + (top ? top->bytes : 0);
}

static karst_place place_of(const kst_field_ground *g, const kst_chunk_view *view, int i, int j, int triangle) {
    uint32_t x = (uint32_t)(view->column / KARST_CHUNK_CELLS), z = (uint32_t)(view->row / KARST_CHUNK_CELLS);
    return (karst_place){z * (uint32_t)g->chunks_x + x, view->column + i, view->row + j, (uint32_t)triangle};
}

// ---- triangles -------------------------------------------------------------------------------------

static karst_status field_chunk_triangles(const karst_ground *ground, uint32_t chunk, karst_triangle_fn *fn,
                                          void *context) {
    kst_field_ground *g = of(ground);
    const kst_chunk_view *view;
    void *pin;
    karst_status status = begin(g);
    if (!status)
        status = g->pin(g, (int32_t)(chunk % (uint32_t)g->chunks_x), (int32_t)(chunk / (uint32_t)g->chunks_x), &view,
                        NULL, &pin);
    if (status) return status;
    bool more = true;
    for (int j = 0; j < KARST_CHUNK_CELLS && more; ++j) {
        karst_triangle row[2 * KARST_CHUNK_CELLS];
        int count = 0;
        for (int i = 0; i < KARST_CHUNK_CELLS; ++i)
            for (int k = 0; k < 2 && !kst_view_hole(view, i, j); ++k) {
                kst_corners corner;
                kst_cell_triangle(view, i, j, k, &corner);
                for (int c = 0; c < 3; ++c) row[count].corner[c] = kst_corner(&corner, c);
                row[count++].place = place_of(g, view, i, j, k);
            }
        if (count) more = fn(context, row, count);
    }
    if (pin) g->release(g, pin);
    return more ? KARST_OK : KARST_ERROR_CANCELLED;
}

// ---- heights where no vertex leaves its place: straight to the cell --------------------------------

// A point and the cell it is looked for in, pinned while it is looked at.
typedef struct spot {
    double x, z;            // world
    int32_t i, j;           // cell, counted over the field
    double x0, x1, z0, z1;  // world, sides of the cell
    const kst_chunk_view *view;
    void *pin;
    bool hole;
} spot;

// The sides of the cell as kst_world_vertex has them, without displacement.
static void find_sides(const kst_field_ground *g, spot *s) {
    const kst_chunk_view *v = s->view;
    double x0 = s->i, x1 = s->i + 1, z0 = s->j, z1 = s->j + 1, step = g->shape.spacing_m;
    if (v->baked) {
        x0 *= v->cell_steps, x1 *= v->cell_steps, z0 *= v->cell_steps, z1 *= v->cell_steps;
        step = v->step_xz_m;
    }
    s->x0 = g->shape.origin.x + x0 * step;
    s->x1 = g->shape.origin.x + x1 * step;
    s->z0 = g->shape.origin.z + z0 * step;
    s->z1 = g->shape.origin.z + z1 * step;
}

static bool is_inside(const spot *s) {
    return s->x >= s->x0 && s->x <= s->x1 && s->z >= s->z0 && s->z <= s->z1;
}

static inline karst_status pin_cell(kst_field_ground *g, spot *s) {
    int32_t chunk_x = s->i / KARST_CHUNK_CELLS, chunk_z = s->j / KARST_CHUNK_CELLS;
    karst_status status = g->pin(g, chunk_x, chunk_z, &s->view, NULL, &s->pin);
    if (status) return status;
    find_sides(g, s);
    s->hole = kst_view_hole(s->view, s->i % KARST_CHUNK_CELLS, s->j % KARST_CHUNK_CELLS);
    return KARST_OK;
}

static inline void release_cell(kst_field_ground *g, spot *s) {
    if (s->pin) g->release(g, s->pin);
}

// The cell along one axis, when it is near the field at all.
static inline bool guess(double p, double origin, double spacing, int32_t cells, int32_t *out) {
    double u = (p - origin) / spacing;
    if (!(u > -1 && u < cells + 1.0)) return false;
    int32_t cell = (int32_t)u;
    *out = cell < cells ? cell : cells - 1;
    return true;
}

// The guess was rounded, or its cell is a hole at whose rim the ground beside it ends. Both are rare.
static __attribute__((noinline)) karst_status look_beside(kst_field_ground *g, spot *s, bool *found) {
    int32_t columns = g->shape.columns - 1, rows = g->shape.rows - 1, i = s->i, j = s->j;
    *found = false;
    release_cell(g, s);
    for (int32_t b = j - 1; b <= j + 1; ++b)
        for (int32_t a = i - 1; a <= i + 1; ++a) {
            if (a < 0 || a >= columns || b < 0 || b >= rows) continue;
            s->i = a;
            s->j = b;
            karst_status status = pin_cell(g, s);
            if (status) return status;
            if (!s->hole && is_inside(s)) {
                *found = true;
                return KARST_OK;
            }
            release_cell(g, s);
        }
    return KARST_OK;
}

// Pin the cell that has ground at the spot; nothing is pinned when *found is false.
static inline karst_status find_cell(kst_field_ground *g, spot *s, bool *found) {
    *found = false;
    if (!guess(s->x, g->shape.origin.x, g->shape.spacing_m, g->shape.columns - 1, &s->i) ||
        !guess(s->z, g->shape.origin.z, g->shape.spacing_m, g->shape.rows - 1, &s->j))
        return KARST_OK;
    karst_status status = pin_cell(g, s);
    if (status) return status;
    if (s->hole || !is_inside(s)) return look_beside(g, s, found);
    *found = true;
    return KARST_OK;
}

// The triangle of a cell under the spot, as a walk over its corners: from the start of its diagonal along one side to
// the middle corner, and on to the end. Odd cells are mirrored along x, so that no branch depends on the cell.
typedef struct walk_over {
    double start, middle, end;  // heights relative to the ground's origin [m]
    double along, across;       // shares of the two sides walked
    bool odd, first_z;          // mirrored; the first side runs along z
} walk_over;

static inline double height_at(const kst_chunk_view *v, int k) {
    return v->baked ? v->baked[k].y * v->step_y_m : (double)v->y[k];
}

static inline walk_over walk_cell(const spot *s) {
    int odd = (s->i + s->j) & 1;
    int k = s->j % KARST_CHUNK_CELLS * KARST_CHUNK_SIDE + s->i % KARST_CHUNK_CELLS;
    double a = (odd ? s->x1 - s->x : s->x - s->x0) / (s->x1 - s->x0), b = (s->z - s->z0) / (s->z1 - s->z0);
    int first_z = b > a, beside = odd ? 0 : 1;  // column of the corner along x from the start
    return (walk_over){.start = height_at(s->view, k + odd),
                       .middle = height_at(s->view, k + (first_z ? KARST_CHUNK_SIDE + odd : beside)),
                       .end = height_at(s->view, k + KARST_CHUNK_SIDE + beside),
                       .along = first_z ? b : a,
                       .across = first_z ? a : b,
                       .odd = odd,
                       .first_z = first_z};
}

static inline double walk_height(const walk_over *w) {
    return w->start + w->along * (w->middle - w->start) + w->across * (w->end - w->middle);
}

static void answer(const kst_field_ground *g, const spot *s, karst_level *out) {
    walk_over w = walk_cell(s);
    double one = w.middle - w.start, two = w.end - w.middle;
    double x = (w.first_z ? two : one) / (s->x1 - s->x0), z = (w.first_z ? one : two) / (s->z1 - s->z0);
    if (w.odd) x = -x;
    double length = sqrt(1 + x * x + z * z);
    *out = (karst_level){.y = g->shape.origin.y + walk_height(&w),
                         .normal = {(float)(-x / length), (float)(1 / length), (float)(-z / length)},
                         .place = place_of(g, s->view, s->i % KARST_CHUNK_CELLS, s->j % KARST_CHUNK_CELLS, w.first_z)};
}

static karst_status flat_heights(kst_field_ground *g, double x, double z, karst_level *out, int capacity, int *count) {
    spot s = {.x = x, .z = z};
    bool found;
    karst_status status = find_cell(g, &s, &found);
    if (status) return status;
    *count = found;
    if (!found) return KARST_OK;
    if (capacity > 0) answer(g, &s, out);
    release_cell(g, &s);
    return KARST_OK;
}

// ---- heights where vertices leave their places: every triangle over the point ----------------------

static karst_status pile_fan(kst_pile *p, const kst_field_ground *g, const kst_chunk_view *view, int i, int j) {
    karst_status status = KARST_OK;
    for (int k = 0; k < 8 && !status; ++k) {
        kst_corners corner;
        int column = 2 * i + kst_fan_right[k], row = 2 * j + kst_fan_below[k], triangle = kst_fan_number[k];
        if (kst_view_hole(view, column, row)) continue;
        kst_cell_triangle(view, column, row, triangle, &corner);
        status = kst_pile_try(p, &corner, place_of(g, view, column, row, triangle));
    }
    return status;
}

static karst_status pile_node(kst_pile *p, const kst_field_ground *g, const kst_chunk_view *view,
                              const kst_chunk_tree *tree, int level, int x, int z) {
    karst_status status = KARST_OK;
    if (level < 0) {
        for (int f = 0; f < 4 && !status; ++f) status = pile_fan(p, g, view, 2 * x + (f & 1), 2 * z + (f >> 1));
        return status;
    }
    karst_pos o = view->shape.origin;
    double size = fabs(o.x) + fabs(o.z) + fabs(p->x) + fabs(p->z) + (double)tree->extent;
    uint32_t met = kst_node_over(&tree->node[level ? 16 : 4 * z + x], p->x - o.x - tree->origin[0],
                                 p->z - o.z - tree->origin[2], size * 0x1p-46);
    for (; met && !status; met &= met - 1) {
        int c = __builtin_ctz(met);
        status = pile_node(p, g, view, tree, level - 1, 4 * x + (c & 3), 4 * z + (c >> 2));
    }
    return status;
}

static karst_status pile_chunk(kst_pile *p, kst_field_ground *g, int32_t x, int32_t z) {
    float b[6];
    double px = p->x - g->shape.origin.x, pz = p->z - g->shape.origin.z, pad = (fabs(p->x) + fabs(p->z)) * 0x1p-46;
    if (!g->bounds(g, x, z, b) || px < (double)b[0] - pad || px > (double)b[3] + pad || pz < (double)b[2] - pad ||
        pz > (double)b[5] + pad)
        return KARST_OK;
    const kst_chunk_view *view;
    const kst_chunk_tree *tree;
    void *pin;
    karst_status status = g->pin(g, x, z, &view, &tree, &pin);
    if (status) return status;
    status = pile_node(p, g, view, tree, 1, 0, 0);
    if (pin) g->release(g, pin);
    return status;
}

// First and last chunk whose vertices may reach p along one axis.
static void reached(double p, double origin, double chunk_m, double reach, int32_t chunks, int32_t *first,
                    int32_t *last) {
    double a = floor((p - origin - reach) / chunk_m - 1e-6), b = floor((p - origin + reach) / chunk_m + 1e-6);
    *first = (int32_t)fmax(0, fmin(chunks, a));
    *last = (int32_t)fmin(chunks - 1, fmax(-1, b));
}

static karst_status piled_heights(kst_field_ground *g, double x, double z, karst_level *out, int capacity, int *count) {
    kst_pile p;
    kst_pile_begin(&p, x, z, g->allocator);
    int32_t x0, x1, z0, z1;
    double chunk_m = KARST_CHUNK_CELLS * g->shape.spacing_m;
    reached(x, g->shape.origin.x, chunk_m, g->reach_m, g->chunks_x, &x0, &x1);
    reached(z, g->shape.origin.z, chunk_m, g->reach_m, g->chunks_z, &z0, &z1);
    karst_status status = KARST_OK;
    for (int32_t cz = z0; cz <= z1 && !status; ++cz)
        for (int32_t cx = x0; cx <= x1 && !status; ++cx) status = pile_chunk(&p, g, cx, cz);
    return kst_pile_end(&p, status, 1e-6 * g->shape.spacing_m, out, capacity, count);
}

static karst_status field_heights(const karst_ground *ground, double x, double z, karst_level *out, int capacity,
                                  int *count) {
    kst_field_ground *g = of(ground);
    karst_status status = begin(g);
    if (status) return status;
    if (g->displaced) return piled_heights(g, x, z, out, capacity, count);
    return flat_heights(g, x, z, out, capacity, count);
}

static bool field_height(const karst_ground *ground, double x, double z, double *y) {
    kst_field_ground *g = of(ground);
    if (begin(g)) return false;
    if (g->displaced) {
        karst_level level;
        int count = 0;
        if (piled_heights(g, x, z, &level, 1, &count) || !count) return false;
        *y = level.y;
        return true;
    }
    spot s = {.x = x, .z = z};
    bool found;
    if (find_cell(g, &s, &found) || !found) return false;
    walk_over w = walk_cell(&s);
    *y = g->shape.origin.y + walk_height(&w);
    release_cell(g, &s);
    return true;
}

// ---- triangles near a box --------------------------------------------------------------------------

static bool near_fan(const kst_near *near, const kst_field_ground *g, const kst_chunk_view *view, int i, int j) {
    karst_triangle some[8];
    int count = 0;
    for (int k = 0; k < 8; ++k) {
        kst_corners corner;
        int column = 2 * i + kst_fan_right[k], row = 2 * j + kst_fan_below[k], triangle = kst_fan_number[k];
        if (kst_view_hole(view, column, row)) continue;
        kst_cell_triangle(view, column, row, triangle, &corner);
        for (int c = 0; c < 3; ++c) some[count].corner[c] = kst_corner(&corner, c);
        some[count++].place = place_of(g, view, column, row, triangle);
    }
    return kst_near_hand(near, some, count);
}

static bool near_node(const kst_near *near, const kst_field_ground *g, const kst_chunk_view *view,
                      const kst_chunk_tree *tree, int level, int x, int z) {
    bool more = true;
    if (level < 0) {
        for (int f = 0; f < 4 && more; ++f) more = near_fan(near, g, view, 2 * x + (f & 1), 2 * z + (f >> 1));
        return more;
    }
    double low[3], high[3];
    for (int a = 0; a < 3; ++a) low[a] = near->low[a] - tree->origin[a], high[a] = near->high[a] - tree->origin[a];
    uint32_t met = kst_node_near(&tree->node[level ? 16 : 4 * z + x], low, high);
    for (; met && more; met &= met - 1) {
        int c = __builtin_ctz(met);
        more = near_node(near, g, view, tree, level - 1, 4 * x + (c & 3), 4 * z + (c >> 2));
    }
    return more;
}

static karst_status near_chunks(const kst_near *near, kst_field_ground *g, const kst_top *top, int level, int32_t x,
                                int32_t z) {
    karst_status status = KARST_OK;
    if (level < 0) {
        const kst_chunk_view *view;
        const kst_chunk_tree *tree;
        void *pin;
        status = g->pin(g, x, z, &view, &tree, &pin);
        if (status) return status;
        if (!near_node(near, g, view, tree, 1, 0, 0)) status = KARST_ERROR_CANCELLED;
        if (pin) g->release(g, pin);
        return status;
    }
    const kst_node *node = &top->node[top->first[level] + (size_t)z * (size_t)top->nx[level] + (size_t)x];
    uint32_t met = kst_node_near(node, near->low, near->high);
    for (; met && !status; met &= met - 1) {
        int c = __builtin_ctz(met);
        status = near_chunks(near, g, top, level - 1, 4 * x + (c & 3), 4 * z + (c >> 2));
    }
    return status;
}

static karst_status field_near(const karst_ground *ground, karst_box box, karst_triangle_fn *fn, void *context) {
    kst_field_ground *g = of(ground);
    const kst_top *top;
    kst_near near;
    karst_status status = begin(g);
    if (!status) status = kst_top_get(g, &top);
    if (status) return status;
    double extent = top->reach.size + (double)top->reach.extent;
    if (!kst_near_begin(&near, box, g->all, g->shape.origin, extent, fn, context)) return KARST_OK;
    return near_chunks(&near, g, top, top->level_count - 1, 0, 0);
}

// ---- rays ------------------------------------------------------------------------------------------

static karst_status field_cast(const karst_ground *ground, const karst_ray *ray, bool any, karst_hit *out) {
    kst_field_ground *g = of(ground);
    karst_status status = begin(g);
    if (status) return status;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw"))  // no processor has this without the vl and dq parts
        return kst_cast_avx512(g, ray, any, out);
    if (__builtin_cpu_supports("avx2")) return kst_cast_avx2(g, ray, any, out);
#endif
    return kst_cast_plain(g, ray, any, out);
}

const karst_ground_table kst_field_ground_table = {
    .kind = "field",
    .bounds = field_bounds,
    .chunk_count = field_chunk_count,
    .chunk_bounds = field_chunk_bounds,
    .chunk_triangles = field_chunk_triangles,
    .heights = field_heights,
    .height = field_height,
    .cast = field_cast,
    .memory = field_memory,
    .near_box = field_near,
};
