// SPDX-License-Identifier: MIT
// Geomorphs: their ends are the levels, and no step is longer than it may be.
#include "karst/geomorph.h"
#include "mrm_check.h"

enum { MESHES = 5 };

static karst_mrm *mesh_of(int which) {
    karst_model *m;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.move = which == 1;
    return which < 2    ? built_with(MAKE(scene_model_tank(&m)), &def)
           : which == 2 ? built_with(MAKE(scene_model_facets(3, &m)), &def)
           : which == 3 ? built_with(MAKE(scene_model_cube(9, &m)), &def)
                        : built_with(MAKE(scene_model_loose_quads(40, &m)), &def);
}

// ---- the slow way ----------------------------------------------------------------------------------

typedef struct walk {
    const karst_mrm *mrm;
    const karst_model *model;
    uint32_t *parent;
    karst_mrm_instance at;
    void *memory;
} walk;

static walk begin(const karst_mrm *mrm) {
    walk w = {.mrm = mrm, .model = karst_mrm_model(mrm), .memory = malloc(karst_mrm_instance_bytes(mrm))};
    w.parent = malloc(w.model->wedge_count * sizeof *w.parent);
    assert_true(w.memory && w.parent);
    karst_mrm_instance_init(&w.at, mrm, w.memory);
    karst_mrm_parents(mrm, w.parent);
    return w;
}

static void end(walk *w) {
    free(w->parent);
    free(w->memory);
}

static uint32_t wedge_at(const walk *w, uint32_t wedge, uint32_t coarse_wedges) {
    while (wedge >= coarse_wedges && w->parent[wedge] != wedge) wedge = w->parent[wedge];
    return wedge;
}

static int by_three(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(uint32_t));
}

// Triangles with area of a level, wedges taken to what they are at a coarser one; each from its least wedge on; sorted.
static uint32_t triangles_at(walk *w, uint32_t vertices, uint32_t coarse_wedges, uint32_t (*out)[3]) {
    karst_mrm_set_level(&w->at, vertices);
    const uint32_t *of = w->model->vertex;
    uint32_t count = 0;
    for (uint32_t k = 0; k < w->at.index_count; k += 3) {
        uint32_t t[3];
        for (int c = 0; c < 3; ++c) t[c] = wedge_at(w, w->at.index[k + (uint32_t)c], coarse_wedges);
        if (of[t[0]] == of[t[1]] || of[t[1]] == of[t[2]] || of[t[2]] == of[t[0]]) continue;
        int least = t[1] < t[0] ? 1 : 0;
        if (t[2] < t[least]) least = 2;
        for (int c = 0; c < 3; ++c) out[count][c] = t[(least + c) % 3];
        ++count;
    }
    qsort(out, count, sizeof *out, by_three);
    return count;
}

static void at_the_coarse_end_stand_the_triangles_of_the_coarse_level(void **state) {
    (void)state;
    for (int which = 0; which < MESHES; ++which) {
        karst_mrm *mrm = mesh_of(which);
        walk w = begin(mrm);
        int levels;
        const karst_mrm_level *level = karst_mrm_curve(mrm, &levels);
        uint32_t(*a)[3] = malloc(w.model->triangle_count * sizeof *a),
        (*b)[3] = malloc(w.model->triangle_count * sizeof *b);
        uint32_t differ = 0, compared = 0;
        for (prop p = prop_begin("ends", 300); prop_next(&p);) {
            int i = prop_int(&p, 0, levels - 1), j = prop_int(&p, i, levels - 1);
            uint32_t want = triangles_at(&w, level[i].vertices, level[i].wedges, a);
            uint32_t got = triangles_at(&w, level[j].vertices, level[i].wedges, b);
            prop_check(&p, want == level[i].triangles);
            prop_check(&p, got == want && !memcmp(a, b, want * sizeof *a));
            // Control: taken to another level they are others.
            if (i == 0 || level[i].triangles == level[i - 1].triangles) continue;
            got = triangles_at(&w, level[j].vertices, level[i - 1].wedges, b);
            differ += got != want || memcmp(a, b, want * sizeof *a) != 0;
            ++compared;
        }
        assert_true(differ == compared && (compared || which > 2));
        free(a);
        free(b);
        end(&w);
        karst_mrm_destroy(mrm);
    }
}

static void wedges_of_a_vertex_go_to_one_vertex(void **state) {
    (void)state;
    for (int which = 0; which < MESHES; ++which) {
        karst_mrm *mrm = mesh_of(which);
        walk w = begin(mrm);
        for (uint32_t k = 0; k < w.model->wedge_count; ++k) assert_true(w.parent[k] <= k);
        for (uint32_t k = 1; k < w.model->wedge_count; ++k)
            if (w.model->vertex[k] == w.model->vertex[k - 1] && w.parent[k] != k)
                assert_int_equal(w.model->vertex[w.parent[k]], w.model->vertex[w.parent[k - 1]]);
        end(&w);
        karst_mrm_destroy(mrm);
    }
}

// ---- steps -----------------------------------------------------------------------------------------

// Where all vertices are drawn, whether or not a triangle has them.
static void places_of(walk *w, const karst_mrm_level *level, const karst_morph *m, karst_vec3 *out) {
    for (int side = 0; side < 2; ++side) {
        const karst_mrm_level *at = &level[side ? m->fine : m->coarse];
        karst_mrm_set_level(&w->at, at->vertices);
        float share = side ? m->share : 1 - m->share;
        for (uint32_t k = w->model->wedge_count; k-- > 0;) {
            uint32_t wedge = wedge_at(w, k, at->wedges);
            karst_vec3 p = w->at.place ? w->at.place[wedge] : w->model->position[w->model->vertex[wedge]];
            karst_vec3 *o = &out[w->model->vertex[k]];
            if (!side) *o = (karst_vec3){0};
            if (k && w->model->vertex[k - 1] == w->model->vertex[k]) continue;  // the first of its vertex counts
            *o = (karst_vec3){o->x + share * p.x, o->y + share * p.y, o->z + share * p.z};
        }
    }
}

static float farthest(const karst_vec3 *a, const karst_vec3 *b, uint32_t count) {
    float far = 0;
    for (uint32_t v = 0; v < count; ++v)
        far = fmaxf(far, hypotf(hypotf(a[v].x - b[v].x, a[v].y - b[v].y), a[v].z - b[v].z));
    return far;
}

// Levels that wander as a governor's do; each step is measured by the places of all vertices.
static void no_step_is_longer_than_it_may_be(void **state) {
    (void)state;
    const float most_m = 0.1f;
    for (int which = 0; which < MESHES; ++which) {
        karst_mrm *mrm = mesh_of(which);
        karst_geomorph *g;
        must(karst_geomorph_create(mrm, NULL, &g));
        walk w = begin(mrm);
        int levels;
        const karst_mrm_level *level = karst_mrm_curve(mrm, &levels);
        uint32_t vertices = w.model->vertex_count;
        karst_vec3 *before = malloc(vertices * sizeof *before), *after = malloc(vertices * sizeof *after);
        int wanted = levels / 2, arrived = 0, turned = 0;
        karst_morph m = {wanted, wanted, 1};
        places_of(&w, level, &m, before);
        float longest = 0, jump = 0;
        for (prop p = prop_begin("steps", 600); prop_next(&p);) {
            int earlier = wanted;
            if (prop_chance(&p, 0.05)) wanted = prop_int(&p, 0, levels - 1);
            bool moving = karst_geomorph_follow(g, &m, wanted, most_m, 0.125f);
            prop_check(&p, m.coarse <= m.fine && m.share >= 0 && m.share <= 1 && (moving || m.fine == wanted));
            arrived += !moving;
            turned += wanted > m.coarse && wanted < m.fine;
            places_of(&w, level, &m, after);
            float step = farthest(before, after, vertices);
            prop_check(&p, step <= most_m * 1.0001f);
            longest = fmaxf(longest, step);
            memcpy(before, after, vertices * sizeof *before);
            // Control: without geomorph the level itself is shown.
            karst_morph a = {earlier, earlier, 1}, b = {wanted, wanted, 1};
            jump = fmaxf(jump, karst_geomorph_travel(g, earlier, wanted));
            places_of(&w, level, &a, after);
            karst_vec3 *other = malloc(vertices * sizeof *other);
            places_of(&w, level, &b, other);
            // What it says of the way is what the slow way finds.
            prop_near(&p, (double)karst_geomorph_travel(g, wanted, earlier), (double)farthest(after, other, vertices),
                      1e-5);
            free(other);
        }
        print_message("mesh %d: longest step %.4f m, without geomorph %.3f m; %d at rest, %d in between\n", which,
                      (double)longest, (double)jump, arrived, turned);
        assert_true(longest > 0.9f * most_m && jump > 5 * most_m && (arrived > 10 || test_count(600) < 600));
        free(before);
        free(after);
        end(&w);
        karst_geomorph_destroy(g);
        karst_mrm_destroy(mrm);
    }
}

static void it_turns_back_on_its_way(void **state) {
    (void)state;
    karst_mrm *mrm = mesh_of(0);
    karst_geomorph *g;
    must(karst_geomorph_create(mrm, NULL, &g));
    karst_morph m = {10, 10, 1};
    for (int k = 0; k < 3; ++k) assert_true(karst_geomorph_follow(g, &m, 90, 1e9f, 0.125f));
    assert_true(m.coarse == 10 && m.fine == 90 && m.share == 0.375f);
    assert_true(karst_geomorph_follow(g, &m, 40, 1e9f, 0.125f) && m.share == 0.25f);  // the near end first
    assert_true(karst_geomorph_follow(g, &m, 5, 1e9f, 0.125f));
    assert_true(karst_geomorph_follow(g, &m, 5, 1e9f, 0.125f) && m.coarse == 10 && m.fine == 10);
    assert_true(karst_geomorph_follow(g, &m, 5, 1e9f, 0.125f) && m.coarse == 5 && m.fine == 10 && m.share == 0.875f);
    for (int k = 0; k < 7; ++k) assert_true(karst_geomorph_follow(g, &m, 5, 1e9f, 0.125f) == (k < 6));
    assert_true(m.coarse == 5 && m.fine == 5 && m.share == 1);
    assert_false(karst_geomorph_follow(g, &m, 5, 1e9f, 0.125f));
    karst_geomorph_destroy(g);
    karst_mrm_destroy(mrm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_coarse_end_stand_the_triangles_of_the_coarse_level),
        cmocka_unit_test(wedges_of_a_vertex_go_to_one_vertex),
        cmocka_unit_test(no_step_is_longer_than_it_may_be),
        cmocka_unit_test(it_turns_back_on_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
