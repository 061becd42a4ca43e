// Thin clouds on a plane, and their shadows.
float cloud_cover(vec2 p, float foot) {
    vec4 n = u_noise[N_CLOUD];  // longer than wide, so not turned
    float big = textureLod(u_waves, p * n.xy + n.zw, noise_lod(N_CLOUD, foot)).x;
    float fine = textureLod(u_waves, noise_uv(N_CLOUD_FINE, p), noise_lod(N_CLOUD_FINE, foot)).x;
    return smoothstep(0.53, 0.86, big + 0.35 * (fine - 0.5));
}

// Share of the sun that passes, for a place at `at`.
float cloud_shadow(vec3 at) {
    if (u_sun.y < 0.02) return 1.0;
    vec2 p = at.xz + u_sun.xz / u_sun.y * (u_land.z - (at.y + u_back.w));
    return 1.0 - 0.72 * cloud_cover(p, 60.0);
}

// Lay the clouds over a sky, from eye toward d.
vec3 cloud_over(vec3 sky, vec3 eye, vec3 d) {
    float rise = u_land.z - (eye.y + u_back.w);
    if (d.y < 0.015 || rise < 10.0) return sky;
    float dist = rise / d.y;
    vec2 p = eye.xz + d.xz * dist;
    float foot = dist * u_up.w * 2.0 * u_viewport.w / sqrt(max(d.y, 0.02));
    float cover = cloud_cover(p, foot) * smoothstep(0.02, 0.22, d.y) * 0.55;
    float c = dot(d, u_sun.xyz);
    vec3 under_sun = air_sky(normalize(vec3(u_sun.x, 0.05, u_sun.z)));
    float set = smoothstep(-0.005, 0.03, u_sun.y);
    vec3 lit = u_sunlight.rgb * (0.19 + 0.25 * air_lobe(c, 0.6)) + 0.3 / PI * u_ambient.rgb;
    vec3 glow = under_sun * (0.10 + 0.35 * air_lobe(c, 0.5)) + 0.3 / PI * u_ambient.rgb;
    return mix(sky, mix(glow, lit, set), cover);
}
