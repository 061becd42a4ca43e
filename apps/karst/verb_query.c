// SPDX-License-Identifier: MIT
// karst query: heights, rays and moving spheres; heights and rays also many from a file.
#include <math.h>
#include <stdlib.h>

#include "both.h"
#include "karst/pack.h"
#include "karst/sweep.h"
#include "table.h"
#include "zone_set.h"

enum { HEIGHTS_FIRST = 64 };

static const char *const damaged = "%s: a chunk that the query needs is damaged; see karst check";

// ---- one height ------------------------------------------------------------------------------------

static int one_height(args *a, const karst_ground *ground) {
    double x, z;
    if (!parse_real(a->positional[2], &x) || !parse_real(a->positional[3], &z))
        return say_usage(a, "query: height %s %s: not two numbers X Z", a->positional[2], a->positional[3]);
    int room = HEIGHTS_FIRST, count = 0;
    karst_level *levels = malloc((size_t)room * sizeof *levels);
    karst_status status = levels ? karst_ground_heights(ground, x, z, levels, room, &count) : KARST_ERROR_MEMORY;
    if (!status && count > room) {
        free(levels);
        room = count;
        levels = malloc((size_t)room * sizeof *levels);
        status = levels ? karst_ground_heights(ground, x, z, levels, room, &count) : KARST_ERROR_MEMORY;
    }
    if (status) {
        free(levels);
        return status == KARST_ERROR_MEMORY ? could_not(a, status) : say_error(a, damaged, a->positional[1]);
    }
    char text[NUMBER_BYTES];
    bool all = arg_flag(a, "--all");
    if (!count) say(a, "none\n");
    for (int i = 0; i < (all ? count : count > 0); ++i) say(a, "%s\n", number_text(levels[i].y, text));
    cJSON_AddNumberToObject(a->out, "x", x);
    cJSON_AddNumberToObject(a->out, "z", z);
    cJSON_AddItemToObject(a->out, "height", count ? cJSON_CreateNumber(levels[0].y) : cJSON_CreateNull());
    cJSON *heights = all ? cJSON_AddArrayToObject(a->out, "heights") : NULL;
    for (int i = 0; all && i < count; ++i) cJSON_AddItemToArray(heights, cJSON_CreateNumber(levels[i].y));
    free(levels);
    return EXIT_DONE;
}

// ---- one ray -----------------------------------------------------------------------------------------

static bool ray_of(const double n[6], karst_ray *out) {
    *out = karst_ray_make((karst_pos){n[0], n[1], n[2]}, (karst_pos){n[3], n[4], n[5]});
    return n[3] != 0 || n[4] != 0 || n[5] != 0;
}

static void hit_numbers(const karst_hit *hit, double out[7]) {
    const double n[7] = {hit->t,
                         hit->position.x,
                         hit->position.y,
                         hit->position.z,
                         float_number(hit->normal.x),
                         float_number(hit->normal.y),
                         float_number(hit->normal.z)};
    memcpy(out, n, sizeof n);
}

static void say_hit(const args *a, const karst_hit *hit, const char *between) {
    double n[7];
    char text[NUMBER_BYTES];
    if (!hit->hit) {
        say(a, "none\n");
        return;
    }
    hit_numbers(hit, n);
    for (int i = 0; i < 7; ++i) say(a, "%s%s", number_text(n[i], text), i < 6 ? between : "\n");
}

static cJSON *hit_json(const karst_hit *hit) {
    static const char *const names[7] = {"t", "x", "y", "z", "nx", "ny", "nz"};
    if (!hit->hit) return cJSON_CreateNull();
    double n[7];
    hit_numbers(hit, n);
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < 7; ++i) cJSON_AddNumberToObject(object, names[i], n[i]);
    return object;
}

static int one_ray(args *a, const karst_ground *ground) {
    double n[6];
    karst_ray ray;
    if (!parse_triple(a->positional[2], n) || !parse_triple(a->positional[3], n + 3))
        return say_usage(a, "query: ray %s %s: not OX,OY,OZ DX,DY,DZ", a->positional[2], a->positional[3]);
    if (!ray_of(n, &ray)) return say_usage(a, "query: ray: the direction is 0,0,0");
    karst_hit hit;
    karst_status status = karst_ground_cast(ground, &ray, &hit);
    if (status) return say_error(a, damaged, a->positional[1]);
    say_hit(a, &hit, " ");
    cJSON_AddItemToObject(a->out, "hit", hit_json(&hit));
    return EXIT_DONE;
}

// ---- one sphere --------------------------------------------------------------------------------------

static void add_place(cJSON *object, const char *name, karst_pos p) {
    cJSON *array = cJSON_AddArrayToObject(object, name);
    const double n[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; ++i) cJSON_AddItemToArray(array, cJSON_CreateNumber(n[i]));
}

static void say_sweep(args *a, const karst_sweep *s) {
    const double n[11] = {s->t,         s->depth_m,   s->centre.x, s->centre.y, s->centre.z, s->contact.x,
                          s->contact.y, s->contact.z, s->normal.x, s->normal.y, s->normal.z};
    static const char *const before[11] = {"t ", "  depth ", "  centre ", " ", " ", "  contact ",
                                           " ",  " ",        "  normal ", " ", " "};
    char text[NUMBER_BYTES];
    for (int i = 0; i < 11; ++i) say(a, "%s%s", before[i], number_text(n[i], text));
    say(a, "\n");
    cJSON *object = cJSON_AddObjectToObject(a->out, "hit");
    cJSON_AddNumberToObject(object, "t", s->t);
    cJSON_AddNumberToObject(object, "depth_m", s->depth_m);
    add_place(object, "centre", s->centre);
    add_place(object, "contact", s->contact);
    add_place(object, "normal", s->normal);
}

static int one_sphere(args *a, const karst_ground *ground) {
    const char *names[2] = {"--from", "--to"};
    double n[2][3];
    bool bad = false;
    for (int k = 0; k < 2; ++k) {
        const char *text = arg_text(a, names[k], NULL);
        if (!text) return say_usage(a, "query: sphere needs %s X,Y,Z", names[k]);
        if (!parse_triple(text, n[k])) return say_usage(a, "query: %s %s: not X,Y,Z", names[k], text);
    }
    if (!arg_text(a, "--radius", NULL)) return say_usage(a, "query: sphere needs --radius M");
    double radius = arg_real(a, "--radius", 1, 1e-3, 1e6, &bad);
    if (bad) return EXIT_USAGE;
    karst_sweep s;
    karst_status status = karst_ground_sweep(ground, (karst_pos){n[0][0], n[0][1], n[0][2]},
                                             (karst_pos){n[1][0], n[1][1], n[1][2]}, radius, &s);
    if (status == KARST_ERROR_ARGUMENT) return say_usage(a, "query: sphere: places are below 1e100");
    if (status) return say_error(a, damaged, a->positional[1]);
    if (s.hit) {
        say_sweep(a, &s);
    } else {
        say(a, "none\n");
        cJSON_AddNullToObject(a->out, "hit");
    }
    return EXIT_DONE;
}

// ---- many --------------------------------------------------------------------------------------------

typedef struct batch {
    const karst_ground *ground;
    table in;
    karst_hit *hits;  // rays, or
    double *heights;  // NaN: none
} batch;

static karst_status answer_heights(int begin, int end, int worker, void *context) {
    batch *b = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        karst_level top;
        int count;
        const double *n = b->in.number + (size_t)i * 2;
        karst_status status = karst_ground_heights(b->ground, n[0], n[1], &top, 1, &count);
        if (status) return status;
        b->heights[i] = count ? top.y : (double)NAN;
    }
    return KARST_OK;
}

static karst_status answer_rays(int begin, int end, int worker, void *context) {
    batch *b = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        karst_ray ray;
        ray_of(b->in.number + (size_t)i * 6, &ray);
        karst_status status = karst_ground_cast(b->ground, &ray, &b->hits[i]);
        if (status) return status;
    }
    return KARST_OK;
}

static void say_heights(args *a, const batch *b) {
    char x[NUMBER_BYTES], z[NUMBER_BYTES], y[NUMBER_BYTES];
    cJSON *rows = a->json ? cJSON_AddArrayToObject(a->out, "heights") : NULL;
    for (size_t i = 0; i < b->in.rows; ++i) {
        const double *n = b->in.number + i * 2;
        bool none = isnan(b->heights[i]);
        say(a, "%s,%s,%s\n", number_text(n[0], x), number_text(n[1], z), none ? "none" : number_text(b->heights[i], y));
        if (rows) cJSON_AddItemToArray(rows, none ? cJSON_CreateNull() : cJSON_CreateNumber(b->heights[i]));
    }
}

static void say_rays(args *a, const batch *b) {
    cJSON *rows = a->json ? cJSON_AddArrayToObject(a->out, "hits") : NULL;
    for (size_t i = 0; i < b->in.rows; ++i) {
        say_hit(a, &b->hits[i], ",");
        if (rows) cJSON_AddItemToArray(rows, hit_json(&b->hits[i]));
    }
}

static int many(args *a, const karst_ground *ground, const char *path, bool rays) {
    batch b = {.ground = ground};
    if (!table_read(a, path, rays ? 6 : 2, &b.in)) return EXIT_COULD_NOT;
    int result = EXIT_DONE;
    for (size_t i = 0; rays && i < b.in.rows && !result; ++i) {
        karst_ray ray;
        if (!ray_of(b.in.number + i * 6, &ray)) result = say_error(a, "%s:%zu: the direction is 0,0,0", path, i + 1);
    }
    if (b.in.rows > INT32_MAX) result = say_error(a, "%s: more than %d lines", path, INT32_MAX);
    if (!result) {
        b.hits = rays ? calloc(b.in.rows + 1, sizeof *b.hits) : NULL;
        b.heights = rays ? NULL : calloc(b.in.rows + 1, sizeof *b.heights);
        karst_status status = KARST_ERROR_MEMORY;
        if (b.hits || b.heights)
            status = kst_jobs_run(a->jobs, (int)b.in.rows, 256, rays ? answer_rays : answer_heights, &b, &a->progress,
                                  "query", 0, 1);
        if (status == KARST_ERROR_FORMAT)
            result = say_error(a, damaged, a->positional[1]);
        else if (status)
            result = could_not(a, status);
    }
    if (!result && rays) say_rays(a, &b);
    if (!result && !rays) say_heights(a, &b);
    free(b.hits);
    free(b.heights);
    table_free(&b.in);
    return result;
}

// ---- the verb ----------------------------------------------------------------------------------------

static int answer(args *a, const karst_ground *ground, bool rays, const char *file) {
    if (!strcmp(a->positional[0], "sphere")) return one_sphere(a, ground);
    if (file) return many(a, ground, file, rays);
    return rays ? one_ray(a, ground) : one_height(a, ground);
}

static int run(args *a) {
    const char *what = a->positional[0], *points = arg_text(a, "--points", NULL), *rays = arg_text(a, "--rays", NULL);
    bool is_ray = !strcmp(what, "ray"), is_sphere = !strcmp(what, "sphere");
    if (!is_ray && !is_sphere && strcmp(what, "height"))
        return say_usage(a, "query: %s: neither height, ray nor sphere", what);
    if (is_sphere && (points || rays)) return say_usage(a, "query: sphere takes no %s", points ? "--points" : "--rays");
    if (!is_sphere && (arg_text(a, "--from", NULL) || arg_text(a, "--to", NULL) || arg_text(a, "--radius", NULL)))
        return say_usage(a, "query: --from, --to and --radius are for sphere");
    if (is_ray ? points != NULL : rays != NULL)
        return say_usage(a, "query: %s takes %s", what, is_ray ? "--rays, not --points" : "--points, not --rays");
    const char *file = is_ray ? rays : points;
    if (file && arg_flag(a, "--all")) return say_usage(a, "query: --all is for one point");
    if (a->positional_count != (file || is_sphere ? 2 : 4))
        return say_usage(a, "query: %s PACK %s", what,
                         is_sphere ? "needs --from X,Y,Z --to X,Y,Z --radius M and no more words"
                         : file    ? "and a file leave no room for more words"
                         : is_ray  ? "needs OX,OY,OZ DX,DY,DZ or --rays FILE"
                                   : "needs X Z or --points FILE");
    karst_pack_def def = karst_pack_def_default();
    def.report = &a->report;
    karst_pack *pack;
    karst_status status = karst_pack_open(a->positional[1], &def, &pack);
    if (status) return could_not(a, status);
    zone_set set = {0};
    both together;
    const karst_ground *ground = karst_pack_ground(pack), *patches;
    if (karst_pack_zone_count(pack)) {
        status = zone_set_read(pack, &a->progress, &a->report, &set);
        if (!status) status = zone_set_ground(&set, &a->report, &patches);
        if (!status) ground = both_make(&together, ground, patches, NULL);
    }
    int result = status ? could_not(a, status) : answer(a, ground, is_ray, file);
    zone_set_free(&set);
    karst_pack_close(pack);
    return result;
}

static const option options[] = {
    {"--from", "X,Y,Z", "where the middle of the sphere starts"},
    {"--to", "X,Y,Z", "where it goes, straight"},
    {"--radius", "M", "of the sphere, 0.001 to 1000000"},
    {"--all", NULL, "every height at the point, from the top down"},
    {"--points", "FILE", "lines x,z (- for standard input); prints lines x,z,y, y none where there is no ground"},
    {"--rays", "FILE", "lines ox,oy,oz,dx,dy,dz; prints lines t,x,y,z,nx,ny,nz or none"},
    {0},
};

const verb verb_query = {
    .name = "query",
    .usage = "height PACK X Z | ray PACK OX,OY,OZ DX,DY,DZ | sphere PACK [options]",
    .summary = "Heights, rays and moving spheres against the exact ground of a pack [m]: its field, patches or both.",
    .example =
        "karst query height island.kpack -120.5 64\n"
        "karst query ray island.kpack 0,900,0 1,-1,0.5\n"
        "karst query height island.kpack --points places.csv\n"
        "karst query sphere island.kpack --from 0,300,0 --to 80,0,0 --radius 0.5",
    .options = options,
    .least = 2,
    .most = 4,
    .run = run,
};
