// SPDX-License-Identifier: MIT
// Resident form: a chunk as 32-bit words that a shader reads at random. See docs/lod.md.
//
// Of a chunk's exact integers only what its own ground needs is kept: every eighth vertex whole, the others less a
// bilinear surface through those, each component in as many bits as its spread takes in a block of 8 x 8 cells. Nothing
// is rounded, so borders stay equal bit for bit between chunks and levels; a chunk of any contents has a form. Words
// are relocatable: all places count from the chunk's first word, wherever that lies.
//
//     word 0       bits 0-15: words of the form; 16: displaced, 17: occlusion, 18: transparency, 19: holes
//     word 1       y of vertices (8a, 8b), 9 a row, 81 words
//     then         displaced: dx in the low half, dz in the high, 81 words
//                  normal in the low half, occlusion in byte 2, transparency in byte 3, 81 words
//                  blocks, 8 a row, 64 times two words:
//                    bits 0-5: width of y, 0..32; 6-10: of dx, 11-15: of dz, 0..16; 16-19: of nx, 20-23: of nz,
//                    24-27: of occlusion, 28-31: of transparency, 0..8 (nx and nz: the low and high byte of a normal)
//                    bits 0-13: the word where its data begin; 14: it has holes; 15-17: base of y, 18-20: of dx, 21-23:
//                    of dz, 24-26: of nx, 27-29: of nz, in eighths
//     then         data of blocks, each from the low end of a word on: its vertices, then if occlusion or transparency
//                  has a width its 5 x 5 even vertices, then if it has holes 64 bits, (i, j) being bit 8 j + i
//
// Block (a, b) has vertices (i, j) with a = min(i / 8, 7), b = min(j / 8, 7), row by row: 8 x 8, in the last column and
// row 9. A vertex is y, dx, dz, nx, nz in their widths. With (f, g) = (i - 8 a, j - 8 b) and c the components of the
// whole vertices at the corners of the block,
//     p = c00 + ((f (8 - g) (c10 - c00) + (8 - f) g (c01 - c00) + f g (c11 - c00) + 32) >> 6)
// in 32-bit arithmetic that wraps, and the component is p + code - ((base << width) >> 3), cut to 32, 16 or 8 bits. dx
// and dz have their sign, bytes of normals none. Occlusion and transparency alike with base 4, at even (f, g); at an
// odd place they are the mean of the even ones round it. The same in GLSL ES 3.00: src/gl/shaders/drawn.glsl.
#pragma once
#include "karst/base.h"
#include "karst/chunk.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KARST_RESIDENT_PITCH = 8,            ///< cells along a block
    KARST_RESIDENT_WORDS_MAX = 11936,    ///< the most that a chunk takes: 46.6 KiB
    KARST_RESIDENT_DISPLACED = 1 << 16,  ///< flags of the first word
    KARST_RESIDENT_OCCLUSION = 1 << 17,
    KARST_RESIDENT_TRANSPARENCY = 1 << 18,
    KARST_RESIDENT_HOLES = 1 << 19,
};

/// Write a chunk's vertices, normals, occlusion, opacity and holes; its corners are not in the form.
/// @param words room for KARST_RESIDENT_WORDS_MAX @return how many were written
/// Threads: any. Cost: about 0.1 ms.
KARST_API int32_t karst_resident_pack(const karst_chunk *chunk, uint32_t *words);

/// How many words a form has, from its first one.
KARST_API int32_t karst_resident_words(uint32_t first);

/// Are these words, which may come from anywhere, a form that can be read within them? Threads: any. Cost: 64 blocks.
KARST_API bool karst_resident_check(const uint32_t *words, int32_t count);

/// A vertex read back: what went in, bit for bit.
typedef struct karst_resident_vertex {
    karst_vertex vertex;
    uint16_t normal;
    float occlusion, opacity;  ///< 0..1; of an odd vertex the mean of the even ones round it
} karst_resident_vertex;

/// Vertex (i, j), 0..64, as the shaders read it, of words that were packed or checked. Threads: any. Cost: under 0.1
/// us.
KARST_API karst_resident_vertex karst_resident_read(const uint32_t *words, int i, int j);

/// Is cell (i, j), 0..63, a hole? Otherwise as karst_resident_read().
KARST_API bool karst_resident_hole(const uint32_t *words, int i, int j);

#ifdef __cplusplus
}
#endif
