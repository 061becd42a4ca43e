// SPDX-License-Identifier: MIT
// Patches from a field. A quadtree of leaves, 2 to 16 tiles a side; the smaller of two neighbours takes part of the
// larger one's edge. Edges are fitted first, the longest first, since corners of small patches lie on them; then the
// insides between them. A leaf that does not fit is cut in four, and all is fitted again.
//
// Least squares of Bernstein forms with fixed ends, drawn a little toward the field's own tangents, which also settles
// what few samples leave open.
#include "surface/net.h"
#include "surface/net_replace.h"

enum { LEVELS = 4, CELLS_MAX = KARST_NET_TILES_MAX * 8 };
static const double PULL = 1e-3;  // weight of the tangents in least squares

typedef struct fit_edge {
    int32_t x, z, length;  // first unit and how many
    bool down;             // along z
    int32_t p[4][3];
    double error_m;
    int32_t index;  // in the net
} fit_edge;

typedef struct fit_side {
    int32_t edge;  // NONE: beyond the region
    uint8_t from, to;
} fit_side;

typedef struct fit {
    karst_net *net;
    const karst_net_fit_def *def;
    karst_rect rect;
    int unit;  // cells along two tiles
    int32_t units_x, units_z;
    int32_t columns;         // of the samples
    double (*at)[3];         // samples [steps]
    uint8_t *hole;           // of a unit
    uint8_t *level;          // of a unit: its leaf has 1 << level units a side
    uint8_t *cut;            // of a leaf's first unit: it did not fit
    int32_t *across, *down;  // of a lattice point: the edge that begins there
    int32_t *corner;         // of a lattice point: in the net
    int32_t *inside;         // of a lattice point: the edge that it lies inside, or NONE
    int32_t (*place)[3];     // of a lattice point
    fit_edge *edges;
    int32_t edge_count;
    bool steep;  // a patch is too large that cannot be cut
    double cell_m, step_m, bernstein[LEVELS][CELLS_MAX + 1][4];
} fit;

karst_net_fit_def karst_net_fit_def_default(void) {
    return (karst_net_fit_def){.tolerance_m = 0.1, .tile_cells = 1, .cookie = KST_COOKIE};
}

static size_t points(const fit *f) {
    return (size_t)(f->units_x + 1) * (size_t)(f->units_z + 1);
}
static int32_t point(const fit *f, int32_t x, int32_t z) {
    return z * (f->units_x + 1) + x;
}
static int32_t unit_at(const fit *f, int32_t x, int32_t z) {
    return z * f->units_x + x;
}
static const double *sample(const fit *f, int32_t x, int32_t z) {
    return f->at[(size_t)z * (size_t)f->columns + (size_t)x];
}

// In place of a field the border has ground all along.
static karst_status check_rim(const fit *f) {
    for (int32_t z = 0; z < f->units_z; ++z)
        for (int32_t x = 0; x < f->units_x; ++x) {
            bool rim = x == 0 || z == 0 || x == f->units_x - 1 || z == f->units_z - 1;
            if (f->def->replace && rim && f->hole[unit_at(f, x, z)])
                return kst_fail(f->def->report, KARST_ERROR_ARGUMENT,
                                "the field has a hole at cell %d, %d, on the border of the region; take a region whose "
                                "border has ground all along",
                                f->rect.x0 + x * f->unit, f->rect.z0 + z * f->unit);
        }
    return KARST_OK;
}

static karst_status begin(fit *f, karst_field *field) {
    const karst_net_fit_def *d = f->def;
    karst_field_shape shape = karst_field_shape_of(field);
    karst_rect r = d->rect;
    if (r.x0 >= r.x1 || r.z0 >= r.z1) r = (karst_rect){0, 0, shape.columns, shape.rows};
    if (!(d->tolerance_m > 0) || !isfinite(d->tolerance_m))
        return kst_fail(d->report, KARST_ERROR_ARGUMENT, "a tolerance of %g m; it must be above 0", d->tolerance_m);
    if (d->tile_cells < 1 || d->tile_cells > 8 || (d->tile_cells & (d->tile_cells - 1)))
        return kst_fail(d->report, KARST_ERROR_ARGUMENT, "tiles of %d cells; 1, 2, 4 or 8 are possible", d->tile_cells);
    if (d->slot >= KARST_NOISE_SLOTS || d->noise_set >= KARST_NOISE_SETS)
        return kst_fail(d->report, KARST_ERROR_ARGUMENT,
                        "displacement map %d of set %d; slots are 0 to 15, sets 0 to %d", d->slot, d->noise_set,
                        KARST_NOISE_SETS - 1);
    bool inside = r.x0 >= 0 && r.z0 >= 0 && r.x1 <= shape.columns && r.z1 <= shape.rows;
    karst_status status = d->replace && inside ? kst_net_replace_rect(d, f->net, &shape, &r) : KARST_OK;
    if (status) return status;
    f->unit = 2 * d->tile_cells, f->cell_m = shape.spacing_m;
    f->units_x = (r.x1 - r.x0 - 1) / f->unit, f->units_z = (r.z1 - r.z0 - 1) / f->unit;
    if (!inside || f->units_x < 1 || f->units_z < 1)
        return kst_fail(d->report, KARST_ERROR_ARGUMENT,
                        "vertices %d to %d by %d to %d of a field of %d by %d; the region lies inside it and spans two "
                        "tiles, %d cells",
                        r.x0, r.x1 - 1, r.z0, r.z1 - 1, shape.columns, shape.rows, f->unit);
    f->columns = f->units_x * f->unit + 1;
    int32_t rows = f->units_z * f->unit + 1;
    f->rect = (karst_rect){r.x0, r.z0, r.x0 + f->columns, r.z0 + rows};
    const karst_allocator *a = f->net->allocator;
    size_t n = points(f);
    f->at = kst_alloc_array(a, (size_t)f->columns * (size_t)rows, sizeof *f->at);
    f->hole = kst_alloc_zero(a, n), f->level = kst_alloc_zero(a, n), f->cut = kst_alloc_zero(a, n);
    f->across = kst_alloc_array(a, n, sizeof *f->across), f->down = kst_alloc_array(a, n, sizeof *f->down);
    f->corner = kst_alloc_array(a, n, sizeof *f->corner), f->inside = kst_alloc_array(a, n, sizeof *f->inside);
    f->place = kst_alloc_array(a, n, sizeof *f->place);
    f->edges = kst_alloc_array(a, 2 * n, sizeof *f->edges);
    float *row = kst_alloc_array(a, 3 * (size_t)f->columns, sizeof *row);
    uint8_t *holes = kst_alloc_zero(a, (size_t)f->columns);
    status = KARST_ERROR_MEMORY;
    if (f->at && f->hole && f->level && f->cut && f->across && f->down && f->corner && f->inside && f->place &&
        f->edges && row && holes)
        status = KARST_OK;
    f->step_m = ldexp(1, f->net->step_log2);
    double off[3] = {shape.origin.x - f->net->origin.x, shape.origin.y - f->net->origin.y,
                     shape.origin.z - f->net->origin.z};
    for (int32_t j = 0; j < rows && !status && !(status = kst_progress_step(d->progress, "fit", 0)); ++j) {
        float *y = row, *x = row + f->columns, *z = row + 2 * f->columns;
        karst_rect line = {f->rect.x0, f->rect.z0 + j, f->rect.x1, f->rect.z0 + j + 1};
        status = karst_field_read(field, line, y, x, z, f->columns);
        for (int32_t i = 0; i < f->columns && !status; ++i) {
            double *at = f->at[(size_t)j * (size_t)f->columns + (size_t)i];
            at[0] = (off[0] + (f->rect.x0 + i) * shape.spacing_m + (double)x[i]) / f->step_m;
            at[1] = (off[1] + (double)y[i]) / f->step_m;
            at[2] = (off[2] + (f->rect.z0 + j) * shape.spacing_m + (double)z[i]) / f->step_m;
            for (int axis = 0; axis < 3; ++axis)
                if (!(fabs(at[axis]) <= 1 << 26))
                    status = kst_fail(d->report, KARST_ERROR_LIMIT,
                                      "vertex %d, %d lies more than 2^26 steps from the net's origin; give the net an "
                                      "origin near the region",
                                      f->rect.x0 + i, f->rect.z0 + j);
        }
        line.x1 -= 1;
        if (!status && j + 1 < rows) status = karst_field_read_holes(field, line, holes, f->columns);
        for (int32_t i = 0; i + 1 < f->columns && !status && j + 1 < rows; ++i)
            f->hole[unit_at(f, i / f->unit, j / f->unit)] |= holes[i];
    }
    kst_free(a, row, 3 * (size_t)f->columns * sizeof *row);
    kst_free(a, holes, (size_t)f->columns);
    return status ? status : check_rim(f);
}

static void end(fit *f) {
    const karst_allocator *a = f->net->allocator;
    size_t n = points(f);
    kst_free(a, f->at, (size_t)f->columns * (size_t)(f->units_z * f->unit + 1) * sizeof *f->at);
    kst_free(a, f->hole, n), kst_free(a, f->level, n), kst_free(a, f->cut, n);
    kst_free(a, f->across, n * sizeof *f->across), kst_free(a, f->down, n * sizeof *f->down);
    kst_free(a, f->corner, n * sizeof *f->corner), kst_free(a, f->inside, n * sizeof *f->inside);
    kst_free(a, f->place, n * sizeof *f->place), kst_free(a, f->edges, 2 * n * sizeof *f->edges);
}

// ---- leaves -----------------------------------------------------------------------------------------------

static bool leaf_fits(const fit *f, int32_t x, int32_t z, int level) {
    int32_t size = 1 << level;
    if (x + size > f->units_x || z + size > f->units_z) return false;
    for (int32_t j = z; j < z + size && level; ++j)
        for (int32_t i = x; i < x + size; ++i)
            if (f->hole[unit_at(f, i, j)]) return false;
    return true;
}
static void set_leaf(fit *f, int32_t x, int32_t z, int level) {
    for (int32_t j = z; j < z + (1 << level); ++j) memset(&f->level[unit_at(f, x, j)], level, (size_t)1 << level);
}
static void first_leaves(fit *f) {
    memset(f->level, 0xFF, points(f));
    for (int level = LEVELS - 1; level >= 0; --level)
        for (int32_t z = 0; z < f->units_z; z += 1 << level)
            for (int32_t x = 0; x < f->units_x; x += 1 << level)
                if (f->level[unit_at(f, x, z)] == 0xFF && leaf_fits(f, x, z, level)) set_leaf(f, x, z, level);
}
// Whether a leaf begins at a unit and is ground.
static bool is_leaf(const fit *f, int32_t x, int32_t z) {
    int32_t size = 1 << f->level[unit_at(f, x, z)];
    return x % size == 0 && z % size == 0 && !f->hole[unit_at(f, x, z)];
}
static int level_of(const fit *f, int32_t x, int32_t z) {
    if (x < 0 || z < 0 || x >= f->units_x || z >= f->units_z || f->hole[unit_at(f, x, z)]) return -1;
    return f->level[unit_at(f, x, z)];
}

// The edge under a side of a leaf: its own, or that of a larger neighbour.
static void side_line(const fit *f, int32_t x, int32_t z, int side, int32_t out[3], bool *down) {
    int level = f->level[unit_at(f, x, z)];
    int32_t size = 1 << level;
    int beyond = side == 0   ? level_of(f, x, z - 1)
                 : side == 1 ? level_of(f, x + size, z)
                 : side == 2 ? level_of(f, x, z + size)
                             : level_of(f, x - 1, z);
    int32_t length = beyond > level ? 1 << beyond : size;
    *down = side & 1;
    out[0] = side == 1 ? x + size : x, out[1] = side == 2 ? z + size : z, out[2] = length;
    out[*down ? 1 : 0] &= ~(length - 1);
}

static int longest_first(const void *a, const void *b) {
    const fit_edge *x = a, *y = b;
    if (x->length != y->length) return x->length > y->length ? -1 : 1;
    if (x->down != y->down) return x->down ? 1 : -1;
    if (x->z != y->z) return x->z < y->z ? -1 : 1;
    return (x->x > y->x) - (x->x < y->x);
}

static void collect_edges(fit *f) {
    size_t n = points(f);
    f->edge_count = 0;
    for (size_t k = 0; k < n; ++k) f->across[k] = f->down[k] = f->corner[k] = f->inside[k] = KARST_NET_NONE;
    for (int32_t z = 0; z < f->units_z; ++z)
        for (int32_t x = 0; x < f->units_x; ++x) {
            if (!is_leaf(f, x, z)) continue;
            for (int side = 0; side < 4; ++side) {
                int32_t line[3];
                bool down;
                side_line(f, x, z, side, line, &down);
                int32_t *first = &(down ? f->down : f->across)[point(f, line[0], line[1])];
                if (*first == KARST_NET_NONE) {
                    *first = f->edge_count;
                    f->edges[f->edge_count++] = (fit_edge){
                        .x = line[0], .z = line[1], .length = line[2], .down = down, .index = KARST_NET_NONE};
                }
            }
        }
    qsort(f->edges, (size_t)f->edge_count, sizeof *f->edges, longest_first);
    for (int32_t k = 0; k < f->edge_count; ++k)
        (f->edges[k].down ? f->down : f->across)[point(f, f->edges[k].x, f->edges[k].z)] = k;
    for (int32_t z = 0; z < f->units_z; ++z)  // ends of small sides inside large edges
        for (int32_t x = 0; x < f->units_x; ++x) {
            if (!is_leaf(f, x, z)) continue;
            int32_t size = 1 << f->level[unit_at(f, x, z)];
            for (int side = 0; side < 4; ++side) {
                int32_t line[3];
                bool down;
                side_line(f, x, z, side, line, &down);
                int32_t edge = (down ? f->down : f->across)[point(f, line[0], line[1])];
                for (int e = 0; e < 2; ++e) {
                    int32_t px = side == 1 ? x + size : x, pz = side == 2 ? z + size : z;
                    *(down ? &pz : &px) += e * size;
                    int32_t along = down ? pz - line[1] : px - line[0];
                    if (along > 0 && along < line[2]) f->inside[point(f, px, pz)] = edge;
                }
            }
        }
}

// ---- curves -----------------------------------------------------------------------------------------------

static int log2_of(int32_t length) {
    return __builtin_ctz((unsigned)length);
}

// How the field goes on from a sample along x or z, a cell [steps]: central where it can.
static void slope(const fit *f, int32_t x, int32_t z, bool down, double out[3]) {
    int32_t rows = f->units_z * f->unit + 1, at = down ? z : x, last = (down ? rows : f->columns) - 1;
    int32_t a = at > 0 ? at - 1 : at, b = at < last ? at + 1 : at;
    const double *p = down ? sample(f, x, a) : sample(f, a, z), *q = down ? sample(f, x, b) : sample(f, b, z);
    for (int axis = 0; axis < 3; ++axis) out[axis] = (q[axis] - p[axis]) / (b - a);
}

static const double *edge_sample(const fit *f, const fit_edge *e, int32_t k) {
    return e->down ? sample(f, e->x * f->unit, e->z * f->unit + k) : sample(f, e->x * f->unit + k, e->z * f->unit);
}

static double edge_error(const fit *f, const fit_edge *e) {
    int32_t n = e->length * f->unit;
    const double(*b)[4] = f->bernstein[log2_of(e->length)];
    double worst = 0;
    for (int32_t k = 0; k <= n; ++k) {
        const double *at = edge_sample(f, e, k);
        double d2 = 0;
        for (int axis = 0; axis < 3; ++axis) {
            double d = b[k][0] * e->p[0][axis] + b[k][1] * e->p[1][axis] + b[k][2] * e->p[2][axis] +
                       b[k][3] * e->p[3][axis] - at[axis];
            d2 += d * d;
        }
        if (d2 > worst) worst = d2;
    }
    return sqrt(worst) * f->step_m;
}

static void bernstein(int32_t k, int32_t n, double b[4]) {
    double t = (double)k / n, u = 1 - t;
    b[0] = u * u * u, b[1] = 3 * t * u * u, b[2] = 3 * u * t * t, b[3] = t * t * t;
}

static int32_t whole(double v) {
    return (int32_t)floor(v + 0.5);
}

void kst_curve_fit(const double (*at)[3], int32_t n, const double (*toward)[3], int32_t (*p)[3]) {
    double m11 = PULL, m12 = 0, m22 = PULL, r1[3], r2[3];
    for (int axis = 0; axis < 3; ++axis) r1[axis] = PULL * toward[0][axis], r2[axis] = PULL * toward[1][axis];
    for (int32_t k = 1; k < n; ++k) {
        double b[4];
        bernstein(k, n, b);
        m11 += b[1] * b[1], m12 += b[1] * b[2], m22 += b[2] * b[2];
        for (int axis = 0; axis < 3; ++axis) {
            double r = at[k][axis] - b[0] * p[0][axis] - b[3] * p[3][axis];
            r1[axis] += b[1] * r, r2[axis] += b[2] * r;
        }
    }
    double det = m11 * m22 - m12 * m12;
    for (int axis = 0; axis < 3; ++axis) {
        p[1][axis] = whole((r1[axis] * m22 - r2[axis] * m12) / det);
        p[2][axis] = whole((m11 * r2[axis] - m12 * r1[axis]) / det);
    }
}

static void fit_curve(const fit *f, fit_edge *e) {
    int32_t n = e->length * f->unit;
    int32_t x1 = e->x + (e->down ? 0 : e->length), z1 = e->z + (e->down ? e->length : 0);
    memcpy(e->p[0], f->place[point(f, e->x, e->z)], sizeof e->p[0]);
    memcpy(e->p[3], f->place[point(f, x1, z1)], sizeof e->p[3]);
    double tangent[2][3];
    slope(f, e->x * f->unit, e->z * f->unit, e->down, tangent[0]);
    slope(f, x1 * f->unit, z1 * f->unit, e->down, tangent[1]);
    for (int axis = 0; axis < 3; ++axis) {
        tangent[0][axis] = e->p[0][axis] + tangent[0][axis] * n / 3;
        tangent[1][axis] = e->p[3][axis] - tangent[1][axis] * n / 3;
        e->p[1][axis] = whole(tangent[0][axis]), e->p[2][axis] = whole(tangent[1][axis]);
    }
    e->error_m = edge_error(f, e);
    if (e->error_m <= 0.5 * f->def->tolerance_m) return;
    double at[CELLS_MAX + 1][3];
    for (int32_t k = 1; k < n; ++k) memcpy(at[k], edge_sample(f, e, k), sizeof at[k]);
    kst_curve_fit((const double(*)[3])at, n, (const double(*)[3])tangent, e->p);
    e->error_m = edge_error(f, e);
}

static void fit_edges(fit *f) {
    for (int32_t z = 0; z <= f->units_z; ++z)
        for (int32_t x = 0; x <= f->units_x; ++x)
            for (int axis = 0; axis < 3; ++axis)
                f->place[point(f, x, z)][axis] = whole(sample(f, x * f->unit, z * f->unit)[axis]);
    for (int32_t k = 0; k < f->edge_count; ++k) {
        fit_edge *e = &f->edges[k];
        fit_curve(f, e);
        int32_t p[4][3];
        memcpy(p, e->p, sizeof p);
        for (int32_t i = 1; i < e->length; ++i) {
            int32_t at = point(f, e->x + (e->down ? 0 : i), e->z + (e->down ? i : 0));
            if (f->inside[at] != k) continue;
            kst_edge_eighth((const int32_t(*)[3])p, i * 8 / e->length, f->place[at]);
        }
    }
}

// ---- insides ----------------------------------------------------------------------------------------------

static fit_side side_of(const fit *f, int32_t x, int32_t z, int side) {
    int32_t line[3], size = 1 << f->level[unit_at(f, x, z)];
    bool down;
    side_line(f, x, z, side, line, &down);
    int32_t at = (down ? z : x) - line[down ? 1 : 0];
    return (fit_side){(down ? f->down : f->across)[point(f, line[0], line[1])], (uint8_t)(at * 8 / line[2]),
                      (uint8_t)((at + size) * 8 / line[2])};
}

// Largest and mean distance of a patch from the samples under it.
static double patch_error(const fit *f, int32_t x, int32_t z, const int32_t p[16][3], double *sum) {
    int level = f->level[unit_at(f, x, z)];
    int32_t n = f->unit << level;
    const double(*b)[4] = f->bernstein[level];
    double worst = 0;
    for (int32_t j = 0; j <= n; ++j) {
        double row[4][3];
        for (int i = 0; i < 4; ++i)
            for (int axis = 0; axis < 3; ++axis)
                row[i][axis] = b[j][0] * p[i][axis] + b[j][1] * p[4 + i][axis] + b[j][2] * p[8 + i][axis] +
                               b[j][3] * p[12 + i][axis];
        for (int32_t i = 0; i <= n; ++i) {
            const double *at = sample(f, x * f->unit + i, z * f->unit + j);
            double d2 = 0;
            for (int axis = 0; axis < 3; ++axis) {
                double d = b[i][0] * row[0][axis] + b[i][1] * row[1][axis] + b[i][2] * row[2][axis] +
                           b[i][3] * row[3][axis] - at[axis];
                d2 += d * d;
            }
            if (i < n && j < n) *sum += sqrt(d2) * f->step_m;
            if (d2 > worst) worst = d2;
        }
    }
    return sqrt(worst) * f->step_m;
}

// Solve m x = r of four unknowns and three right sides, m symmetric and positive; r becomes x.
static void solve4(double m[4][4], double r[4][3]) {
    for (int k = 0; k < 4; ++k) {
        for (int i = k + 1; i < 4; ++i) {
            double q = m[i][k] / m[k][k];
            for (int j = k; j < 4; ++j) m[i][j] -= q * m[k][j];
            for (int axis = 0; axis < 3; ++axis) r[i][axis] -= q * r[k][axis];
        }
    }
    for (int k = 3; k >= 0; --k)
        for (int axis = 0; axis < 3; ++axis) {
            for (int j = k + 1; j < 4; ++j) r[k][axis] -= m[k][j] * r[j][axis];
            r[k][axis] /= m[k][k];
        }
}

// Control points of a leaf's patch; returns how far it lies from the field.
static double fit_patch(const fit *f, int32_t x, int32_t z, int32_t out[16][3], double *sum) {
    static const uint8_t inner[4] = {5, 6, 9, 10}, from[4][3] = {{1, 4, 0}, {2, 7, 3}, {8, 13, 12}, {11, 14, 15}};
    int level = f->level[unit_at(f, x, z)];
    int32_t n = f->unit << level, side[4][4][3], none[4][3] = {{0}};
    for (int k = 0; k < 4; ++k) {
        fit_side s = side_of(f, x, z, k);
        kst_side_points((const int32_t(*)[3])f->edges[s.edge].p, s.from, s.to, side[k]);
    }
    kst_patch_points((const int32_t(*)[4][3])side, (const int32_t(*)[3])none, out);
    double smooth[4][3], own = 0;
    for (int k = 0; k < 4; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            out[inner[k]][axis] = out[from[k][0]][axis] + out[from[k][1]][axis] - out[from[k][2]][axis];
            smooth[k][axis] = out[inner[k]][axis];
        }
    double error = patch_error(f, x, z, (const int32_t(*)[3])out, &own);
    if (error > 0.5 * f->def->tolerance_m) {
        const double(*b)[4] = f->bernstein[level];
        double m[4][4] = {{0}}, r[4][3];
        for (int k = 0; k < 4; ++k) {
            m[k][k] = PULL;
            for (int axis = 0; axis < 3; ++axis) r[k][axis] = PULL * smooth[k][axis];
        }
        for (int32_t j = 1; j < n; ++j)
            for (int32_t i = 1; i < n; ++i) {
                double w[4] = {b[i][1] * b[j][1], b[i][2] * b[j][1], b[i][1] * b[j][2], b[i][2] * b[j][2]};
                const double *at = sample(f, x * f->unit + i, z * f->unit + j);
                double rest[3] = {at[0], at[1], at[2]};
                for (int k = 0; k < 16; ++k) {
                    if (k == 5 || k == 6 || k == 9 || k == 10) continue;
                    double q = b[i][k & 3] * b[j][k >> 2];
                    for (int axis = 0; axis < 3; ++axis) rest[axis] -= q * out[k][axis];
                }
                for (int k = 0; k < 4; ++k) {
                    for (int l = 0; l < 4; ++l) m[k][l] += w[k] * w[l];
                    for (int axis = 0; axis < 3; ++axis) r[k][axis] += w[k] * rest[axis];
                }
            }
        solve4(m, r);
        for (int k = 0; k < 4; ++k)
            for (int axis = 0; axis < 3; ++axis) out[inner[k]][axis] = whole(r[k][axis]);
        own = 0;
        error = patch_error(f, x, z, (const int32_t(*)[3])out, &own);
    }
    *sum += own;
    return error;
}

// Whether a patch is larger than a net takes.
static bool too_large(const fit *f, const int32_t p[16][3]) {
    double d2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t low = p[0][axis], high = p[0][axis];
        for (int k = 1; k < 16; ++k) {
            if (p[k][axis] < low) low = p[k][axis];
            if (p[k][axis] > high) high = p[k][axis];
        }
        d2 += (double)(high - low) * (high - low);
    }
    return sqrt(d2) * f->step_m > 120;
}

// Marks leaves that do not fit; any: whether one can be cut.
static karst_status mark(fit *f, double done, bool *any) {
    karst_status status = KARST_OK;
    *any = false;
    for (int32_t z = 0; z < f->units_z && !(status = kst_progress_step(f->def->progress, "fit", done)); ++z)
        for (int32_t x = 0; x < f->units_x; ++x) {
            f->cut[unit_at(f, x, z)] = 0;
            if (!is_leaf(f, x, z) || !f->level[unit_at(f, x, z)]) continue;
            int32_t p[16][3];
            double sum = 0, error = fit_patch(f, x, z, p, &sum);
            for (int k = 0; k < 4; ++k) {
                fit_side s = side_of(f, x, z, k);
                if (s.from == 0 && s.to == 8 && f->edges[s.edge].error_m > error) error = f->edges[s.edge].error_m;
            }
            if (error > f->def->tolerance_m || too_large(f, (const int32_t(*)[3])p))
                f->cut[unit_at(f, x, z)] = 1, *any = true;
        }
    return status;
}
static void cut_marked(fit *f) {
    for (int32_t z = 0; z < f->units_z; ++z)
        for (int32_t x = 0; x < f->units_x; ++x)
            if (f->cut[unit_at(f, x, z)]) {
                int level = f->level[unit_at(f, x, z)] - 1;
                for (int k = 0; k < 4; ++k) set_leaf(f, x + ((k & 1) << level), z + ((k >> 1) << level), level);
            }
}

// ---- the net ----------------------------------------------------------------------------------------------

// An edge on the rim of a region in place of a field is a seam, and flat.
static void make_seam(const fit *f, const fit_edge *e, karst_net_edge *edge) {
    int32_t across = e->down ? e->x : e->z, last = e->down ? f->units_x : f->units_z;
    if (!f->def->replace || (across != 0 && across != last)) return;
    edge->noise &= (uint8_t)~15;
    edge->seam = e->down ? 2 : 1;
    edge->column = f->rect.x0 + e->x * f->unit, edge->row = f->rect.z0 + e->z * f->unit;
}

static karst_status fill(fit *f, karst_net_fitted *info) {
    karst_net *net = f->net;
    karst_status status = KARST_OK;
    int slot = f->def->slot;
    for (int32_t k = 0; k < f->edge_count; ++k) f->edges[k].index = k;  // in the order in which they are added
    for (int32_t k = 0; k < f->edge_count && !status; ++k) {
        fit_edge *e = &f->edges[k];
        karst_net_edge edge = {.noise = (uint8_t)(slot + 16 * f->def->noise_set)};
        for (int i = 0; i < 2 && !status; ++i) {
            int32_t at = point(f, e->x + (e->down ? 0 : i * e->length), e->z + (e->down ? i * e->length : 0));
            if (f->corner[at] == KARST_NET_NONE) {
                karst_net_corner corner = {.edge = f->inside[at]};
                memcpy(corner.at, f->place[at], sizeof corner.at);
                if (corner.edge != KARST_NET_NONE) {
                    const fit_edge *on = &f->edges[corner.edge];
                    int32_t px = at % (f->units_x + 1), pz = at / (f->units_x + 1);
                    corner.eighth = (uint8_t)((on->down ? pz - on->z : px - on->x) * 8 / on->length);
                }
                status = karst_net_add_corner(net, &corner, &f->corner[at]);
            }
            edge.corner[i] = f->corner[at];
            memcpy(edge.handle[i], e->p[1 + i], sizeof edge.handle[i]);
        }
        int32_t index;
        make_seam(f, e, &edge);
        if (!status) status = karst_net_add_edge(net, &edge, &index);
    }
    double sum = 0;
    int64_t samples = 0;
    for (int32_t z = 0; z < f->units_z && !status; ++z) {
        status = kst_progress_step(f->def->progress, "fit", 1);
        for (int32_t x = 0; x < f->units_x && !status; ++x) {
            if (f->hole[unit_at(f, x, z)]) ++info->left_out;
            if (!is_leaf(f, x, z)) continue;
            int level = f->level[unit_at(f, x, z)];
            int32_t p[16][3], index;
            double error = fit_patch(f, x, z, p, &sum);
            samples += (int64_t)(f->unit << level) * (f->unit << level);
            if (error > info->worst_m) info->worst_m = error;
            if (error > f->def->tolerance_m) ++info->over;
            f->steep |= too_large(f, (const int32_t(*)[3])p);
            ++info->of_tiles[level + 1];
            karst_net_patch patch = {.tiles_log2 = {(uint8_t)(level + 1), (uint8_t)(level + 1)},
                                     .noise_set = f->def->noise_set};
            memset(patch.slot, slot, sizeof patch.slot);
            memset(patch.set, patch.noise_set, sizeof patch.set);
            for (int k = 0; k < 4; ++k) {
                fit_side s = side_of(f, x, z, k);
                patch.side[k] = (karst_net_side){f->edges[s.edge].index, s.from, s.to};
                memcpy(patch.inner[k], p[(const uint8_t[]){5, 6, 9, 10}[k]], sizeof patch.inner[k]);
            }
            status = karst_net_add_patch(net, &patch, &index);
        }
    }
    info->mean_m = samples ? sum / (double)samples : 0;
    return status;
}

static karst_status run(fit *f, karst_net_fitted *info) {
    for (int level = 0; level < LEVELS; ++level) {
        int32_t n = f->unit << level;
        for (int32_t k = 0; k <= n; ++k) bernstein(k, n, f->bernstein[level][k]);
    }
    first_leaves(f);
    karst_status status = KARST_OK;
    bool any = true;
    for (int round = 0; any && !status; ++round) {  // each but the last cuts a leaf
        if (round) cut_marked(f);
        collect_edges(f);
        fit_edges(f);
        status = mark(f, 1 - ldexp(1, -round), &any);
    }
    if (!status) status = fill(f, info);
    if (!status && !f->net->patch_count)
        status = kst_fail(f->def->report, KARST_ERROR_ARGUMENT, "the region is all hole; there is nothing to fit");
    if (!status) status = karst_net_finish(f->net, f->def->report);
    if (status != KARST_ERROR_LIMIT || !f->steep) return status;
    return kst_fail(f->def->report, status, "too steep for cells of %.9g m: a patch is over 120 m; resample to %.9g m",
                    f->cell_m, 0.5 * f->cell_m);
}

karst_status karst_net_from_field(karst_net *net, karst_field *field, const karst_net_fit_def *def,
                                  karst_net_fitted *info) {
    karst_net_fit_def usual = karst_net_fit_def_default();
    karst_net_fitted found = {0};
    if (!def) def = &usual;
    KARST_ASSERT(def->cookie == KST_COOKIE);
    KARST_ASSERT(!net->corner_count && !net->edge_count && !net->patch_count);
    fit *f = kst_alloc_zero(net->allocator, sizeof *f);
    if (!f) return KARST_ERROR_MEMORY;
    f->net = net, f->def = def;
    karst_status status = begin(f, field);
    if (!status) status = run(f, &found);
    if (!status) {
        found.patches = net->patch_count, found.edges = net->edge_count, found.corners = net->corner_count;
        found.rect = f->rect;
        if (info) *info = found;
    }
    end(f);
    kst_free(net->allocator, f, sizeof *f);
    return status;
}
