// A level plane out to far beyond the horizon: four corners round the eye.
void main() {
    vec2 corner = vec2((gl_VertexID & 1) == 0 ? -1.0 : 1.0, (gl_VertexID & 2) == 0 ? -1.0 : 1.0);
    vec3 at = vec3(u_eye.x + corner.x * 400000.0, u_lines.z - u_back.w, u_eye.z + corner.y * 400000.0);
    gl_Position = u_clip * vec4(at, 1.0);
}
