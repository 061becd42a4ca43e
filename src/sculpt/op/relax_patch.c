// SPDX-License-Identifier: MIT
// Relax: the moves of vertices. A move is kept when it makes cheaper what it changes: the edges along rows and columns,
// each by the sixth power of its length, so that the longest count most, and the gap to the old surface by its price.
#include "op/relax_patch.h"

#include <math.h>

static const int32_t step_i[4] = {1, -1, 0, 0}, step_j[4] = {0, 0, 1, -1};  // a way and its opposite: way ^ 1

static bool is_inside(const patch *p, int32_t i, int32_t j) {
    return i >= 0 && j >= 0 && i < p->width && j < p->height;
}

static double length2_of(const spot *a, const spot *b) {
    vec d = vec_sub(b->p, a->p);
    return vec_dot(d, d);
}

// What the edges at vertex (i, j) cost; those to marked ones before it are left out.
static double edges_cost(const patch *p, int32_t i, int32_t j) {
    double sum = 0;
    int32_t k = j * p->width + i;
    for (int way = 0; way < 4; ++way) {
        int32_t n = k + step_j[way] * p->width + step_i[way];
        if (!is_inside(p, i + step_i[way], j + step_j[way]) || (p->mark[n] && n < k)) continue;
        double length2 = length2_of(&p->at[k], &p->at[n]);
        sum += length2 * length2 * length2;
    }
    return sum;
}

// How much may be beyond the distance when a move may cost no more than `left` for it.
static double enough_for(const patch *p, double left) {
    return p->price == 0 ? -1 : p->price == INFINITY ? 0 : left / p->price;
}

static double gap_cost(const patch *p, const surface_gap *gap) {
    if (gap->folded) return INFINITY;
    return gap->beyond > 0 ? gap->beyond * p->price : 0;
}

// A share of the cost that a move must save at least, so that there is an end; and a step too short to be one [cells].
static const double least_gain = 1e-3, least_step = 1e-6;

static double between(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

// Places lie on a lattice on which offsets are kept exactly.
static double to_lattice(double v, double most) {
    return between((v * 0x1p20 + 0x1.8p52 - 0x1.8p52) * 0x1p-20, 0, most);
}

static spot spot_at(const patch *p, double u, double v) {
    u = to_lattice(u, p->ground->columns - 1);
    v = to_lattice(v, p->ground->rows - 1);
    return (spot){u, v, patch_surface(p, u, v, NULL, NULL)};
}

static void wake(patch *p, int32_t i, int32_t j) {
    enum { NEARBY = 2 };
    for (int32_t m = -NEARBY; m <= NEARBY; ++m)
        for (int32_t n = -NEARBY; n <= NEARBY; ++n)
            if (is_inside(p, i + n, j + m)) p->asleep[(j + m) * p->width + i + n] = 0;
}

// ---- one vertex ------------------------------------------------------------------------------------

// A vertex that looks for a better place.
typedef struct mover {
    int32_t i, j, k;
    uint8_t freedom;
    spot here;
    double cost;  // where it is
} mover;

static bool move_to(patch *p, const mover *m, double u, double v) {
    spot to = spot_at(p, m->freedom & FREE_U ? u : m->here.u, m->freedom & FREE_V ? v : m->here.v);
    if (fabs(to.u - m->here.u) <= least_step && fabs(to.v - m->here.v) <= least_step) return false;
    double most = m->cost * (1 - least_gain);
    p->at[m->k] = to;
    p->mark[m->k] = 1;
    double cost = edges_cost(p, m->i, m->j);
    if (cost <= most) {
        surface_gap gap = patch_gap(p, m->i, m->j, m->i, m->j, enough_for(p, most - cost));
        cost += gap_cost(p, &gap);
    }
    p->mark[m->k] = 0;
    if (cost <= most) return true;
    p->at[m->k] = m->here;
    return false;
}

// By shares of a step until one will do; the first is longer than the step, which brings the sweeps to an end sooner.
static bool move_by(patch *p, const mover *m, double step_u, double step_v) {
    for (double share = 1.6; share > 0.1; share *= 0.5)
        if (move_to(p, m, m->here.u + share * step_u, m->here.v + share * step_v)) return true;
    return false;
}

// The directions of the surface a little way off in direction (u, v): on an old line those ahead differ from those
// behind.
static void look_ahead(const patch *p, const mover *m, double u, double v, vec *du, vec *dv) {
    double most = fmax(fabs(u), fabs(v)), share = most > 1e-3 ? 1e-3 / most : 1;
    patch_surface(p, between(m->here.u + share * u, 0, p->ground->columns - 1),
                  between(m->here.v + share * v, 0, p->ground->rows - 1), du, dv);
}

// The step along directions du, dv that comes nearest to `pull`.
static bool solve_step(vec du, vec dv, vec pull, double *step_u, double *step_v) {
    double uu = vec_dot(du, du), uv = vec_dot(du, dv), vv = vec_dot(dv, dv), pu = vec_dot(pull, du),
           pv = vec_dot(pull, dv), det = uu * vv - uv * uv;
    if (det <= 1e-9 * uu * vv) return false;
    *step_u = (pu * vv - pv * uv) / det;
    *step_v = (pv * uu - pu * uv) / det;
    return true;
}

// Toward its neighbours, each counting by the slope of its edge's cost; else along one of the old lines, on which a
// vertex on a rim stays on the rim.
static bool slide(patch *p, const mover *m) {
    static const double line_u[4] = {1, 0, 1, 1}, line_v[4] = {0, 1, 1, -1};
    vec pull = {0, 0, 0}, du, dv;
    double weights = 0, u = 0, v = 0;
    for (int way = 0; way < 4; ++way) {
        if (!is_inside(p, m->i + step_i[way], m->j + step_j[way])) continue;
        const spot *n = &p->at[m->k + step_j[way] * p->width + step_i[way]];
        double length2 = length2_of(&m->here, n), weight = length2 * length2;
        pull = vec_add_times(pull, vec_sub(n->p, m->here.p), weight);
        weights += weight;
    }
    if (weights <= 0) return false;
    pull = (vec){pull.x / weights, pull.y / weights, pull.z / weights};
    for (int round = 0; round < 2; ++round) {
        look_ahead(p, m, u, v, &du, &dv);
        if (!solve_step(du, dv, pull, &u, &v)) break;
        if (round == 1 && move_by(p, m, u, v)) return true;
    }
    for (int line = 0; line < 4; ++line)
        for (int sign = -1; sign <= 1; sign += 2) {
            u = sign * line_u[line];
            v = sign * line_v[line];
            if ((u != 0 && !(m->freedom & FREE_U)) || (v != 0 && !(m->freedom & FREE_V))) continue;
            look_ahead(p, m, u, v, &du, &dv);
            vec along = {du.x * u + dv.x * v, du.y * u + dv.y * v, du.z * u + dv.z * v};
            double length2 = vec_dot(along, along), t = length2 > 0 ? vec_dot(pull, along) / length2 : 0;
            if (t > 0 && move_by(p, m, t * u, t * v)) return true;
        }
    return false;
}

// Where the new surface is too far off: onto the place where it is furthest, onto the old vertex nearest to that or to
// itself, or half way.
static bool snap(patch *p, const mover *m, const surface_gap *gap) {
    double u = m->here.u, v = m->here.v;
    return move_to(p, m, gap->u, gap->v) || move_to(p, m, floor(gap->u + 0.5), floor(gap->v + 0.5)) ||
           move_to(p, m, floor(u + 0.5), floor(v + 0.5)) || move_to(p, m, 0.5 * (u + gap->u), 0.5 * (v + gap->v)) ||
           move_to(p, m, u + 0.5 * (u - gap->u), v + 0.5 * (v - gap->v));
}

// ---- several ---------------------------------------------------------------------------------------

// A row of vertices, each of which takes the place of the one before it.
typedef struct train {
    int32_t i, j, step_i, step_j;
    int count;
    spot old[PATCH_REACH], now[PATCH_REACH];
} train;

static double train_cost(patch *p, const train *t, const spot *at, double most) {
    int32_t i1 = t->i + (t->count - 1) * t->step_i, j1 = t->j + (t->count - 1) * t->step_j;
    double cost = 0;
    for (int n = 0; n < t->count; ++n) p->at[(t->j + n * t->step_j) * p->width + t->i + n * t->step_i] = at[n];
    for (int n = 0; n < t->count; ++n) cost += edges_cost(p, t->i + n * t->step_i, t->j + n * t->step_j);
    if (cost > most) return cost;
    surface_gap gap = patch_gap(p, t->i < i1 ? t->i : i1, t->j < j1 ? t->j : j1, t->i > i1 ? t->i : i1,
                                t->j > j1 ? t->j : j1, enough_for(p, most - cost));
    return cost + gap_cost(p, &gap);
}

// Where a rim is too sharp to slide over: the vertex goes half way along its edge `way`, the one behind it, `back`,
// takes its place, and so on, until the last leaves a place where the surface does without.
static bool pull_train(patch *p, const mover *m, int way, int back) {
    const spot *toward = &p->at[m->k + step_j[way] * p->width + step_i[way]];
    spot next = spot_at(p, 0.5 * (m->here.u + toward->u), 0.5 * (m->here.v + toward->v));
    uint8_t needs = (uint8_t)((step_i[way] || step_i[back] ? FREE_U : 0) | (step_j[way] || step_j[back] ? FREE_V : 0));
    train t = {.i = m->i, .j = m->j, .step_i = step_i[back], .step_j = step_j[back]};
    bool moved = false;
    while (t.count < PATCH_REACH && !moved) {
        int32_t i = t.i + t.count * t.step_i, j = t.j + t.count * t.step_j, k = j * p->width + i;
        if (!is_inside(p, i, j) || (p->freedom[k] & needs) != needs) break;
        t.old[t.count] = p->at[k];
        t.now[t.count++] = next;
        next = p->at[k];
        p->mark[k] = 1;
        double most = train_cost(p, &t, t.old, INFINITY) * (1 - least_gain);
        moved = train_cost(p, &t, t.now, most) <= most;
        if (!moved)
            for (int n = 0; n < t.count; ++n) p->at[(t.j + n * t.step_j) * p->width + t.i + n * t.step_i] = t.old[n];
    }
    for (int n = 0; n < t.count; ++n) {
        int32_t i = t.i + n * t.step_i, j = t.j + n * t.step_j;
        p->mark[j * p->width + i] = 0;
        if (moved) wake(p, i, j);
    }
    return moved;
}

// ---- a sweep ---------------------------------------------------------------------------------------

static bool relax_vertex(patch *p, int32_t i, int32_t j) {
    int32_t k = j * p->width + i;
    if (!p->freedom[k] || p->asleep[k]) return false;
    double longest2 = 0;
    int way = 0;
    for (int n = 0; n < 4; ++n) {
        if (!is_inside(p, i + step_i[n], j + step_j[n])) continue;
        double length2 = length2_of(&p->at[k], &p->at[k + step_j[n] * p->width + step_i[n]]);
        if (length2 > longest2) longest2 = length2, way = n;
    }
    bool stretched = longest2 > (double)p->limit2[k];
    if (!stretched && (p->price == 0 || p->price == INFINITY)) return false;
    p->mark[k] = 1;
    surface_gap gap = {0};
    if (p->price > 0 && p->price < INFINITY) gap = patch_gap(p, i, j, i, j, INFINITY);
    mover m = {i, j, k, p->freedom[k], p->at[k], edges_cost(p, i, j) + gap_cost(p, &gap)};
    p->mark[k] = 0;
    bool beyond = gap.beyond > 0, moved = beyond && snap(p, &m, &gap);
    if (!moved && (stretched || beyond)) moved = slide(p, &m);
    if (moved) {
        wake(p, i, j);
        return true;
    }
    // The one behind first, then those at its sides.
    for (int n = 0; n < 4 && stretched && !moved && p->price > 0; ++n) {
        int back = (way ^ 1) ^ n;
        if (back != way) moved = pull_train(p, &m, way, back);
    }
    p->asleep[k] = !moved;
    return moved;
}

int patch_sweep(patch *p, karst_rect tile, bool backward) {
    int32_t width = tile.x1 - tile.x0, count = width * (tile.z1 - tile.z0);
    int moved = 0;
    for (int32_t n = 0; n < count; ++n) {
        int32_t m = backward ? count - 1 - n : n;
        moved += relax_vertex(p, tile.x0 - p->i0 + m % width, tile.z0 - p->j0 + m / width);
    }
    return moved;
}
