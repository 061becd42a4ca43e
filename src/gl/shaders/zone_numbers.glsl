// Numbers of a frame of zones. Twin: kst_zone_numbers in ../zones.h.
layout(std430, binding = 2) readonly buffer Numbers {
    ivec4 n_counts;        // eyes; bits of a fine step [m]; instances; first row of zones
    ivec4 n_eye[16];       // base of eye 0 less that of this eye [fine steps]
    vec4 n_fraction[16];   // the rest [m]; of eye 0 that of the frame's origin
    vec4 n_ramps[64][2];   // by size class: from, scale of two classes a row
    ivec4 n_zone[];        // by slot: offset; first level, of method bisect first row of its pieces
};
