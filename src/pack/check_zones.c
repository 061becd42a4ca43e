// SPDX-License-Identifier: MIT
// Check: each zone of the net is whole, and together they are closed.
#include "pack/check.h"

typedef struct reading {
    kst_checking *c;
    karst_zone **zones;
    const karst_noise_bank *bank;
} reading;

static karst_status read_zones(int begin, int end, int worker, void *context) {
    reading *r = context;
    kst_tally *tally = &r->c->tally[worker][KST_CHECK_ZONES];
    for (int k = begin; k < end; ++k) {
        karst_report report = {0};
        karst_status status = karst_pack_zone_read(r->c->pack, k, r->bank, &report, &r->zones[k]);
        if (status == KARST_ERROR_MEMORY) return status;
        if (!kst_check_try(tally, !status)) kst_check_fail(tally, (uint64_t)k, "%s", report.message);
    }
    kst_check_ease(r->c);
    return KARST_OK;
}

// Of zones that are there: a damaged one is told already, and its neighbours would only say so again.
static karst_status judge_set(kst_checking *c, karst_zone **zones, int count, bool whole) {
    karst_report report = {0};
    kst_tally *tally = &c->tally[0][KST_CHECK_ZONES];
    if (!whole) return KARST_OK;
    karst_status status = karst_zones_check((const karst_zone *const *)zones, count, NULL, &report);
    if (status == KARST_ERROR_MEMORY) return status;
    if (!kst_check_try(tally, !status)) kst_check_fail(tally, (uint64_t)count, "%s", report.message);
    return KARST_OK;
}

karst_status kst_check_zones(kst_checking *c) {
    int count = karst_pack_zone_count(c->pack);
    if (!count) return KARST_OK;
    karst_noise_bank *bank = kst_alloc(NULL, sizeof *bank);
    reading r = {c, kst_alloc_zero(NULL, (size_t)count * sizeof *r.zones), bank};
    karst_status status = bank && r.zones ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        karst_noise_bank_make(bank);
        status = kst_jobs_run(c->jobs, count, 4, read_zones, &r, c->progress, "zones", 0, 1);
    }
    bool whole = true;
    for (int k = 0; k < count && !status; ++k) whole &= r.zones[k] != NULL;
    if (!status) status = judge_set(c, r.zones, count, whole);
    if (!status && whole) status = kst_check_seams(c, r.zones, count);
    for (int k = 0; k < count && r.zones; ++k) karst_zone_destroy(r.zones[k]);
    kst_free(NULL, r.zones, (size_t)count * sizeof *r.zones);
    kst_free(NULL, bank, sizeof *bank);
    return status;
}
