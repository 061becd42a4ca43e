// One triangle over the whole view, at the far end of the reversed depth.
out vec2 v_screen;
void main() {
    vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    v_screen = p;
    gl_Position = vec4(p, 0.0, 1.0);
}
