// SPDX-License-Identifier: MIT
// Seam: one level for a field and the net beside it.
//
// A corner's level is the least of three: what the field's error allows, by the very function that its own corners go
// by; what the net's threshold allows at the nearest place of its pieces there, so that it is 0 wherever one of these
// may be drawn by tiles; and the cells of the shortest span. All are continuous in the eye. It is rounded down to
// 2^-10, so that both grounds compute with exact numbers.
#include "seam.h"

#include <math.h>
#include <stdlib.h>

#include "zone_scene.h"

enum { BLOCK = KARST_CORNER_LANES, TILE_LEVELS = KST_ZONE_ABOVE };
static const float unit = 0x1p-10f;

// A corner as a level-0 chunk has it.
typedef struct corner_of {
    int32_t chunk_x, chunk_z, corner;
    int32_t lane;
} corner_of;

struct karst_seam {
    const karst_allocator *allocator;
    karst_lattice lattice;
    int32_t count, block_count;
    karst_pack_seam *corners;     // by row, then column
    karst_chunk_corners *blocks;  // corner k is lane k % BLOCK of block k / BLOCK
    float *levels;                // of corners; negative: none was chosen yet
    corner_of *places;            // of corners in all chunks that they touch, by chunk: z, then x
    int32_t place_count, place_room;
    // Ramps of the budget
    float threshold, tile_m, tile_fade_m;
    karst_zone_ramp ramps[KARST_NET_SIZES][TILE_LEVELS];
};

const karst_lattice *kst_seam_lattice(const karst_seam *seam) {
    return &seam->lattice;
}

float kst_seam_level_at(const karst_seam *seam, int32_t corner) {
    return seam->levels[corner];
}

// ---- make ------------------------------------------------------------------------------------------

static int by_chunk(const void *a, const void *b) {
    const corner_of *p = a, *q = b;
    if (p->chunk_z != q->chunk_z) return p->chunk_z < q->chunk_z ? -1 : 1;
    if (p->chunk_x != q->chunk_x) return p->chunk_x < q->chunk_x ? -1 : 1;
    return p->corner < q->corner ? -1 : 1;
}

// The up to four chunks that each corner touches.
static void list_places(karst_seam *s, int32_t grid_x, int32_t grid_z) {
    for (int32_t k = 0; k < s->count; ++k) {
        int32_t x = s->corners[k].column / KARST_PATCH_CELLS, z = s->corners[k].row / KARST_PATCH_CELLS;
        for (int q = 0; q < 4; ++q) {
            int32_t cx = x / KARST_CHUNK_PATCHES - (q & 1), cz = z / KARST_CHUNK_PATCHES - (q >> 1);
            int32_t i = x - cx * KARST_CHUNK_PATCHES, j = z - cz * KARST_CHUNK_PATCHES;
            if (i > KARST_CHUNK_PATCHES || j > KARST_CHUNK_PATCHES) continue;  // q steps over a chunk's middle
            if (cx < 0 || cz < 0 || cx >= grid_x || cz >= grid_z) continue;
            s->places[s->place_count++] = (corner_of){cx, cz, k, j * KARST_CHUNK_CORNERS + i};
        }
    }
    qsort(s->places, (size_t)s->place_count, sizeof *s->places, by_chunk);
}

// A column of a chunk's table into one of ours.
static void take_corner(karst_seam *s, int32_t corner, const karst_chunk_corners *from, int lane) {
    karst_chunk_corners *to = &s->blocks[corner / BLOCK];
    int at = corner % BLOCK;
    to->min_x[at] = from->min_x[lane], to->min_y[at] = from->min_y[lane], to->min_z[at] = from->min_z[lane];
    to->max_x[at] = from->max_x[lane], to->max_y[at] = from->max_y[lane], to->max_z[at] = from->max_z[lane];
    for (int k = 0; k <= KARST_PATCH_LEVELS; ++k) to->error[k][at] = from->error[k][lane];
}

// All chunks that touch a corner say the same of it: the first of them is read.
static karst_status read_corners(karst_seam *s, const karst_pack *pack, karst_report *report) {
    karst_chunk *chunk = kst_alloc(s->allocator, sizeof *chunk);
    bool *done = kst_alloc_zero(s->allocator, (size_t)s->count);
    karst_status status = chunk && done ? KARST_OK : KARST_ERROR_MEMORY;
    const corner_of *here = NULL;
    for (int32_t k = 0; k < s->place_count && !status; ++k) {
        const corner_of *p = &s->places[k];
        if (done[p->corner]) continue;
        if (!here || here->chunk_x != p->chunk_x || here->chunk_z != p->chunk_z) {
            status = karst_pack_read_chunk(pack, 0, p->chunk_x, p->chunk_z, chunk);
            if (status)
                kst_fail(report, status, "chunk 0/%d/%d on a seam cannot be read; karst check tells what is wrong",
                         p->chunk_x, p->chunk_z);
            here = p;
        }
        if (!status) take_corner(s, p->corner, &chunk->corners, p->lane);
        done[p->corner] = true;
    }
    kst_free(s->allocator, done, (size_t)s->count);
    kst_free(s->allocator, chunk, sizeof *chunk);
    return status;
}

karst_status karst_seam_create(const karst_pack *pack, const karst_allocator *a, karst_report *report,
                               karst_seam **out) {
    int32_t count = karst_pack_seam_count(pack), grid_x, grid_z;
    if (!count) {
        *out = NULL;
        return KARST_OK;
    }
    karst_seam *s = kst_alloc_zero(a, sizeof *s);
    if (!s) return KARST_ERROR_MEMORY;
    s->allocator = a;
    s->lattice = karst_pack_info_of(pack).lattice;
    s->count = count;
    s->block_count = (count + BLOCK - 1) / BLOCK;
    s->place_room = 4 * count;
    s->corners = kst_alloc_array(a, (size_t)count, sizeof *s->corners);
    s->levels = kst_alloc_array(a, (size_t)count, sizeof *s->levels);
    s->blocks = kst_alloc_zero(a, (size_t)s->block_count * sizeof *s->blocks);
    s->places = kst_alloc_array(a, (size_t)s->place_room, sizeof *s->places);
    karst_status status = s->corners && s->levels && s->blocks && s->places ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        memcpy(s->corners, karst_pack_seams(pack), (size_t)count * sizeof *s->corners);
        for (int32_t k = 0; k < count; ++k) s->levels[k] = -1;
        karst_pack_chunk_grid(pack, 0, &grid_x, &grid_z);
        list_places(s, grid_x, grid_z);
        status = read_corners(s, pack, report);
    }
    if (status) {
        karst_seam_destroy(s);
        return status;
    }
    *out = s;
    return KARST_OK;
}

void karst_seam_destroy(karst_seam *s) {
    if (!s) return;
    const karst_allocator *a = s->allocator;
    kst_free(a, s->corners, (size_t)s->count * sizeof *s->corners);
    kst_free(a, s->levels, (size_t)s->count * sizeof *s->levels);
    kst_free(a, s->blocks, (size_t)s->block_count * sizeof *s->blocks);
    kst_free(a, s->places, (size_t)s->place_room * sizeof *s->places);
    kst_free(a, s, sizeof *s);
}

// ---- levels ----------------------------------------------------------------------------------------

// A piece is refined only where a tile corner of it is nearer than the first ramp begins, and all of them lie in the
// box: the factor and the centimetre are for rounding.
static void make_ramps(karst_seam *s, const karst_zone_budget *b) {
    if (s->threshold == b->threshold && s->tile_m == b->tile_m && s->tile_fade_m == b->tile_fade_m) return;
    s->threshold = b->threshold, s->tile_m = b->tile_m, s->tile_fade_m = b->tile_fade_m;
    for (int c = 0; c < KARST_NET_SIZES; ++c) {
        double near = kst_zone_tile_reach(c, b->threshold) * (1 + 0x1p-10) + 0.01;
        kst_zone_ramps_above(s->ramps[c], c, b->threshold, fmax(near, (double)b->tile_m), b->tile_fade_m);
    }
}

// Of the net, at the distance of the nearest eye to its pieces.
static float net_level(const karst_seam *s, const karst_pack_seam *c, const kst_eye *eyes, int eye_count) {
    float least = INFINITY;
    for (int v = 0; v < eye_count; ++v) {
        float x = kst_more(kst_more(c->min[0] - eyes[v].x, eyes[v].x - c->max[0]), 0);
        float y = kst_more(kst_more(c->min[1] - eyes[v].y, eyes[v].y - c->max[1]), 0);
        float z = kst_more(kst_more(c->min[2] - eyes[v].z, eyes[v].z - c->max[2]), 0);
        least = kst_less(least, x * x + y * y + z * z);
    }
    float away = karst_zone_reciprocal(kst_less(least, 1e24f)), level = 0;
    for (int k = 0; k < TILE_LEVELS; ++k) {
        const karst_zone_ramp *r = &s->ramps[c->size][k];
        level += kst_less(kst_more((r->from - away) * r->scale, 0), 1);
    }
    return level;
}

void karst_seam_update(karst_seam *s, const karst_view *views, int view_count, const karst_budget *field,
                       const karst_zone_budget *zones) {
    const karst_budget f = field ? *field : karst_budget_default();
    const karst_zone_budget z = zones ? *zones : karst_zone_budget_default();
    KARST_ASSERT(view_count >= 1 && view_count <= KARST_VIEWS_MAX && f.error_px > 0);
    if (f.full_detail) {
        for (int32_t k = 0; k < s->count; ++k) s->levels[k] = 0;
        return;
    }
    kst_eye eyes[KARST_VIEWS_MAX];
    for (int v = 0; v < view_count; ++v) eyes[v] = kst_eye_of(&views[v], s->lattice.shape.origin, f.error_px);
    make_ramps(s, &z);
    for (int32_t first = 0; first < s->count; first += BLOCK) {
        float own[KARST_CORNER_LANES], allowed[KARST_CORNER_LANES];
        kst_corner_own(&s->blocks[first / BLOCK], eyes, view_count, own, allowed);
        for (int32_t k = first; k < s->count && k < first + BLOCK; ++k) {
            const karst_pack_seam *c = &s->corners[k];
            float level = kst_less(net_level(s, c, eyes, view_count), (float)(2 * c->most_log2));
            level = kst_less(level, kst_more(2 * own[k - first] - 1, 0));
            s->levels[k] = floorf(level * (1 / unit)) * unit;
        }
    }
}

// ---- look-ups --------------------------------------------------------------------------------------

int32_t kst_seam_find(const karst_seam *s, int32_t column, int32_t row, int32_t guess) {
    if (guess >= 0 && guess < s->count && s->corners[guess].column == column && s->corners[guess].row == row)
        return guess;
    int32_t low = 0, high = s->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const karst_pack_seam *c = &s->corners[middle];
        if (c->row < row || (c->row == row && c->column < column))
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < s->count && s->corners[low].column == column && s->corners[low].row == row;
    return found ? low : KST_SEAM_NONE;
}

float karst_seam_level(const karst_seam *seam, int32_t column, int32_t row) {
    int32_t k = kst_seam_find(seam, column, row, 0);
    return k < 0 ? -1 : seam->levels[k];
}

bool kst_seam_take(const karst_seam *s, const kst_cut *cut, const kst_leaf *leaf, float levels[KARST_CORNER_LANES]) {
    if (leaf->level) return false;
    int32_t low = 0, high = s->place_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const corner_of *p = &s->places[middle];
        if (p->chunk_z < leaf->z || (p->chunk_z == leaf->z && p->chunk_x < leaf->x))
            low = middle + 1;
        else
            high = middle;
    }
    bool any = false;
    for (const corner_of *p = s->places + low, *end = s->places + s->place_count;
         p < end && p->chunk_x == leaf->x && p->chunk_z == leaf->z; ++p) {
        int32_t x = s->corners[p->corner].column / KARST_PATCH_CELLS, z = s->corners[p->corner].row / KARST_PATCH_CELLS;
        bool alone = s->levels[p->corner] >= 0;
        for (int q = 0; q < 4 && alone; ++q) {
            const kst_leaf *beside = kst_cut_quadrant(cut, 0, x, z, q & 1, q >> 1);
            alone = !beside || beside->level == 0;
        }
        if (!alone) continue;
        levels[p->lane] = kst_seam_lambda(s->levels[p->corner]);
        if (p->lane == 0)
            for (int i = KARST_CORNER_COUNT; i < KARST_CORNER_LANES; ++i) levels[i] = levels[0];
        any = true;
    }
    return any;
}
