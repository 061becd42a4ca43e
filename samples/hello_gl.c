// SPDX-License-Identifier: MIT
// One picture without a window: a pack, a frame, a headless context, a PPM file.
#include <stdio.h>
#include <stdlib.h>

#include "karst/gl.h"
#include "karst/karst.h"

enum { WIDTH = 640, HEIGHT = 360 };

static int stop(const char *what, karst_status status, const karst_report *report) {
    fprintf(stderr, "%s: %s\n", what, report->message[0] ? report->message : karst_status_text(status));
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: hello_gl PACK OUT.ppm\n");
        return 2;
    }
    karst_report report = {0};
    karst_pack_def pack_def = karst_pack_def_default();
    pack_def.report = &report;
    karst_pack *pack;
    karst_status status = karst_pack_open(argv[1], &pack_def, &pack);
    if (status) return stop("open", status, &report);
    karst_scene *scene;
    status = karst_scene_create(pack, NULL, &scene);
    if (status) return stop("scene", status, &report);

    karst_gl_context *context;  // a game has one already
    status = karst_gl_context_create(&report, &context);
    if (status) return stop("context", status, &report);
    karst_gl_def gl_def = karst_gl_def_default();
    gl_def.report = &report;
    karst_gl *gl;
    status = karst_gl_create(pack, &gl_def, &gl);
    if (status) return stop("renderer", status, &report);

    karst_box box = karst_pack_info_of(pack).bounds;
    double x = (box.min.x + box.max.x) / 2, z = (box.min.z + box.max.z) / 2, side = box.max.x - box.min.x;
    karst_pos eye = {x, box.max.y + 0.2 * side, box.max.z + 0.2 * side}, middle = {x, box.min.y, z};
    karst_view view = karst_view_perspective(eye, middle, (karst_vec3){0, 1, 0}, 0.8f, WIDTH, HEIGHT);
    karst_budget budget = karst_budget_default();
    karst_frame frame;
    status = karst_scene_settle(scene, &view, 1, &budget, &frame);
    if (status) return stop("frame", status, &report);

    static uint8_t rgb[3 * WIDTH * HEIGHT];
    karst_gl_look look = karst_gl_look_default();
    karst_gl_look_sun(&look, 16.5f, 0.7f, 172);
    status = karst_gl_render(gl, &frame, &view, 0, &look, 4, rgb);
    if (status) return stop("draw", status, &report);

    FILE *file = fopen(argv[2], "wb");
    int ok = file && fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT) > 0 && fwrite(rgb, sizeof rgb, 1, file) == 1;
    if (file && fclose(file)) ok = 0;
    if (ok) printf("%s: drawn by %s\n", argv[2], karst_gl_device());

    karst_gl_destroy(gl);
    karst_gl_context_destroy(context);
    karst_scene_destroy(scene);
    karst_pack_close(pack);
    if (!ok) fprintf(stderr, "%s: cannot write\n", argv[2]);
    return ok ? 0 : 1;
}
