// SPDX-License-Identifier: MIT
// Air: the light of a sun through an atmosphere; the C twin of shaders/air.glsl, line by line alike.
#include "gl/air.h"

#include <math.h>

static const float pi = 3.14159265f;
static const float sun_above[3] = {20.0f, 19.3f, 18.6f};
static const float clean[3] = {0.056f, 0.104f, 0.225f};
static const float dust_at_1[3] = {0.044f, 0.050f, 0.058f};
static const float ozone[3] = {0.030f, 0.027f, 0.004f};
static const float night[3] = {0.0016f, 0.0024f, 0.0044f};

static float mass(float sine) {
    float s = fmaxf(sine, -0.012f);
    return 1.0f / (s + 0.025f * expf(-11.0f * s));
}

static float lobe(float c, float g) {
    float q = 1.0f + g * g - 2.0f * g * c;
    return (1.0f - g * g) / (4.0f * pi * q * sqrtf(q));
}

static float brightness(const float c[3]) {
    return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2];
}

void kst_air_sky(const kst_air *air, const float d[3], float out[3]) {
    float up = fmaxf(d[1], 0.0f), c = d[0] * air->sun[0] + d[1] * air->sun[1] + d[2] * air->sun[2];
    float m0 = mass(air->sun[1]), m = mass(up);
    if (fabsf(m - m0) < 0.02f) m += 0.04f;
    float clean_phase = 3.0f / (16.0f * pi) * (1.0f + c * c);
    float dust_phase = 0.86f * lobe(c, 0.76f) + 0.14f * lobe(c, -0.25f);
    float dusk = expf(-fmaxf(-air->sun[1], 0.0f) * (26.0f + 13.0f * (1.0f - c) * expf(-5.0f * up)));
    for (int k = 0; k < 3; ++k) {
        float dust = air->haze * dust_at_1[k], t = clean[k] + dust;
        float e0 = expf(-t * m0), e1 = expf(-t * m);
        float light = (clean[k] * clean_phase + 0.93f * dust * dust_phase) / t * (m / (m - m0)) * (e0 - e1);
        float lost = (clean[k] + 0.8f * dust) / t * (1.0f - e0) / m0;
        light += 0.15f * lost * (1.0f - expf(-(clean[k] + 0.35f * dust) * fminf(m, 12.0f)));
        light *= expf(-ozone[k] * fminf(m0, 16.0f)) * dusk;
        out[k] = sun_above[k] * light + night[k] * (0.4f + 0.6f * up);
    }
}

kst_air_light kst_air_light_of(const kst_air *air) {
    kst_air_light l = {0};
    float m = mass(air->sun[1]);
    float disc = fminf(fmaxf((air->sun[1] + 0.0047f) / 0.0094f, 0), 1);  // half a degree of sun over the horizon
    disc = disc * disc * (3 - 2 * disc);
    for (int k = 0; k < 3; ++k)
        l.sunlight[k] =
            disc * sun_above[k] * expf(-(clean[k] + air->haze * dust_at_1[k]) * m - ozone[k] * fminf(m, 16.0f));
    // The first two orders of spherical harmonics of the upper half: E(n) = A / 4 + (n . B) / 2.
    enum { RINGS = 24, SPOKES = 48 };
    float level = sqrtf(air->sun[0] * air->sun[0] + air->sun[2] * air->sun[2]);
    float ax = level > 1e-4f ? air->sun[0] / level : 1, az = level > 1e-4f ? air->sun[2] / level : 0;
    for (int r = 0; r < RINGS; ++r)
        for (int s = 0; s < SPOKES; ++s) {
            float y = ((float)r + 0.5f) / RINGS, out = sqrtf(1 - y * y), turn = 2 * pi * ((float)s + 0.5f) / SPOKES;
            float d[3] = {out * cosf(turn), y, out * sinf(turn)}, c[3];
            kst_air_sky(air, d, c);
            for (int k = 0; k < 3; ++k) {
                float radiance = c[k] * (2 * pi / (RINGS * SPOKES));
                l.even[k] += 0.25f * radiance;
                l.up[k] += 0.5f * radiance * d[1];
                l.toward_sun[k] += 0.5f * radiance * (d[0] * ax + d[2] * az);
            }
        }
    float on_level[3];
    for (int k = 0; k < 3; ++k) on_level[k] = l.sunlight[k] * fmaxf(air->sun[1], 0) + l.even[k] + l.up[k];
    l.key = 0.18f * brightness(on_level) / pi;
    return l;
}

static float brightness_low(const kst_air *air, float x, float z) {
    float level = sqrtf(x * x + z * z), c[3];
    if (level < 1e-4f) x = 1, z = 0, level = 1;
    float d[3] = {0.987f * x / level, 0.158f, 0.987f * z / level};  // nine degrees up
    kst_air_sky(air, d, c);
    return brightness(c);
}

float kst_air_exposure(const kst_air *air, const kst_air_light *light, const float forward[3], float ev) {
    // The picture follows 12 % of the stops by which the light falls below a hazy noon.
    float x = 0.215f / light->key * powf(fmaxf(light->key / 0.6f, 1e-6f), 0.12f);
    float ahead = brightness_low(air, forward[0], forward[2]);
    float under_sun = brightness_low(air, air->sun[0], air->sun[2]);
    return exp2f(ev) * fminf(x, 1.3f / fmaxf(ahead, 0.5f * under_sun));
}
