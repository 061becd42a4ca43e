// SPDX-License-Identifier: MIT
// Shaders and karst_resident_read() get the same out of the same words, whatever the chunk; and the heap they lie in.
#include "gl/heap.h"
#include "gl/program.h"
#include "karst/resident.h"
#include "stage.h"

enum { SIDE = KARST_CHUNK_SIDE, COUNT = KARST_CHUNK_VERTICES };

typedef struct seen {  // of one vertex, captured
    int32_t place[2];
    float normal[3], shade[2];
} seen;

static GLuint make_program(void) {
    static const char *const body =
        "uniform int u_row;\n"
        "flat out ivec2 t_place;\nflat out vec3 t_normal;\nflat out vec2 t_shade;\n"
        "void main() {\n"
        "    g_first = ivec2(0);\n    g_words = u_row * 256;\n    begin_form();\n"
        "    ivec2 v = ivec2(gl_VertexID % 65, gl_VertexID / 65);\n"
        "    t_place = stored(v);\n    t_normal = stored_normal(v);\n    t_shade = stored_shade(v);\n"
        "    gl_Position = vec4(0.0);\n}\n";
    const char *parts[4] = {kst_shader_find("prologue.glsl"), kst_shader_find("frame.glsl"),
                            kst_shader_find("drawn.glsl"), body};
    static const char *const names[3] = {"t_place", "t_normal", "t_shade"};
    GLuint program = glCreateProgram(), shader = glCreateShader(GL_VERTEX_SHADER);
    glShaderSource(shader, 4, parts, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glDeleteShader(shader);
    glTransformFeedbackVaryings(program, 3, names, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    assert_true(ok);
    return program;
}

// Every component with a spread of its own anywhere in its range, sloping ground under it.
static void random_chunk(prop *p, karst_chunk *c) {
    memset(c, 0, sizeof *c);
    bool displaced = prop_chance(p, 0.7), occlusion = prop_chance(p, 0.7), fades = prop_chance(p, 0.5);
    int bits = prop_int(p, 0, 32), moved = prop_int(p, 0, 16), turned = prop_int(p, 0, 16);
    uint32_t middle = (uint32_t)prop_u64(p) >> prop_int(p, 0, 31), slope = (uint32_t)prop_int(p, -9000, 9000);
    for (int k = 0; k < COUNT; ++k) {
        uint64_t r = prop_u64(p);
        uint32_t noise = bits ? (uint32_t)r >> (32 - bits) : 0;
        c->vertex[k].y = (int32_t)(middle + noise + slope * (uint32_t)(k % SIDE) - slope * (uint32_t)(k / SIDE));
        if (displaced) c->vertex[k].dx = (int16_t)(uint16_t)(middle + (r >> 32) % (UINT64_C(1) << moved));
        if (displaced) c->vertex[k].dz = (int16_t)(uint16_t)((r >> 48) % (UINT64_C(1) << moved) - middle);
        c->normal[k] = (uint16_t)(0x7F7F + (r >> 16) % (UINT64_C(1) << turned));
    }
    for (int k = 0; k < KARST_HALF_VERTICES; ++k) {
        c->occlusion[k] = occlusion ? (uint8_t)prop_u64(p) : 0;
        c->transparency[k] = fades ? (uint8_t)prop_u64(p) : 0;
    }
}

static long differences(const seen *got, const uint32_t *words) {
    long bad = 0;
    for (int k = 0; k < COUNT; ++k) {
        karst_resident_vertex v = karst_resident_read(words, k % SIDE, k / SIDE);
        karst_vec3 n = karst_normal_decode(v.normal);
        int32_t sideways = (int32_t)((uint32_t)(uint16_t)v.vertex.dx | (uint32_t)(uint16_t)v.vertex.dz << 16);
        bool same = got[k].place[0] == v.vertex.y && got[k].place[1] == sideways;
        same &= got[k].shade[0] == v.occlusion && got[k].shade[1] == v.opacity;
        same &= fabsf(got[k].normal[0] - n.x) + fabsf(got[k].normal[1] - n.y) + fabsf(got[k].normal[2] - n.z) < 1e-5f;
        bad += !same;
    }
    return bad;
}

static void shaders_read_what_was_packed(void **state) {
    (void)state;
    need_context();
    GLuint program = make_program(), buffer, array, target;
    glCreateFramebuffers(1, &target);  // a context without a window has none
    glNamedFramebufferParameteri(target, GL_FRAMEBUFFER_DEFAULT_WIDTH, 1);
    glNamedFramebufferParameteri(target, GL_FRAMEBUFFER_DEFAULT_HEIGHT, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glCreateVertexArrays(1, &array);
    glCreateBuffers(1, &buffer);
    glNamedBufferData(buffer, COUNT * sizeof(seen), NULL, GL_STREAM_READ);
    static kst_run runs[40];
    memset(runs, 0, sizeof runs);
    kst_heap heap = {0};
    karst_chunk *c = malloc(sizeof *c);
    uint32_t *words = calloc(KARST_RESIDENT_WORDS_MAX + KST_HEAP_WIDTH, sizeof *words);
    seen *got = malloc(COUNT * sizeof *got);
    long bad = 0, control = 0, vertices = 0;
    for (prop p = prop_begin("words", 200); prop_next(&p);) {
        random_chunk(&p, c);
        kst_run *run = &runs[prop_int(&p, 0, 39)];  // others stay, so that places differ
        assert_int_equal(kst_heap_put(&heap, words, karst_resident_pack(c, words), run), KARST_OK);
        glUseProgram(program);
        glUniform1i(glGetUniformLocation(program, "u_row"), run->row);
        glUniform1i(glGetUniformLocation(program, "u_words"), 0);
        glBindTextureUnit(0, heap.texture);
        glBindVertexArray(array);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
        glEnable(GL_RASTERIZER_DISCARD);
        glBeginTransformFeedback(GL_POINTS);
        glDrawArrays(GL_POINTS, 0, COUNT);
        glEndTransformFeedback();
        glDisable(GL_RASTERIZER_DISCARD);
        glGetNamedBufferSubData(buffer, 0, COUNT * (GLsizeiptr)sizeof *got, got);
        bad += differences(got, words);
        words[1] ^= 1;  // control: another whole vertex
        control += differences(got, words);
        vertices += COUNT;
    }
    print_message("%ld of %ld vertices differ, %ld in the control\n", bad, vertices, control);
    assert_int_equal(bad, 0);
    assert_true(control > 0);
    free(c);
    free(words);
    free(got);
    kst_heap_destroy(&heap);
    glDeleteProgram(program);
    glDeleteBuffers(1, &buffer);
    glDeleteVertexArrays(1, &array);
    glDeleteFramebuffers(1, &target);
}

// Runs never overlap, keep what was put there while the heap grows, and rows given back are taken again.
static void the_heap_keeps_what_it_holds(void **state) {
    (void)state;
    need_context();
    enum { RUNS = 150, WORDS = 60 * KST_HEAP_WIDTH };
    static kst_run runs[RUNS];
    static uint32_t words[WORDS];
    static int put[RUNS];
    memset(runs, 0, sizeof runs);
    kst_heap heap = {0};
    int32_t most = 0;
    for (prop p = prop_begin("heap", 600); prop_next(&p);) {
        int k = prop_int(&p, 0, RUNS - 1), count = prop_int(&p, 1, WORDS);
        for (int w = 0; w < WORDS; ++w) words[w] = (uint32_t)(p.at * WORDS + w);
        assert_int_equal(kst_heap_put(&heap, words, count, &runs[k]), KARST_OK);
        put[k] = p.at;
        most = heap.layers;
        for (int o = 0; o < RUNS; ++o)
            prop_check(&p, o == k || !runs[o].rows || runs[o].row >= runs[k].row + runs[k].rows ||
                               runs[k].row >= runs[o].row + runs[o].rows);
    }
    size_t size = (size_t)most * KST_HEAP_HEIGHT * KST_HEAP_WIDTH;
    uint32_t *all = malloc(size * sizeof *all);
    glGetTextureImage(heap.texture, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, (GLsizei)(size * sizeof *all), all);
    for (int k = 0; k < RUNS; ++k)
        if (runs[k].rows) assert_int_equal(all[(size_t)runs[k].row * KST_HEAP_WIDTH], (uint32_t)(put[k] * WORDS));
    assert_true(most <= 8);  // 150 runs of 30 rows in the mean: 4.4 layers
    free(all);
    kst_heap_destroy(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shaders_read_what_was_packed),
        cmocka_unit_test(the_heap_keeps_what_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
