// SPDX-License-Identifier: MIT
// Sliding: what is at a level does not depend on the way there, and is what the slow way says.
#include <pthread.h>

#include "mesh/mrm.h"
#include "mrm_check.h"

typedef struct sliding {
    const karst_mrm *mrm;
    karst_mrm_instance at;
    void *memory;
} sliding;

static sliding start(const karst_mrm *mrm) {
    sliding s = {.mrm = mrm, .memory = malloc(karst_mrm_instance_bytes(mrm))};
    assert_non_null(s.memory);
    karst_mrm_instance_init(&s.at, mrm, s.memory);
    return s;
}

static karst_mrm *tank(bool move) {
    karst_model *m;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.move = move;
    return built_with(MAKE(scene_model_tank(&m)), &def);
}

static uint64_t hash_of(const karst_mrm_instance *i) {
    uint64_t h = kst_hash(i->index, i->index_count * sizeof *i->index, i->vertices);
    return i->place ? kst_hash(i->place, i->wedges * sizeof *i->place, h) : h;
}

// Hashes of all levels, reached by going down one vertex at a time.
static uint64_t *all_levels(const karst_mrm *mrm) {
    karst_mrm_info info = karst_mrm_describe(mrm);
    uint64_t *hash = calloc(info.vertices + 1, sizeof *hash);
    sliding s = start(mrm);
    for (uint32_t v = info.vertices;; --v) {
        karst_mrm_set_level(&s.at, v);
        hash[v] = hash_of(&s.at);
        if (v == info.least_vertices) break;
    }
    free(s.memory);
    return hash;
}

static void jumps_end_where_steps_do(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {  // as it is, moving, with fitted normals
        karst_model *m;
        karst_mrm_build_def def = karst_mrm_build_def_default();
        bool move = def.move = k == 1;
        def.fit_normals = k == 2;
        karst_mrm *mrm = built_with(MAKE(scene_model_tank(&m)), &def);
        karst_mrm_info info = karst_mrm_describe(mrm);
        uint64_t *hash = all_levels(mrm);
        sliding s = start(mrm);
        assert_int_equal(info.moves, move);
        uint64_t apart = 0;
        for (prop p = prop_begin("jumps", 10000); prop_next(&p);) {
            uint32_t to = (uint32_t)prop_int(&p, (int)info.least_vertices, (int)info.vertices);
            karst_mrm_set_level(&s.at, to);
            karst_mrm_level level = karst_mrm_level_of_vertices(mrm, to);
            prop_check(&p, s.at.vertices == level.vertices && s.at.wedges == level.wedges);
            prop_check(&p, s.at.triangles == level.triangles && level.vertices <= to);
            prop_check(&p, hash_of(&s.at) == hash[to]);
            apart += to > info.least_vertices && hash[to] != hash[to - 1];
        }
        assert_true(apart > 100);  // control: levels differ
        free(s.memory);
        free(hash);
        karst_mrm_destroy(mrm);
    }
}

typedef struct walker {
    const karst_mrm *mrm;
    const uint64_t *hash;
    uint64_t seed;
    int wrong;
} walker;

static void *walk(void *context) {
    walker *w = context;
    karst_mrm_info info = karst_mrm_describe(w->mrm);
    sliding s = start(w->mrm);
    for (int k = 0; k < test_count(4000); ++k) {
        uint32_t to = info.least_vertices +
                      (uint32_t)(kst_random(w->seed, (uint64_t)k) % (info.vertices - info.least_vertices + 1));
        karst_mrm_set_level(&s.at, to);
        w->wrong += hash_of(&s.at) != w->hash[to];
    }
    free(s.memory);
    return NULL;
}

// How many jumps of two threads over one mesh end elsewhere than hash[] says.
static int jumps_apart(const karst_mrm *mrm, const uint64_t *hash) {
    walker w[2] = {{mrm, hash, 1, 0}, {mrm, hash, 2, 0}};
    pthread_t thread[2];
    for (int k = 0; k < 2; ++k) assert_int_equal(pthread_create(&thread[k], NULL, walk, &w[k]), 0);
    for (int k = 0; k < 2; ++k) pthread_join(thread[k], NULL);
    return w[0].wrong + w[1].wrong;
}

static void two_threads_share_one_mesh(void **state) {
    (void)state;
    for (int move = 0; move < 2; ++move) {
        karst_mrm *mrm = tank(move);
        karst_mrm_info info = karst_mrm_describe(mrm);
        uint64_t *hash = all_levels(mrm);
        assert_int_equal(jumps_apart(mrm, hash), 0);
        memmove(hash + info.least_vertices, hash + info.least_vertices + 1,
                (info.vertices - info.least_vertices) * sizeof *hash);
        assert_true(jumps_apart(mrm, hash) > test_count(4000));  // control: each level taken for the next
        free(hash);
        karst_mrm_destroy(mrm);
    }
}

// Words of its memory that a step to `vertices` changes.
static uint32_t words_changed(sliding *s, uint32_t vertices) {
    size_t words = karst_mrm_instance_bytes(s->mrm) / 4;
    uint32_t *before = malloc(words * 4), changed = 0;
    assert_non_null(before);
    memcpy(before, s->memory, words * 4);
    karst_mrm_set_level(&s->at, vertices);
    for (size_t k = 0; k < words; ++k) changed += before[k] != ((const uint32_t *)s->memory)[k];
    free(before);
    return changed;
}

// Also where the next range begins, whose triangles lie in another order.
static void a_step_writes_no_more_than_its_record(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm *mrm = built(MAKE(scene_model_tile(40, 0, 0, 9, &m)));
    karst_mrm_info info = karst_mrm_describe(mrm);
    sliding s = start(mrm);
    uint32_t most = 0, arrays = 0;
    for (uint32_t v = info.vertices; v-- > info.least_vertices;) {
        const uint32_t *shown = s.at.index;
        uint32_t changed = words_changed(&s, v);
        most = changed > most ? changed : most;
        arrays += s.at.index != shown;
    }
    assert_true(arrays + 1 == info.ranges && arrays > 4);
    assert_true(most > 3 && most < 60);
    assert_true(words_changed(&s, info.vertices) > 10 * most);  // control: all of them do
    free(s.memory);
    karst_mrm_destroy(mrm);
}

static int by_wedges(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(uint32_t));
}

static void sort_triangles(uint32_t (*t)[3], uint32_t count) {
    for (uint32_t k = 0; k < count; ++k)  // the least wedge first
        for (int turn = 0; turn < 2 && (t[k][0] > t[k][1] || t[k][0] > t[k][2]); ++turn) {
            uint32_t first = t[k][0];
            t[k][0] = t[k][1], t[k][1] = t[k][2], t[k][2] = first;
        }
    qsort(t, count, sizeof *t, by_wedges);
}

// Slots so far from one another that a step between them takes several items.
static void a_large_level_is_what_the_list_of_slots_says(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm *mrm = built(MAKE(scene_model_tile(112, 0, 0, 3, &m)));
    karst_mrm_info info = karst_mrm_describe(mrm);
    kst_mrm_list list;
    must(kst_mrm_unravel(mrm, NULL, &list));
    uint32_t far = 0, w = info.wedges, v = info.vertices;
    for (uint32_t k = mrm->base_wedges; k < info.wedges; ++k)
        far += (mrm->record[k - mrm->base_wedges].items & KST_MRM_FAR) != 0;
    assert_true(far > 10);
    uint32_t(*corner)[3] = list.model->triangle;
    for (uint32_t to = info.vertices - 3000; to > 1000; to -= 3000) {
        for (; v > to; --v)
            for (; w > mrm->base_wedges && list.model->vertex[w - 1] == v - 1; --w)
                for (uint32_t i = list.slot_end[w - 2]; i < list.slot_end[w - 1]; ++i)
                    corner[list.slot[i] / 3][list.slot[i] % 3] = list.parent[w - 1];
        karst_model *level = level_of(mrm, to);
        uint32_t count = level->triangle_count;
        assert_true(level->vertex_count == to && count == list.triangle_end[to - 1]);
        sort_triangles(corner, count);
        sort_triangles(level->triangle, count);
        assert_memory_equal(corner, level->triangle, count * sizeof *corner);
        karst_model_destroy(level);
        kst_mrm_list_release(&list);
        must(kst_mrm_unravel(mrm, NULL, &list));
        corner = list.model->triangle, w = info.wedges, v = info.vertices;
    }
    kst_mrm_list_release(&list);
    karst_mrm_destroy(mrm);
}

// ---- levels --------------------------------------------------------------------------------------------

static void levels_by_triangles_and_error_are_the_finest_and_coarsest_that_do(void **state) {
    (void)state;
    karst_mrm *mrm = tank(false);
    karst_mrm_info info = karst_mrm_describe(mrm);
    for (uint32_t t = info.least_triangles; t <= info.triangles; ++t) {
        karst_mrm_level at = karst_mrm_level_of_triangles(mrm, t), finer = at;
        assert_true(at.triangles <= t);
        for (uint32_t v = at.vertices + 1; finer.vertices == at.vertices && v <= info.vertices; ++v)
            finer = karst_mrm_level_of_vertices(mrm, v);
        assert_true(at.vertices == info.vertices || finer.triangles > t);
    }
    int count;
    const karst_mrm_level *curve = karst_mrm_curve(mrm, &count);
    assert_true(count > 30 && curve[0].vertices == info.least_vertices && curve[count - 1].vertices == info.vertices);
    assert_true(curve[count - 1].error_m == 0 && curve[0].error_m > 0.3f);
    for (int k = 1; k < count; ++k)
        assert_true(curve[k].vertices > curve[k - 1].vertices && curve[k].error_m <= curve[k - 1].error_m);
    for (int k = 0; k < count; ++k) {
        karst_mrm_level at = karst_mrm_level_of_error(mrm, curve[k].error_m);
        assert_true(at.error_m <= curve[k].error_m && at.vertices <= curve[k].vertices);
    }
    assert_true(karst_mrm_level_of_error(mrm, -1).vertices == info.vertices);
    karst_mrm_destroy(mrm);
}

// The error told is at least what vertices that left are found off, looked at one by one, but for sampling.
static void the_error_of_a_level_is_what_is_found(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.crease_rad = 1;
    karst_mrm *mrm = built_with(MAKE(scene_model_facets(4, &m)), &def);
    const karst_model *full = karst_mrm_model(mrm);
    for (uint32_t triangles = 1200; triangles > 40; triangles /= 3) {
        karst_mrm_level at = karst_mrm_level_of_triangles(mrm, triangles);
        karst_model *level = level_of(mrm, at.vertices);
        kst_nearby *tree;
        must(kst_nearby_create(level, NULL, &tree));
        float most = 0;
        for (uint32_t v = 0; v < full->vertex_count; ++v)
            most = fmaxf(most, sqrtf(kst_nearby_find(tree, full->position[v], 0).square));
        assert_true(at.error_m > 0.8f * most && at.error_m < 2 * most);
        kst_nearby_destroy(tree);
        karst_model_destroy(level);
    }
    karst_mrm_destroy(mrm);
}

// ---- what is drawn and uploaded ------------------------------------------------------------------------

static void sections_hold_each_material_once(void **state) {
    (void)state;
    karst_mrm *mrm = tank(false);
    const karst_model *model = karst_mrm_model(mrm);
    sliding s = start(mrm);
    for (uint32_t v = s.at.vertices; v > 60; v -= 37) {
        karst_mrm_section section[16];
        karst_mrm_set_level(&s.at, v);
        uint32_t count = karst_mrm_sections(&s.at, section, 16), next = 0;
        assert_true(count > 0 && count <= model->material_count);
        for (uint32_t k = 0; k < count; ++k) {
            assert_true(section[k].first == next && section[k].count % 3 == 0);
            assert_true(!k || section[k].material > section[k - 1].material);
            next += section[k].count;
        }
        assert_true(next == s.at.index_count);
        karst_model *level = level_of(mrm, v);  // whose paint came from the sections
        for (uint32_t t = 1; t < level->triangle_count; ++t) assert_true(level->paint[t] >= level->paint[t - 1]);
        karst_model_destroy(level);
    }
    assert_int_equal(karst_mrm_sections(&s.at, NULL, 0) > 0, 1);
    free(s.memory);
    karst_mrm_destroy(mrm);
}

static void changes_hold_all_that_changed(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm *mrm = built(MAKE(scene_model_tile(40, 0, 0, 9, &m)));
    karst_mrm_info info = karst_mrm_describe(mrm);
    sliding s = start(mrm);
    uint32_t *shown = calloc(3 * (size_t)info.triangles, sizeof *shown), small = 0;
    for (prop p = prop_begin("changes", 2000); prop_next(&p);) {
        int by = prop_chance(&p, 0.1) ? (int)info.vertices : 12;
        int low = (int)s.at.vertices - by, high = (int)s.at.vertices + by;
        uint32_t earlier = s.at.vertices, to = (uint32_t)prop_int(&p, low < 0 ? 0 : low, high);
        memcpy(shown, s.at.index, s.at.index_count * sizeof *shown);
        karst_mrm_set_level(&s.at, to);
        karst_mrm_change change[1024];
        uint32_t count = karst_mrm_changes(&s.at, earlier, change, 1024), written = 0;
        prop_check(&p, count <= 1024);
        for (uint32_t k = 0; k < count; ++k) {
            prop_check(&p, change[k].first + change[k].count <= s.at.index_count);
            memcpy(shown + change[k].first, s.at.index + change[k].first, change[k].count * sizeof *shown);
            written += change[k].count;
        }
        prop_check(&p, !memcmp(shown, s.at.index, s.at.index_count * sizeof *shown));
        small += written < s.at.index_count / 4;
    }
    assert_true(small > (uint32_t)test_count(2000) / 2);
    free(shown);
    free(s.memory);
    karst_mrm_destroy(mrm);
}

static void morphs_go_from_the_parent_to_the_own_place(void **state) {
    (void)state;
    karst_mrm *mrm = tank(false);
    karst_mrm_info info = karst_mrm_describe(mrm);
    const karst_model *model = karst_mrm_model(mrm);
    karst_mrm_morph morph[512];
    for (double level = info.least_vertices + 40.25; level < info.vertices; level += 31) {
        uint32_t count = karst_mrm_morphs(mrm, level, 32, morph, 512);
        assert_true(count >= 32 && count < 512);
        for (uint32_t k = 0; k < count; ++k) {
            uint32_t vertex = model->vertex[morph[k].wedge];
            assert_true(morph[k].parent <= morph[k].wedge && vertex < level && vertex >= level - 33);
            assert_true(fabs((double)morph[k].weight - fmin(1, (level - vertex) / 32)) < 1e-6);
            assert_true(!k || morph[k].wedge == morph[k - 1].wedge + 1);
        }
    }
    assert_true(karst_mrm_morphs(mrm, info.vertices, 0, morph, 512) == 0);
    karst_mrm_destroy(mrm);
}

// A skin is of its vertex: every wedge of every level has the joints that the source has at that place.
static void joints_follow_their_vertex(void **state) {
    (void)state;
    karst_model *source;
    must(scene_model_tank(&source));
    karst_mrm *mrm = tank(false);
    karst_model *level = level_of(mrm, 200);
    assert_non_null(level->skin);
    for (uint32_t v = 0; v < level->vertex_count; ++v) {
        bool found = false;
        for (uint32_t k = 0; k < source->vertex_count && !found; ++k)
            found = !memcmp(&source->position[k], &level->position[v], sizeof *level->position) &&
                    !memcmp(&source->skin[k], &level->skin[v], sizeof *level->skin);
        assert_true(found);
    }
    karst_model_destroy(level);
    karst_model_destroy(source);
    karst_mrm_destroy(mrm);
}

// Uploading wedges [0, index_wedges) is enough for the index array of a level.
static void indices_name_wedges_that_are_told(void **state) {
    (void)state;
    karst_mrm *mrm = tank(false);
    sliding s = start(mrm);
    for (uint32_t v = s.at.vertices; v > 20; v -= 11) {
        karst_mrm_set_level(&s.at, v);
        for (uint32_t k = 0; k < s.at.index_count; ++k) assert_true(s.at.index[k] < s.at.index_wedges);
    }
    assert_true(s.at.index_wedges < karst_mrm_describe(mrm).wedges);
    free(s.memory);
    karst_mrm_destroy(mrm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_end_where_steps_do),
        cmocka_unit_test(two_threads_share_one_mesh),
        cmocka_unit_test(a_step_writes_no_more_than_its_record),
        cmocka_unit_test(a_large_level_is_what_the_list_of_slots_says),
        cmocka_unit_test(levels_by_triangles_and_error_are_the_finest_and_coarsest_that_do),
        cmocka_unit_test(the_error_of_a_level_is_what_is_found),
        cmocka_unit_test(sections_hold_each_material_once),
        cmocka_unit_test(changes_hold_all_that_changed),
        cmocka_unit_test(morphs_go_from_the_parent_to_the_own_place),
        cmocka_unit_test(joints_follow_their_vertex),
        cmocka_unit_test(indices_name_wedges_that_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
