// SPDX-License-Identifier: MIT
// Method bisect on the device. Buffers follow the scene's mesh by its dirty ranges; a show that skipped a round takes
// everything. Vertices are made by the vertex stage, from triangles as the scene has them.
//
// Invariant: while round is not 0, kst_fine_rows.triangles of a piece is how often fine_of names it.
#include "gl/zones_bisect.h"

#include <stdlib.h>

#include "gl/program.h"
#include "gl/zones.h"

#define NONE UINT32_MAX
enum {
    POINT_BYTES = 32,
    NEAR = 32,     // ranges with no more elements between them go up as one
    CHUNK = 4096,  // points that are put together at once
    DEPTH_UNKNOWN = 255,
    ROW = 32768,  // groups of a row: a device need not take more than 65,535
};

karst_status kst_zones_bisect_make(karst_gl_zones *z, const char *defines, karst_report *report) {
    kst_zones_bisect *b = &z->bisect;
    const kst_stage stage = {GL_COMPUTE_SHADER, {"zone_numbers.glsl", "zone_distance.glsl", "zone_bisect.comp.glsl"}};
    karst_status status = kst_program_build(&stage, 1, defines, report, &b->program);
    if (status) return status;
    b->base_at = glGetUniformLocation(b->program, "u_base");
    b->count_at = glGetUniformLocation(b->program, "u_count");
    b->depth_at = glGetUniformLocation(b->program, "u_depth");
    glCreateBuffers(KST_BISECT_BUFFERS, b->buffer);
    return KARST_OK;
}

void kst_zones_bisect_free(kst_zones_bisect *b) {
    if (b->program) glDeleteProgram(b->program);
    glDeleteBuffers(KST_BISECT_BUFFERS, b->buffer);
    free(b->fine_of);
    free(b->depth);
    free(b->rows);
    free(b->numbers);
}

void kst_zones_bisect_forget(karst_gl_zones *z) {
    kst_zones_bisect *b = &z->bisect;
    b->round = 0;
    b->triangles = 0;
    b->number_bytes = 0;
    if (!b->counted) return;
    b->counted = false;
    for (int32_t s = 0; s < z->stay_room; ++s)
        for (uint32_t k = 0; k < z->stays[s].piece_count; ++k) z->stays[s].fine[k].triangles = 0;
    if (b->fine_room) memset(b->fine_of, 0xFF, b->fine_room * sizeof *b->fine_of);
}

uint64_t kst_zones_bisect_bytes(const kst_zones_bisect *b) {
    return b->room[0] * sizeof(karst_zone_triangle) + b->room[1] * (POINT_BYTES + 16);
}

void kst_zones_bisect_bind(const kst_zones_bisect *b) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, KST_ZONES_INSTANCES, b->buffer[KST_BISECT_TRIANGLES]);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, KST_ZONES_LEVELS, b->buffer[KST_BISECT_POINTS]);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, KST_ZONES_VERTICES, b->buffer[KST_BISECT_DRAWN]);
}

// ---- which pieces are refined ----------------------------------------------------------------------

void kst_zones_bisect_begin(karst_gl_zones *z, const karst_zone_frame *frame) {
    kst_zones_bisect *b = &z->bisect;
    const karst_zone_mesh *m = &frame->mesh;
    bool follows = b->round && !m->rebuilt && (m->round == b->round || m->round == b->round + 1);
    b->all = !follows;
    if (b->all) kst_zones_bisect_forget(z);
    for (int32_t r = 0; r < m->dirty_triangle_count && !b->all; ++r)
        for (uint32_t t = m->dirty_triangles[r].first, end = t + m->dirty_triangles[r].count; t < end; ++t) {
            if (t >= b->fine_room || b->fine_of[t] == NONE) continue;
            --z->stays[b->fine_of[t] >> 16].fine[b->fine_of[t] & 0xFFFF].triangles;
            b->fine_of[t] = NONE;
        }
}

static void use_pieces(karst_gl_zones *z, const karst_zone_triangle *triangles, uint32_t first, uint32_t count) {
    for (uint32_t k = first; k < first + count; ++k) {
        const karst_zone_triangle *t = &triangles[k];
        if (t->point[0] == t->point[1]) continue;
        int inside = 0;
        for (int c = 0; c < 3; ++c) inside |= t->at[c][0] | t->at[c][1];
        if (!(inside & (KARST_TILE_CELLS - 1))) continue;
        z->bisect.fine_of[k] = (uint32_t)t->zone << 16 | t->piece;
        ++z->stays[t->zone].fine[t->piece].triangles;
    }
}

// ---- upload ----------------------------------------------------------------------------------------

static uint8_t depth_of(kst_zones_bisect *b, const karst_zone_point *points, uint32_t k) {
    if (b->depth[k] != DEPTH_UNKNOWN) return b->depth[k];
    const uint32_t *end = points[k].end;
    if (end[0] == k) return b->depth[k] = 0;
    uint8_t a = depth_of(b, points, end[0]), c = depth_of(b, points, end[1]);
    return b->depth[k] = (uint8_t)((a > c ? a : c) + 1);
}

// Where and how far from corners; then the ends and the ramp.
static void put_points(karst_gl_zones *z, const karst_zone_point *points, uint32_t first, uint32_t count) {
    kst_zones_bisect *b = &z->bisect;
    for (uint32_t end = first + count; first < end; first += count) {
        count = end - first < CHUNK ? end - first : CHUNK;
        for (uint32_t k = 0; k < count; ++k) {
            const karst_zone_point *p = &points[first + k];
            uint32_t *row = b->rows[k];
            memcpy(row, p->at, sizeof p->at);
            row[3] = depth_of(b, points, first + k);
            memcpy(row + 4, p->end, sizeof p->end);
            memcpy(row + 6, &p->ramp, sizeof p->ramp);
            b->deepest = b->depth[first + k] > b->deepest ? b->depth[first + k] : b->deepest;
        }
        glNamedBufferSubData(b->buffer[KST_BISECT_POINTS], (GLintptr)first * POINT_BYTES,
                             (GLsizeiptr)count * POINT_BYTES, b->rows);
        z->figures.uploaded_bytes += (uint64_t)count * POINT_BYTES;
    }
}

static void put_triangles(karst_gl_zones *z, const karst_zone_triangle *triangles, uint32_t first, uint32_t count) {
    GLsizeiptr size = sizeof *triangles;
    glNamedBufferSubData(z->bisect.buffer[KST_BISECT_TRIANGLES], (GLintptr)first * size, (GLsizeiptr)count * size,
                         triangles + first);
    z->figures.uploaded_bytes += (uint64_t)count * sizeof *triangles;
}

static karst_status make_buffer(GLuint buffer, uint64_t bytes) {
    GLint64 most = 0, made = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    if (bytes > (uint64_t)most) return KARST_ERROR_LIMIT;
    glNamedBufferData(buffer, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
    glGetNamedBufferParameteri64v(buffer, GL_BUFFER_SIZE, &made);
    return made == (GLint64)bytes ? KARST_OK : KARST_ERROR_MEMORY;
}

// What grows begins empty: then all of it goes up again.
static karst_status make_room(kst_zones_bisect *b, const karst_zone_mesh *m, bool fresh[2]) {
    size_t before = b->fine_room;
    if (!kst_zones_grow(&b->fine_of, &b->fine_room, m->triangle_count, sizeof *b->fine_of) ||
        !kst_zones_grow(&b->depth, &b->depth_room, m->point_count, sizeof *b->depth) ||
        !kst_zones_grow(&b->rows, &b->row_room, CHUNK, sizeof *b->rows))
        return KARST_ERROR_MEMORY;
    memset(b->fine_of + before, 0xFF, (b->fine_room - before) * sizeof *b->fine_of);
    const size_t want[2] = {m->triangle_count, m->point_count};
    for (int k = 0; k < 2; ++k) {
        fresh[k] = b->all;
        if (want[k] <= b->room[k]) continue;
        size_t room = want[k] + want[k] / 2;
        b->room[k] = 0;
        karst_status status = make_buffer(b->buffer[k], room * (k ? POINT_BYTES : sizeof(karst_zone_triangle)));
        if (!status && k) status = make_buffer(b->buffer[KST_BISECT_DRAWN], room * 16);
        if (status) return status;
        b->room[k] = room;
        fresh[k] = true;
    }
    return KARST_OK;
}

typedef void put_range(karst_gl_zones *z, const karst_zone_mesh *m, uint32_t first, uint32_t count);
static void put_some_triangles(karst_gl_zones *z, const karst_zone_mesh *m, uint32_t first, uint32_t count) {
    put_triangles(z, m->triangles, first, count);
}
static void put_some_points(karst_gl_zones *z, const karst_zone_mesh *m, uint32_t first, uint32_t count) {
    put_points(z, m->points, first, count);
}

static void put_ranges(karst_gl_zones *z, const karst_zone_mesh *m, const karst_zone_dirty *range, int32_t count,
                       put_range *put) {
    for (int32_t r = 0, next; r < count; r = next) {
        uint32_t end = range[r].first + range[r].count;
        for (next = r + 1; next < count && range[next].first <= end + NEAR; ++next)
            end = range[next].first + range[next].count;
        put(z, m, range[r].first, end - range[r].first);
    }
}

karst_status kst_zones_bisect_put(karst_gl_zones *z, const karst_zone_frame *frame) {
    kst_zones_bisect *b = &z->bisect;
    const karst_zone_mesh *m = &frame->mesh;
    const karst_zone_dirty all[2] = {{0, m->triangle_count}, {0, m->point_count}};
    if (m->triangle_count > INT32_MAX / 3) return KARST_ERROR_LIMIT;
    bool fresh[2];
    karst_status status = make_room(b, m, fresh);
    if (status) return status;
    b->counted = true;
    const karst_zone_dirty *triangles = b->all ? all : m->dirty_triangles, *points = b->all ? all + 1 : m->dirty_points;
    int32_t triangle_ranges = b->all ? 1 : m->dirty_triangle_count, point_ranges = b->all ? 1 : m->dirty_point_count;
    for (int32_t r = 0; r < triangle_ranges; ++r) use_pieces(z, m->triangles, triangles[r].first, triangles[r].count);
    for (int32_t r = 0; r < point_ranges; ++r) memset(b->depth + points[r].first, DEPTH_UNKNOWN, points[r].count);
    if (b->all) b->deepest = 0;
    put_ranges(z, m, fresh[0] ? all : triangles, fresh[0] ? 1 : triangle_ranges, put_some_triangles);
    put_ranges(z, m, fresh[1] ? all + 1 : points, fresh[1] ? 1 : point_ranges, put_some_points);
    if (b->all || triangle_ranges || point_ranges) b->number_bytes = 0;  // they move anew
    if (b->all || triangle_ranges) z->seen.stale = true;
    b->round = m->round;
    b->triangles = m->triangle_count;
    z->figures.vertices = m->live_points;
    z->figures.draws = m->triangle_count > 0;
    return KARST_OK;
}

// ---- morph -----------------------------------------------------------------------------------------

karst_status kst_zones_bisect_morph(karst_gl_zones *z, const karst_zone_frame *frame) {
    kst_zones_bisect *b = &z->bisect;
    size_t bytes = kst_zones_fill_numbers(z, frame);
    if (!bytes || !kst_zones_grow(&b->numbers, &b->number_room, bytes, 1)) return KARST_ERROR_MEMORY;
    if (b->number_bytes == bytes && !memcmp(b->numbers, z->numbers, bytes)) return KARST_OK;
    memcpy(b->numbers, z->numbers, bytes);
    b->number_bytes = bytes;
    glNamedBufferData(z->buffer[KST_ZONES_NUMBERS], (GLsizeiptr)bytes, z->numbers, GL_STREAM_DRAW);
    z->figures.uploaded_bytes += bytes;
    uint32_t count = frame->mesh.point_count, groups = count / 64 + 1;
    kst_zones_bind(z);
    glUseProgram(b->program);
    glUniform3iv(b->base_at, 1, frame->base);
    glUniform1ui(b->count_at, count);
    for (int depth = 0; depth <= b->deepest; ++depth) {
        glUniform1ui(b->depth_at, (GLuint)depth);
        glDispatchCompute(groups < ROW ? groups : ROW, (groups + ROW - 1) / ROW, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    }
    return KARST_OK;
}
