// SPDX-License-Identifier: MIT
// GLSL: compile and link.
#include "glsl.h"

#include <epoxy/gl.h>

#include "core/core.h"

static GLuint compile(const char *what, GLenum type, const char *text, karst_report *report) {
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good) return shader;
    char log[256] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    kst_fail(report, KARST_ERROR_UNSUPPORTED, "the %s shader does not compile on this driver: %s", what, log);
    glDeleteShader(shader);
    return 0;
}

unsigned glsl_link(const char *what, const char *vertex, const char *fragment, karst_report *report) {
    GLuint first = compile(what, GL_VERTEX_SHADER, vertex, report);
    GLuint second = first ? compile(what, GL_FRAGMENT_SHADER, fragment, report) : 0;
    GLuint program = 0;
    if (second) {
        program = glCreateProgram();
        glAttachShader(program, first);
        glAttachShader(program, second);
        glLinkProgram(program);
        GLint good = 0;
        glGetProgramiv(program, GL_LINK_STATUS, &good);
        if (!good) {
            kst_fail(report, KARST_ERROR_UNSUPPORTED, "the %s shader does not link on this driver", what);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(first);
    glDeleteShader(second);
    return program;
}
