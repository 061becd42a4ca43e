// SPDX-License-Identifier: MIT
// Zones drawn: closed from anywhere, in any company, at any speed.
#include "surface/zone_record.h"
#include "zoneland.h"

static void update(land *l, const karst_view *views, int count, const karst_zone_budget *budget,
                   karst_zone_frame *frame) {
    karst_zone_scene_update(l->scene, views, count, budget, frame);
}

static void the_land_has_every_bind(void **state) {
    (void)state;
    land l = land_make(0);
    int spans[4] = {0}, tiles[5] = {0}, rectangles = 0, open = 0;
    for (int k = 0; k < l.zones.count; ++k)
        for (uint32_t p = 0; p < l.zones.zones[k]->piece_count; ++p) {
            const karst_piece *piece = &l.zones.zones[k]->pieces[p];
            ++tiles[piece->tiles_log2];
            rectangles += piece->tile_s || piece->tile_t;
            for (int side = 0; side < 4; ++side) {
                ++spans[piece->spans_log2[side]];
                open += l.zones.zones[k]->spans[piece->first_span[side]].open;
            }
        }
    for (int k = 0; k < 4; ++k) assert_true(spans[k] > 0 && tiles[k + 1] > 0);
    assert_true(rectangles > 0 && open > 0);
    uint8_t *round = calloc((size_t)l.net->corner_count, 1);
    int many[7] = {0};
    for (int32_t k = 0; k < l.net->patch_count; ++k)
        for (int side = 0; side < 4; side += 2) {
            const karst_net_side *s = &l.net->patches[k].side[side];
            const int32_t *corner = l.net->edges[s->edge].corner;
            for (int e = 0; e < 2; ++e) {
                int eighth = e ? s->to : s->from;
                if (eighth == 0 || eighth == 8) ++round[corner[eighth == 8]];
            }
        }
    for (int32_t k = 0; k < l.net->corner_count; ++k) ++many[round[k] < 6 ? round[k] : 6];
    assert_true(many[3] > 0 && many[5] > 0 && many[6] > 0);
    free(round);
    land_free(&l);
}

// Pieces that are drawn whole though a corner of a tile asks for less.
static int asking(const karst_zone_frame *f) {
    int count = 0;
    for (int k = 0; k < f->instance_count; ++k) {
        const karst_zone_instance *at = &f->instances[k];
        if (at->tile != KARST_ZONE_WHOLE) continue;
        const karst_zone *zone = f->zones[at->zone].zone;
        const karst_piece *piece = &zone->pieces[at->piece];
        int n = 1 << piece->tiles_log2;
        for (int i = 0; i < (n + 1) * (n + 1); ++i) {
            const karst_fine *p = &zone->places[piece->first_place + (uint32_t)i];
            const karst_zone_eye *eye = &f->eyes[0];
            float x = (float)(p->x + zone->bias.x - eye->base[0]) * f->fine_m - eye->fraction.x;
            float y = (float)(p->y + zone->bias.y - eye->base[1]) * f->fine_m - eye->fraction.y;
            float z = (float)(p->z + zone->bias.z - eye->base[2]) * f->fine_m - eye->fraction.z;
            if (karst_zone_tile_level(f->ramps[piece->size], x * x + y * y + z * z) < 4) {
                ++count;
                break;
            }
        }
    }
    return count;
}

static void a_tile_is_refined_only_where_all_spans_are_at_tiles(void **state) {
    (void)state;
    land l = land_make(15);
    land_put_all(&l);
    karst_zone_budget budget = karst_zone_budget_default();
    budget.cull = false, budget.tile_m = 0, budget.tile_fade_m = 0.01f;
    int control = 0;
    for (prop p = prop_begin("asking", 100); prop_next(&p);) {
        karst_pos eye = zone_weld_eye(l.net, p.seed, (uint64_t)p.at);
        budget.threshold = (float)exp2(-prop_real(&p, 2, 14));
        karst_zone_frame frame = frame_of(&l, eye, &budget);
        prop_check(&p, asking(&frame) == 0);
    }
    // Control: a net that says its pieces reach nowhere.
    karst_zone *zones = calloc((size_t)l.zones.count, sizeof *zones);
    for (int k = 0; k < l.zones.count; ++k) {
        land_take(&l, k);
        zones[k] = *l.zones.zones[k];
        zones[k].reach_m = 0;
    }
    for (int k = 0; k < l.zones.count; ++k)
        assert_int_equal(karst_zone_scene_add(l.scene, &zones[k], NULL, &l.slot[k]), KARST_OK);
    for (prop p = prop_begin("asking", 20); prop_next(&p);) {
        budget.threshold = (float)exp2(-prop_real(&p, 2, 14));
        karst_zone_frame frame = frame_of(&l, zone_weld_eye(l.net, p.seed, (uint64_t)p.at), &budget);
        control += asking(&frame);
    }
    assert_true(control > 0);
    karst_zone_scene_destroy(l.scene);
    l.scene = NULL;
    free(zones);
    land_free(&l);
}

static void what_is_drawn_is_closed_from_anywhere(void **state) {
    (void)state;
    land l = land_make(15);
    land_put_all(&l);
    zone_weld *weld = zone_weld_create(&l.zones);
    int64_t tiles = 0, outline = 0;
    for (prop p = prop_begin("closed", 150); prop_next(&p);) {
        karst_zone_budget budget = karst_zone_budget_default();
        budget.cull = false;
        budget.threshold = (float)exp2(-prop_real(&p, 5, 15));
        if (p.at % 3 == 0) budget.tile_m = 0, budget.tile_fade_m = 0.01f;
        for (int k = 0; k < l.zones.count; ++k) {  // zones come and go
            bool want = prop_chance(&p, 0.8);
            if (want && !l.there[k]) land_put(&l, k);
            if (!want && l.there[k]) land_take(&l, k);
        }
        karst_view view[2] = {view_at(zone_weld_eye(l.net, p.seed, (uint64_t)p.at)),
                              view_at(zone_weld_eye(l.net, p.seed, 1000 + (uint64_t)p.at))};
        karst_zone_frame frame;
        update(&l, view, p.at % 4 ? 1 : 2, &budget, &frame);
        zone_weld_result r = zone_weld_frame(weld, &frame, l.scene, l.there);
        prop_check(&p, r.cracks == 0);
        prop_check(&p, r.triangles <= frame.figures.triangles);
        tiles += frame.figures.refined, outline += r.outline;
    }
    assert_true(tiles > 100 && outline > 1000);
    zone_weld_destroy(weld);
    land_free(&l);
}

// Cracks of a frame whose levels were spoilt in one zone, or whose curves were.
static void a_zone_that_goes_its_own_way_tears(void **state) {
    (void)state;
    land l = land_make(15);
    land_put_all(&l);
    zone_weld *weld = zone_weld_create(&l.zones);
    karst_zone_budget budget = karst_zone_budget_default();
    budget.cull = false, budget.tile_m = 0, budget.threshold = 0x1p-9f;
    karst_view view = view_at((karst_pos){160, scene_net_hill(160, 150) + 2, 150});
    karst_zone_frame frame;
    update(&l, &view, 1, &budget, &frame);
    assert_int_equal(zone_weld_frame(weld, &frame, l.scene, l.there).cracks, 0);
    float *levels = malloc((frame.level_count + 1) * sizeof *levels);
    memcpy(levels, frame.levels, frame.level_count * sizeof *levels);
    const karst_zone_at *at = &frame.zones[l.slot[1]];
    for (uint32_t k = 0; k < at->zone->span_count; ++k)  // a little coarser than its neighbours take them
        for (int e = 0; e < 2; ++e)
            levels[at->first_level + at->span_level[k][e]] += 0.5f / (float)at->zone->span_count;
    const float *right = frame.levels;
    frame.levels = levels;
    assert_true(zone_weld_frame(weld, &frame, l.scene, l.there).cracks > 0);
    frame.levels = right;
    // Without the rule for edges: its own maps up to the border.
    kst_zone_record *record = l.zones.zones[1]->record;
    for (uint32_t k = 0; k < record->data.edge_count; ++k) record->curves[k].noise ^= 5;
    budget.threshold = 1e-6f;
    update(&l, &view, 1, &budget, &frame);
    assert_true(zone_weld_frame(weld, &frame, l.scene, l.there).cracks > 0);
    free(levels);
    zone_weld_destroy(weld);
    land_free(&l);
}

static uint64_t hash_of(const karst_zone_frame *f) {
    uint64_t h = kst_hash(f->instances, (size_t)f->instance_count * sizeof *f->instances, 1);
    h = kst_hash(f->levels, f->level_count * sizeof *f->levels, h);
    for (int k = 0; k < f->batch_count; ++k)
        h = kst_hash_u64(
            h, (uint64_t)f->batches[k].first << 32 | (uint64_t)f->batches[k].count << 8 | f->batches[k].pattern);
    return kst_hash_u64(h, (uint64_t)f->figures.triangles);
}

static void frames_are_the_same_for_any_threads_and_history(void **state) {
    (void)state;
    uint64_t want[12];
    for (int workers = 0; workers < 4; workers += 1 + workers) {
        land l = land_make(8);
        karst_zone_scene_destroy(l.scene);
        karst_zone_scene_def def = karst_zone_scene_def_default();
        karst_jobs_def jobs = karst_jobs_def_default();
        jobs.worker_count = workers ? workers : 1;
        if (workers) assert_int_equal(karst_jobs_create(&jobs, &def.jobs), KARST_OK);
        assert_int_equal(karst_zone_scene_create(&def, &l.scene), KARST_OK);
        land_put_all(&l);
        land_take(&l, 2);
        land_put(&l, 2);
        for (int k = 0; k < 12; ++k) {
            karst_zone_budget budget = karst_zone_budget_default();
            karst_view view[2] = {view_at(zone_weld_eye(l.net, 5, (uint64_t)k)), view_at((karst_pos){10, 30, 200})};
            karst_zone_frame frame;
            update(&l, view, 1 + (k & 1), &budget, &frame);
            uint64_t first = hash_of(&frame);
            update(&l, view, 1 + (k & 1), &budget, &frame);  // a still camera
            assert_int_equal(hash_of(&frame), first);
            if (!workers) want[k] = first;
            assert_int_equal(first, want[k]);
        }
        land_free(&l);
        karst_jobs_destroy(def.jobs);
    }
}

static void culling_leaves_out_and_changes_nothing_else(void **state) {
    (void)state;
    land l = land_make(8);
    land_put_all(&l);
    static karst_zone_instance all[1 << 18];
    karst_zone_vertex *v = malloc(3 * KARST_ZONE_TRIANGLES_MAX * sizeof *v);
    int32_t left = 0;
    for (prop p = prop_begin("culled", 30); prop_next(&p);) {
        karst_view view = view_at(zone_weld_eye(l.net, p.seed, (uint64_t)p.at));
        karst_zone_budget budget = karst_zone_budget_default();
        karst_zone_frame frame;
        budget.cull = false;
        update(&l, &view, 1, &budget, &frame);
        int32_t count = frame.instance_count, at = 0;
        memcpy(all, frame.instances, (size_t)count * sizeof *all);
        budget.cull = true;
        update(&l, &view, 1, &budget, &frame);
        for (int k = 0; k < frame.instance_count; ++k) {  // in the same order
            while (at < count && memcmp(&all[at], &frame.instances[k], sizeof *all)) ++at;
            prop_check(&p, at++ < count);
        }
        left += count - frame.instance_count;
        // Nothing that was left out is on the screen.
        budget.cull = false;
        uint8_t *kept = calloc(1, 64 << 16);
        for (int k = 0; k < frame.instance_count; ++k)
            kept[frame.instances[k].zone << 16 | frame.instances[k].piece] = 1;
        update(&l, &view, 1, &budget, &frame);
        for (int k = 0; k < frame.instance_count; k += 7) {
            if (kept[frame.instances[k].zone << 16 | frame.instances[k].piece]) continue;
            int triangles = karst_zone_frame_expand(&frame, l.scene, k, v);
            for (int i = 0; i < 3 * triangles; ++i) {
                double x, y, depth;
                karst_pos at_world = {frame.origin.x + (double)v[i].position.x,
                                      frame.origin.y + (double)v[i].position.y,
                                      frame.origin.z + (double)v[i].position.z};
                bool front = karst_view_project(&view, at_world, &x, &y, &depth);
                prop_check(&p, !front || x < 0 || y < 0 || x > view.width || y > view.height);
            }
        }
        free(kept);
    }
    assert_true(left > 0);
    free(v);
    land_free(&l);
}

static void what_a_shader_reads_says_the_same(void **state) {
    (void)state;
    land l = land_make(8);
    land_put_all(&l);
    karst_zone_budget budget = karst_zone_budget_default();
    karst_view view = view_at((karst_pos){100, scene_net_hill(100, 100) + 2, 100});
    karst_zone_frame f;
    update(&l, &view, 1, &budget, &f);
    karst_vec3 place[KARST_ZONE_VERTICES_MAX];
    uint16_t index[3 * KARST_ZONE_TRIANGLES_MAX];
    static karst_zone_vertex v[3 * KARST_ZONE_TRIANGLES_MAX];
    int64_t triangles = 0;
    for (int b = 0; b < f.batch_count; ++b) {
        const karst_zone_batch *batch = &f.batches[b];
        int indices = karst_zone_indices(batch->cells_log2, batch->pattern, index);
        triangles += (int64_t)batch->count * indices / 3;
        for (int k = batch->first; k < batch->first + batch->count; ++k) {
            const karst_zone_instance *at = &f.instances[k];
            assert_int_equal(at->pattern, batch->pattern);
            assert_int_equal(at->cells_log2, batch->cells_log2);
            assert_int_equal(at->tile < 256, batch->tiles);
            assert_int_equal(at->tile == KARST_ZONE_FINEST, batch->finest);
            float inside, spans[32];
            int count = karst_zone_frame_levels(&f, k, &inside, spans);
            assert_true(count >= 4 &&
                        (batch->finest || (int)inside == (at->pattern == 5 && batch->tiles ? 4 : at->pattern)));
            for (int s = 0; s < count; ++s) assert_true(spans[s] >= inside && spans[s] <= 2 * at->cells_log2);
            if (k % 9) continue;
            karst_zone_frame_places(&f, k, place);
            int n = karst_zone_frame_expand(&f, l.scene, k, v);
            assert_true(n <= indices / 3 && n >= 1);
            // Corners of pieces and tiles are where the zone has them; triangles face up on this ground of hills, but
            // for those on a line.
            for (int i = 0; i < n; ++i) {
                const karst_zone_vertex *t = &v[3 * i];
                float area = (t[1].s - t[0].s) * (t[2].t - t[0].t) - (t[2].s - t[0].s) * (t[1].t - t[0].t);
                assert_true(area <= 0);  // s to t turns clockwise as seen from above
                for (int c = 0; c < 3; ++c) assert_true(t[c].s >= 0 && t[c].s <= 1 && t[c].t >= 0 && t[c].t <= 1);
            }
        }
    }
    assert_int_equal(triangles, f.figures.triangles);
    land_free(&l);
}

static void index_lists_cover_the_lattice_once(void **state) {
    (void)state;
    static uint16_t index[3 * KARST_ZONE_TRIANGLES_MAX];
    for (int log2n = 1; log2n <= 6; ++log2n)
        for (int pattern = 0; pattern <= 2 * log2n + 1; ++pattern) {
            int count = karst_zone_indices(log2n, pattern, index), row = (1 << log2n) + 1;
            int64_t area = 0;
            for (int k = 0; k < count; k += 3) {
                int x[3], y[3];
                for (int c = 0; c < 3; ++c) x[c] = index[k + c] % row, y[c] = index[k + c] / row;
                int twice = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
                assert_true(twice < 0);
                area -= twice;
            }
            assert_int_equal(area, 2LL << (2 * log2n));
        }
}

static void tables_depend_on_the_span_and_nothing_beyond(void **state) {
    (void)state;
    karst_zone_scene *scene;
    assert_int_equal(karst_zone_scene_create(NULL, &scene), KARST_OK);
    for (int l = 1; l <= 4; ++l)
        for (int side = 0; side < 4; ++side)
            for (int q = 0; q < l; ++q)
                for (int span = 0; span < 1 << q; ++span) {
                    const uint8_t *d = karst_zone_scene_depend(scene, l, false, side, q, span);
                    int n = 1 << l, inside = 0;
                    for (int j = 0; j <= n; ++j)
                        for (int i = 0; i <= n; ++i) {
                            int across = side == 0   ? j
                                         : side == 1 ? n - i
                                         : side == 2 ? n - j
                                                     : i,
                                along = side & 1 ? j : i;
                            bool within = along > span * (n >> q) && along < (span + 1) * (n >> q);
                            if (across == 0) assert_int_equal(d[j * (n + 1) + i] < 99, within);
                            inside += across > 0 && d[j * (n + 1) + i] < 99;
                        }
                    assert_true(inside > 0 || n >> q == 2);
                }
    karst_zone_scene_destroy(scene);
}

static void methods_have_names_and_a_budget_has_pixels(void **state) {
    (void)state;
    karst_zone_method method = (karst_zone_method)7;
    assert_false(karst_zone_method_find("nothing", &method));
    assert_int_equal(method, 7);
    for (int k = 0; k < KARST_ZONE_METHOD_COUNT; ++k) {
        assert_true(karst_zone_method_find(karst_zone_method_name((karst_zone_method)k), &method));
        assert_int_equal(method, k);
        assert_non_null(strstr(KARST_ZONE_METHOD_NAMES, karst_zone_method_name(method)));
    }
    karst_view view = view_at((karst_pos){0, 0, 0});
    // Half a square whose diagonal takes 20 px a metre away has this area.
    double diagonal = karst_view_error_slope(&view, 20);
    assert_true(fabs(karst_zone_threshold(&view, 20) - diagonal * diagonal / 4) < 1e-9);
}

static void a_zone_of_another_net_is_refused(void **state) {
    (void)state;
    land l = land_make(0);
    land_put(&l, 0);
    karst_zone other = *l.zones.zones[1];
    other.reach_m += 1;
    karst_report report = {0};
    uint16_t slot = 99;
    assert_int_equal(karst_zone_scene_add(l.scene, &other, &report, &slot), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "another net"));
    assert_int_equal(slot, 99);
    land_take(&l, 0);
    assert_int_equal(karst_zone_scene_add(l.scene, &other, &report, &slot), KARST_OK);
    karst_zone_scene_remove(l.scene, slot);
    // An empty scene has an empty frame.
    karst_zone_budget budget = karst_zone_budget_default();
    karst_view view = view_at((karst_pos){0, 0, 0});
    karst_zone_frame frame;
    update(&l, &view, 1, &budget, &frame);
    assert_int_equal(frame.instance_count + frame.batch_count, 0);
    land_free(&l);
}

static void an_eye_out_of_reach_sees_the_coarsest(void **state) {
    (void)state;
    land l = land_make(0);
    land_put_all(&l);
    zone_weld *weld = zone_weld_create(&l.zones);
    karst_zone_budget budget = karst_zone_budget_default();
    budget.cull = false;
    for (int way = -1; way <= 1; way += 2) {
        karst_zone_frame f = frame_of(&l, (karst_pos){way * 1e12, way * 1e12, -way * 1e12}, &budget);
        for (int k = 0; k < f.instance_count; ++k) {
            assert_int_equal(f.instances[k].tile, KARST_ZONE_WHOLE);
            float inside, spans[32];
            karst_zone_frame_levels(&f, k, &inside, spans);
            const karst_piece *piece = &f.zones[f.instances[k].zone].zone->pieces[f.instances[k].piece];
            int most = 0;
            for (int side = 0; side < 4; ++side) most = piece->spans_log2[side] > most ? piece->spans_log2[side] : most;
            assert_int_equal((int)inside, 2 * (piece->tiles_log2 - most));
        }
        assert_int_equal(zone_weld_frame(weld, &f, l.scene, l.there).cracks, 0);
    }
    zone_weld_destroy(weld);
    land_free(&l);
}

static void failing_memory_leaves_the_scene_as_it_was(void **state) {
    (void)state;
    land l = land_make(0);
    land_put(&l, 0);
    karst_zone_budget budget = karst_zone_budget_default();
    budget.cull = false;
    karst_view view = view_at((karst_pos){100, 50, 100});
    karst_zone_frame frame;
    update(&l, &view, 1, &budget, &frame);
    uint64_t want = hash_of(&frame);
    int failed = 0;
    for (int k = 1; !l.there[1]; ++k) {
        kst_alloc_fail_after((uint64_t)k);
        karst_status status = karst_zone_scene_add(l.scene, l.zones.zones[1], NULL, &l.slot[1]);
        kst_alloc_fail_after(0);
        l.there[1] = !status;
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
        update(&l, &view, 1, &budget, &frame);
        assert_int_equal(hash_of(&frame), want);
        ++failed;
    }
    assert_true(failed > 10);
    kst_alloc_fail_after(0);
    for (int k = 0; k < 3; ++k) update(&l, &view, 1, &budget, &frame);
    assert_int_equal(kst_alloc_fail_after(0), 0);  // a frame allocates nothing
    kst_alloc_fail_after(1);
    karst_zone_scene *scene = NULL;
    assert_int_equal(karst_zone_scene_create(NULL, &scene), KARST_ERROR_MEMORY);
    kst_alloc_fail_after(0);
    land_free(&l);
}

// The cache keeps to its budget, gives what karst_zone_fine() makes, and changes nothing that is drawn.
static void finest_vertices_are_kept_within_a_budget(void **state) {
    (void)state;
    static karst_zone_vertex a[3 * KARST_ZONE_TRIANGLES_MAX], b[3 * KARST_ZONE_TRIANGLES_MAX];
    karst_fine *want = malloc(KARST_ZONE_VERTICES_MAX * sizeof *want);
    for (int small = 0; small < 2; ++small) {
        land l = land_make(8);
        karst_zone_scene_destroy(l.scene);
        karst_zone_scene_def def = karst_zone_scene_def_default();
        if (small) def.fine_bytes = 1 << 20;
        assert_int_equal(karst_zone_scene_create(&def, &l.scene), KARST_OK);
        land_put_all(&l);
        karst_fine *mirror = NULL;  // what a renderer has
        int32_t missing = 0, uploads = 0, again = 0;
        for (prop p = prop_begin("fine", 24); prop_next(&p);) {
            karst_zone_budget budget = karst_zone_budget_default();
            budget.threshold = 1e-4f, budget.cull = false;
            if (p.at == 7) land_take(&l, 3);
            if (p.at == 9) land_put(&l, 3);
            karst_zone_frame f = frame_of(&l, zone_weld_eye(l.net, p.seed, (uint64_t)p.at), &budget);
            karst_zone_refined r;
            if (p.at == 0) {
                kst_alloc_fail_after(2);
                prop_check(&p, karst_zone_scene_refine(l.scene, &r) == KARST_ERROR_MEMORY);
                kst_alloc_fail_after(0);
            }
            prop_check(&p, karst_zone_scene_refine(l.scene, &r) == KARST_OK);
            if (!mirror) mirror = malloc(r.room * sizeof *mirror);
            prop_check(&p, r.room * sizeof *mirror <= def.fine_bytes);
            for (int k = 0; k < r.upload_count; ++k) {
                prop_check(&p, r.uploads[k].first + r.uploads[k].count <= r.room);
                memcpy(mirror + r.uploads[k].first, r.uploads[k].vertices, r.uploads[k].count * sizeof *mirror);
            }
            missing += r.missing, uploads += r.upload_count;
            int32_t not_here = 0;
            for (int k = 0; k < f.instance_count; ++k) {
                const karst_zone_instance *at = &f.instances[k];
                if (at->tile == KARST_ZONE_WHOLE || (at->tile < 256 && at->tile != 0)) continue;
                int64_t first = karst_zone_scene_fine(l.scene, at->zone, at->piece);
                not_here += first == KARST_ZONE_NOT_HERE;
                if (first == KARST_ZONE_NOT_HERE || k % 3) continue;
                const karst_zone *zone = f.zones[at->zone].zone;
                uint32_t side = (4u << zone->pieces[at->piece].tiles_log2) + 1;
                karst_zone_fine(zone, at->piece, want);
                prop_check(&p, !memcmp(want, mirror + first, side * side * sizeof *want));
            }
            prop_check(&p, not_here == r.missing);
            karst_zone_scene_refine(l.scene, &r);
            again += r.upload_count;
        }
        assert_true(uploads > 50);
        assert_int_equal(again, 0);  // a still camera brings nothing
        assert_true(small ? missing > 0 : missing == 0);
        // The same triangles with and without.
        karst_zone_budget budget = karst_zone_budget_default();
        karst_zone_frame f = frame_of(&l, (karst_pos){100, 20, 100}, &budget);
        karst_zone_refined r;
        karst_zone_scene *plain;
        assert_int_equal(karst_zone_scene_create(NULL, &plain), KARST_OK);
        assert_int_equal(karst_zone_scene_refine(l.scene, &r), KARST_OK);
        karst_zone_scene *full = l.scene;
        l.scene = plain;
        land_put_all(&l);
        karst_zone_frame g = frame_of(&l, (karst_pos){100, 20, 100}, &budget);
        for (int k = 0; k < f.instance_count; k += 5) {
            int n = karst_zone_frame_expand(&f, full, k, a);
            assert_int_equal(karst_zone_frame_expand(&g, plain, k, b), n);
            assert_memory_equal(a, b, 3 * (size_t)n * sizeof *a);
        }
        karst_zone_scene_destroy(full);
        free(mirror);
        land_free(&l);
    }
    free(want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_land_has_every_bind),
        cmocka_unit_test(a_tile_is_refined_only_where_all_spans_are_at_tiles),
        cmocka_unit_test(what_is_drawn_is_closed_from_anywhere),
        cmocka_unit_test(a_zone_that_goes_its_own_way_tears),
        cmocka_unit_test(frames_are_the_same_for_any_threads_and_history),
        cmocka_unit_test(culling_leaves_out_and_changes_nothing_else),
        cmocka_unit_test(what_a_shader_reads_says_the_same),
        cmocka_unit_test(index_lists_cover_the_lattice_once),
        cmocka_unit_test(tables_depend_on_the_span_and_nothing_beyond),
        cmocka_unit_test(methods_have_names_and_a_budget_has_pixels),
        cmocka_unit_test(a_zone_of_another_net_is_refused),
        cmocka_unit_test(finest_vertices_are_kept_within_a_budget),
        cmocka_unit_test(an_eye_out_of_reach_sees_the_coarsest),
        cmocka_unit_test(failing_memory_leaves_the_scene_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
