// A tile corner of a piece, for the depth maps of sun and sky.
layout(std430, binding = 1) readonly buffer Casters { uvec2 casters[]; };  // row of a piece, zone

uniform mat4 u_light;  // clip from the origin of zones
uniform int u_first;   // caster

void main() {
    uvec2 caster = casters[u_first + gl_InstanceID];
    ivec3 place = ivec3(pool[pool[caster.x].x + uint(gl_VertexID)].xyz) + n_zone[caster.y].xyz;
    gl_Position = u_light * vec4(vec3(place) * intBitsToFloat(n_counts.y) - n_fraction[0].xyz, 1.0);
}
