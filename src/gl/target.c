// SPDX-License-Identifier: MIT
// Target: a framebuffer of our own with a float depth.
#include "gl/renderer.h"

void kst_target_destroy(kst_target *target) {
    if (target->framebuffer) glDeleteFramebuffers(1, &target->framebuffer);
    if (target->colour) glDeleteRenderbuffers(1, &target->colour);
    if (target->depth) glDeleteRenderbuffers(1, &target->depth);
    *target = (kst_target){0};
}

karst_status kst_target_resize(kst_target *target, int width, int height, int samples) {
    if (target->framebuffer && target->width == width && target->height == height && target->samples == samples)
        return KARST_OK;
    kst_target_destroy(target);
    GLint side = 0, most = 1;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &side);
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    if (width > side || height > side || width < 1 || height < 1) return KARST_ERROR_LIMIT;
    int count = samples > most ? most : samples;
    glCreateRenderbuffers(1, &target->colour);
    glCreateRenderbuffers(1, &target->depth);
    glNamedRenderbufferStorageMultisample(target->colour, count > 1 ? count : 0, GL_RGBA8, width, height);
    glNamedRenderbufferStorageMultisample(target->depth, count > 1 ? count : 0, GL_DEPTH_COMPONENT32F, width, height);
    glCreateFramebuffers(1, &target->framebuffer);
    glNamedFramebufferRenderbuffer(target->framebuffer, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->colour);
    glNamedFramebufferRenderbuffer(target->framebuffer, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
    if (glCheckNamedFramebufferStatus(target->framebuffer, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        kst_target_destroy(target);
        return KARST_ERROR_LIMIT;
    }
    target->width = width;
    target->height = height;
    target->samples = samples;
    return KARST_OK;
}
