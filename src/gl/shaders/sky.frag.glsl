// Sky where nothing else was drawn.
in vec2 v_screen;
out vec4 o_colour;
void main() {
    if ((u_lattice.w & KARST_SKY) == 0) {
        o_colour = vec4(u_background.rgb, 1.0);
        return;
    }
    vec3 d = normalize(u_right.xyz * (v_screen.x * u_right.w) + u_up.xyz * (v_screen.y * u_up.w) - u_back.xyz);
    vec3 c = cloud_over(air_sky(d) + (d.y > -0.01 ? air_disc(d) : vec3(0.0)), u_eye.xyz, d);
    o_colour = vec4(tone_map(c), 1.0);
}
