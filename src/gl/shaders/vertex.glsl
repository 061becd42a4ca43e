// What a vertex of ground tells the fragments, whichever stage makes it.
invariant gl_Position;
out vec3 v_at;         // relative to the frame's origin [m]
out vec2 v_cell;       // field coordinates from the chunk's first vertex [cells]
#ifdef KARST_VERTEX_NORMALS
out vec3 v_normal;
#endif
#if defined(KARST_VERTEX_NORMALS) || defined(KARST_HOLES)
out vec2 v_shade;      // occlusion, opacity
#endif
#ifdef KARST_OVERLAY
out vec2 v_overlay;       // level of detail; error [m]
flat out ivec4 v_mark;    // slot, lattice of the batch, 1 where finer chunks are awaited, parity of the patch
vec4 g_error;             // at the corners of the patch [m]
#endif
flat out ivec2 v_first;   // field coordinates of the chunk's first vertex
flat out ivec3 v_patch;   // the patch's first cell in the chunk, and one less than its cells
flat out vec3 v_mirror;   // -1 along an axis in the skirt, else 1; how exact v_cell is

// Vertex v of the patch that begin_patch() began.
void give_vertex(ivec2 v) {
    v_at = drawn_0(v);
    v_cell = vec2((g_first + v) << g_chunk.w);
    v_first = texelFetch(u_chunks, ivec2(1, g_row), 0).xy;
    v_patch = ivec3(g_first << g_chunk.w, (16 << g_chunk.w) - 1);
    v_mirror = vec3(g_mirror, float(64 << g_chunk.w) * (1.0 / 262144.0));
#ifdef KARST_VERTEX_NORMALS
    v_normal = normal_of(v);
#endif
#if defined(KARST_VERTEX_NORMALS) || defined(KARST_HOLES)
    v_shade = shade_of(v);
#endif
#ifdef KARST_OVERLAY
    vec2 s = vec2(v) / 16.0;
    v_overlay.x = float(g_chunk.w) + mix(mix(g_corner.x, g_corner.y, s.x), mix(g_corner.w, g_corner.z, s.x), s.y);
    v_overlay.y = mix(mix(g_error.x, g_error.y, s.x), mix(g_error.w, g_error.z, s.x), s.y);
    int slot = texelFetch(u_chunks, ivec2(1, g_row), 0).z;
    v_mark = ivec4(slot & 0xFFFF, int(g_inner), slot >> 16, g_parity);
#endif
    KARST_PRECISE vec4 clip = u_clip * vec4(v_at, 1.0);
    clip.z *= 1.0 + u_wire.w;
    gl_Position = clip;
}
