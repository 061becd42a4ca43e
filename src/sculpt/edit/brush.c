// SPDX-License-Identifier: MIT
// Brushes: a dab from its parameters to the walks over the ground near it.
#include "karst/brush.h"

#include "edit/brush.h"
#include "edit/image.h"

enum { HALF_MAX = 64 };

karst_brush_def karst_brush_def_default(void) {
    return (karst_brush_def){.radius_m = 10,
                             .strength = 1,
                             .curve = {1, 0.74f, 0.26f, 0},
                             .spacing = 0.25,
                             .pressure_force = 1,
                             .radial = 1,
                             .seed = 1,
                             .cookie = KST_COOKIE};
}

// ---- ranges ----------------------------------------------------------------------------------------

static bool is_share(double v) {
    return v >= 0 && v <= 1;
}

static bool curve_is_sound(const karst_brush_def *d) {
    for (int k = 0; k < 4; ++k)
        if (!is_share((double)d->curve[k])) return false;
    return true;
}

static bool moves_by_metres(karst_brush_kind kind) {
    return kind == KARST_BRUSH_RAISE || kind == KARST_BRUSH_LOWER || kind == KARST_BRUSH_NOISE ||
           kind == KARST_BRUSH_GRAB || kind == KARST_BRUSH_PULL || kind == KARST_BRUSH_STAMP;
}

karst_status karst_brush_check(const karst_brush_def *d, karst_report *report) {
    double strongest = moves_by_metres(d->kind) ? 1e6 : 1, weakest = d->kind == KARST_BRUSH_PINCH ? -1 : 0;
    if (moves_by_metres(d->kind)) weakest = -1e6;
    const struct {
        bool good;
        const char *what;
    } rules[] = {
        {(unsigned)d->kind < KARST_BRUSH_KIND_COUNT, "kind: there is no such brush"},
        {(unsigned)d->along < KARST_ALONG_COUNT, "along: vertical, view, normal or vertex"},
        {(unsigned)d->falloff < KARST_FALLOFF_COUNT, "falloff: smooth, linear, sharp, flat or custom"},
        {(unsigned)d->toward < KARST_TOWARD_COUNT, "toward: there is no such reference"},
        {curve_is_sound(d), "curve: four weights of 0..1"},
        {d->radius_m >= 1e-6 && d->radius_m <= 1e7, "radius: 1e-6..1e7 m"},
        {d->strength >= weakest && d->strength <= strongest,
         moves_by_metres(d->kind) ? "strength: -1e6..1e6 m" : "strength: a share of 0..1 (pinch: -1..1)"},
        {d->spacing >= 0.005 && d->spacing <= 100, "spacing: 0.005..100 radii"},
        {d->detail_m >= 0 && d->detail_m <= 1e6, "detail: 0..1e6 m"},
        {d->kind != KARST_BRUSH_NOISE || d->detail_m >= 1e-3, "detail: the noise's size [m], at least 0.001"},
        {!d->paint || d->kind == KARST_BRUSH_RAISE || d->kind == KARST_BRUSH_LOWER,
         "paint: a mask is painted with raise, and wiped with lower"},
        {is_share(d->pressure_size) && is_share(d->pressure_force), "pressure: shares of 0..1"},
        {d->tilt >= 0 && d->tilt <= 10, "tilt: 0..10"},
        {d->radial >= 1 && d->radial <= KARST_RADIAL_MAX, "radial: 1..64 images"},
        {fabs(d->middle.x) <= 1e9 && fabs(d->middle.z) <= 1e9, "middle: finite coordinates up to 1e9 m"},
        {is_share(d->vary_turn) && is_share(d->vary_size) && is_share(d->vary_force) && is_share(d->vary_place),
         "vary: shares of 0..1"},
        {fabs(d->turn) <= 1e6, "turn: full turns"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; ++k)
        if (!rules[k].good) return kst_fail(report, KARST_ERROR_ARGUMENT, "%s", rules[k].what);
    return KARST_OK;
}

// ---- one group of images that overlap -----------------------------------------------------------------

typedef struct job {
    const karst_canvas *canvas;
    const karst_brush_def *def;
    karst_jobs *jobs;
    const karst_progress *progress;
    kst_work *work;
    kst_brush_run run;
} job;

static karst_status footprint(const job *j, const kst_image *image, karst_rect *all) {
    double reach = image->radius_m * kst_image_reach(j->def);
    karst_pos c = image->centre;
    karst_rect r;
    karst_box box = {{c.x - reach, c.y - reach, c.z - reach}, {c.x + reach, c.y + reach, c.z + reach}};
    karst_status status = karst_field_find(j->canvas->shown, box, &r);
    if (status || r.x0 == r.x1) return status;
    if (all->x0 == all->x1) {
        *all = r;
    } else {
        if (r.x0 < all->x0) all->x0 = r.x0;
        if (r.z0 < all->z0) all->z0 = r.z0;
        if (r.x1 > all->x1) all->x1 = r.x1;
        if (r.z1 > all->z1) all->z1 = r.z1;
    }
    return KARST_OK;
}

// The way out, and what else needs a look at the footprint. *empty: no vertex is in the sphere.
static karst_status orient(const job *j, kst_image *image, bool *empty) {
    const karst_brush_def *def = j->def;
    double sums[KST_STRIP_SUMS] = {0};
    if (kst_image_looks(def)) {
        karst_brush_def round = *def;  // a stamp's cube has no way out yet: look at the sphere
        if (round.kind == KARST_BRUSH_STAMP) round.kind = KARST_BRUSH_RAISE;
        kst_brush_run run = {&round, image, 1, 0, j->run.origin};
        kst_walk walk = {.canvas = j->canvas,
                         .jobs = j->jobs,
                         .progress = j->progress,
                         .work = j->work,
                         .halo = 1,
                         .looks = true,
                         .row = kst_brush_look,
                         .context = &run};
        karst_status status = footprint(j, image, &walk.rect);
        if (!status) status = kst_walk_run(&walk, sums, NULL);
        if (status) return status;
    }
    *empty = !kst_image_orient(def, image, sums);
    return KARST_OK;
}

static int window_half(const karst_brush_def *def, double spacing_m) {
    double half = floor(def->detail_m / spacing_m + 0.5);
    return half < 1 ? 1 : half > HALF_MAX ? HALF_MAX : (int)half;
}

static int halo_of(const job *j) {
    karst_brush_kind kind = j->def->kind;
    if (kind == KARST_BRUSH_SMOOTH || kind == KARST_BRUSH_SHARPEN) return j->run.half;
    return j->def->along == KARST_ALONG_VERTEX ? 1 : 0;
}

static karst_status change(job *j, kst_image *image, int count, karst_touched *out) {
    karst_rect rect = {0, 0, 0, 0};
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        bool empty;
        karst_status status = orient(j, &image[k], &empty);
        if (!status && !empty) status = footprint(j, &image[k], &rect);
        if (status) return status;
        if (!empty) image[kept++] = image[k];
    }
    if (!kept) return KARST_OK;
    j->run.image = image;
    j->run.image_count = kept;
    kst_walk walk = {.canvas = j->canvas,
                     .jobs = j->jobs,
                     .progress = j->progress,
                     .work = j->work,
                     .rect = rect,
                     .halo = halo_of(j),
                     .restores = j->def->kind == KARST_BRUSH_RESTORE,
                     .toward = j->def->toward,
                     .reference = j->def->reference,
                     .paint = j->def->paint,
                     .row = kst_brush_change,
                     .context = &j->run};
    return kst_walk_run(&walk, NULL, out);
}

// ---- the dab -------------------------------------------------------------------------------------------

// Bring images that overlap together: those of the group that begins at `first` follow it. Returns where it ends.
static int gather(const karst_brush_def *def, kst_image *image, int first, int count) {
    int end = first + 1;
    for (int at = first; at < end; ++at)
        for (int k = end; k < count; ++k) {
            karst_pos apart = kst_difference(image[k].centre, image[at].centre);
            double reach = (image[k].radius_m + image[at].radius_m) * kst_image_reach(def);
            if (kst_dot(apart, apart) >= reach * reach) continue;
            kst_image moved = image[k];
            image[k] = image[end];
            image[end++] = moved;
        }
    return end;
}

karst_status kst_brush_dab(const karst_canvas *canvas, const karst_brush_def *def, const karst_dab *dab,
                           karst_jobs *jobs, const karst_progress *progress, kst_work *work, karst_touched *out) {
    KARST_ASSERT(def->cookie == KST_COOKIE && !karst_brush_check(def, NULL));
    KARST_ASSERT(def->kind != KARST_BRUSH_STAMP || def->stamp);
    kst_image image[KST_IMAGES_MAX];
    karst_field_shape shape = karst_field_shape_of(canvas->shown);
    job j = {canvas,   def,  jobs,
             progress, work, {.def = def, .half = window_half(def, shape.spacing_m), .origin = shape.origin}};
    int count = kst_images_make(def, dab, image);
    karst_status status = KARST_OK;
    for (int first = 0, end; first < count && !status; first = end) {
        end = gather(def, image, first, count);
        status = change(&j, image + first, end - first, out);
    }
    if (!status) ++out->dabs;
    return status;
}

karst_status kst_brush_rect(const karst_canvas *canvas, const karst_brush_def *def, const karst_dab *dab,
                            karst_rect *out) {
    kst_image image[KST_IMAGES_MAX];
    job j = {.canvas = canvas, .def = def};
    int count = kst_images_make(def, dab, image);
    *out = (karst_rect){0, 0, 0, 0};
    karst_status status = KARST_OK;
    for (int k = 0; k < count && !status; ++k) status = footprint(&j, &image[k], out);
    return status;
}

karst_status karst_brush_dab(const karst_canvas *canvas, const karst_brush_def *def, const karst_dab *dab,
                             karst_jobs *jobs, const karst_progress *progress, karst_touched *out) {
    kst_work work = {0};
    karst_touched mine = {0};
    karst_status status = kst_brush_dab(canvas, def, dab, jobs, progress, &work, out ? out : &mine);
    kst_work_free(&work);
    return status;
}
