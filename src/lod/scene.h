// SPDX-License-Identifier: MIT
// Scene, inner: what expand and tests reach of a scene.
#pragma once
#include "karst/scene.h"

// The chunk in a slot, for the frame of the last update.
const karst_chunk *kst_scene_chunk(const karst_scene *scene, int slot);
