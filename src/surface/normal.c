// SPDX-License-Identifier: MIT
// Normals in sixteen bits: an octahedron round the y axis, unfolded onto a square of 255 x 255 codes.
//
// After: Z. H. Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors", JCGT 2014.
// We differ: y is up, zero has a code of its own, and the nearest of the nine codes round a normal is taken.
#include <math.h>

#include "karst/chunk.h"

static float fold(float value, float amount) {
    return value >= 0 ? value - amount : value + amount;
}

// Byte 0 is never written; read, it counts as 1.
static float coordinate(int byte) {
    float value = (float)(byte - 128) * (1.0f / 127.0f);
    return value < -1 ? -1 : value;
}

karst_vec3 karst_normal_decode(uint16_t code) {
    float x = coordinate(code & 255), z = coordinate(code >> 8);
    float y = 1.0f - fabsf(x) - fabsf(z);
    if (y < 0) {
        float amount = -y;
        x = fold(x, amount);
        z = fold(z, amount);
    }
    float length = sqrtf(x * x + y * y + z * z);
    return (karst_vec3){x / length, y / length, z / length};
}

uint16_t karst_normal_encode(karst_vec3 normal) {
    float sum = fabsf(normal.x) + fabsf(normal.y) + fabsf(normal.z);
    if (!(sum > 0)) return 128 | 128 << 8;  // straight up
    float x = normal.x / sum, z = normal.z / sum;
    if (normal.y < 0) {
        float old = x;
        x = copysignf(1.0f - fabsf(z), x);
        z = copysignf(1.0f - fabsf(old), z);
    }
    int i = (int)floorf(x * 127.0f + 128.5f), j = (int)floorf(z * 127.0f + 128.5f);
    uint16_t best = 0;
    float most = -INFINITY;
    for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) {
            int a = i + di, b = j + dj;
            if (a < 1 || a > 255 || b < 1 || b > 255) continue;
            karst_vec3 n = karst_normal_decode((uint16_t)(a | b << 8));
            float dot = n.x * normal.x + n.y * normal.y + n.z * normal.z;
            if (dot > most) most = dot, best = (uint16_t)(a | b << 8);
        }
    return best;
}
