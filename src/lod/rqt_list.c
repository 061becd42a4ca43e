// SPDX-License-Identifier: MIT
// Growing arrays.
#include "lod/rqt.h"

void *kst_list_add(const karst_allocator *allocator, kst_list *list, size_t bytes) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 1024;
        uint8_t *fresh = kst_alloc_array(allocator, room, bytes);
        if (!fresh) return NULL;
        if (list->count) memcpy(fresh, list->items, list->count * bytes);
        kst_free(allocator, list->items, list->room * bytes);
        list->items = fresh;
        list->room = room;
    }
    return (uint8_t *)list->items + bytes * list->count++;
}

void kst_list_free(const karst_allocator *allocator, kst_list *list, size_t bytes) {
    kst_free(allocator, list->items, list->room * bytes);
    *list = (kst_list){0};
}
