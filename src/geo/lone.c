// SPDX-License-Identifier: MIT
// Lone samples, the list.
#include "geo/lone.h"

#include <stdlib.h>

static const size_t lone_max = (size_t)1 << 24;
static const char lone_name[] = "lone samples";
enum { ENTRY = 8 };

void kst_lone_free(kst_lone *lone) {
    free(lone->bytes);
    *lone = (kst_lone){0};
}

static bool add(kst_lone *lone, int32_t row, int32_t column) {
    if (lone->count == lone_max) {
        lone->full = true;
        return true;
    }
    if (lone->count == lone->room) {
        size_t room = lone->room ? 2 * lone->room : 256;
        uint8_t *bytes = realloc(lone->bytes, room * ENTRY);
        if (!bytes) return false;
        lone->bytes = bytes;
        lone->room = room;
    }
    kst_out o = {lone->bytes + lone->count++ * ENTRY};
    kst_put_uint(&o, (uint32_t)row, 4);
    kst_put_uint(&o, (uint32_t)column, 4);
    return true;
}

bool kst_lone_add_row(kst_lone *lone, int32_t row, int32_t width, const uint8_t *missing, const uint8_t *above,
                      const uint8_t *below) {
    for (int32_t i = 0; i < width; ++i) {
        if (missing[i]) continue;
        bool left = i > 0, right = i < width - 1;
        bool ground = (above && ((left && !above[i - 1]) || (right && !above[i]))) ||
                      (below && ((left && !below[i - 1]) || (right && !below[i])));
        if (!ground && !add(lone, row, i)) return false;
    }
    return true;
}

karst_status kst_lone_save(const kst_lone *lone, karst_project *project, int64_t ground) {
    return karst_project_set_extra(project, ground, lone_name, lone->bytes, lone->count * ENTRY);
}

karst_status kst_lone_load(kst_lone *lone, karst_project *project, int64_t ground) {
    void *bytes = NULL;
    size_t size = 0;
    karst_status status = karst_project_get_extra(project, ground, lone_name, &bytes, &size);
    if (!status) *lone = (kst_lone){.bytes = bytes, .count = size / ENTRY, .room = size / ENTRY};
    return status;
}

static uint64_t key_of(const uint8_t *entry) {
    kst_reader r = {entry, entry + ENTRY, false};
    uint64_t row = kst_read_u32(&r);
    return row << 32 | kst_read_u32(&r);
}

bool kst_lone_has(const kst_lone *lone, int32_t row, int32_t column) {
    uint64_t key = (uint64_t)(uint32_t)row << 32 | (uint32_t)column;
    size_t low = 0, high = lone->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t found = key_of(lone->bytes + middle * ENTRY);
        if (found == key) return true;
        if (found < key)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
