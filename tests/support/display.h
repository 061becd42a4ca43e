// SPDX-License-Identifier: MIT
// A display of the test's own, and hands on it: Xvfb and xdotool, where they are installed.
#pragma once
#include <sys/types.h>

// What an environment without a display has.
void no_display(void);

// An X server of 640 x 480 on a free display, which is the environment's from now on; its process, or 0 where the
// programs for it are not installed.
pid_t display_open(void);
void display_close(pid_t server);

// Orders of xdotool; the test fails when they do.
void do_x(const char *orders);
