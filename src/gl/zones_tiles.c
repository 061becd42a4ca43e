// SPDX-License-Identifier: MIT
// Tiles on the device: a bank's images, the slopes of their heights, and its transitions, as array textures.
//
// Mips of an image are made here: at each level all texels of a rim that lie at the same place along it are what the
// set's common images have there, so that images meet without a seam at any distance. Where so few texels are left that
// rims would be seen, each group has its own, as in far textures. The first level is the bank's own.
#include "gl/zones_tiles.h"

#include <math.h>
#include <stdlib.h>

#include "gl/zones.h"

enum {
    UNIT_IMAGES = KST_UNIT_COUNT + 3,
    UNIT_SLOPES,
    UNIT_MASKS,
    UNIT_FAR,
    IMAGES = KARST_NOISE_SETS * KARST_TILE_VARIANTS,
    IMAGE_MIPS = 8,  // of 128 texels
    MASK_MIPS = 7,
    RIM_SIDE = 16,  // groups have rims of their own from here on
};

static GLuint texture_array(GLenum format, int side, int mips, int layers) {
    GLuint t;
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &t);
    glTextureStorage3D(t, mips, format, side, side, layers);
    glTextureParameteri(t, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTextureParameteri(t, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(t, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(t, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return t;
}

// Sharp along the ground where the eye looks flat over it, if the device can. Mesa's llvmpipe (22.3) is not asked: it
// showed texels of other layers where triangles meet, and took four times as long.
static void set_anisotropy(GLuint texture, float wanted) {
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    bool there = epoxy_has_gl_extension("GL_ARB_texture_filter_anisotropic") ||
                 epoxy_has_gl_extension("GL_EXT_texture_filter_anisotropic");
    if (wanted <= 1 || !there || (renderer && strstr(renderer, "llvmpipe"))) return;
    float most = 1;
    glGetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT, &most);
    glTextureParameterf(texture, GL_TEXTURE_MAX_ANISOTROPY_EXT, fminf(most, wanted));
}

// ---- images ----------------------------------------------------------------------------------------

static float linear_of(float v) {
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}
static uint8_t code_of(float linear) {
    float v = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
    return (uint8_t)(v * 255 + 0.5f);
}

// Halve the images of a set: `side` texels a side afterwards, linear, rows one after the other.
static void halve(float (*image)[4], int side) {
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                const float(*from)[4] = image + ((size_t)k * 2 * side + 2 * y) * 2 * side + 2 * x;
                float sum[4];
                for (int c = 0; c < 4; ++c)
                    sum[c] = from[0][c] + from[1][c] + from[2 * side][c] + from[2 * side + 1][c];
                for (int c = 0; c < 4; ++c) image[((size_t)k * side + y) * side + x][c] = sum[c] / 4;
            }
}

// Images k for which of[k] get the mean of those for which from[k].
static void one_rim(float (*image)[4], int side, const bool *from, const bool *of) {
    for (int along = 0; along < (side + 1) / 2; ++along) {
        size_t at[8];
        const size_t a = (size_t)along, b = (size_t)(side - 1 - along), n = (size_t)side, last = n - 1;
        at[0] = a, at[1] = b, at[2] = last * n + a, at[3] = last * n + b;
        at[4] = a * n, at[5] = b * n, at[6] = a * n + last, at[7] = b * n + last;
        for (int c = 0; c < 4; ++c) {
            float sum = 0, count = 0;
            for (size_t k = 0; k < KARST_TILE_VARIANTS; ++k)
                for (int i = 0; i < 8 && from[k]; ++i) sum += image[k * n * n + at[i]][c], ++count;
            for (size_t k = 0; k < KARST_TILE_VARIANTS; ++k)
                for (int i = 0; i < 8 && of[k]; ++i) image[k * n * n + at[i]][c] = sum / count;
        }
    }
}

static void meet_rims(float (*image)[4], int side, const uint16_t groups[KARST_TILE_VARIANTS]) {
    bool common[KARST_TILE_VARIANTS], all[KARST_TILE_VARIANTS], some = false, done[KARST_TILE_VARIANTS] = {0};
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k) common[k] = groups[k] & 1, some |= common[k], all[k] = true;
    if (side > RIM_SIDE) {
        one_rim(image, side, some ? common : all, all);
        return;
    }
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k) {
        bool alike[KARST_TILE_VARIANTS];
        if (done[k]) continue;
        for (int i = 0; i < KARST_TILE_VARIANTS; ++i) alike[i] = groups[i] == groups[k], done[i] |= alike[i];
        one_rim(image, side, alike, alike);
    }
}

static void put_images(GLuint texture, const karst_tile_bank *bank, float (*image)[4], uint8_t (*codes)[4]) {
    float table[256];
    for (int k = 0; k < 256; ++k) table[k] = linear_of((float)k / 255);
    glTextureSubImage3D(texture, 0, 0, 0, 0, KARST_TILE_SIDE, KARST_TILE_SIDE, IMAGES, GL_RGBA, GL_UNSIGNED_BYTE,
                        bank->image);
    for (int set = 0; set < KARST_NOISE_SETS; ++set) {
        const uint8_t(*from)[4] = (const uint8_t(*)[4])bank->image[set];
        for (int k = 0; k < KARST_TILE_VARIANTS * KARST_TILE_SIDE * KARST_TILE_SIDE; ++k)
            for (int c = 0; c < 4; ++c) image[k][c] = c < 3 ? table[from[k][c]] : (float)from[k][c] / 255;
        for (int level = 1, side = KARST_TILE_SIDE / 2; level < IMAGE_MIPS; ++level, side /= 2) {
            halve(image, side);
            meet_rims(image, side, bank->groups[set]);
            for (int k = 0; k < KARST_TILE_VARIANTS * side * side; ++k)
                for (int c = 0; c < 4; ++c)
                    codes[k][c] = c < 3 ? code_of(image[k][c]) : (uint8_t)(image[k][c] * 255 + 0.5f);
            glTextureSubImage3D(texture, level, 0, 0, set * KARST_TILE_VARIANTS, side, side, KARST_TILE_VARIANTS,
                                GL_RGBA, GL_UNSIGNED_BYTE, codes);
        }
    }
}

// Rise of the images' heights along u and v, in shares of KST_SLOPE_MOST a tile.
static void put_slopes(GLuint texture, const karst_tile_bank *bank, int8_t (*slope)[2]) {
    const int last = KARST_TILE_SIDE - 1;
    for (int k = 0; k < IMAGES; ++k) {
        const uint8_t(*image)[KARST_TILE_SIDE][4] = bank->image[k / KARST_TILE_VARIANTS][k % KARST_TILE_VARIANTS];
        for (int y = 0; y <= last; ++y)
            for (int x = 0; x <= last; ++x) {
                int l = x ? x - 1 : 0, r = x < last ? x + 1 : last, d = y ? y - 1 : 0, u = y < last ? y + 1 : last;
                float rise[2] = {(float)(image[y][r][3] - image[y][l][3]), (float)(image[u][x][3] - image[d][x][3])};
                for (int c = 0; c < 2; ++c) {
                    float v = rise[c] / 255 * (KARST_TILE_SIDE / 2) / KST_SLOPE_MOST;
                    slope[(k * KARST_TILE_SIDE + y) * KARST_TILE_SIDE + x][c] =
                        (int8_t)lrintf(127 * fmaxf(-1, fminf(1, v)));
                }
            }
    }
    glTextureSubImage3D(texture, 0, 0, 0, 0, KARST_TILE_SIDE, KARST_TILE_SIDE, IMAGES, GL_RG, GL_BYTE, slope);
    glGenerateTextureMipmap(texture);
}

karst_status kst_zones_tiles_make(karst_gl_zones *z) {
    kst_zones_tiles *t = &z->tiles;
    const size_t texels = (size_t)KARST_TILE_VARIANTS * KARST_TILE_SIDE * KARST_TILE_SIDE;
    float(*image)[4] = malloc(texels * sizeof *image);
    uint8_t(*codes)[4] = malloc(texels * sizeof *codes);
    int8_t(*slope)[2] = malloc(KARST_NOISE_SETS * texels * sizeof *slope);
    t->bank = malloc(sizeof *t->bank);
    karst_status status = image && codes && slope && t->bank ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        if (z->def.tiles)
            *t->bank = *z->def.tiles;
        else
            karst_tile_bank_make(t->bank);
        z->def.tiles = NULL;
        t->images = texture_array(GL_SRGB8_ALPHA8, KARST_TILE_SIDE, IMAGE_MIPS, IMAGES);
        t->slopes = texture_array(GL_RG8_SNORM, KARST_TILE_SIDE, IMAGE_MIPS, IMAGES);
        t->masks = texture_array(GL_R8, KARST_TILE_MASK_SIDE, MASK_MIPS, KARST_TILE_MASKS);
        set_anisotropy(t->images, z->def.anisotropy);
        set_anisotropy(t->slopes, z->def.anisotropy);
        set_anisotropy(t->masks, z->def.anisotropy);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        put_images(t->images, t->bank, image, codes);
        put_slopes(t->slopes, t->bank, slope);
        glTextureSubImage3D(t->masks, 0, 0, 0, 0, KARST_TILE_MASK_SIDE, KARST_TILE_MASK_SIDE, KARST_TILE_MASKS, GL_RED,
                            GL_UNSIGNED_BYTE, t->bank->mask);
        glGenerateTextureMipmap(t->masks);
        t->bytes = (4 + 2) * KARST_NOISE_SETS * texels * 4 / 3 + sizeof t->bank->mask * 4 / 3;
        status = kst_far_make(&t->far, z->def.far_bytes);
        if (z->def.reserve) kst_far_grow(&t->far, INT32_MAX);
    }
    free(image);
    free(codes);
    free(slope);
    static const char *const name[] = {"u_tile_images", "u_tile_slopes", "u_tile_masks", "u_tile_far"};
    for (int k = 0; k < 4; ++k)
        glProgramUniform1i(z->program, glGetUniformLocation(z->program, name[k]), UNIT_IMAGES + k);
    glProgramUniform2f(z->program, glGetUniformLocation(z->program, "u_tile_bands"), z->def.tile_m, z->def.fade_m);
    return status;
}

void kst_zones_tiles_free(kst_zones_tiles *t) {
    glDeleteTextures(1, &t->images);
    glDeleteTextures(1, &t->slopes);
    glDeleteTextures(1, &t->masks);
    kst_far_free(&t->far);
    free(t->bank);
}

void kst_zones_tiles_bind(const kst_zones_tiles *t) {
    const GLuint texture[4] = {t->images, t->slopes, t->masks, t->far.texture};
    glBindTextures(UNIT_IMAGES, 4, texture);
    glBindSamplers(UNIT_IMAGES, 4, NULL);
}
