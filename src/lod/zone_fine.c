// SPDX-License-Identifier: MIT
// Cache of finest vertices. Its memory is pages, each cut into equal entries for pieces of one size. A piece takes a
// free entry of a page of its size, else a free page, else the page that no frame has used for longest is emptied;
// pages of this frame stay.
#include "zone_scene.h"

static uint32_t entry_vertices(int tiles_log2) {
    uint32_t side = ((uint32_t)KARST_TILE_CELLS << tiles_log2) + 1;
    return side * side;
}
static int entry_count(int tiles_log2) {
    return (int)(KST_PAGE_VERTICES / entry_vertices(tiles_log2));
}

// An entry is page * KST_PAGE_ENTRIES + its number in the page.
static uint32_t first_of(const kst_fine_cache *cache, int32_t entry) {
    int32_t page = entry / KST_PAGE_ENTRIES, k = entry % KST_PAGE_ENTRIES;
    return (uint32_t)page * KST_PAGE_VERTICES + (uint32_t)k * entry_vertices(cache->pages[page].tiles_log2);
}

const karst_fine *kst_zone_fine_at(const karst_zone_scene *scene, int slot, uint32_t piece) {
    int32_t entry = scene->slots[slot].fine[piece];
    return entry < 0 ? NULL : scene->fine.vertices + first_of(&scene->fine, entry);
}

int64_t karst_zone_scene_fine(const karst_zone_scene *scene, uint16_t zone, uint16_t piece) {
    KARST_ASSERT(zone < scene->slot_room && scene->slots[zone].zone && piece < scene->slots[zone].zone->piece_count);
    int32_t entry = scene->slots[zone].fine[piece];
    return entry < 0 ? KARST_ZONE_NOT_HERE : (int64_t)first_of(&scene->fine, entry);
}

static void empty(karst_zone_scene *scene, kst_fine_page *page) {
    for (int k = 0; k < KST_PAGE_ENTRIES; ++k) {
        if (page->owner[k] == KST_NOBODY) continue;
        scene->slots[page->owner[k] >> 16].fine[page->owner[k] & 0xFFFF] = -1;
        page->owner[k] = KST_NOBODY;
    }
    page->tiles_log2 = page->used = 0;
}

void kst_zone_fine_forget(karst_zone_scene *scene, int slot) {
    kst_zone_slot *s = &scene->slots[slot];
    for (uint32_t k = 0; k < s->zone->piece_count; ++k) {
        if (s->fine[k] < 0) continue;
        kst_fine_page *page = &scene->fine.pages[s->fine[k] / KST_PAGE_ENTRIES];
        page->owner[s->fine[k] % KST_PAGE_ENTRIES] = KST_NOBODY;
        if (!--page->used) page->tiles_log2 = 0;
        s->fine[k] = -1;
    }
}

void kst_zone_fine_free(karst_zone_scene *scene) {
    kst_fine_cache *c = &scene->fine;
    const karst_allocator *a = scene->def.allocator;
    size_t pages = (size_t)c->page_count;
    kst_free(a, c->vertices, pages * KST_PAGE_VERTICES * sizeof *c->vertices);
    kst_free(a, c->pages, pages * sizeof *c->pages);
    kst_free(a, c->uploads, c->upload_room * sizeof *c->uploads);
    *c = (kst_fine_cache){0};
}

// Pages for all the memory it may take, and room to tell of as many pieces as they hold.
static karst_status make_cache(karst_zone_scene *scene) {
    kst_fine_cache *c = &scene->fine;
    const karst_allocator *a = scene->def.allocator;
    size_t pages = (size_t)(scene->def.fine_bytes / (KST_PAGE_VERTICES * sizeof(karst_fine)));
    if (pages > INT32_MAX / KST_PAGE_VERTICES) pages = INT32_MAX / KST_PAGE_VERTICES;
    c->page_count = (int32_t)pages;
    c->upload_room = pages * KST_PAGE_ENTRIES;
    c->vertices = kst_alloc_array(a, pages * KST_PAGE_VERTICES, sizeof *c->vertices);
    c->pages = kst_alloc_array(a, pages, sizeof *c->pages);
    c->uploads = kst_alloc_array(a, c->upload_room, sizeof *c->uploads);
    if (!c->vertices || !c->pages || !c->uploads) {
        kst_zone_fine_free(scene);
        return KARST_ERROR_MEMORY;
    }
    for (size_t k = 0; k < pages; ++k) {
        c->pages[k] = (kst_fine_page){0};
        for (int e = 0; e < KST_PAGE_ENTRIES; ++e) c->pages[k].owner[e] = KST_NOBODY;
    }
    return KARST_OK;
}

// A page with a free entry for a piece of this size, or -1. *hint: where the last one of this size was.
static int32_t find_page(karst_zone_scene *scene, int tiles_log2, int32_t *hint) {
    kst_fine_cache *c = &scene->fine;
    int full = entry_count(tiles_log2);
    int32_t free_page = -1, oldest = -1;
    for (int32_t i = 0; i < c->page_count; ++i) {
        int32_t k = (*hint + i) % c->page_count;
        const kst_fine_page *p = &c->pages[k];
        if (p->tiles_log2 == tiles_log2 && p->used < full) return *hint = k;
        if (!p->tiles_log2 && free_page < 0) free_page = k;
        if (p->tiles_log2 && p->frame != c->frame && (oldest < 0 || p->frame < c->pages[oldest].frame)) oldest = k;
    }
    if (free_page < 0 && oldest >= 0) empty(scene, &c->pages[free_page = oldest]);
    if (free_page < 0) return -1;
    c->pages[free_page].tiles_log2 = (uint8_t)tiles_log2;
    return *hint = free_page;
}

static void take_entry(karst_zone_scene *scene, int slot, uint32_t piece, int32_t page) {
    kst_fine_cache *c = &scene->fine;
    kst_fine_page *p = &c->pages[page];
    int k = 0;
    while (p->owner[k] != KST_NOBODY) ++k;
    p->owner[k] = (uint32_t)slot << 16 | piece;
    p->frame = c->frame;
    ++p->used;
    int32_t entry = page * KST_PAGE_ENTRIES + k;
    scene->slots[slot].fine[piece] = entry;
    uint32_t first = first_of(c, entry);
    c->uploads[c->upload_count++] = (karst_zone_upload){.zone = (uint16_t)slot,
                                                        .piece = (uint16_t)piece,
                                                        .first = first,
                                                        .count = entry_vertices(p->tiles_log2),
                                                        .vertices = c->vertices + first};
}

static void make_vertices(int begin, int end, int worker, void *context) {
    (void)worker;
    karst_zone_scene *scene = context;
    for (int k = begin; k < end; ++k) {
        const karst_zone_upload *u = &scene->fine.uploads[k];
        karst_zone_fine(scene->slots[u->zone].zone, u->piece, scene->fine.vertices + u->first);
    }
}

karst_status karst_zone_scene_refine(karst_zone_scene *scene, karst_zone_refined *out) {
    kst_fine_cache *c = &scene->fine;
    karst_status status = c->pages ? KARST_OK : make_cache(scene);
    if (status) return status;
    ++c->frame;
    c->upload_count = 0;
    int32_t missing = 0, hint[5] = {0};
    // Those that are here hold their pages before others look for one.
    for (int pass = 0; pass < 2; ++pass)
        for (int s = 0; s < scene->slot_room; ++s) {
            kst_zone_slot *slot = &scene->slots[s];
            for (uint32_t k = 0; slot->zone && k < slot->zone->piece_count; ++k) {
                bool here = slot->fine[k] >= 0;
                if (slot->kind[k] != KST_PIECE_FINEST && slot->kind[k] != KST_PIECE_TILES) continue;
                if (here && pass == 0) c->pages[slot->fine[k] / KST_PAGE_ENTRIES].frame = c->frame;
                if (here || pass == 0) continue;
                int log2n = slot->zone->pieces[k].tiles_log2;
                int32_t page = find_page(scene, log2n, &hint[log2n]);
                if (page < 0)
                    ++missing;
                else
                    take_entry(scene, s, k, page);
            }
        }
    karst_jobs_for(scene->def.jobs, c->upload_count, 4, make_vertices, scene);
    *out = (karst_zone_refined){.uploads = c->uploads,
                                .upload_count = c->upload_count,
                                .missing = missing,
                                .room = (uint32_t)c->page_count * KST_PAGE_VERTICES};
    return KARST_OK;
}
