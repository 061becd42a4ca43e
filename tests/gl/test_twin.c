// SPDX-License-Identifier: MIT
// The vertex stage and karst_frame_expand() draw the same triangles.
#include "gl/program.h"
#include "stage.h"

enum { W = 640, H = 360, SIDE = 257 };
typedef struct drawn {
    float at[3], cell[2];
} drawn;

// The ground's vertex stage alone, its results captured.
static GLuint capture_program(const char *defines) {
    const char *parts[5] = {kst_shader_find("prologue.glsl"), defines, kst_shader_find("frame.glsl"),
                            kst_shader_find("drawn.glsl"), kst_shader_find("ground.vert.glsl")};
    const char *names[2] = {"v_at", "v_cell"};
    GLuint shader = glCreateShader(GL_VERTEX_SHADER), program = glCreateProgram();
    glShaderSource(shader, 5, parts, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glDeleteShader(shader);
    glTransformFeedbackVaryings(program, 2, names, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    assert_true(ok);
    const struct {
        const char *name;
        int unit;
    } units[] = {{"u_vertices", KST_UNIT_VERTICES},
                 {"u_normals", KST_UNIT_NORMALS},
                 {"u_chunks", KST_UNIT_CHUNKS},
                 {"u_depend", KST_UNIT_DEPEND}};
    for (int k = 0; k < 4; ++k) {
        GLint at = glGetUniformLocation(program, units[k].name);
        if (at >= 0) glProgramUniform1i(program, at, units[k].unit);
    }
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Frame"), 0);
    return program;
}

typedef struct tally {
    long vertices, equal, triangles;
    double worst_m;
} tally;

// One patch through the program and through the twin.
static void compare_patch(const stage *s, const karst_frame *frame, int patch, int lattice, GLuint program, tally *t) {
    static drawn captured[3 * KARST_PATCH_MAX_TRIANGLES];
    static karst_drawn_vertex expected[3 * KARST_PATCH_MAX_TRIANGLES];
    int count = s->gl->index_count[lattice];
    glNamedBufferData(s->gl->patches, sizeof(karst_patch), &frame->patches[patch], GL_STREAM_DRAW);
    GLuint buffer;
    glCreateBuffers(1, &buffer);
    glNamedBufferData(buffer, sizeof captured, NULL, GL_STREAM_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    glUseProgram(program);
    glBindVertexArray(s->gl->array);
    glVertexArrayVertexBuffer(s->gl->array, 0, s->gl->patches, 0, sizeof(karst_patch));
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_TRIANGLES);
    glDrawElementsInstanced(GL_TRIANGLES, count, GL_UNSIGNED_SHORT,
                            (const void *)(s->gl->index_first[lattice] * sizeof(uint16_t)), 1);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glGetNamedBufferSubData(buffer, 0, count * (GLsizeiptr)sizeof *captured, captured);
    glDeleteBuffers(1, &buffer);

    int triangles = karst_frame_expand(frame, s->scene, patch, expected), at = 0;
    const karst_frame_chunk *chunk = &frame->chunks[frame->patches[patch].chunk_index];
    for (int k = 0; k < count; k += 3) {
        const drawn *v = captured + k;
        float area = (v[1].cell[0] - v[0].cell[0]) * (v[2].cell[1] - v[0].cell[1]) -
                     (v[2].cell[0] - v[0].cell[0]) * (v[1].cell[1] - v[0].cell[1]);
        if (area == 0) continue;  // collapsed by a snap; the twin leaves it out
        assert_true(at < triangles);
        for (int c = 0; c < 3; ++c) {
            const karst_drawn_vertex *e = &expected[3 * at + c];
            assert_true(v[c].cell[0] + (float)chunk->column == e->column && v[c].cell[1] + (float)chunk->row == e->row);
            double d[3] = {v[c].at[0] - (double)e->position.x, v[c].at[1] - (double)e->position.y,
                           v[c].at[2] - (double)e->position.z};
            double off = fmax(fmax(fabs(d[0]), fabs(d[1])), fabs(d[2]));
            t->worst_m = fmax(t->worst_m, off);
            t->equal += off == 0;
            ++t->vertices;
        }
        ++at;
    }
    assert_int_equal(at, triangles);
    t->triangles += triangles;
}

static tally compare_frames(bool displaced, const char *defines, int cameras) {
    static uint8_t rgb[3 * W * H];
    stage s = stage_make(rough_field(SIDE, 2, displaced, false), "#define KARST_PLAIN\n");
    GLuint program = capture_program(defines);
    karst_gl_look look = look_on_red();
    tally t = {0};
    for (prop p = prop_begin("twin", cameras); prop_next(&p);) {
        double x = prop_real(&p, 0, 512), z = prop_real(&p, 0, 512), y;
        assert_true(karst_scene_height(s.scene, x, z, &y));
        karst_pos eye = {x, y + pow(2, prop_real(&p, 0, 8)), z}, at = {256, 0, 256};
        karst_view view = karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
        karst_budget budget = karst_budget_default();
        budget.error_px = (float)pow(2, prop_real(&p, 0, 7));
        karst_frame frame;
        draw_still(&s, &view, &budget, &look, &frame, rgb);  // leaves textures and uniforms bound
        for (int b = 0; b < frame.batch_count; ++b)
            for (int k = 0; k < frame.batches[b].patch_count; k += 7)
                compare_patch(&s, &frame, frame.batches[b].first_patch + k, frame.batches[b].lattice, program, &t);
    }
    glDeleteProgram(program);
    stage_clear(&s);
    print_message("%s: %ld triangles, %ld of %ld vertices bit for bit, worst %.3g m\n",
                  displaced ? "displaced" : "heights", t.triangles, t.equal, t.vertices, t.worst_m);
    return t;
}

static void shader_draws_what_expand_says(void **state) {
    (void)state;
    need_context();
    for (int displaced = 0; displaced < 2; ++displaced) {
        tally t = compare_frames(displaced, "", 25);
        assert_true(t.triangles > 10000);
        assert_true(t.worst_m < 1e-4);
        assert_true((double)t.equal > 0.999 * (double)t.vertices);
    }
}

// Control: other edges, other vertices.
static void control_differs(void **state) {
    (void)state;
    need_context();
    const char *parts[1] = {"#define KARST_SHALLOW\n"};  // wrong where an edge is two levels above its patch
    tally t = compare_frames(false, parts[0], 25);
    assert_true(t.worst_m > 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shader_draws_what_expand_says),
        cmocka_unit_test(control_differs),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
