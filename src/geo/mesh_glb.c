// SPDX-License-Identifier: MIT
// Meshes as binary glTF 2.0 (Khronos, "glTF 2.0 Specification"), the container and its one JSON chunk.
//
//   "glTF" 2 length | length "JSON" text | length "BIN\0" positions normals indices
//
// Positions are floats relative to the middle of the mesh, which is the translation of its node, so a ground far
// from the origin keeps its shape.
#include <math.h>

#include "geo/mesh.h"

enum { JSON_BYTES = 2048, SOME = 1 << 14 };

typedef struct layout {
    double middle[3];
    float min[3], max[3];  // of the floats
    uint64_t vertex_bytes, index_bytes, binary_bytes;
} layout;

static void relative(const kst_mesh *m, const layout *l, size_t v, float out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = (float)(m->position[v][k] - l->middle[k]);
}

static layout lay_out(const kst_mesh *m) {
    layout l = {.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; ++k) l.middle[k] = round((m->min[k] + m->max[k]) / 2);
    for (size_t v = 0; v < m->vertex_count; ++v) {
        float p[3];
        relative(m, &l, v, p);
        for (int k = 0; k < 3; ++k) {
            if (p[k] < l.min[k]) l.min[k] = p[k];
            if (p[k] > l.max[k]) l.max[k] = p[k];
        }
    }
    l.vertex_bytes = 12 * (uint64_t)m->vertex_count;
    l.index_bytes = 12 * (uint64_t)m->triangle_count;
    l.binary_bytes = 2 * l.vertex_bytes + l.index_bytes;
    return l;
}

static int put_json(const kst_mesh *m, const layout *l, char *out) {
    int n = snprintf(
        out, JSON_BYTES,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Karst %s\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"name\":\"ground\",\"mesh\":0,\"translation\":[%.17g,%.17g,%.17g]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1},\"indices\":2}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\","
        "\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\"},"
        "{\"bufferView\":2,\"componentType\":5125,\"count\":%zu,\"type\":\"SCALAR\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":%llu,\"target\":34962},"
        "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":34962},"
        "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":34963}],"
        "\"buffers\":[{\"byteLength\":%llu}]}",
        karst_version_text(), l->middle[0], l->middle[1], l->middle[2], m->vertex_count, (double)l->min[0],
        (double)l->min[1], (double)l->min[2], (double)l->max[0], (double)l->max[1], (double)l->max[2], m->vertex_count,
        3 * m->triangle_count, (unsigned long long)l->vertex_bytes, (unsigned long long)l->vertex_bytes,
        (unsigned long long)l->vertex_bytes, (unsigned long long)(2 * l->vertex_bytes),
        (unsigned long long)l->index_bytes, (unsigned long long)l->binary_bytes);
    while (n % 4) out[n++] = ' ';  // chunks are whole words
    return n;
}

// Smooth normals: triangles weighted by their area.
static float (*make_normals(const kst_mesh *m))[3] {
    float(*normal)[3] = kst_alloc_zero(NULL, m->vertex_count * sizeof *normal);
    for (size_t t = 0; normal && t < m->triangle_count; ++t) {
        const uint32_t *v = m->triangle[t];
        double a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = m->position[v[1]][k] - m->position[v[0]][k];
            b[k] = m->position[v[2]][k] - m->position[v[0]][k];
        }
        float n[3] = {(float)(a[1] * b[2] - a[2] * b[1]), (float)(a[2] * b[0] - a[0] * b[2]),
                      (float)(a[0] * b[1] - a[1] * b[0])};
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k) normal[v[c]][k] += n[k];
    }
    for (size_t v = 0; normal && v < m->vertex_count; ++v) {
        double x = normal[v][0], y = normal[v][1], z = normal[v][2], length = sqrt(x * x + y * y + z * z);
        bool none = !(length > 0) || !isfinite(length);
        normal[v][0] = none ? 0 : (float)(x / length);
        normal[v][1] = none ? 1 : (float)(y / length);
        normal[v][2] = none ? 0 : (float)(z / length);
    }
    return normal;
}

void kst_put_words(kst_writer *w, const uint32_t *words, size_t count) {
    uint8_t bytes[256];
    while (count) {
        size_t n = count < 64 ? count : 64;
        kst_out o = {bytes};
        for (size_t i = 0; i < n; ++i) kst_put_uint(&o, words[i], 4);
        kst_writer_put(w, bytes, 4 * n);
        words += n;
        count -= n;
    }
}

static karst_status put_binary(kst_writer *w, const kst_mesh *m, const layout *l, const float (*normal)[3],
                               const karst_progress *progress) {
    karst_status status = KARST_OK;
    for (size_t v = 0; v < m->vertex_count && !status; ++v) {
        float p[3];
        uint32_t bits[3];
        relative(m, l, v, p);
        memcpy(bits, p, sizeof bits);
        kst_put_words(w, bits, 3);
        if (v % SOME == 0) status = kst_progress_step(progress, "export", 0.4 * (double)v / (double)m->vertex_count);
    }
    for (size_t v = 0; v < m->vertex_count && !status; ++v) {
        uint32_t bits[3];
        memcpy(bits, normal[v], sizeof bits);
        kst_put_words(w, bits, 3);
        if (v % SOME == 0)
            status = kst_progress_step(progress, "export", 0.4 + 0.3 * (double)v / (double)m->vertex_count);
    }
    for (size_t t = 0; t < m->triangle_count && !status; t += SOME) {
        size_t count = m->triangle_count - t < SOME ? m->triangle_count - t : SOME;
        kst_put_words(w, m->triangle[t], 3 * count);
        status = kst_progress_step(progress, "export", 0.7 + 0.3 * (double)t / (double)m->triangle_count);
    }
    return status;
}

karst_status kst_mesh_write_glb(const kst_mesh *mesh, const char *path, const karst_progress *progress,
                                karst_report *report, double *grain_m) {
    layout l = lay_out(mesh);
    char json[JSON_BYTES];
    int json_bytes = put_json(mesh, &l, json);
    uint64_t whole = 12 + 8 + (uint64_t)json_bytes + 8 + l.binary_bytes;
    if (whole > UINT32_MAX)
        return kst_fail(report, KARST_ERROR_LIMIT, "%s: %llu bytes: a .glb holds up to 4 GiB: write .obj or .ply", path,
                        (unsigned long long)whole);
    float(*normal)[3] = make_normals(mesh);
    if (!normal) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    kst_writer w;
    karst_status status = kst_writer_open(&w, path, report);
    if (!status) {
        uint32_t head[5] = {0x46546C67, 2, (uint32_t)whole, (uint32_t)json_bytes, 0x4E4F534A};
        uint32_t binary[2] = {(uint32_t)l.binary_bytes, 0x004E4942};
        kst_put_words(&w, head, 5);
        kst_writer_put(&w, json, (size_t)json_bytes);
        kst_put_words(&w, binary, 2);
        status = put_binary(&w, mesh, &l, (const float(*)[3])normal, progress);
        if (status) {
            kst_writer_abandon(&w);
            kst_fail(report, status, "%s: stopped", path);
        } else {
            status = kst_writer_commit(&w, report);
        }
    }
    kst_free(NULL, normal, mesh->vertex_count * sizeof *normal);
    *grain_m = 0;
    for (int k = 0; k < 3; ++k) {
        double reach = fmax(fabs((double)l.min[k]), fabs((double)l.max[k]));
        *grain_m = fmax(*grain_m, reach * 0x1p-24);
    }
    return status;
}
