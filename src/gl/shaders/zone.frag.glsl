// Ground of patches: material, light, air.
in vec3 v_at;
in vec3 v_normal;
in vec2 v_st;
in float v_level;
flat in uint v_piece;
out vec4 o_colour;

void main() {
#ifdef KARST_PLAIN  // tests of shape alone
    o_colour = vec4(0.0, 1.0, 0.0, 1.0);
    return;
#endif
    int bits = u_lattice.w;
    vec3 to_eye = u_eye.xyz - v_at;
    float dist = length(to_eye);
    if ((bits & KARST_WIRE) != 0) {
        vec3 line = u_wire.rgb / PI * (u_sunlight.rgb * max(u_sun.y, 0.0) + air_ambient(vec3(0.0, 1.0, 0.0)));
        if ((bits & KARST_SKY) != 0)
            line = air_between(line, -to_eye / dist, air_height(u_eye.y), air_height(v_at.y), dist);
        o_colour = vec4((bits & KARST_FLAT) != 0 ? tone_srgb(u_wire.rgb) : tone_map(line), 1.0);
        return;
    }
    if ((bits & KARST_FLAT) != 0) {  // by the triangle, so that shape alone is seen
        vec3 across = normalize(cross(dFdx(v_at), dFdy(v_at)));
        float shade = 0.55 + 0.45 * dot(across, normalize(vec3(0.4, 0.7, -0.6)));
        o_colour = vec4(tone_srgb(vec3(shade)), 1.0);
        return;
    }
    vec3 n = normalize(v_normal);
    float facing = dist * u_up.w * 2.0 * u_viewport.w;  // metres a pixel covers
    float foot = facing / sqrt(clamp(dot(n, to_eye) / dist, 0.05, 1.0));
    TilePlace tile = tile_place(v_piece, v_st);
#ifdef KARST_TILE_COLOUR  // tests of tiles alone
    o_colour = vec4(tone_srgb(tile_near(tile, false).albedo), 1.0);
    return;
#endif
    Surface s = zone_surface(tile, v_at, n, dist, foot);
    vec2 open = zone_sky(v_at, n);
    float visible = zone_sunlit(v_at, n) * cloud_shadow(v_at);
    if ((bits & KARST_LEVEL) != 0) {  // round and round, as of the field's ground
        int k = int(v_level);
        vec3 key = mix(u_key[k & 7].rgb, u_key[(k + 1) & 7].rgb, smoothstep(0.0, 1.0, fract(v_level)));
        s.albedo = mix(s.albedo, key * 0.5, 0.7);
    }
    if ((bits & KARST_BANDS) != 0) s.albedo = mix(s.albedo, band_colour(tile.far, dist) * 0.5, 0.7);
    // What the ground throws back in the open does not come far into a cave.
    // There it comes from wherever the eye does.
    float dark = 1.0 - max(visible, smoothstep(0.0, 0.5, max(open.x, open.y)));
    vec3 c = light_on(s, s.normal, visible, sqrt(open.x));
    c = mix(c, vec3(tone_light(c)) * vec3(1.04, 1.0, 0.92), 0.45 * dark);
    c *= mix(1.0, 0.55 * (0.5 + 0.8 * dot(s.normal, to_eye / dist)), dark);
    float beside = u_beside && (bits & (KARST_LEVEL | KARST_BANDS)) == 0 ? beside_share(v_at, n) : 0.0;
    if (beside > 0.0) {
        vec3 n_field = n;
        float open_field;
        Surface f = beside_surface(v_at, foot, n_field, open_field);
        c = mix(c, light_on(f, n_field, visible, open_field), beside);
    }
    if ((bits & KARST_SKY) != 0) c = air_between(c, -to_eye / dist, air_height(u_eye.y), air_height(v_at.y), dist);
    o_colour = vec4(tone_map(c), 1.0);
}
