// Water: a level mirror with small waves. The shore in it is found by marching through the height map; without that
// a lake is a blue sheet from another picture.
out vec4 o_colour;

// Height of the ground relative to the frame's origin; far below beyond a border that ends the land.
float ground_at(vec2 p) {
    vec2 uv = map_uv(p);
    float h = map_height(uv);
    if ((u_lattice.w & KARST_SURROUND) != 0) return h;
    vec2 out_by = max(abs(uv - 0.5) - 0.5, 0.0);
    return h - 1e5 * (out_by.x + out_by.y);
}

void main() {
    vec2 s = gl_FragCoord.xy * u_viewport.zw * 2.0 - 1.0;
    vec3 d = normalize(u_right.xyz * (s.x * u_right.w) + u_up.xyz * (s.y * u_up.w) - u_back.xyz);
    d.y = min(d.y, -1e-5);
    float dist = (u_lines.z - u_back.w - u_eye.y) / d.y;
    vec3 at = u_eye.xyz + d * dist;
    if ((u_lattice.w & KARST_SURROUND) != 0 && any(greaterThan(abs(map_uv(at.xz) - 0.5), vec2(0.5))) &&
        (dist > 150000.0 || surround_hit(u_eye.xyz, d, dist) > 0.0))
        discard;  // land beyond the border stands before it
    float foot = dist * u_up.w * 2.0 * u_viewport.w / sqrt(clamp(-d.y, 0.02, 1.0));
    vec2 p = at.xz;
    // Waves at two scales, with calm lanes.
    float gust = smoothstep(0.3, 0.7, noise_waves(N_GUST, p, foot).x);
    float strength = mix(0.10, 0.85, gust);
    vec2 a = textureLod(u_waves, p / 31.0 + u_noise[N_WATER].xy, log2(NOISE_TEXELS * foot * 1.8 / 31.0)).yz;
    vec2 b = textureLod(u_waves, p / 9.0 + u_noise[N_WATER].zw, log2(NOISE_TEXELS * foot * 1.8 / 9.0)).yz;
    vec2 tilt = strength * (a * 0.13 / 31.0 + b * 0.03 / 9.0);
    vec3 n = normalize(vec3(-tilt.x, 1.0, -tilt.y));
    vec3 r = reflect(d, n);
    r.y = abs(r.y) + 1e-4;
    r = normalize(r);

    // What the mirror shows: sky, or land where the ray meets it.
    vec3 mirror = cloud_over(air_sky(r), at, r);
    float t = 4.0 + 0.5 * u_land.y, before = 0.0, most = -1.0;
    float blur = 0.006 + 0.05 * gust * clamp(0.5 * foot, 0.05, 1.0);
    bool met = false;
    for (int k = 0; k < 40; ++k) {
        vec3 q = at + r * t;
        float over = ground_at(q.xz) - q.y;
        most = max(most, over / t);
        if (over > 0.0) {
            met = true;
            break;
        }
        before = t;
        t = 1.16 * t + 0.4 * u_land.y;
    }
    if (met || most > -blur) {
        float hit = t;
        for (int k = 0; k < 5 && met; ++k) {
            float mid = 0.5 * (before + hit);
            vec3 q = at + r * mid;
            if (ground_at(q.xz) > q.y) hit = mid; else before = mid;
        }
        vec3 q = at + r * hit;
        q.y = max(q.y, ground_at(q.xz));
        vec3 land = air_between(land_seen(q, foot + 0.02 * hit), r, air_height(at.y), air_height(q.y), hit);
        mirror = mix(mirror, land, met ? 1.0 : smoothstep(-blur, 0.0, most));
    }
    // The body: a pale bottom seen through it, then a teal of its own.
    float depth = clamp(at.y - ground_at(p), 0.0, 200.0);
    float path = depth * (1.0 + 0.8 / max(-d.y + 0.35, 0.35));
    vec3 through = exp(-vec3(0.42, 0.095, 0.075) * path);
    vec3 level = u_sunlight.rgb * max(u_sun.y, 0.0) * cloud_shadow(at) + air_ambient(vec3(0.0, 1.0, 0.0));
    vec3 body = level / PI * mix(vec3(0.010, 0.036, 0.036), vec3(0.096, 0.084, 0.060), through);
    float q1 = 1.0 - max(dot(n, -d), 0.0), q2 = q1 * q1;
    float fresnel = 0.02 + 0.98 * q2 * q2 * q1;
    float sun_spot = max(dot(r, u_sun.xyz), 0.0);
    vec3 c = mix(body, mirror, fresnel);
    c += met ? vec3(0.0) : u_sunlight.rgb * fresnel * 40.0 * pow(sun_spot, 900.0);
    // A line of foam where the waves run out.
    c = mix(c, level / PI * 0.55, 0.35 * (1.0 - smoothstep(0.0, 0.12, depth + 0.12 * (noise_waves(N_6, p, foot).x - 0.5))));
    if ((u_lattice.w & KARST_SKY) != 0) {
        c = air_between(c, d, air_height(u_eye.y), air_height(at.y), dist);
    }
    o_colour = vec4(tone_map(c), 1.0);
}
