// Points of method bisect where they are drawn: the twin of karst_zone_frame_point() in src/lod/zone_bisect_frame.c; a
// change here is a change there. A pass does those that are as many edges away from corners of pieces, which never
// move; so the ends of a point's edge are done before it. See docs/patch.md, Bisection.
layout(local_size_x = 64) in;

layout(std430, binding = 3) readonly buffer Points { uvec4 points[]; };  // two rows: place and depth; ends and ramp
layout(std430, binding = 5) buffer Drawn { uvec4 drawn[]; };             // place, weight and distance as halves

uniform ivec3 u_base;  // karst_zone_frame.base
uniform uint u_count;  // points
uniform uint u_depth;  // of this pass

void main() {
    uint k = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64u + gl_LocalInvocationID.x;
    if (k >= u_count) return;
    uvec4 p = points[2u * k];
    if (p.w != u_depth) return;
    uvec4 more = points[2u * k + 1u];
    float from = uintBitsToFloat(more.z), scale = uintBitsToFloat(more.w);
    ivec3 steps = ivec3(p.xyz) - u_base;
    vec3 place = drawn_at(steps);
    float d2 = distance2(steps);
    KARST_PRECISE float w = 0.0;
    if (scale > 0.0) w = (from - reciprocal(d2)) * scale;
#ifdef KARST_POINTS_STAY  // the control of the test of twins
    w = 0.0;
#endif
    if (w > 0.0) {
        vec3 a = uintBitsToFloat(drawn[more.x].xyz), b = uintBitsToFloat(drawn[more.y].xyz);
        KARST_PRECISE vec3 m = 0.5 * (a + b);
        KARST_PRECISE vec3 moved = place + w * (m - place);
        place = w >= 1.0 ? m : moved;
    }
    drawn[k] = uvec4(floatBitsToUint(place), packHalf2x16(vec2(clamp(w, 0.0, 1.0), min(sqrt(d2), 60000.0))));
}
