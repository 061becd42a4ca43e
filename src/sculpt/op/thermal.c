// SPDX-License-Identifier: MIT
// Thermal erosion: what is steeper than its material bears slides to its lower neighbours.
//
// After: F. K. Musgrave, C. E. Kolb, R. S. Mace, "The synthesis and rendering of eroded fractal terrains", 1989, with
// eight neighbours at their true distances.
// We differ: all samples of a pass look at the heights before it and gather what comes and goes. Between two samples
// both compute the same amount from the same numbers, so that what one gives is what the other takes, in any order and
// on any number of threads, and no direction is preferred.
//
// An amount is at most an eighth of the excess for each of the four straight neighbours and less for the others; then
// no pass makes a slope point the other way.
#include "op/thermal.h"

#include "op/lanes.h"

enum {
    BAND = 32,  // rows of a job
    EDGE = 8,   // floats before and after a row, of which the nearest one is used
};

karst_thermal_def karst_thermal_def_default(void) {
    return (karst_thermal_def){.talus = 0.8f, .rate = 1, .passes = 10, .cookie = KST_COOKIE};
}

// Rows of a plane with one more sample at each end.
enum { HEIGHT, GIVES, TAKES, TALUS, RUN_I, RUN_J, AREA, PLANES };
typedef float *rows[3][PLANES];  // above, here, below

typedef struct slide {
    const kst_land *land;
    const karst_thermal_def *def;
    const float *from;  // heights before this pass
    float *to;          // and after it
    float *memory;      // rows of each worker
    size_t row_floats;
    kst_ledger *band;  // of each band, over all passes
} slide;

// ---- rows ------------------------------------------------------------------------------------------

static void fill(float *row, float value, int count) {
    for (int x = 0; x < count; ++x) row[x] = value;
}

// Beyond the edge the heights go on as they come (2 * edge - inside), all else is seen as in a mirror. Behind a closed
// edge nothing gives or takes.
static void row_in(const slide *s, int y, float **plane) {
    const kst_land *land = s->land;
    int width = land->width, last = land->height - 1, inside = y < 0 ? 1 : y > last ? last - 1 : y;
    int edge = y < 0 ? 0 : last;
    bool beyond = inside != y;
    size_t at = (size_t)inside * (size_t)width, rim = (size_t)edge * (size_t)width;
    const size_t bytes = sizeof(float) * (size_t)width;
    memcpy(plane[HEIGHT], s->from + at, bytes);
    for (int x = 0; beyond && x < width; ++x) plane[HEIGHT][x] = 2 * s->from[rim + (size_t)x] - plane[HEIGHT][x];
    if (beyond && s->def->closed)
        fill(plane[TAKES], 0, width);
    else if (land->mask)
        memcpy(plane[TAKES], land->mask + at, bytes);
    else
        fill(plane[TAKES], 1, width);
    memcpy(plane[GIVES], plane[TAKES], bytes);
    for (int x = 0; land->hardness && x < width; ++x) plane[GIVES][x] *= 1 - land->hardness[at + (size_t)x];
    if (land->talus)
        for (int x = 0; x < width; ++x) plane[TALUS][x] = land->talus[at + (size_t)x] * land->cell_m;
    else
        fill(plane[TALUS], s->def->talus * land->cell_m, width);
    int planes = TALUS + 1;
    if (land->metric) {
        const float *const from[] = {land->metric->run_i, land->metric->run_j, land->metric->area};
        // The step from the row above the first is that from the first to the second.
        size_t down = y < 0 ? rim : y > last ? rim : at;
        for (int k = 0; k < 3; ++k) memcpy(plane[RUN_I + k], from[k] + (k == 1 ? down : at), bytes);
        planes = PLANES;
    }
    for (int k = 0; k < planes; ++k) {
        float *row = plane[k];
        row[-1] = k == HEIGHT ? 2 * row[0] - row[1] : row[1];
        row[width] = k == HEIGHT ? 2 * row[width - 1] - row[width - 2] : row[width - 2];
        if (k == RUN_I) row[-1] = row[0];
        if (s->def->closed && (k == GIVES || k == TAKES)) row[-1] = row[width] = 0;
    }
}

KST_LANES_FN kst_lanes at(const float *row, int x) {
    return *(const kst_lanes *)(row + x);
}

// How far eight samples are from their neighbours at (dx, dy) on warped ground: by the middle of the two edges on
// either side, so that both ends say the same.
KST_LANES_FN kst_lanes run_to(const rows row, int dx, int dy, int x) {
    float *const *here = row[1], *const *there = row[1 + dy];
    kst_lanes i = {0}, j = {0};
    if (dx) i = kst_lanes_all(0.5f) * (at(here[RUN_I], x - (dx < 0)) + at(there[RUN_I], x - (dx < 0)));
    const float *down = dy < 0 ? there[RUN_J] : here[RUN_J];
    if (dy) j = kst_lanes_all(0.5f) * (at(down, x) + at(down, x + dx));
    kst_lanes square = i * i + j * j, run;
    for (int k = 0; k < KST_LANES; ++k) run[k] = __builtin_sqrtf(square[k]);
    return run;
}

// What comes to the samples of a row from their neighbours, less what goes.
KST_LANES_FN void gather(const rows row, float slide_share, float creep_share, float *comes, int count,
                         const bool metric) {
    static const int8_t side[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    // The creep is 1 / 6 of a cell squared a pass, by the nine-point form of the Laplacian.
    const float slides[2] = {slide_share * 0.125f, slide_share * 0.08838835f};
    const float creeps[2] = {creep_share * (1 / 9.0f), creep_share * (1 / 36.0f)};
    for (int x = 0; x < count; x += KST_LANES) {
        const kst_lanes h = at(row[1][HEIGHT], x), gives = at(row[1][GIVES], x), takes = at(row[1][TAKES], x);
        const kst_lanes talus = at(row[1][TALUS], x), area = metric ? at(row[1][AREA], x) : kst_lanes_all(1);
        kst_lanes sum = {0};
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) {
            int dx = side[k][0], dy = side[k][1];
            float *const *there = row[1 + dy];
            kst_lanes rise = at(there[HEIGHT], x + dx) - h;
            kst_lane_bits up = rise > 0;
            kst_lanes drop = kst_lanes_pick(up, rise, -rise);
            kst_lanes run = metric ? run_to(row, dx, dy, x) : kst_lanes_all(k < 4 ? 1 : 1.41421356f);
            kst_lanes excess = drop - kst_lanes_pick(up, at(there[TALUS], x + dx), talus) * run;  // the upper's
            excess = kst_lanes_where(excess > 0, excess);
            // The upper one gives, the lower one must take.
            kst_lanes weight = kst_lanes_pick(up, at(there[GIVES], x + dx) * takes, gives * at(there[TAKES], x + dx));
            kst_lanes amount = (slides[k > 3] * excess + creeps[k > 3] * drop) * weight;
            if (metric) {
                kst_lanes other = at(there[AREA], x + dx);
                amount *= kst_lanes_pick(area < other, area, other) / area;
            }
            sum += kst_lanes_pick(up, amount, -amount);
        }
        *(kst_lanes *)(comes + x) = sum;
    }
}
KST_TWINS static void gather_regular(const rows row, const karst_thermal_def *def, float *comes, int count) {
    gather(row, def->rate, def->creep, comes, count, false);
}
KST_TWINS static void gather_metric(const rows row, const karst_thermal_def *def, float *comes, int count) {
    gather(row, def->rate, def->creep, comes, count, true);
}

// Write a row after the pass. A sample to which nothing comes keeps its bits.
KST_TWINS static void row_out(const slide *s, int y, const float *comes, const float *area, kst_ledger *ledger) {
    const kst_land *land = s->land;
    size_t begin = (size_t)y * (size_t)land->width;
    kst_sums down = {0}, up = {0};
    for (int x = 0; x < land->width; x += KST_LANES) {
        int count = land->width - x;
        size_t i = begin + (size_t)x;
        kst_lanes before = kst_lanes_load(s->from + i, count), change = kst_lanes_load(comes + x, count);
        kst_lanes after = kst_lanes_pick(change == 0, before, before + change), moved = after - before;
        kst_lanes rise = kst_lanes_where(moved > 0, moved), wear = kst_lanes_where(moved < 0, -moved);
        kst_lanes_store(s->to + i, after, count);
        if (land->deposit_m)
            kst_lanes_store(land->deposit_m + i, kst_lanes_load(land->deposit_m + i, count) + rise, count);
        if (land->wear_m) kst_lanes_store(land->wear_m + i, kst_lanes_load(land->wear_m + i, count) + wear, count);
        if (area) {
            kst_lanes wide = kst_lanes_load(area + x, count);
            rise *= wide;
            wear *= wide;
        }
        kst_sums_add(&down, rise);
        kst_sums_add(&up, wear);
    }
    ledger->deposited_m += kst_sums_total(down);
    ledger->eroded_m += kst_sums_total(up);
}

// ---- passes ----------------------------------------------------------------------------------------

static karst_status slide_bands(int begin, int end, int worker, void *context) {
    const slide *s = context;
    const size_t row_floats = s->row_floats;
    float *memory = s->memory + (size_t)worker * (3 * PLANES + 1) * row_floats;
    rows row;
    for (int k = 0; k < 3 * PLANES; ++k) row[k / PLANES][k % PLANES] = memory + (size_t)k * row_floats + EDGE;
    float *comes = memory + 3 * PLANES * row_floats;
    for (int band = begin; band < end; ++band) {
        int first = band * BAND, last = first + BAND < s->land->height ? first + BAND : s->land->height;
        row_in(s, first - 1, row[1]);
        row_in(s, first, row[2]);
        for (int y = first; y < last; ++y) {
            float *above[PLANES];
            memcpy(above, row[0], sizeof above);
            memmove(row[0], row[1], 2 * sizeof row[0]);
            memcpy(row[2], above, sizeof above);
            row_in(s, y + 1, row[2]);
            (s->land->metric ? gather_metric : gather_regular)(row, s->def, comes, s->land->width);
            row_out(s, y, comes, s->land->metric ? row[1][AREA] : NULL, &s->band[band]);
        }
    }
    return KARST_OK;
}

karst_status kst_thermal(const kst_land *land, const karst_thermal_def *def, karst_jobs *jobs,
                         const karst_progress *progress, kst_ledger *ledger) {
    kst_land_check(land);
    KARST_ASSERT(def->cookie == KST_COOKIE && def->talus > 0 && def->passes >= 1);
    KARST_ASSERT(def->rate >= 0 && def->rate <= 1 && def->creep >= 0 && def->creep <= 1);
    size_t count = (size_t)land->width * (size_t)land->height, bands = (size_t)(land->height - 1) / BAND + 1;
    slide s = {.land = land, .def = def, .row_floats = ((size_t)land->width + 2 * EDGE + 15) / 16 * 16};
    size_t row_count = (size_t)karst_jobs_worker_count(jobs) * (3 * PLANES + 1);
    float *other = kst_alloc_array(NULL, count, sizeof(float));
    s.memory = kst_alloc_zero(NULL, row_count * s.row_floats * sizeof(float));  // lanes read beyond the rows' ends
    s.band = kst_alloc_zero(NULL, bands * sizeof *s.band);
    karst_status status = other && s.memory && s.band ? KARST_OK : KARST_ERROR_MEMORY;
    for (int k = 0; k < def->passes && !status; ++k) {
        s.from = k & 1 ? other : land->height_m;
        s.to = k & 1 ? land->height_m : other;
        status = kst_jobs_run(jobs, (int)bands, 1, slide_bands, &s, progress, "slides", k / (double)def->passes,
                              (k + 1) / (double)def->passes);
    }
    if (!status && def->passes & 1) memcpy(land->height_m, other, count * sizeof(float));
    if (!status && ledger) {
        *ledger = (kst_ledger){0};
        for (size_t k = 0; k < bands; ++k) kst_ledger_add(ledger, &s.band[k]);
        double gone = ledger->eroded_m - ledger->deposited_m;
        *(def->closed ? &ledger->unplaced_m : &ledger->carried_m) = gone;
    }
    kst_free(NULL, other, count * sizeof(float));
    kst_free(NULL, s.memory, row_count * s.row_floats * sizeof(float));
    kst_free(NULL, s.band, bands * sizeof *s.band);
    return status;
}
