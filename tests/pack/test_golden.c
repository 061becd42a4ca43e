// SPDX-License-Identifier: MIT
// Packs of every version that is still read open and hold what they held. They are the seeds of the fuzz target, too.
#include "pack/format.h"
#include "support/prop.h"

typedef struct golden {
    const char *name;
    int32_t columns, rows, chunks;
    uint64_t hash;  // of all vertices, normals, hole words, map samples and zones, in the order of the file
} golden;

static const golden files[] = {
    {"v2-displaced.kpack", 9, 6, 1, 0x8beceee1d8dd8967}, {"v2-flat.kpack", 70, 67, 5, 0x9870308b88eb096a},
    {"v2-heights.kpack", 12, 70, 3, 0x1b6171255c7dea99}, {"v2-records.kpack", 131, 80, 9, 0x58c5daf684b79aee},
    {"v3-zones.kpack", 2, 2, 1, 0xec39fe4d7a79f60d},     {"v4-seams.kpack", 49, 49, 1, 0x9486e1797b7a4e4d},
};

static uint64_t hash_all(karst_pack *pack, int *chunks) {
    uint64_t hash = 0;
    for (int m = 0; m < karst_pack_map_count(pack); ++m) {
        karst_map map;
        size_t bytes;
        assert_int_equal(karst_pack_map(pack, karst_pack_map_info(pack, m).name, &map), KARST_OK);
        assert_true(kst_map_bytes(&map, &bytes));
        hash = kst_hash(map.samples, bytes, hash);
    }
    karst_chunk *c = malloc(sizeof *c);
    for (int level = karst_pack_info_of(pack).level_count - 1; level >= 0; --level) {
        int32_t nx, nz;
        karst_pack_chunk_grid(pack, level, &nx, &nz);
        for (int i = 0; i < nx * nz; ++i, ++*chunks) {
            assert_int_equal(karst_pack_read_chunk(pack, level, i % nx, i / nx, c), KARST_OK);
            hash = kst_hash(c->vertex, sizeof c->vertex, hash);
            hash = kst_hash(c->normal, sizeof c->normal, hash);
            hash = kst_hash(c->hole, sizeof c->hole, hash);
        }
    }
    free(c);
    karst_noise_bank *bank = malloc(sizeof *bank);
    karst_noise_bank_make(bank);
    for (int32_t k = 0; k < karst_pack_zone_count(pack); ++k) {
        karst_zone *zone;
        assert_int_equal(karst_pack_zone_read(pack, k, bank, NULL, &zone), KARST_OK);
        hash = kst_hash(zone->places, zone->place_count * sizeof *zone->places, hash);
        karst_zone_destroy(zone);
    }
    free(bank);
    return hash;
}

static void packs_of_old_are_read(void **state) {
    (void)state;
    const char *source = getenv("KARST_SOURCE");
    if (!source) skip();
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/fuzz/corpus/pack/%s", source, files[i].name);
        karst_pack *pack;
        assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
        karst_pack_info info = karst_pack_info_of(pack);
        assert_int_equal(info.version, files[i].name[1] - '0');
        assert_int_equal(info.lattice.shape.columns, files[i].columns);
        assert_int_equal(info.lattice.shape.rows, files[i].rows);
        int chunks = 0;
        uint64_t hash = hash_all(pack, &chunks);
        if (hash != files[i].hash) print_error("%s: %#llx\n", files[i].name, (unsigned long long)hash);
        assert_true(hash == files[i].hash);
        assert_int_equal(chunks, files[i].chunks);
        karst_pack_close(pack);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(packs_of_old_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
