// SPDX-License-Identifier: MIT
// Fitting the weights of a level: least squares, once reweighted towards least absolute residuals, pass by pass on
// what a decoder will have; then how residuals grow with the changes round them, with no weight below zero.
#include <math.h>

#include "pack/plane.h"

enum { MOST_TERMS = KST_PASS_TERMS, FEW = 3 };  // of more than so many records not every row is looked at

typedef struct normal_equations {
    double m[MOST_TERMS][MOST_TERMS], b[MOST_TERMS];
} normal_equations;

static void add_row(normal_equations *q, int n, const double *f, double y, double weight) {
    for (int i = 0; i < n; ++i) {
        double g = weight * f[i];
        for (int j = 0; j <= i; ++j) q->m[i][j] += g * f[j];
        q->b[i] += g * y;
    }
}

// Terms that come out below zero are left out, one round after another, when none may.
static void solve(const normal_equations *q, int n, bool positive, double *x) {
    bool on[MOST_TERMS] = {true, true, true, true};
    for (int round = 0; round < MOST_TERMS; ++round) {
        double a[MOST_TERMS][MOST_TERMS + 1];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) a[i][j] = on[i] && on[j] ? q->m[i > j ? i : j][i > j ? j : i] : 0;
            a[i][i] += 1e-6 + 1e-6 * q->m[i][i] + !on[i];
            a[i][n] = on[i] ? q->b[i] : 0;
        }
        for (int i = 0; i < n; ++i) {
            double d = a[i][i];
            for (int j = i; j <= n; ++j) a[i][j] /= d;
            for (int k = 0; k < n; ++k) {
                double t = a[k][i];
                for (int j = i; j <= n && k != i; ++j) a[k][j] -= t * a[i][j];
            }
        }
        bool again = false;
        for (int i = 0; i < n; ++i) {
            x[i] = a[i][n];
            if (positive && x[i] < 0) x[i] = 0, on[i] = false, again = true;
        }
        if (!again) return;
    }
}

// One number as the fit sees it: the plain mean, differences to it, changes, and what it should be.
typedef struct sight {
    double mean, term[MOST_TERMS], change[3], want;
} sight;

// A value as the passes see it.
#define AT(grid, i, j) \
    (p->wide ? (double)p->w.grid[i][KST_PLANE_LEFT + (j)] : (double)p->n.grid[i][KST_PLANE_LEFT + (j)])

static void see_edge(const kst_plane *p, const kst_plane_target *t, int e, int j, sight *s) {
    const int32_t *edge = p->edge[e] + KST_PLANE_LEFT + j;
    double u0 = edge[0], u1 = edge[1], o0 = edge[-1] - u0, o1 = edge[2] - u1;
    *s = (sight){.mean = (u0 + u1) / 2,
                 .term = {(o0 + o1) / 2},
                 .change = {fabs(u1 - u0), fabs(o0 + o1), fabs(o0) + fabs(o1)},
                 .want = t->middle[e][j]};
}

static void see_centre(const kst_plane *p, const kst_plane_target *t, int i, int j, sight *s) {
    double x0 = AT(coarse, i + 1, j), x1 = AT(coarse, i + 1, j + 1), x2 = AT(coarse, i + 2, j),
           x3 = AT(coarse, i + 2, j + 1);
    double d[8] = {AT(coarse, i, j) - x0,         AT(coarse, i, j + 1) - x1,     AT(coarse, i + 3, j) - x2,
                   AT(coarse, i + 3, j + 1) - x3, AT(coarse, i + 1, j - 1) - x0, AT(coarse, i + 1, j + 2) - x1,
                   AT(coarse, i + 2, j - 1) - x2, AT(coarse, i + 2, j + 2) - x3};
    double far = AT(coarse, i, j - 1) - x0 + AT(coarse, i, j + 2) - x1 + AT(coarse, i + 3, j - 1) - x2 +
                 AT(coarse, i + 3, j + 2) - x3;
    *s = (sight){.mean = (x0 + x1 + x2 + x3) / 4, .want = t->centre[i][j]};
    for (int k = 0; k < 8; ++k) s->term[0] += d[k] / 8, s->change[2] += fabs(d[k]);
    s->term[1] = far / 4;
    s->change[0] = fabs(x0 - x3) + fabs(x1 - x2);
    s->change[1] = fabs(x0 + x3 - x1 - x2);
}

static void see_middle(double u0, double u1, double v0, double v1, const double o[4], const double c[4], sight *s) {
    s->mean = (u0 + u1) / 2;
    s->term[0] = (v0 + v1 - u0 - u1) / 2;
    s->term[1] = (o[0] + o[2] - 2 * u0 + o[1] + o[3] - 2 * u1) / 4;
    s->term[2] = (c[0] + c[1] - 2 * v0 + c[2] + c[3] - 2 * v1) / 4;
    s->change[0] = fabs(u0 - u1) + fabs(v0 - v1);
    s->change[1] = fabs(v0 + v1 - u0 - u1);
    s->change[2] = fabs(o[0] - u0) + fabs(o[1] - u1) + fabs(o[2] - u0) + fabs(o[3] - u1) + fabs(c[0] - v0) +
                   fabs(c[1] - v0) + fabs(c[2] - v1) + fabs(c[3] - v1);
}

static void see_along(const kst_plane *p, const kst_plane_target *t, int i, int j, sight *s) {
    double o[4] = {AT(coarse, i, j), AT(coarse, i, j + 1), AT(coarse, i + 2, j), AT(coarse, i + 2, j + 1)};
    double c[4] = {AT(centre, i, j - 1), AT(centre, i, j + 1), AT(centre, i + 1, j - 1), AT(centre, i + 1, j + 1)};
    see_middle(AT(coarse, i + 1, j), AT(coarse, i + 1, j + 1), AT(centre, i, j), AT(centre, i + 1, j), o, c, s);
    s->want = t->along[i][j];
}

static void see_down(const kst_plane *p, const kst_plane_target *t, int i, int j, sight *s) {
    double u0 = AT(coarse, i + 1, j), u1 = AT(coarse, i + 2, j);
    double o[4] = {AT(coarse, i + 1, j - 1), AT(coarse, i + 2, j - 1), AT(coarse, i + 1, j + 1),
                   AT(coarse, i + 2, j + 1)};
    double c[4] = {AT(centre, i, j - 1), AT(centre, i + 2, j - 1), AT(centre, i, j), AT(centre, i + 2, j)};
    see_middle(u0, u1, AT(centre, i + 1, j - 1), AT(centre, i + 1, j), o, c, s);
    s->term[3] =
        (AT(along, i, j - 1) + AT(along, i, j) + AT(along, i + 1, j - 1) + AT(along, i + 1, j)) / 4 - (u0 + u1) / 2;
    s->want = t->down[i][j];
}

// The rows and columns of a pass, and the row of `known` that its first one is.
static const struct {
    int first_row, rows, first_column, known;
    void (*see)(const kst_plane *p, const kst_plane_target *t, int i, int j, sight *s);
} passes[KST_PASSES] = {
    {0, KST_EDGE_ROWS, 0, 0, see_edge},
    {0, KST_NODE_CELLS, 0, KST_ROW_CENTRE, see_centre},
    {1, KST_NODE_CELLS, 0, KST_ROW_ALONG - 1, see_along},
    {0, KST_NODE_CELLS, 1, KST_ROW_DOWN, see_down},
};

static void fit_pass(kst_plane *const *planes, const kst_plane_target *const *targets, int count, int pass,
                     kst_plane_weights *out) {
    int terms = kst_pass_terms[pass];
    int every = pass ? 1 + count / FEW : 1;
    double x[MOST_TERMS] = {0}, e[MOST_TERMS] = {0}, unit = out->unit;
    for (int round = 0; round < 3; ++round) {  // plain, reweighted, activity
        normal_equations q = {0};
        for (int k = 0; k < count; ++k) {
            const kst_plane *p = planes[k];
            double base = p->wide || !pass ? 0 : p->base;
            for (int i = passes[pass].first_row + k % every; i < passes[pass].rows; i += every)
                for (int j = passes[pass].first_column; j < KST_NODE_CELLS; ++j) {
                    if (p->known && p->known[passes[pass].known + i] >> j & 1) continue;
                    sight s = {0};
                    passes[pass].see(p, targets[k], i, j, &s);
                    double y = s.want - base - s.mean, r = y;
                    for (int t = 0; t < terms; ++t) r -= x[t] * s.term[t];
                    r = fabs(r);
                    if (round < 2) {
                        add_row(&q, terms, s.term, y, round ? 1 / (r + 0.7 * unit) : 1);
                    } else {
                        double size = unit + s.change[0] + s.change[1] + s.change[2];
                        add_row(&q, 3, s.change, r / unit, 1 / (size * sqrt(size)));
                    }
                }
        }
        solve(&q, round < 2 ? terms : 3, round == 2, round < 2 ? x : e);
        for (int t = 0; t < terms && round < 2; ++t) x[t] = fmax(-0.999, fmin(0.999, x[t]));
    }
    for (int t = 0; t < terms; ++t) out->weight[pass][t] = (int16_t)lrint(x[t] * 32768);
    for (int k = 0; k < 3; ++k) out->activity[pass][k] = (uint16_t)fmin(65535, e[k] * 262144);
}

karst_status kst_plane_fit(kst_plane *const *planes, const kst_plane_target *const *targets, int count, int32_t unit,
                           kst_plane_weights *out) {
    kst_plane_numbers *numbers = kst_alloc(NULL, sizeof *numbers);
    if (!numbers) return KARST_ERROR_MEMORY;
    memset(out, 0, sizeof *out);
    out->unit = unit;
    const kst_plane_kernels *kernels = kst_plane_kernels_best();
    for (int pass = 0; pass < KST_PASSES; ++pass) {
        fit_pass(planes, targets, count, pass, out);
        for (int k = 0; k < count; ++k) {
            planes[k]->weights = *out;
            kernels->encode(planes[k], targets[k], pass, numbers);
        }
    }
    kst_free(NULL, numbers, sizeof *numbers);
    return KARST_OK;
}
