// SPDX-License-Identifier: MIT
// Planes on any processor.
#define PLANE_KERNELS kst_plane_plain
#define PLANE_NAME "plain"
#include "pack/plane_body.h"
