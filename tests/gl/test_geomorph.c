// SPDX-License-Identifier: MIT
// Geomorphs on the screen: a fly-by over an army whose levels the governor gives shows no pop above a pixel.
//
// Each frame's camera draws twice: with the levels of the frame before, and with its own. What differs is due to the
// change of levels alone. It is measured by vertices, whose places on the screen are found here anew from the records'
// parents, and by the two pictures: where nothing moves by more than a pixel, the colour of a pixel in one is between
// the colours round that pixel in the other.
#include "gl/meshes.h"
#include "gl/program.h"
#include "karst/geomorph.h"
#include "karst/governor.h"
#include "karst/mrmbuild.h"
#include "scenes/models.h"
#include "stage.h"

enum {
    W = 320,
    H = 180,
    SIDE = 65,
    UNITS = 36,
    TRIANGLES = 3000,
    FRAMES = 600,
    SAMPLES = 4,
    STRANGE = 32,         // codes of 255
    STRANGE_PIXELS = 10,  // of 57,600: layers that nearly touch change places, as wheels and tracks do
};
static const double spacing_m = 4;
static const float most_px = 0.75f, most_share = 0.125f;

typedef struct unit {
    karst_drawable drawable;
    karst_morph now, before;
} unit;

typedef struct flight {
    stage s;
    karst_mrm *mrm;
    karst_gl_meshes *meshes;
    karst_governor *governor;
    karst_geomorph *geomorph;
    karst_gl_look look;
    kst_target target, resolved;
    karst_view view;
    karst_frame frame;
    const karst_mrm_level *levels;
    uint32_t *parent;
    float radius_m;
    unit unit[UNITS];
    karst_gl_instance shown[UNITS];
    uint8_t rgb[2][3 * W * H];
} flight;

// Low waves.
static karst_field *ground(void) {
    static float y[SIDE * SIDE];
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) y[j * SIDE + i] = 2 * sinf(0.4f * (float)i) * cosf(0.3f * (float)j);
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){.columns = SIDE, .rows = SIDE, .spacing_m = spacing_m};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, SIDE, SIDE}, y, NULL, NULL, SIDE), KARST_OK);
    return field;
}

// Over the army at 20 m, in 600 frames from one side to the other, looking ahead and down.
static karst_view view_at(double share) {
    karst_pos eye = {128 + 30 * sin(5 * share), 16 + 10 * cos(4 * share), 40 + 150 * share};
    return karst_view_perspective(eye, (karst_pos){128, 0, eye.z + 50}, (karst_vec3){0, 1, 0}, 0.9f, W, H);
}

static const char plain_light[] =
    "#version 450 core\n"
    "in vec3 v_at;\n"
    "in vec3 v_normal;\n"
    "out vec4 o_colour;\n"
    "uniform vec3 u_material;\n"
    "void main() {\n"
    "    vec3 n = dot(v_normal, v_normal) > 0.0 ? v_normal : cross(dFdx(v_at), dFdy(v_at));\n"
    "    float light = 0.5 + 0.5 * dot(normalize(n), normalize(vec3(0.5, 0.7, -0.5)));\n"
    "    o_colour = vec4(pow(u_material * light, vec3(1.0 / 2.2)), 1.0);\n"
    "}\n";

// Another fragment stage in place of that of the land, which takes a software rasteriser 30 ms.
static void use_plain_light(karst_gl_meshes *m) {
    glDeleteProgram(m->program);
    char vertex[8192];
    snprintf(vertex, sizeof vertex, "%s%s%s%s", kst_shader_find("prologue.glsl"), kst_shader_find("frame.glsl"),
             kst_shader_find("mesh_morph.glsl"), kst_shader_find("mesh.vert.glsl"));
    const char *text[2] = {vertex, plain_light};
    m->program = glCreateProgram();
    for (int k = 0; k < 2; ++k) {
        GLuint shader = glCreateShader(k ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &text[k], NULL);
        glCompileShader(shader);
        glAttachShader(m->program, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(m->program);
    GLint linked;
    glGetProgramiv(m->program, GL_LINK_STATUS, &linked);
    assert_true(linked);
    kst_meshes_set_units(m->program);
    m->material_at = glGetUniformLocation(m->program, "u_material");
    m->stand_at = glGetUniformLocation(m->program, "u_stand");
}

static flight *begin(void) {
    need_context();
    static flight f;
    f = (flight){.s = stage_make(ground(), ""), .look = karst_gl_look_default()};
    karst_model *model;
    assert_int_equal(scene_model_tank(&model), KARST_OK);
    assert_int_equal(karst_mrm_build(model, NULL, NULL, NULL, &f.mrm), KARST_OK);
    karst_model_destroy(model);
    assert_int_equal(karst_governor_create(NULL, &f.governor), KARST_OK);
    assert_int_equal(karst_geomorph_create(f.mrm, NULL, &f.geomorph), KARST_OK);
    assert_int_equal(karst_gl_meshes_create(f.s.gl, &f.meshes), KARST_OK);
    int id, levels;
    assert_int_equal(karst_gl_meshes_add(f.meshes, f.mrm, &id), KARST_OK);
    f.view = view_at(0);
    draw_still(&f.s, &f.view, NULL, &f.look, &f.frame, f.rgb[0]);  // leaves the renderer's state of GL
    use_plain_light(f.meshes);
    assert_int_equal(kst_target_resize(&f.target, W, H, SAMPLES), KARST_OK);
    assert_int_equal(kst_target_resize(&f.resolved, W, H, 1), KARST_OK);
    f.levels = karst_mrm_curve(f.mrm, &levels);
    f.parent = malloc(karst_mrm_describe(f.mrm).wedges * sizeof *f.parent);
    karst_mrm_parents(f.mrm, f.parent);
    f.radius_m = 0;
    const karst_model *shape = karst_mrm_model(f.mrm);
    for (uint32_t v = 0; v < shape->vertex_count; ++v) {
        karst_vec3 p = shape->position[v];
        f.radius_m = fmaxf(f.radius_m, hypotf(hypotf(p.x, p.y), p.z));
    }
    for (int k = 0; k < UNITS; ++k) {
        double x = 92 + 14 * (k % 6) + 4 * kst_random01(3, (uint64_t)k), y = 0;
        double z = 96 + 12 * (k / 6) + 4 * kst_random01(4, (uint64_t)k);
        assert_true(karst_scene_height(f.s.scene, x, z, &y));
        f.shown[k] = (karst_gl_instance){
            .position = {x, y, z}, .heading_rad = 6 * (float)kst_random01(5, (uint64_t)k), .scale = 1, .up = {0, 1, 0}};
        f.unit[k].drawable =
            (karst_drawable){.levels = f.levels, .level_count = levels, .weight = 1, .level = KARST_DRAWABLE_NEW};
    }
    return &f;
}

static void end(flight *f) {
    kst_target_destroy(&f->target);
    kst_target_destroy(&f->resolved);
    karst_gl_meshes_destroy(f->meshes);
    karst_geomorph_destroy(f->geomorph);
    karst_governor_destroy(f->governor);
    karst_mrm_destroy(f->mrm);
    free(f->parent);
    stage_clear(&f->s);
}

// ---- levels ----------------------------------------------------------------------------------------

// One frame of a game: the governor's levels, and what is drawn on the way to them.
static void choose(flight *f, bool morphs) {
    double slope = karst_view_error_slope(&f->view, 1);
    static karst_drawable list[UNITS];
    for (int k = 0; k < UNITS; ++k) {
        unit *u = &f->unit[k];
        karst_pos p = f->shown[k].position, e = f->view.eye;
        double far = sqrt((p.x - e.x) * (p.x - e.x) + (p.y - e.y) * (p.y - e.y) + (p.z - e.z) * (p.z - e.z));
        u->drawable.pixels_per_m = (float)(1 / (slope * fmax(far - (double)f->radius_m, 0.5)));
        list[k] = u->drawable;
    }
    const karst_governor_input input = {.most_triangles = TRIANGLES};
    karst_governor_update(f->governor, &input, list, UNITS, NULL);
    for (int k = 0; k < UNITS; ++k) {
        unit *u = &f->unit[k];
        int32_t level = list[k].level;
        bool is_new = u->drawable.level == KARST_DRAWABLE_NEW;
        u->drawable.level = level;
        u->before = u->now;
        if (is_new || !morphs) u->now = (karst_morph){level, level, 1};
        if (is_new) u->before = u->now;
        karst_geomorph_follow(f->geomorph, &u->now, level, most_px / u->drawable.pixels_per_m, most_share);
    }
}

// Only the instances, on black, as the renderer draws them but in a light that costs little.
static void paint(flight *f, uint8_t *rgb) {
    karst_gl *gl = f->s.gl;
    kst_gl_frame numbers;
    kst_gl_fill_frame(gl, &f->frame, &f->view, &f->look, &numbers);
    glNamedBufferSubData(gl->frame, 0, sizeof numbers, &numbers);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, gl->frame);
    assert_int_equal(kst_meshes_choose(f->meshes, &f->frame, &f->view), KARST_OK);
    glBindFramebuffer(GL_FRAMEBUFFER, f->target.framebuffer);
    glViewport(0, 0, W, H);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    kst_meshes_draw(f->meshes, false);
    glBlitNamedFramebuffer(f->target.framebuffer, f->resolved.framebuffer, 0, 0, W, H, 0, 0, W, H, GL_COLOR_BUFFER_BIT,
                           GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, f->resolved.framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, W, H, GL_RGB, GL_UNSIGNED_BYTE, rgb);
}

static void draw(flight *f, bool before, uint8_t *rgb) {
    for (int k = 0; k < UNITS; ++k) {
        const karst_morph *m = before ? &f->unit[k].before : &f->unit[k].now;
        f->shown[k].vertices = f->levels[m->fine].vertices;
        f->shown[k].coarse_vertices = m->coarse < m->fine ? f->levels[m->coarse].vertices : 0;
        f->shown[k].share = m->share;
    }
    assert_int_equal(karst_gl_meshes_show(f->meshes, f->shown, UNITS), KARST_OK);
    paint(f, rgb);
}

// ---- by vertices -----------------------------------------------------------------------------------

// Places of all vertices as they are drawn, from the model and the parents of its wedges.
static void places_of(const flight *f, const karst_morph *m, karst_pos *out) {
    const karst_model *model = karst_mrm_model(f->mrm);
    for (uint32_t w = 0; w < model->wedge_count; ++w) {
        karst_pos p = {0, 0, 0};
        for (int end = 0; end < 2; ++end) {
            uint32_t at = w, wedges = f->levels[end ? m->fine : m->coarse].wedges;
            while (at >= wedges && f->parent[at] != at) at = f->parent[at];
            karst_vec3 q = model->position[model->vertex[at]];
            double share = end ? (double)m->share : 1 - (double)m->share;
            p = (karst_pos){p.x + share * (double)q.x, p.y + share * (double)q.y, p.z + share * (double)q.z};
        }
        out[model->vertex[w]] = p;
    }
}

// Upright: y stays.
static karst_pos stood(const karst_gl_instance *i, karst_pos p) {
    double s = sin((double)i->heading_rad), c = cos((double)i->heading_rad);
    return (karst_pos){i->position.x + p.z * s - p.x * c, i->position.y + p.y, i->position.z - p.z * c - p.x * s};
}

// Farthest that a vertex on the screen moved since the levels of the frame before [pixels].
static double motion_px(const flight *f) {
    static karst_pos before[2048], now[2048];
    uint32_t vertices = karst_mrm_describe(f->mrm).vertices;
    assert_true(vertices <= 2048);
    double most = 0;
    for (int k = 0; k < UNITS; ++k) {
        const unit *u = &f->unit[k];
        if (!memcmp(&u->before, &u->now, sizeof u->now)) continue;
        places_of(f, &u->before, before);
        places_of(f, &u->now, now);
        for (uint32_t v = 0; v < vertices; ++v) {
            double x[2], y[2], depth;
            if (!karst_view_project(&f->view, stood(&f->shown[k], before[v]), &x[0], &y[0], &depth)) continue;
            if (!karst_view_project(&f->view, stood(&f->shown[k], now[v]), &x[1], &y[1], &depth)) continue;
            if (fmin(x[0], x[1]) > W || fmax(x[0], x[1]) < 0 || fmin(y[0], y[1]) > H || fmax(y[0], y[1]) < 0) continue;
            most = fmax(most, hypot(x[1] - x[0], y[1] - y[0]));
        }
    }
    return most;
}

// ---- by pictures -----------------------------------------------------------------------------------

// How far the colour of a pixel is from those round it in the other picture [codes].
static int strangeness(const uint8_t *a, const uint8_t *b, int x, int y) {
    int at = 3 * (y * W + x), worst = 0;
    if (!memcmp(a + at, b + at, 3)) return 0;
    for (int c = 0; c < 3; ++c) {
        int low = 255, high = 0, is = a[at + c];
        for (int j = y > 0 ? y - 1 : y; j <= y + 1 && j < H; ++j)
            for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < W; ++i) {
                int there = b[3 * (j * W + i) + c];
                low = there < low ? there : low;
                high = there > high ? there : high;
            }
        int off = is > high ? is - high : low - is;
        worst = off > worst ? off : worst;
    }
    return worst;
}

// Pixels that motion by a pixel does not explain.
static int strange_pixels(flight *f) {
    draw(f, true, f->rgb[0]);
    draw(f, false, f->rgb[1]);
    int count = 0;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x)
            count +=
                strangeness(f->rgb[0], f->rgb[1], x, y) > STRANGE || strangeness(f->rgb[1], f->rgb[0], x, y) > STRANGE;
    return count;
}

// ---- the flight ------------------------------------------------------------------------------------

typedef struct popped {
    double motion_px, motion_sum_px;  // of the worst frame, and of all
    int pixels, pixels_sum;
    int frames, changed;  // with a unit whose level moved on
    int64_t triangles, asked;
} popped;

static popped fly_by(bool morphs) {
    flight *f = begin();
    popped p = {.frames = test_count(FRAMES)};
    for (int n = 0; n < p.frames; ++n) {
        f->view = view_at((double)n / FRAMES);
        choose(f, morphs);
        double motion = motion_px(f);
        // Without geomorph only frames that move something by more than a pixel are drawn: enough to fail.
        int pixels = morphs || motion > 1 ? strange_pixels(f) : 0;
        p.changed += motion > 0;
        p.motion_px = fmax(p.motion_px, motion);
        p.motion_sum_px += motion;
        p.pixels = pixels > p.pixels ? pixels : p.pixels;
        p.pixels_sum += pixels;
        for (int k = 0; k < UNITS; ++k) {
            p.triangles += f->levels[f->unit[k].now.fine].triangles;
            p.asked += f->levels[f->unit[k].drawable.level].triangles;
        }
    }
    print_message(
        "%s: %d frames, %d with changes; farthest motion of a vertex %.2f px, mean %.2f; pixels that a pixel of "
        "motion does not explain: at most %d a frame, %d in all; %.1f%% of the triangles asked for\n",
        morphs ? "geomorphs" : "levels at once", p.frames, p.changed, p.motion_px, p.motion_sum_px / p.frames, p.pixels,
        p.pixels_sum, 100 * (double)p.triangles / (double)p.asked);
    end(f);
    return p;
}

static bool has_no_pop(const popped *p) {
    return p->motion_px <= 1 && p->pixels <= STRANGE_PIXELS;
}

static void a_fly_by_with_the_governor_on_shows_no_pop_above_a_pixel(void **state) {
    (void)state;
    popped smooth = fly_by(true), sudden = fly_by(false);
    assert_true(smooth.changed > smooth.frames / 2);
    assert_true(has_no_pop(&smooth));
    // Control: without geomorph each of both measures fails.
    assert_true(!has_no_pop(&sudden) && sudden.motion_px > 4);
    assert_true(sudden.pixels > 2 * STRANGE_PIXELS || test_count(FRAMES) < FRAMES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fly_by_with_the_governor_on_shows_no_pop_above_a_pixel),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
