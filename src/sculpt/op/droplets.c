// SPDX-License-Identifier: MIT
// Droplet erosion of a rectangle: who rains where, and when.
//
// A drop reads what earlier ones wrote, so their order counts. The ground is cut into square tiles in four colours:
//
//     0 1 0 1      A tile's drops stay within the halo round it, half a tile wide at most, so that tiles of one
//     2 3 2 3      colour share no sample: they may rain at once, on any number of threads, and the bytes are those
//     0 1 0 1      of one thread. The colours take turns, and each round begins elsewhere, so that no seam settles.
//
// A worker copies the tile and its halo into a block, rains there, and copies back what its mask lets change. An open
// land has a frame: it goes on beyond its edge as it comes there (2 * edge - inside), with rain of its own, so that the
// rim is ground like any other. What comes to lie in the frame has left.
#include "op/droplets.h"

#include "op/drop.h"
#include "op/lanes.h"

enum {
    TILE = 128,      // side of a tile whose drops do not run far [samples]
    HALO_MAX = 136,  // how far a block reaches beyond its tile, however far they run
    FRAME = 32,      // samples beyond an open edge
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
    int frame, width, height;      // of the land with its frame
    float *ground_m;               // its heights
    float low_m, high_m;           // of the land at first
    int tile, halo, side, stride;  // of a tile, a block and its rows [samples]
    int columns, rows;             // tiles
    int x0, y0;                    // of the first tile of this round, <= 0
    int round, colour;
    double drops_a_tile;  // and round
    float *memory;        // a block for each worker
    size_t block_floats;
    tile_result *result;  // of each tile, over all rounds
} rain;

// ---- the land and its frame ------------------------------------------------------------------------

static int least(int a, int b) {
    return a < b ? a : b;
}
static int most(int a, int b) {
    return a > b ? a : b;
}

// The sample of the land that one of the frame is the mirror image of; those of the land are their own.
static int mirrored(int i, int count) {
    return i < 0 ? least(-i, count - 1) : i < count ? i : most(2 * (count - 1) - i, 0);
}
static int nearest(int i, int count) {
    return i < 0 ? 0 : least(i, count - 1);
}

static void set_range(rain *r) {
    const kst_land *land = r->land;
    float low = land->height_m[0], high = low;
    for (size_t i = 1; i < (size_t)land->width * (size_t)land->height; ++i) {
        low = land->height_m[i] < low ? land->height_m[i] : low;
        high = land->height_m[i] > high ? land->height_m[i] : high;
    }
    r->low_m = low;
    r->high_m = high;
}

// The frame goes on as the ground comes to the edge, but to no height that the land has not.
static void set_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const rain *r = context;
    const kst_land *land = r->land;
    const int width = land->width;
    for (int j = begin; j < end; ++j) {
        float *row = r->ground_m + (size_t)j * (size_t)r->width;
        int y = j - r->frame, edge = nearest(y, land->height);
        const float *inside = land->height_m + (size_t)mirrored(y, land->height) * (size_t)width;
        const float *rim = land->height_m + (size_t)edge * (size_t)width;
        for (int i = 0; i < r->width; ++i) {
            if (i == r->frame && y == edge) {  // the land itself
                memcpy(row + i, inside, sizeof(float) * (size_t)width);
                i += width - 1;
                continue;
            }
            // Along the rows first, then from row to row.
            int x = i - r->frame, there = mirrored(x, width), last = nearest(x, width);
            float across = x == there ? inside[x] : 2 * inside[last] - inside[there];
            float along = x == there ? rim[x] : 2 * rim[last] - rim[there];
            float v = y == edge ? across : 2 * along - across;
            row[i] = v < r->low_m ? r->low_m : v > r->high_m ? r->high_m : v;
        }
    }
}

static void write_ground(const rain *r) {
    for (int y = 0; y < r->land->height; ++y)
        memcpy(r->land->height_m + (size_t)y * (size_t)r->land->width,
               r->ground_m + (size_t)(y + r->frame) * (size_t)r->width + (size_t)r->frame,
               sizeof(float) * (size_t)r->land->width);
}

// ---- a block: copied in, copied out ----------------------------------------------------------------

// The part of a block that has ground, half open; column i of it is column i + x0 of the land with its frame.
typedef struct place {
    int x0, y0, left, top, right, bottom;
} place;

// A plane of the block from one of the land's.
static void copy_plane(const rain *r, float *plane, const place *p, const float *from) {
    const int width = r->land->width;
    int first = most(p->left, r->frame - p->x0), end = least(p->right, r->frame + width - p->x0);
    for (int j = p->top; j < p->bottom; ++j) {
        float *row = plane + (size_t)j * (size_t)r->stride;
        const float *source = from + (size_t)mirrored(p->y0 + j - r->frame, r->land->height) * (size_t)width;
        for (int i = p->left; i < least(first, p->right); ++i) row[i] = source[mirrored(p->x0 + i - r->frame, width)];
        if (first < end)
            memcpy(row + first, source + (p->x0 + first - r->frame), sizeof(float) * (size_t)(end - first));
        for (int i = most(end, p->left); i < p->right; ++i) row[i] = source[mirrored(p->x0 + i - r->frame, width)];
    }
}

static void fill_plane(const rain *r, float *plane, const place *p, float value) {
    for (int j = p->top; j < p->bottom; ++j)
        for (int i = p->left; i < p->right; ++i) plane[(size_t)j * (size_t)r->stride + (size_t)i] = value;
}

// Turn mask and hardness into what the samples give and take. @return the most that one gives
KST_TWINS static float set_shares(const kst_drop_block *b, const place *p, bool hard) {
    float best = 0;
    for (int j = p->top; j < p->bottom; ++j) {
        size_t at = (size_t)j * (size_t)b->stride, end = at + (size_t)p->right;
        for (size_t i = at + (size_t)p->left; i < end; ++i) {
            b->gives[i] = hard ? b->takes[i] * (1 - b->gives[i]) : b->takes[i];
            best = b->gives[i] > best ? b->gives[i] : best;
        }
        for (size_t i = at + (size_t)p->left; b->area && i < end; ++i) {
            b->takes[i] /= b->area[i];
            b->gives[i] /= b->area[i];
        }
    }
    return best;
}

// @return whether there is ground that can be lowered: without it no drop does anything
static bool copy_in(const rain *r, const kst_drop_block *b, const place *p) {
    const kst_land *land = r->land;
    size_t plane = (size_t)b->side * (size_t)b->stride;
    if (p->left > 0 || p->top > 0 || p->right < b->side || p->bottom < b->side) {  // no ground gives and takes nothing
        memset(b->gives, 0, plane * sizeof(float));
        memset(b->takes, 0, plane * sizeof(float));
        memset(b->height_m, 0, plane * sizeof(float));
        for (size_t i = 0; land->metric && i < plane; ++i) b->run_i[i] = b->run_j[i] = b->area[i] = 1;
    }
    if (land->metric) {
        copy_plane(r, b->run_i, p, land->metric->run_i);
        copy_plane(r, b->run_j, p, land->metric->run_j);
        copy_plane(r, b->area, p, land->metric->area);
    }
    if (land->mask)
        copy_plane(r, b->takes, p, land->mask);
    else
        fill_plane(r, b->takes, p, 1);
    if (land->hardness) copy_plane(r, b->gives, p, land->hardness);
    if (!(set_shares(b, p, land->hardness != NULL) > 0)) return false;
    for (int j = p->top; j < p->bottom; ++j)
        memcpy(b->height_m + (size_t)j * (size_t)b->stride + p->left,
               r->ground_m + (size_t)(p->y0 + j) * (size_t)r->width + (size_t)(p->x0 + p->left),
               sizeof(float) * (size_t)(p->right - p->left));
    memset(b->laid_m, 0, plane * sizeof(float));
    return true;
}

// What rows of a block did, times their area.
typedef struct moved {
    kst_sums laid, change;
} moved;

// Copy part of a row back where it may change. land: the sample of the land that the part begins at, SIZE_MAX in the
// frame.
KST_TWINS static void row_out(const rain *r, const kst_drop_block *b, size_t from, size_t to, size_t sample,
                              int samples, moved *sum) {
    const kst_land *land = r->land;
    const bool inside = sample != SIZE_MAX;
    for (int x = 0; x < samples; x += KST_LANES) {
        int count = samples - x;
        size_t k = from + (size_t)x, i = sample + (size_t)x;
        float *ground = r->ground_m + to + (size_t)x;
        kst_lanes before = kst_lanes_load(ground, count), after = kst_lanes_load(b->height_m + k, count);
        kst_lanes laid = kst_lanes_load(b->laid_m + k, count);
        after = kst_lanes_pick(kst_lanes_load(b->takes + k, count) > 0, after, before);
        kst_lanes change = after - before, worn = laid - change;
        kst_lanes_store(ground, after, count);
        if (inside && land->deposit_m)
            kst_lanes_store(land->deposit_m + i, kst_lanes_load(land->deposit_m + i, count) + laid, count);
        // The changes of one sample are multiples of its last bit, so that this difference is exact, and 0 where
        // nothing was taken.
        if (inside && land->wear_m)
            kst_lanes_store(land->wear_m + i, kst_lanes_load(land->wear_m + i, count) + kst_lanes_where(worn > 0, worn),
                            count);
        if (b->area) {
            kst_lanes wide = kst_lanes_load(b->area + k, count);
            laid *= wide;
            change *= wide;
        }
        kst_sums_add(&sum->laid, laid);
        kst_sums_add(&sum->change, change);
    }
}

static void copy_out(const rain *r, const kst_drop_block *b, const place *p, kst_ledger *ledger) {
    const int width = r->land->width;
    int first = nearest(r->frame - p->x0 - p->left, p->right - p->left + 1) + p->left;
    int end = most(first, least(p->right, r->frame + width - p->x0));
    moved inside = {{0}, {0}}, outside = {{0}, {0}};
    for (int j = p->top; j < p->bottom; ++j) {
        int y = p->y0 + j - r->frame;
        size_t row = (size_t)j * (size_t)b->stride, to = (size_t)(p->y0 + j) * (size_t)r->width;
        if (y < 0 || y >= r->land->height) {
            row_out(r, b, row + (size_t)p->left, to + (size_t)(p->x0 + p->left), SIZE_MAX, p->right - p->left,
                    &outside);
            continue;
        }
        row_out(r, b, row + (size_t)p->left, to + (size_t)(p->x0 + p->left), SIZE_MAX, first - p->left, &outside);
        if (first < end)
            row_out(r, b, row + (size_t)first, to + (size_t)(p->x0 + first),
                    (size_t)y * (size_t)width + (size_t)(p->x0 + first - r->frame), end - first, &inside);
        row_out(r, b, row + (size_t)end, to + (size_t)(p->x0 + end), SIZE_MAX, p->right - end, &outside);
    }
    double laid = kst_sums_total(inside.laid);
    ledger->deposited_m += laid;
    ledger->eroded_m += laid - kst_sums_total(inside.change);
    ledger->carried_m += kst_sums_total(outside.change);
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
    p.left = most(0, -p.x0);
    p.top = most(0, -p.y0);
    p.right = least(r->side, r->width - p.x0);
    p.bottom = least(r->side, r->height - p.y0);
    kst_drop_block b = block_of(r, worker);
    if (p.left >= p.right || p.top >= p.bottom || !copy_in(r, &b, &p)) return;
    int tile = ty * r->columns + tx;
    uint64_t key = kst_random((uint64_t)r->def->seed << 32 | (uint64_t)(uint32_t)r->round, (uint64_t)tile);
    double drops = r->drops_a_tile;
    int count = (int)drops;
    if (kst_random01(key, UINT64_MAX) < drops - count) ++count;
    kst_drop_rain drop = {
        .def = r->def,
        .brush = &r->brush,
        .cell_m = r->land->cell_m,
        .x0 = (float)r->halo,
        .y0 = (float)r->halo,
        .side = (float)r->tile,
        .first = {most(p.left, KST_DROP_BEFORE), most(p.top, KST_DROP_BEFORE)},
        .last = {least(p.right - 2, r->side - 1 - KST_DROP_AFTER), least(p.bottom - 2, r->side - 1 - KST_DROP_AFTER)},
        .count = count,
        .key = key,
    };
    kst_drop_run(&b, &drop);
    r->result[tile].steps += drop.steps;
    r->result[tile].ledger.unplaced_m += drop.unplaced_m;
    copy_out(r, &b, &p, &r->result[tile].ledger);
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
    r->tile = most(TILE, 2 * r->halo);
    r->side = r->tile + 2 * r->halo;
    r->stride = r->side + KST_DROP_BOX;  // rows of a power of two would share few places in the cache
    r->columns = (r->width - 1) / r->tile + 2;
    r->rows = (r->height - 1) / r->tile + 2;
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
    const int frame = def->closed ? 0 : FRAME;
    rain r = {
        .land = land, .def = def, .frame = frame, .width = land->width + 2 * frame, .height = land->height + 2 * frame};
    set_tiles(&r);
    kst_drop_brush_make(&r.brush);
    size_t workers = (size_t)karst_jobs_worker_count(jobs), tiles = (size_t)r.columns * (size_t)r.rows;
    size_t plane = ((size_t)r.side * (size_t)r.stride + KST_DROP_BOX + 15) / 16 * 16;
    r.block_floats = plane * (land->metric ? PLANES : PLANES - 3);
    size_t ground = (size_t)r.width * (size_t)r.height;
    r.ground_m = kst_alloc_array(NULL, ground, sizeof(float));
    r.memory = kst_alloc_array(NULL, workers * r.block_floats, sizeof(float));
    r.result = kst_alloc_zero(NULL, tiles * sizeof *r.result);
    karst_status status = r.ground_m && r.memory && r.result ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        set_range(&r);
        karst_jobs_for(jobs, r.height, 32, set_rows, &r);
        status = rain_all(&r, jobs, progress);
    }
    if (!status) write_ground(&r);
    if (!status && result) {
        *result = (kst_droplets_result){0};
        for (size_t k = 0; k < tiles; ++k) {
            kst_ledger_add(&result->ledger, &r.result[k].ledger);
            result->steps += r.result[k].steps;
        }
    }
    kst_free(NULL, r.ground_m, ground * sizeof(float));
    kst_free(NULL, r.memory, workers * r.block_floats * sizeof(float));
    kst_free(NULL, r.result, tiles * sizeof *r.result);
    return status;
}
