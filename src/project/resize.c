// SPDX-License-Identifier: MIT
// Resize: a ground and all its sheets in another shape.
//
// New samples go to an owner of their own first, since old and new chunks have the same places; ids begin at 1, so
// owner 0 is nobody's. Then the old chunks go and the new ones are theirs.
#include "karst/resample.h"
#include "project/world.h"

enum { PASSING = 0 };

typedef struct resizing {
    karst_project *project;
    karst_field_shape from, to;
    const karst_progress *progress;
    int done, count;  // owners
} resizing;

// Progress of one of several samplings, each of which goes over its samples twice.
typedef struct part {
    const resizing *r;
    int half;
} part;

static bool step_of(void *context, const char *stage, double share) {
    const part *p = context;
    double all = (p->r->done + (p->half + share) / 2) / p->r->count;
    return !p->r->progress || !p->r->progress->step || p->r->progress->step(p->r->progress->context, stage, all);
}

static karst_status sample(const resizing *r, int half, int64_t from_owner, const karst_field_shape *from,
                           int64_t to_owner) {
    part p = {r, half};
    karst_progress progress = {step_of, &p};
    karst_field *source = NULL, *target = NULL;
    karst_status status = kst_world_open_owner(r->project, from_owner, from, 0, &source);
    if (!status) status = kst_world_open_owner(r->project, to_owner, &r->to, 0, &target);
    if (!status) status = karst_field_resample(source, target, &progress);
    if (!status) status = karst_field_flush(target);
    karst_field_destroy(source);
    karst_field_destroy(target);
    return status;
}

static karst_status drop(karst_project *p, int64_t owner) {
    pthread_mutex_lock(&p->mutex);
    karst_status status = kst_world_drop_chunks(p, owner);
    pthread_mutex_unlock(&p->mutex);
    return status;
}

static karst_status resize_owner(resizing *r, int64_t owner) {
    karst_status status = sample(r, 0, owner, &r->from, PASSING);
    if (!status) status = drop(r->project, owner);
    if (!status) status = sample(r, 1, PASSING, &r->to, owner);
    if (!status) status = drop(r->project, PASSING);
    ++r->done;
    return status;
}

karst_status karst_project_resize(karst_project *project, int64_t ground, const karst_field_shape *shape,
                                  const karst_progress *progress) {
    karst_project_ground g;
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = kst_world_need_step(project);
    if (!status) status = kst_world_check_shape(project, shape);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_find_ground(project, ground, KARST_PROJECT_FIELD, &g);
    if (!status) status = kst_world_list_sheets(project, ground, &sheets, &count);
    pthread_mutex_unlock(&project->mutex);
    if (status) return status;
    resizing r = {project, g.shape, *shape, progress, 0, count + 1};
    r.to.origin.y = r.from.origin.y;  // sheets are differences, which know no origin
    status = resize_owner(&r, kst_world_ground_owner(ground));
    for (int i = 0; i < count && !status; ++i) status = resize_owner(&r, kst_world_sheet_owner(sheets[i].id));
    kst_world_free_sheets(sheets, count);
    if (status == KARST_ERROR_CANCELLED) kst_fail(&project->report, status, "%s: stopped", project->path);
    if (status == KARST_ERROR_MEMORY) kst_fail(&project->report, status, "%s: out of memory", project->path);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_set_shape(project, ground, &r.to);
    pthread_mutex_unlock(&project->mutex);
    return status;
}
