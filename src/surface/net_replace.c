// SPDX-License-Identifier: MIT
// A region of a field that a fit takes the place of: what must be so for vertices to be the same on both sides of its
// border, bit for bit.
#include "surface/net_replace.h"

#include "surface/net.h"

static const double REPLACE_MOST_M = 0.9;  // tolerance; a pin may be 1 m from its edge

karst_status kst_net_replace_rect(const karst_net_fit_def *d, const karst_net *net, const karst_field_shape *shape,
                                  karst_rect *r) {
    const karst_pos a = shape->origin, b = net->origin;
    double fine = ldexp(1, net->step_log2) / KARST_NET_FINE, steps = shape->spacing_m / fine;
    if (d->tile_cells != 1 || d->tolerance_m > REPLACE_MOST_M)
        return kst_fail(
            d->report, KARST_ERROR_ARGUMENT,
            "in place of a field tiles are a cell and the tolerance is at most %g m; these are %d cells and "
            "%g m",
            REPLACE_MOST_M, d->tile_cells, d->tolerance_m);
    if (a.x != b.x || a.y != b.y || a.z != b.z)
        return kst_fail(
            d->report, KARST_ERROR_ARGUMENT,
            "the net's origin is %.3f, %.3f, %.3f and the field's %.3f, %.3f, %.3f; in place of a field both "
            "are the same: make the net there",
            b.x, b.y, b.z, a.x, a.y, a.z);
    if (steps != floor(steps)) {
        double sixteenths = fmax(1, floor(shape->spacing_m * 16 + 0.5));
        return kst_fail(
            d->report, KARST_ERROR_ARGUMENT,
            "the field's spacing of %.9g m is no whole number of the net's fine steps of 1/%.0f m; resample "
            "it to %g m",
            shape->spacing_m, 1 / fine, sixteenths / 16);
    }
    const int32_t cells = KST_SEAM_CELLS;
    *r = (karst_rect){(r->x0 + cells - 1) / cells * cells, (r->z0 + cells - 1) / cells * cells,
                      (r->x1 - 1) / cells * cells + 1, (r->z1 - 1) / cells * cells + 1};
    if (r->x1 - r->x0 <= cells || r->z1 - r->z0 <= cells)
        return kst_fail(
            d->report, KARST_ERROR_ARGUMENT,
            "the region holds no whole patch of the field, %d x %d cells from a multiple of %d; take a larger "
            "one",
            cells, cells, cells);
    return KARST_OK;
}
