// SPDX-License-Identifier: MIT
// Look: defaults, the sun of an hour, light and shadow of a sun, and the numbers that the shaders get.
#include <math.h>
#include <stdlib.h>

#include "gl/renderer.h"
#include "gl/shadow.h"
#include "gl/zones.h"

static const double pi = 3.14159265358979323846;

karst_gl_look karst_gl_look_default(void) {
    return (karst_gl_look){.sun_elevation_rad = 0.52f,
                           .sun_azimuth_rad = 2.15f,
                           .haze = 0.7f,
                           .snow_line_m = NAN,
                           .tree_line_m = NAN,
                           .water_m = NAN,
                           .contour_m = 100,
                           .sky = true,
                           .surround = true,
                           .error_px = 1,
                           .cookie = KST_COOKIE};
}

void karst_gl_look_sun(karst_gl_look *look, float hour, float latitude_rad, int day) {
    double declination = -23.44 * pi / 180 * cos(2 * pi * (day + 10) / 365.0);
    double turn = (hour - 12) * pi / 12, lat = latitude_rad;
    double sine = sin(lat) * sin(declination) + cos(lat) * cos(declination) * cos(turn);
    double east = -cos(declination) * sin(turn);
    double north = sin(declination) * cos(lat) - cos(declination) * sin(lat) * cos(turn);
    double azimuth = atan2(east, north);
    look->sun_elevation_rad = (float)asin(sine < -1 ? -1 : sine > 1 ? 1 : sine);
    look->sun_azimuth_rad = (float)(azimuth < 0 ? azimuth + 2 * pi : azimuth);
}

karst_status kst_lighting_update(karst_gl *gl, const karst_gl_look *look) {
    kst_lighting *l = &gl->lighting;
    if (!l->swept || l->swept_azimuth_rad != look->sun_azimuth_rad) {
        karst_map height;
        karst_status status =
            gl->store.pack ? karst_pack_map(gl->store.pack, "height", &height) : KARST_ERROR_UNSUPPORTED;
        if (status && status != KARST_ERROR_UNSUPPORTED) return status;
        int w = status ? 1 : height.width, h = status ? 1 : height.height;
        float *horizon = kst_alloc_array(NULL, (size_t)w * (size_t)h, sizeof *horizon);
        if (!horizon) return KARST_ERROR_MEMORY;
        horizon[0] = 0;
        if (!status)
            status = kst_shadow_sweep(gl->def.jobs, &height, gl->scenery.map_cell_m, look->sun_azimuth_rad, horizon);
        else
            status = KARST_OK;
        GLuint *t = &gl->store.texture[KST_UNIT_HORIZON_MAP];
        if (!*t) {
            glCreateTextures(GL_TEXTURE_2D, 1, t);
            glTextureStorage2D(*t, 1, GL_R16F, w, h);
            glTextureParameteri(*t, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
            glTextureParameteri(*t, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
            glTextureParameteri(*t, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
            glTextureParameteri(*t, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
        }
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        if (!status) glTextureSubImage2D(*t, 0, 0, 0, w, h, GL_RED, GL_FLOAT, horizon);
        kst_free(NULL, horizon, (size_t)w * (size_t)h * sizeof *horizon);
        if (status) return status;
        l->swept = true;
        l->swept_azimuth_rad = look->sun_azimuth_rad;
    }
    if (l->known && l->elevation_rad == look->sun_elevation_rad && l->azimuth_rad == look->sun_azimuth_rad &&
        l->haze == look->haze)
        return KARST_OK;
    float level = cosf(look->sun_elevation_rad);
    l->air = (kst_air){
        {level * sinf(look->sun_azimuth_rad), sinf(look->sun_elevation_rad), -level * cosf(look->sun_azimuth_rad)},
        look->haze};
    l->light = kst_air_light_of(&l->air);
    l->elevation_rad = look->sun_elevation_rad;
    l->azimuth_rad = look->sun_azimuth_rad;
    l->haze = look->haze;
    l->known = true;
    return KARST_OK;
}

static void set3(float out[4], karst_vec3 v, float w) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = w;
}

// A scale of noise: a tile of `tile_m` turned by `turn`, standing still on the ground while the origin moves.
static void set_noise(float out[4], double x, double z, double tile_m, double turn) {
    double c = cos(turn) / tile_m, s = sin(turn) / tile_m, u = c * x - s * z, v = s * x + c * z;
    out[0] = (float)c;
    out[1] = (float)s;
    out[2] = (float)(u - floor(u));
    out[3] = (float)(v - floor(v));
}
static float fraction(double v) {
    return (float)(v - floor(v));
}

static float smooth(float low, float high, float v) {
    float t = fminf(fmaxf((v - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

static void fill_noise(kst_gl_frame *f, double x, double z) {
    set_noise(f->noise[KST_NOISE_5200], x, z, 5200, 0.3);
    set_noise(f->noise[KST_NOISE_430], x, z, 430, 1.1);
    set_noise(f->noise[KST_NOISE_53], x, z, 53, 2.0);
    set_noise(f->noise[KST_NOISE_6], x, z, 6.1, 2.7);
    set_noise(f->noise[KST_NOISE_1], x, z, 1.15, 0.8);
    set_noise(f->noise[KST_NOISE_CANOPY], x, z, 100, 0.5);
    set_noise(f->noise[KST_NOISE_CLOUD_FINE], x, z, 4800, 0.9);
    set_noise(f->noise[KST_NOISE_GUST], x, z, 1400, 1.7);
    set_noise(f->noise[KST_NOISE_CANOPY_LOW], x, z, 61, 2.3);
    const double cloud_x = 20000, cloud_z = 9500, bed = 0.35 / 240, flute = 1.6 / 240;
    float *c = f->noise[KST_NOISE_CLOUD], *s = f->noise[KST_NOISE_STRATA], *w = f->noise[KST_NOISE_WATER];
    c[0] = (float)(1 / cloud_x);
    c[1] = (float)(1 / cloud_z);
    c[2] = fraction(x / cloud_x);
    c[3] = fraction(z / cloud_z);
    s[0] = fraction(x * bed);
    s[1] = fraction(z * bed);
    s[2] = fraction(x * flute);
    s[3] = fraction(z * flute);
    w[0] = fraction(x / 31);
    w[1] = fraction(z / 31);
    w[2] = fraction(x / 9);
    w[3] = fraction(z / 9);
}

static float or_else(float wanted, float otherwise) {
    return isnan(wanted) ? otherwise : wanted;
}

void kst_gl_fill_frame(const karst_gl *gl, const karst_frame *frame, const karst_view *view, const karst_gl_look *look,
                       kst_gl_frame *out) {
    const karst_lattice *lattice = &frame->lattice;
    const karst_field_shape *shape = &lattice->shape;
    const kst_scenery *land = &gl->scenery;
    const kst_lighting *l = &gl->lighting;
    kst_gl_frame f = {0};
    // Close enough for an eye that walks; the float depth keeps its digits at any distance.
    const float near_m = 0.05f;
    karst_view_matrix(view, frame->origin, near_m, f.clip);
    set3(f.fraction, frame->fraction, (float)lattice->step_y_m);
    set3(f.eye,
         (karst_vec3){(float)(view->eye.x - frame->origin.x), (float)(view->eye.y - frame->origin.y),
                      (float)(view->eye.z - frame->origin.z)},
         (float)lattice->step_xz_m);
    f.lattice[0] = lattice->cell_steps;
    f.lattice[1] = shape->columns - 1;
    f.lattice[2] = shape->rows - 1;
    f.lattice[3] = (int32_t)look->overlays | (look->sky ? KST_DRAW_SKY : 0) |
                   (look->sky && look->surround && !gl->is_bare ? KST_DRAW_SURROUND : 0) |
                   (look->flat_shading ? KST_DRAW_FLAT : 0) | (land->full_map ? KST_DRAW_MAP_NORMALS : 0);
    set3(f.right, view->right, view->tan_x);
    set3(f.up, view->up, view->tan_y);
    set3(f.back, view->back, (float)frame->origin.y);
    memcpy(f.viewport,
           (float[4]){(float)view->width, (float)view->height, 1 / (float)view->width, 1 / (float)view->height},
           sizeof f.viewport);
    float level = hypotf(l->air.sun[0], l->air.sun[2]);
    memcpy(f.sun, l->air.sun, sizeof l->air.sun);
    f.sun[3] = l->air.sun[1] / fmaxf(level, 1e-3f);
    const float forward[3] = {-view->back.x, -view->back.y, -view->back.z};
    memcpy(f.sunlight, l->light.sunlight, sizeof l->light.sunlight);
    memcpy(f.ambient, l->light.even, sizeof l->light.even);
    memcpy(f.ambient_up, l->light.up, sizeof l->light.up);
    memcpy(f.ambient_sun, l->light.toward_sun, sizeof l->light.toward_sun);
    f.sunlight[3] = look->haze;
    f.ambient[3] = kst_air_exposure(&l->air, &l->light, forward, look->exposure_ev);
    f.ambient_up[3] = 1 - smooth(0.0006f, 0.0018f, l->light.key);
    f.ambient_sun[3] = fmaxf(look->contour_m, 1e-3f);
    f.lines[0] = or_else(look->snow_line_m, land->snow_line_m);
    f.lines[1] = or_else(look->tree_line_m, land->tree_line_m);
    f.lines[2] = or_else(look->water_m, -1e9f);
    f.lines[3] = land->size;
    f.land[0] = land->slope_gain;
    f.land[1] = land->map_cell_m;
    f.land[2] = fmaxf(land->low_m + 2600, land->high_m + 900);
    f.land[3] = 0.006f;
    // Small relief is made up only where the samples are too far apart to hold it.
    f.bump[0] = smooth(3, 14, land->map_cell_m);
    f.bump[1] = smooth(0.4f, 2, land->map_cell_m);
    f.bump[2] = smooth(0.05f, 0.25f, land->map_cell_m);
    f.bump[3] = 1;
    f.place[0] = (float)(frame->origin.x - shape->origin.x);
    f.place[1] = (float)(frame->origin.z - shape->origin.z);
    f.place[2] = (float)(1 / (shape->spacing_m * (shape->columns - 1)));
    f.place[3] = (float)(1 / (shape->spacing_m * (shape->rows - 1)));
    karst_map height;
    if (gl->store.pack && !karst_pack_map(gl->store.pack, "height", &height)) {
        f.height[0] = height.offset;
        f.height[1] = height.scale * 65535;
    }
    f.height[2] = (float)(shape->origin.y - frame->origin.y);
    f.height[3] = !gl->is_bare || !look->zones ? land->low_m : (float)look->zones->low_m;
    fill_noise(&f, frame->origin.x, frame->origin.z);
    kst_overlay_fill(gl, view, look, &f);
    memcpy(f.background, look->background, sizeof look->background);
    *out = f;
}
