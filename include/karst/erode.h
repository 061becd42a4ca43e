// SPDX-License-Identifier: MIT
// Erode: whole ground under rivers, rain and slides, until its water finds a way out everywhere. See docs/erosion.md.
#pragma once
#include "karst/base.h"
#include "karst/canvas.h"
#include "karst/erosion.h"
#include "karst/field.h"
#include "karst/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rivers: they cut by how much water they carry and how steep they run (stream power, area^0.5 * slope), lay down what
/// they carry where they slow, and fill lakes. Start from karst_rivers_def_default().
typedef struct karst_rivers_def {
    float years;               ///< age [yr]: 50,000 is young, 200,000 wears summits down; 0: no rivers, and
                               ///< hollows stay
    float erodibility_per_yr;  ///< how fast soft rock wears [1/yr]; only its product with years counts
    float coarse_m;            ///< the large valleys are made on cells of at most this [m]
    float fan;                 ///< how readily rivers lay down on their way, 0..1: higher makes broader plains
    float river_m2;            ///< rivers that drain this carry off half of what slopes bring them [m^2], > 0
    float creep_m2_per_yr;     ///< how fast slopes round off [m^2/yr]
    float bed;                 ///< width of a river / root of the area it drains [m/m]; 0: no beds are carved
    float bank;                ///< steepest that the banks of rivers stay [m/m], > 0
    float talus;               ///< steepest slope that stays [m/m], > 0
    float least_fall;          ///< every river falls at least this much [m/m], > 0
    float cut_share;           ///< how closed hollows are opened: 0 all by filling .. 1 all by cutting their sill
    float lake_m;              ///< hollows deeper than this at the end stay lakes [m]
    uint32_t cookie;           ///< set by the default function, do not touch
} karst_rivers_def;

/// Valleys of every size in ground of a thousand metres. Threads: any.
KARST_API karst_rivers_def karst_rivers_def_default(void);

/// All of an erosion. Start from karst_erosion_def_default() or a preset.
typedef struct karst_erosion_def {
    karst_rivers_def rivers;
    karst_droplets_def droplets;  ///< drops 0: no rain
    karst_thermal_def thermal;    ///< passes 0: none
    uint64_t seed;                ///< other numbers give other valleys
    uint32_t cookie;              ///< set by the default function, do not touch
} karst_erosion_def;

/// Kinds of land.
typedef enum karst_erosion_preset {
    KARST_EROSION_ALPINE,  ///< sharp ridges, deep valleys, rain on steep slopes
    KARST_EROSION_DESERT,  ///< old, little rain: cliffs over broad fans and filled basins
    KARST_EROSION_COAST,   ///< old and wet: round hills, wide valley floors
    KARST_EROSION_PRESET_COUNT
} karst_erosion_preset;

/// What preset alpine is. Threads: any.
KARST_API karst_erosion_def karst_erosion_def_default(void);
/// A kind of land, to be changed further. Asserts that there is one. Threads: any.
KARST_API karst_erosion_def karst_erosion_def_preset(karst_erosion_preset preset);
/// Short lower-case name ("alpine"), static storage, never NULL.
KARST_API const char *karst_erosion_preset_name(karst_erosion_preset preset);

/// Hollows of a ground without a way out; the edge lets water out.
typedef struct karst_pits {
    int64_t count;      ///< lowest places from which no way falls to the edge
    double share;       ///< of the samples that lie below their hollow's outlet
    double fill_share;  ///< volume that would fill them all / (relief * area)
    double deepest_m;   ///< of all hollows
} karst_pits;

/// Find the hollows of width * height heights [m], each side >= 2, all finite.
/// @return KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED. Threads: any; uses jobs (NULL: the caller). Cost: about 60 ns a
/// sample and 18 bytes.
KARST_API karst_status karst_pits_find(int width, int height, const float *height_m, karst_jobs *jobs,
                                       const karst_progress *progress, karst_pits *out);

/// Ground to erode. All arrays hold width * height values, row by row.
typedef struct karst_erosion_ground {
    int width, height;  ///< samples, each >= 2
    float cell_m;       ///< between samples, > 0
    float *height_m;    ///< finite; changed
    /// Where samples stand beside their places on the grid [m], finite; both NULL: on them. Rain and slides go by the
    /// true ways and areas between samples, rivers by the grid. Cells that fold over or overhang keep their corners.
    const float *aside_x_m, *aside_z_m;
    const float *mask;      ///< 0..1, how much may change; 0 keeps every bit; NULL: 1
    const float *hardness;  ///< 0..1, 1 is never lowered; NULL: 0
    float *wear_m;          ///< out: rock removed [m], >= 0; NULL: not wanted
    float *deposit_m;       ///< out: sediment that lies on the rock in the end [m], >= 0; NULL: not wanted
} karst_erosion_ground;

/// What an erosion did.
typedef struct karst_erosion_result {
    double worn_m3, laid_m3;  ///< rock removed, sediment that stayed
    double carried_m3;        ///< carried off the edge: worn less laid
    double account_error;     ///< of the account of the finest step: what is unexplained / all that moved; about 1e-9
    float deepest_cut_m;      ///< rock removed at the worst place
    float deepest_breach_m;   ///< of the last settling: the deepest sill cut to open a hollow
    int64_t folded;           ///< samples left alone where cells fold over or overhang
} karst_erosion_result;

/// Erode. The same ground, def and seed give the same bytes on any number of threads.
/// @param result NULL: not wanted
/// @return KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED, KARST_ERROR_ARGUMENT (a height, place, mask or hardness is not
/// finite), KARST_ERROR_LIMIT (over 2^30 samples); nothing has changed then Threads: one writer; uses jobs (NULL: the
/// caller). Cost: about 0.7 us of CPU a sample with the default; about 60 bytes a sample.
KARST_API karst_status karst_erode(const karst_erosion_ground *ground, const karst_erosion_def *def, karst_jobs *jobs,
                                   const karst_progress *progress, karst_erosion_result *result);

/// Fields that go with the erosion of a canvas, of its shape; each may be NULL.
typedef struct karst_erosion_sheets {
    karst_field *hardness;  ///< y 0..1 a vertex: 1 is never lowered; read
    karst_field *wear;      ///< y becomes rock removed in the rect, 0..1, 1 at wear_full_m and beyond
    karst_field *deposit;   ///< y becomes sediment laid down in the rect, 0..1, 1 at deposit_full_m and beyond
} karst_erosion_sheets;

/// What the erosion of a canvas did.
typedef struct karst_canvas_erosion {
    karst_erosion_result result;
    karst_pits before, after;  ///< hollows in the rect and a little ground round it
    float wear_full_m;         ///< what 1 means in the sheet: 95 of 100 worn vertices are worn less
    float deposit_full_m;
    int64_t masked;  ///< vertices of the rect left alone: masked or at a hole; see result.folded for more
} karst_canvas_erosion;

/// Erode vertices [rect), inside the ground, of what a canvas shows. Its mask and holes are obeyed; heights change, not
/// sideways displacement. Inside the ground the change fades to nothing over the last 24 vertices of the rect.
/// @param sheets NULL: none @param out NULL: not wanted
/// @return as karst_erode(), karst_field_read() and karst_canvas_write(); nothing has changed when it is cancelled
/// Threads: one writer; uses jobs. Cost: karst_erode() and a read and a write of the rect.
KARST_API karst_status karst_canvas_erode(const karst_canvas *canvas, karst_rect rect, const karst_erosion_def *def,
                                          const karst_erosion_sheets *sheets, karst_jobs *jobs,
                                          const karst_progress *progress, karst_canvas_erosion *out);

#ifdef __cplusplus
}
#endif
