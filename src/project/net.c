// SPDX-License-Identifier: MIT
// Nets: grounds of kind patch. Of each there is a row, and what it is made of are extras of the ground: a head, which
// tells how many elements there are, and blocks of elements, each a zstd frame. A block that did not change is not
// written again, so a step keeps no more than the blocks that it changed.
#include <stdlib.h>

#include "project/world.h"
#include "surface/net_bytes.h"

enum { BLOCK = 512, ZSTD_LEVEL = 9 };

static const char head_name[] = "net";
static const char *const part_names[KST_NET_PARTS] = {"corners", "edges", "patches"};

// "net patches 00017"; they sort as they come.
static void block_name(char out[KARST_NAME_BYTES], kst_net_part part, int32_t block) {
    snprintf(out, KARST_NAME_BYTES, "net %s %05d", part_names[part], block);
}

static int32_t block_count(int32_t elements) {
    return (elements + BLOCK - 1) / BLOCK;
}

bool kst_world_is_of_net(const char *name) {
    return !strcmp(name, head_name) || !strncmp(name, "net ", 4);
}

bool kst_world_net_has(const karst_project_net *net, const char *name) {
    const int32_t counts[KST_NET_PARTS] = {net->corner_count, net->edge_count, net->patch_count};
    bool has = !strcmp(name, head_name);
    for (int part = 0; part < KST_NET_PARTS; ++part) {
        const char *digits = strrchr(name, ' ');
        long block = digits ? strtol(digits, NULL, 10) : -1;
        if (block < 0 || block >= block_count(counts[part])) continue;
        char right[KARST_NAME_BYTES];
        block_name(right, (kst_net_part)part, (int32_t)block);
        has = has || !strcmp(name, right);
    }
    return has;
}

// ---- writing -------------------------------------------------------------------------------------------

// Whether an extra is there whole, with these very bytes.
static karst_status is_there(karst_project *p, int64_t ground, const char *name, uint64_t hash, bool *found) {
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, "SELECT data FROM extra WHERE ground=?1 AND name=?2 AND hash=?3", "iti",
                               ground, name, (int64_t)hash);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    const void *bytes = code == SQLITE_ROW ? sqlite3_column_blob(s, 0) : NULL;
    *found = bytes && kst_hash(bytes, (size_t)sqlite3_column_bytes(s, 0), 0) == hash;
    karst_status status = kst_world_sql_fail(p, code, "cannot look for the net");
    sqlite3_finalize(s);
    return status;
}

static karst_status put(karst_project *p, int64_t ground, const char *name, const uint8_t *bytes, size_t size) {
    bool found;
    karst_status status = is_there(p, ground, name, kst_hash(bytes, size, 0), &found);
    return status || found ? status : kst_world_put_extra(p, ground, name, bytes, size);
}

static karst_status put_block(karst_project *p, int64_t ground, const karst_net *net, kst_net_part part, int32_t block,
                              int32_t count) {
    int32_t first = block * BLOCK, n = count - first < BLOCK ? count - first : BLOCK;
    size_t raw_bytes = (size_t)n * kst_net_element_bytes(part), room = kst_compress_bound(raw_bytes);
    uint8_t *raw = kst_alloc(NULL, raw_bytes), *packed = kst_alloc(NULL, room);
    size_t size = 0;
    if (raw && packed) {
        kst_net_put_elements(net, part, first, n, raw);
        size = kst_compress(raw, raw_bytes, packed, room, ZSTD_LEVEL);
    }
    char name[KARST_NAME_BYTES];
    block_name(name, part, block);
    karst_status status = size ? put(p, ground, name, packed, size)
                               : kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    kst_free(NULL, raw, raw_bytes);
    kst_free(NULL, packed, room);
    return status;
}

// Elements of a larger net, and what else no net of this size is made of, go.
static karst_status drop_others(karst_project *p, int64_t ground, const karst_project_net *size) {
    sqlite3_stmt *s = NULL;
    karst_status status = KARST_OK;
    int code = kst_sql_prepare(p->db, &s, "SELECT id, name FROM extra WHERE ground=?1 ORDER BY id", "i", ground);
    while (!status && (code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 1);
        if (name && kst_world_is_of_net(name) && !kst_world_net_has(size, name))
            status = kst_world_drop_extra(p, sqlite3_column_int64(s, 0));
    }
    if (!status) status = kst_world_sql_fail(p, code, "cannot look for the net");
    sqlite3_finalize(s);
    return status;
}

// What a head tells of a net.
static karst_project_net size_of(const kst_net_head *head) {
    return (karst_project_net){head->origin, head->step_log2, head->count[KST_NET_CORNERS], head->count[KST_NET_EDGES],
                               head->count[KST_NET_PATCHES]};
}

static karst_status set_net(karst_project *p, int64_t ground, const karst_net *net) {
    kst_net_head head = kst_net_head_of(net);
    uint8_t bytes[KST_NET_HEAD_BYTES];
    kst_net_head_put(&head, bytes);
    karst_status status = put(p, ground, head_name, bytes, sizeof bytes);
    for (int part = 0; part < KST_NET_PARTS && !status; ++part) {
        int32_t blocks = block_count(head.count[part]);
        for (int32_t k = 0; k < blocks && !status; ++k)
            status = put_block(p, ground, net, (kst_net_part)part, k, head.count[part]);
    }
    karst_project_net size = size_of(&head);
    return status ? status : drop_others(p, ground, &size);
}

karst_status karst_project_add_net(karst_project *project, const char *name, const karst_net *net, int64_t *id) {
    KARST_ASSERT(net->finished);
    int64_t added = 0;
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_add_ground(project, KARST_PROJECT_PATCH, name ? name : "net", NULL, &added);
    if (!status) status = set_net(project, added, net);
    pthread_mutex_unlock(&project->mutex);
    if (!status) *id = added;
    return status;
}

karst_status karst_project_set_net(karst_project *project, int64_t ground, const karst_net *net) {
    KARST_ASSERT(net->finished);
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_need_kind(project, ground, KARST_PROJECT_PATCH);
    if (!status) status = set_net(project, ground, net);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

// ---- reading -------------------------------------------------------------------------------------------

static karst_status read_head(karst_project *p, int64_t ground, kst_net_head *out) {
    void *bytes = NULL;
    size_t size = 0;
    karst_report why = {0};
    karst_status status = kst_world_get_extra(p, ground, head_name, &bytes, &size);
    if (!status && !size)
        status = kst_fail(&p->report, KARST_ERROR_FORMAT,
                          "%s: ground %lld is a net of patches, and the head of its elements is not there: restore the "
                          "file from a copy",
                          p->path, (long long)ground);
    if (!status) {
        status = kst_net_head_read(bytes, size, &why, out);
        if (status) kst_fail(&p->report, status, "%s: %s: restore the file from a copy", p->path, why.message);
    }
    free(bytes);
    return status;
}

static karst_status take_block(karst_project *p, int64_t ground, karst_net *net, kst_net_part part, int32_t block,
                               int32_t count) {
    char name[KARST_NAME_BYTES];
    void *packed = NULL;
    size_t size = 0, raw_bytes = (size_t)count * kst_net_element_bytes(part);
    block_name(name, part, block);
    karst_status status = kst_world_get_extra(p, ground, name, &packed, &size);
    uint8_t *raw = status ? NULL : kst_alloc(NULL, raw_bytes);
    if (!status && !raw) status = kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    if (!status && !size)
        status = kst_fail(&p->report, KARST_ERROR_FORMAT, "%s: the extra %s is not there: restore the file from a copy",
                          p->path, name);
    if (!status && !kst_decompress(packed, size, raw, raw_bytes))
        status = kst_fail(&p->report, KARST_ERROR_FORMAT,
                          "%s: the extra %s does not hold the %d %s that the net's head tells: restore the file from a "
                          "copy",
                          p->path, name, count, part_names[part]);
    if (!status) {
        status = kst_net_add_elements(net, part, count, raw);
        if (status) kst_fail(&p->report, status, "%s: out of memory for the net", p->path);
    }
    kst_free(NULL, raw, raw_bytes);
    free(packed);
    return status;
}

static karst_status take_elements(karst_project *p, int64_t ground, const kst_net_head *head, karst_net *net) {
    karst_status status = KARST_OK;
    for (int part = 0; part < KST_NET_PARTS; ++part)
        for (int32_t at = 0; at < head->count[part] && !status; at += BLOCK) {
            int32_t left = head->count[part] - at;
            status = take_block(p, ground, net, (kst_net_part)part, at / BLOCK, left < BLOCK ? left : BLOCK);
        }
    if (status) return status;
    karst_report why = {0};
    status = karst_net_finish(net, &why);
    if (status)
        kst_fail(&p->report, status, "%s: the net: %s", p->path, why.message[0] ? why.message : "out of memory");
    return status;
}

karst_status kst_world_net_size(karst_project *p, int64_t ground, karst_project_net *out) {
    kst_net_head head;
    karst_status status = read_head(p, ground, &head);
    if (!status) *out = size_of(&head);
    return status;
}

karst_status kst_world_get_net(karst_project *p, int64_t ground, const karst_allocator *allocator, karst_net **out) {
    kst_net_head head;
    karst_net *net = NULL;
    karst_status status = read_head(p, ground, &head);
    if (status) return status;
    status = karst_net_create(head.origin, head.step_log2, allocator, &net);
    if (status) return kst_fail(&p->report, status, "%s: out of memory for the net", p->path);
    status = take_elements(p, ground, &head, net);
    if (status)
        karst_net_destroy(net);
    else
        *out = net;
    return status;
}

karst_status karst_project_get_net(karst_project *project, int64_t ground, const karst_allocator *allocator,
                                   karst_net **out) {
    pthread_mutex_lock(&project->mutex);
    karst_status status = kst_world_need_kind(project, ground, KARST_PROJECT_PATCH);
    if (!status) status = kst_world_get_net(project, ground, allocator, out);
    pthread_mutex_unlock(&project->mutex);
    return status;
}

karst_status kst_world_digest_net(karst_project *p, int64_t ground, uint64_t *hash) {
    sqlite3_stmt *s = NULL;
    int code = kst_sql_prepare(p->db, &s, "SELECT name, hash FROM extra WHERE ground=?1 ORDER BY name", "i", ground);
    while ((code == SQLITE_OK || code == SQLITE_ROW) && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        if (!name || !kst_world_is_of_net(name)) continue;
        *hash =
            kst_hash_u64(*hash, kst_hash_u64(kst_hash(name, strlen(name), 0), (uint64_t)sqlite3_column_int64(s, 1)));
    }
    karst_status status = kst_world_sql_fail(p, code, "cannot read the net");
    sqlite3_finalize(s);
    return status;
}
