// SPDX-License-Identifier: MIT
// A world to stream without a disk: viewers that walk and leap, loads that take their time or fail, and a judge that
// keeps books of its own. For the test and the bench of streaming.
#pragma once
#include "lod/stream.h"

enum { SCENE_STREAM_VIEWERS = 3, SCENE_STREAM_DELAY_MAX = 16 };

// What the judge is to see through: ways of cheating.
typedef enum scene_stream_cheat {
    SCENE_STREAM_HONEST,
    SCENE_STREAM_EARLY,      // the machine is told that loads are done at once
    SCENE_STREAM_SIM_EARLY,  // ... that loads of simulation data are
    SCENE_STREAM_GREEDY,     // it may use half more memory than there is
    SCENE_STREAM_GAP,        // now and then a shown chunk is left out
    SCENE_STREAM_TWICE,      // ... or its parent is shown too
    SCENE_STREAM_EVICT,      // ... or a shown chunk is evicted
    SCENE_STREAM_CHEATS
} scene_stream_cheat;

typedef struct scene_stream_def {
    int32_t chunks_x, chunks_z;     // level 0
    int delay_max;                  // ticks a load takes at most, 1..SCENE_STREAM_DELAY_MAX
    double damaged, late, dropped;  // share of chunks; of chunks not there at first; of loads
    int apart;                      // levels by which neighbours may differ; 0: any
    double leap;                    // chance a tick and viewer
    double reach;                   // a node splits nearer than this many of its sides
    double sim_radius;              // [level-0 chunks]
    uint64_t memory_bytes, rate_bytes;
    scene_stream_cheat cheat;
    uint64_t seed;
} scene_stream_def;

// What went wrong, in ticks but where it says otherwise.
typedef struct scene_stream_faults {
    int64_t uncovered;    // some ground not shown exactly once
    int64_t over_budget;  // more memory used than there is
    int64_t absent;       // something shown was not here
    int64_t evicted;      // something shown was evicted
    int64_t orphan;       // something here or loading without its parent
    int64_t apart;        // neighbours more levels apart than they may
    int64_t early;        // ground got finer before its simulation data was here
    int64_t misreported;  // chunks that failed and were not told of exactly once
    int64_t misstated;    // machine and books disagree over the state of a chunk
} scene_stream_faults;

typedef struct scene_stream scene_stream;  // malloc'ed

// NULL when there is no memory.
scene_stream *scene_stream_create(const scene_stream_def *def);
void scene_stream_destroy(scene_stream *w);
// Move the viewers (but when `still`), let time pass for loads, tick the machine and judge. Returns its status.
karst_status scene_stream_step(scene_stream *w, bool still, kst_stream_out *out);

kst_stream *scene_stream_machine(scene_stream *w);
const scene_stream_faults *scene_stream_faults_of(const scene_stream *w);
// Hash over all that the machine decided so far.
uint64_t scene_stream_hash(const scene_stream *w);
// Deliver the arrivals of a tick in another order.
void scene_stream_shuffle(scene_stream *w, uint64_t seed);
// Bytes that are wanted from where the viewers are and neither here nor damaged nor late.
uint64_t scene_stream_missing(const scene_stream *w);
// Whether what is shown is what the viewers want, but for what damage, lateness and lack of memory leave out.
bool scene_stream_is_settled(const scene_stream *w, const kst_stream_out *out);
// Chunks that were late are there now, and damaged ones are mended; the machine is told to ask again.
void scene_stream_mend(scene_stream *w);
// Seconds of processor time inside the machine so far.
double scene_stream_seconds(const scene_stream *w);
