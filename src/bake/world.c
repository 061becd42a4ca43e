// SPDX-License-Identifier: MIT
// Bake a world: results of steps are kept in its file, and a world that did not change is not baked again.
#include "bake/relax.h"
#include "bake/run.h"
#include "karst/pack.h"

// The field is read row of chunks by row of chunks: three rows of displaced chunks, and some.
static size_t cache_bytes(const karst_field_shape *shape) {
    size_t chunks = (size_t)(shape->columns / KARST_CHUNK_CELLS + 1);
    return ((size_t)16 << 20) + 3 * chunks * (sizeof(karst_field_chunk) + 1024);
}

static void put(void *context, uint64_t key, const void *bytes, size_t size) {
    // A full disk or a world open for reading only makes the next bake slower.
    (void)karst_project_cache_put(context, key, bytes, size);
}

static karst_status get(void *context, uint64_t key, void **out, size_t *size) {
    return karst_project_cache_get(context, key, out, size);
}

// What is kept of a whole bake: the hash of the file's bytes, and what was said of it.
typedef struct record {
    uint64_t file_hash;
    karst_bake_info info;
} record;

static bool file_hash(const char *path, uint64_t *out, uint64_t *size) {
    enum { PIECE = 16 << 20 };
    kst_map map;
    if (kst_file_map(path, NULL, &map)) return false;
    uint64_t hash = 0;
    for (size_t at = 0; at < map.size; at += PIECE) {
        size_t n = map.size - at < PIECE ? map.size - at : PIECE;
        hash = kst_hash(map.bytes + at, n, hash);
        kst_file_release(&map, at, at + n);
    }
    *out = hash;
    *size = map.size;
    kst_file_unmap(&map);
    return true;
}

static bool is_baked_already(kst_graph *graph, uint64_t key, const char *path, karst_bake_info *info) {
    kst_bytes bytes = {0};
    record r = {0};
    uint64_t hash, size;
    bool same = kst_graph_find(graph, key, &bytes) && bytes.size == sizeof r;
    if (same) memcpy(&r, bytes.at, sizeof r);
    kst_bytes_free(&bytes, 1);
    same = same && file_hash(path, &hash, &size) && hash == r.file_hash && size == r.info.file_bytes;
    if (!same) return false;
    r.info.steps_reused += r.info.steps_run;
    r.info.steps_run = 0;
    if (info) *info = r.info;
    return true;
}

static void keep_record(kst_graph *graph, uint64_t key, const char *path, const karst_bake_info *info) {
    record r;
    uint64_t size;
    memset(&r, 0, sizeof r);
    r.info = *info;
    kst_bytes bytes = kst_bytes_make(sizeof r);
    if (bytes.at && file_hash(path, &r.file_hash, &size)) {
        memcpy(bytes.at, &r, sizeof r);
        kst_graph_keep(graph, key, &bytes);
    }
    kst_bytes_free(&bytes, 1);
}

static uint64_t record_key(uint64_t version, uint64_t relax_version, uint64_t world, const karst_bake_def *def) {
    uint32_t error, above, distance;
    memcpy(&error, &def->error_m, 4);
    memcpy(&above, &def->relax_above, 4);
    memcpy(&distance, &def->relax_distance_m, 4);
    uint64_t v[] = {0x6B636170u, version, relax_version, world, error, (uint64_t)def->map_side, above, distance};
    return kst_hash(v, sizeof v, 0);
}

// A world's field, id 0: none, and the net in d.
static karst_status bake(karst_project *project, const karst_project_ground *ground, const char *path,
                         const karst_bake_def *d, uint64_t world, const karst_progress *progress, karst_report *report,
                         karst_bake_info *info) {
    // The other stages have room beside the largest one.
    kst_store store = {put, get, project, karst_project_cache_limit(project) / 4 * 3};
    kst_graph graph = {.store = &store, .jobs = d->jobs, .progress = progress};
    uint64_t relax_version = 0;
    karst_status status = kst_bake_version(&graph.version);
    if (!status && d->relax_above > 0) status = kst_bake_relax_version(&relax_version);
    if (status) return kst_fail(report, status, "%s: %s", path, karst_status_text(status));
    uint64_t key = record_key(graph.version, relax_version, world, d);
    if (is_baked_already(&graph, key, path, info)) return KARST_OK;

    karst_field *field = NULL;
    if (ground->id) status = karst_project_field(project, ground->id, cache_bytes(&ground->shape), &field);
    if (status) return kst_fail(report, status, "%s", karst_project_message(project));
    karst_bake_info done;
    status = kst_bake_run(field, path, d, &graph, report, &done);
    karst_field_destroy(field);
    if (status) return status;
    keep_record(&graph, key, path, &done);
    if (info) *info = done;
    return KARST_OK;
}

karst_status karst_bake(karst_project *project, const char *path, const karst_bake_def *def,
                        const karst_progress *progress, karst_report *report, karst_bake_info *info) {
    karst_bake_def d;
    karst_status status = kst_bake_check(def, report, &d);
    if (status) return status;
    karst_project_ground field, patch;
    uint64_t world;
    karst_net *net = NULL;
    status = karst_project_find_ground(project, KARST_PROJECT_FIELD, &field);
    if (!status) status = karst_project_find_ground(project, KARST_PROJECT_PATCH, &patch);
    if (!status) status = karst_project_hash(project, &world);
    if (!status && patch.id) status = karst_project_get_net(project, patch.id, NULL, &net);
    if (status) return kst_fail(report, status, "%s", karst_project_message(project));
    if (!field.id && !net)
        return kst_fail(report, KARST_ERROR_UNSUPPORTED,
                        "the world has no ground to bake: add one with karst new --size or karst import");
    d.net = net;
    status = bake(project, &field, path, &d, world, progress, report, info);
    karst_net_destroy(net);
    return status;
}
