// SPDX-License-Identifier: MIT
// The file: round trip, determinism, every kind of damage, faults of memory.
#include <fcntl.h>
#include <unistd.h>

#include "pack/make_pack.h"

static uint8_t *slurp(const char *path, size_t *size) {
    kst_map map;
    assert_int_equal(kst_file_map(path, NULL, &map), KARST_OK);
    uint8_t *bytes = malloc(map.size);
    memcpy(bytes, map.bytes, map.size);
    *size = map.size;
    kst_file_unmap(&map);
    return bytes;
}

static void spill(const char *path, const uint8_t *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
}

static void write_made(const char *path, int columns, int rows, uint64_t seed, uint64_t *hash, uint64_t *bytes) {
    made_pack m;
    make_contents(&m, columns, rows, seed);
    karst_report report = {0};
    karst_status status = kst_pack_write_chunks(path, &m.contents, made_chunk, &m, NULL, &report, hash, bytes);
    if (status) print_error("%s\n", report.message);
    assert_int_equal(status, KARST_OK);
    made_free(&m);
}

// Opens and reads all there is. KARST_OK only when nothing is amiss.
static karst_status read_all(const char *path) {
    karst_pack *pack;
    karst_status status = karst_pack_open(path, NULL, &pack);
    if (status) return status;
    karst_map map;
    for (int m = 0; m < karst_pack_map_count(pack) && !status; ++m)
        status = karst_pack_map(pack, karst_pack_map_info(pack, m).name, &map);
    karst_chunk *chunk = malloc(sizeof *chunk);
    for (int level = karst_pack_info_of(pack).level_count - 1; level >= 0; --level) {
        int32_t x, z;
        karst_pack_chunk_grid(pack, level, &x, &z);
        for (int i = 0; i < x * z && !status; ++i) status = karst_pack_read_chunk(pack, level, i % x, i / x, chunk);
    }
    free(chunk);
    karst_pack_close(pack);
    return status;
}

static void what_is_written_is_read(void **state) {
    (void)state;
    const char *path = temp_path("round.kpack");
    uint64_t hash, bytes;
    write_made(path, 300, 150, 1, &hash, &bytes);
    karst_pack *pack;
    karst_report report = {0};
    karst_pack_def def = karst_pack_def_default();
    def.report = &report;
    assert_int_equal(karst_pack_open(path, &def, &pack), KARST_OK);
    karst_pack_info info = karst_pack_info_of(pack);
    made_pack m;
    make_contents(&m, 300, 150, 1);
    assert_int_equal(info.version, KST_PACK_VERSION);
    assert_int_equal(info.file_bytes, bytes);
    assert_memory_equal(&info.lattice, &m.contents.lattice, sizeof info.lattice);
    assert_int_equal(info.level_count, 4);
    assert_int_equal(info.hole_count, 7);
    assert_int_equal(info.world_hash, m.contents.world_hash);
    assert_memory_equal(&info.bounds, &m.contents.bounds, sizeof info.bounds);
    assert_true(info.min_y_m == -3 && info.max_y_m == 1234.5f);
    karst_chunk *chunk = malloc(sizeof *chunk), *want = malloc(sizeof *want);
    for (int level = 0; level < info.level_count; ++level) {
        int32_t nx, nz;
        karst_pack_chunk_grid(pack, level, &nx, &nz);
        assert_memory_equal(karst_pack_nodes(pack, level), m.contents.nodes[level],
                            sizeof(karst_node) * (size_t)(nx * nz));
        for (int i = 0; i < nx * nz; ++i) {
            float box[6];
            assert_true(karst_pack_chunk_bounds(pack, level, i % nx, i / nx, box));
            assert_memory_equal(box, m.contents.chunk_bounds[level][i], sizeof box);
            assert_int_equal(karst_pack_read_chunk(pack, level, i % nx, i / nx, chunk), KARST_OK);
            made_chunk(&m, level, i % nx, i / nx, want);
            assert_memory_equal(chunk, want, sizeof *chunk);
        }
    }
    free(chunk);
    free(want);
    karst_map map;
    assert_int_equal(karst_pack_map(pack, "none", &map), KARST_ERROR_UNSUPPORTED);
    assert_int_equal(karst_pack_map_count(pack), 2);
    for (int i = 0; i < 2; ++i) {
        const karst_map *w = &m.contents.maps[i];
        assert_null(karst_pack_map_info(pack, i).samples);
        assert_int_equal(karst_pack_map(pack, w->name, &map), KARST_OK);
        assert_true(map.width == w->width && map.height == w->height && map.channels == w->channels &&
                    map.sample_bytes == w->sample_bytes && map.scale == w->scale && map.offset == w->offset);
        assert_memory_equal(map.samples, w->samples, (size_t)(w->width * w->height * w->channels * w->sample_bytes));
        const void *first = map.samples;
        assert_int_equal(karst_pack_map(pack, w->name, &map), KARST_OK);
        assert_ptr_equal(first, map.samples);  // decoded once, kept
    }
    made_free(&m);
    karst_pack_parts parts;
    assert_int_equal(karst_pack_parts_of(pack, &parts), KARST_OK);
    const double part[] = {parts.directory, parts.maps,  parts.root,  parts.heights, parts.sideways,
                           parts.normals,   parts.holes, parts.light, parts.corners, parts.rest};
    double sum = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; ++k) {
        assert_true(part[k] > 0);  // there is some of everything
        sum += part[k];
    }
    assert_true(fabs(sum - (double)bytes) < 1e-6 * (double)bytes);
    karst_pack_close(pack);
    karst_pack_close(NULL);
}

static void the_same_contents_give_the_same_bytes(void **state) {
    (void)state;
    uint64_t hash[3], bytes[3];
    size_t size[3];
    uint8_t *file[3];
    for (int i = 0; i < 3; ++i) {
        write_made(temp_path("same.kpack"), 130, 70, i == 2 ? 2 : 1, &hash[i], &bytes[i]);
        file[i] = slurp(temp_path("same.kpack"), &size[i]);
        assert_int_equal(size[i], bytes[i]);
        assert_int_equal(size[i] % 64, 0);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(file[0], file[1], size[0]);
    assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
    for (int i = 0; i < 3; ++i) free(file[i]);
}

static void every_flipped_byte_is_an_error(void **state) {
    (void)state;
    const char *path = temp_path("flip.kpack");
    write_made(path, 70, 10, 3, NULL, NULL);
    size_t size;
    uint8_t *bytes = slurp(path, &size);
    assert_int_equal(read_all(path), KARST_OK);  // control: undamaged, all is well
    int fd = open(path, O_WRONLY);
    for (prop p = prop_begin("flip", 4000 + 1024); prop_next(&p);) {
        size_t at = p.at < 1024 ? (size_t)p.at : (size_t)(prop_u64(&p) % size);  // the header, the directory, anywhere
        uint8_t flipped = bytes[at] ^ (uint8_t)(p.at & 1 ? 1 << prop_int(&p, 0, 7) : prop_int(&p, 1, 255));
        prop_check(&p, pwrite(fd, &flipped, 1, (off_t)at) == 1);
        prop_check(&p, read_all(path) != KARST_OK);
        prop_check(&p, pwrite(fd, &bytes[at], 1, (off_t)at) == 1);
    }
    close(fd);
    assert_int_equal(read_all(path), KARST_OK);
    free(bytes);
}

static void every_cut_is_an_error(void **state) {
    (void)state;
    const char *path = temp_path("cut.kpack");
    write_made(path, 70, 10, 4, NULL, NULL);
    size_t size;
    uint8_t *bytes = slurp(path, &size);
    for (size_t cut = 0; cut < size; cut += cut < 300 ? 1 : 61) {
        assert_int_equal(truncate(path, 0), 0);
        spill(path, bytes, cut);
        karst_status status = read_all(path);
        assert_true(status == KARST_ERROR_FORMAT);
    }
    bytes = realloc(bytes, size + 64);
    memset(bytes + size, 0, 64);
    spill(path, bytes, size + 1);
    assert_int_equal(read_all(path), KARST_ERROR_FORMAT);
    spill(path, bytes, size + 64);
    assert_int_equal(read_all(path), KARST_ERROR_FORMAT);
    spill(path, bytes, size);
    assert_int_equal(read_all(path), KARST_OK);
    free(bytes);
}

// Somebody who can compute checksums writes nonsense into the directory: every field is still checked.
static void seal(uint8_t *file, size_t file_bytes) {
    uint64_t size;
    memcpy(&size, file + 32, 8);
    uint64_t hash = kst_hash(file + 64, size <= file_bytes - 64 ? size : 0, 0);
    memcpy(file + 40, &hash, 8);
    hash = kst_hash(file, 56, 0);
    memcpy(file + 56, &hash, 8);
}

static void a_hostile_directory_is_refused(void **state) {
    (void)state;
    const char *path = temp_path("hostile.kpack");
    write_made(path, 70, 10, 5, NULL, NULL);
    size_t size;
    uint8_t *bytes = slurp(path, &size), *bad = malloc(size);
    memcpy(bad, bytes, size);
    seal(bad, size);
    assert_memory_equal(bad, bytes, size);  // control: sealing alone changes nothing
    uint64_t directory_bytes;
    memcpy(&directory_bytes, bytes + 32, 8);
    static const uint64_t nasty[] = {0,
                                     1,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000u,
                                     0xffffffff,
                                     0x7ff0000000000000u,
                                     0x7ff8000000000000u,
                                     UINT64_MAX,
                                     UINT64_MAX - 63};
    int refused = 0;
    for (prop p = prop_begin("hostile", 2500); prop_next(&p);) {
        memcpy(bad, bytes, size);
        int width = 1 << prop_int(&p, 0, 3);
        size_t at = 8 + (size_t)prop_u64(&p) % (56 + (size_t)directory_bytes - (size_t)width);
        uint64_t value = prop_chance(&p, 0.7) ? nasty[prop_int(&p, 0, 13)] : prop_u64(&p);
        memcpy(bad + at, &value, (size_t)width);
        seal(bad, size);
        spill(path, bad, size);
        karst_pack *pack;
        karst_report report = {0};
        karst_pack_def def = karst_pack_def_default();
        def.report = &report;
        if (karst_pack_open(path, &def, &pack)) {
            ++refused;
            prop_check(&p, strstr(report.message, "hostile.kpack: ") && !strchr(report.message, '\n'));
        } else {
            karst_pack_close(pack);
            read_all(path);  // whatever it says, it stays within the file
        }
    }
    assert_true(refused > test_count(900));
    free(bytes);
    free(bad);
}

static void what_is_no_pack_is_told_apart(void **state) {
    (void)state;
    karst_pack *pack = NULL;
    karst_report report = {0};
    karst_pack_def def = karst_pack_def_default();
    def.report = &report;
    assert_int_equal(karst_pack_open(temp_path("absent.kpack"), &def, &pack), KARST_ERROR_FILE);
    assert_non_null(strstr(report.message, "absent.kpack"));
    spill(temp_path("empty.kpack"), (const uint8_t *)"", 0);
    assert_int_equal(karst_pack_open(temp_path("empty.kpack"), &def, &pack), KARST_ERROR_FORMAT);
    spill(temp_path("text.kpack"),
          (const uint8_t *)"This is a text that somebody named so. It is longer than a header.", 66);
    assert_int_equal(karst_pack_open(temp_path("text.kpack"), &def, &pack), KARST_ERROR_FORMAT);
    const char *path = temp_path("newer.kpack");
    write_made(path, 70, 70, 6, NULL, NULL);
    size_t size;
    uint8_t *bytes = slurp(path, &size);
    bytes[8] = KST_PACK_VERSION + 1;
    seal(bytes, size);
    spill(path, bytes, size);
    assert_int_equal(karst_pack_open(path, &def, &pack), KARST_ERROR_VERSION);
    assert_non_null(strstr(report.message, "version 5"));
    assert_null(pack);
    free(bytes);
}

static void contents_out_of_range_are_not_written(void **state) {
    (void)state;
    const char *path = temp_path("refused.kpack");
    for (int broken = 0; broken < 9; ++broken) {
        made_pack m;
        make_contents(&m, 70, 70, 7);
        kst_pack_contents *c = &m.contents;
        if (broken == 0) c->lattice.step_y_m = 0.01;
        if (broken == 1) c->lattice.step_xz_m = 0.01;
        if (broken == 2) c->lattice.cell_steps = 1 << 26, c->lattice.step_xz_m = 2.5 / (1 << 26);
        if (broken == 3) c->hole_count = 70 * 70;
        if (broken == 4) ((karst_node *)(uintptr_t)c->nodes[0])[1].error = NAN;
        if (broken == 5) strcpy(c->maps[0].name, "height");
        if (broken == 6) c->maps[1].width = 0;
        if (broken == 7) c->lattice.shape.spacing_m = INFINITY;
        karst_report report = {0};
        karst_status status = kst_pack_write_chunks(path, c, made_chunk, &m, NULL, &report, NULL, NULL);
        assert_int_equal(status, broken == 8 ? KARST_OK : KARST_ERROR_LIMIT);  // the last: nothing broken
        assert_int_equal(access(path, F_OK), broken == 8 ? 0 : -1);
        if (broken < 8) assert_non_null(strstr(report.message, "refused.kpack: directory: "));
        made_free(&m);
    }
}

static karst_status fails_late(void *context, int level, int32_t x, int32_t z, karst_chunk *out) {
    made_pack *m = context;
    if (m->count == 15) return KARST_ERROR_CANCELLED;  // not while tables are learnt
    return made_chunk(context, level, x, z, out);
}

static bool never(void *context, const char *stage, double share) {
    (void)context;
    (void)stage;
    return share < 0;
}

static void a_stopped_write_leaves_nothing(void **state) {
    (void)state;
    const char *path = temp_path("stopped.kpack");
    made_pack m;
    make_contents(&m, 70, 70, 8);
    karst_report report = {0};
    assert_int_equal(kst_pack_write_chunks(path, &m.contents, fails_late, &m, NULL, &report, NULL, NULL),
                     KARST_ERROR_CANCELLED);
    karst_progress progress = {never, NULL};
    assert_int_equal(kst_pack_write_chunks(path, &m.contents, made_chunk, &m, &progress, &report, NULL, NULL),
                     KARST_ERROR_CANCELLED);
    assert_int_equal(access(path, F_OK), -1);
    made_free(&m);
}

static void every_failing_allocation_is_told(void **state) {
    (void)state;
    const char *path = temp_path("memory.kpack");
    write_made(path, 70, 70, 9, NULL, NULL);
    for (uint64_t n = 1;; ++n) {
        kst_alloc_fail_after(n);
        karst_status status = read_all(path);
        bool struck = kst_alloc_fail_after(0) >= n;
        if (!struck) {
            assert_int_equal(status, KARST_OK);
            assert_true(n > 8);
            break;
        }
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    for (uint64_t n = 1;; ++n) {
        made_pack m;
        make_contents(&m, 70, 70, 9);
        kst_alloc_fail_after(n);
        karst_report report = {0};
        karst_status status =
            kst_pack_write_chunks(temp_path("m2.kpack"), &m.contents, made_chunk, &m, NULL, &report, NULL, NULL);
        bool struck = kst_alloc_fail_after(0) >= n;
        made_free(&m);
        assert_int_equal(status, struck ? KARST_ERROR_MEMORY : KARST_OK);
        if (!struck) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(the_same_contents_give_the_same_bytes),
        cmocka_unit_test(every_flipped_byte_is_an_error),
        cmocka_unit_test(every_cut_is_an_error),
        cmocka_unit_test(a_hostile_directory_is_refused),
        cmocka_unit_test(what_is_no_pack_is_told_apart),
        cmocka_unit_test(contents_out_of_range_are_not_written),
        cmocka_unit_test(a_stopped_write_leaves_nothing),
        cmocka_unit_test(every_failing_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
