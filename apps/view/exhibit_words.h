// SPDX-License-Identifier: MIT
// Exhibit's words: figures, slider and help on its page.
#pragma once
#include "exhibit.h"

// Put them on x->page, and the slider where the mouse finds it. False when there is no memory.
bool exhibit_place(exhibit *x);
