// Method tess: how finely a patch is cut. Outer and inner levels agree, so the tessellator has no seam of its own to
// stitch in a way of its own; edges that are coarser collapse in tess.tese.glsl.
#ifdef KARST_NO_TESSELLATION
#error no tessellation here
#endif
layout(vertices = 1) out;
in ivec3 c_patch[];
in vec4 c_corner[];
patch out ivec3 p_patch;
patch out vec4 p_corner;
#ifdef KARST_OVERLAY
in vec4 c_error[];
patch out vec4 p_error;
#endif

void main() {
    p_patch = c_patch[0];
    p_corner = c_corner[0];
#ifdef KARST_OVERLAY
    p_error = c_error[0];
#endif
    float level = min(min(p_corner.x, p_corner.y), min(p_corner.z, p_corner.w));
    int cells = 16 >> int(level);
    // Half columns carry the diagonals. A single cell is cut in four: an inner level of one beside an outer one of two
    // is not a thing a tessellator can be asked for.
    vec2 parts = cells > 1 ? vec2(2 * cells, cells) : vec2(2.0);
    gl_TessLevelOuter[0] = parts.y;
    gl_TessLevelOuter[1] = parts.x;
    gl_TessLevelOuter[2] = parts.y;
    gl_TessLevelOuter[3] = parts.x;
    gl_TessLevelInner[0] = parts.x;
    gl_TessLevelInner[1] = parts.y;
}
