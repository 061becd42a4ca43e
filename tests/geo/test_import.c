// SPDX-License-Identifier: MIT
// Import of files that the test itself writes: every kind of sample comes back, and missing ones become holes.
#include "geo/geo.h"
#include "geo/imported.h"
#include "scenes/scenes.h"

// ---- one value as bytes ------------------------------------------------------------------------------

static double random_sample(prop *p, kst_kind kind) {
    switch (kind) {
        case KST_KIND_U8:
            return prop_int(p, 0, 255);
        case KST_KIND_I8:
            return prop_int(p, -128, 127);
        case KST_KIND_U16:
            return prop_int(p, 0, 65535);
        case KST_KIND_I16:
            return prop_int(p, -32768, 32767);
        case KST_KIND_U32:
            return (double)(prop_u64(p) & 0xFFFFFFFFu);
        case KST_KIND_I32:
            return (double)(int32_t)prop_u64(p);
        case KST_KIND_U64:
            return (double)(prop_u64(p) >> 14);
        case KST_KIND_I64:
            return (double)((int64_t)prop_u64(p) >> 14);
        case KST_KIND_F16:
            return prop_int(p, -2048, 2048) * 0.25;
        case KST_KIND_F32:
            return (double)(float)prop_real(p, -9000, 9000);
        default:
            return prop_real(p, -9000, 9000);
    }
}

static uint64_t bits_of(double v, kst_kind kind) {
    uint64_t u = 0;
    if (kind == KST_KIND_F64) {
        memcpy(&u, &v, 8);
    } else if (kind == KST_KIND_F32) {
        float f = (float)v;
        memcpy(&u, &f, 4);
    } else if (kind == KST_KIND_F16) {  // normal numbers and zero only
        float f = (float)v;
        uint32_t b;
        memcpy(&b, &f, 4);
        u = v == 0 ? 0 : (b >> 16 & 0x8000) | ((b >> 23 & 255) - 112) << 10 | (b >> 13 & 1023);
    } else if (kind == KST_KIND_U64) {
        u = (uint64_t)v;
    } else {
        u = (uint64_t)(int64_t)v;
    }
    return u;
}

static void put(uint8_t *at, double v, kst_kind kind, bool big) {
    int bytes = kst_kind_bytes(kind);
    uint64_t u = bits_of(v, kind);
    for (int i = 0; i < bytes; ++i) at[big ? bytes - 1 - i : i] = (uint8_t)(u >> (8 * i));
}

static void expect_heights(prop *p, imported *r, const double *want, int columns, int rows, double scale,
                           double offset) {
    if (r->status) fail_msg("%s", r->report.message);
    prop_check(p, r->columns == columns && r->rows == rows);
    for (int k = 0; k < columns * rows; ++k) prop_check(p, r->heights[k] == (float)(want[k] * scale + offset));
    prop_check(p, r->info.holes == 0 && r->info.no_data_samples == 0);
}

// ---- RAW ---------------------------------------------------------------------------------------------

static void raw_of_every_kind_comes_back(void **state) {
    (void)state;
    static const kst_kind kinds[] = {KST_KIND_U8, KST_KIND_U16, KST_KIND_I16, KST_KIND_I32, KST_KIND_F32, KST_KIND_F64};
    for (prop p = prop_begin("import_raw", 60); prop_next(&p);) {
        int type = prop_int(&p, 0, 5), header = prop_int(&p, 0, 40);
        kst_kind kind = kinds[type];
        bool square = prop_chance(&p, 0.3), big = prop_chance(&p, 0.5);
        int c = prop_int(&p, 2, 90), r = square ? c : prop_int(&p, 2, 140), each = kst_kind_bytes(kind);
        size_t n = (size_t)(c * r);
        double *want = malloc(n * sizeof *want);
        uint8_t *bytes = calloc(n * (size_t)each + (size_t)header, 1);
        for (size_t k = 0; k < n; ++k) {
            want[k] = random_sample(&p, kind);
            put(bytes + header + k * (size_t)each, want[k], kind, big);
        }
        const char *path = temp_path("a.raw");
        write_bytes(path, bytes, n * (size_t)each + (size_t)header);
        karst_import_def def = karst_import_def_default();
        def.type = (karst_sample_type)(type + 1);
        def.order = big ? KARST_ORDER_BIG : KARST_ORDER_LITTLE;
        def.header_bytes = (uint64_t)header;
        def.scale = prop_chance(&p, 0.5) ? 1 : prop_real(&p, 0.01, 3);
        def.offset = prop_chance(&p, 0.5) ? 0 : prop_real(&p, -100, 100);
        def.spacing_m = 2;
        def.origin = (karst_pos){1, 2, 3};
        def.name = "hills";
        if (!square) def.width = c, def.height = r;
        imported got = import_file(path, &def);
        expect_heights(&p, &got, want, c, r, def.scale, def.offset);
        prop_check(&p, got.info.spacing_m == 2 && !strcmp(got.info.type, kst_kind_text(kind)));
        karst_project_ground g;
        prop_check(&p, !karst_project_find_ground(got.project, KARST_PROJECT_FIELD, &g) && !strcmp(g.name, "hills"));
        prop_check(&p, !strcmp(g.source, "a.raw") && g.shape.origin.z == 3);
        imported_free(&got);
        // One byte less, and one sample more: refused with both counts.
        char expected[32];
        snprintf(expected, sizeof expected, "expected %zu", n * (size_t)each + (size_t)header);
        if (!square) {
            write_bytes(path, bytes, n * (size_t)each + (size_t)header - 1);
            got = import_file(path, &def);
            prop_check(&p, got.status == KARST_ERROR_FORMAT && strstr(got.report.message, expected));
            imported_free(&got);
        }
        free(want);
        free(bytes);
    }
}

static void flip_takes_the_last_row_first(void **state) {
    (void)state;
    uint8_t bytes[150 * 3];
    for (int k = 0; k < 150 * 3; ++k) bytes[k] = (uint8_t)(k / 3);
    const char *path = temp_path("a.r8");
    write_bytes(path, bytes, sizeof bytes);
    karst_import_def def = karst_import_def_default();
    def.width = 3;
    def.height = 150;  // more than two strips
    def.flip_rows = true;
    imported got = import_file(path, &def);
    assert_int_equal(got.status, KARST_OK);
    for (int k = 0; k < 150; ++k) assert_true(got.heights[3 * k] == (float)(149 - k));
    assert_string_equal(got.info.row_order, "south first, flipped");
    imported_free(&got);
    def.flip_rows = false;
    got = import_file(path, &def);
    for (int k = 0; k < 150; ++k) assert_true(got.heights[3 * k] == (float)k);  // control
    imported_free(&got);
}

static void the_other_byte_order_is_offered_when_it_is_smoother(void **state) {
    (void)state;
    static const struct {
        karst_sample_type type;
        kst_kind kind;
    } cases[] = {{KARST_SAMPLE_U16, KST_KIND_U16},
                 {KARST_SAMPLE_I16, KST_KIND_I16},
                 {KARST_SAMPLE_I32, KST_KIND_I32},
                 {KARST_SAMPLE_F32, KST_KIND_F32}};
    for (size_t k = 0; k < 4; ++k)
        for (int big = 0; big < 2; ++big)
            for (int right = 0; right < 2; ++right) {
                uint8_t bytes[65 * 65 * 4];
                int each = kst_kind_bytes(cases[k].kind);
                for (int i = 0; i < 65 * 65; ++i) {
                    double y = round(300 + (double)scene_height(i % 65, i / 65, 1));
                    put(bytes + i * each, y, cases[k].kind, big);
                }
                const char *path = temp_path("order.raw");
                write_bytes(path, bytes, (size_t)(65 * 65 * each));
                karst_import_def def = karst_import_def_default();
                def.type = cases[k].type;
                def.order = (big != 0) == (right != 0) ? KARST_ORDER_BIG : KARST_ORDER_LITTLE;
                imported got = import_file(path, &def);
                assert_int_equal(got.status, KARST_OK);
                assert_int_equal(warned(&got, "the other way round"), !right);
                if (!right) assert_int_equal(warned(&got, big ? "--order big" : "--order little"), true);
                imported_free(&got);
                def.swap_bytes = !right;  // either way to say it
                got = import_file(path, &def);
                assert_false(warned(&got, "the other way round"));
                imported_free(&got);
            }
}

// ---- missing samples ---------------------------------------------------------------------------------

// Small fields with gaps of every form, against the rule told slowly.
static void cells_with_a_missing_corner_are_holes(void **state) {
    (void)state;
    for (prop p = prop_begin("import_holes", 40); prop_next(&p);) {
        int c = prop_int(&p, 2, 70), r = prop_int(&p, 2, 150);
        double share = prop_chance(&p, 0.3) ? 0.95 : prop_real(&p, 0, 0.5);
        bool rows_gone = prop_chance(&p, 0.5);
        size_t n = (size_t)(c * r);
        float *in = malloc(n * sizeof *in);
        bool *gone = malloc(n);
        uint64_t missing = 0;
        float low = INFINITY, high = -INFINITY;
        int first = prop_int(&p, 0, r), last = prop_int(&p, 0, r);
        for (size_t k = 0; k < n; ++k) {
            int row = (int)k / c;
            gone[k] = prop_chance(&p, share) || (rows_gone && (row < first || row > last));
            in[k] = (float)prop_int(&p, -300, 300) * 0.5f;
            missing += gone[k];
            if (!gone[k] && in[k] < low) low = in[k];
            if (!gone[k] && in[k] > high) high = in[k];
            if (gone[k])
                in[k] = prop_chance(&p, 0.5)   ? -9999
                        : prop_chance(&p, 0.5) ? NAN
                        : prop_chance(&p, 0.5) ? INFINITY
                                               : -INFINITY;
        }
        const char *path = temp_path("gaps.r32");
        write_bytes(path, in, n * 4);
        karst_import_def def = karst_import_def_default();
        def.width = c;
        def.height = r;
        def.has_no_data = true;
        def.no_data = -9999;
        imported got = import_file(path, &def);
        if (got.status) fail_msg("%s", got.report.message);
        uint64_t holes = 0;
        for (int j = 0; j < r - 1; ++j)
            for (int i = 0; i < c - 1; ++i) {
                bool hole =
                    gone[j * c + i] || gone[j * c + i + 1] || gone[(j + 1) * c + i] || gone[(j + 1) * c + i + 1];
                holes += hole;
                prop_check(&p, got.holes[j * (c - 1) + i] == hole);
            }
        prop_check(&p, got.info.holes == holes && got.info.no_data_samples == missing);
        for (size_t k = 0; k < n; ++k) {
            prop_check(&p, gone[k] || got.heights[k] == in[k]);
            // Calm: never beyond the heights that are there.
            if (missing < n) prop_check(&p, got.heights[k] >= low && got.heights[k] <= high);
        }
        if (missing < n) {
            prop_check(&p, got.info.min_m == low && got.info.max_m == high);
        } else {
            prop_check(&p, warned(&got, "one hole") && got.info.min_m == 0 && got.info.step_m == 0);
        }
        imported_free(&got);
        free(in);
        free(gone);
    }
}

// ---- steps -------------------------------------------------------------------------------------------

static void the_vertical_step_is_found(void **state) {
    (void)state;
    static const double steps[] = {1, 0.1, 0.01, 0.001};
    for (prop p = prop_begin("import_step", 40); prop_next(&p);) {
        int k = prop_int(&p, 0, 4);
        float in[33 * 33];
        double reach = k == 3 ? 30 : 900;
        for (int i = 0; i < 33 * 33; ++i)
            in[i] = k == 4 ? (float)prop_real(&p, -reach, reach)
                           : (float)(round(prop_real(&p, -reach, reach) / steps[k]) * steps[k]);
        const char *path = temp_path("step.r32");
        write_bytes(path, in, sizeof in);
        imported got = import_file(path, NULL);
        prop_check(&p, got.status == KARST_OK);
        prop_near(&p, got.info.step_m, k == 4 ? 0 : steps[k], 0);
        imported_free(&got);
    }
    uint8_t coded[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const char *path = temp_path("step.r8");
    write_bytes(path, coded, sizeof coded);
    karst_import_def def = karst_import_def_default();
    def.scale = 0.37;
    imported got = import_file(path, &def);
    assert_true(got.info.step_m == 0.37);  // no decimal fits: the coding's own
    imported_free(&got);
}

// ---- npy and npz -------------------------------------------------------------------------------------

static const char *const npy_codes[KST_KIND_COUNT] = {"u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"};

// An npy file of samples; returns its size.
static size_t make_npy(uint8_t *out, const double *samples, int rows, int columns, kst_kind kind, bool big,
                       bool fortran, int version, const char *shape) {
    char text[256], sides[64];
    snprintf(sides, sizeof sides, shape, rows, columns);
    int n = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': %s, 'shape': %s, }",
                     kst_kind_bytes(kind) == 1 ? '|'
                     : big                     ? '>'
                                               : '<',
                     npy_codes[kind], fortran ? "True" : "False", sides);
    int head = version == 1 ? 10 : 12;
    while ((head + n + 1) % 64) text[n++] = ' ';
    text[n++] = '\n';
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (uint8_t)version;
    out[7] = 0;
    for (int i = 0; i < head - 8; ++i) out[8 + i] = (uint8_t)(n >> (8 * i));
    memcpy(out + head, text, (size_t)n);
    size_t at = (size_t)(head + n), each = (size_t)kst_kind_bytes(kind);
    for (int k = 0; k < rows * columns; ++k) {
        int r = fortran ? k % rows : k / columns, c = fortran ? k / rows : k % columns;
        put(out + at + (size_t)k * each, samples[r * columns + c], kind, big);
    }
    return at + (size_t)(rows * columns) * each;
}

static uint32_t crc_32(const uint8_t *bytes, size_t size) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int b = 0; b < 8; ++b) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

// A zip with members stored, or deflated as stored blocks.
static size_t make_zip(uint8_t *out, int count, const char *const *names, uint8_t *const *data, const size_t *sizes,
                       bool deflate) {
    size_t at = 0, offset[4], packed_size[4];
    kst_out o = {out};
    for (int k = 0; k < count; ++k) {
        offset[k] = at;
        size_t blocks = (sizes[k] + 65534) / 65535;
        packed_size[k] = deflate ? sizes[k] + 5 * blocks : sizes[k];
        o.at = out + at;
        kst_put_uint(&o, 0x04034b50, 4), kst_put_uint(&o, 20, 2), kst_put_uint(&o, 0, 2),
            kst_put_uint(&o, deflate ? 8 : 0, 2);
        kst_put_uint(&o, 0, 4), kst_put_uint(&o, crc_32(data[k], sizes[k]), 4), kst_put_uint(&o, packed_size[k], 4);
        kst_put_uint(&o, sizes[k], 4), kst_put_uint(&o, strlen(names[k]), 2), kst_put_uint(&o, 0, 2);
        memcpy(o.at, names[k], strlen(names[k]));
        o.at += strlen(names[k]);
        for (size_t b = 0; deflate && b < blocks; ++b) {
            size_t n = b + 1 < blocks ? 65535 : sizes[k] - b * 65535;
            *o.at++ = b + 1 == blocks;
            kst_put_uint(&o, n, 2), kst_put_uint(&o, ~n & 0xFFFF, 2);
            memcpy(o.at, data[k] + b * 65535, n);
            o.at += n;
        }
        if (!deflate) memcpy(o.at, data[k], sizes[k]), o.at += sizes[k];
        at = (size_t)(o.at - out);
    }
    size_t directory = at;
    for (int k = 0; k < count; ++k) {
        kst_put_uint(&o, 0x02014b50, 4), kst_put_uint(&o, 20, 2), kst_put_uint(&o, 20, 2), kst_put_uint(&o, 0, 2);
        kst_put_uint(&o, deflate ? 8 : 0, 2), kst_put_uint(&o, 0, 4), kst_put_uint(&o, crc_32(data[k], sizes[k]), 4);
        kst_put_uint(&o, packed_size[k], 4), kst_put_uint(&o, sizes[k], 4), kst_put_uint(&o, strlen(names[k]), 2);
        kst_put_uint(&o, 0, 8), kst_put_uint(&o, 0, 4), kst_put_uint(&o, offset[k], 4);
        memcpy(o.at, names[k], strlen(names[k]));
        o.at += strlen(names[k]);
    }
    size_t end = (size_t)(o.at - out);
    kst_put_uint(&o, 0x06054b50, 4), kst_put_uint(&o, 0, 4), kst_put_uint(&o, (uint64_t)count, 2),
        kst_put_uint(&o, (uint64_t)count, 2);
    kst_put_uint(&o, end - directory, 4), kst_put_uint(&o, directory, 4), kst_put_uint(&o, 0, 2);
    return (size_t)(o.at - out);
}

static void arrays_of_python_come_back(void **state) {
    (void)state;
    static uint8_t npy[1 << 19], other[4096], zip[1 << 20];
    for (prop p = prop_begin("import_npy", 60); prop_next(&p);) {
        kst_kind kind = (kst_kind)prop_int(&p, 0, KST_KIND_COUNT - 1);
        int c = prop_int(&p, 2, 110), r = prop_int(&p, 2, 150), version = prop_int(&p, 1, 3);
        bool big = prop_chance(&p, 0.5), fortran = prop_chance(&p, 0.5);
        double *want = malloc((size_t)(c * r) * sizeof *want);
        for (int k = 0; k < c * r; ++k) want[k] = random_sample(&p, kind);
        static const char *const shapes[] = {"(%d, %d)", "(%d,%d,)", "(1, %d, %d)", "( %dL, %dL )"};
        size_t size = make_npy(npy, want, r, c, kind, big, fortran, version, shapes[prop_int(&p, 0, 3)]);
        const char *path = temp_path("a.npy");
        write_bytes(path, npy, size);
        imported got = import_file(path, NULL);
        expect_heights(&p, &got, want, c, r, 1, 0);
        prop_check(&p, !strcmp(got.info.type, kst_kind_text(kind)));
        imported_free(&got);

        size = make_npy(npy, want, r, c, kind, big, fortran, version, "(%d, %d)");
        double three[3] = {1, 2, 3};
        uint8_t *data[] = {other, npy};
        size_t sizes[] = {make_npy(other, three, 1, 3, KST_KIND_F64, false, false, 1, "(%d%d,)"), size};
        sizes[0] = make_npy(other, three, 1, 3, KST_KIND_F64, false, false, 1, "(3,)");
        const char *const names[] = {"step.npy", "elevation.npy"};
        path = temp_path("a.npz");
        write_bytes(path, zip, make_zip(zip, 2, names, data, sizes, prop_chance(&p, 0.5)));
        karst_import_def def = karst_import_def_default();
        def.member = prop_chance(&p, 0.5) ? "elevation" : NULL;
        got = import_file(path, &def);
        expect_heights(&p, &got, want, c, r, 1, 0);
        imported_free(&got);
        def.member = "depth";
        got = import_file(path, &def);
        prop_check(&p, got.status == KARST_ERROR_ARGUMENT && strstr(got.report.message, "step, elevation"));
        imported_free(&got);
        free(want);
    }
}

// An array says how it is stored. Ground with its bytes the wrong way round is refused, and mended or taken when told;
// the control: few steps times 256 are smoother the other way round too, and come in.
static void misread_ground_is_refused_and_few_steps_are_not(void **state) {
    (void)state;
    static double right[65 * 65], turned[65 * 65], few[65 * 65];
    static uint8_t npy[1 << 16];
    for (int i = 0; i < 65 * 65; ++i) {
        right[i] = round(1000 + 8 * (double)scene_height(i % 65, i / 65, 1));
        turned[i] = __builtin_bswap16((uint16_t)right[i]);
        few[i] = 256 * round(right[i] / 8);
    }
    const char *path = temp_path("order.npy");
    karst_import_def def = karst_import_def_default();
    write_bytes(path, npy, make_npy(npy, turned, 65, 65, KST_KIND_U16, false, false, 1, "(%d, %d)"));
    imported got = import_file(path, &def);
    assert_int_equal(got.status, KARST_ERROR_FORMAT);
    assert_non_null(strstr(got.report.message, "order.npy"));
    assert_non_null(strstr(got.report.message, "pass --swap-bytes"));
    imported_free(&got);
    def.keep_bytes = true;
    got = import_file(path, &def);
    assert_true(got.status == KARST_OK && got.heights[7] == (float)turned[7]);
    imported_free(&got);
    def.keep_bytes = false;
    def.swap_bytes = true;
    got = import_file(path, &def);
    assert_int_equal(got.status, KARST_OK);
    for (int i = 0; i < 65 * 65; ++i) assert_true(got.heights[i] == (float)right[i]);
    imported_free(&got);
    def.swap_bytes = false;
    write_bytes(path, npy, make_npy(npy, few, 65, 65, KST_KIND_U16, false, false, 1, "(%d, %d)"));
    got = import_file(path, &def);
    assert_int_equal(got.status, KARST_OK);
    assert_true(warned(&got, "the other way round"));
    for (int i = 0; i < 65 * 65; ++i) assert_true(got.heights[i] == (float)few[i]);
    imported_free(&got);
}

static void damaged_arrays_are_refused(void **state) {
    (void)state;
    static uint8_t npy[1 << 16], bad[1 << 16], zip[1 << 17];
    double want[20 * 30];
    for (int k = 0; k < 600; ++k) want[k] = k;
    size_t size = make_npy(npy, want, 20, 30, KST_KIND_F32, false, false, 1, "(%d, %d)");
    uint8_t *data[] = {npy};
    const char *const names[] = {"a.npy"};
    size_t zip_size = make_zip(zip, 1, names, data, &size, true);
    int refused = 0;
    for (prop p = prop_begin("import_npy_damaged", 200); prop_next(&p);) {
        bool zipped = prop_chance(&p, 0.5);
        const uint8_t *good = zipped ? zip : npy;
        size_t n = zipped ? zip_size : size, kept = prop_chance(&p, 0.3) ? prop_u64(&p) % n : n;
        memcpy(bad, good, n);
        for (int k = prop_int(&p, 1, 4); k; --k)
            bad[prop_u64(&p) % (prop_chance(&p, 0.7) ? 140 : n)] = (uint8_t)prop_u64(&p);
        const char *path = temp_path(zipped ? "bad.npz" : "bad.npy");
        write_bytes(path, bad, kept);
        imported got = import_file(path, NULL);
        refused += got.status != KARST_OK;
        prop_check(&p, !got.status || got.report.message[0]);
        imported_free(&got);
    }
    assert_true(refused > test_count(50) || getenv("KARST_PROP_CASE"));
    // Numbers that are whole but lie.
    static const char *const shapes[] = {
        "(1048577, %d, %d)", "(99999999999999999999, %d%d)", "(%d, %d", "%d, %d", "(-%d, %d)", "(%d, %d, 2)"};
    for (size_t k = 0; k < 6; ++k) {
        size = make_npy(npy, want, 20, 30, KST_KIND_F32, false, false, 1, shapes[k]);
        const char *path = temp_path("lie.npy");
        write_bytes(path, npy, size);
        imported got = import_file(path, NULL);
        assert_int_not_equal(got.status, KARST_OK);
        imported_free(&got);
    }
}

// ---- places ------------------------------------------------------------------------------------------

static void degrees_become_metres(void **state) {
    (void)state;
    // Three seconds at latitude 0.5 and 60.5 degrees: lengths of a degree from published tables of WGS 84.
    static const struct {
        const char *name;
        double x, z;
    } tiles[] = {{"N00E010.hgt", 111315.8 / 1200, 110574.4 / 1200}, {"N60E010.hgt", 54957.0 / 1200, 111420.5 / 1200}};
    size_t n = 1201 * 1201;
    uint8_t *bytes = calloc(n, 2);
    bytes[2 * (5 * 1201 + 7) + 1] = 9;   // row 5, column 7: 9 m
    bytes[2 * (100 * 1201 + 3)] = 0x80;  // row 100, column 3: no data
    for (size_t k = 0; k < 2; ++k) {
        const char *path = temp_path(tiles[k].name);
        write_bytes(path, bytes, 2 * n);
        imported got = import_file(path, NULL);
        if (got.status) fail_msg("%s", got.report.message);
        assert_true(fabs(got.info.file_spacing_x_m - tiles[k].x) < 0.01);
        assert_true(fabs(got.info.file_spacing_z_m - tiles[k].z) < 0.01);
        assert_true(fabs(got.info.spacing_m - sqrt(tiles[k].x * tiles[k].z)) < 0.01);
        if (k) assert_true(warned(&got, "one spacing"));
        assert_true(got.heights[5 * 1201 + 7] == 9 && got.info.max_m == 9 && got.info.min_m == 0);
        assert_int_equal(got.info.holes, 4);
        imported_free(&got);
    }
    const char *path = temp_path("nameless.hgt");  // GDAL knows a tile by its name only
    write_bytes(path, bytes, 2 * n);
    imported got = import_file(path, NULL);
    assert_int_equal(got.status, KARST_OK);
    assert_true(got.heights[5 * 1201 + 7] == 9 && got.info.holes == 4 && got.info.spacing_m == 1);
    imported_free(&got);
    free(bytes);
}

// ---- the world ---------------------------------------------------------------------------------------

static bool stop_at_half(void *context, const char *stage, double share) {
    (void)context;
    (void)stage;
    return share < 0.5;
}

static void a_world_keeps_its_ground_unless_told(void **state) {
    (void)state;
    uint8_t low[90 * 90] = {0}, high[90 * 90];
    memset(high, 7, sizeof high);
    const char *a = temp_path("low.r8"), *b = temp_path("high.r8");
    write_bytes(a, low, sizeof low);
    write_bytes(b, high, sizeof high);
    imported got = import_file(a, NULL);
    assert_int_equal(got.status, KARST_OK);
    uint64_t before, after;
    assert_int_equal(karst_project_hash(got.project, &before), KARST_OK);
    karst_report report = {0};
    assert_int_equal(karst_geo_import(got.project, b, NULL, NULL, NULL, &report, NULL, NULL), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(report.message, "--replace"));
    karst_import_def def = karst_import_def_default();
    def.replace = true;
    karst_progress progress = {stop_at_half, NULL};
    assert_int_equal(karst_geo_import(got.project, b, &def, NULL, &progress, &report, NULL, NULL),
                     KARST_ERROR_CANCELLED);
    assert_int_equal(karst_project_hash(got.project, &after), KARST_OK);
    assert_true(before == after);
    assert_int_equal(karst_geo_import(got.project, b, &def, NULL, NULL, &report, NULL, NULL), KARST_OK);
    assert_int_equal(karst_project_hash(got.project, &after), KARST_OK);
    assert_true(before != after);
    imported_free(&got);
}

static void files_that_name_other_files_are_not_followed(void **state) {
    (void)state;
    const char *path = temp_path("other.vrt");
    FILE *f = fopen(path, "w");
    fputs(
        "<VRTDataset rasterXSize=\"9\" rasterYSize=\"9\"><VRTRasterBand dataType=\"Byte\" band=\"1\"><SimpleSource>"
        "<SourceFilename>/etc/hostname</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>",
        f);
    fclose(f);
    imported got = import_file(path, NULL);
    assert_int_equal(got.status, KARST_ERROR_UNSUPPORTED);
    assert_non_null(strstr(got.report.message, "not followed"));
    imported_free(&got);
}

static void the_same_file_gives_the_same_world_on_any_threads(void **state) {
    (void)state;
    float in[200 * 170];
    for (int k = 0; k < 200 * 170; ++k) in[k] = k % 31 == 0 ? NAN : scene_height(k % 200, k / 200, 3);
    const char *path = temp_path("threads.r32");
    write_bytes(path, in, sizeof in);
    karst_import_def def = karst_import_def_default();
    def.width = 200;
    def.height = 170;
    def.replace = true;
    imported got = import_file(path, &def);
    uint64_t want, hash;
    assert_int_equal(karst_project_hash(got.project, &want), KARST_OK);
    for (int workers = 2; workers <= 5; workers += 3) {
        karst_jobs_def jobs_def = karst_jobs_def_default();
        jobs_def.worker_count = workers;
        karst_jobs *jobs;
        karst_import_info info;
        assert_int_equal(karst_jobs_create(&jobs_def, &jobs), KARST_OK);
        assert_int_equal(karst_geo_import(got.project, path, &def, jobs, NULL, NULL, &info, NULL), KARST_OK);
        assert_int_equal(karst_project_hash(got.project, &hash), KARST_OK);
        assert_true(hash == want);
        assert_memory_equal(&info, &got.info, sizeof info);
        karst_jobs_destroy(jobs);
    }
    imported_free(&got);
}

static void every_failed_allocation_leaves_the_world_whole(void **state) {
    (void)state;
    float in[70 * 70];
    for (int k = 0; k < 70 * 70; ++k) in[k] = scene_height(k % 70, k / 70, 3);
    const char *path = temp_path("fault.r32");
    write_bytes(path, in, sizeof in);
    imported got = import_file(path, NULL);
    uint64_t want, hash;
    assert_int_equal(karst_project_hash(got.project, &want), KARST_OK);
    karst_import_def def = karst_import_def_default();
    def.replace = true;
    def.spacing_m = 3;
    int n = 1;
    for (;; ++n) {
        karst_report report = {0};
        kst_alloc_fail_after((uint64_t)n);
        karst_status status = karst_geo_import(got.project, path, &def, NULL, NULL, &report, NULL, NULL);
        kst_alloc_fail_after(0);
        assert_int_equal(karst_project_hash(got.project, &hash), KARST_OK);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_true(report.message[0]);
        assert_true(hash == want);
    }
    assert_true(n > 10 && hash != want);
    imported_free(&got);
}

// ---- Python's own -----------------------------------------------------------------------------------

static void arrays_that_python_wrote_come_in(void **state) {
    (void)state;
    static const struct {
        const char *path, *member;
        int columns, rows;
        float min, max;
    } files[] = {{"/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz", NULL, 403, 344, 236, 1076},
                 {"/usr/share/matplotlib/mpl-data/sample_data/topobathy.npz", "topo", 120, 91, -1437, 2205}};
    for (size_t k = 0; k < 2; ++k) {
        if (access(files[k].path, R_OK)) skip();
        karst_import_def def = karst_import_def_default();
        def.member = files[k].member;
        imported got = import_file(files[k].path, &def);
        if (got.status) fail_msg("%s", got.report.message);
        assert_int_equal(got.columns, files[k].columns);
        assert_int_equal(got.rows, files[k].rows);
        assert_true(fabsf(got.info.min_m - files[k].min) < 1 && fabsf(got.info.max_m - files[k].max) < 1);
        imported_free(&got);
    }
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_of_every_kind_comes_back),
        cmocka_unit_test(flip_takes_the_last_row_first),
        cmocka_unit_test(the_other_byte_order_is_offered_when_it_is_smoother),
        cmocka_unit_test(cells_with_a_missing_corner_are_holes),
        cmocka_unit_test(the_vertical_step_is_found),
        cmocka_unit_test(arrays_of_python_come_back),
        cmocka_unit_test(misread_ground_is_refused_and_few_steps_are_not),
        cmocka_unit_test(damaged_arrays_are_refused),
        cmocka_unit_test(degrees_become_metres),
        cmocka_unit_test(a_world_keeps_its_ground_unless_told),
        cmocka_unit_test(files_that_name_other_files_are_not_followed),
        cmocka_unit_test(the_same_file_gives_the_same_world_on_any_threads),
        cmocka_unit_test(every_failed_allocation_leaves_the_world_whole),
        cmocka_unit_test(arrays_that_python_wrote_come_in),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
