// SPDX-License-Identifier: MIT
// Methods: their names, and what they share.
#include "method.h"

static const char *const names[KARST_METHOD_COUNT] = {
    [KARST_METHOD_GRID] = "grid", [KARST_METHOD_TESS] = "tess", [KARST_METHOD_RINGS] = "rings"};

const char *karst_method_name(karst_method method) {
    KARST_ASSERT((unsigned)method < KARST_METHOD_COUNT);
    return names[method];
}

bool karst_method_find(const char *name, karst_method *out) {
    for (int k = 0; k < KARST_METHOD_COUNT; ++k)
        if (!strcmp(name, names[k])) {
            *out = (karst_method)k;
            return true;
        }
    return false;
}

// Square of the error that a node leaves over the error allowed there. Never above its parent's: reaches and errors
// hold those of the finer nodes. What no view sees comes later.
static float urgency_of(const kst_method *m, const kst_leaf *node) {
    const karst_node *n = &m->cut.tree.nodes[node->level][(int64_t)node->z * m->cut.tree.grid_x[node->level] + node->x];
    float u = n->error * n->error / kst_more(kst_allowed_squared(n, m->eyes, m->eye_count), 1e-30f);
    if (!node->seen) u *= 0x1p-16f;
    return u >= 0 ? u : 0;  // a pack may say anything
}

// What is wanted from any distance, whatever memory is left for the rest.
static bool is_on_seam(const kst_method *m, const kst_leaf *node) {
    return m->cut.tree.nodes[node->level][(int64_t)node->z * m->cut.tree.grid_x[node->level] + node->x].error >=
           KARST_SEAM_ERROR_M;
}

karst_status kst_method_ready(void *context, const kst_leaf *nodes, int count, bool *ready) {
    kst_method *m = context;
    karst_status status = KARST_OK;
    bool room = m->wishing && kst_slots_have_room(&m->slots);
    m->all_wished = m->all_wished && (room || !m->wishing);
    for (int k = 0; k < count && !status; ++k) {
        const kst_leaf *n = &nodes[k];
        bool wished = m->wishing && ((room && !m->seam_alone) || is_on_seam(m, n));
        ready[k] = m->wishing ? wished : kst_slots_is_open(&m->slots, n->level, n->x, n->z);
        if (wished) status = kst_slots_wish(&m->slots, n, urgency_of(m, n));
    }
    return status;
}

karst_status kst_method_cut(kst_method *m, kst_cut *cut) {
    m->apart = cut->apart;
    karst_status status = KARST_OK;
    if (m->wishing || !m->slots.all_open)
        status = kst_cut_make(cut, m->eyes, m->frusta, m->eye_count, m->full, kst_method_ready, m);
    m->nodes_visited = cut->nodes_visited;
    return status;
}
