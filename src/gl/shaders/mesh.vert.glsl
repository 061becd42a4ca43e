// A wedge of a mesh, in the place of an instance.
layout(location = 0) in vec3 a_place;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec4 a_colour;
layout(location = 3) in vec4 a_row_x;  // rows of the matrix from the model into the frame [m]
layout(location = 4) in vec4 a_row_y;
layout(location = 5) in vec4 a_row_z;

uniform vec2 u_stand;  // lowest y of the model [m], 1 / its height

out vec3 v_at;      // relative to the frame's origin [m]
out vec3 v_normal;  // length 0: the triangle's
out vec4 v_paint;   // rgb linear; how far up the model 0..1
invariant gl_Position;

void main() {
    vec3 place = a_place, normal = a_normal, colour = a_colour.rgb;
    if (a_share < 1.0) {
        uint wedge;
        place = between(place, coarse_place(wedge));
        uvec4 face = wedge_texel(u_wedge_face, wedge);
        normal = between(normal, uintBitsToFloat(face.xyz));
        colour = between(colour, vec3(uvec3(face.w, face.w >> 8u, face.w >> 16u) & 255u) / 255.0);
    }
    vec4 p = vec4(place, 1.0);
    v_at = vec3(dot(a_row_x, p), dot(a_row_y, p), dot(a_row_z, p));
    v_normal = vec3(dot(a_row_x.xyz, normal), dot(a_row_y.xyz, normal), dot(a_row_z.xyz, normal));
    v_paint = vec4(colour, (place.y - u_stand.x) * u_stand.y);
    KARST_PRECISE vec4 clip = u_clip * vec4(v_at, 1.0);
    clip.z *= 1.0 + u_wire.w;
    gl_Position = clip;
}
