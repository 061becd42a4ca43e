// SPDX-License-Identifier: MIT
// Seams: edges up to which a net takes the place of a field. Their rules, their pins, and what they enclose.
#include "karst/field.h"
#include "surface/net.h"

enum { CELLS = KST_SEAM_CELLS };

#define PLACE_FORMAT "%.1f, %.1f, %.1f"
#define PLACE(net, at) kst_net_world(net, at, 0), kst_net_world(net, at, 1), kst_net_world(net, at, 2)

// ---- rules --------------------------------------------------------------------------------------------------

void kst_seam_vertex(int seam, int32_t column, int32_t row, int k, int32_t out[2]) {
    out[0] = column + (seam == 1 ? k : seam == 3 ? -k : 0);
    out[1] = row + (seam == 2 ? k : seam == 4 ? -k : 0);
}

bool kst_seam_is_good(const kst_seam_rule *rule, char what[KST_SEAM_TEXT]) {
    int32_t from[2] = {rule->column, rule->row}, to[2] = {0, 0};
    bool inside = true;
    for (int axis = 0; axis < 2; ++axis) inside &= from[axis] >= 0 && from[axis] < KARST_FIELD_MAX_SIDE;
    if (inside) kst_seam_vertex(rule->seam, from[0], from[1], rule->tiles, to);
    int along = rule->seam & 1 ? 0 : 1, low = from[along] < to[along] ? from[along] : to[along];
    if (rule->seam < 1 || rule->seam > 4)
        snprintf(what, KST_SEAM_TEXT, "has a seam of way %d; ways are 1 (x+), 2 (z+), 3 (x-) and 4 (z-)", rule->seam);
    else if (rule->open != 0xFF)
        snprintf(what, KST_SEAM_TEXT,
                 "is a seam and not open all along; give the other patch an edge of its own, or make it no seam");
    else if (rule->noise & 15)
        snprintf(what, KST_SEAM_TEXT, "is a seam with displacement map %d; seams are flat: give it map 0",
                 rule->noise & 15);
    else if (rule->tiles > CELLS)
        snprintf(what, KST_SEAM_TEXT, "is a seam of %d tiles; 2 to %d are possible: cut its patches", rule->tiles,
                 CELLS);
    else if (!inside || low < 0 || low % rule->tiles || from[!along] % CELLS)
        snprintf(
            what, KST_SEAM_TEXT,
            "is a seam of %d tiles from vertex %d, %d of a field; seams lie at multiples of %d and begin and end at "
            "multiples of their tiles: fit again",
            rule->tiles, from[0], from[1], CELLS);
    else
        return true;
    return false;
}

static bool same(const int32_t a[2], const int32_t b[2]) {
    return a[0] == b[0] && a[1] == b[1];
}

// Seams that end at one corner do so at one vertex. `vertex`: of corners, -1: none yet.
static karst_status check_end(const karst_net *net, int32_t edge, int end, int32_t (*vertex)[2], karst_report *report) {
    const karst_net_edge *e = &net->edges[edge];
    int32_t at[2], corner = e->corner[end], *seen = vertex[corner];
    const karst_net_corner *c = &net->corners[corner];
    kst_seam_vertex(e->seam, e->column, e->row, end ? e->tiles : 0, at);
    if (c->edge != KARST_NET_NONE)
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "edge %d is a seam and ends at " PLACE_FORMAT
                        " inside edge %d; give it a corner that stands alone",
                        edge, PLACE(net, c->at), c->edge);
    if (c->noise)
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "corner %d at " PLACE_FORMAT
                        " is on a seam and has a displacement of its own; seams are flat: set it to 0",
                        corner, PLACE(net, c->at));
    if (seen[0] >= 0 && !same(seen, at))
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "edge %d is a seam and ends at " PLACE_FORMAT
                        " at vertex %d, %d of a field, another one there at %d, %d; give both the same",
                        edge, PLACE(net, c->at), at[0], at[1], seen[0], seen[1]);
    seen[0] = at[0], seen[1] = at[1];
    return KARST_OK;
}

karst_status kst_net_check_seams(const karst_net *net, karst_report *report) {
    size_t corners = (size_t)net->corner_count + 1;
    int32_t(*vertex)[2] = NULL;
    karst_status status = KARST_OK;
    for (int32_t k = 0; k < net->edge_count && !status; ++k) {
        const karst_net_edge *e = &net->edges[k];
        char what[KST_SEAM_TEXT];
        if (!e->seam) continue;
        if (!vertex) {
            vertex = kst_alloc_array(net->allocator, corners, sizeof *vertex);
            if (!vertex) return KARST_ERROR_MEMORY;
            memset(vertex, 0xFF, corners * sizeof *vertex);
        }
        if (!kst_seam_is_good(&(kst_seam_rule){e->seam, e->tiles, e->open, e->noise, e->column, e->row}, what))
            status = kst_fail(report, KARST_ERROR_FORMAT, "edge %d at " PLACE_FORMAT " %s", k,
                              PLACE(net, net->corners[e->corner[0]].at), what);
        for (int end = 0; end < 2 && !status; ++end) status = check_end(net, k, end, vertex, report);
    }
    kst_free(net->allocator, vertex, corners * sizeof *vertex);
    return status;
}

// ---- pins -----------------------------------------------------------------------------------------------------

double kst_pin_off_m(const int32_t edge[4][3], int k, int tiles, const int32_t pin[3], int step_log2) {
    karst_vec3 c[4];
    for (int i = 0; i < 4; ++i)
        c[i] = (karst_vec3){(float)(edge[i][0] - edge[0][0]), (float)(edge[i][1] - edge[0][1]),
                            (float)(edge[i][2] - edge[0][2])};
    karst_vec3 at = kst_curve(c, (float)k / (float)tiles);
    double d[3] = {(double)at.x, (double)at.y, (double)at.z}, d2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
        d[axis] = (double)pin[axis] / KARST_NET_FINE - edge[0][axis] - d[axis];
        d2 += d[axis] * d[axis];
    }
    return sqrt(d2) * ldexp(1, step_log2);
}

static karst_status pin_edge(karst_net *net, int32_t edge, karst_pin_fn *fn, void *context, karst_report *report) {
    const karst_net_edge *e = &net->edges[edge];
    int32_t points[4][3];
    kst_net_edge_points(net, edge, points);
    for (int k = 0; k <= e->tiles; ++k) {
        int32_t vertex[2], *pin = net->pins[e->pin + k];
        kst_seam_vertex(e->seam, e->column, e->row, k, vertex);
        if (!fn(context, vertex[0], vertex[1], pin))
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "edge %d at " PLACE_FORMAT
                            " is a seam at vertex %d, %d, which the field does not have; fit the net again",
                            edge, PLACE(net, points[0]), vertex[0], vertex[1]);
        double off = kst_pin_off_m((const int32_t(*)[3])points, k, e->tiles, pin, net->step_log2);
        if (!(off <= 1))
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "edge %d at " PLACE_FORMAT
                            " is a seam and lies %.2f m from vertex %d, %d of the field; 1 m is the most: let the net "
                            "follow the field (karst patch follow), or fit again "
                            "there",
                            edge, PLACE(net, points[0]), off, vertex[0], vertex[1]);
    }
    return KARST_OK;
}

karst_status karst_net_pin(karst_net *net, karst_pin_fn *fn, void *context, karst_report *report) {
    KARST_ASSERT(net->finished);
    int64_t count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k)
        if (net->edges[k].seam) count += net->edges[k].tiles + 1;
    if (count > KARST_NET_MAX) {
        (void)kst_net_pins(net, 0);
        return kst_fail(report, KARST_ERROR_LIMIT, "%lld vertices of the field lie on seams; 2^24 are the most",
                        (long long)count);
    }
    karst_status status = kst_net_pins(net, (int32_t)count);
    for (int32_t k = 0, at = 0; k < net->edge_count && !status; ++k) {
        karst_net_edge *e = &net->edges[k];
        if (!e->seam) continue;
        e->pin = at, at += e->tiles + 1;
        status = pin_edge(net, k, fn, context, report);
    }
    if (status) (void)kst_net_pins(net, 0);
    return status;
}

// ---- what they enclose ----------------------------------------------------------------------------------------

// The borders of a field's patches. Lattice point (i, j) is vertex (16 i, 16 j); a bit a cell of the border that begins
// there along x and along z, and whether the net lies on its side of growing z or x.
typedef struct borders {
    const karst_net *net;
    int32_t across, down;  // lattice points
    struct {
        uint16_t cells[2], beyond[2];
    } * at;
    karst_report *report;
} borders;

static karst_status fail_at(const borders *b, int32_t column, int32_t row, const char *what) {
    return kst_fail(b->report, KARST_ERROR_FORMAT, "the seam at vertex %d, %d of the field %s", column, row, what);
}

// Part [from, to] of a seam, whose patch lies to the right of its way as seen from above when `right`.
static karst_status add_part(const borders *b, const karst_net_edge *e, int from, int to, bool right) {
    int32_t p[2], q[2];
    kst_seam_vertex(e->seam, e->column, e->row, from, p), kst_seam_vertex(e->seam, e->column, e->row, to, q);
    int axis = e->seam & 1 ? 0 : 1;
    int32_t low[2] = {p[0] < q[0] ? p[0] : q[0], p[1] < q[1] ? p[1] : q[1]}, i = low[0] / CELLS, j = low[1] / CELLS;
    int32_t last = (low[axis] + (to - from) - 1) / CELLS;
    if (last + 1 >= (axis ? b->down : b->across) || i >= b->across || j >= b->down)
        return fail_at(b, low[0], low[1], "lies outside of it; fit the net again");
    uint16_t bits = (uint16_t)(((1u << (to - from)) - 1) << low[axis] % CELLS);
    uint16_t *cells = &b->at[j * (size_t)b->across + (size_t)i].cells[axis];
    if (*cells & bits)
        return fail_at(b, low[0], low[1], "is there twice; weld the net (karst patch weld), or remove one of the two");
    *cells |= bits;
    // To the right of x+ lies z+, of z+ x-, of x- z-, of z- x+.
    if (right == (e->seam == 1 || e->seam == 4)) b->at[j * (size_t)b->across + (size_t)i].beyond[axis] |= bits;
    return KARST_OK;
}

static karst_status add_seams(const borders *b) {
    for (int32_t k = 0; k < b->net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *s = &b->net->patches[k].side[side];
            const karst_net_edge *e = &b->net->edges[s->edge];
            if (!e->seam) continue;
            int low = s->from < s->to ? s->from : s->to, high = s->from < s->to ? s->to : s->from;
            bool back = (s->from > s->to) != (side >= 2);
            karst_status status = add_part(b, e, low * e->tiles / 8, high * e->tiles / 8, !back);
            if (status) return status;
        }
    return KARST_OK;
}

// All or nothing of each border, an even number of them at each lattice point.
static karst_status check_rings(const borders *b) {
    for (int32_t j = 0; j < b->down; ++j)
        for (int32_t i = 0; i < b->across; ++i) {
            size_t at = j * (size_t)b->across + (size_t)i;
            int meet = 0;
            for (int axis = 0; axis < 2; ++axis) {
                uint16_t cells = b->at[at].cells[axis], beyond = b->at[at].beyond[axis];
                if (cells && cells != 0xFFFF)
                    return fail_at(b, CELLS * i, CELLS * j,
                                   "takes part of the side of a patch of the field; seams take whole sides: fit again");
                if (beyond && beyond != cells)
                    return fail_at(b, CELLS * i, CELLS * j,
                                   "has patches on both sides in turn; weld the net, or fit again");
                meet += cells != 0;
            }
            meet += i > 0 && b->at[at - 1].cells[0], meet += j > 0 && b->at[at - (size_t)b->across].cells[1];
            if (meet % 2)
                return fail_at(b, CELLS * i, CELLS * j,
                               "ends there; seams are closed rings: the net has a hole or was taken apart there");
        }
    return KARST_OK;
}

// Which patches lie inside, by how often a row from the left meets seams; the net has to be on that side.
static karst_status fill_rings(const borders *b, int32_t columns, int32_t rows, uint8_t *patches) {
    for (int32_t j = 0; j < rows; ++j)
        for (int32_t i = 0, inside = 0; i < columns; ++i) {
            inside ^= j + 1 < b->down && i < b->across && b->at[j * (size_t)b->across + (size_t)i].cells[1] != 0;
            patches[j * (size_t)columns + (size_t)i] = (uint8_t)inside;
        }
    for (int32_t j = 0; j < b->down; ++j)
        for (int32_t i = 0; i < b->across; ++i)
            for (int axis = 0; axis < 2; ++axis) {
                size_t at = j * (size_t)b->across + (size_t)i;
                if (!b->at[at].cells[axis]) continue;
                bool own = i < columns && j < rows && patches[j * (size_t)columns + (size_t)i];
                if (own != (b->at[at].beyond[axis] != 0))
                    return fail_at(
                        b, CELLS * i, CELLS * j,
                        "has its patch on the outer side of its ring, or shows its lower side; turn the patch "
                        "over, or fit again");
            }
    return KARST_OK;
}

karst_status karst_net_replaced(const karst_net *net, int32_t columns, int32_t rows, uint8_t *patches,
                                karst_report *report) {
    KARST_ASSERT(net->finished && columns >= 2 && rows >= 2);
    borders b = {net, (columns - 1) / CELLS + 1, (rows - 1) / CELLS + 1, NULL, report};
    int32_t across = (columns - 1 + CELLS - 1) / CELLS, down = (rows - 1 + CELLS - 1) / CELLS;
    size_t count = (size_t)b.across * (size_t)b.down;
    memset(patches, 0, (size_t)across * (size_t)down);
    bool any = false;
    for (int32_t k = 0; k < net->edge_count; ++k) any |= net->edges[k].seam != 0;
    if (!any) return KARST_OK;
    b.at = kst_alloc_zero(net->allocator, count * sizeof *b.at);
    if (!b.at) return KARST_ERROR_MEMORY;
    karst_status status = add_seams(&b);
    if (!status) status = check_rings(&b);
    if (!status) status = fill_rings(&b, across, down, patches);
    kst_free(net->allocator, b.at, count * sizeof *b.at);
    return status;
}
