// SPDX-License-Identifier: MIT
// A zone in memory from its data: curves with the normals and heights of their ends, pieces, spans, tile corners.
#include "surface/zone_record.h"

enum { PASSES_MAX = 64 };  // how deep edges may end inside others

void kst_side_points(const int32_t edge[4][3], int from, int to, int32_t out[4][3]) {
    if (from > to) {
        int32_t forth[4][3];
        kst_side_points(edge, to, from, forth);
        for (int k = 0; k < 4; ++k) memcpy(out[k], forth[3 - k], sizeof out[k]);
        return;
    }
    if (from == 0 && to == 8) {
        memcpy(out, edge, 4 * sizeof *out);
        return;
    }
    for (int i = 0; i < 4; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            double w[4] = {edge[0][axis], edge[1][axis], edge[2][axis], edge[3][axis]};
            for (int l = 0; l < 3; ++l) {
                double t = (l < 3 - i ? from : to) / 8.0;
                for (int k = 0; k < 3 - l; ++k) w[k] = w[k] * (1 - t) + w[k + 1] * t;
            }
            out[i][axis] = (int32_t)floor(w[0] + 0.5);
        }
}

void kst_edge_eighth(const int32_t edge[4][3], int eighth, int32_t out[3]) {
    int32_t part[4][3];
    kst_side_points(edge, eighth - (eighth & -eighth), eighth, part);
    memcpy(out, part[3], sizeof part[3]);
}

void kst_edge_points(const kst_zone_data *data, const kst_edge_data *edge, int32_t out[4][3]) {
    for (int axis = 0; axis < 3; ++axis) {
        out[0][axis] = data->corners[edge->corner[0]].at[axis];
        out[1][axis] = edge->handle[0][axis];
        out[2][axis] = edge->handle[1][axis];
        out[3][axis] = data->corners[edge->corner[1]].at[axis];
    }
}

void kst_patch_points(const int32_t side[4][4][3], const int32_t inner[4][3], int32_t out[16][3]) {
    for (int k = 0; k < 4; ++k) {
        memcpy(out[k], side[0][k], sizeof *out);
        memcpy(out[12 + k], side[2][k], sizeof *out);
    }
    for (int k = 1; k < 3; ++k) {
        memcpy(out[4 * k], side[3][k], sizeof *out);
        memcpy(out[4 * k + 3], side[1][k], sizeof *out);
        memcpy(out[4 * k + 1], inner[2 * k - 2], sizeof *out);
        memcpy(out[4 * k + 2], inner[2 * k - 1], sizeof *out);
    }
}

typedef struct joint {
    karst_vec3 normal, off;  // off: to its pin [steps]
    float height;            // [m]
    bool ready;
} joint;

typedef struct build {
    karst_zone *zone;
    kst_zone_record *record;
    karst_zone_corner *corners;
    karst_zone_span *spans;
    karst_piece *pieces;
    karst_fine *places;
    joint *joints;
    size_t piece_room, span_room, place_room, line_room;
} build;

static karst_fine fine_at(const int32_t at[3]) {
    return (karst_fine){at[0] * KARST_NET_FINE, at[1] * KARST_NET_FINE, at[2] * KARST_NET_FINE};
}
static karst_vec3 steps_from(const int32_t at[3], const int32_t anchor[3]) {
    return (karst_vec3){(float)(at[0] - anchor[0]), (float)(at[1] - anchor[1]), (float)(at[2] - anchor[2])};
}

// From where a corner lies before displacement to its pin [steps].
static karst_vec3 off_of(const kst_corner_data *corner, karst_fine pin) {
    const float k = 1.0f / KARST_NET_FINE;
    karst_fine at = fine_at((const int32_t[3]){corner->at[0], corner->at[1], corner->at[2]});
    return (karst_vec3){(float)(pin.x - at.x) * k, (float)(pin.y - at.y) * k, (float)(pin.z - at.z) * k};
}

static void take_joints(const build *b, uint32_t first, uint32_t last, kst_curve_at *curve) {
    for (int k = 0; k < 2; ++k) {
        const joint *j = &b->joints[k ? last : first];
        curve->normal[k] = j->normal, curve->height[k] = j->height, curve->off[k] = j->off;
    }
}

static void make_curve(build *b, uint32_t index) {
    const kst_zone_data *data = &b->record->data;
    const kst_edge_data *edge = &data->edges[index];
    kst_curve_at *curve = &b->record->curves[index];
    int32_t points[4][3];
    kst_edge_points(data, edge, points);
    *curve = (kst_curve_at){
        .anchor = fine_at(points[0]), .noise = edge->noise, .tiles = edge->tiles, .crease = edge->crease};
    for (int k = 0; k < 4; ++k) curve->c[k] = steps_from(points[k], points[0]);
    if (edge->seam) curve->pins = (const int32_t(*)[3])(data->pins + edge->pin);
    take_joints(b, edge->corner[0], edge->corner[1], curve);
    int spans = 1 << edge->spans_log2;
    for (int k = 1; k < spans; ++k) {
        uint16_t corner = data->inside[edge->inside + (uint32_t)k - 1];
        float t = (float)k / (float)spans;
        b->corners[corner].at = kst_curve_place(b->record, curve, t);
        b->joints[corner] = (joint){
            .normal = kst_curve_normal(curve, t), .height = kst_curve_height(b->record, curve, t), .ready = true};
        if (edge->seam) b->joints[corner].off = off_of(&data->corners[corner], b->corners[corner].at);
    }
}

// Corners that stand alone, then edges as their ends are there.
static karst_status make_curves(build *b, karst_report *report) {
    const kst_zone_data *data = &b->record->data;
    const karst_allocator *allocator = b->record->allocator;
    for (uint32_t k = 0; k < data->corner_count; ++k) b->joints[k].ready = true;
    for (uint32_t k = 0; k < data->inside_count; ++k) b->joints[data->inside[k]].ready = false;
    for (uint32_t k = 0; k < data->corner_count; ++k) {
        const kst_corner_data *corner = &data->corners[k];
        b->corners[k].radius_m = 0.25f * corner->radius;
        if (!b->joints[k].ready) continue;
        joint *j = &b->joints[k];
        j->normal = kst_facing_unpack(corner->facing);
        j->height = (float)corner->noise * (1 / 127.0f);
        karst_vec3 lift = kst_scale(j->normal, j->height * b->record->steps_per_m * KARST_NET_FINE);
        b->corners[k].at = (karst_fine){corner->at[0] * KARST_NET_FINE + (int32_t)floorf(lift.x + 0.5f),
                                        corner->at[1] * KARST_NET_FINE + (int32_t)floorf(lift.y + 0.5f),
                                        corner->at[2] * KARST_NET_FINE + (int32_t)floorf(lift.z + 0.5f)};
        if (!corner->pinned) continue;
        b->corners[k].at = (karst_fine){corner->pin[0], corner->pin[1], corner->pin[2]};
        j->off = off_of(corner, b->corners[k].at);
    }
    uint8_t *done = kst_alloc_zero(allocator, data->edge_count + 1);
    if (!done) return KARST_ERROR_MEMORY;
    uint32_t left = data->edge_count;
    for (int pass = 0; left && pass < PASSES_MAX; ++pass)
        for (uint32_t k = 0; k < data->edge_count; ++k) {
            const kst_edge_data *edge = &data->edges[k];
            if (done[k] || !b->joints[edge->corner[0]].ready || !b->joints[edge->corner[1]].ready) continue;
            make_curve(b, k);
            done[k] = 1, --left;
        }
    karst_status status = KARST_OK;
    for (uint32_t k = 0; left && !status && k < data->edge_count; ++k)
        if (!done[k])
            status = kst_fail(report, KARST_ERROR_FORMAT,
                              "zone %d, %d: edge %u ends inside edges that end inside it; give it corners of its own",
                              data->zone_x, data->zone_z, k);
    kst_free(allocator, done, data->edge_count + 1);
    return status;
}

static void make_patch(build *b, uint32_t index) {
    const kst_zone_data *data = &b->record->data;
    const kst_patch_data *patch = &data->patches[index];
    int32_t side[4][4][3], inner[4][3], points[16][3];
    for (int k = 0; k < 4; ++k) {
        int32_t edge[4][3];
        kst_edge_points(data, &data->edges[patch->side[k].edge], edge);
        kst_side_points((const int32_t(*)[3])edge, patch->side[k].from, patch->side[k].to, side[k]);
        for (int axis = 0; axis < 3; ++axis) inner[k][axis] = patch->inner[k][axis];
    }
    kst_patch_points((const int32_t(*)[4][3])side, (const int32_t(*)[3])inner, points);
    kst_patch_at *at = &b->record->patches[index];
    at->anchor = fine_at(points[0]);
    for (int k = 0; k < 16; ++k) at->c[k] = steps_from(points[k], points[0]);
}

// The field's patch border under eighths [low, high] of a seam.
static void lay_on_field(const kst_edge_data *edge, int low, int high, karst_zone_span *span) {
    int32_t a[2], b[2];
    kst_seam_vertex(edge->seam, edge->column, edge->row, low * edge->tiles / 8, a);
    kst_seam_vertex(edge->seam, edge->column, edge->row, high * edge->tiles / 8, b);
    span->seam = edge->seam & 1 ? 1 : 2;
    span->column = (a[0] < b[0] ? a[0] : b[0]) & -KST_SEAM_CELLS,
    span->row = (a[1] < b[1] ? a[1] : b[1]) & -KST_SEAM_CELLS;
}

// Spans of the part [lo, hi] (tiles of `tiles` along the side) of a side.
static void side_spans(build *b, const kst_patch_data *patch, int side, int lo, int hi, int tiles, karst_piece *piece) {
    const kst_zone_data *data = &b->record->data;
    const kst_edge_data *edge = &data->edges[patch->side[side].edge];
    int from = patch->side[side].from, way = (int)patch->side[side].to - from;
    int begin = from + way * lo / tiles, end = from + way * hi / tiles, per = 8 >> edge->spans_log2;
    int count = (end > begin ? end - begin : begin - end) / per, step = end > begin ? per : -per;
    piece->first_span[side] = b->zone->span_count;
    piece->spans_log2[side] = (uint8_t)__builtin_ctz((unsigned)count);
    for (int k = 0; k < count; ++k) {
        int e0 = begin + k * step, e1 = e0 + step, low = e0 < e1 ? e0 : e1;
        karst_zone_span *span = &b->spans[b->zone->span_count++];
        *span = (karst_zone_span){
            .edge = patch->side[side].edge,
            .corner = {kst_edge_corner(data, edge, e0), kst_edge_corner(data, edge, e1)},
            .from = (uint8_t)e0,
            .to = (uint8_t)e1,
            .size = {edge->size[0], edge->size[1]},
            .open = (edge->open >> low & ((1 << per) - 1)) != 0,
        };
        if (edge->seam) lay_on_field(edge, low, low + per, span);
    }
}

// The line between two pieces of a patch, at tile k of its long axis.
static uint32_t make_line(build *b, uint32_t index, int axis, int k, const uint32_t corner[2]) {
    const kst_patch_data *patch = &b->record->data.patches[index];
    const kst_patch_at *at = &b->record->patches[index];
    float where = (float)k / (float)(1 << patch->tiles_log2[axis]);
    kst_curve_at *line = &b->record->curves[b->record->curve_count];
    int n = 1 << patch->tiles_log2[!axis];
    *line = (kst_curve_at){.anchor = at->anchor, .tiles = (uint8_t)n};
    for (int i = 0; i < 4; ++i) {
        const karst_vec3 *c = axis == 0 ? at->c + 4 * i : at->c + i;
        int stride = axis == 0 ? 1 : 4;
        karst_vec3 across[4] = {c[0], c[stride], c[2 * stride], c[3 * stride]};
        line->c[i] = kst_curve(across, where);
    }
    take_joints(b, corner[0], corner[1], line);
    int i = axis == 0 ? k : n / 2, j = axis == 0 ? n / 2 : k;
    line->noise = (uint8_t)(patch->slot[KARST_NET_TILES_MAX * j + i] + 16 * patch->noise_set);
    return b->record->curve_count++;
}

static void make_pieces(build *b, uint32_t index) {
    const kst_zone_data *data = &b->record->data;
    const kst_patch_data *patch = &data->patches[index];
    int tiles[2] = {1 << patch->tiles_log2[0], 1 << patch->tiles_log2[1]}, axis = tiles[0] >= tiles[1] ? 0 : 1;
    int n = tiles[!axis], count = tiles[axis] / n;
    for (int k = 0; k < count; ++k) {
        karst_piece *piece = &b->pieces[b->zone->piece_count++];
        *piece = (karst_piece){.patch = index, .tiles_log2 = patch->tiles_log2[!axis], .size = patch->size};
        *(axis == 0 ? &piece->tile_s : &piece->tile_t) = (uint8_t)(k * n);
        for (int side = 0; side < 4; ++side) {
            bool across = (side & 1) == (axis == 0);  // sides that cut the long axis
            bool first = side == 0 || side == 3;
            int at = (first ? k : k + 1) * n;
            if (across && at > 0 && at < tiles[axis]) {
                // Later: a line needs the corners of the long sides.
                piece->first_span[side] = b->zone->span_count++;
                continue;
            }
            if (across)
                side_spans(b, patch, side, 0, n, n, piece);
            else
                side_spans(b, patch, side, k * n, (k + 1) * n, tiles[axis], piece);
        }
        for (int side = 0; side < 4; side += 2) {  // corners from the two sides that are whole: the long ones
            int s = side + (axis == 1);
            uint32_t from = piece->first_span[s], to = from + (1u << piece->spans_log2[s]) - 1;
            uint32_t a = b->spans[from].corner[0], c = b->spans[to].corner[1];
            if (s == 0) piece->corner[0] = a, piece->corner[1] = c;
            if (s == 2) piece->corner[3] = a, piece->corner[2] = c;
            if (s == 1) piece->corner[1] = a, piece->corner[2] = c;
            if (s == 3) piece->corner[0] = a, piece->corner[3] = c;
        }
    }
    for (int k = 0; k < count; ++k) {  // lines: the far side of one piece, the near side of the next
        karst_piece *piece = &b->pieces[b->zone->piece_count - (uint32_t)(count - k)];
        int far = axis == 0 ? 1 : 2, near = axis == 0 ? 3 : 0;
        if (k + 1 == count) continue;
        uint32_t corner[2] = {piece->corner[axis == 0 ? 1 : 3], piece->corner[2]};
        karst_zone_span line = {.edge = make_line(b, index, axis, (k + 1) * n, corner),
                                .corner = {corner[0], corner[1]},
                                .from = 0,
                                .to = 8,
                                .size = {patch->size, patch->size}};
        b->spans[piece->first_span[far]] = b->spans[piece[1].first_span[near]] = line;
    }
}

static void make_places(build *b) {
    for (uint32_t k = 0; k < b->zone->piece_count; ++k) {
        karst_piece *piece = &b->pieces[k];
        int n = 1 << piece->tiles_log2;
        piece->first_place = b->zone->place_count;
        kst_piece_places(b->zone, piece, n, 0, 0, n, n, b->places + b->zone->place_count);
        b->zone->place_count += (uint32_t)((n + 1) * (n + 1));
    }
}

// A curve lies in the hull of its points; a vertex at most a metre (and a rounding) beside it.
static void grow(karst_zone *zone, karst_fine anchor, const karst_vec3 *points, int count, int32_t margin) {
    for (int k = 0; k < count; ++k) {
        int32_t x = anchor.x + (int32_t)(points[k].x * KARST_NET_FINE);
        int32_t y = anchor.y + (int32_t)(points[k].y * KARST_NET_FINE);
        int32_t z = anchor.z + (int32_t)(points[k].z * KARST_NET_FINE);
        if (x - margin < zone->low.x) zone->low.x = x - margin;
        if (y - margin < zone->low.y) zone->low.y = y - margin;
        if (z - margin < zone->low.z) zone->low.z = z - margin;
        if (x + margin > zone->high.x) zone->high.x = x + margin;
        if (y + margin > zone->high.y) zone->high.y = y + margin;
        if (z + margin > zone->high.z) zone->high.z = z + margin;
    }
}

static void count_rooms(build *b) {
    const kst_zone_data *data = &b->record->data;
    for (uint32_t k = 0; k < data->patch_count; ++k) {
        const kst_patch_data *patch = &data->patches[k];
        int s = patch->tiles_log2[0], t = patch->tiles_log2[1], low = s < t ? s : t, high = s < t ? t : s;
        size_t pieces = (size_t)1 << (high - low), n = (size_t)1 << low;
        b->piece_room += pieces;
        b->line_room += pieces - 1;
        b->span_room += 2 * pieces;  // lines and ends of one span; sides of several are counted below
        for (int side = 0; side < 4; ++side) {
            int way = (int)patch->side[side].to - patch->side[side].from;
            b->span_room += (size_t)(way < 0 ? -way : way);
        }
        b->place_room += pieces * (n + 1) * (n + 1);
    }
}

karst_status kst_zone_build(kst_zone_data *data, const karst_noise_bank *bank, const karst_allocator *allocator,
                            karst_report *report, karst_zone **out) {
    build b = {0};
    karst_zone *zone = kst_alloc_zero(allocator, sizeof *zone);
    kst_zone_record *record = kst_alloc_zero(allocator, sizeof *record);
    if (!zone || !record) {
        kst_free(allocator, zone, sizeof *zone);
        kst_free(allocator, record, sizeof *record);
        kst_zone_data_free(data, allocator);
        return KARST_ERROR_MEMORY;
    }
    *record = (kst_zone_record){
        .data = *data, .bank = bank, .allocator = allocator, .steps_per_m = ldexpf(1, -data->step_log2)};
    b.zone = zone, b.record = record;
    count_rooms(&b);
    *zone = (karst_zone){.zone_x = data->zone_x,
                         .zone_z = data->zone_z,
                         .step_log2 = data->step_log2,
                         .bias = fine_at(data->bias),
                         .reach_m = 0.25f * data->reach,
                         .corner_count = data->corner_count,
                         .patch_count = data->patch_count,
                         .low = {INT32_MAX, INT32_MAX, INT32_MAX},
                         .high = {INT32_MIN, INT32_MIN, INT32_MIN},
                         .record = record};
    record->curve_count = data->edge_count;
    record->curve_room = data->edge_count + (uint32_t)b.line_room;
    zone->piece_room = b.piece_room, zone->span_room = b.span_room, zone->place_room = b.place_room;
    zone->corners = b.corners = kst_alloc_array(allocator, data->corner_count + 1, sizeof *b.corners);
    zone->spans = b.spans = kst_alloc_array(allocator, b.span_room + 1, sizeof *b.spans);
    zone->pieces = b.pieces = kst_alloc_array(allocator, b.piece_room + 1, sizeof *b.pieces);
    zone->places = b.places = kst_alloc_array(allocator, b.place_room + 1, sizeof *b.places);
    record->curves = kst_alloc_array(allocator, record->curve_room + 1, sizeof *record->curves);
    record->patches = kst_alloc_array(allocator, data->patch_count + 1, sizeof *record->patches);
    b.joints = kst_alloc_array(allocator, data->corner_count + 1, sizeof *b.joints);
    karst_status status = KARST_ERROR_MEMORY;
    if (zone->corners && zone->spans && zone->pieces && zone->places && record->curves && record->patches && b.joints) {
        memset(b.joints, 0, (data->corner_count + 1) * sizeof *b.joints);
        memset(b.corners, 0, (data->corner_count + 1) * sizeof *b.corners);
        status = make_curves(&b, report);
    }
    if (!status) {
        int32_t metre = (int32_t)(record->steps_per_m * KARST_NET_FINE) + KARST_NET_FINE;
        for (uint32_t k = 0; k < data->patch_count; ++k) {
            make_patch(&b, k);
            make_pieces(&b, k);
            grow(zone, record->patches[k].anchor, record->patches[k].c, 16, metre);
        }
        for (uint32_t k = 0; k < data->edge_count; ++k)
            grow(zone, record->curves[k].anchor, record->curves[k].c, 4, metre);
        make_places(&b);
    }
    kst_free(allocator, b.joints, (data->corner_count + 1) * sizeof *b.joints);
    if (status) {
        karst_zone_destroy(zone);
        return status;
    }
    *out = zone;
    return KARST_OK;
}

void kst_zone_data_free(kst_zone_data *data, const karst_allocator *allocator) {
    kst_free(allocator, data->corners, (data->corner_count + 1) * sizeof *data->corners);
    kst_free(allocator, data->edges, (data->edge_count + 1) * sizeof *data->edges);
    kst_free(allocator, data->patches, (data->patch_count + 1) * sizeof *data->patches);
    kst_free(allocator, data->inside, (data->inside_count + 1) * sizeof *data->inside);
    kst_free(allocator, data->pins, (data->pin_count + 1) * sizeof *data->pins);
}

void karst_zone_destroy(karst_zone *zone) {
    if (!zone) return;
    kst_zone_record *record = zone->record;
    const karst_allocator *allocator = record->allocator;
    kst_free(allocator, (void *)zone->corners, (record->data.corner_count + 1) * sizeof *zone->corners);
    kst_free(allocator, (void *)zone->spans, (zone->span_room + 1) * sizeof *zone->spans);
    kst_free(allocator, (void *)zone->pieces, (zone->piece_room + 1) * sizeof *zone->pieces);
    kst_free(allocator, (void *)zone->places, (zone->place_room + 1) * sizeof *zone->places);
    kst_free(allocator, record->curves, (record->curve_room + 1) * sizeof *record->curves);
    kst_free(allocator, record->patches, (record->data.patch_count + 1) * sizeof *record->patches);
    kst_zone_data_free(&record->data, allocator);
    kst_free(allocator, record, sizeof *record);
    kst_free(allocator, zone, sizeof *zone);
}
