// SPDX-License-Identifier: MIT
// A frame of method bisect: what the eye's move asks for is split, what nobody asks for any more is merged.
#include <math.h>

#include "zone_bisect.h"

static void free_binds(kst_binds *m, const karst_allocator *a) {
    kst_free(a, m->head, m->head_room * sizeof *m->head);
    kst_free(a, m->at, m->room * sizeof *m->at);
}

void kst_bisect_destroy(karst_zone_scene *scene) {
    kst_bisect *b = scene->bisect;
    const karst_allocator *a = scene->def.allocator;
    if (!b) return;
    kst_bisect_free_slots(b, a);
    kst_free(a, b->triangles, b->face_pool.room * sizeof *b->triangles);
    kst_free(a, b->faces, b->face_pool.room * sizeof *b->faces);
    kst_free(a, b->points, b->knot_pool.room * sizeof *b->points);
    kst_free(a, b->knots, b->knot_pool.room * sizeof *b->knots);
    kst_free(a, b->face_head, KST_FACE_HEADS * sizeof *b->face_head);
    kst_free(a, b->knot_head, KST_KNOT_HEADS * sizeof *b->knot_head);
    for (int k = 0; k < 2; ++k) {
        kst_free(a, b->dirty[k], b->dirty_room[k] * sizeof **b->dirty);
        kst_free(a, b->range[k], b->range_room[k] * sizeof **b->range);
    }
    free_binds(&b->corners, a);
    free_binds(&b->spans, a);
    kst_free(a, b, sizeof *b);
    scene->bisect = NULL;
}

static kst_bisect *create(karst_zone_scene *scene) {
    const karst_allocator *a = scene->def.allocator;
    kst_bisect *b = scene->bisect = kst_alloc_zero(a, sizeof *b);
    if (!b) return NULL;
    b->face_head = kst_alloc_array(a, KST_FACE_HEADS, sizeof *b->face_head);
    b->knot_head = kst_alloc_array(a, KST_KNOT_HEADS, sizeof *b->knot_head);
    b->corners.free = b->spans.free = KST_NONE;
    if (b->face_head && b->knot_head) return b;
    kst_bisect_destroy(scene);
    return NULL;
}

static void take_radius(kst_bisect *b, int size, int class, double inner, double outer) {
    double in = 1 / (inner * inner), out = 1 / (outer * outer);
    b->outer[size][class] = outer;
    b->ramp[size][class] = (karst_zone_ramp){(float)in, (float)(1 / (in - out))};
}

// As those of method corner, but a point's own distance counts, so that no reach is needed.
static void make_radii(kst_bisect *b) {
    double per = 1 / sqrt((double)b->threshold), fade = (double)b->tile_fade_m / KST_ZONE_ABOVE;
    for (int size = 0; size < KARST_NET_SIZES; ++size) {
        double inner = karst_tile_size_m(size - KST_ZONE_BELOW - 1) * per;
        for (int k = 0; k < KST_ZONE_BELOW; ++k) {
            double outer = karst_tile_size_m(size - KST_ZONE_BELOW + k) * per;
            take_radius(b, size, k, inner, outer);
            inner = outer;
        }
        double near = fmax(inner, (double)b->tile_m);
        inner = near;
        for (int k = 0; k < KST_ZONE_ABOVE; ++k) {
            double outer = fmax(karst_tile_size_m(size + k) * per, near + fade * (k + 1));
            take_radius(b, size, KST_ZONE_BELOW + k, inner, outer);
            inner = outer;
        }
    }
}

static bool restart(karst_zone_scene *scene) {
    kst_bisect *b = scene->bisect;
    const karst_allocator *a = scene->def.allocator;
    kst_bisect_begin(b);
    kst_bisect_lists_clear(b);
    b->face_pool.end = b->face_pool.count = b->knot_pool.end = b->knot_pool.count = 0;
    b->face_pool.free = b->knot_pool.free = KST_NONE;
    for (int k = 0; k < scene->slot_room; ++k)
        if (scene->slots[k].zone && !kst_bisect_add(b, a, k, scene->slots[k].zone)) return false;
    return true;
}

static bool is_another(const kst_bisect *b, const karst_zone_budget *budget, int eye_count) {
    return !b->ready || b->threshold != budget->threshold || b->tile_m != budget->tile_m ||
           b->tile_fade_m != budget->tile_fade_m || b->sectors_asked != budget->sectors || b->eye_count != eye_count;
}

static bool is_jump(const kst_bisect *b, const double (*eye)[3]) {
    for (int v = 0; v < b->eye_count; ++v) {
        double x = eye[v][0] - b->eye[v][0], y = eye[v][1] - b->eye[v][1], z = eye[v][2] - b->eye[v][2];
        if (x * x + y * y + z * z > KST_JUMP_M * KST_JUMP_M) return true;
    }
    return b->face_pool.end > 4096 && b->face_pool.count < b->face_pool.end / 4;  // most of it is free ones
}

static void work(kst_bisect *b, const karst_allocator *a) {
    for (uint32_t f; (f = b->face_head[KST_FACE_WORK]) != KST_NONE;) {
        if (kst_bisect_split(b, a, f)) continue;
        kst_bisect_take(b, f);
        kst_bisect_hold(b, f);
        ++b->refused;
    }
    for (uint32_t k; (k = b->knot_head[KST_KNOT_WORK]) != KST_NONE;) kst_bisect_merge(b, k);
}

// Blocks whose bit is set, those that follow each other together.
static int32_t dirty_ranges(kst_bisect *b, int kind, uint32_t end) {
    int32_t count = 0;
    karst_zone_dirty *out = b->range[kind];
    for (size_t w = 0; w < b->dirty_room[kind]; ++w) {
        uint64_t bits = b->dirty[kind][w];
        b->dirty[kind][w] = 0;
        for (; bits; bits &= bits - 1) {
            uint32_t first = (uint32_t)(64 * w + (size_t)__builtin_ctzll(bits)) * KST_DIRTY;
            if (first >= end) break;
            uint32_t size = end - first < KST_DIRTY ? end - first : KST_DIRTY;
            if (count && out[count - 1].first + out[count - 1].count == first)
                out[count - 1].count += size;
            else
                out[count++] = (karst_zone_dirty){first, size};
        }
    }
    return count;
}

static karst_zone_mesh mesh_of(kst_bisect *b, bool rebuilt) {
    karst_zone_mesh m = {.triangles = b->triangles,
                         .points = b->points,
                         .triangle_count = b->face_pool.end,
                         .point_count = b->knot_pool.end,
                         .dirty_triangles = b->range[0],
                         .dirty_points = b->range[1],
                         .split_tests = b->split_tests,
                         .merge_tests = b->merge_tests,
                         .splits = b->splits,
                         .merges = b->merges,
                         .refused = b->refused,
                         .live_triangles = b->face_pool.count,
                         .live_points = b->knot_pool.count,
                         .rebuilt = rebuilt};
    m.dirty_triangle_count = dirty_ranges(b, 0, m.triangle_count);
    m.dirty_point_count = dirty_ranges(b, 1, m.point_count);
    b->round += m.dirty_triangle_count || m.dirty_point_count || rebuilt;
    m.round = b->round;
    m.record_bytes = (uint64_t)m.live_triangles * (sizeof(karst_zone_triangle) + sizeof(kst_face)) +
                     (uint64_t)m.live_points * sizeof(kst_knot);
    return m;
}

// Which pieces of zones a view sees, and how many faces these have. The mesh does not depend on it.
static void see_zones(int begin, int end, int worker, void *context) {
    (void)worker;
    karst_zone_scene *scene = context;
    for (int k = begin; k < end; ++k) {
        kst_zone_slot *slot = &scene->slots[k];
        if (!slot->zone) continue;
        kst_bisect_slot *s = &scene->bisect->slots[k];
        s->seen_faces = s->seen_pieces = 0;
        kst_zone_see(scene, slot);
        for (uint32_t p = 0; p < s->piece_count; ++p) {
            bool seen = slot->seen && kst_zone_sees(scene, slot, &slot->info[p]);
            slot->kind[p] = seen ? KST_PIECE_WHOLE : KST_PIECE_UNSEEN;
            if (seen) s->seen_faces += s->faces[p], ++s->seen_pieces;
        }
    }
}

static void tell_seen(karst_zone_scene *scene, karst_zone_frame *frame) {
    frame->figures.triangles = scene->cull ? 0 : frame->mesh.live_triangles;
    if (scene->cull) karst_jobs_for(scene->def.jobs, scene->slot_room, 4, see_zones, scene);
    for (int k = 0; k < scene->slot_room; ++k) {
        if (!scene->slots[k].zone) continue;
        const kst_bisect_slot *s = &scene->bisect->slots[k];
        if (scene->cull) frame->figures.triangles += s->seen_faces;
        frame->figures.pieces += scene->cull ? s->seen_pieces : (int32_t)s->piece_count;
    }
}

void kst_bisect_update(karst_zone_scene *scene, const karst_zone_budget *budget, karst_zone_frame *frame) {
    KARST_ASSERT(budget->sectors == 1 || budget->sectors == 16 || budget->sectors == 32);
    kst_bisect *b = scene->bisect ? scene->bisect : create(scene);
    frame->mesh = (karst_zone_mesh){.refused = 1};
    if (!b) return;
    double eye[KARST_ZONE_VIEWS_MAX][3], fine_m = (double)scene->fine_m;
    for (int v = 0; v < scene->eye_count; ++v) {
        const karst_zone_eye *e = &scene->eyes[v];
        const float rest[3] = {e->fraction.x, e->fraction.y, e->fraction.z};
        for (int axis = 0; axis < 3; ++axis) eye[v][axis] = e->base[axis] * fine_m + (double)rest[axis];
    }
    b->split_tests = b->merge_tests = b->splits = b->merges = b->refused = 0;
    bool rebuilt = is_another(b, budget, scene->eye_count) || is_jump(b, (const double(*)[3])eye);
    if (rebuilt) {
        b->threshold = budget->threshold, b->tile_m = budget->tile_m, b->tile_fade_m = budget->tile_fade_m;
        b->sectors_asked = budget->sectors;
        b->sectors = budget->sectors > 1 && scene->eye_count == 1 ? budget->sectors : 0;  // a plane has one eye
        b->eye_count = scene->eye_count;
        b->fine_m = fine_m;
        memcpy(b->eye, eye, sizeof eye);
        make_radii(b);
        b->ready = restart(scene);
        if (!b->ready) {
            kst_bisect_destroy(scene);
            return;
        }
    } else {
        kst_bisect_move(b, (const double(*)[3])eye);
    }
    work(b, scene->def.allocator);
    frame->mesh = mesh_of(b, rebuilt);
    tell_seen(scene, frame);
}

// ---- the twin of shaders ---------------------------------------------------------------------------

karst_vec3 karst_zone_frame_point(const karst_zone_frame *frame, uint32_t index) {
    KARST_ASSERT(index < frame->mesh.point_count);
    const karst_zone_point *p = &frame->mesh.points[index];
    float least = INFINITY;
    for (int v = 0; v < frame->eye_count && p->ramp.scale > 0; ++v) {
        const karst_zone_eye *eye = &frame->eyes[v];
        float x = (float)(p->at[0] - eye->base[0]) * frame->fine_m - eye->fraction.x;
        float y = (float)(p->at[1] - eye->base[1]) * frame->fine_m - eye->fraction.y;
        float z = (float)(p->at[2] - eye->base[2]) * frame->fine_m - eye->fraction.z;
        least = kst_less(least, x * x + y * y + z * z);
    }
    karst_vec3 at =
        kst_zone_drawn(frame, p->at[0] - frame->base[0], p->at[1] - frame->base[1], p->at[2] - frame->base[2]);
    float w = p->ramp.scale > 0 ? (p->ramp.from - karst_zone_reciprocal(least)) * p->ramp.scale : 0;
    if (w <= 0) return at;
    karst_vec3 a = karst_zone_frame_point(frame, p->end[0]), b = karst_zone_frame_point(frame, p->end[1]);
    karst_vec3 m = {0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
    if (w >= 1) return m;
    return (karst_vec3){at.x + w * (m.x - at.x), at.y + w * (m.y - at.y), at.z + w * (m.z - at.z)};
}

bool karst_zone_frame_triangle(const karst_zone_frame *frame, const karst_zone_scene *scene, uint32_t index,
                               karst_zone_vertex out[3]) {
    KARST_ASSERT(index < frame->mesh.triangle_count);
    const karst_zone_triangle *t = &frame->mesh.triangles[index];
    if (t->point[0] == t->point[1]) return false;
    const struct kst_piece_info *info = &scene->slots[t->zone].info[t->piece];
    const karst_piece *piece = &frame->zones[t->zone].zone->pieces[t->piece];
    float scale_s = 1.0f / (float)(1 << info->scale_log2[0]), scale_t = 1.0f / (float)(1 << info->scale_log2[1]);
    for (int c = 0; c < 3; ++c) {
        float s = (float)piece->tile_s + (float)t->at[c][0] / KARST_TILE_CELLS;
        float u = (float)piece->tile_t + (float)t->at[c][1] / KARST_TILE_CELLS;
        out[c] = (karst_zone_vertex){karst_zone_frame_point(frame, t->point[c]), s * scale_s, u * scale_t};
    }
    return true;
}
