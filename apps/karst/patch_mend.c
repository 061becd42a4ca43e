// SPDX-License-Identifier: MIT
// karst patch check: is the net whole ground, and where its tile counts are forced along strips.
#include <stdlib.h>

#include "net_edit.h"
#include "patch.h"
#include "zone_set.h"

// Open edges are borders; the count tells a hole that nobody meant.
static int32_t open_edges(const karst_net *net) {
    int32_t count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) count += net->edges[k].tiles && net->edges[k].open;
    return count;
}

int patch_check(args *a, const char *path) {
    karst_net *net = NULL;
    zone_set set = {0};
    karst_status status = net_look(a, path, &net);  // what comes out of a world keeps every rule of a net
    if (!status) status = zone_set_cut(net, &a->report, &set);
    if (!status) status = kst_progress_step(&a->progress, "check", 0.5);
    if (!status) status = karst_zones_check((const karst_zone *const *)set.zones, set.count, NULL, &a->report);
    if (status) {
        zone_set_free(&set);
        karst_net_destroy(net);
        return could_not(a, status);
    }
    net_tell(a, path, net);
    int32_t open = open_edges(net);
    say(a, "every rule kept; %d zones fit together; %d edges are open\n", set.count, open);
    cJSON_AddBoolToObject(a->out, "ok", true);
    cJSON_AddNumberToObject(a->out, "open_edges", open);
    zone_set_free(&set);
    karst_net_destroy(net);
    return EXIT_DONE;
}
