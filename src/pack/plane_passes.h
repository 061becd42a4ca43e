// SPDX-License-Identifier: MIT
// The passes inside a node, for one kind of lanes (see plane_body.h).

// Middles of the edges into the grids, before the passes that lean on them.
static void V(place_edges)(kst_plane *p) {
    for (int j = 0; j < KST_NODE_CELLS; ++j) {
        GRID(p).along[0][KST_PLANE_LEFT + j] = (T)((uint32_t)p->middle[0][j] - (uint32_t)BASE(p));
        GRID(p).along[KST_NODE_CELLS][KST_PLANE_LEFT + j] = (T)((uint32_t)p->middle[1][j] - (uint32_t)BASE(p));
        GRID(p).down[j][KST_PLANE_LEFT] = (T)((uint32_t)p->middle[2][j] - (uint32_t)BASE(p));
        GRID(p).down[j][KST_PLANE_LEFT + KST_NODE_CELLS] = (T)((uint32_t)p->middle[3][j] - (uint32_t)BASE(p));
    }
}

static inline T V(beyond)(T edge, T inside) {
    return (T)(2 * (uint32_t)edge - (uint32_t)inside);
}

static inline __attribute__((always_inline)) void V(do_row)(const passing *q, const int32_t *target, int row,
                                                            const T *prediction, uint16_t *table, T *value) {
    leave_known(q->p, row, table);
    if (q->reading)
        V(read_row)(q->reading, prediction, table, q->p->weights.unit, value);
    else
        WRITE_ROW(q, target, prediction, table, row, value);
}

#define TABLE(q, own, row) ((q)->reading ? (own) : (q)->out->table + (row)*KST_RANS_ROW)

static inline __attribute__((always_inline)) void V(centre_pass)(const passing *q) {
    kst_plane *p = q->p;
    for (int i = 0; i < KST_NODE_CELLS; ++i) {
        T prediction[KST_NODE_CELLS], *value = GRID(p).centre[i + 1] + KST_PLANE_LEFT;
        uint16_t own[KST_RANS_ROW], *table = TABLE(q, own, KST_ROW_CENTRE + i);
        V(centres)(&p->weights, GRID(p).coarse[i + 1] + KST_PLANE_LEFT, prediction, table);
        V(do_row)(q, q->target ? q->target->centre[i] : NULL, KST_ROW_CENTRE + i, prediction, table, value);
        value[-1] = V(beyond)(GRID(p).down[i][KST_PLANE_LEFT], value[0]);
        value[KST_NODE_CELLS] = V(beyond)(GRID(p).down[i][KST_PLANE_LEFT + KST_NODE_CELLS], value[KST_NODE_CELLS - 1]);
    }
    const T *top = GRID(p).along[0] + KST_PLANE_LEFT, *bottom = GRID(p).along[KST_NODE_CELLS] + KST_PLANE_LEFT;
    T *above = GRID(p).centre[0] + KST_PLANE_LEFT, *below = GRID(p).centre[KST_NODE_CELLS + 1] + KST_PLANE_LEFT;
    for (int j = 0; j < KST_NODE_CELLS; ++j) {
        above[j] = V(beyond)(top[j], above[j + KST_PLANE_STRIDE]);
        below[j] = V(beyond)(bottom[j], below[j - KST_PLANE_STRIDE]);
    }
}

static inline __attribute__((always_inline)) void V(along_pass)(const passing *q) {
    kst_plane *p = q->p;
    for (int i = 1; i < KST_NODE_CELLS; ++i) {
        T prediction[KST_NODE_CELLS];
        uint16_t own[KST_RANS_ROW], *table = TABLE(q, own, KST_ROW_ALONG + i - 1);
        V(alongs)
        (&p->weights, GRID(p).coarse[i + 1] + KST_PLANE_LEFT, GRID(p).centre[i + 1] + KST_PLANE_LEFT, prediction,
         table);
        V(do_row)
        (q, q->target ? q->target->along[i] : NULL, KST_ROW_ALONG + i - 1, prediction, table,
         GRID(p).along[i] + KST_PLANE_LEFT);
    }
}

static inline __attribute__((always_inline)) void V(down_pass)(const passing *q) {
    kst_plane *p = q->p;
    for (int i = 0; i < KST_NODE_CELLS; ++i) {
        T prediction[KST_NODE_CELLS], *value = GRID(p).down[i] + KST_PLANE_LEFT, left = value[0];
        uint16_t own[KST_RANS_ROW], *table = TABLE(q, own, KST_ROW_DOWN + i);
        V(downs)
        (&p->weights, GRID(p).coarse[i + 1] + KST_PLANE_LEFT, GRID(p).centre[i + 1] + KST_PLANE_LEFT,
         GRID(p).along[i] + KST_PLANE_LEFT, prediction, table);
        table[0] = KST_RANS_NOTHING;
        V(do_row)(q, q->target ? q->target->down[i] : NULL, KST_ROW_DOWN + i, prediction, table, value);
        value[0] = left;
    }
}

#undef TABLE
