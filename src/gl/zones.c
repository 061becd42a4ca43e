// SPDX-License-Identifier: MIT
// Zones: a compute pass makes the morphed vertices of a frame's instances, then each batch is one instanced draw. Of
// method bisect it moves the points, see zones_bisect.c, and all triangles are one draw.
#include "gl/zones.h"

#include <math.h>
#include <stdlib.h>

#include "gl/program.h"

// ---- make ------------------------------------------------------------------------------------------

karst_gl_zones_def karst_gl_zones_def_default(void) {
    return (karst_gl_zones_def){.fine_bytes = 64u << 20,
                                .far_bytes = 64u << 20,
                                .far_a_show = INT32_MAX,
                                .anisotropy = 8,
                                .tile_m = 100,
                                .fade_m = 10,
                                .shadows = true,
                                .cookie = KST_COOKIE};
}

static int list_of(int cells_log2, int pattern) {
    return cells_log2 * KST_PATTERNS + pattern;
}

// Index lists of all patterns, one after the other.
static karst_status make_lists(karst_gl_zones *z) {
    enum { ROOM = 3 * KARST_ZONE_TRIANGLES_MAX * (KST_CELLS_LOG2_MAX + 1) };
    uint16_t *index = malloc((ROOM + 3 * KARST_ZONE_TRIANGLES_MAX) * sizeof *index);
    if (!index) return KARST_ERROR_MEMORY;
    int32_t at = 0;
    for (int log2n = 1; log2n <= KST_CELLS_LOG2_MAX; ++log2n)
        for (int pattern = 0; pattern <= 2 * log2n + 1; ++pattern) {
            int32_t count = karst_zone_indices(log2n, pattern, index + at);
            z->list_first[list_of(log2n, pattern)] = at;
            z->list_count[list_of(log2n, pattern)] = count;
            at += count;
            KARST_ASSERT(at <= ROOM);
        }
    glCreateBuffers(1, &z->indices);
    glNamedBufferStorage(z->indices, at * (GLsizeiptr)sizeof *index, index, 0);
    free(index);
    return KARST_OK;
}

// Where the bytes of each span's dependence begin, then the bytes: 289 at most of 78 spans.
static karst_status make_tables(karst_gl_zones *z) {
    enum { FIRSTS = 5 * 2 * 4 * 4 * 8, BYTES = 24 * 1024 };
    uint32_t *tables = calloc(FIRSTS * sizeof *tables + BYTES, 1);
    if (!tables) return KARST_ERROR_MEMORY;
    uint8_t *bytes = (uint8_t *)(tables + FIRSTS);
    uint32_t used = 0;
    for (int log2n = 1; log2n <= 4; ++log2n)
        for (int odd = 0; odd < (log2n == 2 ? 2 : 1); ++odd)
            for (int side = 0; side < 4; ++side)
                for (int spans_log2 = 0; spans_log2 < (odd ? 1 : log2n); ++spans_log2)
                    for (int span = 0; span < 1 << spans_log2; ++span) {
                        uint32_t count = ((1u << log2n) + 1) * ((1u << log2n) + 1);
                        KARST_ASSERT(used + count <= BYTES);
                        memcpy(bytes + used, karst_zone_scene_depend(z->scene, log2n, odd, side, spans_log2, span),
                               count);
                        tables[(((log2n * 2 + odd) * 4 + side) * 4 + spans_log2) * 8 + span] = used;
                        used += count;
                    }
    glNamedBufferStorage(z->buffer[KST_ZONES_TABLES], FIRSTS * (GLsizeiptr)sizeof *tables + BYTES, tables, 0);
    free(tables);
    return KARST_OK;
}

static karst_status check_limits(karst_report *report) {
    GLint vertex = 0, compute = 0;
    glGetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &vertex);
    glGetIntegerv(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, &compute);
    if (vertex >= 4 && compute >= KST_ZONES_BUFFERS) return KARST_OK;
    return kst_fail(report, KARST_ERROR_UNSUPPORTED,
                    "this device gives vertex shaders %d storage buffers and compute shaders %d; zones take 4 and %d",
                    vertex, compute, KST_ZONES_BUFFERS);
}

// A run that is given back leaves its room. Devices that take no such pool begin with less.
static karst_status reserve(karst_gl_zones *z) {
    kst_rows run = {0};
    uint64_t rows = 2 * z->def.fine_bytes / 16;
    karst_status status = kst_pool_take(&z->pool, rows < INT32_MAX ? (uint32_t)rows : INT32_MAX, &run);
    if (status) return status == KARST_ERROR_LIMIT ? KARST_OK : status;
    kst_pool_give(&z->pool, &run);
    return KARST_OK;
}

karst_status karst_gl_zones_create(karst_gl *gl, const karst_zone_scene *scene, const karst_gl_zones_def *def,
                                   karst_gl_zones **out) {
    karst_gl_zones_def plain = karst_gl_zones_def_default();
    if (!def) def = &plain;
    KARST_ASSERT(def->cookie == KST_COOKIE);
    karst_report *report = gl->def.report;
    karst_status status = check_limits(report);
    if (status) return status;
    karst_gl_zones *z = kst_alloc_zero(NULL, sizeof *z);
    if (!z) return kst_fail(report, KARST_ERROR_MEMORY, "no memory for zones");
    z->gl = gl;
    z->scene = scene;
    z->def = *def;
    glCreateBuffers(KST_ZONES_BUFFERS, z->buffer);
    glCreateVertexArrays(1, &z->array);
    const kst_stage morph = {GL_COMPUTE_SHADER,
                             {"zone_lattice.glsl", "zone_numbers.glsl", "zone_distance.glsl", "zone.comp.glsl"}};
    const kst_stage draw[2] = {{GL_VERTEX_SHADER,
                                {"frame.glsl", "zone_lattice.glsl", "zone_numbers.glsl", "zone_distance.glsl",
                                 "zone_bisect.glsl", "zone.vert.glsl"}},
                               {GL_FRAGMENT_SHADER,
                                {KST_LAND_FILES, "hole.glsl", "zone_lattice.glsl", "zone_light.glsl",
                                 "zone_material.glsl", "zone_beside.glsl", "zone.frag.glsl"}}};
    status = kst_program_build(&morph, 1, gl->defines, report, &z->morph);
    if (!status) status = kst_program_build(draw, 2, gl->defines, report, &z->program);
    if (!status && def->shadows) status = kst_zones_light_make(&z->light, gl->defines, report);
    if (!status) status = kst_zones_bisect_make(z, gl->defines, report);
    if (!status) status = kst_zones_seen_make(&z->seen, gl->defines, report);
    if (!status) status = make_lists(z);
    if (!status) status = make_tables(z);
    if (!status) status = kst_zones_tiles_make(z);
    if (!status && def->reserve) status = reserve(z);
    if (status) {
        karst_gl_zones_destroy(z);
        return status;
    }
    kst_gl_set_units(z->program);
    bool beside = gl->store.pack && karst_pack_seam_count(gl->store.pack) > 0;
    glProgramUniform1i(z->program, glGetUniformLocation(z->program, "u_beside"), beside);
    z->run_at = glGetUniformLocation(z->program, "u_run");
    z->shift_at = glGetUniformLocation(z->program, "u_shift");
    glVertexArrayElementBuffer(z->array, z->indices);
    *out = z;
    return KARST_OK;
}

void karst_gl_zones_destroy(karst_gl_zones *z) {
    if (!z) return;
    kst_zones_forget(z);
    kst_pool_destroy(&z->pool);
    kst_zones_light_free(&z->light);
    kst_zones_bisect_free(&z->bisect);
    kst_zones_seen_free(&z->seen);
    if (z->morph) glDeleteProgram(z->morph);
    if (z->program) glDeleteProgram(z->program);
    glDeleteBuffers(KST_ZONES_BUFFERS, z->buffer);
    glDeleteBuffers(1, &z->indices);
    glDeleteVertexArrays(1, &z->array);
    kst_zones_tiles_free(&z->tiles);
    free(z->runs);
    free(z->rows);
    free(z->numbers);
    kst_free(NULL, z, sizeof *z);
}

// ---- show ------------------------------------------------------------------------------------------

bool kst_zones_grow(void *array, size_t *room, size_t want, size_t bytes) {
    if (want <= *room) return true;
    size_t more = *room + *room / 2 > want ? *room + *room / 2 : want;
    void *next = realloc(*(void **)array, more * bytes);
    if (!next) return false;
    *(void **)array = next;
    *room = more;
    return true;
}

// Batches, and where the vertices of each instance go.
static karst_status make_runs(karst_gl_zones *z, const karst_zone_frame *frame) {
    if (!kst_zones_grow(&z->runs, &z->run_room, (size_t)frame->batch_count, sizeof *z->runs) ||
        !kst_zones_grow(&z->rows, &z->row_room, (size_t)frame->instance_count, sizeof *z->rows))
        return KARST_ERROR_MEMORY;
    int64_t vertex = 0;
    for (int32_t b = 0; b < frame->batch_count; ++b) {
        const karst_zone_batch *batch = &frame->batches[b];
        int32_t side = (1 << batch->cells_log2) + 1;
        z->runs[b] = (kst_zone_run){(int32_t)vertex, side * side, batch->count, batch->cells_log2, batch->pattern};
        if (vertex + (int64_t)batch->count * side * side > INT32_MAX / 2) return KARST_ERROR_LIMIT;
        for (int32_t k = batch->first; k < batch->first + batch->count; ++k) {
            const karst_zone_instance *at = &frame->instances[k];
            uint32_t *row = z->rows[k];
            row[0] = kst_piece_row(&z->stays[at->zone], at->piece);
            row[1] = at->tile | (uint32_t)at->pattern << 16 | (uint32_t)at->cells_log2 << 24;
            row[2] = at->zone;
            row[3] = (uint32_t)vertex;
            vertex += side * side;
        }
    }
    z->run_count = frame->batch_count;
    z->figures.vertices = vertex;
    return KARST_OK;
}

size_t kst_zones_fill_numbers(karst_gl_zones *z, const karst_zone_frame *frame) {
    size_t bytes = sizeof(kst_zone_numbers) + 16 * (size_t)frame->zone_room;
    if (!kst_zones_grow(&z->numbers, &z->number_room, bytes, 1)) return 0;
    kst_zone_numbers *n = z->numbers;
    memset(n, 0, bytes);
    n->counts[0] = frame->eye_count;
    memcpy(&n->counts[1], &frame->fine_m, sizeof frame->fine_m);
    n->counts[2] = frame->instance_count;
    for (int v = 0; v < frame->eye_count; ++v) {
        const karst_zone_eye *eye = &frame->eyes[v];
        for (int axis = 0; axis < 3; ++axis) n->eye[v][axis] = frame->base[axis] - eye->base[axis];
        memcpy(n->fraction[v], &eye->fraction, sizeof eye->fraction);
    }
    memcpy(n->ramps, frame->ramps, sizeof n->ramps);
    bool bisected = frame->method == KARST_ZONE_METHOD_BISECT;
    int32_t(*zone)[4] = (int32_t(*)[4])(n + 1);
    for (int32_t k = 0; k < frame->zone_room; ++k) {
        memcpy(zone[k], frame->zones[k].offset, sizeof frame->zones[k].offset);
        zone[k][3] = (int32_t)(bisected ? z->stays[k].rows.first : frame->zones[k].first_level);
    }
    return bytes;
}

static karst_status put_numbers(karst_gl_zones *z, const karst_zone_frame *frame) {
    size_t bytes = kst_zones_fill_numbers(z, frame);
    if (!bytes) return KARST_ERROR_MEMORY;
    glNamedBufferData(z->buffer[KST_ZONES_NUMBERS], (GLsizeiptr)bytes, z->numbers, GL_STREAM_DRAW);
    GLsizeiptr levels = (GLsizeiptr)frame->level_count * (GLsizeiptr)sizeof *frame->levels;
    glNamedBufferData(z->buffer[KST_ZONES_LEVELS], levels ? levels : 4, levels ? frame->levels : NULL, GL_STREAM_DRAW);
    GLsizeiptr rows = frame->instance_count * (GLsizeiptr)sizeof *z->rows;
    glNamedBufferData(z->buffer[KST_ZONES_INSTANCES], rows, z->rows, GL_STREAM_DRAW);
    z->figures.uploaded_bytes += (uint64_t)bytes + (uint64_t)levels + (uint64_t)rows;
    return KARST_OK;
}

enum { RESERVED_VERTICES = 32 << 20 };  // bytes: of a million

static karst_status room_for_vertices(karst_gl_zones *z) {
    uint64_t bytes = 32 * (uint64_t)z->figures.vertices;
    if (bytes <= z->vertex_bytes) return KARST_OK;
    GLint64 most = 0, made = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    if (bytes + bytes / 4 <= (uint64_t)most) bytes += bytes / 4;
    if (z->def.reserve && bytes < RESERVED_VERTICES && RESERVED_VERTICES <= (uint64_t)most) bytes = RESERVED_VERTICES;
    if (bytes > (uint64_t)most) return KARST_ERROR_LIMIT;
    glNamedBufferData(z->buffer[KST_ZONES_VERTICES], (GLsizeiptr)bytes, NULL, GL_DYNAMIC_COPY);
    glGetNamedBufferParameteri64v(z->buffer[KST_ZONES_VERTICES], GL_BUFFER_SIZE, &made);
    z->vertex_bytes = made == (GLint64)bytes ? bytes : 0;
    return z->vertex_bytes ? KARST_OK : KARST_ERROR_MEMORY;
}

void kst_zones_bind(const karst_gl_zones *z) {
    for (GLuint k = 0; k < KST_ZONES_BUFFERS; ++k)
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, k, k == KST_ZONES_POOL ? z->pool.buffer : z->buffer[k]);
    if (z->bisect.triangles) kst_zones_bisect_bind(&z->bisect);
}

// Groups in rows, since a device need not take more than 65,535 in one.
static void morph(karst_gl_zones *z, int32_t instances) {
    if (!instances) return;
    enum { ROW = 32768 };
    kst_zones_bind(z);
    glUseProgram(z->morph);
    glDispatchCompute((GLuint)(instances < ROW ? instances : ROW), (GLuint)((instances + ROW - 1) / ROW), 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

static double lowest(const karst_zone_frame *frame) {
    double low = INFINITY, step = (double)frame->fine_m, bottom = frame->origin.y - (double)frame->fraction.y;
    for (int32_t k = 0; k < frame->zone_room; ++k) {
        const karst_zone_at *at = &frame->zones[k];
        if (at->zone) low = fmin(low, bottom + step * ((double)at->offset[1] + at->zone->low.y));
    }
    return isinf(low) ? 0 : low;
}

static karst_status show_instances(karst_gl_zones *z, const karst_zone_frame *frame) {
    kst_zones_bisect_forget(z);
    karst_status status = kst_zones_bring(z, frame);
    if (!status) status = kst_zones_bring_fine(z, frame);
    if (!status) status = make_runs(z, frame);
    if (!status) status = put_numbers(z, frame);
    if (!status) status = room_for_vertices(z);
    if (status) return status;
    morph(z, frame->instance_count);
    z->figures.instances = frame->instance_count;
    z->figures.draws = frame->batch_count;
    return KARST_OK;
}

static karst_status show_mesh(karst_gl_zones *z, const karst_zone_frame *frame) {
    kst_zones_bisect_begin(z, frame);
    karst_status status = kst_zones_bring(z, frame);
    if (!status) status = kst_zones_bisect_put(z, frame);
    if (!status) status = kst_zones_bring_fine(z, frame);
    if (!status) status = kst_zones_bisect_morph(z, frame);
    if (!status) kst_zones_seen_list(z, frame);
    return status;
}

karst_status karst_gl_zones_show(karst_gl_zones *z, const karst_zone_frame *frame) {
    z->figures = (karst_gl_zone_figures){.zones = z->figures.zones};
    z->run_count = 0;
    bool bisected = frame->method == KARST_ZONE_METHOD_BISECT;
    karst_status status = bisected ? show_mesh(z, frame) : show_instances(z, frame);
    if (status) {
        z->run_count = 0;
        kst_zones_bisect_forget(z);
        return status;
    }
    z->origin = frame->origin;
    z->low_m = lowest(frame);
    z->figures.triangles = frame->figures.triangles;
    z->figures.fine_pieces = z->fine_pieces;
    z->figures.fine_bytes = z->fine_bytes;
    const kst_zones_tiles *t = &z->tiles;
    z->figures.tile_bytes = t->bytes;
    z->figures.far_pieces = t->far.blocks;
    z->figures.far_missing = z->far_missing;
    z->figures.far_bytes = (uint64_t)t->far.page_room * KST_FAR_PAGE_BYTES;
    z->figures.device_bytes = 16 * (uint64_t)z->pool.room + z->vertex_bytes + z->light.bytes + t->bytes +
                              z->figures.far_bytes + kst_zones_bisect_bytes(&z->bisect) +
                              12 * (uint64_t)z->seen.list_room;
    return KARST_OK;
}

karst_gl_zone_figures karst_gl_zones_figures(const karst_gl_zones *z) {
    return z->figures;
}

// ---- draw ------------------------------------------------------------------------------------------

karst_status kst_zones_prepare(karst_gl_zones *z, const karst_view *view, const float sun[3], bool lit) {
    z->lit = lit && z->def.shadows && kst_zones_is_shown(z);
    return z->lit ? kst_zones_light_update(z, view, sun) : KARST_OK;
}

void kst_zones_draw_list(const karst_gl_zones *z, int cells_log2, int pattern, int32_t count) {
    int list = list_of(cells_log2, pattern);
    glBindVertexArray(z->array);
    glDrawElementsInstanced(GL_TRIANGLES, z->list_count[list], GL_UNSIGNED_SHORT,
                            (const void *)((size_t)z->list_first[list] * sizeof(uint16_t)), count);
}

void kst_zones_draw(karst_gl_zones *z, karst_pos origin) {
    if (!kst_zones_is_shown(z)) return;
    kst_zones_bind(z);
    kst_zones_tiles_bind(&z->tiles);
    kst_zones_light_bind(&z->light, z->program, origin, z->lit);
    glUseProgram(z->program);
    glUniform3f(z->shift_at, (float)(z->origin.x - origin.x), (float)(z->origin.y - origin.y),
                (float)(z->origin.z - origin.z));
    if (z->bisect.triangles) {
        glUniform2i(z->run_at, 0, -1);
        glBindVertexArray(z->array);
        if (z->seen.culled)
            kst_zones_seen_draw(&z->seen);
        else
            glDrawArrays(GL_TRIANGLES, 0, 3 * (GLsizei)z->bisect.triangles);
    }
    for (int32_t k = 0; k < z->run_count; ++k) {
        const kst_zone_run *run = &z->runs[k];
        glUniform2i(z->run_at, run->first_vertex, run->vertices);
        kst_zones_draw_list(z, run->cells_log2, run->pattern, run->count);
    }
}
