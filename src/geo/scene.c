// SPDX-License-Identifier: MIT
// A scene of Assimp as one model: every mesh of every node in its place, bones as joints.
//
// A vertex with bones stands where they hold it: sum of weight x (joint in the world x bone's offset), as glTF 2.0
// says. So the model is the scene at rest, and a joint's own space is the inverse of where its node stands.
#include "geo/scene.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/metadata.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdlib.h>

#include "geo/affine.h"
#include "geo/apart.h"

typedef struct aiMesh mesh;
typedef struct aiNode node;

// A mesh where a node puts it.
typedef struct placed {
    const mesh *mesh;
    kst_affine to_world;
    int32_t joint;  // that carries it when it has no bones; -1: none
} placed;

typedef struct bone_name {
    const struct aiString *name;
    int32_t joint;  // -1: no node has that name
} bone_name;

typedef struct scene {
    const struct aiScene *ai;
    const karst_model_import_def *def;
    kst_scene_head *head;
    placed *placed;
    uint32_t placed_count, placed_room;
    bone_name *bone;  // sorted, each once
    uint32_t bone_count;
    struct {
        kst_affine at_rest;
        int32_t parent;
        const struct aiString *name;
    } * joint;
    uint32_t joint_count;
    int32_t still;    // the joint of what nothing moves
    bool stands;      // something hangs on it
    uint32_t *paint;  // new number of a material; those of no triangle are left out
    uint32_t paint_count;
    uint64_t vertices, triangles;
    karst_model *model;
} scene;

__attribute__((format(printf, 3, 4))) static bool refuse(scene *s, karst_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    s->head->status = (int32_t)status;
    vsnprintf(s->head->message, sizeof s->head->message, format, list);
    va_end(list);
    for (char *c = s->head->message; *c; ++c)
        if ((unsigned char)*c < ' ') *c = ' ';
    return false;
}

__attribute__((format(printf, 2, 3))) static void warn(scene *s, const char *format, ...) {
    karst_model_import_info *info = &s->head->info;
    if (info->warning_count == KARST_WARNINGS_MAX) return;
    va_list list;
    va_start(list, format);
    vsnprintf(info->warnings[info->warning_count++], KARST_WARNING_BYTES, format, list);
    va_end(list);
}

// Names that a file gave: cut at a whole character, without what a terminal would act on.
static void copy_name(char to[KARST_MODEL_NAME_BYTES], const struct aiString *from) {
    size_t length = from->length < KARST_MODEL_NAME_BYTES - 1 ? from->length : KARST_MODEL_NAME_BYTES - 1;
    if (length < from->length)
        while (length && ((unsigned char)from->data[length] & 0xC0) == 0x80) --length;
    for (size_t i = 0; i < length; ++i) to[i] = (unsigned char)from->data[i] < ' ' ? '_' : from->data[i];
    to[length] = 0;
}

// ---- bones and nodes ------------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b) {
    const bone_name *x = a, *y = b;
    return strcmp(x->name->data, y->name->data);
}

static bone_name *find_bone(const scene *s, const struct aiString *name) {
    bone_name key = {name, 0};
    return s->bone_count ? bsearch(&key, s->bone, s->bone_count, sizeof *s->bone, compare_names) : NULL;
}

static bool list_bones(scene *s) {
    size_t count = 0, kept = 0;
    for (unsigned i = 0; i < s->ai->mNumMeshes; ++i) count += s->ai->mMeshes[i]->mNumBones;
    s->bone = calloc(count + 1, sizeof *s->bone);
    s->joint = calloc(count + 2, sizeof *s->joint);
    if (!s->bone || !s->joint) return refuse(s, KARST_ERROR_MEMORY, "out of memory");
    for (unsigned i = 0; i < s->ai->mNumMeshes; ++i)
        for (unsigned b = 0; b < s->ai->mMeshes[i]->mNumBones; ++b)
            s->bone[s->bone_count++] = (bone_name){&s->ai->mMeshes[i]->mBones[b]->mName, -1};
    if (count) qsort(s->bone, count, sizeof *s->bone, compare_names);
    for (size_t i = 0; i < count; ++i)
        if (!i || compare_names(&s->bone[kept - 1], &s->bone[i])) s->bone[kept++] = s->bone[i];
    s->bone_count = (uint32_t)kept;
    return kept < KARST_MODEL_MAX_JOINTS ? true
                                         : refuse(s, KARST_ERROR_LIMIT, "%zu bones, a model has up to %d joints", kept,
                                                  KARST_MODEL_MAX_JOINTS - 1);
}

static kst_affine from_ai(const struct aiMatrix4x4 *matrix) {
    const ai_real *t = &matrix->a1;
    kst_affine a;
    for (int i = 0; i < 12; ++i) a.m[i / 4][i % 4] = (double)t[i];
    return a;
}

static uint64_t triangles_of(const mesh *m) {
    uint64_t count = 0;
    for (unsigned f = 0; f < m->mNumFaces; ++f) count += m->mFaces[f].mNumIndices == 3;
    return count;
}

static bool place_mesh(scene *s, const mesh *m, const kst_affine *to_world, int32_t joint) {
    uint64_t triangles = triangles_of(m);
    s->head->info.points_and_lines += m->mNumFaces - triangles;
    if (!triangles || !m->mVertices || !m->mNumVertices) return true;
    s->triangles += triangles;
    s->vertices += m->mNumVertices;
    if (s->triangles > s->def->most_triangles || s->vertices > 3 * s->def->most_triangles)
        return refuse(s, KARST_ERROR_LIMIT, "over %llu triangles: allow more, or give a smaller model",
                      (unsigned long long)s->def->most_triangles);
    if (s->placed_count == s->placed_room) {
        s->placed_room = s->placed_room ? 2 * s->placed_room : 64;
        placed *more = realloc(s->placed, s->placed_room * sizeof *more);
        if (!more) return refuse(s, KARST_ERROR_MEMORY, "out of memory");
        s->placed = more;
    }
    s->placed[s->placed_count++] = (placed){m, *to_world, joint};
    return true;
}

static bool walk(scene *s, const node *n, const kst_affine *parent, int32_t joint) {
    if (!n) return true;  // readers leave gaps
    kst_affine own = from_ai(&n->mTransformation), to_world = kst_affine_mul(parent, &own);
    ++s->head->info.nodes;
    bone_name *bone = find_bone(s, &n->mName);
    if (bone && bone->joint < 0) {
        bone->joint = (int32_t)s->joint_count;
        s->joint[s->joint_count].at_rest = to_world;
        s->joint[s->joint_count].parent = joint;
        s->joint[s->joint_count++].name = bone->name;
        joint = bone->joint;
    }
    for (unsigned i = 0; i < n->mNumMeshes; ++i)
        if (n->mMeshes[i] < s->ai->mNumMeshes && !place_mesh(s, s->ai->mMeshes[n->mMeshes[i]], &to_world, joint))
            return false;
    for (unsigned i = 0; i < n->mNumChildren; ++i)
        if (!walk(s, n->mChildren[i], &to_world, joint)) return false;
    return true;
}

// Bones that no node bears stand where their offset says; what nothing moves hangs on a joint of its own.
static void add_lost_joints(scene *s) {
    for (unsigned i = 0; i < s->ai->mNumMeshes; ++i)
        for (unsigned b = 0; b < s->ai->mMeshes[i]->mNumBones; ++b) {
            const struct aiBone *bone = s->ai->mMeshes[i]->mBones[b];
            bone_name *known = find_bone(s, &bone->mName);
            if (known->joint >= 0) continue;
            kst_affine offset = from_ai(&bone->mOffsetMatrix), at = kst_affine_one();
            kst_affine_inverse(&offset, &at);
            known->joint = (int32_t)s->joint_count;
            s->joint[s->joint_count].at_rest = at;
            s->joint[s->joint_count].parent = -1;
            s->joint[s->joint_count++].name = known->name;
        }
    if (!s->joint_count) return;
    static const struct aiString still = {5, "still"};
    s->still = (int32_t)s->joint_count;
    s->joint[s->joint_count].at_rest = kst_affine_one();
    s->joint[s->joint_count].parent = -1;
    s->joint[s->joint_count++].name = &still;
}

// ---- vertices -------------------------------------------------------------------------------------------

typedef struct hold {  // the heaviest bones of a vertex
    int32_t joint[4];
    kst_affine *map[4];
    float weight[4];
} hold;

static void hold_add(hold *h, int32_t joint, kst_affine *map, float weight) {
    if (!(weight > 0) || !isfinite(weight)) return;
    int least = 0;
    for (int k = 1; k < 4; ++k)
        if (h->weight[k] < h->weight[least]) least = k;
    if (weight <= h->weight[least]) return;
    h->joint[least] = joint;
    h->map[least] = map;
    h->weight[least] = weight;
}

// Weights as shares of 65535; what rounding adds or leaves over is the heaviest's.
static karst_model_skin skin_of(const hold *h) {
    karst_model_skin skin = {{0}, {0}};
    double sum = 0;
    int heaviest = 0, given = 0;
    for (int k = 0; k < 4; ++k) {
        sum += (double)h->weight[k];
        if (h->weight[k] > h->weight[heaviest]) heaviest = k;
    }
    for (int k = 0; k < 4; ++k) {
        skin.weight[k] = (uint16_t)floor((double)h->weight[k] / sum * UINT16_MAX + 0.5);
        if (skin.weight[k]) skin.joint[k] = (uint16_t)h->joint[k];
        given += skin.weight[k];
    }
    skin.joint[heaviest] = (uint16_t)h->joint[heaviest];
    skin.weight[heaviest] = (uint16_t)(skin.weight[heaviest] + UINT16_MAX - given);
    return skin;
}

// The map of a vertex: its bones' by weight.
static kst_affine blend(const hold *h) {
    kst_affine out = {{{0}}};
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += (double)h->weight[k];
    for (int k = 0; k < 4; ++k)
        for (int i = 0; h->weight[k] > 0 && i < 12; ++i)
            out.m[i / 4][i % 4] += (double)h->weight[k] / sum * h->map[k]->m[i / 4][i % 4];
    return out;
}

// Bones of a placed mesh: maps[b] from its space to the world, holds by vertex. False without memory.
static bool gather_bones(const scene *s, const mesh *m, hold *holds, kst_affine *maps) {
    for (unsigned b = 0; b < m->mNumBones; ++b) {
        const struct aiBone *bone = m->mBones[b];
        int32_t joint = find_bone(s, &bone->mName)->joint;
        kst_affine offset = from_ai(&bone->mOffsetMatrix);
        maps[b] = kst_affine_mul(&s->joint[joint].at_rest, &offset);
        for (unsigned w = 0; bone->mWeights && w < bone->mNumWeights; ++w)
            if (bone->mWeights[w].mVertexId < m->mNumVertices)
                hold_add(&holds[bone->mWeights[w].mVertexId], joint, &maps[b], bone->mWeights[w].mWeight);
    }
    return true;
}

static karst_vec3 unit_normal(const kst_affine *map, const struct aiVector3D *n) {
    double cofactor[3][3], det = kst_affine_cofactors(map, cofactor), to[3], length = 0;
    for (int r = 0; r < 3; ++r) {
        to[r] = cofactor[r][0] * (double)n->x + cofactor[r][1] * (double)n->y + cofactor[r][2] * (double)n->z;
        length += to[r] * to[r];
    }
    length = copysign(sqrt(length), det);
    karst_vec3 out = {(float)(to[0] / length), (float)(to[1] / length), (float)(to[2] / length)};
    bool good = isfinite(out.x) && isfinite(out.y) && isfinite(out.z);
    return good ? out : (karst_vec3){0, 0, 0};
}

static float finite_or(float value, float otherwise) {
    return isfinite(value) ? value : otherwise;
}

static uint8_t byte_of(float share) {
    return (uint8_t)(fminf(fmaxf(finite_or(share, 1), 0), 1) * 255 + 0.5f);
}

static void put_attributes(karst_model *out, const mesh *m, unsigned v, uint32_t w, const kst_affine *map) {
    out->vertex[w] = w;
    if (out->normal && m->mNormals) out->normal[w] = unit_normal(map, &m->mNormals[v]);
    for (int k = 0; k < out->uv_sets; ++k)
        if (m->mTextureCoords[k]) {
            out->uv[k][w][0] = finite_or(m->mTextureCoords[k][v].x, 0);
            out->uv[k][w][1] = finite_or(m->mTextureCoords[k][v].y, 0);
        }
    if (!out->colour) return;
    const struct aiColor4D white = {1, 1, 1, 1}, *c = m->mColors[0] ? &m->mColors[0][v] : &white;
    const float of[4] = {c->r, c->g, c->b, c->a};
    for (int k = 0; k < 4; ++k) out->colour[w][k] = byte_of(of[k]);
}

static karst_model_skin hang(scene *s, const placed *p) {
    s->stands = s->stands || p->joint < 0;
    return (karst_model_skin){{(uint16_t)(p->joint < 0 ? s->still : p->joint)}, {UINT16_MAX}};
}

static bool put_mesh(scene *s, const placed *p, double (*position)[3], hold *holds, kst_affine *maps, uint32_t first) {
    const mesh *m = p->mesh;
    karst_model *out = s->model;
    memset(holds, 0, m->mNumVertices * sizeof *holds);
    gather_bones(s, m, holds, maps);
    for (unsigned v = 0; v < m->mNumVertices; ++v) {
        bool held =
            holds[v].weight[0] > 0 || holds[v].weight[1] > 0 || holds[v].weight[2] > 0 || holds[v].weight[3] > 0;
        kst_affine map = held ? blend(&holds[v]) : p->to_world;
        const double at[3] = {(double)m->mVertices[v].x, (double)m->mVertices[v].y, (double)m->mVertices[v].z};
        kst_affine_point(&map, at, position[first + v]);
        for (int k = 0; k < 3; ++k)
            if (!(fabs(position[first + v][k]) < 1e18))
                return refuse(
                    s, KARST_ERROR_FORMAT,
                    "mesh \"%.40s\": vertex %u is at (%g, %g, %g): coordinates must be finite and within 1e18 m",
                    m->mName.data, v, at[0], at[1], at[2]);
        if (out->skin) out->skin[first + v] = held ? skin_of(&holds[v]) : hang(s, p);
        put_attributes(out, m, v, first + v, &map);
    }
    return true;
}

static uint32_t material_of(const scene *s, const mesh *m) {
    return m->mMaterialIndex < s->ai->mNumMaterials ? m->mMaterialIndex : 0;
}

// Faces of a mirrored mesh turn round.
static bool put_faces(scene *s, const placed *p, const kst_affine *maps, uint32_t first, uint32_t *t) {
    const mesh *m = p->mesh;
    double unused[3][3];
    bool mirrored = kst_affine_cofactors(m->mNumBones ? &maps[0] : &p->to_world, unused) < 0;
    for (unsigned f = 0; f < m->mNumFaces; ++f) {
        if (m->mFaces[f].mNumIndices != 3) continue;
        for (int k = 0; k < 3; ++k) {
            unsigned v = m->mFaces[f].mIndices[mirrored ? 2 - k : k];
            if (v >= m->mNumVertices)
                return refuse(s, KARST_ERROR_FORMAT, "mesh \"%.40s\": face %u names vertex %u of %u", m->mName.data, f,
                              v, m->mNumVertices);
            s->model->triangle[*t][k] = first + v;
        }
        if (s->model->paint) s->model->paint[*t] = (uint16_t)s->paint[material_of(s, m)];
        ++*t;
    }
    return true;
}

// ---- the rest -------------------------------------------------------------------------------------------

static void put_material(const struct aiMaterial *from, karst_model_material *to) {
    struct aiString name = {0};
    struct aiColor4D colour = {1, 1, 1, 1};
    ai_real opacity = 1;
    if (aiGetMaterialString(from, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS) copy_name(to->name, &name);
    if (aiGetMaterialColor(from, AI_MATKEY_BASE_COLOR, &colour) != aiReturn_SUCCESS &&
        aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &colour) == aiReturn_SUCCESS &&
        aiGetMaterialFloatArray(from, AI_MATKEY_OPACITY, &opacity, NULL) == aiReturn_SUCCESS)
        colour.a = opacity;
    const float of[4] = {colour.r, colour.g, colour.b, colour.a};
    for (int k = 0; k < 4; ++k) to->colour[k] = fminf(fmaxf(finite_or(of[k], 1), 0), 1);
}

static void put_joints(scene *s) {
    int singular = 0;
    for (uint32_t k = 0; k < s->joint_count; ++k) {
        karst_model_joint *to = &s->model->joint[k];
        kst_affine bind = kst_affine_one();
        karst_pos o = s->model->origin;
        kst_affine here = s->joint[k].at_rest;
        here.m[0][3] -= o.x, here.m[1][3] -= o.y, here.m[2][3] -= o.z;
        singular += !kst_affine_inverse(&here, &bind);
        copy_name(to->name, s->joint[k].name);
        to->parent = s->joint[k].parent;
        for (int i = 0; i < 12; ++i) to->bind[i / 4][i % 4] = (float)bind.m[i / 4][i % 4];
    }
    if (singular) warn(s, "%d joints have no size: they stand at the origin", singular);
}

// Floats relative to the origin, which is moved only where floats around 0 would be coarse.
static void put_positions(scene *s, const double (*position)[3]) {
    karst_model *m = s->model;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, far = 0, size = 0;
    for (uint32_t v = 0; v < m->vertex_count; ++v)
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], position[v][k]);
            high[k] = fmax(high[k], position[v][k]);
        }
    for (int k = 0; k < 3; ++k) {
        far = fmax(far, fabs(low[k] + high[k]) / 2);
        size = fmax(size, high[k] - low[k]);
    }
    if (far > 16 * size)
        m->origin =
            (karst_pos){round((low[0] + high[0]) / 2), round((low[1] + high[1]) / 2), round((low[2] + high[2]) / 2)};
    for (uint32_t v = 0; v < m->vertex_count; ++v)
        m->position[v] = (karst_vec3){(float)(position[v][0] - m->origin.x), (float)(position[v][1] - m->origin.y),
                                      (float)(position[v][2] - m->origin.z)};
}

// What an FBX file says of its units, in centimetres; formats whose reader scales them already say nothing here.
static double unit_of(const struct aiScene *ai) {
    const struct aiMetadata *data = ai->mMetaData;
    for (unsigned i = 0; data && i < data->mNumProperties; ++i) {
        if (strcmp(data->mKeys[i].data, "UnitScaleFactor") || !data->mValues[i].mData) continue;
        double cm = 0;
        float single;
        if (data->mValues[i].mType == AI_DOUBLE) memcpy(&cm, data->mValues[i].mData, sizeof cm);
        if (data->mValues[i].mType == AI_FLOAT) {
            memcpy(&single, data->mValues[i].mData, sizeof single);
            cm = (double)single;
        }
        if (cm > 1e-6 && cm < 1e9) return cm / 100;
    }
    return 1;
}

static kst_affine root_map(scene *s) {
    double u = s->def->unit_m > 0 ? s->def->unit_m : unit_of(s->ai);
    s->head->info.unit_m = u;
    if (s->def->up == KARST_MODEL_UP_Z) return (kst_affine){{{u, 0, 0, 0}, {0, 0, u, 0}, {0, -u, 0, 0}}};
    return (kst_affine){{{u, 0, 0, 0}, {0, u, 0, 0}, {0, 0, u, 0}}};
}

static bool number_materials(scene *s) {
    uint32_t count = s->ai->mNumMaterials;
    s->paint = calloc((size_t)count + 1, sizeof *s->paint);
    if (!s->paint) return refuse(s, KARST_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; count && i < s->placed_count; ++i) s->paint[material_of(s, s->placed[i].mesh)] = 1;
    for (uint32_t k = 0; k < count; ++k) s->paint[k] = s->paint[k] ? s->paint_count++ : UINT32_MAX;
    return true;
}

static bool create_model(scene *s) {
    bool normals = false, colours = false;
    int uv_sets = 0;
    for (uint32_t i = 0; i < s->placed_count; ++i) {
        const mesh *m = s->placed[i].mesh;
        normals = normals || m->mNormals;
        colours = colours || m->mColors[0];
        s->head->without_normals += !m->mNormals;
        for (int k = 0; k < KARST_MODEL_UV_SETS; ++k)
            if (m->mTextureCoords[k] && k >= uv_sets) uv_sets = k + 1;
    }
    s->head->size = (karst_model_size){
        .vertices = (uint32_t)s->vertices,
        .wedges = (uint32_t)s->vertices,
        .triangles = (uint32_t)s->triangles,
        .materials = s->paint_count,
        .joints = s->joint_count,
        .uv_sets = uv_sets,
        .normals = normals,
        .colours = colours,
    };
    karst_report report = {0};
    karst_status status = karst_model_create(&s->head->size, NULL, &report, &s->model);
    return status ? refuse(s, status, "%s", report.message) : true;
}

static bool fill_model(scene *s) {
    unsigned most_vertices = 1, most_bones = 1;
    for (uint32_t i = 0; i < s->placed_count; ++i) {
        const mesh *m = s->placed[i].mesh;
        if (m->mNumVertices > most_vertices) most_vertices = m->mNumVertices;
        if (m->mNumBones > most_bones) most_bones = m->mNumBones;
    }
    double(*position)[3] = calloc(s->vertices, sizeof *position);
    hold *holds = calloc(most_vertices, sizeof *holds);
    kst_affine *maps = calloc(most_bones, sizeof *maps);
    if (!position || !holds || !maps) return refuse(s, KARST_ERROR_MEMORY, "out of memory");
    uint32_t first = 0, t = 0;
    for (uint32_t i = 0; i < s->placed_count; ++i) {
        const placed *p = &s->placed[i];
        if (!put_mesh(s, p, position, holds, maps, first) || !put_faces(s, p, maps, first, &t)) return false;
        first += p->mesh->mNumVertices;
    }
    put_positions(s, (const double(*)[3])position);
    put_joints(s);
    for (uint32_t k = 0; k < s->ai->mNumMaterials; ++k)
        if (s->paint[k] != UINT32_MAX) put_material(s->ai->mMaterials[k], &s->model->material[s->paint[k]]);
    if (s->joint_count && !s->stands) s->head->size.joints = --s->model->joint_count;  // the last, and nothing on it
    return true;  // the process ends soon: nothing is freed
}

static bool convert(scene *s) {
    s->head->info.meshes = s->ai->mNumMeshes;
    kst_affine root = root_map(s);
    if (!list_bones(s) || !walk(s, s->ai->mRootNode, &root, -1)) return false;
    if (!s->triangles)
        return refuse(s, KARST_ERROR_UNSUPPORTED, "no triangle in it (%llu points and lines): a model needs some",
                      (unsigned long long)s->head->info.points_and_lines);
    add_lost_joints(s);
    return number_materials(s) && create_model(s) && fill_model(s);
}

static const struct aiScene *read_file(const char *path) {
    struct aiPropertyStore *p = aiCreatePropertyStore();
    if (!p) return NULL;
    aiSetImportPropertyInteger(p, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(p, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    aiSetImportPropertyInteger(p, AI_CONFIG_IMPORT_MD3_HANDLE_MULTIPART, 0);  // this file, and no other beside it
    return aiImportFileExWithProperties(path, aiProcess_Triangulate | aiProcess_FlipUVs, NULL, p);
}

static bool write_array(void *file, void *array, size_t bytes) {
    return kst_apart_write(*(int *)file, array, bytes);
}

void kst_scene_read(void *job, int file) {
    const kst_scene_job *j = job;
    kst_scene_head *head = calloc(1, sizeof *head);
    if (!head) _Exit(1);
    scene s = {.def = j->def, .head = head, .ai = read_file(j->path)};
    bool good;
    if (!s.ai || !s.ai->mRootNode) {
        const char *why = aiGetErrorString();
        karst_status status = KARST_ERROR_FORMAT;
        if (strstr(why, "No suitable reader")) status = KARST_ERROR_UNSUPPORTED;
        if (strstr(why, "bad_alloc")) status = KARST_ERROR_LIMIT;
        if (status == KARST_ERROR_LIMIT)
            good = refuse(&s, status, "reading it takes over %llu bytes of memory: allow more, or give a smaller file",
                          (unsigned long long)j->def->memory_bytes);
        else
            good = refuse(&s, status, "%.300s", *why ? why : "no scene in it");
    } else {
        good = convert(&s);
    }
    if (good) head->origin = s.model->origin;
    head->whole = KST_COOKIE;
    if (!kst_apart_write(file, head, sizeof *head)) _Exit(1);
    if (good && !kst_scene_arrays(s.model, write_array, &file)) _Exit(1);
}

bool kst_scene_arrays(karst_model *m, kst_scene_take *take, void *context) {
    const struct {
        void *array;
        size_t count, bytes;
    } all[] = {
        {m->position, m->vertex_count, sizeof *m->position}, {m->skin, m->vertex_count, sizeof *m->skin},
        {m->vertex, m->wedge_count, sizeof *m->vertex},      {m->normal, m->wedge_count, sizeof *m->normal},
        {m->uv[0], m->wedge_count, sizeof *m->uv[0]},        {m->uv[1], m->wedge_count, sizeof *m->uv[1]},
        {m->uv[2], m->wedge_count, sizeof *m->uv[2]},        {m->uv[3], m->wedge_count, sizeof *m->uv[3]},
        {m->colour, m->wedge_count, sizeof *m->colour},      {m->triangle, m->triangle_count, sizeof *m->triangle},
        {m->paint, m->triangle_count, sizeof *m->paint},     {m->material, m->material_count, sizeof *m->material},
        {m->joint, m->joint_count, sizeof *m->joint},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        if (all[k].array && !take(context, all[k].array, all[k].count * all[k].bytes)) return false;
    return true;
}
