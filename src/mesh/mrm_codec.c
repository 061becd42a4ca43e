// SPDX-License-Identifier: MIT
// What writer and reader of .kmrm share: lists of corners, rows of bytes.
#include "mesh/mrm_codec.h"

bool kst_mrm_net_begin(kst_mrm_net *n, uint32_t wedges, uint32_t triangles) {
    *n = (kst_mrm_net){.wedges = wedges, .triangles = triangles};
    n->corner = kst_alloc_array(NULL, triangles, sizeof *n->corner);
    n->head = kst_alloc_array(NULL, wedges, 4);
    n->next = kst_alloc_array(NULL, 3 * (size_t)triangles, 4);
    n->mark = kst_alloc_zero(NULL, (size_t)wedges * 4);
    if (!n->corner || !n->head || !n->next || !n->mark) return false;
    memset(n->head, 0xff, (size_t)wedges * 4);
    return true;
}

void kst_mrm_net_end(kst_mrm_net *n) {
    kst_free(NULL, n->corner, (size_t)n->triangles * sizeof *n->corner);
    kst_free(NULL, n->head, (size_t)n->wedges * 4);
    kst_free(NULL, n->next, 3 * (size_t)n->triangles * 4);
    kst_free(NULL, n->mark, (size_t)n->wedges * 4);
}

void kst_mrm_net_add(kst_mrm_net *n, uint32_t triangle) {
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t w = n->corner[triangle][k];
        n->next[3 * triangle + k] = n->head[w];
        n->head[w] = 3 * triangle + k;
    }
}

static void add_near(kst_mrm_net *n, uint32_t wedge, uint32_t out[KST_MRM_NEAR], int *count) {
    if (n->mark[wedge] == n->stamp || *count == KST_MRM_NEAR) return;
    n->mark[wedge] = n->stamp;
    out[(*count)++] = wedge;
}

int kst_mrm_net_near(kst_mrm_net *n, const uint32_t *parent, uint32_t from, uint32_t to, uint32_t out[KST_MRM_NEAR]) {
    int count = 0;
    ++n->stamp;
    for (uint32_t w = from; w < to; ++w)
        if (parent[w] != w) add_near(n, parent[w], out, &count);
    for (uint32_t w = from; w < to; ++w) {
        if (parent[w] == w) continue;
        for (uint32_t c = n->head[parent[w]]; c != KST_NONE && count < KST_MRM_NEAR; c = n->next[c])
            for (uint32_t k = 1; k < 3; ++k) add_near(n, n->corner[c / 3][(c % 3 + k) % 3], out, &count);
    }
    return count;
}

uint8_t *kst_kmrm_row_add(kst_kmrm_row *b, size_t count) {
    size_t need;
    if (b->failed || !kst_size_add(b->count, count, &need)) return NULL;
    if (need > b->room) {
        size_t room = 2 * need + 64;
        uint8_t *at = kst_alloc(NULL, room);
        if (!at) {
            b->failed = true;
            return NULL;
        }
        if (b->count) memcpy(at, b->at, b->count);
        kst_free(NULL, b->at, b->room);
        b->at = at;
        b->room = room;
    }
    uint8_t *place = b->at + b->count;
    b->count = need;
    return place;
}

void kst_kmrm_row_free(kst_kmrm_row *b) {
    kst_free(NULL, b->at, b->room);
    *b = (kst_kmrm_row){0};
}

void kst_split_bytes(const void *elements, size_t count, size_t bytes, uint8_t *out) {
    const uint8_t *in = elements;
    for (size_t k = 0; k < bytes; ++k)
        for (size_t i = 0; i < count; ++i) *out++ = in[i * bytes + k];
}

void kst_join_bytes(const uint8_t *split, size_t count, size_t bytes, void *elements) {
    uint8_t *out = elements;
    for (size_t k = 0; k < bytes; ++k)
        for (size_t i = 0; i < count; ++i) out[i * bytes + k] = *split++;
}
