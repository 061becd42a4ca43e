// SPDX-License-Identifier: MIT
// Renderer: one instanced draw a batch, then water, sky and overlays. docs/gl.md tells the passes.
#include "gl/renderer.h"

#include <math.h>
#include <stdlib.h>

#include "gl/meshes.h"
#include "gl/noise.h"
#include "gl/program.h"
#include "gl/zones.h"

karst_gl_def karst_gl_def_default(void) {
    return (karst_gl_def){.samples = 4, .cookie = KST_COOKIE};
}

// ---- create ----------------------------------------------------------------------------------------

void kst_gl_set_units(GLuint program) {
    static const char *const name[KST_UNIT_COUNT] = {
        "u_words",      "u_chunks",     "u_depend",      "u_hole_tile", "u_hole_bits", "u_normal_map",
        "u_relief_map", "u_height_map", "u_horizon_map", "u_waves",     "u_cells",
    };
    for (int k = 0; k < KST_UNIT_COUNT; ++k) {
        GLint at = glGetUniformLocation(program, name[k]);
        if (at >= 0) glProgramUniform1i(program, at, k);
    }
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Frame"), 0);
}

// The program of these kst_ground bits, built when first wanted.
static karst_status ground_program(karst_gl *gl, int bits) {
    if (gl->ground[bits]) return KARST_OK;
    const kst_stage fragment = {GL_FRAGMENT_SHADER,
                                {KST_LAND_FILES, "hole.glsl", "zone_light.glsl", "overlay.glsl", "ground.frag.glsl"}};
    const kst_stage lattice[2] = {{GL_VERTEX_SHADER, {"frame.glsl", "drawn.glsl", "vertex.glsl", "ground.vert.glsl"}},
                                  fragment};
    const kst_stage tess[4] = {
        {GL_TESS_CONTROL_SHADER, {"tess.tesc.glsl"}},
        {GL_TESS_EVALUATION_SHADER, {"frame.glsl", "drawn.glsl", "vertex.glsl", "tess.tese.glsl"}},
        {GL_VERTEX_SHADER, {"tess.vert.glsl"}},
        fragment};
    bool hardware = bits & KST_GROUND_TESS;
    char defines[256];
    snprintf(defines, sizeof defines, "%s%s%s%s%s%s", gl->defines,
             bits & KST_GROUND_OVERLAY ? "#define KARST_OVERLAY\n" : "",
             bits & KST_GROUND_HOLES ? "#define KARST_HOLES\n" : "",
             bits & KST_GROUND_DEEP ? "" : "#define KARST_SHALLOW\n",
             bits & KST_GROUND_NORMALS ? "#define KARST_VERTEX_NORMALS\n" : "",
             bits & KST_GROUND_CAST ? "#define KARST_CAST\n" : "");
    karst_report said = {0};
    karst_status status =
        kst_program_build(hardware ? tess : lattice, hardware ? 4 : 2, defines, &said, &gl->ground[bits]);
    if (status && hardware)
        return kst_fail(gl->def.report, status, "this driver does not tessellate (draw with method grid): %s",
                        said.message);
    if (status) return kst_fail(gl->def.report, status, "%s", said.message);
    kst_gl_set_units(gl->ground[bits]);
    return KARST_OK;
}

static karst_status build_programs(karst_gl *gl) {
    const kst_stage sky[2] = {{GL_VERTEX_SHADER, {"frame.glsl", "screen.vert.glsl"}},
                              {GL_FRAGMENT_SHADER, {KST_LAND_FILES, "surround.glsl", "sky.frag.glsl"}}};
    const kst_stage water[2] = {{GL_VERTEX_SHADER, {"frame.glsl", "water.vert.glsl"}},
                                {GL_FRAGMENT_SHADER, {KST_LAND_FILES, "surround.glsl", "water.frag.glsl"}}};
    karst_report *report = gl->def.report;
    karst_status status = kst_program_build(sky, 2, gl->defines, report, &gl->sky);
    if (!status) status = kst_program_build(water, 2, gl->defines, report, &gl->water);
    if (!status) status = ground_program(gl, 0);  // so that a driver that cannot says so now
    if (status) return status;
    kst_gl_set_units(gl->sky);
    kst_gl_set_units(gl->water);
    return KARST_OK;
}

static karst_status make_noise(karst_gl *gl) {
    size_t bytes = (size_t)KST_NOISE_SIDE * KST_NOISE_SIDE * 4 * sizeof(float);
    float *texels = kst_alloc(NULL, bytes);
    if (!texels) return KARST_ERROR_MEMORY;
    for (int k = 0; k < 2; ++k) {
        GLuint t;
        if (k == 0)
            kst_noise_waves(gl->def.jobs, texels);
        else
            kst_noise_cells(gl->def.jobs, texels);
        glCreateTextures(GL_TEXTURE_2D, 1, &t);
        glTextureStorage2D(t, 10, GL_RGBA16F, KST_NOISE_SIDE, KST_NOISE_SIDE);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        glTextureSubImage2D(t, 0, 0, 0, KST_NOISE_SIDE, KST_NOISE_SIDE, GL_RGBA, GL_FLOAT, texels);
        glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
        glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        glGenerateTextureMipmap(t);
        gl->store.texture[k == 0 ? KST_UNIT_WAVES : KST_UNIT_CELLS] = t;
    }
    kst_free(NULL, texels, bytes);
    return KARST_OK;
}

// Indices of all lattices in one buffer; instances are karst_patch as it stands in the frame.
static void make_buffers(karst_gl *gl) {
    int total = 0;
    for (int k = 0; k < KARST_LATTICE_COUNT; ++k) {
        karst_patch_indices(k, &gl->index_count[k]);
        gl->index_first[k] = total;
        total += gl->index_count[k];
    }
    glCreateBuffers(1, &gl->indices);
    glNamedBufferStorage(gl->indices, total * (GLsizeiptr)sizeof(uint16_t), NULL, GL_DYNAMIC_STORAGE_BIT);
    for (int k = 0; k < KARST_LATTICE_COUNT; ++k) {
        int count;
        const uint16_t *index = karst_patch_indices(k, &count);
        glNamedBufferSubData(gl->indices, gl->index_first[k] * (GLintptr)sizeof *index,
                             count * (GLsizeiptr)sizeof *index, index);
    }
    glCreateBuffers(1, &gl->patches);
    glCreateBuffers(1, &gl->errors);
    glCreateBuffers(1, &gl->frame);
    glNamedBufferStorage(gl->frame, sizeof(kst_gl_frame), NULL, GL_DYNAMIC_STORAGE_BIT);
    glCreateVertexArrays(1, &gl->array);
    glVertexArrayElementBuffer(gl->array, gl->indices);
    glVertexArrayBindingDivisor(gl->array, 0, 1);
    for (GLuint k = 0; k < 3; ++k) {
        glEnableVertexArrayAttrib(gl->array, k);
        glVertexArrayAttribBinding(gl->array, k, 0);
    }
    glVertexArrayAttribIFormat(gl->array, 0, 2, GL_UNSIGNED_BYTE, offsetof(karst_patch, patch_x));
    glVertexArrayAttribIFormat(gl->array, 1, 1, GL_UNSIGNED_SHORT, offsetof(karst_patch, chunk_index));
    glVertexArrayAttribFormat(gl->array, 2, 4, GL_FLOAT, GL_FALSE, offsetof(karst_patch, corner_level));
    glVertexArrayBindingDivisor(gl->array, 1, 1);
    glVertexArrayAttribBinding(gl->array, 3, 1);
    glVertexArrayAttribFormat(gl->array, 3, 4, GL_FLOAT, GL_FALSE, 0);
}

karst_status kst_gl_create_with(karst_pack *pack, const karst_gl_def *def, const char *defines, karst_gl **out) {
    karst_gl_def d = def ? *def : karst_gl_def_default();
    KARST_ASSERT(d.cookie == KST_COOKIE);
    if (epoxy_gl_version() < 45 || !epoxy_is_desktop_gl())
        return kst_fail(d.report, KARST_ERROR_UNSUPPORTED, "this context has OpenGL %d.%d; Karst draws with 4.5 core",
                        epoxy_gl_version() / 10, epoxy_gl_version() % 10);
    karst_gl *gl = kst_alloc_zero(NULL, sizeof *gl);
    if (!gl) return kst_fail(d.report, KARST_ERROR_MEMORY, "no memory for a renderer");
    gl->def = d;
    snprintf(gl->defines, sizeof gl->defines, "%s", defines);
    gl->info.lattice.shape = (karst_field_shape){1, 1, 1, {0, 0, 0}};
    if (pack) gl->info = karst_pack_info_of(pack);
    const karst_field_shape *shape = &gl->info.lattice.shape;
    gl->is_bare = gl->info.hole_count >= (uint64_t)(shape->columns - 1) * (uint64_t)(shape->rows - 1);
    gl->scenery = kst_scenery_of(pack);
    karst_status status = kst_store_create(&gl->store, pack, d.report);
    if (!status) status = build_programs(gl);
    if (!status) status = make_noise(gl);
    if (status) {
        karst_gl_destroy(gl);
        return status;
    }
    make_buffers(gl);
    *out = gl;
    return KARST_OK;
}

karst_status karst_gl_create(karst_pack *pack, const karst_gl_def *def, karst_gl **out) {
    return kst_gl_create_with(pack, def, "", out);
}

void karst_gl_destroy(karst_gl *gl) {
    if (!gl) return;
    for (int k = 0; k < KST_GROUND_PROGRAMS; ++k)
        if (gl->ground[k]) glDeleteProgram(gl->ground[k]);
    if (gl->sky) glDeleteProgram(gl->sky);
    if (gl->water) glDeleteProgram(gl->water);
    const GLuint buffers[4] = {gl->indices, gl->patches, gl->errors, gl->frame};
    glDeleteBuffers(4, buffers);
    glDeleteVertexArrays(1, &gl->array);
    kst_store_destroy(&gl->store);
    kst_target_destroy(&gl->own);
    kst_target_destroy(&gl->resolved);
    free(gl->sorted);
    free(gl->sorted_errors);
    free(gl->keys);
    kst_free(NULL, gl, sizeof *gl);
}

// ---- draw ------------------------------------------------------------------------------------------

// A run of instances under one program, and one lattice unless the hardware tessellates.
typedef struct run {
    int lattice, first, count, program;
} run;
enum { RUNS_MAX = 4 * KARST_LATTICE_COUNT + 1 };  // one to write beyond the last

static int by_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// How far a patch is, squared, as an integer that sorts like it.
static uint64_t distance_key(const karst_frame *frame, const karst_patch *p, const karst_view *view) {
    const karst_frame_chunk *c = &frame->chunks[p->chunk_index];
    double half = KARST_PATCH_CELLS * 0.5, cell = (double)frame->lattice.cell_steps * (1 << c->level);
    double cell_x = c->mirror_x ? -cell : cell, cell_z = c->mirror_z ? -cell : cell;
    double x = (c->offset[0] + (p->patch_x * KARST_PATCH_CELLS + half) * cell_x) * frame->lattice.step_xz_m;
    double z = (c->offset[2] + (p->patch_z * KARST_PATCH_CELLS + half) * cell_z) * frame->lattice.step_xz_m;
    x -= view->eye.x - frame->origin.x;
    z -= view->eye.z - frame->origin.z;
    float d = (float)(x * x + z * z);
    uint32_t bits;  // floats above zero sort as integers
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

// Least program that draws a patch right: holes, and edges more than one level above the stride.
static int program_for(const karst_gl *gl, const karst_frame *frame, const karst_patch *p) {
    const float *l = p->corner_level;
    float inner = fminf(fminf(l[0], l[1]), fminf(l[2], l[3]));
    float most = fmaxf(fmaxf(fminf(l[0], l[1]), fminf(l[1], l[2])), fmaxf(fminf(l[2], l[3]), fminf(l[3], l[0])));
    const karst_frame_chunk *chunk = &frame->chunks[p->chunk_index];
    return (chunk->holes || gl->store.label[chunk->slot].fades ? KST_GROUND_HOLES : 0) |
           (most > floorf(inner) + 1 ? KST_GROUND_DEEP : 0);
}

// Append the patches [first, first + count) of the frame that the view sees and that this program draws, near ones
// first so that what they hide is not shaded. @return the run after them
static run *add_run(karst_gl *gl, const karst_frame *frame, const karst_view *view, int view_index, int first,
                    int count, int program, run *out, int *at) {
    int n = 0;
    for (int k = first; k < first + count; ++k) {
        const karst_patch *p = &frame->patches[k];
        if (!(p->view_mask >> view_index & 1) || program_for(gl, frame, p) != program) continue;
        gl->keys[n++] = distance_key(frame, p, view) << 32 | (uint32_t)k;
    }
    if (!n) return out;
    qsort(gl->keys, (size_t)n, sizeof *gl->keys, by_key);
    for (int k = 0; k < n; ++k) gl->sorted[*at + k] = frame->patches[(uint32_t)gl->keys[k]];
    out->first = *at;
    out->count = n;
    out->program = program;
    *at += n;
    return out + 1;
}

// The patches that this view sees, more: kst_ground bits of all: by program, and by lattice unless the hardware
// tessellates.
static int sort_patches(karst_gl *gl, const karst_frame *frame, const karst_view *view, int view_index, int more,
                        run runs[RUNS_MAX]) {
    int at = 0;
    bool tess = frame->method == KARST_METHOD_TESS;
    const karst_batch all = {0, 0, frame->patch_count};
    const karst_batch *batches = tess ? &all : frame->batches;
    run *end = runs;
    for (int b = 0; b < (tess ? 1 : frame->batch_count); ++b)
        for (int program = 0; program < 4; ++program) {
            end->lattice = batches[b].lattice;
            end =
                add_run(gl, frame, view, view_index, batches[b].first_patch, batches[b].patch_count, program, end, &at);
        }
    more |= (gl->scenery.full_map && !gl->store.displaced ? 0 : KST_GROUND_NORMALS) | (tess ? KST_GROUND_TESS : 0);
    for (run *r = runs; r < end; ++r) r->program |= more;
    return (int)(end - runs);
}

// What the overlay of errors shows: at each corner of the sorted patches the bound of its table, at the level drawn.
static void put_errors(karst_gl *gl, const karst_frame *frame, int count) {
    for (int k = 0; k < count; ++k) {
        const karst_patch *p = &gl->sorted[k];
        const float(*table)[KARST_CORNER_COUNT] =
            (const float(*)[KARST_CORNER_COUNT])gl->store.error[frame->chunks[p->chunk_index].slot];
        int first = p->patch_z * KARST_CHUNK_CORNERS + p->patch_x;
        const int corner[4] = {first, first + 1, first + KARST_CHUNK_CORNERS + 1, first + KARST_CHUNK_CORNERS};
        for (int c = 0; c < 4; ++c) {
            int low = (int)fminf(p->corner_level[c], KARST_PATCH_LEVELS - 1);
            float e = table[low][corner[c]];
            gl->sorted_errors[k][c] = e + (p->corner_level[c] - (float)low) * (table[low + 1][corner[c]] - e);
        }
    }
    glNamedBufferData(gl->errors, count * (GLsizeiptr)sizeof *gl->sorted_errors, gl->sorted_errors, GL_STREAM_DRAW);
}

static void draw_runs(karst_gl *gl, const run *runs, int count) {
    glBindVertexArray(gl->array);
    glPatchParameteri(GL_PATCH_VERTICES, 1);
    if (count && runs->program & KST_GROUND_OVERLAY)
        glEnableVertexArrayAttrib(gl->array, 3);
    else
        glDisableVertexArrayAttrib(gl->array, 3);  // without an overlay it has no buffer
    for (int k = 0; k < count; ++k) {
        const run *r = &runs[k];
        glUseProgram(gl->ground[r->program]);
        glVertexArrayVertexBuffer(gl->array, 0, gl->patches, r->first * (GLintptr)sizeof(karst_patch),
                                  sizeof(karst_patch));
        if (r->program & KST_GROUND_OVERLAY)
            glVertexArrayVertexBuffer(gl->array, 1, gl->errors, r->first * (GLintptr)sizeof *gl->sorted_errors,
                                      sizeof *gl->sorted_errors);
        if (r->program & KST_GROUND_TESS)  // a patch an instance: some drivers garble many patches of one
            glDrawArraysInstanced(GL_PATCHES, 0, 1, r->count);
        else
            glDrawElementsInstanced(GL_TRIANGLES, gl->index_count[r->lattice], GL_UNSIGNED_SHORT,
                                    (const void *)(gl->index_first[r->lattice] * sizeof(uint16_t)), r->count);
    }
}

static void set_state(const karst_view *view, GLuint framebuffer) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, view->width, view->height);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_RASTERIZER_DISCARD);
    glDisable(GL_PRIMITIVE_RESTART);
    glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    glDisable(GL_POLYGON_OFFSET_FILL);
    // Hardware that cuts at the near plane can gape where a wall passes behind the eye.
    glEnable(GL_DEPTH_CLAMP);
    glDisable(GL_FRAMEBUFFER_SRGB);  // shaders give sRGB
    glEnable(GL_MULTISAMPLE);
    glEnable(GL_DEPTH_TEST);
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    glDepthRange(0, 1);
    glDepthMask(GL_TRUE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDepthFunc(GL_GREATER);
    glClearDepth(0);
    glClear(GL_DEPTH_BUFFER_BIT);  // every pixel of colour is written by ground, water or sky
}

// Lines of the very triangles, a hair nearer to the eye.
static void draw_wireframe(karst_gl *gl, kst_gl_frame *numbers, const run *runs, int count, karst_gl_meshes *meshes,
                           karst_gl_zones *zones, karst_pos origin) {
    const float colour[4] = {0.60f, 0.40f, 0.14f, 4e-4f};
    memcpy(numbers->wire, colour, sizeof colour);
    numbers->lattice[3] |= KST_DRAW_WIRE;
    glNamedBufferSubData(gl->frame, 0, sizeof *numbers, numbers);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glLineWidth(1);
    draw_runs(gl, runs, count);
    if (meshes) kst_meshes_draw(meshes, false);
    if (zones) kst_zones_draw(zones, origin);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

// Without a pack there is no frame: places count from the zones' origin, or from the eye.
static karst_frame frame_of_nothing(const karst_view *view, const karst_gl_look *look) {
    return (karst_frame){.origin = look->zones && kst_zones_is_shown(look->zones) ? look->zones->origin : view->eye,
                         .lattice = {.shape = {2, 2, 1, {0, 0, 0}}, .step_xz_m = 1, .step_y_m = 1, .cell_steps = 1}};
}

static karst_status draw_into(karst_gl *gl, const karst_frame *given, const karst_view *view, int view_index,
                              const karst_gl_look *look, GLuint framebuffer) {
    KARST_ASSERT(!given == !gl->store.pack);
    karst_frame nothing = frame_of_nothing(view, look);
    const karst_frame *frame = given ? given : &nothing;
    if (frame->patch_count > gl->patch_room) {
        free(gl->sorted);
        free(gl->sorted_errors);
        free(gl->keys);
        gl->patch_room = 0;
        gl->sorted = malloc((size_t)frame->patch_count * sizeof *gl->sorted);
        gl->sorted_errors = malloc((size_t)frame->patch_count * sizeof *gl->sorted_errors);
        gl->keys = malloc((size_t)frame->patch_count * sizeof *gl->keys);
        if (!gl->sorted || !gl->sorted_errors || !gl->keys) return KARST_ERROR_MEMORY;
        gl->patch_room = frame->patch_count;
    }
    karst_status status = kst_store_update(&gl->store, frame);
    if (!status) status = kst_lighting_update(gl, look);
    if (status) return status;
    kst_gl_frame numbers;
    kst_gl_fill_frame(gl, frame, view, look, &numbers);
    glNamedBufferSubData(gl->frame, 0, sizeof numbers, &numbers);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, gl->frame);
    kst_store_bind(&gl->store);
    run runs[RUNS_MAX];
    karst_gl_overlay colours = kst_overlay_of(look->overlays);
    bool overlay = colours != KARST_GL_OVERLAY_NONE && colours != KARST_GL_OVERLAY_BANDS;  // the latter: zones alone
    if (look->zones) status = kst_zones_prepare(look->zones, view, gl->lighting.air.sun, !look->flat_shading);
    if (status) return status;
    int more = (overlay ? KST_GROUND_OVERLAY : 0) | (look->zones && look->zones->lit ? KST_GROUND_CAST : 0);
    int count = sort_patches(gl, frame, view, view_index, more, runs);
    int patches = count ? runs[count - 1].first + runs[count - 1].count : 0;
    for (int k = 0; k < count && !status; ++k) status = ground_program(gl, runs[k].program);
    if (status) return status;
    if (patches) glNamedBufferData(gl->patches, patches * (GLsizeiptr)sizeof *gl->sorted, gl->sorted, GL_STREAM_DRAW);
    if (patches && overlay) put_errors(gl, frame, patches);

    karst_gl_meshes *meshes = look->meshes;
    if (meshes) status = kst_meshes_choose(meshes, frame, view);
    if (status) return status;
    for (int k = 0; k < count; ++k)
        if (runs[k].program & KST_GROUND_CAST)
            kst_zones_light_bind(&look->zones->light, gl->ground[runs[k].program], frame->origin, true);
    set_state(view, framebuffer);
    draw_runs(gl, runs, count);
    if (look->zones) kst_zones_draw(look->zones, frame->origin);
    // Shadows lie nearer than the ground by more than the lines of a wireframe.
    bool shadows = !(look->overlays & KARST_GL_OVERLAY_WIREFRAME) && !look->flat_shading && look->sun_elevation_rad > 0;
    if (meshes) kst_meshes_draw(meshes, shadows);
    glBindVertexArray(gl->array);
    if (!isnan(look->water_m) && look->sky && !look->flat_shading && view->eye.y > look->water_m) {
        glUseProgram(gl->water);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    glUseProgram(gl->sky);
    glDepthFunc(GL_GEQUAL);
    glDepthMask(GL_FALSE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_GREATER);
    if (look->overlays & KARST_GL_OVERLAY_WIREFRAME)
        draw_wireframe(gl, &numbers, runs, count, meshes, look->zones, frame->origin);
    return KARST_OK;
}

static bool has_float_depth(GLuint framebuffer) {
    GLenum depth = framebuffer ? GL_DEPTH_ATTACHMENT : GL_DEPTH;
    GLint kind = GL_NONE, type = GL_NONE;
    glGetNamedFramebufferAttachmentParameteriv(framebuffer, depth, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &kind);
    if (kind == GL_NONE) return false;
    glGetNamedFramebufferAttachmentParameteriv(framebuffer, depth, GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, &type);
    return type == GL_FLOAT;
}

karst_status karst_gl_draw(karst_gl *gl, const karst_frame *frame, const karst_view *view, int view_index,
                           const karst_gl_look *look, unsigned target) {
    KARST_ASSERT(look->cookie == KST_COOKIE && view_index >= 0 && view_index < KARST_VIEWS_MAX);
    if (target && has_float_depth(target)) return draw_into(gl, frame, view, view_index, look, target);
    // A window's depth is whole numbers, which a reversed depth wastes: draw beside it and copy the colours.
    karst_status status = kst_target_resize(&gl->own, view->width, view->height, gl->def.samples);
    if (!status) status = draw_into(gl, frame, view, view_index, look, gl->own.framebuffer);
    if (status) return status;
    GLuint from = gl->own.framebuffer;
    if (gl->own.samples > 1) {
        status = kst_target_resize(&gl->resolved, view->width, view->height, 1);
        if (status) return status;
        glBlitNamedFramebuffer(from, gl->resolved.framebuffer, 0, 0, view->width, view->height, 0, 0, view->width,
                               view->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        from = gl->resolved.framebuffer;
    }
    glBlitNamedFramebuffer(from, target, 0, 0, view->width, view->height, 0, 0, view->width, view->height,
                           GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    return KARST_OK;
}

karst_status karst_gl_render(karst_gl *gl, const karst_frame *frame, const karst_view *view, int view_index,
                             const karst_gl_look *look, int samples, uint8_t *rgb) {
    KARST_ASSERT(samples == 1 || samples == 2 || samples == 4);
    KARST_ASSERT(look->cookie == KST_COOKIE && view_index >= 0 && view_index < KARST_VIEWS_MAX);
    int w = view->width, h = view->height;
    size_t line = 3 * (size_t)w;
    uint8_t *row = kst_alloc(NULL, line);
    if (!row) return KARST_ERROR_MEMORY;
    karst_status status = kst_target_resize(&gl->own, w, h, samples);
    if (!status && samples > 1) status = kst_target_resize(&gl->resolved, w, h, 1);
    if (!status) status = draw_into(gl, frame, view, view_index, look, gl->own.framebuffer);
    if (!status) {
        GLuint from = gl->own.framebuffer;
        if (samples > 1) {
            glBlitNamedFramebuffer(from, gl->resolved.framebuffer, 0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT,
                                   GL_NEAREST);
            from = gl->resolved.framebuffer;
        }
        glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glReadPixels(0, 0, w, h, GL_RGB, GL_UNSIGNED_BYTE, rgb);
        for (int j = 0; j < h / 2; ++j) {  // GL's rows come from the bottom
            uint8_t *a = rgb + (size_t)j * line, *b = rgb + (size_t)(h - 1 - j) * line;
            memcpy(row, a, line);
            memcpy(a, b, line);
            memcpy(b, row, line);
        }
    }
    kst_free(NULL, row, line);
    return status;
}
