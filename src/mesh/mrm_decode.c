// SPDX-License-Identifier: MIT
// Reading .kmrm: nothing is believed before it is checked.
//
// What is built is sound whatever the bytes are: every triangle that comes has three vertices that are there, its
// corners at the new vertex have parents at one of its other vertices, so that it has no area before it comes, and a
// corner goes to a new wedge only from the list of the parent.
#include <math.h>

#include "mesh/mrm_codec.h"

static const float farthest_m = 1e18f;  // as karst_model_check() has it

typedef struct decoding {
    const uint8_t *bytes;
    size_t size;
    bool partial;
    const karst_allocator *allocator;
    karst_report *report;
    uint32_t flags, uv_sets, materials, joints, gaps, curve, blocks;
    karst_pos origin;
    kst_kmrm_entry entry[KST_KMRM_BLOCKS];
    int usable;  // blocks that are there
    kst_mrm_list *l;
    kst_mrm_net net;
    size_t slots;
    kst_reader parents, faces, masks;
    int bit;
} decoding;

static karst_status bad(const decoding *d, const char *what) {
    return kst_fail(d->report, KARST_ERROR_FORMAT, "mrm: %s: the file is damaged: build it again", what);
}

static uint32_t read_varint(kst_reader *r) {
    uint32_t v = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        uint8_t byte = kst_read_u8(r);
        if (shift == 28 && byte > 0x0f) break;
        v |= (uint32_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return v;
    }
    r->bad = true;
    return 0;
}

static bool read_bit(decoding *d) {
    kst_reader *r = &d->masks;
    if (r->at == r->end) {
        r->bad = true;
        return false;
    }
    bool bit = *r->at >> d->bit & 1;
    if (++d->bit == 8) d->bit = 0, ++r->at;
    return bit;
}

// ---- head ----------------------------------------------------------------------------------------------

static bool grows(const kst_kmrm_entry *x, const kst_kmrm_entry *before) {
    return x->vertices > before->vertices && x->wedges >= before->wedges && x->triangles >= before->triangles;
}

static karst_status check_entries(decoding *d, uint64_t file_bytes) {
    const kst_mrm_list *l = d->l;
    const kst_kmrm_entry *e = d->entry, *last = &e[d->blocks - 1];
    uint64_t offset = KST_KMRM_HEAD + (uint64_t)d->blocks * KST_KMRM_ENTRY;
    for (uint32_t k = 0; k < d->blocks; ++k) {
        if (e[k].offset != offset || e[k].raw / KST_KMRM_RATIO > e[k].packed || e[k].unused) return bad(d, "directory");
        if (k > 1 && !grows(&e[k], &e[k - 1])) return bad(d, "directory");
        offset += e[k].packed;
    }
    if (offset != file_bytes || e[0].vertices || e[0].wedges || e[0].triangles) return bad(d, "directory");
    if (e[1].vertices != l->base_vertices || e[1].wedges != l->base_wedges || e[1].triangles != l->base_triangles)
        return bad(d, "directory");
    if (last->vertices != l->vertices || last->wedges != l->wedges) return bad(d, "directory");
    if (last->triangles > KARST_MODEL_MAX_TRIANGLES || last->wedges > 3u * KARST_MODEL_MAX_TRIANGLES)
        return bad(d, "counts");
    // A vertex takes 12 bytes unpacked and a triangle one, so arrays are not much larger than the file says.
    for (uint32_t k = 1; k < d->blocks; ++k) {
        uint64_t least = 12 * (uint64_t)(e[k].vertices - e[k - 1].vertices) + (e[k].wedges - e[k - 1].wedges) +
                         (e[k].triangles - e[k - 1].triangles);
        if (e[k].raw < least) return bad(d, "directory");
    }
    if (e[0].raw < 80 * (uint64_t)d->materials + 116 * (uint64_t)d->joints + 8 * (uint64_t)d->gaps)
        return bad(d, "counts");
    return KARST_OK;
}

// Blocks that are whole, from the first on.
static karst_status count_usable(decoding *d) {
    for (; d->usable < (int)d->blocks; ++d->usable) {
        const kst_kmrm_entry *x = &d->entry[d->usable];
        if (x->offset + x->packed > d->size || kst_hash(d->bytes + x->offset, x->packed, 0) != x->hash) break;
    }
    if (d->usable == (int)d->blocks || (d->partial && d->usable > 1)) return KARST_OK;
    const kst_kmrm_entry *x = &d->entry[d->usable];
    return kst_fail(d->report, KARST_ERROR_FORMAT, "mrm: block %d at byte %llu is %s: get the file again", d->usable,
                    (unsigned long long)x->offset, x->offset + x->packed > d->size ? "cut off" : "damaged");
}

static karst_status read_head(decoding *d) {
    kst_reader r = {d->bytes, d->bytes + d->size, false};
    kst_mrm_list *l = d->l;
    if (kst_read_u32(&r) != KST_KMRM_MAGIC)
        return kst_fail(d->report, KARST_ERROR_FORMAT, "mrm: not a .kmrm file: it does not begin with KMRM");
    uint32_t version = kst_read_u32(&r);
    if (version > KST_KMRM_VERSION)
        return kst_fail(d->report, KARST_ERROR_VERSION, "mrm: version %u, this Karst reads up to %d: update it",
                        version, KST_KMRM_VERSION);
    d->flags = kst_read_u32(&r), d->uv_sets = kst_read_u32(&r);
    d->origin.x = kst_read_f64(&r), d->origin.y = kst_read_f64(&r), d->origin.z = kst_read_f64(&r);
    l->vertices = kst_read_u32(&r), l->wedges = kst_read_u32(&r);
    uint32_t triangles = kst_read_u32(&r);
    l->base_vertices = kst_read_u32(&r), l->base_wedges = kst_read_u32(&r), l->base_triangles = kst_read_u32(&r);
    d->materials = kst_read_u32(&r), d->joints = kst_read_u32(&r), d->gaps = kst_read_u32(&r);
    d->curve = kst_read_u32(&r), l->move_unit = kst_read_f32(&r), d->blocks = kst_read_u32(&r);
    uint64_t file_bytes = kst_read_u64(&r), hash = kst_read_u64(&r);
    if (r.bad) return bad(d, "head");
    size_t head = KST_KMRM_HEAD + (size_t)d->blocks * KST_KMRM_ENTRY;
    if (d->blocks < 2 || d->blocks > KST_KMRM_BLOCKS || head > d->size) return bad(d, "directory");
    uint8_t copy[KST_KMRM_HEAD + KST_KMRM_BLOCKS * KST_KMRM_ENTRY];
    memcpy(copy, d->bytes, head);
    memset(copy + KST_KMRM_HEAD - 8, 0, 8);
    if (kst_hash(copy, head, 0) != hash) return bad(d, "head");
    for (uint32_t k = 0; k < d->blocks; ++k) {
        kst_kmrm_entry *x = &d->entry[k];
        x->vertices = kst_read_u32(&r), x->wedges = kst_read_u32(&r), x->triangles = kst_read_u32(&r);
        x->unused = kst_read_u32(&r), x->packed = kst_read_u32(&r), x->raw = kst_read_u32(&r);
        x->offset = kst_read_u64(&r), x->hash = kst_read_u64(&r);
    }
    if (!version || !triangles || triangles != d->entry[d->blocks - 1].triangles || d->uv_sets > KARST_MODEL_UV_SETS ||
        d->materials > KARST_MODEL_MAX_MATERIALS || d->joints > KARST_MODEL_MAX_JOINTS || d->gaps > l->vertices ||
        !d->curve || d->curve > KST_MRM_CURVE || !(l->move_unit >= 0 && l->move_unit <= farthest_m))
        return bad(d, "counts");
    if (d->flags & KST_KMRM_OLD_MOVES)
        return kst_fail(d->report, KARST_ERROR_VERSION, "mrm: an early kind of moving vertices: build it again");
    l->is_least_right = d->flags & KST_KMRM_RIGHT;
    karst_status status = check_entries(d, file_bytes);
    return status ? status : count_usable(d);
}

// ---- what is said of the whole -------------------------------------------------------------------------

static bool read_split(kst_reader *r, size_t count, size_t bytes, void *out) {
    size_t size;
    const uint8_t *p = kst_size_mul(count, bytes, &size) ? kst_read_bytes(r, size) : NULL;
    if (count && p) kst_join_bytes(p, count, bytes, out);
    return !count || p;
}

static karst_status read_about(decoding *d, kst_reader *r) {
    kst_mrm_list *l = d->l;
    karst_model *m = l->model;
    for (uint32_t k = 0; k < d->materials; ++k) {
        const uint8_t *name = kst_read_bytes(r, sizeof m->material[k].name);
        if (name) memcpy(m->material[k].name, name, sizeof m->material[k].name);
        read_split(r, 4, 4, m->material[k].colour);
    }
    for (uint32_t k = 0; k < d->joints; ++k) {
        const uint8_t *name = kst_read_bytes(r, sizeof m->joint[k].name);
        if (name) memcpy(m->joint[k].name, name, sizeof m->joint[k].name);
        m->joint[k].parent = kst_read_i32(r);
        read_split(r, 12, 4, m->joint[k].bind);
    }
    read_split(r, d->gaps, sizeof *l->gap, l->gap);
    read_split(r, d->curve, sizeof *l->curve, l->curve);
    if (r->bad || r->at != r->end) return bad(d, "block 0");
    return KARST_OK;
}

// Gaps and curve that the blocks at hand reach; both rise, and the curve begins at the base and ends at the top.
static karst_status check_about(decoding *d) {
    kst_mrm_list *l = d->l;
    uint32_t top = l->model->vertex_count, last = l->base_vertices;
    for (uint32_t k = 0; k < d->gaps; ++k) {
        if (l->gap[k].low < last || l->gap[k].high <= l->gap[k].low) return bad(d, "gaps");
        last = l->gap[k].high;
        if (last <= top) l->gap_count = k + 1;
    }
    for (uint32_t k = 0; k < d->curve; ++k) {
        const karst_mrm_level *x = &l->curve[k];
        if (!(x->error_m >= 0) ||
            (k ? x->vertices <= x[-1].vertices || x->error_m > x[-1].error_m : x->vertices != l->base_vertices))
            return bad(d, "curve");
        if (x->vertices <= top) l->curve_count = (int)k + 1;
    }
    karst_mrm_level *end = &l->curve[l->curve_count - 1];
    if (end->vertices < top && l->curve_count < KST_MRM_CURVE) {
        end[1] = (karst_mrm_level){.vertices = top, .error_m = end->error_m};
        ++l->curve_count;
    } else if (end->vertices < top) {
        end->vertices = top;
    }
    for (int k = 0; k < l->curve_count; ++k) {
        karst_mrm_level *x = &l->curve[k];
        x->triangles = x->vertices ? l->triangle_end[x->vertices - 1] : 0;
        uint32_t low = 0, high = l->model->wedge_count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (l->model->vertex[middle] < x->vertices)
                low = middle + 1;
            else
                high = middle;
        }
        x->wedges = low;
    }
    return KARST_OK;
}

// ---- connections ---------------------------------------------------------------------------------------

static bool read_corner(decoding *d, uint32_t wedges, const uint32_t *near, int count, uint32_t *out) {
    uint32_t code = read_varint(&d->faces);
    if (code > (uint32_t)count) return false;
    *out = code ? near[code - 1] : read_varint(&d->faces);
    return *out < wedges && !d->faces.bad;
}

static bool add_slot(decoding *d, uint32_t slot) {
    if (d->slots == d->l->slot_room) return false;
    d->l->slot[d->slots++] = slot;
    return true;
}

// A triangle that comes with wedges [from, to) of one vertex.
static bool read_triangle(decoding *d, uint32_t t, uint32_t from, uint32_t to, const uint32_t *near, int count) {
    kst_mrm_list *l = d->l;
    uint32_t *c = d->net.corner[t], code = read_varint(&d->faces), k = code % 3;
    if (code / 3 >= to - from) return false;
    c[k] = from + code / 3;
    if (!read_corner(d, to, near, count, &c[(k + 1) % 3]) || !read_corner(d, to, near, count, &c[(k + 2) % 3]))
        return false;
    const uint32_t *vertex = l->model->vertex;
    uint32_t v = vertex[c[k]], a = vertex[c[(k + 1) % 3]], b = vertex[c[(k + 2) % 3]], p = vertex[l->parent[c[k]]];
    return v != a && a != b && b != v && (p == a || p == b);
}

static bool split_list(decoding *d, uint32_t w) {
    kst_mrm_net *n = &d->net;
    uint32_t *stay = &n->head[d->l->parent[w]], *go = &n->head[w], c = *stay;
    bool good = true;
    while (c != KST_NONE) {
        uint32_t next = n->next[c];
        bool goes = read_bit(d);
        uint32_t **list = goes ? &go : &stay;
        if (goes) {
            n->corner[c / 3][c % 3] = w;
            good = good && add_slot(d, c);
        }
        **list = c;
        *list = &n->next[c];
        c = next;
    }
    *stay = *go = KST_NONE;
    return good && !d->masks.bad;
}

static bool read_vertex(decoding *d, uint32_t v, uint32_t wedges_end, uint32_t triangles_end, uint32_t *w,
                        uint32_t *t) {
    kst_mrm_list *l = d->l;
    uint32_t near[KST_MRM_NEAR], from = *w, own = read_varint(&d->parents);
    if (!own || own > wedges_end - from) return false;
    uint32_t to = from + own;
    for (uint32_t i = from; i < to; ++i) {
        uint32_t back = read_varint(&d->parents);
        l->model->vertex[i] = v;
        if (back > i || (back && i - back >= from)) return false;
        l->parent[i] = i - back;
    }
    int count = kst_mrm_net_near(&d->net, l->parent, from, to, near);
    uint32_t first = *t, faces = read_varint(&d->faces);
    if (faces > triangles_end - first || d->faces.bad || d->parents.bad) return false;
    for (uint32_t i = first; i < first + faces; ++i)
        if (!read_triangle(d, i, from, to, near, count)) return false;
    for (uint32_t i = from; i < to; ++i) {
        if (l->parent[i] != i && !split_list(d, i)) return false;
        for (uint32_t k = first; k < first + faces; ++k)
            for (uint32_t c = 0; c < 3; ++c)
                if (d->net.corner[k][c] == i && !add_slot(d, 3 * k + c)) return false;
        l->slot_end[i] = (uint32_t)d->slots;
    }
    for (uint32_t i = first; i < first + faces; ++i) kst_mrm_net_add(&d->net, i);
    *w = to;
    *t = first + faces;
    return true;
}

static bool read_base(decoding *d, uint32_t wedges_end, uint32_t triangles_end, uint32_t *w, uint32_t *t) {
    kst_mrm_list *l = d->l;
    for (uint32_t v = 0; v < l->base_vertices; ++v) {
        uint32_t own = read_varint(&d->parents);
        if (own > wedges_end - *w || d->parents.bad) return false;
        for (uint32_t i = 0; i < own; ++i, ++*w) l->model->vertex[*w] = v, l->parent[*w] = *w, l->slot_end[*w] = 0;
        l->triangle_end[v] = triangles_end;
    }
    for (; *t < triangles_end; ++*t) {
        uint32_t *c = d->net.corner[*t];
        for (int k = 0; k < 3; ++k) {
            c[k] = read_varint(&d->faces);
            if (c[k] >= *w || d->faces.bad) return false;
        }
        const uint32_t *vertex = l->model->vertex;
        if (vertex[c[0]] == vertex[c[1]] || vertex[c[1]] == vertex[c[2]] || vertex[c[2]] == vertex[c[0]]) return false;
        kst_mrm_net_add(&d->net, *t);
    }
    return true;
}

// ---- blocks --------------------------------------------------------------------------------------------

static kst_reader read_part(kst_reader *r) {
    uint32_t size = kst_read_u32(r);
    const uint8_t *p = kst_read_bytes(r, size);
    return p ? (kst_reader){p, p + size, false} : (kst_reader){NULL, NULL, true};
}

static karst_status read_block(decoding *d, kst_reader *r, const kst_kmrm_entry *from, const kst_kmrm_entry *to) {
    kst_mrm_list *l = d->l;
    karst_model *m = l->model;
    size_t vertices = to->vertices - from->vertices, wedges = to->wedges - from->wedges;
    uint32_t w = from->wedges, t = from->triangles;
    read_split(r, vertices, sizeof *m->position, m->position + from->vertices);
    if (m->skin) read_split(r, vertices, sizeof *m->skin, m->skin + from->vertices);
    if (m->normal) read_split(r, wedges, sizeof *m->normal, m->normal + w);
    for (int k = 0; k < m->uv_sets; ++k) read_split(r, wedges, sizeof *m->uv[k], m->uv[k] + w);
    if (m->colour) read_split(r, wedges, sizeof *m->colour, m->colour + w);
    if (m->paint) read_split(r, to->triangles - t, sizeof *m->paint, m->paint + t);
    if (l->move && to->vertices > l->base_vertices)
        read_split(r, vertices, sizeof *l->move, l->move + (from->vertices - l->base_vertices));
    d->parents = read_part(r), d->faces = read_part(r), d->masks = read_part(r);
    d->bit = 0;
    if (r->bad || r->at != r->end) return bad(d, "block");
    if (from->vertices == 0 && to->vertices == l->base_vertices) {
        if (!read_base(d, to->wedges, to->triangles, &w, &t)) return bad(d, "base");
    } else {
        for (uint32_t v = from->vertices; v < to->vertices; ++v) {
            if (!read_vertex(d, v, to->wedges, to->triangles, &w, &t)) return bad(d, "record");
            l->triangle_end[v] = t;
        }
    }
    if (w != to->wedges || t != to->triangles || d->parents.at != d->parents.end || d->faces.at != d->faces.end)
        return bad(d, "block");
    return KARST_OK;
}

static karst_status unpack_blocks(decoding *d) {
    uint32_t most = 0;
    for (int k = 0; k < d->usable; ++k) most = d->entry[k].raw > most ? d->entry[k].raw : most;
    uint8_t *raw = kst_alloc(NULL, (size_t)most + 1);
    karst_status status = raw ? KARST_OK : KARST_ERROR_MEMORY;
    for (int k = 0; k < d->usable && !status; ++k) {
        const kst_kmrm_entry *x = &d->entry[k];
        if (!kst_decompress(d->bytes + x->offset, x->packed, raw, x->raw)) {
            status = bad(d, "block");
            break;
        }
        kst_reader r = {raw, raw + x->raw, false};
        status = k ? read_block(d, &r, x - 1, x) : read_about(d, &r);
    }
    kst_free(NULL, raw, (size_t)most + 1);
    return status;
}

static karst_status make(decoding *d) {
    kst_mrm_list *l = d->l;
    const kst_kmrm_entry *top = &d->entry[d->usable - 1];
    karst_model_size size = {.vertices = top->vertices,
                             .wedges = top->wedges,
                             .triangles = top->triangles,
                             .materials = d->materials,
                             .joints = d->joints,
                             .uv_sets = (int)d->uv_sets,
                             .normals = d->flags & KST_KMRM_NORMALS,
                             .colours = d->flags & KST_KMRM_COLOURS};
    karst_status status = karst_model_create(&size, d->allocator, d->report, &l->model);
    if (status) return status;
    l->vertices = top->vertices, l->wedges = top->wedges;
    l->slot_room = 0;
    for (int k = 1; k < d->usable; ++k) l->slot_room += d->entry[k].raw;
    l->slot_room = 8 * l->slot_room + 3 * (size_t)top->triangles + 1;  // a bit each, or a corner that comes
    l->parent = kst_alloc_array(NULL, l->wedges, 4);
    l->slot_end = kst_alloc_array(NULL, l->wedges, 4);
    l->triangle_end = kst_alloc_array(NULL, l->vertices, 4);
    l->slot = kst_alloc_array(NULL, l->slot_room, 4);
    bool moves = (d->flags & KST_KMRM_MOVES) && l->vertices > l->base_vertices;
    if (moves) l->move = kst_alloc_array(NULL, l->vertices - l->base_vertices, sizeof *l->move);
    l->gap_count = d->gaps;
    l->gap = d->gaps ? kst_alloc_zero(d->allocator, d->gaps * sizeof *l->gap) : NULL;
    l->curve = kst_alloc_zero(d->allocator, KST_MRM_CURVE * sizeof *l->curve);
    bool room = kst_mrm_net_begin(&d->net, l->wedges, top->triangles) && l->parent && l->slot_end && l->triangle_end &&
                l->slot && (l->move || !moves) && (l->gap || !d->gaps) && l->curve;
    l->model->origin = d->origin;
    return room ? unpack_blocks(d) : KARST_ERROR_MEMORY;
}

static karst_status finish(decoding *d) {
    kst_mrm_list *l = d->l;
    karst_model *m = l->model;
    karst_status status = check_about(d);
    if (status) return status;
    memcpy(m->triangle, d->net.corner, (size_t)m->triangle_count * 12);
    return karst_model_check(m, d->report);
}

karst_status kst_mrm_decode(const uint8_t *bytes, size_t size, bool partial, const karst_allocator *allocator,
                            karst_report *report, kst_mrm_list *out) {
    kst_mrm_list l = {0};
    decoding *d = kst_alloc_zero(NULL, sizeof *d);
    if (!d) return kst_fail(report, KARST_ERROR_MEMORY, "mrm: out of memory");
    d->bytes = bytes, d->size = size, d->partial = partial, d->allocator = allocator, d->report = report, d->l = &l;
    karst_status status = read_head(d);
    if (!status) {
        status = make(d);
        if (!status) status = finish(d);
        kst_mrm_net_end(&d->net);
    }
    if (status == KARST_ERROR_MEMORY) kst_fail(report, status, "mrm: out of memory");
    kst_free(NULL, d, sizeof *d);
    if (status)
        kst_mrm_list_free(&l, allocator);
    else
        *out = l;
    return status;
}
