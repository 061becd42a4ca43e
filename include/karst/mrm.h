// SPDX-License-Identifier: MIT
// Multi-resolution meshes: one model at any number of vertices, by sliding along records. See docs/mrm.md.
//
// The model's vertices and wedges are sorted by falling importance, so a level is a prefix of them and an index array.
// One record a vertex says which indices change when it comes or goes. A mesh is read only and serves any number of
// instances, each with its own index array in memory of the caller's; changing an instance allocates nothing.
#pragma once
#include "karst/base.h"
#include "karst/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A multi-resolution mesh. Read only once it is there: any thread.
typedef struct karst_mrm karst_mrm;

/// What a mesh holds.
typedef struct karst_mrm_info {
    uint32_t vertices, wedges, triangles;  ///< at full detail
    uint32_t least_vertices, least_wedges, least_triangles;
    uint32_t ranges;         ///< each with an index array of its own, sorted for the vertex cache
    bool moves;              ///< vertices have other places at other levels: instances carry them
    bool is_least_right;     ///< the order ended since the least level is exact and less would not be
    uint64_t record_bytes;   ///< records in memory
    uint64_t sorting_bytes;  ///< tables that sort the index arrays
} karst_mrm_info;

/// One level of detail.
typedef struct karst_mrm_level {
    uint32_t vertices, wedges, triangles;
    float error_m;  ///< farthest that a removed place of the source was found from it [m]; grows with coarseness
} karst_mrm_level;

/// Read a file. A file whose end is missing, or damaged, is an error here; see karst_mrm_decode().
/// @param allocator NULL: malloc; kept @param report may be NULL @param out yours until karst_mrm_destroy()
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT, KARST_ERROR_VERSION, KARST_ERROR_MEMORY. Threads: any.
KARST_API karst_status karst_mrm_open(const char *path, const karst_allocator *allocator, karst_report *report,
                                      karst_mrm **out);

/// The same of bytes in memory, read only during the call. With `partial`, the first part of a file is enough: blocks
/// are coarse first, and the mesh is as fine as those that are whole.
KARST_API karst_status karst_mrm_decode(const void *bytes, size_t size, bool partial, const karst_allocator *allocator,
                                        karst_report *report, karst_mrm **out);

/// Write a file, beside and renamed. Threads: any. Cost: O(triangles).
/// @return KARST_ERROR_FILE, KARST_ERROR_MEMORY
KARST_API karst_status karst_mrm_write(const karst_mrm *mrm, const char *path, karst_report *report);

/// Free a mesh; no instance of it may be used any more. NULL is allowed.
KARST_API void karst_mrm_destroy(karst_mrm *mrm);

/// Threads: any.
KARST_API karst_mrm_info karst_mrm_describe(const karst_mrm *mrm);

/// The model at full detail: vertices and wedges by falling importance, triangles in cache order. Lives as the mesh
/// does.
KARST_API const karst_model *karst_mrm_model(const karst_mrm *mrm);

/// The finest level with at most so many vertices; the least level if there is none. Any vertex count is a level but
/// those inside a small part of the model that vanishes as a whole. Threads: any. Cost: some 100 ns.
KARST_API karst_mrm_level karst_mrm_level_of_vertices(const karst_mrm *mrm, uint32_t vertices);

/// The finest level with at most so many triangles, or the least level. Threads: any. Cost: some 100 ns.
KARST_API karst_mrm_level karst_mrm_level_of_triangles(const karst_mrm *mrm, uint32_t triangles);

/// The coarsest level known to err at most error_m [m]; full detail if there is none. For pixels: error_m = pixels /
/// (pixels a metre at the model's distance). Threads: any. Cost: some 100 ns.
KARST_API karst_mrm_level karst_mrm_level_of_error(const karst_mrm *mrm, float error_m);

/// The curve of error against triangles, coarse first, for whoever shares out a budget: up to 256 levels. Lives as the
/// mesh does. Threads: any.
KARST_API const karst_mrm_level *karst_mrm_curve(const karst_mrm *mrm, int *count);

/// A wedge that is on its way from its parent's place.
typedef struct karst_mrm_morph {
    uint32_t wedge, parent;  ///< parent < wedge; the same when it has none
    float weight;            ///< share of its own place, 0..1; the rest is the parent's, itself morphed
} karst_mrm_morph;

/// Weights that make a level appear without a jump: of the newest vertices, so that vertex number level - window stands
/// at its own place and number level, if it came now, at its parent's. Oldest first.
/// @param level as many vertices as are shown, with a fraction; the instance shows ceil(level)
/// @param out room for `most` @return how many wedges there are, which may be more than `most`
/// Threads: any. Cost: O(window).
KARST_API uint32_t karst_mrm_morphs(const karst_mrm *mrm, double level, uint32_t window, karst_mrm_morph *out,
                                    uint32_t most);

/// Of each wedge, the one that it becomes when it goes, which is smaller; itself when it has none. Wedges of one vertex
/// become wedges of one vertex: where the records name none for a wedge, no triangle having it any more, it is that of
/// another wedge of its vertex. @param out room for all wedges. Threads: any. Cost: O(wedges).
KARST_API void karst_mrm_parents(const karst_mrm *mrm, uint32_t *out);

/// A mesh at one level. Fields are read only to callers, but for `changed`.
typedef struct karst_mrm_instance {
    const karst_mrm *mrm;
    uint32_t vertices, wedges, triangles;  ///< of the level
    uint32_t *index;        ///< wedges, three a triangle, sorted by material; another array in another range
    uint32_t index_count;   ///< to draw; more than 3 * triangles: what left since the top of the range has no area
    uint32_t index_wedges;  ///< every index is below this
    karst_vec3 *place;  ///< of a wedge, when the mesh moves vertices; else NULL: the model's position[vertex[wedge]]
    int range;          // of the array
    size_t item;        // where in the records
    uint16_t *codes;    // of a vertex: where it lies, when the mesh moves vertices
    uint32_t *arrays;   // the index arrays of all ranges
} karst_mrm_instance;

/// Bytes of memory that an instance needs.
KARST_API size_t karst_mrm_instance_bytes(const karst_mrm *mrm);

/// Make an instance at full detail in memory of karst_mrm_instance_bytes(), aligned for uint32_t and yours; it must
/// stay while the instance is used. Nothing has to be freed. Cost: O(triangles), as sliding down and up again.
KARST_API void karst_mrm_instance_init(karst_mrm_instance *instance, const karst_mrm *mrm, void *memory);

/// Slide to the level of so many vertices, as karst_mrm_level_of_vertices() finds it. What is at a level does not
/// depend on the way there. Threads: one an instance; instances of one mesh at once. Cost: O(vertices between), about
/// 10 ns each. No allocation.
KARST_API void karst_mrm_set_level(karst_mrm_instance *instance, uint32_t vertices);

/// Part of an index array.
typedef struct karst_mrm_change {
    uint32_t first, count;
} karst_mrm_change;

/// What to upload of an instance whose index array was uploaded at an earlier level: all, in one piece, when it is
/// another array since, else pieces of a thousandth that records wrote into, neighbours joined, rising.
/// @param out room for `most` @return how many pieces there are, which may be more than `most`: then upload all
/// Threads: any, while the instance stays. Cost: O(vertices between).
KARST_API uint32_t karst_mrm_changes(const karst_mrm_instance *instance, uint32_t earlier_vertices,
                                     karst_mrm_change *out, uint32_t most);

/// What to draw with each material: indices [first, first + count) of the instance.
typedef struct karst_mrm_section {
    uint16_t material;
    uint32_t first, count;
} karst_mrm_section;

/// Sections with something in them; as many as materials in use, one without materials.
/// @return how many there are, which may be more than `most`. Threads: any. Cost: O(materials).
KARST_API uint32_t karst_mrm_sections(const karst_mrm_instance *instance, karst_mrm_section *out, uint32_t most);

/// A level as a model of its own, triangles in cache order. Needs memory of an instance for the call.
/// @param out yours until karst_model_destroy() @return KARST_ERROR_MEMORY. Threads: any. Cost: O(triangles).
KARST_API karst_status karst_mrm_extract(const karst_mrm *mrm, uint32_t vertices, karst_report *report,
                                         karst_model **out);

#ifdef __cplusplus
}
#endif
