// SPDX-License-Identifier: MIT
// Sheets: layers above a base that stays as it is, masks that limit them, and the canvas that edits them.
#include "karst/sheet.h"

#include "project/worlds.h"

static int64_t add_named(karst_project *p, karst_sheet_kind kind, const char *name) {
    int64_t id = 0;
    if (karst_project_add_sheet(p, 1, kind, name, &id)) fail_msg("%s", karst_project_message(p));
    return id;
}

static void set_named(karst_project *p, const char *name, bool on, float strength, int64_t mask) {
    karst_sheet s;
    assert_int_equal(karst_project_find_sheet(p, 1, KARST_SHEET_LAYER, name, &s), KARST_OK);
    s.on = on;
    s.strength = strength;
    s.mask = mask;
    if (karst_project_set_sheet(p, &s)) fail_msg("%s", karst_project_message(p));
}

static void begin(karst_project *p) {
    if (karst_project_begin(p, "step")) fail_msg("%s", karst_project_message(p));
}

static void commit(karst_project *p) {
    if (karst_project_commit(p)) fail_msg("%s", karst_project_message(p));
}

typedef struct values {
    int columns, rows;
    float *y, *x, *z;
} values;

static values read_field(karst_field *field) {
    karst_field_shape shape = karst_field_shape_of(field);
    values v = {shape.columns, shape.rows, NULL, NULL, NULL};
    size_t n = (size_t)v.columns * (size_t)v.rows;
    v.y = malloc(3 * n * sizeof *v.y);
    v.x = v.y + n;
    v.z = v.x + n;
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, v.columns, v.rows}, v.y, v.x, v.z, v.columns),
                     KARST_OK);
    return v;
}

static values read_ground(karst_project *p) {
    karst_field *field;
    assert_int_equal(karst_project_field(p, 1, 0, &field), KARST_OK);
    values v = read_field(field);
    karst_field_destroy(field);
    return v;
}

static values read_sheet(karst_project *p, int64_t id) {
    karst_field *field;
    assert_int_equal(karst_project_sheet_field(p, id, 0, &field), KARST_OK);
    values v = read_field(field);
    karst_field_destroy(field);
    return v;
}

static bool same_values(const values *a, const values *b) {
    return !memcmp(a->y, b->y, 3 * (size_t)a->columns * (size_t)a->rows * sizeof *a->y);
}

// Fill part of a sheet from a seed; masks get 0..1 and a little beyond.
static void fill_sheet(prop *p, karst_project *w, int64_t id, bool mask) {
    karst_field *field;
    assert_int_equal(karst_project_sheet_field(w, id, 0, &field), KARST_OK);
    karst_field_shape s = karst_field_shape_of(field);
    karst_rect r = {prop_int(p, 0, s.columns - 1), prop_int(p, 0, s.rows - 1), s.columns, s.rows};
    int width = r.x1 - r.x0, count = width * (r.z1 - r.z0);
    float *y = malloc(2 * (size_t)count * sizeof *y), *x = y + count;
    for (int k = 0; k < count; ++k) {
        y[k] = (float)(mask ? prop_real(p, -0.3, 1.3) : prop_real(p, -50, 50));
        x[k] = (float)prop_real(p, -1, 1);
    }
    bool sideways = !mask && prop_chance(p, 0.5);
    assert_int_equal(karst_field_write(field, r, y, sideways ? x : NULL, sideways ? y : NULL, width), KARST_OK);
    assert_int_equal(karst_field_flush(field), KARST_OK);
    karst_field_destroy(field);
    free(y);
}

static float limited(float m) {
    return m < 0 ? 0 : m > 1 ? 1 : m;
}

// The rule in the open, one vertex after the other.
static void add_by_hand(values *sum, const values *layer, const values *mask, float strength) {
    size_t n = (size_t)sum->columns * (size_t)sum->rows;
    for (size_t k = 0; k < n; ++k) {
        float share = mask ? strength * limited(mask->y[k]) : strength;
        sum->y[k] += share * layer->y[k];
        sum->x[k] += share * layer->x[k];
        sum->z[k] += share * layer->z[k];
    }
}

static void a_ground_shows_its_base_and_the_layers_that_are_on(void **state) {
    (void)state;
    int differs = 0;
    for (prop p = prop_begin("sheets_sum", 12); prop_next(&p);) {
        const char *path = poured(prop_int(&p, 3, 140), prop_int(&p, 3, 140), (uint64_t)p.at);
        karst_project *w = open_as(path, KARST_PROJECT_WRITE);
        uint64_t first = hash_of(w);
        values base = read_ground(w), want = read_ground(w);
        begin(w);
        int64_t mask = add_named(w, KARST_SHEET_MASK, "cliffs"), layer[3];
        static const char *const names[] = {"a", "b", "c"};
        fill_sheet(&p, w, mask, true);
        for (int k = 0; k < 3; ++k) {
            layer[k] = add_named(w, KARST_SHEET_LAYER, names[k]);
            prop_check(&p, k > 0 || hash_of(w) == first);  // an empty layer changes nothing
            fill_sheet(&p, w, layer[k], false);
            float strength = (float)prop_real(&p, -1, 2);
            bool on = prop_chance(&p, 0.7), masked = prop_chance(&p, 0.5);
            set_named(w, names[k], on, strength, masked ? mask : 0);
            if (!on) continue;
            values delta = read_sheet(w, layer[k]), limit = read_sheet(w, mask);
            add_by_hand(&want, &delta, masked ? &limit : NULL, strength);
            free(delta.y);
            free(limit.y);
        }
        commit(w);
        values got = read_ground(w);
        prop_check(&p, same_values(&got, &want));
        bool changed = !same_values(&got, &base);
        differs += changed;
        prop_check(&p, (hash_of(w) != first) == changed);
        free(got.y);

        begin(w);
        for (int k = 0; k < 3; ++k) prop_check(&p, karst_project_remove_sheet(w, layer[k]) == KARST_OK);
        commit(w);
        got = read_ground(w);
        prop_check(&p, hash_of(w) == first && same_values(&got, &base));
        free(got.y);
        free(base.y);
        free(want.y);
        karst_project_close(w);
    }
    assert_true(differs > 0);  // control
}

static void what_layers_show_is_written_through_a_canvas_only(void **state) {
    (void)state;
    karst_project *w = open_as(poured(70, 70, 1), KARST_PROJECT_WRITE);
    float height = 7;
    karst_rect one = {3, 3, 4, 4};
    karst_field *field;
    for (int layered = 0; layered < 2; ++layered) {
        begin(w);
        if (layered) add_named(w, KARST_SHEET_LAYER, "top");
        assert_int_equal(karst_project_field(w, 1, 0, &field), KARST_OK);
        assert_int_equal(karst_field_write(field, one, &height, NULL, NULL, 1), KARST_OK);
        assert_int_equal(karst_field_flush(field), layered ? KARST_ERROR_ARGUMENT : KARST_OK);
        if (layered) assert_non_null(strstr(karst_project_message(w), "through a canvas"));
        karst_field_destroy(field);
        karst_project_rollback(w);
    }
    karst_project_close(w);
}

// Random edits through a canvas: what it shows at every moment is what the world shows after the commit.
static void a_canvas_shows_what_the_world_will(void **state) {
    (void)state;
    int moved = 0;
    for (prop p = prop_begin("sheets_canvas", 16); prop_next(&p);) {
        int c = prop_int(&p, 40, 200), r = prop_int(&p, 40, 140);
        karst_project *w = open_as(poured(c, r, (uint64_t)p.at), KARST_PROJECT_WRITE);
        begin(w);
        int64_t mask = add_named(w, KARST_SHEET_MASK, "m"), low = add_named(w, KARST_SHEET_LAYER, "low"),
                high = add_named(w, KARST_SHEET_LAYER, "high");
        fill_sheet(&p, w, mask, true);
        fill_sheet(&p, w, high, false);
        set_named(w, "high", true, 0.5f, mask);
        commit(w);
        uint64_t first = hash_of(w);
        values base_before = read_ground(w);
        karst_project_canvas *canvas;
        int64_t target = prop_chance(&p, 0.3) ? 0 : prop_chance(&p, 0.5) ? low : high;
        size_t cache = prop_chance(&p, 0.5) ? 1 << 20 : 0;
        assert_int_equal(karst_project_canvas_open(w, 1, target, prop_chance(&p, 0.5) ? mask : 0, cache, &canvas), 0);
        const karst_canvas *k = karst_project_canvas_get(canvas);
        begin(w);
        for (int turn = 0; turn < 6; ++turn) {
            karst_rect rect = {prop_int(&p, 0, c - 2), prop_int(&p, 0, r - 2), 0, 0};
            rect.x1 = prop_int(&p, rect.x0 + 1, c);
            rect.z1 = prop_int(&p, rect.z0 + 1, r);
            int width = rect.x1 - rect.x0, count = width * (rect.z1 - rect.z0);
            float *y = malloc((size_t)count * sizeof *y);
            prop_check(&p, !karst_field_read(k->shown, rect, y, NULL, NULL, width));
            for (int i = 0; i < count; i += 1 + (int)(prop_u64(&p) % 3)) y[i] += (float)prop_real(&p, -3, 3);
            prop_check(&p, !karst_canvas_write(k, rect, y, NULL, NULL, width));
            free(y);
        }
        values shown = read_field(k->shown);
        prop_check(&p, !karst_project_canvas_flush(canvas));
        karst_project_canvas_close(canvas);
        commit(w);
        values got = read_ground(w);
        prop_check(&p, same_values(&got, &shown));
        moved += !same_values(&got, &base_before) && hash_of(w) != first;
        free(got.y);
        free(shown.y);
        free(base_before.y);
        karst_project_close(w);
    }
    assert_true(moved > 0);
}

// Merging layers from the lowest up leaves the ground as it looked, and no layer.
static void a_merged_layer_is_the_bases_own(void **state) {
    (void)state;
    int moved = 0;
    for (prop p = prop_begin("sheets_merge", 8); prop_next(&p);) {
        karst_project *w =
            open_as(poured(prop_int(&p, 3, 150), prop_int(&p, 3, 150), (uint64_t)p.at), KARST_PROJECT_WRITE);
        begin(w);
        int64_t mask = add_named(w, KARST_SHEET_MASK, "m"), low = add_named(w, KARST_SHEET_LAYER, "low"),
                high = add_named(w, KARST_SHEET_LAYER, "high");
        uint64_t first = hash_of(w);
        fill_sheet(&p, w, mask, true);
        fill_sheet(&p, w, low, false);
        fill_sheet(&p, w, high, false);
        set_named(w, "low", true, (float)prop_real(&p, -1, 2), prop_chance(&p, 0.5) ? mask : 0);
        commit(w);
        values want = read_ground(w);
        begin(w);
        prop_check(&p, !karst_project_merge_layer(w, low, NULL) && !karst_project_merge_layer(w, high, NULL));
        prop_check(&p, karst_project_merge_layer(w, high, NULL) == KARST_ERROR_ARGUMENT);  // gone
        prop_check(&p, karst_project_merge_layer(w, mask, NULL) == KARST_ERROR_ARGUMENT);
        commit(w);
        values got = read_ground(w);
        prop_check(&p, same_values(&got, &want));
        karst_sheet all[4];
        int count = 0;
        prop_check(&p, !karst_project_sheets(w, 1, all, 4, &count) && count == 1);
        moved += hash_of(w) != first;
        free(got.y);
        free(want.y);
        karst_project_close(w);
    }
    assert_true(moved > 0);
}

static void names_are_found_or_listed(void **state) {
    (void)state;
    karst_project *w = open_as(poured(10, 10, 1), KARST_PROJECT_WRITE);
    karst_sheet s;
    int64_t id;
    assert_int_equal(karst_project_add_sheet(w, 1, KARST_SHEET_LAYER, "a", &id), KARST_ERROR_ARGUMENT);  // no step
    begin(w);
    assert_int_equal(karst_project_find_sheet(w, 1, KARST_SHEET_MASK, "x", &s), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(karst_project_message(w), "no mask x, and no other"));
    int64_t dunes = add_named(w, KARST_SHEET_LAYER, "dunes");
    add_named(w, KARST_SHEET_LAYER, "rivers");
    int64_t wet = add_named(w, KARST_SHEET_MASK, "dunes");  // another kind: another name
    assert_int_equal(karst_project_find_sheet(w, 1, KARST_SHEET_LAYER, "dune", &s), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(karst_project_message(w), "no layer dune; there are: dunes, rivers"));
    assert_int_equal(karst_project_add_sheet(w, 1, KARST_SHEET_LAYER, "rivers", &id), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_project_add_sheet(w, 1, KARST_SHEET_LAYER, "", &id), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_project_add_sheet(w, 1, KARST_SHEET_LAYER, "a\nb", &id), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_project_add_sheet(w, 2, KARST_SHEET_LAYER, "b", &id), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_project_find_sheet(w, 1, KARST_SHEET_LAYER, "rivers", &s), KARST_OK);
    snprintf(s.name, sizeof s.name, "dunes");
    assert_int_equal(karst_project_set_sheet(w, &s), KARST_ERROR_ARGUMENT);  // taken
    snprintf(s.name, sizeof s.name, "canyons");
    s.mask = dunes;
    assert_int_equal(karst_project_set_sheet(w, &s), KARST_ERROR_ARGUMENT);  // a layer is no mask
    s.mask = wet;
    s.order = -3;
    s.strength = INFINITY;
    assert_int_equal(karst_project_set_sheet(w, &s), KARST_ERROR_ARGUMENT);
    s.strength = 0.25f;
    assert_int_equal(karst_project_set_sheet(w, &s), KARST_OK);
    assert_int_equal(karst_project_remove_sheet(w, wet), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(karst_project_message(w), "limits the layer canyons"));
    karst_sheet all[4];
    int count = 0;
    assert_int_equal(karst_project_sheets(w, 1, all, 4, &count), KARST_OK);
    assert_int_equal(count, 3);
    assert_string_equal(all[0].name, "canyons");
    assert_true(all[0].mask == wet && all[0].strength == 0.25f && all[1].id == dunes && all[2].id == wet);
    karst_project_canvas *canvas;
    all[1].on = false;
    assert_int_equal(karst_project_set_sheet(w, &all[1]), KARST_OK);
    assert_int_equal(karst_project_canvas_open(w, 1, dunes, 0, 0, &canvas), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(karst_project_message(w), "dunes is off"));
    assert_int_equal(karst_project_canvas_open(w, 1, wet, 0, 0, &canvas), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_project_canvas_open(w, 1, 0, dunes, 0, &canvas), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_project_canvas_open(w, 9, 0, 0, 0, &canvas), KARST_ERROR_ARGUMENT);
    karst_field *field;
    assert_int_equal(karst_project_sheet_field(w, 99, 0, &field), KARST_ERROR_ARGUMENT);
    // A ground takes its sheets along, and an id is not used again.
    assert_int_equal(karst_project_remove_ground(w, 1), KARST_OK);
    assert_int_equal(karst_project_sheets(w, 1, all, 4, &count), KARST_OK);
    assert_int_equal(count, 0);
    commit(w);
    karst_project_close(w);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ground_shows_its_base_and_the_layers_that_are_on),
        cmocka_unit_test(what_layers_show_is_written_through_a_canvas_only),
        cmocka_unit_test(a_canvas_shows_what_the_world_will),
        cmocka_unit_test(a_merged_layer_is_the_bases_own),
        cmocka_unit_test(names_are_found_or_listed),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
