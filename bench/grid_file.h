// SPDX-License-Identifier: MIT
// A whole grid of integers in one run of bytes, by the codec of the pack: root, weights and tables, then records,
// coarse level first. What the codec's bench measures; everything that is needed to read it back is in it.
#pragma once
#include "pack/plane.h"

typedef struct grid_file {
    uint8_t *bytes;
    size_t size, room;
} grid_file;

// values: columns x rows, both at least 2. hole: a byte a sample, where not 0 any value may come back; or NULL. unit:
// odd; other values come back within (unit - 1) / 2.
karst_status grid_file_encode(const int32_t *values, const uint8_t *hole, int columns, int rows, int32_t unit,
                              grid_file *out);
void grid_file_free(grid_file *file);

// A file being read: its levels as far as they are decoded.
typedef struct grid_reader grid_reader;
karst_status grid_reader_open(const uint8_t *bytes, size_t size, grid_reader **out);
void grid_reader_close(grid_reader *reader);
// Decode all levels.
karst_status grid_reader_read(grid_reader *reader);
// Decode one record of the finest level again, its parents being there. Records are numbered in the order of the file.
int grid_reader_finest_count(const grid_reader *reader);
karst_status grid_reader_record(grid_reader *reader, int record);
// Of the finest level, after reading, clamped to the values' least and most.
void grid_reader_values(const grid_reader *reader, int32_t *out);
void grid_reader_values16(const grid_reader *reader, int16_t *out);  // of a file whose values fit
