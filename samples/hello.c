// SPDX-License-Identifier: MIT
// A terrain in forty lines: open a pack, ask how high the ground is, see what a camera would draw.
#include <stdio.h>

#include "karst/karst.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: hello PACK\n");
        return 2;
    }
    karst_report report = {0};
    karst_pack_def def = karst_pack_def_default();
    def.report = &report;
    karst_pack *pack;
    if (karst_pack_open(argv[1], &def, &pack)) {
        fprintf(stderr, "%s\n", report.message);
        return 1;
    }
    karst_scene *scene;
    if (karst_scene_create(pack, NULL, &scene)) return 1;

    karst_box box = karst_pack_info_of(pack).bounds;
    double x = (box.min.x + box.max.x) / 2, z = (box.min.z + box.max.z) / 2, y;
    if (karst_scene_height(scene, x, z, &y))
        printf("the ground in the middle is %.2f m high\n", y);
    else
        printf("there is no ground in the middle\n");

    karst_pos eye = {x, box.max.y + 100, box.max.z}, middle = {x, box.min.y, z};
    karst_view view = karst_view_perspective(eye, middle, (karst_vec3){0, 1, 0}, 1.0f, 1280, 720);
    karst_budget budget = karst_budget_default();
    karst_frame frame;  // data: draw it with karst-gl, or with your own renderer
    if (karst_scene_settle(scene, &view, 1, &budget, &frame)) return 1;
    printf("a frame has %lld triangles in %d draws, at most %.2f pixels off\n", (long long)frame.figures.triangles,
           (int)frame.figures.draws, (double)frame.figures.worst_error_px);

    karst_scene_destroy(scene);
    karst_pack_close(pack);
    return 0;
}
