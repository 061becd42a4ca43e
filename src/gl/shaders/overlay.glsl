// Colours that say what the level of detail does; the keys come with the frame, see overlay.c.
#ifdef KARST_OVERLAY
in vec2 v_overlay;
flat in ivec4 v_mark;

vec3 key_between(float at, int last) {
    int k = clamp(int(at), 0, last - 1);
    return mix(u_key[k].rgb, u_key[k + 1].rgb, smoothstep(0.0, 1.0, at - float(k)));
}

vec3 overlay_colour(int bits, float dist) {
    if ((bits & KARST_LEVEL) != 0) {  // round and round
        int k = int(v_overlay.x);
        return mix(u_key[k & 7].rgb, u_key[(k + 1) & 7].rgb, smoothstep(0.0, 1.0, fract(v_overlay.x)));
    }
    if ((bits & KARST_ERROR) != 0) {
        float share = v_overlay.y / (u_key[0].w * dist);
        return share > 1.0 ? u_key[5].rgb : key_between(share * 4.0, 4);
    }
    if ((bits & KARST_METHOD) != 0) return u_key[v_mark.y].rgb * (v_mark.w != 0 ? 0.6 : 1.0);
    return v_mark.z != 0 ? u_key[4].rgb : key_between(float(v_mark.x) / u_key[1].w * 3.0, 3);
}
#endif
