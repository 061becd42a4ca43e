// SPDX-License-Identifier: MIT
// karst sculpt: strokes of brushes and stamps on the ground of a world.
#include <stdlib.h>
#include <time.h>

#include "edit.h"
#include "karst/geo.h"
#include "karst/netsculpt.h"
#include "karst/stroke.h"
#include "net_edit.h"

static double wall_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- what to draw ------------------------------------------------------------------------------------

// The words of --brush, --stamp and --at as the text of a stroke file.
static karst_status parse_words(args *a, const char *brush, const char *stamp, const char *at, karst_recordings *out) {
    size_t room = 64 + (brush ? strlen(brush) : 0) + (stamp ? strlen(stamp) : 0) + strlen(at);
    char *text = malloc(room);
    if (!text) return KARST_ERROR_MEMORY;
    snprintf(text, room, "karst-strokes 1\nbrush %s", brush ? brush : "stamp");
    if (stamp) snprintf(text + strlen(text), room - strlen(text), " stamp=\"%s\"", stamp);
    snprintf(text + strlen(text), room - strlen(text), "\n%s\n", at);
    for (char *c = strrchr(text, 0) - strlen(at) - 1; *c; ++c)
        if (*c == ';') *c = '\n';
    karst_status status = karst_recordings_parse(text, strlen(text), "--brush and --at", &a->report, out);
    free(text);
    return status;
}

// A stamp's file is named relative to the stroke file.
static karst_status load_stamp(args *a, const char *strokes, karst_recording *r) {
    char path[2 * KARST_STROKE_FILE_BYTES + 4096];
    const char *slash = strokes ? strrchr(strokes, '/') : NULL;
    int folder = slash && r->stamp[0] != '/' ? (int)(slash - strokes) + 1 : 0;
    if (folder > 4096) folder = 0;
    snprintf(path, sizeof path, "%.*s%s", folder, strokes ? strokes : "", r->stamp);
    karst_stamp *stamp;
    karst_status status = karst_geo_read_stamp(path, &a->report, &stamp);
    if (status) return status;
    r->brush.stamp = stamp;
    if (karst_stamp_axes(stamp, r->axes))
        return kst_fail(&a->report, KARST_ERROR_ARGUMENT,
                        "axes=%s: three of r, g and b for right, up and out, - before one that counts the other way",
                        r->axes);
    return KARST_OK;
}

// The same file is read once, even when many strokes press it.
static karst_status load_stamps(args *a, const char *strokes, karst_recordings *all) {
    for (size_t k = 0; k < all->count; ++k) {
        karst_recording *r = &all->strokes[k];
        for (size_t before = 0; before < k && !r->brush.stamp; ++before)
            if (!strcmp(all->strokes[before].stamp, r->stamp) && !strcmp(all->strokes[before].axes, r->axes))
                r->brush.stamp = all->strokes[before].brush.stamp;
        karst_status status = r->stamp[0] && !r->brush.stamp ? load_stamp(a, strokes, r) : KARST_OK;
        if (status) return status;
    }
    return KARST_OK;
}

static void free_all(karst_recordings *all) {
    for (size_t k = 0; k < all->count; ++k) {
        const karst_stamp *stamp = all->strokes[k].brush.stamp;
        for (size_t after = k; after < all->count; ++after)
            if (all->strokes[after].brush.stamp == stamp) all->strokes[after].brush.stamp = NULL;
        karst_stamp_destroy((karst_stamp *)stamp);
    }
    karst_recordings_free(all);
}

// ---- drawing -----------------------------------------------------------------------------------------

// The bar runs over the points of all strokes.
typedef struct bar {
    const karst_progress *to;
    double share;
} bar;

static bool tell(void *context, const char *stage, double share) {
    const bar *b = context;
    (void)share;
    return b->to->step(b->to->context, stage, b->share);
}

typedef struct totals {
    karst_touched touched;
    size_t points, strokes, done;  // done of points, over all strokes
    double seconds;
} totals;

// On a net when there is a sculptor, else on the canvas.
static karst_status draw(args *a, const karst_canvas *canvas, karst_net_sculptor *net, const karst_recording *r,
                         totals *t, karst_touched *touched) {
    bar b = {&a->progress, 0};
    karst_progress progress = {tell, &b};
    karst_stroke *stroke = NULL;
    karst_status status = net ? karst_net_stroke_create(net, &r->brush, &progress, &a->report, &stroke)
                              : karst_stroke_create(canvas, &r->brush, a->jobs, &progress, &stroke);
    for (size_t k = 0; k < r->count && !status; ++k) {
        b.share = t->points ? (double)t->done++ / (double)t->points : 1;
        status = karst_stroke_add(stroke, &r->points[k]);
    }
    if (!status) status = karst_stroke_end(stroke, touched);
    karst_stroke_destroy(stroke);
    if (status == KARST_ERROR_ARGUMENT && !net)
        kst_fail(&a->report, status, "stroke %s: would carry ground out of the range of numbers", r->name);
    return status;
}

static void tell_stroke(args *a, const karst_recording *r, const karst_touched *t, bool net, cJSON *list) {
    say(a, "%s: %llu dabs, %llu %s\n", r->name[0] ? r->name : karst_brush_text(r->brush.kind),
        (unsigned long long)t->dabs, (unsigned long long)t->samples, net ? "points" : "samples");
    if (net && !t->samples)
        say(a,
            "  no control point that it would move lies in its sphere: take a larger radius, or karst patch split for "
            "smaller patches\n");
    cJSON *one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "name", r->name);
    cJSON_AddStringToObject(one, "brush", karst_brush_text(r->brush.kind));
    cJSON_AddNumberToObject(one, "points", (double)r->count);
    cJSON_AddNumberToObject(one, "dabs", (double)t->dabs);
    cJSON_AddNumberToObject(one, "samples", (double)t->samples);
    cJSON *rect = cJSON_AddArrayToObject(one, "rect");
    const int32_t sides[4] = {t->rect.x0, t->rect.z0, t->rect.x1, t->rect.z1};
    for (int k = 0; k < 4; ++k) cJSON_AddItemToArray(rect, cJSON_CreateNumber(sides[k]));
    cJSON_AddItemToArray(list, one);
}

// The ground as it was before the first stroke, for restore toward=begin: a reader's view does not move.
static karst_status open_begin(args *a, const char *path, karst_recordings *all, edit *out) {
    bool wanted = false;
    for (size_t k = 0; k < all->count; ++k) wanted |= all->strokes[k].toward_begin;
    if (!wanted) return KARST_OK;
    karst_status status = edit_look(a, path, out);
    for (size_t k = 0; k < all->count && !status; ++k)
        if (all->strokes[k].toward_begin) all->strokes[k].brush.reference = out->canvas.shown;
    return status;
}

// With --paint the strokes go into a mask.
static karst_status open_paint(args *a, const edit *e, karst_recordings *all, karst_field **out) {
    const char *name = arg_text(a, "--paint", NULL);
    karst_sheet sheet;
    if (!name) return KARST_OK;
    karst_status status = karst_project_find_sheet(e->project, e->ground.id, KARST_SHEET_MASK, name, &sheet);
    if (!status) status = karst_project_sheet_field(e->project, sheet.id, 0, out);
    for (size_t k = 0; k < all->count && !status; ++k) {
        all->strokes[k].brush.paint = *out;
        status = karst_brush_check(&all->strokes[k].brush, &a->report);
    }
    return status;
}

// A step of the history by the stroke's name, or its brush's.
static const char *step_name(const karst_recordings *all, size_t k) {
    if (k >= all->count) return "sculpt";
    const karst_recording *r = &all->strokes[k];
    return r->name[0] ? r->name : karst_brush_text(r->brush.kind);
}

static karst_status check_restores(args *a, const karst_recordings *all) {
    for (size_t k = 0; k < all->count && !arg_text(a, "--layer", NULL); ++k)
        if (all->strokes[k].brush.kind == KARST_BRUSH_RESTORE && !all->strokes[k].toward_begin)
            return kst_fail(&a->report, KARST_ERROR_ARGUMENT,
                            "restore toward=base: the base itself is edited: name a layer with --layer, or say "
                            "toward=begin");
    return KARST_OK;
}

static karst_status draw_all(args *a, const char *path, karst_recordings *all, totals *t) {
    edit begin = {0}, e;
    cJSON *list = cJSON_AddArrayToObject(a->out, "strokes");
    karst_status status = open_begin(a, path, all, &begin);
    if (!status) status = edit_begin(a, path, step_name(all, 0), &e);
    if (status) {
        edit_leave(&begin);
        return status;
    }
    karst_field *paint = NULL;
    status = open_paint(a, &e, all, &paint);
    double start = wall_s();
    for (size_t k = 0; k < all->count && !status; ++k) {
        karst_touched touched = {0};
        if (k && paint) status = karst_field_flush(paint);
        if (k && !status) status = edit_next(a, &e, step_name(all, k));
        if (!status) status = draw(a, &e.canvas, NULL, &all->strokes[k], t, &touched);
        if (status) break;
        t->touched.dabs += touched.dabs;
        t->touched.samples += touched.samples;
        tell_stroke(a, &all->strokes[k], &touched, false, list);
    }
    if (paint && !status) status = karst_field_flush(paint);
    karst_field_destroy(paint);
    status = edit_end(a, &e, status);
    t->seconds = wall_s() - start;
    edit_leave(&begin);
    return status;
}

// ---- the net of a world --------------------------------------------------------------------------------

// What restore goes toward: the net before the first stroke.
static karst_status look_at_begin(args *a, const char *path, const karst_recordings *all, karst_net **out) {
    for (size_t k = 0; k < all->count; ++k)
        if (all->strokes[k].toward_begin) return net_look(a, path, out);
    return KARST_OK;
}

static karst_status draw_on_net(args *a, const char *path, karst_recordings *all, totals *t) {
    net_edit e;
    karst_net *begin = NULL;
    karst_net_sculptor *net = NULL;
    cJSON *list = cJSON_AddArrayToObject(a->out, "strokes");
    karst_status status = look_at_begin(a, path, all, &begin);
    if (!status) status = net_edit_begin(a, path, step_name(all, 0), NET_NEEDED, &e);
    if (status) {
        karst_net_destroy(begin);
        return status;
    }
    status = karst_net_sculptor_create(e.net, begin, &net);
    for (size_t k = 0; k < all->count && !status; ++k) {
        karst_touched touched = {0};
        if (k) status = net_edit_next(a, &e, step_name(all, k));
        double start = wall_s();
        if (!status) status = draw(a, NULL, net, &all->strokes[k], t, &touched);
        t->seconds += wall_s() - start;
        if (status) break;
        t->touched.dabs += touched.dabs;
        t->touched.samples += touched.samples;
        tell_stroke(a, &all->strokes[k], &touched, true, list);
    }
    karst_net_sculptor_destroy(net);
    status = net_edit_end(a, &e, status);
    karst_net_destroy(begin);
    return status;
}

// On the net when --net says so, or there is nothing else.
static karst_status choose(args *a, const char *path, bool *net) {
    *net = arg_flag(a, "--net");
    karst_status status = *net ? KARST_OK : net_is_alone(a, path, net);
    static const char *const of_fields[] = {"--mask", "--layer", "--paint"};
    for (int k = 0; k < 3 && !status && *net; ++k)
        if (arg_text(a, of_fields[k], NULL))
            status = kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%s is for the vertices of a field; a net has none",
                              of_fields[k]);
    return status;
}

// ---- the verb ----------------------------------------------------------------------------------------

static int run(args *a) {
    const char *path = a->positional[0], *strokes = arg_text(a, "--strokes", NULL), *at = arg_text(a, "--at", NULL);
    const char *brush = arg_text(a, "--brush", NULL), *stamp = arg_text(a, "--stamp", NULL);
    const char *record = arg_text(a, "--record", NULL);
    if (!strokes == !at || (strokes && (brush || stamp)) || (at && !brush && !stamp))
        return say_usage(a, "sculpt: say --strokes FILE, or --brush (or --stamp FILE) and --at \"X Z\"");
    karst_recordings all = {0};
    karst_status status =
        strokes ? karst_recordings_read(strokes, &a->report, &all) : parse_words(a, brush, stamp, at, &all);
    if (!status) status = load_stamps(a, strokes, &all);
    bool net = false;
    if (!status) status = choose(a, path, &net);
    if (!status && !net && net_beside_field(path))
        say_note(a, "%s: strokes are drawn on the field; --net draws on the net of patches", path);
    if (!status && !net) status = check_restores(a, &all);
    if (!status && record) status = karst_recordings_write(record, &all, &a->report);
    totals t = {.strokes = all.count};
    for (size_t k = 0; k < all.count; ++k) t.points += all.strokes[k].count;
    if (!status) status = net ? draw_on_net(a, path, &all, &t) : draw_all(a, path, &all, &t);
    free_all(&all);
    if (status) return could_not(a, status);
    double ms = t.points ? 1e3 * t.seconds / (double)t.points : 0;
    say(a, "%s: %zu strokes, %zu points, %llu dabs, %llu %s, %.3f ms a point\n", path, t.strokes, t.points,
        (unsigned long long)t.touched.dabs, (unsigned long long)t.touched.samples,
        net ? "control points of the net moved" : "samples touched", ms);
    cJSON_AddStringToObject(a->out, "on", net ? "net" : "field");
    cJSON_AddNumberToObject(a->out, "points", (double)t.points);
    cJSON_AddNumberToObject(a->out, "dabs", (double)t.touched.dabs);
    cJSON_AddNumberToObject(a->out, "samples", (double)t.touched.samples);
    cJSON_AddNumberToObject(a->out, "seconds", t.seconds);
    cJSON_AddNumberToObject(a->out, "ms_per_point", ms);
    return EXIT_DONE;
}

static const option options[] = {
    {"--strokes", "FILE", "draw the strokes of a file (docs/sculpting.md has the format)"},
    {"--brush", "TEXT", "a brush as in such a file: \"raise radius=30 strength=4 along=view\""},
    {"--at", "TEXT", "its points: \"X Z\" on the ground or \"X Y Z\", more of them after ; [m]"},
    {"--stamp", "FILE", "press a stamp of heights or vectors (.png .tif .exr) instead; --brush may add to it"},
    {"--paint", "MASK", "draw into a mask of the world, 0..1: raise adds strength, lower takes it away"},
    EDIT_OPTIONS,
    {"--net", NULL, "draw on the net of patches of a world that has a field too (a net alone needs no word)"},
    {"--record", "FILE", "write the strokes as they were understood, every key said"},
    {0},
};

const verb verb_sculpt = {
    .name = "sculpt",
    .usage = "WORLD --strokes FILE | --brush TEXT --at TEXT [options]",
    .summary =
        "Draw brush strokes on the ground, a field or a net of patches: raise, lower, smooth, sharpen, flatten, pinch, "
        "grab, pull, noise, "
        "restore, stamp. A brush is a sphere, so what overhangs can be shaped.",
    .example =
        "karst sculpt island.karst --strokes cliff.strokes\n"
        "karst sculpt island.karst --brush \"raise radius=40 strength=6\" --at \"100 200; 180 240\"\n"
        "karst sculpt island.karst --stamp rock.exr --brush \"stamp radius=25\" --at \"320 410\"",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
