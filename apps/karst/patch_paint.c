// SPDX-License-Identifier: MIT
// karst patch noise and tile: what tiles are displaced by and painted with, everywhere or dab by dab.
#include <math.h>
#include <stdlib.h>

#include "karst/tile.h"
#include "net_edit.h"
#include "patch.h"

static const char *const set_names[KARST_NOISE_SETS] = {"earth", "grass", "rock", "moss", "sand", "path"};

int patch_arg_set(args *a, bool *bad) {
    const char *name = arg_text(a, "--set", NULL);
    for (int k = 0; name && k < KARST_NOISE_SETS; ++k)
        if (!strcmp(set_names[k], name)) return k;
    if (name) {
        say_usage(a, "patch: --set %s: one of " PATCH_SET_NAMES, name);
        *bad = true;
    }
    return KARST_NET_NONE;
}

// --group: a group's number; KARST_NET_NONE when not given. Nonsense says a line and sets *bad.
static int arg_group(args *a, bool *bad) {
    const char *name = arg_text(a, "--group", NULL);
    if (!name) return KARST_NET_NONE;
    char names[256] = "";
    for (int k = 0; k < KARST_TILE_GROUPS; ++k) {
        if (!strcmp(karst_tile_group_name(k), name)) return k;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", karst_tile_group_name(k));
    }
    say_usage(a, "patch: --group %s: one of %s", name, names);
    *bad = true;
    return KARST_NET_NONE;
}

// What is taken from the colour (karst_net_patch.tint) so that it is multiplied by RRGGBB; -1 when not given.
static int32_t arg_tint(args *a, bool *bad) {
    const char *text = arg_text(a, "--tint", NULL);
    if (!text) return -1;
    if (strlen(text) != 6 || strspn(text, "0123456789abcdefABCDEF") != 6) {
        say_usage(a, "patch: --tint %s: six digits RRGGBB, 0 to f", text);
        *bad = true;
        return -1;
    }
    unsigned long colour = strtoul(text, NULL, 16);
    long left[3] = {255 - (long)(colour >> 16), 255 - (long)(colour >> 8 & 255), 255 - (long)(colour & 255)};
    return (int32_t)((left[0] * 31 + 127) / 255 << 11 | (left[1] * 63 + 127) / 255 << 5 | (left[2] * 31 + 127) / 255);
}

int patch_read_dabs(args *a, bool grouped, table *out) {
    const table_words words = {"group", karst_tile_group_name, grouped ? KARST_TILE_GROUPS : 0};
    const char *file = arg_text(a, "--dabs", NULL), *at = arg_text(a, "--at", NULL);
    bool bad = false;
    if (file && (at || arg_flag(a, "--radius")))
        return say_usage(a, "patch: --dabs FILE says places and radii; leave --at and --radius out");
    if (!at != !arg_flag(a, "--radius")) return say_usage(a, "patch: --at X,Y,Z and --radius M go together");
    if (file) {
        if (!table_read_words(a, file, 4, &words, out)) return EXIT_COULD_NOT;
        for (size_t k = 0; k < out->rows; ++k)
            if (out->number[PATCH_DAB * k + 3] <= 0)
                return say_error(a, "%s:%zu: a radius of %g m; it must be above 0", file, k + 1,
                                 out->number[PATCH_DAB * k + 3]);
        return EXIT_DONE;
    }
    *out = (table){.number = calloc(PATCH_DAB, sizeof *out->number), .rows = 1, .width = PATCH_DAB};
    if (!out->number) return could_not(a, kst_fail(&a->report, KARST_ERROR_MEMORY, "out of memory"));
    out->number[3] = HUGE_VAL, out->number[4] = -1;
    if (at) {
        arg_triple(a, "--at", out->number, &bad);
        out->number[3] = arg_real(a, "--radius", 1, 1e-3, 1e9, &bad);
    }
    return bad ? EXIT_USAGE : EXIT_DONE;
}

typedef struct dabs {
    bool paint;
    int slot, set, group;
    int32_t tint;
    table places;
    double changed, grouped;  // grouped: tiles, of which changed are their corners
    int groups;               // bits of those that were painted
    size_t idle;              // dabs that reached nothing
} dabs;

static karst_status dab_all(args *a, karst_net *net, dabs *d) {
    for (size_t k = 0; k < d->places.rows; ++k) {
        karst_status status = kst_progress_step(&a->progress, "dabs", (double)k / (double)d->places.rows);
        if (status) return status;
        const double *n = &d->places.number[PATCH_DAB * k];
        karst_pos at = {n[0], n[1], n[2]};
        int32_t changed = d->paint ? karst_net_paint(net, at, n[3], d->set, d->tint)
                                   : karst_net_displace(net, at, n[3], d->slot, d->set);
        if (changed < 0) return kst_fail(&a->report, KARST_ERROR_MEMORY, "out of memory for the net");
        int group = n[4] >= 0 ? (int)n[4] : d->group;
        int32_t grouped = group >= 0 ? karst_net_paint_group(net, at, n[3], group) : 0;
        if (group >= 0) d->groups |= 1 << group;
        d->changed += changed, d->grouped += grouped, d->idle += !changed && !grouped;
    }
    return KARST_OK;
}

// Dabs that say nothing to paint.
static int check_dabs(args *a, const dabs *d) {
    for (size_t k = 0; k < d->places.rows && d->paint && d->set < 0 && d->group < 0 && d->tint < 0; ++k)
        if (d->places.number[PATCH_DAB * k + 4] < 0)
            return say_error(a, "%s: dab %zu names no group; end its line with one, or give --set, --group or --tint",
                             arg_text(a, "--dabs", "-"), k + 1);
    return EXIT_DONE;
}

static int edit_dabs(args *a, const char *path, const char *step, dabs *d) {
    net_edit e;
    int result = patch_read_dabs(a, d->paint, &d->places);
    if (!result) result = check_dabs(a, d);
    karst_status status = result ? KARST_OK : net_edit_begin(a, path, step, NET_NEEDED, &e);
    if (!result && !status) status = net_edit_end(a, &e, dab_all(a, e.net, d));
    if (status) result = could_not(a, status);
    if (!result) {
        const char *what = d->paint ? "tile corners" : "tiles";
        char grouped[64] = "";
        if (d->groups) snprintf(grouped, sizeof grouped, ", %.0f tiles of another group", d->grouped);
        say(a, "%zu dabs, %.0f %s changed%s, %zu dabs changed nothing\n", d->places.rows, d->changed, what, grouped,
            d->idle);
        for (int k = 0; k < KARST_TILE_GROUPS && d->set >= 0; ++k)
            if ((d->groups & ~karst_tile_groups_of(d->set)) >> k & 1)
                say(a, "%s has no images of %s; its common ones show there\n", set_names[d->set],
                    karst_tile_group_name(k));
        cJSON_AddNumberToObject(a->out, "dabs", (double)d->places.rows);
        cJSON_AddNumberToObject(a->out, "changed", d->changed);
        if (d->paint) cJSON_AddNumberToObject(a->out, "grouped", d->grouped);
        cJSON_AddNumberToObject(a->out, "idle", (double)d->idle);
    }
    table_free(&d->places);
    return result;
}

int patch_noise(args *a, const char *path) {
    bool bad = false;
    dabs d = {.tint = -1, .group = KARST_NET_NONE};
    d.slot = (int)arg_int(a, "--slot", -1, 0, KARST_NOISE_SLOTS - 1, &bad);
    d.set = patch_arg_set(a, &bad);
    if (bad) return EXIT_USAGE;
    if (d.slot < 0) return say_usage(a, "patch: noise needs --slot N, 0 flat to 15 roughest");
    return edit_dabs(a, path, "patch noise", &d);
}

int patch_tile(args *a, const char *path) {
    bool bad = false;
    dabs d = {.paint = true};
    d.set = patch_arg_set(a, &bad);
    d.group = arg_group(a, &bad);
    d.tint = arg_tint(a, &bad);
    if (bad) return EXIT_USAGE;
    if (d.set < 0 && d.group < 0 && d.tint < 0 && !arg_flag(a, "--dabs"))
        return say_usage(a, "patch: tile needs --set NAME, --group NAME or --tint RRGGBB");
    if (d.set >= 0 && d.group < 0) d.group = 0;  // plain grass is what --set grass says
    return edit_dabs(a, path, "patch tile", &d);
}
