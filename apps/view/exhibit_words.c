// SPDX-License-Identifier: MIT
// Exhibit's words: what a level costs and how far off it is.
#include "exhibit_words.h"

#include <math.h>

#include "say.h"

static const help_line help[] = {
    {"space", "play from full to base and back"},
    {"left, right", "a hundredth of the slider"},
    {"page up, down", "a tenth of it"},
    {"mouse on the slider", "drag it"},
    {"left button", "turn"},
    {"right button", "shift"},
    {"wheel", "nearer, farther"},
    {"W", "beside, lit alone, lines over it"},
    {"I", "figures on, off"},
    {"P, F12", "write a picture"},
    {"Home", "back to the start"},
    {"H, F1", "this help"},
    {"Esc", "leave"},
};
enum { HELP_LINES = sizeof help / sizeof *help, KEY_COLUMNS = 22, HELP_COLUMNS = 58 };

static float pixels_per_m(const exhibit *x) {
    return orbit_pixels_per_m(&x->orbit, x->height);
}

static void say_figures(const exhibit *x, items *s) {
    char a[32], b[32];
    const karst_mrm_level *l = &x->level;
    const char *slash = strrchr(x->options->pack, '/');
    say(s, "%s", slash ? slash + 1 : x->options->pack);
    say(s, "%s of %s triangles", grouped(l->triangles, a), grouped(x->info.triangles, b));
    say(s, "%s of %s vertices", grouped(l->vertices, a), grouped(x->info.vertices, b));
    say(s, "%s wedges", grouped(l->wedges, a));
    say(s, "%u records a frame", x->records);
    say(s, "error %s = %.2f px", metres((double)l->error_m, a), (double)(l->error_m * pixels_per_m(x)));
    say(s, "%.4g px a metre", (double)pixels_per_m(x));
    if (x->frames > 1) say(s, "%.1f ms CPU", x->cpu_ms);
    if (x->frames > 1 && x->still < 5) say(s, "%.0f fps", x->frames_per_s);
}

static void place_graphs(exhibit *x, float edge, float y) {
    static const float green[3] = {0.45f, 0.78f, 0.42f}, orange[3] = {0.95f, 0.62f, 0.25f};
    page *p = &x->page;
    float high = graph_height(p), error = graph_most(&x->error), top = 1;
    if (p->font.line < 14 || y + 2 * high > 0.6f * (float)p->height || graph_width(p) > 0.4f * (float)p->width) return;
    char a[32], text[64];
    snprintf(text, sizeof text, "triangles of %s", grouped(x->info.triangles, a));
    graph_place(&x->triangles, p, edge, y, (float)x->info.triangles, green, text);
    while (top < error) top *= 2;
    snprintf(text, sizeof text, "error of %g px", (double)top);
    graph_place(&x->error, p, edge, y + high, top, orange, text);
}

static void place_slider(exhibit *x, float edge) {
    page *p = &x->page;
    char a[32], b[32], c[32], text[128];
    snprintf(text, sizeof text, "base %s  |  now %s  |  full %s triangles%s", grouped(x->info.least_triangles, a),
             grouped(x->level.triangles, b), grouped(x->info.triangles, c),
             x->playing < 0   ? "  |  playing to base"
             : x->playing > 0 ? "  |  playing to full"
                              : "");
    float y = (float)(int)((float)p->height - edge - slider_height(p));
    slider_place(&x->slider, p, edge, y, (float)p->width - 2 * edge, (float)x->share, text);
}

bool exhibit_place(exhibit *x) {
    page *p = &x->page;
    if (!page_begin(p, x->width, x->height, HELP_COLUMNS + 2, HELP_LINES + 6)) return false;
    float edge = (float)(p->font.line / 2);
    if (x->figures) {
        items s = {.count = 0};
        say_figures(x, &s);
        float below = page_items(p, edge, edge, s.list, s.count);
        place_graphs(x, edge, (float)(int)(below + edge));
        place_slider(x, edge);
    } else {
        slider_hide(&x->slider);
    }
    if (x->help) help_place(p, help, HELP_LINES, KEY_COLUMNS, HELP_COLUMNS);
    const char *message = x->message;
    if (x->now_s < x->message_until_s && message[0])
        page_items(p, edge, (float)(int)((float)p->height - 2 * edge - slider_height(p) - 1.8f * (float)p->font.line),
                   &message, 1);
    return true;
}

void exhibit_json(const exhibit *x, FILE *out) {
    fputc('{', out);
    put_number(out, "frames", x->frames);
    put_number(out, "fps", x->frames_per_s);
    put_number(out, "cpu_ms", x->cpu_ms);
    put_number(out, "triangles", x->level.triangles);
    put_number(out, "triangles_full", x->info.triangles);
    put_number(out, "triangles_base", x->info.least_triangles);
    put_number(out, "vertices", x->level.vertices);
    put_number(out, "records", x->records);
    put_number(out, "error_m", (double)x->level.error_m);
    put_number(out, "error_px", (double)(x->level.error_m * pixels_per_m(x)));
    put_number(out, "pixels_per_m", (double)pixels_per_m(x));
    put_number(out, "share", x->share);
    put_number(out, "yaw_rad", (double)x->orbit.yaw_rad);
    put_number(out, "pitch_rad", (double)x->orbit.pitch_rad);
    put_number(out, "distance_m", (double)x->orbit.distance_m);
    put_slider(out, &x->slider);
    put_bool(out, "playing", x->playing != 0);
    fprintf(out, "\"layout\":%d}\n", (int)x->layout);
}
