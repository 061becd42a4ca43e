// SPDX-License-Identifier: MIT
// Quads of a mesh in text, and the net that they make.
#include <stdlib.h>

#include "geo/quads.h"
#include "karst/net.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    karst_quads *q;
    if (kst_quads_parse(bytes, size, "fuzz", NULL, NULL, &q)) return 0;
    karst_net *net;
    if (!karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net)) {
        karst_net_cage cage = {.places = q->places,
                               .place_count = q->place_count,
                               .quads = (const int32_t(*)[4])q->quads,
                               .quad_count = q->quad_count,
                               .crease_rad = size & 1 ? 0.5 : 0};
        if (!karst_net_from_cage(net, &cage, NULL) && !net->finished) abort();
        karst_net_destroy(net);
    }
    karst_quads_destroy(q);
    return 0;
}
