// SPDX-License-Identifier: MIT
// karst_pack_check: finds nothing in what bake made, and each thing that a test breaks.
#include <fcntl.h>
#include <unistd.h>

#include "pack/alter.h"
#include "pack/check.h"

typedef struct outcome {
    karst_check row[KARST_CHECK_MAX];
    int count;
} outcome;

static outcome check_with(karst_pack *pack, int workers) {
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = workers;
    karst_jobs *jobs;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    outcome out;
    memset(&out, 0, sizeof out);
    assert_int_equal(karst_pack_check(pack, jobs, NULL, out.row, &out.count), KARST_OK);
    assert_int_equal(out.count, KST_CHECK_ZONES);  // without a net
    karst_jobs_destroy(jobs);
    return out;
}

static outcome check_file(const char *path) {
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    outcome out = check_with(pack, 2);
    karst_pack_close(pack);
    return out;
}

// Exactly the kinds of `mask` failed.
static void expect(const outcome *o, unsigned mask, const char *what) {
    for (int kind = 0; kind < o->count; ++kind) {
        const karst_check *c = &o->row[kind];
        bool want = mask >> kind & 1;
        if ((c->failed > 0) != want)
            print_error("%s: %s: %llu of %llu failed: %s\n", what, c->name, (unsigned long long)c->failed,
                        (unsigned long long)c->tried, c->first);
        assert_int_equal(c->failed > 0, want);
        assert_int_equal(c->first[0] != 0, want);
        assert_true(c->tried > 0 && c->failed <= c->tried);
    }
}

static void what_bake_made_passes(void **state) {
    (void)state;
    static const struct {
        int columns, rows;
        bool displaced, holes;
    } scene[] = {{300, 200, true, true}, {257, 129, false, false}, {129, 300, false, true}, {65, 66, true, false}};
    for (size_t i = 0; i < sizeof scene / sizeof *scene; ++i) {
        bake_scene(temp_path("good.kpack"), scene[i].columns, scene[i].rows, scene[i].displaced, scene[i].holes);
        outcome o = check_file(temp_path("good.kpack"));
        expect(&o, 0, "good");
    }
    static const char *const names[] = {"checksums", "borders", "bounds", "errors", "holes", "coverage", "ground"};
    outcome o = check_file(temp_path("good.kpack"));
    for (int kind = 0; kind < o.count; ++kind) assert_string_equal(o.row[kind].name, names[kind]);
}

// ---- one broken thing at a time ------------------------------------------------------------------------

enum { CHUNK = 6 };  // (1, 1) of the 5 x 4 of level 0: neighbours on all sides
enum {
    SUMS = 1,
    BORDERS = 2,
    BOUNDS = 4,
    ERRORS = 8,
    HOLES = 16,
    COVERAGE = 32,
    GROUND = 64,
    MORE = 128
};  // MORE: others too

static void break_nothing(apart *a) {
    (void)a;
}
static void break_edge_vertex(apart *a) {
    a->chunk[0][CHUNK].vertex[33 * 65 + 64].dx += 1;
}
static void break_edge_normal(apart *a) {
    a->chunk[0][CHUNK].normal[64 * 65 + 31] ^= 0x100;
}
static void break_edge_corner(apart *a) {
    a->chunk[1][0].corners.error[4][14] *= 2;
}
static void break_parent_vertex(apart *a) {
    a->chunk[1][0].vertex[20 * 65 + 20].dz += 1;
}
static void break_parent_normal(apart *a) {
    a->chunk[2][0].normal[20 * 65 + 20] ^= 1;
}
static void break_edge_occlusion(apart *a) {
    a->chunk[0][CHUNK].occlusion[11 * KARST_HALF_SIDE + 32] ^= 1;
}
static void break_parent_opacity(apart *a) {
    a->chunk[1][0].transparency[10 * KARST_HALF_SIDE + 20] ^= 1;
}
static void break_padding(apart *a) {
    a->chunk[0][4].vertex[10 * 65 + 60].y += 1;
}
static void break_bounds_low(apart *a) {
    a->bounds[0][CHUNK][1] += 0.25f;
}
static void break_bounds_coarse(apart *a) {
    a->bounds[1][1][3] -= 0.25f;
}
static void break_corner_box(apart *a) {
    for (int c = 0; c < KARST_CORNER_LANES; ++c) a->chunk[0][CHUNK].corners.max_y[c] -= c == 12 ? 0.25f : 0;
}
static void break_reach(apart *a) {
    a->node[0][CHUNK].reach_max[2] -= 0.25f;
}
static void break_reach_of_parent(apart *a) {
    a->node[3][0].reach_min[0] += 0.25f;
}
static void break_corner_error(apart *a) {  // of the finest: all five that follow are still a quarter apart
    for (int k = 1; k <= KARST_PATCH_LEVELS; ++k) a->chunk[0][CHUNK].corners.error[k][12] *= 0.5f;
}
static void break_coarse_error(apart *a) {
    for (int k = 0; k <= KARST_PATCH_LEVELS; ++k) a->chunk[2][0].corners.error[k][12] *= 0.5f;
}
static void break_growth(apart *a) {
    karst_chunk_corners *k = &a->chunk[0][CHUNK].corners;
    k->error[3][12] = k->error[4][12];
}
static void break_node_error(apart *a) {
    a->node[1][0].error *= 0.5f;
}
static void break_node_order(apart *a) {
    a->node[0][CHUNK].error = a->node[3][0].error + 1;
}
static void break_coarse_hole(apart *a) {  // a hole above ground: the other way round cannot be written
    for (int j = 0; j < 64; ++j)
        if (~a->chunk[1][0].hole[j]) {
            a->chunk[1][0].hole[j] |= a->chunk[1][0].hole[j] + 1;
            for (int i = 0; i < 64; ++i)
                if (a->chunk[1][0].hole[j] >> i & 1) {
                    a->chunk[2][0].hole[j / 2] |= UINT64_C(1) << (i / 2);
                    a->chunk[3][0].hole[j / 4] |= UINT64_C(1) << (i / 4);
                }
            return;
        }
    fail();
}
static void break_outside(apart *a) {
    a->chunk[0][4].hole[3] &= ~(UINT64_C(1) << 63);
}
static void break_ground_below_none(apart *a) {
    a->chunk[0][CHUNK].hole[9] = ~a->chunk[0][CHUNK].hole[9];
}
static void break_brother(apart *a) {
    a->chunk[0][0].vertex[33 * 65 + 64].y += 1;
}
static void break_hole_count(apart *a) {
    a->contents.hole_count += 1;
}

static void each_broken_thing_is_found(void **state) {
    (void)state;
    static const struct {
        const char *name;
        void (*breaks)(apart *a);
        unsigned mask;
        const char *says;
    } broken[] = {
        {"nothing", break_nothing, 0, ""},
        {"edge vertex", break_edge_vertex, BORDERS | MORE, "chunks (1, 1) and (2, 1): vertices of their edge differ"},
        {"edge normal", break_edge_normal, BORDERS, "normals of their edge differ"},
        {"edge occlusion", break_edge_occlusion, BORDERS, "occlusion or opacity of their edge differ"},
        {"edge corner", break_edge_corner, BORDERS, "corners of their edge differ"},
        {"bounds", break_bounds_low, BOUNDS, "level 0 chunk (1, 1): its bounds leave out"},
        {"coarse bounds", break_bounds_coarse, BOUNDS, "level 1 chunk (1, 0): its bounds leave out"},
        {"corner box", break_corner_box, BOUNDS, "box of corner (2, 2) leaves out"},
        {"reach", break_reach, BOUNDS, "round it"},
        {"reach of parent", break_reach_of_parent, BOUNDS, "level 3 chunk (0, 0): reach leaves out that of"},
        {"corner error", break_corner_error, ERRORS, "corner (2, 2) says"},
        {"coarse error", break_coarse_error, ERRORS, "level 2 chunk (0, 0): corner (2, 2) says"},
        {"growth", break_growth, ERRORS, "grow by a quarter"},
        {"node error", break_node_error, ERRORS, "level 1 chunk (0, 0): node says"},
        {"node order", break_node_order, ERRORS, "below"},
        {"coarse hole", break_coarse_hole, HOLES, "not those of the level below"},
        {"hole count", break_hole_count, COVERAGE, "do not make"},
    };
    bake_scene(temp_path("whole.kpack"), 300, 200, true, true);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; ++i) {
        apart a;
        take_apart(temp_path("whole.kpack"), &a);
        assert_int_equal(a.contents.level_count, 4);
        broken[i].breaks(&a);
        put_together(temp_path("broken.kpack"), &a);
        throw_away(&a);
        outcome o = check_file(temp_path("broken.kpack"));
        unsigned mask = 0;
        bool said = !broken[i].mask;
        for (int kind = 0; kind < o.count; ++kind) {
            mask |= (o.row[kind].failed > 0) << kind;
            said |= o.row[kind].failed && strstr(o.row[kind].first, broken[i].says);
        }
        if ((mask & broken[i].mask) != (broken[i].mask & ~(unsigned)MORE) || !said || (mask && !broken[i].mask)) {
            print_error("broken: %s: failed %#x, expected %#x\n", broken[i].name, mask, broken[i].mask);
            for (int kind = 0; kind < o.count; ++kind)
                if (o.row[kind].failed) print_error("  %s: %s\n", o.row[kind].name, o.row[kind].first);
            fail();
        }
        if (!(broken[i].mask & MORE)) assert_int_equal(mask, broken[i].mask);
    }
}

// What chunks of one pack share is kept once, so that a file cannot say two things of it.
static void what_contradicts_itself_cannot_be_written(void **state) {
    (void)state;
    static void (*const breaks[])(apart *) = {break_nothing,           break_parent_vertex, break_parent_normal,
                                              break_parent_opacity,    break_padding,       break_outside,
                                              break_ground_below_none, break_brother};
    bake_scene(temp_path("whole.kpack"), 300, 200, true, true);
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; ++i) {
        apart a;
        take_apart(temp_path("whole.kpack"), &a);
        breaks[i](&a);
        karst_report report = {0};
        karst_status status =
            kst_pack_write_chunks(temp_path("never.kpack"), &a.contents, part_of, &a, NULL, &report, NULL, NULL);
        assert_int_equal(status, i ? KARST_ERROR_ARGUMENT : KARST_OK);
        if (i) assert_non_null(strstr(report.message, "never.kpack"));
        throw_away(&a);
    }
}

static void flip(const char *path, uint64_t at) {
    int fd = open(path, O_RDWR);
    uint8_t byte;
    assert_true(pread(fd, &byte, 1, (off_t)at) == 1);
    byte ^= 0x10;
    assert_true(pwrite(fd, &byte, 1, (off_t)at) == 1);
    close(fd);
}

static void damage_is_found_whatever_it_hits(void **state) {
    (void)state;
    const char *path = temp_path("sums.kpack");
    bake_scene(path, 300, 200, true, true);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    const kst_directory *d = &pack->directory;
    size_t padded = d->record_count - 1;
    while (d->records[padded].size % KST_PACK_ALIGN == 0) --padded;
    kst_record_place p = kst_pack_place_of(d, padded);
    char padded_name[64];
    snprintf(padded_name, sizeof padded_name, "level %d chunks from (%d, %d)", p.level, 2 * p.x, 2 * p.z);
    const struct {
        uint64_t at;
        const char *says;
    } hit[] = {
        {20, "header, directory or tables"},
        {KST_PACK_HEADER_BYTES + 100, "header, directory or tables"},
        {d->tables.place + 7, "header, directory or tables"},
        {d->map_spans[0].place + d->map_spans[0].size / 2, "map "},
        {d->records[kst_pack_record_of(d, 0, 2, 1)].place + 9, "level 0 chunks from (2, 0)"},
        {d->records[kst_pack_record_of(d, 1, 2, 1)].place + 3, "level 1 chunks from (2, 0)"},
        {d->records[padded].place + d->records[padded].size, padded_name},  // zeros behind it
    };
    for (size_t i = 0; i < sizeof hit / sizeof *hit; ++i) {
        flip(path, hit[i].at);
        karst_pack *fresh = pack;  // what changed under an open pack; maps and ground are read anew
        if (i >= 3) assert_int_equal(karst_pack_open(path, NULL, &fresh), KARST_OK);
        outcome o = check_with(fresh, 2);
        expect(&o, SUMS, hit[i].says);
        assert_non_null(strstr(o.row[0].first, hit[i].says));
        assert_int_equal(o.row[0].failed, 1);
        if (fresh != pack) karst_pack_close(fresh);
        flip(path, hit[i].at);
    }
    flip(path, d->records[0].place + d->records[0].size - 1);  // without the root nothing can be read
    karst_pack *rootless;
    assert_int_equal(karst_pack_open(path, NULL, &rootless), KARST_OK);
    outcome o = check_with(rootless, 2);
    assert_int_equal(o.row[0].failed, 1);
    assert_non_null(strstr(o.row[0].first, "level 3 chunk (0, 0)"));
    karst_pack_close(rootless);
    karst_pack_close(pack);
}

// ---- a ground that lies ----------------------------------------------------------------------------------

static const karst_ground_table *honest;
static karst_ground_table lying;

static karst_status high_heights(const karst_ground *ground, double x, double z, karst_level *out, int capacity,
                                 int *count) {
    karst_status status = honest->heights(ground, x, z, out, capacity, count);
    for (int i = 0; i < *count && i < capacity; ++i) out[i].y += 2e-3;
    return status;
}

static karst_status short_rays(const karst_ground *ground, const karst_ray *ray, bool any, karst_hit *out) {
    karst_status status = honest->cast(ground, ray, any, out);
    if (out->hit && !any && out->place.column % 8 == 3) *out = (karst_hit){0};
    return status;
}

static karst_status shifted_place(const karst_ground *ground, double x, double z, karst_level *out, int capacity,
                                  int *count) {
    karst_status status = honest->heights(ground, x, z, out, capacity, count);
    for (int i = 0; i < *count && i < capacity; ++i) out[i].place.column ^= 1;
    return status;
}

typedef struct twice_context {
    karst_triangle_fn *fn;
    void *context;
} twice_context;
static bool give_twice(void *context, const karst_triangle *triangles, int count) {
    twice_context *t = context;
    return t->fn(t->context, triangles, count) && t->fn(t->context, triangles, 1);
}
static karst_status triangles_twice(const karst_ground *ground, uint32_t chunk, karst_triangle_fn *fn, void *context) {
    twice_context t = {fn, context};
    return honest->chunk_triangles(ground, chunk, give_twice, &t);
}

static void a_ground_that_lies_is_found(void **state) {
    (void)state;
    const char *path = temp_path("lying.kpack");
    bake_scene(path, 200, 130, true, true);
    for (int lie = 0; lie < 5; ++lie) {
        karst_pack *pack;
        assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
        karst_ground *ground = (karst_ground *)(uintptr_t)karst_pack_ground(pack);
        honest = ground->table;
        lying = *honest;
        if (lie == 1) lying.heights = high_heights;
        if (lie == 2) lying.cast = short_rays;
        if (lie == 3) lying.heights = shifted_place;
        if (lie == 4) lying.chunk_triangles = triangles_twice;
        ground->table = &lying;
        outcome o = check_with(pack, 1);
        static const unsigned mask[] = {0, HOLES | GROUND, HOLES | GROUND, HOLES, COVERAGE};
        expect(&o, mask[lie], "lying ground");
        ground->table = honest;
        karst_pack_close(pack);
    }
}

// ---- how it runs -------------------------------------------------------------------------------------------

static void the_answer_is_the_same_on_any_threads(void **state) {
    (void)state;
    bake_scene(temp_path("whole.kpack"), 300, 200, true, true);
    apart a;
    take_apart(temp_path("whole.kpack"), &a);
    for (int i = 0; i < 20; ++i) {
        if (i % 5 % 2 && i < 15) a.chunk[0][i].vertex[65 * 21 + 64].y += 5;  // where two records meet
        a.chunk[0][i].corners.max_y[13] -= 1;
        uint64_t *hole = &a.chunk[0][i].hole[5];
        if (i % 5 < 4 && i < 15) *hole &= *hole - 1;
    }
    a.node[2][0].error *= 0.5f;
    put_together(temp_path("many.kpack"), &a);
    throw_away(&a);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(temp_path("many.kpack"), NULL, &pack), KARST_OK);
    outcome one = check_with(pack, 1), two = check_with(pack, 2), five = check_with(pack, 5);
    assert_memory_equal(&one, &two, sizeof one);
    assert_memory_equal(&one, &five, sizeof one);
    assert_true(one.row[KST_CHECK_BORDERS].failed > 5);
    karst_pack_close(pack);
}

static bool stop_at(void *context, const char *stage, double share) {
    (void)share;
    return strcmp(stage, context) != 0;
}

static void it_stops_when_asked(void **state) {
    (void)state;
    bake_scene(temp_path("stop.kpack"), 200, 130, false, false);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(temp_path("stop.kpack"), NULL, &pack), KARST_OK);
    static char stages[][10] = {"checksums", "levels", "ground"};
    for (int i = 0; i < 3; ++i) {
        karst_progress progress = {stop_at, stages[i]};
        outcome o = {.count = -1};
        assert_int_equal(karst_pack_check(pack, NULL, &progress, o.row, &o.count), KARST_ERROR_CANCELLED);
        assert_int_equal(o.count, -1);
    }
    karst_pack_close(pack);
}

// Squares of a field too large to look into whole: what is tried of them is as it should be, and less is tried.
static void a_spread_of_chunks_is_enough(void **state) {
    (void)state;
    bake_scene(temp_path("spread.kpack"), 700, 500, false, true);  // 11 x 8 chunks
    karst_pack *pack;
    assert_int_equal(karst_pack_open(temp_path("spread.kpack"), NULL, &pack), KARST_OK);
    uint64_t tried[2][KST_CHECK_KINDS];
    for (int spread = 0; spread < 2; ++spread) {
        kst_tally tally[1][KST_CHECK_KINDS] = {0};
        kst_checking c = {.pack = pack, .tally = tally};
        size_t most = spread ? 20 : 1000;
        assert_int_equal(kst_check_choose(pack, most, 1, &c.chosen, &c.chosen_count, &c.chosen_room), KARST_OK);
        assert_int_equal(c.chosen_count <= 20 && c.chosen_count >= 10, spread);
        for (size_t i = 1; i < c.chosen_count; ++i) assert_true(c.chosen[i - 1] < c.chosen[i]);
        assert_int_equal(kst_check_levels(&c), KARST_OK);
        for (int kind = KST_CHECK_BORDERS; kind <= KST_CHECK_COVERAGE; ++kind) {
            if (tally[0][kind].failed) print_error("%s\n", tally[0][kind].first);
            assert_int_equal(tally[0][kind].failed, 0);
            tried[spread][kind] = tally[0][kind].tried;
            assert_true(tally[0][kind].tried > 0);
            if (spread) assert_true(tried[1][kind] < tried[0][kind]);
        }
        kst_free(NULL, c.chosen, c.chosen_room * sizeof *c.chosen);
    }
    karst_pack_close(pack);
}

static void every_failing_allocation_is_told(void **state) {
    (void)state;
    bake_scene(temp_path("memory.kpack"), 130, 70, false, true);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(temp_path("memory.kpack"), NULL, &pack), KARST_OK);
    int struck_count = 0;
    for (uint64_t n = 1;; n += 1 + n / 16) {
        outcome o;
        kst_alloc_fail_after(n);
        karst_status status = karst_pack_check(pack, NULL, NULL, o.row, &o.count);
        bool struck = kst_alloc_fail_after(0) >= n;
        assert_int_equal(status, struck ? KARST_ERROR_MEMORY : KARST_OK);
        if (!struck) break;
        ++struck_count;
    }
    assert_true(struck_count > 10);
    karst_pack_close(pack);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_bake_made_passes),
        cmocka_unit_test(each_broken_thing_is_found),
        cmocka_unit_test(what_contradicts_itself_cannot_be_written),
        cmocka_unit_test(damage_is_found_whatever_it_hits),
        cmocka_unit_test(a_ground_that_lies_is_found),
        cmocka_unit_test(the_answer_is_the_same_on_any_threads),
        cmocka_unit_test(it_stops_when_asked),
        cmocka_unit_test(a_spread_of_chunks_is_enough),
        cmocka_unit_test(every_failing_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
