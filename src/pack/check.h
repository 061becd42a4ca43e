// SPDX-License-Identifier: MIT
// Check: what is proved of a pack, told in karst_check. check.c runs it, check_levels.c and check_ground.c try.
#pragma once
#include "pack/pack.h"

// The rows of the answer, in this order.
typedef enum kst_check_kind {
    KST_CHECK_CHECKSUMS,  // every chunk, every map, the directory and the header hash to what they should
    KST_CHECK_BORDERS,    // what two chunks of a level, or a chunk and its parent, share is equal bit for bit
    KST_CHECK_BOUNDS,     // bounds of chunks, corners and nodes contain what they are bounds of
    KST_CHECK_ERRORS,     // no error stated is less than the true one; errors grow with the level
    KST_CHECK_HOLES,      // heights and rays find a cell where its hole bit says so; coarse bits tell of all below
    KST_CHECK_COVERAGE,   // the chunks of a level cover each cell once, and each cell has its two triangles once
    KST_CHECK_GROUND,     // rays and heights answer alike at random places
    KST_CHECK_ZONES,      // of a pack with zones: every one is whole and as told, and none is missing
    KST_CHECK_SEAMS,      // last, of one with seams: zones and field meet to the bit where one is in the other's place
    KST_CHECK_KINDS
} kst_check_kind;

// One worker's count of one kind. Of all failures the one with the least key is told, so the text does not depend on
// who came first.
typedef struct kst_tally {
    uint64_t tried, failed, key;
    char first[sizeof((karst_check *)0)->first];
} kst_tally;

typedef struct kst_checking {
    karst_pack *pack;
    karst_jobs *jobs;
    const karst_progress *progress;
    kst_tally (*tally)[KST_CHECK_KINDS];  // one row a worker
    size_t *chosen;                       // level-0 chunks looked into, ascending: all, or a spread of them
    size_t chosen_count, chosen_room;
} kst_checking;

// Passes over the chunks of a level; with the chunk they order what is told.
typedef enum kst_check_pass { KST_PASS_LOOK, KST_PASS_JOIN, KST_PASS_ASK, KST_PASS_SUM } kst_check_pass;

static inline uint64_t kst_check_key(int level, kst_check_pass pass, size_t index) {
    return (uint64_t)level << 48 | (uint64_t)pass << 40 | index;
}
void kst_check_fail(kst_tally *tally, uint64_t key, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Let go of the pages of the pack's file, which may be larger than memory should hold. After each range of chunks.
void kst_check_ease(const kst_checking *c);
// Count one thing tried; false when it failed: then say what with kst_check_fail.
static inline bool kst_check_try(kst_tally *tally, bool good) {
    ++tally->tried;
    return good;
}

// Level-0 chunks to look into: all when there are at most `most`, else squares of 2^square_level a side spread over
// the field. *out: room numbers, of which count are set.
karst_status kst_check_choose(const karst_pack *pack, size_t most, int square_level, size_t **out, size_t *count,
                              size_t *room);

karst_status kst_check_levels(kst_checking *c);  // borders, bounds, errors; coverage and holes by their bits
karst_status kst_check_zones(kst_checking *c);   // all zones of the net
// Of whole zones, which are all there.
karst_status kst_check_seams(kst_checking *c, karst_zone *const *zones, int count);
karst_status kst_check_ground(kst_checking *c);  // holes, coverage and ground by asking the ground
