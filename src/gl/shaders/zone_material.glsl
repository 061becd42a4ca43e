// What ground of patches is made of. A fragment's tile is found by piece and (s, t). Near the eye it is up to three
// images mixed by transitions (twin: karst_tile_colour() in src/texture/tile_far.c), far away a texel of its piece's
// far texture; what varies over more than a tile is generated on all three axes, so that walls look like floors do.
uniform sampler2DArray u_tile_images;  // layer TILE_VARIANTS set + variant; alpha: height
uniform sampler2DArray u_tile_slopes;  // of these heights along u and v, a tile, over SLOPE_MOST
uniform sampler2DArray u_tile_masks;
uniform sampler2DArray u_tile_far;  // alpha: relief over RELIEF_MOST
uniform vec2 u_tile_bands;          // where tiles end, and how far everything takes to go over [m]

const uint TILE_VARIANTS = 12u;
const float SLOPE_MOST = 16.0, RELIEF_MOST = 2.0;
// By set: how strong generated relief is, and how high an image stands [m].
const float SET_RELIEF[6] = float[6](0.7, 0.55, 1.5, 1.1, 0.35, 0.4), SET_HIGH[6] = float[6](0.05, 0.035, 0.08, 0.08, 0.025, 0.035);

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

// A place on a piece, in tiles.
struct TilePlace {
    vec2 at, dx, dy;  // in the piece, and how it changes along the screen
    int side;
    ivec2 tile;
    vec2 inside;   // of the tile
    uvec4 words;   // turns and three layers; tints of the corners
    uint far;      // block of the far texture, 0: none
};

TilePlace tile_place(uint row, vec2 st) {
    Piece piece = piece_at(row);
    TilePlace t;
    vec2 scale = vec2(1 << piece.scale_s, 1 << piece.scale_t);
    t.at = st * scale - vec2(piece.tile_s, piece.tile_t);
    t.dx = dFdx(st) * scale;  // of what was interpolated: fragments beside a triangle may read nothing from the pool
    t.dy = dFdy(st) * scale;
    t.side = 1 << piece.tiles_log2;
    t.tile = clamp(ivec2(floor(t.at)), 0, t.side - 1);
    t.inside = clamp(t.at - vec2(t.tile), 0.0, 1.0);
    uvec4 more = pool[row + 2u];
    t.words = pool[more.x + uint(t.tile.y * t.side + t.tile.x)];
    t.far = more.y;
    return t;
}

struct Tile {
    vec3 albedo;
    float height, relief;
    vec2 slope;  // metres a tile
};

float tile_image(uint layer) { return float((layer & 15u) * TILE_VARIANTS + (layer >> 4u & 15u)); }

// By quarters, as an image is; a direction the same way.
vec2 tile_turned(vec2 v, uint quarters) {
    return quarters == 0u ? v : quarters == 1u ? vec2(v.y, -v.x) : quarters == 2u ? -v : vec2(-v.y, v.x);
}
vec2 tile_turned_back(vec2 v, uint quarters) { return tile_turned(v, (4u - quarters) & 3u); }

vec3 tint_of(uint word) { return vec3(uvec3(word >> 11u & 31u, word >> 5u & 63u, word & 31u)) / vec3(31.0, 63.0, 31.0); }

// What tints leave of a colour's sRGB code, as a factor of light.
vec3 tile_tinted(TilePlace t) {
    vec3 low = mix(tint_of(t.words.z & 0xFFFFu), tint_of(t.words.z >> 16u), t.inside.x);
    vec3 high = mix(tint_of(t.words.w & 0xFFFFu), tint_of(t.words.w >> 16u), t.inside.x);
    return pow(max(1.0 - mix(low, high, t.inside.y), 0.0), vec3(2.2));
}

// Without tints. slopes: they are wanted.
Tile tile_near(TilePlace t, bool slopes) {
    uint layer[3] = uint[3](t.words.x >> 16u, t.words.y & 0xFFFFu, t.words.y >> 16u);
    float cover[3] = float[3](1.0, 0.0, 0.0);
    for (int l = 1; l < 3; ++l)
        if (layer[l] != 0xFFFFu)
            cover[l] = textureGrad(u_tile_masks, vec3((t.inside * 63.0 + 0.5) / 64.0, float(layer[l] >> 8u & 63u)), t.dx, t.dy).r;
    float share[3] = float[3](1.0 - max(cover[1], cover[2]), max(cover[1] - cover[2], 0.0), cover[2]);
    vec4 image[3];
    float top = 0.0;
    for (int l = 0; l < 3; ++l) {
        if (share[l] <= 0.0) continue;
        uint quarters = t.words.x >> uint(2 * l) & 3u;
        image[l] = textureGrad(u_tile_images,
                               vec3(tile_turned(t.inside - 0.5, quarters) + 0.5, tile_image(layer[l])),
                               tile_turned(t.dx, quarters), tile_turned(t.dy, quarters));
        share[l] *= 0.25 + image[l].a;
        top = max(top, share[l]);
    }
    // What stands out covers what lies lower, in a narrow border; not so where texels are too small to be seen.
    float texels = max(length(t.dx), length(t.dy)) * 64.0, sharp = 0.7 * clamp(1.5 - 0.5 * texels, 0.0, 1.0);
    Tile sum = Tile(vec3(0.0), 0.0, 0.0, vec2(0.0));
    float all = 0.0;
    for (int l = 0; l < 3; ++l) {
        float w = max(share[l] - sharp * top, 0.0);
        if (w <= 0.0) continue;
        int k = int(layer[l] & 15u);
        all += w;
        sum.albedo += w * image[l].rgb;
        sum.height += w * image[l].a;
        sum.relief += w * SET_RELIEF[k];
        if (!slopes) continue;
        uint quarters = t.words.x >> uint(2 * l) & 3u;
        vec2 slope = textureGrad(u_tile_slopes,
                                 vec3(tile_turned(t.inside - 0.5, quarters) + 0.5, tile_image(layer[l])),
                                 tile_turned(t.dx, quarters), tile_turned(t.dy, quarters)).rg;
        sum.slope += w * SET_HIGH[k] * SLOPE_MOST * tile_turned_back(slope, quarters);
    }
    return Tile(sum.albedo / all, sum.height / all, sum.relief / all, sum.slope / all);
}

// With tints. band: 0: 4 x 4 texels a tile, 1: 2 x 2, 2: one.
Tile tile_far(TilePlace t, float band) {
    uint block = t.far - 1u;
    float texels = 4.0 * float(t.side), step_x = length(t.dx) * 4.0, step_y = length(t.dy) * 4.0;
    float lod = clamp(max(band, 0.5 * log2(max(step_x * step_y, 1e-6))), 0.0, log2(texels));
    vec2 at = clamp(t.at * 4.0, 0.5 * exp2(ceil(lod)), texels - 0.5 * exp2(ceil(lod)));
    at += 8.0 * vec2(block & 31u, block >> 5u & 31u);
    vec4 c = textureLod(u_tile_far, vec3(at / 256.0, float(block >> 10u)), lod);
    return Tile(c.rgb, 0.5, RELIEF_MOST * c.a, vec2(0.0));
}

// How far tiles have gone over into 4 x 4 texels, these into 2 x 2, and these into one: karst_tile_bands().
vec3 tile_past(float dist) { return clamp((dist - vec3(u_tile_bands.x, 200.0, 400.0) + u_tile_bands.y) / u_tile_bands.y, 0.0, 1.0); }

vec3 band_colour(uint far, float dist) {
    vec3 past = far == 0u ? vec3(0.0) : tile_past(dist);
    return mix(mix(mix(u_key[0].rgb, u_key[1].rgb, past.x), u_key[2].rgb, past.y), u_key[3].rgb, past.z);
}

float tile_green(vec3 c) { return smoothstep(1.08, 1.30, 2.0 * c.g / max(c.r + c.b, 1e-3)); }

// A colour as the land has it there: dry and fresh grass, beds of rock that lie level and bend, light and dark.
vec3 tile_in_land(vec3 c, float relief, vec3 p, float bed_lod, vec4 broad, vec4 w, vec4 f) {
    float green = tile_green(c), rock = smoothstep(1.0, 1.4, relief) * (1.0 - green);
    float dry = smoothstep(0.35, 0.8, 0.55 * broad.x + 0.45 * w.x);
    c *= mix(vec3(1.0), mix(vec3(0.68, 0.82, 0.68), vec3(1.45, 1.24, 1.42), dry), green);
    float bed = textureLod(u_waves, vec2(0.002 * (p.x + p.z), p.y / 34.0 + 0.10 * broad.x + 0.05 * w.x), bed_lod).x;
    float tone = 0.25 + 0.75 * smoothstep(0.15, 0.85, 0.6 * bed + 0.4 * w.x + 0.35 * (f.x - 0.5));
    vec3 hue = mix(vec3(1.05, 0.99, 0.92), vec3(0.97, 1.0, 1.03), smoothstep(0.3, 0.7, broad.x));
    c *= mix(vec3(0.84 + 0.20 * w.x + 0.12 * f.x), hue * mix(0.62, 1.22, tone), rock);
    return c;
}

// The surface at (s, t) of the patch of a piece. foot: metres a pixel covers.
Surface zone_surface(TilePlace t, vec3 at, vec3 n, float dist, float foot) {
    vec3 p = at + vec3(u_place.x, u_back.w, u_place.y);
    vec3 axis = pow(abs(n), vec3(4.0));
    axis /= axis.x + axis.y + axis.z;
    vec4 broad = waves_round(N_430, p, axis, foot), w = waves_round(N_53, p, axis, foot);
    vec4 f = waves_round(N_6, p, axis, foot);
    // Once more, larger: what repeats every six metres is soon seen on a wall.
    vec4 larger = waves_round(N_6, 0.413 * p + 17.0, axis, 0.413 * foot);
    f = vec4(0.5 + 0.8 * (0.5 * (f.x + larger.x) - 0.5) * 1.4, 0.6 * f.yzw + 0.413 * 0.6 * larger.yzw);
    vec3 past = t.far == 0u ? vec3(0.0) : tile_past(dist);
    float close = clamp(1.5 - 12.0 * foot, 0.0, 1.0);
    Tile tile = Tile(vec3(0.0), 0.5, 0.0, vec2(0.0));
    if (past.x < 1.0) {
        tile = tile_near(t, close > 0.0);
        tile.albedo *= tile_tinted(t);
    }
    if (past.x > 0.0) {
        Tile far = tile_far(t, past.y + past.z);
        float x = past.x;
        tile = Tile(mix(tile.albedo, far.albedo, x), mix(tile.height, 0.5, x), mix(tile.relief, far.relief, x), tile.slope * (1.0 - x));
    }
    Surface s = Surface(vec3(0.0), n, 1.0, 0.0, 0.0);
    s.albedo = tile_in_land(tile.albedo, tile.relief, p, log2(NOISE_TEXELS * foot / 34.0), broad, w, f);
    s.wrap = 0.1 + 0.4 * tile_green(tile.albedo);
    vec3 rise = tile.relief * (0.35 * w.yzw + 0.22 * f.yzw);
    // The images' own relief: gradients of the tile's coordinates along the ground.
    vec3 sx = dFdx(at), sy = dFdy(at), across = cross(sy, n), along = cross(n, sx);
    float area = dot(sx, across);
    // Slivers, seen along their own plane, have no say.
    if (close > 0.0 && area * area > 1e-3 * dot(sx, sx) * dot(sy, sy)) {
        vec3 own = (tile.slope.x * (across * t.dx.x + along * t.dy.x) + tile.slope.y * (across * t.dx.y + along * t.dy.y)) / area;
        rise += close * own / max(length(own), 1.0);
    }
    s.normal = normalize(n - (rise - n * dot(rise, n)));
    s.micro = 1.0 + 0.3 * tile.relief * (f.x - 0.5) + 0.4 * (tile.height - 0.5);
    return s;
}
