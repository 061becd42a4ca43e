// Where nothing else was drawn: mirrored land, or sky.
in vec2 v_screen;
out vec4 o_colour;
void main() {
    if ((u_lattice.w & KARST_SKY) == 0) {
        o_colour = vec4(u_background.rgb, 1.0);
        return;
    }
    vec3 d = normalize(u_right.xyz * (v_screen.x * u_right.w) + u_up.xyz * (v_screen.y * u_up.w) - u_back.xyz);
    float t = (u_lattice.w & KARST_SURROUND) != 0 ? surround_hit(u_eye.xyz, d, 150000.0) : 0.0;
    vec3 c;
    if (t > 0.0) {
        vec3 at = u_eye.xyz + d * t;
        at.y = map_height(map_uv(at.xz));
        float foot = t * u_up.w * 2.0 * u_viewport.w;
        c = air_between(land_seen(at, 2.0 * foot), d, air_height(u_eye.y), air_height(at.y), t);
    } else {
        c = cloud_over(air_sky(d) + (d.y > -0.01 ? air_disc(d) : vec3(0.0)), u_eye.xyz, d);
    }
    o_colour = vec4(tone_map(c), 1.0);
}
