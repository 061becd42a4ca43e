// SPDX-License-Identifier: MIT
// Air: the light of a sun through an atmosphere; the C twin of shaders/air.glsl. See docs/look.md.
#pragma once
#include "core/core.h"

typedef struct kst_air {
    float sun[3];  // unit vector toward the sun
    float haze;
} kst_air;

typedef struct kst_air_light {
    float sunlight[3];                    // irradiance on a plane that faces the sun
    float even[3], up[3], toward_sun[3];  // irradiance of the sky on normal n: even + up n.y + toward_sun (n . azimuth)
    float key;                            // radiance of a grey card that lies on the ground
} kst_air_light;

// Radiance of the clear sky toward a unit vector.
void kst_air_sky(const kst_air *air, const float d[3], float out[3]);
// Irradiance of the sun and the sky. Cost: about 1,000 skies.
kst_air_light kst_air_light_of(const kst_air *air);
// Factor from radiance to the screen, from light and not from the picture, so that nothing pumps.
// @param forward where the view looks
float kst_air_exposure(const kst_air *air, const kst_air_light *light, const float forward[3], float ev);
