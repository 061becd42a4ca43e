// SPDX-License-Identifier: MIT
// HUD: draws a page over the picture, and reads the picture back. The only file here that calls OpenGL.
#pragma once
#include "karst/base.h"
#include "page.h"

typedef struct hud hud;

// On the context that is current. @return KARST_ERROR_MEMORY, KARST_ERROR_UNSUPPORTED (report says why)
karst_status hud_create(karst_report *report, hud **out);
void hud_destroy(hud *h);

// Draw onto framebuffer 0, sized as the page.
void hud_draw(hud *h, const page *p);

// The picture in framebuffer 0: RGB, rows from the top.
void hud_read(int width, int height, uint8_t *rgb);
