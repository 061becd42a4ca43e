// SPDX-License-Identifier: MIT
// Borders that two regions share, though each is made alone.
//
//     side    A-----------B-----C     vertices that depend on the side's samples and on the holes along it
//             | \ strip  / \   /|     one row of cells: no sample inside
//     tree    D---E-----F---G-H-I     whatever the tree and the refit make of their border
//
// All samples of the strip lie on its two lines, so it keeps the error if they do, whatever vertices they have. Where
// all vertices are there, its triangles are those of the diagonal rule.
#include <math.h>

#include "lod/rqt.h"

// Places along a side: k counts columns or rows over the field, depth 0 is on the side, 1 inside the strip.
static bool is_along_x(int side) {
    return side >= KST_TOP;
}
static int32_t first_of(const kst_ring *g, int side) {
    return is_along_x(side) ? g->x0 : g->z0;
}
static int32_t last_of(const kst_ring *g, int side) {
    return is_along_x(side) ? g->x1 : g->z1;
}
static size_t length_of(const kst_ring *g, int side) {
    return (size_t)(last_of(g, side) - first_of(g, side)) + 1;
}
static kst_node place_at(const kst_ring *g, int side, int32_t k, int32_t depth) {
    switch (side) {
        case KST_LEFT:
            return (kst_node){g->x0 + depth, k};
        case KST_RIGHT:
            return (kst_node){g->x1 - depth, k};
        case KST_TOP:
            return (kst_node){k, g->z0 + depth};
        default:
            return (kst_node){k, g->z1 - depth};
    }
}
// The cell between k and k + 1, the depth-th from the side.
static kst_node cell_at(const kst_ring *g, int side, int32_t k, int32_t depth) {
    kst_node p = place_at(g, side, k, depth);
    if (side == KST_RIGHT) --p.i;
    if (side == KST_BOTTOM) --p.j;
    return p;
}

static bool is_ground(const kst_ring *g, kst_node cell) {
    if (cell.i < g->x0 || cell.j < g->z0 || cell.i >= g->x1 || cell.j >= g->z1) return false;
    const uint32_t *sum = g->r->hole_sum;
    if (!sum) return true;
    size_t at = kst_place_at(g->r, cell), row = (size_t)g->r->columns;
    return !(sum[at + row + 1] - sum[at + row] - sum[at + 1] + sum[at]);
}
static bool is_ground_at(const kst_ring *g, int side, int32_t k) {
    return is_ground(g, cell_at(g, side, k, 0));
}
static bool is_ground_beyond(const kst_ring *g, int side, int32_t k) {
    return !g->beyond[side] || !g->beyond[side][k - first_of(g, side)];
}

// ---- the vertices of a side ----------------------------------------------------------------------------

// The samples of a side.
typedef struct line {
    const kst_ring *g;
    int side;
    int32_t first;
    bool heights_only;  // of this side: what lies elsewhere must not matter
} line;

static void sample(const line *l, int32_t k, double out[3]) {
    const kst_rqt *r = l->g->r;
    size_t at = kst_place_at(r, place_at(l->g, l->side, k, 0));
    out[0] = (double)r->y[at];
    out[1] = r->x ? (double)r->x[at] : 0;
    out[2] = r->z ? (double)r->z[at] : 0;
}
static double height(const line *l, int32_t k) {
    return (double)l->g->r->y[kst_place_at(l->g->r, place_at(l->g, l->side, k, 0))];
}

// Whether the straight line from sample a to sample b keeps the error.
static bool chord_holds(const line *l, int32_t a, int32_t b) {
    double p[3], q[3];
    sample(l, a, p);
    sample(l, b, q);
    for (int32_t k = a + 1; k < b; ++k) {
        double s[3], square = 0, share = (double)(k - a) / (b - a);
        sample(l, k, s);
        for (int c = 0; c < 3; ++c) {
            double off = s[c] - (p[c] + (q[c] - p[c]) * share);
            square += off * off;
        }
        if (sqrt(square) > l->g->r->error) return false;
    }
    return true;
}

static bool heights_hold(const line *l, int32_t a, float from, int32_t b, float to) {
    for (int32_t k = a + 1; k <= b; ++k) {
        double at = (double)from + ((double)to - (double)from) * (k - a) / (b - a);
        if (fabs(height(l, k) - at) > l->g->r->error) return false;
    }
    return true;
}

// The farthest vertex that a line from (a, from) may have, at most at the knot, and its height. A knot is on the data.
static int32_t next_vertex(const line *l, int32_t a, float from, int32_t knot, float *to) {
    const double error = l->g->r->error * (1 - 1e-6);
    double low = -INFINITY, high = INFINITY, middle = 0;
    int32_t best = a + 1;
    for (int32_t k = a + 1; k <= knot; ++k) {
        double y = height(l, k), steps = k - a, level = (y - (double)from) / steps;
        if (k == knot && level >= low && level <= high && heights_hold(l, a, from, k, (float)y))
            return *to = (float)y, k;
        low = fmax(low, level - error / steps);
        high = fmin(high, level + error / steps);
        if (low > high) break;
        if (k == knot) break;
        best = k;
        middle = (low + high) / 2;
    }
    *to = (float)((double)from + middle * (best - a));
    if (heights_hold(l, a, from, best, *to)) return best;
    *to = (float)height(l, a + 1);  // floats too coarse for this error
    return a + 1;
}

static void fill_span(kst_ring *g, const line *l, int32_t knot_a, int32_t knot_b) {
    bool *stands = g->stands[l->side];
    float *heights = g->height[l->side];
    for (int32_t a = knot_a; a < knot_b;) {
        int32_t b = a + 1;
        float y = (float)height(l, b);
        if (l->heights_only && g->refit) {
            b = next_vertex(l, a, heights[a - l->first], knot_b, &y);
        } else {
            while (b < knot_b && chord_holds(l, a, b + 1)) ++b;
            y = (float)height(l, b);
        }
        stands[b - l->first] = true;
        heights[b - l->first] = y;
        a = b;
    }
}

// Knots: the ends and their neighbours, so that cells at corners are whole; and where a hole begins or ends, on either
// side of the line.
static bool is_knot(const kst_ring *g, int side, int32_t k) {
    int32_t first = first_of(g, side), last = last_of(g, side);
    return k <= first + 1 || k >= last - 1 || is_ground_at(g, side, k - 1) != is_ground_at(g, side, k) ||
           is_ground_beyond(g, side, k - 1) != is_ground_beyond(g, side, k);
}

static void find_vertices(kst_ring *g, int side) {
    line l = {g, side, first_of(g, side), true};
    int32_t last = last_of(g, side);
    for (int32_t k = l.first; k <= last && l.heights_only; ++k) {
        double s[3];
        sample(&l, k, s);
        l.heights_only = s[1] == 0 && s[2] == 0;
    }
    for (int32_t k = l.first, knot = k; k <= last; ++k) {
        if (!is_knot(g, side, k)) continue;
        g->stands[side][k - l.first] = true;
        g->height[side][k - l.first] = (float)height(&l, k);
        if (k > knot && (is_ground_at(g, side, knot) || is_ground_beyond(g, side, knot))) fill_span(g, &l, knot, k);
        knot = k;
    }
}

// ---- opening ---------------------------------------------------------------------------------------------

// Along a side of the inside.
static int32_t inner_first(const kst_ring *g, int side) {
    return is_along_x(side) ? g->r->x0 : g->r->z0;
}
static int32_t inner_last(const kst_ring *g, int side) {
    return is_along_x(side) ? g->r->x1 : g->r->z1;
}

// The tree's border needs a vertex where the strip begins or ends.
static bool pin_ends(kst_ring *g, int side) {
    for (int32_t k = inner_first(g, side) + 1; k < inner_last(g, side); ++k) {
        if (is_ground_at(g, side, k - 1) == is_ground_at(g, side, k)) continue;
        kst_node *pin = kst_list_add(g->r->allocator, &g->r->pins, sizeof *pin);
        if (!pin) return false;
        *pin = place_at(g, side, k, 1);
    }
    return true;
}

karst_status kst_ring_open(kst_ring *ring) {
    kst_rqt *r = ring->r;
    const karst_allocator *a = r->allocator;
    r->x0 = ring->x0 + ring->shared[KST_LEFT];
    r->x1 = ring->x1 - ring->shared[KST_RIGHT];
    r->z0 = ring->z0 + ring->shared[KST_TOP];
    r->z1 = ring->z1 - ring->shared[KST_BOTTOM];
    for (int side = 0; side < KST_SIDES; ++side) {
        if (!ring->shared[side]) continue;
        ring->stands[side] = kst_alloc_zero(a, length_of(ring, side) * sizeof *ring->stands[side]);
        ring->height[side] = kst_alloc_zero(a, length_of(ring, side) * sizeof *ring->height[side]);
        if (!ring->stands[side] || !ring->height[side] || !pin_ends(ring, side)) return KARST_ERROR_MEMORY;
        find_vertices(ring, side);
    }
    return KARST_OK;
}

void kst_ring_close(kst_ring *ring) {
    for (int side = 0; side < KST_SIDES; ++side) {
        kst_free(ring->r->allocator, ring->stands[side], length_of(ring, side) * sizeof *ring->stands[side]);
        kst_free(ring->r->allocator, ring->height[side], length_of(ring, side) * sizeof *ring->height[side]);
    }
}

// ---- zipping ----------------------------------------------------------------------------------------------

static void add_triangle(kst_net *net, uint32_t a, uint32_t b, uint32_t c) {
    kst_node p = net->place[a], q = net->place[b], s = net->place[c];
    bool turned = (int64_t)(q.i - p.i) * (s.j - p.j) > (int64_t)(s.i - p.i) * (q.j - p.j);
    uint32_t *corner = net->corner[net->triangle_count++];
    corner[0] = a;
    corner[1] = turned ? c : b;
    corner[2] = turned ? b : c;
}

static uint32_t outer_vertex(kst_ring *g, kst_net *net, int side, int32_t k) {
    uint32_t v = kst_net_vertex(net, g->r, place_at(g, side, k, 0));
    net->height[v] = g->height[side][k - first_of(g, side)];
    return v;
}

// Whether the inside's border has a vertex at k, or must be given one since it ends there.
static bool inner_stands(const kst_ring *g, const kst_net *net, int side, int32_t k) {
    return net->vertex_at[kst_place_at(g->r, place_at(g, side, k, 1))] != KST_NONE ||
           !is_ground(g, cell_at(g, side, k - 1, 1)) || !is_ground(g, cell_at(g, side, k, 1));
}

static int32_t next_outer(const kst_ring *g, int side, int32_t k) {
    do ++k;
    while (!g->stands[side][k - first_of(g, side)]);
    return k;
}
static int32_t next_inner(const kst_ring *g, const kst_net *net, int side, int32_t k, int32_t end) {
    do ++k;
    while (k < end && !inner_stands(g, net, side, k));
    return k;
}

// Cells [begin, end) of the strip, all ground; both lines have a vertex at either end.
static void zip(kst_ring *g, kst_net *net, int side, int32_t begin, int32_t end) {
    int32_t outer = begin, inner = begin;
    uint32_t out = outer_vertex(g, net, side, begin), in = kst_net_vertex(net, g->r, place_at(g, side, begin, 1));
    while (outer < end || inner < end) {
        int32_t o = outer < end ? next_outer(g, side, outer) : INT32_MAX;
        int32_t i = inner < end ? next_inner(g, net, side, inner, end) : INT32_MAX;
        kst_node corner = place_at(g, side, outer, 0);
        bool by_outer = o < i || (o == i && ((corner.i + corner.j) & 1));  // the diagonal is from an even corner
        if (by_outer) {
            uint32_t next = outer_vertex(g, net, side, o);
            add_triangle(net, out, next, in);
            out = next, outer = o;
        } else {
            uint32_t next = kst_net_vertex(net, g->r, place_at(g, side, i, 1));
            add_triangle(net, out, next, in);
            in = next, inner = i;
        }
    }
}

static void zip_side(kst_ring *g, kst_net *net, int side) {
    int32_t last = inner_last(g, side);
    for (int32_t k = inner_first(g, side); k < last;) {
        int32_t begin = k;
        bool ground = is_ground_at(g, side, k);
        while (k < last && is_ground_at(g, side, k) == ground) ++k;
        if (ground) zip(g, net, side, begin, k);
    }
}

// The cell where two shared sides meet: all four of its corners stand.
static void zip_corner(kst_ring *g, kst_net *net, int side, int other) {
    if (!g->shared[side] || !g->shared[other]) return;
    int32_t k = other == KST_TOP ? g->z0 : g->z1 - 1;  // along the left or right side
    kst_node cell = cell_at(g, side, k, 0);
    if (!is_ground(g, cell)) return;
    uint32_t v[4];
    for (int c = 0; c < 4; ++c) {
        kst_node p = {cell.i + (c == 1 || c == 2), cell.j + (c >= 2)};
        v[c] = kst_net_vertex(net, g->r, p);
    }
    int from = (cell.i + cell.j) & 1;
    add_triangle(net, v[from], v[from + 1], v[from + 2]);
    add_triangle(net, v[from], v[from + 2], v[(from + 3) % 4]);
}

karst_status kst_ring_zip(kst_ring *ring, kst_net *net) {
    size_t more = 0;
    for (int side = 0; side < KST_SIDES; ++side)
        if (ring->shared[side]) more += length_of(ring, side);
    if (!more) return KARST_OK;
    karst_status status = kst_net_reserve(net, 2 * more, 2 * more);
    if (status) return status;
    for (int side = 0; side < KST_SIDES; ++side)
        if (ring->shared[side]) zip_side(ring, net, side);
    for (int k = 0; k < 4; ++k) zip_corner(ring, net, k & 1 ? KST_RIGHT : KST_LEFT, k & 2 ? KST_BOTTOM : KST_TOP);
    return KARST_OK;
}
