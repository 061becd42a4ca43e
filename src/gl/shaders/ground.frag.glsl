// Ground: holes, material, light, air.
in vec3 v_at;
in vec2 v_cell;
#ifdef KARST_VERTEX_NORMALS
in vec3 v_normal;
#endif
in float v_level;
flat in ivec2 v_first;
out vec4 o_colour;

uniform sampler2D u_normal_map;   // mean normal x and z
uniform sampler2D u_relief_map;   // sky visibility, curvature wide and near, drainage
uniform sampler2D u_horizon_map;  // tangent of the horizon toward the sun
uniform highp usampler2D u_hole_tile;  // a texel a chunk of level 0: 1 + its tile of bits, 0: no hole
uniform highp usampler2D u_hole_bits;  // tiles of 2 x 64 texels of 32 cells, 512 tiles a row

#ifdef KARST_HOLES
// The bit of the cell, at every level of detail: field coordinates are affine on each drawn triangle.
bool is_hole(ivec2 cell) {
    if (any(lessThan(cell, ivec2(0))) || any(greaterThanEqual(cell, u_lattice.yz))) return true;
    int tile = int(texelFetch(u_hole_tile, cell >> 6, 0).x);
    if (tile == 0) return false;
    ivec2 at = ivec2((tile - 1) & 511, (tile - 1) >> 9) * ivec2(2, 64), inside = cell & 63;
    uint bits = texelFetch(u_hole_bits, at + ivec2(inside.x >> 5, inside.y), 0).x;
    return ((bits >> uint(inside.x & 31)) & 1u) != 0u;
}
#endif

vec3 map_normal(vec2 uv) {
    vec2 n = (texture(u_normal_map, uv).xy * 255.0 - 128.0) / 127.0;
    return normalize(vec3(n.x, sqrt(max(1.0 - dot(n, n), 0.0)), n.y));
}

vec3 level_colour(float level) {
    const vec3 ramp[8] = vec3[8](vec3(0.80, 0.12, 0.10), vec3(0.90, 0.45, 0.05), vec3(0.75, 0.70, 0.08),
                                 vec3(0.15, 0.60, 0.12), vec3(0.05, 0.50, 0.55), vec3(0.10, 0.22, 0.70),
                                 vec3(0.40, 0.12, 0.60), vec3(0.55, 0.10, 0.35));
    int k = int(level);
    return mix(ramp[k & 7], ramp[(k + 1) & 7], smoothstep(0.0, 1.0, fract(level)));
}

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
    Cover m = cover_of(g);

    // Rock: beds that lie level, warped; read on the two upright planes.
    vec3 rock_colour = ROCK;
    float bed = 0.5;
    if (m.rock > 0.01) {
        float y = g.alt * 1.7 / 240.0 + (w2.x - 0.5) * 0.7 + 0.05 * w1.x;
        float lod = log2(NOISE_TEXELS * 1.7 / 240.0 * foot);
        vec2 share = n.xz * n.xz / max(dot(n.xz, n.xz), 1e-4);
        vec2 across = p * 0.35 / 240.0 + u_noise[N_STRATA].xy;
        bed = share.x * textureLod(u_waves, vec2(across.y, y), lod).x +
              share.y * textureLod(u_waves, vec2(across.x, y + 0.37), lod).x;
        rock_colour = mix(DARK_ROCK, ROCK, smoothstep(0.25, 0.65, bed + 0.5 * (w0.x - 0.5)));
        rock_colour *= mix(vec3(1.06, 0.98, 0.90), vec3(0.92, 1.0, 1.06), smoothstep(0.35, 0.65, w2.x));
    }
    // Canopy: crowns that stand alone where the forest thins out.
    vec4 crown = vec4(0.5, 0.0, 0.0, 0.5);
    if (m.forest > -0.3) crown = noise_cells(C_100, p, foot);
    float forest = smoothstep(0.25, 0.75, m.forest + 0.55 * (crown.x - 0.5));

    Surface s;
    vec3 grass = mix(GRASS, DRY, m.dry) * (0.80 + 0.25 * w0.x + 0.30 * fine.x);
    vec3 c = mix(grass, SOIL * (0.8 + 0.4 * fine.x), m.soil * (0.55 + 0.9 * (fine.x - 0.5)));
    c = mix(c, SCREE * (0.7 + 0.6 * finest.x), m.scree);
    float rocky = smoothstep(0.2, 0.8, m.rock + 0.8 * (fine.x - 0.5) * (1.0 - abs(2.0 * m.rock - 1.0)));
    c = mix(c, rock_colour * (0.72 + 0.34 * fine.x + 0.22 * finest.x), rocky);
    forest *= 1.0 - 0.8 * rocky;
    c = mix(c, FOREST * (0.65 + 0.70 * crown.w) * (0.8 + 0.4 * w1.x) * mix(vec3(1.0), vec3(1.35, 1.15, 0.8), m.dry), forest);
    c = mix(c, SAND * (0.85 + 0.3 * fine.x), m.sand * (1.0 - rocky));
    c = mix(c, SNOW, m.snow);
    c *= 1.0 + clamp(0.05 * g.near + 0.006 * g.wide, -0.35, 0.25) * (1.0 - 0.7 * m.snow);
    // Wet: at the water's edge and where much drains.
    float wet = 1.0 - smoothstep(0.0, 2.0, g.alt - u_lines.z);
    wet = max(wet, 0.6 * smoothstep(8.0, 10.5, g.flow + 2.0 * (w0.x - 0.5)) * (1.0 - smoothstep(12.0, 32.0, u_land.y)));
    s.albedo = c * (1.0 - 0.55 * wet * (1.0 - m.snow));

    // Small relief, as one slope.
    float hard = rocky * (1.0 - m.snow);
    vec2 rise = w1.yz * u_bump.x * mix(4.0, 16.0, hard) + w0.yz * u_bump.y * mix(0.55, 4.2, hard) +
                fine.yz * u_bump.z * mix(0.10, 0.42, hard) + finest.yz * u_bump.w * mix(0.016, 0.05, hard);
    rise *= 1.0 - 0.75 * m.snow;
    rise = mix(rise, 0.4 * rise + crown.yz * 4.4, forest * (1.0 - m.snow));
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

float contour_line(float height, float every, float width) {
    float h = height / every, d = max(fwidth(h), 1e-6);
    float line = 1.0 - smoothstep(0.5 * width, 0.5 * width + 1.0, abs(fract(h + 0.5) - 0.5) / d);
    return line * (1.0 - smoothstep(0.2, 0.5, d));  // closer than the pixels: gone
}

void main() {
    int bits = u_lattice.w;
#ifdef KARST_HOLES
    if (is_hole(v_first + ivec2(floor(v_cell)))) discard;
#endif
    if ((bits & KARST_WIRE) != 0) {
        o_colour = vec4(tone_srgb(u_wire.rgb), 1.0);
        return;
    }
    vec2 uv = (vec2(v_first) + v_cell) / vec2(u_lattice.yz);
    vec3 to_eye = u_eye.xyz - v_at;
    float dist = length(to_eye);
    float foot = sqrt(max(length(dFdx(v_at)) * length(dFdy(v_at)), 1e-8));
    vec3 n = map_normal(uv);
#ifdef KARST_VERTEX_NORMALS
    // The map shades alike at every level of detail; the vertices know more where the map is coarser than they are,
    // or where the ground overhangs.
    vec3 vertex_normal = normalize(v_normal);
    float to_vertex = (bits & KARST_MAP_NORMALS) != 0 ? 0.0 : 1.0 - smoothstep(0.35, 1.0, foot / u_land.y);
    to_vertex = max(to_vertex, 1.0 - smoothstep(0.15, 0.35, vertex_normal.y));
    n = normalize(mix(n, vertex_normal, to_vertex));
#endif

    if ((bits & KARST_FLAT) != 0) {
        float shade = 0.55 + 0.45 * dot(n, normalize(vec3(0.4, 0.7, -0.6)));
        o_colour = vec4(tone_srgb(vec3(shade)), 1.0);
        return;
    }
    vec4 relief = texture(u_relief_map, uv);
    Surface s = surface_at(v_at, n, relief, foot);
    float horizon = texture(u_horizon_map, uv).x;
    float visible = smoothstep(-u_land.w, u_land.w, u_sun.w - horizon) * cloud_shadow(v_at);
    if ((bits & KARST_LEVEL) != 0) {
        vec2 edge = abs(fract(v_cell / 16.0 / exp2(floor(v_level)) + 0.5) - 0.5);
        s.albedo = mix(s.albedo, level_colour(v_level) * 0.5, 0.7);
    }
    if ((bits & KARST_CONTOUR) != 0) {
        float every = u_ambient_sun.w, h = v_at.y + u_back.w;
        float line = max(0.55 * contour_line(h, every, 1.0), 0.85 * contour_line(h, every * 5.0, 1.6));
        s.albedo = mix(s.albedo, vec3(0.045, 0.020, 0.010), line);
    }
    vec3 c = light_on(s, n, visible, relief.x);
    if ((bits & KARST_SKY) != 0) {
        float y0 = u_eye.y + u_back.w - u_height.w, y1 = v_at.y + u_back.w - u_height.w;
        c = air_between(c, -to_eye / dist, max(y0, 0.0), max(y1, 0.0), dist);
    }
    o_colour = vec4(tone_map(c), 1.0);
}
