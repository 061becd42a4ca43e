// SPDX-License-Identifier: MIT
// karst export --stamp.
#include "export_stamp.h"

#include "edit.h"
#include "karst/geo.h"
#include "karst/stamp.h"

int export_stamp(args *a, const char *world, const char *out) {
    bool bad = false;
    double n[3];
    arg_triple(a, "--stamp", n, &bad);
    double soft = arg_real(a, "--soft", 0.15, 0, 1, &bad);
    if (bad) return EXIT_USAGE;
    edit e;
    karst_stamp *stamp = NULL;
    karst_status status = edit_look(a, world, &e);
    if (status) return could_not(a, status);
    status =
        karst_stamp_take(&e.canvas, (karst_pos){n[0], 0, n[1]}, n[2], soft, arg_flag(a, "--heights") ? 1 : 3, &stamp);
    if (status == KARST_ERROR_ARGUMENT)
        kst_fail(&a->report, status, "--stamp %g,%g,%g: two vertices of radius at least, 8000 at most, on the ground",
                 n[0], n[1], n[2]);
    else if (status)
        kst_fail(&a->report, status, "%s: %s", world, karst_status_text(status));
    if (!status) status = karst_geo_write_stamp(out, stamp, &a->report);
    edit_leave(&e);
    if (status) {
        karst_stamp_destroy(stamp);
        return could_not(a, status);
    }
    say(a,
        "%s: a stamp of %s, %d x %d; press it with: karst sculpt WORLD --stamp %s --brush \"stamp radius=%g\" --at \"X "
        "Z\"\n",
        out, stamp->channels == 1 ? "heights" : "vectors", stamp->width, stamp->height, out, n[2]);
    cJSON_AddStringToObject(a->out, "file", out);
    cJSON_AddNumberToObject(a->out, "width", stamp->width);
    cJSON_AddNumberToObject(a->out, "height", stamp->height);
    cJSON_AddNumberToObject(a->out, "channels", stamp->channels);
    karst_stamp_destroy(stamp);
    return EXIT_DONE;
}
