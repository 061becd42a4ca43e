// SPDX-License-Identifier: MIT
// What the floats of a frame are relative to. A frame of a field and one of a net that stand on one origin and see one
// eye have the same place here, bit for bit, so that what both draw of a vertex that they share is the same too.
#include <math.h>

#include "lod.h"

double kst_origin_way(double eye_m, double ground_m) {
    return floor((eye_m - ground_m) * 0x1p16 + 0.5) * 0x1p-16;
}

int64_t kst_origin_base(double way_m, double step_m, int64_t least, int64_t most, float *fraction) {
    double steps = floor(way_m / step_m);
    if (!(steps > (double)least)) steps = (double)least;
    if (steps > (double)most) steps = (double)most;
    *fraction = (float)(way_m - steps * step_m);
    return (int64_t)steps;
}

kst_eye kst_eye_of(const karst_view *view, karst_pos origin, float error_px) {
    const karst_pos e = view->eye;
    return (kst_eye){(float)(e.x - origin.x), (float)(e.y - origin.y), (float)(e.z - origin.z),
                     (float)(karst_view_error_slope(view, error_px) * KST_KEPT_BACK)};
}
