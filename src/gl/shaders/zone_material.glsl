// What ground of patches is made of: the six tile sets, each a mean colour and generated relief, seen along all three
// axes, so that walls and ceilings look like floors do. A bank of tile pictures takes the place of set_look().

// Value 0..1 and gradient [1/m] of generated waves at a place [world m], blended over the three planes.
vec4 waves_round(int k, vec3 p, vec3 share, float foot) {
    vec4 scale = u_noise[k];
    float lod = noise_lod(k, foot);
    vec4 sum = vec4(0.0);
    for (int axis = 0; axis < 3; ++axis) {
        if (share[axis] < 0.02) continue;
        vec2 at = axis == 0 ? p.zy : axis == 1 ? p.xz : p.xy + 37.0;
        vec3 t = textureLod(u_waves, vec2(scale.x * at.x - scale.y * at.y, scale.y * at.x + scale.x * at.y), lod).xyz;
        vec2 rise = vec2(scale.x * t.y + scale.y * t.z, scale.x * t.z - scale.y * t.y);
        vec3 slope = axis == 0 ? vec3(0.0, rise.y, rise.x) : axis == 1 ? vec3(rise.x, 0.0, rise.y) : vec3(rise, 0.0);
        sum += share[axis] * vec4(t.x, slope);
    }
    return sum;
}

struct SetLook { vec3 albedo; float relief, height; };  // relief: gain of slopes; height: which set comes out on top

// Set k at a place: w, f, d: waves of 13, 1.5 and 0.3 m.
SetLook set_look(int k, vec3 p, vec3 n, float bed_lod, vec4 broad, vec4 w, vec4 f, vec4 d) {
    if (k == 0) return SetLook(SOIL * (0.75 + 0.35 * w.x + 0.35 * (f.x - 0.5) + 0.25 * (d.x - 0.5)), 0.7, f.x);
    if (k == 1) {
        vec3 c = mix(GRASS, DRY, smoothstep(0.35, 0.8, 0.55 * broad.x + 0.45 * w.x)) * (0.75 + 0.30 * f.x + 0.25 * d.x);
        return SetLook(c, 0.55, 0.4 + 0.4 * d.x);
    }
    if (k == 2 || k == 3) {
        // Beds of any thickness lie level, and bend.
        float bed = textureLod(u_waves, vec2(0.002 * (p.x + p.z), p.y / 34.0 + 0.10 * broad.x + 0.05 * w.x), bed_lod).x;
        vec3 c = mix(DARK_ROCK, ROCK, 0.25 + 0.75 * smoothstep(0.15, 0.85, 0.6 * bed + 0.4 * w.x + 0.35 * (f.x - 0.5)));
        c *= mix(vec3(1.05, 0.99, 0.92), vec3(0.97, 1.0, 1.03), smoothstep(0.3, 0.7, broad.x));
        c *= 0.70 + 0.40 * f.x + 0.20 * d.x;
        if (k == 2) return SetLook(c, 1.5, 0.3 + 0.7 * f.x);
        float grown = smoothstep(-0.25, 0.45, n.y + 1.1 * (f.x - 0.5) + 0.5 * (w.x - 0.5) + 0.3 * (d.x - 0.5));
        return SetLook(mix(c, vec3(0.050, 0.072, 0.022) * (0.7 + 0.6 * d.x), grown), 1.2, 0.5 * f.x + 0.3 * grown);
    }
    if (k == 4) return SetLook(SAND * (0.82 + 0.14 * w.x + 0.16 * f.x + 0.08 * d.x), 0.35, 0.15 + 0.3 * w.x);
    return SetLook(vec3(0.215, 0.175, 0.125) * (0.82 + 0.2 * w.x + 0.25 * (d.x - 0.5)), 0.4, 0.2 + 0.3 * f.x);
}

// The surface at a place of piece `piece`, (s, t) of its patch; shares of the six sets. foot: metres a pixel covers.
Surface zone_surface(uint piece, vec2 st, vec3 at, vec3 n, float shares[6], float foot) {
    vec3 p = at + vec3(u_place.x, u_back.w, u_place.y);
    vec3 axis = pow(abs(n), vec3(4.0));
    axis /= axis.x + axis.y + axis.z;
    vec4 broad = waves_round(N_430, p, axis, foot), w = waves_round(N_53, p, axis, foot);
    vec4 f = waves_round(N_6, p, axis, foot), d = waves_round(N_1, p, axis, foot);
    // Grass does not hold on walls.
    float bare = smoothstep(0.72, 0.50, n.y + 0.25 * (w.x - 0.5) + 0.2 * (f.x - 0.5));
    shares[0] += 0.6 * bare * shares[1], shares[2] += 0.4 * bare * shares[1], shares[1] *= 1.0 - bare;
    SetLook look[6];
    float most = 0.0;
    for (int k = 0; k < 6; ++k) {
        if (shares[k] < 0.02) continue;
        look[k] = set_look(k, p, n, log2(NOISE_TEXELS * foot / 34.0), broad, w, f, d);
        most = max(most, shares[k] * (0.6 + 0.8 * look[k].height));
    }
    // What stands out covers what lies lower, in a narrow border.
    Surface s = Surface(vec3(0.0), n, 1.0, 0.0, 0.0);
    float sum = 0.0, relief = 0.0;
    for (int k = 0; k < 6; ++k) {
        if (shares[k] < 0.02) continue;
        float share = max(shares[k] * (0.6 + 0.8 * look[k].height) - most + 0.12, 0.0);
        s.albedo += share * look[k].albedo;
        relief += share * look[k].relief;
        s.wrap += share * (k == 1 ? 0.5 : k == 3 ? 0.3 : 0.1);
        sum += share;
    }
    s.albedo /= sum;
    s.wrap /= sum;
    relief /= sum;
    vec3 rise = relief * (0.35 * w.yzw + 0.22 * f.yzw + 0.045 * d.yzw);
    s.normal = normalize(n - (rise - n * dot(rise, n)));
    s.micro = 1.0 + 0.45 * relief * (0.6 * (f.x - 0.5) + 0.4 * (d.x - 0.5));
    return s;
}
