// SPDX-License-Identifier: MIT
// The leaves of the tree as a mesh of vertices and triangles.
#include "lod/rqt.h"

// ---- from the tree -----------------------------------------------------------------------------------

static bool count_leaf(void *context, const kst_half *leaf) {
    (void)leaf;
    ++*(size_t *)context;
    return true;
}

typedef struct builder {
    const kst_rqt *r;
    kst_net *net;
} builder;

uint32_t kst_net_vertex(kst_net *net, const kst_rqt *r, kst_node place) {
    size_t sample = kst_place_at(r, place);
    int32_t *at = &net->vertex_at[sample];
    if (*at == KST_NONE) {
        *at = (int32_t)net->vertex_count++;
        net->place[*at] = place;
        net->height[*at] = r->y[sample];
    }
    return (uint32_t)*at;
}

static bool add_leaf(void *context, const kst_half *leaf) {
    const builder *b = context;
    const kst_node node[3] = {leaf->w, leaf->a, leaf->b};
    for (int k = 0; k < 3; ++k) kst_net_vertex(b->net, b->r, kst_node_place(b->r, node[k]));
    kst_net_corners(b->net, b->r, leaf, b->net->corner[b->net->triangle_count++]);
    return true;
}

karst_status kst_net_open(kst_net *net, const kst_rqt *r) {
    *net = (kst_net){.allocator = r->allocator};
    size_t samples = (size_t)r->columns * (size_t)r->rows, triangles = 0;
    kst_rqt_leaves(r, count_leaf, &triangles);
    net->triangle_room = triangles + 1;
    net->vertex_room = 3 * triangles < samples ? 3 * triangles + 1 : samples;
    net->vertex_at = kst_alloc_array(r->allocator, samples, sizeof *net->vertex_at);
    net->place = kst_alloc_array(r->allocator, net->vertex_room, sizeof *net->place);
    net->height = kst_alloc_array(r->allocator, net->vertex_room, sizeof *net->height);
    net->corner = kst_alloc_array(r->allocator, net->triangle_room, sizeof *net->corner);
    if (!net->vertex_at || !net->place || !net->corner || !net->height) return KARST_ERROR_MEMORY;
    memset(net->vertex_at, 0xFF, samples * sizeof *net->vertex_at);
    kst_rqt_leaves(r, add_leaf, &(builder){r, net});
    return KARST_OK;
}

void kst_net_unlink(kst_net *net) {
    kst_free(net->allocator, net->head, net->vertex_room * sizeof *net->head);
    kst_free(net->allocator, net->next, net->triangle_room * sizeof *net->next);
    net->head = NULL;
    net->next = NULL;
}

void kst_net_close(kst_net *net, const kst_rqt *r) {
    size_t samples = (size_t)r->columns * (size_t)r->rows;
    kst_free(net->allocator, net->vertex_at, samples * sizeof *net->vertex_at);
    kst_free(net->allocator, net->place, net->vertex_room * sizeof *net->place);
    kst_free(net->allocator, net->height, net->vertex_room * sizeof *net->height);
    kst_free(net->allocator, net->corner, net->triangle_room * sizeof *net->corner);
    kst_net_unlink(net);
    *net = (kst_net){0};
}

karst_status kst_net_reserve(kst_net *net, size_t more_vertices, size_t more_triangles) {
    const karst_allocator *a = net->allocator;
    size_t vertices = net->vertex_count + more_vertices, triangles = net->triangle_count + more_triangles;
    kst_node *place = kst_alloc_array(a, vertices, sizeof *place);
    float *height = kst_alloc_array(a, vertices, sizeof *height);
    uint32_t(*corner)[3] = kst_alloc_array(a, triangles, sizeof *corner);
    bool good = place && height && corner;
    if (good) {
        memcpy(place, net->place, net->vertex_count * sizeof *place);
        memcpy(height, net->height, net->vertex_count * sizeof *height);
        memcpy(corner, net->corner, net->triangle_count * sizeof *corner);
    }
    kst_free(a, good ? net->place : place, (good ? net->vertex_room : vertices) * sizeof *place);
    kst_free(a, good ? net->height : height, (good ? net->vertex_room : vertices) * sizeof *height);
    kst_free(a, good ? net->corner : corner, (good ? net->triangle_room : triangles) * sizeof *corner);
    if (!good) return KARST_ERROR_MEMORY;
    kst_net_unlink(net);
    net->place = place;
    net->height = height;
    net->corner = corner;
    net->vertex_room = vertices;
    net->triangle_room = triangles;
    return KARST_OK;
}

void kst_net_corners(const kst_net *net, const kst_rqt *r, const kst_half *t, uint32_t out[3]) {
    // Rows run towards the viewer, so a turn from column to row is clockwise. Standing elsewhere never turns it over.
    int64_t turn = (int64_t)(t->a.i - t->w.i) * (t->b.j - t->w.j) - (int64_t)(t->b.i - t->w.i) * (t->a.j - t->w.j);
    kst_node node[3] = {t->w, turn > 0 ? t->b : t->a, turn > 0 ? t->a : t->b};
    for (int k = 0; k < 3; ++k) out[k] = (uint32_t)net->vertex_at[kst_place_at(r, kst_node_place(r, node[k]))];
}

// ---- corners by vertex ---------------------------------------------------------------------------------

void kst_net_put(kst_net *net, uint32_t triangle, const uint32_t v[3]) {
    for (int k = 0; k < 3; ++k) {
        net->corner[triangle][k] = v[k];
        net->next[triangle][k] = net->head[v[k]];
        net->head[v[k]] = (int32_t)(3 * triangle) + k;
    }
}

void kst_net_take(kst_net *net, uint32_t triangle) {
    for (int k = 0; k < 3; ++k) {
        int32_t *at = &net->head[net->corner[triangle][k]];
        while (*at != (int32_t)(3 * triangle) + k) at = &net->next[*at / 3][*at % 3];
        *at = net->next[triangle][k];
    }
    net->corner[triangle][0] = KST_GONE;
}

karst_status kst_net_link(kst_net *net) {
    net->head = kst_alloc_array(net->allocator, net->vertex_room, sizeof *net->head);
    net->next = kst_alloc_array(net->allocator, net->triangle_room, sizeof *net->next);
    if (!net->head || !net->next) return KARST_ERROR_MEMORY;
    for (uint32_t v = 0; v < net->vertex_count; ++v) net->head[v] = KST_NONE;
    for (uint32_t t = 0; t < net->triangle_count; ++t) {
        uint32_t v[3];
        memcpy(v, net->corner[t], sizeof v);
        kst_net_put(net, t, v);
    }
    return KARST_OK;
}

static bool has(const uint32_t corner[3], uint32_t v) {
    return corner[0] == v || corner[1] == v || corner[2] == v;
}

int32_t kst_net_find(const kst_net *net, const uint32_t v[3]) {
    for (int32_t k = net->head[v[0]]; k != KST_NONE; k = net->next[k / 3][k % 3])
        if (has(net->corner[k / 3], v[1]) && has(net->corner[k / 3], v[2])) return k / 3;
    return KST_NONE;
}

void kst_net_pack(kst_net *net, const kst_rqt *r) {
    uint32_t triangles = 0, vertices = 0;
    int32_t *fresh = net->head;  // its lists end here
    for (uint32_t v = 0; v < net->vertex_count; ++v) {
        size_t sample = kst_place_at(r, net->place[v]);
        net->vertex_at[sample] = KST_NONE;
        if (net->head[v] == KST_NONE) continue;
        net->vertex_at[sample] = (int32_t)vertices;
        net->place[vertices] = net->place[v];
        net->height[vertices] = net->height[v];
        fresh[v] = (int32_t)vertices++;
    }
    for (uint32_t t = 0; t < net->triangle_count; ++t) {
        if (net->corner[t][0] == KST_GONE) continue;
        for (int k = 0; k < 3; ++k) net->corner[triangles][k] = (uint32_t)fresh[net->corner[t][k]];
        ++triangles;
    }
    net->triangle_count = triangles;
    net->vertex_count = vertices;
    kst_net_unlink(net);
}
