// A patch of ground: 17 x 17 vertices, gl_VertexID is the index that karst_patch_indices() gives.
layout(location = 0) in uvec2 a_patch;
layout(location = 1) in uint a_chunk;
layout(location = 2) in vec4 a_corner;
#ifdef KARST_OVERLAY
layout(location = 3) in vec4 a_error;
#endif

void main() {
    begin_patch(ivec2(a_patch), int(a_chunk), a_corner);
#ifdef KARST_OVERLAY
    g_error = a_error;
#endif
    give_vertex(on_edges(ivec2(gl_VertexID % 17, gl_VertexID / 17)));
}
