// SPDX-License-Identifier: MIT
// History: every step of a world can be undone and done again, without limit. See docs/project.md.
//
// Steps are a tree: a step made after an undo begins a branch, and the one that was undone stays within reach. The
// world stands at one step, the head. All calls that move it are transactions of their own: seen whole or not at all,
// also after a kill; a damaged step is one error, and the world stays where it was.
//
// Fields and canvases that are open while the head moves hold the world of before: destroy them and open them again.
// What they still want from the file, and what they would write to it, is KARST_ERROR_ARGUMENT.
#pragma once
#include "karst/jobs.h"
#include "karst/project.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One step of a history.
typedef struct karst_history_step {
    int64_t id;      ///< 1 and up, growing with time
    int64_t parent;  ///< the step it was made after; 0: the first one
    char name[KARST_NAME_BYTES];
    int64_t time_s;    ///< when it was finished: seconds since 1970, UTC
    uint64_t bytes;    ///< what undoing or redoing it takes of the file
    uint64_t samples;  ///< vertices that it changed
    bool done;         ///< its change is in the world as it stands
    bool current;      ///< it is the head, the last one done
    bool next;         ///< karst_project_redo() would do it, first or after the ones before it
} karst_history_step;

/// List the steps by id. @param out room for capacity; *count receives how many there are
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT (damaged history), KARST_ERROR_MEMORY
KARST_API karst_status karst_project_log(karst_project *project, karst_history_step *out, int capacity, int *count);

/// Undo the last step done. @param progress may be NULL @param out receives the step; may be NULL
/// @return KARST_ERROR_ARGUMENT (nothing to undo; a step is open; opened for reading), KARST_ERROR_FORMAT (the step is
/// damaged: the message names it), KARST_ERROR_CANCELLED; the world is as it was then
/// Cost: as what the step changed.
KARST_API karst_status karst_project_undo(karst_project *project, const karst_progress *progress,
                                          karst_history_step *out);
/// Do again the step that was undone last, or made last, after the head. Otherwise as karst_project_undo().
KARST_API karst_status karst_project_redo(karst_project *project, const karst_progress *progress,
                                          karst_history_step *out);
/// Go to the world as it was right after a step, on whatever branch, by undoing and redoing what lies between; 0:
/// before the first one that is kept. Otherwise as karst_project_undo().
KARST_API karst_status karst_project_go(karst_project *project, int64_t step, const karst_progress *progress);

/// Most bytes that the history may take, kept with the world; 0, as at first: no limit. When it is more, now or after a
/// later step, the oldest step goes, and with it every branch that it alone led to, until it is not.
/// @return KARST_ERROR_ARGUMENT (a step is open; opened for reading), KARST_ERROR_FILE
KARST_API karst_status karst_project_set_history_limit(karst_project *project, uint64_t bytes);
/// The limit now. @return KARST_ERROR_FILE, KARST_ERROR_FORMAT
KARST_API karst_status karst_project_history_limit(karst_project *project, uint64_t *bytes);

#ifdef __cplusplus
}
#endif
