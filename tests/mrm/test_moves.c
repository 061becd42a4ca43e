// SPDX-License-Identifier: MIT
// Vertices that move: codes of two bytes, what they cost, files of an early kind.
#include "mesh/mrm_codec.h"
#include "mrm_check.h"

static const float unit = 0.25f;

static double apart(karst_vec3 a, const double b[3]) {
    return fmax(fabs((double)a.x - b[0]), fmax(fabs((double)a.y - b[1]), fabs((double)a.z - b[2])));
}

static void a_code_is_off_by_half_a_step(void **state) {
    (void)state;
    int off = 0;
    for (prop p = prop_begin("codes", 20000); prop_next(&p);) {
        double offset[3], most = 0, size = pow(2, prop_real(&p, -3, 15));
        for (int k = 0; k < 3; ++k) {
            offset[k] = prop_real(&p, -size, size);
            most = fmax(most, fabs(offset[k]));
        }
        uint16_t code = 0;
        prop_check(&p, kst_mrm_move_code(offset, unit, &code) && code != KST_MRM_STAYS);
        double step = (double)unit * (1 << (code ? code >> 12 : 0)),
               found = apart(kst_mrm_moved((karst_vec3){0}, unit, code), offset);
        prop_check(&p, found <= step / 2);
        prop_check(&p, step <= fmax((double)unit, most / 3.25));  // no coarser than it has to be
        off += found > step / 4;                                  // control: codes are that coarse
    }
    assert_true(off > test_count(20000) / 4);
}

static void what_is_too_far_has_no_code(void **state) {
    (void)state;
    uint16_t code = 1;
    double near[3] = {0, 7.49 * 0.25 * 32768, 0}, far[3] = {0, 7.51 * 0.25 * 32768, 0}, still[3] = {0.1, -0.1, 0};
    assert_true(kst_mrm_move_code(near, unit, &code));
    assert_false(kst_mrm_move_code(far, unit, &code));
    assert_true(kst_mrm_move_code(still, unit, &code) && code == 0);
    for (uint32_t c = 0; c < 0x10000; ++c) {  // whatever a file holds is a place
        karst_vec3 p = kst_mrm_moved((karst_vec3){1e18f, -1e18f, 0}, 1e18f, (uint16_t)c);
        assert_true(fabsf(p.x) <= 1e18f && fabsf(p.y) <= 1e18f && fabsf(p.z) <= 1e18f);
    }
}

static karst_mrm *facets(bool move) {
    karst_model *m;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.move = move, def.crease_rad = 1;
    return built_with(MAKE(scene_model_facets(4, &m)), &def);
}

// Places that levels show are the model's own, or those of codes; and many of them moved.
static void moves_take_two_bytes_a_vertex(void **state) {
    (void)state;
    karst_mrm *still = facets(false), *moving = facets(true);
    karst_mrm_info a = karst_mrm_describe(still), b = karst_mrm_describe(moving);
    assert_true(!a.moves && b.moves && a.vertices == b.vertices);
    assert_true((double)b.record_bytes < (double)a.record_bytes * 1.05 + 2.0 * b.vertices);
    assert_true((double)b.record_bytes > (double)a.record_bytes * 0.95 + 1.5 * b.vertices);  // control: they are told
    karst_model *level = level_of(moving, b.vertices / 4);
    uint32_t moved = 0;
    for (uint32_t v = 0; v < level->vertex_count; ++v)
        moved += memcmp(&level->position[v], &karst_mrm_model(moving)->position[v], sizeof *level->position) != 0;
    assert_true(moved > level->vertex_count / 4);
    karst_model_destroy(level);
    karst_mrm_destroy(still);
    karst_mrm_destroy(moving);
}

// Bytes of a file with its flags changed, checksum set right.
static karst_status read_with_flags(uint8_t *bytes, size_t size, uint32_t flip, karst_report *report) {
    kst_reader r = {bytes + 84, bytes + 88, false};
    size_t head = KST_KMRM_HEAD + (size_t)kst_read_u32(&r) * KST_KMRM_ENTRY;
    bytes[8] ^= (uint8_t)flip;
    memset(bytes + KST_KMRM_HEAD - 8, 0, 8);
    kst_out o = {bytes + KST_KMRM_HEAD - 8};
    kst_put_uint(&o, kst_hash(bytes, head, 0), 8);
    karst_mrm *mrm = NULL;
    karst_status status = karst_mrm_decode(bytes, size, false, NULL, report, &mrm);
    karst_mrm_destroy(mrm);
    return status;
}

static void an_early_kind_of_moves_is_told(void **state) {
    (void)state;
    karst_mrm *mrm = facets(true);
    kst_mrm_list list;
    uint8_t *bytes;
    size_t size;
    karst_report report = {0};
    must(kst_mrm_unravel(mrm, NULL, &list));
    must(kst_mrm_encode(&list, NULL, &bytes, &size));
    assert_int_equal(read_with_flags(bytes, size, 0, &report), KARST_OK);
    assert_int_equal(read_with_flags(bytes, size, KST_KMRM_OLD_MOVES, &report), KARST_ERROR_VERSION);
    assert_non_null(strstr(report.message, "build it again"));
    assert_int_equal(read_with_flags(bytes, size, KST_KMRM_OLD_MOVES | KST_KMRM_MOVES, &report), KARST_ERROR_FORMAT);
    kst_mrm_list_release(&list);
    kst_free(NULL, bytes, size);
    karst_mrm_destroy(mrm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_code_is_off_by_half_a_step),
        cmocka_unit_test(what_is_too_far_has_no_code),
        cmocka_unit_test(moves_take_two_bytes_a_vertex),
        cmocka_unit_test(an_early_kind_of_moves_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
