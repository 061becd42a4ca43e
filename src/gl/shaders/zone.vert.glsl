// A vertex that zone.comp.glsl made, or a corner of a triangle of method bisect.
uniform ivec2 u_run;   // first vertex of the batch, vertices an instance; -1: method bisect
uniform vec3 u_shift;  // from the origin of zones to that of the frame [m]

out vec3 v_at;      // relative to the frame's origin [m]
out vec3 v_normal;
out vec2 v_st;      // in the patch
out float v_level;  // of detail
flat out uint v_piece;
invariant gl_Position;

void main() {
    uvec4 a;
    if (u_run.y < 0) {
        Corner corner = corner_of(gl_VertexID);
        a = corner.drawn;
        v_normal = corner.normal;
        v_st = corner.st;
        v_piece = corner.row;
        v_level = corner.level;
    } else {
        int at = 2 * (u_run.x + gl_InstanceID * u_run.y + gl_VertexID);
        uvec4 b = vertices[at + 1];
        a = vertices[at];
        v_normal = facing_vector(a.w);
        v_st = vec2(b.x & 0xFFFFu, b.x >> 16u) / 65535.0;
        v_piece = b.z;
        v_level = uintBitsToFloat(b.w);
    }
    KARST_PRECISE vec3 place = uintBitsToFloat(a.xyz) + u_shift;
    v_at = place;
    KARST_PRECISE vec4 clip = u_clip * vec4(place, 1.0);
    clip.z *= 1.0 + u_wire.w;
    gl_Position = clip;
}
