// SPDX-License-Identifier: MIT
// Light on zones. A map is drawn again when zones come or go, when its light turns, or when the eye has left the middle
// of it; its place is a whole number of texels, so shadows stand still meanwhile.
#include "gl/zones_light.h"

#include <math.h>
#include <stdlib.h>

#include "gl/program.h"
#include "gl/zones.h"

enum { SIDE = 2048, UNIT_DEPTH = KST_UNIT_COUNT + 2 };
static const double half_m[KST_LIGHT_LAYERS] = {72, 640, 256}, stir_m[KST_LIGHT_LAYERS] = {16, 64, 64},
                    reach_m = 2048;  // along the light, each way

karst_status kst_zones_light_make(kst_zones_light *l, const char *defines, karst_report *report) {
    const kst_stage stages[2] = {{GL_VERTEX_SHADER, {"zone_lattice.glsl", "zone_numbers.glsl", "zone_cast.vert.glsl"}},
                                 {GL_FRAGMENT_SHADER, {"zone_cast.frag.glsl"}}};
    karst_status status = kst_program_build(stages, 2, defines, report, &l->program);
    if (status) return status;
    l->light_at = glGetUniformLocation(l->program, "u_light");
    l->first_at = glGetUniformLocation(l->program, "u_first");
    glCreateBuffers(1, &l->casters);
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &l->texture);
    glTextureStorage3D(l->texture, 1, GL_DEPTH_COMPONENT32F, SIDE, SIDE, KST_LIGHT_LAYERS);
    glTextureParameteri(l->texture, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(l->texture, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(l->texture, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(l->texture, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTextureParameteri(l->texture, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTextureParameteri(l->texture, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glCreateFramebuffers(KST_LIGHT_LAYERS, l->framebuffer);
    for (int k = 0; k < KST_LIGHT_LAYERS; ++k) {
        glNamedFramebufferTextureLayer(l->framebuffer[k], GL_DEPTH_ATTACHMENT, l->texture, 0, k);
        if (glCheckNamedFramebufferStatus(l->framebuffer[k], GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            return kst_fail(report, KARST_ERROR_UNSUPPORTED, "this device takes no depth maps of %d x %d", SIDE, SIDE);
    }
    l->bytes = (uint64_t)SIDE * SIDE * 4 * KST_LIGHT_LAYERS;
    return KARST_OK;
}

void kst_zones_light_free(kst_zones_light *l) {
    if (l->program) glDeleteProgram(l->program);
    glDeleteFramebuffers(KST_LIGHT_LAYERS, l->framebuffer);
    glDeleteTextures(1, &l->texture);
    glDeleteBuffers(1, &l->casters);
}

// ---- boxes -----------------------------------------------------------------------------------------

static double along(karst_vec3 a, karst_pos p) {
    return (double)a.x * p.x + (double)a.y * p.y + (double)a.z * p.z;
}

// Looking at the eye from the light, a whole number of texels from the world's origin.
static kst_light_box box_of(int layer, karst_pos eye, const float sun[3]) {
    kst_light_box b = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}, eye, half_m[layer]};
    float level = sqrtf(sun[0] * sun[0] + sun[2] * sun[2]);
    if (layer != KST_LIGHT_SKY && level > 1e-3f) {
        b.toward = (karst_vec3){sun[0], sun[1], sun[2]};
        b.right = (karst_vec3){-sun[2] / level, 0, sun[0] / level};
        b.up = (karst_vec3){b.toward.y * b.right.z, b.toward.z * b.right.x - b.toward.x * b.right.z,
                            -b.toward.y * b.right.x};
    }
    double texel = 2 * b.half_m / SIDE;
    const karst_vec3 axis[2] = {b.right, b.up};
    for (int k = 0; k < 2; ++k) {
        double at = along(axis[k], b.centre), off = floor(at / texel) * texel - at;
        b.centre.x += off * (double)axis[k].x, b.centre.y += off * (double)axis[k].y;
        b.centre.z += off * (double)axis[k].z;
    }
    return b;
}

static bool is_same_light(const kst_light_box *a, const kst_light_box *b) {
    return !memcmp(&a->toward, &b->toward, sizeof a->toward);
}

// Rows of (right, up, away) over the box; columns as GL takes them. scale, middle: of the result's range.
static void matrix_of(const kst_light_box *b, karst_pos origin, float scale, float middle, float out[16]) {
    karst_pos c = {b->centre.x - origin.x, b->centre.y - origin.y, b->centre.z - origin.z};
    const karst_vec3 axis[3] = {b->right, b->up, {-b->toward.x, -b->toward.y, -b->toward.z}};
    const double over[3] = {(double)scale / b->half_m, (double)scale / b->half_m, 0.5 / reach_m};
    memset(out, 0, 16 * sizeof *out);
    for (int k = 0; k < 3; ++k) {
        const float v[3] = {axis[k].x, axis[k].y, axis[k].z};
        for (int i = 0; i < 3; ++i) out[4 * i + k] = (float)((double)v[i] * over[k]);
        out[12 + k] = (float)((k < 2 ? (double)middle : 0.5) - along(axis[k], c) * over[k]);
    }
    out[15] = 1;
}

// ---- maps ------------------------------------------------------------------------------------------

// All pieces of all zones, by the size of their lattice.
static karst_status list_casters(karst_gl_zones *z) {
    kst_zones_light *l = &z->light;
    uint64_t total = 0;
    for (int32_t s = 0; s < z->stay_room; ++s) total += z->stays[s].piece_count;
    uint32_t(*list)[2] = malloc((size_t)(total + 1) * sizeof *list);
    if (!list) return KARST_ERROR_MEMORY;
    int32_t n = 0;
    for (int log2n = 1; log2n <= 4; ++log2n) {
        l->first[log2n] = n;
        for (int32_t s = 0; s < z->stay_room; ++s)
            for (uint32_t k = 0; k < z->stays[s].piece_count; ++k) {
                if (z->stays[s].zone->pieces[k].tiles_log2 != log2n) continue;
                list[n][0] = kst_piece_row(&z->stays[s], k);
                list[n++][1] = (uint32_t)s;
            }
        l->count[log2n] = n - l->first[log2n];
    }
    glNamedBufferData(l->casters, (n + 1) * (GLsizeiptr)sizeof *list, list, GL_STATIC_DRAW);
    free(list);
    return KARST_OK;
}

static void draw_map(karst_gl_zones *z, int layer) {
    kst_zones_light *l = &z->light;
    float matrix[16];
    matrix_of(&l->box[layer], z->origin, 1, 0, matrix);
    glBindFramebuffer(GL_FRAMEBUFFER, l->framebuffer[layer]);
    glViewport(0, 0, SIDE, SIDE);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUniformMatrix4fv(l->light_at, 1, GL_FALSE, matrix);
    for (int log2n = 1; log2n <= 4; ++log2n) {
        if (!l->count[log2n]) continue;
        glUniform1i(l->first_at, l->first[log2n]);
        kst_zones_draw_list(z, log2n, 0, l->count[log2n]);
    }
}

static void set_state(void) {
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_RASTERIZER_DISCARD);
    glDisable(GL_PRIMITIVE_RESTART);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glEnable(GL_DEPTH_CLAMP);
    glEnable(GL_DEPTH_TEST);
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    glDepthRange(0, 1);
    glDepthMask(GL_TRUE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDepthFunc(GL_LESS);
    glClearDepth(1);
}

karst_status kst_zones_light_update(karst_gl_zones *z, const karst_view *view, const float sun[3]) {
    kst_zones_light *l = &z->light;
    bool changed = l->change != z->change;
    if (changed) {
        karst_status status = list_casters(z);
        if (status) return status;
    }
    bool begun = false;
    for (int k = 0; k < KST_LIGHT_LAYERS; ++k) {
        kst_light_box box = box_of(k, view->eye, sun);
        karst_pos was = l->box[k].centre;
        double moved = fmax(fabs(was.x - box.centre.x), fmax(fabs(was.y - box.centre.y), fabs(was.z - box.centre.z)));
        if (!changed && moved <= stir_m[k] && is_same_light(&l->box[k], &box)) continue;
        if (!begun) {
            set_state();
            kst_zones_bind(z);
            glBindBufferBase(GL_SHADER_STORAGE_BUFFER, KST_ZONES_INSTANCES, l->casters);
            glUseProgram(l->program);
            begun = true;
        }
        l->box[k] = box;
        draw_map(z, k);
    }
    l->change = z->change;
    return KARST_OK;
}

void kst_zones_light_bind(const kst_zones_light *l, GLuint program, karst_pos origin, bool lit) {
    float matrix[KST_LIGHT_LAYERS][16] = {{0}};
    for (int k = 0; lit && k < KST_LIGHT_LAYERS; ++k) matrix_of(&l->box[k], origin, 0.5f, 0.5f, matrix[k]);
    glProgramUniform1i(program, glGetUniformLocation(program, "u_zone_depth"), UNIT_DEPTH);
    glProgramUniform1i(program, glGetUniformLocation(program, "u_zone_lit"), lit);
    glProgramUniformMatrix4fv(program, glGetUniformLocation(program, "u_zone_light"), KST_LIGHT_LAYERS, GL_FALSE,
                              matrix[0]);
    if (lit) glBindTextureUnit(UNIT_DEPTH, l->texture);
}
