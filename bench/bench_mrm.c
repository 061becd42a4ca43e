// SPDX-License-Identifier: MIT
// bench mrm: shape against triangles, time, size and cache misses of multi-resolution meshes. Models are read from the
// folder KARST_TEST_MODELS (docs/bench.md says which and where from); without it a sphere and a tank made by code show
// the figures that need no peer.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "karst/geo.h"
#include "karst/mrmbuild.h"
#include "mesh/mrm_codec.h"
#include "mrm_gap.h"
#include "mrm_peers.h"
#include "mrm_scale.h"
#include "mrm_slide.h"
#include "scenes/models.h"

typedef struct mrm_bench {
    bench *b;
    karst_model *scan[MRM_SCANS], *prop[MRM_PROPS];
    karst_mrm *scan_mrm[MRM_SCANS], *moving[MRM_SCANS];
    karst_mrm *prop_mrm[MRM_PROPS], *moving_props[MRM_PROPS], *fitted[MRM_PROPS];
    bool real_scans, real_props;
    // for what is timed
    const karst_model *model;
    karst_mrm *made;
    karst_status status;
    uint32_t *index;
    karst_mrm_instance at;
} mrm_bench;

static const char *const scan_file[MRM_SCANS] = {"armadillo.off", "fandisk_large.off", "lion-head.off"};
static const char *const prop_file[MRM_PROPS] = {"hand.glb", "index.glb"};

// ---- models --------------------------------------------------------------------------------------------

static const char *path_of(const char *file) {
    static char path[1024];
    const char *base = getenv("KARST_TEST_MODELS");
    if (!base) return NULL;
    snprintf(path, sizeof path, "%s/%s", base, file);
    return access(path, R_OK) ? NULL : path;
}

static bool all_there(const char *const *file, int count) {
    for (int k = 0; k < count; ++k)
        if (!path_of(file[k])) return false;
    return true;
}

// A scan is shape alone, for us and the peers.
static karst_status read_bare(mrm_bench *m, const char *path, karst_model **out) {
    karst_model *s, *bare;
    karst_status status = karst_geo_import_model(path, NULL, NULL, m->b->report, NULL, &s);
    if (status) return status;
    karst_model_size size = {.vertices = s->vertex_count, .wedges = s->vertex_count, .triangles = s->triangle_count};
    status = karst_model_create(&size, NULL, m->b->report, &bare);
    if (!status) {
        memcpy(bare->position, s->position, s->vertex_count * sizeof *s->position);
        for (uint32_t v = 0; v < s->vertex_count; ++v) bare->vertex[v] = v;
        for (uint32_t t = 0; t < s->triangle_count; ++t)
            for (int c = 0; c < 3; ++c) bare->triangle[t][c] = s->vertex[s->triangle[t][c]];
        *out = bare;
    }
    karst_model_destroy(s);
    return status;
}

static karst_status read_models(mrm_bench *m) {
    karst_status status = KARST_OK;
    m->real_scans = !m->b->quick && all_there(scan_file, MRM_SCANS);
    m->real_props = !m->b->quick && all_there(prop_file, MRM_PROPS);
    for (int k = 0; m->real_scans && k < MRM_SCANS && !status; ++k)
        status = read_bare(m, path_of(scan_file[k]), &m->scan[k]);
    for (int k = 0; m->real_props && k < MRM_PROPS && !status; ++k)
        status = karst_geo_import_model(path_of(prop_file[k]), NULL, NULL, m->b->report, NULL, &m->prop[k]);
    if (!status && !m->real_scans) {
        status = scene_model_facets(m->b->quick ? 3 : 5, &m->scan[0]);
        if (!status) status = karst_model_crease(m->scan[0], 1, m->b->report, &m->scan[1]);
        karst_model_destroy(m->scan[0]);
        m->scan[0] = m->scan[1], m->scan[1] = NULL;
    }
    if (!status && !m->real_props) status = scene_model_tank(&m->prop[0]);
    return status;
}

static karst_status build_all(mrm_bench *m) {
    karst_status status = KARST_OK;
    karst_mrm_build_def move = karst_mrm_build_def_default();
    karst_mrm_build_def fit = move;
    move.move = fit.fit_normals = true;
    for (int k = 0; k < MRM_SCANS && m->scan[k] && !status; ++k) {
        status = karst_mrm_build(m->scan[k], NULL, NULL, m->b->report, &m->scan_mrm[k]);
        if (!status && m->real_scans) status = karst_mrm_build(m->scan[k], &move, NULL, m->b->report, &m->moving[k]);
    }
    for (int k = 0; k < MRM_PROPS && m->prop[k] && !status; ++k) {
        status = karst_mrm_build(m->prop[k], NULL, NULL, m->b->report, &m->prop_mrm[k]);
        if (!status) status = karst_mrm_build(m->prop[k], &move, NULL, m->b->report, &m->moving_props[k]);
        if (!status && m->real_props) status = karst_mrm_build(m->prop[k], &fit, NULL, m->b->report, &m->fitted[k]);
    }
    return status;
}

static karst_status gap_at(const karst_mrm *mrm, const karst_model *source, double share, mrm_gap *out) {
    karst_model *level;
    uint32_t triangles = (uint32_t)(share * source->triangle_count);
    karst_status status = karst_mrm_extract(mrm, karst_mrm_level_of_triangles(mrm, triangles).vertices, NULL, &level);
    if (status) return status;
    status = mrm_gap_measure(source, level, out);
    karst_model_destroy(level);
    return status;
}

// ---- shape ---------------------------------------------------------------------------------------------

static karst_status measure_scans(mrm_bench *m) {
    double logs[4] = {0, 0, 0, 0};  // VTK, OpenMesh, meshoptimizer, VTK with --move
    int count = 0;
    karst_status status = KARST_OK;
    for (int k = 0; k < MRM_SCANS && !status; ++k)
        for (int s = 0; s < MRM_SHARES && !status; ++s, ++count) {
            mrm_gap ours, moved, peer = {NAN, 0, 0};
            status = gap_at(m->scan_mrm[k], m->scan[k], mrm_share[s], &ours);
            if (!status) status = gap_at(m->moving[k], m->scan[k], mrm_share[s], &moved);
            karst_model *other;
            if (!status &&
                mrm_meshopt_simplify(m->scan[k], (uint32_t)(mrm_share[s] * m->scan[k]->triangle_count), &other)) {
                status = mrm_gap_measure(m->scan[k], other, &peer);
                karst_model_destroy(other);
            }
            if (status) return status;
            logs[0] += log(ours.rms / mrm_vtk[k][s]);
            logs[1] += log(ours.rms / mrm_openmesh[k][s]);
            logs[2] += log(ours.rms / peer.rms);
            logs[3] += log(moved.rms / mrm_vtk[k][s]);
        }
    bench_row row = {.unit = "ratio", .runs = 1};
    row.what = "rms_vtk", row.value = exp(logs[0] / count), row.peer = "VTK 9.1 quadric, moves vertices",
    row.peer_value = 1;
    bench_add_note(m->b, &row,
                   "geometric mean of 3 models x 50, 25, 10, 2, 0.5 %%, one order each; VTK as measured in 2026");
    row.what = "rms_openmesh", row.value = exp(logs[1] / count), row.peer = "OpenMesh 9";
    bench_add_note(m->b, &row, "OpenMesh as measured in 2026");
    row.what = "rms_meshopt", row.value = exp(logs[2] / count), row.peer = "meshoptimizer";
    row.note = NULL;
    if (mrm_meshopt_is_here()) bench_add(m->b, &row);
    row.what = "rms_moving_vtk", row.value = exp(logs[3] / count), row.peer = "VTK 9.1 quadric, moves vertices";
    bench_add_note(m->b, &row, "--move");
    return KARST_OK;
}

typedef struct prop_gaps {
    double rms, uv, reached, shade_deg;  // the worst, over the peers; of hand at 10 %
    char text[200];
} prop_gaps;

static karst_status gaps_of_props(const mrm_bench *m, karst_mrm *const *mrm, prop_gaps *out) {
    karst_status status = KARST_OK;
    *out = (prop_gaps){.reached = 1};
    for (int k = 0; k < MRM_PROPS && !status; ++k) {
        for (int s = 0; s < 2 && !status; ++s) {
            mrm_gap gap = {0};
            status = gap_at(mrm[k], m->prop[k], mrm_share[1 + s], &gap);
            out->rms = fmax(out->rms, gap.rms / mrm_vtk_props[k][s]);
            out->uv = fmax(out->uv, gap.uv_bad / mrm_uv_bad_props[k][s]);
            if (k == 0 && s == 1) out->shade_deg = gap.shade_deg;
            size_t length = strlen(out->text);
            snprintf(out->text + length, sizeof out->text - length, "%s%s %g%%: %.3g, %.2g %%, %.1f deg",
                     length ? "; " : "", k ? "index" : "hand", 100 * mrm_share[1 + s], gap.rms, gap.uv_bad,
                     gap.shade_deg);
        }
        for (int s = 3; s < MRM_SHARES; ++s) {
            double asked = floor(mrm_share[s] * m->prop[k]->triangle_count);
            double got = karst_mrm_level_of_triangles(mrm[k], (uint32_t)asked).triangles;
            out->reached = fmax(out->reached, got > asked ? got / asked : asked / got);
        }
    }
    return status;
}

// Hand at 10 % where normals weigh so much that shape pays for them as far as the peer's does.
static karst_status measure_weighed(mrm_bench *m) {
    karst_mrm_build_def def = karst_mrm_build_def_default();
    bench_row row = {.unit = "deg", .runs = 1, .peer = "meshoptimizer 1.2 with normals", .peer_value = mrm_shade_hand};
    def.normal = 10;
    for (int fit = 0; fit < 2; ++fit) {
        karst_mrm *mrm;
        mrm_gap gap;
        def.fit_normals = fit;
        karst_status status = karst_mrm_build(m->prop[0], &def, NULL, m->b->report, &mrm);
        if (status) return status;
        status = gap_at(mrm, m->prop[0], 0.1, &gap);
        karst_mrm_destroy(mrm);
        if (status) return status;
        row.what = fit ? "shade_hand_both" : "shade_hand_weighed", row.value = gap.shade_deg;
        bench_add_note(m->b, &row, "%s--normal 10: RMS %.3f of VTK's, %.3f of the peer's", fit ? "--fit-normals " : "",
                       gap.rms / mrm_vtk_props[0][1], gap.rms / mrm_shade_hand_rms);
    }
    return KARST_OK;
}

static karst_status measure_props(mrm_bench *m) {
    prop_gaps own, fitted;
    karst_status status = gaps_of_props(m, m->prop_mrm, &own);
    if (!status) status = gaps_of_props(m, m->fitted, &fitted);
    if (status) return status;
    bench_row row = {.unit = "ratio", .runs = 1, .peer_value = 1};
    row.what = "rms_seams_vtk", row.value = own.rms, row.peer = "VTK 9.1 quadric, no texture";
    bench_add_note(m->b, &row, "worst; RMS, texels off, normals off: %s", own.text);
    row.what = "uvbad_meshopt", row.value = own.uv, row.peer = "meshoptimizer 1.2, its best mode";
    bench_add_note(m->b, &row, "worst of hand, index at 25, 10 %%; meshoptimizer as measured in 2026");
    row.what = "count_reached", row.value = fmax(own.reached, fitted.reached), row.peer = NULL;
    bench_add_note(m->b, &row, "worst of hand, index at 2, 0.5 %%, without and with --fit-normals");
    double vertices = 0;
    for (int k = 0; k < MRM_PROPS; ++k) {
        karst_mrm_info a = karst_mrm_describe(m->prop_mrm[k]), b = karst_mrm_describe(m->fitted[k]);
        vertices = fmax(vertices, (double)b.vertices / a.vertices);
    }
    row = (bench_row){.unit = "deg", .runs = 1, .peer = "meshoptimizer 1.2 with normals", .peer_value = mrm_shade_hand};
    row.what = "shade_hand", row.value = own.shade_deg;
    bench_add_note(m->b, &row, "hand at 10 %%, the default order: normals are the source's; peer as measured in 2026");
    row.what = "shade_hand_fitted", row.value = fitted.shade_deg;
    bench_add_note(m->b, &row,
                   "--fit-normals: %.2f times the vertices, RMS %.3f of VTK's, texels off %.3f of meshoptimizer's: %s",
                   vertices, fitted.rms, fitted.uv, fitted.text);
    return measure_weighed(m);
}

static void add_kind(mrm_bench *m, const char *const what[3], const mrm_kind *worst, const char *note) {
    const double value[3] = {worst->borders, worst->twins, worst->fans};
    for (int k = 0; k < 3; ++k) {
        bench_row row = {.what = what[k], .unit = "", .value = value[k], .runs = 1, .note = note};
        bench_add(m->b, &row);
    }
}

// New borders, faces twice and edges of three faces, over 100 levels of every model whose source has none, and of one
// whose source has many.
static karst_status measure_kind(mrm_bench *m) {
    static const char *const what[3] = {"new_borders", "new_twins", "new_fans"};
    static const char *const knotted[3] = {"new_borders_knotted", "new_twins_knotted", "new_fans_knotted"};
    mrm_kind worst = {0, 0, 0};
    karst_status status = KARST_OK;
    for (int k = 0; k < MRM_SCANS && m->scan[k] && !status; ++k)
        status = mrm_kind_measure(m->b, m->scan[k], m->scan_mrm[k], &worst);
    if (status) return status;
    add_kind(m, what, &worst, "worst of 100 levels of each scan");
    const char *path = m->b->quick ? NULL : path_of("dragon_vrip_res3.ply");
    if (!path) return KARST_OK;
    karst_model *dragon;
    karst_mrm *mrm = NULL;
    worst = (mrm_kind){-INFINITY, -INFINITY, -INFINITY};
    status = read_bare(m, path, &dragon);
    if (status) return status;
    status = karst_mrm_build(dragon, NULL, NULL, m->b->report, &mrm);
    if (!status) status = mrm_kind_measure(m->b, dragon, mrm, &worst);
    if (!status) add_kind(m, knotted, &worst, "dragon of 47,794: worst of 100 levels, less what its source has");
    karst_mrm_destroy(mrm);
    karst_model_destroy(dragon);
    return status;
}

// ---- time ----------------------------------------------------------------------------------------------

static void build_one(void *context) {
    mrm_bench *m = context;
    karst_mrm_destroy(m->made);
    m->made = NULL;
    m->status = karst_mrm_build(m->model, NULL, NULL, NULL, &m->made);
}

static void five_levels(void *context) {
    mrm_bench *m = context;
    for (int s = 0; s < MRM_SHARES; ++s)
        mrm_meshopt_indices(m->model, (uint32_t)(mrm_share[s] * m->model->triangle_count), m->index);
}

static uint64_t hash_of(const karst_mrm *mrm) {
    const karst_model *model = karst_mrm_model(mrm);
    return kst_hash(model->triangle, model->triangle_count * sizeof *model->triangle,
                    kst_hash(mrm->record, (model->wedge_count - mrm->base_wedges) * sizeof *mrm->record, 0));
}

static karst_status measure_building(mrm_bench *m) {
    double ours, peer;
    m->model = m->scan[0];
    m->index = malloc(12 * (size_t)m->model->triangle_count);
    if (!m->index) return KARST_ERROR_MEMORY;
    bool here = mrm_meshopt_is_here() && m->real_scans;
    bench_compare(m->b, build_one, here ? five_levels : NULL, m, &ours, &peer);
    if (m->status) return m->status;
    bench_row row = {.what = "generate_52k",
                     .unit = "s",
                     .value = ours,
                     .runs = bench_runs(m->b),
                     .peer = "meshoptimizer, five levels",
                     .peer_value = peer,
                     .hash = hash_of(m->made)};
    bench_add_note(m->b, &row, "CPU: order, records, errors measured; %u triangles%s", m->model->triangle_count,
                   here ? "" : "; peer not installed");
    free(m->index);
    m->index = NULL;

    return KARST_OK;
}

// Time and memory for many more triangles: the dragon where it is, else ground.
static karst_status measure_growth(mrm_bench *m) {
    const char *path = m->b->quick || !m->real_scans ? NULL : path_of("dragon_vrip.ply");
    karst_model *small = NULL, *large = NULL;
    karst_status status = KARST_OK;
    if (!path) status = scene_model_tile(m->b->quick ? 32 : 128, 0, 0, 1, &small);
    if (!status)
        status = path ? read_bare(m, path, &large) : scene_model_tile(m->b->quick ? 128 : 512, 0, 0, 1, &large);
    const karst_model *first = path ? m->scan[0] : small;
    double seconds[2] = {0, 0}, bytes[2] = {0, 0}, few[7];
    mrm_stop_gap gap = {0};
    int runs = m->b->quick ? 1 : 7;
    for (int k = 0; k < runs && !status; ++k) status = mrm_build_timed(m->b, first, &few[k], &bytes[0], NULL);
    if (!status) status = mrm_build_timed(m->b, large, &seconds[1], &bytes[1], &gap);
    if (!status) {
        seconds[0] = bench_median(few, runs);
        bench_row row = {.what = "growth_871k", .unit = "ratio", .value = seconds[1] / seconds[0], .runs = 1};
        bench_add_note(m->b, &row, "time for %.1f times the triangles: %s, %u, %.3g s",
                       (double)large->triangle_count / first->triangle_count, path ? "dragon" : "ground",
                       large->triangle_count, seconds[1]);
        row = (bench_row){
            .what = "generate_bytes", .unit = "bytes", .value = bytes[1] / large->triangle_count, .runs = 1};
        bench_add_note(m->b, &row,
                       "a triangle: the most memory in use while it is made, beyond the model; result in it");
        row = (bench_row){.what = "stop_gap", .unit = "s", .value = gap.most_s, .runs = 1};
        bench_add_note(m->b, &row, "longest CPU between two looks at whether to stop, that before \"%s\": %u triangles",
                       gap.before, large->triangle_count);
    }
    karst_model_destroy(small);
    karst_model_destroy(large);
    return status;
}

// ---- size, cache ---------------------------------------------------------------------------------------

static size_t packed_alone(const void *elements, size_t count, size_t bytes) {
    uint8_t *split = malloc(count * bytes), *out = malloc(kst_compress_bound(count * bytes));
    size_t packed = 0;
    if (split && out && count) {
        kst_split_bytes(elements, count, bytes, split);
        packed = kst_compress(split, count * bytes, out, kst_compress_bound(count * bytes), 12);
    }
    free(split);
    free(out);
    return packed;
}

// What one mesh takes beside its vertices, over 32 bytes a wedge and the indices: in memory and in the file.
static karst_status bytes_of(mrm_bench *m, const karst_mrm *mrm, double *memory, double *file, double *whole) {
    const karst_model *x = karst_mrm_model(mrm);
    kst_mrm_list list;
    uint8_t *bytes;
    size_t size;
    karst_status status = kst_mrm_unravel(mrm, m->b->report, &list);
    if (status) return status;
    status = kst_mrm_encode(&list, m->b->report, &bytes, &size);
    kst_mrm_list_release(&list);
    if (status) return status;
    kst_free(NULL, bytes, size);
    double source = 32.0 * x->wedge_count + 12.0 * x->triangle_count, vertices = 0;
    vertices += (double)packed_alone(x->position, x->vertex_count, sizeof *x->position);
    if (x->skin) vertices += (double)packed_alone(x->skin, x->vertex_count, sizeof *x->skin);
    if (x->normal) vertices += (double)packed_alone(x->normal, x->wedge_count, sizeof *x->normal);
    for (int c = 0; c < x->uv_sets; ++c) vertices += (double)packed_alone(x->uv[c], x->wedge_count, sizeof *x->uv[c]);
    if (x->colour) vertices += (double)packed_alone(x->colour, x->wedge_count, sizeof *x->colour);
    *memory = fmax(*memory, (double)karst_mrm_describe(mrm).record_bytes / source);
    *file = fmax(*file, ((double)size - vertices) / source);
    *whole = fmax(*whole, (double)size / source);
    return KARST_OK;
}

static karst_status measure_bytes(mrm_bench *m) {
    enum { ALL = MRM_SCANS + MRM_PROPS };
    for (int move = 0; move < 2; ++move) {
        double memory = 0, file = 0, whole = 0;
        for (int k = 0; k < ALL; ++k) {
            const karst_mrm *still = k < MRM_SCANS ? m->scan_mrm[k] : m->prop_mrm[k - MRM_SCANS];
            const karst_mrm *mrm = !move ? still : k < MRM_SCANS ? m->moving[k] : m->moving_props[k - MRM_SCANS];
            karst_status status = mrm ? bytes_of(m, mrm, &memory, &file, &whole) : KARST_OK;
            if (status) return status;
        }
        if (!whole) continue;
        bench_row row = {.unit = "share", .runs = 1};
        row.what = move ? "record_bytes_moving" : "record_bytes", row.value = memory;
        bench_add_note(m->b, &row, "of vertices (32 bytes) and indices, in memory; worst model%s",
                       move ? "; --move" : "");
        row.what = move ? "record_file_moving" : "record_file", row.value = file;
        bench_add_note(m->b, &row,
                       "file less its vertices packed alone: records and all triangles; whole file %.2f; worst model%s",
                       whole, move ? "; --move" : "");
    }
    return KARST_OK;
}

// What is drawn of a level, against the same triangles in the peer's order, cache of 16.
static karst_status measure_cache(mrm_bench *m) {
    const karst_mrm *mrm = m->scan_mrm[0];
    karst_mrm_info info = karst_mrm_describe(mrm);
    void *memory = malloc(karst_mrm_instance_bytes(mrm));
    uint32_t *index = malloc(12 * (size_t)info.triangles);
    if (!memory || !index) {
        free(memory);
        free(index);
        return KARST_ERROR_MEMORY;
    }
    karst_mrm_instance_init(&m->at, mrm, memory);
    double ratio = 0, drawn = 0;
    int count = 0;
    for (double share = 0.97; share * info.triangles > 300; share *= 0.81, ++count) {
        karst_mrm_set_level(&m->at, karst_mrm_level_of_triangles(mrm, (uint32_t)(share * info.triangles)).vertices);
        karst_model *level;
        karst_status status = karst_mrm_extract(mrm, m->at.vertices, m->b->report, &level);
        if (status) return status;
        memcpy(index, level->triangle, 12 * (size_t)level->triangle_count);
        mrm_meshopt_cache(index, 3 * (size_t)level->triangle_count, level->wedge_count);
        ratio += (double)kst_cache_misses(m->at.index, m->at.index_count, info.wedges, 16) /
                 (double)kst_cache_misses(index, 3 * (size_t)level->triangle_count, info.wedges, 16);
        drawn += (double)m->at.index_count / (3.0 * m->at.triangles);
        karst_model_destroy(level);
    }
    bool here = mrm_meshopt_is_here();
    bench_row row = {.what = "cache_misses",
                     .unit = "ratio",
                     .value = count ? ratio / count : 1,
                     .runs = count,
                     .peer = "meshoptimizer on each level",
                     .peer_value = here ? 1 : NAN};
    bench_add_note(m->b, &row, "mean of %d levels, cache of 16; indices drawn are %.2f of the triangles%s", count,
                   count ? drawn / count : 1,
                   here ? "" : "; peer not installed: against our own order without the gone");
    free(memory);
    free(index);
    return KARST_OK;
}

karst_status bench_mrm(bench *b) {
    mrm_bench *m = calloc(1, sizeof *m);
    if (!m) return KARST_ERROR_MEMORY;
    m->b = b;
    karst_status status = read_models(m);
    if (!status) status = build_all(m);
    if (!status && m->real_scans) status = measure_scans(m);
    if (!status && m->real_props) status = measure_props(m);
    if (!status) status = measure_kind(m);
    if (!status) status = measure_building(m);
    if (!status) status = measure_growth(m);
    if (!status) status = mrm_slide_measure(b, m->scan_mrm[0]);
    if (!status) status = mrm_jumps_measure(b, m->scan_mrm[0], "jumps_apart");
    if (!status && m->moving[0]) status = mrm_jumps_measure(b, m->moving[0], "jumps_apart_moving");
    if (!status) status = measure_bytes(m);
    if (!status) status = measure_cache(m);
    for (int k = 0; k < MRM_SCANS; ++k) {
        karst_model_destroy(m->scan[k]);
        karst_mrm_destroy(m->scan_mrm[k]);
        karst_mrm_destroy(m->moving[k]);
    }
    for (int k = 0; k < MRM_PROPS; ++k) {
        karst_model_destroy(m->prop[k]);
        karst_mrm_destroy(m->prop_mrm[k]);
        karst_mrm_destroy(m->moving_props[k]);
        karst_mrm_destroy(m->fitted[k]);
    }
    karst_mrm_destroy(m->made);
    free(m);
    return status;
}
