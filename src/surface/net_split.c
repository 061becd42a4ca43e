// SPDX-License-Identifier: MIT
// Patches cut in smaller ones where an author wants them.
//
//     d-------2-------c      a patch, halved along s and t: corners in the middle of its sides (0 to 3) and in its own
//     | (0,1) | (1,1) |      (m), four edges between them. Where the neighbour beyond a side is not cut the middle lies
//     3-------m-------1      inside their edge and the small sides are halves of what the patch had of it.
//     | (0,0) | (1,0) |
//     a-------0-------b
//
// An edge that no side takes as a whole becomes two. So one that is left whole has a side of 16 tiles at most along all
// of it, and a part of it with 4 tiles or more is a quarter at least: halves of parts are always parts.
#include "karst/netsplit.h"

#include "surface/net.h"

enum { CHORDS = 8, MEET_DEPTH = 3, LOOK_EVERY = 1024 };

// What is known of an edge while others come.
typedef struct note {
    int32_t inside[7];  // corners at its eighths, or NONE
    int32_t half;       // the other half, when it was just cut; or NONE
    bool touched;       // a patch on it is cut
    bool whole, used;   // some side takes all of it; there are sides on it
} note;

typedef struct split {
    karst_net *net;  // a copy, until all is done
    const karst_net_split_def *def;
    karst_noise_bank *bank;
    note *notes;  // of edges
    int32_t note_room;
    int32_t *list, *next;  // patches to look at, in this turn and the one after it
    uint8_t *axes;         // of the list: 1: cut along s, 2: along t
    int32_t list_count, next_count, list_room, next_room;
    double left;  // of the work when the turn begins, as progress has it
    karst_net_split_info done;
} split;

karst_net_split_def karst_net_split_def_default(void) {
    return (karst_net_split_def){.cookie = KST_COOKIE};
}

// ---- which patches ---------------------------------------------------------------------------------------

// Whether a sphere may meet a patch: by boxes of its points, and of its parts' where they do.
static bool meets(const karst_vec3 c[16], const double at[3], double radius, int depth) {
    double low[3] = {c[0].x, c[0].y, c[0].z}, high[3] = {c[0].x, c[0].y, c[0].z}, away2 = 0;
    for (int k = 1; k < 16; ++k) {
        const double p[3] = {c[k].x, c[k].y, c[k].z};
        for (int axis = 0; axis < 3; ++axis) {
            if (p[axis] < low[axis]) low[axis] = p[axis];
            if (p[axis] > high[axis]) high[axis] = p[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        double d = at[axis] < low[axis] ? low[axis] - at[axis] : at[axis] > high[axis] ? at[axis] - high[axis] : 0;
        away2 += d * d;
    }
    if (away2 > radius * radius) return false;
    if (depth == 0) return true;
    for (int k = 0; k < 4; ++k) {
        karst_vec3 part[16];
        float s = 0.5f * (float)(k & 1), t = 0.5f * (float)(k >> 1);
        kst_patch_part(c, s, s + 0.5f, t, t + 0.5f, part);
        if (meets(part, at, radius, depth - 1)) return true;
    }
    return false;
}

static double curve_length(const karst_vec3 c[4]) {
    double sum = 0;
    karst_vec3 last = c[0];
    for (int k = 1; k <= CHORDS; ++k) {
        karst_vec3 at = kst_curve(c, (float)k / CHORDS), d = kst_sub(at, last);
        sum += sqrt((double)d.x * (double)d.x + (double)d.y * (double)d.y + (double)d.z * (double)d.z);
        last = at;
    }
    return sum;
}

// The longer side of a patch along s (0) or t (1) [steps].
static double side_length(const karst_vec3 c[16], int axis) {
    karst_vec3 side[2][4];
    for (int k = 0; k < 4; ++k) side[0][k] = c[axis ? 4 * k : k], side[1][k] = c[axis ? 4 * k + 3 : 12 + k];
    return fmax(curve_length(side[0]), curve_length(side[1]));
}

// The axes that places want a patch to be cut along. *held: one would be, but has 2 tiles.
static int axes_of(const split *w, int32_t index, bool *held) {
    const karst_net *net = w->net;
    const karst_net_patch *p = &net->patches[index];
    double scale = ldexp(1, -net->step_log2), length[2];
    int32_t points[16][3];
    karst_vec3 c[16];
    int wanted = 0;
    kst_net_patch_points(net, index, points);
    kst_points_local((const int32_t(*)[3])points, c);
    for (int axis = 0; axis < 2; ++axis) length[axis] = side_length(c, axis);
    for (int32_t k = 0; k < w->def->place_count; ++k) {
        const karst_net_split_place *place = &w->def->places[k];
        const double at[3] = {(place->at.x - net->origin.x) * scale - points[0][0],
                              (place->at.y - net->origin.y) * scale - points[0][1],
                              (place->at.z - net->origin.z) * scale - points[0][2]};
        int longer = (length[0] > place->side_m * scale ? 1 : 0) | (length[1] > place->side_m * scale ? 2 : 0);
        if (longer & ~wanted && meets(c, at, place->radius_m * scale, MEET_DEPTH)) wanted |= longer;
    }
    int able = (p->tiles_log2[0] > 1 ? 1 : 0) | (p->tiles_log2[1] > 1 ? 2 : 0);
    *held = (wanted & ~able) != 0;
    return wanted & able;
}

// Now and then, at entry k of the list, looked at (half 0) or cut (1).
static karst_status step(const split *w, int32_t k, int half) {
    if (k % LOOK_EVERY) return KARST_OK;
    double share = 0.25 * (half + (double)k / (double)w->list_count);
    return kst_progress_step(w->def->progress, "split", 1 - w->left * (1 - share));
}

// Looks at the patches of the list, and touches the edges of those to cut. *count: how many.
static karst_status choose(split *w, int32_t *count) {
    *count = 0;
    for (int32_t k = 0; k < w->list_count; ++k) {
        karst_status status = step(w, k, 0);
        if (status) return status;
        bool held;
        w->axes[k] = (uint8_t)axes_of(w, w->list[k], &held);
        w->done.held += held && !w->axes[k];  // those that come of it are looked at again
        *count += w->axes[k] != 0;
        for (int side = 0; side < 4 && w->axes[k]; ++side)
            w->notes[w->net->patches[w->list[k]].side[side].edge].touched = true;
    }
    return KARST_OK;
}

// ---- elements --------------------------------------------------------------------------------------------

// Room for notes of all edges and of one more.
static karst_status grow_notes(split *w) {
    int32_t count = w->net->edge_count;
    if (count < w->note_room) return KARST_OK;
    int32_t more = count + count / 2 + 64;
    note *bigger = kst_alloc_array(w->net->allocator, (size_t)more, sizeof *bigger);
    if (!bigger) return KARST_ERROR_MEMORY;
    if (w->note_room) memcpy(bigger, w->notes, (size_t)w->note_room * sizeof *bigger);
    for (int32_t k = w->note_room; k < more; ++k) {
        bigger[k] = (note){.half = KARST_NET_NONE};
        for (int i = 0; i < 7; ++i) bigger[k].inside[i] = KARST_NET_NONE;
    }
    kst_free(w->net->allocator, w->notes, (size_t)w->note_room * sizeof *w->notes);
    w->notes = bigger, w->note_room = more;
    return KARST_OK;
}

static karst_status add_edge(split *w, const karst_net_edge *edge, int32_t *index) {
    karst_status status = grow_notes(w);
    return status ? status : karst_net_add_edge(w->net, edge, index);
}

// The corner at an eighth inside an edge, which comes to be if it is not there.
static karst_status corner_at(split *w, int32_t edge, int eighth, int32_t *out) {
    int32_t *now = &w->notes[edge].inside[eighth - 1], points[4][3];
    karst_net_corner corner = {.edge = edge, .eighth = (uint8_t)eighth};
    karst_status status = KARST_OK;
    if (*now == KARST_NET_NONE) {
        kst_net_edge_points(w->net, edge, points);
        kst_edge_eighth((const int32_t(*)[3])points, eighth, corner.at);
        status = karst_net_add_corner(w->net, &corner, now);
    }
    *out = *now;
    return status;
}

static int8_t noise_of(float height) {
    return (int8_t)floorf(height * 127 + 0.5f);
}

// ---- edges -----------------------------------------------------------------------------------------------

// The second half of an edge is a new one; the middle stands alone, as far out as it was.
static karst_status halve_edge(split *w, int32_t index) {
    karst_net *net = w->net;
    int32_t points[4][3], low[4][3], high[4][3], middle, beyond;
    karst_status status = corner_at(w, index, 4, &middle);
    if (status) return status;
    kst_net_edge_points(net, index, points);
    kst_side_points((const int32_t(*)[3])points, 0, 4, low);
    kst_side_points((const int32_t(*)[3])points, 4, 8, high);
    karst_net_edge first = net->edges[index];
    float height = kst_bank_height(w->bank, first.noise, (float)(2 * first.tiles), (float)first.noise * 7);
    first.tiles /= 2;
    karst_net_edge second = first;
    first.corner[1] = second.corner[0] = middle;
    memcpy(first.handle, low[1], sizeof first.handle), memcpy(second.handle, high[1], sizeof second.handle);
    if (first.seam) {
        int32_t vertex[2];
        kst_seam_vertex(first.seam, first.column, first.row, first.tiles, vertex);
        second.column = vertex[0], second.row = vertex[1];
    }
    status = add_edge(w, &second, &beyond);
    if (status) return status;
    net->edges[index] = first;
    net->corners[middle] =
        (karst_net_corner){.edge = KARST_NET_NONE, .noise = noise_of(first.crease ? 0.5f * height : height)};
    memcpy(net->corners[middle].at, low[3], sizeof low[3]);
    note was = w->notes[index], *a = &w->notes[index], *b = &w->notes[beyond];
    for (int i = 0; i < 7; ++i) a->inside[i] = KARST_NET_NONE;
    for (int eighth = 1; eighth < 8; ++eighth) {
        int32_t corner = was.inside[eighth - 1];
        if (eighth == 4 || corner == KARST_NET_NONE) continue;
        net->corners[corner].edge = eighth < 4 ? index : beyond;
        net->corners[corner].eighth = (uint8_t)(2 * (eighth & 3));
        (eighth < 4 ? a : b)->inside[2 * (eighth & 3) - 1] = corner;
    }
    a->half = beyond, b->touched = true;
    ++w->done.edges;
    return KARST_OK;
}

// Touched edges that no side takes as a whole become two, until there are none.
static karst_status halve_edges(split *w) {
    karst_net *net = w->net;
    for (bool again = true; again;) {
        int32_t count = net->edge_count;
        again = false;
        for (int32_t k = 0; k < count; ++k) {
            note *n = &w->notes[k];
            n->half = KARST_NET_NONE, n->whole = n->used = false;
        }
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int side = 0; side < 4; ++side) {
                const karst_net_side *s = &net->patches[k].side[side];
                w->notes[s->edge].used = true;
                w->notes[s->edge].whole |= s->from + s->to == 8;
            }
        for (int32_t k = 0; k < count; ++k) {
            const note *n = &w->notes[k];
            if (!n->touched || !n->used || n->whole) continue;
            karst_status status = halve_edge(w, k);
            if (status) return status;
            again = true;
        }
        for (int32_t k = 0; k < net->patch_count && again; ++k)
            for (int side = 0; side < 4; ++side) {
                karst_net_side *s = &net->patches[k].side[side];
                int32_t beyond = w->notes[s->edge].half;
                if (beyond == KARST_NET_NONE) continue;
                int past = s->from + s->to > 8 ? 4 : 0;
                if (past) s->edge = beyond;
                s->from = (uint8_t)(2 * (s->from - past)), s->to = (uint8_t)(2 * (s->to - past));
            }
    }
    return KARST_OK;
}

// ---- patches ---------------------------------------------------------------------------------------------

static void halve_curve(double *p, int stride, int which) {
    for (int axis = 0; axis < 3; ++axis) {
        double *a = p + axis, *b = a + stride, *c = b + stride, *d = c + stride;
        double ab = (*a + *b) / 2, bc = (*b + *c) / 2, cd = (*c + *d) / 2;
        double left = (ab + bc) / 2, right = (bc + cd) / 2, middle = (left + right) / 2;
        if (which)
            *a = middle, *b = right, *c = cd;
        else
            *b = ab, *c = left, *d = middle;
    }
}

// Points of part (i, j) of a patch. Halves of whole numbers are exact in doubles and rounded once.
static void part_points(const int32_t points[16][3], int axes, int i, int j, int32_t out[16][3]) {
    double p[16 * 3];
    for (int k = 0; k < 48; ++k) p[k] = points[k / 3][k % 3];
    for (int k = 0; k < 4 && axes & 1; ++k) halve_curve(p + 12 * k, 3, i);
    for (int k = 0; k < 4 && axes & 2; ++k) halve_curve(p + 3 * k, 12, j);
    for (int k = 0; k < 48; ++k) out[k / 3][k % 3] = (int32_t)floor(p[k] + 0.5);
}

// The calmest map of the tiles on both sides of a new edge: along t (axis 1) at tile column `at`, or along s at a row.
static uint8_t calmest_beside(const karst_net_patch *p, int axis, int at, int first, int tiles) {
    int least = KARST_NOISE_SLOTS;
    for (int k = first; k < first + tiles; ++k)
        for (int side = at - 1; side <= at; ++side) {
            int slot = p->slot[axis ? KARST_NET_TILES_MAX * k + side : KARST_NET_TILES_MAX * side + k];
            if (slot < least) least = slot;
        }
    return (uint8_t)(least + 16 * p->noise_set);
}

// Displacement in the middle of a patch: the mean of the maps of the four tiles there [m].
static float middle_height(const split *w, const karst_net_patch *p) {
    int i = 1 << p->tiles_log2[0] >> 1, j = 1 << p->tiles_log2[1] >> 1;
    float x = (float)(4 * i), y = (float)(4 * j), sum = 0;
    for (int turn = 0; turn < p->noise_turn; ++turn) {
        float old = x;
        x = y, y = 128 - old;
    }
    for (int k = 0; k < 4; ++k) {
        int tile = KARST_NET_TILES_MAX * (j - (k >> 1)) + i - (k & 1);
        sum += 0.25f * kst_bank_height(w->bank, p->slot[tile] + 16 * p->noise_set, x, y);
    }
    return sum;
}

// Tiles and their corners of part (i, j); tiles_log2 are the part's.
static void take_paint(const karst_net_patch *from, int i, int j, karst_net_patch *to) {
    int across = 1 << to->tiles_log2[0], down = 1 << to->tiles_log2[1], x = i * across, y = j * down;
    for (int b = 0; b <= down; ++b)
        for (int a = 0; a <= across; ++a) {
            to->set[17 * b + a] = from->set[17 * (b + y) + a + x];
            to->tint[17 * b + a] = from->tint[17 * (b + y) + a + x];
        }
    for (int b = 0; b < down; ++b)
        for (int a = 0; a < across; ++a) {
            int here = KARST_NET_TILES_MAX * b + a, there = KARST_NET_TILES_MAX * (b + y) + a + x;
            to->slot[here] = from->slot[there], to->group[here] = from->group[there];
        }
}

static karst_net_side half_of(const karst_net_side *s, int which) {
    int middle = (s->from + s->to) / 2;
    return (karst_net_side){s->edge, (uint8_t)(which ? middle : s->from), (uint8_t)(which ? s->to : middle)};
}

// A patch while it is cut.
typedef struct cutting {
    karst_net_patch old;
    int axes, count[2];  // parts along s and t
    int32_t points[16][3];
    int32_t middle[4], centre;  // corners in the middle of sides that are cut, and of all
    int32_t line[2][2];         // new edges: [1] along t, by part; [0] along s
} cutting;

static karst_status cut_corners(split *w, cutting *c) {
    karst_status status = KARST_OK;
    for (int side = 0; side < 4 && !status; ++side) {
        const karst_net_side *s = &c->old.side[side];
        if (!(c->axes >> (side & 1) & 1)) continue;
        KARST_ASSERT(abs(s->to - s->from) > 1);
        int eighth = (s->from + s->to) / 2;
        status = corner_at(w, s->edge, eighth, &c->middle[side]);
    }
    if (status || c->axes != 3) return status;
    karst_net_corner corner = {.edge = KARST_NET_NONE, .noise = noise_of(middle_height(w, &c->old))};
    int32_t part[16][3];
    part_points((const int32_t(*)[3])c->points, 3, 0, 0, part);
    memcpy(corner.at, part[15], sizeof corner.at);
    return karst_net_add_corner(w->net, &corner, &c->centre);
}

// New edges along t (axis 1) at the middle of s, or along s: one, or two that meet in the middle.
static karst_status cut_lines(split *w, cutting *c, int axis) {
    int across = !axis, tiles = (1 << c->old.tiles_log2[axis]) / c->count[axis], begin = axis ? 0 : 3,
        end = axis ? 2 : 1;
    karst_status status = KARST_OK;
    for (int k = 0; k < c->count[axis] && !status; ++k) {
        int32_t part[16][3];
        part_points((const int32_t(*)[3])c->points, c->axes, axis ? 0 : k, axis ? k : 0, part);
        karst_net_edge edge = {
            .corner = {k ? c->centre : c->middle[begin], k + 1 < c->count[axis] ? c->centre : c->middle[end]},
            .tiles = (uint8_t)tiles};
        for (int i = 0; i < 2; ++i) memcpy(edge.handle[i], part[axis ? 4 * i + 7 : 13 + i], sizeof edge.handle[i]);
        edge.noise = calmest_beside(&c->old, axis, 1 << c->old.tiles_log2[across] >> 1, k * tiles, tiles);
        status = add_edge(w, &edge, &c->line[axis][k]);
    }
    return status;
}

// Maps begin anew in each part. When those of a patch repeat at its middle they go on as they were; else parts are
// turned so that each shows another quarter of a map.
static uint8_t turn_of(const cutting *c, int i, int j) {
    static const uint8_t turns[2][2] = {{0, 3}, {1, 2}};
    bool on = true;
    for (int axis = 0; axis < 2; ++axis) on &= !(c->axes >> axis & 1) || c->old.tiles_log2[axis] == 4;
    return on ? c->old.noise_turn : (c->old.noise_turn + turns[j][i]) & 3;
}

// Part (i, j): on its outer sides what the patch had, on the others the new edges.
static karst_net_patch part_of(const cutting *c, int i, int j) {
    const karst_net_patch *old = &c->old;
    karst_net_patch p = {.noise_set = old->noise_set, .noise_turn = turn_of(c, i, j)};
    int32_t points[16][3];
    part_points((const int32_t(*)[3])c->points, c->axes, i, j, points);
    for (int k = 0; k < 4; ++k) memcpy(p.inner[k], points[5 + (k & 1) + 4 * (k >> 1)], sizeof p.inner[k]);
    for (int axis = 0; axis < 2; ++axis) p.tiles_log2[axis] = (uint8_t)(old->tiles_log2[axis] - (c->axes >> axis & 1));
    for (int side = 0; side < 4; ++side) {
        int along = side & 1, across = !along, at = along ? i : j, k = along ? j : i;
        bool outer = at == (side == 1 || side == 2 ? c->count[across] - 1 : 0);
        if (!outer)
            p.side[side] = (karst_net_side){c->line[along][k], 0, 8};
        else
            p.side[side] = c->axes >> along & 1 ? half_of(&old->side[side], k) : old->side[side];
    }
    take_paint(old, i, j, &p);
    return p;
}

static karst_status cut(split *w, int32_t index, int axes) {
    cutting c = {.old = w->net->patches[index], .axes = axes, .count = {1 + (axes & 1), 1 + (axes >> 1)}};
    kst_net_patch_points(w->net, index, c.points);
    karst_status status = cut_corners(w, &c);
    if (!status && axes & 1) status = cut_lines(w, &c, 1);
    if (!status && axes & 2) status = cut_lines(w, &c, 0);
    for (int j = 0; j < c.count[1] && !status; ++j)
        for (int i = 0; i < c.count[0] && !status; ++i) {
            karst_net_patch part = part_of(&c, i, j);
            int32_t at = index;
            if (i || j)
                status = karst_net_add_patch(w->net, &part, &at);
            else
                w->net->patches[at] = part;
            w->next[w->next_count++] = at;
        }
    ++w->done.cut;
    return status;
}

// ---- turns -----------------------------------------------------------------------------------------------

static void free_list(split *w) {
    kst_free(w->net->allocator, w->list, (size_t)w->list_room * sizeof *w->list);
    kst_free(w->net->allocator, w->axes, (size_t)w->list_room);
    w->list = NULL, w->axes = NULL, w->list_room = w->list_count = 0;
}

// What the last turn made is the list of this one.
static karst_status take_next(split *w) {
    free_list(w);
    w->list = w->next, w->list_count = w->next_count, w->list_room = w->next_room;
    w->next = NULL, w->next_count = w->next_room = 0;
    w->axes = kst_alloc(w->net->allocator, (size_t)w->list_room);
    return w->axes ? KARST_OK : KARST_ERROR_MEMORY;
}

static karst_status make_next(split *w, int32_t room) {
    w->next_count = 0, w->next_room = room;
    w->next = kst_alloc_array(w->net->allocator, (size_t)room, sizeof *w->next);
    if (!w->next) w->next_room = 0;
    return w->next ? KARST_OK : KARST_ERROR_MEMORY;
}

// Each turn halves what is too long; a side of 16 tiles has three.
static karst_status turn(split *w, bool *more) {
    int32_t count = 0;
    karst_status status = take_next(w);
    if (!status) status = choose(w, &count);
    *more = count > 0;
    if (status || !count) return status;
    status = halve_edges(w);
    if (!status) status = make_next(w, 4 * count);
    for (int32_t k = 0; k < w->list_count && !status; ++k) {
        status = step(w, k, 1);
        if (!status && w->axes[k]) status = cut(w, w->list[k], w->axes[k]);
    }
    w->left /= 2;
    if (!status) (void)kst_net_place_inside(w->net);
    return status;
}

static karst_status begin(split *w, const karst_net *net) {
    const karst_allocator *a = net->allocator;
    karst_status status = karst_net_create(net->origin, net->step_log2, a, &w->net);
    if (status) return status;
    status = karst_net_append(w->net, net, NULL);
    if (!status) status = grow_notes(w);
    if (!status) status = make_next(w, net->patch_count + 1);
    if (!status && !(w->bank = kst_alloc(a, sizeof *w->bank))) status = KARST_ERROR_MEMORY;
    if (status) return status;
    karst_noise_bank_make(w->bank);
    for (int32_t k = 0; k < net->patch_count; ++k) w->next[w->next_count++] = k;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        const karst_net_corner *c = &net->corners[k];
        if (c->edge != KARST_NET_NONE) w->notes[c->edge].inside[c->eighth - 1] = k;
    }
    return KARST_OK;
}

static void end(split *w, const karst_allocator *a) {
    if (!w->net) return;
    free_list(w);
    kst_free(a, w->next, (size_t)w->next_room * sizeof *w->next);
    kst_free(a, w->notes, (size_t)w->note_room * sizeof *w->notes);
    kst_free(a, w->bank, sizeof *w->bank);
    karst_net_destroy(w->net);
}

karst_status karst_net_split(karst_net *net, const karst_net_split_def *def, karst_net_split_info *info) {
    KARST_ASSERT(net->finished && def->cookie == KST_COOKIE);
    for (int32_t k = 0; k < def->place_count; ++k)
        KARST_ASSERT(def->places[k].radius_m >= 0 && def->places[k].side_m > 0);
    split w = {.def = def, .left = 1};
    karst_status status = begin(&w, net);
    for (bool more = true; more && !status;) status = turn(&w, &more);
    if (!status) status = kst_progress_step(def->progress, "split", 1);
    if (!status) status = halve_edges(&w);
    if (status == KARST_ERROR_LIMIT)
        kst_fail(def->report, status, "a net has at most 2^24 corners, edges and patches each; ask for larger patches");
    if (!status && w.done.cut) status = karst_net_finish(w.net, def->report);
    if (!status && w.done.cut) {
        karst_net was = *net;
        *net = *w.net, *w.net = was;
    }
    if (!status && info) *info = w.done;
    end(&w, net->allocator);
    return status;
}
