// SPDX-License-Identifier: MIT
// Input: what hands do with keys and mouse, as a wish for the camera and as actions.
#pragma once
#include <SDL.h>

#include "camera.h"

typedef enum action {
    ACTION_NONE,
    ACTION_QUIT,
    ACTION_WALK,
    ACTION_WIREFRAME,
    ACTION_CONTOUR,
    ACTION_OVERLAY,
    ACTION_METHOD,
    ACTION_ZONE_METHOD,  // of patches
    ACTION_FREEZE,
    ACTION_EARLIER,
    ACTION_LATER,
    ACTION_LAPSE,
    ACTION_FINER,
    ACTION_COARSER,
    ACTION_SHORTER,  // edges of patches
    ACTION_LONGER,
    ACTION_FEWER,
    ACTION_MORE,
    ACTION_HELP,
    ACTION_FIGURES,
    ACTION_PICTURE,
    ACTION_HOME,
} action;

typedef struct input {
    unsigned buttons;                   // of the mouse, held
    int moved_x, moved_y;               // since the last wish, while a button is held [window units]
    double wheel;                       // since the last wish
    uint8_t tapped[SDL_NUM_SCANCODES];  // keys that went down since the last wish: no tap is missed
    int mouse_x, mouse_y;               // [window units]
    bool mouse_inside;
} input;

// Take an event in; what it asks for at once.
action input_event(input *in, const SDL_Event *event);

// Whether the mouse turns the head now.
bool input_looking(const input *in);

// The wish since the last call. held: pressed keys by scancode, as SDL_GetKeyboardState gives. turn_rad: radians that
// one window unit of mouse movement turns.
camera_wish input_wish(input *in, const uint8_t *held, double turn_rad);
