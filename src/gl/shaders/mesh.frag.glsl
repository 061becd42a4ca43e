// A mesh: one colour a material, in the light of the ground it stands on.
in vec3 v_at;
in vec3 v_normal;
in vec4 v_paint;
out vec4 o_colour;

uniform vec3 u_material;

void main() {
    int bits = u_lattice.w;
    vec3 to_eye = u_eye.xyz - v_at;
    float dist = length(to_eye);
    Surface s = Surface(u_material * v_paint.rgb, normalize(cross(dFdx(v_at), dFdy(v_at))), 1.0, 0.0, 0.0);
    if (dot(v_normal, v_normal) > 0.0) s.normal = normalize(v_normal);
    if (dot(s.normal, to_eye) < 0.0 && !gl_FrontFacing) s.normal = -s.normal;  // the inside of a thin part
    if ((bits & KARST_WIRE) != 0) s.albedo = u_wire.rgb;
    if ((bits & KARST_FLAT) != 0) {
        float shade = 0.55 + 0.45 * dot(s.normal, normalize(vec3(0.4, 0.7, -0.6)));
        o_colour = vec4(tone_srgb(s.albedo * shade), 1.0);
        return;
    }
    vec2 uv = map_uv(v_at.xz);
    // Near the ground less of the sky is seen.
    float open = textureLod(u_relief_map, uv, 0.0).x * mix(0.35, 1.0, smoothstep(0.0, 0.6, v_paint.w));
    vec3 c = light_on(s, s.normal, map_sunlit(uv) * cloud_shadow(v_at), open);
    if ((bits & KARST_SKY) != 0) c = air_between(c, -to_eye / dist, air_height(u_eye.y), air_height(v_at.y), dist);
    o_colour = vec4(tone_map(c), 1.0);
}
