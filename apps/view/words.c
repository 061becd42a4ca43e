// SPDX-License-Identifier: MIT
// Words: figures and help as text.
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "say.h"

static const help_line help[] = {
    {"W A S D, arrows", "move"},
    {"E Q, space ctrl", "up, down"},
    {"mouse button held", "look around"},
    {"wheel, shift", "speed, five times as fast"},
    {"G, Tab", "fly or walk"},
    {"1", "wireframe"},
    {"2", "contour lines"},
    {"3", "next colours of the level of detail"},
    {"M", "next method of choosing detail"},
    {"N", "the same of patches"},
    {"F", "freeze the detail and look around in it"},
    {"[ ]", "half, double the error of the ground"},
    {"{ }", "half, double the edges of patches"},
    {"- +, slider", "less, more budget: triangles or time"},
    {", .", "earlier, later"},
    {"T", "time lapse"},
    {"I", "figures on, off"},
    {"P, F12", "write a picture"},
    {"Home", "back to the start"},
    {"H, F1", "this help"},
    {"Esc", "leave"},
};
enum { HELP_LINES = sizeof help / sizeof *help, KEY_COLUMNS = 19, HELP_COLUMNS = 60 };

static int64_t army_triangles(const words *w) {
    return w->army ? w->army->triangles : 0;
}

static void say_budget(const words *w, items *s) {
    char a[32], b[32];
    const budget *o = w->budget;
    int64_t ground = w->frame->figures.triangles, of_army = army_triangles(w);
    say(s, "budget: %s of %s triangles", grouped(ground + of_army, a), grouped(o->figures.budget_triangles, b));
    if (w->army) say(s, "ground %s, army %s", grouped(ground, a), grouped(of_army, b));
    if (o->target_ms > 0) say(s, "frame %.1f of %.3g ms", (double)o->figures.median_ms, (double)o->target_ms);
    if (o->figures.is_over) say(s, "the coarsest is over it");
}

static void say_field(const words *w, items *s) {
    char a[32];
    const karst_frame *f = w->frame;
    say(s, "%s: %s triangles, %d draws", karst_method_name(f->method), grouped(f->figures.triangles, a),
        f->figures.draws);
    if (f->figures.worst_error_px < 1000)
        say(s, "error %.2f of %.4g px", (double)f->figures.worst_error_px, (double)w->budget->ground.error_px);
    else
        say(s, "error over 1000 of %.4g px",
            (double)w->budget->ground.error_px);  // ground round the eye is still awaited
    say(s, "chunks %d drawn, %d awaited", f->figures.chunks_drawn, f->figures.chunks_awaited);
    say(s, "%.0f MB here", (double)f->figures.resident_bytes * 1e-6);
    if (f->figures.kept_damaged) say(s, "%d coarse: damaged", f->figures.kept_damaged);
    if (f->figures.kept_pending) say(s, "%d coarse: not in the file yet", f->figures.kept_pending);
    if (f->figures.kept_for_memory) say(s, "%d coarse: no memory", f->figures.kept_for_memory);
}

static void say_patches(const patches *p, items *s) {
    char a[32];
    karst_gl_zone_figures f = karst_gl_zones_figures(p->drawn);
    say(s, "patches, %s: %s triangles, %d draws", karst_zone_method_name(p->frame.method), grouped(f.triangles, a),
        f.draws);
    if (p->frame.method == KARST_ZONE_METHOD_CORNER)
        say(s, "%d pieces, %d refined", p->frame.figures.pieces, p->frame.figures.refined);
    else
        say(s, "%d pieces, of a mesh of %s", p->frame.figures.pieces, grouped(p->frame.mesh.live_triangles, a));
    say(s, "edges of %.4g px, threshold %.2g", (double)p->edge_px, (double)p->budget.threshold);
    say(s, "zones %d of %d here, %d awaited", p->here, p->count, p->awaited);
    say(s, "patches %.1f ms CPU, longest %.1f", p->took_ms, p->longest_ms);
    if (p->left_out) say(s, "%d zones left out: too many", p->left_out);
    if (p->damaged) say(s, "%d zones damaged", p->damaged);
}

static void say_figures(const words *w, items *s) {
    char a[32], b[32];
    const camera *c = w->camera;
    if (w->resting)
        say(s, "at rest");
    else if (w->frames > 1)  // the first has nothing to count from
        say(s, "%.0f fps", w->frames_per_s);
    if (w->frames > 1) say(s, "%.1f ms CPU", w->cpu_ms);
    if (w->patches) say_patches(w->patches, s);
    if (!w->patches || !w->patches->no_field) say_field(w, s);
    if (w->budget->is_one) say_budget(w, s);
    if (w->army) {
        karst_gl_mesh_figures g = karst_gl_meshes_figures(w->army->meshes);
        if (w->budget->is_one)
            say(s, "army: %d of %d units", g.instances, w->army->count);
        else
            say(s, "army: %d of %d units, %s of %s triangles", g.instances, w->army->count, grouped(g.triangles, a),
                grouped(w->budget->army_triangles, b));
        say(s, "army error %.2f px, %d levels, %d draws, %.2f ms", (double)w->army->error_px, g.levels, g.draws,
            w->army->choose_ms);
    }
    say(s, "eye %.2f %.2f %.2f", c->eye.x, c->eye.y, c->eye.z);
    if (isnan(c->over_ground_m))
        say(s, "no ground below");
    else
        say(s, "%s over ground", metres(c->over_ground_m, a));
    say(s, "%s %s/s", c->walking ? "on foot" : "flying", metres(c->speed_m_s, b));
    if (w->under_cursor.hit)
        say(s, "cursor %.2f %.2f %.2f, %s away", w->under_cursor.position.x, w->under_cursor.position.y,
            w->under_cursor.position.z, metres(w->under_cursor.t, a));
    else
        say(s, "cursor on sky");
    int minutes = (int)(w->hour * 60 + 0.5f) % 1440;
    say(s, "%02d:%02d%s", minutes / 60, minutes % 60, w->lapse ? " running" : "");
    if (w->frozen) say(s, "detail frozen");
    say(s, "%s", w->device);
}

// Bottom right, in the order of the colours.
static void place_legend(const words *w, page *p) {
    const float line = (float)p->font.line, letter = (float)p->font.advance, edge = 0.5f * line;
    const char *name = karst_gl_overlay_name(w->overlays);
    const char *method = w->patches && w->patches->no_field ? karst_zone_method_name(w->patches->frame.method)
                                                            : karst_method_name(w->frame->method);
    char title[64];
    size_t widest =
        (size_t)snprintf(title, sizeof title, "%s%s%s", name, w->overlays & KARST_GL_OVERLAY_METHOD ? ": " : "",
                         w->overlays & KARST_GL_OVERLAY_METHOD ? method : "");
    for (int k = 0; k < w->key_count; ++k)
        if (strlen(w->keys[k].text) + 3 > widest) widest = strlen(w->keys[k].text) + 3;
    float width = ((float)widest + 2) * letter, height = ((float)w->key_count + 1) * line + edge;
    float x = (float)(int)((float)p->width - edge - width), y = (float)(int)((float)p->height - edge - height);
    page_panel(p, x, y, width, height);
    x += letter;
    y = (float)(int)(y + 0.5f * edge);  // letters lie on whole pixels
    page_text(p, x, y, (uint32_t)PAGE_WARM, title);
    for (int k = 0; k < w->key_count; ++k) {
        y += line;
        page_swatch(p, x, y + 0.15f * line, 2 * letter, 0.7f * line, w->keys[k].rgb);
        page_text(p, x + 3 * letter, y, (uint32_t)PAGE_WHITE, w->keys[k].text);
    }
}

static float top_of(const graph *g, float top) {
    while (top < graph_most(g)) top *= 2;
    return top;
}

// Below the figures, where there is room. Returns the y below them.
static float place_graphs(const words *w, page *p, float x, float y) {
    static const float green[3] = {0.45f, 0.78f, 0.42f}, orange[3] = {0.95f, 0.62f, 0.25f},
                       brown[3] = {0.62f, 0.50f, 0.38f}, blue[3] = {0.45f, 0.65f, 0.90f};
    float high = graph_height(p), room = 0.75f * (float)p->height;
    if (p->font.line < 14 || y + 2 * high > room || graph_width(p) > 0.5f * (float)p->width) return y;
    char a[32], text[64];
    const budget *o = w->budget;
    int64_t most = o->is_one ? o->figures.budget_triangles : o->army_triangles;
    snprintf(text, sizeof text, o->is_one && w->army ? "ground, army of %s" : "triangles of %s", grouped(most, a));
    graph_place(w->triangle_graph, p, x, y, (float)most, green, text);
    graph_over(w->ground_graph, p, x, y, (float)most, brown);
    y += high;
    snprintf(text, sizeof text, "error of %g px", (double)top_of(w->error_graph, 1));
    graph_place(w->error_graph, p, x, y, top_of(w->error_graph, 1), orange, text);
    y += high;
    if (!w->time_graph || y + high > room) return y;
    snprintf(text, sizeof text, "frame of %g ms", (double)top_of(w->time_graph, 8));
    graph_place(w->time_graph, p, x, y, top_of(w->time_graph, 8), blue, text);
    return y + high;
}

static void place_slider(const words *w, page *p, float x, float y) {
    char a[32], text[64];
    const budget *o = w->budget;
    float width = fminf(graph_width(p), (float)p->width - 2 * x);
    if (o->is_one && o->target_ms > 0)
        snprintf(text, sizeof text, "budget %.3g ms", (double)o->target_ms);
    else
        snprintf(text, sizeof text, "budget %s", grouped(o->is_one ? o->triangles : o->army_triangles, a));
    if (y + slider_height(p) > (float)p->height || width < 8 * (float)p->font.line)
        slider_hide(w->slider);
    else
        slider_place(w->slider, p, x, y, width, (float)w->share, text);
}

bool words_place(const words *w, page *p, int width, int height) {
    if (!page_begin(p, width, height, HELP_COLUMNS + 2, HELP_LINES + 4)) return false;
    float edge = (float)(p->font.line / 2);
    if (w->cross) page_cross(p, 0.5f * (float)width, 0.5f * (float)height);
    if (w->figures) {
        items s = {.count = 0};
        say_figures(w, &s);
        float below = (float)(int)(page_items(p, edge, edge, s.list, s.count) + edge);
        if (w->army || w->budget->is_one) below = place_graphs(w, p, edge, below);
        if (w->slider) place_slider(w, p, edge, below);
    } else if (w->slider) {
        slider_hide(w->slider);
    }
    if (w->key_count && w->figures) place_legend(w, p);
    if (w->help) help_place(p, help, HELP_LINES, KEY_COLUMNS, HELP_COLUMNS);
    if (w->message && w->message[0])
        page_items(p, edge, (float)height - edge - 1.8f * (float)p->font.line, &w->message, 1);
    return true;
}

// ---- for programs ----------------------------------------------------------------------------------

static void put_place(FILE *out, const char *name, bool there, karst_pos p) {
    if (there)
        fprintf(out, "\"%s\":[%.6f,%.6f,%.6f],", name, p.x, p.y, p.z);
    else
        fprintf(out, "\"%s\":null,", name);
}

static void json_budget(const words *w, FILE *out) {
    const budget *o = w->budget;
    int64_t ground = w->frame->figures.triangles, of_army = army_triangles(w);
    put_number(out, "budget_triangles", (double)o->figures.budget_triangles);
    put_number(out, "budget_drawn", (double)(ground + of_army));
    put_number(out, "budget_ground", (double)ground);
    put_number(out, "budget_army", (double)of_army);
    put_number(out, "budget_error_px", (double)o->figures.worst_error_px);
    put_number(out, "budget_ms", (double)o->target_ms);
    put_number(out, "frame_ms", (double)o->figures.median_ms);
    put_bool(out, "budget_is_over", o->figures.is_over);
}

static void json_patches(const patches *p, FILE *out) {
    karst_gl_zone_figures f = karst_gl_zones_figures(p->drawn);
    fprintf(out, "\"patch_method\":\"%s\",", karst_zone_method_name(p->frame.method));
    put_number(out, "patch_triangles", (double)f.triangles);
    put_number(out, "patch_instances", f.instances);
    put_number(out, "patch_draws", f.draws);
    put_number(out, "patch_pieces", p->frame.figures.pieces);
    put_number(out, "patch_pieces_refined", p->frame.figures.refined);
    put_number(out, "patch_threshold", (double)p->budget.threshold);
    put_number(out, "patch_edge_px", (double)p->edge_px);
    put_number(out, "patch_ms", p->took_ms);
    put_number(out, "patch_longest_ms", p->longest_ms);
    put_number(out, "zones", p->count);
    put_number(out, "zones_here", p->here);
    put_number(out, "zones_awaited", p->awaited);
    put_number(out, "zones_left_out", p->left_out);
    put_number(out, "zones_damaged", p->damaged);
}

void words_json(const words *w, FILE *out) {
    const karst_frame *f = w->frame;
    const camera *c = w->camera;
    fputc('{', out);
    put_number(out, "frames", w->frames);
    put_number(out, "fps", w->frames_per_s);
    put_number(out, "cpu_ms", w->cpu_ms);
    fprintf(out, "\"method\":\"%s\",", karst_method_name(f->method));
    put_number(out, "triangles", (double)f->figures.triangles);
    put_number(out, "draws", f->figures.draws);
    put_number(out, "max_error_px", (double)f->figures.worst_error_px);
    put_number(out, "lod_error_px", (double)w->budget->ground.error_px);
    put_number(out, "chunks", f->figures.chunks_drawn);
    put_number(out, "chunks_awaited", f->figures.chunks_awaited);
    put_number(out, "resident_bytes", (double)f->figures.resident_bytes);
    put_number(out, "kept_damaged", f->figures.kept_damaged);
    put_number(out, "kept_pending", f->figures.kept_pending);
    put_number(out, "kept_for_memory", f->figures.kept_for_memory);
    if (w->patches) json_patches(w->patches, out);
    if (w->budget->is_one) json_budget(w, out);
    if (w->army) {
        karst_gl_mesh_figures g = karst_gl_meshes_figures(w->army->meshes);
        put_number(out, "army_units", w->army->count);
        put_number(out, "army_seen", g.instances);
        put_number(out, "army_triangles", (double)g.triangles);
        if (!w->budget->is_one) put_number(out, "army_triangles_most", (double)w->budget->army_triangles);
        put_number(out, "army_error_px", (double)w->army->error_px);
        put_number(out, "army_levels", g.levels);
        put_number(out, "army_draws", g.draws);
        put_number(out, "army_ms", w->army->choose_ms);
    }
    put_slider(out, w->slider);
    put_place(out, "eye", true, c->eye);
    put_number(out, "yaw_rad", c->yaw_rad);
    put_number(out, "pitch_rad", c->pitch_rad);
    put_number(out, "over_ground_m", c->over_ground_m);
    put_number(out, "speed_m_s", c->speed_m_s);
    put_bool(out, "walking", c->walking);
    put_place(out, "cursor", w->under_cursor.hit, w->under_cursor.position);
    put_number(out, "hour", (double)w->hour);
    put_bool(out, "wireframe", w->overlays & KARST_GL_OVERLAY_WIREFRAME);
    put_bool(out, "contours", w->overlays & KARST_GL_OVERLAY_CONTOUR);
    fprintf(out, "\"overlay\":\"%s\",", karst_gl_overlay_name(w->overlays));
    put_bool(out, "frozen", w->frozen);
    put_bool(out, "lapse", w->lapse);
    put_bool(out, "help", w->help);
    fputs("\"device\":\"", out);
    for (const char *d = w->device; *d; ++d) fputc((unsigned char)*d < 0x20 || *d == '"' || *d == '\\' ? '?' : *d, out);
    fputs("\"}\n", out);
}
