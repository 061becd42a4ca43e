// SPDX-License-Identifier: MIT
// The stack: what a ground looks like, its base and the layers that show, and the canvas that edits it.
//
//   shown(v) = base(v) + sum over layers, lowest first, of (strength * mask(v)) * layer(v)
//
// A vertex where a share is zero keeps every bit. Chunks of all sheets copy their borders alike, and the sum of equal
// copies is equal, so composed chunks meet bit for bit too.
#include <float.h>
#include <math.h>

#include "project/world.h"

// One sheet of a stack. A canvas reads the fields it has open, which may hold what the file does not yet.
typedef struct part {
    int64_t owner;
    karst_field *field;  // NULL: from the file
} part;

typedef struct share {
    part sheet, mask;  // mask.owner 0: none
    float strength;
} share;

struct kst_stack {
    karst_field_store table;
    karst_project *project;
    karst_field_shape shape;
    uint64_t moves;  // of the project when it was opened
    part base;
    int count;
    kst_stack *next;
    share layers[];
};

static size_t stack_bytes(int count) {
    return sizeof(kst_stack) + (size_t)count * sizeof(share);
}

static karst_status no_memory(karst_project *p) {
    return kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
}

// ---- the sum -----------------------------------------------------------------------------------------

void kst_stack_add(float *sum, const float *delta, const float *mask, float strength, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        float part_of = mask ? strength * fminf(fmaxf(mask[k], 0), 1) : strength;
        float change = part_of * delta[k];
        if (change != 0) sum[k] = fminf(fmaxf(sum[k] + change, -FLT_MAX), FLT_MAX);
    }
}

static karst_status read_part(karst_project *p, const part *from, int32_t x, int32_t z, karst_field_chunk *out,
                              bool *found) {
    if (!from->field) return kst_world_load_chunk(p, from->owner, x, z, out, found);
    *found = true;
    return karst_field_read_chunk(from->field, x, z, out);
}

static karst_status add_layer(karst_project *p, const share *l, int32_t x, int32_t z, karst_field_chunk *room,
                              karst_field_chunk *out, bool *any) {
    karst_field_chunk *delta = room, *mask = l->mask.owner ? room + 1 : NULL;
    bool found = false;
    karst_status status = read_part(p, &l->sheet, x, z, delta, &found);
    if (!status && found && mask) status = read_part(p, &l->mask, x, z, mask, &found);
    if (status || !found) return status;
    const float *limit = mask ? mask->y : NULL;
    kst_stack_add(out->y, delta->y, limit, l->strength, KARST_CHUNK_VERTICES);
    if (delta->displaced) {
        kst_stack_add(out->x, delta->x, limit, l->strength, KARST_CHUNK_VERTICES);
        kst_stack_add(out->z, delta->z, limit, l->strength, KARST_CHUNK_VERTICES);
        out->displaced = true;
    }
    *any = true;
    return KARST_OK;
}

static karst_status load_sum(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    kst_stack *stack = context;
    karst_project *p = stack->project;
    karst_status status = kst_world_need_fresh(p, stack->moves);
    if (status) return status;
    karst_field_chunk *room = kst_alloc_array(NULL, 2, sizeof *room);
    if (!room) return no_memory(p);
    status = read_part(p, &stack->base, x, z, out, found);
    if (!status && !*found) memset(out, 0, sizeof *out);
    for (int i = 0; i < stack->count && !status; ++i) status = add_layer(p, &stack->layers[i], x, z, room, out, found);
    kst_free(NULL, room, 2 * sizeof *room);
    return status;
}

// A vertex is displaced by the sum of what its sheets displace it, at most.
static karst_status farthest(void *context, float *most_m) {
    const kst_stack *s = context;
    karst_status status = kst_world_add_reach(s->project, s->base.owner, &s->shape, 1, most_m);
    for (int i = 0; i < s->count && !status; ++i)
        status =
            kst_world_add_reach(s->project, s->layers[i].sheet.owner, &s->shape, fabsf(s->layers[i].strength), most_m);
    return status;
}

static karst_status refuse_save(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    (void)x, (void)z, (void)chunk;
    karst_project *p = ((kst_stack *)context)->project;
    return kst_fail(
        &p->report, KARST_ERROR_ARGUMENT,
        "%s: the ground has layers, and what they show together cannot be written: edit it through a canvas", p->path);
}

// What a canvas shows is made anew when its chunk comes back, from fields that hold the change.
static karst_status forget(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    (void)context, (void)x, (void)z, (void)chunk;
    return KARST_OK;
}

// ---- opening -----------------------------------------------------------------------------------------

static karst_status make_stack(karst_project *p, int64_t ground, const karst_field_shape *shape, kst_stack **out) {
    karst_sheet *sheets = NULL;
    int count = 0, shown = 0;
    pthread_mutex_lock(&p->mutex);
    karst_status status = kst_world_list_sheets(p, ground, &sheets, &count);
    pthread_mutex_unlock(&p->mutex);
    if (status) return status;
    for (int i = 0; i < count; ++i) shown += kst_layer_shows(&sheets[i]);
    kst_stack *stack = kst_alloc_zero(NULL, stack_bytes(shown));
    if (stack) {
        stack->project = p;
        stack->moves = p->moves;
        stack->shape = *shape;
        stack->base.owner = kst_world_ground_owner(ground);
        stack->table = (karst_field_store){load_sum, refuse_save, stack, farthest};
        for (int i = 0; i < count; ++i)
            if (kst_layer_shows(&sheets[i]))
                stack->layers[stack->count++] =
                    (share){.sheet.owner = kst_world_sheet_owner(sheets[i].id),
                            .mask.owner = sheets[i].mask ? kst_world_sheet_owner(sheets[i].mask) : 0,
                            .strength = sheets[i].strength};
        *out = stack;
    }
    kst_world_free_sheets(sheets, count);
    return stack ? KARST_OK : no_memory(p);
}

static void free_stack(kst_stack *stack) {
    if (stack) kst_free(NULL, stack, stack_bytes(stack->count));
}

void kst_world_free_stacks(karst_project *project) {
    while (project->stacks) {
        kst_stack *next = project->stacks->next;
        free_stack(project->stacks);
        project->stacks = next;
    }
}

static karst_status find_ground(karst_project *p, int64_t ground, karst_project_ground *out) {
    pthread_mutex_lock(&p->mutex);
    karst_status status = kst_world_find_ground(p, ground, KARST_PROJECT_FIELD, out);
    pthread_mutex_unlock(&p->mutex);
    return status;
}

karst_status karst_project_field(karst_project *project, int64_t ground, size_t cache_bytes, karst_field **out) {
    karst_project_ground g;
    kst_stack *stack = NULL;
    karst_status status = find_ground(project, ground, &g);
    if (!status) status = make_stack(project, ground, &g.shape, &stack);
    if (status) return status;
    if (!stack->count) {
        status = kst_world_open_owner(project, stack->base.owner, &g.shape, cache_bytes, out);
        free_stack(stack);
        return status;
    }
    status = kst_world_open_store(project, &stack->table, &g.shape, cache_bytes, out);
    if (status) {
        free_stack(stack);
        return status;
    }
    stack->next = project->stacks;
    project->stacks = stack;
    return KARST_OK;
}

// ---- the canvas --------------------------------------------------------------------------------------

struct karst_project_canvas {
    karst_canvas canvas;
    karst_project *project;
    kst_stack *stack;
    int field_count;
    karst_field **fields;  // the base, a layer and a mask a layer of the stack, and the mask of the canvas
};

static size_t field_room(const karst_project_canvas *c) {
    return 2 + 2 * (size_t)c->stack->count;
}

// The field of an owner; a mask that several take is opened once.
static karst_status open_part(karst_project_canvas *c, int64_t owner, const karst_field_shape *shape,
                              size_t cache_bytes, karst_field **out) {
    for (int i = 0; i < c->stack->count; ++i) {
        const share *l = &c->stack->layers[i];
        if (l->mask.owner != owner || !l->mask.field) continue;
        *out = l->mask.field;
        return KARST_OK;
    }
    karst_status status = kst_world_open_owner(c->project, owner, shape, cache_bytes, out);
    if (!status) c->fields[c->field_count++] = *out;
    return status;
}

// What shows when the target changed in rect: a sum over the open fields.
static karst_status recompose(void *context, karst_rect rect) {
    karst_project_canvas *c = context;
    size_t width = (size_t)(rect.x1 - rect.x0), count = width * (size_t)(rect.z1 - rect.z0);
    float *memory = kst_alloc_array(NULL, count, 7 * sizeof *memory);
    if (!memory) return no_memory(c->project);
    float *sum = memory, *delta = memory + 3 * count, *mask = memory + 6 * count;
    karst_status status = karst_field_read(c->stack->base.field, rect, sum, sum + count, sum + 2 * count, (int)width);
    for (int i = 0; i < c->stack->count && !status; ++i) {
        const share *l = &c->stack->layers[i];
        status = karst_field_read(l->sheet.field, rect, delta, delta + count, delta + 2 * count, (int)width);
        if (!status && l->mask.field) status = karst_field_read(l->mask.field, rect, mask, NULL, NULL, (int)width);
        for (int k = 0; k < 3 && !status; ++k)
            kst_stack_add(sum + (size_t)k * count, delta + (size_t)k * count, l->mask.field ? mask : NULL, l->strength,
                          count);
    }
    if (!status) status = karst_field_write(c->canvas.shown, rect, sum, sum + count, sum + 2 * count, (int)width);
    kst_free(NULL, memory, count * 7 * sizeof *memory);
    return status;
}

// The sheet of an id, which must be of this ground and kind.
static karst_status expect_sheet(karst_project_canvas *c, int64_t id, int64_t ground, karst_sheet_kind kind) {
    karst_sheet sheet;
    pthread_mutex_lock(&c->project->mutex);
    karst_status status = kst_world_find_sheet(c->project, id, &sheet);
    pthread_mutex_unlock(&c->project->mutex);
    if (!status && (sheet.kind != kind || sheet.ground != ground))
        status = kst_fail(&c->project->report, KARST_ERROR_ARGUMENT, "%s: sheet %lld is no %s of this ground",
                          c->project->path, (long long)id, kind == KARST_SHEET_MASK ? "mask" : "layer");
    if (!status && kind == KARST_SHEET_LAYER && !kst_layer_shows(&sheet))
        status = kst_fail(&c->project->report, KARST_ERROR_ARGUMENT,
                          "%s: the layer %s %s, so its change would not show: change that first", c->project->path,
                          sheet.name, sheet.on ? "has strength 0" : "is off");
    return status;
}

static karst_status open_target(karst_project_canvas *c, int64_t ground, int64_t sheet) {
    c->canvas.target = c->stack->base.field;
    karst_status status = sheet ? expect_sheet(c, sheet, ground, KARST_SHEET_LAYER) : KARST_OK;
    for (int i = 0; i < c->stack->count && sheet; ++i)
        if (c->stack->layers[i].sheet.owner == kst_world_sheet_owner(sheet))
            c->canvas.target = c->stack->layers[i].sheet.field;
    return status;
}

static karst_status open_fields(karst_project_canvas *c, const karst_project_ground *g, int64_t layer, int64_t mask,
                                size_t cache_bytes) {
    kst_stack *s = c->stack;
    size_t each = cache_bytes / (size_t)(2 + 2 * s->count + 1);
    karst_status status = open_part(c, s->base.owner, &g->shape, each, &s->base.field);
    for (int i = 0; i < s->count && !status; ++i) {
        share *l = &s->layers[i];
        status = open_part(c, l->sheet.owner, &g->shape, each, &l->sheet.field);
        if (!status && l->mask.owner) status = open_part(c, l->mask.owner, &g->shape, each, &l->mask.field);
    }
    if (!status) status = open_target(c, g->id, layer);
    if (!status && mask) status = expect_sheet(c, mask, g->id, KARST_SHEET_MASK);
    if (!status && mask) status = open_part(c, kst_world_sheet_owner(mask), &g->shape, each, &c->canvas.mask);
    c->canvas.shown = s->base.field;
    if (status || !s->count) return status;
    s->table.save = forget;
    status = kst_world_open_store(c->project, &s->table, &g->shape, each, &c->canvas.shown);
    if (status) c->canvas.shown = s->base.field;
    c->canvas.changed = recompose;
    c->canvas.context = c;
    return status;
}

karst_status karst_project_canvas_open(karst_project *project, int64_t ground, int64_t layer, int64_t mask,
                                       size_t cache_bytes, karst_project_canvas **out) {
    karst_project_ground g;
    karst_project_canvas *c = kst_alloc_zero(NULL, sizeof *c);
    if (!c) return no_memory(project);
    c->project = project;
    karst_status status = find_ground(project, ground, &g);
    if (!status) status = make_stack(project, ground, &g.shape, &c->stack);
    if (!status) {
        c->fields = kst_alloc_zero(NULL, field_room(c) * sizeof *c->fields);
        status = c->fields ? open_fields(c, &g, layer, mask, cache_bytes) : no_memory(project);
    }
    if (status)
        karst_project_canvas_close(c);
    else
        *out = c;
    return status;
}

const karst_canvas *karst_project_canvas_get(const karst_project_canvas *canvas) {
    return &canvas->canvas;
}

karst_status karst_project_canvas_flush(karst_project_canvas *canvas) {
    return karst_field_flush(canvas->canvas.target);
}

void karst_project_canvas_close(karst_project_canvas *canvas) {
    if (!canvas) return;
    if (canvas->stack && canvas->canvas.shown != canvas->stack->base.field) karst_field_destroy(canvas->canvas.shown);
    for (int i = 0; i < canvas->field_count; ++i) karst_field_destroy(canvas->fields[i]);
    if (canvas->fields) kst_free(NULL, canvas->fields, field_room(canvas) * sizeof *canvas->fields);
    free_stack(canvas->stack);
    kst_free(NULL, canvas, sizeof *canvas);
}
