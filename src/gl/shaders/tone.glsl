// From radiance to the screen.
float tone_light(vec3 c) { return dot(c, vec3(0.2126, 0.7152, 0.0722)); }

vec3 tone_srgb(vec3 c) { return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }

vec3 tone_linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }

// A power-law shoulder that leaves 0.18 at 0.18 with contrast 1.15; a slight inset keeps bright colours from clipping
// one channel at a time, a slight outset gives the colour back. In the dark the eye loses colour, red first.
vec3 tone_map(vec3 c) {
    float night = u_ambient_up.w;
    c = mix(c, tone_light(c * vec3(0.4, 1.0, 2.2)) * vec3(0.72, 0.95, 1.40), 0.65 * night);
    c *= u_ambient.w;
    c = max(mix(c, vec3(tone_light(c)), 0.10), 0.0);
    c = pow(c, vec3(1.40));
    c = c / (c + 0.413);
    c = clamp(mix(vec3(tone_light(c)), c, 1.10), 0.0, 1.0);
    vec2 from_centre = gl_FragCoord.xy * u_viewport.zw - 0.5;
    c *= 1.0 - 0.10 * dot(from_centre, from_centre);
    // Half a code of noise, fixed on the screen, so that a sky has no bands.
    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return tone_srgb(c) + grain / 255.0;
}
