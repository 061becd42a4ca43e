// SPDX-License-Identifier: MIT
// A picture of a model by the processor alone: one light, the sky's, and no texture.
#pragma once
#include "karst/model.h"

typedef struct model_view {
    int width, height;  // pixels
    double turn_rad;    // the model is seen from this far right of its front (+Z), round Y
    double rise_rad;    // and from this far above
    bool wireframe;
} model_view;

// rgb: width * height * 3 bytes, rows from the top. The view just holds the model. False without memory.
bool model_picture(const karst_model *model, const model_view *view, uint8_t *rgb);
