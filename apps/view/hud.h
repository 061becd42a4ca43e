// SPDX-License-Identifier: MIT
// HUD: draws a page over the picture, reads the picture back, and times it.
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

enum { HUD_LATE = 2 };  // frames

// A frame begins. Returns what the frame HUD_LATE before it took, on the processor or on the device, whichever was
// longer [ms]; 0: not known. Nobody waits for it.
float hud_time_begin(hud *h);
// All of it is asked for; so long the processor took.
void hud_time_end(hud *h, double cpu_ms);
