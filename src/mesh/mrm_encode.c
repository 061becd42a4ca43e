// SPDX-License-Identifier: MIT
// Writing .kmrm: blocks from coarse to fine, each with its vertices, wedges, triangles and records.
//
// No index array is written. A record names its parents; its triangles name their corners among the wedges round the
// parents; one bit a corner of a parent says whether it becomes the new wedge's. The reader needs no more, since it has
// the coarser mesh: H. Hoppe, "Efficient Implementation of Progressive Meshes", 1998.
#include "mesh/mrm_codec.h"

enum { LEVEL = 12, SMALL_BLOCK = 256 };

typedef struct encoding {
    const kst_mrm_list *l;
    kst_mrm_net net;
    kst_kmrm_row parents, faces, masks, raw, out;
    int bits;        // used of the last byte of masks
    uint8_t *moves;  // per slot: this corner goes to the wedge at work
    kst_kmrm_entry entry[KST_KMRM_BLOCKS];
    int entries;
} encoding;

static void put_varint(kst_kmrm_row *b, uint32_t v) {
    do {
        uint8_t *at = kst_kmrm_row_add(b, 1);
        if (!at) return;
        *at = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        v >>= 7;
    } while (v);
}

static void put_bit(encoding *e, bool bit) {
    if (e->bits == 8 || !e->masks.count) {
        uint8_t *at = kst_kmrm_row_add(&e->masks, 1);
        if (!at) return;
        *at = 0;
        e->bits = 0;
    }
    if (bit) e->masks.at[e->masks.count - 1] |= (uint8_t)(1 << e->bits);
    ++e->bits;
}

static void put_split(kst_kmrm_row *b, const void *elements, size_t count, size_t bytes) {
    uint8_t *at = count ? kst_kmrm_row_add(b, count * bytes) : NULL;
    if (at) kst_split_bytes(elements, count, bytes, at);
}

static void put_uint(kst_kmrm_row *b, uint64_t v, int bytes) {
    kst_out o = {kst_kmrm_row_add(b, (size_t)bytes)};
    if (o.at) kst_put_uint(&o, v, bytes);
}

// ---- connections ---------------------------------------------------------------------------------------

static uint32_t triangles_at(const kst_mrm_list *l, uint32_t vertices) {
    return vertices ? l->triangle_end[vertices - 1] : 0;
}

static void put_corner(encoding *e, uint32_t wedge, const uint32_t *near, int count) {
    int k = 0;
    while (k < count && near[k] != wedge) ++k;
    put_varint(&e->faces, k < count ? (uint32_t)k + 1 : 0);
    if (k == count) put_varint(&e->faces, wedge);
}

// A new triangle: which corner is the vertex's, and the two others.
static void put_triangle(encoding *e, uint32_t t, uint32_t from, uint32_t to, const uint32_t *near, int count) {
    const uint32_t *c = e->net.corner[t];
    uint32_t k = 0;
    while (k < 2 && (c[k] < from || c[k] >= to)) ++k;
    put_varint(&e->faces, k + 3 * (c[k] - from));
    put_corner(e, c[(k + 1) % 3], near, count);
    put_corner(e, c[(k + 2) % 3], near, count);
}

// Corners of the parent that become w's leave its list for that of w, in order.
static void split_list(encoding *e, uint32_t w) {
    const kst_mrm_list *l = e->l;
    kst_mrm_net *n = &e->net;
    uint32_t first = w ? l->slot_end[w - 1] : 0;
    for (uint32_t i = first; i < l->slot_end[w]; ++i) e->moves[l->slot[i]] = 1;
    uint32_t *stay = &n->head[l->parent[w]], *go = &n->head[w], c = *stay;
    while (c != KST_NONE) {
        uint32_t next = n->next[c];
        put_bit(e, e->moves[c]);
        uint32_t **list = e->moves[c] ? &go : &stay;
        if (e->moves[c]) n->corner[c / 3][c % 3] = w;
        **list = c;
        *list = &n->next[c];
        c = next;
    }
    *stay = *go = KST_NONE;
    for (uint32_t i = first; i < l->slot_end[w]; ++i) e->moves[l->slot[i]] = 0;
}

static void put_vertex(encoding *e, uint32_t v, uint32_t from, uint32_t to) {
    const kst_mrm_list *l = e->l;
    uint32_t near[KST_MRM_NEAR], first = triangles_at(l, v), end = triangles_at(l, v + 1);
    put_varint(&e->parents, to - from);
    for (uint32_t w = from; w < to; ++w) put_varint(&e->parents, w - l->parent[w]);
    int count = kst_mrm_net_near(&e->net, l->parent, from, to, near);
    put_varint(&e->faces, end - first);
    for (uint32_t t = first; t < end; ++t) put_triangle(e, t, from, to, near, count);
    for (uint32_t w = from; w < to; ++w)
        if (l->parent[w] != w) split_list(e, w);
    for (uint32_t t = first; t < end; ++t) kst_mrm_net_add(&e->net, t);
}

// ---- blocks --------------------------------------------------------------------------------------------

static void put_part(kst_kmrm_row *raw, kst_kmrm_row *part) {
    put_uint(raw, part->count, 4);
    uint8_t *at = part->count ? kst_kmrm_row_add(raw, part->count) : NULL;
    if (at) memcpy(at, part->at, part->count);
    raw->failed |= part->failed;
    part->count = 0;
}

static karst_status put_block(encoding *e, const kst_kmrm_entry *end, karst_report *report) {
    if (e->entries == KST_KMRM_BLOCKS) return kst_fail(report, KARST_ERROR_LIMIT, "mrm: too many blocks");
    if (e->raw.failed || e->raw.count > UINT32_MAX / 2) return KARST_ERROR_MEMORY;
    size_t room = kst_compress_bound(e->raw.count), before = e->out.count;
    uint8_t *at = kst_kmrm_row_add(&e->out, room);
    if (!at) return KARST_ERROR_MEMORY;
    size_t packed = kst_compress(e->raw.at, e->raw.count, at, room, LEVEL);
    if (!packed) return KARST_ERROR_MEMORY;
    kst_kmrm_entry *x = &e->entry[e->entries++];
    *x = *end;
    x->offset = before;
    x->raw = (uint32_t)e->raw.count;
    x->packed = (uint32_t)packed;
    x->hash = kst_hash(at, packed, 0);
    e->out.count = before + packed;
    e->raw.count = 0;
    return KARST_OK;
}

static void put_about(encoding *e) {
    const kst_mrm_list *l = e->l;
    const karst_model *m = l->model;
    for (uint32_t k = 0; k < m->material_count; ++k) {
        uint8_t *name = kst_kmrm_row_add(&e->raw, sizeof m->material[k].name);
        if (name) memcpy(name, m->material[k].name, sizeof m->material[k].name);
        put_split(&e->raw, m->material[k].colour, 4, 4);
    }
    for (uint32_t k = 0; k < m->joint_count; ++k) {
        uint8_t *name = kst_kmrm_row_add(&e->raw, sizeof m->joint[k].name);
        if (name) memcpy(name, m->joint[k].name, sizeof m->joint[k].name);
        put_uint(&e->raw, (uint32_t)m->joint[k].parent, 4);
        put_split(&e->raw, m->joint[k].bind, 12, 4);
    }
    put_split(&e->raw, l->gap, l->gap_count, sizeof *l->gap);
    put_split(&e->raw, l->curve, (size_t)l->curve_count, sizeof *l->curve);
}

static karst_status put_vertices(encoding *e, kst_kmrm_entry *at, uint32_t to, karst_report *report) {
    const kst_mrm_list *l = e->l;
    const karst_model *m = l->model;
    uint32_t v = at->vertices, w = at->wedges, t = at->triangles;
    for (; at->vertices < to; ++at->vertices) {
        uint32_t from = at->wedges;
        while (at->wedges < m->wedge_count && m->vertex[at->wedges] == at->vertices) ++at->wedges;
        if (at->vertices < l->base_vertices)
            put_varint(&e->parents, at->wedges - from);
        else
            put_vertex(e, at->vertices, from, at->wedges);
    }
    at->triangles = triangles_at(l, to);
    for (uint32_t k = 0; at->vertices == l->base_vertices && k < l->base_triangles; ++k)
        for (int c = 0; c < 3; ++c) put_varint(&e->faces, e->net.corner[k][c]);
    put_split(&e->raw, m->position + v, to - v, sizeof *m->position);
    if (m->skin) put_split(&e->raw, m->skin + v, to - v, sizeof *m->skin);
    if (m->normal) put_split(&e->raw, m->normal + w, at->wedges - w, sizeof *m->normal);
    for (int k = 0; k < m->uv_sets; ++k) put_split(&e->raw, m->uv[k] + w, at->wedges - w, sizeof *m->uv[k]);
    if (m->colour) put_split(&e->raw, m->colour + w, at->wedges - w, sizeof *m->colour);
    if (m->paint) put_split(&e->raw, m->paint + t, at->triangles - t, sizeof *m->paint);
    if (l->move && to > l->base_vertices) put_split(&e->raw, l->move + (v - l->base_vertices), to - v, sizeof *l->move);
    put_part(&e->raw, &e->parents);
    put_part(&e->raw, &e->faces);
    put_part(&e->raw, &e->masks);
    return put_block(e, at, report);
}

static karst_status put_blocks(encoding *e, karst_report *report) {
    const kst_mrm_list *l = e->l;
    kst_kmrm_entry at = {0};
    put_about(e);
    karst_status status = put_block(e, &at, report);
    uint32_t to = l->base_vertices;
    for (uint32_t t = 0; t < l->base_triangles; ++t) kst_mrm_net_add(&e->net, t);
    while (!status) {
        status = put_vertices(e, &at, to, report);
        if (to == l->model->vertex_count) break;
        uint32_t next = to < SMALL_BLOCK ? SMALL_BLOCK : 2 * to;
        to = next < l->model->vertex_count && to < UINT32_MAX / 4 ? next : l->model->vertex_count;
    }
    return status;
}

// What stands where triangles are born: the corners of each when it comes, so the net is run down to the base first.
static void run_down(encoding *e) {
    const kst_mrm_list *l = e->l;
    memcpy(e->net.corner, l->model->triangle, (size_t)l->model->triangle_count * 12);
    for (uint32_t w = l->model->wedge_count, v = l->model->vertex_count; v-- > l->base_vertices;) {
        uint32_t born = triangles_at(l, v);
        for (; w > l->base_wedges && l->model->vertex[w - 1] == v; --w)
            for (uint32_t i = w > 1 ? l->slot_end[w - 2] : 0; i < l->slot_end[w - 1]; ++i) {
                uint32_t c = l->slot[i];
                if (c / 3 < born) e->net.corner[c / 3][c % 3] = l->parent[w - 1];
            }
    }
}

static void put_head(const encoding *e, uint8_t *at, uint64_t file_bytes) {
    const kst_mrm_list *l = e->l;
    const karst_model *m = l->model;
    kst_out o = {at};
    uint32_t flags = (m->normal ? KST_KMRM_NORMALS : 0) | (m->colour ? KST_KMRM_COLOURS : 0) |
                     (l->move ? KST_KMRM_MOVES : 0) | (l->is_least_right ? KST_KMRM_RIGHT : 0);
    const uint32_t words[] = {KST_KMRM_MAGIC, KST_KMRM_VERSION, flags, (uint32_t)m->uv_sets};
    for (int k = 0; k < 4; ++k) kst_put_uint(&o, words[k], 4);
    kst_put_f64(&o, m->origin.x), kst_put_f64(&o, m->origin.y), kst_put_f64(&o, m->origin.z);
    uint32_t unit = 0;
    if (l->move) memcpy(&unit, &l->move_unit, sizeof unit);
    const uint32_t counts[] = {m->vertex_count,          m->wedge_count, m->triangle_count,
                               l->base_vertices,         l->base_wedges, l->base_triangles,
                               m->material_count,        m->joint_count, l->gap_count,
                               (uint32_t)l->curve_count, unit,           (uint32_t)e->entries};
    for (int k = 0; k < 12; ++k) kst_put_uint(&o, counts[k], 4);
    kst_put_uint(&o, file_bytes, 8);
    uint8_t *hash = o.at;
    kst_put_uint(&o, 0, 8);
    for (int k = 0; k < e->entries; ++k) {
        const kst_kmrm_entry *x = &e->entry[k];
        const uint32_t four[] = {x->vertices, x->wedges, x->triangles, x->unused, x->packed, x->raw};
        for (int i = 0; i < 6; ++i) kst_put_uint(&o, four[i], 4);
        kst_put_uint(&o, x->offset, 8);
        kst_put_uint(&o, x->hash, 8);
    }
    kst_out h = {hash};
    kst_put_uint(&h, kst_hash(at, (size_t)(o.at - at), 0), 8);  // with zeros in its own place
}

karst_status kst_mrm_encode(const kst_mrm_list *l, karst_report *report, uint8_t **out, size_t *size) {
    encoding *e = kst_alloc_zero(NULL, sizeof *e);
    size_t corners = 3 * (size_t)l->model->triangle_count;
    if (!e) return kst_fail(report, KARST_ERROR_MEMORY, "mrm: out of memory");
    e->l = l;
    e->moves = kst_alloc_zero(NULL, corners);
    bool room = kst_mrm_net_begin(&e->net, l->model->wedge_count, l->model->triangle_count) && e->moves;
    karst_status status = room ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        run_down(e);
        status = put_blocks(e, report);
    }
    size_t head = KST_KMRM_HEAD + (size_t)e->entries * KST_KMRM_ENTRY;
    uint8_t *bytes = status ? NULL : kst_alloc(NULL, head + e->out.count);
    if (bytes) {
        for (int k = 0; k < e->entries; ++k) e->entry[k].offset += head;
        put_head(e, bytes, head + e->out.count);
        memcpy(bytes + head, e->out.at, e->out.count);
        *out = bytes;
        *size = head + e->out.count;
    } else if (!status) {
        status = KARST_ERROR_MEMORY;
    }
    if (status == KARST_ERROR_MEMORY) kst_fail(report, status, "mrm: out of memory");
    kst_mrm_net_end(&e->net);
    kst_free(NULL, e->moves, corners);
    kst_kmrm_row_free(&e->parents), kst_kmrm_row_free(&e->faces), kst_kmrm_row_free(&e->masks);
    kst_kmrm_row_free(&e->raw), kst_kmrm_row_free(&e->out);
    kst_free(NULL, e, sizeof *e);
    return status;
}
