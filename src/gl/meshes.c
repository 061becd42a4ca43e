// SPDX-License-Identifier: MIT
// Meshes: instances are sorted by mesh and level; each level in use has an index array on the device, which slides.
//
// Invariant: the index array of a level on the device is that of its instance at `uploaded` vertices.
#include "gl/meshes.h"

#include <math.h>
#include <stdlib.h>

#include "gl/program.h"

enum {
    PIECES_MAX = 64,  // more changes than that go up as one
    UNIT_WEDGE_PLACE = KST_UNIT_COUNT,
    UNIT_WEDGE_FACE,
};

// Normal and colour of a wedge, as the device has them.
typedef struct face {
    karst_vec3 normal;
    uint8_t colour[4];
} face;

// ---- make ------------------------------------------------------------------------------------------

static void make_array(karst_gl_meshes *m) {
    glCreateVertexArrays(1, &m->array);
    glCreateBuffers(1, &m->rows);
    for (GLuint k = 0; k < 9; ++k) {
        glEnableVertexArrayAttrib(m->array, k);
        glVertexArrayAttribBinding(m->array, k, k == 0 ? 0 : k < 3 ? 1 : 2);
    }
    glVertexArrayAttribFormat(m->array, 0, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribFormat(m->array, 1, 3, GL_FLOAT, GL_FALSE, offsetof(face, normal));
    glVertexArrayAttribFormat(m->array, 2, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(face, colour));
    for (GLuint k = 0; k < 3; ++k)
        glVertexArrayAttribFormat(m->array, 3 + k, 4, GL_FLOAT, GL_FALSE, 4 * k * (GLuint)sizeof(float));
    glVertexArrayAttribFormat(m->array, 6, 3, GL_FLOAT, GL_FALSE, offsetof(kst_mesh_place, shadow));
    glVertexArrayAttribFormat(m->array, 7, 1, GL_FLOAT, GL_FALSE, offsetof(kst_mesh_place, share));
    glVertexArrayAttribIFormat(m->array, 8, 1, GL_UNSIGNED_INT, offsetof(kst_mesh_place, coarse));
    glVertexArrayBindingDivisor(m->array, 2, 1);
}

void kst_meshes_set_units(GLuint program) {
    kst_gl_set_units(program);
    glProgramUniform1i(program, glGetUniformLocation(program, "u_wedge_place"), UNIT_WEDGE_PLACE);
    GLint face_at = glGetUniformLocation(program, "u_wedge_face");
    if (face_at >= 0) glProgramUniform1i(program, face_at, UNIT_WEDGE_FACE);  // a shadow has no use for it
}

karst_status karst_gl_meshes_create(karst_gl *gl, karst_gl_meshes **out) {
    karst_gl_meshes *m = kst_alloc_zero(NULL, sizeof *m);
    if (!m) return kst_fail(gl->def.report, KARST_ERROR_MEMORY, "no memory for meshes");
    m->gl = gl;
    const kst_stage stages[2] = {{GL_VERTEX_SHADER, {"frame.glsl", "mesh_morph.glsl", "mesh.vert.glsl"}},
                                 {GL_FRAGMENT_SHADER, {KST_LAND_FILES, "mesh.frag.glsl"}}};
    const kst_stage cast[2] = {{GL_VERTEX_SHADER, {"frame.glsl", "mesh_morph.glsl", "mesh_shadow.vert.glsl"}},
                               {GL_FRAGMENT_SHADER, {KST_LAND_FILES, "mesh_shadow.frag.glsl"}}};
    karst_status status = kst_program_build(stages, 2, gl->defines, gl->def.report, &m->program);
    if (!status) status = kst_program_build(cast, 2, gl->defines, gl->def.report, &m->shadow);
    if (status) {
        glDeleteProgram(m->program);
        kst_free(NULL, m, sizeof *m);
        return status;
    }
    kst_meshes_set_units(m->program);
    kst_meshes_set_units(m->shadow);
    m->material_at = glGetUniformLocation(m->program, "u_material");
    m->stand_at = glGetUniformLocation(m->program, "u_stand");
    m->shadow_stand_at = glGetUniformLocation(m->shadow, "u_stand");
    make_array(m);
    *out = m;
    return KARST_OK;
}

static void free_level(kst_mesh_level *l) {
    glDeleteBuffers(1, &l->indices);
    glDeleteBuffers(1, &l->places);
    glDeleteTextures(1, &l->texels);
    free(l->memory);
    free(l->texel);
    free(l);
}

static void free_mesh(kst_mesh *mesh) {
    for (int k = 0; k < mesh->level_count; ++k) free_level(mesh->levels[k]);
    glDeleteBuffers(1, &mesh->places);
    glDeleteBuffers(1, &mesh->faces);
    glDeleteTextures(1, &mesh->place_texels);
    glDeleteTextures(1, &mesh->face_texels);
    free(mesh->parents);
    free(mesh->levels);
    free(mesh->sections);
}

static void free_lists(karst_gl_meshes *m) {
    free(m->shown);
    free(m->keys);
    free(m->places);
    free(m->runs);
    m->shown_count = m->shown_room = 0;
}

void karst_gl_meshes_destroy(karst_gl_meshes *m) {
    if (!m) return;
    for (int k = 0; k < m->mesh_count; ++k) free_mesh(&m->meshes[k]);
    free(m->meshes);
    free_lists(m);
    glDeleteProgram(m->program);
    glDeleteProgram(m->shadow);
    glDeleteVertexArrays(1, &m->array);
    glDeleteBuffers(1, &m->rows);
    kst_free(NULL, m, sizeof *m);
}

static void measure(kst_mesh *mesh, const karst_model *model) {
    karst_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t k = 0; k < model->vertex_count; ++k) {
        karst_vec3 p = model->position[k];
        low = (karst_vec3){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z)};
        high = (karst_vec3){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z)};
    }
    mesh->centre = (karst_vec3){0.5f * (low.x + high.x), 0.5f * (low.y + high.y), 0.5f * (low.z + high.z)};
    mesh->radius_m = 0.5f * hypotf(hypotf(high.x - low.x, high.y - low.y), high.z - low.z);
    mesh->low_m = low.y;
    mesh->height_m = fmaxf(high.y - low.y, 1e-6f);
}

// Wedges for attributes, and the same for the shader to look up: texels has room for those of all wedges.
static void upload_wedges(kst_mesh *mesh, const karst_model *model, karst_vec3 *place, face *faces,
                          uint32_t (*texel)[4]) {
    uint32_t wedges = model->wedge_count;
    for (uint32_t w = 0; w < wedges; ++w) {
        place[w] = model->position[model->vertex[w]];
        faces[w] = (face){.colour = {255, 255, 255, 255}};
        if (model->normal) faces[w].normal = model->normal[w];
        if (model->colour) memcpy(faces[w].colour, model->colour[w], sizeof faces[w].colour);
    }
    glCreateBuffers(1, &mesh->places);
    glCreateBuffers(1, &mesh->faces);
    glNamedBufferStorage(mesh->places, (GLsizeiptr)(wedges * sizeof *place), place, 0);
    glNamedBufferStorage(mesh->faces, (GLsizeiptr)(wedges * sizeof *faces), faces, 0);
    for (uint32_t w = 0; w < wedges; ++w) {
        memcpy(texel[w], &faces[w].normal, sizeof faces[w].normal);
        const uint8_t *c = faces[w].colour;
        texel[w][3] = (uint32_t)c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
    }
    mesh->face_texels = kst_texels_make(wedges);
    kst_texels_put(mesh->face_texels, wedges, texel);
    for (uint32_t w = 0; w < wedges; ++w) {
        memcpy(texel[w], &place[w], sizeof place[w]);
        texel[w][3] = mesh->parents[w];
    }
    mesh->place_texels = kst_texels_make(wedges);
    kst_texels_put(mesh->place_texels, wedges, texel);
}

karst_status karst_gl_meshes_add(karst_gl_meshes *m, const karst_mrm *mrm, int *id) {
    const karst_model *model = karst_mrm_model(mrm);
    kst_mesh *meshes = realloc(m->meshes, (size_t)(m->mesh_count + 1) * sizeof *meshes);
    if (!meshes) return KARST_ERROR_MEMORY;
    m->meshes = meshes;
    kst_mesh mesh = {.mrm = mrm, .moves = karst_mrm_describe(mrm).moves};
    size_t wedges = model->wedge_count;
    karst_vec3 *place = malloc(wedges * sizeof *place);
    face *faces = malloc(wedges * sizeof *faces);
    uint32_t(*texel)[4] = malloc(wedges * sizeof *texel);
    mesh.parents = malloc(wedges * sizeof *mesh.parents);
    mesh.sections = malloc((model->material_count + 1) * sizeof *mesh.sections);
    bool room = place && faces && texel && mesh.parents && mesh.sections;
    if (room) {
        measure(&mesh, model);
        karst_mrm_parents(mrm, mesh.parents);
        upload_wedges(&mesh, model, place, faces, texel);
        meshes[m->mesh_count] = mesh;
        *id = m->mesh_count++;
    } else {
        free(mesh.parents);
        free(mesh.sections);
    }
    free(place);
    free(faces);
    free(texel);
    return room ? KARST_OK : KARST_ERROR_MEMORY;
}

karst_status karst_gl_meshes_show(karst_gl_meshes *m, const karst_gl_instance *instances, int count) {
    if (count > m->shown_room) {
        free_lists(m);
        size_t n = (size_t)count;
        m->shown = malloc(n * sizeof *m->shown);
        m->keys = malloc(n * sizeof *m->keys);
        m->places = malloc(n * sizeof *m->places);
        m->runs = malloc(n * sizeof *m->runs);
        if (!m->shown || !m->keys || !m->places || !m->runs) {
            free_lists(m);
            m->shown = NULL, m->keys = NULL, m->places = NULL, m->runs = NULL;
            return KARST_ERROR_MEMORY;
        }
        m->shown_room = count;
    }
    for (int k = 0; k < count; ++k) KARST_ASSERT(instances[k].mesh >= 0 && instances[k].mesh < m->mesh_count);
    if (count) memcpy(m->shown, instances, (size_t)count * sizeof *instances);
    m->shown_count = count;
    return KARST_OK;
}

karst_gl_mesh_figures karst_gl_meshes_figures(const karst_gl_meshes *m) {
    return m->figures;
}

// ---- choose ----------------------------------------------------------------------------------------

static float dot(karst_vec3 a, karst_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static karst_vec3 cross(karst_vec3 a, karst_vec3 b) {
    return (karst_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Rows of the matrix from the model into the frame.
static void matrix_of(const karst_gl_instance *i, karst_pos origin, float out[12]) {
    karst_vec3 y = i->up, z = {sinf(i->heading_rad), 0, -cosf(i->heading_rad)};
    float along = dot(y, z);
    z = (karst_vec3){z.x - along * y.x, z.y - along * y.y, z.z - along * y.z};
    float length = sqrtf(dot(z, z));
    z = (karst_vec3){z.x / length, z.y / length, z.z / length};
    karst_vec3 x = cross(y, z);
    float s = i->scale;
    const float rows[12] = {s * x.x, s * y.x, s * z.x, (float)(i->position.x - origin.x),
                            s * x.y, s * y.y, s * z.y, (float)(i->position.y - origin.y),
                            s * x.z, s * y.z, s * z.z, (float)(i->position.z - origin.z)};
    memcpy(out, rows, sizeof rows);
}

// Whether a ball, relative to the frame's origin, may be seen.
static bool is_seen(const karst_view *view, karst_pos origin, karst_vec3 centre, float radius) {
    karst_vec3 d = {centre.x - (float)(view->eye.x - origin.x), centre.y - (float)(view->eye.y - origin.y),
                    centre.z - (float)(view->eye.z - origin.z)};
    float depth = -dot(d, view->back), x = fabsf(dot(d, view->right)), y = fabsf(dot(d, view->up));
    return depth > -radius && x < view->tan_x * depth + radius * sqrtf(1 + view->tan_x * view->tan_x) &&
           y < view->tan_y * depth + radius * sqrtf(1 + view->tan_y * view->tan_y);
}

static karst_vec3 centre_of(const kst_mesh *mesh, const float r[12]) {
    karst_vec3 c = mesh->centre;
    return (karst_vec3){r[0] * c.x + r[1] * c.y + r[2] * c.z + r[3], r[4] * c.x + r[5] * c.y + r[6] * c.z + r[7],
                        r[8] * c.x + r[9] * c.y + r[10] * c.z + r[11]};
}

static int by_run(const kst_mesh_key *x, const kst_mesh_key *y) {
    if (x->mesh != y->mesh) return (x->mesh > y->mesh) - (x->mesh < y->mesh);
    if (x->vertices != y->vertices) return (x->vertices > y->vertices) - (x->vertices < y->vertices);
    return (x->coarse > y->coarse) - (x->coarse < y->coarse);
}

static int by_key(const void *a, const void *b) {
    const kst_mesh_key *x = a, *y = b;
    int order = by_run(x, y);
    return order ? order : (x->shown > y->shown) - (x->shown < y->shown);
}

// Many instances share few levels, and finding one takes longer than all else that is done for an instance.
static const kst_mesh_known *know_level(kst_mesh *mesh, uint32_t vertices) {
    uint32_t asked = vertices ? vertices : 1;
    kst_mesh_known *known = &mesh->known[asked % KST_MESH_KNOWN];
    if (known->asked == asked) return known;
    karst_mrm_level level = karst_mrm_level_of_vertices(mesh->mrm, asked);
    *known = (kst_mesh_known){asked, level.vertices, level.wedges};
    return known;
}

// The levels that an instance is drawn from. At an end of its way it is that level.
static kst_mesh_key key_of(kst_mesh *mesh, const karst_gl_instance *i, int shown) {
    kst_mesh_key key = {.mesh = i->mesh, .coarse_wedges = UINT32_MAX, .shown = shown};
    bool between = i->coarse_vertices && i->share < 1;
    key.vertices = know_level(mesh, between && i->share <= 0 ? i->coarse_vertices : i->vertices)->vertices;
    if (!between || i->share <= 0) return key;
    const kst_mesh_known *coarse = know_level(mesh, i->coarse_vertices);
    if (coarse->vertices >= key.vertices) return key;
    key.coarse_wedges = coarse->wedges;
    if (mesh->moves) key.coarse = coarse->vertices;
    return key;
}

// Seen instances in the order of mesh and level, in keys and places. @return how many
static int sort_seen(karst_gl_meshes *m, const karst_frame *frame, const karst_view *view) {
    int n = 0;
    for (int k = 0; k < m->shown_count; ++k) {
        const karst_gl_instance *i = &m->shown[k];
        kst_mesh *mesh = &m->meshes[i->mesh];
        float rows[12];
        matrix_of(i, frame->origin, rows);
        if (!is_seen(view, frame->origin, centre_of(mesh, rows), i->scale * mesh->radius_m)) continue;
        m->keys[n++] = key_of(mesh, i, k);
    }
    if (n > 1) qsort(m->keys, (size_t)n, sizeof *m->keys, by_key);
    for (int k = 0; k < n; ++k) {
        const kst_mesh_key *key = &m->keys[k];
        const karst_gl_instance *i = &m->shown[key->shown];
        kst_mesh_place *place = &m->places[k];
        matrix_of(i, frame->origin, place->rows);
        karst_vec3 on = dot(i->ground, i->ground) > 0 ? i->ground : i->up;
        memcpy(place->shadow, i->shadow ? (const float[3]){on.x, on.y, on.z} : (const float[3]){0}, sizeof on);
        place->coarse = key->coarse_wedges;
        place->share = key->coarse_wedges == UINT32_MAX ? 1 : i->share;
    }
    return n;
}

static kst_mesh_level *add_level(kst_mesh *mesh) {
    kst_mesh_level **levels = realloc(mesh->levels, (size_t)(mesh->level_count + 1) * sizeof(kst_mesh_level *));
    if (levels) mesh->levels = levels;
    kst_mesh_level *l = levels ? calloc(1, sizeof *l) : NULL;
    if (l) l->memory = malloc(karst_mrm_instance_bytes(mesh->mrm));
    if (l && mesh->moves) l->texel = malloc(karst_mrm_model(mesh->mrm)->wedge_count * sizeof *l->texel);
    if (!l || !l->memory || (mesh->moves && !l->texel)) {
        if (l) free(l->memory), free(l->texel);
        free(l);
        return NULL;
    }
    karst_mrm_instance_init(&l->instance, mesh->mrm, l->memory);
    karst_mrm_info info = karst_mrm_describe(mesh->mrm);
    glCreateBuffers(1, &l->indices);
    glNamedBufferStorage(l->indices, 3 * (GLsizeiptr)sizeof(uint32_t) * info.triangles, NULL, GL_DYNAMIC_STORAGE_BIT);
    if (info.moves) {
        glCreateBuffers(1, &l->places);
        glNamedBufferStorage(l->places, (GLsizeiptr)sizeof(karst_vec3) * info.wedges, NULL, GL_DYNAMIC_STORAGE_BIT);
        l->texels = kst_texels_make(info.wedges);
    }
    mesh->levels[mesh->level_count++] = l;
    return l;
}

// The index array for a level: the one that has it, else the nearest that is free, else a new one. NULL: no memory.
static kst_mesh_level *take_level(kst_mesh *mesh, uint32_t vertices) {
    kst_mesh_level *best = NULL;
    uint32_t least = UINT32_MAX;
    for (int k = 0; k < mesh->level_count; ++k) {
        kst_mesh_level *l = mesh->levels[k];
        uint32_t far = l->uploaded > vertices ? l->uploaded - vertices : vertices - l->uploaded;
        if (l->taken || far >= least) continue;
        best = l;
        least = far;
    }
    if (!best) best = add_level(mesh);
    if (best) best->taken = true;
    return best;
}

// Places of a level: those of its wedges, and of all wedges to look up.
static void upload_places(karst_gl_meshes *m, const kst_mesh *mesh, kst_mesh_level *l) {
    const karst_mrm_instance *i = &l->instance;
    GLsizeiptr bytes = i->wedges * (GLsizeiptr)sizeof *i->place;
    glNamedBufferSubData(l->places, 0, bytes, i->place);
    uint32_t wedges = karst_mrm_model(mesh->mrm)->wedge_count;
    for (uint32_t w = 0; w < wedges; ++w) {
        memcpy(l->texel[w], &i->place[w], sizeof i->place[w]);
        l->texel[w][3] = mesh->parents[w];
    }
    kst_texels_put(l->texels, wedges, (const uint32_t(*)[4])l->texel);
    m->figures.uploaded_bytes += (uint64_t)bytes + wedges * sizeof *l->texel;
}

// Slide a level and upload what that changed.
static void upload_level(karst_gl_meshes *m, const kst_mesh *mesh, kst_mesh_level *l, uint32_t vertices) {
    if (l->uploaded == vertices) return;
    karst_mrm_instance *i = &l->instance;
    karst_mrm_set_level(i, vertices);
    karst_mrm_change pieces[PIECES_MAX] = {{0, i->index_count}};
    uint32_t count = l->uploaded ? karst_mrm_changes(i, l->uploaded, pieces, PIECES_MAX) : 1;
    if (count > PIECES_MAX) {
        pieces[0] = (karst_mrm_change){0, i->index_count};
        count = 1;
    }
    for (uint32_t k = 0; k < count; ++k) {
        GLsizeiptr at = pieces[k].first * (GLsizeiptr)sizeof *i->index;
        GLsizeiptr bytes = pieces[k].count * (GLsizeiptr)sizeof *i->index;
        glNamedBufferSubData(l->indices, at, bytes, i->index + pieces[k].first);
        m->figures.uploaded_bytes += (uint64_t)bytes;
    }
    if (i->place) upload_places(m, mesh, l);
    l->uploaded = vertices;
}

static kst_mesh_level *find_level(const kst_mesh *mesh, uint32_t vertices) {
    for (int k = 0; k < mesh->level_count; ++k)
        if (mesh->levels[k]->uploaded == vertices) return mesh->levels[k];
    return NULL;
}

static void hold_level(const kst_mesh *mesh, uint32_t vertices) {
    kst_mesh_level *l = find_level(mesh, vertices);
    if (l) l->taken = true;
}

static kst_mesh_level *bring_level(karst_gl_meshes *m, kst_mesh *mesh, uint32_t vertices) {
    kst_mesh_level *l = find_level(mesh, vertices);
    if (!l) l = take_level(mesh, vertices);
    if (l) upload_level(m, mesh, l, vertices);
    return l;
}

// Give every run its levels: what is on the device as it is stays so.
static karst_status choose_levels(karst_gl_meshes *m) {
    for (int k = 0; k < m->mesh_count; ++k)
        for (int j = 0; j < m->meshes[k].level_count; ++j) m->meshes[k].levels[j]->taken = false;
    for (int r = 0; r < m->run_count; ++r) {
        const kst_mesh_key *key = &m->keys[m->runs[r].first];
        hold_level(&m->meshes[key->mesh], key->vertices);
        if (key->coarse) hold_level(&m->meshes[key->mesh], key->coarse);
    }
    for (int r = 0; r < m->run_count; ++r) {
        kst_mesh_run *run = &m->runs[r];
        const kst_mesh_key *key = &m->keys[run->first];
        run->level = bring_level(m, &m->meshes[key->mesh], key->vertices);
        run->coarse = key->coarse ? bring_level(m, &m->meshes[key->mesh], key->coarse) : NULL;
        if (!run->level || (key->coarse && !run->coarse)) return KARST_ERROR_MEMORY;
    }
    return KARST_OK;
}

karst_status kst_meshes_choose(karst_gl_meshes *m, const karst_frame *frame, const karst_view *view) {
    m->figures = (karst_gl_mesh_figures){0};
    m->run_count = 0;
    int n = sort_seen(m, frame, view);
    for (int k = 0; k < n; ++k) {
        if (!k || by_run(&m->keys[k], &m->keys[k - 1]))
            m->runs[m->run_count++] = (kst_mesh_run){.mesh = m->keys[k].mesh, .first = k};
        ++m->runs[m->run_count - 1].count;
    }
    karst_status status = choose_levels(m);
    if (status) {
        m->run_count = 0;
        return status;
    }
    if (n) glNamedBufferData(m->rows, n * (GLsizeiptr)sizeof *m->places, m->places, GL_STREAM_DRAW);
    m->figures.instances = n;
    m->figures.levels = m->run_count;
    for (int r = 0; r < m->run_count; ++r)
        m->figures.triangles += (int64_t)m->runs[r].count * m->runs[r].level->instance.triangles;
    return KARST_OK;
}

// ---- draw ------------------------------------------------------------------------------------------

static void bind_run(karst_gl_meshes *m, const kst_mesh_run *run) {
    const kst_mesh *mesh = &m->meshes[run->mesh];
    const kst_mesh_level *l = run->level;
    glVertexArrayVertexBuffer(m->array, 0, l->places ? l->places : mesh->places, 0, sizeof(karst_vec3));
    glVertexArrayVertexBuffer(m->array, 1, mesh->faces, 0, sizeof(face));
    glVertexArrayVertexBuffer(m->array, 2, m->rows, run->first * (GLintptr)sizeof *m->places, sizeof *m->places);
    glVertexArrayElementBuffer(m->array, l->indices);
    glBindTextureUnit(UNIT_WEDGE_PLACE, run->coarse ? run->coarse->texels : mesh->place_texels);
    glBindTextureUnit(UNIT_WEDGE_FACE, mesh->face_texels);
}

static void draw_run(karst_gl_meshes *m, const kst_mesh_run *run) {
    kst_mesh *mesh = &m->meshes[run->mesh];
    const kst_mesh_level *l = run->level;
    const karst_model *model = karst_mrm_model(mesh->mrm);
    bind_run(m, run);
    glUniform2f(m->stand_at, mesh->low_m, 1 / mesh->height_m);
    uint32_t count = karst_mrm_sections(&l->instance, mesh->sections, model->material_count + 1);
    for (uint32_t k = 0; k < count; ++k) {
        const karst_mrm_section *s = &mesh->sections[k];
        const float plain[3] = {0.5f, 0.5f, 0.5f};
        glUniform3fv(m->material_at, 1, model->material_count ? model->material[s->material].colour : plain);
        glDrawElementsInstanced(GL_TRIANGLES, (GLsizei)s->count, GL_UNSIGNED_INT,
                                (const void *)(s->first * sizeof(uint32_t)), run->count);
    }
    m->figures.draws += (int32_t)count;
}

// After the meshes, which shadows do not reach.
static void draw_shadows(karst_gl_meshes *m) {
    glUseProgram(m->shadow);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ZERO, GL_SRC_COLOR);
    for (int r = 0; r < m->run_count; ++r) {
        const kst_mesh_run *run = &m->runs[r];
        const kst_mesh *mesh = &m->meshes[run->mesh];
        bind_run(m, run);
        glUniform2f(m->shadow_stand_at, mesh->low_m, 1 / mesh->height_m);
        glDrawElementsInstanced(GL_TRIANGLES, (GLsizei)run->level->instance.index_count, GL_UNSIGNED_INT, NULL,
                                run->count);
        ++m->figures.draws;
    }
    glDisable(GL_BLEND);
}

void kst_meshes_draw(karst_gl_meshes *m, bool shadows) {
    m->figures.draws = 0;
    if (!m->run_count) return;
    glUseProgram(m->program);
    glBindVertexArray(m->array);
    for (int r = 0; r < m->run_count; ++r) draw_run(m, &m->runs[r]);
    if (shadows) draw_shadows(m);
}
