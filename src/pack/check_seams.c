// SPDX-License-Identifier: MIT
// Check: where the net takes the place of the field the two meet, vertex by vertex to the bit, and nothing else than
// that place is cut out; and the corners listed there, and the errors that keep chunks fine, are what they should be.
#include <math.h>
#include <stdlib.h>

#include "pack/check.h"
#include "pack/seams.h"

enum { CELLS = KARST_PATCH_CELLS, PER_CHUNK = KARST_CHUNK_PATCHES };

// A border of two patches that tiles of the net lie along.
typedef struct border {
    int32_t x, z;    // its first corner [patches]
    int32_t way;     // along x (1) or z (2)
    uint32_t cells;  // those that have a tile, bit by bit
} border;

typedef struct seams {
    kst_checking *c;
    const kst_directory *d;
    kst_tally *tally;
    border *borders;  // one of each span, then one of each border, sorted
    size_t border_count, border_room;
    uint8_t *patches;  // of each patch of level 0: 1 where the net is in its place
    int32_t wide, rows;
    karst_chunk *chunk;  // the one read last
    int level;
    int32_t chunk_x, chunk_z;
    bool there;
    uint64_t key;  // failures are told in the order of trying
} seams;

static void judge(seams *s, bool good, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void judge(seams *s, bool good, const char *format, ...) {
    ++s->key;
    if (kst_check_try(s->tally, good)) return;
    char text[sizeof s->tally->first];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kst_check_fail(s->tally, s->key, "%s", text);
}

// A chunk that cannot be read is for the checksums to tell.
static karst_status fetch(seams *s, int level, int32_t x, int32_t z) {
    if (s->level == level && s->chunk_x == x && s->chunk_z == z) return KARST_OK;
    s->level = level, s->chunk_x = x, s->chunk_z = z;
    karst_status status = karst_pack_read_chunk(s->c->pack, level, x, z, s->chunk);
    s->there = !status;
    return status == KARST_ERROR_MEMORY ? status : KARST_OK;
}

static bool in_field(const seams *s, int32_t x, int32_t z) {
    return x >= 0 && z >= 0 && x < s->wide && z < s->rows;
}

static uint8_t *patch_at(const seams *s, int32_t x, int32_t z) {
    return &s->patches[(size_t)z * (size_t)s->wide + (size_t)x];
}

// ---- vertices --------------------------------------------------------------------------------------

static bool is_border(const seams *s, const karst_zone_span *span) {
    const karst_field_shape *shape = &s->d->lattice.shape;
    int32_t along_x = span->seam == 1 ? CELLS : 0;
    return span->column >= 0 && span->row >= 0 && span->column % CELLS == 0 && span->row % CELLS == 0 &&
           span->column <= shape->columns - 1 - along_x && span->row <= shape->rows - 1 - (CELLS - along_x);
}

// The 17 vertices of the field along a border, in the world [m].
static karst_status field_vertices(seams *s, const border *b, karst_pos out[CELLS + 1]) {
    const karst_lattice *l = &s->d->lattice;
    int32_t cx = b->x / PER_CHUNK, cz = b->z / PER_CHUNK;
    if (cx == s->d->chunks_x[0]) --cx;
    if (cz == s->d->chunks_z[0]) --cz;
    karst_status status = fetch(s, 0, cx, cz);
    for (int k = 0; k <= CELLS && !status && s->there; ++k) {
        int32_t column = b->x * CELLS + (b->way == 1 ? k : 0), row = b->z * CELLS + (b->way == 1 ? 0 : k);
        int i = column - cx * KARST_CHUNK_CELLS, j = row - cz * KARST_CHUNK_CELLS;
        karst_vertex v = s->chunk->vertex[j * KARST_CHUNK_SIDE + i];
        out[k] = (karst_pos){l->shape.origin.x + ((double)column * l->cell_steps + v.dx) * l->step_xz_m,
                             l->shape.origin.y + v.y * l->step_y_m,
                             l->shape.origin.z + ((double)row * l->cell_steps + v.dz) * l->step_xz_m};
    }
    return status;
}

static bool is_same(karst_pos a, karst_pos b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The first of the border's vertices that tile corners are, which follow each other one way or the other; -1: they are
// not.
static int find_run(const karst_pos field[CELLS + 1], const karst_pos *net, int cells) {
    for (int from = 0; from <= CELLS - cells; ++from) {
        bool up = true, down = true;
        for (int k = 0; k <= cells; ++k) {
            up = up && is_same(field[from + k], net[k]);
            down = down && is_same(field[from + k], net[cells - k]);
        }
        if (up || down) return from;
    }
    return -1;
}

static karst_pos place_of(const seams *s, const karst_zone *zone, const karst_fine *at) {
    double fine = ldexp(1.0 / KARST_NET_FINE, zone->step_log2);
    const karst_pos *o = &s->d->net_origin;
    return (karst_pos){o->x + (zone->bias.x + at->x) * fine, o->y + (zone->bias.y + at->y) * fine,
                       o->z + (zone->bias.z + at->z) * fine};
}

// Tile corner k along a side of a piece.
static const karst_fine *corner_along(const karst_zone *zone, const karst_piece *piece, int side, int k) {
    int n = 1 << piece->tiles_log2, i = side == 1 ? n : side == 3 ? 0 : k, j = side == 0 ? 0 : side == 2 ? n : k;
    return &zone->places[piece->first_place + (uint32_t)(j * (n + 1) + i)];
}

static karst_status add_border(seams *s, const border *b) {
    if (s->border_count == s->border_room) {
        size_t room = s->border_room ? 2 * s->border_room : 256;
        border *more = kst_alloc_array(NULL, room, sizeof *more);
        if (!more) return KARST_ERROR_MEMORY;
        if (s->border_count) memcpy(more, s->borders, s->border_count * sizeof *more);
        kst_free(NULL, s->borders, s->border_room * sizeof *more);
        s->borders = more, s->border_room = room;
    }
    s->borders[s->border_count++] = *b;
    return KARST_OK;
}

static karst_status check_span(seams *s, const karst_zone *zone, const karst_piece *piece, int side, int index) {
    const karst_zone_span *span = &zone->spans[piece->first_span[side] + (uint32_t)index];
    int cells = 1 << (piece->tiles_log2 - piece->spans_log2[side]);
    judge(s, is_border(s, span), "zone %d, %d: a seam lies along no patch of the field, at (%d, %d)", zone->zone_x,
          zone->zone_z, span->column, span->row);
    if (!is_border(s, span)) return KARST_OK;
    border b = {span->column / CELLS, span->row / CELLS, span->seam, 0};
    karst_pos field[CELLS + 1], net[KARST_NET_TILES_MAX + 1] = {0};
    karst_status status = field_vertices(s, &b, field);
    if (status || !s->there) return status;
    for (int k = 0; k <= cells; ++k) net[k] = place_of(s, zone, corner_along(zone, piece, side, index * cells + k));
    int from = find_run(field, net, cells);
    judge(
        s, from >= 0,
        "zone %d, %d: tile corners on the seam from vertex (%d, %d) along %c are not the field's vertices, near (%.3f, "
        "%.3f, %.3f)",
        zone->zone_x, zone->zone_z, span->column, span->row, span->seam == 1 ? 'x' : 'z', net[0].x, net[0].y, net[0].z);
    if (from >= 0) b.cells = ((1u << cells) - 1) << from;
    return add_border(s, &b);
}

static karst_status check_zone(seams *s, const karst_zone *zone) {
    karst_status status = KARST_OK;
    for (uint32_t k = 0; k < zone->piece_count; ++k)
        for (int side = 0; side < 4; ++side)
            for (int i = 0; i < 1 << zone->pieces[k].spans_log2[side] && !status; ++i)
                if (zone->spans[zone->pieces[k].first_span[side] + (uint32_t)i].seam)
                    status = check_span(s, zone, &zone->pieces[k], side, i);
    return status;
}

// ---- rings -----------------------------------------------------------------------------------------

static int compare_border(const void *a, const void *b) {
    const border *p = a, *q = b;
    if (p->way != q->way) return p->way < q->way ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

// Spans to borders: each of the 16 cells of one has one tile.
static void join_borders(seams *s) {
    if (s->border_count) qsort(s->borders, s->border_count, sizeof *s->borders, compare_border);
    size_t kept = 0;
    for (size_t k = 0; k < s->border_count;) {
        border b = s->borders[k];
        bool twice = false;
        for (++k; k < s->border_count && !compare_border(&b, &s->borders[k]); ++k) {
            twice |= (b.cells & s->borders[k].cells) != 0;
            b.cells |= s->borders[k].cells;
        }
        judge(s, !twice && b.cells == 0xffff, "the seam from vertex (%d, %d) along %c does not have one tile a cell",
              b.x * CELLS, b.z * CELLS, b.way == 1 ? 'x' : 'z');
        s->borders[kept++] = b;
    }
    s->border_count = kept;
}

// What the borders enclose: odd along rows; along columns it must be the same.
static void find_patches(seams *s) {
    for (size_t k = 0; k < s->border_count; ++k)
        if (s->borders[k].way == 2 && in_field(s, s->borders[k].x, s->borders[k].z))
            *patch_at(s, s->borders[k].x, s->borders[k].z) ^= 1;
    for (int32_t z = 0; z < s->rows; ++z)
        for (int32_t x = 1; x < s->wide; ++x) *patch_at(s, x, z) ^= *patch_at(s, x - 1, z);
    size_t changes = 0, borders = 0;
    bool closed = true;
    for (int32_t z = 0; z <= s->rows; ++z)
        for (int32_t x = 0; x < s->wide; ++x)
            changes += (z < s->rows && *patch_at(s, x, z)) != (z > 0 && *patch_at(s, x, z - 1));
    for (size_t k = 0; k < s->border_count; ++k) {
        const border *b = &s->borders[k];
        bool here = in_field(s, b->x, b->z) && *patch_at(s, b->x, b->z);
        bool before = b->way == 1 ? in_field(s, b->x, b->z - 1) && *patch_at(s, b->x, b->z - 1)
                                  : in_field(s, b->x - 1, b->z) && *patch_at(s, b->x - 1, b->z);
        closed &= here != before;
        borders += b->way == 1;
    }
    judge(s, closed && changes == borders, "the seams are not closed rings");
}

// ---- cells -----------------------------------------------------------------------------------------

static bool cell_is_hole(const karst_chunk *chunk, int px, int pz, int i, int j) {
    return chunk->hole[pz * CELLS + j] >> (px * CELLS + i) & 1;
}

// A patch is all hole where the net is; beside one, its cells along the border are ground.
static void check_patch(seams *s, int32_t x, int32_t z) {
    static const int way[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    int px = x % PER_CHUNK, pz = z % PER_CHUNK;
    bool good = true;
    if (*patch_at(s, x, z)) {
        for (int k = 0; k < CELLS * CELLS; ++k) good &= cell_is_hole(s->chunk, px, pz, k % CELLS, k / CELLS);
        judge(s, good, "patch (%d, %d) of the field is drawn where the net is in its place", x, z);
        return;
    }
    bool beside = false;
    for (int w = 0; w < 4; ++w) {
        int dx = way[w][0], dz = way[w][1];
        if (!in_field(s, x + dx, z + dz) || !*patch_at(s, x + dx, z + dz)) continue;
        beside = true;
        for (int k = 0; k < CELLS; ++k) {
            int i = dx ? (dx > 0 ? CELLS - 1 : 0) : k, j = dz ? (dz > 0 ? CELLS - 1 : 0) : k;
            bool outside =
                x * CELLS + i >= s->d->lattice.shape.columns - 1 || z * CELLS + j >= s->d->lattice.shape.rows - 1;
            good &= outside || !cell_is_hole(s->chunk, px, pz, i, j);
        }
    }
    if (beside) judge(s, good, "patch (%d, %d) of the field has a hole along the net", x, z);
}

static bool any_near(const seams *s, int32_t cx, int32_t cz) {
    for (int32_t z = cz * PER_CHUNK - 1; z <= (cz + 1) * PER_CHUNK; ++z)
        for (int32_t x = cx * PER_CHUNK - 1; x <= (cx + 1) * PER_CHUNK; ++x)
            if (in_field(s, x, z) && *patch_at(s, x, z)) return true;
    return false;
}

static karst_status check_cells(seams *s) {
    for (int32_t cz = 0; cz < s->d->chunks_z[0]; ++cz) {
        karst_status status = kst_progress_step(s->c->progress, "seams", (double)cz / s->d->chunks_z[0]);
        for (int32_t cx = 0; cx < s->d->chunks_x[0] && !status; ++cx) {
            if (!any_near(s, cx, cz)) continue;
            status = fetch(s, 0, cx, cz);
            for (int p = 0; p < PER_CHUNK * PER_CHUNK && !status && s->there; ++p) {
                int32_t x = cx * PER_CHUNK + p % PER_CHUNK, z = cz * PER_CHUNK + p / PER_CHUNK;
                if (in_field(s, x, z)) check_patch(s, x, z);
            }
        }
        if (status) return status;
        kst_check_ease(s->c);
    }
    return KARST_OK;
}

// ---- the list --------------------------------------------------------------------------------------

static karst_status check_list(seams *s, karst_zone *const *zones, int count) {
    karst_pack_seam *want = NULL;
    int32_t corners = 0;
    karst_status status = kst_seams_list(s->patches, s->wide, s->rows, &want, &corners);
    if (status) return status;
    for (int k = 0; k < count; ++k) (void)kst_seams_take(zones[k], want, corners);
    int32_t listed = karst_pack_seam_count(s->c->pack);
    const karst_pack_seam *have = karst_pack_seams(s->c->pack);
    judge(s, listed == corners, "%d corners of seams are listed, and there are %d", listed, corners);
    for (int32_t k = 0; k < corners && k < listed; ++k) {
        const karst_pack_seam *a = &want[k], *b = &have[k];
        bool same = a->column == b->column && a->row == b->row;
        judge(s, same, "the list has corner (%d, %d) of a seam, where (%d, %d) is the next", b->column, b->row,
              a->column, a->row);
        if (!same) break;
        judge(s,
              a->most_log2 == b->most_log2 && a->size == b->size && !memcmp(a->min, b->min, sizeof a->min) &&
                  !memcmp(a->max, b->max, sizeof a->max),
              "spans, tiles or bounds of the net at corner (%d, %d) of a seam are not those listed", a->column, a->row);
    }
    kst_free(NULL, want, (size_t)corners * sizeof *want);
    return KARST_OK;
}

// ---- errors ----------------------------------------------------------------------------------------

// Patches of a level that touch a seam; of level 0 by the corners that lie on one.
typedef struct touched {
    uint8_t *at;
    int32_t wide, rows;
} touched;

static bool touches(const touched *t, int32_t x0, int32_t z0, int32_t x1, int32_t z1) {
    bool any = false;
    for (int32_t z = z0 < 0 ? 0 : z0; z < z1 && z < t->rows; ++z)
        for (int32_t x = x0 < 0 ? 0 : x0; x < x1 && x < t->wide; ++x)
            any |= t->at[(size_t)z * (size_t)t->wide + (size_t)x];
    return any;
}

static karst_status touch_next(const seams *s, touched *t, touched *finer) {
    *t = (touched){NULL, finer ? (finer->wide + 1) / 2 : s->wide, finer ? (finer->rows + 1) / 2 : s->rows};
    t->at = kst_alloc_zero(NULL, (size_t)t->wide * (size_t)t->rows);
    if (!t->at) return KARST_ERROR_MEMORY;
    for (int32_t z = 0; z < t->rows; ++z)
        for (int32_t x = 0; x < t->wide; ++x) {
            bool is = false;
            for (int k = 0; k < 4 && !finer; ++k)
                is |= kst_seams_is_corner(s->patches, s->wide, s->rows, x + (k & 1), z + (k >> 1));
            if (finer) is = touches(finer, 2 * x, 2 * z, 2 * x + 2, 2 * z + 2);
            t->at[(size_t)z * (size_t)t->wide + (size_t)x] = is;
        }
    return KARST_OK;
}

// Corners of a chunk: all true at level 0, beyond what is allowed above it.
static karst_status check_corners(seams *s, const touched *t, int level, int32_t x, int32_t z) {
    int32_t px = x * PER_CHUNK, pz = z * PER_CHUNK;
    if (!touches(t, px - 1, pz - 1, px + PER_CHUNK + 1, pz + PER_CHUNK + 1)) return KARST_OK;
    karst_status status = fetch(s, level, x, z);
    if (status || !s->there) return status;
    for (int c = 0; c < KARST_CORNER_COUNT; ++c) {
        int32_t i = px + c % KARST_CHUNK_CORNERS, j = pz + c / KARST_CHUNK_CORNERS;
        i = i < t->wide ? i : t->wide, j = j < t->rows ? j : t->rows;
        if (!touches(t, i - 1, j - 1, i + 1, j + 1)) continue;
        double most = (double)s->chunk->corners.error[KARST_PATCH_LEVELS][c],
               least = (double)s->chunk->corners.error[0][c];
        judge(s, level ? least >= (double)KARST_SEAM_ERROR_M : most < (double)KARST_SEAM_ERROR_M,
              "level %d chunk (%d, %d): corner (%d, %d) at a seam has an error of %.9g m", level, x, z,
              c % KARST_CHUNK_CORNERS, c / KARST_CHUNK_CORNERS, level ? least : most);
    }
    return KARST_OK;
}

static karst_status check_level(seams *s, const touched *t, int level) {
    karst_status status = KARST_OK;
    const karst_node *node = s->d->nodes + s->d->first[level];
    for (int32_t z = 0; z < s->d->chunks_z[level] && !status; ++z)
        for (int32_t x = 0; x < s->d->chunks_x[level] && !status; ++x, ++node) {
            int32_t px = x * PER_CHUNK, pz = z * PER_CHUNK;
            if (level && touches(t, px - 2, pz - 2, px + PER_CHUNK + 2, pz + PER_CHUNK + 2))
                judge(s, node->error >= KARST_SEAM_ERROR_M,
                      "level %d chunk (%d, %d): its node reaches a seam and has an error of %.9g m", level, x, z,
                      (double)node->error);
            status = check_corners(s, t, level, x, z);
        }
    return status;
}

static karst_status check_errors(seams *s) {
    touched t = {0}, finer = {0};
    karst_status status = touch_next(s, &t, NULL);
    for (int level = 0; level < s->d->level_count && !status; ++level) {
        status = check_level(s, &t, level);
        kst_free(NULL, finer.at, (size_t)finer.wide * (size_t)finer.rows);
        finer = t, t.at = NULL;
        if (!status && level + 1 < s->d->level_count) status = touch_next(s, &t, &finer);
    }
    kst_free(NULL, finer.at, (size_t)finer.wide * (size_t)finer.rows);
    kst_free(NULL, t.at, (size_t)t.wide * (size_t)t.rows);
    return status;
}

// ---- all -------------------------------------------------------------------------------------------

static bool any_seam(karst_zone *const *zones, int count) {
    for (int k = 0; k < count; ++k)
        for (uint32_t i = 0; i < zones[k]->span_count; ++i)
            if (zones[k]->spans[i].seam) return true;
    return false;
}

karst_status kst_check_seams(kst_checking *c, karst_zone *const *zones, int count) {
    if (!karst_pack_seam_count(c->pack) && !any_seam(zones, count)) return KARST_OK;
    const kst_directory *d = &c->pack->directory;
    seams s = {.c = c, .d = d, .tally = &c->tally[0][KST_CHECK_SEAMS], .level = -1};
    s.wide = (d->lattice.shape.columns - 1 + CELLS - 1) / CELLS;
    s.rows = (d->lattice.shape.rows - 1 + CELLS - 1) / CELLS;
    s.patches = kst_alloc_zero(NULL, (size_t)s.wide * (size_t)s.rows);
    s.chunk = kst_alloc(NULL, sizeof *s.chunk);
    karst_status status = s.patches && s.chunk ? KARST_OK : KARST_ERROR_MEMORY;
    for (int k = 0; k < count && !status; ++k) status = check_zone(&s, zones[k]);
    if (!status) {
        join_borders(&s);
        find_patches(&s);
        status = check_cells(&s);
    }
    if (!status) status = check_list(&s, zones, count);
    if (!status) status = check_errors(&s);
    kst_free(NULL, s.borders, s.border_room * sizeof *s.borders);
    kst_free(NULL, s.patches, (size_t)s.wide * (size_t)s.rows);
    kst_free(NULL, s.chunk, sizeof *s.chunk);
    return status;
}
