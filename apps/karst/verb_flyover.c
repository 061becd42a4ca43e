// SPDX-License-Identifier: MIT
// karst flyover: pictures along a flight over a pack, and a video of them.
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "flight.h"
#include "karst/geo.h"
#include "picture.h"
#include "table.h"

extern char **environ;

static int make_folder(args *a, const char *folder) {
    if (mkdir(folder, 0777) && errno != EEXIST)
        return say_error(a, "%s: the folder cannot be made: %s", folder, strerror(errno));
    return EXIT_DONE;
}

// Join the pictures with the program ffmpeg, quietly. False when there is none or it fails.
static bool make_video(const char *folder, int per_second, char *path, size_t room) {
    char input[4096], rate[16];
    snprintf(input, sizeof input, "%s/frame_%%05d.png", folder);
    snprintf(path, room, "%s/flyover.mp4", folder);
    snprintf(rate, sizeof rate, "%d", per_second);
    char *words[] = {"ffmpeg",
                     "-loglevel",
                     "error",
                     "-nostdin",
                     "-y",
                     "-framerate",
                     rate,
                     "-i",
                     input,
                     "-vf",
                     "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                     "-pix_fmt",
                     "yuv420p",
                     "-crf",
                     "20",
                     path,
                     NULL};
    pid_t child;
    int state;
    if (posix_spawnp(&child, "ffmpeg", NULL, NULL, words, environ)) return false;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

// The round over the land, or the path through the places of --path.
static karst_status make_plan(const picture *p, const table *path, int frames, flight_frame *plan) {
    const karst_ground *ground = p->patches.ground;
    if (!plan) return KARST_ERROR_MEMORY;
    if (!path->rows)
        return flight_plan(p->patches.no_field ? NULL : p->pack, ground, frames, plan) ? KARST_OK : KARST_ERROR_MEMORY;
    flight_through(ground, path->number, (int)path->rows, frames, plan);
    return KARST_OK;
}

static int fly(args *a, picture *p, const char *folder, const table *path_keys, int frames, int per_second) {
    flight_frame *plan = calloc((size_t)frames, sizeof *plan);
    karst_status status = make_plan(p, path_keys, frames, plan);
    double clearance = INFINITY;
    float worst = 0;
    for (int k = 0; k < frames && !status; ++k) {
        status = kst_progress_step(&a->progress, "frames", (double)k / frames);
        karst_view view =
            karst_view_perspective(plan[k].eye, plan[k].at, (karst_vec3){0, 1, 0}, p->fov_rad, p->width, p->height);
        karst_frame frame;
        if (!status) status = picture_draw(p, &view, &frame);
        if (status) break;
        char path[4096];
        snprintf(path, sizeof path, "%s/frame_%05d.png", folder, k);
        status = karst_geo_write_png(path, p->width, p->height, p->rgb, &a->report);
        clearance = fmin(clearance, plan[k].clearance_m);
        worst = fmaxf(worst, frame.figures.worst_error_px);
    }
    free(plan);
    if (status == KARST_ERROR_CANCELLED)
        kst_fail(&a->report, status, "%s: stopped; the pictures so far are there", folder);
    if (status == KARST_ERROR_MEMORY) kst_fail(&a->report, status, "not enough memory for %d frames", frames);
    if (status) return could_not(a, status);
    picture_tell(a, p);
    char video[4096];
    bool has_video = make_video(folder, per_second, video, sizeof video);
    say(a, "%s: %d pictures of %d x %d, never less than %.4g m above or below ground\n", folder, frames, p->width,
        p->height, clearance);
    if (has_video)
        say(a, "%s: %.3g seconds\n", video, (double)frames / per_second);
    else
        say(a, "no video: install ffmpeg to have one\n");
    cJSON_AddStringToObject(a->out, "folder", folder);
    cJSON_AddNumberToObject(a->out, "frames", frames);
    if (has_video) cJSON_AddStringToObject(a->out, "video", video);
    cJSON_AddNumberToObject(a->out, "clearance_m", clearance);
    cJSON_AddNumberToObject(a->out, "max_error_px", worst);
    cJSON_AddStringToObject(a->out, "device", karst_gl_device());
    return EXIT_DONE;
}

static int run(args *a) {
    const char *folder = arg_text(a, "-o", NULL);
    bool bad = false;
    int frames = (int)arg_int(a, "--frames", 120, 1, 99999, &bad);
    int per_second = (int)arg_int(a, "--fps", 24, 1, 240, &bad);
    if (bad) return EXIT_USAGE;
    if (!folder) return say_usage(a, "say where the pictures go: -o folder");
    const char *path = arg_text(a, "--path", NULL);
    table keys = {0};
    if (path && !table_read(a, path, 6, &keys)) return EXIT_COULD_NOT;
    int result = EXIT_DONE;
    if (path && (keys.rows < 2 || keys.rows > 100000))
        result =
            say_error(a, "%s: a path is 2..100000 lines of x,y,z,look_x,look_y,look_z; here are %zu", path, keys.rows);
    picture p;
    if (!result) result = picture_open(&p, a, a->positional[0]);
    if (!result) {
        result = make_folder(a, folder);
        if (!result) result = fly(a, &p, folder, &keys, frames, per_second);
        picture_close(&p);
    }
    table_free(&keys);
    return result;
}

static const option options[] = {
    {"-o", "FOLDER", "where the pictures go; made if it is not there"},
    {"--frames", "N", "pictures of one round, or of the path (120)"},
    {"--path", "FILE", "fly through these places: lines of x,y,z,look_x,look_y,look_z [m]; - reads standard input"},
    {"--fps", "N", "pictures a second in the video (24)"},
    PICTURE_OPTIONS,
    {0},
};

const verb verb_flyover = {
    .name = "flyover",
    .usage = "PACK -o FOLDER [options]",
    .summary = "Fly over a pack: pictures, and a video when ffmpeg is installed.",
    .example = "karst flyover island.kpack -o flight --frames 240 --size 1280x720",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
