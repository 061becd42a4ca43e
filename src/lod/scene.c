// SPDX-License-Identifier: MIT
// Scene: from views to a frame. A method chooses the patches; the scene places them and sorts them into batches.
#include "scene.h"

#include <math.h>

#include "method.h"

static kst_method_fn *const methods[KARST_METHOD_COUNT] = {[KARST_METHOD_GRID] = kst_method_grid,
                                                           [KARST_METHOD_TESS] = kst_method_tess,
                                                           [KARST_METHOD_RINGS] = kst_method_rings};

struct karst_scene {
    karst_scene_def def;
    karst_pack_info info;
    const karst_ground *ground;
    bool seamed;        // chunks along seams were waited for
    kst_method method;  // what all methods choose with and into
    // The frame's arrays.
    karst_patch *patches;
    int32_t patch_room;
    karst_frame_chunk *chunks;
    int32_t chunk_room;
    karst_upload *uploads;
    karst_damage *damages;
    int32_t damage_room;
    karst_batch batches[KARST_LATTICE_COUNT];
};

karst_scene_def karst_scene_def_default(void) {
    return (karst_scene_def){.memory_bytes = UINT64_C(128) << 20, .slot_count = 1024, .cookie = KST_COOKIE};
}

karst_budget karst_budget_default(void) {
    return (karst_budget){.error_px = 1, .load_limit = 64, .sim_radius_m = 100, .cull = true};
}

karst_status karst_scene_create(karst_pack *pack, const karst_scene_def *def, karst_scene **out) {
    karst_scene_def d = def ? *def : karst_scene_def_default();
    KARST_ASSERT(d.cookie == KST_COOKIE);
    if (d.slot_count < 16) d.slot_count = 16;
    if (d.slot_count > 2048) d.slot_count = 2048;
    if (d.memory_bytes < (uint64_t)16 * kst_slots_chunk_bytes())
        d.memory_bytes = (uint64_t)16 * kst_slots_chunk_bytes();
    karst_scene *scene = kst_alloc_zero(d.allocator, sizeof *scene);
    if (!scene) return KARST_ERROR_MEMORY;
    scene->def = d;
    scene->method.pack = pack;
    scene->method.jobs = d.jobs;
    scene->method.found.allocator = d.allocator;
    scene->info = karst_pack_info_of(pack);
    scene->ground = karst_pack_ground(pack);
    kst_tree tree = {.level_count = scene->info.level_count};
    for (int level = 0; level < tree.level_count; ++level) {
        karst_pack_chunk_grid(pack, level, &tree.grid_x[level], &tree.grid_z[level]);
        tree.nodes[level] = karst_pack_nodes(pack, level);
    }
    scene->uploads = kst_alloc_array(d.allocator, (size_t)d.slot_count, sizeof *scene->uploads);
    karst_status status = scene->uploads && scene->ground ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = kst_cut_create(&scene->method.cut, &tree, d.allocator);
    if (!status)
        status = kst_slots_create(&scene->method.slots, pack, &tree, d.slot_count, d.memory_bytes, d.jobs, d.allocator);
    if (!status)
        scene->method.rings = kst_rings_make(&scene->method.cut.tree, &scene->info.lattice.shape,
                                             (double)scene->info.beside_m, d.allocator);
    scene->method.skirt = kst_skirt_make(&scene->info.lattice.shape, (double)scene->info.beside_m, d.allocator);
    if (status) {
        karst_scene_destroy(scene);
        return status;
    }
    *out = scene;
    return KARST_OK;
}

void karst_scene_destroy(karst_scene *scene) {
    if (!scene) return;
    const karst_allocator *a = scene->def.allocator;
    karst_scene_def def = scene->def;
    kst_found_free(&scene->method.found);
    kst_tess_free(&scene->method);
    kst_rings_free(&scene->method.rings);
    kst_skirt_free(&scene->method.skirt);
    kst_cut_destroy(&scene->method.cut);
    kst_slots_destroy(&scene->method.slots);
    kst_free(a, scene->patches, (size_t)scene->patch_room * sizeof *scene->patches);
    kst_free(a, scene->chunks, (size_t)scene->chunk_room * sizeof *scene->chunks);
    kst_free(a, scene->uploads, (size_t)def.slot_count * sizeof *scene->uploads);
    kst_free(a, scene->damages, (size_t)scene->damage_room * sizeof *scene->damages);
    kst_free(a, scene, sizeof *scene);
}

const karst_chunk *kst_scene_chunk(const karst_scene *scene, int slot) {
    return kst_method_chunk(&scene->method, slot);
}

// ---- the frame -------------------------------------------------------------------------------------

static karst_status reserve_frame(karst_scene *scene) {
    const karst_allocator *a = scene->def.allocator;
    int32_t chunks = scene->method.found.source_count, patches = scene->method.found.patch_count,
            damages = scene->method.slots.damaged_count;
    if (damages > scene->damage_room) {
        kst_free(a, scene->damages, (size_t)scene->damage_room * sizeof *scene->damages);
        scene->damages = kst_alloc_array(a, (size_t)damages, sizeof *scene->damages);
        scene->damage_room = scene->damages ? damages : 0;
    }
    if (chunks > scene->chunk_room) {
        kst_free(a, scene->chunks, (size_t)scene->chunk_room * sizeof *scene->chunks);
        scene->chunks = kst_alloc_array(a, (size_t)chunks, sizeof *scene->chunks);
        scene->chunk_room = scene->chunks ? chunks : 0;
    }
    if (patches > scene->patch_room) {
        kst_free(a, scene->patches, (size_t)scene->patch_room * sizeof *scene->patches);
        scene->patches = kst_alloc_array(a, (size_t)patches, sizeof *scene->patches);
        scene->patch_room = scene->patches ? patches : 0;
    }
    bool ok = scene->chunk_room >= chunks && scene->patch_room >= patches && scene->damage_room >= damages;
    return ok ? KARST_OK : KARST_ERROR_MEMORY;
}

static void place_frame(const karst_scene *scene, karst_pos eye, karst_frame *frame) {
    const karst_lattice *l = &scene->info.lattice;
    const karst_pos o = l->shape.origin;
    // The base is kept where differences to any chunk fit 32 bits.
    const int64_t far = INT64_C(1) << 30;
    const int64_t most_x = (int64_t)l->shape.columns * l->cell_steps + far,
                  most_z = (int64_t)l->shape.rows * l->cell_steps + far;
    double x = kst_origin_way(eye.x, o.x), y = kst_origin_way(eye.y, o.y), z = kst_origin_way(eye.z, o.z);
    frame->origin = (karst_pos){o.x + x, o.y + y, o.z + z};
    frame->lattice = *l;
    frame->base[0] = kst_origin_base(x, l->step_xz_m, -far, most_x, &frame->fraction.x);
    frame->base[1] = kst_origin_base(y, l->step_y_m, -far, far, &frame->fraction.y);
    frame->base[2] = kst_origin_base(z, l->step_xz_m, -far, most_z, &frame->fraction.z);
}

// Where vertex 0 of a chunk rests along an axis, or its image [steps].
static int64_t rest_of(kst_mirror mirror, int32_t first, int32_t vertices, const karst_lattice *l) {
    int64_t at = (int64_t)first * l->cell_steps, about = mirror == KST_MIRROR_HIGH ? vertices - 1 : 0;
    return mirror ? 2 * about * l->cell_steps - at : at;
}

static karst_frame_chunk chunk_of(const karst_scene *scene, const kst_source *source, const karst_frame *frame) {
    const karst_lattice *l = &scene->info.lattice;
    karst_frame_chunk c = {.level = source->level, .slot = source->slot, .awaited = source->awaited};
    c.column = (source->x * KARST_CHUNK_CELLS) << source->level;
    c.row = (source->z * KARST_CHUNK_CELLS) << source->level;
    c.mirror_x = source->mirror_x != KST_MIRROR_NONE;
    c.mirror_z = source->mirror_z != KST_MIRROR_NONE;
    c.offset[0] = (int32_t)(rest_of(source->mirror_x, c.column, l->shape.columns, l) - frame->base[0]);
    c.offset[1] = (int32_t)-frame->base[1];
    c.offset[2] = (int32_t)(rest_of(source->mirror_z, c.row, l->shape.rows, l) - frame->base[2]);
    const uint64_t *hole = kst_method_chunk(&scene->method, source->slot)->hole;
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) c.holes |= hole[j] != 0;
    return c;
}

// Batches by lattice; inside one, patches stay in the order in which they were found.
static void sort_patches(karst_scene *scene, karst_frame *frame) {
    const kst_found *found = &scene->method.found;
    int first[KARST_LATTICE_COUNT], at = 0;
    for (int k = 0; k < KARST_LATTICE_COUNT; ++k) {
        first[k] = at;
        if (found->counts[k]) scene->batches[frame->batch_count++] = (karst_batch){k, at, found->counts[k]};
        at += found->counts[k];
        int index_count;
        karst_patch_indices(k, &index_count);
        frame->figures.triangles += (int64_t)found->counts[k] * (index_count / 3);
    }
    for (int k = 0; k < found->patch_count; ++k) scene->patches[first[found->lattices[k]]++] = found->patches[k];
    frame->batches = scene->batches;
    frame->patches = scene->patches;
    frame->patch_count = found->patch_count;
}

// What was filled and not told: also by updates that failed, so a renderer holds all that it draws.
static void list_uploads(karst_scene *scene, karst_frame *frame) {
    const kst_slots *slots = &scene->method.slots;
    for (int k = 0; k < slots->count; ++k) {
        kst_slot *slot = &slots->slot[k];
        if (!slot->untold) continue;
        slot->untold = false;
        scene->uploads[frame->upload_count++] =
            (karst_upload){(uint16_t)k, slot->level, (slot->x * KARST_CHUNK_CELLS) << slot->level,
                           (slot->z * KARST_CHUNK_CELLS) << slot->level, slot->chunk};
    }
    frame->uploads = scene->uploads;
}

static const karst_chunk_corners *corners_of(void *context, const kst_source *source) {
    return &kst_method_chunk(context, source->slot)->corners;
}

// What was found damaged and not told.
static void list_damage(karst_scene *scene, karst_frame *frame) {
    kst_slots *slots = &scene->method.slots;
    for (int32_t k = 0; k < slots->damaged_count; ++k) {
        const kst_stream_chunk *c = &slots->damaged[k];
        scene->damages[k] = (karst_damage){c->level, c->x, c->z};
    }
    frame->damages = scene->damages;
    frame->damage_count = slots->damaged_count;
    slots->damaged_count = 0;
}

// How many bytes may be asked for in an update, and how.
static kst_slots_rate rate_of(const karst_budget *b) {
    uint64_t bytes = (uint64_t)(b->load_limit > 1 ? b->load_limit : 1) * kst_slots_chunk_bytes();
    if (b->load_bytes && b->load_bytes < bytes) bytes = b->load_bytes;
    return (kst_slots_rate){.bytes = bytes, .ms = b->load_ms, .wait = b->wait};
}

// Let the method choose: first what it wishes, then with what is here.
static karst_status choose_now(karst_scene *scene, const karst_view *views, int view_count, const karst_budget *b) {
    const karst_pos origin = scene->info.lattice.shape.origin;
    kst_eye eyes[KARST_VIEWS_MAX];
    kst_frustum frusta[KARST_VIEWS_MAX];
    for (int v = 0; v < view_count; ++v) {
        eyes[v] = kst_eye_of(&views[v], origin, b->error_px);
        frusta[v] = kst_frustum_of(&views[v], origin);
    }
    kst_method *m = &scene->method;
    m->eyes = eyes;
    m->frusta = b->cull ? frusta : NULL;
    m->eye_count = view_count;
    m->full = b->full_detail;
    m->seam = b->seam;
    m->nodes_visited = 0;
    kst_found_begin(&m->found);
    kst_skirt_begin(&m->skirt, (double)b->skirt_m);
    kst_slots_begin(&m->slots);
    m->wishing = m->all_wished = true;
    karst_status status = methods[b->method](m);
    m->wishing = false;
    if (!status) status = kst_slots_wish_sims(&m->slots, eyes, view_count, (double)b->sim_radius_m);
    kst_slots_rate rate = rate_of(b);
    rate.apart = m->apart;
    if (!status) status = kst_slots_update(&m->slots, &rate);
    if (!status) status = methods[b->method](m);
    if (!status && m->skirt.width_m > 0)
        status = kst_skirt_draw(&m->skirt, m->frusta, m->eye_count, corners_of, m, &m->found);
    m->eyes = NULL;  // they were of this call
    m->frusta = NULL;
    return status;
}

// The first frame with a seam has all chunks along it: these alone are loaded first, and waited for.
static karst_status choose(karst_scene *scene, const karst_view *views, int view_count, const karst_budget *b) {
    if (b->seam && !scene->seamed) {
        karst_budget first = *b;
        first.load_limit = INT32_MAX;
        first.load_bytes = 0;
        first.load_ms = first.sim_radius_m = 0;
        first.wait = true;
        scene->method.seam_alone = true;
        karst_status status = choose_now(scene, views, view_count, &first);
        scene->method.seam_alone = false;
        if (status) return status;
        scene->seamed = true;
    }
    return choose_now(scene, views, view_count, b);
}

karst_status karst_scene_update(karst_scene *scene, const karst_view *views, int view_count, const karst_budget *budget,
                                karst_frame *out) {
    karst_budget b = budget ? *budget : karst_budget_default();
    if (b.seam) b.method = KARST_METHOD_GRID;
    KARST_ASSERT(view_count >= 1 && view_count <= KARST_VIEWS_MAX && b.error_px > 0);
    KARST_ASSERT((unsigned)b.method < KARST_METHOD_COUNT);
    karst_status status = choose(scene, views, view_count, &b);
    if (!status) status = reserve_frame(scene);
    if (status) return status;

    const kst_found *found = &scene->method.found;
    karst_frame frame = {.method = b.method};
    place_frame(scene, views[0].eye, &frame);
    for (int k = 0; k < found->source_count; ++k) scene->chunks[k] = chunk_of(scene, &found->sources[k], &frame);
    frame.chunks = scene->chunks;
    frame.chunk_count = found->source_count;
    sort_patches(scene, &frame);
    list_uploads(scene, &frame);
    list_damage(scene, &frame);
    frame.figures.draws = b.method == KARST_METHOD_TESS ? frame.patch_count > 0 : frame.batch_count;
    // An eye inside the bounds of what is coarser than wanted sees any error.
    frame.figures.worst_error_px = (float)fmin(found->worst * b.error_px * KST_KEPT_BACK, 1e30);
    frame.figures.chunks_drawn = frame.chunk_count;
    const kst_stream_out *out_of = &scene->method.slots.out;
    frame.figures.chunks_awaited = out_of->awaited;
    frame.figures.kept_damaged = out_of->kept_coarse;
    frame.figures.kept_pending = out_of->kept_later;
    frame.figures.kept_for_memory = out_of->left_out;
    frame.figures.resident_bytes = out_of->bytes;
    frame.figures.nodes_visited = scene->method.nodes_visited;
    *out = frame;
    return KARST_OK;
}

karst_status karst_scene_settle(karst_scene *scene, const karst_view *views, int view_count, const karst_budget *budget,
                                karst_frame *out) {
    karst_budget b = budget ? *budget : karst_budget_default();
    b.load_limit = INT32_MAX;  // one update takes the whole tree down as far as it is wanted
    b.load_bytes = 0;
    b.load_ms = 0;
    b.wait = true;
    return karst_scene_update(scene, views, view_count, &b, out);
}

void karst_scene_retry(karst_scene *scene) {
    kst_slots_retry(&scene->method.slots);
}

// ---- queries ---------------------------------------------------------------------------------------

karst_hit karst_scene_cast(const karst_scene *scene, karst_ray ray) {
    karst_hit hit = {0};
    return karst_ground_cast(scene->ground, &ray, &hit) ? (karst_hit){0} : hit;
}

bool karst_scene_height(const karst_scene *scene, double x, double z, double *y) {
    return karst_ground_height(scene->ground, x, z, y);
}

const karst_ground *karst_scene_ground(const karst_scene *scene) {
    return scene->ground;
}
