// Method tess: the triangles of karst_patch_indices() from any tessellator, whichever diagonals it takes.
//
// A patch of n x n cells is cut into 2n x n parts. The vertex in the middle of a cell's side moves to that end whose
// indices have an even sum, which is where the cell's diagonal ends:
//
//     even   odd    even          +------+------+
//      +--<--+-->----+            | \    |    / |      of the two halves of a cell each becomes one triangle
//      | \     |   / |            |   \  |  /   |      and one that has no area, by either diagonal
//      +-->--+--<----+            +------+------+
//     odd    even   odd
layout(quads, equal_spacing, cw) in;
patch in ivec3 p_patch;
patch in vec4 p_corner;
#ifdef KARST_OVERLAY
patch in vec4 p_error;
#endif

ivec2 lattice_vertex() {
    int level = int(g_inner), cells = 16 >> level;
    if (cells == 1) {  // four parts round a middle: it goes where the diagonal starts, the sides' go to either end
        ivec2 k = ivec2(floor(gl_TessCoord.xy * 2.0 + 0.5));
        return k == ivec2(1) ? ivec2(16 * g_parity, 0) : (k >> 1) * 16;
    }
    int k = int(floor(gl_TessCoord.x * float(2 * cells) + 0.5)), j = int(floor(gl_TessCoord.y * float(cells) + 0.5));
    int i = k >> 1;
#ifndef KARST_HALF_LEFT  // the control of the twin test
    if ((k & 1) != 0) i += (i + j) & 1;
#endif
    return ivec2(i, j) << level;
}

void main() {
    begin_patch(p_patch.xy, p_patch.z, p_corner);
#ifdef KARST_OVERLAY
    g_error = p_error;
#endif
    give_vertex(on_edges(lattice_vertex()));
}
