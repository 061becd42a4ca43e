// SPDX-License-Identifier: MIT
// Planes: what is coded comes back within its bound, alike for every vector width and on both sides of a border.
#include "pack/plane.h"
#include "support/prop.h"

enum { FINE = KST_FINE_SIDE * KST_FINE_SIDE, ROOM = KST_PLANE_NUMBERS * 10 };

typedef struct bench_top {  // a record on the way through
    int32_t fine[FINE], coarse[KST_NODE_SIDE * KST_NODE_SIDE], back[FINE];
    kst_plane plane, other;
    kst_plane_target target;
    kst_plane_numbers numbers;
    uint64_t known[KST_PLANE_ROWS];
    kst_rans_counts counts;
    kst_rans_model model, read;
    kst_rans_codes codes;
    kst_rans_slots slots;
    uint8_t bytes[ROOM + KST_RANS_PAD];
    size_t size;
    uint8_t load[KST_RANS_LOAD];
} bench_top;

static bench_top *new_top(void) {
    bench_top *t = kst_alloc_zero(NULL, sizeof *t);
    assert_non_null(t);
    return t;
}

typedef enum ground_kind { HILLS, STEEP, NOISE, FLAT, KINDS } ground_kind;

static int32_t ground(ground_kind kind, uint64_t seed, int64_t i, int64_t j) {
    uint64_t r = kst_random(seed, (uint64_t)(j * 100003 + i));
    double y = 300 * sin((double)i / 90) * cos((double)j / 70) + 40 * sin((double)(i + j) / 9);
    switch (kind) {
        case HILLS:
            return (int32_t)(y + (double)(r % 8));
        case STEEP:
            return (int32_t)(y * 400 + (double)(r % 3000));
        case NOISE:
            return (int32_t)(uint32_t)r;
        default:
            return 77;
    }
}

// Vertices of the node that begins at (column, row) of the fine level.
static void take_ground(bench_top *t, ground_kind kind, uint64_t seed, int column, int row) {
    for (int j = 0; j < KST_FINE_SIDE; ++j)
        for (int i = 0; i < KST_FINE_SIDE; ++i)
            t->fine[j * KST_FINE_SIDE + i] = ground(kind, seed, column + i, row + j);
    for (int j = 0; j < KST_NODE_SIDE; ++j)
        for (int i = 0; i < KST_NODE_SIDE; ++i)
            t->coarse[j * KST_NODE_SIDE + i] = t->fine[2 * j * KST_FINE_SIDE + 2 * i];
}

static void begin(bench_top *t, bool wide) {
    kst_plane_sort(t->fine, KST_FINE_SIDE, &t->target);
    t->plane.wide = wide;
    t->plane.base = kst_plane_base(t->coarse, KST_NODE_SIDE);
    kst_plane_load(&t->plane, t->coarse, KST_NODE_SIDE);
}

static void fit(bench_top *t, int32_t unit, kst_plane_weights *out) {
    kst_plane *plane = &t->plane;
    const kst_plane_target *target = &t->target;
    assert_int_equal(kst_plane_fit(&plane, &target, 1, unit, out), KARST_OK);
}

static void encode(bench_top *t, const kst_plane_kernels *kernels) {
    for (int pass = 0; pass < KST_PASSES; ++pass) kernels->encode(&t->plane, &t->target, pass, &t->numbers);
}

static void write_stream(bench_top *t, bool open) {
    static const uint8_t load[KST_RANS_LOAD] = {1, 2, 3};
    memset(&t->counts, 0, sizeof t->counts);
    kst_rans_count(&t->counts, t->numbers.number, t->numbers.table, open ? KST_PLANE_NUMBERS / 8 : KST_PLANE_NUMBERS);
    kst_rans_model_make(&t->counts, open, &t->model);
    kst_rans_codes_make(&t->model, &t->codes);
    kst_rans_slots_make(&t->model, &t->slots);
    kst_rans_run run = {t->numbers.number, t->numbers.table, KST_PLANE_NUMBERS, &t->codes};
    t->size = kst_rans_encode(&run, 1, load, t->bytes, ROOM);
    assert_true(t->size > 0);
}

static bool decode(bench_top *t, const kst_plane_kernels *kernels, const kst_plane_weights *weights) {
    kst_unrans u;
    t->other.weights = *weights;
    t->other.wide = t->plane.wide;
    t->other.base = t->plane.base;
    t->other.known = t->plane.known;
    kst_plane_load(&t->other, t->coarse, KST_NODE_SIDE);
    bool good = kst_unrans_begin(&u, t->bytes, t->size) && kernels->decode(&t->other, &u, &t->slots) &&
                kst_unrans_end(&u, t->load);
    if (good) kst_plane_weave(&t->other, t->back, KST_FINE_SIDE);
    return good;
}

static void every_kernel_gives_the_same_bits_within_the_bound(void **state) {
    (void)state;
    const kst_plane_kernels *all[4];
    int kernels = kst_plane_kernels_all(all);
    bench_top *t = new_top();
    int32_t *first = malloc(sizeof t->back);
    for (prop p = prop_begin("plane_kernels", 60); prop_next(&p);) {
        ground_kind kind = (ground_kind)(p.at % KINDS);
        int32_t unit = kind == NOISE ? 1 : 1 + 2 * prop_int(&p, 0, 7);
        take_ground(t, kind, p.seed + (uint64_t)p.at, prop_int(&p, 0, 1000), prop_int(&p, 0, 1000));
        kst_plane_sort(t->fine, KST_FINE_SIDE, &t->target);
        bool narrow = kst_plane_is_narrow(t->coarse, KST_NODE_SIDE, &t->target);
        prop_check(&p, narrow == (kind == HILLS || kind == FLAT));
        begin(t, !narrow || prop_chance(&p, 0.3));
        for (int r = 0; r < KST_PLANE_ROWS; ++r) t->known[r] = prop_u64(&p) & prop_u64(&p);
        t->plane.known = unit == 1 || prop_chance(&p, 0.5) ? NULL : t->known;
        kst_plane_weights weights;
        fit(t, unit, &weights);
        uint64_t hash = 0;
        for (int k = 0; k < kernels; ++k) {
            memset(&t->numbers, 0, sizeof t->numbers);
            begin(t, t->plane.wide);
            encode(t, all[k]);
            uint64_t is = kst_hash(&t->numbers, sizeof t->numbers, 0);
            prop_check(&p, k == 0 || is == hash);
            hash = is;
        }
        write_stream(t, prop_chance(&p, 0.5));
        for (int k = 0; k < kernels; ++k) {
            memset(&t->other.n, 0x55, sizeof t->other.w);
            prop_check(&p, decode(t, all[k], &weights));
            prop_check(&p, t->load[0] == 1 && t->load[1] == 2 && t->load[2] == 3 && t->load[KST_RANS_LOAD - 1] == 0);
            if (k) prop_check(&p, !memcmp(first, t->back, sizeof t->back));
            memcpy(first, t->back, sizeof t->back);
        }
        uint64_t most = 0;
        for (int i = 0; i < FINE && !t->plane.known; ++i) {
            uint64_t off = (uint64_t)llabs((int64_t)t->back[i] - t->fine[i]);
            most = off > most ? off : most;
        }
        prop_check(&p, most <= (uint64_t)(unit - 1) / 2);
        weights.weight[1][0] ^= 0x1000;  // control: the bits depend on the weights
        if (kind == STEEP) prop_check(&p, !decode(t, all[0], &weights) || memcmp(first, t->back, sizeof t->back));
    }
    free(first);
    kst_free(NULL, t, sizeof *t);
}

static void neighbours_decode_the_same_border_though_values_are_lost(void **state) {
    (void)state;
    bench_top *t = new_top(), *u = new_top();
    int told_apart = 0, borders = 0;
    for (prop p = prop_begin("plane_borders", 40); prop_next(&p);) {
        bool below = prop_chance(&p, 0.5);
        int side = KST_FINE_SIDE - 1, last = KST_FINE_SIDE - 1;
        ground_kind kind = prop_chance(&p, 0.7) ? HILLS : STEEP;
        take_ground(t, kind, 5, 0, 0);
        take_ground(u, kind, 5, below ? 0 : side, below ? side : 0);
        kst_plane_weights weights, changed;
        begin(t, kind == STEEP);
        fit(t, 11, &weights);
        begin(t, kind == STEEP);
        t->plane.weights = weights;
        encode(t, kst_plane_kernels_best());
        kst_plane_weave(&t->plane, t->back, KST_FINE_SIDE);
        changed = weights;
        changed.weight[0][0] = (int16_t)(changed.weight[0][0] + 6000);
        for (int control = 0; control < 2; ++control) {
            begin(u, kind == STEEP || prop_chance(&p, 0.5));  // 16 and 32 bits meet, too
            u->plane.weights = control ? changed : weights;
            encode(u, kst_plane_kernels_best());
            kst_plane_weave(&u->plane, u->back, KST_FINE_SIDE);
            int differ = 0;
            for (int k = 0; k <= last; ++k)
                differ += below ? t->back[last * KST_FINE_SIDE + k] != u->back[k]
                                : t->back[k * KST_FINE_SIDE + last] != u->back[k * KST_FINE_SIDE];
            if (!control) prop_check(&p, differ == 0);
            told_apart += control && differ;
        }
        ++borders;
    }
    assert_true(told_apart > borders / 2);
    kst_free(NULL, t, sizeof *t);
    kst_free(NULL, u, sizeof *u);
}

static void damaged_streams_end_and_do_no_harm(void **state) {
    (void)state;
    const kst_plane_kernels *all[4];
    int kernels = kst_plane_kernels_all(all), refused = 0, tried = 0;
    bench_top *t = new_top();
    take_ground(t, HILLS, 9, 3, 4);
    kst_plane_weights weights;
    begin(t, false);
    fit(t, 3, &weights);
    write_stream(t, false);
    uint8_t *good = malloc(ROOM);
    size_t size = t->size;
    memcpy(good, t->bytes, size);
    for (prop p = prop_begin("plane_damage", 300); prop_next(&p);) {
        memcpy(t->bytes, good, size);
        t->size = prop_chance(&p, 0.3) ? (size_t)prop_int(&p, 0, (int)size) : size;
        for (int n = prop_int(&p, 0, 3); n >= 0; --n)
            t->bytes[prop_int(&p, 0, p.at & 1 ? 40 : (int)size - 1)] ^= (uint8_t)prop_int(&p, 1, 255);
        memset(t->bytes + t->size, 0xa5, KST_RANS_PAD);
        bool first = decode(t, all[0], &weights);
        for (int k = 1; k < kernels; ++k) prop_check(&p, decode(t, all[k], &weights) == first);
        refused += !first;
        ++tried;
    }
    assert_true(refused > tried / 2);  // the rest is what a checksum is for
    free(good);
    kst_free(NULL, t, sizeof *t);
}

static void tables_and_weights_come_back_and_bad_ones_are_refused(void **state) {
    (void)state;
    bench_top *t = new_top();
    uint8_t bytes[16384];
    for (prop p = prop_begin("plane_tables", 60); prop_next(&p);) {
        take_ground(t, (ground_kind)(p.at % KINDS), (uint64_t)p.at, 0, 0);
        begin(t, true);
        kst_plane_weights weights, back;
        fit(t, 1, &weights);
        write_stream(t, prop_chance(&p, 0.5));
        size_t size = kst_rans_model_write(&t->model, bytes, sizeof bytes);
        kst_reader r = {bytes, bytes + size, false};
        prop_check(&p, size && kst_rans_model_read(&r, &t->read) && r.at == r.end);
        prop_check(&p, !memcmp(&t->model, &t->read, sizeof t->model));
        r = (kst_reader){bytes, bytes + size - 1, false};
        prop_check(&p, !kst_rans_model_read(&r, &t->read));
        prop_check(&p, kst_rans_model_write(&t->model, bytes, size - 1) == 0);
        kst_out o = {bytes};
        kst_plane_weights_put(&weights, &o);
        prop_check(&p, o.at == bytes + KST_WEIGHTS_BYTES);
        r = (kst_reader){bytes, o.at, false};
        prop_check(&p, kst_plane_weights_read(&r, &back) && !memcmp(&weights, &back, sizeof back));
        bytes[0] ^= 1;  // an even unit
        r = (kst_reader){bytes, o.at, false};
        prop_check(&p, !kst_plane_weights_read(&r, &back));
    }
    kst_free(NULL, t, sizeof *t);
}

// The vertices that a field of any size repeats, against a look at the field's own columns and rows.
static void what_lies_beyond_the_field_is_not_coded(void **state) {
    (void)state;
    bench_top *t = new_top();
    for (prop p = prop_begin("plane_beyond", 200); prop_next(&p);) {
        int level = prop_int(&p, 0, 3), columns = prop_int(&p, 2, 140 << level), rows = prop_int(&p, 2, 140 << level);
        int first_column = (columns - 1 + (1 << level) - 1) >> level,
            first_row = (rows - 1 + (1 << level) - 1) >> level;
        for (int j = 0; j < KST_FINE_SIDE; ++j)
            for (int i = 0; i < KST_FINE_SIDE; ++i) {
                int64_t column = (int64_t)i << level, row = (int64_t)j << level;
                t->fine[j * KST_FINE_SIDE + i] =
                    ground(HILLS, 3, column < columns ? column : columns - 1, row < rows ? row : rows - 1);
            }
        for (int j = 0; j < KST_NODE_SIDE; ++j)
            for (int i = 0; i < KST_NODE_SIDE; ++i)
                t->coarse[j * KST_NODE_SIDE + i] = t->fine[2 * j * KST_FINE_SIDE + 2 * i];
        bool beyond = kst_plane_known_beyond(first_column, first_row, t->known);
        prop_check(&p, beyond == (first_column < 128 || first_row < 128));
        begin(t, false);
        t->plane.known = beyond ? t->known : NULL;
        memset(&t->plane.weights, 0, sizeof t->plane.weights);
        t->plane.weights.unit = 1;
        encode(t, kst_plane_kernels_best());
        int coded = 0, wanted = 0;
        for (int k = 0; k < KST_PLANE_NUMBERS; ++k) coded += t->numbers.table[k] != KST_RANS_NOTHING;
        for (int j = 0; j < KST_FINE_SIDE; ++j)
            for (int i = 0; i < KST_FINE_SIDE; ++i) {
                bool there = i < first_column && j < first_row;
                // of the first that is the last: where the coarser level has it not
                there |= i == first_column && j < first_row && ((j & 1) || !(i & 1));
                there |= j == first_row && i < first_column && ((i & 1) || !(j & 1));
                wanted += there && ((i & 1) || (j & 1));
            }
        prop_check(&p, coded == wanted);
        kst_plane_step_on(&t->plane, first_column, first_row);
        kst_plane_weave(&t->plane, t->back, KST_FINE_SIDE);
        prop_check(&p, !memcmp(t->back, t->fine, sizeof t->fine));
    }
    kst_free(NULL, t, sizeof *t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_gives_the_same_bits_within_the_bound),
        cmocka_unit_test(neighbours_decode_the_same_border_though_values_are_lost),
        cmocka_unit_test(damaged_streams_end_and_do_no_harm),
        cmocka_unit_test(tables_and_weights_come_back_and_bad_ones_are_refused),
        cmocka_unit_test(what_lies_beyond_the_field_is_not_coded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
