// SPDX-License-Identifier: MIT
// What the shader looks up of wedges: textures of rows of 4096.
#include "gl/meshes.h"

enum { ROW = 4096 };  // as in mesh_morph.glsl

GLuint kst_texels_make(uint32_t wedges) {
    GLuint t;
    glCreateTextures(GL_TEXTURE_2D, 1, &t);
    GLsizei width = wedges < ROW ? (GLsizei)wedges : ROW, rows = (GLsizei)((wedges + ROW - 1) / ROW);
    glTextureStorage2D(t, 1, GL_RGBA32UI, width, rows);
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

void kst_texels_put(GLuint texture, uint32_t wedges, const uint32_t (*texel)[4]) {
    GLsizei whole = (GLsizei)(wedges / ROW), rest = (GLsizei)(wedges % ROW);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    if (whole) glTextureSubImage2D(texture, 0, 0, 0, ROW, whole, GL_RGBA_INTEGER, GL_UNSIGNED_INT, texel);
    if (rest)
        glTextureSubImage2D(texture, 0, 0, whole, rest, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                            texel + (size_t)whole * ROW);
}
