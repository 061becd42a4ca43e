// SPDX-License-Identifier: MIT
// Which of many things to turn over so that neighbours face alike: disjoint sets that know who faces against whom.
#pragma once
#include "core/core.h"

typedef struct kst_turns {
    int32_t *parent;
    uint8_t *against;  // its parent
    int32_t count;
    const karst_allocator *allocator;
} kst_turns;

// All apart.
karst_status kst_turns_create(kst_turns *t, int32_t count, const karst_allocator *allocator);
void kst_turns_destroy(kst_turns *t);
// a and b should face alike, and do, or one of them is to be turned. False: what was said before is against it.
bool kst_turns_link(kst_turns *t, int32_t a, int32_t b, bool alike);
// out[k]: turn k over. Of all that hang together the fewer ones; of as many, those unlike the first of them.
karst_status kst_turns_settle(kst_turns *t, uint8_t *out);
