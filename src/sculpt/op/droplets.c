// SPDX-License-Identifier: MIT
// Droplet erosion of a rectangle: who rains where, and when.
//
// A drop reads what earlier ones wrote, so their order counts. The ground is cut into square tiles in four colours:
//
//     0 1 0 1      A tile's drops stay within the halo round it, half a tile wide at most, so that tiles of one
//     2 3 2 3      colour share no sample: they may rain at once, on any number of threads, and the bytes are those
//     0 1 0 1      of one thread. The colours take turns, and each round begins elsewhere, so that no seam settles.
//
// A worker copies the tile and its halo into a block, rains there, and copies back what its mask lets change. Beyond
// the edge of the land the block goes on as the ground does (2 * edge - inside), with rain of its own, so that the rim
// is ground like any other; what comes to lie out there has left.
#include "op/droplets.h"

#include "op/drop.h"
#include "op/lanes.h"

enum {
    TILE = 128,      // side of a tile whose drops do not run far [samples]
    HALO = 40,       // how far a block reaches beyond its tile then
    HALO_MAX = 136,  // however far they run
    FRAME = 32,      // samples beyond the edge that have ground; drops turn back before its last
    ROUNDS_MIN = 4,
    PLANES = 7,  // arrays of a block
};

// Drops a cell and round, at most.
static const double drops_a_round = 0.1;

karst_droplets_def karst_droplets_def_default(void) {
    return (karst_droplets_def){.drops = 0.3f,
                                .inertia = 0.1f,
                                .capacity = 1,
                                .least_slope = 0.005f,
                                .erode = 0.3f,
                                .deposit = 0.3f,
                                .evaporate = 0.02f,
                                .gravity = 4,
                                .cookie = KST_COOKIE};
}

typedef struct tile_result {
    kst_ledger ledger;
    uint64_t steps;
} tile_result;

typedef struct rain {
    const kst_land *land;
    const karst_droplets_def *def;
    kst_drop_brush brush;
    int tile, halo, side, stride;  // of a tile, a block and its rows [samples]
    int columns, rows;             // tiles
    int x0, y0;                    // of the first tile of this round, <= 0
    int round, colour;
    double drops_a_tile;  // and round
    float low_m, high_m;  // of the land at first: it does not go on beyond these
    float *memory;        // a block for each worker
    size_t block_floats;
    tile_result *result;  // of each tile, over all rounds
} rain;

// ---- a block: copied in, copied out ----------------------------------------------------------------

// A block over the land: column x of the block is column x + x0 of the land.
typedef struct place {
    int x0, y0;
    int left, top, right, bottom;        // the part of the block that lies in the land, half open
    int first_x, first_y, end_x, end_y;  // and the part that has ground
} place;

static int least(int a, int b) {
    return a < b ? a : b;
}
static int most(int a, int b) {
    return a > b ? a : b;
}

// How the block [x0, x0 + side) lies over `count` samples, along one axis.
static void place_axis(int x0, int side, int count, bool closed, int *left, int *right, int *first, int *end) {
    *left = most(0, -x0);
    *right = least(side, count - x0);
    int frame = closed ? 0 : least(FRAME, *right - *left - 1);  // as far as there is ground to mirror
    *first = most(0, *left - frame);
    *end = least(side, *right + (x0 + side > count ? frame : 0));
}

// What comes beyond a rim: heights go on as they came, all else is seen as in a mirror.
typedef struct beyond {
    bool heights;
    float low, high;
} beyond;
static inline float mirrored(const beyond *m, float rim, float inside) {
    if (!m->heights) return inside;
    float v = 2 * rim - inside;
    return v < m->low ? m->low : v > m->high ? m->high : v;
}

// Continue a plane from the land to all that has ground.
static void continue_plane(float *plane, int stride, const place *p, const beyond *m) {
    for (int j = p->top; j < p->bottom; ++j) {
        float *a = plane + (size_t)j * (size_t)stride + p->left, *b = plane + (size_t)j * (size_t)stride + p->right - 1;
        for (int k = 1; k <= p->left - p->first_x; ++k) a[-k] = mirrored(m, a[0], a[k]);
        for (int k = 1; k <= p->end_x - p->right; ++k) b[k] = mirrored(m, b[0], b[-k]);
    }
    for (int j = p->first_y; j < p->end_y; ++j) {
        if (j >= p->top && j < p->bottom) continue;
        int edge = j < p->top ? p->top : p->bottom - 1;
        float *row = plane + (size_t)j * (size_t)stride;
        const float *rim = plane + (size_t)edge * (size_t)stride;
        const float *inside = plane + (size_t)(2 * edge - j) * (size_t)stride;
        for (int i = p->first_x; i < p->end_x; ++i) row[i] = mirrored(m, rim[i], inside[i]);
    }
}

static void copy_plane(float *plane, int stride, const place *p, const float *from, int width) {
    size_t at = (size_t)(p->y0 + p->top) * (size_t)width + (size_t)(p->x0 + p->left);
    for (int j = p->top; j < p->bottom; ++j, at += (size_t)width)
        memcpy(plane + (size_t)j * (size_t)stride + p->left, from + at, sizeof(float) * (size_t)(p->right - p->left));
}

// What the samples of the land give and take. @return the most that one gives
KST_TWINS static float copy_shares(const kst_drop_block *b, const place *p, const kst_land *land) {
    float best = 0;
    for (int j = p->top; j < p->bottom; ++j) {
        size_t at = (size_t)(p->y0 + j) * (size_t)land->width + (size_t)(p->x0 + p->left);
        size_t to = (size_t)j * (size_t)b->stride + (size_t)p->left, count = (size_t)(p->right - p->left);
        float *gives = b->gives + to, *takes = b->takes + to;
        for (size_t i = 0; i < count; ++i) takes[i] = land->mask ? land->mask[at + i] : 1;
        for (size_t i = 0; i < count; ++i)
            gives[i] = land->hardness ? takes[i] * (1 - land->hardness[at + i]) : takes[i];
        for (size_t i = 0; i < count; ++i) best = gives[i] > best ? gives[i] : best;
        for (size_t i = 0; land->metric && i < count; ++i) {
            takes[i] /= land->metric->area[at + i];
            gives[i] /= land->metric->area[at + i];
        }
    }
    return best;
}

// @return whether there is ground that can be lowered: without it no drop does anything
static bool copy_in(const rain *r, const kst_drop_block *b, const place *p) {
    const kst_land *land = r->land;
    const beyond heights = {true, r->low_m, r->high_m}, shares = {.heights = false};
    size_t plane = (size_t)b->side * (size_t)b->stride;
    if (p->first_x > 0 || p->first_y > 0 || p->end_x < b->side || p->end_y < b->side) {
        memset(b->gives, 0, plane * sizeof(float));
        memset(b->takes, 0, plane * sizeof(float));
        memset(b->height_m, 0, plane * sizeof(float));
    }
    if (copy_shares(b, p, land) <= 0) return false;
    copy_plane(b->height_m, b->stride, p, land->height_m, land->width);
    continue_plane(b->height_m, b->stride, p, &heights);
    continue_plane(b->gives, b->stride, p, &shares);
    continue_plane(b->takes, b->stride, p, &shares);
    memset(b->laid_m, 0, plane * sizeof(float));
    if (!land->metric) return true;
    float *const to[] = {b->run_i, b->run_j, b->area};
    const float *const from[] = {land->metric->run_i, land->metric->run_j, land->metric->area};
    for (int k = 0; k < 3; ++k) {
        for (size_t i = 0; i < plane; ++i) to[k][i] = 1;
        copy_plane(to[k], b->stride, p, from[k], land->width);
        continue_plane(to[k], b->stride, p, &shares);
    }
    return true;
}

// Copy a row back where it may change. sum: of what was laid down, and of the change.
KST_TWINS static void row_out(const kst_land *land, const kst_drop_block *b, size_t to, size_t from, int samples,
                              double sum[2]) {
    kst_sums laid_sum = {0}, change_sum = {0};
    for (int x = 0; x < samples; x += KST_LANES) {
        int count = samples - x;
        size_t i = to + (size_t)x, k = from + (size_t)x;
        kst_lanes before = kst_lanes_load(land->height_m + i, count), after = kst_lanes_load(b->height_m + k, count);
        kst_lanes laid = kst_lanes_load(b->laid_m + k, count);
        after = kst_lanes_pick(kst_lanes_load(b->takes + k, count) > 0, after, before);
        kst_lanes moved = after - before, worn = laid - moved;
        kst_lanes_store(land->height_m + i, after, count);
        if (land->deposit_m)
            kst_lanes_store(land->deposit_m + i, kst_lanes_load(land->deposit_m + i, count) + laid, count);
        // The changes of one sample are multiples of its last bit, so that this difference is exact, and 0 where
        // nothing was taken.
        if (land->wear_m)
            kst_lanes_store(land->wear_m + i, kst_lanes_load(land->wear_m + i, count) + kst_lanes_where(worn > 0, worn),
                            count);
        if (b->area) {
            kst_lanes wide = kst_lanes_load(b->area + k, count);
            laid *= wide;
            moved *= wide;
        }
        kst_sums_add(&laid_sum, laid);
        kst_sums_add(&change_sum, moved);
    }
    sum[0] += kst_sums_total(laid_sum);
    sum[1] += kst_sums_total(change_sum);
}

static void copy_out(const rain *r, const kst_drop_block *b, const place *p, double unplaced_m, kst_ledger *ledger) {
    double sum[2] = {0, 0};
    for (int j = p->top; j < p->bottom; ++j)
        row_out(r->land, b, (size_t)(p->y0 + j) * (size_t)r->land->width + (size_t)(p->x0 + p->left),
                (size_t)j * (size_t)b->stride + (size_t)p->left, p->right - p->left, sum);
    ledger->deposited_m += sum[0];
    ledger->eroded_m += sum[0] - sum[1];
    ledger->unplaced_m += unplaced_m;
    if (!r->def->closed) ledger->carried_m += -sum[1] - unplaced_m;  // what is nowhere else lies beyond the edge
}

// ---- tiles -----------------------------------------------------------------------------------------

static kst_drop_block block_of(const rain *r, int worker) {
    float *m = r->memory + (size_t)worker * r->block_floats;
    size_t plane = r->block_floats / (r->land->metric ? PLANES : PLANES - 3);
    kst_drop_block b = {r->side, r->stride, m, m + plane, m + 2 * plane, m + 3 * plane, NULL, NULL, NULL};
    if (!r->land->metric) return b;
    b.run_i = m + 4 * plane;
    b.run_j = m + 5 * plane;
    b.area = m + 6 * plane;
    return b;
}

static void rain_on_tile(const rain *r, int tx, int ty, int worker) {
    place p = {.x0 = r->x0 + tx * r->tile - r->halo, .y0 = r->y0 + ty * r->tile - r->halo};
    const kst_land *land = r->land;
    if (p.x0 + r->halo >= land->width || p.y0 + r->halo >= land->height) return;
    place_axis(p.x0, r->side, land->width, r->def->closed, &p.left, &p.right, &p.first_x, &p.end_x);
    place_axis(p.y0, r->side, land->height, r->def->closed, &p.top, &p.bottom, &p.first_y, &p.end_y);
    kst_drop_block b = block_of(r, worker);
    if (!copy_in(r, &b, &p)) return;
    int tile = ty * r->columns + tx;
    uint64_t key = kst_random((uint64_t)r->def->seed << 32 | (uint64_t)(uint32_t)r->round, (uint64_t)tile);
    double drops = r->drops_a_tile;
    int count = (int)drops;
    if (kst_random01(key, UINT64_MAX) < drops - count) ++count;
    kst_drop_rain drop = {
        .def = r->def,
        .brush = &r->brush,
        .cell_m = land->cell_m,
        .x0 = (float)r->halo,
        .y0 = (float)r->halo,
        .side = (float)r->tile,
        .first = {most(p.first_x, KST_DROP_BEFORE), most(p.first_y, KST_DROP_BEFORE)},
        .last = {least(p.end_x - 2, r->side - 1 - KST_DROP_AFTER), least(p.end_y - 2, r->side - 1 - KST_DROP_AFTER)},
        .count = count,
        .key = key,
    };
    kst_drop_run(&b, &drop);
    r->result[tile].steps += drop.steps;
    copy_out(r, &b, &p, drop.unplaced_m, &r->result[tile].ledger);
}

static karst_status rain_on_tiles(int begin, int end, int worker, void *context) {
    const rain *r = context;
    int across = (r->columns + 1 - (r->colour & 1)) / 2;
    for (int k = begin; k < end; ++k)
        rain_on_tile(r, (r->colour & 1) + 2 * (k % across), (r->colour >> 1) + 2 * (k / across), worker);
    return KARST_OK;
}

// ---- rounds ----------------------------------------------------------------------------------------

static void set_tiles(rain *r) {
    float reach = r->def->reach_m > 0 ? r->def->reach_m / r->land->cell_m : 30;
    r->halo = least(HALO_MAX, ((reach < HALO_MAX ? (int)reach : HALO_MAX) + KST_DROP_AFTER + 5) / 4 * 4);
    r->halo = most(r->halo, FRAME + KST_DROP_AFTER);
    r->tile = most(TILE, 2 * r->halo);
    r->side = r->tile + 2 * r->halo;
    r->stride = r->side + KST_DROP_BOX;  // rows of a power of two would share few places in the cache
    r->columns = (r->land->width - 1) / r->tile + 2;
    r->rows = (r->land->height - 1) / r->tile + 2;
}

static void set_range(rain *r) {
    size_t count = (size_t)r->land->width * (size_t)r->land->height;
    r->low_m = r->high_m = r->land->height_m[0];
    for (size_t i = 1; i < count; ++i) {
        float h = r->land->height_m[i];
        r->low_m = h < r->low_m ? h : r->low_m;
        r->high_m = h > r->high_m ? h : r->high_m;
    }
}

static karst_status rain_all(rain *r, karst_jobs *jobs, const karst_progress *progress) {
    int rounds = (int)(r->def->drops / drops_a_round) + 1;
    rounds = most(rounds, ROUNDS_MIN);
    r->drops_a_tile = (double)r->def->drops * r->tile * r->tile / rounds;
    for (int k = 0; k < 4 * rounds; ++k) {
        r->round = k / 4;
        r->colour = (k + r->round) & 3;
        uint64_t origin = kst_random(r->def->seed, (uint64_t)r->round);
        r->x0 = -(int)(origin % (uint64_t)r->tile);
        r->y0 = -(int)((origin >> 32) % (uint64_t)r->tile);
        int across = (r->columns + 1 - (r->colour & 1)) / 2, down = (r->rows + 1 - (r->colour >> 1)) / 2;
        karst_status status = kst_jobs_run(jobs, across * down, 1, rain_on_tiles, r, progress, "droplets",
                                           k / (4.0 * rounds), (k + 1) / (4.0 * rounds));
        if (status) return status;
    }
    return KARST_OK;
}

karst_status kst_droplets(const kst_land *land, const karst_droplets_def *def, karst_jobs *jobs,
                          const karst_progress *progress, kst_droplets_result *result) {
    kst_land_check(land);
    KARST_ASSERT(def->cookie == KST_COOKIE && def->drops > 0 && def->reach_m >= 0 && def->step_m >= 0);
    KARST_ASSERT(def->inertia >= 0 && def->inertia < 1 && def->capacity >= 0 && def->least_slope >= 0);
    KARST_ASSERT(def->erode >= 0 && def->erode <= 1 && def->deposit >= 0 && def->deposit <= 1);
    KARST_ASSERT(def->evaporate >= 0 && def->evaporate <= 1);
    rain r = {.land = land, .def = def};
    set_tiles(&r);
    set_range(&r);
    kst_drop_brush_make(&r.brush);
    size_t workers = (size_t)karst_jobs_worker_count(jobs), tiles = (size_t)r.columns * (size_t)r.rows;
    size_t plane = ((size_t)r.side * (size_t)r.stride + KST_DROP_BOX + 15) / 16 * 16;
    r.block_floats = plane * (land->metric ? PLANES : PLANES - 3);
    r.memory = kst_alloc_array(NULL, workers * r.block_floats, sizeof(float));
    r.result = kst_alloc_zero(NULL, tiles * sizeof *r.result);
    karst_status status = r.memory && r.result ? rain_all(&r, jobs, progress) : KARST_ERROR_MEMORY;
    if (!status && result) {
        *result = (kst_droplets_result){0};
        for (size_t k = 0; k < tiles; ++k) {
            kst_ledger_add(&result->ledger, &r.result[k].ledger);
            result->steps += r.result[k].steps;
        }
    }
    kst_free(NULL, r.memory, workers * r.block_floats * sizeof(float));
    kst_free(NULL, r.result, tiles * sizeof *r.result);
    return status;
}
