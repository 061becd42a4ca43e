// SPDX-License-Identifier: MIT
// Bake: sheet -> tables -> nodes -> chunks -> maps -> pack. Each arrow is a stage whose results are kept.
#include "bake/run.h"

#include <math.h>

#include "bake/sheet.h"
#include "pack/writer.h"

enum { RUN_CHUNKS = 16 };  // chunks in one step: neighbours of a row

// A stretch of chunks of one row of one level.
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
    kst_bytes *chunks;  // of each stretch
    int stretch_count, first[KST_LEVELS];
    int64_t chunk_count;
    kst_bytes maps;
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

// ---- chunks ----------------------------------------------------------------------------------------
//
// The result of a step is the size of each chunk of the stretch, 4 bytes each, then their bytes.

static karst_status chunk_key(void *context, int step, uint64_t *out) {
    bake *b = context;
    stretch t = b->stretches[step];
    karst_chunk *chunk = kst_alloc(NULL, sizeof *chunk);
    if (!chunk) return KARST_ERROR_MEMORY;
    memset(chunk, 0, sizeof *chunk);  // between the members too
    uint64_t hash = kst_hash_u64(b->graph->version, (uint64_t)t.level << 32 | (uint32_t)(t.x1 - t.x0));
    for (int32_t x = t.x0; x < t.x1; ++x) {
        kst_sheet_chunk(&b->sheet, &b->tables, t.level, x, t.z, chunk);
        hash = kst_hash(chunk, sizeof *chunk, hash);
    }
    kst_free(NULL, chunk, sizeof *chunk);
    *out = hash;
    return KARST_OK;
}

static karst_status chunk_run(void *context, int step, kst_bytes *out) {
    bake *b = context;
    stretch t = b->stretches[step];
    size_t count = (size_t)(t.x1 - t.x0), head = count * 4, room = head + count * kst_pack_encode_bound();
    karst_chunk *chunk = kst_alloc(NULL, sizeof *chunk);
    uint8_t *bytes = kst_alloc(NULL, room);
    karst_status status = chunk && bytes ? KARST_OK : KARST_ERROR_MEMORY;
    size_t used = head;
    for (size_t i = 0; i < count && !status; ++i) {
        kst_sheet_chunk(&b->sheet, &b->tables, t.level, t.x0 + (int32_t)i, t.z, chunk);
        size_t size = kst_pack_encode_chunk(chunk, t.level, bytes + used, room - used);
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
    kst_free(NULL, chunk, sizeof *chunk);
    kst_free(NULL, bytes, room);
    return status;
}

static bool chunk_is_whole(void *context, int step, const kst_bytes *bytes) {
    stretch t = ((bake *)context)->stretches[step];
    kst_reader r = {bytes->at, bytes->at + bytes->size, false};
    uint64_t sum = 4 * (uint64_t)(t.x1 - t.x0);
    for (int32_t x = t.x0; x < t.x1; ++x) sum += kst_read_u32(&r);
    return !r.bad && sum == bytes->size;
}

static karst_status build_chunks(bake *b, karst_report *report) {
    const kst_sheet *s = &b->sheet;
    for (int level = 0; level < s->level_count; ++level) {
        b->first[level] = b->stretch_count;
        b->stretch_count += (s->chunks_x[level] + RUN_CHUNKS - 1) / RUN_CHUNKS * s->chunks_z[level];
    }
    b->stretches = kst_alloc_array(NULL, (size_t)b->stretch_count, sizeof *b->stretches);
    b->chunks = kst_alloc_zero(NULL, (size_t)b->stretch_count * sizeof *b->chunks);
    if (!b->stretches || !b->chunks) return KARST_ERROR_MEMORY;
    int at = 0;
    for (int level = 0; level < s->level_count; ++level)
        for (int32_t z = 0; z < s->chunks_z[level]; ++z)
            for (int32_t x = 0; x < s->chunks_x[level]; x += RUN_CHUNKS)
                b->stretches[at++] = (stretch){level, z, x, kst_min32(x + RUN_CHUNKS, s->chunks_x[level])};
    kst_stage stage = {"encode", b->stretch_count, b, chunk_key, chunk_run, chunk_is_whole};
    return kst_graph_stage(b->graph, &stage, b->chunks, report);
}

static karst_status give_chunk(void *context, int level, int32_t x, int32_t z, const uint8_t **bytes, size_t *size) {
    bake *b = context;
    int stretches = (b->sheet.chunks_x[level] + RUN_CHUNKS - 1) / RUN_CHUNKS;
    int step = b->first[level] + z * stretches + x / RUN_CHUNKS;
    stretch t = b->stretches[step];
    kst_reader r = {b->chunks[step].at, b->chunks[step].at + b->chunks[step].size, false};
    size_t at = 4 * (size_t)(t.x1 - t.x0);
    for (int32_t i = t.x0; i < x; ++i) at += kst_read_u32(&r);
    *size = kst_read_u32(&r);
    *bytes = b->chunks[step].at + at;
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
    ++b->graph->run;
    return kst_pack_write(path, &c, give_chunk, b, b->graph->progress, report, &info->hash, &info->file_bytes);
}

static void free_bake(bake *b) {
    for (int level = 0; level < b->sheet.level_count; ++level) {
        kst_free(NULL, b->nodes[level], chunk_total(&b->sheet, level) * sizeof *b->nodes[0]);
        kst_free(NULL, b->bounds[level], chunk_total(&b->sheet, level) * sizeof *b->bounds[0]);
    }
    if (b->chunks) kst_bytes_free(b->chunks, b->stretch_count);
    kst_bytes_free(&b->maps, 1);
    kst_free(NULL, b->chunks, (size_t)b->stretch_count * sizeof *b->chunks);
    kst_free(NULL, b->stretches, (size_t)b->stretch_count * sizeof *b->stretches);
    kst_tables_free(&b->tables);
    kst_sheet_free(&b->sheet);
}

karst_status kst_bake_check(const karst_bake_def *def, karst_report *report, karst_bake_def *out) {
    *out = def ? *def : karst_bake_def_default();
    KARST_ASSERT(out->cookie == KST_COOKIE);
    if (!(out->error_m >= 1e-5f && out->error_m <= 100))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "error %g m: must be 0.00001 to 100", (double)out->error_m);
    if (out->map_side < 2 || out->map_side > 1 << 14)
        return kst_fail(report, KARST_ERROR_ARGUMENT, "map side %d: must be 2 to 16384", out->map_side);
    if (!out->memory_bytes) out->memory_bytes = karst_bake_def_default().memory_bytes;
    return KARST_OK;
}

// Everything but the file.
static karst_status make(bake *b, karst_field *field, karst_report *why) {
    kst_graph *g = b->graph;
    karst_status status =
        kst_sheet_build(field, (double)b->def->error_m, g->scratch, g->jobs, g->progress, why, &b->sheet);
    if (!status) status = build_tables(b, why);
    if (!status) status = build_nodes(b);
    if (!status) status = kst_sheet_normals(&b->sheet, g->jobs, g->progress);
    if (!status) status = kst_sheet_occlusion(&b->sheet, field, g->jobs, g->progress, why);
    if (!status) status = build_chunks(b, why);
    if (!status) status = kst_maps_build(&b->sheet, b->def->map_side, g, &b->maps, why);
    return status;
}

karst_status kst_bake_run(karst_field *field, const char *path, const karst_bake_def *def, kst_graph *graph,
                          karst_report *report, karst_bake_info *info) {
    bake b = {.def = def, .graph = graph};
    karst_report why = {0};
    karst_bake_info done = {0};
    karst_status status = kst_scratch_create(path, def->memory_bytes, &graph->scratch);
    if (!status) status = make(&b, field, &why);
    if (!status) status = write_pack(&b, path, &why, &done);
    if (!status) {
        done.level_count = b.sheet.level_count;
        done.chunk_count = b.chunk_count;
        done.largest_error_m = b.sheet.largest_error_m;
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

karst_status kst_bake_version(uint64_t *out) {
    karst_field *field = NULL;
    karst_bake_def def = karst_bake_def_default();
    kst_graph graph = {0};
    bake b = {.def = &def, .graph = &graph};
    karst_status status = make_sample(&field);
    if (!status) status = make(&b, field, NULL);
    if (!status) {
        uint64_t hash = kst_hash(b.maps.at, b.maps.size, 0);
        for (int i = 0; i < b.stretch_count; ++i) hash = kst_hash(b.chunks[i].at, b.chunks[i].size, hash);
        for (int level = 0; level < b.sheet.level_count; ++level)
            hash = kst_hash(b.nodes[level], chunk_total(&b.sheet, level) * sizeof *b.nodes[0], hash);
        *out = hash;
    }
    free_bake(&b);
    karst_field_destroy(field);
    return status;
}
