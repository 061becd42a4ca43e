// SPDX-License-Identifier: MIT
// Route: small pits, whose lowest pass lies close by.
#pragma once
#include "op/route.h"

// Turn the way from `cell` down to its pit round, so that all of it leaves over the neighbouring cell `over`.
void kst_route_turn(kst_route *route, int32_t cell, int32_t over);

// Lead out those of the pits whose lowest pass is found within a few cells. What is left stays in the list.
karst_status kst_route_spill(kst_route *route, const float *h, int32_t *pit, int32_t *count, const kst_team *team);
