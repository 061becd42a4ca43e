// SPDX-License-Identifier: MIT
// Route: most pits are small, so they are flooded cell by cell until they spill.
//
// Water rises from the pit over the lowest of the cells round it. The first cell under water that drains elsewhere is
// the lowest pass out of all that drains to the pit. Spilling over it is the lowest edge of a basin, so it belongs to
// the lowest spanning tree of passes (O. Boruvka, 1926), unless pits spill round in a circle: there one of them keeps
// its pit, which is the circle's lake in the next round.
#include "op/route_spill.h"

enum { ROUNDS = 3, FLOOD_MAX = 32, SHORE_MAX = 8 * FLOOD_MAX, PITS_A_JOB = 64, SLOTS = 1024 };

void kst_route_turn(kst_route *r, int32_t cell, int32_t over) {
    int way = 0;
    while (cell + r->step[way] != over) ++way;
    for (;;) {
        int down = r->to[cell];
        int32_t next = down == KST_ROUTE_NONE ? cell : kst_route_receiver(r, cell);
        r->to[cell] = (uint8_t)way;
        r->from[cell + r->step[way]] |= (uint8_t)(1u << (way ^ 4));
        if (down == KST_ROUTE_NONE) return;
        r->from[next] &= (uint8_t) ~(1u << (down ^ 4));
        way = down ^ 4;
        cell = next;
    }
}

// Where a pit spills: from a cell of its own over a neighbour into the basin of another pit (from 1), or of the ring
// (0).
typedef struct spill {
    int32_t cell, over, into;  // cell -1: not found
} spill;

typedef struct spilling {
    kst_route *route;
    const float *h;
    int32_t *pit;
    spill *spill;
} spilling;

// A cell at the shore of the flood, and the flooded cell beside it.
typedef struct shore {
    float h;
    int32_t cell, beside;
} shore;

// Cells that the flood has met: 2 * cell, + 1 once it is under water.
typedef struct met {
    int32_t slot[SLOTS];
} met;

static int32_t *slot_of(met *m, int32_t cell) {
    uint32_t at = (uint32_t)cell * 0x9E3779B1u >> 22;
    while (m->slot[at] >= 0 && m->slot[at] >> 1 != cell) at = (at + 1) % SLOTS;
    return &m->slot[at];
}

// The lowest of the shore, and of equal ones the first in the grid, taken out.
static shore take_lowest(shore *list, int *count) {
    int best = 0;
    for (int k = 1; k < *count; ++k)
        if (list[k].h < list[best].h || (list[k].h == list[best].h && list[k].cell < list[best].cell)) best = k;
    shore found = list[best];
    list[best] = list[--*count];
    return found;
}

// Where the water of a cell ends: in the flood (-1), or at a pit or an outlet.
static int32_t follow(const kst_route *r, met *m, int32_t cell) {
    for (; !kst_route_is_outlet(r, cell); cell = kst_route_receiver(r, cell))
        if (*slot_of(m, cell) == 2 * cell + 1) return -1;
    return *slot_of(m, cell) == 2 * cell + 1 ? -1 : cell;
}

static spill flood(const spilling *s, int32_t pit) {
    const kst_route *r = s->route;
    met m;
    shore rim[SHORE_MAX];
    int rim_count = 0;
    memset(&m, 0xFF, sizeof m);
    *slot_of(&m, pit) = 2 * pit;
    int32_t cell = pit;
    for (int count = 0; count < FLOOD_MAX; ++count) {
        *slot_of(&m, cell) = 2 * cell + 1;
        for (int d = 0; d < 8; ++d) {
            int32_t next = cell + r->step[d], *slot = slot_of(&m, next);
            if (*slot >= 0) continue;
            *slot = 2 * next;
            rim[rim_count++] = (shore){s->h[next], next, cell};
        }
        shore low = take_lowest(rim, &rim_count);
        int32_t end = follow(r, &m, low.cell);
        if (end >= 0) return (spill){low.beside, low.cell, end};
        cell = low.cell;
    }
    return (spill){-1, -1, 0};
}

static karst_status find_spills(int begin, int end, int worker, void *context) {
    (void)worker;
    spilling *s = context;
    const kst_route *r = s->route;
    for (int k = begin; k < end; ++k) {
        spill found = flood(s, s->pit[k]);
        int x = found.into % r->width, y = found.into / r->width;
        bool ring = !x || !y || x == r->width - 1 || y == r->height - 1;
        found.into = ring ? 0 : r->basin[found.into];
        s->spill[k] = found;
    }
    return KARST_OK;
}

// Of pits that spill round in a circle the first keeps its pit. seen: 0, or the pit whose walk came by first.
static void break_circles(spill *s, int32_t count, int32_t *seen) {
    for (int32_t start = 1; start <= count; ++start) {
        int32_t at = start;
        while (at && s[at - 1].cell >= 0 && !seen[at - 1]) {
            seen[at - 1] = start;
            at = s[at - 1].into;
        }
        if (!at || s[at - 1].cell < 0 || seen[at - 1] != start) continue;
        int32_t first = at;
        for (int32_t k = s[at - 1].into; k != at; k = s[k - 1].into) first = k < first ? k : first;
        s[first - 1].cell = -1;
    }
}

static karst_status spill_once(spilling *s, int32_t count, int32_t *seen, const kst_team *team) {
    memset(seen, 0, (size_t)count * sizeof *seen);
    for (int32_t k = 0; k < count; ++k) s->route->basin[s->pit[k]] = k + 1;
    karst_status status = kst_team_run(team, count, PITS_A_JOB, find_spills, s);
    if (status) return status;
    break_circles(s->spill, count, seen);
    for (int32_t k = 0; k < count; ++k)
        if (s->spill[k].cell >= 0) kst_route_turn(s->route, s->spill[k].cell, s->spill[k].over);
    return KARST_OK;
}

karst_status kst_route_spill(kst_route *route, const float *h, int32_t *pit, int32_t *count, const kst_team *team) {
    int32_t room = *count;
    spilling s = {route, h, pit, kst_alloc_array(NULL, (size_t)room, sizeof(spill))};
    int32_t *seen = kst_alloc_array(NULL, (size_t)room, sizeof *seen);
    karst_status status = s.spill && seen ? KARST_OK : KARST_ERROR_MEMORY;
    for (int round = 0; round < ROUNDS && *count && !status; ++round) {
        status = spill_once(&s, *count, seen, team);
        int32_t left = 0;
        for (int32_t k = 0; k < *count && !status; ++k)
            if (kst_route_is_outlet(route, pit[k])) pit[left++] = pit[k];
        *count = left;
    }
    kst_free(NULL, s.spill, (size_t)room * sizeof *s.spill);
    kst_free(NULL, seen, (size_t)room * sizeof *seen);
    return status;
}
