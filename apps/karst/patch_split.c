// SPDX-License-Identifier: MIT
// karst patch split: smaller patches where brushes are to work.
#include <math.h>
#include <stdlib.h>

#include "karst/netsplit.h"
#include "net_edit.h"
#include "patch.h"

// Places of the table; sides as --to says, or half the radius of each.
static int read_places(args *a, const table *dabs, karst_net_split_place *places) {
    bool bad = false;
    double side = arg_real(a, "--to", 0, 0.01, 1000, &bad);
    if (bad) return EXIT_USAGE;
    for (size_t k = 0; k < dabs->rows; ++k) {
        const double *n = &dabs->number[PATCH_DAB * k];
        places[k] = (karst_net_split_place){{n[0], n[1], n[2]}, n[3], side > 0 ? side : 0.5 * n[3]};
        if (isinf(places[k].side_m))
            return say_usage(
                a, "patch: split needs --at X,Y,Z with --radius M, or --dabs FILE, or --to M for all patches");
    }
    return EXIT_DONE;
}

int patch_split(args *a, const char *path) {
    table dabs;
    net_edit e;
    karst_net_split_info info = {0};
    int result = patch_read_dabs(a, false, &dabs);
    if (result) return result;
    karst_net_split_place *places = calloc(dabs.rows + 1, sizeof *places);
    karst_net_split_def def = karst_net_split_def_default();
    def.places = places, def.place_count = (int32_t)dabs.rows, def.progress = &a->progress, def.report = &a->report;
    karst_status status =
        places ? KARST_OK : kst_fail(&a->report, KARST_ERROR_MEMORY, "out of memory for %zu places", dabs.rows);
    if (!status) result = read_places(a, &dabs, places);
    if (!status && !result) status = net_edit_begin(a, path, "patch split", NET_NEEDED, &e);
    if (!status && !result) status = net_edit_end(a, &e, karst_net_split(e.net, &def, &info));
    free(places);
    table_free(&dabs);
    if (status) return could_not(a, status);
    if (result) return result;
    say(a, "%d patches and %d edges cut\n", info.cut, info.edges);
    if (!info.cut && !info.held)
        say(a, "no patch is there that is longer than wanted; --to M says how long they may be\n");
    if (info.held) say(a, "%d patches stay longer than wanted: they have 2 tiles that way\n", info.held);
    cJSON_AddNumberToObject(a->out, "cut", info.cut);
    cJSON_AddNumberToObject(a->out, "cut_edges", info.edges);
    cJSON_AddNumberToObject(a->out, "held", info.held);
    return EXIT_DONE;
}
