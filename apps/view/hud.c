// SPDX-License-Identifier: MIT
// HUD: one program, one instanced quad; a ring of clocks.
#include "hud.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "glsl.h"

struct hud {
    GLuint program, array, buffer, texture;
    unsigned edition;        // of the page's font that the texture holds
    GLuint clock[HUD_LATE];  // queries of elapsed time, a ring
    double cpu_ms[HUD_LATE];
    int64_t timed;  // frames
};

static const char vertex_text[] =
    "#version 450 core\n"
    "layout(location = 0) in vec4 box;\n"
    "layout(location = 1) in vec4 part;\n"
    "layout(location = 2) in uvec2 colours;\n"
    "layout(location = 0) uniform vec2 size;\n"
    "out vec2 uv;\n"
    "flat out uvec2 colour;\n"
    "void main() {\n"
    "    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
    "    uv = mix(part.xy, part.zw, at);\n"
    "    colour = colours;\n"
    "    vec2 p = mix(box.xy, box.zw, at) / size;\n"
    "    gl_Position = vec4(2 * p.x - 1, 1 - 2 * p.y, 0.5, 1);\n"
    "}\n";

// Ink over halo, premultiplied.
static const char fragment_text[] =
    "#version 450 core\n"
    "layout(binding = 0) uniform sampler2D letters;\n"
    "in vec2 uv;\n"
    "flat in uvec2 colour;\n"
    "out vec4 result;\n"
    "vec4 over(uint c, float share) {\n"
    "    vec4 v = unpackUnorm4x8(c).abgr;\n"
    "    return vec4(v.rgb, 1) * v.a * share;\n"
    "}\n"
    "void main() {\n"
    "    vec2 t = texelFetch(letters, ivec2(uv), 0).rg;\n"
    "    vec4 ink = over(colour.x, t.r);\n"
    "    result = ink + over(colour.y, t.g) * (1 - ink.a);\n"
    "}\n";

karst_status hud_create(karst_report *report, hud **out) {
    hud *h = kst_alloc_zero(NULL, sizeof *h);
    if (!h) return kst_fail(report, KARST_ERROR_MEMORY, "no memory for the text");
    h->program = glsl_link("text", vertex_text, fragment_text, report);
    if (!h->program) {
        kst_free(NULL, h, sizeof *h);
        return KARST_ERROR_UNSUPPORTED;
    }
    glCreateVertexArrays(1, &h->array);
    glCreateBuffers(1, &h->buffer);
    glVertexArrayVertexBuffer(h->array, 0, h->buffer, 0, sizeof(page_quad));
    glVertexArrayBindingDivisor(h->array, 0, 1);
    for (GLuint k = 0; k < 3; ++k) {
        glEnableVertexArrayAttrib(h->array, k);
        glVertexArrayAttribBinding(h->array, k, 0);
    }
    glVertexArrayAttribFormat(h->array, 0, 4, GL_FLOAT, GL_FALSE, offsetof(page_quad, x0));
    glVertexArrayAttribFormat(h->array, 1, 4, GL_FLOAT, GL_FALSE, offsetof(page_quad, u0));
    glVertexArrayAttribIFormat(h->array, 2, 2, GL_UNSIGNED_INT, offsetof(page_quad, ink));
    *out = h;
    return KARST_OK;
}

void hud_destroy(hud *h) {
    if (!h) return;
    glDeleteQueries(HUD_LATE, h->clock);
    glDeleteTextures(1, &h->texture);
    glDeleteBuffers(1, &h->buffer);
    glDeleteVertexArrays(1, &h->array);
    glDeleteProgram(h->program);
    kst_free(NULL, h, sizeof *h);
}

static void load_letters(hud *h, const page *p) {
    const font *f = &p->font;
    glDeleteTextures(1, &h->texture);
    glCreateTextures(GL_TEXTURE_2D, 1, &h->texture);
    glTextureStorage2D(h->texture, 1, GL_RG8, f->width, f->height);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glTextureSubImage2D(h->texture, 0, 0, 0, f->width, f->height, GL_RG, GL_UNSIGNED_BYTE, f->pixels);
    h->edition = p->edition;
}

void hud_draw(hud *h, const page *p) {
    if (!p->count) return;
    if (!h->texture || h->edition != p->edition) load_letters(h, p);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, p->width, p->height);
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(h->program);
    glUniform2f(0, (float)p->width, (float)p->height);
    glBindTextureUnit(0, h->texture);
    glBindSampler(0, 0);
    glNamedBufferData(h->buffer, (GLsizeiptr)((size_t)p->count * sizeof *p->quads), p->quads, GL_STREAM_DRAW);
    glBindVertexArray(h->array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, p->count);
    glDisable(GL_BLEND);
}

void hud_read(int width, int height, uint8_t *rgb) {
    size_t line = 3 * (size_t)width;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    for (int j = 0; j < height / 2; ++j)  // GL's rows come from the bottom
        for (size_t k = 0; k < line; ++k) {
            uint8_t *a = rgb + (size_t)j * line + k, *b = rgb + (size_t)(height - 1 - j) * line + k, c = *a;
            *a = *b;
            *b = c;
        }
}

float hud_time_begin(hud *h) {
    int k = (int)(h->timed % HUD_LATE);
    float told = 0;
    if (!h->clock[k]) {
        glCreateQueries(GL_TIME_ELAPSED, 1, &h->clock[k]);
    } else {
        GLint ready = 0;
        GLuint64 ns = 0;
        glGetQueryObjectiv(h->clock[k], GL_QUERY_RESULT_AVAILABLE, &ready);
        if (ready) glGetQueryObjectui64v(h->clock[k], GL_QUERY_RESULT, &ns);
        if (ready) told = (float)fmax((double)ns * 1e-6, h->cpu_ms[k]);
    }
    glBeginQuery(GL_TIME_ELAPSED, h->clock[k]);
    return told;
}

void hud_time_end(hud *h, double cpu_ms) {
    glEndQuery(GL_TIME_ELAPSED);
    h->cpu_ms[h->timed++ % HUD_LATE] = cpu_ms;
}
