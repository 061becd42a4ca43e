// SPDX-License-Identifier: MIT
// Slider: a track, its filled part and a knob.
#include "slider.h"

#include <math.h>

float slider_height(const page *p) {
    return 2.4f * (float)p->font.line;
}

void slider_place(slider *s, page *p, float x, float y, float width, float share, const char *text) {
    static const float track[3] = {0.30f, 0.33f, 0.38f}, full[3] = {1.0f, 0.82f, 0.5f}, knob[3] = {1, 1, 1};
    float line = (float)p->font.line, pad = (float)(int)(0.6f * line), thick = fmaxf(floorf(0.2f * line), 3);
    page_panel(p, x, y, width, slider_height(p));
    page_text(p, x + pad, (float)(int)(y + 0.2f * line), (uint32_t)PAGE_WHITE, text);
    s->x = x + pad;
    s->width = fmaxf(width - 2 * pad, 1);
    s->top = y;
    s->bottom = y + slider_height(p);
    float middle = floorf(y + 1.8f * line), at = floorf(share * s->width + 0.5f), half = floorf(0.25f * line);
    page_swatch(p, s->x, middle - thick / 2, s->width, thick, track);
    page_swatch(p, s->x, middle - thick / 2, at, thick, full);
    page_swatch(p, s->x + at - half, middle - floorf(0.45f * line), 2 * half, 2 * floorf(0.45f * line), knob);
}

void slider_hide(slider *s) {
    *s = (slider){0};
}

static double share_at(const slider *s, double x) {
    return fmin(fmax((x - (double)s->x) / (double)s->width, 0), 1);
}

bool slider_event(slider *s, const SDL_Event *event, double scale, double *share) {
    switch (event->type) {
        case SDL_MOUSEBUTTONDOWN: {
            double x = (event->button.x + 0.5) * scale, y = (event->button.y + 0.5) * scale,
                   edge = 0.5 * (double)(s->bottom - s->top);
            if (event->button.button != SDL_BUTTON_LEFT || !(s->width > 0) || y < (double)s->top ||
                y >= (double)s->bottom || x < (double)s->x - edge || x > (double)(s->x + s->width) + edge)
                return false;
            s->held = true;
            *share = share_at(s, x);
            return true;
        }
        case SDL_MOUSEMOTION:
            if (!s->held) return false;
            *share = share_at(s, (event->motion.x + 0.5) * scale);
            return true;
        case SDL_MOUSEBUTTONUP:
            if (!s->held || event->button.button != SDL_BUTTON_LEFT) return false;
            s->held = false;
            return true;
        case SDL_WINDOWEVENT:
            if (event->window.event == SDL_WINDOWEVENT_FOCUS_LOST) s->held = false;
            return false;
        default:
            return false;
    }
}
