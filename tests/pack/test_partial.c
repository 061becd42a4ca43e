// SPDX-License-Identifier: MIT
// A pack that is still being downloaded: what is there answers as the whole pack does, what is not says so.
#include "pack/alter.h"
#include "pack/pack.h"

static karst_pack_def partial_def(karst_report *report) {
    karst_pack_def def = karst_pack_def_default();
    def.partial = true;
    def.report = report;
    return def;
}

static void a_growing_file_answers_as_far_as_it_goes(void **state) {
    (void)state;
    const char *path = temp_path("whole.kpack"), *growing = temp_path("growing.kpack");
    bake_scene(path, 300, 200, true, true);
    size_t size;
    uint8_t *bytes = read_bytes(path, &size);
    karst_pack *whole, *pack = NULL;
    assert_int_equal(karst_pack_open(path, NULL, &whole), KARST_OK);
    karst_chunk *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    size_t front = kst_pack_aligned(whole->directory.map_count ? whole->directory.map_spans[0].place
                                                               : whole->directory.records[0].place);
    int opened = 0, pending = 0, answered = 0, maps_pending = 0, grounds = 0, grounds_pending = 0;
    for (size_t have = 0, step = 0; have <= size; have = have == size         ? size + 1
                                                         : have + step > size ? size
                                                                              : have + step) {
        write_part(growing, bytes, have >= step ? have - step : 0, have);
        step = 1 + size / 37;
        if (!pack) {
            karst_report report = {0};
            karst_pack_def def = partial_def(&report);
            karst_status status = karst_pack_open(growing, &def, &pack);
            if (have < front) {
                assert_int_equal(status, KARST_ERROR_PENDING);
                assert_non_null(strstr(report.message, "growing.kpack"));
                assert_null(pack);
                continue;
            }
            assert_int_equal(status, KARST_OK);
            ++opened;
        }
        assert_int_equal(karst_pack_refresh(pack), have);
        assert_int_equal(karst_pack_info_of(pack).file_bytes, size);
        const kst_directory *d = &pack->directory;
        for (int level = 0; level < d->level_count; ++level)
            for (int32_t z = 0; z < d->chunks_z[level]; ++z)
                for (int32_t x = 0; x < d->chunks_x[level]; ++x) {
                    const kst_pack_span *span = &d->records[kst_pack_record_of(d, level, x, z)];
                    karst_status status = karst_pack_read_chunk(pack, level, x, z, a);
                    bool there = kst_pack_aligned(span->place + span->size) <= have;
                    assert_int_equal(status, there ? KARST_OK : KARST_ERROR_PENDING);
                    ++*(there ? &answered : &pending);
                    if (!there) continue;
                    assert_int_equal(karst_pack_read_chunk(whole, level, x, z, b), KARST_OK);
                    assert_memory_equal(a, b, sizeof *a);
                }
        karst_map map;
        karst_status map_status = karst_pack_map(pack, d->maps[d->map_count - 1].name, &map);
        assert_true(!map_status || map_status == KARST_ERROR_PENDING);
        maps_pending += map_status == KARST_ERROR_PENDING;
        karst_level here, there;
        int count, same;
        double x = 1e6 + 250, z = -3e5 + 150;
        karst_status status = karst_ground_heights(karst_pack_ground(pack), x, z, &here, 1, &count);
        assert_true(!status || status == KARST_ERROR_PENDING);
        ++*(status ? &grounds_pending : &grounds);
        karst_check checks[KARST_CHECK_MAX];
        int check_count;
        if (have < size)
            assert_int_equal(karst_pack_check(pack, NULL, NULL, checks, &check_count), KARST_ERROR_PENDING);
        if (status) continue;
        assert_int_equal(karst_ground_heights(karst_pack_ground(whole), x, z, &there, 1, &same), KARST_OK);
        assert_true(count == same && (!count || here.y == there.y));
    }
    assert_true(opened == 1 && pending > 100 && answered > 100 && grounds > 0 && grounds_pending > 0);
    assert_int_equal(maps_pending > 0, 1);
    karst_pack_close(pack);
    karst_pack_close(whole);
    assert_true(same_bytes(path, growing));  // nobody wrote to it
    free(a);
    free(b);
    free(bytes);
}

// Without the wish a short file is an error as ever; and what is no pack is none, however short.
static void a_short_file_is_partial_only_on_request(void **state) {
    (void)state;
    const char *path = temp_path("short.kpack"), *part = temp_path("part.kpack"), *other = temp_path("other.kpack");
    bake_scene(path, 100, 60, false, false);
    size_t size;
    uint8_t *bytes = read_bytes(path, &size);
    write_part(part, bytes, 0, size - 64);
    karst_pack *pack = NULL;
    assert_int_equal(karst_pack_open(part, NULL, &pack), KARST_ERROR_FORMAT);
    assert_null(pack);
    karst_pack_def def = partial_def(NULL);
    assert_int_equal(karst_pack_open(path, &def, &pack), KARST_OK);  // whole already
    assert_int_equal(karst_pack_refresh(pack), size);
    karst_pack_close(pack);
    const size_t lengths[] = {0, 5, 63, 64, 200};
    for (int k = 0; k < 5; ++k) {
        remove(other);
        write_part(other, bytes, 0, lengths[k]);
        assert_int_equal(karst_pack_open(other, &def, &pack), KARST_ERROR_PENDING);
    }
    bytes[3] ^= 1;
    for (int k = 1; k < 5; ++k) {
        remove(other);
        write_part(other, bytes, 0, lengths[k]);
        assert_int_equal(karst_pack_open(other, &def, &pack), KARST_ERROR_FORMAT);
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_growing_file_answers_as_far_as_it_goes),
        cmocka_unit_test(a_short_file_is_partial_only_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
