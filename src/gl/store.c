// SPDX-License-Identifier: MIT
// Store: what the shaders read of a pack.
//
// A slot's chunk lies packed in the heap. Slots are labelled with the chunk they hold, so that drawing a frame twice
// copies nothing twice, and a frame whose predecessors were never drawn still finds its chunks: in the pack.
#include "gl/store.h"

#include <stdlib.h>

#include "karst/resident.h"

enum { SLOTS_FIRST = 128, CHUNKS_MAX = 16384, TILES_A_ROW = 512 };

static GLuint texture_2d(GLenum format, int width, int height, int mips) {
    GLuint t;
    glCreateTextures(GL_TEXTURE_2D, 1, &t);
    glTextureStorage2D(t, mips, format, width, height);
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, mips > 1 ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
    glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, mips > 1 ? GL_LINEAR : GL_NEAREST);
    glTextureParameteri(t, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(t, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return t;
}

static int mip_count(int width, int height) {
    int n = 1;
    for (int side = width > height ? width : height; side > 1; side /= 2) ++n;
    return n;
}

static karst_status grow_slots(kst_store *store, int wanted) {
    int room = store->slot_room ? store->slot_room : SLOTS_FIRST;
    while (room < wanted) room *= 2;
    kst_label *label = realloc(store->label, (size_t)room * sizeof *label);
    if (!label) return KARST_ERROR_MEMORY;
    store->label = label;
    float(*error)[KARST_PATCH_LEVELS + 1][KARST_CORNER_COUNT] = realloc(store->error, (size_t)room * sizeof *error);
    if (!error) return KARST_ERROR_MEMORY;
    store->error = error;
    for (int k = store->slot_room; k < room; ++k) label[k] = (kst_label){.level = -1};
    store->slot_room = room;
    return KARST_OK;
}

enum { WORDS_ROOM = KARST_RESIDENT_WORDS_MAX + KST_HEAP_WIDTH };

static karst_status put_chunk(kst_store *store, int slot, const karst_chunk *chunk, int32_t level, int32_t column,
                              int32_t row) {
    kst_label *label = &store->label[slot];
    int32_t count = karst_resident_pack(chunk, store->words);
    label->level = -1;
    karst_status status = kst_heap_put(&store->heap, store->words, count, &label->run);
    store->texture[KST_UNIT_WORDS] = store->heap.texture;
    if (status) return status;
    for (int k = 0; k <= KARST_PATCH_LEVELS; ++k)
        memcpy(store->error[slot][k], chunk->corners.error[k], sizeof store->error[slot][k]);
    store->displaced |= (store->words[0] & KARST_RESIDENT_DISPLACED) != 0;
    *label = (kst_label){level, column, row, label->run, (store->words[0] & KARST_RESIDENT_TRANSPARENCY) != 0};
    if (slot >= store->slots_used) store->slots_used = slot + 1;
    return KARST_OK;
}

// ---- holes -----------------------------------------------------------------------------------------

typedef struct holes {
    kst_store *store;
    int32_t columns, rows;  // cells of the field
    int32_t chunks_x, chunks_z;
    int level_count;
    uint32_t *tile;  // a texel a chunk of level 0
    uint32_t *bits;  // 128 words a tile
    int tiles, room;
} holes;

// Whether any hole inside the field lies in cells [i0, i1) x [j0, j1) of a chunk; what is outside is marked too.
static bool any_hole(const holes *h, const karst_chunk *chunk, int level, int32_t x, int32_t z, int i0, int j0, int i1,
                     int j1) {
    int64_t left = h->columns - (((int64_t)x * KARST_CHUNK_CELLS) << level);
    int64_t below = h->rows - (((int64_t)z * KARST_CHUNK_CELLS) << level);
    int64_t inside_i = (left + ((int64_t)1 << level) - 1) >> level;
    int64_t inside_j = (below + ((int64_t)1 << level) - 1) >> level;
    if (inside_i < i1) i1 = (int)inside_i;
    if (inside_j < j1) j1 = (int)inside_j;
    if (i1 <= i0) return false;
    uint64_t mask = (i1 - i0 == 64 ? ~UINT64_C(0) : ((UINT64_C(1) << (i1 - i0)) - 1)) << i0;
    for (int j = j0; j < j1; ++j)
        if (chunk->hole[j] & mask) return true;
    return false;
}

static karst_status add_tile(holes *h, int32_t x, int32_t z, const karst_chunk *chunk) {
    if (h->tiles == h->room) {
        int room = h->room ? 2 * h->room : 64;
        uint32_t *bits = realloc(h->bits, (size_t)room * 128 * sizeof *bits);
        if (!bits) return KARST_ERROR_MEMORY;
        h->bits = bits;
        h->room = room;
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j)
        for (int k = 0; k < 2; ++k) h->bits[h->tiles * 128 + 2 * j + k] = (uint32_t)(chunk->hole[j] >> (32 * k));
    h->tile[(size_t)z * (size_t)h->chunks_x + (size_t)x] = (uint32_t)++h->tiles;
    return KARST_OK;
}

// A coarser chunk marks every cell with a hole anywhere below, so only chunks on the way to holes are read.
static karst_status find_holes(holes *h, int level, int32_t x, int32_t z) {
    karst_chunk *chunk = malloc(sizeof *chunk);
    if (!chunk) return KARST_ERROR_MEMORY;
    karst_status status = karst_pack_read_chunk(h->store->pack, level, x, z, chunk);
    if (!status && level == 0 && any_hole(h, chunk, 0, x, z, 0, 0, KARST_CHUNK_CELLS, KARST_CHUNK_CELLS))
        status = add_tile(h, x, z, chunk);
    int32_t across = 0, down = 0;
    if (level > 0) karst_pack_chunk_grid(h->store->pack, level - 1, &across, &down);
    enum { HALF = KARST_CHUNK_CELLS / 2 };
    for (int k = 0; k < 4 && level > 0 && !status; ++k) {
        int32_t cx = 2 * x + (k & 1), cz = 2 * z + (k >> 1);
        int i = (k & 1) * HALF, j = (k >> 1) * HALF;
        if (cx < across && cz < down && any_hole(h, chunk, level, x, z, i, j, i + HALF, j + HALF))
            status = find_holes(h, level - 1, cx, cz);
    }
    free(chunk);
    return status;
}

static karst_status make_holes(kst_store *store) {
    karst_pack_info info = karst_pack_info_of(store->pack);
    holes h = {.store = store,
               .columns = info.lattice.shape.columns - 1,
               .rows = info.lattice.shape.rows - 1,
               .level_count = info.level_count};
    karst_pack_chunk_grid(store->pack, 0, &h.chunks_x, &h.chunks_z);
    h.tile = calloc((size_t)h.chunks_x * (size_t)h.chunks_z, sizeof *h.tile);
    karst_status status = h.tile ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status && info.hole_count) status = find_holes(&h, info.level_count - 1, 0, 0);
    int lines = (h.tiles + TILES_A_ROW - 1) / TILES_A_ROW;
    GLint side = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &side);
    if (!status && (64 * lines > side || h.chunks_x > side || h.chunks_z > side)) status = KARST_ERROR_LIMIT;
    if (!status) {
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        store->texture[KST_UNIT_HOLE_TILE] = texture_2d(GL_R32UI, h.chunks_x, h.chunks_z, 1);
        glTextureSubImage2D(store->texture[KST_UNIT_HOLE_TILE], 0, 0, 0, h.chunks_x, h.chunks_z, GL_RED_INTEGER,
                            GL_UNSIGNED_INT, h.tile);
        store->texture[KST_UNIT_HOLE_BITS] = texture_2d(GL_R32UI, 2 * TILES_A_ROW, lines ? 64 * lines : 1, 1);
        for (int k = 0; k < h.tiles; ++k)
            glTextureSubImage2D(store->texture[KST_UNIT_HOLE_BITS], 0, 2 * (k % TILES_A_ROW), 64 * (k / TILES_A_ROW), 2,
                                64, GL_RED_INTEGER, GL_UNSIGNED_INT, h.bits + (size_t)k * 128);
    }
    free(h.tile);
    free(h.bits);
    return status;
}

// ---- maps ------------------------------------------------------------------------------------------

// A look map as a texture with mips; a pack without it gets one texel that says "plain".
static karst_status make_map(kst_store *store, const char *name, int unit, int channels, const void *plain) {
    karst_map map;
    karst_status status = store->pack ? karst_pack_map(store->pack, name, &map) : KARST_ERROR_UNSUPPORTED;
    bool wide = unit == KST_UNIT_HEIGHT_MAP;
    if (status == KARST_ERROR_UNSUPPORTED || (!status && (map.channels != channels || map.sample_bytes != 1 + wide)))
        map = (karst_map){.width = 1, .height = 1, .samples = plain};
    else if (status)
        return status;
    const GLenum sized[5] = {0, GL_R16, GL_RG8, 0, GL_RGBA8}, layout[5] = {0, GL_RED, GL_RG, 0, GL_RGBA};
    GLuint t = texture_2d(sized[channels], map.width, map.height, mip_count(map.width, map.height));
    glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTextureParameteri(t, GL_TEXTURE_WRAP_S, GL_MIRRORED_REPEAT);
    glTextureParameteri(t, GL_TEXTURE_WRAP_T, GL_MIRRORED_REPEAT);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(t, 0, 0, 0, map.width, map.height, layout[channels],
                        wide ? GL_UNSIGNED_SHORT : GL_UNSIGNED_BYTE, map.samples);
    glGenerateTextureMipmap(t);
    store->texture[unit] = t;
    return KARST_OK;
}

karst_status kst_store_create(kst_store *store, karst_pack *pack, karst_report *report) {
    *store = (kst_store){.pack = pack};
    store->scratch = malloc(sizeof *store->scratch);
    store->words = calloc(WORDS_ROOM, sizeof *store->words);
    karst_status status = store->scratch && store->words ? grow_slots(store, SLOTS_FIRST) : KARST_ERROR_MEMORY;
    if (!status && pack) status = make_holes(store);
    static const uint8_t up[2] = {128, 128}, open[4] = {255, 128, 128, 0};
    static const uint16_t zero;
    if (!status) status = make_map(store, "normal", KST_UNIT_NORMAL_MAP, 2, up);
    if (!status) status = make_map(store, "relief", KST_UNIT_RELIEF_MAP, 4, open);
    if (!status) status = make_map(store, "height", KST_UNIT_HEIGHT_MAP, 1, &zero);
    if (status) {
        kst_store_destroy(store);
        if (status == KARST_ERROR_PENDING)
            return kst_fail(report, status, "the pack's look maps are not here yet: wait for more of the file");
        return kst_fail(report, status, "the pack's chunks or look maps cannot be read: %s; bake it again",
                        karst_status_text(status));
    }
    store->texture[KST_UNIT_CHUNKS] = texture_2d(GL_RGBA32I, 2, CHUNKS_MAX, 1);
    store->texture[KST_UNIT_DEPEND] = texture_2d(GL_RGBA8UI, KARST_PATCH_CELLS + 1, KARST_PATCH_CELLS + 1, 1);
    enum { POINTS = (KARST_PATCH_CELLS + 1) * (KARST_PATCH_CELLS + 1) };
    uint8_t depend[POINTS][4];
    for (int k = 0; k < POINTS; ++k)
        for (int e = 0; e < 4; ++e) depend[k][e] = karst_patch_depend()[e * POINTS + k];
    glTextureSubImage2D(store->texture[KST_UNIT_DEPEND], 0, 0, 0, KARST_PATCH_CELLS + 1, KARST_PATCH_CELLS + 1,
                        GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, depend);
    return KARST_OK;
}

void kst_store_destroy(kst_store *store) {
    kst_heap_destroy(&store->heap);
    store->texture[KST_UNIT_WORDS] = 0;
    for (int k = 0; k < KST_UNIT_COUNT; ++k)
        if (store->texture[k]) glDeleteTextures(1, &store->texture[k]);
    free(store->label);
    free(store->error);
    free(store->scratch);
    free(store->words);
    *store = (kst_store){0};
}

// ---- frames ----------------------------------------------------------------------------------------

static bool holds(const kst_label *label, int32_t level, int32_t column, int32_t row) {
    return label->level == level && label->column == column && label->row == row;
}

karst_status kst_store_update(kst_store *store, const karst_frame *frame) {
    int most = 0;
    for (int k = 0; k < frame->upload_count; ++k)
        if (frame->uploads[k].slot >= most) most = frame->uploads[k].slot + 1;
    for (int k = 0; k < frame->chunk_count; ++k)
        if (frame->chunks[k].slot >= most) most = frame->chunks[k].slot + 1;
    if (frame->chunk_count > CHUNKS_MAX) return KARST_ERROR_LIMIT;
    karst_status status = most > store->slot_room ? grow_slots(store, most) : KARST_OK;
    for (int k = 0; k < frame->upload_count && !status; ++k) {
        const karst_upload *u = &frame->uploads[k];
        if (!holds(&store->label[u->slot], u->level, u->column, u->row))
            status = put_chunk(store, u->slot, u->chunk, u->level, u->column, u->row);
    }
    int32_t(*line)[2][4] = malloc((size_t)(frame->chunk_count ? frame->chunk_count : 1) * sizeof *line);
    if (!line) return KARST_ERROR_MEMORY;
    for (int k = 0; k < frame->chunk_count && !status; ++k) {
        const karst_frame_chunk *c = &frame->chunks[k];
        if (!holds(&store->label[c->slot], c->level, c->column,
                   c->row)) {  // its upload was in a frame that was not drawn
            int shift = c->level;
            status = karst_pack_read_chunk(store->pack, c->level, (c->column >> shift) / KARST_CHUNK_CELLS,
                                           (c->row >> shift) / KARST_CHUNK_CELLS, store->scratch);
            if (!status) status = put_chunk(store, c->slot, store->scratch, c->level, c->column, c->row);
            if (status) break;
        }
        memcpy(line[k][0], c->offset, sizeof c->offset);
        line[k][0][3] = c->level | (c->mirror_x ? 256 : 0) | (c->mirror_z ? 512 : 0);
        line[k][1][0] = c->column;
        line[k][1][1] = c->row;
        line[k][1][2] = c->slot | c->awaited << 16;
        line[k][1][3] = store->label[c->slot].run.row;
    }
    if (!status && frame->chunk_count)
        glTextureSubImage2D(store->texture[KST_UNIT_CHUNKS], 0, 0, 0, 2, frame->chunk_count, GL_RGBA_INTEGER, GL_INT,
                            line);
    free(line);
    return status;
}

void kst_store_bind(const kst_store *store) {
    glBindTextures(0, KST_UNIT_COUNT, store->texture);
    glBindSamplers(0, KST_UNIT_COUNT, NULL);
}
