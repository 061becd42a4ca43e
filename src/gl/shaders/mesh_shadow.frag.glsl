// How much of the light stays in a shadow, to be multiplied with what is on the screen. The depth comes from the plane
// and the pixel alone, so a second triangle of the same shadow is never nearer than the first: it darkens once.
flat in vec3 v_foot;
flat in vec3 v_up;
out vec4 o_colour;

uniform vec2 u_stand;  // lowest y of the model [m], 1 / its height

void main() {
    vec2 s = gl_FragCoord.xy * u_viewport.zw * 2.0 - 1.0;
    vec3 d = normalize(u_right.xyz * (s.x * u_right.w) + u_up.xyz * (s.y * u_up.w) - u_back.xyz);
    float slant = dot(d, v_up);
    if (slant > -1e-3) discard;  // the plane from below
    float dist = dot(v_foot - u_eye.xyz, v_up) / slant;
    vec3 at = u_eye.xyz + d * dist;
    // Ground is no plane: what is a little nearer still gets the shadow, but not the walls of a house.
    vec4 clip = u_clip * vec4(at - d * min(min(0.12 / u_stand.y, 0.35), 0.5 * dist), 1.0);
    gl_FragDepth = clip.z / clip.w;
    vec2 uv = map_uv(at.xz);
    vec3 sky = air_ambient(v_up), lit = sky + u_sunlight.rgb * max(dot(u_sun.xyz, v_up), 0.0);
    float share = map_sunlit(uv) * cloud_shadow(at);
    if ((u_lattice.w & KARST_SKY) != 0) share *= exp(-dist / 15000.0);  // in the air it pales
    // From light to the screen: the contrast of tone_map() over the gamma of sRGB.
    o_colour = vec4(mix(vec3(1.0), pow(0.8 * sky / lit, vec3(1.4 / 2.2)), share), 1.0);
}
