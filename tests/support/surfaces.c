// SPDX-License-Identifier: MIT
#include "surfaces.h"

#include <math.h>
#include <stdlib.h>

typedef struct point {
    double x, y, z;
} point;

static point less(point a, point b) {
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}
static point plus(point a, point b, double t) {
    return (point){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}
static double inner(point a, point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Nearest point of a triangle: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5, by regions of its corners.
static double apart_triangle(point p, const point t[3]) {
    point ab = less(t[1], t[0]), ac = less(t[2], t[0]), ap = less(p, t[0]), bp = less(p, t[1]), cp = less(p, t[2]), q;
    double d1 = inner(ab, ap), d2 = inner(ac, ap), d3 = inner(ab, bp), d4 = inner(ac, bp), d5 = inner(ab, cp),
           d6 = inner(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0)
        q = t[0];
    else if (d3 >= 0 && d4 <= d3)
        q = t[1];
    else if (d6 >= 0 && d5 <= d6)
        q = t[2];
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        q = plus(t[0], ab, d1 / (d1 - d3));
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        q = plus(t[0], ac, d2 / (d2 - d6));
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        q = plus(t[1], less(t[2], t[1]), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    else
        q = plus(plus(t[0], ab, vb / (va + vb + vc)), ac, vc / (va + vb + vc));
    point off = less(p, q);
    return sqrt(inner(off, off));
}

static point vertex(const surface_grid *g, int i, int j) {
    int k = j * g->columns + i;
    return (point){i * g->cell_m + (double)g->x[k], (double)g->y[k], j * g->cell_m + (double)g->z[k]};
}

static void triangle(const surface_grid *g, int i, int j, int half, point t[3]) {
    bool even = !((i + j) & 1);
    point near = vertex(g, i, j), right = vertex(g, i + 1, j), down = vertex(g, i, j + 1),
          far = vertex(g, i + 1, j + 1);
    t[0] = half && !even ? right : near;
    t[1] = half || even ? far : right;
    t[2] = down;
    if (!half && even) t[1] = right, t[2] = far;
}

// Triangles by squares of the ground plan.
typedef struct plan {
    double x0, z0, side;
    int across, down;
    int *first, *next, *which;  // lists of entries
    int count, room;
} plan;

static int square(double at, double from, double side, int count) {
    int k = (int)floor((at - from) / side);
    return k < 0 ? 0 : k >= count ? count - 1 : k;
}

static void put_triangle(plan *p, const point t[3], int which, double reach) {
    double x0 = fmin(t[0].x, fmin(t[1].x, t[2].x)) - reach, x1 = fmax(t[0].x, fmax(t[1].x, t[2].x)) + reach;
    double z0 = fmin(t[0].z, fmin(t[1].z, t[2].z)) - reach, z1 = fmax(t[0].z, fmax(t[1].z, t[2].z)) + reach;
    for (int b = square(z0, p->z0, p->side, p->down); b <= square(z1, p->z0, p->side, p->down); ++b)
        for (int a = square(x0, p->x0, p->side, p->across); a <= square(x1, p->x0, p->side, p->across); ++a) {
            if (p->count == p->room) {
                p->room = p->room ? 2 * p->room : 1 << 16;
                p->next = realloc(p->next, (size_t)p->room * sizeof(int));
                p->which = realloc(p->which, (size_t)p->room * sizeof(int));
            }
            p->which[p->count] = which;
            p->next[p->count] = p->first[b * p->across + a];
            p->first[b * p->across + a] = p->count++;
        }
}

double surface_apart(const surface_grid *from, const surface_grid *to, double reach) {
    int cells = to->columns - 1;
    plan p = {.x0 = -16 * to->cell_m, .z0 = -16 * to->cell_m, .side = to->cell_m};
    p.across = to->columns + 32;
    p.down = to->rows + 32;
    p.first = malloc((size_t)(p.across * p.down) * sizeof(int));
    for (int k = 0; k < p.across * p.down; ++k) p.first[k] = -1;
    point t[3];
    for (int k = 0; k < 2 * cells * (to->rows - 1); ++k) {
        triangle(to, k / 2 % cells, k / 2 / cells, k & 1, t);
        put_triangle(&p, t, k, reach);
    }
    static const double share[][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0, 0.5}, {0.5, 0.5}, {0.33, 0.33}, {0.2, 0.6}};
    double worst = 0;
    for (int k = 0; k < 2 * (from->columns - 1) * (from->rows - 1); ++k) {
        point f[3];
        triangle(from, k / 2 % (from->columns - 1), k / 2 / (from->columns - 1), k & 1, f);
        for (size_t s = 0; s < sizeof share / sizeof *share; ++s) {
            point at = plus(plus(f[0], less(f[1], f[0]), share[s][0]), less(f[2], f[0]), share[s][1]);
            int a = square(at.x, p.x0, p.side, p.across), b = square(at.z, p.z0, p.side, p.down);
            double least = reach;
            for (int e = p.first[b * p.across + a]; e >= 0 && least > 0; e = p.next[e]) {
                triangle(to, p.which[e] / 2 % cells, p.which[e] / 2 / cells, p.which[e] & 1, t);
                least = fmin(least, apart_triangle(at, t));
            }
            worst = fmax(worst, least);
        }
    }
    free(p.first);
    free(p.next);
    free(p.which);
    return worst;
}
