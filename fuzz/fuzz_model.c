// SPDX-License-Identifier: MIT
// Models of hostile numbers: what karst_model_check() lets through is cleaned, creased and looked at without a fault.
// Bytes: counts, flags, then what the arrays hold, in turn.
#include "core/core.h"
#include "karst/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fill(kst_reader *r, void *array, size_t bytes) {
    size_t left = (size_t)(r->end - r->at), some = bytes < left ? bytes : left;
    if (some) memcpy(array, kst_read_bytes(r, some), some);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    kst_reader r = {bytes, bytes + size, false};
    uint8_t flags = kst_read_u8(&r), small = kst_read_u8(&r);
    karst_model_size counts = {
        .vertices = kst_read_u8(&r),
        .wedges = kst_read_u8(&r),
        .triangles = kst_read_u8(&r),
        .materials = flags & 1,
        .joints = flags >> 1 & 1,
        .uv_sets = flags >> 2 & 3,
        .normals = flags >> 4 & 1,
        .colours = flags >> 5 & 1,
    };
    karst_model *m, *creased;
    if (karst_model_create(&counts, NULL, NULL, &m)) return 0;
    // Indices are one byte each, so that most are in range; with `small` so are coordinates.
    for (uint32_t w = 0; w < counts.wedges; ++w) m->vertex[w] = kst_read_u8(&r);
    for (uint32_t t = 0; t < counts.triangles; ++t)
        for (int k = 0; k < 3; ++k) m->triangle[t][k] = kst_read_u8(&r);
    for (uint32_t v = 0; v < counts.vertices && small; ++v)
        m->position[v] = (karst_vec3){(float)(kst_read_u8(&r) % 4), (float)(kst_read_u8(&r) % 4) * 0.3f, 0};
    if (!small) fill(&r, m->position, counts.vertices * sizeof *m->position);
    for (uint32_t v = 0; m->skin && v < counts.vertices; ++v) m->skin[v].weight[0] = UINT16_MAX;
    if (m->joint) m->joint[0].parent = -1;
    if (m->normal) fill(&r, m->normal, counts.wedges * sizeof *m->normal);
    for (int k = 0; k < counts.uv_sets; ++k) fill(&r, m->uv[k], counts.wedges * sizeof *m->uv[k]);
    karst_model_clean_def def = karst_model_clean_def_default();
    def.merge_m = flags & 64 ? 0.35 : flags & 128 ? 1e-30 : 0;
    def.drop_flat = small & 1;
    karst_model_facts facts;
    bool sound = !karst_model_check(m, NULL);
    if (!karst_model_crease(m, (double)small / 100, NULL, &creased)) {
        if (!sound || karst_model_check(creased, NULL)) __builtin_trap();
        karst_model_destroy(creased);
    }
    if (!karst_model_clean(m, &def, NULL) && (!sound || karst_model_check(m, NULL))) __builtin_trap();
    if (sound && karst_model_look(m, NULL, &facts)) __builtin_trap();
    karst_model_destroy(m);
    return 0;
}
