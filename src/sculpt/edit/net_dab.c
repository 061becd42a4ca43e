// SPDX-License-Identifier: MIT
// One dab on a net: the stars near it, what the brush would do to each of their points, and the net made whole again.
#include "edit/net_sculpt.h"

static void forget(karst_net_sculptor *s) {
    for (size_t k = 0; k < s->star_count; ++k) s->star_of[s->star[k].corner] = -1;
    for (size_t k = 0; k < s->old_patch_count; ++k) s->patch_of[s->old_patch[k].patch] = -1;
    for (size_t k = 0; k < s->old_edge_count; ++k) s->edge_of[s->old_edge[k].edge] = -1;
    s->star_count = s->point_count = s->was_count = s->old_patch_count = s->old_edge_count = 0;
}

// ---- the points near it -----------------------------------------------------------------------------------

static kst_box box_of(const karst_net_sculptor *s, const kst_image *image, double reach) {
    const karst_pos o = s->net->origin;
    double c[3] = {image->centre.x - o.x, image->centre.y - o.y, image->centre.z - o.z};
    kst_box box;
    for (int axis = 0; axis < 3; ++axis) {
        double low = floor((c[axis] - reach) / s->step_m), high = ceil((c[axis] + reach) / s->step_m);
        box.low[axis] = (int32_t)fmin(fmax(low, -0x1p30), 0x1p30);
        box.high[axis] = (int32_t)fmin(fmax(high, -0x1p30), 0x1p30);
    }
    return box;
}

static bool apart(const kst_box *a, const kst_box *b) {
    for (int axis = 0; axis < 3; ++axis)
        if (a->high[axis] < b->low[axis] || a->low[axis] > b->high[axis]) return true;
    return false;
}

static karst_status add_star(karst_net_sculptor *s, int32_t corner) {
    karst_status status = kst_net_room((void **)&s->star, &s->star_room, s->star_count + 1, sizeof *s->star);
    if (status) return status;
    int count = kst_star_size(s, corner);
    s->star_of[corner] = (int32_t)s->star_count;
    s->star[s->star_count++] = (kst_star){.corner = corner, .first = (int32_t)s->point_count, .count = count};
    s->point_count += (size_t)count;
    return KARST_OK;
}

static karst_status find_stars(karst_net_sculptor *s, const karst_brush_def *def, const kst_image *image, int count) {
    for (int i = 0; i < count; ++i) {
        kst_box box = box_of(s, &image[i], image[i].radius_m * kst_image_reach(def));
        for (int32_t k = 0; k < s->net->corner_count; ++k) {
            if (apart(&box, &s->stars[k]) || s->star_of[k] >= 0) continue;
            karst_status status = add_star(s, k);
            if (status) return status;
        }
    }
    return KARST_OK;
}

static karst_status lay_points(karst_net_sculptor *s) {
    karst_status status = kst_net_room((void **)&s->point, &s->point_room, s->point_count, sizeof *s->point);
    if (!status && s->point_count > s->row_room)
        status = kst_net_room((void **)&s->rows, &s->row_room, s->point_count, KST_POINT_ROWS * sizeof *s->rows);
    for (size_t k = 0; k < s->star_count && !status; ++k)
        for (int i = 0; i < s->star[k].count; ++i) {
            kst_point p = kst_star_point(s, s->star[k].corner, i);
            s->point[s->star[k].first + i] = p;
            for (int axis = 0; axis < 3; ++axis)
                kst_row(s, KST_PX + axis)[s->star[k].first + i] = p.at[axis] + (double)p.rest[axis];
        }
    return status;
}

// ---- where smooth and restore lead ----------------------------------------------------------------------------

static void put(karst_net_sculptor *s, int32_t at, const double way[3]) {
    for (int axis = 0; axis < 3; ++axis) kst_row(s, KST_TX + axis)[at] = way[axis];
}

// The corner to the mean of those that its edges lead to, those along a border where it is on one; a handle to a third
// of its edge, an inner point to a third along both its sides; all along the corner's normal.
static void smooth_star(karst_net_sculptor *s, const kst_star *star) {
    const karst_net *net = s->net;
    const karst_net_list *edges = &s->links.edges_of_corner, *patches = &s->links.patches_of_corner;
    karst_vec3 n = karst_facing_vector(net->corners[star->corner].facing);
    double normal[3] = {(double)n.x, (double)n.y, (double)n.z}, sum[3] = {0, 0, 0}, number = 0;
    const int32_t *own = net->corners[star->corner].at;
    bool border = false;
    for (int32_t i = edges->first[star->corner]; i < edges->first[star->corner + 1]; ++i)
        border |= net->edges[edges->of[i] / 2].open != 0;
    for (int k = 0; k < star->count; ++k) {
        double to[3] = {own[0], own[1], own[2]}, off = 0;
        int handles = edges->first[star->corner + 1] - edges->first[star->corner];
        int32_t next[2] = {-1, -1};
        if (k > 0 && k <= handles) {
            int32_t e = edges->of[edges->first[star->corner] + k - 1];
            next[0] = net->edges[e / 2].corner[!(e & 1)];
            if (!border || net->edges[e / 2].open)
                for (int axis = 0; axis < 3; ++axis) sum[axis] += net->corners[next[0]].at[axis] - own[axis];
            if (!border || net->edges[e / 2].open) ++number;
        } else if (k > handles) {
            int32_t p = patches->of[patches->first[star->corner] + k - 1 - handles];
            next[0] = kst_patch_corner(net, p / 4, (p + 1) & 3), next[1] = kst_patch_corner(net, p / 4, (p + 3) & 3);
        }
        for (int i = 0; i < 2; ++i)
            for (int axis = 0; axis < 3 && next[i] >= 0; ++axis)
                to[axis] += (double)(net->corners[next[i]].at[axis] - own[axis]) / 3;
        for (int axis = 0; axis < 3; ++axis)
            off += (to[axis] - kst_row(s, KST_PX + axis)[star->first + k]) * normal[axis];
        put(s, star->first + k, (double[3]){normal[0] * off, normal[1] * off, normal[2] * off});
    }
    // All go with the corner.
    double rise = number > 0 ? (sum[0] * normal[0] + sum[1] * normal[1] + sum[2] * normal[2]) / number : 0;
    for (int k = 0; k < star->count; ++k)
        for (int axis = 0; axis < 3; ++axis) kst_row(s, KST_TX + axis)[star->first + k] += normal[axis] * rise;
}

static void restore_star(karst_net_sculptor *s, const kst_star *star) {
    karst_net_sculptor then = *s;  // the same links, the points of before
    then.net = (karst_net *)s->begin;
    for (int k = 0; k < star->count; ++k) {
        const int32_t *to = kst_star_point(&then, star->corner, k).at;
        double way[3];
        for (int axis = 0; axis < 3; ++axis) way[axis] = to[axis] - kst_row(s, KST_PX + axis)[star->first + k];
        put(s, star->first + k, way);
    }
}

// ---- the brush --------------------------------------------------------------------------------------------------

static void place(karst_net_sculptor *s, const kst_image *image) {
    const karst_pos o = s->net->origin;
    double from[3] = {o.x - image->centre.x, o.y - image->centre.y, o.z - image->centre.z};
    for (int axis = 0; axis < 3; ++axis) {
        const double *p = kst_row(s, KST_PX + axis);
        double *r = kst_row(s, KST_RX + axis);
        for (size_t k = 0; k < s->point_count; ++k) r[k] = p[k] * s->step_m + from[axis];
    }
}

static void put_normals(karst_net_sculptor *s) {
    for (size_t k = 0; k < s->star_count; ++k) {
        karst_vec3 n = karst_facing_vector(s->net->corners[s->star[k].corner].facing);
        for (int i = 0; i < s->star[k].count; ++i) {
            size_t at = (size_t)(s->star[k].first + i);
            kst_row(s, KST_DX)[at] = (double)n.x, kst_row(s, KST_DY)[at] = (double)n.y;
            kst_row(s, KST_DZ)[at] = (double)n.z;
        }
    }
}

// Sums over the footprint, as kst_brush_look()'s, of whole numbers: they do not depend on the order of points.
static void look(karst_net_sculptor *s, const karst_brush_def *def, const kst_image *image,
                 double sums[KST_STRIP_SUMS]) {
    karst_brush_def round = *def;  // a stamp's cube has no way out yet: look at the sphere
    if (round.kind == KARST_BRUSH_STAMP) round.kind = KARST_BRUSH_RAISE;
    double *w = kst_row(s, KST_WEIGHT);
    place(s, image);
    kst_weigh_places(&round, image, (int)s->point_count, kst_row(s, KST_RX), kst_row(s, KST_RY), kst_row(s, KST_RZ), w);
    put_normals(s);
    for (size_t k = 0; k < s->point_count; ++k) {
        double weight = floor(w[k] * 0x1p16 + 0.5);
        sums[0] += weight;
        for (int axis = 0; axis < 3; ++axis) {
            sums[1 + axis] += weight * floor(kst_row(s, KST_RX + axis)[k] / s->step_m + 0.5);
            sums[4 + axis] += weight * floor(kst_row(s, KST_DX + axis)[k] * 0x1p20 + 0.5);
        }
    }
    for (int k = 1; k < 4; ++k) sums[k] *= s->step_m;
}

static void push(karst_net_sculptor *s, const karst_brush_def *def, const kst_image *image) {
    kst_brush_run run = {.def = def, .image = image, .image_count = 1, .origin = s->net->origin};
    kst_span span = {0,
                     0,
                     (int32_t)s->point_count,
                     kst_row(s, KST_RX),
                     kst_row(s, KST_RY),
                     kst_row(s, KST_RZ),
                     kst_row(s, KST_WEIGHT)};
    bool restores = def->kind == KARST_BRUSH_RESTORE;
    if (!restores && def->kind != KARST_BRUSH_SMOOTH && def->kind != KARST_BRUSH_SHARPEN) {
        if (def->along == KARST_ALONG_VERTEX) put_normals(s);
        kst_brush_push(&run, image, &span, kst_row(s, KST_DX), kst_row(s, KST_DY), kst_row(s, KST_DZ));
        return;
    }
    double amount = image->amount * s->step_m * (def->kind == KARST_BRUSH_SHARPEN ? -1 : 1);
    for (int axis = 0; axis < 3; ++axis)
        for (size_t k = 0; k < s->point_count; ++k)
            kst_row(s, KST_DX + axis)[k] = kst_row(s, KST_TX + axis)[k] * amount;
    for (size_t k = 0; k < s->star_count && restores; ++k)  // a star goes back as one
        for (int i = 1; i < s->star[k].count; ++i) span.weight[s->star[k].first + i] = span.weight[s->star[k].first];
}

// The ways of all points [steps], into the rows of DX.
static void mix(karst_net_sculptor *s, const karst_brush_def *def, const kst_image *image, int count) {
    kst_mix mix = {kst_row(s, KST_SUM), kst_row(s, KST_MOST), kst_row(s, KST_SX), kst_row(s, KST_SY),
                   kst_row(s, KST_SZ)};
    int points = (int)s->point_count;
    for (int row = KST_SUM; row <= KST_SZ; ++row) memset(kst_row(s, row), 0, s->point_count * sizeof(double));
    for (int i = 0; i < count; ++i) {
        place(s, &image[i]);
        kst_weigh_places(def, &image[i], points, kst_row(s, KST_RX), kst_row(s, KST_RY), kst_row(s, KST_RZ),
                         kst_row(s, KST_WEIGHT));
        push(s, def, &image[i]);
        kst_mix_add(&mix, points, kst_row(s, KST_WEIGHT), kst_row(s, KST_DX), kst_row(s, KST_DY), kst_row(s, KST_DZ));
    }
    kst_mix_shares(&mix, points);
    for (int axis = 0; axis < 3; ++axis)
        for (size_t k = 0; k < s->point_count; ++k)
            kst_row(s, KST_DX + axis)[k] = mix.sum[k] != 0 ? kst_row(s, KST_SX + axis)[k] * mix.sum[k] / s->step_m : 0;
}

// ---- the dab ------------------------------------------------------------------------------------------------------

karst_status kst_net_undo(karst_net_sculptor *s) {
    if (!s->was_count) return KARST_OK;
    for (size_t k = s->was_count; k-- > 0;) {
        memcpy(s->was[k].point.at, s->was[k].at, sizeof s->was[k].at);
        memcpy(s->was[k].point.rest, s->was[k].rest, sizeof s->was[k].rest);
    }
    s->was_count = 0;
    karst_status status = karst_net_moved(s->net, &s->links, s->moved, (int32_t)s->old_patch_count, NULL);
    kst_net_boxes(s);
    return status;
}

static uint64_t count_moved(const karst_net_sculptor *s) {
    uint64_t count = 0;
    for (size_t k = 0; k < s->was_count; ++k)
        count += memcmp(s->was[k].at, s->was[k].point.at, sizeof s->was[k].at) != 0;
    return count;
}

karst_status kst_net_dab(karst_net_sculptor *s, const karst_brush_def *def, const karst_dab *dab, karst_report *report,
                         karst_touched *out) {
    KARST_ASSERT(def->kind != KARST_BRUSH_STAMP || def->stamp);
    kst_image image[KST_IMAGES_MAX];
    int count = kst_images_make(def, dab, image), kept = 0;
    forget(s);
    karst_status status = find_stars(s, def, image, count);
    if (!status) status = lay_points(s);
    if (status) return status;
    for (int i = 0; i < count; ++i) {
        double sums[KST_STRIP_SUMS] = {0};
        if (kst_image_looks(def)) look(s, def, &image[i], sums);
        if (kst_image_orient(def, &image[i], sums)) image[kept++] = image[i];
    }
    for (size_t k = 0; k < s->star_count; ++k) {
        if (def->kind == KARST_BRUSH_SMOOTH || def->kind == KARST_BRUSH_SHARPEN) smooth_star(s, &s->star[k]);
        if (def->kind == KARST_BRUSH_RESTORE) restore_star(s, &s->star[k]);
    }
    if (kept && s->point_count) {
        mix(s, def, image, kept);
        status = kst_stars_move(s, def->kind == KARST_BRUSH_RESTORE);
    }
    if (!status && s->old_patch_count)
        status = karst_net_moved(s->net, &s->links, s->moved, (int32_t)s->old_patch_count, report);
    if (status) {
        karst_status back = kst_net_undo(s);
        return back ? back : status;
    }
    kst_net_boxes(s);
    out->samples += count_moved(s);
    ++out->dabs;
    return KARST_OK;
}
