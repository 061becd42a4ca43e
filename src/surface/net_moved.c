// SPDX-License-Identifier: MIT
// What follows from points of a finished net that moved.
#include "karst/netmove.h"

#include "surface/net.h"

enum { TURNS_MAX = 64 };  // how often an edge is looked at for those that end inside it

// Lists of one call, and marks of what is in them.
typedef struct queue {
    int32_t *list, count;
    uint8_t *in;
} queue;

struct kst_net_links_room {
    queue corners, patches_moved;
    queue edges;           // room for each twice: those of a turn and those of the next
    uint8_t *radius;       // of patches [1/4 m]
    int32_t patches[256];  // of each radius
};

// ---- links ------------------------------------------------------------------------------------------------

static karst_status queue_make(const karst_allocator *a, int32_t count, queue *q) {
    q->list = kst_alloc_array(a, (size_t)count + 1, sizeof *q->list);
    q->in = kst_alloc_zero(a, (size_t)count + 1);
    return q->list && q->in ? KARST_OK : KARST_ERROR_MEMORY;
}
static void queue_free(const karst_allocator *a, int32_t count, queue *q) {
    kst_free(a, q->list, ((size_t)count + 1) * sizeof *q->list);
    kst_free(a, q->in, (size_t)count + 1);
}
static void add(queue *q, int32_t k) {
    if (!q->in[k]) q->list[q->count++] = k;
    q->in[k] = 1;
}
static void clear(queue *q) {
    for (int32_t k = 0; k < q->count; ++k) q->in[q->list[k]] = 0;
    q->count = 0;
}

static karst_status list_make(const karst_allocator *a, int32_t count, size_t entries, karst_net_list *l) {
    l->first = kst_alloc_zero(a, ((size_t)count + 2) * sizeof *l->first);
    l->of = kst_alloc_array(a, entries + 1, sizeof *l->of);
    return l->first && l->of ? KARST_OK : KARST_ERROR_MEMORY;
}
static void list_free(const karst_allocator *a, int32_t count, size_t entries, karst_net_list *l) {
    kst_free(a, l->first, ((size_t)count + 2) * sizeof *l->first);
    kst_free(a, l->of, (entries + 1) * sizeof *l->of);
}
// Pass 0 counts, pass 1 puts the entries where first[k + 1] then says.
static void put(karst_net_list *l, int pass, int32_t k, int32_t entry) {
    if (pass)
        l->of[l->first[k + 1]++] = entry;
    else
        ++l->first[k + 2];
}
static void sum_up(karst_net_list *l, int32_t count) {
    for (int32_t k = 0; k < count; ++k) l->first[k + 2] += l->first[k + 1];
}

static int32_t patch_corner(const karst_net *net, const karst_net_patch *p, int which) {
    const karst_net_side *side = &p->side[which < 2 ? 0 : 2];
    return kst_net_corner_of(net, side, which == 1 || which == 2 ? side->to : side->from);
}

static void fill(const karst_net *net, karst_net_links *l) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int i = 0; i < 4; ++i) {
                put(&l->patches_of_corner, pass, patch_corner(net, &net->patches[k], i), 4 * k + i);
                put(&l->patches_of_edge, pass, net->patches[k].side[i].edge, 4 * k + i);
            }
        for (int32_t k = 0; k < net->edge_count; ++k)
            for (int i = 0; i < 2; ++i) put(&l->edges_of_corner, pass, net->edges[k].corner[i], 2 * k + i);
        if (pass) break;
        sum_up(&l->patches_of_corner, net->corner_count);
        sum_up(&l->edges_of_corner, net->corner_count);
        sum_up(&l->patches_of_edge, net->edge_count);
    }
}

static karst_vec3 *local_points(const karst_net *net, int32_t patch, karst_vec3 out[16]) {
    int32_t points[16][3];
    kst_net_patch_points(net, patch, points);
    kst_points_local((const int32_t(*)[3])points, out);
    return out;
}

static void measure(const karst_net *net, karst_net_links *l) {
    for (int32_t k = 0; k < net->patch_count; ++k) {
        karst_vec3 c[16];
        uint8_t size;
        l->room->radius[k] =
            (uint8_t)kst_patch_radius(local_points(net, k, c), net->patches[k].tiles_log2, net->step_log2, &size);
        ++l->room->patches[l->room->radius[k]];
    }
}

karst_status karst_net_links_make(const karst_net *net, karst_net_links *out) {
    KARST_ASSERT(net->finished);
    const karst_allocator *a = net->allocator;
    karst_net_links l = {.corner_count = net->corner_count,
                         .edge_count = net->edge_count,
                         .patch_count = net->patch_count,
                         .allocator = a};
    size_t sides = 4 * (size_t)net->patch_count, ends = 2 * (size_t)net->edge_count;
    l.room = kst_alloc_zero(a, sizeof *l.room);
    karst_status status = l.room ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = list_make(a, net->corner_count, sides, &l.patches_of_corner);
    if (!status) status = list_make(a, net->corner_count, ends, &l.edges_of_corner);
    if (!status) status = list_make(a, net->edge_count, sides, &l.patches_of_edge);
    if (!status) status = queue_make(a, net->corner_count, &l.room->corners);
    if (!status) status = queue_make(a, 2 * net->edge_count, &l.room->edges);
    if (!status) status = queue_make(a, net->patch_count, &l.room->patches_moved);
    if (!status && !(l.room->radius = kst_alloc(a, (size_t)net->patch_count + 1))) status = KARST_ERROR_MEMORY;
    if (status) {
        karst_net_links_free(&l);
        return status;
    }
    fill(net, &l);
    measure(net, &l);
    *out = l;
    return KARST_OK;
}

void karst_net_links_free(karst_net_links *l) {
    const karst_allocator *a = l->allocator;
    size_t sides = 4 * (size_t)l->patch_count, ends = 2 * (size_t)l->edge_count;
    list_free(a, l->corner_count, sides, &l->patches_of_corner);
    list_free(a, l->corner_count, ends, &l->edges_of_corner);
    list_free(a, l->edge_count, sides, &l->patches_of_edge);
    if (l->room) {
        queue_free(a, l->corner_count, &l->room->corners);
        queue_free(a, 2 * l->edge_count, &l->room->edges);
        queue_free(a, l->patch_count, &l->room->patches_moved);
        kst_free(a, l->room->radius, (size_t)l->patch_count + 1);
        kst_free(a, l->room, sizeof *l->room);
    }
    *l = (karst_net_links){0};
}

void karst_net_patch_at(const karst_net *net, int32_t patch, int32_t out[16][3]) {
    kst_net_patch_points(net, patch, out);
}
void karst_net_edge_at(const karst_net *net, int32_t edge, int32_t out[4][3]) {
    kst_net_edge_points(net, edge, out);
}
void karst_net_inside_at(const karst_net *net, int32_t corner, int32_t out[3]) {
    int32_t points[4][3];
    kst_net_edge_points(net, net->corners[corner].edge, points);
    kst_edge_eighth((const int32_t(*)[3])points, net->corners[corner].eighth, out);
}

// ---- what follows --------------------------------------------------------------------------------------------

static void add_patches(karst_net_links *l, const karst_net_list *list, int32_t k) {
    for (int32_t i = list->first[k]; i < list->first[k + 1]; ++i) add(&l->room->patches_moved, list->of[i] / 4);
}

// Corners onto their edges. One that moves brings its patches along, and the edges that end at it, which may have
// corners inside too.
static void place_inside(karst_net *net, karst_net_links *l) {
    queue *patches = &l->room->patches_moved, *edges = &l->room->edges;
    for (int32_t k = 0; k < patches->count; ++k)
        for (int i = 0; i < 4; ++i) add(edges, net->patches[patches->list[k]].side[i].edge);
    for (int turn = 0; edges->count && turn < TURNS_MAX; ++turn) {
        int32_t last = edges->count;  // those found in this turn follow
        for (int32_t k = 0; k < last; ++k) edges->in[edges->list[k]] = 0;
        for (int32_t k = 0; k < last; ++k) {
            const karst_net_edge *e = &net->edges[edges->list[k]];
            for (int i = 0; i < e->spans - 1; ++i) {
                int32_t corner = net->inside[e->inside + i], at[3];
                karst_net_inside_at(net, corner, at);
                if (!memcmp(at, net->corners[corner].at, sizeof at)) continue;
                memcpy(net->corners[corner].at, at, sizeof at);
                add_patches(l, &l->patches_of_corner, corner);
                const karst_net_list *ending = &l->edges_of_corner;
                for (int32_t j = ending->first[corner]; j < ending->first[corner + 1]; ++j) {
                    int32_t edge = ending->of[j] / 2;
                    add_patches(l, &l->patches_of_edge, edge);
                    add(edges, edge);
                }
            }
        }
        memmove(edges->list, edges->list + last, (size_t)(edges->count - last) * sizeof *edges->list);
        edges->count -= last;
    }
    clear(edges);
}

static karst_status size_patches(karst_net *net, karst_net_links *l, karst_report *report) {
    struct kst_net_links_room *room = l->room;
    for (int32_t k = 0; k < room->patches_moved.count; ++k) {
        int32_t patch = room->patches_moved.list[k];
        karst_vec3 c[16];
        uint8_t radius;
        karst_status status = kst_net_size_patch(net, patch, local_points(net, patch, c), &radius, report);
        if (status) return status;
        --room->patches[room->radius[patch]], ++room->patches[radius];
        room->radius[patch] = radius;
        for (int i = 0; i < 4; ++i) {
            int32_t edge = net->patches[patch].side[i].edge;
            const karst_net_edge *e = &net->edges[edge];
            add(&room->edges, edge);
            for (int end = 0; end < 2; ++end) add(&room->corners, e->corner[end]);
            for (int j = 0; j < e->spans - 1; ++j) add(&room->corners, net->inside[e->inside + j]);
        }
    }
    return KARST_OK;
}

static void size_edge(karst_net *net, const karst_net_links *l, int32_t edge) {
    const karst_net_list *list = &l->patches_of_edge;
    uint8_t least = KARST_NET_SIZES - 1, most = 0;
    for (int32_t i = list->first[edge]; i < list->first[edge + 1]; ++i) {
        uint8_t size = net->patches[list->of[i] / 4].size;
        if (size < least) least = size;
        if (size > most) most = size;
    }
    net->edges[edge].size[0] = least, net->edges[edge].size[1] = most;
}

// The radius and the normal of a corner, from its patches and those on whose side it lies.
static void see_corner(karst_net *net, const karst_net_links *l, int32_t k) {
    karst_net_corner *corner = &net->corners[k];
    const karst_net_list *at = &l->patches_of_corner, *on = &l->patches_of_edge;
    karst_vec3 sum = {0, 0, 0};
    uint8_t radius = 0;
    for (int32_t i = at->first[k]; i < at->first[k + 1]; ++i) {
        int32_t patch = at->of[i] / 4;
        karst_vec3 c[16];
        if (!corner->kept) sum = kst_add(sum, kst_patch_corner_normal(local_points(net, patch, c), at->of[i] & 3));
        if (l->room->radius[patch] > radius) radius = l->room->radius[patch];
    }
    for (int32_t i = corner->edge < 0 ? 0 : on->first[corner->edge],
                 end = corner->edge < 0 ? 0 : on->first[corner->edge + 1];
         i < end; ++i) {
        int32_t patch = on->of[i] / 4;
        const karst_net_side *s = &net->patches[patch].side[on->of[i] & 3];
        int low = s->from < s->to ? s->from : s->to, high = s->from < s->to ? s->to : s->from;
        if (corner->eighth >= low && corner->eighth <= high && l->room->radius[patch] > radius)
            radius = l->room->radius[patch];
    }
    corner->radius = radius;
    if (!corner->kept) kst_facing_pack(kst_unit(sum), corner->facing);
}

karst_status karst_net_moved(karst_net *net, karst_net_links *l, const int32_t *patches, int32_t count,
                             karst_report *report) {
    KARST_ASSERT(l->corner_count == net->corner_count && l->edge_count == net->edge_count &&
                 l->patch_count == net->patch_count);
    struct kst_net_links_room *room = l->room;
    for (int32_t k = 0; k < count; ++k) add(&room->patches_moved, patches[k]);
    place_inside(net, l);
    karst_status status = size_patches(net, l, report);
    if (!status) {
        for (int32_t k = 0; k < room->edges.count; ++k) size_edge(net, l, room->edges.list[k]);
        for (int32_t k = 0; k < room->corners.count; ++k) see_corner(net, l, room->corners.list[k]);
        net->reach = 0;
        for (int r = 1; r < 256; ++r)
            if (room->patches[r]) net->reach = (uint8_t)r;
    }
    clear(&room->corners), clear(&room->edges), clear(&room->patches_moved);
    net->finished = !status;
    return status;
}
