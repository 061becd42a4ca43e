// SPDX-License-Identifier: MIT
// Picture: the screen as a file.
#pragma once
#include "karst/base.h"

// Write RGB, rows from the top: PNG where this build has it, else PPM; .ppm is always PPM.
karst_status picture_write(const char *path, int width, int height, const uint8_t *rgb, karst_report *report);

// The first name of the form karst-view-0001.png that is free here; false when all are taken.
bool picture_free_name(char name[32]);
