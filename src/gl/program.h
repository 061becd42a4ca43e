// SPDX-License-Identifier: MIT
// Programs: shader texts travel inside the library and are put together here.
#pragma once
#include <epoxy/gl.h>

#include "core/core.h"

typedef struct kst_shader_text {
    const char *name, *text;
} kst_shader_text;
extern const kst_shader_text kst_shader_texts[];  // ends with name NULL

// Text of an embedded shader file; NULL when there is none of that name.
const char *kst_shader_find(const char *name);

enum { KST_STAGE_FILES = 16 };

// One stage: files that are joined after the prologue.
typedef struct kst_stage {
    GLenum type;
    const char *files[KST_STAGE_FILES];
} kst_stage;

// Compile and link. defines: lines put after #version, may be "".
karst_status kst_program_build(const kst_stage *stages, int count, const char *defines, karst_report *report,
                               GLuint *out);
