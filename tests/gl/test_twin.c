// SPDX-License-Identifier: MIT
// The vertex stage, the tessellation stages and karst_frame_expand() draw the same triangles.
#include "gl/program.h"
#include "stage.h"

enum { W = 640, H = 360, SIDE = 257, MOST = 2 * KARST_PATCH_MAX_TRIANGLES };  // tessellated: as many without area
typedef struct drawn {
    float at[3], cell[2];
} drawn;

typedef struct capture {
    GLuint program, buffer, query;
    bool tess;
} capture;

// The files of one stage, compiled.
static void attach(GLuint program, GLenum type, const char *defines, const char *const files[]) {
    const char *parts[8] = {kst_shader_find("prologue.glsl"), defines};
    int count = 2;
    for (int k = 0; files[k]; ++k) parts[count++] = kst_shader_find(files[k]);
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, count, parts, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glDeleteShader(shader);
}

// The stages of the ground before the fragments, their results captured.
static capture capture_create(bool tess, const char *defines) {
    static const char *const vertex[] = {"frame.glsl", "drawn.glsl", "vertex.glsl", "ground.vert.glsl", NULL},
                             *const patch[] = {"tess.vert.glsl", NULL}, *const control[] = {"tess.tesc.glsl", NULL},
                             *const evaluation[] = {"frame.glsl", "drawn.glsl", "vertex.glsl", "tess.tese.glsl", NULL};
    const char *names[2] = {"v_at", "v_cell"};
    capture c = {.program = glCreateProgram(), .tess = tess};
    if (tess) {
        attach(c.program, GL_TESS_EVALUATION_SHADER, defines, evaluation);
        attach(c.program, GL_TESS_CONTROL_SHADER, defines, control);
    }
    attach(c.program, GL_VERTEX_SHADER, defines, tess ? patch : vertex);
    glTransformFeedbackVaryings(c.program, 2, names, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(c.program);
    GLint ok = 0;
    glGetProgramiv(c.program, GL_LINK_STATUS, &ok);
    assert_true(ok);
    const struct {
        const char *name;
        int unit;
    } units[] = {{"u_words", KST_UNIT_WORDS}, {"u_chunks", KST_UNIT_CHUNKS}, {"u_depend", KST_UNIT_DEPEND}};
    for (int k = 0; k < 3; ++k) {
        GLint at = glGetUniformLocation(c.program, units[k].name);
        if (at >= 0) glProgramUniform1i(c.program, at, units[k].unit);
    }
    glUniformBlockBinding(c.program, glGetUniformBlockIndex(c.program, "Frame"), 0);
    glCreateBuffers(1, &c.buffer);
    glNamedBufferData(c.buffer, 3 * MOST * sizeof(drawn), NULL, GL_STREAM_READ);
    glCreateQueries(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, 1, &c.query);
    return c;
}

static void capture_destroy(capture *c) {
    glDeleteProgram(c->program);
    glDeleteBuffers(1, &c->buffer);
    glDeleteQueries(1, &c->query);
}

// Triangles of one patch; how many.
static int capture_patch(const capture *c, const stage *s, const karst_patch *patch, int lattice, drawn *out) {
    glNamedBufferData(s->gl->patches, sizeof *patch, patch, GL_STREAM_DRAW);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, c->buffer);
    glUseProgram(c->program);
    glBindVertexArray(s->gl->array);
    glVertexArrayVertexBuffer(s->gl->array, 0, s->gl->patches, 0, sizeof *patch);
    glPatchParameteri(GL_PATCH_VERTICES, 1);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, c->query);
    glBeginTransformFeedback(GL_TRIANGLES);
    if (c->tess)
        glDrawArraysInstanced(GL_PATCHES, 0, 1, 1);
    else
        glDrawElementsInstanced(GL_TRIANGLES, s->gl->index_count[lattice], GL_UNSIGNED_SHORT,
                                (const void *)(s->gl->index_first[lattice] * sizeof(uint16_t)), 1);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glDisable(GL_RASTERIZER_DISCARD);
    GLint count = 0;
    glGetQueryObjectiv(c->query, GL_QUERY_RESULT, &count);
    glGetNamedBufferSubData(c->buffer, 0, 3 * count * (GLsizeiptr)sizeof *out, out);
    return count;
}

// ---- the same triangles, in any order and from any of their corners ------------------------------------------------

static int by_cell(const void *a, const void *b) {
    const drawn *x = a, *y = b;
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 2; ++k)
            if (x[c].cell[k] != y[c].cell[k]) return x[c].cell[k] < y[c].cell[k] ? -1 : 1;
    return 0;
}

// Those without area left out, each begun at its first corner, sorted. @return how many
static int put_in_order(drawn *list, int count) {
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        drawn v[3];
        memcpy(v, list + 3 * k, sizeof v);
        float area = (v[1].cell[0] - v[0].cell[0]) * (v[2].cell[1] - v[0].cell[1]) -
                     (v[2].cell[0] - v[0].cell[0]) * (v[1].cell[1] - v[0].cell[1]);
        if (area == 0) continue;
        int first = 0;
        for (int c = 1; c < 3; ++c)
            if (v[c].cell[1] < v[first].cell[1] ||
                (v[c].cell[1] == v[first].cell[1] && v[c].cell[0] < v[first].cell[0]))
                first = c;
        for (int c = 0; c < 3; ++c) list[3 * kept + c] = v[(first + c) % 3];
        ++kept;
    }
    qsort(list, (size_t)kept, 3 * sizeof *list, by_cell);
    return kept;
}

typedef struct tally {
    long vertices, equal, triangles, strange, mirrored,
        patches[KARST_LATTICE_COUNT];  // strange: triangles of one side alone
    double worst_m;
} tally;

// One patch through the stages and through the twin.
static void compare_patch(const capture *c, const stage *s, const karst_frame *frame, int patch, int lattice,
                          tally *t) {
    static drawn captured[3 * MOST], expected[3 * KARST_PATCH_MAX_TRIANGLES];
    static karst_drawn_vertex twin[3 * KARST_PATCH_MAX_TRIANGLES];
    int count = put_in_order(captured, capture_patch(c, s, &frame->patches[patch], lattice, captured));
    int wanted = karst_frame_expand(frame, s->scene, patch, twin);
    const karst_frame_chunk *chunk = &frame->chunks[frame->patches[patch].chunk_index];
    bool turned =
        chunk->mirror_x != chunk->mirror_z;  // expand turns the triangles of one mirror over, the stages do not
    t->mirrored += chunk->mirror_x || chunk->mirror_z;
    for (int k = 0; k < 3 * wanted; ++k) {
        const karst_drawn_vertex *e = &twin[turned ? k - k % 3 + 2 - k % 3 : k];
        expected[k] = (drawn){{e->position.x, e->position.y, e->position.z},
                              {e->column - (float)chunk->column, e->row - (float)chunk->row}};
    }
    assert_int_equal(put_in_order(expected, wanted), wanted);
    t->triangles += wanted;
    ++t->patches[lattice];
    if (count != wanted) {
        t->strange += abs(count - wanted);
        return;
    }
    for (int k = 0; k < count; ++k) {
        const drawn *a = captured + 3 * k, *b = expected + 3 * k;
        if (by_cell(a, b)) {
            ++t->strange;
            continue;
        }
        for (int v = 0; v < 3; ++v) {
            double off = 0;
            for (int d = 0; d < 3; ++d) off = fmax(off, fabs((double)a[v].at[d] - (double)b[v].at[d]));
            t->worst_m = fmax(t->worst_m, off);
            t->equal += off == 0;
            ++t->vertices;
        }
    }
}

static int lattice_of(const karst_patch *p) {
    const float *l = p->corner_level;
    int level = (int)fminf(fminf(l[0], l[1]), fminf(l[2], l[3]));
    return level < 4 ? level : 4 + ((p->patch_x + p->patch_z) & 1);
}

// Frames of random cameras, and the same patches with any levels at their corners.
static tally compare_frames(bool tess, bool displaced, const char *defines, int cameras) {
    static uint8_t rgb[3 * W * H];
    stage s = stage_make(rough_field(SIDE, 2, displaced, false), "#define KARST_PLAIN\n");
    capture c = capture_create(tess, defines);
    karst_gl_look look = look_on_red();
    tally t = {0};
    for (prop p = prop_begin("twin", cameras); prop_next(&p);) {
        double x = prop_real(&p, 0, 512), z = prop_real(&p, 0, 512), y;
        assert_true(karst_scene_height(s.scene, x, z, &y));
        karst_pos eye = {x, y + pow(2, prop_real(&p, 0, 8)), z}, at = {256, 0, 256};
        karst_view view = karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
        karst_budget budget = karst_budget_default();
        budget.error_px = (float)pow(2, prop_real(&p, 0, 7));
        budget.skirt_m = prop_chance(&p, 0.5) ? 200 : 0;
        karst_frame frame;
        draw_still(&s, &view, &budget, &look, &frame, rgb);  // leaves textures and uniforms bound
        karst_patch *patches = malloc((size_t)frame.patch_count * sizeof *patches);
        assert_non_null(patches);
        memcpy(patches, frame.patches, (size_t)frame.patch_count * sizeof *patches);
        frame.patches = patches;
        for (int k = 0; k < frame.patch_count; k += 7) {
            compare_patch(&c, &s, &frame, k, lattice_of(&patches[k]), &t);
            for (int corner = 0; corner < 4; ++corner)
                patches[k].corner_level[corner] =
                    prop_chance(&p, 0.4) ? (float)prop_int(&p, 0, 4) : (float)prop_real(&p, 0, 4);
            compare_patch(&c, &s, &frame, k, lattice_of(&patches[k]), &t);
        }
        for (int k = 0; k < frame.patch_count && k < 8; ++k) {  // the single cells, of both parities
            for (int corner = 0; corner < 4; ++corner) patches[k].corner_level[corner] = 4;
            compare_patch(&c, &s, &frame, k, lattice_of(&patches[k]), &t);
        }
        free(patches);
    }
    capture_destroy(&c);
    stage_clear(&s);
    print_message("%s, %s: %ld triangles, %ld strange; %ld of %ld vertices bit for bit, worst %.3g m\n",
                  tess ? "tessellated" : "indexed", displaced ? "displaced" : "heights", t.triangles, t.strange,
                  t.equal, t.vertices, t.worst_m);
    return t;
}

static void expect_twins(bool tess) {
    for (int displaced = 0; displaced < 2; ++displaced) {
        tally t = compare_frames(tess, displaced, "", 6);
        assert_true(t.triangles > 10000 && (t.mirrored > 0 || getenv("KARST_TEST_QUICK")));
        for (int k = 0; k < KARST_LATTICE_COUNT; ++k) assert_true(t.patches[k] > 0);
        assert_int_equal(t.strange, 0);
        assert_true(t.worst_m < 1e-4);
        assert_true((double)t.equal > 0.999 * (double)t.vertices);
    }
}

static void the_vertex_stage_draws_what_expand_says(void **state) {
    (void)state;
    need_context();
    expect_twins(false);
}

static void the_tessellator_draws_what_expand_says(void **state) {
    (void)state;
    need_context();
    expect_twins(true);
}

// Control: other edges, other vertices.
static void control_differs(void **state) {
    (void)state;
    need_context();
    tally t = compare_frames(false, false, "#define KARST_SHALLOW\n", 3);  // wrong two levels above the patch
    assert_true(t.worst_m > 0.01);
}

// Control: half columns that stay left of their cell leave the diagonals to whoever tessellates.
static void control_diagonals_differ(void **state) {
    (void)state;
    need_context();
    tally t = compare_frames(true, false, "#define KARST_HALF_LEFT\n", 3);
    assert_true(t.strange > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vertex_stage_draws_what_expand_says),
        cmocka_unit_test(the_tessellator_draws_what_expand_says),
        cmocka_unit_test(control_differs),
        cmocka_unit_test(control_diagonals_differ),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
