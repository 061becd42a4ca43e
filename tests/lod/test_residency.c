// SPDX-License-Identifier: MIT
// Residency of a scene: damage, files that grow, memory, rates, simulation data, and loading beside the caller.
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#include "lod/slots.h"
#include "pack/pack.h"
#include "weld.h"
#include "world.h"

static world hills;
static weld welder;

static int setup(void **state) {
    (void)state;
    hills = world_make("hills.kpack", 390, 260, 4, 3, false, true, (karst_pos){10, 0, -10});
    welder = weld_create();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    weld_destroy(&welder);
    world_free(&hills);
    temp_remove();
    return 0;
}

static karst_view low_view(void) {
    return karst_view_perspective((karst_pos){800, 40, 500}, (karst_pos){0, 0, 0}, (karst_vec3){0, 1, 0}, 1, 1280, 720);
}

static karst_scene *make_scene(karst_pack *pack, karst_jobs *jobs) {
    karst_scene_def def = karst_scene_def_default();
    def.jobs = jobs;
    karst_scene *scene;
    assert_int_equal(karst_scene_create(pack, &def, &scene), KARST_OK);
    return scene;
}

// What a frame draws, whichever slots its chunks are in.
static uint64_t picture_hash(const karst_frame *f) {
    uint64_t h = 0;
    for (int k = 0; k < f->patch_count; ++k) {
        karst_patch p = f->patches[k];
        const karst_frame_chunk *c = &f->chunks[p.chunk_index];
        p.slot = 0;
        const int32_t place[3] = {c->level, c->column, c->row};
        h = kst_hash_u64(h, kst_hash(&p, sizeof p, kst_hash(place, sizeof place, 0)));
    }
    return h;
}

static bool is_closed(const karst_scene *scene, const karst_frame *f) {
    int count;
    karst_drawn_vertex *triangles = scene_expand(f, scene, &count);
    weld_result r = weld_check(&welder, triangles, count, f->lattice.shape);
    free(triangles);
    return count > 0 && !r.open;
}

// ---- damage ------------------------------------------------------------------------------------------

// Is a chunk told as damaged, once, and no other but its siblings and what is below them?
static bool is_told(const karst_frame *f, int level, int32_t x, int32_t z) {
    int told = 0, others = 0;
    for (int k = 0; k < f->damage_count; ++k) {
        const karst_damage *d = &f->damages[k];
        int up = level - d->level;
        told += up == 0 && d->x == x && d->z == z;
        others += up < 0 || d->x >> up >> 1 != x >> 1 || d->z >> up >> 1 != z >> 1;
        for (int n = 0; n < k; ++n)
            others += f->damages[n].level == d->level && f->damages[n].x == d->x && f->damages[n].z == d->z;
    }
    return told == 1 && !others;
}

// Flip a bit of a chunk in a file: of the record that holds it, and its three siblings.
static void spoil(const char *path, const karst_pack *pack, int level, int32_t x, int32_t z) {
    const kst_pack_span *span = &pack->directory.records[kst_pack_record_of(&pack->directory, level, x, z)];
    uint8_t byte;
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0 && pread(fd, &byte, 1, (off_t)(span->place + span->size / 2)) == 1);
    byte ^= 4;
    assert_true(pwrite(fd, &byte, 1, (off_t)(span->place + span->size / 2)) == 1);
    close(fd);
}

static int finest_over(const karst_frame *f, int32_t column, int32_t row) {
    int level = -1;
    for (int k = 0; k < f->chunk_count; ++k) {
        const karst_frame_chunk *c = &f->chunks[k];
        int32_t side = KARST_CHUNK_CELLS << c->level;
        if (column >= c->column && column < c->column + side && row >= c->row && row < c->row + side) level = c->level;
    }
    return level;
}

// A copy of the hills under a name of its own, to be spoiled.
static karst_pack *open_copy(const char *path) {
    size_t size;
    uint8_t *bytes = read_bytes(temp_path("hills.kpack"), &size);
    write_part(path, bytes, 0, size);
    free(bytes);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    return pack;
}

static void a_damaged_chunk_shows_its_parent_and_is_told_once(void **state) {
    const char *path = temp_path("damaged.kpack");
    karst_pack *pack = open_copy(path);
    karst_scene *scene = make_scene(pack, NULL), *sound = make_scene(hills.pack, NULL);
    karst_budget b = world_budget(world_method(state));
    b.full_detail = true;
    b.cull = false;
    b.sim_radius_m = 0;
    karst_view v = low_view();
    karst_frame f, want;
    assert_int_equal(karst_scene_settle(sound, &v, 1, &b, &want), KARST_OK);
    for (int level = 0; level < 2; ++level) {
        karst_scene_destroy(scene);
        karst_pack_close(pack);  // it keeps what it has decoded for a while
        assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
        scene = make_scene(pack, NULL);
        int32_t x = 3 >> level, z = 2 >> level, middle = (KARST_CHUNK_CELLS << level) / 2;
        int32_t column = x * 2 * middle + middle, row = z * 2 * middle + middle;
        spoil(path, pack, level, x, z);
        assert_int_equal(karst_scene_settle(scene, &v, 1, &b, &f), KARST_OK);
        assert_true(is_told(&f, level, x, z));
        assert_int_equal(f.figures.chunks_awaited, 0);
        assert_int_equal(f.figures.kept_damaged, 1);
        assert_true(is_closed(scene, &f));
        assert_int_equal(finest_over(&f, column, row), level + 1);
        assert_int_equal(finest_over(&want, column, row), 0);  // the control
        assert_int_equal(karst_scene_settle(scene, &v, 1, &b, &f), KARST_OK);
        assert_int_equal(f.damage_count, 0);
        assert_int_equal(f.figures.kept_damaged, 1);
        spoil(path, pack, level, x, z);  // flipped back: mended
        karst_scene_retry(scene);
        assert_int_equal(karst_scene_settle(scene, &v, 1, &b, &f), KARST_OK);
        assert_true(!f.damage_count && !f.figures.kept_damaged);
        assert_true(picture_hash(&f) == picture_hash(&want));
    }
    karst_scene_destroy(scene);
    karst_scene_destroy(sound);
    karst_pack_close(pack);
}

// Near a viewer the chunk is wanted for queries too; it is one damage all the same, and the picture does not wait.
static void damage_near_a_viewer_is_one_damage(void **state) {
    (void)state;
    const char *path = temp_path("near.kpack");
    karst_pack *pack = open_copy(path);
    spoil(path, pack, 0, 3, 1);
    karst_scene *scene = make_scene(pack, NULL);
    karst_budget b = karst_budget_default();
    b.sim_radius_m = 400;
    b.error_px = 0.01f;
    karst_view v = low_view();
    karst_frame f;
    assert_int_equal(karst_scene_settle(scene, &v, 1, &b, &f), KARST_OK);
    assert_true(is_told(&f, 0, 3, 1));
    int32_t finest = 99;
    for (int k = 0; k < f.chunk_count; ++k)
        if (f.chunks[k].level < finest) finest = f.chunks[k].level;
    assert_int_equal(finest, 0);
    karst_scene_destroy(scene);
    karst_pack_close(pack);
}

static void a_damaged_root_is_an_error_and_no_frame(void **state) {
    (void)state;
    const char *path = temp_path("root.kpack");
    karst_pack *pack = open_copy(path);
    int root = karst_pack_info_of(pack).level_count - 1;
    spoil(path, pack, root, 0, 0);
    karst_scene *scene = make_scene(pack, NULL);
    karst_view v = low_view();
    karst_frame f = {.patch_count = -7};
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(karst_scene_settle(scene, &v, 1, NULL, &f), KARST_ERROR_FORMAT);
        assert_int_equal(f.patch_count, -7);
    }
    spoil(path, pack, root, 0, 0);
    assert_int_equal(karst_scene_settle(scene, &v, 1, NULL, &f), KARST_OK);
    assert_true(f.patch_count > 0);
    karst_scene_destroy(scene);
    karst_pack_close(pack);
}

// ---- growth ------------------------------------------------------------------------------------------

static void a_growing_pack_is_drawn_closed_and_ends_whole(void **state) {
    const char *path = temp_path("growing.kpack");
    unlink(path);
    size_t size;
    uint8_t *bytes = read_bytes(temp_path("hills.kpack"), &size);
    karst_budget b = world_budget(world_method(state));
    b.error_px = 0.05f;
    b.cull = false;
    karst_view v = low_view();
    karst_scene *sound = make_scene(hills.pack, NULL);
    karst_frame f, want;
    assert_int_equal(karst_scene_settle(sound, &v, 1, &b, &want), KARST_OK);
    uint64_t want_hash = picture_hash(&want);
    karst_scene_destroy(sound);
    karst_pack *pack = NULL;
    karst_scene *scene = NULL;
    int closed = 0, coarse = 0, refused = 0;
    for (size_t have = 0, step = size / 41; have < size;) {
        size_t next = have + step < size ? have + step : size;
        write_part(path, bytes, have, next);
        have = next;
        karst_pack_def def = karst_pack_def_default();
        def.partial = true;
        karst_status status = pack ? KARST_OK : karst_pack_open(path, &def, &pack);
        if (!status && !scene) scene = make_scene(pack, NULL);
        if (!status) status = karst_scene_settle(scene, &v, 1, &b, &f);
        if (status) {
            assert_int_equal(status, KARST_ERROR_PENDING);
            ++refused;
            continue;
        }
        assert_true(!f.damage_count && !f.figures.chunks_awaited);
        assert_true((have == size) == !f.figures.kept_pending || !f.figures.kept_pending);
        closed += is_closed(scene, &f);
        coarse += f.figures.kept_pending > 0;
        assert_int_equal(closed + refused, (int)((have + step - 1) / step));
    }
    assert_true(refused > 0 && coarse > 5);
    assert_int_equal(f.figures.kept_pending, 0);
    assert_true(picture_hash(&f) == want_hash);
    karst_scene_destroy(scene);
    karst_pack_close(pack);
    assert_true(same_bytes(path, temp_path("hills.kpack")));
    free(bytes);
}

// ---- memory and rates ----------------------------------------------------------------------------------

static _Atomic int64_t balance, most, made;
static void *count_alloc(size_t bytes, void *context) {
    (void)context;
    int64_t now = atomic_fetch_add(&balance, (int64_t)bytes) + (int64_t)bytes;
    if (now > most) most = now;
    ++made;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}
static void count_free(void *memory, size_t bytes, void *context) {
    (void)context;
    atomic_fetch_sub(&balance, (int64_t)bytes);
    free(memory);
}

// Walk about in a scene with so much memory; the most that its chunks took, by the host's own books.
static int64_t walk(uint64_t memory_bytes, float sim_radius_m, int steps, int *left_out) {
    karst_allocator allocator = {count_alloc, count_free, NULL};
    karst_pack_def pack_def = karst_pack_def_default();
    pack_def.allocator = &allocator;
    pack_def.ground_bytes = 0;  // what is held alone
    karst_pack *pack;
    assert_int_equal(karst_pack_open(temp_path("hills.kpack"), &pack_def, &pack), KARST_OK);
    karst_scene_def def = karst_scene_def_default();
    def.allocator = &allocator;
    def.memory_bytes = memory_bytes;
    karst_scene *scene;
    assert_int_equal(karst_scene_create(pack, &def, &scene), KARST_OK);
    int64_t empty = balance;
    most = 0;
    for (prop p = prop_begin("residency_walk", 8 * steps); prop_next(&p);) {
        karst_view v[2] = {world_view(&p, &hills), world_view(&p, &hills)};
        karst_budget b = karst_budget_default();
        b.sim_radius_m = sim_radius_m;
        b.load_limit = prop_int(&p, 1, 30);
        b.error_px = (float)prop_real(&p, 0.2, 4);
        karst_frame f;
        prop_check(&p, !karst_scene_update(scene, v, 2, &b, &f));
        prop_check(&p, f.figures.resident_bytes <= memory_bytes);
        *left_out += f.figures.kept_for_memory;
    }
    karst_scene_destroy(scene);
    karst_pack_close(pack);
    assert_int_equal(balance, 0);
    return most - empty;
}

static void memory_is_never_exceeded(void **state) {
    (void)state;
    int left_out = 0, none = 0;
    const int64_t memory = 1200000, lists = 2200000;  // of the frame, of methods, a decoder, what it keeps
    int64_t tight = walk((uint64_t)memory, 300, 20, &left_out), loose = walk(UINT64_C(1) << 28, 300, 20, &none);
    assert_true(tight <= memory + lists && left_out > 0);
    assert_true(loose > memory + lists + 1000000);  // the control: there is more to load
}

static void rates_are_kept(void **state) {
    (void)state;
    karst_view v = low_view();
    karst_budget b = karst_budget_default();
    b.error_px = 0.2f;
    b.sim_radius_m = 0;
    int uploads[4] = {0};
    for (int k = 0; k < 4; ++k) {
        karst_scene *scene = make_scene(hills.pack, NULL);
        b.load_limit = k == 1 ? 3 : 1000;
        b.load_bytes = k == 2 ? 3 * kst_slots_chunk_bytes() : 0;
        b.load_ms = k == 3 ? 0.001f : 0;
        karst_frame f;
        assert_int_equal(karst_scene_update(scene, &v, 1, &b, &f), KARST_OK);
        uploads[k] = f.upload_count;
        karst_scene_destroy(scene);
    }
    assert_true(uploads[0] > 10);  // the control
    assert_int_equal(uploads[1], 3);
    assert_int_equal(uploads[2], 3);
    assert_int_equal(uploads[3], 1);
}

static void an_update_allocates_nothing_after_warm_up(void **state) {
    (void)state;
    karst_scene *scene = make_scene(hills.pack, NULL);
    karst_budget b = world_budget(world_method(state));
    karst_frame f;
    uint64_t first = 0;
    for (int turn = 0; turn < 3; ++turn) {
        kst_alloc_fail_after(0);
        for (prop p = prop_begin("residency_warm", 40); prop_next(&p);) {
            karst_view v = world_view(&p, &hills);
            prop_check(&p, !karst_scene_update(scene, &v, 1, &b, &f));
        }
        uint64_t allocations = kst_alloc_fail_after(0);
        if (!turn) first = allocations;
        if (turn == 2) assert_int_equal(allocations, 0);
    }
    assert_true(first > 10);  // the control
    karst_scene_destroy(scene);
}

// ---- simulation data -------------------------------------------------------------------------------------

// Round the eye queries find their ground decoded, however little of it the pack would keep.
static void ground_near_viewers_is_held(void **state) {
    (void)state;
    karst_pack_def def = karst_pack_def_default();
    def.ground_bytes = 0;
    karst_pack *pack;
    assert_int_equal(karst_pack_open(temp_path("hills.kpack"), &def, &pack), KARST_OK);
    size_t empty = karst_ground_memory(karst_pack_ground(pack));
    karst_scene *scene = make_scene(pack, NULL);
    karst_view v = low_view();
    karst_budget b = karst_budget_default();
    double y;
    karst_frame f;
    for (int held = 0; held < 2; ++held) {
        b.sim_radius_m = held ? 200 : 0;
        assert_int_equal(karst_scene_settle(scene, &v, 1, &b, &f), KARST_OK);
        kst_alloc_fail_after(0);
        int there = 0;
        for (int k = 0; k < 50; ++k)
            there += karst_scene_height(scene, v.eye.x + 3 * (k % 7) - 10, v.eye.z + 2 * (k / 7) - 7, &y);
        assert_true(there > 30);
        uint64_t made_here = kst_alloc_fail_after(0);
        if (held)
            assert_int_equal(made_here, 0);
        else
            assert_true(made_here > 30);  // the control
    }
    assert_true(karst_ground_memory(karst_pack_ground(pack)) > empty);
    karst_scene_destroy(scene);
    assert_int_equal(karst_ground_memory(karst_pack_ground(pack)), empty);
    karst_pack_close(pack);
}

// The picture over a place does not get finer while the ground there is still to come.
static void simulation_comes_before_the_picture(void **state) {
    (void)state;
    karst_scene *scene = make_scene(hills.pack, NULL);
    karst_view v = low_view();
    karst_budget b = karst_budget_default();
    b.load_limit = 2;
    b.sim_radius_m = 300;
    karst_frame f;
    int coarse = 0;
    for (int k = 0; k < 400; ++k) {
        assert_int_equal(karst_scene_update(scene, &v, 1, &b, &f), KARST_OK);
        int column = (int)((v.eye.x - 10) / 4), row = (int)((v.eye.z + 10) / 4);
        if (finest_over(&f, column, row) < hills.info.level_count - 1) break;
        ++coarse;
        if (!f.figures.chunks_awaited) break;
    }
    assert_true(coarse > 2);  // ground of several chunks came first
    // By now it is held: a scene's own count of bytes is more than the chunks that were uploaded take.
    assert_true(f.figures.resident_bytes > 4 * (uint64_t)karst_pack_hold_bytes(hills.pack));
    karst_scene_destroy(scene);
}

// ---- beside the caller -------------------------------------------------------------------------------------

static void loads_beside_the_caller_end_in_the_same_picture(void **state) {
    karst_jobs_def jobs_def = karst_jobs_def_default();
    jobs_def.worker_count = 4;
    karst_jobs *jobs;
    assert_int_equal(karst_jobs_create(&jobs_def, &jobs), KARST_OK);
    karst_pack_def def = karst_pack_def_default();
    def.ground_bytes = 300000;  // chunks come and go under the queries
    karst_pack *pack;
    assert_int_equal(karst_pack_open(temp_path("hills.kpack"), &def, &pack), KARST_OK);
    karst_scene *scene = make_scene(pack, jobs), *sound = make_scene(hills.pack, NULL);
    karst_budget b = world_budget(world_method(state));
    b.sim_radius_m = 250;
    int waited = 0;
    for (prop p = prop_begin("residency_beside", 12); prop_next(&p);) {
        karst_view v = world_view(&p, &hills);
        karst_frame f, want;
        b.load_limit = prop_int(&p, 1, 40);
        for (int k = 0;; ++k) {
            prop_check(&p, k < 100000 && !karst_scene_update(scene, &v, 1, &b, &f));
            double mine, theirs, x = prop_real(&p, 20, 1500), z = prop_real(&p, 0, 1000);
            bool here = karst_scene_height(scene, x, z, &mine);
            prop_check(&p, here == karst_scene_height(sound, x, z, &theirs) && (!here || mine == theirs));
            if (!f.figures.chunks_awaited) break;
            ++waited;
        }
        prop_check(&p, !karst_scene_settle(sound, &v, 1, &b, &want));
        prop_check(&p, picture_hash(&f) == picture_hash(&want));
        if (prop_chance(&p, 0.5)) continue;
        karst_view other = world_view(&p, &hills);  // left with loads on their way
        prop_check(&p, !karst_scene_update(scene, &other, 1, &b, &f));
        if (prop_chance(&p, 0.5)) {
            karst_scene_destroy(scene);
            scene = make_scene(pack, jobs);
        }
    }
    assert_true(waited > 0);
    karst_scene_destroy(scene);
    karst_scene_destroy(sound);
    karst_pack_close(pack);
    karst_jobs_destroy(jobs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        EVERY_METHOD(a_damaged_chunk_shows_its_parent_and_is_told_once),
        cmocka_unit_test(damage_near_a_viewer_is_one_damage),
        cmocka_unit_test(a_damaged_root_is_an_error_and_no_frame),
        EVERY_METHOD(a_growing_pack_is_drawn_closed_and_ends_whole),
        cmocka_unit_test(memory_is_never_exceeded),
        cmocka_unit_test(rates_are_kept),
        EVERY_METHOD(an_update_allocates_nothing_after_warm_up),
        cmocka_unit_test(ground_near_viewers_is_held),
        cmocka_unit_test(simulation_comes_before_the_picture),
        EVERY_METHOD(loads_beside_the_caller_end_in_the_same_picture),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
