// SPDX-License-Identifier: MIT
// Field: rectangles in and out, borders equal bit for bit, padding, holes, paging, faults.
#include <sys/resource.h>

#include "karst/field.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "surface/pages.h"

// ---- a store in memory for paged fields ------------------------------------------------------------

typedef struct shelf {
    int32_t chunks_x, chunks_z;
    karst_field_chunk **chunk;
    int loads, saves, fail_load, fail_save;  // fail_*: the n-th from now fails; 0 never
} shelf;

static karst_status shelf_load(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    shelf *s = context;
    ++s->loads;
    if (s->fail_load && --s->fail_load == 0) return KARST_ERROR_FILE;
    const karst_field_chunk *c = s->chunk[z * s->chunks_x + x];
    *found = c != NULL;
    if (c) *out = *c;
    return KARST_OK;
}

static karst_status shelf_save(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    shelf *s = context;
    ++s->saves;
    if (s->fail_save && --s->fail_save == 0) return KARST_ERROR_FILE;
    karst_field_chunk **c = &s->chunk[z * s->chunks_x + x];
    if (!*c) *c = malloc(sizeof **c);
    **c = *chunk;
    return KARST_OK;
}

static shelf *shelf_make(const karst_field_shape *shape) {
    shelf *s = calloc(1, sizeof *s);
    s->chunks_x = (shape->columns - 2) / KARST_CHUNK_CELLS + 1;
    s->chunks_z = (shape->rows - 2) / KARST_CHUNK_CELLS + 1;
    s->chunk = calloc((size_t)s->chunks_x * (size_t)s->chunks_z, sizeof *s->chunk);
    return s;
}

static void shelf_free(shelf *s) {
    for (int k = 0; k < s->chunks_x * s->chunks_z; ++k) free(s->chunk[k]);
    free(s->chunk);
    free(s);
}

// ---- helpers ---------------------------------------------------------------------------------------

static karst_field *make(int columns, int rows, const karst_field_store *store, size_t cache_bytes) {
    karst_field_def def = karst_field_def_default();
    def.shape.columns = columns;
    def.shape.rows = rows;
    def.store = store;
    def.cache_bytes = cache_bytes;
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    return field;
}

// Borders of neighbours equal, padding stepped on, outside hole.
static bool is_sound(karst_field *field) {
    karst_field_shape s = karst_field_shape_of(field);
    int32_t nx, nz;
    karst_field_chunk_grid(field, &nx, &nz);
    karst_field_chunk *a = malloc(3 * sizeof *a), *right = a + 1, *below = a + 2;
    bool sound = true;
    for (int32_t cz = 0; cz < nz; ++cz)
        for (int32_t cx = 0; cx < nx; ++cx) {
            if (karst_field_read_chunk(field, cx, cz, a)) sound = false;
            if (cx + 1 < nx && karst_field_read_chunk(field, cx + 1, cz, right)) sound = false;
            if (cz + 1 < nz && karst_field_read_chunk(field, cx, cz + 1, below)) sound = false;
            for (int k = 0; k < KARST_CHUNK_SIDE; ++k) {
                int e = k * KARST_CHUNK_SIDE + 64, w = k * KARST_CHUNK_SIDE, south = 64 * KARST_CHUNK_SIDE + k;
                if (cx + 1 < nx)
                    sound &= !memcmp(&a->y[e], &right->y[w], 4) && !memcmp(&a->x[e], &right->x[w], 4) &&
                             !memcmp(&a->z[e], &right->z[w], 4);
                if (cz + 1 < nz)
                    sound &= !memcmp(&a->y[south], &below->y[k], 4) && !memcmp(&a->x[south], &below->x[k], 4) &&
                             !memcmp(&a->z[south], &below->z[k], 4);
            }
            int last_i = s.columns - 1 - cx * 64, last_j = s.rows - 1 - cz * 64;
            for (int j = 0; j < KARST_CHUNK_SIDE; ++j)
                for (int i = 0; i < KARST_CHUNK_SIDE; ++i) {
                    int from = (j < last_j ? j : last_j) * KARST_CHUNK_SIDE + (i < last_i ? i : last_i),
                        k = j * KARST_CHUNK_SIDE + i;
                    sound &= a->y[k] == a->y[from] && a->x[k] == a->x[from] && a->z[k] == a->z[from];
                    if (i < 64 && j < 64 && (i >= last_i || j >= last_j)) sound &= a->hole[j] >> i & 1;
                }
        }
    free(a);
    return sound;
}

// ---- tests -----------------------------------------------------------------------------------------

typedef struct plain {  // the slow twin: one array
    int columns, rows;
    float *v[3];
    uint8_t *hole;
} plain;

static plain plain_make(int columns, int rows) {
    plain p = {.columns = columns, .rows = rows, .hole = calloc((size_t)columns * (size_t)rows, 1)};
    for (int c = 0; c < 3; ++c) p.v[c] = calloc((size_t)columns * (size_t)rows, sizeof(float));
    return p;
}

static void plain_free(plain *p) {
    for (int c = 0; c < 3; ++c) free(p->v[c]);
    free(p->hole);
}

static karst_rect random_rect(prop *p, int columns, int rows) {
    int x0 = prop_int(p, 0, columns), x1 = prop_int(p, 0, columns), z0 = prop_int(p, 0, rows),
        z1 = prop_int(p, 0, rows);
    return (karst_rect){x0 < x1 ? x0 : x1, z0 < z1 ? z0 : z1, x0 < x1 ? x1 : x0, z0 < z1 ? z1 : z0};
}

static void scribble(prop *p, karst_field *field, plain *twin) {
    float *v = malloc(sizeof(float) * 3 * 300 * 300);
    uint8_t *flags = malloc(300 * 300);
    for (int turn = 0; turn < 6; ++turn) {
        karst_rect r = random_rect(p, twin->columns, twin->rows);
        bool sideways = prop_chance(p, 0.4);
        for (int k = 0; k < 3 * 300 * 300; ++k)
            v[k] = (float)kst_random01((uint64_t)turn + p->seed, (uint64_t)k) - 0.5f;
        assert_int_equal(karst_field_write(field, r, v, sideways ? v + 90000 : NULL, sideways ? v + 180000 : NULL, 300),
                         KARST_OK);
        for (int row = r.z0; row < r.z1; ++row)
            for (int column = r.x0; column < r.x1; ++column)
                for (int c = 0; c < (sideways ? 3 : 1); ++c)
                    twin->v[c][row * twin->columns + column] = v[90000 * c + (row - r.z0) * 300 + column - r.x0];
        karst_rect h = random_rect(p, twin->columns - 1, twin->rows - 1);
        for (int k = 0; k < 90000; ++k) flags[k] = kst_random01((uint64_t)turn, (uint64_t)k) < 0.3;
        assert_int_equal(karst_field_write_holes(field, h, flags, 300), KARST_OK);
        for (int row = h.z0; row < h.z1; ++row)
            for (int column = h.x0; column < h.x1; ++column)
                twin->hole[row * twin->columns + column] = flags[(row - h.z0) * 300 + column - h.x0];
    }
    free(flags);
    free(v);
}

static bool equals(karst_field *field, const plain *twin) {
    size_t count = (size_t)twin->columns * (size_t)twin->rows;
    float *v = malloc(sizeof(float) * 3 * count);
    uint8_t *holes = calloc(count, 1);
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, twin->columns, twin->rows}, v, v + count, v + 2 * count,
                                      twin->columns),
                     KARST_OK);
    assert_int_equal(
        karst_field_read_holes(field, (karst_rect){0, 0, twin->columns - 1, twin->rows - 1}, holes, twin->columns),
        KARST_OK);
    bool equal = !memcmp(holes, twin->hole, count);
    for (int c = 0; c < 3; ++c) equal &= !memcmp(v + (size_t)c * count, twin->v[c], count * sizeof(float));
    free(holes);
    free(v);
    return equal;
}

static void rectangles_written_are_read_again(void **state) {
    (void)state;
    for (prop p = prop_begin("rectangles", 12); prop_next(&p);) {
        int columns = prop_int(&p, 2, 260), rows = prop_int(&p, 2, 260);
        bool paged = prop_chance(&p, 0.5);
        karst_field_shape shape = {columns, rows, 1, {0, 0, 0}};
        shelf *s = shelf_make(&shape);
        karst_field_store store = {.load = shelf_load, .save = shelf_save, .context = s};
        karst_field *field = make(columns, rows, paged ? &store : NULL, 200000);
        plain twin = plain_make(columns, rows);
        scribble(&p, field, &twin);
        prop_check(&p, equals(field, &twin));
        prop_check(&p, is_sound(field));
        if (paged) {  // and once more from the store alone
            prop_check(&p, karst_field_flush(field) == KARST_OK);
            karst_field_destroy(field);
            field = make(columns, rows, &store, 200000);
            prop_check(&p, equals(field, &twin));
            prop_check(&p, is_sound(field));
        }
        karst_field_destroy(field);
        plain_free(&twin);
        shelf_free(s);
    }
}

static void a_border_changed_in_one_chunk_alone_is_found(void **state) {  // control of is_sound
    (void)state;
    karst_field *field = make(200, 200, NULL, 0);
    float one = 1;
    assert_int_equal(karst_field_write(field, (karst_rect){64, 70, 65, 71}, &one, NULL, NULL, 1), KARST_OK);
    assert_true(is_sound(field));
    kst_page *page;
    assert_int_equal(kst_page_get(field, 1, 1, &page), KARST_OK);
    page->y[6 * KARST_CHUNK_SIDE] = 2;
    kst_page_put(field, page);
    assert_false(is_sound(field));
    karst_field_destroy(field);
}

static void a_write_that_fails_halfway_leaves_borders_equal(void **state) {
    (void)state;
    karst_field_shape shape = {300, 300, 1, {0, 0, 0}};
    float *v = malloc(sizeof(float) * 90000);
    for (int k = 0; k < 90000; ++k) v[k] = (float)k;
    int failures = 0;
    for (int n = 1; n < 40; ++n) {
        shelf *s = shelf_make(&shape);
        karst_field_store store = {.load = shelf_load, .save = shelf_save, .context = s};
        karst_field *field = make(300, 300, &store, 150000);
        *(n & 1 ? &s->fail_load : &s->fail_save) = n / 2 + 1;
        failures += karst_field_write(field, (karst_rect){0, 0, 300, 300}, v, NULL, NULL, 300) == KARST_ERROR_FILE;
        s->fail_load = s->fail_save = 0;
        assert_true(is_sound(field));
        karst_field_destroy(field);
        shelf_free(s);
    }
    assert_true(failures > 20);
    free(v);
}

static void what_is_out_of_range_is_refused_and_changes_nothing(void **state) {
    (void)state;
    karst_field *field = make(70, 70, NULL, 0);
    float v[2] = {1, NAN}, infinite = INFINITY, out[2];
    uint8_t flag = 1;
    karst_field_chunk *chunk = malloc(sizeof *chunk);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, 2, 1}, v, NULL, NULL, 2), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, 1, 1}, v, &infinite, v, 1), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, 1, 1}, v, v, NULL, 1), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_field_write(field, (karst_rect){69, 0, 71, 1}, v, NULL, NULL, 2), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_field_read(field, (karst_rect){-1, 0, 1, 1}, out, NULL, NULL, 2), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_field_write_holes(field, (karst_rect){69, 0, 70, 1}, &flag, 1), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_field_read_holes(field, (karst_rect){0, 5, 1, 4}, &flag, 1), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_field_read_chunk(field, 2, 0, chunk), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, 2, 1}, out, NULL, NULL, 2), KARST_OK);
    assert_true(out[0] == 0 && out[1] == 0);
    karst_field_destroy(field);
    karst_field_destroy(NULL);
    free(chunk);
    karst_field_def def = karst_field_def_default();
    def.shape.columns = 1;
    assert_int_equal(karst_field_create(&def, &field), KARST_ERROR_ARGUMENT);
    def.shape.columns = KARST_FIELD_MAX_SIDE + 1;
    assert_int_equal(karst_field_create(&def, &field), KARST_ERROR_ARGUMENT);
    def.shape.columns = 9;
    def.shape.spacing_m = NAN;
    assert_int_equal(karst_field_create(&def, &field), KARST_ERROR_ARGUMENT);
}

static void numbers_from_a_store_are_checked(void **state) {
    (void)state;
    karst_field_shape shape = {65, 65, 1, {0, 0, 0}};
    shelf *s = shelf_make(&shape);
    karst_field_store store = {.load = shelf_load, .save = shelf_save, .context = s};
    s->chunk[0] = calloc(1, sizeof **s->chunk);
    s->chunk[0]->y[100] = INFINITY;
    karst_field *field = make(65, 65, &store, 0);
    float y;
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, 1, 1}, &y, NULL, NULL, 1), KARST_ERROR_FORMAT);
    s->chunk[0]->y[100] = 0;
    s->chunk[0]->displaced = true;
    s->chunk[0]->z[100] = NAN;
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, 1, 1}, &y, NULL, NULL, 1), KARST_ERROR_FORMAT);
    s->chunk[0]->z[100] = 1;
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, 1, 1}, &y, NULL, NULL, 1), KARST_OK);
    karst_field_destroy(field);
    shelf_free(s);
}

static void a_huge_field_opens_in_little_memory(void **state) {
    (void)state;
    karst_field_shape shape = {16385, 16385, 1, {0, 0, 0}};
    shelf *s = shelf_make(&shape);
    karst_field_store store = {.load = shelf_load, .save = shelf_save, .context = s};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    karst_field *field = make(16385, 16385, &store, (size_t)32 << 20);
    float v[64 * 8];
    for (int row = 0; row + 8 <= 16385; row += 500)
        for (int column = 0; column + 64 <= 16385; column += 100)
            assert_int_equal(
                karst_field_read(field, (karst_rect){column, row, column + 64, row + 8}, v, NULL, NULL, 64), KARST_OK);
    getrusage(RUSAGE_SELF, &after);
    assert_true(s->loads > 5000);
    assert_true(field->bytes <= (size_t)32 << 20);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these keep freed memory
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 << 10);      // [KiB]
#endif
    karst_field_destroy(field);
    shelf_free(s);
}

static void each_failing_allocation_is_reported(void **state) {
    (void)state;
    karst_field_shape shape = {150, 150, 1, {0, 0, 0}};
    shelf *s = shelf_make(&shape);
    karst_field_store store = {.load = shelf_load, .save = shelf_save, .context = s};
    karst_field_def def = karst_field_def_default();
    def.shape = shape;
    def.store = &store;
    float *v = calloc(150 * 150, sizeof *v);
    v[77 * 150 + 100] = 1;
    karst_rect all = {0, 0, 150, 150};
    bool done = false;
    for (uint64_t n = 1; !done; ++n) {
        karst_field *field = NULL;
        kst_alloc_fail_after(n);
        karst_status status = karst_field_create(&def, &field);
        if (!status) status = karst_field_write(field, all, v, v, v, 150);
        kst_alloc_fail_after(0);
        assert_true(status == KARST_OK || status == KARST_ERROR_MEMORY);
        done = status == KARST_OK;
        assert_true(n < 100 && (!done || n > 10));
        if (field) assert_true(is_sound(field));
        karst_field_destroy(field);
    }
    free(v);
    shelf_free(s);
}

static void the_rough_scene_is_a_sound_field(void **state) {
    (void)state;
    karst_field *field;
    assert_int_equal(scene_rough_field(150, 90, 2, 7, true, true, (karst_pos){1, 2, 3}, &field), KARST_OK);
    assert_true(is_sound(field));
    assert_int_equal(karst_field_shape_of(field).columns, 150);
    karst_field_destroy(field);
}

static void a_sample_lies_on_the_ground(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; ++turn) {
        karst_field *field;
        karst_pos origin = {100, 2, -3};
        assert_int_equal(scene_rough_field(100, 90, 2, 7, turn == 1, false, origin, &field), KARST_OK);
        const karst_ground *ground = karst_field_ground(field);
        for (prop p = prop_begin("sample", 2000); prop_next(&p);) {
            double u = prop_chance(&p, 0.2) ? prop_int(&p, 0, 99) : prop_real(&p, 0, 99);
            double v = prop_chance(&p, 0.2) ? prop_int(&p, 0, 89) : prop_real(&p, 0, 89);
            karst_pos at;
            karst_vec3 n;
            prop_check(&p, karst_field_sample(field, u, v, &at, &n) == KARST_OK);
            prop_near(&p, n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-5);
            karst_level level[32];
            int count;
            prop_check(&p, karst_ground_heights(ground, at.x, at.z, level, 32, &count) == KARST_OK);
            bool there = false;
            for (int k = 0; k < count; ++k) there |= fabs(level[k].y - at.y) < 1e-5;
            // On the outline the displaced place may round to outside.
            prop_check(&p, there || (turn && (u == 0 || v == 0 || u == 99 || v == 89)));
        }
        karst_pos at;
        karst_vec3 n;
        assert_int_equal(karst_field_sample(field, -0.001, 0, &at, &n), KARST_ERROR_ARGUMENT);
        assert_int_equal(karst_field_sample(field, 0, NAN, &at, &n), KARST_ERROR_ARGUMENT);
        karst_field_destroy(field);
    }
    // A tilted plane has its own normal everywhere.
    karst_field *field = make(80, 80, NULL, 0);
    float *y = malloc(sizeof(float) * 6400);
    for (int k = 0; k < 6400; ++k) y[k] = 0.5f * (float)(k % 80) - 0.25f * (float)(k / 80);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, 80, 80}, y, NULL, NULL, 80), KARST_OK);
    for (int k = 0; k <= 79; ++k) {
        karst_pos at;
        karst_vec3 n;
        assert_int_equal(karst_field_sample(field, k, 79 - k * 0.7, &at, &n), KARST_OK);
        float length = sqrtf(1 + 0.25f + 0.0625f);
        assert_true(fabsf(n.x + 0.5f / length) < 1e-5f && fabsf(n.z - 0.25f / length) < 1e-5f);
    }
    free(y);
    karst_field_destroy(field);
}

static void a_paged_field_answers_as_one_in_memory(void **state) {
    (void)state;
    karst_field *plain_field;
    assert_int_equal(scene_rough_field(200, 270, 1, 7, true, true, (karst_pos){0, 0, 0}, &plain_field), KARST_OK);
    karst_field_def def = karst_field_def_default();
    def.shape = karst_field_shape_of(plain_field);
    shelf *s = shelf_make(&def.shape);
    karst_field_store store = {.load = shelf_load, .save = shelf_save, .context = s};
    for (int k = 0; k < s->chunks_x * s->chunks_z; ++k) {
        s->chunk[k] = malloc(sizeof **s->chunk);
        assert_int_equal(karst_field_read_chunk(plain_field, k % s->chunks_x, k / s->chunks_x, s->chunk[k]), KARST_OK);
    }
    def.store = &store;
    def.cache_bytes = 200000;
    karst_field *paged;
    assert_int_equal(karst_field_create(&def, &paged), KARST_OK);
    const karst_ground *a = karst_field_ground(plain_field), *b = karst_field_ground(paged);
    for (prop p = prop_begin("paged", 300); prop_next(&p);) {
        karst_ray ray = karst_ray_make((karst_pos){prop_real(&p, 0, 199), 90, prop_real(&p, 0, 269)},
                                       (karst_pos){prop_real(&p, -3, 3), -1, prop_real(&p, -3, 3)});
        karst_hit one, two;
        prop_check(&p, karst_ground_cast(a, &ray, &one) == KARST_OK && karst_ground_cast(b, &ray, &two) == KARST_OK);
        prop_check(&p, one.hit == two.hit && one.t == two.t && one.place.column == two.place.column);
    }
    assert_true(karst_ground_memory(b) < 400000);
    // A store that fails shows in the query.
    karst_field_destroy(paged);
    assert_int_equal(karst_field_create(&def, &paged), KARST_OK);
    s->fail_load = 3;
    karst_ray ray = karst_ray_make((karst_pos){50, 90, 50}, (karst_pos){0, -1, 0});
    karst_hit hit;
    assert_int_equal(karst_ground_cast(karst_field_ground(paged), &ray, &hit), KARST_ERROR_FILE);
    assert_int_equal(karst_ground_cast(karst_field_ground(paged), &ray, &hit), KARST_OK);
    karst_field_destroy(paged);
    karst_field_destroy(plain_field);
    shelf_free(s);
}

static void a_query_after_a_write_sees_it(void **state) {
    (void)state;
    karst_field *field = make(200, 200, NULL, 0);
    const karst_ground *ground = karst_field_ground(field);
    double y = NAN;
    assert_true(karst_ground_height(ground, 64, 70, &y) && y == 0);
    float high = 50;
    assert_int_equal(karst_field_write(field, (karst_rect){64, 70, 65, 71}, &high, NULL, NULL, 1), KARST_OK);
    assert_true(karst_ground_height(ground, 64, 70, &y) && y == 50);
    assert_true(karst_ground_bounds(ground).max.y == 50);
    assert_true(karst_ground_chunk_bounds(ground, 4).max.y >= 50 && karst_ground_chunk_bounds(ground, 5).max.y >= 50);
    assert_true(karst_ground_chunk_bounds(ground, 2).max.y < 1);
    karst_ray ray = karst_ray_make((karst_pos){0, 49.9, 70}, (karst_pos){1, 0, 0});
    karst_hit hit;
    assert_int_equal(karst_ground_cast(ground, &ray, &hit), KARST_OK);
    assert_true(hit.hit && fabs(hit.position.x - 63.998) < 1e-9);
    high = 0;
    assert_int_equal(karst_field_write(field, (karst_rect){64, 70, 65, 71}, &high, NULL, NULL, 1), KARST_OK);
    assert_int_equal(karst_ground_cast(ground, &ray, &hit), KARST_OK);
    assert_false(hit.hit);
    karst_field_destroy(field);
}

static void each_failing_allocation_of_a_query_is_reported(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; ++turn) {
        bool done = false;
        for (uint64_t n = 1; !done; ++n) {
            karst_field *field;
            assert_int_equal(scene_rough_field(150, 90, 2, 7, turn == 1, true, (karst_pos){1, 2, 3}, &field), KARST_OK);
            karst_ray ray = karst_ray_make((karst_pos){20, 90, 20}, (karst_pos){2, -0.5, 1});
            karst_hit hit;
            karst_level level;
            int count;
            kst_alloc_fail_after(n);
            karst_status status = karst_ground_cast(karst_field_ground(field), &ray, &hit);
            if (!status) status = karst_ground_heights(karst_field_ground(field), 30, 30, &level, 1, &count);
            kst_alloc_fail_after(0);
            assert_true(status == KARST_OK || status == KARST_ERROR_MEMORY);
            done = status == KARST_OK;
            assert_true(n < 50 && (!done || n > 3));
            assert_int_equal(karst_ground_cast(karst_field_ground(field), &ray, &hit), KARST_OK);
            karst_field_destroy(field);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_written_are_read_again),
        cmocka_unit_test(a_border_changed_in_one_chunk_alone_is_found),
        cmocka_unit_test(a_write_that_fails_halfway_leaves_borders_equal),
        cmocka_unit_test(what_is_out_of_range_is_refused_and_changes_nothing),
        cmocka_unit_test(numbers_from_a_store_are_checked),
        cmocka_unit_test(a_huge_field_opens_in_little_memory),
        cmocka_unit_test(each_failing_allocation_is_reported),
        cmocka_unit_test(the_rough_scene_is_a_sound_field),
        cmocka_unit_test(a_sample_lies_on_the_ground),
        cmocka_unit_test(a_paged_field_answers_as_one_in_memory),
        cmocka_unit_test(a_query_after_a_write_sees_it),
        cmocka_unit_test(each_failing_allocation_of_a_query_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
