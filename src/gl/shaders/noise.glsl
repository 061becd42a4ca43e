// Two generated tiles, read at many scales, each under a rotation of its own. A scale that is smaller than a pixel
// melts to its mean and its gradient to nothing. Twin of the tiles: ../noise.c.
uniform sampler2D u_waves;  // value 0..1, gradient along u and v [1/tile]
uniform sampler2D u_cells;  // 14 x 14 domes: height 0..1, gradient [1/tile], a number of its own

const float NOISE_TEXELS = 512.0;
const int N_5200 = 0, N_430 = 1, N_53 = 2, N_6 = 3, N_1 = 4, C_100 = 5, N_CLOUD = 6, N_CLOUD_FINE = 7, N_STRATA = 8,
          N_WATER = 9, N_GUST = 10, C_61 = 11;

vec2 noise_uv(int k, vec2 p) {
    vec4 n = u_noise[k];
    return vec2(n.x * p.x - n.y * p.y, n.y * p.x + n.x * p.y) + n.zw;
}
float noise_lod(int k, float foot) { return log2(NOISE_TEXELS * foot * length(u_noise[k].xy)); }

// x: value 0..1; yz: slope along x and z [1/m].
vec3 noise_waves(int k, vec2 p, float foot) {
    vec3 t = textureLod(u_waves, noise_uv(k, p), noise_lod(k, foot)).xyz;
    vec4 n = u_noise[k];
    return vec3(t.x, n.x * t.y + n.y * t.z, n.x * t.z - n.y * t.y);
}
vec4 noise_cells(int k, vec2 p, float foot) {
    vec4 t = textureLod(u_cells, noise_uv(k, p), noise_lod(k, foot));
    vec4 n = u_noise[k];
    return vec4(t.x, n.x * t.y + n.y * t.z, n.x * t.z - n.y * t.y, t.w);
}
