// SPDX-License-Identifier: MIT
// A dab and its images, and the weights of vertices in one of them.
#include "edit/image.h"

// ---- images ----------------------------------------------------------------------------------------

// What varies of a dab: numbers 0..1 from (seed, dab, which).
enum { VARY_TURN, VARY_SIZE, VARY_FORCE, VARY_ASIDE, VARY_WAY, VARY_COUNT };

static double vary(const karst_brush_def *def, const karst_dab *dab, int which) {
    return kst_random01(def->seed, dab->number * VARY_COUNT + (uint64_t)which);
}

static double governed(double share, float pressure) {
    return 1 - share + share * (double)pressure;
}

// The dab itself, before any symmetry.
static bool first_image(const karst_brush_def *def, const karst_dab *dab, kst_image *out) {
    *out = (kst_image){.m = {1, 0, 0, 1}};
    out->radius_m = def->radius_m * governed(def->pressure_size, dab->pressure);
    out->radius_m *= 1 - def->vary_size * vary(def, dab, VARY_SIZE);
    out->amount = def->strength * governed(def->pressure_force, dab->pressure);
    out->amount *= 1 - def->vary_force * vary(def, dab, VARY_FORCE);
    if (def->per_second) out->amount *= dab->seconds;
    if (def->kind == KARST_BRUSH_LOWER) out->amount = -out->amount;
    out->view = kst_times(kst_unit(kst_wide(dab->view), (karst_pos){0, -1, 0}), -1);
    out->lean = (karst_pos){def->tilt * (double)dab->tilt_x, 0, def->tilt * (double)dab->tilt_z};
    out->motion = kst_wide(dab->motion);
    out->turn = def->turn + def->vary_turn * (vary(def, dab, VARY_TURN) - 0.5);
    double sine, cosine, aside = def->vary_place * def->radius_m * vary(def, dab, VARY_ASIDE);
    kst_turn(vary(def, dab, VARY_WAY), &sine, &cosine);
    out->centre = kst_sum(dab->centre, (karst_pos){aside * cosine, 0, aside * sine});
    return out->radius_m > 0 && out->amount != 0;
}

static kst_image likeness(const karst_brush_def *def, const kst_image *of, bool x, bool z, int k) {
    kst_image i = *of;
    double sine, cosine;
    kst_turn((double)k / def->radial, &sine, &cosine);
    double sx = x ? -1 : 1, sz = z ? -1 : 1;
    i.m[0] = cosine * sx, i.m[1] = sine * sz, i.m[2] = -sine * sx, i.m[3] = cosine * sz;
    i.centre = kst_sum(def->middle, kst_image_of(&i, kst_difference(of->centre, def->middle)));
    i.centre.y = of->centre.y;
    i.view = kst_image_of(&i, of->view);
    i.lean = kst_image_of(&i, of->lean);
    i.motion = kst_image_of(&i, of->motion);
    return i;
}

int kst_images_make(const karst_brush_def *def, const karst_dab *dab, kst_image out[KST_IMAGES_MAX]) {
    kst_image first;
    int count = 0;
    if (!first_image(def, dab, &first)) return 0;
    if (def->radial == 1 && !def->mirror_x && !def->mirror_z) return out[0] = first, 1;
    for (int k = 0; k < def->radial; ++k)
        for (int q = 0; q < 4; ++q) {
            bool x = q & 1, z = q >> 1;
            if ((x && !def->mirror_x) || (z && !def->mirror_z)) continue;
            out[count++] = likeness(def, &first, x, z, k);
        }
    return count;
}

double kst_image_reach(const karst_brush_def *def) {
    bool cube = def->kind == KARST_BRUSH_STAMP && def->falloff == KARST_FALLOFF_FLAT;
    return cube ? 1.7320508075688774 : 1;
}

// ---- the way out -----------------------------------------------------------------------------------

// The stamp's right and up. Seen through the symmetry back to the first dab, so that a mirrored stamp is mirrored.
static void lay_stamp(const karst_brush_def *def, kst_image *image) {
    karst_pos out = kst_image_back(image, image->out), away = kst_image_back(image, image->motion);
    karst_pos right = {1, 0, 0};
    if (def->follow && (away.x != 0 || away.z != 0)) right = (karst_pos){away.x, 0, away.z};
    right = kst_difference(right, kst_times(out, kst_dot(right, out)));
    if (kst_dot(right, right) < 1e-12) right = kst_cross(out, (karst_pos){0, 0, 1});
    right = kst_unit(right, (karst_pos){1, 0, 0});
    double sine, cosine;
    kst_turn(image->turn, &sine, &cosine);
    right = kst_turned(right, out, sine, cosine);
    image->right = kst_image_of(image, right);
    image->up = kst_image_of(image, kst_cross(out, right));
}

bool kst_image_looks(const karst_brush_def *def) {
    return def->kind == KARST_BRUSH_FLATTEN || def->along == KARST_ALONG_NORMAL;
}

bool kst_image_orient(const karst_brush_def *def, kst_image *image, const double *sums) {
    image->out = def->along == KARST_ALONG_VIEW ? image->view : (karst_pos){0, 1, 0};
    if (kst_image_looks(def)) {
        if (!(sums[0] > 0)) return false;
        image->mean = kst_times((karst_pos){sums[1], sums[2], sums[3]}, 1 / sums[0]);
        if (def->along == KARST_ALONG_NORMAL)
            image->out = kst_unit((karst_pos){sums[4], sums[5], sums[6]}, (karst_pos){0, 1, 0});
    }
    image->out = kst_unit(kst_sum(image->out, image->lean), image->out);
    if (def->kind == KARST_BRUSH_STAMP) lay_stamp(def, image);
    return true;
}

// ---- weights ---------------------------------------------------------------------------------------

// Share of the radius to weight; share < 1.
static inline double weight_of(const karst_brush_def *def, karst_falloff falloff, double share) {
    double s = 1 - share;
    switch (falloff) {
        case KARST_FALLOFF_SMOOTH:
            return s * s * (3 - 2 * s);
        case KARST_FALLOFF_LINEAR:
            return s;
        case KARST_FALLOFF_SHARP:
            return s * s;
        case KARST_FALLOFF_CUSTOM: {  // through four points, by their divided differences
            double a = (double)def->curve[0], b = (double)def->curve[1], c = (double)def->curve[2],
                   d = (double)def->curve[3], t = 3 * share;
            double value = a + t * ((b - a) + (t - 1) * ((c - 2 * b + a) / 2 + (t - 2) * (d - 3 * c + 3 * b - a) / 6));
            return value < 0 ? 0 : value > 1 ? 1 : value;
        }
        default:
            return 1;
    }
}

float karst_brush_weight(const karst_brush_def *def, double share) {
    return share < 1 ? (float)weight_of(def, def->falloff, share > 0 ? share : 0) : 0;
}

// One loop a falloff, so that each is plain to the compiler.
#define WEIGH(falloff)                                                                \
    for (int i = 0; i < count; ++i) {                                                 \
        double share = sqrt(rx[i] * rx[i] + ry[i] * ry[i] + rz[i] * rz[i]) * inverse; \
        double value = weight_of(def, falloff, share < 1 ? share : 1);                \
        weight[i] = share < 1 ? value : 0;                                            \
    }

KST_TWINS static void weigh(const karst_brush_def *def, int count, const double *rx, const double *ry, const double *rz,
                            double inverse, double *weight) {
    switch (def->falloff) {
        case KARST_FALLOFF_SMOOTH:
            WEIGH(KARST_FALLOFF_SMOOTH) break;
        case KARST_FALLOFF_LINEAR:
            WEIGH(KARST_FALLOFF_LINEAR) break;
        case KARST_FALLOFF_SHARP:
            WEIGH(KARST_FALLOFF_SHARP) break;
        case KARST_FALLOFF_CUSTOM:
            WEIGH(KARST_FALLOFF_CUSTOM) break;
        default:
            WEIGH(KARST_FALLOFF_FLAT) break;
    }
}

// A flat stamp fills the cube round its centre, as it lies.
static void weigh_cube(const kst_image *image, int count, const double *rx, const double *ry, const double *rz,
                       double *weight) {
    for (int i = 0; i < count; ++i) {
        karst_pos p = {rx[i], ry[i], rz[i]};
        double a = fabs(kst_dot(p, image->right)), b = fabs(kst_dot(p, image->up)), c = fabs(kst_dot(p, image->out));
        weight[i] = fmax(a, fmax(b, c)) < image->radius_m;
    }
}

KST_TWINS static void place(const kst_strip *s, karst_pos origin, const kst_image *image, const kst_span *span) {
    size_t at = kst_old_at(s, span->x0, span->row);
    const float *x = s->x + at, *y = s->y + at, *z = s->z + at;
    double bx = origin.x - image->centre.x, by = origin.y - image->centre.y, bz = origin.z - image->centre.z;
    double spacing = s->shape.spacing_m, rest_z = span->row * spacing;
    double *rx = span->rx, *ry = span->ry, *rz = span->rz;
    int count = span->x1 - span->x0, first = span->x0;
    for (int i = 0; i < count; ++i) {
        rx[i] = ((first + i) * spacing + (double)x[i]) + bx;
        ry[i] = (double)y[i] + by;
        rz[i] = (rest_z + (double)z[i]) + bz;
    }
}

void kst_weigh_places(const karst_brush_def *def, const kst_image *image, int count, const double *rx, const double *ry,
                      const double *rz, double *weight) {
    if (kst_image_reach(def) > 1)
        weigh_cube(image, count, rx, ry, rz, weight);
    else
        weigh(def, count, rx, ry, rz, 1 / image->radius_m, weight);
}

bool kst_weigh(const kst_strip *s, const kst_brush_run *run, const kst_image *image, kst_span *span) {
    int count = span->x1 - span->x0;
    place(s, run->origin, image, span);
    kst_weigh_places(run->def, image, count, span->rx, span->ry, span->rz, span->weight);
    double any = 0;
    for (int i = 0; i < count; ++i) any += span->weight[i];
    return any > 0;
}
