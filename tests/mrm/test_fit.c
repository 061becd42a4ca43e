// SPDX-License-Identifier: MIT
// Fitted normals: coarse levels shade more like the source, full detail is the source, shapes stay what they were.
#include "mrm_check.h"

// Ground with one normal a vertex.
static karst_model *smooth_ground(int cells, uint64_t seed) {
    karst_model *m, *smooth;
    must(scene_model_tile(cells, 0, 0, seed, &m));
    must(karst_model_crease(m, 3.1, NULL, &smooth));
    karst_model_destroy(m);
    return smooth;
}

static karst_mrm *ordered(const karst_model *m, karst_mrm_build_def def) {
    karst_mrm *mrm = NULL;
    must(karst_mrm_build(m, &def, NULL, NULL, &mrm));
    return mrm;
}

static karst_mrm_build_def fitted(void) {
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.fit_normals = true;
    return def;
}

// The normal at a place of a triangle.
static void shade(const karst_model *m, uint32_t t, double b1, double b2, double out[3]) {
    const double share[3] = {1 - b1 - b2, b1, b2};
    for (int c = 0; c < 3; ++c) out[c] = 0;
    for (int k = 0; k < 3; ++k) {
        const karst_vec3 n = m->normal[m->triangle[t][k]];
        out[0] += share[k] * (double)n.x, out[1] += share[k] * (double)n.y, out[2] += share[k] * (double)n.z;
    }
}

// Mean angle between what is shaded and the source, in the middles of the source's triangles. [rad]
static double shading_error(const karst_model *source, const karst_model *level) {
    kst_nearby *tree;
    must(kst_nearby_create(level, NULL, &tree));
    double sum = 0;
    for (uint32_t t = 0; t < source->triangle_count; ++t) {
        karst_vec3 middle = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            const karst_vec3 p = source->position[source->vertex[source->triangle[t][k]]];
            middle.x += p.x / 3, middle.y += p.y / 3, middle.z += p.z / 3;
        }
        kst_nearest_hit hit = kst_nearby_find(tree, middle, 0);
        double a[3], b[3], dot = 0, aa = 0, bb = 0;
        shade(source, t, 1 / 3.0, 1 / 3.0, a);
        shade(level, hit.triangle, (double)hit.b1, (double)hit.b2, b);
        for (int c = 0; c < 3; ++c) dot += a[c] * b[c], aa += a[c] * a[c], bb += b[c] * b[c];
        sum += acos(fmax(-1, fmin(1, dot / sqrt(aa * bb))));
    }
    kst_nearby_destroy(tree);
    return sum / source->triangle_count;
}

static double error_at(const karst_mrm *mrm, const karst_model *source, double share) {
    uint32_t triangles = (uint32_t)(share * source->triangle_count);
    karst_model *level = level_of(mrm, karst_mrm_level_of_triangles(mrm, triangles).vertices);
    double error = shading_error(source, level);
    karst_model_destroy(level);
    return error;
}

static void coarse_levels_shade_more_like_the_source(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        karst_model *m = smooth_ground(48, seed);
        karst_mrm *own = ordered(m, karst_mrm_build_def_default()), *better = ordered(m, fitted());
        const double share[] = {0.1, 0.05, 0.02};
        for (int k = 0; k < 3; ++k) {
            double before = error_at(own, m, share[k]), after = error_at(better, m, share[k]);
            if (after > 0.9 * before) fail_msg("ground %d at %g: %g, was %g", (int)seed, share[k], after, before);
        }
        uint32_t vertices = karst_mrm_describe(better).vertices;
        assert_true(vertices > m->vertex_count && vertices < m->vertex_count * 1.4);
        karst_mrm_destroy(own);
        karst_mrm_destroy(better);
        karst_model_destroy(m);
    }
}

// How many corners have a place and a normal that no wedge of the source has; of all, or of those on the rim.
static uint32_t foreign_corners(const karst_model *source, const karst_model *level, bool on_rim) {
    uint32_t count = 0, cells = (uint32_t)(sqrt(source->vertex_count) + 0.5) - 1;
    double low = source->position[0].x, high = low + cells;
    for (uint32_t t = 0; t < level->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t w = level->triangle[t][k], i = 0;
            const karst_vec3 *p = &level->position[level->vertex[w]];
            if (on_rim && fabs((double)p->x - low) > 0.5 && fabs((double)p->x - high) > 0.5) continue;
            for (; i < source->wedge_count; ++i)
                if (!memcmp(&source->position[source->vertex[i]], p, sizeof *p) &&
                    !memcmp(&source->normal[i], &level->normal[w], sizeof *p))
                    break;
            count += i == source->wedge_count;
        }
    return count;
}

static void full_detail_is_the_source(void **state) {
    (void)state;
    karst_model *m = smooth_ground(24, 5);
    karst_mrm *mrm = ordered(m, fitted());
    karst_model *full = level_of(mrm, UINT32_MAX), *coarse = level_of(mrm, karst_mrm_describe(mrm).vertices / 10);
    assert_int_equal(full->triangle_count, m->triangle_count);
    assert_int_equal(foreign_corners(m, full, false), 0);
    assert_true(foreign_corners(m, coarse, false) > 0);  // control: fitted ones are seen
    karst_model_destroy(full);
    karst_model_destroy(coarse);
    karst_mrm_destroy(mrm);
    karst_model_destroy(m);
}

// At a level where a copy comes in, every triangle stays where it is, also when vertices move.
static void a_copy_changes_normals_alone(void **state) {
    (void)state;
    karst_model *m = smooth_ground(24, 6);
    for (int move = 0; move < 2; ++move) {
        karst_mrm_build_def def = fitted();
        def.move = move;
        karst_mrm *mrm = ordered(m, def);
        const karst_model *all = karst_mrm_model(mrm);
        karst_mrm_info info = karst_mrm_describe(mrm);
        int copies = 0, moved = 0;
        for (uint32_t v = info.least_vertices + 1; v <= info.vertices; ++v) {
            karst_mrm_level fine = karst_mrm_level_of_vertices(mrm, v), rough = karst_mrm_level_of_vertices(mrm, v - 1);
            if (fine.vertices != v || rough.vertices != v - 1) continue;
            karst_model *a = level_of(mrm, v), *b = level_of(mrm, v - 1);
            int other = 0, other_normal = 0;
            for (uint32_t t = 0; t < b->triangle_count && fine.triangles == rough.triangles; ++t)
                for (int k = 0; k < 3; ++k) {
                    uint32_t p = a->triangle[t][k], q = b->triangle[t][k];
                    other += memcmp(&a->position[a->vertex[p]], &b->position[b->vertex[q]], sizeof *a->position) != 0;
                    other_normal += memcmp(&a->normal[p], &b->normal[q], sizeof *a->normal) != 0;
                }
            if (other) fail_msg("level %u: %d corners are elsewhere", v, other);
            copies += other_normal > 0;
            for (uint32_t i = 0; i < b->vertex_count && move && other_normal; ++i)
                moved += memcmp(&b->position[i], &all->position[i], sizeof *b->position) != 0;
            karst_model_destroy(a);
            karst_model_destroy(b);
        }
        assert_true(copies > 20 && (moved > 0) == move);
        karst_mrm_destroy(mrm);
    }
    karst_model_destroy(m);
}

// Neighbours are ordered each alone: what is kept on their common side has to look the same.
static void kept_vertices_keep_their_normals(void **state) {
    (void)state;
    karst_model *m = smooth_ground(24, 7);
    for (int keep = 0; keep < 2; ++keep) {
        karst_mrm_build_def def = fitted();
        def.keep_borders = keep;
        karst_mrm *mrm = ordered(m, def);
        karst_model *level = level_of(mrm, 120);
        assert_true((foreign_corners(m, level, true) > 0) == !keep);
        assert_true(foreign_corners(m, level, false) > 0);
        karst_model_destroy(level);
        karst_mrm_destroy(mrm);
    }
    karst_model_destroy(m);
}

// Nothing to fit: no normals, a weight of zero, or a plane.
static void nothing_is_copied_for_nothing(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        karst_model *m;
        karst_mrm_build_def def = fitted();
        if (k == 0) must(scene_model_grid(16, 1, &m));
        if (k > 0) m = smooth_ground(16, 8);
        karst_vec3 *normal = m->normal;
        if (k == 1) m->normal = NULL;
        if (k == 2) def.normal = 0;
        karst_mrm *mrm = ordered(m, def);
        assert_int_equal(karst_mrm_describe(mrm).vertices, m->vertex_count);
        karst_mrm_destroy(mrm);
        m->normal = normal;
        karst_model_destroy(m);
    }
}

// As in test_order.c: every compiler and processor fits these.
static void fitted_normals_are_the_same_everywhere(void **state) {
    (void)state;
    karst_model *m = smooth_ground(24, 9);
    karst_mrm *mrm = ordered(m, fitted());
    const karst_model *all = karst_mrm_model(mrm);
    uint64_t hash = kst_hash(all->normal, all->wedge_count * sizeof *all->normal, 0);
    hash = kst_hash(all->triangle, all->triangle_count * sizeof *all->triangle, hash);
    if (hash != 0xa9756ff21649e715u) fail_msg("0x%016llx", (unsigned long long)hash);
    karst_mrm_destroy(mrm);
    karst_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_levels_shade_more_like_the_source),
        cmocka_unit_test(full_detail_is_the_source),
        cmocka_unit_test(a_copy_changes_normals_alone),
        cmocka_unit_test(kept_vertices_keep_their_normals),
        cmocka_unit_test(nothing_is_copied_for_nothing),
        cmocka_unit_test(fitted_normals_are_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
