// What ground of patches is made of: tiles of karst/tile.h, with what is larger than a tile generated on all three
// axes, so that walls and ceilings look like floors do.
uniform sampler2DArray u_tile_images;  // layer 4 set + variant; alpha: height
uniform sampler2DArray u_tile_masks;
uniform vec3 u_tile_mean[6];  // of the images of a set
uniform vec3 u_tile_gain[6];  // makes the image and what the land says together one colour

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

// A set as its images show it: the land's own colours vary over many tiles, and their relief goes on in the images'.
struct Tile { vec3 albedo; float height; };

vec2 tile_turned(vec2 at, uint quarters) {
    return quarters == 0u ? at : quarters == 1u ? vec2(at.y, 1.0 - at.x) : quarters == 2u ? 1.0 - at : vec2(1.0 - at.y, at.x);
}

Tile tile_layer(uint layer, uint quarters, vec2 at, vec2 dx, vec2 dy) {
    vec2 turned = tile_turned(at, quarters);
    bool swaps = (quarters & 1u) != 0u;
    vec4 t = textureGrad(u_tile_images, vec3(turned, float((layer & 15u) * 4u + (layer >> 4u & 3u))), swaps ? dx.yx : dx,
                         swaps ? dy.yx : dy);
    return Tile(t.rgb, t.a);
}

float tile_cover(uint layer, vec2 at, vec2 dx, vec2 dy) {
    return textureGrad(u_tile_masks, vec3((at * 63.0 + 0.5) / 64.0, float(layer >> 6u & 63u)), dx, dy).r;
}

vec3 tint_of(uint word) { return vec3(uvec3(word >> 11u & 31u, word >> 5u & 63u, word & 31u)) / vec3(31.0, 63.0, 31.0); }

// The surface at (s, t) of the patch of a piece. foot: metres a pixel covers.
Surface zone_surface(uint row, vec2 st, vec3 at, vec3 n, float foot) {
    vec3 p = at + vec3(u_place.x, u_back.w, u_place.y);
    vec3 axis = pow(abs(n), vec3(4.0));
    axis /= axis.x + axis.y + axis.z;
    vec4 broad = waves_round(N_430, p, axis, foot), w = waves_round(N_53, p, axis, foot);
    vec4 f = waves_round(N_6, p, axis, foot), d = waves_round(N_1, p, axis, foot);
    // Once more, larger: what repeats every six metres is soon seen on a wall.
    vec4 larger = waves_round(N_6, 0.413 * p + 17.0, axis, 0.413 * foot);
    f = vec4(0.5 + 0.8 * (0.5 * (f.x + larger.x) - 0.5) * 1.4, 0.6 * f.yzw + 0.413 * 0.6 * larger.yzw);
    Piece piece = piece_at(row);
    vec2 q = st * vec2(1 << piece.scale_s, 1 << piece.scale_t) - vec2(piece.tile_s, piece.tile_t);
    int side = 1 << piece.tiles_log2;
    ivec2 tile = clamp(ivec2(floor(q)), 0, side - 1);
    vec2 in_tile = clamp(q - vec2(tile), 0.0, 1.0), dx = dFdx(q), dy = dFdy(q);
    uvec4 word = pool[pool[row + 2u].x + uint(tile.y * side + tile.x)];  // turns, three layers; tints of the corners
    uint layer[3] = uint[3](word.x >> 16u, word.y & 0xFFFFu, word.y >> 16u);
    float cover[3] = float[3](1.0, 0.0, 0.0);
    for (int l = 1; l < 3; ++l)
        if (layer[l] != 0xFFFFu) cover[l] = tile_cover(layer[l], in_tile, dx, dy);
    float share[3] = float[3](1.0 - max(cover[1], cover[2]), max(cover[1] - cover[2], 0.0), cover[2]);
    Surface s = Surface(vec3(0.0), n, 1.0, 0.0, 0.0);
    float relief = 0.0, height = 0.0;
    for (int l = 0; l < 3; ++l) {
        if (share[l] <= 0.0) continue;
        int k = int(layer[l] & 15u);
        Tile t = tile_layer(layer[l], word.x >> uint(2 * l) & 3u, in_tile, dx, dy);
        SetLook look = set_look(k, p, n, log2(NOISE_TEXELS * foot / 34.0), broad, w, f, d);
        // Afar the images say less, so that walls do not show how often they repeat.
        float says = (k == 2 || k == 3 ? 0.6 : 1.0) * (1.0 - 0.5 * smoothstep(0.02, 0.25, foot));
        s.albedo += share[l] * look.albedo * mix(u_tile_mean[k], t.albedo, says) * u_tile_gain[k];
        relief += share[l] * look.relief;
        height += share[l] * t.height;
        s.wrap += share[l] * (k == 1 ? 0.5 : k == 3 ? 0.3 : 0.1);
    }
    vec3 tint = mix(mix(tint_of(word.z & 0xFFFFu), tint_of(word.z >> 16u), in_tile.x),
                    mix(tint_of(word.w & 0xFFFFu), tint_of(word.w >> 16u), in_tile.x), in_tile.y);
    s.albedo *= 1.0 - tint;
    vec3 rise = relief * (0.35 * w.yzw + 0.22 * f.yzw + 0.045 * d.yzw);
    // The images' own relief, along the ground where they lie.
    vec3 sx = dFdx(at), sy = dFdy(at), across = cross(sy, n), along = cross(n, sx);
    float area = dot(sx, across);
    if (abs(area) > 1e-9)
        rise += 0.06 * clamp(1.0 - 20.0 * foot, 0.0, 1.0) * (across * dFdx(height) + along * dFdy(height)) / area;
    s.normal = normalize(n - (rise - n * dot(rise, n)));
    s.micro = 1.0 + 0.45 * relief * (0.6 * (f.x - 0.5) + 0.4 * (d.x - 0.5)) + 0.3 * (height - 0.5);
    return s;
}
