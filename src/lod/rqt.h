// SPDX-License-Identifier: MIT
// Restricted quadtree triangulation, inner. See docs/mesh.md.
//
// The tree is the right-triangle bisection of squares of `side` cells, counted over the whole field, so that its
// finest triangles are those of the diagonal rule. A node is a vertex of the tree; it is also the middle of the
// hypotenuse of the one or two triangles that it splits:
//
//        w0             a, b    ends of the hypotenuse
//       / | \           w0, w1  apexes; v can be there only when both are
//      a  v  b
//       \ | /
//        w1
//
// A region may have any size: a node that lies beyond it stands on its border, at the nearest place of the region.
// That moves no vertex across another, so the triangles still cover the region once; those that have no area left
// are absent, and so are those that cover holes alone.
#pragma once
#include "core/core.h"
#include "karst/mesh.h"

typedef struct kst_node {
    int32_t i, j;  // column and row, counted over the field
} kst_node;

static inline bool kst_node_same(kst_node a, kst_node b) {
    return a.i == b.i && a.j == b.j;
}

// A triangle of the tree: the apex and the ends of the hypotenuse.
typedef struct kst_half {
    kst_node w, a, b;
} kst_half;

// Growing arrays of one kind.
typedef struct kst_list {
    void *items;
    size_t count, room;
} kst_list;

// Samples of a region and the tree over it.
typedef struct kst_rqt {
    const karst_allocator *allocator;
    int32_t x0, z0, x1, z1;    // first and last vertices of the region, counted over the field
    int32_t from_x, from_z;    // first sample; the samples may go beyond the region
    int32_t columns, rows;     // samples
    const float *y, *x, *z;    // displacement, `columns` a row; x and z NULL: heights only. Eight more may be read.
    const uint32_t *hole_sum;  // hole cells left of and above a sample; NULL: no holes
    double error;              // limit [m]
    int32_t side;              // of a root square [cells], a power of two
    int32_t base_x, base_z;    // first root square
    int32_t roots_x, roots_z;  // root squares
    int32_t pad_columns, pad_rows;  // vertices of all root squares
    uint64_t *active;               // a bit a vertex of the root squares
    kst_list stack;                 // kst_half: triangles to look at
    kst_list nodes;                 // kst_node: the active ones, in the order they came
    kst_list pins;                  // kst_node: places in the region that must have a vertex
    bool short_of_memory;
} kst_rqt;

// ---- rqt_list.c ------------------------------------------------------------------------------------

// Room for one more item of `bytes`; NULL when there is none.
void *kst_list_add(const karst_allocator *allocator, kst_list *list, size_t bytes);
void kst_list_free(const karst_allocator *allocator, kst_list *list, size_t bytes);

// ---- rqt_tree.c: nodes, and which of them are needed -------------------------------------------------

// Lay the tree over the region of r (its samples are set) and find its bits. @return KARST_ERROR_MEMORY
karst_status kst_rqt_open(kst_rqt *r);
void kst_rqt_close(kst_rqt *r);

// Split what is off by more than r->error or holds pins, and what that forces. @return KARST_ERROR_MEMORY,
// KARST_ERROR_CANCELLED
karst_status kst_rqt_select(kst_rqt *r, const karst_progress *progress);
// Add a node and what it depends on.
void kst_rqt_activate(kst_rqt *r, kst_node v);

// The triangles of the tree that nothing splits, in a fixed order, to fn; false from fn stops.
typedef bool kst_half_fn(void *context, const kst_half *leaf);
bool kst_rqt_leaves(const kst_rqt *r, kst_half_fn *fn, void *context);

// Ends and apexes of the triangles that node v splits. An apex may lie outside the root squares.
typedef struct kst_family {
    kst_node a, b, w[2];
} kst_family;
kst_family kst_node_family(const kst_rqt *r, kst_node v);
// The four nodes that depend on v directly, not all of them in the root squares; false at the finest: there are none.
bool kst_node_dependents(const kst_rqt *r, kst_node v, kst_node out[4]);

// No area inside the region, or holes alone.
bool kst_half_absent(const kst_rqt *r, const kst_half *t);

static inline bool kst_node_inside(const kst_rqt *r, kst_node v) {
    return v.i >= r->base_x && v.j >= r->base_z && v.i < r->base_x + r->pad_columns && v.j < r->base_z + r->pad_rows;
}
static inline size_t kst_node_bit(const kst_rqt *r, kst_node v) {
    return (size_t)(v.j - r->base_z) * (size_t)r->pad_columns + (size_t)(v.i - r->base_x);
}
static inline bool kst_node_is_root(const kst_rqt *r, kst_node v) {
    return !((v.i | v.j) & (r->side - 1));
}
static inline bool kst_node_is_active(const kst_rqt *r, kst_node v) {
    size_t bit = kst_node_bit(r, v);
    return kst_node_is_root(r, v) || (r->active[bit / 64] >> (bit % 64) & 1);
}
// Where a node stands in the region.
static inline kst_node kst_node_place(const kst_rqt *r, kst_node v) {
    if (v.i < r->x0) v.i = r->x0;
    if (v.i > r->x1) v.i = r->x1;
    if (v.j < r->z0) v.j = r->z0;
    if (v.j > r->z1) v.j = r->z1;
    return v;
}
// Sample at a place.
static inline size_t kst_place_at(const kst_rqt *r, kst_node p) {
    return (size_t)(p.j - r->from_z) * (size_t)r->columns + (size_t)(p.i - r->from_x);
}

// ---- rqt_rows.h, rqt_scan.c: the samples under a triangle ----------------------------------------------

// Whether any sample in the closed triangle of these places is farther than r->error from it, its corners on the data.
bool kst_rqt_exceeds(const kst_rqt *r, const kst_node place[3]);
// Holes under a triangle: 0 none, 1 some of it, 2 all of it.
int kst_rqt_holes(const kst_rqt *r, const kst_node place[3]);
// Largest distance of a sample in the closed triangle whose corners have these displacements (y, x, z).
double kst_rqt_distance(const kst_rqt *r, const kst_node place[3], const float corner[3][3]);
// The same for heights alone.
double kst_rqt_off(const kst_rqt *r, const kst_node place[3], const float height[3]);

// ---- rqt_net.c: the leaves as a mesh that can change ------------------------------------------------

enum { KST_NONE = -1 };

// Triangles and, for each of their corners, the next corner that stands at the same vertex.
typedef struct kst_net {
    const karst_allocator *allocator;
    uint32_t vertex_count, triangle_count;
    size_t vertex_room, triangle_room;
    kst_node *place;        // of a vertex
    float *height;          // of a vertex [m]
    int32_t *head;          // of a vertex: a corner, 3 * triangle + k, or KST_NONE
    uint32_t (*corner)[3];  // counter-clockwise from above; [0] is KST_GONE: no triangle any more
    int32_t (*next)[3];     // of a corner, or KST_NONE
    int32_t *vertex_at;     // of a sample, or KST_NONE
} kst_net;

#define KST_GONE UINT32_MAX

karst_status kst_net_open(kst_net *net, const kst_rqt *r);
void kst_net_close(kst_net *net, const kst_rqt *r);

// Room for more vertices and triangles; those that are there keep their numbers. @return KARST_ERROR_MEMORY
karst_status kst_net_reserve(kst_net *net, size_t more_vertices, size_t more_triangles);
// The vertex at a place, made on the data when there is none.
uint32_t kst_net_vertex(kst_net *net, const kst_rqt *r, kst_node place);
// Corners by vertex, for what follows. @return KARST_ERROR_MEMORY
karst_status kst_net_link(kst_net *net);
void kst_net_unlink(kst_net *net);
// The corners of a leaf, counter-clockwise from above; all are vertices of the net.
void kst_net_corners(const kst_net *net, const kst_rqt *r, const kst_half *t, uint32_t out[3]);
// The triangle with these corners in any order, or KST_NONE.
int32_t kst_net_find(const kst_net *net, const uint32_t v[3]);
// Put a triangle in the place of one that is gone, and take one away.
void kst_net_put(kst_net *net, uint32_t triangle, const uint32_t v[3]);
void kst_net_take(kst_net *net, uint32_t triangle);
// Close up over triangles and vertices that are gone; corners by vertex are lost.
void kst_net_pack(kst_net *net, const kst_rqt *r);

// ---- rqt_fit.c: heights of a few vertices that keep the error -------------------------------------------

enum { KST_FIT_UNKNOWNS = 64, KST_FIT_TRIANGLES = 256 };

typedef struct kst_fit_triangle {
    bool fresh;  // not one of the net
    uint32_t vertex[3];
    size_t first, count;  // samples, a multiple of the lanes
    float gx[3], gz[3];   // slope of the hat of each corner
} kst_fit_triangle;

typedef struct kst_fit {
    const kst_rqt *r;
    kst_net *net;
    int triangle_count, unknown_count;
    kst_fit_triangle triangle[KST_FIT_TRIANGLES];
    uint32_t unknown[KST_FIT_UNKNOWNS];  // vertices
    double move[KST_FIT_UNKNOWNS];       // found by the solvers [m]
    int32_t *unknown_of;                 // of a vertex: index, or KST_NONE
    uint32_t *seen, seen_now;            // of a triangle
    float *column, *row, *off;           // of a sample: place from corner 0, height over the plane
    size_t sample_count, sample_room;
    bool crowded;  // more triangles than there is room for, or than there is memory for
    bool short_of_memory;
    struct kst_fit_active {  // constraints that hold with equality, of kst_fit_solve
        double normal[KST_FIT_UNKNOWNS + 1][KST_FIT_UNKNOWNS], product[KST_FIT_UNKNOWNS][KST_FIT_UNKNOWNS];
        double lower[KST_FIT_UNKNOWNS][KST_FIT_UNKNOWNS], force[KST_FIT_UNKNOWNS + 1];
        int count;
    } active;
} kst_fit;

karst_status kst_fit_open(kst_fit *fit, const kst_rqt *r, kst_net *net);
void kst_fit_close(kst_fit *fit);

// A new problem: no triangles, no unknowns.
void kst_fit_begin(kst_fit *fit);
// Make the height of a vertex unknown, if there is room.
void kst_fit_free_vertex(kst_fit *fit, uint32_t vertex);
// Add a triangle that is none of the net yet.
void kst_fit_add(kst_fit *fit, const uint32_t vertex[3]);
// Never add this triangle of the net, as it is there already in another form.
void kst_fit_skip(kst_fit *fit, uint32_t triangle);
// Add what is missing of the triangles round the unknowns.
void kst_fit_add_stars(kst_fit *fit);
// Least moves of the unknowns that bring all samples within the error. False: there are none.
bool kst_fit_solve(kst_fit *fit);
// Make the moves, if every sample under the triangles then keeps the error in doubles; else change nothing.
bool kst_fit_accept(kst_fit *fit);

// ---- rqt_ring.c: borders that two regions share ----------------------------------------------------------

enum { KST_LEFT, KST_RIGHT, KST_TOP, KST_BOTTOM, KST_SIDES };

// Shared sides of a region. The outermost row of cells along them is not the tree's but a strip of its own, zipped
// between the tree's border and the vertices on the side, which depend on the side alone.
typedef struct kst_ring {
    kst_rqt *r;
    int32_t x0, z0, x1, z1;  // all of the region; r has the inside
    bool shared[KST_SIDES];
    const uint8_t *beyond[KST_SIDES];  // hole flags of the cells on the far side, by column or row from the first
    bool refit;
    bool *stands[KST_SIDES];   // of a place along a side: a vertex of the side stands there
    float *height[KST_SIDES];  // of those [m]
} kst_ring;

// Find the vertices of the shared sides, take the strip off the region of r and pin what it needs.
// @return KARST_ERROR_MEMORY
karst_status kst_ring_open(kst_ring *ring);
// Add the triangles of the strip to a finished net. @return KARST_ERROR_MEMORY
karst_status kst_ring_zip(kst_ring *ring, kst_net *net);
void kst_ring_close(kst_ring *ring);

// ---- rqt_refit.c: fewer vertices by other heights --------------------------------------------------------

// @return KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED
karst_status kst_rqt_refit(kst_rqt *r, kst_net *net, const karst_progress *progress);
