// SPDX-License-Identifier: MIT
// What a view sees of a bisected mesh, as an index list that the device makes. The order of triangles stays, so the
// picture is that of all of them.
//
// Invariant: while `culled`, the list holds the triangles that are there whose pieces the words in `seen` name.
#include <stdlib.h>

#include "gl/program.h"
#include "gl/zones.h"

enum {
    GROUP = 128 * 32,  // triangles, as in zone_seen.comp.glsl
    GROUPS_MAX = 65535,
    COMMAND_BYTES = 5 * sizeof(uint32_t),
};

karst_status kst_zones_seen_make(kst_zones_seen *s, const char *defines, karst_report *report) {
    const kst_stage stage = {GL_COMPUTE_SHADER, {"zone_seen.comp.glsl"}};
    karst_status status = kst_program_build(&stage, 1, defines, report, &s->program);
    if (status) return status;
    s->count_at = glGetUniformLocation(s->program, "u_count");
    s->groups_at = glGetUniformLocation(s->program, "u_groups");
    s->put_at = glGetUniformLocation(s->program, "u_put");
    glCreateBuffers(KST_SEEN_BUFFERS, s->buffer);
    glNamedBufferStorage(s->buffer[KST_SEEN_COMMAND], COMMAND_BYTES, NULL, 0);
    glCreateVertexArrays(1, &s->array);
    glVertexArrayElementBuffer(s->array, s->buffer[KST_SEEN_LIST]);
    return KARST_OK;
}

void kst_zones_seen_free(kst_zones_seen *s) {
    if (s->program) glDeleteProgram(s->program);
    glDeleteBuffers(KST_SEEN_BUFFERS, s->buffer);
    glDeleteVertexArrays(1, &s->array);
    free(s->words);
    free(s->next);
}

// By slot where its bits begin, then a bit a piece. @return their number; 0: all is seen, or there is no memory
static size_t fill(kst_zones_seen *s, const karst_zone_frame *frame) {
    size_t count = (size_t)frame->zone_room;
    for (int32_t k = 0; k < frame->zone_room; ++k) {
        if (!frame->zones[k].zone) continue;
        if (!frame->zones[k].seen) return 0;
        count += (frame->zones[k].zone->piece_count + 31) / 32;
    }
    if (!kst_zones_grow(&s->next, &s->next_room, count, sizeof *s->next)) return 0;
    memset(s->next, 0, count * sizeof *s->next);
    size_t at = (size_t)frame->zone_room;
    for (int32_t k = 0; k < frame->zone_room; ++k) {
        const karst_zone_at *z = &frame->zones[k];
        if (!z->zone) continue;
        s->next[k] = (uint32_t)at;
        for (uint32_t p = 0; p < z->zone->piece_count; ++p)
            s->next[at + p / 32] |= (uint32_t)(z->seen[p] != 0) << p % 32;
        at += (z->zone->piece_count + 31) / 32;
    }
    return count;
}

// What grows begins empty.
static bool make_room(kst_zones_seen *s, size_t triangles, size_t groups) {
    if (triangles <= s->list_room) return true;
    GLint64 most = 0, made = 0;
    uint64_t room = triangles + triangles / 2, bytes = 3 * sizeof(uint32_t) * room;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    s->list_room = 0;
    if (bytes > (uint64_t)most) return false;
    glNamedBufferData(s->buffer[KST_SEEN_LIST], (GLsizeiptr)bytes, NULL, GL_DYNAMIC_COPY);
    glGetNamedBufferParameteri64v(s->buffer[KST_SEEN_LIST], GL_BUFFER_SIZE, &made);
    if (made != (GLint64)bytes) return false;
    glNamedBufferData(s->buffer[KST_SEEN_COUNTS], (GLsizeiptr)((groups + groups / 2 + 1) * sizeof(uint32_t)), NULL,
                      GL_DYNAMIC_COPY);
    s->list_room = room;
    return true;
}

void kst_zones_seen_list(karst_gl_zones *z, const karst_zone_frame *frame) {
    kst_zones_seen *s = &z->seen;
    size_t triangles = z->bisect.triangles, groups = (triangles + GROUP - 1) / GROUP;
    size_t count = triangles && groups <= GROUPS_MAX ? fill(s, frame) : 0;
    bool was = s->culled && !s->stale;
    s->culled = false;
    if (!count || !make_room(s, triangles, groups)) return;
    if (was && s->word_count == count && !memcmp(s->words, s->next, count * sizeof *s->next)) {
        s->culled = true;
        return;
    }
    uint32_t *words = s->words;
    size_t room = s->word_room;
    s->words = s->next, s->word_room = s->next_room, s->word_count = count;
    s->next = words, s->next_room = room;
    GLsizeiptr bytes = (GLsizeiptr)(count * sizeof *s->words);
    glNamedBufferData(s->buffer[KST_SEEN_WORDS], bytes, s->words, GL_STREAM_DRAW);
    z->figures.uploaded_bytes += (uint64_t)bytes;
    const GLuint buffers[5] = {s->buffer[KST_SEEN_WORDS], z->bisect.buffer[KST_BISECT_TRIANGLES],
                               s->buffer[KST_SEEN_COUNTS], s->buffer[KST_SEEN_LIST], s->buffer[KST_SEEN_COMMAND]};
    for (GLuint k = 0; k < 5; ++k) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, k, buffers[k]);
    glUseProgram(s->program);
    glUniform1ui(s->count_at, (GLuint)triangles);
    glUniform1ui(s->groups_at, (GLuint)groups);
    for (GLuint put = 0; put < 2; ++put) {
        glUniform1ui(s->put_at, put);
        glDispatchCompute((GLuint)groups, 1, 1);
        glMemoryBarrier(put ? GL_ELEMENT_ARRAY_BARRIER_BIT | GL_COMMAND_BARRIER_BIT : GL_SHADER_STORAGE_BARRIER_BIT);
    }
    s->stale = false;
    s->culled = true;
}

void kst_zones_seen_draw(const kst_zones_seen *s) {
    glBindVertexArray(s->array);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, s->buffer[KST_SEEN_COMMAND]);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, NULL);
}
