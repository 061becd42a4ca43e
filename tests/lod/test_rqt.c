// SPDX-License-Identifier: MIT
// Meshes keep their error at every sample, cover the ground once and are closed.
#include "karst/bake.h"
#include "lod/mesh_check.h"
#include "scenes/scenes.h"

static karst_field *field_of(int columns, int rows, const float *y) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){columns, rows, 2, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, columns, rows}, y, NULL, NULL, columns), KARST_OK);
    return field;
}

static karst_mesh *mesh_of(karst_field *field, double error_m, bool refit) {
    karst_mesh_def def = karst_mesh_def_default();
    karst_mesh *mesh;
    def.error_m = error_m;
    def.refit = refit;
    assert_int_equal(karst_mesh_build(field, &def, &mesh), KARST_OK);
    return mesh;
}

static karst_rect whole(const samples *s) {
    return (karst_rect){0, 0, s->shape.columns, s->shape.rows};
}

enum { FLAT, RAMP, NOISE, STEP, SPIKE, ROUGH, KINDS };

static float height_of(prop *p, int kind, int i, int j) {
    switch (kind) {
        case FLAT:
            return 12.5f;
        case RAMP:
            return (float)(3 * i - 2 * j);
        case NOISE:
            return (float)prop_real(p, 0, 100);
        case STEP:
            return i > 7 ? 1000 : 0;
        case SPIKE:
            return i == 5 && j == 3 ? -400 : 0;
        default:
            return scene_height(i, j, 5) * 4;
    }
}

// Fields of all kinds and sizes, with holes, displaced, parts of them; errors from nothing to everything.
static void every_mesh_keeps_what_it_promises(void **state) {
    (void)state;
    static const int sides[] = {2, 3, 4, 5, 9, 17, 33, 64, 65, 66, 77, 100, 129};
    for (prop p = prop_begin("rqt_promise", 400); prop_next(&p);) {
        int w = sides[prop_int(&p, 0, 12)], h = sides[prop_int(&p, 0, 12)], kind = prop_int(&p, 0, KINDS - 1);
        karst_field *field;
        if (prop_chance(&p, 0.4)) {
            assert_int_equal(scene_rough_field(w, h, prop_real(&p, 0.5, 50), prop_u64(&p), prop_chance(&p, 0.5), true,
                                               (karst_pos){0, 0, 0}, &field),
                             KARST_OK);
        } else {
            float *y = malloc((size_t)(w * h) * sizeof *y);
            for (int k = 0; k < w * h; ++k) y[k] = height_of(&p, kind, k % w, k / w);
            field = field_of(w, h, y);
            free(y);
            uint8_t *hole = malloc((size_t)(w * h));
            double share = prop_chance(&p, 0.5) ? 0 : prop_real(&p, 0, 1);
            for (int k = 0; k < w * h; ++k) hole[k] = prop_chance(&p, share);
            assert_int_equal(karst_field_write_holes(field, (karst_rect){0, 0, w - 1, h - 1}, hole, w), KARST_OK);
            free(hole);
        }
        samples s = samples_of(field);
        karst_mesh_def def = karst_mesh_def_default();
        static const double errors[] = {0, 1e-3, 0.5, 5, 30, 200, 1e9};
        def.error_m = errors[prop_int(&p, 0, 6)];
        def.refit = prop_chance(&p, 0.6);
        karst_rect part = whole(&s);
        if (prop_chance(&p, 0.5)) {
            int x = prop_int(&p, 0, w - 2), z = prop_int(&p, 0, h - 2);
            def.part = part = (karst_rect){x, z, prop_int(&p, x + 2, w), prop_int(&p, z + 2, h)};
        }
        karst_mesh *mesh;
        assert_int_equal(karst_mesh_build(field, &def, &mesh), KARST_OK);
        mesh_facts f = look_at_mesh(&s, part, mesh);
        if (!mesh_is_good(&f, def.error_m))
            print_error(
                "%d x %d, error %g, refit %d: worst %.17g, %ld uncovered, %ld turned, %ld doubled, %ld open, area %lld "
                "of %lld\n",
                w, h, def.error_m, def.refit, f.worst_m, f.uncovered, f.turned, f.doubled, f.open, f.twice_area,
                f.ground);
        prop_check(&p, mesh_is_good(&f, def.error_m));
        prop_near(&p, mesh->error_m, f.worst_m, 1e-9);
        karst_mesh_destroy(mesh);
        samples_free(&s);
        karst_field_destroy(field);
    }
}

// What the look finds when something is wrong.
static void the_look_sees_every_fault(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_rough_field(65, 77, 3, 1, false, true, (karst_pos){0, 0, 0}, &field), KARST_OK);
    samples s = samples_of(field);
    karst_mesh *m = mesh_of(field, 5, true);
    mesh_facts f = look_at_mesh(&s, whole(&s), m);
    assert_true(mesh_is_good(&f, 5));
    m->position[m->triangle[7][0]].y += 10.1;
    f = look_at_mesh(&s, whole(&s), m);
    assert_true(f.worst_m > 5);
    m->position[m->triangle[7][0]].y -= 10.1;
    --m->triangle_count;
    f = look_at_mesh(&s, whole(&s), m);
    assert_true(f.open > 0 && f.twice_area != f.ground);
    ++m->triangle_count;
    uint32_t keep = m->triangle[3][1];
    m->triangle[3][1] = m->triangle[3][2];
    f = look_at_mesh(&s, whole(&s), m);
    assert_true(f.turned == 1 && f.open > 0);
    m->triangle[3][1] = keep;
    memcpy(m->triangle[4], m->triangle[3], sizeof m->triangle[3]);
    f = look_at_mesh(&s, whole(&s), m);
    assert_true(f.doubled == 3);
    karst_mesh_destroy(m);
    samples_free(&s);
    karst_field_destroy(field);
}

// ---- full detail ---------------------------------------------------------------------------------------

typedef struct found {
    karst_triangle *triangle;
    int count;
} found;

static bool keep_triangles(void *context, const karst_triangle *triangles, int count) {
    found *f = context;
    memcpy(f->triangle + f->count, triangles, (size_t)count * sizeof *triangles);
    f->count += count;
    return true;
}

// Corners as a key that does not depend on which comes first.
static int by_corners(const void *a, const void *b) {
    return memcmp(((const karst_triangle *)a)->corner, ((const karst_triangle *)b)->corner,
                  sizeof((karst_triangle *)0)->corner);
}
static void turn_first(karst_triangle *t) {
    int first = 0;
    for (int k = 1; k < 3; ++k)
        if (memcmp(&t->corner[k], &t->corner[first], sizeof t->corner[k]) < 0) first = k;
    karst_pos c[3];
    for (int k = 0; k < 3; ++k) c[k] = t->corner[(first + k) % 3];
    memcpy(t->corner, c, sizeof c);
}

static void turn_and_sort(found *f) {
    for (int t = 0; t < f->count; ++t) turn_first(&f->triangle[t]);
    qsort(f->triangle, (size_t)f->count, sizeof *f->triangle, by_corners);
}

// The same triangles, whatever their order.
static void expect_reference(const karst_ground *ground, const karst_mesh *const *part, int parts) {
    found want = {malloc(2 * 130 * 71 * sizeof(karst_triangle)), 0};
    found got = {malloc(2 * 130 * 71 * sizeof(karst_triangle)), 0};
    for (uint32_t k = 0; k < karst_ground_chunk_count(ground); ++k)
        assert_int_equal(karst_ground_triangles(ground, k, keep_triangles, &want), KARST_OK);
    for (int k = 0; k < parts; ++k)
        for (uint32_t t = 0; t < part[k]->triangle_count; ++t, ++got.count)
            for (int c = 0; c < 3; ++c) got.triangle[got.count].corner[c] = part[k]->position[part[k]->triangle[t][c]];
    assert_int_equal(got.count, want.count);
    turn_and_sort(&want);
    turn_and_sort(&got);
    for (int t = 0; t < want.count; ++t) assert_int_equal(by_corners(&want.triangle[t], &got.triangle[t]), 0);
    free(want.triangle);
    free(got.triangle);
}

static void no_error_gives_the_reference_triangles(void **state) {
    (void)state;
    for (int displaced = 0; displaced < 2; ++displaced) {
        karst_field *field;
        karst_pos origin = {100, -7, 3000};
        assert_int_equal(scene_rough_field(130, 71, 3, 9, displaced, true, origin, &field), KARST_OK);
        karst_mesh *m = mesh_of(field, 0, true);
        expect_reference(karst_field_ground(field), (const karst_mesh *const *)&m, 1);
        karst_mesh_destroy(m);
        for (int odd = 0; odd < 2; ++odd) {  // in four parts too, round a place on either diagonal
            karst_mesh *part[4];
            for (int k = 0; k < 4; ++k) {
                karst_mesh_def def = karst_mesh_def_default();
                def.error_m = 0;
                def.border = KARST_MESH_BORDER_SHARED;
                def.part = (karst_rect){k & 1 ? 50 : 0, k & 2 ? 32 + odd : 0, k & 1 ? 130 : 51, k & 2 ? 71 : 33 + odd};
                assert_int_equal(karst_mesh_build(field, &def, &part[k]), KARST_OK);
            }
            expect_reference(karst_field_ground(field), (const karst_mesh *const *)part, 4);
            for (int k = 0; k < 4; ++k) karst_mesh_destroy(part[k]);
        }
        karst_field_destroy(field);
    }
}

static void plane_ground_is_two_triangles(void **state) {
    (void)state;
    float y[77 * 50];
    for (int k = 0; k < 77 * 50; ++k) y[k] = (float)(2 * (k % 77) - 3 * (k / 77));
    karst_field *field = field_of(77, 50, y);
    for (int refit = 0; refit < 2; ++refit) {
        karst_mesh *m = mesh_of(field, 0, refit);
        assert_int_equal(m->triangle_count, 2);
        assert_true(m->error_m == 0);
        karst_mesh_destroy(m);
    }
    karst_field_destroy(field);
}

// ---- real ground ---------------------------------------------------------------------------------------

static void real_ground_needs_few_triangles(void **state) {
    (void)state;
    enum { SIDE = 1025 };
    const char *path = data_path("whitemtns_1025.r16");
    if (!path) skip();
    uint16_t *raw = malloc(SIDE * SIDE * sizeof *raw);
    float *y = malloc(SIDE * SIDE * sizeof *y);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(raw, sizeof *raw, SIDE * SIDE, file), SIDE * SIDE);
    fclose(file);
    for (int k = 0; k < SIDE * SIDE; ++k) y[k] = raw[k];
    karst_field *field = field_of(SIDE, SIDE, y);
    samples s = samples_of(field);
    const struct {
        double error_m;
        bool refit;
        uint32_t most;
    } cases[] = {{36.5, false, 58000}, {36.5, true, 32400}};
    for (int k = 0; k < 2; ++k) {
        karst_mesh *m = mesh_of(field, cases[k].error_m, cases[k].refit);
        mesh_facts f = look_at_mesh(&s, whole(&s), m);
        assert_true(mesh_is_good(&f, cases[k].error_m));
        assert_true(m->triangle_count <= cases[k].most);
        karst_mesh_destroy(m);
    }
    samples_free(&s);
    karst_field_destroy(field);
    free(raw);
    free(y);
}

// ---- shared borders ------------------------------------------------------------------------------------

// All meshes in one, vertices that are equal bit for bit being one.
static karst_mesh join(karst_mesh *const *part, int count) {
    karst_mesh all = {0};
    size_t vertices = 0, triangles = 0;
    for (int k = 0; k < count; ++k) vertices += part[k]->vertex_count, triangles += part[k]->triangle_count;
    all.position = malloc((vertices + 1) * sizeof *all.position);
    all.place = malloc((vertices + 1) * sizeof *all.place);
    all.triangle = malloc((triangles + 1) * sizeof *all.triangle);
    size_t slots = 4 * vertices + 1;
    uint32_t *slot = calloc(slots, sizeof *slot);
    for (int k = 0; k < count; ++k) {
        uint32_t *fresh = malloc((part[k]->vertex_count + 1) * sizeof *fresh);
        for (uint32_t v = 0; v < part[k]->vertex_count; ++v) {
            const karst_pos *p = &part[k]->position[v];
            size_t at = kst_hash(p, sizeof *p, 0) % slots;
            while (slot[at] && memcmp(&all.position[slot[at] - 1], p, sizeof *p)) at = (at + 1) % slots;
            if (!slot[at]) {
                all.position[all.vertex_count] = *p;
                all.place[all.vertex_count] = part[k]->place[v];
                slot[at] = ++all.vertex_count;
            }
            fresh[v] = slot[at] - 1;
        }
        for (uint32_t t = 0; t < part[k]->triangle_count; ++t, ++all.triangle_count)
            for (int c = 0; c < 3; ++c) all.triangle[all.triangle_count][c] = fresh[part[k]->triangle[t][c]];
        free(fresh);
    }
    free(slot);
    return all;
}

static void join_free(karst_mesh *all) {
    free(all->position);
    free(all->place);
    free(all->triangle);
}

// Four parts of a field round a random place, each made alone.
static mesh_facts facts_of_quarters(prop *p, karst_field *field, const samples *s, double error_m, bool refit,
                                    karst_mesh_border border) {
    int w = s->shape.columns, h = s->shape.rows, x = prop_int(p, 3, w - 4), z = prop_int(p, 3, h - 4);
    karst_mesh *part[4];
    for (int k = 0; k < 4; ++k) {
        karst_mesh_def def = karst_mesh_def_default();
        def.part = (karst_rect){k & 1 ? x : 0, k & 2 ? z : 0, k & 1 ? w : x + 1, k & 2 ? h : z + 1};
        def.error_m = error_m;
        def.refit = refit;
        def.border = border;
        assert_int_equal(karst_mesh_build(field, &def, &part[k]), KARST_OK);
    }
    karst_mesh all = join(part, 4);
    mesh_facts f = look_at_mesh(s, whole(s), &all);
    join_free(&all);
    for (int k = 0; k < 4; ++k) karst_mesh_destroy(part[k]);
    return f;
}

static void parts_made_apart_meet(void **state) {
    (void)state;
    int torn = 0;
    for (prop p = prop_begin("rqt_shared", 160); prop_next(&p);) {
        int w = prop_int(&p, 7, 90), h = prop_int(&p, 7, 90);
        bool displaced = prop_chance(&p, 0.3), holes = prop_chance(&p, 0.5), refit = prop_chance(&p, 0.6);
        static const double errors[] = {0, 0.5, 5, 30, 1e6};
        double error_m = errors[prop_int(&p, 0, 4)];
        karst_field *field;
        assert_int_equal(scene_rough_field(w, h, 3, prop_u64(&p), displaced, holes, (karst_pos){0, 0, 0}, &field),
                         KARST_OK);
        if (prop_chance(&p, 0.3)) {
            uint8_t *hole = malloc((size_t)(w * h));
            double share = prop_real(&p, 0, 0.6);
            for (int k = 0; k < w * h; ++k) hole[k] = prop_chance(&p, share);
            assert_int_equal(karst_field_write_holes(field, (karst_rect){0, 0, w - 1, h - 1}, hole, w), KARST_OK);
            free(hole);
        }
        if (prop_chance(&p, 0.5)) {  // displaced on one side only
            int column = prop_int(&p, 2, w);
            float *zero = calloc((size_t)(w * h), sizeof *zero), *y = malloc((size_t)(w * h) * sizeof *y);
            karst_rect still = {0, 0, column, h};
            assert_int_equal(karst_field_read(field, still, y, NULL, NULL, w), KARST_OK);
            assert_int_equal(karst_field_write(field, still, y, zero, zero, w), KARST_OK);
            free(zero);
            free(y);
        }
        samples s = samples_of(field);
        mesh_facts f = facts_of_quarters(&p, field, &s, error_m, refit, KARST_MESH_BORDER_SHARED);
        if (!mesh_is_good(&f, error_m))
            print_error("worst %.17g of %g, %ld uncovered, %ld turned, %ld doubled, %ld open, area %lld of %lld\n",
                        f.worst_m, error_m, f.uncovered, f.turned, f.doubled, f.open, f.twice_area, f.ground);
        prop_check(&p, mesh_is_good(&f, error_m));
        f = facts_of_quarters(&p, field, &s, error_m, refit, KARST_MESH_BORDER_FREE);
        torn += f.open > 0;
        samples_free(&s);
        karst_field_destroy(field);
    }
    assert_true(torn > test_count(160) / 10);  // the control: free borders do not meet
}

// ---- several regions -------------------------------------------------------------------------------------

static karst_field *wide_field(int columns, int rows) {
    float *y = malloc((size_t)columns * (size_t)rows * sizeof *y);
    for (int k = 0; k < columns * rows; ++k) {
        int i = k % columns, j = k / columns;
        y[k] = (float)(60 * sin(i * 0.02) * cos(j * 0.05) + (double)(kst_random(3, (uint64_t)k) % 1000) * 0.003);
    }
    karst_field *field = field_of(columns, rows, y);
    free(y);
    uint8_t hole[40 * 25];
    for (int k = 0; k < 40 * 25; ++k) hole[k] = kst_random(4, (uint64_t)k) % 3 == 0;
    for (int i = 980; i + 40 < columns; i += 300)  // over cuts too
        assert_int_equal(karst_field_write_holes(field, (karst_rect){i, 3, i + 40, 28}, hole, 40), KARST_OK);
    return field;
}

// Regions meet, and who makes them changes no bit.
static void large_fields_are_one_mesh_on_any_number_of_threads(void **state) {
    (void)state;
    static const int sizes[][3] = {{2100, 40, true}, {33, 1400, true}, {1100, 1060, false}};
    for (int c = 0; c < 3; ++c) {
        karst_field *field = wide_field(sizes[c][0], sizes[c][1]);
        samples s = samples_of(field);
        karst_mesh *first = NULL;
        static const int workers[] = {1, 2, 5};
        for (int k = 0; k < 3; ++k) {
            karst_jobs_def jobs_def = karst_jobs_def_default();
            jobs_def.worker_count = workers[k];
            karst_jobs *jobs;
            assert_int_equal(karst_jobs_create(&jobs_def, &jobs), KARST_OK);
            karst_mesh_def def = karst_mesh_def_default();
            karst_mesh *m;
            def.error_m = 4;
            def.jobs = jobs;
            def.refit = sizes[c][2];
            assert_int_equal(karst_mesh_build(field, &def, &m), KARST_OK);
            karst_jobs_destroy(jobs);
            if (!first) {
                first = m;
                mesh_facts f = look_at_mesh(&s, whole(&s), m);
                assert_true(mesh_is_good(&f, 4) && f.worst_m == m->error_m);
                continue;
            }
            assert_true(m->vertex_count == first->vertex_count && m->triangle_count == first->triangle_count);
            assert_memory_equal(m->position, first->position, m->vertex_count * sizeof *m->position);
            assert_memory_equal(m->place, first->place, m->vertex_count * sizeof *m->place);
            assert_memory_equal(m->triangle, first->triangle, m->triangle_count * sizeof *m->triangle);
            karst_mesh_destroy(m);
        }
        karst_mesh_destroy(first);
        samples_free(&s);
        karst_field_destroy(field);
    }
}

// ---- packs -----------------------------------------------------------------------------------------------

// The vertices of the finest level where the lattice has them.
static samples samples_of_pack(const karst_pack *pack) {
    karst_lattice l = karst_pack_info_of(pack).lattice;
    samples s = samples_make(l.shape);
    int32_t across, along;
    karst_pack_chunk_grid(pack, 0, &across, &along);
    karst_chunk *c = malloc(sizeof *c);
    for (int32_t chunk = 0; chunk < across * along; ++chunk) {
        int x = chunk % across, z = chunk / across;
        assert_int_equal(karst_pack_read_chunk(pack, 0, x, z, c), KARST_OK);
        for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {
            int i = k % KARST_CHUNK_SIDE, j = k / KARST_CHUNK_SIDE, column = 64 * x + i, row = 64 * z + j;
            if (column >= l.shape.columns || row >= l.shape.rows) continue;
            int at = row * l.shape.columns + column;
            s.y[at] = c->vertex[k].y * l.step_y_m;
            s.x[at] = c->vertex[k].dx * l.step_xz_m;
            s.z[at] = c->vertex[k].dz * l.step_xz_m;
            if (i < 64 && j < 64) s.hole[at] = c->hole[j] >> i & 1;
        }
    }
    free(c);
    return s;
}

static void packs_are_meshed_as_they_are_stored(void **state) {
    (void)state;
    for (int displaced = 0; displaced < 2; ++displaced) {
        karst_field *field;
        karst_pos origin = {-3000, 12, 77};
        assert_int_equal(scene_rough_field(150, 90, 3, 2, displaced, true, origin, &field), KARST_OK);
        karst_bake_def bake = karst_bake_def_default();
        const char *path = temp_path("mesh.kpack");
        assert_int_equal(karst_bake_field(field, path, &bake, NULL, NULL, NULL), KARST_OK);
        karst_pack *pack;
        assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
        samples s = samples_of_pack(pack);
        karst_mesh_def def = karst_mesh_def_default();
        karst_mesh *mesh;
        def.error_m = 3;
        assert_int_equal(karst_mesh_build_pack(pack, &def, &mesh), KARST_OK);
        mesh_facts f = look_at_mesh(&s, whole(&s), mesh);
        assert_true(mesh_is_good(&f, 3) && f.worst_m > 1.5 && mesh->error_m <= 3);
        karst_mesh_destroy(mesh);
        for (uint64_t n = 1; n < 8; ++n) {
            kst_alloc_fail_after(n);
            karst_status status = karst_mesh_build_pack(pack, &def, &mesh);
            kst_alloc_fail_after(0);
            assert_int_equal(status, KARST_ERROR_MEMORY);
        }
        samples_free(&s);
        karst_pack_close(pack);
        karst_field_destroy(field);
    }
}

// ---- failure ---------------------------------------------------------------------------------------------

static void every_allocation_may_fail(void **state) {
    (void)state;
    karst_field *field;
    field = wide_field(1030, 40);  // two regions
    int failures = 0;
    for (uint64_t n = 1;; ++n) {
        karst_mesh_def def = karst_mesh_def_default();
        karst_report report = {0};
        karst_mesh *mesh = NULL;
        def.error_m = 4;
        def.report = &report;
        kst_alloc_fail_after(n);
        karst_status status = karst_mesh_build(field, &def, &mesh);
        kst_alloc_fail_after(0);
        if (!status) {
            karst_mesh_destroy(mesh);
            break;
        }
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_null(mesh);
        assert_true(report.message[0]);
        ++failures;
    }
    assert_true(failures > 15);
    karst_field_destroy(field);
}

typedef struct stopper {
    int calls, stop_at;
} stopper;

static bool stop_at(void *context, const char *stage, double share) {
    stopper *s = context;
    assert_true(stage[0] && share >= 0 && share <= 1);
    return ++s->calls != s->stop_at;
}

static void it_can_be_stopped(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_rough_field(129, 129, 3, 4, false, false, (karst_pos){0, 0, 0}, &field), KARST_OK);
    karst_mesh_def def = karst_mesh_def_default();
    stopper counter = {0, 0};
    karst_progress progress = {stop_at, &counter};
    karst_mesh *mesh = NULL;
    def.progress = &progress;
    assert_int_equal(karst_mesh_build(field, &def, &mesh), KARST_OK);
    karst_mesh_destroy(mesh);
    assert_true(counter.calls > 4);
    for (int k = 1; k <= counter.calls; ++k) {
        stopper s = {0, k};
        progress.context = &s;
        mesh = NULL;
        assert_int_equal(karst_mesh_build(field, &def, &mesh), KARST_ERROR_CANCELLED);
        assert_null(mesh);
    }
    karst_field_destroy(field);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    float y[9] = {0};
    karst_field *field = field_of(3, 3, y);
    karst_report report;
    const struct {
        double error_m, room_m;
        karst_rect part;
    } bad[] = {
        {-1, 0, {0}}, {NAN, 0, {0}},        {INFINITY, 0, {0}},   {1, 2, {0}},
        {1, -1, {0}}, {1, 0, {0, 0, 4, 3}}, {1, 0, {1, 1, 2, 3}}, {1, 0, {-1, 0, 3, 3}},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        karst_mesh_def def = karst_mesh_def_default();
        karst_mesh *mesh = NULL;
        def.error_m = bad[k].error_m, def.room_m = bad[k].room_m, def.part = bad[k].part, def.report = &report;
        report = (karst_report){0};
        assert_int_equal(karst_mesh_build(field, &def, &mesh), KARST_ERROR_ARGUMENT);
        assert_true(report.message[0] && !strchr(report.message, '\n'));
        assert_null(mesh);
    }
    karst_field_destroy(field);
    karst_mesh_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mesh_keeps_what_it_promises),
        cmocka_unit_test(the_look_sees_every_fault),
        cmocka_unit_test(no_error_gives_the_reference_triangles),
        cmocka_unit_test(plane_ground_is_two_triangles),
        cmocka_unit_test(parts_made_apart_meet),
        cmocka_unit_test(large_fields_are_one_mesh_on_any_number_of_threads),
        cmocka_unit_test(packs_are_meshed_as_they_are_stored),
        cmocka_unit_test(real_ground_needs_few_triangles),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    temp_in_memory();
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
