// SPDX-License-Identifier: MIT
// Opacity: the author's, of every second vertex, as transparency; no memory while all is solid.
#include "bake/sheet.h"

static karst_status make_room(kst_sheet *s, karst_report *report) {
    size_t across = (size_t)kst_half_count(s->columns), down = (size_t)kst_half_count(s->rows);
    s->transparency = kst_scratch_alloc(s->scratch, across * down, 1);
    if (!s->transparency) return kst_scratch_fail(s->scratch, report);
    for (size_t line = 0; line < down; ++line) {
        memset(s->transparency + line * across, 0, across);
        if (line % 1024 == 0) kst_scratch_ease(s->scratch);
    }
    return KARST_OK;
}

karst_status kst_sheet_opacity(karst_field *field, kst_sheet *s, int32_t row, int32_t end, karst_report *report) {
    int32_t across = kst_half_count(s->columns), inside = (s->columns + 1) / 2;
    uint8_t *line = kst_alloc(NULL, (size_t)inside);
    karst_status status = line ? KARST_OK : KARST_ERROR_MEMORY;
    for (int32_t j = (row + 1) / 2; j < (end + 1) / 2 && !status; ++j) {
        status = karst_field_read_opacity(field, (karst_rect){0, j, inside, j + 1}, line, inside);
        bool fades = false;
        for (int32_t i = 0; i < inside && !status; ++i) fades |= line[i] != 255;
        if (!fades || status) continue;
        if (!s->transparency) status = make_room(s, report);
        // Where the number of vertices is even, one sample more is stepped on.
        int32_t copies = end == s->rows && j == (end - 1) / 2 ? kst_half_count(s->rows) - j : 1;
        for (int32_t c = 0; c < copies && !status; ++c) {
            uint8_t *out = s->transparency + (size_t)(j + c) * (size_t)across;
            for (int32_t i = 0; i < across; ++i) out[i] = (uint8_t)(255 - line[kst_min32(i, inside - 1)]);
        }
    }
    kst_free(NULL, line, (size_t)inside);
    return status;
}

uint64_t kst_sheet_opacity_hash(const kst_sheet *s, uint64_t hash) {
    size_t across = (size_t)kst_half_count(s->columns), down = (size_t)kst_half_count(s->rows);
    for (size_t line = 0; s->transparency && line < down; ++line) {
        hash = kst_hash(s->transparency + line * across, across, hash);
        if (line % 1024 == 0) kst_scratch_ease(s->scratch);
    }
    return hash;
}
