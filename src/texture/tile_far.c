// SPDX-License-Identifier: MIT
// Colour of tiles near and far.
#include <math.h>

#include "core/core.h"
#include "karst/tile.h"

// (u, v) turned by quarters, as an image is.
static void turn(int quarters, float *u, float *v) {
    for (int k = 0; k < quarters; ++k) {
        float old = *u;
        *u = *v, *v = 1 - old;
    }
}

static float texel_of(float at, int side, int *low, int *high) {
    float p = at * (float)side - 0.5f, base = floorf(p);
    *low = base < 0 ? 0 : (int)base, *high = base + 1 > (float)(side - 1) ? side - 1 : (int)base + 1;
    return p - base;
}

static float linear_of(float code) {
    return code <= 0.04045f ? code / 12.92f : powf((code + 0.055f) / 1.055f, 2.4f);
}
static float code_of(float linear) {
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
}

// Linear light, as devices mix sRGB texels, and height.
static void image_at(const karst_tile_bank *bank, uint16_t layer, float u, float v, float out[4]) {
    int x0, x1, y0, y1;
    float fx = texel_of(u, KARST_TILE_SIDE, &x0, &x1), fy = texel_of(v, KARST_TILE_SIDE, &y0, &y1);
    const uint8_t(*image)[KARST_TILE_SIDE][4] =
        bank->image[karst_tile_layer_set(layer)][karst_tile_layer_variant(layer)];
    for (int c = 0; c < 4; ++c) {
        float t[4] = {image[y0][x0][c], image[y0][x1][c], image[y1][x0][c], image[y1][x1][c]};
        for (int k = 0; k < 4; ++k) t[k] = c < 3 ? linear_of(t[k] / 255) : t[k] / 255;
        float low = t[0] + (t[1] - t[0]) * fx, high = t[2] + (t[3] - t[2]) * fx;
        out[c] = low + (high - low) * fy;
    }
}

static float mask_at(const karst_tile_bank *bank, int mask, float u, float v) {
    float x = u * (KARST_TILE_MASK_SIDE - 1), y = v * (KARST_TILE_MASK_SIDE - 1);
    int x0 = (int)x, y0 = (int)y, x1 = x0 + (x0 + 1 < KARST_TILE_MASK_SIDE), y1 = y0 + (y0 + 1 < KARST_TILE_MASK_SIDE);
    const uint8_t(*m)[KARST_TILE_MASK_SIDE] = bank->mask[mask];
    float fx = x - (float)x0, fy = y - (float)y0;
    float low = (float)m[y0][x0] + (float)(m[y0][x1] - m[y0][x0]) * fx;
    float high = (float)m[y1][x0] + (float)(m[y1][x1] - m[y1][x0]) * fx;
    return (low + (high - low) * fy) / 255;
}

// Shares of the layers by their covers: what two layers cover alike goes to the upper one whole, so that a set between
// them does not shine through where it has no corner.
static void shares(const karst_tile_element *element, const float cover[KARST_TILE_LAYERS],
                   float out[KARST_TILE_LAYERS]) {
    float one = element->layer[1] == KARST_TILE_NONE ? 0 : cover[1],
          two = element->layer[2] == KARST_TILE_NONE ? 0 : cover[2];
    out[2] = two;
    out[1] = one > two ? one - two : 0;
    out[0] = 1 - (one > two ? one : two);
}

karst_vec3 karst_tile_colour(const karst_tile_bank *bank, const karst_tile_element *element, float u, float v) {
    float c[3] = {0, 0, 0}, cover[KARST_TILE_LAYERS] = {1}, share[KARST_TILE_LAYERS], own[KARST_TILE_LAYERS][4];
    float top = 0, all = 0;
    for (int l = 1; l < KARST_TILE_LAYERS && element->layer[l] != KARST_TILE_NONE; ++l)
        cover[l] = mask_at(bank, karst_tile_layer_mask(element->layer[l]), u, v);
    shares(element, cover, share);
    for (int l = 0; l < KARST_TILE_LAYERS && element->layer[l] != KARST_TILE_NONE; ++l) {
        float tu = u, tv = v;
        turn(element->turns >> (2 * l) & 3, &tu, &tv);
        image_at(bank, element->layer[l], tu, tv, own[l]);
        share[l] *= 0.25f + own[l][3];
        top = share[l] > top ? share[l] : top;
    }
    for (int l = 0; l < KARST_TILE_LAYERS && element->layer[l] != KARST_TILE_NONE; ++l) {
        float w = share[l] - 0.7f * top;
        if (w <= 0) continue;
        all += w;
        for (int k = 0; k < 3; ++k) c[k] += own[l][k] * w;
    }
    return (karst_vec3){code_of(c[0] / all), code_of(c[1] / all), code_of(c[2] / all)};
}

static void far_texel(const karst_tile_bank *bank, const karst_tile_element *element, int x, int y, float out[3]) {
    float cover[KARST_TILE_LAYERS] = {1}, share[KARST_TILE_LAYERS];
    for (int l = 1; l < KARST_TILE_LAYERS && element->layer[l] != KARST_TILE_NONE; ++l)
        cover[l] = (float)bank->far_mask[karst_tile_layer_mask(element->layer[l])][y][x] / 255;
    shares(element, cover, share);
    for (int l = 0; l < KARST_TILE_LAYERS && element->layer[l] != KARST_TILE_NONE; ++l) {
        uint16_t layer = element->layer[l];
        int tx = x, ty = y;
        for (int k = element->turns >> (2 * l) & 3; k; --k) {
            int old = tx;
            tx = ty, ty = KARST_TILE_FAR - 1 - old;
        }
        const uint8_t *own = bank->far_image[karst_tile_layer_set(layer)][karst_tile_layer_variant(layer)][ty][tx];
        for (int k = 0; k < 3; ++k) out[k] += (float)(own[k] * own[k]) * share[l];  // squares are near enough to light
    }
    for (int k = 0; k < 3; ++k) out[k] = sqrtf(out[k]);
}

// What the tints of a tile's corners leave at (u, v).
static void tint_at(const uint16_t *tint, float u, float v, float out[3]) {
    static const int shift[3] = {11, 5, 0}, most[3] = {31, 63, 31};
    for (int k = 0; k < 3; ++k) {
        float c[4];
        for (int i = 0; i < 4; ++i)
            c[i] = (float)(tint[(i >> 1) * 17 + (i & 1)] >> shift[k] & most[k]) / (float)most[k];
        float low = c[0] + (c[1] - c[0]) * u, high = c[2] + (c[3] - c[2]) * u;
        out[k] = 1 - (low + (high - low) * v);
    }
}

void karst_tile_far(const karst_tile_bank *bank, const karst_zone *zone, uint32_t index, uint8_t (*out)[3]) {
    KARST_ASSERT(index < zone->piece_count);
    const karst_piece *piece = &zone->pieces[index];
    karst_tile_element elements[KARST_NET_TILES_MAX * KARST_NET_TILES_MAX];
    int n = 1 << piece->tiles_log2;
    const uint16_t *tints = karst_zone_paint(zone, piece->patch).tint;
    karst_tile_resolve(bank, zone, index, elements);
    for (int y = 0; y < n * KARST_TILE_FAR; ++y)
        for (int x = 0; x < n * KARST_TILE_FAR; ++x) {
            int i = x / KARST_TILE_FAR, j = y / KARST_TILE_FAR, tx = x % KARST_TILE_FAR, ty = y % KARST_TILE_FAR;
            float colour[3] = {0, 0, 0}, left[3];
            far_texel(bank, &elements[j * n + i], tx, ty, colour);
            tint_at(tints + 17 * (piece->tile_t + j) + piece->tile_s + i, ((float)tx + 0.5f) / KARST_TILE_FAR,
                    ((float)ty + 0.5f) / KARST_TILE_FAR, left);
            for (int k = 0; k < 3; ++k)
                out[y * n * KARST_TILE_FAR + x][k] = (uint8_t)floorf(colour[k] * left[k] + 0.5f);
        }
}

void karst_tile_bands(float distance_m, float tile_m, float fade_m, float out[4]) {
    const float end[3] = {tile_m, 200, 400};
    float left = 1;
    for (int k = 0; k < 3; ++k) {
        float past = (distance_m - (end[k] - fade_m)) / fade_m;
        past = past < 0 ? 0 : past > 1 ? 1 : past;
        out[k] = left * (1 - past), left *= past;
    }
    out[3] = left;
}
