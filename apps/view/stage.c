// SPDX-License-Identifier: MIT
// Stage: one program for the mesh, one for what is behind it, a target of four samples.
//
// Invariant: the device has the triangles of `uploaded` vertices and the places in `place`; those of wedges outside
// moved_from..moved_to are where the level has them.
#include "stage.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "glsl.h"

enum { SAMPLES = 4 };

// Normal and colour of a wedge, as the device has them.
typedef struct face {
    karst_vec3 normal;
    uint8_t colour[4];
} face;

struct stage {
    karst_mrm_instance instance;
    void *memory;       // of the instance
    karst_vec3 *place;  // of wedges, as shown
    karst_mrm_morph *morphs;
    uint32_t morph_room;
    uint32_t uploaded, moved_from, moved_to;  // wedges that are on their way
    uint32_t *index;                          // of triangles that have corners on three vertices, by section
    karst_mrm_section *sections;
    uint32_t section_count;
    GLuint program, backdrop, array, places, faces, indices;
    GLuint target, colour, depth;
    int width, height;  // of the target
};

static const char vertex_text[] =
    "#version 450 core\n"
    "layout(location = 0) in vec3 place;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in vec4 paint;\n"
    "layout(location = 0) uniform mat4 clip;\n"
    "out vec3 at;\n"
    "out vec3 facing;\n"
    "out vec3 colour;\n"
    "void main() {\n"
    "    at = place;\n"
    "    facing = normal;\n"
    "    colour = paint.rgb;\n"
    "    gl_Position = clip * vec4(place, 1);\n"
    "}\n";

// One sun that goes with the eye, the light of a sky and of a floor; faces have two sides.
static const char fragment_text[] =
    "#version 450 core\n"
    "in vec3 at;\n"
    "in vec3 facing;\n"
    "in vec3 colour;\n"
    "layout(location = 1) uniform vec3 eye;\n"
    "layout(location = 2) uniform vec3 sun;\n"
    "layout(location = 3) uniform vec3 material;\n"
    "layout(location = 4) uniform vec4 flat_colour;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "    if (flat_colour.a > 0) {\n"
    "        result = vec4(flat_colour.rgb, 1);\n"
    "        return;\n"
    "    }\n"
    "    vec3 to_eye = normalize(eye - at), n = normalize(cross(dFdx(at), dFdy(at)));\n"
    "    if (dot(facing, facing) > 0) n = normalize(facing);\n"
    "    if (facing == vec3(0) ? dot(n, to_eye) < 0 : !gl_FrontFacing) n = -n;\n"
    "    vec3 base = material * colour;\n"
    "    float light = max(dot(n, sun), 0), open = 0.5 + 0.5 * n.y;\n"
    "    float gloss = light > 0 ? 0.10 * pow(max(dot(n, normalize(sun + to_eye)), 0), 30) : 0;\n"
    "    vec3 c = base * (1.5 * light * vec3(1, 0.92, 0.84) + open * vec3(0.34, 0.40, 0.46) + 0.14) + gloss;\n"
    "    c *= 1.3;\n"
    "    c = min(c * (1 + c / 9) / (1 + c), vec3(1));\n"
    "    result = vec4(pow(c, vec3(1 / 2.2)), 1);\n"
    "}\n";

static const char backdrop_vertex[] =
    "#version 450 core\n"
    "out float high;\n"
    "void main() {\n"
    "    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
    "    high = p.y;\n"
    "    gl_Position = vec4(2 * p - 1, 1, 1);\n"
    "}\n";
static const char backdrop_fragment[] =
    "#version 450 core\n"
    "in float high;\n"
    "layout(location = 0) uniform vec3 low_colour;\n"
    "layout(location = 1) uniform vec3 high_colour;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;\n"
    "    result = vec4(mix(low_colour, high_colour, high) + grain / 255, 1);\n"
    "}\n";

// ---- make ------------------------------------------------------------------------------------------

static karst_vec3 home_of(const stage *s, uint32_t wedge) {
    const karst_mrm_instance *i = &s->instance;
    const karst_model *m = karst_mrm_model(i->mrm);
    return i->place ? i->place[wedge] : m->position[m->vertex[wedge]];
}

static karst_status fill_arrays(stage *s, const karst_model *m) {
    size_t wedges = m->wedge_count;
    face *faces = malloc(wedges * sizeof *faces);
    if (!faces) return KARST_ERROR_MEMORY;
    for (uint32_t k = 0; k < wedges; ++k) {
        s->place[k] = home_of(s, k);
        faces[k] = (face){.colour = {255, 255, 255, 255}};
        if (m->normal) faces[k].normal = m->normal[k];
        if (m->colour) memcpy(faces[k].colour, m->colour[k], sizeof faces[k].colour);
    }
    glCreateBuffers(1, &s->places);
    glCreateBuffers(1, &s->faces);
    glCreateBuffers(1, &s->indices);
    glNamedBufferStorage(s->places, (GLsizeiptr)(wedges * sizeof *s->place), s->place, GL_DYNAMIC_STORAGE_BIT);
    glNamedBufferStorage(s->faces, (GLsizeiptr)(wedges * sizeof *faces), faces, 0);
    glNamedBufferStorage(s->indices, 3 * (GLsizeiptr)sizeof(uint32_t) * m->triangle_count, NULL,
                         GL_DYNAMIC_STORAGE_BIT);
    free(faces);
    glCreateVertexArrays(1, &s->array);
    for (GLuint k = 0; k < 3; ++k) {
        glEnableVertexArrayAttrib(s->array, k);
        glVertexArrayAttribBinding(s->array, k, k > 0);
    }
    glVertexArrayAttribFormat(s->array, 0, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribFormat(s->array, 1, 3, GL_FLOAT, GL_FALSE, offsetof(face, normal));
    glVertexArrayAttribFormat(s->array, 2, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(face, colour));
    glVertexArrayVertexBuffer(s->array, 0, s->places, 0, sizeof(karst_vec3));
    glVertexArrayVertexBuffer(s->array, 1, s->faces, 0, sizeof(face));
    glVertexArrayElementBuffer(s->array, s->indices);
    return KARST_OK;
}

karst_status stage_create(const karst_mrm *mrm, karst_report *report, stage **out) {
    const karst_model *m = karst_mrm_model(mrm);
    stage *s = kst_alloc_zero(NULL, sizeof *s);
    if (!s) return kst_fail(report, KARST_ERROR_MEMORY, "no memory for the mesh");
    s->memory = malloc(karst_mrm_instance_bytes(mrm));
    s->place = malloc(m->wedge_count * sizeof *s->place);
    s->index = malloc(3 * sizeof *s->index * m->triangle_count);
    s->sections = malloc((m->material_count + 1) * sizeof *s->sections);
    karst_status status = s->memory && s->place && s->index && s->sections ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        karst_mrm_instance_init(&s->instance, mrm, s->memory);
        status = fill_arrays(s, m);
    }
    if (status) kst_fail(report, status, "no memory for the mesh");
    if (!status) {
        s->program = glsl_link("mesh", vertex_text, fragment_text, report);
        s->backdrop = s->program ? glsl_link("backdrop", backdrop_vertex, backdrop_fragment, report) : 0;
        if (!s->backdrop) status = KARST_ERROR_UNSUPPORTED;
    }
    if (status)
        stage_destroy(s);
    else
        *out = s;
    return status;
}

static void free_target(stage *s) {
    glDeleteFramebuffers(1, &s->target);
    glDeleteRenderbuffers(1, &s->colour);
    glDeleteRenderbuffers(1, &s->depth);
}

void stage_destroy(stage *s) {
    if (!s) return;
    free_target(s);
    glDeleteProgram(s->program);
    glDeleteProgram(s->backdrop);
    glDeleteVertexArrays(1, &s->array);
    glDeleteBuffers(1, &s->places);
    glDeleteBuffers(1, &s->faces);
    glDeleteBuffers(1, &s->indices);
    free(s->memory);
    free(s->place);
    free(s->morphs);
    free(s->index);
    free(s->sections);
    kst_free(NULL, s, sizeof *s);
}

const karst_mrm_instance *stage_instance(const stage *s) {
    return &s->instance;
}

// ---- levels ----------------------------------------------------------------------------------------

// All of it, and only triangles that are some: the instance keeps those that are gone, without area, but not without
// lines.
static void upload_indices(stage *s) {
    const karst_mrm_instance *i = &s->instance;
    const karst_model *m = karst_mrm_model(i->mrm);
    if (s->uploaded == i->vertices) return;
    uint32_t filled = 0;
    s->section_count = karst_mrm_sections(i, s->sections, m->material_count + 1);
    for (uint32_t k = 0; k < s->section_count; ++k) {
        karst_mrm_section *part = &s->sections[k];
        const uint32_t *t = i->index + part->first, *end = t + part->count;
        part->first = filled;
        for (; t < end; t += 3) {
            uint32_t a = m->vertex[t[0]], b = m->vertex[t[1]], c = m->vertex[t[2]];
            if (a == b || b == c || c == a) continue;
            memcpy(s->index + filled, t, 3 * sizeof *t);
            filled += 3;
        }
        part->count = filled - part->first;
    }
    if (filled) glNamedBufferSubData(s->indices, 0, filled * (GLsizeiptr)sizeof *s->index, s->index);
    s->uploaded = i->vertices;
}

static void upload_places(stage *s, uint32_t from, uint32_t to) {
    if (from < to)
        glNamedBufferSubData(s->places, from * (GLintptr)sizeof *s->place, (to - from) * (GLsizeiptr)sizeof *s->place,
                             s->place + from);
}

karst_status stage_slide(stage *s, double vertices, uint32_t window) {
    karst_mrm_instance *i = &s->instance;
    uint32_t before = i->vertices;
    karst_mrm_set_level(i, (uint32_t)ceil(vertices));
    double level = fmin(vertices, i->vertices);
    if (level < i->vertices && !window) window = 1;
    uint32_t count = window ? karst_mrm_morphs(i->mrm, level, window, s->morphs, s->morph_room) : 0;
    if (count > s->morph_room) {
        karst_mrm_morph *grown = realloc(s->morphs, count * sizeof *grown);
        if (!grown) return KARST_ERROR_MEMORY;
        s->morphs = grown;
        s->morph_room = count;
        karst_mrm_morphs(i->mrm, level, window, s->morphs, s->morph_room);
    }
    // Back home first, then out again: parents come before their children.
    uint32_t from = s->moved_from, to = s->moved_to;
    if (i->place && before != i->vertices) from = 0, to = i->wedges;
    if (to > i->wedges) to = i->wedges;
    for (uint32_t w = from; w < to; ++w) s->place[w] = home_of(s, w);
    s->moved_from = s->moved_to = count ? s->morphs[0].wedge : 0;
    for (uint32_t k = 0; k < count; ++k) {
        const karst_mrm_morph *m = &s->morphs[k];
        karst_vec3 own = home_of(s, m->wedge), p = s->place[m->parent];
        float t = m->weight;
        s->place[m->wedge] = m->parent == m->wedge ? own
                                                   : (karst_vec3){p.x + t * (own.x - p.x), p.y + t * (own.y - p.y),
                                                                  p.z + t * (own.z - p.z)};
        if (m->wedge < s->moved_from) s->moved_from = m->wedge;
        if (m->wedge >= s->moved_to) s->moved_to = m->wedge + 1;
    }
    if (count && (from >= to || s->moved_from < from)) from = s->moved_from;
    if (count && s->moved_to > to) to = s->moved_to;
    upload_places(s, from, to);
    upload_indices(s);
    return KARST_OK;
}

// ---- draw ------------------------------------------------------------------------------------------

karst_status stage_begin(stage *s, int width, int height) {
    if (width != s->width || height != s->height) {
        GLint most;
        glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
        if (width > most || height > most) return KARST_ERROR_LIMIT;
        free_target(s);
        glCreateFramebuffers(1, &s->target);
        glCreateRenderbuffers(1, &s->colour);
        glCreateRenderbuffers(1, &s->depth);
        glNamedRenderbufferStorageMultisample(s->colour, SAMPLES, GL_RGBA8, width, height);
        glNamedRenderbufferStorageMultisample(s->depth, SAMPLES, GL_DEPTH_COMPONENT32F, width, height);
        glNamedFramebufferRenderbuffer(s->target, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, s->colour);
        glNamedFramebufferRenderbuffer(s->target, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, s->depth);
        s->width = width;
        s->height = height;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, s->target);
    glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_TRUE);
    glClearDepth(1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBindVertexArray(s->array);
    return KARST_OK;
}

static void draw_backdrop(const stage *s, bool dark) {
    glUseProgram(s->backdrop);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_DEPTH_TEST);
    glUniform3f(0, dark ? 0.085f : 0.72f, dark ? 0.105f : 0.735f, dark ? 0.13f : 0.735f);
    glUniform3f(1, dark ? 0.045f : 0.58f, dark ? 0.055f : 0.64f, dark ? 0.075f : 0.70f);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
}

// All sections, each in its material's colour, or all in one.
static void draw_mesh(const stage *s, const float flat[4]) {
    const karst_model *m = karst_mrm_model(s->instance.mrm);
    static const float plain[3] = {0.42f, 0.42f, 0.40f};
    for (uint32_t k = 0; k < s->section_count; ++k) {
        const karst_mrm_section *part = &s->sections[k];
        const float *colour = m->material_count ? m->material[part->material].colour : plain;
        float line[4] = {flat[0], flat[1], flat[2], flat[3]};
        if (flat[3] < 0)  // lines in the colour of what they bound, but light
            for (int c = 0; c < 3; ++c) line[c] = 0.42f + 0.55f * powf(colour[c], 1 / 2.2f);
        line[3] = fabsf(flat[3]);
        glUniform3fv(3, 1, colour);
        glUniform4fv(4, 1, line);
        glDrawElements(GL_TRIANGLES, (GLsizei)part->count, GL_UNSIGNED_INT,
                       (const void *)(part->first * sizeof(uint32_t)));
    }
}

void stage_draw(stage *s, int from_x, int to_x, const orbit *from, stage_style style) {
    static const float lit[4] = {0}, hidden[4] = {0.065f, 0.08f, 0.105f, 1}, own[4] = {0, 0, 0, -1},
                       ink[4] = {0, 0, 0, 1};
    if (to_x <= from_x) return;
    glViewport(from_x, 0, to_x - from_x, s->height);
    draw_backdrop(s, style == STAGE_WIRES);
    float clip[16];
    orbit_clip(from, (float)(to_x - from_x) / (float)s->height, clip);
    karst_vec3 eye = orbit_eye(from);
    orbit sun = *from;
    orbit_turn(&sun, 0.6f, 0.5f);
    sun.target = (karst_vec3){0, 0, 0};
    sun.distance_m = 1;
    karst_vec3 light = orbit_eye(&sun);
    glUseProgram(s->program);
    glUniformMatrix4fv(0, 1, GL_FALSE, clip);
    glUniform3f(1, eye.x, eye.y, eye.z);
    glUniform3f(2, light.x, light.y, light.z);
    draw_mesh(s, style == STAGE_WIRES ? hidden : lit);
    if (style == STAGE_LIT) return;
    glEnable(GL_POLYGON_OFFSET_LINE);  // so that lines win against their own faces
    glPolygonOffset(-1, -1);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    draw_mesh(s, style == STAGE_WIRES ? own : ink);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_POLYGON_OFFSET_LINE);
}

void stage_end(stage *s) {
    glBlitNamedFramebuffer(s->target, 0, 0, 0, s->width, s->height, 0, 0, s->width, s->height, GL_COLOR_BUFFER_BIT,
                           GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}
