// SPDX-License-Identifier: MIT
// Check: reads everything, spreads the rest over the workers and adds up what they counted.
#include "pack/check.h"

#include <stdlib.h>

enum {
    CHOSEN_MOST = 65536,  // level-0 chunks whose contents are looked into: a field of 16,385 x 16,385 whole
    SQUARE_LEVEL = 4,     // above that: squares of 2^4 x 2^4 chunks
};

static const char *const names[KST_CHECK_KINDS] = {"checksums", "borders", "bounds", "errors", "holes",
                                                   "coverage",  "ground",  "zones",  "seams"};

void kst_check_fail(kst_tally *tally, uint64_t key, const char *format, ...) {
    ++tally->failed;
    if (tally->failed > 1 && key >= tally->key) return;
    tally->key = key;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tally->first, sizeof tally->first, format, arguments);
    va_end(arguments);
}

void kst_check_ease(const kst_checking *c) {
    kst_file_release(&c->pack->file, 0, c->pack->file.size);
}

// ---- which chunks ----------------------------------------------------------------------------------

static int compare_index(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

// All chunks of the squares, each square at a random place of its own share of the list of squares.
static size_t choose_squares(const kst_directory *d, size_t most, int square_level, size_t *out) {
    size_t side = (size_t)1 << square_level, across = (size_t)d->chunks_x[0];
    size_t columns = (across + side - 1) / side, squares = columns * (((size_t)d->chunks_z[0] + side - 1) / side);
    size_t wanted = most / (side * side), count = 0;
    for (size_t k = 0; k < wanted; ++k) {
        size_t from = squares * k / wanted, to = squares * (k + 1) / wanted;
        size_t square = from + (size_t)(kst_random(d->world_hash, k) % (to - from));
        for (size_t i = 0; i < side * side; ++i) {
            size_t x = square % columns * side + i % side, z = square / columns * side + i / side;
            if (x < across && z < (size_t)d->chunks_z[0]) out[count++] = z * across + x;
        }
    }
    qsort(out, count, sizeof *out, compare_index);
    return count;
}

karst_status kst_check_choose(const karst_pack *pack, size_t most, int square_level, size_t **out, size_t *count,
                              size_t *room) {
    const kst_directory *d = &pack->directory;
    size_t all = (size_t)d->chunks_x[0] * (size_t)d->chunks_z[0];
    *room = all < most ? all : most;
    *out = kst_alloc_array(NULL, *room, sizeof **out);
    if (!*out) return KARST_ERROR_MEMORY;
    if (all > most) {
        *count = choose_squares(d, most, square_level, *out);
    } else {
        for (size_t i = 0; i < all; ++i) (*out)[i] = i;
        *count = all;
    }
    return KARST_OK;
}

// ---- checksums -------------------------------------------------------------------------------------

// A record whose ancestors are damaged cannot be read, which is not its own fault.
static karst_status ancestors_are_sound(const karst_pack *pack, size_t record, bool *sound) {
    const kst_directory *d = &pack->directory;
    for (*sound = true; record && *sound;) {
        kst_record_place p = kst_pack_place_of(d, record);
        record = kst_pack_record_of(d, p.level + 1, p.x, p.z);
        kst_family *family;
        karst_status status = kst_family_get(pack, record, &family);
        if (status == KARST_ERROR_MEMORY) return status;
        *sound = !status;
        if (!status) kst_family_drop(pack, family);
    }
    return KARST_OK;
}

static karst_status check_sums(int begin, int end, int worker, void *context) {
    kst_checking *c = context;
    const kst_directory *d = &c->pack->directory;
    kst_tally *tally = &c->tally[worker][KST_CHECK_CHECKSUMS];
    for (size_t record = (size_t)begin; record < (size_t)end; ++record) {
        kst_family *family = NULL;
        karst_status bytes = kst_pack_record_status(c->pack, record), read = kst_family_get(c->pack, record, &family);
        kst_family_drop(c->pack, family);
        bool sound = true;
        karst_status status = !bytes && read ? ancestors_are_sound(c->pack, record, &sound) : KARST_OK;
        if (read == KARST_ERROR_MEMORY) status = read;
        if (status) return status;
        if (kst_check_try(tally, !bytes && (!read || !sound))) continue;
        kst_record_place p = {d->level_count - 1, 0, 0};
        if (record) p = kst_pack_place_of(d, record);
        kst_check_fail(tally, kst_check_key(p.level, KST_PASS_LOOK, record),
                       record ? "level %d chunks from (%d, %d): checksum or contents of their record"
                              : "level %d chunk (%d, %d): checksum or contents",
                       p.level, record ? 2 * p.x : 0, record ? 2 * p.z : 0);
    }
    kst_check_ease(c);
    return KARST_OK;
}

static karst_status check_parts(kst_checking *c) {
    kst_tally *tally = &c->tally[0][KST_CHECK_CHECKSUMS];
    if (!kst_check_try(tally, kst_pack_front_is_sound(c->pack)))
        kst_check_fail(tally, 0, "header, directory or tables changed since the pack was opened");
    for (int m = 0; m < karst_pack_map_count(c->pack); ++m) {
        karst_map map;
        const char *name = c->pack->directory.maps[m].name;
        karst_status status = karst_pack_map(c->pack, name, &map);
        if (status == KARST_ERROR_MEMORY) return status;
        if (!kst_check_try(tally, !status)) kst_check_fail(tally, 1, "map %s: checksum or contents", name);
    }
    return kst_jobs_run(c->jobs, (int)c->pack->directory.record_count, 4, check_sums, c, c->progress, "checksums", 0,
                        1);
}

// ---- all -------------------------------------------------------------------------------------------

static void add_up(const kst_checking *c, int workers, karst_check *checks) {
    for (int kind = 0; kind < KST_CHECK_KINDS; ++kind) {
        const kst_tally *least = NULL;
        checks[kind] = (karst_check){.name = names[kind]};
        for (int w = 0; w < workers; ++w) {
            const kst_tally *t = &c->tally[w][kind];
            checks[kind].tried += t->tried;
            checks[kind].failed += t->failed;
            if (t->failed && (!least || t->key < least->key)) least = t;
        }
        if (least) memcpy(checks[kind].first, least->first, sizeof least->first);
    }
}

karst_status karst_pack_check(karst_pack *pack, karst_jobs *jobs, const karst_progress *progress, karst_check *checks,
                              int *check_count) {
    if (karst_pack_refresh(pack) < karst_pack_info_of(pack).file_bytes) return KARST_ERROR_PENDING;
    int workers = karst_jobs_worker_count(jobs);
    kst_checking c = {.pack = pack, .jobs = jobs, .progress = progress};
    c.tally = kst_alloc_zero(NULL, (size_t)workers * sizeof *c.tally);
    karst_status status =
        c.tally ? kst_check_choose(pack, CHOSEN_MOST, SQUARE_LEVEL, &c.chosen, &c.chosen_count, &c.chosen_room)
                : KARST_ERROR_MEMORY;
    if (!status) status = check_parts(&c);
    if (!status) status = kst_check_levels(&c);
    if (!status) status = kst_check_ground(&c);
    if (!status) status = kst_check_zones(&c);
    if (!status) {
        add_up(&c, workers, checks);
        *check_count = checks[KST_CHECK_SEAMS].tried ? KST_CHECK_KINDS
                       : karst_pack_zone_count(pack) ? KST_CHECK_SEAMS
                                                     : KST_CHECK_ZONES;
    }
    kst_free(NULL, c.chosen, c.chosen_room * sizeof *c.chosen);
    kst_free(NULL, c.tally, (size_t)workers * sizeof *c.tally);
    return status;
}
