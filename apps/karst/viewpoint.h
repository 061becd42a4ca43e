// SPDX-License-Identifier: MIT
// Viewpoint: where to stand for a good look at a land nobody described.
#pragma once
#include "karst/gl.h"

// Pick an eye above the ground of a pack and a point to look at, for a lens and a sun. The same for the same pack.
void viewpoint_find(karst_pack *pack, const karst_gl_look *look, float fov_rad, double aspect, karst_pos *eye,
                    karst_pos *at);
