// SPDX-License-Identifier: MIT
// Models as binary glTF 2.0 (Khronos, "glTF 2.0 Specification").
//
// A primitive a material, each with its own stretch of every attribute and of the indices; a wedge that two materials
// name is written for both. Node 0 stands at the model's origin and has the mesh; of a model with a skin it has the
// joints, so that a joint's world place is origin . inverse(bind), and node 1 has the mesh.
#define _GNU_SOURCE  // open_memstream
#include <math.h>
#include <stdlib.h>

#include "geo/affine.h"
#include "geo/mesh.h"
#include "geo/model_write.h"

enum { SOME = 1 << 14, ATTRIBUTES_MAX = 5 + KARST_MODEL_UV_SETS };

typedef struct attribute {
    char name[24];
    const char *type;
    int component, bytes;  // glTF's number of the type; of an element
    bool normalized;
    const void *of;  // what it is read from
} attribute;

typedef struct glb {
    const karst_model *m;
    attribute attribute[ATTRIBUTES_MAX];
    int attribute_count;
    uint32_t groups;          // materials, or 1 without
    uint32_t *order;          // triangles by material, in order
    uint32_t *from;           // of a material in that order; one more at the end
    uint32_t *wedge;          // those of each material, in the order its triangles name them
    uint32_t *wedge_from;     // of a material in that order; one more at the end
    uint32_t (*triangle)[3];  // in order, by the place of a wedge in its material's stretch
    uint32_t primitives;      // materials of a triangle
    FILE *json;
} glb;

static void add(glb *g, const char *name, const char *type, int component, int bytes, bool normalized, const void *of) {
    attribute *a = &g->attribute[g->attribute_count++];
    *a = (attribute){.type = type, .component = component, .bytes = bytes, .normalized = normalized, .of = of};
    snprintf(a->name, sizeof a->name, "%s", name);
}

enum { BYTE = 5121, SHORT = 5123, INT = 5125, FLOAT = 5126 };

static void list_attributes(glb *g) {
    const karst_model *m = g->m;
    add(g, "POSITION", "VEC3", FLOAT, 12, false, m->position);
    if (m->normal) add(g, "NORMAL", "VEC3", FLOAT, 12, false, m->normal);
    for (int k = 0; k < m->uv_sets; ++k) {
        char name[24];
        snprintf(name, sizeof name, "TEXCOORD_%d", k);
        add(g, name, "VEC2", FLOAT, 8, false, m->uv[k]);
    }
    if (m->colour) add(g, "COLOR_0", "VEC4", BYTE, 4, true, m->colour);
    if (m->skin) add(g, "JOINTS_0", "VEC4", SHORT, 8, false, m->skin);
    if (m->skin) add(g, "WEIGHTS_0", "VEC4", FLOAT, 16, false, m->skin);  // readers take whole numbers for floats
}

static uint32_t group_of(const karst_model *m, uint32_t t) {
    return m->paint ? m->paint[t] : 0;
}

static bool create(glb *g) {
    const karst_model *m = g->m;
    size_t corners = 3 * (size_t)m->triangle_count;
    g->groups = m->paint ? m->material_count : 1;
    g->order = kst_alloc_array(NULL, m->triangle_count, sizeof *g->order);
    g->triangle = kst_alloc_array(NULL, m->triangle_count, sizeof *g->triangle);
    g->wedge = kst_alloc_array(NULL, corners, sizeof *g->wedge);
    g->from = kst_alloc_zero(NULL, ((size_t)g->groups + 2) * sizeof *g->from);
    g->wedge_from = kst_alloc_zero(NULL, ((size_t)g->groups + 2) * sizeof *g->wedge_from);
    return g->order && g->triangle && g->wedge && g->from && g->wedge_from;
}

static void destroy(glb *g) {
    size_t triangles = g->m->triangle_count;
    kst_free(NULL, g->order, triangles * sizeof *g->order);
    kst_free(NULL, g->triangle, triangles * sizeof *g->triangle);
    kst_free(NULL, g->wedge, 3 * triangles * sizeof *g->wedge);
    kst_free(NULL, g->from, ((size_t)g->groups + 2) * sizeof *g->from);
    kst_free(NULL, g->wedge_from, ((size_t)g->groups + 2) * sizeof *g->wedge_from);
}

// Triangles by material; the order within one stays.
static void sort_triangles(glb *g) {
    const karst_model *m = g->m;
    for (uint32_t t = 0; t < m->triangle_count; ++t) ++g->from[group_of(m, t) + 2];
    for (uint32_t k = 2; k <= g->groups; ++k) g->from[k] += g->from[k - 1];
    for (uint32_t t = 0; t < m->triangle_count; ++t) g->order[g->from[group_of(m, t) + 1]++] = t;
}

// Number the wedges of each material as its triangles name them. False without memory.
static bool number_wedges(glb *g) {
    const karst_model *m = g->m;
    size_t bytes = (size_t)m->wedge_count * sizeof(uint32_t);
    uint32_t *place = kst_alloc(NULL, bytes), *group = kst_alloc(NULL, bytes), count = 0;
    if (place && group) {
        memset(group, 0xFF, bytes);
        for (uint32_t k = 0; k < g->groups; ++k) {
            g->wedge_from[k] = count;
            g->primitives += g->from[k] < g->from[k + 1];
            for (uint32_t i = g->from[k]; i < g->from[k + 1]; ++i)
                for (int c = 0; c < 3; ++c) {
                    uint32_t w = m->triangle[g->order[i]][c];
                    if (group[w] != k) {
                        group[w] = k;
                        place[w] = count - g->wedge_from[k];
                        g->wedge[count++] = w;
                    }
                    g->triangle[i][c] = place[w];
                }
        }
        g->wedge_from[g->groups] = count;
    }
    bool good = place && group;
    kst_free(NULL, place, bytes);
    kst_free(NULL, group, bytes);
    return good;
}

// ---- the text --------------------------------------------------------------------------------------------

static void put_string(FILE *f, const char *text) {
    fputc('"', f);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') fputc('\\', f);
        if ((unsigned char)*text >= ' ') fputc(*text, f);
    }
    fputc('"', f);
}

static void put_joint(const glb *g, uint32_t k) {
    const karst_model_joint *joint = g->m->joint;
    kst_affine bind, local = kst_affine_one();
    for (int i = 0; i < 12; ++i) bind.m[i / 4][i % 4] = (double)joint[k].bind[i / 4][i % 4];
    kst_affine_inverse(&bind, &local);
    if (joint[k].parent >= 0) {
        kst_affine parent;
        const karst_model_joint *p = &joint[joint[k].parent];
        for (int i = 0; i < 12; ++i) parent.m[i / 4][i % 4] = (double)p->bind[i / 4][i % 4];
        local = kst_affine_mul(&parent, &local);
    }
    fputs(",{\"name\":", g->json);
    put_string(g->json, joint[k].name);
    fputs(",\"matrix\":[", g->json);
    for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 4; ++r)
            fprintf(g->json, "%s%.9g", c + r ? "," : "", r < 3 ? local.m[r][c] : c == 3 ? 1.0 : 0.0);
    fputc(']', g->json);
    bool some = false;
    for (uint32_t child = k + 1; child < g->m->joint_count; ++child)
        if (joint[child].parent == (int32_t)k) {
            fprintf(g->json, "%s%u", some ? "," : ",\"children\":[", child + 2);
            some = true;
        }
    fputs(some ? "]}" : "}", g->json);
}

static void put_nodes(const glb *g) {
    const karst_model *m = g->m;
    fprintf(g->json, "\"nodes\":[{\"name\":\"model\",\"translation\":[%.17g,%.17g,%.17g]", m->origin.x, m->origin.y,
            m->origin.z);
    if (!m->joint_count) {
        fputs(",\"mesh\":0}],", g->json);
        return;
    }
    fputs(",\"children\":[", g->json);
    bool some = false;
    for (uint32_t k = 0; k < m->joint_count; ++k)
        if (m->joint[k].parent < 0) {
            fprintf(g->json, "%s%u", some ? "," : "", k + 2);
            some = true;
        }
    fputs("]},{\"name\":\"mesh\",\"mesh\":0,\"skin\":0}", g->json);
    for (uint32_t k = 0; k < m->joint_count; ++k) put_joint(g, k);
    fprintf(g->json, "],\"skins\":[{\"inverseBindMatrices\":%u,\"joints\":[",
            g->primitives * ((unsigned)g->attribute_count + 1));
    for (uint32_t k = 0; k < m->joint_count; ++k) fprintf(g->json, "%s%u", k ? "," : "", k + 2);
    fputs("]}],", g->json);
}

static void put_mesh(const glb *g) {
    unsigned accessor = 0;
    fputs("\"meshes\":[{\"primitives\":[", g->json);
    for (uint32_t k = 0; k < g->groups; ++k) {
        if (g->from[k] == g->from[k + 1]) continue;
        fputs(accessor ? ",{\"attributes\":{" : "{\"attributes\":{", g->json);
        for (int a = 0; a < g->attribute_count; ++a)
            fprintf(g->json, "%s\"%s\":%u", a ? "," : "", g->attribute[a].name, accessor++);
        fprintf(g->json, "},\"indices\":%u", accessor++);
        if (g->m->paint) fprintf(g->json, ",\"material\":%u", k);
        fputc('}', g->json);
    }
    fputs("]}],", g->json);
    if (!g->m->paint) return;
    fputs("\"materials\":[", g->json);
    for (uint32_t k = 0; k < g->m->material_count; ++k) {
        const karst_model_material *a = &g->m->material[k];
        fputs(k ? ",{\"name\":" : "{\"name\":", g->json);
        put_string(g->json, a->name);
        fprintf(g->json,
                ",\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.9g,%.9g,%.9g,%.9g],\"metallicFactor\":0}%s}",
                (double)a->colour[0], (double)a->colour[1], (double)a->colour[2], (double)a->colour[3],
                a->colour[3] < 1 ? ",\"alphaMode\":\"BLEND\"" : "");
    }
    fputs("],", g->json);
}

// Least and largest coordinates of a material, which glTF asks for.
static void put_bounds(const glb *g, uint32_t k) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = g->wedge_from[k]; i < g->wedge_from[k + 1]; ++i) {
        const karst_vec3 p = g->m->position[g->m->vertex[g->wedge[i]]];
        const float at[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; ++c) {
            low[c] = fminf(low[c], at[c]);
            high[c] = fmaxf(high[c], at[c]);
        }
    }
    fprintf(g->json, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", (double)low[0], (double)low[1],
            (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
}

// Accessors and views, a view an attribute; gives the length of the binary chunk.
static uint64_t put_accessors(const glb *g) {
    const karst_model *m = g->m;
    uint64_t at = 0, index_bytes = 12 * (uint64_t)m->triangle_count;
    bool some = false;
    fputs("\"accessors\":[", g->json);
    for (uint32_t k = 0; k < g->groups; ++k) {
        if (g->from[k] == g->from[k + 1]) continue;
        uint32_t first = g->wedge_from[k], count = g->wedge_from[k + 1] - first;
        for (int a = 0; a < g->attribute_count; ++a) {
            const attribute *t = &g->attribute[a];
            fprintf(g->json,
                    "%s{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,\"count\":%u,\"type\":\"%s\"%s",
                    some ? "," : "", a, (unsigned long long)first * (unsigned)t->bytes, t->component, count, t->type,
                    t->normalized ? ",\"normalized\":true" : "");
            if (a == 0) put_bounds(g, k);
            fputc('}', g->json);
            some = true;
        }
        fprintf(g->json,
                ",{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,\"count\":%u,\"type\":\"SCALAR\"}",
                g->attribute_count, 12ull * g->from[k], INT, 3 * (g->from[k + 1] - g->from[k]));
    }
    if (m->joint_count)
        fprintf(g->json, ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%u,\"type\":\"MAT4\"}",
                g->attribute_count + 1, FLOAT, m->joint_count);
    fputs("],\"bufferViews\":[", g->json);
    for (int a = 0; a < g->attribute_count; ++a) {
        int stride = g->attribute[a].bytes;
        uint64_t bytes = (uint64_t)stride * g->wedge_from[g->groups];
        fprintf(g->json, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"byteStride\":%d,\"target\":34962},",
                (unsigned long long)at, (unsigned long long)bytes, stride);
        at += bytes;
    }
    fprintf(g->json, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":34963}", (unsigned long long)at,
            (unsigned long long)index_bytes);
    at += index_bytes;
    if (m->joint_count)
        fprintf(g->json, ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu}", (unsigned long long)at,
                64ull * m->joint_count);
    at += 64 * (uint64_t)m->joint_count;
    fprintf(g->json, "],\"buffers\":[{\"byteLength\":%llu}]}", (unsigned long long)at);
    return at;
}

static uint64_t put_json(const glb *g) {
    fprintf(g->json,
            "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Karst %s\"},\"scene\":0,\"scenes\":[{\"nodes\":[%s]}],",
            karst_version_text(), g->m->joint_count ? "0,1" : "0");
    put_nodes(g);
    put_mesh(g);
    return put_accessors(g);
}

// ---- the numbers -----------------------------------------------------------------------------------------

static void put_attribute(kst_writer *w, const glb *g, const attribute *a, uint32_t wedge) {
    const karst_model *m = g->m;
    uint32_t words[4];
    bool of_vertex = a->of == m->position || a->of == m->skin;
    uint32_t i = of_vertex ? m->vertex[wedge] : wedge;
    if (a->of == m->skin) {
        const karst_model_skin *s = &m->skin[i];
        for (int k = 0; k < 2 && a->component == SHORT; ++k)
            words[k] = s->joint[2 * k] | (uint32_t)s->joint[2 * k + 1] << 16;
        for (int k = 0; k < 4 && a->component == FLOAT; ++k) {
            float share = (float)s->weight[k] / UINT16_MAX;
            memcpy(&words[k], &share, sizeof share);
        }
    } else if (a->of == m->colour) {
        const uint8_t *c = m->colour[i];
        words[0] = c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
    } else {
        memcpy(words, (const char *)a->of + (size_t)i * (size_t)a->bytes, (size_t)a->bytes);
    }
    karst_vec3 n = a->of == m->normal && m->normal ? m->normal[i] : (karst_vec3){1, 0, 0};
    if (n.x == 0 && n.y == 0 && n.z == 0) {  // glTF wants a length of 1
        const float up[3] = {0, 1, 0};
        memcpy(words, up, sizeof up);
    }
    kst_put_words(w, words, (size_t)a->bytes / 4);
}

static karst_status put_binary(kst_writer *w, const glb *g, const karst_progress *progress) {
    const karst_model *m = g->m;
    karst_status status = KARST_OK;
    for (int a = 0; a < g->attribute_count; ++a)
        for (uint32_t i = 0; i < g->wedge_from[g->groups] && !status; ++i) {
            put_attribute(w, g, &g->attribute[a], g->wedge[i]);
            if (i % SOME == 0) status = kst_progress_step(progress, "export", 0.8 * a / g->attribute_count);
        }
    for (uint32_t t = 0; t < m->triangle_count && !status; ++t) {
        kst_put_words(w, g->triangle[t], 3);
        if (t % SOME == 0) status = kst_progress_step(progress, "export", 0.8 + 0.2 * t / m->triangle_count);
    }
    for (uint32_t k = 0; k < m->joint_count && !status; ++k)
        for (int i = 0; i < 16; ++i) {
            float value = i % 4 < 3 ? m->joint[k].bind[i % 4][i / 4] : i == 15 ? 1 : 0;
            uint32_t word;
            memcpy(&word, &value, sizeof word);
            kst_put_words(w, &word, 1);
        }
    return status;
}

static karst_status put_file(const glb *g, const char *json, size_t json_bytes, uint64_t binary_bytes, const char *path,
                             const karst_progress *progress, karst_report *report) {
    uint64_t padded = (json_bytes + 3) / 4 * 4, whole = 28 + padded + binary_bytes;
    if (whole > UINT32_MAX)
        return kst_fail(report, KARST_ERROR_LIMIT, "%s: %llu bytes: a .glb holds up to 4 GiB: write .obj or .ply", path,
                        (unsigned long long)whole);
    kst_writer w;
    karst_status status = kst_writer_open(&w, path, report);
    if (status) return status;
    const uint32_t head[5] = {0x46546C67, 2, (uint32_t)whole, (uint32_t)padded, 0x4E4F534A};
    const uint32_t binary[2] = {(uint32_t)binary_bytes, 0x004E4942};
    kst_put_words(&w, head, 5);
    kst_writer_put(&w, json, json_bytes);
    kst_writer_put(&w, "   ", padded - json_bytes);
    kst_put_words(&w, binary, 2);
    status = put_binary(&w, g, progress);
    if (!status) return kst_writer_commit(&w, report);
    kst_writer_abandon(&w);
    return kst_fail(report, status, "%s: stopped", path);
}

karst_status kst_model_write_glb(const karst_model *model, const char *path, const karst_progress *progress,
                                 karst_report *report) {
    glb g = {.m = model};
    char *json = NULL;
    size_t json_bytes = 0;
    uint64_t binary_bytes = 0;
    list_attributes(&g);
    bool good = create(&g);
    if (good) sort_triangles(&g);
    good = good && number_wedges(&g);
    if (good) g.json = open_memstream(&json, &json_bytes);
    if (g.json) {
        binary_bytes = put_json(&g);
        good = !ferror(g.json);
        good = !fclose(g.json) && good;
    }
    karst_status status = good && json ? put_file(&g, json, json_bytes, binary_bytes, path, progress, report)
                                       : kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    free(json);
    destroy(&g);
    return status;
}
