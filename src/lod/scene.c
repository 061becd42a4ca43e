// SPDX-License-Identifier: MIT
// Scene: from views to a frame. Cut the tree, make its chunks resident, level the corners, list the patches.
#include "scene.h"

#include <math.h>

#include "lod.h"
#include "slots.h"

// Of the error allowed, so that what rounding adds to a level stays inside it.
static const double kept_back = 1 - 0x1p-20;

struct karst_scene {
    karst_scene_def def;
    karst_pack *pack;
    karst_pack_info info;
    const karst_ground *ground;
    kst_cut cut;
    kst_slots slots;
    kst_leaf *children;  // wanted list of one level
    int32_t children_room;
    int32_t awaited;
    // The frame's arrays.
    karst_patch *found, *patches;  // found: in the order of discovery
    uint8_t *lattices;
    int32_t patch_room;
    karst_frame_chunk *chunks;
    int32_t chunk_room;
    karst_upload *uploads;
    karst_batch batches[KARST_LATTICE_COUNT];
};

karst_scene_def karst_scene_def_default(void) {
    return (karst_scene_def){.slot_count = 1024, .cookie = KST_COOKIE};
}

karst_budget karst_budget_default(void) {
    return (karst_budget){.error_px = 1, .load_limit = 64, .cull = true, .full_detail = false};
}

karst_status karst_scene_create(karst_pack *pack, const karst_scene_def *def, karst_scene **out) {
    karst_scene_def d = def ? *def : karst_scene_def_default();
    KARST_ASSERT(d.cookie == KST_COOKIE);
    if (d.slot_count < 16) d.slot_count = 16;
    if (d.slot_count > 2048) d.slot_count = 2048;
    karst_scene *scene = kst_alloc_zero(d.allocator, sizeof *scene);
    if (!scene) return KARST_ERROR_MEMORY;
    scene->def = d;
    scene->pack = pack;
    scene->info = karst_pack_info_of(pack);
    scene->ground = karst_pack_ground(pack);
    kst_tree tree = {.level_count = scene->info.level_count};
    for (int level = 0; level < tree.level_count; ++level) {
        karst_pack_chunk_grid(pack, level, &tree.grid_x[level], &tree.grid_z[level]);
        tree.nodes[level] = karst_pack_nodes(pack, level);
    }
    scene->uploads = kst_alloc_array(d.allocator, (size_t)d.slot_count, sizeof *scene->uploads);
    karst_status status = scene->uploads && scene->ground ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = kst_cut_create(&scene->cut, &tree, d.allocator);
    if (!status) status = kst_slots_create(&scene->slots, pack, &tree, d.slot_count, d.jobs, d.allocator);
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
    kst_cut_destroy(&scene->cut);
    kst_slots_destroy(&scene->slots);
    kst_free(a, scene->children, (size_t)scene->children_room * sizeof *scene->children);
    kst_free(a, scene->found, (size_t)scene->patch_room * sizeof *scene->found);
    kst_free(a, scene->patches, (size_t)scene->patch_room * sizeof *scene->patches);
    kst_free(a, scene->lattices, (size_t)scene->patch_room);
    kst_free(a, scene->chunks, (size_t)scene->chunk_room * sizeof *scene->chunks);
    kst_free(a, scene->uploads, (size_t)def.slot_count * sizeof *scene->uploads);
    kst_free(a, scene, sizeof *scene);
}

const karst_chunk *kst_scene_chunk(const karst_scene *scene, int slot) {
    return scene->slots.slot[slot].chunk;
}

// ---- residency: a chunk may split when its children are here ---------------------------------------

static karst_status make_ready(void *context, const kst_leaf *nodes, int count, bool *ready) {
    karst_scene *scene = context;
    kst_slots *slots = &scene->slots;
    const kst_tree *tree = &scene->cut.tree;
    if (4 * count > scene->children_room) {
        int32_t room = 4 * count;
        kst_leaf *fresh = kst_alloc_array(scene->def.allocator, (size_t)room, sizeof *fresh);
        if (!fresh) return KARST_ERROR_MEMORY;
        kst_free(scene->def.allocator, scene->children, (size_t)scene->children_room * sizeof *fresh);
        scene->children = fresh;
        scene->children_room = room;
    }
    int wanted = 0;
    for (int k = 0; k < count; ++k)
        for (int c = 0; c < 4; ++c) {
            int level = nodes[k].level - 1, x = 2 * nodes[k].x + (c & 1), z = 2 * nodes[k].z + (c >> 1);
            if (x < tree->grid_x[level] && z < tree->grid_z[level])
                scene->children[wanted++] = (kst_leaf){.level = level, .x = x, .z = z};
        }
    karst_status status = kst_slots_want(slots, scene->children, wanted);
    if (status) return status;
    for (int k = 0, at = 0; k < count; ++k) {
        ready[k] = true;
        for (; at < wanted && scene->children[at].x >> 1 == nodes[k].x && scene->children[at].z >> 1 == nodes[k].z;
             ++at)
            if (kst_slots_find(slots, scene->children[at].level, scene->children[at].x, scene->children[at].z) ==
                KST_SLOT_NONE) {
                ready[k] = false;
                ++scene->awaited;
            }
    }
    return KARST_OK;
}

static const karst_chunk_corners *corners_of(void *context, const kst_leaf *leaf) {
    karst_scene *scene = context;
    return &scene->slots.slot[kst_slots_find(&scene->slots, leaf->level, leaf->x, leaf->z)].chunk->corners;
}

// ---- the frame -------------------------------------------------------------------------------------

static karst_status reserve_frame(karst_scene *scene) {
    const karst_allocator *a = scene->def.allocator;
    int32_t chunks = scene->cut.leaf_count, patches = chunks * KARST_CHUNK_PATCHES * KARST_CHUNK_PATCHES;
    if (chunks > scene->chunk_room) {
        kst_free(a, scene->chunks, (size_t)scene->chunk_room * sizeof *scene->chunks);
        scene->chunks = kst_alloc_array(a, (size_t)chunks, sizeof *scene->chunks);
        scene->chunk_room = scene->chunks ? chunks : 0;
    }
    if (patches > scene->patch_room) {
        kst_free(a, scene->found, (size_t)scene->patch_room * sizeof *scene->found);
        kst_free(a, scene->patches, (size_t)scene->patch_room * sizeof *scene->patches);
        kst_free(a, scene->lattices, (size_t)scene->patch_room);
        scene->found = kst_alloc_array(a, (size_t)patches, sizeof *scene->found);
        scene->patches = kst_alloc_array(a, (size_t)patches, sizeof *scene->patches);
        scene->lattices = kst_alloc(a, (size_t)patches);
        scene->patch_room = patches;
        if (!scene->found || !scene->patches || !scene->lattices) {
            kst_free(a, scene->found, (size_t)patches * sizeof *scene->found);
            kst_free(a, scene->patches, (size_t)patches * sizeof *scene->patches);
            kst_free(a, scene->lattices, (size_t)patches);
            scene->found = scene->patches = NULL;
            scene->lattices = NULL;
            scene->patch_room = 0;
        }
    }
    return scene->chunk_room >= chunks && scene->patch_room >= patches ? KARST_OK : KARST_ERROR_MEMORY;
}

// Whole steps from the ground's origin to the camera, kept where differences to any chunk fit 32 bits.
static int64_t base_of(double at_m, double step_m, int64_t extent) {
    const double far = (double)(INT64_C(1) << 30);
    double steps = floor(at_m / step_m);
    if (!(steps > -far)) steps = -far;
    if (steps > (double)extent + far) steps = (double)extent + far;
    return (int64_t)steps;
}

static void place_frame(const karst_scene *scene, karst_pos eye, karst_frame *frame) {
    const karst_lattice *l = &scene->info.lattice;
    const karst_pos o = l->shape.origin;
    frame->origin = eye;
    frame->lattice = *l;
    frame->base[0] = base_of(eye.x - o.x, l->step_xz_m, (int64_t)l->shape.columns * l->cell_steps);
    frame->base[1] = base_of(eye.y - o.y, l->step_y_m, 0);
    frame->base[2] = base_of(eye.z - o.z, l->step_xz_m, (int64_t)l->shape.rows * l->cell_steps);
    frame->fraction = (karst_vec3){(float)(eye.x - o.x - (double)frame->base[0] * l->step_xz_m),
                                   (float)(eye.y - o.y - (double)frame->base[1] * l->step_y_m),
                                   (float)(eye.z - o.z - (double)frame->base[2] * l->step_xz_m)};
}

static karst_frame_chunk chunk_of(const karst_scene *scene, const kst_leaf *leaf, int slot, const karst_frame *frame) {
    const karst_lattice *l = &scene->info.lattice;
    karst_frame_chunk c = {.level = leaf->level, .slot = (uint16_t)slot};
    c.column = (leaf->x * KARST_CHUNK_CELLS) << leaf->level;
    c.row = (leaf->z * KARST_CHUNK_CELLS) << leaf->level;
    c.offset[0] = (int32_t)((int64_t)c.column * l->cell_steps - frame->base[0]);
    c.offset[1] = (int32_t)-frame->base[1];
    c.offset[2] = (int32_t)((int64_t)c.row * l->cell_steps - frame->base[2]);
    const uint64_t *hole = scene->slots.slot[slot].chunk->hole;
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) c.holes |= hole[j] != 0;
    return c;
}

karst_status karst_scene_update(karst_scene *scene, const karst_view *views, int view_count, const karst_budget *budget,
                                karst_frame *out) {
    karst_budget b = budget ? *budget : karst_budget_default();
    KARST_ASSERT(view_count >= 1 && view_count <= KARST_VIEWS_MAX && b.error_px > 0);
    const karst_pos origin = scene->info.lattice.shape.origin;
    kst_eye eyes[KARST_VIEWS_MAX];
    kst_frustum frusta[KARST_VIEWS_MAX];
    for (int v = 0; v < view_count; ++v) {
        eyes[v] = (kst_eye){(float)(views[v].eye.x - origin.x), (float)(views[v].eye.y - origin.y),
                            (float)(views[v].eye.z - origin.z),
                            (float)(karst_view_error_slope(&views[v], b.error_px) * kept_back)};
        frusta[v] = kst_frustum_of(&views[v], origin);
    }
    // The cut, with what it needs made resident. The root is always here.
    scene->awaited = 0;
    kst_slots_begin(&scene->slots, b.load_limit > 1 ? b.load_limit : 1);
    kst_leaf root = {.level = scene->cut.tree.level_count - 1};
    karst_status status = kst_slots_want(&scene->slots, &root, 1);
    if (!status)
        status = kst_cut_make(&scene->cut, eyes, b.cull ? frusta : NULL, view_count, b.full_detail, make_ready, scene);
    if (!status) status = reserve_frame(scene);
    if (status) return status;

    karst_frame frame = {0};
    place_frame(scene, views[0].eye, &frame);
    int counts[KARST_LATTICE_COUNT] = {0}, found = 0, chunks = 0;
    float worst = 0;
    for (int k = 0; k < scene->cut.leaf_count; ++k) {
        const kst_leaf *leaf = &scene->cut.leaves[k];
        float tight[6];
        if (!leaf->seen) continue;
        if (b.cull && !karst_pack_chunk_bounds(scene->pack, leaf->level, leaf->x, leaf->z, tight)) continue;
        int slot = kst_slots_find(&scene->slots, leaf->level, leaf->x, leaf->z);
        const karst_chunk *chunk = scene->slots.slot[slot].chunk;
        const karst_chunk_corners *c = &chunk->corners;
        float box_min[3], box_max[3];
        if (leaf->seen != leaf->whole) kst_chunk_box(c, box_min, box_max);
        unsigned seen = leaf->whole, whole = leaf->whole;
        for (int v = 0; v < view_count; ++v) {
            if ((whole >> v & 1) || !(leaf->seen >> v & 1)) continue;
            int in = kst_box_in(&frusta[v], box_min, box_max);
            seen |= (unsigned)(in > 0) << v;
            whole |= (unsigned)(in == 2) << v;
        }
        if (!seen) continue;
        float levels[KARST_CORNER_LANES], share = 0;
        if (b.full_detail)
            memset(levels, 0, sizeof levels);
        else
            kst_corner_levels(&scene->cut, leaf, c, eyes, view_count, corners_of, scene, levels, &share);
        int before = found;
        for (int pz = 0; pz < KARST_CHUNK_PATCHES; ++pz)
            for (int px = 0; px < KARST_CHUNK_PATCHES; ++px) {
                const int i00 = pz * KARST_CHUNK_CORNERS + px, i10 = i00 + 1, i01 = i00 + KARST_CHUNK_CORNERS,
                          i11 = i01 + 1;
                unsigned mask = whole;
                if (seen != whole) {  // a patch lies in the boxes of all its corners
                    float min[3] = {fmaxf(fmaxf(c->min_x[i00], c->min_x[i10]), fmaxf(c->min_x[i01], c->min_x[i11])),
                                    fmaxf(fmaxf(c->min_y[i00], c->min_y[i10]), fmaxf(c->min_y[i01], c->min_y[i11])),
                                    fmaxf(fmaxf(c->min_z[i00], c->min_z[i10]), fmaxf(c->min_z[i01], c->min_z[i11]))};
                    float max[3] = {fminf(fminf(c->max_x[i00], c->max_x[i10]), fminf(c->max_x[i01], c->max_x[i11])),
                                    fminf(fminf(c->max_y[i00], c->max_y[i10]), fminf(c->max_y[i01], c->max_y[i11])),
                                    fminf(fminf(c->max_z[i00], c->max_z[i10]), fminf(c->max_z[i01], c->max_z[i11]))};
                    for (int v = 0; v < view_count; ++v)
                        if (!(mask >> v & 1) && (seen >> v & 1) && kst_box_in(&frusta[v], min, max)) mask |= 1u << v;
                    if (!mask) continue;
                }
                karst_patch *p = &scene->found[found];
                *p = (karst_patch){.slot = (uint16_t)slot,
                                   .patch_x = (uint8_t)px,
                                   .patch_z = (uint8_t)pz,
                                   .chunk_index = (uint16_t)chunks,
                                   .view_mask = (uint16_t)mask,
                                   .corner_level = {levels[i00], levels[i10], levels[i11], levels[i01]}};
                int parity = (leaf->x * KARST_CHUNK_PATCHES + px + leaf->z * KARST_CHUNK_PATCHES + pz) & 1;
                int lattice = kst_patch_lattice(p->corner_level, parity);
                scene->lattices[found++] = (uint8_t)lattice;
                ++counts[lattice];
            }
        if (found == before) continue;
        scene->chunks[chunks++] = chunk_of(scene, leaf, slot, &frame);
        if (share > worst) worst = share;
    }
    // Batches by lattice; inside one, patches stay in the order of the cut.
    int first[KARST_LATTICE_COUNT], at = 0;
    for (int k = 0; k < KARST_LATTICE_COUNT; ++k) {
        first[k] = at;
        if (counts[k]) scene->batches[frame.batch_count++] = (karst_batch){k, at, counts[k]};
        at += counts[k];
        int index_count;
        karst_patch_indices(k, &index_count);
        frame.figures.triangles += (int64_t)counts[k] * (index_count / 3);
    }
    for (int k = 0; k < found; ++k) scene->patches[first[scene->lattices[k]]++] = scene->found[k];
    // What was filled and not told: also by updates that failed, so a renderer holds all that it draws.
    for (int k = 0; k < scene->slots.count; ++k) {
        kst_slot *slot = &scene->slots.slot[k];
        if (!slot->untold) continue;
        slot->untold = false;
        scene->uploads[frame.upload_count++] =
            (karst_upload){(uint16_t)k, slot->level, (slot->x * KARST_CHUNK_CELLS) << slot->level,
                           (slot->z * KARST_CHUNK_CELLS) << slot->level, slot->chunk};
    }
    frame.batches = scene->batches;
    frame.patches = scene->patches;
    frame.patch_count = found;
    frame.chunks = scene->chunks;
    frame.chunk_count = chunks;
    frame.uploads = scene->uploads;
    frame.figures.draws = frame.batch_count;
    frame.figures.worst_error_px = (float)(worst * b.error_px * kept_back);
    frame.figures.chunks_drawn = chunks;
    frame.figures.chunks_awaited = scene->awaited;
    frame.figures.nodes_visited = scene->cut.nodes_visited;
    *out = frame;
    return KARST_OK;
}

karst_status karst_scene_settle(karst_scene *scene, const karst_view *views, int view_count, const karst_budget *budget,
                                karst_frame *out) {
    karst_budget b = budget ? *budget : karst_budget_default();
    b.load_limit = INT32_MAX;  // one update takes the whole tree down as far as it is wanted
    return karst_scene_update(scene, views, view_count, &b, out);
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
