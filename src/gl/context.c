// SPDX-License-Identifier: MIT
// Headless context: a core 4.5 context without a window. The device platform comes first, since it reaches a GPU
// where there is one; surfaceless is Mesa's way without devices. A display is never terminated: it is one for the whole
// process, and others may draw with it.
#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include "core/core.h"
#include "karst/gl.h"

struct karst_gl_context {
    EGLDisplay display;
    EGLContext context;
};

enum { DEVICES_MAX = 16 };

// A 4.5 core context on a display, current on this thread; false leaves nothing behind.
static bool try_display(EGLDisplay display, karst_gl_context *out) {
    EGLint major, minor, count = 0;
    EGLConfig config;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) return false;
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 5, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    if (eglBindAPI(EGL_OPENGL_API) && eglChooseConfig(display, wanted, &config, 1, &count) && count == 1) {
        EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
        if (context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
            *out = (karst_gl_context){display, context};
            return true;
        }
        if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    }
    return false;
}

static bool try_platforms(karst_gl_context *out) {
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration")) {
        EGLDeviceEXT devices[DEVICES_MAX];
        EGLint count = 0;
        if (!eglQueryDevicesEXT(DEVICES_MAX, devices, &count)) count = 0;
        for (int k = 0; k < count; ++k)
            if (try_display(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[k], NULL), out)) return true;
    }
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        return try_display(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL), out);
    return false;
}

karst_status karst_gl_context_create(karst_report *report, karst_gl_context **out) {
    karst_gl_context *context = kst_alloc_zero(NULL, sizeof *context);
    if (!context) return kst_fail(report, KARST_ERROR_MEMORY, "no memory for a graphics context");
    if (!epoxy_has_egl() || !try_platforms(context)) {
        kst_free(NULL, context, sizeof *context);
        return kst_fail(report, KARST_ERROR_UNSUPPORTED,
                        "no OpenGL 4.5 core context can be had without a window; install Mesa's software rasteriser "
                        "(Debian: libgl1-mesa-dri libegl-mesa0) or a driver with EGL");
    }
    *out = context;
    return KARST_OK;
}

void karst_gl_context_destroy(karst_gl_context *context) {
    if (!context) return;
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(context->display, context->context);
    kst_free(NULL, context, sizeof *context);
}

const char *karst_gl_device(void) {
    const char *name = (const char *)glGetString(GL_RENDERER);
    return name ? name : "no device";
}
