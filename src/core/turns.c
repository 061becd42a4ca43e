// SPDX-License-Identifier: MIT
// Which of many things to turn over so that neighbours face alike.
#include "core/turns.h"

karst_status kst_turns_create(kst_turns *t, int32_t count, const karst_allocator *allocator) {
    *t = (kst_turns){.count = count, .allocator = allocator};
    t->parent = kst_alloc_array(allocator, (size_t)count + 1, sizeof *t->parent);
    t->against = kst_alloc_zero(allocator, (size_t)count + 1);
    if (!t->parent || !t->against) {
        kst_turns_destroy(t);
        return KARST_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < count; ++k) t->parent[k] = k;
    return KARST_OK;
}

void kst_turns_destroy(kst_turns *t) {
    kst_free(t->allocator, t->parent, ((size_t)t->count + 1) * sizeof *t->parent);
    kst_free(t->allocator, t->against, (size_t)t->count + 1);
    *t = (kst_turns){0};
}

// The first of its set, and whether k faces against it. Ways are halved on the way.
static int32_t root_of(kst_turns *t, int32_t k, uint8_t *against) {
    *against = 0;
    while (t->parent[k] != k) {
        int32_t up = t->parent[k];
        t->against[k] ^= t->parent[up] != up ? t->against[up] : 0;
        t->parent[k] = t->parent[up];
        *against ^= t->against[k];
        k = t->parent[k];
    }
    return k;
}

bool kst_turns_link(kst_turns *t, int32_t a, int32_t b, bool alike) {
    uint8_t of_a, of_b;
    int32_t x = root_of(t, a, &of_a), y = root_of(t, b, &of_b);
    uint8_t turn = of_a ^ of_b ^ !alike;
    if (x == y) return !turn;
    int32_t low = x < y ? x : y, high = x < y ? y : x;
    t->parent[high] = low, t->against[high] = turn;
    return true;
}

karst_status kst_turns_settle(kst_turns *t, uint8_t *out) {
    int32_t *unlike = kst_alloc_zero(t->allocator, ((size_t)t->count + 1) * sizeof *unlike);  // less alike
    if (!unlike) return KARST_ERROR_MEMORY;
    for (int32_t k = 0; k < t->count; ++k) {
        int32_t root = root_of(t, k, &out[k]);
        unlike[root] += out[k] ? 1 : -1;
    }
    for (int32_t k = 0; k < t->count; ++k) {
        uint8_t against;
        out[k] ^= unlike[root_of(t, k, &against)] > 0;
    }
    kst_free(t->allocator, unlike, ((size_t)t->count + 1) * sizeof *unlike);
    return KARST_OK;
}
