// A wedge of a mesh, cast by the sun on the plane of the ground on which its instance stands.
layout(location = 0) in vec3 a_place;
layout(location = 3) in vec4 a_row_x;
layout(location = 4) in vec4 a_row_y;
layout(location = 5) in vec4 a_row_z;
layout(location = 6) in vec3 a_plane;  // normal; 0: no shadow

flat out vec3 v_foot;  // a point of the plane, relative to the frame's origin [m]
flat out vec3 v_up;    // its normal

void main() {
    uint wedge;
    vec4 p = vec4(a_share < 1.0 ? between(a_place, coarse_place(wedge)) : a_place, 1.0);
    vec3 at = vec3(dot(a_row_x, p), dot(a_row_y, p), dot(a_row_z, p));
    v_foot = vec3(a_row_x.w, a_row_y.w, a_row_z.w);
    v_up = a_plane;
    // A low sun is taken to be a little higher: a long shadow would leave the ground that the plane stands for.
    float h = dot(at - v_foot, v_up), sine = dot(u_sun.xyz, v_up);
    at -= v_up * h + (u_sun.xyz - v_up * sine) * (max(h, 0.0) / max(sine, 0.25));
    gl_Position = a_plane.y > 0.0 ? u_clip * vec4(at, 1.0) : vec4(0.0, 0.0, -1.0, 0.0);
}
