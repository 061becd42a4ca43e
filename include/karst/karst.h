// SPDX-License-Identifier: MIT
// Everything that a shipped game links: library `karst`. Tools add project.h, geo.h, bake.h (library
// `karst-author`) and renderers gl.h (library `karst-gl`).
#pragma once
#include "karst/base.h"
#include "karst/check.h"
#include "karst/chunk.h"
#include "karst/field.h"
#include "karst/geomorph.h"
#include "karst/governor.h"
#include "karst/jobs.h"
#include "karst/mesh.h"
#include "karst/model.h"
#include "karst/mrm.h"
#include "karst/net.h"
#include "karst/pack.h"
#include "karst/resident.h"
#include "karst/scene.h"
#include "karst/surface.h"
#include "karst/tile.h"
#include "karst/view.h"
#include "karst/zone.h"
#include "karst/zoneground.h"
#include "karst/zonescene.h"
