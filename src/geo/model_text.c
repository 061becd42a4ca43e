// SPDX-License-Identifier: MIT
// Models as text: Wavefront OBJ with its materials, and ASCII PLY. World coordinates, metres, Y up.
#include <math.h>

#include "geo/model_write.h"

enum { SOME = 1 << 14, LINE_BYTES = 512 };

// Numbers that are floats need 9 digits to come back, others 17. V grows upwards in both formats.
static int put_place(char *out, const karst_model *m, uint32_t v) {
    const karst_pos o = m->origin;
    const karst_vec3 p = m->position[v];
    bool near = o.x == 0 && o.y == 0 && o.z == 0;
    return snprintf(out, 120, near ? "%.9g %.9g %.9g" : "%.17g %.17g %.17g", o.x + (double)p.x, o.y + (double)p.y,
                    o.z + (double)p.z);
}

static int put_normal(char *out, karst_vec3 n) {
    bool none = n.x == 0 && n.y == 0 && n.z == 0;
    return snprintf(out, 80, "%.9g %.9g %.9g", (double)n.x, none ? 1.0 : (double)n.y, (double)n.z);
}

static int put_uv(char *out, const float uv[2]) {
    return snprintf(out, 60, "%.9g %.9g", (double)uv[0], 1 - (double)uv[1]);
}

static karst_status finish(kst_writer *w, karst_status status, const char *path, karst_report *report) {
    if (!status) return kst_writer_commit(w, report);
    kst_writer_abandon(w);
    return kst_fail(report, status, "%s: stopped", path);
}

static void put_line(kst_writer *w, const char *line) {
    kst_writer_put(w, line, strlen(line));
}

// ---- OBJ -------------------------------------------------------------------------------------------------

// Names in OBJ end at white space.
static void plain_name(const karst_model *m, uint32_t k, char out[KARST_MODEL_NAME_BYTES + 16]) {
    snprintf(out, KARST_MODEL_NAME_BYTES + 16, "%u_%s", k, m->material[k].name);
    for (char *c = out; *c; ++c)
        if ((unsigned char)*c <= ' ' || *c == '#' || *c == '\\') *c = '_';
}

static karst_status write_mtl(const karst_model *m, const char *path, karst_report *report) {
    kst_writer w;
    karst_status status = kst_writer_open(&w, path, report);
    if (status) return status;
    for (uint32_t k = 0; k < m->material_count; ++k) {
        char line[LINE_BYTES], name[KARST_MODEL_NAME_BYTES + 16];
        const float *c = m->material[k].colour;
        plain_name(m, k, name);
        snprintf(line, sizeof line, "newmtl %s\nKd %.9g %.9g %.9g\nd %.9g\n", name, (double)c[0], (double)c[1],
                 (double)c[2], (double)c[3]);
        put_line(&w, line);
    }
    return finish(&w, KARST_OK, path, report);
}

static void put_corner(char *out, const karst_model *m, uint32_t w) {
    uint32_t v = m->vertex[w] + 1;
    ++w;
    if (m->uv_sets && m->normal)
        sprintf(out, " %u/%u/%u", v, w, w);
    else if (m->uv_sets)
        sprintf(out, " %u/%u", v, w);
    else if (m->normal)
        sprintf(out, " %u//%u", v, w);
    else
        sprintf(out, " %u", v);
}

static karst_status put_obj(kst_writer *w, const karst_model *m, const karst_progress *progress) {
    char line[LINE_BYTES];
    karst_status status = KARST_OK;
    for (uint32_t v = 0; v < m->vertex_count && !status; ++v) {
        int n = sprintf(line, "v ");
        n += put_place(line + n, m, v);
        sprintf(line + n, "\n");
        put_line(w, line);
        if (v % SOME == 0) status = kst_progress_step(progress, "export", 0.3 * v / m->vertex_count);
    }
    for (uint32_t i = 0; i < m->wedge_count && !status; ++i) {
        int n = 0;
        if (m->uv_sets) {
            n = sprintf(line, "vt ");
            n += put_uv(line + n, m->uv[0][i]);
            n += sprintf(line + n, "\n");
        }
        if (m->normal) {
            n += sprintf(line + n, "vn ");
            n += put_normal(line + n, m->normal[i]);
            n += sprintf(line + n, "\n");
        }
        line[n] = 0;
        put_line(w, line);
        if (i % SOME == 0) status = kst_progress_step(progress, "export", 0.3 + 0.4 * i / m->wedge_count);
    }
    uint32_t paint = UINT32_MAX;
    for (uint32_t t = 0; t < m->triangle_count && !status; ++t) {
        if (m->paint && m->paint[t] != paint) {
            char name[KARST_MODEL_NAME_BYTES + 16];
            paint = m->paint[t];
            plain_name(m, paint, name);
            snprintf(line, sizeof line, "usemtl %s\n", name);
            put_line(w, line);
        }
        sprintf(line, "f");
        for (int k = 0; k < 3; ++k) put_corner(line + strlen(line), m, m->triangle[t][k]);
        strcat(line, "\n");
        put_line(w, line);
        if (t % SOME == 0) status = kst_progress_step(progress, "export", 0.7 + 0.3 * t / m->triangle_count);
    }
    return status;
}

karst_status kst_model_write_obj(const karst_model *model, const char *path, const karst_progress *progress,
                                 karst_report *report) {
    char line[LINE_BYTES];
    kst_writer w;
    if (model->material_count) {
        size_t length = strlen(path);
        char *beside = kst_alloc(NULL, length + 5);
        if (!beside) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
        memcpy(beside, path, length - 4);
        memcpy(beside + length - 4, ".mtl", 5);
        karst_status status = write_mtl(model, beside, report);
        kst_free(NULL, beside, length + 5);
        if (status) return status;
    }
    karst_status status = kst_writer_open(&w, path, report);
    if (status) return status;
    snprintf(line, sizeof line, "# Karst model: metres, Y up, %u vertices, %u triangles\n", model->vertex_count,
             model->triangle_count);
    put_line(&w, line);
    if (model->material_count) {
        const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        kst_writer_put(&w, "mtllib ", 7);
        kst_writer_put(&w, name, strlen(name) - 4);
        put_line(&w, ".mtl\n");
    }
    return finish(&w, put_obj(&w, model, progress), path, report);
}

// ---- PLY -------------------------------------------------------------------------------------------------

static karst_status put_ply(kst_writer *w, const karst_model *m, const karst_progress *progress) {
    char line[LINE_BYTES];
    karst_status status = KARST_OK;
    for (uint32_t i = 0; i < m->wedge_count && !status; ++i) {
        int n = put_place(line, m, m->vertex[i]);
        if (m->normal) {
            line[n++] = ' ';
            n += put_normal(line + n, m->normal[i]);
        }
        if (m->uv_sets) {
            line[n++] = ' ';
            n += put_uv(line + n, m->uv[0][i]);
        }
        if (m->colour)
            n += sprintf(line + n, " %d %d %d %d", m->colour[i][0], m->colour[i][1], m->colour[i][2], m->colour[i][3]);
        sprintf(line + n, "\n");
        put_line(w, line);
        if (i % SOME == 0) status = kst_progress_step(progress, "export", 0.6 * i / m->wedge_count);
    }
    for (uint32_t t = 0; t < m->triangle_count && !status; ++t) {
        sprintf(line, "3 %u %u %u\n", m->triangle[t][0], m->triangle[t][1], m->triangle[t][2]);
        put_line(w, line);
        if (t % SOME == 0) status = kst_progress_step(progress, "export", 0.6 + 0.4 * t / m->triangle_count);
    }
    return status;
}

karst_status kst_model_write_ply(const karst_model *model, const char *path, const karst_progress *progress,
                                 karst_report *report) {
    char line[LINE_BYTES];
    kst_writer w;
    karst_status status = kst_writer_open(&w, path, report);
    if (status) return status;
    snprintf(line, sizeof line, "ply\nformat ascii 1.0\ncomment Karst model: metres, Y up\nelement vertex %u\n",
             model->wedge_count);
    put_line(&w, line);
    put_line(&w, "property double x\nproperty double y\nproperty double z\n");
    if (model->normal) put_line(&w, "property float nx\nproperty float ny\nproperty float nz\n");
    if (model->uv_sets) put_line(&w, "property float s\nproperty float t\n");
    if (model->colour)
        put_line(&w, "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n");
    snprintf(line, sizeof line, "element face %u\nproperty list uchar int vertex_indices\nend_header\n",
             model->triangle_count);
    put_line(&w, line);
    return finish(&w, put_ply(&w, model, progress), path, report);
}
