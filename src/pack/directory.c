// SPDX-License-Identifier: MIT
// The directory: everything about a pack but its maps and chunks, in memory and in bytes.
#include <math.h>

#include "pack/format.h"

// The last byte pair and the ^Z catch copies made in text mode.
const uint8_t kst_pack_magic[8] = {'K', 'P', 'A', 'C', 'K', '\r', '\n', 0x1a};

void kst_pack_grid(const karst_field_shape *shape, int level, int32_t *chunks_x, int32_t *chunks_z) {
    int64_t side = (int64_t)KARST_CHUNK_CELLS << level;
    *chunks_x = (int32_t)((shape->columns - 1 + side - 1) / side);
    *chunks_z = (int32_t)((shape->rows - 1 + side - 1) / side);
}

int kst_pack_level_count(const karst_field_shape *shape) {
    for (int level = 0;; ++level) {
        int32_t x, z;
        kst_pack_grid(shape, level, &x, &z);
        if (x <= 1 && z <= 1) return level + 1;
    }
}

void kst_directory_number(kst_directory *d) {
    d->chunk_count = 0;
    for (int level = d->level_count - 1; level >= 0; --level) {
        kst_pack_grid(&d->lattice.shape, level, &d->chunks_x[level], &d->chunks_z[level]);
        d->first[level] = d->chunk_count;
        d->chunk_count += (size_t)d->chunks_x[level] * (size_t)d->chunks_z[level];
    }
    d->record_count = 1 + d->first[0];
}

kst_record_place kst_pack_place_of(const kst_directory *d, size_t record) {
    size_t node = record - 1;
    int level = d->level_count - 1;
    while (level > 1 && node >= d->first[level - 1]) --level;
    size_t index = node - d->first[level], across = (size_t)d->chunks_x[level];
    return (kst_record_place){level - 1, (int32_t)(index % across), (int32_t)(index / across)};
}

bool kst_directory_bytes(const kst_directory *d, uint32_t version, size_t *out) {
    size_t size, records,
        rest = KST_PACK_FIXED_BYTES + (size_t)d->level_count * KST_PACK_GRID_BYTES +
               (size_t)d->map_count * KST_PACK_MAP_BYTES;
    if (version < KST_PACK_VERSION_SEAMS) rest -= KST_PACK_COUNT_BYTES;
    if (d->zone_count) rest += KST_PACK_NET_BYTES + d->zone_count * KST_PACK_ZONE_BYTES;
    rest += d->seam_count * KST_PACK_SEAM_BYTES;
    return kst_size_mul(d->chunk_count, KST_PACK_CHUNK_BYTES, &size) &&
           kst_size_mul(d->record_count, KST_PACK_RECORD_BYTES, &records) && kst_size_add(size, records, &size) &&
           kst_size_add(size, rest, out);
}

karst_status kst_directory_alloc(kst_directory *d, const karst_allocator *allocator) {
    d->nodes = kst_alloc_array(allocator, d->chunk_count, sizeof *d->nodes);
    d->chunk_bounds = kst_alloc_array(allocator, d->chunk_count, sizeof *d->chunk_bounds);
    d->records = kst_alloc_array(allocator, d->record_count, sizeof *d->records);
    if (d->zone_count) d->zones = kst_alloc_array(allocator, d->zone_count, sizeof *d->zones);
    if (d->seam_count) d->seams = kst_alloc_array(allocator, d->seam_count, sizeof *d->seams);
    bool net = (d->zones || !d->zone_count) && (d->seams || !d->seam_count);
    return d->nodes && d->chunk_bounds && d->records && net ? KARST_OK : KARST_ERROR_MEMORY;
}

void kst_directory_free(kst_directory *d, const karst_allocator *allocator) {
    kst_free(allocator, d->nodes, d->chunk_count * sizeof *d->nodes);
    kst_free(allocator, d->chunk_bounds, d->chunk_count * sizeof *d->chunk_bounds);
    kst_free(allocator, d->records, d->record_count * sizeof *d->records);
    kst_free(allocator, d->zones, d->zone_count * sizeof *d->zones);
    kst_free(allocator, d->seams, d->seam_count * sizeof *d->seams);
    d->zones = NULL;
    d->seams = NULL;
    d->nodes = NULL;
    d->chunk_bounds = NULL;
    d->records = NULL;
}

// ---- checks ----------------------------------------------------------------------------------------

static bool within(double v, double low, double high) {
    return v >= low && v <= high;
}  // false for NaN

static bool power_of_two(double v) {
    int exponent;
    return frexp(v, &exponent) == 0.5;
}

static bool box_is_sane(const float *low, const float *high) {  // ordered and finite, or empty
    for (int axis = 0; axis < 3; ++axis)
        if (isnan(low[axis]) || isnan(high[axis])) return false;
    if (low[0] > high[0]) return true;
    for (int axis = 0; axis < 3; ++axis)
        if (!isfinite(low[axis]) || !isfinite(high[axis]) || low[axis] > high[axis]) return false;
    return true;
}

static const char *lattice_problem(const karst_lattice *l) {
    const karst_field_shape *s = &l->shape;
    if (s->columns < 2 || s->columns > KARST_FIELD_MAX_SIDE || s->rows < 2 || s->rows > KARST_FIELD_MAX_SIDE)
        return "columns or rows are not within 2..1048576";
    if (!within(s->spacing_m, 1e-6, 1e9)) return "the spacing is not within 1e-6..1e9 m";
    if (!within(s->origin.x, -1e12, 1e12) || !within(s->origin.y, -1e12, 1e12) || !within(s->origin.z, -1e12, 1e12))
        return "the origin is not within 1e12 m";
    if (!within(l->step_y_m, 0x1p-40, 0x1p40) || !power_of_two(l->step_y_m))
        return "the vertical step is not a power of two";
    if (l->cell_steps < 1) return "there is less than one lattice step in a cell";
    if (l->step_xz_m != s->spacing_m / l->cell_steps) return "the horizontal step is not spacing / steps a cell";
    if (!within(l->bound_m, 0, 1e9)) return "the error bound is not within 0..1e9 m";
    return NULL;
}

static const char *map_problem(const karst_map *map) {
    size_t bytes;
    if (!memchr(map->name, 0, sizeof map->name) || !map->name[0]) return "a map has no name";
    for (const char *c = map->name; *c; ++c)
        if (*c < 0x21 || *c > 0x7e) return "a map's name is not plain text";
    if (!kst_map_bytes(map, &bytes))
        return "a map is not 1..16384 samples a side, 1..4 channels of 1 or 2 bytes, 512 MiB in all";
    if (!isfinite(map->scale) || !isfinite(map->offset)) return "a map's scale or offset is not a number";
    return NULL;
}

static const char *tables_problem(const kst_directory *d) {
    for (size_t i = 0; i < d->chunk_count; ++i) {
        const karst_node *n = &d->nodes[i];
        if (!box_is_sane(n->reach_min, n->reach_max)) return "the reach of a node is not a box";
        if (!within(n->error, 0, (double)INFINITY)) return "the error of a node is not a distance";
        if (!box_is_sane(d->chunk_bounds[i], d->chunk_bounds[i] + 3)) return "the bounds of a chunk are not a box";
    }
    return NULL;
}

static const char *net_problem(const kst_directory *d) {
    if (d->zone_count > KST_PACK_ZONES_MAX) return "there are more than 2^20 zones";
    if (d->seam_count > KST_PACK_SEAMS_MAX) return "there are more than 2^20 corners of seams";
    if (!d->zone_count) return d->seam_count ? "there are seams without zones" : NULL;
    const karst_pos *o = &d->net_origin;
    if (!within(o->x, -1e12, 1e12) || !within(o->y, -1e12, 1e12) || !within(o->z, -1e12, 1e12))
        return "the origin of the net is not within 1e12 m";
    if (d->net_step_log2 < -12 || d->net_step_log2 > -4) return "the step of the net is not 2^-12..2^-4 m";
    return NULL;
}

static const char *zones_problem(const kst_directory *d) {
    for (size_t i = 0; i < d->zone_count; ++i) {
        const kst_pack_zone *z = &d->zones[i];
        if (i && (z[-1].zone_z > z->zone_z || (z[-1].zone_z == z->zone_z && z[-1].zone_x >= z->zone_x)))
            return "zones do not come by z, then x";
        if (!z->patch_count || z->patch_count > UINT16_MAX) return "a zone has not 1..65535 patches";
        if (!z->raw_bytes || z->raw_bytes > KST_PACK_ZONE_RAW_MAX) return "a zone has not 1..2^26 bytes";
        for (int axis = 0; axis < 3; ++axis)
            if (z->low[axis] > z->high[axis]) return "the bounds of a zone are not a box";
    }
    return NULL;
}

static const char *seam_problem(const karst_pack_seam *s, const karst_field_shape *shape) {
    if (s->column < 0 || s->row < 0 || s->column >= shape->columns || s->row >= shape->rows)
        return "a corner of a seam is not in the field";
    if (s->column % KARST_PATCH_CELLS || s->row % KARST_PATCH_CELLS) return "a corner of a seam is no patch's corner";
    if (s->most_log2 < 1 || s->most_log2 > 4) return "the shortest span at a corner of a seam is not 2..16 cells";
    if (s->size >= KARST_NET_SIZES) return "a tile size at a corner of a seam is not below 64";
    if (!box_is_sane(s->min, s->max) || s->min[0] > s->max[0]) return "the bounds at a corner of a seam are not a box";
    return NULL;
}

static const char *seams_problem(const kst_directory *d) {
    for (size_t i = 0; i < d->seam_count; ++i) {
        const karst_pack_seam *s = &d->seams[i];
        const char *problem = seam_problem(s, &d->lattice.shape);
        if (problem) return problem;
        if (i && (s[-1].row > s->row || (s[-1].row == s->row && s[-1].column >= s->column)))
            return "corners of seams do not come by row, then column";
    }
    return NULL;
}

static const char *directory_problem(const kst_directory *d) {
    const char *problem = lattice_problem(&d->lattice);
    if (problem) return problem;
    const karst_field_shape *s = &d->lattice.shape;
    if (d->level_count != kst_pack_level_count(s)) return "the number of levels does not fit the size";
    // A coordinate in lattice steps, the padding and the displacement included, fits 32 bits.
    if (((int64_t)KARST_CHUNK_CELLS << (d->level_count - 1)) > (INT32_MAX - 65536) / d->lattice.cell_steps)
        return "the lattice is too fine for its size (coordinates need more than 32 bits); a larger error bound helps";
    if (d->hole_count > (uint64_t)(s->columns - 1) * (uint64_t)(s->rows - 1)) return "there are more holes than cells";
    const double b[6] = {d->bounds.min.x, d->bounds.min.y, d->bounds.min.z,
                         d->bounds.max.x, d->bounds.max.y, d->bounds.max.z};
    for (int i = 0; i < 6; ++i)
        if (isnan(b[i])) return "the bounds are not numbers";
    if (isnan(d->min_y_m) || isnan(d->max_y_m)) return "the heights are not numbers";
    if ((problem = net_problem(d))) return problem;
    if (d->map_count < 0 || d->map_count > KST_PACK_MAPS_MAX) return "there are more than 8 maps";
    for (int m = 0; m < d->map_count; ++m) {
        if ((problem = map_problem(&d->maps[m]))) return problem;
        for (int other = 0; other < m; ++other)
            if (!strcmp(d->maps[m].name, d->maps[other].name)) return "two maps have one name";
    }
    return NULL;
}

static karst_status say(karst_status status, const char *path, const char *problem, karst_report *report) {
    if (!problem) return KARST_OK;
    return kst_fail(report, status, "%s: directory: %s", path, problem);
}

karst_status kst_directory_check(const kst_directory *d, const char *path, karst_status status, karst_report *report) {
    const char *problem = directory_problem(d);
    return say(status, path, problem ? problem : tables_problem(d), report);
}

karst_status kst_directory_check_seams(const kst_directory *d, const char *path, karst_status status,
                                       karst_report *report) {
    return say(status, path, seams_problem(d), report);
}

// ---- bytes -----------------------------------------------------------------------------------------

static void put_span(kst_out *o, const kst_pack_span *span, int size_bytes) {
    kst_put_uint(o, span->size, size_bytes);
    kst_put_uint(o, span->place, 8);
    kst_put_uint(o, span->hash, 8);
}

static kst_pack_span read_span(kst_reader *r, int size_bytes) {
    kst_pack_span span;
    span.size = kst_read_uint(r, size_bytes);
    span.place = kst_read_u64(r);
    span.hash = kst_read_u64(r);
    return span;
}

static void put_zones(const kst_directory *d, kst_out *o) {
    if (!d->zone_count) return;
    kst_put_f64(o, d->net_origin.x);
    kst_put_f64(o, d->net_origin.y);
    kst_put_f64(o, d->net_origin.z);
    kst_put_uint(o, (uint32_t)d->net_step_log2, 4);
    for (size_t i = 0; i < d->zone_count; ++i) {
        const kst_pack_zone *z = &d->zones[i];
        kst_put_uint(o, (uint32_t)z->zone_x, 4);
        kst_put_uint(o, (uint32_t)z->zone_z, 4);
        kst_put_uint(o, z->patch_count, 4);
        kst_put_uint(o, z->raw_bytes, 4);
        for (int axis = 0; axis < 3; ++axis) kst_put_uint(o, (uint32_t)z->low[axis], 4);
        for (int axis = 0; axis < 3; ++axis) kst_put_uint(o, (uint32_t)z->high[axis], 4);
        put_span(o, &z->span, 4);
    }
    for (size_t i = 0; i < d->seam_count; ++i) {
        const karst_pack_seam *s = &d->seams[i];
        kst_put_uint(o, (uint32_t)s->column, 4);
        kst_put_uint(o, (uint32_t)s->row, 4);
        kst_put_uint(o, s->most_log2, 1);
        kst_put_uint(o, s->size, 1);
        kst_put_uint(o, 0, 2);
        for (int axis = 0; axis < 3; ++axis) kst_put_f32(o, s->min[axis]);
        for (int axis = 0; axis < 3; ++axis) kst_put_f32(o, s->max[axis]);
    }
}

void kst_directory_put(const kst_directory *d, uint8_t *bytes) {
    kst_out o = {bytes};
    const karst_lattice *l = &d->lattice;
    kst_put_uint(&o, (uint32_t)l->shape.columns, 4);
    kst_put_uint(&o, (uint32_t)l->shape.rows, 4);
    kst_put_f64(&o, l->shape.spacing_m);
    kst_put_f64(&o, l->shape.origin.x);
    kst_put_f64(&o, l->shape.origin.y);
    kst_put_f64(&o, l->shape.origin.z);
    kst_put_f64(&o, l->step_y_m);
    kst_put_f64(&o, l->step_xz_m);
    kst_put_uint(&o, (uint32_t)l->cell_steps, 4);
    kst_put_f32(&o, l->bound_m);
    kst_put_uint(&o, (uint32_t)d->level_count, 4);
    kst_put_uint(&o, (uint32_t)d->map_count, 4);
    kst_put_uint(&o, d->hole_count, 8);
    kst_put_uint(&o, d->world_hash, 8);
    kst_put_f64(&o, d->bounds.min.x);
    kst_put_f64(&o, d->bounds.min.y);
    kst_put_f64(&o, d->bounds.min.z);
    kst_put_f64(&o, d->bounds.max.x);
    kst_put_f64(&o, d->bounds.max.y);
    kst_put_f64(&o, d->bounds.max.z);
    kst_put_f32(&o, d->min_y_m);
    kst_put_f32(&o, d->max_y_m);
    kst_put_uint(&o, d->reach_x_steps, 2);
    kst_put_uint(&o, d->reach_z_steps, 2);
    kst_put_uint(&o, d->zone_count, 4);
    put_span(&o, &d->tables, 4);
    kst_put_uint(&o, d->seam_count, 4);
    KARST_ASSERT(o.at == bytes + KST_PACK_FIXED_BYTES);
    for (int level = 0; level < d->level_count; ++level) {
        kst_put_uint(&o, (uint32_t)d->chunks_x[level], 4);
        kst_put_uint(&o, (uint32_t)d->chunks_z[level], 4);
    }
    for (int m = 0; m < d->map_count; ++m) {
        const karst_map *map = &d->maps[m];
        size_t length = strlen(map->name);
        for (size_t i = 0; i < sizeof map->name; ++i) kst_put_uint(&o, i < length ? (uint8_t)map->name[i] : 0, 1);
        kst_put_uint(&o, (uint32_t)map->width, 4);
        kst_put_uint(&o, (uint32_t)map->height, 4);
        kst_put_uint(&o, (uint32_t)map->channels, 4);
        kst_put_uint(&o, (uint32_t)map->sample_bytes, 4);
        kst_put_f32(&o, map->scale);
        kst_put_f32(&o, map->offset);
        put_span(&o, &d->map_spans[m], 8);
    }
    put_zones(d, &o);
    for (size_t i = 0; i < d->chunk_count; ++i) {
        for (int k = 0; k < 3; ++k) kst_put_f32(&o, d->nodes[i].reach_min[k]);
        for (int k = 0; k < 3; ++k) kst_put_f32(&o, d->nodes[i].reach_max[k]);
        kst_put_f32(&o, d->nodes[i].error);
        for (int k = 0; k < 6; ++k) kst_put_f32(&o, d->chunk_bounds[i][k]);
    }
    for (size_t i = 0; i < d->record_count; ++i) put_span(&o, &d->records[i], 4);
}

static void read_fixed(kst_directory *d, uint32_t version, kst_reader *r) {
    karst_lattice *l = &d->lattice;
    l->shape.columns = kst_read_i32(r);
    l->shape.rows = kst_read_i32(r);
    l->shape.spacing_m = kst_read_f64(r);
    l->shape.origin.x = kst_read_f64(r);
    l->shape.origin.y = kst_read_f64(r);
    l->shape.origin.z = kst_read_f64(r);
    l->step_y_m = kst_read_f64(r);
    l->step_xz_m = kst_read_f64(r);
    l->cell_steps = kst_read_i32(r);
    l->bound_m = kst_read_f32(r);
    d->level_count = kst_read_i32(r);
    d->map_count = kst_read_i32(r);
    d->hole_count = kst_read_u64(r);
    d->world_hash = kst_read_u64(r);
    d->bounds.min.x = kst_read_f64(r);
    d->bounds.min.y = kst_read_f64(r);
    d->bounds.min.z = kst_read_f64(r);
    d->bounds.max.x = kst_read_f64(r);
    d->bounds.max.y = kst_read_f64(r);
    d->bounds.max.z = kst_read_f64(r);
    d->min_y_m = kst_read_f32(r);
    d->max_y_m = kst_read_f32(r);
    d->reach_x_steps = kst_read_u16(r);
    d->reach_z_steps = kst_read_u16(r);
    d->zone_count = kst_read_u32(r);
    d->tables = read_span(r, 4);
    d->seam_count = version < KST_PACK_VERSION_SEAMS ? 0 : kst_read_u32(r);
}

static void read_map(karst_map *map, kst_pack_span *span, kst_reader *r) {
    const uint8_t *name = kst_read_bytes(r, sizeof map->name);
    if (name) memcpy(map->name, name, sizeof map->name);
    map->width = kst_read_i32(r);
    map->height = kst_read_i32(r);
    map->channels = kst_read_i32(r);
    map->sample_bytes = kst_read_i32(r);
    map->scale = kst_read_f32(r);
    map->offset = kst_read_f32(r);
    map->samples = NULL;
    *span = read_span(r, 8);
}

static void read_net(kst_directory *d, kst_reader *r) {
    if (!d->zone_count) return;
    d->net_origin.x = kst_read_f64(r);
    d->net_origin.y = kst_read_f64(r);
    d->net_origin.z = kst_read_f64(r);
    d->net_step_log2 = kst_read_i32(r);
}

static void read_zone(kst_pack_zone *z, kst_reader *r) {
    z->zone_x = kst_read_i32(r);
    z->zone_z = kst_read_i32(r);
    z->patch_count = kst_read_u32(r);
    z->raw_bytes = kst_read_u32(r);
    for (int axis = 0; axis < 3; ++axis) z->low[axis] = kst_read_i32(r);
    for (int axis = 0; axis < 3; ++axis) z->high[axis] = kst_read_i32(r);
    z->span = read_span(r, 4);
}

// False when what is spare is not zero.
static bool read_seam(karst_pack_seam *s, kst_reader *r) {
    s->column = kst_read_i32(r);
    s->row = kst_read_i32(r);
    uint32_t word = kst_read_u32(r);
    s->most_log2 = (uint8_t)word;
    s->size = (uint8_t)(word >> 8);
    for (int axis = 0; axis < 3; ++axis) s->min[axis] = kst_read_f32(r);
    for (int axis = 0; axis < 3; ++axis) s->max[axis] = kst_read_f32(r);
    return word >> 16 == 0;
}

static void read_chunk_record(kst_directory *d, size_t i, kst_reader *r) {
    for (int k = 0; k < 3; ++k) d->nodes[i].reach_min[k] = kst_read_f32(r);
    for (int k = 0; k < 3; ++k) d->nodes[i].reach_max[k] = kst_read_f32(r);
    d->nodes[i].error = kst_read_f32(r);
    for (int k = 0; k < 6; ++k) d->chunk_bounds[i][k] = kst_read_f32(r);
}

// Parts follow one another without a gap, so that every byte of the file belongs to one and no two overlap.
static bool follows(const kst_pack_span *span, uint64_t *place, uint64_t file_bytes) {
    if (span->place != *place || !span->size || span->size > file_bytes - *place) return false;
    *place = kst_pack_aligned(span->place + span->size);
    return *place <= file_bytes;
}

karst_status kst_directory_read(kst_directory *d, uint32_t version, const uint8_t *bytes, size_t size, uint64_t begin,
                                uint64_t file_bytes, const karst_allocator *allocator, const char *path,
                                karst_report *report) {
    kst_reader r = {bytes, bytes + size, false};
    read_fixed(d, version, &r);
    const char *problem = r.bad                                               ? "it is too short"
                          : version < KST_PACK_VERSION_ZONES && d->zone_count ? "a spare field is not zero"
                                                                              : NULL;
    // Nothing is numbered or sized before the counts are known to be in range.
    if (!problem && (d->map_count < 0 || d->map_count > KST_PACK_MAPS_MAX)) problem = "there are more than 8 maps";
    if (!problem && d->zone_count > KST_PACK_ZONES_MAX) problem = "there are more than 2^20 zones";
    if (!problem && d->seam_count > KST_PACK_SEAMS_MAX) problem = "there are more than 2^20 corners of seams";
    size_t zones = d->zone_count, seams = d->seam_count;
    d->zone_count = d->seam_count = 0;  // until there is room for them
    if (!problem) {
        int32_t maps = d->map_count;
        d->map_count = 0;
        problem = directory_problem(d);
        d->map_count = maps;
    }
    if (problem) return say(KARST_ERROR_FORMAT, path, problem, report);
    kst_directory_number(d);
    d->zone_count = zones, d->seam_count = seams;
    size_t want;
    if (!kst_directory_bytes(d, version, &want) || want != size) problem = "its size does not fit the levels it lists";
    for (int level = 0; level < d->level_count && !problem; ++level) {
        int32_t x = kst_read_i32(&r), z = kst_read_i32(&r);
        if (x != d->chunks_x[level] || z != d->chunks_z[level]) problem = "a level's chunk grid does not fit the size";
    }
    for (int m = 0; m < d->map_count && !problem; ++m) read_map(&d->maps[m], &d->map_spans[m], &r);
    if (!problem) read_net(d, &r);
    if (!problem) problem = directory_problem(d);
    if (problem) {
        d->zone_count = d->seam_count = 0;
        return say(KARST_ERROR_FORMAT, path, problem, report);
    }
    karst_status status = kst_directory_alloc(d, allocator);
    if (status) return kst_fail(report, status, "%s: out of memory for the directory", path);
    for (size_t i = 0; i < d->zone_count; ++i) read_zone(&d->zones[i], &r);
    bool spare = false;
    for (size_t i = 0; i < d->seam_count; ++i) spare |= !read_seam(&d->seams[i], &r);
    for (size_t i = 0; i < d->chunk_count; ++i) read_chunk_record(d, i, &r);
    for (size_t i = 0; i < d->record_count; ++i) d->records[i] = read_span(&r, 4);
    problem = tables_problem(d);
    if (!problem) problem = zones_problem(d);
    if (!problem) problem = spare ? "a spare field is not zero" : seams_problem(d);
    uint64_t place = begin;
    if (!problem && !follows(&d->tables, &place, file_bytes)) problem = "the tables do not lie where they should";
    for (int m = 0; m < d->map_count && !problem; ++m)
        if (!follows(&d->map_spans[m], &place, file_bytes)) problem = "a map does not lie where it should";
    for (size_t i = 0; i < d->record_count && !problem; ++i)
        if (!follows(&d->records[i], &place, file_bytes)) problem = "a record does not lie where it should";
    for (size_t i = 0; i < d->zone_count && !problem; ++i)
        if (!follows(&d->zones[i].span, &place, file_bytes)) problem = "a zone does not lie where it should";
    if (!problem && place != file_bytes) problem = "the file does not end with its last part";
    if (!problem && r.bad) problem = "it is too short";
    return say(KARST_ERROR_FORMAT, path, problem, report);
}
