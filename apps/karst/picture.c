// SPDX-License-Identifier: MIT
// Pictures: what render and flyover share.
#include "picture.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static bool parse_colour(const char *text, float out[3]) {
    if (strlen(text) != 6) return false;
    for (int k = 0; k < 6; ++k)
        if (!strchr("0123456789abcdefABCDEF", text[k])) return false;
    unsigned long rgb = strtoul(text, NULL, 16);
    for (int k = 0; k < 3; ++k) out[k] = (float)(rgb >> (16 - 8 * k) & 255) / 255;
    return true;
}

static int read_options(picture *p, args *a) {
    bool bad = false;
    karst_gl_look *look = &p->look;
    *look = karst_gl_look_default();
    p->width = 960;
    p->height = 540;
    arg_pair(a, "--size", 1, 16384, &p->width, &p->height, &bad);
    p->fov_rad = (float)(arg_real(a, "--fov-deg", 50, 1, 170, &bad) * 3.14159265358979 / 180);
    p->samples = (int)arg_int(a, "--samples", 4, 1, 4, &bad);
    p->budget = karst_budget_default();
    p->budget.skirt_m = (float)arg_real(a, "--skirt", 0, 0, 1e7, &bad);
    const char *ground = arg_text(a, "--ground", "both");
    if (!patches_ground_find(ground, &p->shown))
        return say_usage(a, "--ground %s: give one of: " PATCHES_GROUND_NAMES, ground);
    p->edge_px = (float)arg_real(a, "--edge", PATCHES_EDGE_PX, 0.1, 1e5, &bad);
    p->budget.error_px = (float)arg_real(a, "--lod-error", 1, 1e-3, 1e6, &bad);
    look->haze = (float)arg_real(a, "--haze", look->haze, 0, 50, &bad);
    look->exposure_ev = (float)arg_real(a, "--exposure", 0, -20, 20, &bad);
    look->water_m = (float)arg_real(a, "--water", NAN, -1e7, 1e7, &bad);
    look->snow_line_m = (float)arg_real(a, "--snow-line", NAN, -1e7, 1e7, &bad);
    look->tree_line_m = (float)arg_real(a, "--tree-line", NAN, -1e7, 1e7, &bad);
    const char *method = arg_text(a, "--method", "grid");
    if (!karst_method_find(method, &p->budget.method))
        return say_usage(a, "--method %s: give one of: %s", method, KARST_METHOD_NAMES);
    method = arg_text(a, "--zone-method", "corner");
    if (!karst_zone_method_find(method, &p->zone_method))
        return say_usage(a, "--zone-method %s: give one of: %s", method, KARST_ZONE_METHOD_NAMES);
    double hour = arg_real(a, "--hour", NAN, 0, 24, &bad), contour = arg_real(a, "--contours", NAN, 1e-3, 1e6, &bad);
    if (bad) return EXIT_USAGE;
    if (p->samples == 3) return say_usage(a, "--samples 3: give 1, 2 or 4");
    if (!isnan(hour)) karst_gl_look_sun(look, (float)hour, 0.785f, 105);
    if (!isnan(contour)) {
        look->contour_m = (float)contour;
        look->overlays |= KARST_GL_OVERLAY_CONTOUR;
    }
    karst_gl_overlay overlay;
    const char *named = arg_text(a, "--overlay", "none");
    if (!karst_gl_overlay_find(named, &overlay))
        return say_usage(a, "--overlay %s: give one of: %s", named, KARST_GL_OVERLAY_NAMES);
    look->overlays |= (unsigned)overlay;
    look->error_px = p->budget.error_px;
    if (arg_flag(a, "--wireframe")) look->overlays |= KARST_GL_OVERLAY_WIREFRAME;
    const char *background = arg_text(a, "--background", NULL);
    if (background) {
        look->sky = false;
        if (!parse_colour(background, look->background))
            return say_usage(a, "--background %s: give six hexadecimal digits, like ff0000", background);
    }
    return EXIT_DONE;
}

int picture_open(picture *p, args *a, const char *path) {
    *p = (picture){0};
    int result = read_options(p, a);
    if (result) return result;
    karst_pack_def pack_def = karst_pack_def_default();
    pack_def.report = &a->report;
    pack_def.partial = arg_flag(a, "--partial");
    p->path = path;
    p->budget.sim_radius_m = 0;  // nobody walks here
    karst_gl_def gl_def = karst_gl_def_default();
    gl_def.report = &a->report;
    gl_def.jobs = a->jobs;
    karst_scene_def scene_def = karst_scene_def_default();
    scene_def.jobs = a->jobs;
    scene_def.slot_count = 2048;  // a still picture takes what it needs; only what is used costs memory
    karst_status status = karst_pack_open(path, &pack_def, &p->pack);
    if (!status) status = karst_gl_context_create(&a->report, &p->context);
    if (!status) status = karst_gl_create(p->pack, &gl_def, &p->gl);
    if (!status) {
        p->info = karst_pack_info_of(p->pack);
        status = karst_scene_create(p->pack, &scene_def, &p->scene);
        p->rgb = malloc(3 * (size_t)p->width * (size_t)p->height);
        if (!status && !p->rgb) status = KARST_ERROR_MEMORY;
        if (status) kst_fail(&a->report, status, "%s: cannot be drawn: %s", path, karst_status_text(status));
    }
    if (!status) status = patches_open(&p->patches, p->pack, p->scene, p->shown, a->jobs, &a->report);
    if (!status) {
        p->report = &a->report;
        p->patches.edge_px = p->edge_px;
        p->patches.torn = arg_flag(a, "--torn");
        p->patches.budget.method = p->zone_method;
        const karst_box *b = &p->patches.bounds;
        status = picture_bring(p, (karst_pos){0.5 * (b->min.x + b->max.x), b->max.y, 0.5 * (b->min.z + b->max.z)});
    }
    if (!status) return EXIT_DONE;
    picture_close(p);
    if (status == KARST_ERROR_ARGUMENT && arg_text(a, "--ground", NULL))
        return say_usage(a, "%s: %s", path, a->report.message);
    return could_not(a, status);
}

void picture_close(picture *p) {
    free(p->rgb);
    patches_close(&p->patches);
    karst_gl_destroy(p->gl);
    karst_scene_destroy(p->scene);
    karst_pack_close(p->pack);
    karst_gl_context_destroy(p->context);
    *p = (picture){0};
}

karst_status picture_bring(picture *p, karst_pos eye) {
    return patches_bring(&p->patches, eye, INT_MAX, p->report);
}

karst_status picture_draw(picture *p, const karst_view *view, karst_frame *frame) {
    patches_aim(&p->patches, view, &p->budget);
    karst_status status = karst_scene_settle(p->scene, view, 1, &p->budget, frame);
    if (!status && p->patches.count) {
        status = picture_bring(p, view->eye);
        if (!status) status = patches_show(&p->patches, p->gl, view);
        p->look.zones = p->patches.drawn;
    }
    if (status) return status;
    if (frame->damage_count && !p->damaged) p->first_damage = frame->damages[0];
    p->damaged += frame->damage_count;
    if (frame->figures.kept_pending > p->kept_pending) p->kept_pending = frame->figures.kept_pending;
    if (frame->figures.kept_for_memory > p->kept_for_memory) p->kept_for_memory = frame->figures.kept_for_memory;
    if (p->patches.no_field) patches_hide_field(frame);
    return karst_gl_render(p->gl, frame, view, 0, &p->look, p->samples, p->rgb);
}

// Say what was drawn of patches.
static void tell_patches(args *a, const patches *p) {
    karst_gl_zone_figures f = karst_gl_zones_figures(p->drawn);
    bool by_corners = p->frame.method == KARST_ZONE_METHOD_CORNER;
    char more[64];
    if (by_corners)
        snprintf(more, sizeof more, "%d of them refined", p->frame.figures.refined);
    else
        snprintf(more, sizeof more, "of a mesh of %lld triangles", (long long)p->frame.mesh.live_triangles);
    say(a, "patches: %d zones by method %s, %d pieces seen, %s, %lld triangles in %d draws, %.1f MB on the device\n",
        p->here, karst_zone_method_name(p->frame.method), p->frame.figures.pieces, more, (long long)f.triangles,
        f.draws, (double)f.device_bytes * 1e-6);
    say(a, "tiles: %.1f MB of images, %.1f MB of far textures for %d pieces, %d without room\n",
        (double)f.tile_bytes * 1e-6, (double)f.far_bytes * 1e-6, f.far_pieces, f.far_missing);
    if (p->left_out)
        say_note(a, "%d zones of patches farther away are left out: a picture takes %d", p->left_out, p->most);
    int32_t pending = p->waits ? p->count - p->here - p->left_out - p->damaged : 0;
    if (pending)
        say_note(a, "%d of %d zones of patches are not in the file yet: nothing is shown there", pending, p->count);
    cJSON *o = cJSON_AddObjectToObject(a->out, "patches");
    cJSON_AddNumberToObject(o, "zones_pending", pending);
    cJSON_AddStringToObject(o, "method", karst_zone_method_name(p->frame.method));
    cJSON_AddNumberToObject(o, "zones", p->here);
    cJSON_AddNumberToObject(o, "zones_left_out", p->left_out);
    cJSON_AddNumberToObject(o, "pieces", p->frame.figures.pieces);
    if (by_corners)
        cJSON_AddNumberToObject(o, "refined", p->frame.figures.refined);
    else
        cJSON_AddNumberToObject(o, "mesh_triangles", (double)p->frame.mesh.live_triangles);
    cJSON_AddNumberToObject(o, "threshold", (double)p->budget.threshold);
    cJSON_AddNumberToObject(o, "edge_px", (double)p->edge_px);
    cJSON_AddNumberToObject(o, "triangles", (double)f.triangles);
    cJSON_AddNumberToObject(o, "vertices", (double)f.vertices);
    cJSON_AddNumberToObject(o, "instances", f.instances);
    cJSON_AddNumberToObject(o, "draws", f.draws);
    cJSON_AddNumberToObject(o, "fine_pieces", f.fine_pieces);
    cJSON_AddNumberToObject(o, "fine_bytes", (double)f.fine_bytes);
    cJSON_AddNumberToObject(o, "tile_bytes", (double)f.tile_bytes);
    cJSON_AddNumberToObject(o, "far_bytes", (double)f.far_bytes);
    cJSON_AddNumberToObject(o, "far_pieces", f.far_pieces);
    cJSON_AddNumberToObject(o, "far_missing", f.far_missing);
    cJSON_AddNumberToObject(o, "device_bytes", (double)f.device_bytes);
    cJSON_AddNumberToObject(o, "uploaded_bytes", (double)f.uploaded_bytes);
}

// What was asked for and cannot be.
static void tell_methods(args *a, const picture *p) {
    if (!p->patches.seam) return;
    if (p->budget.method != KARST_METHOD_GRID)
        say_note(a, "%s: --method grid is taken, not %s: " PATCHES_SEAM_WHY "; --ground field takes any", p->path,
                 karst_method_name(p->budget.method));
    if (p->zone_method != KARST_ZONE_METHOD_CORNER)
        say_note(a, "%s: --zone-method corner is taken, not %s: " PATCHES_SEAM_WHY "; --ground patches takes any",
                 p->path, karst_zone_method_name(p->zone_method));
}

void picture_tell(args *a, const picture *p) {
    if (p->patches.count) tell_patches(a, &p->patches);
    tell_methods(a, p);
    char more[64] = "";
    if (p->damaged > 1) snprintf(more, sizeof more, ", as %d more are", p->damaged - 1);
    if (p->damaged)
        say_note(a,
                 "%s: the chunk at level %d, x %d, z %d is damaged%s: coarser ground is shown there; "
                 "karst check %s tells more, bake or copy it again",
                 p->path, p->first_damage.level, p->first_damage.x, p->first_damage.z, more, p->path);
    if (p->kept_pending)
        say_note(a, "%s: %llu of %llu bytes are there: %d chunks are shown coarser than they should be", p->path,
                 (unsigned long long)karst_pack_refresh(p->pack), (unsigned long long)p->info.file_bytes,
                 p->kept_pending);
    if (p->kept_for_memory)
        say_note(a, "%s: no memory is left for finer ground in %d chunks; a larger --lod-error needs less", p->path,
                 p->kept_for_memory);
    cJSON_AddNumberToObject(a->out, "chunks_damaged", p->damaged);
    cJSON_AddNumberToObject(a->out, "kept_pending", p->kept_pending);
    cJSON_AddNumberToObject(a->out, "kept_for_memory", p->kept_for_memory);
}
