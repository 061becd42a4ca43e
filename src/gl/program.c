// SPDX-License-Identifier: MIT
// Programs: shader texts travel inside the library and are put together here.
#include "gl/program.h"

const char *kst_shader_find(const char *name) {
    for (const kst_shader_text *t = kst_shader_texts; t->name; ++t)
        if (!strcmp(t->name, name)) return t->text;
    return NULL;
}

static karst_status compile(const kst_stage *stage, const char *defines, karst_report *report, GLuint *out) {
    const char *parts[KST_STAGE_FILES + 2] = {kst_shader_find("prologue.glsl"), defines};
    int count = 2;
    for (int k = 0; k < KST_STAGE_FILES && stage->files[k]; ++k) {
        parts[count] = kst_shader_find(stage->files[k]);
        KARST_ASSERT(parts[count]);
        ++count;
    }
    GLuint shader = glCreateShader(stage->type);
    glShaderSource(shader, count, parts, NULL);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[400] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        log[strcspn(log, "\n")] = 0;  // the first complaint
        glDeleteShader(shader);
        return kst_fail(report, KARST_ERROR_UNSUPPORTED, "the driver refuses shader %s: %s", stage->files[0], log);
    }
    *out = shader;
    return KARST_OK;
}

karst_status kst_program_build(const kst_stage *stages, int count, const char *defines, karst_report *report,
                               GLuint *out) {
    GLuint program = glCreateProgram();
    karst_status status = KARST_OK;
    for (int k = 0; k < count && !status; ++k) {
        GLuint shader = 0;
        status = compile(&stages[k], defines, report, &shader);
        if (status) break;
        glAttachShader(program, shader);
        glDeleteShader(shader);  // goes with the program
    }
    GLint ok = 0;
    if (!status) {
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &ok);
    }
    if (!status && !ok) {
        char log[400] = "";
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        log[strcspn(log, "\n")] = 0;
        status = kst_fail(report, KARST_ERROR_UNSUPPORTED, "the driver cannot link %s: %s", stages[0].files[0], log);
    }
    if (status) {
        glDeleteProgram(program);
        return status;
    }
    *out = program;
    return KARST_OK;
}
