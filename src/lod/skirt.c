// SPDX-License-Identifier: MIT
// Skirt: images of patches beyond the outline of the ground.
//
// An image mirrors where its vertices rest and leaves how far they are moved from there, so that whatever lies on the
// outline is its own image, to the bit where it is a vertex, however the ground is displaced. Where the outline runs
// through patches, these are drawn as the ground draws them.
#include "skirt.h"

#include <math.h>

// All frames' chunks together find room in a texture of 16,384 lines.
enum { SOURCES_MAX = 16384 };

enum { N = KARST_CHUNK_PATCHES, C = KARST_CHUNK_CORNERS };

kst_skirt kst_skirt_make(const karst_field_shape *shape, double beside_m, const karst_allocator *allocator) {
    return (kst_skirt){.allocator = allocator, .shape = *shape, .beside_m = beside_m};
}

void kst_skirt_free(kst_skirt *s) {
    kst_free(s->allocator, s->chunks, (size_t)s->chunk_room * sizeof *s->chunks);
    kst_free(s->allocator, s->corners, (size_t)s->corner_room * sizeof *s->corners);
    *s = (kst_skirt){0};
}

void kst_skirt_begin(kst_skirt *s, double width_m) {
    double across = s->shape.spacing_m * (s->shape.columns - 1), down = s->shape.spacing_m * (s->shape.rows - 1);
    s->width_m = fmin(fmax(width_m, 0), fmin(across, down));
    s->chunk_count = 0;
    s->short_of_memory = false;
}

// Patch `index` of a level along an axis of `cells` cells.
typedef struct span {
    int64_t from, to;  // [cells]
} span;
static span span_of(int level, int32_t index) {
    int64_t side = (int64_t)KARST_PATCH_CELLS << level;
    return (span){index * side, (index + 1) * side};
}

// How far a patch is from the low or the high end of an axis [cells].
static double away_from(span p, kst_mirror end, int64_t cells) {
    return end == KST_MIRROR_LOW ? (double)p.from : end == KST_MIRROR_HIGH ? fmax((double)(cells - p.to), 0) : 0;
}

bool kst_skirt_wants(const kst_skirt *s, int level, int32_t x, int32_t z) {
    if (!(s->width_m > 0)) return false;
    int64_t side = (int64_t)KARST_CHUNK_CELLS << level;
    double least = fmin(fmin((double)(x * side), (double)(s->shape.columns - 1 - (x + 1) * side)),
                        fmin((double)(z * side), (double)(s->shape.rows - 1 - (z + 1) * side)));
    return least * s->shape.spacing_m < s->width_m;
}

void kst_skirt_keep(kst_skirt *s, const kst_source *source, uint16_t drawn, const float levels[KARST_CORNER_LANES]) {
    if (s->chunk_count == s->chunk_room) {
        int32_t room = s->chunk_room ? 2 * s->chunk_room : 64;
        kst_skirt_chunk *fresh = kst_alloc_array(s->allocator, (size_t)room, sizeof *fresh);
        s->short_of_memory |= !fresh;
        if (!fresh) return;
        if (s->chunk_count) memcpy(fresh, s->chunks, (size_t)s->chunk_count * sizeof *fresh);
        kst_free(s->allocator, s->chunks, (size_t)s->chunk_room * sizeof *fresh);
        s->chunks = fresh;
        s->chunk_room = room;
    }
    kst_skirt_chunk *c = &s->chunks[s->chunk_count++];
    *c = (kst_skirt_chunk){.source = *source, .drawn = drawn};
    memcpy(c->levels, levels, sizeof c->levels);
    for (int k = 0; k < N * N; ++k) {  // what lies beyond the field has no image
        span px = span_of(source->level, source->x * N + k % N), pz = span_of(source->level, source->z * N + k / N);
        if (px.from >= s->shape.columns - 1 || pz.from >= s->shape.rows - 1) c->drawn &= (uint16_t) ~(1u << k);
    }
}

// ---- levels of corners -----------------------------------------------------------------------------

static kst_skirt_corner *find(const kst_skirt *s, kst_place p) {
    uint32_t h = (uint32_t)p.x * 0x9E3779B1u ^ (uint32_t)p.z * 0x85EBCA77u;
    h ^= h >> 15;
    for (h &= s->corner_room - 1;; h = (h + 1) & (s->corner_room - 1)) {
        kst_skirt_corner *c = &s->corners[h];
        if (c->stamp != s->stamp || (c->place.x == p.x && c->place.z == p.z)) return c;
    }
}

static bool is_there(const kst_skirt *s, const kst_skirt_corner *c) {
    return c->stamp == s->stamp;
}

static karst_status clear_corners(kst_skirt *s) {
    uint32_t room = 1024, need = (uint32_t)s->chunk_count * 2 * C * C;
    while (room < need) room *= 2;
    if (room > s->corner_room) {
        kst_skirt_corner *fresh = kst_alloc_zero(s->allocator, (size_t)room * sizeof *fresh);
        if (!fresh) return KARST_ERROR_MEMORY;
        kst_free(s->allocator, s->corners, (size_t)s->corner_room * sizeof *fresh);
        s->corners = fresh;
        s->corner_room = room;
        s->stamp = 0;
    }
    if (++s->stamp == 0) {  // wrapped: old corners would look new
        memset(s->corners, 0, (size_t)s->corner_room * sizeof *s->corners);
        s->stamp = 1;
    }
    return KARST_OK;
}

// Whether the end of an axis touches a patch from inside or runs through it, at its corner `far`.
static bool is_kept(span p, bool far, int64_t cells) {
    if (p.from < cells && cells < p.to) return true;
    return (far ? p.to : p.from) == 0 || (far ? p.to : p.from) == cells;
}

static void add_corners(kst_skirt *s, const kst_skirt_chunk *c, int k) {
    int level = c->source.level, x = c->source.x * N + k % N, z = c->source.z * N + k / N;
    for (int q = 0; q < 4; ++q) {
        int right = q & 1, down = q >> 1;
        kst_place p = {(x + right) << level, (z + down) << level};
        kst_skirt_corner *at = find(s, p);
        if (!is_there(s, at))
            *at = (kst_skirt_corner){.stamp = s->stamp,
                                     .place = p,
                                     .ground = (float)level + c->levels[(k / N + down) * C + k % N + right],
                                     .finest = (int16_t)level};
        if (level < at->finest) at->finest = (int16_t)level;
        at->kept |= is_kept(span_of(level, x), right, s->shape.columns - 1) ||
                    is_kept(span_of(level, z), down, s->shape.rows - 1);
    }
}

// Corners of finer patches inside the edges of this one have the level of the longest such edge.
static void add_edges(kst_skirt *s, const kst_skirt_chunk *c, int k) {
    int level = c->source.level, side = 1 << level, parts = level < 2 ? side : 4;  // neighbours: two levels at most
    kst_place first = {(c->source.x * N + k % N) << level, (c->source.z * N + k / N) << level};
    for (int e = 0; e < 4; ++e) {
        bool along_x = !(e & 1);
        kst_place a = {first.x + (e == 1 ? side : 0), first.z + (e == 2 ? side : 0)};
        kst_place b = {a.x + (along_x ? side : 0), a.z + (along_x ? 0 : side)};
        for (int part = 1; part < parts; ++part) {
            int by = side / parts * part;
            kst_skirt_corner *at = find(s, (kst_place){a.x + (along_x ? by : 0), a.z + (along_x ? 0 : by)});
            if (!is_there(s, at) || at->edge >= side) continue;
            at->edge = side;
            at->end[0] = a;
            at->end[1] = b;
        }
    }
}

static float level_of(kst_skirt *s, kst_place p) {
    kst_skirt_corner *c = find(s, p);
    KARST_ASSERT(is_there(s, c));
    if (c->done) return c->level;
    c->done = true;  // the ends of an edge can lie inside longer edges only
    if (c->kept)
        c->level = c->ground;
    else if (c->edge)
        c->level = kst_less(level_of(s, c->end[0]), level_of(s, c->end[1]));
    else
        c->level = (float)(c->finest + KARST_PATCH_LEVELS);
    return c->level;
}

// ---- images ----------------------------------------------------------------------------------------

// Where an image's vertices rest along an axis: those of its patch, mirrored, and as far beside it as they are moved.
static void bounds_along(const kst_skirt *s, span p, kst_mirror mirror, int64_t cells, float *min, float *max) {
    double about = mirror == KST_MIRROR_HIGH ? 2.0 * (double)cells : 0, spacing = s->shape.spacing_m;
    double from = mirror ? about - (double)p.to : (double)p.from, to = mirror ? about - (double)p.from : (double)p.to;
    *min = (float)(from * spacing - s->beside_m);
    *max = (float)(to * spacing + s->beside_m);
}

static unsigned image_seen(const kst_skirt *s, const kst_source *image, int k, const karst_chunk_corners *corners,
                           const kst_frustum *frusta, int count) {
    const int i00 = k / N * C + k % N, i10 = i00 + 1, i01 = i00 + C, i11 = i01 + 1;
    float min[3], max[3];
    min[1] = kst_more(kst_more(corners->min_y[i00], corners->min_y[i10]),
                      kst_more(corners->min_y[i01], corners->min_y[i11]));
    max[1] = kst_less(kst_less(corners->max_y[i00], corners->max_y[i10]),
                      kst_less(corners->max_y[i01], corners->max_y[i11]));
    bounds_along(s, span_of(image->level, image->x * N + k % N), image->mirror_x, s->shape.columns - 1, &min[0],
                 &max[0]);
    bounds_along(s, span_of(image->level, image->z * N + k / N), image->mirror_z, s->shape.rows - 1, &min[2], &max[2]);
    unsigned mask = 0;
    for (int v = 0; v < count; ++v) mask |= (unsigned)(kst_box_in(&frusta[v], min, max) > 0) << v;
    return mask;
}

static void draw_image(kst_skirt *s, const kst_skirt_chunk *chunk, const kst_source *image,
                       const float levels[KARST_CORNER_LANES], const karst_chunk_corners *corners,
                       const kst_frustum *frusta, int count, kst_found *found) {
    int before = found->patch_count;
    for (int k = 0; k < N * N; ++k) {
        if (!(chunk->drawn >> k & 1)) continue;
        double x = away_from(span_of(image->level, image->x * N + k % N), image->mirror_x, s->shape.columns - 1),
               z = away_from(span_of(image->level, image->z * N + k / N), image->mirror_z, s->shape.rows - 1);
        if (fmax(x, z) * s->shape.spacing_m >= s->width_m) continue;
        unsigned mask = frusta ? image_seen(s, image, k, corners, frusta, count) : (1u << count) - 1;
        if (mask) kst_found_patch(found, image, k % N, k / N, mask, levels);
    }
    if (found->patch_count > before) kst_found_source(found, image, 0);
}

karst_status kst_skirt_draw(kst_skirt *s, const kst_frustum *frusta, int count, kst_skirt_corners_fn *corners,
                            void *context, kst_found *found) {
    if (s->short_of_memory) return KARST_ERROR_MEMORY;
    karst_status status = clear_corners(s);
    if (status) return status;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t n = 0; n < s->chunk_count; ++n)
            for (int k = 0; k < N * N; ++k)
                if (s->chunks[n].drawn >> k & 1) (pass ? add_edges : add_corners)(s, &s->chunks[n], k);
    for (int32_t n = 0; n < s->chunk_count; ++n) {
        const kst_skirt_chunk *c = &s->chunks[n];
        const karst_chunk_corners *table = corners(context, &c->source);
        float levels[KARST_CORNER_LANES] = {0};
        for (int k = 0; k < N * N; ++k)
            for (int q = 0; q < 4 && (c->drawn >> k & 1); ++q) {
                int x = k % N + (q & 1), z = k / N + (q >> 1), level = c->source.level;
                kst_place p = {(c->source.x * N + x) << level, (c->source.z * N + z) << level};
                levels[z * C + x] = level_of(s, p) - (float)level;
            }
        for (int i = 1; i < 9; ++i) {
            kst_source image = c->source;
            image.mirror_x = (kst_mirror)(i % 3);
            image.mirror_z = (kst_mirror)(i / 3);
            if (found->source_count == SOURCES_MAX) break;
            status = kst_found_reserve(found, 1);
            if (status) return status;
            draw_image(s, c, &image, levels, table, frusta, count, found);
        }
    }
    return KARST_OK;
}
