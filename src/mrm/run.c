// SPDX-License-Identifier: MIT
// The order itself: the cheapest vertex leaves, its neighbours are judged again, until nothing can leave.
//
// After: M. Garland, P. Heckbert, "Surface Simplification Using Quadric Error Metrics", 1997 (greedy collapses from a
// queue) with other costs, see cost.c. One entry a vertex: its cheapest half-edge. While much is left the planes alone
// judge (unless normals weigh more than they do by default), and a neighbour is judged again only when it comes up;
// later the samples judge, and at the end all neighbours are judged at once, which is worth most there.
#include "mrm/order.h"

static const float fit_below = 0.3f;  // of the faces

// A shape that is exact and would lose this much of its diagonal at once has reached its least right mesh.
static const float exact_within = 1e-5f, lost_beyond = 0.05f;

enum { DIRTY = 1, STUCK = 2, SOME = 256 };

static void set_key(kst_order *o, uint32_t v, float key, uint32_t target) {
    o->key[v] = key;
    o->target[v] = target;
}

// Near vertices in the order of what the planes say; returns how many.
static int rank(kst_order *o, uint32_t near[], double cost[]) {
    const kst_star *s = o->star;
    for (int j = 0; j < s->near_count; ++j) {
        double c = kst_cost_planes(o, s->near[j]);
        int at = j;
        for (; at > 0 && cost[at - 1] > c; --at) cost[at] = cost[at - 1], near[at] = near[at - 1];
        cost[at] = c, near[at] = s->near[j];
    }
    return s->near_count;
}

// The cheapest of the first ways that are allowed; returns how many were.
static int try_ways(kst_order *o, uint32_t v, const uint32_t *near, const double *planes, int count) {
    int tried = 0;
    for (int j = 0; j < count && tried < (o->planes_only ? 1 : o->ways); ++j) {
        if (o->refusals[v] && near[j] == o->refused[v]) continue;
        if (!kst_star_legal(o, near[j]) || !kst_star_fan(o, near[j], !o->planes_only)) continue;
        ++tried;
        float cost = (float)planes[j] * o->plane_share;
        if (!o->planes_only) {
            cost += kst_cost_samples(o, near[j]);
            if (o->attributes) cost += o->uv_share * kst_cost_texture(o, near[j]);
        }
        if (cost < o->key[v]) set_key(o, v, cost, near[j]);
    }
    return tried;
}

// Find the cheapest way for v to leave.
static void judge(kst_order *o, uint32_t v) {
    uint32_t near[2 * KST_STAR_FACES + 2];
    double planes[2 * KST_STAR_FACES + 2];
    o->at[v].dirty = o->bends[v] = 0;
    set_key(o, v, FLT_MAX, KST_NONE);
    if (o->keep[v]) return;
    if (!o->at[v].listed) {
        set_key(o, v, -1, KST_NONE);
        return;
    }
    if (o->refusals[v] > 1 || !kst_star_gather(o, v, !o->planes_only)) return;
    kst_star_lines(o);
    kst_cost_prepare(o);
    int count = rank(o, near, planes), tried = try_ways(o, v, near, planes, count);
    uint32_t live = o->part_live[o->part[v]];
    if (!tried && live <= KST_PART_FACES && live != o->live) {  // better a bent part than none
        o->bend = true;
        o->bends[v] = try_ways(o, v, near, planes, count) > 0;
        o->bend = false;
    }
    kst_part part;
    float cost = kst_part_cost(o, v, !tried, &part);
    if (cost < o->key[v]) set_key(o, v, cost, KST_VANISH);
}

static bool is_queued(const kst_order *o, uint32_t v) {
    return o->heap_at[v] != KST_NONE;
}

// Its last face is gone: it leaves next.
static void forsake(kst_order *o, uint32_t v) {
    if (!is_queued(o, v) || o->keep[v]) return;
    set_key(o, v, -1, KST_NONE);
    o->at[v].dirty = 0;
    kst_queue_changed(o, v);
}

// What the faces of u touch has to be judged again: now, or when it comes up. A vertex that could not leave would
// sleep at the bottom for ever, so it is judged now.
static void touch(kst_order *o, uint32_t u) {
    uint32_t now[4 * KST_STAR_FACES];
    int count = 0;
    bool eager = (float)o->live < o->eager_below * (float)o->face_count;
    for (uint32_t j = 0; j < o->at[u].listed; ++j)
        for (int k = 0; k < 3; ++k) {
            uint32_t x = o->face[o->pool[o->at[u].list + j]][k];
            if (!is_queued(o, x) || o->keep[x]) continue;
            if (o->at[x].dirty != STUCK) o->at[x].dirty = o->key[x] == FLT_MAX ? STUCK : DIRTY;
            o->refusals[x] = 0;
        }
    for (uint32_t j = 0; j < o->at[u].listed; ++j)
        for (int k = 0; k < 3; ++k) {
            uint32_t x = o->face[o->pool[o->at[u].list + j]][k];
            if (!o->at[x].dirty || !is_queued(o, x) || !(eager || o->at[x].dirty == STUCK)) continue;
            if (count == (int)(sizeof now / sizeof *now)) continue;
            o->at[x].dirty = 0;
            now[count++] = x;
        }
    for (int j = 0; j < count; ++j) {
        judge(o, now[j]);
        kst_queue_changed(o, now[j]);
    }
}

// ---- a vertex leaves -----------------------------------------------------------------------------------

static void unlist(kst_order *o, uint32_t v, uint32_t face) {
    uint32_t *list = o->pool + o->at[v].list;
    for (uint32_t j = 0; j < o->at[v].listed; ++j)
        if (list[j] == face) {
            list[j] = list[--o->at[v].listed];
            return;
        }
}

static void kill_face(kst_order *o, uint32_t f) {
    o->died[f] = o->leave_count - 1;
    o->sample_of[f] = KST_NONE;
    --o->live;
    --o->part_live[o->part[o->face[f][0]]];
    ++o->leave[o->leave_count - 1].faces;
}

static void *grow(kst_order *o, void *old, size_t *room, size_t need, size_t bytes) {
    if (need <= *room) return old;
    size_t larger = 2 * need, size;
    void *new = kst_size_mul(larger, bytes, &size) ? kst_alloc(NULL, size) : NULL;
    if (!new) {
        o->status = KARST_ERROR_MEMORY;
        return old;
    }
    memcpy(new, old, *room * bytes);
    kst_free(NULL, old, *room * bytes);
    *room = larger;
    return new;
}

// Lists that are there yet, without room, move to the front of the pool.
static void compact(kst_order *o) {
    uint32_t *pool = o->pool;
    size_t to = 0;
    for (size_t at = 0, next; at < o->pool_count; at = next) {
        uint32_t v = pool[at], count = o->at[v].listed;
        next = at + KST_LIST_HEAD + pool[at + 1];
        if (!count || o->at[v].list != at + KST_LIST_HEAD) continue;
        o->at[v].list = (uint32_t)(to + KST_LIST_HEAD);
        pool[to] = v, pool[to + 1] = count;
        memmove(pool + o->at[v].list, pool + at + KST_LIST_HEAD, count * sizeof *pool);
        to += KST_LIST_HEAD + count;
    }
    o->pool_count = to;
}

// Room for more faces in the list of u; lists that grow move to the end of the pool.
static bool make_room(kst_order *o, uint32_t u, uint32_t more) {
    uint32_t need = o->at[u].listed + more, room = need + 2;
    if (o->at[u].listed && need <= o->pool[o->at[u].list - 1]) return true;
    size_t all = KST_LIST_HEAD + (size_t)room;
    if (o->pool_count + all > o->pool_room) {
        compact(o);
        all += o->pool_room / 16;  // else it would be full again at once
    }
    o->pool = grow(o, o->pool, &o->pool_room, o->pool_count + all, sizeof *o->pool);
    if (o->status || o->pool_count + all > UINT32_MAX) return false;
    uint32_t *at = o->pool + o->pool_count;
    at[0] = u, at[1] = room;
    memcpy(at + KST_LIST_HEAD, o->pool + o->at[u].list, o->at[u].listed * sizeof *at);
    o->at[u].list = (uint32_t)o->pool_count + KST_LIST_HEAD;
    o->pool_count += KST_LIST_HEAD + room;
    return true;
}

static void begin_leave(kst_order *o, uint32_t v, uint32_t parent) {
    o->leave[o->leave_count++] = (kst_leave){.vertex = v, .parent = parent};
    kst_queue_remove(o, v);
    --o->live_vertices;
}

// Squared: how far the source comes to lie from what is left.
static float reach(const kst_order *o, uint32_t u) {
    const kst_star *s = o->star;
    float most = 0;
    for (int i = 0; i < s->sample_count; ++i) {
        const float p[3] = {s->x[0][i], s->x[1][i], s->x[2][i]};
        float apart = s->fan_count      ? s->apart[i]
                      : s->shared_count ? kst_segment(p, o->at[u].place, o->at[s->shared[0][2]].place)
                                        : 0;
        most = apart > most ? apart : most;
    }
    return most;
}

// Corner k of face f changes from v's wedge to one of u's.
static void change_corner(kst_order *o, uint32_t f, uint32_t k, uint32_t u, uint32_t wedge) {
    o->change[o->change_count++] = 3 * f + k;
    o->heir[o->corner[f][k]] = wedge;
    o->corner[f][k] = wedge;
    o->face[f][k] = u;
}

static bool change_room(kst_order *o, uint32_t more) {
    o->change = grow(o, o->change, &o->change_room, o->change_count + more, sizeof *o->change);
    return !o->status;
}

static uint32_t own_wedge(const kst_order *o, uint32_t f, uint32_t v) {
    const uint32_t *x = o->face[f];
    return o->corner[f][x[0] == v ? 0 : x[1] == v ? 1 : 2];
}

// Faces of v and u go: out of the lists of their other corners, whose corner at v becomes u's.
static int kill_shared(kst_order *o, uint32_t v, uint32_t u, uint32_t beside[]) {
    const kst_star *s = o->star;
    uint32_t wedge[KST_STAR_FACES];
    int count = 0;
    for (int j = 0; j < s->face_count; ++j) wedge[j] = kst_star_wedge(o, own_wedge(o, s->face[j], v), u);
    for (int j = 0; j < s->face_count; ++j) {
        uint32_t f = s->face[j], at = 0;
        const uint32_t *x = o->face[f];
        o->sample_of[f] = KST_NONE;
        if (x[0] != u && x[1] != u && x[2] != u) continue;
        kill_face(o, f);
        for (uint32_t k = 0; k < 3; ++k) {
            if (x[k] == v)
                at = k;
            else
                unlist(o, x[k], f);
            if (x[k] != v && x[k] != u) beside[count++] = x[k];
        }
        change_corner(o, f, at, u, wedge[j]);
    }
    return count;
}

// Where its normals should be better, u becomes a copy of itself: a record without triangles. Returns which of both
// stands there now.
static uint32_t fit(kst_order *o, uint32_t u) {
    kst_copy copy;
    if (!change_room(o, o->at[u].listed) || !kst_fit(o, u, &copy)) return u;
    uint32_t n = copy.vertex;
    begin_leave(o, u, n);
    ++o->live_vertices;
    for (uint32_t j = 0; j < o->at[u].listed; ++j) {
        uint32_t f = o->pool[o->at[u].list + j], k = o->face[f][0] == u ? 0 : o->face[f][1] == u ? 1 : 2;
        int at = 0;
        while (copy.before[at] != o->corner[f][k]) ++at;
        change_corner(o, f, k, n, copy.after[at]);
    }
    o->at[n].list = o->at[u].list, o->at[n].listed = o->at[u].listed;
    o->pool[o->at[n].list - KST_LIST_HEAD] = n;
    o->at[u].listed = 0;
    set_key(o, n, FLT_MAX, KST_NONE);
    kst_queue_add(o, n);
    return n;
}

// False, and nothing is done, when it would turn a face over, or is not allowed any more.
static bool collapse(kst_order *o, uint32_t v, uint32_t u) {
    kst_star *s = o->star;
    o->bend = o->bends[v];
    bool good = kst_star_gather(o, v, true) && kst_star_legal(o, u) && kst_star_fan(o, u, true);
    o->bend = false;
    if (!good) return false;
    kst_star_lines(o);
    kst_cost_samples(o, u);
    if (!o->lenient && !o->bends[v] && kst_fan_turns(o, u)) return false;
    begin_leave(o, v, u);
    o->leave[o->leave_count - 1].off = sqrtf(reach(o, u));
    if (!change_room(o, o->at[v].listed) || !make_room(o, u, o->at[v].listed)) return true;
    uint32_t beside[2 * KST_STAR_FACES];
    int count = kill_shared(o, v, u, beside);
    for (int j = 0; j < s->fan_count; ++j) {
        const kst_fan_face *f = &s->fan[j];
        change_corner(o, f->face, f->corner, u, f->wedge[0]);
        o->pool[o->at[u].list + o->at[u].listed++] = f->face;
    }
    o->at[v].listed = 0;
    if (s->fan_count) kst_samples_hang(o);
    for (int j = 0; j < s->fan_count; ++j) kst_samples_thin(o, s->fan[j].face);
    if (o->def->move) kst_move_target(o, u);
    if (o->def->fit_normals && (float)o->live < fit_below * (float)o->face_count) u = fit(o, u);
    touch(o, u);
    for (int j = 0; j < count; ++j) {
        if (!o->at[beside[j]].listed)
            forsake(o, beside[j]);
        else if (is_queued(o, beside[j]) && !o->keep[beside[j]])
            o->at[beside[j]].dirty = DIRTY;
    }
    if (!o->at[u].listed) forsake(o, u);
    return true;
}

static void refuse(kst_order *o, uint32_t v, uint32_t u) {
    o->refused[v] = u;
    ++o->refusals[v];
    judge(o, v);
    kst_queue_top_changed(o);
}

// All its vertices go into v one by one, without regard to shape: what is between is never shown.
static void vanish(kst_order *o, uint32_t v) {
    kst_part part;
    kst_part_cost(o, v, true, &part);
    uint32_t wedge = own_wedge(o, part.face[0], v), first = o->leave_count;
    float off = sqrtf(kst_part_extent(o, &part));
    for (int i = part.vertices; i-- > 1;) {
        uint32_t y = part.vertex[i];
        begin_leave(o, y, v);
        if (!change_room(o, 3 * KST_PART_FACES)) return;
        for (int j = 0; j < part.faces; ++j) {
            uint32_t f = part.face[j];
            const uint32_t *x = o->face[f];
            if (o->died[f] != KST_NONE) continue;
            for (uint32_t k = 0; k < 3; ++k)
                if (x[k] == y) change_corner(o, f, k, v, wedge);
            if (x[0] == x[1] || x[1] == x[2] || x[2] == x[0]) kill_face(o, f);
        }
        o->at[y].listed = 0;
    }
    begin_leave(o, v, KST_NONE);
    o->at[v].listed = 0;
    for (uint32_t i = first; i < o->leave_count; ++i) {
        o->leave[i].off = off;
        o->leave[i].inside = i + 1 < o->leave_count;
    }
}

// ---- all vertices --------------------------------------------------------------------------------------

// The shape is still exact, and the next to leave would break it.
static bool is_right(kst_order *o, uint32_t v, uint32_t u, float worst) {
    if (o->def->past_right || worst > exact_within || u == KST_NONE) return false;
    kst_part part;
    if (u == KST_VANISH)
        return kst_part_cost(o, v, true, &part) < FLT_MAX && kst_part_extent(o, &part) > lost_beyond * lost_beyond;
    if (!kst_star_gather(o, v, true) || !kst_star_legal(o, u) || !kst_star_fan(o, u, true)) return false;
    kst_star_lines(o);
    kst_cost_samples(o, u);
    return reach(o, u) > lost_beyond * lost_beyond;
}

// Nothing would be left.
static bool is_last(const kst_order *o, uint32_t v, uint32_t u) {
    if (u == KST_NONE || u == KST_VANISH || o->at[v].listed < o->live) return false;
    for (uint32_t j = 0; j < o->at[v].listed; ++j) {
        const uint32_t *x = o->face[o->pool[o->at[v].list + j]];
        if (x[0] != u && x[1] != u && x[2] != u) return false;
    }
    return true;
}

static void be_lenient(kst_order *o) {
    o->lenient = true;
    for (uint32_t i = 0; i < o->heap_count; ++i) {
        uint32_t v = o->heap[i];
        o->refusals[v] = 0;
        judge(o, v);
    }
    kst_queue_all_changed(o);
}

// The cheapest vertex leaves; false when there is none, or the order ends here.
static bool leave_next(kst_order *o, float worst) {
    uint32_t v = o->heap[0], u = o->target[v];
    if (o->key[v] == FLT_MAX && !o->lenient) {
        be_lenient(o);
        return true;
    }
    if (o->key[v] == FLT_MAX || is_last(o, v, u)) return false;
    if (is_right(o, v, u, worst)) {
        o->is_least_right = true;
        return false;
    }
    if (u == KST_VANISH)
        vanish(o, v);
    else if (u == KST_NONE)
        begin_leave(o, v, KST_NONE);
    else if (!collapse(o, v, u))
        refuse(o, v, u);
    return true;
}

karst_status kst_order_run(kst_order *o, const karst_progress *progress, karst_report *report) {
    float worst = 0;
    o->planes_only = o->samples_below < 1;
    for (uint32_t v = 0; v < o->vertex_count && !o->status; ++v) {
        judge(o, v);
        if (v % SOME == 0) o->status = kst_progress_step(progress, "judge", (double)v / o->vertex_count);
    }
    kst_queue_begin(o);
    for (uint32_t turn = 0; o->heap_count && !o->status; ++turn) {
        if (turn % SOME == 0)
            o->status = kst_progress_step(progress, "order", (double)o->leave_count / o->vertex_count);
        if (o->planes_only && (float)o->live < o->samples_below * (float)o->face_count) {
            o->planes_only = false;
            for (uint32_t i = 0; i < o->heap_count; ++i) o->at[o->heap[i]].dirty = DIRTY;
        }
        uint32_t v = o->heap[0], from = o->leave_count;
        if (o->target[v] == KST_VANISH && o->part_live[o->part[v]] == o->live) o->at[v].dirty = DIRTY;
        if (o->at[v].dirty) {
            judge(o, v);
            kst_queue_top_changed(o);
            continue;
        }
        if (!leave_next(o, worst)) break;
        for (; from < o->leave_count; ++from) o->leave[from].off = worst = fmaxf(worst, o->leave[from].off);
    }
    if (o->status) return kst_fail(report, o->status, "mrm: %s", karst_status_text(o->status));
    return KARST_OK;
}
