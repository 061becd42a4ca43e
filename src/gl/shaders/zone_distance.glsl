// Distances and the levels that follow from them, with the bits of the CPU.

// Where a place is drawn before it moves, relative to the frame's origin: kst_zone_drawn() in src/lod/zone_scene.h.
vec3 drawn_at(ivec3 from_base) {
    KARST_PRECISE vec3 at = vec3(from_base) * intBitsToFloat(n_counts.y) - n_fraction[0].xyz;
    return at;
}

// Least squared distance of a place to an eye [m^2].
float distance2(ivec3 from_base) {
    float fine_m = intBitsToFloat(n_counts.y), least = 3.4e38;
    for (int v = 0; v < n_counts.x; ++v) {
        KARST_PRECISE vec3 d = vec3(from_base + n_eye[v].xyz) * fine_m - n_fraction[v].xyz;
        KARST_PRECISE float d2 = d.x * d.x + d.y * d.y + d.z * d.z;
        least = d2 < least ? d2 : least;
    }
    return least;
}

// karst_zone_reciprocal(), operation by operation.
float reciprocal(float d2) {
    float a = d2 > 1e-12 ? d2 : 1e-12;
    KARST_PRECISE float y = uintBitsToFloat(0x7EF311C7u - floatBitsToUint(a));
    y = y * (2.0 - a * y);
    y = y * (2.0 - a * y);
    y = y * (2.0 - a * y);
    return y;
}

// karst_zone_tile_level(), likewise.
float tile_level(int size, float d2) {
    float y = reciprocal(d2);
    KARST_PRECISE float x = 0.0;
    for (int k = 0; k < 2; ++k) {
        vec4 r = n_ramps[size][k];
        KARST_PRECISE float w = (r.x - y) * r.y;
        x = x + (w > 0.0 ? w < 1.0 ? w : 1.0 : 0.0);
        KARST_PRECISE float u = (r.z - y) * r.w;
        x = x + (u > 0.0 ? u < 1.0 ? u : 1.0 : 0.0);
    }
    return x;
}
