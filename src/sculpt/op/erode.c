// SPDX-License-Identifier: MIT
// Erode: the whole pipeline, coarse to fine, so that valleys of every size drain.
//
//     coarsest cells     rivers (many steps), settled once on the way
//     each finer level   takes over the change, settles, rivers (few steps)
//     finest level       rain, slides, settles, rivers, beds, banks slide, settles for good
//
// Settling early lets the later steps widen what it cuts into valleys; rain and slides come before the last rivers,
// since they would undo their network. Each level has the detail of the given ground and the change of the coarser one.
#include "karst/erode.h"

#include <math.h>

#include "op/beds.h"
#include "op/droplets.h"
#include "op/erode_ground.h"
#include "op/rivers.h"
#include "op/settle.h"
#include "op/thermal.h"

enum { LEVELS_MAX = 12, LEAST_SIDE = 64, MOST_SIDE = 640, CELLS_MAX = 1 << 30, BANK_PASSES = 3 };

// Levels from the coarsest on: steps, and years in shares of the age. Later levels do as the last one here.
static const struct {
    int steps;
    double age;
} chapter[] = {{60, 1}, {10, 1 / 3.}, {4, 1 / 6.}, {2, 2 / 15.}};
enum { CHAPTERS = sizeof chapter / sizeof *chapter };

typedef struct pipeline {
    const karst_erosion_ground *ground;
    const karst_erosion_def *def;
    kst_team team;
    kst_level level[LEVELS_MAX];  // coarsest first
    int level_count;
    double work, work_done;    // in cells of a step
    double bank_m;             // sediment that left so far: what hollows may be filled with [m on one cell]
    float least_fall, size_m;  // of a river [m/m]; of the largest height
    float *metric_memory;      // NULL: a regular grid
    kst_metric metric;         // of the finest level
    int64_t folded;            // samples that stay
    double explained_m;        // change of the finest level by the stages' own accounts
    float breach_m;
} pipeline;

static const int rain_work = 3, thermal_work = 1;  // in steps, for the progress bar

static int chapter_of(int level) {
    return level < CHAPTERS ? level : CHAPTERS - 1;
}

static void advance(pipeline *p, const kst_level *level, double steps) {
    p->work_done += steps * (double)kst_level_cells(level);
    p->team.share = p->work > 0 ? fmin(p->work_done / p->work, 1) : 1;
}

// ---- levels ----------------------------------------------------------------------------------------

// Rivers need some fall, but on low land not more than a small part of what there is.
static float find_least_fall(const karst_erosion_ground *g, float asked, float low, float high) {
    float way_m = (float)(g->width > g->height ? g->width : g->height) * g->cell_m,
          there = 0.02f * (high - low) / way_m;
    return asked < there ? asked : there;
}

// A fall that heights of this size can still tell from none.
static float fall_of(const pipeline *p, const kst_level *level) {
    float least = p->size_m * 0x1p-21f / level->cell_m;
    return p->least_fall > least ? p->least_fall : least;
}

static int count_levels(const karst_erosion_ground *g, float coarse_m) {
    int count = 1;
    for (int w = g->width, h = g->height; count < LEVELS_MAX; ++count) {
        float coarser_m = g->cell_m * (float)(1 << count);
        w = (w + 1) / 2;
        h = (h + 1) / 2;
        bool large = 2 * (w > h ? w : h) > MOST_SIDE;
        if (w < LEAST_SIDE || h < LEAST_SIDE || (coarser_m > coarse_m && !large)) break;
    }
    return count;
}

static karst_status make_levels(pipeline *p) {
    const karst_erosion_ground *g = p->ground;
    float low, high;
    karst_status status = kst_ground_range(g, &p->team, &low, &high);
    if (status) return status;
    p->least_fall = find_least_fall(g, p->def->rivers.least_fall, low, high);
    p->size_m = fmaxf(fabsf(low), fabsf(high));
    int count = count_levels(g, p->def->rivers.coarse_m), w = g->width, h = g->height;
    for (int l = count - 1; l >= 0 && !status; --l) {
        float cell_m = g->cell_m * (float)(1 << (count - 1 - l));
        status = kst_level_create(w, h, cell_m, &p->level[l]);
        if (status) break;
        if (l == count - 1)
            status = kst_ground_in(g, &p->level[l], &p->team);
        else
            status = kst_level_down(&p->level[l + 1], &p->level[l], &p->team);
        if (status) break;
        kst_level_frame(&p->level[l], low, high);
        if (l == count - 1 && g->aside_x_m)
            status = kst_ground_metric(g, &p->level[l], &p->metric_memory, &p->metric, &p->folded);
        p->work += chapter[chapter_of(l)].steps * (double)kst_level_cells(&p->level[l]);
        w = (w + 1) / 2;
        h = (h + 1) / 2;
    }
    p->level_count = count;
    p->work += (rain_work + thermal_work) * (double)kst_level_cells(&p->level[count - 1]);
    return status;
}

// ---- stages ----------------------------------------------------------------------------------------

static karst_status settle(pipeline *p, kst_level *level, kst_route *route, float most_m) {
    const karst_rivers_def *rivers = &p->def->rivers;
    kst_settling how = {rivers->cut_share, fall_of(p, level), most_m, p->bank_m > 0 ? p->bank_m : 0};
    double change_m;
    p->team.stage = "settle";
    karst_status status = kst_settle(level, route, &how, &p->team, &change_m, &p->breach_m);
    if (status) return status;
    p->bank_m -= change_m;
    p->explained_m += change_m;
    return KARST_OK;
}

static karst_status run_rivers(pipeline *p, int l, kst_route *route) {
    const karst_rivers_def *def = &p->def->rivers;
    kst_level *level = &p->level[l];
    int steps = chapter[chapter_of(l)].steps, settle_at = l ? -1 : steps * 7 / 10;
    double years = (double)def->years * chapter[chapter_of(l)].age / steps;
    float creep = (float)((double)def->creep_m2_per_yr * years / ((double)level->cell_m * (double)level->cell_m));
    kst_rivers_step step = {.cut = (float)((double)def->erodibility_per_yr * years),
                            .creep = creep < 0.2f ? creep : 0.2f,
                            .talus = def->talus,
                            .fan = def->fan,
                            .half_cells = def->river_m2 / (level->cell_m * level->cell_m),
                            .min_fall_m = fall_of(p, level) * level->cell_m};
    karst_status status = KARST_OK;
    for (int s = 0; s < steps && !status; ++s) {
        if (s == settle_at) status = settle(p, level, route, INFINITY);
        kst_route_way way = {false, p->def->seed, (uint32_t)(l * 1000 + s)};
        p->team.stage = "rivers";
        if (!status) status = kst_route_find(route, level->height_m, way, &p->team);
        double carried_m = 0;
        if (!status) status = kst_rivers_cut(level, route, &step, &p->team, &carried_m);
        p->bank_m += carried_m;
        p->explained_m -= carried_m;
        advance(p, level, 1);
    }
    return status;
}

// The finest level, frame and all, as land; its hardness lies in the spare array.
static kst_land as_land(const pipeline *p, const kst_level *l) {
    return (kst_land){.metric = p->metric_memory ? &p->metric : NULL,
                      .width = l->width,
                      .height = l->height,
                      .cell_m = l->cell_m,
                      .height_m = l->height_m,
                      .mask = l->take,
                      .hardness = l->spare_m};
}

// After a stage of its own, which began at before_m: its ledger explains what it moved. A ledger of ground with a
// metric counts true areas, and the account plain cells; there the ground itself has to be asked.
static karst_status book(pipeline *p, kst_level *level, const kst_ledger *ledger, double before_m) {
    double after_m = before_m + ledger->deposited_m - ledger->eroded_m;
    karst_status status = KARST_OK;
    if (p->metric_memory) status = kst_level_volume(level, level->height_m, &p->team, &after_m);
    p->explained_m += after_m - before_m;
    return status ? status : kst_level_keep_rock(level, &p->team);
}

static karst_status volume_before(const pipeline *p, const kst_level *level, double *before_m) {
    *before_m = 0;
    return p->metric_memory ? kst_level_volume(level, level->height_m, &p->team, before_m) : KARST_OK;
}

static karst_status run_rain(pipeline *p, kst_level *level) {
    if (p->def->droplets.drops <= 0) return KARST_OK;
    kst_land land = as_land(p, level);
    kst_droplets_result result;
    double before_m;
    karst_status status = volume_before(p, level, &before_m);
    if (!status) status = kst_level_hardness(level, &p->team);
    if (!status) status = kst_droplets(&land, &p->def->droplets, p->team.jobs, p->team.progress, &result);
    if (status) return status;
    advance(p, level, rain_work);
    return book(p, level, &result.ledger, before_m);
}

static karst_status run_thermal(pipeline *p, kst_level *level, int passes) {
    if (passes <= 0) return KARST_OK;
    karst_thermal_def def = p->def->thermal;
    def.passes = passes;
    kst_land land = as_land(p, level);
    kst_ledger ledger;
    double before_m;
    karst_status status = volume_before(p, level, &before_m);
    if (!status) status = kst_level_hardness(level, &p->team);
    if (!status) status = kst_thermal(&land, &def, p->team.jobs, p->team.progress, &ledger);
    if (status) return status;
    advance(p, level, thermal_work);
    return book(p, level, &ledger, before_m);
}

static karst_status run_level(pipeline *p, int l) {
    kst_level *level = &p->level[l];
    bool finest = l == p->level_count - 1;
    kst_route route;
    karst_status status = kst_route_create(level->width, level->height, &route);
    if (status) return status;
    p->explained_m = 0;
    if (l) {
        double start_m, come_m;
        status = kst_level_up(&p->level[l - 1], level, &p->team);
        kst_level_free(&p->level[l - 1]);
        if (!status) status = kst_level_volume(level, level->start_m, &p->team, &start_m);
        if (!status) status = kst_level_volume(level, level->height_m, &p->team, &come_m);
        if (!status) p->explained_m = come_m - start_m;
        p->bank_m *= 4;  // cells are a quarter
    }
    kst_level_fix_ring(level);
    if (!status && finest) status = run_rain(p, level);
    if (!status && finest) status = run_thermal(p, level, p->def->thermal.passes);
    const bool flows = p->def->rivers.years > 0;
    if (!status && l && flows) status = settle(p, level, &route, INFINITY);
    if (!status && flows) status = run_rivers(p, l, &route);
    if (!status && finest && flows) {
        double carried_m = 0;
        const kst_beds beds = {p->def->rivers.bed, p->def->rivers.bank};
        status = kst_beds_carve(level, &route, &beds, &p->team, &carried_m);
        p->bank_m += carried_m;
        p->explained_m -= carried_m;
        // Banks that were cut too steep slide.
        if (!status)
            status = run_thermal(p, level, p->def->thermal.passes < BANK_PASSES ? p->def->thermal.passes : BANK_PASSES);
    }
    if (!status && finest && flows) status = settle(p, level, &route, p->def->rivers.lake_m);
    kst_route_free(&route);
    return status;
}

// ---- out -------------------------------------------------------------------------------------------

static karst_status tell(const pipeline *p, const kst_level *l, karst_erosion_result *out) {
    double start_m, end_m, area = (double)l->cell_m * (double)l->cell_m;
    kst_ground_sums sums;
    karst_status status = kst_level_volume(l, l->start_m, &p->team, &start_m);
    if (!status) status = kst_level_volume(l, l->height_m, &p->team, &end_m);
    if (!status) status = kst_ground_sum(l, &p->team, &sums);
    if (status) return status;
    double unexplained_m = fabs(end_m - start_m - p->explained_m);
    *out = (karst_erosion_result){
        .worn_m3 = area * sums.worn_m,
        .laid_m3 = area * sums.laid_m,
        .carried_m3 = area * (sums.worn_m - sums.laid_m),
        .account_error = sums.moved_m > 0 ? unexplained_m / sums.moved_m : 0,
        .deepest_cut_m = sums.deepest_m,
        .deepest_breach_m = p->breach_m,
        .folded = p->folded,
    };
    return KARST_OK;
}

karst_status karst_erode(const karst_erosion_ground *ground, const karst_erosion_def *def, karst_jobs *jobs,
                         const karst_progress *progress, karst_erosion_result *result) {
    KARST_ASSERT(ground && !ground->aside_x_m == !ground->aside_z_m);
    KARST_ASSERT(ground->width >= 2 && ground->height >= 2 && ground->cell_m > 0 && ground->height_m);
    KARST_ASSERT(def && def->cookie == KST_COOKIE && def->rivers.cookie == KST_COOKIE);
    int64_t framed = ((int64_t)ground->width + 2 * KST_FRAME) * ((int64_t)ground->height + 2 * KST_FRAME);
    if (framed > CELLS_MAX) return KARST_ERROR_LIMIT;
    pipeline *p = kst_alloc_zero(NULL, sizeof *p);
    if (!p) return KARST_ERROR_MEMORY;
    *p = (pipeline){.ground = ground, .def = def, .team = {jobs, progress, "erode", 0}};
    karst_status status = make_levels(p);
    for (int l = 0; l < p->level_count && !status; ++l) {
        status = kst_level_open(&p->level[l], &p->team);
        if (!status) status = run_level(p, l);
    }
    kst_level *finest = p->level_count ? &p->level[p->level_count - 1] : NULL;
    karst_erosion_result told;
    if (!status) status = tell(p, finest, &told);
    if (!status) {
        kst_ground_out(ground, finest, jobs);
        if (result) *result = told;
    }
    if (finest) kst_free(NULL, p->metric_memory, kst_level_cells(finest) * 3 * sizeof *p->metric_memory);
    for (int l = 0; l < LEVELS_MAX; ++l) kst_level_free(&p->level[l]);
    kst_free(NULL, p, sizeof *p);
    return status;
}
