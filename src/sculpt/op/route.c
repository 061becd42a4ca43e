// SPDX-License-Identifier: MIT
// Route: receivers, donors, drained areas and trees.
//
// Receivers after: D. Tarboton, "A new method for the determination of flow directions and upslope areas in grid
// digital elevation models", 1997, whose eight facets give a direction between two neighbours; we draw one of the two
// with odds that follow the angle, as T. Fairfield and P. Leymarie, "Drainage networks from grid digital elevation
// models", 1991.
#include "op/route.h"

#include "op/lanes.h"

static const int side_x[8] = {1, 1, 0, -1, -1, -1, 0, 1}, side_y[8] = {0, -1, -1, -1, 0, 1, 1, 1};

karst_status kst_route_create(int width, int height, kst_route *out) {
    KARST_ASSERT(width >= 3 && height >= 3 && (int64_t)width * height <= INT32_MAX);
    kst_route r = {.width = width, .height = height};
    for (int d = 0; d < 8; ++d) r.step[d] = side_y[d] * width + side_x[d];
    r.band_rows = height / 16 < 64 ? 64 : height / 16;
    r.band_count = (height + r.band_rows - 1) / r.band_rows;
    size_t cells = (size_t)width * (size_t)height, crossing = 2 * (size_t)width * (size_t)r.band_count;
    r.to = kst_alloc_array(NULL, cells, sizeof *r.to);
    r.from = kst_alloc_array(NULL, cells, sizeof *r.from);
    r.area = kst_alloc_array(NULL, cells, sizeof *r.area);
    r.waiting = kst_alloc_array(NULL, cells, sizeof *r.waiting);
    r.basin = kst_alloc_array(NULL, cells, sizeof *r.basin);
    r.list = kst_alloc_array(NULL, cells, sizeof *r.list);
    r.crossing = kst_alloc_array(NULL, crossing, sizeof *r.crossing);
    r.crossing_count = kst_alloc_array(NULL, (size_t)r.band_count, sizeof *r.crossing_count);
    *out = r;
    if (r.to && r.from && r.area && r.waiting && r.basin && r.list && r.crossing && r.crossing_count) return KARST_OK;
    kst_route_free(out);
    return KARST_ERROR_MEMORY;
}

void kst_route_free(kst_route *route) {
    size_t cells = (size_t)route->width * (size_t)route->height;
    kst_free(NULL, route->to, cells);
    kst_free(NULL, route->from, cells);
    kst_free(NULL, route->area, cells * sizeof *route->area);
    kst_free(NULL, route->waiting, cells);
    kst_free(NULL, route->basin, cells * sizeof *route->basin);
    kst_free(NULL, route->list, cells * sizeof *route->list);
    kst_free(NULL, route->crossing, 2 * (size_t)route->width * (size_t)route->band_count * sizeof *route->crossing);
    kst_free(NULL, route->crossing_count, (size_t)route->band_count * sizeof *route->crossing_count);
    *route = (kst_route){0};
}

// ---- receivers -------------------------------------------------------------------------------------

typedef struct finding {
    kst_route *route;
    const float *h;
    kst_route_way way;
} finding;

// Eight cells side by side, in macros: gcc and clang differ in how they hand vectors to functions.
typedef uint32_t words __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint8_t bytes __attribute__((vector_size(8), aligned(1), may_alias));
#define AT(p) (*(const kst_lanes *)(p))
#define PICK(condition, a, b) (((kst_lane_bits)(a) & (condition)) | ((kst_lane_bits)(b) & ~(condition)))
#define SQUARE_ABOVE_0(v) ((v) * (kst_lanes)((kst_lane_bits)(v) & ((v) > 0)))

// One facet: a side, and the corner beyond it, which lies `more` lower still; both over one cell. Its steepest way is
// along the side, to the corner, or between them; then the corner is taken when the way lies beyond the threshold. The
// squared slope is kept where it is the steepest so far.
#define FACET(side, side2, corner, corner2, side_way, corner_way)                     \
    {                                                                                 \
        kst_lanes more = (corner) - (side), between = (side) * (side) + more * more;  \
        kst_lane_bits to_corner = more >= (side), along = more <= 0;                  \
        kst_lane_bits slope2 = PICK(along, side2, PICK(to_corner, corner2, between)); \
        kst_lane_bits beyond = threshold * (side) < more;                             \
        kst_lane_bits choice = ((corner_way)&beyond) | ((side_way) & ~beyond);        \
        kst_lane_bits better = (kst_lanes)slope2 > best;                              \
        best = (kst_lanes)PICK(better, slope2, best);                                 \
        way = (choice & better) | (way & ~better);                                    \
    }

// Columns 1 .. width - 2 of a row; the last few are done twice when they do not fill the lanes. The threshold between
// side and corner is the middle of their angles, or chance.
KST_TWINS static void find_row(const float *row, int width, bool by_angle, uint32_t key, uint8_t *to) {
    const kst_lanes none = {0}, middle = none + 0.41421356f;  // tan(pi / 8)
    const words first = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int x = 1;; x += KST_LANES) {
        if (x > width - 1 - KST_LANES) x = width - 1 - KST_LANES;
        const float *h = row + x, *up = h - width, *down = h + width;
        kst_lanes threshold = middle, own = AT(h);
        if (!by_angle) {
            words v = (first + (uint32_t)x) * 0x9E3779B1u ^ key;  // the finaliser of Wellons, "lowbias32", 2018
            v = (v ^ v >> 16) * 0x7FEB352Du;
            v = (v ^ v >> 15) * 0x846CA68Bu;
            v ^= v >> 16;
            threshold = __builtin_convertvector((kst_lane_bits)(v >> 8), kst_lanes) * 0x1p-24f;
        }
        kst_lanes e = own - AT(h + 1), n = own - AT(up), w = own - AT(h - 1), s = own - AT(down);
        kst_lanes ne = own - AT(up + 1), nw = own - AT(up - 1), sw = own - AT(down - 1), se = own - AT(down + 1);
        kst_lanes e2 = SQUARE_ABOVE_0(e), n2 = SQUARE_ABOVE_0(n), w2 = SQUARE_ABOVE_0(w), s2 = SQUARE_ABOVE_0(s);
        kst_lanes ne2 = 0.5f * SQUARE_ABOVE_0(ne), nw2 = 0.5f * SQUARE_ABOVE_0(nw);
        kst_lanes sw2 = 0.5f * SQUARE_ABOVE_0(sw), se2 = 0.5f * SQUARE_ABOVE_0(se), best = none;
        kst_lane_bits way = (kst_lane_bits)none + KST_ROUTE_NONE;
        FACET(e, e2, ne, ne2, 0, 1)
        FACET(n, n2, ne, ne2, 2, 1)
        FACET(n, n2, nw, nw2, 2, 3)
        FACET(w, w2, nw, nw2, 4, 3)
        FACET(w, w2, sw, sw2, 4, 5)
        FACET(s, s2, sw, sw2, 6, 5)
        FACET(s, s2, se, se2, 6, 7)
        FACET(e, e2, se, se2, 0, 7)
        *(bytes *)(to + x) = __builtin_convertvector(way, bytes);
        if (x == width - 1 - KST_LANES) return;
    }
}

// The same of one cell, for rows too short for the lanes.
static uint8_t find_cell(const float *h, const int32_t step[8], int x, bool by_angle, uint32_t key) {
    uint32_t v = (uint32_t)x * 0x9E3779B1u ^ key;
    v = (v ^ v >> 16) * 0x7FEB352Du;
    v = (v ^ v >> 15) * 0x846CA68Bu;
    v ^= v >> 16;
    float threshold = by_angle ? 0.41421356f : (float)(int32_t)(v >> 8) * 0x1p-24f, best = 0;
    static const uint8_t facet[8][2] = {{0, 1}, {2, 1}, {2, 3}, {4, 3}, {4, 5}, {6, 5}, {6, 7}, {0, 7}};
    uint8_t way = KST_ROUTE_NONE;
    for (int f = 0; f < 8; ++f) {
        float side = *h - h[step[facet[f][0]]], corner = *h - h[step[facet[f][1]]], more = corner - side;
        float slope2 = side * side + more * more;
        if (more >= side) slope2 = 0.5f * (corner > 0 ? corner * corner : 0);
        if (more <= 0) slope2 = side > 0 ? side * side : 0;
        if (slope2 <= best) continue;
        best = slope2;
        way = threshold * side < more ? facet[f][1] : facet[f][0];
    }
    return way;
}

static karst_status find_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    finding *f = context;
    const kst_route *r = f->route;
    for (int y = begin; y < end; ++y) {
        uint8_t *to = r->to + (size_t)y * (size_t)r->width;
        if (!y || y == r->height - 1) {
            memset(to, KST_ROUTE_NONE, (size_t)r->width);
            continue;
        }
        uint32_t key = (uint32_t)kst_random(f->way.seed, (uint64_t)f->way.number << 32 | (uint64_t)y);
        const float *h = f->h + (size_t)y * (size_t)r->width;
        if (r->width >= KST_LANES + 2)
            find_row(h, r->width, f->way.steepest, key, to);
        else
            for (int x = 1; x < r->width - 1; ++x) to[x] = find_cell(h + x, r->step, x, f->way.steepest, key);
        to[0] = to[r->width - 1] = KST_ROUTE_NONE;
    }
    return KARST_OK;
}

// ---- donors ----------------------------------------------------------------------------------------

KST_TWINS static void gather_row(const uint8_t *restrict to, int width, uint8_t *restrict from) {
    const uint8_t *up = to - width, *down = to + width;
    for (int x = 1; x < width - 1; ++x)
        from[x] =
            (uint8_t)((to[x + 1] == 4) << 0 | (up[x + 1] == 5) << 1 | (up[x] == 6) << 2 | (up[x - 1] == 7) << 3 |
                      (to[x - 1] == 0) << 4 | (down[x - 1] == 1) << 5 | (down[x] == 2) << 6 | (down[x + 1] == 3) << 7);
}

static uint8_t gather_cell(const kst_route *r, int x, int y) {
    unsigned from = 0;
    for (int d = 0; d < 8; ++d) {
        int nx = x + side_x[d], ny = y + side_y[d];
        if (nx < 0 || ny < 0 || nx >= r->width || ny >= r->height) continue;
        if (r->to[(size_t)ny * (size_t)r->width + (size_t)nx] == (d ^ 4)) from |= 1u << d;
    }
    return (uint8_t)from;
}

static karst_status gather_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_route *r = context;
    for (int y = begin; y < end; ++y) {
        size_t row = (size_t)y * (size_t)r->width;
        bool inside = y && y < r->height - 1;
        if (inside) gather_row(r->to + row, r->width, r->from + row);
        for (int x = 0; x < r->width; x += inside ? r->width - 1 : 1) r->from[row + (size_t)x] = gather_cell(r, x, y);
    }
    return KARST_OK;
}

// ---- drained areas: leaves are peeled off, first within bands of rows, then across them --------------------

KST_TWINS static void count_bits(const uint8_t *restrict from, size_t count, uint8_t *restrict bits) {
    for (size_t k = 0; k < count; ++k) {
        uint8_t v = from[k];
        v = (uint8_t)(v - (v >> 1 & 0x55));
        v = (uint8_t)((v & 0x33) + (v >> 2 & 0x33));
        bits[k] = (uint8_t)((v + (v >> 4)) & 0x0F);
    }
}

static karst_status peel_bands(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_route *r = context;
    uint32_t *area = r->area;
    for (int band = begin; band < end; ++band) {
        int y0 = band * r->band_rows, y1 = y0 + r->band_rows < r->height ? y0 + r->band_rows : r->height;
        int32_t first = y0 * r->width, last = y1 * r->width, crossings = 0;
        int32_t *crossing = r->crossing + 2 * (size_t)r->width * (size_t)band;
        count_bits(r->from + first, (size_t)(last - first), r->waiting + first);
        for (int32_t i = first; i < last; ++i) area[i] = 1;
        for (int32_t i = first; i < last; ++i) {
            if (r->from[i]) continue;
            for (int32_t cell = i; !kst_route_is_outlet(r, cell);) {
                int32_t down = kst_route_receiver(r, cell);
                if (down < first || down >= last) {
                    crossing[crossings++] = cell;
                    break;
                }
                area[down] += area[cell];
                if (--r->waiting[down]) break;
                cell = down;
            }
        }
        r->crossing_count[band] = crossings;
    }
    return KARST_OK;
}

static void peel_across(kst_route *r) {
    for (int band = 0; band < r->band_count; ++band) {
        const int32_t *crossing = r->crossing + 2 * (size_t)r->width * (size_t)band;
        for (int32_t k = 0; k < r->crossing_count[band]; ++k)
            for (int32_t cell = crossing[k]; !kst_route_is_outlet(r, cell);) {
                int32_t down = kst_route_receiver(r, cell);
                r->area[down] += r->area[cell];
                if (--r->waiting[down]) break;
                cell = down;
            }
    }
}

// ---- trunk and trees -------------------------------------------------------------------------------

static void add_cell(kst_route *r, int32_t cell) {
    if (r->area[cell] > KST_TREE_CELLS)
        r->list[r->trunk_count++] = cell;
    else
        *--r->tree = cell;
}

// The trunk grows at the front of the list, upstream from the outlets; the trees at its end.
static void list_trees(kst_route *r) {
    int32_t cells = r->width * r->height, below = r->width * (r->height - 1);
    r->trunk = r->list;
    r->trunk_count = 0;
    r->tree = r->list + cells;
    for (int32_t x = 0; x < r->width; ++x) add_cell(r, x);
    for (int32_t row = r->width; row < below; row += r->width) {
        add_cell(r, row);
        add_cell(r, row + r->width - 1);
    }
    for (int32_t x = 0; x < r->width; ++x) add_cell(r, below + x);
    for (int32_t k = 0; k < r->trunk_count; ++k)
        for (unsigned donors = r->from[r->trunk[k]]; donors; donors &= donors - 1)
            add_cell(r, r->trunk[k] + r->step[__builtin_ctz(donors)]);
    r->tree_count = (int32_t)(r->list + cells - r->tree);
}

karst_status kst_route_find(kst_route *route, const float *h, kst_route_way way, const kst_team *team) {
    finding f = {route, h, way};
    karst_status status = kst_team_run(team, route->height, 16, find_rows, &f);
    if (!status) status = kst_team_run(team, route->height, 16, gather_rows, route);
    if (!status) status = kst_route_pits(route, h, team);
    if (!status) status = kst_team_run(team, route->band_count, 1, peel_bands, route);
    if (status) return status;
    peel_across(route);
    list_trees(route);
    return KARST_OK;
}
