// SPDX-License-Identifier: MIT
// Building the boxes: of a node from sixteen, of a chunk from its fans, of a ground from its chunks.
//
// Every rounding goes outward: a box holds what is in it, whatever was lost on the way.
#include <float.h>
#include <math.h>

#include "surface/ray.h"

float kst_float_below(double value) {
    float f = (float)value;
    return (double)f > value ? nextafterf(f, -INFINITY) : f;
}

float kst_float_above(double value) {
    float f = (float)value;
    return (double)f < value ? nextafterf(f, INFINITY) : f;
}

// ---- one node --------------------------------------------------------------------------------------

static void fill_axis(kst_node *node, const float box[16][6], uint32_t used, int axis) {
    float low = INFINITY, high = -INFINITY;
    for (int c = 0; c < 16; ++c) {
        if (!(used >> c & 1)) continue;
        low = fminf(low, box[c][axis]);
        high = fmaxf(high, box[c][axis + 3]);
    }
    float scale = kst_float_above(((double)high - (double)low) / 255);
    while ((double)low + 255.0 * (double)scale < (double)high) scale = nextafterf(scale, INFINITY);
    node->base[axis] = low;
    node->scale[axis] = scale;
    for (int c = 0; c < 16; ++c) {
        uint8_t *lower = &node->plane[axis][c], *upper = &node->plane[axis + 3][c];
        *lower = 255;
        *upper = 0;
        if (!(used >> c & 1)) continue;
        double s = scale > 0 ? (double)scale : 1;
        int a = (int)fmin(255, floor(((double)box[c][axis] - (double)low) / s));
        int b = (int)fmin(255, ceil(((double)box[c][axis + 3] - (double)low) / s));
        while (a > 0 && (double)low + a * (double)scale > (double)box[c][axis]) --a;
        while (b < 255 && (double)low + b * (double)scale < (double)box[c][axis + 3]) ++b;
        *lower = (uint8_t)a;
        *upper = (uint8_t)b;
    }
}

void kst_node_fill(kst_node *node, const float box[16][6], uint32_t used) {
    memset(node, 0, sizeof *node);
    node->used = (uint16_t)used;
    node->one = 0x3f80;
    for (int axis = 0; axis < 3 && used; ++axis) fill_axis(node, box, used, axis);
    node->scale[3] = 2 * (node->scale[0] + node->scale[1] + node->scale[2]);
}

bool kst_node_box(const kst_node *node, float out[6]) {
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = node->base[axis];
        out[axis + 3] = kst_float_above((double)node->base[axis] + 255.0 * (double)node->scale[axis]);
    }
    return node->used != 0;
}

uint32_t kst_node_over(const kst_node *n, double x, double z, double pad) {
    uint32_t met = 0;
    double low_x = (x - pad - (double)n->base[0]), high_x = (x + pad - (double)n->base[0]);
    double low_z = (z - pad - (double)n->base[2]), high_z = (z + pad - (double)n->base[2]);
    for (int c = 0; c < 16; ++c)
        met |=
            (uint32_t)(n->plane[0][c] * (double)n->scale[0] <= high_x &&
                       n->plane[3][c] * (double)n->scale[0] >= low_x &&
                       n->plane[2][c] * (double)n->scale[2] <= high_z && n->plane[5][c] * (double)n->scale[2] >= low_z)
            << c;
    return met & n->used;
}

uint32_t kst_node_near(const kst_node *n, const double low[3], const double high[3]) {
    uint32_t met = n->used;
    for (int a = 0; a < 3; ++a) {
        double from = low[a] - (double)n->base[a], to = high[a] - (double)n->base[a], scale = (double)n->scale[a];
        uint32_t here = 0;
        for (int c = 0; c < 16; ++c)
            here |= (uint32_t)(n->plane[a][c] * scale <= to && n->plane[a + 3][c] * scale >= from) << c;
        met &= here;
    }
    return met;
}

// ---- one chunk -------------------------------------------------------------------------------------

typedef struct range {
    double min[3], max[3];
} range;

static const range nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(range *r, karst_pos p) {
    double v[3] = {p.x, p.y, p.z};
    for (int a = 0; a < 3; ++a) {
        if (v[a] < r->min[a]) r->min[a] = v[a];
        if (v[a] > r->max[a]) r->max[a] = v[a];
    }
}

// Bounds of the cells of fan (i, j) that are not holes.
static void grow_fan(range *r, const kst_chunk_view *view, int i, int j) {
    unsigned vertices = 0;  // bit row * 3 + column of the nine
    for (int c = 0; c < 4; ++c) {
        int x = c & 1, z = c >> 1;
        if (!kst_view_hole(view, 2 * i + x, 2 * j + z)) vertices |= 033u << (x + 3 * z);
    }
    for (int k = 0; k < 9; ++k)
        if (vertices >> k & 1) grow(r, kst_view_vertex(view, 2 * i + k % 3, 2 * j + k / 3));
}

enum { FANS = KARST_CHUNK_CELLS / 2 };

bool kst_view_bounds(const kst_chunk_view *view, double min[3], double max[3]) {
    range all = nothing;
    for (int j = 0; j < FANS; ++j)
        for (int i = 0; i < FANS; ++i) grow_fan(&all, view, i, j);
    if (all.min[0] > all.max[0]) return false;
    memcpy(min, all.min, sizeof all.min);
    memcpy(max, all.max, sizeof all.max);
    return true;
}

static bool is_flat(const kst_chunk_view *view) {
    if (view->baked) {
        for (int k = 0; k < KARST_CHUNK_VERTICES; ++k)
            if (view->baked[k].dx || view->baked[k].dz) return false;
        return true;
    }
    for (int k = 0; view->x && k < KARST_CHUNK_VERTICES; ++k)
        if (view->x[k] != 0 || view->z[k] != 0) return false;
    return true;
}

// Floats hold integers up to 2^24; baked heights beyond lose their last bits when read as one.
static float height_error(const kst_chunk_view *view) {
    double largest = 0;
    for (int k = 0; view->baked && k < KARST_CHUNK_VERTICES; ++k)
        largest = fmax(largest, fabs((double)view->baked[k].y));
    return largest > 0x1p24 ? (float)(largest * view->step_y_m * 0x1p-24) : 0;
}

size_t kst_tree_bytes(void) {
    return sizeof(kst_chunk_tree);
}

// Nodes of one level from the boxes of the level below, `side` of them along an axis. The boxes of the nodes replace
// those they were made of.
static void fill_level(kst_node *nodes, float (*box)[6], bool *any, int side) {
    int parents = (side + 3) / 4;
    for (int z = 0; z < parents; ++z)
        for (int x = 0; x < parents; ++x) {
            float child[16][6];
            uint32_t used = 0;
            for (int c = 0; c < 16; ++c) {
                int cx = 4 * x + (c & 3), cz = 4 * z + (c >> 2);
                if (cx >= side || cz >= side || !any[cz * side + cx]) continue;
                memcpy(child[c], box[cz * side + cx], sizeof child[c]);
                used |= 1u << c;
            }
            kst_node_fill(&nodes[z * parents + x], (const float(*)[6])child, used);
        }
    for (int k = 0; k < parents * parents; ++k) any[k] = kst_node_box(&nodes[k], box[k]);
}

void kst_tree_build(kst_chunk_tree *tree, const kst_chunk_view *view) {
    memset(tree, 0, sizeof *tree);
    double step = view->baked ? view->cell_steps * view->step_xz_m : view->shape.spacing_m;
    double min[3] = {0}, max[3] = {0};
    kst_view_bounds(view, min, max);
    tree->origin[0] = view->column * step;
    tree->origin[1] = 0.5 * (min[1] + max[1]);
    tree->origin[2] = view->row * step;
    for (int a = 0; a < 3; ++a) tree->corner[a] = (float)tree->origin[a];
    tree->cell_m = (float)step;
    tree->flat = is_flat(view);
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) tree->holes |= view->hole[j] != 0;
    tree->y_error = height_error(view);
    float box[KST_BLOCKS * KST_BLOCKS][6];
    bool any[KST_BLOCKS * KST_BLOCKS];
    for (int k = 0; k < KST_BLOCKS * KST_BLOCKS; ++k) {
        range block = nothing;
        int i = k % KST_BLOCKS, j = k / KST_BLOCKS;
        for (int f = 0; f < 4; ++f) {
            range fan = nothing;
            grow_fan(&fan, view, 2 * i + (f & 1), 2 * j + (f >> 1));
            if (fan.min[0] > fan.max[0]) continue;
            grow(&block, (karst_pos){fan.min[0], fan.min[1], fan.min[2]});
            grow(&block, (karst_pos){fan.max[0], fan.max[1], fan.max[2]});
            double sum = fan.max[0] - fan.min[0] + fan.max[1] - fan.min[1] + fan.max[2] - fan.min[2];
            tree->fan_extent = fmaxf(tree->fan_extent, kst_float_above(sum));
        }
        any[k] = block.min[0] <= block.max[0];
        for (int a = 0; a < 3 && any[k]; ++a) {
            box[k][a] = kst_float_below(block.min[a] - tree->origin[a]);
            box[k][a + 3] = kst_float_above(block.max[a] - tree->origin[a]);
            tree->extent = fmaxf(tree->extent, fmaxf(fabsf(box[k][a]), fabsf(box[k][a + 3])));
        }
    }
    tree->least = -0x1p-10f * tree->extent;
    tree->most_pad = 0x1p-9f * tree->extent;
    fill_level(tree->node, box, any, KST_BLOCKS);
    fill_level(tree->node + 16, box, any, 4);
}

// ---- all chunks ------------------------------------------------------------------------------------

static bool child_box(kst_field_ground *ground, const kst_top *top, int level, int32_t x, int32_t z, float out[6]) {
    if (level < 0) return ground->bounds(ground, x, z, out);
    return kst_node_box(&top->node[top->first[level] + (size_t)z * (size_t)top->nx[level] + (size_t)x], out);
}

static void fill_top(kst_field_ground *ground, kst_top *top, int level, int32_t nz, int32_t below_x, int32_t below_z) {
    for (int32_t z = 0; z < nz; ++z)
        for (int32_t x = 0; x < top->nx[level]; ++x) {
            float child[16][6];
            uint32_t used = 0;
            for (int c = 0; c < 16; ++c) {
                int32_t cx = 4 * x + (c & 3), cz = 4 * z + (c >> 2);
                if (cx < below_x && cz < below_z && child_box(ground, top, level - 1, cx, cz, child[c]))
                    used |= 1u << c;
            }
            kst_node *node = &top->node[top->first[level] + (size_t)z * (size_t)top->nx[level] + (size_t)x];
            kst_node_fill(node, (const float(*)[6])child, used);
        }
}

void kst_reach_make(karst_pos origin, karst_box all, float extent, kst_reach *out) {
    const karst_pos places[3] = {origin, all.min, all.max};
    double *const to[3] = {out->origin, out->min, out->max};
    *out = (kst_reach){.extent = extent};
    for (int k = 0; k < 3; ++k) {
        const double p[3] = {places[k].x, places[k].y, places[k].z};
        memcpy(to[k], p, sizeof p);
        for (int a = 0; a < 3; ++a) out->size = fmax(out->size, fabs(p[a]));
    }
}

static kst_top *build_top(kst_field_ground *ground) {
    int32_t nx[KST_TOP_LEVELS], nz[KST_TOP_LEVELS], x = ground->chunks_x, z = ground->chunks_z;
    size_t first[KST_TOP_LEVELS], count = 0;
    int levels = 0;
    do {
        nx[levels] = x = (x + 3) / 4;
        nz[levels] = z = (z + 3) / 4;
        first[levels++] = count;
        count += (size_t)x * (size_t)z;
    } while (x > 1 || z > 1);
    size_t bytes = sizeof(kst_top) + count * sizeof(kst_node);
    kst_top *top = kst_alloc(ground->allocator, bytes);
    if (!top) return NULL;
    memset(top, 0, sizeof *top);
    top->bytes = bytes;
    top->level_count = levels;
    memcpy(top->nx, nx, sizeof nx[0] * (size_t)levels);
    memcpy(top->first, first, sizeof first[0] * (size_t)levels);
    for (int level = 0; level < levels; ++level)
        fill_top(ground, top, level, nz[level], level ? nx[level - 1] : ground->chunks_x,
                 level ? nz[level - 1] : ground->chunks_z);
    float box[6], extent = 0;
    if (kst_node_box(&top->node[count - 1], box))
        for (int a = 0; a < 6; ++a) extent = fmaxf(extent, fabsf(box[a]));
    kst_reach_make(ground->shape.origin, ground->all, extent, &top->reach);
    return top;
}

karst_status kst_top_get(kst_field_ground *ground, const kst_top **out) {
    kst_top *top = __atomic_load_n(&ground->top, __ATOMIC_ACQUIRE);
    if (!top) {
        kst_top *fresh = build_top(ground);
        if (!fresh) return KARST_ERROR_MEMORY;
        if (__atomic_compare_exchange_n(&ground->top, &top, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            top = fresh;
        else
            kst_free(ground->allocator, fresh, fresh->bytes);  // another thread was first
    }
    *out = top;
    return KARST_OK;
}

void kst_field_ground_clear(kst_field_ground *ground) {
    if (ground->top) kst_free(ground->allocator, ground->top, ground->top->bytes);
    ground->top = NULL;
}
