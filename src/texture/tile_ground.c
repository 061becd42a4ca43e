// SPDX-License-Identifier: MIT
// Ground of the tile sets, as a function of the place.
#include "texture/tile_noise.h"

kst_texel kst_tile_ground(int set, uint64_t seed, float x, float y, bool rim) {
    // Their means are those of the field's ground: src/gl/shaders/material.glsl.
    static const float colours[KARST_NOISE_SETS][2][3] = {
        {{0.290f, 0.242f, 0.190f}, {0.485f, 0.422f, 0.339f}},  // earth
        {{0.224f, 0.266f, 0.150f}, {0.524f, 0.490f, 0.356f}},  // grass
        {{0.355f, 0.348f, 0.340f}, {0.585f, 0.573f, 0.552f}},  // rock
        {{0.140f, 0.200f, 0.118f}, {0.335f, 0.360f, 0.233f}},  // moss
        {{0.578f, 0.525f, 0.428f}, {0.700f, 0.664f, 0.575f}},  // sand
        {{0.454f, 0.400f, 0.332f}, {0.640f, 0.590f, 0.510f}},  // path
    };
    kst_texel t = {{0}, 0.5f};
    float which = 0, broad = kst_fbm(seed, x * 0.25f, y * 0.25f, 3, 0.5f),
          fine = kst_fbm(seed + 20, x * 2, y * 2, 2, 0.6f);
    switch ((karst_tile_set)set) {
        case KARST_TILE_EARTH: {
            float d = kst_pebbles(seed + 40, x * 0.9f, y * 0.9f, &which),
                  stone = which > 0.72f ? 1 - kst_smooth(0.28f, 0.40f, d) : 0;
            t.height = kst_clamp01(0.35f + 0.4f * broad + 0.2f * (fine - 0.5f) + 0.3f * stone * (1 - d));
            kst_paint(&t, colours[set][0], colours[set][1],
                      kst_clamp01(0.1f + 0.6f * broad + 0.5f * (fine - 0.5f) + 0.45f * stone));
            kst_shade(&t, 1 - 0.25f * (1 - stone) * (1 - kst_smooth(0.38f, 0.55f, d)) * (which > 0.72f));
            break;
        }
        case KARST_TILE_GRASS: {  // blades: noise drawn out along ways that bend
            float bend = 6 * (broad - 0.5f), a = kst_value(seed + 40, x * 3.1f + bend * 2, y * 0.8f + bend);
            float b = kst_value(seed + 50, x * 0.9f - bend, y * 3.3f + bend * 2), blade = a > b ? a : b;
            float dry = kst_smooth(0.55f, 0.8f, kst_fbm(seed + 60, x * 0.5f, y * 0.5f, 2, 0.5f));
            t.height = kst_clamp01(0.2f + 0.7f * blade);
            kst_paint(&t, colours[set][0], colours[set][1], kst_clamp01(0.95f * blade - 0.15f + 0.3f * (broad - 0.4f)));
            t.c[0] = kst_clamp01(t.c[0] + 0.07f * dry * blade), t.c[1] += 0.02f * dry;
            break;
        }
        case KARST_TILE_ROCK: {  // beds, faces that broke out of them, and cracks that end
            float ridge = 1 - fabsf(2 * kst_fbm(seed + 40, x * 0.35f, y * 0.35f, 3, 0.5f) - 1);
            float open = kst_smooth(0.45f, 0.7f, kst_value(seed + 70, x * 0.6f, y * 0.6f));
            float crack = rim ? 0 : kst_smooth(0.90f, 0.99f, ridge) * open,
                  bed = kst_value(seed + 50, x * 0.2f, y * 1.2f + 2 * broad);
            float bend = 1.2f * (fine - 0.5f), d = kst_pebbles(seed + 60, x * 0.5f + bend, y * 0.8f + bend, &which);
            float face = (which - 0.5f) * (1 - kst_smooth(0.5f, 0.9f, d));
            t.height = kst_clamp01(0.45f + 0.35f * broad + 0.2f * (fine - 0.5f) + 0.25f * face - 0.2f * crack);
            kst_paint(&t, colours[set][0], colours[set][1],
                      kst_clamp01(0.2f + 0.4f * broad + 0.25f * bed + 0.3f * (fine - 0.5f) + 0.25f * face));
            kst_shade(&t, 1 - 0.22f * crack);
            break;
        }
        case KARST_TILE_MOSS: {  // cushions
            float d = kst_pebbles(seed + 40, x * 0.55f, y * 0.55f, &which), dome = kst_clamp01(1 - d * d);
            t.height = kst_clamp01(0.2f + 0.6f * dome + 0.3f * (fine - 0.5f));
            kst_paint(&t, colours[set][0], colours[set][1],
                      kst_clamp01(0.75f * dome + 0.5f * (fine - 0.5f) + 0.2f * which));
            break;
        }
        case KARST_TILE_SAND: {
            float grain = kst_lattice(seed + 40, (int)floorf(x * 8), (int)floorf(y * 8));
            float ripple = kst_value(seed + 50, x * 0.5f + 1.5f * broad, y * 1.6f + 1.5f * broad);
            t.height = kst_clamp01(0.3f + 0.4f * ripple + 0.1f * broad);
            kst_paint(&t, colours[set][0], colours[set][1], kst_clamp01(0.35f * ripple + 0.35f * broad + 0.3f * grain));
            break;
        }
        case KARST_TILE_PATH: {  // trodden gravel
            float d = kst_pebbles(seed + 40, x * 1.6f, y * 1.6f, &which), stone = 1 - kst_smooth(0.3f, 0.48f, d);
            t.height = kst_clamp01(0.4f + 0.3f * stone * (1 - d) + 0.2f * broad);
            kst_paint(&t, colours[set][0], colours[set][1],
                      kst_clamp01(0.25f + 0.4f * broad + 0.35f * stone * (which - 0.3f) + 0.25f * (fine - 0.5f)));
            kst_shade(&t, 1 - 0.18f * (1 - stone));
            break;
        }
    }
    return t;
}
