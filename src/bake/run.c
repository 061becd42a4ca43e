// SPDX-License-Identifier: MIT
// Bake: sheet -> tables -> nodes -> records -> maps -> pack. Each arrow is a stage whose results are kept.
#include "bake/run.h"

#include <math.h>

#include "bake/relax.h"
#include "bake/sheet.h"
#include "karst/netfit.h"
#include "pack/format.h"

enum { RUN_NODES = 8 };  // records in one step: neighbours of a row

// A stretch of nodes of one row, whose children are of a level.
typedef struct stretch {
    int level;
    int32_t z, x0, x1;
} stretch;

typedef struct bake {
    const karst_bake_def *def;
    kst_graph *graph;
    kst_sheet sheet;
    kst_tables tables;
    karst_node *nodes[KST_LEVELS];
    float (*bounds[KST_LEVELS])[6];
    kst_steps_box ground;  // all vertices that touch ground
    stretch *stretches;
    kst_bytes *records;  // of each stretch
    int stretch_count, first[KST_LEVELS];
    kst_record_tables *shared;  // what records are written by
    kst_record_codes *codes;
    kst_bytes table_bytes, root;
    size_t table_room, root_size;
    uint16_t reach[2];  // most that a vertex is moved along x, z [steps]
    int64_t chunk_count;
    kst_bytes maps;
    kst_bake_relax relax;
    kst_bake_seams seams;
} bake;

static size_t chunk_total(const kst_sheet *s, int level) {
    return (size_t)s->chunks_x[level] * (size_t)s->chunks_z[level];
}

// ---- tables ----------------------------------------------------------------------------------------

static karst_status table_key(void *context, int step, uint64_t *out) {
    const bake *b = context;
    *out = kst_hash_u64(b->graph->version, kst_table_row_key(&b->sheet, step));
    return KARST_OK;
}

static karst_status table_run(void *context, int step, kst_bytes *out) {
    const kst_sheet *s = &((bake *)context)->sheet;
    *out = kst_bytes_make(kst_table_row_bytes(s));
    return out->at ? kst_table_row_build(s, step, out->at) : KARST_ERROR_MEMORY;
}

static bool table_is_whole(void *context, int step, const kst_bytes *bytes) {
    (void)step;
    return bytes->size == kst_table_row_bytes(&((bake *)context)->sheet);
}

static karst_status build_tables(bake *b, karst_report *report) {
    size_t count = (size_t)b->sheet.chunks_z[0];
    kst_bytes *rows = kst_alloc_zero(NULL, count * sizeof *rows);
    const uint8_t **at = kst_alloc_array(NULL, count, sizeof *at);
    karst_status status = rows && at ? KARST_OK : KARST_ERROR_MEMORY;
    kst_stage stage = {"errors", (int)count, b, table_key, table_run, table_is_whole};
    if (!status) status = kst_graph_stage(b->graph, &stage, rows, report);
    if (!status) {
        for (size_t i = 0; i < count; ++i) at[i] = rows[i].at;
        status = kst_tables_build(&b->sheet, at, &b->tables);
    }
    if (rows) kst_bytes_free(rows, (int)count);
    kst_free(NULL, rows, count * sizeof *rows);
    kst_free(NULL, at, count * sizeof *at);
    return status;
}

// ---- nodes -----------------------------------------------------------------------------------------

typedef struct node_work {
    bake *b;
    int level;
    kst_steps_box *row_ground;  // of each row of chunks
} node_work;

static karst_status node_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    node_work *w = context;
    bake *b = w->b;
    int level = w->level;
    for (int32_t z = begin; z < end; ++z) {
        w->row_ground[z] = KST_STEPS_BOX_EMPTY;
        for (int32_t x = 0; x < b->sheet.chunks_x[level]; ++x) {
            size_t at = (size_t)z * (size_t)b->sheet.chunks_x[level] + (size_t)x;
            b->nodes[level][at] = kst_tables_node(&b->sheet, &b->tables, level, x, z);
            kst_steps_box box = kst_sheet_chunk_bounds(&b->sheet, &b->tables, level, x, z);
            kst_steps_box_metres(&box, &b->sheet.lattice, b->bounds[level][at]);
            if (level > 0) continue;
            kst_steps_box ground = kst_sheet_ground_bounds(&b->sheet, x, z);
            kst_steps_box_add(&w->row_ground[z], &ground);
        }
        kst_scratch_ease(b->sheet.scratch);
    }
    return KARST_OK;
}

static karst_status build_nodes(bake *b) {
    const kst_sheet *s = &b->sheet;
    size_t rows = (size_t)s->chunks_z[0];
    node_work w = {b, 0, kst_alloc_array(NULL, rows, sizeof *w.row_ground)};
    karst_status status = w.row_ground ? KARST_OK : KARST_ERROR_MEMORY;
    for (w.level = 0; w.level < s->level_count && !status; ++w.level) {
        b->nodes[w.level] = kst_alloc_array(NULL, chunk_total(s, w.level), sizeof *b->nodes[0]);
        b->bounds[w.level] = kst_alloc_array(NULL, chunk_total(s, w.level), sizeof *b->bounds[0]);
        b->chunk_count += (int64_t)chunk_total(s, w.level);
        if (!b->nodes[w.level] || !b->bounds[w.level]) status = KARST_ERROR_MEMORY;
        if (!status)
            status = kst_jobs_run(b->graph->jobs, s->chunks_z[w.level], 1, node_rows, &w, b->graph->progress, "nodes",
                                  w.level / (double)s->level_count, (w.level + 1) / (double)s->level_count);
        if (w.level == 0 && !status) {
            b->ground = KST_STEPS_BOX_EMPTY;
            for (size_t z = 0; z < rows; ++z) kst_steps_box_add(&b->ground, &w.row_ground[z]);
        }
    }
    kst_free(NULL, w.row_ground, rows * sizeof *w.row_ground);
    return status;
}

// ---- records ---------------------------------------------------------------------------------------
//
// The result of a step is the size of each record of the stretch, 4 bytes each, then their bytes. All records are
// written by frequencies and weights that were learnt from a spread of them, so a change to one of that spread is a
// change to all.

typedef struct family {
    karst_chunk parent, child[4];
    const karst_chunk *there[4];
} family;

static karst_status cut_chunk(void *context, int level, int32_t x, int32_t z, karst_chunk *out) {
    const bake *b = context;
    memset(out, 0, sizeof *out);  // between the members too
    kst_sheet_chunk(&b->sheet, &b->tables, level, x, z, out);
    kst_scratch_ease(b->sheet.scratch);
    return KARST_OK;
}

static void cut_family(bake *b, kst_record_place p, family *f) {
    (void)cut_chunk(b, p.level + 1, p.x, p.z, &f->parent);
    for (int child = 0; child < 4; ++child) {
        f->there[child] = kst_record_has(b->shared, p, child) ? &f->child[child] : NULL;
        if (f->there[child])
            (void)cut_chunk(b, p.level, 2 * p.x + (child & 1), 2 * p.z + (child >> 1), &f->child[child]);
    }
}

static karst_status record_key(void *context, int step, uint64_t *out) {
    bake *b = context;
    stretch t = b->stretches[step];
    family *f = kst_alloc(NULL, sizeof *f);
    if (!f) return KARST_ERROR_MEMORY;
    uint64_t hash = kst_hash_u64(b->graph->version, (uint64_t)t.level << 32 | (uint32_t)(t.x1 - t.x0));
    hash = kst_hash(b->table_bytes.at, b->table_bytes.size, hash);
    for (int32_t x = t.x0; x < t.x1; ++x) {
        cut_family(b, (kst_record_place){t.level, x, t.z}, f);
        hash = kst_hash(&f->parent, sizeof f->parent, hash);
        for (int child = 0; child < 4; ++child)
            if (f->there[child]) hash = kst_hash(f->there[child], sizeof *f->there[child], hash);
    }
    kst_free(NULL, f, sizeof *f);
    *out = hash;
    return KARST_OK;
}

static karst_status record_run(void *context, int step, kst_bytes *out) {
    bake *b = context;
    stretch t = b->stretches[step];
    size_t count = (size_t)(t.x1 - t.x0), head = count * 4, room = head + count * kst_record_encode_bound();
    family *f = kst_alloc(NULL, sizeof *f);
    uint8_t *bytes = kst_alloc(NULL, room);
    kst_record_coder *coder = kst_record_coder_create(NULL, true);
    karst_status status = f && bytes && coder ? KARST_OK : KARST_ERROR_MEMORY;
    size_t used = head;
    for (size_t i = 0; i < count && !status; ++i) {
        kst_record_place p = {t.level, t.x0 + (int32_t)i, t.z};
        cut_family(b, p, f);
        size_t size = kst_record_encode(coder, b->shared, b->codes, p, &f->parent, f->there, bytes + used, room - used);
        if (!size) status = KARST_ERROR_MEMORY;
        kst_out size_at = {bytes + 4 * i};
        kst_put_uint(&size_at, size, 4);
        used += size;
    }
    if (!status) {
        *out = kst_bytes_make(used);
        if (out->at)
            memcpy(out->at, bytes, used);
        else
            status = KARST_ERROR_MEMORY;
    }
    kst_free(NULL, f, sizeof *f);
    kst_free(NULL, bytes, room);
    kst_record_coder_destroy(coder);
    return status;
}

static bool record_is_whole(void *context, int step, const kst_bytes *bytes) {
    stretch t = ((bake *)context)->stretches[step];
    kst_reader r = {bytes->at, bytes->at + bytes->size, false};
    uint64_t sum = 4 * (uint64_t)(t.x1 - t.x0);
    for (int32_t x = t.x0; x < t.x1; ++x) sum += kst_read_u32(&r);
    return !r.bad && sum == bytes->size;
}

// ---- what records are written by -------------------------------------------------------------------

typedef struct findings {
    uint32_t bits;      // of heights less the first one: all that any has
    uint16_t reach[2];  // most that a vertex is moved along x, z
} findings;

typedef struct looking {
    const kst_sheet *s;
    findings *found;  // of each worker
} looking;

KST_TWINS static uint32_t row_bits(const int32_t *y, int32_t columns, uint32_t low) {
    uint32_t bits = 0;
    for (int32_t i = 0; i < columns; ++i) bits |= (uint32_t)y[i] - low;
    return bits;
}

KST_TWINS static uint16_t row_reach(const int16_t *d, int32_t columns) {
    int32_t most = 0;
    for (int32_t i = 0; i < columns; ++i) {
        int32_t is = d[i] < 0 ? -d[i] : d[i];
        most = is > most ? is : most;
    }
    return (uint16_t)most;
}

static karst_status look_at_rows(int begin, int end, int worker, void *context) {
    looking *l = context;
    const kst_sheet *s = l->s;
    findings *f = &l->found[worker];
    for (int32_t row = begin; row < end; ++row) {
        size_t at = kst_sheet_index(s, 0, row);
        f->bits |= row_bits(s->y + at, s->columns, (uint32_t)s->y[0]);
        for (int a = 0; a < 2 && s->displaced; ++a) {
            uint16_t reach = row_reach((a ? s->dz : s->dx) + at, s->columns);
            f->reach[a] = reach > f->reach[a] ? reach : f->reach[a];
        }
    }
    kst_scratch_ease(s->scratch);
    return KARST_OK;
}

// How far vertices are moved; and heights that are all multiples of a power of two steps apart are told in multiples.
static karst_status look_at_sheet(bake *b) {
    size_t workers = (size_t)karst_jobs_worker_count(b->graph->jobs);
    looking l = {&b->sheet, kst_alloc_zero(NULL, workers * sizeof *l.found)};
    karst_status status = l.found ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status)
        status = kst_jobs_run(b->graph->jobs, b->sheet.rows, 64, look_at_rows, &l, b->graph->progress, "learn", 0, 0);
    uint32_t bits = 0;
    for (size_t w = 0; w < workers && !status; ++w) {
        bits |= l.found[w].bits;
        for (int a = 0; a < 2; ++a) b->reach[a] = l.found[w].reach[a] > b->reach[a] ? l.found[w].reach[a] : b->reach[a];
    }
    b->shared->y_low = b->sheet.y[0];
    b->shared->y_shift = bits ? __builtin_ctz(bits) : 0;
    if (b->shared->y_shift > 30) b->shared->y_shift = 30;
    kst_free(NULL, l.found, workers * sizeof *l.found);
    return status;
}

static karst_status learn_tables(bake *b) {
    b->shared = kst_alloc_zero(NULL, sizeof *b->shared);
    b->codes = kst_alloc(NULL, sizeof *b->codes);
    size_t room = kst_record_tables_bound(b->sheet.level_count);
    b->table_bytes = kst_bytes_make(room);
    if (!b->shared || !b->codes || !b->table_bytes.at) return KARST_ERROR_MEMORY;
    b->shared->lattice = b->sheet.lattice;
    b->shared->level_count = b->sheet.level_count;
    b->shared->displaced = b->sheet.displaced;
    karst_status status = look_at_sheet(b);
    if (!status) status = kst_record_tables_learn(b->shared, cut_chunk, b, b->graph->jobs, b->graph->progress);
    if (status) return status;
    kst_record_codes_make(b->shared, b->codes);
    b->table_room = room;
    b->table_bytes.size = kst_record_tables_write(b->shared, b->table_bytes.at, room);
    return b->table_bytes.size ? KARST_OK : KARST_ERROR_LIMIT;
}

static karst_status encode_root(bake *b) {
    karst_chunk *chunk = kst_alloc(NULL, sizeof *chunk);
    b->root = kst_bytes_make(kst_pack_encode_bound());
    karst_status status = chunk && b->root.at ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        status = cut_chunk(b, b->sheet.level_count - 1, 0, 0, chunk);
        b->root_size = kst_pack_encode_chunk(chunk, b->sheet.level_count - 1, b->root.at, b->root.size);
        if (!b->root_size) status = KARST_ERROR_MEMORY;
    }
    kst_free(NULL, chunk, sizeof *chunk);
    return status;
}

static int stretches_across(const kst_sheet *s, int level) {  // of nodes whose children are of a level
    return (s->chunks_x[level + 1] + RUN_NODES - 1) / RUN_NODES;
}

static karst_status build_records(bake *b, karst_report *report) {
    const kst_sheet *s = &b->sheet;
    karst_status status = learn_tables(b);
    if (!status) status = encode_root(b);
    if (status) return status;
    for (int level = s->level_count - 2; level >= 0; --level) {
        b->first[level] = b->stretch_count;
        b->stretch_count += stretches_across(s, level) * s->chunks_z[level + 1];
    }
    if (!b->stretch_count) return KARST_OK;
    b->stretches = kst_alloc_array(NULL, (size_t)b->stretch_count, sizeof *b->stretches);
    b->records = kst_alloc_zero(NULL, (size_t)b->stretch_count * sizeof *b->records);
    if (!b->stretches || !b->records) return KARST_ERROR_MEMORY;
    int at = 0;
    for (int level = s->level_count - 2; level >= 0; --level)
        for (int32_t z = 0; z < s->chunks_z[level + 1]; ++z)
            for (int32_t x = 0; x < s->chunks_x[level + 1]; x += RUN_NODES)
                b->stretches[at++] = (stretch){level, z, x, kst_min32(x + RUN_NODES, s->chunks_x[level + 1])};
    kst_stage stage = {"encode", b->stretch_count, b, record_key, record_run, record_is_whole};
    return kst_graph_stage(b->graph, &stage, b->records, report);
}

static karst_status give_record(void *context, size_t record, const uint8_t **bytes, size_t *size) {
    bake *b = context;
    if (record == 0) {
        *bytes = b->root.at;
        *size = b->root_size;
        return KARST_OK;
    }
    size_t node = record - 1;  // counted from the coarsest level
    int level = b->sheet.level_count - 2;
    for (; node >= chunk_total(&b->sheet, level + 1); --level) node -= chunk_total(&b->sheet, level + 1);
    int32_t across = b->sheet.chunks_x[level + 1], x = (int32_t)(node % (size_t)across),
            z = (int32_t)(node / (size_t)across);
    int step = b->first[level] + z * stretches_across(&b->sheet, level) + x / RUN_NODES;
    stretch t = b->stretches[step];
    kst_reader r = {b->records[step].at, b->records[step].at + b->records[step].size, false};
    size_t at = 4 * (size_t)(t.x1 - t.x0);
    for (int32_t i = t.x0; i < x; ++i) at += kst_read_u32(&r);
    *size = kst_read_u32(&r);
    *bytes = b->records[step].at + at;
    if (x == t.x0) kst_scratch_ease(b->graph->scratch);
    return r.bad ? KARST_ERROR_FORMAT : KARST_OK;
}

// ---- pack ------------------------------------------------------------------------------------------

static karst_status write_pack(bake *b, const char *path, karst_report *report, karst_bake_info *info) {
    const kst_sheet *s = &b->sheet;
    const karst_lattice *l = &s->lattice;
    karst_pos o = l->shape.origin;
    const int32_t *low = b->ground.min, *high = b->ground.max;
    kst_pack_contents c = {
        .lattice = *l, .level_count = s->level_count, .hole_count = s->hole_count, .world_hash = s->source_hash};
    bool any = low[0] <= high[0];
    c.bounds = (karst_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (any) {
        c.bounds.min =
            (karst_pos){o.x + low[0] * l->step_xz_m, o.y + low[1] * l->step_y_m, o.z + low[2] * l->step_xz_m};
        c.bounds.max =
            (karst_pos){o.x + high[0] * l->step_xz_m, o.y + high[1] * l->step_y_m, o.z + high[2] * l->step_xz_m};
        c.min_y_m = (float)c.bounds.min.y;
        c.max_y_m = (float)c.bounds.max.y;
    }
    for (int level = 0; level < s->level_count; ++level) {
        c.nodes[level] = b->nodes[level];
        c.chunk_bounds[level] = (const float(*)[6])b->bounds[level];
    }
    kst_maps_contents(&b->maps, &c);
    c.tables = b->table_bytes.at;
    c.table_bytes = b->table_bytes.size;
    c.reach_x_steps = b->reach[0];
    c.reach_z_steps = b->reach[1];
    kst_net_zones zones;
    karst_status status = kst_net_zones_make(b->def->net, &b->seams, report, &zones);
    kst_net_zones_contents(&zones, &c);
    info->zone_count = c.zone_count;
    ++b->graph->run;
    if (!status)
        status = kst_pack_write(path, &c, give_record, b, b->graph->progress, report, &info->hash, &info->file_bytes);
    kst_net_zones_free(&zones);
    return status;
}

static void free_bake(bake *b) {
    for (int level = 0; level < b->sheet.level_count; ++level) {
        kst_free(NULL, b->nodes[level], chunk_total(&b->sheet, level) * sizeof *b->nodes[0]);
        kst_free(NULL, b->bounds[level], chunk_total(&b->sheet, level) * sizeof *b->bounds[0]);
    }
    if (b->records) kst_bytes_free(b->records, b->stretch_count);
    kst_bytes_free(&b->maps, 1);
    if (b->table_room) b->table_bytes.size = b->table_room;  // as it was made
    kst_bytes_free(&b->table_bytes, 1);
    kst_bytes_free(&b->root, 1);
    kst_free(NULL, b->shared, sizeof *b->shared);
    kst_free(NULL, b->codes, sizeof *b->codes);
    kst_free(NULL, b->records, (size_t)b->stretch_count * sizeof *b->records);
    kst_free(NULL, b->stretches, (size_t)b->stretch_count * sizeof *b->stretches);
    kst_tables_free(&b->tables);
    kst_sheet_free(&b->sheet);
    kst_bake_seams_close(&b->seams);
}

karst_status kst_bake_check(const karst_bake_def *def, karst_report *report, karst_bake_def *out) {
    *out = def ? *def : karst_bake_def_default();
    KARST_ASSERT(out->cookie == KST_COOKIE);
    if (!(out->error_m >= 1e-5f && out->error_m <= 100))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "error %g m: must be 0.00001 to 100", (double)out->error_m);
    if (out->map_side < 2 || out->map_side > 1 << 14)
        return kst_fail(report, KARST_ERROR_ARGUMENT, "map side %d: must be 2 to 16384", out->map_side);
    if (!(out->relax_above == 0 || (out->relax_above >= 2 && out->relax_above <= 1000)))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "relax above %g: must be 0 (off) or 2 to 1000",
                        (double)out->relax_above);
    if (!(out->relax_distance_m >= 0 && out->relax_distance_m <= 1e6f))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "relax distance %g m: must be 0 (half the spacing) to 1000000",
                        (double)out->relax_distance_m);
    if (!out->memory_bytes) out->memory_bytes = karst_bake_def_default().memory_bytes;
    return KARST_OK;
}

// Everything but the file. net: takes the place of parts of the field where it has seams; may be NULL.
static karst_status make(bake *b, karst_field *field, const karst_net *net, karst_report *why) {
    kst_graph *g = b->graph;
    karst_field_shape shape = karst_field_shape_of(field);
    double spacing_m = shape.spacing_m, relax_m = (double)b->def->relax_distance_m;
    b->relax = (kst_bake_relax){.above = (double)b->def->relax_above, .graph = g};
    b->relax.distance_m = relax_m > 0 ? relax_m : 0.5 * spacing_m;
    const kst_sheet_change change = {kst_bake_relax_run, &b->relax};
    karst_status status = kst_bake_seams_open(net, &shape, why, &b->seams);
    kst_sheet_seam seam = {.patches = b->seams.patches};
    if (b->seams.net) seam.fine_m = ldexp(1.0 / KARST_NET_FINE, net->step_log2);
    if (!status)
        status = kst_sheet_build(field, (double)b->def->error_m, &change, b->seams.net ? &seam : NULL, g->scratch,
                                 g->jobs, g->progress, why, &b->sheet);
    if (!status) status = kst_bake_seams_pin(&b->seams, &b->sheet, why);
    if (!status) status = build_tables(b, why);
    if (!status) status = build_nodes(b);
    if (!status) status = kst_sheet_normals(&b->sheet, g->jobs, g->progress);
    if (!status) status = kst_sheet_occlusion(&b->sheet, field, g->jobs, g->progress, why);
    if (!status) status = build_records(b, why);
    if (!status) status = kst_maps_build(&b->sheet, b->def->map_side, g, &b->maps, why);
    return status;
}

karst_status kst_bake_run(karst_field *field, const char *path, const karst_bake_def *def, kst_graph *graph,
                          karst_report *report, karst_bake_info *info) {
    bake b = {.def = def, .graph = graph};
    karst_report why = {0};
    karst_bake_info done = {0};
    karst_field *hole = NULL;
    karst_status status = kst_scratch_create(path, def->memory_bytes, &graph->scratch);
    if (!status && !field) status = kst_hole_field(def->net, &hole);
    if (!status) status = make(&b, field ? field : hole, field ? def->net : NULL, &why);
    if (!status) status = write_pack(&b, path, &why, &done);
    if (!status) {
        done.level_count = b.sheet.level_count;
        done.chunk_count = b.chunk_count;
        done.largest_error_m = b.sheet.largest_error_m;
        done.relaxed = b.relax.done;
        done.steps_run = graph->run;
        done.steps_reused = graph->reused;
        done.scratch_bytes = kst_scratch_file_bytes(graph->scratch);
        if (info) *info = done;
    } else if (why.status) {
        kst_fail(report, status, "%s", why.message);
    } else {
        kst_fail(report, status, "%s: %s", path, karst_status_text(status));
    }
    free_bake(&b);
    karst_field_destroy(hole);
    kst_scratch_destroy(graph->scratch);
    graph->scratch = NULL;
    return status;
}

// A small field with everything in it: three coordinates, holes, two chunks.
static karst_status make_sample(karst_field **out) {
    enum { COLUMNS = 70, ROWS = 20 };
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){COLUMNS, ROWS, 2, {0, 0, 0}};
    karst_status status = karst_field_create(&def, out);
    for (int row = 0; row < ROWS && !status; ++row) {
        float at[3][COLUMNS];
        uint8_t hole[COLUMNS];
        for (int i = 0; i < COLUMNS; ++i) {
            uint64_t place = (uint64_t)(row * COLUMNS + i);
            for (int a = 0; a < 3; ++a)
                at[a][i] = (float)((a ? 1 : 30) * kst_random01((uint64_t)a, place) + (i - row) * (i + row) * 0.01);
            hole[i] = kst_random(3, place) % 8 == 0;
        }
        karst_rect rect = {0, row, COLUMNS, row + 1}, cells = {0, row, COLUMNS - 1, row + 1};
        status = karst_field_write(*out, rect, at[0], at[1], at[2], COLUMNS);
        if (!status && row + 1 < ROWS) status = karst_field_write_holes(*out, cells, hole, COLUMNS);
    }
    return status;
}

// Flat ground with one patch of a net in its middle, not flat.
static karst_status make_seam_sample(karst_field **field, karst_net **net) {
    enum { SIDE = 5 * KARST_PATCH_CELLS + 1 };  // of two levels
    karst_field_def def = karst_field_def_default();
    karst_net_fit_def fit = karst_net_fit_def_default();
    def.shape = (karst_field_shape){SIDE, SIDE, 1, {0, 0, 0}};
    fit.rect = (karst_rect){KARST_PATCH_CELLS, KARST_PATCH_CELLS, 2 * KARST_PATCH_CELLS + 1, 2 * KARST_PATCH_CELLS + 1};
    fit.replace = true, fit.slot = KARST_NOISE_SLOTS - 1;
    karst_status status = karst_field_create(&def, field);
    if (!status) status = karst_net_create((karst_pos){0, 0, 0}, -8, NULL, net);
    return status ? status : karst_net_from_field(*net, *field, &fit, NULL);
}

static karst_status hash_zones(bake *b, uint64_t *hash) {
    kst_net_zones zones;
    kst_pack_contents c = {0};
    karst_status status = kst_net_zones_make(b->seams.net, &b->seams, NULL, &zones);
    kst_net_zones_contents(&zones, &c);
    for (int32_t k = 0; k < c.zone_count && !status; ++k) {
        karst_zone *zone = NULL;
        status = c.zone(c.zone_context, k, &zone);
        size_t size = status ? 0 : karst_zone_write(zone, NULL, 0);
        uint8_t *bytes = kst_alloc(NULL, size + 1);
        if (!status && !bytes) status = KARST_ERROR_MEMORY;
        if (!status) karst_zone_write(zone, bytes, size);
        if (!status) *hash = kst_hash(bytes, size, *hash);
        kst_free(NULL, bytes, size + 1);
        karst_zone_destroy(zone);
    }
    *hash = kst_hash(c.seams, (size_t)c.seam_count * sizeof *c.seams, *hash);
    kst_net_zones_free(&zones);
    return status;
}

static karst_status hash_sample(karst_field *field, const karst_net *net, uint64_t *hash) {
    karst_bake_def def = karst_bake_def_default();
    kst_graph graph = {0};
    bake b = {.def = &def, .graph = &graph};
    karst_status status = make(&b, field, net, NULL);
    if (!status) {
        uint64_t h = kst_hash(b.maps.at, b.maps.size, *hash);
        h = kst_hash(b.root.at, b.root_size, kst_hash(b.table_bytes.at, b.table_bytes.size, h));
        for (int i = 0; i < b.stretch_count; ++i) h = kst_hash(b.records[i].at, b.records[i].size, h);
        for (int level = 0; level < b.sheet.level_count; ++level)
            h = kst_hash(b.nodes[level], chunk_total(&b.sheet, level) * sizeof *b.nodes[0], h);
        *hash = h;
        if (net) status = hash_zones(&b, hash);
    }
    free_bake(&b);
    return status;
}

karst_status kst_bake_version(uint64_t *out) {
    karst_field *field = NULL, *flat = NULL;
    karst_net *net = NULL;
    uint64_t hash = KST_PACK_VERSION;
    karst_status status = make_sample(&field);
    if (!status) status = hash_sample(field, NULL, &hash);
    if (!status) status = make_seam_sample(&flat, &net);
    if (!status) status = hash_sample(flat, net, &hash);
    if (!status) *out = hash;
    karst_field_destroy(field);
    karst_field_destroy(flat);
    karst_net_destroy(net);
    return status;
}
