// SPDX-License-Identifier: MIT
// The rules of a zone's data, in the order in which they can be told: ranges, what is inside what, then patches
// against the edges that they use. What passes can be built and drawn without a further look.
#include "surface/net.h"

enum { FAR_STEPS = 1 << 26, ROOM_STEPS = KARST_ZONE_SIDE_M << 12 };

// "zone 3, -1: ..." with the status of bad bytes.
#define FAIL(data, ...) fail_in(data, report, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) static karst_status fail_in(const kst_zone_data *data, karst_report *report,
                                                                  const char *format, ...) {
    char line[KARST_REPORT_BYTES - 40];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    return kst_fail(report, KARST_ERROR_FORMAT, "zone %d, %d: %s", data->zone_x, data->zone_z, line);
}

// Place of a corner from the net's origin [m], for messages.
#define PLACE_FORMAT "%.1f, %.1f, %.1f m"
static double place(const kst_zone_data *data, uint32_t corner, int axis) {
    return ldexp((double)data->bias[axis] + data->corners[corner].at[axis], data->step_log2);
}
#define PLACE(data, corner) place(data, corner, 0), place(data, corner, 1), place(data, corner, 2)

karst_status kst_zone_bias(kst_zone_data *data, int32_t up_m, karst_report *report) {
    if (data->step_log2 < -12 || data->step_log2 > -4)
        return FAIL(data, "its step is 2^%d m; steps are 2^-12 to 2^-4: cut it again", data->step_log2);
    int64_t steps = (int64_t)1 << -data->step_log2, half = KARST_ZONE_SIDE_M / 2 * steps;
    int64_t bias[3] = {(2 * (int64_t)data->zone_x + 1) * half, up_m * steps, (2 * (int64_t)data->zone_z + 1) * half};
    for (int axis = 0; axis < 3; ++axis) {
        if (bias[axis] > FAR_STEPS + ROOM_STEPS || bias[axis] < -(FAR_STEPS + ROOM_STEPS))
            return FAIL(data, "its middle lies more than 2^26 steps from the net's origin; give the net a larger step");
        data->bias[axis] = (int32_t)bias[axis];
    }
    return KARST_OK;
}

static karst_status check_head(const kst_zone_data *data, karst_report *report) {
    kst_zone_data cell = *data;
    if (data->step_log2 < -12 || data->step_log2 > -4) return kst_zone_bias(&cell, 0, report);
    karst_status status = kst_zone_bias(&cell, data->bias[1] / (1 << -data->step_log2), report);
    if (!status && memcmp(cell.bias, data->bias, sizeof cell.bias))
        status = FAIL(data, "its bias is not the middle of its cell at a whole metre; cut it again");
    if (!status && (data->corner_count > UINT16_MAX || data->edge_count > UINT16_MAX || data->patch_count > UINT16_MAX))
        status = FAIL(data, "%u corners, %u edges and %u patches; 65535 of each are the most: use larger patches",
                      data->corner_count, data->edge_count, data->patch_count);
    return status;
}

static karst_status check_corners(const kst_zone_data *data, karst_report *report) {
    for (uint32_t k = 0; k < data->corner_count; ++k)
        if (data->corners[k].radius > data->reach)
            return FAIL(data,
                        "corner %u at " PLACE_FORMAT
                        " has a radius of %.2f m, above the net's reach of %.2f m; finish the net again",
                        k, PLACE(data, k), 0.25 * data->corners[k].radius, 0.25 * data->reach);
    return KARST_OK;
}

static karst_status check_edge(const kst_zone_data *data, uint32_t k, uint32_t inside, karst_report *report) {
    const kst_edge_data *e = &data->edges[k];
    for (int end = 0; end < 2; ++end)
        if (e->corner[end] >= data->corner_count)
            return FAIL(data, "edge %u ends at corner %d, there are %u; cut the zone again", k, e->corner[end],
                        data->corner_count);
    uint32_t at = e->corner[0];
    if (e->corner[0] == e->corner[1])
        return FAIL(data, "edge %u runs from the corner at " PLACE_FORMAT " to itself; put one half way round", k,
                    PLACE(data, at));
    if (e->noise >= KARST_NOISE_SLOTS * KARST_NOISE_SETS)
        return FAIL(data, "edge %u at " PLACE_FORMAT " has displacement map %d; there are %d: choose one of them", k,
                    PLACE(data, at), e->noise, KARST_NOISE_SLOTS * KARST_NOISE_SETS);
    if (e->spans_log2 > 3 || e->tiles < 2 || e->tiles > 128 || e->tiles & (e->tiles - 1))
        return FAIL(data,
                    "edge %u at " PLACE_FORMAT " has %d tiles in 2^%d parts; tiles are 2, 4 ... 128, parts 1 to 8", k,
                    PLACE(data, at), e->tiles, e->spans_log2);
    if (e->tiles < 2 << e->spans_log2)
        return FAIL(data, "edge %u at " PLACE_FORMAT " has %d tiles for %d parts; each needs two: give it more tiles",
                    k, PLACE(data, at), e->tiles, 1 << e->spans_log2);
    if (e->size[0] >= KARST_NET_SIZES || e->size[1] >= KARST_NET_SIZES || e->size[0] > e->size[1])
        return FAIL(data,
                    "edge %u at " PLACE_FORMAT
                    " has tiles of class %d to %d; classes rise from 0 to %d: finish the net again",
                    k, PLACE(data, at), e->size[0], e->size[1], KARST_NET_SIZES - 1);
    int per = 8 >> e->spans_log2, mask = (1 << per) - 1;
    for (int i = 0; i < 8; i += per)
        if ((e->open >> i & mask) && (e->open >> i & mask) != mask)
            return FAIL(data, "edge %u at " PLACE_FORMAT " is open in half a part (%02x); finish the net again", k,
                        PLACE(data, at), e->open);
    if (e->inside != inside || inside + (1u << e->spans_log2) - 1 > data->inside_count)
        return FAIL(data, "edge %u names its inner corners from %u, they begin at %u of %u; cut the zone again", k,
                    e->inside, inside, data->inside_count);
    return KARST_OK;
}

// A corner lies inside one edge at most, and no edge ends at one inside it. `owner`: 1 +
// the edge.
static karst_status check_inside(const kst_zone_data *data, uint32_t k, uint32_t *owner, karst_report *report) {
    const kst_edge_data *e = &data->edges[k];
    for (uint32_t i = 0; i < (1u << e->spans_log2) - 1; ++i) {
        uint16_t corner = data->inside[e->inside + i];
        if (corner >= data->corner_count)
            return FAIL(data, "edge %u has corner %d inside, there are %u; cut the zone again", k, corner,
                        data->corner_count);
        if (owner[corner])
            return FAIL(data,
                        "corner %d at " PLACE_FORMAT " lies inside edges %u and %u; give each a corner of its own",
                        corner, PLACE(data, corner), owner[corner] - 1, k);
        owner[corner] = k + 1;
    }
    for (int end = 0; end < 2; ++end)
        if (owner[e->corner[end]] == k + 1)
            return FAIL(data,
                        "edge %u ends at corner %d at " PLACE_FORMAT ", which lies inside it; give it another end", k,
                        e->corner[end], PLACE(data, e->corner[end]));
    return KARST_OK;
}

// Corners inside an edge lie at the steps nearest to it.
static karst_status check_places(const kst_zone_data *data, uint32_t k, karst_report *report) {
    const kst_edge_data *e = &data->edges[k];
    int32_t edge[4][3], at[3];
    kst_edge_points(data, e, edge);
    for (int i = 1; i < 1 << e->spans_log2; ++i) {
        uint16_t corner = data->inside[e->inside + (uint32_t)i - 1];
        kst_edge_eighth((const int32_t(*)[3])edge, i * (8 >> e->spans_log2), at);
        for (int axis = 0; axis < 3; ++axis)
            if (at[axis] != data->corners[corner].at[axis])
                return FAIL(data,
                            "corner %d at " PLACE_FORMAT
                            " lies beside edge %u, which it is inside of; finish the net "
                            "again",
                            corner, PLACE(data, corner), k);
    }
    return KARST_OK;
}

// Sides against the edges that they lie on; `used`: eighths that a patch has on each side of an edge.
static karst_status check_side(const kst_zone_data *data, uint32_t k, int side, uint8_t (*used)[2],
                               karst_report *report) {
    const kst_patch_data *p = &data->patches[k];
    int from = p->side[side].from, to = p->side[side].to, length = from < to ? to - from : from - to;
    if (p->side[side].edge >= data->edge_count)
        return FAIL(data, "patch %u, side %d is on edge %d, there are %u; cut the zone again", k, side,
                    p->side[side].edge, data->edge_count);
    const kst_edge_data *e = &data->edges[p->side[side].edge];
    uint32_t at = e->corner[0];
    bool whole = length == 1 || length == 2 || length == 4 || length == 8;
    if (from > 8 || to > 8 || !whole || from % length)
        return FAIL(data,
                    "patch %u, side %d takes eighths %d to %d of the edge at " PLACE_FORMAT
                    "; a half, quarter or eighth begins at a multiple of itself",
                    k, side, from, to, PLACE(data, at));
    int least = p->tiles_log2[0] < p->tiles_log2[1] ? p->tiles_log2[0] : p->tiles_log2[1];
    int own = p->tiles_log2[side & 1], parts = 8 / length;
    if (parts << own != e->tiles)
        return FAIL(data,
                    "patch %u, side %d puts %d tiles along the edge at " PLACE_FORMAT
                    ", which has %d; give both sides of it the same number",
                    k, side, parts << own, PLACE(data, at), e->tiles);
    if (parts << (own - least) > 1 << e->spans_log2)
        return FAIL(data,
                    "patch %u, side %d cuts the edge at " PLACE_FORMAT
                    " into %d, which has %d parts; finish the net "
                    "again",
                    k, side, PLACE(data, at), parts << (own - least), 1 << e->spans_log2);
    if (p->size < e->size[0] || p->size > e->size[1])
        return FAIL(data,
                    "patch %u has tiles of class %d, the edge at " PLACE_FORMAT " says %d to %d; finish the net again",
                    k, p->size, PLACE(data, at), e->size[0], e->size[1]);
    int back = (from > to) != (side >= 2), low = from < to ? from : to;
    uint8_t bits = (uint8_t)(((1 << length) - 1) << low), (*both)[2] = &used[p->side[side].edge];
    if ((*both)[back] & bits)
        return FAIL(data,
                    "patch %u, side %d: the edge at " PLACE_FORMAT
                    " has a patch on that side already; turn one of them "
                    "over, or give it an edge of its own",
                    k, side, PLACE(data, at));
    (*both)[back] |= bits;
    if ((*both)[0] & (*both)[1] & e->open)
        return FAIL(data,
                    "patch %u, side %d: the edge at " PLACE_FORMAT
                    " is said to be open there and has patches on both sides; finish the net again",
                    k, side, PLACE(data, at));
    return KARST_OK;
}

static uint16_t side_end(const kst_zone_data *data, const kst_patch_data *p, int side, bool end) {
    return kst_edge_corner(data, &data->edges[p->side[side].edge], end ? p->side[side].to : p->side[side].from);
}

static karst_status check_patch(const kst_zone_data *data, uint32_t k, uint8_t (*used)[2], karst_report *report) {
    static const struct { int a, a_end, b, b_end; } meet[4] = {{0, 0, 3, 0}, {0, 1, 1, 0}, {1, 1, 2, 1}, {2, 0, 3, 1}};
    const kst_patch_data *p = &data->patches[k];
    int s = p->tiles_log2[0], t = p->tiles_log2[1];
    if (s < 1 || s > 4 || t < 1 || t > 4)
        return FAIL(data, "patch %u has 2^%d by 2^%d tiles; each is 2, 4, 8 or 16", k, s, t);
    if (p->noise_set >= KARST_NOISE_SETS || p->noise_turn > 3 || p->size >= KARST_NET_SIZES)
        return FAIL(data,
                    "patch %u has noise set %d turned by %d and tiles of class %d; sets are 0 to %d, turns 0 to 3, "
                    "classes 0 to %d",
                    k, p->noise_set, p->noise_turn, p->size, KARST_NOISE_SETS - 1, KARST_NET_SIZES - 1);
    for (int i = 0; i < KARST_TILE_CORNERS; ++i)
        if (p->set[i] >= KARST_NOISE_SETS)
            return FAIL(data, "patch %u, tile corner %d, %d: tile set %d; sets are 0 to %d", k, i % 17, i / 17,
                        p->set[i], KARST_NOISE_SETS - 1);
    for (int i = 0; i < KARST_NET_TILES_MAX * KARST_NET_TILES_MAX; ++i)
        if (p->slot[i] >= KARST_NOISE_SLOTS)
            return FAIL(data, "patch %u, tile %d, %d: displacement map %d; slots are 0 to %d", k,
                        i % KARST_NET_TILES_MAX, i / KARST_NET_TILES_MAX, p->slot[i], KARST_NOISE_SLOTS - 1);
    for (int i = 0; i < KARST_NET_TILES_MAX * KARST_NET_TILES_MAX; ++i)
        if (p->group[i] >= KARST_TILE_GROUPS)
            return FAIL(data, "patch %u, tile %d, %d: tile group %d; groups are 0 to %d", k, i % KARST_NET_TILES_MAX,
                        i / KARST_NET_TILES_MAX, p->group[i], KARST_TILE_GROUPS - 1);
    karst_status status = KARST_OK;
    for (int side = 0; side < 4 && !status; ++side) status = check_side(data, k, side, used, report);
    for (int i = 0; i < 4 && !status; ++i) {
        uint16_t x = side_end(data, p, meet[i].a, meet[i].a_end), y = side_end(data, p, meet[i].b, meet[i].b_end);
        if (x != y)
            status = FAIL(
                data, "patch %u: sides %d and %d end at corners %d and %d, " PLACE_FORMAT "; they should meet in one",
                k, meet[i].a, meet[i].b, x, y, PLACE(data, x));
    }
    return status;
}

// Levels trust that pieces lie within twice the radius of their corners, and tiles are of their class.
static karst_status check_size(const kst_zone_data *data, uint32_t k, karst_report *report) {
    const kst_patch_data *p = &data->patches[k];
    int32_t side[4][4][3], inner[4][3], points[16][3];
    karst_vec3 c[16];
    for (int i = 0; i < 4; ++i) {
        int32_t edge[4][3];
        kst_edge_points(data, &data->edges[p->side[i].edge], edge);
        kst_side_points((const int32_t(*)[3])edge, p->side[i].from, p->side[i].to, side[i]);
        for (int axis = 0; axis < 3; ++axis) inner[i][axis] = p->inner[i][axis];
    }
    kst_patch_points((const int32_t(*)[4][3])side, (const int32_t(*)[3])inner, points);
    kst_points_local((const int32_t(*)[3])points, c);
    uint8_t size;
    double radius = kst_patch_radius(c, p->tiles_log2, data->step_log2, &size);
    if (size != p->size)
        return FAIL(data, "patch %u at " PLACE_FORMAT " has tiles of class %d and says %d; finish the net again", k,
                    PLACE(data, side_end(data, p, 0, false)), size, p->size);
    for (int i = 0; i < 4; ++i) {
        int per = 8 >> data->edges[p->side[i].edge].spans_log2, from = p->side[i].from, to = p->side[i].to;
        for (int at = from < to ? from : to; at <= (from < to ? to : from); at += per) {
            uint16_t corner = kst_edge_corner(data, &data->edges[p->side[i].edge], at);
            if (radius > data->corners[corner].radius)
                return FAIL(data,
                            "corner %d at " PLACE_FORMAT
                            " has a radius of %.2f m, patch %u round it needs %.2f m; finish the net again",
                            corner, PLACE(data, corner), 0.25 * data->corners[corner].radius, k, 0.25 * radius);
        }
    }
    return KARST_OK;
}

// What the levels of two grounds rest on: pins within a metre of where a corner or a curve has them.
static karst_status check_pin(const kst_zone_data *data, const int32_t edge[4][3], int k, int tiles,
                              const int32_t pin[3], uint32_t corner, karst_report *report) {
    double off = kst_pin_off_m(edge, k, tiles, pin, data->step_log2);
    if (off <= 1) return KARST_OK;
    return FAIL(data,
                "a pin of the seam at " PLACE_FORMAT
                " lies %.2f m beside it, 1 m is the most; fit and bake the net again",
                PLACE(data, corner), off);
}

static karst_status check_pinned(const kst_zone_data *data, uint32_t k, const uint32_t *owner, karst_report *report) {
    const kst_corner_data *c = &data->corners[k];
    int32_t point[4][3];
    if (!c->pinned) return KARST_OK;
    if (owner[k] || c->noise)
        return FAIL(data, "corner %u at " PLACE_FORMAT " has a pin and %s; bake the net again", k, PLACE(data, k),
                    owner[k] ? "lies inside an edge" : "a displacement of its own");
    for (int i = 0; i < 4; ++i)
        for (int axis = 0; axis < 3; ++axis) point[i][axis] = c->at[axis];
    return check_pin(data, (const int32_t(*)[3])point, 0, 1, c->pin, k, report);
}

// `vertex`: where seams end at corners, -1: none yet.
static karst_status check_seam(const kst_zone_data *data, uint32_t k, uint32_t *pins, int32_t (*vertex)[2],
                               karst_report *report) {
    const kst_edge_data *e = &data->edges[k];
    char what[KST_SEAM_TEXT];
    int32_t points[4][3];
    if (!e->seam) return KARST_OK;
    if (!kst_seam_is_good(&(kst_seam_rule){e->seam, e->tiles, e->open, e->noise, e->column, e->row}, what))
        return FAIL(data, "edge %u at " PLACE_FORMAT " %s", k, PLACE(data, e->corner[0]), what);
    if (e->pin != *pins || *pins + e->tiles >= data->pin_count)
        return FAIL(data, "edge %u names its pins from %u, they begin at %u of %u; cut the zone again", k, e->pin,
                    *pins, data->pin_count);
    *pins += e->tiles + 1u;
    for (int end = 0; end < 2; ++end) {
        const kst_corner_data *c = &data->corners[e->corner[end]];
        int32_t at[2], *seen = vertex[e->corner[end]];
        kst_seam_vertex(e->seam, e->column, e->row, end ? e->tiles : 0, at);
        if (!c->pinned || memcmp(c->pin, data->pins[e->pin + (end ? e->tiles : 0u)], sizeof c->pin))
            return FAIL(data,
                        "edge %u is a seam and the corner at " PLACE_FORMAT
                        " has another pin or none; cut the zone again",
                        k, PLACE(data, e->corner[end]));
        if (seen[0] >= 0 && (seen[0] != at[0] || seen[1] != at[1]))
            return FAIL(data,
                        "edge %u is a seam and ends at " PLACE_FORMAT
                        " at vertex %d, %d of a field, another one there at %d, %d; give both the same",
                        k, PLACE(data, e->corner[end]), at[0], at[1], seen[0], seen[1]);
        seen[0] = at[0], seen[1] = at[1];
    }
    kst_edge_points(data, e, points);
    karst_status status = KARST_OK;
    for (int i = 1; i < e->tiles && !status; ++i)
        status = check_pin(data, (const int32_t(*)[3])points, i, e->tiles, data->pins[e->pin + (uint32_t)i],
                           e->corner[0], report);
    return status;
}

karst_status kst_zone_data_check(const kst_zone_data *data, const karst_allocator *allocator, karst_report *report) {
    karst_status status = check_head(data, report);
    if (status) return status;
    size_t owners = data->corner_count + 1, uses = data->edge_count + 1;
    uint32_t *owner = kst_alloc_zero(allocator, owners * sizeof *owner), inside = 0;
    uint8_t(*used)[2] = kst_alloc_zero(allocator, uses * sizeof *used);
    int32_t(*vertex)[2] = kst_alloc_array(allocator, owners, sizeof *vertex);
    uint32_t pins = 0;
    if (vertex) memset(vertex, 0xFF, owners * sizeof *vertex);
    status = owner && used && vertex ? check_corners(data, report) : KARST_ERROR_MEMORY;
    for (uint32_t k = 0; k < data->edge_count && !status; ++k) {
        status = check_edge(data, k, inside, report);
        inside += (1u << data->edges[k].spans_log2) - 1;
    }
    if (!status && inside != data->inside_count)
        status = FAIL(data, "%u corners lie inside edges, whose parts need %u; cut the zone again", data->inside_count,
                      inside);
    for (uint32_t k = 0; k < data->edge_count && !status; ++k) status = check_inside(data, k, owner, report);
    for (uint32_t k = 0; k < data->edge_count && !status; ++k) status = check_places(data, k, report);
    for (uint32_t k = 0; k < data->corner_count && !status; ++k) status = check_pinned(data, k, owner, report);
    for (uint32_t k = 0; k < data->edge_count && !status; ++k) status = check_seam(data, k, &pins, vertex, report);
    if (!status && pins != data->pin_count)
        status = FAIL(data, "it has %u pins, whose seams need %u; cut the zone again", data->pin_count, pins);
    for (uint32_t k = 0; k < data->patch_count && !status; ++k) status = check_patch(data, k, used, report);
    for (uint32_t k = 0; k < data->patch_count && !status; ++k) status = check_size(data, k, report);
    kst_free(allocator, owner, owners * sizeof *owner);
    kst_free(allocator, used, uses * sizeof *used);
    kst_free(allocator, vertex, owners * sizeof *vertex);
    return status;
}
