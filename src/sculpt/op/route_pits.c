// SPDX-License-Identifier: MIT
// Route: pits are led out over the lowest passes.
//
// After: G. Cordonnier, B. Bovy, J. Braun, "A versatile, linear complexity algorithm for flow routing in topographies
// with depressions", 2019: basins are the nodes of a graph, passes its edges, and the ways out its lowest spanning
// tree. We grow that tree from the ring (R. Prim, 1957), since only basins of pits are nodes: mostly there are few.
#include "op/route.h"
#include "op/route_spill.h"

enum { PITS_PER_JOB = 64 };

// The lowest pass between two basins: the higher of the two cells, one on each side.
typedef struct pass {
    float height_m;
    int32_t cell, over;    // cell lies in basin, over in other
    int32_t basin, other;  // other < basin
} pass;

typedef struct passes {
    pass *pass;
    int32_t count, room;
} passes;

typedef struct pits {
    kst_route *route;
    const float *h;
    int32_t *pit;  // cell of basin b at b - 1
    int32_t count;
    passes *found;      // a job
    int32_t *slot;      // a worker and basin: where its pass stands in the job's list
    int32_t job_count;  //
} pits;

// Height first; then cells, so that equal passes are told apart the same way on any number of threads.
static inline bool lower(const pass *a, const pass *b) {
    if (a->height_m != b->height_m) return a->height_m < b->height_m;
    return a->cell != b->cell ? a->cell < b->cell : a->over < b->over;
}

// ---- basins ----------------------------------------------------------------------------------------

static int32_t count_pits(const kst_route *r, int32_t *pit) {
    int32_t count = 0;
    for (int y = 1; y < r->height - 1; ++y) {
        const uint8_t *row = r->to + (size_t)y * (size_t)r->width, *last = row + r->width - 1, *at = row + 1;
        while (at < last && (at = memchr(at, KST_ROUTE_NONE, (size_t)(last - at)))) {
            if (pit) pit[count] = (int32_t)(at - r->to);
            ++count;
            ++at;
        }
    }
    return count;
}

typedef struct labelling {
    int32_t *basin, label;
} labelling;
static inline void put_label(void *context, int32_t cell) {
    labelling *l = context;
    l->basin[cell] = l->label;
}
static inline void nothing(void *context, int32_t cell) {
    (void)context;
    (void)cell;
}

static karst_status label_basins(int begin, int end, int worker, void *context) {
    (void)worker;
    pits *p = context;
    for (int k = begin; k < end; ++k) {
        labelling l = {p->route->basin, k + 1};
        kst_route_walk(p->route, p->pit[k], put_label, nothing, &l);
    }
    return KARST_OK;
}

// ---- passes ----------------------------------------------------------------------------------------

static karst_status add_pass(passes *list, const pass *p) {
    if (list->count == list->room) {
        int32_t room = list->room ? 2 * list->room : 256;
        pass *more = kst_alloc_array(NULL, (size_t)room, sizeof *more);
        if (!more) return KARST_ERROR_MEMORY;
        if (list->count) memcpy(more, list->pass, (size_t)list->count * sizeof *more);
        kst_free(NULL, list->pass, (size_t)list->room * sizeof *more);
        list->pass = more;
        list->room = room;
    }
    list->pass[list->count++] = *p;
    return KARST_OK;
}

typedef struct searching {
    const kst_route *route;
    const float *h;
    const int32_t *basin;
    passes *list;
    int32_t *slot, first;  // slots below first are of earlier basins
    karst_status status;
} searching;

static inline void look_over(void *context, int32_t cell) {
    searching *s = context;
    int32_t own = s->basin[cell];
    for (int d = 0; d < 8; ++d) {
        int32_t over = cell + s->route->step[d], other = s->basin[over];
        if (other >= own) continue;
        float a = s->h[cell], b = s->h[over];
        pass found = {a > b ? a : b, cell, over, own, other};
        if (s->slot[other] < s->first || s->slot[other] >= s->list->count ||
            s->list->pass[s->slot[other]].other != other) {
            s->slot[other] = s->list->count;
            karst_status status = add_pass(s->list, &found);
            if (status) s->status = status;
        } else if (lower(&found, &s->list->pass[s->slot[other]])) {
            s->list->pass[s->slot[other]] = found;
        }
    }
}

// Each basin looks for passes to those numbered lower. One job takes PITS_PER_JOB basins, in order.
static karst_status find_passes(int begin, int end, int worker, void *context) {
    pits *p = context;
    for (int job = begin; job < end; ++job) {
        int32_t last = (job + 1) * PITS_PER_JOB < p->count ? (job + 1) * PITS_PER_JOB : p->count;
        for (int32_t k = job * PITS_PER_JOB; k < last; ++k) {
            searching s = {.route = p->route,
                           .h = p->h,
                           .basin = p->route->basin,
                           .list = &p->found[job],
                           .slot = p->slot + (size_t)worker * ((size_t)p->count + 1),
                           .first = p->found[job].count};
            kst_route_walk(p->route, p->pit[k], look_over, nothing, &s);
            if (s.status) return s.status;
        }
    }
    return KARST_OK;
}

// ---- the tree of basins ------------------------------------------------------------------------------

typedef struct graph {
    pass *pass;
    int32_t pass_count;
    int32_t *first, *edge;  // edge[first[b]] .. edge[first[b + 1]]: passes of basin b
    int32_t *heap, heap_count;
    uint8_t *done;  // basins that drain
} graph;

static void heap_push(graph *g, int32_t edge) {
    int32_t at = g->heap_count++;
    while (at && lower(&g->pass[edge], &g->pass[g->heap[(at - 1) / 2]])) {
        g->heap[at] = g->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    g->heap[at] = edge;
}

static int32_t heap_pop(graph *g) {
    int32_t top = g->heap[0], last = g->heap[--g->heap_count], at = 0;
    for (int32_t child; (child = 2 * at + 1) < g->heap_count; at = child) {
        if (child + 1 < g->heap_count && lower(&g->pass[g->heap[child + 1]], &g->pass[g->heap[child]])) ++child;
        if (!lower(&g->pass[g->heap[child]], &g->pass[last])) break;
        g->heap[at] = g->heap[child];
    }
    if (g->heap_count) g->heap[at] = last;
    return top;
}

static void grow_tree(kst_route *r, graph *g) {
    for (int32_t basin = 0;;) {
        g->done[basin] = 1;
        for (int32_t k = g->first[basin]; k < g->first[basin + 1]; ++k) {
            const pass *p = &g->pass[g->edge[k]];
            if (!g->done[p->basin] || !g->done[p->other]) heap_push(g, g->edge[k]);
        }
        const pass *p = NULL;
        while (g->heap_count && !p) {
            p = &g->pass[heap_pop(g)];
            if (g->done[p->basin] && g->done[p->other]) p = NULL;
        }
        if (!p) return;
        bool from_other = g->done[p->other];
        kst_route_turn(r, from_other ? p->cell : p->over, from_other ? p->over : p->cell);
        basin = from_other ? p->basin : p->other;
    }
}

// Passes of all jobs in one list, and by basin.
static void fill_graph(graph *g, const pits *p) {
    for (int32_t job = 0, at = 0; job < p->job_count; ++job) {
        if (p->found[job].count)
            memcpy(g->pass + at, p->found[job].pass, (size_t)p->found[job].count * sizeof *g->pass);
        at += p->found[job].count;
    }
    for (int32_t k = 0; k < g->pass_count; ++k) {
        ++g->first[g->pass[k].basin + 2];
        ++g->first[g->pass[k].other + 2];
    }
    for (int32_t b = 2; b < p->count + 3; ++b) g->first[b] += g->first[b - 1];
    for (int32_t k = 0; k < g->pass_count; ++k) {
        g->edge[g->first[g->pass[k].basin + 1]++] = k;
        g->edge[g->first[g->pass[k].other + 1]++] = k;
    }
}

static karst_status lead_out(pits *p) {
    graph g = {0};
    for (int32_t job = 0; job < p->job_count; ++job) g.pass_count += p->found[job].count;
    size_t nodes = (size_t)p->count + 1, edges = (size_t)g.pass_count + 1;
    g.pass = kst_alloc_array(NULL, edges, sizeof *g.pass);
    g.first = kst_alloc_zero(NULL, (nodes + 2) * sizeof *g.first);
    g.edge = kst_alloc_array(NULL, 2 * edges, sizeof *g.edge);
    g.heap = kst_alloc_array(NULL, 2 * edges, sizeof *g.heap);
    g.done = kst_alloc_zero(NULL, nodes);
    bool there = g.pass && g.first && g.edge && g.heap && g.done;
    if (there) {
        fill_graph(&g, p);
        grow_tree(p->route, &g);
    }
    kst_free(NULL, g.pass, edges * sizeof *g.pass);
    kst_free(NULL, g.first, (nodes + 2) * sizeof *g.first);
    kst_free(NULL, g.edge, 2 * edges * sizeof *g.edge);
    kst_free(NULL, g.heap, 2 * edges * sizeof *g.heap);
    kst_free(NULL, g.done, nodes);
    return there ? KARST_OK : KARST_ERROR_MEMORY;
}

// The pits that are listed, along the lowest spanning tree of all passes between their basins.
static karst_status lead_all_out(pits *p, const kst_team *team) {
    const kst_route *r = p->route;
    p->job_count = (p->count + PITS_PER_JOB - 1) / PITS_PER_JOB;
    size_t workers = (size_t)karst_jobs_worker_count(team->jobs), slots = workers * ((size_t)p->count + 1);
    p->slot = kst_alloc_zero(NULL, slots * sizeof *p->slot);
    p->found = kst_alloc_zero(NULL, (size_t)p->job_count * sizeof *p->found);
    karst_status status = p->slot && p->found ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        memset(r->basin, 0, (size_t)r->width * (size_t)r->height * sizeof *r->basin);
        status = kst_team_run(team, p->count, PITS_PER_JOB, label_basins, p);
    }
    if (!status) status = kst_team_run(team, p->job_count, 1, find_passes, p);
    if (!status) status = lead_out(p);
    for (int32_t job = 0; p->found && job < p->job_count; ++job)
        kst_free(NULL, p->found[job].pass, (size_t)p->found[job].room * sizeof *p->found[job].pass);
    kst_free(NULL, p->slot, slots * sizeof *p->slot);
    kst_free(NULL, p->found, (size_t)p->job_count * sizeof *p->found);
    return status;
}

karst_status kst_route_pits(kst_route *route, const float *h, const kst_team *team) {
    int32_t count = count_pits(route, NULL);
    route->pit_count = count;
    if (!count) return KARST_OK;
    pits p = {.route = route, .h = h, .pit = kst_alloc_array(NULL, (size_t)count, sizeof *p.pit)};
    if (!p.pit) return KARST_ERROR_MEMORY;
    count_pits(route, p.pit);
    p.count = count;
    karst_status status = kst_route_spill(route, h, p.pit, &p.count, team);
    if (!status && p.count) status = lead_all_out(&p, team);
    kst_free(NULL, p.pit, (size_t)count * sizeof *p.pit);
    return status;
}
