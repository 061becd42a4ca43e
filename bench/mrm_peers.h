// SPDX-License-Identifier: MIT
// What other programs reach on the models of bench mrm.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "karst/model.h"

enum { MRM_SCANS = 3, MRM_SHARES = 5, MRM_PROPS = 2 };
extern const double mrm_share[MRM_SHARES];  // of the triangles

// RMS in % of the diagonal as measured in 2026 with places spread as mrm_gap.c does: armadillo, fandisk_large,
// lion-head.
extern const double mrm_vtk[MRM_SCANS][MRM_SHARES];       // VTK 9.1 vtkQuadricDecimation, which moves vertices
extern const double mrm_openmesh[MRM_SCANS][MRM_SHARES];  // OpenMesh 9 ModQuadric and ModNormalFlipping
// hand and index at 25 and 10 %: VTK's RMS, and the texels off in the best mode of meshoptimizer 1.2, %.
extern const double mrm_vtk_props[MRM_PROPS][2], mrm_uv_bad_props[MRM_PROPS][2];
// Degrees that shading normals of hand are off at 10 %, and its RMS: meshoptimizer 1.2 with a weight of 0.5 on normals.
extern const double mrm_shade_hand, mrm_shade_hand_rms;
// Records a second, the slower way: OpenMesh 9 over its progressive mesh of armadillo.
extern const double mrm_openmesh_slide;

// meshoptimizer, where it was there to build with; else false.
bool mrm_meshopt_is_here(void);
// At most so many triangles, from full detail, any error. false: it is not here, or no memory.
bool mrm_meshopt_simplify(const karst_model *model, uint32_t triangles, karst_model **out);
// The same with nothing made: what is timed. index has room for all of the model's.
void mrm_meshopt_indices(const karst_model *model, uint32_t triangles, uint32_t *index);
// Indices in its cache order, in place; as they are when it is not here.
void mrm_meshopt_cache(uint32_t *index, size_t count, uint32_t vertices);
