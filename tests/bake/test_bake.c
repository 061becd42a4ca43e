// SPDX-License-Identifier: MIT
// Bake: what a pack promises, measured on packs of random fields.
#include "karst/bake.h"

#include <time.h>

#include "bake/oracle.h"
#include "scenes/scenes.h"

typedef struct baked {
    karst_field *field;
    karst_pack *pack;
    karst_bake_info info;
} baked;

static baked bake_of(karst_field *field, float error_m) {
    baked b = {.field = field};
    karst_bake_def def = karst_bake_def_default();
    def.error_m = error_m;
    def.map_side = 64;
    karst_report report = {0};
    const char *path = temp_path("a.kpack");
    if (karst_bake_field(field, path, &def, NULL, &report, &b.info)) fail_msg("%s", report.message);
    assert_int_equal(karst_pack_open(path, NULL, &b.pack), KARST_OK);
    return b;
}

static baked bake_scene(int columns, int rows, uint64_t seed, bool displaced, bool holes, float error_m) {
    karst_field *field;
    karst_pos origin = {1000, 20, -3000};
    assert_int_equal(scene_rough_field(columns, rows, 2.5, seed, displaced, holes, origin, &field), KARST_OK);
    return bake_of(field, error_m);
}

static void close_baked(baked *b) {
    karst_pack_close(b->pack);
    karst_field_destroy(b->field);
}

// Most that a baked vertex is off the author's.
static double worst_vertex(const oracle *o, karst_field *field) {
    size_t n = (size_t)o->columns;
    float *line = malloc(sizeof(float) * 3 * n);
    double worst = 0, s = o->lattice.shape.spacing_m;
    for (int j = 0; j < o->rows; ++j) {
        karst_rect rect = {0, j, o->columns, j + 1};
        assert_int_equal(karst_field_read(field, rect, line, line + n, line + 2 * n, o->columns), KARST_OK);
        for (int i = 0; i < o->columns; ++i) {
            karst_vertex v = o->vertex[j * o->columns + i];
            double x =
                ((double)i * o->lattice.cell_steps + v.dx) * o->lattice.step_xz_m - (i * s + line[n + (size_t)i]);
            double y = v.y * o->lattice.step_y_m - line[i];
            double z =
                ((double)j * o->lattice.cell_steps + v.dz) * o->lattice.step_xz_m - (j * s + line[2 * n + (size_t)i]);
            double d = sqrt(x * x + y * y + z * z);
            worst = d > worst ? d : worst;
        }
    }
    free(line);
    return worst;
}

static void every_vertex_keeps_the_bound(void **state) {
    (void)state;
    static const int sizes[][2] = {{2, 2}, {3, 1000}, {65, 65}, {64, 130}, {131, 66}, {257, 90}};
    for (prop p = prop_begin("bound", 24); prop_next(&p);) {
        const int *size = sizes[p.at % 6];
        float error = (float)pow(10, prop_real(&p, -3, 0.5));
        bool displaced = prop_chance(&p, 0.5);
        baked b = bake_scene(size[0], size[1], prop_u64(&p), displaced, prop_chance(&p, 0.5), error);
        oracle o = oracle_open(b.pack);
        double worst = worst_vertex(&o, b.field);
        prop_check(&p, worst <= error);
        prop_near(&p, worst, b.info.largest_error_m, 1e-9);
        prop_check(&p, worst > 0.05 * error);  // the bound is used, not only kept
        prop_check(&p, displaced || o.lattice.cell_steps == 1);
        oracle_free(&o);
        close_baked(&b);
    }
}

// Errors are kept with five significant bits.
static double five_bits_up(double v) {
    int exponent;
    double part = frexp(v, &exponent);
    return ldexp(ceil(part * 32) / 32, exponent);
}

// Corner tables against brute force. `shrink` scales what the pack says, to see that a lie is caught.
static int corner_failures(const oracle *o, karst_pack *pack, double shrink, int *tried) {
    int levels = karst_pack_info_of(pack).level_count, failed = 0, most_k = levels - 1 + KARST_PATCH_LEVELS;
    size_t count = (size_t)o->columns * (size_t)o->rows;
    double *error = malloc(sizeof(double) * count * (size_t)(most_k + 1));
    for (int k = 0; k <= most_k; ++k)
        for (int j = 0; j < o->rows; ++j)
            for (int i = 0; i < o->columns; ++i)
                error[(size_t)k * count + (size_t)(j * o->columns + i)] = oracle_error(o, k, i, j);
    karst_chunk *chunk = malloc(sizeof *chunk);
    for (int level = 0; level < levels; ++level) {
        int32_t wide, deep;
        karst_pack_chunk_grid(pack, level, &wide, &deep);
        for (int cz = 0; cz < deep; ++cz)
            for (int cx = 0; cx < wide; ++cx) {
                assert_int_equal(karst_pack_read_chunk(pack, level, cx, cz, chunk), KARST_OK);
                for (int corner = 0; corner < KARST_CORNER_COUNT; ++corner) {
                    int64_t patch = (int64_t)KARST_PATCH_CELLS << level;
                    int64_t u = (cx * 4 + corner % 5) * patch, v = (cz * 4 + corner / 5) * patch;
                    if (u - patch >= o->columns - 1 || v - patch >= o->rows - 1) continue;
                    const karst_chunk_corners *c = &chunk->corners;
                    double grown = 0;  // from stride to stride by a quarter at least
                    for (int stride = 1; stride <= level + KARST_PATCH_LEVELS; ++stride) {
                        int k = stride - level;
                        double most = 0;
                        for (int64_t j = v - patch; j <= v + patch; ++j)
                            for (int64_t i = u - patch; i <= u + patch; ++i) {
                                if (i < 0 || j < 0 || i >= o->columns || j >= o->rows) continue;
                                double e = error[(size_t)stride * count + (size_t)(j * o->columns + i)];
                                most = e > most ? e : most;
                                karst_vertex w = o->vertex[j * o->columns + i];
                                double x = ((double)i * o->lattice.cell_steps + w.dx) * o->lattice.step_xz_m;
                                double y = w.y * o->lattice.step_y_m;
                                double z = ((double)j * o->lattice.cell_steps + w.dz) * o->lattice.step_xz_m;
                                failed += x < c->min_x[corner] || x > c->max_x[corner] || y < c->min_y[corner] ||
                                          y > c->max_y[corner] || z < c->min_z[corner] || z > c->max_z[corner];
                            }
                        double exact = 1.25 * grown > most ? 1.25 * grown : most;
                        grown = five_bits_up(exact);
                        if (k < 0) continue;
                        double said = c->error[k][corner] * shrink;
                        bool low = said < five_bits_up(exact * (1 - 1e-9));
                        bool high = said > five_bits_up(exact * (1 + 1e-6) + 1e-12);
                        failed += low || high;
                        ++*tried;
                    }
                }
            }
    }
    free(chunk);
    free(error);
    return failed;
}

static void errors_of_awkward_shapes(void **state) {
    (void)state;
    static const int sizes[][2] = {{2, 2}, {3, 260}, {2, 70}, {65, 17}, {66, 66}, {16, 33}};
    for (prop p = prop_begin("awkward", 12); prop_next(&p);) {
        const int *size = sizes[p.at % 6];
        baked b = bake_scene(size[0], size[1], prop_u64(&p), prop_chance(&p, 0.5), prop_chance(&p, 0.5), 0.01f);
        oracle o = oracle_open(b.pack);
        int tried = 0;
        prop_check(&p, corner_failures(&o, b.pack, 1, &tried) == 0);
        prop_check(&p, tried >= 15);
        oracle_free(&o);
        close_baked(&b);
    }
}

static void errors_are_those_of_brute_force(void **state) {
    (void)state;
    for (int displaced = 0; displaced < 2; ++displaced) {
        baked b = bake_scene(200, 150, 7, displaced, displaced, 0.02f);
        oracle o = oracle_open(b.pack);
        int tried = 0;
        assert_int_equal(corner_failures(&o, b.pack, 1, &tried), 0);
        assert_true(tried > 1000);
        assert_true(corner_failures(&o, b.pack, 0.9, &tried) > 1000);  // control: an error a tenth too small
        oracle_free(&o);
        close_baked(&b);
    }
}

static void nodes_hold_their_reach_and_their_children(void **state) {
    (void)state;
    baked b = bake_scene(300, 170, 11, true, true, 0.02f);
    oracle o = oracle_open(b.pack);
    int levels = karst_pack_info_of(b.pack).level_count;
    for (int level = 0; level < levels; ++level) {
        int32_t wide, deep, wide_up = 0, deep_up = 0;
        karst_pack_chunk_grid(b.pack, level, &wide, &deep);
        const karst_node *nodes = karst_pack_nodes(b.pack, level);
        const karst_node *up = level + 1 < levels ? karst_pack_nodes(b.pack, level + 1) : NULL;
        if (up) karst_pack_chunk_grid(b.pack, level + 1, &wide_up, &deep_up);
        for (int z = 0; z < deep; ++z)
            for (int x = 0; x < wide; ++x) {
                const karst_node *n = &nodes[z * wide + x];
                assert_true(level > 0 || n->error == 0);
                int64_t patch = (int64_t)16 << level;
                double most = 0;
                for (int64_t j = (z * 4 - 2) * patch; j <= (z * 4 + 6) * patch; ++j)
                    for (int64_t i = (x * 4 - 2) * patch; i <= (x * 4 + 6) * patch; ++i) {
                        if (i < 0 || j < 0 || i >= o.columns || j >= o.rows) continue;
                        spot p = oracle_offset(&o, i, j);
                        p.x += i * 2.5, p.z += j * 2.5;
                        assert_true(p.x >= n->reach_min[0] - 1e-9 && p.x <= n->reach_max[0] + 1e-9);
                        assert_true(p.y >= n->reach_min[1] && p.y <= n->reach_max[1]);
                        assert_true(p.z >= n->reach_min[2] - 1e-9 && p.z <= n->reach_max[2] + 1e-9);
                        double e = oracle_error(&o, level, (int)i, (int)j);
                        most = e > most ? e : most;
                    }
                assert_true(n->error >= most && n->error <= five_bits_up(most * (1 + 1e-6)));
                if (!up) continue;
                const karst_node *parent = &up[(z / 2) * wide_up + x / 2];
                assert_true(parent->error >= n->error);
                for (int a = 0; a < 3; ++a)
                    assert_true(parent->reach_min[a] <= n->reach_min[a] && parent->reach_max[a] >= n->reach_max[a]);
            }
    }
    oracle_free(&o);
    close_baked(&b);
}

static void all_levels_hold_the_same_integers(void **state) {
    (void)state;
    baked b = bake_scene(333, 150, 5, true, true, 0.02f);
    oracle o = oracle_open(b.pack);
    karst_chunk *chunk = malloc(sizeof *chunk), *beside = malloc(sizeof *beside);
    uint64_t seen = 0;
    for (int level = 0; level < karst_pack_info_of(b.pack).level_count; ++level) {
        int32_t wide, deep;
        karst_pack_chunk_grid(b.pack, level, &wide, &deep);
        for (int z = 0; z < deep; ++z)
            for (int x = 0; x < wide; ++x) {
                assert_int_equal(karst_pack_read_chunk(b.pack, level, x, z, chunk), KARST_OK);
                for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {  // beyond the field: the last sample
                    int i = oracle_min((x * 64 + k % 65) << level, o.columns - 1);
                    int j = oracle_min((z * 64 + k / 65) << level, o.rows - 1);
                    assert_memory_equal(&chunk->vertex[k], &o.vertex[j * o.columns + i], sizeof(karst_vertex));
                    assert_int_equal(chunk->normal[k], o.normal[j * o.columns + i]);
                }
                for (int j = 0; j < 64; ++j)
                    for (int i = 0; i < 64; ++i) {  // a hole anywhere below; outside is hole
                        bool hole = false;
                        for (int v = (z * 64 + j) << level; v < (z * 64 + j + 1) << level; ++v)
                            for (int u = (x * 64 + i) << level; u < (x * 64 + i + 1) << level; ++u)
                                hole |= u >= o.columns - 1 || v >= o.rows - 1 || o.hole[v * (o.columns - 1) + u];
                        assert_int_equal(chunk->hole[j] >> i & 1, hole);
                        seen += hole;
                    }
                for (int side = 0; side < 2; ++side) {  // corner tables on a shared border are equal bit for bit
                    if (side == 0 ? x + 1 >= wide : z + 1 >= deep) continue;
                    assert_int_equal(karst_pack_read_chunk(b.pack, level, x + !side, z + side, beside), KARST_OK);
                    for (int k = 0; k < 5; ++k) {
                        int mine = side == 0 ? k * 5 + 4 : 20 + k, theirs = side == 0 ? k * 5 : k;
                        const float *a = (const float *)&chunk->corners, *c = (const float *)&beside->corners;
                        for (int line = 0; line < 6 + KARST_PATCH_LEVELS + 1; ++line)
                            assert_memory_equal(&a[line * KARST_CORNER_LANES + mine],
                                                &c[line * KARST_CORNER_LANES + theirs], 4);
                    }
                }
                for (int lane = KARST_CORNER_COUNT; lane < KARST_CORNER_LANES; ++lane)
                    assert_true(chunk->corners.error[4][lane] == chunk->corners.error[4][0]);
            }
    }
    assert_true(seen > 0);
    free(chunk);
    free(beside);
    oracle_free(&o);
    close_baked(&b);
}

// The smooth normal from the triangles of the exact ground.
static void normals_are_the_mean_of_their_triangles(void **state) {
    (void)state;
    baked b = bake_scene(90, 80, 3, true, false, 0.01f);
    oracle o = oracle_open(b.pack);
    for (int j = 0; j < o.rows; ++j)
        for (int i = 0; i < o.columns; ++i) {
            double n[3] = {0, 0, 0};
            for (int cj = j - 1; cj <= j; ++cj)
                for (int ci = i - 1; ci <= i; ++ci) {
                    if (ci < 0 || cj < 0 || ci >= o.columns - 1 || cj >= o.rows - 1) continue;
                    bool even = (ci + cj) % 2 == 0;
                    int corner[4][2] = {{ci, cj}, {ci + 1, cj}, {ci + 1, cj + 1}, {ci, cj + 1}};
                    int order[2][2][3] = {{{0, 1, 3}, {1, 2, 3}}, {{0, 1, 2}, {0, 2, 3}}};
                    for (int t = 0; t < 2; ++t) {
                        spot p[3];
                        bool touches = false;
                        for (int q = 0; q < 3; ++q) {
                            const int *at = corner[order[even][t][q]];
                            touches |= at[0] == i && at[1] == j;
                            p[q] = oracle_offset(&o, at[0], at[1]);
                            p[q].x += at[0] * 2.5, p[q].z += at[1] * 2.5;
                        }
                        if (!touches) continue;
                        double u[3] = {p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z};
                        double v[3] = {p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z};
                        for (int a = 0; a < 3; ++a)
                            n[a] += v[(a + 1) % 3] * u[(a + 2) % 3] - v[(a + 2) % 3] * u[(a + 1) % 3];
                    }
                }
            double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            karst_vec3 d = karst_normal_decode(o.normal[j * o.columns + i]);
            assert_true((n[0] * d.x + n[1] * d.y + n[2] * d.z) / length > 0.9999);
        }
    oracle_free(&o);
    close_baked(&b);
}

static void bounds_hold_whatever_may_be_drawn(void **state) {
    (void)state;
    baked b = bake_scene(150, 140, 9, true, true, 0.02f);
    oracle o = oracle_open(b.pack);
    for (int level = 0; level < karst_pack_info_of(b.pack).level_count; ++level) {
        int32_t wide, deep;
        karst_pack_chunk_grid(b.pack, level, &wide, &deep);
        for (int z = 0; z < deep; ++z)
            for (int x = 0; x < wide; ++x) {
                float box[6];
                bool there = karst_pack_chunk_bounds(b.pack, level, x, z, box), any = false;
                for (int v = (z * 64) << level; v < oracle_min(((z + 1) * 64) << level, o.rows - 1); ++v)
                    for (int u = (x * 64) << level; u < oracle_min(((x + 1) * 64) << level, o.columns - 1); ++u) {
                        if (o.hole[v * (o.columns - 1) + u]) continue;
                        any = true;
                        for (int k = level; k <= level + 4; ++k)
                            for (int c = 0; c < 4; ++c) {  // any surface that may be drawn there
                                spot p = oracle_surface(&o, k, false, u + c % 2, v + c / 2);
                                p.x += (u + c % 2) * 2.5, p.z += (v + c / 2) * 2.5;
                                assert_true(p.x >= box[0] - 1e-6 && p.x <= box[3] + 1e-6);
                                assert_true(p.y >= box[1] - 1e-6 && p.y <= box[4] + 1e-6);
                                assert_true(p.z >= box[2] - 1e-6 && p.z <= box[5] + 1e-6);
                            }
                    }
                assert_int_equal(there, any);
            }
    }
    oracle_free(&o);
    close_baked(&b);
}

static void whole_metres_stay_whole(void **state) {
    (void)state;
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){70, 70, 30, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    for (int j = 0; j < 70; ++j) {
        float y[70];
        for (int i = 0; i < 70; ++i) y[i] = (float)(i * 37 % 9000 - j);
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, 70, j + 1}, y, NULL, NULL, 70), KARST_OK);
    }
    baked b = bake_of(field, 0.5f);
    assert_true(b.info.largest_error_m == 0);
    assert_true(karst_pack_info_of(b.pack).lattice.step_y_m == 1);
    close_baked(&b);
}

static void a_field_of_holes_bakes(void **state) {
    (void)state;
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){100, 70, 1, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    uint8_t *holes = malloc(99 * 69);
    memset(holes, 1, 99 * 69);
    assert_int_equal(karst_field_write_holes(field, (karst_rect){0, 0, 99, 69}, holes, 99), KARST_OK);
    free(holes);
    baked b = bake_of(field, 0.01f);
    karst_pack_info info = karst_pack_info_of(b.pack);
    float box[6];
    assert_int_equal(info.hole_count, 99 * 69);
    assert_false(karst_pack_chunk_bounds(b.pack, info.level_count - 1, 0, 0, box));
    close_baked(&b);
}

static uint64_t bytes_of(const char *path, uint64_t *size) {
    kst_map map;
    assert_int_equal(kst_file_map(path, NULL, &map), KARST_OK);
    uint64_t hash = kst_hash(map.bytes, map.size, 0);
    *size = map.size;
    kst_file_unmap(&map);
    return hash;
}

static void bytes_do_not_depend_on_threads(void **state) {
    (void)state;
    for (int displaced = 0; displaced < 2; ++displaced) {
        karst_field *field;
        assert_int_equal(scene_rough_field(300, 260, 1, 21, displaced, true, (karst_pos){0, 0, 0}, &field), KARST_OK);
        uint64_t first = 0;
        static const int counts[] = {1, 2, 5};
        for (int t = 0; t < 3; ++t) {
            karst_jobs_def jobs_def = karst_jobs_def_default();
            jobs_def.worker_count = counts[t];
            karst_bake_def def = karst_bake_def_default();
            assert_int_equal(karst_jobs_create(&jobs_def, &def.jobs), KARST_OK);
            karst_bake_info info;
            const char *path = temp_path("threads.kpack");
            assert_int_equal(karst_bake_field(field, path, &def, NULL, NULL, &info), KARST_OK);
            karst_jobs_destroy(def.jobs);
            uint64_t size, hash = bytes_of(path, &size);
            assert_int_equal(size, info.file_bytes);
            if (t == 0) first = hash;
            assert_true(hash == first);
        }
        karst_field_destroy(field);
    }
}

static karst_field *spike(float height, float sideways) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){80, 80, 1, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    karst_rect one = {71, 5, 72, 6};
    float zero = 0;
    assert_int_equal(karst_field_write(field, one, &height, &sideways, &zero, 1), KARST_OK);
    return field;
}

static void what_does_not_fit_is_named(void **state) {
    (void)state;
    karst_report report;
    karst_field *high = spike(1e9f, 0), *wide = spike(0, -900);
    assert_int_equal(karst_bake_field(high, temp_path("no.kpack"), NULL, NULL, &report, NULL), KARST_ERROR_LIMIT);
    assert_non_null(strstr(report.message, "vertex (71, 5)"));
    assert_int_equal(karst_bake_field(wide, temp_path("no.kpack"), NULL, NULL, &report, NULL), KARST_ERROR_LIMIT);
    assert_non_null(strstr(report.message, "vertex (71, 5)"));
    float suggested = 0;
    const char *option = strstr(report.message, "bake with --error ");
    assert_non_null(option);
    suggested = (float)atof(option + strlen("bake with --error "));
    karst_bake_def def = karst_bake_def_default();
    def.error_m = suggested;
    assert_int_equal(karst_bake_field(wide, temp_path("yes.kpack"), &def, NULL, &report, NULL), KARST_OK);
    def.error_m = 0;
    assert_int_equal(karst_bake_field(wide, temp_path("no.kpack"), &def, NULL, &report, NULL), KARST_ERROR_ARGUMENT);
    karst_field_destroy(high);
    karst_field_destroy(wide);

    karst_field_def huge = karst_field_def_default();  // no chunk of it is touched
    huge.shape.columns = huge.shape.rows = KARST_FIELD_MAX_SIDE;
    karst_field *field;
    assert_int_equal(karst_field_create(&huge, &field), KARST_OK);
    assert_int_equal(karst_bake_field(field, temp_path("no.kpack"), NULL, NULL, &report, NULL), KARST_ERROR_FILE);
    assert_non_null(strstr(report.message, "needs a scratch file of 4398.0 GB"));
    karst_field_destroy(field);

    karst_field_def coarse = karst_field_def_default();  // sideways steps beyond 2^30
    coarse.shape = (karst_field_shape){130, 3, 1000, {0, 0, 0}};
    assert_int_equal(karst_field_create(&coarse, &field), KARST_OK);
    float x = 1, zero = 0;
    assert_int_equal(karst_field_write(field, (karst_rect){5, 1, 6, 2}, &zero, &x, &zero, 1), KARST_OK);
    def.error_m = 1e-5f;
    assert_int_equal(karst_bake_field(field, temp_path("no.kpack"), &def, NULL, &report, NULL), KARST_ERROR_LIMIT);
    option = strstr(report.message, "bake with --error ");
    assert_non_null(option);
    def.error_m = (float)atof(option + strlen("bake with --error "));
    assert_int_equal(karst_bake_field(field, temp_path("yes.kpack"), &def, NULL, &report, NULL), KARST_OK);
    karst_field_destroy(field);
}

static bool stop_after(void *context, const char *stage, double share) {
    (void)stage, (void)share;
    return --*(int *)context > 0;
}

static bool exists(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f) fclose(f);
    return f != NULL;
}

static void cancelled_anywhere_it_leaves_nothing(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_rough_field(130, 130, 1, 2, true, true, (karst_pos){0, 0, 0}, &field), KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    def.map_side = 32;
    const char *path = temp_path("cancelled.kpack");
    bool finished = false;
    int n = 1;
    for (; n < 2000 && !finished; ++n) {
        int left = n;
        karst_progress progress = {stop_after, &left};
        karst_status status = karst_bake_field(field, path, &def, &progress, NULL, NULL);
        finished = status == KARST_OK;
        if (!finished) assert_int_equal(status, KARST_ERROR_CANCELLED);
        assert_int_equal(exists(path), finished);
    }
    assert_true(finished && n > 8);
    karst_field_destroy(field);
}

typedef struct asked {
    double last_s, longest_s;
    char stage[32];
} asked;

static bool note_gap(void *context, const char *stage, double share) {
    (void)share;
    asked *a = context;
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);  // so that a busy machine does not count
    double now_s = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    if (a->last_s > 0 && now_s - a->last_s > a->longest_s) {
        a->longest_s = now_s - a->last_s;
        snprintf(a->stage, sizeof a->stage, "%s", stage);
    }
    a->last_s = now_s;
    return true;
}

static void it_asks_ten_times_a_second(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_rough_field(901, 901, 1, 2, false, true, (karst_pos){0, 0, 0}, &field), KARST_OK);
    asked a = {0};
    karst_progress progress = {note_gap, &a};
    assert_int_equal(karst_bake_field(field, temp_path("asked.kpack"), NULL, &progress, NULL, NULL), KARST_OK);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
    double most_s = 1.5;
#else
    double most_s = 0.1;
#endif
    if (a.longest_s > most_s) fail_msg("not asked for %.3f s before %s", a.longest_s, a.stage);
    karst_field_destroy(field);
}

static void without_memory_it_says_so(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_rough_field(20, 70, 1, 2, true, true, (karst_pos){0, 0, 0}, &field), KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    def.map_side = 8;
    const char *path = temp_path("memory.kpack");
    bool finished = false;
    int n = 1;
    for (; n < 3000 && !finished; ++n) {
        kst_alloc_fail_after((uint64_t)n);
        karst_report report = {0};
        karst_status status = karst_bake_field(field, path, &def, NULL, &report, NULL);
        kst_alloc_fail_after(0);
        finished = status == KARST_OK;
        if (finished) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_true(report.message[0]);
        assert_false(exists(path));
    }
    assert_true(finished && n > 20);
    karst_field_destroy(field);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vertex_keeps_the_bound),
        cmocka_unit_test(errors_of_awkward_shapes),
        cmocka_unit_test(errors_are_those_of_brute_force),
        cmocka_unit_test(nodes_hold_their_reach_and_their_children),
        cmocka_unit_test(all_levels_hold_the_same_integers),
        cmocka_unit_test(normals_are_the_mean_of_their_triangles),
        cmocka_unit_test(bounds_hold_whatever_may_be_drawn),
        cmocka_unit_test(whole_metres_stay_whole),
        cmocka_unit_test(a_field_of_holes_bakes),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(cancelled_anywhere_it_leaves_nothing),
        cmocka_unit_test(it_asks_ten_times_a_second),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
