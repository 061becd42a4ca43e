// SPDX-License-Identifier: MIT
// Zones from hostile bytes. One that is accepted is written again to the same bytes, every vertex of it is made, and it
// is checked as a set of its own.
#include <stdlib.h>

#include "core/core.h"
#include "karst/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { PIECES_MOST = 64 };

static const karst_noise_bank *bank_of(void) {
    static karst_noise_bank *bank;
    if (!bank) {
        bank = malloc(sizeof *bank);
        if (!bank) abort();
        karst_noise_bank_make(bank);
    }
    return bank;
}

// The same bytes; of an older version what is written is read as it is.
static void write_again(const karst_zone *zone, const uint8_t *bytes, size_t size) {
    size_t more = karst_zone_write(zone, NULL, 0);
    uint8_t *again = malloc(more);
    if (!again || karst_zone_write(zone, again, more) != more) abort();
    if (again[4] == bytes[4]) {  // version
        if (more != size || memcmp(again, bytes, size)) abort();
    } else {
        karst_zone *same;
        if (again[4] < bytes[4] || karst_zone_read(again, more, bank_of(), NULL, NULL, &same)) abort();
        write_again(same, again, more);
        karst_zone_destroy(same);
    }
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static karst_fine vertices[KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX];
    karst_report report = {0};
    karst_zone *zone;
    karst_status status = karst_zone_read(bytes, size, bank_of(), NULL, &report, &zone);
    if (status) {
        if (!report.message[0] || report.status != status || strchr(report.message, '\n')) abort();
        return 0;
    }
    write_again(zone, bytes, size);
    for (uint32_t k = 0; k < zone->piece_count && k < PIECES_MOST; ++k) {
        for (int c = 0; c < 4; ++c)
            if (zone->pieces[k].corner[c] >= zone->corner_count) abort();
        karst_zone_fine(zone, k, vertices);
    }
    (void)karst_zones_check((const karst_zone *const *)&zone, 1, NULL, NULL);
    karst_zone_destroy(zone);
    return 0;
}
