// SPDX-License-Identifier: MIT
#include "surface/blocks.h"

karst_status kst_block_pin(karst_field *field, karst_rect part, int32_t side, int32_t bx, int32_t bz,
                           karst_status (*ready)(karst_field *field, kst_page *page), kst_pinned *out) {
    bool left = bx > 0 && part.x0 == bx * side, above = bz > 0 && part.z0 == bz * side;
    out->count = 0;
    for (int k = 0; k < 4; ++k) {
        int32_t x = bx - (k & 1), z = bz - (k >> 1);
        if ((k & 1 && !left) || (k >> 1 && !above) || x >= field->chunks_x || z >= field->chunks_z) continue;
        karst_rect share = part;
        if (k & 1) share.x1 = part.x0 + 1;
        if (k >> 1) share.z1 = part.z0 + 1;
        kst_page *page;
        karst_status status = kst_page_get(field, x, z, &page);
        if (!status) {
            out->share[out->count] = share;
            out->page[out->count++] = page;
            if (ready) status = ready(field, page);
        }
        if (status) {
            kst_block_put(field, out);
            return status;
        }
    }
    return KARST_OK;
}

void kst_block_put(karst_field *field, const kst_pinned *pinned) {
    for (int k = 0; k < pinned->count; ++k) kst_page_put(field, pinned->page[k]);
}
