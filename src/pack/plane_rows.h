// SPDX-License-Identifier: MIT
// One row of predictions and tables, for one kind of lanes: V(name) and T are set by who includes this. 64 at a time.
//
// Predictions are means of the nearest two or four, plus weighted differences to them, in sixteenths. Three changes
// tell how large the residual is likely to be: the slope across, how far two ways of taking the mean disagree, and
// what the farther neighbours differ.

static inline void V(settle)(V(lanes) from, V(lanes) sixteenths, V(lanes) f1, V(lanes) f2, V(lanes) f3,
                             const uint16_t *activity, T *prediction, uint16_t *table) {
    V(store)(prediction, V(add)(from, V(sar)(V(add)(sixteenths, V(set)(8)), 4)));
    V(lanes) a = V(more)(V(expect)(f1, V(set)(activity[0])), V(expect)(f2, V(set)(activity[1])));
    V(store_class)(table, V(more)(a, V(expect)(f3, V(set)(activity[2]))));
}

#define SUM4(a, b, c, d) V(add)(V(add)(a, b), V(add)(c, d))
#define CHANGE4(a, b, c, d) V(more)(V(more)(V(change)(a), V(change)(b)), V(more)(V(change)(c), V(change)(d)))

// Centres of cells from the coarse row above, at `row`, and the one below.
static inline void V(centres)(const kst_plane_weights *weights, const T *row, T *prediction, uint16_t *table) {
    const T *above = row - KST_PLANE_STRIDE, *next = row + KST_PLANE_STRIDE, *below = next + KST_PLANE_STRIDE;
    V(lanes) w0 = V(set)(weights->weight[1][0]), w1 = V(set)(weights->weight[1][1]);
    for (int j = 0; j < KST_NODE_CELLS; j += V(count)) {
        V(lanes) x0 = V(load)(row + j), x1 = V(load)(row + j + 1), x2 = V(load)(next + j), x3 = V(load)(next + j + 1);
        V(lanes) d0 = V(sub)(V(load)(above + j), x0), d1 = V(sub)(V(load)(above + j + 1), x1);
        V(lanes) d2 = V(sub)(V(load)(below + j), x2), d3 = V(sub)(V(load)(below + j + 1), x3);
        V(lanes) d4 = V(sub)(V(load)(row + j - 1), x0), d5 = V(sub)(V(load)(row + j + 2), x1);
        V(lanes) d6 = V(sub)(V(load)(next + j - 1), x2), d7 = V(sub)(V(load)(next + j + 2), x3);
        V(lanes)
        far = SUM4(V(sub)(V(load)(above + j - 1), x0), V(sub)(V(load)(above + j + 2), x1),
                   V(sub)(V(load)(below + j - 1), x2), V(sub)(V(load)(below + j + 2), x3));
        V(lanes) e1 = V(sub)(x1, x0), e2 = V(sub)(x2, x0), e3 = V(sub)(x3, x0);
        V(lanes) near = V(add)(SUM4(d0, d1, d2, d3), SUM4(d4, d5, d6, d7));
        V(lanes) p = V(add)(V(shl)(V(add)(V(add)(e1, e2), e3), 2), V(add)(V(weigh)(near, 1, w0), V(weigh)(far, 2, w1)));
        V(lanes) f1 = V(more)(V(change)(e3), V(change)(V(sub)(x1, x2)));
        V(lanes) f2 = V(change)(V(sub)(e3, V(add)(e1, e2)));
        V(lanes) f3 = V(more)(CHANGE4(d0, d1, d2, d3), CHANGE4(d4, d5, d6, d7));
        V(settle)(x0, p, f1, f2, f3, weights->activity[1], prediction + j, table + j);
    }
}

// Middles between ends u, with centres v beside them; o and c are the next ends and centres outward. diagonal: the sum
// of the four nearest middles of the other direction, less twice u0 + u1.
static inline void V(middles)(const int16_t *weight, const uint16_t *activity, V(lanes) u0, V(lanes) u1, V(lanes) v0,
                              V(lanes) v1, V(lanes) o0, V(lanes) o1, V(lanes) o2, V(lanes) o3, V(lanes) c0, V(lanes) c1,
                              V(lanes) c2, V(lanes) c3, V(lanes) diagonal, T *prediction, uint16_t *table) {
    V(lanes) du = V(sub)(u1, u0), e = V(sub)(V(add)(v0, v1), V(add)(u0, u1));
    o0 = V(sub)(o0, u0), o1 = V(sub)(o1, u1), o2 = V(sub)(o2, u0), o3 = V(sub)(o3, u1);
    c0 = V(sub)(c0, v0), c1 = V(sub)(c1, v0), c2 = V(sub)(c2, v1), c3 = V(sub)(c3, v1);
    V(lanes)
    p = SUM4(V(shl)(du, 3), V(weigh)(e, 3, V(set)(weight[0])), V(weigh)(SUM4(o0, o1, o2, o3), 2, V(set)(weight[1])),
             V(weigh)(SUM4(c0, c1, c2, c3), 2, V(set)(weight[2])));
    p = V(add)(p, V(weigh)(diagonal, 2, V(set)(weight[3])));
    V(lanes) f3 = V(more)(CHANGE4(o0, o1, o2, o3), CHANGE4(c0, c1, c2, c3));
    V(settle)(u0, p, V(more)(V(change)(du), V(change)(V(sub)(v0, v1))), V(change)(e), f3, activity, prediction, table);
}

// Middles along a coarse row, which is at `row`; the centres below it at `centre`.
static inline void V(alongs)(const kst_plane_weights *weights, const T *row, const T *centre, T *prediction,
                             uint16_t *table) {
    const T *above = row - KST_PLANE_STRIDE, *below = row + KST_PLANE_STRIDE, *upper = centre - KST_PLANE_STRIDE;
    for (int j = 0; j < KST_NODE_CELLS; j += V(count)) V(middles)
    (weights->weight[2], weights->activity[2], V(load)(row + j), V(load)(row + j + 1), V(load)(upper + j),
     V(load)(centre + j), V(load)(above + j), V(load)(above + j + 1), V(load)(below + j), V(load)(below + j + 1),
     V(load)(upper + j - 1), V(load)(upper + j + 1), V(load)(centre + j - 1), V(load)(centre + j + 1), V(set)(0),
     prediction + j, table + j);
}

// Middles from a coarse row down to the next; centres and horizontal middles of the row at `centre`, `along`.
static inline void V(downs)(const kst_plane_weights *weights, const T *row, const T *centre, const T *along,
                            T *prediction, uint16_t *table) {
    const T *next = row + KST_PLANE_STRIDE, *upper = centre - KST_PLANE_STRIDE, *lower = centre + KST_PLANE_STRIDE;
    const T *beneath = along + KST_PLANE_STRIDE;
    for (int j = 0; j < KST_NODE_CELLS; j += V(count)) {
        V(lanes) u0 = V(load)(row + j), u1 = V(load)(next + j);
        V(lanes)
        diagonal = SUM4(V(sub)(V(load)(along + j - 1), u0), V(sub)(V(load)(along + j), u0),
                        V(sub)(V(load)(beneath + j - 1), u1), V(sub)(V(load)(beneath + j), u1));
        V(middles)
        (weights->weight[3], weights->activity[3], u0, u1, V(load)(centre + j - 1), V(load)(centre + j),
         V(load)(row + j - 1), V(load)(next + j - 1), V(load)(row + j + 1), V(load)(next + j + 1),
         V(load)(upper + j - 1), V(load)(lower + j - 1), V(load)(upper + j), V(load)(lower + j), diagonal,
         prediction + j, table + j);
    }
}

#undef SUM4
#undef CHANGE4
