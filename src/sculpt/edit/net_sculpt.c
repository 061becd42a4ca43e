// SPDX-License-Identifier: MIT
// A net open for brushes: its links, its boxes, what points are beside their whole steps.
#include "edit/net_sculpt.h"

#include "edit/pen.h"

karst_status kst_net_room(void **array, size_t *room, size_t count, size_t size) {
    if (count <= *room) return KARST_OK;
    size_t more = *room ? *room * 2 : 64;
    while (more < count) more *= 2;
    void *bigger = kst_alloc_array(NULL, more, size);
    if (!bigger) return KARST_ERROR_MEMORY;
    if (*room) memcpy(bigger, *array, *room * size);
    kst_free(NULL, *array, *room * size);
    *array = bigger, *room = more;
    return KARST_OK;
}

// ---- stars ------------------------------------------------------------------------------------------------

static int count_of(const karst_net_list *list, int32_t k) {
    return list->first[k + 1] - list->first[k];
}

int kst_star_size(const karst_net_sculptor *s, int32_t corner) {
    return 1 + count_of(&s->links.edges_of_corner, corner) + count_of(&s->links.patches_of_corner, corner);
}

kst_point kst_star_point(const karst_net_sculptor *s, int32_t corner, int k) {
    static const uint8_t inner_of[4] = {0, 1, 3, 2};  // corners go round, inner points in rows
    const karst_net_list *edges = &s->links.edges_of_corner, *patches = &s->links.patches_of_corner;
    if (!k) return (kst_point){s->net->corners[corner].at, s->corner_rest[corner]};
    int handles = count_of(edges, corner);
    if (k <= handles) {
        int32_t e = edges->of[edges->first[corner] + k - 1];
        return (kst_point){s->net->edges[e / 2].handle[e & 1], s->edge_rest[e / 2][e & 1]};
    }
    int32_t p = patches->of[patches->first[corner] + k - 1 - handles];
    return (kst_point){s->net->patches[p / 4].inner[inner_of[p & 3]], s->patch_rest[p / 4][inner_of[p & 3]]};
}

// ---- boxes ------------------------------------------------------------------------------------------------

static void box_add(kst_box *box, const int32_t at[3], bool first) {
    for (int axis = 0; axis < 3; ++axis) {
        if (first || at[axis] < box->low[axis]) box->low[axis] = at[axis];
        if (first || at[axis] > box->high[axis]) box->high[axis] = at[axis];
    }
}

static void box_star(karst_net_sculptor *s, int32_t corner) {
    for (int k = 0, count = kst_star_size(s, corner); k < count; ++k)
        box_add(&s->stars[corner], kst_star_point(s, corner, k).at, !k);
}

static void box_patch(karst_net_sculptor *s, int32_t patch) {
    int32_t points[16][3];
    karst_net_patch_at(s->net, patch, points);
    for (int k = 0; k < 16; ++k) box_add(&s->patches[patch], points[k], !k);
}

int32_t kst_patch_corner(const karst_net *net, int32_t patch, int which) {
    const karst_net_side *side = &net->patches[patch].side[which < 2 ? 0 : 2];
    int eighth = which == 1 || which == 2 ? side->to : side->from;
    const karst_net_edge *e = &net->edges[side->edge];
    return eighth == 0 ? e->corner[0] : eighth == 8 ? e->corner[1] : net->inside[e->inside + eighth * e->spans / 8 - 1];
}

void kst_net_boxes(karst_net_sculptor *s) {
    for (size_t k = 0; k < s->old_patch_count; ++k) {
        int32_t patch = s->moved[k];
        box_patch(s, patch);
        for (int i = 0; i < 4; ++i) box_star(s, kst_patch_corner(s->net, patch, i));
        if (!s->is_changed[patch]) s->changed[s->changed_count++] = patch;
        s->is_changed[patch] = 1;
    }
}

// ---- the sculptor -------------------------------------------------------------------------------------------

// Everything that has the net's size, freed alike.
static karst_status allocate(karst_net_sculptor *s, bool make) {
    size_t corners = s->corner_room, edges = s->edge_room, patches = s->patch_room;
    const struct {
        void **array;
        size_t count, size;
    } all[] = {
        {(void **)&s->stars, corners, sizeof *s->stars},
        {(void **)&s->patches, patches, sizeof *s->patches},
        {(void **)&s->depth, corners, 1},
        {(void **)&s->held, corners, 1},
        {(void **)&s->corner_rest, corners, sizeof *s->corner_rest},
        {(void **)&s->edge_rest, edges, sizeof *s->edge_rest},
        {(void **)&s->patch_rest, patches, sizeof *s->patch_rest},
        {(void **)&s->is_done, corners, 1},
        {(void **)&s->star_of, corners, sizeof *s->star_of},
        {(void **)&s->patch_of, patches, sizeof *s->patch_of},
        {(void **)&s->edge_of, edges, sizeof *s->edge_of},
        {(void **)&s->changed, patches, sizeof *s->changed},
        {(void **)&s->is_changed, patches, 1},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        if (make && !(*all[k].array = kst_alloc_zero(NULL, all[k].count * all[k].size))) return KARST_ERROR_MEMORY;
        if (!make) kst_free(NULL, *all[k].array, all[k].count * all[k].size);
    }
    return KARST_OK;
}

// Ground up to a field, which does not move: the corners of seams and those inside them.
static void hold_seams(karst_net_sculptor *s) {
    for (int32_t k = 0; k < s->net->edge_count; ++k) {
        const karst_net_edge *e = &s->net->edges[k];
        for (int end = 0; end < 2 && e->seam; ++end) s->held[e->corner[end]] = 1;
        for (int i = 0; i < e->spans - 1 && e->seam; ++i) s->held[s->net->inside[e->inside + i]] = 1;
    }
}

karst_status karst_net_sculptor_create(karst_net *net, const karst_net *begin, karst_net_sculptor **out) {
    KARST_ASSERT(net->finished);
    if (begin && (begin->corner_count != net->corner_count || begin->edge_count != net->edge_count ||
                  begin->patch_count != net->patch_count || begin->step_log2 != net->step_log2))
        return KARST_ERROR_ARGUMENT;
    karst_net_sculptor *s = kst_alloc_zero(NULL, sizeof *s);
    if (!s) return KARST_ERROR_MEMORY;
    s->net = net, s->begin = begin;
    s->step_m = ldexp(1, net->step_log2);
    s->corner_room = (size_t)net->corner_count + 1, s->edge_room = (size_t)net->edge_count + 1;
    s->patch_room = (size_t)net->patch_count + 1;
    karst_status status = karst_net_links_make(net, &s->links);
    if (!status) status = allocate(s, true);
    if (status) {
        karst_net_sculptor_destroy(s);
        return status;
    }
    for (int32_t k = 0; k < net->corner_count; ++k) box_star(s, k), s->star_of[k] = -1;
    for (int32_t k = 0; k < net->patch_count; ++k) box_patch(s, k), s->patch_of[k] = -1;
    for (int32_t k = 0; k < net->edge_count; ++k) s->edge_of[k] = -1;
    kst_stars_depths(s);
    hold_seams(s);
    *out = s;
    return KARST_OK;
}

void karst_net_sculptor_destroy(karst_net_sculptor *s) {
    if (!s) return;
    allocate(s, false);
    if (s->links.room) karst_net_links_free(&s->links);
    kst_free(NULL, s->star, s->star_room * sizeof *s->star);
    kst_free(NULL, s->point, s->point_room * sizeof *s->point);
    kst_free(NULL, s->rows, s->row_room * KST_POINT_ROWS * sizeof *s->rows);
    kst_free(NULL, s->was, s->was_room * sizeof *s->was);
    kst_free(NULL, s->old_patch, s->old_patch_room * sizeof *s->old_patch);
    kst_free(NULL, s->old_edge, s->old_edge_room * sizeof *s->old_edge);
    kst_free(NULL, s->moved, s->moved_room * sizeof *s->moved);
    kst_free(NULL, s->done, s->done_room * sizeof *s->done);
    kst_free(NULL, s, sizeof *s);
}

int32_t karst_net_sculptor_changed(karst_net_sculptor *s, const int32_t **out) {
    int32_t count = s->changed_count;
    for (int32_t k = 0; k < count; ++k) s->is_changed[s->changed[k]] = 0;
    s->changed_count = 0;
    *out = s->changed;
    return count;
}

// ---- strokes --------------------------------------------------------------------------------------------------

typedef struct net_pen {
    karst_net_sculptor *sculptor;
    karst_report *report;
} net_pen;

static karst_status top(void *context, double x, double z, double *y, bool *found) {
    const net_pen *p = context;
    *found = kst_net_top(p->sculptor, x, z, y);
    return KARST_OK;
}
static karst_status cast(void *context, const karst_ray *ray, karst_pos *at, bool *found) {
    const net_pen *p = context;
    *found = kst_net_cast(p->sculptor, ray, at);
    return KARST_OK;
}
static karst_status dab(void *context, const karst_brush_def *def, const karst_dab *at, karst_touched *out) {
    const net_pen *p = context;
    return kst_net_dab(p->sculptor, def, at, p->report, out);
}
static karst_status keep(void *context, const karst_brush_def *def, const karst_dab *at, bool *kept) {
    const net_pen *p = context;
    (void)def, (void)at;
    p->sculptor->was_count = 0;  // there is no dab yet to take back
    *kept = true;
    return KARST_OK;
}
static karst_status put_back(void *context) {
    const net_pen *p = context;
    return kst_net_undo(p->sculptor);
}
static void destroy(void *context) {
    kst_free(NULL, context, sizeof(net_pen));
}

karst_status karst_net_stroke_create(karst_net_sculptor *s, const karst_brush_def *def, const karst_progress *progress,
                                     karst_report *report, karst_stroke **out) {
    if (def->paint) return kst_fail(report, KARST_ERROR_ARGUMENT, "a net has no masks to paint: paint is for fields");
    if (def->kind == KARST_BRUSH_RESTORE && (def->toward == KARST_TOWARD_BASE || !s->begin))
        return kst_fail(report, KARST_ERROR_ARGUMENT, "restore: a net has no layers: say toward=begin");
    net_pen *p = kst_alloc(NULL, sizeof *p);
    if (!p) return KARST_ERROR_MEMORY;
    *p = (net_pen){s, report};
    memset(s->corner_rest, 0, (size_t)s->net->corner_count * sizeof *s->corner_rest);
    memset(s->edge_rest, 0, (size_t)s->net->edge_count * sizeof *s->edge_rest);
    memset(s->patch_rest, 0, (size_t)s->net->patch_count * sizeof *s->patch_rest);
    kst_pen pen = {p, top, cast, dab, keep, put_back, destroy};
    karst_status status = kst_stroke_create(&pen, def, progress, out);
    if (status) destroy(p);
    return status;
}
