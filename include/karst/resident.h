// SPDX-License-Identifier: MIT
// Resident form: a chunk as 32-bit words that a shader reads at random. See docs/lod.md.
//
// Of a chunk's exact integers only what its own ranges need is kept: heights and displacements less a bilinear surface
// through every eighth vertex, each component of a vertex in as many bits as the chunk's spread of it takes. Nothing is
// rounded, so borders stay equal bit for bit between chunks and levels; a chunk of any contents has a form. Words are
// relocatable: `at` below counts from the chunk's first word, wherever that lies.
//
//     word 0       bits 0-5: bits of y, 0..32; 6-10: of dx; 11-15: of dz, 0..16; 16-19: of nx; 20-23: of nz, 0..8
//                  (normal codes x and z); 24: displaced, 25: occlusion, 26: transparency, 27: holes; others 0
//     word 1       least y residual                  word 2   least dx residual in the low half, dz in the high
//     word 3       least nx in byte 0, nz in byte 1
//     word 4       y of vertices (8a, 8b), 9 a row, 81 words
//                  displaced: dx in the low half, dz in the high, 81 words
//     then         vertices: B = sum of the five widths; vertex k = j * 65 + i has bits k B .. k B + B - 1, counted
//     from
//                  the low end of each word on: y, dx, dz, nx, nz; ceil(65 * 65 * B / 32) words
//                  occlusion: 33 x 33 bytes, four a word, 273 words; transparency: the same
//                  holes: cell (i, j) is bit i % 32 of word 2 j + i / 32, 128 words
//
// A vertex: with (a, b) = min(i / 8, 7), min(j / 8, 7), (f, g) = (i - 8 a, j - 8 b) and corners c of the table,
//     p = ((8 - f) (8 - g) c[a, b] + f (8 - g) c[a + 1, b] + (8 - f) g c[a, b + 1] + f g c[a + 1, b + 1] + 32) >> 6
// in 32-bit arithmetic that wraps, and y = p + least + code, wrapping; dx and dz alike, cut to 16 bits with their sign.
// The same in GLSL ES 3.00: src/gl/shaders/drawn.glsl.
#pragma once
#include "karst/base.h"
#include "karst/chunk.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KARST_RESIDENT_PITCH = 8,  ///< lattice cells between vertices of the table
    KARST_RESIDENT_SIDE = KARST_CHUNK_CELLS / KARST_RESIDENT_PITCH + 1,  ///< vertices along the table: 9
    KARST_RESIDENT_WORDS_MAX = 11403,                                    ///< the most that a chunk takes: 44.5 KiB
};

/// Write a chunk's vertices, normals, occlusion, opacity and holes; its corners are not in the form.
/// @param words room for KARST_RESIDENT_WORDS_MAX @return how many were written
/// Threads: any. Cost: about 30 us.
KARST_API int32_t karst_resident_pack(const karst_chunk *chunk, uint32_t *words);

/// How many words a form has, from its first one; 0 when that is not the first word of a form.
KARST_API int32_t karst_resident_words(uint32_t first);

/// A vertex read back: what went in, bit for bit.
typedef struct karst_resident_vertex {
    karst_vertex vertex;
    uint16_t normal;
    float occlusion, opacity;  ///< 0..1; of an odd vertex the mean of the even ones round it
} karst_resident_vertex;

/// Vertex (i, j), 0..64, as the shaders read it. Asserts that words begin a form. Threads: any. Cost: about 10 ns.
KARST_API karst_resident_vertex karst_resident_read(const uint32_t *words, int i, int j);

/// Is cell (i, j), 0..63, a hole? Asserts that words begin a form. Threads: any.
KARST_API bool karst_resident_hole(const uint32_t *words, int i, int j);

#ifdef __cplusplus
}
#endif
