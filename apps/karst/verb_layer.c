// SPDX-License-Identifier: MIT
// karst layer: the layers above the field of a world, each change one undoable step.
#include <stdlib.h>

#include "karst/sheet.h"

#include "app.h"
#include "edit.h"

// One call of the verb.
typedef struct call {
    args *a;
    karst_project *project;
    int64_t ground;
    const char *name;
    char step[160];
} call;

static karst_status open_world(call *c, karst_project_mode mode) {
    const char *path = c->a->positional[0];
    karst_project_ground g = {0};
    karst_status status = karst_project_open(path, mode, &c->a->report, &c->project);
    if (!status) status = edit_find_field(c->a, c->project, path, &g);
    c->ground = g.id;
    return status;
}

static karst_status all_sheets(const call *c, karst_sheet **out, int *count) {
    int capacity = 0;
    karst_status status = karst_project_sheets(c->project, c->ground, NULL, 0, &capacity);
    karst_sheet *sheets = calloc((size_t)capacity + 1, sizeof *sheets);
    if (!sheets) return kst_fail(&c->a->report, KARST_ERROR_MEMORY, "out of memory");
    if (!status) status = karst_project_sheets(c->project, c->ground, sheets, capacity, count);
    if (status)
        free(sheets);
    else
        *out = sheets;
    return status;
}

// ---- list --------------------------------------------------------------------------------------------

static const char *name_of(const karst_sheet *sheets, int count, int64_t id) {
    for (int i = 0; i < count; ++i)
        if (sheets[i].id == id) return sheets[i].name;
    return "";
}

static karst_status list(call *c) {
    karst_sheet *sheets = NULL;
    int count = 0, layers = 0;
    karst_status status = all_sheets(c, &sheets, &count);
    if (status) return status;
    cJSON *rows = cJSON_AddArrayToObject(c->a->out, "layers");
    for (int i = 0; i < count; ++i) {
        const karst_sheet *s = &sheets[i];
        if (s->kind != KARST_SHEET_LAYER) continue;
        const char *mask = name_of(sheets, count, s->mask);
        say(c->a, "%3d  %-3s  strength %-6g  %s%s%s%s\n", ++layers, s->on ? "on" : "off", (double)s->strength, s->name,
            *mask ? "  mask " : "", mask, s->hash ? "" : "  (empty)");
        cJSON *row = cJSON_CreateObject();
        cJSON_AddNumberToObject(row, "order", layers);
        cJSON_AddStringToObject(row, "name", s->name);
        cJSON_AddBoolToObject(row, "on", s->on);
        cJSON_AddNumberToObject(row, "strength", (double)s->strength);
        *mask ? cJSON_AddStringToObject(row, "mask", mask) : cJSON_AddNullToObject(row, "mask");
        cJSON_AddBoolToObject(row, "empty", !s->hash);
        cJSON_AddItemToArray(rows, row);
    }
    if (!layers) say(c->a, "no layers: the ground is its base alone\n");
    free(sheets);
    return KARST_OK;
}

// ---- changes -----------------------------------------------------------------------------------------

static karst_status find(const call *c, karst_sheet *out) {
    return karst_project_find_sheet(c->project, c->ground, KARST_SHEET_LAYER, c->name, out);
}

// Put a layer at a place among the layers, 1 the lowest, and number all anew.
static karst_status move(const call *c, const karst_sheet *layer, int64_t place) {
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = all_sheets(c, &sheets, &count);
    if (status) return status;
    int32_t at = 0, rank = 0;
    for (int i = 0; i < count && !status; ++i) {
        karst_sheet *s = &sheets[i];
        if (s->kind != KARST_SHEET_LAYER || s->id == layer->id) continue;
        if (++at == place) ++rank;
        s->order = ++rank;
        status = karst_project_set_sheet(c->project, s);
    }
    karst_sheet moved = *layer;
    moved.order = place > at ? rank + 1 : (int32_t)place;
    if (!status) status = karst_project_set_sheet(c->project, &moved);
    free(sheets);
    return status;
}

// What the options ask of a layer.
static karst_status set_options(const call *c, karst_sheet *s) {
    args *a = c->a;
    bool bad = false;
    s->strength = (float)arg_real(a, "--strength", (double)s->strength, -1e6, 1e6, &bad);
    if (arg_flag(a, "--on")) s->on = true;
    if (arg_flag(a, "--off")) s->on = false;
    if (arg_flag(a, "--no-mask")) s->mask = 0;
    const char *mask = arg_text(a, "--mask", NULL), *name = arg_text(a, "--rename", NULL);
    if (name && strlen(name) >= sizeof s->name)
        return kst_fail(&a->report, KARST_ERROR_ARGUMENT, "layer: a name has at most %d bytes", KARST_NAME_BYTES - 1);
    if (name) snprintf(s->name, sizeof s->name, "%s", name);
    karst_sheet found;
    karst_status status = KARST_OK;
    if (mask) status = karst_project_find_sheet(c->project, c->ground, KARST_SHEET_MASK, mask, &found);
    if (mask && !status) s->mask = found.id;
    if (!status) status = karst_project_set_sheet(c->project, s);
    int64_t place = arg_int(a, "--order", 0, 1, 1000000, &bad);
    return status || !place ? status : move(c, s, place);
}

static karst_status add(call *c) {
    int64_t id;
    karst_sheet s;
    karst_status status = karst_project_add_sheet(c->project, c->ground, KARST_SHEET_LAYER, c->name, &id);
    if (!status) status = find(c, &s);
    return status ? status : set_options(c, &s);
}

static karst_status set(call *c) {
    karst_sheet s;
    karst_status status = find(c, &s);
    return status ? status : set_options(c, &s);
}

static karst_status turn(call *c, bool on) {
    karst_sheet s;
    karst_status status = find(c, &s);
    s.on = on;
    return status ? status : karst_project_set_sheet(c->project, &s);
}

static karst_status turn_on(call *c) {
    return turn(c, true);
}

static karst_status turn_off(call *c) {
    return turn(c, false);
}

static karst_status drop(call *c) {
    karst_sheet s;
    karst_status status = find(c, &s);
    return status ? status : karst_project_remove_sheet(c->project, s.id);
}

static karst_status merge(call *c) {
    karst_sheet s;
    karst_status status = find(c, &s);
    return status ? status : karst_project_merge_layer(c->project, s.id, &c->a->progress);
}

// ---- the verb ----------------------------------------------------------------------------------------

static const struct {
    const char *word;
    karst_status (*run)(call *c);
    bool named, takes_options;
} actions[] = {
    {"list", list, false, false},  {"add", add, true, true},       {"set", set, true, true},
    {"on", turn_on, true, false},  {"off", turn_off, true, false}, {"remove", drop, true, false},
    {"merge", merge, true, false},
};
enum { ACTION_COUNT = sizeof actions / sizeof *actions };

static karst_status change(call *c, karst_status (*act)(call *c)) {
    karst_status status = karst_project_begin(c->project, c->step);
    if (!status) status = act(c);
    if (!status) status = karst_project_commit(c->project);
    if (status && !c->a->report.message[0]) kst_fail(&c->a->report, status, "%s", karst_project_message(c->project));
    if (status) karst_project_rollback(c->project);
    return status;
}

static int find_action(args *a) {
    const char *word = a->positional_count > 1 ? a->positional[1] : "list";
    for (int i = 0; i < ACTION_COUNT; ++i)
        if (!strcmp(actions[i].word, word)) return i;
    say_usage(a, "layer: %s: one of list, add, set, on, off, merge, remove", word);
    return -1;
}

static int check_words(args *a, int action) {
    bool bad = false, named = a->positional_count > 2;
    if (actions[action].named != named)
        return say_usage(a, "layer: karst layer WORLD %s%s", actions[action].word, named ? "" : " NAME");
    arg_real(a, "--strength", 1, -1e6, 1e6, &bad);
    arg_int(a, "--order", 1, 1, 1000000, &bad);
    if (bad) return EXIT_USAGE;
    for (const option *o = a->verb->options; o->name; ++o)
        if (arg_flag(a, o->name) && !actions[action].takes_options)
            return say_usage(a, "layer: %s goes with add and set", o->name);
    if (arg_flag(a, "--on") && arg_flag(a, "--off")) return say_usage(a, "layer: --on or --off, not both");
    if (arg_flag(a, "--mask") && arg_flag(a, "--no-mask")) return say_usage(a, "layer: --mask or --no-mask, not both");
    return EXIT_DONE;
}

static int run(args *a) {
    int action = find_action(a);
    if (action < 0 || check_words(a, action)) return EXIT_USAGE;
    bool lists = !actions[action].named;
    call c = {.a = a, .name = lists ? "" : a->positional[2]};
    snprintf(c.step, sizeof c.step, "layer %s %s", actions[action].word, c.name);
    karst_status status = open_world(&c, lists ? KARST_PROJECT_READ : KARST_PROJECT_WRITE);
    cJSON_AddStringToObject(a->out, "world", a->positional[0]);
    if (!status) status = lists ? KARST_OK : change(&c, actions[action].run);
    if (!status && !lists) say(a, "%s: %s\n", a->positional[0], c.step);
    if (!status) status = list(&c);
    if (status && !a->report.message[0])
        kst_fail(&a->report, status, "%s", c.project ? karst_project_message(c.project) : karst_status_text(status));
    karst_project_close(c.project);
    return status ? could_not(a, status) : EXIT_DONE;
}

static const option options[] = {
    {"--strength", "S", "share of the layer that is added: 0 nothing, 1 all, below 0 the contrary (1)"},
    {"--mask", "NAME", "limit the layer by a mask of the world"},
    {"--no-mask", NULL, "limit it no more"},
    {"--order", "N", "its place among the layers, 1 the lowest (the highest)"},
    {"--on", NULL, "show it"},
    {"--off", NULL, "do not show it"},
    {"--rename", "NAME", "give it another name"},
    {0},
};

const verb verb_layer = {
    .name = "layer",
    .usage = "WORLD [list|add NAME|set NAME|on NAME|off NAME|merge NAME|remove NAME] [options]",
    .summary =
        "Layers above the ground: changes that can be turned off, weakened, masked, removed, or merged for good, while "
        "the base "
        "keeps its bits. Verbs that edit take --layer NAME.",
    .example = "karst layer island.karst add dunes --strength 0.5\nkarst layer island.karst off dunes",
    .options = options,
    .least = 1,
    .most = 3,
    .run = run,
};
