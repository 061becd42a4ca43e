// SPDX-License-Identifier: MIT
// Tiles: a bank's images and transitions as array textures. Their mips take the place of a far texture.
#include <math.h>
#include <stdlib.h>

#include "gl/zones.h"

enum { UNIT_IMAGES = KST_UNIT_COUNT + 3, UNIT_MASKS };

static GLuint texture_array(GLenum format, int side, int layers) {
    GLuint t;
    int mips = 1;
    for (int s = side; s > 1; s /= 2) ++mips;
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &t);
    glTextureStorage3D(t, mips, format, side, side, layers);
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(t, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(t, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return t;
}

static double linear(uint8_t code) {
    double v = code / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

// Karst's own images take the land's colours, so that patches and fields meet in one land: they are seen over their
// mean. Those of an author are seen as they are, and what the land says over the mean of that: set_look() in
// shaders/zone_material.glsl.
static void make_gains(const karst_tile_bank *bank, bool own, float mean[KARST_NOISE_SETS][3],
                       float gain[KARST_NOISE_SETS][3]) {
    static const float land[KARST_NOISE_SETS][3] = {{0.120f, 0.085f, 0.055f}, {0.121f, 0.119f, 0.053f},
                                                    {0.192f, 0.184f, 0.172f}, {0.060f, 0.076f, 0.035f},
                                                    {0.360f, 0.310f, 0.220f}, {0.215f, 0.175f, 0.125f}};
    enum { TEXELS = KARST_TILE_VARIANTS * KARST_TILE_SIDE * KARST_TILE_SIDE };
    for (int set = 0; set < KARST_NOISE_SETS; ++set)
        for (int c = 0; c < 3; ++c) {
            const uint8_t(*texel)[4] = (const uint8_t(*)[4])bank->image + (size_t)set * TEXELS;
            double sum = 0;
            for (int k = 0; k < TEXELS; ++k) sum += linear(texel[k][c]);
            mean[set][c] = (float)(sum / TEXELS);
            gain[set][c] = 1 / (own ? fmaxf(mean[set][c], 1e-3f) : land[set][c]);
        }
}

karst_status kst_zones_tiles_make(karst_gl_zones *z) {
    const karst_tile_bank *bank = z->def.tiles;
    karst_tile_bank *own = NULL;
    if (!bank) {
        own = malloc(sizeof *own);
        if (!own) return KARST_ERROR_MEMORY;
        karst_tile_bank_make(own);
        bank = own;
    }
    const int images = KARST_NOISE_SETS * KARST_TILE_VARIANTS;
    z->images = texture_array(GL_SRGB8_ALPHA8, KARST_TILE_SIDE, images);
    z->masks = texture_array(GL_R8, KARST_TILE_MASK_SIDE, KARST_TILE_MASKS);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glTextureSubImage3D(z->images, 0, 0, 0, 0, KARST_TILE_SIDE, KARST_TILE_SIDE, images, GL_RGBA, GL_UNSIGNED_BYTE,
                        bank->image);
    glTextureSubImage3D(z->masks, 0, 0, 0, 0, KARST_TILE_MASK_SIDE, KARST_TILE_MASK_SIDE, KARST_TILE_MASKS, GL_RED,
                        GL_UNSIGNED_BYTE, bank->mask);
    glGenerateTextureMipmap(z->images);
    glGenerateTextureMipmap(z->masks);
    float mean[KARST_NOISE_SETS][3], gain[KARST_NOISE_SETS][3];
    make_gains(bank, own != NULL, mean, gain);
    glProgramUniform3fv(z->program, glGetUniformLocation(z->program, "u_tile_mean"), KARST_NOISE_SETS, mean[0]);
    glProgramUniform3fv(z->program, glGetUniformLocation(z->program, "u_tile_gain"), KARST_NOISE_SETS, gain[0]);
    z->def.tiles = NULL;
    free(own);
    glProgramUniform1i(z->program, glGetUniformLocation(z->program, "u_tile_images"), UNIT_IMAGES);
    glProgramUniform1i(z->program, glGetUniformLocation(z->program, "u_tile_masks"), UNIT_MASKS);
    return KARST_OK;
}

void kst_zones_tiles_bind(const karst_gl_zones *z) {
    glBindTextureUnit(UNIT_IMAGES, z->images);
    glBindTextureUnit(UNIT_MASKS, z->masks);
    glBindSampler(UNIT_IMAGES, 0);
    glBindSampler(UNIT_MASKS, 0);
}
