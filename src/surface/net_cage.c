// SPDX-License-Identifier: MIT
// Smooth patches through a cage of quads. Handles lie a third along each edge of the cage, in the tangent planes of its
// ends; inner points complete the parallelogram of their corner. A quad that is split becomes 4 or 16 patches on the
// same surface, which bind to its neighbours' edges.
#include "surface/net_cage.h"

typedef struct link {  // an edge of the cage
    int32_t low, high, edge, inside[7];
    int32_t next;
} link;

// Corners of a quad at the ends of its sides, as sides of a patch run.
static const uint8_t side_end[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};

typedef struct cage {
    karst_net *net;
    const karst_net_cage *def;
    kst_cage_shape shape;
    link *links;
    int32_t *first;  // of a place: its links to higher places
    int32_t link_count;
    double steps_per_m;
    karst_report *report;
} cage;

static void to_steps(const cage *c, karst_pos p, int32_t out[3]) {
    const karst_pos o = c->net->origin;
    double v[3] = {p.x - o.x, p.y - o.y, p.z - o.z};
    for (int axis = 0; axis < 3; ++axis) out[axis] = (int32_t)floor(v[axis] * c->steps_per_m + 0.5);
}

static int set_of(const karst_net_cage *d, int32_t quad) {
    return d->noise_set ? d->noise_set[quad] : 0;
}

static karst_status check(const cage *c) {
    const karst_net_cage *d = c->def;
    if (!(d->crease_rad >= 0 && d->crease_rad <= 3.1415927))
        return kst_fail(c->report, KARST_ERROR_ARGUMENT, "creases at %g rad; angles are 0 to pi", d->crease_rad);
    for (int32_t k = 0; k < d->place_count; ++k) {
        double v[3] = {d->places[k].x - c->net->origin.x, d->places[k].y - c->net->origin.y,
                       d->places[k].z - c->net->origin.z};
        for (int axis = 0; axis < 3; ++axis)
            if (!(fabs(v[axis]) * c->steps_per_m <= 1 << 26))
                return kst_fail(c->report, KARST_ERROR_LIMIT,
                                "place %d lies more than 2^26 steps (%.0f km) from the net's "
                                "origin",
                                k, ldexp(1, 26) / c->steps_per_m / 1000);
    }
    for (int32_t k = 0; k < d->quad_count; ++k) {
        for (int i = 0; i < 4; ++i) {
            int32_t v = d->quads[k][i];
            if (v < 0 || v >= d->place_count)
                return kst_fail(c->report, KARST_ERROR_FORMAT, "quad %d names place %d; places are 0 to %d", k, v,
                                d->place_count - 1);
            if (v == d->quads[k][(i + 1) & 3])
                return kst_fail(c->report, KARST_ERROR_FORMAT,
                                "quad %d has place %d twice in a row; a patch has four corners", k, v);
        }
        int split = d->split_log2 ? d->split_log2[k] : 0;
        for (int axis = 0; axis < 2; ++axis) {
            int tiles = d->tiles_log2 ? d->tiles_log2[k][axis] : 3;
            if (tiles < 1 || tiles > 4 || split > 2 || tiles - split < 1)
                return kst_fail(c->report, KARST_ERROR_FORMAT,
                                "quad %d: %d tiles a side in %d parts; parts are 1, 2 or 4 and keep 2 to 16 tiles", k,
                                tiles < 16 ? 1 << tiles : 0, split < 16 ? 1 << split : 0);
        }
        if (d->slot && d->slot[k] >= KARST_NOISE_SLOTS)
            return kst_fail(c->report, KARST_ERROR_FORMAT, "quad %d has displacement map %d; slots are 0 to 15", k,
                            d->slot[k]);
        if (set_of(d, k) >= KARST_NOISE_SETS)
            return kst_fail(c->report, KARST_ERROR_FORMAT, "quad %d has noise set %d; sets are 0 to %d", k,
                            set_of(d, k), KARST_NOISE_SETS - 1);
    }
    return KARST_OK;
}

static karst_vec3 between(const cage *c, int32_t a, int32_t b) {
    const karst_pos *p = c->def->places;
    return (karst_vec3){(float)(p[b].x - p[a].x), (float)(p[b].y - p[a].y), (float)(p[b].z - p[a].z)};
}

// A third of the way from a to b, in the tangent plane n of a. A fold goes on straight through a, or leads straight to
// b where it does not go on.
static void handle(const cage *c, int32_t a, int32_t b, bool fold, karst_vec3 n, int32_t out[3]) {
    karst_vec3 way = kst_scale(between(c, a, b), 1 / 3.0f);
    const int32_t *along = c->shape.along[a];
    if (!fold) {
        way = kst_sub(way, kst_scale(n, kst_dot(way, n)));
    } else if (c->shape.fold_count[a] == 2) {
        karst_vec3 through = kst_unit(between(c, along[0] == b ? along[1] : along[0], b));
        way = kst_scale(through, kst_dot(way, through));
    }
    const karst_pos p = c->def->places[a];
    to_steps(c, (karst_pos){p.x + (double)way.x, p.y + (double)way.y, p.z + (double)way.z}, out);
}

// The link of a side of a quad, made when it is new. Its map is the calmer one of its quads'.
static karst_status link_of(cage *c, int32_t quad, int side, int noise, link **out) {
    int32_t a = c->def->quads[quad][side_end[side][0]], b = c->def->quads[quad][side_end[side][1]];
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    for (int32_t k = c->first[low]; k >= 0; k = c->links[k].next)
        if (c->links[k].high == high) {
            karst_net_edge *edge = &c->net->edges[c->links[k].edge];
            if ((noise & 15) < (edge->noise & 15)) edge->noise = (uint8_t)noise;
            *out = &c->links[k];
            return KARST_OK;
        }
    link *l = &c->links[c->link_count];
    *l = (link){.low = low, .high = high, .inside = {-1, -1, -1, -1, -1, -1, -1}, .next = c->first[low]};
    bool fold = c->shape.fold[4 * quad + side];
    karst_net_edge edge = {.corner = {low, high}, .noise = (uint8_t)noise, .crease = fold};
    for (int end = 0; end < 2; ++end) {
        int32_t from = end ? high : low, at = 4 * quad + side_end[side][from == b];
        handle(c, from, end ? low : high, fold, c->shape.normal[at], edge.handle[end]);
    }
    karst_status status = karst_net_add_edge(c->net, &edge, &l->edge);
    if (status) return status;
    c->first[low] = c->link_count++;
    *out = l;
    return KARST_OK;
}

static void inner_of(const int32_t p[16][3], int32_t out[4][3]) {
    static const uint8_t from[4][3] = {{1, 4, 0}, {2, 7, 3}, {8, 13, 12}, {11, 14, 15}};
    for (int k = 0; k < 4; ++k)
        for (int axis = 0; axis < 3; ++axis)
            out[k][axis] = p[from[k][0]][axis] + p[from[k][1]][axis] - p[from[k][2]][axis];
}

static void to_int(karst_vec3 local, const int32_t anchor[3], int32_t out[3]) {
    out[0] = anchor[0] + (int32_t)floorf(local.x + 0.5f);
    out[1] = anchor[1] + (int32_t)floorf(local.y + 0.5f);
    out[2] = anchor[2] + (int32_t)floorf(local.z + 0.5f);
}

// The small patches of a split quad: a grid of corners, edges between them, patches.
static karst_status split_quad(cage *c, int32_t quad, const karst_net_patch *whole, link *links[4]) {
    karst_net *net = c->net;
    int split = c->def->split_log2[quad], m = 1 << split;
    int32_t side[4][4][3], points[16][3], corner[5][5], across[5][5], down[5][5];
    karst_vec3 local[16];
    karst_status status = KARST_OK;
    for (int k = 0; k < 4; ++k) {
        int32_t edge[4][3];
        kst_net_edge_points(net, whole->side[k].edge, edge);
        kst_side_points((const int32_t(*)[3])edge, whole->side[k].from, whole->side[k].to, side[k]);
    }
    kst_patch_points((const int32_t(*)[4][3])side, whole->inner, points);
    kst_points_local((const int32_t(*)[3])points, local);
    for (int j = 0; j <= m; ++j)
        for (int i = 0; i <= m; ++i) {
            int on = j == 0 ? 0 : i == m ? 1 : j == m ? 2 : i == 0 ? 3 : -1;
            karst_net_corner new = {.edge = KARST_NET_NONE};
            if (on >= 0) {
                int along = on & 1 ? j : i, from = whole->side[on].from;
                int eighth = from + ((int)whole->side[on].to - from) * along / m;
                const karst_net_edge *e = &net->edges[whole->side[on].edge];
                int32_t *inside = eighth % 8 ? &links[on]->inside[eighth - 1] : NULL;
                if (!inside)
                    corner[j][i] = e->corner[eighth / 8];
                else if (*inside >= 0)
                    corner[j][i] = *inside;
                else {
                    new.edge = whole->side[on].edge, new.eighth = (uint8_t)eighth;
                    int32_t edge[4][3];
                    kst_net_edge_points(net, new.edge, edge);
                    kst_edge_eighth((const int32_t(*)[3])edge, eighth, new.at);
                    status = karst_net_add_corner(net, &new, inside);
                    corner[j][i] = *inside;
                }
            } else {
                to_int(kst_patch_point(local, (float)i / (float)m, (float)j / (float)m, NULL), points[0], new.at);
                status = karst_net_add_corner(net, &new, &corner[j][i]);
            }
            if (status) return status;
        }
    for (int way = 0; way < 2; ++way)
        for (int j = 0; j <= m; ++j)
            for (int i = 0; i <= m; ++i) {
                if (way == 0 ? i == m || j == 0 || j == m : j == m || i == 0 || i == m) continue;
                float s0 = (float)i / (float)m, t0 = (float)j / (float)m, per = 1 / (float)m;
                karst_vec3 part[16];
                kst_patch_part(local, s0, way == 0 ? s0 + per : 1, t0, way == 0 ? 1 : t0 + per, part);
                karst_net_edge edge = {.corner = {corner[j][i], way == 0 ? corner[j][i + 1] : corner[j + 1][i]},
                                       .noise = whole->slot[0] + 16 * whole->noise_set};
                for (int h = 0; h < 2; ++h) to_int(part[(way == 0 ? 1 : 4) * (h + 1)], points[0], edge.handle[h]);
                status = karst_net_add_edge(net, &edge, way == 0 ? &across[j][i] : &down[j][i]);
                if (status) return status;
            }
    for (int j = 0; j < m; ++j)
        for (int i = 0; i < m; ++i) {
            karst_net_patch patch = *whole;
            for (int axis = 0; axis < 2; ++axis) patch.tiles_log2[axis] -= (uint8_t)split;
            for (int k = 0; k < 4; ++k) {
                bool border = k == 0 ? j == 0 : k == 1 ? i == m - 1 : k == 2 ? j == m - 1 : i == 0;
                const karst_net_side *w = &whole->side[k];
                int along = k & 1 ? j : i, step = ((int)w->to - w->from) / m;
                if (border)
                    patch.side[k] = (karst_net_side){w->edge, (uint8_t)(w->from + along * step),
                                                     (uint8_t)(w->from + (along + 1) * step)};
                else
                    patch.side[k] = (karst_net_side){k == 0   ? across[j][i]
                                                     : k == 1 ? down[j][i + 1]
                                                     : k == 2 ? across[j + 1][i]
                                                              : down[j][i],
                                                     0, 8};
            }
            karst_vec3 part[16];
            kst_patch_part(local, (float)i / (float)m, (float)(i + 1) / (float)m, (float)j / (float)m,
                           (float)(j + 1) / (float)m, part);
            for (int k = 0; k < 4; ++k) to_int(part[4 * (1 + (k >> 1)) + 1 + (k & 1)], points[0], patch.inner[k]);
            int32_t index;
            status = karst_net_add_patch(net, &patch, &index);
            if (status) return status;
        }
    return KARST_OK;
}

static karst_status make_quad(cage *c, int32_t quad) {
    const karst_net_cage *d = c->def;
    const int32_t *v = d->quads[quad];
    int slot = d->slot ? d->slot[quad] : 0, set = set_of(d, quad), noise = slot + 16 * set;
    karst_net_patch patch = {.tiles_log2 = {3, 3}, .noise_set = (uint8_t)set};
    if (d->tiles_log2) memcpy(patch.tiles_log2, d->tiles_log2[quad], sizeof patch.tiles_log2);
    memset(patch.slot, slot, sizeof patch.slot);
    link *links[4];
    for (int k = 0; k < 4; ++k) {
        int32_t a = v[side_end[k][0]], b = v[side_end[k][1]];
        karst_status status = link_of(c, quad, k, noise, &links[k]);
        if (status) return status;
        patch.side[k] = (karst_net_side){links[k]->edge, a < b ? 0 : 8, a < b ? 8 : 0};
    }
    int32_t side[4][4][3], points[16][3];
    for (int k = 0; k < 4; ++k) {
        int32_t edge[4][3];
        kst_net_edge_points(c->net, patch.side[k].edge, edge);
        kst_side_points((const int32_t(*)[3])edge, patch.side[k].from, patch.side[k].to, side[k]);
    }
    kst_patch_points((const int32_t(*)[4][3])side, (const int32_t(*)[3])patch.inner, points);
    inner_of((const int32_t(*)[3])points, patch.inner);
    if (d->split_log2 && d->split_log2[quad]) return split_quad(c, quad, &patch, links);
    int32_t index;
    return karst_net_add_patch(c->net, &patch, &index);
}

static karst_status fill(cage *c) {
    const karst_net_cage *d = c->def;
    karst_noise_bank *bank = kst_alloc(c->net->allocator, sizeof *bank);
    int16_t *calm = kst_alloc_array(c->net->allocator, (size_t)d->place_count + 1, sizeof *calm);
    karst_status status = bank && calm ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        karst_noise_bank_make(bank);
        for (int32_t k = 0; k < d->place_count; ++k) calm[k] = -1;
        for (int32_t k = 0; k < d->quad_count && d->slot; ++k)  // the calmest map round a corner
            for (int i = 0; i < 4; ++i) {
                int32_t v = d->quads[k][i];
                if (calm[v] < 0 || d->slot[k] < (calm[v] & 15)) calm[v] = (int16_t)(d->slot[k] + 16 * set_of(d, k));
            }
    }
    for (int32_t k = 0; k < d->place_count && !status; ++k) {
        int noise = calm[k] < 0 ? 0 : calm[k];
        karst_net_corner corner = {.edge = KARST_NET_NONE, .noise = kst_corner_noise(bank, noise, k)};
        to_steps(c, d->places[k], corner.at);
        int32_t index;
        status = karst_net_add_corner(c->net, &corner, &index);
    }
    for (int32_t k = 0; k < d->quad_count && !status; ++k) status = make_quad(c, k);
    kst_free(c->net->allocator, bank, sizeof *bank);
    kst_free(c->net->allocator, calm, ((size_t)d->place_count + 1) * sizeof *calm);
    return status;
}

karst_status karst_net_from_cage(karst_net *net, const karst_net_cage *def, karst_report *report) {
    KARST_ASSERT(!net->corner_count && !net->edge_count && !net->patch_count);
    const karst_allocator *a = net->allocator;
    cage c = {.net = net, .def = def, .report = report, .steps_per_m = ldexp(1, -net->step_log2)};
    karst_status status = check(&c);
    if (status) return status;
    size_t places = (size_t)def->place_count + 1, links = 4 * (size_t)def->quad_count + 1;
    c.first = kst_alloc_array(a, places, sizeof *c.first);
    c.links = kst_alloc_array(a, links, sizeof *c.links);
    status = c.first && c.links ? kst_cage_shape_make(&c.shape, def, a) : KARST_ERROR_MEMORY;
    if (!status) {
        memset(c.first, 0xFF, places * sizeof *c.first);
        status = fill(&c);
    }
    kst_cage_shape_free(&c.shape);
    kst_free(a, c.first, places * sizeof *c.first);
    kst_free(a, c.links, links * sizeof *c.links);
    if (!status) status = karst_net_finish(net, report);
    return status ? status : kst_net_share_sets(net);
}
