// SPDX-License-Identifier: MIT
// Heights of a few vertices that keep the error at every sample round them.
//
// A sample is off by what it is off now less the moves of its triangle's corners, each times that corner's share there.
// To keep all within the error is a system of linear inequalities, two a sample; the moves wanted are the smallest that
// satisfy it, a quadratic programme in a few unknowns and hundreds of inequalities.
//
// After: D. Goldfarb, A. Idnani, "A numerically stable dual method for solving strictly convex quadratic programs",
// 1983. From no move on, the worst sample is taken among those that hold with equality and the moves are mended, until
// no sample is off or until one cannot be mended: then there is no solution at all. We differ: the Hessian is one, and
// the few equalities are solved afresh each time.
//
// The search runs in floats; what is accepted is proved in doubles.
#include <math.h>

#include "lod/rqt_rows.h"

enum { LANES = 8, STEPS_MAX = 128 };
typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t eight_bits __attribute__((vector_size(32)));
typedef double four __attribute__((vector_size(32)));
typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));

// Aimed at, and good enough for the search: both inside the error, so that rounding does not keep it going.
static const double aim = 0.9998, near_enough = 0.9999;

karst_status kst_fit_open(kst_fit *fit, const kst_rqt *r, kst_net *net) {
    fit->r = r;
    fit->net = net;
    fit->unknown_of = kst_alloc_array(r->allocator, net->vertex_room, sizeof *fit->unknown_of);
    fit->seen = kst_alloc_zero(r->allocator, net->triangle_room * sizeof *fit->seen);
    if (!fit->unknown_of || !fit->seen) return KARST_ERROR_MEMORY;
    for (size_t v = 0; v < net->vertex_room; ++v) fit->unknown_of[v] = KST_NONE;
    return KARST_OK;
}

void kst_fit_close(kst_fit *fit) {
    const karst_allocator *a = fit->r->allocator;
    kst_free(a, fit->unknown_of, fit->net->vertex_room * sizeof *fit->unknown_of);
    kst_free(a, fit->seen, fit->net->triangle_room * sizeof *fit->seen);
    kst_free(a, fit->column, 3 * fit->sample_room * sizeof(float));
}

// ---- the problem ---------------------------------------------------------------------------------------

void kst_fit_begin(kst_fit *fit) {
    for (int k = 0; k < fit->unknown_count; ++k) fit->unknown_of[fit->unknown[k]] = KST_NONE;
    fit->triangle_count = fit->unknown_count = 0;
    fit->sample_count = 0;
    fit->crowded = false;
    ++fit->seen_now;
}

void kst_fit_free_vertex(kst_fit *fit, uint32_t vertex) {
    if (fit->unknown_of[vertex] != KST_NONE || fit->unknown_count == KST_FIT_UNKNOWNS) return;
    fit->unknown_of[vertex] = fit->unknown_count;
    fit->unknown[fit->unknown_count++] = vertex;
}

// Room for more samples and what vector stores spill behind them.
static bool make_room(kst_fit *fit, size_t more) {
    size_t need = fit->sample_count + more + 2 * LANES;
    if (need <= fit->sample_room) return true;
    size_t room = 2 * need;
    const karst_allocator *a = fit->r->allocator;
    float *fresh = kst_alloc_array(a, 3 * room, sizeof(float));
    if (!fresh) return fit->short_of_memory = true, false;
    float *part[3] = {fit->column, fit->row, fit->off};
    for (size_t k = 0; k < 3 && fit->sample_count; ++k)
        memcpy(fresh + k * room, part[k], fit->sample_count * sizeof(float));
    kst_free(a, fit->column, 3 * fit->sample_room * sizeof(float));
    fit->column = fresh;
    fit->row = fresh + room;
    fit->off = fresh + 2 * room;
    fit->sample_room = room;
    return true;
}

// One row of samples under a plane that is f at the first and grows by g.
static inline void add_row(kst_fit *fit, const float *y, int32_t n, float column, float row, double f, double g) {
    static const four steps = {0, 1, 2, 3};
    static const four_floats columns = {0, 1, 2, 3};
    size_t to = fit->sample_count;
    for (int32_t k = 0; k < n; k += 4) {
        four_floats raw = *(const four_floats *)(y + k);
        four off = __builtin_convertvector(raw, four) - (f + g * (steps + (double)k));
        *(four_floats *)(fit->column + to + k) = columns + (column + (float)k);
        *(four_floats *)(fit->row + to + k) = (four_floats){0} + row;
        *(four_floats *)(fit->off + to + k) = __builtin_convertvector(off, four_floats);
    }
    fit->sample_count += (size_t)n;
}

KST_TWINS static void add_rows(kst_fit *fit, const kst_rows *rows, const kst_plane *plane) {
    for (int32_t j = rows->top; j <= rows->bottom; ++j) {
        int32_t first, last;
        kst_rows_span(rows, j, &first, &last);
        if (last < first || !make_room(fit, (size_t)(last - first + 1))) continue;
        add_row(fit, fit->r->y + kst_place_at(fit->r, (kst_node){first, j}), last - first + 1,
                (float)(first - plane->i0), (float)(j - plane->j0), kst_plane_at(plane, first, j), plane->gx);
    }
}

static void add_triangle(kst_fit *fit, const uint32_t vertex[3], bool fresh) {
    if (fit->triangle_count == KST_FIT_TRIANGLES || !make_room(fit, LANES)) {
        fit->crowded = true;
        return;
    }
    kst_fit_triangle *t = &fit->triangle[fit->triangle_count++];
    t->fresh = fresh;
    kst_node p[3];
    double h[3];
    for (int k = 0; k < 3; ++k) {
        t->vertex[k] = vertex[k];
        p[k] = fit->net->place[vertex[k]];
        h[k] = (double)fit->net->height[vertex[k]];
    }
    kst_plane plane = kst_plane_of(p, h[0], h[1], h[2]);
    double x1 = p[1].i - p[0].i, z1 = p[1].j - p[0].j, x2 = p[2].i - p[0].i, z2 = p[2].j - p[0].j;
    double inverse = 1 / (x1 * z2 - x2 * z1);
    t->gx[1] = (float)(z2 * inverse), t->gz[1] = (float)(-x2 * inverse);
    t->gx[2] = (float)(-z1 * inverse), t->gz[2] = (float)(x1 * inverse);
    t->gx[0] = -t->gx[1] - t->gx[2], t->gz[0] = -t->gz[1] - t->gz[2];
    kst_rows rows = kst_rows_of(p);
    t->first = fit->sample_count;
    add_rows(fit, &rows, &plane);
    while (fit->sample_count % LANES) {  // corner 0, on the plane
        size_t at = fit->sample_count++;
        fit->column[at] = fit->row[at] = fit->off[at] = 0;
    }
    t->count = fit->sample_count - t->first;
    fit->crowded |= fit->short_of_memory;
}

void kst_fit_add(kst_fit *fit, const uint32_t vertex[3]) {
    add_triangle(fit, vertex, true);
}

void kst_fit_skip(kst_fit *fit, uint32_t triangle) {
    fit->seen[triangle] = fit->seen_now;
}

void kst_fit_add_stars(kst_fit *fit) {
    const kst_net *net = fit->net;
    for (int u = 0; u < fit->unknown_count; ++u)
        for (int32_t c = net->head[fit->unknown[u]]; c != KST_NONE; c = net->next[c / 3][c % 3]) {
            if (fit->seen[c / 3] == fit->seen_now) continue;
            fit->seen[c / 3] = fit->seen_now;
            add_triangle(fit, net->corner[c / 3], false);
        }
}

// ---- the worst sample ------------------------------------------------------------------------------------

typedef struct worst {
    float off;  // with its sign
    size_t sample;
    int triangle;  // KST_NONE: there is no sample
} worst;

// What the moves add to the plane of a triangle: a + b column + c row.
typedef struct change {
    float a, b, c;
} change;

static inline change change_of(const kst_fit *fit, const kst_fit_triangle *t) {
    change d = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        int32_t u = fit->unknown_of[t->vertex[k]];
        float move = u == KST_NONE ? 0 : (float)fit->move[u];
        if (k == 0) d.a = move;
        d.b += t->gx[k] * move;
        d.c += t->gz[k] * move;
    }
    return d;
}

static inline float largest_off(const kst_fit *fit, const kst_fit_triangle *t, change d) {
    eight_bits most = {0};
    for (size_t s = t->first; s < t->first + t->count; s += LANES) {
        eight column = *(const eight *)(fit->column + s), row = *(const eight *)(fit->row + s);
        eight off = *(const eight *)(fit->off + s) - ((d.a + d.b * column) + d.c * row);
        eight_bits size = (eight_bits)off & INT32_MAX, more = size > most;
        most = (size & more) | (most & ~more);
    }
    float top = 0;
    eight all = (eight)most;
    for (int k = 0; k < LANES; ++k) top = all[k] > top ? all[k] : top;
    return top;
}

KST_TWINS static worst find_worst(const kst_fit *fit) {
    worst w = {0, 0, KST_NONE};
    for (int k = 0; k < fit->triangle_count; ++k) {
        const kst_fit_triangle *t = &fit->triangle[k];
        float top = largest_off(fit, t, change_of(fit, t));
        if (top > w.off) w.off = top, w.triangle = k;
    }
    if (w.triangle == KST_NONE) return w;
    const kst_fit_triangle *t = &fit->triangle[w.triangle];
    change d = change_of(fit, t);
    for (size_t s = t->first; s < t->first + t->count; ++s) {
        float off = fit->off[s] - ((d.a + d.b * fit->column[s]) + d.c * fit->row[s]);
        if (fabsf(off) != w.off) continue;
        w.off = off;
        w.sample = s;
        break;
    }
    return w;
}

// Shares of the unknowns in a sample.
static void shares_of(const kst_fit *fit, const worst *w, double *out) {
    const kst_fit_triangle *t = &fit->triangle[w->triangle];
    double column = (double)fit->column[w->sample], row = (double)fit->row[w->sample];
    for (int u = 0; u < fit->unknown_count; ++u) out[u] = 0;
    for (int k = 0; k < 3; ++k) {
        int32_t u = fit->unknown_of[t->vertex[k]];
        if (u != KST_NONE) out[u] = (k == 0) + (double)t->gx[k] * column + (double)t->gz[k] * row;
    }
}

// ---- least moves ------------------------------------------------------------------------------------------

typedef struct kst_fit_active active;

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// x of product x = y, by Cholesky; false when the equalities depend on each other.
static bool solve_active(active *e, const double *y, double *x) {
    int m = e->count;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j <= i; ++j) {
            double s = e->product[i][j] - dot(j, e->lower[i], e->lower[j]);
            if (i == j && s <= 1e-14) return false;
            e->lower[i][j] = i == j ? sqrt(s) : s / e->lower[j][j];
        }
    for (int i = 0; i < m; ++i) x[i] = (y[i] - dot(i, e->lower[i], x)) / e->lower[i][i];
    for (int i = m - 1; i >= 0; --i) {
        for (int k = i + 1; k < m; ++k) x[i] -= e->lower[k][i] * x[k];
        x[i] /= e->lower[i][i];
    }
    return true;
}

static void multiply(active *e, int n, int k) {
    for (int i = 0; i < e->count; ++i) e->product[k][i] = e->product[i][k] = dot(n, e->normal[k], e->normal[i]);
}

static void drop(active *e, int n, int k) {
    int last = --e->count;
    if (k == last) return;
    memcpy(e->normal[k], e->normal[last], sizeof e->normal[k]);
    e->force[k] = e->force[last];
    multiply(e, n, k);
}

// Bring one sample, which is `far` beyond the aim along its shares p, back to it, the active ones kept.
static bool mend(active *e, int n, const double *p, double far, double *move) {
    double force = 0, size = dot(n, p, p);
    for (int tries = 0; tries < 4 * KST_FIT_UNKNOWNS; ++tries) {
        double y[KST_FIT_UNKNOWNS], x[KST_FIT_UNKNOWNS], along[KST_FIT_UNKNOWNS];
        for (int k = 0; k < e->count; ++k) y[k] = dot(n, e->normal[k], p);
        if (!solve_active(e, y, x)) return false;
        memcpy(along, p, (size_t)n * sizeof *along);
        for (int k = 0; k < e->count; ++k)
            for (int i = 0; i < n; ++i) along[i] -= e->normal[k][i] * x[k];
        // How far it may go: until an active one lets go, or the sample is there.
        double rate = dot(n, along, p), partial = INFINITY, full = rate > 1e-9 * size ? far / rate : INFINITY;
        int loose = KST_NONE;
        for (int k = 0; k < e->count; ++k)
            if (x[k] > 1e-12 && e->force[k] / x[k] < partial) partial = e->force[k] / x[k], loose = k;
        double step = partial < full ? partial : full;
        if (isinf(step)) return false;
        for (int i = 0; i < n && !isinf(full); ++i) move[i] += step * along[i];
        if (!isinf(full)) far -= step * rate;
        for (int k = 0; k < e->count; ++k) e->force[k] -= step * x[k];
        force += step;
        if (full <= partial) {
            if (e->count == n) return false;
            int k = e->count++;
            memcpy(e->normal[k], p, (size_t)n * sizeof *p);
            e->force[k] = force;
            multiply(e, n, k);
            return true;
        }
        drop(e, n, loose);
    }
    return false;
}

bool kst_fit_solve(kst_fit *fit) {
    active *e = &fit->active;
    int n = fit->unknown_count;
    double limit = fit->r->error;
    e->count = 0;
    memset(fit->move, 0, sizeof fit->move);
    for (int step = 0; step < STEPS_MAX && !fit->crowded; ++step) {
        worst w = find_worst(fit);
        if (fabs((double)w.off) <= near_enough * limit) return true;
        double p[KST_FIT_UNKNOWNS];
        shares_of(fit, &w, p);
        for (int u = 0; u < n && w.off < 0; ++u) p[u] = -p[u];
        if (!mend(e, n, p, fabs((double)w.off) - aim * limit, fit->move)) return false;
    }
    return false;
}

// ---- the proof ----------------------------------------------------------------------------------------

// A triangle of the net none of whose corners moves is as good as it was.
static bool must_prove(const kst_fit *fit, const kst_fit_triangle *t) {
    if (t->fresh) return true;
    for (int k = 0; k < 3; ++k) {
        int32_t u = fit->unknown_of[t->vertex[k]];
        if (u != KST_NONE && fit->move[u] != 0) return true;
    }
    return false;
}

bool kst_fit_accept(kst_fit *fit) {
    kst_net *net = fit->net;
    float before[KST_FIT_UNKNOWNS];
    if (fit->crowded) return false;
    for (int u = 0; u < fit->unknown_count; ++u) {
        float *height = &net->height[fit->unknown[u]];
        before[u] = *height;
        *height = (float)((double)*height + fit->move[u]);
    }
    bool good = true;
    for (int k = 0; k < fit->triangle_count && good; ++k) {
        const kst_fit_triangle *t = &fit->triangle[k];
        if (!must_prove(fit, t)) continue;
        kst_node p[3];
        float h[3];
        for (int c = 0; c < 3; ++c) p[c] = net->place[t->vertex[c]], h[c] = net->height[t->vertex[c]];
        good = kst_rqt_off(fit->r, p, h) <= fit->r->error;
    }
    for (int u = 0; u < fit->unknown_count && !good; ++u) net->height[fit->unknown[u]] = before[u];
    return good;
}
