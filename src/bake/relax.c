// SPDX-License-Identifier: MIT
// Relax at bake: stretched chunks -> regions -> one result a region, kept -> the author's samples in place.
#include "bake/relax.h"

#include <math.h>

#include "op/relax.h"

// Within a region vertices set out where an edge is longer than this; those of the chunks round it seldom are.
static const double above_inside = 2;
enum { SWEEPS = 16, CHUNK_TILES = KARST_CHUNK_CELLS / KST_RELAX_TILE };

typedef struct scan {
    const kst_sheet *s;
    float *y, *x, *z;
    double above2;
    uint8_t *begin;   // of each chunk: it is displaced, and an edge is too long
    int32_t *region;  // of each chunk: the number of its region, from 1
} scan;

static size_t chunk_at(const kst_sheet *s, int32_t x, int32_t z) {
    return (size_t)z * (size_t)s->chunks_x[0] + (size_t)x;
}

// ---- stretched chunks ------------------------------------------------------------------------------

static karst_status scan_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    const scan *c = context;
    const kst_sheet *s = c->s;
    kst_relax_ground whole = {
        .columns = s->columns, .rows = s->rows, .cell_m = s->lattice.shape.spacing_m, .y = c->y, .x = c->x, .z = c->z};
    for (int32_t cz = begin; cz < end; ++cz)
        for (int32_t cx = 0; cx < s->chunks_x[0]; ++cx) {
            double longest2 = 0;
            bool displaced = false;
            int32_t x1 = kst_min32((cx + 1) * KARST_CHUNK_CELLS, s->columns - 1);
            int32_t z1 = kst_min32((cz + 1) * KARST_CHUNK_CELLS, s->rows - 1);
            for (int32_t j = cz * KARST_CHUNK_CELLS; j <= z1; ++j)
                for (int32_t i = cx * KARST_CHUNK_CELLS; i <= x1; ++i) {
                    size_t at = kst_sheet_index(s, i, j);
                    double row2, column2;
                    displaced = displaced || c->x[at] != 0 || c->z[at] != 0;
                    kst_relax_edges(&whole, i, j, &row2, &column2);
                    if (i < x1) longest2 = fmax(longest2, row2);
                    if (j < z1) longest2 = fmax(longest2, column2);
                }
            c->begin[chunk_at(s, cx, cz)] = displaced && longest2 > c->above2;
        }
    kst_scratch_ease(s->scratch);
    return KARST_OK;
}

// ---- regions ---------------------------------------------------------------------------------------

static bool is_near_stretched(const scan *c, int32_t x, int32_t z) {
    const kst_sheet *s = c->s;
    for (int32_t j = kst_max32(z - 1, 0); j <= kst_min32(z + 1, s->chunks_z[0] - 1); ++j)
        for (int32_t i = kst_max32(x - 1, 0); i <= kst_min32(x + 1, s->chunks_x[0] - 1); ++i)
            if (c->begin[chunk_at(s, i, j)]) return true;
    return false;
}

// Number the chunks of the region that holds chunk (x, z), and tell which chunks its rectangle spans.
static karst_rect flood(scan *c, int32_t number, int32_t x, int32_t z, int32_t *stack) {
    const kst_sheet *s = c->s;
    karst_rect span = {x, z, x + 1, z + 1};
    size_t depth = 0;
    stack[depth++] = (int32_t)chunk_at(s, x, z);
    c->region[chunk_at(s, x, z)] = number;
    while (depth) {
        int32_t at = stack[--depth], cx = at % s->chunks_x[0], cz = at / s->chunks_x[0];
        span.x0 = kst_min32(span.x0, cx);
        span.z0 = kst_min32(span.z0, cz);
        span.x1 = kst_max32(span.x1, cx + 1);
        span.z1 = kst_max32(span.z1, cz + 1);
        for (int32_t j = kst_max32(cz - 1, 0); j <= kst_min32(cz + 1, s->chunks_z[0] - 1); ++j)
            for (int32_t i = kst_max32(cx - 1, 0); i <= kst_min32(cx + 1, s->chunks_x[0] - 1); ++i) {
                size_t next = chunk_at(s, i, j);
                if (c->region[next] || !is_near_stretched(c, i, j)) continue;
                c->region[next] = number;
                stack[depth++] = (int32_t)next;
            }
    }
    return span;
}

// ---- one region ------------------------------------------------------------------------------------

typedef struct region {
    const scan *scan;
    int32_t number;
    karst_rect chunks, rect;  // vertices
    size_t count;
    kst_relax_ground ground;  // arrays of its rectangle
    uint8_t *tiles;
    size_t tile_count;
} region;

static bool is_hole(const kst_sheet *s, int32_t i, int32_t j) {
    return i >= 0 && j >= 0 && i < s->columns - 1 && j < s->rows - 1 && kst_sheet_is_hole(s, i, j);
}

// Whether a vertex of the field may move: all chunks that hold it are of the region, and no cell at it is a hole.
static bool may_move(const region *r, int32_t i, int32_t j) {
    const kst_sheet *s = r->scan->s;
    for (int k = 0; k < 4; ++k) {
        int32_t ci = i - (k & 1), cj = j - (k >> 1);  // a cell at it
        if (ci < 0 || cj < 0 || ci >= s->columns - 1 || cj >= s->rows - 1) continue;
        if (r->scan->region[chunk_at(s, ci / KARST_CHUNK_CELLS, cj / KARST_CHUNK_CELLS)] != r->number) return false;
        if (is_hole(s, ci, cj)) return false;
    }
    return true;
}

static karst_status give_mask(void *context, karst_rect rect, float *mask) {
    const region *r = context;
    for (int32_t j = rect.z0; j < rect.z1; ++j)
        for (int32_t i = rect.x0; i < rect.x1; ++i) *mask++ = may_move(r, r->rect.x0 + i, r->rect.z0 + j) ? 1 : 0;
    return KARST_OK;
}

static void region_close(region *r) {
    kst_scratch *scratch = r->scan->s->scratch;
    kst_scratch_free(scratch, r->ground.y, r->count, sizeof(float));
    kst_scratch_free(scratch, r->ground.x, r->count, sizeof(float));
    kst_scratch_free(scratch, r->ground.z, r->count, sizeof(float));
    kst_free(NULL, r->tiles, r->tile_count);
}

static karst_status region_open(const scan *c, int32_t number, karst_rect chunks, region *r) {
    const kst_sheet *s = c->s;
    karst_rect rect = {chunks.x0 * KARST_CHUNK_CELLS, chunks.z0 * KARST_CHUNK_CELLS,
                       kst_min32(chunks.x1 * KARST_CHUNK_CELLS + 1, s->columns),
                       kst_min32(chunks.z1 * KARST_CHUNK_CELLS + 1, s->rows)};
    size_t wide = (size_t)(rect.x1 - rect.x0);
    *r = (region){.scan = c, .number = number, .chunks = chunks, .rect = rect};
    r->count = wide * (size_t)(rect.z1 - rect.z0);
    r->ground = (kst_relax_ground){.columns = rect.x1 - rect.x0,
                                   .rows = rect.z1 - rect.z0,
                                   .column = rect.x0,
                                   .row = rect.z0,
                                   .cell_m = s->lattice.shape.spacing_m,
                                   .y = kst_scratch_alloc(s->scratch, r->count, sizeof(float)),
                                   .x = kst_scratch_alloc(s->scratch, r->count, sizeof(float)),
                                   .z = kst_scratch_alloc(s->scratch, r->count, sizeof(float)),
                                   .mask = give_mask,
                                   .context = r,
                                   .border_left = rect.x0 == 0,
                                   .border_top = rect.z0 == 0,
                                   .border_right = rect.x1 == s->columns,
                                   .border_bottom = rect.z1 == s->rows};
    kst_relax_ground *g = &r->ground;
    int32_t tiles_x = kst_relax_tiles(g->columns), tiles_z = kst_relax_tiles(g->rows);
    r->tile_count = (size_t)tiles_x * (size_t)tiles_z;
    r->tiles = kst_alloc_zero(NULL, r->tile_count);
    if (!g->y || !g->x || !g->z) return kst_scratch_fail(s->scratch, NULL);
    if (!r->tiles) return KARST_ERROR_MEMORY;
    for (int32_t j = 0; j < g->rows; ++j) {
        size_t from = kst_sheet_index(s, rect.x0, rect.z0 + j), to = (size_t)j * wide;
        memcpy(g->y + to, c->y + from, wide * sizeof(float));
        memcpy(g->x + to, c->x + from, wide * sizeof(float));
        memcpy(g->z + to, c->z + from, wide * sizeof(float));
        if (j % KARST_CHUNK_CELLS == 0) kst_scratch_ease(s->scratch);
    }
    for (int32_t tz = 0; tz < tiles_z; ++tz)
        for (int32_t tx = 0; tx < tiles_x; ++tx) {
            int32_t cx = chunks.x0 + tx / CHUNK_TILES, cz = chunks.z0 + tz / CHUNK_TILES;
            bool inside = cx < chunks.x1 && cz < chunks.z1 && c->region[chunk_at(s, cx, cz)] == number;
            r->tiles[(size_t)tz * (size_t)tiles_x + (size_t)tx] = inside && c->begin[chunk_at(s, cx, cz)];
        }
    g->begin = r->tiles;
    return KARST_OK;
}

karst_status kst_bake_relax_version(uint64_t *out) {
    enum { SIDE = 10, COUNT = SIDE * SIDE };
    float at[3][COUNT];
    for (int k = 0; k < 3 * COUNT; ++k) at[k / COUNT][k % COUNT] = (float)kst_random01(5, (uint64_t)k);
    for (int k = 0; k < COUNT; ++k) at[0][k] += k % SIDE > SIDE / 2 ? 5 : 0;
    kst_relax_ground g = {.columns = SIDE, .rows = SIDE, .cell_m = 1, .y = at[0], .x = at[1], .z = at[2]};
    kst_relax_result result;
    karst_status status = kst_relax(&g, 0.5, above_inside, 2, NULL, NULL, NULL, &result);
    *out = kst_hash(at, sizeof at, SWEEPS);
    return status;
}

static uint64_t region_key(const region *r, const kst_bake_relax *b, uint64_t version) {
    const kst_relax_ground *g = &r->ground;
    double numbers[] = {g->cell_m, b->distance_m, above_inside};
    int32_t shape[] = {g->columns, g->rows, g->border_left, g->border_right, g->border_top, g->border_bottom};
    uint64_t hash = kst_hash(shape, sizeof shape, kst_hash(numbers, sizeof numbers, version));
    hash = kst_hash(r->tiles, r->tile_count, hash);
    size_t wide = (size_t)g->columns;
    for (int32_t j = 0; j < g->rows; ++j) {
        size_t at = (size_t)j * wide;
        hash = kst_hash(g->y + at, wide * sizeof(float), hash);
        hash = kst_hash(g->x + at, wide * sizeof(float), hash);
        hash = kst_hash(g->z + at, wide * sizeof(float), hash);
        uint64_t bits = 0;
        for (int32_t i = 0; i < g->columns; ++i) {
            bits = bits << 1 | may_move(r, r->rect.x0 + i, r->rect.z0 + j);
            if (i % 64 == 63 || i == g->columns - 1) hash = kst_hash_u64(hash, bits), bits = 0;
        }
        if (j % KARST_CHUNK_CELLS == 0) kst_scratch_ease(r->scan->s->scratch);
    }
    return hash;
}

// A kept result: how far the surface moved at most, then the vertices that did.
typedef struct moved_vertex {
    uint64_t at;  // in the region's rectangle
    float y, x, z, spare;
} moved_vertex;

static double longest_of(const region *r) {
    double most2 = 0;
    for (int32_t j = 0; j < r->ground.rows; ++j)
        for (int32_t i = 0; i < r->ground.columns; ++i) {
            double row2, column2;
            kst_relax_edges(&r->ground, i, j, &row2, &column2);
            most2 = fmax(most2, fmax(row2, column2));
        }
    return sqrt(most2);
}

static bool has_changed(const region *r, size_t at) {
    const scan *c = r->scan;
    size_t wide = (size_t)r->ground.columns;
    size_t from = kst_sheet_index(c->s, r->rect.x0 + (int32_t)(at % wide), r->rect.z0 + (int32_t)(at / wide));
    return memcmp(&r->ground.y[at], &c->y[from], 4) || memcmp(&r->ground.x[at], &c->x[from], 4) ||
           memcmp(&r->ground.z[at], &c->z[from], 4);
}

static karst_status pack_result(const region *r, double largest_m, kst_bytes *out) {
    size_t moved = 0;
    for (size_t at = 0; at < r->count; ++at) moved += has_changed(r, at);
    *out = kst_bytes_make(sizeof largest_m + moved * sizeof(moved_vertex));
    if (!out->at) return KARST_ERROR_MEMORY;
    memcpy(out->at, &largest_m, sizeof largest_m);
    uint8_t *to = out->at + sizeof largest_m;
    for (size_t at = 0; at < r->count; ++at) {
        if (!has_changed(r, at)) continue;
        moved_vertex v = {at, r->ground.y[at], r->ground.x[at], r->ground.z[at], 0};
        memcpy(to, &v, sizeof v);
        to += sizeof v;
    }
    return KARST_OK;
}

// From bytes that a world's file held, so not trusted.
static bool unpack_result(region *r, const kst_bytes *in, double *largest_m, int64_t *moved) {
    if (in->size < sizeof *largest_m || (in->size - sizeof *largest_m) % sizeof(moved_vertex)) return false;
    memcpy(largest_m, in->at, sizeof *largest_m);
    if (!isfinite(*largest_m)) return false;
    size_t count = (in->size - sizeof *largest_m) / sizeof(moved_vertex);
    moved_vertex v;
    for (size_t n = 0; n < count; ++n) {
        memcpy(&v, in->at + sizeof *largest_m + n * sizeof v, sizeof v);
        if (v.at >= r->count || !isfinite(v.y) || !isfinite(v.x) || !isfinite(v.z)) return false;
    }
    for (size_t n = 0; n < count; ++n) {
        memcpy(&v, in->at + sizeof *largest_m + n * sizeof v, sizeof v);
        r->ground.y[v.at] = v.y;
        r->ground.x[v.at] = v.x;
        r->ground.z[v.at] = v.z;
    }
    *moved = (int64_t)count;
    return true;
}

static void write_back(const region *r) {
    size_t wide = (size_t)r->ground.columns;
    for (size_t at = 0; at < r->count; ++at) {
        if (!has_changed(r, at)) continue;
        size_t to = kst_sheet_index(r->scan->s, r->rect.x0 + (int32_t)(at % wide), r->rect.z0 + (int32_t)(at / wide));
        r->scan->y[to] = r->ground.y[at];
        r->scan->x[to] = r->ground.x[at];
        r->scan->z[to] = r->ground.z[at];
    }
}

static karst_status relax_region(kst_bake_relax *b, region *r, uint64_t version) {
    kst_graph *graph = b->graph;
    uint64_t key = graph->store ? region_key(r, b, version) : 0;
    kst_bytes bytes = {0};
    double before = longest_of(r), largest_m = 0;
    int64_t moved = 0;
    karst_status status = KARST_OK;
    if (kst_graph_find(graph, key, &bytes) && unpack_result(r, &bytes, &largest_m, &moved)) {
        ++graph->reused;
    } else {
        kst_bytes_free(&bytes, 1);
        kst_relax_result result;
        status = kst_relax(&r->ground, b->distance_m, above_inside, SWEEPS, r->scan->s->scratch, graph->jobs,
                           graph->progress, &result);
        if (!status) status = pack_result(r, result.largest_m, &bytes);
        if (!status) {
            ++graph->run;
            moved = result.moved;
            largest_m = result.largest_m;
            kst_graph_keep(graph, key, &bytes);
        }
    }
    kst_bytes_free(&bytes, 1);
    if (status) return status;
    ++b->done.regions;
    b->done.moved += moved;
    b->done.worst_before = fmax(b->done.worst_before, before);
    b->done.worst_after = fmax(b->done.worst_after, longest_of(r));
    b->done.largest_m = fmax(b->done.largest_m, largest_m);
    write_back(r);
    return KARST_OK;
}

karst_status kst_bake_relax_run(void *context, const kst_sheet *s, float *y, float *x, float *z, karst_report *report) {
    kst_bake_relax *b = context;
    if (b->above <= 0) return KARST_OK;
    size_t count = (size_t)s->chunks_x[0] * (size_t)s->chunks_z[0];
    scan c = {
        s, y, x, z, b->above * b->above, kst_alloc_zero(NULL, count), kst_alloc_zero(NULL, count * sizeof(int32_t))};
    int32_t *stack = kst_alloc_array(NULL, count, sizeof *stack), number = 0;
    uint64_t version = 0;
    karst_status status = c.begin && c.region && stack ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status)
        status = kst_jobs_run(b->graph->jobs, s->chunks_z[0], 1, scan_rows, &c, b->graph->progress, "stretch", 0, 1);
    if (!status && b->graph->store) status = kst_bake_relax_version(&version);
    for (int32_t k = 0; k < (int32_t)count && !status; ++k) {
        if (!c.begin[k] || c.region[k]) continue;
        karst_rect chunks = flood(&c, ++number, k % s->chunks_x[0], k / s->chunks_x[0], stack);
        region r;
        status = region_open(&c, number, chunks, &r);
        if (!status) status = relax_region(b, &r, version);
        region_close(&r);
    }
    if (status == KARST_ERROR_FILE) status = kst_scratch_fail(s->scratch, report);
    kst_free(NULL, c.begin, count);
    kst_free(NULL, c.region, count * sizeof(int32_t));
    kst_free(NULL, stack, count * sizeof *stack);
    return status;
}
