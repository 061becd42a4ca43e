// Method tess: one vertex a patch, which says what patch it is.
layout(location = 0) in uvec2 a_patch;
layout(location = 1) in uint a_chunk;
layout(location = 2) in vec4 a_corner;
out ivec3 c_patch;
out vec4 c_corner;

void main() {
    c_patch = ivec3(a_patch, a_chunk);
    c_corner = a_corner;
    gl_Position = vec4(0.0);
}
