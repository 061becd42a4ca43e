// SPDX-License-Identifier: MIT
// Seams: the net takes the place of whole patches of the field, and its tile corners along their border are the field's
// vertices as they are baked. See docs/bake.md.
#include <math.h>

#include "bake/run.h"
#include "pack/seams.h"

// ---- out of the field ------------------------------------------------------------------------------

// The cell at the end of (x, z) -> (x + dx, z + dz), the border of two patches, that is no ground; false: all are.
static bool hole_along(const kst_sheet *s, int32_t x, int32_t z, int dx, int dz, int32_t *column, int32_t *row) {
    for (int k = 0; k < KARST_PATCH_CELLS; ++k) {
        int32_t i = dx ? (dx > 0 ? 0 : KARST_PATCH_CELLS - 1) : k, j = dz ? (dz > 0 ? 0 : KARST_PATCH_CELLS - 1) : k;
        *column = (x + dx) * KARST_PATCH_CELLS + i, *row = (z + dz) * KARST_PATCH_CELLS + j;
        if (*column < s->columns - 1 && *row < s->rows - 1 && kst_sheet_is_hole(s, *column, *row)) return true;
    }
    return false;
}

static karst_status check_beside(const kst_sheet *s, const uint8_t *patches, int32_t x, int32_t z,
                                 karst_report *report) {
    static const int way[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    int32_t wide = kst_patch_count(s->columns), rows = kst_patch_count(s->rows);
    for (int k = 0; k < 4; ++k) {
        int32_t x2 = x + way[k][0], z2 = z + way[k][1], column, row;
        if (x2 < 0 || z2 < 0 || x2 >= wide || z2 >= rows) continue;
        if (patches[(size_t)z2 * (size_t)wide + (size_t)x2]) continue;
        if (!hole_along(s, x, z, way[k][0], way[k][1], &column, &row)) continue;
        return kst_fail(
            report, KARST_ERROR_FORMAT,
            "seam: cell (%d, %d) of the field is a hole beside patch (%d, %d), which the net takes the place "
            "of: fill it, or fit the net over it, too",
            column, row, x, z);
    }
    return KARST_OK;
}

karst_status kst_sheet_cut_out(kst_sheet *s, const uint8_t *patches, karst_report *report) {
    int32_t wide = kst_patch_count(s->columns), rows = kst_patch_count(s->rows);
    karst_status status = KARST_OK;
    for (int32_t z = 0; z < rows && !status; ++z)
        for (int32_t x = 0; x < wide && !status; ++x)
            if (patches[(size_t)z * (size_t)wide + (size_t)x]) status = check_beside(s, patches, x, z, report);
    for (int32_t row = 0; row < s->rows - 1 && !status; ++row) {
        const uint8_t *line = patches + (size_t)(row / KARST_PATCH_CELLS) * (size_t)wide;
        uint64_t *words = s->hole[0] + (size_t)row * (size_t)s->chunks_x[0];
        for (int32_t x = 0; x < wide; ++x) {
            uint64_t bits = line[x] ? (uint64_t)0xffff << (x % KARST_CHUNK_PATCHES * KARST_PATCH_CELLS) : 0;
            uint64_t *word = &words[x / KARST_CHUNK_PATCHES];
            s->hole_count += (uint64_t)__builtin_popcountll(bits & ~*word);
            *word |= bits;
        }
        if (row % KARST_CHUNK_CELLS == 0) kst_scratch_ease(s->scratch);
    }
    s->replaced = patches;
    return status;
}

// ---- the net ---------------------------------------------------------------------------------------

static bool has_seams(const karst_net *net) {
    for (int32_t k = 0; net && k < net->edge_count; ++k)
        if (net->edges[k].seam) return true;
    return false;
}

static karst_status copy_net(const karst_net *net, karst_report *report, karst_net **out) {
    karst_status status = karst_net_create(net->origin, net->step_log2, NULL, out);
    int32_t at;
    for (int32_t k = 0; k < net->corner_count && !status; ++k)
        status = karst_net_add_corner(*out, &net->corners[k], &at);
    for (int32_t k = 0; k < net->edge_count && !status; ++k) status = karst_net_add_edge(*out, &net->edges[k], &at);
    for (int32_t k = 0; k < net->patch_count && !status; ++k) status = karst_net_add_patch(*out, &net->patches[k], &at);
    return status ? status : karst_net_finish(*out, report);
}

// Whole fine steps on both sides, or no vertex of the two could be the same.
static karst_status check_places(const karst_net *net, const karst_field_shape *shape, karst_report *report) {
    const karst_pos *a = &net->origin, *b = &shape->origin;
    if (a->x != b->x || a->y != b->y || a->z != b->z)
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "seam: the net counts from (%.17g, %.17g, %.17g) and the field from (%.17g, %.17g, %.17g): fit "
                        "the net anew in place of the field",
                        a->x, a->y, a->z, b->x, b->y, b->z);
    double fine = ldexp(1.0 / KARST_NET_FINE, net->step_log2);
    if (fmod(shape->spacing_m, fine) != 0)
        return kst_fail(
            report, KARST_ERROR_FORMAT,
            "seam: the field's spacing of %.17g m is no whole number of the net's steps of %.17g m: resize the "
            "field (karst resize --spacing) and fit the net anew",
            shape->spacing_m, fine);
    return KARST_OK;
}

karst_status kst_bake_seams_open(const karst_net *net, const karst_field_shape *shape, karst_report *report,
                                 kst_bake_seams *out) {
    *out = (kst_bake_seams){0};
    if (!has_seams(net)) return KARST_OK;
    karst_status status = check_places(net, shape, report);
    if (status) return status;
    int32_t wide = kst_patch_count(shape->columns), rows = kst_patch_count(shape->rows);
    out->patch_count = (size_t)wide * (size_t)rows;
    out->patches = kst_alloc_zero(NULL, out->patch_count);
    if (!out->patches) return KARST_ERROR_MEMORY;
    status = copy_net(net, report, &out->net);
    if (!status) status = karst_net_replaced(out->net, shape->columns, shape->rows, out->patches, report);
    if (!status) status = kst_seams_list(out->patches, wide, rows, &out->corners, &out->corner_count);
    return status;
}

static bool vertex_of(void *context, int32_t column, int32_t row, int32_t fine[3]) {
    const kst_sheet *s = ((void **)context)[0];
    const double *fine_m = ((void **)context)[1];
    if (column < 0 || row < 0 || column >= s->columns || row >= s->rows) return false;
    size_t at = kst_sheet_index(s, column, row);
    const karst_lattice *l = &s->lattice;
    // Both are whole numbers, so each product is exact.
    double along = l->step_xz_m / *fine_m, up = l->step_y_m / *fine_m;
    const double place[3] = {((double)column * l->cell_steps + (s->displaced ? s->dx[at] : 0)) * along, s->y[at] * up,
                             ((double)row * l->cell_steps + (s->displaced ? s->dz[at] : 0)) * along};
    for (int a = 0; a < 3; ++a) {
        if (!(fabs(place[a]) <= INT32_MAX)) return false;
        fine[a] = (int32_t)place[a];
    }
    return true;
}

karst_status kst_bake_seams_pin(kst_bake_seams *seams, const kst_sheet *sheet, karst_report *report) {
    if (!seams->net) return KARST_OK;
    double fine_m = ldexp(1.0 / KARST_NET_FINE, seams->net->step_log2);
    void *context[2] = {(void *)(uintptr_t)sheet, &fine_m};
    return karst_net_pin(seams->net, vertex_of, context, report);
}

void kst_bake_seams_close(kst_bake_seams *seams) {
    karst_net_destroy(seams->net);
    kst_free(NULL, seams->patches, seams->patch_count);
    kst_free(NULL, seams->corners, (size_t)seams->corner_count * sizeof *seams->corners);
    *seams = (kst_bake_seams){0};
}
