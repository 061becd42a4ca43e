// SPDX-License-Identifier: MIT
// Display: processes.
#include "support/display.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/prop.h"

void no_display(void) {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("SDL_VIDEODRIVER");
}

static bool has_program(const char *name) {
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

// An X server of our own on a free display; its process, or 0.
static pid_t start_xvfb(void) {
    int ends[2];
    if (pipe(ends)) return 0;
    pid_t server = fork();
    if (!server) {
        char number[16];
        snprintf(number, sizeof number, "%d", ends[1]);
        close(ends[0]);
        prctl(PR_SET_PDEATHSIG, SIGTERM);  // a failed test leaves nothing behind
        dup2(open("/dev/null", O_WRONLY), 1);
        dup2(1, 2);
        execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", "640x480x24", "-nolisten", "tcp", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char name[32] = ":";
    int length = 1;
    while (length < 31 && read(ends[0], name + length, 1) == 1 && name[length] != '\n') ++length;
    bool ready = name[length] == '\n';
    name[length] = 0;
    close(ends[0]);
    if (!ready) {
        kill(server, SIGKILL);
        waitpid(server, NULL, 0);
        return 0;
    }
    setenv("DISPLAY", name, 1);
    return server;
}

void do_x(const char *orders) {
    char command[512];
    snprintf(command, sizeof command, "timeout 60 xdotool %s >/dev/null 2>&1", orders);
    int how = system(command);
    if (how) fail_msg("xdotool %s: %d", orders, how);
}

pid_t display_open(void) {
    if (!has_program("Xvfb") || !has_program("xdotool")) return 0;
    no_display();
    pid_t server = start_xvfb();
    assert_true(server > 0);
    return server;
}

void display_close(pid_t server) {
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
}
