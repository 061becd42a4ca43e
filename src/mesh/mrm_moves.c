// SPDX-License-Identifier: MIT
// Vertices that lie elsewhere at coarser levels: how far, in two bytes, and instances that follow.
//
// A code is how far a vertex lies from its place in the model: three numbers of four bits, times 2^e units. A record
// has the old code of the parent xor the new one, so that it serves both ways and jumps end where steps do.
#include <math.h>

#include "mesh/mrm.h"

enum { MOST = 7, EXPONENTS = 16 };
static const float farthest_m = 1e18f;  // as karst_model_check() has it

float kst_mrm_move_unit(double diagonal) {
    int exponent;
    frexp(diagonal, &exponent);
    return ldexpf(1, exponent - 21);
}

// The least exponent that holds all three.
bool kst_mrm_move_code(const double offset[3], float unit, uint16_t *code) {
    for (int e = 0; e < EXPONENTS; ++e) {
        double step = (double)unit * (1 << e);
        uint32_t bits = 0;
        bool fits = true;
        for (int k = 0; k < 3 && fits; ++k) {
            double x = floor(offset[k] / step + 0.5);
            fits = fabs(x) <= MOST;
            if (fits) bits |= ((uint32_t)(int)x & 15) << 4 * k;
        }
        if (!fits) continue;
        *code = (uint16_t)(bits ? bits | (uint32_t)e << 12 : 0);
        return true;
    }
    return false;
}

static float moved(float x, float unit, uint32_t bits, uint32_t exponent) {
    int number = (int)(bits & 15) - (bits & 8 ? 16 : 0);
    float to = x + (float)(number * (1 << exponent)) * unit;
    return to < -farthest_m ? -farthest_m : to > farthest_m ? farthest_m : to;
}

karst_vec3 kst_mrm_moved(karst_vec3 p, float unit, uint16_t code) {
    uint32_t c = code, e = c >> 12;
    return (karst_vec3){moved(p.x, unit, c, e), moved(p.y, unit, c >> 4, e), moved(p.z, unit, c >> 8, e)};
}

void kst_mrm_moves_change(uint16_t *move, const uint32_t *parent, const karst_model *model, uint32_t base_vertices,
                          uint16_t *code, bool back) {
    memset(code, 0, model->vertex_count * sizeof *code);
    uint32_t w = model->wedge_count;
    for (uint32_t v = model->vertex_count; v-- > base_vertices;) {
        uint32_t u = KST_NONE;
        for (; w > 0 && model->vertex[w - 1] == v; --w)
            if (parent[w - 1] != w - 1) u = model->vertex[parent[w - 1]];
        uint16_t *x = &move[v - base_vertices], was = *x;
        if (u == KST_NONE) {
            *x = back ? KST_MRM_STAYS : 0;
            continue;
        }
        if (back) {
            *x = was ? code[u] ^ was : KST_MRM_STAYS;
            code[u] ^= was;
        } else {
            *x = was == KST_MRM_STAYS ? 0 : code[u] ^ was;
            code[u] ^= *x;
        }
    }
}

// Vertex u lies elsewhere: so do all its wedges.
static void move_wedges(karst_mrm_instance *i, uint32_t wedge, uint16_t change) {
    const karst_mrm *m = i->mrm;
    const uint32_t *vertex = m->model->vertex;
    uint32_t u = vertex[wedge], wedges = m->model->wedge_count;
    i->codes[u] ^= change;
    karst_vec3 p = kst_mrm_moved(m->model->position[u], m->move_unit, i->codes[u]);
    while (wedge > 0 && vertex[wedge - 1] == u) --wedge;
    for (; wedge < wedges && vertex[wedge] == u; ++wedge) i->place[wedge] = p;
}

void kst_mrm_move_between(karst_mrm_instance *i, uint32_t from, uint32_t to) {
    const karst_mrm *m = i->mrm;
    const uint32_t *vertex = m->model->vertex;
    for (uint32_t w = from; w < to;) {
        uint32_t v = vertex[w], parent = KST_NONE;
        for (; w < to && vertex[w] == v; ++w) {
            uint32_t p = m->record[w - m->base_wedges].parent;
            if (p != w) parent = p;
        }
        uint16_t change = m->move[v - m->base_vertices];
        if (change && parent != KST_NONE) move_wedges(i, parent, change);
    }
}
