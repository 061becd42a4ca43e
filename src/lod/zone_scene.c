// SPDX-License-Identifier: MIT
// Scene of zones: who is there, and a frame from ranges of pieces.
#include "zone_scene.h"

#include <math.h>

#include "seam.h"
#include "zone_bisect.h"

static const char *const names[KARST_ZONE_METHOD_COUNT] = {
    [KARST_ZONE_METHOD_CORNER] = "corner", [KARST_ZONE_METHOD_BISECT] = "bisect"};

const char *karst_zone_method_name(karst_zone_method method) {
    KARST_ASSERT((unsigned)method < KARST_ZONE_METHOD_COUNT);
    return names[method];
}

bool karst_zone_method_find(const char *name, karst_zone_method *out) {
    for (int k = 0; k < KARST_ZONE_METHOD_COUNT; ++k)
        if (!strcmp(name, names[k])) {
            *out = (karst_zone_method)k;
            return true;
        }
    return false;
}

karst_zone_scene_def karst_zone_scene_def_default(void) {
    return (karst_zone_scene_def){.fine_bytes = 32u << 20, .cookie = KST_COOKIE};
}

karst_zone_budget karst_zone_budget_default(void) {
    return (karst_zone_budget){.threshold = 3.5e-4f, .tile_m = 50, .tile_fade_m = 20, .cull = true, .sectors = 16};
}

float karst_zone_threshold(const karst_view *view, float edge_px) {
    double edge = karst_view_error_slope(view, edge_px);  // a metre away; the area of half a square is a quarter of
    double area = 0.25 * edge * edge;                     // its diagonal's square
    return (float)(area < 1e-8 ? 1e-8 : area > 1 ? 1 : area);
}

karst_status karst_zone_scene_create(const karst_zone_scene_def *def, karst_zone_scene **out) {
    karst_zone_scene_def plain = karst_zone_scene_def_default();
    if (!def) def = &plain;
    KARST_ASSERT(def->cookie == KST_COOKIE && def->fine_bytes >= 64 << 10);
    karst_zone_scene *scene = kst_alloc_zero(def->allocator, sizeof *scene);
    if (!scene) return KARST_ERROR_MEMORY;
    scene->def = *def;
    kst_zone_tables_make(&scene->tables);
    *out = scene;
    return KARST_OK;
}

void karst_zone_scene_destroy(karst_zone_scene *scene) {
    if (!scene) return;
    const karst_allocator *a = scene->def.allocator;
    kst_bisect_destroy(scene);
    kst_zone_fine_free(scene);
    for (int k = 0; k < scene->slot_room; ++k) kst_zone_slot_free(&scene->slots[k], a);
    kst_free(a, scene->slots, scene->slot_capacity * sizeof *scene->slots);
    kst_free(a, scene->at, scene->at_capacity * sizeof *scene->at);
    kst_free(a, scene->levels, scene->level_room * sizeof *scene->levels);
    kst_free(a, scene->ranges, scene->range_room * sizeof *scene->ranges);
    kst_free(a, scene->instances, scene->instance_room * sizeof *scene->instances);
    kst_free(a, scene, sizeof *scene);
}

bool kst_grow(const karst_allocator *a, void *array, size_t *room, size_t want, size_t bytes) {
    if (want <= *room) return true;
    size_t more = *room + *room / 2 > want ? *room + *room / 2 : want;
    void *old = *(void **)array, *next = kst_alloc_array(a, more, bytes);
    if (!next) return false;
    if (old) memcpy(next, old, *room * bytes);
    kst_free(a, old, *room * bytes);
    *(void **)array = next;
    *room = more;
    return true;
}

static bool grow_slots(karst_zone_scene *scene) {
    const karst_allocator *a = scene->def.allocator;
    size_t old = scene->slot_capacity, want = old ? 2 * old : 16;
    if (!kst_grow(a, &scene->at, &scene->at_capacity, want, sizeof *scene->at) ||
        !kst_grow(a, &scene->slots, &scene->slot_capacity, want, sizeof *scene->slots))
        return false;
    memset(scene->slots + old, 0, (scene->slot_capacity - old) * sizeof *scene->slots);
    scene->slot_room = (int32_t)scene->slot_capacity;
    return true;
}

// Room for whatever a frame of all zones may hold, so that none allocates.
static bool make_room(karst_zone_scene *scene) {
    size_t levels = KST_ZONE_LANES, ranges = 0, instances = 0;
    for (int k = 0; k < scene->slot_room; ++k) {
        const kst_zone_slot *slot = &scene->slots[k];
        if (!slot->zone) continue;
        levels += slot->level_count;
        ranges += (slot->zone->piece_count + KST_ZONE_GRAIN - 1) / KST_ZONE_GRAIN;
        instances += slot->tile_room;
    }
    const karst_allocator *a = scene->def.allocator;
    return kst_grow(a, &scene->levels, &scene->level_room, levels, sizeof *scene->levels) &&
           kst_grow(a, &scene->ranges, &scene->range_room, ranges, sizeof *scene->ranges) &&
           kst_grow(a, &scene->instances, &scene->instance_room, instances, sizeof *scene->instances);
}

karst_status karst_zone_scene_add(karst_zone_scene *scene, const karst_zone *zone, karst_report *report,
                                  uint16_t *out) {
    if (zone->piece_count > KARST_ZONE_PIECES_MAX)
        return kst_fail(report, KARST_ERROR_LIMIT, "zone %d, %d has %u pieces, a scene takes %d; cut larger patches",
                        zone->zone_x, zone->zone_z, zone->piece_count, KARST_ZONE_PIECES_MAX);
    if (scene->zone_count == KARST_ZONE_SLOTS_MAX)
        return kst_fail(report, KARST_ERROR_LIMIT, "%d zones are in the scene, the most; remove one first",
                        scene->zone_count);
    if (scene->zone_count && (zone->step_log2 != scene->step_log2 || zone->reach_m != scene->reach_m))
        return kst_fail(
            report, KARST_ERROR_FORMAT,
            "zone %d, %d is of another net: steps of 2^%d m and reach %.2f m, those here 2^%d and %.2f; cut "
            "all zones from one net",
            zone->zone_x, zone->zone_z, zone->step_log2, (double)zone->reach_m, scene->step_log2,
            (double)scene->reach_m);
    int k = 0;
    while (k < scene->slot_room && scene->slots[k].zone) ++k;
    if (k == scene->slot_room && !grow_slots(scene)) return KARST_ERROR_MEMORY;
    karst_status status = kst_zone_slot_make(&scene->slots[k], zone, scene->def.allocator);
    if (status) return status;
    if (!make_room(scene)) {
        kst_zone_slot_free(&scene->slots[k], scene->def.allocator);
        return KARST_ERROR_MEMORY;
    }
    scene->step_log2 = zone->step_log2;
    scene->reach_m = zone->reach_m;
    ++scene->zone_count;
    scene->slots[k].stay = ++scene->stays;
    // A mesh that has no memory for it is made anew by the next frame that wants one.
    if (scene->bisect && !kst_bisect_add(scene->bisect, scene->def.allocator, k, zone)) kst_bisect_destroy(scene);
    *out = (uint16_t)k;
    return KARST_OK;
}

void karst_zone_scene_remove(karst_zone_scene *scene, uint16_t slot) {
    KARST_ASSERT(slot < scene->slot_room && scene->slots[slot].zone);
    if (scene->bisect) kst_bisect_remove(scene->bisect, scene->def.allocator, slot);
    kst_zone_fine_forget(scene, slot);
    kst_zone_slot_free(&scene->slots[slot], scene->def.allocator);
    --scene->zone_count;
}

// ---- a frame ---------------------------------------------------------------------------------------

// How many fine steps the frame's base is a multiple of, along x, y and z: with a seam those of a step of the field, so
// that both have the same base and rest.
static void round_steps(const karst_seam *seam, double fine_m, int32_t out[3]) {
    out[0] = out[1] = out[2] = 1;
    if (!seam) return;
    const karst_lattice *l = kst_seam_lattice(seam);
    const double steps[3] = {l->step_xz_m / fine_m, l->step_y_m / fine_m, l->step_xz_m / fine_m};
    for (int axis = 0; axis < 3; ++axis)
        if (steps[axis] >= 1 && steps[axis] <= 1 << 22 && steps[axis] == floor(steps[axis]))
            out[axis] = (int32_t)steps[axis];
}

// The whole fine steps to an eye, multiples of `round` within what the net may take, and the rest. @return the way to
// it [m]
static karst_pos place_eye(karst_zone_eye *out, karst_pos eye, karst_pos origin, double fine_m,
                           const int32_t round[3]) {
    double way[3] = {kst_origin_way(eye.x, origin.x), kst_origin_way(eye.y, origin.y), kst_origin_way(eye.z, origin.z)};
    float rest[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t most = ((1 << 30) - (1 << 22)) / round[axis];
        int64_t base = kst_origin_base(way[axis], fine_m * round[axis], -most, most, &rest[axis]);
        out->base[axis] = (int32_t)base * round[axis];
        if (base > -most && base < most) continue;
        rest[axis] = 0;
        way[axis] = out->base[axis] * fine_m;
    }
    out->fraction = (karst_vec3){rest[0], rest[1], rest[2]};
    return (karst_pos){way[0], way[1], way[2]};
}

static void begin(karst_zone_scene *scene, const karst_view *views, int view_count, const karst_zone_budget *budget) {
    double fine_m = ldexp(1.0 / KARST_NET_FINE, scene->step_log2);
    scene->fine_m = (float)fine_m;
    scene->views = views;
    scene->eye_count = view_count;
    scene->cull = budget->cull;
    scene->seam = budget->seam;
    int32_t round[3];
    round_steps(budget->seam, fine_m, round);
    for (int v = view_count - 1; v >= 0; --v)
        scene->way = place_eye(&scene->eyes[v], views[v].eye, scene->def.origin, fine_m, round);
    if (scene->threshold != budget->threshold || scene->tile_m != budget->tile_m ||
        scene->tile_fade_m != budget->tile_fade_m || scene->ramp_reach_m != scene->reach_m) {
        scene->threshold = budget->threshold;
        scene->tile_m = budget->tile_m;
        scene->tile_fade_m = budget->tile_fade_m;
        scene->ramp_reach_m = scene->reach_m;
        kst_zone_ramps_make(scene);
    }
    uint32_t level = 0;
    scene->range_count = 0;
    for (int k = 0; k < scene->slot_room; ++k) {
        kst_zone_slot *slot = &scene->slots[k];
        const karst_zone *zone = slot->zone;
        scene->at[k] = (karst_zone_at){.zone = zone, .stay = slot->stay};
        if (!zone) continue;
        slot->first_level = level;
        level += slot->level_count;
        const int32_t bias[3] = {zone->bias.x, zone->bias.y, zone->bias.z};
        for (int v = 0; v < view_count; ++v)
            for (int axis = 0; axis < 3; ++axis) slot->offset[v][axis] = bias[axis] - scene->eyes[v].base[axis];
        memcpy(scene->at[k].offset, slot->offset[0], sizeof scene->at[k].offset);
        scene->at[k].first_level = slot->first_level;
        scene->at[k].span_level = (const uint32_t(*)[2])slot->span_level;
        scene->at[k].seen = budget->cull ? slot->kind : NULL;
        for (uint32_t first = 0; first < zone->piece_count; first += KST_ZONE_GRAIN) {
            uint32_t end = first + KST_ZONE_GRAIN;
            kst_zone_range *range = &scene->ranges[scene->range_count++];
            range->slot = (uint16_t)k, range->first = first;
            range->end = end < zone->piece_count ? end : zone->piece_count;
        }
    }
}

void kst_zone_see(karst_zone_scene *scene, kst_zone_slot *slot) {
    const karst_zone *zone = slot->zone;
    double fine_m = (double)scene->fine_m;
    karst_pos o = scene->def.origin,
              at = {o.x + zone->bias.x * fine_m, o.y + zone->bias.y * fine_m, o.z + zone->bias.z * fine_m};
    const karst_fine *l = &zone->low, *h = &zone->high;
    const float low[3] = {(float)l->x * scene->fine_m, (float)l->y * scene->fine_m, (float)l->z * scene->fine_m};
    const float high[3] = {(float)h->x * scene->fine_m, (float)h->y * scene->fine_m, (float)h->z * scene->fine_m};
    slot->seen = slot->inside = 0;
    for (int v = 0; v < scene->eye_count; ++v) {
        slot->frusta[v] = kst_frustum_of(&scene->views[v], at);
        int in = kst_box_in(&slot->frusta[v], low, high);
        if (in) slot->seen |= (uint16_t)(1u << v);
        if (in == 2) slot->inside |= (uint16_t)(1u << v);
    }
}

static void level_zones(int begin, int end, int worker, void *context) {
    (void)worker;
    karst_zone_scene *scene = context;
    for (int k = begin; k < end; ++k) {
        kst_zone_slot *slot = &scene->slots[k];
        if (!slot->zone) continue;
        if (scene->cull) kst_zone_see(scene, slot);
        kst_zone_corner_levels(scene, slot);
    }
}

static void select_ranges(int begin, int end, int worker, void *context) {
    (void)worker;
    karst_zone_scene *scene = context;
    for (int k = begin; k < end; ++k) kst_zone_corner_select(scene, &scene->ranges[k]);
}

static void place_ranges(int begin, int end, int worker, void *context) {
    (void)worker;
    karst_zone_scene *scene = context;
    for (int k = begin; k < end; ++k) kst_zone_corner_place(scene, &scene->ranges[k]);
}

// Batches in the order of their keys; in each, ranges in order: counts become places.
static int32_t make_batches(karst_zone_scene *scene, int64_t *triangles) {
    int32_t at = 0;
    scene->batch_count = 0;
    *triangles = 0;
    for (int key = 0; key < KST_ZONE_BATCHES; ++key) {
        int32_t first = at;
        for (int r = 0; r < scene->range_count; ++r) {
            int32_t count = scene->ranges[r].count[key];
            scene->ranges[r].count[key] = at;
            at += count;
        }
        if (at == first) continue;
        bool tiles = key >= KST_KEY_TILES && key < KST_KEY_FINEST, finest = key >= KST_KEY_FINEST;
        karst_zone_batch batch = {.first = first, .count = at - first, .tiles = tiles, .finest = finest};
        batch.cells_log2 = (uint8_t)(finest ? key - KST_KEY_FINEST + 2 : tiles ? 2 : key / 10 + 1);
        batch.pattern = (uint8_t)(finest ? 0 : tiles ? key - KST_KEY_TILES : key % 10);
        scene->batches[scene->batch_count++] = batch;
        *triangles += (int64_t)batch.count * kst_zone_triangles(batch.cells_log2, batch.pattern);
    }
    return at;
}

void karst_zone_scene_update(karst_zone_scene *scene, const karst_view *views, int view_count,
                             const karst_zone_budget *budget, karst_zone_frame *out) {
    KARST_ASSERT(view_count >= 1 && view_count <= KARST_ZONE_VIEWS_MAX);
    KARST_ASSERT((unsigned)budget->method < KARST_ZONE_METHOD_COUNT);
    KARST_ASSERT(budget->threshold >= 1e-8f && budget->threshold <= 1 && budget->tile_m >= 0 &&
                 budget->tile_fade_m > 0);
    begin(scene, views, view_count, budget);
    karst_zone_method method = budget->seam ? KARST_ZONE_METHOD_CORNER : budget->method;
    bool by_corners = method == KARST_ZONE_METHOD_CORNER;
    int64_t triangles = 0;
    int32_t instances = 0;
    scene->batch_count = 0;
    if (by_corners) {
        karst_jobs_for(scene->def.jobs, scene->slot_room, 4, level_zones, scene);
        karst_jobs_for(scene->def.jobs, scene->range_count, 1, select_ranges, scene);
        instances = make_batches(scene, &triangles);
        karst_jobs_for(scene->def.jobs, scene->range_count, 1, place_ranges, scene);
    }
    karst_zone_frame frame = {.method = method,
                              .fine_m = scene->fine_m,
                              .batches = scene->batches,
                              .batch_count = scene->batch_count,
                              .instances = scene->instances,
                              .instance_count = instances,
                              .zones = scene->at,
                              .zone_room = scene->slot_room,
                              .levels = scene->levels,
                              .ramps = (const karst_zone_ramp(*)[4])scene->below,
                              .eye_count = view_count,
                              .figures = {.triangles = triangles}};
    memcpy(frame.base, scene->eyes[0].base, sizeof frame.base);
    frame.fraction = scene->eyes[0].fraction;
    memcpy(frame.eyes, scene->eyes, (size_t)view_count * sizeof *frame.eyes);
    karst_pos o = scene->def.origin;
    frame.origin = (karst_pos){o.x + scene->way.x, o.y + scene->way.y, o.z + scene->way.z};
    if (!by_corners) {
        kst_bisect_update(scene, budget, &frame);
        *out = frame;
        return;
    }
    for (int k = 0; k < scene->slot_room; ++k)
        if (scene->slots[k].zone) frame.level_count = scene->slots[k].first_level + scene->slots[k].level_count;
    for (int k = 0; k < scene->range_count; ++k) {
        frame.figures.pieces += scene->ranges[k].pieces;
        frame.figures.refined += scene->ranges[k].refined;
    }
    *out = frame;
}
