// SPDX-License-Identifier: MIT
// Check of the answers: the ground of the pack is asked for triangles, heights and rays, and must say what the
// chunks say. Chunks once touched by queries stay resident, so a large pack is asked in a spread of its chunks.
#include <math.h>

#include "karst/surface.h"
#include "pack/check.h"

enum {
    CHUNKS_MOST = 1024,  // about 45 MB resident
    CELLS_A_CHUNK = 192,
    POINTS_A_CHUNK = 32,
    ANSWERS_MOST = 64,
    CELLS = KARST_CHUNK_CELLS,
    SIDE = KARST_CHUNK_SIDE,
};

static const double tolerance_m = 1e-4;

typedef struct asking {
    kst_checking *c;
    const karst_ground *ground;
    const kst_directory *d;
    karst_box bounds;
    size_t *chosen, count;
} asking;

// One chunk, as the questions to it need it.
typedef struct piece {
    int32_t x, z;
    size_t index;
    karst_chunk chunk;
    uint8_t triangles[CELLS][CELLS][2];
    uint64_t elsewhere;  // triangles that are none of this chunk's
} piece;

static karst_pos vertex_of(const asking *a, const piece *p, int i, int j) {
    const karst_lattice *l = &a->d->lattice;
    karst_vertex v = p->chunk.vertex[j * SIDE + i];
    return (karst_pos){l->shape.origin.x + ((double)(p->x * CELLS + i) * l->cell_steps + v.dx) * l->step_xz_m,
                       l->shape.origin.y + v.y * l->step_y_m,
                       l->shape.origin.z + ((double)(p->z * CELLS + j) * l->cell_steps + v.dz) * l->step_xz_m};
}

static bool is_hole(const piece *p, int i, int j) {
    return p->chunk.hole[j] >> i & 1;
}

// ---- coverage: each cell of ground has its two triangles once -----------------------------------------

static bool take_triangles(void *context, const karst_triangle *triangles, int count) {
    piece *p = context;
    for (int k = 0; k < count; ++k) {
        int64_t i = (int64_t)triangles[k].place.column - (int64_t)p->x * CELLS;
        int64_t j = (int64_t)triangles[k].place.row - (int64_t)p->z * CELLS;
        if (i < 0 || i >= CELLS || j < 0 || j >= CELLS || triangles[k].place.triangle > 1)
            ++p->elsewhere;
        else if (p->triangles[j][i][triangles[k].place.triangle] < 255)
            ++p->triangles[j][i][triangles[k].place.triangle];
    }
    return true;
}

static karst_status check_triangles(const asking *a, kst_tally *tally, piece *p) {
    uint64_t key = kst_check_key(0, KST_PASS_ASK, p->index);
    p->elsewhere = 0;
    memset(p->triangles, 0, sizeof p->triangles);
    karst_status status = karst_ground_triangles(a->ground, (uint32_t)p->index, take_triangles, p);
    if (status) return status;
    if (!kst_check_try(tally, !p->elsewhere))
        kst_check_fail(tally, key, "chunk (%d, %d) gives out a triangle of elsewhere", p->x, p->z);
    for (int j = 0; j < CELLS; ++j)
        for (int i = 0; i < CELLS; ++i) {
            int want = is_hole(p, i, j) ? 0 : 1;
            if (!kst_check_try(tally, p->triangles[j][i][0] == want && p->triangles[j][i][1] == want))
                kst_check_fail(tally, key, "cell (%d, %d) has %d and %d triangles where %d each is right",
                               p->x * CELLS + i, p->z * CELLS + j, p->triangles[j][i][0], p->triangles[j][i][1], want);
        }
    return KARST_OK;
}

// ---- holes: heights and rays find a cell where its bit says so -----------------------------------------

static bool is_rim(const piece *p, int i, int j) {  // a neighbour's bit is another
    bool h = is_hole(p, i, j);
    return (i && is_hole(p, i - 1, j) != h) || (i + 1 < CELLS && is_hole(p, i + 1, j) != h) ||
           (j && is_hole(p, i, j - 1) != h) || (j + 1 < CELLS && is_hole(p, i, j + 1) != h);
}

// Middle of one of the two triangles of a cell; false when it stands upright, where a vertical meets no one point.
static bool middle_of(const asking *a, const piece *p, int i, int j, int triangle, karst_pos *out) {
    bool even = !((p->x * CELLS + i + p->z * CELLS + j) & 1);
    int u = triangle ? 1 : 0, v = even ? 1 - u : u;  // the corner beside the diagonal
    karst_pos c[3] = {vertex_of(a, p, i + u, j + v), vertex_of(a, p, i, even ? j : j + 1),
                      vertex_of(a, p, i + 1, even ? j + 1 : j)};
    double area = (c[1].x - c[0].x) * (c[2].z - c[0].z) - (c[1].z - c[0].z) * (c[2].x - c[0].x);
    *out = (karst_pos){(c[0].x + c[1].x + c[2].x) / 3, (c[0].y + c[1].y + c[2].y) / 3, (c[0].z + c[1].z + c[2].z) / 3};
    double spacing = a->d->lattice.shape.spacing_m;
    return fabs(area) > 1e-3 * spacing * spacing;
}

static bool at_cell(const karst_place *place, int column, int row) {
    return place->column == column && place->row == row;
}

// Do a height and a short ray down at this point meet the cell?
static karst_status meets(const asking *a, karst_pos at, int column, int row, bool *height, bool *ray) {
    karst_level answers[ANSWERS_MOST];
    int count;
    karst_status status = karst_ground_heights(a->ground, at.x, at.z, answers, ANSWERS_MOST, &count);
    if (status) return status;
    *height = false;
    for (int k = 0; k < count && k < ANSWERS_MOST; ++k)
        *height |= at_cell(&answers[k].place, column, row) && fabs(answers[k].y - at.y) <= tolerance_m;
    karst_ray down = {{at.x, at.y + 10 * tolerance_m, at.z}, {0, -1, 0}, 0, 20 * tolerance_m};
    karst_hit hit;
    status = karst_ground_cast(a->ground, &down, &hit);
    // Another sheet within a millimetre above may be met first.
    *ray = !status && hit.hit && (at_cell(&hit.place, column, row) || (*height && hit.position.y > at.y));
    return status;
}

static karst_status check_cell(const asking *a, kst_tally *tally, const piece *p, int i, int j) {
    int column = p->x * CELLS + i, row = p->z * CELLS + j;
    bool want = !is_hole(p, i, j);
    for (int triangle = 0; triangle < 2; ++triangle) {
        karst_pos middle;
        if (!middle_of(a, p, i, j, triangle, &middle)) continue;
        bool height, ray;
        karst_status status = meets(a, middle, column, row, &height, &ray);
        if (status) return status;
        if (!kst_check_try(tally, height == want && ray == want))
            kst_check_fail(tally, kst_check_key(0, KST_PASS_ASK, p->index),
                           "cell (%d, %d) is %s, yet a height says %s and a ray %s", column, row,
                           want ? "ground" : "a hole", height ? "ground" : "none", ray ? "ground" : "none");
    }
    return KARST_OK;
}

static karst_status check_cells(const asking *a, kst_tally *tally, const piece *p) {
    int left = CELLS_A_CHUNK / 2;
    for (int j = 0; j < CELLS && left > 0; ++j)
        for (int i = 0; i < CELLS && left > 0; ++i)
            if (is_rim(p, i, j)) {
                karst_status status = check_cell(a, tally, p, i, j);
                if (status) return status;
                --left;
            }
    for (int k = 0; k < CELLS_A_CHUNK / 2; ++k) {
        uint64_t r = kst_random(a->d->world_hash ^ p->index, (uint64_t)k);
        karst_status status = check_cell(a, tally, p, (int)(r % CELLS), (int)(r / CELLS % CELLS));
        if (status) return status;
    }
    return KARST_OK;
}

// ---- ground: rays and heights answer alike ---------------------------------------------------------------

// A vertical ray from above all meets the highest ground, or none where there is none; "any" says the same.
static karst_status check_point(const asking *a, kst_tally *tally, const piece *p, double x, double z) {
    karst_level answers[ANSWERS_MOST];
    int count;
    karst_status status = karst_ground_heights(a->ground, x, z, answers, ANSWERS_MOST, &count);
    if (status) return status;
    karst_ray down = karst_ray_make((karst_pos){x, a->bounds.max.y + 1, z}, (karst_pos){0, -1, 0});
    karst_hit hit;
    bool blocked;
    status = karst_ground_cast(a->ground, &down, &hit);
    if (!status) status = karst_ground_blocked(a->ground, &down, &blocked);
    if (status) return status;
    bool sorted = true;
    for (int k = 1; k < count && k < ANSWERS_MOST; ++k) sorted &= answers[k].y <= answers[k - 1].y;
    bool same = hit.hit == (count > 0) && blocked == hit.hit && sorted &&
                (!hit.hit || fabs(hit.position.y - answers[0].y) <= tolerance_m);
    if (kst_check_try(tally, same)) return KARST_OK;
    kst_check_fail(tally, kst_check_key(0, KST_PASS_ASK, p->index),
                   "at (%.9g, %.9g) a ray says %s %.9g, a height %s %.9g", x, z, hit.hit ? "ground at" : "none",
                   hit.hit ? hit.position.y : 0, count ? "ground at" : "none", count ? answers[0].y : 0);
    return KARST_OK;
}

// Where a slanted ray meets the ground, one of the heights is its own.
static karst_status check_slant(const asking *a, kst_tally *tally, const piece *p, const karst_ray *ray) {
    karst_hit hit;
    bool blocked;
    karst_status status = karst_ground_cast(a->ground, ray, &hit);
    if (!status) status = karst_ground_blocked(a->ground, ray, &blocked);
    if (status) return status;
    bool same = blocked == hit.hit;
    double up = fabs((double)hit.normal.y);
    if (hit.hit && up > 1e-3) {  // on upright ground a height says little
        karst_level answers[ANSWERS_MOST];
        int count;
        status = karst_ground_heights(a->ground, hit.position.x, hit.position.z, answers, ANSWERS_MOST, &count);
        if (status) return status;
        bool met = false;
        for (int k = 0; k < count && k < ANSWERS_MOST; ++k)
            met |= fabs(answers[k].y - hit.position.y) <= tolerance_m + 1e-7 / up;
        // On the very rim of the ground the place met may round to outside of it.
        karst_place none = {0};
        same &= met || (count == 0 && memcmp(&hit.place, &none, sizeof none));
    }
    if (kst_check_try(tally, same)) return KARST_OK;
    kst_check_fail(tally, kst_check_key(0, KST_PASS_ASK, p->index),
                   "a ray meets ground at (%.9g, %.9g, %.9g), no height is there", hit.position.x, hit.position.y,
                   hit.position.z);
    return KARST_OK;
}

static karst_status check_points(const asking *a, kst_tally *tally, const piece *p) {
    uint64_t seed = kst_mix64(a->d->world_hash ^ p->index);
    const karst_field_shape *shape = &a->d->lattice.shape;
    double side = CELLS * shape->spacing_m;
    karst_status status = KARST_OK;
    for (uint64_t k = 0; k < POINTS_A_CHUNK && !status; ++k) {
        double r[6];
        for (uint64_t n = 0; n < 6; ++n) r[n] = kst_random01(seed, 8 * k + n);
        double x = shape->origin.x + (p->x + r[0]) * side, z = shape->origin.z + (p->z + r[1]) * side;
        karst_pos vertex = vertex_of(a, p, (int)(r[0] * SIDE), (int)(r[1] * SIDE));
        if (k % 4 == 1) x = vertex.x, z = vertex.z;
        if (k % 4 == 2) x = shape->origin.x + p->x * side;  // along a border
        if (k % 4 < 3) status = check_point(a, tally, p, x, z);
        karst_ray ray =
            karst_ray_make((karst_pos){x, vertex.y + r[2] * side, z}, (karst_pos){r[3] - 0.5, -r[4], r[5] - 0.5});
        ray.t_max = 2 * side;
        if (k % 4 == 3) status = check_slant(a, tally, p, &ray);
    }
    return status;
}

// ---- all -------------------------------------------------------------------------------------------------

static karst_status ask_range(int begin, int end, int worker, void *context) {
    asking *a = context;
    kst_tally *tally = a->c->tally[worker];
    piece *p = kst_alloc(NULL, sizeof *p);
    if (!p) return KARST_ERROR_MEMORY;
    karst_status status = KARST_OK;
    for (int i = begin; i < end && !status; ++i) {
        p->index = a->chosen[i];
        p->x = (int32_t)(p->index % (size_t)a->d->chunks_x[0]);
        p->z = (int32_t)(p->index / (size_t)a->d->chunks_x[0]);
        status = karst_pack_read_chunk(a->c->pack, 0, p->x, p->z, &p->chunk);
        if (!status) status = check_triangles(a, &tally[KST_CHECK_COVERAGE], p);
        if (!status) status = check_cells(a, &tally[KST_CHECK_HOLES], p);
        if (!status) status = check_points(a, &tally[KST_CHECK_GROUND], p);
        // A damaged chunk, here or beside this one, is what the checksums tell.
        if (status == KARST_ERROR_FORMAT) status = KARST_OK;
    }
    kst_free(NULL, p, sizeof *p);
    kst_check_ease(a->c);
    return status;
}

karst_status kst_check_ground(kst_checking *c) {
    asking a = {.c = c, .ground = karst_pack_ground(c->pack), .d = &c->pack->directory};
    a.bounds = a.d->bounds;
    if (a.bounds.min.x > a.bounds.max.x) a.bounds.max.y = a.d->lattice.shape.origin.y;  // all hole
    size_t room;
    karst_status status = kst_check_choose(c->pack, CHUNKS_MOST, 0, &a.chosen, &a.count, &room);
    if (!status) status = kst_jobs_run(c->jobs, (int)a.count, 4, ask_range, &a, c->progress, "ground", 0, 1);
    kst_free(NULL, a.chosen, room * sizeof *a.chosen);
    return status;
}
