// Triangles of method bisect whose piece a view sees, in their order, as an index list of their corners. A first pass
// counts those of each group; the second puts them behind those of all groups before it, and the last group knows how
// many there are.
layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer Seen { uint seen[]; };            // by slot: where its bits begin; bits by piece
layout(std430, binding = 1) readonly buffer Triangles { uint triangles[]; };  // karst_zone_triangle, six words each
layout(std430, binding = 2) buffer Counts { uint counts[]; };                 // by group
layout(std430, binding = 3) writeonly buffer Corners { uint corners[]; };
layout(std430, binding = 4) writeonly buffer Command { uint command[]; };     // of an indexed draw

uniform uint u_count;   // triangles
uniform uint u_groups;  // of 128 times 32 triangles
uniform uint u_put;     // 0: the first pass

shared uint sums[128];

bool is_seen(uint t) {
    uint at = 6u * t, place = triangles[at + 3u];
    if (triangles[at] == triangles[at + 1u]) return false;  // a free one
    return (seen[seen[place & 0xFFFFu] + (place >> 21u)] >> (place >> 16u & 31u) & 1u) != 0u;
}

void main() {
    uint group = gl_WorkGroupID.x, i = gl_LocalInvocationID.x, first = (group * 128u + i) * 32u, mask = 0u;
    for (uint k = 0u; k < 32u; ++k)
        if (first + k < u_count && is_seen(first + k)) mask |= 1u << k;
    uint own = uint(bitCount(mask));
    sums[i] = own;
    barrier();
    for (uint step = 1u; step < 128u; step *= 2u) {
        uint below = i >= step ? sums[i - step] : 0u;
        barrier();
        sums[i] += below;
        barrier();
    }
    uint before = sums[i] - own, all = sums[127];
    if (u_put == 0u) {
        if (i == 0u) counts[group] = all;
        return;
    }
    barrier();
    uint sum = 0u;
    for (uint g = i; g < group; g += 128u) sum += counts[g];
    sums[i] = sum;
    barrier();
    for (uint half_ = 64u; half_ > 0u; half_ /= 2u) {
        if (i < half_) sums[i] += sums[i + half_];
        barrier();
    }
    uint at = 3u * (sums[0] + before);
    for (; mask != 0u; mask &= mask - 1u, at += 3u) {
        uint corner = 3u * (first + uint(findLSB(mask)));
        for (uint c = 0u; c < 3u; ++c) corners[at + c] = corner + c;
    }
    if (group + 1u == u_groups && i == 0u) {
        command[0] = 3u * (sums[0] + all), command[1] = 1u;
        command[2] = 0u, command[3] = 0u, command[4] = 0u;
    }
}
