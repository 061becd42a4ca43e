// SPDX-License-Identifier: MIT
// Zones bisected: closed on all binds whatever comes and goes, the same triangles by any way, few tests.
#include "lod/zone_bisect.h"
#include "zoneland.h"

static karst_zone_budget bisect_budget(float threshold) {
    karst_zone_budget budget = karst_zone_budget_default();
    budget.method = KARST_ZONE_METHOD_BISECT, budget.threshold = threshold, budget.cull = false;
    return budget;
}

// Links that are not mutual, faces that should be halved, points that nobody needs.
typedef struct faults {
    int64_t links, coarse, idle, open;
} faults;

static faults faults_of(const land *l) {
    const kst_bisect *b = l->scene->bisect;
    faults r = {0};
    for (uint32_t f = 0; f < b->face_pool.end; ++f) {
        const karst_zone_triangle *t = &b->triangles[f];
        if (t->point[0] == t->point[1]) continue;
        for (int e = 0; e < 3; ++e) {
            uint32_t g = b->faces[f].nb[e], p = t->point[(e + 1) % 3], q = t->point[(e + 2) % 3];
            int back = 0;
            for (int k = 0; g != KST_NONE && k < 3; ++k)
                back += b->faces[g].nb[k] == f && b->triangles[g].point[(k + 1) % 3] == q &&
                        b->triangles[g].point[(k + 2) % 3] == p;
            r.links += g != KST_NONE && back != 1;
            r.open += g == KST_NONE;
        }
        kst_middle m = kst_bisect_middle(b, f);
        if (m.class < -4) continue;
        const karst_zone *zone = b->slots[t->zone].zone;
        karst_fine p = karst_zone_place(zone, t->piece, m.i, m.j);
        const int32_t at[3] = {p.x + zone->bias.x, p.y + zone->bias.y, p.z + zone->bias.z};
        r.coarse += m.corner || kst_bisect_wanted(b, m.size, m.class, kst_bisect_distance2(b, at));
    }
    uint8_t *used = calloc(b->knot_pool.end + 1, 1);
    for (uint32_t f = 0; f < b->face_pool.end; ++f)
        for (int c = 0; c < 3; ++c)
            used[b->triangles[f].point[c]] |= b->triangles[f].point[0] != b->triangles[f].point[1];
    uint32_t points = 0;
    for (uint32_t k = 0; k < b->knot_pool.end; ++k) {
        uint32_t fan[4];
        points += used[k];
        if (!used[k] || b->knots[k].pinned || !kst_bisect_fan(b, k, fan)) continue;
        r.idle += !kst_bisect_wanted(b, b->knots[k].size, b->knots[k].class, kst_bisect_distance2(b, b->points[k].at));
    }
    for (uint32_t k = 0; k < b->knot_pool.end; ++k)
        if (used[k]) r.links += !used[b->points[k].end[0]] || !used[b->points[k].end[1]];
    r.links += points != b->knot_pool.count;
    free(used);
    return r;
}

// The same for any order of its triangles.
static uint64_t shape_of(const karst_zone_frame *f) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < f->mesh.triangle_count; ++k) {
        const karst_zone_triangle *t = &f->mesh.triangles[k];
        if (t->point[0] == t->point[1]) continue;
        sum += kst_hash(&t->zone, sizeof *t - offsetof(karst_zone_triangle, zone), 3);
        for (int c = 0; c < 3; ++c) sum += kst_hash(f->mesh.points[t->point[c]].at, 12, 5 + (uint64_t)c);
    }
    return sum;
}

static void a_bisected_land_is_closed_from_anywhere(void **state) {
    (void)state;
    land l = land_make(15);
    land_put_all(&l);
    zone_weld *weld = zone_weld_create(&l.zones);
    int64_t outline = 0, changes = 0, kept = 0;
    karst_pos eye = {0};
    for (prop p = prop_begin("closed", 36); prop_next(&p);) {
        karst_zone_budget budget = bisect_budget(p.at % 5 ? 1e-4f : (float)exp2(-prop_real(&p, 5, 14)));
        if (p.at % 7 == 0) budget.tile_m = 0, budget.tile_fade_m = 0.01f;
        for (int k = 0; k < l.zones.count; ++k) {  // zones come and go
            bool want = prop_chance(&p, 0.8);
            if (want == l.there[k] || prop_chance(&p, 0.5)) continue;
            if (want) land_put(&l, k);
            if (!want) land_take(&l, k);
            ++changes;
        }
        if (p.at % 4 == 0) eye = zone_weld_eye(l.net, p.seed, (uint64_t)p.at);
        eye.x += prop_real(&p, -4, 4), eye.z += prop_real(&p, -4, 4);
        karst_zone_frame frame = frame_of(&l, eye, &budget);
        faults r = faults_of(&l);
        prop_check(&p, r.links == 0);
        prop_check(&p, r.coarse == 0);
        prop_check(&p, r.idle == 0);
        kept += !frame.mesh.rebuilt;
        zone_weld_result w = zone_weld_frame(weld, &frame, l.scene, l.there);
        prop_check(&p, w.cracks == 0);
        prop_check(&p, w.triangles <= frame.figures.triangles);
        outline += w.outline;
    }
    assert_true(outline > 100 && changes > test_count(36) / 3 && kept > test_count(36) / 6);
    zone_weld_destroy(weld);
    land_free(&l);
}

// Whatever way the eye came, zones came and went, and lists were kept: the triangles of a scene made just now.
static void the_triangles_are_a_function_of_the_eye(void **state) {
    (void)state;
    land l = land_make(8), fresh = land_make(8);
    land_put_all(&l);
    karst_pos eye = {130, 20, 100};
    int64_t kept = 0;
    for (prop p = prop_begin("eye", 30); prop_next(&p);) {
        static const int sectors[3] = {16, 32, 1};
        karst_zone_budget budget = bisect_budget(4e-4f);
        budget.sectors = sectors[p.at / 10 % 3];
        double step = p.at % 10 < 5 ? 1.5 : 0.025;
        eye.x += step * prop_real(&p, -0.2, 1), eye.z += step * prop_real(&p, -1, 1),
            eye.y += step * prop_real(&p, -0.1, 0.1);
        if (p.at % 10 == 9) eye = zone_weld_eye(l.net, p.seed, (uint64_t)p.at);
        if (p.at % 6 == 5) land_take(&l, p.at % l.zones.count), land_put(&l, p.at % l.zones.count);
        karst_zone_frame frame = frame_of(&l, eye, &budget);
        uint64_t got = shape_of(&frame);
        kept += !frame.mesh.rebuilt;
        // A still camera: nothing is tested, nothing is dirty.
        karst_zone_frame still = frame_of(&l, eye, &budget);
        prop_check(&p, still.mesh.round == frame.mesh.round && shape_of(&still) == got);
        prop_check(&p, still.mesh.split_tests + still.mesh.merge_tests + still.mesh.splits + still.mesh.merges == 0);
        prop_check(&p, still.mesh.dirty_triangle_count + still.mesh.dirty_point_count == 0);
        for (int k = 0; k < l.zones.count; ++k) land_put(&fresh, k);
        karst_zone_frame want = frame_of(&fresh, eye, &budget);
        prop_check(&p, shape_of(&want) == got);
        prop_check(&p, want.mesh.live_points == frame.mesh.live_points);
        for (int k = 0; k < l.zones.count; ++k) land_take(&fresh, k);
        karst_zone_scene_destroy(fresh.scene);
        assert_int_equal(karst_zone_scene_create(NULL, &fresh.scene), KARST_OK);
    }
    assert_true(kept >= test_count(30) * 2 / 3);
    land_free(&l);
    land_free(&fresh);
}

// What views see is told by piece and counted, and the mesh does not know.
static void culling_tells_pieces_and_leaves_the_mesh(void **state) {
    (void)state;
    land l = land_make(8);
    land_put_all(&l);
    int64_t seen_all = 0, live_all = 0;
    karst_pos eye = {130, 20, 100};
    for (prop p = prop_begin("cull", 20); prop_next(&p);) {
        karst_zone_budget budget = bisect_budget(4e-4f);
        eye.x += prop_real(&p, -3, 3), eye.z += prop_real(&p, -3, 3);
        if (p.at % 5 == 4) land_take(&l, p.at % l.zones.count), land_put(&l, p.at % l.zones.count);
        karst_zone_frame whole = frame_of(&l, eye, &budget);
        uint64_t shape = shape_of(&whole);
        for (int k = 0; k < l.zones.count; ++k) prop_check(&p, !whole.zones[k].seen);
        budget.cull = true;
        karst_zone_frame frame = frame_of(&l, eye, &budget);
        prop_check(&p, frame.mesh.round == whole.mesh.round && shape_of(&frame) == shape);
        int64_t seen = 0;
        int32_t pieces = 0;
        for (uint32_t k = 0; k < frame.mesh.triangle_count; ++k) {
            const karst_zone_triangle *t = &frame.mesh.triangles[k];
            seen += t->point[0] != t->point[1] && frame.zones[t->zone].seen[t->piece];
        }
        for (int k = 0; k < frame.zone_room; ++k)
            for (uint32_t i = 0; frame.zones[k].zone && i < frame.zones[k].zone->piece_count; ++i)
                pieces += frame.zones[k].seen[i] != 0;
        prop_check(&p, seen == frame.figures.triangles && pieces == frame.figures.pieces);
        seen_all += seen, live_all += frame.mesh.live_triangles;
    }
    assert_true(seen_all > 0 && seen_all < live_all * 3 / 4);
    land_free(&l);
}

// Control: links across a border that were forgotten show as cracks, and a face held back shows as coarse.
static void forgotten_links_tear(void **state) {
    (void)state;
    land l = land_make(15);
    land_put_all(&l);
    zone_weld *weld = zone_weld_create(&l.zones);
    karst_zone_budget budget = bisect_budget(1e-3f);
    karst_pos eye = {160, scene_net_hill(160, 150) + 2, 150};
    frame_of(&l, eye, &budget);
    kst_bisect *b = l.scene->bisect;
    int cut = 0;
    for (uint32_t f = 0; f < b->face_pool.end; ++f)
        for (int e = 0; e < 3; ++e) {
            uint32_t g = b->faces[f].nb[e];
            if (g == KST_NONE || b->triangles[f].zone == b->triangles[g].zone) continue;
            for (int k = 0; k < 3; ++k)
                if (b->faces[g].nb[k] == f) b->faces[g].nb[k] = KST_NONE;
            b->faces[f].nb[e] = KST_NONE;
            ++cut;
        }
    assert_true(cut > 10);
    karst_zone_frame frame = {0};
    for (int k = 0; k < 12; ++k) {
        eye.x += 1.3;
        frame = frame_of(&l, eye, &budget);
    }
    assert_true(zone_weld_frame(weld, &frame, l.scene, l.there).cracks > 0);
    // A list whose buckets are done late misses some.
    budget.threshold = 2e-4f;
    frame = frame_of(&l, eye, &budget);
    assert_int_equal(faults_of(&l).coarse, 0);
    for (int c = 0; c <= KST_ODOMETER; ++c) b->cursor[c] += 64;
    eye.z += 3;
    frame_of(&l, eye, &budget);
    assert_true(faults_of(&l).coarse > 0);
    zone_weld_destroy(weld);
    land_free(&l);
}

// The methods know each other's vertices: where both draw one that does not move, it is the same to the last bit.
typedef struct known {
    uint64_t key;  // 0: free
    karst_vec3 at;
} known;
enum { KNOWN = 1 << 20 };

static known *known_at(known *table, uint16_t zone, uint16_t piece, int i, int j) {
    uint64_t key = 1 + ((uint64_t)zone << 32 | (uint64_t)piece << 16 | (uint64_t)i << 8 | (uint64_t)j);
    uint64_t h = key * 0x9E3779B97F4A7C15u >> 44;
    while (table[h].key && table[h].key != key) h = (h + 1) & (KNOWN - 1);
    table[h].key = key;
    return &table[h];
}

static void both_methods_draw_the_same_vertices(void **state) {
    (void)state;
    land l = land_make(15);
    land_put_all(&l);
    static karst_zone_vertex v[3 * KARST_ZONE_TRIANGLES_MAX];
    known *table = malloc(KNOWN * sizeof *table);
    karst_fine *fine = malloc(KARST_ZONE_VERTICES_MAX * sizeof *fine);
    int64_t same = 0, moved = 0;
    double triangles[2] = {0};
    for (prop p = prop_begin("both", 4); prop_next(&p);) {
        memset(table, 0, KNOWN * sizeof *table);
        karst_zone_budget budget = bisect_budget((float)exp2(-prop_real(&p, 8, 13)));
        karst_pos eye = zone_weld_eye(l.net, p.seed, (uint64_t)p.at);
        karst_zone_frame f = frame_of(&l, eye, &budget);
        triangles[0] += (double)f.figures.triangles;
        for (uint32_t k = 0; k < f.mesh.triangle_count; ++k) {
            const karst_zone_triangle *t = &f.mesh.triangles[k];
            if (!karst_zone_frame_triangle(&f, l.scene, k, v)) continue;
            for (int c = 0; c < 3; ++c) {
                karst_vec3 point = karst_zone_frame_point(&f, t->point[c]);
                prop_check(&p, !memcmp(&point, &v[c].position, sizeof point));
                known_at(table, t->zone, t->piece, t->at[c][0], t->at[c][1])->at = point;
            }
        }
        budget.method = KARST_ZONE_METHOD_CORNER;
        f = frame_of(&l, eye, &budget);
        triangles[1] += (double)f.figures.triangles;
        for (int k = 0; k < f.instance_count; ++k) {
            const karst_zone_instance *at = &f.instances[k];
            const karst_zone_at *zone = &f.zones[at->zone];
            const karst_piece *piece = &zone->zone->pieces[at->piece];
            int tiles[2], side = (4 << piece->tiles_log2) + 1;
            zone_patch_tiles(zone->zone, at->piece, tiles);
            if (k == 0 || at->piece != at[-1].piece || at->zone != at[-1].zone)
                karst_zone_fine(zone->zone, at->piece, fine);
            int count = 3 * karst_zone_frame_expand(&f, l.scene, k, v);
            for (int c = 0; c < count; ++c) {
                int i = (int)(v[c].s * (float)(4 * tiles[0])) - 4 * piece->tile_s;
                int j = (int)(v[c].t * (float)(4 * tiles[1])) - 4 * piece->tile_t;
                const karst_fine *p0 = &fine[j * side + i];
                karst_vec3 whole = {(float)(p0->x + zone->offset[0]) * f.fine_m - f.fraction.x,
                                    (float)(p0->y + zone->offset[1]) * f.fine_m - f.fraction.y,
                                    (float)(p0->z + zone->offset[2]) * f.fine_m - f.fraction.z};
                if (memcmp(&whole, &v[c].position, sizeof whole)) continue;  // it moves here
                const known *q = known_at(table, at->zone, at->piece, i, j);
                if (q->at.x == 0 && q->at.y == 0 && q->at.z == 0) continue;  // not there
                bool equal = !memcmp(&q->at, &whole, sizeof whole);
                same += equal, moved += !equal;
                if (equal) continue;
                // It moves there: then it is near, but no further than the middle of what it halves may be.
                float dx = q->at.x - whole.x, dy = q->at.y - whole.y, dz = q->at.z - whole.z;
                prop_check(&p, dx * dx + dy * dy + dz * dz < 8 * 8);
            }
        }
    }
    printf("%lld vertices the same, %lld moved by bisect alone; corner draws %.2f times the triangles\n",
           (long long)same, (long long)moved, triangles[1] / triangles[0]);
    assert_true(same > 1000 && same > 3 * moved);
    assert_true(triangles[1] > triangles[0] && triangles[1] < 2 * triangles[0]);
    free(fine);
    free(table);
    land_free(&l);
}

static void dirty_ranges_tell_all_that_changed(void **state) {
    (void)state;
    land l = land_make(8);
    land_put_all(&l);
    karst_zone_budget budget = bisect_budget(4e-4f);
    enum { ROOM = 1 << 18 };
    karst_zone_triangle *triangles = calloc(ROOM, sizeof *triangles);
    karst_zone_point *points = calloc(ROOM, sizeof *points);
    uint64_t round = 0;
    int64_t brought = 0, all = 0;
    karst_pos eye = {90, 20, 100};
    for (prop p = prop_begin("dirty", 40); prop_next(&p);) {
        eye.x += p.at < 30 ? 0.4 : 0.025;
        if (p.at % 16 == 15) land_take(&l, 1);
        if (p.at % 16 == 4 && !l.there[1]) land_put(&l, 1);
        karst_zone_frame f = frame_of(&l, eye, &budget);
        const karst_zone_mesh *m = &f.mesh;
        assert_true(m->triangle_count <= ROOM && m->point_count <= ROOM);
        prop_check(&p, m->round - round <= 1);
        round = m->round;
        for (int k = 0; k < m->dirty_triangle_count; ++k) {
            const karst_zone_dirty *d = &m->dirty_triangles[k];
            prop_check(&p, d->first + d->count <= m->triangle_count);
            memcpy(triangles + d->first, m->triangles + d->first, d->count * sizeof *triangles);
            if (p.at) brought += d->count;
        }
        for (int k = 0; k < m->dirty_point_count; ++k) {
            const karst_zone_dirty *d = &m->dirty_points[k];
            prop_check(&p, d->first + d->count <= m->point_count);
            memcpy(points + d->first, m->points + d->first, d->count * sizeof *points);
        }
        if (p.at) all += m->triangle_count;
        prop_check(&p, !memcmp(triangles, m->triangles, m->triangle_count * sizeof *triangles));
        for (uint32_t k = 0; k < m->triangle_count; ++k)
            for (int c = 0; c < 3; ++c) {
                uint32_t i = triangles[k].point[c];
                prop_check(&p, !memcmp(&points[i], &m->points[i], sizeof *points));
            }
    }
    assert_true(brought > 0 && brought < all / 4);
    free(triangles);
    free(points);
    land_free(&l);
}

static void memory_that_fails_leaves_it_coarser_and_closed(void **state) {
    (void)state;
    land l = land_make(8);
    land_put_all(&l);
    zone_weld *weld = zone_weld_create(&l.zones);
    karst_zone_budget budget = bisect_budget(4e-4f);
    karst_pos eye = {100, 20, 100};
    int64_t refused = 0;
    for (int k = 1; k < 60; k += k < 8 ? 1 : 5) {
        kst_alloc_fail_after((uint64_t)k);
        karst_zone_frame f = frame_of(&l, eye, &budget);
        kst_alloc_fail_after(0);
        refused += f.mesh.refused;
        if (f.mesh.triangle_count) assert_int_equal(zone_weld_frame(weld, &f, l.scene, l.there).cracks, 0);
        if (f.mesh.triangle_count && !f.mesh.refused) break;
        karst_zone_scene_destroy(l.scene);
        assert_int_equal(karst_zone_scene_create(NULL, &l.scene), KARST_OK);
        land_put_all(&l);
    }
    assert_true(refused > 8);
    // Warm: frames, jumps and rebuilds take nothing.
    for (int pass = 0; pass < 2; ++pass) {
        kst_alloc_fail_after(0);
        for (int k = 0; k < 30; ++k) {
            karst_pos at = {100 + 1.1 * k + (k > 20 ? 60 : 0), 20, 100};
            karst_zone_frame f = frame_of(&l, at, &budget);
            assert_int_equal(f.mesh.refused, 0);
        }
    }
    assert_int_equal(kst_alloc_fail_after(0), 0);
    // A zone that comes while memory fails is there in the next frame all the same.
    land_take(&l, 0);
    for (int k = 1; k < 40; k += 3) {
        kst_alloc_fail_after((uint64_t)k);
        bool failed = karst_zone_scene_add(l.scene, l.zones.zones[0], NULL, &l.slot[0]);
        kst_alloc_fail_after(0);
        if (failed) continue;
        l.there[0] = true;
        karst_zone_frame f = frame_of(&l, eye, &budget);
        assert_int_equal(zone_weld_frame(weld, &f, l.scene, l.there).cracks, 0);
        assert_int_equal(faults_of(&l).links, 0);
        land_take(&l, 0);
    }
    zone_weld_destroy(weld);
    land_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bisected_land_is_closed_from_anywhere),
        cmocka_unit_test(the_triangles_are_a_function_of_the_eye),
        cmocka_unit_test(culling_tells_pieces_and_leaves_the_mesh),
        cmocka_unit_test(forgotten_links_tear),
        cmocka_unit_test(both_methods_draw_the_same_vertices),
        cmocka_unit_test(dirty_ranges_tell_all_that_changed),
        cmocka_unit_test(memory_that_fails_leaves_it_coarser_and_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
