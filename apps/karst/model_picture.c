// SPDX-License-Identifier: MIT
// A picture of a model: triangles put into a depth buffer of twice the size, which is then made small.
//
// Backs of triangles come out violet, so that a model that is inside out is seen to be.
#include "model_picture.h"

#include <math.h>

#include "core/core.h"

enum { FINE = 2 };  // samples a pixel, each way

static const double lens = 2.2;  // focal length in half heights
static const float sky_high[3] = {0.34f, 0.42f, 0.52f}, sky_low[3] = {0.60f, 0.62f, 0.62f};
static const float back[3] = {0.55f, 0.05f, 0.55f}, plain[3] = {0.42f, 0.42f, 0.40f};

typedef struct vec {
    double x, y, z;
} vec;

static vec minus(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static vec unit(vec a) {
    double length = sqrt(dot(a, a));
    return length > 0 ? (vec){a.x / length, a.y / length, a.z / length} : (vec){0, 1, 0};
}

typedef struct picture {
    const karst_model *model;
    int width, height;  // samples
    vec eye, right, up, ahead;
    bool wireframe;
    float *depth;
    float (*colour)[3];
} picture;

// The nearest place in that direction from which every triangle is in the picture.
static void look(picture *p, const model_view *view) {
    const double fill = 0.92, wide = (double)view->width / view->height;
    const karst_model *m = p->model;
    karst_box b = karst_model_bounds(m);
    vec middle = {(b.min.x + b.max.x) / 2 - m->origin.x, (b.min.y + b.max.y) / 2 - m->origin.y,
                  (b.min.z + b.max.z) / 2 - m->origin.z};
    vec from = {sin(view->turn_rad) * cos(view->rise_rad), sin(view->rise_rad),
                cos(view->turn_rad) * cos(view->rise_rad)};
    p->ahead = (vec){-from.x, -from.y, -from.z};
    p->right = unit(cross(p->ahead, (vec){0, 1, 0}));
    p->up = cross(p->right, p->ahead);
    double away = 1e-6;
    for (uint32_t i = 0; i < 3 * m->triangle_count; ++i) {
        karst_vec3 at = m->position[m->vertex[m->triangle[i / 3][i % 3]]];
        vec to = minus((vec){(double)at.x, (double)at.y, (double)at.z}, middle);
        double side = fmax(fabs(dot(to, p->right)) / wide, fabs(dot(to, p->up)));
        away = fmax(away, dot(to, from) + fmax(lens * side / fill, 1e-6));
    }
    p->eye = (vec){middle.x + away * from.x, middle.y + away * from.y, middle.z + away * from.z};
}

typedef struct corner {
    vec at, normal;
    double x, y, w;  // sample, 1 / depth
} corner;

static bool project(const picture *p, corner *c) {
    vec to = minus(c->at, p->eye);
    double depth = dot(to, p->ahead), scale = lens * p->height / 2;
    if (!(depth > 0)) return false;
    c->w = 1 / depth;
    c->x = p->width / 2.0 + scale * dot(to, p->right) * c->w;
    c->y = p->height / 2.0 - scale * dot(to, p->up) * c->w;
    return fabs(c->x) < 1e7 && fabs(c->y) < 1e7;
}

static void shade(const picture *p, vec normal, const float base[3], float out[3]) {
    const vec sun = unit((vec){0.5, 0.8, 0.4});
    double light = fmax(0, dot(normal, sun)), open = 0.5 + 0.5 * normal.y;
    vec half = unit(minus(sun, p->ahead));
    float gloss = light > 0 ? 0.12f * (float)pow(fmax(0, dot(normal, half)), 30) : 0;
    for (int k = 0; k < 3; ++k)
        out[k] = base[k] * (float)(1.5 * light * (1 - 0.08 * k) + open * (0.34 + 0.06 * k) + 0.12) + gloss;
}

// One triangle: sides by signed areas, depth and normals by their shares in perspective.
static void draw(picture *p, const corner c[3], const float base[3]) {
    double area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
    if (area == 0) return;
    double x0 = fmin(fmin(c[0].x, c[1].x), c[2].x), x1 = fmax(fmax(c[0].x, c[1].x), c[2].x);
    double y0 = fmin(fmin(c[0].y, c[1].y), c[2].y), y1 = fmax(fmax(c[0].y, c[1].y), c[2].y);
    for (int y = (int)fmax(0, floor(y0)); y <= (int)fmin(p->height - 1, ceil(y1)); ++y)
        for (int x = (int)fmax(0, floor(x0)); x <= (int)fmin(p->width - 1, ceil(x1)); ++x) {
            double share[3], w = 0, thin = INFINITY;
            bool inside = true;
            for (int k = 0; k < 3; ++k) {
                const corner *a = &c[(k + 1) % 3], *b = &c[(k + 2) % 3];
                double twice = (a->x - x - 0.5) * (b->y - y - 0.5) - (b->x - x - 0.5) * (a->y - y - 0.5);
                share[k] = twice / area;
                inside = inside && share[k] >= 0;
                thin = fmin(thin, fabs(twice) / hypot(b->x - a->x, b->y - a->y));  // way to that side
                w += share[k] * c[k].w;
            }
            size_t i = (size_t)y * (size_t)p->width + (size_t)x;
            if (!inside || (float)w <= p->depth[i]) continue;
            p->depth[i] = (float)w;
            vec n = {0, 0, 0};
            for (int k = 0; k < 3; ++k) {
                double s = share[k] * c[k].w / w;
                n = (vec){n.x + s * c[k].normal.x, n.y + s * c[k].normal.y, n.z + s * c[k].normal.z};
            }
            shade(p, unit(n), base, p->colour[i]);
            if (p->wireframe && thin < 0.9)
                for (int k = 0; k < 3; ++k) p->colour[i][k] *= 0.25f;
        }
}

static void draw_triangle(picture *p, uint32_t t) {
    const karst_model *m = p->model;
    corner c[3];
    for (int k = 0; k < 3; ++k) {
        uint32_t w = m->triangle[t][k];
        karst_vec3 at = m->position[m->vertex[w]], n = m->normal ? m->normal[w] : (karst_vec3){0, 0, 0};
        c[k] = (corner){.at = {(double)at.x, (double)at.y, (double)at.z},
                        .normal = {(double)n.x, (double)n.y, (double)n.z}};
        if (!project(p, &c[k])) return;
    }
    vec face = unit(cross(minus(c[1].at, c[0].at), minus(c[2].at, c[0].at)));
    for (int k = 0; k < 3; ++k)
        if (dot(c[k].normal, c[k].normal) == 0) c[k].normal = face;
    bool seen = dot(face, minus(p->eye, c[0].at)) > 0;
    draw(p, c, !seen ? back : m->paint ? m->material[m->paint[t]].colour : plain);
}

// Bright surfaces keep their shape: a soft shoulder, 1 at about 2.2.
static float tone(float light) {
    float x = 1.3f * fmaxf(light, 0);
    return fminf(1, x * (1 + x / 9) / (1 + x));
}

static uint8_t byte_of(float linear) {
    return (uint8_t)(255 * pow((double)fminf(fmaxf(linear, 0), 1), 1 / 2.2) + 0.5);
}

static void make_small(const picture *p, const model_view *view, uint8_t *rgb) {
    for (int y = 0; y < view->height; ++y)
        for (int x = 0; x < view->width; ++x)
            for (int k = 0; k < 3; ++k) {
                float sum = 0;
                for (int i = 0; i < FINE * FINE; ++i)
                    sum += tone(
                        p->colour[(size_t)(FINE * y + i / FINE) * (size_t)p->width + (size_t)(FINE * x + i % FINE)][k]);
                rgb[3 * ((size_t)y * (size_t)view->width + (size_t)x) + (size_t)k] = byte_of(sum / (FINE * FINE));
            }
}

bool model_picture(const karst_model *model, const model_view *view, uint8_t *rgb) {
    picture p = {.model = model, .width = FINE * view->width, .height = FINE * view->height};
    size_t samples = (size_t)p.width * (size_t)p.height;
    p.wireframe = view->wireframe;
    p.depth = kst_alloc_zero(NULL, samples * sizeof *p.depth);
    p.colour = kst_alloc_array(NULL, samples, sizeof *p.colour);
    bool good = p.depth && p.colour;
    if (good) {
        look(&p, view);
        for (size_t i = 0; i < samples; ++i)
            for (int k = 0; k < 3; ++k) {
                float down = (float)(i / (size_t)p.width) / (float)p.height;
                p.colour[i][k] = sky_high[k] + (sky_low[k] - sky_high[k]) * down;
            }
        for (uint32_t t = 0; t < model->triangle_count; ++t) draw_triangle(&p, t);
        make_small(&p, view, rgb);
    }
    kst_free(NULL, p.depth, samples * sizeof *p.depth);
    kst_free(NULL, p.colour, samples * sizeof *p.colour);
    return good;
}
