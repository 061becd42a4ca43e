// SPDX-License-Identifier: MIT
// Methods: their names, and what they share.
#include "method.h"

static const char *const names[KARST_METHOD_COUNT] = {
    [KARST_METHOD_GRID] = "grid", [KARST_METHOD_TESS] = "tess", [KARST_METHOD_RINGS] = "rings"};

const char *karst_method_name(karst_method method) {
    KARST_ASSERT((unsigned)method < KARST_METHOD_COUNT);
    return names[method];
}

bool karst_method_find(const char *name, karst_method *out) {
    for (int k = 0; k < KARST_METHOD_COUNT; ++k)
        if (!strcmp(name, names[k])) {
            *out = (karst_method)k;
            return true;
        }
    return false;
}

karst_status kst_method_want_room(kst_method *m, int32_t count) {
    if (count <= m->wanted_room) return KARST_OK;
    const karst_allocator *a = m->slots.allocator;
    kst_leaf *fresh = kst_alloc_array(a, (size_t)count, sizeof *fresh);
    if (!fresh) return KARST_ERROR_MEMORY;
    kst_free(a, m->wanted, (size_t)m->wanted_room * sizeof *fresh);
    m->wanted = fresh;
    m->wanted_room = count;
    return KARST_OK;
}
