// SPDX-License-Identifier: MIT
// What tests of multi-resolution meshes share: building, and a slow look at a level.
#pragma once
#include "karst/mrmbuild.h"
#include "mrm/nearby.h"
#include "scenes/models.h"
#include "support/prop.h"

static inline void must(karst_status status) {
    assert_int_equal(status, KARST_OK);
}
#define MAKE(call) (must(call), m)  // m, once the call has made it

static inline karst_mrm *built_with(karst_model *model, const karst_mrm_build_def *def) {
    karst_report report = {0};
    karst_mrm *mrm = NULL;
    karst_status status = karst_mrm_build(model, def, NULL, &report, &mrm);
    if (status) fail_msg("%s", report.message);
    karst_model_destroy(model);
    return mrm;
}

static inline karst_mrm *built(karst_model *model) {
    return built_with(model, NULL);
}

static inline karst_model *level_of(const karst_mrm *mrm, uint32_t vertices) {
    karst_model *level = NULL;
    assert_int_equal(karst_mrm_extract(mrm, vertices, NULL, &level), KARST_OK);
    assert_int_equal(karst_model_check(level, NULL), KARST_OK);
    return level;
}

// Level k of 100: from full detail down, by the same factor.
static inline karst_mrm_level level_k(const karst_mrm *mrm, int k) {
    karst_mrm_info info = karst_mrm_describe(mrm);
    double share = pow((double)(info.least_triangles + 1) / (info.triangles + 1), k / 99.0);
    return karst_mrm_level_of_triangles(mrm, (uint32_t)(share * info.triangles + 0.5));
}

typedef struct judged {
    uint32_t borders, fans, twins, flat, turned;
    bool closed;
} judged;

static inline void face_normal(const karst_model *m, uint32_t t, double n[3]) {
    double e[2][3];
    const karst_vec3 a = m->position[m->vertex[m->triangle[t][0]]];
    for (int k = 0; k < 2; ++k) {
        const karst_vec3 b = m->position[m->vertex[m->triangle[t][k + 1]]];
        e[k][0] = (double)b.x - (double)a.x, e[k][1] = (double)b.y - (double)a.y, e[k][2] = (double)b.z - (double)a.z;
    }
    for (int k = 0; k < 3; ++k) n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
}

typedef struct facing {
    const karst_model *source;
    double n[3];
    bool agrees;
} facing;

static inline void face_near(const kst_nearest_hit *hit, void *context) {
    facing *f = context;
    double there[3];
    face_normal(f->source, hit->triangle, there);
    f->agrees |= f->n[0] * there[0] + f->n[1] * there[1] + f->n[2] * there[2] > 0;
}

// Turned: faces that look away from every face of the source that is nearest to their middle (at an edge several are).
static inline judged judge_level(const karst_model *m, const karst_model *source) {
    karst_model_facts facts;
    must(karst_model_look(m, NULL, &facts));
    judged j = {facts.border_edges, facts.fan_edges, facts.twins + facts.duplicates, facts.flat, 0, facts.closed};
    kst_nearby *tree;
    must(kst_nearby_create(source, NULL, &tree));
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        facing f = {.source = source};
        karst_vec3 middle = {0, 0, 0};
        face_normal(m, t, f.n);
        for (int c = 0; c < 3; ++c) {
            const karst_vec3 p = m->position[m->vertex[m->triangle[t][c]]];
            middle.x += p.x / 3, middle.y += p.y / 3, middle.z += p.z / 3;
        }
        float reach = sqrtf(kst_nearby_find(tree, middle, 0).square);
        kst_nearby_each(tree, middle, reach * 1.0001f + 1e-6f, face_near, &f);
        j.turned += !f.agrees;
    }
    kst_nearby_destroy(tree);
    return j;
}
