// SPDX-License-Identifier: MIT
// karst erode: rivers, rain and slides on the ground of a world.
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "edit.h"
#include "karst/erode.h"
#include "part.h"

enum { VERTICES_MAX = 1 << 26 };  // of one erosion: about 90 bytes each

typedef struct wish {
    karst_erosion_def def;
    const char *preset;
} wish;

// ---- words -----------------------------------------------------------------------------------------

static bool find_preset(const char *name, karst_erosion_def *def) {
    for (int k = 0; k < KARST_EROSION_PRESET_COUNT; ++k)
        if (!strcmp(name, karst_erosion_preset_name((karst_erosion_preset)k))) {
            *def = karst_erosion_def_preset((karst_erosion_preset)k);
            return true;
        }
    return false;
}

static int read_wish(args *a, wish *w) {
    bool bad = false;
    w->preset = arg_text(a, "--preset", "alpine");
    if (!find_preset(w->preset, &w->def))
        return say_usage(a, "erode: --preset %s: there are alpine, desert, coast", w->preset);
    karst_erosion_def *d = &w->def;
    d->rivers.years = (float)arg_real(a, "--years", (double)d->rivers.years, 0, 1e8, &bad);
    d->droplets.drops = (float)arg_real(a, "--drops", (double)d->droplets.drops, 0, 100, &bad);
    d->thermal.passes = (int)arg_int(a, "--thermal", d->thermal.passes, 0, 10000, &bad);
    d->seed = (uint64_t)arg_int(a, "--seed", (int64_t)d->seed, 0, INT64_MAX, &bad);
    d->droplets.seed = (uint32_t)d->seed;
    if (bad) return EXIT_USAGE;
    if (d->rivers.years == 0 && d->droplets.drops == 0 && d->thermal.passes == 0)
        return say_usage(a, "erode: --years, --drops and --thermal are all 0: nothing to do");
    const char *wear = arg_text(a, "--wear", NULL), *deposit = arg_text(a, "--deposit", NULL);
    if (wear && deposit && !strcmp(wear, deposit))
        return say_usage(a, "erode: --wear and --deposit name one mask, %s: they need two", wear);
    return EXIT_DONE;
}

static karst_status check_size(args *a, const karst_rect *r) {
    if ((int64_t)(r->x1 - r->x0) * (r->z1 - r->z0) <= VERTICES_MAX) return KARST_OK;
    return kst_fail(&a->report, KARST_ERROR_LIMIT,
                    "erode: %d x %d vertices are more than the %d that go at once; erode a part with --area",
                    r->x1 - r->x0, r->z1 - r->z0, VERTICES_MAX);
}

// ---- telling ---------------------------------------------------------------------------------------

static void tell_pits(cJSON *out, const char *name, const karst_pits *p) {
    cJSON *o = cJSON_AddObjectToObject(out, name);
    cJSON_AddNumberToObject(o, "count", (double)p->count);
    cJSON_AddNumberToObject(o, "share", p->share);
    cJSON_AddNumberToObject(o, "fill_share", p->fill_share);
    cJSON_AddNumberToObject(o, "deepest_m", p->deepest_m);
}

static void tell(args *a, const wish *w, const karst_rect *r, const karst_canvas_erosion *e, double seconds) {
    const karst_erosion_result *done = &e->result;
    say(a, "%s, %d x %d vertices, %.2f s\n", w->preset, r->x1 - r->x0, r->z1 - r->z0, seconds);
    say(a, "  worn %.4g m3, laid down %.4g m3, carried off %.4g m3; deepest cut %.1f m\n", done->worn_m3, done->laid_m3,
        done->carried_m3, (double)done->deepest_cut_m);
    say(a, "  hollows without a way out: %lld, %.2f %% of the ground, before; %lld, %.2f %%, after\n",
        (long long)e->before.count, 100 * e->before.share, (long long)e->after.count, 100 * e->after.share);
    if (e->masked) say(a, "  %lld vertices left alone: masked or at holes\n", (long long)e->masked);
    if (e->result.folded)
        say(a, "  %lld vertices left alone: the ground folds over or overhangs\n", (long long)e->result.folded);
    const char *wear = arg_text(a, "--wear", NULL), *deposit = arg_text(a, "--deposit", NULL);
    if (wear) say(a, "  mask %s: 1 where %.3g m and more are worn\n", wear, (double)e->wear_full_m);
    if (deposit) say(a, "  mask %s: 1 where %.3g m and more are laid down\n", deposit, (double)e->deposit_full_m);

    cJSON_AddStringToObject(a->out, "preset", w->preset);
    cJSON_AddNumberToObject(a->out, "columns", r->x1 - r->x0);
    cJSON_AddNumberToObject(a->out, "rows", r->z1 - r->z0);
    cJSON_AddNumberToObject(a->out, "seconds", seconds);
    cJSON_AddNumberToObject(a->out, "worn_m3", done->worn_m3);
    cJSON_AddNumberToObject(a->out, "laid_m3", done->laid_m3);
    cJSON_AddNumberToObject(a->out, "carried_m3", done->carried_m3);
    cJSON_AddNumberToObject(a->out, "account_error", done->account_error);
    cJSON_AddNumberToObject(a->out, "deepest_cut_m", (double)done->deepest_cut_m);
    tell_pits(a->out, "pits_before", &e->before);
    tell_pits(a->out, "pits_after", &e->after);
    cJSON_AddNumberToObject(a->out, "masked", (double)e->masked);
    cJSON_AddNumberToObject(a->out, "folded", (double)e->result.folded);
    if (wear) cJSON_AddNumberToObject(a->out, "wear_full_m", (double)e->wear_full_m);
    if (deposit) cJSON_AddNumberToObject(a->out, "deposit_full_m", (double)e->deposit_full_m);
}

// ---- the step --------------------------------------------------------------------------------------

static karst_status erode(args *a, edit *e, const wish *w, const karst_rect *rect, karst_canvas_erosion *out) {
    karst_erosion_sheets sheets = {0};
    karst_status status = check_size(a, rect);
    if (!status) status = edit_open_mask(a, e, "--hardness", false, &sheets.hardness);
    if (!status) status = edit_open_mask(a, e, "--wear", true, &sheets.wear);
    if (!status) status = edit_open_mask(a, e, "--deposit", true, &sheets.deposit);
    if (!status) status = karst_canvas_erode(&e->canvas, *rect, &w->def, &sheets, a->jobs, &a->progress, out);
    if (!status && sheets.wear) status = karst_field_flush(sheets.wear);
    if (!status && sheets.deposit) status = karst_field_flush(sheets.deposit);
    karst_field_destroy(sheets.hardness);
    karst_field_destroy(sheets.wear);
    karst_field_destroy(sheets.deposit);
    return status;
}

static int run(args *a) {
    wish w;
    int wrong = read_wish(a, &w);
    if (wrong) return wrong;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    edit e;
    karst_status status = edit_begin(a, a->positional[0], "erode", &e);
    if (status) return could_not(a, status);
    karst_rect rect;
    if (!arg_area(a, &e.ground.shape, 2, &rect)) {
        edit_end(a, &e, KARST_ERROR_ARGUMENT);
        return EXIT_USAGE;
    }
    karst_canvas_erosion done;
    status = erode(a, &e, &w, &rect, &done);
    status = edit_end(a, &e, status);
    if (status) return could_not(a, status);
    clock_gettime(CLOCK_MONOTONIC, &end);
    tell(a, &w, &rect, &done, (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    return EXIT_DONE;
}

static const option options[] = {
    {"--preset", "NAME", "alpine, desert or coast (alpine)"},
    {"--years", "N",
     "age that rivers work [yr]; 0: no rivers, and hollows stay (the preset's: 100000, 160000 or 200000)"},
    {"--drops", "N", "drops of rain a vertex; 0: no rain (the preset's)"},
    {"--thermal", "N", "passes of slides; 0: none (the preset's)"},
    {"--hardness", "MASK", "a mask of the world whose 1 is never lowered"},
    {"--wear", "NAME", "keep where rock was removed as this mask, made when there is none"},
    {"--deposit", "NAME", "keep where sediment lies as this mask, made when there is none"},
    {"--seed", "N", "another number gives other valleys (1)"},
    PART_OPTION,
    EDIT_OPTIONS,
    {0},
};

const verb verb_erode = {
    .name = "erode",
    .usage = "WORLD [options]",
    .summary = "Erode the ground with rivers, rain and slides, so that its water finds a way out.",
    .example = "karst erode island.karst --preset alpine --wear worn --deposit silt",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
