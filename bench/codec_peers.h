// SPDX-License-Identifier: MIT
// What other codecs make of a grid, through GDAL in memory: written and read back once, checked at every sample.
#pragma once
#include "bench.h"

typedef enum codec_peer_kind { CODEC_LERC, CODEC_ZSTD, CODEC_JPEG2000, CODEC_PEERS } codec_peer_kind;
extern const char *const codec_peer_names[CODEC_PEERS];

typedef struct codec_grid {
    const float *values;
    const uint8_t *hole;  // NULL: none
    int columns, rows;
    bool whole;  // all values are whole numbers that fit 16 bits
} codec_grid;

// A grid as one peer holds it. LERC keeps the bound itself; the others are given values quantised to steps of twice the
// bound. Where a kind cannot hold the grid (JPEG 2000 of more than 16 bits), or is not there: made is false.
typedef struct codec_peer {
    codec_peer_kind kind;
    const codec_grid *grid;
    double bound;
    bool made;
    char path[64];
    size_t bytes;
    double largest_error;
    double step, offset;  // value = offset + step * stored
    bool narrow;          // stored as 16 bits
    void *stored;
} codec_peer;

void codec_peer_make(codec_peer *peer, codec_peer_kind kind, const codec_grid *grid, double bound);
void codec_peer_free(codec_peer *peer);
// The two things that are timed. Encode writes the same file again; decode reads all of it, opening included.
void codec_peer_encode(codec_peer *peer);
void codec_peer_decode(codec_peer *peer);

// A raster of the data folder: heights as floats and what has none as holes. False when it cannot be read.
bool codec_raster_read(const char *path, float **values, uint8_t **hole, int *columns, int *rows);
