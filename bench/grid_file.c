// SPDX-License-Identifier: MIT
// A grid as records of the pack's codec.
//
//     columns, rows, least, most, bytes of holes u32 | holes, a bit a sample, zstd | weights of each level but the
//     coarsest | tables of the root, of the records | root: bytes u32, stream | records: bytes u24, wide in the top
//     bit, stream
#include "grid_file.h"

#include <stdlib.h>

enum { LEVELS_MOST = 24, SAMPLE = 16, WIDE = 1 << 23 };

// One byte a sample, or NULL.
typedef struct grid_holes {
    const uint8_t *hole;
    int columns, rows;
} grid_holes;

static bool is_hole(const grid_holes *h, int64_t column, int64_t row) {
    column = column < h->columns ? column : h->columns - 1;
    row = row < h->rows ? row : h->rows - 1;
    return h->hole && h->hole[row * h->columns + column];
}

// A level: nodes x nodes of 64 cells, (64 nx + 1) x (64 nz + 1) vertices; beyond the field the last repeats.
typedef struct level {
    int nodes_x, nodes_z;
    size_t stride;
    int32_t *value;
    int16_t *value16;             // instead
    int first_column, first_row;  // at or beyond the field's last
} level;

static void set_level(level *l, int at, int columns, int rows) {
    int span = KST_NODE_CELLS << at;
    *l = (level){.nodes_x = (columns - 1 + span - 1) / span, .nodes_z = (rows - 1 + span - 1) / span};
    l->stride = (size_t)l->nodes_x * KST_NODE_CELLS + 1;
    l->first_column = (columns - 1 + (1 << at) - 1) >> at;
    l->first_row = (rows - 1 + (1 << at) - 1) >> at;
}
static size_t level_size(const level *l) {
    return l->stride * ((size_t)l->nodes_z * KST_NODE_CELLS + 1);
}
static int level_count(int columns, int rows) {
    int count = 1;
    while (KST_NODE_CELLS << (count - 1) < columns - 1 || KST_NODE_CELLS << (count - 1) < rows - 1) ++count;
    return count;
}
// Vertex (0, 0) of a node in the level of its own vertices, and in the finer one.
static size_t node_at(const level *l, int x, int z) {
    return (size_t)z * KST_NODE_CELLS * l->stride + (size_t)x * KST_NODE_CELLS;
}

// Records write 129 x 129 vertices, more than a level at its lower and right border has, so they go by way of this.
typedef struct workplace {
    kst_plane plane;
    uint64_t known[KST_PLANE_ROWS];
    int32_t fine[KST_FINE_SIDE * KST_FINE_SIDE];
    int16_t fine16[KST_FINE_SIDE * KST_FINE_SIDE];
} workplace;

// Vertices that are not coded: beyond the field and, with a mask, holes. Returns whether any are beyond.
static bool cover_record(workplace *w, const grid_holes *holes, const level *l, int at, int x, int z, int *last_column,
                         int *last_row) {
    *last_column = l->first_column - 2 * KST_NODE_CELLS * x;
    *last_row = l->first_row - 2 * KST_NODE_CELLS * z;
    bool beyond = kst_plane_known_beyond(*last_column, *last_row, w->known);
    w->plane.known = beyond || holes->hole ? w->known : NULL;
    for (int j = 0; holes->hole && j < KST_FINE_SIDE; ++j)
        for (int i = 0; i < KST_FINE_SIDE; ++i)
            if (is_hole(holes, ((int64_t)x * 2 * KST_NODE_CELLS + i) << at,
                        ((int64_t)z * 2 * KST_NODE_CELLS + j) << at))
                kst_plane_mark(w->known, i, j);
    return beyond;
}

static void copy_fine(const level *fine, int x, int z, const workplace *w, bool small) {
    int columns = (int)fine->stride - 2 * KST_NODE_CELLS * x;
    int rows = fine->nodes_z * KST_NODE_CELLS + 1 - 2 * KST_NODE_CELLS * z;
    columns = columns < KST_FINE_SIDE ? columns : KST_FINE_SIDE;
    rows = rows < KST_FINE_SIDE ? rows : KST_FINE_SIDE;
    for (int j = 0; j < rows; ++j) {
        size_t to = node_at(fine, 2 * x, 2 * z) + (size_t)j * fine->stride;
        if (small)
            memcpy(fine->value16 + to, w->fine16 + j * KST_FINE_SIDE, (size_t)columns * 2);
        else
            memcpy(fine->value + to, w->fine + j * KST_FINE_SIDE, (size_t)columns * 4);
    }
}
static bool is_whole(const level *fine, int x, int z) {
    return 2 * x + 2 <= fine->nodes_x && 2 * z + 2 <= fine->nodes_z;
}

// ---- writing -------------------------------------------------------------------------------------

typedef struct record {
    kst_plane_numbers numbers;
    bool wide;
} record;

typedef struct making {
    int columns, rows, count;
    int32_t unit;
    grid_holes holes;
    workplace *works;  // SAMPLE of them
    kst_plane_target *targets;
    level levels[LEVELS_MOST];
    kst_plane_weights weights[LEVELS_MOST];
    record *records[LEVELS_MOST];
    kst_rans_counts counts, root_counts;
    uint32_t root[KST_NODE_SIDE * KST_NODE_SIDE + KST_RANS_ROW];
    uint16_t root_table[KST_NODE_SIDE * KST_NODE_SIDE + KST_RANS_ROW];
} making;

enum { ROOT_NUMBERS = (KST_NODE_SIDE * KST_NODE_SIDE + KST_RANS_ROW - 1) / KST_RANS_ROW * KST_RANS_ROW };

static int32_t value_of(const making *m, const int32_t *values, int at, int64_t i, int64_t j) {
    int64_t column = i << at, row = j << at;
    column = column < m->columns ? column : m->columns - 1;
    row = row < m->rows ? row : m->rows - 1;
    return values[row * m->columns + column];
}

static uint32_t plane_of_three(const int32_t *v, int i, int j) {
    uint32_t left = i ? (uint32_t)v[j * KST_NODE_SIDE + i - 1] : 0,
             up = j ? (uint32_t)v[(j - 1) * KST_NODE_SIDE + i] : 0;
    uint32_t corner = i && j ? (uint32_t)v[(j - 1) * KST_NODE_SIDE + i - 1] : 0;
    return left + up - corner;
}

// A copy of the last column or row, or a hole.
static bool root_is_known(const grid_holes *h, const level *top, int at, int i, int j) {
    return i > top->first_column || j > top->first_row || is_hole(h, (int64_t)i << at, (int64_t)j << at);
}

static void make_root(making *m, const int32_t *values) {
    level *top = &m->levels[m->count - 1];
    for (int j = 0; j < KST_NODE_SIDE; ++j)
        for (int i = 0; i < KST_NODE_SIDE; ++i)
            top->value[j * KST_NODE_SIDE + i] = value_of(m, values, m->count - 1, i, j);
    for (int j = 0; j < KST_NODE_SIDE; ++j)
        for (int i = 0; i < KST_NODE_SIDE; ++i) {
            int k = j * KST_NODE_SIDE + i;
            bool known = root_is_known(&m->holes, top, m->count - 1, i, j);
            uint32_t guess = plane_of_three(top->value, i, j);
            if (i > top->first_column) guess = (uint32_t)top->value[k - 1];
            if (j > top->first_row) guess = (uint32_t)top->value[k - KST_NODE_SIDE];
            m->root[k] = known ? 0 : kst_zigzag((uint32_t)top->value[k] - guess);
            m->root_table[k] = known ? KST_RANS_NOTHING : 0;
            if (known) top->value[k] = (int32_t)guess;
        }
    for (int k = KST_NODE_SIDE * KST_NODE_SIDE; k < ROOT_NUMBERS; ++k) m->root_table[k] = KST_RANS_NOTHING;
    kst_rans_count(&m->root_counts, m->root, m->root_table, ROOT_NUMBERS);
}

static void take_target(const making *m, const int32_t *values, int at, int x, int z, int32_t *fine,
                        kst_plane_target *target) {
    int64_t first = 2 * KST_NODE_CELLS * (int64_t)x, last = m->columns - 1;
    for (int j = 0; j < KST_FINE_SIDE; ++j) {
        int64_t row = (j + 2 * KST_NODE_CELLS * (int64_t)z) << at;
        const int32_t *from = values + (row < m->rows ? row : m->rows - 1) * m->columns;
        for (int i = 0; i < KST_FINE_SIDE; ++i) {
            int64_t column = (first + i) << at;
            fine[j * KST_FINE_SIDE + i] = from[column < last ? column : last];
        }
    }
    kst_plane_sort(fine, KST_FINE_SIDE, target);
}

static void begin_record(const making *m, const int32_t *values, int at, int x, int z, workplace *w,
                         kst_plane_target *target) {
    const level *fine = &m->levels[at], *coarse = &m->levels[at + 1];
    int last_column, last_row;
    take_target(m, values, at, x, z, w->fine, target);
    const int32_t *from = coarse->value + node_at(coarse, x, z);
    w->plane.weights = m->weights[at];
    w->plane.wide = !kst_plane_is_narrow(from, coarse->stride, target);
    w->plane.base = kst_plane_base(from, coarse->stride);
    kst_plane_load(&w->plane, from, coarse->stride);
    cover_record(w, &m->holes, fine, at, x, z, &last_column, &last_row);
}

// Weights of the level that `at` is, from a spread of its records.
static karst_status fit_level(making *m, const int32_t *values, int at) {
    const level *coarse = &m->levels[at + 1];
    int all = coarse->nodes_x * coarse->nodes_z, count = all < SAMPLE ? all : SAMPLE;
    kst_plane *planes[SAMPLE];
    const kst_plane_target *wanted[SAMPLE];
    for (int k = 0; k < count; ++k) {
        int node = (int)((int64_t)all * k / count);
        begin_record(m, values, at, node % coarse->nodes_x, node / coarse->nodes_x, &m->works[k], &m->targets[k]);
        planes[k] = &m->works[k].plane;
        wanted[k] = &m->targets[k];
    }
    return kst_plane_fit(planes, wanted, count, m->unit, &m->weights[at]);
}

static karst_status make_level(making *m, const int32_t *values, int at) {
    const level *fine = &m->levels[at], *coarse = &m->levels[at + 1];
    const kst_plane_kernels *kernels = kst_plane_kernels_best();
    karst_status status = fit_level(m, values, at);
    workplace *w = m->works;
    for (int node = 0; node < coarse->nodes_x * coarse->nodes_z && !status; ++node) {
        int x = node % coarse->nodes_x, z = node / coarse->nodes_x;
        record *r = &m->records[at][node];
        begin_record(m, values, at, x, z, w, m->targets);
        for (int pass = 0; pass < KST_PASSES; ++pass) kernels->encode(&w->plane, m->targets, pass, &r->numbers);
        r->wide = w->plane.wide;
        kst_rans_count(&m->counts, r->numbers.number, r->numbers.table, KST_PLANE_NUMBERS);
        kst_plane_step_on(&w->plane, fine->first_column - 2 * KST_NODE_CELLS * x,
                          fine->first_row - 2 * KST_NODE_CELLS * z);
        kst_plane_weave(&w->plane, w->fine, KST_FINE_SIDE);
        copy_fine(fine, x, z, w, false);
    }
    return status;
}

static bool put_stream(grid_file *out, const kst_rans_run *run, int size_bytes, uint32_t flag) {
    static const uint8_t nothing[KST_RANS_LOAD];
    if (out->room - out->size < (size_t)size_bytes) return false;
    size_t size = kst_rans_encode(run, 1, nothing, out->bytes + out->size + size_bytes,
                                  out->room - out->size - (size_t)size_bytes);
    kst_out o = {out->bytes + out->size};
    kst_put_uint(&o, size | flag, size_bytes);
    out->size += (size_t)size_bytes + size;
    return size > 0;
}

// Their size, 0 for none, and they themselves.
static karst_status put_holes(const grid_holes *h, kst_out *o, size_t room) {
    size_t count = (size_t)h->columns * (size_t)h->rows, bytes = count / 8 + 1;
    uint8_t *bits = h->hole ? kst_alloc_zero(NULL, bytes) : NULL;
    for (size_t i = 0; bits && i < count; ++i) bits[i / 8] |= (uint8_t)((h->hole[i] != 0) << (i % 8));
    size_t size = bits ? kst_compress(bits, bytes, o->at + 4, room, 19) : 0;
    kst_free(NULL, bits, bytes);
    kst_put_uint(o, size, 4);
    o->at += size;
    return h->hole && !size ? KARST_ERROR_MEMORY : KARST_OK;
}

static karst_status put_file(making *m, const int32_t *values, grid_file *out) {
    size_t count = (size_t)m->columns * (size_t)m->rows, records = 0;
    for (int at = 0; at < m->count; ++at) records += (size_t)m->levels[at].nodes_x * (size_t)m->levels[at].nodes_z;
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (size_t i = 0; i < count; ++i) {
        if (m->holes.hole && m->holes.hole[i]) continue;
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    out->room = records * KST_PLANE_NUMBERS * 8 + (1 << 17) + kst_compress_bound(count / 8 + 1);
    out->bytes = kst_alloc(NULL, out->room);
    kst_rans_model *model = kst_alloc(NULL, sizeof *model);
    kst_rans_codes *codes = kst_alloc(NULL, sizeof *codes);
    karst_status status = out->bytes && model && codes ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        kst_out o = {out->bytes};
        kst_put_uint(&o, (uint32_t)m->columns, 4);
        kst_put_uint(&o, (uint32_t)m->rows, 4);
        kst_put_uint(&o, (uint32_t)least, 4);
        kst_put_uint(&o, (uint32_t)most, 4);
        status = put_holes(&m->holes, &o, kst_compress_bound(count / 8 + 1));
        for (int at = m->count - 2; at >= 0; --at) kst_plane_weights_put(&m->weights[at], &o);
        out->size = (size_t)(o.at - out->bytes);
        kst_rans_model_make(&m->root_counts, false, model);
        out->size += kst_rans_model_write(model, out->bytes + out->size, out->room - out->size);
        kst_rans_codes_make(model, codes);
        kst_rans_model_make(&m->counts, false, model);
        out->size += kst_rans_model_write(model, out->bytes + out->size, out->room - out->size);
        kst_rans_run run = {m->root, m->root_table, ROOT_NUMBERS, codes};
        if (!put_stream(out, &run, 4, 0)) status = KARST_ERROR_LIMIT;
        kst_rans_codes_make(model, codes);
    }
    for (int at = m->count - 2; at >= 0 && !status; --at)
        for (int node = 0; node < m->levels[at + 1].nodes_x * m->levels[at + 1].nodes_z && !status; ++node) {
            const record *r = &m->records[at][node];
            kst_rans_run run = {r->numbers.number, r->numbers.table, KST_PLANE_NUMBERS, codes};
            if (!put_stream(out, &run, 3, r->wide ? WIDE : 0)) status = KARST_ERROR_LIMIT;
        }
    kst_free(NULL, model, sizeof *model);
    kst_free(NULL, codes, sizeof *codes);
    return status;
}

karst_status grid_file_encode(const int32_t *values, const uint8_t *hole, int columns, int rows, int32_t unit,
                              grid_file *out) {
    *out = (grid_file){0};
    making *m = kst_alloc_zero(NULL, sizeof *m);
    if (!m) return KARST_ERROR_MEMORY;
    m->columns = columns;
    m->rows = rows;
    m->holes = (grid_holes){hole, columns, rows};
    m->unit = unit;
    m->count = level_count(columns, rows);
    m->works = kst_alloc_zero(NULL, SAMPLE * sizeof *m->works);
    m->targets = kst_alloc_array(NULL, SAMPLE, sizeof *m->targets);
    karst_status status = m->works && m->targets ? KARST_OK : KARST_ERROR_MEMORY;
    for (int at = 0; at < m->count; ++at) {
        level *l = &m->levels[at];
        set_level(l, at, columns, rows);
        l->value = kst_alloc_array(NULL, level_size(l), sizeof *l->value);
        if (!l->value) status = KARST_ERROR_MEMORY;
        if (!at) continue;
        m->records[at - 1] = kst_alloc_array(NULL, (size_t)l->nodes_x * (size_t)l->nodes_z, sizeof(record));
        if (!m->records[at - 1]) status = KARST_ERROR_MEMORY;
    }
    if (!status) make_root(m, values);
    for (int at = m->count - 2; at >= 0 && !status; --at) status = make_level(m, values, at);
    if (!status) status = put_file(m, values, out);
    for (int at = 0; at < m->count; ++at) {
        level *l = &m->levels[at];
        kst_free(NULL, l->value, level_size(l) * sizeof *l->value);
        if (at) kst_free(NULL, m->records[at - 1], (size_t)l->nodes_x * (size_t)l->nodes_z * sizeof(record));
    }
    kst_free(NULL, m->works, SAMPLE * sizeof *m->works);
    kst_free(NULL, m->targets, SAMPLE * sizeof *m->targets);
    kst_free(NULL, m, sizeof *m);
    if (status) grid_file_free(out);
    return status;
}

void grid_file_free(grid_file *file) {
    kst_free(NULL, file->bytes, file->room);
    *file = (grid_file){0};
}

// ---- reading -------------------------------------------------------------------------------------

struct grid_reader {
    const uint8_t *bytes;
    size_t size;
    int columns, rows, count;
    int32_t least, most;
    bool small;
    grid_holes holes;
    uint8_t *hole;
    level levels[LEVELS_MOST];
    kst_plane_weights weights[LEVELS_MOST];
    kst_rans_slots slots, root_slots;
    const uint8_t *root;
    size_t *place[LEVELS_MOST];  // of each record's size
    workplace work;
    uint8_t stream[KST_PLANE_NUMBERS * 8 + KST_RANS_PAD];
};

static karst_status find_records(grid_reader *g, kst_reader *r) {
    g->root = r->at;
    kst_read_bytes(r, kst_read_u32(r));
    for (int at = g->count - 2; at >= 0; --at) {
        int nodes = g->levels[at + 1].nodes_x * g->levels[at + 1].nodes_z;
        g->place[at] = kst_alloc_array(NULL, (size_t)nodes, sizeof *g->place[at]);
        if (!g->place[at]) return KARST_ERROR_MEMORY;
        for (int k = 0; k < nodes; ++k) {
            g->place[at][k] = (size_t)(r->at - g->bytes);
            kst_read_bytes(r, kst_read_uint(r, 3) & 0x7fffff);
        }
    }
    return r->bad ? KARST_ERROR_FORMAT : KARST_OK;
}

static karst_status read_holes(grid_reader *g, kst_reader *r) {
    size_t count = (size_t)g->columns * (size_t)g->rows, size = kst_read_u32(r), bytes = count / 8 + 1;
    g->holes = (grid_holes){NULL, g->columns, g->rows};
    if (!size) return KARST_OK;
    const uint8_t *packed = kst_read_bytes(r, size);
    uint8_t *bits = packed ? kst_alloc(NULL, bytes) : NULL;
    g->hole = bits ? kst_alloc(NULL, count) : NULL;
    bool good = g->hole && kst_decompress(packed, size, bits, bytes);
    for (size_t i = 0; good && i < count; ++i) g->hole[i] = bits[i / 8] >> (i % 8) & 1;
    kst_free(NULL, bits, bytes);
    g->holes.hole = g->hole;
    return good ? KARST_OK : KARST_ERROR_FORMAT;
}

karst_status grid_reader_open(const uint8_t *bytes, size_t size, grid_reader **out) {
    grid_reader *g = kst_alloc_zero(NULL, sizeof *g);
    kst_rans_model *model = kst_alloc(NULL, sizeof *model);
    karst_status status = g && model ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        kst_reader r = {bytes, bytes + size, false};
        g->bytes = bytes;
        g->size = size;
        g->columns = kst_read_i32(&r);
        g->rows = kst_read_i32(&r);
        g->least = kst_read_i32(&r);
        g->most = kst_read_i32(&r);
        g->small = g->least >= -KST_NARROW_MOST && g->most <= KST_NARROW_MOST;
        if (g->columns < 2 || g->rows < 2 || g->columns > 1 << 16 || g->rows > 1 << 16) status = KARST_ERROR_FORMAT;
        if (!status) status = read_holes(g, &r);
        if (!status) g->count = level_count(g->columns, g->rows);
        for (int at = g->count - 2; at >= 0 && !status; --at)
            if (!kst_plane_weights_read(&r, &g->weights[at])) status = KARST_ERROR_FORMAT;
        if (!status && !kst_rans_model_read(&r, model)) status = KARST_ERROR_FORMAT;
        if (!status) kst_rans_slots_make(model, &g->root_slots);
        if (!status && !kst_rans_model_read(&r, model)) status = KARST_ERROR_FORMAT;
        if (!status) kst_rans_slots_make(model, &g->slots);
        for (int at = 0; at < g->count && !status; ++at) {
            level *l = &g->levels[at];
            set_level(l, at, g->columns, g->rows);
            if (g->small)
                l->value16 = kst_alloc_array(NULL, level_size(l), sizeof *l->value16);
            else
                l->value = kst_alloc_array(NULL, level_size(l), sizeof *l->value);
            if (!l->value && !l->value16) status = KARST_ERROR_MEMORY;
        }
        if (!status) status = find_records(g, &r);
    }
    kst_free(NULL, model, sizeof *model);
    if (status) {
        grid_reader_close(g);
        return status;
    }
    *out = g;
    return KARST_OK;
}

void grid_reader_close(grid_reader *g) {
    if (!g) return;
    kst_free(NULL, g->hole, (size_t)g->columns * (size_t)g->rows);
    for (int at = 0; at < g->count; ++at) {
        level *l = &g->levels[at];
        kst_free(NULL, l->value, level_size(l) * sizeof *l->value);
        kst_free(NULL, l->value16, level_size(l) * sizeof *l->value16);
        if (at) kst_free(NULL, g->place[at - 1], (size_t)l->nodes_x * (size_t)l->nodes_z * sizeof *g->place[0]);
    }
    kst_free(NULL, g, sizeof *g);
}

// A stream is copied, so that what a decoder may look at beyond its end is there.
static bool begin_stream(grid_reader *g, const uint8_t *at, int size_bytes, kst_unrans *u, uint32_t *flags) {
    kst_reader r = {at, g->bytes + g->size, false};
    uint32_t size = (uint32_t)kst_read_uint(&r, size_bytes);
    *flags = size_bytes == 3 ? size >> 23 : 0;
    size &= 0x7fffff;
    const uint8_t *bytes = kst_read_bytes(&r, size);
    if (!bytes || size > sizeof g->stream - KST_RANS_PAD) return false;
    memcpy(g->stream, bytes, size);
    return kst_unrans_begin(u, g->stream, size);
}

static karst_status read_root(grid_reader *g) {
    level *top = &g->levels[g->count - 1];
    kst_unrans u;
    uint32_t flags, number[KST_RANS_ROW];
    int32_t *v = g->work.fine;
    if (!begin_stream(g, g->root, 4, &u, &flags)) return KARST_ERROR_FORMAT;
    for (int k = 0; k < KST_NODE_SIDE * KST_NODE_SIDE; ++k) {
        if (k % KST_RANS_ROW == 0) {
            uint16_t table[KST_RANS_ROW];
            for (int n = 0; n < KST_RANS_ROW; ++n) {
                int i = (k + n) % KST_NODE_SIDE, j = (k + n) / KST_NODE_SIDE;
                bool known = j >= KST_NODE_SIDE || root_is_known(&g->holes, top, g->count - 1, i, j);
                table[n] = known ? KST_RANS_NOTHING : 0;
            }
            if (!kst_unrans_row(&u, &g->root_slots, table, number)) return KARST_ERROR_FORMAT;
        }
        int i = k % KST_NODE_SIDE, j = k / KST_NODE_SIDE;
        if (j > top->first_row)
            v[k] = v[k - KST_NODE_SIDE];
        else if (i > top->first_column)
            v[k] = v[k - 1];
        else
            v[k] = (int32_t)(plane_of_three(v, i, j) + kst_unzigzag(number[k % KST_RANS_ROW]));
    }
    for (int k = 0; k < KST_NODE_SIDE * KST_NODE_SIDE; ++k) {
        if (g->small)
            top->value16[k] = (int16_t)v[k];
        else
            top->value[k] = v[k];
    }
    uint8_t load[KST_RANS_LOAD];
    return kst_unrans_end(&u, load) ? KARST_OK : KARST_ERROR_FORMAT;
}

static karst_status read_record(grid_reader *g, const kst_plane_kernels *kernels, int at, int node) {
    const level *fine = &g->levels[at], *coarse = &g->levels[at + 1];
    int x = node % coarse->nodes_x, z = node / coarse->nodes_x, last_column, last_row;
    workplace *w = &g->work;
    kst_plane *p = &w->plane;
    kst_unrans u;
    uint32_t wide;
    if (!begin_stream(g, g->bytes + g->place[at][node], 3, &u, &wide)) return KARST_ERROR_FORMAT;
    p->weights = g->weights[at];
    p->wide = wide;
    if (g->small) {
        p->base = 0;
        kst_plane_load16(p, coarse->value16 + node_at(coarse, x, z), coarse->stride);
    } else {
        p->base = kst_plane_base(coarse->value + node_at(coarse, x, z), coarse->stride);
        kst_plane_load(p, coarse->value + node_at(coarse, x, z), coarse->stride);
    }
    bool beyond = cover_record(w, &g->holes, fine, at, x, z, &last_column, &last_row);
    uint8_t load[KST_RANS_LOAD];
    if (!kernels->decode(p, &u, &g->slots) || !kst_unrans_end(&u, load)) return KARST_ERROR_FORMAT;
    if (beyond) kst_plane_step_on(p, last_column, last_row);
    bool whole = is_whole(fine, x, z);
    if (g->small)
        kst_plane_weave16(p, whole ? fine->value16 + node_at(fine, 2 * x, 2 * z) : w->fine16,
                          whole ? fine->stride : KST_FINE_SIDE);
    else
        kst_plane_weave(p, whole ? fine->value + node_at(fine, 2 * x, 2 * z) : w->fine,
                        whole ? fine->stride : KST_FINE_SIDE);
    if (!whole) copy_fine(fine, x, z, w, g->small);
    return KARST_OK;
}

karst_status grid_reader_read(grid_reader *g) {
    const kst_plane_kernels *kernels = kst_plane_kernels_best();
    karst_status status = read_root(g);
    for (int at = g->count - 2; at >= 0; --at)
        for (int node = 0; node < g->levels[at + 1].nodes_x * g->levels[at + 1].nodes_z && !status; ++node)
            status = read_record(g, kernels, at, node);
    return status;
}

int grid_reader_finest_count(const grid_reader *g) {
    return g->count > 1 ? g->levels[1].nodes_x * g->levels[1].nodes_z : 0;
}

karst_status grid_reader_record(grid_reader *g, int number) {
    return read_record(g, kst_plane_kernels_best(), 0, number);
}

static int32_t clamp(int32_t v, int32_t least, int32_t most) {
    return v < least ? least : v > most ? most : v;
}

void grid_reader_values(const grid_reader *g, int32_t *out) {
    const level *l = &g->levels[0];
    for (int j = 0; j < g->rows; ++j)
        for (int i = 0; i < g->columns; ++i) {
            size_t at = (size_t)j * l->stride + (size_t)i;
            *out++ = clamp(g->small ? l->value16[at] : l->value[at], g->least, g->most);
        }
}

void grid_reader_values16(const grid_reader *g, int16_t *out) {
    const level *l = &g->levels[0];
    int16_t least = (int16_t)g->least, most = (int16_t)g->most;
    for (int j = 0; j < g->rows; ++j, out += g->columns) {
        const int16_t *row = l->value16 + (size_t)j * l->stride;
        for (int i = 0; i < g->columns; ++i) {
            int16_t v = row[i] < least ? least : row[i];
            out[i] = v > most ? most : v;
        }
    }
}
