// SPDX-License-Identifier: MIT
// Skirt: images join the ground and each other, at borders and corners, on displaced ground too; and it costs nothing
// but its triangles.
#include "weld.h"
#include "world.h"

// wide: no patch of any level runs over its outline, so all edges can be welded. odd: all coarse ones do.
static world wide, odd;

static int setup(void **state) {
    (void)state;
    wide = world_make("wide.kpack", 385, 257, 2, 5, true, true, (karst_pos){1e6, 20, -1e6});
    odd = world_make("odd.kpack", 402, 251, 2, 7, true, false, (karst_pos){-5e5, 0, 7});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    world_free(&wide);
    world_free(&odd);
    temp_remove();
    return 0;
}

static double side_of(const world *w) {
    const karst_field_shape s = w->info.lattice.shape;
    return s.spacing_m * ((s.columns < s.rows ? s.columns : s.rows) - 1);
}

static karst_frame any_frame(prop *p, const world *w, karst_method method, double skirt_m, bool cull) {
    karst_view v[2] = {world_view(p, w), world_view(p, w)};
    karst_budget b = world_budget(method);
    b.cull = cull;
    b.error_px = (float)exp(prop_real(p, 2, 8));
    b.skirt_m = (float)skirt_m;
    karst_frame f;
    prop_check(p, !karst_scene_settle(w->scene, v, prop_chance(p, 0.8) ? 1 : 2, &b, &f));
    return f;
}

// All triangles of a frame over field and skirt. Their field coordinates become those of one wide field that begins
// `around` cells before the outline; what is drawn as hole beyond the outline is left out.
static karst_drawn_vertex *unfold(const world *w, const karst_frame *f, int around, int *count) {
    const karst_field_shape s = w->info.lattice.shape;
    karst_drawn_vertex *out = malloc(sizeof *out * 3 * KARST_PATCH_MAX_TRIANGLES * (size_t)(f->patch_count + 1));
    int n = 0;
    for (int k = 0; k < f->patch_count; ++k) {
        const karst_frame_chunk *c = &f->chunks[f->patches[k].chunk_index];
        const double step = w->info.lattice.cell_steps;
        // Which end an image is mirrored about, from where its first vertex rests.
        int64_t x = (int64_t)c->offset[0] + f->base[0], z = (int64_t)c->offset[2] + f->base[2];
        int at_x = (int)((double)x / step), at_z = (int)((double)z / step);
        int drawn = karst_frame_expand(f, w->scene, k, out + 3 * n), kept = 0;
        for (int t = 0; t < drawn; ++t) {
            karst_drawn_vertex *v = out + 3 * (n + t);
            bool beyond_x = true, beyond_z = true;
            for (int q = 0; q < 3; ++q) {
                beyond_x &= v[q].column >= (float)(s.columns - 1);
                beyond_z &= v[q].row >= (float)(s.rows - 1);
            }
            if (beyond_x || beyond_z) continue;
            for (int q = 0; q < 3; ++q) {
                karst_drawn_vertex u = v[q];
                float i = u.column - (float)c->column, j = u.row - (float)c->row;
                u.column = (float)(around + at_x) + (c->mirror_x ? -i : i);
                u.row = (float)(around + at_z) + (c->mirror_z ? -j : j);
                out[3 * (n + kept) + q] = u;
            }
            ++kept;
        }
        n += kept;
    }
    *count = n;
    return out;
}

static weld_result weld_frame(weld *w, const world *at, const karst_frame *f) {
    karst_field_shape s = at->info.lattice.shape;
    int n, around = (s.columns < s.rows ? s.columns : s.rows) - 1;
    karst_drawn_vertex *t = unfold(at, f, around, &n);
    s.columns += 2 * around;
    s.rows += 2 * around;
    weld_result r = weld_check(w, t, n, s);
    free(t);
    return r;
}

static void every_edge_but_the_outer_rim_meets_its_opposite(void **state) {
    karst_method method = world_method(state);
    weld w = weld_create();
    int64_t edges = 0, skirt = 0, steps = 0, control = 0;
    for (prop p = prop_begin("skirt_cracks", world_frames(24, 25)); prop_next(&p);) {
        karst_frame f = any_frame(&p, &wide, method, side_of(&wide), false);
        weld_result r = weld_frame(&w, &wide, &f);
        edges += r.edges;
        prop_check(&p, r.open == 0);
        karst_patch *patches = malloc(sizeof *patches * (size_t)f.patch_count);
        memcpy(patches, f.patches, sizeof *patches * (size_t)f.patch_count);
        for (int k = 0; k < f.patch_count; ++k) {
            const karst_frame_chunk *c = &f.chunks[patches[k].chunk_index];
            float *l = patches[k].corner_level;
            if (!c->mirror_x && !c->mirror_z) continue;
            ++skirt;
            steps += fminf(fminf(l[0], l[1]), fminf(l[2], l[3])) < 1;
            l[0] = l[1] = l[2] = l[3] = 4;  // the control: as coarse as can be, on the outline too
        }
        f.patches = patches;
        control += weld_frame(&w, &wide, &f).open;
        free(patches);
    }
    print_message(
        "%s: %lld edges, 0 open, %lld patches of skirt, %lld of them joined to fine ground; control: %lld open\n",
        karst_method_name(method), (long long)edges, (long long)skirt, (long long)steps, (long long)control);
    assert_true(skirt > 0 && (!world_many() || (steps > 0 && control > 100)));
    weld_destroy(&w);
}

typedef struct seam {
    double gap_m;
    int64_t crossed;
} seam;

// Where the outline runs through a triangle, its image has the same two points there.
static void measure_seam(const world *w, const karst_frame *f, int ground, int image, seam *s) {
    static karst_drawn_vertex a[3 * KARST_PATCH_MAX_TRIANGLES], b[3 * KARST_PATCH_MAX_TRIANGLES];
    const karst_field_shape shape = w->info.lattice.shape;
    const karst_frame_chunk *c = &f->chunks[f->patches[image].chunk_index];
    int n = karst_frame_expand(f, w->scene, ground, a), m = karst_frame_expand(f, w->scene, image, b);
    assert_int_equal(n, m);
    bool turned = c->mirror_x != c->mirror_z;
    for (int t = 0; t < n; ++t)
        for (int e = 0; e < 3; ++e) {
            int i = 3 * t + e, j = 3 * t + (e + 1) % 3, u = turned ? 3 * t + 2 - e : i,
                v = turned ? 3 * t + 2 - (e + 1) % 3 : j;
            assert_true(a[i].column == b[u].column && a[j].row == b[v].row);
            double end = c->mirror_x ? shape.columns - 1 : shape.rows - 1;
            double p = (double)(c->mirror_x ? a[i].column : a[i].row) - end,
                   q = (double)(c->mirror_x ? a[j].column : a[j].row) - end;
            if (p * q >= 0) continue;
            double at = p / (p - q);
            const karst_vec3 g0 = a[i].position, g1 = a[j].position, i0 = b[u].position, i1 = b[v].position;
            double dx = (g0.x - i0.x) * (1 - at) + (g1.x - i1.x) * at,
                   dy = (g0.y - i0.y) * (1 - at) + (g1.y - i1.y) * at,
                   dz = (g0.z - i0.z) * (1 - at) + (g1.z - i1.z) * at;
            s->gap_m = fmax(s->gap_m, sqrt(dx * dx + dy * dy + dz * dz));
            ++s->crossed;
        }
}

static void an_outline_through_patches_is_its_own_image(void **state) {
    karst_method method = world_method(state);
    seam all = {0};
    for (prop p = prop_begin("skirt_seam", world_frames(24, 15)); prop_next(&p);) {
        karst_frame f = any_frame(&p, &odd, method, prop_real(&p, 20, side_of(&odd)), false);
        for (int k = 0; k < f.patch_count; ++k) {
            const karst_patch *g = &f.patches[k];
            const karst_frame_chunk *c = &f.chunks[g->chunk_index];
            int side = KARST_PATCH_CELLS << c->level, x0 = c->column + g->patch_x * side,
                z0 = c->row + g->patch_z * side;
            bool cut_x = x0 < 401 && 401 < x0 + side, cut_z = z0 < 250 && 250 < z0 + side;
            if (c->mirror_x || c->mirror_z || !(cut_x || cut_z) || x0 >= 401 || z0 >= 250) continue;
            int images = 0;
            for (int m = 0; m < f.patch_count; ++m) {
                const karst_patch *q = &f.patches[m];
                const karst_frame_chunk *d = &f.chunks[q->chunk_index];
                if (d->slot != c->slot || q->patch_x != g->patch_x || q->patch_z != g->patch_z) continue;
                bool high_x = d->mirror_x && cut_x && !d->mirror_z && d->offset[0] > c->offset[0],
                     high_z = d->mirror_z && cut_z && !d->mirror_x && d->offset[2] > c->offset[2];
                if (!high_x && !high_z) continue;
                assert_memory_equal(g->corner_level, q->corner_level, sizeof g->corner_level);
                measure_seam(&odd, &f, k, m, &all);
                ++images;
            }
            prop_check(&p, images == cut_x + cut_z);
        }
    }
    print_message("%s: %lld edges over the outline, images off by %.6f m at most\n", karst_method_name(method),
                  (long long)all.crossed, all.gap_m);
    assert_true(all.gap_m < 1e-3 && all.crossed > (world_many() ? 1000 : 0));
}

// With a skirt the ground's own patches, loads and figures are what they are without.
static void a_skirt_is_for_looks_alone(void **state) {
    karst_method method = world_method(state);
    int64_t images = 0;
    for (prop p = prop_begin("skirt_alone", world_frames(24, 25)); prop_next(&p);) {
        karst_view v = world_view(&p, &wide);
        karst_budget b = world_budget(method);
        b.error_px = (float)exp(prop_real(&p, 0, 5));
        b.cull = prop_chance(&p, 0.7);
        karst_frame f;
        prop_check(&p, !karst_scene_settle(wide.scene, &v, 1, &b, &f));
        int count = f.patch_count;
        float worst = f.figures.worst_error_px;
        uint64_t own = 0, again = 0;
        for (int k = 0; k < count; ++k) own += kst_hash(f.patches[k].corner_level, 16, f.patches[k].slot);
        b.skirt_m = 300;
        prop_check(&p, !karst_scene_settle(wide.scene, &v, 1, &b, &f));
        prop_check(&p, f.upload_count == 0 && f.figures.worst_error_px == worst);
        for (int k = 0; k < f.patch_count; ++k) {
            const karst_frame_chunk *c = &f.chunks[f.patches[k].chunk_index];
            if (c->mirror_x || c->mirror_z)
                ++images;
            else
                again += kst_hash(f.patches[k].corner_level, 16, f.patches[k].slot), --count;
        }
        prop_check(&p, count == 0 && own == again);
    }
    assert_true(images > 0 || !world_many());
    double y;
    karst_box box = wide.info.bounds;
    assert_false(karst_scene_height(wide.scene, box.min.x - 50, 0.5 * (box.min.z + box.max.z), &y));
}

// Culled or not, every triangle of the skirt that a view can see is drawn: of the corners of triangles that project
// onto the screen none is missing.
static void culling_leaves_out_no_image_that_is_seen(void **state) {
    karst_method method = world_method(state);
    int64_t seen = 0, left_out = 0;
    for (prop p = prop_begin("skirt_cull", world_frames(5, 15)); prop_next(&p);) {
        karst_view v = world_view(&p, &wide);
        karst_budget b = world_budget(method);
        b.error_px = (float)exp(prop_real(&p, 2, 6));
        b.skirt_m = 400;
        karst_frame f;
        prop_check(&p, !karst_scene_settle(wide.scene, &v, 1, &b, &f));
        uint64_t *drawn = malloc(sizeof *drawn * (size_t)(f.patch_count + 1));
        int count = f.patch_count;
        for (int pass = 0; pass < 2; ++pass) {
            for (int k = 0; k < f.patch_count; ++k) {
                const karst_patch *q = &f.patches[k];
                const karst_frame_chunk *c = &f.chunks[q->chunk_index];
                uint64_t id = kst_hash_u64(kst_hash(c->offset, sizeof c->offset, (uint64_t)c->level),
                                           (uint64_t)q->patch_x << 8 | q->patch_z);
                if (!pass) {
                    drawn[k] = id;
                    continue;
                }
                if (!c->mirror_x && !c->mirror_z) continue;
                bool there = false;
                for (int n = 0; n < count && !there; ++n) there = drawn[n] == id;
                if (there) continue;
                ++left_out;
                static karst_drawn_vertex t[3 * KARST_PATCH_MAX_TRIANGLES];
                int n = karst_frame_expand(&f, wide.scene, k, t);
                for (int i = 0; i < 3 * n; ++i) {
                    karst_pos at = {f.origin.x + t[i].position.x, f.origin.y + t[i].position.y,
                                    f.origin.z + t[i].position.z};
                    double x, y, depth;
                    if (!karst_view_project(&v, at, &x, &y, &depth)) continue;
                    prop_check(&p, x < 0 || y < 0 || x > v.width || y > v.height);
                }
            }
            seen += pass ? 0 : count;
            b.cull = false;
            prop_check(&p, !karst_scene_settle(wide.scene, &v, 1, &b, &f));
        }
        free(drawn);
    }
    assert_true(seen > 0 && (left_out > 0 || !world_many()));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        EVERY_METHOD(every_edge_but_the_outer_rim_meets_its_opposite),
        EVERY_METHOD(an_outline_through_patches_is_its_own_image),
        EVERY_METHOD(a_skirt_is_for_looks_alone),
        EVERY_METHOD(culling_leaves_out_no_image_that_is_seen),
    };
    if (getenv("KARST_TEST_FILTER")) cmocka_set_test_filter(getenv("KARST_TEST_FILTER"));
    return cmocka_run_group_tests(tests, setup, teardown);
}
