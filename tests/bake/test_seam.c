// SPDX-License-Identifier: MIT
// A net in place of a part of a field: what is baked meets to the bit, and what cannot is refused.
#include "bake/seam.h"

#include "karst/zoneground.h"
#include "pack/alter.h"
#include "pack/pack.h"

static karst_pack *open_pack(const char *path) {
    karst_pack *pack;
    karst_report report = {0};
    karst_pack_def def = karst_pack_def_default();
    def.report = &report;
    if (karst_pack_open(path, &def, &pack)) fail_msg("%s", report.message);
    return pack;
}

static void expect_sound(const char *path, int64_t least_tried) {
    karst_pack *pack = open_pack(path);
    karst_check row[KARST_CHECK_MAX];
    int count;
    assert_int_equal(karst_pack_check(pack, NULL, NULL, row, &count), KARST_OK);
    for (int k = 0; k < count; ++k)
        if (row[k].failed) fail_msg("%s: %s", row[k].name, row[k].first);
    assert_string_equal(row[count - 1].name, "seams");
    assert_true((int64_t)row[count - 1].tried >= least_tried);
    karst_pack_close(pack);
}

static void net_and_field_meet_to_the_bit(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        seam_def def = seam_def_default();
        if (k == 1) def.displaced = true, def.origin = (karst_pos){0, 0, 0};
        if (k == 2) def.spacing_m = 2.5, def.rect = (karst_rect){0, 0, 65, 49};  // up to the outline
        if (k == 3) def.displaced = true, def.spacing_m = 0.75, def.slot = 0;
        karst_field *field = seam_field(&def);
        karst_net *net = seam_net(field, &def);
        karst_report report = {0};
        karst_bake_info info;
        const char *path = temp_path("met.kpack");
        if (seam_bake(field, net, path, 0.01f, NULL, &report, &info)) fail_msg("%s", report.message);
        expect_sound(path, 100);
        karst_pack *pack = open_pack(path);
        karst_pack_info is = karst_pack_info_of(pack);
        int wide = (def.rect.x1 - def.rect.x0) / 16, high = (def.rect.z1 - def.rect.z0) / 16;
        assert_int_equal(is.hole_count, wide * high * 256);
        assert_int_equal(karst_pack_seam_count(pack), 2 * (wide + high));
        for (int i = 0; i < karst_pack_seam_count(pack); ++i) {
            const karst_pack_seam *s = &karst_pack_seams(pack)[i];
            double x = s->column * def.spacing_m, z = s->row * def.spacing_m;
            assert_true(s->min[0] < x + 1 && s->max[0] > x - 1 && s->min[2] < z + 1 && s->max[2] > z - 1);
        }
        karst_pack_close(pack);
        karst_net_destroy(net);
        karst_field_destroy(field);
    }
}

static void rings_may_touch_at_a_corner_and_have_holes_inside(void **state) {
    (void)state;
    seam_def def = seam_def_default();
    karst_field *field = seam_field(&def);
    const uint8_t hole[4] = {1, 1, 1, 1};
    assert_int_equal(karst_field_write_holes(field, (karst_rect){121, 25, 123, 27}, hole, 2), KARST_OK);
    def.rect = (karst_rect){112, 16, 145, 49};
    karst_net *net = seam_net(field, &def);
    def.rect = (karst_rect){144, 48, 193, 81};
    karst_net *other = seam_net(field, &def);
    karst_report report = {0};
    assert_int_equal(karst_net_append(net, other, &report), KARST_OK);
    if (karst_net_finish(net, &report)) fail_msg("%s", report.message);
    karst_bake_info info;
    const char *path = temp_path("rings.kpack");
    if (seam_bake(field, net, path, 0.01f, NULL, &report, &info)) fail_msg("%s", report.message);
    expect_sound(path, 100);
    karst_pack *pack = open_pack(path);
    assert_int_equal(karst_pack_info_of(pack).hole_count, (4 + 6) * 256);
    assert_int_equal(karst_pack_seam_count(pack), 8 + 10 - 1);
    karst_pack_close(pack);
    karst_net_destroy(net);
    karst_net_destroy(other);
    karst_field_destroy(field);
}

static void the_bytes_do_not_depend_on_threads_nor_times(void **state) {
    (void)state;
    seam_def def = seam_def_default();
    karst_field *field = seam_field(&def);
    karst_net *net = seam_net(field, &def);
    karst_bake_info info[6];
    for (int k = 0; k < 6; ++k) {
        karst_jobs_def jd = karst_jobs_def_default();
        jd.worker_count = k == 5 ? 2 : 1 + k;
        karst_jobs *jobs;
        assert_int_equal(karst_jobs_create(&jd, &jobs), KARST_OK);
        // The last one without the net: other chunks, other bytes.
        assert_int_equal(seam_bake(field, k == 5 ? NULL : net, temp_path("same.kpack"), 0.01f, jobs, NULL, &info[k]),
                         KARST_OK);
        assert_true((info[k].hash == info[0].hash) == (k < 5));
        karst_jobs_destroy(jobs);
    }
    karst_net_destroy(net);
    karst_field_destroy(field);
}

static karst_net_edge *first_seam(const karst_net *net) {
    karst_net_edge *e = net->edges;
    while (!e->seam) ++e;
    return e;
}

static void expect_refused(karst_field *field, const karst_net *net, float error_m, const char *text) {
    karst_report report = {0};
    karst_bake_info info;
    karst_status status = seam_bake(field, net, temp_path("refused.kpack"), error_m, NULL, &report, &info);
    if (status != KARST_ERROR_FORMAT && status != KARST_ERROR_LIMIT) fail_msg("%d, not refused: %s", status, text);
    if (!strstr(report.message, text)) fail_msg("%s\nand not: %s", report.message, text);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(temp_path("refused.kpack"), NULL, &pack), KARST_ERROR_FILE);
}

static void what_cannot_meet_is_refused(void **state) {
    (void)state;
    seam_def def = seam_def_default();
    karst_field *field = seam_field(&def);
    karst_net *net = seam_net(field, &def);
    net->origin.x = nextafter(net->origin.x, 1e9);
    expect_refused(field, net, 0.01f, "the net counts from");
    net->origin.x = def.origin.x;
    expect_refused(field, net, 0.0001f, "bake with --error");
    // The field is moved up under the net, beyond what a pin may be off.
    float up[16];
    karst_rect part = {120, 16, 136, 17};
    assert_int_equal(karst_field_read(field, part, up, NULL, NULL, 16), KARST_OK);
    for (int k = 0; k < 16; ++k) up[k] += 3;
    assert_int_equal(karst_field_write(field, part, up, NULL, NULL, 16), KARST_OK);
    expect_refused(field, net, 0.01f, "fit again there");
    for (int k = 0; k < 16; ++k) up[k] -= 3;
    assert_int_equal(karst_field_write(field, part, up, NULL, NULL, 16), KARST_OK);
    const uint8_t hole = 1, ground = 0;
    assert_int_equal(karst_field_write_holes(field, (karst_rect){130, 15, 131, 16}, &hole, 1), KARST_OK);
    expect_refused(field, net, 0.01f, "cell (130, 15) of the field is a hole");
    assert_int_equal(karst_field_write_holes(field, (karst_rect){130, 15, 131, 16}, &ground, 1), KARST_OK);
    first_seam(net)->seam = 0;
    expect_refused(field, net, 0.01f, "");  // a ring that is open
    karst_net_destroy(net);
    net = seam_net(field, &def);
    karst_bake_info info;  // control: as it was it is baked
    karst_report report = {0};
    if (seam_bake(field, net, temp_path("refused.kpack"), 0.01f, NULL, &report, &info)) fail_msg("%s", report.message);
    karst_field_destroy(field);
    def.spacing_m = 1.0001;  // no whole number of fine steps
    field = seam_field(&def);
    remove(temp_path("refused.kpack"));
    expect_refused(field, net, 0.01f, "no whole number of the net's steps");
    karst_net_destroy(net);
    karst_field_destroy(field);
}

// ---- broken packs ----------------------------------------------------------------------------------

typedef struct taken {
    apart a;
    karst_net *net;
    karst_noise_bank *bank;
    int32_t (*zones)[2];
    karst_pack_seam *seams;
    int32_t off;  // of its pins along x [fine steps]
} taken;

static karst_status give_zone(void *context, int32_t index, karst_zone **out) {
    taken *t = context;
    return karst_net_cut(t->net, t->zones[index][0], t->zones[index][1], t->bank, NULL, out);
}

static bool give_pin(void *context, int32_t column, int32_t row, int32_t fine[3]) {
    taken *t = context;
    const karst_lattice *l = &t->a.contents.lattice;
    int32_t cx = column / 64, cz = row / 64;
    if (cx == t->a.chunks_x[0]) --cx;
    if (cz == t->a.chunks_z[0]) --cz;
    karst_vertex v =
        t->a.chunk[0][cz * t->a.chunks_x[0] + cx].vertex[(row - cz * 64) * KARST_CHUNK_SIDE + column - cx * 64];
    double fine_m = 0x1p-12;
    fine[0] = (int32_t)((column * l->cell_steps + v.dx) * (l->step_xz_m / fine_m)) + t->off;
    fine[1] = (int32_t)(v.y * (l->step_y_m / fine_m));
    fine[2] = (int32_t)((row * l->cell_steps + v.dz) * (l->step_xz_m / fine_m));
    return true;
}

static void take(const char *path, karst_net *net, taken *t) {
    *t = (taken){.net = net, .bank = malloc(sizeof *t->bank)};
    karst_noise_bank_make(t->bank);
    take_apart(path, &t->a);
    karst_pack *pack = open_pack(path);
    kst_pack_contents *c = &t->a.contents;
    c->zone_count = karst_pack_zone_count(pack);
    c->net_origin = net->origin, c->net_step_log2 = net->step_log2;
    c->zone = give_zone, c->zone_context = t;
    c->seam_count = karst_pack_seam_count(pack);
    t->seams = malloc((size_t)c->seam_count * sizeof *t->seams);
    memcpy(t->seams, karst_pack_seams(pack), (size_t)c->seam_count * sizeof *t->seams);
    c->seams = t->seams;
    t->zones = malloc((size_t)c->zone_count * sizeof *t->zones);
    assert_int_equal(karst_net_zones(net, t->zones, c->zone_count), c->zone_count);
    karst_pack_close(pack);
}

static void give_back(taken *t) {
    throw_away(&t->a);
    free(t->bank), free(t->zones), free(t->seams);
}

// In all levels, as packs have them.
static void put_hole(taken *t, int column, int row, bool hole) {
    for (int level = 0; level < t->a.contents.level_count; ++level, column /= 2, row /= 2) {
        uint64_t *word = &t->a.chunk[level][row / 64 * t->a.chunks_x[level] + column / 64].hole[row % 64];
        if (!hole && level) return;
        *word = (*word & ~(1ull << column % 64)) | (uint64_t)hole << column % 64;
    }
}

// What is broken, one thing of each kind that the row is there for, and what is said of it.
static const char *const said[] = {
    "",
    "are not the field's vertices",
    "corners of seams are listed, and there are",
    "are not those listed",
    "are not those listed",
    "are not those listed",
    "is drawn where the net is in its place",
    "has a hole along the net",
    "its node reaches a seam",
    "at a seam has an error of 3 m",
    "are not the field's vertices",
    "are not closed rings",
};

static void break_it(taken *t, int way) {
    kst_pack_contents *c = &t->a.contents;
    karst_chunk_corners *corners = &t->a.chunk[1][0].corners;
    switch (way) {
        case 2:
            --c->seam_count;
            break;
        case 3:
            t->seams[3].most_log2 = t->seams[3].most_log2 == 1 ? 2 : 1;
            break;
        case 4:
            t->seams[5].min[1] = nextafterf(t->seams[5].min[1], 1e9f);
            break;
        case 5:
            t->seams[2].size += 1;
            break;
        case 6:
            put_hole(t, 120, 20, false);
            break;
        case 7:
            put_hole(t, 120, 15, true);
            break;
        case 8:
            t->a.node[1][0].error = 7;
            break;
        case 9:
            corners->error[0][4] = 3;
            break;
        case 10:
            t->a.chunk[0][1].vertex[16 * KARST_CHUNK_SIDE + 57].y += 1;
            break;
        default:
            break;  // 0: nothing; 1 and 11: the net is broken already
    }
}

static void a_pack_that_is_broken_at_a_seam_fails(void **state) {
    (void)state;
    seam_def def = seam_def_default();
    karst_field *field = seam_field(&def);
    karst_net *net = seam_net(field, &def);
    const char *path = temp_path("whole.kpack"), *other = temp_path("broken.kpack");
    karst_bake_info info;
    assert_int_equal(seam_bake(field, net, path, 0.01f, NULL, NULL, &info), KARST_OK);
    for (int way = 0; way < (int)(sizeof said / sizeof *said); ++way) {
        taken t;
        take(path, net, &t);
        karst_report report = {0};
        t.off = way == 1;
        karst_net_edge *edge = first_seam(net);
        uint8_t seam = edge->seam;
        if (way == 11) edge->seam = 0;
        if (karst_net_pin(net, give_pin, &t, &report)) fail_msg("%s", report.message);
        break_it(&t, way);
        put_together(other, &t.a);
        edge->seam = seam;
        karst_pack *pack = open_pack(other);
        karst_check row[KARST_CHECK_MAX];
        int count;
        assert_int_equal(karst_pack_check(pack, NULL, NULL, row, &count), KARST_OK);
        assert_string_equal(row[count - 1].name, "seams");
        if ((row[count - 1].failed > 0) != (way > 0)) fail_msg("way %d: %s", way, row[count - 1].first);
        if (!strstr(row[count - 1].first, said[way])) fail_msg("way %d: %s", way, row[count - 1].first);
        karst_pack_close(pack);
        give_back(&t);
    }
    karst_net_destroy(net);
    karst_field_destroy(field);
}

// ---- rays ------------------------------------------------------------------------------------------

typedef struct grounds {
    karst_pack *pack;
    karst_noise_bank *bank;
    karst_zone **zones;
    karst_zone_ground *patches;
} grounds;

static void open_grounds(const char *path, grounds *g) {
    *g = (grounds){.pack = open_pack(path), .bank = malloc(sizeof *g->bank)};
    karst_noise_bank_make(g->bank);
    int32_t count = karst_pack_zone_count(g->pack);
    g->zones = malloc((size_t)count * sizeof *g->zones);
    for (int32_t k = 0; k < count; ++k)
        assert_int_equal(karst_pack_zone_read(g->pack, k, g->bank, NULL, &g->zones[k]), KARST_OK);
    assert_int_equal(karst_zone_ground_create(karst_pack_net_origin(g->pack), NULL, &g->patches), KARST_OK);
    assert_int_equal(karst_zone_ground_add(g->patches, (const karst_zone *const *)g->zones, (uint32_t)count, NULL),
                     KARST_OK);
}

static void close_grounds(grounds *g) {
    karst_zone_ground_destroy(g->patches);
    for (int32_t k = 0; k < karst_pack_zone_count(g->pack); ++k) karst_zone_destroy(g->zones[k]);
    free(g->zones), free(g->bank);
    karst_pack_close(g->pack);
}

static karst_pos vertex_at(const karst_pack *pack, int32_t column, int32_t row) {
    static karst_chunk chunk;
    assert_int_equal(karst_pack_read_chunk(pack, 0, column / 64, row / 64, &chunk), KARST_OK);
    karst_lattice l = karst_pack_info_of(pack).lattice;
    karst_vertex v = chunk.vertex[row % 64 * KARST_CHUNK_SIDE + column % 64];
    return (karst_pos){l.shape.origin.x + ((double)column * l.cell_steps + v.dx) * l.step_xz_m,
                       l.shape.origin.y + v.y * l.step_y_m,
                       l.shape.origin.z + ((double)row * l.cell_steps + v.dz) * l.step_xz_m};
}

// A place on the ring: a vertex, one on the line to the next, or within some fine steps of that.
static karst_pos place_on_ring(prop *p, const karst_pack *pack, const seam_def *def) {
    bool along_x = prop_chance(p, 0.5), far = prop_chance(p, 0.5);
    karst_rect r = {def->rect.x0, def->rect.z0, def->rect.x1 - 1, def->rect.z1 - 1};
    int32_t at = along_x ? prop_int(p, r.x0, r.x1 - 1) : prop_int(p, r.z0, r.z1 - 1);
    int32_t column = along_x ? at : far ? r.x1 : r.x0, row = along_x ? (far ? r.z1 : r.z0) : at;
    karst_pos a = vertex_at(pack, column, row), b = vertex_at(pack, column + along_x, row + !along_x);
    double t = prop_chance(p, 0.3) ? 0 : prop_real(p, 0, 1), off = prop_chance(p, 0.5) ? 0x1.8p-12 : 0;
    return (karst_pos){a.x + t * (b.x - a.x) + prop_real(p, -off, off), a.y + t * (b.y - a.y),
                       a.z + t * (b.z - a.z) + prop_real(p, -off, off)};
}

static int64_t slipped(const char *path, const seam_def *def, const char *name) {
    grounds g;
    open_grounds(path, &g);
    const karst_ground *both[2] = {karst_pack_ground(g.pack), karst_zone_ground_of(g.patches)};
    int64_t slips = 0, hits[2] = {0};
    for (prop p = prop_begin(name, 20000); prop_next(&p);) {
        karst_pos to = place_on_ring(&p, g.pack, def);
        karst_pos way = {prop_real(&p, -0.6, 0.6), prop_chance(&p, 0.2) ? 1 : -1, prop_real(&p, -0.6, 0.6)};
        if (prop_chance(&p, 0.3)) way.x = way.z = 0;
        karst_ray ray = karst_ray_make((karst_pos){to.x - 9 * way.x, to.y - 9 * way.y, to.z - 9 * way.z}, way);
        double y;
        bool met = false, over = false;
        for (int k = 0; k < 2; ++k) {
            karst_hit hit;
            bool blocked;
            prop_check(&p, !karst_ground_cast(both[k], &ray, &hit) && !karst_ground_blocked(both[k], &ray, &blocked));
            prop_check(&p, hit.hit == blocked);
            met |= hit.hit;
            hits[k] += hit.hit;
            over |= karst_ground_height(both[k], to.x, to.z, &y) && fabs(y - to.y) < 0.01;
        }
        slips += !met || !over;
    }
    assert_true(hits[0] > test_count(20000) / 4 && hits[1] > test_count(20000) / 4);
    close_grounds(&g);
    return slips;
}

static void no_ray_slips_through_a_seam(void **state) {
    (void)state;
    for (int displaced = 0; displaced < 2; ++displaced) {
        seam_def def = seam_def_default();
        def.displaced = displaced;
        karst_field *field = seam_field(&def);
        karst_net *net = seam_net(field, &def);
        const char *path = temp_path("rays.kpack"), *other = temp_path("gap.kpack");
        karst_bake_info info;
        assert_int_equal(seam_bake(field, net, path, 0.01f, NULL, NULL, &info), KARST_OK);
        assert_int_equal(slipped(path, &def, "rays"), 0);
        taken t;  // control: pins beside the field's vertices by the least that there is
        take(path, net, &t);
        t.off = 1;
        assert_int_equal(karst_net_pin(net, give_pin, &t, NULL), KARST_OK);
        put_together(other, &t.a);
        assert_true(slipped(other, &def, "gap") > 0);
        give_back(&t);
        karst_net_destroy(net);
        karst_field_destroy(field);
    }
}

static void relaxing_beside_a_seam_moves_no_vertex_on_it(void **state) {
    (void)state;
    seam_def def = seam_def_default();
    def.displaced = true;
    karst_field *field = seam_field(&def);
    karst_net *net = seam_net(field, &def);
    float wall[40];  // a wall right beside the seam, and under the net
    for (int k = 0; k < 2; ++k) {
        karst_rect rect = {k ? 116 : 108, 30, k ? 117 : 109, 70};
        assert_int_equal(karst_field_read(field, rect, wall, NULL, NULL, 1), KARST_OK);
        for (int j = 0; j < 40; ++j) wall[j] += 12;
        assert_int_equal(karst_field_write(field, rect, wall, NULL, NULL, 1), KARST_OK);
    }
    karst_bake_def bd = karst_bake_def_default();
    karst_bake_info info;
    karst_report report = {0};
    const char *path = temp_path("relaxed.kpack");
    bd.net = net, bd.map_side = 32, bd.relax_above = 3;
    if (karst_bake_field(field, path, &bd, NULL, &report, &info)) fail_msg("%s", report.message);
    assert_true(info.relaxed.moved > 100 && info.relaxed.largest_m > 0.1);
    expect_sound(path, 100);
    karst_pack *pack = open_pack(path);
    double worst = 0, beside = 0;
    for (int row = def.rect.z0; row < def.rect.z1; ++row)
        for (int k = 0; k < 2; ++k) {
            int column = def.rect.x0 - 3 * k;
            float at[3];
            karst_rect one = {column, row, column + 1, row + 1};
            assert_int_equal(karst_field_read(field, one, &at[1], &at[0], &at[2], 1), KARST_OK);
            karst_pos v = vertex_at(pack, column, row);
            double x = v.x - (def.origin.x + column + at[0]), y = v.y - (def.origin.y + at[1]),
                   z = v.z - (def.origin.z + row + at[2]), d = sqrt(x * x + y * y + z * z);
            if (k)
                beside = fmax(beside, d);
            else
                worst = fmax(worst, d);
        }
    assert_true(worst <= 0.01 && beside > 0.1);
    karst_pack_close(pack);
    karst_net_destroy(net);
    karst_field_destroy(field);
}

// ---- a world ---------------------------------------------------------------------------------------

static void fine(karst_project *p, karst_status status) {
    if (status) fail_msg("%s", karst_project_message(p));
}

static void add_field(karst_project *p, karst_field *from) {
    karst_field_shape shape = karst_field_shape_of(from);
    size_t n = (size_t)shape.columns * (size_t)shape.rows;
    karst_rect all = {0, 0, shape.columns, shape.rows};
    float *y = malloc(3 * n * sizeof *y);
    int64_t id;
    karst_field *to;
    fine(p, karst_project_begin(p, "field"));
    fine(p, karst_project_add_field(p, "ground", &shape, &id));
    fine(p, karst_project_field(p, id, 0, &to));
    assert_int_equal(karst_field_read(from, all, y, y + n, y + 2 * n, shape.columns), KARST_OK);
    assert_int_equal(karst_field_write(to, all, y, y + n, y + 2 * n, shape.columns), KARST_OK);
    assert_int_equal(karst_field_flush(to), KARST_OK);
    karst_field_destroy(to);
    fine(p, karst_project_commit(p));
    free(y);
}

// A net becomes the world's, NULL: it has none. *id: of its ground, 0 when there is none.
static karst_status put_net(karst_project *p, const karst_net *net, int64_t *id) {
    int64_t was = *id;
    if (!net) *id = 0;
    if (!net) return karst_project_remove_ground(p, was);
    return was ? karst_project_set_net(p, was, net) : karst_project_add_net(p, NULL, net, id);
}

static void a_net_that_changes_leaves_no_old_chunk(void **state) {
    (void)state;
    seam_def def = seam_def_default();
    karst_field *field = seam_field(&def);
    karst_net *net[3] = {seam_net(field, &def), NULL, NULL};
    def.rect.x0 += 16, def.rect.z1 -= 32;
    net[1] = seam_net(field, &def);
    karst_project *p;
    const char *pack = temp_path("world.kpack"), *plain = temp_path("plain.kpack");
    assert_int_equal(karst_project_create(temp_path("world.karst"), NULL, &p), KARST_OK);
    add_field(p, field);
    karst_bake_def bake = karst_bake_def_default();
    bake.map_side = 32;
    static const int turns[] = {0, 1, 0, 2, 1};
    int64_t patch = 0;
    for (int k = 0; k < 5; ++k) {
        karst_bake_info info, again, alone;
        karst_report report = {0};
        const karst_net *here = net[turns[k]];
        fine(p, karst_project_begin(p, "net"));
        fine(p, put_net(p, here, &patch));
        fine(p, karst_project_commit(p));
        if (karst_bake(p, pack, &bake, NULL, &report, &info)) fail_msg("%s", report.message);
        assert_int_equal(seam_bake(field, here, plain, 0.01f, NULL, NULL, &alone), KARST_OK);
        assert_true(info.hash == alone.hash && same_bytes(pack, plain));
        assert_true(k < 1 || info.steps_reused > 0);
        if (here) expect_sound(pack, 100);
        assert_int_equal(karst_bake(p, pack, &bake, NULL, &report, &again), KARST_OK);
        assert_true(again.hash == info.hash && again.steps_run == 0);
    }
    karst_project_close(p);
    karst_net_destroy(net[0]);
    karst_net_destroy(net[1]);
    karst_field_destroy(field);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    seam_def def = seam_def_default();
    karst_field *field = seam_field(&def);
    karst_net *net = seam_net(field, &def);
    for (uint64_t n = 1;; n += 1 + n / 5) {
        karst_pack *pack = NULL;
        karst_bake_info info;
        karst_check row[KARST_CHECK_MAX];
        int count;
        kst_alloc_fail_after(n);
        karst_status status = seam_bake(field, net, temp_path("memory.kpack"), 0.01f, NULL, NULL, &info);
        if (!status) status = karst_pack_open(temp_path("memory.kpack"), NULL, &pack);
        if (!status) status = karst_pack_check(pack, NULL, NULL, row, &count);
        kst_alloc_fail_after(0);
        karst_pack_close(pack);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    karst_net_destroy(net);
    karst_field_destroy(field);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(net_and_field_meet_to_the_bit),
        cmocka_unit_test(rings_may_touch_at_a_corner_and_have_holes_inside),
        cmocka_unit_test(the_bytes_do_not_depend_on_threads_nor_times),
        cmocka_unit_test(what_cannot_meet_is_refused),
        cmocka_unit_test(a_pack_that_is_broken_at_a_seam_fails),
        cmocka_unit_test(no_ray_slips_through_a_seam),
        cmocka_unit_test(relaxing_beside_a_seam_moves_no_vertex_on_it),
        cmocka_unit_test(a_net_that_changes_leaves_no_old_chunk),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
