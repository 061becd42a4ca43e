// SPDX-License-Identifier: MIT
// Corners of the field on seams, as a pack keeps them.
#include <fcntl.h>
#include <unistd.h>

#include "make_pack.h"
#include "pack/pack.h"
#include "support/net.h"

enum { SEAMS = 6 };

static const karst_pack_seam ring[SEAMS] = {
    {16, 16, 4, 12, {-1, -2, -3}, {4, 5, 6}},    {32, 16, 3, 13, {0, 0, 0}, {0, 0, 0}},
    {48, 16, 2, 63, {-1e9f, 0, 0}, {1, 1, 1}},   {16, 32, 1, 0, {1, 2, 3}, {1, 2, 3}},
    {112, 32, 4, 1, {-1, -1, -1}, {1, 1, 1e9f}}, {0, 64, 4, 9, {-1, -1, -1}, {1, 1, 1}},
};

typedef struct cut_net {
    karst_net *net;
    karst_noise_bank *bank;
    int32_t zone[16][2], count;
} cut_net;

static karst_status give_zone(void *context, int32_t index, karst_zone **out) {
    const cut_net *c = context;
    return karst_net_cut(c->net, c->zone[index][0], c->zone[index][1], c->bank, NULL, out);
}

static void make_net(cut_net *out) {
    *out = (cut_net){.net = net_of(16), .bank = malloc(sizeof *out->bank)};
    karst_noise_bank_make(out->bank);
    out->count = karst_net_zones(out->net, out->zone, 16);
    assert_in_range(out->count, 1, 16);
}

static void free_net(cut_net *c) {
    karst_net_destroy(c->net);
    free(c->bank);
}

static karst_status write_pack(const char *path, cut_net *net, const karst_pack_seam *seams, int32_t count,
                               karst_report *report, uint64_t *bytes) {
    made_pack m;
    make_contents(&m, 120, 70, 3);
    m.contents.zone_count = net ? net->count : 0;
    m.contents.net_step_log2 = -8;
    m.contents.zone = give_zone, m.contents.zone_context = net;
    m.contents.seams = seams, m.contents.seam_count = count;
    karst_status status = kst_pack_write_chunks(path, &m.contents, made_chunk, &m, NULL, report, NULL, bytes);
    made_free(&m);
    return status;
}

static void seams_come_back_as_they_were_written(void **state) {
    (void)state;
    cut_net net;
    make_net(&net);
    const char *path = temp_path("seams.kpack");
    for (int count = 0; count <= SEAMS; count += SEAMS) {
        assert_int_equal(write_pack(path, &net, ring, count, NULL, NULL), KARST_OK);
        karst_pack *pack;
        assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
        assert_int_equal(karst_pack_info_of(pack).version, 4);
        assert_int_equal(karst_pack_seam_count(pack), count);
        assert_int_equal(karst_pack_seams(pack) == NULL, count == 0);
        for (int k = 0; k < count; ++k) {
            const karst_pack_seam *got = &karst_pack_seams(pack)[k], *want = &ring[k];
            assert_true(got->column == want->column && got->row == want->row);
            assert_true(got->most_log2 == want->most_log2 && got->size == want->size);
            assert_memory_equal(got->min, want->min, sizeof got->min);
            assert_memory_equal(got->max, want->max, sizeof got->max);
        }
        assert_int_equal(karst_pack_zone_count(pack), net.count);
        karst_zone *zone;
        assert_int_equal(karst_pack_zone_read(pack, 0, net.bank, NULL, &zone), KARST_OK);
        karst_zone_destroy(zone);
        karst_pack_close(pack);
    }
    free_net(&net);
}

// Each of these breaks one rule, and is named when it is written and when it is read.
static void break_seams(int k, karst_pack_seam *s) {
    switch (k) {
        case 0:
            s[1].column = 40;
            break;
        case 1:
            s[1].row = 17, s[2].row = 17;
            break;
        case 2:
            s[5].column = -16;
            break;
        case 3:
            s[4].column = 128;
            break;
        case 4:
            s[5].row = 80;
            break;
        case 5:
            s[0].most_log2 = 0;
            break;
        case 6:
            s[0].most_log2 = 5;
            break;
        case 7:
            s[3].size = KARST_NET_SIZES;
            break;
        case 8:
            s[2].min[1] = 1.5f;
            break;
        case 9:
            s[2].max[2] = INFINITY;
            break;
        case 10:
            s[2].min[0] = NAN;
            break;
        case 11:
            s[2].min[0] = 2;
            break;
        case 12:
            s[1].column = 16;
            break;
        default:
            s[3].row = 0;
            break;
    }
}

static void what_no_seam_can_be_is_refused(void **state) {
    (void)state;
    cut_net net;
    make_net(&net);
    const char *path = temp_path("bad.kpack");
    uint64_t file_bytes;
    assert_int_equal(write_pack(path, &net, ring, SEAMS, NULL, &file_bytes), KARST_OK);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    size_t bytes;
    assert_true(kst_directory_bytes(&pack->directory, KST_PACK_VERSION, &bytes));
    uint8_t *front = malloc(bytes);
    for (int k = -1; k < 14; ++k) {
        karst_pack_seam s[SEAMS];
        memcpy(s, ring, sizeof s);
        if (k >= 0) break_seams(k, s);
        karst_report report[2] = {0};
        assert_int_equal(write_pack(temp_path("not.kpack"), &net, s, SEAMS, &report[0], NULL),
                         k < 0 ? KARST_OK : KARST_ERROR_LIMIT);
        kst_directory d = {0}, altered = pack->directory;
        altered.seams = s;
        kst_directory_put(&altered, front);
        karst_status status = kst_directory_read(&d, KST_PACK_VERSION, front, bytes, kst_pack_aligned(64 + bytes),
                                                 file_bytes, NULL, path, &report[1]);
        assert_int_equal(status, k < 0 ? KARST_OK : KARST_ERROR_FORMAT);
        kst_directory_free(&d, NULL);
        for (int r = 0; r < 2 && k >= 0; ++r) assert_non_null(strstr(report[r].message, " seam"));
    }
    karst_report report = {0};
    assert_int_equal(write_pack(temp_path("not.kpack"), NULL, ring, SEAMS, &report, NULL), KARST_ERROR_LIMIT);
    assert_non_null(strstr(report.message, "seams without zones"));
    // A version without seams has no room for their count, so its directory is 4 bytes shorter and more.
    kst_directory d = {0};
    kst_directory_put(&pack->directory, front);
    assert_int_equal(
        kst_directory_read(&d, 3, front, bytes, kst_pack_aligned(64 + bytes), file_bytes, NULL, path, &report),
        KARST_ERROR_FORMAT);
    kst_directory_free(&d, NULL);
    karst_pack_close(pack);
    free(front);
    free_net(&net);
}

static void a_list_that_is_altered_is_read_with_care(void **state) {
    (void)state;
    cut_net net;
    make_net(&net);
    const char *path = temp_path("altered.kpack");
    uint64_t file_bytes;
    assert_int_equal(write_pack(path, &net, ring, SEAMS, NULL, &file_bytes), KARST_OK);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    size_t bytes, at = KST_PACK_FIXED_BYTES + (size_t)pack->directory.level_count * KST_PACK_GRID_BYTES +
                       (size_t)pack->directory.map_count * KST_PACK_MAP_BYTES + KST_PACK_NET_BYTES +
                       (size_t)net.count * KST_PACK_ZONE_BYTES;
    assert_true(kst_directory_bytes(&pack->directory, KST_PACK_VERSION, &bytes));
    uint8_t *kept = malloc(bytes), *other = malloc(bytes);
    kst_directory_put(&pack->directory, kept);
    karst_pack_close(pack);
    int bad = 0;
    for (prop p = prop_begin("sealed", 2000); prop_next(&p);) {
        memcpy(other, kept, bytes);
        size_t from = p.at % 8 ? at + prop_u64(&p) % (SEAMS * KST_PACK_SEAM_BYTES) : KST_PACK_FIXED_BYTES - 4;
        other[from + (p.at % 8 ? 0 : prop_u64(&p) % 4)] ^= (uint8_t)prop_int(&p, 1, 255);
        kst_directory d = {0};
        karst_report report = {0};
        karst_status status = kst_directory_read(&d, KST_PACK_VERSION, other, bytes, kst_pack_aligned(64 + bytes),
                                                 file_bytes, NULL, path, &report);
        bad += status != KARST_OK;
        prop_check(&p, !status || (status == KARST_ERROR_FORMAT && report.message[0]));
        kst_directory_free(&d, NULL);
    }
    assert_true(bad > test_count(500));
    free(kept), free(other);
    free_net(&net);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    cut_net net;
    make_net(&net);
    const char *path = temp_path("memory.kpack");
    for (uint64_t n = 1;; n += 1 + n / 4) {
        karst_pack *pack = NULL;
        kst_alloc_fail_after(n);
        karst_status status = write_pack(path, &net, ring, SEAMS, NULL, NULL);
        if (!status) status = karst_pack_open(path, NULL, &pack);
        kst_alloc_fail_after(0);
        karst_pack_close(pack);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    free_net(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seams_come_back_as_they_were_written),
        cmocka_unit_test(what_no_seam_can_be_is_refused),
        cmocka_unit_test(a_list_that_is_altered_is_read_with_care),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
