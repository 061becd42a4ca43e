// SPDX-License-Identifier: MIT
// The author's opacity in a pack: equal to what was written, at every level, and part of what a world is.
#include "karst/bake.h"
#include "karst/pack.h"
#include "karst/resident.h"
#include "scenes/scenes.h"
#include "support/prop.h"

static karst_pack *bake(karst_field *field, const char *name) {
    karst_report report = {0};
    karst_bake_info info;
    karst_pack *pack;
    if (karst_bake_field(field, temp_path(name), NULL, NULL, &report, &info)) fail_msg("%s", report.message);
    assert_int_equal(karst_pack_open(temp_path(name), NULL, &pack), KARST_OK);
    return pack;
}

static void the_pack_holds_what_was_written(void **state) {
    (void)state;
    for (prop p = prop_begin("opacity_baked", 6); prop_next(&p);) {
        int columns = prop_int(&p, 2, 300), rows = prop_int(&p, 2, 200), across = (columns + 1) / 2;
        int down = (rows + 1) / 2;
        karst_field *field;
        assert_int_equal(scene_rough_field(columns, rows, 2, 5, false, false, (karst_pos){0, 0, 0}, &field), KARST_OK);
        karst_pack *solid = bake(field, "solid.kpack");
        uint8_t *opacity = malloc((size_t)across * (size_t)down);
        for (int k = 0; k < across * down; ++k) opacity[k] = (uint8_t)prop_int(&p, 0, 255);
        opacity[0] = 3;
        assert_int_equal(karst_field_write_opacity(field, (karst_rect){0, 0, across, down}, opacity, across), KARST_OK);
        karst_pack *pack = bake(field, "faded.kpack");
        karst_pack_info info = karst_pack_info_of(pack);
        prop_check(&p, info.world_hash != karst_pack_info_of(solid).world_hash);
        karst_chunk *c = malloc(sizeof *c);
        uint32_t *words = malloc(sizeof *words * KARST_RESIDENT_WORDS_MAX);
        for (int level = 0; level < info.level_count; ++level) {
            int32_t nx, nz;
            karst_pack_chunk_grid(pack, level, &nx, &nz);
            for (int k = 0; k < nx * nz; ++k) {
                prop_check(&p, karst_pack_read_chunk(solid, level, k % nx, k / nx, c) == KARST_OK);
                for (int h = 0; h < KARST_HALF_VERTICES; ++h) prop_check(&p, c->transparency[h] == 0);
                prop_check(&p, karst_pack_read_chunk(pack, level, k % nx, k / nx, c) == KARST_OK);
                karst_resident_pack(c, words);
                for (int h = 0; h < KARST_HALF_VERTICES; ++h) {
                    int i = h % KARST_HALF_SIDE, j = h / KARST_HALF_SIDE;
                    int x = (k % nx * 32 + i) << level, z = (k / nx * 32 + j) << level;
                    if (x >= across) x = across - 1;
                    if (z >= down) z = down - 1;
                    prop_check(&p, c->transparency[h] == 255 - opacity[z * across + x]);
                    float want = (float)opacity[z * across + x] / 255,
                          is = karst_resident_read(words, 2 * i, 2 * j).opacity;
                    prop_near(&p, is, want, 1e-6);
                }
            }
        }
        free(words);
        free(c);
        free(opacity);
        karst_pack_close(pack);
        karst_pack_close(solid);
        karst_field_destroy(field);
    }
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(the_pack_holds_what_was_written, temp_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
