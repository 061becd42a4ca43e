// SPDX-License-Identifier: MIT
// Sheets: what lies above the base of a ground. Layers change what it looks like, masks select vertices. See
// docs/project.md.
//
// A ground looks like: base + the sum over its layers that are on, in order, of strength * mask * layer. Holes and
// opacity are the base's alone. A sheet has the shape of its ground and is stored as one, chunk by chunk.
#pragma once
#include "karst/canvas.h"
#include "karst/project.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum karst_sheet_kind {
    KARST_SHEET_LAYER,  ///< differences [m], up and sideways
    KARST_SHEET_MASK,   ///< y 0..1 a vertex
} karst_sheet_kind;

/// One sheet of a ground.
typedef struct karst_sheet {
    int64_t id;  ///< never used twice in a world
    int64_t ground;
    karst_sheet_kind kind;
    char name[KARST_NAME_BYTES];  ///< of one kind no two sheets of a ground have the same
    bool on;                      ///< of a layer: it shows
    float strength;               ///< of a layer: its share, finite; 1 at first
    int32_t order;                ///< layers are added from the lowest to the highest
    int64_t mask;                 ///< of a layer: the mask that limits it, 0 for none
    uint64_t hash;                ///< of its samples
} karst_sheet;

/// List the sheets of a ground, layers in order, then masks by name. @param out room for capacity; *count receives how
/// many there are @return KARST_ERROR_FILE, KARST_ERROR_FORMAT (a damaged world), KARST_ERROR_MEMORY
KARST_API karst_status karst_project_sheets(karst_project *project, int64_t ground, karst_sheet *out, int capacity,
                                            int *count);

/// Find a sheet by its name. @return KARST_ERROR_ARGUMENT when there is none: the message lists the names there are
KARST_API karst_status karst_project_find_sheet(karst_project *project, int64_t ground, karst_sheet_kind kind,
                                                const char *name, karst_sheet *out);

/// Inside a step: add an empty sheet, 0 everywhere; a layer is on, of strength 1 and above all others.
/// @return KARST_ERROR_ARGUMENT (no step, no such ground, a name that is taken or no name), KARST_ERROR_FILE
KARST_API karst_status karst_project_add_sheet(karst_project *project, int64_t ground, karst_sheet_kind kind,
                                               const char *name, int64_t *id);

/// Inside a step: change name, on, strength, order and mask of the sheet of this id; the rest of `sheet` is not read.
/// @return as karst_project_add_sheet(); KARST_ERROR_ARGUMENT for a strength that is not finite or no such mask
KARST_API karst_status karst_project_set_sheet(karst_project *project, const karst_sheet *sheet);

/// Inside a step: remove a sheet and its samples. A mask that limits a layer stays.
/// @return KARST_ERROR_ARGUMENT (no such sheet, a mask in use), KARST_ERROR_FILE
KARST_API karst_status karst_project_remove_sheet(karst_project *project, int64_t id);

/// Inside a step: add what a layer that shows adds to the base, and remove it. The ground looks as before: bit for bit
/// when it was the lowest layer, else to one rounding. Canvases and fields that are open meanwhile are stale then.
/// @return KARST_ERROR_ARGUMENT (no such layer, or it does not show), KARST_ERROR_CANCELLED and others: drop the step
/// Cost: a read of the ground, a write of what the layer changes.
KARST_API karst_status karst_project_merge_layer(karst_project *project, int64_t id, const karst_progress *progress);

/// Open the samples of one sheet, to read and, inside a step, to change; otherwise as karst_project_field().
KARST_API karst_status karst_project_sheet_field(karst_project *project, int64_t id, size_t cache_bytes,
                                                 karst_field **out);

/// A canvas on a ground of a world.
typedef struct karst_project_canvas karst_project_canvas;

/// Open a ground for edits. The project must outlive the canvas; sheets may not be added, set or removed meanwhile.
/// @param layer what changes: id of a layer that shows, or 0 for the base @param mask id of a mask, or 0
/// @param cache_bytes most memory for chunks, all its fields together, 0: as karst_project_field() for each
/// @param out yours until karst_project_canvas_close(); untouched on error
/// @return KARST_ERROR_ARGUMENT (no such ground, layer or mask; a layer that does not show), KARST_ERROR_MEMORY
/// Threads: as its fields. Cost: O(chunks) pointers a sheet.
KARST_API karst_status karst_project_canvas_open(karst_project *project, int64_t ground, int64_t layer, int64_t mask,
                                                 size_t cache_bytes, karst_project_canvas **out);
/// What edits take; valid until the canvas closes. Cost: O(1).
KARST_API const karst_canvas *karst_project_canvas_get(const karst_project_canvas *canvas);
/// Inside a step, before its commit: give every changed chunk to the world. @return as karst_field_flush()
KARST_API karst_status karst_project_canvas_flush(karst_project_canvas *canvas);
/// Close; changes not flushed are lost. NULL is allowed.
KARST_API void karst_project_canvas_close(karst_project_canvas *canvas);

#ifdef __cplusplus
}
#endif
