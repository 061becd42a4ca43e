// SPDX-License-Identifier: MIT
// Relax: which tiles move, in which order.
//
// After: X. Provot, "Deformation Constraints in a Mass-Spring Model to Describe Rigid Cloth Behavior", 1995 (springs
// whose over-stretched ones are mended first), as Halo Wars used them to spread the vertices of its vector-field
// terrain (C. McAnlis, "The Terrain of Halo Wars", GDC 2009). We differ: vertices keep to the old
// surface, and no move is made that takes the new one too far from it.
//
// Four stages. Vertices spread without regard to the shape; then the gap between the new surface and the old one costs
// more and more, so that they settle on its rims; what is still too far off goes back to where it was, and what does
// not fit to that, until all fits; and from there on no move is made that would go too far.
//
// A vertex keeps a place on the old surface, as an offset from its own. A sweep visits its tiles in four colours, so
// that what two tiles of one colour read and write lies apart; within a tile each vertex sees where those before it
// went. The order of what depends on each other is therefore always the same.
#include "op/relax.h"

#include <math.h>

#include "op/relax_patch.h"

enum { TILE_VERTICES = KST_RELAX_TILE * KST_RELAX_TILE };

typedef struct tile {
    double a[TILE_VERTICES], b[TILE_VERTICES];  // offset on the old surface, in columns and rows
    float limit2[TILE_VERTICES];
    float place[3][TILE_VERTICES];  // at the end: displacement [m] x, y, z
    uint8_t freedom[TILE_VERTICES], asleep[TILE_VERTICES];
    uint8_t unfit[TILE_VERTICES];  // goes back to where it was
    bool active, moved, moved_ever;
} tile;

typedef struct relax {
    const kst_relax_ground *ground;
    double distance2, above, price;
    int32_t tiles_x, tiles_z;
    kst_scratch *scratch;
    tile **tiles;
    int32_t *list;  // tiles of one phase
    int32_t list_count;
    bool backward;
    patch **patches;  // one a worker
    double largest;   // displacement [m]
    double *worst2;   // of each listed tile
    int64_t *moved;
} relax;

// ---- lengths ---------------------------------------------------------------------------------------

static double edge2(const kst_relax_ground *g, size_t a, size_t b, double rest_x, double rest_z) {
    double x = rest_x + ((double)g->x[b] - (double)g->x[a]) / g->cell_m;
    double y = ((double)g->y[b] - (double)g->y[a]) / g->cell_m;
    double z = rest_z + ((double)g->z[b] - (double)g->z[a]) / g->cell_m;
    return x * x + y * y + z * z;
}

void kst_relax_edges(const kst_relax_ground *g, int32_t i, int32_t j, double *along_row, double *along_column) {
    size_t at = (size_t)j * (size_t)g->columns + (size_t)i;
    *along_row = i + 1 < g->columns ? edge2(g, at, at + 1, 1, 0) : -1;
    *along_column = j + 1 < g->rows ? edge2(g, at, at + (size_t)g->columns, 0, 1) : -1;
}

// ---- tiles -----------------------------------------------------------------------------------------

static karst_rect tile_rect(const relax *r, int32_t t) {
    int32_t x = t % r->tiles_x * KST_RELAX_TILE, z = t / r->tiles_x * KST_RELAX_TILE;
    karst_rect rect = {x, z, x + KST_RELAX_TILE, z + KST_RELAX_TILE};
    if (rect.x1 > r->ground->columns) rect.x1 = r->ground->columns;
    if (rect.z1 > r->ground->rows) rect.z1 = r->ground->rows;
    return rect;
}

// Columns and rows on the side of the rectangle slide along it or stay.
static uint8_t freedom_of(const kst_relax_ground *g, int32_t i, int32_t j) {
    uint8_t freedom = FREE_U | FREE_V;
    if (i == 0) freedom &= g->border_left ? (uint8_t)~FREE_U : 0;
    if (i == g->columns - 1) freedom &= g->border_right ? (uint8_t)~FREE_U : 0;
    if (j == 0) freedom &= g->border_top ? (uint8_t)~FREE_V : 0;
    if (j == g->rows - 1) freedom &= g->border_bottom ? (uint8_t)~FREE_V : 0;
    return freedom;
}

static karst_status make_tile(relax *r, int32_t t) {
    if (r->tiles[t]) return KARST_OK;
    tile *made = kst_scratch_alloc(r->scratch, 1, sizeof *made);
    if (!made) return kst_scratch_fail(r->scratch, NULL);
    memset(made, 0, sizeof *made);
    r->tiles[t] = made;
    karst_rect rect = tile_rect(r, t);
    float mask[TILE_VERTICES];
    int32_t width = rect.x1 - rect.x0;
    for (int k = 0; k < TILE_VERTICES; ++k) mask[k] = 1;
    karst_status status = r->ground->mask ? r->ground->mask(r->ground->context, rect, mask) : KARST_OK;
    for (int32_t j = rect.z0; j < rect.z1; ++j)
        for (int32_t i = rect.x0; i < rect.x1; ++i) {
            float share = mask[(j - rect.z0) * width + i - rect.x0];
            int k = (j - rect.z0) * KST_RELAX_TILE + i - rect.x0;
            made->freedom[k] = share > 0 ? freedom_of(r->ground, i, j) : 0;
            double limit = share > 0 ? 1 + (r->above - 1) / (double)share : 0;
            made->limit2[k] = (float)(limit * limit);
        }
    return status;
}

static const tile *tile_of(const relax *r, int32_t i, int32_t j, int *k) {
    *k = j % KST_RELAX_TILE * KST_RELAX_TILE + i % KST_RELAX_TILE;
    return r->tiles[j / KST_RELAX_TILE * r->tiles_x + i / KST_RELAX_TILE];
}

// The tile and its surroundings out of the tiles, and what moved back into them.
static void load_patch(const relax *r, karst_rect rect, patch *p) {
    const kst_relax_ground *g = r->ground;
    p->ground = g;
    p->distance2 = r->distance2;
    p->cells_per_m = 1 / g->cell_m;
    p->price = r->price;
    p->i0 = rect.x0 > PATCH_HALO ? rect.x0 - PATCH_HALO : 0;
    p->j0 = rect.z0 > PATCH_HALO ? rect.z0 - PATCH_HALO : 0;
    p->width = (rect.x1 + PATCH_HALO < g->columns ? rect.x1 + PATCH_HALO : g->columns) - p->i0;
    p->height = (rect.z1 + PATCH_HALO < g->rows ? rect.z1 + PATCH_HALO : g->rows) - p->j0;
    for (int32_t j = 0; j < p->height; ++j)
        for (int32_t i = 0; i < p->width; ++i) {
            int k, at = j * p->width + i;
            const tile *t = tile_of(r, p->i0 + i, p->j0 + j, &k);
            // Vertices whose tile was never near a move are where they were and stay there.
            double u = p->i0 + i + (t ? t->a[k] : 0), v = p->j0 + j + (t ? t->b[k] : 0);
            p->at[at] = (spot){u, v, patch_surface(p, u, v, NULL, NULL)};
            p->freedom[at] = t ? t->freedom[k] : 0;
            p->limit2[at] = t ? t->limit2[k] : 0;
            p->asleep[at] = t ? t->asleep[k] : 0;
            p->mark[at] = 0;
        }
}

static void store_patch(const relax *r, const patch *p) {
    for (int32_t j = 0; j < p->height; ++j)
        for (int32_t i = 0; i < p->width; ++i) {
            int k, at = j * p->width + i;
            tile *t = (tile *)tile_of(r, p->i0 + i, p->j0 + j, &k);
            if (!t) continue;
            t->asleep[k] = p->asleep[at];
            double a = p->at[at].u - (p->i0 + i), b = p->at[at].v - (p->j0 + j);
            if (a == t->a[k] && b == t->b[k]) continue;
            t->a[k] = a;
            t->b[k] = b;
            t->moved_ever = true;
        }
}

// ---- sweeps ----------------------------------------------------------------------------------------

static karst_status sweep_tiles(int begin, int end, int worker, void *context) {
    relax *r = context;
    for (int n = begin; n < end; ++n) {
        tile *t = r->tiles[r->list[n]];
        karst_rect rect = tile_rect(r, r->list[n]);
        load_patch(r, rect, r->patches[worker]);
        t->moved = patch_sweep(r->patches[worker], rect, r->backward) > 0;
        if (t->moved) store_patch(r, r->patches[worker]);
    }
    kst_scratch_ease(r->scratch);
    return KARST_OK;
}

// Tiles next to one, itself included: fn each that is there.
static karst_status make_around(relax *r, int32_t t) {
    int32_t x = t % r->tiles_x, z = t / r->tiles_x;
    karst_status status = KARST_OK;
    for (int32_t m = z - 1; m <= z + 1; ++m)
        for (int32_t n = x - 1; n <= x + 1 && !status; ++n)
            if (m >= 0 && n >= 0 && m < r->tiles_z && n < r->tiles_x) status = make_tile(r, m * r->tiles_x + n);
    return status;
}

static void wake_around(relax *r, int32_t t) {
    int32_t x = t % r->tiles_x, z = t / r->tiles_x;
    for (int32_t m = z - 1; m <= z + 1; ++m)
        for (int32_t n = x - 1; n <= x + 1; ++n)
            if (m >= 0 && n >= 0 && m < r->tiles_z && n < r->tiles_x) r->tiles[m * r->tiles_x + n]->active = true;
}

// All that has moved looks again, and what lies round it.
static void wake_moved(relax *r) {
    for (int32_t t = 0; t < r->tiles_x * r->tiles_z; ++t) {
        if (!r->tiles[t]) continue;
        memset(r->tiles[t]->asleep, 0, sizeof r->tiles[t]->asleep);
        r->tiles[t]->active = true;
    }
}

// One sweep. *any: some vertex moved.
static karst_status sweep(relax *r, karst_jobs *jobs, const karst_progress *progress, double from, double to,
                          bool *any) {
    int32_t count = r->tiles_x * r->tiles_z;
    karst_status status = KARST_OK;
    *any = false;
    for (int colour = 0; colour < 4 && !status; ++colour) {
        r->list_count = 0;
        for (int32_t t = 0; t < count && !status; ++t) {
            if (!r->tiles[t] || !r->tiles[t]->active) continue;
            if ((t % r->tiles_x % 2) != colour % 2 || (t / r->tiles_x % 2) != colour / 2) continue;
            r->list[r->list_count++] = t;
            status = make_around(r, t);
        }
        if (!status)
            status = kst_jobs_run(jobs, r->list_count, 1, sweep_tiles, r, progress, "relax",
                                  from + (to - from) * colour / 4, from + (to - from) * (colour + 1) / 4);
        for (int32_t n = 0; n < r->list_count && !status; ++n) r->tiles[r->list[n]]->active = false;
        for (int32_t n = 0; n < r->list_count && !status; ++n)
            if (r->tiles[r->list[n]]->moved) wake_around(r, r->list[n]), *any = true;
    }
    return status;
}

static karst_status find_stretched(int begin, int end, int worker, void *context) {
    (void)worker;
    relax *r = context;
    for (int32_t t = begin; t < end; ++t) {
        karst_rect rect = tile_rect(r, t);
        bool any = false, may = !r->ground->begin || r->ground->begin[t];
        double most = 0;
        for (int32_t j = rect.z0; j < rect.z1; ++j)
            for (int32_t i = rect.x0; i < rect.x1; ++i) {
                size_t at = (size_t)j * (size_t)r->ground->columns + (size_t)i;
                most = fmax(most, fmax(fabs((double)r->ground->y[at]),
                                       fmax(fabs((double)r->ground->x[at]), fabs((double)r->ground->z[at]))));
                double row2, column2;
                kst_relax_edges(r->ground, i, j, &row2, &column2);
                any = any || fmax(row2, column2) > r->above * r->above;
            }
        r->list[t] = any && may;
        r->worst2[t] = most;
    }
    kst_scratch_ease(r->scratch);
    return KARST_OK;
}

// ---- the end ---------------------------------------------------------------------------------------

// Mark one vertex of the ground and ask what hangs on it.
static surface_gap vertex_gap(patch *p, int32_t i, int32_t j, double enough) {
    i -= p->i0;
    j -= p->j0;
    p->mark[j * p->width + i] = 1;
    surface_gap gap = patch_gap(p, i, j, i, j, enough);
    p->mark[j * p->width + i] = 0;
    return gap;
}

static karst_status find_unfit(int begin, int end, int worker, void *context) {
    relax *r = context;
    for (int n = begin; n < end; ++n) {
        tile *t = r->tiles[r->list[n]];
        karst_rect rect = tile_rect(r, r->list[n]);
        load_patch(r, rect, r->patches[worker]);
        t->moved = false;
        for (int32_t j = rect.z0; j < rect.z1; ++j)
            for (int32_t i = rect.x0; i < rect.x1; ++i) {
                int k = (j - rect.z0) * KST_RELAX_TILE + i - rect.x0;
                t->unfit[k] = 0;
                if (t->a[k] == 0 && t->b[k] == 0) continue;
                surface_gap gap = vertex_gap(r->patches[worker], i, j, 0);
                t->unfit[k] = gap.folded || gap.beyond > 0;
                if (t->unfit[k]) t->moved = true;
            }
    }
    kst_scratch_ease(r->scratch);
    return KARST_OK;
}

static void list_moved(relax *r, bool active_only) {
    r->list_count = 0;
    for (int32_t t = 0; t < r->tiles_x * r->tiles_z; ++t)
        if (r->tiles[t] && r->tiles[t]->moved_ever && (r->tiles[t]->active || !active_only))
            r->list[r->list_count++] = t;
}

// Put back what is too far off or folded, until nothing is. There is an end: where nothing has moved all fits.
static karst_status put_back(relax *r, karst_jobs *jobs, const karst_progress *progress) {
    karst_status status = KARST_OK;
    wake_moved(r);
    for (list_moved(r, true); r->list_count && !status; list_moved(r, true)) {
        status = kst_jobs_run(jobs, r->list_count, 1, find_unfit, r, progress, "mend", 0, 1);
        for (int32_t n = 0; n < r->list_count && !status; ++n) r->tiles[r->list[n]]->active = false;
        for (int32_t n = 0; n < r->list_count && !status; ++n) {
            tile *t = r->tiles[r->list[n]];
            for (int k = 0; k < TILE_VERTICES && t->moved; ++k)
                if (t->unfit[k]) t->a[k] = t->b[k] = 0;
            if (t->moved) wake_around(r, r->list[n]);
        }
    }
    return status;
}

// How far off what moved is, and where its vertices are now.
static karst_status measure_tiles(int begin, int end, int worker, void *context) {
    relax *r = context;
    for (int n = begin; n < end; ++n) {
        tile *t = r->tiles[r->list[n]];
        karst_rect rect = tile_rect(r, r->list[n]);
        patch *p = r->patches[worker];
        load_patch(r, rect, p);
        r->worst2[n] = 0;
        r->moved[n] = 0;
        for (int32_t j = rect.z0; j < rect.z1; ++j)
            for (int32_t i = rect.x0; i < rect.x1; ++i) {
                int k = (j - rect.z0) * KST_RELAX_TILE + i - rect.x0;
                if (t->a[k] == 0 && t->b[k] == 0) continue;
                ++r->moved[n];
                r->worst2[n] = fmax(r->worst2[n], vertex_gap(p, i, j, INFINITY).worst2);
                vec at = p->at[(j - p->j0) * p->width + i - p->i0].p;
                t->place[0][k] = (float)((at.x - i) * r->ground->cell_m);
                t->place[1][k] = (float)(at.y * r->ground->cell_m);
                t->place[2][k] = (float)((at.z - j) * r->ground->cell_m);
            }
    }
    kst_scratch_ease(r->scratch);
    return KARST_OK;
}

static void write_back(const relax *r, kst_relax_result *out) {
    const kst_relax_ground *g = r->ground;
    karst_rect c = {g->columns, g->rows, 0, 0};
    for (int32_t n = 0; n < r->list_count; ++n) {
        const tile *t = r->tiles[r->list[n]];
        karst_rect rect = tile_rect(r, r->list[n]);
        out->moved += r->moved[n];
        out->largest_m = fmax(out->largest_m, sqrt(r->worst2[n]) * g->cell_m);
        for (int32_t j = rect.z0; j < rect.z1; ++j)
            for (int32_t i = rect.x0; i < rect.x1; ++i) {
                int k = (j - rect.z0) * KST_RELAX_TILE + i - rect.x0;
                if (t->a[k] == 0 && t->b[k] == 0) continue;
                size_t at = (size_t)j * (size_t)g->columns + (size_t)i;
                g->x[at] = t->place[0][k];
                g->y[at] = t->place[1][k];
                g->z[at] = t->place[2][k];
                c.x0 = i < c.x0 ? i : c.x0;
                c.z0 = j < c.z0 ? j : c.z0;
                c.x1 = i < c.x1 ? c.x1 : i + 1;
                c.z1 = j < c.z1 ? c.z1 : j + 1;
            }
        kst_scratch_ease(r->scratch);
    }
    out->changed = out->moved ? c : (karst_rect){0, 0, 0, 0};
}

// ---- stages ----------------------------------------------------------------------------------------

// Sweeps until nothing moves, at most so many.
static karst_status sweep_all(relax *r, int32_t sweeps, karst_jobs *jobs, const karst_progress *progress, double from,
                              double to, int32_t *done) {
    bool any = true;
    karst_status status = KARST_OK;
    for (int32_t n = 0; n < sweeps && any && !status; ++n, ++*done) {
        double share = (to - from) / sweeps;
        r->backward = *done & 1;
        status = sweep(r, jobs, progress, from + n * share, from + (n + 1) * share, &any);
    }
    return status;
}

static karst_status run_stages(relax *r, int32_t sweeps, karst_jobs *jobs, const karst_progress *progress,
                               int32_t *done) {
    // From a price at which edges of the allowed length outweigh most gaps to one at which no edge outweighs any.
    enum { PRICES = 15, PRICE_SWEEPS = 8 };
    const double first = 1, rise = 3;
    karst_status status = sweep_all(r, sweeps, jobs, progress, 0, 0.1, done);
    r->price = first;
    for (int n = 0; n < PRICES && !status; ++n, r->price *= rise) {
        wake_moved(r);
        status = sweep_all(r, (sweeps + PRICE_SWEEPS - 1) / PRICE_SWEEPS, jobs, progress, 0.1 + 0.7 * n / PRICES,
                           0.1 + 0.7 * (n + 1) / PRICES, done);
    }
    r->price = INFINITY;
    if (!status) status = put_back(r, jobs, progress);
    wake_moved(r);
    if (!status) status = sweep_all(r, sweeps, jobs, progress, 0.8, 1, done);
    return status;
}

static bool alloc_all(relax *r, size_t count, int workers) {
    r->tiles = kst_alloc_zero(NULL, count * sizeof *r->tiles);
    r->list = kst_alloc_zero(NULL, count * sizeof *r->list);
    r->worst2 = kst_alloc_zero(NULL, count * sizeof *r->worst2);
    r->moved = kst_alloc_zero(NULL, count * sizeof *r->moved);
    r->patches = kst_alloc_zero(NULL, (size_t)workers * sizeof *r->patches);
    bool there = r->tiles && r->list && r->worst2 && r->moved && r->patches;
    for (int w = 0; w < workers && there; ++w) there = (r->patches[w] = kst_alloc(NULL, sizeof(patch))) != NULL;
    return there;
}

static void free_all(relax *r, size_t count, int workers) {
    for (int w = 0; w < workers && r->patches; ++w) kst_free(NULL, r->patches[w], sizeof(patch));
    for (size_t t = 0; t < count && r->tiles; ++t) kst_scratch_free(r->scratch, r->tiles[t], 1, sizeof(tile));
    kst_free(NULL, r->tiles, count * sizeof *r->tiles);
    kst_free(NULL, r->list, count * sizeof *r->list);
    kst_free(NULL, r->worst2, count * sizeof *r->worst2);
    kst_free(NULL, r->moved, count * sizeof *r->moved);
    kst_free(NULL, r->patches, (size_t)workers * sizeof *r->patches);
}

karst_status kst_relax(const kst_relax_ground *g, double distance_m, double above, int32_t sweeps, kst_scratch *scratch,
                       karst_jobs *jobs, const karst_progress *progress, kst_relax_result *out) {
    KARST_ASSERT(g->columns >= 2 && g->rows >= 2 && g->cell_m > 0 && above > 1);
    relax r = {.ground = g, .above = above, .scratch = scratch};
    // Displacements are rounded to floats at the end, which moves a vertex by so much more.
    r.tiles_x = kst_relax_tiles(g->columns);
    r.tiles_z = kst_relax_tiles(g->rows);
    size_t count = (size_t)r.tiles_x * (size_t)r.tiles_z;
    int workers = karst_jobs_worker_count(jobs);
    kst_relax_result result = {0};
    karst_status status = alloc_all(&r, count, workers) ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = kst_jobs_run(jobs, (int)count, 1, find_stretched, &r, progress, "look", 0, 1);
    for (size_t t = 0; t < count; ++t) r.largest = fmax(r.largest, r.worst2[t]);
    double rounding = r.largest * 0x1p-21, allowed = (distance_m - rounding) / g->cell_m;
    r.distance2 = allowed * allowed;
    for (int32_t t = 0; t < (int32_t)count && !status && allowed > 0; ++t)
        if (r.list[t]) {
            status = make_tile(&r, t);
            if (!status) r.tiles[t]->active = true;
        }
    if (!status && allowed > 0) status = run_stages(&r, sweeps, jobs, progress, &result.sweeps);
    list_moved(&r, false);
    if (!status) status = kst_jobs_run(jobs, r.list_count, 1, measure_tiles, &r, progress, "measure", 0, 1);
    if (!status) write_back(&r, &result);
    if (!status && result.moved) result.largest_m += rounding;
    free_all(&r, count, workers);
    if (!status) *out = result;
    return status;
}
