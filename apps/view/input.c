// SPDX-License-Identifier: MIT
// Input: moving goes by the place of a key (WASD on any layout), actions by what is printed on it.
#include "input.h"

#include <string.h>

static action action_of(const SDL_KeyboardEvent *key) {
    if (key->keysym.mod & (KMOD_ALT | KMOD_GUI)) return ACTION_NONE;  // the desktop's
    switch (key->keysym.scancode) {                                   // digits lie behind Shift on some layouts
        case SDL_SCANCODE_1:
        case SDL_SCANCODE_KP_1:
            return key->repeat ? ACTION_NONE : ACTION_WIREFRAME;
        case SDL_SCANCODE_2:
        case SDL_SCANCODE_KP_2:
            return key->repeat ? ACTION_NONE : ACTION_CONTOUR;
        case SDL_SCANCODE_3:
        case SDL_SCANCODE_KP_3:
            return key->repeat ? ACTION_NONE : ACTION_OVERLAY;
        case SDL_SCANCODE_LEFTBRACKET:
            return key->keysym.mod & KMOD_SHIFT ? ACTION_SHORTER : ACTION_FINER;
        case SDL_SCANCODE_RIGHTBRACKET:
            return key->keysym.mod & KMOD_SHIFT ? ACTION_LONGER : ACTION_COARSER;
        default:
            break;
    }
    switch (key->keysym.sym) {
        case SDLK_COMMA:
            return ACTION_EARLIER;
        case SDLK_PERIOD:
            return ACTION_LATER;
        case SDLK_MINUS:
        case SDLK_KP_MINUS:
            return ACTION_FEWER;
        case SDLK_PLUS:
        case SDLK_EQUALS:  // plus behind Shift
        case SDLK_KP_PLUS:
            return ACTION_MORE;
        default:
            break;
    }
    if (key->repeat) return ACTION_NONE;
    switch (key->keysym.sym) {
        case SDLK_ESCAPE:
            return ACTION_QUIT;
        case SDLK_g:
        case SDLK_TAB:
            return ACTION_WALK;
        case SDLK_f:
            return ACTION_FREEZE;
        case SDLK_m:
            return ACTION_METHOD;
        case SDLK_n:
            return ACTION_ZONE_METHOD;
        case SDLK_t:
            return ACTION_LAPSE;
        case SDLK_h:
        case SDLK_F1:
            return ACTION_HELP;
        case SDLK_i:
            return ACTION_FIGURES;
        case SDLK_p:
        case SDLK_F12:
            return ACTION_PICTURE;
        case SDLK_HOME:
            return ACTION_HOME;
        default:
            return ACTION_NONE;
    }
}

action input_event(input *in, const SDL_Event *event) {
    switch (event->type) {
        case SDL_QUIT:
            return ACTION_QUIT;
        case SDL_KEYDOWN:
            in->tapped[event->key.keysym.scancode] = 1;
            return action_of(&event->key);
        case SDL_MOUSEBUTTONDOWN:
            in->buttons |= SDL_BUTTON(event->button.button);
            in->mouse_x = event->button.x;
            in->mouse_y = event->button.y;
            in->mouse_inside = true;
            return ACTION_NONE;
        case SDL_MOUSEBUTTONUP:
            in->buttons &= ~(unsigned)SDL_BUTTON(event->button.button);
            return ACTION_NONE;
        case SDL_MOUSEMOTION:
            if (in->buttons) {
                in->moved_x += event->motion.xrel;
                in->moved_y += event->motion.yrel;
            } else {
                in->mouse_x = event->motion.x;
                in->mouse_y = event->motion.y;
            }
            in->mouse_inside = true;
            return ACTION_NONE;
        case SDL_MOUSEWHEEL: {
            double turn = (double)event->wheel.preciseY;
            in->wheel += event->wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -turn : turn;
            return ACTION_NONE;
        }
        case SDL_WINDOWEVENT:
            if (event->window.event == SDL_WINDOWEVENT_FOCUS_LOST) in->buttons = 0;  // nobody will tell of the release
            if (event->window.event == SDL_WINDOWEVENT_LEAVE) in->mouse_inside = false;
            return ACTION_NONE;
        default:
            return ACTION_NONE;
    }
}

bool input_looking(const input *in) {
    return in->buttons != 0;
}

static bool down(const input *in, const uint8_t *held, SDL_Scancode key) {
    return held[key] || in->tapped[key];
}

camera_wish input_wish(input *in, const uint8_t *held, double turn_rad) {
    camera_wish w = {0};
#define HELD(key) down(in, held, SDL_SCANCODE_##key)
    w.forward = (HELD(W) || HELD(UP)) - (HELD(S) || HELD(DOWN));
    w.right = (HELD(D) || HELD(RIGHT)) - (HELD(A) || HELD(LEFT));
    w.up = (HELD(E) || HELD(SPACE) || HELD(PAGEUP)) - (HELD(Q) || HELD(LCTRL) || HELD(PAGEDOWN));
    w.hurry = HELD(LSHIFT) || HELD(RSHIFT);
#undef HELD
    w.turn_right_rad = in->moved_x * turn_rad;
    w.turn_up_rad = -in->moved_y * turn_rad;
    w.faster = in->wheel;
    in->moved_x = in->moved_y = 0;
    in->wheel = 0;
    memset(in->tapped, 0, sizeof in->tapped);
    return w;
}
