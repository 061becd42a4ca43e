// Sun, sky and the air between. Twin: ../air.c, which gives exposure and ambient light; see docs/look.md.
const float PI = 3.14159265;
const vec3 AIR_SUN = vec3(20.0, 19.3, 18.6);      // irradiance above the air
const vec3 AIR_CLEAN = vec3(0.056, 0.104, 0.225); // vertical optical depths: of clean air, as sRGB sees it
const vec3 AIR_DUST = vec3(0.044, 0.050, 0.058);  // of aerosol, at haze 1
const vec3 AIR_OZONE = vec3(0.030, 0.027, 0.004); // takes red and green, so that dusk is blue and not pink
const vec3 AIR_NIGHT = vec3(0.0016, 0.0024, 0.0044);
const float AIR_CLEAN_M = 8000.0, AIR_DUST_M = 1300.0;  // scale heights

// Relative air mass for the sine of an elevation (Rozenberg).
float air_mass(float sine) {
    float s = max(sine, -0.012);
    return 1.0 / (s + 0.025 * exp(-11.0 * s));
}

float air_lobe(float c, float g) {
    float q = 1.0 + g * g - 2.0 * g * c;
    return (1.0 - g * g) / (4.0 * PI * q * sqrt(q));
}

// Radiance of the clear sky at a sine of elevation and a cosine to the sun: single scattering of a plane-parallel atmosphere in closed form, an even share
// of what the beam lost for the higher orders, ozone, and the shadow of the earth after sunset.
vec3 air_light(float up, float c) {
    float haze = u_sunlight.w;
    float m0 = air_mass(u_sun.y), m = air_mass(up);
    if (abs(m - m0) < 0.02) m += 0.04;  // 0/0 there
    vec3 dust = haze * AIR_DUST, t = AIR_CLEAN + dust;
    float clean_phase = 3.0 / (16.0 * PI) * (1.0 + c * c);
    float dust_phase = 0.86 * air_lobe(c, 0.76) + 0.14 * air_lobe(c, -0.25);
    vec3 e0 = exp(-t * m0), e1 = exp(-t * m);
    vec3 light = (AIR_CLEAN * clean_phase + 0.93 * dust * dust_phase) / t * (m / (m - m0)) * (e0 - e1);
    vec3 lost = (AIR_CLEAN + 0.8 * dust) / t * (1.0 - e0) / m0;
    light += 0.15 * lost * (1.0 - exp(-(AIR_CLEAN + 0.35 * dust) * min(m, 12.0)));
    light *= exp(-AIR_OZONE * min(m0, 16.0));
    light *= exp(-max(-u_sun.y, 0.0) * (26.0 + 13.0 * (1.0 - c) * exp(-5.0 * up)));
    return AIR_SUN * light + AIR_NIGHT * (0.4 + 0.6 * up);
}

vec3 air_sky(vec3 d) { return air_light(max(d.y, 0.0), dot(d, u_sun.xyz)); }

// Sun disc with a small glare, to be added to the sky.
vec3 air_disc(vec3 d) {
    float c = dot(d, u_sun.xyz);
    return u_sunlight.rgb * (900.0 * smoothstep(0.999980, 0.999992, c) + 0.6 * exp((c - 1.0) * 2500.0));
}

// Length of the path in sea-level air for an exponential atmosphere, from height y0 to y1.
float air_column(float y0, float y1, float dist, float scale) {
    float a = exp(-y0 / scale), b = exp(-y1 / scale), dy = y1 - y0;
    return dist * (abs(dy) < 1.0 ? a : scale * (a - b) / dy);
}

// Height in the air of a place relative to the frame's origin: over the lowest ground.
float air_height(float y) { return max(y + u_back.w - u_height.w, 0.0); }

// Aerial perspective. For a long path the result is the sky just above the horizon of the same azimuth, so the
// farthest ridge melts into the sky without a seam. Heights count from the lowest ground. Below a haze of 0.5 the clean
// air goes too, down to none at all for maps.
vec3 air_between(vec3 colour, vec3 d, float y0, float y1, float dist) {
    float air = min(2.0 * u_sunlight.w, 1.0);
    vec3 clear = exp(-(air * AIR_CLEAN / AIR_CLEAN_M * air_column(y0, y1, dist, AIR_CLEAN_M) +
                       u_sunlight.w * AIR_DUST / AIR_DUST_M * air_column(y0, y1, dist, AIR_DUST_M)));
    return colour * clear + air_light(0.03, dot(d, u_sun.xyz)) * (1.0 - clear);
}

// Irradiance of the open sky on a plane with this normal.
vec3 air_ambient(vec3 n) {
    vec2 toward_sun = normalize(u_sun.xz + vec2(1e-6, 0.0));
    return max(u_ambient.rgb + u_ambient_up.rgb * n.y + u_ambient_sun.rgb * dot(n.xz, toward_sun), 0.0);
}
