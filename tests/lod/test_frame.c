// SPDX-License-Identifier: MIT
// Frames: covering, deterministic, culled right. The triangles are those of karst_frame_expand, the twin of the shader.
#include "weld.h"
#include "world.h"

static world rough, tall;

static int setup(void **state) {
    (void)state;
    rough = world_make("rough.kpack", 333, 270, 2, 5, true, true, (karst_pos){1e6, 20, -1e6});
    tall = world_make("tall.kpack", 513, 513, 4, 9, false, false, (karst_pos){0, 0, 0});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    world_free(&rough);
    world_free(&tall);
    temp_remove();
    return 0;
}

static karst_patch *copy_patches(const karst_frame *f) {
    size_t bytes = sizeof(karst_patch) * (size_t)f->patch_count;
    karst_patch *copy = malloc(bytes ? bytes : 1);
    memcpy(copy, f->patches, bytes);
    return copy;
}

static bool same_patches(const karst_frame *f, const karst_patch *other, int count) {
    return f->patch_count == count && !memcmp(f->patches, other, sizeof(karst_patch) * (size_t)count);
}

static void a_still_camera_gives_identical_frames(void **state) {
    karst_budget b = world_budget(world_method(state));
    for (prop p = prop_begin("frame_still", world_frames(5, 50)); prop_next(&p);) {
        karst_view v = world_view(&p, &tall);
        karst_frame f;
        prop_check(&p, !karst_scene_settle(tall.scene, &v, 1, &b, &f));
        int count = f.patch_count;
        karst_patch *first = copy_patches(&f);
        prop_check(&p, !karst_scene_update(tall.scene, &v, 1, &b, &f));
        prop_check(&p, same_patches(&f, first, count));
        prop_check(&p, f.upload_count == 0);
        free(first);
    }
}

static void turning_the_head_changes_no_level(void **state) {
    for (prop p = prop_begin("frame_turn", world_frames(5, 50)); prop_next(&p);) {
        karst_view v = world_view(&p, &tall);
        karst_budget b = world_budget(world_method(state));
        b.cull = false;
        karst_frame f;
        prop_check(&p, !karst_scene_settle(tall.scene, &v, 1, &b, &f));
        int count = f.patch_count;
        karst_patch *first = copy_patches(&f);
        karst_vec3 r = v.right;
        v.right = v.back;
        v.back = (karst_vec3){-r.x, -r.y, -r.z};
        prop_check(&p, !karst_scene_settle(tall.scene, &v, 1, &b, &f));
        prop_check(&p, same_patches(&f, first, count));
        free(first);
    }
}

// What culling leaves out is nothing that a pixel's ray meets: every patch that a culled frame lacks lies outside.
static void culling_leaves_out_only_what_is_not_seen(void **state) {
    int64_t seen = 0, left_out = 0;
    for (prop p = prop_begin("frame_cull", world_frames(5, 40)); prop_next(&p);) {
        karst_view v = world_view(&p, &rough);
        karst_budget b = world_budget(world_method(state));
        b.error_px = 3;
        karst_frame f;
        prop_check(&p, !karst_scene_settle(rough.scene, &v, 1, &b, &f));
        int count = f.patch_count;
        left_out -= count;
        uint8_t *drawn = calloc(1 << 16, 1);  // by the field's patches at level 0
        for (int k = 0; k < count; ++k) {
            const karst_patch *q = &f.patches[k];
            const karst_frame_chunk *c = &f.chunks[q->chunk_index];
            int side = 1 << c->level, x0 = (c->column / 16 + q->patch_x * side), z0 = (c->row / 16 + q->patch_z * side);
            for (int z = z0; z < z0 + side; ++z)
                for (int x = x0; x < x0 + side; ++x)
                    if (x < 256 && z < 256) drawn[z * 256 + x] = 1;
        }
        for (int k = 0; k < 400; ++k) {
            karst_pos o, d;
            karst_view_ray(&v, prop_real(&p, 0, v.width), prop_real(&p, 0, v.height), &o, &d);
            karst_hit hit = karst_scene_cast(rough.scene, karst_ray_make(o, d));
            if (!hit.hit) continue;
            ++seen;
            prop_check(&p, drawn[hit.place.row / 16 * 256 + hit.place.column / 16]);
        }
        free(drawn);
        b.cull = false;
        prop_check(&p, !karst_scene_settle(rough.scene, &v, 1, &b, &f));
        left_out += f.patch_count;
    }
    assert_true(seen > 100 && left_out > 0);
}

static void several_views_keep_all_their_promises(void **state) {
    karst_budget b = world_budget(world_method(state));
    for (prop p = prop_begin("frame_views", world_frames(5, 40)); prop_next(&p);) {
        karst_view v[3] = {world_view(&p, &tall), world_view(&p, &tall), world_view(&p, &tall)};
        karst_frame f;
        prop_check(&p, !karst_scene_settle(tall.scene, v, 3, &b, &f));
        prop_check(&p, f.method == b.method && f.figures.worst_error_px <= 1);
        int total = 0;
        for (int k = 0; k < f.patch_count; ++k)
            prop_check(&p, f.patches[k].view_mask != 0 && f.patches[k].view_mask < 8);
        for (int k = 0; k < f.batch_count; ++k) total += f.batches[k].patch_count;
        prop_check(&p, total == f.patch_count);
    }
}

static void full_detail_is_the_reference_triangles(void **state) {
    prop p = prop_begin("frame_full", 1);
    prop_next(&p);
    karst_view v = world_view(&p, &tall);
    karst_budget b = world_budget(world_method(state));
    b.full_detail = true;
    b.cull = false;
    karst_frame f;
    assert_int_equal(karst_scene_settle(tall.scene, &v, 1, &b, &f), KARST_OK);
    assert_true(f.figures.worst_error_px == 0);
    int n;
    karst_drawn_vertex *t = scene_expand(&f, tall.scene, &n);
    assert_int_equal(n, 2 * 512 * 512);
    for (int k = 0; k < 3 * n; k += 997) {
        double y, x = tall.info.lattice.shape.spacing_m * t[k].column, z = tall.info.lattice.shape.spacing_m * t[k].row;
        karst_pos at = {f.origin.x + t[k].position.x, f.origin.y + t[k].position.y, f.origin.z + t[k].position.z};
        assert_true(fabs(at.x - x) < 1e-3 && fabs(at.z - z) < 1e-3);
        assert_true(karst_scene_height(tall.scene, x, z, &y));
        assert_true(fabs(y - at.y) < 1e-3);
        karst_hit hit = karst_scene_cast(tall.scene, karst_ray_make((karst_pos){x, 1e4, z}, (karst_pos){0, -1, 0}));
        assert_true(hit.hit && fabs(hit.position.y - y) < 1e-4);
    }
    assert_ptr_equal(karst_scene_ground(tall.scene), karst_pack_ground(tall.pack));
    free(t);
}

static void a_tight_budget_still_covers_once(void **state) {
    weld w = weld_create();
    karst_scene_def def = karst_scene_def_default();
    def.slot_count = 24;
    world t = tall;
    assert_int_equal(karst_scene_create(tall.pack, &def, &t.scene), KARST_OK);
    int64_t awaited = 0;
    for (prop p = prop_begin("frame_tight", world_frames(20, 80)); prop_next(&p);) {
        karst_view v = world_view(&p, &tall);
        karst_budget b = world_budget(world_method(state));
        b.cull = false;
        b.load_limit = prop_int(&p, 1, 9);
        karst_frame f;
        prop_check(&p, !karst_scene_update(t.scene, &v, 1, &b, &f));
        awaited += f.figures.chunks_awaited;
        int n;
        karst_drawn_vertex *list = scene_expand(&f, t.scene, &n);
        prop_check(&p, weld_check(&w, list, n, tall.info.lattice.shape).open == 0);
        double area = 0;
        for (int k = 0; k < n; ++k) {
            const karst_drawn_vertex *q = list + 3 * k;
            area += 0.5 * fabs((double)(q[1].column - q[0].column) * (q[2].row - q[0].row) -
                               (double)(q[2].column - q[0].column) * (q[1].row - q[0].row));
        }
        prop_near(&p, area, 512.0 * 512.0, 0);
        free(list);
    }
    assert_true(awaited > 0);
    karst_scene_destroy(t.scene);
    weld_destroy(&w);
}

static void index_lists_cover_a_patch_once(void **state) {
    (void)state;
    for (int lattice = 0; lattice < KARST_LATTICE_COUNT; ++lattice) {
        int count, area = 0;
        const uint16_t *index = karst_patch_indices(lattice, &count);
        for (int k = 0; k < count; k += 3) {
            int x[3], z[3];
            for (int c = 0; c < 3; ++c) {
                x[c] = index[k + c] % 17;
                z[c] = index[k + c] / 17;
            }
            int twice = (z[1] - z[0]) * (x[2] - x[0]) - (x[1] - x[0]) * (z[2] - z[0]);
            assert_true(twice > 0);  // counter-clockwise from above
            area += twice;
        }
        assert_int_equal(area, 2 * 16 * 16);
    }
}

// Inside a patch every vertex depends on coarser edge vertices only: what makes a split of a chunk invisible.
static void inner_vertices_depend_on_coarser_edges(void **state) {
    (void)state;
    const uint8_t *depend = karst_patch_depend();
    int finite = 0;
    for (int e = 0; e < 4; ++e)
        for (int j = 1; j < 16; ++j)
            for (int i = 1; i < 16; ++i) {
                int n = __builtin_ctz((unsigned)(i | j | 16)), d = depend[(e * 17 + j) * 17 + i];
                assert_true(d > n);
                finite += d < 99;
            }
    assert_true(finite > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_lists_cover_a_patch_once),
        cmocka_unit_test(inner_vertices_depend_on_coarser_edges),
        EVERY_METHOD(a_still_camera_gives_identical_frames),
        EVERY_METHOD(turning_the_head_changes_no_level),
        EVERY_METHOD(culling_leaves_out_only_what_is_not_seen),
        EVERY_METHOD(several_views_keep_all_their_promises),
        EVERY_METHOD(full_detail_is_the_reference_triangles),
        EVERY_METHOD(a_tight_budget_still_covers_once),
    };
    if (getenv("KARST_TEST_FILTER")) cmocka_set_test_filter(getenv("KARST_TEST_FILTER"));
    return cmocka_run_group_tests(tests, setup, teardown);
}
