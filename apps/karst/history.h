// SPDX-License-Identifier: MIT
// The command line: what undo, redo and log share.
#pragma once
#include "app.h"
#include "karst/history.h"

// All steps of a world; free() them. On error the line is in a->report.
karst_status history_list(args *a, karst_project *project, karst_history_step **out, int *count);
// One step as an object of JSON.
cJSON *history_json(const karst_history_step *s);
