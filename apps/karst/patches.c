// SPDX-License-Identifier: MIT
// Patches: zones of a pack on the screen and under the feet.
#include "patches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double look_again_m = 8;  // of the eye's way; much less than a zone
// With `beside`: zones that go in one call, since each makes the tree of all anew; far textures in one, a millisecond.
enum { GO_AT_ONCE = 2, FAR_A_SHOW = 32 };
static const double keep = 1.1;  // zones go when they are so many times out of reach

bool patches_ground_find(const char *name, patches_ground *out) {
    static const char *const names[] = {"both", "field", "patches"};
    for (int k = 0; k < 3; ++k)
        if (!strcmp(name, names[k])) return *out = (patches_ground)k, true;
    return false;
}

// ---- open and close --------------------------------------------------------------------------------

static void grow_box(karst_box *box, const karst_box *by) {
    box->min = (karst_pos){fmin(box->min.x, by->min.x), fmin(box->min.y, by->min.y), fmin(box->min.z, by->min.z)};
    box->max = (karst_pos){fmax(box->max.x, by->max.x), fmax(box->max.y, by->max.y), fmax(box->max.z, by->max.z)};
}

// There is no ground but patches: all of the field is hole.
static bool is_alone(const karst_pack *pack) {
    karst_pack_info info = karst_pack_info_of(pack);
    const karst_field_shape *shape = &info.lattice.shape;
    return info.hole_count >= (uint64_t)(shape->columns - 1) * (uint64_t)(shape->rows - 1);
}

static karst_status make(patches *p, karst_jobs *jobs, karst_report *report) {
    p->bank = malloc(sizeof *p->bank);
    p->zones = calloc((size_t)p->count, sizeof *p->zones);
    p->wanted = calloc((size_t)p->count, sizeof *p->wanted);
    p->came = calloc((size_t)p->count, sizeof *p->came);
    p->boxes = calloc((size_t)p->count, sizeof *p->boxes);
    if (!p->bank || !p->zones || !p->wanted || !p->came || !p->boxes)
        return kst_fail(report, KARST_ERROR_MEMORY, "no memory for patches");
    karst_noise_bank_make(p->bank);
    for (int32_t k = 0; k < p->count; ++k) {
        p->zones[k].bounds = karst_pack_zone_info(p->pack, k).bounds;
        if (k)
            grow_box(&p->bounds, &p->zones[k].bounds);
        else
            p->bounds = p->zones[k].bounds;
    }
    karst_zone_scene_def def = karst_zone_scene_def_default();
    def.origin = karst_pack_net_origin(p->pack);
    def.jobs = jobs;
    karst_status status = karst_zone_scene_create(&def, &p->scene);
    if (!status) status = karst_zone_ground_create(def.origin, NULL, &p->zone_ground);
    if (status) return kst_fail(report, status, "no memory for patches");
    patches_loads_begin(&p->loads, p->pack, p->bank, p->zone_ground, jobs);
    return KARST_OK;
}

// Of a pack that is still being downloaded as soon as it is there.
static karst_status read_seam(patches *p, karst_report *report) {
    if (!p->seam_awaited) return KARST_OK;
    karst_report why = {0};
    karst_status status = karst_seam_create(p->pack, NULL, &why, &p->seam);
    p->seam_awaited = status == KARST_ERROR_PENDING;
    if (status && !p->seam_awaited) kst_fail(report, status, "%s", why.message);
    return p->seam_awaited ? KARST_OK : status;
}

karst_status patches_open(patches *p, karst_pack *pack, const karst_scene *field, patches_ground shown,
                          karst_jobs *jobs, karst_report *report) {
    *p = (patches){.pack = pack,
                   .reach_m = INFINITY,
                   .most = KARST_ZONE_SLOTS_MAX,
                   .edge_px = PATCHES_EDGE_PX,
                   .budget = karst_zone_budget_default(),
                   .ground = karst_scene_ground(field)};
    int32_t count = karst_pack_zone_count(pack);
    if (shown == PATCHES_ONLY && !count)
        return kst_fail(report, KARST_ERROR_ARGUMENT, "--ground patches: this pack has none; karst patch fits some");
    if (shown == PATCHES_FIELD_ONLY || !count) return KARST_OK;
    p->count = count;
    karst_status status = make(p, jobs, report);
    if (status) {
        patches_close(p);
        return status;
    }
    p->no_field = shown == PATCHES_ONLY || is_alone(pack);
    p->seam_awaited = !p->no_field;
    status = read_seam(p, report);
    if (status) {
        patches_close(p);
        return status;
    }
    karst_box bounds = p->bounds, of_field = karst_ground_bounds(p->ground);
    if (!p->no_field) grow_box(&bounds, &of_field);
    p->ground = both_make(&p->both, p->no_field ? NULL : p->ground, karst_zone_ground_of(p->zone_ground), &bounds);
    return KARST_OK;
}

void patches_close(patches *p) {
    patches_loads_end(&p->loads);
    karst_gl_zones_destroy(p->drawn);
    karst_zone_scene_destroy(p->scene);
    karst_seam_destroy(p->seam);
    karst_zone_ground_destroy(p->zone_ground);
    for (int32_t k = 0; k < p->count && p->zones; ++k) karst_zone_destroy(p->zones[k].zone);
    free(p->boxes);
    free(p->came);
    free(p->wanted);
    free(p->zones);
    free(p->bank);
    *p = (patches){0};
}

// ---- zones come and go -----------------------------------------------------------------------------

static double away(const karst_box *b, karst_pos eye) {
    double x = fmax(fmax(b->min.x - eye.x, eye.x - b->max.x), 0), y = fmax(fmax(b->min.y - eye.y, eye.y - b->max.y), 0),
           z = fmax(fmax(b->min.z - eye.z, eye.z - b->max.z), 0);
    return sqrt(x * x + y * y + z * z);
}

static karst_status let_go(patches *p, patches_zone *z) {
    karst_status status = karst_zone_ground_remove(p->zone_ground, z->chunk);
    if (status) return status;
    karst_zone_scene_remove(p->scene, z->slot);
    karst_zone_destroy(z->zone);
    z->zone = NULL;
    --p->here;
    return KARST_OK;
}

static int nearer(const void *a, const void *b) {
    const patches_wanted *x = a, *y = b;
    if (x->away_m != y->away_m) return x->away_m < y->away_m ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// What goes and what is wanted, as seen from a place.
static karst_status look_round(patches *p, karst_pos eye) {
    p->from = eye;
    p->looked = true;
    p->waits = p->more_go = false;
    int gone = 0;
    p->wanted_count = p->wanted_next = p->left_out = 0;
    for (int32_t k = 0; k < p->count; ++k) {
        patches_zone *z = &p->zones[k];
        double m = away(&z->bounds, eye);
        if (z->zone && m > keep * p->reach_m) {
            p->more_go = p->beside && gone == GO_AT_ONCE;
            karst_status status = p->more_go ? KARST_OK : let_go(p, z);
            if (status) return status;
            gone += !p->more_go;
        }
        if (!z->zone && !z->damaged && !z->on_way && m <= p->reach_m)
            p->wanted[p->wanted_count++] = (patches_wanted){m, k};
    }
    qsort(p->wanted, (size_t)p->wanted_count, sizeof *p->wanted, nearer);
    return KARST_OK;
}

// As many are here as may be: the farthest zone makes room for one that is nearer by more than one zone's width, so
// that two do not take turns. False when there is none.
static bool make_room(patches *p, double for_m) {
    patches_zone *farthest = NULL;
    double most = for_m + 160;
    for (int32_t k = 0; k < p->count; ++k) {
        double m = p->zones[k].zone ? away(&p->zones[k].bounds, p->from) : 0;
        if (m <= most) continue;
        most = m;
        farthest = &p->zones[k];
    }
    return farthest && !let_go(p, farthest);
}

// Ask for zones that are wanted, as many as may be on their way.
static void start_loads(patches *p, int most) {
    while (p->loads.count < most && p->wanted_next < p->wanted_count) {
        const patches_wanted *w = &p->wanted[p->wanted_next];
        // Is there no room, then neither is there for what is farther.
        if (p->here + p->loads.count >= p->most && !make_room(p, w->away_m)) {
            p->left_out = p->wanted_count - p->wanted_next;
            p->wanted_count = p->wanted_next;
            return;
        }
        patches_load_start(&p->loads, w->index, w->away_m);
        p->zones[w->index].on_way = true;
        ++p->wanted_next;
    }
}

// A load joins those that come, or is of no use any more. What it holds is taken.
static karst_status take(patches *p, patches_load *load, int32_t *came, karst_report *report) {
    patches_zone *z = &p->zones[load->index];
    karst_status status = load->status;
    z->on_way = false;
    if (status && report) *report = load->report;
    bool far = away(&z->bounds, p->from) > keep * p->reach_m;
    if (!status && !far) status = karst_zone_scene_add(p->scene, load->zone, report, &z->slot);
    if (status || far) {
        karst_zone_boxes_destroy(load->boxes);
        karst_zone_destroy(load->zone);
        return status;
    }
    z->zone = load->zone;
    ++p->here;
    p->boxes[*came] = load->boxes;
    p->came[(*came)++] = load->index;
    return KARST_OK;
}

// Under the feet, all those that came at once.
static karst_status found(patches *p, int32_t came) {
    uint32_t *chunk = malloc((size_t)came * sizeof *chunk);
    karst_status status =
        chunk ? karst_zone_ground_take(p->zone_ground, p->boxes, (uint32_t)came, chunk) : KARST_ERROR_MEMORY;
    for (int32_t k = 0; k < came; ++k) {
        patches_zone *z = &p->zones[p->came[k]];
        if (!status) {
            z->chunk = chunk[k];
            continue;
        }
        karst_zone_boxes_destroy(p->boxes[k]);
        karst_zone_scene_remove(p->scene, z->slot);
        karst_zone_destroy(z->zone);
        z->zone = NULL;
        --p->here;
    }
    free(chunk);
    return status;
}

static double thread_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

karst_status patches_bring(patches *p, karst_pos eye, int most, karst_report *report) {
    if (!p->count) return KARST_OK;
    double begin_ms = thread_ms();
    double moved = sqrt((eye.x - p->from.x) * (eye.x - p->from.x) + (eye.y - p->from.y) * (eye.y - p->from.y) +
                        (eye.z - p->from.z) * (eye.z - p->from.z));
    bool all = p->reach_m == INFINITY && p->here + p->damaged == p->count;
    karst_status status = read_seam(p, report);
    if (!status && !all && (!p->looked || p->waits || p->more_go || moved > look_again_m)) status = look_round(p, eye);
    int32_t came = 0;
    for (int taken = 0; taken < most && !status; ++taken) {
        // Whoever waits asks for no more than he takes.
        bool beside = p->beside && !p->loads.alone;
        start_loads(p, beside || most - taken > PATCHES_LOADS ? PATCHES_LOADS : most - taken);
        patches_load *load = patches_load_take(&p->loads, !beside);
        if (!load) break;
        int32_t index = load->index;
        status = take(p, load, &came, report);
        if (status == KARST_ERROR_PENDING) {
            p->waits = true;
            status = KARST_OK;
            if (report) *report = (karst_report){0};  // it will come: no fault
        }
        if (status == KARST_ERROR_FORMAT || status == KARST_ERROR_LIMIT) {
            p->zones[index].damaged = true;
            ++p->damaged;
        }
    }
    if (came) {
        karst_status stands = found(p, came);
        if (stands) status = stands;
    }
    p->awaited = p->wanted_count - p->wanted_next + p->loads.count;
    p->took_ms = thread_ms() - begin_ms;
    if (status == KARST_ERROR_MEMORY) kst_fail(report, status, "no memory for more patches");
    return status;
}

// ---- on the screen ---------------------------------------------------------------------------------

void patches_aim(patches *p, const karst_view *view, karst_budget *budget) {
    p->budget.threshold = karst_zone_threshold(view, p->edge_px);
    budget->seam = p->budget.seam = p->seam;
    if (p->seam) karst_seam_update(p->seam, view, 1, budget, &p->budget);
}

karst_status patches_show(patches *p, karst_gl *gl, const karst_view *view) {
    karst_gl_zones_def def = karst_gl_zones_def_default();
    if (p->beside) def.far_a_show = FAR_A_SHOW, def.reserve = true;
    karst_status status = p->drawn ? KARST_OK : karst_gl_zones_create(gl, p->scene, &def, &p->drawn);
    if (status) return status;
    double begin_ms = thread_ms();
    karst_zone_scene_update(p->scene, view, 1, &p->budget, &p->frame);
    status = karst_gl_zones_show(p->drawn, &p->frame);
    p->took_ms += thread_ms() - begin_ms;
    if (++p->shows > 1) p->longest_ms = fmax(p->longest_ms, p->took_ms);
    return status;
}

void patches_hide_field(karst_frame *frame) {
    frame->patch_count = frame->batch_count = frame->chunk_count = 0;
    memset(&frame->figures, 0, sizeof frame->figures);
}

void patches_viewpoint(const patches *p, karst_pos *eye, karst_pos *at) {
    const karst_pos *l = &p->bounds.min, *h = &p->bounds.max;
    double x = h->x - l->x, z = h->z - l->z;
    double share = fmin(1, 0.6 * p->reach_m / fmax(fmax(x, z), 1)), wide = share * fmax(x, z);
    *at = (karst_pos){0.5 * (l->x + h->x), l->y, 0.5 * (l->z + h->z)};
    *eye = (karst_pos){at->x - 0.2 * share * x, h->y + 0.3 * wide, at->z - 0.85 * share * z};
}
