// The ground's surface at a place: material, small relief, light.
struct Surface { vec3 albedo, normal; float micro, wrap, snow; };

Surface surface_at(vec3 at, vec3 n, vec4 relief, float foot) {
    vec2 p = at.xz;
    vec3 w2 = noise_waves(N_5200, p, foot), w1 = noise_waves(N_430, p, foot), w0 = noise_waves(N_53, p, foot);
    vec3 fine = noise_waves(N_6, p, foot), finest = noise_waves(N_1, p, foot);
    Land g;
    g.slope = u_land.x * length(n.xz) / max(n.y, 0.05);
    g.alt = at.y + u_back.w;
    g.wide = (relief.y * 255.0 - 128.0) / 127.0 * 32.0;
    g.near = (relief.z * 255.0 - 128.0) / 127.0 * 8.0;
    g.flow = relief.w * 25.5;
    g.sunny = clamp(1.5 * n.z, -1.0, 1.0);
    g.w2 = w2.x;
    g.w1 = w1.x;
    g.w0 = w0.x;
    g.w6 = fine.x;
    Cover m = cover_of(g);

    // Rock: beds that lie level, and flutes down the slope; both read on the two upright planes.
    vec3 rock_colour = ROCK;
    vec2 flute_rise = vec2(0.0);
    if (m.rock > 0.01) {
        float bend = (w2.x - 0.5) * 0.7 + 0.05 * w1.x;
        vec2 share = n.xz * n.xz / max(dot(n.xz, n.xz), 1e-4);
        vec2 bed_at = p * 0.35 / 240.0 + u_noise[N_STRATA].xy, flute_at = p * 1.6 / 240.0 + u_noise[N_STRATA].zw;
        float y = g.alt / 240.0, lod = log2(NOISE_TEXELS * 1.7 / 240.0 * foot);
        float bed = share.x * textureLod(u_waves, vec2(bed_at.y, 1.7 * y + bend), lod).x +
                    share.y * textureLod(u_waves, vec2(bed_at.x, 1.7 * y + bend + 0.37), lod).x;
        vec2 warp = vec2(0.35 * w1.x + 0.06 * w0.x, bend);
        vec2 flute_z = textureLod(u_waves, vec2(flute_at.y, 0.8 * y) + warp, lod).xy;
        vec2 flute_x = textureLod(u_waves, vec2(flute_at.x, 0.8 * y + 0.61) + warp, lod).xy;
        float flute = share.x * flute_z.x + share.y * flute_x.x;
        rock_colour = mix(DARK_ROCK, ROCK, smoothstep(0.25, 0.65, bed + 0.5 * (flute - 0.5) + 0.4 * (w0.x - 0.5)));
        rock_colour *= mix(vec3(1.06, 0.98, 0.90), vec3(0.92, 1.0, 1.06), smoothstep(0.35, 0.65, w2.x));
        flute_rise = vec2(share.y * flute_x.y, share.x * flute_z.y) * (6.0 * 1.6 / 240.0);
    }
    // Canopy: crowns that stand alone where the forest thins out.
    vec4 crown = vec4(0.5, 0.0, 0.0, 0.5);
    if (m.forest > -0.3) {
        vec2 ragged = p + 2.2 * (vec2(fine.x, finest.x) - 0.5);
        crown = mix(noise_cells(C_100, ragged, foot), noise_cells(C_61, ragged, foot), smoothstep(0.35, 0.65, w0.x));
    }
    // Crowns are seen from afar; near the eye they would be cobbles, so there the floor of the forest stands in.
    float far = smoothstep(0.2, 1.2, foot);
    crown = mix(vec4(0.35 + 0.3 * fine.x, 0.0, 0.0, finest.x), crown, far);
    float forest = smoothstep(0.25, 0.75, m.forest + 0.8 * (crown.x - 0.5) + 0.5 * (w0.x - 0.5));

    Surface s;
    vec3 grass = mix(GRASS, DRY, m.dry) * (0.80 + 0.25 * w0.x + 0.30 * fine.x);
    vec3 c = mix(grass, SOIL * (0.8 + 0.4 * fine.x), m.soil * (0.55 + 0.9 * (fine.x - 0.5)));
    c = mix(c, SCREE * (0.7 + 0.6 * finest.x), m.scree);
    float rocky = smoothstep(0.2, 0.8, m.rock + 0.8 * (fine.x - 0.5) * (1.0 - abs(2.0 * m.rock - 1.0)));
    c = mix(c, rock_colour * (0.72 + 0.34 * fine.x + 0.22 * finest.x), rocky);
    forest *= 1.0 - 0.8 * rocky;
    c = mix(c, FOREST * (0.65 + 0.70 * crown.w) * (0.8 + 0.4 * w1.x) * mix(vec3(1.0), vec3(1.35, 1.15, 0.8), m.dry), forest);
    c = mix(c, SAND * (0.85 + 0.3 * fine.x), m.sand * (1.0 - rocky));
    c = mix(c, SNOW * (0.90 + 0.10 * w0.x + 0.06 * w1.x), m.snow);
    c *= 1.0 + clamp(0.05 * g.near + 0.006 * g.wide, -0.35, 0.25) * (1.0 - 0.7 * m.snow);
    // Wet: at the water's edge and where much drains.
    float wet = 1.0 - smoothstep(0.0, 2.0, g.alt - u_lines.z);
    wet = max(wet, 0.6 * smoothstep(8.0, 10.5, g.flow + 2.0 * (w0.x - 0.5)) * (1.0 - smoothstep(12.0, 32.0, u_land.y)));
    s.albedo = c * (1.0 - 0.55 * wet * (1.0 - m.snow));

    // Small relief, as one slope.
    float hard = rocky * (1.0 - m.snow);
    vec2 rise = w1.yz * u_bump.x * mix(4.0, 16.0, hard) + w0.yz * u_bump.y * mix(0.55, 2.4, hard) +
                fine.yz * u_bump.z * mix(0.10, 0.42, hard) + finest.yz * u_bump.w * mix(0.016, 0.05, hard);
    rise += flute_rise * u_bump.y * hard;
    rise *= 1.0 - 0.75 * m.snow;
    rise = mix(rise, mix(1.6, 0.6, far) * rise + crown.yz * 3.2, forest * (1.0 - m.snow));
    s.normal = normalize(n - vec3(rise.x, 0.0, rise.y) * max(n.y, 0.25));
    s.micro = mix(1.0, 0.30 + 0.9 * crown.x, forest * (1.0 - m.snow)) * (1.0 + 0.35 * (fine.x - 0.5) * (1.0 - m.snow));
    s.wrap = max(forest, 0.5 * (1.0 - max(max(rocky, m.sand), m.scree))) * (1.0 - m.snow);
    s.snow = m.snow;
    return s;
}

// Light on rough ground: sun, sky, and what the ground round about throws back.
vec3 light_on(Surface s, vec3 n_map, float visible, float open) {
    vec3 n = s.normal;
    float facing = dot(n, u_sun.xyz);
    float lambert = mix(max(facing, 0.0), 0.92 * max((facing + 0.25) / 1.25, 0.0), s.wrap);
    vec3 level_sky = air_ambient(vec3(0.0, 1.0, 0.0));
    vec3 level = u_sunlight.rgb * max(u_sun.y, 0.0) + level_sky;
    vec3 bounce = level * mix(vec3(0.11, 0.105, 0.06), vec3(0.5), 0.6 * s.snow) *
                  (0.5 * (1.0 - n_map.y) + 1.5 * (1.0 - open));
    return s.albedo / PI * (u_sunlight.rgb * lambert * visible * mix(1.0, s.micro, 0.45) +
                            (air_ambient(n) * open * open + bounce) * s.micro);
}

// Radiance of land far away, known from the maps alone.
vec3 land_seen(vec3 at, float foot) {
    vec2 uv = map_uv(at.xz);
    float lod = log2(max(foot / u_land.y, 1.0));
    vec3 n = map_normal_lod(uv, lod);
    vec4 relief = textureLod(u_relief_map, uv, lod);
    // Shadows belong to the land as it is; in a mirrored copy the slope alone decides.
    bool mirrored = mod(floor(uv.x) + floor(uv.y), 2.0) > 0.5 || any(notEqual(floor(uv), vec2(0.0)));
    float visible = mirrored ? 1.0 : map_sunlit(uv);
    return light_on(surface_at(at, n, relief, foot), n, visible * cloud_shadow(at), relief.x);
}
