// SPDX-License-Identifier: MIT
// Renderer on OpenGL 4.5 core. Draws frames on a context that somebody else made. See docs/gl.md.
#pragma once
#include "karst/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karst_gl karst_gl;
typedef struct karst_gl_meshes karst_gl_meshes;  // of karst/glmesh.h
typedef struct karst_gl_zones karst_gl_zones;    // of karst/glzone.h

/// Parameters of a renderer. Start from karst_gl_def_default().
typedef struct karst_gl_def {
    karst_jobs *jobs;      ///< for shadow sweeps; NULL: the caller
    karst_report *report;  ///< receives compiler messages; may be NULL
    int samples;           ///< of targets that have no float depth of their own: 1, 2 or 4; default 4
    uint32_t cookie;       ///< set by the default function, do not touch
} karst_gl_def;

/// Work on the caller, compiler messages dropped.
KARST_API karst_gl_def karst_gl_def_default(void);

/// Make a renderer for the scenes of one pack on the context that is current. The pack must outlive it.
/// @param pack NULL: for pictures of meshes and zones alone, without a frame
/// Threads: this and every call with the renderer where that context is current. Cost: compiles shaders, uploads maps.
/// @param def NULL: the default @param out yours until karst_gl_destroy(); untouched on error
/// @return KARST_ERROR_UNSUPPORTED (no 4.5 core), KARST_ERROR_MEMORY
KARST_API karst_status karst_gl_create(karst_pack *pack, const karst_gl_def *def, karst_gl **out);
/// Free the renderer and its GL objects; its context must be current. NULL is allowed.
KARST_API void karst_gl_destroy(karst_gl *gl);

/// What is drawn over the ground. At most one of those that colour it is shown: the lowest bit.
typedef enum karst_gl_overlay {
    KARST_GL_OVERLAY_NONE = 0,
    KARST_GL_OVERLAY_WIREFRAME = 1,
    KARST_GL_OVERLAY_CONTOUR = 2,
    KARST_GL_OVERLAY_LEVEL = 4,       ///< colours: level of detail, blended as it is
    KARST_GL_OVERLAY_ERROR = 8,       ///< colours: bound of the error on screen, as share of karst_gl_look.error_px
    KARST_GL_OVERLAY_METHOD = 16,     ///< colours: how finely the method cuts each patch, which is its batch
    KARST_GL_OVERLAY_RESIDENCY = 32,  ///< colours: which slot a chunk is in, and where finer ones are awaited
    KARST_GL_OVERLAY_BANDS = 64,      ///< colours: which form of its tiles a patch shows, see karst/tile.h
} karst_gl_overlay;
/// The words of the overlays that colour the ground.
#define KARST_GL_OVERLAY_NAMES "level, error, method, residency, bands"

/// The word for the overlay that colours the ground among these bits, "none" when there is none. Static storage.
/// Threads: any.
KARST_API const char *karst_gl_overlay_name(unsigned overlays);
/// The overlay that a word names ("none" too), in *out; false, and *out untouched, when none has that name. Threads:
/// any.
KARST_API bool karst_gl_overlay_find(const char *name, karst_gl_overlay *out);

/// How a frame looks. Start from karst_gl_look_default().
typedef struct karst_gl_look {
    float sun_elevation_rad, sun_azimuth_rad;  ///< azimuth from north (-z) clockwise
    float haze;                                ///< 0.5 after rain, 1 clear, 3 summer haze
    float exposure_ev;                         ///< correction [stops]
    float snow_line_m, tree_line_m, water_m;   ///< world heights; NAN: chosen from the ground (water: none)
    float contour_m;                           ///< distance of contour lines
    unsigned overlays;                         ///< karst_gl_overlay bits
    float error_px;                            ///< error that KARST_GL_OVERLAY_ERROR shows as all that is allowed; 1
    bool sky;                                  ///< false: background colour, no haze
    bool surround;                             ///< beyond the border the land again, mirrored; needs sky
    float background[3];                       ///< sRGB 0..1, used when sky is false
    bool flat_shading;                         ///< plain lit white ground, for tests
    karst_gl_meshes *meshes;                   ///< that stand on the ground, see karst/glmesh.h; NULL: none
    karst_gl_zones *zones;                     ///< ground of patches, see karst/glzone.h; NULL: none
    uint32_t cookie;                           ///< set by the default function, do not touch
} karst_gl_look;

/// A clear morning with sky; snow, trees and exposure chosen from the ground.
KARST_API karst_gl_look karst_gl_look_default(void);

/// Set the sun to that of a clock hour (0..24, local solar) at a latitude [rad, north positive] and day of the year
/// (1..365). Threads: any.
KARST_API void karst_gl_look_sun(karst_gl_look *look, float hour, float latitude_rad, int day);

/// One colour of an overlay and what it stands for.
typedef struct karst_gl_key {
    float rgb[3];  ///< sRGB 0..1, as it looks in plain light
    char text[28];
} karst_gl_key;
enum { KARST_GL_KEYS_MAX = 8 };

/// The legend of the overlay that colours the ground; between colours that follow each other it blends, but for
/// methods. Threads: as karst_gl_draw(). @return number of keys, 0 when no overlay colours
KARST_API int karst_gl_overlay_keys(const karst_gl *gl, const karst_gl_look *look, karst_gl_key out[KARST_GL_KEYS_MAX]);

/// Copy what is new and draw view `view_index` of the frame into framebuffer `target` (GL name), sized by the view.
/// Sets all GL state it needs and restores none. A frame may be drawn any
/// number of times or not at all: what a frame that was not drawn brought is read from the pack. A renderer without a
/// pack takes NULL for a frame. A target whose depth
/// is not 32-bit float (a window) gets its colours copied from a target of our own, def.samples to the pixel.
/// Cost: a few draws a batch, and copying frame->uploads; a new azimuth of the sun sweeps the height map.
/// @return KARST_ERROR_MEMORY, KARST_ERROR_LIMIT (too large for the device), KARST_ERROR_UNSUPPORTED (the driver
/// refused), KARST_ERROR_FORMAT, KARST_ERROR_FILE (the pack)
KARST_API karst_status karst_gl_draw(karst_gl *gl, const karst_frame *frame, const karst_view *view, int view_index,
                                     const karst_gl_look *look, unsigned target);

/// A headless 4.5 core context: EGL device platform, then surfaceless. Made current on this thread.
typedef struct karst_gl_context karst_gl_context;
/// Make one and make it current on this thread. @param out yours until karst_gl_context_destroy(); untouched on error
/// @return KARST_ERROR_UNSUPPORTED (no EGL, no 4.5 core; report says which)
KARST_API karst_status karst_gl_context_create(karst_report *report, karst_gl_context **out);
/// Unbind and free it, on the thread that made it. NULL is allowed.
KARST_API void karst_gl_context_destroy(karst_gl_context *context);

/// Name of the device that draws ("llvmpipe ..."), valid while the context lives. A context must be current.
KARST_API const char *karst_gl_device(void);

/// Draw one view into memory: RGB, 8 bits, rows from the top. Uses its own multisampled target.
/// @param samples 1, 2 or 4 @param rgb room for width * height * 3 bytes of the view
/// @return as karst_gl_draw()
KARST_API karst_status karst_gl_render(karst_gl *gl, const karst_frame *frame, const karst_view *view, int view_index,
                                       const karst_gl_look *look, int samples, uint8_t *rgb);

#ifdef __cplusplus
}
#endif
