// Geomorphs: between two levels a wedge stands between its own place and that of the wedge that it is at the coarser.
layout(location = 7) in float a_share;  // of its own place; 1: no geomorph
layout(location = 8) in uint a_coarse;  // wedges of the coarser level

uniform usampler2D u_wedge_place;  // bits of the place at the coarser level [m]; the wedge that it becomes
uniform usampler2D u_wedge_face;   // bits of the normal; colour

uvec4 wedge_texel(usampler2D from, uint wedge) {
    return texelFetch(from, ivec2(int(wedge & 4095u), int(wedge >> 12u)), 0);
}

// The place at the coarser level, and the wedge there.
vec3 coarse_place(out uint wedge) {
    wedge = uint(gl_VertexID);
    uvec4 t = wedge_texel(u_wedge_place, wedge);
    while (wedge >= a_coarse && t.w != wedge) {
        wedge = t.w;
        t = wedge_texel(u_wedge_place, wedge);
    }
    return uintBitsToFloat(t.xyz);
}

// Equal ends give what they are, to the bit.
vec3 between(vec3 own, vec3 coarse) {
    return own + (coarse - own) * (1.0 - a_share);
}
