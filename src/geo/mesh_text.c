// SPDX-License-Identifier: MIT
// Meshes as text: Wavefront OBJ and ASCII PLY, world coordinates in metres, Y up.
#include <math.h>

#include "geo/mesh.h"

enum { BUFFER_BYTES = 1 << 16, LINE_BYTES = 160 };

typedef struct text_out {
    kst_writer writer;
    char *buffer;
    size_t used;
} text_out;

int kst_put_decimal(char *out, double v) {
    static const double places = 1e7;
    double scaled = round(fabs(v) * places);
    if (!(scaled < 9e15)) return snprintf(out, 40, "%.17g", v);
    uint64_t n = (uint64_t)scaled, whole = n / 10000000u, part = n % 10000000u;
    char digits[24];
    int length = 0, count = 0;
    if (v < 0 && n) out[length++] = '-';
    do digits[count++] = (char)('0' + whole % 10);
    while (whole /= 10);
    while (count) out[length++] = digits[--count];
    if (part) {
        out[length++] = '.';
        for (uint64_t unit = 1000000; part; unit /= 10) {
            out[length++] = (char)('0' + part / unit);
            part %= unit;
        }
    }
    out[length] = 0;
    return length;
}

static karst_status begin(text_out *t, const char *path, karst_report *report) {
    karst_status status = kst_writer_open(&t->writer, path, report);
    if (status) return status;
    t->used = 0;
    t->buffer = kst_alloc(NULL, BUFFER_BYTES);
    if (t->buffer) return KARST_OK;
    kst_writer_abandon(&t->writer);
    return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
}

// Room for one more line.
static char *line(text_out *t) {
    if (t->used > BUFFER_BYTES - LINE_BYTES) {
        kst_writer_put(&t->writer, t->buffer, t->used);
        t->used = 0;
    }
    return t->buffer + t->used;
}

static karst_status end(text_out *t, karst_status status, const char *path, karst_report *report) {
    kst_writer_put(&t->writer, t->buffer, t->used);
    kst_free(NULL, t->buffer, BUFFER_BYTES);
    if (!status) return kst_writer_commit(&t->writer, report);
    kst_writer_abandon(&t->writer);
    return kst_fail(report, status, "%s: stopped", path);
}

static void put_vertex(text_out *t, const char *word, const double p[3]) {
    char *at = line(t), *first = at;
    at += sprintf(at, "%s", word);
    for (int k = 0; k < 3; ++k) {
        at += kst_put_decimal(at, p[k]);
        *at++ = k < 2 ? ' ' : '\n';
    }
    t->used += (size_t)(at - first);
}

static void put_triangle(text_out *t, const char *word, const uint32_t v[3], uint32_t base) {
    t->used += (size_t)sprintf(line(t), "%s%u %u %u\n", word, v[0] + base, v[1] + base, v[2] + base);
}

// Vertices, then triangles.
static karst_status put_all(text_out *t, const kst_mesh *mesh, const char *vertex, const char *triangle, uint32_t base,
                            const karst_progress *progress) {
    enum { SOME = 1 << 16 };
    double all = (double)(mesh->vertex_count + mesh->triangle_count);
    karst_status status = KARST_OK;
    for (size_t v = 0; v < mesh->vertex_count && !status; ++v) {
        put_vertex(t, vertex, mesh->position[v]);
        if (v % SOME == 0) status = kst_progress_step(progress, "export", (double)v / all);
    }
    for (size_t k = 0; k < mesh->triangle_count && !status; ++k) {
        put_triangle(t, triangle, mesh->triangle[k], base);
        if (k % SOME == 0) status = kst_progress_step(progress, "export", (double)(mesh->vertex_count + k) / all);
    }
    return status;
}

karst_status kst_mesh_write_obj(const kst_mesh *mesh, const char *path, const karst_progress *progress,
                                karst_report *report) {
    text_out t;
    karst_status status = begin(&t, path, report);
    if (status) return status;
    t.used += (size_t)sprintf(line(&t), "# Karst ground: metres, Y up, %zu vertices, %zu triangles\n",
                              mesh->vertex_count, mesh->triangle_count);
    return end(&t, put_all(&t, mesh, "v ", "f ", 1, progress), path, report);
}

karst_status kst_mesh_write_ply(const kst_mesh *mesh, const char *path, const karst_progress *progress,
                                karst_report *report) {
    text_out t;
    karst_status status = begin(&t, path, report);
    if (status) return status;
    t.used += (size_t)sprintf(line(&t), "ply\nformat ascii 1.0\ncomment Karst ground: metres, Y up\n");
    t.used += (size_t)sprintf(line(&t), "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\n",
                              mesh->vertex_count);
    t.used += (size_t)sprintf(line(&t), "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
                              mesh->triangle_count);
    return end(&t, put_all(&t, mesh, "", "3 ", 0, progress), path, report);
}
