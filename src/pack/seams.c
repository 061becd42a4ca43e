// SPDX-License-Identifier: MIT
// Corners of the field on seams: which they are, by the patches that the net takes the place of, and what the net has
// there, by its zones.
#include "pack/seams.h"

#include <math.h>
#include <stdlib.h>

#include "surface/ray.h"

static bool is_replaced(const uint8_t *patches, int32_t wide, int32_t rows, int32_t x, int32_t z) {
    return x >= 0 && z >= 0 && x < wide && z < rows && patches[(size_t)z * (size_t)wide + (size_t)x];
}

bool kst_seams_is_corner(const uint8_t *patches, int32_t wide, int32_t rows, int32_t column, int32_t row) {
    bool first = is_replaced(patches, wide, rows, column, row);
    return is_replaced(patches, wide, rows, column - 1, row) != first ||
           is_replaced(patches, wide, rows, column, row - 1) != first ||
           is_replaced(patches, wide, rows, column - 1, row - 1) != first;
}

karst_status kst_seams_list(const uint8_t *patches, int32_t wide, int32_t rows, karst_pack_seam **out, int32_t *count) {
    const karst_pack_seam nothing = {
        .most_log2 = UINT8_MAX, .min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    *out = NULL;
    *count = 0;
    for (int fill = 0; fill < 2; ++fill) {
        if (fill && *count) {
            *out = kst_alloc_array(NULL, (size_t)*count, sizeof **out);
            if (!*out) return KARST_ERROR_MEMORY;
        }
        int32_t at = 0;
        for (int32_t z = 0; z <= rows; ++z)
            for (int32_t x = 0; x <= wide; ++x) {
                if (!kst_seams_is_corner(patches, wide, rows, x, z)) continue;
                if (*out) {
                    (*out)[at] = nothing;
                    (*out)[at].column = x * KARST_PATCH_CELLS, (*out)[at].row = z * KARST_PATCH_CELLS;
                }
                ++at;
            }
        *count = at;
    }
    return KARST_OK;
}

static int compare_place(const void *key, const void *at) {
    const karst_pack_seam *a = key, *b = at;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

typedef struct part {  // of a net, along one patch border
    int most_log2;
    uint8_t size;
    float min[3], max[3];
} part;

static bool add_part(karst_pack_seam *seams, int32_t count, int32_t column, int32_t row, const part *p) {
    const karst_pack_seam place = {.column = column, .row = row};
    karst_pack_seam *s = count ? bsearch(&place, seams, (size_t)count, sizeof place, compare_place) : NULL;
    if (!s) return false;
    if (p->most_log2 < s->most_log2) s->most_log2 = (uint8_t)p->most_log2;
    if (p->size > s->size) s->size = p->size;
    for (int a = 0; a < 3; ++a) {
        s->min[a] = fminf(s->min[a], p->min[a]);
        s->max[a] = fmaxf(s->max[a], p->max[a]);
    }
    return true;
}

bool kst_seams_take(const karst_zone *zone, karst_pack_seam *seams, int32_t count) {
    double fine = ldexp(1.0 / KARST_NET_FINE, zone->step_log2);
    bool listed = true;
    for (uint32_t k = 0; k < zone->piece_count; ++k) {
        const karst_piece *piece = &zone->pieces[k];
        part p = {0};
        bool bounded = false;
        for (int side = 0; side < 4; ++side)
            for (uint32_t i = 0; i < 1u << piece->spans_log2[side]; ++i) {
                const karst_zone_span *span = &zone->spans[piece->first_span[side] + i];
                if (!span->seam) continue;
                if (!bounded) {
                    karst_fine low, high;
                    karst_zone_box(zone, k, &low, &high);
                    const int32_t from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z},
                                  bias[3] = {zone->bias.x, zone->bias.y, zone->bias.z};
                    for (int a = 0; a < 3; ++a) {
                        p.min[a] = kst_float_below(((double)bias[a] + from[a]) * fine);
                        p.max[a] = kst_float_above(((double)bias[a] + to[a]) * fine);
                    }
                    bounded = true;
                }
                p.most_log2 = piece->tiles_log2 - piece->spans_log2[side];  // a tile a cell
                p.size = span->size[1];
                int32_t along_x = span->seam == 1 ? KARST_PATCH_CELLS : 0, along_z = KARST_PATCH_CELLS - along_x;
                listed &= add_part(seams, count, span->column, span->row, &p);
                listed &= add_part(seams, count, span->column + along_x, span->row + along_z, &p);
            }
    }
    return listed;
}
