// SPDX-License-Identifier: MIT
// Model files through Assimp, the only header of that library's side. Everything here runs in a process of its own.
#pragma once
#include "geo/geo.h"

typedef struct kst_scene_job {
    const char *path;
    const karst_model_import_def *def;
} kst_scene_job;

// How the answer begins; the arrays of a model of this size follow, in the order of kst_scene_arrays().
typedef struct kst_scene_head {
    uint32_t whole;  // KST_COOKIE: everything was written
    int32_t status;
    char message[KARST_REPORT_BYTES];
    karst_model_size size;
    karst_pos origin;
    karst_model_import_info info;
    uint32_t without_normals;  // meshes
} kst_scene_head;

// A kst_apart_fn: reads job (a kst_scene_job) and writes head and arrays.
void kst_scene_read(void *job, int file);

// Each array of a model that is there, by its bytes; false when `take` said so.
typedef bool kst_scene_take(void *context, void *array, size_t bytes);
bool kst_scene_arrays(karst_model *model, kst_scene_take *take, void *context);
