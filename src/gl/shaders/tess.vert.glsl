// Method tess: one vertex a patch, which says what patch it is.
layout(location = 0) in uvec2 a_patch;
layout(location = 1) in uint a_chunk;
layout(location = 2) in vec4 a_corner;
#ifdef KARST_OVERLAY
layout(location = 3) in vec4 a_error;
#endif
out ivec3 c_patch;
out vec4 c_corner;
#ifdef KARST_OVERLAY
out vec4 c_error;
#endif

void main() {
    c_patch = ivec3(a_patch, a_chunk);
    c_corner = a_corner;
#ifdef KARST_OVERLAY
    c_error = a_error;
#endif
    gl_Position = vec4(0.0);
}
