// SPDX-License-Identifier: MIT
// Geo: elevation files in and out. See docs/geo.md.
#pragma once
#include "karst/base.h"
#include "karst/jobs.h"
#include "karst/mesh.h"
#include "karst/model.h"
#include "karst/project.h"
#include "karst/stamp.h"
#include "karst/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum karst_sample_type {
    KARST_SAMPLE_GUESS = 0,
    KARST_SAMPLE_U8,
    KARST_SAMPLE_U16,
    KARST_SAMPLE_I16,
    KARST_SAMPLE_I32,
    KARST_SAMPLE_F32,
    KARST_SAMPLE_F64
} karst_sample_type;

typedef enum karst_byte_order { KARST_ORDER_LITTLE = 0, KARST_ORDER_BIG } karst_byte_order;

typedef enum karst_rgb_coding { KARST_RGB_NONE = 0, KARST_RGB_TERRARIUM, KARST_RGB_MAPBOX } karst_rgb_coding;

/// How to read a file. Start from karst_import_def_default(); what is left at its default is found out.
typedef struct karst_import_def {
    int32_t width, height;   ///< samples; needed for RAW that is not square
    karst_sample_type type;  ///< of RAW; guessed from the extension (.r16 u16, .r32 f32, .raw u16)
    karst_byte_order order;  ///< of RAW
    uint64_t header_bytes;   ///< to skip in RAW
    karst_rgb_coding rgb;    ///< heights coded in colours
    double spacing_m;        ///< 0: from the file's georeference, else 1
    double scale, offset;    ///< height = sample * scale + offset, over the file's own; default 1, 0
    bool has_no_data;
    double no_data;      ///< this value is a hole, beside what the file says
    bool flip_rows;      ///< first row is south
    bool swap_bytes;     ///< samples were written the wrong way round, whatever the file says
    bool keep_bytes;     ///< take 16-bit samples that are noise as stored and ground the other way round
    karst_pos origin;    ///< world position of vertex (0, 0)
    const char *member;  ///< array to take from an npz; NULL: the first two-dimensional one
    const char *name;    ///< of the new ground; NULL: "ground"
    bool replace;        ///< replace the world's field if it has one
    uint32_t cookie;     ///< set by the default function, do not touch
} karst_import_def;

/// Everything found out from the file, origin 0, ground named "ground".
KARST_API karst_import_def karst_import_def_default(void);

enum { KARST_WARNINGS_MAX = 8, KARST_WARNING_BYTES = 240 };

/// What was found in a file and what became of it.
typedef struct karst_import_info {
    int32_t columns, rows;
    double spacing_m;                           ///< of the field
    double file_spacing_x_m, file_spacing_z_m;  ///< in the file, 0 if it does not say
    float min_m, max_m;
    uint64_t holes;  ///< cells
    uint64_t no_data_samples;
    double step_m;  ///< vertical step of the samples, 0 when they are continuous
    char format[64], type[16], byte_order[16], row_order[24];
    char warnings[KARST_WARNINGS_MAX][KARST_WARNING_BYTES];
    int warning_count;
} karst_import_info;

/// Read an elevation file into a new ground of a world, as one step: seen whole or not at all.
/// @param def NULL: the default @param jobs, progress, report may be NULL
/// @param info what was found @param ground the new ground's id; both may be NULL and are untouched on error
/// Threads: one call a project. Cost: O(samples), read in strips.
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT, KARST_ERROR_LIMIT, KARST_ERROR_UNSUPPORTED, KARST_ERROR_ARGUMENT,
/// KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED; report names file, place, fault and remedy
KARST_API karst_status karst_geo_import(karst_project *project, const char *path, const karst_import_def *def,
                                        karst_jobs *jobs, const karst_progress *progress, karst_report *report,
                                        karst_import_info *info, int64_t *ground);

/// What an export wrote, and how to read it back.
typedef struct karst_export_info {
    int32_t columns, rows;         ///< of a raster, 0 of a mesh
    uint64_t vertices, triangles;  ///< of a mesh, 0 of a raster
    double scale, offset;          ///< height = sample * scale + offset [m]
    bool has_no_data;              ///< some samples have no ground around them
    double no_data;                ///< what they hold; NaN in .tif and .r32
    double largest_error_m;        ///< between a height and what was written; 0: exact
    char warnings[KARST_WARNINGS_MAX][KARST_WARNING_BYTES];
    int warning_count;
} karst_export_info;

/// Write the field of a world: the extension picks the format: .tif .png .r16 .r32 .obj .ply .glb.
/// 16-bit formats hold whole steps: exactly when the heights are, else rounded, with a warning. A vertex with
/// ground on no side is no data, unless an import gave its height. Written beside and renamed. Threads: one call a
/// project. Cost: O(samples).
/// @param info what was written; may be NULL, untouched on error
/// @return KARST_ERROR_UNSUPPORTED (extension), KARST_ERROR_FILE, KARST_ERROR_LIMIT (heights or size that the format
/// cannot hold), KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED
KARST_API karst_status karst_geo_export(karst_project *project, int64_t ground, const char *path,
                                        const karst_progress *progress, karst_report *report, karst_export_info *info);

/// Write the reference triangles of any ground as .obj, .ply or .glb, world positions. Written beside and renamed.
/// Vertices are welded; .obj and .ply are text to 0.1 um, .glb holds floats relative to its node's translation.
/// Threads: any. Cost: O(triangles) time and memory. @return as karst_geo_export()
KARST_API karst_status karst_geo_export_ground(const karst_ground *ground, const char *path,
                                               const karst_progress *progress, karst_report *report,
                                               karst_export_info *info);

/// Write a mesh as .obj, .ply or .glb, as karst_geo_export_ground() does. info->largest_error_m is what writing
/// rounded. Threads: any. Cost: O(triangles). @return as karst_geo_export(), KARST_ERROR_UNSUPPORTED too without a
/// triangle
KARST_API karst_status karst_geo_export_mesh(const karst_mesh *mesh, const char *path, const karst_progress *progress,
                                             karst_report *report, karst_export_info *info);

/// How far a file of this name's format may put a vertex inside bounds (world [m]) from its place [m]: what a mesh must
/// keep free (karst_mesh_def.room_m) for its error to hold in the file. 0 for a name that is no mesh's. Threads: any.
KARST_API double karst_geo_mesh_rounding(const char *path, const karst_box *bounds);

// ---- models --------------------------------------------------------------------------------------------

typedef enum karst_model_up {
    KARST_MODEL_UP_Y = 0,  ///< as Karst has it
    KARST_MODEL_UP_Z,      ///< the file's Z is up: (x, y, z) becomes (x, z, -y)
} karst_model_up;

/// How to read a model. Start from karst_model_import_def_default().
typedef struct karst_model_import_def {
    double unit_m;            ///< metres in a unit of the file; 0 (the default): as the file says, else 1
    karst_model_up up;        ///< of a format that does not say: OBJ, PLY, STL, OFF; formats that do are turned already
    double merge_m;           ///< as karst_model_clean_def has it; default 0
    double crease_rad;        ///< make new normals of this crease angle, 0..pi; < 0 (the default): the file's own
    bool raw;                 ///< neither cleaned nor given normals: what the file holds
    uint64_t most_triangles;  ///< of the whole scene; default KARST_MODEL_MAX_TRIANGLES
    uint64_t most_bytes;      ///< of the file; default 4 GiB
    uint64_t memory_bytes;    ///< that reading may take; default 8 GiB
    double most_seconds;      ///< that reading may take; default 60
    const karst_allocator *allocator;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_model_import_def;

/// Units and axes as the file says, equal vertices joined, the file's normals. Threads: any.
KARST_API karst_model_import_def karst_model_import_def_default(void);

/// What was found in a file and what became of it.
typedef struct karst_model_import_info {
    uint32_t meshes, nodes;     ///< of the file
    uint64_t points_and_lines;  ///< left out
    double unit_m;              ///< metres in a unit, as used
    karst_model_cleaned cleaned;
    bool made_normals;
    char warnings[KARST_WARNINGS_MAX][KARST_WARNING_BYTES];
    int warning_count;
} karst_model_import_info;

/// Read a mesh file that Assimp reads (.glb .gltf .obj .ply .fbx .3ds .md3 .stl .dae .off and more) as one model: all
/// nodes of the scene in their places, polygons cut into triangles, bones as joints. The reader runs in a process of
/// its own with limits to its memory and time, so that a hostile file costs a line in the report and nothing else.
/// @param def NULL: the default @param progress, report, info may be NULL; info is untouched on error
/// @param out yours until karst_model_destroy(); untouched on error
/// Threads: any. Cost: what Assimp takes, and O(triangles).
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT (damaged, not finite, a crash), KARST_ERROR_UNSUPPORTED (unknown
/// format, no triangle), KARST_ERROR_LIMIT, KARST_ERROR_ARGUMENT, KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED
KARST_API karst_status karst_geo_import_model(const char *path, const karst_model_import_def *def,
                                              const karst_progress *progress, karst_report *report,
                                              karst_model_import_info *info, karst_model **out);

/// Write a model as .glb (all of it: one primitive a material, skin and joints), .obj (with a .mtl beside it; no skin,
/// colours or further texture sets) or .ply (positions, normals, the first texture set, colours). Written beside and
/// renamed. .glb holds floats as they are; text holds the shortest digits that give the float back, and world
/// coordinates. @param info vertices (wedges in the file) and triangles; may be NULL
/// Threads: any. Cost: O(size). @return KARST_ERROR_UNSUPPORTED (extension, no triangle), KARST_ERROR_FORMAT
/// (karst_model_check()), KARST_ERROR_LIMIT, KARST_ERROR_FILE, KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED
KARST_API karst_status karst_geo_export_model(const karst_model *model, const char *path,
                                              const karst_progress *progress, karst_report *report,
                                              karst_export_info *info);

/// Quads of a mesh, to make patches of (karst_net_from_cage()).
typedef struct karst_quads {
    karst_pos *places;    ///< [m]
    int32_t (*quads)[4];  ///< as in karst_net_cage: the other way round than faces of a file
    int32_t place_count, quad_count;
    int32_t turned;                 ///< quads that faced against their neighbours
    int32_t place_room, quad_room;  ///< do not touch
} karst_quads;

/// How to read quads. Start from karst_quads_def_default().
typedef struct karst_quads_def {
    double unit_m;      ///< metres in a unit of the file; default 1: what the file says if it does
    karst_model_up up;  ///< of a format that does not say; default KARST_MODEL_UP_Y
    const karst_progress *progress;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_quads_def;

/// Metres, Y up.
KARST_API karst_quads_def karst_quads_def_default(void);

/// Read a mesh that is all quads. Quads that meet face alike: the fewer ones are turned over. Of an OBJ file lines that
/// only look concerns are left out; what is neither is refused by its line. Any other file is read as by
/// karst_geo_import_model(), whose triangles are halves of quads: two that follow each other, or else those that share
/// their longest sides; triangles without another are refused.
/// @param def NULL: the default @param report one line that names file, line, fault and remedy; may be NULL
/// @param out yours until karst_quads_destroy(); untouched on error Threads: any. Cost: O(n log n).
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT, KARST_ERROR_UNSUPPORTED (no face), KARST_ERROR_MEMORY,
/// KARST_ERROR_CANCELLED
KARST_API karst_status karst_geo_read_quads(const char *path, const karst_quads_def *def, karst_report *report,
                                            karst_quads **out);
/// Free quads. NULL is allowed.
KARST_API void karst_quads_destroy(karst_quads *quads);

/// Write an 8-bit RGB picture of width * height * 3 bytes as PNG, rows from the top. Written beside and renamed.
/// Threads: any. @return KARST_ERROR_FILE, KARST_ERROR_MEMORY
KARST_API karst_status karst_geo_write_png(const char *path, int width, int height, const uint8_t *rgb,
                                           karst_report *report);

/// Read a stamp: .exr, .tif, .png and what else holds 1 or 3 channels. Whole numbers of n bits become 0..1; a gray
/// picture is heights, a coloured one vectors, where whole numbers mean 0.5 as none.
/// @param out yours until karst_stamp_destroy(); untouched on error Threads: any.
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT, KARST_ERROR_UNSUPPORTED, KARST_ERROR_LIMIT, KARST_ERROR_MEMORY
KARST_API karst_status karst_geo_read_stamp(const char *path, karst_report *report, karst_stamp **out);

/// Write a stamp as floats: .exr or .tif. Written beside and renamed. Threads: any.
/// @return KARST_ERROR_UNSUPPORTED (extension), KARST_ERROR_FILE, KARST_ERROR_MEMORY
KARST_API karst_status karst_geo_write_stamp(const char *path, const karst_stamp *stamp, karst_report *report);

#ifdef __cplusplus
}
#endif
