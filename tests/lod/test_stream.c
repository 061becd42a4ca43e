// SPDX-License-Identifier: MIT
// Streaming: whatever loads do and wherever viewers leap, the picture is whole, memory suffices, and all comes in time.
#include "scenes/streaming.h"
#include "support/prop.h"

enum { TICKS_A_WORLD = 250, WARM_UP = 150 };

// KARST_TEST_TICKS asks for any number of ticks; 10,000 by default.
static int worlds_wanted(void) {
    const char *e = getenv("KARST_TEST_TICKS");
    return e ? (atoi(e) + TICKS_A_WORLD - 1) / TICKS_A_WORLD : 10000 / TICKS_A_WORLD;
}

static scene_stream_def random_world(prop *p) {
    return (scene_stream_def){.chunks_x = prop_int(p, 3, 40),
                              .chunks_z = prop_int(p, 3, 40),
                              .delay_max = prop_int(p, 1, SCENE_STREAM_DELAY_MAX),
                              .damaged = prop_chance(p, 0.5) ? prop_real(p, 0, 0.03) : 0,
                              .late = prop_chance(p, 0.3) ? prop_real(p, 0, 0.2) : 0,
                              .dropped = prop_chance(p, 0.3) ? prop_real(p, 0, 0.3) : 0,
                              .apart = prop_int(p, 0, 2),
                              .leap = prop_real(p, 0, 0.05),
                              .reach = prop_real(p, 1, 2.5),
                              .sim_radius = prop_real(p, 0, 4),
                              .memory_bytes = (uint64_t)prop_real(p, 5e5, 3e7),
                              .rate_bytes = (uint64_t)prop_real(p, 1e4, 3e6),
                              .seed = prop_u64(p)};
}

static int64_t sum_of(const scene_stream_faults *f) {
    return f->uncovered + f->over_budget + f->absent + f->evicted + f->orphan + f->apart + f->early + f->misreported +
           f->misstated;
}

static void no_tick_breaks_a_rule(void **state) {
    (void)state;
    int64_t shown = 0, evicted = 0, failed = 0, left_out = 0, ticks = 0;
    for (prop p = prop_begin("stream_rules", worlds_wanted()); prop_next(&p);) {
        scene_stream_def def = random_world(&p);
        scene_stream *w = scene_stream_create(&def);
        for (int k = 0; k < TICKS_A_WORLD; ++k, ++ticks) {
            kst_stream_out out;
            if (k == 200) scene_stream_mend(w);
            prop_check(&p, !scene_stream_step(w, false, &out));
            shown += out.shown_count;
            evicted += out.evicted_count;
            failed += out.failed_count;
            left_out += out.left_out;
        }
        const scene_stream_faults *f = scene_stream_faults_of(w);
        if (sum_of(f))
            print_error(
                "uncovered %d over %d absent %d evicted %d orphan %d apart %d early %d misreported %d "
                "misstated %d\n",
                (int)f->uncovered, (int)f->over_budget, (int)f->absent, (int)f->evicted, (int)f->orphan, (int)f->apart,
                (int)f->early, (int)f->misreported, (int)f->misstated);
        prop_check(&p, sum_of(f) == 0);
        scene_stream_destroy(w);
    }
    assert_true(shown > 10 * ticks && evicted > ticks / 4);  // something happened
    assert_true(failed > 0 && left_out > 0);
}

// The judge of the test above sees through machines that break a rule.
static void every_cheat_is_seen(void **state) {
    (void)state;
    for (int cheat = SCENE_STREAM_EARLY; cheat < SCENE_STREAM_CHEATS; ++cheat) {
        scene_stream_faults all = {0};
        for (int world = 0; world < 8; ++world) {
            prop p = prop_begin("stream_cheats", 1);
            p.at = world;
            scene_stream_def def = random_world(&p);
            def.delay_max = 4;
            def.sim_radius = 1.5;
            def.reach = 2;
            def.leap = 0.01;
            def.damaged = def.late = def.dropped = 0;
            def.memory_bytes = 4000000;
            def.rate_bytes = 2000000;
            def.chunks_x = def.chunks_z = 30;
            def.cheat = (scene_stream_cheat)cheat;
            scene_stream *w = scene_stream_create(&def);
            for (int k = 0; k < TICKS_A_WORLD; ++k) {
                kst_stream_out out;
                prop_check(&p, !scene_stream_step(w, false, &out));
            }
            const scene_stream_faults *f = scene_stream_faults_of(w);
            all.absent += f->absent;
            all.early += f->early;
            all.over_budget += f->over_budget;
            all.uncovered += f->uncovered;
            scene_stream_destroy(w);
        }
        if (cheat == SCENE_STREAM_EARLY) assert_true(all.absent > 0);
        if (cheat == SCENE_STREAM_SIM_EARLY) assert_true(all.early > 0);
        if (cheat == SCENE_STREAM_GREEDY) assert_true(all.over_budget > 0);
        if (cheat == SCENE_STREAM_GAP || cheat == SCENE_STREAM_TWICE) assert_true(all.uncovered > 0);
        if (cheat == SCENE_STREAM_EVICT) assert_true(all.absent > 0);
    }
}

// Once the viewers stand still: all that is missing over the rate, and the time that loads take.
static void it_settles_in_missing_bytes_over_rate(void **state) {
    (void)state;
    int slow = 0;
    for (prop p = prop_begin("stream_settles", 60); prop_next(&p);) {
        scene_stream_def def = random_world(&p);
        def.dropped = 0;
        if (prop_chance(&p, 0.5)) def.delay_max = 1;
        scene_stream *w = scene_stream_create(&def);
        kst_stream_out out;
        for (int k = 0; k < 60; ++k) prop_check(&p, !scene_stream_step(w, false, &out));
        // Loads of other places come in first; they may hold memory.
        for (int k = 0; k < def.delay_max; ++k) prop_check(&p, !scene_stream_step(w, true, &out));
        uint64_t missing = scene_stream_missing(w);
        int bound = (int)((missing + def.rate_bytes - 1) / def.rate_bytes) + def.delay_max + 1, ticks = 0;
        while (out.awaited && ticks <= bound) {
            prop_check(&p, !scene_stream_step(w, true, &out));
            ++ticks;
        }
        prop_check(&p, ticks <= bound && !out.awaited);
        prop_check(&p, scene_stream_is_settled(w, &out));
        slow += ticks > 2;
        // And it stays so.
        uint64_t bytes = out.bytes;
        prop_check(&p, !scene_stream_step(w, true, &out));
        prop_check(&p, !out.request_count && !out.evicted_count && out.bytes == bytes);
        scene_stream_destroy(w);
    }
    assert_true(slow > 0);
}

static void what_is_mended_comes_when_asked_again(void **state) {
    (void)state;
    int coarse = 0;
    for (prop p = prop_begin("stream_mends", 20); prop_next(&p);) {
        scene_stream_def def = random_world(&p);
        def.damaged = 0.05;
        def.late = 0.05;
        def.dropped = 0;
        def.memory_bytes = 200000000;
        def.rate_bytes = 10000000;
        scene_stream *w = scene_stream_create(&def);
        kst_stream_out out;
        for (int k = 0; k < 100; ++k) prop_check(&p, !scene_stream_step(w, true, &out));
        coarse += out.kept_coarse + out.kept_later;
        prop_check(&p, !out.awaited && !out.left_out);
        prop_check(&p, scene_stream_is_settled(w, &out));
        scene_stream_mend(w);
        for (int k = 0; k < 100; ++k) prop_check(&p, !scene_stream_step(w, true, &out));
        prop_check(&p, !out.kept_coarse && !out.kept_later && scene_stream_is_settled(w, &out));
        prop_check(&p, sum_of(scene_stream_faults_of(w)) == 0);
        scene_stream_destroy(w);
    }
    assert_true(coarse > 20);
}

static void the_order_of_arrivals_does_not_matter(void **state) {
    (void)state;
    for (prop p = prop_begin("stream_order", 12); prop_next(&p);) {
        scene_stream_def def = random_world(&p);
        def.delay_max = 6;
        uint64_t want = 0;
        for (uint64_t turn = 0; turn < 3; ++turn) {
            scene_stream *w = scene_stream_create(&def);
            scene_stream_shuffle(w, turn);
            kst_stream_out out;
            for (int k = 0; k < 120; ++k) prop_check(&p, !scene_stream_step(w, false, &out));
            if (!turn) want = scene_stream_hash(w);
            prop_check(&p, scene_stream_hash(w) == want);
            scene_stream_destroy(w);
        }
    }
}

static void a_tick_allocates_nothing_after_warm_up(void **state) {
    (void)state;
    scene_stream_def def = {.chunks_x = 64,
                            .chunks_z = 64,
                            .delay_max = 5,
                            .leap = 0.02,
                            .reach = 2,
                            .sim_radius = 3,
                            .memory_bytes = 20000000,
                            .rate_bytes = 1000000,
                            .seed = 7};
    scene_stream *w = scene_stream_create(&def);
    kst_stream_out out;
    for (int k = 0; k < WARM_UP; ++k) assert_int_equal(scene_stream_step(w, false, &out), KARST_OK);
    assert_true(kst_alloc_fail_after(0) > 5);  // the control: creation and warm-up do
    for (int k = 0; k < 1000; ++k) assert_int_equal(scene_stream_step(w, false, &out), KARST_OK);
    assert_int_equal(kst_alloc_fail_after(0), 0);
    scene_stream_destroy(w);
}

// Every allocation fails in turn: creation says so, and a tick that fails has changed nothing.
static void a_lack_of_memory_changes_nothing(void **state) {
    (void)state;
    kst_stream_def def = {.tree = {.level_count = 3, .grid_x = {4, 2, 1}, .grid_z = {4, 2, 1}},
                          .limit = {[KST_VISUAL] = 30, [KST_SIM] = 4},
                          .chunk_bytes = {[KST_VISUAL] = 10, [KST_SIM] = 10}};
    int refused = 0;
    for (uint64_t n = 1; n < 100; ++n) {
        kst_stream s;
        kst_alloc_fail_after(n);
        karst_status status = kst_stream_create(&s, &def);
        const kst_split root = {2, 0, 0, INFINITY};
        kst_stream_in in = {.splits = &root, .split_count = 1, .memory_bytes = 1000, .rate_bytes = 1000};
        kst_stream_out out = {.awaited = -7};
        if (!status) {
            uint32_t tick = s.tick;
            status = kst_stream_tick(&s, &in, &out);
            if (status) assert_true(out.awaited == -7 && s.tick == tick && s.bytes == 0);
            kst_alloc_fail_after(0);
            if (status) assert_int_equal(kst_stream_tick(&s, &in, &out), KARST_OK);
            assert_int_equal(out.request_count, 5);
            kst_stream_destroy(&s);
        }
        kst_alloc_fail_after(0);
        refused += status == KARST_ERROR_MEMORY;
        if (!status) break;
    }
    assert_true(refused > 5);
}

// The states of one chunk, one after the other.
static void a_chunk_goes_through_its_states(void **state) {
    (void)state;
    kst_stream_def def = {.tree = {.level_count = 2, .grid_x = {2, 1}, .grid_z = {1, 1}},
                          .limit = {[KST_VISUAL] = 8, [KST_SIM] = 2},
                          .chunk_bytes = {[KST_VISUAL] = 10, [KST_SIM] = 10}};
    kst_stream s;
    assert_int_equal(kst_stream_create(&s, &def), KARST_OK);
    const kst_split root = {1, 0, 0, 1};
    const kst_sim_want sim = {0, 0, 1};
    kst_stream_in in = {.splits = &root,
                        .split_count = 1,
                        .sims = &sim,
                        .sim_count = 1,
                        .memory_bytes = 1000,
                        .sim_bytes = 100,
                        .rate_bytes = 10};
    kst_stream_out out;
    kst_arrival a[4];
#define STATE(kind, level, x) kst_stream_state_of(&s, kind, level, x, 0)
    assert_int_equal(kst_stream_tick(&s, &in, &out), KARST_OK);  // the root comes first
    assert_int_equal(out.shown_count, 0);
    assert_int_equal(STATE(KST_VISUAL, 1, 0), KST_LOADING);
    assert_int_equal(STATE(KST_SIM, 0, 0), KST_WANTED);
    assert_int_equal(STATE(KST_VISUAL, 0, 1), KST_WANTED);
    a[0] = (kst_arrival){KST_VISUAL, out.requests[0].slot, KST_LOAD_DONE, 7};
    in.arrivals = a;
    in.arrival_count = 1;
    in.rate_bytes = 30;
    assert_int_equal(kst_stream_tick(&s, &in, &out), KARST_OK);  // then simulation data, and what there is to see
    assert_int_equal(out.request_count, 3);
    assert_int_equal(out.requests[0].kind, KST_SIM);
    assert_int_equal(out.bytes, 37);
    assert_int_equal(STATE(KST_VISUAL, 1, 0), KST_SHOWN);
    int32_t sim_slot = out.requests[0].slot;
    for (int k = 0; k < 2; ++k) a[k] = (kst_arrival){KST_VISUAL, out.requests[k + 1].slot, KST_LOAD_DONE, 10};
    in.arrival_count = 2;
    assert_int_equal(kst_stream_tick(&s, &in, &out), KARST_OK);  // the picture waits for the simulation
    assert_int_equal(STATE(KST_VISUAL, 0, 0), KST_READY);
    assert_int_equal(STATE(KST_VISUAL, 1, 0), KST_SHOWN);
    assert_int_equal(out.awaited, 1);
    a[0] = (kst_arrival){KST_SIM, sim_slot, KST_LOAD_FAILED, 0};
    in.arrival_count = 1;
    assert_int_equal(kst_stream_tick(&s, &in, &out), KARST_OK);  // not for ever
    assert_int_equal(out.failed_count, 1);
    assert_int_equal(STATE(KST_SIM, 0, 0), KST_FAILED);
    assert_int_equal(STATE(KST_VISUAL, 0, 0), KST_SHOWN);
    assert_int_equal(STATE(KST_VISUAL, 1, 0), KST_READY);
    assert_true(kst_stream_is_open(&s, 1, 0, 0) && kst_stream_slot(&s, 0, 0, 0) >= 0);
    in.split_count = in.arrival_count = 0;
    assert_int_equal(kst_stream_tick(&s, &in, &out), KARST_OK);  // looked away
    assert_int_equal(STATE(KST_VISUAL, 0, 0), KST_LEAVING);
    assert_int_equal(STATE(KST_VISUAL, 1, 0), KST_SHOWN);
    assert_int_equal(out.failed_count, 0);  // told once
    in.memory_bytes = 20;
    in.sim_bytes = 0;
    assert_int_equal(kst_stream_tick(&s, &in, &out), KARST_OK);
    assert_int_equal(out.evicted_count, 1);
    assert_int_equal(STATE(KST_VISUAL, 0, out.evicted[0].x), KST_ABSENT);
    kst_stream_retry(&s, KST_FAILED);
    assert_int_equal(STATE(KST_SIM, 0, 0), KST_ABSENT);
    kst_stream_destroy(&s);
#undef STATE
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_goes_through_its_states),
        cmocka_unit_test(no_tick_breaks_a_rule),
        cmocka_unit_test(every_cheat_is_seen),
        cmocka_unit_test(it_settles_in_missing_bytes_over_rate),
        cmocka_unit_test(what_is_mended_comes_when_asked_again),
        cmocka_unit_test(the_order_of_arrivals_does_not_matter),
        cmocka_unit_test(a_tick_allocates_nothing_after_warm_up),
        cmocka_unit_test(a_lack_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
