// SPDX-License-Identifier: MIT
// A record: what the four children of a node add to it. The node's own chunk is all that is needed to read it.
//
//     child 0 | child 1       129 x 129 vertices of the children's level; every second of every second row is the
//     --------+--------       node's own, and a child that reaches beyond the grid of chunks is not there
//     child 2 | child 3
//
// One stream of numbers (rans.h): holes | y | dx, dz | normals | occlusion | transparency | corner tables.
#pragma once
#include "karst/chunk.h"
#include "pack/plane.h"

enum {
    KST_FINE_VERTICES = KST_FINE_SIDE * KST_FINE_SIDE,
    KST_RECORD_PLANES = 3,   // y, dx, dz
    KST_RECORD_LEVELS = 20,  // that children may be of
    KST_RECORD_HEAD = 2,     // bytes before the stream
};

// The frequencies by what they are of.
typedef enum kst_record_model {
    KST_MODEL_Y,
    KST_MODEL_SIDEWAYS,
    KST_MODEL_FORM,
    KST_MODEL_COVER,
    KST_MODELS
} kst_record_model;

// What all records of a pack share.
typedef struct kst_record_tables {
    karst_lattice lattice;
    int level_count;  // of the pack: records are of levels 0 .. level_count - 2
    bool displaced;
    int y_shift;  // y = y_low + (number << y_shift): whole metres do not pay for their fraction
    int32_t y_low;
    kst_plane_weights weights[KST_RECORD_PLANES][KST_RECORD_LEVELS];
    kst_rans_model model[KST_MODELS];
} kst_record_tables;

// Bytes of what is not in the directory (the lattice and the number of levels are); 0 when room is too small.
size_t kst_record_tables_bound(int level_count);
size_t kst_record_tables_write(const kst_record_tables *tables, uint8_t *out, size_t room);
// lattice and level_count are set before. From untrusted bytes.
bool kst_record_tables_read(const uint8_t *bytes, size_t size, kst_record_tables *tables);

// Gives one chunk; threads: as the caller of what it is handed to. Children and parents must agree where they meet.
typedef karst_status kst_chunk_fn(void *context, int level, int32_t x, int32_t z, karst_chunk *out);

// Fit weights and count frequencies on a spread of the records. lattice, level_count, displaced, y_shift and y_low are
// set before; the result does not depend on the number of threads.
karst_status kst_record_tables_learn(kst_record_tables *tables, kst_chunk_fn *fn, void *context, karst_jobs *jobs,
                                     const karst_progress *progress);

// Working memory for one record at a time, and what it is coded by.
typedef struct kst_record_coder kst_record_coder;
kst_record_coder *kst_record_coder_create(const karst_allocator *allocator, bool writes);
void kst_record_coder_destroy(kst_record_coder *coder);

// Tables made ready; shared by any number of coders.
typedef struct kst_record_slots {
    kst_rans_slots of[KST_MODELS];
} kst_record_slots;
typedef struct kst_record_codes {
    kst_rans_codes of[KST_MODELS];
} kst_record_codes;
void kst_record_slots_make(const kst_record_tables *tables, kst_record_slots *out);
void kst_record_codes_make(const kst_record_tables *tables, kst_record_codes *out);

// Which record: of node (x, z) of level + 1, whose children are of `level`.
typedef struct kst_record_place {
    int level;
    int32_t x, z;
} kst_record_place;

// How many bits of a record are of what.
typedef struct kst_record_parts {
    double holes, heights, sideways, normals, light, corners;
} kst_record_parts;

// Children that are not there are NULL. 0 when room is too small, or when the chunks do not agree where they meet.
size_t kst_record_encode_bound(void);
size_t kst_record_encode(kst_record_coder *coder, const kst_record_tables *tables, const kst_record_codes *codes,
                         kst_record_place place, const karst_chunk *parent, const karst_chunk *const children[4],
                         uint8_t *out, size_t room);
// From untrusted bytes; four chunks, of which those that are not there are left alone.
karst_status kst_record_decode(kst_record_coder *coder, const kst_record_tables *tables, const kst_record_slots *slots,
                               kst_record_place place, const karst_chunk *parent, const uint8_t *bytes, size_t size,
                               karst_chunk children[4]);
// Of the record that was decoded last.
kst_record_parts kst_record_parts_of(const kst_record_coder *coder);

// Is child k of the record inside the grid of chunks?
static inline bool kst_record_has(const kst_record_tables *t, kst_record_place p, int child) {
    int64_t cells = (int64_t)KARST_CHUNK_CELLS << p.level;
    return (2 * p.x + (child & 1)) * cells < t->lattice.shape.columns - 1 &&
           (2 * p.z + (child >> 1)) * cells < t->lattice.shape.rows - 1;
}
