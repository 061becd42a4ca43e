// SPDX-License-Identifier: MIT
// Army's places: from numbers of a seed, so the same everywhere.
#pragma once
#include "army.h"

// Let up to `most` units of a->kinds stand; fills a->units and a->count.
void army_stand(army *a, const army_place *place, int most);
