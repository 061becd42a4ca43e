// SPDX-License-Identifier: MIT
// Overlays: what the level of detail does, as colours, and their legend.
#include <math.h>

#include "gl/renderer.h"

// Linear colours.
static const float rainbow[8][3] = {{0.80f, 0.12f, 0.10f}, {0.90f, 0.45f, 0.05f}, {0.75f, 0.70f, 0.08f},
                                    {0.15f, 0.60f, 0.12f}, {0.05f, 0.50f, 0.55f}, {0.10f, 0.22f, 0.70f},
                                    {0.40f, 0.12f, 0.60f}, {0.55f, 0.10f, 0.35f}};
static const float heat[6][3] = {{0.08f, 0.16f, 0.60f}, {0.04f, 0.45f, 0.50f}, {0.12f, 0.55f, 0.10f},
                                 {0.75f, 0.65f, 0.06f}, {0.80f, 0.25f, 0.04f}, {0.85f, 0.02f, 0.45f}};
static const float slots[5][3] = {
    {0.10f, 0.50f, 0.12f}, {0.04f, 0.48f, 0.50f}, {0.10f, 0.20f, 0.68f}, {0.35f, 0.12f, 0.55f}, {0.85f, 0.08f, 0.04f}};
static const float bands[4][3] = {
    {0.80f, 0.12f, 0.10f}, {0.75f, 0.60f, 0.08f}, {0.12f, 0.55f, 0.15f}, {0.10f, 0.22f, 0.70f}};

static const struct {
    const char *name;
    karst_gl_overlay overlay;
    int keys;
    const float (*colour)[3];
} overlays[] = {{"none", KARST_GL_OVERLAY_NONE, 0, NULL},
                {"level", KARST_GL_OVERLAY_LEVEL, 8, rainbow},
                {"error", KARST_GL_OVERLAY_ERROR, 6, heat},
                {"method", KARST_GL_OVERLAY_METHOD, 5, rainbow},
                {"residency", KARST_GL_OVERLAY_RESIDENCY, 5, slots},
                {"bands", KARST_GL_OVERLAY_BANDS, 4, bands}};
enum { OVERLAYS = sizeof overlays / sizeof *overlays };

static int index_of(unsigned bits) {
    for (int k = 1; k < OVERLAYS; ++k)
        if (bits & (unsigned)overlays[k].overlay) return k;
    return 0;
}

karst_gl_overlay kst_overlay_of(unsigned bits) {
    return overlays[index_of(bits)].overlay;
}

const char *karst_gl_overlay_name(unsigned bits) {
    return overlays[index_of(bits)].name;
}

bool karst_gl_overlay_find(const char *name, karst_gl_overlay *out) {
    for (int k = 0; k < OVERLAYS; ++k)
        if (!strcmp(name, overlays[k].name)) {
            *out = overlays[k].overlay;
            return true;
        }
    return false;
}

void kst_overlay_fill(const karst_gl *gl, const karst_view *view, const karst_gl_look *look, kst_gl_frame *out) {
    int k = index_of(look->overlays);
    for (int i = 0; i < overlays[k].keys; ++i) memcpy(out->key[i], overlays[k].colour[i], sizeof overlays[k].colour[i]);
    out->key[0][3] = (float)karst_view_error_slope(view, look->error_px);
    out->key[1][3] = (float)(gl->store.slots_used > 1 ? gl->store.slots_used - 1 : 1);
}

static float srgb(float v) {
    return v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

static void say_key(karst_gl_overlay overlay, int i, float error_px, int slots_used, karst_gl_key *key) {
    const size_t room = sizeof key->text;
    if (overlay == KARST_GL_OVERLAY_LEVEL)
        snprintf(key->text, room, "level %d%s", i, i ? "" : ", 8, ...");
    else if (overlay == KARST_GL_OVERLAY_ERROR)
        snprintf(key->text, room, i < 5 ? "%.3g px" : "more than %.3g px", (double)error_px * fmin(i, 4) / 4);
    else if (overlay == KARST_GL_OVERLAY_METHOD)
        snprintf(key->text, room, "patch of %d x %d cells", 16 >> i, 16 >> i);
    else if (overlay == KARST_GL_OVERLAY_BANDS)
        snprintf(key->text, room, i ? "%d x %d texels a tile" : "tiles", 8 >> i, 8 >> i);
    else if (i < 4)
        snprintf(key->text, room, "slot %d", (slots_used - 1) * i / 3);
    else
        snprintf(key->text, room, "finer chunks awaited");
}

int karst_gl_overlay_keys(const karst_gl *gl, const karst_gl_look *look, karst_gl_key out[KARST_GL_KEYS_MAX]) {
    KARST_ASSERT(look->cookie == KST_COOKIE);
    int k = index_of(look->overlays);
    for (int i = 0; i < overlays[k].keys; ++i) {
        for (int c = 0; c < 3; ++c) out[i].rgb[c] = srgb(overlays[k].colour[i][c]);
        say_key(overlays[k].overlay, i, look->error_px, gl->store.slots_used, &out[i]);
    }
    return overlays[k].keys;
}
