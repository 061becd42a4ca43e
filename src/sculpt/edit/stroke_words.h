// SPDX-License-Identifier: MIT
// The words of a stroke file: which key sets what, for reading and for writing alike.
#pragma once
#include "karst/stroke.h"

typedef enum kst_word_kind {
    KST_WORD_NAME,    // text
    KST_WORD_REAL,    // double
    KST_WORD_CHOICE,  // int, one of `choices`
    KST_WORD_FLAG,    // bool, yes or no
    KST_WORD_COUNT,   // int
    KST_WORD_SEED,    // uint64_t
    KST_WORD_CURVE,   // float[4]
    KST_WORD_PLACE,   // karst_pos: x,z
} kst_word_kind;

typedef struct kst_word {
    const char *name;
    kst_word_kind kind;
    size_t offset, room;  // in karst_recording; room of text
    const char *const *choices;
} kst_word;

extern const kst_word kst_brush_words[];  // ends with name NULL
extern const char *const kst_brush_kinds[];
